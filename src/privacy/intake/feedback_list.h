/* feedback_list.h - the raw feedback of one request, after reading and before encoding
 * (base/intake.h).
 *
 * Memory is wiped before it is freed.
 */
#ifndef LOTOR_PRIVACY_INTAKE_FEEDBACK_LIST_H
#define LOTOR_PRIVACY_INTAKE_FEEDBACK_LIST_H

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
bool lotor_feedback_list_begin(lotor_feedback_list *batch, lotor_coder_form form);
bool lotor_feedback_list_add(lotor_feedback_list *batch, int64_t number);
bool lotor_feedback_list_add_reward(lotor_feedback_list *batch, double reward);
bool lotor_feedback_list_name(lotor_feedback_list *batch, const char *name);
void lotor_feedback_list_take_back(lotor_feedback_list *batch);

size_t lotor_feedback_list_count(const lotor_feedback_list *batch);

/* Item i. Its pointers are valid until the batch is changed. */
lotor_feedback_item lotor_feedback_list_at(const lotor_feedback_list *batch, size_t i);

#endif
