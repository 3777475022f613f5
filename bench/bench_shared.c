/* bench_shared.c - servers on one PostgreSQL, compared with one server on SQLite in the same run.
 *
 * It runs one, two and three servers, on a database that it starts itself, so it needs PostgreSQL
 * (scripts/deps postgres). The servers, the database and the clients share the cores of one machine.
 * "rank" is measured on one server at a time, while the others run. Rewards are measured on all
 * servers together, over 64 connections to each.
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

enum { SERVERS = 3, ROUNDS = 3, CONNECTIONS = 64, ANSWERS = 12000, GROUP = 100, ARMS = 20 };

typedef char token[LOTOR_TOKEN_LENGTH + 1];

/* Some servers on one store. */
typedef struct cluster {
    char folder[64], keys[100], key_file[100], log[SERVERS][100], key[128];
    const char *more[5];
    char store[200];
    lotor_child servers[SERVERS];
    size_t count;
} cluster;

static char database[] = "/tmp/lotor-bench-pg.XXXXXX";
static bool has_database;

static bool postgres(const char *what)
{
    char command[400];
    snprintf(command, sizeof command, "sh '%s' %s '%s' >/dev/null", POSTGRES_SCRIPT, what,
             database);
    return system(command) == 0;
}

static void end_with(const char *what)
{
    fprintf(stderr, "bench_shared: %s\n", what);
    if (has_database) {
        postgres("remove");
    }
    exit(EXIT_FAILURE);
}

static void call(const cluster *all, size_t server, const char *path, const char *body,
                 json_t **reply)
{
    lotor_client *client = NULL;
    lotor_message why;
    if (lotor_client_new("127.0.0.1", all->servers[server].port, all->key, &why, &client) !=
        LOTOR_OK) {
        end_with(why.text);
    }
    *reply = service_post(client, path, json_loads(body, 0, NULL));
    lotor_client_free(client);
    if (!*reply) {
        end_with("a request failed");
    }
}

static void make_campaign(const cluster *all, const char *name, int slots, int wait)
{
    char body[1024];
    json_t *reply;
    int length = snprintf(body, sizeof body,
                          "{\"name\":\"%s\",\"algorithm\":\"batch-klucb\",\"slots\":%d,"
                          "\"epsilon\":1,\"wait_seconds\":%d,\"arms\":[",
                          name, slots, wait);
    for (int i = 0; i < ARMS; i++) {
        length +=
            snprintf(body + length, sizeof body - (size_t)length, "%s\"item-%d\"", i ? "," : "", i);
    }
    snprintf(body + length, sizeof body - (size_t)length, "]}");
    call(all, 0, "/v1/campaigns", body, &reply);
    json_decref(reply);
}

static void start(cluster *all, size_t count, const char *address)
{
    lotor_message why;
    memset(all, 0, sizeof *all);
    char folder[] = "/tmp/lotor-bench.XXXXXX";
    if (!mkdtemp(folder)) {
        end_with("no scratch folder");
    }
    memcpy(all->folder, folder, sizeof folder);
    snprintf(all->keys, sizeof all->keys, "%s/keys", folder);
    snprintf(all->key_file, sizeof all->key_file, "%s/key", folder);
    snprintf(all->store, sizeof all->store, address ? "%s" : "%s/bench.db",
             address ? address : folder);
    const char *const more[] = {"--key-file", all->key_file, "--keys", all->keys, NULL};
    memcpy(all->more, more, sizeof more);
    const char *const make_key[] = {"lotor", "key", "--keys", all->keys, "--role", "admin", NULL};
    if (lotor_child_ask(LOTOR_EXECUTABLE, make_key, all->key, sizeof all->key) != 0) {
        end_with("lotor key failed");
    }
    for (all->count = 0; all->count < count; all->count++) {
        snprintf(all->log[all->count], sizeof *all->log, "%s/log%zu", folder, all->count);
        const lotor_child_setup setup = {.executable = LOTOR_EXECUTABLE,
                                         .store = all->store,
                                         .log = all->log[all->count],
                                         .more = all->more};
        if (lotor_child_start(&all->servers[all->count], &setup, &why) != LOTOR_OK) {
            end_with(why.text);
        }
    }
    make_campaign(all, "ranks", 4, 2);
    make_campaign(all, "answers", 1, 600);
    sleep(1); /* every server knows them */
}

static void stop(cluster *all)
{
    char command[200];
    for (size_t i = 0; i < all->count; i++) {
        lotor_child_stop(&all->servers[i]);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", all->folder);
    if (system(command) != 0) {
        end_with("the scratch folder stays");
    }
}

static double measure_rank(const cluster *all)
{
    double sum = 0.0, unused;
    for (size_t i = 0; i < all->count; i++) {
        const service_load load = {.folder = all->folder,
                                   .port = all->servers[i].port,
                                   .path = "/v1/campaigns/ranks/rank",
                                   .key = all->key,
                                   .seconds = 2.0};
        const double rate = service_h2load(&load, &unused);
        if (rate < 0.0) {
            end_with("h2load failed");
        }
        sum += rate;
    }
    return sum / (double)all->count;
}

/* --- rewards ------------------------------------------------------------------------------------- */

typedef struct answering {
    token *events;
    size_t next, count, failed;
    char path[LOTOR_TOKEN_LENGTH + 32], body[32];
} answering;

static bool next_answer(void *context, size_t connection, lotor_client_request *out)
{
    answering *work = context;
    (void)connection;
    if (work->next == work->count) {
        return false;
    }
    snprintf(work->path, sizeof work->path, "/v1/events/%s/reward", work->events[work->next]);
    const int length =
        snprintf(work->body, sizeof work->body, "{\"rewards\":[%zu]}", work->next++ % 2);
    *out = (lotor_client_request){
        .method = "POST", .path = work->path, .body = work->body, .length = (size_t)length};
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

static void get_events(const cluster *all, answering *work)
{
    const size_t count = bench_size(ANSWERS);
    while (work->count < count) {
        json_t *reply;
        call(all, work->count % all->count, "/v1/campaigns/answers/rank-batch", "{\"count\": 100}",
             &reply);
        const json_t *decisions = json_object_get(reply, "decisions");
        if (json_array_size(decisions) == 0) {
            end_with("rank-batch gave no decisions");
        }
        for (size_t i = 0; i < json_array_size(decisions) && work->count < count; i++) {
            const json_t *event = json_object_get(json_array_get(decisions, i), "event");
            snprintf(work->events[work->count++], sizeof *work->events, "%s",
                     json_string_value(event));
        }
        json_decref(reply);
    }
}

/* One server's share of the load, in a separate process: clients in one process would wait for each
 * other. */
static pid_t answer_share(const cluster *all, size_t server, answering work)
{
    const pid_t pid = fork();
    if (pid != 0) {
        return pid;
    }
    const size_t count = work.count;
    work.next = count * server / all->count;
    work.count = count * (server + 1) / all->count;
    const lotor_many_setup setup = {.port = all->servers[server].port,
                                    .key = all->key,
                                    .connections = CONNECTIONS,
                                    .timeout_seconds = 20.0,
                                    .context = &work,
                                    .next = next_answer,
                                    .heard = note_answer};
    lotor_many *many = NULL;
    const bool is_fine = lotor_many_new(&setup, NULL, &many) == LOTOR_OK;
    _exit(is_fine && lotor_many_run(many, 60.0) && work.failed == 0 ? 0 : 1);
}

static double measure_rewards(const cluster *all)
{
    answering work = {.events = calloc(ANSWERS, sizeof *work.events)};
    pid_t pids[SERVERS];
    int status, failed = 0;
    if (!work.events) {
        end_with("out of memory");
    }
    get_events(all, &work);
    const double began = bench_clock();
    for (size_t i = 0; i < all->count; i++) {
        pids[i] = answer_share(all, i, work);
    }
    for (size_t i = 0; i < all->count; i++) {
        failed += pids[i] < 0 || waitpid(pids[i], &status, 0) != pids[i] || status != 0;
    }
    const double seconds = bench_clock() - began;
    free(work.events);
    if (failed > 0) {
        end_with("some rewards were not acknowledged");
    }
    return (double)work.count / seconds;
}

typedef struct measured {
    double rank[ROUNDS], reward[ROUNDS];
} measured;

static void measure(size_t servers, const char *address, size_t round, measured *out)
{
    static cluster all;
    start(&all, servers, address);
    out->reward[round] = measure_rewards(&all);
    out->rank[round] = measure_rank(&all);
    stop(&all);
}

int main(void)
{
    measured file = {.rank = {0}}, shared[SERVERS] = {{.rank = {0}}};
    char address[200];
    if (!mkdtemp(database) || !(has_database = postgres("make"))) {
        rmdir(database); /* it is empty if PostgreSQL is not installed */
        end_with("PostgreSQL did not start (scripts/deps postgres installs it)");
    }
    snprintf(address, sizeof address, "postgres://lotor@/postgres?host=%s", database);
    for (size_t i = 0; i < bench_size(ROUNDS); i++) {
        measure(1, NULL, i, &file);
        for (size_t j = 0; j < SERVERS; j++) {
            char key[300];
            snprintf(key, sizeof key, "sh '%s' clear '%s'", POSTGRES_SCRIPT, database);
            if (system(key) != 0) {
                end_with("the database could not be emptied");
            }
            measure(j + 1, address, i, &shared[j]);
        }
    }
    postgres("remove");
    const double rank = service_median(file.rank, ROUNDS);
    const double reward = service_median(file.reward, ROUNDS);
    bool met = true;
    bench_heading();
    bench_plain("rank, SQLite", rank, "/s");
    bench_plain("reward, SQLite", reward, "/s");
    for (size_t j = 0; j < SERVERS; j++) {
        const double ranks = service_median(shared[j].rank, ROUNDS);
        const double rewards = service_median(shared[j].reward, ROUNDS);
        char name[2][64];
        snprintf(name[0], sizeof *name, "rank, each of %zu / SQLite", j + 1);
        snprintf(name[1], sizeof *name, "reward, all of %zu / SQLite", j + 1);
        met &= bench_at_least(name[0], ranks, "/s", ranks / rank, j + 1 == SERVERS ? 0.8 : 0.0);
        met &=
            bench_at_least(name[1], rewards, "/s", rewards / reward, j + 1 == SERVERS ? 1.0 : 0.0);
    }
    return bench_status(met);
}
