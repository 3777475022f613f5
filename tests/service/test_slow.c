/* test_slow.c - 1,000 connections that send a byte now and then: others are served all the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/served.h"

enum { SLOW = 1000, RANKS = 300, PATIENCE = 2 };

static void allow_files(void)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max < 8192 ? limit.rlim_max : 8192;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_true(limit.rlim_cur > SLOW + 100);
}

/* A server may say why before it closes. */
static bool is_ended(int connection)
{
    char text[4096];
    ssize_t got;
    do {
        got = recv(connection, text, sizeof text, MSG_DONTWAIT);
    } while (got > 0);
    return got == 0 || errno != EAGAIN;
}

/* How many the server has closed. */
static size_t closed_of(const int connections[SLOW])
{
    size_t count = 0;
    for (size_t i = 0; i < SLOW; i++) {
        count += is_ended(connections[i]);
    }
    return count;
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

/* The next byte of every request; half of them stop within the head, half within the body. */
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

static void test_slow_connections(void **state)
{
    (void)state;
    static int connections[SLOW];
    served_test served;
    allow_files();
    static const char *const more[] = {"--patience", "2", NULL};
    served_begin(&served, more);
    served_campaign(&served, "slow", 4, 2, ",\"epsilon\":1,\"wait_seconds\":5");
    for (size_t i = 0; i < SLOW; i++) {
        connections[i] = connect_slowly(served.server.port);
    }
    double slowest = 0.0;
    size_t at = 0;
    const double start = lotor_client_now();
    for (size_t i = 0; i < RANKS; i++) {
        if (i % 20 == 0) {
            send_bytes(connections, at++);
        }
        const double began = lotor_client_now();
        json_decref(served_call(&served, "POST", "/v1/campaigns/slow/rank", "{}", 200));
        const double took = lotor_client_now() - began;
        slowest = took > slowest ? took : slowest;
    }
    print_message("%d rankings beside %d slow connections in %.2f s, the slowest in %.1f ms\n",
                  RANKS, SLOW, lotor_client_now() - start, 1e3 * slowest);
    assert_true(slowest < 1.0);
    /* They go on and on, a byte at a time, and are let go all the same. */
    size_t closed = 0;
    for (int i = 0; i < 100 && closed < SLOW; i++) {
        send_bytes(connections, at++);
        usleep(100000);
        closed = closed_of(connections);
    }
    assert_int_equal(closed, SLOW);
    assert_true(lotor_client_now() - start >= PATIENCE); /* but not before their time */
    for (size_t i = 0; i < SLOW; i++) {
        close(connections[i]);
    }
    json_decref(served_call(&served, "POST", "/v1/campaigns/slow/rank", "{}", 200));
    assert_int_equal(lotor_child_stop(&served.server), 0);
    served_end(&served);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_slow_connections, served_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
