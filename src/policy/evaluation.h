/* evaluation.h - rounds that measure value: the policy's choice against a control.
 *
 * A coin decides the role of each drawn round:
 *
 *      learn     the policy chooses, and the round feeds the policy's statistic
 *      measure   the policy chooses, and the round feeds the value counter of the policy
 *      control   the control is shown, and the round feeds the value counter of the control
 *
 * The coin depends on nothing else. A round feeds exactly one statistic, so measuring costs no
 * further epsilon (evaluation.md). A decision of the last two roles records one of the two numbers
 * below in place of arms; lotor_round_role_of tells the role of a decision.
 */
#ifndef LOTOR_POLICY_EVALUATION_H
#define LOTOR_POLICY_EVALUATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/display.h"
#include "policy/serving.h"

typedef struct lotor_evaluation lotor_evaluation;

void lotor_evaluation_free(lotor_evaluation *evaluation);

/* Draws the role of a round that has its event. `eligible` as in lotor_policy_draw. Changes the arms
 * of a control, and what is recorded unless the role is learn. If the control can't be shown, the role
 * is learn, so that both value counters measure the same requests. */
lotor_round_role lotor_evaluation_assign(lotor_policy *policy, const bool *eligible,
                                         lotor_decision *out);

/* Enters a final round that is not of the role learn. `units` as in lotor_policy_enter. */
lotor_status lotor_evaluation_enter(lotor_policy *policy, const lotor_display *display,
                                    const int64_t *units, size_t used, lotor_message *why);

/* Passes the facts of both value counters on to the policy's `told`, or stops doing so. */
void lotor_evaluation_tell(lotor_policy *policy);

/* Why the noise of the value counters is not enough; NULL if it is. */
const char *lotor_evaluation_refuse(const lotor_policy *policy);

/* The last section of a saved policy. Loading makes policy->evaluation. LOTOR_MEMORY. */
void lotor_evaluation_save(const lotor_policy *policy, lotor_writer *writer);
lotor_status lotor_evaluation_load(lotor_policy *policy, lotor_reader *reader);

#endif
