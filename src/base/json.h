/* json.h - writes JSON into a caller's buffer, without allocation.
 *
 * The writer adds commas, quotes and escapes. `length` goes on counting past the capacity, as
 * snprintf does, so a caller can measure first. Infinities and NaN become null.
 */
#ifndef LOTOR_BASE_JSON_H
#define LOTOR_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lotor_json {
    char *buffer;
    size_t capacity;
    size_t length; /* of the whole text, without the NUL */
    bool comma;    /* the next element needs a comma before it */
} lotor_json;

void lotor_json_start(lotor_json *json, char *buffer, size_t capacity);

/* Pass a key inside an object, and NULL inside an array or at the top level. */
void lotor_json_open(lotor_json *json, const char *key, char bracket);       /* '{' or '[' */
void lotor_json_close(lotor_json *json, char bracket);                       /* '}' or ']' */
void lotor_json_string(lotor_json *json, const char *key, const char *text); /* NULL: null */
void lotor_json_double(lotor_json *json, const char *key, double value); /* shortest exact form */
void lotor_json_whole(lotor_json *json, const char *key, uint64_t value);
void lotor_json_bool(lotor_json *json, const char *key, bool value);
void lotor_json_raw(lotor_json *json, const char *key, const char *text); /* `text` is JSON */

#endif
