/* catalog.h - the catalog: one row per algorithm, with its paper, its parts and its privacy
 * guarantee.
 *
 * To add an algorithm, add a row to catalog.c. If no existing learner, rule or statistic fits, add
 * that, too.
 */
#ifndef LOTOR_POLICY_CATALOG_H
#define LOTOR_POLICY_CATALOG_H

#include <stdbool.h>
#include <stddef.h>

#include <lotor/guarantee.h>

#include "learn/elimination.h"
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
    lotor_model model;       /* NONE: no noise is added */
    const char *not_private; /* why the privacy guarantee does not hold; NULL: it holds */
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

    /* Exactly one learner: an index rule with a statistic, an elimination rule with epochs, or a
     * linear rule with a matrix. */
    const lotor_index_rule *index;
    const lotor_statistic_kind *statistic;
    const lotor_elimination_rule *elimination;
    const lotor_linear_rule *linear;
    lotor_calibration calibration; /* for the statistic */
    lotor_epoch_kind epochs;
    lotor_matrix_kind matrix;
} lotor_algorithm;

extern const lotor_algorithm lotor_catalog[];
extern const size_t lotor_catalog_size;

/* The row with this id, or NULL. */
const lotor_algorithm *lotor_catalog_find(const char *id);

/* The id that is most similar to a word, for suggestions; or NULL. */
const char *lotor_catalog_nearest(const char *word);

/* Refuses an id that is not in the catalog (LOTOR_UNKNOWN), and suggests the most similar id.
 * `word` may be NULL. */
lotor_status lotor_catalog_refuse(const char *word, lotor_message *why);

/* "finite", "matroid", "semi-bandit", "cascade", "linear", "any". */
const char *lotor_problem_name(lotor_problem problem);

/* True if the algorithm is for this problem, or for several problems that include it. */
static inline bool lotor_algorithm_plays(const lotor_algorithm *algorithm, lotor_problem problem)
{
    return algorithm->problem == problem ||
           (algorithm->problem == LOTOR_PROBLEM_ANY && problem != LOTOR_PROBLEM_LINEAR);
}

/* True if the algorithm adds noise. */
static inline bool lotor_algorithm_has_noise(const lotor_algorithm *algorithm)
{
    return algorithm->model != LOTOR_MODEL_NONE;
}
/* True if the algorithm adds noise and its privacy guarantee holds. */
static inline bool lotor_algorithm_is_private(const lotor_algorithm *algorithm)
{
    return lotor_algorithm_has_noise(algorithm) && !algorithm->not_private;
}

/* True if the choices depend on beta, the probability of failure. They do for linear learners, and
 * with noise for elimination and for index rules with `uses_beta`. */
static inline bool lotor_algorithm_uses_beta(const lotor_algorithm *algorithm)
{
    const bool learner_does =
        algorithm->elimination || (algorithm->index && algorithm->index->uses_beta);
    return algorithm->linear || (lotor_algorithm_has_noise(algorithm) && learner_does);
}

/* The feedback model. For LOTOR_PROBLEM_ANY it depends on whether the feedback is clicks
 * (`cascade`). */
static inline const char *lotor_algorithm_feedback(const lotor_algorithm *algorithm, bool cascade)
{
    return cascade && algorithm->on_lists ? algorithm->on_lists : algorithm->feedback;
}

/* The names of the parts: "index", "elimination" or "linear"; the statistic; the formula of the
 * rule. */
const char *lotor_algorithm_learner(const lotor_algorithm *algorithm);
const char *lotor_algorithm_statistic(const lotor_algorithm *algorithm);
const char *lotor_algorithm_rule(const lotor_algorithm *algorithm);

#endif
