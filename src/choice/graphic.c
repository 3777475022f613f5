/* graphic.c - the graphic matroid: arms are edges, and arms can be shown together if they close no
 * cycle.
 *
 * The greedy search is Kruskal's algorithm for a maximum spanning forest. A union-find forest with
 * path halving and union by size (Tarjan 1975) records which vertices are connected; it is kept in
 * the caller's work memory. Vertices are renumbered, so the work memory is O(arms) however many
 * vertices have no edge.
 */
#include <assert.h>
#include <stdlib.h>

#include "choice/graph.h"
#include "choice/make.h"

typedef struct graphic {
    lotor_oracle oracle;
    size_t vertices; /* how many vertices have an edge */
    uint32_t end[];  /* the ends of arm i are end[2i] and end[2i+1] */
} graphic;

/* The entry of a root is the size of its tree, with the top bit set. The entry of any other vertex
 * is its parent. Sizes are at most 2 * arms, and arms are at most 2^29 (see graph.c), so they stay
 * below 2^31. */
static const uint32_t ROOT = UINT32_C(1) << 31;

static inline uint32_t find(uint32_t *parent, uint32_t vertex)
{
    while (!(parent[vertex] & ROOT)) {
        const uint32_t up = parent[vertex];
        if (parent[up] & ROOT) {
            return up;
        }
        parent[vertex] = parent[up];
        vertex = parent[up];
    }
    return vertex;
}

/* Joins the trees of two vertices; false if both are in the same tree already. */
static inline bool join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = find(parent, a);
    b = find(parent, b);
    if (a == b) {
        return false;
    }
    const bool larger = parent[a] > parent[b];
    const uint32_t root = larger ? a : b;
    const uint32_t other = larger ? b : a;
    parent[root] += parent[other] - ROOT;
    parent[other] = root;
    assert(parent[root] & ROOT);
    return true;
}

static size_t graphic_pick(const lotor_oracle *oracle, const double *index, const uint32_t *order,
                           void *work, uint32_t *picked)
{
    const graphic *const self = (const graphic *)oracle;
    uint32_t *const parent = work;
    size_t count = 0;
    (void)index;
    for (size_t i = 0; i < self->vertices; i++) {
        parent[i] = ROOT + 1;
    }
    for (size_t i = 0; i < oracle->arms && count < oracle->slots; i++) {
        const uint32_t *const end = &self->end[2 * (size_t)order[i]];
        if (join(parent, end[0], end[1])) {
            picked[count++] = order[i];
        }
    }
    return count;
}

static void graphic_destroy(lotor_oracle *oracle)
{
    free(oracle);
}

lotor_status lotor_oracle_graphic(size_t arms, const uint32_t *from, const uint32_t *to,
                                  size_t vertices, lotor_message *why, lotor_oracle **out)
{
    *out = NULL;
    lotor_status status = lotor_oracle_check_graph(arms, from, to, vertices, why);
    if (status != LOTOR_OK) {
        return status;
    }
    graphic *const self = malloc(sizeof *self + 2 * arms * sizeof *from);
    if (!self) {
        return lotor_oracle_no_memory(arms, why);
    }
    self->oracle = (lotor_oracle){
        .id = "graphic",
        .arms = arms,
        .by_order = true,
        .alpha = 1,
        .beta = 1,
        .pick = graphic_pick,
        .destroy = graphic_destroy,
    };
    for (size_t i = 0; i < arms; i++) {
        self->end[2 * i] = from[i];
        self->end[2 * i + 1] = to[i];
    }
    status = lotor_oracle_renumber(self->end, 2 * arms, &self->vertices, why);
    if (status == LOTOR_OK) {
        self->oracle.work_bytes = self->vertices * sizeof(uint32_t);
        status = lotor_oracle_measure(&self->oracle, why);
    }
    if (status != LOTOR_OK) {
        free(self);
        return status;
    }
    return lotor_oracle_quicken(&self->oracle, why, out);
}
