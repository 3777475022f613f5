/* secure_words.h - reads the secure source, for its tests. */
#ifndef LOTOR_TESTS_SECURE_WORDS_H
#define LOTOR_TESTS_SECURE_WORDS_H

#include "base/secure.h"
#include "support/cmocka_all.h"

enum { WORDS = 64, WORDS_PER_WINDOW = LOTOR_SOURCE_WINDOW_BYTES / 8 };

static inline lotor_source *new_source(void)
{
    lotor_source *source = NULL;
    assert_int_equal(lotor_secure_new(&source), LOTOR_OK);
    assert_non_null(source);
    return source;
}

static inline void read_words(lotor_source *source, uint64_t *words)
{
    for (size_t i = 0; i < WORDS; i++) {
        words[i] = lotor_source_word(source);
    }
}

/* Expects that no word of one array is in the other. */
static inline void assert_unrelated(const uint64_t *a, const uint64_t *b)
{
    for (size_t i = 0; i < WORDS; i++) {
        for (size_t j = 0; j < WORDS; j++) {
            assert_true(a[i] != b[j]);
        }
    }
}

#endif
