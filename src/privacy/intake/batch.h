/* batch.h - the raw feedback of one request, after reading and before encoding (base/intake.h).
 *
 * Memory is wiped before it is freed.
 */
#ifndef LOTOR_PRIVACY_INTAKE_BATCH_H
#define LOTOR_PRIVACY_INTAKE_BATCH_H

#include "base/intake.h"
#include "privacy/intake/coder.h"

/* One person's feedback. */
typedef struct lotor_feedback_item {
    lotor_coder_form form;
    const int64_t *numbers; /* for rewards: the bits of doubles; for reports: the numbers as sent */
    size_t count;
    const char *name; /* for a click: the name of the arm; "": no click */
} lotor_feedback_item;

/* An item is begun, then numbers or a name are added to it. The last item can be taken back. The
 * functions return false if there is no memory. */
bool lotor_feedback_batch_begin(lotor_feedback_batch *batch, lotor_coder_form form);
bool lotor_feedback_batch_add(lotor_feedback_batch *batch, int64_t number);
bool lotor_feedback_batch_add_reward(lotor_feedback_batch *batch, double reward);
bool lotor_feedback_batch_name(lotor_feedback_batch *batch, const char *name);
void lotor_feedback_batch_take_back(lotor_feedback_batch *batch);

size_t lotor_feedback_batch_count(const lotor_feedback_batch *batch);

/* Item i. Its pointers are valid until the batch is changed. */
lotor_feedback_item lotor_feedback_batch_at(const lotor_feedback_batch *batch, size_t i);

#endif
