/* inbox.c - the open rounds, in a ring buffer, oldest first (inbox.h).
 *
 * The ring holds the events first..first+waiting-1. Each round has a flag, its arms and its encoded
 * feedback, in three flat arrays. All three are doubled when the ring is full.
 */
#include "privacy/intake/inbox.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { OBSERVED = 1, FINAL = 2, FIRST_CAPACITY = 16 };

struct lotor_inbox {
    size_t slots, contributions;
    uint64_t first; /* the oldest event in the ring; the next event if the ring is empty */
    size_t head, waiting, capacity;
    unsigned char *flags;
    uint32_t *arms;    /* per round: the number of arms, then room for `slots` arms */
    int64_t *units;    /* per round: `contributions` numbers */
    int64_t missing[]; /* the default feedback */
};

typedef struct ring {
    unsigned char *flags;
    uint32_t *arms;
    int64_t *units;
} ring;

static void ring_free(ring old, size_t capacity, size_t contributions)
{
    lotor_wipe_free(old.flags, capacity); /* whether a person gave feedback is private, too */
    free(old.arms);
    lotor_wipe_free(old.units, capacity * contributions * sizeof *old.units);
}

static bool ring_new(size_t capacity, size_t slots, size_t contributions, ring *out)
{
    *out = (ring){
        .flags = calloc(capacity, sizeof *out->flags),
        .arms = calloc(capacity, (slots + 1) * sizeof *out->arms),
        .units = calloc(capacity, contributions * sizeof *out->units),
    };
    if (out->flags && out->arms && out->units) {
        return true;
    }
    ring_free(*out, capacity, contributions);
    return false;
}

/* The place of the round that is `offset` events after the oldest. */
static size_t place(const lotor_inbox *inbox, size_t offset)
{
    assert(offset <= inbox->waiting && inbox->head < inbox->capacity);
    return (inbox->head + offset) % inbox->capacity;
}

static uint32_t *arms_at(const lotor_inbox *inbox, size_t at)
{
    return inbox->arms + at * (inbox->slots + 1);
}

static int64_t *units_at(const lotor_inbox *inbox, size_t at)
{
    return inbox->units + at * inbox->contributions;
}

static lotor_status grow(lotor_inbox *inbox, size_t capacity)
{
    ring larger;
    if (!ring_new(capacity, inbox->slots, inbox->contributions, &larger)) {
        return LOTOR_MEMORY;
    }
    const size_t arm_size = inbox->slots + 1;
    for (size_t i = 0; i < inbox->waiting; i++) {
        const size_t at = place(inbox, i);
        larger.flags[i] = inbox->flags[at];
        memcpy(larger.arms + i * arm_size, arms_at(inbox, at), arm_size * sizeof *larger.arms);
        memcpy(larger.units + i * inbox->contributions, units_at(inbox, at),
               inbox->contributions * sizeof *larger.units);
    }
    ring_free((ring){inbox->flags, inbox->arms, inbox->units}, inbox->capacity,
              inbox->contributions);
    inbox->flags = larger.flags;
    inbox->arms = larger.arms;
    inbox->units = larger.units;
    inbox->capacity = capacity;
    inbox->head = 0;
    assert(inbox->waiting <= inbox->capacity);
    return LOTOR_OK;
}

lotor_status lotor_inbox_new(size_t slots, size_t contributions, const int64_t *missing,
                             lotor_inbox **out)
{
    *out = NULL;
    const size_t limit = SIZE_MAX / 64;
    if (slots == 0 || contributions == 0 || slots > limit || contributions > limit) {
        return LOTOR_INVALID;
    }
    const size_t missing_size = contributions * sizeof(int64_t);
    lotor_inbox *inbox = calloc(1, sizeof *inbox + missing_size);
    if (!inbox) {
        return LOTOR_MEMORY;
    }
    inbox->slots = slots;
    inbox->contributions = contributions;
    inbox->first = 1;
    memcpy(inbox->missing, missing, missing_size);
    if (grow(inbox, FIRST_CAPACITY) != LOTOR_OK) {
        free(inbox);
        return LOTOR_MEMORY;
    }
    *out = inbox;
    return LOTOR_OK;
}

void lotor_inbox_free(lotor_inbox *inbox)
{
    if (inbox) {
        ring_free((ring){inbox->flags, inbox->arms, inbox->units}, inbox->capacity,
                  inbox->contributions);
        free(inbox);
    }
}

/* Makes room for `rounds` more rounds. */
static lotor_status reserve(lotor_inbox *inbox, size_t rounds)
{
    size_t capacity = inbox->capacity;
    while (capacity - inbox->waiting < rounds) {
        if (capacity > SIZE_MAX / 2) {
            return LOTOR_MEMORY;
        }
        capacity *= 2;
    }
    return capacity > inbox->capacity ? grow(inbox, capacity) : LOTOR_OK;
}

/* Opens a round where there is room for it. */
static void open_round(lotor_inbox *inbox, const uint32_t *arms, size_t arm_count,
                       const int64_t *missing)
{
    const size_t at = place(inbox, inbox->waiting);
    uint32_t *kept = arms_at(inbox, at);
    kept[0] = (uint32_t)arm_count;
    if (arm_count > 0) {
        memcpy(kept + 1, arms, arm_count * sizeof *arms);
    }
    memcpy(units_at(inbox, at), missing, inbox->contributions * sizeof *inbox->units);
    inbox->flags[at] = 0;
    inbox->waiting++;
    assert(inbox->waiting <= inbox->capacity);
}

static lotor_status show(lotor_inbox *inbox, const uint32_t *arms, size_t arm_count,
                         const int64_t *missing, size_t rounds, uint64_t *event)
{
    if (arm_count > inbox->slots) {
        return LOTOR_INVALID;
    }
    if (reserve(inbox, rounds) != LOTOR_OK) {
        return LOTOR_MEMORY;
    }
    *event = lotor_inbox_next(inbox);
    for (size_t i = 0; i < rounds; i++) {
        open_round(inbox, arms, arm_count, missing);
    }
    return LOTOR_OK;
}

lotor_status lotor_inbox_show(lotor_inbox *inbox, const uint32_t *arms, size_t arm_count,
                              uint64_t *event)
{
    return show(inbox, arms, arm_count, inbox->missing, 1, event);
}

lotor_status lotor_inbox_show_many(lotor_inbox *inbox, const uint32_t *arms, size_t arm_count,
                                   size_t rounds, uint64_t *event)
{
    return show(inbox, arms, arm_count, inbox->missing, rounds, event);
}

lotor_status lotor_inbox_show_with(lotor_inbox *inbox, const uint32_t *arms, size_t arm_count,
                                   const int64_t *missing, uint64_t *event)
{
    return show(inbox, arms, arm_count, missing, 1, event);
}

/* Finds an event in the ring: LOTOR_LATE if it was dropped already, LOTOR_UNKNOWN if it was never
 * shown. */
static lotor_status find(const lotor_inbox *inbox, uint64_t event, size_t *at)
{
    if (event == 0 || event >= lotor_inbox_next(inbox)) {
        return LOTOR_UNKNOWN;
    }
    if (event < inbox->first) {
        return LOTOR_LATE;
    }
    *at = place(inbox, (size_t)(event - inbox->first));
    return LOTOR_OK;
}

/* Describes the round at a place. */
static lotor_round round_at(const lotor_inbox *inbox, uint64_t event, size_t at)
{
    return (lotor_round){
        .event = event,
        .arms = arms_at(inbox, at) + 1,
        .arm_count = arms_at(inbox, at)[0],
        .units = units_at(inbox, at),
    };
}

lotor_status lotor_inbox_find(const lotor_inbox *inbox, uint64_t event, lotor_round *out)
{
    size_t at;
    const lotor_status status = find(inbox, event, &at);
    if (status == LOTOR_OK) {
        *out = round_at(inbox, event, at);
    }
    return status;
}

/* Finds a round that can take feedback. */
static lotor_status find_unanswered(const lotor_inbox *inbox, uint64_t event, size_t *at)
{
    const lotor_status status = find(inbox, event, at);
    if (status != LOTOR_OK) {
        return status;
    }
    if (inbox->flags[*at] & FINAL) {
        return LOTOR_LATE;
    }
    return inbox->flags[*at] & OBSERVED ? LOTOR_DUPLICATE : LOTOR_OK;
}

lotor_status lotor_inbox_can_observe(const lotor_inbox *inbox, uint64_t event)
{
    size_t at;
    return find_unanswered(inbox, event, &at);
}

lotor_status lotor_inbox_observe(lotor_inbox *inbox, uint64_t event, const int64_t *units)
{
    size_t at;
    const lotor_status status = find_unanswered(inbox, event, &at);
    if (status == LOTOR_OK) {
        memcpy(units_at(inbox, at), units, inbox->contributions * sizeof *units);
        inbox->flags[at] |= OBSERVED;
    }
    return status;
}

lotor_status lotor_inbox_expire(lotor_inbox *inbox, uint64_t event)
{
    size_t at;
    const lotor_status status = find(inbox, event, &at);
    if (status != LOTOR_OK) {
        return status == LOTOR_LATE ? LOTOR_OK : status;
    }
    inbox->flags[at] = FINAL; /* forgets whether the person gave feedback: nothing needs it now */
    return LOTOR_OK;
}

bool lotor_inbox_peek(const lotor_inbox *inbox, lotor_round *out)
{
    if (inbox->waiting == 0 || !(inbox->flags[inbox->head] & FINAL)) {
        return false;
    }
    *out = round_at(inbox, inbox->first, inbox->head);
    return true;
}

bool lotor_inbox_drop(lotor_inbox *inbox)
{
    lotor_round round;
    if (!lotor_inbox_peek(inbox, &round)) {
        return false;
    }
    lotor_wipe(units_at(inbox, inbox->head), inbox->contributions * sizeof *inbox->units);
    inbox->flags[inbox->head] = 0;
    inbox->head = place(inbox, 1);
    inbox->first++;
    inbox->waiting--;
    return true;
}

void lotor_inbox_count_arms(const lotor_inbox *inbox, uint64_t *counts)
{
    for (size_t i = 0; i < inbox->waiting; i++) {
        counts[arms_at(inbox, place(inbox, i))[1]]++;
    }
}

uint64_t lotor_inbox_next(const lotor_inbox *inbox)
{
    return inbox->first + inbox->waiting;
}

size_t lotor_inbox_waiting(const lotor_inbox *inbox)
{
    return inbox->waiting;
}

void lotor_inbox_save(const lotor_inbox *inbox, lotor_writer *writer)
{
    lotor_write_u64(writer, inbox->slots);
    lotor_write_u64(writer, inbox->contributions);
    lotor_write_i64s(writer, inbox->missing, inbox->contributions);
    lotor_write_u64(writer, inbox->first);
    lotor_write_u64(writer, inbox->waiting);
    for (size_t i = 0; i < inbox->waiting; i++) {
        const size_t at = place(inbox, i);
        lotor_write_u64(writer, inbox->flags[at]);
        const uint32_t *arms = arms_at(inbox, at);
        for (size_t j = 0; j <= arms[0]; j++) {
            lotor_write_u64(writer, arms[j]);
        }
        lotor_write_i64s(writer, units_at(inbox, at), inbox->contributions);
    }
}

static void load_round(lotor_inbox *inbox, lotor_reader *reader, size_t at)
{
    const uint64_t flags = lotor_read_u64(reader);
    const uint64_t count = lotor_read_u64(reader);
    lotor_read_expect(reader, flags <= (OBSERVED | FINAL) && count <= inbox->slots);
    if (reader->status != LOTOR_OK) {
        return;
    }
    /* Older versions also saved whether a final round had feedback. */
    inbox->flags[at] = (unsigned char)(flags & FINAL ? FINAL : flags);
    uint32_t *arms = arms_at(inbox, at);
    arms[0] = (uint32_t)count;
    for (size_t j = 1; j <= count; j++) {
        const uint64_t arm = lotor_read_u64(reader);
        lotor_read_expect(reader, arm <= UINT32_MAX);
        arms[j] = (uint32_t)arm;
    }
    lotor_read_i64s(reader, units_at(inbox, at), inbox->contributions);
}

lotor_status lotor_inbox_load(lotor_inbox *inbox, lotor_reader *reader)
{
    lotor_read_expect(reader, lotor_read_u64(reader) == inbox->slots);
    lotor_read_expect(reader, lotor_read_u64(reader) == inbox->contributions);
    if (reader->status != LOTOR_OK) {
        return LOTOR_OK; /* the reader has the status */
    }
    for (size_t i = 0; i < inbox->contributions; i++) {
        lotor_read_expect(reader, (int64_t)lotor_read_u64(reader) == inbox->missing[i]);
    }
    inbox->first = lotor_read_u64(reader);
    const uint64_t waiting = lotor_read_u64(reader);
    /* A round takes at least this many bytes, so a false count is detected before memory is
     * allocated. */
    const uint64_t round_bytes = 8 * (2 + (uint64_t)inbox->contributions);
    lotor_read_expect(reader, waiting <= (uint64_t)(reader->end - reader->next) / round_bytes);
    lotor_read_expect(reader, inbox->first > 0 && inbox->first <= UINT64_MAX / 2);
    if (reader->status != LOTOR_OK) {
        return LOTOR_OK;
    }
    inbox->waiting = 0;
    size_t capacity = inbox->capacity;
    while (capacity < waiting) {
        capacity *= 2;
    }
    if (grow(inbox, capacity) != LOTOR_OK) {
        return LOTOR_MEMORY;
    }
    for (size_t i = 0; i < waiting && reader->status == LOTOR_OK; i++) {
        load_round(inbox, reader, i);
        inbox->waiting++;
    }
    return LOTOR_OK;
}
