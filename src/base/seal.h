/* seal.h - authenticated encryption: only the holder of the key can read or make sealed bytes.
 *
 *      nonce, 24 bytes | ciphertext, as long as the plain bytes | tag, 16 bytes
 *
 * The cipher is XChaCha20-Poly1305. Each nonce is random, so one key can seal any number of
 * messages. Sealed bytes are bound to other bytes that name their purpose. To open them, give the
 * same bound bytes, which are not part of the result. All calls are safe from any thread.
 */
#ifndef LOTOR_BASE_SEAL_H
#define LOTOR_BASE_SEAL_H

#include <stddef.h>

#include <lotor/status.h>

enum {
    LOTOR_SEAL_KEY_BYTES = 32,
    LOTOR_SEAL_NONCE_BYTES = 24, /* the nonce */
    LOTOR_SEAL_OVERHEAD = 40     /* nonce and tag: how much longer sealed bytes are */
};

/* Seals `length` bytes. `sealed` has room for length + LOTOR_SEAL_OVERHEAD bytes. `plain` may be
 * sealed + LOTOR_SEAL_NONCE_BYTES: then the plain bytes are overwritten, and no copy of them is
 * left. */
void lotor_seal(const unsigned char key[LOTOR_SEAL_KEY_BYTES], const void *bound,
                size_t bound_length, const void *plain, size_t length, unsigned char *sealed);

/* Opens sealed bytes. `plain` has room for length - LOTOR_SEAL_OVERHEAD bytes. LOTOR_DAMAGED: the
 * bytes were not sealed with this key and these bound bytes; `plain` contains none of them. */
lotor_status lotor_seal_open(const unsigned char key[LOTOR_SEAL_KEY_BYTES], const void *bound,
                             size_t bound_length, const unsigned char *sealed, size_t length,
                             void *plain);

#endif
