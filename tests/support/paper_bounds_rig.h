/* paper_bounds_rig.h - what the tests of the papers' bounds share. */
#ifndef LOTOR_TESTS_PAPER_BOUNDS_RIG_H
#define LOTOR_TESTS_PAPER_BOUNDS_RIG_H

#include <math.h>
#include <string.h>

#include "papers/paper_bounds.h"
#include "support/cmocka_all.h"
#include "support/experiments.h"

/* The tolerance is far above the rounding of a few logarithms in doubles. */
static inline void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-10 * fabs(expected))) {
        fail_msg("%.15g, not %.15g", value, expected);
    }
}

static inline lotor_world *coins(size_t arms, const double *means)
{
    lotor_world *world;
    assert_int_equal(lotor_world_bernoulli(arms, means, NULL, &world), LOTOR_OK);
    return world;
}

static inline lotor_experiment trial_of(const lotor_world *world, const char *algorithm,
                                        size_t slots, uint64_t horizon, lotor_ratio epsilon)
{
    lotor_experiment trial = experiment_of(world, algorithm, horizon, 2);
    trial.policy.slots = slots;
    trial.policy.epsilon = epsilon;
    return trial;
}

/* The bounds of an experiment that the library must accept; the caller clears them. */
static inline lotor_paper_bounds bounds_of(const lotor_experiment *trial)
{
    lotor_paper_bounds bounds;
    lotor_message why = {""};
    if (lotor_paper_bounds_of(trial, &why, &bounds) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return bounds;
}

/* The bound with this name; the test fails if there is none. */
static inline const lotor_paper_bound *get(const lotor_paper_bounds *bounds, const char *name)
{
    for (size_t i = 0; i < bounds->count; i++) {
        if (strcmp(bounds->rows[i].name, name) == 0) {
            return &bounds->rows[i];
        }
    }
    fail_msg("there is no %s", name);
    return NULL;
}

/* The first upper bound; the test fails if there is none. */
static inline const lotor_paper_bound *upper_of(const lotor_paper_bounds *bounds)
{
    for (size_t i = 0; i < bounds->count; i++) {
        if (bounds->rows[i].kind == LOTOR_PAPER_BOUND_UPPER) {
            return &bounds->rows[i];
        }
    }
    fail_msg("there is no upper bound");
    return NULL;
}

/* Checks a bound of a fresh list: its state, and its value at t. */
static inline void expect(const lotor_experiment *trial, const char *name,
                          lotor_paper_bound_state state, double t, double value)
{
    lotor_paper_bounds bounds = bounds_of(trial);
    const lotor_paper_bound *row = get(&bounds, name);
    assert_int_equal(row->state, state);
    assert_close(lotor_paper_bound_value(row, t), value);
    lotor_paper_bounds_clear(&bounds);
}

#define HOLDS   LOTOR_PAPER_BOUND_HOLDS
#define OUTSIDE LOTOR_PAPER_BOUND_OUTSIDE
#define NONE    LOTOR_PAPER_BOUND_WITHOUT_NUMBER

#endif
