/* demo_people.c - simulated people, over HTTP. Each asks what to read, looks, likes, and sends
 * feedback. */
#ifdef LOTOR_SERVICE
#include "base/time.h"
#include "cli/demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <lotor/randomizer.h>

#include "base/message.h"
#include "service/client/client.h"
#include "service/server_key/server_key.h"

enum { CONNECTIONS = 24, PRESENT_MOST = 4096 };
#define PATIENCE      5.0  /* seconds until a request times out */
#define AGAIN         0.05 /* seconds until it is repeated */
#define LOOKS_BETWEEN 0.3  /* seconds between two requests for the released estimates */
#define DEMO_SILENT   0.1  /* share of people who never send feedback */
#define THINKS_LEAST  0.05 /* least seconds until the feedback */
#define THINKS_LONGER 0.45 /* and the most seconds in addition */

typedef enum phase {
    AWAY = 0,
    WANTS_TO_ASK,
    ASKS,
    LOOKS, /* at the items, until `due` */
    WANTS_TO_ANSWER,
    ANSWERS
} phase;

typedef struct visitor {
    phase phase;
    double due;
    char event[LOTOR_TOKEN_LENGTH + 1];
    char answer[160]; /* the feedback as JSON: a report in local campaigns, else the likes */
} visitor;

struct demo_crowd {
    demo_crowd_setup setup;
    lotor_generator generator;
    demo_tally tally;
    double start, paused_at;
    bool is_paused;
    int epoll;
    visitor present[PRESENT_MOST];
    size_t present_count; /* number of used places */
    uint64_t done;
    lotor_client *askers[CONNECTIONS], *answerers[CONNECTIONS], *looker;
    double next_look;
};

static double draw(demo_crowd *crowd)
{
    return (double)(lotor_generator_word(&crowd->generator) >> 11) * 0x1p-53;
}

static lotor_status connect_one(demo_crowd *crowd, const char *key, lotor_message *why,
                                lotor_client **out)
{
    const lotor_status status = lotor_client_new("127.0.0.1", crowd->setup.port, key, why, out);
    if (status == LOTOR_OK) {
        lotor_client_watch(*out, crowd->epoll);
    }
    return status;
}

lotor_status demo_crowd_new(const demo_crowd_setup *setup, lotor_message *why, demo_crowd **out)
{
    demo_crowd *crowd = calloc(1, sizeof *crowd);
    if (!crowd) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the people");
    }
    crowd->setup = *setup;
    lotor_generator_seed(&crowd->generator, setup->seed);
    crowd->epoll = epoll_create1(EPOLL_CLOEXEC);
    lotor_status status = LOTOR_OK;
    if (crowd->epoll < 0) {
        status = lotor_fail(LOTOR_MEMORY, why, "no memory or files for the people");
    }
    for (size_t i = 0; i < CONNECTIONS && status == LOTOR_OK; i++) {
        status = connect_one(crowd, setup->rank_key, why, &crowd->askers[i]);
        if (status == LOTOR_OK) {
            status = connect_one(crowd, setup->reward_key, why, &crowd->answerers[i]);
        }
    }
    if (status == LOTOR_OK) {
        status = connect_one(crowd, setup->admin_key, why, &crowd->looker);
    }
    if (status != LOTOR_OK) {
        demo_crowd_free(crowd);
        return status;
    }
    crowd->start = lotor_time_seconds();
    *out = crowd;
    return LOTOR_OK;
}

void demo_crowd_free(demo_crowd *crowd)
{
    if (!crowd) {
        return;
    }
    for (size_t i = 0; i < CONNECTIONS; i++) {
        lotor_client_free(crowd->askers[i]);
        lotor_client_free(crowd->answerers[i]);
    }
    lotor_client_free(crowd->looker);
    if (crowd->epoll >= 0) {
        close(crowd->epoll);
    }
    free(crowd);
}

const demo_tally *demo_crowd_tally(const demo_crowd *crowd)
{
    return &crowd->tally;
}

bool demo_crowd_is_over(const demo_crowd *crowd)
{
    return crowd->done == crowd->setup.people;
}

bool demo_crowd_is_busy(const demo_crowd *crowd)
{
    for (size_t i = 0; i < CONNECTIONS; i++) {
        if (lotor_client_is_busy(crowd->answerers[i])) {
            return true;
        }
    }
    return false;
}

void demo_crowd_pause(demo_crowd *crowd)
{
    crowd->is_paused = true;
    crowd->paused_at = lotor_time_seconds();
}

void demo_crowd_resume(demo_crowd *crowd)
{
    if (crowd->is_paused) {
        crowd->start += lotor_time_seconds() - crowd->paused_at;
        crowd->is_paused = false;
    }
}

static void let_people_in(demo_crowd *crowd, double now)
{
    if (crowd->is_paused) {
        return;
    }
    const double expected = (now - crowd->start) * crowd->setup.pace;
    for (size_t i = 0; crowd->tally.people < crowd->setup.people &&
                       (double)crowd->tally.people < expected && i < PRESENT_MOST;
         i++) {
        if (crowd->present[i].phase == AWAY) {
            crowd->present[i] = (visitor){.phase = WANTS_TO_ASK};
            crowd->present_count = i >= crowd->present_count ? i + 1 : crowd->present_count;
            crowd->tally.people++;
        }
    }
}

static size_t item_of(const char *id)
{
    for (size_t i = 0; id && i < DEMO_ITEMS; i++) {
        if (strcmp(demo_shelf[i].id, id) == 0) {
            return i;
        }
    }
    return DEMO_ITEMS;
}

/* Acts as the person's device in a local campaign: makes the report with the ranking's
 * randomizer. */
static bool randomize(demo_crowd *crowd, const json_t *given, const double liked[DEMO_SLOTS],
                      visitor *person)
{
    const lotor_randomizer randomizer = {
        .mechanism = json_string_value(json_object_get(given, "mechanism")),
        .slot = (size_t)json_integer_value(json_object_get(given, "slot")),
        .epsilon = crowd->setup.epsilon,
        .scale = (uint64_t)json_integer_value(json_object_get(given, "scale")),
        .unit = json_number_value(json_object_get(given, "unit")),
        .low = json_number_value(json_object_get(given, "low")),
        .high = json_number_value(json_object_get(given, "high")),
        .slots = DEMO_SLOTS};
    if (!randomizer.mechanism || randomizer.slot > DEMO_SLOTS) {
        return false;
    }
    const lotor_feedback answer = {.rewards = liked + (randomizer.slot ? randomizer.slot - 1 : 0),
                                   .count = randomizer.slot ? 1 : DEMO_SLOTS};
    int64_t report[DEMO_SLOTS + 1];
    size_t count = 0;
    if (lotor_randomizer_report(&randomizer, &answer, NULL, report, &count) != LOTOR_OK) {
        return false;
    }
    size_t length = (size_t)snprintf(person->answer, sizeof person->answer, "{\"report\":[");
    for (size_t i = 0; i < count; i++) {
        length += (size_t)snprintf(person->answer + length, sizeof person->answer - length,
                                   "%s%lld", i ? "," : "", (long long)report[i]);
    }
    snprintf(person->answer + length, sizeof person->answer - length, "]}");
    return true;
}

static bool write_answer(demo_crowd *crowd, const json_t *ranking, const double liked[DEMO_SLOTS],
                         visitor *person)
{
    const json_t *randomizer = json_object_get(ranking, "randomizer");
    if (randomizer) {
        return randomize(crowd, randomizer, liked, person);
    }
    snprintf(person->answer, sizeof person->answer, "{\"rewards\":[%.0f,%.0f,%.0f,%.0f]}", liked[0],
             liked[1], liked[2], liked[3]);
    return true;
}

/* Reads {"event": ..., "arms": [...], "expires": ...}: the person looks, likes, and plans the
 * feedback. */
static bool look_at(demo_crowd *crowd, visitor *person, const json_t *ranking, double now)
{
    const char *event = json_string_value(json_object_get(ranking, "event"));
    const json_t *arms = json_object_get(ranking, "arms");
    if (!event || strlen(event) > LOTOR_TOKEN_LENGTH || json_array_size(arms) != DEMO_SLOTS) {
        return false;
    }
    memcpy(person->event, event, strlen(event) + 1);
    const bool answers = draw(crowd) >= DEMO_SILENT;
    demo_tally *tally = &crowd->tally;
    const size_t place = tally->shown % DEMO_RECENT;
    double liked[DEMO_SLOTS];
    unsigned likes = 0;
    for (size_t slot = 0; slot < DEMO_SLOTS; slot++) {
        const size_t item = item_of(json_string_value(json_array_get(arms, slot)));
        if (item == DEMO_ITEMS) {
            return false;
        }
        const bool is_liked = draw(crowd) < demo_shelf[item].liked;
        liked[slot] = is_liked ? 1.0 : 0.0;
        likes += answers && is_liked;
        tally->recent_items[place][slot] = (uint8_t)item;
    }
    tally->recent_likes[place] = (uint8_t)likes;
    tally->likes += likes;
    tally->shown++;
    person->phase = answers ? LOOKS : AWAY;
    person->due = now + THINKS_LEAST + THINKS_LONGER * draw(crowd);
    tally->silent += !answers;
    crowd->done += !answers;
    return write_answer(crowd, ranking, liked, person);
}

static void ask(demo_crowd *crowd, lotor_client *client, visitor *person)
{
    char path[128];
    snprintf(path, sizeof path, "/v1/campaigns/%s/rank", crowd->setup.campaign);
    person->phase = ASKS;
    lotor_client_set_owner(client, person);
    lotor_client_start(client, "POST", path, "{}", 2, PATIENCE);
}

static void answer(lotor_client *client, visitor *person)
{
    char path[LOTOR_TOKEN_LENGTH + 32], event[sizeof person->event];
    memcpy(event, person->event, sizeof event);
    snprintf(path, sizeof path, "/v1/events/%s/reward", event);
    person->phase = ANSWERS;
    lotor_client_set_owner(client, person);
    lotor_client_start(client, "POST", path, person->answer, strlen(person->answer), PATIENCE);
}

static void note_estimates(demo_crowd *crowd, const json_t *campaign)
{
    const json_t *arms = json_object_get(campaign, "arms");
    for (size_t i = 0; i < json_array_size(arms); i++) {
        const json_t *arm = json_array_get(arms, i);
        const size_t item = item_of(json_string_value(json_object_get(arm, "id")));
        if (item < DEMO_ITEMS) {
            crowd->tally.estimate[item] = json_number_value(json_object_get(arm, "mean"));
            crowd->tally.counted[item] =
                (uint64_t)json_integer_value(json_object_get(arm, "count"));
        }
    }
}

/* True if the round was final when the feedback came. */
static bool is_late(const lotor_reply *reply)
{
    json_t *const told = json_loadb(reply->body, reply->length, 0, NULL);
    const char *const status = json_string_value(json_object_get(told, "status"));
    const bool says_so = status && strcmp(status, "late") == 0;
    json_decref(told);
    return says_so;
}

static lotor_status refuse_reply(const lotor_reply *reply, const char *what, lotor_message *why)
{
    return lotor_fail(LOTOR_IO, why, "the server answered %s with %u: %.200s", what, reply->status,
                      reply->body);
}

static lotor_status take_ranking(demo_crowd *crowd, visitor *person, const lotor_reply *reply,
                                 lotor_message *why)
{
    json_t *ranking = json_loadb(reply->body, reply->length, 0, NULL);
    const bool is_fine = look_at(crowd, person, ranking, lotor_time_seconds());
    json_decref(ranking);
    return is_fine ? LOTOR_OK : refuse_reply(reply, "rank", why);
}

/* Handles a reply for the person; NULL: for the request for estimates. */
static lotor_status take_reply(demo_crowd *crowd, visitor *person, const lotor_reply *reply,
                               lotor_message *why)
{
    const bool is_again =
        reply->outcome == LOTOR_REPLY_LOST || reply->status == 503 || reply->status == 429;
    if (!person) {
        json_t *campaign = is_again ? NULL : json_loadb(reply->body, reply->length, 0, NULL);
        note_estimates(crowd, campaign);
        json_decref(campaign);
        return LOTOR_OK;
    }
    const bool asked = person->phase == ASKS;
    if (is_again) {
        person->phase = asked ? WANTS_TO_ASK : WANTS_TO_ANSWER;
        person->due = lotor_time_seconds() + AGAIN;
        *(asked ? &crowd->tally.asked_again : &crowd->tally.repeated) += 1;
        return LOTOR_OK;
    }
    if (reply->status != 200) {
        return refuse_reply(reply, asked ? "rank" : "reward", why);
    }
    if (asked) {
        return take_ranking(crowd, person, reply, why);
    }
    crowd->tally.answered++;
    crowd->tally.late += is_late(reply);
    crowd->done++;
    person->phase = AWAY;
    return LOTOR_OK;
}

static lotor_status advance(demo_crowd *crowd, lotor_client *client, lotor_message *why)
{
    lotor_reply reply;
    if (!lotor_client_is_busy(client)) {
        lotor_client_advance(client, &reply);
        return LOTOR_OK;
    }
    return lotor_client_advance(client, &reply) == LOTOR_REPLY_BUSY
               ? LOTOR_OK
               : take_reply(crowd, lotor_client_owner(client), &reply, why);
}

/* Starts requests for people who wait, while there are free connections. */
static lotor_status begin_requests(demo_crowd *crowd, double now, lotor_message *why)
{
    size_t asker = 0, answerer = 0;
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; i < crowd->present_count && status == LOTOR_OK; i++) {
        visitor *person = &crowd->present[i];
        if (person->phase == LOOKS && person->due <= now) {
            person->phase = WANTS_TO_ANSWER;
        }
        lotor_client *client = NULL;
        if (person->due > now) {
            continue;
        }
        if (person->phase == WANTS_TO_ASK) {
            while (asker < CONNECTIONS && lotor_client_is_busy(crowd->askers[asker])) {
                asker++;
            }
            if (asker < CONNECTIONS) {
                client = crowd->askers[asker];
                ask(crowd, client, person);
            }
        } else if (person->phase == WANTS_TO_ANSWER) {
            while (answerer < CONNECTIONS && lotor_client_is_busy(crowd->answerers[answerer])) {
                answerer++;
            }
            if (answerer < CONNECTIONS) {
                client = crowd->answerers[answerer];
                answer(client, person);
            }
        }
        if (client) {
            status = advance(crowd, client, why);
        }
    }
    if (status == LOTOR_OK && now >= crowd->next_look && !lotor_client_is_busy(crowd->looker)) {
        char path[128];
        snprintf(path, sizeof path, "/v1/campaigns/%s", crowd->setup.campaign);
        crowd->next_look = now + LOOKS_BETWEEN;
        lotor_client_start(crowd->looker, "GET", path, NULL, 0, PATIENCE);
        status = advance(crowd, crowd->looker, why);
    }
    return status;
}

static lotor_status give_up_slow_ones(demo_crowd *crowd, double now, lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; i < (size_t)2 * CONNECTIONS && status == LOTOR_OK; i++) {
        lotor_client *client =
            i < CONNECTIONS ? crowd->askers[i] : crowd->answerers[i - CONNECTIONS];
        if (lotor_client_is_busy(client) && lotor_client_deadline(client) < now) {
            status = advance(crowd, client, why);
        }
    }
    return status;
}

lotor_status demo_crowd_step(demo_crowd *crowd, lotor_message *why)
{
    const double now = lotor_time_seconds();
    let_people_in(crowd, now);
    lotor_status status = crowd->is_paused ? LOTOR_OK : begin_requests(crowd, now, why);
    if (status == LOTOR_OK) {
        status = give_up_slow_ones(crowd, now, why);
    }
    struct epoll_event events[2 * CONNECTIONS];
    const int count = epoll_wait(crowd->epoll, events, 2 * CONNECTIONS, 2);
    for (int i = 0; i < count && status == LOTOR_OK; i++) {
        status = advance(crowd, events[i].data.ptr, why);
    }
    return status;
}
#endif
