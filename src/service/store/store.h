/* store.h - the durable tables of the service: rows and statements, on SQLite or PostgreSQL.
 *
 *      servers        servers that run now, and until when each is believed to
 *      campaigns      id, name, specification (authenticated text), how often it changed, closed
 *      campaign_keys  each campaign's sealing key, wrapped with the server's key
 *      leases         which server owns a campaign, and how far the campaign is
 *      states         each campaign's sealed state
 *      blocks         decisions that were drawn for one server: never updated
 *      log            sealed feedback and reports of displays: appended by servers, deleted by the owner
 *      wants          requests of a server to the owner, and the owner's replies
 *      releases       what was released: one hash chain for each campaign
 *      users, spend   displays of a user in campaigns with a cap; budgets over several campaigns
 *      meta           small values
 *
 * One connection, one thread at a time. A call outside begin and commit is a transaction of its own. Inside
 * one, each call is one statement or a few, and sees what was committed before it began (READ COMMITTED).
 *
 * Statuses that every call can return:
 *      LOTOR_UNFINISHED  the store refused or cannot be reached. After `commit` this means that nobody knows
 *                        whether the transaction was applied; it may still be applied a little later.
 *      LOTOR_DAMAGED     a row is not what was written
 *      LOTOR_MEMORY      no memory
 * After any of these inside a transaction, call rollback. A change inside a transaction may seem to succeed and
 * be refused by a later call, at the latest by commit, which then says what was wrong (PostgreSQL: statements
 * without a result travel together).
 *
 * Callbacks get pointers that are valid during the call. A callback may not call the store.
 */
#ifndef LOTOR_SERVICE_STORE_H
#define LOTOR_SERVICE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

typedef struct lotor_store lotor_store;

enum { LOTOR_SCHEMA_VERSION = 2, LOTOR_STORE_HASH = 32 };

typedef enum lotor_store_mode {
    LOTOR_STORE_SERVE = 0, /* makes the tables if needed; on SQLite one server only (a lock file) */
    LOTOR_STORE_READ = 1   /* for check, backup and move; works beside a running server */
} lotor_store_mode;

bool lotor_store_is_address(const char *path); /* postgres://... or postgresql://..., not a file */

/* LOTOR_UNKNOWN: there is none (READ). LOTOR_DUPLICATE: another server has the file. LOTOR_VERSION: made by a
 * newer program. A store of schema 1 is migrated by SERVE, and refused by READ with a message that says how.
 * `vfs`: NULL, or the name of a SQLite file system for tests; then there is no lock file. */
lotor_status lotor_store_open(const char *path, lotor_store_mode mode, const char *vfs,
                              lotor_message *why, lotor_store **out);
void lotor_store_close(lotor_store *store); /* NULL is accepted */

/* True if no other server can be on this store (SQLite). */
bool lotor_store_is_exclusive(const lotor_store *store);
/* How often the store was connected. Between two connections a failover may have lost commits. */
uint64_t lotor_store_connections(const lotor_store *store);

lotor_status lotor_store_begin(lotor_store *store, lotor_message *why);
lotor_status lotor_store_commit(lotor_store *store, lotor_message *why);
void lotor_store_rollback(lotor_store *store); /* without a transaction: nothing */

/* The store's clock in Unix milliseconds (SQLite: this machine's). */
lotor_status lotor_store_now(lotor_store *store, lotor_message *why, uint64_t *now);

/* --- servers ---------------------------------------------------------------------------------- */

/* LOTOR_DUPLICATE: there is a server of that id. On an exclusive store all other servers' rows go. */
lotor_status lotor_store_add_server(lotor_store *store, uint64_t server, uint64_t life_ms,
                                    const char *program, lotor_message *why);
/* until = now + life. *known: false if there is no such row any more (the store went back, or the row was
 * cleaned up). Rows that ended more than a day ago are deleted. *others: how many other servers are live. */
lotor_status lotor_store_beat(lotor_store *store, uint64_t server, uint64_t life_ms,
                              lotor_message *why, bool *known, uint64_t *others);
lotor_status lotor_store_remove_server(lotor_store *store, uint64_t server, lotor_message *why);

/* --- campaigns -------------------------------------------------------------------------------- */

typedef struct lotor_campaign_row {
    uint64_t id;
    const char *name;
    const char *spec;          /* the text that the engine authenticates: see its `seal` */
    const unsigned char *seal; /* LOTOR_STORE_HASH bytes over the row, by the engine */
    uint64_t specs;            /* how often the specification was changed */
    double created;            /* Unix seconds */
    bool closed;
} lotor_campaign_row;
/* A row that is not what was written is told with what can be read of it, and with a seal that nobody made. */
typedef lotor_status lotor_on_campaign(void *context, const lotor_campaign_row *row);

/* The next id; ids count up from 1 and are never used again. Inside a transaction (PostgreSQL: a sequence). */
lotor_status lotor_store_next_campaign(lotor_store *store, lotor_message *why, uint64_t *id);
/* Adds the campaign, its lease (owner 0, epoch 0) and its wrapped key. LOTOR_DUPLICATE: the name is taken. */
lotor_status lotor_store_add_campaign(lotor_store *store, const lotor_campaign_row *row,
                                      const unsigned char *key, size_t key_length,
                                      lotor_message *why);
/* Campaigns with an id above `after`, in the order of ids. */
lotor_status lotor_store_each_campaign(lotor_store *store, uint64_t after, lotor_on_campaign *told,
                                       void *context, lotor_message *why);
/* One campaign; LOTOR_UNKNOWN if there is none. */
lotor_status lotor_store_get_campaign(lotor_store *store, uint64_t campaign,
                                      lotor_on_campaign *told, void *context, lotor_message *why);
/* Replaces spec, seal and closed, and adds 1 to specs, if specs is still row->specs. *done: false if not. */
lotor_status lotor_store_put_spec(lotor_store *store, const lotor_campaign_row *row,
                                  lotor_message *why, bool *done);
typedef lotor_status lotor_on_bytes(void *context, const unsigned char *bytes, size_t length);
lotor_status lotor_store_get_key(lotor_store *store, uint64_t campaign, lotor_on_bytes *told,
                                 void *context,
                                 lotor_message *why); /* LOTOR_UNKNOWN: it was erased */
/* For a campaign without a key: one of a migrated store. LOTOR_DUPLICATE: it has one. */
lotor_status lotor_store_put_key(lotor_store *store, uint64_t campaign, const unsigned char *key,
                                 size_t key_length, lotor_message *why);

/* --- leases and states ------------------------------------------------------------------------ */

typedef struct lotor_lease {
    uint64_t campaign;
    uint64_t owner;  /* 0: nobody */
    uint64_t epoch;  /* how often it was taken or written */
    uint64_t sealed; /* feedback for decisions up to this one is late */
    uint64_t final;  /* decisions up to this one were entered or taken back; final <= sealed */
    uint64_t due;    /* the deadline of the first block that is not sealed; 0: none */
    uint64_t specs;  /* of the campaign's row */
    uint64_t releases;
    unsigned char head[LOTOR_STORE_HASH]; /* hash of the last release; zeros: none */
    bool broken;                          /* the chain lacks a release that a server had seen */
    bool
        is_damaged; /* read only: this row is not what was written, or its campaign is missing; nothing but `campaign`
                        is filled in */
    bool is_live; /* read only: its owner's row says that it runs (by the store's clock) */
} lotor_lease;
typedef lotor_status lotor_on_lease(void *context, const lotor_lease *lease);

/* All leases, in the order of campaigns. */
lotor_status lotor_store_each_lease(lotor_store *store, lotor_on_lease *told, void *context,
                                    lotor_message *why);
/* Inside a transaction. Takes the campaign for `me`, with epoch + 1, if its epoch is still `seen`, it is not
 * broken, and its owner is 0, `me` or not live. Waits for the old owner's open transaction. *got: false if it
 * was not taken. *out: as it is now. */
lotor_status lotor_store_take(lotor_store *store, uint64_t campaign, uint64_t me, uint64_t seen,
                              lotor_message *why, lotor_lease *out, bool *got);
/* Inside a transaction, the owner's fence: replaces sealed, final, due, releases and head, and adds 1 to the epoch, where
 * campaign, owner and epoch are lease's, and the campaign's specs are lease->specs. *done: false if no row was
 * (fenced): another server took the campaign, or the store lost a commit of this one.
 * The row stays locked until the transaction ends. */
lotor_status lotor_store_put_lease(lotor_store *store, const lotor_lease *lease, lotor_message *why,
                                   bool *done);
/* owner = 0 where owner and epoch are these. */
lotor_status lotor_store_give_lease(lotor_store *store, uint64_t campaign, uint64_t me,
                                    uint64_t epoch, lotor_message *why);
lotor_status lotor_store_set_broken(lotor_store *store, uint64_t campaign, bool broken,
                                    lotor_message *why);

/* LOTOR_UNKNOWN: there is none yet. */
lotor_status lotor_store_get_state(lotor_store *store, uint64_t campaign, lotor_on_bytes *told,
                                   void *context, lotor_message *why, uint64_t *epoch);
/* After put_lease in the same transaction (or add_campaign). */
lotor_status lotor_store_put_state(lotor_store *store, uint64_t campaign, uint64_t epoch,
                                   const unsigned char *state, size_t length, lotor_message *why);

/* --- blocks ----------------------------------------------------------------------------------- */

/* Decisions first .. first + count - 1. Rows never change. */
typedef struct lotor_block_row {
    uint64_t first, count;
    uint64_t holder;   /* the server that hands them out; 0: nobody knows (migrated) */
    uint64_t want;     /* the request that it was drawn for; 0: drawn ahead */
    uint64_t until;    /* the holder hands them out until then */
    uint64_t deadline; /* feedback is taken until then */
    uint64_t nonce;
    const unsigned char *drawn; /* arms, packed by the engine */
    size_t drawn_length;
    const unsigned char *action; /* sealed contexts of the shown arms; NULL: none */
    size_t action_length;
} lotor_block_row;
typedef lotor_status lotor_on_block(void *context, const lotor_block_row *row);

lotor_status lotor_store_add_block(lotor_store *store, uint64_t campaign,
                                   const lotor_block_row *row, lotor_message *why);
/* Blocks whose `first` is above `after`, in the order of `first`; holder 0: of all holders. */
lotor_status lotor_store_each_block(lotor_store *store, uint64_t campaign, uint64_t holder,
                                    uint64_t after, lotor_on_block *told, void *context,
                                    lotor_message *why);
/* The block with the greatest `first` at or below `decision`, if `decision` is in it; else LOTOR_UNKNOWN. */
lotor_status lotor_store_find_block(lotor_store *store, uint64_t campaign, uint64_t decision,
                                    lotor_on_block *told, void *context, lotor_message *why);
/* One statement, one snapshot: tells (first, nonce) of the blocks with `first` from `from` to `to` that are not
 * sealed. */
typedef lotor_status lotor_on_open(void *context, uint64_t first, uint64_t nonce);
lotor_status lotor_store_each_open(lotor_store *store, uint64_t campaign, uint64_t from,
                                   uint64_t to, lotor_on_open *told, void *context,
                                   lotor_message *why);

/* --- the log ---------------------------------------------------------------------------------- */

typedef enum lotor_log_kind {
    LOTOR_LOG_FEEDBACK = 0, /* sealed by the campaign's intake */
    LOTOR_LOG_REPORT = 1    /* how many decisions of one block were handed out */
} lotor_log_kind;
typedef struct lotor_log_row {
    uint64_t stream, seq;
    lotor_log_kind kind;
    uint64_t first, last; /* the least and the greatest decision in it */
    const unsigned char *bytes;
    size_t length;
} lotor_log_row;
typedef lotor_status lotor_on_log(void *context, const lotor_log_row *row);
/* LOTOR_DUPLICATE: that (stream, seq) is there. */
lotor_status lotor_store_append(lotor_store *store, uint64_t campaign, const lotor_log_row *row,
                                lotor_message *why);
/* Each stream of a campaign, with its greatest seq. */
typedef lotor_status lotor_on_stream(void *context, uint64_t stream, uint64_t last_seq);
lotor_status lotor_store_each_stream(lotor_store *store, uint64_t campaign, lotor_on_stream *told,
                                     void *context, lotor_message *why);
/* The rows of one stream with seq above `after`, in the order of seq. */
lotor_status lotor_store_each_log(lotor_store *store, uint64_t campaign, uint64_t stream,
                                  uint64_t after, lotor_on_log *told, void *context,
                                  lotor_message *why);
/* Deletes blocks that lie at or below `final`. */
lotor_status lotor_store_forget(lotor_store *store, uint64_t campaign, uint64_t final,
                                lotor_message *why);
/* Deletes the rows of one stream up to `seq` with last <= final: those that the owner has read. */
lotor_status lotor_store_forget_log(lotor_store *store, uint64_t campaign, uint64_t stream,
                                    uint64_t seq, uint64_t final, lotor_message *why);

/* --- wants ------------------------------------------------------------------------------------ */

/* Not durable: a crash of the database may lose all of them, and the server asks again. */
typedef struct lotor_want_row {
    uint64_t campaign, server, id; /* ids are the server's */
    uint64_t at;                   /* the store's clock, as known when the request came */
    uint64_t count;
    const unsigned char *body; /* sealed; NULL: decisions ahead */
    size_t body_length;
    const unsigned char *reply; /* the owner's; NULL: none yet */
    size_t reply_length;
} lotor_want_row;
typedef lotor_status lotor_on_want(void *context, const lotor_want_row *row);
/* `synchronous_commit` is off for this transaction if it is one of its own. */
lotor_status lotor_store_add_want(lotor_store *store, const lotor_want_row *row,
                                  lotor_message *why);
/* Wants without a reply for campaigns that `owner` owns, from other servers, in the order (campaign, at, server,
 * id). */
lotor_status lotor_store_each_want(lotor_store *store, uint64_t owner, lotor_on_want *told,
                                   void *context, lotor_message *why);
/* The replies for a server. */
lotor_status lotor_store_each_reply(lotor_store *store, uint64_t server, lotor_on_want *told,
                                    void *context, lotor_message *why);
lotor_status lotor_store_put_reply(lotor_store *store, const lotor_want_row *row,
                                   lotor_message *why);
/* id 0: all of that server. */
lotor_status lotor_store_delete_want(lotor_store *store, uint64_t server, uint64_t id,
                                     lotor_message *why);

/* --- releases --------------------------------------------------------------------------------- */

/* What one final round released. Numbers count up from 1 in each campaign. */
typedef struct lotor_release {
    uint64_t campaign, number;
    uint64_t time;              /* the round; grows strictly */
    const unsigned char *facts; /* packed by the engine; NULL: only their digest is kept */
    size_t facts_length;
    unsigned char digest[LOTOR_STORE_HASH]; /* BLAKE2b-256 of the facts */
    unsigned char hash[LOTOR_STORE_HASH];
} lotor_release;
typedef lotor_status lotor_on_release_row(void *context, const lotor_release *release);
/* hash = BLAKE2b-256(head, number, campaign, time, digest); also fills in the digest if there are facts. */
void lotor_release_chain(lotor_release *release, const unsigned char head[LOTOR_STORE_HASH]);
lotor_status lotor_store_add_release(lotor_store *store, const lotor_release *release,
                                     lotor_message *why);
lotor_status lotor_store_each_release(lotor_store *store, uint64_t campaign, uint64_t after,
                                      lotor_on_release_row *told, void *context,
                                      lotor_message *why);
/* The last release: number 0 if there is none. `facts` is NULL. */
lotor_status lotor_store_last_release(lotor_store *store, uint64_t campaign, lotor_message *why,
                                      lotor_release *out);
/* Whether the chain holds that release with that hash. number 0: true. */
lotor_status lotor_store_has_release(lotor_store *store, uint64_t campaign, uint64_t number,
                                     const unsigned char hash[LOTOR_STORE_HASH], lotor_message *why,
                                     bool *has);

/* --- users and meta --------------------------------------------------------------------------- */

/* Counts a display to a user unless that would pass `cap`. */
lotor_status lotor_store_count_user(lotor_store *store, uint64_t campaign,
                                    const unsigned char hash[16], uint64_t cap, lotor_message *why,
                                    bool *counted);
/* A missing value reads as "", and putting "" deletes it. */
lotor_status lotor_store_get_meta(lotor_store *store, const char *key, lotor_message *why,
                                  char *value, size_t capacity);
lotor_status lotor_store_put_meta(lotor_store *store, const char *key, const char *value,
                                  lotor_message *why);

/* --- whole stores ----------------------------------------------------------------------------- */

/* The database's quick integrity check and the text of the tables. */
lotor_status lotor_store_quick_check(lotor_store *store, lotor_message *finding);
/* All that can be checked without a key. *finding: the first thing that is wrong. */
lotor_status lotor_store_check(lotor_store *store, lotor_message *finding);
/* A consistent copy to a new SQLite file, also beside a running server. */
lotor_status lotor_store_backup(lotor_store *store, const char *path, lotor_message *why);
/* Everything into an empty store of either kind, as one transaction. Nobody may serve `from` from then on. */
lotor_status lotor_store_copy(lotor_store *from, lotor_store *to, lotor_message *why);

#endif
