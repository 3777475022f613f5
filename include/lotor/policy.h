/* policy.h - a policy learns what people like, and keeps each person's feedback private.
 *
 *     lotor_policy_params params = {.algorithm = "dp-se", .arms = 5, .horizon = 1000000,
 *                                   .epsilon = lotor_ratio_of(1, 1)};
 *     lotor_policy *policy;
 *     lotor_policy_new(&params, &why, &policy);
 *     for (;;) {
 *         lotor_decision decision;
 *         lotor_policy_choose(policy, NULL, &why, &decision);      what to show
 *         double reward = ...;                                     what came back
 *         lotor_policy_learn(policy, decision.event, &(lotor_feedback){&reward, 1, 0}, &why);
 *     }
 *
 * Feedback may come late, in any order, twice or never: then call `observe` when it comes, and
 * `expire` when its time is over. A round counts when it expires: with its feedback, or with the
 * default reward if there was none. `choose` uses only released numbers. It can be called any
 * number of times before the first feedback.
 *
 * Threads: a policy may be used by one thread at a time; different policies are independent.
 *
 * Fork: only the process that made or loaded a policy may use it. In a forked child, `choose`,
 * `observe`, `expire` and `save` fail with LOTOR_INVALID and change nothing. Otherwise parent and
 * child would draw two noises for the same sums, and two noisy values of one sum reveal more than
 * one. Make the policy after fork(). Or save it in the parent, free it there, and load it in the
 * child. A child may free its copy.
 */
#ifndef LOTOR_POLICY_H
#define LOTOR_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/guarantee.h>
#include <lotor/ratio.h>
#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lotor_policy lotor_policy;

/* Which sets of arms may be shown together. */
typedef enum lotor_structure {
    LOTOR_STRUCTURE_TOP = 0,       /* any `slots` arms */
    LOTOR_STRUCTURE_PARTITION = 1, /* at most capacity[g] of group g */
    LOTOR_STRUCTURE_GRAPHIC = 2,   /* arms are edges; a set must not contain a cycle */
    LOTOR_STRUCTURE_LINEAR = 3,    /* arms are integer vectors; independent over the rationals */
    LOTOR_STRUCTURE_CUSTOM_MATROID = 4, /* matroid with the caller's own independence test */
    LOTOR_STRUCTURE_PATH = 5,      /* arms are edges of a directed graph without cycles; a set is a
                                      path from source to sink; an edge costs 1 - its reward */
    LOTOR_STRUCTURE_COVERAGE = 6,  /* arms are edges from a left to a right side; a set is all edges
                                      of `seeds` vertices on the left */
    LOTOR_STRUCTURE_INFLUENCE = 7, /* arms are edges of a directed graph; a set is all edges that
                                      `seeds` vertices can reach */
    LOTOR_STRUCTURE_CUSTOM_ORACLE = 8 /* the caller's own oracle */
} lotor_structure;

/* LOTOR_STRUCTURE_INFLUENCE estimates how many vertices a set reaches: the average over this many
 * random graphs. */
#define LOTOR_POLICY_INFLUENCE_SAMPLES 400

/* Fields that are 0 take their defaults. Arrays are copied. `context` is borrowed: it must live as
 * long as the policy. */
typedef struct lotor_policy_params {
    const char *algorithm; /* an id of the catalog, such as "dp-se" */
    size_t arms;
    size_t slots;        /* arms shown together, for LOTOR_STRUCTURE_TOP; 0 means 1 */
    uint64_t horizon;    /* the most rounds, if the algorithm needs a horizon */
    lotor_ratio epsilon; /* > 0 for private algorithms; infinity adds no noise */
    lotor_ratio delta; /* 0/0: the algorithm's default; 0/1 is refused if the algorithm needs one */
    double beta;       /* probability of failure; 0 means 1/horizon */
    double low, high;  /* range of a reward; 0, 0 means [0,1], and [-1,1] in linear problems */
    double default_reward; /* counts for rounds without feedback; must lie in the range */
    bool clip;             /* caps indices at `high`, as some papers do */

    /* Feedback is a click on a list. Algorithms for cascades set this themselves. Set it for
     * algorithms that play any problem. */
    bool cascade;

    /* One observation per arm from before the first round, used without noise: it protects nobody.
     * Only for algorithms whose paper starts like this; else NULL. */
    const double *first;

    lotor_structure structure;
    const uint32_t *group;    /* partition: the group of each arm */
    const uint32_t *capacity; /* partition: one number per group */
    size_t groups;
    const uint32_t *from, *to; /* graphic, path, coverage, influence: vertices of each arm, >= 0 */
    size_t vertices;           /* coverage: only those on the left */
    uint32_t source, sink;     /* path */
    size_t seeds;              /* coverage, influence: number of vertices to pick; 0 means 1 */
    const int64_t *vectors;    /* linear: arms x dimension, row by row */
    size_t dimension;

    /* custom: returns whether `arm` may join the `count` independent arms of `set`. `choose` fails
     * with LOTOR_INVALID if this function accepts fewer than `rank` arms. */
    bool (*independent)(const void *context, const uint32_t *set, size_t count, uint32_t arm);
    const void *context;
    size_t rank; /* custom: size of a largest independent set; own: the most arms that it picks */

    /* own: `pick` gets any indices, INFINITY and -INFINITY included. It writes at most `rank`
     * different arms and returns how many. With probability at least oracle_beta (0 means 1), their
     * value is at least alpha times the best value. `value` returns the expected reward of a set,
     * given the arms' means; NULL: the sum of the means. Both functions get `context`, and must be
     * pure. */
    size_t (*pick)(const void *context, const double *index, size_t arms, uint32_t *picked);
    double (*value)(const void *context, const double *means, const uint32_t *set, size_t count);
    double alpha, oracle_beta;

    /* Contextual linear problems: `arms` actions per round, each a vector of `dimension`
     * numbers. */
    double context_length; /* the greatest length of an action; 0 means 1 */
    double theta_length;   /* the greatest length of the hidden parameter; 0 means 1 */
    double regularizer;    /* lambda of linucb and jdp-batch; 0 means 1 */

    /* lik-imed and rr-imed. None of these changes what is private. */
    double caution; /* evidence that is not believed: more means thinner tails and more regret; 0
                       means 3.5 */
    double lag; /* lists: for each time that another of the best arms is first, the best is first
                   this often; 0 means 4 in a cascade, else 1 */
    uint64_t half_life; /* in worlds that change: a release counts half as much after every so many
                           rounds; 0: all count the same. Not together with a window */
    bool half_life_in_seconds; /* it is in seconds: see lotor_policy_tick */
    /* lik-imed alone. */
    uint64_t window; /* releases that are older than so many rounds are forgotten; 0: none is */
    bool alarm;      /* if a mean seems to have changed, older releases are forgotten */
    double
        variance; /* a promise that the rewards of an arm have this variance; 0: no promise. If it
                        is broken, the policy may learn badly */

    /* Own algorithms (lotor/experimental/catalog.h), which `algorithm` can name, too. Borrowed: it
     * must live as long as the policy. NULL: none. */
    const struct lotor_catalog *catalog;
} lotor_policy_params;

/* The arms to show in a round. The pointers are valid until the policy is used again. */
typedef struct lotor_decision {
    uint64_t event;       /* identifies the round for observe and expire; counts up from 1 */
    const uint32_t *arms; /* from 0 */
    size_t count;
    const uint32_t *asked; /* the arms whose rewards the feedback must contain: all shown arms, or
                              one; if the feedback is a click, the arm that the click counts for */
    size_t asked_count;
    const uint32_t *seeds; /* coverage, influence: the vertices behind the arms; else NULL */
    size_t seed_count;
    uint64_t hold; /* the decision stays the same for this many rounds, this one included; >= 1 */
} lotor_decision;

/* The feedback of one round. */
typedef struct lotor_feedback {
    const double *rewards; /* one per asked arm, in the order of decision.asked */
    size_t count;
    size_t click; /* cascades: the position of the first click from 1, or 0 for none */
} lotor_feedback;

/* Returns NULL if the parameters are valid, else why->text. `why` must not be NULL. */
LOTOR_API const char *lotor_policy_check(const lotor_policy_params *params, lotor_message *why);

/* Makes a policy with exact noise and no seed; the caller frees it. */
LOTOR_API lotor_status lotor_policy_new(const lotor_policy_params *params, lotor_message *why,
                                        lotor_policy **out);
LOTOR_API void lotor_policy_free(lotor_policy *policy);

/* Opens a round. In contextual problems, `context` holds the actions of the person in this round:
 * arms x dimension numbers, row by row. In other problems it is NULL. LOTOR_RANGE: an action is too
 * long, or is not a number. After the horizon, `choose` still decides, but those rounds have event
 * 0 and take no feedback. */
LOTOR_API lotor_status lotor_policy_choose(lotor_policy *policy, const double *context,
                                           lotor_message *why, lotor_decision *out);

/* Keeps the feedback of a round. LOTOR_RANGE: the feedback is refused, and the round stays open.
 * LOTOR_LATE, LOTOR_DUPLICATE: the feedback is dropped. LOTOR_UNKNOWN: there is no such round. */
LOTOR_API lotor_status lotor_policy_observe(lotor_policy *policy, uint64_t event,
                                            const lotor_feedback *feedback, lotor_message *why);

/* Says what time it is, in seconds since any fixed moment, for a half-life in seconds. Call it
 * before `choose` and `expire`. A time that goes back is ignored. Without such calls nothing is
 * forgotten. LOTOR_INVALID: the half-life is not in seconds, or the time is 2^62 or more. */
LOTOR_API lotor_status lotor_policy_tick(lotor_policy *policy, uint64_t second, lotor_message *why);

/* Makes a round final: from now on it counts. A second call changes nothing. On LOTOR_ENTROPY, call
 * it again later. */
LOTOR_API lotor_status lotor_policy_expire(lotor_policy *policy, uint64_t event,
                                           lotor_message *why);

/* `observe` and `expire` at once: the round counts with this feedback. Event 0, of a round past the
 * horizon, is accepted and changes nothing. If the feedback is refused (see `observe`), the round
 * stays as it was. On LOTOR_ENTROPY and LOTOR_MEMORY the feedback was kept and the round is final:
 * call `expire` with this event later. */
LOTOR_API lotor_status lotor_policy_learn(lotor_policy *policy, uint64_t event,
                                          const lotor_feedback *feedback, lotor_message *why);

/* Many rounds at once, for simulations and logs. A call opens at most this many. */
#define LOTOR_POLICY_MANY_MAX 1048576

/* Opens up to `limit` rounds that all show the arms of `out`: as many as surely have the same
 * decision for every possible feedback. Their number is *rounds, at least 1; it is 1 if every round
 * can change the choice. Their events are out->event, out->event + 1, and so on. Past the horizon
 * all of them have event 0. The effect is that of *rounds calls of `choose`. After a failure no
 * round was opened. LOTOR_INVALID: `limit` is 0, or the policy takes contexts. */
LOTOR_API lotor_status lotor_policy_choose_many(lotor_policy *policy, uint64_t limit,
                                                lotor_message *why, lotor_decision *out,
                                                uint64_t *rounds);

/* `learn` for the events first, first + 1, ...: feedback[i] is that of event first + i. All
 * feedback is checked before any is kept: if one round refuses its feedback, all rounds stay as
 * they were, and `why` names the round. The effect is that of `rounds` calls of `learn`, in this
 * order. On LOTOR_ENTROPY and LOTOR_MEMORY all feedback was kept and all these rounds are final:
 * call `expire` with one of these events later. If `first` or `rounds` is 0, nothing changes. */
LOTOR_API lotor_status lotor_policy_learn_many(lotor_policy *policy, uint64_t first,
                                               uint64_t rounds, const lotor_feedback *feedback,
                                               lotor_message *why);

LOTOR_API void lotor_policy_guarantee(const lotor_policy *policy, lotor_guarantee *out);

/* The number of arms, and the number of values in one action of a context (0: the policy takes no
 * contexts). A caller of lotor_policy_load needs these for `choose`. */
LOTOR_API size_t lotor_policy_arms(const lotor_policy *policy);
LOTOR_API size_t lotor_policy_dimension(const lotor_policy *policy);

/* The id of the algorithm, such as "dp-se". It lives as long as the policy. */
LOTOR_API const char *lotor_policy_algorithm(const lotor_policy *policy);

/* Saves and loads a policy, raw sums included; see lotor_counter_save. The loaded policy makes the
 * same next choices. The functions of a custom structure and of an own algorithm are not saved:
 * pass them, or the catalog, again in `custom`; else NULL. LOTOR_DAMAGED: the bytes were changed or
 * cut, or `custom` lacks what they need. LOTOR_INVALID: they hold a simulation with a seed, which
 * is not private (lotor/experimental/lab.h). */
LOTOR_API lotor_status lotor_policy_save(const lotor_policy *policy, unsigned char **bytes,
                                         size_t *length);
LOTOR_API lotor_status lotor_policy_load(const unsigned char *bytes, size_t length,
                                         const lotor_policy_params *custom, lotor_message *why,
                                         lotor_policy **out);

#ifdef __cplusplus
}
#endif
#endif
