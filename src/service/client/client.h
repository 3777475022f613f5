/* client.h - a small HTTP/1.1 client for JSON requests over one open connection.
 *
 *      lotor_client_call(client, "POST", "/v1/campaigns/shop/rank", "{}", 5.0, &reply);
 *      if (reply.outcome == LOTOR_REPLY_LOST) ... the server died or is slow: see reply.reason
 *
 * The client never sends a request again by itself. After LOTOR_REPLY_LOST the caller decides: a
 * repeated reward counts once, but a repeated rank makes another decision.
 *
 * To run many clients in one thread: lotor_client_watch adds a client to an epoll instance
 * (edge-triggered; data.ptr is the client). Then call lotor_client_start, and lotor_client_advance
 * each time epoll reports the client, until the outcome is no longer LOTOR_REPLY_BUSY.
 *
 * Used by the demo, the tests and the benchmarks. It is not for open networks: it has no TLS, and
 * takes numeric addresses only.
 */
#ifndef LOTOR_SERVICE_CLIENT_H
#define LOTOR_SERVICE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <lotor/status.h>

typedef struct lotor_client lotor_client;

typedef enum lotor_reply_outcome {
    LOTOR_REPLY_BUSY = 0, /* the reply is not complete yet */
    LOTOR_REPLY_DONE,     /* `status` and `body` are set */
    /* there is no complete reply: connection refused or closed, too slow, or not HTTP */
    LOTOR_REPLY_LOST
} lotor_reply_outcome;

typedef struct lotor_reply {
    lotor_reply_outcome outcome;
    unsigned status;  /* the HTTP status; 0 if lost */
    const char *body; /* ends in NUL; valid until the next call with this client */
    size_t length;
    bool may_have_been_seen; /* if lost: whether any part of the request was sent */
    const char *reason;      /* if lost: what happened, a constant text; else "" */
} lotor_reply;

/* `address` is a numeric IPv4 address. `key` is the bearer key, which is copied; NULL: none. */
lotor_status lotor_client_new(const char *address, uint16_t port, const char *key,
                              lotor_message *why, lotor_client **out);
void lotor_client_free(lotor_client *client); /* also wipes bodies and the key, which are private */

/* Sets the port of the server and closes the connection: for a server that restarted on another
 * port. */
void lotor_client_set_port(lotor_client *client, uint16_t port);
void lotor_client_close(lotor_client *client);

/* Sends a request and waits for the reply. `body` may be NULL. Returns reply->outcome: DONE or
 * LOST. */
lotor_reply_outcome lotor_client_call(lotor_client *client, const char *method, const char *path,
                                      const char *body, double timeout_seconds, lotor_reply *reply);

/* Like lotor_client_call, with JSON both ways. *out is a new reference, or NULL if the reply is
 * not JSON. `body` may be NULL. Returns the HTTP status, or 0 if the reply was lost. */
unsigned lotor_client_json(lotor_client *client, const char *method, const char *path,
                           const json_t *body, double timeout_seconds, json_t **out);

/* For many clients in one thread: see the top. Call lotor_client_watch before the first start.
 * `owner` is a pointer for the caller's own use. */
void lotor_client_watch(lotor_client *client, int epoll);
void lotor_client_set_owner(lotor_client *client, void *owner);
void *lotor_client_owner(const lotor_client *client);

void lotor_client_start(lotor_client *client, const char *method, const char *path,
                        const char *body, size_t length, double timeout_seconds);
bool lotor_client_is_busy(const lotor_client *client);
lotor_reply_outcome lotor_client_advance(lotor_client *client, lotor_reply *reply);
double lotor_client_deadline(const lotor_client *client); /* on the clock of lotor_time_seconds */

#endif
