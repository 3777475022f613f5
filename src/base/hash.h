/* hash.h - FNV-1a, a fast hash. If an attacker could choose the bytes, use BLAKE2b instead. */
#ifndef LOTOR_BASE_HASH_H
#define LOTOR_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define LOTOR_HASH_START UINT64_C(14695981039346656037)

static inline uint64_t lotor_hash_byte(uint64_t hash, uint64_t byte)
{
    return (hash ^ byte) * UINT64_C(0x100000001b3);
}

/* Hashes more bytes. `hash` is LOTOR_HASH_START or the result of an earlier call. */
static inline uint64_t lotor_hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < length; i++) {
        hash = lotor_hash_byte(hash, at[i]);
    }
    return hash;
}

#endif
