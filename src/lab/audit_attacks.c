/* audit_attacks.c - see audit_attacks.h. */
#include "lab/audit_attacks.h"

#include <stddef.h>

/* The strongest event for Laplace noise: if every number that contains the round has noise at or
 * above 0, the privacy loss is all of epsilon. */
static bool is_high_value(const lotor_audit_reading *reading)
{
    return reading->is_high[LOTOR_READING_VALUES];
}

static bool is_high_step(const lotor_audit_reading *reading)
{
    return reading->is_high[LOTOR_READING_STEPS];
}

static bool is_high_node(const lotor_audit_reading *reading)
{
    return reading->is_high[LOTOR_READING_NODES];
}

static bool is_one_report(const lotor_audit_reading *reading)
{
    return reading->numbers[LOTOR_EXTRA_POSTS] <= 1.0F;
}

static bool is_counted_once(const lotor_audit_reading *reading)
{
    return reading->numbers[LOTOR_EXTRA_COUNTED] <= 1.0F;
}

static bool is_silent(const lotor_audit_reading *reading)
{
    return reading->numbers[LOTOR_EXTRA_POSTS] == 0.0F;
}

static bool is_exact_one(const lotor_audit_reading *reading)
{
    return reading->numbers[0] == 1.0F;
}

/* If numbers that are released together share their noise, their difference has none. */
static bool is_equal(const lotor_audit_reading *reading)
{
    return reading->is_equal;
}

static bool is_one_apart(const lotor_audit_reading *reading)
{
    return reading->is_one_apart;
}

/* Events about decisions: the arms of the round are shown again at once, or hardly any more. */
enum { AGAIN = 2 * LOTOR_READING_LENGTH, OFTEN = 4 * LOTOR_READING_LENGTH };

static bool is_shown_again(const lotor_audit_reading *reading)
{
    return reading->numbers[AGAIN] >= 1.0F;
}

static bool is_shown_mostly(const lotor_audit_reading *reading)
{
    const float *often = reading->numbers + OFTEN;
    float own = 0.0F;
    for (size_t i = 0; i < LOTOR_AUDIT_TOGETHER; i++) {
        own += often[i];
    }
    return own > often[LOTOR_AUDIT_TOGETHER];
}

enum {
    ACTIONS = 1 << LOTOR_VIEW_ACTIONS,
    BOARD = 1 << LOTOR_VIEW_BOARD,
    REPORTS = 1 << LOTOR_VIEW_REPORTS
};

/* If two events show the same, the first one in this table is reported. */
const lotor_audit_attack lotor_audit_attacks[] = {
    {"number of reports",
     "at most one report comes from the round, so their number tells the click",
     "more than one report comes from the round, so their number tells the click", is_one_report,
     REPORTS},
    {"counts without noise",
     "the board counts at most one more observation, without noise on the count",
     "the board counts more than one more observation, without noise on the count", is_counted_once,
     BOARD},
    {"first number", "the first released number is exactly 1",
     "the first released number is not exactly 1", is_exact_one, BOARD | REPORTS},
    {"time of a release", "nothing is released when the round ends",
     "something is released when the round ends", is_silent, BOARD | REPORTS},
    {"equal numbers", "all numbers that are released together with the round are equal",
     "two numbers that are released together with the round differ", is_equal, BOARD | REPORTS},
    {"numbers one apart",
     "two numbers that are released together with the round differ by exactly 1",
     "no two numbers that are released together with the round differ by exactly 1", is_one_apart,
     BOARD | REPORTS},
    {"high values", "every released sum that the round is in is at or above 1",
     "a released sum that the round is in is below 1", is_high_value, BOARD},
    {"high reports", "what the round adds to the board is at or above 1 for each of its arms",
     "what the round adds to the board is below 1 for one of its arms", is_high_step,
     BOARD | REPORTS},
    {"high tree nodes", "every tree node that the round is in is at or above 1",
     "a tree node that the round is in is below 1", is_high_node, BOARD},
    {"shown again", "an arm of the round is shown again in the next one",
     "no arm of the round is shown in the next one", is_shown_again, ACTIONS},
    {"shown mostly", "the arms of the round are shown in most later places",
     "the arms of the round are shown in at most half of the later places", is_shown_mostly,
     ACTIONS},
    {.id = NULL},
};
