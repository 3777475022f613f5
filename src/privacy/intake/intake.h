/* intake.h - the inside of an intake, for policy/serving_intake.c and for the JSON readers (json/).
 * Other code uses base/intake.h.
 */
#ifndef LOTOR_PRIVACY_INTAKE_INTAKE_H
#define LOTOR_PRIVACY_INTAKE_INTAKE_H

#include "base/intake.h"
#include "privacy/intake/coder.h"

/* Copies the coder and the key. LOTOR_MEMORY. */
lotor_status lotor_intake_make(const lotor_coder *coder, uint64_t campaign,
                               const unsigned char key[LOTOR_INTAKE_KEY], lotor_intake **out);

const lotor_coder *lotor_intake_coder(const lotor_intake *intake);

/* The purpose of sealed bytes, and the two numbers that they are bound to. Never change these values:
 * stored bytes could no longer be opened. A new format of the bytes needs a new value. */
typedef enum lotor_intake_use {
    LOTOR_INTAKE_LOG = 1,     /* (stream, seq) */
    LOTOR_INTAKE_CONTEXT = 2, /* (0, 0) */
    LOTOR_INTAKE_ACTION = 3,  /* (decision, 0) */
    LOTOR_INTAKE_STATE = 4    /* (bound, 0) */
} lotor_intake_use;

/* lotor_seal and lotor_seal_open with the campaign's key, bound to (use, campaign, first,
 * second). */
void lotor_intake_seal(const lotor_intake *intake, lotor_intake_use use, uint64_t first,
                       uint64_t second, const void *plain, size_t length, unsigned char *sealed);
lotor_status lotor_intake_open(const lotor_intake *intake, lotor_intake_use use, uint64_t first,
                               uint64_t second, const unsigned char *sealed, size_t length,
                               void *plain);

/* The encoded feedback that waits for a decision; NULL if there is none. Valid until the intake is
 * changed. */
const int64_t *lotor_intake_find(const lotor_intake *intake, uint64_t decision, uint64_t nonce,
                                 size_t *used);
void lotor_intake_drop(lotor_intake *intake, uint64_t decision); /* wipes it, for all nonces */

/* Adds encoded feedback to the pending group: `used` numbers, from 1 to the width, of 8 bytes each.
 * LOTOR_MEMORY. */
lotor_status lotor_intake_add_pending(lotor_intake *intake, uint64_t decision, uint64_t nonce,
                                      const unsigned char *numbers, size_t used);

/* context.c: seals and opens the rows of a context: arms x dimension numbers. Only arms with
 * `has_row` have a row. For opening, `rows` has room for all arms, and `has_row` for a flag per
 * arm. LOTOR_DAMAGED: the bytes cannot be opened. */
lotor_status lotor_intake_seal_rows(const lotor_intake *intake, const double *rows,
                                    const bool *has_row, unsigned char **bytes, size_t *length);
lotor_status lotor_intake_open_rows(const lotor_intake *intake, const unsigned char *bytes,
                                    size_t length, lotor_message *why, double *rows, bool *has_row);

/* See lotor_intake_limit. lotor_intake_longest: 0: there is no limit. */
double lotor_intake_longest(const lotor_intake *intake);
bool lotor_intake_scales(const lotor_intake *intake);

/* context.c: seals and opens the context of the shown arm of a decision, `dimension` numbers.
 * lotor_intake_action_length is the length of the sealed bytes. */
size_t lotor_intake_action_length(const lotor_intake *intake);
void lotor_intake_seal_action(const lotor_intake *intake, uint64_t decision, const double *action,
                              unsigned char *sealed);
lotor_status lotor_intake_open_action(const lotor_intake *intake, uint64_t decision,
                                      const unsigned char *sealed, size_t length,
                                      lotor_message *why, double *action);

/* refuse.c: fills in a refusal and returns false, so that callers can write `return
 * lotor_intake_refuse(...)`. */
bool lotor_intake_refuse(lotor_intake_refusal *refusal, lotor_intake_fault fault, const char *field,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));
bool lotor_intake_refuse_memory(lotor_intake_refusal *refusal);
static inline void lotor_intake_refuse_nothing(lotor_intake_refusal *refusal)
{
    refusal->fault = LOTOR_FAULT_NONE;
    refusal->field[0] = refusal->message.text[0] = '\0';
}

#endif
