/* draw.c - the part of the owner's cycle that enters rounds into their statistics and draws
 * decisions.
 *
 * A drawing for a want sees exactly the blocks whose deadline was before the want came. The amount
 * of feedback affects when the owner serves a want, but not what it draws.
 */
#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/engine/budgets.h"
#include "service/engine/inside.h"
#include "service/engine/stickies.h"
#include "service/little.h"
#include "service/spec/fields.h"

/* --- entering rounds -------------------------------------------------------------------------- */

typedef struct fact_list {
    unsigned char *bytes;
    size_t length, room;
} fact_list;

enum { FACT_BYTES = 40 };

static lotor_status keep_fact(void *context, const lotor_arm_fact *released)
{
    fact_list *list = context;
    if (list->room - list->length < FACT_BYTES) {
        const size_t room = 2 * list->room + 8 * (size_t)FACT_BYTES;
        unsigned char *bytes = realloc(list->bytes, room);
        if (!bytes) {
            return LOTOR_MEMORY;
        }
        list->bytes = bytes;
        list->room = room;
    }
    unsigned char *at = list->bytes + list->length;
    uint64_t value;
    memcpy(&value, &released->value, sizeof value);
    lotor_put_u64(at, released->statistic);
    lotor_put_u64(at + 8, released->arm);
    lotor_put_u64(at + 16, value);
    lotor_put_u64(at + 24, released->count);
    lotor_put_u64(at + 32, released->time);
    list->length += FACT_BYTES;
    return LOTOR_OK;
}

/* The stamp of a release: the time in Unix seconds of the step that commits it, and how often each
 * arm was shown in final rounds. Both are public: see engine.md. */
static unsigned char *make_stamp(const lotor_campaign *campaign, uint64_t now, size_t *length)
{
    const size_t arms =
        campaign->spec->arm_count <= LOTOR_STAMP_ARMS ? campaign->spec->arm_count : 0;
    enum { NUMBER_BYTES = 8 };
    *length = (1 + arms) * NUMBER_BYTES;
    unsigned char *bytes = malloc(*length);
    if (!bytes) {
        return NULL;
    }
    lotor_put_u64(bytes, now / 1000);
    for (size_t i = 0; i < arms; i++) {
        lotor_put_u64(bytes + (1 + i) * NUMBER_BYTES, campaign->cycle.over[i]);
    }
    return bytes;
}

/* Adds a row to the chain: what one round released. The bytes of `facts` move into the row. */
static lotor_status add_release(lotor_campaign *campaign, uint64_t now, uint64_t decision,
                                fact_list *facts, lotor_message *why)
{
    lotor_owner_cycle *cycle = &campaign->cycle;
    if (cycle->release_count == cycle->release_room) {
        const size_t room = 2 * cycle->release_room + 4;
        lotor_release_row *releases = realloc(cycle->releases, room * sizeof *releases);
        if (!releases) {
            return lotor_fail(LOTOR_MEMORY, why, "no memory for a release");
        }
        cycle->releases = releases;
        cycle->release_room = room;
    }
    size_t stamp_length = 0;
    unsigned char *stamp = make_stamp(campaign, now, &stamp_length);
    if (!stamp) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a release");
    }
    lotor_release_row *release = &cycle->releases[cycle->release_count];
    *release = (lotor_release_row){.campaign = campaign->id,
                                   .number = cycle->lease.releases + 1,
                                   .time = decision,
                                   .stamp = stamp,
                                   .stamp_length = stamp_length};
    crypto_generichash(release->digest, sizeof release->digest, facts->bytes, facts->length, NULL,
                       0);
    if (!campaign->serving.is_linear) { /* for a matrix, the digest is enough */
        release->facts = facts->bytes;
        release->facts_length = facts->length;
        *facts = (fact_list){0};
    }
    lotor_release_row_chain(release, cycle->lease.head);
    memcpy(cycle->lease.head, release->hash, sizeof cycle->lease.head);
    cycle->lease.releases++;
    cycle->release_count++;
    return LOTOR_OK;
}

/* The number in a release of the round that made it. Where users are counted at the entry, it is the
 * number of rounds that count. The numbers of decisions would tell how many rounds were refused. */
static uint64_t round_of(const lotor_campaign *campaign, uint64_t decision)
{
    return campaign->counts_at_entry ? campaign->cycle.ended : decision;
}

static lotor_status enter_one(lotor_campaign *campaign, uint64_t now, const lotor_block *block,
                              size_t place, fact_list *facts, lotor_message *why)
{
    lotor_display display;
    lotor_block_kept(block, place, &display);
    facts->length = 0;
    const uint64_t decision = block->first + place;
    const lotor_status status = lotor_intake_enter(
        campaign->intake, campaign->policy, decision, block->nonce, &display,
        lotor_block_action(block, place), block->action ? block->action_each : 0, why);
    lotor_campaign_count_shown(campaign->cycle.over, block, place, place + 1);
    campaign->cycle.entered++;
    campaign->cycle.ended++;
    return status == LOTOR_OK && facts->length > 0 && !campaign->is_local
               ? add_release(campaign, now, round_of(campaign, decision), facts, why)
               : status;
}

/* Enters the decisions that were shown, and takes the others back. */
static lotor_status enter_drawn(lotor_engine *engine, lotor_campaign *campaign, lotor_block *block,
                                fact_list *facts, lotor_message *why)
{
    const uint64_t now = engine->low;
    const size_t shown = lotor_block_shown(block);
    lotor_status status = LOTOR_OK;
    for (size_t place = 0; status == LOTOR_OK && place < shown; place++) {
        status = enter_one(campaign, now, block, place, facts, why);
    }
    for (size_t place = shown; status == LOTOR_OK && place < block->count; place++) {
        lotor_display display;
        lotor_block_kept(block, place, &display);
        lotor_policy_take_back(campaign->policy, display.asked, display.asked_count);
    }
    return status;
}

/* Counts a recorded blank for its user. Sets is_refused if the user is over the cap or the budget. */
static lotor_status count_user(lotor_engine *engine, const lotor_campaign *campaign,
                               lotor_block *block, size_t place, lotor_message *why)
{
    lotor_user user = {0};
    bool counted = true;
    if (block->users) {
        user = block->users[place];
    }
    const lotor_status status = lotor_users_charge(engine, campaign, &user, why, &counted);
    block->blanks[place].is_refused = !counted;
    return status;
}

/* Enters the blanks that are recorded in the log. The others are void, and so are those of a user who
 * is over the cap or the budget. Neither depends on feedback. */
static lotor_status enter_blanks(lotor_engine *engine, lotor_campaign *campaign, lotor_block *block,
                                 fact_list *facts, lotor_message *why)
{
    const uint64_t now = engine->low;
    lotor_status status = LOTOR_OK;
    for (size_t place = 0; status == LOTOR_OK && place < block->count; place++) {
        const lotor_blank *blank = &block->blanks[place];
        lotor_display display;
        if (blank->is_recorded && campaign->counts_at_entry) {
            status = count_user(engine, campaign, block, place, why);
        }
        if (status == LOTOR_OK && (!blank->is_recorded || blank->is_refused)) {
            lotor_policy_void(campaign->policy);
            continue;
        }
        if (status != LOTOR_OK) {
            return status;
        }
        lotor_block_kept(block, place, &display);
        status = lotor_policy_fill(campaign->policy, &display, block->blanks[place].size, why);
        if (status == LOTOR_OK) {
            status = enter_one(campaign, now, block, place, facts, why);
        }
    }
    return status;
}

static lotor_status enter_block(lotor_engine *engine, lotor_campaign *campaign, lotor_block *block,
                                lotor_message *why)
{
    lotor_owner_cycle *cycle = &campaign->cycle;
    fact_list facts = {0};
    assert(!block->is_entered);
    assert(block->first > cycle->lease.final);
    assert(lotor_block_last(block) <= cycle->lease.sealed);
    lotor_status status = LOTOR_OK;
    if (campaign->spec->half_life_in_seconds) {
        /* The block's row has this time. So every owner ages releases in the same way. */
        status = lotor_policy_tick(campaign->policy, block->deadline / 1000, why);
    }
    lotor_policy_on_fact(campaign->policy, keep_fact, &facts);
    if (status == LOTOR_OK) {
        status =
            (block->is_blank ? enter_blanks : enter_drawn)(engine, campaign, block, &facts, why);
    }
    lotor_policy_on_fact(campaign->policy, NULL, NULL);
    free(facts.bytes);
    if (status != LOTOR_OK) {
        return status;
    }
    block->is_entered = true;
    cycle->dropped++;
    cycle->lease.final = lotor_block_last(block);
    return LOTOR_OK;
}

static lotor_status copy_over(lotor_campaign *campaign, lotor_message *why)
{
    lotor_owner_cycle *cycle = &campaign->cycle;
    if (cycle->over) {
        return LOTOR_OK;
    }
    cycle->over = malloc(campaign->arms * sizeof *cycle->over);
    if (!cycle->over) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to end rounds");
    }
    memcpy(cycle->over, campaign->over, campaign->arms * sizeof *cycle->over);
    return LOTOR_OK;
}

static bool has_used_its_share(lotor_engine *engine)
{
    return lotor_engine_boot(engine) >= engine->share_from + LOTOR_SHARE_MS;
}

lotor_status lotor_draw_enter_until(lotor_engine *engine, lotor_campaign *campaign, uint64_t limit,
                                    lotor_message *why, bool *stops)
{
    lotor_owner_cycle *cycle = &campaign->cycle;
    lotor_status status = LOTOR_OK;
    assert(campaign->is_owner && campaign->policy);
    *stops = false;
    for (size_t i = campaign->block_first + cycle->dropped;
         status == LOTOR_OK && i < campaign->block_end; i++) {
        lotor_block *block = campaign->blocks[i];
        if (block->deadline >= limit) {
            return LOTOR_OK;
        }
        if (lotor_block_last(block) > campaign->lease.sealed) {
            *stops = true;
            return LOTOR_OK;
        }
        if (cycle->dropped > 0 && has_used_its_share(engine)) {
            *stops = cycle->has_more = true;
            return LOTOR_OK;
        }
        status = copy_over(campaign, why);
        if (status == LOTOR_OK) {
            status = enter_block(engine, campaign, block, why);
        }
    }
    return status;
}

/* --- drawing decisions ------------------------------------------------------------------------ */

bool *lotor_draw_mask(const lotor_campaign *campaign, const bool *eligible)
{
    const lotor_spec *spec = campaign->spec;
    bool *mask = calloc(campaign->arms, sizeof *mask);
    for (size_t i = 0; mask && i < spec->arm_count; i++) {
        mask[i] = !spec->arms[i].paused && (!eligible || eligible[i]);
    }
    return mask;
}

size_t lotor_draw_slot(const lotor_campaign *campaign, const lotor_policy *policy,
                       const lotor_display *display)
{
    lotor_randomizer randomizer;
    return campaign->is_local && lotor_policy_randomizer(policy, display, &randomizer)
               ? randomizer.slot
               : 0;
}

static size_t slot_of(const lotor_campaign *campaign, const lotor_decision *decision)
{
    const lotor_display display = {.arms = decision->arms,
                                   .count = decision->count,
                                   .asked = decision->asked,
                                   .asked_count = decision->asked_count};
    return lotor_draw_slot(campaign, campaign->policy, &display);
}

/* How many more decisions may be open. */
static uint64_t room_for(const lotor_campaign *campaign)
{
    const uint64_t open = lotor_policy_rounds(campaign->policy) - campaign->cycle.lease.final;
    return open < campaign->max_open ? campaign->max_open - open : 0;
}

/* Gives the block its deadline and adds it to the cycle. Deadlines never decrease, so blocks end in
 * the order of their numbers. */
static lotor_status add_fresh(lotor_engine *engine, lotor_campaign *campaign, lotor_block *block,
                              lotor_message *why)
{
    lotor_owner_cycle *cycle = &campaign->cycle;
    assert(block->first > cycle->lease.final && block->count > 0);
    assert(campaign->block_first == campaign->block_end ||
           block->first > lotor_block_last(campaign->blocks[campaign->block_end - 1]));
    block->deadline = block->until + campaign->wait + engine->margin;
    if (block->deadline < cycle->last_deadline) {
        block->deadline = cycle->last_deadline;
    }
    cycle->last_deadline = block->deadline;
    *cycle->fresh_end = block;
    cycle->fresh_end = &block->next;
    return lotor_block_pack(block, why);
}

lotor_status lotor_draw_ahead(lotor_engine *engine, lotor_campaign *campaign, uint64_t holder,
                              uint64_t want, size_t count, lotor_message *why, size_t *drawn)
{
    const uint64_t room = room_for(campaign);
    *drawn = 0;
    count = count < campaign->together ? count : campaign->together;
    count = count < room ? count : (size_t)room;
    bool *mask = lotor_draw_mask(campaign, NULL);
    lotor_block *block = lotor_block_new(count);
    lotor_status status =
        mask && block ? LOTOR_OK : lotor_fail(LOTOR_MEMORY, why, "no memory to draw");
    while (status == LOTOR_OK && block->count < count) {
        lotor_decision decision;
        unsigned char *action; /* there is none without a context */
        size_t length;
        status = lotor_intake_draw(campaign->intake, campaign->policy, NULL, 0, mask, false, why,
                                   &decision, &action, &length);
        if (status == LOTOR_INVALID || (status == LOTOR_OK && decision.event == 0)) {
            /* too few arms, or the horizon is reached: each request is told when it asks */
            status = LOTOR_OK;
            break;
        }
        if (status == LOTOR_OK) {
            block->first = block->count ? block->first : decision.event;
            status = lotor_block_add(block, &decision, slot_of(campaign, &decision), NULL, 0, why);
        }
    }
    free(mask);
    if (status != LOTOR_OK || block->count == 0) {
        lotor_block_free(block);
        return status;
    }
    *drawn = block->count;
    block->nonce = lotor_engine_random_id();
    block->holder = holder;
    block->want = want;
    block->until = engine->high + campaign->life;
    return add_fresh(engine, campaign, block, why);
}

enum { BLANKS_BYTES = 1 << 22 };

lotor_status lotor_draw_blanks(lotor_engine *engine, lotor_campaign *campaign, uint64_t holder,
                               uint64_t want, size_t count, lotor_message *why, size_t *drawn)
{
    const uint64_t room = room_for(campaign);
    *drawn = 0;
    count = count < campaign->together ? count : campaign->together;
    count = count < room ? count : (size_t)room;
    const size_t fit = BLANKS_BYTES / (1 + campaign->dimension * sizeof(double));
    count = count < fit ? count : fit; /* the contexts of a block are kept in memory */
    lotor_block *block = lotor_block_new_blank(count);
    if (!block) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to number decisions");
    }
    block->count = *drawn = (size_t)lotor_policy_number(campaign->policy, count, &block->first);
    if (*drawn == 0) { /* each request is told why when it asks */
        lotor_block_free(block);
        return LOTOR_OK;
    }
    block->nonce = lotor_engine_random_id();
    block->holder = holder;
    block->want = want;
    block->until = engine->high + campaign->life;
    return add_fresh(engine, campaign, block, why);
}

/* --- for one request -------------------------------------------------------------------------- */

void lotor_draw_refuse(lotor_refusal *refusal, lotor_status status, const lotor_message *why)
{
    if (status == LOTOR_INVALID) {
        lotor_refuse(refusal, LOTOR_CODE_TOO_FEW_ARMS, "eligible", "%s", why->text);
    } else if (status == LOTOR_RANGE || status == LOTOR_DAMAGED) {
        lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "context", "%s", why->text);
    } else {
        lotor_refuse_memory(refusal);
    }
}

/* Turns a mistake of the caller into a refusal; returns all other failures. */
static lotor_status refuse_or_fail(lotor_want *want, lotor_status status, const lotor_message *why)
{
    if (status != LOTOR_INVALID && status != LOTOR_RANGE && status != LOTOR_DAMAGED) {
        return status;
    }
    lotor_draw_refuse(&want->refusal, status, why);
    return LOTOR_OK;
}

/* Tries all drawings without keeping them, so that a refused request changes nothing. */
static lotor_status look_at_all(lotor_campaign *campaign, lotor_want *want, lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    for (size_t i = 0;
         status == LOTOR_OK && want->refusal.code == LOTOR_CODE_NONE && i < want->count; i++) {
        const lotor_want_item *asking = &want->asking[i];
        bool *mask = lotor_draw_mask(campaign, asking->eligible);
        lotor_decision decision;
        unsigned char *action = NULL;
        size_t length = 0;
        status = mask ? lotor_intake_draw(campaign->intake, campaign->policy, asking->context,
                                          asking->context_length, mask, true, why, &decision,
                                          &action, &length)
                      : lotor_fail((lotor_status)LOTOR_MEMORY, why, "no memory to draw");
        status = refuse_or_fail(want, status, why);
        lotor_bytes_free(action, length);
        free(mask);
    }
    return status;
}

static lotor_status draw_one(lotor_campaign *campaign, lotor_want *want, size_t i,
                             lotor_message *why)
{
    const lotor_want_item *asking = &want->asking[i];
    const bool looks = want->counted && !want->counted[i];
    unsigned char *action = NULL;
    size_t length = 0;
    lotor_decision decision;
    bool *mask = lotor_draw_mask(campaign, asking->eligible);
    lotor_status status = mask ? lotor_intake_draw(campaign->intake, campaign->policy,
                                                   asking->context, asking->context_length, mask,
                                                   looks, why, &decision, &action, &length)
                               : lotor_fail((lotor_status)LOTOR_MEMORY, why, "no memory to draw");
    free(mask);
    if (status != LOTOR_OK) {
        return status;
    }
    const bool has_event = decision.event != 0;
    lotor_block *block = has_event ? want->block : want->eventless;
    want->shown[i] = (lotor_want_place){.has_event = has_event, .place = block->count};
    block->first = block->count ? block->first : decision.event;
    status = lotor_block_add(block, &decision, slot_of(campaign, &decision),
                             has_event ? action : NULL, length, why);
    lotor_bytes_free(action, length);
    return status;
}

static lotor_status make_reply_room(lotor_want *want, lotor_message *why)
{
    lotor_block_free(want->eventless);
    free(want->shown);
    want->block = lotor_block_new(want->count);
    want->eventless = lotor_block_new(want->count);
    want->shown = calloc(want->count, sizeof *want->shown);
    return want->block && want->eventless && want->shown
               ? LOTOR_OK
               : lotor_fail(LOTOR_MEMORY, why, "no memory to draw");
}

/* Counts the displays to users. That happens in the cycle's transaction, before their decisions are
 * drawn: see prepare_all in cycle.c. */
static lotor_status count_users(lotor_engine *engine, const lotor_campaign *campaign,
                                lotor_want *want, lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    free(want->counted);
    want->counted = calloc(want->count, sizeof *want->counted);
    if (!want->counted) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to draw");
    }
    for (size_t i = 0; status == LOTOR_OK && i < want->count; i++) {
        if (!lotor_stickies_repeats(want, i)) {
            status =
                lotor_users_charge(engine, campaign, &want->asking[i].user, why, &want->counted[i]);
        }
    }
    return status;
}

/* Refuses a want if too many decisions are open. */
static void check_room(const lotor_campaign *campaign, lotor_want *want, size_t needed)
{
    if (room_for(campaign) < needed) {
        lotor_refuse(
            &want->refusal, LOTOR_CODE_TOO_MANY_OPEN, "",
            "too many decisions of this campaign are open: try again when some of them are "
            "final, or create a campaign with a larger max_open");
    }
}

/* Numbers blanks for one request, whose server fills them in (blank.c). After the horizon, rankings take
 * no feedback, for any user. */
static lotor_status number_direct(lotor_engine *engine, lotor_campaign *campaign, lotor_want *want,
                                  lotor_message *why)
{
    want->is_prepared = true;
    want->block = NULL;
    want->refusal.code = LOTOR_CODE_NONE;
    check_room(campaign, want, want->count);
    lotor_status status = want->refusal.code == LOTOR_CODE_NONE ? look_at_all(campaign, want, why)
                                                                : (lotor_status)LOTOR_OK;
    if (status != LOTOR_OK || want->refusal.code != LOTOR_CODE_NONE) {
        return status;
    }
    status = make_reply_room(want, why);
    lotor_block *block = lotor_block_new_blank(want->count);
    free(want->counted);
    want->counted = calloc(want->count, sizeof *want->counted); /* the rest is only looked at */
    lotor_block_free(want->block);
    want->block = block;
    if (status == LOTOR_OK && (!block || !want->counted)) {
        status = lotor_fail(LOTOR_MEMORY, why, "no memory to number decisions");
    }
    if (status == LOTOR_OK) {
        block->count = (size_t)lotor_policy_number(campaign->policy, want->count, &block->first);
    }
    for (size_t i = 0; status == LOTOR_OK && i < want->count; i++) {
        if (i < block->count) {
            want->shown[i] = (lotor_want_place){.has_event = true, .place = i};
        } else {
            status = draw_one(campaign, want, i, why);
        }
    }
    if (status != LOTOR_OK || block->count == 0) {
        lotor_block_free(block);
        want->block = NULL;
        return status;
    }
    block->nonce = lotor_engine_random_id();
    block->holder = want->server;
    block->want = want->id;
    block->until = engine->high;
    return add_fresh(engine, campaign, block, why);
}

static lotor_status draw_direct(lotor_engine *engine, lotor_campaign *campaign, lotor_want *want,
                                lotor_message *why)
{
    want->is_prepared = true;
    want->block = NULL;
    want->refusal.code = LOTOR_CODE_NONE;
    size_t needed;
    lotor_status status = lotor_stickies_find(engine, campaign, want, why, &needed);
    if (status != LOTOR_OK) {
        return status;
    }
    check_room(campaign, want, needed);
    if (want->refusal.code != LOTOR_CODE_NONE) {
        return LOTOR_OK;
    }
    status = look_at_all(campaign, want, why);
    if (status != LOTOR_OK || want->refusal.code != LOTOR_CODE_NONE) {
        return status;
    }
    if (campaign->counts_users) {
        status = count_users(engine, campaign, want, why);
    }
    if (status == LOTOR_OK) {
        status = make_reply_room(want, why);
    }
    for (size_t i = 0; status == LOTOR_OK && i < want->count; i++) {
        status = lotor_stickies_repeats(want, i) ? lotor_stickies_show(want, i, why)
                                                 : draw_one(campaign, want, i, why);
    }
    lotor_block *block = want->block;
    if (status != LOTOR_OK || block->count == 0) {
        lotor_block_free(block);
        want->block = NULL;
        return status == LOTOR_OK ? lotor_stickies_keep(engine, campaign, want, why) : status;
    }
    block->nonce = lotor_engine_random_id();
    block->holder = want->server;
    block->want = want->id;
    block->until = engine->high;
    status = add_fresh(engine, campaign, block, why);
    return status == LOTOR_OK ? lotor_stickies_keep(engine, campaign, want, why) : status;
}

/* --- wants ------------------------------------------------------------------------------------ */

/* How many decisions to draw for this server's waiting requests; more if requests come often. */
static size_t size_for_waiting(lotor_engine *engine, lotor_campaign *campaign)
{
    size_t needed = 0;
    for (const lotor_want *want = campaign->wants; want; want = want->next) {
        needed += want->job && !want->asking ? want->count : 0;
    }
    return lotor_front_size(engine, campaign, &campaign->drawn, needed);
}

/* No decisions can be drawn ahead, so this request is served alone and gets the reason. */
static lotor_status draw_alone(lotor_engine *engine, lotor_campaign *campaign, lotor_want *want,
                               lotor_message *why)
{
    return lotor_want_make_direct(want)
               ? draw_direct(engine, campaign, want, why)
               : lotor_fail((lotor_status)LOTOR_MEMORY, why, "no memory to draw");
}

/* True if blocks were too old when they were committed. Decisions that are drawn for one request
 * can't be too old. */
static bool is_slow(const lotor_engine *engine, const lotor_campaign *campaign)
{
    return engine->boot < campaign->slow_until;
}

static lotor_status draw_for_pool(lotor_engine *engine, lotor_campaign *campaign, lotor_want *want,
                                  lotor_message *why, bool *has_drawn)
{
    size_t drawn = 0;
    if (want->job && *has_drawn) {
        return LOTOR_OK; /* the block that was drawn is for this request, too */
    }
    if (want->job &&
        (is_slow(engine, campaign) || engine->boot > want->arrival + LOTOR_PATIENCE_MS)) {
        return draw_alone(engine, campaign, want, why);
    }
    const size_t size = want->job ? size_for_waiting(engine, campaign) : want->count;
    lotor_status status = (want->is_for_blanks ? lotor_draw_blanks : lotor_draw_ahead)(
        engine, campaign, want->server, want->job ? 0 : want->id, size, why, &drawn);
    if (status == LOTOR_OK && want->job) {
        *has_drawn = drawn > 0;
        if (drawn == 0) {
            return draw_alone(engine, campaign, want, why);
        }
    } else if (status == LOTOR_OK) {
        want->is_prepared = true;
        want->is_drawn_ahead = drawn > 0;
    }
    return status;
}

/* Numbers more blanks if there are few. */
static lotor_status refill_blanks(lotor_engine *engine, lotor_campaign *campaign,
                                  lotor_message *why)
{
    size_t drawn = 0;
    pthread_mutex_lock(&campaign->lock);
    const bool is_low = campaign->blanks.is_low;
    pthread_mutex_unlock(&campaign->lock);
    if (!is_low || !campaign->takes_blanks) {
        return LOTOR_OK;
    }
    lotor_status status = LOTOR_OK;
    if (!is_slow(engine, campaign)) {
        status = lotor_draw_blanks(engine, campaign, engine->server, 0,
                                   lotor_front_size(engine, campaign, &campaign->blanks, 0), why,
                                   &drawn);
    }
    if (drawn == 0) {
        pthread_mutex_lock(&campaign->lock);
        campaign->blanks.is_low = false;
        pthread_mutex_unlock(&campaign->lock);
    }
    return status;
}

/* Refills the pool if it is low. The drawing sees what a request at that moment would have seen. */
static lotor_status refill(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    size_t drawn = 0;
    bool stops = false;
    pthread_mutex_lock(&campaign->lock);
    const lotor_pool *pool = &campaign->drawn;
    const bool is_low = pool->is_low && !campaign->is_direct;
    const uint64_t since = engine->boot > pool->low_at ? engine->boot - pool->low_at : 0;
    pthread_mutex_unlock(&campaign->lock);
    if (!is_low) {
        return LOTOR_OK;
    }
    lotor_status status =
        lotor_draw_enter_until(engine, campaign, engine->low - since, why, &stops);
    if (status != LOTOR_OK || stops) {
        return status;
    }
    if (!is_slow(engine, campaign)) {
        status = lotor_draw_ahead(engine, campaign, engine->server, 0,
                                  lotor_front_size(engine, campaign, pool, 0), why, &drawn);
    }
    if (drawn == 0) {
        pthread_mutex_lock(&campaign->lock);
        campaign->drawn.is_low = false;
        pthread_mutex_unlock(&campaign->lock);
    }
    return status;
}

lotor_status lotor_draw_wants(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    bool stops = false, has_drawn = false;
    lotor_status status = LOTOR_OK;
    if (!engine->is_steady || campaign->halted != LOTOR_CODE_NONE) {
        return LOTOR_OK;
    }
    for (lotor_want *want = campaign->wants; status == LOTOR_OK && want; want = want->next) {
        if (has_used_its_share(engine) && campaign->cycle.fresh) {
            campaign->cycle.has_more = true;
            return LOTOR_OK;
        }
        status = lotor_draw_enter_until(engine, campaign, want->at, why, &stops);
        if (status != LOTOR_OK || stops) {
            return status;
        }
        if (!want->asking) {
            status = draw_for_pool(engine, campaign, want, why, &has_drawn);
        } else if (campaign->counts_at_entry) {
            status = number_direct(engine, campaign, want, why);
        } else {
            status = draw_direct(engine, campaign, want, why);
        }
    }
    if (status == LOTOR_OK) {
        status = refill_blanks(engine, campaign, why);
    }
    return status == LOTOR_OK && !has_drawn ? refill(engine, campaign, why) : status;
}
