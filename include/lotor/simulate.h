/* simulate.h - plays a policy many times in a simulated world, and measures its regret.
 *
 *     lotor_simulate_params params = {.policy = {.algorithm = "dp-se", .horizon = 1000000,
 *                                                .epsilon = lotor_ratio_of(1, 1)},
 *                                     .instance = "c2", .runs = 10, .seed = 1};
 *     lotor_simulate_result *result;
 *     lotor_simulate_run(&params, &why, &result);
 *     result->points[result->point_count - 1].regret
 *     lotor_simulate_free(result);
 *
 * The noise is fast and seeded: a simulation protects nobody. The same seed gives the same numbers
 * for any number of threads.
 */
#ifndef LOTOR_SIMULATE_H
#define LOTOR_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/guarantee.h>
#include <lotor/policy.h>
#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits, and the defaults of fields that are left 0. The defaults are plain numbers, so that help
 * pages can print them. */
#define LOTOR_SIMULATE_ROUNDS_MAX            (UINT64_C(1) << 53) /* doubles count exactly up to it */
#define LOTOR_SIMULATE_RUNS_MAX              1000000
#define LOTOR_SIMULATE_CHECKPOINTS_MAX       100000
#define LOTOR_SIMULATE_NUMBERS_MAX           50000000 /* runs x checkpoints */
#define LOTOR_SIMULATE_THREADS_MAX           256      /* more are not started */
#define LOTOR_SIMULATE_RUNS_DEFAULT          10
#define LOTOR_SIMULATE_CHECKPOINTS_DEFAULT   50
#define LOTOR_SIMULATE_EPSILON_DEFAULT       1
#define LOTOR_SIMULATE_CONCENTRATION_DEFAULT 4
#define LOTOR_SIMULATE_DIMENSION_DEFAULT     5 /* of the actions in a linear world */
#define LOTOR_SIMULATE_ACTIONS_DEFAULT       20

/* Fields that are 0 take their defaults. There are three kinds of world:
 * - `means`: independent arms;
 * - `instance`: a named world;
 * - neither, for contextual linear algorithms: random actions (policy.arms, policy.dimension).
 *
 * Defaults for fields of `policy`:
 * - epsilon (0/0) is 1.
 * - An instance sets the number of arms. It also sets the usual structure, unless policy.slots or
 *   policy.structure is given: the linear matroid of its vectors, the path from its first to its
 *   last vertex, or coverage. A given structure without arrays takes those of the instance.
 * - A linear world has 5 dimensions and 20 actions; with a gap, dimension x dimension actions.
 *
 * The callbacks of `policy` are called from the simulation's threads, several at once unless
 * `threads` is 1. */
typedef struct lotor_simulate_params {
    lotor_policy_params policy; /* what to play */
    const double *means;        /* policy.arms numbers in [0,1] */
    const char *instance; /* a name that `lotor run --instance` takes: "c1" to "c4", "grid:5x5",
                                   "graph:FILE", "movielens:DIR", ...; or "replay:FILE" */
    const char *rewards;  /* "bernoulli" (NULL), "beta", "uniform" */
    double concentration; /* of beta: a + b */
    bool has_gap;         /* linear: one action is better than all others by `gap` */
    double gap;
    uint64_t runs;
    uint64_t seed;      /* of everything */
    size_t threads;     /* 0: as many as there are cores */
    size_t checkpoints; /* about how many points, log-spaced */
    double noise_scale; /* multiplies the noise but not the claim; 0 means 1, the correct noise */
    bool exact_rounds;  /* play every single round, without shortcuts: slower, the same law */

    /* Called from time to time, from the calling thread, with the finished share in [0,1]. Return
     * true to stop: the result then covers the complete runs (LOTOR_STOPPED if there is none). May
     * be NULL. */
    bool (*progress)(void *progress_context, double share);
    void *progress_context;
} lotor_simulate_params;

typedef struct lotor_simulate_point {
    uint64_t round;
    double regret;         /* of the rounds 1 to `round`; mean over the runs */
    double standard_error; /* of `regret`; NaN for one run */
} lotor_simulate_point;

typedef struct lotor_simulate_result {
    uint64_t runs; /* complete runs */
    uint64_t horizon;
    size_t arms;
    double regret, regret_error;   /* at the end; standard error */
    double per_round, round_error; /* expected reward per round; standard error */
    double best_per_round;         /* expected reward of the best decision; NaN in linear worlds */
    lotor_simulate_point *points;  /* owned by the result; the last one is at the horizon */
    size_t point_count;
    lotor_guarantee guarantee;
    double seconds;

    /* A lower bound on regret: every algorithm that is good in all worlds of this kind has a
     * long-run expected regret of at least this times log T. NaN: no bound is proved. */
    double lower_bound;

    /* The arms that the first run showed together most often in its last tenth. Owned by the
     * result. NULL in linear worlds. */
    uint32_t *favourite;
    size_t favourite_count; /* 0: the first run was stopped too early */

    /* More about best_per_round: an approximate oracle is held to a share of the optimum. If the
     * optimum itself takes too long to find, best_per_round is what the oracle finds when it knows
     * the means. That is at least that share, so the true regret is at most the measured one. */
    double best_share;  /* 1: the oracle is exact; NaN in linear worlds */
    bool best_is_bound; /* best_per_round is such a bound */

    /* More about the lower bound and the favourite. */
    const char *lower_bound_theorem; /* owned by the library; NULL where nothing is proved */
    const uint32_t *favourite_seeds; /* coverage, influence: the vertices behind the favourite
                                        arms, owned by the result; else NULL */
    size_t favourite_seed_count;
    double favourite_value;    /* what showing the favourite pays on average */
    uint64_t favourite_rounds; /* in how many of the last rounds it was shown */
    uint64_t last_rounds;      /* how many rounds that tenth has */

    /* What was played, with the values that the library chose for fields that were left 0. */
    lotor_ratio epsilon;  /* 0/0: the algorithm adds no noise */
    lotor_ratio delta;    /* 0/0: the promise of the algorithm has none */
    double beta;          /* NaN: the algorithm does not use it */
    size_t slots;         /* the most arms that are shown together */
    const char *feedback; /* as in lotor_algorithm_info; owned by the library */

    double rounds_per_second;
    double indefinite_rounds; /* linear: rounds per run in which the noisy matrix was not positive
                                   definite, so the longest action was shown; else 0 */
    uint64_t late_release;    /* linear: the round of the first release, if the horizon ends before
                                   it; else 0 */
} lotor_simulate_result;

/* Runs a simulation; the caller frees the result. LOTOR_INVALID: a parameter makes no sense.
 * LOTOR_UNKNOWN: a name or a file does not exist. LOTOR_RANGE: a mean or a gap is out of range.
 * LOTOR_STOPPED: `progress` returned true. */
LOTOR_API lotor_status lotor_simulate_run(const lotor_simulate_params *params, lotor_message *why,
                                          lotor_simulate_result **out);
LOTOR_API void lotor_simulate_free(lotor_simulate_result *result);

/* Whether an instance pays recorded rewards, those of a log or of a data set. Then `rewards` must
 * be left out. It looks at the name alone; false for NULL. */
LOTOR_API bool lotor_simulate_is_recorded(const char *instance);

/* --- several algorithms in one world ------------------------------------------------------------
 *
 *     lotor_simulate_problem *problem;
 *     lotor_simulate_problem_new(&params, &why, &problem);
 *     lotor_simulate_problem_structure(problem, "shortest-path:0-12", 0, &why);
 *     for each algorithm:
 *         params.policy.algorithm = ...;
 *         lotor_simulate_problem_run(problem, &params, &why, &result);
 *     lotor_simulate_problem_free(problem);
 */

/* A world, and which arms may be shown together in it. Several threads may use a problem at once,
 * but not while its structure is changed. */
typedef struct lotor_simulate_problem lotor_simulate_problem;

/* What a problem is. The problem owns its arrays (or the caller of lotor_simulate_problem_new, who
 * gave them in `policy`), so they are valid until the problem is freed or its structure changes.
 * The library owns the texts. */
typedef struct lotor_simulate_problem_facts {
    size_t arms;
    bool is_linear;      /* each round has new actions: all below but `dimension` is 0 or NULL */
    size_t dimension;    /* of the actions, or of the vectors of a linear matroid */
    const double *means; /* arms */
    const char *rewards; /* "bernoulli", "beta", "uniform", "replay" or "movielens" */
    bool is_binary;      /* rewards are 0 or 1, and independent */
    lotor_structure structure;  /* which arms may be shown together */
    const char *structure_name; /* see lotor_simulate_problem_structure */
    bool has_usual_structure;   /* the structure is that of the instance's vectors or graph, because
                                     no other was asked for */
    size_t slots;               /* LOTOR_STRUCTURE_TOP: arms that are shown */
    size_t seeds;               /* coverage, influence: vertices that are picked */
    const uint32_t *from, *to;  /* arms: the two ends of each, if arms are edges; else NULL */
    uint32_t source;            /* path: its first vertex */
} lotor_simulate_problem_facts;

/* Makes the problem that `means`, `instance`, `rewards`, `concentration`, the gap, and the arms,
 * dimension and structure of `policy` describe. Of policy.algorithm only one thing matters: whether
 * it is for linear problems. The means and the name of the instance are copied; the caller keeps
 * the arrays and callbacks of `policy` until the problem is freed. The caller frees the problem.
 * Errors are those of lotor_simulate_run. */
LOTOR_API lotor_status lotor_simulate_problem_new(const lotor_simulate_params *params,
                                                  lotor_message *why, lotor_simulate_problem **out);
LOTOR_API void lotor_simulate_problem_free(lotor_simulate_problem *problem);
LOTOR_API void lotor_simulate_problem_describe(const lotor_simulate_problem *problem,
                                               lotor_simulate_problem_facts *out);

/* Sets the structure by a text (NULL: the default structure of the instance):
 *
 *      top                     any `slots` arms; also called best, for one
 *      linear                  independent vectors, those of the instance
 *      partition:0,0,1,1       the group of each arm: one arm of each group
 *      graphic:0-1,1-2,0-2     the two ends of each arm: no cycles
 *
 * and on the graph of the instance:
 *
 *      spanning-tree           no cycles
 *      shortest-path[:0-24]    the cheapest path between two vertices; without them, between the
 *                              first and the last
 *      coverage                all edges of `slots` vertices on the left
 *      influence               all edges that `slots` vertices can reach
 *
 * `slots` of 0 means 1; other structures ignore it. On failure the problem is unchanged:
 * - LOTOR_RANGE: there are not so many arms or vertices. The message starts with "slots".
 * - LOTOR_INVALID: the text makes no sense, or does not fit the instance. The message starts with
 *   the text, in quotes. Or the world is linear. */
LOTOR_API lotor_status lotor_simulate_problem_structure(lotor_simulate_problem *problem,
                                                        const char *text, size_t slots,
                                                        lotor_message *why);

/* Why an algorithm can't be played in a problem, for callers who explain it in their own words. */
typedef enum lotor_simulate_misfit {
    LOTOR_SIMULATE_FITS = 0,         /* it can, or it can't for another reason than these */
    LOTOR_SIMULATE_MISFIT_WORLD = 1, /* it is for linear worlds and this is none, or the reverse */
    LOTOR_SIMULATE_MISFIT_ONE_ARM = 2, /* it shows one arm; the instance is about sets of arms */
    LOTOR_SIMULATE_MISFIT_LIST = 3,    /* it shows any list; the structure allows only some sets */
    LOTOR_SIMULATE_MISFIT_CLICKS = 4   /* its feedback is clicks; rewards are not independent zeros
                                          and ones */
} lotor_simulate_misfit;

/* Whether lotor_simulate_problem_run takes these parameters, before anything is played.
 * LOTOR_INVALID or LOTOR_UNKNOWN: it does not, and the message says why; *misfit says so too if the
 * algorithm does not fit the problem (LOTOR_SIMULATE_FITS otherwise). `misfit` may be NULL. */
LOTOR_API lotor_status lotor_simulate_problem_check(const lotor_simulate_problem *problem,
                                                    const lotor_simulate_params *params,
                                                    lotor_message *why,
                                                    lotor_simulate_misfit *misfit);

/* As lotor_simulate_run, in a problem that was made before: the world, and of `policy` the arms,
 * the dimension and the structure, are those of the problem, whatever `params` says. The caller
 * frees the result. */
LOTOR_API lotor_status lotor_simulate_problem_run(const lotor_simulate_problem *problem,
                                                  const lotor_simulate_params *params,
                                                  lotor_message *why, lotor_simulate_result **out);

#ifdef __cplusplus
}
#endif
#endif
