/* catalog.h - every algorithm as a row: its paper, its parts, its promise.
 *
 * Adding an algorithm is adding a row to catalog.c, and a part where none fits yet.
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
    LOTOR_PROBLEM_FINITE = 0,     /* one arm a round */
    LOTOR_PROBLEM_MATROID = 1,    /* an independent set a round, every shown arm answered */
    LOTOR_PROBLEM_SEMIBANDIT = 2, /* a set that an oracle finds, every asked arm answered */
    LOTOR_PROBLEM_CASCADE = 3,    /* a list a round, answered by its first click */
    LOTOR_PROBLEM_LINEAR = 4,     /* one of the actions that each round brings */
    LOTOR_PROBLEM_ANY = 5         /* any of the first four */
} lotor_problem;

/* What the noise is calibrated to, in widths of one reward. */
typedef enum lotor_calibration {
    LOTOR_CALIBRATION_FEEDBACK = 0, /* the feedback model's own L1 sensitivity */
    LOTOR_CALIBRATION_SLOTS = 1,    /* K, as Wang et al. 2022 print it for their lists */
    LOTOR_CALIBRATION_ARMS = 2      /* L: epsilon/L for each of their counters */
} lotor_calibration;

typedef struct lotor_algorithm {
    const char *id;
    const char *summary;
    lotor_problem problem;
    const char *paper;       /* and algorithm number */
    lotor_model model;       /* NONE: no noise is added */
    const char *not_private; /* why its promise does not hold; NULL: it does */
    const char *theorem;     /* what proves the privacy */
    const char *strength;    /* why one would take it, as a sentence; or NULL */
    const char *regret;      /* what is known of the regret, for people */
    const char *feedback;    /* the feedback model: privacy/encode/feedback.h */
    const char *on_lists;    /* of those that play any problem: the one for cascades */
    lotor_ratio delta;       /* unless one is given; 0/0: its promise is pure */
    bool needs_horizon;
    const char *instead;     /* one that needs none, for the refusal; or NULL */
    bool starts_exact;       /* with an observation of every arm before the first round */
    bool is_simulation_only; /* its noise has no exact sampler */

    /* One learner: an index rule on a statistic, an elimination rule on epochs, or a linear rule on
     * a matrix. */
    const lotor_index_rule *index;
    const lotor_statistic_kind *statistic;
    const lotor_elimination_rule *elimination;
    const lotor_linear_rule *linear;
    lotor_calibration calibration; /* of the statistic */
    lotor_epoch_kind epochs;
    lotor_matrix_kind matrix;
} lotor_algorithm;

extern const lotor_algorithm lotor_catalog[];
extern const size_t lotor_catalog_size;

/* NULL when there is none of that id. */
const lotor_algorithm *lotor_catalog_find(const char *id);

/* The id that is meant, perhaps; or NULL. */
const char *lotor_catalog_nearest(const char *word);

/* The refusal of an id that is not there (NULL: of none), with the nearest: LOTOR_UNKNOWN. */
lotor_status lotor_catalog_refuse(const char *word, lotor_message *why);

/* "finite", "matroid", "semi-bandit", "cascade", "linear", "any". */
const char *lotor_problem_name(lotor_problem problem);

/* Whether it is for that problem, or for several of which that is one. */
static inline bool lotor_algorithm_plays(const lotor_algorithm *algorithm, lotor_problem problem)
{
    return algorithm->problem == problem ||
           (algorithm->problem == LOTOR_PROBLEM_ANY && problem != LOTOR_PROBLEM_LINEAR);
}

/* Whether it adds noise, and whether its promise holds. */
static inline bool lotor_algorithm_has_noise(const lotor_algorithm *algorithm)
{
    return algorithm->model != LOTOR_MODEL_NONE;
}
static inline bool lotor_algorithm_is_private(const lotor_algorithm *algorithm)
{
    return lotor_algorithm_has_noise(algorithm) && !algorithm->not_private;
}

/* Whether its choices depend on beta, the probability of failure: of elimination, of ellipsoids, and of
 * index rules that say so. */
static inline bool lotor_algorithm_uses_beta(const lotor_algorithm *algorithm)
{
    const bool learner_does =
        algorithm->elimination || (algorithm->index && algorithm->index->uses_beta);
    return algorithm->linear || (lotor_algorithm_has_noise(algorithm) && learner_does);
}

/* Its feedback model; for those that play any problem it depends on whether they hear clicks. */
static inline const char *lotor_algorithm_feedback(const lotor_algorithm *algorithm, bool cascade)
{
    return cascade && algorithm->on_lists ? algorithm->on_lists : algorithm->feedback;
}

/* What it is made of: "index", "tree", "batch sums", ... */
const char *lotor_algorithm_learner(const lotor_algorithm *algorithm);
const char *lotor_algorithm_statistic(const lotor_algorithm *algorithm);
const char *lotor_algorithm_rule(const lotor_algorithm *algorithm);

#endif
