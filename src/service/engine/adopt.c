/* adopt.c - adopts one campaign of version 0.1, in one transaction.
 *
 * The migration marked the campaign in meta: legacy:ID = 1. The adoption writes
 *
 *      state       the policy, sealed with a new head
 *      blocks      the open part of each block; the nonce stays, so old events stay valid
 *      actions     sealed again, one for each decision
 *      feedback    rows of stream 0, numbered from 1
 *      handouts    rows of stream 0, after the feedback
 *      campaign    its own key, and a seal over its specification
 *
 * and sets legacy:ID = 2. If anything fails, the store stays as it was.
 */
#include <assert.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "service/engine/inside.h"
#include "service/little.h"

enum { STREAM = 0, OLD_REPORT_BYTES = 16 };

typedef struct old_block {
    lotor_block_row row; /* with its own copies of the bytes */
    bool has_report;
    uint64_t handed; /* the number of decisions handed out, from its handout */
} old_block;

typedef struct adoption {
    lotor_engine *engine;
    const lotor_campaign_row *row;
    bool was_rolled_back;
    lotor_lease lease;
    lotor_campaign *campaign; /* the campaign after the adoption */
    uint64_t ended;           /* rounds that are final */
    uint64_t seq;             /* of the last row that was written */
    /* Read from the store of version 0.1: */
    unsigned char *state;
    size_t state_length;
    old_block *blocks;
    size_t block_count, block_room;
    lotor_log_row *rows; /* with their own copies of the bytes */
    size_t row_count, row_room;
} adoption;

static lotor_status refuse_memory(lotor_message *why)
{
    return lotor_fail(LOTOR_MEMORY, why, "no memory to adopt a campaign of version 0.1");
}

static lotor_status refuse_row(lotor_message *why)
{
    return lotor_fail(LOTOR_DAMAGED, why, "one of its rows was not written by version 0.1");
}

/* --- reading ---------------------------------------------------------------------------------- */

static unsigned char *copy_bytes(const unsigned char *bytes, size_t length)
{
    unsigned char *copy = malloc(length ? length : 1);
    if (copy && length) {
        memcpy(copy, bytes, length);
    }
    return copy;
}

static lotor_status read_state(void *context, const unsigned char *bytes, size_t length)
{
    adoption *at = context;
    at->state = copy_bytes(bytes, length);
    at->state_length = length;
    return at->state ? LOTOR_OK : LOTOR_MEMORY;
}

static lotor_status read_block(void *context, const lotor_block_row *row)
{
    adoption *at = context;
    if (at->block_count == at->block_room) {
        const size_t room = 2 * at->block_room + 8;
        old_block *blocks = realloc(at->blocks, room * sizeof *blocks);
        if (!blocks) {
            return LOTOR_MEMORY;
        }
        at->blocks = blocks;
        at->block_room = room;
    }
    old_block *block = &at->blocks[at->block_count++];
    *block = (old_block){.row = *row};
    block->row.drawn = copy_bytes(row->drawn, row->drawn_length);
    block->row.action = row->action ? copy_bytes(row->action, row->action_length) : NULL;
    return block->row.drawn && (block->row.action || !row->action) ? LOTOR_OK : LOTOR_MEMORY;
}

static lotor_status read_row(void *context, const lotor_log_row *row)
{
    adoption *at = context;
    if (at->row_count == at->row_room) {
        const size_t room = 2 * at->row_room + 8;
        lotor_log_row *rows = realloc(at->rows, room * sizeof *rows);
        if (!rows) {
            return LOTOR_MEMORY;
        }
        at->rows = rows;
        at->row_room = room;
    }
    lotor_log_row *copy = &at->rows[at->row_count++];
    *copy = *row;
    copy->bytes = copy_bytes(row->bytes, row->length);
    return copy->bytes ? LOTOR_OK : LOTOR_MEMORY;
}

static lotor_status read_old(adoption *at, lotor_message *why)
{
    lotor_store *store = at->engine->store;
    const uint64_t id = at->row->id;
    uint64_t epoch;
    lotor_status status = lotor_store_get_state(store, id, read_state, at, why, &epoch);
    if (status == LOTOR_OK) {
        status = lotor_store_each_block(store, id, 0, 0, read_block, at, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_each_log(store, id, STREAM, 0, read_row, at, why);
    }
    return status == LOTOR_MEMORY ? refuse_memory(why) : status;
}

/* Copies the handouts to their blocks. Handouts are in the same order as blocks. */
static lotor_status read_reports(adoption *at, lotor_message *why)
{
    size_t i = 0;
    for (size_t j = 0; j < at->row_count; j++) {
        const lotor_log_row *row = &at->rows[j];
        if (row->kind != LOTOR_LOG_HANDOUT) {
            continue;
        }
        while (i < at->block_count && at->blocks[i].row.first < row->first) {
            i++;
        }
        old_block *block = i < at->block_count ? &at->blocks[i] : NULL;
        if (!block || block->row.first != row->first || row->length != OLD_REPORT_BYTES ||
            lotor_get_u64(row->bytes) != block->row.nonce ||
            lotor_get_u64(row->bytes + 8) > block->row.count) {
            return refuse_row(why);
        }
        block->handed = lotor_get_u64(row->bytes + 8);
        /* If the store is an older copy, decisions that were left then may have been handed out
         * since. */
        block->has_report = block->handed == block->row.count || !at->was_rolled_back;
        if (!block->has_report) {
            block->row.deadline = 0;
        }
    }
    return LOTOR_OK;
}

static void free_adoption(adoption *at)
{
    for (size_t i = 0; i < at->block_count; i++) {
        free((void *)at->blocks[i].row.drawn);
        free((void *)at->blocks[i].row.action);
    }
    for (size_t i = 0; i < at->row_count; i++) {
        free((void *)at->rows[i].bytes);
    }
    free(at->blocks);
    free(at->rows);
    free(at->state);
    lotor_campaign_free(at->campaign);
}

/* --- the campaign after the adoption ---------------------------------------------------------- */

static lotor_status make_campaign(adoption *at, const unsigned char *key, lotor_message *why)
{
    lotor_spec *spec = NULL;
    const lotor_status status = lotor_spec_parse(at->row->spec, why, &spec);
    return status == LOTOR_OK ? lotor_campaign_new(at->row->id, spec, key, why, &at->campaign)
                              : status;
}

/* The number of bytes of the first `decisions` decisions of a block; SIZE_MAX: there are fewer.
 * Version 0.1 took decisions back without changing these bytes, so there may be more decisions. */
static size_t length_of(const lotor_block_row *row, uint64_t decisions)
{
    enum { HEADER = 12 };
    size_t length = 0;
    for (uint64_t i = 0; i < decisions; i++) {
        const size_t left = row->drawn_length - length;
        if (left < HEADER) {
            return SIZE_MAX;
        }
        const unsigned char *word = row->drawn + length;
        const uint64_t arms = (uint64_t)lotor_get_u32(word) + lotor_get_u32(word + 4);
        if (arms > (left - HEADER) / 4) {
            return SIZE_MAX;
        }
        length += HEADER + 4 * (size_t)arms;
    }
    return length;
}

/* The deadline of an adopted block. No client has an event that expires later than `wait` from
 * now. */
static uint64_t deadline_of(const adoption *at, uint64_t known)
{
    const lotor_engine *engine = at->engine;
    const uint64_t latest = engine->high + at->campaign->wait + engine->margin;
    const uint64_t deadline = known && known < latest ? known : latest;
    const uint64_t before = at->campaign->cycle.last_deadline;
    return deadline > before ? deadline : before;
}

static lotor_status adopt_actions(adoption *at, const lotor_legacy_seal *seal, const old_block *old,
                                  uint64_t skip, lotor_block *block, lotor_message *why)
{
    if (at->campaign->dimension == 0) {
        return LOTOR_OK;
    }
    return lotor_intake_adopt_actions(
        at->campaign->intake, seal, old->row.first, (size_t)old->row.count, (size_t)skip,
        old->row.action, old->row.action_length, why, &block->action, &block->action_each);
}

static lotor_status adopt_block(adoption *at, const lotor_legacy_seal *seal, const old_block *old,
                                lotor_message *why)
{
    lotor_campaign *campaign = at->campaign;
    const uint64_t final = at->lease.final;
    assert(old->row.count > 0 && old->row.first > 0);
    const uint64_t skip = old->row.first <= final ? final + 1 - old->row.first : 0;
    if (skip >= old->row.count) {
        return LOTOR_OK;
    }
    const size_t from = length_of(&old->row, skip), to = length_of(&old->row, old->row.count);
    if (from == SIZE_MAX || to == SIZE_MAX || lotor_campaign_find_block(campaign, old->row.first)) {
        return refuse_row(why);
    }
    const lotor_block_row row = {.first = old->row.first + skip,
                                 .count = old->row.count - skip,
                                 .deadline = deadline_of(at, old->row.deadline),
                                 .nonce = old->row.nonce,
                                 .drawn = old->row.drawn + from,
                                 .drawn_length = to - from};
    lotor_block *block = NULL;
    lotor_status status = lotor_block_unpack(&row, campaign->arms, why, &block);
    if (status == LOTOR_OK) {
        block->has_report = old->has_report;
        block->reported = old->handed > skip ? (size_t)(old->handed - skip) : 0;
        status = adopt_actions(at, seal, old, skip, block, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_block_pack(block, why);
    }
    if (status != LOTOR_OK) {
        lotor_block_free(block);
        return status;
    }
    campaign->cycle.last_deadline = row.deadline;
    return lotor_campaign_add_block(campaign, block, why);
}

static lotor_status adopt_rounds(adoption *at, const lotor_legacy_seal *seal, lotor_message *why)
{
    lotor_campaign *campaign = at->campaign;
    lotor_status status = lotor_intake_adopt_state(campaign->intake, seal, at->lease.final,
                                                   at->state, at->state_length, why,
                                                   &campaign->policy, &at->ended, campaign->over);
    uint64_t last = at->lease.final;
    for (size_t i = 0; status == LOTOR_OK && i < at->block_count; i++) {
        status = adopt_block(at, seal, &at->blocks[i], why);
        last = at->blocks[i].row.first + at->blocks[i].row.count - 1;
    }
    if (status == LOTOR_OK && lotor_policy_rounds(campaign->policy) < last) {
        status = lotor_fail(LOTOR_DAMAGED, why, "it has more decisions than its state drew");
    }
    return status;
}

/* --- writing ---------------------------------------------------------------------------------- */

static bool find_nonce(void *context, uint64_t decision, uint64_t *nonce)
{
    const lotor_block *block = lotor_campaign_find_block(context, decision);
    *nonce = block ? block->nonce : 0;
    return block != NULL;
}

static lotor_status append(adoption *at, const lotor_log_row *row, lotor_message *why)
{
    const lotor_status status = lotor_store_append(at->engine->store, at->row->id, row, why);
    return status == LOTOR_OK ? lotor_log_note(at->campaign, row, why) : status;
}

static lotor_status write_feedback(adoption *at, const lotor_legacy_seal *seal,
                                   const lotor_log_row *old, lotor_message *why)
{
    lotor_intake *intake = at->campaign->intake;
    lotor_log_row row = {.stream = STREAM, .seq = at->seq + 1, .kind = LOTOR_LOG_FEEDBACK};
    unsigned char *bytes;
    lotor_status status = lotor_intake_adopt_feedback(intake, seal, old->seq, old->bytes,
                                                      old->length, find_nonce, at->campaign, why);
    if (status != LOTOR_OK || lotor_intake_pending(intake) == 0) {
        return status;
    }
    status = lotor_intake_seal_pending(intake, row.stream, row.seq, why, &bytes, &row.length,
                                       &row.first, &row.last);
    lotor_intake_clear_pending(intake);
    if (status == LOTOR_OK) {
        row.bytes = bytes;
        status = append(at, &row, why);
        lotor_bytes_free(bytes, row.length);
    }
    at->seq++;
    return status;
}

static lotor_status write_report(adoption *at, const lotor_block *block, lotor_message *why)
{
    unsigned char sealed[LOTOR_HANDOUT_SEALED];
    const lotor_log_row row = {.stream = STREAM,
                               .seq = ++at->seq,
                               .kind = LOTOR_LOG_HANDOUT,
                               .first = block->first,
                               .last = lotor_block_last(block),
                               .bytes = sealed,
                               .length = sizeof sealed};
    lotor_handout_seal(at->engine, at->row->id, &row, block->nonce, block->reported, sealed);
    return append(at, &row, why);
}

static lotor_status replace_rounds(adoption *at, const lotor_legacy_seal *seal, lotor_message *why)
{
    lotor_store *store = at->engine->store;
    const lotor_campaign *campaign = at->campaign;
    const uint64_t id = at->row->id;
    lotor_status status = lotor_store_forget(store, id, UINT64_MAX, why);
    if (status == LOTOR_OK) {
        status = lotor_store_forget_log(store, id, STREAM, UINT64_MAX, UINT64_MAX, why);
    }
    for (size_t i = campaign->block_first; status == LOTOR_OK && i < campaign->block_end; i++) {
        lotor_block_row row;
        lotor_block_row_of(campaign->blocks[i], &row);
        status = lotor_store_add_block(store, id, &row, why);
    }
    for (size_t i = 0; status == LOTOR_OK && i < at->row_count; i++) {
        if (at->rows[i].kind == LOTOR_LOG_FEEDBACK) {
            status = write_feedback(at, seal, &at->rows[i], why);
        }
    }
    for (size_t i = campaign->block_first; status == LOTOR_OK && i < campaign->block_end; i++) {
        if (campaign->blocks[i]->has_report) {
            status = write_report(at, campaign->blocks[i], why);
        }
    }
    return status;
}

static lotor_status write_state(adoption *at, lotor_message *why)
{
    lotor_engine *engine = at->engine;
    lotor_campaign *campaign = at->campaign;
    lotor_owner_cycle *cycle = &campaign->cycle;
    bool done = false;
    cycle->lease = at->lease;
    cycle->ended = at->ended;
    if (campaign->block_first < campaign->block_end) {
        cycle->lease.due = campaign->blocks[campaign->block_first]->deadline;
    }
    lotor_status status = lotor_state_save(engine, campaign, why);
    if (status == LOTOR_OK) {
        status = lotor_store_put_lease(engine->store, &cycle->lease, why, &done);
    }
    if (status == LOTOR_OK && !done) {
        status = lotor_fail(LOTOR_DAMAGED, why, "another server changed its lease meanwhile");
    }
    return status == LOTOR_OK
               ? lotor_store_put_state(engine->store, at->row->id, cycle->lease.epoch + 1,
                                       cycle->state, cycle->state_length, why)
               : status;
}

static lotor_status write_row(adoption *at, const unsigned char *wrapped, size_t length,
                              lotor_message *why)
{
    lotor_store *store = at->engine->store;
    unsigned char seal[LOTOR_STORE_HASH];
    char name[40];
    bool done = false;
    lotor_campaign_row row = *at->row;
    row.specs = at->row->specs + 1; /* as it will be after the change */
    lotor_spec_seal(at->engine, &row, seal);
    row.specs = at->row->specs;
    row.seal = seal;
    lotor_status status = lotor_store_put_key(store, row.id, wrapped, length, why);
    if (status == LOTOR_OK) {
        status = lotor_store_put_spec(store, &row, why, &done);
    }
    if (status == LOTOR_OK && !done) {
        status =
            lotor_fail(LOTOR_DAMAGED, why, "another server changed its specification meanwhile");
    }
    if (status == LOTOR_OK) {
        snprintf(name, sizeof name, "legacy:%" PRIu64, row.id);
        status = lotor_store_put_meta(store, name, "2", why);
    }
    return status;
}

/* --- one campaign ----------------------------------------------------------------------------- */

static lotor_status adopt(adoption *at, lotor_message *why)
{
    lotor_engine *engine = at->engine;
    lotor_legacy_key old = {engine->server_key, at->row->id};
    const lotor_legacy_seal seal = {lotor_legacy_open, &old};
    unsigned char key[LOTOR_INTAKE_KEY], wrapped[LOTOR_INTAKE_KEY + LOTOR_SERVER_KEY_OVERHEAD];
    randombytes_buf(key, sizeof key);
    lotor_server_key_seal(engine->server_key, LOTOR_SEAL_KEY, at->row->id, 0, key, sizeof key,
                          wrapped);
    lotor_status status = make_campaign(at, key, why);
    lotor_wipe(key, sizeof key);
    if (status == LOTOR_OK) {
        status = read_old(at, why);
    }
    if (status == LOTOR_OK) {
        status = read_reports(at, why);
    }
    if (status == LOTOR_OK) {
        status = adopt_rounds(at, &seal, why);
    }
    if (status == LOTOR_OK) {
        status = replace_rounds(at, &seal, why);
    }
    if (status == LOTOR_OK) {
        status = write_state(at, why);
    }
    if (status == LOTOR_OK) {
        status = write_row(at, wrapped, sizeof wrapped, why);
    }
    return status == LOTOR_OK ? lotor_store_give_lease(engine->store, at->row->id, engine->server,
                                                       at->lease.epoch + 1, why)
                              : status;
}

static lotor_status is_marked(lotor_engine *engine, uint64_t campaign, lotor_message *why, bool *is)
{
    char name[40], value[8];
    snprintf(name, sizeof name, "legacy:%" PRIu64, campaign);
    const lotor_status status = lotor_store_get_meta(engine->store, name, why, value, sizeof value);
    *is = status == LOTOR_OK && strcmp(value, "1") == 0;
    return status;
}

/* Takes the lease, so that other servers that adopt the campaign at the same time must wait.
 * *done: another server has adopted it, so nothing is left to do. */
static lotor_status take(adoption *at, lotor_message *why, bool *done)
{
    lotor_engine *engine = at->engine;
    bool got = false, is_old = false;
    *done = false;
    lotor_status status =
        lotor_store_take(engine->store, at->row->id, engine->server, 0, why, &at->lease, &got);
    if (status == LOTOR_OK) {
        status = is_marked(engine, at->row->id, why, &is_old);
    }
    if (status == LOTOR_OK && got != is_old) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          "its specification was changed in the store, not by a server");
    }
    *done = !got; /* another server has adopted it meanwhile */
    return status;
}

lotor_status lotor_adopt_one(lotor_engine *engine, const lotor_campaign_row *row,
                             bool was_rolled_back, lotor_message *why)
{
    adoption at = {.engine = engine, .row = row, .was_rolled_back = was_rolled_back};
    bool done = false;
    lotor_status status = lotor_engine_begin(engine, why);
    if (status != LOTOR_OK) {
        return status;
    }
    status = take(&at, why, &done);
    if (status == LOTOR_OK && !done) {
        status = adopt(&at, why);
    }
    free_adoption(&at);
    if (status != LOTOR_OK || done) {
        lotor_store_rollback(engine->store);
        return status;
    }
    return lotor_engine_commit(engine, why);
}
