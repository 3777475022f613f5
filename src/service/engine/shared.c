/* shared.c - several servers on one store take turns at a campaign. See shared.md.
 *
 * The lock of a campaign's mark is the turn; what others did since is read under it, before anything is
 * done. So whoever comes first ends a round, and everybody else finds it ended. */
#include "service/engine/engine_parts.h"

#include <string.h>

#include "base/memory.h"
#include "base/message.h"

enum { VERSION_STEP_SHIFT = 44 }; /* of 64 bits: 2^43 commits have room in a column */

/* --- learning what others did -------------------------------------------------------------------- */

typedef struct catching_up {
    lotor_engine *engine;
    lotor_campaign *campaign;
    const lotor_mark *mark;
    lotor_message *why;
} catching_up;

static lotor_drawn *find_block(const lotor_campaign *campaign, uint64_t first)
{
    size_t low = campaign->block_first, high = campaign->block_end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (campaign->blocks[middle]->first < first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool is_there = low < campaign->block_end && campaign->blocks[low]->first == first;
    return is_there ? campaign->blocks[low] : NULL;
}

/* A block that is known was cut by its owner. Our own was cut by a commit whose answer was lost. */
static void cut_block(lotor_campaign *campaign, lotor_drawn *drawn, uint64_t count)
{
    pthread_mutex_lock(&campaign->lock);
    if (count < drawn->count) {
        drawn->count = (size_t)count;
        drawn->handed = drawn->handed < drawn->count ? drawn->handed : drawn->count;
    }
    pthread_mutex_unlock(&campaign->lock);
}

static lotor_status add_block(catching_up *at, const lotor_block *row)
{
    lotor_campaign *campaign = at->campaign;
    lotor_drawn *drawn;
    lotor_status status =
        lotor_drawn_unpack(row, campaign->arms, campaign->dimension, at->why, &drawn);
    if (status) {
        return status;
    }
    status = lotor_restore_action(at->engine, campaign, row, drawn, at->why);
    if (!status && lotor_campaign_reserve(campaign, 1)) {
        status = lotor_fail(LOTOR_MEMORY, at->why, "no memory for drawn decisions");
    }
    if (status) {
        lotor_drawn_free(drawn);
        return status;
    }
    drawn->is_listed = true;
    drawn->until = row->until;
    drawn->deadline = row->deadline;
    /* One of ours that is not known here comes from a commit whose answer was lost: nobody saw it. */
    drawn->is_own = row->owner == at->engine->server && row->handed == UINT64_MAX;
    drawn->handed = drawn->is_own ? 0 : drawn->count;
    pthread_mutex_lock(&campaign->lock);
    lotor_campaign_add_block(campaign, drawn);
    pthread_mutex_unlock(&campaign->lock);
    return LOTOR_OK;
}

static lotor_status refuse_older(lotor_message *why)
{
    return lotor_fail(LOTOR_RELEASED, why,
                      "the database was put back to an older copy while this server ran: stop all "
                      "servers, and start them with --accept-rollback");
}

static lotor_status take_block(void *context, const lotor_block *row)
{
    catching_up *at = context;
    lotor_campaign *campaign = at->campaign;
    lotor_drawn *known = find_block(campaign, row->first);
    if (known && known->nonce != row->nonce) {
        return refuse_older(at->why);
    }
    if (known) {
        known->is_listed = true;
        cut_block(campaign, known, row->count);
        return LOTOR_OK;
    }
    if (row->count == 0 || row->first + row->count - 1 <= at->mark->final) {
        return LOTOR_OK;
    }
    if (campaign->block_end > campaign->block_first &&
        row->first < campaign->blocks[campaign->block_end - 1]->first) {
        return lotor_fail(LOTOR_DAMAGED, at->why, "the blocks of campaign %s are not in order",
                          campaign->name);
    }
    return add_block(at, row);
}

/* Before the rows are read: no block is known to be in the store. */
static void unlist_blocks(lotor_campaign *campaign)
{
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        campaign->blocks[i]->is_listed = false;
    }
}

/* After the rows were read: another server cut a block and deleted its row in the same commit. Its owner took
 * the rest back, so a block without a row has no open decision. */
static void empty_unlisted(lotor_campaign *campaign)
{
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        if (!campaign->blocks[i]->is_listed) {
            cut_block(campaign, campaign->blocks[i], 0);
        }
    }
}

/* Rounds that others ended are over here too. */
static void drop_final(lotor_campaign *campaign, const lotor_mark *mark)
{
    const uint64_t final = mark->final;
    lotor_drawn *dropped = NULL;
    pthread_mutex_lock(&campaign->lock);
    campaign->final = final;
    campaign->releases = mark->releases;
    campaign->front = 0;
    while (campaign->block_first < campaign->block_end) {
        lotor_drawn *drawn = campaign->blocks[campaign->block_first];
        if (drawn->first + drawn->count > final + 1) {
            campaign->front =
                drawn->first <= final ? (size_t)(final - drawn->first + 1) : (size_t)0;
            break;
        }
        drawn->next = dropped;
        dropped = drawn;
        campaign->block_first++;
    }
    if (campaign->pool < campaign->block_first) {
        campaign->pool = campaign->block_first;
    }
    pthread_mutex_unlock(&campaign->lock);
    while (dropped) {
        lotor_drawn *next = dropped->next;
        lotor_drawn_free(dropped);
        dropped = next;
    }
}

/* What can be handed out, after blocks came, went or were cut. */
static void count_available(lotor_campaign *campaign)
{
    pthread_mutex_lock(&campaign->lock);
    campaign->available = 0;
    for (size_t i = campaign->pool; i < campaign->block_end; i++) {
        campaign->available += campaign->blocks[i]->count - campaign->blocks[i]->handed;
    }
    if (campaign->is_uncertain) {
        campaign->is_frozen = false;
        campaign->is_uncertain = false;
    }
    pthread_mutex_unlock(&campaign->lock);
}

static lotor_status catch_up(lotor_engine *engine, lotor_campaign *campaign, const lotor_mark *mark,
                             lotor_message *why)
{
    catching_up at = {engine, campaign, mark, why};
    lotor_status status = LOTOR_OK;
    if (mark->version != campaign->mark.version) {
        lotor_campaign_put_away(engine, campaign);
        unlist_blocks(campaign);
        status = lotor_store_each_block(engine->store, campaign->id, take_block, &at, why);
        if (!status && mark->specs != campaign->seen.specs) {
            status = lotor_shared_spec(engine, campaign, why);
            campaign->seen.specs = status ? campaign->seen.specs : mark->specs;
        }
        if (status) {
            return status;
        }
        empty_unlisted(campaign);
        drop_final(campaign, mark);
    }
    if (mark->version != campaign->mark.version || campaign->is_uncertain) {
        count_available(campaign);
    }
    campaign->mark = *mark;
    campaign->due = mark->due;
    return LOTOR_OK;
}

/* None of these ever goes down. After a failover that lost commits, another server may have gone on from the
 * older state: versions go up by steps that nobody guesses, so that two ways do not meet in one. */
static bool is_older(const lotor_mark *mark, const lotor_mark *known)
{
    return mark->version < known->version || mark->final < known->final ||
           mark->answers < known->answers || mark->releases < known->releases ||
           mark->specs < known->specs ||
           (mark->version == known->version &&
            (mark->final != known->final || mark->releases != known->releases));
}

lotor_status lotor_shared_lock(lotor_engine *engine, lotor_campaign *campaign, bool waits,
                               lotor_message *why, bool *got)
{
    lotor_mark mark;
    lotor_status status = lotor_store_lock(engine->store, campaign->id, waits, why, &mark, got);
    if (status || !*got) {
        campaign->try_at = engine->turn.now + LOTOR_GATHER_MS;
        return status;
    }
    if (is_older(&mark, &campaign->mark)) {
        return refuse_older(why);
    }
    status = catch_up(engine, campaign, &mark, why);
    if (!status) {
        campaign->turn.mark = mark;
        campaign->turn.version = mark.version + 1 + (lotor_random_word() >> VERSION_STEP_SHIFT);
    }
    return status;
}

/* --- what a turn needs --------------------------------------------------------------------------- */

size_t lotor_shared_count(const lotor_campaign *campaign, const lotor_drawn *drawn)
{
    return campaign->turn.is_void && drawn->is_own ? drawn->handed : drawn->count;
}

/* Our decisions that may not be handed out any more. */
bool lotor_shared_wants_void(lotor_campaign *campaign, uint64_t now)
{
    bool wants = false;
    pthread_mutex_lock(&campaign->lock);
    for (size_t i = campaign->block_first; !wants && i < campaign->block_end; i++) {
        const lotor_drawn *drawn = campaign->blocks[i];
        wants = drawn->is_own && drawn->handed < drawn->count &&
                (now > drawn->until || campaign->wants_void);
    }
    campaign->wants_void = campaign->wants_void && wants;
    pthread_mutex_unlock(&campaign->lock);
    return wants;
}

uint64_t lotor_shared_next(lotor_campaign *campaign)
{
    pthread_mutex_lock(&campaign->lock);
    bool is_ours = false;
    uint64_t next = UINT64_MAX;
    for (size_t i = campaign->block_end; i-- > campaign->block_first;) {
        const lotor_drawn *drawn = campaign->blocks[i];
        is_ours = drawn->is_own;
        if (drawn->is_own && drawn->handed < drawn->count) {
            next = drawn->until + 1;
        }
    }
    pthread_mutex_unlock(&campaign->lock);
    if (campaign->due) {
        uint64_t due = campaign->due + (is_ours ? 1 : LOTOR_TAKE_OVER_MS);
        due = due > campaign->try_at ? due : campaign->try_at;
        next = due < next ? due : next;
    }
    return next;
}

static void want(lotor_campaign *campaign)
{
    if (campaign) {
        campaign->is_wanted = true;
    }
}

static void want_for(const lotor_job *job)
{
    const lotor_work *work = job->work;
    if (job->kind == LOTOR_KIND_RELEASES) {
        return; /* it only looks */
    }
    want(work->campaign);
    for (size_t i = 0; work->told && i < work->count; i++) {
        want(work->told[i].campaign);
    }
}

lotor_status lotor_shared_begin(lotor_engine *engine, const lotor_job *jobs, lotor_message *why)
{
    const uint64_t now = engine->turn.now;
    lotor_status status = LOTOR_OK;
    for (const lotor_job *job = jobs; job; job = job->next) {
        want_for(job);
    }
    for (size_t i = 0; i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        bool is_wanted = campaign->is_wanted;
        campaign->is_wanted = false;
        pthread_mutex_lock(&campaign->lock);
        is_wanted = is_wanted ||
                    (campaign->is_low && campaign->low_at <= now && now >= campaign->broken_until);
        pthread_mutex_unlock(&campaign->lock);
        if (!status && (is_wanted || lotor_shared_wants_void(campaign, now))) {
            status = lotor_turn_touch(engine, campaign, why);
        }
    }
    return status;
}

/* --- blocks -------------------------------------------------------------------------------------- */

static uint64_t last_deadline(const lotor_campaign *campaign)
{
    uint64_t last = 0;
    if (campaign->block_end > campaign->block_first) {
        last = campaign->blocks[campaign->block_end - 1]->deadline;
    }
    for (const lotor_drawn *drawn = campaign->turn.fresh; drawn; drawn = drawn->next) {
        last = drawn->deadline > last ? drawn->deadline : last;
    }
    return last;
}

/* Deadlines never decrease in the order of decisions, so the first open block is the first that is
 * due. An event lasts from its handing out for the whole wait, and that is over before the deadline. */
void lotor_shared_stamp(lotor_engine *engine, lotor_campaign *campaign, lotor_drawn *drawn)
{
    const uint64_t before = last_deadline(campaign);
    uint64_t last_handing = engine->turn.now;
    if (drawn->handed == 0) {
        uint64_t life = LOTOR_LIFE_MS + campaign->wait / 10;
        last_handing += life < LOTOR_LIFE_MOST ? life : LOTOR_LIFE_MOST;
        drawn->until = last_handing;
    }
    drawn->is_own = drawn->handed == 0;
    drawn->deadline = last_handing + campaign->wait + LOTOR_GRACE_MS;
    drawn->deadline = drawn->deadline > before ? drawn->deadline : before;
}

lotor_status lotor_shared_read(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    if (campaign->turn.answers.count) {
        status = lotor_record_write(engine, campaign, why);
        lotor_numbers_clear(&campaign->turn.answers);
    }
    if (!status && campaign->answers_number < campaign->turn.mark.answers) {
        campaign->turn.has_read = true;
        status = lotor_record_read(engine, campaign, why);
    }
    return status;
}

/* --- the end of a turn --------------------------------------------------------------------------- */

static uint64_t first_deadline(const lotor_campaign *campaign)
{
    const lotor_campaign_turn *turn = &campaign->turn;
    size_t at = turn->front;
    for (size_t i = turn->front_block; i < campaign->block_end; i++, at = 0) {
        const lotor_drawn *drawn = campaign->blocks[i];
        if (at < lotor_shared_count(campaign, drawn)) {
            return drawn->deadline;
        }
    }
    return turn->fresh ? turn->fresh->deadline : 0;
}

lotor_status lotor_shared_write(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    lotor_campaign_turn *turn = &campaign->turn;
    const bool has_changed = turn->policy_changed || turn->fresh || turn->is_void ||
                             turn->spec_changed || turn->front_block != campaign->block_first;
    if (!has_changed && !turn->has_logged) {
        return LOTOR_OK;
    }
    turn->mark.version = has_changed ? turn->version : turn->mark.version;
    turn->mark.due = first_deadline(campaign);
    return lotor_store_put_mark(engine->store, &turn->mark, why);
}

void lotor_shared_publish(lotor_campaign *campaign)
{
    lotor_campaign_turn *turn = &campaign->turn;
    turn->mark.final = turn->final;
    turn->mark.releases += turn->releases;
    turn->mark.specs += turn->spec_changed;
    const uint64_t looked_at = campaign->seen.final;
    campaign->mark = campaign->seen = turn->mark;
    campaign->seen.final = looked_at; /* the poll shows what others released, and showed */
    campaign->due = turn->mark.due;
    if (turn->is_void) {
        campaign->wants_void = false;
    }
}

/* What the log had may have been undone with the turn: it is read again. */
static void forget_answers(lotor_campaign *campaign)
{
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        lotor_drawn *drawn = campaign->blocks[i];
        if (drawn->used) {
            memset(drawn->used, 0, drawn->room * sizeof *drawn->used);
            lotor_wipe(drawn->units, drawn->room * drawn->width * sizeof *drawn->units);
        }
    }
    campaign->answers_number = 0;
}

void lotor_shared_forget(lotor_campaign *campaign)
{
    if (campaign->turn.has_read) {
        forget_answers(campaign);
    }
    /* The commit may have gone well all the same: a pool that it took back stays frozen until the next
     * lock shows what came of it. */
    campaign->is_uncertain = true;
}
