/* client_many.h - many connections in one thread, each with one request at a time.
 *
 * The caller provides the next request of each connection, and gets the replies.
 */
#ifndef LOTOR_SERVICE_CLIENT_MANY_H
#define LOTOR_SERVICE_CLIENT_MANY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "service/client/client.h"

typedef struct lotor_client_request {
    const char *method, *path, *body; /* valid until the next call of `next`; copied */
    size_t length;                    /* of the body */
} lotor_client_request;

typedef struct lotor_many_setup {
    const char *address; /* NULL: 127.0.0.1 */
    uint16_t port;
    const char *key;
    size_t connections;
    double timeout_seconds; /* of one request */
    void *context;
    /* False: this connection has no request now. */
    bool (*next)(void *context, size_t connection, lotor_client_request *out);
    void (*heard)(void *context, size_t connection, const lotor_reply *reply);
} lotor_many_setup;

typedef struct lotor_many lotor_many;

lotor_status lotor_many_new(const lotor_many_setup *setup, lotor_message *why, lotor_many **out);
void lotor_many_free(lotor_many *many);

/* Runs for `seconds`, or until there are no requests and no replies to wait for; then it returns
 * true. The replies to requests that are still open at the end come in the next call. */
bool lotor_many_run(lotor_many *many, double seconds);

/* Waits up to `seconds` for open requests, and sends no new ones. True: none is open any more. */
bool lotor_many_drain(lotor_many *many, double seconds);

#endif
