/* secure.c - a ChaCha20 stream, keyed by the kernel, with fast key erasure.
 *
 *      key ──┬─ nonce 0 ──▶ 16 KiB of output, wiped as it is read
 *            └─ nonce 1 ──▶ the next key; the old one is wiped
 *
 * So earlier output can't be computed from what is in memory now. After every MiB the kernel gives
 * a new key. Key and window have memory pages of their own. The kernel wipes these pages in a
 * forked child: the child finds no key and fetches its own, so it never repeats its parent's bytes.
 * The kernel also leaves the pages out of core dumps, and out of swap if the limit on locked memory
 * allows it.
 */
#include "base/secure.h"

#include <errno.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "base/message.h"

enum { BLOCKS_PER_KEY = 64 }; /* 1 MiB of output */

typedef struct secret_pages {
    lotor_source_window window;
    bool keyed;
    bool is_home;    /* false in a forked child: the kernel wiped it, and nothing sets it again */
    unsigned blocks; /* made since the last key from the kernel */
    unsigned char key[crypto_stream_chacha20_KEYBYTES];
} secret_pages;

typedef struct secure {
    lotor_source source; /* must be first: a lotor_source * is cast to secure * */
    secret_pages *secret;
} secure;

static bool kernel_bytes(unsigned char *bytes, size_t count)
{
    size_t got = 0;
    while (got < count) {
        const ssize_t more = getrandom(bytes + got, count - got, 0);
        if (more < 0 && errno == EINTR) {
            continue;
        }
        if (more <= 0) {
            return false;
        }
        got += (size_t)more;
    }
    return true;
}

static void fetch_key(lotor_source *source, secret_pages *secret)
{
    unsigned char fresh[sizeof secret->key];
    if (kernel_bytes(fresh, sizeof fresh)) {
        memcpy(secret->key, fresh, sizeof fresh);
        secret->keyed = true;
    } else if (!secret->keyed) {
        source->status = LOTOR_ENTROPY; /* the bytes that follow must not be used */
    }                                   /* else keep the old key: it is as secret as before */
    secret->blocks = 0;
    sodium_memzero(fresh, sizeof fresh);
}

static void refill(lotor_source *source)
{
    static const unsigned char for_output[crypto_stream_chacha20_NONCEBYTES] = {0};
    static const unsigned char for_key[crypto_stream_chacha20_NONCEBYTES] = {1};
    secret_pages *secret = ((secure *)source)->secret;

    if (!secret->keyed) { /* a new source, or a forked child, which inherits no memory lock */
        (void)mlock(secret, sizeof *secret);
        fetch_key(source, secret);
    } else if (secret->blocks >= BLOCKS_PER_KEY) {
        fetch_key(source, secret);
    }

    unsigned char next[sizeof secret->key];
    crypto_stream_chacha20(secret->window.bytes, sizeof secret->window.bytes, for_output,
                           secret->key);
    crypto_stream_chacha20(next, sizeof next, for_key, secret->key);
    memcpy(secret->key, next, sizeof next);
    sodium_memzero(next, sizeof next);
    secret->window.left = sizeof secret->window.bytes;
    secret->blocks++;
}

lotor_status lotor_secure_new(lotor_source **out)
{
    *out = NULL;
    if (sodium_init() < 0) { /* selects the fastest ChaCha20; may be called again, by any thread */
        return LOTOR_ENTROPY;
    }
    secure *made = calloc(1, sizeof *made);
    if (!made) {
        return LOTOR_MEMORY;
    }
    void *pages = mmap(NULL, sizeof(secret_pages), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        free(made);
        return LOTOR_MEMORY;
    }
    made->secret = pages;
    made->source.window = &made->secret->window;
    made->source.refill = refill;

    lotor_status status = LOTOR_ENTROPY;
    if (madvise(pages, sizeof(secret_pages), MADV_WIPEONFORK) == 0) {
        (void)madvise(pages, sizeof(secret_pages), MADV_DONTDUMP);
        made->secret->is_home = true;
        refill(&made->source);
        status = made->source.status;
    }
    if (status != LOTOR_OK) {
        lotor_secure_free(&made->source);
        return status;
    }
    *out = &made->source;
    return LOTOR_OK;
}

lotor_status lotor_secure_make(lotor_message *why, lotor_source **out)
{
    const lotor_status status = lotor_secure_new(out);
    if (status != LOTOR_OK) {
        lotor_explain(why, status == LOTOR_MEMORY ? "no memory for a secure random source"
                                                  : "the system gives no secure random source");
    }
    return status;
}

void lotor_secure_free(lotor_source *source)
{
    if (!source) {
        return;
    }
    secure *old = (secure *)source;
    sodium_memzero(old->secret, sizeof *old->secret);
    munmap(old->secret, sizeof *old->secret);
    free(old);
}

lotor_status lotor_secure_refuse_child(const lotor_source *source, const char *what,
                                       lotor_message *why)
{
    if (!source || ((const secure *)source)->secret->is_home) {
        return LOTOR_OK;
    }
    return lotor_fail(LOTOR_INVALID, why,
                      "this %s was made before fork(), and only the process that made it may use "
                      "it: make or load a %s in this process",
                      what, what);
}
