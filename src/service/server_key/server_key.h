/* server_key.h - the server's secret key and everything that is done with it: sealing (encrypting
 * and authenticating) data, making event tokens, and hashing users.
 *
 * The key file is next to the store (STORE.key), has mode 0600, and is made on the first start.
 * Each use has its own key, derived from the file's key (crypto_kdf). All functions but open and
 * free may be called from any thread.
 */
#ifndef LOTOR_SERVICE_SERVER_KEY_H
#define LOTOR_SERVICE_SERVER_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

typedef struct lotor_server_key lotor_server_key;

/* Opens the key file. With `create`, makes it if there is none. Fails if others may read the
 * file, or if it is not a key file. */
lotor_status lotor_server_key_open(const char *path, bool create, lotor_message *why,
                                   lotor_server_key **out);
void lotor_server_key_free(lotor_server_key *server_key); /* also wipes the keys */

enum { LOTOR_SERVER_KEY_OVERHEAD = 40 }; /* sealed bytes are longer by a nonce and a tag */

/* Sealing is authenticated encryption (XChaCha20-Poly1305 with a random nonce). Sealed bytes are
 * bound to (use, campaign, number), and can't be opened as anything else. `sealed` has room for
 * length + LOTOR_SERVER_KEY_OVERHEAD bytes. */
typedef enum lotor_seal_use {
    LOTOR_SEAL_STATE = 1,
    LOTOR_SEAL_FEEDBACK = 2,
    LOTOR_SEAL_ACTION = 3,
    LOTOR_SEAL_KEY = 9,   /* the key of one campaign for sealing */
    LOTOR_SEAL_WANT = 10, /* a request from one server to another */
    LOTOR_SEAL_HANDOUT = 11,
    LOTOR_SEAL_SHOWN = 14, /* what blanks have shown */
    LOTOR_SEAL_STICKY = 15 /* a decision that a user gets again */
} lotor_seal_use;
void lotor_server_key_seal(const lotor_server_key *server_key, lotor_seal_use use,
                           uint64_t campaign, uint64_t number, const void *plain, size_t length,
                           unsigned char *sealed);
/* Opens sealed bytes. LOTOR_DAMAGED: they were changed, or sealed for something else or with
 * another key. `plain` has room for length - LOTOR_SERVER_KEY_OVERHEAD bytes. */
lotor_status lotor_server_key_unseal(const lotor_server_key *server_key, lotor_seal_use use,
                                     uint64_t campaign, uint64_t number,
                                     const unsigned char *sealed, size_t length, void *plain);

/* Makes a tag over several pieces, which only a server with this key can make. The tag also
 * covers the length of each piece. */
enum { LOTOR_SERVER_KEY_TAG = 32 };
typedef struct lotor_server_key_part {
    const void *bytes;
    size_t length;
} lotor_server_key_part;
void lotor_server_key_tag(const lotor_server_key *server_key, const lotor_server_key_part *parts,
                          size_t count, unsigned char tag[LOTOR_SERVER_KEY_TAG]);

/* An event identifies a decision. A client gets it as a token that only a server with this key
 * can make. The token reveals nothing: no running numbers and no times. The same event always
 * has the same token. */
typedef struct lotor_event {
    /* the campaign's id; the decision's number in the campaign, from 1 */
    uint64_t campaign, number;
    uint64_t expires; /* Unix time in milliseconds */
    uint64_t nonce;   /* the nonce of the block that has the decision */
} lotor_event;
enum { LOTOR_TOKEN_LENGTH = 64 }; /* a 16-byte tag and 32 bytes, in base64url without padding */
void lotor_server_key_token(const lotor_server_key *server_key, const lotor_event *event,
                            char token[LOTOR_TOKEN_LENGTH + 1]);
/* Returns false if the token was not made with this key. Also accepts tokens of version 0.1,
 * which had the numbers in clear. */
bool lotor_server_key_read_token(const lotor_server_key *server_key, const char *token,
                                 lotor_event *out);

/* A keyed hash of a user. It does not reveal the user, and is different in each campaign. */
void lotor_server_key_user(const lotor_server_key *server_key, uint64_t campaign, const char *user,
                           size_t length, unsigned char hash[16]);

/* The same for a budget over several campaigns: one user has one hash in all of them. */
void lotor_server_key_payer(const lotor_server_key *server_key, uint64_t budget, const char *user,
                            size_t length, unsigned char hash[16]);

/* The key's public name: 16 hex digits that reveal nothing about the key, and that differ for
 * another key. The store keeps it (meta "key"), so that a wrong key is not mistaken for a
 * damaged store. */
enum { LOTOR_SERVER_KEY_NAME = 16 };
void lotor_server_key_name(const lotor_server_key *server_key,
                           char name[LOTOR_SERVER_KEY_NAME + 1]);

/* The end of the release chain of a store of version 0.1, from its head file (KEYFILE.head). All
 * campaigns shared one chain. */
typedef struct lotor_legacy_head {
    uint64_t starts;   /* how often a server was started with the store */
    uint64_t releases; /* the length of the chain */
    /* how often an operator accepted an older copy; the copy itself may not know */
    uint64_t rollbacks;
    unsigned char hash[32];
} lotor_legacy_head;
/* LOTOR_UNKNOWN: there is no head file. LOTOR_DAMAGED: it is not valid. LOTOR_UNFINISHED: it
 * can't be read. */
lotor_status lotor_legacy_head_read(const char *path, lotor_message *why, lotor_legacy_head *out);

#endif
