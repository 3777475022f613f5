/* policy.h - learn what people like, without telling what anyone answered.
 *
 *     lotor_policy_params params = {.algorithm = "dp-se", .arms = 5, .horizon = 1000000,
 *                                   .epsilon = lotor_ratio_of(1, 1)};
 *     lotor_policy *policy;
 *     lotor_policy_new(&params, &why, &policy);
 *     for (;;) {
 *         lotor_decision decision;
 *         lotor_policy_choose(policy, NULL, &why, &decision);      what to show
 *         double reward = ...;                                     what came back, if anything
 *         lotor_policy_observe(policy, decision.event, &(lotor_answer){&reward, 1, 0}, &why);
 *         lotor_policy_expire(policy, decision.event, &why);       the round is over
 *     }
 *
 * Answers may come late, in any order, twice or never: a round counts when it expires, with its
 * answer or, without one, the default reward. `choose` looks at released facts only; it can be
 * called any number of times before the first answer.
 *
 * Threads: a policy may be used by one thread at a time; different policies are independent.
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
    LOTOR_STRUCTURE_TOP = 0,       /* any `slots` of them; with slots = 1 the best arm */
    LOTOR_STRUCTURE_PARTITION = 1, /* at most capacity[g] of group g */
    LOTOR_STRUCTURE_GRAPHIC = 2,   /* arms are edges; no cycles */
    LOTOR_STRUCTURE_LINEAR = 3,    /* arms are integer vectors; independent over the rationals */
    LOTOR_STRUCTURE_CUSTOM = 4,    /* the caller's own independence test */
    LOTOR_STRUCTURE_PATH = 5,      /* arms are edges of a directed graph without cycles: paths from
                                      source to sink; an edge costs 1 - its reward */
    LOTOR_STRUCTURE_COVERAGE = 6,  /* arms are edges from a left to a right side: all edges of
                                      `seeds` vertices on the left */
    LOTOR_STRUCTURE_INFLUENCE = 7, /* arms are edges of a directed graph: all that `seeds` vertices
                                      can reach */
    LOTOR_STRUCTURE_OWN = 8        /* the caller's own oracle */
} lotor_structure;

/* LOTOR_STRUCTURE_INFLUENCE estimates what can be reached by an average over so many draws of the
 * graph. */
#define LOTOR_POLICY_INFLUENCE_SAMPLES 400

/* Zeroed fields take their defaults. Arrays are copied; `context` is borrowed. */
typedef struct lotor_policy_params {
    const char *algorithm; /* an id of the catalog, such as "dp-se" */
    size_t arms;
    size_t slots;        /* arms shown together, for LOTOR_STRUCTURE_TOP; 0 means 1 */
    uint64_t horizon;    /* rounds at most, where the algorithm needs one */
    lotor_ratio epsilon; /* > 0 for the private ones; infinity adds no noise */
    lotor_ratio
        delta;   /* 0/0: what is usual for the algorithm, if its promise has one; a delta of 0/1
                            is then refused */
    double beta; /* probability of failure; 0 means 1/horizon */
    double low, high;      /* range of a reward; 0, 0 means [0,1], in linear problems [-1,1] */
    double default_reward; /* what counts when nobody answered; must lie in the range */
    bool clip;             /* indices are capped at `high`, as some papers do */
    bool cascade;          /* answers are clicks on a list: set for you where the algorithm is for
                              cascades, and yours to set for those that play any problem */
    const double *first;   /* arms: an observation of each before the first round, taken as it is;
                              for the ids whose paper starts so (it protects nobody); else NULL */

    lotor_structure structure;
    const uint32_t *group; /* partition: arms; capacity: groups */
    const uint32_t *capacity;
    size_t groups;
    const uint32_t *from, *to; /* graphic, path, coverage, influence: arms; from 0 */
    size_t vertices;           /* in coverage: those on the left */
    uint32_t source, sink;     /* path */
    size_t seeds;              /* coverage, influence: how many vertices are picked; 0 means 1 */
    const int64_t *vectors;    /* linear: arms x dimension, row by row */
    size_t dimension;
    bool (*independent)(const void *context, const uint32_t *set, size_t count, uint32_t arm);
    const void
        *context; /* custom: may `arm` join the `count` independent arms of `set`? Where fewer than
                            `rank` may join in turn, `choose` is refused (LOTOR_INVALID) */
    size_t rank;  /* custom: the size of a largest independent set; own: the most arms it picks */

    /* own: for any indices (INFINITY among them) writes at most `rank` different arms, worth at least
     * alpha times the best with probability at least oracle_beta (0 means 1), and returns how many.
     * `value` is what a set pays on average, given the arms' means; NULL: the sum. Both get
     * `context`, and must be pure. */
    size_t (*pick)(const void *context, const double *index, size_t arms, uint32_t *picked);
    double (*value)(const void *context, const double *means, const uint32_t *set, size_t count);
    double alpha, oracle_beta;

    /* Contextual linear problems: `arms` actions a round, each a vector of `dimension` numbers. */
    double context_length; /* no action is longer; 0 means 1 */
    double theta_length;   /* nor is the hidden parameter; 0 means 1 */
    double regularizer;    /* lambda of linucb and jdp-batch; 0 means 1 */
} lotor_policy_params;

/* What to show. `arms` is good until the policy is used again. */
typedef struct lotor_decision {
    uint64_t event;       /* names this round in observe and expire; counts up from 1 */
    const uint32_t *arms; /* from 0 */
    size_t count;
    const uint32_t *asked; /* the arms whose rewards are to be told: all of them, or one (of a list
                              that is answered by its click: the one that it counts for) */
    size_t asked_count;
    const uint32_t *seeds; /* coverage, influence: the vertices behind the arms; else NULL */
    size_t seed_count;
    uint64_t hold; /* for how many rounds from this one on the answer can't change; at least 1 */
} lotor_decision;

/* What came back. */
typedef struct lotor_answer {
    const double *rewards; /* one per asked arm, in the decision's order */
    size_t count;
    size_t click; /* cascades: the position of the first click from 1, or 0 for none */
} lotor_answer;

/* NULL when the parameters are fine, else why->text (`why` must not be NULL). */
LOTOR_API const char *lotor_policy_check(const lotor_policy_params *params, lotor_message *why);

/* Makes a policy with exact noise and no seed; the caller frees it. */
LOTOR_API lotor_status lotor_policy_new(const lotor_policy_params *params, lotor_message *why,
                                        lotor_policy **out);
LOTOR_API void lotor_policy_free(lotor_policy *policy);

/* Opens a round. In contextual problems `context` has the asking person's actions, arms x dimension
 * numbers, row by row (LOTOR_RANGE: one is too long, or no number); else it is NULL. Past the horizon
 * it goes on choosing; such rounds have event 0 and take no feedback. */
LOTOR_API lotor_status lotor_policy_choose(lotor_policy *policy, const double *context,
                                           lotor_message *why, lotor_decision *out);

/* Keeps an answer. Refused, with the round still open: LOTOR_RANGE. Dropped: LOTOR_LATE,
 * LOTOR_DUPLICATE; LOTOR_UNKNOWN: no such round. */
LOTOR_API lotor_status lotor_policy_observe(lotor_policy *policy, uint64_t event,
                                            const lotor_answer *answer, lotor_message *why);

/* Ends a round: now it counts. Again is fine. On LOTOR_ENTROPY call it again later. */
LOTOR_API lotor_status lotor_policy_expire(lotor_policy *policy, uint64_t event,
                                           lotor_message *why);

LOTOR_API void lotor_policy_guarantee(const lotor_policy *policy, lotor_guarantee *out);

/* How many arms it has, and how many numbers each action of its contexts has (0: it takes none): what
 * a policy that was loaded expects of `choose`. */
LOTOR_API size_t lotor_policy_arms(const lotor_policy *policy);
LOTOR_API size_t lotor_policy_dimension(const lotor_policy *policy);

/* Saves everything, raw sums included (see lotor_counter_save): the next choices are the same.
 * A custom structure can't be saved with its function: give it again when loading, else NULL. */
LOTOR_API lotor_status lotor_policy_save(const lotor_policy *policy, unsigned char **bytes,
                                         size_t *length);
LOTOR_API lotor_status lotor_policy_load(const unsigned char *bytes, size_t length,
                                         const lotor_policy_params *custom, lotor_message *why,
                                         lotor_policy **out);

#ifdef __cplusplus
}
#endif
#endif
