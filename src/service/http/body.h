/* body.h - parses the JSON body of a request. */
#ifndef LOTOR_SERVICE_BODY_H
#define LOTOR_SERVICE_BODY_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "service/refusal.h"

enum { LOTOR_BODY_MAX = 64 * 1024, LOTOR_BODY_DEPTH = 16 };

/* Returns the body as a new reference to an object, or NULL with a refusal. An empty body is an
 * empty object. A body is refused if it is not JSON, names a field twice, has a NUL, or is
 * nested deeper than LOTOR_BODY_DEPTH. The depth is checked before the recursive parser runs.
 * The message never repeats any of the body. */
json_t *lotor_body_read(const char *bytes, size_t length, lotor_refusal *refusal);

/* True if the body is only white space or "{}". Then no JSON parser is needed. */
bool lotor_body_is_empty(const char *bytes, size_t length);

#endif
