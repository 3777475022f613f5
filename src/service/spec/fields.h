/* fields.h - reading JSON with care: every refusal names the field and what was expected. */
#ifndef LOTOR_SERVICE_FIELDS_H
#define LOTOR_SERVICE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "service/refusal.h"

enum { LOTOR_FIELD_ROOM = 64 };

/* Whose names may be repeated: those of a setting are the operator's own; in what is said about a
 * person, a name that is not known may be private too, and is told only if it is a slip of a known
 * one. */
typedef enum lotor_field_care { LOTOR_FIELDS_PUBLIC, LOTOR_FIELDS_PRIVATE } lotor_field_care;

/* Refuses what is no object, and fields that are not in `known` (which ends in NULL). `place` is where
 * the object stands ("arms[3]"); "": the body itself. */
lotor_code lotor_fields_check(const json_t *object, const char *const *known, const char *place,
                              lotor_field_care care, lotor_refusal *refusal);

/* "place.name", or the name alone. */
const char *lotor_field_join(char room[LOTOR_FIELD_ROOM], const char *place, const char *name);
const char *lotor_field_index(char room[LOTOR_FIELD_ROOM], const char *place, size_t index);

/* Each reads one value, or refuses (then *out is as it was). NULL is a missing field: refused. */
lotor_code lotor_field_whole(const json_t *value, const char *field, uint64_t least, uint64_t most,
                             lotor_refusal *refusal, uint64_t *out);
lotor_code lotor_field_number(const json_t *value, const char *field, lotor_refusal *refusal,
                              double *out);
lotor_code lotor_field_bool(const json_t *value, const char *field, lotor_refusal *refusal,
                            bool *out);
/* A name: 1 to 64 of A-Z a-z 0-9 . _ -, the first a letter or a digit. `out` has room for 65. */
lotor_code lotor_field_name(const json_t *value, const char *field, lotor_refusal *refusal,
                            char *out);

/* "Out of memory", as every part says it. */
lotor_code lotor_refuse_memory(lotor_refusal *refusal);

#endif
