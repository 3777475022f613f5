/* figures_chandak.c - Chandak 2023: matroid learners, chapters 2 and 6.
 *
 * The thesis does not say how often its experiments were repeated. Figures 6.1, 6.2 and 6.4 draw
 * the optimal policy as a line: "optimal" here.
 */
#include "papers/figures.h"

#define PAPER "Chandak 2023"
#define NOTE_RUNS                                                                                  \
    "The number of runs is ours: the thesis gives none. The optimal policy is computed, not "      \
    "played."

/* --- an adversary (Figure 2.1) ---------------------------------------------------------------- */

static const double small_epsilons[] = {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
                                        1.1,  1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2};

static const lotor_curve_plan adversary[] = {
    {.label = "1/(1 + e^epsilon)"},
    {.label = "1/2 - epsilon/4", .setting = {.algorithm = "tangent"}},
};

static const lotor_figure_check adversary_checks[] = {
    {"the line 1/2 - epsilon/4 is a bound too: it lies nowhere above", LOTOR_CHECK_NEVER_ABOVE,
     .first = "1/2 - epsilon/4", .second = "1/(1 + e^epsilon)", .factor = 1},
};

/* --- seven vectors (Figures 6.1 to 6.3) ------------------------------------------------------- */

static const lotor_curve_plan upper_bounds[] = {LOTOR_CURVE("dpucb-mat"), LOTOR_CURVE("omm"),
                                                LOTOR_CURVE("optimal")};
static const lotor_curve_plan samplers[] = {LOTOR_CURVE("dpts-mat"), LOTOR_CURVE("cts"),
                                            LOTOR_CURVE("optimal")};
static const lotor_curve_plan both_private[] = {LOTOR_CURVE("dpucb-mat"), LOTOR_CURVE("dpts-mat")};

static const lotor_curve_plan upper_bounds_over_epsilon[] = {
    LOTOR_CURVE_AT_EPSILON("dpucb-mat", 1e5), LOTOR_CURVE_AT_EPSILON("dpucb-mat", 2),
    LOTOR_CURVE_AT_EPSILON("dpucb-mat", 1e-4), LOTOR_CURVE("omm"), LOTOR_CURVE("optimal")};
static const lotor_curve_plan samplers_over_epsilon[] = {
    LOTOR_CURVE_AT_EPSILON("dpts-mat", 1e5), LOTOR_CURVE_AT_EPSILON("dpts-mat", 2),
    LOTOR_CURVE_AT_EPSILON("dpts-mat", 1e-4), LOTOR_CURVE("cts"), LOTOR_CURVE("optimal")};

#define NEAR_TWIN(id, twin)                                                                        \
    {                                                                                              \
        .claim = id " returns within 10% of " twin, .kind = LOTOR_CHECK_CLOSE, .first = (id),      \
        .second = (twin), .factor = 1.1                                                            \
    }

/* The first curve is missing: all other curves are compared with the second. */
#define OPTIMAL_IS_BEST                                                                            \
    {                                                                                              \
        .claim = "at no time does a learner return more than the optimal policy",                  \
        .kind = LOTOR_CHECK_NEVER_ABOVE, .second = "optimal", .factor = 1                          \
    }

static const lotor_figure_check near_omm[] = {NEAR_TWIN("dpucb-mat", "omm"), OPTIMAL_IS_BEST};
static const lotor_figure_check near_cts[] = {NEAR_TWIN("dpts-mat", "cts"), OPTIMAL_IS_BEST};

/* Random independent sets return about 1.5, and the best 2.15. */
#define OVER_EPSILON(id, twin)                                                                     \
    {.claim = "at epsilon 1e5 " id " returns within 2% of " twin,                                  \
     .kind = LOTOR_CHECK_CLOSE,                                                                    \
     .first = id ", epsilon 1e5",                                                                  \
     .second = (twin),                                                                             \
     .factor = 1.02},                                                                              \
        {.claim = "at epsilon 2 it returns within 10% of " twin,                                   \
         .kind = LOTOR_CHECK_CLOSE,                                                                \
         .first = id ", epsilon 2",                                                                \
         .second = (twin),                                                                         \
         .factor = 1.1},                                                                           \
        {.claim = "at epsilon 1e-4 it is ruined: " twin " returns at least 1.25 times as much",    \
         .kind = LOTOR_CHECK_FAR,                                                                  \
         .first = (twin),                                                                          \
         .second = id ", epsilon 1e-4",                                                            \
         .factor = 1.25},                                                                          \
        LOTOR_BELOW("it returns less at epsilon 2 than at 1e5", id ", epsilon 2",                  \
                    id ", epsilon 1e5")

static const lotor_figure_check upper_bounds_checks[] = {OVER_EPSILON("dpucb-mat", "omm"),
                                                         OPTIMAL_IS_BEST};
static const lotor_figure_check samplers_checks[] = {OVER_EPSILON("dpts-mat", "cts"),
                                                     OPTIMAL_IS_BEST};

static const lotor_figure_check growth_checks[] = {
    {"regret / log n of dpucb-mat levels off: the last doubling moves it by at most 5%",
     LOTOR_CHECK_LEVELS, .first = "dpucb-mat", .factor = 0.05},
    {"regret / log n of dpts-mat levels off: the last doubling moves it by at most 5%",
     LOTOR_CHECK_LEVELS, .first = "dpts-mat", .factor = 0.05},
    LOTOR_BELOW("dpts-mat ends below dpucb-mat", "dpts-mat", "dpucb-mat"),
};

/* 1/epsilon for 50 values of epsilon, evenly spaced from 50 down to 0.5. */
#define PER(i) (1 / (50 - 49.5 * (i) / 49))
#define PER_7(i)                                                                                   \
    PER(i), PER((i) + 1), PER((i) + 2), PER((i) + 3), PER((i) + 4), PER((i) + 5), PER((i) + 6)
static const double per_epsilon[] = {PER_7(0),  PER_7(7),  PER_7(14), PER_7(21),
                                     PER_7(28), PER_7(35), PER_7(42), PER(49)};

/* Most of the 50 values are on the left. The quick scale uses a few others, evenly spaced on the
 * axis. */
static const double quick_per_epsilon[] = {0.02, 0.35, 0.68, 1.01, 1.34, 1.67, 2};

static const lotor_figure_check per_epsilon_checks[] = {
    {"dpucb-mat's regret is a straight line in 1/epsilon: R^2 is at least 0.95", LOTOR_CHECK_LINEAR,
     .first = "dpucb-mat", .factor = 0.95},
    {"dpts-mat's regret is a straight line in 1/epsilon: R^2 is at least 0.95", LOTOR_CHECK_LINEAR,
     .first = "dpts-mat", .factor = 0.95},
    LOTOR_BELOW("dpts-mat loses less than dpucb-mat at epsilon 0.5", "dpts-mat", "dpucb-mat"),
};

#define VECTORS(value, rounds, times)                                                              \
    {                                                                                              \
        .epsilon = (value), .instance = "table-6.1", .horizon = (rounds), .runs = (times)          \
    }
#define WITH_CURVES(table) .curves = (table), .curve_count = LOTOR_ITEMS(table)
#define WITH_CHECKS(table) .checks = (table), .check_count = LOTOR_ITEMS(table)

/* --- movies (Figure 6.4, Table 6.2) ----------------------------------------------------------- */

#define MOVIES                                                                                     \
    {                                                                                              \
        .epsilon = 2, .place = LOTOR_FIGURE_WORLD_MOVIELENS, .arms = 100, .horizon = 20000,        \
        .runs = 10                                                                                 \
    }
#define NOTE_MOVIES "The number of runs is ours: the thesis gives none."

static const lotor_curve_plan movie_sets[] = {LOTOR_CURVE("dpucb-mat"), LOTOR_CURVE("omm")};

#define NEAR_OPTIMAL(id)                                                                           \
    {                                                                                              \
        .claim = id " returns within 25% of the optimal policy", .kind = LOTOR_CHECK_CLOSE,        \
        .first = (id), .second = "optimal", .factor = 1.25                                         \
    }
static const lotor_figure_check movies_omm[] = {NEAR_TWIN("dpucb-mat", "omm"),
                                                NEAR_OPTIMAL("dpucb-mat"), OPTIMAL_IS_BEST};
static const lotor_figure_check movies_cts[] = {NEAR_TWIN("dpts-mat", "cts"),
                                                NEAR_OPTIMAL("dpts-mat"), OPTIMAL_IS_BEST};

static const lotor_figure_check table_checks[] = {
    {"dpucb-mat ends with at least 8 movies of the optimal set", LOTOR_CHECK_SHOWS,
     .first = "dpucb-mat", .factor = 8},
    NEAR_TWIN("dpucb-mat", "omm"),
};

const lotor_figure lotor_figures_chandak[] = {
    {.id = "chandak-2.1",
     .paper = PAPER,
     .where = "Figure 2.1",
     .title = "How often an adversary fails at least",
     .claim = "An adversary who guesses from private output fails with probability at least "
              "1/(1 + exp(epsilon)), close to 1/2 - epsilon/4 while epsilon is small.",
     .note = "Two formulas: nothing is played. The line is the tangent at 0, cut off at 0.",
     .base = {.place = LOTOR_FIGURE_WORLD_FORMULA, .horizon = 1, .runs = 1},
     .quick_horizon = 1,
     .quick_runs = 1,
     .axis = LOTOR_AXIS_EPSILON,
     .values = small_epsilons,
     .value_count = LOTOR_ITEMS(small_epsilons),
     .measure = LOTOR_MEASURE_PROBABILITY,
     WITH_CURVES(adversary),
     WITH_CHECKS(adversary_checks)},
    {.id = "chandak-6.1a",
     .paper = PAPER,
     .where = "Figure 6.1a",
     .title = "Seven vectors: dpucb-mat and omm",
     .claim = "With privacy the return per round is not much below that of omm.",
     .note = NOTE_RUNS,
     .base = VECTORS(2, 10000, 100),
     .quick_horizon = 10000,
     .quick_runs = 20,
     .measure = LOTOR_MEASURE_RETURN,
     .log_x = true,
     WITH_CURVES(upper_bounds),
     WITH_CHECKS(near_omm)},
    {.id = "chandak-6.1b",
     .paper = PAPER,
     .where = "Figure 6.1b",
     .title = "Seven vectors: dpts-mat and cts",
     .claim = "With privacy the return per round is not much below that of cts.",
     .note = NOTE_RUNS,
     .base = VECTORS(2, 10000, 100),
     .quick_horizon = 10000,
     .quick_runs = 20,
     .measure = LOTOR_MEASURE_RETURN,
     .log_x = true,
     WITH_CURVES(samplers),
     WITH_CHECKS(near_cts)},
    {.id = "chandak-6.2a",
     .paper = PAPER,
     .where = "Figure 6.2a",
     .title = "Seven vectors: dpucb-mat at large and small epsilon",
     .claim = "dpucb-mat gets worse as epsilon falls, is ruined at 1e-4, and comes close to omm "
              "at 1e5.",
     .note = NOTE_RUNS,
     .base = VECTORS(2, 10000, 100),
     .quick_horizon = 10000,
     .quick_runs = 20,
     .measure = LOTOR_MEASURE_RETURN,
     .log_x = true,
     WITH_CURVES(upper_bounds_over_epsilon),
     WITH_CHECKS(upper_bounds_checks)},
    {.id = "chandak-6.2b",
     .paper = PAPER,
     .where = "Figure 6.2b",
     .title = "Seven vectors: dpts-mat at large and small epsilon",
     .claim = "dpts-mat gets worse as epsilon falls, is ruined at 1e-4, and comes close to cts at "
              "1e5.",
     .note = NOTE_RUNS,
     .base = VECTORS(2, 10000, 100),
     .quick_horizon = 10000,
     .quick_runs = 20,
     .measure = LOTOR_MEASURE_RETURN,
     .log_x = true,
     WITH_CURVES(samplers_over_epsilon),
     WITH_CHECKS(samplers_checks)},
    {.id = "chandak-6.3a",
     .paper = PAPER,
     .where = "Figure 6.3a",
     .title = "Seven vectors: regret / log n",
     .claim = "Regret / log n converges for both, and to less for dpts-mat.",
     .note = "The number of runs is ours: the thesis gives none.",
     .base = VECTORS(2, 1000000, 30),
     .quick_horizon = 1000000,
     .quick_runs = 4,
     .measure = LOTOR_MEASURE_REGRET_PER_LOG,
     .log_x = true,
     WITH_CURVES(both_private),
     WITH_CHECKS(growth_checks)},
    {.id = "chandak-6.3b",
     .paper = PAPER,
     .where = "Figure 6.3b",
     .title = "Seven vectors: regret over 1/epsilon",
     .claim = "Regret grows linearly in 1/epsilon for both, and dpts-mat loses less.",
     .note = "The number of runs is ours: the thesis gives none.",
     .base = VECTORS(0, 10000, 100),
     .quick_horizon = 10000,
     .quick_runs = 20,
     .axis = LOTOR_AXIS_PER_EPSILON,
     .values = per_epsilon,
     .value_count = LOTOR_ITEMS(per_epsilon),
     .quick_values = quick_per_epsilon,
     .quick_value_count = LOTOR_ITEMS(quick_per_epsilon),
     WITH_CURVES(both_private),
     WITH_CHECKS(per_epsilon_checks)},
    {.id = "chandak-6.4a",
     .paper = PAPER,
     .where = "Figure 6.4a",
     .title = "Movies: dpucb-mat and omm",
     .claim = "On 100 movies, 17 shown a round, dpucb-mat returns about as much as omm.",
     .note = NOTE_MOVIES " The optimal policy is computed, not played.",
     .base = MOVIES,
     .quick_horizon = 20000,
     .quick_runs = 2,
     .measure = LOTOR_MEASURE_RETURN,
     .log_x = true,
     WITH_CURVES(upper_bounds),
     WITH_CHECKS(movies_omm)},
    {.id = "chandak-6.4b",
     .paper = PAPER,
     .where = "Figure 6.4b",
     .title = "Movies: dpts-mat and cts",
     .claim = "On 100 movies, 17 shown a round, dpts-mat returns about as much as cts.",
     .note = NOTE_MOVIES " The optimal policy is computed, not played.",
     .base = MOVIES,
     .quick_horizon = 20000,
     .quick_runs = 2,
     .measure = LOTOR_MEASURE_RETURN,
     .log_x = true,
     WITH_CURVES(samplers),
     WITH_CHECKS(movies_cts)},
    {.id = "chandak-table-6.2",
     .paper = PAPER,
     .where = "Table 6.2",
     .title = "Movies that dpucb-mat ends with",
     .claim = "After 20,000 rounds dpucb-mat shows many movies of the optimal set: 8 of its 17, of "
              "different genres.",
     .note = NOTE_MOVIES " The table is of the first run.",
     .lists_sets = true,
     .base = MOVIES,
     .quick_horizon = 20000,
     .quick_runs = 2,
     .measure = LOTOR_MEASURE_RETURN,
     .log_x = true,
     WITH_CURVES(movie_sets),
     WITH_CHECKS(table_checks)},
};
const size_t lotor_figures_chandak_count = LOTOR_ITEMS(lotor_figures_chandak);
