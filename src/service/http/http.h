/* http.h - the server: connections, keys, limits. What requests mean is in api.h. */
#ifndef LOTOR_SERVICE_HTTP_H
#define LOTOR_SERVICE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

#include "service/engine/engine.h"
#include "service/http/errands.h"
#include "service/http/keys.h"

typedef struct lotor_http lotor_http;

typedef struct lotor_http_setup {
    lotor_engine *engine; /* borrowed, as are the keys */
    lotor_keys *keys;
    const char *address;             /* a numeric IPv4 or IPv6 address */
    uint16_t port;                   /* 0: any free one */
    unsigned threads;                /* 0: 1 */
    unsigned connections;            /* 0: 2000; never more than the process may open files */
    lotor_errand *advise, *simulate; /* POST /v1/advise, /v1/simulate; NULL: those of lab/lab.h */
    /* Seconds: for a request's headers to come in (0: 5; never more than the next), for its body (0: 30). Silence:
     * 10 at most. */
    double head_patience, patience;
} lotor_http_setup;

/* LOTOR_INVALID: no such address. LOTOR_BUSY: another program has the port. LOTOR_IO: the system
 * refuses the port or the threads. */
lotor_status lotor_http_start(const lotor_http_setup *setup, lotor_message *why, lotor_http **out);
uint16_t lotor_http_port(const lotor_http *http);
bool lotor_http_is_loopback(const char *address);

/* No new connections; requests that come on open ones are told that the server stops. */
void lotor_http_drain(lotor_http *http);

/* Requests that have come in whole and are not answered yet. */
size_t lotor_http_open(const lotor_http *http);

/* Closes those connections whose request does not come on: called about once a second. Returns how many were
 * closed since the last call, with those whose place a new one needed (http_links.h). */
size_t lotor_http_sweep(lotor_http *http);

/* Why a page was sent without a file that it needs (dashboard.h), once; NULL: no such page was asked for,
 * or that was said before. */
const char *lotor_http_complaint(lotor_http *http);

/* Ends it. Every job must have been answered: drain, wait for open to be 0, stop the engine, free. */
void lotor_http_free(lotor_http *http);

#endif
