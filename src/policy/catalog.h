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
#include "privacy/release/epoch.h"
#include "privacy/release/statistic.h"

typedef enum lotor_problem {
    LOTOR_PROBLEM_FINITE = 0, /* one arm a round */
    LOTOR_PROBLEM_MATROID = 1 /* an independent set a round, every shown arm answered */
} lotor_problem;

typedef struct lotor_algorithm {
    const char *id;
    const char *summary;
    lotor_problem problem;
    const char *paper;       /* and algorithm number */
    lotor_model model;       /* NONE: not private */
    const char *not_private; /* why, where the model is NONE */
    const char *theorem;     /* what proves the privacy */
    const char *regret;      /* what is known of the regret, for people */
    const char *feedback;    /* the feedback model: privacy/encode/feedback.h */
    bool needs_horizon;
    const char *instead; /* one that needs none, for the refusal */

    /* One learner: an index rule on a statistic, or an elimination rule on epochs. */
    const lotor_index_rule *index;
    lotor_statistic_kind statistic;
    const lotor_elimination_rule *elimination;
    lotor_epoch_kind epochs;
} lotor_algorithm;

extern const lotor_algorithm lotor_catalog[];
extern const size_t lotor_catalog_size;

/* NULL when there is none of that id. */
const lotor_algorithm *lotor_catalog_find(const char *id);

const char *lotor_problem_name(lotor_problem problem); /* "finite", "matroid" */

/* What it is made of: "tree", "batch sums", ... */
const char *lotor_algorithm_statistic(const lotor_algorithm *algorithm);
const char *lotor_algorithm_rule(const lotor_algorithm *algorithm);

#endif
