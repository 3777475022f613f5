/* message.h - writes the message that explains a failure. */
#ifndef LOTOR_BASE_MESSAGE_H
#define LOTOR_BASE_MESSAGE_H

#include <lotor/status.h>

/* Writes the message, cut at the end if it is too long. `why` may be NULL. */
void lotor_explain(lotor_message *why, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the message and evaluates to `status`, so that a refusal is one line:
 * return lotor_fail(LOTOR_RANGE, why, "...", value). This is a macro, so that the compiler and the
 * analyzers see the status. */
#define lotor_fail(status, why, ...) (lotor_explain((why), __VA_ARGS__), (status))

#endif
