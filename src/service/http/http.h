/* http.h - the HTTP server: connections, keys and limits. api.h defines what requests mean. */
#ifndef LOTOR_SERVICE_HTTP_H
#define LOTOR_SERVICE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

#include "service/engine/engine.h"
#include "service/http/api.h"
#include "service/http/calculations.h"
#include "service/http/cors.h"
#include "service/http/keys.h"
#include "service/http/tls.h"

typedef struct lotor_http lotor_http;

/* The known facts about a request when it is over. It holds nothing that a person sent: no body, no key,
 * no event, and no path that is not a route. */
typedef struct lotor_http_entry {
    const lotor_route *route; /* NULL: there is no such path or method */
    const char *campaign;     /* "": none, or its name was not checked */
    unsigned status;          /* 0: the client went away before the reply */
    const char *code;         /* of an error; NULL: none */
    double seconds;           /* from the headers to the end of the reply */
    bool is_complete;         /* the whole reply was sent */
    const char *id;           /* of the request: the client's, or a random one */
    const char *traceparent;  /* "": none */
} lotor_http_entry;

typedef struct lotor_http_setup {
    lotor_engine *engine; /* borrowed, like the keys */
    lotor_keys *keys;
    const char *address;  /* a numeric IPv4 or IPv6 address */
    uint16_t port;        /* 0: any free port */
    unsigned threads;     /* 0: one thread */
    unsigned connections; /* 0: 2000; never more than the limit on open files allows */
    lotor_calculation *advise, *simulate; /* NULL: the functions of lab/lab.h */
    /* The longest times in seconds. head_patience is for a request's headers (0: 5 seconds;
     * never more than `patience`). patience is for its body (0: 30 seconds). A silent connection
     * is closed after 10 seconds. */
    double head_patience, patience;
    const lotor_cors *cors; /* pages of other sites that may call; NULL: none. Borrowed. */
    lotor_tls *tls;         /* NULL: plain HTTP. Borrowed. */
    const char *commit;     /* of the source code, for statements; NULL: not known. Borrowed. */
    /* Called after each request, from any thread; may be NULL. */
    void (*on_entry)(void *context, const lotor_http_entry *entry);
    void *context;
} lotor_http_setup;

/* LOTOR_INVALID: `address` is not an IP address. LOTOR_BUSY: another program uses the port.
 * LOTOR_IO: the system refused the port or a thread, or the library has no TLS. */
lotor_status lotor_http_start(const lotor_http_setup *setup, lotor_message *why, lotor_http **out);
uint16_t lotor_http_port(const lotor_http *http);
bool lotor_http_is_loopback(const char *address);

/* Accepts no more connections. Requests on open connections are refused with "the server is
 * stopping". */
void lotor_http_drain(lotor_http *http);

/* The number of requests that have begun and whose reply is not sent yet. */
size_t lotor_http_open(const lotor_http *http);

/* Closes connections whose request makes no progress; call it about once a second. Returns how
 * many connections were closed since the last call. That includes connections that were closed
 * to make room (http_connections.h). */
size_t lotor_http_sweep(lotor_http *http);

/* If a page asked for a file that this build lacks (dashboard.h): says so, once. Else NULL. */
const char *lotor_http_complaint(lotor_http *http);

/* Stops the server. All jobs must be finished: call lotor_http_drain, wait until lotor_http_open
 * returns 0, stop the engine, then call this. */
void lotor_http_free(lotor_http *http);

#endif
