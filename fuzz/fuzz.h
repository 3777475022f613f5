/* fuzz.h - functions that the fuzzers share: a check that ends the program, and envelopes with the
 * right checksum. */
#ifndef LOTOR_FUZZ_H
#define LOTOR_FUZZ_H

#include <sodium.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer's entry point. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A check failed. libFuzzer keeps the input that led here. */
#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #holds);             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

enum { FUZZ_HEADER = 24, FUZZ_CHECKSUM = 32 };

/* Puts an envelope of this kind (see base/bytes.h) around the payload, so that the input passes the
 * check of the checksum. The caller frees the result. */
static inline unsigned char *fuzz_envelope(const char *kind, const uint8_t *payload, size_t size,
                                           size_t *length)
{
    *length = FUZZ_HEADER + size + FUZZ_CHECKSUM;
    unsigned char *bytes = calloc(1, *length);
    CHECK(bytes);
    memcpy(bytes, "lotor\0\1\0", 8);
    memcpy(bytes + 8, kind, strlen(kind));
    for (int i = 0; i < 8; i++) {
        bytes[16 + i] = (unsigned char)((uint64_t)size >> (8 * i));
    }
    if (size > 0) {
        memcpy(bytes + FUZZ_HEADER, payload, size);
    }
    crypto_generichash(bytes + FUZZ_HEADER + size, FUZZ_CHECKSUM, bytes, FUZZ_HEADER + size, NULL,
                       0);
    return bytes;
}

#endif
