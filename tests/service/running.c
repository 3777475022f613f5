/* running.c - runs a server inside of the test. See running.h. */
#include "service/running.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/cmocka_all.h"
#include "support/patience.h"

#include "base/time.h"
#include "service/client/client.h"
#include "service/lab/lab.h"

static void need(lotor_status status, const lotor_message *why)
{
    if (status != LOTOR_OK) {
        fail_msg("the server of the test: %s", why->text);
    }
}

static void make_keys(running *self)
{
    static const lotor_role roles[RUNNING_ROLES] = {[RUNNING_RANK] = LOTOR_ROLE_RANK,
                                                    [RUNNING_REWARD] = LOTOR_ROLE_REWARD,
                                                    [RUNNING_READ] = LOTOR_ROLE_READ,
                                                    [RUNNING_METRICS] = LOTOR_ROLE_METRICS,
                                                    [RUNNING_ADMIN] = LOTOR_ROLE_ADMIN};
    lotor_message why;
    self->key[RUNNING_NOBODY][0] = '\0';
    for (int i = RUNNING_RANK; i < RUNNING_ROLES; i++) {
        need(lotor_key_make(self->keys_path, roles[i], "test", &why, self->key[i]), &why);
    }
    /* A key of the right form whose last characters are wrong. */
    memcpy(self->key[RUNNING_WRONG], self->key[RUNNING_ADMIN], sizeof self->key[0]);
    memcpy(self->key[RUNNING_WRONG] + LOTOR_KEY_LENGTH - 4, "AAAA", 4);
}

void running_use_key(running *self, unsigned roles, const char *name, const char *campaign,
                     uint64_t expires)
{
    lotor_message why;
    const lotor_key_setup setup = {
        .roles = (lotor_role)roles, .name = name, .campaign = campaign, .expires = expires};
    need(lotor_key_make_with(self->keys_path, &setup, &why, self->key[RUNNING_WRONG]), &why);
}

/* Advice takes a second on an idle machine, and as much longer as tests may take on this one. */
static json_t *advise(const json_t *body, lotor_refusal *refusal)
{
    return lotor_lab_advise_within(body, test_seconds(1.0), refusal);
}

static uint64_t store_clock(void *context)
{
    const running *const self = context;
    return lotor_time_wall_ms() + atomic_load(&self->ahead);
}

void running_start_wide(running *self, double patience, unsigned threads)
{
    lotor_message why;
    memset(self, 0, sizeof *self);
    scratch_start(&self->files);
    snprintf(self->store_path, sizeof self->store_path, "%s", scratch_path(&self->files, "s.db"));
    snprintf(self->keys_path, sizeof self->keys_path, "%s", scratch_path(&self->files, "s.keys"));
    snprintf(self->head_path, sizeof self->head_path, "%s", scratch_path(&self->files, "s.head"));
    make_keys(self);
    need(lotor_keys_open(self->keys_path, &why, &self->keys), &why);
    need(lotor_store_open(self->store_path, LOTOR_STORE_SERVE, NULL, &why, &self->store), &why);
    need(lotor_server_key_open(scratch_path(&self->files, "s.key"), true, &why, &self->server_key),
         &why);
    bool were_lost = false;
    need(lotor_heads_open(self->head_path, &why, &self->heads, &were_lost), &why);
    const lotor_engine_setup engine = {.allow_weak_epsilon = true,
                                       .store = self->store,
                                       .server_key = self->server_key,
                                       .heads = self->heads,
                                       .heads_were_lost = were_lost,
                                       .store_clock = store_clock,
                                       .clock_context = self};
    need(lotor_engine_new(&engine, &why, &self->engine), &why);
    need(lotor_engine_start(self->engine, &why), &why);
    const lotor_http_setup http = {.engine = self->engine,
                                   .keys = self->keys,
                                   .address = "127.0.0.1",
                                   .threads = threads,
                                   .patience = patience,
                                   .advise = advise};
    need(lotor_http_start(&http, &why, &self->http), &why);
    self->port = lotor_http_port(self->http);
}

void running_start(running *self, double patience)
{
    running_start_wide(self, patience, 0);
}

bool running_has_no_request(void *self)
{
    return lotor_http_open(((const running *)self)->http) == 0;
}

void running_stop(running *self)
{
    lotor_message why;
    lotor_http_drain(self->http);
    test_await(running_has_no_request, self, 2.0);
    need(lotor_engine_stop(self->engine, &why), &why);
    lotor_http_free(self->http);
    lotor_engine_free(self->engine);
    lotor_heads_free(self->heads);
    lotor_server_key_free(self->server_key);
    lotor_store_close(self->store);
    lotor_keys_free(self->keys);
    json_decref(self->body);
    scratch_end(&self->files);
}

unsigned running_call(running *self, int role, const char *method, const char *path,
                      const char *body)
{
    lotor_message why;
    lotor_client *client = NULL;
    lotor_reply reply;
    const char *const key = self->key[role][0] ? self->key[role] : NULL;
    need(lotor_client_new("127.0.0.1", self->port, key, &why, &client), &why);
    if (lotor_client_call(client, method, path, body, test_seconds(5.0), &reply) !=
        LOTOR_REPLY_DONE) {
        fail_msg("%s %s: no reply: %s", method, path, reply.reason);
    }
    snprintf(self->text, sizeof self->text, "%s", reply.body);
    json_decref(self->body);
    self->body = json_loadb(reply.body, reply.length, JSON_REJECT_DUPLICATES, NULL);
    self->status = reply.status;
    lotor_client_free(client);
    return self->status;
}

const json_t *running_fine(running *self, const char *method, const char *path, const char *body)
{
    const unsigned status = running_call(self, RUNNING_ADMIN, method, path, body);
    if (status != 200 && status != 201) {
        fail_msg("%s %s: %u %s", method, path, status, self->text);
    }
    return self->body;
}

const char *running_error(const running *self)
{
    const char *const code =
        json_string_value(json_object_get(json_object_get(self->body, "error"), "code"));
    return code ? code : "";
}

int running_connect(const running *self)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(self->port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0 ||
        connect(connection, (const struct sockaddr *)&address, sizeof address) != 0) {
        fail_msg("no connection to the server");
    }
    return connection;
}

void running_send(int connection, const void *bytes, size_t length)
{
    size_t sent = 0;
    while (sent < length) {
        const ssize_t count =
            send(connection, (const char *)bytes + sent, length - sent, MSG_NOSIGNAL);
        if (count <= 0) {
            return; /* the server closed the connection: the reply says why */
        }
        sent += (size_t)count;
    }
}

/* Counts the replies whose body is complete. */
static size_t whole_replies(const char *text)
{
    size_t count = 0;
    for (;;) {
        const char *const end = strstr(text, "\r\n\r\n");
        const char *const length = strstr(text, "Content-Length: ");
        if (!end || !length || length > end) {
            return count;
        }
        const size_t body = strtoul(length + 16, NULL, 10);
        if (strlen(end + 4) < body) {
            return count;
        }
        text = end + 4 + body;
        count++;
    }
}

size_t running_receive(int connection, char *text, size_t capacity, size_t replies, double seconds)
{
    size_t length = 0;
    struct pollfd wait = {.fd = connection, .events = POLLIN};
    text[0] = '\0';
    while (length + 1 < capacity && (replies == 0 || whole_replies(text) < replies) &&
           poll(&wait, 1, (int)(1000 * test_seconds(seconds))) == 1) {
        const ssize_t count = recv(connection, text + length, capacity - length - 1, 0);
        if (count <= 0) {
            break;
        }
        length += (size_t)count;
        text[length] = '\0';
    }
    return length;
}
