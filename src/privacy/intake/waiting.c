/* waiting.c - the table of feedback that waits for its round to be final (waiting.h). */
#include "privacy/intake/waiting.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    DECISION = 0, /* the fields of an entry */
    NONCE = 1,
    USED = 2,
    UNITS = 3,
    FIRST_BITS = 5, /* room for 16 entries */
    LAST_BITS = 32,
    KEPT_ROOM = 64 /* a larger table is freed when nothing waits */
};

static size_t stride(const lotor_waiting_table *waiting)
{
    return UNITS + waiting->width;
}

static int64_t *entry_at(const lotor_waiting_table *waiting, size_t place)
{
    return waiting->entries + place * stride(waiting);
}

static uint64_t decision_at(const lotor_waiting_table *waiting, size_t place)
{
    return (uint64_t)entry_at(waiting, place)[DECISION];
}

/* Decisions are consecutive numbers; multiplying by this constant spreads them evenly. */
static size_t home_of(uint64_t decision, unsigned bits)
{
    assert(bits > 0);
    return (size_t)(decision * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits));
}

static size_t next_slot(const lotor_waiting_table *waiting, size_t slot)
{
    return (slot + 1) & (((size_t)1 << waiting->bits) - 1);
}

/* The slot of an entry for the decision, with that nonce (NULL: any nonce). If there is none: the
 * empty slot at the end of the search. The table must have slots. */
static size_t find_slot(const lotor_waiting_table *waiting, uint64_t decision,
                        const uint64_t *nonce)
{
    size_t slot = home_of(decision, waiting->bits);
    while (waiting->slots[slot] != 0) {
        const int64_t *entry = entry_at(waiting, waiting->slots[slot] - 1);
        if ((uint64_t)entry[DECISION] == decision && (!nonce || (uint64_t)entry[NONCE] == *nonce)) {
            break;
        }
        slot = next_slot(waiting, slot);
    }
    return slot;
}

static void free_memory(lotor_waiting_table *waiting)
{
    lotor_wipe_free(waiting->entries, waiting->count * stride(waiting) * sizeof *waiting->entries);
    if (waiting->slots) { /* whether a person gave feedback is private, too */
        lotor_wipe_free(waiting->slots, sizeof *waiting->slots << waiting->bits);
    }
    *waiting = lotor_waiting_table_of(waiting->width);
}

static lotor_status grow(lotor_waiting_table *waiting)
{
    const unsigned bits = waiting->bits ? waiting->bits + 1 : FIRST_BITS;
    const size_t room = (size_t)1 << (bits - 1);
    size_t bytes;
    if (bits > LAST_BITS ||
        __builtin_mul_overflow(room, stride(waiting) * sizeof *waiting->entries, &bytes)) {
        return LOTOR_MEMORY;
    }
    lotor_waiting_table larger = *waiting;
    larger.bits = bits;
    larger.room = room;
    larger.entries = malloc(bytes);
    larger.slots = calloc((size_t)1 << bits, sizeof *larger.slots);
    if (!larger.entries || !larger.slots) {
        free(larger.entries);
        free(larger.slots);
        return LOTOR_MEMORY;
    }
    for (size_t i = 0; i < waiting->count; i++) {
        memcpy(entry_at(&larger, i), entry_at(waiting, i),
               stride(waiting) * sizeof *larger.entries);
        size_t slot = home_of(decision_at(&larger, i), bits);
        while (larger.slots[slot] != 0) {
            slot = next_slot(&larger, slot);
        }
        larger.slots[slot] = (uint32_t)(i + 1);
    }
    free_memory(waiting);
    *waiting = larger;
    assert(waiting->count < waiting->room);
    return LOTOR_OK;
}

lotor_status lotor_waiting_table_add(lotor_waiting_table *waiting, uint64_t decision,
                                     uint64_t nonce, size_t used, int64_t **units)
{
    assert(used > 0 && used <= waiting->width);
    *units = NULL;
    size_t found;
    if (lotor_waiting_table_find(waiting, decision, nonce, &found)) {
        return LOTOR_OK;
    }
    if (waiting->count == waiting->room && grow(waiting) != LOTOR_OK) {
        return LOTOR_MEMORY;
    }
    int64_t *entry = entry_at(waiting, waiting->count);
    entry[DECISION] = (int64_t)decision;
    entry[NONCE] = (int64_t)nonce;
    entry[USED] = (int64_t)used;
    memset(entry + UNITS, 0, waiting->width * sizeof *entry);
    *units = entry + UNITS;
    waiting->slots[find_slot(waiting, decision, &nonce)] = (uint32_t)++waiting->count;
    if (waiting->count == 1 || decision < waiting->below) {
        waiting->below = decision;
    }
    assert(waiting->count <= waiting->room && waiting->below <= decision);
    return LOTOR_OK;
}

const int64_t *lotor_waiting_table_find(const lotor_waiting_table *waiting, uint64_t decision,
                                        uint64_t nonce, size_t *used)
{
    *used = 0;
    if (waiting->count == 0) {
        return NULL;
    }
    const uint32_t place = waiting->slots[find_slot(waiting, decision, &nonce)];
    if (place == 0) {
        return NULL;
    }
    const int64_t *entry = entry_at(waiting, place - 1);
    *used = (size_t)entry[USED];
    return entry + UNITS;
}

/* Empties a slot. Later entries move up, so that no search ends before it finds them (Knuth
 * 1998, 6.4, Algorithm R). */
static void empty_slot(lotor_waiting_table *waiting, size_t hole)
{
    const size_t mask = ((size_t)1 << waiting->bits) - 1;
    waiting->slots[hole] = 0;
    for (size_t slot = next_slot(waiting, hole); waiting->slots[slot] != 0;
         slot = next_slot(waiting, slot)) {
        const size_t home = home_of(decision_at(waiting, waiting->slots[slot] - 1), waiting->bits);
        if (((slot - home) & mask) >= ((slot - hole) & mask)) {
            waiting->slots[hole] = waiting->slots[slot];
            waiting->slots[slot] = 0;
            hole = slot;
        }
    }
}

/* Removes an entry. The last entry takes its place. */
static void remove_at(lotor_waiting_table *waiting, size_t slot)
{
    assert(waiting->count > 0 && waiting->slots[slot] > 0 &&
           waiting->slots[slot] <= waiting->count);
    const size_t place = waiting->slots[slot] - 1;
    const size_t last = waiting->count - 1;
    const size_t size = stride(waiting) * sizeof *waiting->entries;
    empty_slot(waiting, slot);
    if (place != last) {
        size_t moved = home_of(decision_at(waiting, last), waiting->bits);
        while (waiting->slots[moved] != last + 1) {
            moved = next_slot(waiting, moved);
        }
        waiting->slots[moved] = (uint32_t)(place + 1);
        memcpy(entry_at(waiting, place), entry_at(waiting, last), size);
    }
    lotor_wipe(entry_at(waiting, last), size);
    waiting->count = last;
}

static void drop_all_of(lotor_waiting_table *waiting, uint64_t decision)
{
    while (waiting->count > 0) {
        const size_t slot = find_slot(waiting, decision, NULL);
        if (waiting->slots[slot] == 0) {
            return;
        }
        remove_at(waiting, slot);
    }
}

static void give_back(lotor_waiting_table *waiting)
{
    if (waiting->count == 0 && waiting->room > KEPT_ROOM) {
        free_memory(waiting);
    }
}

void lotor_waiting_table_drop(lotor_waiting_table *waiting, uint64_t decision)
{
    if (decision < waiting->below) {
        return;
    }
    drop_all_of(waiting, decision);
    if (decision == waiting->below) {
        waiting->below++;
    }
    give_back(waiting);
}

/* Looks at each decision up to `final` that was not dropped before, or at all entries if these are
 * fewer. If rounds are entered in order, nothing is left to do. */
void lotor_waiting_table_forget(lotor_waiting_table *waiting, uint64_t final)
{
    if (waiting->count == 0 || final < waiting->below) {
        return;
    }
    if (final - waiting->below < waiting->count) {
        for (uint64_t decision = waiting->below; decision <= final; decision++) {
            drop_all_of(waiting, decision);
        }
    } else {
        for (size_t i = waiting->count;
             i-- > 0;) { /* the entry moved to place i was seen already */
            const uint64_t decision = decision_at(waiting, i);
            if (decision <= final) {
                const uint64_t nonce = (uint64_t)entry_at(waiting, i)[NONCE];
                remove_at(waiting, find_slot(waiting, decision, &nonce));
            }
        }
    }
    waiting->below = final < UINT64_MAX ? final + 1 : final;
    give_back(waiting);
}

void lotor_waiting_table_clear(lotor_waiting_table *waiting)
{
    free_memory(waiting);
}
