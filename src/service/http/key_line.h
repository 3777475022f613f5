/* key_line.h - one line of the key file: what a key may do, and the hash by which it is known.
 *
 *      ROLES[;campaign=NAME][;expires=TIME] HASH [NAME]
 *
 *      rank,reward;campaign=shop;expires=2027-01-31T00:00:00Z 5f9c...e1 web-1
 *
 * The limits of a key are before its hash, in one word with its roles. A program of version 0.1
 * knows no such word and refuses the line. So it never takes a limited key for an unlimited one.
 */
#ifndef LOTOR_SERVICE_KEY_LINE_H
#define LOTOR_SERVICE_KEY_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The roles are bits: a key may have several. */
typedef enum lotor_role {
    LOTOR_ROLE_NONE = 0, /* no key is needed, or no valid key was given */
    LOTOR_ROLE_RANK = 1,
    LOTOR_ROLE_REWARD = 2,
    LOTOR_ROLE_ADMIN = 4, /* may do everything */
    LOTOR_ROLE_READ = 8,  /* may look at campaigns, guarantees and releases */
    /* may look at metrics; they have exact counts of feedback, which are private: so this is not a
     * part of `read` */
    LOTOR_ROLE_METRICS = 16,
    /* all bits: a route that needs it accepts every valid key */
    LOTOR_ROLE_ANY = 31
} lotor_role;

enum {
    LOTOR_KEY_HASH = 32,
    LOTOR_KEY_ID_LENGTH = 8, /* the first hex digits of the hash: they name a key for people */
    LOTOR_KEY_NAME_MAX = 64,
    LOTOR_KEY_CAMPAIGN_MAX = 64,
    LOTOR_KEY_TIME_LENGTH = 20, /* 2027-01-31T00:00:00Z */
    LOTOR_KEY_LINE_ROOM = 512,  /* a longer line is not a key */
    LOTOR_ROLES_ROOM = 40
};

const char *lotor_role_name(lotor_role role);            /* `role` has one bit, or is NONE or ANY */
bool lotor_role_find(const char *name, lotor_role *out); /* rank, reward, read, metrics, admin */
/* Reads roles that are separated by commas. Returns false if one is not a role. */
bool lotor_roles_read(const char *text, size_t length, lotor_role *out);
/* Writes the roles, separated by commas. Returns `text`. */
const char *lotor_roles_write(lotor_role roles, char text[LOTOR_ROLES_ROOM]);
/* True if a key with the roles `has` may do what needs the role `needed`. */
bool lotor_role_covers(lotor_role has, lotor_role needed);

/* The grant of a key. */
typedef struct lotor_key_grant {
    lotor_role roles;
    uint64_t expires;                          /* Unix seconds; 0: never */
    char campaign[LOTOR_KEY_CAMPAIGN_MAX + 1]; /* "": all campaigns */
    char name[LOTOR_KEY_NAME_MAX + 1];         /* printable ASCII; "-": it has none */
    char id[LOTOR_KEY_ID_LENGTH + 1];
} lotor_key_grant;

/* Parses a line without its line end. Returns false if it is not a key. */
bool lotor_key_line_read(const char *line, size_t length, unsigned char hash[LOTOR_KEY_HASH],
                         lotor_key_grant *out);
/* Writes a line with its newline. grant->id is not used. */
void lotor_key_line_write(const lotor_key_grant *grant, const unsigned char hash[LOTOR_KEY_HASH],
                          char line[LOTOR_KEY_LINE_ROOM]);

/* Times as the file has them, from 1970 to 9999. */
bool lotor_key_time_read(const char *text, size_t length, uint64_t *seconds);
void lotor_key_time_write(uint64_t seconds, char text[LOTOR_KEY_TIME_LENGTH + 1]);
/* Reads when a key expires, as a person writes it: a time as in the file, a date (midnight, UTC), or
 * a number of minutes, hours or days after `now`: 30m, 12h, 90d. */
bool lotor_key_expiry_read(const char *text, uint64_t now, uint64_t *seconds);

#endif
