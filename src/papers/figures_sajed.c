/* figures_sajed.c - Sajed 2019: elimination compared with the tree, chapter 6 and appendix A.2.
 *
 *      6.1 to 6.4    c1 to c4, five arms, four epsilons       regret over the rounds
 *      6.5 to 6.8    c1 to c4, 3 to 20 arms; a: epsilon 0.25, b: epsilon 1
 *      a.1 to a.4    as 6.1 to 6.4 with both versions of dp-se2; a to d: one epsilon each
 *      a.5 to a.8    as 6.5 to 6.8 with both versions of dp-se2: final regret over the arms,
 *                    because a chart with 32 curves would be unreadable
 *
 * The rows ...-printed play figures 6.2, 6.4, A.2 and A.4 once more, with the means that the thesis
 * prints for five arms: see src/world/instances.c.
 *
 * The experiments with dp-ucb and dp-se in the appendix are equal to those of chapter 6, number by
 * number. Each experiment is played once and used for both.
 */
#include "papers/figures.h"

#define PAPER   "Sajed 2019"
#define HORIZON UINT64_C(50000000)

#define AT_EPSILON(id, value)                                                                      \
    {                                                                                              \
        id ", epsilon " #value,                                                                    \
        {                                                                                          \
            .algorithm = (id), .epsilon = (value)                                                  \
        }                                                                                          \
    }
#define WITH_ARMS(id, number)                                                                      \
    {                                                                                              \
        id ", " #number " arms",                                                                   \
        {                                                                                          \
            .algorithm = (id), .arms = (number)                                                    \
        }                                                                                          \
    }

/* --- chapter 6 -------------------------------------------------------------------------------- */

static const lotor_curve_plan over_epsilon[] = {
    AT_EPSILON("dp-ucb", 0.1), AT_EPSILON("dp-ucb", 0.25), AT_EPSILON("dp-ucb", 0.5),
    AT_EPSILON("dp-ucb", 1),   AT_EPSILON("dp-se", 0.1),   AT_EPSILON("dp-se", 0.25),
    AT_EPSILON("dp-se", 0.5),  AT_EPSILON("dp-se", 1),
};

static const lotor_curve_plan over_arms[] = {
    WITH_ARMS("dp-ucb", 3),  WITH_ARMS("dp-ucb", 5), WITH_ARMS("dp-ucb", 10),
    WITH_ARMS("dp-ucb", 20), WITH_ARMS("dp-se", 3),  WITH_ARMS("dp-se", 5),
    WITH_ARMS("dp-se", 10),  WITH_ARMS("dp-se", 20),
};

#define FIVE_TIMES(setting)                                                                        \
    {                                                                                              \
        "dp-se is at least 5 times better than dp-ucb with " setting, LOTOR_CHECK_TIMES_BETTER,    \
            "dp-se, " setting, "dp-ucb, " setting, .factor = 5                                     \
    }

static const lotor_figure_check over_epsilon_checks[] = {
    FIVE_TIMES("epsilon 0.1"),
    FIVE_TIMES("epsilon 0.25"),
    FIVE_TIMES("epsilon 0.5"),
    FIVE_TIMES("epsilon 1"),
    {"dp-se stops losing: all worse arms are out before the last half of the rounds",
     LOTOR_CHECK_LEVELS, "dp-se, epsilon 0.25", NULL, .factor = 0.01},
};
static const lotor_figure_check over_arms_checks[] = {
    FIVE_TIMES("3 arms"),
    FIVE_TIMES("5 arms"),
    FIVE_TIMES("10 arms"),
    FIVE_TIMES("20 arms"),
};

#define CLAIM_SE                                                                                   \
    "In every setting dp-se loses at least 5 times less than dp-ucb. Its regret is made of "       \
    "straight pieces and stops growing once the worse arms are out; that of dp-ucb is smooth and " \
    "goes on."

#define EPSILON_FIGURE(number, name)                                                               \
    {                                                                                              \
        .id = "sajed-6." #number, .paper = PAPER, .where = "Figure 6." #number,                    \
        .title = "Five arms of " name ", four privacy budgets", .claim = CLAIM_SE,                 \
        .base = {.instance = (name), .arms = 5, .horizon = HORIZON, .runs = 30},                   \
        .quick_horizon = HORIZON, .quick_runs = 10, .log_x = true, .log_y = true,                  \
        .curves = over_epsilon, .curve_count = LOTOR_ITEMS(over_epsilon),                          \
        .checks = over_epsilon_checks, .check_count = LOTOR_ITEMS(over_epsilon_checks)             \
    }

#define ARMS_FIGURE(number, letter, name, value)                                                   \
    {                                                                                              \
        .id = "sajed-6." #number letter, .paper = PAPER,                                           \
        .where = "Figure 6." #number ", epsilon " #value,                                          \
        .title = "3 to 20 arms of " name ", epsilon " #value, .claim = CLAIM_SE,                   \
        .base = {.epsilon = (value), .instance = (name), .horizon = HORIZON, .runs = 30},          \
        .quick_horizon = HORIZON, .quick_runs = 10, .log_x = true, .log_y = true,                  \
        .curves = over_arms, .curve_count = LOTOR_ITEMS(over_arms), .checks = over_arms_checks,    \
        .check_count = LOTOR_ITEMS(over_arms_checks)                                               \
    }

/* --- appendix A.2 ----------------------------------------------------------------------------- */

static const lotor_curve_plan all_four[] = {
    {"dp-ucb", {.algorithm = "dp-ucb"}},
    {"dp-se", {.algorithm = "dp-se"}},
    {"dp-se2", {.algorithm = "dp-se2"}},
    {"dp-se2-modified", {.algorithm = "dp-se2-modified"}},
};

static const double arms_of_a[] = {3, 5, 10, 20};

/* With five arms and one epsilon: the regret over the rounds. */
#define IN_ALL_SETTINGS                                                                            \
    LOTOR_BELOW("the modified dp-se2 loses less than dp-ucb", "dp-se2-modified", "dp-ucb"),        \
        LOTOR_BELOW("dp-se loses less than dp-se2", "dp-se", "dp-se2")

static const lotor_figure_check se2_wins[] = {
    LOTOR_BELOW("dp-se2 loses less than dp-ucb", "dp-se2", "dp-ucb"),
    IN_ALL_SETTINGS,
};

static const lotor_figure_check se2_wins_soon_after[] = {
    LOTOR_BELOW("dp-se2 loses less than dp-ucb", "dp-se2", "dp-ucb"),
    IN_ALL_SETTINGS,
    {"dp-se2 has dropped all worse arms not long after the modified version: within 4 times its "
     "time",
     LOTOR_CHECK_FINISHES, "dp-se2-modified", "dp-se2", .low = 0.25, .high = 1.5},
};

/* For small gaps and a large epsilon. */
static const lotor_figure_check ucb_wins[] = {
    LOTOR_BELOW("dp-ucb loses less than dp-se2", "dp-ucb", "dp-se2"),
    IN_ALL_SETTINGS,
};

/* The paper says "roughly 1/5 of the time". Epochs end at powers of two, so the share can be off by a
 * factor of two. */
#define IN_A_FIFTH                                                                                 \
    {                                                                                              \
        "the modified dp-se2 has dropped all worse arms in roughly 1/5 of the time of dp-se2, "    \
        "from 1/10 to 2/5",                                                                        \
            LOTOR_CHECK_FINISHES, "dp-se2-modified", "dp-se2", .low = 0.1, .high = 0.4             \
    }
static const lotor_figure_check ucb_wins_in_c1[] = {
    LOTOR_BELOW("dp-ucb loses less than dp-se2", "dp-ucb", "dp-se2"),
    IN_ALL_SETTINGS,
    IN_A_FIFTH,
};

/* Over the number of arms: each claim is judged at every number. */
#define WITH_EVERY_NUMBER_OF_ARMS                                                                  \
    LOTOR_BELOW_EVERYWHERE("with any number of arms the modified dp-se2 loses less than dp-ucb",   \
                           "dp-se2-modified", "dp-ucb"),                                           \
        LOTOR_BELOW_EVERYWHERE("with any number of arms dp-se loses less than dp-se2", "dp-se",    \
                               "dp-se2")

static const lotor_figure_check se2_wins_with_any_arms[] = {
    LOTOR_BELOW_EVERYWHERE("with any number of arms dp-se2 loses less than dp-ucb", "dp-se2",
                           "dp-ucb"),
    WITH_EVERY_NUMBER_OF_ARMS,
};

/* c1 at epsilon 1: the paper says that dp-se2 wins with many arms, and dp-ucb with a moderate
 * number. */
static const lotor_figure_check se2_wins_with_many_arms[] = {
    LOTOR_BELOW("with 20 arms dp-se2 loses less than dp-ucb", "dp-se2", "dp-ucb"),
    WITH_EVERY_NUMBER_OF_ARMS,
};

/* c4 at epsilon 1. */
static const lotor_figure_check ucb_wins_with_many_arms[] = {
    LOTOR_BELOW("with 20 arms dp-ucb loses less than dp-se2", "dp-ucb", "dp-se2"),
    {"the more arms, the worse dp-se2 compares with dp-ucb", LOTOR_CHECK_WIDENS, .first = "dp-ucb",
     .second = "dp-se2"},
    WITH_EVERY_NUMBER_OF_ARMS,
};

#define SAME " In every setting the modified dp-se2 beats dp-ucb, and dp-se beats dp-se2."

/* The claims of the appendix about each instance. */
#define CLAIM_C1                                                                                   \
    "With small equal gaps dp-se2 beats dp-ucb when epsilon is at most 0.25 or the arms are "      \
    "many; "                                                                                       \
    "dp-ucb wins when epsilon is large and the arms are few." SAME
#define CLAIM_C2 "dp-se2 beats dp-ucb at every epsilon and with any number of arms." SAME
#define CLAIM_C3 CLAIM_C2
#define CLAIM_C4                                                                                   \
    "With many small gaps and a large epsilon dp-ucb can beat dp-se2, the more so with many "      \
    "arms; "                                                                                       \
    "elsewhere dp-se2 wins." SAME

#define EPSILON_PART(number, letter, name, value, said, tested)                                    \
    {                                                                                              \
        .id = "sajed-a." #number letter, .paper = PAPER,                                           \
        .where = "Figure A." #number ", epsilon " #value,                                          \
        .title = "dp-se2 with five arms of " name ", epsilon " #value, .claim = (said),            \
        .base = {.epsilon = (value),                                                               \
                 .instance = (name),                                                               \
                 .arms = 5,                                                                        \
                 .horizon = HORIZON,                                                               \
                 .runs = 30},                                                                      \
        .quick_horizon = HORIZON, .quick_runs = 10, .log_x = true, .log_y = true,                  \
        .curves = all_four, .curve_count = LOTOR_ITEMS(all_four), .checks = (tested),              \
        .check_count = LOTOR_ITEMS(tested)                                                         \
    }

#define ARMS_PART(number, letter, name, value, said, tested)                                       \
    {                                                                                              \
        .id = "sajed-a." #number letter, .paper = PAPER,                                           \
        .where = "Figure A." #number ", epsilon " #value,                                          \
        .title = "dp-se2 with 3 to 20 arms of " name ", epsilon " #value, .claim = (said),         \
        .note = "The regret at the end over the number of arms, in place of a curve for "          \
                "each.",                                                                           \
        .base = {.epsilon = (value), .instance = (name), .horizon = HORIZON, .runs = 30},          \
        .quick_horizon = HORIZON, .quick_runs = 10, .axis = LOTOR_AXIS_ARMS, .notes_rounds = true, \
        .values = arms_of_a, .value_count = LOTOR_ITEMS(arms_of_a), .log_x = true, .log_y = true,  \
        .curves = all_four, .curve_count = LOTOR_ITEMS(all_four), .checks = (tested),              \
        .check_count = LOTOR_ITEMS(tested)                                                         \
    }

/* --- all settings together -------------------------------------------------------------------- */

#define FIVE_ARMS(name)                                                                            \
    {.instance = (name), .epsilon = 0.1, .arms = 5},                                               \
        {.instance = (name), .epsilon = 0.25, .arms = 5},                                          \
        {.instance = (name), .epsilon = 0.5, .arms = 5},                                           \
    {                                                                                              \
        .instance = (name), .epsilon = 1, .arms = 5                                                \
    }
#define OTHER_ARMS(name, value)                                                                    \
    {.instance = (name), .epsilon = (value), .arms = 3},                                           \
        {.instance = (name), .epsilon = (value), .arms = 10},                                      \
    {                                                                                              \
        .instance = (name), .epsilon = (value), .arms = 20                                         \
    }
static const lotor_setting every_setting[] = {
    FIVE_ARMS("c1"),        FIVE_ARMS("c2"),     FIVE_ARMS("c3"),        FIVE_ARMS("c4"),
    OTHER_ARMS("c1", 0.25), OTHER_ARMS("c1", 1), OTHER_ARMS("c2", 0.25), OTHER_ARMS("c2", 1),
    OTHER_ARMS("c3", 0.25), OTHER_ARMS("c3", 1), OTHER_ARMS("c4", 0.25), OTHER_ARMS("c4", 1),
};
static const double setting_numbers[] = {
    1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
    21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
};

static const lotor_figure_check every_setting_checks[] = {
    {"in every setting dp-se loses at most a fifth of what dp-ucb loses", LOTOR_CHECK_NEVER_ABOVE,
     "dp-se", "dp-ucb", .factor = 5},
    LOTOR_BELOW_EVERYWHERE("in every setting dp-se loses less than dp-ucb", "dp-se", "dp-ucb"),
    LOTOR_BELOW_EVERYWHERE("in every setting the modified dp-se2 loses less than dp-ucb",
                           "dp-se2-modified", "dp-ucb"),
    LOTOR_BELOW_EVERYWHERE("in every setting dp-se loses less than dp-se2", "dp-se", "dp-se2"),
    {.claim = "most of the time dp-se loses less than the modified dp-se2",
     .kind = LOTOR_CHECK_MOSTLY_BELOW,
     .first = "dp-se",
     .second = "dp-se2-modified"},
};

/* --- the means as printed --------------------------------------------------------------------- */

#define NOTE_PRINTED                                                                               \
    "The means are those that the thesis prints for five arms. One of them is 0.525, where the "   \
    "formula of the same instance gives 0.625. The figure without -printed plays the formula."

#define PRINTED                                                                                    \
    .paper = PAPER, .note = NOTE_PRINTED, .quick_horizon = HORIZON, .quick_runs = 10,              \
    .log_x = true, .log_y = true

#define PRINTED_EPSILON_FIGURE(number, name, tested)                                               \
    {                                                                                              \
        PRINTED, .id = "sajed-6." #number "-printed",                                              \
                 .where = "Figure 6." #number ", means as printed",                                \
                 .title = "Five arms of " name ", four privacy budgets", .claim = CLAIM_SE,        \
                 .base = {.instance = (name), .arms = 5, .horizon = HORIZON, .runs = 30},          \
                 .curves = over_epsilon, .curve_count = LOTOR_ITEMS(over_epsilon),                 \
                 .checks = (tested), .check_count = LOTOR_ITEMS(tested)                            \
    }

#define PRINTED_EPSILON_PART(number, letter, name, value, said, tested)                            \
    {                                                                                              \
        PRINTED, .id = "sajed-a." #number letter "-printed",                                       \
                 .where = "Figure A." #number ", epsilon " #value ", means as printed",            \
                 .title = "dp-se2 with five arms of " name ", epsilon " #value, .claim = (said),   \
                 .base = {.epsilon = (value),                                                      \
                          .instance = (name),                                                      \
                          .arms = 5,                                                               \
                          .horizon = HORIZON,                                                      \
                          .runs = 30},                                                             \
                 .curves = all_four, .curve_count = LOTOR_ITEMS(all_four), .checks = (tested),     \
                 .check_count = LOTOR_ITEMS(tested)                                                \
    }

const lotor_figure lotor_figures_sajed[] = {
    EPSILON_FIGURE(1, "c1"),
    EPSILON_FIGURE(2, "c2"),
    EPSILON_FIGURE(3, "c3"),
    EPSILON_FIGURE(4, "c4"),
    ARMS_FIGURE(5, "a", "c1", 0.25),
    ARMS_FIGURE(5, "b", "c1", 1),
    ARMS_FIGURE(6, "a", "c2", 0.25),
    ARMS_FIGURE(6, "b", "c2", 1),
    ARMS_FIGURE(7, "a", "c3", 0.25),
    ARMS_FIGURE(7, "b", "c3", 1),
    ARMS_FIGURE(8, "a", "c4", 0.25),
    ARMS_FIGURE(8, "b", "c4", 1),
    EPSILON_PART(1, "a", "c1", 0.1, CLAIM_C1, se2_wins),
    EPSILON_PART(1, "b", "c1", 0.25, CLAIM_C1, se2_wins),
    EPSILON_PART(1, "c", "c1", 0.5, CLAIM_C1, ucb_wins_in_c1),
    EPSILON_PART(1, "d", "c1", 1, CLAIM_C1, ucb_wins_in_c1),
    EPSILON_PART(2, "a", "c2", 0.1, CLAIM_C2, se2_wins_soon_after),
    EPSILON_PART(2, "b", "c2", 0.25, CLAIM_C2, se2_wins_soon_after),
    EPSILON_PART(2, "c", "c2", 0.5, CLAIM_C2, se2_wins_soon_after),
    EPSILON_PART(2, "d", "c2", 1, CLAIM_C2, se2_wins_soon_after),
    EPSILON_PART(3, "a", "c3", 0.1, CLAIM_C3, se2_wins),
    EPSILON_PART(3, "b", "c3", 0.25, CLAIM_C3, se2_wins),
    EPSILON_PART(3, "c", "c3", 0.5, CLAIM_C3, se2_wins),
    EPSILON_PART(3, "d", "c3", 1, CLAIM_C3, se2_wins),
    EPSILON_PART(4, "a", "c4", 0.1, CLAIM_C4, se2_wins),
    EPSILON_PART(4, "b", "c4", 0.25, CLAIM_C4, se2_wins),
    EPSILON_PART(4, "c", "c4", 0.5, CLAIM_C4, se2_wins),
    EPSILON_PART(4, "d", "c4", 1, CLAIM_C4, ucb_wins),
    ARMS_PART(5, "a", "c1", 0.25, CLAIM_C1, se2_wins_with_any_arms),
    ARMS_PART(5, "b", "c1", 1, CLAIM_C1, se2_wins_with_many_arms),
    ARMS_PART(6, "a", "c2", 0.25, CLAIM_C2, se2_wins_with_any_arms),
    ARMS_PART(6, "b", "c2", 1, CLAIM_C2, se2_wins_with_any_arms),
    ARMS_PART(7, "a", "c3", 0.25, CLAIM_C3, se2_wins_with_any_arms),
    ARMS_PART(7, "b", "c3", 1, CLAIM_C3, se2_wins_with_any_arms),
    ARMS_PART(8, "a", "c4", 0.25, CLAIM_C4, se2_wins_with_any_arms),
    ARMS_PART(8, "b", "c4", 1, CLAIM_C4, ucb_wins_with_many_arms),
    {.id = "sajed-all",
     .paper = PAPER,
     .where = "chapter 6 and appendix A.2",
     .title = "All 40 settings: the regret at the end",
     .claim = "In all settings dp-se outperforms dp-ucb at least 5 times, the modified dp-se2 "
              "outperforms dp-ucb, and dp-se outperforms dp-se2; most of the time dp-se also "
              "outperforms the modified dp-se2.",
     .note =
         "Settings 1 to 16: five arms of c1, c2, c3 and c4, each at epsilon 0.1, 0.25, 0.5 and 1. "
         "Then 3, 10 and 20 arms: 17 to 22 of c1, 23 to 28 of c2, 29 to 34 of c3, 35 to 40 of "
         "c4, first at epsilon 0.25, then at 1.",
     .base = {.horizon = HORIZON, .runs = 30},
     .quick_horizon = HORIZON,
     .quick_runs = 10,
     .axis = LOTOR_AXIS_SETTING,
     .notes_rounds = true,
     .values = setting_numbers,
     .value_count = LOTOR_ITEMS(setting_numbers),
     .settings = every_setting,
     .log_x = true,
     .log_y = true,
     .curves = all_four,
     .curve_count = LOTOR_ITEMS(all_four),
     .checks = every_setting_checks,
     .check_count = LOTOR_ITEMS(every_setting_checks)},
    PRINTED_EPSILON_FIGURE(2, "c2-printed", over_epsilon_checks),
    PRINTED_EPSILON_FIGURE(4, "c4-printed", over_epsilon_checks),
    PRINTED_EPSILON_PART(2, "a", "c2-printed", 0.1, CLAIM_C2, se2_wins_soon_after),
    PRINTED_EPSILON_PART(2, "b", "c2-printed", 0.25, CLAIM_C2, se2_wins_soon_after),
    PRINTED_EPSILON_PART(2, "c", "c2-printed", 0.5, CLAIM_C2, se2_wins_soon_after),
    PRINTED_EPSILON_PART(2, "d", "c2-printed", 1, CLAIM_C2, se2_wins_soon_after),
    PRINTED_EPSILON_PART(4, "a", "c4-printed", 0.1, CLAIM_C4, se2_wins),
    PRINTED_EPSILON_PART(4, "b", "c4-printed", 0.25, CLAIM_C4, se2_wins),
    PRINTED_EPSILON_PART(4, "c", "c4-printed", 0.5, CLAIM_C4, se2_wins),
    PRINTED_EPSILON_PART(4, "d", "c4-printed", 1, CLAIM_C4, ucb_wins),
};
_Static_assert(LOTOR_ITEMS(every_setting) == LOTOR_ITEMS(setting_numbers), "one number each");
const size_t lotor_figures_sajed_count = LOTOR_ITEMS(lotor_figures_sajed);
