/* test_http_threads.c - many clients at once on a server with several threads: clients that rank
 * and reward, one that reads, one that creates and closes campaigns, and keys that change.
 * Nothing is refused, and all acknowledged feedback is counted once. ThreadSanitizer
 * (scripts/threads) finds no data race. */
#include "base/time.h"
#include "support/test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/client/client.h"
#include "service/running.h"

enum { SERVING = 4, VISITORS = 4, ENOUGH = 8, BATCH = 5 };

static const char campaign[] =
    "{\"name\":\"shop\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\",\"c\"],\"slots\":1,"
    "\"epsilon\":1,\"wait_seconds\":60}";

static running server;

/* A client in its own thread. cmocka's asserts must run in the main thread, which reads what
 * went wrong. */
typedef struct visitor {
    pthread_t thread;
    lotor_client *client;
    size_t number, rounds, answers;
    char wrong[256];
} visitor;

static bool is_late(void)
{
    static double until; /* the sanitizer needs more time for the same rounds */
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    until = until > 0.0 ? until : lotor_time_seconds() + test_seconds(0.8);
    const bool late = lotor_time_seconds() > until;
    pthread_mutex_unlock(&lock);
    return late;
}

static json_t *ask(visitor *self, const char *method, const char *path, const char *body,
                   unsigned expected)
{
    lotor_reply reply;
    if (lotor_client_call(self->client, method, path, body, test_seconds(20.0), &reply) !=
        LOTOR_REPLY_DONE) {
        snprintf(self->wrong, sizeof self->wrong, "%s %s: %s", method, path, reply.reason);
        return NULL;
    }
    if (reply.status != expected) {
        snprintf(self->wrong, sizeof self->wrong, "%s %s: %u %.150s", method, path, reply.status,
                 reply.body);
        return NULL;
    }
    return json_loadb(reply.body, reply.length, JSON_DECODE_ANY, NULL);
}

/* Ranks with one decision and with several in a request, and sends feedback for everything. */
static void visit_once(visitor *self)
{
    char path[160];
    json_t *one = ask(self, "POST", "/v1/campaigns/shop/rank", "{}", 200);
    snprintf(path, sizeof path, "/v1/events/%s/reward",
             json_string_value(json_object_get(one, "event")));
    json_decref(one);
    if (self->wrong[0] == '\0') {
        json_decref(ask(self, "POST", path, "{\"rewards\":[1]}", 200));
        self->answers++;
    }
    json_t *many = ask(self, "POST", "/v1/campaigns/shop/rank-batch", "{\"count\":5}", 200);
    json_t *list = json_array();
    size_t i;
    json_t *decision;
    json_array_foreach(json_object_get(many, "decisions"), i, decision)
    {
        json_array_append_new(list,
                              json_pack("{s:O, s:[i]}", "event", json_object_get(decision, "event"),
                                        "rewards", (int)(i % 2)));
    }
    json_t *body = json_pack("{s:o}", "rewards", list);
    char *text = json_dumps(body, JSON_COMPACT);
    if (self->wrong[0] == '\0') {
        json_decref(ask(self, "POST", "/v1/rewards", text, 200));
        self->answers += json_array_size(list);
    }
    free(text);
    json_decref(body);
    json_decref(many);
}

static void look_once(visitor *self)
{
    static const char *const paths[] = {"/v1/campaigns",
                                        "/v1/campaigns/shop",
                                        "/v1/campaigns/shop/guarantee",
                                        "/v1/campaigns/shop/releases",
                                        "/metrics",
                                        "/healthz",
                                        "/readyz"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths && self->wrong[0] == '\0'; i++) {
        json_decref(ask(self, "GET", paths[i], NULL, 200));
    }
}

static void make_once(visitor *self)
{
    char body[256], path[80];
    snprintf(body, sizeof body,
             "{\"name\":\"c%zu\",\"algorithm\":\"rr-klucb\",\"arms\":[\"a\",\"b\"],\"slots\":1,"
             "\"epsilon\":1,\"wait_seconds\":60}",
             self->rounds);
    json_decref(ask(self, "POST", "/v1/campaigns", body, 201));
    snprintf(path, sizeof path, "/v1/campaigns/c%zu/close", self->rounds);
    json_decref(ask(self, "POST", path, "{}", 200));
    json_decref(ask(self, "POST", "/v1/campaigns/shop/arms",
                    self->rounds % 2 ? "{\"pause\":[\"c\"]}" : "{\"resume\":[\"c\"]}", 200));
}

/* Makes a new key for the same role and lets the server read the file again, as an operator
 * does. */
static void change_keys_once(visitor *self)
{
    lotor_message why;
    char key[LOTOR_KEY_LENGTH + 1];
    const bool has_room = self->rounds < 500; /* a key file takes 1,024 keys */
    if ((has_room &&
         lotor_key_make(server.keys_path, LOTOR_ROLE_RANK, "more", &why, key) != LOTOR_OK) ||
        lotor_keys_reload(server.keys, false, &why) != LOTOR_OK) {
        snprintf(self->wrong, sizeof self->wrong, "%.200s", why.text);
    }
    (void)lotor_http_sweep(server.http);
    json_decref(ask(self, "GET", "/v1/campaigns", NULL, 200));
}

static void *run(void *context)
{
    visitor *self = context;
    void (*const what[])(visitor *) = {look_once, make_once, change_keys_once};
    for (; self->wrong[0] == '\0' && (self->rounds < ENOUGH || !is_late()); self->rounds++) {
        (self->number < VISITORS ? visit_once : what[self->number - VISITORS])(self);
    }
    return NULL;
}

static size_t answers_kept(void)
{
    size_t count = 0;
    assert_int_equal(running_call(&server, RUNNING_ADMIN, "GET", "/metrics", NULL), 200);
    const char *const line = strstr(server.text, "\nlotor_feedback_total ");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "\nlotor_feedback_total %zu", &count), 1);
    return count;
}

TEST(many_at_once)
{
    visitor all[VISITORS + 3] = {0};
    lotor_message why;
    running_start_wide(&server, test_seconds(5.0), SERVING);
    running_fine(&server, "POST", "/v1/campaigns", campaign);
    for (size_t i = 0; i < VISITORS + 3; i++) {
        all[i].number = i;
        assert_int_equal(lotor_client_new("127.0.0.1", server.port, server.key[RUNNING_ADMIN], &why,
                                          &all[i].client),
                         LOTOR_OK);
    }
    for (size_t i = 0; i < VISITORS + 3; i++) {
        assert_int_equal(pthread_create(&all[i].thread, NULL, run, &all[i]), 0);
    }
    size_t answers = 0;
    for (size_t i = 0; i < VISITORS + 3; i++) {
        assert_int_equal(pthread_join(all[i].thread, NULL), 0);
        answers += all[i].answers;
    }
    for (size_t i = 0; i < VISITORS + 3; i++) {
        assert_string_equal(all[i].wrong, "");
        assert_true(all[i].rounds >= ENOUGH);
        lotor_client_free(all[i].client);
    }
    assert_true(answers >= VISITORS * ENOUGH * (1 + BATCH));
    assert_int_equal(answers_kept(), answers);
    running_stop(&server);
}
