/* world.h - worlds that the caller brings to a simulation: functions, tables, labelled data, logs.
 *
 * EXPERIMENTAL: this header may change in any release, and lotor.h does not include it.
 *
 *     const double rewards[4 * 2] = {1, 0,  1, 0,  0, 1,  0, 1};
 *     lotor_own_world own = {.kind = LOTOR_OWN_REWARDS, .arms = 2, .rows = 4, .table = rewards};
 *     lotor_simulate_params params = {.policy = {.algorithm = "ucb", .horizon = 4},
 *                                     .own_world = &own};
 *
 * The library copies nothing: the caller keeps the description, its arrays and the objects behind
 * `context` until the simulation returns (or the problem is freed).
 *
 * The same seed gives the same numbers for any number of threads, if the functions below depend
 * only on their arguments.
 */
#ifndef LOTOR_EXPERIMENTAL_WORLD_H
#define LOTOR_EXPERIMENTAL_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lotor_own_world_kind {
    LOTOR_OWN_FUNCTIONS = 0, /* `reward`, `means` and `actions` are called in every round */
    LOTOR_OWN_REWARDS = 1, /* `table` has the reward of every arm in every round. Every run sees the
                              same rewards. Regret is against the decision that is best for the
                              whole horizon, and the same in every round (in hindsight) */
    LOTOR_OWN_MEANS = 2,   /* `table` has the mean of every arm; rewards are drawn by
                              lotor_simulate_params.rewards. Regret is against the best decision of
                              the same round (dynamic regret) */
    LOTOR_OWN_LABELS = 3,  /* classification: each round shows an example, and each class is an arm.
                              The arm of the right class pays 1, the others 0 */
    LOTOR_OWN_LOG = 4, /* a log; showing an arm draws one of its recorded rewards at random, with
                              replacement (bootstrap) */
    LOTOR_OWN_UNBIASED = 5 /* a log; unbiased replay (Li, Chu, Langford and Wang 2011) */
} lotor_own_world_kind;

/* How the rounds go through the examples of LOTOR_OWN_LABELS. */
typedef enum lotor_own_order {
    LOTOR_OWN_DRAWN = 0, /* each round draws an example, with replacement */
    LOTOR_OWN_SHUFFLED =
        1, /* all examples in a random order of the run, then all again in another */
    LOTOR_OWN_IN_ORDER = 2 /* all examples as given, then all again */
} lotor_own_order;

/* The round that a function is called for. */
typedef struct lotor_own_round {
    uint64_t run;  /* from 0 */
    uint64_t t;    /* from 1 */
    uint64_t seed; /* for the randomness of this round: it depends on the seed of the simulation, on
                      the run and on t alone */
} lotor_own_round;

/* Fields that are 0 take their defaults; fields of other kinds are ignored. */
typedef struct lotor_own_world {
    lotor_own_world_kind kind;
    size_t arms;      /* LABELS: classes */
    double low, high; /* range of a reward; 0, 0: [0,1], with actions [-1,1]. A reward outside is an
                         error. Only for FUNCTIONS, REWARDS and UNBIASED */

    /* FUNCTIONS. A run calls them in the order `actions`, `means`, `reward`, once in each round,
     * and its rounds follow each other in one thread. Different runs call them at once unless
     * lotor_simulate_params.threads is 1. `actions` is that of the same round, or NULL if the world
     * has none. Return false to end the simulation with LOTOR_INVALID.
     *
     * reward    writes the rewards of the `count` arms in arms[] means     writes the mean reward
     * of every arm. NULL: `table` has the means, if it is given.
     *           Otherwise they are not known, and all numbers about regret and the best decision are
     *           NaN
     * actions   writes arms x dimension numbers, row by row; only if `dimension` is above 0 */
    bool (*reward)(void *context, const lotor_own_round *round, const double *actions,
                   const uint32_t *arms, size_t count, double *rewards);
    bool (*means)(void *context, const lotor_own_round *round, const double *actions,
                  double *means);
    bool (*actions)(void *context, const lotor_own_round *round, double *actions);
    void *context;

    size_t dimension;       /* FUNCTIONS, UNBIASED: of an action; 0: there are no actions */
    size_t rows;            /* of `table` and `features`; events of a log */
    const double *table;    /* REWARDS, MEANS, FUNCTIONS: rows x arms, with a row for each round. A
                               single row of means holds in all rounds */
    const uint64_t *starts; /* MEANS: starts[i] rounds are played before row i holds; increasing,
                               starts[0] is 0. NULL: each row is one round */

    /* LABELS. Algorithms with arms see only the classes. For contextual linear algorithms, the
     * action of class c is the block vector with the example's features at c x feature_count, and 0
     * elsewhere. If an example is longer than 1, all features are divided by the length of the
     * longest one; lotor_simulate_result.context_scale says so. */
    const double *features; /* rows x feature_count; NULL: there are no actions */
    size_t feature_count;
    const uint32_t *labels; /* rows; below `arms` */
    lotor_own_order order;

    /* LOG and UNBIASED. Every arm below `arms` must be in the log.
     *
     * Unbiased replay goes through the log. The policy chooses an arm; the next event with that arm
     * is accepted, the policy gets its reward, and all other events are skipped. The events must
     * have been logged by a uniform choice of the arm. Otherwise give `propensities`, the
     * probability of each event's arm when it was logged: an event is then kept with probability
     * (smallest propensity) / (its propensity), which makes the logging uniform. The run ends with
     * the horizon or the log. The mean reward of the accepted events is per_round, and its standard
     * error within one pass is round_error. This error does not shrink with the number of runs,
     * because all of them read the same log. For algorithms that show one arm. */
    const uint32_t *logged_arms;  /* rows */
    const double *logged_rewards; /* rows */
    const double *propensities;   /* UNBIASED: rows, in (0,1]; NULL: uniform */
    const double *logged_actions; /* UNBIASED: rows x arms x dimension; NULL: there are none */
} lotor_own_world;

#ifdef __cplusplus
}
#endif
#endif
