/* fuzz_body.c - sends the input as the body of every POST route to an engine with campaigns of all
 * kinds. Parsing and replies are those of the server, without sockets.
 *
 * The first byte chooses the route, the second the campaign or event; the rest is the body. Every
 * reply must be one JSON object. It must have an error exactly if the status says so, and never an
 * internal error. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/http/api.h"
#include "service/http/body.h"

enum { CAMPAIGNS_MOST = 48, ROUTES = 8, EVENTS = 8 };

typedef struct scene {
    char folder[64];
    lotor_store *store;
    lotor_server_key *server_key;
    lotor_heads *heads;
    lotor_engine *engine;
    uint64_t now;
    size_t made;
    char events[EVENTS][LOTOR_TOKEN_LENGTH + 1];
    size_t next_event;
} scene;

static const char *const campaigns[] = {
    "{\"name\":\"plain\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\",\"c\"],\"slots\":2,"
    "\"epsilon\":1,\"wait_seconds\":1}",
    "{\"name\":\"capped\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\"],\"epsilon\":1,"
    "\"wait_seconds\":1,\"rounds_per_user\":2,\"early_release\":true}",
    "{\"name\":\"clicks\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\",\"c\"],\"slots\":2,"
    "\"epsilon\":1,\"feedback\":\"clicks\",\"wait_seconds\":1}",
    "{\"name\":\"bits\",\"algorithm\":\"rr-klucb\",\"arms\":[\"a\",\"b\"],\"epsilon\":1,"
    "\"wait_seconds\":1}",
    "{\"name\":\"reports\",\"algorithm\":\"cucb-ldp1\",\"arms\":[\"a\",\"b\",\"c\"],\"slots\":2,"
    "\"epsilon\":1,\"wait_seconds\":1,\"horizon\":1000000}",
    "{\"name\":\"linear\",\"algorithm\":\"jdp-batch\",\"arms\":[\"a\",\"b\"],\"epsilon\":1,"
    "\"dimension\":2,\"horizon\":1000000,\"wait_seconds\":1}",
    "{\"name\":\"groups\",\"algorithm\":\"cucb-dp-lazy\",\"arms\":[{\"id\":\"a\",\"features\":[1]},"
    "{"
    "\"id\":\"b\",\"features\":[1]},{\"id\":\"c\",\"features\":[2]}],\"epsilon\":1,\"oracle\":{"
    "\"kind\":\"partition\",\"capacities\":{\"1\":1,\"2\":1}},\"wait_seconds\":1}",
};
static const char *const names[] = {"plain",   "capped", "clicks", "bits",
                                    "reports", "linear", "groups", "none"};
enum { NAMES = sizeof names / sizeof *names };

static scene *fuzzed;

static uint64_t tell_time(void *context)
{
    return ((const scene *)context)->now;
}

static void note_done(lotor_request *request)
{
    *(bool *)request->owner = true;
}

static void check_reply(const lotor_request *request)
{
    CHECK(request->reply && request->status >= 200 && request->status != 500);
    json_t *const reply =
        json_loadb(request->reply, request->reply_length, JSON_REJECT_DUPLICATES, NULL);
    CHECK(json_is_object(reply));
    CHECK((json_object_get(reply, "error") != NULL) == (request->status >= 400));
    json_decref(reply);
}

/* Keeps an event of the reply, to send feedback for it later. */
static void keep_event(scene *at, const lotor_request *request)
{
    if (request->status == 200 && request->rankings && request->rankings[0].takes_feedback) {
        memcpy(at->events[at->next_event++ % EVENTS], request->rankings[0].event,
               sizeof at->events[0]);
    }
}

static void run(scene *at, const char *path, const char *body, size_t length)
{
    lotor_request request;
    /* so that sanitizers notice reads past the end */
    char allowed[32], *const copy = malloc(length + 1);
    bool is_done = false;
    lotor_message why;
    CHECK(copy);
    memcpy(copy, body, length);
    lotor_request_init(&request, at->engine);
    request.done = note_done;
    request.owner = &is_done;
    request.body = copy;
    request.length = length;
    request.route = lotor_api_match("POST", path, request.target, &request.job.refusal, allowed);
    CHECK(request.route);
    if (lotor_api_start(&request) == LOTOR_PENDING) {
        for (int i = 0; i < 100 && !is_done; i++) {
            lotor_engine_step(at->engine, &why);
        }
        CHECK(is_done);
        lotor_api_finish(&request);
    }
    check_reply(&request);
    keep_event(at, &request);
    at->made += request.status == 201;
    lotor_request_clear(&request);
    free(copy);
}

/* Replaces "EVENT" in a body by an event that rank returned, since the fuzzer can't forge the MAC
 * of an event. */
static void run_with_event(scene *at, const char *path, const char *body, size_t length,
                           const char *event)
{
    static const char placeholder[] = "EVENT";
    const char *const found = memmem(body, length, placeholder, sizeof placeholder - 1);
    if (!found || !event[0]) {
        run(at, path, body, length);
        return;
    }
    const size_t before = (size_t)(found - body);
    const size_t after = length - before - (sizeof placeholder - 1);
    char *const whole = malloc(length + LOTOR_TOKEN_LENGTH);
    CHECK(whole);
    memcpy(whole, body, before);
    memcpy(whole + before, event, LOTOR_TOKEN_LENGTH);
    memcpy(whole + before + LOTOR_TOKEN_LENGTH, body + length - after, after);
    run(at, path, whole, before + LOTOR_TOKEN_LENGTH + after);
    free(whole);
}

static void remove_files(const scene *at)
{
    static const char *const endings[] = {"",     "-wal",  "-shm",      ".lock",
                                          ".key", ".head", ".head.lock"};
    char path[128];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(path, sizeof path, "%s/s.db%s", at->folder, endings[i]);
        unlink(path);
    }
    rmdir(at->folder);
}

static scene *scene_new(void)
{
    scene *const at = calloc(1, sizeof *at);
    char path[128], key[128], head[128];
    lotor_message why;
    struct stat memory;
    CHECK(at);
    at->now = UINT64_C(1700000000000);
    snprintf(at->folder, sizeof at->folder, "%s/lotor-fuzz.XXXXXX",
             stat("/dev/shm", &memory) == 0 ? "/dev/shm" : "/tmp"); /* syncs take no time */
    CHECK(mkdtemp(at->folder));
    snprintf(path, sizeof path, "%s/s.db", at->folder);
    snprintf(key, sizeof key, "%s/s.db.key", at->folder);
    snprintf(head, sizeof head, "%s/s.db.head", at->folder);
    const lotor_status opened = lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &at->store);
    CHECK(opened == LOTOR_OK &&
          lotor_server_key_open(key, true, &why, &at->server_key) == LOTOR_OK);
    bool were_lost = false;
    CHECK(lotor_heads_open(head, &why, &at->heads, &were_lost) == LOTOR_OK);
    const lotor_engine_setup setup = {.allow_weak_epsilon = true,
                                      .store = at->store,
                                      .server_key = at->server_key,
                                      .heads = at->heads,
                                      .heads_were_lost = were_lost,
                                      .boot_clock = tell_time,
                                      .store_clock = tell_time,
                                      .clock_context = at};
    CHECK(lotor_engine_new(&setup, &why, &at->engine) == LOTOR_OK);
    for (size_t i = 0; i < sizeof campaigns / sizeof *campaigns; i++) {
        run(at, "/v1/campaigns", campaigns[i], strlen(campaigns[i]));
        CHECK(at->made == i + 1);
    }
    return at;
}

static void scene_free(scene *at)
{
    if (at) {
        lotor_engine_free(at->engine);
        lotor_heads_free(at->heads);
        lotor_server_key_free(at->server_key);
        lotor_store_close(at->store);
        remove_files(at);
        free(at);
    }
}

static void end_scene(void)
{
    scene_free(fuzzed);
    fuzzed = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[160];
    if (size < 2 || size > LOTOR_BODY_MAX) {
        return 0;
    }
    if (!fuzzed) {
        fuzzed = scene_new();
        atexit(end_scene);
    } else if (fuzzed->made > CAMPAIGNS_MOST) {
        scene_free(fuzzed);
        fuzzed = scene_new();
    }
    const char *const name = names[data[1] % NAMES];
    const char *const event = fuzzed->events[data[1] % EVENTS];
    fuzzed->now += 20;
    switch (data[0] % ROUTES) {
    case 0:
        snprintf(path, sizeof path, "/v1/campaigns");
        break;
    case 1:
        snprintf(path, sizeof path, "/v1/campaigns/%s/rank", name);
        break;
    case 2:
        snprintf(path, sizeof path, "/v1/campaigns/%s/rank-batch", name);
        break;
    case 3:
        snprintf(path, sizeof path, "/v1/events/%s/reward", event[0] ? event : "none");
        break;
    case 4:
        snprintf(path, sizeof path, "/v1/rewards");
        break;
    case 5:
        snprintf(path, sizeof path, "/v1/campaigns/%s/arms", name);
        break;
    case 7:
        snprintf(path, sizeof path, "/ofrep/v1/evaluate/flags/%s", name);
        break;
    default: /* the campaigns of the rig stay open */
        snprintf(path, sizeof path, "/v1/campaigns/none/close");
        break;
    }
    run_with_event(fuzzed, path, (const char *)data + 2, size - 2, event);
    return 0;
}
