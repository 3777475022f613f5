/* figures_ours.c - compares the papers' algorithms with our versions: same setting, same epsilon,
 * audited.
 *
 * The settings are those of the papers' own experiments, if there are any. The checked bounds are
 * results of an independent implementation, with some tolerance.
 */
#include "papers/figures.h"

#define PAPER "Ours against the papers’"

#define CURVE_OF(id, times)                                                                        \
    {                                                                                              \
        id,                                                                                        \
        {                                                                                          \
            .algorithm = (id), .runs = (times)                                                     \
        }                                                                                          \
    }

/* The last value of `less` is at most `share` times that of `more`. */
#define AT_MOST(text, less, more, share)                                                           \
    {                                                                                              \
        .claim = (text), .kind = LOTOR_CHECK_TIMES_BETTER, .first = (less), .second = (more),      \
        .factor = 1.0 / (share)                                                                    \
    }

/* Checks the audits of all curves. */
#define AUDITED                                                                                    \
    {                                                                                              \
        .claim = "the audit breaks no claim that is made to hold, and finds every known leak",     \
        .kind = LOTOR_CHECK_AUDIT                                                                  \
    }

/* --- finite arms ------------------------------------------------------------------------------ */

static const double epsilons[] = {0.1, 0.25, 0.5, 1};

/* Algorithms that play round by round have 5 runs each; the others are fast. */
static const lotor_curve_plan finite[] = {
    LOTOR_CURVE("dp-ucb"),      CURVE_OF("dp-ucb-tight", 5),    LOTOR_CURVE("dp-se"),
    LOTOR_CURVE("dp-se2"),      LOTOR_CURVE("dp-se2-modified"), LOTOR_CURVE("dp-se-acc"),
    LOTOR_CURVE("batch-klucb"), LOTOR_CURVE("lik-imed"),
};

static const lotor_figure_check finite_checks[] = {
    AUDITED,
    {.claim = "at every epsilon batch-klucb loses at most 40% of what dp-se loses",
     .kind = LOTOR_CHECK_NEVER_ABOVE,
     .first = "batch-klucb",
     .second = "dp-se",
     .factor = 2.5},
    {.claim = "at epsilon 1 at most 12%",
     .kind = LOTOR_CHECK_TIMES_BETTER,
     .first = "batch-klucb",
     .second = "dp-se",
     .factor = 1.0 / 0.12},
    {.claim = "at every epsilon dp-ucb-tight loses at most a fifth of what dp-ucb loses",
     .kind = LOTOR_CHECK_NEVER_ABOVE,
     .first = "dp-ucb-tight",
     .second = "dp-ucb",
     .factor = 5},
    {.claim = "at every epsilon lik-imed loses at most 65% of what batch-klucb loses",
     .kind = LOTOR_CHECK_NEVER_ABOVE,
     .first = "lik-imed",
     .second = "batch-klucb",
     .factor = 1.0 / 0.65},
};

#define FINITE(name)                                                                                 \
    {                                                                                                \
        .id = "ours-" name, .paper = PAPER, .where = "five arms of " name,                           \
        .title = "The regret at the end over epsilon, and what an audit finds",                      \
        .claim = "batch-klucb records one arm a round in batches that grow, and takes its width "    \
                 "from the noise that is there: it loses a fraction of what the papers’ versions " \
                 "lose, at the same epsilon. lik-imed weighs the likelihood of all batches, and "    \
                 "loses about half of that.",                                                        \
        .base = {.instance = (name), .arms = 5, .horizon = 50000000, .runs = 30},                    \
        .quick_horizon = 50000000, .quick_runs = 10, .axis = LOTOR_AXIS_EPSILON,                     \
        .values = epsilons, .value_count = LOTOR_ITEMS(epsilons), .log_x = true, .log_y = true,      \
        .notes_rounds = true, .audits = true, .curves = finite,                                      \
        .curve_count = LOTOR_ITEMS(finite), .checks = finite_checks,                                 \
        .check_count = LOTOR_ITEMS(finite_checks)                                                    \
    }

/* --- sets ------------------------------------------------------------------------------------- */

static const lotor_curve_plan matroid[] = {
    LOTOR_CURVE("omm"),         LOTOR_CURVE("dpucb-mat"), LOTOR_CURVE("dpts-mat"),
    LOTOR_CURVE("batch-klucb"), LOTOR_CURVE("rr-klucb"),  LOTOR_CURVE("lik-imed"),
    LOTOR_CURVE("rr-imed"),
};
static const lotor_figure_check matroid_checks[] = {
    AUDITED,
    AT_MOST("batch-klucb loses at most a fifth of what dpucb-mat loses", "batch-klucb", "dpucb-mat",
            0.2),
    AT_MOST("and at most 30% of what dpts-mat loses", "batch-klucb", "dpts-mat", 0.3),
    {.claim = "batch-klucb loses about as much as the baseline without noise: within 30%",
     .kind = LOTOR_CHECK_CLOSE,
     .first = "batch-klucb",
     .second = "omm",
     .factor = 1.3},
    AT_MOST("lik-imed loses at most 70% of what batch-klucb loses", "lik-imed", "batch-klucb", 0.7),
};

static const lotor_curve_plan semi_bandit[] = {
    LOTOR_CURVE("cucb"),         LOTOR_CURVE("cucb-dp"),        LOTOR_CURVE("cucb-dp2"),
    LOTOR_CURVE("cucb-dp-lazy"), LOTOR_CURVE("batch-klucb"),    LOTOR_CURVE("cucb-ldp1"),
    LOTOR_CURVE("cucb-ldp2"),    LOTOR_CURVE("cucb-ldp-gauss"), LOTOR_CURVE("cucb-ldp-box"),
    LOTOR_CURVE("rr-klucb"),     LOTOR_CURVE("lik-imed"),       LOTOR_CURVE("rr-imed"),
};
static const lotor_figure_check semi_bandit_checks[] = {
    AUDITED,
    AT_MOST("batch-klucb loses at most 3% of what cucb-dp loses", "batch-klucb", "cucb-dp", 0.03),
    AT_MOST("without a trusted server, rr-klucb loses at most 25% of what cucb-ldp2 loses",
            "rr-klucb", "cucb-ldp2", 0.25),
    AT_MOST("lik-imed loses at most half of what batch-klucb loses", "lik-imed", "batch-klucb",
            0.5),
};

static const lotor_curve_plan cascade[] = {
    LOTOR_CURVE("cascade-ucb"),
    LOTOR_CURVE("cascade-dp"),
    LOTOR_CURVE("cascade-dp-lazy"),
    LOTOR_CURVE("batch-klucb"),
    LOTOR_CURVE("cascade-ldp-laplace"),
    LOTOR_CURVE("cascade-ldp-gauss"),
    LOTOR_CURVE("cascade-ldp-composed"),
    LOTOR_CURVE("cascade-ldp-rr"),
    LOTOR_CURVE("rr-klucb"),
    LOTOR_CURVE("lik-imed"),
    LOTOR_CURVE("rr-imed"),
};
static const lotor_figure_check cascade_checks[] = {
    AUDITED,
    AT_MOST("batch-klucb loses at most 5% of what cascade-dp loses", "batch-klucb", "cascade-dp",
            0.05),
    AT_MOST(
        "without a trusted server, rr-klucb loses at most 10% of what cascade-ldp-laplace loses",
        "rr-klucb", "cascade-ldp-laplace", 0.1),
    AT_MOST("lik-imed loses less than batch-klucb", "lik-imed", "batch-klucb", 1.0),
};

/* --- contexts --------------------------------------------------------------------------------- */

static const lotor_curve_plan linear[] = {
    LOTOR_CURVE("linucb"),
    LOTOR_CURVE("jdp-linucb-gauss"),
    LOTOR_CURVE("jdp-linucb-wishart"),
    LOTOR_CURVE("jdp-linucb-wishart-shifted"),
    LOTOR_CURVE("jdp-linucb"),
    LOTOR_CURVE("jdp-batch"),
};
static const lotor_figure_check linear_checks[] = {
    AUDITED,
    AT_MOST("jdp-batch loses at most 5% of what jdp-linucb-gauss loses", "jdp-batch",
            "jdp-linucb-gauss", 0.05),
};

#define SETTING(name, words, text, said, list, tested)                                             \
    .id = "ours-" name, .paper = PAPER, .where = (words), .title = (text), .claim = (said),        \
    .audits = true, .curves = (list), .curve_count = LOTOR_ITEMS(list), .checks = (tested),        \
    .check_count = LOTOR_ITEMS(tested), .log_x = true, .log_y = true

const lotor_figure lotor_figures_ours[] = {
    FINITE("c1"),
    FINITE("c2"),
    FINITE("c3"),
    FINITE("c4"),
    {SETTING(
         "matroid", "a linear matroid", "Table 6.1 of Chandak 2023, epsilon 2",
         "One arm recorded a round has sensitivity 1, not K: batch-klucb loses about as much as "
         "the baseline without noise.",
         matroid, matroid_checks),
     .base = {.epsilon = 2, .instance = "table-6.1", .horizon = 10000, .runs = 100},
     .quick_horizon = 10000, .quick_runs = 20},
    {SETTING("semi-bandit", "semi-bandits", "4 of 20 arms, means 0.7 and 0.3, epsilon 1",
             "Noise that does not grow with K, and kl bounds, save most of the price of privacy, "
             "with a trusted server and without one.",
             semi_bandit, semi_bandit_checks),
     .base = {.epsilon = 1,
              .place = LOTOR_FIGURE_WORLD_TWO_VALUED,
              .high = 0.7,
              .low = 0.3,
              .arms = 20,
              .slots = 4,
              .horizon = 100000,
              .runs = 20},
     .quick_horizon = 100000, .quick_runs = 6},
    {SETTING("cascade", "cascades", "Lists of 4 of 20 items, attraction 0.2 and 0.05, epsilon 1",
             "The papers’ four noisy cascades tell the click, whatever the noise. Against ours an "
             "audit finds nothing, and they lose less.",
             cascade, cascade_checks),
     .base = {.epsilon = 1,
              .place = LOTOR_FIGURE_WORLD_TWO_VALUED,
              .high = 0.2,
              .low = 0.05,
              .arms = 20,
              .slots = 4,
              .cascade = true,
              .horizon = 100000,
              .runs = 20},
     .quick_horizon = 100000, .quick_runs = 6},
    {SETTING("linear", "contexts", "5 dimensions, 20 actions a round, epsilon 1, delta 1e-5",
             "A few large batches need far less noise than a tree that is read every round.",
             linear, linear_checks),
     .base = {.epsilon = 1,
              .delta = 1e-5,
              .beta = 1e-5,
              .place = LOTOR_FIGURE_WORLD_LINEAR,
              .dimension = 5,
              .arms = 20,
              .horizon = 100000,
              .runs = 10},
     .quick_horizon = 100000, .quick_runs = 2},
};
const size_t lotor_figures_ours_count = LOTOR_ITEMS(lotor_figures_ours);
