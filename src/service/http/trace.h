/* trace.h - the names of a request in logs: its id, and its place in a distributed trace.
 *
 * Both come from the client, so they are checked before they are written anywhere.
 */
#ifndef LOTOR_SERVICE_TRACE_H
#define LOTOR_SERVICE_TRACE_H

#include <stdbool.h>

enum { LOTOR_REQUEST_ID_ROOM = 65, LOTOR_TRACEPARENT_ROOM = 56 };

/* Copies the header X-Request-Id if it has 1 to 64 letters, digits, '.', '_' and '-'. Else false,
 * and `id` is "". `text` may be NULL. */
bool lotor_request_id_read(const char *text, char id[LOTOR_REQUEST_ID_ROOM]);
/* Makes an id of 32 random hexadecimal digits. A counter would tell clients how many requests there
 * were, and that count is private. */
void lotor_request_id_make(char id[LOTOR_REQUEST_ID_ROOM]);

/* Copies the header traceparent (https://www.w3.org/TR/trace-context/) if it is valid:
 *
 *     00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
 *     version, trace, parent, flags
 *
 * All digits are small, and neither trace nor parent is zero. A version after 00 may have more
 * parts, which are left out. Else false, and `trace` is "". `text` may be NULL. */
bool lotor_traceparent_read(const char *text, char trace[LOTOR_TRACEPARENT_ROOM]);

#endif
