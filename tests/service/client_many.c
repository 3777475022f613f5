/* client_many.c - runs many connections in one thread. See client_many.h. */
#include "service/client_many.h"
#include "base/time.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/message.h"

enum { EVENTS = 128 };

struct lotor_many {
    lotor_many_setup setup;
    lotor_client **clients;
    size_t *numbers; /* the index of each connection; the clients' owners point here */
    size_t busy;
    int epoll;
    double swept; /* when slow connections were last looked for */
};

lotor_status lotor_many_new(const lotor_many_setup *setup, lotor_message *why, lotor_many **out)
{
    lotor_many *many = calloc(1, sizeof *many);
    if (!many) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for connections");
    }
    many->setup = *setup;
    many->epoll = epoll_create1(EPOLL_CLOEXEC);
    many->clients = calloc(setup->connections, sizeof(void *));
    many->numbers = calloc(setup->connections, sizeof *many->numbers);
    lotor_status status = LOTOR_OK;
    if (many->epoll < 0 || !many->clients || !many->numbers) {
        status = lotor_fail(LOTOR_MEMORY, why, "no memory for %zu connections", setup->connections);
    }
    for (size_t i = 0; i < setup->connections && status == LOTOR_OK; i++) {
        status = lotor_client_new(setup->address ? setup->address : "127.0.0.1", setup->port,
                                  setup->key, why, &many->clients[i]);
        if (status == LOTOR_OK) {
            many->numbers[i] = i;
            lotor_client_watch(many->clients[i], many->epoll);
            lotor_client_set_owner(many->clients[i], &many->numbers[i]);
        }
    }
    if (status != LOTOR_OK) {
        lotor_many_free(many);
        return status;
    }
    *out = many;
    return LOTOR_OK;
}

void lotor_many_free(lotor_many *many)
{
    if (!many) {
        return;
    }
    for (size_t i = 0; many->clients && i < many->setup.connections; i++) {
        lotor_client_free(many->clients[i]);
    }
    if (many->epoll >= 0) {
        close(many->epoll);
    }
    free(many->clients);
    free(many->numbers);
    free(many);
}

static void advance(lotor_many *many, size_t connection)
{
    lotor_client *client = many->clients[connection];
    const bool was_busy = lotor_client_is_busy(client);
    lotor_reply reply;
    if (lotor_client_advance(client, &reply) != LOTOR_REPLY_BUSY && was_busy) {
        many->busy--;
        many->setup.heard(many->setup.context, connection, &reply);
    }
}

/* Sends requests on a connection until a reply is not there at once, or there is no request. */
static bool ask(lotor_many *many, size_t connection)
{
    lotor_client_request request;
    bool asked = false;
    if (!lotor_client_is_busy(many->clients[connection]) &&
        many->setup.next(many->setup.context, connection, &request)) {
        lotor_client_start(many->clients[connection], request.method, request.path, request.body,
                           request.length, many->setup.timeout_seconds);
        many->busy++;
        asked = true;
        advance(many, connection);
    }
    return asked;
}

static void give_up_slow_ones(lotor_many *many, double now)
{
    if (now - many->swept < 0.05) {
        return;
    }
    many->swept = now;
    for (size_t i = 0; i < many->setup.connections; i++) {
        if (lotor_client_is_busy(many->clients[i]) &&
            lotor_client_deadline(many->clients[i]) < now) {
            advance(many, i);
        }
    }
}

static bool run(lotor_many *many, double seconds, bool asks)
{
    const double end = lotor_time_seconds() + seconds;
    /* at first every idle connection gets a request; later those that had a reply */
    bool is_first = true;
    for (;;) {
        const double now = lotor_time_seconds();
        give_up_slow_ones(many, now);
        bool asked = false;
        for (size_t i = 0; asks && (is_first || many->busy == 0) && i < many->setup.connections;
             i++) {
            asked |= ask(many, i);
        }
        if (many->busy == 0 && !asked) {
            return true;
        }
        if (now >= end) {
            return false;
        }
        struct epoll_event events[EVENTS];
        const int count = epoll_wait(many->epoll, events, EVENTS, many->busy > 0 ? 10 : 0);
        for (int i = 0; i < count; i++) {
            const size_t connection = *(const size_t *)lotor_client_owner(events[i].data.ptr);
            advance(many, connection);
            if (asks) {
                ask(many, connection);
            }
        }
        /* A reply may have led to new requests on other connections. */
        is_first = count == 0;
    }
}

bool lotor_many_run(lotor_many *many, double seconds)
{
    return run(many, seconds, true);
}

bool lotor_many_drain(lotor_many *many, double seconds)
{
    return run(many, seconds, false);
}
