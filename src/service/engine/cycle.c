/* cycle.c - the owner's cycle: prepare changes of its campaigns in memory, commit them, publish
 * them.
 *
 * A cycle reads the log, enters the blocks that an earlier commit sealed, draws the decisions that
 * were asked for, and seals the blocks that are due. Nobody sees any of this before the commit. If
 * the commit fails, or another server has taken the campaign, everything in memory is discarded and
 * the campaign is taken again (takeover.c).
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/engine/budgets.h"
#include "service/engine/inside.h"

/* --- sealing ---------------------------------------------------------------------------------- */

/* With early_release, a block may end before its deadline, when there is feedback for everything
 * that was shown. Without a handout, that is every decision of the block. */
static bool has_all_feedback(const lotor_campaign *campaign, const lotor_block *block)
{
    size_t place = 0;
    assert(!block->is_blank);
    while (place < lotor_block_shown(block) &&
           lotor_intake_has_feedback(campaign->intake, block->first + place, block->nonce)) {
        place++;
    }
    return place == lotor_block_shown(block);
}

/* Seals the blocks that are due. From the commit on, feedback for them is late. The next cycle
 * reads the feedback that came before. */
static void seal_due(lotor_engine *engine, lotor_campaign *campaign)
{
    lotor_owner_cycle *cycle = &campaign->cycle;
    cycle->lease.due = 0;
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        const lotor_block *block = campaign->blocks[i];
        if (lotor_block_last(block) <= cycle->lease.sealed) {
            continue;
        }
        const bool is_due = engine->is_steady && block->deadline < engine->low;
        if (!is_due && !(campaign->is_early && has_all_feedback(campaign, block))) {
            cycle->lease.due = block->deadline;
            break;
        }
        cycle->lease.sealed = lotor_block_last(block);
        cycle->has_more = true;
    }
    if (cycle->lease.due == 0 && cycle->fresh) {
        cycle->lease.due = cycle->fresh->deadline;
    }
    assert(cycle->lease.sealed >= campaign->lease.sealed);
    assert(cycle->lease.final <= cycle->lease.sealed);
}

/* --- preparing -------------------------------------------------------------------------------- */

static bool has_changed(const lotor_engine *engine, const lotor_campaign *campaign)
{
    const lotor_owner_cycle *cycle = &campaign->cycle;
    bool has_reply = false;
    for (const lotor_want *want = campaign->wants; want; want = want->next) {
        has_reply = has_reply || want->is_prepared;
    }
    /* After a clean stop the state knows all rows of the log, so a missing row will be noticed. */
    const bool has_rows = engine->is_leaving && campaign->has_read;
    return has_rows || campaign->saved_specs != campaign->specs || cycle->fresh || cycle->dropped ||
           has_reply || cycle->lease.sealed != campaign->lease.sealed;
}

/* True if the store has decisions that this server did not draw: another server has taken the
 * campaign. This server finds such a block when it gets feedback for it. The policy is loaded. */
static bool is_taken(const lotor_campaign *campaign)
{
    return campaign->block_first < campaign->block_end &&
           lotor_block_last(campaign->blocks[campaign->block_end - 1]) >
               lotor_policy_rounds(campaign->policy);
}

/* *taken: another server is the owner now, and nothing was prepared. */
static lotor_status prepare(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why,
                            bool *taken)
{
    lotor_owner_cycle *cycle = &campaign->cycle;
    bool stops;
    *taken = false;
    assert(campaign->is_owner && !cycle->is_prepared && !cycle->fresh && cycle->dropped == 0);
    engine->share_from = lotor_engine_boot(engine);
    campaign->is_due = false;
    cycle->lease = campaign->lease;
    cycle->lease.specs = campaign->specs;
    cycle->ended = campaign->ended;
    cycle->last_deadline = campaign->last_deadline;
    lotor_status status = lotor_state_load(engine, campaign, why);
    if (status == LOTOR_OK && is_taken(campaign)) {
        *taken = true;
        return LOTOR_OK;
    }
    if (status == LOTOR_OK && (campaign->lease.sealed > campaign->lease.final ||
                               campaign->is_early || engine->is_leaving)) {
        status = lotor_log_read(engine, campaign, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_draw_wants(engine, campaign, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_draw_enter_until(engine, campaign, UINT64_MAX, why, &stops);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    seal_due(engine, campaign);
    cycle->is_prepared = has_changed(engine, campaign);
    if (!cycle->is_prepared) {
        return LOTOR_OK;
    }
    size_t fresh = 0;
    for (const lotor_block *block = cycle->fresh; block; block = block->next) {
        fresh++;
    }
    return lotor_campaign_reserve(campaign, fresh)
               ? lotor_state_save(engine, campaign, why)
               : lotor_fail((lotor_status)LOTOR_MEMORY, why, "no memory for drawn decisions");
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Deletes final blocks, and log rows that were read and are final. Rows that were appended since
 * then stay: a later cycle reads them first. */
static lotor_status forget(lotor_engine *engine, const lotor_campaign *campaign, lotor_message *why)
{
    const uint64_t final = campaign->cycle.lease.final;
    lotor_status status = lotor_store_forget(engine->store, campaign->id, final, why);
    for (size_t i = 0; status == LOTOR_OK && i < campaign->cursor_count; i++) {
        const lotor_cursor *cursor = &campaign->cursors[i];
        bool has_old = false;
        for (size_t j = 0; !has_old && j < cursor->count; j++) {
            has_old = cursor->marks[j].last <= final;
        }
        if (has_old) {
            status = lotor_store_forget_log(engine->store, campaign->id, cursor->stream,
                                            cursor->seq, final, why);
        }
    }
    return status;
}

static lotor_status write_one(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why,
                              bool *is_fenced)
{
    const lotor_owner_cycle *cycle = &campaign->cycle;
    bool done = false;
    assert(cycle->is_prepared && cycle->state);
    assert(cycle->lease.epoch == campaign->lease.epoch);
    assert(cycle->lease.final >= campaign->lease.final);
    assert(cycle->lease.releases == campaign->lease.releases + cycle->release_count);
    lotor_status status = lotor_store_put_lease(engine->store, &cycle->lease, why, &done);
    *is_fenced = status == LOTOR_OK && !done;
    if (status != LOTOR_OK || !done) {
        return status;
    }
    for (const lotor_block *block = cycle->fresh; status == LOTOR_OK && block;
         block = block->next) {
        lotor_block_row row;
        lotor_block_row_of(block, &row);
        status = lotor_store_add_block(engine->store, campaign->id, &row, why);
    }
    for (size_t i = 0; status == LOTOR_OK && i < cycle->release_count; i++) {
        status = lotor_store_add_release(engine->store, &cycle->releases[i], why);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_put_state(engine->store, campaign->id, cycle->lease.epoch + 1,
                                       cycle->state, cycle->state_length, why);
    }
    if (status == LOTOR_OK && cycle->dropped > 0) {
        status = forget(engine, campaign, why);
    }
    for (const lotor_want *want = campaign->wants; status == LOTOR_OK && want; want = want->next) {
        if (want->is_prepared && want->server != engine->server) {
            status = lotor_remote_reply(engine, campaign, want, why);
        }
    }
    return status;
}

/* --- publishing ------------------------------------------------------------------------------- */

enum { CURSORS_KEPT = 16 };

/* Drops the cursor of a stream that has no open rows, if there are too many cursors. The streams
 * of servers that have ended usually have the smallest ids. */
static bool is_let_go(lotor_campaign *campaign, const lotor_cursor *cursor, size_t *too_many)
{
    if (cursor->count > 0 || *too_many == 0) {
        return false;
    }
    --*too_many;
    campaign->let_go = cursor->stream > campaign->let_go ? cursor->stream : campaign->let_go;
    return true;
}

static void drop_entered(lotor_campaign *campaign)
{
    for (size_t i = 0; i < campaign->cycle.dropped; i++) {
        assert(campaign->block_first < campaign->block_end);
        lotor_block *block = campaign->blocks[campaign->block_first];
        lotor_campaign_count(campaign, block, lotor_block_shown(block));
        if (block->is_blank) {
            lotor_campaign_uncount_lost(campaign, block);
            lotor_campaign_count_entered(campaign, block);
        }
        lotor_campaign_drop_block(campaign, campaign->block_first);
    }
    lotor_intake_forget(campaign->intake, campaign->lease.final);
    size_t cursors = 0;
    size_t too_many =
        campaign->cursor_count > CURSORS_KEPT ? campaign->cursor_count - CURSORS_KEPT : 0;
    for (size_t i = 0; i < campaign->cursor_count; i++) {
        lotor_cursor cursor = campaign->cursors[i];
        size_t kept = 0;
        for (size_t j = 0; j < cursor.count; j++) {
            if (cursor.marks[j].last > campaign->lease.final) {
                cursor.marks[kept++] = cursor.marks[j];
            }
        }
        cursor.count = kept;
        if (is_let_go(campaign, &cursor, &too_many)) {
            free(cursor.marks);
        } else {
            campaign->cursors[cursors++] = cursor;
        }
    }
    campaign->cursor_count = cursors;
}

static void add_fresh_blocks(lotor_engine *engine, lotor_campaign *campaign)
{
    lotor_owner_cycle *cycle = &campaign->cycle;
    for (lotor_block *next, *block = cycle->fresh; block; block = next) {
        next = block->next;
        block->next = NULL;
        free(block->packed);
        block->packed = NULL;
        const bool is_ours = block->holder == engine->server;
        assert(campaign->block_end < campaign->block_room);
        lotor_campaign_add_block(campaign, block, NULL); /* there is room: see prepare */
        if (is_ours && !block->want) {
            lotor_front_publish(engine, campaign, block);
        } else {
            block->handed = is_ours ? block->count : 0;
            block->is_stopped = block->is_reported = true;
            lotor_campaign_count(campaign, block, block->count);
        }
    }
    cycle->fresh = NULL;
    cycle->fresh_end = &cycle->fresh;
}

static void finish_wants(lotor_engine *engine, lotor_campaign *campaign)
{
    for (lotor_want *next, *want = campaign->wants; want; want = next) {
        next = want->next;
        if (!want->is_prepared) {
            continue;
        }
        if (want->refusal.code != LOTOR_CODE_NONE || !want->job) {
            lotor_front_refuse(engine, campaign, want);
        } else {
            lotor_front_finish(engine, campaign, want);
        }
    }
}

static void publish(lotor_engine *engine, lotor_campaign *campaign)
{
    lotor_owner_cycle *cycle = &campaign->cycle;
    const bool has_entered = cycle->dropped > 0;
    const uint64_t entered = cycle->entered, releases = cycle->release_count;
    assert(campaign->is_owner && cycle->is_prepared && !engine->heads_are_behind);
    campaign->lease = cycle->lease;
    campaign->lease.epoch++; /* as put_lease has written it */
    campaign->last_deadline = cycle->last_deadline;
    campaign->has_read = false;
    campaign->saved_specs = campaign->specs;
    if (cycle->over) {
        memcpy(campaign->over, cycle->over, campaign->arms * sizeof *campaign->over);
    }
    drop_entered(campaign);
    cycle->dropped = 0;
    add_fresh_blocks(engine, campaign);
    pthread_mutex_lock(&campaign->lock);
    campaign->ended = cycle->ended;
    campaign->releases = cycle->lease.releases;
    campaign->final = cycle->lease.final;
    campaign->sealed = cycle->lease.sealed;
    lotor_outlook_mark(campaign, engine->low);
    pthread_mutex_unlock(&campaign->lock);
    if (has_entered) {
        lotor_campaign_look(campaign, campaign->policy);
    }
    if (cycle->copy) {
        lotor_policy *copy = cycle->copy;
        cycle->copy = NULL;
        lotor_blank_choose_by(engine, campaign, copy);
    }
    finish_wants(engine, campaign);
    lotor_front_serve(engine, campaign);
    lotor_owner_cycle_clear(campaign);
    if (campaign->counts_at_entry) { /* displays were not counted: see budgets.md */
        atomic_fetch_add_explicit(&engine->counters.decisions, entered, memory_order_relaxed);
    }
    atomic_fetch_add_explicit(&engine->counters.rounds, entered, memory_order_relaxed);
    atomic_fetch_add_explicit(&engine->counters.releases, releases, memory_order_relaxed);
}

/* Writes the head file: after the commit, and before anybody sees what was released. Returns
 * false if it can't be written. */
static bool write_heads(lotor_engine *engine, lotor_campaign *const *list, size_t count)
{
    bool has_releases = false;
    for (size_t i = 0; i < count; i++) {
        const lotor_owner_cycle *cycle = &list[i]->cycle;
        if (cycle->release_count > 0) {
            lotor_head_record head = {.campaign = list[i]->id, .number = cycle->lease.releases};
            memcpy(head.hash, cycle->lease.head, sizeof head.hash);
            has_releases = true;
            engine->heads_are_behind =
                lotor_heads_put(engine->heads, &head, NULL) != LOTOR_OK || engine->heads_are_behind;
        }
    }
    if (has_releases) {
        engine->heads_are_behind = lotor_heads_write(engine->heads, NULL) != LOTOR_OK;
    }
    return !engine->heads_are_behind;
}

/* --- all campaigns together ------------------------------------------------------------------- */

/* Discards everything that was prepared: the store refused, or the commit's outcome is unknown. */
static void forget_all(lotor_engine *engine, lotor_campaign *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lotor_takeover_disown(engine, list[i]);
        lotor_front_refuse_waiting(engine, list[i]);
    }
}

static void drop_from(lotor_campaign **list, size_t *count, size_t place)
{
    assert(place < *count);
    memmove(list + place, list + place + 1, (*count - place - 1) * sizeof(lotor_campaign *));
    --*count;
}

/* The rollback has undone what was counted and charged for users, so their campaigns are taken over
 * again. */
static void forget_users(lotor_engine *engine, lotor_campaign **list, size_t *count)
{
    for (size_t i = *count; i-- > 0;) {
        if (list[i]->counts_users) {
            forget_all(engine, &list[i], 1);
            drop_from(list, count, i);
        }
    }
}

/* Writes one campaign in its own transaction, so that its failure does not affect the others. */
static lotor_status write_alone(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    bool is_fenced = false;
    lotor_status status = lotor_engine_begin(engine, why);
    if (status == LOTOR_OK) {
        status = write_one(engine, campaign, why, &is_fenced);
    }
    if (status == LOTOR_OK && !is_fenced) {
        status = lotor_engine_commit(engine, why);
    } else {
        lotor_store_rollback(engine->store);
    }
    if (status == LOTOR_DAMAGED || status == LOTOR_DUPLICATE) {
        lotor_campaign_fails(engine, campaign, status, why->text);
    } else if (status != LOTOR_OK) {
        forget_all(engine, &campaign, 1);
    } else if (is_fenced) {
        lotor_takeover_disown(engine, campaign);
    }
    return is_fenced ? LOTOR_DUPLICATE : status;
}

/* Writes each campaign in its own transaction. The list keeps those that were written. */
static lotor_status write_each(lotor_engine *engine, lotor_campaign **list, size_t *count,
                               lotor_message *why)
{
    size_t kept = 0;
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; i < *count; i++) {
        lotor_campaign *campaign = list[i];
        if (status == LOTOR_UNFINISHED) { /* the store refuses: the rest is not tried */
            forget_all(engine, &campaign, 1);
            continue;
        }
        status = write_alone(engine, campaign, why);
        if (status == LOTOR_OK) {
            list[kept++] = campaign;
        }
    }
    *count = kept;
    return LOTOR_OK;
}

/* Writes all campaigns in one transaction. A campaign that another server has taken is removed
 * from the list, and the others are written again. */
static lotor_status write_all(lotor_engine *engine, lotor_campaign **list, size_t *count,
                              bool has_begun, lotor_message *why)
{
    for (;;) {
        bool is_fenced = false;
        size_t at = 0;
        lotor_status status = has_begun ? LOTOR_OK : lotor_engine_begin(engine, why);
        while (status == LOTOR_OK && !is_fenced && at < *count) {
            status = write_one(engine, list[at], why, &is_fenced);
            at++;
        }
        if (status == LOTOR_OK && !is_fenced) {
            status = lotor_engine_commit(engine, why);
            if (status == LOTOR_OK) {
                return LOTOR_OK;
            }
        }
        lotor_store_rollback(engine->store);
        const bool is_damage = status == LOTOR_DAMAGED || status == LOTOR_DUPLICATE;
        if (status != LOTOR_OK && !is_damage) {
            return status;
        }
        if (is_fenced) {
            lotor_takeover_disown(engine, list[at - 1]);
            drop_from(list, count, at - 1);
        }
        if (has_begun) {
            forget_users(engine, list, count);
        }
        has_begun = false;
        if (is_damage) {
            /* A later statement may have returned the failure. Writing each campaign alone shows
             * which one is damaged. */
            return write_each(engine, list, count, why);
        }
        if (*count == 0) {
            return LOTOR_OK; /* nothing is left to write */
        }
    }
}

static bool has_work(lotor_engine *engine, lotor_campaign *campaign, bool ends_blocks)
{
    if (!campaign->is_owner) {
        return false;
    }
    bool has = campaign->is_due || campaign->lease.sealed > campaign->lease.final ||
               (campaign->wants && engine->is_steady);
    if (!has && ends_blocks && engine->is_steady) {
        has = campaign->lease.due && campaign->lease.due < engine->low;
    }
    if (!has) {
        pthread_mutex_lock(&campaign->lock);
        has = campaign->drawn.is_low || campaign->blanks.is_low;
        pthread_mutex_unlock(&campaign->lock);
    }
    return has;
}

/* True if this cycle may count rounds of users of the campaign: when it enters blanks, or draws. */
static bool may_count_users(const lotor_engine *engine, const lotor_campaign *campaign)
{
    if (campaign->counts_at_entry) {
        return campaign->lease.sealed > campaign->lease.final;
    }
    return campaign->counts_users && campaign->wants && engine->is_steady;
}

/* Prepares the campaigns of the list, and keeps those that have something to write. A campaign
 * that fails does not affect the others. */
static lotor_status prepare_all(lotor_engine *engine, lotor_campaign **list, size_t *count,
                                bool *has_begun, lotor_message *why)
{
    size_t kept = 0;
    bool is_spoiled = false;
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; !*has_begun && i < *count; i++) {
        *has_begun = may_count_users(engine, list[i]);
    }
    if (*has_begun) { /* users are counted in the transaction of their rounds */
        status = lotor_engine_begin(engine, why);
        if (status == LOTOR_OK) {
            status = lotor_users_lock(engine, list, *count, why);
        }
    }
    if (status != LOTOR_OK) {
        return status;
    }
    for (size_t i = 0; i < *count; i++) {
        lotor_campaign *campaign = list[i];
        lotor_message reason;
        bool taken;
        status = prepare(engine, campaign, &reason, &taken);
        if (status == LOTOR_UNFINISHED) {
            *why = reason;
            memmove(list + kept, list + i, (*count - i) * sizeof(lotor_campaign *));
            *count -= i - kept;
            return status;
        }
        if (status != LOTOR_OK) {
            /* what was counted for its users must not be committed without their rounds */
            is_spoiled = is_spoiled || (*has_begun && campaign->counts_users);
            lotor_campaign_fails(engine, campaign, status, reason.text);
        } else if (taken) {
            lotor_takeover_disown(engine, campaign);
        } else if (campaign->cycle.is_prepared) {
            list[kept++] = campaign;
        } else {
            lotor_owner_cycle_clear(campaign);
        }
        if (engine->is_leaving && campaign->cycle.dropped == 0) {
            /* Its state is sealed, or has not changed. All policies at once would need much
             * memory. */
            lotor_policy_put_away(engine, campaign);
        }
    }
    *count = kept;
    if (is_spoiled) {
        lotor_store_rollback(engine->store);
        forget_users(engine, list, count);
        *has_begun = false;
    }
    return LOTOR_OK;
}

static bool reserve_list(lotor_engine *engine)
{
    if (engine->turn_room >= engine->campaign_count) {
        return true;
    }
    const size_t room = 2 * engine->campaign_count;
    lotor_campaign **list = realloc(engine->cycle_list, room * sizeof(lotor_campaign *));
    if (!list) {
        return false;
    }
    engine->cycle_list = list;
    engine->turn_room = room;
    return true;
}

lotor_status lotor_owner_cycles(lotor_engine *engine, lotor_message *why, bool *has_more)
{
    /* Reads the clock again: earlier cycles may have taken long, and new blocks must not be too old
     * when they are committed. */
    lotor_register_clock(engine);
    const bool ends_blocks = engine->boot >= engine->cycle_at + engine->gather;
    size_t count = 0;
    bool has_begun = false;
    *has_more = false;
    if (!reserve_list(engine)) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a cycle");
    }
    lotor_campaign **list = engine->cycle_list;
    for (size_t i = 0; i < engine->campaign_count; i++) {
        if (has_work(engine, engine->by_place[i], ends_blocks)) {
            list[count++] = engine->by_place[i];
        }
    }
    engine->cycle_at = ends_blocks ? engine->boot : engine->cycle_at;
    lotor_status status = LOTOR_OK;
    if (count > 0) {
        status = prepare_all(engine, list, &count, &has_begun, why);
        if (status == LOTOR_OK && (count > 0 || has_begun)) {
            status = write_all(engine, list, &count, has_begun, why);
        } else if (has_begun) {
            lotor_store_rollback(engine->store);
        }
    }
    if (status == LOTOR_OK && !write_heads(engine, list, count)) {
        status = lotor_fail(LOTOR_UNFINISHED, why, "the head file can't be written");
    }
    if (status != LOTOR_OK) {
        lotor_store_rollback(engine->store);
        forget_all(engine, list, count);
    } else {
        for (size_t i = 0; i < count; i++) {
            *has_more = *has_more || list[i]->cycle.has_more;
            publish(engine, list[i]);
        }
    }
    return status;
}

/* --- the time of the next cycle --------------------------------------------------------------- */

uint64_t lotor_owner_cycle_next(lotor_engine *engine, lotor_campaign *campaign)
{
    uint64_t next = UINT64_MAX;
    if (campaign->wants) {
        next = campaign->wants->arrival + LOTOR_WANT_MS;
    }
    pthread_mutex_lock(&campaign->lock);
    if (campaign->drawn.first && engine->is_steady) {
        const uint64_t until = campaign->drawn.first->until;
        const uint64_t left = until >= engine->high ? until - engine->high + 1 : 0;
        next = engine->boot + left < next ? engine->boot + left : next;
    }
    pthread_mutex_unlock(&campaign->lock);
    if (campaign->is_owner && campaign->lease.due && engine->is_steady) {
        const uint64_t due = campaign->lease.due;
        uint64_t when = engine->boot + (due >= engine->low ? due - engine->low + 1 : 0);
        const uint64_t gathered = engine->cycle_at + engine->gather;
        when = when > gathered ? when : gathered;
        next = when < next ? when : next;
    }
    if (!campaign->is_owner && campaign->retry_at > engine->boot) {
        next = campaign->retry_at < next ? campaign->retry_at : next;
    }
    return next;
}
