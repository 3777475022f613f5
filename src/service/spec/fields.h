/* fields.h - reads the fields of a JSON object. Each refusal names the field and says what was
 * expected. */
#ifndef LOTOR_SERVICE_FIELDS_H
#define LOTOR_SERVICE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <lotor/ratio.h>

#include "service/refusal.h"

enum { LOTOR_FIELD_ROOM = 64 };

/* True if a refusal may repeat the name of an unknown field. The names in a specification come
 * from the operator: LOTOR_FIELDS_PUBLIC. In a request about a person, the name of an unknown
 * field may itself be private: with LOTOR_FIELDS_PRIVATE it is repeated only if it looks like a
 * misspelled known name. */
typedef enum lotor_field_care { LOTOR_FIELDS_PUBLIC, LOTOR_FIELDS_PRIVATE } lotor_field_care;

/* Refuses a value that is not an object, and fields that are not in `known`, which ends in NULL.
 * `place` is the object's place in the body ("arms[3]"); "" is the body itself. */
lotor_code lotor_fields_check(const json_t *object, const char *const *known, const char *place,
                              lotor_field_care care, lotor_refusal *refusal);

/* Writes "place.name" (or the name alone, if place is "") and "place[index]". Return `room`. */
const char *lotor_field_join(char room[LOTOR_FIELD_ROOM], const char *place, const char *name);
const char *lotor_field_index(char room[LOTOR_FIELD_ROOM], const char *place, size_t index);

/* Each function reads one value, or refuses it and leaves *out unchanged. NULL is a missing
 * field, and is refused. */
lotor_code lotor_field_whole(const json_t *value, const char *field, uint64_t least, uint64_t most,
                             lotor_refusal *refusal, uint64_t *out);
lotor_code lotor_field_number(const json_t *value, const char *field, lotor_refusal *refusal,
                              double *out);
#define LOTOR_EPSILON_EXPECTED "a finite number above 0, such as 0.5"
#define LOTOR_DELTA_EXPECTED   "a number that is at least 0 and less than 1, such as 1e-6"
/* Reads a number from 0 to 2^63, exactly: from a JSON number, or from a text. The caller checks
 * whether the number fits; `expected` says which numbers fit, such as "a number above 0". */
lotor_code lotor_field_ratio(const json_t *given, const char *field, const char *expected,
                             lotor_refusal *refusal, lotor_ratio *out);
lotor_code lotor_field_bool(const json_t *value, const char *field, lotor_refusal *refusal,
                            bool *out);
/* True if a text is a name: see lotor_field_name. */
bool lotor_is_name(const char *text, size_t length);
/* Reads a name: 1 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or a digit. `out` has room
 * for 65 bytes. */
lotor_code lotor_field_name(const json_t *value, const char *field, lotor_refusal *refusal,
                            char *out);

/* The refusal of a field that is not there: "epsilon is missing: expected ...". */
lotor_code lotor_field_missing(const char *field, const char *expected, lotor_refusal *refusal);
/* The refusal of a field that is not there (NULL), or that has another value: "expected ...". */
lotor_code lotor_field_refuse(const json_t *given, const char *field, const char *expected,
                              lotor_refusal *refusal);

/* The refusal for all failed allocations: "out of memory". */
lotor_code lotor_refuse_memory(lotor_refusal *refusal);

#endif
