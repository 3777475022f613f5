/* message.h - writing the sentence that goes with a failure, and the status names. */
#ifndef LOTOR_BASE_MESSAGE_H
#define LOTOR_BASE_MESSAGE_H

#include <lotor/status.h>

/* Writes the sentence, cut at the end if it is too long. `why` may be NULL. */
void lotor_explain(lotor_message *why, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same, and gives `status` back, so that a refusal is one line:
 * return lotor_fail(LOTOR_RANGE, why, "...", value). A macro, so that the compiler and the
 * analyzers see which status comes out. */
#define lotor_fail(status, why, ...) (lotor_explain((why), __VA_ARGS__), (status))

#endif
