/* client_many.h - many connections in one thread, each with one request at a time.
 *
 * The caller says what each connection asks next, and hears what came of it.
 */
#ifndef LOTOR_SERVICE_CLIENT_MANY_H
#define LOTOR_SERVICE_CLIENT_MANY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "service/client/client.h"

typedef struct lotor_client_request {
    const char *method, *path, *body; /* good until the next call of `next`; copied */
    size_t length;                    /* of the body */
} lotor_client_request;

typedef struct lotor_many_setup {
    const char *address; /* NULL: 127.0.0.1 */
    uint16_t port;
    const char *key;
    size_t connections;
    double timeout_seconds; /* of one request */
    void *context;
    /* False: this connection has nothing to ask now. */
    bool (*next)(void *context, size_t connection, lotor_client_request *out);
    void (*heard)(void *context, size_t connection, const lotor_reply *reply);
} lotor_many_setup;

typedef struct lotor_many lotor_many;

lotor_status lotor_many_new(const lotor_many_setup *setup, lotor_message *why, lotor_many **out);
void lotor_many_free(lotor_many *many);

/* Goes on for `seconds`, or until nothing is asked and nothing is on its way: then it returns true.
 * Requests on their way at the end of the time are heard of in the next call. */
bool lotor_many_run(lotor_many *many, double seconds);

/* Waits up to `seconds` for what is on its way, and asks nothing new. True: nothing is any more. */
bool lotor_many_drain(lotor_many *many, double seconds);

#endif
