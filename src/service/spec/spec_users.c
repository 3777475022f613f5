/* spec_users.c - the fields of a specification that are about users: the budget that the campaign
 * joins, and for how long a user gets the same decision again. */
#include <string.h>

#include "service/spec/spec_reader.h"

enum { STICKY_MOST = 31622400 }; /* a year */

static const json_t *get(const lotor_spec_reader *reader, const char *name)
{
    const json_t *const value = json_object_get(reader->body, name);
    return json_is_null(value) ? NULL : value;
}

/* A device of the local model that is shown an event again would draw a second report for it. Two
 * reports reveal more than epsilon, and the server can't prevent the second one. So there are no
 * such campaigns, not even in the store. */
static lotor_code read_sticky(const lotor_spec_reader *reader, const json_t *given)
{
    lotor_spec *const spec = reader->spec;
    if (reader->serving.model == LOTOR_MODEL_LOCAL) {
        return lotor_refuse(
            reader->refusal, LOTOR_CODE_BAD_VALUE, "sticky_seconds",
            "%s is of the local model: a device that gets an event again would send a second "
            "report, and two reports reveal more than epsilon. Leave sticky_seconds out and let "
            "the device keep its ranking and its report, or use an algorithm such as lik-imed",
            spec->algorithm);
    }
    return lotor_field_whole(given, "sticky_seconds", 1, STICKY_MOST, reader->refusal,
                             &spec->sticky_seconds);
}

/* Only the store's text has it: a server writes it. */
static lotor_code read_seal(const lotor_spec_reader *reader, const json_t *seal)
{
    if (!reader->is_kept || !json_is_string(seal) ||
        json_string_length(seal) != LOTOR_BUDGET_SEAL) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "budget_seal",
                            "the server sets this field: leave it out");
    }
    memcpy(reader->spec->budget_seal, json_string_value(seal), LOTOR_BUDGET_SEAL + 1);
    return LOTOR_CODE_NONE;
}

lotor_code lotor_spec_read_users(const lotor_spec_reader *reader)
{
    lotor_spec *const spec = reader->spec;
    lotor_code code = LOTOR_CODE_NONE;
    if (get(reader, "budget")) {
        code = lotor_field_name(get(reader, "budget"), "budget", reader->refusal, spec->budget);
    }
    if (code == LOTOR_CODE_NONE && get(reader, "budget_seal")) {
        code = read_seal(reader, get(reader, "budget_seal"));
    }
    if (code == LOTOR_CODE_NONE && get(reader, "sticky_seconds")) {
        code = read_sticky(reader, get(reader, "sticky_seconds"));
    }
    return code;
}

/* A field that is not used is not written, so that the text is as it was before there was such a
 * field. */
int lotor_spec_write_users(const lotor_spec *spec, json_t *whole)
{
    int failed = 0;
    if (spec->budget[0]) {
        failed |= json_object_set_new(whole, "budget", json_string(spec->budget));
    }
    if (spec->sticky_seconds > 0) {
        failed |= json_object_set_new(whole, "sticky_seconds",
                                      json_integer((json_int_t)spec->sticky_seconds));
    }
    return failed;
}

json_t *lotor_spec_write_kept(const lotor_spec *spec)
{
    json_t *const whole = lotor_spec_write(spec);
    if (whole && spec->budget_seal[0] &&
        json_object_set_new(whole, "budget_seal", json_string(spec->budget_seal)) != 0) {
        json_decref(whole);
        return NULL;
    }
    return whole;
}
