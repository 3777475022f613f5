/* lifecycle.c - the phase of a campaign: open, paused, closed, archived, deleted.
 *
 *      open ◀──▶ paused        nothing is shown; feedback and releases go on
 *      open, paused ──▶ closed nothing will ever be shown again; feedback and releases go on
 *      any ◀──▶ archived       read-only and not listed; feedback and releases of open rounds go on
 *      any ──▶ deleted         private state, feedback and the key are erased; releases stay
 *
 * The phase is a part of the specification, which the server key authenticates. An owner's commit
 * requires the specification that the owner knows, so a change of the phase fences the owner until it
 * has read the change. Only deletion touches rounds that were shown: see engine.md.
 */
#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "service/engine/inside.h"

static const char *const names[] = {
    [LOTOR_ACT_CLOSE] = "close",         [LOTOR_ACT_PAUSE] = "pause",
    [LOTOR_ACT_RESUME] = "resume",       [LOTOR_ACT_ARCHIVE] = "archive",
    [LOTOR_ACT_UNARCHIVE] = "unarchive", [LOTOR_ACT_DELETE] = "delete",
};

const char *lotor_act_name(lotor_act act)
{
    assert(act < sizeof names / sizeof *names);
    return names[act];
}

/* --- the requests that a phase allows --------------------------------------------------------- */

static lotor_code phase_code(const lotor_spec *spec, bool closed)
{
    if (spec->deleted) {
        return LOTOR_CODE_DELETED;
    }
    if (spec->archived) {
        return LOTOR_CODE_ARCHIVED;
    }
    if (closed) {
        return LOTOR_CODE_CLOSED;
    }
    return spec->paused ? LOTOR_CODE_PAUSED : LOTOR_CODE_NONE;
}

static lotor_code refuse(lotor_code code, lotor_refusal *refusal)
{
    const char *text = "";
    switch (code) {
    case LOTOR_CODE_NONE:
        return code;
    case LOTOR_CODE_DELETED:
        text = "the campaign was deleted, and only its releases are left: create another campaign";
        break;
    case LOTOR_CODE_ARCHIVED:
        text =
            "the campaign is archived and read-only: use POST /v1/campaigns/NAME/unarchive first";
        break;
    case LOTOR_CODE_PAUSED:
        text = "the campaign is paused and shows nothing: use POST /v1/campaigns/NAME/resume first";
        break;
    default:
        text = "the campaign is closed: create another campaign";
    }
    return lotor_refuse(refusal, code, "", "%s", text);
}

void lotor_campaign_set_phase(lotor_campaign *campaign, bool closed)
{
    campaign->closed = closed;
    campaign->halted = phase_code(campaign->spec, closed);
}

bool lotor_campaign_may_show(const lotor_campaign *campaign, lotor_refusal *refusal)
{
    return refuse(campaign->halted, refusal) == LOTOR_CODE_NONE;
}

lotor_code lotor_lifecycle_check(const lotor_spec *spec, bool closed, lotor_refusal *refusal)
{
    const lotor_code code = phase_code(spec, closed);
    return code == LOTOR_CODE_PAUSED ? LOTOR_CODE_NONE : refuse(code, refusal);
}

/* --- acts ------------------------------------------------------------------------------------- */

static lotor_code set(bool *flag, bool value, bool *is_same)
{
    *is_same = *flag == value;
    *flag = value;
    return LOTOR_CODE_NONE;
}

lotor_code lotor_lifecycle_apply(lotor_act act, lotor_spec *spec, bool *closed,
                                 lotor_refusal *refusal, bool *is_same)
{
    *is_same = false;
    if (act == LOTOR_ACT_DELETE) {
        return set(&spec->deleted, true, is_same);
    }
    if (spec->deleted) {
        return refuse(LOTOR_CODE_DELETED, refusal);
    }
    if (act == LOTOR_ACT_ARCHIVE || act == LOTOR_ACT_UNARCHIVE) {
        return set(&spec->archived, act == LOTOR_ACT_ARCHIVE, is_same);
    }
    /* closing twice is fine */
    const bool is_closed = *closed && act != LOTOR_ACT_CLOSE;
    const lotor_code code = lotor_lifecycle_check(spec, is_closed, refusal);
    if (code != LOTOR_CODE_NONE) {
        return code;
    }
    return act == LOTOR_ACT_CLOSE ? set(closed, true, is_same)
                                  : set(&spec->paused, act == LOTOR_ACT_PAUSE, is_same);
}

/* --- deletion --------------------------------------------------------------------------------- */

lotor_status lotor_lifecycle_erase(lotor_engine *engine, const lotor_campaign *campaign,
                                   lotor_message *why)
{
    engine->must_overwrite = true; /* even if the commit's outcome is unknown */
    return lotor_store_erase(engine->store, campaign->id, why);
}

/* Writes the deletion to the head file: a backup that brings the campaign back is noticed. */
static void note_deletion(lotor_engine *engine, const lotor_campaign *campaign)
{
    const lotor_head_record head = {.campaign = campaign->id | LOTOR_HEADS_DELETED, .number = 1};
    if (engine->heads) {
        const bool is_known = lotor_heads_put(engine->heads, &head, NULL) == LOTOR_OK;
        engine->heads_are_behind = lotor_heads_write(engine->heads, NULL) != LOTOR_OK || !is_known;
    }
}

/* The public numbers are those of releases, which are read from the store. The others are gone, as
 * they are for a server that starts later. */
static void forget_numbers(lotor_campaign *campaign)
{
    assert(lotor_is_locked(&campaign->lock));
    memset(campaign->readings, 0, campaign->arms * sizeof *campaign->readings);
    memset(campaign->shown, 0, campaign->arms * sizeof *campaign->shown);
    memset(campaign->over, 0, campaign->arms * sizeof *campaign->over);
    campaign->measured = campaign->controlled = (lotor_arm_sums){0};
    campaign->has_weights = false;
    campaign->decisions = campaign->ended = 0;
    campaign->releases = campaign->lease.releases;
    campaign->drawn.is_low = campaign->blanks.is_low = false;
    lotor_fill_list_clear(&campaign->fills);
}

void lotor_lifecycle_forget(lotor_engine *engine, lotor_campaign *campaign)
{
    assert(campaign->spec->deleted);
    if (campaign->is_erased) {
        return;
    }
    lotor_takeover_disown(engine, campaign);
    while (campaign->block_first < campaign->block_end) {
        lotor_campaign_drop_block(campaign, campaign->block_end - 1);
    }
    lotor_remote_forget(engine, campaign);
    campaign->lease.owner = 0;
    campaign->has_reports = false;
    lotor_blank_put_away(campaign);
    lotor_fill_list_clear(&campaign->unrecorded);
    campaign->own_asks = campaign->foreign_asks = 0;
    lotor_campaign_trouble(campaign, "");
    unsigned char key[LOTOR_INTAKE_KEY];
    randombytes_buf(key, sizeof key);
    /* requests seal contexts with the key, under one of these locks */
    pthread_mutex_lock(&campaign->chooser_lock);
    pthread_mutex_lock(&campaign->lock);
    lotor_intake_erase(campaign->intake, key);
    forget_numbers(campaign);
    pthread_mutex_unlock(&campaign->lock);
    pthread_mutex_unlock(&campaign->chooser_lock);
    lotor_wipe(key, sizeof key);
    campaign->lacks_budget = false;
    campaign->is_erased = campaign->may_have_left = true;
    note_deletion(engine, campaign);
}

void lotor_lifecycle_overwrite(lotor_engine *engine)
{
    if (engine->must_overwrite) {
        engine->overwrite_at = engine->boot;
        /* a reader may be in the way; then lotor_lifecycle_tend tries again */
        engine->must_overwrite = lotor_store_overwrite(engine->store, NULL) != LOTOR_OK;
    }
}

lotor_status lotor_lifecycle_tend(lotor_engine *engine, lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; status == LOTOR_OK && i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        if (campaign->may_have_left) {
            note_deletion(engine, campaign);
            status = lotor_store_erase_left(engine->store, campaign->id, why);
            campaign->may_have_left = status != LOTOR_OK;
            engine->must_overwrite = true;
        }
    }
    if (status == LOTOR_OK && engine->boot >= engine->overwrite_at + LOTOR_BEAT_MS) {
        lotor_lifecycle_overwrite(engine);
    }
    return status;
}

/* --- requests --------------------------------------------------------------------------------- */

lotor_completion lotor_engine_act(lotor_engine *engine, const char *name, lotor_act act,
                                  lotor_job *job)
{
    job->refusal.code = LOTOR_CODE_NONE;
    lotor_campaign *campaign = lotor_table_find_or_refuse(engine, name, &job->refusal);
    if (!campaign) {
        return LOTOR_COMPLETED;
    }
    lotor_job_work *work = malloc(sizeof *work);
    if (!work) {
        return lotor_job_no_memory(job);
    }
    *work = (lotor_job_work){.campaign = campaign, .act = act};
    return lotor_engine_queue(engine, job, LOTOR_JOB_ACT, work);
}
