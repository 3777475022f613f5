/* influence.c - picks the vertices from which activation spreads furthest: greedy influence
 * maximisation under independent cascades (Kempe, Kleinberg and Tardos 2003).
 *
 * An edge passes activation on with a probability that is its weight, and this is drawn once per
 * cascade. So the expected spread is an average over random graphs, in which each edge exists with
 * its weight as probability: the average number of vertices that the seeds reach. The oracle
 * averages over `samples` such graphs. It draws a random number per edge and graph when it is made;
 * the edge exists in that graph when the number is below its weight. The number of vertices reached
 * in given graphs is submodular, so greedy reaches at least 1 - 1/e of the best average.
 *
 * 64 graphs are processed together, as the bits of one word. These 64 graphs are called a block.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/random/generator.h"
#include "choice/graph.h"
#include "choice/greedy.h"
#include "choice/make.h"

enum { BLOCK = 64 };

typedef struct influence {
    lotor_oracle oracle;
    size_t vertices;
    size_t samples; /* how many random graphs there are */
    size_t blocks;  /* samples / BLOCK, rounded up */
    uint32_t *from; /* the ends of each arm */
    uint32_t *to;
    uint32_t *start; /* the arms out of vertex v are edge[start[v]] to edge[start[v + 1] - 1] */
    uint32_t *edge;
    uint32_t *number; /* the random numbers: block by block, BLOCK numbers for each arm */
    uint32_t room[];  /* the memory of the five arrays */
} influence;

/* The largest samples * (edges + vertices): half a gigabyte of random numbers. */
static const size_t NUMBERS = (size_t)1 << 27;

/* How many steps the constructor spends at most to count the edges that each vertex can reach. */
static const size_t STEPS = (size_t)1 << 26;

/* The state of one search, in the caller's work memory. */
typedef struct workspace {
    const influence *self;
    lotor_greedy greedy;
    uint64_t *live;    /* arms * blocks: the graphs in which the edge exists */
    uint64_t *active;  /* vertices * blocks: the graphs in which the kept vertices reach it */
    uint64_t *reached; /* of one block: the graphs in which the evaluated vertex reaches it */
    uint64_t *fresh;   /* the part of `reached` that was not passed on yet */
    uint32_t *touched; /* the vertices with `reached` not 0; between evaluations all are 0 */
    uint32_t *waiting; /* the vertices with `fresh` not 0 */
} workspace;

static size_t work_bytes(const influence *self)
{
    const size_t words = (self->oracle.arms + self->vertices) * self->blocks + 2 * self->vertices;
    return lotor_greedy_bytes(self->vertices, self->oracle.seeds) + words * sizeof(uint64_t) +
           2 * self->vertices * sizeof(uint32_t);
}

static workspace lay(const influence *self, void *work)
{
    workspace here = {.self = self};
    here.live = lotor_greedy_lay(&here.greedy, self->vertices, self->oracle.seeds, work);
    here.active = here.live + self->oracle.arms * self->blocks;
    here.reached = here.active + self->vertices * self->blocks;
    here.fresh = here.reached + self->vertices;
    here.touched = (void *)(here.fresh + self->vertices);
    here.waiting = here.touched + self->vertices;
    memset(here.active, 0, self->vertices * self->blocks * sizeof *here.active);
    memset(here.reached, 0, 2 * self->vertices * sizeof *here.reached);
    return here;
}

/* Finds out in which graphs each edge exists at these weights. */
static void draw(const workspace *here, const double *weights)
{
    const influence *const self = here->self;
    const size_t arms = self->oracle.arms;
    for (size_t arm = 0; arm < arms; arm++) {
        const uint64_t limit = (uint64_t)ceil(lotor_oracle_probability(weights[arm]) * 0x1p32);
        for (size_t block = 0; block < self->blocks; block++) {
            const uint32_t *const number = self->number + (block * arms + arm) * BLOCK;
            uint64_t live = 0;
            for (size_t i = 0; i < BLOCK; i++) {
                live |= (uint64_t)(number[i] < limit) << i;
            }
            here->live[block * arms + arm] = live;
        }
    }
}

/* The graphs of the block, as bits. The last block may have fewer than 64. */
static uint64_t graphs(const influence *self, size_t block)
{
    assert(block * BLOCK < self->samples);
    const size_t left = self->samples - block * BLOCK;
    return left >= BLOCK ? UINT64_MAX : (UINT64_C(1) << left) - 1;
}

/* Follows existing edges from the vertex to vertices that are not active yet. Fills `reached` and
 * `touched`, and returns how many vertices are touched. */
static size_t spread(const workspace *here, size_t block, uint32_t vertex)
{
    const influence *const self = here->self;
    const uint64_t *const live = here->live + block * self->oracle.arms;
    const uint64_t *const active = here->active + block * self->vertices;
    const uint64_t first = graphs(self, block) & ~active[vertex];
    size_t touched = 0;
    size_t waiting = 0;
    if (first) {
        here->reached[vertex] = here->fresh[vertex] = first;
        here->touched[touched++] = here->waiting[waiting++] = vertex;
    }
    while (waiting > 0) {
        const uint32_t from = here->waiting[--waiting];
        const uint64_t fresh = here->fresh[from];
        here->fresh[from] = 0;
        for (uint32_t i = self->start[from]; i < self->start[from + 1]; i++) {
            const uint32_t arm = self->edge[i];
            const uint32_t to = self->to[arm];
            const uint64_t more = fresh & live[arm] & ~active[to] & ~here->reached[to];
            if (!more) {
                continue;
            }
            if (!here->reached[to]) {
                here->touched[touched++] = to;
            }
            if (!here->fresh[to]) {
                here->waiting[waiting++] = to;
            }
            here->reached[to] |= more;
            here->fresh[to] |= more;
        }
    }
    assert(touched <= self->vertices);
    return touched;
}

/* In how many more (vertex, graph) pairs the vertex is reached if this vertex is added: a whole
 * number. */
static double add(void *context, uint32_t vertex, bool keep)
{
    const workspace *const here = context;
    const influence *const self = here->self;
    uint64_t sum = 0;
    for (size_t block = 0; block < self->blocks; block++) {
        const size_t touched = spread(here, block, vertex);
        for (size_t i = 0; i < touched; i++) {
            const uint32_t at = here->touched[i];
            sum += (uint64_t)__builtin_popcountll(here->reached[at]);
            here->active[block * self->vertices + at] |= keep ? here->reached[at] : 0;
            here->reached[at] = 0;
        }
    }
    return (double)sum;
}

/* Writes the edges that can be reached from the vertex if all edges exist, without the edges that
 * an earlier call wrote. `picked` may be NULL. Marks the visited vertices in `reached`. Returns the
 * number of edges. */
static size_t follow(const workspace *here, uint32_t vertex, uint32_t *picked)
{
    const influence *const self = here->self;
    size_t count = 0;
    size_t waiting = 0;
    if (!here->reached[vertex]) {
        here->reached[vertex] = 1;
        here->waiting[waiting++] = vertex;
    }
    while (waiting > 0) {
        const uint32_t from = here->waiting[--waiting];
        for (uint32_t i = self->start[from]; i < self->start[from + 1]; i++) {
            const uint32_t arm = self->edge[i];
            const uint32_t to = self->to[arm];
            if (picked) {
                picked[count] = arm;
            }
            count++;
            if (!here->reached[to]) {
                here->reached[to] = 1;
                here->waiting[waiting++] = to;
            }
        }
    }
    return count;
}

static size_t influence_pick(const lotor_oracle *oracle, const double *index, const uint32_t *order,
                             void *work, uint32_t *picked)
{
    const influence *const self = (const influence *)oracle;
    workspace here = lay(self, work);
    size_t count = 0;
    draw(&here, index);
    lotor_greedy_pick(&here.greedy, oracle->seeds, oracle->arms, self->from, order, add, &here);
    for (size_t i = 0; i < oracle->seeds; i++) {
        count += follow(&here, here.greedy.picked[i], picked + count);
    }
    assert(count <= oracle->slots);
    return count;
}

/* The seeds cannot be found from the set. The seeds of the latest pick are still in the work
 * memory. */
static double influence_value(const lotor_oracle *oracle, const double *weights,
                              const uint32_t *set, size_t count, void *work)
{
    const influence *const self = (const influence *)oracle;
    workspace here = lay(self, work);
    double sum = 0;
    (void)set;
    (void)count;
    draw(&here, weights);
    for (size_t i = 0; i < oracle->seeds; i++) {
        sum += add(&here, here.greedy.picked[i], true);
    }
    return sum / (double)self->samples;
}

static void influence_destroy(lotor_oracle *oracle)
{
    free(oracle);
}

static lotor_status check(size_t arms, const uint32_t *from, const uint32_t *to, size_t vertices,
                          size_t seeds, size_t samples, lotor_message *why)
{
    lotor_status status = lotor_oracle_check_graph(arms, from, to, vertices, why);
    if (status == LOTOR_OK) {
        status = lotor_oracle_check_seeds(seeds, vertices, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    if (samples == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "0 samples say nothing about the spread: give at least 1");
    }
    const size_t most = vertices > NUMBERS ? 0 : NUMBERS / (arms + vertices) / BLOCK * BLOCK;
    if (most == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a graph of %zu edges and %zu vertices is too large: give at most %zu "
                          "in all",
                          arms, vertices, NUMBERS / BLOCK);
    }
    if (samples > most) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%zu samples of %zu edges and %zu vertices are too many: give at most "
                          "%zu samples",
                          samples, arms, vertices, most);
    }
    return LOTOR_OK;
}

/* Sets the largest number of arms that one pick can have. This is the number of edges, or less:
 * take for each vertex the number of edges that it can reach, and sum the `seeds` largest of these
 * numbers. The exact maximum over sets of seeds would be hard to compute. */
static lotor_status measure(influence *self, lotor_message *why)
{
    lotor_oracle *const oracle = &self->oracle;
    oracle->slots = oracle->arms;
    if (self->vertices > STEPS / (oracle->arms + self->vertices)) {
        return LOTOR_OK;
    }
    uint32_t *const counts = calloc(self->vertices, sizeof *counts);
    void *const work = malloc(oracle->work_bytes);
    if (!counts || !work) {
        free(counts);
        free(work);
        return lotor_oracle_no_memory(oracle->arms, why);
    }
    const workspace here = lay(self, work);
    for (size_t i = 0; i < self->vertices; i++) {
        counts[i] = (uint32_t)follow(&here, (uint32_t)i, NULL);
        memset(here.reached, 0, self->vertices * sizeof *here.reached);
    }
    const size_t most = lotor_oracle_largest(counts, self->vertices, oracle->seeds);
    oracle->slots = most < oracle->arms ? most : oracle->arms;
    free(counts);
    free(work);
    return LOTOR_OK;
}

/* Copies the graph, groups its edges by vertex, and draws the random numbers. */
static void fill(influence *self, const uint32_t *from, const uint32_t *to)
{
    const size_t arms = self->oracle.arms;
    const size_t numbers = self->blocks * BLOCK * arms; /* even, as BLOCK is */
    lotor_generator generator;
    self->from = self->room;
    self->to = self->from + arms;
    self->edge = self->to + arms;
    self->start = self->edge + arms;
    self->number = self->start + self->vertices + 1;
    memcpy(self->from, from, arms * sizeof *from);
    memcpy(self->to, to, arms * sizeof *to);
    lotor_oracle_group(arms, from, self->vertices, self->start, self->edge);
    lotor_generator_seed(&generator, UINT64_C(0x6c6f746f72)); /* every oracle has the same graphs */
    for (size_t i = 0; i < numbers; i += 2) {
        const uint64_t word = lotor_generator_word(&generator);
        self->number[i] = (uint32_t)word;
        self->number[i + 1] = (uint32_t)(word >> 32);
    }
}

lotor_status lotor_oracle_influence(size_t arms, const uint32_t *from, const uint32_t *to,
                                    size_t vertices, size_t seeds, size_t samples,
                                    lotor_message *why, lotor_oracle **out)
{
    *out = NULL;
    lotor_status status = check(arms, from, to, vertices, seeds, samples, why);
    if (status != LOTOR_OK) {
        return status;
    }
    const size_t blocks = (samples + BLOCK - 1) / BLOCK;
    influence *const self = malloc(
        sizeof *self + (3 * arms + vertices + 1 + blocks * BLOCK * arms) * sizeof *self->room);
    if (!self) {
        return lotor_oracle_no_memory(arms, why);
    }
    self->oracle = (lotor_oracle){
        .id = "influence",
        .arms = arms,
        .seeds = seeds,
        .alpha = -expm1(-1),
        .beta = 1,
        .pick = influence_pick,
        .value = influence_value,
        .destroy = influence_destroy,
    };
    self->vertices = vertices;
    self->samples = samples;
    self->blocks = blocks;
    self->oracle.work_bytes = work_bytes(self);
    fill(self, from, to);
    status = measure(self, why);
    if (status != LOTOR_OK) {
        free(self);
        return status;
    }
    *out = &self->oracle;
    return LOTOR_OK;
}
