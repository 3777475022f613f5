/* intake.c - takes feedback at a front end, seals it for the log, and replays it at the owner
 * (base/intake.h).
 *
 * Before it is sealed, a row of the log is a sequence of entries:
 *
 *      u32  how many numbers; the top bit is set if the nonce is that of the entry before
 *      u64  decision
 *      u64  nonce, unless the top bit is set
 *      i64  each number
 */
#include "privacy/intake/intake.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/little.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/seal.h"
#include "privacy/intake/feedback_list.h"
#include "privacy/intake/waiting.h"

enum {
    BOUND = 32,       /* bytes that a seal is bound to: use, campaign and two more numbers */
    ENTRY_MOST = 20,  /* the most bytes before the numbers of an entry */
    KEPT_BYTES = 8192 /* larger buffers are freed when they are not in use */
};
static const uint32_t same_nonce = UINT32_C(1) << 31;

/* The fields of an entry in `pending`; `width` numbers follow. */
enum { DECISION = 0, NONCE = 1, USED = 2, UNITS = 3 };

struct lotor_intake {
    lotor_coder coder;
    double longest; /* contexts are scaled down to this length; 0: they are not */
    uint64_t campaign;
    unsigned char key[LOTOR_INTAKE_KEY];

    /* At a front end: accepted feedback that is not sealed yet. */
    int64_t *pending;
    size_t pending_count, pending_room; /* in entries */
    double *asked;                      /* room for the recorded rewards of a round */

    /* At the owner: feedback from the log that waits for its round to be final. */
    lotor_waiting_table waiting;
    unsigned char *opened; /* room for an opened row */
    size_t opened_room;
    uint64_t first, last; /* the lowest and highest decision of the last row that was opened */
};

_Static_assert((int)LOTOR_INTAKE_KEY == (int)LOTOR_SEAL_KEY_BYTES, "the key is one to seal with");

lotor_status lotor_intake_make(const lotor_coder *coder, uint64_t campaign,
                               const unsigned char key[LOTOR_INTAKE_KEY], lotor_intake **out)
{
    *out = calloc(1, sizeof **out);
    if (!*out) {
        return LOTOR_MEMORY;
    }
    (*out)->coder = *coder;
    (*out)->campaign = campaign;
    (*out)->waiting = lotor_waiting_table_of(lotor_coder_width(coder));
    memcpy((*out)->key, key, LOTOR_INTAKE_KEY);
    return LOTOR_OK;
}

static size_t stride(const lotor_intake *intake)
{
    return UNITS + intake->waiting.width;
}

static int64_t *pending_at(const lotor_intake *intake, size_t i)
{
    assert(i < intake->pending_room);
    return intake->pending + i * stride(intake);
}

void lotor_intake_free(lotor_intake *intake)
{
    if (intake) {
        lotor_intake_undo(intake, 0);
        free(intake->pending);
        free(intake->asked);
        lotor_intake_reset(intake);
        lotor_wipe_free(intake, sizeof *intake);
    }
}

void lotor_intake_erase(lotor_intake *intake, const unsigned char key[LOTOR_INTAKE_KEY])
{
    lotor_intake_undo(intake, 0);
    lotor_intake_reset(intake);
    memcpy(intake->key, key, LOTOR_INTAKE_KEY);
}

const lotor_coder *lotor_intake_coder(const lotor_intake *intake)
{
    return &intake->coder;
}

void lotor_intake_evaluate(lotor_intake *intake)
{
    intake->coder.is_evaluated = true;
}

void lotor_intake_normalize(lotor_intake *intake, double longest)
{
    intake->longest = longest;
}

void lotor_intake_grow(lotor_intake *intake, size_t arms)
{
    assert(arms >= intake->coder.arms);
    intake->coder.arms = arms;
}

double lotor_intake_longest(const lotor_intake *intake)
{
    return intake->longest;
}

size_t lotor_intake_width(const lotor_intake *intake)
{
    return intake->waiting.width;
}

bool lotor_intake_randomizer(const lotor_intake *intake, const lotor_display *display,
                             lotor_randomizer *out)
{
    return lotor_coder_randomizer(&intake->coder, display, out);
}

/* --- sealing ---------------------------------------------------------------------------------- */

/* Writes the bytes that a seal is bound to. */
static void bind(const lotor_intake *intake, lotor_intake_use use, uint64_t first, uint64_t second,
                 unsigned char bound[BOUND])
{
    lotor_put_u64(bound, (uint64_t)use);
    lotor_put_u64(bound + 8, intake->campaign);
    lotor_put_u64(bound + 16, first);
    lotor_put_u64(bound + 24, second);
}

void lotor_intake_seal(const lotor_intake *intake, lotor_intake_use use, uint64_t first,
                       uint64_t second, const void *plain, size_t length, unsigned char *sealed)
{
    unsigned char bound[BOUND];
    bind(intake, use, first, second, bound);
    lotor_seal(intake->key, bound, BOUND, plain, length, sealed);
}

lotor_status lotor_intake_open(const lotor_intake *intake, lotor_intake_use use, uint64_t first,
                               uint64_t second, const unsigned char *sealed, size_t length,
                               void *plain)
{
    unsigned char bound[BOUND];
    bind(intake, use, first, second, bound);
    return lotor_seal_open(intake->key, bound, BOUND, sealed, length, plain);
}

/* --- accept ----------------------------------------------------------------------------------- */

/* The place of a shown arm in the list. `guess` is tried first: most algorithms record all arms, in
 * order. */
static size_t place_of(const lotor_display *display, uint32_t arm, size_t guess)
{
    if (guess < display->count && display->arms[guess] == arm) {
        return guess;
    }
    size_t place = 0;
    while (place + 1 < display->count && display->arms[place] != arm) {
        place++;
    }
    return place;
}

/* Encodes rewards. Callers send a reward for every shown arm, because they cannot know which arms
 * the algorithm records. The other rewards are ignored. */
static lotor_status encode_rewards(lotor_intake *intake, const lotor_display *display,
                                   const lotor_feedback_item *item, lotor_message *why,
                                   int64_t *units, size_t *used)
{
    if (item->count != display->count || !item->numbers) {
        return lotor_fail(LOTOR_RANGE, why,
                          "expected %zu rewards, one for each arm that was shown, in that order",
                          display->count);
    }
    if (display->asked_count > intake->coder.slots || display->count > intake->coder.slots) {
        return lotor_coder_check_display(&intake->coder, display, why);
    }
    if (!intake->asked && !(intake->asked = calloc(intake->coder.slots, sizeof *intake->asked))) {
        return LOTOR_MEMORY;
    }
    const bool is_learning =
        lotor_round_role_of(display->asked, display->asked_count) == LOTOR_ROUND_LEARNS;
    const size_t wanted = is_learning ? display->asked_count : display->count;
    for (size_t i = 0; i < wanted; i++) {
        const size_t place = is_learning ? place_of(display, display->asked[i], i) : i;
        memcpy(&intake->asked[i], &item->numbers[place], sizeof *intake->asked);
    }
    const lotor_feedback feedback = {.rewards = intake->asked, .count = wanted};
    const lotor_status status =
        lotor_coder_encode(&intake->coder, display, &feedback, why, units, used);
    lotor_wipe(intake->asked, wanted * sizeof *intake->asked);
    return status;
}

/* Encodes a click. `name` is the id of the clicked arm, or "" for no click; ids[arm] is the id of
 * an arm. */
static lotor_status encode_click(const lotor_coder *coder, const lotor_display *display,
                                 const char *name, const char *const *ids, lotor_message *why,
                                 int64_t *units, size_t *used)
{
    lotor_feedback feedback = {.click = 0};
    for (size_t i = 0; *name && i < display->count && feedback.click == 0; i++) {
        const char *id = ids[display->arms[i]];
        feedback.click = id && strcmp(id, name) == 0 ? i + 1 : 0;
    }
    if (*name && feedback.click == 0) {
        return lotor_fail(LOTOR_RANGE, why,
                          "expected the id of an arm that was shown, or null for no click");
    }
    return lotor_coder_encode(coder, display, &feedback, why, units, used);
}

static lotor_status encode(lotor_intake *intake, const lotor_feedback_item *item,
                           const lotor_display *display, const char *const *ids, lotor_message *why,
                           int64_t *units, size_t *used)
{
    const lotor_coder *coder = &intake->coder;
    switch (item->form) {
    case LOTOR_CODER_REPORT:
        return lotor_coder_encode_report(coder, display, item->numbers, item->count, why, units,
                                         used);
    case LOTOR_CODER_CLICK:
        return encode_click(coder, display, item->name, ids, why, units, used);
    case LOTOR_CODER_REWARDS:
        break;
    }
    return encode_rewards(intake, display, item, why, units, used);
}

static bool grow_pending(lotor_intake *intake)
{
    if (intake->pending_count < intake->pending_room) {
        return true;
    }
    const size_t room = 2 * intake->pending_room + 4;
    const size_t size = stride(intake) * sizeof *intake->pending;
    int64_t *larger = lotor_wipe_grow(intake->pending, intake->pending_count * size, room * size);
    if (!larger) {
        return false;
    }
    intake->pending = larger;
    intake->pending_room = room;
    return true;
}

bool lotor_intake_accept(lotor_intake *intake, const lotor_feedback_list *batch, size_t i,
                         uint64_t decision, uint64_t nonce, const lotor_display *display,
                         const char *const *ids, lotor_intake_refusal *refusal)
{
    static const char *const fields[] = {
        [LOTOR_CODER_REWARDS] = "rewards",
        [LOTOR_CODER_CLICK] = "click",
        [LOTOR_CODER_REPORT] = "report",
    };
    lotor_intake_refuse_nothing(refusal);
    if (!grow_pending(intake)) {
        return lotor_intake_refuse_memory(refusal);
    }
    const lotor_feedback_item item = lotor_feedback_list_at(batch, i);
    int64_t *entry = pending_at(intake, intake->pending_count);
    size_t used = 0;
    memset(entry, 0, stride(intake) * sizeof *entry);
    const lotor_status status =
        encode(intake, &item, display, ids, &refusal->message, entry + UNITS, &used);
    if (status != LOTOR_OK) {
        lotor_wipe(entry, stride(intake) * sizeof *entry);
        if (status == LOTOR_MEMORY) {
            return lotor_intake_refuse_memory(refusal);
        }
        const lotor_message said = refusal->message;
        return lotor_intake_refuse(refusal, LOTOR_FAULT_VALUE, fields[item.form], "%s", said.text);
    }
    assert(used > 0 && used <= intake->waiting.width);
    entry[DECISION] = (int64_t)decision;
    entry[NONCE] = (int64_t)nonce;
    entry[USED] = (int64_t)used;
    intake->pending_count++;
    assert(intake->pending_count <= intake->pending_room);
    return true;
}

lotor_status lotor_intake_add_pending(lotor_intake *intake, uint64_t decision, uint64_t nonce,
                                      const unsigned char *numbers, size_t used)
{
    assert(used > 0 && used <= intake->waiting.width);
    if (!grow_pending(intake)) {
        return LOTOR_MEMORY;
    }
    int64_t *entry = pending_at(intake, intake->pending_count++);
    memset(entry, 0, stride(intake) * sizeof *entry);
    entry[DECISION] = (int64_t)decision;
    entry[NONCE] = (int64_t)nonce;
    entry[USED] = (int64_t)used;
    for (size_t i = 0; i < used; i++) {
        entry[UNITS + i] = (int64_t)lotor_get_u64(numbers + 8 * i);
    }
    return LOTOR_OK;
}

/* --- pending ---------------------------------------------------------------------------------- */

size_t lotor_intake_pending(const lotor_intake *intake)
{
    return intake->pending_count;
}

void lotor_intake_undo(lotor_intake *intake, size_t count)
{
    if (count < intake->pending_count) {
        lotor_wipe(pending_at(intake, count),
                   (intake->pending_count - count) * stride(intake) * sizeof *intake->pending);
        intake->pending_count = count;
    }
}

void lotor_intake_clear_pending(lotor_intake *intake)
{
    lotor_intake_undo(intake, 0);
    if (intake->pending_room * stride(intake) * sizeof *intake->pending > KEPT_BYTES) {
        free(intake->pending);
        intake->pending = NULL;
        intake->pending_room = 0;
    }
}

/* Writes an entry, and returns where the next entry begins. */
static unsigned char *write_entry(const int64_t *entry, bool same, unsigned char *to)
{
    const uint32_t used = (uint32_t)entry[USED];
    lotor_put_u32(to, used | (same ? same_nonce : 0));
    lotor_put_u64(to + 4, (uint64_t)entry[DECISION]);
    to += 12;
    if (!same) {
        lotor_put_u64(to, (uint64_t)entry[NONCE]);
        to += 8;
    }
    for (uint32_t i = 0; i < used; i++, to += 8) {
        lotor_put_u64(to, (uint64_t)entry[UNITS + i]);
    }
    return to;
}

static size_t longest_row(const lotor_intake *intake)
{
    return intake->pending_count * (ENTRY_MOST + 8 * intake->waiting.width);
}

lotor_status lotor_intake_seal_pending(lotor_intake *intake, uint64_t stream, uint64_t seq,
                                       lotor_message *why, unsigned char **bytes, size_t *length,
                                       uint64_t *first, uint64_t *last)
{
    *bytes = NULL;
    *length = 0;
    *first = *last = 0;
    if (intake->pending_count == 0) {
        return lotor_fail(LOTOR_INVALID, why, "no feedback is pending");
    }
    unsigned char *sealed = malloc(longest_row(intake) + LOTOR_SEAL_OVERHEAD);
    if (!sealed) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to keep feedback: try again");
    }
    unsigned char *const plain = sealed + LOTOR_SEAL_NONCE_BYTES, *to = plain;
    *first = UINT64_MAX;
    for (size_t i = 0; i < intake->pending_count; i++) {
        const int64_t *entry = pending_at(intake, i);
        const uint64_t decision = (uint64_t)entry[DECISION];
        const bool same = i > 0 && entry[NONCE] == pending_at(intake, i - 1)[NONCE];
        to = write_entry(entry, same, to);
        *first = decision < *first ? decision : *first;
        *last = decision > *last ? decision : *last;
    }
    const size_t plain_length = (size_t)(to - plain);
    assert(plain_length > 0 && plain_length <= longest_row(intake) && *first <= *last);
    lotor_intake_seal(intake, LOTOR_INTAKE_LOG, stream, seq, plain, plain_length, sealed);
    *bytes = sealed;
    *length = plain_length + LOTOR_SEAL_OVERHEAD;
    return LOTOR_OK;
}

/* --- replay ----------------------------------------------------------------------------------- */

typedef struct row_reader {
    const unsigned char *next, *end;
    uint64_t nonce;
    bool has_nonce;
} row_reader;

typedef struct row_entry {
    uint64_t decision, nonce;
    const unsigned char *units;
    size_t used;
} row_entry;

/* Reads the next entry; false if these bytes are not an entry of this intake. */
static bool read_entry(const lotor_intake *intake, row_reader *row, row_entry *out)
{
    const size_t left = (size_t)(row->end - row->next);
    if (left < 12) {
        return false;
    }
    const uint32_t head = lotor_get_u32(row->next);
    const bool same = (head & same_nonce) != 0;
    const size_t before = same ? 12 : ENTRY_MOST;
    out->used = head & ~same_nonce;
    if (out->used == 0 || out->used > intake->waiting.width || (same && !row->has_nonce) ||
        left < before || (left - before) / 8 < out->used) {
        return false;
    }
    out->decision = lotor_get_u64(row->next + 4);
    out->nonce = same ? row->nonce : lotor_get_u64(row->next + 12);
    out->units = row->next + before;
    *row = (row_reader){out->units + 8 * out->used, row->end, out->nonce, true};
    return true;
}

static bool is_row(const lotor_intake *intake, row_reader row)
{
    row_entry entry;
    bool is = row.next != row.end;
    while (is && row.next != row.end) {
        is = read_entry(intake, &row, &entry);
    }
    return is;
}

/* Lets an entry wait for its decision, unless feedback for (decision, nonce) waits already. */
static lotor_status keep_entry(lotor_intake *intake, const row_entry *entry)
{
    int64_t *units;
    const lotor_status status = lotor_waiting_table_add(&intake->waiting, entry->decision,
                                                        entry->nonce, entry->used, &units);
    for (size_t i = 0; units && i < entry->used; i++) {
        units[i] = (int64_t)lotor_get_u64(entry->units + 8 * i);
    }
    return status;
}

static bool grow_opened(lotor_intake *intake, size_t room)
{
    if (room <= intake->opened_room) {
        return true;
    }
    unsigned char *larger = malloc(2 * room);
    if (larger) {
        free(intake->opened); /* needs no wiping: it is wiped after each use */
        intake->opened = larger;
        intake->opened_room = 2 * room;
    }
    return larger != NULL;
}

static void wipe_opened(lotor_intake *intake, size_t used)
{
    lotor_wipe(intake->opened, used);
    if (intake->opened_room > KEPT_BYTES) {
        free(intake->opened);
        intake->opened = NULL;
        intake->opened_room = 0;
    }
}

lotor_status lotor_intake_replay(lotor_intake *intake, uint64_t final, uint64_t stream,
                                 uint64_t seq, const unsigned char *bytes, size_t length,
                                 lotor_message *why)
{
    const size_t plain = length > LOTOR_SEAL_OVERHEAD ? length - LOTOR_SEAL_OVERHEAD : 0;
    lotor_status status = LOTOR_DAMAGED;
    if (plain > 0 && bytes) {
        status = grow_opened(intake, plain) ? LOTOR_OK : LOTOR_MEMORY;
    }
    if (status == LOTOR_OK) {
        status =
            lotor_intake_open(intake, LOTOR_INTAKE_LOG, stream, seq, bytes, length, intake->opened);
    }
    if (status == LOTOR_OK) {
        row_reader row = {.next = intake->opened, .end = intake->opened + plain};
        row_entry entry;
        status = is_row(intake, row) ? LOTOR_OK : LOTOR_DAMAGED;
        intake->first = UINT64_MAX;
        intake->last = 0;
        while (status == LOTOR_OK && row.next != row.end && read_entry(intake, &row, &entry)) {
            intake->first = entry.decision < intake->first ? entry.decision : intake->first;
            intake->last = entry.decision > intake->last ? entry.decision : intake->last;
            status = entry.decision > final ? keep_entry(intake, &entry) : LOTOR_OK;
        }
        wipe_opened(intake, plain);
    }
    if (status == LOTOR_DAMAGED) {
        return lotor_fail(status, why, "a row of feedback is not what was written for its place");
    }
    return status == LOTOR_OK ? status
                              : lotor_fail(status, why, "no memory to read feedback: try again");
}

void lotor_intake_extent(const lotor_intake *intake, uint64_t *first, uint64_t *last)
{
    *first = intake->first;
    *last = intake->last;
}

/* --- waiting ---------------------------------------------------------------------------------- */

const int64_t *lotor_intake_find(const lotor_intake *intake, uint64_t decision, uint64_t nonce,
                                 size_t *used)
{
    return lotor_waiting_table_find(&intake->waiting, decision, nonce, used);
}

bool lotor_intake_has_feedback(const lotor_intake *intake, uint64_t decision, uint64_t nonce)
{
    size_t used;
    return lotor_waiting_table_find(&intake->waiting, decision, nonce, &used) != NULL;
}

void lotor_intake_drop(lotor_intake *intake, uint64_t decision)
{
    lotor_waiting_table_drop(&intake->waiting, decision);
}

void lotor_intake_forget(lotor_intake *intake, uint64_t final)
{
    lotor_waiting_table_forget(&intake->waiting, final);
}

void lotor_intake_reset(lotor_intake *intake)
{
    lotor_waiting_table_clear(&intake->waiting);
    free(intake->opened);
    intake->opened = NULL;
    intake->opened_room = 0;
}
