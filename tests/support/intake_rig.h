/* intake_rig.h - two servers with the same intake: one accepts feedback, the other enters it. */
#ifndef LOTOR_TESTS_INTAKE_RIG_H
#define LOTOR_TESTS_INTAKE_RIG_H

#include "policy/serving.h"
#include "privacy/intake/feedback_list.h"
#include "privacy/intake/intake.h"
#include "support/served.h"

enum { INTAKE_CAMPAIGN = 7 };
extern const unsigned char intake_key[LOTOR_INTAKE_KEY]; /* 1, 2, ..., 32 */
extern const char *const intake_ids[ROWS_ARMS];          /* a, b, c, d, e */

/* Makes an intake; fails the test if that is not possible. */
lotor_intake *intake_new(const lotor_policy_params *params);

/* Make a list of one item. */
lotor_feedback_list *intake_rewards(const double *rewards, size_t count);
lotor_feedback_list *intake_click(const char *name);
lotor_feedback_list *intake_report(const int64_t *report, size_t count);

/* Accepts a list of one item and frees it. Fails the test if the item is refused. */
void intake_accept(lotor_intake *intake, lotor_feedback_list *batch, uint64_t decision,
                   uint64_t nonce, const lotor_display *display);

/* A row of the log. */
typedef struct intake_row {
    unsigned char *bytes;
    size_t length;
    uint64_t stream, seq, first, last;
} intake_row;

/* Seals and clears the pending group. */
intake_row intake_seal(lotor_intake *intake, uint64_t stream, uint64_t seq);
lotor_status intake_replay(lotor_intake *intake, uint64_t final, const intake_row *row);
void intake_row_free(intake_row *row);

#endif
