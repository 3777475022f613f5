/* http_server.h - the server and its threads, for http.c (threads and sockets) and http_call.c (one
 * request). */
#ifndef LOTOR_SERVICE_HTTP_SERVER_H
#define LOTOR_SERVICE_HTTP_SERVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <microhttpd.h>

#include "service/http/calculations.h"
#include "service/http/http.h"
#include "service/http/http_connections.h"
#include "service/http/keys.h"
#include "service/http/traffic.h"

enum { LOTOR_HTTP_THREADS_MAX = 64 };

/* A thread that serves its own connections. */
typedef struct lotor_http_worker {
    lotor_http *http;
    struct MHD_Daemon *daemon;
    pthread_t thread;
    bool runs;
    int epoll;            /* the library's: readable if a connection needs this thread */
    int wake;             /* an eventfd: readable after lotor_http_wake */
    atomic_bool is_woken; /* lotor_http_wake was called since this thread last woke */
    bool has_closed;      /* a connection was closed in this pass; only this thread uses it */
    int quiet; /* after a drain: the listening socket that the library gave back, plus 1; else 0 */
} lotor_http_worker;

struct lotor_http {
    lotor_http_worker workers[LOTOR_HTTP_THREADS_MAX];
    size_t worker_count;
    atomic_bool ending;
    lotor_engine *engine;
    lotor_keys *keys;
    const lotor_cors *cors;
    lotor_traffic *traffic;
    lotor_tls *tls; /* NULL: plain HTTP */
    void (*on_entry)(void *context, const lotor_http_entry *entry);
    void *context;
    lotor_connections links;
    lotor_calculations calculations;
    const char *commit;
    uint16_t port;
    atomic_bool stopping, lacked, complained;
    atomic_size_t open;
};

/* Ends the sleep of a thread. Call it after each MHD_resume_connection, from any thread. */
void lotor_http_wake(lotor_http_worker *worker);

/* Callbacks of the HTTP library; the context is the lotor_http_worker. The first is called as
 * the parts of a request arrive, the second when the request is over. */
enum MHD_Result lotor_http_on_request(void *context, struct MHD_Connection *connection,
                                      const char *path, const char *method, const char *version,
                                      const char *data, size_t *length, void **state);
void lotor_http_on_completed(void *context, struct MHD_Connection *connection, void **state,
                             enum MHD_RequestTerminationCode why);

#endif
