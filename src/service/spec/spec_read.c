/* spec_read.c - reads and checks the body of POST /v1/campaigns. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/algorithm.h>

#include "base/digits.h"
#include "service/spec/spec_reader.h"

/* --- the oracle ---------------------------------------------------------------------------------- */

static int by_value(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

static int64_t value_of(const lotor_spec *spec, size_t arm)
{
    return spec->features[arm * spec->feature_count + spec->feature];
}

/* Reads the capacity of the group whose arms have this value. Every group needs a capacity. */
static lotor_code read_group(const lotor_spec_reader *reader, const json_t *capacities,
                             int64_t value)
{
    lotor_spec *const spec = reader->spec;
    char key[32], field[LOTOR_FIELD_ROOM];
    snprintf(key, sizeof key, "%" PRId64, value);
    const json_t *const given = json_object_get(capacities, key);
    lotor_field_join(field, "oracle.capacities", key);
    if (!given) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_MISSING_FIELD, field,
                            "the capacity of the value %s is missing, but feature %zu of an arm "
                            "has it: expected the number of such arms that may be shown together",
                            key, spec->feature);
    }
    uint64_t most = 0;
    const lotor_code code =
        lotor_field_whole(given, field, 1, LOTOR_ARMS_MAX, reader->refusal, &most);
    if (code == LOTOR_CODE_NONE) {
        spec->capacities[spec->groups++] = (uint32_t)most;
    }
    return code;
}

static lotor_code read_capacities(const lotor_spec_reader *reader, const json_t *capacities,
                                  int64_t *values)
{
    lotor_spec *const spec = reader->spec;
    for (size_t i = 0; i < spec->arm_count; i++) {
        values[i] = value_of(spec, i);
    }
    qsort(values, spec->arm_count, sizeof *values, by_value);
    for (size_t i = 0; i < spec->arm_count; i++) {
        if (i > 0 && values[i] == values[i - 1]) {
            continue;
        }
        const lotor_code code = read_group(reader, capacities, values[i]);
        if (code != LOTOR_CODE_NONE) {
            return code;
        }
        for (size_t arm = 0; arm < spec->arm_count; arm++) {
            if (value_of(spec, arm) == values[i]) {
                spec->group[arm] = (uint32_t)(spec->groups - 1);
            }
        }
    }
    if (json_object_size(capacities) > spec->groups) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "oracle.capacities",
                            "expected a capacity for each value that feature %zu of an arm has, "
                            "and no other: the number of values is %zu",
                            spec->feature, spec->groups);
    }
    return LOTOR_CODE_NONE;
}

static lotor_code read_partition(const lotor_spec_reader *reader, const json_t *oracle)
{
    lotor_spec *const spec = reader->spec;
    const json_t *const feature = json_object_get(oracle, "feature");
    const json_t *const capacities = json_object_get(oracle, "capacities");
    uint64_t place = 0;
    if (feature) {
        const lotor_code code = lotor_field_whole(feature, "oracle.feature", 0,
                                                  spec->feature_count - 1, reader->refusal, &place);
        if (code != LOTOR_CODE_NONE) {
            return code;
        }
    }
    spec->feature = (size_t)place;
    if (!json_is_object(capacities)) {
        return lotor_field_refuse(capacities, "oracle.capacities",
                                  "an object with a capacity for each value of the feature, the "
                                  "number of such arms that may be shown together: {\"1\": 2, ...}",
                                  reader->refusal);
    }
    spec->group = calloc(spec->arm_count, sizeof *spec->group);
    spec->capacities = calloc(spec->arm_count, sizeof *spec->capacities);
    int64_t *const values = calloc(spec->arm_count, sizeof *values);
    const lotor_code code = spec->group && spec->capacities && values
                                ? read_capacities(reader, capacities, values)
                                : lotor_refuse_memory(reader->refusal);
    free(values);
    return code;
}

static lotor_code read_oracle(const lotor_spec_reader *reader)
{
    lotor_spec *const spec = reader->spec;
    const json_t *const oracle = json_object_get(reader->body, "oracle");
    if (spec->oracle != LOTOR_ORACLE_TOP && spec->feature_count == 0) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_MISSING_FIELD, "arms[0].features",
                            "the features of the arms are missing, and this oracle uses them: "
                            "expected arms as {\"id\": ..., \"features\": [...]}");
    }
    if (spec->oracle == LOTOR_ORACLE_PARTITION) {
        return read_partition(reader, oracle);
    }
    if (json_object_get(oracle, "feature") || json_object_get(oracle, "capacities")) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE,
                            json_object_get(oracle, "feature") ? "oracle.feature"
                                                               : "oracle.capacities",
                            "only an oracle of kind \"partition\" has this field: leave it out");
    }
    return LOTOR_CODE_NONE;
}

static const double year = 366.0 * 24 * 3600;

static const json_t *get(const lotor_spec_reader *reader, const char *name)
{
    const json_t *const value = json_object_get(reader->body, name);
    return json_is_null(value) ? NULL : value; /* null means: not given */
}

/* The algorithm of a campaign whose body names none. A body with a dimension is about contexts. No
 * field says that feedback comes from devices as reports, so local campaigns must name theirs. */
static const char *default_algorithm(const lotor_spec_reader *reader)
{
    return get(reader, "dimension") ? "jdp-batch" : "lik-imed";
}

static lotor_code read_names(lotor_spec_reader *reader)
{
    lotor_spec *const spec = reader->spec;
    char algorithm[LOTOR_NAME_MAX + 1];
    snprintf(algorithm, sizeof algorithm, "%s", default_algorithm(reader));
    lotor_code code = lotor_field_name(get(reader, "name"), "name", reader->refusal, spec->name);
    if (code == LOTOR_CODE_NONE && get(reader, "algorithm")) {
        code = lotor_field_name(get(reader, "algorithm"), "algorithm", reader->refusal, algorithm);
    }
    if (code != LOTOR_CODE_NONE) {
        return code;
    }
    lotor_message why = {""};
    const char *const refused = lotor_serving_refusal(algorithm, &why);
    if (refused || strlen(algorithm) >= sizeof spec->algorithm ||
        !lotor_serving_find(algorithm, &reader->serving)) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_NOT_OFFERED, "algorithm", "%s",
                            refused ? refused : "this algorithm is not offered");
    }
    memcpy(spec->algorithm, algorithm, strlen(algorithm) + 1);
    return LOTOR_CODE_NONE;
}

static lotor_code read_kind(const lotor_spec_reader *reader)
{
    static const char *const known[] = {"kind", "feature", "capacities", NULL};
    lotor_spec *const spec = reader->spec;
    const json_t *const oracle = get(reader, "oracle");
    if (!oracle) {
        return LOTOR_CODE_NONE;
    }
    const lotor_code code =
        lotor_fields_check(oracle, known, "oracle", LOTOR_FIELDS_PUBLIC, reader->refusal);
    if (code != LOTOR_CODE_NONE) {
        return code;
    }
    const char *const kind = json_string_value(json_object_get(oracle, "kind"));
    if (kind && strcmp(kind, "partition") == 0) {
        spec->oracle = LOTOR_ORACLE_PARTITION;
    } else if (kind && strcmp(kind, "linear") == 0) {
        spec->oracle = LOTOR_ORACLE_LINEAR;
    } else if (!kind || strcmp(kind, "top") != 0) {
        return lotor_field_refuse(json_object_get(oracle, "kind"), "oracle.kind",
                                  "\"top\", \"partition\" or \"linear\"", reader->refusal);
    }
    return LOTOR_CODE_NONE;
}

static lotor_code read_feedback(const lotor_spec_reader *reader)
{
    lotor_spec *const spec = reader->spec;
    const lotor_serving_info *const serving = &reader->serving;
    const json_t *const given = get(reader, "feedback");
    const char *const text = json_string_value(given);
    spec->clicks = text ? strcmp(text, "clicks") == 0 : serving->hears_clicks;
    if (given && (!text || (!spec->clicks && strcmp(text, "rewards") != 0))) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "feedback",
                            "expected \"rewards\" or \"clicks\"");
    }
    if (!serving->plays_any && spec->clicks != serving->hears_clicks) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "feedback",
                            "%s learns from %s: expected \"%s\"", spec->algorithm,
                            serving->hears_clicks ? "clicks" : "rewards",
                            serving->hears_clicks ? "clicks" : "rewards");
    }
    if (spec->oracle != LOTOR_ORACLE_TOP &&
        (spec->clicks || serving->is_linear || serving->shows_one)) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "oracle.kind",
                            "%s can show any arms together: expected \"top\", or no oracle",
                            spec->clicks ? "a campaign with clicks" : spec->algorithm);
    }
    return LOTOR_CODE_NONE;
}

static lotor_code read_dimension(const lotor_spec_reader *reader)
{
    const json_t *const given = get(reader, "dimension");
    uint64_t dimension = 0;
    if (!reader->serving.is_linear) {
        return given ? lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "dimension",
                                    "%s takes no contexts: expected no dimension",
                                    reader->spec->algorithm)
                     : LOTOR_CODE_NONE;
    }
    const lotor_code code =
        lotor_field_whole(given, "dimension", 1, 1024, reader->refusal, &dimension);
    reader->spec->dimension = (size_t)dimension;
    return code;
}

static lotor_code read_normalize(const lotor_spec_reader *reader)
{
    const json_t *const given = get(reader, "normalize");
    if (given && !json_is_boolean(given)) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "normalize",
                            "expected true or false");
    }
    if (json_is_true(given) && !reader->serving.is_linear) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "normalize",
                            "%s takes no contexts: expected no normalize", reader->spec->algorithm);
    }
    reader->spec->normalize = json_is_true(given);
    return LOTOR_CODE_NONE;
}

static lotor_code read_budget(const lotor_spec_reader *reader)
{
    lotor_spec *const spec = reader->spec;
    lotor_code code = lotor_field_ratio(get(reader, "epsilon"), "epsilon", LOTOR_EPSILON_EXPECTED,
                                        reader->refusal, &spec->epsilon);
    if (code == LOTOR_CODE_NONE && spec->epsilon.num == 0) {
        code = lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "epsilon",
                            "expected " LOTOR_EPSILON_EXPECTED);
    }
    spec->delta = lotor_ratio_of(0, 1);
    if (code == LOTOR_CODE_NONE && get(reader, "delta")) {
        code = lotor_field_ratio(get(reader, "delta"), "delta", LOTOR_DELTA_EXPECTED,
                                 reader->refusal, &spec->delta);
        if (code == LOTOR_CODE_NONE && spec->delta.num >= spec->delta.den) {
            code = lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "delta",
                                "expected " LOTOR_DELTA_EXPECTED);
        }
        if (code == LOTOR_CODE_NONE && spec->delta.num > 0 && !reader->serving.has_delta) {
            code =
                lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "delta",
                             "the guarantee of %s is pure, with delta 0: expected 0, or no delta",
                             spec->algorithm);
        }
    }
    return code;
}

static lotor_code read_range(const lotor_spec_reader *reader)
{
    lotor_spec *const spec = reader->spec;
    const json_t *const given = get(reader, "reward_range");
    spec->low = reader->serving.is_linear ? -1 : 0;
    spec->high = 1;
    if (given) {
        const json_t *const low = json_array_get(given, 0), *const high = json_array_get(given, 1);
        if (json_array_size(given) != 2 || !json_is_number(low) || !json_is_number(high) ||
            !(json_number_value(low) < json_number_value(high)) ||
            !(fabs(json_number_value(low)) <= 1e12) || !(fabs(json_number_value(high)) <= 1e12)) {
            return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "reward_range",
                                "expected [low, high], two numbers from -1e12 to 1e12, low below "
                                "high");
        }
        spec->low = json_number_value(low);
        spec->high = json_number_value(high);
    }
    if (spec->clicks && (spec->low != 0 || spec->high != 1)) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "reward_range",
                            "clicks are 0 or 1: expected [0, 1], or no range");
    }
    spec->default_reward = spec->low <= 0 && spec->high >= 0 ? 0 : spec->low;
    if (!get(reader, "default_reward")) {
        return LOTOR_CODE_NONE;
    }
    const lotor_code code = lotor_field_number(get(reader, "default_reward"), "default_reward",
                                               reader->refusal, &spec->default_reward);
    if (code == LOTOR_CODE_NONE &&
        (!(spec->default_reward >= spec->low && spec->default_reward <= spec->high) ||
         (spec->clicks && spec->default_reward != 0))) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "default_reward",
                            spec->clicks
                                ? "without feedback nothing was clicked: expected 0, or no default"
                                : "expected a number inside reward_range");
    }
    return code;
}

static lotor_code read_rounds(const lotor_spec_reader *reader)
{
    static const uint64_t most = UINT64_C(1) << 53;
    lotor_spec *const spec = reader->spec;
    lotor_code code = LOTOR_CODE_NONE;
    if (get(reader, "horizon") || reader->serving.needs_horizon) {
        code = lotor_field_whole(get(reader, "horizon"), "horizon", 2, most, reader->refusal,
                                 &spec->horizon);
    }
    if (code == LOTOR_CODE_NONE && get(reader, "rounds_per_user")) {
        code = lotor_field_whole(get(reader, "rounds_per_user"), "rounds_per_user", 1, 1000000,
                                 reader->refusal, &spec->rounds_per_user);
    }
    if (code == LOTOR_CODE_NONE && get(reader, "early_release")) {
        code = lotor_field_bool(get(reader, "early_release"), "early_release", reader->refusal,
                                &spec->early_release);
    }
    /* the default also holds for specifications stored before max_open existed */
    spec->max_open = LOTOR_OPEN_USUAL;
    if (code == LOTOR_CODE_NONE && get(reader, "max_open")) {
        code = lotor_field_whole(get(reader, "max_open"), "max_open", 1, LOTOR_OPEN_MAX,
                                 reader->refusal, &spec->max_open);
    }
    spec->wait_seconds = 3600;
    if (code == LOTOR_CODE_NONE && get(reader, "wait_seconds")) {
        code = lotor_field_number(get(reader, "wait_seconds"), "wait_seconds", reader->refusal,
                                  &spec->wait_seconds);
        if (code == LOTOR_CODE_NONE &&
            !(spec->wait_seconds >= 0.001 && spec->wait_seconds <= year)) {
            code = lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "wait_seconds",
                                "expected from 0.001 seconds to a year (31622400)");
        }
    }
    return code;
}

/* Reads a duration such as "7d" or "90m"; 0: it is none. */
static uint64_t seconds_of(const char *text)
{
    uint64_t number = 0;
    size_t digits = 0;
    for (; text[digits] >= '0' && text[digits] <= '9' && digits < 10; digits++) {
        number = 10 * number + (uint64_t)(text[digits] - '0');
    }
    for (size_t i = 0; i < LOTOR_SPEC_UNITS; i++) {
        if (digits > 0 && text[digits] == lotor_spec_units[i].letter && text[digits + 1] == '\0') {
            return number * lotor_spec_units[i].seconds;
        }
    }
    return 0;
}

static lotor_code read_half_life(const lotor_spec_reader *reader)
{
    static const uint64_t most = UINT64_C(1) << 53, most_seconds = UINT64_C(3650) * 86400;
    lotor_spec *const spec = reader->spec;
    const json_t *const given = get(reader, "half_life");
    lotor_algorithm_info algorithm;
    if (!given) {
        return LOTOR_CODE_NONE;
    }
    if (lotor_algorithm_find(spec->algorithm, NULL, &algorithm) != LOTOR_OK ||
        !algorithm.uses_caution) {
        return lotor_refuse(
            reader->refusal, LOTOR_CODE_BAD_VALUE, "half_life",
            "a half-life is for lik-imed and rr-imed, not for %s: leave half_life out",
            spec->algorithm);
    }
    if (json_is_number(given)) {
        return lotor_field_whole(given, "half_life", 1, most, reader->refusal, &spec->half_life);
    }
    const char *const text = json_string_value(given);
    spec->half_life = text && strlen(text) == json_string_length(given) ? seconds_of(text) : 0;
    spec->half_life_in_seconds = true;
    return spec->half_life > 0 && spec->half_life <= most_seconds
               ? LOTOR_CODE_NONE
               : lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "half_life",
                              "expected a number of rounds such as 20000, or a time from \"1s\" to "
                              "\"3650d\" such as \"7d\" (s, m, h or d)");
}

/* The server checks later that there is such a campaign, and that its releases fit (engine/prior.c). */
static lotor_code read_prior(const lotor_spec_reader *reader)
{
    static const uint64_t most = UINT64_C(1) << 53;
    lotor_spec *const spec = reader->spec;
    const json_t *const releases = get(reader, "prior_releases");
    if (releases && !reader->is_kept) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "prior_releases",
                            "the server sets this field: expected no such field");
    }
    if (!get(reader, "prior")) {
        return LOTOR_CODE_NONE;
    }
    if (!reader->serving.takes_prior) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "prior",
                            "%s can't start from the releases of another campaign: expected no "
                            "prior, or the algorithm lik-imed",
                            spec->algorithm);
    }
    const lotor_code code =
        lotor_field_name(get(reader, "prior"), "prior", reader->refusal, spec->prior);
    return code == LOTOR_CODE_NONE && releases
               ? lotor_field_whole(releases, "prior_releases", 1, most, reader->refusal,
                                   &spec->prior_releases)
               : code;
}

/* Reads how many arms are shown. Under the oracle "top" the caller chooses; under others it is
 * the oracle's rank. */
static lotor_code read_slots(const lotor_spec_reader *reader)
{
    lotor_spec *const spec = reader->spec;
    const bool shows_one = reader->serving.shows_one || reader->serving.is_linear;
    uint64_t slots = 1;
    if (get(reader, "slots")) {
        const lotor_code code = lotor_field_whole(get(reader, "slots"), "slots", 1, LOTOR_ARMS_MAX,
                                                  reader->refusal, &slots);
        if (code != LOTOR_CODE_NONE) {
            return code;
        }
        if (shows_one && slots != 1) {
            return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "slots",
                                "%s shows one arm a round: expected 1, or no slots",
                                spec->algorithm);
        }
    }
    spec->slots = (size_t)slots;
    size_t shown = 0;
    for (size_t i = 0; i < spec->arm_count; i++) {
        shown += !spec->arms[i].paused;
    }
    if (shown == 0) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "arms",
                            "all arms are paused: expected at least one arm that is not paused");
    }
    if (spec->oracle == LOTOR_ORACLE_TOP && spec->slots > shown) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "slots",
                            "slots is %zu, but the campaign has %zu arm%s that can be shown: "
                            "expected %s%zu",
                            spec->slots, shown, shown == 1 ? "" : "s", shown == 1 ? "" : "1 to ",
                            shown);
    }
    return LOTOR_CODE_NONE;
}

/* Finds the rank of the matroid by one choice. Under a matroid, every list has as many arms as its
 * rank. */
static lotor_code check_rank(const lotor_spec_reader *reader, lotor_policy *policy)
{
    lotor_spec *const spec = reader->spec;
    lotor_decision decision;
    lotor_message why;
    const lotor_status status = lotor_policy_preview(policy, NULL, NULL, &why, &decision);
    if (status != LOTOR_OK) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_INTERNAL, "", "%s", why.text);
    }
    if (get(reader, "slots") && spec->slots != decision.count) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "slots",
                            "expected %zu, the number of arms that this oracle shows, or no slots",
                            decision.count);
    }
    spec->slots = decision.count;
    return LOTOR_CODE_NONE;
}

/* True if a policy could be made without the evaluation: then that is what was wrong. */
static bool is_wrong_evaluation(const lotor_spec *spec)
{
    lotor_spec plain = *spec;
    lotor_policy *policy = NULL;
    plain.share = (lotor_ratio){0, 1};
    const bool fits = spec->share.num != 0 && lotor_spec_policy(&plain, NULL, &policy) == LOTOR_OK;
    lotor_policy_free(policy);
    return fits;
}

static lotor_code check_policy(const lotor_spec_reader *reader)
{
    lotor_policy *policy = NULL;
    lotor_message why = {""};
    const lotor_status status = lotor_spec_policy(reader->spec, &why, &policy);
    if (status == LOTOR_MEMORY || status == LOTOR_ENTROPY) {
        return lotor_refuse_memory(reader->refusal);
    }
    if (status != LOTOR_OK) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE,
                            is_wrong_evaluation(reader->spec) ? "evaluation" : "", "%s", why.text);
    }
    const lotor_code code =
        reader->spec->oracle == LOTOR_ORACLE_TOP ? LOTOR_CODE_NONE : check_rank(reader, policy);
    lotor_policy_free(policy);
    return code;
}

/* --- evaluation ------------------------------------------------------------------------------- */

static lotor_code read_control_arm(const lotor_spec_reader *reader, const json_t *id, size_t place)
{
    lotor_spec *const spec = reader->spec;
    char field[LOTOR_FIELD_ROOM];
    const char *const text = json_string_value(id);
    const size_t arm = text ? lotor_spec_arm(spec, text) : SIZE_MAX;
    bool is_new = arm != SIZE_MAX;
    assert(spec->control && spec->control_count <= place);
    for (size_t i = 0; is_new && i < spec->control_count; i++) {
        is_new = spec->control[i] != arm;
    }
    if (!is_new) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE,
                            lotor_field_index(field, "evaluation.control", place),
                            "expected the id of an arm of this campaign, each id once");
    }
    spec->control[spec->control_count++] = (uint32_t)arm;
    return LOTOR_CODE_NONE;
}

static lotor_code read_control(const lotor_spec_reader *reader, const json_t *control)
{
    lotor_spec *const spec = reader->spec;
    const char *const text = json_string_value(control);
    if (!control || json_is_null(control) || (text && strcmp(text, "uniform") == 0)) {
        return LOTOR_CODE_NONE;
    }
    const size_t count = json_array_size(control);
    if (!json_is_array(control) || count < spec->slots || count > spec->arm_count) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "evaluation.control",
                            "expected \"uniform\", or an array of arm ids, at least as many as "
                            "are shown together (%zu)",
                            spec->slots);
    }
    spec->control = calloc(count, sizeof *spec->control);
    lotor_code code = spec->control ? LOTOR_CODE_NONE : lotor_refuse_memory(reader->refusal);
    for (size_t i = 0; code == LOTOR_CODE_NONE && i < count; i++) {
        code = read_control_arm(reader, json_array_get(control, i), i);
    }
    return code;
}

static lotor_code read_evaluation(const lotor_spec_reader *reader)
{
    static const char *const known[] = {"share", "control", NULL};
    static const char share[] = "a number above 0 and at most 0.5, such as 0.1";
    lotor_spec *const spec = reader->spec;
    const json_t *const given = get(reader, "evaluation");
    if (!given) {
        return LOTOR_CODE_NONE;
    }
    lotor_code code =
        lotor_fields_check(given, known, "evaluation", LOTOR_FIELDS_PUBLIC, reader->refusal);
    if (code == LOTOR_CODE_NONE) {
        code = lotor_field_ratio(json_object_get(given, "share"), "evaluation.share", share,
                                 reader->refusal, &spec->share);
    }
    if (code == LOTOR_CODE_NONE &&
        (spec->share.num == 0 || spec->share.num > spec->share.den / 2)) {
        code = lotor_refuse(reader->refusal, LOTOR_CODE_BAD_VALUE, "evaluation.share",
                            "expected %s", share);
    }
    return code != LOTOR_CODE_NONE ? code : read_control(reader, json_object_get(given, "control"));
}

static lotor_code read_all(lotor_spec_reader *reader)
{
    static const char *const known[] = {
        "name",           "algorithm",    "arms",           "slots",
        "epsilon",        "delta",        "oracle",         "horizon",
        "feedback",       "reward_range", "wait_seconds",   "rounds_per_user",
        "early_release",  "max_arms",     "max_open",       "default_reward",
        "dimension",      "evaluation",   "half_life",      "paused",
        "archived",       "deleted",      "budget",         "budget_seal",
        "sticky_seconds", "title",        "description",    "metadata",
        "normalize",      "prior",        "prior_releases", "purpose",
        "controller",     "legal_basis",  "contact",        NULL};
    lotor_code code =
        lotor_fields_check(reader->body, known, "", LOTOR_FIELDS_PUBLIC, reader->refusal);
    code = code != LOTOR_CODE_NONE ? code : read_names(reader);
    code = code != LOTOR_CODE_NONE ? code : read_kind(reader);
    code = code != LOTOR_CODE_NONE ? code : read_feedback(reader);
    code = code != LOTOR_CODE_NONE ? code : lotor_spec_read_arms(reader);
    code = code != LOTOR_CODE_NONE ? code : read_oracle(reader);
    code = code != LOTOR_CODE_NONE ? code : read_dimension(reader);
    code = code != LOTOR_CODE_NONE ? code : read_normalize(reader);
    code = code != LOTOR_CODE_NONE ? code : read_slots(reader);
    code = code != LOTOR_CODE_NONE ? code : read_budget(reader);
    code = code != LOTOR_CODE_NONE ? code : read_range(reader);
    code = code != LOTOR_CODE_NONE ? code : read_rounds(reader);
    code = code != LOTOR_CODE_NONE ? code : read_evaluation(reader);
    code = code != LOTOR_CODE_NONE ? code : read_half_life(reader);
    code = code != LOTOR_CODE_NONE ? code : read_prior(reader);
    code = code != LOTOR_CODE_NONE ? code : lotor_spec_read_phase(reader);
    code = code != LOTOR_CODE_NONE ? code : lotor_spec_read_users(reader);
    code = code != LOTOR_CODE_NONE
               ? code
               : lotor_spec_read_labels(reader->spec, "", reader->body, "", reader->refusal);
    return code != LOTOR_CODE_NONE ? code : check_policy(reader);
}

static lotor_code read_spec(const json_t *body, bool is_kept, lotor_refusal *refusal,
                            lotor_spec **out)
{
    *out = NULL;
    refusal->code = LOTOR_CODE_NONE;
    lotor_spec_reader reader = {.body = body, .refusal = refusal, .is_kept = is_kept};
    reader.spec = calloc(1, sizeof *reader.spec);
    if (!reader.spec) {
        return lotor_refuse_memory(refusal);
    }
    const lotor_code code = read_all(&reader);
    if (code != LOTOR_CODE_NONE) {
        lotor_spec_free(reader.spec);
        return code;
    }
    *out = reader.spec;
    return LOTOR_CODE_NONE;
}

lotor_code lotor_spec_read(const json_t *body, lotor_refusal *refusal, lotor_spec **out)
{
    return read_spec(body, false, refusal, out);
}

lotor_code lotor_spec_read_kept(const json_t *json, lotor_refusal *refusal, lotor_spec **out)
{
    return read_spec(json, true, refusal, out);
}
