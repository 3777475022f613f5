/* dips.c - the table of dips.h. dips.md derives the recursion.
 *
 * With p_k(i) the probability of a dip in a block of level k at cell i, and Z the noise of a node,
 *
 *      1 - p_{k+1}(i) = (1 - p_k(i)) (1 - E p_k(cell of i + Z)),   p_0(i) = 0, p_k(i) = 1 for i < 0.
 *
 * A cell has the width 1/fineness, so a Laplace node moves a margin at the lower end of cell i to
 * cell j with a probability that is geometric in |i - j|. This makes the expectation two sums that
 * follow from those of the neighbouring cell. All terms are positive, so nothing cancels.
 */
#include "privacy/release/dips.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/random/laws.h"

enum { TOP = LOTOR_DIPS_CELLS - 1 };

/* The probability that any fall is larger than `fall`, in all blocks together. */
static const double MOST_WRONG = 1e-12;

static const double WIDTH = 1.0 / (double)LOTOR_DIPS_FINENESS;

/* The probability that a Laplace draw is in one cell next to 0. */
static double near_chance(const lotor_dips *dips)
{
    return 0.5 * (1.0 - dips->power[1]);
}

static void fill_level(lotor_dips *dips, unsigned level)
{
    const double *chance = dips->chance[level];
    double *below = dips->below[level], *above = dips->above[level];
    const double near = near_chance(dips), ratio = dips->power[1];
    below[0] = 0.5; /* every fall uses up the margin */
    for (int i = 1; i <= TOP; i++) {
        below[i] = near * chance[i - 1] + ratio * below[i - 1];
    }
    above[TOP] = 0.5 * chance[TOP]; /* the last cell has no upper end */
    for (int i = TOP - 1; i >= 0; i--) {
        above[i] = near * chance[i] + ratio * above[i + 1];
    }
    for (int i = 0; i <= TOP; i++) {
        const double later = below[i] + above[i];
        dips->chance[level + 1][i] = chance[i] + later - chance[i] * later;
        assert(dips->chance[level + 1][i] > 0.0 && dips->chance[level + 1][i] <= 1.0);
    }
}

lotor_status lotor_dips_new(uint64_t horizon, lotor_dips **out)
{
    assert(horizon > 0);
    lotor_dips *dips = *out = calloc(1, sizeof *dips);
    if (!dips) {
        return LOTOR_MEMORY;
    }
    for (int i = 0; i <= LOTOR_DIPS_CELLS; i++) {
        dips->power[i] = exp(-WIDTH * i);
    }
    for (unsigned level = 0; level <= LOTOR_DIPS_LEVELS; level++) { /* Hoeffding's inequality */
        dips->fall[level] = sqrt(0.5 * ldexp(1.0, (int)level) * log((double)horizon / MOST_WRONG));
    }
    for (unsigned level = 0; level < LOTOR_DIPS_LEVELS; level++) { /* chance[0] is 0 */
        fill_level(dips, level);
    }
    return LOTOR_OK;
}

void lotor_dips_free(lotor_dips *dips)
{
    free(dips);
}

int lotor_dips_cell(double margin)
{
    const double cell = floor(margin * (double)LOTOR_DIPS_FINENESS);
    if (!(cell >= 0.0)) {
        return -1;
    }
    return cell < (double)TOP ? (int)cell : TOP;
}

/* An exponential draw of mean 1, given that it is in (0, WIDTH]. */
static double draw_within(const lotor_dips *dips, lotor_generator *generator)
{
    const double u = lotor_random_fraction(lotor_generator_word(generator));
    return -log1p(-u * (1.0 - dips->power[1]));
}

/* A fall, given that it ends in a lower cell and that a dip follows. `point` is uniform below
 * below[level][*cell]. A fall to a cell under m, and a dip there, has the probability
 * power[*cell - m] below[level][m]: so the cell is found by bisection. */
static double draw_fall(const lotor_dips *dips, unsigned level, double point, int *cell,
                        lotor_generator *generator)
{
    const double *below = dips->below[level], *power = dips->power;
    const int from = *cell;
    /* A level of one node ends below the margin if it falls at all. Rounding may give a point that is
     * not below the product. */
    if (level == 0 || point < power[from] * below[0]) {
        *cell = -1;
        return -(WIDTH * from + lotor_random_exponential(generator, 1.0));
    }
    int low = 0, high = from; /* the fall ends below `high`, and not below `low` */
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(point < power[from - middle] * below[middle] ? &high : &low) = middle;
    }
    *cell = low;
    return -(WIDTH * (from - low - 1) + draw_within(dips, generator));
}

/* The same for a rise, or for a move inside the cell. */
static double draw_rise(const lotor_dips *dips, unsigned level, double point, int *cell,
                        lotor_generator *generator)
{
    const double *chance = dips->chance[level];
    const double near = near_chance(dips);
    const int from = *cell;
    int to = from;
    for (; to < TOP; to++) {
        point -= near * dips->power[to - from] * chance[to];
        if (point < 0.0) {
            break;
        }
    }
    *cell = to;
    return WIDTH * (to - from) +
           (to < TOP ? draw_within(dips, generator) : lotor_random_exponential(generator, 1.0));
}

double lotor_dips_draw(const lotor_dips *dips, unsigned level, int *cell,
                       lotor_generator *generator)
{
    assert(level < LOTOR_DIPS_LEVELS && *cell >= 0 && *cell <= TOP);
    const double below = dips->below[level][*cell], above = dips->above[level][*cell];
    const double point = lotor_random_uniform(generator) * (below + above);
    return point < below ? draw_fall(dips, level, point, cell, generator)
                         : draw_rise(dips, level, point - below, cell, generator);
}
