/* cors.h - the pages of other sites that may call this server from a browser (cross-origin resource
 * sharing, https://fetch.spec.whatwg.org/#http-cors-protocol).
 *
 * A browser asks before it lets the page of another site send a key. The server says yes only to
 * the origins of a list. There is no wildcard, and cookies are never allowed: a key goes into the
 * header Authorization.
 */
#ifndef LOTOR_SERVICE_CORS_H
#define LOTOR_SERVICE_CORS_H

#include <lotor/status.h>

#include "service/http/api.h"

typedef struct lotor_cors lotor_cors;

enum { LOTOR_CORS_ORIGINS_MAX = 64, LOTOR_CORS_ORIGIN_ROOM = 256 };

/* Reads origins that are separated by commas: "https://shop.example,http://127.0.0.1:3000".
 * LOTOR_INVALID: one is not an origin as browsers send it; the message names it. */
lotor_status lotor_cors_new(const char *list, lotor_message *why, lotor_cors **out);
void lotor_cors_free(lotor_cors *cors);

/* The origin of the list that equals the header Origin; NULL: none. `cors` and `origin` may be
 * NULL. The result lives as long as the list. */
const char *lotor_cors_find(const lotor_cors *cors, const char *origin);

/* The headers that pages may send and read. */
#define LOTOR_CORS_SENT    "Authorization, Content-Type, X-Request-Id, traceparent"
#define LOTOR_CORS_READ    "Retry-After, X-Request-Id"
#define LOTOR_CORS_SECONDS "600" /* how long a browser may remember a yes */

/* The route of a browser's question, an OPTIONS request: an empty reply. */
extern const lotor_route lotor_cors_route;

#endif
