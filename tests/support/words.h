/* words.h - saved bytes that a test writes word by word. */
#ifndef LOTOR_TESTS_WORDS_H
#define LOTOR_TESTS_WORDS_H

#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "support/cmocka_all.h"

/* A sealed section of this name; the caller frees the bytes. */
static inline unsigned char *words_sealed(const char *section, const uint64_t *words, size_t count,
                                          size_t *length)
{
    lotor_writer writer;
    unsigned char *bytes;
    lotor_writer_start(&writer, section);
    for (size_t i = 0; i < count; i++) {
        lotor_write_u64(&writer, words[i]);
    }
    assert_int_equal(lotor_writer_seal(&writer, &bytes, length), LOTOR_OK);
    return bytes;
}

/* One word that is replaced. */
typedef struct words_change {
    size_t at;
    uint64_t value;
} words_change;

/* Checks that `load` accepts the good words. It must refuse every shorter beginning of them, and
 * the words with any of the changes. */
static inline void words_expect_refused(lotor_status (*load)(const uint64_t *words, size_t count),
                                        const uint64_t *good, size_t count, const words_change *bad,
                                        size_t bad_count)
{
    enum { MOST = 64 };
    uint64_t words[MOST];
    assert_true(count <= MOST);
    assert_int_equal(load(good, count), LOTOR_OK);
    for (size_t cut = 0; cut < count; cut++) {
        assert_int_equal(load(good, cut), LOTOR_DAMAGED);
    }
    for (size_t i = 0; i < bad_count; i++) {
        memcpy(words, good, count * sizeof *words);
        words[bad[i].at] = bad[i].value;
        if (load(words, count) != LOTOR_DAMAGED) {
            fail_msg("word %zu = %llu was taken", bad[i].at, (unsigned long long)bad[i].value);
        }
    }
}

/* Checks that two saved states are equal; frees both. */
static inline void bytes_expect_same(unsigned char *one, size_t length, unsigned char *other,
                                     size_t other_length)
{
    assert_int_equal(length, other_length);
    assert_memory_equal(one, other, length);
    lotor_bytes_free(one, length);
    lotor_bytes_free(other, other_length);
}

#endif
