/* test_kill.c - kill -9 and sometimes SIGTERM at random moments under load. Nothing acknowledged is
 * lost, nothing counts twice, no release is drawn twice, no event is handed out twice.
 *
 * There is one arm, one slot, and an epsilon so large that the noise is far below one reward. So a
 * released sum must be the exact sum of the acknowledged rewards. A round without feedback counts
 * as 0.25, so lost feedback shows whatever it was. LOTOR_KILLS is the number of kills (default:
 * 10; make soak does 1,000).
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "base/random/generator.h"
#include "base/time.h"
#include "service/client_many.h"
#include "service/served.h"
#include "service/server_key/server_key.h"
#include "service/store/store.h"

enum {
    CONNECTIONS = 12,
    CAPPED_EVERY = 4, /* every fourth request is for a user of the capped campaign */
    STOP_EVERY = 5,   /* every fifth kill is a SIGTERM */
    DECISIONS_MOST = 4000000,
    WAIT = 2,
    RELEASES_MOST = 65536,
    USERS = 40,
    CAP = 3
};
#define CAMPAIGN "kill"
#define CAPPED   "capped"
#define DEFAULT  0.25

/* The known facts about a decision. */
typedef enum decision_fate {
    UNSEEN = 0, /* not handed out, as far as is known */
    OPEN,       /* handed out */
    HEARD_0,    /* acknowledged */
    HEARD_1,
    UNSURE_0, /* sent without a reply, and then too late to send again */
    UNSURE_1
} decision_fate;

/* The state of a connection: it ranks, then sends feedback (or none), sometimes twice. */
typedef struct hand_of {
    bool holds;    /* has an event to send feedback for */
    bool was_sent; /* sent without a reply: the server may have it */
    bool is_repeat;
    bool is_capped; /* requests for one of the users, in the campaign with a cap */
    unsigned user;
    char event[LOTOR_TOKEN_LENGTH + 1], path[LOTOR_TOKEN_LENGTH + 32], body[32];
    uint64_t number;
    unsigned reward;
} hand_of;

typedef struct kills {
    served_test served;
    lotor_server_key *server_key;
    lotor_generator generator;
    hand_of hands[CONNECTIONS];
    unsigned char *fates; /* by decision number */
    uint64_t greatest;    /* the greatest decision number so far */
    uint64_t acknowledged, repeated, late, unsure, lost_ranks;
    unsigned char hashes[RELEASES_MOST][32]; /* of the chain, as seen so far */
    uint64_t releases, campaign;             /* the campaign's id */
    uint64_t released_to;                    /* the last decision that was released */
    uint64_t capped_events, capped_lost;     /* lost: a kill came before the display was recorded */
    bool is_over;                            /* no more requests */
} kills;

static bool next_request(void *context, size_t connection, lotor_client_request *out)
{
    kills *test = context;
    hand_of *hand = &test->hands[connection];
    if (!hand->holds) {
        hand->is_capped = connection % CAPPED_EVERY == 0;
        hand->user = (unsigned)(lotor_generator_word(&test->generator) % USERS);
        const int body = hand->is_capped ? snprintf(hand->body, sizeof hand->body,
                                                    "{\"user\":\"u%u\"}", hand->user)
                                         : snprintf(hand->body, sizeof hand->body, "{}");
        *out = (lotor_client_request){.method = "POST",
                                      .path = hand->is_capped ? "/v1/campaigns/" CAPPED "/rank"
                                                              : "/v1/campaigns/" CAMPAIGN "/rank",
                                      .body = hand->body,
                                      .length = (size_t)body};
        return !test->is_over;
    }
    char event[sizeof hand->event];
    memcpy(event, hand->event, sizeof event);
    snprintf(hand->path, sizeof hand->path, "/v1/events/%s/reward", event);
    /* The second feedback has the opposite reward: it must change nothing. */
    const int length = snprintf(hand->body, sizeof hand->body, "{\"rewards\":[%u]}",
                                hand->is_repeat ? 1 - hand->reward : hand->reward);
    *out = (lotor_client_request){
        .method = "POST", .path = hand->path, .body = hand->body, .length = (size_t)length};
    return true;
}

/* Also beyond the cap there is an event. Its round counts for nothing: see count_capped. */
static void take_capped(kills *test, hand_of *hand, const char *text)
{
    assert_non_null(text);
    test->capped_events++;
    hand->holds = true;
    hand->is_repeat = true; /* so it does not count in the sums of the other campaign */
    memcpy(hand->event, text, strlen(text) + 1);
}

static void take_event(kills *test, hand_of *hand, const lotor_reply *reply)
{
    json_t *ranking = json_loadb(reply->body, reply->length, 0, NULL);
    const char *text = json_string_value(json_object_get(ranking, "event"));
    if (hand->is_capped) {
        assert_int_equal(json_array_size(json_object_get(ranking, "arms")), 1);
        take_capped(test, hand, text);
        json_decref(ranking);
        return;
    }
    lotor_event event;
    assert_non_null(text);
    assert_true(lotor_server_key_read_token(test->server_key, text, &event));
    assert_in_range(event.number, 1, DECISIONS_MOST - 1);
    assert_int_equal(test->fates[event.number], UNSEEN); /* events never repeat */
    assert_true(test->campaign == 0 || test->campaign == event.campaign);
    test->campaign = event.campaign;
    test->fates[event.number] = OPEN;
    test->greatest = event.number > test->greatest ? event.number : test->greatest;
    const uint64_t word = lotor_generator_word(&test->generator);
    *hand = (hand_of){.holds = word % 8 != 0, /* else no feedback */
                      .number = event.number,
                      .reward = (word >> 32) % 2};
    memcpy(hand->event, text, strlen(text) + 1);
    json_decref(ranking);
}

/* A reply to feedback. Late feedback was not kept, unless an earlier attempt was. */
static void heard_answer(kills *test, hand_of *hand, const lotor_reply *reply)
{
    const bool is_late = strstr(reply->body, "\"late\"") != NULL;
    if (hand->is_capped && reply->status == 410) {
        assert_non_null(strstr(reply->body, "not_recorded"));
        test->capped_lost++;
        hand->holds = false;
        return;
    }
    assert_int_equal(reply->status, 200);
    assert_true(is_late || strstr(reply->body, "\"acknowledged\""));
    if (hand->is_repeat) {
        test->repeated++;
        hand->holds = false;
        return;
    }
    hand->holds = hand->is_repeat = lotor_generator_word(&test->generator) % 4 == 0;
    if (is_late) {
        test->late++;
        test->unsure += hand->was_sent;
        hand->holds = false;
    } else {
        test->acknowledged++;
    }
    if (!is_late || hand->was_sent) {
        test->fates[hand->number] = (unsigned char)((is_late ? UNSURE_0 : HEARD_0) + hand->reward);
    }
}

static void heard(void *context, size_t connection, const lotor_reply *reply)
{
    kills *test = context;
    hand_of *hand = &test->hands[connection];
    const bool is_again = reply->outcome == LOTOR_REPLY_LOST || reply->status == 503;
    if (hand->holds && is_again) {
        hand->was_sent = true; /* sent again: next_request finds it unchanged */
    } else if (hand->holds) {
        heard_answer(test, hand, reply);
    } else if (is_again) {
        test->lost_ranks++;
    } else {
        assert_int_equal(reply->status, 200);
        take_event(test, hand, reply);
    }
}

static lotor_status see_release(void *context, const lotor_release_row *release)
{
    kills *test = context;
    assert_in_range(release->number, 1, RELEASES_MOST);
    if (release->number <= test->releases) {
        assert_memory_equal(test->hashes[release->number - 1], release->hash, 32);
    } else {
        assert_int_equal(release->number, test->releases + 1);
        memcpy(test->hashes[test->releases++], release->hash, 32);
    }
    test->released_to = release->time;
    return LOTOR_OK;
}

/* Checks that everything released before is still there. */
static void look_at_releases(kills *test)
{
    lotor_store *store = NULL;
    lotor_message why = {""};
    const uint64_t before = test->releases;
    if (lotor_store_open(test->served.store, LOTOR_STORE_READ, NULL, &why, &store) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    lotor_release_row last;
    assert_int_equal(lotor_store_last_release(store, test->campaign, &why, &last), LOTOR_OK);
    assert_true(last.number >= before);
    assert_int_equal(lotor_store_each_release(store, test->campaign, 0, see_release, test, &why),
                     LOTOR_OK);
    assert_int_equal(test->releases, last.number);
    lotor_store_close(store);
}

static void look_into_store(kills *test)
{
    look_at_releases(test);
    assert_int_equal(served_check(&test->served), 0);
}

static uint64_t released_count(kills *test, double *mean)
{
    json_t *campaign = served_call(&test->served, "GET", "/v1/campaigns/" CAMPAIGN, NULL, 200);
    const json_t *arm = json_array_get(json_object_get(campaign, "arms"), 0);
    assert_non_null(arm);
    *mean = json_number_value(json_object_get(arm, "mean"));
    const uint64_t count = (uint64_t)json_integer_value(json_object_get(arm, "count"));
    json_decref(campaign);
    return count;
}

/* The released sum covers all decisions up to the last one of a release. A decision that was not
 * handed out, as far as is known, counts with the default, or not at all if the server wrote a
 * handout that says so. */
static void compare_sum(kills *test)
{
    double mean = 0.0, low = 0.0, high = 0.0;
    const uint64_t count = released_count(test, &mean);
    uint64_t known = 0;
    for (uint64_t i = 1; i <= test->released_to; i++) {
        const decision_fate fate = (decision_fate)test->fates[i];
        const double value = fate == HEARD_0 || fate == UNSURE_0 ? 0.0 : 1.0;
        if (fate >= HEARD_0) {
            const bool is_sure = fate == HEARD_0 || fate == HEARD_1;
            low += is_sure || value < DEFAULT ? value - DEFAULT : 0.0;
            high += is_sure || value > DEFAULT ? value - DEFAULT : 0.0;
        }
        known += fate != UNSEEN;
    }
    assert_in_range(count, known, test->released_to);
    /* The noise of a release has a scale of 2 units of 2^-20, and there are at most 40 releases. */
    const double sum = (mean - DEFAULT) * (double)count;
    print_message("%llu rounds released (%llu of them seen), %llu answers acknowledged, %llu "
                  "repeated, %llu late (%llu after a lost reply), %llu rankings lost: sum above "
                  "the default %.4f, expected %.2f to %.2f\n",
                  (unsigned long long)count, (unsigned long long)known,
                  (unsigned long long)test->acknowledged, (unsigned long long)test->repeated,
                  (unsigned long long)test->late, (unsigned long long)test->unsure,
                  (unsigned long long)test->lost_ranks, sum, low, high);
    assert_true(sum > low - 0.1);
    assert_true(sum < high + 0.1);
}

/* Makes rounds until everything from the time of the kills is released. */
static void drive_to_release(kills *test, lotor_many *many)
{
    const uint64_t end = test->greatest;
    const double late = lotor_time_seconds() + test_seconds(300);
    while (test->released_to < end && lotor_time_seconds() < late) {
        lotor_many_run(many, 0.5);
        look_at_releases(test);
    }
    assert_true(test->released_to >= end);
    test->is_over = true;
    assert_true(
        lotor_many_run(many, test_seconds(60))); /* feedback is sent until there is a reply */
}

static void begin(kills *test)
{
    memset(test, 0, sizeof *test);
    test->fates = calloc(DECISIONS_MOST, 1);
    assert_non_null(test->fates);
    lotor_generator_seed(&test->generator, 7);
    static const char *const weak[] = {"--allow-weak-epsilon", NULL};
    served_begin(&test->served, weak);
    char more[128], key_path[256];
    snprintf(more, sizeof more, ",\"epsilon\":1000000,\"wait_seconds\":%d,\"default_reward\":%g",
             WAIT, DEFAULT);
    served_campaign(&test->served, CAMPAIGN, 1, 1, more);
    served_campaign(&test->served, CAPPED, 2, 1,
                    ",\"epsilon\":1,\"wait_seconds\":2,\"rounds_per_user\":3");
    snprintf(key_path, sizeof key_path, "%s.key", test->served.store);
    assert_int_equal(lotor_server_key_open(key_path, false, NULL, &test->server_key), LOTOR_OK);
}

/* How many rounds of the capped campaign count: no more than the cap for each user. */
static uint64_t count_capped(kills *test)
{
    json_t *campaign = served_call(&test->served, "GET", "/v1/campaigns/" CAPPED, NULL, 200);
    const uint64_t count = (uint64_t)json_integer_value(json_object_get(campaign, "final"));
    assert_int_equal(json_integer_value(json_object_get(campaign, "decisions")), count);
    json_decref(campaign);
    assert_true(count <= (uint64_t)USERS * CAP);
    return count;
}

TEST_WITH(test_kill_under_load, NULL, served_teardown)
{
    static kills test;
    const char *wanted = getenv("LOTOR_KILLS");
    const int kill_count = wanted ? atoi(wanted) : 10;
    assert_in_range(kill_count, 1, 10000);
    begin(&test);
    const lotor_many_setup setup = {.port = test.served.server.port,
                                    .key = test.served.key,
                                    .connections = CONNECTIONS,
                                    .timeout_seconds = test_seconds(10.0),
                                    .context = &test,
                                    .next = next_request,
                                    .heard = heard};
    lotor_many *many = NULL;
    assert_int_equal(lotor_many_new(&setup, NULL, &many), LOTOR_OK);
    for (int i = 0; i < kill_count; i++) {
        lotor_message why = {""};
        const double moment = (double)(lotor_generator_word(&test.generator) % 200000) * 1e-6;
        lotor_many_run(many, test_seconds(0.01 + moment));
        /* the server is told to stop while it handles requests */
        if (i % STOP_EVERY == STOP_EVERY - 1) {
            assert_int_equal(lotor_child_stop(&test.served.server), 0);
        } else {
            lotor_child_kill(&test.served.server);
        }
        look_into_store(&test);
        if (lotor_child_restart(&test.served.server, &why) != LOTOR_OK) {
            fail_msg("after kill %d: %s", i + 1, why.text);
        }
    }
    drive_to_release(&test, many);
    lotor_many_free(many);
    /* all rounds end, so nothing is released between the two readings */
    usleep(1000000 * (WAIT + 1));
    look_into_store(&test);
    compare_sum(&test);
    const uint64_t counted = count_capped(&test);
    assert_int_equal(lotor_child_stop(&test.served.server), 0);
    look_into_store(&test);
    assert_true(test.releases > 5);
    print_message("%llu rounds count of %llu events of %d users; %llu were not recorded\n",
                  (unsigned long long)counted, (unsigned long long)test.capped_events, USERS,
                  (unsigned long long)test.capped_lost);
    assert_true(counted > 0 && counted <= test.capped_events);
    lotor_server_key_free(test.server_key);
    free(test.fates);
    served_end(&test.served);
}
