/* client.h - a small HTTP/1.1 client: JSON out, JSON back, one connection that is kept open.
 *
 *      lotor_client_call(client, "POST", "/v1/campaigns/shop/rank", "{}", 5.0, &reply);
 *      if (reply.outcome == LOTOR_REPLY_LOST) ... the server died or is slow: `reply.reason`
 *
 * Nothing is sent twice on its own. After LOST the caller decides: a reward may be repeated (it counts
 * once), a rank that is repeated is another decision.
 *
 * Many at once: `watch` adds a client to an epoll instance (edge-triggered, data.ptr is the client);
 * then start, and advance whenever epoll names it, until it is no longer BUSY.
 *
 * For the demo, the tests and the bench. Not for the open network: no TLS, numeric addresses only.
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
    LOTOR_REPLY_BUSY = 0, /* not all there yet */
    LOTOR_REPLY_DONE,     /* `status` and `body` are there */
    LOTOR_REPLY_LOST /* no whole answer came: refused, closed in the middle, too slow, not HTTP */
} lotor_reply_outcome;

typedef struct lotor_reply {
    lotor_reply_outcome outcome;
    unsigned status;  /* of HTTP; 0 when lost */
    const char *body; /* ends in NUL; good until the client's next call */
    size_t length;
    bool may_have_been_seen; /* lost: whether any of the request was sent */
    const char *reason;      /* lost: a constant sentence; else "" */
} lotor_reply;

/* `address`: a numeric IPv4 address. `key`: the bearer key, NULL for none; copied. */
lotor_status lotor_client_new(const char *address, uint16_t port, const char *key,
                              lotor_message *why, lotor_client **out);
void lotor_client_free(lotor_client *client); /* wipes: bodies and keys are private */

/* The server came back on another port. Closes the connection. */
void lotor_client_set_port(lotor_client *client, uint16_t port);
void lotor_client_close(lotor_client *client);

/* Sends and waits. `body` NULL: none. Returns reply->outcome, DONE or LOST. */
lotor_reply_outcome lotor_client_call(lotor_client *client, const char *method, const char *path,
                                      const char *body, double timeout_seconds, lotor_reply *reply);

/* The same with JSON both ways: *out is a new reference, NULL when the body is no JSON. `body` may be
 * NULL. Returns the HTTP status, 0 when lost. */
unsigned lotor_client_json(lotor_client *client, const char *method, const char *path,
                           const json_t *body, double timeout_seconds, json_t **out);

/* In pieces. `watch` comes before the first start. `owner` is the caller's. */
void lotor_client_watch(lotor_client *client, int epoll);
void lotor_client_set_owner(lotor_client *client, void *owner);
void *lotor_client_owner(const lotor_client *client);

void lotor_client_start(lotor_client *client, const char *method, const char *path,
                        const char *body, size_t length, double timeout_seconds);
bool lotor_client_is_busy(const lotor_client *client);
lotor_reply_outcome lotor_client_advance(lotor_client *client, lotor_reply *reply);
double lotor_client_deadline(const lotor_client *client); /* on lotor_time_seconds's clock */

#endif
