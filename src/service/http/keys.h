/* keys.h - API keys ("Authorization: Bearer KEY") and their roles.
 *
 * The key file has one line for each key, "ROLE HASH NAME". HASH is the BLAKE2b-256 hash of the key
 * in hex, so the file does not reveal the keys. Only the file's owner may be able to read it. Keys
 * are 32 random bytes that nobody can guess, so a fast hash is enough.
 *
 * Threads: all functions may be called from any thread.
 */
#ifndef LOTOR_SERVICE_KEYS_H
#define LOTOR_SERVICE_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include <lotor/status.h>

/* The roles are bits: a key with two lines in the file has two roles. */
typedef enum lotor_role {
    LOTOR_ROLE_NONE = 0, /* no key is needed, or no valid key was given */
    LOTOR_ROLE_RANK = 1,
    LOTOR_ROLE_REWARD = 2,
    LOTOR_ROLE_ADMIN = 4 /* may do everything */
} lotor_role;

const char *lotor_role_name(lotor_role role);            /* `role` has one bit */
bool lotor_role_find(const char *name, lotor_role *out); /* rank, reward, admin */

enum {
    LOTOR_KEY_LENGTH = 49, /* "lotor_" and 32 bytes in base64url */
    LOTOR_KEYS_MAX = 1024,
    LOTOR_KEY_NAME_MAX = 64
};

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

size_t lotor_keys_count(lotor_keys *keys);
/* The file can't be read, so a client with a good key should try again later. */
bool lotor_keys_are_lost(lotor_keys *keys);

/* Returns the role of a key, or LOTOR_ROLE_NONE if the key is not known. The time depends only
 * on the number of keys. If a key is not known, the file is read again if it has changed, so
 * that a new key works at once. */
lotor_role lotor_keys_role(lotor_keys *keys, const char *key, size_t length);

/* Makes a key and appends its line to the file. A new file gets mode 0600. */
lotor_status lotor_key_make(const char *path, lotor_role role, const char *name, lotor_message *why,
                            char key[LOTOR_KEY_LENGTH + 1]);

#endif
