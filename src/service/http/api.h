/* api.h - requests and replies: what the service understands, apart from sockets.
 *
 *      match ──▶ a route ──▶ (the caller checks the key's role, collects the body)
 *      start ──▶ NOW: the reply is there; LATER: `done` is called, then finish makes the reply
 *
 * One row of lotor_routes is one route; docs/openapi.json says the same for people, and a test compares
 * the two.
 */
#ifndef LOTOR_SERVICE_API_H
#define LOTOR_SERVICE_API_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "service/engine/engine.h"
#include "service/http/keys.h"
#include "service/refusal.h"

enum { LOTOR_BATCH_MOST = 1000 }; /* decisions or rewards in one request */

enum { LOTOR_QUERY_MOST = 2 };

typedef struct lotor_request lotor_request;

typedef struct lotor_route {
    const char *method;
    const char *path; /* with {name} or {event} for what varies */
    lotor_role role;  /* NONE: open to all */
    unsigned success; /* the HTTP status when it went well */
    lotor_when (*start)(lotor_request *request);
    void (*finish)(lotor_request *request);
    const char *query[LOTOR_QUERY_MOST]; /* names that may stand after the path's "?" */
} lotor_route;

extern const lotor_route lotor_routes[];
extern const size_t lotor_route_count;

enum { LOTOR_TARGET_MOST = 64 }; /* of a campaign's name, and of an event */

/* Whose request it is: one struct from the first header to the last byte of the reply. */
struct lotor_request {
    lotor_engine *engine;
    struct lotor_errands *errands; /* NULL: it does not calculate */
    const lotor_route *route;
    char target[LOTOR_TARGET_MOST + 1];  /* {name} or {event} of the path */
    const char *query[LOTOR_QUERY_MOST]; /* the caller's, as the body; NULL: left out */
    char *body;                          /* the caller's, until start returned */
    size_t length;
    void (*done)(lotor_request *request); /* called by the writer, after LATER */
    void *owner;

    /* The reply. */
    unsigned status;
    const char *type;
    char *reply; /* malloced; the caller takes it (and sets NULL), or clear frees it */
    size_t reply_length;
    bool is_page; /* of the dashboard: it is sent with a content security policy */

    /* The handler's. */
    lotor_job job;
    json_t *json, *result;
    lotor_ranking one, *rankings;
    size_t count;
    bool is_batch;
};

/* The route of a path, or NULL and a refusal (NO_SUCH_PATH, WRONG_METHOD; then `allowed` lists the
 * methods). `target` has room for LOTOR_TARGET_MOST + 1. */
const lotor_route *lotor_api_match(const char *method, const char *path, char *target,
                                   lotor_refusal *refusal, char allowed[32]);

void lotor_request_init(lotor_request *request, lotor_engine *engine);
void lotor_request_clear(lotor_request *request);

/* Runs the route on a whole body. After LATER: wait for `done`, then call finish once. */
lotor_when lotor_api_start(lotor_request *request);
void lotor_api_finish(lotor_request *request);

/* Makes the reply {"error": ...} of request->job.refusal. */
void lotor_api_refuse(lotor_request *request);

#endif
