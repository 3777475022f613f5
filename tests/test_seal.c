/* test_seal.c - sealed bytes: a published test vector, bytes that open, and bytes that do not. */
#include "support/test.h"

#include <sodium.h>
#include <string.h>

#include "base/seal.h"

enum { LENGTH = 50 };

static const unsigned char key[LOTOR_SEAL_KEY_BYTES] = {1, 2, 3};

static size_t unhex(const char *text, unsigned char *out, size_t room)
{
    size_t length;
    assert_int_equal(sodium_hex2bin(out, room, text, strlen(text), NULL, &length, NULL), 0);
    return length;
}

/* draft-irtf-cfrg-xchacha-03, A.3.1: nonce, ciphertext, tag. */
TEST(opens_the_published_vector)
{
    static const char expected[] = "Ladies and Gentlemen of the class of '99: If I could offer you "
                                   "only one tip for the future, sunscreen would be it.";
    unsigned char known[LOTOR_SEAL_KEY_BYTES], bound[12], sealed[200], plain[200];
    for (unsigned char i = 0; i < LOTOR_SEAL_KEY_BYTES; i++) {
        known[i] = (unsigned char)(0x80 + i);
    }
    assert_int_equal(unhex("50515253c0c1c2c3c4c5c6c7", bound, sizeof bound), sizeof bound);
    const size_t length =
        unhex("404142434445464748494a4b4c4d4e4f5051525354555657bd6d179d3e83d43b9576579493c0e939"
              "572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216"
              "cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
              "21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49",
              sealed, sizeof sealed);
    assert_int_equal(length, strlen(expected) + LOTOR_SEAL_OVERHEAD);
    assert_int_equal(lotor_seal_open(known, bound, sizeof bound, sealed, length, plain), LOTOR_OK);
    assert_memory_equal(plain, expected, strlen(expected));
}

TEST(opens_what_it_sealed)
{
    for (size_t length = 0; length <= LENGTH; length++) {
        unsigned char plain[LENGTH], sealed[LENGTH + LOTOR_SEAL_OVERHEAD], opened[LENGTH];
        unsigned char other[LENGTH + LOTOR_SEAL_OVERHEAD];
        memset(plain, 'x', sizeof plain);
        lotor_seal(key, "bound", 5, plain, length, sealed);
        assert_int_equal(
            lotor_seal_open(key, "bound", 5, sealed, length + LOTOR_SEAL_OVERHEAD, opened),
            LOTOR_OK);
        assert_memory_equal(opened, plain, length);
        /* Sealing in place; and sealing twice gives different bytes. */
        memcpy(other + LOTOR_SEAL_NONCE_BYTES, plain, length);
        lotor_seal(key, "bound", 5, other + LOTOR_SEAL_NONCE_BYTES, length, other);
        assert_memory_not_equal(other, sealed, LOTOR_SEAL_NONCE_BYTES);
        assert_int_equal(
            lotor_seal_open(key, "bound", 5, other, length + LOTOR_SEAL_OVERHEAD, opened),
            LOTOR_OK);
        assert_memory_equal(opened, plain, length);
    }
}

TEST(refuses_everything_else)
{
    unsigned char plain[LENGTH] = "something", sealed[LENGTH + LOTOR_SEAL_OVERHEAD], opened[LENGTH];
    lotor_seal(key, "bound", 5, plain, LENGTH, sealed);
    for (size_t i = 0; i < sizeof sealed; i++) {
        sealed[i] ^= 1;
        assert_int_equal(lotor_seal_open(key, "bound", 5, sealed, sizeof sealed, opened),
                         LOTOR_DAMAGED);
        sealed[i] ^= 1;
    }
    for (size_t length = 0; length < sizeof sealed; length++) {
        assert_int_equal(lotor_seal_open(key, "bound", 5, sealed, length, opened), LOTOR_DAMAGED);
    }
    assert_int_equal(lotor_seal_open(key, "bounD", 5, sealed, sizeof sealed, opened),
                     LOTOR_DAMAGED);
    assert_int_equal(lotor_seal_open(key, "boun", 4, sealed, sizeof sealed, opened), LOTOR_DAMAGED);
    assert_int_equal(lotor_seal_open(key, NULL, 0, sealed, sizeof sealed, opened), LOTOR_DAMAGED);
    assert_int_equal(lotor_seal_open(key, "bound", 5, NULL, 0, opened), LOTOR_DAMAGED);
    const unsigned char other[LOTOR_SEAL_KEY_BYTES] = {1, 2, 4};
    assert_int_equal(lotor_seal_open(other, "bound", 5, sealed, sizeof sealed, opened),
                     LOTOR_DAMAGED);
    assert_int_equal(lotor_seal_open(key, "bound", 5, sealed, sizeof sealed, opened), LOTOR_OK);
}

TEST_GROUP(test_start_sodium, NULL);
