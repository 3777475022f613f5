/* body.c - checks and parses the JSON body of a request. See body.h. */
#include "service/http/body.h"

#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t skip_space(const char *bytes, size_t length, size_t at)
{
    while (at < length && is_space(bytes[at])) {
        at++;
    }
    return at;
}

bool lotor_body_is_empty(const char *bytes, size_t length)
{
    size_t at = skip_space(bytes, length, 0);
    if (at < length && bytes[at] == '{') {
        at = skip_space(bytes, length, at + 1);
        if (at == length || bytes[at] != '}') {
            return false;
        }
        at++;
    }
    return skip_space(bytes, length, at) == length;
}

/* The deepest nesting of brackets, ignoring those inside strings. */
static size_t depth_of(const char *bytes, size_t length)
{
    size_t depth = 0, deepest = 0;
    bool in_string = false;
    for (size_t i = 0; i < length; i++) {
        const char c = bytes[i];
        if (in_string) {
            i += c == '\\';
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            depth++;
            deepest = depth > deepest ? depth : deepest;
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        }
    }
    return deepest;
}

/* Says what is wrong, without the quote from the body that jansson's own message has. */
static const char *what_is_wrong(const json_error_t *error)
{
    switch (json_error_code(error)) {
    case json_error_duplicate_key:
        return "a field is given twice";
    case json_error_invalid_utf8:
        return "the text is not UTF-8";
    case json_error_null_character:
    case json_error_null_byte_in_key:
        return "the text has a NUL character";
    case json_error_numeric_overflow:
        return "a number is too large";
    case json_error_premature_end_of_input:
        return "the text ends too early";
    case json_error_end_of_input_expected:
        return "more text follows the end of the object";
    default:
        return "the syntax is wrong";
    }
}

json_t *lotor_body_read(const char *bytes, size_t length, lotor_refusal *refusal)
{
    refusal->code = LOTOR_CODE_NONE;
    json_t *body = NULL;
    if (skip_space(bytes, length, 0) == length) {
        body = json_object();
    } else if (depth_of(bytes, length) > LOTOR_BODY_DEPTH) {
        lotor_refuse(refusal, LOTOR_CODE_BAD_JSON, "",
                     "the body is nested too deep: expected at most %d levels", LOTOR_BODY_DEPTH);
        return NULL;
    } else {
        json_error_t error;
        body = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
        if (!body && json_error_code(&error) != json_error_out_of_memory) {
            lotor_refuse(refusal, LOTOR_CODE_BAD_JSON, "",
                         "the body is not JSON: %s (line %d, column %d); expected an object",
                         what_is_wrong(&error), error.line, error.column);
            return NULL;
        }
    }
    if (!body) {
        lotor_refuse(refusal, LOTOR_CODE_INTERNAL, "", "out of memory: try again later");
    } else if (!json_is_object(body)) {
        lotor_refuse(refusal, LOTOR_CODE_BAD_JSON, "", "expected an object: {...}");
        json_decref(body);
        body = NULL;
    }
    return body;
}
