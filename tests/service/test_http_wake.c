/* test_http_wake.c - the threads of the HTTP server sleep until they have work, and no longer.
 *
 * No test here measures time. Each sleep of these threads that has a limit lasts a minute. So a
 * reply comes only if something wakes the thread, however fast the machine is. The number of
 * passes shows that threads without work sleep: a loop that does not wait makes thousands. */
#include "support/test.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <microhttpd.h>

#include "service/client/client.h"
#include "service/running.h"

enum { MINUTE = 60 * 1000, THREADS = 3, REWARDS = 8, FEW = 20 };

static const char campaign[] =
    "{\"name\":\"shop\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\",\"c\"],\"slots\":1,"
    "\"epsilon\":1,\"wait_seconds\":600}";

static running server;

/* --- longer sleeps ---------------------------------------------------------------------------- */

static atomic_size_t passes; /* of all threads of the server */
static _Thread_local bool is_server;

int __real_poll(struct pollfd *files, nfds_t count, int milliseconds);
int __wrap_poll(struct pollfd *files, nfds_t count, int milliseconds);
enum MHD_Result __real_MHD_run_wait(struct MHD_Daemon *daemon, int32_t milliseconds);
enum MHD_Result __wrap_MHD_run_wait(struct MHD_Daemon *daemon, int32_t milliseconds);

static int longer(int milliseconds)
{
    return milliseconds > 0 ? MINUTE : milliseconds;
}

int __wrap_poll(struct pollfd *files, nfds_t count, int milliseconds)
{
    return __real_poll(files, count, is_server ? longer(milliseconds) : milliseconds);
}

/* Only threads of the server call this. */
enum MHD_Result __wrap_MHD_run_wait(struct MHD_Daemon *daemon, int32_t milliseconds)
{
    is_server = true;
    atomic_fetch_add(&passes, 1);
    return __real_MHD_run_wait(daemon, longer(milliseconds));
}

/* How often the threads of the server run while nothing happens. On a busy machine, that can only
 * be less often. */
static size_t passes_at_rest(void)
{
    const size_t before = atomic_load(&passes);
    usleep(200000);
    return atomic_load(&passes) - before;
}

/* --- tests ------------------------------------------------------------------------------------ */

static int start_server(void **state)
{
    (void)state;
    running_start_wide(&server, 0.0, THREADS);
    return 0;
}

static int stop_server(void **state)
{
    (void)state;
    running_stop(&server); /* this wakes all threads, too */
    return 0;
}

/* Each client has its own connection, so each thread of the server may get some of them. */
TEST_WITH(a_commit_wakes_the_thread_of_the_request, start_server, stop_server)
{
    char paths[REWARDS][128];
    running_fine(&server, "POST", "/v1/campaigns", campaign);
    for (size_t i = 0; i < REWARDS; i++) {
        const json_t *const decision =
            running_fine(&server, "POST", "/v1/campaigns/shop/rank", "{}");
        snprintf(paths[i], sizeof paths[i], "/v1/events/%s/reward",
                 json_string_value(json_object_get(decision, "event")));
    }
    for (size_t i = 0; i < REWARDS; i++) {
        running_fine(&server, "POST", paths[i], "{\"rewards\":[1]}");
    }
}

TEST_WITH(threads_without_requests_sleep, start_server, stop_server)
{
    running_fine(&server, "POST", "/v1/campaigns", campaign);
    running_fine(&server, "POST", "/v1/campaigns/shop/rank", "{}");
    assert_true(passes_at_rest() < FEW);
}

/* A calculation that ends when the test says so. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool has_begun, may_end;
} held = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static json_t *calculate(const json_t *body, lotor_refusal *refusal)
{
    (void)body;
    (void)refusal;
    pthread_mutex_lock(&held.lock);
    held.has_begun = true;
    while (!held.may_end) {
        pthread_cond_wait(&held.changed, &held.lock);
    }
    pthread_mutex_unlock(&held.lock);
    return json_pack("{s:b}", "done", 1);
}

static bool has_begun(void *nothing)
{
    (void)nothing;
    pthread_mutex_lock(&held.lock);
    const bool has = held.has_begun;
    pthread_mutex_unlock(&held.lock);
    return has;
}

static void let_end(void)
{
    pthread_mutex_lock(&held.lock);
    held.may_end = true;
    pthread_cond_broadcast(&held.changed);
    pthread_mutex_unlock(&held.lock);
}

static void *ask(void *context)
{
    lotor_client *const client = context;
    static lotor_reply reply;
    lotor_client_call(client, "POST", "/v1/advise", "{}", test_seconds(20.0), &reply);
    return &reply;
}

/* A second server with the same engine, whose only thread has one waiting request. */
TEST_WITH(a_thread_sleeps_while_a_request_waits, start_server, stop_server)
{
    lotor_message why;
    lotor_http *http = NULL;
    lotor_client *client = NULL;
    pthread_t asker;
    void *result;
    const lotor_http_setup setup = {
        .engine = server.engine, .keys = server.keys, .address = "127.0.0.1", .advise = calculate};
    assert_int_equal(lotor_http_start(&setup, &why, &http), LOTOR_OK);
    assert_int_equal(lotor_client_new("127.0.0.1", lotor_http_port(http), server.key[RUNNING_ADMIN],
                                      &why, &client),
                     LOTOR_OK);
    assert_int_equal(pthread_create(&asker, NULL, ask, client), 0);
    const bool began = test_await(has_begun, NULL, 20.0);
    const size_t found = passes_at_rest();
    let_end();
    assert_int_equal(pthread_join(asker, &result), 0);
    const lotor_reply *const reply = result;
    assert_true(began);
    assert_true(found < FEW);
    assert_int_equal(reply->status, 200);
    lotor_client_free(client);
    lotor_http_free(http);
}
