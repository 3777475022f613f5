/* append.c - rewards: appends feedback to the log, and acknowledges it if its round is not sealed.
 *
 *      front end:  append, commit, then look; acknowledged if the round is not sealed at the look
 *      owner:      seal, commit, then read the log
 *
 * If the look does not see the seal, the append came before the owner read the log, so the feedback
 * is counted.
 *
 * Another server may have shown a blank a moment ago, and not have committed its record yet. Then the
 * feedback is held for up to half a second, and tried again after 10, 30, 70, ... milliseconds.
 * Nothing of it is in the log or acknowledged meanwhile.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/engine/inside.h"
#include "service/little.h"
#include "service/spec/fields.h"

/* --- in the request's thread ------------------------------------------------------------------ */

static const lotor_code fault_codes[] = {
    [LOTOR_FAULT_VALUE] = LOTOR_CODE_BAD_VALUE,
    [LOTOR_FAULT_MISSING_FIELD] = LOTOR_CODE_MISSING_FIELD,
    [LOTOR_FAULT_UNKNOWN_FIELD] = LOTOR_CODE_UNKNOWN_FIELD,
    [LOTOR_FAULT_RAW_FEEDBACK] = LOTOR_CODE_RAW_FEEDBACK,
    [LOTOR_FAULT_MEMORY] = LOTOR_CODE_INTERNAL,
};

/* Refuses item i. Without memory the whole list is refused. */
static bool refuse(lotor_job *job, const lotor_job_work *work, size_t i, lotor_code code,
                   const char *field, const char *message)
{
    char full[LOTOR_FIELD_ROOM];
    const bool is_one = work->refusals && code != LOTOR_CODE_INTERNAL;
    if (work->refusals) {
        snprintf(full, sizeof full, "rewards[%zu]%s%.30s", i, *field ? "." : "", field);
    } else {
        snprintf(full, sizeof full, "%.60s", field);
    }
    lotor_refuse(is_one ? &work->refusals[i] : &job->refusal, code, full, "%s", message);
    job->refused += is_one;
    return false;
}

static bool refuse_fault(lotor_job *job, const lotor_job_work *work, size_t i,
                         const lotor_intake_refusal *fault)
{
    return refuse(job, work, i, fault_codes[fault->fault], fault->field, fault->message.text);
}

static bool read_one(lotor_engine *engine, lotor_job *job, lotor_job_work *work, size_t i,
                     const lotor_event_feedback *reward)
{
    lotor_feedback_target *told = &work->told[i];
    const bool is_ours =
        lotor_server_key_read_token(engine->server_key, reward->event, &told->event);
    told->campaign = is_ours ? lotor_table_find_id(engine, told->event.campaign) : NULL;
    if (is_ours && !told->campaign && lotor_table_is_left_out(engine, told->event.campaign)) {
        return refuse(job, work, i, LOTOR_CODE_BROKEN, "event",
                      "this campaign can't be served at the moment: try again later");
    }
    if (is_ours && !told->campaign && !lotor_store_is_exclusive(engine->store)) {
        return refuse(job, work, i, LOTOR_CODE_STORE, "event",
                      "this campaign was just created on another server: try again");
    }
    if (!told->campaign) {
        return refuse(
            job, work, i, LOTOR_CODE_NO_SUCH_EVENT, "event",
            "this is not an event of this server: expected the event that a rank request returned");
    }
    if (job->only && strcmp(job->only, told->campaign->name) != 0) {
        char message[200];
        snprintf(message, sizeof message,
                 "this key is for the campaign %.64s only: expected a key with the role reward or "
                 "admin for the event's campaign",
                 job->only);
        return refuse(job, work, i, LOTOR_CODE_FORBIDDEN, "event", message);
    }
    lotor_intake_refusal fault = {0};
    return lotor_feedback_list_read(work->feedback, told->campaign->intake, reward->feedback,
                                    &fault) ||
           refuse_fault(job, work, i, &fault);
}

/* Reads all items that the caller has not refused. Returns how many could be read; 0 if the whole
 * list was refused. */
static size_t read_all(lotor_engine *engine, lotor_job *job, lotor_job_work *work,
                       const lotor_event_feedback *rewards)
{
    size_t read = 0;
    for (size_t i = 0; i < work->count; i++) {
        if (work->refusals && work->refusals[i].code != LOTOR_CODE_NONE) {
            job->refused++;
            continue;
        }
        work->told[i].place = read;
        if (read_one(engine, job, work, i, &rewards[i])) {
            read++;
        } else if (job->refusal.code != LOTOR_CODE_NONE) {
            return 0;
        } else {
            work->told[i].campaign = NULL;
        }
    }
    return read;
}

lotor_completion lotor_engine_reward(lotor_engine *engine, const lotor_event_feedback *rewards,
                                     size_t count, lotor_refusal *refusals, lotor_job *job)
{
    assert(refusals || count <= 1);
    job->refusal.code = LOTOR_CODE_NONE;
    job->late = job->refused = 0;
    if (count == 0) {
        return LOTOR_COMPLETED;
    }
    lotor_job_work *work = calloc(1, sizeof *work);
    lotor_feedback_target *told = calloc(count, sizeof *told);
    lotor_feedback_list *feedback = lotor_feedback_list_new(count);
    if (!work || !told || !feedback) {
        free(work);
        free(told);
        lotor_feedback_list_free(feedback);
        return lotor_job_no_memory(job);
    }
    *work =
        (lotor_job_work){.told = told, .feedback = feedback, .count = count, .refusals = refusals};
    if (read_all(engine, job, work, rewards) == 0) {
        lotor_feedback_list_free(feedback);
        free(told);
        free(work);
        return LOTOR_COMPLETED;
    }
    return lotor_engine_queue(engine, job, LOTOR_JOB_REWARD, work);
}

/* --- the writer: finding the decision --------------------------------------------------------- */

typedef struct block_finder {
    lotor_campaign *campaign;
    lotor_message *why;
    lotor_block *found;
} block_finder;

static lotor_status copy_block(void *context, const lotor_block_row *row)
{
    block_finder *finder = context;
    return lotor_block_unpack(row, finder->campaign->arms, finder->why, &finder->found);
}

/* Finds the block of an event. *out: NULL if the store has no such block, because its rounds are
 * final. */
static lotor_status find_block(lotor_engine *engine, lotor_campaign *campaign,
                               const lotor_event *event, lotor_message *why, lotor_block **out)
{
    const uint64_t decision = event->number;
    if (!campaign->is_owner) {
        lotor_campaign_forget_others(campaign, decision, event->nonce);
    }
    *out = lotor_campaign_find_block(campaign, decision);
    if (*out) {
        return LOTOR_OK;
    }
    block_finder finder = {campaign, why, NULL};
    lotor_status status =
        lotor_store_find_block(engine->store, campaign->id, decision, copy_block, &finder, why);
    if (status == LOTOR_DAMAGED && lotor_manage_hear_of_arms(engine, campaign)) {
        status =
            lotor_store_find_block(engine->store, campaign->id, decision, copy_block, &finder, why);
    }
    if (status == LOTOR_UNKNOWN) {
        return LOTOR_OK;
    }
    if (status == LOTOR_OK) {
        /* it belongs to another server, or to an earlier start of this one */
        finder.found->is_stopped = true;
        finder.found->is_reported = true;
        status = lotor_campaign_add_block(campaign, finder.found, why);
    }
    *out = status == LOTOR_OK ? finder.found : NULL;
    return status;
}

static bool is_over(const lotor_engine *engine, const lotor_job_work *work,
                    const lotor_feedback_target *told)
{
    const lotor_campaign *campaign = told->campaign;
    return (engine->is_steady && work->at > told->event.expires) ||
           told->event.number <= campaign->sealed;
}

/* True if the record of a blank may come soon, and the request may wait for it. */
static bool can_wait(const lotor_engine *engine, const lotor_job_work *work,
                     const lotor_block *block)
{
    return block->holder != engine->server && !lotor_store_is_exclusive(engine->store) &&
           engine->held_count < LOTOR_HELD_MAX && engine->boot < work->arrival + LOTOR_HOLD_MS;
}

/* The holder of a blank records what it shows soon after it was handed out. If it stops before, the
 * decision counts for nothing. Whether another server still runs is not known here; on an exclusive
 * store there is none. */
static void refuse_unrecorded(const lotor_engine *engine, lotor_job *job, size_t i,
                              const lotor_block *block)
{
    if (can_wait(engine, job->work, block)) {
        ((lotor_job_work *)job->work)->must_wait = true;
    } else if (block->holder == engine->server || !lotor_store_is_exclusive(engine->store)) {
        refuse(job, job->work, i, LOTOR_CODE_NOT_RECORDED_YET, "event",
               "the server that showed this decision has not recorded its arms yet: try again");
    } else {
        refuse(job, job->work, i, LOTOR_CODE_NOT_RECORDED, "event",
               "a server stopped before it recorded the arms of this decision, so the decision "
               "does not count: rank again");
    }
}

/* LOTOR_INVALID: the item was refused, or the whole job must wait, or it was refused: then
 * job->refusal is set. */
static lotor_status accept_one(lotor_engine *engine, lotor_job *job, size_t i, lotor_message *why)
{
    lotor_job_work *work = job->work;
    lotor_feedback_target *told = &work->told[i];
    lotor_campaign *campaign = told->campaign;
    lotor_block *block = NULL;
    told->first = 0;
    if (campaign->is_retired) {
        refuse(job, work, i, LOTOR_CODE_NO_SUCH_EVENT, "event",
               "this campaign was lost when the database was restored to an older state");
        return LOTOR_INVALID;
    }
    if (campaign->is_erased) {
        refuse(job, work, i, LOTOR_CODE_DELETED, "event",
               "the campaign of this event was deleted, and accepts no feedback any more");
        return LOTOR_INVALID;
    }
    if (is_over(engine, work, told)) {
        return LOTOR_OK;
    }
    const lotor_status status = find_block(engine, campaign, &told->event, why, &block);
    /* Without other servers, a block that is missing and not sealed was never drawn on this
     * store. */
    const bool is_over_there = !block && engine->margin > 0;
    if (status != LOTOR_OK || is_over_there) {
        return status;
    }
    if (!block || block->nonce != told->event.nonce) {
        refuse(
            job, work, i, LOTOR_CODE_NO_SUCH_EVENT, "event",
            "this decision was lost when the database was restored to an older state: rank again");
        return LOTOR_INVALID;
    }
    const size_t place = (size_t)(told->event.number - block->first);
    assert(place < block->count);
    if (!lotor_block_is_known(block, place)) {
        const lotor_status found = lotor_blank_find(engine, campaign, told->event.number, why);
        if (found != LOTOR_OK) {
            return found;
        }
    }
    if (!lotor_block_is_known(block, place)) {
        refuse_unrecorded(engine, job, i, block);
        return LOTOR_INVALID;
    }
    lotor_display display;
    lotor_intake_refusal fault = {0};
    lotor_block_kept(block, place, &display);
    if (!lotor_intake_accept(campaign->intake, work->feedback, told->place, told->event.number,
                             block->nonce, &display, campaign->ids, &fault)) {
        refuse_fault(job, work, i, &fault);
        return LOTOR_INVALID;
    }
    told->first = block->first;
    if (!campaign->is_grouped || block->first < campaign->look_from) {
        campaign->look_from = block->first;
    }
    if (!campaign->is_grouped || block->first > campaign->look_to) {
        campaign->look_to = block->first;
    }
    campaign->is_grouped = true;
    return LOTOR_OK;
}

/* Accepts all items that are not refused. If anything else fails, or the job must wait, it accepts
 * none. */
static lotor_status accept_job(lotor_engine *engine, lotor_job *job, lotor_message *why)
{
    lotor_job_work *work = job->work;
    lotor_status status = LOTOR_OK;
    size_t i = 0;
    work->must_wait = false;
    for (; i < work->count && status == LOTOR_OK; i++) {
        if (!work->told[i].campaign) {
            continue;
        }
        status = accept_one(engine, job, i, why);
        if (status == LOTOR_INVALID && job->refusal.code == LOTOR_CODE_NONE && !work->must_wait) {
            work->told[i].campaign = NULL;
            status = LOTOR_OK;
        }
    }
    assert(job->refused <= work->count);
    if (status == LOTOR_OK) {
        return status;
    }
    while (i-- > 0) {
        if (work->told[i].first) {
            lotor_intake *intake = work->told[i].campaign->intake;
            assert(lotor_intake_pending(intake) > 0);
            lotor_intake_undo(intake, lotor_intake_pending(intake) - 1);
        }
    }
    return status;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void next_seq(lotor_engine *engine, lotor_campaign *campaign, lotor_log_row *row)
{
    if (campaign->stream != engine->stream) {
        campaign->stream = engine->stream;
        campaign->seq = 0;
    }
    assert(campaign->stream != 0);
    row->stream = campaign->stream;
    row->seq = ++campaign->seq;
}

static lotor_status append_feedback(lotor_engine *engine, lotor_campaign *campaign,
                                    lotor_message *why)
{
    lotor_log_row row = {.kind = LOTOR_LOG_FEEDBACK};
    unsigned char *bytes;
    next_seq(engine, campaign, &row);
    lotor_status status = lotor_intake_seal_pending(campaign->intake, row.stream, row.seq, why,
                                                    &bytes, &row.length, &row.first, &row.last);
    if (status == LOTOR_OK) {
        row.bytes = bytes;
        status = lotor_store_append(engine->store, campaign->id, &row, why);
        lotor_bytes_free(bytes, row.length);
    }
    return status;
}

void lotor_handout_seal(const lotor_engine *engine, uint64_t campaign, const lotor_log_row *row,
                        uint64_t nonce, uint64_t handed, unsigned char sealed[LOTOR_HANDOUT_SEALED])
{
    unsigned char plain[LOTOR_HANDOUT_BYTES];
    lotor_put_u64(plain, row->stream);
    lotor_put_u64(plain + 8, row->first);
    lotor_put_u64(plain + 16, row->last);
    lotor_put_u64(plain + 24, nonce);
    lotor_put_u64(plain + 32, handed);
    lotor_server_key_seal(engine->server_key, LOTOR_SEAL_HANDOUT, campaign, row->seq, plain,
                          sizeof plain, sealed);
}

static lotor_status append_report(lotor_engine *engine, lotor_campaign *campaign,
                                  const lotor_block *block, lotor_message *why)
{
    unsigned char sealed[LOTOR_HANDOUT_SEALED];
    assert(block->is_stopped && block->handed <= block->count);
    lotor_log_row row = {.kind = LOTOR_LOG_HANDOUT,
                         .first = block->first,
                         .last = lotor_block_last(block),
                         .bytes = sealed,
                         .length = sizeof sealed};
    next_seq(engine, campaign, &row);
    lotor_handout_seal(engine, campaign->id, &row, block->nonce, block->handed, sealed);
    return lotor_store_append(engine->store, campaign->id, &row, why);
}

/* True if this server has stopped handing the block out, and has not appended a handout for it
 * yet. */
static bool needs_report(const lotor_engine *engine, const lotor_block *block)
{
    return block->holder == engine->server && block->is_stopped && !block->is_reported &&
           !block->is_blank;
}

static lotor_status append_reports(lotor_engine *engine, lotor_campaign *campaign,
                                   lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    for (size_t i = campaign->block_first; status == LOTOR_OK && i < campaign->block_end; i++) {
        if (needs_report(engine, campaign->blocks[i])) {
            status = append_report(engine, campaign, campaign->blocks[i], why);
        }
    }
    return status;
}

static bool has_any_report(const lotor_engine *engine, lotor_campaign *campaign)
{
    bool has = false;
    for (size_t i = campaign->block_first; campaign->has_reports && !has && i < campaign->block_end;
         i++) {
        has = needs_report(engine, campaign->blocks[i]);
    }
    campaign->has_reports = has;
    return has;
}

static lotor_status write_rows(lotor_engine *engine, lotor_message *why)
{
    lotor_status status = lotor_engine_begin(engine, why);
    for (size_t i = 0; status == LOTOR_OK && i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        if (campaign->unrecorded.length > 0) { /* before the feedback for it, in one transaction */
            lotor_log_row row = {0};
            next_seq(engine, campaign, &row);
            status = lotor_blank_append(engine, campaign, &row, why);
        }
        if (status == LOTOR_OK && campaign->is_grouped &&
            lotor_intake_pending(campaign->intake) > 0) {
            status = append_feedback(engine, campaign, why);
        }
        if (status == LOTOR_OK && campaign->has_reports) {
            status = append_reports(engine, campaign, why);
        }
    }
    if (status != LOTOR_OK) {
        lotor_store_rollback(engine->store);
        return status;
    }
    return lotor_engine_commit(engine, why);
}

/* --- reading new rows of the log -------------------------------------------------------------- */

typedef struct looker {
    lotor_campaign *campaign;
    uint64_t look;
} looker;

static lotor_status see_open(void *context, uint64_t first, uint64_t nonce)
{
    const looker *at = context;
    lotor_block *block = lotor_campaign_find_block(at->campaign, first);
    if (block && block->nonce == nonce) {
        block->look = at->look;
    }
    return LOTOR_OK;
}

static lotor_status look(lotor_engine *engine, lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    engine->looks++;
    for (size_t i = 0; status == LOTOR_OK && i < engine->campaign_count; i++) {
        looker at = {engine->by_place[i], engine->looks};
        if (at.campaign->is_grouped) {
            status = lotor_store_each_open(engine->store, at.campaign->id, at.campaign->look_from,
                                           at.campaign->look_to, see_open, &at, why);
        }
    }
    return lotor_engine_is_connected(engine, status, why);
}

static void acknowledge(lotor_engine *engine, lotor_job *job)
{
    const lotor_job_work *work = job->work;
    for (size_t i = 0; i < work->count; i++) {
        const lotor_feedback_target *told = &work->told[i];
        const lotor_block *block =
            told->first ? lotor_campaign_find_block(told->campaign, told->first) : NULL;
        job->late += told->campaign &&
                     !(block && block->nonce == told->event.nonce && block->look == engine->looks);
    }
    assert(job->late + job->refused <= work->count);
    atomic_fetch_add_explicit(&engine->counters.feedback, work->count - job->late - job->refused,
                              memory_order_relaxed);
    lotor_job_finish(job);
}

/* --- everything ------------------------------------------------------------------------------- */

static void end_group(lotor_engine *engine, bool was_written)
{
    for (size_t i = 0; i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        if (campaign->is_grouped) {
            lotor_intake_clear_pending(campaign->intake);
        }
        if (campaign->is_early && was_written && (campaign->is_grouped || campaign->has_reports)) {
            campaign->is_due = true; /* there may be feedback for all of a block now */
        }
        campaign->is_grouped = false;
        campaign->unrecorded.length = was_written ? 0 : campaign->unrecorded.length;
        for (size_t j = campaign->block_first;
             was_written && campaign->has_reports && j < campaign->block_end; j++) {
            lotor_block *block = campaign->blocks[j];
            block->is_reported = block->is_reported || needs_report(engine, block);
        }
        campaign->has_reports = campaign->has_reports && !was_written;
    }
}

static void hold(lotor_engine *engine, lotor_job *job)
{
    lotor_job_work *work = job->work;
    work->pause = work->pause > 0 ? 2 * work->pause : LOTOR_HOLD_FIRST_MS;
    work->retry_at = engine->boot + work->pause;
    if (work->retry_at > work->arrival + LOTOR_HOLD_MS) { /* the last try */
        work->retry_at = work->arrival + LOTOR_HOLD_MS;
    }
    job->next = engine->held;
    engine->held = job;
    engine->held_count++;
}

lotor_job *lotor_append_unhold(lotor_engine *engine, uint64_t boot)
{
    lotor_job *due = NULL, **at = &engine->held;
    while (*at) {
        lotor_job *const job = *at;
        if (((const lotor_job_work *)job->work)->retry_at > boot) {
            at = &job->next;
            continue;
        }
        *at = job->next;
        job->next = due;
        due = job;
        assert(engine->held_count > 0);
        engine->held_count--;
    }
    return due;
}

uint64_t lotor_append_next(const lotor_engine *engine)
{
    uint64_t due = UINT64_MAX;
    for (const lotor_job *job = engine->held; job; job = job->next) {
        const lotor_job_work *const work = job->work;
        due = work->retry_at < due ? work->retry_at : due;
    }
    return due;
}

/* Holds the jobs that must wait, ends those that are refused, and returns the others. */
static lotor_job *accept_all(lotor_engine *engine, lotor_job *jobs, lotor_message *why)
{
    lotor_job *accepted = NULL, **end = &accepted;
    for (lotor_job *next, *job = jobs; job; job = next) {
        next = job->next;
        job->next = NULL;
        const lotor_status status = accept_job(engine, job, why);
        if (status == LOTOR_OK) {
            *end = job;
            end = &job->next;
        } else if (status == LOTOR_INVALID && ((lotor_job_work *)job->work)->must_wait) {
            hold(engine, job);
        } else if (status == LOTOR_INVALID) {
            lotor_job_finish(job);
        } else {
            lotor_job_fail(job, status);
        }
    }
    return accepted;
}

lotor_status lotor_append(lotor_engine *engine, lotor_job *jobs, lotor_message *why)
{
    for (size_t i = 0; i < engine->campaign_count; i++) {
        lotor_blank_collect(engine->by_place[i]);
    }
    lotor_job *held = lotor_append_unhold(engine, engine->boot), **end = &held;
    while (*end) {
        end = &(*end)->next;
    }
    *end = jobs;
    lotor_job *accepted = accept_all(engine, held, why);
    bool has_rows = false;
    for (size_t i = 0; i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        has_rows = has_any_report(engine, campaign) || has_rows || campaign->unrecorded.length > 0;
        has_rows = has_rows || (campaign->is_grouped && lotor_intake_pending(campaign->intake) > 0);
    }
    lotor_status status = has_rows ? write_rows(engine, why) : LOTOR_OK;
    if (has_rows && status != LOTOR_OK) {
        lotor_engine_new_stream(engine); /* it is not known whether the rows were committed */
    }
    const bool was_written = has_rows && status == LOTOR_OK;
    if (was_written) {
        status = look(engine, why);
    }
    for (lotor_job *next, *job = accepted; job; job = next) {
        next = job->next;
        if (status == LOTOR_OK) {
            acknowledge(engine, job);
        } else {
            lotor_job_fail(job, status);
        }
    }
    end_group(engine, was_written);
    return status;
}
