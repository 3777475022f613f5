/* spec_labels.c - what people call campaigns and arms: "title", "description" and "metadata"; and what the
 * operator says about a campaign in its statement: "purpose", "controller", "legal_basis" and "contact".
 *
 * No algorithm reads labels, and they may change at any time. spec->labels maps the id of an arm to an
 * object with these fields, and "" to the object of the campaign. Fields that were not given are not
 * there, so the text of a campaign without labels is what it was before there were labels.
 *
 * Texts are UTF-8, which the JSON parser has checked. Lengths are in bytes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "service/spec/spec_reader.h"

enum {
    ENTRIES_MOST = 32,
    VALUE_MOST = 500,
    ALL_MOST = 262144 /* of a campaign and its arms together, as compact JSON */
};

/* Arms have the first ARM_FIELDS of these, campaigns have all. */
static const struct field {
    const char *name;
    size_t most;    /* bytes of a text; 0: an object of metadata */
    bool has_lines; /* the text may have several lines */
} fields[] = {
    {"title", 200, false},   {"description", 2000, true}, {"metadata", 0, false},
    {"purpose", 2000, true}, {"controller", 1000, true},  {"legal_basis", 1000, true},
    {"contact", 1000, true},
};
enum { FIELDS = sizeof fields / sizeof *fields, ARM_FIELDS = 3 };

bool lotor_spec_is_label(const char *name)
{
    size_t i = 0;
    while (i < FIELDS && strcmp(fields[i].name, name) != 0) {
        i++;
    }
    return i < FIELDS;
}

/* --- checking --------------------------------------------------------------------------------- */

/* True if a text has at most so many bytes, and no control characters. Long texts may have lines. */
static bool is_text(const json_t *value, size_t least, size_t most, bool has_lines)
{
    const char *const text = json_string_value(value);
    const size_t length = json_string_length(value);
    bool fine = text && length >= least && length <= most && strlen(text) == length;
    for (size_t i = 0; fine && i < length; i++) {
        const bool is_line = has_lines && (text[i] == '\n' || text[i] == '\t');
        fine = ((unsigned char)text[i] >= ' ' && text[i] != 127) || is_line;
    }
    return fine;
}

static lotor_code check_entry(const char *name, const json_t *value, const char *field,
                              lotor_refusal *refusal)
{
    if (!lotor_is_name(name, strlen(name))) {
        return lotor_refuse(
            refusal, LOTOR_CODE_BAD_VALUE, field,
            "expected names of 1 to %d letters, digits, '.', '_' and '-' that begin "
            "with a letter or a digit",
            LOTOR_NAME_MAX);
    }
    const bool is_fine = json_is_boolean(value) || json_is_integer(value) ||
                         (json_is_real(value) && isfinite(json_real_value(value))) ||
                         is_text(value, 0, VALUE_MOST, true);
    return is_fine
               ? LOTOR_CODE_NONE
               : lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, field,
                              "the value of \"%s\" is not allowed: expected a text of at most %d "
                              "bytes without control characters, a number, true or false",
                              name, VALUE_MOST);
}

static lotor_code check_metadata(const json_t *value, const char *field, lotor_refusal *refusal)
{
    if (!json_is_object(value) || json_object_size(value) > ENTRIES_MOST) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, field,
                            "expected an object with at most %d texts, numbers, true or false",
                            ENTRIES_MOST);
    }
    const char *name;
    json_t *entry;
    json_object_foreach((json_t *)value, name, entry)
    {
        const lotor_code code = check_entry(name, entry, field, refusal);
        if (code != LOTOR_CODE_NONE) {
            return code;
        }
    }
    return LOTOR_CODE_NONE;
}

static lotor_code check(const struct field *which, const json_t *value, const char *field,
                        lotor_refusal *refusal)
{
    if (which->most == 0) {
        return check_metadata(value, field, refusal);
    }
    return is_text(value, 1, which->most, which->has_lines)
               ? LOTOR_CODE_NONE
               : lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, field,
                              "expected a text of 1 to %zu bytes (UTF-8) without control "
                              "characters, or null for none",
                              which->most);
}

/* All labels together may not be too long, since every server reads them with the specification. */
static lotor_code check_length(const lotor_spec *spec, lotor_refusal *refusal)
{
    return !spec->labels || json_dumpb(spec->labels, NULL, 0, JSON_COMPACT) <= ALL_MOST
               ? LOTOR_CODE_NONE
               : lotor_refuse(refusal, LOTOR_CODE_TOO_LARGE, "",
                              "the texts and metadata of the campaign and its arms are too long: "
                              "expected at most %d bytes in all",
                              ALL_MOST);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The labels of an arm, or of the campaign (""). Makes the object if there is none. NULL: no
 * memory. */
static json_t *labels_of(lotor_spec *spec, const char *id)
{
    if (!spec->labels) {
        spec->labels = json_object();
    }
    json_t *const found = json_object_get(spec->labels, id);
    if (found || !spec->labels) {
        return found;
    }
    json_t *const made = json_object();
    return json_object_set_new(spec->labels, id, made) == 0 ? made : NULL;
}

static lotor_code set(lotor_spec *spec, const char *id, const char *name, const json_t *value,
                      lotor_refusal *refusal)
{
    json_t *const labels = labels_of(spec, id);
    if (!labels) {
        return lotor_refuse_memory(refusal);
    }
    if (json_is_null(value)) {
        json_object_del(labels, name);
        return LOTOR_CODE_NONE;
    }
    return json_object_set_new(labels, name, json_deep_copy(value)) == 0
               ? LOTOR_CODE_NONE
               : lotor_refuse_memory(refusal);
}

lotor_code lotor_spec_read_labels(lotor_spec *spec, const char *id, const json_t *object,
                                  const char *place, lotor_refusal *refusal)
{
    const size_t count = *id ? ARM_FIELDS : FIELDS;
    for (size_t i = 0; i < count; i++) {
        const json_t *const value = json_object_get(object, fields[i].name);
        char field[LOTOR_FIELD_ROOM];
        if (!value) {
            continue;
        }
        lotor_field_join(field, place, fields[i].name);
        lotor_code code =
            json_is_null(value) ? LOTOR_CODE_NONE : check(&fields[i], value, field, refusal);
        if (code == LOTOR_CODE_NONE) {
            code = set(spec, id, fields[i].name, value, refusal);
        }
        if (code != LOTOR_CODE_NONE) {
            return code;
        }
    }
    return check_length(spec, refusal);
}

int lotor_spec_write_labels(const lotor_spec *spec, const char *id, json_t *object)
{
    const json_t *const labels = json_object_get(spec->labels, id);
    int failed = 0;
    for (size_t i = 0; labels && i < FIELDS; i++) {
        const json_t *const value = json_object_get(labels, fields[i].name);
        if (value) { /* a copy, since reference counts are not thread-safe */
            failed |= json_object_set_new(object, fields[i].name, json_deep_copy(value));
        }
    }
    return failed;
}

/* --- editing ---------------------------------------------------------------------------------- */

static lotor_code edit_arm(lotor_spec *spec, const json_t *arm, size_t place,
                           lotor_refusal *refusal)
{
    static const char *const known[] = {"id", "title", "description", "metadata", NULL};
    char field[LOTOR_FIELD_ROOM], inner[LOTOR_FIELD_ROOM];
    lotor_field_index(field, "arms", place);
    const lotor_code code = lotor_fields_check(arm, known, field, LOTOR_FIELDS_PUBLIC, refusal);
    if (code != LOTOR_CODE_NONE) {
        return code;
    }
    const char *const id = json_string_value(json_object_get(arm, "id"));
    if (!id || lotor_spec_arm(spec, id) == SIZE_MAX) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, lotor_field_join(inner, field, "id"),
                            "expected the id of an arm of this campaign");
    }
    return lotor_spec_read_labels(spec, id, arm, field, refusal);
}

static lotor_code edit_all(lotor_spec *spec, const json_t *body, lotor_refusal *refusal)
{
    const json_t *const arms = json_object_get(body, "arms");
    if (arms && !json_is_array(arms)) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "arms",
                            "expected an array of arms: [{\"id\": ..., \"title\": ...}, ...]");
    }
    lotor_code code = lotor_spec_read_labels(spec, "", body, "", refusal);
    for (size_t i = 0; code == LOTOR_CODE_NONE && i < json_array_size(arms); i++) {
        code = edit_arm(spec, json_array_get(arms, i), i, refusal);
    }
    return code;
}

lotor_code lotor_spec_edit(lotor_spec *spec, const json_t *body, lotor_refusal *refusal)
{
    static const char *const known[] = {"title",      "description", "metadata", "purpose",
                                        "controller", "legal_basis", "contact",  "arms",
                                        "max_arms",   NULL};
    lotor_code code = lotor_fields_check(body, known, "", LOTOR_FIELDS_PUBLIC, refusal);
    if (code == LOTOR_CODE_NONE && json_object_size(body) == 0) {
        code = lotor_refuse(refusal, LOTOR_CODE_MISSING_FIELD, "",
                            "nothing to change: expected \"title\", \"description\", \"metadata\", "
                            "\"purpose\", \"controller\", \"legal_basis\", \"contact\", "
                            "\"arms\" or \"max_arms\"");
    }
    if (code != LOTOR_CODE_NONE) {
        return code;
    }
    json_t *const before = spec->labels;
    spec->labels = before ? json_deep_copy(before) : json_object();
    code = spec->labels ? edit_all(spec, body, refusal) : lotor_refuse_memory(refusal);
    if (code == LOTOR_CODE_NONE) {
        code = lotor_spec_raise(spec, json_object_get(body, "max_arms"), refusal);
    }
    json_t *const dropped = code == LOTOR_CODE_NONE ? before : spec->labels;
    spec->labels = code == LOTOR_CODE_NONE ? spec->labels : before;
    json_decref(dropped);
    return code;
}
