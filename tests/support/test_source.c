/* test_source.c - see test_source.h. */
#include "support/test_source.h"

#include <string.h>

static void refill(lotor_source *source)
{
    test_source *test = (test_source *)source;
    if (test->refills_left == 0) {
        source->status = LOTOR_ENTROPY;
    } else {
        test->refills_left--;
    }
    test->refills++;
    for (size_t at = 0; at < sizeof test->window.bytes; at += sizeof(uint64_t)) {
        uint64_t word;
        if (test->scripted > 0) {
            word = *test->script++;
            test->scripted--;
        } else {
            word = lotor_generator_word(&test->generator);
        }
        memcpy(test->window.bytes + at, &word, sizeof word);
    }
    test->window.left = sizeof test->window.bytes;
}

void test_source_seed(test_source *test, uint64_t seed)
{
    test_source_script(test, NULL, 0, seed);
}

void test_source_script(test_source *test, const uint64_t *words, size_t count, uint64_t seed)
{
    memset(test, 0, sizeof *test);
    lotor_generator_seed(&test->generator, seed);
    test->script = words;
    test->scripted = count;
    test->refills_left = SIZE_MAX;
    test->source.window = &test->window;
    test->source.refill = refill;
}

void test_source_exhaust(test_source *test, uint64_t seed, size_t refills)
{
    test_source_seed(test, seed);
    test->refills_left = refills;
}

uint64_t test_source_words(const test_source *test)
{
    return test->refills * (LOTOR_SOURCE_WINDOW_BYTES / sizeof(uint64_t)) -
           test->window.left / sizeof(uint64_t);
}
