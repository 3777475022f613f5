/* http_call.c - handles one request, from its headers to its reply.
 *
 * The connection of a request that waits for a commit is suspended. The engine's thread may finish
 * before the connection is suspended. So both exchange the atomic `place`, and the one that comes
 * second resumes the connection, and wakes the connection's thread (http.c). A client that closes
 * the connection meanwhile is noticed when it is resumed; its reward is counted all the same.
 */
#include "service/http/http_server.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/time.h"
#include "service/http/api.h"
#include "service/http/body.h"
#include "service/http/dashboard.h"
#include "service/http/trace.h"
#include "service/spec/fields.h"

/* --- the framing of a request: where its body ends ----------------------------------------------- */

typedef struct head_facts {
    unsigned lengths, encodings; /* how many headers of each */
    bool is_odd, is_too_large;
} head_facts;

static enum MHD_Result look(void *context, enum MHD_ValueKind kind, const char *name,
                            const char *value)
{
    head_facts *const facts = context;
    (void)kind;
    if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) {
        facts->lengths++;
        facts->is_too_large = facts->is_too_large || strtoull(value, NULL, 10) > LOTOR_BODY_MAX;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
        facts->encodings++;
        facts->is_odd = facts->is_odd || strcasecmp(value, "chunked") != 0;
    } else if (strpbrk(name, " \t")) { /* some programs read "Content-Length : 2" as a length */
        facts->is_odd = true;
    }
    return MHD_YES;
}

static lotor_code refuse_too_large(lotor_refusal *refusal)
{
    return lotor_refuse(refusal, LOTOR_CODE_TOO_LARGE, "",
                        "the body is too large: expected at most %d bytes", LOTOR_BODY_MAX);
}

/* Refuses a body that is declared too large. Also refuses headers that state the end of the body
 * twice, or in an unknown way. A proxy in front of the server could read them differently, and an
 * attacker could hide one request inside another. */
static lotor_code check_framing(struct MHD_Connection *connection, lotor_refusal *refusal)
{
    head_facts facts = {.lengths = 0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, look, &facts);
    if (facts.is_odd || facts.lengths + facts.encodings > 1) {
        return lotor_refuse(
            refusal, LOTOR_CODE_BAD_VALUE, "",
            "the end of the body is not clear: expected one header \"Content-Length: N\" or "
            "\"Transfer-Encoding: chunked\", and no header with a space in its name");
    }
    return facts.is_too_large ? refuse_too_large(refusal) : LOTOR_CODE_NONE;
}

enum {
    /* the most bytes to discard of a chunked body that is too long */
    DROPPED_MOST = 4 * LOTOR_BODY_MAX,
    FIRST_BODY = 512
};

/* The values of call.place: see the top of this file. */
enum { RUNNING, SUSPENDED, DONE };

typedef struct call {
    lotor_request request;
    lotor_http *http;
    lotor_http_worker *worker; /* the thread of the connection */
    struct MHD_Connection *connection;
    atomic_int place;
    bool waits;
    bool has_key; /* the request has a key with a role for this route */
    size_t capacity, dropped;
    char methods[32];
    const char *origin; /* the page's origin, if it may call; else NULL */
    double since;       /* when the headers were there */
    char id[LOTOR_REQUEST_ID_ROOM];
    char traceparent[LOTOR_TRACEPARENT_ROOM];
} call;

/* --- replies ---------------------------------------------------------------------------------- */

/* Tells a browser that the page may read the reply; after its question, what it may send. */
static void add_cors(struct MHD_Response *response, const call *self)
{
    MHD_add_response_header(response, "Vary", "Origin");
    if (!self->origin) {
        return;
    }
    MHD_add_response_header(response, "Access-Control-Allow-Origin", self->origin);
    if (self->request.route == &lotor_cors_route) {
        MHD_add_response_header(response, "Access-Control-Allow-Methods", self->methods);
        MHD_add_response_header(response, "Access-Control-Allow-Headers", LOTOR_CORS_SENT);
        MHD_add_response_header(response, "Access-Control-Max-Age", LOTOR_CORS_SECONDS);
    } else {
        MHD_add_response_header(response, "Access-Control-Expose-Headers", LOTOR_CORS_READ);
    }
}

static void add_headers(struct MHD_Response *response, const call *self)
{
    const unsigned status = self->request.status;
    MHD_add_response_header(response, "Content-Type", self->request.type);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (self->request.policy) {
        MHD_add_response_header(response, "Content-Security-Policy", self->request.policy);
        MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    }
    if (status == 503 || status == 429) {
        MHD_add_response_header(response, "Retry-After", "1");
    } else if (status == 401) {
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    } else if (status == 405) {
        MHD_add_response_header(response, "Allow", self->methods);
    }
    if (self->id[0]) {
        MHD_add_response_header(response, "X-Request-Id", self->id);
    }
    if (self->http->cors) {
        add_cors(response, self);
    }
    if (atomic_load_explicit(&self->http->stopping, memory_order_relaxed)) {
        MHD_add_response_header(response, "Connection", "close");
    }
}

static enum MHD_Result send_reply(call *self)
{
    lotor_request *const request = &self->request;
    static char no_memory[] = "{\"error\":{\"code\":\"internal\",\"field\":null,\"message\":"
                              "\"out of memory: try again later\"}}\n";
    struct MHD_Response *response;
    if (request->reply) {
        response = MHD_create_response_from_buffer(request->reply_length, request->reply,
                                                   MHD_RESPMEM_MUST_FREE);
        request->reply = response ? NULL : request->reply; /* else lotor_request_clear frees it */
    } else {
        response = MHD_create_response_from_buffer(sizeof no_memory - 1, no_memory,
                                                   MHD_RESPMEM_PERSISTENT);
    }
    if (!response) {
        return MHD_NO;
    }
    add_headers(response, self);
    const enum MHD_Result result = MHD_queue_response(self->connection, request->status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result send_refusal(call *self)
{
    lotor_api_refuse(&self->request);
    return send_reply(self);
}

/* --- the head of a request -------------------------------------------------------------------- */

/* Looks up the key in "Authorization: Bearer KEY". Its expiry is compared with the store's clock,
 * as every time of the service is. */
static lotor_key_verdict find_key(call *self)
{
    static const char scheme[] = "Bearer ";
    const char *const header = MHD_lookup_connection_value(self->connection, MHD_HEADER_KIND,
                                                           MHD_HTTP_HEADER_AUTHORIZATION);
    if (!header || strncasecmp(header, scheme, sizeof scheme - 1) != 0) {
        return LOTOR_KEY_UNKNOWN;
    }
    const char *const key = header + sizeof scheme - 1;
    return lotor_keys_find(self->http->keys, key, strlen(key),
                           lotor_engine_time(self->http->engine) / 1000, &self->request.grant);
}

static lotor_code check_role(call *self)
{
    lotor_refusal *const refusal = &self->request.job.refusal;
    if (self->request.route->role == LOTOR_ROLE_NONE) {
        return LOTOR_CODE_NONE;
    }
    const lotor_key_verdict verdict = find_key(self);
    if (verdict != LOTOR_KEY_VALID && lotor_keys_are_lost(self->http->keys)) {
        return lotor_refuse(refusal, LOTOR_CODE_STORE, "",
                            "the server can't read its key file: its log says why");
    }
    if (verdict == LOTOR_KEY_EXPIRED) {
        return lotor_refuse(refusal, LOTOR_CODE_UNAUTHORIZED, "",
                            "this key has expired: make a new one with lotor key");
    }
    if (verdict != LOTOR_KEY_VALID) {
        return lotor_refuse(refusal, LOTOR_CODE_UNAUTHORIZED, "",
                            "expected the header \"Authorization: Bearer KEY\" with a key that "
                            "was made with lotor key");
    }
    const lotor_code code = lotor_api_check_grant(&self->request);
    self->has_key = code == LOTOR_CODE_NONE;
    return code;
}

/* Reads the query parameters. Each may be given once, and the route must know its name. */
static lotor_code take_query(call *self)
{
    lotor_request *const request = &self->request;
    const char *const *const names = request->route->query;
    const int count =
        MHD_get_connection_values(self->connection, MHD_GET_ARGUMENT_KIND, NULL, NULL);
    int known = 0;
    for (size_t i = 0; count > 0 && i < LOTOR_QUERY_MAX && names[i]; i++) {
        request->query[i] =
            MHD_lookup_connection_value(self->connection, MHD_GET_ARGUMENT_KIND, names[i]);
        known += request->query[i] != NULL;
    }
    if (known == count) {
        return LOTOR_CODE_NONE;
    }
    if (!names[0]) {
        return lotor_refuse(&request->job.refusal, LOTOR_CODE_UNKNOWN_FIELD, "",
                            "expected no query after the path: fields go into the body");
    }
    char list[128] = "";
    lotor_text text = {.bytes = list, .capacity = sizeof list, .is_fixed = true};
    for (size_t i = 0; i < LOTOR_QUERY_MAX && names[i]; i++) {
        lotor_text_print(&text, "%s%s", i ? ", " : "", names[i]);
    }
    return lotor_refuse(&request->job.refusal, LOTOR_CODE_UNKNOWN_FIELD, "",
                        "the query has an unknown, repeated or empty field: expected only these, "
                        "each once with a value: %s",
                        list);
}

static const char *header_of(const call *self, const char *name)
{
    return MHD_lookup_connection_value(self->connection, MHD_HEADER_KIND, name);
}

/* Reads how the request is called in logs. It gets an id of its own only if there is a log. */
static void take_names(call *self)
{
    if (!lotor_request_id_read(header_of(self, "X-Request-Id"), self->id) && self->http->on_entry) {
        lotor_request_id_make(self->id);
    }
    lotor_traceparent_read(header_of(self, "traceparent"), self->traceparent);
}

/* True if a browser asks if an allowed page may call this path. */
static bool is_question(const call *self, const char *method)
{
    return self->origin && self->methods[0] && strcmp(method, "OPTIONS") == 0 &&
           header_of(self, "Access-Control-Request-Method");
}

static lotor_code check_head(call *self, const char *method, const char *path)
{
    lotor_request *const request = &self->request;
    lotor_refusal *const refusal = &request->job.refusal;
    request->route = lotor_api_match(method, path, request->target, refusal, self->methods);
    if (self->http->cors) {
        self->origin = lotor_cors_find(self->http->cors, header_of(self, "Origin"));
    }
    if (!request->route && is_question(self, method)) {
        request->route = &lotor_cors_route;
        refusal->code = LOTOR_CODE_NONE;
    }
    if (!request->route) {
        if (lotor_dashboard_missing(path)) {
            atomic_store_explicit(&self->http->lacked, true, memory_order_relaxed);
        }
        return refusal->code;
    }
    lotor_code code = check_role(self);
    if (code != LOTOR_CODE_NONE) {
        return code;
    }
    if (atomic_load_explicit(&self->http->stopping, memory_order_relaxed)) {
        return lotor_refuse(refusal, LOTOR_CODE_STOPPING, "",
                            "the server is stopping: try again later");
    }
    request->accept = header_of(self, MHD_HTTP_HEADER_ACCEPT);
    code = check_framing(self->connection, refusal);
    return code == LOTOR_CODE_NONE ? take_query(self) : code;
}

/* --- the body --------------------------------------------------------------------------------- */

static bool keep(call *self, const char *data, size_t length)
{
    lotor_request *const request = &self->request;
    if (request->length + length > self->capacity) {
        size_t capacity = self->capacity ? self->capacity : FIRST_BODY;
        while (capacity < request->length + length) {
            capacity *= 2;
        }
        char *const larger = malloc(capacity);
        if (!larger) {
            return false;
        }
        if (request->length > 0) {
            memcpy(larger, request->body, request->length);
        }
        lotor_wipe_free(request->body, request->length);
        request->body = larger;
        self->capacity = capacity;
    }
    memcpy(request->body + request->length, data, length);
    request->length += length;
    return true;
}

/* Collects a part of the body. If a chunked body is too long, some more of it is read and
 * discarded, so that the client can get a reply. After that the connection is closed. */
static enum MHD_Result take_body(call *self, const char *data, size_t *length)
{
    lotor_refusal *const refusal = &self->request.job.refusal;
    if (refusal->code == LOTOR_CODE_NONE) {
        if (self->request.length + *length > LOTOR_BODY_MAX) {
            refuse_too_large(refusal);
        } else if (!keep(self, data, *length)) {
            lotor_refuse_memory(refusal);
        }
    }
    if (refusal->code != LOTOR_CODE_NONE) {
        self->dropped += *length;
    }
    *length = 0;
    return self->dropped > DROPPED_MOST ? MHD_NO : MHD_YES;
}

static void drop_body(call *self)
{
    lotor_wipe_free(self->request.body, self->request.length);
    self->request.body = NULL;
    self->capacity = self->request.length = 0;
}

/* --- running the request ---------------------------------------------------------------------- */

static lotor_connection *link_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *const info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* The connection's thread may free the call as soon as the connection is resumed. */
static void resume(call *self)
{
    lotor_http_worker *const worker = self->worker;
    MHD_resume_connection(self->connection);
    lotor_http_wake(worker);
}

static void on_done(lotor_request *request)
{
    call *const self = request->owner;
    if (atomic_exchange(&self->place, DONE) == SUSPENDED) {
        resume(self);
    }
}

static enum MHD_Result wait_for_commit(call *self)
{
    struct MHD_Connection *const connection = self->connection;
    lotor_connection *const link = link_of(connection);
    self->waits = true;
    if (link) {
        lotor_connection_rest(link);
    }
    MHD_suspend_connection(connection);
    if (atomic_exchange(&self->place, SUSPENDED) == DONE) {
        atomic_store(&self->place, DONE);
        resume(self);
    }
    return MHD_YES;
}

static enum MHD_Result run(call *self)
{
    if (self->request.job.refusal.code != LOTOR_CODE_NONE) {
        return send_refusal(self);
    }
    const lotor_completion when = lotor_api_start(&self->request);
    drop_body(self);
    return when == LOTOR_COMPLETED ? send_reply(self) : wait_for_commit(self);
}

/* Makes a call for a new request. A connection has one call at a time and keeps it for its next
 * request, because a call is too large for malloc's fast lists. */
static call *call_new(lotor_http_worker *worker, struct MHD_Connection *connection)
{
    lotor_http *const http = worker->http;
    lotor_connection *const link = link_of(connection);
    call *const self = link && link->spare ? link->spare : malloc(sizeof *self);
    if (self) {
        if (link) {
            link->spare = NULL;
        }
        lotor_request_init(&self->request, http->engine);
        self->request.calculations = &http->calculations;
        self->request.traffic = http->traffic;
        self->request.keys = http->keys;
        self->request.commit = http->commit;
        self->request.done = on_done;
        self->request.owner = self;
        self->http = http;
        self->worker = worker;
        self->connection = connection;
        atomic_init(&self->place, RUNNING);
        self->waits = self->has_key = false;
        self->capacity = self->dropped = 0;
        self->methods[0] = '\0';
        self->origin = NULL;
        self->since = lotor_time_seconds();
        self->id[0] = self->traceparent[0] = '\0';
        atomic_fetch_add_explicit(&http->open, 1, memory_order_relaxed);
    }
    return self;
}

enum MHD_Result lotor_http_on_request(void *context, struct MHD_Connection *connection,
                                      const char *path, const char *method, const char *version,
                                      const char *data, size_t *length, void **state)
{
    call *self = *state;
    lotor_http_worker *const mine = context;
    (void)version;
    if (!self) {
        self = *state = call_new(mine, connection);
        if (!self) {
            return MHD_NO;
        }
        take_names(self);
        const lotor_code code = check_head(self, method, path);
        lotor_connection *const link = link_of(connection);
        if (link && !lotor_connection_head(link, self->has_key)) {
            return MHD_NO;
        }
        /* If a body is on its way, a refusal now closes the connection: the body is not read. */
        return code == LOTOR_CODE_NONE ? MHD_YES : send_refusal(self);
    }
    if (self->waits) { /* the connection was resumed */
        if (atomic_load(&self->place) != DONE) {
            return MHD_YES;
        }
        lotor_connection *const link = link_of(connection);
        if (link) {
            lotor_connection_reply(link);
        }
        lotor_api_finish(&self->request);
        return send_reply(self);
    }
    return *length > 0 ? take_body(self, data, length) : run(self);
}

/* The campaign of a request; "" if it may be something else that a client sent. */
static const char *campaign_of(const lotor_request *request)
{
    static const char known[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const bool is_named = request->route && strstr(request->route->path, "{name}") &&
                          request->status != 401 && request->status != 403 &&
                          request->status != 404 &&
                          request->target[strspn(request->target, known)] == '\0';
    return is_named ? request->target : "";
}

static void tell(const call *self, double seconds, bool is_complete)
{
    const lotor_request *const request = &self->request;
    const lotor_code code = request->job.refusal.code;
    const lotor_http_entry entry = {
        .route = request->route,
        .campaign = campaign_of(request),
        .status = request->status,
        .code = code == LOTOR_CODE_NONE ? NULL : lotor_code_name(code),
        .seconds = seconds,
        .is_complete = is_complete,
        .id = self->id,
        .traceparent = self->traceparent,
    };
    self->http->on_entry(self->http->context, &entry);
}

void lotor_http_on_completed(void *context, struct MHD_Connection *connection, void **state,
                             enum MHD_RequestTerminationCode why)
{
    const lotor_http_worker *const worker = context;
    lotor_http *const http = worker->http;
    call *const self = *state;
    if (self) {
        const double seconds = lotor_time_seconds() - self->since;
        lotor_traffic_count(http->traffic, (size_t)(worker - http->workers), self->request.route,
                            self->request.status, seconds);
        if (http->on_entry) {
            tell(self, seconds, why == MHD_REQUEST_TERMINATED_COMPLETED_OK);
        }
        drop_body(self);
        lotor_request_clear(&self->request);
        *state = NULL;
        atomic_fetch_sub_explicit(&http->open, 1, memory_order_relaxed);
    }
    lotor_connection *const link = link_of(connection);
    if (!link || link->spare) {
        free(self);
    } else {
        link->spare = self;
    }
    if (link) {
        lotor_connection_done(link);
    }
}
