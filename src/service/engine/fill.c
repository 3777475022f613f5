/* fill.c - packs and unpacks records of what blanks have shown. See fill.h. */
#include "service/engine/fill.h"

#include <stdlib.h>
#include <string.h>

#include "service/engine/block.h"
#include "service/little.h"

/* number, nonce, size, the user's two hashes, number of words, length of the action */
enum { HEADER = 8 + 8 + 8 + 16 + 16 + 4 + 4 };

static bool make_room(lotor_fill_list *list, size_t more)
{
    if (list->room - list->length >= more) {
        return true;
    }
    const size_t room = 2 * list->length + more + 256;
    unsigned char *bytes = realloc(list->bytes, room);
    if (!bytes) {
        return false;
    }
    list->bytes = bytes;
    list->room = room;
    return true;
}

bool lotor_fill_list_add(lotor_fill_list *list, const lotor_fill *fill)
{
    const size_t action = fill->action ? fill->action_length : 0;
    if (fill->word_count > UINT32_MAX || action > UINT32_MAX ||
        !make_room(list, HEADER + 4 * fill->word_count + action)) {
        return false;
    }
    unsigned char *at = list->bytes + list->length;
    lotor_put_u64(at, fill->number);
    lotor_put_u64(at + 8, fill->nonce);
    lotor_put_u64(at + 16, fill->size);
    memcpy(at + 24, fill->user.hash, sizeof fill->user.hash);
    memcpy(at + 40, fill->user.payer, sizeof fill->user.payer);
    lotor_put_u32(at + 56, (uint32_t)fill->word_count);
    lotor_put_u32(at + 60, (uint32_t)action);
    at += HEADER;
    for (size_t i = 0; i < fill->word_count; i++, at += 4) {
        lotor_put_u32(at, fill->words[i]);
    }
    if (action) {
        memcpy(at, fill->action, action);
    }
    list->length += HEADER + 4 * fill->word_count + action;
    return true;
}

bool lotor_fill_list_move(lotor_fill_list *to, lotor_fill_list *from)
{
    if (to->length == 0) {
        const lotor_fill_list empty = *to;
        *to = *from;
        *from = empty;
        return true;
    }
    if (!make_room(to, from->length)) {
        return false;
    }
    if (from->length > 0) {
        memcpy(to->bytes + to->length, from->bytes, from->length);
    }
    to->length += from->length;
    from->length = 0;
    return true;
}

void lotor_fill_list_clear(lotor_fill_list *list)
{
    free(list->bytes);
    *list = (lotor_fill_list){0};
}

bool lotor_fill_next(lotor_fill_reader *reader, lotor_fill *out)
{
    if (reader->left == 0 || reader->is_damaged) {
        return false;
    }
    reader->is_damaged = true;
    if (reader->left < HEADER) {
        return false;
    }
    const unsigned char *at = reader->at;
    const size_t words = lotor_get_u32(at + 56), action = lotor_get_u32(at + 60);
    *out = (lotor_fill){.number = lotor_get_u64(at),
                        .nonce = lotor_get_u64(at + 8),
                        .size = lotor_get_u64(at + 16),
                        .words = reader->words,
                        .word_count = words,
                        .action = action ? at + HEADER + 4 * words : NULL,
                        .action_length = action};
    memcpy(out->user.hash, at + 24, sizeof out->user.hash);
    memcpy(out->user.payer, at + 40, sizeof out->user.payer);
    if (words == 0 || words > 3 + 2 * reader->arms || reader->left - HEADER < 4 * words + action ||
        out->number == 0) {
        return false;
    }
    for (size_t i = 0; i < words; i++) {
        reader->words[i] = lotor_get_u32(at + HEADER + 4 * i);
    }
    if (lotor_decision_length(reader->words, words, reader->arms) != words) {
        return false;
    }
    reader->at += HEADER + 4 * words + action;
    reader->left -= HEADER + 4 * words + action;
    reader->is_damaged = false;
    return true;
}
