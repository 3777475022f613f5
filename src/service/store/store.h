/* store.h - what the service keeps on disk: one interface, and no SQL outside its back ends.
 *
 *      campaigns   id, name, spec (JSON), state (the policy, sealed), final (rounds that are over)
 *      blocks      decisions drawn ahead, and those written one by one
 *      answers     an append-only log of sealed groups of answers
 *      releases    the chain of releases: each row's hash covers the one before
 *      users       how many rounds each user (a hash) was shown, in campaigns with a cap
 *      meta        schema version, starts, accepted rollbacks
 *
 * Everything that changes is between begin and commit. A failed commit has rolled back, but what it was
 * about may still be there after a crash that comes before the next commit (whole, or not at all).
 * LOTOR_UNFINISHED means that the disk refused (full, read-only, an error, busy), and the same can be
 * tried again later; LOTOR_DAMAGED that the store is not what was written. One thread at a time.
 * Callbacks get pointers that are good during the call, and may call anything but the function that
 * called them.
 */
#ifndef LOTOR_SERVICE_STORE_H
#define LOTOR_SERVICE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

#include "service/vault/vault.h"

typedef struct lotor_store lotor_store;

enum {
    LOTOR_SCHEMA_VERSION = 1,
    LOTOR_STATE_HEAD =
        16 /* before the policy in a state: rounds that are over, and how many arms' counts of
              displays come next */
};

typedef enum lotor_store_mode {
    LOTOR_STORE_SERVE = 0, /* makes it if need be; refuses a second server (a lock file) */
    LOTOR_STORE_READ = 1   /* for check, backup and looking, also beside a running server */
} lotor_store_mode;

bool lotor_store_is_address(const char *path); /* postgres://..., and not a file */

/* Opens a SQLite file: WAL, full sync, secure_delete. Migrates older schemas (SERVE); refuses newer
 * ones (LOTOR_VERSION). LOTOR_UNKNOWN: there is none (READ). LOTOR_DUPLICATE: another server has it.
 * postgres://USER/DATABASE opens a database that several servers share (libpq's addresses).
 * `vfs`: NULL, or SQLite's name of another file system, for tests: then there is no lock file. */
lotor_status lotor_store_open(const char *path, lotor_store_mode mode, const char *vfs,
                              lotor_message *why, lotor_store **out);
void lotor_store_close(lotor_store *store);

lotor_status lotor_store_begin(lotor_store *store, lotor_message *why);
lotor_status lotor_store_commit(lotor_store *store, lotor_message *why);
void lotor_store_rollback(lotor_store *store);

typedef struct lotor_stored_campaign {
    uint64_t id;
    const char *name, *spec; /* JSON text */
    const unsigned char *state;
    size_t state_length;
    uint64_t final;
    double created; /* Unix seconds */
    bool closed;
} lotor_stored_campaign;
typedef lotor_status lotor_on_campaign(void *context, const lotor_stored_campaign *campaign);

/* Ids count up from 1 and are never used again. */
lotor_status lotor_store_add_campaign(lotor_store *store, const char *name, const char *spec,
                                      double created, lotor_message *why, uint64_t *id);
lotor_status lotor_store_each_campaign(lotor_store *store, lotor_on_campaign *told, void *context,
                                       lotor_message *why); /* state is NULL here */
lotor_status lotor_store_get_state(lotor_store *store, uint64_t campaign, lotor_on_campaign *told,
                                   void *context, lotor_message *why);
lotor_status lotor_store_put_state(lotor_store *store, uint64_t campaign, uint64_t final,
                                   const unsigned char *state, size_t length, lotor_message *why);
lotor_status lotor_store_put_spec(lotor_store *store, uint64_t campaign, const char *spec,
                                  bool closed, lotor_message *why);

/* Decisions `first` .. `first + count - 1`. */
typedef struct lotor_block {
    uint64_t first, count;
    uint64_t handed; /* how many were handed out, as known at a clean stop; UINT64_MAX: not known */
    uint64_t deadline; /* when the last of these expires, in milliseconds; 0: not known */
    uint64_t nonce;
    /* In a shared store: which server hands them out, until when, and the campaign's version when the
     * row was written last. Elsewhere 0. */
    uint64_t owner, until, changed;
    const unsigned char *drawn; /* the arms, packed by the engine */
    size_t drawn_length;
    const unsigned char *action; /* linear: the shown action, sealed; else NULL */
    size_t action_length;
} lotor_block;
typedef lotor_status lotor_on_block(void *context, const lotor_block *block);
lotor_status lotor_store_add_block(lotor_store *store, uint64_t campaign, const lotor_block *block,
                                   lotor_message *why);
/* Replaces count, handed and deadline. */
lotor_status lotor_store_put_block(lotor_store *store, uint64_t campaign, const lotor_block *block,
                                   lotor_message *why);
/* In the order of decisions. */
lotor_status lotor_store_each_block(lotor_store *store, uint64_t campaign, lotor_on_block *told,
                                    void *context, lotor_message *why);

/* Those that changed with that version of the campaign or a later one. */
lotor_status lotor_store_each_block_since(lotor_store *store, uint64_t campaign, uint64_t changed,
                                          lotor_on_block *told, void *context, lotor_message *why);

/* A group of answers, with the least and the greatest decision in it. Numbers count up. */
typedef struct lotor_answers {
    uint64_t number, first, last;
    const unsigned char *sealed;
    size_t length;
} lotor_answers;
typedef lotor_status lotor_on_answers(void *context, const lotor_answers *answers);
lotor_status lotor_store_add_answers(lotor_store *store, uint64_t campaign,
                                     const lotor_answers *answers, lotor_message *why);
lotor_status lotor_store_each_answers(lotor_store *store, uint64_t campaign, lotor_on_answers *told,
                                      void *context, lotor_message *why);

/* Those with that number and later ones. */
lotor_status lotor_store_each_answers_from(lotor_store *store, uint64_t campaign, uint64_t from,
                                           lotor_on_answers *told, void *context,
                                           lotor_message *why);

/* Deletes the blocks that lie wholly at or before decision `final`, and the groups of answers before the
 * first that has an answer to a later one. */
lotor_status lotor_store_forget(lotor_store *store, uint64_t campaign, uint64_t final,
                                lotor_message *why);

/* What one final round released. `number` counts up from 1 over the whole store; hash = BLAKE2b-256 of
 * (the hash before, number, campaign, time, digest). */
typedef struct lotor_release {
    uint64_t number, campaign, time;
    const unsigned char
        *facts; /* packed by the engine; none: only their hash is kept, in `digest` */
    size_t facts_length;
    unsigned char digest[32]; /* BLAKE2b-256 of the facts: what the chain covers */
    unsigned char hash[32];
} lotor_release;
typedef lotor_status lotor_on_release_row(void *context, const lotor_release *release);

/* Appends; fills in number and hash, and digest where there are facts. */
lotor_status lotor_store_add_release(lotor_store *store, lotor_release *release,
                                     lotor_message *why);
/* campaign 0: all. */
lotor_status lotor_store_each_release(lotor_store *store, uint64_t campaign,
                                      lotor_on_release_row *told, void *context,
                                      lotor_message *why);
/* The head as the store has it (starts from meta "starts"), and whether the chain holds that other head (as itself or earlier). */
lotor_status lotor_store_head(lotor_store *store, lotor_message *why, lotor_head *out);
lotor_status lotor_store_has_head(lotor_store *store, const lotor_head *head, lotor_message *why,
                                  bool *has);

/* Counts a display to a user unless `cap` were passed; says whether it was counted. */
lotor_status lotor_store_count_user(lotor_store *store, uint64_t campaign,
                                    const unsigned char hash[16], uint64_t cap, lotor_message *why,
                                    bool *counted);

/* Small values: "starts", "rollbacks" (JSON text)... A missing one reads as "". */
lotor_status lotor_store_get_meta(lotor_store *store, const char *key, lotor_message *why,
                                  char *value, size_t capacity);
lotor_status lotor_store_put_meta(lotor_store *store, const char *key, const char *value,
                                  lotor_message *why);

/* Looks at everything that can be checked without the key: SQLite's integrity, the schema, the chain,
 * that blocks follow each other from `final` on. *finding has the first thing that is wrong. */
lotor_status lotor_store_check(lotor_store *store, lotor_message *finding);

/* A consistent copy to a new file, also beside a running server. */
lotor_status lotor_store_backup(lotor_store *store, const char *path, lotor_message *why);

/* Everything into another store that is empty, of whichever kind, as one transaction. Nobody may serve
 * `from` meanwhile or afterwards: what it would release then was released from `to` too. */
lotor_status lotor_store_copy(lotor_store *from, lotor_store *to, lotor_message *why);

/* --- a store that several servers share (shared.md) ------------------------------------------------ */

/* Servers take turns at a campaign: a transaction locks it, and sees in its mark what others did. */
typedef struct lotor_mark {
    uint64_t campaign;
    uint64_t version;  /* counts commits that changed more than the log of answers */
    uint64_t specs;    /* counts changes of the spec, and closing */
    uint64_t answers;  /* the last number in the log that was given */
    uint64_t releases; /* in the chain, of this campaign */
    uint64_t final;    /* as put_state had it */
    uint64_t due;      /* when its first open block is over; 0: none is open */
    uint64_t touched;  /* the database's clock at the last commit, about, in milliseconds */
} lotor_mark;
typedef lotor_status lotor_on_mark(void *context, const lotor_mark *mark);

bool lotor_store_is_shared(const lotor_store *store);
/* Nobody else changes the campaign before this transaction ends. Not `waits`: *got is false when somebody
 * has it. */
lotor_status lotor_store_lock(lotor_store *store, uint64_t campaign, bool waits, lotor_message *why,
                              lotor_mark *out, bool *got);
/* Replaces version, answers and due. */
lotor_status lotor_store_put_mark(lotor_store *store, const lotor_mark *mark, lotor_message *why);
/* Campaigns that were touched at or after that moment of the database's clock, in the order of ids. One
 * that is written meanwhile may come with a moment that has passed: ask with some seconds of overlap. */
lotor_status lotor_store_each_mark(lotor_store *store, uint64_t since, lotor_on_mark *told,
                                   void *context, lotor_message *why);
/* The last failure was that of a transaction which would go well when done again. */
bool lotor_store_was_conflict(const lotor_store *store);

#endif
