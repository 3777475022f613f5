/* message.h - writing the sentence that goes with a failure, and the status names. */
#ifndef LOTOR_BASE_MESSAGE_H
#define LOTOR_BASE_MESSAGE_H

#include <lotor/status.h>

/* Writes the sentence (cut at the end if it is too long) and returns `status`, so that a refusal
 * is one line: return lotor_fail(LOTOR_RANGE, why, "...", value). `why` may be NULL. */
lotor_status lotor_fail(lotor_status status, lotor_message *why, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
