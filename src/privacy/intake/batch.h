/* batch.h - the raw feedback of one request, between reading and encoding: see base/intake.h.
 *
 * Everything that is dropped is wiped.
 */
#ifndef LOTOR_PRIVACY_INTAKE_BATCH_H
#define LOTOR_PRIVACY_INTAKE_BATCH_H

#include "base/intake.h"
#include "privacy/intake/coder.h"

/* One person's feedback. */
typedef struct lotor_feedback_item {
    lotor_coder_form form;
    const int64_t *numbers; /* of rewards: the bits of doubles; of reports: as they came */
    size_t count;
    const char *name; /* of a click: the arm's; "": no click */
} lotor_feedback_item;

/* Begins another item; then numbers are added to it, or a name; then it is ended, or taken back. False: no
 * memory. */
bool lotor_feedback_batch_begin(lotor_feedback_batch *batch, lotor_coder_form form);
bool lotor_feedback_batch_add(lotor_feedback_batch *batch, int64_t number);
bool lotor_feedback_batch_add_reward(lotor_feedback_batch *batch, double reward);
bool lotor_feedback_batch_name(lotor_feedback_batch *batch, const char *name);
void lotor_feedback_batch_take_back(lotor_feedback_batch *batch); /* the last item */

size_t lotor_feedback_batch_count(const lotor_feedback_batch *batch);

/* Good until the batch is changed. */
lotor_feedback_item lotor_feedback_batch_at(const lotor_feedback_batch *batch, size_t i);

#endif
