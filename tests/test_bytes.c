/* test_bytes.c - saved bytes: the format byte by byte, and the refusal of damaged bytes. */
#include "support/test.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "privacy/release/statistic.h"
#include "support/saved_counter.h"
#include "support/test_source.h"

enum { HEADER = 24, CHECKSUM = 32 };

/* Writes a valid checksum at the end, as an attacker who forges a state would. */
static void seal_again(unsigned char *bytes, size_t length)
{
    crypto_generichash(bytes + length - CHECKSUM, CHECKSUM, bytes, length - CHECKSUM, NULL, 0);
}

/* By hand from bytes.h: 6 bytes magic, version 1, kind "ab", length 8 + 8 + 8 + 8 + 3 = 35. */
TEST(an_envelope_byte_for_byte)
{
    static const unsigned char before_checksum[] = {
        'l', 'o', 't', 'o', 'r', 0,   1,    0,                   /* magic, version */
        'a', 'b', 0,   0,   0,   0,   0,    0,                   /* kind */
        35,  0,   0,   0,   0,   0,   0,    0,                   /* length */
        8,   7,   6,   5,   4,   3,   2,    1,                   /* 0x0102030405060708 */
        254, 255, 255, 255, 255, 255, 255,  255,                 /* -2 */
        0,   0,   0,   0,   0,   0,   0xf8, 0xbf,                /* -1.5 = bff8... */
        3,   0,   0,   0,   0,   0,   0,    0,    'x', 'y', 'z', /* "xyz" */
    };
    const size_t size = sizeof before_checksum;
    const int64_t number = -2;
    lotor_writer writer;
    lotor_writer_start(&writer, "ab");
    lotor_write_u64(&writer, UINT64_C(0x0102030405060708));
    lotor_write_i64s(&writer, &number, 1);
    lotor_write_double(&writer, -1.5);
    lotor_write_text(&writer, "xyz");
    unsigned char *bytes;
    size_t length;
    assert_int_equal(lotor_writer_seal(&writer, &bytes, &length), LOTOR_OK);
    assert_int_equal(length, size + CHECKSUM);
    assert_memory_equal(bytes, before_checksum, size);
    unsigned char checksum[CHECKSUM];
    crypto_generichash(checksum, sizeof checksum, before_checksum, size, NULL, 0);
    assert_memory_equal(bytes + size, checksum, CHECKSUM);

    lotor_reader reader;
    int64_t read_number = 0;
    char text[4];
    assert_int_equal(lotor_reader_open(&reader, "ab", bytes, length, NULL), LOTOR_OK);
    assert_true(lotor_read_u64(&reader) == UINT64_C(0x0102030405060708));
    lotor_read_i64s(&reader, &read_number, 1);
    assert_true(read_number == -2);
    assert_true(lotor_read_double(&reader) == -1.5);
    lotor_read_text(&reader, text, sizeof text);
    assert_string_equal(text, "xyz");
    assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_OK);
    lotor_bytes_free(bytes, length);
}

TEST(reading_past_the_end_or_leaving_a_rest)
{
    unsigned char *bytes;
    size_t length;
    lotor_writer writer;
    lotor_writer_start(&writer, "12345678"); /* the longest kind: no NUL after it */
    lotor_write_text(&writer, "abcdefgh");
    assert_int_equal(lotor_writer_seal(&writer, &bytes, &length), LOTOR_OK);
    lotor_reader reader;
    lotor_message why = {""};

    assert_int_equal(lotor_reader_open(&reader, "12345678", bytes, length, NULL), LOTOR_OK);
    (void)lotor_read_u64(&reader);
    assert_int_equal(lotor_reader_finish(&reader, &why), LOTOR_DAMAGED); /* bytes are left */
    assert_true(strlen(why.text) > 0);

    assert_int_equal(lotor_reader_open(&reader, "12345678", bytes, length, NULL), LOTOR_OK);
    (void)lotor_read_u64(&reader);
    (void)lotor_read_u64(&reader);
    assert_int_equal(reader.status, LOTOR_OK);
    assert_true(lotor_read_u64(&reader) == 0); /* past the end: 0, for good */
    assert_true(lotor_read_double(&reader) == 0.0);
    assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_DAMAGED);

    char text[9] = "unset", small[8] = "unset";
    assert_int_equal(lotor_reader_open(&reader, "12345678", bytes, length, NULL), LOTOR_OK);
    lotor_read_text(&reader, small, sizeof small); /* no room for the NUL */
    assert_string_equal(small, "");
    assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_DAMAGED);
    assert_int_equal(lotor_reader_open(&reader, "12345678", bytes, length, NULL), LOTOR_OK);
    lotor_read_text(&reader, text, sizeof text);
    assert_string_equal(text, "abcdefgh");
    assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_OK);

    /* A text whose stated length is more than the remaining bytes. */
    bytes[HEADER] = 9;
    seal_again(bytes, length);
    char large[64];
    assert_int_equal(lotor_reader_open(&reader, "12345678", bytes, length, NULL), LOTOR_OK);
    lotor_read_text(&reader, large, sizeof large);
    assert_string_equal(large, "");
    assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_DAMAGED);
    lotor_bytes_free(bytes, length);
}

/* --- the saved counter ------------------------------------------------------------------------ */

static lotor_status try_load(const unsigned char *bytes, size_t length, lotor_message *why)
{
    test_source source;
    test_source_seed(&source, 3);
    lotor_counter *counter = (lotor_counter *)&source; /* must be overwritten */
    const lotor_status status = lotor_counter_load_on(bytes, length, &source.source, why, &counter);
    assert_int_equal(status == LOTOR_OK, counter != NULL);
    lotor_counter_free(counter);
    return status;
}

/* A copy in a heap buffer of exactly this size, so that a sanitizer detects a read past its end. */
static unsigned char *copy_of(const unsigned char *bytes, size_t length)
{
    unsigned char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    return copy;
}

TEST(every_flipped_bit_is_noticed)
{
    for (size_t m = 0; lotor_statistics[m]; m++) {
        if (!lotor_statistics[m]->counter) {
            continue;
        }
        test_source source;
        test_source_seed(&source, 1);
        lotor_counter *counter = counter_of(lotor_statistics[m]->counter, &source.source, 11);
        const saved good = save(counter);
        assert_int_equal(try_load(good.bytes, good.length, NULL), LOTOR_OK);
        for (size_t bit = 0; bit < 8 * good.length; bit++) {
            good.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            lotor_message why = {""};
            const lotor_status status = try_load(good.bytes, good.length, &why);
            /* Bytes 6 and 7 are the version: a larger one is newer, whatever follows. */
            const bool version = bit / 8 == 6 || bit / 8 == 7;
            const bool newer = good.bytes[6] + 256 * good.bytes[7] > LOTOR_BYTES_VERSION;
            assert_int_equal(status, version && newer ? LOTOR_VERSION : LOTOR_DAMAGED);
            assert_true(strlen(why.text) > 0);
            good.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        assert_int_equal(try_load(good.bytes, good.length, NULL), LOTOR_OK);
        lotor_bytes_free(good.bytes, good.length);
        lotor_counter_free(counter);
    }
}

TEST(every_other_length_is_noticed)
{
    test_source source;
    test_source_seed(&source, 1);
    lotor_counter *counter = counter_of("hybrid", &source.source, 11);
    const saved good = save(counter);
    assert_int_equal(try_load(NULL, 0, NULL), LOTOR_DAMAGED);
    for (size_t length = 0; length < good.length; length++) {
        unsigned char *cut = copy_of(good.bytes, length);
        assert_int_equal(try_load(cut, length, NULL), LOTOR_DAMAGED);
        free(cut);
    }
    unsigned char *longer = calloc(1, good.length + 8);
    assert_non_null(longer);
    memcpy(longer, good.bytes, good.length);
    for (size_t more = 1; more <= 8; more++) {
        assert_int_equal(try_load(longer, good.length + more, NULL), LOTOR_DAMAGED);
    }
    free(longer);

    /* Cut, with the checksum of the rest; and then with a correct length as well. */
    for (size_t length = HEADER + CHECKSUM; length < good.length; length++) {
        unsigned char *cut = copy_of(good.bytes, length);
        seal_again(cut, length);
        assert_int_equal(try_load(cut, length, NULL), LOTOR_DAMAGED);
        const size_t payload = length - HEADER - CHECKSUM;
        cut[16] = (unsigned char)payload;
        cut[17] = (unsigned char)(payload >> 8);
        seal_again(cut, length);
        assert_int_equal(try_load(cut, length, NULL), LOTOR_DAMAGED);
        free(cut);
    }
    for (size_t at = 16; at < HEADER; at++) { /* whole, but with another length in the header */
        good.bytes[at] ^= 1;
        seal_again(good.bytes, good.length);
        assert_int_equal(try_load(good.bytes, good.length, NULL), LOTOR_DAMAGED);
        good.bytes[at] ^= 1;
    }
    lotor_bytes_free(good.bytes, good.length);
    lotor_counter_free(counter);
}

TEST(kinds_and_versions)
{
    test_source source;
    test_source_seed(&source, 1);
    lotor_counter *counter = counter_of("tree", &source.source, 5);
    const saved good = save(counter);
    lotor_message why = {""};
    lotor_reader reader;
    assert_int_equal(lotor_reader_open(&reader, "board", good.bytes, good.length, &why),
                     LOTOR_DAMAGED);
    assert_non_null(strstr(why.text, "counter"));
    assert_non_null(strstr(why.text, "board"));
    assert_int_equal(lotor_reader_open(&reader, "counter2", good.bytes, good.length, NULL),
                     LOTOR_DAMAGED);
    assert_int_equal(lotor_reader_open(&reader, "counte", good.bytes, good.length, NULL),
                     LOTOR_DAMAGED);
    assert_int_equal(lotor_reader_open(&reader, "counter", good.bytes, good.length, NULL),
                     LOTOR_OK);

    static const struct {
        unsigned char low, high;
        lotor_status status;
    } versions[] = {{2, 0, LOTOR_VERSION},
                    {0, 1, LOTOR_VERSION},
                    {255, 255, LOTOR_VERSION},
                    {0, 0, LOTOR_DAMAGED},
                    {1, 0, LOTOR_OK}};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        good.bytes[6] = versions[i].low;
        good.bytes[7] = versions[i].high;
        seal_again(good.bytes, good.length);
        assert_int_equal(try_load(good.bytes, good.length, &why), versions[i].status);
        if (versions[i].status == LOTOR_VERSION) {
            assert_non_null(strstr(why.text, "upgrade"));
        }
    }
    lotor_bytes_free(good.bytes, good.length);
    lotor_counter_free(counter);
}

TEST_GROUP(test_start_sodium, NULL);
