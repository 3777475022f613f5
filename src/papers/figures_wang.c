/* figures_wang.c - Wang et al. 2022: cascades and semi-bandits, Figures 1 and 2.
 *
 * The paper multiplies its noise by 0.01 "without loss of generality", but that changes the
 * privacy. So each figure is drawn with both noises, and each claim
 * has a verdict with each noise. The lists of values and the settings are in
 * section 7 of the paper.
 */
#include "papers/figures.h"

#define PAPER "Wang et al. 2022"

static const lotor_panel_plan both_noises[] = {
    {"the paper’s setting: noise × 0.01", 0.01},
    {"the noise that its privacy claim needs", 1},
};

#define WITH_ITEMS(id, number)                                                                     \
    {                                                                                              \
        id ", " #number " items",                                                                  \
        {                                                                                          \
            .algorithm = (id), .arms = (number)                                                    \
        }                                                                                          \
    }

static const lotor_curve_plan local[] = {LOTOR_CURVE("cascade-ucb"),
                                         LOTOR_CURVE("cascade-ldp-laplace"),
                                         LOTOR_CURVE("cascade-ldp-gauss")};
static const lotor_curve_plan central[] = {
    LOTOR_CURVE("cascade-ucb"), LOTOR_CURVE_AT_EPSILON("cascade-dp", 0.1),
    LOTOR_CURVE_AT_EPSILON("cascade-dp", 0.5), LOTOR_CURVE_AT_EPSILON("cascade-dp", 1),
    LOTOR_CURVE_AT_EPSILON("cascade-dp", 2)};
static const lotor_curve_plan items[] = {WITH_ITEMS("cascade-dp", 8), WITH_ITEMS("cascade-dp", 12),
                                         WITH_ITEMS("cascade-dp", 16),
                                         WITH_ITEMS("cascade-dp", 20)};
static const lotor_curve_plan small_sets[] = {LOTOR_CURVE("cucb"),
                                              LOTOR_CURVE_AT_EPSILON("cucb-ldp-gauss", 0.2)};
static const lotor_curve_plan both_sets[] = {LOTOR_CURVE("cucb"),
                                             LOTOR_CURVE_AT_EPSILON("cucb-ldp-gauss", 2),
                                             LOTOR_CURVE_AT_EPSILON("cucb-ldp-gauss", 0.2)};

/* --- checks, on both panels ------------------------------------------------------------------- */

#define GAUSS_WINS                                                                                 \
    LOTOR_BELOW("the Gaussian mechanism loses less than the Laplace mechanism",                    \
                "cascade-ldp-gauss", "cascade-ldp-laplace"),                                       \
        LOTOR_BELOW("without privacy the loss is least", "cascade-ucb", "cascade-ldp-gauss")
#define LIKE_LOG(id)                                                                               \
    {                                                                                              \
        .claim = id ": regret grows more like log T than like T", .kind = LOTOR_CHECK_LOGARITHM,   \
        .first = (id)                                                                              \
    }
static const lotor_figure_check local_checks[] = {
    GAUSS_WINS,
    LIKE_LOG("cascade-ucb"),
    LIKE_LOG("cascade-ldp-laplace"),
    LIKE_LOG("cascade-ldp-gauss"),
};
static const lotor_figure_check list_checks[] = {GAUSS_WINS};

static const lotor_figure_check epsilon_checks[] = {
    {.claim = "the Laplace mechanism's loss falls as epsilon grows",
     .kind = LOTOR_CHECK_FALLS,
     .first = "cascade-ldp-laplace"},
    {.claim = "the Gaussian mechanism's loss falls as epsilon grows",
     .kind = LOTOR_CHECK_FALLS,
     .first = "cascade-ldp-gauss"},
    {.claim =
         "at epsilon 2 the Gaussian mechanism is comparable with cascade-ucb: within 1.5 times",
     .kind = LOTOR_CHECK_CLOSE,
     .first = "cascade-ldp-gauss",
     .second = "cascade-ucb",
     .factor = 1.5},
};

static const lotor_figure_check central_checks[] = {
    LOTOR_BELOW("epsilon 0.5 loses less than 0.1", "cascade-dp, epsilon 0.5",
                "cascade-dp, epsilon 0.1"),
    LOTOR_BELOW("epsilon 1 loses less than 0.5", "cascade-dp, epsilon 1",
                "cascade-dp, epsilon 0.5"),
    LOTOR_BELOW("epsilon 2 loses less than 1", "cascade-dp, epsilon 2", "cascade-dp, epsilon 1"),
};

static const lotor_figure_check items_checks[] = {
    LOTOR_BELOW("12 items lose more than 8", "cascade-dp, 8 items", "cascade-dp, 12 items"),
    LOTOR_BELOW("16 items lose more than 12", "cascade-dp, 12 items", "cascade-dp, 16 items"),
    LOTOR_BELOW("20 items lose more than 16", "cascade-dp, 16 items", "cascade-dp, 20 items"),
};

/* Both figures have the same plain learner, so the gaps compare as the private losses do. */
static const lotor_figure_check small_checks[] = {
    LOTOR_BELOW("at epsilon 0.2 the private learner loses more than the plain one", "cucb",
                "cucb-ldp-gauss, epsilon 0.2"),
};
static const lotor_figure_check large_checks[] = {
    LOTOR_BELOW("the gap between the private and the plain learner is larger at epsilon 0.2 "
                "(Figure 1(h)) than at epsilon 2",
                "cucb-ldp-gauss, epsilon 2", "cucb-ldp-gauss, epsilon 0.2"),
};

static const lotor_figure_check slots_checks[] = {
    {.claim = "the longer the list, the further Laplace falls behind Gauss, as a ratio",
     .kind = LOTOR_CHECK_WIDENS,
     .first = "cascade-ldp-gauss",
     .second = "cascade-ldp-laplace"},
};

/* --- rows ------------------------------------------------------------------------------------- */

/* From 0.02 to 2 in steps of 0.02. */
#define STEP(i)    (0.02 * (i))
#define STEP_5(i)  STEP((i) + 1), STEP((i) + 2), STEP((i) + 3), STEP((i) + 4), STEP((i) + 5)
#define STEP_25(i) STEP_5(i), STEP_5((i) + 5), STEP_5((i) + 10), STEP_5((i) + 15), STEP_5((i) + 20)
static const double epsilons[] = {STEP_25(0), STEP_25(25), STEP_25(50), STEP_25(75)};
static const double list_lengths[] = {4, 8, 12, 16};

#define NOTE                                                                                       \
    "The paper gives no attraction probabilities: here 0.2 for the first K items and 0.05 for "    \
    "the rest. It multiplies its noise by 0.01, which protects nobody; the second chart has the "  \
    "noise that its privacy claim needs. As printed, its algorithms are not private at any noise."

#define CASCADE(value, count, shown)                                                               \
    {                                                                                              \
        .epsilon = (value), .delta = 1e-3, .place = LOTOR_FIGURE_WORLD_TWO_VALUED,                 \
        .arms = (count), .slots = (shown), .high = 0.2, .low = 0.05, .horizon = 100000, .runs = 10 \
    }

#define ROW(letters, place, text, said, list, tested)                                              \
    .id = "wang-" letters, .paper = PAPER, .where = "Figure " place, .title = (text),              \
    .claim = (said), .curves = (list), .curve_count = LOTOR_ITEMS(list), .panels = both_noises,    \
    .panel_count = LOTOR_ITEMS(both_noises), .checks = (tested),                                   \
    .check_count = LOTOR_ITEMS(tested), .quick_runs = 5

#define OVER_ROUNDS .note = NOTE, .quick_horizon = 100000, .log_x = true, .log_y = true

#define LOCAL_FIGURE(letter, value)                                                                \
    {                                                                                              \
        ROW("1" letter, "1(" letter ")", "Cascade, local model, epsilon " #value,                  \
            "Locally, Laplace noise loses most, Gaussian noise less, and cascade-ucb least; all "  \
            "grow like log T.",                                                                    \
            local, local_checks),                                                                  \
            OVER_ROUNDS, .base = CASCADE(value, 20, 4)                                             \
    }

#define LIST_FIGURE(letter, shown)                                                                 \
    {                                                                                              \
        ROW("2" letter, "2(" letter ")", "Cascade, local model, lists of " #shown,                 \
            "Laplace noise loses more than Gaussian noise, the more so the longer the list.",      \
            local, list_checks),                                                                   \
            OVER_ROUNDS, .base = CASCADE(0.2, 20, shown)                                           \
    }

const lotor_figure lotor_figures_wang[] = {
    LOCAL_FIGURE("a", 0.2),
    LOCAL_FIGURE("b", 0.5),
    LOCAL_FIGURE("c", 1),
    LOCAL_FIGURE("d", 2),
    {ROW("1e", "1(e)", "Cascade, local model: loss over epsilon",
         "The loss falls quickly as epsilon grows, soon to about that without privacy, above all "
         "with Gaussian noise.",
         local, epsilon_checks),
     .note = NOTE " Epsilon starts at 0.02: at 0 nothing can be learned.",
     .base = CASCADE(0, 20, 4), .quick_horizon = 100000, .axis = LOTOR_AXIS_EPSILON,
     .values = epsilons, .value_count = LOTOR_ITEMS(epsilons), .quick_stride = 9, .log_y = true},
    {ROW("1f", "1(f)", "Cascade, central model, four privacy budgets",
         "The larger epsilon, the closer to cascade-ucb.", central, central_checks),
     OVER_ROUNDS, .base = CASCADE(0, 20, 4)},
    {ROW("1g", "1(g)", "Cascade, central model, 8 to 20 items", "More items, more regret.", items,
         items_checks),
     .note = NOTE " Nor does it say at which epsilon: here 1.", .base = CASCADE(1, 0, 4),
     .quick_horizon = 100000, .log_x = true, .log_y = true},
    {ROW("1h", "1(h)", "Semi-bandit, local model, epsilon 0.2",
         "At a small epsilon the gap between the private and the plain learner is large.",
         small_sets, small_checks),
     OVER_ROUNDS, .base = CASCADE(0.2, 20, 4)},
    {ROW("1i", "1(i)", "Semi-bandit, local model, epsilon 2",
         "At a large epsilon the gap between the private and the plain learner is smaller.",
         both_sets, large_checks),
     OVER_ROUNDS, .base = CASCADE(2, 20, 4)},
    LIST_FIGURE("a", 4),
    LIST_FIGURE("b", 8),
    LIST_FIGURE("c", 12),
    LIST_FIGURE("d", 16),
    {ROW("2-slots", "2(a) to 2(d)", "Cascade, local model: loss over the length of the list",
         "The longer the list, the larger the gap between Laplace and Gaussian noise.", local,
         slots_checks),
     .note = "The ends of Figure 2's curves in one chart. " NOTE, .base = CASCADE(0.2, 20, 0),
     .quick_horizon = 100000, .axis = LOTOR_AXIS_SLOTS, .notes_rounds = true, .log_x = true,
     .values = list_lengths, .value_count = LOTOR_ITEMS(list_lengths), .log_y = true},
};
const size_t lotor_figures_wang_count = LOTOR_ITEMS(lotor_figures_wang);
