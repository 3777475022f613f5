/* intake_scene.h - two servers with the same intake: one accepts feedback, the other enters it. */
#ifndef LOTOR_TESTS_INTAKE_SCENE_H
#define LOTOR_TESTS_INTAKE_SCENE_H

#include "policy/serving.h"
#include "privacy/intake/batch.h"
#include "privacy/intake/intake.h"
#include "support/served.h"

enum { SCENE_CAMPAIGN = 7 };
extern const unsigned char scene_key[LOTOR_INTAKE_KEY]; /* 1, 2, ..., 32 */
extern const char *const scene_ids[ROWS_ARMS];          /* a, b, c, d, e */

/* Makes an intake; fails the test if that is not possible. */
lotor_intake *scene_intake(const lotor_policy_params *params);

/* Make a batch of one item. */
lotor_feedback_batch *scene_rewards(const double *rewards, size_t count);
lotor_feedback_batch *scene_click(const char *name);
lotor_feedback_batch *scene_report(const int64_t *report, size_t count);

/* Accepts a batch of one item and frees it. Fails the test if the item is refused. */
void scene_accept(lotor_intake *intake, lotor_feedback_batch *batch, uint64_t decision,
                  uint64_t nonce, const lotor_kept *kept);

/* A row of the log. */
typedef struct scene_row {
    unsigned char *bytes;
    size_t length;
    uint64_t stream, seq, first, last;
} scene_row;

/* Seals and clears the pending group. */
scene_row scene_seal(lotor_intake *intake, uint64_t stream, uint64_t seq);
lotor_status scene_replay(lotor_intake *intake, uint64_t final, const scene_row *row);
void scene_row_free(scene_row *row);

#endif
