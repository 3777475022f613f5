/* test_store_shared.c - several servers on one PostgreSQL: fences, locks, lost connections, commits
 * that are not confirmed.
 *
 * Needs LOTOR_TEST_POSTGRES (tests/service/shared/postgres.sh with ...), of a user who may change
 * the database's settings. LOTOR_TEST_POOLER: the same database behind PgBouncer. */
#include "support/test.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "service/fine.h"
#include "service/place.h"
#include "service/scratch.h"
#include "service/store/store.h"

#include <libpq-fe.h>

static scratch files;

static int start(void **state)
{
    (void)state;
    scratch_start(&files);
    place_clear();
    return sodium_init() < 0;
}

static int end(void **state)
{
    (void)state;
    scratch_end(&files);
    return 0;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Runs SQL on another connection; returns the first value of the result as a number. */
static long admin(const char *sql)
{
    PGconn *const connection = PQconnectdb(place_of(&files));
    PGresult *const result = PQexec(connection, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK) {
        fail_msg("%s: %s", sql, PQerrorMessage(connection));
    }
    const long value = PQntuples(result) > 0 ? atol(PQgetvalue(result, 0, 0)) : 0;
    PQclear(result);
    PQfinish(connection);
    return value;
}

static lotor_store *open_place(const char *place, lotor_store_mode mode)
{
    lotor_store *store;
    fine(lotor_store_open(place, mode, NULL, &why, &store));
    return store;
}

static lotor_store *open_store(void)
{
    return open_place(place_of(&files), LOTOR_STORE_SERVE);
}

static const unsigned char bytes[100] = "bytes";

static void add_campaign(lotor_store *store, const char *name)
{
    lotor_campaign_row row = {.name = name, .spec = "{}", .seal = bytes, .created = 1};
    fine(lotor_store_begin(store, &why));
    fine(lotor_store_next_campaign(store, &why, &row.id));
    fine(lotor_store_add_campaign(store, &row, bytes, 72, &why));
    fine(lotor_store_commit(store, &why));
}

static lotor_status append(lotor_store *store, uint64_t stream, uint64_t seq)
{
    const lotor_log_row row = {
        .stream = stream, .seq = seq, .first = 1, .last = 1, .bytes = bytes, .length = 90};
    return lotor_store_append(store, 1, &row, &why);
}

static lotor_status count_log(void *context, const lotor_log_row *row)
{
    (void)row;
    ++*(uint64_t *)context;
    return LOTOR_OK;
}

static uint64_t rows_of(lotor_store *store, uint64_t stream)
{
    uint64_t count = 0;
    fine(lotor_store_each_log(store, 1, stream, 0, count_log, &count, &why));
    return count;
}

/* --- two servers ------------------------------------------------------------------------------ */

TEST_WITH(test_the_fence, start, end)
{
    lotor_store *one = open_store(), *two = open_store();
    lotor_lease lease, other;
    bool done;
    assert_false(lotor_store_is_exclusive(one));
    add_campaign(one, "a");
    fine(lotor_store_add_server(one, 7, 60000, "one", &why));
    fine(lotor_store_add_server(two, 8, 60000, "two", &why));
    fine(lotor_store_begin(one, &why));
    fine(lotor_store_take(one, 1, 7, 0, &why, &lease, &done));
    assert_true(done);
    fine(lotor_store_commit(one, &why));
    fine(lotor_store_beat(one, 7, 0, &why, &done, &(uint64_t){0})); /* it seems to be dead */
    /* The owner is in its cycle when the other server takes over. The takeover waits, and then
     * succeeds. */
    fine(lotor_store_begin(one, &why));
    lease.sealed = lease.final = 10;
    fine(lotor_store_put_lease(one, &lease, &why, &done));
    assert_true(done);
    fine(lotor_store_begin(two, &why));
    const double before = now();
    assert_int_equal(lotor_store_take(two, 1, 8, 1, &why, &other, &done), LOTOR_UNFINISHED);
    assert_true(now() - before < 3); /* waiting has a limit */
    assert_non_null(strstr(why.text, "holds a lock"));
    lotor_store_rollback(two);
    fine(lotor_store_commit(one, &why));
    fine(lotor_store_begin(two, &why));
    fine(lotor_store_take(two, 1, 8, 1, &why, &other, &done));
    assert_false(done); /* the cycle was written meanwhile */
    fine(lotor_store_take(two, 1, 8, other.epoch, &why, &other, &done));
    assert_true(done);
    assert_int_equal(other.final, 10);
    fine(lotor_store_commit(two, &why));
    fine(lotor_store_begin(one, &why));
    fine(lotor_store_put_lease(one, &lease, &why, &done));
    assert_false(done);
    lotor_store_rollback(one);
    lotor_store_close(one);
    lotor_store_close(two);
}

/* A server that is paused in a transaction loses the transaction and its locks. */
TEST_WITH(test_a_paused_server, start, end)
{
    lotor_store *one = open_store(), *two = open_store();
    add_campaign(one, "a");
    fine(lotor_store_begin(one, &why));
    fine(append(one, 5, 1));
    lotor_release_row last;
    fine(lotor_store_last_release(one, 1, &why, &last)); /* sends what is pending */
    sleep(3);
    assert_int_equal(lotor_store_commit(one, &why), LOTOR_UNFINISHED);
    assert_int_equal(rows_of(two, 5), 0);
    fine(append(one, 5, 1)); /* on a new connection */
    assert_int_equal(rows_of(two, 5), 1);
    lotor_store_close(one);
    lotor_store_close(two);
}

TEST_WITH(test_two_servers_start_at_once, start, end)
{
    for (int i = 0; i < 5; i++) {
        place_clear();
        pid_t children[3];
        for (int j = 0; j < 3; j++) {
            children[j] = fork();
            if (children[j] == 0) {
                lotor_store *store;
                const lotor_status status =
                    lotor_store_open(place_of(&files), LOTOR_STORE_SERVE, NULL, &why, &store);
                if (status != LOTOR_OK) {
                    fprintf(stderr, "%s\n", why.text);
                }
                lotor_store_close(store);
                _exit(status != LOTOR_OK);
            }
        }
        for (int j = 0; j < 3; j++) {
            int code;
            assert_int_equal(waitpid(children[j], &code, 0), children[j]);
            assert_int_equal(code, 0);
        }
    }
}

/* --- lost connections ------------------------------------------------------------------------- */

#define KILL_ALL                                                                                   \
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "                               \
    "WHERE application_name = 'lotor serve'"

TEST_WITH(test_lost_connections, start, end)
{
    lotor_store *store = open_store();
    add_campaign(store, "a");
    assert_true(admin(KILL_ALL) >= 1); /* a pooler may have some, too */
    usleep(100000);
    fine(append(store, 5, 1)); /* noticed before it was used */
    fine(lotor_store_begin(store, &why));
    fine(append(store, 5, 2));
    lotor_release_row last;
    fine(lotor_store_last_release(store, 1, &why, &last));
    assert_true(admin(KILL_ALL) >= 1); /* a pooler may have some, too */
    usleep(100000);
    lotor_status status = append(store, 5, 3);
    assert_true(status == LOTOR_OK || status == LOTOR_UNFINISHED); /* it may be sent later */
    assert_int_equal(lotor_store_commit(store, &why), LOTOR_UNFINISHED);
    assert_int_equal(rows_of(store, 5), 1);
    /* A transaction never moves to a second connection. */
    fine(lotor_store_begin(store, &why));
    fine(lotor_store_last_release(store, 1, &why, &last));
    assert_true(admin(KILL_ALL) >= 1); /* a pooler may have some, too */
    usleep(100000);
    assert_int_equal(lotor_store_last_release(store, 1, &why, &last), LOTOR_UNFINISHED);
    assert_int_equal(lotor_store_last_release(store, 1, &why, &last), LOTOR_UNFINISHED);
    lotor_store_rollback(store);
    fine(lotor_store_last_release(store, 1, &why, &last));
    lotor_store_close(store);
}

/* --- commits that are not confirmed ----------------------------------------------------------- */

/* A standby that commits must wait for, and that does not exist. */
static void set_standby(bool is_missing)
{
    admin(is_missing ? "ALTER SYSTEM SET synchronous_standby_names = 'nobody'"
                     : "ALTER SYSTEM RESET synchronous_standby_names");
    admin("SELECT pg_reload_conf()");
    usleep(500000);
}

static void *cancel_soon(void *unused)
{
    (void)unused;
    usleep(700000);
    admin("SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity "
          "WHERE application_name = 'lotor serve' AND wait_event = 'SyncRep'");
    return NULL;
}

TEST_WITH(test_a_commit_with_a_warning_is_not_confirmed, start, end)
{
    lotor_store *store = open_store();
    pthread_t thread;
    add_campaign(store, "a");
    set_standby(true);
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, NULL), 0);
    const lotor_status status = append(store, 5, 1);
    pthread_join(thread, NULL);
    set_standby(false);
    assert_int_equal(status, LOTOR_UNFINISHED);
    if (!strstr(why.text, "warning")) {
        fail_msg("%s", why.text);
    }
    assert_int_equal(rows_of(store, 5), 1); /* here it was applied */
    lotor_store_close(store);
}

TEST_WITH(test_a_commit_that_hangs_is_given_up, start, end)
{
    lotor_store *store = open_store();
    add_campaign(store, "a");
    set_standby(true);
    const double before = now();
    const lotor_status status = append(store, 5, 1);
    const double took = now() - before;
    /* A want does not wait for the standby. */
    const lotor_want_row want = {.campaign = 1, .server = 7, .id = 1, .count = 1};
    const double early = now();
    const lotor_status asked = lotor_store_add_want(store, &want, &why);
    const double asking = now() - early;
    set_standby(false);
    assert_int_equal(status, LOTOR_UNFINISHED);
    assert_true(took > 2 && took < 4);
    assert_int_equal(asked, LOTOR_OK);
    assert_true(asking < 1);
    lotor_store_close(store);
}

/* 'local' would acknowledge before the standby has the data, and a failover would lose them. */
TEST_WITH(test_a_commit_waits_for_the_standby_whatever_the_server_is_set_to, start, end)
{
    lotor_store *store = open_store();
    add_campaign(store, "a");
    admin("ALTER SYSTEM SET synchronous_commit = 'local'");
    set_standby(true); /* the server reads both settings again */
    const lotor_status status = append(store, 5, 1);
    admin("ALTER SYSTEM RESET synchronous_commit");
    set_standby(false);
    assert_int_equal(status, LOTOR_UNFINISHED);
    lotor_store_close(store);
}

/* --- texts ------------------------------------------------------------------------------------ */

TEST_WITH(test_no_message_has_a_password, start, end)
{
    const char *const addresses[] = {
        "postgres://u:secret@127.0.0.1:1/x",        "postgres://u:se@secret@127.0.0.1:1/x",
        "postgres://u:a/secret@127.0.0.1:1/x",      "postgres://u:secret%zz@127.0.0.1:1/x",
        "postgresql://u:secret@127.0.0.1:port/x",   "postgres://u:secret@[::1/x",
        "postgres://u@127.0.0.1:1/x?secret=secret",
    };
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        lotor_store *store;
        assert_int_not_equal(lotor_store_open(addresses[i], LOTOR_STORE_SERVE, NULL, &why, &store),
                             LOTOR_OK);
        assert_null(store);
        if (strstr(why.text, "secret")) {
            fail_msg("%s", why.text);
        }
    }
}

/* --- moving ----------------------------------------------------------------------------------- */

static void fill(lotor_store *store)
{
    lotor_lease lease;
    bool done;
    add_campaign(store, "a");
    add_campaign(store, "b");
    fine(lotor_store_begin(store, &why));
    fine(lotor_store_take(store, 1, 7, 0, &why, &lease, &done));
    lotor_release_row release = {
        .campaign = 1, .number = 1, .time = 4, .facts = bytes, .facts_length = 20};
    lotor_release_row_chain(&release, lease.head);
    fine(lotor_store_add_release(store, &release, &why));
    memcpy(lease.head, release.hash, sizeof lease.head);
    lease.releases = 1;
    lease.final = lease.sealed = 20;
    fine(lotor_store_put_lease(store, &lease, &why, &done));
    for (uint64_t i = 0; i < 1000; i++) { /* more than one round trip can take */
        const lotor_block_row block = {.first = 21 + i,
                                       .count = 1,
                                       .deadline = i,
                                       .nonce = ~i,
                                       .drawn = bytes,
                                       .drawn_length = 100};
        fine(lotor_store_add_block(store, 1, &block, &why));
    }
    const lotor_log_row row = {
        .stream = 5, .seq = 1, .first = 25, .last = 30, .bytes = bytes, .length = 90};
    fine(lotor_store_append(store, 1, &row, &why));
    fine(lotor_store_count_user(store, 1, bytes, 3, &why, &done));
    fine(lotor_store_put_state(store, 1, 1, bytes, 100, &why));
    fine(lotor_store_put_meta(store, "starts", "3", &why));
    fine(lotor_store_commit(store, &why));
    fine(lotor_store_check(store, &why));
}

typedef struct digest {
    crypto_generichash_state hash;
} digest;

static void eat(void *context, const void *from, size_t length)
{
    crypto_generichash_update(&((digest *)context)->hash, from, length);
}
static lotor_status eat_campaign(void *context, const lotor_campaign_row *row)
{
    eat(context, row->name, strlen(row->name) + 1);
    eat(context, row->seal, LOTOR_STORE_HASH);
    return LOTOR_OK;
}
static lotor_status eat_lease(void *context, const lotor_lease *lease)
{
    eat(context, &lease->final, 8);
    eat(context, lease->head, LOTOR_STORE_HASH);
    return LOTOR_OK;
}
static lotor_status eat_block(void *context, const lotor_block_row *row)
{
    eat(context, &row->nonce, 8);
    eat(context, row->drawn, row->drawn_length);
    return LOTOR_OK;
}
static lotor_status eat_log(void *context, const lotor_log_row *row)
{
    eat(context, row->bytes, row->length);
    return LOTOR_OK;
}
static lotor_status eat_bytes(void *context, const unsigned char *from, size_t length)
{
    eat(context, from, length);
    return LOTOR_OK;
}

static void take_digest(lotor_store *store, unsigned char out[32])
{
    digest all;
    uint64_t epoch;
    char starts[8];
    crypto_generichash_init(&all.hash, NULL, 0, 32);
    fine(lotor_store_each_campaign(store, 0, eat_campaign, &all, &why));
    fine(lotor_store_each_lease(store, eat_lease, &all, &why));
    fine(lotor_store_each_block(store, 1, 0, 0, eat_block, &all, &why));
    fine(lotor_store_each_log(store, 1, 5, 0, eat_log, &all, &why));
    fine(lotor_store_get_state(store, 1, eat_bytes, &all, &why, &epoch));
    fine(lotor_store_get_key(store, 2, eat_bytes, &all, &why));
    fine(lotor_store_get_meta(store, "starts", &why, starts, sizeof starts));
    eat(&all, starts, strlen(starts));
    crypto_generichash_final(&all.hash, out, 32);
}

TEST_WITH(test_a_store_moves_there_and_back, start, end)
{
    unsigned char before[32], there[32], back[32];
    char name[600];
    lotor_store *one, *two = open_store();
    snprintf(name, sizeof name, "%s", scratch_path(&files, "one.db"));
    fine(lotor_store_open(name, LOTOR_STORE_SERVE, NULL, &why, &one));
    fill(one);
    take_digest(one, before);
    fine(lotor_store_add_server(one, 7, 60000, "one", &why));
    assert_int_equal(lotor_store_copy(one, two, &why), LOTOR_UNFINISHED); /* it is being served */
    fine(lotor_store_remove_server(one, 7, &why));
    fine(lotor_store_copy(one, two, &why));
    take_digest(two, there);
    assert_memory_equal(before, there, 32);
    fine(lotor_store_check(two, &why));
    assert_int_equal(lotor_store_copy(one, two, &why), LOTOR_DUPLICATE);
    lotor_store_close(one);
    lotor_store_close(two);
    two = open_place(place_of(&files), LOTOR_STORE_READ);
    snprintf(name, sizeof name, "%s", scratch_path(&files, "back.db"));
    fine(lotor_store_open(name, LOTOR_STORE_SERVE, NULL, &why, &one));
    fine(lotor_store_copy(two, one, &why));
    take_digest(one, back);
    assert_memory_equal(before, back, 32);
    fine(lotor_store_check(one, &why));
    lotor_campaign_row row = {.id = 0};
    fine(lotor_store_begin(one, &why));
    fine(lotor_store_next_campaign(one, &why, &row.id));
    assert_int_equal(row.id, 3);
    lotor_store_close(one);
    lotor_store_close(two);
}

/* --- a pooler --------------------------------------------------------------------------------- */

enum { CLIENTS = 6, APPENDS = 300 };

static lotor_status append_three(lotor_store *store, uint64_t stream, uint64_t seq, bool has_break,
                                 lotor_message *words)
{
    lotor_release_row last;
    lotor_status status = LOTOR_OK;
    for (uint64_t i = 0; status == LOTOR_OK && i < 3; i++) {
        const lotor_log_row row = {
            .stream = stream, .seq = seq + i, .first = 1, .last = 1, .bytes = bytes, .length = 90};
        status = lotor_store_append(store, 1, &row, words);
        if (status == LOTOR_OK && has_break) {
            status = lotor_store_last_release(store, 1, words, &last);
        }
    }
    return status;
}

/* In one round trip, in several, undone, and each row alone. */
static void *append_many(void *context)
{
    const uint64_t stream = *(uint64_t *)context;
    lotor_message words;
    lotor_store *store;
    lotor_status status =
        lotor_store_open(getenv("LOTOR_TEST_POOLER"), LOTOR_STORE_SERVE, NULL, &words, &store);
    for (uint64_t i = 1; status == LOTOR_OK && i <= APPENDS; i += 3) {
        status = lotor_store_begin(store, &words);
        status = status ? status : append_three(store, stream, i, i % 2, &words);
        if (status == LOTOR_OK && i % 7 == 0) {
            lotor_store_rollback(store);
            status = append_three(store, stream, i, false, &words);
        } else if (status == LOTOR_OK) {
            status = lotor_store_commit(store, &words);
        }
    }
    if (status != LOTOR_OK) {
        fprintf(stderr, "%s\n", words.text);
    }
    lotor_store_close(store);
    return NULL;
}

TEST_IF(getenv("LOTOR_TEST_POOLER"), test_servers_behind_a_pooler, start, end)
{
    lotor_store *store = open_store();
    add_campaign(store, "a");
    pthread_t threads[CLIENTS];
    uint64_t streams[CLIENTS];
    for (uint64_t i = 0; i < CLIENTS; i++) {
        streams[i] = 100 + i;
        assert_int_equal(pthread_create(&threads[i], NULL, append_many, &streams[i]), 0);
    }
    for (size_t i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (size_t i = 0; i < CLIENTS; i++) {
        assert_int_equal(rows_of(store, streams[i]), APPENDS);
    }
    lotor_store_close(store);
}

TEST_GROUP(place_needs_database, NULL);
