/* memory.h - forgetting what was private. */
#ifndef LOTOR_BASE_MEMORY_H
#define LOTOR_BASE_MEMORY_H

#include <stddef.h>

/* Overwrites memory with zeros in a way that the compiler can't drop. NULL is accepted. */
void lotor_wipe(void *memory, size_t size);

/* Wipes, then frees. NULL is accepted. */
void lotor_wipe_free(void *memory, size_t size);

/* A block of `room` bytes that begins with the `used` bytes of `memory`, which is wiped and freed: a realloc
 * that leaves no copy behind. NULL: no memory, and `memory` is as before. */
void *lotor_wipe_grow(void *memory, size_t used, size_t room);

#endif
