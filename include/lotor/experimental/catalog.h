/* catalog.h - own algorithms. EXPERIMENTAL: this header may change in every version.
 *
 *     static bool index(void *context, uint64_t t, const lotor_recipe_board *board, double *indices)
 *     {
 *         for (size_t i = 0; i < board->arms; i++) {
 *             indices[i] = board->sums[i] / board->counts[i] + sqrt(2 * log(t) / board->counts[i]);
 *         }
 *         return true;
 *     }
 *
 *     lotor_catalog *catalog;
 *     lotor_catalog_new(&why, &catalog);
 *     lotor_catalog_add(catalog, &(lotor_recipe){.id = "mine", .statistic = "growing", .index = index},
 *                       &why);
 *     lotor_policy_params params = {.algorithm = "mine", .catalog = catalog, .arms = 5,
 *                                   .epsilon = lotor_ratio_of(1, 1)};
 *
 * A recipe is a statistic, which counts feedback and adds noise, and a function that decides what
 * to show next. The function gets the released numbers, and never any feedback. So it needs no
 * proof of its own: whatever it computes from released numbers is as private as they are. The
 * library derives the guarantee from the statistic and the feedback. A recipe can't state one.
 *
 * The library picks the best set of arms by the indices, for any structure of the policy. Ties go
 * to the arm that was recorded least often so far, and then to a random one.
 */
#ifndef LOTOR_EXPERIMENTAL_CATALOG_H
#define LOTOR_EXPERIMENTAL_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/algorithm.h>
#include <lotor/policy.h>
#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lotor_catalog lotor_catalog;

/* The input of a recipe's function: released numbers, and numbers that are public anyway.
 * Rewards are scaled to [0,1], whatever the range of the policy is. The arrays have an entry per
 * arm, and are valid during the call. */
typedef struct lotor_recipe_board {
    size_t arms, slots;      /* how many arms there are; the most that are shown together */
    uint64_t horizon;        /* 0: none is declared */
    double epsilon, delta;   /* INFINITY: no noise is added */
    double low, high;        /* the range of a reward, before it was scaled */
    double noise;            /* scale of the noise on one release, as in lotor_guarantee */
    const double *sums;      /* sum of the released rewards; noise may move it out of [0, count] */
    const double *counts;    /* how many rewards that is; 0 before the first release */
    const uint64_t *batches; /* how many releases were added up in the sum */
    const uint64_t *times;   /* the round that the latest release became final with; or 0 */
    const uint64_t *shown;   /* in how many rounds the arm was recorded so far */

    /* Every release by itself, if the statistic keeps all: release b of arm i is in place b * arms
     * + i, where b counts from 0 to batches[i] - 1. Otherwise the same as sums and counts. */
    const double *batch_sums, *batch_counts;
    size_t batch_rows; /* these two arrays have batch_rows * arms numbers */
} lotor_recipe_board;

/* An own algorithm. Fields that are 0 take their defaults. Exactly one of `index` and `choose` is
 * given.
 *
 *      statistic         an arm's entry in `sums`
 *      "growing"         all batches of 1, 1, 1, 2, 3, 4, 6, ... rounds, added up
 *      "episodes"        the latest batch of 1, 1, 2, 4, 8, ... rounds
 *      "episodes-kept"   all these batches, added up
 *      "doubling"        the latest batch of 1, 2, 4, ... rounds
 *      "tree"            all rounds, through a binary tree; needs a horizon
 *      "gaussian-tree"   the same with Gaussian noise; needs a horizon, has a delta
 *      "hybrid"          all rounds, without a horizon
 *      "vector-tree"     all rounds; every round releases all arms again; needs a horizon
 *      "reports"         the sum of reports, each with its own noise (the local model)
 *      "bits"            the same from randomized bits: an unbiased estimate of the sum
 *      "cube-reports"    the same from one report of all shown arms; for problem "semi-bandit"
 *      "click-batches"   for problem "cascade": the clicks of the latest batch of 1, 2, 4, ...
 *                        displays; `counts` is how often the item was looked at, with noise
 *      "click-reports"   the same from one report per list (the local model)
 *      "exact"           all rounds without noise: not private
 */
typedef struct lotor_recipe {
    const char *id;        /* 1 to 40 letters, digits, "-", "_" or "."; not that of another row */
    const char *summary;   /* for people; NULL: none */
    const char *statistic; /* see above */

    /* "finite": one arm per round. "matroid", "semi-bandit": sets of arms. "cascade": lists and
     * clicks. "any": all of these. NULL: "any" for the statistics that record one arm per round
     * (growing, episodes, episodes-kept, bits), "cascade" for clicks, "semi-bandit" for vector-tree
     * and cube-reports, else "finite". */
    const char *problem;

    /* The feedback that is counted: lotor_algorithm_info names the models. NULL: the usual one. For
     * sets of arms that is "semi" (all shown arms), or "least-shown" if the statistic records one
     * arm. */
    const char *feedback;

    /* Fills in the index of every arm for round t. A larger index is better, and INFINITY is
     * allowed. Indices are for rewards in [0,1]. The value for an arm without a release is ignored,
     * even a NaN: such arms come first. See `weighs_unseen`. False: the call that needed the
     * indices fails with LOTOR_INVALID, as it does for a NaN. */
    bool (*index)(void *context, uint64_t t, const lotor_recipe_board *board, double *indices);

    /* Or: picks the arms of round t itself, `slots` different ones, best first. It is only for
     * LOTOR_STRUCTURE_TOP. False: as above. */
    bool (*choose)(void *context, uint64_t t, const lotor_recipe_board *board, size_t slots,
                   uint32_t *arms);

    /* Borrowed: it must live as long as the catalog. A simulation, an audit or a check with several
     * threads calls the function from several threads at once. It gives the same numbers for any
     * number of threads if the function is pure: the same arguments give the same answer. */
    void *context;

    /* False: the function is asked only when something was released since the last time. In between
     * the indices, or the chosen arms, are kept. True: it is asked in every round. */
    bool asks_every_round;
    bool weighs_unseen; /* the indices of arms without a release count, too */
    bool needs_horizon; /* the function needs board->horizon, even if the statistic does not */
} lotor_recipe;

/* The names of the statistics that recipes can take, from place 0; NULL after the last. */
LOTOR_API const char *lotor_recipe_statistic(size_t place);

/* A catalog of own algorithms, to be given as `catalog` to lotor_policy_params, lotor_audit_params
 * and lotor_couple_params. It must live as long as everything that was made with it, and then be
 * freed by the caller. Any number of threads may read it, but not while a recipe is added. */
LOTOR_API lotor_status lotor_catalog_new(lotor_message *why, lotor_catalog **out);
LOTOR_API void lotor_catalog_free(lotor_catalog *catalog);

/* Adds a recipe; its texts are copied. LOTOR_INVALID: it makes no sense, or its id is taken.
 * LOTOR_UNKNOWN: there is no such statistic, problem or feedback. After a failure the catalog is
 * unchanged. */
LOTOR_API lotor_status lotor_catalog_add(lotor_catalog *catalog, const lotor_recipe *recipe,
                                         lotor_message *why);

/* The facts about an own algorithm, its derived guarantee included. Its texts are valid until the
 * catalog is freed. LOTOR_UNKNOWN: the catalog has no such id. */
LOTOR_API lotor_status lotor_catalog_info(const lotor_catalog *catalog, const char *id,
                                          lotor_message *why, lotor_algorithm_info *out);

#ifdef __cplusplus
}
#endif
#endif
