/* http.c - runs libmicrohttpd for api.h: threads, sockets and limits.
 *
 * The threads are our own. A thread sleeps in poll until its connections need it, or until
 * lotor_http_wake:
 *
 *      poll(the library's epoll, wake) ──▶ MHD_run_wait(0): handle what has come ──▶ poll ...
 *        ▲                     ▲
 *        clients, timeouts     a commit or a calculation has resumed a connection; the end
 *
 * The library must not do the waiting itself. Without threads of its own, it does not notice
 * MHD_resume_connection while it waits. Also, version 0.9.75 has a fault: with exactly 128 pending
 * events it asks for more events before it handles those. Then it would wait for as long as
 * connections may be silent, so 128 busy clients would stall for seconds.
 */
#include "service/http/http_server.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/message.h"
#include "base/quote.h"
#include "service/http/dashboard.h"
#include "service/lab/lab.h"

/* --- the socket that a server listens on --------------------------------------------------------- */

static bool parse_address(const char *text, uint16_t port, struct sockaddr_storage *out,
                          socklen_t *length)
{
    memset(out, 0, sizeof *out);
    struct sockaddr_in *const four = (struct sockaddr_in *)out;
    struct sockaddr_in6 *const six = (struct sockaddr_in6 *)out;
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
        *length = sizeof *four;
        return true;
    }
    if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(port);
        *length = sizeof *six;
        return true;
    }
    return false;
}

bool lotor_http_is_loopback(const char *address)
{
    struct in_addr four;
    struct in6_addr six;
    if (inet_pton(AF_INET, address, &four) == 1) {
        return ntohl(four.s_addr) >> 24 == 127;
    }
    return inet_pton(AF_INET6, address, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

/* Opens the socket; *port is the port that it got. Statuses as in lotor_http_start. */
static lotor_status open_socket(const lotor_http_setup *setup, lotor_message *why, int *out,
                                uint16_t *port)
{
    struct sockaddr_storage address;
    socklen_t length = 0;
    const int on = 1;
    if (!parse_address(setup->address, setup->port, &address, &length)) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "%s is not an address to listen on: expected an IP address such as 127.0.0.1 or ::1",
            lotor_quote_text(setup->address).text);
    }
    const int handle = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (handle < 0 || setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(handle, (const struct sockaddr *)&address, length) != 0 || listen(handle, 1024) != 0 ||
        getsockname(handle, (struct sockaddr *)&address, &length) != 0) {
        const int error = errno;
        if (handle >= 0) {
            close(handle);
        }
        return lotor_fail(error == EADDRINUSE ? LOTOR_BUSY : LOTOR_IO, why,
                          "can't listen on %s, port %u: %s; choose another "
                          "with --listen and --port (0: any free port)",
                          lotor_quote_text(setup->address).text, (unsigned)setup->port,
                          strerror(error));
    }
    *port = ntohs(address.ss_family == AF_INET ? ((struct sockaddr_in *)&address)->sin_port
                                               : ((struct sockaddr_in6 *)&address)->sin6_port);
    *out = handle;
    return LOTOR_OK;
}

enum {
    SILENCE_SECONDS = 10, /* the longest silence between two bytes or two requests */
    CONNECTIONS = 2000,
    HEAD_SECONDS = 5,         /* the longest time for the headers of a request */
    PATIENCE_SECONDS = 30,    /* the longest time for the body of a request */
    OTHER_FILES = 64,         /* open files that are neither connections nor of a thread */
    THREAD_FILES = 3,         /* of each thread: its listener, its epoll, its eventfd */
    HEADER_ROOM = 8 * 1024,   /* for the request line and the headers; also the size of one read */
    SLEEP_MILLISECONDS = 1000 /* the longest sleep of a thread */
};

static void on_connection(void *context, struct MHD_Connection *connection, void **state,
                          enum MHD_ConnectionNotificationCode code)
{
    lotor_http_worker *const self = context;
    lotor_http *const http = self->http;
    self->has_closed = self->has_closed || code == MHD_CONNECTION_NOTIFY_CLOSED;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *const info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *state = info ? lotor_connections_add(&http->links, info->connect_fd) : NULL;
    } else if (*state) {
        lotor_connections_remove(&http->links, *state);
        *state = NULL;
    }
}

/* Leaves the path as the client sent it: no route has a path with an escaped character (%). */
static size_t no_unescape(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context;
    (void)connection;
    return strlen(text);
}

/* --- the threads ------------------------------------------------------------------------------ */

/* Only the first wake-up since the thread last woke needs a system call. A commit with many rewards
 * wakes the thread once. */
void lotor_http_wake(lotor_http_worker *worker)
{
    const uint64_t one = 1;
    if (!atomic_exchange(&worker->is_woken, true)) {
        const ssize_t written = write(worker->wake, &one, sizeof one);
        assert(written == (ssize_t)sizeof one);
        (void)written;
    }
}

/* Reads the eventfd first. A wake-up before the exchange may not write to the eventfd, but the
 * library runs after the exchange and finds the resumed connection. A later wake-up writes. */
static void note_wake(lotor_http_worker *self)
{
    uint64_t count;
    if (read(self->wake, &count, sizeof count) == (ssize_t)sizeof count) {
        atomic_exchange(&self->is_woken, false);
    }
}

/* How long the thread may sleep, in milliseconds. After a connection was closed, the library must
 * run once more: if it had too many connections, only then does it listen again. */
static int most_sleep(const lotor_http_worker *self)
{
    unsigned long long left;
    if (self->has_closed) {
        return 0;
    }
    return MHD_get_timeout(self->daemon, &left) == MHD_YES && left < SLEEP_MILLISECONDS
               ? (int)left
               : SLEEP_MILLISECONDS;
}

static void *work(void *argument)
{
    lotor_http_worker *const self = argument;
    struct pollfd events[2] = {{.fd = self->epoll, .events = POLLIN},
                               {.fd = self->wake, .events = POLLIN}};
    while (!atomic_load_explicit(&self->http->ending, memory_order_relaxed)) {
        self->has_closed = false;
        MHD_run_wait(self->daemon, 0);
        const int patience = most_sleep(self);
        if (patience > 0 && poll(events, 2, patience) > 0 && events[1].revents != 0) {
            note_wake(self);
        }
    }
    return NULL;
}

/* Gives a handshake the newest certificate. The HTTP library has set the session's pointer to the
 * connection, whose context is ours. Nothing is to be freed after the handshake (*flags is 0). */
static int on_handshake(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
                        gnutls_pcert_st **chain, unsigned *length, gnutls_ocsp_data_st **ocsp,
                        unsigned *ocsp_length, gnutls_privkey_t *key, unsigned *flags)
{
    struct MHD_Connection *const connection = gnutls_session_get_ptr(session);
    const union MHD_ConnectionInfo *const found =
        connection ? MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT) : NULL;
    const lotor_connection *const link = found ? found->socket_context : NULL;
    (void)info;
    *ocsp = NULL;
    *ocsp_length = 0;
    *flags = 0;
    if (!link) {
        return -1; /* no memory for it: the handshake fails */
    }
    lotor_tls_current(((lotor_http *)link->links->owner)->tls, chain, length, key);
    return 0;
}

static struct MHD_Daemon *start_daemon(lotor_http_worker *self, unsigned connections, int handle)
{
    const bool has_tls = self->http->tls != NULL;
    const unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO |
                           (has_tls ? (unsigned)MHD_USE_TLS : 0);
    /* Without TLS the list of options ends before the options of TLS. */
    const enum MHD_OPTION next = has_tls ? MHD_OPTION_HTTPS_PRIORITIES : MHD_OPTION_END;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, lotor_http_on_request, self, MHD_OPTION_LISTEN_SOCKET, handle,
        MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)SILENCE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_ROOM,
        MHD_OPTION_NOTIFY_COMPLETED, lotor_http_on_completed, self, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, self, MHD_OPTION_UNESCAPE_CALLBACK, no_unescape, NULL,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, next, LOTOR_TLS_PRIORITIES,
        MHD_OPTION_HTTPS_CERT_CALLBACK2, on_handshake, MHD_OPTION_END);
}

/* Starts one thread. All threads listen on the same socket. Each has its own duplicate of the
 * handle, which the library closes. */
static bool start_worker(lotor_http *http, unsigned connections, int handle)
{
    lotor_http_worker *const self = &http->workers[http->worker_count];
    const int own = fcntl(handle, F_DUPFD_CLOEXEC, 0);
    self->http = http;
    self->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    atomic_init(&self->is_woken, false);
    self->daemon = own >= 0 && self->wake >= 0 ? start_daemon(self, connections, own) : NULL;
    if (!self->daemon) {
        if (own >= 0) {
            close(own);
        }
        if (self->wake >= 0) {
            close(self->wake);
        }
        return false;
    }
    http->worker_count++;
    const union MHD_DaemonInfo *const info =
        MHD_get_daemon_info(self->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    self->epoll = info ? info->epoll_fd : -1;
    self->runs = self->epoll >= 0 && pthread_create(&self->thread, NULL, work, self) == 0;
    return self->runs;
}

/* The number of connections that the library may have open: the limit on open files, less the
 * other files of this process. From seven eighths of that number on, each new connection ends an
 * old one (http_connections.h). The rest is a reserve: the library needs time to notice that a
 * connection was shut down, and accepts several new ones at once. */
static unsigned count_connections(const lotor_http_setup *setup, unsigned threads)
{
    const unsigned wanted = setup->connections ? setup->connections : CONNECTIONS;
    const unsigned others = OTHER_FILES + THREAD_FILES * threads;
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= (rlim_t)wanted + others) {
        return wanted;
    }
    const unsigned most = (unsigned)files.rlim_cur;
    return most > others + OTHER_FILES ? most - others : OTHER_FILES;
}

lotor_status lotor_http_start(const lotor_http_setup *setup, lotor_message *why, lotor_http **out)
{
    *out = NULL;
    lotor_http *const http = calloc(1, sizeof *http);
    if (!http) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    int handle = -1;
    const lotor_status status = open_socket(setup, why, &handle, &http->port);
    if (status != LOTOR_OK) {
        free(http);
        return status;
    }
    http->engine = setup->engine;
    http->keys = setup->keys;
    http->cors = setup->cors;
    http->tls = setup->tls;
    http->on_entry = setup->on_entry;
    http->context = setup->context;
    http->commit = setup->commit;
    lotor_calculations_init(&http->calculations, setup->advise ? setup->advise : lotor_lab_advise,
                            setup->simulate ? setup->simulate : lotor_lab_simulate);
    const unsigned wanted = setup->threads ? setup->threads : 1;
    const unsigned threads = wanted < LOTOR_HTTP_THREADS_MAX ? wanted : LOTOR_HTTP_THREADS_MAX;
    const unsigned connections = count_connections(setup, threads);
    http->traffic = lotor_traffic_new(threads);
    lotor_connections_init(
        &http->links,
        &(lotor_connections_setup){
            .patience_seconds = setup->patience > 0 ? setup->patience : (double)PATIENCE_SECONDS,
            .head_seconds = setup->head_patience > 0 ? setup->head_patience : (double)HEAD_SECONDS,
            .idle_seconds = SILENCE_SECONDS,
            .room = connections - connections / 8,
            .owner = http});
    bool fine = http->traffic != NULL;
    for (unsigned i = 0; i < threads && fine; i++) {
        fine = start_worker(http, (connections + threads - 1) / threads, handle);
    }
    close(handle);
    if (!fine) {
        lotor_http_free(http);
        return lotor_fail(LOTOR_IO, why, "the HTTP server could not be started%s",
                          setup->tls && MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES
                              ? ": this libmicrohttpd was built without TLS"
                              : "");
    }
    *out = http;
    return LOTOR_OK;
}

uint16_t lotor_http_port(const lotor_http *http)
{
    return http->port;
}

/* The library's thread may still use the listening socket, so the socket is shut down here and
 * closed after that thread has ended. If it were closed here, its number could soon belong to
 * another file. */
void lotor_http_drain(lotor_http *http)
{
    atomic_store(&http->stopping, true);
    for (size_t i = 0; i < http->worker_count; i++) {
        const MHD_socket handle = MHD_quiesce_daemon(http->workers[i].daemon);
        if (handle != MHD_INVALID_SOCKET) {
            http->workers[i].quiet = handle + 1;
        }
    }
    for (size_t i = 0; i < http->worker_count; i++) {
        if (http->workers[i].quiet > 0) {
            (void)shutdown(http->workers[i].quiet - 1, SHUT_RDWR);
        }
    }
}

size_t lotor_http_open(const lotor_http *http)
{
    return atomic_load(&http->open);
}

const char *lotor_http_complaint(lotor_http *http)
{
    const bool says = atomic_load_explicit(&http->lacked, memory_order_relaxed) &&
                      !atomic_exchange_explicit(&http->complained, true, memory_order_relaxed);
    return says ? lotor_dashboard_missing(LOTOR_DASHBOARD_WASM) : NULL;
}

size_t lotor_http_sweep(lotor_http *http)
{
    return lotor_connections_sweep(&http->links);
}

void lotor_http_free(lotor_http *http)
{
    if (http) {
        atomic_store(&http->ending, true);
        for (size_t i = 0; i < http->worker_count; i++) {
            if (http->workers[i].runs) {
                lotor_http_wake(&http->workers[i]);
                pthread_join(http->workers[i].thread, NULL);
            }
            MHD_stop_daemon(http->workers[i].daemon);
            if (http->workers[i].quiet > 0) {
                close(http->workers[i].quiet - 1);
            }
        }
        lotor_calculations_destroy(&http->calculations);
        for (size_t i = 0; i < http->worker_count; i++) {
            close(http->workers[i].wake); /* the last calculation may have used it until now */
        }
        lotor_traffic_free(http->traffic);
        lotor_connections_destroy(&http->links);
        free(http);
    }
}
