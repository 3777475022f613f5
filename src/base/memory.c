/* memory.c - see memory.h. */
#include "base/memory.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/status.h>

void lotor_wipe(void *memory, size_t size)
{
    if (memory) {
        sodium_memzero(memory, size);
    }
}

void lotor_wipe_free(void *memory, size_t size)
{
    lotor_wipe(memory, size);
    free(memory);
}

void *lotor_wipe_grow(void *memory, size_t used, size_t room)
{
    void *larger = malloc(room);
    if (larger && memory) {
        memcpy(larger, memory, used);
        lotor_wipe_free(memory, used);
    }
    return larger;
}

void lotor_bytes_free(unsigned char *bytes, size_t length)
{
    lotor_wipe_free(bytes, length);
}
