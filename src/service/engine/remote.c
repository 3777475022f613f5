/* remote.c - wants and replies between a front end and the owner on another server, as rows of the
 * store.
 *
 *      front end                        owner
 *      want (count, sealed request) ──▶ reads it, draws, commits block and reply together
 *      reads the reply              ◀──
 *      renews its own row in the same commit
 *      shows the decision
 *
 * The commit with the renewed row makes sure that a failover can't lose a decision that was shown.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/engine/inside.h"
#include "service/little.h"

/* --- bytes ------------------------------------------------------------------------------------ */

typedef struct bytes {
    unsigned char *at;
    size_t length, room;
    bool failed;
} bytes;

static void add(bytes *to, const void *from, size_t length)
{
    if (to->failed) {
        return;
    }
    if (to->room - to->length < length) {
        const size_t room = 2 * (to->length + length) + 64;
        unsigned char *at = realloc(to->at, room);
        if (!at) {
            to->failed = true;
            return;
        }
        to->at = at;
        to->room = room;
    }
    if (length) {
        memcpy(to->at + to->length, from, length);
    }
    to->length += length;
}

static void add_word(bytes *to, uint64_t word)
{
    unsigned char little[8];
    lotor_put_u64(little, word);
    add(to, little, sizeof little);
}

/* Adds bytes with their length before them. */
static void add_piece(bytes *to, const void *from, size_t length)
{
    add_word(to, length);
    add(to, from, length);
}

typedef struct reader {
    const unsigned char *at;
    size_t left;
    bool failed;
} reader;

static const unsigned char *get(reader *from, size_t length)
{
    if (from->failed || from->left < length) {
        from->failed = true;
        return NULL;
    }
    const unsigned char *at = from->at;
    from->at += length;
    from->left -= length;
    return at;
}

static uint64_t get_word(reader *from)
{
    const unsigned char *at = get(from, 8);
    return at ? lotor_get_u64(at) : 0;
}

static const unsigned char *get_piece(reader *from, size_t *length)
{
    const uint64_t size = get_word(from);
    from->failed = from->failed || size > from->left;
    *length = from->failed ? 0 : (size_t)size;
    return from->failed ? NULL : get(from, (size_t)size);
}

/* --- the front end sends wants ---------------------------------------------------------------- */

/* Packs each ranking's user, eligible arms and sealed context. All of it is sealed for this
 * want. */
static lotor_status pack_asking(lotor_engine *engine, const lotor_campaign *campaign,
                                const lotor_want *want, bytes *out, lotor_message *why)
{
    bytes plain = {0};
    for (size_t i = 0; i < want->count; i++) {
        const lotor_want_item *asking = &want->asking[i];
        add(&plain, &asking->user, sizeof asking->user);
        add_piece(&plain, asking->eligible, asking->eligible ? asking->arms : 0);
        add_piece(&plain, asking->context, asking->context_length);
    }
    out->length = plain.length + LOTOR_SERVER_KEY_OVERHEAD;
    out->at = plain.failed ? NULL : malloc(out->length);
    if (out->at) {
        lotor_server_key_seal(engine->server_key, LOTOR_SEAL_WANT, campaign->id, want->id, plain.at,
                              plain.length, out->at);
    }
    free(plain.at);
    return out->at ? LOTOR_OK
                   : lotor_fail((lotor_status)LOTOR_MEMORY, why, "no memory to ask the owner");
}

static lotor_status send_direct(lotor_engine *engine, lotor_campaign *campaign, lotor_want *want,
                                lotor_message *why)
{
    bytes body = {0};
    lotor_status status = pack_asking(engine, campaign, want, &body, why);
    if (status == LOTOR_OK) {
        const lotor_want_row row = {.campaign = campaign->id,
                                    .server = engine->server,
                                    .id = want->id,
                                    .at = want->at,
                                    .count = want->count,
                                    .body = body.at,
                                    .body_length = body.length};
        status = lotor_store_add_want(engine->store, &row, why);
    }
    free(body.at);
    if (status == LOTOR_OK) {
        want->is_sent = true;
        engine->waiting++;
    }
    return status;
}

static const unsigned char blanks_body[1] = {1}; /* in place of a sealed request */

/* Asks for decisions for a pool: what waiting requests need, or more if requests come often. */
static lotor_status send_for_pool(lotor_engine *engine, lotor_campaign *campaign, lotor_pool *pool,
                                  size_t needed, lotor_message *why)
{
    const bool is_blank = pool == &campaign->blanks;
    const uint64_t id = engine->next_want += 2; /* even: see lotor_block_is_direct */
    const lotor_want_row row = {.campaign = campaign->id,
                                .server = engine->server,
                                .id = id,
                                .at = engine->low,
                                .count = lotor_front_size(engine, campaign, pool, needed),
                                .body = is_blank ? blanks_body : NULL,
                                .body_length = is_blank ? sizeof blanks_body : 0};
    const lotor_status status = lotor_store_add_want(engine->store, &row, why);
    if (status == LOTOR_OK) {
        engine->waiting += pool->want_id == 0;
        pool->want_id = id;
        pool->want_sent = engine->boot;
    }
    return status;
}

/* Asks the owner to refill a pool, unless it was asked before. */
static lotor_status ask_for_pool(lotor_engine *engine, lotor_campaign *campaign, lotor_pool *pool,
                                 size_t needed, bool is_low, lotor_message *why)
{
    const bool is_sent = pool->want_id && engine->boot < pool->want_sent + LOTOR_WANT_AGAIN_MS;
    if (!is_sent && (needed || is_low)) {
        return send_for_pool(engine, campaign, pool, needed, why);
    }
    if (pool->want_id && !is_sent) {
        assert(engine->waiting > 0);
        pool->want_id = 0; /* no request needs it any more */
        engine->waiting--;
    }
    return LOTOR_OK;
}

void lotor_remote_forget(lotor_engine *engine, lotor_campaign *campaign)
{
    engine->waiting -= campaign->drawn.want_id != 0;
    engine->waiting -= campaign->blanks.want_id != 0;
    campaign->drawn.want_id = campaign->blanks.want_id = 0;
}

lotor_status lotor_remote_send(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    const lotor_lease *lease = &campaign->lease;
    size_t needed = 0;
    lotor_status status = LOTOR_OK;
    if (lease->owner == 0 || lease->owner == engine->server || !lease->is_live ||
        !engine->is_steady) {
        return LOTOR_OK; /* no live owner: this server will take the campaign over */
    }
    for (lotor_want *want = campaign->wants; status == LOTOR_OK && want; want = want->next) {
        if (engine->boot < campaign->slow_until && want->job && !want->asking) {
            lotor_want_make_direct(want); /* if this fails, the next step tries again */
        }
        if (want->asking && !want->is_sent) {
            status = send_direct(engine, campaign, want, why);
        }
        needed += want->asking ? 0 : want->count;
    }
    pthread_mutex_lock(&campaign->lock);
    const bool may_draw =
        campaign->halted == LOTOR_CODE_NONE && engine->boot >= campaign->slow_until;
    const bool is_low = campaign->drawn.is_low && !campaign->is_direct && may_draw;
    const bool lacks_blanks = campaign->blanks.is_low && campaign->takes_blanks && may_draw;
    pthread_mutex_unlock(&campaign->lock);
    if (status == LOTOR_OK) {
        status = ask_for_pool(engine, campaign, &campaign->drawn, needed, is_low, why);
    }
    return status == LOTOR_OK
               ? ask_for_pool(engine, campaign, &campaign->blanks, 0, lacks_blanks, why)
               : status;
}

lotor_status lotor_remote_withdraw(lotor_engine *engine, lotor_campaign *campaign,
                                   lotor_message *why)
{
    lotor_pool *const pools[] = {&campaign->drawn, &campaign->blanks};
    lotor_status status = LOTOR_OK;
    assert(campaign->is_owner);
    for (size_t i = 0; i < 2; i++) {
        if (status == LOTOR_OK && pools[i]->want_id) {
            status = lotor_store_delete_want(engine->store, engine->server, pools[i]->want_id, why);
        }
    }
    lotor_remote_forget(engine, campaign);
    for (lotor_want *want = campaign->wants; want; want = want->next) {
        if (want->is_sent && want->asking) {
            if (status == LOTOR_OK) {
                status = lotor_store_delete_want(engine->store, engine->server, want->id, why);
            }
            want->is_sent = false;
            engine->waiting--;
        }
    }
    return status;
}

/* --- the owner reads wants and writes replies ------------------------------------------------- */

static bool is_known(const lotor_campaign *campaign, uint64_t server, uint64_t id)
{
    const lotor_want *want = campaign->wants;
    while (want && (want->server != server || want->id != id)) {
        want = want->next;
    }
    return want != NULL;
}

static bool unpack_one(const lotor_campaign *campaign, reader *from, lotor_want_item *asking)
{
    size_t eligible, context;
    const unsigned char *user = get(from, sizeof asking->user);
    const unsigned char *flags = get_piece(from, &eligible);
    const unsigned char *sealed = get_piece(from, &context);
    /* a server that has not read that max_arms was raised sends fewer flags */
    if (from->failed || !user || eligible > campaign->arms) {
        return false;
    }
    memcpy(&asking->user, user, sizeof asking->user);
    asking->arms = campaign->arms;
    asking->eligible = eligible ? calloc(asking->arms, sizeof *asking->eligible) : NULL;
    asking->context = context ? malloc(context) : NULL;
    asking->context_length = context;
    if ((eligible && !asking->eligible) || (context && !asking->context)) {
        return false;
    }
    for (size_t i = 0; i < eligible; i++) {
        asking->eligible[i] = flags[i] != 0;
    }
    if (context) {
        memcpy(asking->context, sealed, context);
    }
    return true;
}

static bool unpack_asking(const lotor_engine *engine, const lotor_campaign *campaign,
                          const lotor_want_row *row, lotor_want *want)
{
    const size_t length = row->body_length > LOTOR_SERVER_KEY_OVERHEAD
                              ? row->body_length - LOTOR_SERVER_KEY_OVERHEAD
                              : 0;
    unsigned char *plain = malloc(length ? length : 1);
    want->asking = calloc(want->count, sizeof *want->asking);
    bool fine = plain && want->asking &&
                lotor_server_key_unseal(engine->server_key, LOTOR_SEAL_WANT, campaign->id, row->id,
                                        row->body, row->body_length, plain) == LOTOR_OK;
    reader from = {plain, length, false};
    for (size_t i = 0; fine && i < want->count; i++) {
        fine = unpack_one(campaign, &from, &want->asking[i]);
    }
    free(plain);
    return fine;
}

/* Takes another server's want. A want that can't be read is ignored: its server gives up after a
 * while. */
static lotor_status take_want(void *context, const lotor_want_row *row)
{
    lotor_engine *engine = context;
    lotor_campaign *campaign = lotor_table_find_id(engine, row->campaign);
    if (!campaign || !campaign->is_owner || row->count == 0 || row->count > campaign->together ||
        is_known(campaign, row->server, row->id)) {
        return LOTOR_OK;
    }
    lotor_want *want = calloc(1, sizeof *want);
    if (!want) {
        return LOTOR_MEMORY;
    }
    want->server = row->server;
    want->id = row->id;
    want->at = row->at < engine->low ? row->at : engine->low;
    want->count = (size_t)row->count;
    want->arrival = engine->boot;
    want->is_for_blanks = row->body && row->body_length == sizeof blanks_body;
    if (want->is_for_blanks && !campaign->takes_blanks) {
        lotor_want_free(want);
        return LOTOR_OK;
    }
    if (row->body && !want->is_for_blanks && !unpack_asking(engine, campaign, row, want)) {
        lotor_want_free(want);
        return LOTOR_OK;
    }
    lotor_want **end = &campaign->wants;
    while (*end && (*end)->at <= want->at) {
        end = &(*end)->next;
    }
    want->next = *end;
    *end = want;
    campaign->foreign_asks++;
    campaign->is_due = true;
    return LOTOR_OK;
}

lotor_status lotor_remote_take_wants(lotor_engine *engine, lotor_message *why)
{
    return lotor_store_each_want(engine->store, engine->server, take_want, engine, why);
}

typedef enum reply_kind {
    REPLY_BLOCKS = 1,
    REPLY_REFUSAL,
    REPLY_SHOWN,
    REPLY_NOTHING,
    REPLY_BLANKS /* as REPLY_SHOWN, but the block has only numbers */
} reply_kind;

static void add_words(bytes *to, const lotor_block *block)
{
    unsigned char *words = NULL;
    size_t length = 0;
    if (block && lotor_block_pack_words(block, NULL, &words, &length) != LOTOR_OK) {
        to->failed = true;
    }
    add_word(to, block ? block->count : 0);
    add_piece(to, words, length);
    free(words);
}

static void pack_shown(const lotor_want *want, bytes *out)
{
    const lotor_block *block = want->block;
    add_word(out, block ? block->first : 0);
    add_word(out, block ? block->nonce : 0);
    add_word(out, block ? block->until : 0);
    add_word(out, block ? block->deadline : 0);
    if (block && block->is_blank) {
        add_word(out, block->count);
    } else {
        add_words(out, block);
    }
    add_words(out, want->eventless);
    for (size_t i = 0; i < want->count; i++) {
        add_word(out, want->shown[i].has_event);
        add_word(out, want->shown[i].place);
        add_word(out, want->shown[i].number);
        add_word(out, want->shown[i].nonce);
        add_word(out, want->shown[i].expires);
    }
}

lotor_status lotor_remote_reply(lotor_engine *engine, lotor_campaign *campaign,
                                const lotor_want *want, lotor_message *why)
{
    bytes reply = {0};
    assert(want->is_prepared && want->server != engine->server);
    if (want->refusal.code != LOTOR_CODE_NONE) {
        add_word(&reply, REPLY_REFUSAL);
        add_word(&reply, want->refusal.code);
        add_piece(&reply, want->refusal.field, strlen(want->refusal.field) + 1);
        add_piece(&reply, want->refusal.message.text, strlen(want->refusal.message.text) + 1);
    } else if (want->asking) {
        add_word(&reply, want->block && want->block->is_blank ? REPLY_BLANKS : REPLY_SHOWN);
        pack_shown(want, &reply);
    } else {
        add_word(&reply, want->is_drawn_ahead ? REPLY_BLOCKS : REPLY_NOTHING);
    }
    const lotor_want_row row = {.campaign = campaign->id,
                                .server = want->server,
                                .id = want->id,
                                .reply = reply.at,
                                .reply_length = reply.length};
    const lotor_status status =
        reply.failed ? lotor_fail((lotor_status)LOTOR_MEMORY, why, "no memory to reply")
                     : lotor_store_put_reply(engine->store, &row, why);
    free(reply.at);
    return status;
}

/* --- the front end reads replies -------------------------------------------------------------- */

typedef struct reply_copy {
    struct reply_copy *next;
    lotor_campaign *campaign;
    uint64_t id;
    lotor_block *blocks;    /* blocks for the pool */
    lotor_state_copy state; /* with blanks: what the chooser is made from */
    size_t length;
    unsigned char bytes[];
} reply_copy;

typedef struct reply_list {
    lotor_engine *engine;
    reply_copy *first;
} reply_list;

static lotor_status copy_reply(void *context, const lotor_want_row *row)
{
    reply_list *list = context;
    reply_copy *copy = malloc(sizeof *copy + row->reply_length);
    if (!copy) {
        return LOTOR_MEMORY;
    }
    *copy = (reply_copy){.next = list->first,
                         .campaign = lotor_table_find_id(list->engine, row->campaign),
                         .id = row->id,
                         .length = row->reply_length};
    memcpy(copy->bytes, row->reply, row->reply_length);
    list->first = copy;
    return LOTOR_OK;
}

typedef struct block_fetcher {
    reply_copy *copy;
    lotor_message *why;
} block_fetcher;

static lotor_status fetch_block(void *context, const lotor_block_row *row)
{
    block_fetcher *at = context;
    if (row->want != at->copy->id) {
        return LOTOR_OK;
    }
    lotor_block *block;
    /* it may show an arm that this server has not heard of: see hear_of_arms */
    const lotor_status status = lotor_block_unpack(row, LOTOR_ARMS_MAX, at->why, &block);
    if (status == LOTOR_OK) {
        block->next = at->copy->blocks;
        at->copy->blocks = block;
    }
    return status;
}

static uint64_t kind_of(const reply_copy *copy)
{
    return copy->length >= 8 ? lotor_get_u64(copy->bytes) : 0;
}

/* Fetches the blocks and renews this server's row in one transaction. Its commit waits for the
 * standby, so a failover can't lose anything that this transaction saw. */
static lotor_status fetch(lotor_engine *engine, reply_list *list, lotor_message *why)
{
    bool is_known_server = false;
    lotor_status status = lotor_engine_begin(engine, why);
    if (status == LOTOR_OK) {
        status = lotor_store_beat(engine->store, engine->server, LOTOR_LEASE_MS, why,
                                  &is_known_server, &engine->others);
    }
    for (reply_copy *copy = list->first; status == LOTOR_OK && copy; copy = copy->next) {
        if (copy->campaign && kind_of(copy) == REPLY_BLOCKS) {
            block_fetcher at = {copy, why};
            status = lotor_store_each_block(engine->store, copy->campaign->id, engine->server,
                                            copy->campaign->sealed, fetch_block, &at, why);
        }
        const bool has_blanks = copy->blocks && copy->blocks->is_blank;
        if (status == LOTOR_OK && copy->campaign && (has_blanks || kind_of(copy) == REPLY_BLANKS)) {
            /* in this transaction, so that a failover can't lose a release that is used here */
            status = lotor_state_read(engine, copy->campaign, why, &copy->state);
            status = status == LOTOR_UNKNOWN ? LOTOR_OK : status; /* the campaign was deleted */
        }
        if (status == LOTOR_OK) {
            status = lotor_store_delete_want(engine->store, engine->server, copy->id, why);
        }
    }
    if (status == LOTOR_OK && !is_known_server) {
        status =
            lotor_fail(LOTOR_UNFINISHED, why, "the store no longer has the row of this server");
    }
    if (status != LOTOR_OK) {
        lotor_store_rollback(engine->store);
        return status;
    }
    return lotor_engine_commit(engine, why);
}

static lotor_want *find_want(lotor_engine *engine, const reply_copy *copy)
{
    lotor_want *want = copy->campaign->wants;
    while (want && (want->id != copy->id || want->server != engine->server)) {
        want = want->next;
    }
    return want;
}

static lotor_block *get_block(reader *from)
{
    size_t length;
    lotor_block *block = NULL;
    const uint64_t count = get_word(from);
    const unsigned char *words = get_piece(from, &length);
    if (from->failed || lotor_block_unpack_words(words ? words : (const unsigned char *)"", length,
                                                 count, LOTOR_ARMS_MAX, NULL, &block) != LOTOR_OK) {
        from->failed = true;
        return NULL;
    }
    return block;
}

static lotor_block *get_blanks(reader *from, size_t most)
{
    const uint64_t count = get_word(from);
    from->failed = from->failed || count == 0 || count > most;
    lotor_block *block = from->failed ? NULL : lotor_block_new_blank((size_t)count);
    from->failed = !block;
    return block;
}

/* Adds a block that was drawn for this server. Takes `block`. If this server has become the
 * owner meanwhile, it already knows all open blocks. NULL: the block is final, or there is no
 * memory. */
static lotor_block *know_block(lotor_campaign *campaign, lotor_block *block)
{
    if (!campaign->is_owner) {
        lotor_campaign_forget_others(campaign, block->first, block->nonce);
    }
    lotor_block *known = lotor_campaign_find_block(campaign, block->first);
    if (known || campaign->is_owner || block->first <= campaign->sealed) {
        const bool is_same = known && known->nonce == block->nonce;
        lotor_block_free(block);
        return is_same ? known : NULL;
    }
    if (lotor_campaign_add_block(campaign, block, NULL) != LOTOR_OK) {
        return NULL;
    }
    lotor_campaign_count(campaign, block, block->count);
    return block;
}

/* Fills in the want from the owner's reply. False: the reply is not valid. */
static bool unpack_shown(lotor_engine *engine, lotor_campaign *campaign, reader *from,
                         lotor_want *want, bool is_blank)
{
    const uint64_t first = get_word(from), nonce = get_word(from), until = get_word(from),
                   deadline = get_word(from);
    lotor_block *block = is_blank ? get_blanks(from, want->count) : get_block(from);
    want->eventless = get_block(from);
    want->shown = calloc(want->count, sizeof *want->shown);
    bool fine = block && want->eventless && want->shown && lotor_campaign_knows(campaign, block) &&
                lotor_campaign_knows(campaign, want->eventless);
    for (size_t i = 0; fine && i < want->count; i++) {
        lotor_want_place *at = &want->shown[i];
        at->has_event = get_word(from) != 0;
        at->place = (size_t)get_word(from);
        at->number = get_word(from);
        at->nonce = get_word(from);
        at->expires = get_word(from);
        fine = !from->failed && at->place < (at->has_event ? block : want->eventless)->count;
    }
    if (!fine || block->count == 0) {
        lotor_block_free(block);
        return fine;
    }
    block->first = first;
    block->nonce = nonce;
    block->until = until;
    block->deadline = deadline;
    block->holder = engine->server;
    block->want = want->id;
    block->handed = block->count;
    block->is_stopped = block->is_reported = true;
    want->block = know_block(campaign, block);
    return want->block != NULL;
}

/* Makes a chooser from the owner's state. Without one, requests are sent to the owner. */
static void use_state(lotor_engine *engine, const reply_copy *copy)
{
    lotor_campaign *campaign = copy->campaign;
    lotor_policy *policy = NULL;
    if (copy->state.bytes && !campaign->is_owner && !engine->heads_are_behind &&
        lotor_intake_load(campaign->intake, copy->state.bytes, copy->state.length,
                          copy->state.epoch, NULL, &policy, NULL, NULL) == LOTOR_OK) {
        lotor_blank_choose_by(engine, campaign, policy);
    }
}

static void use_direct(lotor_engine *engine, reply_copy *copy, lotor_want *want)
{
    reader from = {copy->bytes, copy->length, false};
    const uint64_t kind = get_word(&from);
    const bool is_blank = kind == REPLY_BLANKS;
    if ((kind == REPLY_SHOWN || is_blank) &&
        unpack_shown(engine, copy->campaign, &from, want, is_blank)) {
        use_state(engine, copy);
        lotor_front_finish(engine, copy->campaign, want);
        return;
    }
    size_t field_length = 0, text_length = 0;
    const uint64_t code = get_word(&from);
    const unsigned char *field = get_piece(&from, &field_length);
    const unsigned char *text = get_piece(&from, &text_length);
    const bool is_whole = kind == REPLY_REFUSAL && !from.failed && code > LOTOR_CODE_NONE &&
                          code < LOTOR_CODE_COUNT && field_length && text_length &&
                          !field[field_length - 1] && !text[text_length - 1];
    if (is_whole) {
        lotor_refuse(&want->refusal, (lotor_code)code, (const char *)field, "%s",
                     (const char *)text);
    } else {
        lotor_refuse(&want->refusal, LOTOR_CODE_STORE, "",
                     "no decision could be drawn at the moment: try again");
    }
    lotor_front_refuse(engine, copy->campaign, want);
}

/* No decisions can be drawn ahead (the horizon is reached, or arms are paused), so each waiting
 * request is sent alone. */
static void ask_one_by_one(lotor_campaign *campaign, lotor_pool *pool)
{
    for (lotor_want *want = campaign->wants; want; want = want->next) {
        if (pool == &campaign->drawn && !want->asking && want->job) {
            lotor_want_make_direct(want);
        }
    }
    pthread_mutex_lock(&campaign->lock);
    pool->is_low = false;
    pthread_mutex_unlock(&campaign->lock);
}

static void use_pool_reply(lotor_engine *engine, reply_copy *copy)
{
    lotor_campaign *campaign = copy->campaign;
    lotor_pool *const pools[] = {&campaign->drawn, &campaign->blanks};
    for (size_t i = 0; i < 2; i++) {
        if (pools[i]->want_id == copy->id) {
            assert(engine->waiting > 0);
            pools[i]->want_id = 0;
            engine->waiting--;
            if (kind_of(copy) == REPLY_NOTHING) {
                ask_one_by_one(campaign, pools[i]);
            }
        }
    }
    use_state(engine, copy);
    while (copy->blocks) {
        lotor_block *block = copy->blocks;
        copy->blocks = block->next;
        block->next = NULL;
        if (!campaign->is_owner) {
            lotor_campaign_forget_others(campaign, block->first, block->nonce);
        }
        if (lotor_campaign_find_block(campaign, block->first) ||
            !lotor_campaign_knows(campaign, block) || !lotor_campaign_reserve(campaign, 1)) {
            lotor_block_free(block);
            continue;
        }
        lotor_campaign_add_block(campaign, block, NULL);
        lotor_front_publish(engine, campaign, block);
    }
    lotor_front_serve(engine, campaign);
}

/* If the reply shows arms that another server has added just now, reads the specification. That may end
 * wants. */
static void hear_of_arms(lotor_engine *engine, const reply_copy *copy)
{
    bool knows = true;
    reader from = {copy->bytes, copy->length, false};
    const bool is_shown = get_word(&from) == REPLY_SHOWN && get(&from, (size_t)4 * 8) != NULL;
    for (int i = 0; is_shown && i < 2; i++) {
        lotor_block *block = get_block(&from);
        knows = knows && (!block || lotor_campaign_knows(copy->campaign, block));
        lotor_block_free(block);
    }
    for (const lotor_block *block = copy->blocks; block; block = block->next) {
        knows = knows && lotor_campaign_knows(copy->campaign, block);
    }
    if (!knows) {
        (void)lotor_manage_hear_of_arms(engine, copy->campaign);
    }
}

static void free_replies(reply_list *list)
{
    for (reply_copy *next, *copy = list->first; copy; copy = next) {
        next = copy->next;
        for (lotor_block *more, *block = copy->blocks; block; block = more) {
            more = block->next;
            lotor_block_free(block);
        }
        free(copy->state.bytes);
        free(copy);
    }
}

lotor_status lotor_remote_take_replies(lotor_engine *engine, lotor_message *why)
{
    reply_list list = {engine, NULL};
    lotor_status status =
        lotor_store_each_reply(engine->store, engine->server, copy_reply, &list, why);
    if (status == LOTOR_OK && list.first) {
        status = fetch(engine, &list, why);
    }
    for (reply_copy *copy = list.first; status == LOTOR_OK && copy; copy = copy->next) {
        if (copy->campaign) {
            hear_of_arms(engine, copy);
        }
        lotor_want *want = copy->campaign ? find_want(engine, copy) : NULL;
        if (want) {
            use_direct(engine, copy, want);
        } else if (copy->campaign) {
            use_pool_reply(engine, copy);
        }
    }
    free_replies(&list);
    return status;
}
