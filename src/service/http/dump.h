/* dump.h - writes a JSON value as compact text. Numbers get the fewest digits that read back as
 * the same number. */
#ifndef LOTOR_SERVICE_DUMP_H
#define LOTOR_SERVICE_DUMP_H

#include <stddef.h>

#include <jansson.h>

/* Returns the text, which the caller frees, or NULL if there is no memory. `length` may be NULL. */
char *lotor_dump(const json_t *value, size_t *length);

#endif
