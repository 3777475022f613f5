/* fields.c - reads the fields of a JSON object. See fields.h. */
#include "service/spec/fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/quote.h"
#include "base/suggest.h"
#include "service/spec/spec.h"

lotor_code lotor_refuse_memory(lotor_refusal *refusal)
{
    return lotor_refuse(refusal, LOTOR_CODE_INTERNAL, "", "out of memory: try again later");
}

const char *lotor_field_join(char room[LOTOR_FIELD_ROOM], const char *place, const char *name)
{
    snprintf(room, LOTOR_FIELD_ROOM, "%s%s%s", place, place[0] && name[0] ? "." : "", name);
    return room;
}

const char *lotor_field_index(char room[LOTOR_FIELD_ROOM], const char *place, size_t index)
{
    snprintf(room, LOTOR_FIELD_ROOM, "%s[%zu]", place, index);
    return room;
}

static bool is_known(const char *name, const char *const *known)
{
    for (; *known; known++) {
        if (strcmp(*known, name) == 0) {
            return true;
        }
    }
    return false;
}

enum { LIST_MOST = 160 }; /* so that a message has room for the list */

/* Lists the known fields. A list that is too long ends after a whole name, and says where all are. */
static void list_fields(const char *const *known, char *list, size_t room)
{
    size_t length = 0;
    for (size_t i = 0; known[i]; i++) {
        const char *const comma = i > 0 ? ", " : "";
        if (length + strlen(comma) + strlen(known[i]) > LIST_MOST) {
            snprintf(list + length, room - length, " and others (docs/http.md lists all)");
            return;
        }
        length += (size_t)snprintf(list + length, room - length, "%s%s", comma, known[i]);
    }
}

static lotor_code unknown_field(const char *name, const char *const *known, const char *place,
                                lotor_field_care care, lotor_refusal *refusal)
{
    char field[LOTOR_FIELD_ROOM], list[LIST_MOST + 40] = "";
    lotor_suggestion suggestion;
    lotor_suggestion_start(&suggestion, name);
    for (size_t i = 0; known[i]; i++) {
        lotor_suggestion_offer(&suggestion, known[i]);
    }
    list_fields(known, list, sizeof list);
    const bool is_told = care == LOTOR_FIELDS_PUBLIC || suggestion.nearest;
    lotor_field_join(field, place, is_told ? name : "");
    /* The name may hold any bytes; the message must be plain text. */
    for (size_t i = 0; field[i]; i++) {
        field[i] = field[i] < ' ' || field[i] > '~' ? '?' : field[i];
    }
    if (suggestion.nearest) {
        return lotor_refuse(refusal, LOTOR_CODE_UNKNOWN_FIELD, field,
                            "there is no field %s here: did you mean \"%s\"?",
                            lotor_quote_text(name).text, suggestion.nearest);
    }
    return lotor_refuse(refusal, LOTOR_CODE_UNKNOWN_FIELD, field,
                        "%s%s is not known here: expected %s%s", is_told ? "the field " : "a field",
                        is_told ? lotor_quote_text(name).text : "", known[0] ? "" : "no fields",
                        list);
}

lotor_code lotor_fields_check(const json_t *object, const char *const *known, const char *place,
                              lotor_field_care care, lotor_refusal *refusal)
{
    if (!json_is_object(object)) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, place, "expected an object: {...}");
    }
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        if (!is_known(name, known)) {
            return unknown_field(name, known, place, care, refusal);
        }
    }
    return LOTOR_CODE_NONE;
}

lotor_code lotor_field_missing(const char *field, const char *expected, lotor_refusal *refusal)
{
    return lotor_refuse(refusal, LOTOR_CODE_MISSING_FIELD, field, "%s is missing: expected %s",
                        field, expected);
}

lotor_code lotor_field_refuse(const json_t *given, const char *field, const char *expected,
                              lotor_refusal *refusal)
{
    return given ? lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, field, "expected %s", expected)
                 : lotor_field_missing(field, expected, refusal);
}

lotor_code lotor_field_whole(const json_t *value, const char *field, uint64_t least, uint64_t most,
                             lotor_refusal *refusal, uint64_t *out)
{
    char expected[96];
    snprintf(expected, sizeof expected, "a whole number from %" PRIu64 " to %" PRIu64, least, most);
    if (!value) {
        return lotor_field_missing(field, expected, refusal);
    }
    double number = -1;
    if (json_is_integer(value)) {
        const json_int_t whole = json_integer_value(value);
        if (whole >= 0 && (uint64_t)whole >= least && (uint64_t)whole <= most) {
            *out = (uint64_t)whole;
            return LOTOR_CODE_NONE;
        }
    } else if (json_is_real(value)) { /* 1e6 is a whole number, too */
        number = json_real_value(value);
        if (number >= (double)least && number <= (double)most && number <= 0x1p53 &&
            number == floor(number)) {
            *out = (uint64_t)number;
            return LOTOR_CODE_NONE;
        }
    }
    return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, field, "expected %s", expected);
}

lotor_code lotor_field_number(const json_t *value, const char *field, lotor_refusal *refusal,
                              double *out)
{
    if (!value) {
        return lotor_field_missing(field, "a number", refusal);
    }
    if (!json_is_number(value) || !isfinite(json_number_value(value))) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, field, "expected a number");
    }
    *out = json_number_value(value);
    return LOTOR_CODE_NONE;
}

lotor_code lotor_field_bool(const json_t *value, const char *field, lotor_refusal *refusal,
                            bool *out)
{
    if (!value) {
        return lotor_field_missing(field, "true or false", refusal);
    }
    if (!json_is_boolean(value)) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, field, "expected true or false");
    }
    *out = json_is_true(value);
    return LOTOR_CODE_NONE;
}

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool lotor_is_name(const char *text, size_t length)
{
    if (length == 0 || length > LOTOR_NAME_MAX || !is_letter_or_digit(text[0])) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (!is_letter_or_digit(text[i]) && text[i] != '.' && text[i] != '_' && text[i] != '-') {
            return false;
        }
    }
    return true;
}

lotor_code lotor_field_name(const json_t *value, const char *field, lotor_refusal *refusal,
                            char *out)
{
    static const char expected[] = "a name of 1 to 64 letters, digits, '.', '_' and '-' that "
                                   "begins with a letter or a digit";
    if (!value) {
        return lotor_field_missing(field, expected, refusal);
    }
    if (!json_is_string(value) ||
        !lotor_is_name(json_string_value(value), json_string_length(value))) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, field, "expected %s", expected);
    }
    memcpy(out, json_string_value(value), json_string_length(value) + 1);
    return LOTOR_CODE_NONE;
}

/* Refuses a number that no ratio can hold. */
static lotor_code refuse_ratio(const char *text, const char *field, const char *expected,
                               lotor_refusal *refusal)
{
    const double number = text ? strtod(text, NULL) : 0.0;
    const char *hint = "";
    if (number > 0.0 && number < 1.0) {
        hint = "; the smallest is 1e-18, because it has at most 18 decimals";
    } else if (number > 1.0 && isfinite(number)) {
        hint = "; the largest is 2^63";
    }
    return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, field, "expected %s%s", expected, hint);
}

lotor_code lotor_field_ratio(const json_t *given, const char *field, const char *expected,
                             lotor_refusal *refusal, lotor_ratio *out)
{
    char digits[LOTOR_DIGITS_ROOM];
    const char *text = json_string_value(given);
    if (json_is_integer(given)) {
        snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT, json_integer_value(given));
        text = digits;
    } else if (json_is_real(given)) { /* the shortest digits, so that 0.1 is one tenth */
        text = lotor_digits(json_real_value(given), digits);
    }
    if (!given) {
        return lotor_field_missing(field, expected, refusal);
    }
    if (!text || lotor_ratio_parse(text, NULL, out) != LOTOR_OK || lotor_ratio_is_infinite(*out)) {
        return refuse_ratio(text, field, expected, refusal);
    }
    return LOTOR_CODE_NONE;
}
