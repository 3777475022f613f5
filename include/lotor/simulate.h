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

/* Fields that are 0 take their defaults. There are four kinds of world:
 * - `means`: independent arms;
 * - `instance`: a named world;
 * - `own_world`: one of your own (lotor/experimental/world.h);
 * - none of these, for contextual linear algorithms: random actions (policy.arms, policy.dimension).
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
    const char *instance; /* a name that `lotor run --instance` takes: "c1" to "c4", "c2-printed",
                           * "grid:5x5", "graph:FILE", "movielens:DIR", ...; or "replay:FILE",
                           * "unbiased-replay:FILE" */

    /* How rewards spread about the means.
     *
     *      "bernoulli"      0 or 1; the same as NULL
     *      "beta"           a Beta law with a + b = `concentration`
     *      "uniform"        the widest interval around the mean inside [0,1]
     *      "gaussian:S"     Gaussian with the standard deviation S, from 1e-6 to 1 (0.1 if S is
     *                       left out), clipped to [0,1]
     *      "pareto:A"       a heavy tail: P(reward > v) = (l/v)^A from the least reward l on, with
     *                       the shape A from 1.01 to 1000 (2.5 if A is left out), clipped to [0,1]
     *
     * Clipping moves the mean of an arm. The given means are those before clipping. Regret, and all
     * results, use the means after clipping, which are computed exactly. */
    const char *rewards;
    double concentration; /* of beta: a + b */

    /* How the means change with time. NULL or "fixed": they don't. Regret is then against the best
     * decision of the same round (dynamic regret). Not for linear worlds and recorded rewards.
     *
     * With swaps and drift, the horizon has N equal parts (5 if N is left out). After each part the
     * means move on by one arm: arm i gets the mean that arm i - 1 had, and the first arm that of the
     * last.
     *
     *      "swaps:N"      at once, between two parts
     *      "drift:N"      in a straight line during each part
     *      "steps:1e3=0.5,0.4;5e3=0.2,0.6"
     *                     from round 1000 on the means are 0.5 and 0.4, from round 5000 on 0.2 and
     *                     0.6; before, those of the instance or of `means`. At most 1000 rows
     *      "lines:1e3=0.5,0.4;5e3=0.2,0.6"
     *                     in straight lines from the means of the first round to those of round 1000,
     *                     and so on; after the last row they stay
     *      "walk:S"       each mean by a random walk, which depends on the seed and is reflected at 0
     *                     and 1; S (above 0, at most 1) is the standard deviation of the walk over the
     *                     whole horizon, if it is not reflected
     *
     * Drift, lines and walk move in about 1000 small steps for the whole horizon. All changes are the
     * same in every run. If rewards are clipped, all these are means before clipping. */
    const char *world;
    bool has_gap; /* linear: one action is better than all others by `gap` */
    double gap;
    uint64_t runs;
    uint64_t seed;      /* of everything */
    size_t threads;     /* 0: as many as there are cores */
    size_t checkpoints; /* about how many points, log-spaced */
    double noise_scale; /* multiplies the noise but not the claim; 0 means 1, the correct noise */
    bool exact_rounds;  /* play every single round, without shortcuts: slower, the same law */

    /* How many rounds later the feedback of a round arrives. NULL or "0": before the next round.
     *
     *      "10000", "1e4"     always so many rounds later
     *      "uniform:A-B"      from A to B rounds later, all equally likely
     *      "geometric:W"      0, 1, 2, ... rounds later, W on average
     *      "pareto:W:A"       heavy-tailed: d rounds or more with probability (1 + d/W)^-A, with the
     *                         shape A from 0.1 to 100
     *      "list:0=0.5,10=0.3,1e3=0.2"
     *                         these delays (at most 32) with these probabilities, whose sum is 1
     *
     * A policy counts rounds in the order of display. So a round also waits for the feedback of all
     * earlier rounds, and the longest delays decide. Feedback that arrives after the horizon is
     * never used. */
    const char *delay;

    /* Called from time to time, from the calling thread, with the finished share in [0,1]. Return
     * true to stop: the result then covers the complete runs (LOTOR_STOPPED if there is none). May
     * be NULL. */
    bool (*progress)(void *progress_context, double share);
    void *progress_context;

    /* At which rounds the runs are recorded, instead of `checkpoints`. The last round is always
     * one of them. NULL: log-spaced.
     *
     *      "log:50", "50"     about 50, log-spaced
     *      "linear:50"        50, in equal steps
     *      "100,1e3,1e4"      after these rounds, in increasing order
     */
    const char *checkpoints_at;
    bool shown_at_checkpoints; /* fill lotor_simulate_result.shown_at: at most
                                  LOTOR_SIMULATE_NUMBERS_MAX counts, otherwise LOTOR_INVALID */

    /* With an expiry, every round becomes final exactly that many rounds after its display, as in
     * the service (wait_seconds). If its feedback has not arrived by then, it is never used: the
     * round counts with policy.default_reward, as lotor_policy_expire says. A share of `missing`
     * rounds never gets feedback. That needs an expiry, because a round without feedback would
     * otherwise hold up all later rounds forever. Which rounds lose their feedback does not depend on
     * anything else. Regret still uses the arms' true means. */
    bool has_expiry;
    uint64_t expiry; /* in rounds; 0: before the next round */
    double missing;  /* from 0 to 1 */

    /* Arms that come and go. NULL: all arms are there in every round. "1e3:+5,2e4:-2": arm 5 comes at
     * the start of round 1000, and is not there before; arm 2 goes at the start of round 20000. Arms
     * count from 0, rounds from 1. The policy chooses among the arms that there are, as in the
     * service, where arms are added and paused. Regret is against the best choice among the arms of
     * the same round. Not for algorithms that eliminate arms, for oracles that are not a matroid's, and
     * for linear worlds. */
    const char *schedule;

    /* Functions, tables, labelled data or a log of the caller: lotor/experimental/world.h, which may
     * change. Leave out `means`, `instance`, `world` and the gap. policy.arms is that of the own
     * world. NULL: none. */
    const struct lotor_own_world *own_world;
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
    double best_per_round;         /* expected reward of the best decision, an average over the
                                      rounds if the world changes; NaN in linear worlds */
    lotor_simulate_point *points;  /* owned by the result; the last one is at the horizon */
    size_t point_count;
    lotor_guarantee guarantee;
    double seconds;

    /* A lower bound on regret: as T grows, every algorithm that has the same privacy guarantee and
     * is good in all worlds of this kind has an expected regret of at least this times log T. At a
     * given T the regret may be below it. NaN: no bound is proved, as in
     * worlds that change. */
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

    /* The parameters, with the values that the library chose for fields that were left 0. */
    lotor_ratio epsilon;  /* 0/0: the algorithm adds no noise */
    lotor_ratio delta;    /* 0: the guarantee of the algorithm has none */
    double beta;          /* NaN: the algorithm does not use it */
    size_t slots;         /* the most arms that are shown together */
    const char *feedback; /* as in lotor_algorithm_info; owned by the library */

    double rounds_per_second;
    double indefinite_rounds; /* linear: rounds per run in which the noisy matrix was not positive
                                   definite, so the longest action was shown; else 0 */
    uint64_t late_release;    /* linear: the round of the first release, if the horizon ends before
                                   it; else 0 */

    /* The regret of single runs: the median, the 99% quantile and the largest. Between two runs a
     * quantile is on the straight line, as NumPy's quantile computes it. So the median of an even
     * number of runs is the mean of the two in the middle. */
    double regret_median, regret_99, regret_largest;

    /* The lower bound that was known before the exact price of privacy was; never above
     * `lower_bound`, and equal to it without privacy. NaN: no bound is proved. */
    double classical_bound;
    const char *classical_bound_theorem; /* owned by the library; NULL where nothing is proved */

    /* Every complete run by itself, in the order of the runs. The arrays are owned by the result.
     * `points` has the means of `regrets`, added up by the formula of Welford 1962 in this order.
     * If no run was stopped, row r of two results with the same seed and the same world is the same
     * run of the world: see "common random numbers" below. */
    double *regrets; /* runs x point_count: the regret of rounds 1 to points[i].round */
    double *rewards; /* runs x point_count: the expected reward of these rounds, given what was
                        shown: the means of the shown arms, and not the rewards that were drawn */
    uint64_t *shown; /* runs x arms: how many rounds showed each arm. NULL in linear worlds, where
                        every round has new actions, and if there are more than
                        LOTOR_SIMULATE_NUMBERS_MAX counts */
    uint64_t *shown_at; /* runs x point_count x arms: the same for rounds 1 to points[i].round. NULL
                           if `shown` is, or if shown_at_checkpoints was false */

    /* The largest share of an arm's rewards that is expected to be clipped to [0,1]; 0 if the law of
     * rewards needs no clipping. If the world changes, the largest of all rounds. */
    double clipped_share;

    /* The share of rounds that is expected to become final without feedback, because it is missing or
     * its delay is longer than the expiry; 0 without an expiry. */
    double lost_share;

    /* Own worlds, and unbiased replay. If the means are not known, as in a replay, all numbers about
     * regret and the best decision are NaN, and per_round is the average of the rewards that were
     * paid. In an unbiased replay, it is the average over the accepted events, and round_error the
     * standard error within one run. */
    double context_scale;   /* labelled data: the features were divided by this; otherwise 1 */
    uint64_t logged_events; /* unbiased replay: the length of the log; otherwise 0 */
    double accepted_events; /* unbiased replay: accepted events per run; otherwise 0 */
} lotor_simulate_result;

/* Common random numbers. Every run has two random streams, which depend on the seed and the number
 * of the run alone: one for the world, one for the noise and for ties. So two algorithms, or two
 * epsilons, that are played with the same seed share these streams. As far as both use them alike,
 * the differences of their rows have a smaller variance than those of independent runs:
 *
 * - Linear worlds without a gap: theta and the actions of every round are the same.
 * - Linear worlds with a gap: theta is the same. The actions are not: only those are drawn that the
 *   learner can choose.
 * - Arms: the n-th number of the stream is the same. With exact_rounds, rewards of 0 and 1 and one
 *   arm a round, it decides the reward of round n: an arm with a higher mean pays whenever one with
 *   a lower mean would have. Without exact_rounds many rewards are drawn as one sum, and only
 *   algorithms that do so at the same times stay together.
 * - One algorithm with two epsilons: the noise is the same up to its scale, until the first round in
 *   which the two show something else. */

/* Runs a simulation; the caller frees the result. LOTOR_INVALID: a parameter makes no sense.
 * LOTOR_UNKNOWN: a name or a file does not exist. LOTOR_RANGE: a mean or a gap is out of range.
 * LOTOR_STOPPED: `progress` returned true. */
LOTOR_API lotor_status lotor_simulate_run(const lotor_simulate_params *params, lotor_message *why,
                                          lotor_simulate_result **out);
LOTOR_API void lotor_simulate_free(lotor_simulate_result *result);

/* True if an instance pays recorded rewards, those of a log or of a data set. Then `rewards` must
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

/* The facts about a problem. The problem owns its arrays (or the caller of lotor_simulate_problem_new, who
 * gave them in `policy`), so they are valid until the problem is freed or its structure changes.
 * The library owns the texts. */
typedef struct lotor_simulate_problem_facts {
    size_t arms;
    bool is_linear;      /* each round has new actions: all below but `dimension` is 0 or NULL */
    size_t dimension;    /* of the actions, or of the vectors of a linear matroid */
    const double *means; /* arms; if the world changes, those of the first round of `swaps` and
                            `steps`; if rewards are clipped, those after clipping. NULL:
                            not known, as in an unbiased replay */
    bool changes;        /* the means change with time: lotor_simulate_params.world */
    const char *rewards; /* "bernoulli", "beta", "uniform", "gaussian", "pareto", "replay",
                            "movielens", "unbiased-replay" or "own" */
    bool is_binary;      /* rewards are 0 or 1, and independent */
    lotor_structure structure;  /* which arms may be shown together */
    const char *structure_name; /* see lotor_simulate_problem_structure */
    bool has_usual_structure;   /* the structure is that of the instance's vectors or graph, because
                                     no other was asked for */
    size_t slots;               /* LOTOR_STRUCTURE_TOP: arms that are shown */
    size_t seeds;               /* coverage, influence: vertices that are picked */
    const uint32_t *from, *to;  /* arms: the two ends of each, if arms are edges; else NULL */
    uint32_t source;            /* path: its first vertex */
    bool is_clipped;            /* rewards are clipped to [0,1], which moves the means */
    bool arms_change;           /* arms come and go: lotor_simulate_params.schedule */
} lotor_simulate_problem_facts;

/* Makes the problem that `means`, `instance`, `own_world`, `rewards`, `concentration`, `world`, the gap, and the
 * arms, dimension and structure of `policy` describe. Of policy.algorithm only one thing matters: whether
 * it is for linear problems. The means and the name of the instance are copied; the caller keeps
 * the arrays and callbacks of `policy` and `own_world` until the problem is freed. The caller frees the problem.
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

/* True if lotor_simulate_problem_run takes these parameters, before anything is played.
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
