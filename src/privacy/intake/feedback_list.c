/* feedback_list.c - the raw feedback of one request (feedback_list.h). Items are in one array; two
 * other arrays hold the numbers and the names of all items, one item after the other. */
#include "privacy/intake/feedback_list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct place {
    lotor_coder_form form;
    size_t numbers, names; /* where the numbers and the name of the item begin */
} place;

struct lotor_feedback_list {
    place *places;
    size_t count, room;
    int64_t *numbers;
    size_t number_count, number_room;
    char *names;
    size_t name_count, name_room;
};

lotor_feedback_list *lotor_feedback_list_new(size_t room)
{
    lotor_feedback_list *batch = calloc(1, sizeof *batch);
    if (!batch) {
        return NULL;
    }
    batch->room = room ? room : 1;
    batch->places = calloc(batch->room, sizeof *batch->places);
    if (!batch->places) {
        free(batch);
        return NULL;
    }
    return batch;
}

void lotor_feedback_list_free(lotor_feedback_list *batch)
{
    if (batch) {
        free(batch->places);
        lotor_wipe_free(batch->numbers, batch->number_count * sizeof *batch->numbers);
        lotor_wipe_free(batch->names, batch->name_count);
        free(batch);
    }
}

bool lotor_feedback_list_begin(lotor_feedback_list *batch, lotor_coder_form form)
{
    if (batch->count == batch->room) {
        const size_t room = 2 * batch->room;
        place *larger = realloc(batch->places, room * sizeof *larger);
        if (!larger) {
            return false;
        }
        batch->places = larger;
        batch->room = room;
    }
    batch->places[batch->count++] = (place){form, batch->number_count, batch->name_count};
    assert(batch->count <= batch->room);
    return true;
}

bool lotor_feedback_list_add(lotor_feedback_list *batch, int64_t number)
{
    assert(batch->count > 0);
    if (batch->number_count == batch->number_room) {
        const size_t room = 2 * batch->number_room + 16;
        int64_t *larger = lotor_wipe_grow(batch->numbers, batch->number_count * sizeof *larger,
                                          room * sizeof *larger);
        if (!larger) {
            return false;
        }
        batch->numbers = larger;
        batch->number_room = room;
    }
    batch->numbers[batch->number_count++] = number;
    assert(batch->number_count <= batch->number_room);
    return true;
}

bool lotor_feedback_list_add_reward(lotor_feedback_list *batch, double reward)
{
    int64_t bits;
    memcpy(&bits, &reward, sizeof bits);
    return lotor_feedback_list_add(batch, bits);
}

bool lotor_feedback_list_name(lotor_feedback_list *batch, const char *name)
{
    assert(batch->count > 0 && batch->places[batch->count - 1].names == batch->name_count);
    const size_t length = strlen(name) + 1;
    if (batch->name_room - batch->name_count < length) {
        const size_t room = 2 * batch->name_room + length;
        char *larger = lotor_wipe_grow(batch->names, batch->name_count, room);
        if (!larger) {
            return false;
        }
        batch->names = larger;
        batch->name_room = room;
    }
    memcpy(batch->names + batch->name_count, name, length);
    batch->name_count += length;
    assert(batch->name_count <= batch->name_room);
    return true;
}

void lotor_feedback_list_take_back(lotor_feedback_list *batch)
{
    assert(batch->count > 0);
    const place last = batch->places[--batch->count];
    if (batch->number_count > last.numbers) {
        lotor_wipe(batch->numbers + last.numbers,
                   (batch->number_count - last.numbers) * sizeof *batch->numbers);
        batch->number_count = last.numbers;
    }
    if (batch->name_count > last.names) {
        lotor_wipe(batch->names + last.names, batch->name_count - last.names);
        batch->name_count = last.names;
    }
}

size_t lotor_feedback_list_count(const lotor_feedback_list *batch)
{
    return batch->count;
}

lotor_feedback_item lotor_feedback_list_at(const lotor_feedback_list *batch, size_t i)
{
    assert(i < batch->count);
    const place *at = &batch->places[i];
    const size_t end = i + 1 < batch->count ? at[1].numbers : batch->number_count;
    assert(at->numbers <= end && end <= batch->number_count);
    lotor_feedback_item item = {.form = at->form, .count = end - at->numbers};
    if (item.count > 0) {
        item.numbers = batch->numbers + at->numbers;
    }
    if (at->form == LOTOR_CODER_CLICK) {
        item.name = batch->names + at->names;
    }
    return item;
}
