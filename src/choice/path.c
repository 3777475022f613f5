/* path.c - picks the cheapest path through a directed graph without cycles.
 *
 * The constructor keeps only edges that are on some path from the source to the sink. It numbers
 * the vertices on them so that every edge leads to a higher number: the source is 0, the sink is
 * last. A pick then needs one pass: the best path to a vertex follows from the best paths to the
 * vertices before it.
 *
 *      source 0 ──→ 1 ──→ 3 sink       edges by head:  1: 0→1   2: 0→2   3: 1→3, 2→3
 *             └───→ 2 ────┘
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "choice/graph.h"
#include "choice/make.h"

typedef struct path {
    lotor_oracle oracle;
    size_t vertices;
    uint32_t *start; /* the edges into vertex v have the places start[v] to start[v + 1] - 1 */
    uint32_t *edge;  /* by place: the arm */
    uint32_t *tail;  /* by place: the vertex where the edge begins */
    uint32_t room[]; /* the memory of the three arrays */
} path;

/* The worth of a path, the most important field first. Infinite weights are counted, because in a
 * sum they would hide the finite weights or give NaN. */
typedef struct path_weight {
    uint32_t infinite; /* how many weights are INFINITY */
    uint32_t lowest;   /* how many are -INFINITY or NaN */
    double sum;        /* the sum of (weight - 1) over the finite weights */
} path_weight;

/* The worth of a path with one more edge. */
static inline path_weight extend(path_weight way, double weight)
{
    way.infinite += weight == INFINITY;
    way.lowest += !(weight > -INFINITY);
    way.sum += isfinite(weight) ? weight - 1 : 0;
    return way;
}

/* Above 0 if `a` is worth more, below 0 if `b` is. */
static inline int compare(const path_weight *a, const path_weight *b)
{
    if (a->infinite != b->infinite) {
        return a->infinite > b->infinite ? 1 : -1;
    }
    if (a->lowest != b->lowest) {
        return a->lowest < b->lowest ? 1 : -1;
    }
    return (a->sum > b->sum) - (a->sum < b->sum);
}

/* Among paths of the same worth, the path wins whose last edge comes first in `order`. There, arms
 * with equal indices are in random order. */
static size_t path_pick(const lotor_oracle *oracle, const double *index, const uint32_t *order,
                        void *work, uint32_t *picked)
{
    const path *const self = (const path *)oracle;
    path_weight *const best = work; /* per vertex: the worth of the best path to it */
    uint32_t *const via = (uint32_t *)(void *)(best + self->vertices); /* per vertex: last edge */
    uint32_t *const place = via + self->vertices; /* per arm: its place in the order */
    for (size_t i = 0; i < oracle->arms; i++) {
        place[order[i]] = (uint32_t)i;
    }
    best[0] = (path_weight){0};
    for (size_t vertex = 1; vertex < self->vertices; vertex++) {
        for (uint32_t i = self->start[vertex]; i < self->start[vertex + 1]; i++) {
            const uint32_t arm = self->edge[i];
            const path_weight way = extend(best[self->tail[i]], index[arm]);
            const int more = i == self->start[vertex] ? 1 : compare(&way, &best[vertex]);
            if (more > 0 || (more == 0 && place[arm] < place[self->edge[via[vertex]]])) {
                best[vertex] = way;
                via[vertex] = i;
            }
        }
    }
    size_t count = 0; /* the path is read from the sink back to the source, then reversed */
    for (size_t vertex = self->vertices - 1; vertex > 0; vertex = self->tail[via[vertex]]) {
        assert(count < oracle->slots && self->tail[via[vertex]] < vertex);
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

/* The caller's graph, while the oracle is being made. */
typedef struct plan {
    size_t arms;
    size_t vertices; /* the vertices with an edge, the source and the sink; renumbered from 0 */
    uint32_t source;
    uint32_t sink;
    uint32_t *from;
    uint32_t *to;
    uint32_t *start;  /* the edges out of vertex v are out[start[v]] to out[start[v + 1] - 1] */
    uint32_t *out;    /* after plan_reduce: the arm of each edge that was kept */
    uint32_t *before; /* per vertex: how many edges into it come from vertices not sorted yet */
    uint32_t *sorted; /* the vertices, sorted so that edges go from earlier to later ones */
    uint32_t *number; /* per vertex: its number from 1 if it is on a path, else 0 */
    uint32_t *room;   /* the memory of all these arrays */
} plan;

/* How many uint32_t `room` has. */
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
    it->from = it->room; /* `to`, source and sink follow: all are renumbered together */
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

/* Sorts the vertices (Kahn 1962): a vertex follows when all edges into it come from sorted
 * vertices. Returns how many vertices could be sorted: fewer than all if there is a cycle. */
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
    assert(sorted <= it->vertices);
    return sorted;
}

/* Finds an edge on a cycle if not all vertices could be sorted. Each unsorted vertex has an edge
 * from another unsorted vertex. Walking back along such edges must end in a cycle. */
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

/* Numbers the vertices that are on a path from source to sink, in sorted order. Returns how
 * many. */
static uint32_t plan_number(plan *it)
{
    uint32_t *const reached = it->number;
    uint32_t *const leads = it->before; /* 1 if a path leads from the vertex to the sink */
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

/* Keeps only edges on paths, with their ends numbered from 0. `out` records the arm of each kept
 * edge. */
static void plan_reduce(plan *it)
{
    size_t kept = 0;
    for (size_t i = 0; i < it->arms; i++) {
        const uint32_t from = it->number[it->from[i]];
        const uint32_t to = it->number[it->to[i]];
        if (from > 0 && to > 0) {
            assert(from < to);
            it->from[kept] = from - 1;
            it->to[kept] = to - 1;
            it->out[kept++] = (uint32_t)i;
        }
    }
    it->arms = kept;
}

/* The largest number of edges on a path. */
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
        .work_bytes = vertices * (sizeof(path_weight) + sizeof(uint32_t)) + arms * sizeof(uint32_t),
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
