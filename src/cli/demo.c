/* demo.c - lotor demo: runs a private recommender, from an empty folder to the guarantee.
 *
 * The demo uses the service like any client: it starts `lotor serve`, and everything else goes
 * through HTTP. All numbers that it prints are measured.
 */
#ifdef LOTOR_SERVICE
#include "cli/demo.h"
#include "base/time.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "cli/command.h"
#include "cli/print.h"
#include "service/client/child.h"
#include "service/client/client.h"

enum { PEOPLE, ALGORITHM, EPSILON, PACE, SEED, KEEP, KEEP_SERVING };
#define CAMPAIGN "library"
#define ITSELF   "/proc/self/exe"
#define SHARE    0.1 /* of the rounds measure the lift */

static const lotor_option options[] = {
    [PEOPLE] = {.name = "people",
                .kind = LOTOR_OPTION_WHOLE,
                .placeholder = "N",
                .initial = "20000",
                .help = "the number of people: 100 to 200000"},
    [ALGORITHM] = {.name = "algorithm",
                   .kind = LOTOR_OPTION_TEXT,
                   .placeholder = "ID",
                   .initial = "lik-imed",
                   .help = "any algorithm that lotor serve offers for sets; with rr-imed the "
                           "server never sees raw feedback"},
    [EPSILON] = {.name = "epsilon",
                 .kind = LOTOR_OPTION_RATIO,
                 .placeholder = "E",
                 .initial = "2",
                 .help = "the privacy budget"},
    [PACE] = {.name = "pace",
              .kind = LOTOR_OPTION_WHOLE,
              .placeholder = "N",
              .initial = "650",
              .help = "the number of people per second"},
    [SEED] = {.name = "seed",
              .kind = LOTOR_OPTION_WHOLE,
              .placeholder = "S",
              .initial = "1",
              .help = "the seed of the simulated people; the server's noise has no seed"},
    [KEEP] = {.name = "keep",
              .kind = LOTOR_OPTION_FLAG,
              .help = "keep the folder with the store, its keys and the log"},
    [KEEP_SERVING] = {.name = "keep-serving",
                      .kind = LOTOR_OPTION_FLAG,
                      .help = "print the dashboard's address and key, and serve until Ctrl-C"},
};

typedef struct demo_run {
    const lotor_arguments *arguments;
    char folder[256], store[300], log[300];
    char admin_key[128], rank_key[128], reward_key[128];
    lotor_child server;
    lotor_client *client;
    demo_crowd *crowd;
    demo_screen screen;
    double started, seconds_down;
} demo_run;

/* Set by the signal handler of Ctrl-C. */
static volatile sig_atomic_t stop_came;

static void note_stop(int signal_number)
{
    (void)signal_number;
    stop_came = 1;
}

static void watch_signals(void)
{
    struct sigaction action = {.sa_handler = note_stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    stop_came = 0;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

static lotor_status make_folder(demo_run *demo, lotor_message *why)
{
    const char *base = getenv("TMPDIR");
    const int length = snprintf(demo->folder, sizeof demo->folder, "%s/lotor-demo.XXXXXX",
                                base && base[0] ? base : "/tmp");
    if (length < 0 || (size_t)length >= sizeof demo->folder || !mkdtemp(demo->folder)) {
        demo->folder[0] = '\0';
        return lotor_fail(LOTOR_IO, why, "a temporary folder could not be made: %s",
                          strerror(errno));
    }
    snprintf(demo->store, sizeof demo->store, "%s/library.db", demo->folder);
    snprintf(demo->log, sizeof demo->log, "%s/serve.log", demo->folder);
    return LOTOR_OK;
}

static void remove_folder(const demo_run *demo)
{
    DIR *folder = demo->folder[0] ? opendir(demo->folder) : NULL;
    if (!folder) {
        return;
    }
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (entry->d_name[0] != '.') {
            unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    closedir(folder);
    rmdir(demo->folder);
}

static lotor_status make_key(const demo_run *demo, const char *role, char *key, size_t capacity,
                             lotor_message *why)
{
    const char *const arguments[] = {"lotor", "key", "--store", demo->store, "--role", role, NULL};
    const int code = lotor_child_ask(ITSELF, arguments, key, capacity);
    return code == 0 && key[0]
               ? LOTOR_OK
               : lotor_fail(LOTOR_IO, why, "lotor key --role %s ended with %d", role, code);
}

/* Makes the keys first, because the server reads them when it starts. */
static lotor_status start_server(demo_run *demo, lotor_message *why)
{
    lotor_status status = make_key(demo, "admin", demo->admin_key, sizeof demo->admin_key, why);
    if (status == LOTOR_OK) {
        status = make_key(demo, "rank", demo->rank_key, sizeof demo->rank_key, why);
    }
    if (status == LOTOR_OK) {
        status = make_key(demo, "reward", demo->reward_key, sizeof demo->reward_key, why);
    }
    if (status == LOTOR_OK) {
        const lotor_child_setup setup = {
            .executable = ITSELF, .store = demo->store, .log = demo->log};
        status = lotor_child_start(&demo->server, &setup, why);
    }
    if (status == LOTOR_OK) {
        status =
            lotor_client_new("127.0.0.1", demo->server.port, demo->admin_key, why, &demo->client);
    }
    return status;
}

/* The body that makes the campaign. NULL: no memory. */
static char *write_campaign(const demo_run *demo, bool is_evaluated)
{
    const lotor_option_value *const values = demo->arguments->values;
    json_t *arms = json_array();
    for (size_t i = 0; i < DEMO_ITEMS; i++) {
        json_array_append_new(arms, json_pack("{s:s}", "id", demo_shelf[i].id));
    }
    json_t *body =
        json_pack("{s:s, s:s, s:o, s:i, s:s, s:i, s:s, s:s, s:s}", "name", CAMPAIGN, "algorithm",
                  values[ALGORITHM].text, "arms", arms, "slots", DEMO_SLOTS, "epsilon",
                  values[EPSILON].text, "wait_seconds", 1, "title", "Health library", "purpose",
                  "Show articles that help. This is a demo with simulated people.", "controller",
                  "The person who runs lotor demo");
    char *text = NULL;
    if (body && (!is_evaluated || json_object_set_new(body, "evaluation",
                                                      json_pack("{s:f}", "share", SHARE)) == 0)) {
        text = json_dumps(body, JSON_COMPACT);
    }
    json_decref(body);
    return text;
}

/* Makes a campaign that measures lift, or one that does not if the algorithm can't be measured. */
static lotor_status make_campaign(demo_run *demo, lotor_message *why)
{
    lotor_reply reply = {.body = "", .reason = "no memory"};
    for (int i = 0; i < 2; i++) {
        char *const text = write_campaign(demo, i == 0);
        if (text) {
            lotor_client_call(demo->client, "POST", "/v1/campaigns", text, 10.0, &reply);
        }
        free(text);
        if (reply.status != 400 || !strstr(reply.body, "\"field\": \"evaluation\"")) {
            break;
        }
    }
    return reply.status == 200 || reply.status == 201
               ? LOTOR_OK
               : lotor_fail(LOTOR_IO, why, "the campaign was refused (%u): %.200s%s", reply.status,
                            reply.body, reply.reason);
}

static void tell_dashboard(const demo_run *demo)
{
    printf("  Console     http://127.0.0.1:%u/#/campaign/" CAMPAIGN "\n"
           "  Admin key   %s\n\n",
           demo->server.port, demo->admin_key);
}

static void tell_beginning(const demo_run *demo)
{
    const demo_item *most = &demo_shelf[3], *less = &demo_shelf[7];
    printf("\n  Which articles help?\n  ====================\n");
    printf("  A health library has %d articles and shows %d of them to each visitor, who\n  likes "
           "some or none. The visitors' likes are private: %s,\n  for example, or %s. Lotor learns "
           "what to show, but nothing\n  that it publishes reveals what any one visitor likes.\n\n",
           DEMO_ITEMS, DEMO_SLOTS, most->id, less->id);
    printf("    lotor serve --store %s --port %u\n"
           "    POST /v1/campaigns   %s, %d of %d, epsilon %s, wait_seconds 1\n\n",
           demo->store, demo->server.port, demo->arguments->values[ALGORITHM].text, DEMO_SLOTS,
           DEMO_ITEMS, demo->arguments->values[EPSILON].text);
    if (demo->arguments->values[KEEP_SERVING].given) {
        tell_dashboard(demo);
    } else {
        printf("  Console: make demo KEEP=1 prints its address and key, and stays.\n\n");
    }
    printf("  Each visitor asks over HTTP what to show, and gives feedback within half a\n  "
           "second; 1 in 10 never does. The server waits a second for all feedback.\n\n");
    fflush(stdout);
}

static lotor_status kill_and_restart(demo_run *demo, lotor_message *why)
{
    char text[400];
    const demo_tally *tally = demo_crowd_tally(demo->crowd);
    /* Wait for a moment when requests are under way; there nearly always are some. */
    for (int i = 0; i < 200 && !demo_crowd_is_busy(demo->crowd); i++) {
        const lotor_status status = demo_crowd_step(demo->crowd, why);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    const pid_t killed = demo->server.pid;
    demo_crowd_pause(demo->crowd);
    const double before = lotor_time_seconds();
    lotor_child_kill(&demo->server);
    lotor_status status = lotor_child_restart(&demo->server, why);
    demo->seconds_down = lotor_time_seconds() - before;
    if (status == LOTOR_OK) {
        demo_crowd_resume(demo->crowd);
        snprintf(text, sizeof text,
                 "kill -9 %d: the server was killed in the middle of its work. The same command "
                 "started it again: it is back after %.0f ms with everything that it had "
                 "acknowledged, and clients send unacknowledged feedback again.",
                 (int)killed, 1e3 * demo->seconds_down);
        demo_screen_say(&demo->screen, tally, text);
    }
    return status;
}

/* Runs the simulated people. LOTOR_STOPPED: the user pressed Ctrl-C. */
static lotor_status let_people_live(demo_run *demo, lotor_message *why)
{
    const uint64_t people = demo->arguments->values[PEOPLE].whole;
    bool was_killed = false;
    const demo_tally *tally = demo_crowd_tally(demo->crowd);
    while (!demo_crowd_is_over(demo->crowd)) {
        lotor_status status = demo_crowd_step(demo->crowd, why);
        if (status == LOTOR_OK && !was_killed && tally->shown >= people / 2) {
            was_killed = true;
            status = kill_and_restart(demo, why);
        }
        if (stop_came) {
            status = lotor_fail(LOTOR_STOPPED, why, "stopped");
        }
        if (status != LOTOR_OK) {
            return status;
        }
        demo_screen_show(&demo->screen, tally, false);
    }
    demo_screen_end(&demo->screen, tally);
    return LOTOR_OK;
}

static void tell_end(const demo_run *demo)
{
    const demo_tally *tally = demo_crowd_tally(demo->crowd);
    const double worst = demo_random(), best = demo_best();
    const double all = (double)tally->likes / (double)tally->shown;
    const double recent = demo_recent_likes(tally);
    printf("\n  * truth: how often people report that they like a shown article. This is for\n"
           "    you only: the server never sees it, and its estimates have noise.\n\n");
    printf("  Likes per person\n"
           "    four at random        %5.2f\n"
           "    all %-6llu people     %5.2f   %3.0f%% of the way from random to the best\n"
           "    the last %-5llu        %5.2f   %3.0f%%\n"
           "    the four best         %5.2f\n\n",
           worst, (unsigned long long)tally->shown, all, 100.0 * (all - worst) / (best - worst),
           (unsigned long long)demo_recent(tally), recent,
           100.0 * (recent - worst) / (best - worst), best);
    printf("  %llu people gave feedback, and all of it got a reply; %llu never did.\n  The server "
           "was down for %.0f ms: %llu rewards and %llu rank requests were\n  sent again, %llu "
           "rewards came too late and count as none.\n",
           (unsigned long long)tally->answered, (unsigned long long)tally->silent,
           1e3 * demo->seconds_down, (unsigned long long)tally->repeated,
           (unsigned long long)tally->asked_again, (unsigned long long)tally->late);
}

/* "+12.3%, 95% interval +9.8% to +14.9%" */
static void print_gain(const json_t *gain)
{
    const json_t *const interval = json_object_get(gain, "interval");
    printf("%+.1f%%, 95%% interval %+.1f%% to %+.1f%%",
           100.0 * json_number_value(json_object_get(gain, "mean")),
           100.0 * json_number_value(json_object_get(interval, "low")),
           100.0 * json_number_value(json_object_get(interval, "high")));
}

/* Prints the lift that the server measured, against articles that are chosen at random. */
static lotor_status tell_lift(demo_run *demo, lotor_message *why)
{
    json_t *campaign = NULL;
    const unsigned status =
        lotor_client_json(demo->client, "GET", "/v1/campaigns/" CAMPAIGN, NULL, 10.0, &campaign);
    const json_t *const lift = json_object_get(campaign, "lift");
    const json_t *const relative = json_object_get(lift, "relative");
    const char *const decided = json_string_value(json_object_get(lift, "decided"));
    if (status != 200 || !campaign) {
        json_decref(campaign);
        return lotor_fail(LOTOR_IO, why, "the campaign did not come (%u)", status);
    }
    if (!lift) { /* the service measures no lift of this algorithm */
        json_decref(campaign);
        return LOTOR_OK;
    }
    printf("\n  Measured lift over random articles, with privacy\n    ");
    if (json_is_object(relative)) {
        print_gain(relative);
        printf("; decided: %s\n", decided ? decided : "not yet");
    } else {
        printf("not known yet: too few people\n");
    }
    json_decref(campaign);
    return LOTOR_OK;
}

/* Prints the first paragraph of the privacy statement. */
static lotor_status tell_statement(demo_run *demo, lotor_message *why)
{
    json_t *statement = NULL;
    const unsigned status =
        lotor_client_json(demo->client, "GET", "/v1/campaigns/" CAMPAIGN "/statement?format=json",
                          NULL, 10.0, &statement);
    const char *const summary = json_string_value(json_object_get(statement, "summary"));
    if (status != 200 || !summary) {
        json_decref(statement);
        return lotor_fail(LOTOR_IO, why, "the privacy statement did not come (%u)", status);
    }
    printf("\n  The privacy statement begins (GET /v1/campaigns/" CAMPAIGN "/statement)\n    ");
    lotor_print_wrapped(stdout, summary, 4, 4);
    json_decref(statement);
    return LOTOR_OK;
}

static lotor_status tell_guarantee(demo_run *demo, lotor_message *why)
{
    json_t *guarantee = NULL;
    const unsigned status = lotor_client_json(
        demo->client, "GET", "/v1/campaigns/" CAMPAIGN "/guarantee", NULL, 10.0, &guarantee);
    if (status != 200 || !guarantee) {
        json_decref(guarantee);
        return lotor_fail(LOTOR_IO, why, "the server did not return the guarantee (status %u)",
                          status);
    }
    printf("\n  The guarantee (GET /v1/campaigns/" CAMPAIGN "/guarantee)\n");
    demo_print_guarantee(guarantee);
    json_decref(guarantee);
    return LOTOR_OK;
}

/* Keeps the server running until Ctrl-C, which is the normal end. */
static void serve_on(const demo_run *demo)
{
    const struct timespec moment = {.tv_nsec = 100000000};
    printf("\n  Still serving. Stop with Ctrl-C.\n\n");
    tell_dashboard(demo);
    fflush(stdout);
    while (!stop_came) {
        nanosleep(&moment, NULL);
    }
    stop_came = 0;
}

/* Stops the server cleanly, and runs `lotor check` on the store. */
static lotor_status stop_and_check(demo_run *demo, lotor_message *why)
{
    char line[200];
    const char *const arguments[] = {"lotor", "check", demo->store, NULL};
    const int code = lotor_child_stop(&demo->server);
    if (code != 0) {
        return lotor_fail(LOTOR_IO, why, "the server ended with %d, not 0", code);
    }
    const int checked = lotor_child_ask(ITSELF, arguments, line, sizeof line);
    if (checked != 0) {
        return lotor_fail(LOTOR_DAMAGED, why, "lotor check found an error in the store: %s", line);
    }
    printf("\n  lotor check %s\n    %s\n", demo->store, line);
    return LOTOR_OK;
}

static void tell_where_next(const demo_run *demo)
{
    printf("\n  Further reading\n  ---------------\n"
           "  docs/getting-started.md  the same with curl, in ten minutes\n"
           "  docs/service.md          every request, what is kept, how to run it\n"
           "  docs/threat-model.md     who is trusted with what, and what is not protected\n"
           "  lotor serve --help       the server;  lotor advise  which algorithm to choose\n"
           "  examples/counting.sh     a tour of private counting\n");
    if (!demo->arguments->values[KEEP_SERVING].given) {
        printf("  The console and the whole statement: make demo KEEP=1 keeps the server\n"
               "  running on what it has learned, and prints the address and a key.\n");
    }
    if (demo->arguments->values[KEEP].given) {
        printf("  %s  is kept: the store, its keys, the server's log\n", demo->folder);
    }
    printf("\n  The demo took %.0f seconds.\n\n", lotor_time_seconds() - demo->started);
}

static lotor_status play(demo_run *demo, lotor_message *why)
{
    const lotor_option_value *values = demo->arguments->values;
    lotor_status status = make_folder(demo, why);
    if (status == LOTOR_OK) {
        status = start_server(demo, why);
    }
    if (status == LOTOR_OK) {
        status = make_campaign(demo, why);
    }
    if (status == LOTOR_OK) {
        tell_beginning(demo);
        const demo_crowd_setup setup = {.port = demo->server.port,
                                        .rank_key = demo->rank_key,
                                        .reward_key = demo->reward_key,
                                        .admin_key = demo->admin_key,
                                        .campaign = CAMPAIGN,
                                        .people = values[PEOPLE].whole,
                                        .epsilon = values[EPSILON].ratio,
                                        .seed = values[SEED].whole,
                                        .pace = (double)values[PACE].whole};
        status = demo_crowd_new(&setup, why, &demo->crowd);
    }
    if (status == LOTOR_OK) {
        demo_screen_begin(&demo->screen, values[PEOPLE].whole);
        status = let_people_live(demo, why);
    }
    if (status == LOTOR_OK) {
        tell_end(demo);
        status = tell_guarantee(demo, why);
    }
    if (status == LOTOR_OK) {
        status = tell_lift(demo, why);
    }
    if (status == LOTOR_OK) {
        status = tell_statement(demo, why);
    }
    if (status == LOTOR_OK && values[KEEP_SERVING].given) {
        serve_on(demo);
    }
    if (status == LOTOR_OK) {
        status = stop_and_check(demo, why);
    }
    return status;
}

static int run_demo(const lotor_arguments *arguments)
{
    const lotor_option_value *values = arguments->values;
    if (values[PEOPLE].whole < 100 || values[PEOPLE].whole > 200000 || values[PACE].whole < 1 ||
        values[PACE].whole > 100000) {
        return lotor_command_refuse(arguments->command, LOTOR_INVALID,
                                    "--people must be from 100 to 200000, and --pace from 1 to "
                                    "100000");
    }
    demo_run demo = {.arguments = arguments, .started = lotor_time_seconds()};
    lotor_message why;
    watch_signals();
    const lotor_status status = play(&demo, &why);
    if (status == LOTOR_OK) {
        tell_where_next(&demo);
    }
    demo_crowd_free(demo.crowd);
    lotor_client_free(demo.client);
    lotor_child_kill(&demo.server);
    if (!values[KEEP].given) {
        remove_folder(&demo);
    }
    if (stop_came) {
        fflush(stdout);
        fputs("\nStopped: the server has ended, and its folder is removed.\n", stderr);
        return LOTOR_EXIT_INTERRUPTED;
    }
    if (status != LOTOR_OK) {
        fflush(stdout);
        lotor_print_complaint(arguments->command, "%s", why.text);
        return LOTOR_EXIT_FAILED;
    }
    return LOTOR_EXIT_FINE;
}

const lotor_command lotor_command_demo = {
    .name = "demo",
    .summary = "watch the service learn from simulated people",
    .usage = "[--people N] [--algorithm ID] [--epsilon E] [--pace N] [--seed S] [--keep] "
             "[--keep-serving]",
    .about = "Starts a server on a free port with a store in a temporary folder. Creates a "
             "campaign with 20 items and 4 slots, and sends simulated people to it over HTTP. "
             "Half-way the command kills the server with SIGKILL and starts it again. At the end "
             "it prints the reward compared with random choices and with the best possible "
             "choices, the guarantee, the measured lift with its interval, and the first paragraph "
             "of the privacy statement. The demo takes about 35 seconds. It removes its files at "
             "the end, also on Ctrl-C.",
    .examples = "  lotor demo --people 500\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run_demo,
};
#endif
