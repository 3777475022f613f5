/* memory.h - forgetting what was private. */
#ifndef LOTOR_BASE_MEMORY_H
#define LOTOR_BASE_MEMORY_H

#include <stddef.h>

/* Overwrites memory with zeros in a way that the compiler can't drop. NULL is accepted. */
void lotor_wipe(void *memory, size_t size);

/* Wipes, then frees. NULL is accepted. */
void lotor_wipe_free(void *memory, size_t size);

#endif
