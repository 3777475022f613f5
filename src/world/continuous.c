/* continuous.c - independent arms with rewards in [0,1]: Beta, or uniform around the mean.
 *
 * A Beta arm of mean m and concentration c has parameters cm and c(1 - m). A uniform arm pays
 * m + h(2u - 1) with h = min(m, 1 - m), the widest interval around m inside [0,1]. At the means 0
 * and 1 both always pay the mean.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/message.h"
#include "base/random/laws.h"
#include "world/world.h"

typedef struct continuous {
    lotor_world world; /* must be first: a lotor_world * is cast to the whole struct */
    double concentration;
    double means[];
} continuous;

static double beta_reward(lotor_generator *generator, double mean, double concentration)
{
    const double a = concentration * mean;
    const double b = concentration * (1 - mean);

    /* If the mean is 0 or 1, or a product is too small for a double, return the more likely end. */
    if (!(a > 0) || !(b > 0)) {
        return a < b ? 0 : 1;
    }
    return lotor_random_beta(generator, a, b);
}

static void beta_draw(const lotor_world *world, lotor_generator *generator, const uint32_t *arms,
                      size_t count, uint64_t rounds, double *sums)
{
    const continuous *self = (const continuous *)world;
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (uint64_t round = 0; round < rounds; round++) {
            sum += beta_reward(generator, self->means[arms[i]], self->concentration);
        }
        sums[i] = sum;
    }
}

static void uniform_draw(const lotor_world *world, lotor_generator *generator, const uint32_t *arms,
                         size_t count, uint64_t rounds, double *sums)
{
    const continuous *self = (const continuous *)world;
    for (size_t i = 0; i < count; i++) {
        const double mean = self->means[arms[i]];
        const double half = mean < 0.5 ? mean : 1 - mean;
        double sum = 0;
        for (uint64_t round = 0; round < rounds; round++) {
            sum += mean + half * (2 * lotor_random_uniform(generator) - 1);
        }
        sums[i] = sum;
    }
}

static void destroy(lotor_world *world)
{
    free(world);
}

static lotor_status with_means(const lotor_world *world, const double *means, lotor_message *why,
                               lotor_world **out)
{
    return strcmp(world->id, "beta") == 0
               ? lotor_world_beta(world->arms, means, ((const continuous *)world)->concentration,
                                  why, out)
               : lotor_world_uniform(world->arms, means, why, out);
}

static lotor_status make(lotor_world kind, const double *means, double concentration,
                         lotor_message *why, lotor_world **out)
{
    const lotor_status status = lotor_world_check_means(kind.arms, means, why);
    if (status != LOTOR_OK) {
        return status;
    }
    continuous *self = malloc(sizeof *self + kind.arms * sizeof *self->means);
    if (!self) {
        return lotor_world_out_of_memory(why);
    }
    memcpy(self->means, means, kind.arms * sizeof *means);
    self->concentration = concentration;
    self->world = kind;
    self->world.means = self->means;
    self->world.destroy = destroy;
    self->world.with_means = with_means;
    *out = &self->world;
    return LOTOR_OK;
}

lotor_status lotor_world_beta(size_t arms, const double *means, double concentration,
                              lotor_message *why, lotor_world **out)
{
    *out = NULL;
    if (!(concentration > 0) || isinf(concentration)) {
        char digits[LOTOR_DIGITS_ROOM];
        return lotor_fail(LOTOR_RANGE, why,
                          "the concentration a + b of a Beta arm is above 0 and finite, not %s",
                          lotor_digits(concentration, digits));
    }
    return make((lotor_world){.id = "beta", .arms = arms, .draw = beta_draw}, means, concentration,
                why, out);
}

lotor_status lotor_world_uniform(size_t arms, const double *means, lotor_message *why,
                                 lotor_world **out)
{
    *out = NULL;
    return make((lotor_world){.id = "uniform", .arms = arms, .draw = uniform_draw}, means, 0, why,
                out);
}
