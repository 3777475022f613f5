/* block.c - decisions in a row, in memory and as the store keeps them. */
#include "service/engine/engine_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"

enum { HEADER = 3, WORDS_MOST = 1 << 24 };

lotor_drawn *lotor_drawn_new(size_t room, size_t dimension)
{
    lotor_drawn *drawn = calloc(1, sizeof *drawn);
    if (!drawn) {
        return NULL;
    }
    drawn->room = room;
    drawn->dimension = dimension;
    drawn->expires = calloc(room ? room : 1, sizeof *drawn->expires);
    drawn->start = calloc(room ? room : 1, sizeof *drawn->start);
    drawn->action = dimension ? calloc((room ? room : 1) * dimension, sizeof *drawn->action) : NULL;
    if (!drawn->expires || !drawn->start || (dimension && !drawn->action)) {
        lotor_drawn_free(drawn);
        return NULL;
    }
    return drawn;
}

void lotor_drawn_free(lotor_drawn *drawn)
{
    if (!drawn) {
        return;
    }
    free(drawn->expires);
    free(drawn->start);
    free(drawn->words);
    free(drawn->used);
    lotor_wipe_free(drawn->action, drawn->room * drawn->dimension * sizeof *drawn->action);
    lotor_wipe_free(drawn->units, drawn->room * drawn->width * sizeof *drawn->units);
    free(drawn);
}

static bool grow_words(lotor_drawn *drawn, size_t more)
{
    if (drawn->word_room - drawn->word_count >= more) {
        return true;
    }
    /* The decisions of a block are of one size as a rule. */
    size_t room =
        drawn->word_count + more * (drawn->room > drawn->count ? drawn->room - drawn->count : 1);
    uint32_t *words = realloc(drawn->words, room * sizeof *words);
    if (!words) {
        return false;
    }
    drawn->words = words;
    drawn->word_room = room;
    return true;
}

lotor_status lotor_drawn_add(lotor_drawn *drawn, const lotor_decision *decision, size_t slot,
                             const double *action, lotor_message *why)
{
    bool asks_all =
        decision->asked_count == decision->count &&
        memcmp(decision->asked, decision->arms, decision->count * sizeof *decision->arms) == 0;
    size_t asked = asks_all ? 0 : decision->asked_count;
    if (drawn->count == drawn->room || !grow_words(drawn, HEADER + decision->count + asked)) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a decision: try again");
    }
    uint32_t *word = drawn->words + drawn->word_count;
    drawn->start[drawn->count] = drawn->word_count;
    word[0] = (uint32_t)decision->count;
    word[1] = (uint32_t)asked;
    word[2] = (uint32_t)slot;
    memcpy(word + HEADER, decision->arms, decision->count * sizeof *word);
    if (asked) {
        memcpy(word + HEADER + decision->count, decision->asked, asked * sizeof *word);
    }
    drawn->word_count += HEADER + decision->count + asked;
    if (drawn->dimension) {
        memcpy(drawn->action + drawn->count * drawn->dimension, action,
               drawn->dimension * sizeof *action);
    }
    drawn->count++;
    return LOTOR_OK;
}

size_t lotor_drawn_kept(const lotor_drawn *drawn, size_t place, lotor_kept *out)
{
    const uint32_t *word = drawn->words + drawn->start[place];
    *out = (lotor_kept){.arms = word + HEADER, .count = word[0]};
    out->asked = word[1] ? word + HEADER + word[0] : out->arms;
    out->asked_count = word[1] ? word[1] : word[0];
    out->action = drawn->dimension ? drawn->action + place * drawn->dimension : NULL;
    return word[2];
}

lotor_status lotor_drawn_answer(lotor_drawn *drawn, size_t place, const int64_t *units, size_t used,
                                size_t width, lotor_message *why)
{
    if (!drawn->used) {
        uint16_t *flags = calloc(drawn->room, sizeof *flags);
        int64_t *numbers = calloc(drawn->room * width, sizeof *numbers);
        if (!flags || !numbers) {
            free(flags);
            free(numbers);
            return lotor_fail(LOTOR_MEMORY, why, "no memory for an answer: try again");
        }
        drawn->used = flags;
        drawn->units = numbers;
        drawn->width = width;
    }
    memcpy(drawn->units + place * width, units, used * sizeof *units);
    drawn->used[place] = (uint16_t)used;
    return LOTOR_OK;
}

const int64_t *lotor_drawn_units(const lotor_drawn *drawn, size_t place, size_t *used)
{
    *used = drawn->used ? drawn->used[place] : 0;
    return *used ? drawn->units + place * drawn->width : NULL;
}

lotor_status lotor_drawn_pack(const lotor_drawn *drawn, lotor_message *why, unsigned char **bytes,
                              size_t *length)
{
    *length = 4 * drawn->word_count;
    *bytes = malloc(*length ? *length : 1);
    if (!*bytes) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to keep decisions: try again");
    }
    unsigned char *to = *bytes;
    for (size_t i = 0; i < drawn->word_count; i++, to += 4) {
        uint32_t word = drawn->words[i];
        to[0] = (unsigned char)word;
        to[1] = (unsigned char)(word >> 8);
        to[2] = (unsigned char)(word >> 16);
        to[3] = (unsigned char)(word >> 24);
    }
    return LOTOR_OK;
}

/* Whether the words are `count` decisions over so many arms; finds where each starts. */
static bool find_starts(lotor_drawn *drawn, size_t arms)
{
    size_t at = 0;
    for (size_t i = 0; i < drawn->count; i++) {
        if (drawn->word_count - at < HEADER) {
            return false;
        }
        const uint32_t *word = drawn->words + at;
        if (word[0] == 0 || word[0] > arms || word[1] > word[0] || word[2] > word[0] ||
            drawn->word_count - at - HEADER < (size_t)word[0] + word[1]) {
            return false;
        }
        for (size_t j = 0; j < (size_t)word[0] + word[1]; j++) {
            if (word[HEADER + j] >= arms) {
                return false;
            }
        }
        drawn->start[i] = at;
        at += HEADER + word[0] + word[1];
    }
    return true;
}

lotor_status lotor_drawn_unpack(const lotor_block *row, size_t arms, size_t dimension,
                                lotor_message *why, lotor_drawn **out)
{
    size_t words = row->drawn_length / 4;
    if (row->drawn_length % 4 || words > WORDS_MOST || row->count > words / HEADER) {
        return lotor_fail(LOTOR_DAMAGED, why, "a block of decisions is not what was written");
    }
    lotor_drawn *drawn = lotor_drawn_new((size_t)row->count, dimension);
    if (!drawn || !(drawn->words = calloc(words ? words : 1, sizeof *drawn->words))) {
        lotor_drawn_free(drawn);
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %zu drawn decisions",
                          (size_t)row->count);
    }
    drawn->first = row->first;
    drawn->nonce = row->nonce;
    drawn->count = (size_t)row->count;
    drawn->word_count = drawn->word_room = words;
    for (size_t i = 0; i < words; i++) {
        const unsigned char *from = row->drawn + 4 * i;
        drawn->words[i] = (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
                          (uint32_t)from[3] << 24;
    }
    if (!find_starts(drawn, arms)) {
        lotor_drawn_free(drawn);
        return lotor_fail(LOTOR_DAMAGED, why, "a block of decisions is not what was written");
    }
    *out = drawn;
    return LOTOR_OK;
}

bool lotor_numbers_add(lotor_numbers *numbers, const int64_t *more, size_t count)
{
    if (numbers->room - numbers->count < count) {
        size_t room = 2 * (numbers->count + count) + 16;
        int64_t *at = malloc(room * sizeof *at);
        if (!at) {
            return false;
        }
        if (numbers->count) {
            memcpy(at, numbers->at, numbers->count * sizeof *at);
        }
        lotor_wipe_free(numbers->at, numbers->count * sizeof *at);
        numbers->at = at;
        numbers->room = room;
    }
    memcpy(numbers->at + numbers->count, more, count * sizeof *more);
    numbers->count += count;
    return true;
}

void lotor_numbers_clear(lotor_numbers *numbers)
{
    enum { KEPT = 1024 };
    lotor_wipe(numbers->at, numbers->count * sizeof *numbers->at);
    numbers->count = 0;
    if (numbers->room > KEPT) {
        free(numbers->at);
        *numbers = (lotor_numbers){0};
    }
}
