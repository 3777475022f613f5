/* dump.h - a JSON value as compact text, numbers in the shortest digits that read back the same. */
#ifndef LOTOR_SERVICE_DUMP_H
#define LOTOR_SERVICE_DUMP_H

#include <stddef.h>

#include <jansson.h>

/* NULL: no memory. The caller frees it. `length` may be NULL. */
char *lotor_dump(const json_t *value, size_t *length);

#endif
