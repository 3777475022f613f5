/* http_connections.h - watches open connections, and closes those that only take up room.
 *
 * The HTTP library closes a connection on which nothing moves. A connection that sends one byte
 * every few seconds would stay open, and enough of them would lock out other clients. So each
 * connection has a deadline for its current step, however many bytes arrive:
 *
 *       step:     headers ──▶ body ──▶ waiting for the engine ──▶ reply ──▶ next headers
 *       deadline: head       patience        none                patience   idle + head
 *
 * When there are too many connections, each new one replaces an old one: the one that has waited
 * longest among those that never sent a key. If there is none, the one that has waited longest
 * between two requests. A request with a key is never closed to make room. There is no limit per
 * address, because all clients behind a proxy have the same address.
 */
#ifndef LOTOR_SERVICE_HTTP_CONNECTIONS_H
#define LOTOR_SERVICE_HTTP_CONNECTIONS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a connection is used. Smaller values are closed first to make room. */
typedef enum lotor_connection_kind {
    LOTOR_CONNECTION_STRANGER, /* no request with a key has come */
    LOTOR_CONNECTION_IDLE,  /* a request with a key has come; now it waits for the next request */
    LOTOR_CONNECTION_BUSY,  /* a request with a key is being handled */
    LOTOR_CONNECTION_CLOSED /* it was shut down here; the HTTP library has not noticed yet */
} lotor_connection_kind;

typedef struct lotor_connection {
    struct lotor_connection *before, *after;
    int handle;
    void *spare;              /* memory for the next request; freed with the connection */
    _Atomic int64_t since;    /* when the current step began, in milliseconds */
    _Atomic int64_t deadline; /* of the current step, in milliseconds; INT64_MAX: none */
    _Atomic int kind;         /* a lotor_connection_kind */
    const struct lotor_connections *links;
} lotor_connection;

typedef struct lotor_connections_setup {
    double patience_seconds; /* for a request's body, and for the client to take the reply */
    double head_seconds;     /* for a request's headers; never more than the patience */
    double idle_seconds;     /* between two requests; never more than the patience */
    size_t room;             /* from this number of connections on, new ones replace old ones */
    void *owner;             /* kept for the caller */
} lotor_connections_setup;

typedef struct lotor_connections {
    pthread_mutex_t lock;
    lotor_connection *first;
    size_t open;                  /* connections that were not shut down here */
    size_t evicted;               /* connections shut down to make room since the last sweep */
    int64_t patience, head, idle; /* milliseconds */
    size_t room;
    void *owner;
} lotor_connections;

void lotor_connections_init(lotor_connections *links, const lotor_connections_setup *setup);
void lotor_connections_destroy(lotor_connections *links);

/* Adds a new connection; may shut down another one to make room. NULL: no memory, so this
 * connection is not watched. */
lotor_connection *lotor_connections_add(lotor_connections *links, int handle);
/* call before the handle is closed */
void lotor_connections_remove(lotor_connections *links, lotor_connection *link);

/* The steps of a connection, in this order: the headers are complete; the request is complete and
 * waits for the engine; the reply is being sent; the reply was sent. The function
 * lotor_connection_head returns false if the connection was just shut down: then do not run the
 * request, since its reply can't be sent. */
bool lotor_connection_head(lotor_connection *link, bool has_key);
void lotor_connection_rest(lotor_connection *link);
void lotor_connection_reply(lotor_connection *link);
void lotor_connection_done(lotor_connection *link);

/* Shuts down connections whose deadline has passed. Returns how many were shut down since the
 * last call, including those that made room. */
size_t lotor_connections_sweep(lotor_connections *links);

#endif
