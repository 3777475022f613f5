/* block.c - packs and unpacks blocks of decisions. See block.h. */
#include "service/engine/block.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/little.h"

enum { HEADER = 3, WORDS_MOST = 1 << 24 };

lotor_block *lotor_block_new(size_t room)
{
    lotor_block *block = calloc(1, sizeof *block);
    if (!block) {
        return NULL;
    }
    block->room = room ? room : 1;
    block->start = calloc(block->room, sizeof *block->start);
    if (!block->start) {
        free(block);
        return NULL;
    }
    return block;
}

void lotor_block_free(lotor_block *block)
{
    if (block) {
        free(block->words);
        free(block->start);
        free(block->action);
        free(block->packed);
        free(block->blanks);
        free(block->users);
        free(block);
    }
}

lotor_block *lotor_block_new_blank(size_t count)
{
    lotor_block *block = lotor_block_new(count);
    lotor_blank *blanks = calloc(count ? count : 1, sizeof *blanks);
    if (!block || !blanks) {
        lotor_block_free(block);
        free(blanks);
        return NULL;
    }
    block->is_blank = true;
    block->blanks = blanks;
    block->count = count;
    return block;
}

static bool grow_words(lotor_block *block, size_t more)
{
    if (block->word_room - block->word_count >= more) {
        return true;
    }
    /* The decisions of a block usually have the same size. */
    const size_t done = block->is_blank ? block->filled : block->count;
    const size_t left = block->room > done ? block->room - done : 1;
    const size_t room = block->word_count + more * left;
    uint32_t *words = realloc(block->words, room * sizeof *words);
    if (!words) {
        return false;
    }
    block->words = words;
    block->word_room = room;
    return true;
}

static bool keep_action(lotor_block *block, size_t place, const unsigned char *action,
                        size_t length)
{
    if (!block->action) {
        block->action = calloc(block->room, length);
        block->action_each = length;
    }
    if (!block->action || block->action_each != length) {
        return false;
    }
    memcpy(block->action + place * length, action, length);
    return true;
}

size_t lotor_decision_words(const lotor_decision *decision, size_t slot, uint32_t *word)
{
    assert(decision->count > 0 && decision->asked_count <= decision->count);
    const bool asks_all =
        decision->asked_count == decision->count &&
        memcmp(decision->asked, decision->arms, decision->count * sizeof *decision->arms) == 0;
    const size_t asked = asks_all ? 0 : decision->asked_count;
    if (word) {
        word[0] = (uint32_t)decision->count;
        word[1] = (uint32_t)asked;
        word[2] = (uint32_t)slot;
        memcpy(word + HEADER, decision->arms, decision->count * sizeof *word);
        if (asked) {
            memcpy(word + HEADER + decision->count, decision->asked, asked * sizeof *word);
        }
    }
    return HEADER + decision->count + asked;
}

/* Makes room for what the decision at `place` shows, and keeps its action. */
static bool make_place(lotor_block *block, size_t place, size_t words, const unsigned char *action,
                       size_t action_length)
{
    assert(place < block->room);
    if (!grow_words(block, words) ||
        (action && !keep_action(block, place, action, action_length))) {
        return false;
    }
    block->start[place] = block->word_count;
    block->word_count += words;
    return true;
}

lotor_status lotor_block_add(lotor_block *block, const lotor_decision *decision, size_t slot,
                             const unsigned char *action, size_t action_length, lotor_message *why)
{
    assert(!block->is_blank && block->count <= block->room);
    if (block->count == block->room ||
        !make_place(block, block->count, lotor_decision_words(decision, slot, NULL), action,
                    action_length)) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a decision: try again");
    }
    lotor_decision_words(decision, slot, block->words + block->start[block->count]);
    block->count++;
    return LOTOR_OK;
}

static bool has_user(const lotor_fill *fill)
{
    static const lotor_user nobody;
    return memcmp(&fill->user, &nobody, sizeof nobody) != 0;
}

bool lotor_block_fill(lotor_block *block, const lotor_fill *fill)
{
    const size_t place = (size_t)(fill->number - block->first);
    assert(block->is_blank && place < block->count && !block->blanks[place].is_shown);
    if (has_user(fill) && !block->users) {
        block->users = calloc(block->room, sizeof *block->users);
        if (!block->users) {
            return false;
        }
    }
    if (!make_place(block, place, fill->word_count, fill->action, fill->action_length)) {
        return false;
    }
    if (block->users) {
        block->users[place] = fill->user;
    }
    memcpy(block->words + block->start[place], fill->words, fill->word_count * sizeof *fill->words);
    block->blanks[place] = (lotor_blank){.is_shown = true, .size = fill->size};
    block->filled++;
    return true;
}

void lotor_block_forget_blanks(lotor_block *block)
{
    assert(block->is_blank);
    memset(block->blanks, 0, block->count * sizeof *block->blanks);
    block->word_count = block->filled = block->counted = 0;
}

void lotor_block_record(const lotor_block *block, size_t place, lotor_fill *out)
{
    assert(block->is_blank && lotor_block_is_known(block, place));
    const uint32_t *word = block->words + block->start[place];
    *out = (lotor_fill){.number = block->first + place,
                        .nonce = block->nonce,
                        .size = block->blanks[place].size,
                        .words = word,
                        .word_count = HEADER + (size_t)word[0] + word[1],
                        .action = lotor_block_action(block, place),
                        .action_length = block->action_each};
    if (block->users) {
        out->user = block->users[place];
    }
}

void lotor_block_move_blanks(lotor_block *from, lotor_block *to)
{
    assert(from->is_blank && to->is_blank && from->count == to->count && to->filled == 0);
    const lotor_block empty = *to;
    to->words = from->words;
    to->word_count = from->word_count;
    to->word_room = from->word_room;
    to->start = from->start;
    to->action = from->action;
    to->action_each = from->action_each;
    to->blanks = from->blanks;
    to->users = from->users;
    to->filled = from->filled;
    from->words = empty.words;
    from->word_count = empty.word_count;
    from->word_room = empty.word_room;
    from->start = empty.start;
    from->action = empty.action;
    from->action_each = empty.action_each;
    from->blanks = empty.blanks;
    from->users = empty.users;
    from->filled = from->counted = 0;
    for (size_t i = 0; i < to->count; i++) {
        to->blanks[i].is_recorded = false;
    }
}

size_t lotor_words_display(const uint32_t *word, lotor_display *out)
{
    *out = (lotor_display){.arms = word + HEADER, .count = word[0]};
    out->asked = word[1] ? word + HEADER + word[0] : out->arms;
    out->asked_count = word[1] ? word[1] : word[0];
    return word[2];
}

size_t lotor_block_kept(const lotor_block *block, size_t place, lotor_display *out)
{
    assert(place < block->count && lotor_block_is_known(block, place));
    return lotor_words_display(block->words + block->start[place], out);
}

const unsigned char *lotor_block_action(const lotor_block *block, size_t place)
{
    assert(place < block->count);
    return block->action ? block->action + place * block->action_each : NULL;
}

size_t lotor_block_shown(const lotor_block *block)
{
    return block->has_report && block->reported < block->count ? block->reported : block->count;
}

lotor_status lotor_block_pack_words(const lotor_block *block, lotor_message *why,
                                    unsigned char **bytes, size_t *length)
{
    assert(!block->is_blank || block->word_count == 0);
    *length = 4 * block->word_count;
    *bytes = malloc(*length ? *length : 1);
    if (!*bytes) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to keep decisions: try again");
    }
    unsigned char *to = *bytes;
    for (size_t i = 0; i < block->word_count; i++, to += 4) {
        const uint32_t word = block->words[i];
        to[0] = (unsigned char)word;
        to[1] = (unsigned char)(word >> 8);
        to[2] = (unsigned char)(word >> 16);
        to[3] = (unsigned char)(word >> 24);
    }
    return LOTOR_OK;
}

/* The hash covers every column, so that a campaign's state can authenticate its blocks. */
static void hash_row(const lotor_block_row *row, unsigned char hash[LOTOR_BLOCK_HASH])
{
    unsigned char numbers[8 * 9];
    const uint64_t words[9] = {row->first, row->count,        row->holder,
                               row->want,  row->until,        row->deadline,
                               row->nonce, row->drawn_length, row->action_length};
    for (size_t i = 0; i < 9; i++) {
        lotor_put_u64(numbers + 8 * i, words[i]);
    }
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, LOTOR_BLOCK_HASH);
    crypto_generichash_update(&state, numbers, sizeof numbers);
    crypto_generichash_update(&state, row->drawn, row->drawn_length);
    if (row->action) {
        crypto_generichash_update(&state, row->action, row->action_length);
    }
    crypto_generichash_final(&state, hash, LOTOR_BLOCK_HASH);
}

void lotor_block_row_of(const lotor_block *block, lotor_block_row *row)
{
    *row = (lotor_block_row){.first = block->first,
                             .count = block->count,
                             .holder = block->holder,
                             .want = block->want,
                             .until = block->until,
                             .deadline = block->deadline,
                             .nonce = block->nonce,
                             .drawn = block->packed,
                             .drawn_length = block->packed_length,
                             .action = block->action,
                             .action_length = block->count * block->action_each};
    assert(!block->is_blank || !block->action);
}

lotor_status lotor_block_pack(lotor_block *block, lotor_message *why)
{
    assert(block->first > 0 && block->count > 0);
    free(block->packed);
    block->packed = NULL;
    const lotor_status status =
        lotor_block_pack_words(block, why, &block->packed, &block->packed_length);
    if (status == LOTOR_OK) {
        lotor_block_row row;
        lotor_block_row_of(block, &row);
        hash_row(&row, block->hash);
    }
    return status;
}

static bool are_arms(const uint32_t *word, size_t count, size_t arms)
{
    for (size_t i = 0; i < count; i++) {
        if (word[i] >= arms) {
            return false;
        }
    }
    return true;
}

/* A decision that measures value records a number in place of arms (base/display.h). */
static bool are_recorded(const uint32_t *word, size_t count, size_t arms)
{
    return are_arms(word, count, arms) || (count == 1 && lotor_round_can_record(word[0], arms));
}

size_t lotor_decision_length(const uint32_t *word, size_t count, size_t arms)
{
    if (count < HEADER || word[0] == 0 || word[0] > arms || word[1] > word[0] ||
        word[2] > word[0] || count - HEADER < (size_t)word[0] + word[1] ||
        !are_arms(word + HEADER, word[0], arms) ||
        !are_recorded(word + HEADER + word[0], word[1], arms)) {
        return 0;
    }
    return HEADER + (size_t)word[0] + word[1];
}

/* Checks that the words are `count` decisions with arm numbers below `arms`, and sets `start`. */
static bool find_starts(lotor_block *block, size_t arms)
{
    size_t at = 0;
    for (size_t i = 0; i < block->count; i++) {
        const size_t length =
            lotor_decision_length(block->words + at, block->word_count - at, arms);
        if (length == 0) {
            return false;
        }
        block->start[i] = at;
        at += length;
    }
    return at == block->word_count;
}

static lotor_status refuse_bytes(lotor_message *why)
{
    return lotor_fail(LOTOR_DAMAGED, why, "a block of decisions is damaged");
}

lotor_status lotor_block_unpack_words(const unsigned char *bytes, size_t length, uint64_t count,
                                      size_t arms, lotor_message *why, lotor_block **out)
{
    const size_t words = length / 4;
    if (length % 4 || words > WORDS_MOST || count > words / HEADER) {
        return refuse_bytes(why);
    }
    lotor_block *block = lotor_block_new((size_t)count);
    if (!block || !(block->words = calloc(words ? words : 1, sizeof *block->words))) {
        lotor_block_free(block);
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %zu drawn decisions", (size_t)count);
    }
    block->count = (size_t)count;
    block->word_count = block->word_room = words;
    for (size_t i = 0; i < words; i++) {
        const unsigned char *from = bytes + 4 * i;
        block->words[i] = (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
                          (uint32_t)from[3] << 24;
    }
    if (!find_starts(block, arms)) {
        lotor_block_free(block);
        return refuse_bytes(why);
    }
    *out = block;
    return LOTOR_OK;
}

static lotor_status unpack_blank(const lotor_block_row *row, lotor_message *why, lotor_block **out)
{
    if (row->action_length > 0 || row->count > WORDS_MOST / HEADER) {
        return refuse_bytes(why);
    }
    *out = lotor_block_new_blank((size_t)row->count);
    return *out ? LOTOR_OK : lotor_fail(LOTOR_MEMORY, why, "no memory for a block of blanks");
}

lotor_status lotor_block_unpack(const lotor_block_row *row, size_t arms, lotor_message *why,
                                lotor_block **out)
{
    if (row->count == 0 || row->first == 0 || row->first + row->count < row->first ||
        row->action_length % row->count) {
        return refuse_bytes(why);
    }
    lotor_block *block;
    lotor_status status;
    if (row->drawn_length == 0) {
        status = unpack_blank(row, why, &block);
    } else {
        status =
            lotor_block_unpack_words(row->drawn, row->drawn_length, row->count, arms, why, &block);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    block->first = row->first;
    block->nonce = row->nonce;
    block->holder = row->holder;
    block->want = row->want;
    block->until = row->until;
    block->deadline = row->deadline;
    if (row->action && row->action_length) {
        block->action = malloc(row->action_length);
        if (!block->action) {
            lotor_block_free(block);
            return lotor_fail(LOTOR_MEMORY, why, "no memory for drawn decisions");
        }
        memcpy(block->action, row->action, row->action_length);
        block->action_each = row->action_length / block->count;
    }
    hash_row(row, block->hash);
    *out = block;
    return LOTOR_OK;
}
