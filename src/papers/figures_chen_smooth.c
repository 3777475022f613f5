/* figures_chen_smooth.c - Chen et al. 2020: the first line of Table 1, for B-infinity-smooth rewards.
 *
 * The paper names two examples: probabilistic maximum coverage, and influence. The graphs are ours:
 * m edges are the arms, and K of them are shown together (see reproduce_graph.c). The reward is the
 * number of vertices that are reached. If every edge's mean moves by at most x, this number moves by
 * at most a constant times K x. So B is of order K. The means of good and bad edges differ by 0.8,
 * so the gap Delta is of order K, too. Table 1 then has these exponents, up to logarithms:
 *
 *                                            1/epsilon    K              m
 *      cucb         m B^2/Delta                  0        1 at most      1
 *      cucb-ldp1    m K^2 B^2/(eps^2 Delta)      2        3 at most      1      Theorem 2
 *      cucb-ldp2    m B^2/(eps^2 Delta)          2        1 at most      1      Theorem 4
 *      cucb-dp      m K/eps                      1        1 at most      1      Theorem 8
 *      cucb-dp2     m B^2/(eps Delta)            1        1 at most      1      end of section 3.2
 *
 * Theorem 8 is for B1-smooth rewards: both examples have a constant B1. The central learners need
 * log^3 T rounds where the local ones need log T. So the central ones get a larger epsilon, to learn
 * within as few rounds.
 */
#include <math.h>

#include "papers/figures.h"

#define PAPER "Chen et al. 2020"

#define AT(id, value)                                                                              \
    {                                                                                              \
        id,                                                                                        \
        {                                                                                          \
            .algorithm = (id), .epsilon = (value)                                                  \
        }                                                                                          \
    }

static const lotor_curve_plan local[] = {LOTOR_CURVE("cucb-ldp1"), LOTOR_CURVE("cucb-ldp2")};
static const lotor_curve_plan central[] = {LOTOR_CURVE("cucb-dp"), LOTOR_CURVE("cucb-dp2")};
static const lotor_curve_plan all[] = {LOTOR_CURVE("cucb"), AT("cucb-ldp1", 4), AT("cucb-ldp2", 4),
                                       AT("cucb-dp", 64), AT("cucb-dp2", 64)};

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

static const lotor_figure_check local_checks[] = {
    GROWS("like 1/epsilon^2", "cucb-ldp1", 1.5, 2.5),
    GROWS("like 1/epsilon^2", "cucb-ldp2", 1.5, 2.5),
};
static const lotor_figure_check central_checks[] = {
    GROWS("like 1/epsilon", "cucb-dp", 0.6, 1.4),
    GROWS("like 1/epsilon", "cucb-dp2", 0.6, 1.4),
};
static const lotor_figure_check slots_checks[] = {
    AT_MOST("like K", "cucb", 1.2),      AT_MOST("like K^3", "cucb-ldp1", 3.2),
    AT_MOST("like K", "cucb-ldp2", 1.2), AT_MOST("like K", "cucb-dp", 1.2),
    AT_MOST("like K", "cucb-dp2", 1.2),
};
static const lotor_figure_check arms_checks[] = {
    GROWS("like m", "cucb", 0.6, 1.4),      GROWS("like m", "cucb-ldp1", 0.6, 1.4),
    GROWS("like m", "cucb-ldp2", 0.6, 1.4), GROWS("like m", "cucb-dp", 0.6, 1.4),
    GROWS("like m", "cucb-dp2", 0.6, 1.4),
};

static const double per_local_epsilon[] = {0.25, 0.5, 1};
static const double per_central_epsilon[] = {1.0 / 32, 1.0 / 16, 1.0 / 8};
static const double slots[] = {2, 4, 8};
static const double coverage_arms[] = {8, 16, 32};
static const double influence_arms[] = {8, 12, 20};

#define NOTE                                                                                       \
    "The paper has no experiment: the graph is ours (good edges have mean 0.9, others 0.1). "      \
    "Regret is against the best set, not against the share of it that the greedy oracle "          \
    "promises. Slopes are of log regret at the end; logarithms of the theory are not taken out."

#define CLAIM_LOCAL                                                                                \
    "For B-infinity-smooth rewards regret grows like 1/epsilon^2 in the local model."
#define CLAIM_CENTRAL                                                                              \
    "For B-infinity-smooth rewards regret grows like 1/epsilon in the central model."
#define CLAIM_SLOTS                                                                                \
    "For B-infinity-smooth rewards regret is of order m B^2/Delta, and privacy brings no further " \
    "K, but for cucb-ldp1, where it brings K^2. Here B and Delta are of order K: so regret grows " \
    "at most like K, and like K^3 for cucb-ldp1."
#define CLAIM_ARMS                                                                                 \
    "For B-infinity-smooth rewards regret grows like the number of arms m, with and without "      \
    "privacy."

#define COVERAGE(count, shown, paper, times, quick, quick_times)                                   \
    .base = {.place = LOTOR_FIGURE_WORLD_COVERAGE,                                                 \
             .arms = (count),                                                                      \
             .slots = (shown),                                                                     \
             .high = 0.9,                                                                          \
             .low = 0.1,                                                                           \
             .horizon = (paper),                                                                   \
             .runs = (times)},                                                                     \
    .quick_horizon = (quick), .quick_runs = (quick_times)
#define INFLUENCE(count, shown, paper, times, quick, quick_times)                                  \
    .base = {.place = LOTOR_FIGURE_WORLD_INFLUENCE,                                                \
             .arms = (count),                                                                      \
             .slots = (shown),                                                                     \
             .high = 0.9,                                                                          \
             .low = 0.1,                                                                           \
             .horizon = (paper),                                                                   \
             .runs = (times)},                                                                     \
    .quick_horizon = (quick), .quick_runs = (quick_times)

#define ROW(name, text, said, over, list, drawn, tested)                                           \
    .id = "chen-" name, .paper = PAPER, .where = "Table 1, first line", .title = (text),           \
    .claim = (said), .note = NOTE, .axis = (over), .values = (list),                               \
    .value_count = LOTOR_ITEMS(list), .log_x = true, .log_y = true, .curves = (drawn),             \
    .curve_count = LOTOR_ITEMS(drawn), .checks = (tested), .check_count = LOTOR_ITEMS(tested)

const lotor_figure lotor_figures_chen_smooth[] = {
    {ROW("coverage-local", "Coverage: regret over 1/epsilon, local model", CLAIM_LOCAL,
         LOTOR_AXIS_PER_EPSILON, per_local_epsilon, local, local_checks),
     COVERAGE(8, 4, 100000, 10, 20000, 6)},
    {ROW("coverage-central", "Coverage: regret over 1/epsilon, central model", CLAIM_CENTRAL,
         LOTOR_AXIS_PER_EPSILON, per_central_epsilon, central, central_checks),
     COVERAGE(8, 4, 200000, 4, 30000, 2)},
    {ROW("coverage-slots", "Coverage: regret over the number of edges shown", CLAIM_SLOTS,
         LOTOR_AXIS_SLOTS, slots, all, slots_checks),
     COVERAGE(16, 0, 100000, 4, 10000, 2)},
    {ROW("coverage-arms", "Coverage: regret over the number of edges", CLAIM_ARMS, LOTOR_AXIS_ARMS,
         coverage_arms, all, arms_checks),
     COVERAGE(0, 2, 100000, 4, 10000, 3)},
    {ROW("influence-local", "Influence: regret over 1/epsilon, local model", CLAIM_LOCAL,
         LOTOR_AXIS_PER_EPSILON, per_local_epsilon, local, local_checks),
     INFLUENCE(4, 2, 40000, 10, 2000, 3)},
    {ROW("influence-central", "Influence: regret over 1/epsilon, central model", CLAIM_CENTRAL,
         LOTOR_AXIS_PER_EPSILON, per_central_epsilon, central, central_checks),
     INFLUENCE(4, 2, 100000, 4, 5000, 2)},
    {ROW("influence-slots", "Influence: regret over the number of edges shown", CLAIM_SLOTS,
         LOTOR_AXIS_SLOTS, slots, all, slots_checks),
     INFLUENCE(16, 0, 10000, 4, 1000, 2)},
    {ROW("influence-arms", "Influence: regret over the number of edges", CLAIM_ARMS,
         LOTOR_AXIS_ARMS, influence_arms, all, arms_checks),
     INFLUENCE(0, 2, 5000, 10, 1000, 2)},
};
const size_t lotor_figures_chen_smooth_count = LOTOR_ITEMS(lotor_figures_chen_smooth);
