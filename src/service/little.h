/* little.h - 64-bit numbers as little-endian bytes. */
#ifndef LOTOR_SERVICE_LITTLE_H
#define LOTOR_SERVICE_LITTLE_H

#include <stdint.h>

static inline void lotor_put_u64(unsigned char *at, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        at[i] = (unsigned char)(value >> (8 * i));
    }
}

static inline uint64_t lotor_get_u64(const unsigned char *at)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

#endif
