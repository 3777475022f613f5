/* server_key.c - keeps the server's secret key, and encrypts and authenticates with it. See
 * server_key.h.
 *
 * The key file is one line: the key in 64 hex digits, a space, and 16 digits from a hash of the
 * key. The hash shows whether the key was copied correctly. One key for each use is derived from
 * it, and then the key itself is wiped. The derived keys are in memory from sodium_malloc: it is
 * locked, is not part of core dumps, and has guard pages around it.
 */
#include "service/server_key/server_key.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/quote.h"
#include "base/seal.h"
#include "service/little.h"
#include "service/server_key/durable.h"

enum {
    KEY = 32,
    CHECK = 8,
    KEY_DIGITS = 2 * KEY,
    CHECK_DIGITS = 2 * CHECK,
    LINE = KEY_DIGITS + 1 + CHECK_DIGITS + 1,
    BOUND = 24, /* bytes that a sealed value is bound to: use, campaign, number */
    EVENT = 32, /* the four numbers of an event */
    EVENT_TAG = 16,
    TOKEN = EVENT_TAG + EVENT
};
_Static_assert((int)LOTOR_SEAL_OVERHEAD == (int)LOTOR_SERVER_KEY_OVERHEAD,
               "server_key.h says how much longer sealed bytes are");
_Static_assert((int)LOTOR_SEAL_KEY_BYTES == (int)KEY, "the keys of the uses are keys to seal with");

/* The number of the derived key for each use. Never change a number: stored values could not be
 * opened. */
enum {
    FOR_STATE = 1,
    FOR_FEEDBACK,
    FOR_ACTION,
    FOR_CLEAR_TOKENS, /* of version 0.1: see clear_token_is_ours */
    FOR_USERS,
    FOR_NAME,
    FOR_TOKEN_TAGS,
    FOR_TOKEN_STREAM,
    FOR_CAMPAIGN_KEYS,
    FOR_WANTS,
    FOR_REPORTS,
    FOR_TAGS,
    FOR_PAYERS,
    FOR_SHOWN,
    FOR_STICKIES,
    USES
};

struct lotor_server_key {
    unsigned char keys[USES][KEY];
};

static void write_line(const unsigned char key[KEY], char line[LINE + 1])
{
    unsigned char hash[crypto_generichash_BYTES];
    crypto_generichash(hash, sizeof hash, key, KEY, NULL, 0);
    sodium_bin2hex(line, KEY_DIGITS + 1, key, KEY);
    line[KEY_DIGITS] = ' ';
    sodium_bin2hex(line + KEY_DIGITS + 1, CHECK_DIGITS + 1, hash, CHECK);
    line[LINE - 1] = '\n';
    line[LINE] = '\0';
    sodium_memzero(hash, sizeof hash);
}

static bool read_line(const char *line, size_t length, unsigned char key[KEY])
{
    char again[LINE + 1];
    size_t used = 0;
    if (length != LINE || sodium_hex2bin(key, KEY, line, KEY_DIGITS, NULL, &used, NULL) != 0 ||
        used != KEY) {
        return false;
    }
    write_line(key, again);
    const bool same = sodium_memcmp(again, line, LINE) == 0;
    sodium_memzero(again, sizeof again);
    return same;
}

static lotor_status make_key(const char *path, lotor_message *why)
{
    unsigned char key[KEY];
    char line[LINE + 1];
    randombytes_buf(key, sizeof key);
    write_line(key, line);
    const lotor_status status = lotor_make_file(path, line, LINE, why);
    sodium_memzero(key, sizeof key);
    sodium_memzero(line, sizeof line);
    /* another server made the file first: its key is used */
    return status == LOTOR_DUPLICATE ? LOTOR_OK : status;
}

static lotor_status read_open_key(int file, const char *path, lotor_message *why,
                                  unsigned char key[KEY])
{
    const lotor_quoted_text name = lotor_quote_text(path);
    struct stat facts;
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return lotor_fail(LOTOR_DAMAGED, why, "the key file %s is not a regular file", name.text);
    }
    if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "the key file %s has mode %04o, so others than its owner can read the key: run chmod "
            "600 on it (if somebody may have read the key, they can read what is in the store)",
            name.text, (unsigned)(facts.st_mode & 07777));
    }
    char line[LINE + 1]; /* one byte more than a correct line */
    const ssize_t length = lotor_read_most(file, line, sizeof line, 0);
    const int error = errno;
    const bool whole = length >= 0 && read_line(line, (size_t)length, key);
    sodium_memzero(line, sizeof line);
    if (length < 0) {
        return lotor_fail(LOTOR_UNFINISHED, why, "the key file %s can't be read: %s", name.text,
                          strerror(error));
    }
    if (!whole) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          "%s is not a key file, or it was changed: restore your copy of it (the "
                          "data in the store can't be opened without the right key)",
                          name.text);
    }
    return LOTOR_OK;
}

static lotor_status read_key(const char *path, lotor_message *why, unsigned char key[KEY])
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return lotor_fail(errno == ENOENT ? LOTOR_UNKNOWN : LOTOR_UNFINISHED, why,
                          "the key file %s can't be opened: %s", lotor_quote_text(path).text,
                          strerror(errno));
    }
    const lotor_status status = read_open_key(file, path, why, key);
    close(file);
    return status;
}

lotor_status lotor_server_key_open(const char *path, bool create, lotor_message *why,
                                   lotor_server_key **out)
{
    *out = NULL;
    if (sodium_init() < 0) {
        return lotor_fail(LOTOR_ENTROPY, why,
                          "the kernel returned no random bytes: try again later");
    }
    unsigned char key[KEY];
    lotor_status status = read_key(path, why, key);
    if (status == LOTOR_UNKNOWN && create) {
        status = make_key(path, why);
        status = status == LOTOR_OK ? read_key(path, why, key) : status;
    }
    lotor_server_key *server_key = status == LOTOR_OK ? sodium_malloc(sizeof *server_key) : NULL;
    if (status == LOTOR_OK && !server_key) {
        status = lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    if (server_key) {
        for (unsigned use = 0; use < USES; use++) {
            crypto_kdf_derive_from_key(server_key->keys[use], KEY, use, "lotor-v1", key);
        }
        sodium_mprotect_readonly(server_key);
    }
    sodium_memzero(key, sizeof key);
    *out = server_key;
    return status;
}

void lotor_server_key_free(lotor_server_key *server_key)
{
    sodium_free(server_key); /* also wipes the keys; accepts NULL */
}

_Static_assert((int)FOR_CAMPAIGN_KEYS == (int)LOTOR_SEAL_KEY &&
                   (int)FOR_WANTS == (int)LOTOR_SEAL_WANT &&
                   (int)FOR_REPORTS == (int)LOTOR_SEAL_HANDOUT &&
                   (int)FOR_SHOWN == (int)LOTOR_SEAL_SHOWN &&
                   (int)FOR_STICKIES == (int)LOTOR_SEAL_STICKY,
               "uses of sealing are numbers of keys");

static void bind(lotor_seal_use use, uint64_t campaign, uint64_t number, unsigned char bound[BOUND])
{
    lotor_put_u64(bound, (uint64_t)use);
    lotor_put_u64(bound + 8, campaign);
    lotor_put_u64(bound + 16, number);
}

void lotor_server_key_seal(const lotor_server_key *server_key, lotor_seal_use use,
                           uint64_t campaign, uint64_t number, const void *plain, size_t length,
                           unsigned char *sealed)
{
    unsigned char bound[BOUND];
    bind(use, campaign, number, bound);
    lotor_seal(server_key->keys[use], bound, BOUND, plain, length, sealed);
}

lotor_status lotor_server_key_unseal(const lotor_server_key *server_key, lotor_seal_use use,
                                     uint64_t campaign, uint64_t number,
                                     const unsigned char *sealed, size_t length, void *plain)
{
    unsigned char bound[BOUND];
    bind(use, campaign, number, bound);
    return lotor_seal_open(server_key->keys[use], bound, BOUND, sealed, length, plain);
}

/* --- events ----------------------------------------------------------------------------------- */

/* A token is a deterministic authenticated encryption of an event (SIV, after Rogaway and Shrimpton
 * 2006), with one key for the tag and one for the stream:
 *
 *      tag = keyed BLAKE2b-128 of the event
 *      token = tag || (event XOR XChaCha20 with the nonce tag || 0...0)
 *
 * The same event always has the same token, so no token needs to be stored. Without the keys,
 * nobody can see whether two tokens belong to similar events. The tag covers every bit of the
 * event. Changing any bit of a token changes the tag or the decrypted event, so the token is
 * refused.
 */
static void tag_event(const lotor_server_key *server_key, unsigned use,
                      const unsigned char event[EVENT], unsigned char tag[EVENT_TAG])
{
    crypto_generichash(tag, EVENT_TAG, event, EVENT, server_key->keys[use], KEY);
}

static void crypt_event(const lotor_server_key *server_key, const unsigned char tag[EVENT_TAG],
                        const unsigned char in[EVENT], unsigned char out[EVENT])
{
    unsigned char nonce[crypto_stream_xchacha20_NONCEBYTES] = {0};
    memcpy(nonce, tag, EVENT_TAG);
    crypto_stream_xchacha20_xor(out, in, EVENT, nonce, server_key->keys[FOR_TOKEN_STREAM]);
}

static bool tag_is_right(const lotor_server_key *server_key, unsigned use,
                         const unsigned char event[EVENT], const unsigned char tag[EVENT_TAG])
{
    unsigned char right[EVENT_TAG];
    tag_event(server_key, use, event, right);
    const bool is_right = sodium_memcmp(right, tag, EVENT_TAG) == 0;
    /* else the right tag of a forged token would stay in memory */
    sodium_memzero(right, sizeof right);
    return is_right;
}

/* Version 0.1 had the event's numbers in clear in its tokens: event || tag. Such tokens are
 * accepted until they expire, but no longer made. Their tags have their own key, so nobody can
 * use them to guess the numbers behind an encrypted token. To be deleted in the next version. */
static bool clear_token_is_ours(const lotor_server_key *server_key,
                                const unsigned char token[TOKEN])
{
    return tag_is_right(server_key, FOR_CLEAR_TOKENS, token, token + EVENT);
}

void lotor_server_key_token(const lotor_server_key *server_key, const lotor_event *event,
                            char token[LOTOR_TOKEN_LENGTH + 1])
{
    unsigned char plain[EVENT], bytes[TOKEN];
    lotor_put_u64(plain, event->campaign);
    lotor_put_u64(plain + 8, event->number);
    lotor_put_u64(plain + 16, event->expires);
    lotor_put_u64(plain + 24, event->nonce);
    tag_event(server_key, FOR_TOKEN_TAGS, plain, bytes);
    crypt_event(server_key, bytes, plain, bytes + EVENT_TAG);
    sodium_bin2base64(token, LOTOR_TOKEN_LENGTH + 1, bytes, sizeof bytes,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

bool lotor_server_key_read_token(const lotor_server_key *server_key, const char *token,
                                 lotor_event *out)
{
    /* libsodium accepts some bytes above 127 as letters. They are refused, so that each token
     * has only one spelling. */
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned char bytes[TOKEN], plain[EVENT];
    size_t used = 0;
    if (strnlen(token, LOTOR_TOKEN_LENGTH + 1) != LOTOR_TOKEN_LENGTH ||
        strspn(token, letters) != LOTOR_TOKEN_LENGTH ||
        sodium_base642bin(bytes, sizeof bytes, token, LOTOR_TOKEN_LENGTH, NULL, &used, NULL,
                          sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
        used != TOKEN) {
        return false;
    }
    crypt_event(server_key, bytes, bytes + EVENT_TAG, plain);
    if (!tag_is_right(server_key, FOR_TOKEN_TAGS, plain, bytes)) {
        if (!clear_token_is_ours(server_key, bytes)) {
            return false;
        }
        memcpy(plain, bytes, EVENT);
    }
    *out = (lotor_event){.campaign = lotor_get_u64(plain),
                         .number = lotor_get_u64(plain + 8),
                         .expires = lotor_get_u64(plain + 16),
                         .nonce = lotor_get_u64(plain + 24)};
    return true;
}

void lotor_server_key_tag(const lotor_server_key *server_key, const lotor_server_key_part *parts,
                          size_t count, unsigned char tag[LOTOR_SERVER_KEY_TAG])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, server_key->keys[FOR_TAGS], KEY, LOTOR_SERVER_KEY_TAG);
    for (size_t i = 0; i < count; i++) {
        unsigned char length[8];
        lotor_put_u64(length, parts[i].length);
        crypto_generichash_update(&state, length, sizeof length);
        crypto_generichash_update(&state, parts[i].bytes, parts[i].length);
    }
    crypto_generichash_final(&state, tag, LOTOR_SERVER_KEY_TAG);
    lotor_wipe(&state, sizeof state);
}

static void hash_user(const unsigned char key[KEY], uint64_t number, const char *user,
                      size_t length, unsigned char hash[16])
{
    crypto_generichash_state state;
    unsigned char id[8];
    lotor_put_u64(id, number);
    crypto_generichash_init(&state, key, KEY, 16);
    crypto_generichash_update(&state, id, sizeof id);
    crypto_generichash_update(&state, (const unsigned char *)user, length);
    crypto_generichash_final(&state, hash, 16);
    lotor_wipe(&state, sizeof state);
}

void lotor_server_key_user(const lotor_server_key *server_key, uint64_t campaign, const char *user,
                           size_t length, unsigned char hash[16])
{
    hash_user(server_key->keys[FOR_USERS], campaign, user, length, hash);
}

void lotor_server_key_payer(const lotor_server_key *server_key, uint64_t budget, const char *user,
                            size_t length, unsigned char hash[16])
{
    hash_user(server_key->keys[FOR_PAYERS], budget, user, length, hash);
}

void lotor_server_key_name(const lotor_server_key *server_key, char name[LOTOR_SERVER_KEY_NAME + 1])
{
    sodium_bin2hex(name, LOTOR_SERVER_KEY_NAME + 1, server_key->keys[FOR_NAME],
                   LOTOR_SERVER_KEY_NAME / 2);
}
