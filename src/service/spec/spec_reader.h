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
    bool is_kept; /* the store's text, not a client's body */
} lotor_spec_reader;

/* The units of a duration, the longest first; the last is a second. */
enum { LOTOR_SPEC_UNITS = 4 };
typedef struct lotor_spec_unit {
    char letter;
    uint64_t seconds;
} lotor_spec_unit;
extern const lotor_spec_unit lotor_spec_units[LOTOR_SPEC_UNITS];

/* Reads the labels of an arm, or of the campaign (""), from an object. `place` is the object's place in
 * the body. A field that is null removes the label. */
lotor_code lotor_spec_read_labels(lotor_spec *spec, const char *id, const json_t *object,
                                  const char *place, lotor_refusal *refusal);
lotor_code lotor_spec_read_arms(const lotor_spec_reader *reader);
/* Reads the phase of the campaign (spec_phase.c). */
lotor_code lotor_spec_read_phase(const lotor_spec_reader *reader);
int lotor_spec_write_phase(const lotor_spec *spec, json_t *whole); /* not 0: no memory */

/* spec_users.c: the fields "budget" and "sticky_seconds". */
lotor_code lotor_spec_read_users(const lotor_spec_reader *reader);
int lotor_spec_write_users(const lotor_spec *spec, json_t *whole); /* not 0: no memory */

#endif
