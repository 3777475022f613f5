/* body.h - the body of a request as JSON, or why not. */
#ifndef LOTOR_SERVICE_BODY_H
#define LOTOR_SERVICE_BODY_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "service/refusal.h"

enum { LOTOR_BODY_MOST = 64 * 1024, LOTOR_BODY_DEPTH = 16 };

/* A new reference to an object; NULL: refused. An empty body is an empty object. Refused: what is no
 * JSON, is nested deeper than LOTOR_BODY_DEPTH (looked at before anything recurses), names a field
 * twice, or has a NUL in it. The message never repeats what came. */
json_t *lotor_body_read(const char *bytes, size_t length, lotor_refusal *refusal);

/* Nothing but white space, or "{}" in it: no JSON reader is needed to know what it says. */
bool lotor_body_is_empty(const char *bytes, size_t length);

#endif
