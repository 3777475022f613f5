/* takeover.c - this server becomes the owner of campaigns.
 *
 * A takeover is the only recovery. It follows a start, a crash, a commit whose outcome is unknown,
 * a lost lease or a failover.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/engine/budgets.h"
#include "service/engine/inside.h"

/* The store's data about one campaign, read in the transaction that takes it. */
typedef struct takeover {
    lotor_campaign *campaign;
    lotor_lease lease;
    uint64_t epoch; /* of the state */
    unsigned char *state;
    size_t state_length;
    lotor_block **blocks;
    size_t block_count, block_room;
    bool got;
    bool lacks_release; /* that is in the head file */
    bool is_broken;     /* the same, or another campaign of its budget lacks a release */
    bool is_erased;     /* the campaign was deleted meanwhile */
    lotor_status status;
    lotor_message why;
} takeover;

void lotor_takeover_disown(lotor_engine *engine, lotor_campaign *campaign)
{
    campaign->is_owner = false;
    campaign->is_due = false;
    lotor_policy_put_away(engine, campaign);
    lotor_owner_cycle_clear(campaign);
    lotor_cursors_clear(campaign);
    lotor_intake_reset(campaign->intake);
    for (lotor_want *next, *want = campaign->wants; want; want = next) {
        next = want->next;
        want->is_prepared = false;
        want->block = NULL;
        /* its row is in the store: the next owner will read it */
        if (want->server != engine->server) {
            want->refusal.code = LOTOR_CODE_NONE;
            lotor_front_refuse(engine, campaign, want);
        }
    }
    engine->poll_at = 0;
}

/* True if the campaign itself is damaged. A failure of the store or a lack of memory is not the
 * campaign's fault, and may be over at the next attempt. */
static bool is_own_fault(lotor_status status)
{
    return status == LOTOR_DAMAGED || status == LOTOR_UNKNOWN || status == LOTOR_INVALID ||
           status == LOTOR_VERSION || status == LOTOR_OVERFLOW || status == LOTOR_DUPLICATE;
}

static void refuse_all(lotor_engine *engine, lotor_campaign *campaign, lotor_code code,
                       const char *text)
{
    for (lotor_want *next, *want = campaign->wants; want; want = next) {
        next = want->next;
        lotor_refuse(&want->refusal, code, "", "%s", text);
        lotor_front_refuse(engine, campaign, want);
    }
}

void lotor_campaign_fails(lotor_engine *engine, lotor_campaign *campaign, lotor_status status,
                          const char *text)
{
    lotor_takeover_disown(engine, campaign);
    if (!is_own_fault(status)) {
        campaign->retry_at = engine->boot + LOTOR_RETRY_MS;
        refuse_all(engine, campaign,
                   status == LOTOR_UNFINISHED ? LOTOR_CODE_STORE : LOTOR_CODE_INTERNAL,
                   "no decision could be drawn at the moment: try again");
        return;
    }
    campaign->backoff = campaign->backoff ? 2 * campaign->backoff : LOTOR_RETRY_MS;
    if (campaign->backoff > LOTOR_BACKOFF_MOST_MS) {
        campaign->backoff = LOTOR_BACKOFF_MOST_MS;
    }
    campaign->retry_at = engine->boot + campaign->backoff;
    lotor_campaign_trouble(campaign, text);
    char full[200];
    snprintf(full, sizeof full, "this campaign can't be served: %s", campaign->trouble);
    refuse_all(engine, campaign, LOTOR_CODE_BROKEN, full);
}

/* --- reading ---------------------------------------------------------------------------------- */

static lotor_status take_state(void *context, const unsigned char *bytes, size_t length)
{
    takeover *at = context;
    at->state = malloc(length ? length : 1);
    if (!at->state) {
        return LOTOR_MEMORY;
    }
    memcpy(at->state, bytes, length);
    at->state_length = length;
    return LOTOR_OK;
}

static lotor_status take_block(void *context, const lotor_block_row *row)
{
    takeover *at = context;
    if (at->block_count == at->block_room) {
        const size_t room = 2 * at->block_room + 8;
        lotor_block **blocks = realloc(at->blocks, room * sizeof(lotor_block *));
        if (!blocks) {
            return LOTOR_MEMORY;
        }
        at->blocks = blocks;
        at->block_room = room;
    }
    const lotor_status status =
        lotor_block_unpack(row, at->campaign->arms, &at->why, &at->blocks[at->block_count]);
    at->block_count += status == LOTOR_OK;
    return status;
}

/* True if the store has what the head file says of a campaign: its newest release, its deletion. */
static lotor_status has_head(lotor_engine *engine, const lotor_campaign *campaign,
                             lotor_message *why, bool *has)
{
    lotor_head_record head;
    *has = true;
    if (engine->heads && !campaign->is_erased &&
        lotor_heads_get(engine->heads, campaign->id | LOTOR_HEADS_DELETED, &head) &&
        head.number > 0) {
        *has = false;
        return LOTOR_OK;
    }
    return engine->heads && lotor_heads_get(engine->heads, campaign->id, &head)
               ? lotor_store_has_release(engine->store, campaign->id, head.number, head.hash, why,
                                         has)
               : LOTOR_OK;
}

/* Empties the records of a campaign, after the operator accepted an older copy. */
static lotor_status forget_head(lotor_engine *engine, const lotor_campaign *campaign,
                                lotor_message *why)
{
    const lotor_head_record none = {.campaign = campaign->id};
    const lotor_head_record gone = {.campaign = campaign->id | LOTOR_HEADS_DELETED};
    lotor_head_record known;
    lotor_status status = lotor_heads_put(engine->heads, &none, why);
    if (status == LOTOR_OK && !campaign->is_erased &&
        lotor_heads_get(engine->heads, gone.campaign, &known)) {
        status = lotor_heads_put(engine->heads, &gone, why);
    }
    engine->heads_are_behind = lotor_heads_write(engine->heads, NULL) != LOTOR_OK;
    return status;
}

/* If a campaign of a budget lacks a release, the store is an older copy, and users have spent more
 * than it says. So no campaign of this budget is served. */
static lotor_status check_budget(lotor_engine *engine, takeover *at)
{
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; status == LOTOR_OK && i < engine->campaign_count && !at->is_broken; i++) {
        const lotor_campaign *const other = engine->by_place[i];
        if (other != at->campaign && lotor_budgets_share(at->campaign, other)) {
            bool has = true;
            status = has_head(engine, other, &at->why, &has);
            at->is_broken = status == LOTOR_OK && (!has || other->lease.broken);
        }
    }
    return status;
}

/* Checks that the chain ends with the release in the lease, and has the release in the head
 * file. */
static lotor_status check_chain(lotor_engine *engine, takeover *at)
{
    lotor_release_row last;
    const uint64_t id = at->campaign->id;
    lotor_status status = lotor_store_last_release(engine->store, id, &at->why, &last);
    if (status == LOTOR_OK && (last.number != at->lease.releases || last.time > at->lease.final ||
                               memcmp(last.hash, at->lease.head, sizeof last.hash) != 0)) {
        status =
            lotor_fail(LOTOR_DAMAGED, &at->why,
                       "its chain of releases does not end where its lease says: a part of the "
                       "store is an older copy. See `lotor check`");
    }
    bool has = true;
    if (status == LOTOR_OK) {
        status = has_head(engine, at->campaign, &at->why, &has);
    }
    at->lacks_release = at->is_broken = status == LOTOR_OK && !has;
    return status == LOTOR_OK ? check_budget(engine, at) : status;
}

static lotor_status read_taken(lotor_engine *engine, takeover *at)
{
    lotor_campaign *campaign = at->campaign;
    lotor_status status = LOTOR_OK;
    if (at->lease.specs != campaign->specs) {
        status = lotor_manage_read(engine, campaign, &at->why);
    }
    at->is_erased = campaign->is_erased;
    if (at->is_erased && status == LOTOR_OK) {
        return check_chain(engine, at);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_get_state(engine->store, campaign->id, take_state, at, &at->why,
                                       &at->epoch);
    }
    if (status == LOTOR_OK && at->epoch >= at->lease.epoch) {
        status =
            lotor_fail(LOTOR_DAMAGED, &at->why,
                       "its lease is older than its state: a part of the store is an older copy. "
                       "See `lotor check`");
    }
    if (status == LOTOR_OK) {
        status =
            lotor_store_each_block(engine->store, campaign->id, 0, 0, take_block, at, &at->why);
    }
    return status == LOTOR_OK ? check_chain(engine, at) : status;
}

static lotor_status take_one(lotor_engine *engine, takeover *at, lotor_message *why)
{
    lotor_campaign *campaign = at->campaign;
    assert(!campaign->is_owner);
    lotor_status status = LOTOR_OK;
    if (campaign->lease.broken && engine->accept_rollback) {
        status = lotor_store_set_broken(engine->store, campaign->id, false, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_take(engine->store, campaign->id, engine->server,
                                  campaign->lease.epoch, why, &at->lease, &at->got);
    }
    if (is_own_fault(status)) { /* the other campaigns are taken all the same */
        at->status = status;
        at->why = *why;
        at->got = true;
        return LOTOR_OK;
    }
    if (status != LOTOR_OK || !at->got) {
        return status;
    }
    at->status = read_taken(engine, at);
    if (at->is_erased) {
        at->got = false;
        return lotor_store_give_lease(engine->store, campaign->id, engine->server, at->lease.epoch,
                                      why);
    }
    /* any server may try again, and say why the campaign can't be served */
    if (is_own_fault(at->status)) {
        return lotor_store_give_lease(engine->store, campaign->id, engine->server, at->lease.epoch,
                                      why);
    }
    if (at->is_broken && !engine->accept_rollback) {
        return lotor_store_set_broken(engine->store, campaign->id, true, why);
    }
    if (at->status != LOTOR_OK && !is_own_fault(at->status)) {
        *why = at->why;
        return at->status;
    }
    return LOTOR_OK;
}

/* --- using what was read ---------------------------------------------------------------------- */

/* Copies what this server knows about its own blocks. The pool was stopped before, so `handed`
 * does not change any more. If this server has forgotten a block of its own (an earlier takeover
 * failed midway), all of it counts as handed out. */
static void merge_blocks(lotor_engine *engine, takeover *at)
{
    lotor_campaign *campaign = at->campaign;
    for (size_t i = 0; i < at->block_count; i++) {
        lotor_block *read = at->blocks[i];
        lotor_block *known = lotor_campaign_find_block(campaign, read->first);
        const bool is_known = read->holder == engine->server && known &&
                              known->first == read->first && known->nonce == read->nonce;
        read->is_stopped = true; /* only new blocks are handed out from now on */
        read->is_reported = true;
        if (is_known) {
            read->handed = known->handed;
            read->is_reported =
                known->is_reported || known->handed == known->count || known->is_blank;
        } else if (read->holder == engine->server) {
            read->handed = read->count;
        }
        if (is_known && known->is_blank && read->is_blank && known->count == read->count) {
            lotor_block_move_blanks(known, read);
        }
    }
}

static void stop_known(lotor_campaign *campaign)
{
    pthread_mutex_lock(&campaign->lock);
    lotor_campaign_pool_stop(campaign);
    pthread_mutex_unlock(&campaign->lock);
}

/* Replaces the known blocks by those of the store. A block that the store no longer has is
 * final, or a failover lost it. */
static lotor_status install_blocks(lotor_engine *engine, takeover *at)
{
    lotor_campaign *campaign = at->campaign;
    lotor_status status = LOTOR_OK;
    stop_known(campaign);
    merge_blocks(engine, at);
    while (campaign->block_first < campaign->block_end) {
        lotor_campaign_drop_block(campaign, campaign->block_end - 1);
    }
    if (!lotor_campaign_reserve(campaign, at->block_count)) {
        status = lotor_fail(LOTOR_MEMORY, &at->why, "no memory for drawn decisions");
    }
    uint64_t next = at->lease.final + 1;
    for (size_t i = 0; status == LOTOR_OK && i < at->block_count; i++) {
        lotor_block *block = at->blocks[i];
        if (lotor_block_last(block) <= at->lease.final) {
            lotor_block_free(block);      /* the next cycle deletes the row */
        } else if (block->first < next) { /* a missing block is found by the state's hash */
            status = lotor_fail(LOTOR_DAMAGED, &at->why,
                                "its blocks of decisions overlap: see `lotor check`");
            break;
        } else {
            next = lotor_block_last(block) + 1;
            lotor_campaign_add_block(campaign, block, &at->why);
        }
        at->blocks[i] = NULL;
    }
    return status;
}

/* A deadline that is too far ahead was set by a wrong clock: it is moved to the latest possible
 * time. Reads the time again: the server may have been paused since the step began, and another
 * server may have drawn the blocks since then. */
static void clamp_deadlines(lotor_engine *engine, lotor_campaign *campaign)
{
    lotor_register_clock(engine);
    const uint64_t latest = engine->high + campaign->life + campaign->wait + engine->margin;
    uint64_t last = 0;
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        lotor_block *block = campaign->blocks[i];
        if (block->deadline == 0) { /* not known: a store of schema 1 */
            block->deadline = engine->high + campaign->wait;
        }
        if (block->deadline > latest + LOTOR_CLAMP_MS) {
            block->deadline = latest;
        }
        last = block->deadline = block->deadline > last ? block->deadline : last;
    }
    if (campaign->last_deadline > latest + LOTOR_CLAMP_MS || campaign->last_deadline < last) {
        campaign->last_deadline = last;
    }
    campaign->lease.due = 0; /* the row still has the old deadline */
    for (size_t i = campaign->block_end; i-- > campaign->block_first;) {
        const lotor_block *block = campaign->blocks[i];
        if (lotor_block_last(block) > campaign->lease.sealed) {
            campaign->lease.due = block->deadline;
        }
    }
}

/* Sets the public counts: rounds that are final by the state, plus open blocks. */
static void count_again(lotor_engine *engine, lotor_campaign *campaign)
{
    pthread_mutex_lock(&campaign->lock);
    memcpy(campaign->shown, campaign->over, campaign->arms * sizeof *campaign->shown);
    campaign->decisions = campaign->ended;
    campaign->releases = campaign->lease.releases;
    campaign->final = campaign->lease.final;
    campaign->sealed = campaign->lease.sealed;
    pthread_mutex_unlock(&campaign->lock);
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        lotor_block *block = campaign->blocks[i];
        block->counted = 0;
        const bool is_ours = block->holder == engine->server;
        lotor_campaign_count(campaign, block, is_ours ? block->handed : lotor_block_shown(block));
    }
}

/* Notes that the operator accepted a chain that lacks a release, or a log that lacks a row. If
 * the whole store is an older copy, that was noted at the start. */
static lotor_status note_rollback(lotor_engine *engine, const takeover *at, lotor_message *why)
{
    lotor_head_record head = {0};
    if (at->campaign->id <= engine->rolled_back) {
        return LOTOR_OK;
    }
    lotor_heads_get(engine->heads, at->campaign->id, &head);
    const lotor_user_budget *const budget = at->campaign->budget;
    json_t *entry = json_pack(
        "{s:f, s:I, s:I, s:I, s:I}", "time", (double)engine->low / 1000, "campaign",
        (json_int_t)at->campaign->id, "releases_kept", (json_int_t)at->lease.releases,
        "releases_known", (json_int_t)head.number, "budget", (json_int_t)(budget ? budget->id : 0));
    const lotor_status status = lotor_sign_in_rollback(engine, entry, why);
    return status == LOTOR_OK ? lotor_sign_in_heads(engine, why) : status;
}

static lotor_status install(lotor_engine *engine, takeover *at)
{
    lotor_campaign *campaign = at->campaign;
    assert(at->got && !campaign->is_owner);
    lotor_status status = install_blocks(engine, at);
    campaign->lease = at->lease;
    lotor_policy_put_away(engine, campaign);
    lotor_intake_reset(campaign->intake);
    if (status == LOTOR_OK) {
        status = lotor_state_open(campaign, at->state, at->state_length, at->epoch, true, &at->why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    engine->policies++;
    campaign->used_at = engine->boot;
    if (campaign->block_first < campaign->block_end &&
        lotor_policy_rounds(campaign->policy) <
            lotor_block_last(campaign->blocks[campaign->block_end - 1])) {
        return lotor_fail(LOTOR_DAMAGED, &at->why,
                          "it has more decisions than its state drew: see `lotor check`");
    }
    clamp_deadlines(engine, campaign);
    count_again(engine, campaign);
    lotor_campaign_look(campaign, campaign->policy);
    campaign->is_owner = true;
    campaign->is_due = campaign->is_early;
    campaign->has_reports = true;
    return LOTOR_OK;
}

static void free_taken(takeover *at)
{
    for (size_t i = 0; i < at->block_count; i++) {
        lotor_block_free(at->blocks[i]);
    }
    free(at->blocks);
    free(at->state);
    *at = (takeover){0};
}

/* Installs what was read, after the commit. The whole log is read before anything else is done. */
static lotor_status finish(lotor_engine *engine, takeover *at, lotor_message *why)
{
    lotor_campaign *campaign = at->campaign;
    if (at->is_broken && !engine->accept_rollback) {
        lotor_campaign_trouble(campaign, lotor_broken_text);
        engine->poll_at = 0;
        return LOTOR_OK;
    }
    lotor_status status = at->status;
    if (status == LOTOR_OK && at->lacks_release) {
        status = note_rollback(engine, at, why);
        if (status != LOTOR_OK) {
            return status;
        }
        status = forget_head(engine, campaign, &at->why);
    }
    if (status == LOTOR_OK) {
        status = install(engine, at);
    }
    if (status == LOTOR_OK) {
        campaign->may_have_gap = engine->accept_rollback;
        campaign->has_gap = false;
        status = lotor_log_read(engine, campaign, &at->why);
        campaign->may_have_gap = false;
    }
    if (status == LOTOR_OK && campaign->has_gap) {
        status = note_rollback(engine, at, &at->why);
    }
    if (status == LOTOR_OK) {
        lotor_campaign_trouble(campaign, "");
        campaign->backoff = 0;
        const lotor_status withdrawn = lotor_remote_withdraw(engine, campaign, why);
        if (withdrawn != LOTOR_OK) {
            return withdrawn;
        }
        if (!campaign->wants) { /* the first cycle loads the policy again */
            lotor_policy_put_away(engine, campaign);
        }
        return LOTOR_OK;
    }
    lotor_campaign_fails(engine, campaign, status, at->why.text);
    if (!is_own_fault(status)) {
        return status;
    }
    campaign->lease.owner = 0;
    return at->status == LOTOR_OK ? lotor_store_give_lease(engine->store, campaign->id,
                                                           engine->server, at->lease.epoch, why)
                                  : LOTOR_OK;
}

/* A deleted campaign is not taken over. That its releases are missing is noted and accepted here. */
lotor_status lotor_takeover_accept_erased(lotor_engine *engine, lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; status == LOTOR_OK && i < engine->campaign_count; i++) {
        lotor_campaign *const campaign = engine->by_place[i];
        const takeover at = {.campaign = campaign, .lease = campaign->lease};
        bool has = true;
        if (!campaign->is_erased) {
            continue;
        }
        status = has_head(engine, campaign, why, &has);
        if (status == LOTOR_OK && (!has || campaign->lease.broken)) {
            status = note_rollback(engine, &at, why);
        }
        if (status == LOTOR_OK && campaign->lease.broken) {
            status = lotor_store_set_broken(engine->store, campaign->id, false, why);
            campaign->lease.broken = status != LOTOR_OK;
        }
        if (status == LOTOR_OK && !has) {
            status = forget_head(engine, campaign, why);
        }
    }
    return status;
}

/* --- the campaigns to take over --------------------------------------------------------------- */

/* True if this server should take the campaign. Among several servers, one that gets requests
 * for it takes it. Rounds that are due need an owner, too. */
static bool should_take(const lotor_engine *engine, const lotor_campaign *campaign)
{
    const lotor_lease *lease = &campaign->lease;
    if (campaign->is_owner || campaign->is_erased || campaign->lacks_budget ||
        engine->boot < campaign->retry_at || (lease->broken && !engine->accept_rollback) ||
        lease->is_damaged) {
        return false;
    }
    const bool is_free = lease->owner == 0 || lease->owner == engine->server || !lease->is_live;
    /* A due time that is too far ahead was set by a wrong clock: see clamp_deadlines. */
    const uint64_t latest = engine->high + campaign->life + campaign->wait + engine->margin;
    const bool is_due = lease->due && (lease->due + LOTOR_GRACE_MS < engine->low ||
                                       lease->due > latest + LOTOR_CLAMP_MS);
    return is_free && (engine->margin == 0 || campaign->wants || campaign->own_asks ||
                       lease->owner == engine->server || is_due || lease->broken ||
                       lease->sealed > lease->final);
}

static size_t choose(lotor_engine *engine, takeover list[static LOTOR_TAKE_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < engine->campaign_count && count < LOTOR_TAKE_MAX; i++) {
        if (should_take(engine, engine->by_place[i])) {
            list[count++] = (takeover){.campaign = engine->by_place[i]};
        }
    }
    return count;
}

static lotor_status take_all(lotor_engine *engine, takeover *list, size_t count, lotor_message *why)
{
    lotor_status status = lotor_engine_begin(engine, why);
    for (size_t i = 0; status == LOTOR_OK && i < count; i++) {
        status = take_one(engine, &list[i], why);
    }
    if (status != LOTOR_OK) {
        lotor_store_rollback(engine->store);
        return status;
    }
    return lotor_engine_commit(engine, why);
}

static lotor_status take_some(lotor_engine *engine, lotor_message *why, size_t *count)
{
    takeover list[LOTOR_TAKE_MAX];
    *count = choose(engine, list);
    if (*count == 0) {
        return LOTOR_OK;
    }
    lotor_status status = take_all(engine, list, *count, why);
    if (status != LOTOR_OK) {
        engine->poll_at = 0; /* the leases may have changed nevertheless */
    }
    for (size_t i = 0; i < *count; i++) {
        list[i].campaign->own_asks = 0;
        if (status == LOTOR_OK && list[i].got) {
            status = finish(engine, &list[i], why);
        } else if (status == LOTOR_OK) {
            list[i].campaign->retry_at = engine->boot + LOTOR_RETRY_MS;
            engine->poll_at = 0;
        }
        if (status != LOTOR_OK && !list[i].campaign->is_owner) {
            lotor_front_refuse_waiting(engine, list[i].campaign);
        }
        free_taken(&list[i]);
    }
    return status;
}

lotor_status lotor_takeover(lotor_engine *engine, lotor_message *why)
{
    size_t count = LOTOR_TAKE_MAX;
    lotor_status status = LOTOR_OK;
    while (status == LOTOR_OK && engine->is_steady && count == LOTOR_TAKE_MAX) {
        status = take_some(engine, why, &count);
    }
    return status;
}

/* A campaign that was deleted must have neither key nor state. */
static lotor_status check_erased(lotor_engine *engine, takeover *at)
{
    const uint64_t id = at->campaign->id;
    lotor_status status = lotor_store_get_key(engine->store, id, take_state, at, &at->why);
    if (status == LOTOR_UNKNOWN) {
        status = lotor_store_get_state(engine->store, id, take_state, at, &at->why, &at->epoch);
    }
    if (status == LOTOR_UNKNOWN) {
        return LOTOR_OK;
    }
    return status == LOTOR_OK ? lotor_fail((lotor_status)LOTOR_DAMAGED, &at->why,
                                           "it was deleted, but its key or its state is in the "
                                           "store: a part of the store is an older copy")
                              : status;
}

lotor_status lotor_takeover_inspect(lotor_engine *engine, lotor_campaign *campaign,
                                    lotor_message *why)
{
    if (campaign->lacks_budget) {
        return lotor_fail(LOTOR_DAMAGED, why, "%s", campaign->trouble);
    }
    takeover at = {.campaign = campaign, .lease = campaign->lease, .got = true};
    at.lease.epoch++; /* as after a takeover */
    lotor_status status = read_taken(engine, &at);
    if (status == LOTOR_OK && at.is_broken) {
        status = lotor_fail(LOTOR_RELEASED, &at.why,
                            "the store lacks a release or a deletion that a server has seen, of it "
                            "or of another campaign of its budget: this is an older copy");
    }
    if (status == LOTOR_OK && at.is_erased) {
        status = check_erased(engine, &at);
    } else if (status == LOTOR_OK) {
        status = install(engine, &at);
    }
    if (status == LOTOR_OK && !at.is_erased) {
        status = lotor_log_read(engine, campaign, &at.why);
    }
    if (status != LOTOR_OK) {
        *why = at.why;
    }
    free_taken(&at);
    return status;
}
