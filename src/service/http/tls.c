/* tls.c - see tls.h. */
#include "service/http/tls.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/quote.h"

enum { FILE_MAX = 1 << 20, HASH_BYTES = 32, KEY_ID_ROOM = 64 };

/* A certificate chain with its key. One that was replaced is kept until the end, since a handshake
 * may still use it. */
typedef struct identity {
    struct identity *older;
    gnutls_pcert_st chain[LOTOR_TLS_CHAIN_MAX];
    unsigned length;
    gnutls_privkey_t key;
    time_t expires;
    unsigned char hash[HASH_BYTES]; /* of both files */
} identity;

struct lotor_tls {
    char *certificate_path, *key_path;
    _Atomic(identity *) newest;
};

static void identity_free(identity *self)
{
    if (self) {
        for (unsigned i = 0; i < self->length; i++) {
            gnutls_pcert_deinit(&self->chain[i]);
        }
        if (self->key) {
            gnutls_privkey_deinit(self->key);
        }
        free(self);
    }
}

/* Reads a whole file. The caller wipes and frees out->data, also after a failure. */
static lotor_status read_file(const char *path, lotor_message *why, gnutls_datum_t *out)
{
    FILE *const file = fopen(path, "rbe");
    out->data = file ? malloc(FILE_MAX + 1) : NULL;
    out->size = 0;
    bool fine = file != NULL;
    if (file && out->data) {
        setvbuf(file, NULL, _IONBF, 0); /* no second copy of a private key */
        out->size = (unsigned)fread(out->data, 1, FILE_MAX + 1, file);
        fine = !ferror(file);
    }
    const int error = errno;
    if (file) {
        fclose(file);
    }
    if (!fine) {
        return lotor_fail(LOTOR_IO, why, "%s can't be read: %s", lotor_quote_text(path).text,
                          strerror(error));
    }
    if (!out->data) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %s", lotor_quote_text(path).text);
    }
    if (out->size > FILE_MAX) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          "%s is longer than a megabyte: check that it is the right file",
                          lotor_quote_text(path).text);
    }
    return LOTOR_OK;
}

static lotor_status take_certificate(identity *self, const char *path, const gnutls_datum_t *bytes,
                                     lotor_message *why)
{
    unsigned length = LOTOR_TLS_CHAIN_MAX;
    const int result = gnutls_pcert_list_import_x509_raw(
        self->chain, &length, bytes, GNUTLS_X509_FMT_PEM, GNUTLS_X509_CRT_LIST_FAIL_IF_UNSORTED);
    if (result < 0 || length == 0) {
        return lotor_fail(
            LOTOR_DAMAGED, why,
            "%s has no certificate that can be used: %s; expected PEM, the server's certificate "
            "first, then the certificates that signed it, at most %d in all",
            lotor_quote_text(path).text, gnutls_strerror(result), LOTOR_TLS_CHAIN_MAX);
    }
    self->length = length;
    gnutls_x509_crt_t first;
    if (gnutls_pcert_export_x509(&self->chain[0], &first) != 0) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a certificate");
    }
    self->expires = gnutls_x509_crt_get_expiration_time(first);
    gnutls_x509_crt_deinit(first);
    return LOTOR_OK;
}

static lotor_status take_key(identity *self, const char *path, const gnutls_datum_t *bytes,
                             lotor_message *why)
{
    if (gnutls_privkey_init(&self->key) != 0) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a private key");
    }
    const int result =
        gnutls_privkey_import_x509_raw(self->key, bytes, GNUTLS_X509_FMT_PEM, NULL, 0);
    if (result != 0) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          "%s has no private key that can be used: %s; expected PEM without a "
                          "password",
                          lotor_quote_text(path).text, gnutls_strerror(result));
    }
    return LOTOR_OK;
}

/* True if the key belongs to the first certificate. */
static lotor_status compare(const identity *self, lotor_message *why)
{
    unsigned char ids[2][KEY_ID_ROOM] = {{0}};
    size_t lengths[2] = {KEY_ID_ROOM, KEY_ID_ROOM};
    gnutls_pubkey_t of_key;
    if (gnutls_pubkey_init(&of_key) != 0) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a public key");
    }
    const bool fine =
        gnutls_pubkey_import_privkey(of_key, self->key, 0, 0) == 0 &&
        gnutls_pubkey_get_key_id(of_key, GNUTLS_KEYID_USE_SHA256, ids[0], &lengths[0]) == 0 &&
        gnutls_pubkey_get_key_id(self->chain[0].pubkey, GNUTLS_KEYID_USE_SHA256, ids[1],
                                 &lengths[1]) == 0 &&
        lengths[0] == lengths[1] && memcmp(ids[0], ids[1], lengths[0]) == 0;
    gnutls_pubkey_deinit(of_key);
    return fine ? LOTOR_OK
                : lotor_fail(LOTOR_DAMAGED, why,
                             "the certificate and the private key do not belong together: give the "
                             "key that the certificate was made for");
}

static lotor_status make_identity(const lotor_tls *tls, const gnutls_datum_t *certificate,
                                  const gnutls_datum_t *key, lotor_message *why, identity **out)
{
    identity *const self = calloc(1, sizeof *self);
    if (!self) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a certificate");
    }
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, HASH_BYTES);
    crypto_generichash_update(&state, (const unsigned char *)&certificate->size,
                              sizeof certificate->size);
    crypto_generichash_update(&state, certificate->data, certificate->size);
    crypto_generichash_update(&state, key->data, key->size);
    crypto_generichash_final(&state, self->hash, HASH_BYTES);
    lotor_status status = take_certificate(self, tls->certificate_path, certificate, why);
    if (status == LOTOR_OK) {
        status = take_key(self, tls->key_path, key, why);
    }
    if (status == LOTOR_OK) {
        status = compare(self, why);
    }
    if (status != LOTOR_OK) {
        identity_free(self);
        return status;
    }
    *out = self;
    return LOTOR_OK;
}

lotor_status lotor_tls_reload(lotor_tls *tls, lotor_message *why, bool *has_changed)
{
    gnutls_datum_t certificate = {0}, key = {0};
    identity *fresh = NULL;
    *has_changed = false;
    lotor_status status = read_file(tls->certificate_path, why, &certificate);
    if (status == LOTOR_OK) {
        status = read_file(tls->key_path, why, &key);
    }
    if (status == LOTOR_OK) {
        status = make_identity(tls, &certificate, &key, why, &fresh);
    }
    lotor_wipe_free(certificate.data, certificate.size);
    lotor_wipe_free(key.data, key.size);
    if (status != LOTOR_OK) {
        return status;
    }
    identity *const old = atomic_load(&tls->newest);
    if (old && memcmp(old->hash, fresh->hash, HASH_BYTES) == 0) {
        identity_free(fresh);
        return LOTOR_OK;
    }
    fresh->older = old;
    atomic_store(&tls->newest, fresh);
    *has_changed = true;
    return LOTOR_OK;
}

lotor_status lotor_tls_open(const char *certificate, const char *key, lotor_message *why,
                            lotor_tls **out)
{
    *out = NULL;
    lotor_tls *const tls = calloc(1, sizeof *tls);
    bool has_changed;
    if (tls) {
        tls->certificate_path = strdup(certificate);
        tls->key_path = strdup(key);
    }
    if (!tls || !tls->certificate_path || !tls->key_path) {
        lotor_tls_free(tls);
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a certificate");
    }
    const lotor_status status = lotor_tls_reload(tls, why, &has_changed);
    if (status != LOTOR_OK) {
        lotor_tls_free(tls);
        return status;
    }
    *out = tls;
    return LOTOR_OK;
}

void lotor_tls_free(lotor_tls *tls)
{
    if (tls) {
        for (identity *self = atomic_load(&tls->newest); self;) {
            identity *const older = self->older;
            identity_free(self);
            self = older;
        }
        free(tls->certificate_path);
        free(tls->key_path);
        free(tls);
    }
}

time_t lotor_tls_expires(const lotor_tls *tls)
{
    return atomic_load(&((lotor_tls *)tls)->newest)->expires;
}

void lotor_tls_current(lotor_tls *tls, gnutls_pcert_st **chain, unsigned *length,
                       gnutls_privkey_t *key)
{
    identity *const self = atomic_load(&tls->newest);
    *chain = self->chain;
    *length = self->length;
    *key = self->key;
}
