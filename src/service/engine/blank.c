/* blank.c - requests that bring a context, a user or eligible arms: answered from memory, with blanks.
 *
 *      owner:     numbers blanks for a server, commits (draw.c)
 *      front end: the chooser decides ─▶ reply; then what was shown is appended to the log (append.c)
 *      owner:     seals, reads the log, enters the blanks that are recorded; the others are void
 *
 * A chooser is a copy of the policy as it was last committed and published. It decides by releases and
 * public counts, and never enters anything. A blank whose record is lost counts for nothing, and
 * feedback for it is refused. It is never made from the feedback: then a round would exist only because
 * somebody answered. tests/model/blank.pml is the model of this.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/engine/inside.h"
#include "service/little.h"

/* --- in the request's thread ------------------------------------------------------------------ */

/* Blanks for one request. Drawing may take a while, so it is done under the chooser's own lock. The
 * campaign's lock is held only to take numbers and to note what was shown. */
typedef struct blank_request {
    lotor_engine *engine;
    lotor_campaign *campaign;
    const lotor_want *want;
    lotor_ranking *rankings;
    size_t count; /* of rankings that get a number */
    uint64_t high;
    lotor_fill_list shown; /* what will be noted for the log */
    lotor_message why;
} blank_request;

/* Two requests that come soon after each other and find no blanks ask for them. */
static void miss(lotor_campaign *campaign, uint64_t boot)
{
    lotor_pool *pool = &campaign->blanks;
    const uint64_t soon = campaign->life > LOTOR_BEAT_MS ? campaign->life : LOTOR_BEAT_MS;
    if (!pool->is_low && campaign->missed_at && boot - campaign->missed_at < soon) {
        pool->is_low = true;
        pool->low_at = boot;
        pool->low_handed = pool->handed;
    }
    campaign->missed_at = boot;
}

/* Takes a number for each ranking, or none. Numbers that are not used later are void. */
static bool take_numbers(blank_request *request, bool *wakes)
{
    lotor_campaign *campaign = request->campaign;
    lotor_pool *pool = &campaign->blanks;
    const uint64_t boot = lotor_engine_boot(request->engine);
    bool has = boot <= atomic_load(&request->engine->fresh_until) && campaign->takes_blanks;
    request->high = boot + (uint64_t)atomic_load(&request->engine->ahead);
    pthread_mutex_lock(&campaign->lock);
    has = has && campaign->halted == LOTOR_CODE_NONE;
    if (has) {
        lotor_front_drop_old(pool, request->high);
        has = campaign->has_chooser && pool->available >= request->count;
        if (!has) {
            miss(campaign, boot);
        }
    }
    for (size_t i = 0; has && i < request->count; i++) {
        lotor_front_drop_old(pool, request->high); /* those that are used up */
        lotor_block *block = pool->first;
        lotor_ranking *ranking = &request->rankings[i];
        ranking->number = block->first + block->handed++;
        ranking->nonce = block->nonce;
        ranking->expires = request->high + campaign->wait;
        ranking->takes_feedback = true;
        pool->available--;
        pool->handed++;
    }
    *wakes = has && lotor_front_ask_for_more(pool, boot);
    pthread_mutex_unlock(&campaign->lock);
    return has;
}

/* Gives numbers back that nobody has seen, as far as no later number was taken. */
static void give_back(blank_request *request)
{
    lotor_pool *pool = &request->campaign->blanks;
    pthread_mutex_lock(&request->campaign->lock);
    for (size_t i = request->count; i-- > 0;) {
        lotor_block *block = pool->first;
        const lotor_ranking *ranking = &request->rankings[i];
        if (block && block->handed > 0 && block->nonce == ranking->nonce &&
            block->first + block->handed - 1 == ranking->number) {
            block->handed--;
            pool->available++;
            pool->handed--;
        }
    }
    pthread_mutex_unlock(&request->campaign->lock);
}

/* Adds what a ranking shows to request->shown. */
static lotor_status keep(blank_request *request, const lotor_ranking *ranking,
                         const lotor_user *user, const lotor_decision *decision,
                         const unsigned char *action, size_t length)
{
    const lotor_campaign *campaign = request->campaign;
    const lotor_display display = {.arms = decision->arms,
                                   .count = decision->count,
                                   .asked = decision->asked,
                                   .asked_count = decision->asked_count};
    const size_t slot = lotor_draw_slot(campaign, campaign->chooser, &display);
    const size_t count = lotor_decision_words(decision, slot, NULL);
    uint32_t few[3 + 64];
    uint32_t *words = count <= sizeof few / sizeof *few ? few : malloc(count * sizeof *words);
    const lotor_fill fill = {.number = ranking->number,
                             .nonce = ranking->nonce,
                             .size = lotor_chooser_size(campaign->chooser, decision),
                             .user = *user,
                             .words = words,
                             .word_count = count,
                             .action = action,
                             .action_length = length};
    if (words) {
        lotor_decision_words(decision, slot, words);
    }
    const bool is_kept = words && lotor_fill_list_add(&request->shown, &fill);
    if (words != few) {
        free(words);
    }
    return is_kept ? LOTOR_OK
                   : lotor_fail((lotor_status)LOTOR_MEMORY, &request->why,
                                "no memory for a decision: try again");
}

/* Decides for one ranking, under the chooser's lock. `looks`: only tries. LOTOR_UNKNOWN: there is no
 * chooser any more, or it has got more arms since the request was read. */
static lotor_status decide(blank_request *request, size_t i, bool looks)
{
    const lotor_campaign *campaign = request->campaign;
    const lotor_want_item *asking = &request->want->asking[i];
    if (!campaign->chooser || asking->arms != campaign->arms) {
        return LOTOR_UNKNOWN;
    }
    const lotor_ranking *ranking = &request->rankings[i];
    lotor_decision decision;
    unsigned char *action = NULL;
    size_t length = 0;
    lotor_chooser_expect(campaign->chooser, ranking->number);
    lotor_status status = lotor_intake_draw(campaign->intake, campaign->chooser, asking->context,
                                            asking->context_length, asking->may_show, looks,
                                            &request->why, &decision, &action, &length);
    if (status == LOTOR_OK && !looks) {
        status = keep(request, ranking, &asking->user, &decision, action, length);
    }
    lotor_bytes_free(action, length);
    return status;
}

/* Decides for all rankings, each under a hold of the lock of its own. */
static lotor_status decide_all(blank_request *request, bool looks)
{
    lotor_campaign *campaign = request->campaign;
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; status == LOTOR_OK && i < request->count; i++) {
        pthread_mutex_lock(&campaign->chooser_lock);
        status = decide(request, i, looks);
        pthread_mutex_unlock(&campaign->chooser_lock);
    }
    return status;
}

/* Notes what is shown for the log, and fills in the rankings. */
static lotor_status note(blank_request *request, bool *wakes)
{
    lotor_campaign *campaign = request->campaign;
    lotor_fill fill;
    const size_t arms = request->want->asking[0].arms;
    uint32_t *words = malloc((3 + 2 * arms) * sizeof *words);
    lotor_fill_reader reader = {
        .at = request->shown.bytes, .left = request->shown.length, .arms = arms, .words = words};
    bool fine = words != NULL;
    pthread_mutex_lock(&campaign->lock);
    for (size_t i = 0; fine && i < request->count; i++) {
        lotor_display display;
        fine = lotor_fill_next(&reader, &fill);
        if (fine) {
            const size_t slot = lotor_words_display(fill.words, &display);
            fine = lotor_ranking_show(campaign, &request->rankings[i], &display, slot);
        }
    }
    *wakes = *wakes || campaign->fills.length == 0;
    fine = fine && lotor_fill_list_move(&campaign->fills, &request->shown);
    pthread_mutex_unlock(&campaign->lock);
    free(words);
    return fine ? LOTOR_OK
                : lotor_fail((lotor_status)LOTOR_MEMORY, &request->why,
                             "no memory for a decision: try again");
}

/* Fills in the blanks whose numbers the rankings have, and signs their events. LOTOR_UNKNOWN: there is
 * no chooser any more. */
static lotor_status show_all(blank_request *request, bool *wakes)
{
    lotor_status status = request->count > 1 ? decide_all(request, true) : (lotor_status)LOTOR_OK;
    if (status == LOTOR_OK) {
        status = decide_all(request, false);
    }
    if (status == LOTOR_OK) {
        status = note(request, wakes);
    }
    lotor_fill_list_clear(&request->shown);
    for (size_t i = 0; status == LOTOR_OK && i < request->count; i++) {
        lotor_ranking_sign(request->engine, request->campaign, &request->rankings[i]);
    }
    if (status == LOTOR_OK && !request->campaign->counts_at_entry) {
        atomic_fetch_add_explicit(&request->engine->counters.decisions, request->count,
                                  memory_order_relaxed);
    }
    return status;
}

bool lotor_blank_serve(lotor_engine *engine, lotor_campaign *campaign, const lotor_want *want,
                       lotor_ranking *rankings, lotor_job *job)
{
    blank_request request = {.engine = engine,
                             .campaign = campaign,
                             .want = want,
                             .rankings = rankings,
                             .count = want->count};
    bool wakes = false;
    if (!take_numbers(&request, &wakes)) {
        return false;
    }
    const lotor_status status = show_all(&request, &wakes);
    if (status != LOTOR_OK) {
        give_back(&request);
    }
    if (status != LOTOR_OK && status != LOTOR_UNKNOWN) {
        lotor_draw_refuse(&job->refusal, status, &request.why);
    }
    if (wakes) {
        lotor_engine_wake(engine);
    }
    return status != LOTOR_UNKNOWN;
}

bool lotor_blank_show(lotor_engine *engine, lotor_campaign *campaign, lotor_want *want)
{
    const lotor_block *block = want->block;
    blank_request request = {.engine = engine,
                             .campaign = campaign,
                             .want = want,
                             .rankings = ((lotor_job_work *)want->job->work)->rankings,
                             .count = block->count};
    bool wakes = false, fine = true;
    assert(block->is_blank && block->count <= want->count);
    for (size_t i = 0; i < block->count; i++) {
        lotor_ranking *ranking = &request.rankings[i];
        lotor_want_item *asking = &want->asking[i];
        free(asking->may_show); /* arms may have been paused while the request waited */
        asking->may_show = lotor_draw_mask(campaign, asking->eligible);
        fine = fine && asking->may_show;
        ranking->number = block->first + i;
        ranking->nonce = block->nonce;
        ranking->expires = block->until + campaign->wait;
        ranking->takes_feedback = true;
    }
    const lotor_status status = fine ? show_all(&request, &wakes) : (lotor_status)LOTOR_MEMORY;
    if (status == LOTOR_UNKNOWN) {
        lotor_refuse(&want->refusal, LOTOR_CODE_STORE, "",
                     "no decision could be drawn at the moment: try again");
    } else if (status != LOTOR_OK) {
        lotor_draw_refuse(&want->refusal, status, &request.why);
    }
    if (wakes) {
        lotor_engine_wake(engine);
    }
    return status == LOTOR_OK;
}

/* --- the writer: what was shown goes to the log ------------------------------------------------ */

/* Gives the records of a list to the blocks that this server knows. LOTOR_DAMAGED: they are not
 * records of this campaign. */
static lotor_status give(lotor_campaign *campaign, const unsigned char *bytes, size_t length,
                         bool is_recorded)
{
    lotor_fill fill;
    uint32_t *words = malloc((3 + 2 * campaign->arms) * sizeof *words);
    if (!words) {
        return LOTOR_MEMORY;
    }
    bool fits = true;
    lotor_fill_reader reader = {
        .at = bytes, .left = length, .arms = campaign->arms, .words = words};
    pthread_mutex_lock(&campaign->lock);
    while (fits && lotor_fill_next(&reader, &fill)) {
        lotor_block *block = lotor_campaign_find_block(campaign, fill.number);
        if (!block || block->nonce != fill.nonce || !block->is_blank) {
            continue; /* it is final, or a failover lost it */
        }
        fits = lotor_campaign_fill(campaign, block, &fill);
        lotor_blank *blank = &block->blanks[fill.number - block->first];
        blank->is_recorded = blank->is_recorded || (fits && is_recorded);
    }
    pthread_mutex_unlock(&campaign->lock);
    free(words);
    if (reader.is_damaged) {
        return LOTOR_DAMAGED;
    }
    return fits ? LOTOR_OK : LOTOR_MEMORY;
}

void lotor_blank_collect(lotor_campaign *campaign)
{
    const size_t before = campaign->unrecorded.length;
    pthread_mutex_lock(&campaign->lock);
    const bool moved = campaign->fills.length == 0 ||
                       lotor_fill_list_move(&campaign->unrecorded, &campaign->fills);
    pthread_mutex_unlock(&campaign->lock);
    const size_t length = campaign->unrecorded.length;
    if (moved && length > before) {
        /* Without memory, the record is still appended, and read from the log when it is needed. */
        (void)give(campaign, campaign->unrecorded.bytes + before, length - before, false);
    }
}

/* The smallest and the greatest decision of the list. */
static void find_extent(const lotor_campaign *campaign, uint32_t *words, lotor_log_row *row)
{
    lotor_fill fill;
    lotor_fill_reader reader = {.at = campaign->unrecorded.bytes,
                                .left = campaign->unrecorded.length,
                                .arms = campaign->arms,
                                .words = words};
    row->first = UINT64_MAX;
    while (lotor_fill_next(&reader, &fill)) {
        row->first = fill.number < row->first ? fill.number : row->first;
        row->last = fill.number > row->last ? fill.number : row->last;
    }
    assert(!reader.is_damaged && row->first <= row->last);
}

enum { PLACE = 24 }; /* stream, first and last: a record can't be moved to another row */

lotor_status lotor_blank_append(lotor_engine *engine, lotor_campaign *campaign, lotor_log_row *row,
                                lotor_message *why)
{
    const lotor_fill_list *list = &campaign->unrecorded;
    const size_t length = PLACE + list->length;
    uint32_t *words = malloc((3 + 2 * campaign->arms) * sizeof *words);
    unsigned char *plain = malloc(length);
    unsigned char *sealed = malloc(length + LOTOR_SERVER_KEY_OVERHEAD);
    lotor_status status = LOTOR_MEMORY;
    if (words && plain && sealed) {
        find_extent(campaign, words, row);
        lotor_put_u64(plain, row->stream);
        lotor_put_u64(plain + 8, row->first);
        lotor_put_u64(plain + 16, row->last);
        memcpy(plain + PLACE, list->bytes, list->length);
        lotor_server_key_seal(engine->server_key, LOTOR_SEAL_SHOWN, campaign->id, row->seq, plain,
                              length, sealed);
        row->kind = LOTOR_LOG_SHOWN;
        row->bytes = sealed;
        row->length = length + LOTOR_SERVER_KEY_OVERHEAD;
        status = lotor_store_append(engine->store, campaign->id, row, why);
    } else {
        lotor_explain(why, "no memory to record the shown arms: try again");
    }
    free(words);
    free(plain);
    free(sealed);
    return status;
}

/* --- reading the log --------------------------------------------------------------------------- */

lotor_status lotor_blank_read(const lotor_engine *engine, lotor_campaign *campaign,
                              const lotor_log_row *row, bool is_owner, lotor_message *why)
{
    if (row->length < PLACE + LOTOR_SERVER_KEY_OVERHEAD) {
        return lotor_fail(LOTOR_DAMAGED, why, "a record of shown arms is cut off");
    }
    const size_t length = row->length - LOTOR_SERVER_KEY_OVERHEAD;
    unsigned char *plain = malloc(length);
    if (!plain) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to read the shown arms");
    }
    lotor_status status =
        lotor_server_key_unseal(engine->server_key, LOTOR_SEAL_SHOWN, campaign->id, row->seq,
                                row->bytes, row->length, plain);
    if (status == LOTOR_OK &&
        (lotor_get_u64(plain) != row->stream || lotor_get_u64(plain + 8) != row->first ||
         lotor_get_u64(plain + 16) != row->last)) {
        status = LOTOR_DAMAGED;
    }
    if (status == LOTOR_OK) {
        status = give(campaign, plain + PLACE, length - PLACE, is_owner);
    }
    free(plain);
    return status == LOTOR_OK
               ? LOTOR_OK
               : lotor_fail(status, why, "the shown arms can't be read from the log");
}

typedef struct shown_finder {
    const lotor_engine *engine;
    lotor_campaign *campaign;
    lotor_message *why;
} shown_finder;

static lotor_status see_row(void *context, const lotor_log_row *row)
{
    const shown_finder *at = context;
    return lotor_blank_read(at->engine, at->campaign, row, false, at->why);
}

lotor_status lotor_blank_find(lotor_engine *engine, lotor_campaign *campaign, uint64_t decision,
                              lotor_message *why)
{
    shown_finder at = {engine, campaign, why};
    lotor_status status =
        lotor_store_each_shown(engine->store, campaign->id, decision, see_row, &at, why);
    if (status == LOTOR_DAMAGED && lotor_manage_hear_of_arms(engine, campaign)) {
        status = lotor_store_each_shown(engine->store, campaign->id, decision, see_row, &at, why);
    }
    return status;
}

bool lotor_blank_doubt(const lotor_engine *engine, lotor_campaign *campaign)
{
    bool fine = true;
    pthread_mutex_lock(&campaign->lock);
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        lotor_block *block = campaign->blocks[i];
        if (block->is_blank && block->holder != engine->server) {
            lotor_campaign_uncount(campaign, block);
            lotor_block_forget_blanks(block);
        }
        for (size_t place = 0; fine && block->is_blank && place < block->count; place++) {
            lotor_fill fill;
            if (lotor_block_is_known(block, place)) {
                lotor_block_record(block, place, &fill);
                block->blanks[place].is_recorded = false;
                fine = lotor_fill_list_add(&campaign->unrecorded, &fill);
            }
        }
    }
    pthread_mutex_unlock(&campaign->lock);
    return fine;
}

/* --- the chooser ------------------------------------------------------------------------------- */

/* Counts what open blanks of this server show: the policy does not know it yet. */
static void count_open(const lotor_campaign *campaign, lotor_policy *chooser)
{
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        const lotor_block *block = campaign->blocks[i];
        for (size_t place = 0; block->is_blank && place < block->count; place++) {
            lotor_display display;
            if (block->blanks[place].is_shown) {
                lotor_block_kept(block, place, &display);
                lotor_chooser_count(chooser, &display, block->blanks[place].size);
            }
        }
    }
}

static void set_chooser(lotor_campaign *campaign, lotor_policy *chooser)
{
    pthread_mutex_lock(&campaign->chooser_lock);
    lotor_policy *old = campaign->chooser;
    campaign->chooser = chooser;
    pthread_mutex_unlock(&campaign->chooser_lock);
    pthread_mutex_lock(&campaign->lock);
    campaign->has_chooser = chooser != NULL;
    pthread_mutex_unlock(&campaign->lock);
    lotor_policy_free(old);
}

void lotor_blank_choose_by(lotor_engine *engine, lotor_campaign *campaign, lotor_policy *copy)
{
    lotor_policy_make_chooser(copy, lotor_engine_random_id());
    lotor_blank_collect(campaign);
    count_open(campaign, copy);
    set_chooser(campaign, copy);
    campaign->chosen_by = campaign->lease.releases;
    campaign->chosen_at = engine->boot;
}

void lotor_blank_put_away(lotor_campaign *campaign)
{
    set_chooser(campaign, NULL);
}

bool lotor_blank_needs_chooser(const lotor_engine *engine, lotor_campaign *campaign)
{
    enum {
        OLD_MS = 1000
    }; /* a chooser also counts rounds, so a new chooser is made now and then */
    const lotor_owner_cycle *cycle = &campaign->cycle;
    pthread_mutex_lock(&campaign->lock);
    const bool has = campaign->has_chooser;
    bool is_used = has || campaign->blanks.is_low || campaign->blanks.first;
    pthread_mutex_unlock(&campaign->lock);
    for (const lotor_want *want = campaign->wants; !is_used && want; want = want->next) {
        is_used = want->is_prepared && want->block && want->block->is_blank &&
                  want->server == engine->server;
    }
    return campaign->takes_blanks && is_used &&
           (!has || cycle->lease.releases != campaign->chosen_by ||
            (cycle->dropped > 0 && engine->boot >= campaign->chosen_at + OLD_MS));
}
