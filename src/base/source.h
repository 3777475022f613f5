/* source.h - where exact samplers get their bytes.
 *
 * A source hands out a window of random bytes and refills it when it runs out. The library
 * makes only one kind, the secure one (secure.h); the deterministic one that tests use lives in
 * tests/support. The window is a struct of its own because the secure source keeps it in memory
 * that the kernel wipes in a forked child: there `left` reads 0, and the child refills.
 *
 * A source that can't refill (no entropy) sets `status` and hands out bytes that mean nothing,
 * only so that sampling loops end. Whoever draws checks `status` before using a draw: that is
 * one place, privacy/noise/noise.c.
 */
#ifndef LOTOR_BASE_SOURCE_H
#define LOTOR_BASE_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <lotor/status.h>

enum { LOTOR_SOURCE_BLOCK = 16384 };

typedef struct lotor_source_window {
    size_t left; /* unused bytes, at the end of `bytes` */
    unsigned char bytes[LOTOR_SOURCE_BLOCK];
} lotor_source_window;

typedef struct lotor_source lotor_source;
struct lotor_source {
    lotor_source_window *window;
    void (*refill)(lotor_source *source); /* fills the whole window */
    lotor_status status;                  /* LOTOR_OK, or LOTOR_ENTROPY for good */
};

/* The next 64 random bits. Used bytes are wiped: what was drawn can't be read again. */
static inline uint64_t lotor_source_word(lotor_source *source)
{
    lotor_source_window *window = source->window;
    if (window->left < sizeof(uint64_t)) {
        source->refill(source);
    }
    unsigned char *next = window->bytes + sizeof window->bytes - window->left;
    uint64_t word;
    memcpy(&word, next, sizeof word);
    memset(next, 0, sizeof word);
    window->left -= sizeof word;
    return word;
}

#endif
