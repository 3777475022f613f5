/* vault.h - the server's secret key, and what is done with it: sealing, events, users, keys.
 *
 * The key file stands beside the store (STORE.key), mode 0600, made on first start. Every use has a key
 * of its own, derived from it (crypto_kdf). All calls but open and free are safe from any thread.
 */
#ifndef LOTOR_SERVICE_VAULT_H
#define LOTOR_SERVICE_VAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

typedef struct lotor_vault lotor_vault;

/* Opens the key file; makes it (create) where there is none. Refused: a file that others may read, or
 * that is no key. */
lotor_status lotor_vault_open(const char *path, bool create, lotor_message *why, lotor_vault **out);
void lotor_vault_free(lotor_vault *vault); /* wipes */

enum { LOTOR_SEAL_EXTRA = 40 }; /* nonce and tag: sealed bytes are so much longer */

/* Authenticated encryption (XChaCha20-Poly1305, random nonce), bound to what it is for: (use, campaign,
 * number). `sealed` has room for length + LOTOR_SEAL_EXTRA. */
typedef enum lotor_seal_use {
    LOTOR_SEAL_STATE = 1,
    LOTOR_SEAL_ANSWERS = 2,
    LOTOR_SEAL_ACTION = 3,
    LOTOR_SEAL_KEY = 9,   /* a campaign's own sealing key */
    LOTOR_SEAL_WANT = 10, /* what one server asks another for */
    LOTOR_SEAL_REPORT = 11
} lotor_seal_use;
void lotor_vault_seal(const lotor_vault *vault, lotor_seal_use use, uint64_t campaign,
                      uint64_t number, const void *plain, size_t length, unsigned char *sealed);
/* LOTOR_DAMAGED: not what was sealed for that, or by another key. `plain` has room for length -
 * LOTOR_SEAL_EXTRA. */
lotor_status lotor_vault_open_sealed(const lotor_vault *vault, lotor_seal_use use,
                                     uint64_t campaign, uint64_t number,
                                     const unsigned char *sealed, size_t length, void *plain);

/* A tag over several pieces, which only a server with this key can make. Each piece's length is covered too. */
enum { LOTOR_VAULT_TAG = 32 };
typedef struct lotor_vault_part {
    const void *bytes;
    size_t length;
} lotor_vault_part;
void lotor_vault_tag(const lotor_vault *vault, const lotor_vault_part *parts, size_t count,
                     unsigned char tag[LOTOR_VAULT_TAG]);

/* An event names a decision. Clients get it as a token that only this server could make, and that tells
 * nobody else anything: no running numbers, no times. The same event has the same token, always. */
typedef struct lotor_event {
    uint64_t campaign, number; /* the campaign's id, and the decision in it, from 1 */
    uint64_t expires;          /* Unix time in milliseconds */
    uint64_t nonce;            /* of the block that the decision is in */
} lotor_event;
enum { LOTOR_TOKEN_LENGTH = 64 }; /* a 16-byte tag and 32 bytes, in base64url without padding */
void lotor_vault_token(const lotor_vault *vault, const lotor_event *event,
                       char token[LOTOR_TOKEN_LENGTH + 1]);
/* False: not a token of this server. Tokens of the version before, with the numbers in clear, are taken too. */
bool lotor_vault_read_token(const lotor_vault *vault, const char *token, lotor_event *out);

/* A user, without telling who: a keyed hash, different in every campaign. */
void lotor_vault_user(const lotor_vault *vault, uint64_t campaign, const char *user, size_t length,
                      unsigned char hash[16]);

/* The key's public name: 16 hex digits that tell nothing of the key, but another key has others. Kept
 * in the store (meta "key"), so that a wrong key is told from a damaged store. */
enum { LOTOR_VAULT_NAME = 16 };
void lotor_vault_name(const lotor_vault *vault, char name[LOTOR_VAULT_NAME + 1]);

/* The head of the one release chain that a store of schema 1 had, as its head file (KEYFILE.head) says. */
typedef struct lotor_head {
    uint64_t starts;    /* how often a server was started on the store */
    uint64_t releases;  /* in the chain */
    uint64_t rollbacks; /* that were accepted; an older copy may not know of them */
    unsigned char hash[32];
} lotor_head;
/* LOTOR_UNKNOWN: there is none yet. LOTOR_DAMAGED. LOTOR_UNFINISHED: the disk refused. */
lotor_status lotor_head_read(const char *path, lotor_message *why, lotor_head *out);

#endif
