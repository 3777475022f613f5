/* serve.c - lotor serve: runs the decision service until a signal stops it.
 *
 * The main thread waits for signals, and once a second checks keys and connections. The engine has
 * one thread, and HTTP has its own threads.
 */
#include "cli/serve.h"

#include "cli/command.h"
#include "cli/commit.h"

enum {
    STORE,
    LISTEN,
    PORT,
    KEY_FILE,
    KEYS,
    PORT_FILE,
    THREADS,
    PATIENCE,
    ACCEPT_ROLLBACK,
    ALLOW_WEAK_EPSILON,
    TLS_CERTIFICATE,
    TLS_KEY,
    CORS,
    LOG_FORMAT,
    CONFIG,
    OPTION_COUNT
};

static const lotor_option options[] = {
    [STORE] = {.name = "store",
               .kind = LOTOR_OPTION_TEXT,
               .placeholder = "STORE",
               .help = "the SQLite file with all campaigns, made if it does not exist; or "
                       "postgres://USER@HOST/DATABASE, for several servers"},
    [LISTEN] = {.name = "listen",
                .kind = LOTOR_OPTION_TEXT,
                .placeholder = "ADDRESS",
                .initial = "127.0.0.1",
                .help = "the address to listen on; for a public address, use TLS or put a TLS "
                        "proxy in front of the server"},
    [PORT] = {.name = "port",
              .kind = LOTOR_OPTION_WHOLE,
              .placeholder = "N",
              .initial = "8080",
              .help = "the port; 0 means any free port"},
    [KEY_FILE] =
        {.name = "key-file",
         .kind = LOTOR_OPTION_TEXT,
         .placeholder = "FILE",
         .help =
             "the file of the secret key of the store (default: STORE.key, made on first start)"},
    [KEYS] = {.name = "keys",
              .kind = LOTOR_OPTION_TEXT,
              .placeholder = "FILE",
              .help = "the file of the bearer keys (default: STORE.keys)"},
    [PORT_FILE] =
        {.name = "port-file",
         .kind = LOTOR_OPTION_TEXT,
         .placeholder = "FILE",
         .help = "a file for the port, which the server writes when it is ready, for scripts"},
    [THREADS] = {.name = "threads",
                 .kind = LOTOR_OPTION_WHOLE,
                 .placeholder = "N",
                 .initial = "1",
                 .help = "the number of threads for HTTP: 1 to 64"},
    [PATIENCE] =
        {.name = "patience",
         .kind = LOTOR_OPTION_WHOLE,
         .placeholder = "SECONDS",
         .initial = "30",
         .help = "the most seconds for receiving a request: 1 to 3600; its headers get at most 5"},
    [ACCEPT_ROLLBACK] = {.name = "accept-rollback",
                         .kind = LOTOR_OPTION_FLAG,
                         .help = "serve a store that was restored from an older copy; from then on "
                                 "every guarantee says so"},
    [ALLOW_WEAK_EPSILON] =
        {.name = "allow-weak-epsilon",
         .kind = LOTOR_OPTION_FLAG,
         .help = "accept new campaigns with an epsilon above 20, which protects nobody: for tests"},
    [TLS_CERTIFICATE] = {.name = "tls-certificate",
                         .kind = LOTOR_OPTION_TEXT,
                         .placeholder = "FILE",
                         .help = "speak HTTPS only, with this certificate (PEM; the certificates "
                                 "that signed it follow in the same file); read again on SIGHUP"},
    [TLS_KEY] = {.name = "tls-key",
                 .kind = LOTOR_OPTION_TEXT,
                 .placeholder = "FILE",
                 .help = "the private key of the certificate (PEM)"},
    [CORS] = {.name = "cors",
              .kind = LOTOR_OPTION_TEXT,
              .placeholder = "ORIGINS",
              .help = "the sites whose pages may call the server from a browser, separated by "
                      "commas: https://shop.example"},
    [LOG_FORMAT] = {.name = "log-format",
                    .kind = LOTOR_OPTION_CHOICE,
                    .placeholder = "FORMAT",
                    .choices = "text|json",
                    .initial = "text",
                    .help = "the format of the log on standard error; json also has requests"},
    [CONFIG] = {.name = "config",
                .kind = LOTOR_OPTION_TEXT,
                .placeholder = "FILE",
                .help = "a JSON file with options: {\"store\": \"shop.db\", \"port\": 8080}"},
};

#ifdef LOTOR_SERVICE
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>
#include <malloc.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/quote.h"
#include "cli/print.h"
#include "cli/serve_log.h"
#include "cli/settings.h"
#include "service/engine/engine.h"
#include "service/http/http.h"
#include "service/http/keys.h"

enum { DRAIN_SECONDS = 10 };

typedef struct server {
    const lotor_option_value *values; /* of the command line, the environment and the file */
    char keys_path[PATH_MAX], server_key_path[PATH_MAX], head_path[PATH_MAX];
    lotor_keys *keys;
    lotor_server_key *server_key;
    lotor_store *store;
    lotor_heads *heads;
    lotor_engine *engine;
    lotor_http *http;
    lotor_cors *cors;
    lotor_tls *tls;
    lotor_serve_log log;
    sigset_t signals;
    bool engine_runs, was_ready, wrote_port;
} server;

/* Wipes memory before freeing it: JSON values hold rewards, users and contexts. */
static void free_wiped(void *memory)
{
    if (memory) {
        lotor_wipe_free(memory, malloc_usable_size(memory));
    }
}

/* Large blocks get memory of their own, which the system gets back when they are freed. glibc would
 * raise the limit to the size of the largest freed block, for example a loaded policy. Then policies
 * that come and go would leave holes between small blocks, and the server would only grow. */
static void keep_large_blocks_apart(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

/* Makes a key only for a new store: a new key could not open anything in an existing store. */
static lotor_status open_server_key(server *self, lotor_message *why)
{
    char starts[24];
    lotor_status status = lotor_store_get_meta(self->store, "starts", why, starts, sizeof starts);
    if (status == LOTOR_OK) {
        status = lotor_server_key_open(self->server_key_path, !*starts, why, &self->server_key);
    }
    if (status == LOTOR_UNKNOWN) {
        status =
            lotor_fail(LOTOR_UNKNOWN, why,
                       "the secret key %s of the store is missing: put it back, or give its path "
                       "with --key-file; without the key nothing in the store can be opened",
                       lotor_quote_text(self->server_key_path).text);
    }
    return status;
}

/* The name of the store for the log. The address of a database may contain a password: leave it
 * out. */
static const char *name_of(const char *store, char name[static 128])
{
    if (!lotor_store_is_address(store)) {
        return store;
    }
    const char *const at = strrchr(store, '@');
    const char *const host = at ? at + 1 : strstr(store, "://") + 3;
    snprintf(name, 128, "the database %.*s", (int)strcspn(host, "?"), host);
    return name;
}

/* Opens the store. The server waits while a database accepts no connections: after a power cut, the
 * machines of both start at the same time. A signal to stop ends the wait. */
static lotor_status open_store(server *self, lotor_message *why)
{
    const char *const store = self->values[STORE].text;
    const struct timespec second = {.tv_sec = 1};
    char name[128], said[sizeof why->text] = "";
    bool was_up = false;
    for (unsigned waits = 0;;) {
        const lotor_status status =
            lotor_store_open(store, LOTOR_STORE_SERVE, NULL, why, &self->store);
        if (status != LOTOR_UNFINISHED || was_up) {
            return status;
        }
        was_up = lotor_store_is_up(store);
        if (was_up) {
            continue; /* it may have started just now: one more attempt shows whether it refuses */
        }
        if (waits++ % 30 == 0 || strcmp(said, why->text) != 0) {
            snprintf(said, sizeof said, "%s", why->text);
            lotor_serve_log_note(&self->log, LOTOR_SERVE_LOG_WARNING,
                                 "waiting for %s, and trying again each second: %s",
                                 name_of(store, name), why->text);
        }
        const int came = sigtimedwait(&self->signals, NULL, &second);
        if (came == SIGTERM || came == SIGINT) {
            return lotor_fail(LOTOR_STOPPED, why, "stopped while waiting for %s",
                              name_of(store, name));
        }
    }
}

static lotor_status open_all(server *self, lotor_message *why)
{
    const lotor_option_value *const values = self->values;
    const char *const store = values[STORE].text;
    if (lotor_store_is_address(store) && !(values[KEYS].text && values[KEY_FILE].text)) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "a database has no files next to it: give the paths of its key and of the bearer keys, "
            "with --key-file FILE and --keys FILE (the same for all servers)");
    }
    if (!lotor_serve_path(store, ".keys", values[KEYS].text, self->keys_path, PATH_MAX) ||
        !lotor_serve_path(store, ".key", values[KEY_FILE].text, self->server_key_path, PATH_MAX) ||
        !lotor_serve_path(self->server_key_path, ".head", NULL, self->head_path, PATH_MAX)) {
        return lotor_fail(LOTOR_INVALID, why, "the path of the store is too long");
    }
    lotor_status status = lotor_keys_open(self->keys_path, why, &self->keys);
    if (status == LOTOR_OK && values[CORS].text) {
        status = lotor_cors_new(values[CORS].text, why, &self->cors);
    }
    if (status == LOTOR_OK && values[TLS_KEY].text) {
        status =
            lotor_tls_open(values[TLS_CERTIFICATE].text, values[TLS_KEY].text, why, &self->tls);
    }
    if (status == LOTOR_OK) {
        status = open_store(self, why);
    }
    if (status == LOTOR_OK) {
        status = open_server_key(self, why);
    }
    bool heads_were_lost = false;
    if (status == LOTOR_OK) {
        status = lotor_heads_open(self->head_path, why, &self->heads, &heads_were_lost);
    }
    if (status == LOTOR_OK) {
        const lotor_engine_setup setup = {.store = self->store,
                                          .server_key = self->server_key,
                                          .heads = self->heads,
                                          .heads_were_lost = heads_were_lost,
                                          .accept_rollback = values[ACCEPT_ROLLBACK].given,
                                          .allow_weak_epsilon = values[ALLOW_WEAK_EPSILON].given};
        status = lotor_engine_new(&setup, why, &self->engine);
    }
    return status;
}

static lotor_status start_all(server *self, lotor_message *why)
{
    const lotor_http_setup setup = {.engine = self->engine,
                                    .keys = self->keys,
                                    .address = self->values[LISTEN].text,
                                    .port = (uint16_t)self->values[PORT].whole,
                                    .threads = (unsigned)self->values[THREADS].whole,
                                    .patience = (double)self->values[PATIENCE].whole,
                                    .cors = self->cors,
                                    .tls = self->tls,
                                    .commit = lotor_commit[0] ? lotor_commit : NULL,
                                    .on_entry = self->log.is_json ? lotor_serve_log_entry : NULL,
                                    .context = &self->log};
    lotor_status status = lotor_engine_start(self->engine, why);
    if (status == LOTOR_OK) {
        self->engine_runs = true;
        status = lotor_http_start(&setup, why, &self->http);
    }
    return status;
}

/* Writes the file as a whole: a script that sees the file can read the port. */
static lotor_status write_port(server *self, lotor_message *why)
{
    const char *const path = self->values[PORT_FILE].text;
    char draft[PATH_MAX];
    if (!path) {
        return LOTOR_OK;
    }
    bool fine = lotor_serve_path(path, ".new", NULL, draft, sizeof draft);
    FILE *const file = fine ? fopen(draft, "w") : NULL;
    fine = file && fprintf(file, "%u\n", (unsigned)lotor_http_port(self->http)) > 0;
    fine = file && fclose(file) == 0 && fine && rename(draft, path) == 0;
    self->wrote_port = fine;
    return fine ? LOTOR_OK
                : lotor_fail(LOTOR_IO, why, "the port could not be written to its file: %s",
                             strerror(errno));
}

/* Says until when the certificate is valid. */
static void tell_expiry(const server *self)
{
    if (!self->tls) {
        return;
    }
    const time_t expires = lotor_tls_expires(self->tls);
    const bool is_over = expires <= time(NULL);
    char date[32] = "";
    struct tm parts;
    if (gmtime_r(&expires, &parts)) {
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
    lotor_serve_log_note(&self->log, is_over ? LOTOR_SERVE_LOG_WARNING : LOTOR_SERVE_LOG_INFO,
                         "the certificate %s %s", is_over ? "has expired:" : "is valid until",
                         date);
}

static void greet(const server *self)
{
    const char *const address = self->values[LISTEN].text;
    const char *const store = self->values[STORE].text;
    const bool is_six = strchr(address, ':') != NULL;
    char base[128], name[128];
    snprintf(base, sizeof base, "http%s://%s%s%s:%u", self->tls ? "s" : "", is_six ? "[" : "",
             address, is_six ? "]" : "", (unsigned)lotor_http_port(self->http));
    lotor_serve_log_note(&self->log, LOTOR_SERVE_LOG_INFO, "serving %s on %s (lotor %s)",
                         name_of(store, name), base, lotor_version());
    tell_expiry(self);
    if (!self->tls && !lotor_http_is_loopback(address)) {
        lotor_serve_log_note(
            &self->log, LOTOR_SERVE_LOG_WARNING,
            "other machines can reach %s, and keys and feedback travel as plain text: give "
            "--tls-certificate and --tls-key, or put a TLS proxy in front of the server",
            base);
    }
    if (self->log.is_json) {
        return; /* no hints for a person */
    }
    if (lotor_keys_count(self->keys) == 0) {
        const bool has_path = self->values[KEYS].text != NULL;
        fprintf(stderr, "  There is no key yet. Make one:  KEY=$(lotor key --%s %s --role admin)\n",
                has_path ? "keys" : "store", has_path ? self->keys_path : store);
    }
    fprintf(stderr,
            "  Dashboard:  %s/\n"
            "  Try:  curl -H \"Authorization: Bearer $KEY\" %s/v1/campaigns\n"
            "  Stop with Ctrl-C: requests are answered, and nothing is lost.\n",
            base, base);
}

/* --- running ---------------------------------------------------------------------------------- */

static void read_keys(server *self, bool only_if_changed)
{
    lotor_message why;
    const size_t before = lotor_keys_count(self->keys);
    const lotor_status status = lotor_keys_reload(self->keys, only_if_changed, &why);
    const size_t count = lotor_keys_count(self->keys);
    if (status == LOTOR_DAMAGED) {
        lotor_serve_log_note(&self->log, LOTOR_SERVE_LOG_ERROR,
                             "%zu key%s read, and bad lines are ignored: %s", count,
                             count == 1 ? "" : "s", why.text);
    } else if (status != LOTOR_OK) {
        lotor_serve_log_note(&self->log, LOTOR_SERVE_LOG_ERROR,
                             "no key is valid until the file of keys can be read: %s", why.text);
    } else if (!only_if_changed || count != before) {
        lotor_serve_log_note(&self->log, LOTOR_SERVE_LOG_INFO, "%zu key%s read", count,
                             count == 1 ? "" : "s");
    }
}

/* Reads the certificate again. Open connections go on, also if it can't be read. */
static void read_certificate(server *self)
{
    lotor_message why;
    bool has_changed;
    if (!self->tls) {
        return;
    }
    if (lotor_tls_reload(self->tls, &why, &has_changed) != LOTOR_OK) {
        lotor_serve_log_note(&self->log, LOTOR_SERVE_LOG_ERROR,
                             "the server keeps the old certificate: %s", why.text);
        return;
    }
    lotor_serve_log_note(&self->log, LOTOR_SERVE_LOG_INFO, "the certificate was read%s",
                         has_changed ? ": new connections get the new one"
                                     : " and has not changed");
    tell_expiry(self);
}

static void look_after(server *self)
{
    read_keys(self, true);
    const size_t closed = lotor_http_sweep(self->http);
    if (closed > 0) {
        lotor_serve_log_note(&self->log, LOTOR_SERVE_LOG_INFO,
                             "%zu connection%s closed, because the request did not arrive in time",
                             closed, closed == 1 ? "" : "s");
    }
    const char *const complaint = lotor_http_complaint(self->http);
    if (complaint) {
        lotor_serve_log_note(&self->log, LOTOR_SERVE_LOG_INFO,
                             "a page asked for its randomizer: %s", complaint);
    }
    const bool is_ready = lotor_engine_is_ready(self->engine);
    if (is_ready != self->was_ready) {
        lotor_serve_log_note(
            &self->log, is_ready ? LOTOR_SERVE_LOG_INFO : LOTOR_SERVE_LOG_ERROR,
            is_ready ? "the store accepts commits again"
                     : "the store refuses commits: its disk may be full or read-only; requests "
                       "that need the store get status 503 until it accepts commits again");
        self->was_ready = is_ready;
    }
}

/* Returns after a signal to stop. */
static int serve_until_told(server *self)
{
    const struct timespec second = {.tv_sec = 1};
    for (;;) {
        const int came = sigtimedwait(&self->signals, NULL, &second);
        if (came == SIGHUP) {
            read_keys(self, false);
            read_certificate(self);
        } else if (came == SIGTERM || came == SIGINT) {
            return came;
        } else {
            look_after(self);
        }
    }
}

/* Finishes the open requests; then the engine saves its data, and everything is closed. */
static lotor_status stop_all(server *self, lotor_message *why)
{
    const struct timespec moment = {.tv_nsec = 5000000};
    lotor_status status = LOTOR_OK;
    if (self->http) {
        lotor_http_drain(self->http);
        for (int i = 0; i < DRAIN_SECONDS * 200 && lotor_http_open(self->http) > 0; i++) {
            nanosleep(&moment, NULL);
        }
    }
    if (self->engine_runs) {
        status = lotor_engine_stop(self->engine, why);
    }
    lotor_http_free(self->http);
    lotor_engine_free(self->engine);
    lotor_heads_free(self->heads);
    lotor_server_key_free(self->server_key);
    lotor_store_close(self->store);
    lotor_keys_free(self->keys);
    lotor_cors_free(self->cors);
    lotor_tls_free(self->tls);
    if (self->wrote_port) { /* otherwise the file belongs to another server */
        unlink(self->values[PORT_FILE].text);
    }
    return status;
}

static int refuse(const lotor_serve_log *log, const char *command, lotor_status status,
                  const char *message)
{
    const bool is_usage = status == LOTOR_INVALID;
    if (log->is_json) {
        lotor_serve_log_note(log, LOTOR_SERVE_LOG_ERROR, "%s", message);
        return is_usage ? LOTOR_EXIT_USAGE : LOTOR_EXIT_FAILED;
    }
    if (status == LOTOR_INVALID || status == LOTOR_MEMORY || status == LOTOR_ENTROPY) {
        return lotor_command_refuse(command, status, message);
    }
    lotor_print_complaint(command, "%s", message);
    return LOTOR_EXIT_FAILED;
}

static lotor_status check_options(const lotor_option_value *values, lotor_message *why)
{
    if (!values[STORE].text) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--store STORE is missing: give it, or set LOTOR_STORE, or \"store\" in "
                          "the file of --config");
    }
    if (!values[TLS_CERTIFICATE].text != !values[TLS_KEY].text) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--tls-certificate and --tls-key belong together: give both or neither");
    }
    if (values[PORT].whole > 65535) {
        return lotor_fail(LOTOR_INVALID, why, "--port \"%" PRIu64 "\": expected 0 to 65535",
                          values[PORT].whole);
    }
    if (values[THREADS].whole < 1 || values[THREADS].whole > 64) {
        return lotor_fail(LOTOR_INVALID, why, "--threads \"%" PRIu64 "\": expected 1 to 64",
                          values[THREADS].whole);
    }
    if (values[PATIENCE].whole < 1 || values[PATIENCE].whole > 3600) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--patience \"%" PRIu64 "\": expected 1 to 3600 seconds",
                          values[PATIENCE].whole);
    }
    return LOTOR_OK;
}

/* Blocks the signals before threads start: threads inherit the mask, so only the main thread gets
 * them. */
static void hold_signals(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGHUP);
    sigprocmask(SIG_BLOCK, signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static int serve(const char *command, const lotor_option_value *values)
{
    server self = {.values = values,
                   .was_ready = true,
                   .log.is_json = strcmp(values[LOG_FORMAT].text, "json") == 0};
    lotor_message why = {""}, ending = {""};
    lotor_status status = check_options(self.values, &why);
    if (status == LOTOR_OK) {
        status = lotor_serve_harden(&why);
    }
    if (status != LOTOR_OK) {
        return refuse(&self.log, command, status, why.text);
    }
    json_set_alloc_funcs(malloc, free_wiped);
    keep_large_blocks_apart();
    hold_signals(&self.signals);
    status = open_all(&self, &why);
    if (status == LOTOR_OK) {
        status = start_all(&self, &why);
    }
    if (status == LOTOR_OK) {
        status = write_port(&self, &why);
    }
    if (status == LOTOR_OK) {
        greet(&self);
        const int came = serve_until_told(&self);
        lotor_serve_log_note(&self.log, LOTOR_SERVE_LOG_INFO,
                             "%s: answering open requests, then stopping",
                             came == SIGTERM ? "SIGTERM" : "SIGINT");
    }
    if (status == LOTOR_STOPPED) {
        lotor_serve_log_note(&self.log, LOTOR_SERVE_LOG_INFO, "%s", why.text);
        status = LOTOR_OK;
    }
    const lotor_status stopped = stop_all(&self, &ending);
    if (status != LOTOR_OK || stopped != LOTOR_OK) {
        return refuse(&self.log, command, status != LOTOR_OK ? status : stopped,
                      status != LOTOR_OK ? why.text : ending.text);
    }
    lotor_serve_log_note(&self.log, LOTOR_SERVE_LOG_INFO, "stopped");
    return LOTOR_EXIT_FINE;
}

static int run_serve(const lotor_arguments *arguments)
{
    lotor_message why = {""};
    lotor_settings settings;
    const lotor_status status =
        lotor_settings_read(options, OPTION_COUNT, CONFIG, arguments, environ, &why, &settings);
    const int result = status == LOTOR_OK ? serve(arguments->command, settings.values)
                                          : refuse(&(lotor_serve_log){.is_json = false},
                                                   arguments->command, status, why.text);
    lotor_settings_free(&settings);
    return result;
}
#else
static int run_serve(const lotor_arguments *arguments)
{
    return lotor_no_service(arguments->command);
}
#endif

const lotor_command lotor_command_serve = {
    .name = "serve",
    .summary = "run the decision service over HTTP",
    .usage = "--store FILE [--port N] [--listen ADDRESS] [--accept-rollback] ...",
    .about =
        "Serves campaigns from one SQLite file, or together with other servers from a PostgreSQL "
        "database. A client that asks for a decision gets arms to show and an event. A client that "
        "sends feedback gets a reply when the feedback is on disk. Requests need a key (see lotor "
        "key). docs/openapi.json describes the requests; docs/threat-model.md says what is "
        "protected and what is not.\n\nThe server keeps some files next to the store. FILE.key is "
        "the secret key for the encrypted parts of the store: keep it, and keep it secret. "
        "FILE.key.head is used to detect an older copy of the store. The other files are FILE.keys "
        "and FILE.lock. On SIGTERM and Ctrl-C the server answers open requests and stops. On "
        "SIGHUP it reads the keys and the certificate again.\n\nEach option is also an environment "
        "variable (--key-file is LOTOR_KEY_FILE) and a key of the file of --config (\"key-file\"). "
        "The command line comes first, then the environment, then the file.",
    .examples = "  lotor serve --store shop.db &\n"
                "  KEY=$(lotor key --store shop.db --role admin)\n"
                "  curl -H \"Authorization: Bearer $KEY\" http://127.0.0.1:8080/v1/campaigns\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run_serve,
};
