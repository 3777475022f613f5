/* catalog.h - the catalog: one row per algorithm, with its paper and its parts. The privacy
 * guarantee follows from the parts.
 *
 * To add an algorithm, add a row to catalog.c. If no existing learner, rule or statistic fits, add
 * that, too.
 */
#ifndef LOTOR_POLICY_CATALOG_H
#define LOTOR_POLICY_CATALOG_H

#include <stdbool.h>
#include <stddef.h>

#include <lotor/experimental/catalog.h>
#include <lotor/guarantee.h>

#include "learn/elimination.h"
#include "learn/imed.h"
#include "learn/index.h"
#include "learn/linear.h"
#include "privacy/release/epoch.h"
#include "privacy/release/matrix.h"
#include "privacy/release/statistic.h"

typedef enum lotor_problem {
    LOTOR_PROBLEM_FINITE = 0,     /* one arm per round */
    LOTOR_PROBLEM_MATROID = 1,    /* an independent set per round; each shown arm gives a reward */
    LOTOR_PROBLEM_SEMIBANDIT = 2, /* a set that an oracle finds; each recorded arm gives a reward */
    LOTOR_PROBLEM_CASCADE = 3,    /* a list per round; the feedback is its first click */
    LOTOR_PROBLEM_LINEAR = 4,     /* one of the actions, whose contexts are new in each round */
    LOTOR_PROBLEM_ANY = 5         /* any of the first four */
} lotor_problem;

/* The sensitivity that the noise is calibrated to, in widths of one reward. */
typedef enum lotor_calibration {
    LOTOR_CALIBRATION_FEEDBACK = 0, /* the L1 sensitivity of the feedback model */
    LOTOR_CALIBRATION_SLOTS = 1,    /* K, as Wang et al. 2022 print it for their lists */
    LOTOR_CALIBRATION_ARMS = 2      /* L: epsilon/L for each of the counters of Wang et al. 2022 */
} lotor_calibration;

typedef struct lotor_algorithm {
    const char *id;
    const char *summary;
    lotor_problem problem;
    const char *paper;       /* the paper and the number of the algorithm */
    lotor_model model;       /* what the row states; it must be the model of its parts */
    const char *not_private; /* a reason why it is not private; NULL: promise.c decides */
    const char *theorem;     /* what proves the privacy guarantee */
    const char *strength;    /* a sentence that says when to choose it; or NULL */
    const char *regret;      /* what is known about the regret, shown to users */
    const char *feedback;    /* the feedback model: privacy/encode/feedback.h */
    const char *on_lists;    /* the feedback model on cascades, for LOTOR_PROBLEM_ANY; or NULL */
    lotor_ratio delta;       /* the default; 0/0: the guarantee is pure (delta = 0) */
    bool needs_horizon;
    const char *instead;     /* an algorithm without horizon that messages suggest; or NULL */
    bool starts_exact;       /* begins with one observation of every arm, without noise */
    bool is_simulation_only; /* there is no exact sampler for its noise */
    bool is_for_comparison;  /* lotor advise leaves it out: src/learn/rivals.md says why */

    /* Exactly one learner: an index rule, an imed rule or an own one with a statistic, an
     * elimination rule with epochs, or a linear rule with a matrix. */
    const lotor_index_rule *index;
    const lotor_statistic_kind *statistic;
    const lotor_imed_rule *imed;
    const lotor_recipe *own; /* only in a lotor_catalog: the caller's function (recipe.c) */
    const lotor_elimination_rule *elimination;
    const lotor_linear_rule *linear;
    lotor_calibration calibration; /* for the statistic */
    lotor_epoch_kind epochs;
    lotor_matrix_kind matrix;
    const lotor_catalog *catalog; /* the catalog that has the row; NULL: it is the library's */
} lotor_algorithm;

/* The algorithms of the library: catalog.c. */
extern const lotor_algorithm lotor_algorithms[];
extern const size_t lotor_algorithms_size;

/* The row of the library with this id, or NULL. */
const lotor_algorithm *lotor_algorithms_find(const char *id);

/* The id that is most similar to a word, for suggestions; or NULL. */
const char *lotor_algorithms_nearest(const char *word);

/* Refuses an id that is not in the catalog (LOTOR_UNKNOWN), and suggests the most similar id.
 * `word` may be NULL. */
lotor_status lotor_algorithms_refuse(const char *word, lotor_message *why);

/* The same in the caller's catalog (NULL: there is none) or among the algorithms of the library. */
const lotor_algorithm *lotor_catalog_find(const lotor_catalog *catalog, const char *id);
lotor_status lotor_catalog_refuse(const lotor_catalog *catalog, const char *word,
                                  lotor_message *why);

/* The facts about a row, for users. */
lotor_algorithm_info lotor_algorithm_facts(const lotor_algorithm *row);

/* "finite", "matroid", "semi-bandit", "cascade", "linear", "any". */
const char *lotor_problem_name(lotor_problem problem);

/* True if the algorithm is for this problem, or for several problems that include it. */
static inline bool lotor_algorithm_plays(const lotor_algorithm *algorithm, lotor_problem problem)
{
    return algorithm->problem == problem ||
           (algorithm->problem == LOTOR_PROBLEM_ANY && problem != LOTOR_PROBLEM_LINEAR);
}

/* The promise of an algorithm, derived from its parts. */
typedef struct lotor_promise {
    lotor_model model;   /* where the noise is added; NONE: no noise is added */
    const char *reason;  /* why it is not private; NULL: it is */
    bool is_seed_reason; /* that reason is the seed of the noise */
} lotor_promise;

/* promise.c: the promise of a row, whatever the parameters. The row is private only if its claim
 * (privacy/release/claim.h) covers its feedback and calibration. lotor_policy_promise in policy.h
 * checks the noise that a policy really adds, too. */
lotor_promise lotor_algorithm_promise(const lotor_algorithm *algorithm);

/* How many learners a row has: exactly one, unless the row is wrong. */
static inline int lotor_algorithm_learners(const lotor_algorithm *algorithm)
{
    return !!algorithm->index + !!algorithm->imed + !!algorithm->own + !!algorithm->elimination +
           !!algorithm->linear;
}

/* The claim of the statistic, the epochs or the matrix of a row. */
lotor_claim lotor_algorithm_claim(const lotor_algorithm *algorithm);

/* Where the algorithm adds noise. */
static inline lotor_model lotor_algorithm_model(const lotor_algorithm *algorithm)
{
    return lotor_algorithm_promise(algorithm).model;
}

/* True if the algorithm adds noise. */
static inline bool lotor_algorithm_has_noise(const lotor_algorithm *algorithm)
{
    return lotor_algorithm_model(algorithm) != LOTOR_MODEL_NONE;
}

/* True if the algorithm adds noise and its privacy guarantee holds. */
static inline bool lotor_algorithm_is_private(const lotor_algorithm *algorithm)
{
    return !lotor_algorithm_promise(algorithm).reason;
}

/* Why an algorithm that adds noise is not private all the same; NULL for all others. */
static inline const char *lotor_algorithm_leak(const lotor_algorithm *algorithm)
{
    const lotor_promise promise = lotor_algorithm_promise(algorithm);
    return promise.model != LOTOR_MODEL_NONE ? promise.reason : NULL;
}

/* True if the choices depend on beta, the probability of failure. They do for linear learners with
 * confidence widths, and with noise for elimination and for index rules with `uses_beta`. */
static inline bool lotor_algorithm_uses_beta(const lotor_algorithm *algorithm)
{
    const bool learner_does =
        algorithm->elimination || (algorithm->index && algorithm->index->uses_beta);
    const bool is_confident =
        algorithm->linear && !algorithm->linear->posterior && !algorithm->linear->samples;
    return is_confident || (lotor_algorithm_has_noise(algorithm) && learner_does);
}

/* The feedback model. For LOTOR_PROBLEM_ANY it depends on whether the feedback is clicks
 * (`cascade`). */
static inline const char *lotor_algorithm_feedback(const lotor_algorithm *algorithm, bool cascade)
{
    return cascade && algorithm->on_lists ? algorithm->on_lists : algorithm->feedback;
}

/* The names of the parts: "index", "imed", "own", "elimination" or "linear"; the statistic; the
 * formula of the rule. */
const char *lotor_algorithm_learner(const lotor_algorithm *algorithm);
const char *lotor_algorithm_statistic(const lotor_algorithm *algorithm);
const char *lotor_algorithm_rule(const lotor_algorithm *algorithm);

#endif
