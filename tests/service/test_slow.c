/* test_slow.c - slow connections that send a byte from time to time: 1,000 of them, and more
 * than the server accepts. Other clients are served all the same. */
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "service/served.h"

enum { SLOW = 1000, RANKS = 300, PATIENCE = 2, FLOOD = 2100 };

/* By default, Linux lets a process have at least 4096 open files. If the limit is lower, the test
 * fails. */
static void allow_files(size_t count)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max < 8192 ? limit.rlim_max : 8192;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_cur < count + 100) {
        fail_msg("%zu open files are not allowed here: raise the hard limit (ulimit -Hn)",
                 count + 100);
    }
}

/* A server may send a reply before it closes. */
static bool is_ended(int connection)
{
    char text[4096];
    ssize_t got;
    do {
        got = recv(connection, text, sizeof text, MSG_DONTWAIT);
    } while (got > 0);
    return got == 0 || errno != EAGAIN;
}

/* How many connections the server has closed. */
static size_t closed_of(const int *connections, size_t count)
{
    size_t closed = 0;
    for (size_t i = 0; i < count; i++) {
        closed += is_ended(connections[i]);
    }
    return closed;
}

static int connect_slowly(uint16_t port)
{
    const struct sockaddr_in server = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(connection >= 0);
    assert_int_equal(connect(connection, (const struct sockaddr *)&server, sizeof server), 0);
    return connection;
}

/* Sends the next byte of every request. Half of them stop in the headers, half in the body. */
static void send_bytes(const int connections[SLOW], size_t at)
{
    static const char head[] = "POST /v1/campaigns/slow/rank HTTP/1.1\r\nHost: slow\r\nX-Slow: ";
    static const char body[] =
        "POST /healthz HTTP/1.1\r\nHost: slow\r\nContent-Length: 60000\r\n\r\n";
    for (size_t i = 0; i < SLOW; i++) {
        const char *text = i % 2 ? head : body;
        const char byte = at < strlen(text) ? text[at] : 'x';
        send(connections[i], &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT); /* it may be closed by now */
    }
}

TEST_WITH(test_slow_connections, NULL, served_teardown)
{
    static int connections[SLOW];
    served_test served;
    allow_files(SLOW);
    static const char *const more[] = {"--patience", "2", NULL};
    served_begin(&served, more);
    served_campaign(&served, "slow", 4, 2, ",\"epsilon\":1,\"wait_seconds\":5");
    for (size_t i = 0; i < SLOW; i++) {
        connections[i] = connect_slowly(served.server.port);
    }
    double slowest = 0.0;
    size_t at = 0;
    const double start = lotor_time_seconds();
    for (size_t i = 0; i < RANKS; i++) {
        if (i % 20 == 0) {
            send_bytes(connections, at++);
        }
        const double began = lotor_time_seconds();
        json_decref(served_call(&served, "POST", "/v1/campaigns/slow/rank", "{}", 200));
        const double took = lotor_time_seconds() - began;
        slowest = took > slowest ? took : slowest;
    }
    print_message("%d rankings next to %d slow connections in %.2f s, the slowest in %.1f ms\n",
                  RANKS, SLOW, lotor_time_seconds() - start, 1e3 * slowest);
    assert_true(slowest < test_seconds(1.0));
    /* The slow connections keep sending single bytes, and are closed all the same. */
    size_t closed = 0;
    const double end = lotor_time_seconds() + test_seconds(10.0);
    while (closed < SLOW && lotor_time_seconds() < end) {
        send_bytes(connections, at++);
        usleep(100000);
        closed = closed_of(connections, SLOW);
    }
    assert_int_equal(closed, SLOW);
    assert_true(lotor_time_seconds() - start >= (double)PATIENCE); /* but not before their time */
    for (size_t i = 0; i < SLOW; i++) {
        close(connections[i]);
    }
    json_decref(served_call(&served, "POST", "/v1/campaigns/slow/rank", "{}", 200));
    assert_int_equal(lotor_child_stop(&served.server), 0);
    served_end(&served);
}

static int flood[FLOOD];
static atomic_bool flood_is_over;

/* All of them keep sending headers, without end. */
static void *send_on(void *nothing)
{
    (void)nothing;
    while (!atomic_load(&flood_is_over)) {
        for (size_t i = 0; i < FLOOD; i++) {
            send(flood[i], "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        }
        usleep(300000);
    }
    return NULL;
}

/* More slow connections than the server accepts, with a long patience for bodies. */
TEST_WITH(test_a_flood_of_slow_connections, NULL, served_teardown)
{
    static const char *const more[] = {"--patience", "3600", NULL};
    static const char head[] = "POST /v1/campaigns/slow/rank HTTP/1.1\r\nHost: slow\r\nX-Slow: ";
    const double most = test_seconds(30); /* headers have 5 seconds */
    served_test served;
    lotor_client *fresh;
    lotor_message why;
    lotor_reply reply;
    pthread_t sender;
    allow_files(FLOOD);
    served_begin(&served, more);
    for (size_t i = 0; i < FLOOD; i++) {
        flood[i] = connect_slowly(served.server.port);
        send(flood[i], head, strlen(head), MSG_NOSIGNAL);
    }
    assert_int_equal(pthread_create(&sender, NULL, send_on, NULL), 0);
    /* A new client, on its own connection. */
    const double began = lotor_time_seconds();
    const bool is_new =
        lotor_client_new("127.0.0.1", served.server.port, NULL, &why, &fresh) == LOTOR_OK;
    const lotor_reply_outcome outcome =
        is_new ? lotor_client_call(fresh, "GET", "/healthz", NULL, most, &reply) : LOTOR_REPLY_LOST;
    const double took = lotor_time_seconds() - began;
    /* The slow connections are closed, although they keep sending. */
    size_t closed = 0;
    while (closed < FLOOD && lotor_time_seconds() - began < most) {
        usleep(100000);
        closed = closed_of(flood, FLOOD);
    }
    const double all = lotor_time_seconds() - began;
    atomic_store(&flood_is_over, true);
    pthread_join(sender, NULL);
    print_message(
        "beside %d slow connections: a reply after %.1f ms; all of them closed after %.1f s\n",
        FLOOD, 1e3 * took, all);
    assert_int_equal(outcome, LOTOR_REPLY_DONE);
    assert_int_equal(reply.status, 200);
    assert_int_equal(closed, FLOOD);
    for (size_t i = 0; i < FLOOD; i++) {
        close(flood[i]);
    }
    lotor_client_free(fresh);
    assert_int_equal(lotor_child_stop(&served.server), 0);
    served_end(&served);
}
