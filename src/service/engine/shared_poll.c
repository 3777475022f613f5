/* shared_poll.c - what other servers did, looked at without a lock: new campaigns, other arms, releases.
 *
 * One query says which campaigns changed in the last seconds, and nothing is asked about the others. */
#include "service/engine/engine_parts.h"

#include <stdlib.h>

#include "base/message.h"

/* Transactions write the moment of their last statement and are seen when they are committed: no
 * statement takes longer than this (store_postgres_link.c). */
enum { OVERLAP_MS = 10000 };

typedef struct polling {
    lotor_engine *engine;
    lotor_mark *marks;
    size_t count, room;
    lotor_message *why;
} polling;

static lotor_status keep_mark(void *context, const lotor_mark *mark)
{
    polling *poll = context;
    if (poll->count == poll->room) {
        size_t room = 2 * poll->room + 16;
        lotor_mark *marks = realloc(poll->marks, room * sizeof *marks);
        if (!marks) {
            return lotor_fail(LOTOR_MEMORY, poll->why, "no memory for the campaigns");
        }
        poll->marks = marks;
        poll->room = room;
    }
    poll->marks[poll->count++] = *mark;
    return LOTOR_OK;
}

static lotor_status add_campaign(void *context, const lotor_stored_campaign *row)
{
    polling *poll = context;
    return lotor_restore_campaign(poll->engine, row, poll->why);
}

typedef struct spec_taker {
    lotor_campaign *campaign;
    lotor_message *why;
} spec_taker;

static lotor_status take_spec(void *context, const lotor_stored_campaign *row)
{
    spec_taker *taking = context;
    lotor_campaign *campaign = taking->campaign;
    lotor_refusal refusal;
    lotor_spec *spec = NULL;
    json_t *json = json_loads(row->spec, 0, NULL);
    lotor_code code = json ? lotor_spec_read(json, &refusal, &spec) : LOTOR_CODE_BAD_JSON;
    json_decref(json);
    if (code) {
        return lotor_fail(LOTOR_DAMAGED, taking->why, "the parameters of campaign %s can't be read",
                          campaign->name);
    }
    lotor_status status = lotor_campaign_name_arms(campaign, spec, taking->why);
    if (status) {
        lotor_spec_free(spec);
        return status;
    }
    pthread_mutex_lock(&campaign->lock);
    lotor_spec *old = campaign->spec;
    campaign->spec = spec;
    campaign->closed = row->closed;
    campaign->wants_void = true; /* what was drawn before may be paused now */
    pthread_mutex_unlock(&campaign->lock);
    lotor_spec_free(old);
    return LOTOR_OK;
}

lotor_status lotor_shared_spec(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    spec_taker taking = {campaign, why};
    return lotor_store_get_state(engine->store, campaign->id, take_spec, &taking, why);
}

/* What is public of the state: means, counts, rounds that are over. The policy itself is not kept: it may
 * be a newer one than the blocks that are known here. */
static lotor_status look(lotor_engine *engine, lotor_campaign *campaign, const lotor_mark *mark,
                         lotor_message *why)
{
    lotor_campaign shell = {.id = campaign->id, .lock = PTHREAD_MUTEX_INITIALIZER};
    shell.turn.is_touched = true; /* nobody waits for a lock here */
    lotor_status status = lotor_campaign_load(engine, &shell, why);
    if (status) {
        free(shell.over);
        return status;
    }
    lotor_campaign_look(campaign, shell.policy);
    pthread_mutex_lock(&campaign->lock);
    lotor_shown_since(campaign, shell.over, mark->final);
    campaign->ended = campaign->ended > shell.ended ? campaign->ended : shell.ended;
    campaign->releases = mark->releases;
    campaign->final_seen = mark->final;
    pthread_mutex_unlock(&campaign->lock);
    free(shell.over);
    lotor_campaign_put_away(engine, &shell);
    return LOTOR_OK;
}

static lotor_status take_mark(lotor_engine *engine, const lotor_mark *mark, lotor_message *why)
{
    lotor_campaign *campaign = lotor_table_find_id(engine, mark->campaign);
    lotor_status status = LOTOR_OK;
    if (!campaign) {
        polling poll = {.engine = engine, .why = why};
        status = lotor_store_get_state(engine->store, mark->campaign, add_campaign, &poll, why);
        campaign = status ? NULL : lotor_table_find_id(engine, mark->campaign);
        if (campaign) {
            campaign->seen = *mark;
            campaign->due = mark->due;
            pthread_mutex_lock(&campaign->lock);
            campaign->releases = mark->releases;
            lotor_shown_restore(campaign); /* its open blocks come with the first turn at it */
            pthread_mutex_unlock(&campaign->lock);
        }
        return status;
    }
    if (mark->version == campaign->seen.version && mark->final == campaign->seen.final) {
        return LOTOR_OK;
    }
    if (mark->specs != campaign->seen.specs) {
        status = lotor_shared_spec(engine, campaign, why);
    }
    if (!status && mark->final != campaign->seen.final) {
        status = look(engine, campaign, mark, why);
    }
    if (!status) {
        campaign->seen = *mark;
        campaign->due = mark->due;
    }
    return status;
}

lotor_status lotor_shared_poll(lotor_engine *engine, lotor_message *why)
{
    const uint64_t latest = engine->seen_touched;
    polling poll = {.engine = engine, .why = why};
    lotor_status status = lotor_store_each_mark(
        engine->store, latest > OVERLAP_MS ? latest - OVERLAP_MS : 0, keep_mark, &poll, why);
    for (size_t i = 0; !status && i < poll.count; i++) {
        const lotor_mark *mark = &poll.marks[i];
        status = take_mark(engine, mark, why);
        if (engine->polled_at && (status == LOTOR_DAMAGED || status == LOTOR_VERSION)) {
            status = LOTOR_OK; /* the other campaigns go on; at the start it is refused */
        }
        if (!status && mark->touched > engine->seen_touched) {
            engine->seen_touched = mark->touched;
        }
    }
    free(poll.marks);
    if (!status) {
        engine->polled_at = engine->turn.now;
    }
    return status;
}
