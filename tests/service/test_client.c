/* test_client.c - the small HTTP client: complete replies, pieces, and servers that die in the
 * middle. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "service/client/client.h"
#include "service/client/client_reply.h"

/* A server that accepts one connection after another and follows a script. For each request it
 * has the bytes to send (NULL: close without a reply). */
typedef struct scripted {
    int listener;
    uint16_t port;
    const char *const *replies;
    size_t count;
    const char *const *closes; /* "c": the connection is closed after the reply */
    char seen[8][1024];
    pthread_t thread;
} scripted;

static size_t read_request(int connection, char *seen, size_t capacity)
{
    size_t length = 0;
    while (length + 1 < capacity) {
        const ssize_t count = recv(connection, seen + length, capacity - length - 1, 0);
        if (count <= 0) {
            break;
        }
        length += (size_t)count;
        seen[length] = '\0';
        const char *body = strstr(seen, "\r\n\r\n");
        const char *wanted = strstr(seen, "Content-Length: ");
        if (body && wanted && strlen(body + 4) >= strtoul(wanted + 16, NULL, 10)) {
            break;
        }
    }
    return length;
}

static void *play(void *argument)
{
    scripted *server = argument;
    int connection = -1;
    for (size_t i = 0; i < server->count; i++) {
        if (connection < 0) {
            connection = accept(server->listener, NULL, NULL);
        }
        read_request(connection, server->seen[i], sizeof server->seen[i]);
        const char *reply = server->replies[i];
        for (size_t at = 0; reply && at < strlen(reply); at += 7) { /* in pieces */
            const size_t left = strlen(reply) - at;
            send(connection, reply + at, left < 7 ? left : 7, MSG_NOSIGNAL);
            usleep(200);
        }
        if (!reply || server->closes[i][0] == 'c') {
            close(connection);
            connection = -1;
        }
    }
    if (connection >= 0) {
        close(connection);
    }
    return NULL;
}

static void begin(scripted *server, const char *const *replies, const char *const *closes,
                  size_t count)
{
    memset(server, 0, sizeof *server);
    server->replies = replies;
    server->closes = closes;
    server->count = count;
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(server->listener, 8), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &size), 0);
    server->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&server->thread, NULL, play, server), 0);
}

static void end(scripted *server)
{
    pthread_join(server->thread, NULL);
    close(server->listener);
}

static lotor_client *client_of(const scripted *server, const char *key)
{
    lotor_client *client = NULL;
    assert_int_equal(lotor_client_new("127.0.0.1", server->port, key, NULL, &client), LOTOR_OK);
    return client;
}

#define OK_REPLY "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"alive\":1}"

TEST(test_requests_share_a_connection)
{
    const char *const replies[] = {OK_REPLY,
                                   "HTTP/1.1 404 Not Found\r\ncontent-length:  2 \r\n\r\n{}"};
    const char *const closes[] = {"", "c"};
    scripted server;
    begin(&server, replies, closes, 2);
    lotor_client *client = client_of(&server, "secret");
    lotor_reply reply;
    assert_int_equal(lotor_client_call(client, "POST", "/a", "{\"x\":2}", test_seconds(5), &reply),
                     LOTOR_REPLY_DONE);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.body, "{\"alive\":1}");
    json_t *json = NULL;
    assert_int_equal(lotor_client_json(client, "GET", "/b", NULL, 5, &json), 404);
    assert_true(json_is_object(json));
    json_decref(json);
    lotor_client_free(client);
    end(&server);
    assert_string_equal(server.seen[0],
                        "POST /a HTTP/1.1\r\nHost: lotor\r\nAuthorization: Bearer secret\r\n"
                        "Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"x\":2}");
    assert_non_null(strstr(server.seen[1], "GET /b HTTP/1.1\r\n"));
}

TEST(test_a_server_that_dies_differs_from_one_that_replies)
{
    const char *const replies[] = {NULL, "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"ali",
                                   OK_REPLY};
    const char *const closes[] = {"c", "c", "c"};
    scripted server;
    begin(&server, replies, closes, 3);
    lotor_client *client = client_of(&server, NULL);
    lotor_reply reply;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(lotor_client_call(client, "GET", "/", NULL, test_seconds(5), &reply),
                         LOTOR_REPLY_LOST);
        assert_int_equal(reply.status, 0);
        assert_true(reply.may_have_been_seen);
        assert_true(reply.reason[0] != '\0');
    }
    assert_int_equal(lotor_client_call(client, "GET", "/", NULL, test_seconds(5), &reply),
                     LOTOR_REPLY_DONE);
    assert_int_equal(reply.status, 200);
    end(&server);
    /* No server listens any more. */
    assert_int_equal(lotor_client_call(client, "GET", "/", NULL, test_seconds(5), &reply),
                     LOTOR_REPLY_LOST);
    lotor_client_close(client);
    assert_int_equal(lotor_client_call(client, "GET", "/", NULL, test_seconds(5), &reply),
                     LOTOR_REPLY_LOST);
    assert_false(reply.may_have_been_seen);
    lotor_client_free(client);
}

TEST(test_a_silent_server_is_given_up)
{
    scripted server;
    begin(&server, NULL, NULL, 0); /* the kernel accepts the connection, but no server reads it */
    lotor_client *client = client_of(&server, NULL);
    lotor_reply reply;
    const double before = lotor_time_seconds();
    assert_int_equal(lotor_client_call(client, "GET", "/", NULL, 0.1, &reply), LOTOR_REPLY_LOST);
    assert_true(lotor_time_seconds() - before >= 0.1);
    assert_true(lotor_time_seconds() - before < test_seconds(5.0));
    lotor_client_free(client);
    end(&server);
}

TEST(test_epoll_drives_it)
{
    const char *const replies[] = {OK_REPLY, OK_REPLY};
    const char *const closes[] = {"", "c"};
    scripted server;
    begin(&server, replies, closes, 2);
    lotor_client *client = client_of(&server, NULL);
    const int epoll = epoll_create1(0);
    lotor_client_watch(client, epoll);
    lotor_client_set_owner(client, &server);
    for (int i = 0; i < 2; i++) {
        lotor_reply reply;
        lotor_client_start(client, "POST", "/", "{}", 2, test_seconds(5));
        assert_true(lotor_client_is_busy(client));
        while (lotor_client_advance(client, &reply) == LOTOR_REPLY_BUSY) {
            struct epoll_event event;
            assert_int_equal(epoll_wait(epoll, &event, 1, (int)test_seconds(5000)), 1);
            assert_ptr_equal(event.data.ptr, client);
        }
        assert_int_equal(reply.outcome, LOTOR_REPLY_DONE);
        assert_int_equal(reply.status, 200);
        assert_false(lotor_client_is_busy(client));
    }
    assert_ptr_equal(lotor_client_owner(client), &server);
    lotor_client_free(client);
    close(epoll);
    end(&server);
}

TEST(test_forged_replies)
{
    lotor_reply_form form;
    const char *const bad[] = {
        "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 099 OK\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "hello\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(lotor_reply_read(bad[i], strlen(bad[i]), true, &form), LOTOR_REPLY_BAD);
    }
    /* Every beginning of a good reply is incomplete: never complete, never bad. */
    for (size_t i = 0; i < strlen(OK_REPLY); i++) {
        assert_int_equal(lotor_reply_read(OK_REPLY, i, true, &form), LOTOR_REPLY_PART);
    }
    const char *open_end = "HTTP/1.0 200 OK\r\n\r\nabc";
    assert_int_equal(lotor_reply_read(open_end, strlen(open_end), false, &form), LOTOR_REPLY_PART);
    assert_int_equal(lotor_reply_read(open_end, strlen(open_end), true, &form), LOTOR_REPLY_WHOLE);
    assert_int_equal(form.body_length, 3);
    assert_true(form.closes);
    const char *closing = "HTTP/1.1 204 None\r\nConnection: close\r\n\r\n";
    assert_int_equal(lotor_reply_read(closing, strlen(closing), false, &form), LOTOR_REPLY_WHOLE);
    assert_true(form.closes);
    assert_int_equal(form.status, 204);
}

TEST(test_refused_addresses)
{
    lotor_client *client = NULL;
    lotor_message why;
    char key[300];
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    assert_int_equal(lotor_client_new("localhost", 1, NULL, &why, &client), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "127.0.0.1"));
    assert_int_equal(lotor_client_new("127.0.0.1", 1, key, &why, &client), LOTOR_INVALID);
    assert_null(client);
}
