/* figures_chen.c - Chen et al. 2020: measures the exponents of Table 1, which the paper derives.
 *
 * Linear rewards (B1-smooth), any K of m arms: mean 0.7 for the first K, 0.3 for the rest. So the
 * gap Delta stays 0.4. The theory gives these exponents, up to logarithms:
 *
 *                   1/epsilon    K              m
 *      cucb             0        1              1
 *      cucb-ldp1        2        4 at most      1      Theorem 2 with Fact 1
 *      cucb-ldp2        2        2 at most      1      Theorem 4 with Fact 1
 *      cucb-dp          1        1              1      Theorem 8
 *
 * cucb-dp explores about 12 m log^3 T / (Delta epsilon) rounds: 2 million for 16 arms, epsilon 1
 * and T = 10^7. With fewer rounds all its slopes in epsilon are 0.
 */
#include <math.h>

#include "papers/figures.h"

#define PAPER "Chen et al. 2020"

static const lotor_curve_plan all_four[] = {LOTOR_CURVE("cucb"), LOTOR_CURVE("cucb-ldp1"),
                                            LOTOR_CURVE("cucb-ldp2"), LOTOR_CURVE("cucb-dp")};

#define GROWS(text, id, least, most)                                                               \
    {                                                                                              \
        .claim = id ": regret grows " text ": a slope from " #least " to " #most,                  \
        .kind = LOTOR_CHECK_SLOPE, .first = (id), .low = (least), .high = (most)                   \
    }

#define AT_MOST(text, id, most)                                                                    \
    {                                                                                              \
        .claim = id ": regret grows at most " text ": a slope up to " #most,                       \
        .kind = LOTOR_CHECK_SLOPE, .first = (id), .low = -INFINITY, .high = (most)                 \
    }

static const lotor_figure_check epsilon_checks[] = {
    GROWS("like 1/epsilon^2", "cucb-ldp1", 1.5, 2.5),
    GROWS("like 1/epsilon^2", "cucb-ldp2", 1.5, 2.5),
    GROWS("like 1/epsilon", "cucb-dp", 0.6, 1.4),
};
static const lotor_figure_check slots_checks[] = {
    AT_MOST("like K", "cucb", 1.2),
    AT_MOST("like K^4", "cucb-ldp1", 4.2),
    AT_MOST("like K^2", "cucb-ldp2", 2.2),
    GROWS("like K", "cucb-dp", 0.6, 1.4),
};
static const lotor_figure_check arms_checks[] = {
    GROWS("like m", "cucb", 0.6, 1.4),
    GROWS("like m", "cucb-ldp1", 0.6, 1.4),
    GROWS("like m", "cucb-ldp2", 0.6, 1.4),
    GROWS("like m", "cucb-dp", 0.6, 1.4),
};

static const double per_epsilon[] = {0.25, 0.5, 1, 2};
static const double slots[] = {2, 4, 8, 16};
static const double arms[] = {12, 20, 36, 60};

#define NOTE                                                                                       \
    "The paper has no experiment: the setting is ours (any K of m arms, 0.7 for the first K and "  \
    "0.3 for the rest). Slopes are of log regret at the end; logarithms of the theory are not "    \
    "taken out. Where cucb-dp still explores at the end, its regret says nothing of epsilon."

#define SETS(value, count, shown)                                                                  \
    {                                                                                              \
        .epsilon = (value), .place = LOTOR_FIGURE_WORLD_TWO_VALUED, .arms = (count),               \
        .slots = (shown), .high = 0.7, .low = 0.3, .horizon = 10000000, .runs = 4                  \
    }

#define ROW(name, text, said, over, list, tested)                                                  \
    .id = "chen-" name, .paper = PAPER, .where = "Table 1", .title = (text), .claim = (said),      \
    .note = NOTE, .quick_horizon = 200000, .quick_runs = 2, .axis = (over), .values = (list),      \
    .value_count = LOTOR_ITEMS(list), .log_x = true, .log_y = true, .curves = all_four,            \
    .curve_count = LOTOR_ITEMS(all_four), .checks = (tested), .check_count = LOTOR_ITEMS(tested)

const lotor_figure lotor_figures_chen[] = {
    {ROW("epsilon", "Semi-bandits: regret over 1/epsilon",
         "Regret grows like 1/epsilon^2 in the local model, and like 1/epsilon in the central one.",
         LOTOR_AXIS_PER_EPSILON, per_epsilon, epsilon_checks),
     .base = SETS(0, 16, 4)},
    {ROW("slots", "Semi-bandits: regret over the number of arms shown",
         "For linear rewards regret grows at most like K without privacy, like K in the central "
         "model, and in the local one at most like K^4 (cucb-ldp1) and K^2 (cucb-ldp2).",
         LOTOR_AXIS_SLOTS, slots, slots_checks),
     .base = SETS(1, 32, 0)},
    {ROW("arms", "Semi-bandits: regret over the number of arms",
         "Regret grows like the number of arms m, with and without privacy.", LOTOR_AXIS_ARMS, arms,
         arms_checks),
     .base = SETS(1, 0, 4)},
};
const size_t lotor_figures_chen_count = LOTOR_ITEMS(lotor_figures_chen);
