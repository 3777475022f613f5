/* keys.h - API keys ("Authorization: Bearer KEY"), as a server knows them and as `lotor key` makes
 * them.
 *
 * The key file has one line for each key: see key_line.h. It has the BLAKE2b-256 hash of a key in
 * hex, so the file does not reveal the keys. Only the file's owner may be able to read it. Keys are
 * 32 random bytes that nobody can guess, so a fast hash is enough.
 *
 * If something is wrong with the file while a server runs:
 *
 *      a line is not a key        that line counts for nothing; all other lines count
 *      the file has no lines,     no key is valid
 *      or does not exist
 *      the file can't be read     no key is valid until it can be read
 *
 * In every case, a key whose line is gone is not valid any more.
 *
 * Threads: all functions may be called from any thread.
 */
#ifndef LOTOR_SERVICE_KEYS_H
#define LOTOR_SERVICE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

#include "service/http/key_line.h"

enum {
    LOTOR_KEY_LENGTH = 49, /* "lotor_" and 32 bytes in base64url */
    LOTOR_KEYS_MAX = 1024
};

/* --- the keys of a server --------------------------------------------------------------------- */

typedef struct lotor_keys lotor_keys;

/* Reads the key file. A file that does not exist has no keys, and is not an error: the first key
 * can be made while the server runs. Fails if others may read or write the file, or if a line is
 * not a key. */
lotor_status lotor_keys_open(const char *path, lotor_message *why, lotor_keys **out);
void lotor_keys_free(lotor_keys *keys);

/* Reads the file again. With only_if_changed: only if it has changed since it was read. Keys that
 * are no longer in the file stop working in every case.
 *
 *      LOTOR_OK        The keys are those of the file; or nothing changed; or the file still can't
 *                      be read, which was reported before.
 *      LOTOR_DAMAGED   Some lines are not keys, or there are too many keys; `why` names the first
 *                      bad line. The other lines count.
 *      other failures  The file can't be read, or others may read it. No key is known until it can
 *                      be read. Each call tries again, but the failure is reported only once.
 */
lotor_status lotor_keys_reload(lotor_keys *keys, bool only_if_changed, lotor_message *why);

const char *lotor_keys_path(const lotor_keys *keys); /* the key file */
size_t lotor_keys_count(lotor_keys *keys);           /* lines that are keys */
size_t lotor_keys_bad_lines(lotor_keys *keys);       /* lines that count for nothing */
/* The file can't be read, so a client with a good key should try again later. */
bool lotor_keys_are_lost(lotor_keys *keys);

typedef enum lotor_key_verdict {
    LOTOR_KEY_UNKNOWN,
    LOTOR_KEY_EXPIRED, /* the key is in the file, and all its lines have expired */
    LOTOR_KEY_VALID
} lotor_key_verdict;

/* Looks a key up at the time `now` (Unix seconds). *out: what it may do, if it is valid. A key with
 * several lines has the roles of all of them that have not expired. The time that this takes
 * depends only on the number of keys. If a key is not known, the file is read again if it has
 * changed, so that a new key works at once. */
lotor_key_verdict lotor_keys_find(lotor_keys *keys, const char *key, size_t length, uint64_t now,
                                  lotor_key_grant *out);

/* --- the key file, for `lotor key` and /v1/keys (key_file.c) ---------------------------------- */

typedef struct lotor_key_setup {
    lotor_role roles;
    const char *name;
    const char *campaign; /* NULL: all campaigns */
    uint64_t expires;     /* Unix seconds; 0: never */
} lotor_key_setup;

/* A new key that is in no file yet. Wipe it after use (lotor_wipe). */
typedef struct lotor_key_draft {
    char key[LOTOR_KEY_LENGTH + 1];
    unsigned char hash[LOTOR_KEY_HASH];
    lotor_key_grant grant;
} lotor_key_draft;
/* LOTOR_INVALID: a key can't have that name, campaign or roles. */
lotor_status lotor_key_draft_make(const lotor_key_setup *setup, lotor_message *why,
                                  lotor_key_draft *out);
/* Appends the line of a new key to the file. A new file gets mode 0600. */
lotor_status lotor_key_add(const char *path, const lotor_key_draft *draft, lotor_message *why);

/* Makes a key and appends its line to the file. */
lotor_status lotor_key_make(const char *path, lotor_role role, const char *name, lotor_message *why,
                            char key[LOTOR_KEY_LENGTH + 1]);
lotor_status lotor_key_make_with(const char *path, const lotor_key_setup *setup, lotor_message *why,
                                 char key[LOTOR_KEY_LENGTH + 1]);

/* Calls `told` for each line of the file that is not empty and not a comment, with its number.
 * `grant` is NULL if the line is not a key. LOTOR_UNKNOWN: there is no file. */
typedef void lotor_on_key(void *context, size_t line, const lotor_key_grant *grant);
lotor_status lotor_key_list(const char *path, lotor_on_key *told, void *context,
                            lotor_message *why);

/* Deletes all lines of the key with that name or id; a new file takes the place of the old one.
 * LOTOR_UNKNOWN: there is no such key. LOTOR_DUPLICATE: several keys have that name; the message
 * says how to choose. *out: the key's first line. */
lotor_status lotor_key_revoke(const char *path, const char *name, lotor_message *why,
                              lotor_key_grant *out);

/* The same for the key with that id, whatever the names of other keys are. */
lotor_status lotor_key_revoke_id(const char *path, const char *id, lotor_message *why,
                                 lotor_key_grant *out);

/* Nobody but its owner may read or write a key file. LOTOR_INVALID: others may. */
struct stat;
lotor_status lotor_key_file_check(int file, const char *path, lotor_message *why, struct stat *now);

#endif
