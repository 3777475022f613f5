/* clients.c - makes random requests and checks the replies. See clients.h. */
#include "simulation/clients.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELD = 256, BATCH = 5, CAMPAIGNS = 32, USERS = 6, WAITING_MOST = 48 };

typedef enum kind { PLAIN, ARMS, CAPPED, EARLY, LINEAR, LOCAL, KINDS } kind;

typedef struct campaign {
    char name[16];
    kind kind;
    size_t arms;
    double wait, unanswered;
    uint64_t max_open; /* 0: the default */
    bool names_arms;   /* most requests name the eligible arms */
    size_t room;       /* what max_arms was last raised to; 0: it was not */
    size_t added;      /* arms that were added */
    bool is_made, is_closed;
    bool is_in_budget, is_uncapped; /* a capped campaign that is in the budget, and has no cap */
    bool is_sticky;                 /* a capped campaign that repeats decisions */
    uint64_t asked_at;              /* when its creation was requested */
    uint64_t decisions;             /* decisions that were shown */
    bool is_ranked[SIM_SERVERS];    /* at the end: whether each server served it */
    char refusal[SIM_SERVERS][320]; /* else the reason */
} campaign;

/* An event that a client has and may send feedback for. */
typedef struct held {
    char event[LOTOR_TOKEN_LENGTH + 1];
    lotor_event opened;
    kind kind;
    int server; /* the server that showed it */
    double value;
    unsigned sent;
} held;

typedef enum action { RANK, REWARD, CREATE, ACT, CHANGE, BUDGET } action;

typedef struct request {
    lotor_job job;
    clients *all;
    sim_server *server;
    uint64_t start; /* which start of the server */
    action action;
    campaign *campaign;
    lotor_act act;
    bool is_check; /* a request of the final check */
    size_t count;
    lotor_ranking rankings[BATCH];
    uint64_t users[BATCH];
    uint64_t answers[BATCH]; /* ids in the reference model */
    lotor_refusal refusals[BATCH];
    json_t *reply; /* about the budget */
    struct request *next, **at;
} request;

struct clients {
    sim *world;
    reference *model;
    lotor_server_key *server_key;
    clients_plan plan;
    campaign campaigns[CAMPAIGNS];
    size_t count;
    held held[HELD]; /* a ring buffer: the newest entry is before held_next */
    size_t held_count, held_next;
    request *waiting;
    size_t waiting_count;
    bool has_budget; /* the budget that campaigns join was made */
};

clients *clients_new(sim *world, reference *model, lotor_server_key *server_key,
                     const clients_plan *plan)
{
    clients *all = calloc(1, sizeof *all);
    if (!all) {
        abort();
    }
    all->world = world;
    all->model = model;
    all->server_key = server_key;
    all->plan = *plan;
    return all;
}

static void unlink_request(request *one)
{
    *one->at = one->next;
    if (one->next) {
        one->next->at = one->at;
    }
    one->all->waiting_count--;
}

static void free_request(request *one)
{
    for (size_t i = 0; one->action == RANK && i < one->count; i++) {
        lotor_ranking_clear(&one->rankings[i]);
    }
    json_decref(one->reply);
    free(one);
}

void clients_free(clients *all)
{
    if (all) {
        while (all->waiting) {
            request *one = all->waiting;
            unlink_request(one);
            free_request(one);
        }
        free(all);
    }
}

size_t clients_waiting(const clients *all)
{
    return all->waiting_count;
}

/* --- replies ---------------------------------------------------------------------------------- */

static size_t arm_of(const char *id)
{
    return (size_t)strtoul(id + 1, NULL, 10); /* arms are named a0, a1, ... */
}

/* The reward for a decision. It depends on the decision alone, not on when or how often it is
 * sent. */
static double value_of(const clients *all, const lotor_event *event)
{
    rng values = rng_of(all->world->values.state ^ (event->campaign << 40), event->number);
    return (double)rng_between(&values, 1, 1024) / 1024;
}

static void hold(clients *all, const request *one, size_t i, const lotor_event *event)
{
    held *at = &all->held[all->held_next];
    all->held_next = (all->held_next + 1) % HELD;
    all->held_count += all->held_count < HELD;
    *at = (held){.opened = *event,
                 .kind = one->campaign->kind,
                 .server = one->server->place,
                 .value = value_of(all, event)};
    memcpy(at->event, one->rankings[i].event, sizeof at->event);
}

static void take_rankings(request *one)
{
    clients *all = one->all;
    for (size_t i = 0; i < one->count; i++) {
        lotor_ranking *ranking = &one->rankings[i];
        lotor_event event;
        if (!ranking->takes_feedback) {
            continue;
        }
        if (!lotor_server_key_read_token(all->server_key, ranking->event, &event) ||
            ranking->count == 0) {
            sim_violate(all->world, "%s: an event that nobody can open", one->campaign->name);
            continue;
        }
        one->campaign->decisions++;
        sim_say(all->world, "server %d shows %s:%" PRIu64, one->server->place, one->campaign->name,
                event.number);
        reference_shown(all->model, one->server, &event, ranking->expires, arm_of(ranking->arms[0]),
                        one->users[i]);
        hold(all, one, i, &event);
    }
}

static void take_replies(request *one)
{
    lotor_code code = one->job.refusal.code;
    size_t heard = one->count - one->job.refused;
    bool is_kept = code == LOTOR_CODE_NONE && one->job.late == 0;
    bool is_late = code == LOTOR_CODE_NONE && one->job.late == heard;
    sim_say(one->all->world, "server %d replies to %zu answers: %s, %zu late, %zu refused",
            one->server->place, one->count, lotor_code_name(code), one->job.late, one->job.refused);
    for (size_t i = 0; i < one->count; i++) {
        bool is_refused = one->refusals[i].code != LOTOR_CODE_NONE;
        bool is_unrecorded =
            one->refusals[i].code == LOTOR_CODE_NOT_RECORDED || code == LOTOR_CODE_NOT_RECORDED;
        reference_replied(one->all->model, one->answers[i],
                          is_unrecorded ? REPLY_NOT_RECORDED
                          : is_refused  ? REPLY_UNKNOWN
                          : is_kept     ? REPLY_ACKNOWLEDGED
                          : is_late     ? REPLY_LATE
                                        : REPLY_UNKNOWN);
    }
}

/* Reports refusals that a client of the simulation must never see. */
static void check_refusal(const request *one, const lotor_refusal *refusal)
{
    lotor_code code = refusal->code;
    /* a campaign, a decision or a budget may be lost */
    bool is_lost = one->all->world->mode == SIM_ASYNC;
    if (is_lost && one->action == CREATE && strcmp(refusal->field, "budget") == 0) {
        one->all->has_budget = false;
        return;
    }
    if (code == LOTOR_CODE_INTERNAL || code == LOTOR_CODE_BAD_VALUE ||
        code == LOTOR_CODE_MISSING_FIELD || code == LOTOR_CODE_UNKNOWN_FIELD ||
        code == LOTOR_CODE_RAW_FEEDBACK || (code == LOTOR_CODE_NO_SUCH_EVENT && !is_lost)) {
        sim_violate(one->all->world, "a request was refused with %s: %s: %s", lotor_code_name(code),
                    refusal->field, refusal->message.text);
    }
}

static void check_code(const request *one)
{
    check_refusal(one, &one->job.refusal);
    for (size_t i = 0; i < BATCH; i++) {
        check_refusal(one, &one->refusals[i]);
    }
}

/* The code of a campaign that shows nothing for now, or for ever. */
static bool is_halt(lotor_code code)
{
    return code == LOTOR_CODE_CLOSED || code == LOTOR_CODE_PAUSED || code == LOTOR_CODE_ARCHIVED ||
           code == LOTOR_CODE_DELETED;
}

static void finish(request *one)
{
    check_code(one);
    bool fine = one->job.refusal.code == LOTOR_CODE_NONE;
    switch (one->action) {
    case RANK:
        if (fine) {
            take_rankings(one);
        }
        if (one->is_check) {
            int place = one->server->place;
            one->campaign->is_ranked[place] = fine || is_halt(one->job.refusal.code);
            snprintf(one->campaign->refusal[place], sizeof one->campaign->refusal[place], "%s",
                     one->job.refusal.message.text);
        }
        break;
    case REWARD:
        take_replies(one);
        break;
    case CREATE:
        one->campaign->is_made = one->campaign->is_made || fine;
        break;
    case ACT:
        one->campaign->is_closed =
            one->campaign->is_closed || one->job.refusal.code == LOTOR_CODE_DELETED ||
            (fine && (one->act == LOTOR_ACT_CLOSE || one->act == LOTOR_ACT_DELETE));
        break;
    case BUDGET:
        one->all->has_budget = one->all->has_budget || fine;
        break;
    default:
        break;
    }
}

static void done(lotor_job *job)
{
    request *one = job->owner;
    if (one->server->is_crashed) {
        return; /* the client is gone: see clients_lose */
    }
    unlink_request(one);
    finish(one);
    free_request(one);
}

void clients_lose(clients *all, const sim_server *server)
{
    for (request *one = all->waiting, *next; one; one = next) {
        next = one->next;
        if (one->server != server) {
            continue;
        }
        for (size_t i = 0; one->action == REWARD && i < one->count; i++) {
            reference_replied(all->model, one->answers[i], REPLY_UNKNOWN);
        }
        unlink_request(one);
        free_request(one);
    }
}

/* --- requests --------------------------------------------------------------------------------- */

static request *new_request(clients *all, sim_server *server, action wanted, campaign *about)
{
    request *one = calloc(1, sizeof *one);
    if (!one) {
        abort();
    }
    one->job.done = done;
    one->job.owner = one;
    one->job.key = "sim";
    one->job.key_id = "00000000";
    one->all = all;
    one->server = server;
    one->start = server->starts;
    one->action = wanted;
    one->campaign = about;
    one->next = all->waiting;
    one->at = &all->waiting;
    if (one->next) {
        one->next->at = &one->next;
    }
    all->waiting = one;
    all->waiting_count++;
    return one;
}

static void settle(request *one, lotor_completion when)
{
    if (when == LOTOR_COMPLETED) {
        unlink_request(one);
        finish(one);
        free_request(one);
    }
}

static sim_server *some_server(clients *all)
{
    sim_server *up[SIM_SERVERS];
    size_t count = 0;
    for (size_t i = 0; i < all->world->server_count; i++) {
        sim_server *server = &all->world->servers[i];
        if (server->engine && !server->is_crashed && server->state != SERVER_STARTING &&
            server->paused_until <= all->world->now) {
            up[count++] = server;
        }
    }
    return count ? up[rng_below(&all->world->schedule, count)] : NULL;
}

/* Runs engine code outside of the server's fiber, as the thread of a request does. */
#define ON(all, server, call)                                                                      \
    do {                                                                                           \
        (all)->world->running = (server);                                                          \
        call;                                                                                      \
        (all)->world->running = NULL;                                                              \
    } while (0)

/* Half of the campaigns have the algorithms that are the default, the others those of before. */
static const char *algorithm_of(const campaign *about)
{
    static const char *const central[] = {"batch-klucb", "lik-imed"};
    static const char *const local[] = {"rr-klucb", "rr-imed"};
    const size_t which = about->arms % 2;
    return about->kind == LINEAR  ? "jdp-batch"
           : about->kind == LOCAL ? local[which]
                                  : central[which];
}

static json_t *spec_json(const campaign *about)
{
    json_t *arms = json_array();
    for (size_t i = 0; i < about->arms; i++) {
        char id[24];
        snprintf(id, sizeof id, "a%zu", i);
        json_array_append_new(arms, json_string(id));
    }
    bool is_linear = about->kind == LINEAR, is_local = about->kind == LOCAL;
    /* Epsilon is so large that the noise is far below one reward. */
    json_int_t epsilon = is_linear || is_local ? 8 : 1000000000;
    json_t *body = json_pack("{s:s, s:s, s:o, s:f, s:I}", "name", about->name, "algorithm",
                             algorithm_of(about), "arms", arms, "wait_seconds", about->wait,
                             "epsilon", epsilon);
    if (is_linear) {
        json_object_update_new(
            body, json_pack("{s:i, s:f, s:i}", "dimension", 2, "delta", 0.001, "horizon", 1000));
    } else if (!is_local) {
        json_object_update_new(body, json_pack("{s:f, s:i}", "default_reward", about->unanswered,
                                               "max_arms", (int)about->arms + 1));
    }
    if (about->kind == CAPPED && !about->is_uncapped) {
        json_object_set_new(body, "rounds_per_user", json_integer(3));
    }
    if (about->is_in_budget) {
        json_object_set_new(body, "budget", json_string("people"));
    }
    if (about->is_sticky) { /* longer than any simulation */
        json_object_set_new(body, "sticky_seconds", json_integer(1000000));
    }
    if (strstr(algorithm_of(about), "imed") && about->unanswered > 0) { /* some of them */
        json_object_set_new(body, "half_life", json_string("2s"));
    }
    if (about->max_open) {
        json_object_set_new(body, "max_open", json_integer((json_int_t)about->max_open));
    }
    if (about->kind == EARLY) {
        json_object_set_new(body, "early_release", json_true());
    }
    return body;
}

/* A round costs an epsilon of 1000000000: see spec_json. */
static void make_budget(clients *all, sim_server *server)
{
    const lotor_budget_spec spec = {.name = "people",
                                    .epsilon = {(uint64_t)SIM_BUDGET_ROUNDS * 1000000000, 1},
                                    .delta = {0, 1}};
    request *one = new_request(all, server, BUDGET, NULL);
    sim_say(all->world, "make the budget on server %d", server->place);
    lotor_completion when;
    ON(all, server,
       when = lotor_engine_create_budget(server->engine, &spec, &one->reply, &one->job));
    settle(one, when);
}

static void create(clients *all, sim_server *server, campaign *about)
{
    if (about->is_in_budget && !all->has_budget) {
        about->asked_at = all->world->now;
        make_budget(all, server);
        return;
    }
    json_t *body = spec_json(about);
    lotor_refusal refusal;
    lotor_spec *spec;
    about->asked_at = all->world->now;
    if (lotor_spec_read(body, &refusal, &spec)) {
        sim_violate(all->world, "the simulation's own specification was refused: %s: %s",
                    refusal.field, refusal.message.text);
    } else {
        request *one = new_request(all, server, CREATE, about);
        sim_say(all->world, "create %s on server %d", about->name, server->place);
        lotor_completion when;
        ON(all, server, when = lotor_engine_create(server->engine, spec, &one->job));
        settle(one, when);
    }
    json_decref(body);
}

static void create_another(clients *all, sim_server *server)
{
    static const double waits[] = {0.1, 0.5, 1, 2, 4};
    static const size_t arms[KINDS] = {1, 3, 1, 1, 2, 3};
    rng *random = &all->world->schedule;
    if (all->count == all->plan.campaigns || all->count == CAMPAIGNS) {
        return;
    }
    campaign *about = &all->campaigns[all->count];
    kind wanted = (kind)rng_below(random, KINDS);
    if (all->plan.one_arm) {
        wanted = rng_one_in(random, 3) ? CAPPED : PLAIN;
    }
    *about = (campaign){.kind = wanted,
                        .arms = arms[wanted],
                        .wait = waits[rng_below(random, 5)],
                        .unanswered = rng_one_in(random, 3) ? 0.25 : 0,
                        .max_open = rng_one_in(random, 4) ? rng_between(random, 8, 24) : 0,
                        .names_arms = !rng_one_in(random, 4)};
    if (all->plan.wait_ms) {
        about->wait = (double)all->plan.wait_ms / 1000;
    }
    if (wanted == CAPPED) {
        about->is_in_budget = rng_one_in(random, 2);
        about->is_uncapped = about->is_in_budget && rng_one_in(random, 2);
        about->is_sticky = rng_one_in(random, 3);
    }
    snprintf(about->name, sizeof about->name, "c%zu", all->count++);
    create(all, server, about);
}

static void send_rank(clients *all, sim_server *server, campaign *about, size_t count,
                      bool is_check)
{
    rng *random = &all->world->schedule;
    request *one = new_request(all, server, RANK, about);
    json_t *context = NULL, *eligible = NULL;
    char user[32];
    one->count = count;
    one->is_check = is_check;
    if (about->kind == LINEAR) {
        context = json_pack("{s:[f,f], s:[f,f]}", "a0", 0.5, 0.25, "a1", 0.25, 0.5);
    }
    if (about->kind == PLAIN && about->names_arms && !rng_one_in(random, 5)) {
        eligible = json_pack("[s]", "a0");
    }
    if (about->kind == ARMS && !is_check &&
        (about->names_arms ? !rng_one_in(random, 5) : rng_one_in(random, 5))) {
        eligible = rng_one_in(random, 2) ? json_pack("[s,s]", "a0", "a1") : json_pack("[s]", "a2");
    }
    uint64_t asks = is_check ? 0 : rng_between(random, 1, USERS + about->decisions / 2);
    snprintf(user, sizeof user, "u%" PRIu64, is_check ? all->world->now : asks);
    for (size_t i = 0; i < count; i++) {
        one->rankings[i].context = context;
        one->rankings[i].eligible = eligible;
        if (about->kind == CAPPED) {
            one->users[i] = asks;
            one->rankings[i].user = user;
            one->rankings[i].user_length = strlen(user);
        }
    }
    sim_say(all->world, "rank %s x%zu on server %d", about->name, count, server->place);
    lotor_completion when;
    ON(all, server,
       when = lotor_engine_rank(server->engine, about->name, one->rankings, count, &one->job));
    json_decref(context);
    json_decref(eligible);
    settle(one, when);
}

static json_t *answer_json(kind what, double value)
{
    return what == LOCAL ? json_pack("{s:i}", "report", value > 0.5 ? 1 : 0)
                         : json_pack("{s:[f]}", "rewards", value);
}

static void send_rewards(clients *all, sim_server *server, const size_t *places, size_t count)
{
    request *one = new_request(all, server, REWARD, NULL);
    lotor_event_feedback rewards[BATCH];
    memset(rewards, 0, sizeof rewards);
    one->count = count;
    for (size_t i = 0; i < count; i++) {
        held *at = &all->held[places[i]];
        at->sent++;
        rewards[i].event = at->event;
        rewards[i].feedback = answer_json(at->kind, at->value);
        one->answers[i] = reference_sent(all->model, server, &at->opened, at->value);
        sim_say(all->world, "answer %" PRIu64 ":%" PRIu64 " to server %d", at->opened.campaign,
                at->opened.number, server->place);
    }
    lotor_completion when;
    ON(all, server,
       when = lotor_engine_reward(server->engine, rewards, count, count > 1 ? one->refusals : NULL,
                                  &one->job));
    for (size_t i = 0; i < count; i++) {
        json_decref((json_t *)(uintptr_t)rewards[i].feedback);
    }
    settle(one, when);
}

/* The index of the event that was shown `back` events before the newest. */
static size_t place_of(const clients *all, size_t back)
{
    return (all->held_next + HELD - 1 - back) % HELD;
}

/* Among the latest events without feedback: the one that expires next; SIZE_MAX: none. */
static size_t expires_next(const clients *all)
{
    size_t best = SIZE_MAX;
    uint64_t now = sim_db_now(all->world);
    for (size_t i = 0; i < all->held_count && i < 32; i++) {
        size_t place = place_of(all, i);
        const held *at = &all->held[place];
        if (at->sent == 0 && at->opened.expires > now &&
            (best == SIZE_MAX || at->opened.expires < all->held[best].opened.expires)) {
            best = place;
        }
    }
    return best;
}

static void feedback(clients *all, sim_server *server)
{
    rng *random = &all->world->schedule;
    size_t places[BATCH], count = 0;
    if (rng_one_in(random, 4)) { /* at the last moment */
        size_t place = expires_next(all);
        if (place != SIZE_MAX) {
            send_rewards(all, server, &place, 1);
        }
        return;
    }
    size_t wanted = rng_one_in(random, 4) ? (size_t)rng_between(random, 2, BATCH) : 1;
    for (size_t tries = 0; tries < 3 * wanted && count < wanted; tries++) {
        uint64_t recent = rng_one_in(random, 8) ? all->held_count : rng_between(random, 1, 12);
        recent = recent < all->held_count ? recent : all->held_count;
        size_t place = place_of(all, (size_t)rng_below(random, recent));
        held *at = &all->held[place];
        bool is_new = at->sent == 0 || rng_one_in(random, 12);
        bool is_old = at->opened.expires < sim_db_now(all->world);
        /* few clients send feedback too late */
        is_new = is_new && (!is_old || rng_one_in(random, 12));
        for (size_t i = 0; i < count; i++) {
            is_new = is_new && places[i] != place;
        }
        if (!is_new) {
            continue;
        }
        if (at->sent && at->sent < 6 &&
            rng_one_in(random, 4)) { /* another reward for the same event: the first one counts */
            at->value = (double)rng_between(random, 1, 1024) / 1024;
        }
        places[count++] = place;
    }
    if (count) {
        send_rewards(all, server, places, count);
    }
}

/* Sends feedback for all events that were shown lately. Each goes to another server than the one
 * that showed the event. */
static void answer_elsewhere(clients *all)
{
    for (size_t i = 0, sent = 0; i < all->held_count && i < 16 && sent < 4; i++) {
        size_t place = place_of(all, i);
        const held *at = &all->held[place];
        sim_server *server = some_server(all);
        if (at->sent == 0 && server &&
            (server->place != at->server || rng_one_in(&all->world->schedule, 3))) {
            send_rewards(all, server, &place, 1);
            sent++;
        }
    }
}

static void act_on(clients *all, sim_server *server, campaign *about, lotor_act act)
{
    lotor_completion when;
    request *one = new_request(all, server, ACT, about);
    one->act = act;
    sim_say(all->world, "%s %s on server %d", lotor_act_name(act), about->name, server->place);
    ON(all, server, when = lotor_engine_act(server->engine, about->name, act, &one->job));
    settle(one, when);
}

/* Campaigns that show nothing are opened again soon, so that there is something to do. */
static void change_phase(clients *all, sim_server *server, campaign *about)
{
    static const lotor_act closing[] = {LOTOR_ACT_PAUSE, LOTOR_ACT_ARCHIVE};
    static const lotor_act opening[] = {LOTOR_ACT_RESUME, LOTOR_ACT_UNARCHIVE};
    const size_t which = (size_t)rng_below(&all->world->schedule, 2);
    const bool is_halted =
        reference_is_halted(all->model, reference_campaign(all->model, about->name));
    act_on(all, server, about, is_halted ? opening[which] : closing[which]);
}

static void raise_max_arms(clients *all, sim_server *server, campaign *about)
{
    request *one = new_request(all, server, CHANGE, about);
    about->room = (about->room ? about->room : 10) + rng_between(&all->world->schedule, 1, 30);
    json_t *body = json_pack("{s:i}", "max_arms", (int)about->room);
    sim_say(all->world, "raise max_arms of %s to %zu on server %d", about->name, about->room,
            server->place);
    lotor_completion when;
    ON(all, server, when = lotor_engine_edit(server->engine, about->name, body, &one->job));
    json_decref(body);
    settle(one, when);
}

/* Adds an arm, if there is room. It may be there already. */
static void add_arm(clients *all, sim_server *server, campaign *about)
{
    enum { ADDED_MOST = 5 };
    request *one = new_request(all, server, CHANGE, about);
    char id[16];
    snprintf(id, sizeof id, "a%zu", about->arms + about->added);
    about->added += about->added + 1 < ADDED_MOST;
    json_t *body = json_pack("{s:[s]}", "add", id);
    sim_say(all->world, "add %s to %s on server %d", id, about->name, server->place);
    lotor_completion when;
    ON(all, server, when = lotor_engine_change_arms(server->engine, about->name, body, &one->job));
    json_decref(body);
    settle(one, when);
}

static void manage(clients *all, sim_server *server, campaign *about)
{
    rng *random = &all->world->schedule;
    lotor_completion when;
    if (rng_one_in(random, 3)) {
        raise_max_arms(all, server, about);
        return;
    }
    if (about->kind == ARMS && rng_one_in(random, 3)) {
        add_arm(all, server, about);
        return;
    }
    if (rng_one_in(random, 4) && all->count > 2) {
        act_on(all, server, about, rng_one_in(random, 3) ? LOTOR_ACT_CLOSE : LOTOR_ACT_DELETE);
    } else if (rng_one_in(random, 2)) {
        change_phase(all, server, about);
    } else if (about->kind == ARMS) {
        request *one = new_request(all, server, CHANGE, about);
        json_t *body = json_pack("{s:[s]}", rng_one_in(random, 2) ? "pause" : "resume",
                                 rng_one_in(random, 2) ? "a0" : "a1");
        sim_say(all->world, "change the arms of %s on server %d", about->name, server->place);
        ON(all, server,
           when = lotor_engine_change_arms(server->engine, about->name, body, &one->job));
        json_decref(body);
        settle(one, when);
    }
}

static void look(clients *all, sim_server *server, const campaign *about)
{
    lotor_refusal refusal;
    json_t *told;
    ON(all, server, told = lotor_engine_describe(server->engine, about->name, &refusal));
    json_t *releases = json_object_get(told, "releases");
    if (json_is_integer(releases)) {
        reference_releases(all->model, server, about->name, (uint64_t)json_integer_value(releases));
    }
    json_decref(told);
}

static campaign *some_campaign(clients *all)
{
    /* Small campaigns release often, so old campaigns are left alone. */
    for (size_t tries = 0; tries < 4; tries++) {
        campaign *about = &all->campaigns[rng_below(&all->world->schedule, all->count)];
        if (about->decisions < all->plan.decisions_most && !about->is_closed) {
            return about;
        }
    }
    return NULL;
}

void clients_act(clients *all)
{
    rng *random = &all->world->schedule;
    sim_server *server = some_server(all);
    if (!server) {
        return;
    }
    campaign *about = all->count ? some_campaign(all) : NULL;
    if (!about) {
        create_another(all, server);
        return;
    }
    if (!about->is_made && all->world->now > about->asked_at + 1000) {
        create(all, server, about);
        return;
    }
    if (all->waiting_count >= WAITING_MOST) {
        return;
    }
    switch (rng_below(random, 20)) {
    case 0:
        if (!all->plan.is_calm && rng_one_in(random, 8)) {
            manage(all, server, about);
        } else if (reference_is_halted(all->model, reference_campaign(all->model, about->name))) {
            change_phase(all, server, about);
        }
        break;
    case 1:
        look(all, server, about);
        break;
    case 2:
        send_rank(all, server, about, (size_t)rng_between(random, 2, BATCH), false);
        break;
    case 3:
        answer_elsewhere(all);
        break;
    case 4:
        if (rng_one_in(random, 20)) {
            create_another(all, server);
        }
        break;
    case 5:
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
    case 11:
        send_rank(all, server, about, 1, false);
        break;
    default:
        if (all->held_count) {
            feedback(all, server);
        }
    }
}

/* --- the end ---------------------------------------------------------------------------------- */

void clients_rank_everywhere(clients *all)
{
    for (size_t i = 0; i < all->count; i++) {
        for (size_t s = 0; s < all->world->server_count; s++) {
            campaign *about = &all->campaigns[i];
            sim_server *server = &all->world->servers[s];
            if (!about->is_ranked[s] && !about->is_closed && server->engine &&
                server->state != SERVER_STARTING && all->waiting_count < WAITING_MOST) {
                send_rank(all, server, about, 1, true);
            }
        }
    }
}

bool clients_ranked(const clients *all, char *text, size_t size)
{
    for (size_t i = 0; i < all->count; i++) {
        const campaign *about = &all->campaigns[i];
        uint64_t id = reference_campaign(all->model, about->name);
        if (about->is_closed || !id || reference_is_halted(all->model, id) ||
            reference_may_be_broken(all->model, id)) {
            continue; /* never created, lost with a tail of the log, or waiting for an operator */
        }
        for (size_t s = 0; s < all->world->server_count; s++) {
            if (!about->is_ranked[s]) {
                snprintf(text, size, "%s is not served by server %zu: %s", about->name, s,
                         about->refusal[s][0] ? about->refusal[s] : "no reply");
                return false;
            }
        }
    }
    return true;
}

bool clients_cover(clients *all)
{
    bool is_any = false;
    for (size_t i = 0; i < all->count; i++) {
        campaign *about = &all->campaigns[i];
        uint64_t id = reference_campaign(all->model, about->name);
        sim_server *server = some_server(all);
        if (id && server && !about->is_closed && about->arms == 1 && about->kind != CAPPED &&
            !reference_is_halted(all->model, id) && !reference_may_be_broken(all->model, id) &&
            !reference_is_covered(all->model, id)) {
            is_any = true;
            if (all->waiting_count < WAITING_MOST / 2) {
                send_rank(all, server, about, BATCH, false);
            }
        }
    }
    return is_any;
}
