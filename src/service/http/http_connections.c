/* http_connections.c - closes connections that are too slow, or whose place is needed. See
 * http_connections.h. */
#include "service/http/http_connections.h"
#include "base/time.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static int64_t now(void)
{
    return (int64_t)lotor_time_ms(CLOCK_MONOTONIC_COARSE);
}

static int64_t least(int64_t first, int64_t second)
{
    return first < second ? first : second;
}

void lotor_connections_init(lotor_connections *links, const lotor_connections_setup *setup)
{
    assert(setup->room > 0);
    pthread_mutex_init(&links->lock, NULL);
    links->first = NULL;
    links->open = links->evicted = 0;
    links->patience = (int64_t)(setup->patience_seconds * 1000);
    links->head = least((int64_t)(setup->head_seconds * 1000), links->patience);
    links->idle = least((int64_t)(setup->idle_seconds * 1000) + links->head, links->patience);
    links->room = setup->room;
    links->owner = setup->owner;
}

void lotor_connections_destroy(lotor_connections *links)
{
    while (links->first) {
        lotor_connections_remove(links, links->first);
    }
    pthread_mutex_destroy(&links->lock);
}

static lotor_connection_kind kind_of(const lotor_connection *link)
{
    return (lotor_connection_kind)atomic_load_explicit(&link->kind, memory_order_relaxed);
}

/* Starts a new step of the connection, with `patience` milliseconds until its deadline. */
static void begin(lotor_connection *link, int64_t patience)
{
    const int64_t since = now();
    atomic_store_explicit(&link->since, since, memory_order_relaxed);
    atomic_store_explicit(&link->deadline, since + patience, memory_order_relaxed);
}

/* Changes the kind. Returns false if the kind is no longer `from`. */
static bool become(lotor_connection *link, lotor_connection_kind from, lotor_connection_kind to)
{
    int expected = (int)from;
    return atomic_compare_exchange_strong(&link->kind, &expected, (int)to);
}

/* Shuts a connection down, unless its kind is no longer `kind`. The caller holds the lock. The
 * HTTP library notices the shutdown and then calls lotor_connections_remove. */
static bool close_link(lotor_connections *links, lotor_connection *link, lotor_connection_kind kind)
{
    if (!become(link, kind, LOTOR_CONNECTION_CLOSED)) {
        return false;
    }
    shutdown(link->handle, SHUT_RDWR);
    links->open--;
    return true;
}

/* Shuts down the connection that matters least: see http_connections.h. Never `fresh`, the new one.
 * The caller holds the lock. */
static void make_room(lotor_connections *links, const lotor_connection *fresh)
{
    lotor_connection *oldest[LOTOR_CONNECTION_BUSY] = {NULL};
    for (lotor_connection *link = links->first; link; link = link->after) {
        const lotor_connection_kind kind = kind_of(link);
        if (link == fresh || kind >= LOTOR_CONNECTION_BUSY) {
            continue;
        }
        if (!oldest[kind] || atomic_load_explicit(&link->since, memory_order_relaxed) <=
                                 atomic_load_explicit(&oldest[kind]->since, memory_order_relaxed)) {
            /* of two equally old connections, take the later one in the list: it was opened
             * first */
            oldest[kind] = link;
        }
    }
    const lotor_connection_kind kind =
        oldest[LOTOR_CONNECTION_STRANGER] ? LOTOR_CONNECTION_STRANGER : LOTOR_CONNECTION_IDLE;
    if (oldest[kind] && close_link(links, oldest[kind], kind)) {
        links->evicted++;
    }
}

lotor_connection *lotor_connections_add(lotor_connections *links, int handle)
{
    lotor_connection *const link = calloc(1, sizeof *link);
    if (link) {
        link->handle = handle;
        link->links = links;
        atomic_init(&link->kind, LOTOR_CONNECTION_STRANGER);
        begin(link, links->head);
        pthread_mutex_lock(&links->lock);
        link->after = links->first;
        if (links->first) {
            links->first->before = link;
        }
        links->first = link;
        links->open++;
        if (links->open > links->room) {
            make_room(links, link);
        }
        pthread_mutex_unlock(&links->lock);
    }
    return link;
}

void lotor_connections_remove(lotor_connections *links, lotor_connection *link)
{
    pthread_mutex_lock(&links->lock);
    if (link->before) {
        link->before->after = link->after;
    } else {
        links->first = link->after;
    }
    if (link->after) {
        link->after->before = link->before;
    }
    links->open -= kind_of(link) != LOTOR_CONNECTION_CLOSED;
    pthread_mutex_unlock(&links->lock);
    free(link->spare);
    free(link);
}

bool lotor_connection_head(lotor_connection *link, bool has_key)
{
    begin(link, link->links->patience);
    if (has_key && !become(link, LOTOR_CONNECTION_IDLE, LOTOR_CONNECTION_BUSY)) {
        become(link, LOTOR_CONNECTION_STRANGER, LOTOR_CONNECTION_BUSY);
    }
    return kind_of(link) != LOTOR_CONNECTION_CLOSED;
}

void lotor_connection_rest(lotor_connection *link)
{
    atomic_store_explicit(&link->deadline, INT64_MAX, memory_order_relaxed);
}

void lotor_connection_reply(lotor_connection *link)
{
    begin(link, link->links->patience);
}

void lotor_connection_done(lotor_connection *link)
{
    become(link, LOTOR_CONNECTION_BUSY, LOTOR_CONNECTION_IDLE);
    begin(link, link->links->idle);
}

size_t lotor_connections_sweep(lotor_connections *links)
{
    const int64_t time = now();
    pthread_mutex_lock(&links->lock);
    size_t closed = links->evicted;
    links->evicted = 0;
    for (lotor_connection *link = links->first; link; link = link->after) {
        const lotor_connection_kind kind = kind_of(link);
        if (kind != LOTOR_CONNECTION_CLOSED &&
            atomic_load_explicit(&link->deadline, memory_order_relaxed) < time) {
            closed += close_link(links, link, kind);
        }
    }
    pthread_mutex_unlock(&links->lock);
    return closed;
}
