/* database.h - tables in memory with transactions, a write-ahead log and a standby.
 *
 *      open ──▶ logged (on the primary's disk) ──▶ visible (to others)
 *                     │
 *                     └──▶ durable (on the standby too): always a prefix of the log
 *
 * A transaction that is logged and not visible holds its row locks: PostgreSQL's COMMIT that waits for the
 * standby. It may become visible before it is durable: a wait that was cancelled. A failover goes back to what
 * is durable. The order of these moves is the caller's: see store_sim.c.
 *
 * There is one version of each row that others see, and at most one that a transaction has written. A statement
 * runs without interruption, so what it sees is a snapshot: READ COMMITTED.
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
    DB_WANTS,     /* server, id; not logged */
    DB_TABLES
} db_table;

typedef struct db_key {
    uint64_t at[3];
} db_key;

/* A version of a row. Never changed; counted references. */
typedef struct db_cell {
    size_t refs, length;
    unsigned char bytes[];
} db_cell;
db_cell *db_cell_new(size_t length); /* one reference; zeros */
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
    bool applies;     /* an open orphan's: its COMMIT is on its way */
    uint64_t ends_at; /* an orphan's: when it is applied or ended */
    uint64_t order;   /* of becoming visible */
    uint64_t
        guarded; /* the last order when its first guard was evaluated: see put_lease; 0: none */
} db_tx;

typedef struct db_row {
    db_key key;
    db_cell *seen;       /* by others; NULL: no row */
    db_cell *written;    /* by the writer; NULL: deleted */
    db_tx *writer;       /* NULL: nobody */
    uint64_t seen_at;    /* the true time when `seen` became visible */
    uint64_t lsn, order; /* of the transaction that wrote `seen` */
} db_row;

typedef struct db {
    struct {
        db_row *rows; /* in the order of keys */
        size_t count, room;
    } tables[DB_TABLES];
    db_tx *active;  /* open or logged */
    db_tx *visible; /* not durable yet; latest first */
    uint64_t last_id, last_lsn, durable_lsn, last_order;
    const uint64_t *now; /* the true time */
    /* Told of every transaction that becomes visible, and of going back to an lsn. */
    void (*on_commit)(void *context, const db_tx *tx);
    void (*on_rollback)(void *context, uint64_t lsn);
    void *context;
} db;

db *db_new(const uint64_t *now);
void db_free(db *old);

db_tx *db_begin(db *base, int server);
/* What the transaction sees (NULL: what others see). */
const db_cell *db_read(const db *base, const db_tx *tx, db_table table, db_key key);
/* Takes the reference; NULL deletes. Returns 0, or the id of the transaction that holds the row. */
uint64_t db_write(db *base, db_tx *tx, db_table table, db_key key, db_cell *cell);
bool db_is_active(const db *base, uint64_t tx);

void db_abort(db *base, db_tx *tx); /* frees it, as do the next ones */
/* Gives the transaction its place in the log if it changed a logged table; says whether it did. */
bool db_log(db *base, db_tx *tx);
void db_show(db *base, db_tx *tx);
void db_harden(db *base, uint64_t lsn); /* the standby has everything up to there */

/* The primary ended. Restart: what was logged is visible. Failover: what is durable is visible. All other
 * transactions end, and tables that are not logged are empty. */
void db_restart(db *base);
void db_fail_over(db *base);

/* Rows from a key on; a row may be invisible to the reader: see db_sees. */
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
