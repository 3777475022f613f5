/* database.h - tables in memory with transactions, a write-ahead log and a standby.
 *
 *      open ──▶ logged (on the primary's disk) ──▶ visible (to others)
 *                     │
 *                     └──▶ durable (on the standby, too): always a prefix of the log
 *
 * A transaction that is logged and not visible holds its row locks: it is a COMMIT of PostgreSQL
 * that waits for the standby. It may become visible before it is durable, if the wait is cancelled.
 * A failover goes back to what is durable. The caller decides the order of these steps: see
 * store_sim.c.
 *
 * Each row has one version that others see, and at most one that a transaction has written. A
 * statement runs without interruption, so it sees one snapshot: READ COMMITTED.
 */
#ifndef LOTOR_SIMULATION_DATABASE_H
#define LOTOR_SIMULATION_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum db_table {
    DB_SERVERS,   /* id */
    DB_CAMPAIGNS, /* id */
    DB_NAMES,     /* hash of the name */
    DB_KEYS,      /* campaign */
    DB_LEASES,    /* campaign */
    DB_STATES,    /* campaign */
    DB_BLOCKS,    /* campaign, first */
    DB_LOG,       /* campaign, stream, seq */
    DB_RELEASES,  /* campaign, number */
    DB_USERS,     /* campaign, two words of the hash */
    DB_META,      /* hash of the key */
    DB_AUDIT,     /* number */
    DB_BUDGETS,   /* id */
    DB_SPEND,     /* budget, two words of the hash */
    DB_STICKIES,  /* campaign, two words of the hash */
    DB_WANTS,     /* server, id; not logged */
    DB_TABLES
} db_table;

typedef struct db_key {
    uint64_t at[3];
} db_key;

/* A version of a row. It never changes, and its references are counted. */
typedef struct db_cell {
    size_t refs, length;
    unsigned char bytes[];
} db_cell;
db_cell *db_cell_new(size_t length); /* one reference; filled with zeros */
void db_cell_drop(db_cell *cell);    /* NULL is accepted */

typedef enum db_phase { DB_OPEN, DB_LOGGED, DB_VISIBLE } db_phase;

typedef struct db_change {
    db_table table;
    db_key key;
    db_cell *before, *after; /* NULL: no row */
} db_change;

typedef struct db_tx {
    struct db_tx *next;
    uint64_t id, lsn; /* lsn 0: not logged, or nothing to log */
    int server;
    db_phase phase;
    db_change *changes;
    size_t count, room;
    bool is_orphan;   /* its client has given up */
    bool applies;     /* an open orphan: its COMMIT will arrive */
    uint64_t ends_at; /* an orphan: when it is applied or ended */
    uint64_t order;   /* the order in which transactions became visible */
    uint64_t
        guarded; /* the last order when its first condition was evaluated: see put_lease; 0: none */
} db_tx;

typedef struct db_row {
    db_key key;
    db_cell *seen;       /* the version that others see; NULL: no row */
    db_cell *written;    /* the version of `writer`; NULL: deleted */
    db_tx *writer;       /* NULL: no transaction has written the row */
    uint64_t seen_at;    /* the true time when `seen` became visible */
    uint64_t lsn, order; /* of the transaction that wrote `seen` */
} db_row;

typedef struct db {
    struct {
        db_row *rows; /* sorted by key */
        size_t count, room;
    } tables[DB_TABLES];
    db_tx *active;  /* open or logged */
    db_tx *visible; /* visible and not durable yet; the latest first */
    uint64_t last_id, last_lsn, durable_lsn, last_order;
    const uint64_t *now; /* the true time */
    /* Called for each transaction that becomes visible, and when the database goes back to an
     * lsn. */
    void (*on_commit)(void *context, const db_tx *tx);
    void (*on_rollback)(void *context, uint64_t lsn);
    void *context;
} db;

db *db_new(const uint64_t *now);
void db_free(db *old);

db_tx *db_begin(db *base, int server);
/* The row as the transaction sees it. NULL as transaction: as others see it. */
const db_cell *db_read(const db *base, const db_tx *tx, db_table table, db_key key);
/* Takes the reference; NULL deletes the row. Returns 0, or the id of the transaction that holds
 * the row. */
uint64_t db_write(db *base, db_tx *tx, db_table table, db_key key, db_cell *cell);
bool db_is_active(const db *base, uint64_t tx);

void db_abort(db *base, db_tx *tx); /* frees the transaction, like the next functions */
/* Gives the transaction its place in the log, if it changed a logged table; returns whether it
 * did. */
bool db_log(db *base, db_tx *tx);
void db_show(db *base, db_tx *tx);
void db_harden(db *base, uint64_t lsn); /* the standby has the log up to this lsn */

/* The primary ends. After a restart, everything logged is visible. After a failover, everything
 * durable is visible. All other transactions end, and tables that are not logged become empty. */
void db_restart(db *base);
void db_fail_over(db *base);

/* The rows from a key on. A row may be invisible to the reader: see db_sees. */
size_t db_from(const db *base, db_table table, db_key key);
static inline size_t db_count(const db *base, db_table table)
{
    return base->tables[table].count;
}
static inline const db_row *db_at(const db *base, db_table table, size_t place)
{
    return &base->tables[table].rows[place];
}
static inline const db_cell *db_sees(const db_row *row, const db_tx *tx)
{
    return tx && row->writer == tx ? row->written : row->seen;
}

#endif
