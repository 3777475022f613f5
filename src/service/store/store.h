/* store.h - the durable tables of the service, in SQLite or PostgreSQL.
 *
 *      servers        servers that run now, and until when each is believed to run
 *      campaigns      id, name, authenticated specification, how often it changed, closed
 *      campaign_keys  each campaign's sealing key, encrypted with the server's key
 *      leases         which server owns a campaign, and how far the campaign is
 *      states         each campaign's sealed state
 *      blocks         decisions that were drawn for one server: never updated
 *      log            sealed feedback, and reports of what was handed out: servers append, the
 *                     owner deletes
 *      wants          requests of a server to a campaign's owner, and the owner's replies
 *      releases       published releases: one hash chain for each campaign
 *      users          displays to a user in campaigns with a cap
 *      budgets        budgets over several campaigns: name and authenticated specification
 *      spend          what a user has spent of a budget
 *      stickies       decisions that a user gets again for a while
 *      audit          each change to a campaign, and its key: one hash chain, never changed
 *      meta           small values
 *
 * A store is one connection. One thread may use it at a time. A call outside of begin and commit is
 * its own transaction. Inside a transaction, each call is one statement or a few, and sees what was
 * committed before it began (READ COMMITTED).
 *
 * Statuses that every call can return:
 *      LOTOR_UNFINISHED  The store refused the call or can't be reached. After `commit` this means
 *                        that the outcome is unknown: the transaction may have been applied, or may
 *                        still be applied a little later.
 *      LOTOR_DAMAGED     A row is not what was written.
 *      LOTOR_MEMORY      There is no memory.
 *
 * After any of these inside a transaction, call rollback. A change inside a transaction may seem to
 * succeed and be refused by a later call, at the latest by commit. (PostgreSQL: statements without
 * a result are sent together.) That call then says what was wrong.
 *
 * Callbacks get pointers that are valid only during the callback. A callback may not call the
 * store.
 */
#ifndef LOTOR_SERVICE_STORE_H
#define LOTOR_SERVICE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

typedef struct lotor_store lotor_store;

enum { LOTOR_SCHEMA_VERSION = 5, LOTOR_STORE_HASH = 32 };

typedef enum lotor_store_mode {
    /* makes or migrates the tables; on SQLite for one server only (a lock file) */
    LOTOR_STORE_SERVE = 0,
    LOTOR_STORE_READ = 1 /* for check, backup and move; a server may be running at the same time */
} lotor_store_mode;

/* True for postgres://... and postgresql://...; false for a file. */
bool lotor_store_is_address(const char *path);

/* True if the database accepts connections. It may refuse this user all the same. A file is always up. */
bool lotor_store_is_up(const char *path);

/* LOTOR_UNKNOWN: there is no store (READ). LOTOR_DUPLICATE: another server uses the file.
 * LOTOR_VERSION: a newer program made the store. SERVE migrates an older store. READ
 * refuses it with a message that says what to do. `vfs` is NULL, or the name of a SQLite file
 * system for tests; then there is no lock file. */
lotor_status lotor_store_open(const char *path, lotor_store_mode mode, const char *vfs,
                              lotor_message *why, lotor_store **out);
void lotor_store_close(lotor_store *store); /* NULL is accepted */

/* True if no other server can be on this store (SQLite). */
bool lotor_store_is_exclusive(const lotor_store *store);
/* How often a connection was opened. A failover between two connections may have lost commits. */
uint64_t lotor_store_connections(const lotor_store *store);

lotor_status lotor_store_begin(lotor_store *store, lotor_message *why);
lotor_status lotor_store_commit(lotor_store *store, lotor_message *why);
void lotor_store_rollback(lotor_store *store); /* Does nothing without a transaction. */

/* The store's clock in Unix milliseconds (SQLite: this machine's clock). */
lotor_status lotor_store_now(lotor_store *store, lotor_message *why, uint64_t *now);

/* --- servers ---------------------------------------------------------------------------------- */

/* LOTOR_DUPLICATE: there is a server with that id. On an exclusive store the rows of all other
 * servers are deleted. */
lotor_status lotor_store_add_server(lotor_store *store, uint64_t server, uint64_t life_ms,
                                    const char *program, lotor_message *why);
/* Sets `until` to now + life_ms. *known: false if the server's row is gone (an older copy of the
 * store, or the row was cleaned up). Deletes the rows of servers that ended more than a day ago.
 * *others: how many other servers are live. */
lotor_status lotor_store_beat(lotor_store *store, uint64_t server, uint64_t life_ms,
                              lotor_message *why, bool *known, uint64_t *others);
lotor_status lotor_store_remove_server(lotor_store *store, uint64_t server, lotor_message *why);

/* --- campaigns -------------------------------------------------------------------------------- */

typedef struct lotor_campaign_row {
    uint64_t id;
    const char *name;
    const char *spec;          /* the specification as text; `seal` authenticates it */
    const unsigned char *seal; /* LOTOR_STORE_HASH bytes over the row, made by the engine */
    uint64_t specs;            /* how often the specification was changed */
    double created;            /* Unix seconds */
    bool closed;
} lotor_campaign_row;
/* A damaged row is passed on with the columns that can be read, an empty spec, and an invalid
 * seal. */
typedef lotor_status lotor_on_campaign(void *context, const lotor_campaign_row *row);

/* Gives the next id. Ids count up from 1 and are never used again. Call it inside a transaction. */
lotor_status lotor_store_next_campaign(lotor_store *store, lotor_message *why, uint64_t *id);
/* Adds the campaign, its lease (owner 0, epoch 0) and its wrapped key. LOTOR_DUPLICATE: the name
 * is used already. */
lotor_status lotor_store_add_campaign(lotor_store *store, const lotor_campaign_row *row,
                                      const unsigned char *key, size_t key_length,
                                      lotor_message *why);
/* Calls `told` for the campaigns with an id above `after`, in the order of ids. */
lotor_status lotor_store_each_campaign(lotor_store *store, uint64_t after, lotor_on_campaign *told,
                                       void *context, lotor_message *why);
/* Calls `told` for one campaign. LOTOR_UNKNOWN: there is none. */
lotor_status lotor_store_get_campaign(lotor_store *store, uint64_t campaign,
                                      lotor_on_campaign *told, void *context, lotor_message *why);
/* If specs is still row->specs: replaces spec, seal and closed, and adds 1 to specs. *done:
 * whether it did. */
lotor_status lotor_store_put_spec(lotor_store *store, const lotor_campaign_row *row,
                                  lotor_message *why, bool *done);
typedef lotor_status lotor_on_bytes(void *context, const unsigned char *bytes, size_t length);
/* LOTOR_UNKNOWN: the key was erased. */
lotor_status lotor_store_get_key(lotor_store *store, uint64_t campaign, lotor_on_bytes *told,
                                 void *context, lotor_message *why);
/* Adds the key of a campaign that has none because its store was migrated. LOTOR_DUPLICATE: it
 * has one. */
lotor_status lotor_store_put_key(lotor_store *store, uint64_t campaign, const unsigned char *key,
                                 size_t key_length, lotor_message *why);

/* --- deleting campaigns (lifecycle.c) --------------------------------------------------------- */

/* Deletes the private rows of a campaign: its key, state, blocks and log, and its rows of wants, users
 * and stickies. Ends its lease: owner 0, another epoch, nothing open. The campaign's row, its releases
 * and the spending of budgets stay. Call it inside a transaction, after put_spec. */
lotor_status lotor_store_erase(lotor_store *store, uint64_t campaign, lotor_message *why);
/* Deletes the rows that servers may have added to a deleted campaign, before they knew about the deletion. */
lotor_status lotor_store_erase_left(lotor_store *store, uint64_t campaign, lotor_message *why);
/* Overwrites what was deleted, as far as the database can (SQLite: empties the write-ahead log). Call
 * it outside of a transaction. LOTOR_UNFINISHED: a reader is in the way, try again. */
lotor_status lotor_store_overwrite(lotor_store *store, lotor_message *why);

/* --- leases and states ------------------------------------------------------------------------ */

typedef struct lotor_lease {
    uint64_t campaign;
    uint64_t owner;  /* 0: no server */
    uint64_t epoch;  /* how often the lease was taken or written */
    uint64_t sealed; /* feedback for decisions up to this one is late */
    /* rounds up to this decision are final: entered or taken back; final <= sealed */
    uint64_t final;
    uint64_t due;   /* the deadline of the first block that is not sealed; 0: there is none */
    uint64_t specs; /* the `specs` of the campaign's row */
    uint64_t releases;
    unsigned char head[LOTOR_STORE_HASH]; /* the hash of the last release; zeros: there is none */
    bool broken;                          /* the chain lacks a release that a server had seen */
    /* Only when read: the row is damaged or its campaign is missing. Only `campaign` is set. */
    bool is_damaged;
    bool is_live; /* only when read: the owner is live, by the store's clock */
} lotor_lease;
typedef lotor_status lotor_on_lease(void *context, const lotor_lease *lease);

/* Calls `told` for all leases, in the order of campaigns. */
lotor_status lotor_store_each_lease(lotor_store *store, lotor_on_lease *told, void *context,
                                    lotor_message *why);
/* Takes the campaign for the server `me`, and adds 1 to the epoch. Call it inside a transaction.
 * It is taken only if its epoch is still `seen`, it is not broken, and its owner is 0, `me` or
 * not live. Waits until the old owner's open transaction has ended. *got: whether it was taken.
 * *out: the lease now. */
lotor_status lotor_store_take(lotor_store *store, uint64_t campaign, uint64_t me, uint64_t seen,
                              lotor_message *why, lotor_lease *out, bool *got);
/* The owner's fenced write; call it inside a transaction. Replaces sealed, final, due, releases
 * and head, and adds 1 to the epoch. It does so only if campaign, owner and epoch are those of
 * `lease`, and the campaign's specs are lease->specs. *done: false if nothing was changed
 * (fenced). Then another server took the campaign, or the store lost a commit of this server.
 * The row stays locked until the transaction ends. */
lotor_status lotor_store_put_lease(lotor_store *store, const lotor_lease *lease, lotor_message *why,
                                   bool *done);
/* Sets the owner to 0 if owner and epoch are these. */
lotor_status lotor_store_give_lease(lotor_store *store, uint64_t campaign, uint64_t me,
                                    uint64_t epoch, lotor_message *why);
lotor_status lotor_store_set_broken(lotor_store *store, uint64_t campaign, bool broken,
                                    lotor_message *why);

/* LOTOR_UNKNOWN: there is no state yet. */
lotor_status lotor_store_get_state(lotor_store *store, uint64_t campaign, lotor_on_bytes *told,
                                   void *context, lotor_message *why, uint64_t *epoch);
/* Call it in the same transaction as put_lease or add_campaign, after it. */
lotor_status lotor_store_put_state(lotor_store *store, uint64_t campaign, uint64_t epoch,
                                   const unsigned char *state, size_t length, lotor_message *why);

/* --- blocks ----------------------------------------------------------------------------------- */

/* The decisions first .. first + count - 1. Rows never change. */
typedef struct lotor_block_row {
    uint64_t first, count;
    uint64_t holder; /* the server that hands the decisions out; 0: not known (a migrated block) */
    uint64_t want;   /* the request that the block was drawn for; 0: it was drawn ahead */
    uint64_t until;  /* the holder hands decisions out until this time */
    uint64_t deadline; /* feedback is accepted until this time */
    uint64_t nonce;
    const unsigned char *drawn; /* the arms, packed by the engine */
    size_t drawn_length;
    const unsigned char *action; /* the sealed contexts of the shown arms; NULL: none */
    size_t action_length;
} lotor_block_row;
typedef lotor_status lotor_on_block(void *context, const lotor_block_row *row);

lotor_status lotor_store_add_block(lotor_store *store, uint64_t campaign,
                                   const lotor_block_row *row, lotor_message *why);
/* Calls `told` for the blocks whose `first` is above `after`, in the order of `first`. holder 0:
 * blocks of all holders. */
lotor_status lotor_store_each_block(lotor_store *store, uint64_t campaign, uint64_t holder,
                                    uint64_t after, lotor_on_block *told, void *context,
                                    lotor_message *why);
/* Calls `told` for the block that has the decision. LOTOR_UNKNOWN: there is none. */
lotor_status lotor_store_find_block(lotor_store *store, uint64_t campaign, uint64_t decision,
                                    lotor_on_block *told, void *context, lotor_message *why);
/* Calls `told` with (first, nonce) of the blocks that are not sealed and have `first` from
 * `from` to `to`. It is one statement, so all of it is one snapshot. */
typedef lotor_status lotor_on_open(void *context, uint64_t first, uint64_t nonce);
lotor_status lotor_store_each_open(lotor_store *store, uint64_t campaign, uint64_t from,
                                   uint64_t to, lotor_on_open *told, void *context,
                                   lotor_message *why);

/* --- the log ---------------------------------------------------------------------------------- */

typedef enum lotor_log_kind {
    LOTOR_LOG_FEEDBACK = 0, /* feedback, sealed by the campaign's intake */
    LOTOR_LOG_HANDOUT = 1,  /* how many decisions of one block were handed out */
    LOTOR_LOG_SHOWN = 2     /* the content of decisions that were handed out as bare numbers */
} lotor_log_kind;
typedef struct lotor_log_row {
    uint64_t stream, seq;
    lotor_log_kind kind;
    uint64_t first, last; /* the smallest and the greatest decision in the entry */
    const unsigned char *bytes;
    size_t length;
} lotor_log_row;
typedef lotor_status lotor_on_log(void *context, const lotor_log_row *row);
/* LOTOR_DUPLICATE: there is a row (stream, seq). */
lotor_status lotor_store_append(lotor_store *store, uint64_t campaign, const lotor_log_row *row,
                                lotor_message *why);
/* Calls `told` for each stream of a campaign, with its greatest seq. */
typedef lotor_status lotor_on_stream(void *context, uint64_t stream, uint64_t last_seq);
lotor_status lotor_store_each_stream(lotor_store *store, uint64_t campaign, lotor_on_stream *told,
                                     void *context, lotor_message *why);
/* Calls `told` for the rows of one stream with seq above `after`, in the order of seq. */
lotor_status lotor_store_each_log(lotor_store *store, uint64_t campaign, uint64_t stream,
                                  uint64_t after, lotor_on_log *told, void *context,
                                  lotor_message *why);
/* Calls `told` for the rows of kind LOTOR_LOG_SHOWN that may have this decision: first <= decision <=
 * last. */
lotor_status lotor_store_each_shown(lotor_store *store, uint64_t campaign, uint64_t decision,
                                    lotor_on_log *told, void *context, lotor_message *why);
/* Deletes the blocks that have no decision above `final`. */
lotor_status lotor_store_forget(lotor_store *store, uint64_t campaign, uint64_t final,
                                lotor_message *why);
/* Deletes the rows of one stream up to `seq` with last <= final. The owner has read these rows. */
lotor_status lotor_store_forget_log(lotor_store *store, uint64_t campaign, uint64_t stream,
                                    uint64_t seq, uint64_t final, lotor_message *why);

/* --- wants ------------------------------------------------------------------------------------ */

/* A request of a server to a campaign's owner, and the reply. Not durable: a crash of the
 * database may lose all of them, and then the server asks again. */
typedef struct lotor_want_row {
    uint64_t campaign, server, id; /* `id` is chosen by the server */
    uint64_t at;                   /* when the request came, on the store's clock */
    uint64_t count;
    const unsigned char *body; /* sealed; NULL: asks for decisions in advance */
    size_t body_length;
    const unsigned char *reply; /* from the owner; NULL: no reply yet */
    size_t reply_length;
} lotor_want_row;
typedef lotor_status lotor_on_want(void *context, const lotor_want_row *row);
/* If the call is its own transaction, its commit does not wait for the disk (synchronous_commit
 * off). */
lotor_status lotor_store_add_want(lotor_store *store, const lotor_want_row *row,
                                  lotor_message *why);
/* Calls `told` for the wants without a reply that other servers have for campaigns of `owner`,
 * in the order (campaign, at, server, id). */
lotor_status lotor_store_each_want(lotor_store *store, uint64_t owner, lotor_on_want *told,
                                   void *context, lotor_message *why);
/* Calls `told` for the wants of a server that have a reply. */
lotor_status lotor_store_each_reply(lotor_store *store, uint64_t server, lotor_on_want *told,
                                    void *context, lotor_message *why);
lotor_status lotor_store_put_reply(lotor_store *store, const lotor_want_row *row,
                                   lotor_message *why);
/* Deletes a want; id 0: all wants of that server. */
lotor_status lotor_store_delete_want(lotor_store *store, uint64_t server, uint64_t id,
                                     lotor_message *why);

/* --- releases --------------------------------------------------------------------------------- */

/* The releases of one final round. In each campaign the numbers count up from 1. */
typedef struct lotor_release_row {
    uint64_t campaign, number;
    uint64_t time;              /* the round; greater than that of the release before */
    const unsigned char *facts; /* packed by the engine; NULL: only the digest is kept */
    size_t facts_length;
    /* when it was committed and what was shown until then, packed by the engine; NULL: not known,
     * since an older program made the release */
    const unsigned char *stamp;
    size_t stamp_length;
    unsigned char digest[LOTOR_STORE_HASH]; /* BLAKE2b-256 of the facts */
    unsigned char hash[LOTOR_STORE_HASH];
} lotor_release_row;
typedef lotor_status lotor_on_release_row(void *context, const lotor_release_row *release);
/* Fills in hash = BLAKE2b-256(head, number, campaign, time, digest, stamp). `head` is the hash of
 * the release before. If there are facts, fills in their digest first. */
void lotor_release_row_chain(lotor_release_row *release,
                             const unsigned char head[LOTOR_STORE_HASH]);
lotor_status lotor_store_add_release(lotor_store *store, const lotor_release_row *release,
                                     lotor_message *why);
lotor_status lotor_store_each_release(lotor_store *store, uint64_t campaign, uint64_t after,
                                      lotor_on_release_row *told, void *context,
                                      lotor_message *why);
/* The last release, without facts and stamp. If there is none, its number is 0. */
lotor_status lotor_store_last_release(lotor_store *store, uint64_t campaign, lotor_message *why,
                                      lotor_release_row *out);
/* True if the chain has the release `number` with that hash. True for number 0. */
lotor_status lotor_store_has_release(lotor_store *store, uint64_t campaign, uint64_t number,
                                     const unsigned char hash[LOTOR_STORE_HASH], lotor_message *why,
                                     bool *has);

/* --- the audit log ---------------------------------------------------------------------------- */

/* One administrative act. Numbers count up from 1 without gaps. Rows are never changed or deleted. */
typedef struct lotor_audit_row {
    uint64_t number;
    uint64_t time;            /* Unix milliseconds */
    const char *key, *key_id; /* the name and the id of the key; never the key */
    const char *campaign;     /* its name; "": none */
    const char *act;          /* create, close, ... */
    const char *change;       /* a short description */
    unsigned char hash[LOTOR_STORE_HASH];
} lotor_audit_row;
typedef lotor_status lotor_on_audit(void *context, const lotor_audit_row *row);
/* Fills in hash = BLAKE2b-256 of `head`, number, time and all texts. `head` is the hash of the row
 * before; zeros: there is none. */
void lotor_audit_row_chain(lotor_audit_row *row, const unsigned char head[LOTOR_STORE_HASH]);
/* Appends a row; its number and its hash are set here. Call it as the last statement of the
 * transaction of the act: servers that write the audit log wait for each other until they commit. */
lotor_status lotor_store_add_audit(lotor_store *store, const lotor_audit_row *row,
                                   lotor_message *why);
/* Calls `told` for the rows with numbers above `after`, at most `most` of them, in their order.
 * LOTOR_DAMAGED: a row is missing, or does not fit the chain. */
lotor_status lotor_store_each_audit(lotor_store *store, uint64_t after, uint64_t most,
                                    lotor_on_audit *told, void *context, lotor_message *why);

/* --- budgets ---------------------------------------------------------------------------------- */

/* A budget over several campaigns. Rows never change. */
typedef struct lotor_budget_row {
    uint64_t id;
    const char *name;
    const char *spec;          /* the specification as text; `seal` authenticates it */
    const unsigned char *seal; /* LOTOR_STORE_HASH bytes over the row, made by the engine */
    double created;            /* Unix seconds */
} lotor_budget_row;
/* A damaged row is passed on with an empty spec and an invalid seal. */
typedef lotor_status lotor_on_budget(void *context, const lotor_budget_row *row);

/* Gives the next id. Ids count up from 1. Call it inside a transaction. */
lotor_status lotor_store_next_budget(lotor_store *store, lotor_message *why, uint64_t *id);
/* LOTOR_DUPLICATE: the name is used already. */
lotor_status lotor_store_add_budget(lotor_store *store, const lotor_budget_row *row,
                                    lotor_message *why);
/* Calls `told` for all budgets, in the order of ids. */
lotor_status lotor_store_each_budget(lotor_store *store, lotor_on_budget *told, void *context,
                                     lotor_message *why);
/* Waits until no other transaction holds the budget, and holds it until this transaction ends.
 * Without it, two servers that charge the same users in different orders could wait for each
 * other. Lock several budgets in the order of ids. */
lotor_status lotor_store_lock_budget(lotor_store *store, uint64_t budget, lotor_message *why);

/* The cost for a user, and the limits of the sums. All numbers are at most LOTOR_SPEND_MOST. */
#define LOTOR_SPEND_MOST                                                                           \
    INT64_C(4611686018427387903) /* 2^62 - 1: a sum that reaches it stays there */
typedef struct lotor_charge {
    uint64_t amount, squares;
    uint64_t most_amount;  /* below LOTOR_SPEND_MOST */
    uint64_t most_squares; /* below LOTOR_SPEND_MOST; 0: `squares` does not matter */
} lotor_charge;
/* Adds the charge to what the user has spent of the budget, if then the sum of amounts is at most
 * most_amount, or the sum of squares is at most most_squares. *charged: whether it did. */
lotor_status lotor_store_charge(lotor_store *store, uint64_t budget, const unsigned char hash[16],
                                const lotor_charge *charge, lotor_message *why, bool *charged);

/* --- stickies --------------------------------------------------------------------------------- */

/* The decision that a user gets again. */
typedef struct lotor_sticky_row {
    const unsigned char *hash; /* 16 bytes: the user */
    uint64_t until;            /* of the store's clock */
    uint64_t decision, nonce;  /* decision 0: it takes no feedback */
    uint64_t expires;
    const unsigned char *shown; /* sealed by the engine */
    size_t shown_length;
} lotor_sticky_row;
typedef lotor_status lotor_on_sticky(void *context, const lotor_sticky_row *row);
/* Calls `told` if the user has a decision whose `until` is after `now`. */
lotor_status lotor_store_get_sticky(lotor_store *store, uint64_t campaign,
                                    const unsigned char hash[16], uint64_t now,
                                    lotor_on_sticky *told, void *context, lotor_message *why);
/* Adds the row, or replaces the user's row. */
lotor_status lotor_store_put_sticky(lotor_store *store, uint64_t campaign,
                                    const lotor_sticky_row *row, lotor_message *why);
/* Deletes the rows whose `until` is not after `now`. */
lotor_status lotor_store_forget_stickies(lotor_store *store, uint64_t campaign, uint64_t now,
                                         lotor_message *why);

/* --- users and meta --------------------------------------------------------------------------- */

/* Counts a display to a user, unless there were `cap` displays before. */
lotor_status lotor_store_count_user(lotor_store *store, uint64_t campaign,
                                    const unsigned char hash[16], uint64_t cap, lotor_message *why,
                                    bool *counted);
/* How many displays to a user were counted. */
lotor_status lotor_store_user_count(lotor_store *store, uint64_t campaign,
                                    const unsigned char hash[16], lotor_message *why,
                                    uint64_t *shown);
/* Takes one counted display back. */
lotor_status lotor_store_uncount_user(lotor_store *store, uint64_t campaign,
                                      const unsigned char hash[16], lotor_message *why);
/* A missing value reads as "". Putting "" deletes the value. */
lotor_status lotor_store_get_meta(lotor_store *store, const char *key, lotor_message *why,
                                  char *value, size_t capacity);
lotor_status lotor_store_put_meta(lotor_store *store, const char *key, const char *value,
                                  lotor_message *why);

/* --- whole stores ----------------------------------------------------------------------------- */

/* Runs the database's quick integrity check, and compares the tables with those of this version. */
lotor_status lotor_store_quick_check(lotor_store *store, lotor_message *finding);
/* Checks everything that can be checked without a key. *finding: the first error. */
lotor_status lotor_store_check(lotor_store *store, lotor_message *finding);
/* Makes a consistent copy in a new SQLite file. A server may be running at the same time. */
lotor_status lotor_store_backup(lotor_store *store, const char *path, lotor_message *why);
/* Copies everything to an empty store of either kind, in one transaction. Afterwards no server
 * may serve `from`. */
lotor_status lotor_store_copy(lotor_store *from, lotor_store *to, lotor_message *why);

#endif
