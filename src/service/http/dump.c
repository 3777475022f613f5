/* dump.c - writes a JSON value as text. See dump.h. (jansson itself would write 0.1 with 17
 * digits.) */
#include "service/http/dump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"

static void dump(lotor_json *json, const char *key, const json_t *value)
{
    char digits[32];
    const char *name;
    json_t *field;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        lotor_json_open(json, key, '{');
        json_object_foreach((json_t *)value, name, field)
        {
            dump(json, name, field);
        }
        lotor_json_close(json, '}');
        break;
    case JSON_ARRAY:
        lotor_json_open(json, key, '[');
        for (size_t i = 0; i < json_array_size(value); i++) {
            dump(json, NULL, json_array_get(value, i));
        }
        lotor_json_close(json, ']');
        break;
    case JSON_STRING:
        lotor_json_string(json, key, json_string_value(value));
        break;
    case JSON_INTEGER:
        snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        lotor_json_raw(json, key, digits);
        break;
    case JSON_REAL:
        lotor_json_double(json, key, json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        lotor_json_bool(json, key, json_is_true(value));
        break;
    case JSON_NULL:
        lotor_json_string(json, key, NULL);
        break;
    }
}

char *lotor_dump(const json_t *value, size_t *length)
{
    lotor_json json;
    lotor_json_start(&json, NULL, 0); /* finds the length only */
    dump(&json, NULL, value);
    const size_t room = json.length + 1;
    char *const text = malloc(room);
    if (text) {
        lotor_json_start(&json, text, room);
        dump(&json, NULL, value);
        text[room - 1] = '\0';
    }
    if (length) {
        *length = text ? room - 1 : 0;
    }
    return text;
}
