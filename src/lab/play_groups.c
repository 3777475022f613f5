/* play_groups.c - plays one run in a linear world with a gap, many dimensions and no noise.
 *
 * All d^2 actions of a round or so are drawn, but most of them cost only d steps each:
 *
 *  - The law of the actions is the same in every orthonormal basis. So they are drawn in a basis in
 *    which an earlier V was diagonal: x' V^-1 x is a sum of d squares then. V only grows, so this
 *    sum bounds the square for the present V from above, and gives an upper bound of the index.
 *  - Only if that bound beats the highest index so far, the action is turned into the basis of the
 *    learner, and its exact index is computed. The best action comes first, so this is rare.
 *  - The basis is computed again when V has grown enough (MOST_GROWTH).
 *
 * An action is a normal vector divided by its length. Actions are drawn in groups, coordinate by
 * coordinate, so that the sums over coordinates are computed for several actions at once. If the
 * mean of an action is not in the range of the world, another one is drawn in its place.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/lanes.h"
#include "lab/delay.h"
#include "lab/play.h"
#include "learn/eigen.h"
#include "learn/ellipsoid.h"
#include "policy/policy.h"
#include "world/linear_lazy.h"

enum { GROUP = 32 };

/* The basis is renewed when the sum of x' V^-1 x over the rounds since then is above this, per
 * dimension. That sum bounds the growth of log det V. */
#define MOST_GROWTH (1.0 / 32)

/* Bounds are compared with this tolerance, as a part of the index: far more than rounding can do. */
#define SLACK 1e-9

/* Per action of a group: sums over the coordinates g of its normal vector. */
typedef struct sums {
    double square[GROUP];   /* g^2 */
    double mean[GROUP];     /* g times the hidden theta */
    double estimate[GROUP]; /* g times the estimate of theta */
    double width[GROUP];    /* g^2 divided by the eigenvalue of V */
} sums;

typedef struct player {
    const lotor_linear_world *world;
    lotor_ellipsoid *ellipsoid;
    lotor_eigen *eigen;
    lotor_generator *generator;
    lotor_lanes lanes;
    double growth; /* since the basis was made */
    double *theta; /* the hidden theta in the basis of the learner */

    /* In the basis of the rounds. */
    double *hidden, *estimate, *inverse; /* theta, its estimate, and 1/eigenvalues */
    double *columns;                     /* dimension x GROUP: normal draws */
    double *point, *action;              /* an action in either basis */

    double *shown;
    double mean, highest, square; /* of the shown action: its mean, its index, and x' V^-1 x */
} player;

bool lotor_play_has_groups(const lotor_play *play, const lotor_policy *policy)
{
    lotor_linear_bounds bounds;
    bool is_plain;
    const lotor_linear_params *params = lotor_linear_params_of(policy->linear, &bounds, &is_plain);
    const lotor_linear_world *world = play->trial->linear;
    return is_plain && params->gaussian == 0 && params->degrees == 0 && world->has_gap &&
           world->gap <= LOTOR_LINEAR_BEST_MEAN && world->dimension > LOTOR_LAZY_MOST &&
           !lotor_delay_is_on(&play->trial->delay) && play->trial->lost == 0.0 &&
           !play->trial->exact_rounds;
}

/* Sums over a group ---------------------------------------------------------------------------- */

static LOTOR_INLINE void add_up(const player *run, sums *restrict out)
{
    const size_t d = run->world->dimension;
    *out = (sums){0};
    for (size_t i = 0; i < d; i++) {
        const double *restrict column = run->columns + i * GROUP;
        const double hidden = run->hidden[i], estimate = run->estimate[i];
        const double inverse = run->inverse[i];
        for (size_t k = 0; k < GROUP; k++) {
            const double g = column[k], square = g * g;
            out->square[k] += square;
            out->mean[k] += hidden * g;
            out->estimate[k] += estimate * g;
            out->width[k] += inverse * square;
        }
    }
    const double beta = run->ellipsoid->beta;
    for (size_t k = 0; k < GROUP;
         k++) { /* from here on: 1/length, mean, upper bound of the index */
        const double scale = 1 / sqrt(out->square[k]);
        out->square[k] = scale;
        out->mean[k] *= scale;
        out->estimate[k] = (out->estimate[k] + beta * sqrt(out->width[k])) * scale;
    }
}

static void add_up_narrow(const player *run, sums *out)
{
    add_up(run, out);
}

static LOTOR_WIDE void add_up_wide(const player *run, sums *out)
{
    add_up(run, out);
}

/* Bases --------------------------------------------------------------------------------------- */

/* to = E from, with the eigenvectors as rows of E. */
static void turn(const lotor_eigen *eigen, const double *from, double *to)
{
    const size_t d = eigen->dimension;
    for (size_t i = 0; i < d; i++) {
        double sum = 0;
        for (size_t j = 0; j < d; j++) {
            sum += eigen->vectors[i * d + j] * from[j];
        }
        to[i] = sum;
    }
}

/* to = E' from */
static void turn_back(const lotor_eigen *eigen, const double *from, double *to)
{
    const size_t d = eigen->dimension;
    memset(to, 0, d * sizeof *to);
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) {
            to[j] += eigen->vectors[i * d + j] * from[i];
        }
    }
}

static lotor_status renew_basis(player *run)
{
    if (!lotor_eigen_make(run->eigen, run->ellipsoid->v)) {
        return LOTOR_INVALID;
    }
    for (size_t i = 0; i < run->world->dimension; i++) {
        run->inverse[i] = 1 / run->eigen->values[i];
    }
    turn(run->eigen, run->theta, run->hidden);
    run->growth = 0;
    return LOTOR_OK;
}

/* Rounds -------------------------------------------------------------------------------------- */

/* Shows `point`, an action in the basis of the rounds, if its index is the highest. `bound` is an
 * upper bound of its index. */
static void compare(player *run, double mean, double bound)
{
    double square;
    turn_back(run->eigen, run->point, run->action);
    const double index = lotor_ellipsoid_index(run->ellipsoid, run->action, &square);
    assert(index <= bound + SLACK * fabs(index));
    (void)bound;
    if (index > run->highest) {
        run->highest = index;
        run->mean = mean;
        run->square = square;
        memcpy(run->shown, run->action, run->world->dimension * sizeof *run->shown);
    }
}

/* The best action: m theta + sqrt(1 - m^2) w, w the direction of the part of a normal vector that is
 * orthogonal to theta. The group is not in use yet; its first numbers are the normal vector. */
static void draw_best(player *run)
{
    const size_t d = run->world->dimension;
    const double mean = LOTOR_LINEAR_BEST_MEAN;
    double along = 0, square = 0;
    lotor_lanes_fill(&run->lanes, (d + 15) / 16 * 16, run->columns);
    for (size_t i = 0; i < d; i++) {
        along += run->columns[i] * run->hidden[i];
    }
    for (size_t i = 0; i < d; i++) {
        run->point[i] = run->columns[i] - along * run->hidden[i];
        square += run->point[i] * run->point[i];
    }
    const double across = sqrt((1 - mean * mean) / square);
    for (size_t i = 0; i < d; i++) {
        run->point[i] = mean * run->hidden[i] + across * run->point[i];
    }
    compare(run, mean, INFINITY);
}

/* Draws a group and takes up to `most` actions from it. Returns how many had a mean in the range. */
static uint64_t draw_group(player *run, uint64_t most)
{
    const size_t d = run->world->dimension;
    const double highest_mean = LOTOR_LINEAR_BEST_MEAN - run->world->gap;
    uint64_t taken = 0;
    sums group;
    lotor_lanes_fill(&run->lanes, d * GROUP, run->columns);
    if (run->lanes.wide) {
        add_up_wide(run, &group);
    } else {
        add_up_narrow(run, &group);
    }
    for (size_t k = 0; k < GROUP && taken < most; k++) {
        const double mean = group.mean[k];
        if (!(mean >= LOTOR_LINEAR_LOWEST_MEAN && mean <= highest_mean)) {
            continue;
        }
        taken++;
        if (group.estimate[k] < run->highest - SLACK * fabs(run->highest)) {
            continue;
        }
        for (size_t i = 0; i < d; i++) {
            run->point[i] = run->columns[i * GROUP + k] * group.square[k];
        }
        compare(run, mean, group.estimate[k]);
    }
    return taken;
}

static lotor_status play_round(player *run)
{
    if (run->growth > MOST_GROWTH * (double)run->world->dimension) {
        const lotor_status status = renew_basis(run);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    turn(run->eigen, run->ellipsoid->theta, run->estimate);
    run->highest = -INFINITY;
    draw_best(run);
    for (uint64_t left = run->world->actions - 1; left > 0;) {
        left -= draw_group(run, left);
    }
    run->growth += run->square;
    lotor_ellipsoid_add(run->ellipsoid, run->shown,
                        lotor_linear_world_reward(run->generator, run->mean));
    return run->ellipsoid->definite ? LOTOR_OK : LOTOR_INVALID;
}

static lotor_status play_rounds(const lotor_play *play, player *run, const lotor_run_curve *curve,
                                double *paid)
{
    const uint64_t horizon = play->params.horizon;
    const uint64_t work = play->params.arms * play->params.dimension;
    const uint64_t often = UINT64_C(8) * LOTOR_WORK_UNTIL_REPORT / work + 1;
    double regret = 0;
    size_t noted = 0;
    uint64_t reported = 0;
    for (uint64_t t = 1; t <= horizon; t++) {
        const lotor_status status = play_round(run);
        if (status != LOTOR_OK) {
            return status;
        }
        regret += LOTOR_LINEAR_BEST_MEAN - run->mean;
        *paid += run->mean;
        if (t == play->times[noted]) {
            curve->regrets[noted] = regret;
            curve->rewards[noted++] = *paid;
        }
        if (t - reported >= often || t == horizon) {
            const bool stop = play->report(play->context, t - reported);
            reported = t;
            if (stop && t < horizon) {
                return LOTOR_STOPPED;
            }
        }
    }
    return LOTOR_OK;
}

lotor_status lotor_play_groups(const lotor_play *play, lotor_policy *policy,
                               lotor_run_randomness *streams, const lotor_run_curve *curve,
                               lotor_run_totals *totals, lotor_message *why)
{
    (void)why;
    const lotor_linear_world *world = play->trial->linear;
    const size_t d = world->dimension;
    double *numbers = calloc(7 * d + GROUP * d, sizeof *numbers);
    player run = {.world = world, .generator = &streams->world};
    lotor_status status =
        numbers ? lotor_ellipsoid_new(policy->linear, &run.ellipsoid) : LOTOR_MEMORY;
    if (status == LOTOR_OK) {
        status = lotor_eigen_new(d, false, &run.eigen);
    }
    if (status == LOTOR_OK) {
        double **const parts[] = {&run.theta, &run.hidden, &run.estimate, &run.inverse,
                                  &run.point, &run.action, &run.shown,    &run.columns};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            *parts[i] = numbers + i * d;
        }
        lotor_linear_world_theta(world, run.generator, run.theta);
        lotor_lanes_seed(&run.lanes, run.generator);
        status = renew_basis(&run);
    }
    if (status == LOTOR_OK) {
        double paid = 0;
        status = play_rounds(play, &run, curve, &paid);
        *totals = (lotor_run_totals){.paid = paid};
    }
    lotor_eigen_free(run.eigen);
    lotor_ellipsoid_free(run.ellipsoid);
    free(numbers);
    return status;
}
