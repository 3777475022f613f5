/* bench_service.c - the decision service over loopback: rank, durable rewards, memory.
 *
 * Everything is compared with what the same machine does in the same run: `rank` with an empty
 * libmicrohttpd handler under the same client (h2load --h1, 64 connections), rewards with
 * fdatasync. The measurements alternate, and medians are compared, since other work on the machine
 * disturbs them.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "bench.h"
#include "service/client/child.h"
#include "service/client/client.h"
#include "service/client_many.h"
#include "service/server_key/server_key.h"
#include "service_parts.h"

enum {
    ROUNDS = 5,
    CALM_ROUNDS = 3, /* at half of the rate; these rounds are longer */
    CONNECTIONS = 64,
    ARMS = 20,
    SINGLE = 24000, /* rewards in a round, one in each request */
    GROUP = 100,
    GROUPED = 60000, /* rewards in a round, GROUP in each request */
    CAMPAIGNS = 1000,
    CAMPAIGN_ARMS = 100
};

typedef char token[LOTOR_TOKEN_LENGTH + 1];

typedef struct service_bench {
    char folder[256], store[300], log[300], key[128];
    lotor_child server;
    lotor_client *client;
    token *events; /* of the current round */
    size_t event_count;
} service_bench;

static void end_with(service_bench *bench, const char *what)
{
    fprintf(stderr, "bench_service: %s (see %s)\n", what, bench->folder);
    lotor_child_kill(&bench->server);
    exit(EXIT_FAILURE);
}

static void start(service_bench *bench)
{
    lotor_message why;
    snprintf(bench->folder, sizeof bench->folder, "%s", "/tmp/lotor-bench.XXXXXX");
    if (!mkdtemp(bench->folder)) {
        end_with(bench, "no scratch folder");
    }
    snprintf(bench->store, sizeof bench->store, "%s/bench.db", bench->folder);
    snprintf(bench->log, sizeof bench->log, "%s/serve.log", bench->folder);
    const char *const make_key[] = {"lotor",  "key",   "--store", bench->store,
                                    "--role", "admin", NULL};
    const lotor_child_setup setup = {
        .executable = LOTOR_EXECUTABLE, .store = bench->store, .log = bench->log};
    if (lotor_child_ask(LOTOR_EXECUTABLE, make_key, bench->key, sizeof bench->key) != 0) {
        end_with(bench, "lotor key failed");
    }
    if (lotor_child_start(&bench->server, &setup, &why) != LOTOR_OK ||
        lotor_client_new("127.0.0.1", bench->server.port, bench->key, &why, &bench->client) !=
            LOTOR_OK) {
        end_with(bench, why.text);
    }
}

/* Ends with the server's message if it refuses the request. */
static json_t *post(service_bench *bench, const char *path, json_t *body)
{
    json_t *reply = service_post(bench->client, path, body);
    if (!reply) {
        end_with(bench, "a request failed");
    }
    return reply;
}

static void make_campaign(service_bench *bench, const char *name, const char *algorithm,
                          size_t arms, size_t slots, int wait_seconds)
{
    json_t *list = json_array();
    for (size_t i = 0; i < arms; i++) {
        char id[16];
        snprintf(id, sizeof id, "item-%zu", i);
        json_array_append_new(list, json_pack("{s:s}", "id", id));
    }
    json_t *body =
        json_pack("{s:s, s:s, s:o, s:i, s:i, s:i}", "name", name, "algorithm", algorithm, "arms",
                  list, "slots", (int)slots, "epsilon", 1, "wait_seconds", wait_seconds);
    json_decref(post(bench, "/v1/campaigns", body));
}

static void make_linear(service_bench *bench)
{
    json_t *body =
        json_pack("{s:s, s:s, s:[{s:s}, {s:s}, {s:s}, {s:s}], s:i, s:i, s:i, s:f, s:i}", "name",
                  "ranks-linear", "algorithm", "jdp-batch", "arms", "id", "item-0", "id", "item-1",
                  "id", "item-2", "id", "item-3", "dimension", 4, "epsilon", 1, "horizon",
                  100000000, "delta", 1e-9, "wait_seconds", 2);
    json_decref(post(bench, "/v1/campaigns", body));
}

/* A campaign that counts its users, in the cap and in a budget. Both are so large that every round counts:
 * that costs most when rounds are entered. All rounds of a user may have an epsilon of 20 at most
 * (LOTOR_ENGINE_MAX_EPSILON), so the epsilon of a single round is small. */
static void make_capped(service_bench *bench)
{
    json_t *budget = json_pack("{s:s, s:f}", "name", "people", "epsilon", 20.0);
    json_decref(post(bench, "/v1/budgets", budget));
    json_t *body = json_pack("{s:s, s:s, s:[s, s, s, s], s:f, s:i, s:i, s:s}", "name",
                             "ranks-users", "algorithm", "batch-klucb", "arms", "item-0", "item-1",
                             "item-2", "item-3", "epsilon", 1e-5, "wait_seconds", 2,
                             "rounds_per_user", 1000000, "budget", "people");
    json_decref(post(bench, "/v1/campaigns", body));
}

/* Gets events to send rewards for, by rank-batch. */
static void get_events(service_bench *bench, size_t count)
{
    free(bench->events);
    bench->events = calloc(count, sizeof *bench->events);
    bench->event_count = 0;
    while (bench->events && bench->event_count < count) {
        json_t *body = json_pack("{s:i}", "count", GROUP);
        json_t *reply = post(bench, "/v1/campaigns/answers/rank-batch", body);
        const json_t *rankings = json_object_get(reply, "decisions");
        if (json_array_size(rankings) == 0) {
            end_with(bench, "rank-batch gave no decisions");
        }
        for (size_t i = 0; i < json_array_size(rankings) && bench->event_count < count; i++) {
            const char *event =
                json_string_value(json_object_get(json_array_get(rankings, i), "event"));
            if (!event || strlen(event) > LOTOR_TOKEN_LENGTH) {
                end_with(bench, "rank-batch gave no event");
            }
            memcpy(bench->events[bench->event_count++], event, strlen(event) + 1);
        }
        json_decref(reply);
    }
}

/* The load: one reward for each event, one or several in a request. */
typedef struct answering {
    const service_bench *bench;
    size_t next, group, failed;
    char path[LOTOR_TOKEN_LENGTH + 32];
    char body[GROUP * (LOTOR_TOKEN_LENGTH + 48) + 64];
} answering;

static bool next_answer(void *context, size_t connection, lotor_client_request *out)
{
    answering *work = context;
    (void)connection;
    if (work->next >= work->bench->event_count) {
        return false;
    }
    size_t length = 0;
    if (work->group == 1) {
        snprintf(work->path, sizeof work->path, "/v1/events/%s/reward",
                 work->bench->events[work->next]);
        length =
            (size_t)snprintf(work->body, sizeof work->body, "{\"rewards\":[%zu]}", work->next % 2);
        work->next++;
    } else {
        snprintf(work->path, sizeof work->path, "/v1/rewards");
        length += (size_t)snprintf(work->body, sizeof work->body, "{\"rewards\":[");
        for (size_t i = 0; i < work->group && work->next < work->bench->event_count; i++) {
            length += (size_t)snprintf(work->body + length, sizeof work->body - length,
                                       "%s{\"event\":\"%s\",\"rewards\":[%zu]}", i ? "," : "",
                                       work->bench->events[work->next], work->next % 2);
            work->next++;
        }
        length += (size_t)snprintf(work->body + length, sizeof work->body - length, "]}");
    }
    *out = (lotor_client_request){
        .method = "POST", .path = work->path, .body = work->body, .length = length};
    return true;
}

static void note_answer(void *context, size_t connection, const lotor_reply *reply)
{
    answering *work = context;
    (void)connection;
    if (reply->status != 200 && work->failed++ == 0) {
        service_show_reply("a reward", reply);
    }
}

/* Acknowledged rewards in a second. */
static double answer_all(service_bench *bench, size_t full_count, size_t group)
{
    static answering work;
    const size_t count = bench_size(full_count);
    get_events(bench, count);
    work = (answering){.bench = bench, .group = group};
    const lotor_many_setup setup = {.port = bench->server.port,
                                    .key = bench->key,
                                    .connections = CONNECTIONS,
                                    .timeout_seconds = 10.0,
                                    .context = &work,
                                    .next = next_answer,
                                    .heard = note_answer};
    lotor_many *many = NULL;
    lotor_message why;
    if (lotor_many_new(&setup, &why, &many) != LOTOR_OK) {
        end_with(bench, why.text);
    }
    const double began = bench_clock();
    const bool finished = lotor_many_run(many, 60.0);
    const double seconds = bench_clock() - began;
    lotor_many_free(many);
    if (!finished || work.failed > 0) {
        end_with(bench, "some rewards were not acknowledged");
    }
    return (double)count / seconds;
}

typedef struct measured {
    double empty[ROUNDS], rank[ROUNDS], rank_share[ROUNDS];
    double imed[ROUNDS], imed_share[ROUNDS]; /* rank with lik-imed; divided by `rank` */
    /* rank with eligible arms, with contexts, and with a user who is counted; divided by `rank` */
    double eligible[ROUNDS], eligible_share[ROUNDS], contexts[ROUNDS], contexts_share[ROUNDS];
    double users[ROUNDS], users_share[ROUNDS];
    double grows[ROUNDS], stays[ROUNDS];
    double single[ROUNDS], grouped[ROUNDS];
    double single_times[ROUNDS], grouped_times[ROUNDS]; /* divided by `grows` */
    double p99[CALM_ROUNDS], empty_p99[CALM_ROUNDS];    /* at half of rank's rate */
} measured;

static void measure_answers(service_bench *bench, measured *out)
{
    for (size_t i = 0; i < bench_size(ROUNDS); i++) {
        out->grows[i] = service_fdatasync_rate(bench->folder, true, 0.4);
        out->single[i] = answer_all(bench, SINGLE, 1);
        out->single_times[i] = out->single[i] / out->grows[i];
        out->stays[i] = service_fdatasync_rate(bench->folder, false, 0.4);
        out->grouped[i] = answer_all(bench, GROUPED, GROUP);
        out->grouped_times[i] = out->grouped[i] / out->grows[i];
        if (out->grows[i] <= 0.0 || out->stays[i] <= 0.0) {
            end_with(bench, "fdatasync failed");
        }
    }
}

/* Runs after the rewards were measured, since rounds that are ranked here expire later, and that
 * costs time. */
static void measure_ranks(service_bench *bench, uint16_t empty_port, measured *out)
{
    service_load empty = {.folder = bench->folder,
                          .port = empty_port,
                          .path = "/v1/campaigns/ranks/rank",
                          .key = bench->key,
                          .seconds = 1.0};
    service_load rank = empty;
    rank.port = bench->server.port;
    service_load imed = rank;
    imed.path = "/v1/campaigns/ranks-imed/rank";
    service_load eligible = rank, contexts = rank, users = rank;
    users.path = "/v1/campaigns/ranks-users/rank";
    users.body = "{\"user\": \"somebody\"}";
    eligible.body = "{\"eligible\": [\"item-0\", \"item-3\", \"item-4\", \"item-7\", "
                    "\"item-11\", \"item-12\", \"item-15\", \"item-19\"]}";
    contexts.path = "/v1/campaigns/ranks-linear/rank";
    contexts.body =
        "{\"context\": {\"item-0\": [0.5, 0, 0.1, 0.2], \"item-1\": [0, 0.5, 0.2, 0.1], "
        "\"item-2\": [0.1, 0.2, 0.5, 0], \"item-3\": [0.2, 0.1, 0, 0.5]}}";
    double unused;
    for (size_t i = 0; i < bench_size(ROUNDS); i++) {
        out->empty[i] = service_h2load(&empty, &unused);
        out->rank[i] = service_h2load(&rank, &unused);
        out->imed[i] = service_h2load(&imed, &unused);
        out->eligible[i] = service_h2load(&eligible, &unused);
        out->contexts[i] = service_h2load(&contexts, &unused);
        out->users[i] = service_h2load(&users, &unused);
        if (out->empty[i] < 0.0 || out->rank[i] < 0.0 || out->imed[i] < 0.0 ||
            out->eligible[i] < 0.0 || out->contexts[i] < 0.0 || out->users[i] < 0.0) {
            end_with(bench, "h2load failed");
        }
        out->eligible_share[i] = out->eligible[i] / out->rank[i];
        out->contexts_share[i] = out->contexts[i] / out->rank[i];
        out->users_share[i] = out->users[i] / out->rank[i];
        out->imed_share[i] = out->imed[i] / out->rank[i];
        out->rank_share[i] = out->rank[i] / out->empty[i];
    }
    empty.rate = rank.rate = 0.5 * service_median(out->rank, ROUNDS);
    empty.seconds = rank.seconds = 3.0;
    for (size_t i = 0; i < bench_size(CALM_ROUNDS); i++) {
        if (service_h2load(&rank, &out->p99[i]) < 0.0 ||
            service_h2load(&empty, &out->empty_p99[i]) < 0.0) {
            end_with(bench, "h2load failed");
        }
    }
}

static double measure_memory(service_bench *bench)
{
    for (size_t i = 0; i < bench_size(CAMPAIGNS); i++) {
        char name[32];
        snprintf(name, sizeof name, "many-%zu", i);
        make_campaign(bench, name, "lik-imed", CAMPAIGN_ARMS, 4, 60);
    }
    for (size_t i = 0; i < bench_size(CAMPAIGNS); i++) { /* each policy is loaded once */
        char path[64];
        snprintf(path, sizeof path, "/v1/campaigns/many-%zu/rank", i);
        json_decref(post(bench, path, json_object()));
    }
    return service_resident_megabytes(bench->server.pid);
}

static bool report(measured *found, double before, double megabytes)
{
    bool met = true;
    const double rank = service_median(found->rank, ROUNDS);
    const double single = service_median(found->single, ROUNDS);
    const double grouped = service_median(found->grouped, ROUNDS);
    const double stays = service_median(found->stays, ROUNDS);
    const double p99 = service_median(found->p99, CALM_ROUNDS);
    bench_heading();
    bench_plain("empty handler", service_median(found->empty, ROUNDS), "/s");
    met &= bench_at_least("rank / empty handler", rank, "/s",
                          service_median(found->rank_share, ROUNDS), 0.60);
    met &= bench_at_least("rank by lik-imed / by batch-klucb", service_median(found->imed, ROUNDS),
                          "/s", service_median(found->imed_share, ROUNDS), 0.95);
    met &=
        bench_at_least("rank with eligible arms / without", service_median(found->eligible, ROUNDS),
                       "/s", service_median(found->eligible_share, ROUNDS), 0.50);
    met &= bench_at_least("rank with contexts / without", service_median(found->contexts, ROUNDS),
                          "/s", service_median(found->contexts_share, ROUNDS), 0.50);
    met &= bench_at_least("rank with a user who is counted / without",
                          service_median(found->users, ROUNDS), "/s",
                          service_median(found->users_share, ROUNDS), 0.50);
    met &= bench_at_most("rank at half of that: p99", p99, "ms", p99, 5.0);
    bench_plain("empty handler at that rate: p99", service_median(found->empty_p99, CALM_ROUNDS),
                "ms");
    bench_plain("fdatasync, file grows", service_median(found->grows, ROUNDS), "/s");
    bench_plain("fdatasync, same place", stays, "/s");
    met &= bench_at_least("reward, 64 connections / grows", single, "/s",
                          service_median(found->single_times, ROUNDS), 15.0);
    met &= bench_at_least("rewards by 100 / grows", grouped, "/s",
                          service_median(found->grouped_times, ROUNDS), 40.0);
    bench_plain("reward, 64 connections / same place", single / stays, "x");
    bench_plain("rewards by 100 / same place", grouped / stays, "x");
    bench_plain("memory after the load", before, "MB");
    met &= bench_at_most("memory, 1,000 campaigns of 100 arms", megabytes, "MB", megabytes, 100.0);
    return met;
}

/* Ends the server, too. */
static void remove_folder(service_bench *bench)
{
    char command[300];
    lotor_child_kill(&bench->server);
    lotor_client_free(bench->client);
    snprintf(command, sizeof command, "rm -rf '%s'", bench->folder);
    if (system(command) != 0) {
        end_with(bench, "the scratch folder could not be removed");
    }
}

/* The memory of many campaigns is measured on a new server, without what the load left in
 * memory. */
static double memory_of_campaigns(double *after_load, service_bench *bench)
{
    service_bench other = {.client = NULL};
    *after_load = service_resident_megabytes(bench->server.pid);
    lotor_child_kill(&bench->server);
    start(&other);
    const double found = measure_memory(&other);
    if (*after_load < 0.0 || found < 0.0) {
        end_with(&other, "the memory of a server could not be read");
    }
    remove_folder(&other);
    return found;
}

int main(void)
{
    service_bench bench = {.client = NULL};
    measured found = {.p99 = {0}};
    uint16_t empty_port = 0;
    const pid_t empty = service_empty_start(&empty_port);
    start(&bench);
    if (empty < 0) {
        end_with(&bench, "the empty server did not start");
    }
    make_campaign(&bench, "ranks", "batch-klucb", ARMS, 4, 2);
    make_campaign(&bench, "ranks-imed", "lik-imed", ARMS, 4, 2);
    make_linear(&bench);
    make_capped(&bench);
    make_campaign(&bench, "answers", "batch-klucb", ARMS, 1, 600);
    measure_answers(&bench, &found);
    measure_ranks(&bench, empty_port, &found);
    double after_load = 0.0;
    const double megabytes = memory_of_campaigns(&after_load, &bench);
    kill(empty, SIGKILL);
    waitpid(empty, NULL, 0);
    remove_folder(&bench);
    free(bench.events);
    return bench_status(report(&found, after_load, megabytes));
}
