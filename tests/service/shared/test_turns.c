/* test_turns.c - what servers on one database rest upon: locks that exclude, marks that tell, transactions
 * that end when their connection does. Run by tests/service/shared/postgres.sh with ... */
#include "support/cmocka_all.h"

#include <pthread.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "service/place.h"
#include "service/store/store.h"

static lotor_message why;

#define fine(call)                                                                                 \
    do {                                                                                           \
        why.text[0] = '\0';                                                                        \
        const lotor_status said = (call);                                                          \
        if (said != LOTOR_OK) {                                                                    \
            fail_msg("%s: %s: %s", #call, lotor_status_name(said), why.text);                      \
        }                                                                                          \
    } while (0)

static lotor_store *open_store(void)
{
    lotor_store *store;
    fine(lotor_store_open(getenv("LOTOR_TEST_POSTGRES"), LOTOR_STORE_SERVE, NULL, &why, &store));
    assert_true(lotor_store_is_shared(store));
    return store;
}

static lotor_store *open_with_campaign(void)
{
    uint64_t id;
    place_clear();
    lotor_store *store = open_store();
    fine(lotor_store_begin(store, &why));
    fine(lotor_store_add_campaign(store, "a", "{}", 1, &why, &id));
    fine(lotor_store_commit(store, &why));
    assert_int_equal(id, 1);
    return store;
}

static lotor_mark lock(lotor_store *store)
{
    lotor_mark mark;
    bool got;
    fine(lotor_store_lock(store, 1, true, &why, &mark, &got));
    assert_true(got);
    return mark;
}

static void test_a_lock_excludes_others_until_the_commit(void **state)
{
    (void)state;
    lotor_store *one = open_with_campaign(), *two = open_store();
    lotor_mark mark, seen;
    bool got;
    fine(lotor_store_begin(one, &why));
    fine(lotor_store_begin(two, &why));
    mark = lock(one);
    assert_int_equal(mark.version, 1);
    fine(lotor_store_lock(two, 1, false, &why, &seen, &got));
    assert_false(got);
    mark.version = 2;
    mark.answers = 7;
    mark.due = 99;
    fine(lotor_store_put_mark(one, &mark, &why));
    fine(lotor_store_commit(one, &why));
    seen = lock(two); /* it sees what was committed after its transaction began */
    assert_int_equal(seen.version, 2);
    assert_int_equal(seen.answers, 7);
    assert_int_equal(seen.due, 99);
    lotor_store_close(two);
    lotor_store_close(one);
}

/* Many increments by several connections, none of which is lost. */
enum { THREADS = 3, TURNS = 60 };

static void *take_turns(void *context)
{
    lotor_store *store = context;
    for (int i = 0; i < TURNS; i++) {
        lotor_mark mark;
        bool got;
        if (lotor_store_begin(store, NULL) || lotor_store_lock(store, 1, true, NULL, &mark, &got) ||
            !got) {
            return "lock";
        }
        mark.version++;
        lotor_release release = {.campaign = 1, .time = mark.version};
        if (lotor_store_put_mark(store, &mark, NULL) ||
            lotor_store_add_release(store, &release, NULL) || lotor_store_commit(store, NULL)) {
            return "write";
        }
    }
    return NULL;
}

static void test_no_turn_is_lost(void **state)
{
    (void)state;
    lotor_store *stores[THREADS] = {open_with_campaign(), open_store(), open_store()};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, take_turns, stores[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    fine(lotor_store_begin(stores[0], &why));
    const lotor_mark mark = lock(stores[0]);
    assert_int_equal(mark.version, 1 + THREADS * TURNS);
    assert_int_equal(mark.releases, THREADS * TURNS);
    lotor_store_rollback(stores[0]);
    fine(lotor_store_check(stores[0], &why)); /* one chain, link by link */
    for (int i = 0; i < THREADS; i++) {
        lotor_store_close(stores[i]);
    }
}

static lotor_status count_mark(void *context, const lotor_mark *mark)
{
    *(uint64_t *)context += mark->campaign;
    return LOTOR_OK;
}

static void test_marks_tell_what_was_touched(void **state)
{
    (void)state;
    lotor_store *store = open_with_campaign();
    uint64_t sum = 0;
    fine(lotor_store_begin(store, &why));
    lotor_mark mark = lock(store);
    lotor_store_rollback(store);
    fine(lotor_store_each_mark(store, mark.touched, count_mark, &sum, &why));
    assert_int_equal(sum, 1);
    fine(lotor_store_each_mark(store, mark.touched + 1, count_mark, &sum, &why));
    assert_int_equal(sum, 1);
    usleep(5000);
    fine(lotor_store_begin(store, &why));
    mark = lock(store);
    fine(lotor_store_put_mark(store, &mark, &why));
    fine(lotor_store_commit(store, &why));
    fine(lotor_store_each_mark(store, mark.touched + 1, count_mark, &sum, &why));
    assert_int_equal(sum, 2);
    lotor_store_close(store);
}

static void run(const char *what)
{
    char command[600];
    snprintf(command, sizeof command, "sh '%s' %s '%s'", POSTGRES_SCRIPT, what,
             getenv("LOTOR_TEST_POSTGRES_FOLDER"));
    assert_int_equal(system(command), 0);
}

/* A statement is never sent on another connection than the one its transaction began on. */
static void test_a_lost_connection_undoes_its_transaction(void **state)
{
    (void)state;
    lotor_store *store = open_with_campaign();
    fine(lotor_store_begin(store, &why));
    lotor_mark mark = lock(store);
    mark.version = 5;
    fine(lotor_store_put_mark(store, &mark, &why));
    lock(store); /* it was sent */
    run("stop");
    run("start");
    bool got;
    assert_int_equal(lotor_store_lock(store, 1, true, &why, &mark, &got), LOTOR_UNFINISHED);
    assert_int_equal(lotor_store_lock(store, 1, true, &why, &mark, &got), LOTOR_UNFINISHED);
    assert_int_equal(lotor_store_commit(store, &why), LOTOR_UNFINISHED);
    assert_false(lotor_store_was_conflict(store));
    lotor_status status = LOTOR_UNFINISHED;
    for (int i = 0; status && i < 50; i++) {
        status = lotor_store_begin(store, &why);
        usleep(status ? 100000 : 0);
    }
    fine(status);
    assert_int_equal(lock(store).version, 1);
    lotor_store_close(store);
}

/* Two that wait for each other: one is told that it met another, and can do it again. */
typedef struct crossing {
    lotor_store *store;
    lotor_status status;
    bool was_conflict;
} crossing;

static void *lock_second(void *context)
{
    crossing *at = context;
    lotor_mark mark;
    bool got;
    at->status = lotor_store_lock(at->store, 2, true, NULL, &mark, &got);
    at->was_conflict = lotor_store_was_conflict(at->store);
    return NULL;
}

static void test_a_conflict_is_told_from_a_failure(void **state)
{
    (void)state;
    crossing one = {.store = open_with_campaign()};
    lotor_store *two = open_store();
    uint64_t id;
    lotor_mark mark;
    bool got;
    fine(lotor_store_begin(two, &why));
    fine(lotor_store_add_campaign(two, "b", "{}", 1, &why, &id));
    fine(lotor_store_commit(two, &why));
    fine(lotor_store_begin(one.store, &why));
    fine(lotor_store_begin(two, &why));
    lock(one.store);
    fine(lotor_store_lock(two, 2, true, &why, &mark, &got));
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, lock_second, &one), 0);
    const lotor_status status = lotor_store_lock(two, 1, true, &why, &mark, &got);
    const bool was_conflict = lotor_store_was_conflict(two);
    lotor_store_rollback(two);
    pthread_join(thread, NULL);
    lotor_store_rollback(one.store);
    assert_true((status == LOTOR_UNFINISHED && was_conflict && one.status == LOTOR_OK) ||
                (status == LOTOR_OK && one.status == LOTOR_UNFINISHED && one.was_conflict));
    lotor_store_close(two);
    lotor_store_close(one.store);
}

static void test_a_database_that_is_not_there(void **state)
{
    (void)state;
    lotor_store *store;
    assert_int_equal(lotor_store_open("postgres://nobody:secret@/none?host=/nowhere",
                                      LOTOR_STORE_SERVE, NULL, &why, &store),
                     LOTOR_UNFINISHED);
    assert_null(store);
    assert_null(strstr(why.text, "secret"));
    place_clear();
    assert_int_equal(
        lotor_store_open(getenv("LOTOR_TEST_POSTGRES"), LOTOR_STORE_READ, NULL, &why, &store),
        LOTOR_UNKNOWN);
}

/* A password is never repeated, however wrong the address is. */
static void test_an_address_is_not_repeated(void **state)
{
    (void)state;
    static const char *const addresses[] = {
        "postgres://u:100%SECRET@127.0.0.1:1/db", "postgres://u:SECRET/x@127.0.0.1:1/db",
        "postgres://u:a@SECRET@127.0.0.1:1/db",   "postgres://u:SECRET@[::1]x/db",
        "postgres://u:x/y?SECRET@127.0.0.1:1/db", "postgres://127.0.0.1:1/db?password=x@SECRET",
        "postgres://u:SECRET@127.0.0.1:1/db",     "postgres://u:SECRET@127.0.0.1:1/db?nothing=1",
    };
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        lotor_store *store;
        assert_true(lotor_store_open(addresses[i], LOTOR_STORE_SERVE, NULL, &why, &store));
        assert_non_null(strstr(why.text, "database"));
        assert_null(strstr(why.text, "SECRET"));
        assert_null(store);
    }
}

int main(void)
{
    if (!place_is_database() || sodium_init() < 0) {
        fputs("run it by tests/service/shared/postgres.sh with ...\n", stderr);
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_lock_excludes_others_until_the_commit),
        cmocka_unit_test(test_no_turn_is_lost),
        cmocka_unit_test(test_marks_tell_what_was_touched),
        cmocka_unit_test(test_a_lost_connection_undoes_its_transaction),
        cmocka_unit_test(test_a_conflict_is_told_from_a_failure),
        cmocka_unit_test(test_a_database_that_is_not_there),
        cmocka_unit_test(test_an_address_is_not_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
