/* coverage.c - picks vertices on the left of a bipartite graph whose edges reach as many vertices
 * on the right as possible: greedy probabilistic maximum coverage (Chen, Wang, Yuan and Wang 2016).
 *
 * For each vertex on the right, the search keeps the probability that no edge of the vertices
 * picked so far reaches it.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "choice/graph.h"
#include "choice/greedy.h"
#include "choice/make.h"

typedef struct coverage {
    lotor_oracle oracle;
    size_t left;     /* how many vertices there are on the left */
    size_t right;    /* how many vertices on the right have an edge; they are renumbered from 0 */
    uint32_t *from;  /* the left end of each arm */
    uint32_t *to;    /* the right end of each arm */
    uint32_t *start; /* vertex v owns the arms edge[start[v]] to edge[start[v + 1] - 1] */
    uint32_t *edge;
    uint32_t room[]; /* the memory of the four arrays */
} coverage;

/* The most vertices on the left: memory is needed for all of them, with and without edges. */
static const size_t LEFT = (size_t)1 << 24;

/* The state of one search, in the caller's work memory. */
typedef struct workspace {
    const coverage *self;
    const double *weights;
    double *missed; /* per vertex on the right: the probability that no picked edge reaches it */
    double *saved; /* the old values of `missed`, for each edge of the vertex that is being tried */
} workspace;

static workspace lay(const coverage *self, const double *weights, void *work, lotor_greedy *greedy)
{
    double *const rest = lotor_greedy_lay(greedy, self->left, self->oracle.seeds, work);
    for (size_t i = 0; i < self->right; i++) {
        rest[i] = 1;
    }
    return (workspace){self, weights, rest, rest + self->right};
}

/* The number that the vertex adds to the expected number of reached vertices. Works edge by edge,
 * because two edges may lead to the same vertex. Without `keep`, `missed` is restored. */
static double add(void *context, uint32_t vertex, bool keep)
{
    const workspace *const here = context;
    const coverage *const self = here->self;
    const uint32_t *const edge = self->edge + self->start[vertex];
    const uint32_t count = self->start[vertex + 1] - self->start[vertex];
    double gain = 0;
    for (uint32_t i = 0; i < count; i++) {
        double *const missed = &here->missed[self->to[edge[i]]];
        const double weight = lotor_oracle_probability(here->weights[edge[i]]);
        here->saved[i] = *missed;
        gain += *missed * weight;
        *missed *= 1 - weight;
    }
    for (uint32_t i = keep ? 0 : count; i-- > 0;) {
        here->missed[self->to[edge[i]]] = here->saved[i];
    }
    assert(gain >= 0);
    return gain;
}

static size_t coverage_pick(const lotor_oracle *oracle, const double *index, const uint32_t *order,
                            void *work, uint32_t *picked)
{
    const coverage *const self = (const coverage *)oracle;
    lotor_greedy greedy;
    workspace here = lay(self, index, work, &greedy);
    size_t count = 0;
    lotor_greedy_pick(&greedy, oracle->seeds, oracle->arms, self->from, order, add, &here);
    for (size_t i = 0; i < oracle->seeds; i++) {
        const uint32_t vertex = greedy.picked[i];
        for (uint32_t j = self->start[vertex]; j < self->start[vertex + 1]; j++) {
            picked[count++] = self->edge[j];
        }
    }
    assert(count <= oracle->slots);
    return count;
}

static double coverage_value(const lotor_oracle *oracle, const double *weights, const uint32_t *set,
                             size_t count, void *work)
{
    const coverage *const self = (const coverage *)oracle;
    lotor_greedy greedy;
    const workspace here = lay(self, weights, work, &greedy);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        here.missed[self->to[set[i]]] *= 1 - lotor_oracle_probability(weights[set[i]]);
    }
    for (size_t i = 0; i < self->right; i++) {
        sum += 1 - here.missed[i];
    }
    assert(sum >= 0 && sum <= (double)self->right);
    return sum;
}

static void coverage_destroy(lotor_oracle *oracle)
{
    free(oracle);
}

static lotor_status check(size_t arms, const uint32_t *from, const uint32_t *to, size_t left,
                          size_t seeds, lotor_message *why)
{
    if (left > LEFT) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%zu vertices on the left are too many: give at most %zu", left, LEFT);
    }
    lotor_status status = lotor_oracle_check_edges(arms, from, to, why);
    for (size_t i = 0; status == LOTOR_OK && i < arms; i++) {
        if (from[i] >= left) {
            status = lotor_fail(LOTOR_INVALID, why,
                                "arm %zu is an edge of vertex %lu, but there are %zu vertices on "
                                "the left: number them from 0, below that",
                                i, (unsigned long)from[i], left);
        }
    }
    return status == LOTOR_OK ? lotor_oracle_check_seeds(seeds, left, why) : status;
}

/* Sets the largest number of arms that one pick can have, and the memory that a pick needs. */
static lotor_status measure(coverage *self, lotor_message *why)
{
    lotor_oracle *const oracle = &self->oracle;
    uint32_t *const degree = calloc(self->left, sizeof *degree);
    if (!degree) {
        return lotor_oracle_no_memory(oracle->arms, why);
    }
    for (size_t i = 0; i < oracle->arms; i++) {
        degree[self->from[i]]++;
    }
    oracle->slots = lotor_oracle_largest(degree, self->left, oracle->seeds);
    oracle->work_bytes = lotor_greedy_bytes(self->left, oracle->seeds) +
                         (self->right + degree[self->left - 1]) * sizeof(double);
    free(degree);
    return LOTOR_OK;
}

lotor_status lotor_oracle_coverage(size_t arms, const uint32_t *from, const uint32_t *to,
                                   size_t left, size_t seeds, lotor_message *why,
                                   lotor_oracle **out)
{
    *out = NULL;
    lotor_status status = check(arms, from, to, left, seeds, why);
    if (status != LOTOR_OK) {
        return status;
    }
    coverage *const self = malloc(sizeof *self + (3 * arms + left + 1) * sizeof *self->room);
    if (!self) {
        return lotor_oracle_no_memory(arms, why);
    }
    self->oracle = (lotor_oracle){
        .id = "coverage",
        .arms = arms,
        .seeds = seeds,
        .alpha = -expm1(-1),
        .beta = 1,
        .pick = coverage_pick,
        .value = coverage_value,
        .destroy = coverage_destroy,
    };
    self->left = left;
    self->from = self->room;
    self->to = self->from + arms;
    self->edge = self->to + arms;
    self->start = self->edge + arms;
    memcpy(self->from, from, arms * sizeof *from);
    memcpy(self->to, to, arms * sizeof *to);
    lotor_oracle_group(arms, from, left, self->start, self->edge);
    status = lotor_oracle_renumber(self->to, arms, &self->right, why);
    if (status == LOTOR_OK) {
        status = measure(self, why);
    }
    if (status != LOTOR_OK) {
        free(self);
        return status;
    }
    *out = &self->oracle;
    return LOTOR_OK;
}
