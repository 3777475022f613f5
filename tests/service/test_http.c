/* test_http.c - the server as a client sees it: permissions, limits, broken requests,
 * connections. */
#include "support/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/time.h"
#include "service/http/api.h"
#include "service/http/body.h"
#include "service/http/http_connections.h"
#include "service/running.h"

static running server;

static const char campaign[] =
    "{\"name\":\"shop\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\",\"c\"],\"slots\":2,"
    "\"epsilon\":1,\"wait_seconds\":60}";

static int start_server(void **state)
{
    (void)state;
    running_start(&server, test_seconds(1.0));
    running_fine(&server, "POST", "/v1/campaigns", campaign);
    return 0;
}

static int stop_server(void **state)
{
    (void)state;
    running_stop(&server);
    return 0;
}

/* --- permissions ------------------------------------------------------------------------------ */

static void fill_in(const char *pattern, char *path, size_t capacity)
{
    const char *const opens = strchr(pattern, '{');
    snprintf(path, capacity, "%.*s%s%s", opens ? (int)(opens - pattern) : (int)strlen(pattern),
             pattern, opens ? "shop" : "", opens ? strchr(pattern, '}') + 1 : "");
}

/* Tries every route with every kind of key. An allowed request may still be refused for other
 * reasons. */
TEST(test_every_route_with_every_key)
{
    for (size_t i = 0; i < lotor_route_count; i++) {
        const lotor_route *const route = &lotor_routes[i];
        char path[256];
        fill_in(route->path, path, sizeof path);
        /* The other routes need the campaign, and need it open. */
        if (strstr(path, "/close")) {
            snprintf(path, sizeof path, "/v1/campaigns/none/close");
        } else if (strcmp(route->method, "DELETE") == 0) {
            snprintf(path, sizeof path, "%s/none",
                     strstr(path, "keys") ? "/v1/keys" : "/v1/campaigns");
        }
        for (int role = 0; role < RUNNING_ROLES; role++) {
            const bool is_open = route->role == LOTOR_ROLE_NONE;
            const bool has_key = role != RUNNING_NOBODY && role != RUNNING_WRONG;
            const bool is_theirs = role == RUNNING_ADMIN ||
                                   (has_key && route->role == LOTOR_ROLE_ANY) ||
                                   (role == RUNNING_RANK && route->role == LOTOR_ROLE_RANK) ||
                                   (role == RUNNING_REWARD && route->role == LOTOR_ROLE_REWARD) ||
                                   (role == RUNNING_READ && route->role == LOTOR_ROLE_READ) ||
                                   (role == RUNNING_METRICS && route->role == LOTOR_ROLE_METRICS);
            const unsigned status = running_call(&server, role, route->method, path,
                                                 strcmp(route->method, "POST") == 0 ? "{}" : NULL);
            if (is_open || is_theirs) {
                assert_true(status != 401 && status != 403);
            } else if (role == RUNNING_NOBODY || role == RUNNING_WRONG) {
                assert_int_equal(status, 401);
                assert_string_equal(running_error(&server), "unauthorized");
            } else {
                assert_int_equal(status, 403);
                assert_string_equal(running_error(&server), "forbidden");
            }
        }
    }
}

TEST(test_a_key_is_taken_back_and_another_given)
{
    lotor_message why;
    char key[LOTOR_KEY_LENGTH + 1], saved[LOTOR_KEY_LENGTH + 1];
    size_t length;
    unsigned char *const before = scratch_read(server.keys_path, &length);
    memcpy(saved, server.key[RUNNING_WRONG], sizeof saved);
    /* A new key works at once. */
    assert_int_equal(lotor_key_make(server.keys_path, LOTOR_ROLE_RANK, "new", &why, key), LOTOR_OK);
    memcpy(server.key[RUNNING_WRONG], key, sizeof key);
    assert_int_equal(running_call(&server, RUNNING_WRONG, "POST", "/v1/campaigns/shop/rank", "{}"),
                     200);
    /* A key whose line was deleted stops working, even if another line is broken. The other keys
     * stay. */
    unsigned char *const broken = malloc(length + 15);
    assert_non_null(broken);
    memcpy(broken, "admin nonsense\n", 15);
    memcpy(broken + 15, before, length);
    scratch_write(server.keys_path, broken, length + 15);
    assert_int_equal(lotor_keys_reload(server.keys, true, &why), LOTOR_DAMAGED);
    assert_non_null(strstr(why.text, "line 1 "));
    assert_int_equal(running_call(&server, RUNNING_WRONG, "POST", "/v1/campaigns/shop/rank", "{}"),
                     401);
    assert_int_equal(running_call(&server, RUNNING_RANK, "POST", "/v1/campaigns/shop/rank", "{}"),
                     200);
    free(broken);
    /* If the key file can't be read, no key works, and clients are told to try again. */
    assert_int_equal(chmod(server.keys_path, 0644), 0);
    assert_int_equal(lotor_keys_reload(server.keys, false, &why), LOTOR_INVALID);
    assert_int_equal(running_call(&server, RUNNING_RANK, "POST", "/v1/campaigns/shop/rank", "{}"),
                     503);
    assert_string_equal(running_error(&server), "store");
    assert_int_equal(chmod(server.keys_path, 0600), 0);
    assert_int_equal(running_call(&server, RUNNING_RANK, "POST", "/v1/campaigns/shop/rank", "{}"),
                     200); /* the server reads the file again */
    scratch_write(server.keys_path, before, length);
    assert_int_equal(lotor_keys_reload(server.keys, false, &why), LOTOR_OK);
    assert_int_equal(running_call(&server, RUNNING_WRONG, "POST", "/v1/campaigns/shop/rank", "{}"),
                     401);
    memcpy(server.key[RUNNING_WRONG], saved, sizeof saved);
    free(before);
}

/* --- limits ----------------------------------------------------------------------------------- */

static char reply[262144];

/* Sends a request with the admin's key and raw headers. Returns the status of the reply. */
static unsigned raw(const char *head, const void *body, size_t length)
{
    char text[32768];
    const int connection = running_connect(&server);
    snprintf(text, sizeof text, "%s\r\nHost: x\r\nAuthorization: Bearer %s\r\n", head,
             server.key[RUNNING_ADMIN]);
    running_send(connection, text, strlen(text));
    snprintf(text, sizeof text, "Content-Length: %zu\r\n\r\n", length);
    running_send(connection, text, strlen(text));
    running_send(connection, body, length);
    running_receive(connection, reply, sizeof reply, 1, 3.0);
    close(connection);
    unsigned status = 0;
    sscanf(reply, "HTTP/1.1 %u", &status);
    return status;
}

static const char rank_head[] = "POST /v1/campaigns/shop/rank HTTP/1.1";

TEST(test_bodies_up_to_the_limit)
{
    char *const body = malloc(LOTOR_BODY_MAX + 1);
    memset(body, ' ', LOTOR_BODY_MAX + 1);
    memcpy(body, "{}", 2);
    assert_int_equal(raw(rank_head, body, LOTOR_BODY_MAX), 200);
    assert_int_equal(raw(rank_head, body, LOTOR_BODY_MAX + 1), 413);
    assert_non_null(strstr(reply, "\"too_large\""));
    free(body);
}

/* If the announced length is too large, the reply comes without waiting for the body. */
TEST(test_a_large_body_is_not_read)
{
    char head[512];
    const int connection = running_connect(&server);
    snprintf(head, sizeof head,
             "%s\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 99999999999\r\n\r\n",
             rank_head, server.key[RUNNING_ADMIN]);
    running_send(connection, head, strlen(head));
    running_receive(connection, reply, sizeof reply, 0, 3.0); /* until it is closed */
    assert_non_null(strstr(reply, "HTTP/1.1 413"));
    close(connection);
}

/* A request whose body is so many chunks of 4 KiB. */
static void send_chunks(const char *head, int count)
{
    char chunk[4096 + 16];
    memcpy(chunk, "1000\r\n", 6);
    memset(chunk + 6, ' ', 4096);
    memcpy(chunk + 6 + 4096, "\r\n", 2);
    const int connection = running_connect(&server);
    running_send(connection, head, strlen(head));
    for (int i = 0; i < count; i++) {
        running_send(connection, chunk, 4096 + 8);
    }
    running_send(connection, "0\r\n\r\n", 5);
    running_receive(connection, reply, sizeof reply, 1, 3.0);
    close(connection);
}

TEST(test_a_body_in_chunks)
{
    char head[512];
    snprintf(head, sizeof head,
             "%s\r\nHost: x\r\nAuthorization: Bearer %s\r\nTransfer-Encoding: chunked\r\n\r\n",
             rank_head, server.key[RUNNING_ADMIN]);
    const int connection = running_connect(&server);
    running_send(connection, head, strlen(head));
    running_send(connection, "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", 17);
    running_receive(connection, reply, sizeof reply, 1, 3.0);
    assert_non_null(strstr(reply, "HTTP/1.1 200"));
    close(connection);
    /* Too many chunks: the server says so at the end, or closes the connection. */
    send_chunks(head, 20);
    assert_non_null(strstr(reply, "HTTP/1.1 413"));
    send_chunks(head, 400);
    assert_null(strstr(reply, "HTTP/1.1 200"));
}

/* If a proxy could read another length than the server, a request could be hidden inside
 * another. */
TEST(test_lengths_that_are_not_clear)
{
    static const char *const headers[] = {
        "Content-Length: 2\r\nContent-Length: 40",
        "Content-Length: 2\r\nContent-Length: 2",
        "Content-Length: 2\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 2",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: xchunked\r\nContent-Length: 2",
        "Content-Length : 2",
        "Transfer-Encoding : chunked\r\nContent-Length: 2",
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        char request[1024];
        const int connection = running_connect(&server);
        snprintf(request, sizeof request,
                 "%s\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n\r\n0\r\n\r\n"
                 "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
                 rank_head, server.key[RUNNING_ADMIN], headers[i]);
        running_send(connection, request, strlen(request));
        running_receive(connection, reply, sizeof reply, 0, 3.0); /* until it is closed */
        close(connection);
        if (strncmp(reply, "HTTP/1.1 400", 12) != 0 || strstr(reply, "\"status\": \"ok\"") ||
            strstr(reply, "\"event\"")) {
            fail_msg("%s: %s", headers[i], reply);
        }
    }
}

TEST(test_headers_that_are_too_long)
{
    char *const head = malloc(40000);
    snprintf(head, 40000, "%s\r\nX-Long: ", rank_head);
    const size_t start = strlen(head);
    memset(head + start, 'x', 30000);
    head[start + 30000] = '\0';
    const int connection = running_connect(&server);
    running_send(connection, head, strlen(head));
    running_receive(connection, reply, sizeof reply, 0, 3.0);
    assert_true(strncmp(reply, "HTTP/1.1 4", 10) == 0); /* 431 or 413, as the library chooses */
    close(connection);
    free(head);
}

static lotor_code refused_with;

static json_t *refuse_all(const json_t *body, lotor_refusal *refusal)
{
    (void)body;
    lotor_refuse(refusal, refused_with, "", "not now");
    return NULL;
}

/* Refusals of temporary problems say when to try again. */
TEST(test_refusals_that_pass)
{
    static const struct {
        lotor_code code;
        const char *says;
    } cases[] = {{LOTOR_CODE_TOO_MANY_OPEN, "HTTP/1.1 429"},
                 {LOTOR_CODE_BROKEN, "HTTP/1.1 503"},
                 {LOTOR_CODE_STORE, "HTTP/1.1 503"},
                 {LOTOR_CODE_CLOSED, "HTTP/1.1 409"}};
    running other = server;
    lotor_message why;
    const lotor_http_setup setup = {
        .engine = server.engine, .keys = server.keys, .address = "127.0.0.1", .advise = refuse_all};
    assert_int_equal(lotor_http_start(&setup, &why, &other.http), LOTOR_OK);
    other.port = lotor_http_port(other.http);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char request[512];
        const int connection = running_connect(&other);
        refused_with = cases[i].code;
        snprintf(request, sizeof request,
                 "POST /v1/advise HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
                 "Content-Length: 2\r\n\r\n{}",
                 server.key[RUNNING_ADMIN]);
        running_send(connection, request, strlen(request));
        running_receive(connection, reply, sizeof reply, 1, 3.0);
        close(connection);
        assert_non_null(strstr(reply, cases[i].says));
        assert_non_null(strstr(reply, lotor_code_name(cases[i].code)));
        assert_int_equal(strstr(reply, "Retry-After: 1\r\n") != NULL,
                         cases[i].code != LOTOR_CODE_CLOSED);
    }
    lotor_http_free(other.http);
}

/* One byte longer than any name or event. */
#define THIRTEEN   "0123456789abc"
#define SIXTY_FIVE THIRTEEN THIRTEEN THIRTEEN THIRTEEN THIRTEEN

TEST(test_nesting)
{
    char body[200];
    /* {"context": {"a": [[[...]]]}}: two objects and n arrays. */
    for (int lists = LOTOR_BODY_DEPTH - 2; lists <= LOTOR_BODY_DEPTH - 1; lists++) {
        char *at = body + sprintf(body, "{\"context\":{\"a\":");
        memset(at, '[', (size_t)lists);
        memset(at + lists, ']', (size_t)lists);
        sprintf(at + 2 * lists, "}}");
        assert_int_equal(raw(rank_head, body, strlen(body)), 400);
        const bool is_too_deep = lists == LOTOR_BODY_DEPTH - 1;
        assert_int_equal(strstr(reply, "nested too deep") != NULL, is_too_deep);
        assert_int_equal(strstr(reply, "\"bad_json\"") != NULL, is_too_deep);
    }
    /* The message names the error. It does not repeat a field that may be private, but names its
     * place. */
    const char *const batch = "{\"requests\":[{},{\"canary\":1}]}";
    assert_int_equal(raw("POST /v1/campaigns/shop/rank-batch HTTP/1.1", batch, strlen(batch)), 400);
    assert_non_null(strstr(reply, "\"field\": \"requests[1]\""));
    /* Brackets inside strings do not count. */
    const char *const string = "{\"usr\":\"[[[[[[[[[[[[[[[[[[[[\\\"[[[[[[\"}";
    assert_int_equal(raw(rank_head, string, strlen(string)), 400);
    assert_non_null(strstr(reply, "unknown_field"));
}

TEST(test_paths_and_methods)
{
    static const struct {
        const char *head;
        unsigned status;
        const char *says;
    } cases[] = {
        {"GET /nothing HTTP/1.1", 404, "no_such_path"},
        {"GET / HTTP/1.1", 200, "Content-Security-Policy"},
        {"GET // HTTP/1.1", 404, "no_such_path"},
        {"GET /v1/campaigns/ HTTP/1.1", 404, "no_such_path"},
        {"GET //healthz HTTP/1.1", 404, "no_such_path"},
        {"GET /healthz/ HTTP/1.1", 404, "no_such_path"},
        {"GET /healthz%00 HTTP/1.1", 404, "no_such_path"},
        {"GET /%68ealthz HTTP/1.1", 404, "no_such_path"},
        {"GET /v1/campaigns/shop/rank HTTP/1.1", 405, "Allow: POST"},
        {"POST /v1/campaigns/shop HTTP/1.1", 405, "Allow: PUT, GET, HEAD, PATCH, DELETE"},
        {"PUT /v1/campaigns HTTP/1.1", 405, "POST"},
        {"OPTIONS /v1/campaigns HTTP/1.1", 405, "wrong_method"},
        {"GET /v1/campaigns/none HTTP/1.1", 404, "no_such_campaign"},
        {"POST /v1/campaigns/none/rank HTTP/1.1", 404, "no_such_campaign"},
        {"POST /v1/events/none/reward HTTP/1.1", 0, ""}, /* see below */
        {"POST /v1/campaigns/shop/rank?user=x HTTP/1.1", 400, "no query"},
        {"GET /healthz HTTP/1.1", 200, "\"ok\""},
        {"GET /readyz HTTP/1.1", 200,
         "{\"status\": \"ready\", \"ready\": true, \"reason\": null, \"campaigns\": []}\n"},
        {"GET /v1/events/none HTTP/1.1", 404, "no_such_event"},
        {"GET /v1/events/" SIXTY_FIVE " HTTP/1.1", 404, "no_such_event"},
        {"GET /v1/campaigns/" SIXTY_FIVE SIXTY_FIVE " HTTP/1.1", 404, "no_such_campaign"},
        {"POST /v1/events/none HTTP/1.1", 405, "Allow: GET, HEAD"},
        {"HEAD /healthz HTTP/1.1", 200, "no-store"},
        {"GET /v1/campaigns HTTP/1.1", 200, "nosniff"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].status == 0) {
            continue;
        }
        const unsigned status = raw(cases[i].head, "", 0);
        if (status != cases[i].status || !strstr(reply, cases[i].says)) {
            fail_msg("%s: %s", cases[i].head, reply);
        }
    }
    assert_int_equal(raw("POST /v1/events/none/reward HTTP/1.1", "{\"rewards\":[1,1]}", 17), 404);
    assert_non_null(strstr(reply, "no_such_event"));
    assert_int_equal(
        raw("POST /v1/events/" SIXTY_FIVE "/reward HTTP/1.1", "{\"rewards\":[1,1]}", 17), 404);
    assert_non_null(strstr(reply, "no_such_event"));
    assert_int_equal(raw("GET /metrics HTTP/1.1", "", 0), 200);
    assert_non_null(strstr(reply, "text/plain; version=0.0.4"));
}

/* The reply never repeats what was sent. */
TEST(test_what_is_no_json)
{
    static const char *const bodies[] = {
        "{",
        "}",
        "[]",
        "\"canary-7\"",
        "7",
        "null",
        "{\"user\":\"canary-7\"",
        "{\"user\":\"canary-7\",}",
        "{\"user\":\"canary-7\"} x",
        "{user:\"canary-7\"}",
        "{\"user\":\"canary-7\",\"user\":\"canary-7\"}",
        "{\"user\":\"canary-7\\u0000\"}",
        "{\"user\":\"canary-7\xff\"}",
        "{\"context\":{\"canary-7\":1e999}}",
        "{\"context\":99999999999999999999999}",
        "{\"canary-7\":1}",
        "{\"user\":[\"canary-7\"]}",
        "{\"eligible\":[\"canary-7\"]}",
        "{\"context\":{\"canary-7\":[1]}}",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const unsigned status = raw(rank_head, bodies[i], strlen(bodies[i]));
        if (status != 400 || strstr(reply, "canary-7") ||
            !strstr(reply, "{\"error\": {\"code\": ")) {
            fail_msg("%s: %s", bodies[i], reply);
        }
    }
    assert_int_equal(raw(rank_head, "{}\0", 3), 400); /* with a NUL */
}

/* Nor does a refusal repeat an answer: a reward, a click or a report. */
TEST(test_refused_answers_are_not_repeated)
{
    static const char *const answers[] = {
        "\"rewards\":[0,9473.625]",
        "\"rewards\":[9473]",
        "\"rewards\":9473",
        "\"rewards\":[-9473,1]",
        "\"rewards\":[\"9473\",1]",
        "\"rewards\":[9473e999,1]",
        "\"click\":9473",
        "\"click\":\"9473\"",
        "\"report\":9473",
        "\"report\":[9473,1]",
        "\"rewards\":[1,0],\"click\":\"9473\"",
        "\"rewards\":{\"9473\":1}",
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        char head[256], body[512];
        const json_t *const ranked = running_fine(&server, "POST", "/v1/campaigns/shop/rank", "{}");
        const char *event = json_string_value(json_object_get(ranked, "event"));
        snprintf(head, sizeof head, "POST /v1/events/%s/reward HTTP/1.1", event);
        snprintf(body, sizeof body, "{\"rewards\":[{\"event\":\"%s\",%s}]}", event, answers[i]);
        unsigned status = raw("POST /v1/rewards HTTP/1.1", body, strlen(body));
        const char *const said = strstr(reply, "\r\n\r\n");
        if (status != 400 || !said || strstr(said, "9473")) {
            fail_msg("%s: %s", body, reply);
        }
        snprintf(body, sizeof body, "{%s}", answers[i]);
        status = raw(head, body, strlen(body));
        if (status != 400 || strstr(strstr(reply, "\r\n\r\n"), "9473")) {
            fail_msg("%s: %s", body, reply);
        }
    }
}

/* --- connections ------------------------------------------------------------------------------ */

TEST(test_many_requests_on_one_connection)
{
    enum { COUNT = 50 };
    char request[1024], all[COUNT * 512];
    snprintf(request, sizeof request,
             "%s\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 2\r\n\r\n{}", rank_head,
             server.key[RUNNING_RANK]);
    const int connection = running_connect(&server);
    for (int i = 0; i < 5; i++) { /* one after the other */
        running_send(connection, request, strlen(request));
        running_receive(connection, reply, sizeof reply, 1, 3.0);
        assert_non_null(strstr(reply, "HTTP/1.1 200"));
    }
    size_t length = 0; /* and all at once */
    for (int i = 0; i < COUNT; i++) {
        length += (size_t)snprintf(all + length, sizeof all - length, "%s", request);
    }
    running_send(connection, all, length);
    running_receive(connection, reply, sizeof reply, COUNT, 3.0);
    size_t replies = 0;
    for (const char *at = reply; (at = strstr(at, "HTTP/1.1 200")) != NULL; at++) {
        replies++;
    }
    assert_int_equal(replies, COUNT);
    close(connection);
}

/* A request in single bytes, and one in pieces that split the body. */
TEST(test_a_request_in_pieces)
{
    char request[1024];
    const int connection = running_connect(&server);
    snprintf(request, sizeof request,
             "%s\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 20\r\n\r\n"
             "{\"eligible\":[\"a\",\"b\"]}",
             rank_head, server.key[RUNNING_RANK]);
    char *const number = strstr(request, "20\r\n\r\n{");
    number[1] = (char)('0' + (int)(strlen(strchr(number, '{')) - 20));
    for (size_t i = 0; i < strlen(request); i++) {
        running_send(connection, request + i, 1);
    }
    running_receive(connection, reply, sizeof reply, 1, 3.0);
    assert_non_null(strstr(reply, "HTTP/1.1 200"));
    close(connection);
}

/* A client can't keep a connection open by sending a byte from time to time. Here the server's
 * patience is one second (start_server). */
TEST(test_a_request_that_does_not_come_on)
{
    static const char busy_request[] = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    const int busy = running_connect(&server), slow = running_connect(&server);
    const double end = lotor_time_seconds() + test_seconds(5.0);
    size_t closed = 0;
    while (closed == 0 && lotor_time_seconds() < end) {
        running_send(slow, "P", 1);
        usleep(100000);
        running_send(busy, busy_request, strlen(busy_request));
        running_receive(busy, reply, sizeof reply, 1, 3.0);
        assert_non_null(strstr(reply, "HTTP/1.1 200")); /* a connection with requests stays open */
        closed = lotor_http_sweep(server.http);
    }
    assert_int_equal(closed, 1);
    close(busy);
    running_receive(slow, reply, sizeof reply, 0, 3.0);
    close(slow);
    assert_int_equal(running_call(&server, RUNNING_NOBODY, "GET", "/healthz", NULL), 200);
}

enum { ENDS = 8 };

/* Connections for lotor_connections. The other end of each connection shows whether it was shut down. */
typedef struct linked {
    lotor_connections links;
    lotor_connection *link[ENDS];
    int near[ENDS], far[ENDS];
} linked;

static void link_up(linked *self, const lotor_connections_setup *setup, size_t count)
{
    lotor_connections_init(&self->links, setup);
    for (size_t i = 0; i < count; i++) {
        int ends[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        self->near[i] = ends[0];
        self->far[i] = ends[1];
    }
}

static void link_next(linked *self, size_t i)
{
    self->link[i] = lotor_connections_add(&self->links, self->near[i]);
    assert_non_null(self->link[i]);
    usleep(20000); /* the clock is coarse */
}

static bool is_shut(const linked *self, size_t i)
{
    char byte;
    return recv(self->far[i], &byte, 1, MSG_DONTWAIT) == 0;
}

static void unlink_all(linked *self, size_t count)
{
    lotor_connections_destroy(&self->links);
    for (size_t i = 0; i < count; i++) {
        close(self->near[i]);
        close(self->far[i]);
    }
}

/* A connection that waits for the engine with a complete request is not closed. */
TEST(test_a_request_that_rests)
{
    linked own;
    const double short_time = test_seconds(0.5);
    const lotor_connections_setup setup = {.patience_seconds = short_time,
                                           .head_seconds = short_time,
                                           .idle_seconds = 20 * short_time,
                                           .room = ENDS};
    link_up(&own, &setup, 1);
    link_next(&own, 0);
    assert_true(lotor_connection_head(own.link[0], true));
    lotor_connection_rest(own.link[0]);
    usleep((useconds_t)(1.4e6 * short_time));
    assert_int_equal(lotor_connections_sweep(&own.links), 0);
    lotor_connection_reply(own.link[0]);
    assert_int_equal(lotor_connections_sweep(&own.links), 0);
    lotor_connection_done(own.link[0]);
    assert_int_equal(lotor_connections_sweep(&own.links), 0);
    usleep((useconds_t)(1.4e6 * short_time));
    assert_int_equal(lotor_connections_sweep(&own.links), 1);
    assert_int_equal(lotor_connections_sweep(&own.links), 0); /* counted once */
    assert_true(is_shut(&own, 0));
    assert_false(lotor_connection_head(own.link[0], true)); /* too late */
    unlink_all(&own, 1);
}

/* Headers have less time than bodies, and less than connections that had a reply before. */
TEST(test_headers_have_less_time)
{
    linked own;
    const lotor_connections_setup setup = {
        .patience_seconds = 1000, .head_seconds = 0.05, .idle_seconds = 500, .room = ENDS};
    link_up(&own, &setup, 4);
    for (size_t i = 0; i < 4; i++) {
        link_next(&own, i);
        if (i > 0) {
            lotor_connection_head(own.link[i], i == 1); /* one with a key, one without */
        }
    }
    lotor_connection_done(own.link[3]);
    usleep(100000);
    assert_int_equal(lotor_connections_sweep(&own.links), 1);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(is_shut(&own, i), i == 0);
    }
    unlink_all(&own, 4);
}

/* Connections without a key are closed first, the oldest before the others. Then idle ones.
 * Never busy ones. */
TEST(test_room_for_new_connections)
{
    static const size_t order[] = {2, 4, 3};
    linked own;
    const lotor_connections_setup setup = {
        .patience_seconds = 1000, .head_seconds = 1000, .idle_seconds = 1000, .room = 4};
    link_up(&own, &setup, ENDS);
    for (size_t i = 0; i < 4; i++) {
        link_next(&own, i);
    }
    lotor_connection_head(own.link[0], true);
    lotor_connection_head(own.link[1], true);
    lotor_connection_head(own.link[3], true);
    lotor_connection_done(own.link[3]); /* 3 is idle; 2 has sent no key; 0 and 1 are busy */
    assert_int_equal(lotor_connections_sweep(&own.links), 0);
    link_next(&own, 4); /* replaces 2 */
    assert_true(is_shut(&own, 2));
    link_next(&own, 5); /* replaces 4 */
    lotor_connection_head(own.link[5], true);
    link_next(&own, 6); /* replaces 3, since all others are busy */
    lotor_connection_head(own.link[6], true);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        assert_true(is_shut(&own, order[i]));
    }
    link_next(&own, 7); /* replaces none */
    for (size_t i = 0; i < ENDS; i++) {
        assert_int_equal(is_shut(&own, i), i >= 2 && i <= 4);
    }
    assert_int_equal(lotor_connections_sweep(&own.links), 3); /* they are counted */
    lotor_connections_remove(&own.links, own.link[0]);
    lotor_connections_remove(&own.links, own.link[2]);
    assert_int_equal(own.links.open, 4); /* without those that were shut down */
    unlink_all(&own, ENDS);
}

/* A body may take longer than headers may. It arrives byte by byte, so that it is never idle. */
TEST(test_a_slow_body)
{
    enum { LENGTH = 20000 };
    running other = server;
    lotor_message why;
    char head[512];
    const lotor_http_setup setup = {.engine = server.engine,
                                    .keys = server.keys,
                                    .address = "127.0.0.1",
                                    .patience = test_seconds(60),
                                    .head_patience = test_seconds(0.5)};
    assert_int_equal(lotor_http_start(&setup, &why, &other.http), LOTOR_OK);
    other.port = lotor_http_port(other.http);
    const int body = running_connect(&other);
    snprintf(head, sizeof head,
             "%s\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n{", rank_head,
             server.key[RUNNING_RANK], LENGTH);
    running_send(body, head, strlen(head));
    const double end = lotor_time_seconds() + test_seconds(10.0);
    while (lotor_http_open(other.http) == 0 && lotor_time_seconds() < end) {
        usleep(1000); /* its headers were read */
    }
    const int slow = running_connect(&other);
    size_t closed = 0, sent = 1;
    while (closed == 0 && lotor_time_seconds() < end) {
        running_send(slow, "P", 1);
        running_send(body, " ", 1);
        sent++;
        usleep(100000);
        closed = lotor_http_sweep(other.http);
    }
    assert_int_equal(closed, 1);
    for (; sent < LENGTH - 1; sent++) {
        running_send(body, " ", 1);
    }
    running_send(body, "}", 1);
    running_receive(body, reply, sizeof reply, 1, 10.0);
    if (!strstr(reply, "HTTP/1.1 200")) {
        fail_msg("the slow body got: %s", reply);
    }
    close(body);
    close(slow);
    lotor_http_free(other.http);
}

/* As many connections at once as the library takes from the kernel at a time: it must not wait
 * for more. */
TEST(test_128_at_once)
{
    enum { COUNT = 128, ROUNDS = 20 };
    static const char request[] = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    int connections[COUNT];
    for (int i = 0; i < COUNT; i++) {
        connections[i] = running_connect(&server);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++) {
            running_send(connections[i], request, strlen(request));
        }
        for (int i = 0; i < COUNT; i++) {
            running_receive(connections[i], reply, sizeof reply, 1, 3.0);
            assert_non_null(strstr(reply, "HTTP/1.1 200"));
        }
    }
    for (int i = 0; i < COUNT; i++) {
        close(connections[i]);
    }
}

static unsigned answers_so_far(void)
{
    unsigned count = 0;
    assert_int_equal(raw("GET /metrics HTTP/1.1", "", 0), 200);
    const char *const line = strstr(reply, "\nlotor_feedback_total ");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "\nlotor_feedback_total %u", &count), 1);
    return count;
}

/* The reward is accepted, whether or not the client gets the reply. */
TEST(test_a_client_that_closes_while_its_reward_waits)
{
    const unsigned before = answers_so_far();
    for (int i = 0; i < 20; i++) {
        char request[1024], event[80];
        const json_t *const ranked = running_fine(&server, "POST", "/v1/campaigns/shop/rank", "{}");
        snprintf(event, sizeof event, "%s", json_string_value(json_object_get(ranked, "event")));
        snprintf(request, sizeof request,
                 "POST /v1/events/%s/reward HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
                 "Content-Length: 17\r\n\r\n{\"rewards\":[1,0]}",
                 event, server.key[RUNNING_REWARD]);
        const int connection = running_connect(&server);
        running_send(connection, request, strlen(request));
        if (i % 2) { /* with a reset */
            const struct linger now = {.l_onoff = 1, .l_linger = 0};
            setsockopt(connection, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        }
        close(connection);
    }
    assert_true(test_await(running_has_no_request, &server, 2.0));
    assert_in_range(answers_so_far(), before + 10,
                    before + 20); /* a reset may arrive before its request */
}

TEST(test_a_server_that_drains_says_so)
{
    running other;
    char request[512];
    running_start(&other, 0);
    snprintf(request, sizeof request,
             "GET /v1/campaigns HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n",
             other.key[RUNNING_ADMIN]);
    const int connection = running_connect(&other);
    running_send(connection, request, strlen(request));
    running_receive(connection, reply, sizeof reply, 1, 3.0);
    assert_non_null(strstr(reply, "HTTP/1.1 200"));
    lotor_http_drain(other.http);
    running_send(connection, request, strlen(request));
    running_receive(connection, reply, sizeof reply, 0, 3.0); /* until it is closed */
    assert_non_null(strstr(reply, "HTTP/1.1 503"));
    assert_non_null(strstr(reply, "Retry-After: "));
    assert_non_null(strstr(reply, "\"stopping\""));
    close(connection);
    /* No new connection is accepted. */
    const int late = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(other.port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(late, (struct sockaddr *)&address, sizeof address), -1);
    assert_int_equal(errno, ECONNREFUSED);
    /* Draining again (in running_stop) does not close another file that has the socket's number
     * now. */
    running_stop(&other);
    assert_int_equal(fcntl(late, F_GETFD) >= 0, true);
    close(late);
}

TEST(test_addresses)
{
    assert_true(lotor_http_is_loopback("127.0.0.1"));
    assert_true(lotor_http_is_loopback("127.9.9.9"));
    assert_true(lotor_http_is_loopback("::1"));
    assert_false(lotor_http_is_loopback("0.0.0.0"));
    assert_false(lotor_http_is_loopback("::"));
    assert_false(lotor_http_is_loopback("localhost"));
    lotor_http *http;
    lotor_message why;
    lotor_http_setup setup = {.engine = server.engine, .keys = server.keys, .address = "here"};
    assert_int_equal(lotor_http_start(&setup, &why, &http), LOTOR_INVALID);
    setup.address = "127.0.0.1";
    setup.port = server.port;
    assert_int_equal(lotor_http_start(&setup, &why, &http), LOTOR_BUSY);
    assert_non_null(strstr(why.text, "--port"));
}

TEST_GROUP(start_server, stop_server);
