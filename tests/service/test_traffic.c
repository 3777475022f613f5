/* test_traffic.c - the counts of requests: each in its bucket, all threads together. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "service/http/dashboard.h"
#include "service/http/traffic.h"

static const lotor_route *route_of(const char *path)
{
    for (size_t i = 0; i < lotor_route_count; i++) {
        if (strcmp(lotor_routes[i].path, path) == 0) {
            return &lotor_routes[i];
        }
    }
    fail_msg("there is no route %s", path);
    return NULL;
}

static void has(const lotor_text *text, const char *line)
{
    if (!strstr(text->bytes, line)) {
        fail_msg("%s lacks %s", text->bytes, line);
    }
}

TEST(test_requests_are_counted_by_route_status_and_time)
{
    lotor_traffic *const traffic = lotor_traffic_new(2);
    assert_non_null(traffic);
    const lotor_route *const rank = route_of("/v1/campaigns/{name}/rank");
    lotor_traffic_count(traffic, 0, rank, 200, 0.0005); /* a bound belongs to its bucket */
    lotor_traffic_count(traffic, 1, rank, 200, 0.000501);
    lotor_traffic_count(traffic, 1, rank, 503, 2.25);
    lotor_traffic_count(traffic, 1, rank, 418, 100);
    lotor_traffic_count(traffic, 0, rank, 0, -1);
    lotor_traffic_count(traffic, 0, &lotor_dashboard_route, 200, 0.02);
    lotor_traffic_count(traffic, 0, NULL, 404, 0.02);
    lotor_text text = {0};
    lotor_traffic_print(traffic, &text);
#define RANK "{method=\"POST\",route=\"/v1/campaigns/{name}/rank\""
    has(&text, "# TYPE lotor_http_requests_total counter\n");
    has(&text, "\nlotor_http_requests_total" RANK ",code=\"200\"} 2\n");
    has(&text, "\nlotor_http_requests_total" RANK ",code=\"503\"} 1\n");
    has(&text, "\nlotor_http_requests_total" RANK ",code=\"0\"} 2\n"); /* unknown ones, too */
    has(&text, "\nlotor_http_requests_total{method=\"\",route=\"pages\",code=\"200\"} 1\n");
    has(&text, "\nlotor_http_requests_total{method=\"\",route=\"other\",code=\"404\"} 1\n");
    has(&text, "\nlotor_http_request_seconds_bucket" RANK ",le=\"0.0005\"} 2\n");
    has(&text, "\nlotor_http_request_seconds_bucket" RANK ",le=\"0.001\"} 3\n");
    has(&text, "\nlotor_http_request_seconds_bucket" RANK ",le=\"1\"} 3\n");
    has(&text, "\nlotor_http_request_seconds_bucket" RANK ",le=\"2.5\"} 4\n");
    has(&text, "\nlotor_http_request_seconds_bucket" RANK ",le=\"10\"} 4\n");
    has(&text, "\nlotor_http_request_seconds_bucket" RANK ",le=\"+Inf\"} 5\n");
    has(&text, "\nlotor_http_request_seconds_sum" RANK "} 102.251001\n");
    has(&text, "\nlotor_http_request_seconds_count" RANK "} 5\n");
    assert_null(strstr(text.bytes, "/v1/rewards")); /* nothing came */
    lotor_text_clear(&text);
    lotor_traffic_free(traffic);
    lotor_traffic_free(NULL);
}

/* Each status of a refusal or of a route has a place of its own. */
TEST(test_every_status_is_counted_as_itself)
{
    for (int code = LOTOR_CODE_NONE + 1; code < LOTOR_CODE_COUNT; code++) {
        lotor_traffic *const traffic = lotor_traffic_new(1);
        lotor_traffic_count(traffic, 0, NULL, lotor_code_http((lotor_code)code), 1);
        lotor_text text = {0};
        lotor_traffic_print(traffic, &text);
        assert_null(strstr(text.bytes, "code=\"0\""));
        lotor_text_clear(&text);
        lotor_traffic_free(traffic);
    }
}
