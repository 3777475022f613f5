/* seal.h - authenticated encryption: bytes that only the holder of a key can read, or could have made.
 *
 *      nonce, 24 bytes | ciphertext, as long as the plain bytes | tag, 16 bytes
 *
 * XChaCha20-Poly1305 with a random nonce, so that any number of messages may be sealed with one key. The
 * sealed bytes are bound to what they are for: to be opened, the same bound bytes must be given. They are
 * not part of the result. All calls are safe from any thread.
 */
#ifndef LOTOR_BASE_SEAL_H
#define LOTOR_BASE_SEAL_H

#include <stddef.h>

#include <lotor/status.h>

enum {
    LOTOR_SEALED_KEY = 32,
    LOTOR_SEALED_BEFORE = 24, /* the nonce */
    LOTOR_SEALED_MORE = 40    /* nonce and tag: how much longer sealed bytes are */
};

/* `sealed` has room for length + LOTOR_SEALED_MORE bytes. `plain` may be sealed + LOTOR_SEALED_BEFORE:
 * then the plain bytes are overwritten, and no copy of them is left. */
void lotor_seal(const unsigned char key[LOTOR_SEALED_KEY], const void *bound, size_t bound_length,
                const void *plain, size_t length, unsigned char *sealed);

/* `plain` has room for length - LOTOR_SEALED_MORE bytes. LOTOR_DAMAGED: these bytes were not sealed with
 * that key and bound; nothing of them is in `plain`. */
lotor_status lotor_seal_open(const unsigned char key[LOTOR_SEALED_KEY], const void *bound,
                             size_t bound_length, const unsigned char *sealed, size_t length,
                             void *plain);

#endif
