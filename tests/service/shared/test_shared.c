/* test_shared.c - three servers on one PostgreSQL, under load, with faults. Nothing acknowledged is
 * lost, nothing counts twice, no release is drawn twice, no event is handed out twice.
 *
 * There is one arm, one slot, and an epsilon so large that the noise is far below one reward. So
 * every released sum must be the exact sum of the acknowledged rewards of its rounds. A round
 * without feedback counts as 0.25. Feedback for events of one server goes to any server. Run by
 * tests/service/shared/postgres.sh with ...
 *
 *      LOTOR_FAULTS           how often each fault happens (default: 1)
 *      LOTOR_TEST_FAULT       a command that runs under load instead of the faults
 *      LOTOR_TEST_ONE_SERVER  a program instead of lotor for the first server
 *      LOTOR_TEST_NONE_LATE   fails if feedback is called late before it expired
 */
#include "base/time.h"
#include "support/test.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/random/generator.h"
#include "service/client_many.h"
#include "service/place.h"
#include "service/served.h"
#include "service/server_key/server_key.h"
#include "service/store/store.h"

enum {
    SERVERS = 3,
    CONNECTIONS = 6, /* to each server */
    DECISIONS_MOST = 4000000,
    WAIT = 8,         /* longer than most faults, so that most feedback is surely in time */
    TOLD_MOST = 4096, /* feedback that waits to be sent */
    RELEASES_MOST = 4096,
};
#define CAMPAIGN "shared"
#define DEFAULT  0.25

typedef enum decision_fate {
    UNSEEN = 0, /* not handed out, as far as is known: taken back, or counted with the default */
    OPEN,
    HEARD_0, /* acknowledged: it counts */
    HEARD_1,
    UNSURE_0, /* late: sealed before a server looked, but the owner may have read it since */
    UNSURE_1
} decision_fate;

typedef struct answer_of {
    char event[LOTOR_TOKEN_LENGTH + 1];
    uint64_t number, expires;
    unsigned reward;
    bool is_repeat;
    bool was_sent; /* without a reply: a server may have it */
} answer_of;

typedef struct hand_of {
    bool holds; /* feedback is on its way */
    answer_of answer;
    char path[LOTOR_TOKEN_LENGTH + 32], body[32];
} hand_of;

struct shared_test;
typedef struct server_of {
    struct shared_test *test;
    lotor_child child;
    lotor_many *many;
    char log[300];
    hand_of hands[CONNECTIONS];
    uint64_t ranked, refused; /* since the last line of the log */
} server_of;

typedef struct shared_test {
    scratch files;
    char key[128], key_path[256], keys_path[256];
    const char *more[6];
    server_of servers[SERVERS];
    lotor_server_key *server_key;
    lotor_generator generator;
    unsigned char *fates;
    answer_of told[TOLD_MOST];
    size_t told_count;
    uint64_t campaign; /* the campaign's id */
    uint64_t events, acknowledged, repeated, late, unsure, lost, refused;
    uint64_t wrongly_late; /* called late before they expired, by this machine's clock */
    bool only_answers;
    double started;
} shared_test;

/* --- load ------------------------------------------------------------------------------------- */

static bool next_request(void *context, size_t connection, lotor_client_request *out)
{
    server_of *server = context;
    shared_test *test = server->test;
    hand_of *hand = &server->hands[connection];
    const uint64_t word = lotor_generator_word(&test->generator);
    if (test->told_count > 0 &&
        (test->only_answers || test->told_count > TOLD_MOST / 2 || word % 2 == 0)) {
        const size_t at = (size_t)((word >> 8) % test->told_count);
        hand->answer = test->told[at];
        test->told[at] = test->told[--test->told_count];
        hand->holds = true;
        char event[sizeof hand->answer.event];
        memcpy(event, hand->answer.event, sizeof event);
        snprintf(hand->path, sizeof hand->path, "/v1/events/%s/reward", event);
        const int length =
            snprintf(hand->body, sizeof hand->body, "{\"rewards\":[%u]}", hand->answer.reward);
        *out = (lotor_client_request){
            .method = "POST", .path = hand->path, .body = hand->body, .length = (size_t)length};
        return true;
    }
    *out = (lotor_client_request){
        .method = "POST", .path = "/v1/campaigns/" CAMPAIGN "/rank", .body = "{}", .length = 2};
    return !test->only_answers;
}

static void keep_answer(shared_test *test, const answer_of *answer)
{
    assert_true(test->told_count < TOLD_MOST);
    test->told[test->told_count++] = *answer;
}

static void take_event(shared_test *test, const lotor_reply *reply)
{
    json_t *ranking = json_loadb(reply->body, reply->length, 0, NULL);
    const char *text = json_string_value(json_object_get(ranking, "event"));
    lotor_event event;
    if (!text) {
        fail_msg("no event: %s", reply->body);
    }
    assert_true(lotor_server_key_read_token(test->server_key, text, &event));
    assert_in_range(event.number, 1, DECISIONS_MOST - 1);
    assert_int_equal(test->fates[event.number], UNSEEN); /* events never repeat, on any server */
    test->fates[event.number] = OPEN;
    test->campaign = event.campaign;
    test->events++;
    const uint64_t word = lotor_generator_word(&test->generator);
    if (word % 8 != 0) { /* else no feedback */
        answer_of answer = {
            .number = event.number, .expires = event.expires, .reward = (unsigned)(word >> 32) % 2};
        memcpy(answer.event, text, strlen(text) + 1);
        keep_answer(test, &answer);
    }
    json_decref(ranking);
}

static uint64_t now_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return 1000 * (uint64_t)now.tv_sec + (uint64_t)now.tv_nsec / 1000000;
}

/* Acknowledged feedback counts. Late feedback may count, if the owner had not read the log yet. */
static void hear_answer(shared_test *test, answer_of *answer, bool is_late)
{
    if (answer->is_repeat) {
        test->repeated++;
        return;
    }
    test->acknowledged += !is_late;
    test->late += is_late;
    test->wrongly_late += is_late && now_milliseconds() < answer->expires;
    test->unsure += is_late && answer->was_sent;
    test->fates[answer->number] = (unsigned char)((is_late ? UNSURE_0 : HEARD_0) + answer->reward);
    if (!is_late && lotor_generator_word(&test->generator) % 4 == 0) {
        answer->is_repeat = true;
        keep_answer(test, answer);
    }
}

static void heard(void *context, size_t connection, const lotor_reply *reply)
{
    server_of *server = context;
    shared_test *test = server->test;
    hand_of *hand = &server->hands[connection];
    const bool was_answer = hand->holds;
    hand->holds = false;
    if (reply->outcome == LOTOR_REPLY_LOST || reply->status == 503) {
        test->lost += reply->outcome == LOTOR_REPLY_LOST;
        test->refused += reply->outcome != LOTOR_REPLY_LOST;
        server->refused++;
        if (was_answer) {
            hand->answer.was_sent = true;
            keep_answer(test, &hand->answer); /* sent again, perhaps to another server */
        }
        return;
    }
    if (reply->status != 200) {
        fail_msg("%u %s", reply->status, reply->body);
    }
    if (was_answer) {
        const bool is_late = strstr(reply->body, "\"late\"") != NULL;
        assert_true(is_late || strstr(reply->body, "\"acknowledged\""));
        hear_answer(test, &hand->answer, is_late);
    } else {
        server->ranked++;
        take_event(test, reply);
    }
}

static void run_load(shared_test *test, double seconds)
{
    const double end = lotor_time_seconds() + seconds;
    while (lotor_time_seconds() < end) {
        for (int i = 0; i < SERVERS; i++) {
            lotor_many_run(test->servers[i].many, 0.005);
        }
    }
}

static void say(shared_test *test, const char *what)
{
    print_message("%6.2f s  %-44s rankings on each server", lotor_time_seconds() - test->started,
                  what);
    for (int i = 0; i < SERVERS; i++) {
        print_message(" %6llu (%llu refused)", (unsigned long long)test->servers[i].ranked,
                      (unsigned long long)test->servers[i].refused);
        test->servers[i].ranked = test->servers[i].refused = 0;
    }
    print_message("\n");
}

/* --- faults ----------------------------------------------------------------------------------- */

static void database(const char *what)
{
    char command[600];
    const char *folder = getenv("LOTOR_TEST_POSTGRES_FOLDER");
    snprintf(command, sizeof command, "sh '%s' %s '%s'", POSTGRES_SCRIPT, what, folder);
    assert_int_equal(system(command), 0);
}

static pid_t database_pid(void)
{
    char path[400];
    int pid = 0;
    snprintf(path, sizeof path, "%s/data/postmaster.pid", getenv("LOTOR_TEST_POSTGRES_FOLDER"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &pid), 1);
    fclose(file);
    assert_true(pid > 1);
    return pid;
}

/* Sends a signal to the postmaster and all its processes; returns how many. */
static size_t signal_database(pid_t master, int number)
{
    size_t count = kill(master, number) == 0;
    DIR *folder = opendir("/proc");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[300], state;
        int pid, parent;
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        FILE *file = atoi(entry->d_name) > 0 ? fopen(path, "r") : NULL;
        if (file) {
            if (fscanf(file, "%d (%*[^)]) %c %d", &pid, &state, &parent) == 3 && parent == master) {
                count += kill(pid, number) == 0;
            }
            fclose(file);
        }
    }
    closedir(folder);
    return count;
}

static void kill_a_server(shared_test *test, int which)
{
    lotor_message why = {""};
    lotor_child_kill(&test->servers[which].child);
    run_load(test, 4.5); /* its lease ends after 3 seconds */
    const server_of *other = &test->servers[(which + 1) % SERVERS];
    assert_true(other->ranked > 0);
    say(test, "kill -9 a server");
    if (lotor_child_restart(&test->servers[which].child, &why) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    run_load(test, 1.0);
    say(test, "  it was started again");
}

static void stop_a_server(shared_test *test, int which)
{
    kill(test->servers[which].child.pid, SIGSTOP);
    run_load(test, 5.0);
    kill(test->servers[which].child.pid, SIGCONT);
    say(test, "SIGSTOP a server for 5 s");
    run_load(test, 1.0);
    say(test, "  it goes on");
}

static void kill_the_database(shared_test *test)
{
    const pid_t master = database_pid();
    signal_database(master, SIGKILL);
    const uint64_t refused = test->refused;
    run_load(test, 4.0); /* requests wait for 3 seconds */
    say(test, "kill -9 the database");
    assert_true(test->refused > refused); /* rewards get 503 */
    database("start");
    run_load(test, 2.0);
    say(test, "  it was started again");
}

static void stop_the_database(shared_test *test)
{
    const pid_t master = database_pid();
    const uint64_t refused = test->refused;
    assert_true(signal_database(master, SIGSTOP) > 1);
    run_load(test, 5.0);
    signal_database(master, SIGCONT);
    say(test, "SIGSTOP the database for 5 s");
    run_load(test, 2.0);
    say(test, "  it goes on");
    assert_true(test->refused > refused);
}

static void restart_the_database(shared_test *test)
{
    database("stop");
    run_load(test, 0.2);
    database("start");
    run_load(test, 2.0);
    say(test, "stop and start the database");
}

static void run_command(shared_test *test, const char *command)
{
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        run_load(test, 0.1);
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    say(test, "the fault");
    run_load(test, 6.0);
    say(test, "  afterwards");
    for (int i = 0; i < SERVERS; i++) {
        test->servers[i].ranked = 0;
    }
    run_load(test, 2.0);
    for (int i = 0; i < SERVERS; i++) { /* every server serves again */
        assert_true(test->servers[i].ranked > 0);
    }
}

/* --- releases --------------------------------------------------------------------------------- */

typedef struct checking {
    const shared_test *test;
    uint64_t releases, last, rounds;
    double sum, worst;
} checking;

/* A release has the sum of a batch, which ends with the decision `time`. */
static lotor_status check_release(void *context, const lotor_release_row *release)
{
    checking *check = context;
    double value, low = 0.0, high = 0.0;
    uint64_t count, known = 0;
    assert_int_equal(release->number, ++check->releases);
    assert_int_equal(release->facts_length, 40);
    memcpy(&value, release->facts + 16, 8);
    memcpy(&count, release->facts + 24, 8);
    for (uint64_t i = check->last + 1; i <= release->time; i++) {
        const decision_fate fate = (decision_fate)check->test->fates[i];
        known += fate >= HEARD_0;
        low += fate == HEARD_1 ? 1.0 : fate == UNSURE_1 ? DEFAULT : 0.0;
        high += fate == HEARD_1 || fate == UNSURE_1 ? 1.0 : fate == UNSURE_0 ? DEFAULT : 0.0;
    }
    assert_true(count >= known);
    const double rest = DEFAULT * (double)(count - known);
    if (value < low + rest - 0.1 || value > high + rest + 0.1) {
        fail_msg("release %llu, decisions %llu to %llu: %llu rounds, %llu answered, %.4f is not "
                 "from %.2f to %.2f",
                 (unsigned long long)release->number, (unsigned long long)check->last + 1,
                 (unsigned long long)release->time, (unsigned long long)count,
                 (unsigned long long)known, value, low + rest, high + rest);
    }
    check->sum += value;
    check->rounds += count;
    check->last = release->time;
    return LOTOR_OK;
}

/* Waits until all rounds are final, and checks that all servers agree. */
static void settle(shared_test *test)
{
    char said[SERVERS][64];
    for (int i = 0; i < 300; i++) {
        bool is_over = true;
        for (int j = 0; j < SERVERS; j++) {
            lotor_client *client;
            lotor_reply reply;
            assert_int_equal(lotor_client_new("127.0.0.1", test->servers[j].child.port, test->key,
                                              NULL, &client),
                             LOTOR_OK);
            lotor_client_call(client, "GET", "/v1/campaigns/" CAMPAIGN, NULL, 10.0, &reply);
            assert_int_equal(reply.status, 200);
            json_t *json = json_loadb(reply.body, reply.length, 0, NULL);
            is_over = is_over && json_integer_value(json_object_get(json, "pending")) == 0;
            snprintf(said[j], sizeof said[j], "%lld final, %lld releases",
                     (long long)json_integer_value(json_object_get(json, "final")),
                     (long long)json_integer_value(json_object_get(json, "releases")));
            is_over = is_over && strcmp(said[j], said[0]) == 0;
            json_decref(json);
            lotor_client_free(client);
        }
        if (is_over) {
            print_message("every server: %s\n", said[0]);
            return;
        }
        usleep(100000);
    }
    fail_msg("the servers differ: %s; %s; %s", said[0], said[1], said[2]);
}

static void compare(shared_test *test)
{
    lotor_store *store;
    lotor_message why = {""};
    checking check = {.test = test};
    lotor_release_row last;
    if (lotor_store_open(getenv("LOTOR_TEST_POSTGRES"), LOTOR_STORE_READ, NULL, &why, &store)) {
        fail_msg("%s", why.text);
    }
    assert_int_equal(
        lotor_store_each_release(store, test->campaign, 0, check_release, &check, &why), LOTOR_OK);
    assert_int_equal(lotor_store_last_release(store, test->campaign, &why, &last), LOTOR_OK);
    assert_int_equal(last.number, check.releases);
    if (lotor_store_check(store, &why)) {
        fail_msg("%s", why.text);
    }
    lotor_store_close(store);
    print_message(
        "%llu events, %llu answers acknowledged, %llu late (%llu after a lost reply), %llu "
        "repeated, "
        "%llu refused with 503, %llu lost with a server; %llu releases over %llu rounds add up "
        "to %.4f: each is the exact sum of its rounds\n",
        (unsigned long long)test->events, (unsigned long long)test->acknowledged,
        (unsigned long long)test->late, (unsigned long long)test->unsure,
        (unsigned long long)test->repeated, (unsigned long long)test->refused,
        (unsigned long long)test->lost, (unsigned long long)check.releases,
        (unsigned long long)check.rounds, check.sum);
    if (getenv("LOTOR_TEST_NONE_LATE")) {
        assert_int_equal(test->wrongly_late, 0);
    }
    assert_true(check.releases > 5);
    assert_true(check.rounds > 100);
}

/* --- the test --------------------------------------------------------------------------------- */

static void create(shared_test *test)
{
    lotor_client *client;
    lotor_reply reply;
    char body[300];
    snprintf(body, sizeof body,
             "{\"name\":\"" CAMPAIGN "\",\"algorithm\":\"batch-klucb\",\"slots\":1,\"epsilon\":"
             "1000000,\"wait_seconds\":%d,\"default_reward\":%g,\"arms\":[\"a\"],\"max_arms\":1}",
             WAIT, DEFAULT);
    assert_int_equal(
        lotor_client_new("127.0.0.1", test->servers[0].child.port, test->key, NULL, &client),
        LOTOR_OK);
    lotor_client_call(client, "POST", "/v1/campaigns", body, 10.0, &reply);
    assert_int_equal(reply.status, 201);
    lotor_client_free(client);
    usleep(900000); /* every server knows it within a second */
}

static void begin(shared_test *test)
{
    memset(test, 0, sizeof *test);
    place_clear();
    scratch_start(&test->files);
    snprintf(test->key_path, sizeof test->key_path, "%s", scratch_path(&test->files, "key"));
    snprintf(test->keys_path, sizeof test->keys_path, "%s", scratch_path(&test->files, "keys"));
    const char *const make_key[] = {"key", "--keys", test->keys_path, "--role", "admin", NULL};
    assert_int_equal(served_run(make_key, test->key, sizeof test->key), 0);
    test->more[0] = "--key-file";
    test->more[1] = test->key_path;
    test->more[2] = "--keys";
    test->more[3] = test->keys_path;
    test->more[4] = "--allow-weak-epsilon";
    test->fates = calloc(DECISIONS_MOST, 1);
    assert_non_null(test->fates);
    lotor_generator_seed(&test->generator, 8);
    for (int i = 0; i < SERVERS; i++) {
        server_of *server = &test->servers[i];
        lotor_message why = {""};
        server->test = test;
        snprintf(server->log, sizeof server->log, "%s/log%d", test->files.folder, i);
        const char *own = i == 0 ? getenv("LOTOR_TEST_ONE_SERVER") : NULL;
        const lotor_child_setup setup = {.executable = own ? own : LOTOR_EXECUTABLE,
                                         .store = getenv("LOTOR_TEST_POSTGRES"),
                                         .log = server->log,
                                         .more = test->more};
        if (lotor_child_start(&server->child, &setup, &why) != LOTOR_OK) {
            fail_msg("%s", why.text);
        }
        const lotor_many_setup many = {.port = server->child.port,
                                       .key = test->key,
                                       .connections = CONNECTIONS,
                                       .timeout_seconds = 15.0,
                                       .context = server,
                                       .next = next_request,
                                       .heard = heard};
        assert_int_equal(lotor_many_new(&many, NULL, &server->many), LOTOR_OK);
    }
    assert_int_equal(lotor_server_key_open(test->key_path, false, NULL, &test->server_key),
                     LOTOR_OK);
    create(test);
    test->started = lotor_time_seconds();
}

static shared_test test;

static int end(void **state)
{
    (void)state;
    for (int i = 0; i < SERVERS; i++) {
        lotor_many_free(test.servers[i].many);
        if (test.servers[i].child.pid > 0) { /* the server may be paused */
            kill(test.servers[i].child.pid, SIGCONT);
        }
        lotor_child_kill(&test.servers[i].child);
    }
    lotor_server_key_free(test.server_key);
    free(test.fates);
    if (getenv("LOTOR_TEST_KEEP") == NULL) {
        scratch_end(&test.files);
    }
    return 0;
}

static void send_what_is_left(void)
{
    test.only_answers = true;
    for (int i = 0; i < 2000; i++) {
        bool is_idle = true;
        for (int j = 0; j < SERVERS; j++) {
            is_idle = lotor_many_run(test.servers[j].many, 0.01) && is_idle;
        }
        if (is_idle && test.told_count == 0) {
            return;
        }
    }
    fail_msg("%zu answers are not acknowledged", test.told_count);
}

TEST_WITH(test_faults_under_load, NULL, end)
{
    const char *wanted = getenv("LOTOR_FAULTS");
    const int times = wanted ? atoi(wanted) : 1;
    begin(&test);
    run_load(&test, 3.0);
    say(&test, "load");
    const char *command = getenv("LOTOR_TEST_FAULT");
    if (command) {
        run_command(&test, command);
    }
    for (int i = 0; !command && i < times; i++) {
        kill_a_server(&test, i % SERVERS);
        kill_the_database(&test);
        stop_a_server(&test, (i + 1) % SERVERS);
        stop_the_database(&test);
        restart_the_database(&test);
    }
    send_what_is_left();
    settle(&test);
    compare(&test);
    for (int i = 0; i < SERVERS; i++) {
        assert_int_equal(lotor_child_stop(&test.servers[i].child), 0);
    }
}

TEST_GROUP(place_needs_database, NULL);
