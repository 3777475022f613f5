/* figures_shariff_claim.c - Shariff and Sheffet 2018, Claim 13: plain differential privacy forces
 * linear regret in contextual bandits. That is why the paper, and Lotor, promise joint privacy. The
 * world and the proof are in src/lab/contexts.c.
 */
#include <math.h>

#include "papers/figures.h"

static const lotor_curve_plan curves[] = {
    {"least with plain privacy", {.algorithm = "plain-dp"}},
    {"randomized response", {.algorithm = "randomized-response"}},
    LOTOR_CURVE("jdp-linucb"),
    LOTOR_CURVE("jdp-batch"),
    LOTOR_CURVE("linucb"),
};

static const lotor_figure_check checks[] = {
    {.claim = "randomized response never loses less than plain privacy forces: its regret is above "
              "(1 - delta)/(1 + e^epsilon) a round",
     .kind = LOTOR_CHECK_NEVER_ABOVE,
     .first = "least with plain privacy",
     .second = "randomized response",
     .factor = 1},
    {.claim = "its regret grows linearly: a slope from 0.95 to 1.05",
     .kind = LOTOR_CHECK_SLOPE,
     .first = "randomized response",
     .low = 0.95,
     .high = 1.05},
    {.claim = "with joint privacy regret grows sublinearly: jdp-batch has a slope up to 0.7",
     .kind = LOTOR_CHECK_SLOPE,
     .first = "jdp-batch",
     .low = -INFINITY,
     .high = 0.7},
    {.claim = "with joint privacy regret grows sublinearly: jdp-linucb has a slope up to 0.7",
     .kind = LOTOR_CHECK_SLOPE,
     .first = "jdp-linucb",
     .low = -INFINITY,
     .high = 0.7},
    {.claim = "jdp-batch loses less than any policy with plain privacy can",
     .kind = LOTOR_CHECK_BELOW,
     .first = "jdp-batch",
     .second = "least with plain privacy"},
    {.claim = "jdp-linucb loses less than any policy with plain privacy can",
     .kind = LOTOR_CHECK_BELOW,
     .first = "jdp-linucb",
     .second = "least with plain privacy"},
};

const lotor_figure lotor_figures_shariff_claim[] = {
    {.id = "shariff-claim-13",
     .paper = "Shariff and Sheffet 2018",
     .where = "Claim 13",
     .title = "Contexts: plain privacy against joint privacy",
     .claim = "For epsilon < log 2 and delta < 1/4, every contextual bandit with plain (epsilon, "
              "delta)-differential privacy has linear regret. Joint privacy, where a person's own "
              "arm may depend on the person's context, does not force that.",
     .note =
         "The paper has no experiment: the world is ours. Two contexts have opposite best arms, "
         "with means 0.5 and -0.5. Randomized response plays linucb without noise, and makes "
         "only its last step private.",
     .base = {.epsilon = 0.69,
              .delta = 0.1,
              .place = LOTOR_FIGURE_WORLD_CONTEXTS,
              .regularizer = 1,
              .horizon = 200000,
              .runs = 10},
     .quick_horizon = 20000,
     .quick_runs = 10,
     .log_x = true,
     .log_y = true,
     .curves = curves,
     .curve_count = LOTOR_ITEMS(curves),
     .checks = checks,
     .check_count = LOTOR_ITEMS(checks)},
};
const size_t lotor_figures_shariff_claim_count = LOTOR_ITEMS(lotor_figures_shariff_claim);
