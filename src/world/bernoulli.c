/* bernoulli.c - independent arms that pay 0 or 1.
 *
 * Drawing one reward is the innermost step of the whole lab. It compares a random word of 63 bits
 * with the arm's mean in units of 2^-63. The mean 1 is 2^63, above every word. A mean of at least
 * 2^-10 is a whole number of units; a smaller mean is rounded down by less than one unit. Many
 * rounds of one arm are one binomial draw.
 */
#include <stdlib.h>
#include <string.h>

#include "base/random/laws.h"
#include "world/bernoulli.h"
#include "world/world.h"

typedef struct bernoulli {
    lotor_world world; /* must be first: a lotor_world * is cast to the whole struct */
    double *means;
    int64_t *vectors;
    uint32_t *from, *to;
    uint64_t thresholds[]; /* mean * 2^63 */
} bernoulli;

static __attribute__((noinline)) void draw_block(const lotor_world *world,
                                                 lotor_generator *generator, const uint32_t *arms,
                                                 size_t count, uint64_t rounds, double *sums)
{
    for (size_t i = 0; i < count; i++) {
        sums[i] = (double)lotor_random_binomial(generator, rounds, world->means[arms[i]]);
    }
}

static __attribute__((noinline)) void draw_round(const uint64_t *thresholds,
                                                 lotor_generator *generator, const uint32_t *arms,
                                                 size_t count, double *sums)
{
    lotor_generator local = *generator; /* a copy, so that the loop keeps it in registers */
    for (size_t i = 0; i < count; i++) {
        sums[i] = lotor_bernoulli_reward(&local, thresholds[arms[i]]);
    }
    *generator = local;
}

/* draw_block is a separate function, so that this one, for a single arm, saves no registers. */
static void draw(const lotor_world *world, lotor_generator *generator, const uint32_t *arms,
                 size_t count, uint64_t rounds, double *sums)
{
    const uint64_t *const thresholds = ((const bernoulli *)world)->thresholds;
    if (rounds != 1) {
        draw_block(world, generator, arms, count, rounds, sums);
    } else if (count == 1) {
        sums[0] = lotor_bernoulli_reward(generator, thresholds[arms[0]]);
    } else {
        draw_round(thresholds, generator, arms, count, sums);
    }
}

const uint64_t *lotor_bernoulli_thresholds(const lotor_world *world)
{
    return world->draw == draw ? ((const bernoulli *)world)->thresholds : NULL;
}

static void destroy(lotor_world *world)
{
    bernoulli *self = (bernoulli *)world;
    free(self->means);
    free(self->vectors);
    free(self->from);
    free(self->to);
    free(self);
}

static lotor_status with_means(const lotor_world *world, const double *means, lotor_message *why,
                               lotor_world **out)
{
    return lotor_world_bernoulli(world->arms, means, why, out);
}

static lotor_status make(size_t arms, const double *means, lotor_message *why, bernoulli **out)
{
    *out = NULL;
    const lotor_status status = lotor_world_check_means(arms, means, why);
    if (status != LOTOR_OK) {
        return status;
    }
    bernoulli *self = calloc(1, sizeof *self + arms * sizeof *self->thresholds);
    if (!self) {
        return lotor_world_out_of_memory(why);
    }
    self->means = malloc(arms * sizeof *self->means);
    if (!self->means) {
        destroy(&self->world);
        return lotor_world_out_of_memory(why);
    }
    for (size_t i = 0; i < arms; i++) {
        self->means[i] = means[i];
        self->thresholds[i] = (uint64_t)(means[i] * 0x1p63);
    }
    self->world = (lotor_world){
        .id = "bernoulli",
        .arms = arms,
        .means = self->means,
        .is_binary = true,
        .draw = draw,
        .destroy = destroy,
        .with_means = with_means,
    };
    *out = self;
    return LOTOR_OK;
}

lotor_status lotor_world_bernoulli(size_t arms, const double *means, lotor_message *why,
                                   lotor_world **out)
{
    bernoulli *self;
    const lotor_status status = make(arms, means, why, &self);
    *out = self ? &self->world : NULL;
    return status;
}

lotor_status lotor_world_bernoulli_vectors(size_t arms, const double *means, const int64_t *vectors,
                                           size_t dimension, lotor_message *why, lotor_world **out)
{
    bernoulli *self;
    *out = NULL;
    const lotor_status status = make(arms, means, why, &self);
    if (status != LOTOR_OK) {
        return status;
    }
    self->vectors = calloc(arms * dimension, sizeof *vectors);
    if (!self->vectors) {
        destroy(&self->world);
        return lotor_world_out_of_memory(why);
    }
    memcpy(self->vectors, vectors, arms * dimension * sizeof *vectors);
    self->world.vectors = self->vectors;
    self->world.dimension = dimension;
    *out = &self->world;
    return LOTOR_OK;
}

lotor_status lotor_world_bernoulli_graph(size_t arms, const double *means, const lotor_edges *graph,
                                         lotor_message *why, lotor_world **out)
{
    bernoulli *self;
    *out = NULL;
    const lotor_status status = make(arms, means, why, &self);
    if (status != LOTOR_OK) {
        return status;
    }
    self->from = malloc(arms * sizeof *self->from);
    self->to = malloc(arms * sizeof *self->to);
    if (!self->from || !self->to) {
        destroy(&self->world);
        return lotor_world_out_of_memory(why);
    }
    memcpy(self->from, graph->from, arms * sizeof *self->from);
    memcpy(self->to, graph->to, arms * sizeof *self->to);
    self->world.from = self->from;
    self->world.to = self->to;
    self->world.vertices = graph->vertices;
    self->world.is_bipartite = graph->is_bipartite;
    *out = &self->world;
    return LOTOR_OK;
}
