/* driver.h - what a database must do for the store. Only the store's own files include it.
 *
 * Every statement is written once, in PostgreSQL's notation: parameters are $1, $2, ..., tables are
 * lotor_NAME, the clock is LOTOR_SQL_NOW. The SQLite driver translates it (?1, NAME, now_ms()) when
 * it prepares a statement.
 *
 *      rows.c, check.c, copy.c, migrate.c     statements and rows
 *      query.c                                values, checked columns, one call's transaction
 *      driver_sqlite.c, driver_postgres.c     the two drivers
 *
 * A store has one result at a time: a statement's rows are read to the end, or ended, before the
 * next statement.
 */
#ifndef LOTOR_SERVICE_STORE_DRIVER_H
#define LOTOR_SERVICE_STORE_DRIVER_H

#include "service/store/store.h"

/* Milliseconds since 1970. */
#define LOTOR_SQL_NOW "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"

typedef enum lotor_value_kind {
    LOTOR_VALUE_WHOLE, /* 64 bits, signed */
    LOTOR_VALUE_REAL,
    LOTOR_VALUE_TEXT,  /* as a column: it ends with a zero byte, and has none inside */
    LOTOR_VALUE_BYTES, /* NULL: the value is null. As a column: only a null is NULL */
    LOTOR_VALUE_BAD,   /* a number that has no place in 63 bits; a column of another type */
    LOTOR_VALUE_MEMORY /* a column that could not be read for lack of memory */
} lotor_value_kind;

typedef struct lotor_value {
    lotor_value_kind kind;
    int64_t whole;
    double real;
    const void *bytes;
    size_t length;
} lotor_value;

lotor_value lotor_whole(uint64_t value); /* up to 2^63 - 1 */
lotor_value lotor_bits(uint64_t value);  /* all 64 bits */
lotor_value lotor_real(double value);
lotor_value lotor_text(const char *text);
lotor_value lotor_bytes(const void *bytes, size_t length); /* NULL: null */

typedef enum lotor_begin_kind {
    LOTOR_BEGIN_USUAL, /* SERVE: within the time limits. READ: one moment, reads only */
    LOTOR_BEGIN_QUICK, /* the commit need not be durable */
    LOTOR_BEGIN_LONG   /* without time limits: makes or copies tables */
} lotor_begin_kind;

typedef struct lotor_driver {
    bool is_exclusive;
    void (*close)(lotor_store *store);
    /* A transaction. commit: LOTOR_UNFINISHED: nobody knows; any other failure: it was not
     * applied. */
    lotor_status (*begin)(lotor_store *store, lotor_begin_kind kind, lotor_message *why);
    lotor_status (*commit)(lotor_store *store, lotor_message *why);
    void (*rollback)(lotor_store *store);
    /* Runs a statement. `is_awaited` false: nobody looks at its result, and it may be sent later,
     * with the next one or the commit, which then fails in its place. LOTOR_DUPLICATE: a key is
     * taken. */
    lotor_status (*run)(lotor_store *store, const char *sql, const lotor_value *values,
                        size_t count, bool is_awaited, lotor_message *why);
    /* The next row; LOTOR_UNKNOWN: there is no other. */
    lotor_status (*next)(lotor_store *store, lotor_message *why);
    lotor_value (*column)(lotor_store *store, int column, lotor_value_kind kind);
    const char *(*column_name)(lotor_store *store, int column);
    void (*end)(lotor_store *store); /* of the result */
    /* Several statements without parameters, in this database's own notation, inside a
     * transaction. */
    lotor_status (*script)(lotor_store *store, const char *sql, lotor_message *why);
    const char *tables; /* a script that makes them, and notes the version */
    const char
        *old_renamed; /* scripts for the migration: tables of schema 1 get the prefix old_ ... */
    const char *old_dropped; /* ... and are dropped */
    /* 0: there are no tables. LOTOR_DAMAGED: another program's. */
    lotor_status (*version)(lotor_store *store, lotor_message *why, uint64_t *version);
    /* Whether the tables are those of that version. */
    lotor_status (*compare)(lotor_store *store, uint64_t version, lotor_message *why);
    /* The database's own look at its files. */
    lotor_status (*inspect)(lotor_store *store, bool is_quick, lotor_message *finding);
    lotor_status (*backup)(lotor_store *store, const char *path, lotor_message *why);
    /* For the migration, inside its transaction: nobody else migrates. LOTOR_UNFINISHED: servers of
     * version 1 run. */
    lotor_status (*lock_old)(lotor_store *store, lotor_message *why);
} lotor_driver;

struct lotor_store {
    const lotor_driver *driver;
    lotor_store_mode mode;
    bool in_transaction;
    uint64_t changed; /* rows, by the last statement that was awaited */
    uint64_t connections;
};

lotor_status lotor_sqlite_open(const char *path, lotor_store_mode mode, const char *vfs,
                               lotor_message *why, lotor_store **out);
lotor_status lotor_postgres_open(const char *address, lotor_store_mode mode, lotor_message *why,
                                 lotor_store **out);
/* schema.c: makes or migrates the tables, and compares them. */
extern const char lotor_sqlite_tables[], lotor_postgres_tables[];
extern const char lotor_sqlite_tables_1[]; /* of schema 1 */
lotor_status lotor_schema_open(lotor_store *store, lotor_message *why);
lotor_status lotor_schema_refuse_newer(uint64_t version, lotor_message *why);
/* migrate.c: schema 1 to 2, inside a transaction. */
lotor_status lotor_store_migrate(lotor_store *store, lotor_message *why);

/* --- query.c ---------------------------------------------------------------------------------- */

#define LOTOR_VALUES(...)                                                                          \
    (const lotor_value[]){__VA_ARGS__},                                                            \
        sizeof((const lotor_value[]){__VA_ARGS__}) / sizeof(lotor_value)

/* A statement with rows. */
lotor_status lotor_select(lotor_store *store, lotor_message *why, const char *sql,
                          const lotor_value *values, size_t count);
/* Whether there is another row, while *status is LOTOR_OK; else ends the result. */
bool lotor_next(lotor_store *store, lotor_message *why, lotor_status *status);

/* A statement that changes rows; *changed: how many, NULL: nobody asks. Outside a transaction it is
 * one of its own. */
lotor_status lotor_change(lotor_store *store, lotor_message *why, uint64_t *changed,
                          const char *sql, const lotor_value *values, size_t count);
/* A call of several statements: begins a transaction if there is none, and leave ends it, by
 * `status`. */
lotor_status lotor_enter(lotor_store *store, lotor_message *why, bool *alone);
lotor_status lotor_leave(lotor_store *store, bool alone, lotor_status status, lotor_message *why);

/* Columns of the current row. The first one that is not what it should be sets status and
 * message. */
typedef struct lotor_reading {
    lotor_store *store;
    const char *table;
    lotor_message *why;
    lotor_status status;
} lotor_reading;
uint64_t lotor_get_whole(lotor_reading *at, int column, uint64_t least, uint64_t most);
uint64_t lotor_get_number(lotor_reading *at, int column); /* 0 to 2^63 - 1 */
uint64_t lotor_get_bits(lotor_reading *at, int column);
double lotor_get_real(lotor_reading *at, int column);
const char *lotor_get_text(lotor_reading *at, int column);
const unsigned char *lotor_get_bytes(lotor_reading *at, int column, size_t *length);
const unsigned char *lotor_get_maybe_bytes(lotor_reading *at, int column, size_t *length);
void lotor_get_exactly(lotor_reading *at, int column, unsigned char *to, size_t length);

#endif
