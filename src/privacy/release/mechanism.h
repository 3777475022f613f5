/* mechanism.h - the mechanisms that turn a stream of values into a private running sum.
 *
 * A mechanism is a row of functions; adding one is writing its file and one line in
 * mechanism.c. The generic tests loop over the rows.
 */
#ifndef LOTOR_PRIVACY_RELEASE_MECHANISM_H
#define LOTOR_PRIVACY_RELEASE_MECHANISM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "privacy/noise/noise.h"
#include "privacy/release/scale.h"

/* What a mechanism has made public so far. */
typedef struct lotor_released {
    const int64_t *sum; /* per coordinate, in units; lives as long as the state is not changed */
    uint64_t covered;   /* how many values it covers */
    uint64_t added;     /* how many values came in: a public number too */
} lotor_released;

typedef struct lotor_mechanism {
    const char *id;
    const char *theorem;
    lotor_law law;
    bool needs_horizon;

    /* Made from parameters, or refused with the reason; *scale is the noise on one released
     * number, *sizes a few words on its size, such as "17 levels" (at most 48 characters). */
    lotor_status (*make)(const lotor_release_params *params, lotor_message *why, void **state);
    void (*free)(void *state);
    void (*describe)(const void *state, uint64_t *scale, char *sizes, size_t capacity);

    /* Nothing changes on LOTOR_HORIZON and LOTOR_ENTROPY. */
    lotor_status (*insert)(void *state, const int64_t *value, lotor_noise *noise);
    lotor_released (*released)(const void *state);

    void (*save)(const void *state, lotor_writer *writer);
    void (*load)(void *state, lotor_reader *reader); /* into a new state of the same parameters */
} lotor_mechanism;

/* All of them, ended by NULL: "tree", "hybrid", "batch", "gaussian-tree". */
extern const lotor_mechanism *const lotor_mechanisms[];

/* NULL when there is none of that name. */
const lotor_mechanism *lotor_mechanism_find(const char *id);

#endif
