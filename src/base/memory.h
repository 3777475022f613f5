/* memory.h - wipes memory that held private data. */
#ifndef LOTOR_BASE_MEMORY_H
#define LOTOR_BASE_MEMORY_H

#include <stddef.h>

/* Overwrites memory with zeros in a way that the compiler can't drop. NULL is accepted. */
void lotor_wipe(void *memory, size_t size);

/* Wipes, then frees. NULL is accepted. */
void lotor_wipe_free(void *memory, size_t size);

/* A realloc that leaves no copy behind. Returns a block of `room` bytes that begins with the `used`
 * bytes of `memory`; `memory` is wiped and freed. NULL: out of memory, and `memory` is
 * unchanged. */
void *lotor_wipe_grow(void *memory, size_t used, size_t room);

#endif
