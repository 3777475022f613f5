/* test_source.h - a deterministic source of bytes: seeded, with chosen words, or failing. */
#ifndef LOTOR_TESTS_TEST_SOURCE_H
#define LOTOR_TESTS_TEST_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/random/generator.h"
#include "base/source.h"

typedef struct test_source {
    lotor_source source; /* must be first: samplers get &test.source */
    lotor_source_window window;
    lotor_generator generator;
    const uint64_t *script; /* words to hand out before the seeded ones */
    size_t scripted;
    size_t refills;      /* number of refills so far */
    size_t refills_left; /* after this many, refills fail */
} test_source;

/* Bytes of a seeded xoshiro256++. */
void test_source_seed(test_source *test, uint64_t seed);

/* The given words first, then seeded ones. `words` must outlive the source. */
void test_source_script(test_source *test, const uint64_t *words, size_t count, uint64_t seed);

/* Seeded, but the refill after the next `refills` fails with LOTOR_ENTROPY. */
void test_source_exhaust(test_source *test, uint64_t seed, size_t refills);

/* How many words were read so far. */
uint64_t test_source_words(const test_source *test);

#endif
