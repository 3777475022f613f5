/* test_dashboard.c - the dashboard's files as they are served, what they must and must not contain,
 * and the requests that only the pages send. tests/browser checks how the pages behave. */
#include "support/test.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <lotor/watch.h>

#include "base/time.h"
#include "service/http/calculations.h"
#include "service/http/dashboard.h"
#include "service/lab/lab.h"
#include "service/running.h"
#include "service/statement/statement.h"

static running server;

static int start_server(void **state)
{
    (void)state;
    running_start(&server, 0);
    return 0;
}

static int stop_server(void **state)
{
    (void)state;
    running_stop(&server);
    return 0;
}

/* --- files ------------------------------------------------------------------------------------ */

enum { ROOM = 1 << 20 };
static char reply[ROOM];

static const char *fetch(const char *method, const char *path, size_t *length)
{
    char request[256];
    snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
             method, path);
    const int connection = running_connect(&server);
    running_send(connection, request, strlen(request));
    const size_t whole = running_receive(connection, reply, ROOM - 1, 2, 5.0);
    close(connection);
    reply[whole] = '\0';
    char *const body = strstr(reply, "\r\n\r\n");
    assert_non_null(body);
    *body = '\0';
    *length = whole - (size_t)(body + 4 - reply);
    return body + 4;
}

TEST(test_every_file_is_served_and_fenced_in)
{
    static const char fence[] =
        "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "
        "style-src 'self' " LOTOR_STATEMENT_STYLE_HASH "; "
        "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'";
    static const struct {
        const char *path, *type;
    } some[] = {{"/", "text/html; charset=utf-8"},
                {"/device", "text/html; charset=utf-8"},
                {"/client/index.js", "text/javascript; charset=utf-8"},
                {"/app.js", "text/javascript; charset=utf-8"},
                {"/app.css", "text/css; charset=utf-8"},
                {"/mask.svg", "image/svg+xml; charset=utf-8"},
                {"/plot.js", "text/javascript; charset=utf-8"}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        assert_non_null(lotor_dashboard_find(some[i].path));
        assert_string_equal(lotor_dashboard_find(some[i].path)->type, some[i].type);
    }
    assert_true(lotor_asset_count >= 10);
    for (size_t i = 0; i < lotor_asset_count; i++) {
        const lotor_asset *const asset = &lotor_assets[i];
        char line[128];
        size_t length;
        const char *const body = fetch("GET", asset->path, &length);
        assert_non_null(strstr(reply, "HTTP/1.1 200"));
        assert_non_null(strstr(reply, fence));
        assert_non_null(strstr(reply, "Cache-Control: no-store"));
        assert_non_null(strstr(reply, "X-Content-Type-Options: nosniff"));
        assert_non_null(strstr(reply, "Referrer-Policy: no-referrer"));
        snprintf(line, sizeof line, "Content-Type: %s\r\n", asset->type);
        assert_non_null(strstr(reply, line));
        assert_int_equal(length, asset->length);
        assert_memory_equal(body, asset->bytes, length);
        fetch("HEAD", asset->path, &length);
        assert_int_equal(length, 0);
        fetch("POST", asset->path, &length);
        assert_non_null(strstr(reply, "HTTP/1.1 405"));
        assert_non_null(strstr(reply, "Allow: GET, HEAD"));
    }
    size_t length;
    fetch("GET", "/none.js", &length);
    assert_non_null(strstr(reply, "HTTP/1.1 404"));
    fetch("GET", "/../app.js", &length);
    assert_non_null(strstr(reply, "HTTP/1.1 404"));
    fetch("GET", "/?x=1", &length);
    assert_non_null(strstr(reply, "HTTP/1.1 400"));
}

/* The randomizers are there if emscripten was there at build time. If not, the reply to a request
 * for them says what is missing. */
TEST(test_the_randomizers_are_served_or_missed)
{
    const lotor_asset *const asset = lotor_dashboard_find(LOTOR_DASHBOARD_WASM);
    const char *const missing = lotor_dashboard_missing(LOTOR_DASHBOARD_WASM);
    size_t length;
    assert_int_equal(asset == NULL, missing != NULL);
    assert_null(lotor_dashboard_missing("/device"));
    assert_null(lotor_dashboard_missing("/none.js"));
    fetch("GET", "/device", &length);
    assert_null(lotor_http_complaint(server.http)); /* not before a page asks for it */
    const char *const body = fetch("GET", LOTOR_DASHBOARD_WASM, &length);
    if (asset) {
        static const unsigned char magic[] = {0, 'a', 's', 'm', 1, 0, 0, 0};
        assert_string_equal(asset->type, "application/wasm");
        assert_non_null(strstr(reply, "Content-Type: application/wasm\r\n"));
        assert_memory_equal(body, magic, sizeof magic);
        assert_null(lotor_http_complaint(server.http));
    } else {
        assert_non_null(strstr(reply, "HTTP/1.1 404"));
        assert_non_null(strstr(body, "make wasm"));
        assert_string_equal(lotor_http_complaint(server.http), missing);
        assert_null(lotor_http_complaint(server.http)); /* only once */
    }
}

/* --- contents of the files -------------------------------------------------------------------- */

/* The next occurrence of `word`; NULL: none. */
static const char *find(const char *text, const char *word)
{
    return strstr(text, word);
}

TEST(test_no_file_asks_another_host)
{
    for (size_t i = 0; i < lotor_asset_count; i++) {
        const lotor_asset *const asset = &lotor_assets[i];
        char *const text = calloc(1, asset->length + 1);
        memcpy(text, asset->bytes, asset->length);
        /* names of formats are not requests */
        for (const char *at = text; (at = find(at, "://")) != NULL; at += 3) {
            const bool is_format = strncmp(at, "://www.w3.org/", 14) == 0;
            if (!is_format) {
                fail_msg("%s names another host: %.60s", asset->path, at - 8 > text ? at - 8 : at);
            }
        }
        static const char *const not_ours[] = {"innerHTML",      "outerHTML", "insertAdjacentHTML",
                                               "document.write", "eval(",     "new Function",
                                               " style=",        "<style",    " onclick=",
                                               "localStorage",   "=\"//",     "javascript:"};
        for (size_t j = 0; j < sizeof not_ours / sizeof *not_ours; j++) {
            if (find(text, not_ours[j])) {
                fail_msg("%s has %s", asset->path, not_ours[j]);
            }
        }
        for (const char *at = text; (at = find(at, "<script")) != NULL; at++) {
            assert_int_equal(strncmp(at, "<script src=\"/", 14), 0);
        }
        free(text);
    }
}

/* Checks that there is a file with that name, up to its closing quote, in the folder of `asset`. */
static void check_beside(const lotor_asset *asset, const char *name)
{
    const int folder = (int)(strrchr(asset->path, '/') - asset->path);
    char path[96];
    snprintf(path, sizeof path, "%.*s/%.*s", folder, asset->path, (int)strcspn(name, "'\""), name);
    if (!lotor_dashboard_find(path)) {
        fail_msg("%s names %s, which is not there", asset->path, path);
    }
}

/* Every file that a file names is there. */
TEST(test_every_named_file_is_there)
{
    static const char *const imports[] = {"from './", "from \"./", "import('./"};
    size_t named = 0;
    for (size_t i = 0; i < lotor_asset_count; i++) {
        const lotor_asset *const asset = &lotor_assets[i];
        char *const text = calloc(1, asset->length + 1);
        memcpy(text, asset->bytes, asset->length);
        for (size_t j = 0; j < sizeof imports / sizeof *imports; j++) {
            for (const char *at = text; (at = find(at, imports[j])) != NULL; at++) {
                check_beside(asset, at + strlen(imports[j]));
                named++;
            }
        }
        for (const char *at = text; (at = find(at, "src=\"")) != NULL; at++) {
            char path[64];
            snprintf(path, sizeof path, "%.*s", (int)strcspn(at + 5, "\""), at + 5);
            assert_non_null(lotor_dashboard_find(path));
            named++;
        }
        free(text);
    }
    assert_true(named > 30);
}

/* --- queries ---------------------------------------------------------------------------------- */

TEST(test_queries_are_read_with_care)
{
    running_fine(&server, "POST", "/v1/campaigns",
                 "{\"name\":\"q\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\"],"
                 "\"epsilon\":1}");
    static const char *const fine[] = {"", "?after=0", "?limit=1", "?limit=1000&after=5",
                                       "?after=999999999999999999"};
    static const char *const wrong[] = {
        "?limit=0",        "?limit=1001", "?limit=",      "?limit=1x",
        "?limit=-1",       "?after=1e3",  "?after= 1",    "?aftr=1",
        "?limit",          "?x",          "?limit=1&x=2", "?after=9999999999999999999",
        "?limit=1&limit=2"};
    char path[128];
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        snprintf(path, sizeof path, "/v1/campaigns/q/releases%s", fine[i]);
        running_fine(&server, "GET", path, NULL);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(path, sizeof path, "/v1/campaigns/q/releases%s", wrong[i]);
        if (strchr(path, ' ')) {
            continue; /* no client sends this */
        }
        if (running_call(&server, RUNNING_ADMIN, "GET", path, NULL) != 400) {
            fail_msg("%s: %u %s", path, server.status, server.text);
        }
    }
    assert_int_equal(running_call(&server, RUNNING_ADMIN, "GET", "/v1/campaigns?limit=1", NULL),
                     400);
}

/* --- calculations ----------------------------------------------------------------------------- */

#define SCENE "{\"epsilon\":1,\"means\":[0.2,0.8],\"rounds\":2000,\"seed\":7}"

TEST(test_a_simulation_learns_and_is_repeatable)
{
    json_t *const first = json_deep_copy(running_fine(&server, "POST", "/v1/simulate", SCENE));
    assert_true(json_equal(first, running_fine(&server, "POST", "/v1/simulate", SCENE)));
    const json_t *const rounds = json_object_get(first, "rounds");
    const size_t frames = json_array_size(rounds);
    assert_true(frames > 50 && frames <= 80);
    assert_int_equal(json_integer_value(json_array_get(rounds, frames - 1)), 2000);
    static const char *const sides[] = {"private", "not_private"};
    for (size_t i = 0; i < 2; i++) {
        const json_t *const side = json_object_get(first, sides[i]);
        const json_t *const shown = json_array_get(json_object_get(side, "shown"), frames - 1);
        const json_t *const reward = json_object_get(side, "reward");
        const json_int_t bad = json_integer_value(json_array_get(shown, 0));
        const json_int_t good = json_integer_value(json_array_get(shown, 1));
        assert_int_equal(bad + good, 2000);
        assert_true(good > 1500);
        assert_true(json_real_value(json_array_get(reward, frames - 1)) > 0.65);
    }
    /* without noise the interval is narrower */
    double width[2];
    for (size_t i = 0; i < 2; i++) {
        const json_t *const side = json_object_get(first, sides[i]);
        width[i] = json_real_value(json_array_get(
                       json_array_get(json_object_get(side, "high"), frames - 1), 1)) -
                   json_real_value(
                       json_array_get(json_array_get(json_object_get(side, "low"), frames - 1), 1));
    }
    assert_true(width[1] > 0.0 && width[1] < width[0]);
    json_decref(first);
}

static const json_t *number_at(const json_t *side, const char *key, size_t frame, size_t arm)
{
    return json_array_get(json_array_get(json_object_get(side, key), frame), arm);
}

/* The same seed gives the same numbers over HTTP and in C, to the last bit. */
TEST(test_a_simulation_has_the_numbers_of_the_library)
{
    static const double means[] = {0.2, 0.8};
    static const lotor_watch_params params = {.algorithm = "lik-imed",
                                              .epsilon = {1, 1},
                                              .arms = 2,
                                              .slots = 1,
                                              .means = means,
                                              .rounds = 2000,
                                              .frames = 80,
                                              .seed = 7};
    lotor_watch_result *watched;
    lotor_message why;
    assert_int_equal(lotor_watch_run(&params, &why, &watched), LOTOR_OK);
    const json_t *const told = running_fine(&server, "POST", "/v1/simulate", SCENE);
    const json_t *const side = json_object_get(told, "private");
    const json_t *const reward = json_object_get(side, "reward");
    assert_int_equal(json_array_size(reward), watched->frames);
    for (size_t frame = 0; frame < watched->frames; frame++) {
        assert_true(json_number_value(json_array_get(reward, frame)) == watched->reward[frame]);
        for (size_t arm = 0; arm < watched->arms; arm++) {
            const lotor_watch_arm *const at = &watched->states[frame * watched->arms + arm];
            assert_int_equal(json_integer_value(number_at(side, "shown", frame, arm)), at->shown);
            const json_t *const mean = number_at(side, "mean", frame, arm);
            assert_true(isnan(at->mean) ? json_is_null(mean) : json_number_value(mean) == at->mean);
        }
    }
    lotor_watch_free(watched);
}

TEST(test_what_makes_no_sense_is_refused)
{
    static const char *const scenes[] = {
        "{}",
        "{\"epsilon\":1}",
        "{\"epsilon\":0,\"means\":[0.1,0.2]}",
        "{\"epsilon\":\"inf\",\"means\":[0.1,0.2]}",
        "{\"epsilon\":1e9,\"means\":[0.1,0.2]}",
        "{\"epsilon\":1,\"means\":[0.1]}",
        "{\"epsilon\":1,\"means\":[0.1,1.2]}",
        "{\"epsilon\":1,\"means\":[0.1,\"x\"]}",
        "{\"epsilon\":1,\"means\":[0,0,0,0,0,0,0,0,0,0,0,0,0]}",
        "{\"epsilon\":1,\"means\":[0.1,0.2],\"rounds\":20001}",
        "{\"epsilon\":1,\"means\":[0.1,0.2],\"slots\":2}",
        "{\"epsilon\":1,\"means\":[0.1,0.2],\"algorithm\":\"ucb\"}",
        "{\"epsilon\":1,\"means\":[0.1,0.2],\"algorithm\":5}",
        "{\"epsilon\":1,\"means\":[0.1,0.2],\"frames\":5}"};
    static const char *const wishes[] = {"{}",
                                         "{\"epsilon\":-1}",
                                         "{\"epsilon\":1,\"arms\":1}",
                                         "{\"epsilon\":1,\"arms\":201}",
                                         "{\"epsilon\":1,\"arms\":3,\"slots\":4}",
                                         "{\"epsilon\":1,\"problem\":\"x\"}",
                                         "{\"epsilon\":1,\"trust\":\"joint\"}",
                                         "{\"epsilon\":1,\"rounds\":99}",
                                         "{\"epsilon\":1,\"seconds\":99}"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        if (running_call(&server, RUNNING_ADMIN, "POST", "/v1/simulate", scenes[i]) != 400) {
            fail_msg("%s: %u %s", scenes[i], server.status, server.text);
        }
    }
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        if (running_call(&server, RUNNING_ADMIN, "POST", "/v1/advise", wishes[i]) != 400) {
            fail_msg("%s: %u %s", wishes[i], server.status, server.text);
        }
    }
}

/* The server ranks during a calculation. A second calculation is refused, and the client is told
 * when to try again. */
TEST(test_one_calculation_at_a_time)
{
    static const char wish[] = "{\"epsilon\":1,\"arms\":3,\"rounds\":1000000}";
    char head[512];
    bool was_busy = false;
    running_fine(&server, "POST", "/v1/campaigns",
                 "{\"name\":\"beside\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\"],"
                 "\"epsilon\":1}");
    snprintf(head, sizeof head,
             "POST /v1/advise HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: "
             "%zu\r\nConnection: close\r\n\r\n%s",
             server.key[RUNNING_ADMIN], strlen(wish), wish);
    /* The advice takes a second. On a busy machine, the other two requests may come before it has
     * begun or after it has ended: then all three requests are sent again. The server may also
     * refuse the advice at its end, because it had too little time for it. */
    const double end = lotor_time_seconds() + test_seconds(60);
    while (!was_busy && lotor_time_seconds() < end) {
        const int connection = running_connect(&server);
        running_send(connection, head, strlen(head));
        usleep(100 * 1000);
        const unsigned status = running_call(&server, RUNNING_ADMIN, "POST", "/v1/simulate", SCENE);
        assert_true(status == 200 || status == 503);
        assert_string_equal(running_error(&server), status == 503 ? "busy" : "");
        running_fine(&server, "POST", "/v1/campaigns/beside/rank", "{}");
        char byte;
        const bool is_beside = recv(connection, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0;
        const size_t length = running_receive(connection, reply, ROOM - 1, 1, 20.0);
        reply[length] = '\0';
        close(connection);
        const bool is_advice = strstr(reply, "HTTP/1.1 200") && strstr(reply, "lik-imed");
        if (!is_advice && !strstr(reply, "\"busy\"")) {
            fail_msg("the advice did not come: %s", reply);
        }
        was_busy = status == 503 && is_beside;
    }
    assert_true(was_busy);
    running_fine(&server, "POST", "/v1/simulate", SCENE);
}

TEST_GROUP(start_server, stop_server);
