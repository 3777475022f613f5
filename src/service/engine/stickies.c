/* stickies.c - looks up and keeps decisions that a user gets again. See stickies.h. */
#include "service/engine/stickies.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/little.h"

enum { TIDY_MS = 60000, HEAD = 48 }; /* HEAD: the bytes before the decision in `shown` */

static lotor_status refuse_memory(lotor_message *why)
{
    return lotor_fail(LOTOR_MEMORY, why, "no memory to draw");
}

/* The sealed bytes repeat the columns of the row, so that no column can be changed. */
static void write_head(const lotor_sticky_row *row, unsigned char head[HEAD])
{
    memcpy(head, row->hash, 16);
    lotor_put_u64(head + 16, row->until);
    lotor_put_u64(head + 24, row->decision);
    lotor_put_u64(head + 32, row->nonce);
    lotor_put_u64(head + 40, row->expires);
}

/* --- finding ---------------------------------------------------------------------------------- */

typedef struct sticky_reader {
    const lotor_engine *engine;
    const lotor_campaign *campaign;
    lotor_sticky *out;
} sticky_reader;

/* A row that does not open was not written by a server. It is ignored: a new decision is drawn, and
 * replaces it. */
static lotor_status read_row(void *context, const lotor_sticky_row *row)
{
    const sticky_reader *const at = context;
    unsigned char head[HEAD];
    const size_t overhead = HEAD + LOTOR_SERVER_KEY_OVERHEAD;
    unsigned char *const plain =
        row->shown_length > overhead ? malloc(row->shown_length - LOTOR_SERVER_KEY_OVERHEAD) : NULL;
    if (!plain) {
        return row->shown_length > overhead ? LOTOR_MEMORY : LOTOR_OK;
    }
    write_head(row, head);
    lotor_status status = LOTOR_OK;
    const bool is_ours =
        lotor_server_key_unseal(at->engine->server_key, LOTOR_SEAL_STICKY, at->campaign->id, 0,
                                row->shown, row->shown_length, plain) == LOTOR_OK &&
        memcmp(plain, head, HEAD) == 0;
    if (is_ours) {
        status = lotor_block_unpack_words(plain + HEAD, row->shown_length - overhead, 1,
                                          at->campaign->arms, NULL, &at->out->block);
        at->out->is_found = status == LOTOR_OK;
        at->out->number = row->decision;
        at->out->nonce = row->nonce;
        at->out->expires = row->expires;
    }
    free(plain);
    return status == LOTOR_MEMORY ? status : LOTOR_OK;
}

/* True if all arms of a kept decision may be shown now: none of them is paused, and all are eligible
 * in this request. Only the writer changes the specification, so no lock is needed. */
static bool may_show(const lotor_campaign *campaign, const lotor_block *block, const bool *eligible)
{
    const lotor_spec *const spec = campaign->spec;
    lotor_display display;
    lotor_block_kept(block, 0, &display);
    bool may = true;
    for (size_t i = 0; may && i < display.count; i++) {
        const uint32_t arm = display.arms[i];
        may = arm < spec->arm_count && !spec->arms[arm].paused && (!eligible || eligible[arm]);
    }
    return may;
}

static bool has_same_eligible(const lotor_campaign *campaign, const bool *one, const bool *other)
{
    return one == other || (one && other && memcmp(one, other, campaign->arms * sizeof *one) == 0);
}

/* Finds an earlier ranking of the want with the same user and the same eligible arms. */
static size_t find_like(const lotor_campaign *campaign, const lotor_want *want, size_t i)
{
    const lotor_want_item *const one = &want->asking[i];
    for (size_t j = 0; j < i; j++) {
        const lotor_want_item *const other = &want->asking[j];
        if (memcmp(one->user.hash, other->user.hash, sizeof one->user.hash) == 0 &&
            has_same_eligible(campaign, one->eligible, other->eligible)) {
            return j;
        }
    }
    return SIZE_MAX;
}

lotor_status lotor_stickies_find(lotor_engine *engine, const lotor_campaign *campaign,
                                 lotor_want *want, lotor_message *why, size_t *needed)
{
    *needed = want->count;
    if (campaign->sticky == 0) {
        return LOTOR_OK;
    }
    lotor_stickies_free(want);
    want->stickies = calloc(want->count, sizeof *want->stickies);
    lotor_status status = want->stickies ? LOTOR_OK : refuse_memory(why);
    for (size_t i = 0; status == LOTOR_OK && i < want->count; i++) {
        lotor_sticky *const at = &want->stickies[i];
        sticky_reader reader = {engine, campaign, at};
        at->like = find_like(campaign, want, i);
        if (at->like == SIZE_MAX) {
            status = lotor_store_get_sticky(engine->store, campaign->id, want->asking[i].user.hash,
                                            engine->low, read_row, &reader, why);
        }
        at->is_open = at->is_found && at->number > 0 && at->expires > engine->low;
        at->is_found = at->is_found && may_show(campaign, at->block, want->asking[i].eligible);
        *needed -= status == LOTOR_OK && lotor_stickies_repeats(want, i);
    }
    return status;
}

bool lotor_stickies_repeats(const lotor_want *want, size_t i)
{
    return want->stickies && (want->stickies[i].is_found || want->stickies[i].like != SIZE_MAX);
}

lotor_status lotor_stickies_show(lotor_want *want, size_t i, lotor_message *why)
{
    const lotor_sticky *const at = &want->stickies[i];
    if (at->like != SIZE_MAX) {
        assert(at->like < i);
        want->shown[i] = want->shown[at->like];
        return LOTOR_OK;
    }
    lotor_display display;
    const size_t slot = lotor_block_kept(at->block, 0, &display);
    const lotor_decision decision = {.arms = display.arms,
                                     .count = display.count,
                                     .asked = display.asked,
                                     .asked_count = display.asked_count};
    want->shown[i] = (lotor_want_place){.place = want->eventless->count,
                                        .number = at->number,
                                        .nonce = at->nonce,
                                        .expires = at->expires};
    return lotor_block_add(want->eventless, &decision, slot, NULL, 0, why);
}

/* --- storing stickies ------------------------------------------------------------------------- */

/* The words of one decision of a block. */
static lotor_status pack_one(const lotor_block *block, size_t place, lotor_message *why,
                             unsigned char **bytes, size_t *length)
{
    lotor_display display;
    const size_t slot = lotor_block_kept(block, place, &display);
    const lotor_decision decision = {.arms = display.arms,
                                     .count = display.count,
                                     .asked = display.asked,
                                     .asked_count = display.asked_count};
    lotor_block *const one = lotor_block_new(1);
    lotor_status status =
        one ? lotor_block_add(one, &decision, slot, NULL, 0, why) : refuse_memory(why);
    if (status == LOTOR_OK) {
        status = lotor_block_pack_words(one, why, bytes, length);
    }
    lotor_block_free(one);
    return status;
}

static lotor_status keep_one(lotor_engine *engine, const lotor_campaign *campaign,
                             const lotor_want *want, size_t i, lotor_message *why)
{
    const lotor_want_place *const at = &want->shown[i];
    const lotor_block *const block = at->has_event ? want->block : want->eventless;
    unsigned char *words = NULL;
    size_t length = 0;
    lotor_sticky_row row = {.hash = want->asking[i].user.hash,
                            .until = engine->low + campaign->sticky};
    if (at->has_event) {
        row.decision = block->first + at->place;
        row.nonce = block->nonce;
        row.expires = block->until + campaign->wait;
    }
    lotor_status status = pack_one(block, at->place, why, &words, &length);
    const size_t plain_length = HEAD + length;
    unsigned char *const plain = malloc(plain_length);
    unsigned char *const sealed = malloc(plain_length + LOTOR_SERVER_KEY_OVERHEAD);
    if (status == LOTOR_OK && (!plain || !sealed)) {
        status = refuse_memory(why);
    }
    if (status == LOTOR_OK) {
        write_head(&row, plain);
        memcpy(plain + HEAD, words, length);
        lotor_server_key_seal(engine->server_key, LOTOR_SEAL_STICKY, campaign->id, 0, plain,
                              plain_length, sealed);
        row.shown = sealed;
        row.shown_length = plain_length + LOTOR_SERVER_KEY_OVERHEAD;
        status = lotor_store_put_sticky(engine->store, campaign->id, &row, why);
    }
    free(words);
    free(plain);
    free(sealed);
    return status;
}

/* True if the user has an event that still accepts feedback, from the row or from another ranking of
 * this want (with other eligible arms). */
static bool has_open_event(const lotor_want *want, size_t i)
{
    bool has = want->stickies[i].is_open;
    for (size_t j = 0; !has && j < i; j++) {
        const bool is_drawn = want->shown[j].has_event && !lotor_stickies_repeats(want, j);
        has = is_drawn && memcmp(want->asking[j].user.hash, want->asking[i].user.hash, 16) == 0;
    }
    return has;
}

/* A decision that takes no feedback does not replace one that does: the user must be able to see the
 * latter again. */
lotor_status lotor_stickies_keep(lotor_engine *engine, const lotor_campaign *campaign,
                                 const lotor_want *want, lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; status == LOTOR_OK && want->stickies && i < want->count; i++) {
        if (!lotor_stickies_repeats(want, i) &&
            (want->shown[i].has_event || !has_open_event(want, i))) {
            status = keep_one(engine, campaign, want, i, why);
        }
    }
    return status;
}

/* True if no other server writes rows of the campaign now. */
static bool may_tidy(const lotor_engine *engine, const lotor_campaign *campaign)
{
    const lotor_lease *const lease = &campaign->lease;
    return campaign->is_owner || lease->owner == 0 || lease->owner == engine->server ||
           !lease->is_live;
}

lotor_status lotor_stickies_tidy(lotor_engine *engine, lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; status == LOTOR_OK && i < engine->campaign_count; i++) {
        lotor_campaign *const campaign = engine->by_place[i];
        const bool is_time = engine->is_steady && engine->boot >= campaign->tidied_at + TIDY_MS;
        if (campaign->sticky > 0 && !campaign->is_erased && is_time && may_tidy(engine, campaign)) {
            campaign->tidied_at = engine->boot;
            status = lotor_store_forget_stickies(engine->store, campaign->id, engine->low, why);
        }
    }
    return status;
}

void lotor_stickies_free(lotor_want *want)
{
    for (size_t i = 0; want->stickies && i < want->count; i++) {
        lotor_block_free(want->stickies[i].block);
    }
    free(want->stickies);
    want->stickies = NULL;
}
