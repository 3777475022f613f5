/* source.h - the interface from which exact samplers get random bytes.
 *
 * A source hands out a window of random bytes and refills it when it is empty. The library has only
 * one kind of source, the secure one (secure.h). Tests use a deterministic source, which is in
 * tests/support. The window is a separate struct, because the secure source keeps it in memory that
 * the kernel wipes in a forked child: there `left` reads 0, and the child refills.
 *
 * A source that can't refill (no entropy) sets `status`. Then it hands out meaningless bytes, only
 * so that sampling loops end. The caller must check `status` before using a draw. Only
 * privacy/noise/noise.c draws, so only that file checks.
 */
#ifndef LOTOR_BASE_SOURCE_H
#define LOTOR_BASE_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <lotor/status.h>

enum { LOTOR_SOURCE_WINDOW_BYTES = 16384 };

typedef struct lotor_source_window {
    size_t left; /* unused bytes, at the end of `bytes` */
    unsigned char bytes[LOTOR_SOURCE_WINDOW_BYTES];
} lotor_source_window;

typedef struct lotor_source lotor_source;
struct lotor_source {
    lotor_source_window *window;
    void (*refill)(lotor_source *source); /* fills the whole window */
    lotor_status status;                  /* LOTOR_OK until a refill fails; then LOTOR_ENTROPY */
};

/* The next 64 random bits. Used bytes are wiped, so that nobody can read them again. */
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
