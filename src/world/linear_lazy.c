/* linear_lazy.c - draws a round of the world with a gap in parts: see linear_lazy.h. */
#include "world/linear_lazy.h"

#include <assert.h>
#include <math.h>

#include "world/points.h"

bool lotor_lazy_world_fits(const lotor_linear_world *world)
{
    return world->has_gap && world->dimension >= LOTOR_LAZY_LEAST &&
           world->dimension <= LOTOR_LAZY_MOST;
}

/* (1 - mean^2)^((d - 3)/2). Powers of halves are products and a root: the same on every machine. */
static INLINE double density(size_t dimension, double mean)
{
    const double square = 1 - mean * mean;
    double product = dimension % 2 ? 1 : sqrt(square);
    for (size_t i = 4 - dimension % 2; i < dimension; i += 2) {
        product *= square;
    }
    return product;
}

/* The integral of the density over a bin, by Gauss and Legendre's rule with five points. It is
 * exact for polynomials up to degree 9; for the roots of even dimensions it has 15 digits. */
static double mass_of(size_t dimension, double low, double width)
{
    static const double nodes[] = {0, 0.53846931010568309104, 0.90617984593866399280};
    static const double weights[] = {0.56888888888888888889, 0.47862867049936646804,
                                     0.23692688505618908751};
    const double half = width / 2, middle = low + half;
    double sum = weights[0] * density(dimension, middle);
    for (size_t i = 1; i < 3; i++) {
        sum += weights[i] * (density(dimension, middle - half * nodes[i]) +
                             density(dimension, middle + half * nodes[i]));
    }
    return sum * half;
}

/* Reflects e_1 to theta or to -theta: to the one that is farther away, to have no cancellation. */
static void make_mirror(lotor_lazy_world *lazy)
{
    const size_t d = lazy->dimension;
    lazy->sign = lazy->theta[0] > 0 ? -1 : 1;
    for (size_t i = 0; i < d; i++) {
        lazy->mirror[i] = (i == 0) - lazy->sign * lazy->theta[i];
    }
    const double length = sqrt(dot(d, lazy->mirror, lazy->mirror));
    for (size_t i = 0; i < d; i++) {
        lazy->mirror[i] /= length;
    }
}

void lotor_lazy_world_make(const lotor_linear_world *world, const double *theta,
                           lotor_lazy_world *out)
{
    assert(lotor_lazy_world_fits(world));
    const size_t d = world->dimension;
    *out = (lotor_lazy_world){.dimension = d,
                              .others = world->actions - 1,
                              .highest = LOTOR_LINEAR_BEST_MEAN - world->gap,
                              .shrink = 2 * shrink_of(d) - 1}; /* one more rounding */
    memcpy(out->theta, theta, d * sizeof *theta);
    make_mirror(out);
    out->bin = (out->highest - LOTOR_LINEAR_LOWEST_MEAN) / (double)LOTOR_LAZY_BINS;
    for (size_t i = 0; i < LOTOR_LAZY_BINS; i++) {
        const double low = LOTOR_LINEAR_LOWEST_MEAN + (double)i * out->bin;
        out->below[i + 1] = out->below[i] + mass_of(d, low, out->bin);
    }
    const double all = out->below[LOTOR_LAZY_BINS];
    for (size_t i = 1; i <= LOTOR_LAZY_BINS; i++) {
        out->below[i] /= all;
    }
}

/* The bin of a mean, rounded down, as a number from 0 to LOTOR_LAZY_BINS. */
static inline double place_of(const lotor_lazy_world *lazy, double mean, double other)
{
    const double place = (mean - LOTOR_LINEAR_LOWEST_MEAN) / lazy->bin;
    return isnan(place) ? other : fmin(fmax(place, 0), LOTOR_LAZY_BINS);
}

lotor_lazy_bins lotor_lazy_world_bins(const lotor_lazy_world *lazy, double low, double high)
{
    const double first = place_of(lazy, low, 0), last = place_of(lazy, high, LOTOR_LAZY_BINS);
    const size_t from = (size_t)first, to = (size_t)ceil(last);
    return from < to ? (lotor_lazy_bins){from, to} : (lotor_lazy_bins){0, 0};
}

enum { MOST_COINS = 64 };

static uint64_t count_coins(lotor_generator *generator, uint64_t coins, double p)
{
    const uint64_t threshold = (uint64_t)(p * 0x1p64);
    lotor_generator local = *generator;
    uint64_t count = 0;
    for (uint64_t i = 0; i < coins; i++) {
        count += lotor_generator_word(&local) < threshold;
    }
    *generator = local;
    return count;
}

/* If few are expected, counts by inversion, from 0 on; otherwise by coins, if these are not many. */
uint64_t lotor_lazy_world_count(const lotor_lazy_world *lazy, lotor_generator *generator,
                                lotor_lazy_bins bins)
{
    const double p = lazy->below[bins.last] - lazy->below[bins.first];
    const double n = (double)lazy->others;
    if (p >= 1) {
        return lazy->others;
    }
    if (n * p >= 2 && lazy->others <= MOST_COINS) {
        return count_coins(generator, lazy->others, p);
    }
    if (n * p >= 8 || p >= 0.5) {
        return lotor_random_binomial(generator, lazy->others, p);
    }
    double power = 1, factor = 1 - p; /* power becomes (1 - p)^n, by squaring */
    for (uint64_t rest = lazy->others; rest > 0; rest >>= 1) {
        power *= rest & 1 ? factor : 1;
        factor *= factor;
    }
    double left = lotor_random_uniform(generator) - power;
    uint64_t count = 0;
    for (; left > 0 && count < lazy->others; count++) {
        power *= p / (1 - p) * (n - (double)count) / ((double)count + 1);
        left -= power;
    }
    return count;
}

/* Proposals are uniform over the bins. They are kept with a probability in proportion to the
 * density; at least a quarter of them are. Each is written, and the next one replaces it if it is
 * not kept, so that there is no branch that could be mispredicted. */
static INLINE void draw_means(const lotor_lazy_world *lazy, size_t d, lotor_generator *generator,
                              lotor_lazy_bins bins, size_t count, double *means)
{
    const double low = LOTOR_LINEAR_LOWEST_MEAN + (double)bins.first * lazy->bin;
    const double width = (double)(bins.last - bins.first) * lazy->bin;
    const double peak = density(d, fmax(low, fmin(low + width, 0)));
    lotor_generator local = *generator;
    for (size_t i = 0; i < count;) {
        const uint64_t word = lotor_generator_word(&local);
        const double mean = low + width * (0.5 + 0.5 * upper_half(word));
        means[i] = mean;
        i += is_negative((0.5 + 0.5 * lower_half(word)) * peak - density(d, mean));
    }
    *generator = local;
}

void lotor_lazy_world_means(const lotor_lazy_world *lazy, lotor_generator *generator,
                            lotor_lazy_bins bins, size_t count, double *means)
{
    assert(bins.first < bins.last && bins.last <= LOTOR_LAZY_BINS);
    if (lazy->dimension == 5) {
        draw_means(lazy, 5, generator, bins, count, means);
    } else {
        draw_means(lazy, lazy->dimension, generator, bins, count, means);
    }
}

static INLINE void draw_action(const lotor_lazy_world *lazy, size_t d, lotor_generator *generator,
                               double mean, double *action)
{
    draw_points(generator, d - 1, false, lazy->shrink * sqrt(1 - mean * mean), 1, action + 1);
    action[0] = lazy->sign * lazy->shrink * mean;
    const double twice = 2 * dot(d, lazy->mirror, action);
    for (size_t i = 0; i < d; i++) {
        action[i] -= twice * lazy->mirror[i];
    }
}

/* Dimensions up to 5 have loops of their own, of a length that the compiler knows. */
void lotor_lazy_world_action(const lotor_lazy_world *lazy, lotor_generator *generator, double mean,
                             double *action)
{
    switch (lazy->dimension) {
    case 3:
        draw_action(lazy, 3, generator, mean, action);
        break;
    case 4:
        draw_action(lazy, 4, generator, mean, action);
        break;
    case 5:
        draw_action(lazy, 5, generator, mean, action);
        break;
    default:
        draw_action(lazy, lazy->dimension, generator, mean, action);
    }
}

/* A uniform point on the unit sphere, into x[1] to x[d - 1]. With four coordinates, it is a point on
 * each of two circles; their squared radii add up to 1, and each is uniform (see points.h). Otherwise
 * it is the direction of d - 1 normal draws; if d is even, one draw too many is made. */
static LOTOR_INLINE void draw_direction(size_t d, lotor_lanes *lanes, size_t k, double *x)
{
    if (d == 5) {
        const double cut = lotor_lanes_fraction(lotor_lanes_word(lanes, k));
        const double first = sqrt(cut), second = sqrt(1 - cut);
        const uint64_t word = lotor_lanes_word(lanes, k);
        lotor_lanes_circle(word, &x[1], &x[2]);
        lotor_lanes_circle(word >> 32, &x[3], &x[4]);
        x[1] *= first;
        x[2] *= first;
        x[3] *= second;
        x[4] *= second;
        return;
    }
    double square = 0;
    for (size_t i = 1; i < d; i += 2) {
        lotor_lanes_normals(lanes, k, &x[i], &x[i + 1]);
    }
    for (size_t i = 1; i < d; i++) {
        square += x[i] * x[i];
    }
    for (size_t i = 1; i < d; i++) {
        x[i] /= sqrt(square);
    }
}

static LOTOR_INLINE void draw_actions(const lotor_lazy_world *restrict lazy, size_t d,
                                      lotor_lanes *restrict lanes, const double *restrict means,
                                      double *restrict columns)
{
    const double shrink = lazy->shrink, first = lazy->sign * shrink;
    double mirror[LOTOR_LAZY_MOST];
    memcpy(mirror, lazy->mirror, sizeof mirror);
    lotor_lanes local = *lanes;
    for (size_t k = 0; k < LOTOR_LANES; k++) {
        double x[LOTOR_LAZY_MOST + 1];
        draw_direction(d, &local, k, x);
        const double scale = shrink * sqrt(1 - means[k] * means[k]);
        x[0] = first * means[k];
        double along = mirror[0] * x[0];
        for (size_t i = 1; i < d; i++) {
            x[i] *= scale;
            along += mirror[i] * x[i];
        }
        for (size_t i = 0; i < d; i++) {
            columns[i * LOTOR_LANES + k] = x[i] - 2 * along * mirror[i];
        }
    }
    *lanes = local;
}

static LOTOR_INLINE void draw_some_actions(const lotor_lazy_world *lazy, lotor_lanes *lanes,
                                           const double *means, double *columns)
{
    if (lazy->dimension == 5) {
        draw_actions(lazy, 5, lanes, means, columns);
    } else {
        draw_actions(lazy, lazy->dimension, lanes, means, columns);
    }
}

static void draw_narrow(const lotor_lazy_world *lazy, lotor_lanes *lanes, const double *means,
                        double *columns)
{
    draw_some_actions(lazy, lanes, means, columns);
}

static LOTOR_WIDE void draw_wide(const lotor_lazy_world *lazy, lotor_lanes *lanes,
                                 const double *means, double *columns)
{
    draw_some_actions(lazy, lanes, means, columns);
}

void lotor_lazy_world_actions(const lotor_lazy_world *lazy, lotor_lanes *lanes, const double *means,
                              double *columns)
{
    if (lanes->wide) {
        draw_wide(lazy, lanes, means, columns);
    } else {
        draw_narrow(lazy, lanes, means, columns);
    }
}
