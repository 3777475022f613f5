/* clipped.c - independent arms whose rewards are clipped to [0,1]: Gaussian, or Pareto.
 *
 * A reward x below 0 is paid as 0, and a reward above 1 as 1. Clipping moves the mean. So an arm has
 * two means: `targets`, the mean that the caller gave, which is that of x; and `means`, the mean of
 * what is paid, which defines regret. Both laws have it in closed form, because
 *
 *      E clip(x) = integral from 0 to 1 of P(x > v) dv.
 *
 * Gaussian of mean m and standard deviation s: P(x > v) = Phi((m - v)/s), so the mean is
 * s (G(m/s) - G((m - 1)/s)) with G(z) = z Phi(z) + phi(z), whose derivative is Phi.
 *
 * Pareto of mean m and shape a > 1: P(x > v) = (l/v)^a from the least value l = m (a - 1)/a on, so
 * the mean is m - l^a/(a - 1). Nothing is below 0. The variance of x is infinite if a is at most 2.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/message.h"
#include "base/random/laws.h"
#include "world/world.h"

typedef struct clipped {
    lotor_world world; /* must be first: a lotor_world * is cast to the whole struct */
    double parameter;  /* Gaussian: the standard deviation; Pareto: the shape */
    double *means;     /* of what is paid; points into `targets` */
    double targets[];  /* means before clipping, then those after it */
} clipped;

static double clip(double reward)
{
    return reward > 0 ? fmin(reward, 1.0) : 0.0;
}

/* --- Gaussian ----------------------------------------------------------------------------------- */

/* P(a standard normal number < z). */
static double normal_below(double z)
{
    return 0.5 * erfc(-z * M_SQRT1_2);
}

/* The integral of normal_below from minus infinity to z. */
static double normal_area(double z)
{
    const double density = exp(-0.5 * z * z) * M_SQRT1_2 * 0.5 * M_2_SQRTPI;
    return z * normal_below(z) + density;
}

static double gaussian_mean(double mean, double deviation)
{
    return deviation * (normal_area(mean / deviation) - normal_area((mean - 1.0) / deviation));
}

static double gaussian_share(double mean, double deviation)
{
    return normal_below(-mean / deviation) + normal_below((mean - 1.0) / deviation);
}

static void gaussian_draw(const lotor_world *world, lotor_generator *generator,
                          const uint32_t *arms, size_t count, uint64_t rounds, double *sums)
{
    const clipped *self = (const clipped *)world;
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (uint64_t round = 0; round < rounds; round++) {
            sum +=
                clip(self->targets[arms[i]] + self->parameter * lotor_random_gaussian(generator));
        }
        sums[i] = sum;
    }
}

/* --- Pareto ------------------------------------------------------------------------------------- */

static double pareto_least(double mean, double shape)
{
    return mean * (1.0 - 1.0 / shape);
}

static double pareto_share(double mean, double shape)
{
    return pow(pareto_least(mean, shape), shape);
}

static double pareto_mean(double mean, double shape)
{
    return mean - pareto_share(mean, shape) / (shape - 1.0);
}

static void pareto_draw(const lotor_world *world, lotor_generator *generator, const uint32_t *arms,
                        size_t count, uint64_t rounds, double *sums)
{
    const clipped *self = (const clipped *)world;
    for (size_t i = 0; i < count; i++) {
        const double least = pareto_least(self->targets[arms[i]], self->parameter);
        double sum = 0;
        for (uint64_t round = 0; round < rounds; round++) {
            sum += clip(least * pow(lotor_random_uniform(generator), -1.0 / self->parameter));
        }
        sums[i] = sum;
    }
}

/* --- both --------------------------------------------------------------------------------------- */

typedef struct law {
    const char *id;
    void (*draw)(const lotor_world *world, lotor_generator *generator, const uint32_t *arms,
                 size_t count, uint64_t rounds, double *sums);
    double (*mean)(double target, double parameter);  /* of the clipped rewards */
    double (*share)(double target, double parameter); /* of rewards that are clipped */
    lotor_status (*make)(size_t arms, const double *means, double parameter, lotor_message *why,
                         lotor_world **out);
} law;

static const law laws[] = {
    {"gaussian", gaussian_draw, gaussian_mean, gaussian_share, lotor_world_gaussian},
    {"pareto", pareto_draw, pareto_mean, pareto_share, lotor_world_pareto},
};
enum { GAUSSIAN, PARETO };

static void destroy(lotor_world *world)
{
    free(world);
}

static lotor_status with_means(const lotor_world *world, const double *means, lotor_message *why,
                               lotor_world **out)
{
    const clipped *self = (const clipped *)world;
    const law *mine = world->draw == gaussian_draw ? &laws[GAUSSIAN] : &laws[PARETO];
    return mine->make(world->arms, means, self->parameter, why, out);
}

static lotor_status make(const law *kind, size_t arms, const double *means, double parameter,
                         lotor_message *why, lotor_world **out)
{
    const lotor_status status = lotor_world_check_means(arms, means, why);
    if (status != LOTOR_OK) {
        return status;
    }
    clipped *self = malloc(sizeof *self + 2 * arms * sizeof *self->targets);
    if (!self) {
        return lotor_world_out_of_memory(why);
    }
    memcpy(self->targets, means, arms * sizeof *means);
    self->means = self->targets + arms;
    self->parameter = parameter;
    self->world = (lotor_world){
        .id = kind->id,
        .arms = arms,
        .means = self->means,
        .targets = self->targets,
        .draw = kind->draw,
        .destroy = destroy,
        .with_means = with_means,
    };
    for (size_t i = 0; i < arms; i++) {
        self->means[i] = clip(kind->mean(means[i], parameter)); /* rounding could leave [0,1] */
        self->world.clipped = fmax(self->world.clipped, kind->share(means[i], parameter));
    }
    assert(self->world.clipped >= 0 && self->world.clipped <= 1);
    *out = &self->world;
    return LOTOR_OK;
}

lotor_status lotor_world_gaussian(size_t arms, const double *means, double deviation,
                                  lotor_message *why, lotor_world **out)
{
    *out = NULL;
    if (!(deviation >= LOTOR_WORLD_DEVIATION_LEAST && deviation <= 1)) {
        char digits[LOTOR_DIGITS_ROOM];
        return lotor_fail(LOTOR_RANGE, why,
                          "the standard deviation of a Gaussian arm is between %g and 1, not %s",
                          LOTOR_WORLD_DEVIATION_LEAST, lotor_digits(deviation, digits));
    }
    return make(&laws[GAUSSIAN], arms, means, deviation, why, out);
}

lotor_status lotor_world_pareto(size_t arms, const double *means, double shape, lotor_message *why,
                                lotor_world **out)
{
    *out = NULL;
    if (!(shape >= LOTOR_WORLD_SHAPE_LEAST && shape <= LOTOR_WORLD_SHAPE_MOST)) {
        char digits[LOTOR_DIGITS_ROOM];
        return lotor_fail(LOTOR_RANGE, why,
                          "the shape of a Pareto arm is between %g and %g, not %s: from 1 on down "
                          "it has no mean",
                          LOTOR_WORLD_SHAPE_LEAST, LOTOR_WORLD_SHAPE_MOST,
                          lotor_digits(shape, digits));
    }
    return make(&laws[PARETO], arms, means, shape, why, out);
}
