/* seal.c - see seal.h. */
#include "base/seal.h"

#include <sodium.h>

_Static_assert((int)crypto_aead_xchacha20poly1305_ietf_KEYBYTES == LOTOR_SEAL_KEY_BYTES, "key");
_Static_assert((int)crypto_aead_xchacha20poly1305_ietf_NPUBBYTES == LOTOR_SEAL_NONCE_BYTES,
               "nonce");
_Static_assert((int)crypto_aead_xchacha20poly1305_ietf_NPUBBYTES +
                       (int)crypto_aead_xchacha20poly1305_ietf_ABYTES ==
                   LOTOR_SEAL_OVERHEAD,
               "nonce and tag");

void lotor_seal(const unsigned char key[LOTOR_SEAL_KEY_BYTES], const void *bound,
                size_t bound_length, const void *plain, size_t length, unsigned char *sealed)
{
    randombytes_buf(sealed, LOTOR_SEAL_NONCE_BYTES);
    crypto_aead_xchacha20poly1305_ietf_encrypt(sealed + LOTOR_SEAL_NONCE_BYTES, NULL, plain, length,
                                               bound, bound_length, NULL, sealed, key);
}

lotor_status lotor_seal_open(const unsigned char key[LOTOR_SEAL_KEY_BYTES], const void *bound,
                             size_t bound_length, const unsigned char *sealed, size_t length,
                             void *plain)
{
    if (!sealed || length < LOTOR_SEAL_OVERHEAD) {
        return LOTOR_DAMAGED;
    }
    return crypto_aead_xchacha20poly1305_ietf_decrypt(
               plain, NULL, NULL, sealed + LOTOR_SEAL_NONCE_BYTES, length - LOTOR_SEAL_NONCE_BYTES,
               bound, bound_length, sealed, key) == 0
               ? LOTOR_OK
               : LOTOR_DAMAGED;
}
