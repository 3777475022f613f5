/* traffic.h - counts requests for Prometheus: how many, with which status, and how long they took,
 * for each route.
 *
 * Each thread has its own counters, so threads do not wait for each other. Counts of requests with
 * feedback are exact and therefore private, like all of /metrics.
 */
#ifndef LOTOR_SERVICE_TRAFFIC_H
#define LOTOR_SERVICE_TRAFFIC_H

#include <stddef.h>

#include "base/text.h"
#include "service/http/api.h"

typedef struct lotor_traffic lotor_traffic;

lotor_traffic *lotor_traffic_new(size_t threads); /* NULL: no memory */
void lotor_traffic_free(lotor_traffic *traffic);

/* Counts a request that is over. Only thread number `thread` may call this with that number. A
 * route that is not in lotor_routes counts as "pages" or "other". Status 0: the client went away
 * before the reply. */
void lotor_traffic_count(lotor_traffic *traffic, size_t thread, const lotor_route *route,
                         unsigned status, double seconds);

/* Adds the metrics of all threads; any thread. */
void lotor_traffic_print(const lotor_traffic *traffic, lotor_text *text);

#endif
