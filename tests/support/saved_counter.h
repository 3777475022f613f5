/* saved_counter.h - makes counters for the tests of saving and loading. */
#ifndef LOTOR_TESTS_SAVED_COUNTER_H
#define LOTOR_TESTS_SAVED_COUNTER_H

#include <string.h>

#include "privacy/release/counter.h"
#include "support/cmocka_all.h"

typedef struct saved {
    unsigned char *bytes;
    size_t length;
} saved;

static inline saved save(const lotor_counter *counter)
{
    saved state;
    assert_int_equal(lotor_counter_save(counter, &state.bytes, &state.length), LOTOR_OK);
    return state;
}

/* A counter with a horizon of 20 values in [0,1], after `values` values. */
static inline lotor_counter *counter_of(const char *mechanism, lotor_source *source,
                                        uint64_t values)
{
    const lotor_counter_params params = {
        .mechanism = mechanism,
        .epsilon = lotor_ratio_of(1, 2),
        .delta =
            strcmp(mechanism, "gaussian-tree") ? lotor_ratio_of(0, 1) : lotor_ratio_of(1, 100000),
        .horizon = 20,
        .low = 0.0,
        .high = 1.0,
    };
    lotor_counter *counter;
    assert_int_equal(lotor_counter_new_on(&params, source, NULL, &counter), LOTOR_OK);
    for (uint64_t i = 0; i < values; i++) {
        assert_int_equal(lotor_counter_add(counter, 0.75, NULL), LOTOR_OK);
    }
    return counter;
}

#endif
