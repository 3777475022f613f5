/* test_disk.c - a full disk, a disk that accepts no writes, and a store that is in use.
 *
 * A limit on the size of the child's files simulates the disk. It can be set and removed while the
 * server runs, and needs no privileges.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>
#include <unistd.h>

#include "base/time.h"
#include "service/served.h"

enum { PATIENCE = 15, FULL_AT = 400000 };

static void set_disk(const served_test *served, uint64_t bytes)
{
    const struct rlimit limit = {bytes ? bytes : RLIM_INFINITY, RLIM_INFINITY};
    assert_int_equal(prlimit(served->server.pid, RLIMIT_FSIZE, &limit, NULL), 0);
}

typedef struct answer {
    unsigned rank, reward;
    char event[128];
} answer;

/* One person: ranks and sends a reward. */
static answer live(served_test *served)
{
    answer told = {.rank = 0};
    char path[256];
    lotor_reply reply;
    lotor_client_call(served->client, "POST", "/v1/campaigns/disk/rank", "{}",
                      test_seconds(PATIENCE), &reply);
    told.rank = reply.status;
    if (told.rank != 200) {
        return told;
    }
    json_t *ranking = json_loadb(reply.body, reply.length, 0, NULL);
    const char *event = json_string_value(json_object_get(ranking, "event"));
    assert_non_null(event);
    snprintf(told.event, sizeof told.event, "%s", event);
    json_decref(ranking);
    snprintf(path, sizeof path, "/v1/events/%s/reward", told.event);
    lotor_client_call(served->client, "POST", path, "{\"rewards\":[1]}", test_seconds(PATIENCE),
                      &reply);
    told.reward = reply.status;
    if (told.reward == 503) {
        json_t *body = json_loadb(reply.body, reply.length, 0, NULL);
        const json_t *error = json_object_get(body, "error");
        assert_string_equal(json_string_value(json_object_get(error, "code")), "store");
        json_decref(body);
    }
    return told;
}

static unsigned answer_again(served_test *served, const char *event)
{
    char path[256];
    lotor_reply reply;
    snprintf(path, sizeof path, "/v1/events/%s/reward", event);
    lotor_client_call(served->client, "POST", path, "{\"rewards\":[1]}", test_seconds(PATIENCE),
                      &reply);
    return reply.status;
}

static unsigned readiness(served_test *served)
{
    lotor_reply reply;
    lotor_client_call(served->client, "GET", "/readyz", NULL, test_seconds(PATIENCE), &reply);
    json_t *const told = json_loadb(reply.body, reply.length, 0, NULL);
    const bool is_ready = json_is_true(json_object_get(told, "ready"));
    assert_int_equal(is_ready, reply.status == 200);
    assert_int_equal(is_ready, json_is_null(json_object_get(told, "reason")));
    assert_int_equal(is_ready, json_object_get(told, "error") == NULL);
    assert_true(json_is_array(json_object_get(told, "campaigns")));
    json_decref(told);
    return reply.status;
}

static bool is_ready(void *served)
{
    return readiness(served) == 200;
}

/* The disk is full (`limit` bytes; 1: accepts nothing) after some people; then there is room
 * again. */
static void fill_and_free(uint64_t limit)
{
    served_test served;
    served_begin(&served, NULL);
    served_campaign(&served, "disk", 3, 1, ",\"epsilon\":1,\"wait_seconds\":60");
    for (int i = 0; i < 20; i++) {
        const answer told = live(&served);
        assert_int_equal(told.rank, 200);
        assert_int_equal(told.reward, 200);
    }
    set_disk(&served, limit);
    /* At some point rewards can't be stored: 503, and the event stays open. */
    answer refused = {.rank = 0};
    unsigned ranked_after = 0;
    for (int i = 0; i < 3000 && refused.reward != 503; i++) {
        refused = live(&served);
    }
    assert_int_equal(refused.reward, 503);
    /* Ranking continues until the drawn decisions are used up. Then it returns 503, too. The
     * server never hangs or dies. */
    unsigned last = 200;
    for (int i = 0; i < 10000 && last == 200; i++) {
        const answer told = live(&served);
        last = told.rank;
        ranked_after += last == 200;
        assert_true(told.rank == 200 || told.rank == 503);
        assert_true(told.reward == 0 || told.reward == 503);
    }
    assert_int_equal(last, 503);
    assert_int_equal(readiness(&served), 503);
    print_message("%u rankings after the disk was full\n", ranked_after);
    set_disk(&served, 0);
    const double end = lotor_time_seconds() + test_seconds(PATIENCE);
    unsigned again = 503;
    while (again == 503 && lotor_time_seconds() < end) {
        again = answer_again(&served, refused.event);
        usleep(10000);
    }
    assert_int_equal(again, 200);
    assert_true(test_await(is_ready, &served, PATIENCE));
    for (int i = 0; i < 20; i++) {
        const answer told = live(&served);
        assert_int_equal(told.rank, 200);
        assert_int_equal(told.reward, 200);
    }
    assert_int_equal(lotor_child_stop(&served.server), 0);
    assert_int_equal(served_check(&served), 0);
    served_end(&served);
}

TEST_WITH(test_a_full_disk, NULL, served_teardown)
{
    fill_and_free(FULL_AT);
}

TEST_WITH(test_a_disk_that_takes_nothing, NULL, served_teardown)
{
    fill_and_free(1);
}

TEST_WITH(test_two_servers_on_one_store, NULL, served_teardown)
{
    served_test served;
    served_begin(&served, NULL);
    served_campaign(&served, "disk", 3, 1, ",\"epsilon\":1,\"wait_seconds\":60");
    char log[256];
    snprintf(log, sizeof log, "%s/second", served.folder);
    lotor_child second;
    const lotor_child_setup setup = {
        .executable = LOTOR_EXECUTABLE, .store = served.store, .log = log};
    lotor_message why = {""};
    assert_int_equal(lotor_child_start(&second, &setup, &why), LOTOR_IO);
    print_message("%s\n", why.text);
    assert_non_null(strstr(why.text, "ended"));
    assert_int_equal(live(&served).reward, 200); /* the first server is not affected */
    /* When the first server is dead, even after kill -9, another one can start. */
    lotor_child_kill(&served.server);
    assert_int_equal(lotor_child_start(&second, &setup, &why), LOTOR_OK);
    assert_int_equal(lotor_child_stop(&second), 0);
    served_end(&served);
}

TEST_WITH(test_a_store_that_can_not_be_made, NULL, served_teardown)
{
    char line[300];
    const char *const nowhere[] = {"serve", "--store", "/proc/lotor.db", "--port", "0", NULL};
    assert_true(served_run(nowhere, line, sizeof line) > 0);
}
