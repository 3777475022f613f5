/* spec_arms.c - reads the arms of a specification, and adds, pauses, resumes and removes arms. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/spec/spec_reader.h"

/* Reads one feature. A whole number may also be written as 2.0. */
static bool feature_of(const json_t *value, int64_t *out)
{
    const double number = json_number_value(value);
    if (!json_is_number(value) || !(fabs(number) <= (double)LOTOR_FEATURE_LARGEST) ||
        number != floor(number)) {
        return false;
    }
    *out = (int64_t)number;
    return true;
}

static lotor_code read_features(lotor_spec *spec, size_t arm, const json_t *features,
                                const char *place, lotor_refusal *refusal)
{
    char field[LOTOR_FIELD_ROOM];
    lotor_field_join(field, place, "features");
    if (!features && spec->feature_count > 0) {
        return lotor_refuse(
            refusal, LOTOR_CODE_MISSING_FIELD, field,
            "the features of this arm are missing: the first arm has %zu feature%s, "
            "and every arm needs as many",
            spec->feature_count, spec->feature_count == 1 ? "" : "s");
    }
    if (features && spec->feature_count == 0) {
        return arm > 0 ? lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, field,
                                      "the first arm has no features: leave this field out")
                       : lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, field,
                                      "expected an array of 1 to %d whole numbers, or no features",
                                      LOTOR_FEATURES_MAX);
    }
    if (features && json_array_size(features) != spec->feature_count) {
        return lotor_refuse(
            refusal, LOTOR_CODE_BAD_VALUE, field,
            "expected an array of whole numbers, as many as the first arm has (%zu)",
            spec->feature_count);
    }
    for (size_t i = 0; features && i < spec->feature_count; i++) {
        if (!feature_of(json_array_get(features, i),
                        &spec->features[arm * spec->feature_count + i])) {
            char element[LOTOR_FIELD_ROOM];
            return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, lotor_field_index(element, field, i),
                                "expected a whole number from -2^30 to 2^30");
        }
    }
    return LOTOR_CODE_NONE;
}

/* Only a specification that the store has kept may have removed arms. */
static lotor_code read_removed(lotor_arm *arm, const json_t *given, bool is_kept, const char *field,
                               lotor_refusal *refusal)
{
    if (!is_kept) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, field,
                            "a new arm can't have this field: leave it out; to remove an arm use "
                            "POST /v1/campaigns/NAME/arms with \"remove\"");
    }
    const lotor_code code = lotor_field_bool(given, field, refusal, &arm->removed);
    arm->paused = arm->paused || arm->removed;
    return code;
}

static lotor_code read_arm_object(lotor_spec *spec, size_t arm, const json_t *value, bool is_kept,
                                  const char *place, lotor_refusal *refusal)
{
    static const char *const known[] = {"id",    "features",    "paused",   "removed",
                                        "title", "description", "metadata", NULL};
    char field[LOTOR_FIELD_ROOM];
    lotor_code code = lotor_fields_check(value, known, place, LOTOR_FIELDS_PUBLIC, refusal);
    if (code == LOTOR_CODE_NONE) {
        code = lotor_field_name(json_object_get(value, "id"), lotor_field_join(field, place, "id"),
                                refusal, spec->arms[arm].id);
    }
    const json_t *const paused = json_object_get(value, "paused");
    if (code == LOTOR_CODE_NONE && paused) {
        code = lotor_field_bool(paused, lotor_field_join(field, place, "paused"), refusal,
                                &spec->arms[arm].paused);
    }
    const json_t *const removed = json_object_get(value, "removed");
    if (code == LOTOR_CODE_NONE && removed) {
        code = read_removed(&spec->arms[arm], removed, is_kept,
                            lotor_field_join(field, place, "removed"), refusal);
    }
    return code == LOTOR_CODE_NONE
               ? lotor_spec_read_labels(spec, spec->arms[arm].id, value, place, refusal)
               : code;
}

/* Reads one arm into spec->arms[arm]: "a" or {"id": "a", "features": [...], "paused": ...}. `field` is
 * its place in the body. The first arm decides how many features every arm has. */
static lotor_code read_arm(lotor_spec *spec, size_t arm, const json_t *value, bool is_kept,
                           const char *field, lotor_refusal *refusal)
{
    spec->arms[arm] = (lotor_arm){.paused = false};
    if (!json_is_string(value) && !json_is_object(value)) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, field,
                            "expected an arm: its id, or {\"id\": ..., \"features\": [...]}");
    }
    lotor_code code = json_is_string(value)
                          ? lotor_field_name(value, field, refusal, spec->arms[arm].id)
                          : read_arm_object(spec, arm, value, is_kept, field, refusal);
    if (code == LOTOR_CODE_NONE) {
        code = read_features(spec, arm, json_object_get(value, "features"), field, refusal);
    }
    return code;
}

static int by_id(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Refuses two arms with the same id. The ids are sorted, because there may be thousands. */
static lotor_code check_duplicates(const lotor_spec *spec, lotor_refusal *refusal)
{
    const char **const ids = malloc(spec->arm_count * sizeof *ids);
    if (!ids) {
        return lotor_refuse_memory(refusal);
    }
    for (size_t i = 0; i < spec->arm_count; i++) {
        ids[i] = spec->arms[i].id;
    }
    qsort(ids, spec->arm_count, sizeof *ids, by_id);
    lotor_code code = LOTOR_CODE_NONE;
    for (size_t i = 1; i < spec->arm_count && code == LOTOR_CODE_NONE; i++) {
        if (strcmp(ids[i - 1], ids[i]) == 0) {
            code = lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "arms",
                                "two arms have the id \"%s\": give each arm its own id", ids[i]);
        }
    }
    free(ids);
    return code;
}

/* The default of max_arms: leaves room for a quarter more arms, and for at least four. */
static size_t default_capacity(size_t arms)
{
    const size_t room = arms + arms / 4 + 4;
    return room < LOTOR_ARMS_MAX ? room : LOTOR_ARMS_MAX;
}

static lotor_code read_capacity(const lotor_spec_reader *reader)
{
    lotor_spec *const spec = reader->spec;
    const json_t *const given = json_object_get(reader->body, "max_arms");
    const bool can_grow = spec->oracle == LOTOR_ORACLE_TOP;
    uint64_t most = can_grow ? default_capacity(spec->arm_count) : spec->arm_count;
    spec->has_capacity = given && !json_is_null(given);
    if (spec->has_capacity) {
        const lotor_code code =
            lotor_field_whole(given, "max_arms", 1, LOTOR_ARMS_MAX, reader->refusal, &most);
        if (code != LOTOR_CODE_NONE) {
            return code;
        }
        if (most < spec->arm_count || (!can_grow && most != spec->arm_count)) {
            return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "max_arms",
                                can_grow ? "the campaign has %zu arms: expected at least as many"
                                         : "this oracle allows no new arms: expected %zu, the "
                                           "number of arms, or leave this field out",
                                spec->arm_count);
        }
    }
    spec->capacity = (size_t)most;
    return LOTOR_CODE_NONE;
}

static lotor_code make_room(lotor_spec *spec, const json_t *first, lotor_refusal *refusal)
{
    const json_t *const features = json_object_get(first, "features");
    spec->feature_count = json_array_size(features);
    if (spec->feature_count > LOTOR_FEATURES_MAX) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "arms[0].features",
                            "expected at most %d features", LOTOR_FEATURES_MAX);
    }
    spec->arms = calloc(spec->capacity, sizeof *spec->arms);
    if (spec->feature_count > 0) {
        spec->features = calloc(spec->capacity * spec->feature_count, sizeof *spec->features);
    }
    return spec->arms && (spec->feature_count == 0 || spec->features)
               ? LOTOR_CODE_NONE
               : lotor_refuse_memory(refusal);
}

lotor_code lotor_spec_read_arms(const lotor_spec_reader *reader)
{
    lotor_spec *const spec = reader->spec;
    lotor_refusal *const refusal = reader->refusal;
    const json_t *arms = json_object_get(reader->body, "arms");
    arms = json_is_null(arms) ? NULL : arms;
    spec->arm_count = json_array_size(arms);
    if (!arms || spec->arm_count < 1 || spec->arm_count > LOTOR_ARMS_MAX) {
        char expected[40];
        snprintf(expected, sizeof expected, "an array of 1 to %d arms", LOTOR_ARMS_MAX);
        return lotor_field_refuse(arms, "arms", expected, refusal);
    }
    lotor_code code = read_capacity(reader);
    if (code == LOTOR_CODE_NONE) {
        code = make_room(spec, json_array_get(arms, 0), refusal);
    }
    for (size_t i = 0; i < spec->arm_count && code == LOTOR_CODE_NONE; i++) {
        char field[LOTOR_FIELD_ROOM];
        code = read_arm(spec, i, json_array_get(arms, i), reader->is_kept,
                        lotor_field_index(field, "arms", i), refusal);
    }
    return code == LOTOR_CODE_NONE ? check_duplicates(spec, refusal) : code;
}

/* --- changes ---------------------------------------------------------------------------------- */

static lotor_code add_arms(lotor_spec *spec, const json_t *list, lotor_refusal *refusal)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        char field[LOTOR_FIELD_ROOM];
        lotor_field_index(field, "add", i);
        if (spec->arm_count == spec->capacity) {
            return lotor_refuse(refusal, LOTOR_CODE_FULL, field,
                                "the campaign can't have another arm: max_arms is %zu%s",
                                spec->capacity,
                                spec->oracle == LOTOR_ORACLE_TOP
                                    ? ": raise it with PATCH /v1/campaigns/NAME {\"max_arms\": ...}"
                                    : ", because the arms of this oracle are fixed");
        }
        const lotor_code code =
            read_arm(spec, spec->arm_count, json_array_get(list, i), false, field, refusal);
        if (code != LOTOR_CODE_NONE) {
            return code;
        }
        const size_t same = lotor_spec_arm(spec, spec->arms[spec->arm_count].id);
        if (same != SIZE_MAX) {
            return lotor_refuse(refusal, LOTOR_CODE_EXISTS, field,
                                spec->arms[same].removed
                                    ? "an arm \"%s\" was removed, and the store keeps its releases "
                                      "under that id: expected another id"
                                    : "an arm \"%s\" exists: to show it again use \"resume\"",
                                spec->arms[spec->arm_count].id);
        }
        spec->arm_count++;
    }
    return LOTOR_CODE_NONE;
}

static lotor_code pause_arms(lotor_spec *spec, const json_t *list, const char *name, bool paused,
                             lotor_refusal *refusal)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        char field[LOTOR_FIELD_ROOM];
        const char *const id = json_string_value(json_array_get(list, i));
        const size_t arm = id ? lotor_spec_arm(spec, id) : SIZE_MAX;
        if (arm == SIZE_MAX) {
            return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, lotor_field_index(field, name, i),
                                "expected the id of an arm of this campaign");
        }
        if (spec->arms[arm].removed && !paused) {
            return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, lotor_field_index(field, name, i),
                                "the arm \"%s\" was removed for good: add an arm with another id",
                                id);
        }
        spec->arms[arm].paused = paused;
    }
    return LOTOR_CODE_NONE;
}

/* A removed arm keeps its place in the policy and in the releases. It is never shown again. */
static lotor_code remove_arms(lotor_spec *spec, const json_t *list, lotor_refusal *refusal)
{
    const lotor_code code = pause_arms(spec, list, "remove", true, refusal);
    for (size_t i = 0; code == LOTOR_CODE_NONE && i < json_array_size(list); i++) {
        spec->arms[lotor_spec_arm(spec, json_string_value(json_array_get(list, i)))].removed = true;
    }
    return code;
}

static lotor_code check_lists(const json_t *body, lotor_refusal *refusal)
{
    static const char *const known[] = {"add", "pause", "resume", "remove", NULL};
    if (json_object_get(body, "max_arms")) {
        return lotor_refuse(
            refusal, LOTOR_CODE_BAD_VALUE, "max_arms",
            "this request changes only which arms there are: raise max_arms first, with PATCH "
            "/v1/campaigns/NAME {\"max_arms\": ...}");
    }
    const lotor_code code = lotor_fields_check(body, known, "", LOTOR_FIELDS_PUBLIC, refusal);
    if (code != LOTOR_CODE_NONE) {
        return code;
    }
    for (size_t i = 0; known[i]; i++) {
        const json_t *const list = json_object_get(body, known[i]);
        if (list && !json_is_array(list)) {
            return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, known[i],
                                "expected an array of arms");
        }
    }
    return json_object_size(body) > 0
               ? LOTOR_CODE_NONE
               : lotor_refuse(refusal, LOTOR_CODE_MISSING_FIELD, "",
                              "nothing to change: expected \"add\", \"pause\", \"resume\" or "
                              "\"remove\"");
}

/* Checks that enough arms can still be shown. Under a matroid a list may become shorter, but not
 * empty. */
static lotor_code check_left(const lotor_spec *spec, const json_t *body, lotor_refusal *refusal)
{
    const char *const act =
        json_array_size(json_object_get(body, "remove")) > 0 ? "remove" : "pause";
    size_t left = 0;
    for (size_t i = 0; i < spec->arm_count; i++) {
        left += !spec->arms[i].paused;
    }
    const size_t least = spec->oracle == LOTOR_ORACLE_TOP ? spec->slots : 1;
    return left >= least ? LOTOR_CODE_NONE
                         : lotor_refuse(refusal, LOTOR_CODE_TOO_FEW_ARMS, act,
                                        "too few arms could still be shown (%zu of at least %zu): "
                                        "%s fewer, or close the campaign",
                                        left, least, act);
}

/* Makes room for more arms in memory. */
static bool grow(lotor_spec *spec, size_t capacity)
{
    lotor_arm *const arms = realloc(spec->arms, capacity * sizeof *arms);
    if (!arms) {
        return false;
    }
    spec->arms = arms;
    memset(arms + spec->capacity, 0, (capacity - spec->capacity) * sizeof *arms);
    if (spec->feature_count > 0) {
        const size_t each = spec->feature_count * sizeof *spec->features;
        int64_t *const features = realloc(spec->features, capacity * each);
        if (!features) {
            return false;
        }
        spec->features = features;
        memset(features + spec->capacity * spec->feature_count, 0,
               (capacity - spec->capacity) * each);
    }
    spec->capacity = capacity;
    return true;
}

lotor_code lotor_spec_raise(lotor_spec *spec, const json_t *given, lotor_refusal *refusal)
{
    uint64_t most = 0;
    if (!given) {
        return LOTOR_CODE_NONE;
    }
    const lotor_code code = lotor_field_whole(given, "max_arms", 1, LOTOR_ARMS_MAX, refusal, &most);
    if (code != LOTOR_CODE_NONE || most == spec->capacity) {
        return code;
    }
    if (spec->oracle != LOTOR_ORACLE_TOP) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "max_arms",
                            "the arms of this oracle are fixed: expected %zu, or create another "
                            "campaign",
                            spec->capacity);
    }
    if (most < spec->capacity) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "max_arms",
                            "max_arms can only be raised: expected a whole number from %zu to %d",
                            spec->capacity, LOTOR_ARMS_MAX);
    }
    return grow(spec, (size_t)most) ? LOTOR_CODE_NONE : lotor_refuse_memory(refusal);
}

lotor_code lotor_spec_change(lotor_spec *spec, const json_t *body, lotor_refusal *refusal)
{
    lotor_code code = check_lists(body, refusal);
    if (code != LOTOR_CODE_NONE) {
        return code;
    }
    lotor_arm *const before = malloc(spec->capacity * sizeof *before);
    if (!before) {
        return lotor_refuse_memory(refusal);
    }
    json_t *const labels = spec->labels;
    spec->labels = labels ? json_deep_copy(labels) : NULL;
    if (labels && !spec->labels) {
        spec->labels = labels;
        free(before);
        return lotor_refuse_memory(refusal);
    }
    const size_t count = spec->arm_count;
    memcpy(before, spec->arms, spec->capacity * sizeof *before);
    code = add_arms(spec, json_object_get(body, "add"), refusal);
    if (code == LOTOR_CODE_NONE) {
        code = pause_arms(spec, json_object_get(body, "pause"), "pause", true, refusal);
    }
    if (code == LOTOR_CODE_NONE) {
        code = pause_arms(spec, json_object_get(body, "resume"), "resume", false, refusal);
    }
    if (code == LOTOR_CODE_NONE) {
        code = remove_arms(spec, json_object_get(body, "remove"), refusal);
    }
    if (code == LOTOR_CODE_NONE) {
        code = check_left(spec, body, refusal);
    }
    json_t *const dropped = code == LOTOR_CODE_NONE ? labels : spec->labels;
    if (code != LOTOR_CODE_NONE) {
        memcpy(spec->arms, before, spec->capacity * sizeof *before);
        spec->arm_count = count;
        spec->labels = labels;
    }
    json_decref(dropped);
    free(before);
    return code;
}
