/* driver.h - the functions that a database must provide for the store. Only the store's own files
 * include this header.
 *
 * Each statement is written once, in PostgreSQL's notation: parameters are $1, $2, ..., tables are
 * lotor_NAME, the clock is LOTOR_SQL_NOW. The SQLite driver translates a statement (?1, NAME,
 * now_ms()) when it prepares it.
 *
 *      rows.c, audit.c, check.c, copy.c,      statements and rows
 *      migrate.c
 *      query.c                                values, checked columns, the transaction of one call
 *      driver_sqlite.c, driver_postgres.c     the two drivers
 *
 * A store has one result at a time: read a statement's rows to the end, or end the result, before
 * you run the next statement.
 */
#ifndef LOTOR_SERVICE_STORE_DRIVER_H
#define LOTOR_SERVICE_STORE_DRIVER_H

#include "service/store/store.h"

/* Milliseconds since 1970. */
#define LOTOR_SQL_NOW "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"

typedef enum lotor_sql_kind {
    LOTOR_VALUE_WHOLE, /* signed, 64 bits */
    LOTOR_VALUE_REAL,
    LOTOR_VALUE_TEXT, /* as a column: ends with a zero byte, and has no other */
    /* a NULL pointer is SQL's null; a column that is not null never has a NULL pointer */
    LOTOR_VALUE_BYTES,
    LOTOR_VALUE_BAD,   /* a number above 2^63 - 1, or a column of another type */
    LOTOR_VALUE_MEMORY /* a column that could not be read because there is no memory */
} lotor_sql_kind;

typedef struct lotor_sql_value {
    lotor_sql_kind kind;
    int64_t whole;
    double real;
    const void *bytes;
    size_t length;
} lotor_sql_value;

lotor_sql_value lotor_sql_whole(uint64_t value); /* from 0 to 2^63 - 1 */
lotor_sql_value lotor_sql_bits(uint64_t value);  /* all 64 bits */
lotor_sql_value lotor_sql_real(double value);
lotor_sql_value lotor_sql_text(const char *text);
lotor_sql_value lotor_sql_bytes(const void *bytes, size_t length); /* NULL: SQL's null */

typedef enum lotor_begin_kind {
    LOTOR_BEGIN_USUAL, /* SERVE: with time limits. READ: one snapshot, read-only */
    LOTOR_BEGIN_QUICK, /* the commit need not be durable */
    LOTOR_BEGIN_LONG   /* without time limits: for making, migrating and copying tables */
} lotor_begin_kind;

typedef struct lotor_store_driver {
    bool is_exclusive;
    void (*close)(lotor_store *store);
    /* Transactions. If commit returns LOTOR_UNFINISHED, the outcome is unknown. After any other
     * failure the transaction was not applied. */
    lotor_status (*begin)(lotor_store *store, lotor_begin_kind kind, lotor_message *why);
    lotor_status (*commit)(lotor_store *store, lotor_message *why);
    void (*rollback)(lotor_store *store);
    /* Runs a statement. If `is_awaited` is false, the caller does not use its result. Then it
     * may be sent later, with the next statement or the commit, and a failure is reported there.
     * LOTOR_DUPLICATE: a row with that key exists. */
    lotor_status (*run)(lotor_store *store, const char *sql, const lotor_sql_value *values,
                        size_t count, bool is_awaited, lotor_message *why);
    /* Moves to the next row. LOTOR_UNKNOWN: there are no more rows. */
    lotor_status (*next)(lotor_store *store, lotor_message *why);
    lotor_sql_value (*column)(lotor_store *store, int column, lotor_sql_kind kind);
    const char *(*column_name)(lotor_store *store, int column);
    void (*end)(lotor_store *store); /* ends the result */
    /* Runs several statements without parameters, in this database's own notation, inside a
     * transaction. */
    lotor_status (*script)(lotor_store *store, const char *sql, lotor_message *why);
    const char *tables;      /* a script that makes the tables, and notes the version */
    const char *from_2;      /* migration: a script that makes schema 3 of schema 2 */
    const char *from_3;      /* migration: a script that makes schema 4 of schema 3 */
    const char *from_4;      /* migration: a script that makes schema 5 of schema 4 */
    const char *old_renamed; /* migration: a script that gives the old tables the prefix old_ */
    const char *old_dropped; /* migration: a script that drops the old tables */
    /* 0: there are no tables. LOTOR_DAMAGED: the tables belong to another program. */
    lotor_status (*version)(lotor_store *store, lotor_message *why, uint64_t *version);
    /* Checks that the tables are those of that version. */
    lotor_status (*compare)(lotor_store *store, uint64_t version, lotor_message *why);
    /* Runs the database's own integrity check. */
    lotor_status (*inspect)(lotor_store *store, bool is_quick, lotor_message *finding);
    lotor_status (*backup)(lotor_store *store, const char *path, lotor_message *why);
    /* See lotor_store_overwrite. NULL: this database can't. */
    lotor_status (*overwrite)(lotor_store *store, lotor_message *why);
    /* For the migration, inside its transaction: keeps other servers from migrating.
     * LOTOR_UNFINISHED: servers of version 1 are running. */
    lotor_status (*lock_old)(lotor_store *store, lotor_message *why);
    /* The same for a store of schema 2, 3 or 4: waits until no other server migrates it. */
    lotor_status (*lock_2)(lotor_store *store, lotor_message *why);
} lotor_store_driver;

struct lotor_store {
    const lotor_store_driver *driver;
    lotor_store_mode mode;
    bool in_transaction;
    uint64_t changed; /* the rows that the last awaited statement changed */
    uint64_t connections;
};

lotor_status lotor_sqlite_open(const char *path, lotor_store_mode mode, const char *vfs,
                               lotor_message *why, lotor_store **out);
lotor_status lotor_postgres_open(const char *address, lotor_store_mode mode, lotor_message *why,
                                 lotor_store **out);
/* True if the server accepts connections, whatever it says to this user. Waits two seconds at most. */
bool lotor_postgres_is_up(const char *address);
/* schema.c has the tables; store.c makes or migrates them, and compares them. */
extern const char lotor_sqlite_tables[], lotor_postgres_tables[];
/* schemas 1 to 4 */
extern const char lotor_sqlite_tables_1[], lotor_sqlite_tables_2[], lotor_sqlite_tables_3[],
    lotor_sqlite_tables_4[];
extern const char lotor_sqlite_from_2[], lotor_postgres_from_2[];
extern const char lotor_sqlite_from_3[], lotor_postgres_from_3[];
extern const char lotor_sqlite_from_4[], lotor_postgres_from_4[];
lotor_status lotor_schema_open(lotor_store *store, lotor_message *why);
lotor_status lotor_schema_refuse_newer(uint64_t version, lotor_message *why);
/* migrate.c: migrates schema 1, and schemas 2 to 4, to the newest, inside a transaction. */
lotor_status lotor_store_migrate(lotor_store *store, lotor_message *why);
lotor_status lotor_store_migrate_2(lotor_store *store, lotor_message *why);

/* --- query.c ---------------------------------------------------------------------------------- */

#define LOTOR_VALUES(...)                                                                          \
    (const lotor_sql_value[]){__VA_ARGS__},                                                        \
        sizeof((const lotor_sql_value[]){__VA_ARGS__}) / sizeof(lotor_sql_value)

/* Runs a statement that has rows. */
lotor_status lotor_sql_select(lotor_store *store, lotor_message *why, const char *sql,
                              const lotor_sql_value *values, size_t count);
/* If *status is LOTOR_OK and there is another row, moves to it and returns true. Else ends the
 * result and returns false. */
bool lotor_next(lotor_store *store, lotor_message *why, lotor_status *status);

/* Runs a statement that changes rows. *changed: how many; may be NULL. Outside a transaction the
 * statement is its own transaction. */
lotor_status lotor_sql_change(lotor_store *store, lotor_message *why, uint64_t *changed,
                              const char *sql, const lotor_sql_value *values, size_t count);
/* For a call of several statements. lotor_sql_enter begins a transaction if there is none; then
 * *alone is true. lotor_sql_leave ends that transaction: it commits if `status` is LOTOR_OK, else
 * rolls back. */
lotor_status lotor_sql_enter(lotor_store *store, lotor_message *why, bool *alone);
lotor_status lotor_sql_leave(lotor_store *store, bool alone, lotor_status status,
                             lotor_message *why);

/* Reads the columns of the current row. The first bad column sets the status and the message. */
typedef struct lotor_row_reader {
    lotor_store *store;
    const char *table;
    lotor_message *why;
    lotor_status status;
} lotor_row_reader;
uint64_t lotor_row_whole(lotor_row_reader *at, int column, uint64_t least, uint64_t most);
uint64_t lotor_row_number(lotor_row_reader *at, int column); /* from 0 to 2^63 - 1 */
uint64_t lotor_row_bits(lotor_row_reader *at, int column);
double lotor_row_real(lotor_row_reader *at, int column);
const char *lotor_row_text(lotor_row_reader *at, int column);
const unsigned char *lotor_row_bytes(lotor_row_reader *at, int column, size_t *length);
const unsigned char *lotor_row_maybe_bytes(lotor_row_reader *at, int column, size_t *length);
void lotor_row_exactly(lotor_row_reader *at, int column, unsigned char *to, size_t length);

#endif
