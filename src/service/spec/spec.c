/* spec.c - turns a campaign's specification into policy parameters and into JSON. */
#include "service/spec/spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "service/spec/spec_reader.h"

const lotor_spec_unit lotor_spec_units[LOTOR_SPEC_UNITS] = {
    {'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};

void lotor_spec_free(lotor_spec *spec)
{
    if (spec) {
        free(spec->arms);
        free(spec->features);
        free(spec->group);
        free(spec->capacities);
        free(spec->control);
        json_decref(spec->labels);
        free(spec);
    }
}

size_t lotor_spec_arm(const lotor_spec *spec, const char *id)
{
    for (size_t i = 0; i < spec->arm_count; i++) {
        if (strcmp(spec->arms[i].id, id) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

void lotor_spec_params(const lotor_spec *spec, lotor_policy_params *out)
{
    *out = (lotor_policy_params){
        .algorithm = spec->algorithm,
        .arms = spec->capacity,
        .slots = spec->slots,
        .horizon = spec->horizon,
        .epsilon = spec->epsilon,
        .delta = spec->delta.num != 0 ? spec->delta : (lotor_ratio){0, 0}, /* {0, 0}: the default */
        .low = spec->low,
        .high = spec->high,
        .default_reward = spec->default_reward,
        .cascade = spec->clicks,
        .half_life = spec->half_life,
        .half_life_in_seconds = spec->half_life_in_seconds,
        .dimension = spec->dimension,
    };
    if (spec->oracle == LOTOR_ORACLE_PARTITION) {
        out->structure = LOTOR_STRUCTURE_PARTITION;
        out->group = spec->group;
        out->capacity = spec->capacities;
        out->groups = spec->groups;
    } else if (spec->oracle == LOTOR_ORACLE_LINEAR) {
        out->structure = LOTOR_STRUCTURE_LINEAR;
        out->vectors = spec->features;
        out->dimension = spec->feature_count;
    }
}

bool lotor_spec_evaluation(const lotor_spec *spec, lotor_evaluation_params *out)
{
    *out = (lotor_evaluation_params){spec->share, spec->control, spec->control_count};
    return spec->share.num != 0;
}

lotor_status lotor_spec_policy(const lotor_spec *spec, lotor_message *why, lotor_policy **out)
{
    lotor_policy_params params;
    lotor_evaluation_params evaluation;
    lotor_spec_params(spec, &params);
    lotor_status status = lotor_policy_new(&params, why, out);
    if (status == LOTOR_OK && lotor_spec_evaluation(spec, &evaluation)) {
        status = lotor_policy_evaluate(*out, &evaluation, why);
    }
    if (status != LOTOR_OK) {
        lotor_policy_free(*out);
        *out = NULL;
    }
    return status;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Writes a ratio with all its decimal digits. Every ratio here was read from a decimal with at
 * most 18 places, so 18 places are exact. */
static void exact_decimal(lotor_ratio ratio, char *text, size_t capacity)
{
    size_t length = (size_t)snprintf(text, capacity, "%" PRIu64 ".", ratio.num / ratio.den);
    unsigned __int128 rest = ratio.num % ratio.den;
    for (int i = 0; i < 18 && (rest != 0 || i == 0) && length + 1 < capacity; i++) {
        rest *= 10;
        text[length++] = (char)('0' + (int)(rest / ratio.den));
        rest %= ratio.den;
    }
    text[length] = '\0';
}

/* A JSON number if it reads back as the same ratio; else a string with all digits. */
json_t *lotor_spec_ratio(lotor_ratio ratio)
{
    char text[64];
    lotor_ratio again;
    const lotor_ratio lowest = lotor_ratio_of(ratio.num, ratio.den);
    const double value = lotor_ratio_to_double(lowest);
    if (lotor_ratio_parse(lotor_digits(value, text), NULL, &again) == LOTOR_OK &&
        again.num == lowest.num && again.den == lowest.den) {
        return json_real(value);
    }
    exact_decimal(lowest, text, sizeof text);
    return json_string(text);
}

static json_t *whole_or_null(uint64_t value)
{
    return value == 0 ? json_null() : json_integer((json_int_t)value);
}

static json_t *arms_json(const lotor_spec *spec)
{
    json_t *const arms = json_array();
    for (size_t i = 0; arms && i < spec->arm_count; i++) {
        json_t *const arm = json_object();
        int failed = json_object_set_new(arm, "id", json_string(spec->arms[i].id));
        if (spec->feature_count > 0) {
            json_t *const features = json_array();
            for (size_t j = 0; j < spec->feature_count; j++) {
                failed |= json_array_append_new(
                    features, json_integer(spec->features[i * spec->feature_count + j]));
            }
            failed |= json_object_set_new(arm, "features", features);
        }
        failed |= json_object_set_new(arm, "paused", json_boolean(spec->arms[i].paused));
        if (spec->arms[i].removed) {
            failed |= json_object_set_new(arm, "removed", json_true());
        }
        failed |= lotor_spec_write_labels(spec, spec->arms[i].id, arm);
        failed |= json_array_append_new(arms, arm);
        if (failed) {
            json_decref(arms);
            return NULL;
        }
    }
    return arms;
}

/* The feature value that the arms of a group share. Groups are numbered in the order of these
 * values, and each group has an arm. */
static int64_t group_value(const lotor_spec *spec, uint32_t group)
{
    for (size_t i = 0; i < spec->arm_count; i++) {
        if (spec->group[i] == group) {
            return spec->features[i * spec->feature_count + spec->feature];
        }
    }
    return 0;
}

static json_t *oracle_json(const lotor_spec *spec)
{
    static const char *const kinds[] = {"top", "partition", "linear"};
    json_t *const oracle = json_object();
    int failed = json_object_set_new(oracle, "kind", json_string(kinds[spec->oracle]));
    if (spec->oracle == LOTOR_ORACLE_PARTITION) {
        json_t *const capacities = json_object();
        for (uint32_t i = 0; i < spec->groups; i++) {
            char key[32];
            snprintf(key, sizeof key, "%" PRId64, group_value(spec, i));
            failed |=
                json_object_set_new(capacities, key, json_integer((json_int_t)spec->capacities[i]));
        }
        failed |= json_object_set_new(oracle, "feature", json_integer((json_int_t)spec->feature));
        failed |= json_object_set_new(oracle, "capacities", capacities);
    }
    if (failed) {
        json_decref(oracle);
        return NULL;
    }
    return oracle;
}

static json_t *control_json(const lotor_spec *spec)
{
    if (spec->control_count == 0) {
        return json_string("uniform");
    }
    json_t *const list = json_array();
    for (size_t i = 0; i < spec->control_count; i++) {
        if (json_array_append_new(list, json_string(spec->arms[spec->control[i]].id))) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *evaluation_json(const lotor_spec *spec)
{
    return json_pack("{s:o, s:o}", "share", lotor_spec_ratio(spec->share), "control",
                     control_json(spec));
}

/* Rounds are a number. Seconds are a text, in the largest unit that fits. */
static json_t *half_life_json(const lotor_spec *spec)
{
    if (!spec->half_life_in_seconds) {
        return json_integer((json_int_t)spec->half_life);
    }
    size_t unit = 0;
    while (spec->half_life % lotor_spec_units[unit].seconds != 0) {
        unit++; /* the last unit is a second */
    }
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64 "%c", spec->half_life / lotor_spec_units[unit].seconds,
             lotor_spec_units[unit].letter);
    return json_string(text);
}

json_t *lotor_spec_epsilon(const lotor_spec *spec)
{
    return lotor_spec_ratio(spec->epsilon);
}

json_t *lotor_spec_write(const lotor_spec *spec)
{
    json_t *const range = json_array();
    int failed = json_array_append_new(range, json_real(spec->low)) |
                 json_array_append_new(range, json_real(spec->high));
    const struct {
        const char *name;
        json_t *value;
    } fields[] = {
        {"name", json_string(spec->name)},
        {"algorithm", json_string(spec->algorithm)},
        {"arms", arms_json(spec)},
        {"max_arms", json_integer((json_int_t)spec->capacity)},
        {"slots", json_integer((json_int_t)spec->slots)},
        {"epsilon", lotor_spec_ratio(spec->epsilon)},
        {"delta", lotor_spec_ratio(spec->delta)},
        {"oracle", oracle_json(spec)},
        {"feedback", json_string(spec->clicks ? "clicks" : "rewards")},
        {"dimension", whole_or_null(spec->dimension)},
        {"horizon", whole_or_null(spec->horizon)},
        {"reward_range", range},
        {"default_reward", json_real(spec->default_reward)},
        {"wait_seconds", json_real(spec->wait_seconds)},
        {"rounds_per_user", whole_or_null(spec->rounds_per_user)},
        {"early_release", json_boolean(spec->early_release)},
        {"max_open", json_integer((json_int_t)spec->max_open)},
    };
    json_t *const whole = json_object();
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        failed |= json_object_set_new(whole, fields[i].name, fields[i].value);
    }
    if (spec->normalize) { /* a field that is not used is not written, as before there was such a field */
        failed |= json_object_set_new(whole, "normalize", json_true());
    }
    if (spec->share.num != 0) { /* others keep the form that they had before evaluations existed */
        failed |= json_object_set_new(whole, "evaluation", evaluation_json(spec));
    }
    if (spec->half_life > 0) { /* without one, the text is as it was before there were half-lives */
        failed |= json_object_set_new(whole, "half_life", half_life_json(spec));
    }
    if (spec->prior[0]) {
        failed |= json_object_set_new(whole, "prior", json_string(spec->prior));
    }
    if (spec->prior_releases > 0) {
        failed |= json_object_set_new(whole, "prior_releases",
                                      json_integer((json_int_t)spec->prior_releases));
    }
    failed |= lotor_spec_write_phase(spec, whole);
    failed |= lotor_spec_write_users(spec, whole);
    failed |= lotor_spec_write_labels(spec, "", whole);
    if (failed) {
        json_decref(whole);
        return NULL;
    }
    return whole;
}
