/* store_postgres.h - what the files of the PostgreSQL back end share. Nobody else includes it.
 *
 * The SQL is what CockroachDB and YugabyteDB run too: rows are locked, nothing is listened to, and a
 * transaction that meets another one (40001, 40P01) is told from one that failed. */
#ifndef LOTOR_SERVICE_STORE_POSTGRES_H
#define LOTOR_SERVICE_STORE_POSTGRES_H

#include <libpq-fe.h>

#include "service/store/store_backend.h"

/* Statements that are prepared once for each connection; their text is in store_postgres_queries.c. */
typedef enum lotor_pg_query {
    LOTOR_PG_BEGIN,
    LOTOR_PG_LOOK,
    LOTOR_PG_COMMIT,
    LOTOR_PG_ROLLBACK,
    LOTOR_PG_LOCK_CHAIN,
    LOTOR_PG_ADD_CAMPAIGN,
    LOTOR_PG_ADD_STATE,
    LOTOR_PG_ADD_MARK,
    LOTOR_PG_EACH_CAMPAIGN,
    LOTOR_PG_GET_STATE,
    LOTOR_PG_PUT_STATE,
    LOTOR_PG_PUT_SPEC,
    LOTOR_PG_COUNT_SPEC,
    LOTOR_PG_ADD_BLOCK,
    LOTOR_PG_PUT_BLOCK,
    LOTOR_PG_EACH_BLOCK,
    LOTOR_PG_ADD_ANSWERS,
    LOTOR_PG_EACH_ANSWERS,
    LOTOR_PG_FORGET_BLOCKS,
    LOTOR_PG_FORGET_ANSWERS,
    LOTOR_PG_LAST_RELEASE,
    LOTOR_PG_GET_RELEASE,
    LOTOR_PG_ADD_RELEASE,
    LOTOR_PG_COUNT_RELEASE,
    LOTOR_PG_EACH_RELEASE,
    LOTOR_PG_COUNT_USER,
    LOTOR_PG_EACH_USER,
    LOTOR_PG_PUT_USER,
    LOTOR_PG_GET_META,
    LOTOR_PG_PUT_META,
    LOTOR_PG_LOCK,
    LOTOR_PG_TRY_LOCK,
    LOTOR_PG_PUT_MARK,
    LOTOR_PG_EACH_MARK,
    LOTOR_PG_QUERIES
} lotor_pg_query;
extern const char *const lotor_pg_texts[LOTOR_PG_QUERIES];

/* Parameters of a statement; what they point to must live until it was run. */
enum { LOTOR_PG_ARGUMENTS = 12 };
typedef struct lotor_pg_arguments {
    int count;
    bool is_too_large; /* a number that has no place in 63 bits: refused before it is sent */
    const char *values[LOTOR_PG_ARGUMENTS];
    int lengths[LOTOR_PG_ARGUMENTS], formats[LOTOR_PG_ARGUMENTS];
    unsigned char numbers[LOTOR_PG_ARGUMENTS][8];
} lotor_pg_arguments;

enum { LOTOR_PG_WAITING = 4 };

typedef struct lotor_postgres {
    lotor_store base;
    char *address;
    PGconn *connection; /* NULL: lost */
    bool prepared[LOTOR_PG_QUERIES];
    bool in_transaction;
    bool is_undone; /* the transaction failed or its connection was lost: it can't be committed */
    bool was_conflict; /* see lotor_store_was_conflict */
    /* Statements that are sent with the next one. */
    lotor_pg_query waiting[LOTOR_PG_WAITING];
    lotor_pg_arguments waiting_with[LOTOR_PG_WAITING];
    size_t waiting_count;
    uint64_t retry_at, backoff; /* milliseconds, of a clock that only goes forward */
} lotor_postgres;

static inline lotor_postgres *lotor_postgres_of(lotor_store *store)
{
    return (lotor_postgres *)store; /* `base` comes first */
}

void lotor_pg_number(lotor_pg_arguments *with, uint64_t value);
void lotor_pg_bits(lotor_pg_arguments *with, uint64_t value); /* all 64 */
void lotor_pg_double(lotor_pg_arguments *with, double value);
void lotor_pg_text(lotor_pg_arguments *with, const char *text);
void lotor_pg_bytes(lotor_pg_arguments *with, const void *bytes, size_t length); /* NULL: null */

/* store_postgres_link.c. Milliseconds of a clock that only goes forward. */
uint64_t lotor_pg_now(void);
/* Connects if there is no connection, but never inside a transaction. */
lotor_status lotor_pg_connect(lotor_postgres *store, lotor_message *why);
void lotor_pg_drop(lotor_postgres *store); /* closes the connection; a transaction is undone */
enum { LOTOR_PG_ANSWER_MS = 3000 };        /* the database's own limit comes first: see set_up */
/* Sends what waits, and reads until there is a result; false: it is too late, or it is lost. */
bool lotor_pg_is_answered(lotor_postgres *store, uint64_t until);
/* What was sent comes to an end: its last result, or why there is none. */
lotor_status lotor_pg_finish(lotor_postgres *store, bool is_sent, lotor_message *why,
                             PGresult **out);
lotor_status lotor_pg_refuse_result(lotor_postgres *store, const PGresult *result,
                                    lotor_message *why);
/* Some text of statements, without parameters. */
lotor_status lotor_pg_script(lotor_postgres *store, const char *sql, lotor_message *why);

/* store_postgres_run.c: runs a statement; connects again if need be, outside of transactions. */
lotor_status lotor_pg_run(lotor_postgres *store, lotor_pg_query query,
                          const lotor_pg_arguments *with, lotor_message *why, PGresult **rows);
/* The same for one that changes rows: how many. */
lotor_status lotor_pg_change(lotor_postgres *store, lotor_pg_query query,
                             const lotor_pg_arguments *with, lotor_message *why, uint64_t *rows);
/* One whose parameters are numbers, and whose result nobody waits for: it is sent with the next one, and
 * its failure is that one's. */
lotor_status lotor_pg_later(lotor_postgres *store, lotor_pg_query query,
                            const lotor_pg_arguments *with, lotor_message *why);
/* The value of meta "schema": "" where there are no tables. */
lotor_status lotor_pg_schema(lotor_postgres *store, lotor_message *why, char *value,
                             size_t capacity);

/* Columns of a result in binary form; a wrong type or length sets *damaged. */
uint64_t lotor_pg_get_number(const PGresult *rows, int row, int column, bool *damaged);
uint64_t lotor_pg_get_bits(const PGresult *rows, int row, int column, bool *damaged);
double lotor_pg_get_double(const PGresult *rows, int row, int column, bool *damaged);
const char *lotor_pg_get_text(const PGresult *rows, int row, int column, bool *damaged);
const unsigned char *lotor_pg_get_bytes(const PGresult *rows, int row, int column, size_t *length);
void lotor_pg_copy(const PGresult *rows, int row, int column, unsigned char *to, size_t length,
                   bool *damaged);
lotor_status lotor_pg_refuse(const char *what, lotor_message *why); /* LOTOR_DAMAGED */

/* store_postgres_schema.c: makes or checks the tables. */
lotor_status lotor_pg_migrate(lotor_postgres *store, lotor_message *why);

/* The back end's calls, besides those in store_postgres.c. */
lotor_status lotor_pg_add_campaign(lotor_store *base, const char *name, const char *spec,
                                   double created, lotor_message *why, uint64_t *id);
lotor_status lotor_pg_each_campaign(lotor_store *base, lotor_on_campaign *told, void *context,
                                    lotor_message *why);
lotor_status lotor_pg_get_state(lotor_store *base, uint64_t campaign, lotor_on_campaign *told,
                                void *context, lotor_message *why);
lotor_status lotor_pg_put_state(lotor_store *base, uint64_t campaign, uint64_t final,
                                const unsigned char *state, size_t length, lotor_message *why);
lotor_status lotor_pg_put_spec(lotor_store *base, uint64_t campaign, const char *spec, bool closed,
                               lotor_message *why);
lotor_status lotor_pg_add_block(lotor_store *base, uint64_t campaign, const lotor_block *block,
                                lotor_message *why);
lotor_status lotor_pg_put_block(lotor_store *base, uint64_t campaign, const lotor_block *block,
                                lotor_message *why);
lotor_status lotor_pg_each_block(lotor_store *base, uint64_t campaign, uint64_t changed,
                                 lotor_on_block *told, void *context, lotor_message *why);
lotor_status lotor_pg_add_answers(lotor_store *base, uint64_t campaign,
                                  const lotor_answers *answers, lotor_message *why);
lotor_status lotor_pg_each_answers(lotor_store *base, uint64_t campaign, uint64_t from,
                                   lotor_on_answers *told, void *context, lotor_message *why);
lotor_status lotor_pg_forget(lotor_store *base, uint64_t campaign, uint64_t final,
                             lotor_message *why);
lotor_status lotor_pg_last_release(lotor_store *base, bool locks, lotor_message *why,
                                   lotor_head *out);
lotor_status lotor_pg_get_release(lotor_store *base, uint64_t number, lotor_message *why,
                                  lotor_head *out);
lotor_status lotor_pg_put_release(lotor_store *base, const lotor_release *release,
                                  lotor_message *why);
lotor_status lotor_pg_each_release(lotor_store *base, uint64_t campaign, lotor_on_release_row *told,
                                   void *context, lotor_message *why);
lotor_status lotor_pg_count_user(lotor_store *base, uint64_t campaign, const unsigned char hash[16],
                                 uint64_t cap, lotor_message *why, bool *counted);
lotor_status lotor_pg_each_user(lotor_store *base, uint64_t campaign, lotor_on_user *told,
                                void *context, lotor_message *why);
lotor_status lotor_pg_put_user(lotor_store *base, uint64_t campaign, const unsigned char hash[16],
                               uint64_t shown, lotor_message *why);
lotor_status lotor_pg_get_meta(lotor_store *base, const char *key, lotor_message *why, char *value,
                               size_t capacity);
lotor_status lotor_pg_put_meta(lotor_store *base, const char *key, const char *value,
                               lotor_message *why);
lotor_status lotor_pg_lock(lotor_store *base, uint64_t campaign, bool waits, lotor_message *why,
                           lotor_mark *out, bool *got);
lotor_status lotor_pg_put_mark(lotor_store *base, const lotor_mark *mark, lotor_message *why);
lotor_status lotor_pg_each_mark(lotor_store *base, uint64_t since, lotor_on_mark *told,
                                void *context, lotor_message *why);

#endif
