/* path.c - a path through a directed graph without cycles.
 *
 * Only the edges on some path from the source to the sink are kept, and the vertices on them are
 * numbered so that edges go up: the source is 0 and the sink is last. One pass over them finds the
 * longest way to each from the ways to the vertices before it.
 *
 *      source 0 ──→ 1 ──→ 3 sink       edges by head:  1: 0→1   2: 0→2   3: 1→3, 2→3
 *             └───→ 2 ────┘
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "choice/graph.h"
#include "choice/make.h"

typedef struct path {
    lotor_oracle oracle;
    size_t vertices;
    uint32_t *start; /* of the edges into each vertex, and the end of all */
    uint32_t *edge;  /* which arm */
    uint32_t *tail;  /* the vertex it comes from */
    uint32_t room[];
} path;

/* What the way to a vertex is worth, the most important first. Infinities are counted: added up
 * they would hide the rest, or make NaN. */
typedef struct worth {
    uint32_t infinite;
    uint32_t lowest; /* minus infinity, or NaN */
    double sum;      /* of the finite weights - 1 */
} worth;

static inline worth extend(worth way, double weight)
{
    way.infinite += weight == INFINITY;
    way.lowest += !(weight > -INFINITY);
    way.sum += isfinite(weight) ? weight - 1 : 0;
    return way;
}

/* More than 0: `a` is worth more. */
static inline int compare(const worth *a, const worth *b)
{
    if (a->infinite != b->infinite) {
        return a->infinite > b->infinite ? 1 : -1;
    }
    if (a->lowest != b->lowest) {
        return a->lowest < b->lowest ? 1 : -1;
    }
    return (a->sum > b->sum) - (a->sum < b->sum);
}

/* Ways of the same worth: the one whose last edge comes first in `order`, where equal indices stand
 * in random order. */
static size_t path_pick(const lotor_oracle *oracle, const double *index, const uint32_t *order,
                        void *work, uint32_t *picked)
{
    const path *const self = (const path *)oracle;
    worth *const best = work; /* of the ways to each vertex */
    uint32_t *const via = (uint32_t *)(void *)(best + self->vertices); /* its last edge */
    uint32_t *const place = via + self->vertices; /* of each arm in the order */
    for (size_t i = 0; i < oracle->arms; i++) {
        place[order[i]] = (uint32_t)i;
    }
    best[0] = (worth){0};
    for (size_t vertex = 1; vertex < self->vertices; vertex++) {
        for (uint32_t i = self->start[vertex]; i < self->start[vertex + 1]; i++) {
            const uint32_t arm = self->edge[i];
            const worth way = extend(best[self->tail[i]], index[arm]);
            const int more = i == self->start[vertex] ? 1 : compare(&way, &best[vertex]);
            if (more > 0 || (more == 0 && place[arm] < place[self->edge[via[vertex]]])) {
                best[vertex] = way;
                via[vertex] = i;
            }
        }
    }
    size_t count = 0;
    for (size_t vertex = self->vertices - 1; vertex > 0; vertex = self->tail[via[vertex]]) {
        picked[count++] = self->edge[via[vertex]];
    }
    for (size_t i = 0; i < count / 2; i++) {
        const uint32_t arm = picked[i];
        picked[i] = picked[count - 1 - i];
        picked[count - 1 - i] = arm;
    }
    return count;
}

static double path_value(const lotor_oracle *oracle, const double *weights, const uint32_t *set,
                         size_t count, void *work)
{
    double sum = 0;
    (void)oracle;
    (void)work;
    for (size_t i = 0; i < count; i++) {
        sum += weights[set[i]] - 1;
    }
    return sum;
}

static void path_destroy(lotor_oracle *oracle)
{
    free(oracle);
}

/* The caller's graph while the oracle is made. */
typedef struct plan {
    size_t arms;
    size_t vertices; /* renumbered: those that an edge touches, the source and the sink */
    uint32_t source;
    uint32_t sink;
    uint32_t *from;
    uint32_t *to;
    uint32_t *start; /* of the edges out of each vertex */
    uint32_t *out;
    uint32_t *before; /* each vertex: edges that come into it from vertices not sorted yet */
    uint32_t *sorted; /* the vertices: edges go from earlier to later ones */
    uint32_t *number; /* of each vertex on a path, from 1 on; 0: it is on none */
    uint32_t *room;
} plan;

/* How many numbers `room` has. */
static size_t plan_room(size_t arms)
{
    const size_t ends = 2 * arms + 2;
    return ends + arms + 4 * (ends + 1);
}

static lotor_status plan_start(plan *it, const uint32_t *from, const uint32_t *to, uint32_t source,
                               uint32_t sink, lotor_message *why)
{
    const size_t arms = it->arms;
    const size_t ends = 2 * arms + 2;
    it->from = it->room; /* `to` follows, then source and sink: all are renumbered together */
    it->to = it->from + arms;
    it->out = it->from + ends;
    it->start = it->out + arms;
    it->before = it->start + ends + 1;
    it->sorted = it->before + ends + 1;
    it->number = it->sorted + ends + 1;
    memcpy(it->from, from, arms * sizeof *from);
    memcpy(it->to, to, arms * sizeof *to);
    it->to[arms] = source;
    it->to[arms + 1] = sink;
    const lotor_status status = lotor_oracle_renumber(it->room, ends, &it->vertices, why);
    it->source = it->to[arms];
    it->sink = it->to[arms + 1];
    return status;
}

/* Sorts the vertices (Kahn 1962): each follows when all edges into it come from sorted ones.
 * Returns how many could be sorted: fewer than all when there is a cycle. */
static size_t plan_sort(plan *it)
{
    size_t sorted = 0;
    lotor_oracle_group(it->arms, it->from, it->vertices, it->start, it->out);
    for (size_t i = 0; i < it->arms; i++) {
        it->before[it->to[i]]++;
    }
    for (size_t i = 0; i < it->vertices; i++) {
        if (it->before[i] == 0) {
            it->sorted[sorted++] = (uint32_t)i;
        }
    }
    for (size_t i = 0; i < sorted; i++) {
        const uint32_t vertex = it->sorted[i];
        for (uint32_t j = it->start[vertex]; j < it->start[vertex + 1]; j++) {
            const uint32_t next = it->to[it->out[j]];
            if (--it->before[next] == 0) {
                it->sorted[sorted++] = next;
            }
        }
    }
    return sorted;
}

/* An edge on a cycle, when not all vertices could be sorted: into each that could not there is an
 * edge from another one, so whoever goes back along such edges ends up going round. */
static size_t plan_cycle(plan *it)
{
    uint32_t *const into = it->number;
    uint32_t vertex = 0;
    for (size_t i = 0; i < it->arms; i++) {
        if (it->before[it->from[i]] > 0 && it->before[it->to[i]] > 0) {
            vertex = it->to[i];
            into[vertex] = (uint32_t)i;
        }
    }
    for (size_t i = 0; i < it->vertices; i++) {
        vertex = it->from[into[vertex]];
    }
    return into[vertex];
}

/* Numbers the vertices between source and sink. Returns how many. */
static uint32_t plan_number(plan *it)
{
    uint32_t *const reached = it->number;
    uint32_t *const leads = it->before; /* to the sink */
    uint32_t count = 0;
    memset(reached, 0, it->vertices * sizeof *reached);
    memset(leads, 0, it->vertices * sizeof *leads);
    reached[it->source] = 1;
    leads[it->sink] = 1;
    for (size_t i = 0; i < it->vertices; i++) {
        const uint32_t vertex = it->sorted[i];
        for (uint32_t j = it->start[vertex]; j < it->start[vertex + 1]; j++) {
            reached[it->to[it->out[j]]] |= reached[vertex];
        }
    }
    for (size_t i = it->vertices; i-- > 0;) {
        const uint32_t vertex = it->sorted[i];
        for (uint32_t j = it->start[vertex]; j < it->start[vertex + 1]; j++) {
            leads[vertex] |= leads[it->to[it->out[j]]];
        }
    }
    for (size_t i = 0; i < it->vertices; i++) {
        const uint32_t vertex = it->sorted[i];
        it->number[vertex] = reached[vertex] && leads[vertex] ? ++count : 0;
    }
    return count;
}

/* Keeps the edges on paths, their ends numbered from 0, and notes in `out` which arms they are. */
static void plan_reduce(plan *it)
{
    size_t kept = 0;
    for (size_t i = 0; i < it->arms; i++) {
        const uint32_t from = it->number[it->from[i]];
        const uint32_t to = it->number[it->to[i]];
        if (from > 0 && to > 0) {
            it->from[kept] = from - 1;
            it->to[kept] = to - 1;
            it->out[kept++] = (uint32_t)i;
        }
    }
    it->arms = kept;
}

/* The most edges on a path. */
static size_t longest(const path *self, uint32_t *length)
{
    length[0] = 0;
    for (size_t vertex = 1; vertex < self->vertices; vertex++) {
        length[vertex] = 0;
        for (uint32_t i = self->start[vertex]; i < self->start[vertex + 1]; i++) {
            const uint32_t way = length[self->tail[i]] + 1;
            length[vertex] = way > length[vertex] ? way : length[vertex];
        }
    }
    return length[self->vertices - 1];
}

static lotor_status build(plan *it, uint32_t source, uint32_t sink, lotor_message *why,
                          lotor_oracle **out)
{
    const size_t arms = it->arms;
    const size_t vertices = plan_number(it);
    if (vertices == 0) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "no path leads from the source, vertex %lu, to the sink, vertex %lu: edges "
            "go one way, from[i] to to[i]",
            (unsigned long)source, (unsigned long)sink);
    }
    plan_reduce(it);
    path *const self = malloc(sizeof *self + (vertices + 1 + 2 * it->arms) * sizeof *self->room);
    if (!self) {
        return lotor_oracle_no_memory(arms, why);
    }
    self->oracle = (lotor_oracle){
        .id = "path",
        .arms = arms,
        .alpha = 1,
        .beta = 1,
        .work_bytes = vertices * (sizeof(worth) + sizeof(uint32_t)) + arms * sizeof(uint32_t),
        .pick = path_pick,
        .value = path_value,
        .destroy = path_destroy,
    };
    self->vertices = vertices;
    self->start = self->room;
    self->edge = self->start + vertices + 1;
    self->tail = self->edge + it->arms;
    lotor_oracle_group(it->arms, it->to, vertices, self->start, self->edge);
    for (size_t i = 0; i < it->arms; i++) {
        const uint32_t kept = self->edge[i];
        self->tail[i] = it->from[kept];
        self->edge[i] = it->out[kept];
    }
    self->oracle.slots = longest(self, it->before);
    *out = &self->oracle;
    return LOTOR_OK;
}

static lotor_status check(size_t arms, const uint32_t *from, const uint32_t *to, size_t vertices,
                          uint32_t source, uint32_t sink, lotor_message *why)
{
    const lotor_status status = lotor_oracle_check_graph(arms, from, to, vertices, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (source >= vertices || sink >= vertices) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the source is vertex %lu and the sink %lu, but there are %zu vertices: "
                          "number them from 0, below that",
                          (unsigned long)source, (unsigned long)sink, vertices);
    }
    if (source == sink) {
        return lotor_fail(LOTOR_INVALID, why,
                          "source and sink are both vertex %lu, and a path from there to there "
                          "shows nothing: give two vertices",
                          (unsigned long)source);
    }
    return LOTOR_OK;
}

lotor_status lotor_oracle_path(size_t arms, const uint32_t *from, const uint32_t *to,
                               size_t vertices, uint32_t source, uint32_t sink, lotor_message *why,
                               lotor_oracle **out)
{
    *out = NULL;
    lotor_status status = check(arms, from, to, vertices, source, sink, why);
    if (status != LOTOR_OK) {
        return status;
    }
    plan it = {.arms = arms, .room = calloc(plan_room(arms), sizeof *it.room)};
    if (!it.room) {
        return lotor_oracle_no_memory(arms, why);
    }
    status = plan_start(&it, from, to, source, sink, why);
    if (status == LOTOR_OK && plan_sort(&it) < it.vertices) {
        const size_t arm = plan_cycle(&it);
        status = lotor_fail(LOTOR_INVALID, why,
                            "arm %zu, the edge %lu-%lu, is on a cycle: a path oracle needs a "
                            "graph without cycles",
                            arm, (unsigned long)from[arm], (unsigned long)to[arm]);
    }
    if (status == LOTOR_OK) {
        status = build(&it, source, sink, why, out);
    }
    free(it.room);
    return status;
}
