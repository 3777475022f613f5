/* front.c - rank: takes a decision from this server's pool, or sends a want to the campaign's
 * owner.
 *
 * Everything in the pool was drawn for this server and is committed. It is handed out until the
 * block's time is over. Then the server hands out no more of the block, and appends a handout: how
 * many of its decisions were handed out.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/engine/budgets.h"
#include "service/engine/inside.h"
#include "service/spec/fields.h"

void lotor_ranking_clear(lotor_ranking *ranking)
{
    free(ranking->more);
    ranking->more = NULL;
}

bool lotor_ranking_show(lotor_campaign *campaign, lotor_ranking *ranking,
                        const lotor_display *display, size_t slot)
{
    const size_t room = sizeof ranking->names / sizeof *ranking->names;
    lotor_ranking_clear(ranking);
    if (display->count > room &&
        !(ranking->more = malloc(display->count * sizeof *ranking->arms))) {
        return false;
    }
    const char **names = ranking->more ? ranking->more : ranking->names;
    for (size_t i = 0; i < display->count; i++) {
        names[i] = campaign->ids[display->arms[i]];
    }
    ranking->arms = names;
    ranking->count = display->count;
    static const char *const roles[] = {"learn", "measure", "control"};
    const lotor_round_role role = lotor_round_role_of(display->asked, display->asked_count);
    ranking->role = campaign->is_evaluated ? roles[role] : NULL;
    ranking->propensity = role == LOTOR_ROUND_CONTROLS
                              ? lotor_control_propensity(display->asked[0], display->count,
                                                         campaign->is_control_fixed)
                              : 0.0;
    ranking->is_local = campaign->is_local;
    if (campaign->is_local) {
        ranking->randomizer =
            role == LOTOR_ROUND_LEARNS ? campaign->randomizer : campaign->value_randomizer;
        ranking->randomizer.slot = slot;
    }
    return true;
}

void lotor_ranking_sign(lotor_engine *engine, const lotor_campaign *campaign,
                        lotor_ranking *ranking)
{
    const lotor_event event = {campaign->id, ranking->number, ranking->expires, ranking->nonce};
    lotor_server_key_token(engine->server_key, &event, ranking->event);
}

/* --- the pool, under the campaign's lock ------------------------------------------------------ */

/* Removes the first block from the pool, because it is used up or too old. */
static void pop(lotor_pool *pool)
{
    lotor_block *block = pool->first;
    pool->first = block->next;
    if (!pool->first) {
        pool->end = &pool->first;
    }
    pool->available -= block->count - block->handed;
    block->next = NULL;
    block->is_pooled = false;
    block->is_stopped = true;
    /* Without a handout, all count as handed out. Of blanks, those count that are recorded. */
    block->is_reported = block->is_blank || block->handed == block->count;
}

void lotor_front_drop_old(lotor_pool *pool, uint64_t high)
{
    while (pool->first &&
           (pool->first->handed == pool->first->count || high > pool->first->until)) {
        pop(pool);
    }
}

static bool hand_out(lotor_campaign *campaign, uint64_t high, lotor_ranking *ranking)
{
    while (campaign->drawn.first->handed == campaign->drawn.first->count) {
        pop(&campaign->drawn);
    }
    lotor_block *block = campaign->drawn.first;
    lotor_display display;
    const size_t slot = lotor_block_kept(block, block->handed, &display);
    if (!lotor_ranking_show(campaign, ranking, &display, slot)) {
        return false;
    }
    ranking->number = block->first + block->handed;
    ranking->nonce = block->nonce;
    ranking->expires = high + campaign->wait;
    ranking->takes_feedback = true;
    lotor_campaign_count_shown(campaign->shown, block, block->handed, block->handed + 1);
    block->counted = ++block->handed;
    campaign->drawn.available--;
    campaign->decisions++;
    campaign->drawn.handed++;
    return true;
}

bool lotor_front_ask_for_more(lotor_pool *pool, uint64_t boot)
{
    if (pool->is_low || 2 * pool->available > pool->size) {
        return false;
    }
    pool->is_low = true;
    pool->low_at = boot;
    pool->low_handed = pool->handed;
    return true;
}

/* Takes `count` decisions or none. Later blocks of the pool end no earlier than the first. */
static bool take(lotor_engine *engine, lotor_campaign *campaign, lotor_ranking *rankings,
                 size_t count, bool *wakes)
{
    const uint64_t boot = lotor_engine_boot(engine);
    if (boot > atomic_load(&engine->fresh_until)) {
        return false;
    }
    const uint64_t high = boot + (uint64_t)atomic_load(&engine->ahead);
    lotor_front_drop_old(&campaign->drawn, high);
    if (campaign->halted != LOTOR_CODE_NONE || campaign->drawn.available < count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!hand_out(campaign, high, &rankings[i])) {
            return false; /* those before it count as displays without feedback */
        }
    }
    *wakes = lotor_front_ask_for_more(&campaign->drawn, boot);
    atomic_fetch_add_explicit(&engine->counters.decisions, count, memory_order_relaxed);
    return true;
}

static bool take_and_sign(lotor_engine *engine, lotor_campaign *campaign, lotor_ranking *rankings,
                          size_t count)
{
    bool wakes = false;
    pthread_mutex_lock(&campaign->lock);
    const bool took = take(engine, campaign, rankings, count, &wakes);
    pthread_mutex_unlock(&campaign->lock);
    for (size_t i = 0; took && i < count; i++) {
        lotor_ranking_sign(engine, campaign, &rankings[i]);
    }
    if (wakes) {
        lotor_engine_wake(engine);
    }
    return took;
}

/* --- reading a request ------------------------------------------------------------------------ */

typedef struct asking_reader {
    lotor_engine *engine;
    const lotor_campaign *campaign;
    lotor_refusal *refusal;
    char before[40]; /* "requests[3]." in a batch */
} asking_reader;

static bool refuse(asking_reader *reader, lotor_code code, const char *field, const char *message)
{
    char full[LOTOR_FIELD_ROOM];
    snprintf(full, sizeof full, "%s%s", reader->before, field);
    lotor_refuse(reader->refusal, code, full, "%s", message);
    return false;
}

static bool refuse_memory(asking_reader *reader)
{
    lotor_refuse_memory(reader->refusal);
    return false;
}

/* Arms of other campaigns in a shared list are ignored. */
static bool read_eligible(asking_reader *reader, const json_t *list, bool is_shared,
                          lotor_want_item *out)
{
    if (!json_is_array(list)) {
        return refuse(reader, LOTOR_CODE_BAD_VALUE, "eligible",
                      "expected a list of arm ids, such as [\"a\", \"b\"]");
    }
    out->eligible = calloc(out->arms, sizeof *out->eligible);
    if (!out->eligible) {
        return refuse_memory(reader);
    }
    size_t i;
    json_t *id;
    json_array_foreach(list, i, id)
    {
        const char *text = json_string_value(id);
        const size_t arm = text ? lotor_spec_arm(reader->campaign->spec, text) : SIZE_MAX;
        if (arm == SIZE_MAX && is_shared && text) {
            continue;
        }
        if (arm == SIZE_MAX) {
            char field[40];
            snprintf(field, sizeof field, "eligible[%zu]", i);
            return refuse(reader, LOTOR_CODE_BAD_VALUE, field,
                          "this is not an arm of the campaign: see GET /v1/campaigns/NAME for its "
                          "arms");
        }
        out->eligible[arm] = true;
    }
    return true;
}

static const lotor_code fault_codes[] = {
    [LOTOR_FAULT_VALUE] = LOTOR_CODE_BAD_VALUE,
    [LOTOR_FAULT_MISSING_FIELD] = LOTOR_CODE_MISSING_FIELD,
    [LOTOR_FAULT_UNKNOWN_FIELD] = LOTOR_CODE_UNKNOWN_FIELD,
    [LOTOR_FAULT_RAW_FEEDBACK] = LOTOR_CODE_RAW_FEEDBACK,
    [LOTOR_FAULT_MEMORY] = LOTOR_CODE_INTERNAL,
};

/* Finds the arms that may be shown: not paused, and eligible if the caller named arms. */
static bool mask_arms(asking_reader *reader, lotor_want_item *out)
{
    const lotor_spec *spec = reader->campaign->spec;
    out->may_show = calloc(out->arms, sizeof *out->may_show);
    for (size_t i = 0; out->may_show && i < spec->arm_count; i++) {
        out->may_show[i] = !spec->arms[i].paused && (!out->eligible || out->eligible[i]);
    }
    return out->may_show != NULL || refuse_memory(reader);
}

/* The rows of a context that belong to arms of the campaign. NULL: no memory. */
static json_t *own_rows(const lotor_spec *spec, const json_t *context)
{
    json_t *rows = json_object();
    for (size_t i = 0; rows && i < spec->arm_count; i++) {
        json_t *const row = json_object_get(context, spec->arms[i].id);
        if (row && json_object_set(rows, spec->arms[i].id, row) != 0) {
            json_decref(rows);
            rows = NULL;
        }
    }
    return rows;
}

/* Seals the context of the arms that may be shown. */
static bool read_context(asking_reader *reader, const lotor_ranking *ranking, lotor_want_item *out)
{
    const lotor_campaign *campaign = reader->campaign;
    const json_t *context = ranking->context;
    json_t *rows = NULL;
    if (ranking->is_shared && json_is_object(context)) {
        rows = own_rows(campaign->spec, context);
        if (!rows) {
            return refuse_memory(reader);
        }
        context = rows;
    }
    lotor_intake_refusal fault = {0};
    const lotor_status status = lotor_intake_seal_context(
        campaign->intake, context, campaign->ids, campaign->spec->arm_count, out->may_show, &fault,
        &out->context, &out->context_length);
    json_decref(rows);
    return status == LOTOR_OK ||
           refuse(reader, fault_codes[fault.fault], fault.field, fault.message.text);
}

static bool read_one(asking_reader *reader, const lotor_ranking *ranking, lotor_want_item *out)
{
    const lotor_campaign *campaign = reader->campaign;
    out->arms = campaign->arms;
    if (campaign->counts_users) {
        if (!ranking->user) {
            return refuse(
                reader, LOTOR_CODE_MISSING_FIELD, "user",
                "user is missing: this campaign has a limit for each user (rounds_per_user), a "
                "budget or sticky decisions (sticky_seconds), and needs the id of the user who "
                "asks");
        }
        lotor_server_key_user(reader->engine->server_key, campaign->id, ranking->user,
                              ranking->user_length, out->user.hash);
    }
    if (campaign->budget) {
        lotor_server_key_payer(reader->engine->server_key, campaign->budget->id, ranking->user,
                               ranking->user_length, out->user.payer);
    }
    if (ranking->eligible && !read_eligible(reader, ranking->eligible, ranking->is_shared, out)) {
        return false;
    }
    if (!mask_arms(reader, out)) {
        return false;
    }
    if (campaign->dimension) {
        return read_context(reader, ranking, out);
    }
    return !ranking->context || refuse(reader, LOTOR_CODE_UNKNOWN_FIELD, "context",
                                       "this campaign's algorithm takes no context");
}

/* True for a list of ids none of which is an arm of the campaign. */
static bool is_of_others(lotor_campaign *campaign, const json_t *list)
{
    bool is_none = json_array_size(list) > 0;
    size_t i;
    json_t *id;
    pthread_mutex_lock(&campaign->lock);
    json_array_foreach(list, i, id)
    {
        const char *const text = json_string_value(id);
        is_none = is_none && text && lotor_spec_arm(campaign->spec, text) == SIZE_MAX;
    }
    pthread_mutex_unlock(&campaign->lock);
    return is_none;
}

/* Leaves out what an application wrote into its context for other campaigns. */
static void drop_foreign(lotor_campaign *campaign, lotor_ranking *ranking)
{
    if (!campaign->dimension) {
        ranking->context = NULL;
    }
    if (is_of_others(campaign, ranking->eligible)) {
        ranking->eligible = NULL;
    }
}

static bool is_plain(const lotor_campaign *campaign, const lotor_ranking *rankings, size_t count)
{
    bool plain = !campaign->is_direct;
    for (size_t i = 0; plain && i < count; i++) {
        plain = !rankings[i].eligible && !rankings[i].context;
    }
    return plain;
}

/* Makes a want from the request. The specification is read under the lock, since it may change. */
static lotor_want *make_want(lotor_engine *engine, lotor_campaign *campaign,
                             const lotor_ranking *rankings, size_t count, lotor_job *job)
{
    lotor_want *want = calloc(1, sizeof *want);
    const bool plain = is_plain(campaign, rankings, count);
    if (!want || (!plain && !(want->asking = calloc(count, sizeof *want->asking)))) {
        free(want);
        lotor_job_no_memory(job);
        return NULL;
    }
    want->count = count;
    asking_reader reader = {engine, campaign, &job->refusal, ""};
    pthread_mutex_lock(&campaign->lock);
    bool fine = lotor_campaign_may_show(campaign, &job->refusal);
    for (size_t i = 0; fine && !plain && i < count; i++) {
        if (count > 1) {
            snprintf(reader.before, sizeof reader.before, "requests[%zu].", i);
        }
        fine = read_one(&reader, &rankings[i], &want->asking[i]);
    }
    pthread_mutex_unlock(&campaign->lock);
    if (!fine) {
        lotor_want_free(want);
        return NULL;
    }
    return want;
}

lotor_completion lotor_engine_rank(lotor_engine *engine, const char *name, lotor_ranking *rankings,
                                   size_t count, lotor_job *job)
{
    job->refusal.code = LOTOR_CODE_NONE;
    lotor_campaign *campaign = lotor_table_find_or_refuse(engine, name, &job->refusal);
    if (!campaign || count == 0) {
        return LOTOR_COMPLETED;
    }
    for (size_t i = 0; i < count; i++) {
        rankings[i].more = NULL;
        if (rankings[i].is_shared) {
            drop_foreign(campaign, &rankings[i]);
        }
    }
    if (count > campaign->together) {
        lotor_refuse(
            &job->refusal, LOTOR_CODE_TOO_LARGE, "",
            "the lists of this campaign are long: expected at most %zu rankings in one request",
            campaign->together);
        return LOTOR_COMPLETED;
    }
    if (is_plain(campaign, rankings, count) && take_and_sign(engine, campaign, rankings, count)) {
        return LOTOR_COMPLETED;
    }
    lotor_want *want = make_want(engine, campaign, rankings, count, job);
    if (want && want->asking && lotor_blank_serve(engine, campaign, want, rankings, job)) {
        lotor_want_free(want);
        return LOTOR_COMPLETED;
    }
    lotor_job_work *work = want ? calloc(1, sizeof *work) : NULL;
    if (!work) {
        if (want) {
            lotor_want_free(want);
            lotor_job_no_memory(job);
        }
        return LOTOR_COMPLETED;
    }
    *work =
        (lotor_job_work){.campaign = campaign, .rankings = rankings, .want = want, .count = count};
    return lotor_engine_queue(engine, job, LOTOR_JOB_RANK, work);
}

/* --- the writer ------------------------------------------------------------------------------- */

static void unlink_want(lotor_campaign *campaign, lotor_want *want)
{
    lotor_want **at = &campaign->wants;
    while (*at && *at != want) {
        at = &(*at)->next;
    }
    if (*at) {
        *at = want->next;
    }
    want->next = NULL;
}

static void end_want(lotor_engine *engine, lotor_campaign *campaign, lotor_want *want)
{
    lotor_job *job = want->job;
    unlink_want(campaign, want);
    engine->waiting -= want->is_sent && want->asking;
    lotor_want_free(want);
    if (job) {
        lotor_job_finish(job);
    }
}

void lotor_front_refuse(lotor_engine *engine, lotor_campaign *campaign, lotor_want *want)
{
    if (want->job) {
        want->job->refusal = want->refusal;
    }
    end_want(engine, campaign, want);
}

void lotor_front_refuse_waiting(lotor_engine *engine, lotor_campaign *campaign)
{
    for (lotor_want *next, *want = campaign->wants; want; want = next) {
        next = want->next;
        if (want->job && !want->is_sent) {
            lotor_refuse(&want->refusal, LOTOR_CODE_STORE, "",
                         "the store can't be written at the moment: try again");
            lotor_front_refuse(engine, campaign, want);
        }
    }
}

/* Inserts a want in the order of their times. */
static void insert_want(lotor_campaign *campaign, lotor_want *want)
{
    lotor_want **at = &campaign->wants;
    while (*at && (*at)->at <= want->at) {
        at = &(*at)->next;
    }
    want->next = *at;
    *at = want;
}

void lotor_front_ask(lotor_engine *engine, lotor_job *job)
{
    lotor_job_work *work = job->work;
    lotor_campaign *campaign = work->campaign;
    lotor_want *want = work->want;
    work->want = NULL;
    want->job = job;
    want->server = engine->server;
    want->id = (engine->next_want += 2) | 1; /* odd: see lotor_block_is_direct */
    want->at = work->at;
    want->arrival = work->arrival;
    insert_want(campaign, want);
    campaign->own_asks++;
    campaign->is_due = true;
    if (!lotor_want_grow(want, campaign->arms)) { /* max_arms was raised after the request came */
        lotor_refuse_memory(&want->refusal);
        lotor_front_refuse(engine, campaign, want);
    } else if (campaign->trouble[0]) {
        lotor_refuse(&want->refusal, LOTOR_CODE_BROKEN, "", "this campaign can't be served: %s",
                     campaign->trouble);
        lotor_front_refuse(engine, campaign, want);
    } else if (!lotor_campaign_may_show(campaign, &want->refusal)) {
        lotor_front_refuse(engine, campaign, want);
    } else if (!want->asking) {
        lotor_front_serve(engine, campaign);
    }
}

void lotor_front_serve(lotor_engine *engine, lotor_campaign *campaign)
{
    for (lotor_want *next, *want = campaign->wants; want; want = next) {
        next = want->next;
        if (want->asking || !want->job) {
            continue;
        }
        lotor_job_work *work = want->job->work;
        if (!take_and_sign(engine, campaign, work->rankings, work->count)) {
            return;
        }
        end_want(engine, campaign, want);
    }
}

static bool show_one(lotor_engine *engine, lotor_campaign *campaign, const lotor_want *want,
                     size_t i, lotor_ranking *ranking)
{
    const lotor_want_place *at = &want->shown[i];
    lotor_display display;
    const lotor_block *block = at->has_event ? want->block : want->eventless;
    assert(block);
    const size_t slot = lotor_block_kept(block, at->place, &display);
    ranking->takes_feedback = at->has_event || at->number > 0;
    ranking->event[0] = '\0';
    pthread_mutex_lock(&campaign->lock);
    const bool has_shown = lotor_ranking_show(campaign, ranking, &display, slot);
    pthread_mutex_unlock(&campaign->lock);
    if (at->number > 0) { /* a decision that is repeated, with its event */
        ranking->expires = at->expires;
        ranking->number = at->number;
        ranking->nonce = at->nonce;
        lotor_ranking_sign(engine, campaign, ranking);
    } else if (!at->has_event) {
        ranking->expires = engine->high + campaign->wait;
    } else {
        ranking->expires = block->until + campaign->wait;
        ranking->number = block->first + at->place;
        ranking->nonce = block->nonce;
        lotor_ranking_sign(engine, campaign, ranking);
    }
    return has_shown;
}

void lotor_front_finish(lotor_engine *engine, lotor_campaign *campaign, lotor_want *want)
{
    lotor_job_work *work = want->job->work;
    const size_t blanks = want->block && want->block->is_blank ? want->block->count : 0;
    bool fine = true;
    if (blanks > 0 && !lotor_blank_show(engine, campaign, want)) {
        lotor_front_refuse(engine, campaign, want);
        return;
    }
    for (size_t i = blanks; fine && i < want->count; i++) {
        fine = show_one(engine, campaign, want, i, &work->rankings[i]);
    }
    if (!fine) {
        lotor_job_no_memory(want->job);
    }
    if (!campaign->counts_at_entry) {
        atomic_fetch_add_explicit(&engine->counters.decisions, want->count, memory_order_relaxed);
    }
    end_want(engine, campaign, want);
}

size_t lotor_front_size(lotor_engine *engine, lotor_campaign *campaign, const lotor_pool *pool,
                        size_t needed)
{
    uint64_t ahead = engine->margin ? LOTOR_AHEAD_SHARED_MS : LOTOR_AHEAD_MS;
    ahead = ahead < campaign->life / 2 ? ahead : campaign->life / 2;
    pthread_mutex_lock(&campaign->lock);
    const uint64_t time = pool->low_at - pool->drawn_at;
    const uint64_t handed = pool->low_handed - pool->drawn_handed;
    const uint64_t most = 4 * (uint64_t)pool->size;
    pthread_mutex_unlock(&campaign->lock);
    uint64_t size = handed * ahead / (time ? time : 1);
    size = size < most ? size : most;
    size = size < LOTOR_BLOCK_MAX ? size : LOTOR_BLOCK_MAX;
    size = size > LOTOR_BLOCK_MIN ? size : LOTOR_BLOCK_MIN;
    const bool is_rare = needed && engine->boot - campaign->asked_at > campaign->life;
    campaign->asked_at = needed ? engine->boot : campaign->asked_at;
    return is_rare || needed > size ? needed : (size_t)size;
}

void lotor_front_publish(lotor_engine *engine, lotor_campaign *campaign, lotor_block *block)
{
    if (lotor_engine_boot(engine) + (uint64_t)atomic_load(&engine->ahead) > block->until) {
        campaign->slow_until = engine->boot + LOTOR_SLOW_MS;
    }
    pthread_mutex_lock(&campaign->lock);
    lotor_pool *pool = lotor_campaign_pool(campaign, block);
    pool->size = block->count;
    pool->is_low = false;
    pool->drawn_at = pool->low_at;
    pool->drawn_handed = pool->low_handed;
    lotor_campaign_pool_put(campaign, block);
    pthread_mutex_unlock(&campaign->lock);
}

void lotor_front_expire(lotor_engine *engine)
{
    for (size_t i = 0; i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        for (lotor_want *next, *want = campaign->wants; want; want = next) {
            next = want->next;
            if (engine->boot < want->arrival + LOTOR_WANT_MS) {
                continue;
            }
            lotor_refuse(&want->refusal, LOTOR_CODE_STORE, "",
                         "no decision could be drawn in time: try again");
            lotor_front_refuse(engine, campaign, want);
        }
    }
}

/* Stops this server's blocks that are too old. A block needs a handout if a part of it was not
 * handed out. */
void lotor_front_tidy(lotor_engine *engine, lotor_campaign *campaign)
{
    pthread_mutex_lock(&campaign->lock);
    const lotor_block *before = campaign->drawn.first;
    if (engine->is_steady) {
        lotor_front_drop_old(&campaign->drawn, engine->high);
        lotor_front_drop_old(&campaign->blanks, engine->high);
    }
    const bool has_changed = campaign->drawn.first != before;
    const bool is_unused = !campaign->is_owner && campaign->has_chooser &&
                           !campaign->blanks.first &&
                           engine->boot >= campaign->chosen_at + LOTOR_IDLE_MS;
    pthread_mutex_unlock(&campaign->lock);
    if (is_unused) {
        lotor_blank_put_away(campaign);
    }
    campaign->has_reports = campaign->has_reports || has_changed;
    /* A front end keeps blocks for a while, to know what was shown. */
    while (!campaign->is_owner && engine->is_steady &&
           campaign->block_first < campaign->block_end) {
        const lotor_block *block = campaign->blocks[campaign->block_first];
        const bool is_settled = block->holder != engine->server || block->is_reported;
        if (!is_settled || block->deadline + LOTOR_IDLE_MS > engine->low) {
            break;
        }
        lotor_campaign_drop_block(campaign, campaign->block_first);
    }
}
