/* spec_reader.h - a specification while it is read, and the functions that read its arms. */
#ifndef LOTOR_SERVICE_SPEC_READER_H
#define LOTOR_SERVICE_SPEC_READER_H

#include <jansson.h>

#include "policy/serving.h"
#include "service/spec/fields.h"
#include "service/spec/spec.h"

enum { LOTOR_FEATURE_LARGEST = 1 << 30 };

typedef struct lotor_spec_reader {
    const json_t *body;
    lotor_refusal *refusal;
    lotor_serving_info serving; /* the properties of the algorithm */
    lotor_spec *spec;
} lotor_spec_reader;

/* The units of a duration, the longest first; the last is a second. */
enum { LOTOR_SPEC_UNITS = 4 };
typedef struct lotor_spec_unit {
    char letter;
    uint64_t seconds;
} lotor_spec_unit;
extern const lotor_spec_unit lotor_spec_units[LOTOR_SPEC_UNITS];

/* Reads one arm into spec->arms[arm]: "a" or {"id": "a", "features": [...], "paused": ...}.
 * `field` is its place in the body. The first arm decides how many features every arm has. */
lotor_code lotor_spec_read_arm(lotor_spec *spec, size_t arm, const json_t *value, const char *field,
                               lotor_refusal *refusal);
lotor_code lotor_spec_read_arms(const lotor_spec_reader *reader);

#endif
