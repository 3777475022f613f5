/* traffic.c - see traffic.h. */
#include "service/http/traffic.h"

#include <assert.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "service/http/dashboard.h"

/* Every status that this server sends; all others are counted in the last place. */
static const unsigned statuses[] = {200, 201, 204, 400, 401, 403, 404, 405,
                                    409, 410, 413, 429, 500, 503, 0};
enum { STATUSES = sizeof statuses / sizeof *statuses };

/* The upper bounds of the buckets, in microseconds. They never change, so that histograms of several
 * servers and versions can be added. */
static const uint32_t bounds[] = {500,    1000,   2500,   5000,    10000,   25000,   50000,
                                  100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

typedef struct tally {
    _Atomic uint64_t by_status[STATUSES];
    _Atomic uint64_t by_time[BOUNDS + 1];
    _Atomic uint64_t microseconds;
} tally;

struct lotor_traffic {
    size_t threads, routes; /* routes: all of lotor_routes, then pages, then others */
    tally tallies[];        /* threads x routes */
};

lotor_traffic *lotor_traffic_new(size_t threads)
{
    const size_t routes = lotor_route_count + 2;
    lotor_traffic *const traffic =
        calloc(1, sizeof *traffic + threads * routes * sizeof *traffic->tallies);
    if (traffic) {
        traffic->threads = threads;
        traffic->routes = routes;
    }
    return traffic;
}

void lotor_traffic_free(lotor_traffic *traffic)
{
    free(traffic);
}

static size_t place_of(const lotor_route *route)
{
    if (route >= lotor_routes && route < lotor_routes + lotor_route_count) {
        return (size_t)(route - lotor_routes);
    }
    return lotor_route_count + (route == &lotor_dashboard_route ? 0 : 1);
}

/* One thread writes, so no addition is lost. */
static void add(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more,
                          memory_order_relaxed);
}

void lotor_traffic_count(lotor_traffic *traffic, size_t thread, const lotor_route *route,
                         unsigned status, double seconds)
{
    assert(thread < traffic->threads);
    tally *const mine = &traffic->tallies[thread * traffic->routes + place_of(route)];
    const uint64_t time = seconds > 0.0 ? (uint64_t)(seconds * 1e6) : 0;
    size_t i = 0, bucket = 0;
    while (i + 1 < STATUSES && statuses[i] != status) {
        i++;
    }
    while (bucket < BOUNDS && time > bounds[bucket]) {
        bucket++;
    }
    add(&mine->by_status[i], 1);
    add(&mine->by_time[bucket], 1);
    add(&mine->microseconds, time);
}

/* --- printing --------------------------------------------------------------------------------- */

/* Adds up one counter, which is `offset` counters into a tally, over all threads. */
static uint64_t sum(const lotor_traffic *traffic, size_t route, size_t offset)
{
    uint64_t total = 0;
    for (size_t thread = 0; thread < traffic->threads; thread++) {
        const tally *const one = &traffic->tallies[thread * traffic->routes + route];
        total += atomic_load_explicit((const _Atomic uint64_t *)one + offset, memory_order_relaxed);
    }
    return total;
}

enum { FIRST_TIME = STATUSES, MICROSECONDS = STATUSES + BOUNDS + 1 };
static_assert(sizeof(tally) == (MICROSECONDS + 1) * sizeof(_Atomic uint64_t),
              "a tally is nothing but counters");

static void print_labels(lotor_text *text, size_t route)
{
    if (route < lotor_route_count) {
        lotor_text_print(text, "{method=\"%s\",route=\"%s\"", lotor_routes[route].method,
                         lotor_routes[route].path);
    } else {
        lotor_text_print(text, "{method=\"\",route=\"%s\"",
                         route == lotor_route_count ? "pages" : "other");
    }
}

static void print_statuses(const lotor_traffic *traffic, size_t route, lotor_text *text)
{
    for (size_t i = 0; i < STATUSES; i++) {
        const uint64_t count = sum(traffic, route, i);
        if (count > 0) {
            lotor_text_add(text, "lotor_http_requests_total");
            print_labels(text, route);
            lotor_text_print(text, ",code=\"%u\"} %" PRIu64 "\n", statuses[i], count);
        }
    }
}

static void print_times(const lotor_traffic *traffic, size_t route, lotor_text *text)
{
    uint64_t below[BOUNDS + 1], count = 0;
    for (size_t i = 0; i <= BOUNDS; i++) {
        below[i] = count += sum(traffic, route, FIRST_TIME + i);
    }
    for (size_t i = 0; count > 0 && i <= BOUNDS; i++) {
        lotor_text_add(text, "lotor_http_request_seconds_bucket");
        print_labels(text, route);
        lotor_text_add(text, ",le=\"");
        if (i < BOUNDS) {
            lotor_text_fixed(text, bounds[i] * 1e-6, 6);
        } else {
            lotor_text_add(text, "+Inf");
        }
        lotor_text_print(text, "\"} %" PRIu64 "\n", below[i]);
    }
    if (count > 0) {
        lotor_text_add(text, "lotor_http_request_seconds_sum");
        print_labels(text, route);
        lotor_text_add(text, "} ");
        lotor_text_fixed(text, (double)sum(traffic, route, MICROSECONDS) * 1e-6, 6);
        lotor_text_add(text, "\nlotor_http_request_seconds_count");
        print_labels(text, route);
        lotor_text_print(text, "} %" PRIu64 "\n", count);
    }
}

void lotor_traffic_print(const lotor_traffic *traffic, lotor_text *text)
{
    lotor_text_add(text,
                   "# HELP lotor_http_requests_total Requests, by route and status; code 0: the "
                   "client closed the connection.\n# TYPE lotor_http_requests_total counter\n");
    for (size_t route = 0; route < traffic->routes; route++) {
        print_statuses(traffic, route, text);
    }
    lotor_text_add(text, "# HELP lotor_http_request_seconds From the headers of a request to the "
                         "end of its reply.\n"
                         "# TYPE lotor_http_request_seconds histogram\n");
    for (size_t route = 0; route < traffic->routes; route++) {
        print_times(traffic, route, text);
    }
}
