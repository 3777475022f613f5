/* api.h - turns requests into replies, without any knowledge of sockets.
 *
 *      match ──▶ a route ──▶ the caller checks the key's role and collects the body
 *      start ──▶ LOTOR_COMPLETED: the reply is ready
 *                LOTOR_PENDING: `done` is called later; then `finish` makes the reply
 *
 * Each row of lotor_routes is one route. docs/openapi.json describes the same routes, and a test
 * compares the two.
 */
#ifndef LOTOR_SERVICE_API_H
#define LOTOR_SERVICE_API_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "service/engine/engine.h"
#include "service/http/keys.h"
#include "service/refusal.h"

enum { LOTOR_REQUEST_ITEMS_MAX = 1000 }; /* the most decisions or rewards in one request */

enum { LOTOR_QUERY_MAX = 3 };

typedef struct lotor_request lotor_request;

/* The use of a route that a key for one campaign may make. */
typedef enum lotor_scope {
    LOTOR_SCOPE_SERVER = 0, /* nothing: the route is about the whole server */
    LOTOR_SCOPE_PATH,       /* its own campaign, which is {name} in the path */
    LOTOR_SCOPE_HANDLER     /* its own campaign, which the handler looks for */
} lotor_scope;

typedef struct lotor_route {
    const char *method;
    const char *path; /* the part in braces, {name} or {event}, varies */
    lotor_role role;  /* LOTOR_ROLE_NONE: no key is needed */
    lotor_scope scope;
    unsigned success; /* the HTTP status of a success */
    lotor_completion (*start)(lotor_request *request);
    void (*finish)(lotor_request *request);
    const char *query[LOTOR_QUERY_MAX]; /* the query parameters that this route accepts */
} lotor_route;

extern const lotor_route lotor_routes[];
extern const size_t lotor_route_count;

/* One byte longer than the longest campaign name or event. A longer text in a path is cut to this
 * length, so it is never taken for a name or an event that is not in the path. */
enum { LOTOR_TARGET_MAX = 65 };

/* One request, from its first header to the last byte of its reply. */
struct lotor_request {
    lotor_engine *engine;
    /* runs advise and simulate; NULL: this server does not offer them */
    struct lotor_calculations *calculations;
    const struct lotor_traffic *traffic; /* the counts for /metrics; NULL: none */
    lotor_keys *keys;                    /* for /metrics and /v1/keys; NULL: none */
    const char *commit;                  /* of the program's source code; NULL: not known */
    const char *accept; /* the header Accept, owned by the caller like the body; NULL: not given */
    lotor_key_grant grant; /* what the request's key may do */
    const lotor_route *route;
    char target[LOTOR_TARGET_MAX + 1];  /* the text of {name} or {event} in the path */
    const char *query[LOTOR_QUERY_MAX]; /* owned by the caller, like the body; NULL: not given */
    char *body;                         /* owned by the caller; used until `start` has returned */
    size_t length;
    void (*done)(lotor_request *request); /* after LOTOR_PENDING, called once from another thread */
    void *owner;

    /* The reply. */
    unsigned status;
    const char *type;
    /* from malloc; the caller takes it and sets NULL, or lotor_request_clear frees it */
    char *reply;
    size_t reply_length;
    const char *policy; /* the content security policy of a page; NULL: the reply is not a page */

    /* Used by the route's handler only. */
    lotor_job job;
    json_t *json, *result;
    lotor_ranking one, *rankings;
    size_t count;
    bool is_batch;
    lotor_refusal *refusals; /* of the items of a list of rewards */
    lotor_key_draft *draft;  /* a key that is being made */
};

/* Returns the route for a method and a path, and copies {name} or {event} to `target`, which has
 * room for LOTOR_TARGET_MAX + 1 bytes. Returns NULL with a refusal if there is none:
 * NO_SUCH_PATH, or WRONG_METHOD (then `allowed` lists the methods). */
const lotor_route *lotor_api_match(const char *method, const char *path, char *target,
                                   lotor_refusal *refusal, char allowed[32]);

void lotor_request_init(lotor_request *request, lotor_engine *engine);
void lotor_request_clear(lotor_request *request);

/* Checks that the request's key may be used for its route, and for the campaign in its path. A key
 * without a valid role is refused before (see http_call.c). */
lotor_code lotor_api_check_grant(lotor_request *request);

/* Runs the route on a complete body. After LOTOR_PENDING, wait for `done` and then call
 * lotor_api_finish once. */
lotor_completion lotor_api_start(lotor_request *request);
void lotor_api_finish(lotor_request *request);

/* Makes the reply {"error": ...} from request->job.refusal. */
void lotor_api_refuse(lotor_request *request);

#endif
