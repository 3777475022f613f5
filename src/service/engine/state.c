/* state.c - the sealed state of a campaign: its policy, and a head that says what else must be in
 * the store.
 *
 *      head   version, epoch, final, sealed, rounds entered, releases, campaign, last deadline,
 *             number of arms, the greatest dropped stream of the log, how often the specification
 *             changed, hash of the last release, hash of the open blocks, displays by arm.
 *             For each stream of the log: the last row that was read, how many of the rows that
 *             were read are still there, and their hash.
 *
 * So a server that loads a state notices a lease, a block, a log row or a release that was deleted
 * or replaced by an older one.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "service/engine/inside.h"
#include "service/little.h"

enum {
    VERSION = 1,
    WORDS = 11, /* before the hashes */
    HASHES = 2 * LOTOR_STORE_HASH,
    CURSOR_BYTES = 24 + LOTOR_STORE_HASH
};

/* Offsets in the head: four of the words, and the displays. */
static const size_t final_at = 8 * (size_t)2, ended_at = 8 * (size_t)4, releases_at = 8 * (size_t)5;
static const size_t arms_at = 8 * (size_t)8;
static const size_t over_at = 8 * (size_t)WORDS + HASHES;

/* --- writing ---------------------------------------------------------------------------------- */

typedef struct state_parts {
    const lotor_lease *lease;
    uint64_t epoch; /* of the lease, after the state is written */
    uint64_t ended, last_deadline;
    const uint64_t *over;
} state_parts;

/* Hashes the open blocks as they will be after the cycle. */
static void hash_blocks(const lotor_campaign *campaign, uint64_t final,
                        unsigned char hash[LOTOR_STORE_HASH])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, LOTOR_STORE_HASH);
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        if (campaign->blocks[i]->first > final) {
            crypto_generichash_update(&state, campaign->blocks[i]->hash, LOTOR_BLOCK_HASH);
        }
    }
    for (const lotor_block *block = campaign->cycle.fresh; block; block = block->next) {
        crypto_generichash_update(&state, block->hash, LOTOR_BLOCK_HASH);
    }
    crypto_generichash_final(&state, hash, LOTOR_STORE_HASH);
}

/* Hashes the rows up to `seq` that have an entry after `final`. */
static uint64_t hash_marks(const lotor_cursor *cursor, uint64_t seq, uint64_t final,
                           unsigned char hash[LOTOR_STORE_HASH])
{
    crypto_generichash_state state;
    uint64_t count = 0;
    crypto_generichash_init(&state, NULL, 0, LOTOR_STORE_HASH);
    for (size_t i = 0; i < cursor->count; i++) {
        const lotor_log_mark *mark = &cursor->marks[i];
        if (mark->seq <= seq && mark->last > final) {
            crypto_generichash_update(&state, mark->hash, sizeof mark->hash);
            count++;
        }
    }
    crypto_generichash_final(&state, hash, LOTOR_STORE_HASH);
    return count;
}

static size_t head_length(const lotor_campaign *campaign)
{
    return 8 * WORDS + HASHES + 8 * campaign->arms + 8 + CURSOR_BYTES * campaign->cursor_count;
}

static unsigned char *put_words(unsigned char *at, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++, at += 8) {
        lotor_put_u64(at, words[i]);
    }
    return at;
}

static void write_head(const lotor_campaign *campaign, const state_parts *parts, unsigned char *at)
{
    const lotor_lease *lease = parts->lease;
    const uint64_t words[WORDS] = {VERSION,          parts->epoch,         lease->final,
                                   lease->sealed,    parts->ended,         lease->releases,
                                   lease->campaign,  parts->last_deadline, campaign->arms,
                                   campaign->let_go, campaign->specs};
    at = put_words(at, words, WORDS);
    memcpy(at, lease->head, LOTOR_STORE_HASH);
    hash_blocks(campaign, lease->final, at + LOTOR_STORE_HASH);
    at = put_words(at + HASHES, parts->over, campaign->arms);
    lotor_put_u64(at, campaign->cursor_count);
    at += 8;
    for (size_t i = 0; i < campaign->cursor_count; i++, at += CURSOR_BYTES) {
        const lotor_cursor *cursor = &campaign->cursors[i];
        const uint64_t count = hash_marks(cursor, cursor->seq, lease->final, at + 24);
        put_words(at, (const uint64_t[]){cursor->stream, cursor->seq, count}, 3);
    }
}

static lotor_status seal(const lotor_campaign *campaign, const lotor_policy *policy,
                         const state_parts *parts, lotor_message *why, unsigned char **bytes,
                         size_t *length)
{
    const size_t size = head_length(campaign);
    unsigned char *head = malloc(size);
    if (!head) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to save a campaign's state");
    }
    write_head(campaign, parts, head);
    const lotor_status status =
        lotor_intake_save(campaign->intake, policy, head, size, parts->epoch, why, bytes, length);
    free(head);
    return status;
}

lotor_status lotor_state_new(const lotor_campaign *campaign, const lotor_policy *policy,
                             lotor_message *why, unsigned char **bytes, size_t *length)
{
    const lotor_lease lease = {.campaign = campaign->id};
    return seal(campaign, policy, &(state_parts){&lease, 0, 0, 0, campaign->over}, why, bytes,
                length);
}

/* Seals the state of a cycle. A state that can't be loaded would stop the campaign for good, so
 * loading it is tried before the commit. */
lotor_status lotor_state_save(const lotor_engine *engine, lotor_campaign *campaign,
                              lotor_message *why)
{
    lotor_owner_cycle *cycle = &campaign->cycle;
    const state_parts parts = {&cycle->lease, cycle->lease.epoch + 1, cycle->ended,
                               cycle->last_deadline, cycle->over ? cycle->over : campaign->over};
    lotor_policy *again = NULL;
    lotor_status status =
        seal(campaign, campaign->policy, &parts, why, &cycle->state, &cycle->state_length);
    if (status == LOTOR_OK) {
        status = lotor_intake_load(campaign->intake, cycle->state, cycle->state_length, parts.epoch,
                                   why, &again, NULL, NULL);
    }
    lotor_policy_free(cycle->copy);
    cycle->copy = NULL;
    if (status == LOTOR_OK && lotor_blank_needs_chooser(engine, campaign)) {
        cycle->copy = again;
    } else {
        lotor_policy_free(again);
    }
    return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct head_reader {
    const unsigned char *at;
    size_t left;
} head_reader;

static uint64_t get_word(head_reader *reader)
{
    if (reader->left < 8) {
        reader->left = 0;
        return UINT64_MAX;
    }
    const uint64_t word = lotor_get_u64(reader->at);
    reader->at += 8;
    reader->left -= 8;
    return word;
}

static bool get_hash(head_reader *reader, unsigned char hash[LOTOR_STORE_HASH])
{
    if (reader->left < LOTOR_STORE_HASH) {
        return false;
    }
    memcpy(hash, reader->at, LOTOR_STORE_HASH);
    reader->at += LOTOR_STORE_HASH;
    reader->left -= LOTOR_STORE_HASH;
    return true;
}

static lotor_status refuse(lotor_message *why, const char *what)
{
    return lotor_fail(LOTOR_DAMAGED, why, "%s was changed: see `lotor check`", what);
}

static lotor_status read_cursors(lotor_campaign *campaign, head_reader *reader, lotor_message *why)
{
    const uint64_t count = get_word(reader);
    if (count > reader->left / CURSOR_BYTES) {
        return refuse(why, "the campaign's state");
    }
    lotor_cursors_clear(campaign);
    campaign->cursors = calloc(count ? (size_t)count : 1, sizeof *campaign->cursors);
    if (!campaign->cursors) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a campaign's state");
    }
    campaign->cursor_count = (size_t)count;
    for (size_t i = 0; i < count; i++) {
        lotor_cursor *cursor = &campaign->cursors[i];
        cursor->stream = get_word(reader);
        cursor->expected_seq = get_word(reader);
        cursor->expected_count = get_word(reader);
        get_hash(reader, cursor->expected_hash);
    }
    return LOTOR_OK;
}

/* Checks the head against the lease and the blocks. The cursors are read only at a takeover;
 * later the owner has its own. */
static lotor_status read_head(lotor_campaign *campaign, head_reader *reader, uint64_t epoch,
                              bool is_takeover, lotor_message *why)
{
    uint64_t words[WORDS];
    unsigned char head[LOTOR_STORE_HASH], blocks[LOTOR_STORE_HASH], found[LOTOR_STORE_HASH];
    for (size_t i = 0; i < WORDS; i++) {
        words[i] = get_word(reader);
    }
    const lotor_lease *lease = &campaign->lease;
    /* it has fewer arms if max_arms was raised after it was saved */
    const bool has_arms =
        words[8] == campaign->arms || (words[8] < campaign->arms && words[10] < campaign->specs);
    if (words[0] != VERSION || words[1] != epoch || words[6] != campaign->id || !has_arms ||
        !get_hash(reader, head) || !get_hash(reader, blocks) || reader->left / 8 < words[8]) {
        return refuse(why, "the campaign's state");
    }
    if (words[2] != lease->final || words[3] != lease->sealed || words[5] != lease->releases ||
        memcmp(head, lease->head, sizeof head) != 0) {
        return refuse(why, "the campaign's lease or its state (only one of them was restored)");
    }
    if (words[10] > campaign->specs) {
        return refuse(why, "the campaign's specification (it is older than the state)");
    }
    hash_blocks(campaign, lease->final, found);
    if (memcmp(found, blocks, sizeof found) != 0) {
        return refuse(why, "a block of open decisions");
    }
    if (is_takeover) {
        campaign->last_deadline = words[7];
        campaign->let_go = words[9];
        campaign->saved_specs = words[10];
    }
    for (size_t i = 0; i < campaign->arms; i++) {
        campaign->over[i] = i < words[8] ? get_word(reader) : 0;
    }
    pthread_mutex_lock(&campaign->lock);
    campaign->ended = words[4];
    pthread_mutex_unlock(&campaign->lock);
    return is_takeover ? read_cursors(campaign, reader, why) : LOTOR_OK;
}

lotor_status lotor_state_open(lotor_campaign *campaign, const unsigned char *bytes, size_t length,
                              uint64_t epoch, bool is_takeover, lotor_message *why)
{
    lotor_policy *policy = NULL;
    unsigned char *head = NULL;
    size_t size = 0;
    lotor_status status =
        lotor_intake_load(campaign->intake, bytes, length, epoch, why, &policy, &head, &size);
    if (status == LOTOR_OK) {
        head_reader reader = {head, size};
        status = read_head(campaign, &reader, epoch, is_takeover, why);
    }
    lotor_bytes_free(head, size);
    if (status != LOTOR_OK) {
        lotor_policy_free(policy);
        return status;
    }
    campaign->policy = policy;
    return LOTOR_OK;
}

void lotor_policy_put_away(lotor_engine *engine, lotor_campaign *campaign)
{
    lotor_blank_put_away(campaign);
    if (campaign->policy) {
        lotor_policy_free(campaign->policy);
        campaign->policy = NULL;
        engine->policies--;
    }
}

static lotor_status copy_state(void *context, const unsigned char *bytes, size_t length)
{
    lotor_state_copy *copy = context;
    copy->bytes = malloc(length ? length : 1);
    if (!copy->bytes) {
        return LOTOR_MEMORY;
    }
    memcpy(copy->bytes, bytes, length);
    copy->length = length;
    return LOTOR_OK;
}

lotor_status lotor_state_read(lotor_engine *engine, const lotor_campaign *campaign,
                              lotor_message *why, lotor_state_copy *out)
{
    *out = (lotor_state_copy){0};
    return lotor_store_get_state(engine->store, campaign->id, copy_state, out, why, &out->epoch);
}

lotor_status lotor_state_load(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    campaign->used_at = engine->boot;
    if (campaign->policy) {
        return LOTOR_OK;
    }
    lotor_state_copy copy;
    lotor_status status = lotor_state_read(engine, campaign, why, &copy);
    if (status == LOTOR_UNKNOWN) {
        status = lotor_fail(LOTOR_DAMAGED, why, "its state is missing in the store");
    }
    if (status == LOTOR_OK) {
        status = lotor_state_open(campaign, copy.bytes, copy.length, copy.epoch, false, why);
    }
    free(copy.bytes);
    engine->policies += status == LOTOR_OK;
    return status;
}

/* Keeps only public numbers. A state that can't be loaded is ignored. */
lotor_status lotor_state_look(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    lotor_state_copy copy = {0};
    lotor_policy *policy = NULL;
    unsigned char *head = NULL;
    size_t size = 0;
    uint64_t final = 0;
    if (engine->heads_are_behind) { /* the last release may not be in the head file yet */
        return LOTOR_OK;
    }
    lotor_status status = lotor_state_read(engine, campaign, why, &copy);
    if (status == LOTOR_OK) {
        status = lotor_intake_load(campaign->intake, copy.bytes, copy.length, copy.epoch, why,
                                   &policy, &head, &size);
    }
    const uint64_t arms = status == LOTOR_OK && size >= over_at ? lotor_get_u64(head + arms_at) : 0;
    if (arms > 0 && arms <= campaign->arms && size >= over_at + 8 * arms) {
        lotor_campaign_look(campaign, policy);
        final = lotor_get_u64(head + final_at);
        pthread_mutex_lock(&campaign->lock);
        campaign->ended = lotor_get_u64(head + ended_at);
        campaign->releases = lotor_get_u64(head + releases_at);
        campaign->decisions = campaign->ended;
        for (size_t i = 0; i < campaign->arms; i++) {
            campaign->shown[i] = i < arms ? lotor_get_u64(head + over_at + 8 * i) : 0;
        }
        for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
            campaign->blocks[i]->counted = 0;
        }
        pthread_mutex_unlock(&campaign->lock);
    }
    for (size_t i = campaign->block_first; status == LOTOR_OK && i < campaign->block_end; i++) {
        lotor_block *block = campaign->blocks[i];
        if (block->first > final) {
            lotor_campaign_count(campaign, block, block->handed);
        }
    }
    lotor_policy_free(policy);
    lotor_bytes_free(head, size);
    free(copy.bytes);
    return status;
}
