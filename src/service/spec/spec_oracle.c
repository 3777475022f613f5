/* spec_oracle.c - reads which arms may be shown together: the oracle, and the groups of a
 * partition. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/spec/spec_parts.h"

static int by_value(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

static int64_t value_of(const lotor_spec *spec, size_t arm)
{
    return spec->features[arm * spec->feature_count + spec->feature];
}

/* Reads the capacity of the group whose arms have that feature value. Each group needs one. */
static lotor_code read_group(const lotor_spec_reader *reader, const json_t *capacities,
                             int64_t value)
{
    lotor_spec *const spec = reader->spec;
    char key[32], field[LOTOR_FIELD_ROOM];
    snprintf(key, sizeof key, "%" PRId64, value);
    const json_t *const given = json_object_get(capacities, key);
    lotor_field_join(field, "oracle.capacities", key);
    if (!given) {
        return lotor_refuse(
            reader->refusal, LOTOR_CODE_MISSING_FIELD, field,
            "feature %zu of an arm is %s: expected how many arms with that value may be shown "
            "together",
            spec->feature, key);
    }
    uint64_t most = 0;
    const lotor_code code =
        lotor_field_whole(given, field, 1, LOTOR_ARMS_MOST, reader->refusal, &most);
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
                            "feature %zu of the arms has %zu different values: expected a capacity "
                            "for each of them, and no other",
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
        return lotor_refuse(reader->refusal,
                            capacities ? LOTOR_CODE_BAD_VALUE : LOTOR_CODE_MISSING_FIELD,
                            "oracle.capacities",
                            "expected an object from each value of the feature to how many "
                            "arms with that value may be shown together: {\"1\": 2, ...}");
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

lotor_code lotor_spec_read_oracle(const lotor_spec_reader *reader)
{
    lotor_spec *const spec = reader->spec;
    const json_t *const oracle = json_object_get(reader->body, "oracle");
    if (spec->oracle != LOTOR_ORACLE_TOP && spec->feature_count == 0) {
        return lotor_refuse(reader->refusal, LOTOR_CODE_MISSING_FIELD, "arms[0].features",
                            "this oracle looks at the arms' features: expected arms as {\"id\": "
                            "..., \"features\": [...]}");
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
