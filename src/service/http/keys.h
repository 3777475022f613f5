/* keys.h - who may call: bearer keys with roles.
 *
 * The file has a line for each key, "ROLE HASH NAME", where HASH is the BLAKE2b-256 of the key in hex:
 * whoever reads the file can't use it. It must be readable by its owner alone. Keys are 32 random
 * bytes, so a plain hash is enough: there is nothing to guess, and no need for a slow one.
 *
 * Threads: all calls may come from any thread.
 */
#ifndef LOTOR_SERVICE_KEYS_H
#define LOTOR_SERVICE_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include <lotor/status.h>

/* Bits: a key with two lines in the file has two roles. */
typedef enum lotor_role {
    LOTOR_ROLE_NONE = 0, /* no key is needed, or none was given */
    LOTOR_ROLE_RANK = 1,
    LOTOR_ROLE_REWARD = 2,
    LOTOR_ROLE_ADMIN = 4 /* may do everything */
} lotor_role;

const char *lotor_role_name(lotor_role role);            /* of one bit */
bool lotor_role_find(const char *name, lotor_role *out); /* rank, reward, admin */

enum {
    LOTOR_KEY_LENGTH = 49, /* "lotor_" and 32 bytes in base64url */
    LOTOR_KEYS_MOST = 1024,
    LOTOR_KEY_NAME_MOST = 64
};

typedef struct lotor_keys lotor_keys;

/* Reads the file. One that is not there has no keys, which is no failure: the first is made while the
 * server runs. Refused: one that others may read or write, or with a line that is no key's. */
lotor_status lotor_keys_open(const char *path, lotor_message *why, lotor_keys **out);
void lotor_keys_free(lotor_keys *keys);

/* Reads the file again, or (only_if_changed) looks whether it is another than the last one read. What the file
 * does not name any more ends, in every case:
 *
 *      LOTOR_OK         the keys are those of the file; or nothing changed; or it still can't be read
 *      LOTOR_DAMAGED    some lines are no keys, or too many: `why` names the first. The other lines count.
 *      another failure  the file can't be read, or others may read it: no key is known until it can be. It is
 *                       tried again at every look; the failure is told once. */
lotor_status lotor_keys_reload(lotor_keys *keys, bool only_if_changed, lotor_message *why);

size_t lotor_keys_count(lotor_keys *keys);
bool lotor_keys_are_lost(
    lotor_keys *keys); /* the file can't be read: whoever has a key may try again */

/* The role of a key, NONE if it is not known. The key is hashed and its hash compared to all of them,
 * in a time that depends on their number alone. A key that is not known makes it look at the file
 * again, so that a new key works at once. */
lotor_role lotor_keys_role(lotor_keys *keys, const char *key, size_t length);

/* Makes a key and appends its line to the file (made with mode 0600 where there is none). */
lotor_status lotor_key_make(const char *path, lotor_role role, const char *name, lotor_message *why,
                            char key[LOTOR_KEY_LENGTH + 1]);

#endif
