/* little.h - reads and writes numbers as little-endian bytes. */
#ifndef LOTOR_BASE_LITTLE_H
#define LOTOR_BASE_LITTLE_H

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

static inline void lotor_put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (unsigned char)(value >> (8 * i));
    }
}

static inline uint32_t lotor_get_u32(const unsigned char *at)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        value |= (uint32_t)at[i] << (8 * i);
    }
    return value;
}

#endif
