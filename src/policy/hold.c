/* hold.c - policies that record each round for one arm of the shown list: lik-imed, rr-imed,
 * batch-klucb, rr-klucb, adap-ucb, own algorithms with such a statistic, and for one slot dp-klucb,
 * dp-imed, adap-klucb and ldp-ucb-b.
 *
 * The list is what the oracle picks for the indices. The recorded arm is the shown arm with the
 * fewest recorded rounds; among several, the arm with the lowest index. A cascade shows the
 * recorded arm first. So everyone looks at it, and the order of a list does not change its expected
 * reward. The list is kept ("held") until the batch of the recorded arm has all its displays, or
 * for one display if every round is released. Displays are public, so neither the list nor the
 * batch depends on anyone's feedback.
 *
 *      pick ──▶ list, recorded arm, until ──▶ displayed ... displayed ──▶ pick
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"

bool lotor_policy_records_one(const lotor_algorithm *algorithm)
{
    return algorithm->statistic && algorithm->statistic->records_one;
}

bool lotor_policy_asks_each(const lotor_algorithm *algorithm)
{
    return algorithm->own && algorithm->own->asks_every_round;
}

lotor_status lotor_policy_make_held(lotor_policy *policy)
{
    lotor_held_list *held = &policy->held;
    held->arms = calloc(policy->params.slots, sizeof *held->arms);
    held->seeds = calloc(policy->oracle->seeds + 1, sizeof *held->seeds);
    policy->passing.arms = calloc(policy->params.slots, sizeof *policy->passing.arms);
    return held->arms && held->seeds && policy->passing.arms ? LOTOR_OK : LOTOR_MEMORY;
}

void lotor_policy_free_held(lotor_policy *policy)
{
    free(policy->held.arms);
    free(policy->held.seeds);
    free(policy->passing.arms);
}

/* The place of the recorded arm in a new list; remaining ties are broken at random, by (seed,
 * t). */
static size_t place_of_recorded(const lotor_policy *policy, const uint32_t *arms, size_t count,
                                uint64_t t)
{
    uint64_t fewest = UINT64_MAX;
    double lowest = INFINITY;
    uint32_t *places = policy->places;
    size_t tied = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t often = policy->shown[arms[i]];
        const double index = lotor_policy_index_at(policy, arms[i]);
        if (often < fewest || (often == fewest && index < lowest)) {
            fewest = often;
            lowest = index;
            tied = 0;
        }
        places[tied] = (uint32_t)i; /* if this place is not tied, the next one overwrites it */
        tied += often == fewest && !(index > lowest);
    }
    return places[lotor_policy_draw_below(tied > 0 ? tied : 1, policy->seed, t)];
}

/* True if the learner says where batches end. */
static bool closes_batches(const lotor_policy *policy)
{
    return policy->imed && policy->algorithm->statistic->is_closed_outside;
}

/* How many displays of an arm are in its batch that is open. */
static uint64_t open_displays(const lotor_policy *policy, size_t arm)
{
    const uint64_t closed = lotor_statistic_covered(policy->statistic, arm) +
                            lotor_statistic_waiting(policy->statistic, arm);
    assert(closed <= policy->shown[arm]);
    return policy->shown[arm] - closed;
}

static lotor_imed_counts counts_of(const lotor_policy *policy, size_t arm)
{
    if (!closes_batches(policy)) {
        const uint64_t released = lotor_board_at(policy->board, 0, arm)->count;
        assert(released <= policy->shown[arm]);
        return (lotor_imed_counts){.waiting = policy->shown[arm] - released};
    }
    return (lotor_imed_counts){.waiting = lotor_statistic_waiting(policy->statistic, arm),
                               .open = open_displays(policy, arm)};
}

/* Moves the recorded arm of a cascade to the front; the others keep their order. */
static void put_first(lotor_held_list *held, size_t place)
{
    memmove(held->arms + 1, held->arms, place * sizeof *held->arms);
    held->arms[0] = held->recorded;
}

/* Finds a list, with its recorded arm, the size of that arm's batch, and how long it is held, where
 * the learner says all that. */
static size_t plan_list(lotor_policy *policy, const bool *eligible, lotor_held_list *held)
{
    for (size_t i = 0; i < policy->params.arms; i++) {
        policy->counts[i] = counts_of(policy, i);
    }
    const lotor_imed_plan plan =
        lotor_imed_choose(policy->imed, policy->board, policy->counts, policy->asked + 1,
                          policy->rounds_ended + 1, policy->seed, eligible);
    assert(plan.count <= policy->params.slots);
    held->count = plan.count;
    if (plan.count == 0) {
        return 0;
    }
    held->recorded = plan.recorded;
    held->size = plan.size;
    held->posts = lotor_board_posts(policy->board);
    held->until = policy->shown[plan.recorded] + plan.hold;
    memcpy(held->arms, plan.arms, plan.count * sizeof *plan.arms);
    for (size_t i = 0; policy->params.cascade && i < plan.count; i++) {
        if (held->arms[i] == held->recorded) {
            put_first(held, i);
        }
    }
    return held->count;
}

/* Closes the batch of an arm if it has all its displays. */
static void close_if_full(lotor_policy *policy, const lotor_held_list *held)
{
    const uint64_t open = closes_batches(policy) ? open_displays(policy, held->recorded) : 0;
    if (closes_batches(policy) && open >= held->size) {
        lotor_statistic_close(policy->statistic, held->recorded, open);
    }
}

/* Finds a new list among the eligible arms (NULL: all arms). Returns its length; 0 if there is
 * none. */
static size_t find_list(lotor_policy *policy, const bool *eligible, lotor_held_list *held)
{
    if (policy->imed) {
        return plan_list(policy, eligible, held);
    }
    const uint64_t t = policy->asked + 1;
    const uint32_t *arms;
    uint64_t unused;
    held->count = lotor_policy_pick_by_index(policy, eligible, NULL, NULL, &arms, &unused);
    if (held->count == 0) {
        return 0;
    }
    assert(held->count <= policy->params.slots);
    memcpy(held->arms, arms, held->count * sizeof *arms);
    const size_t place = place_of_recorded(policy, arms, held->count, t);
    assert(place < held->count);
    held->recorded = arms[place];
    if (policy->params.cascade) {
        put_first(held, place);
    }
    return held->count;
}

/* Picks a new list. The list is held only after it was displayed. */
static size_t pick_anew(lotor_policy *policy)
{
    lotor_held_list *held = &policy->held;
    if (find_list(policy, NULL, held) == 0) {
        return 0;
    }
    if (policy->oracle->seeds > 0) {
        memcpy(held->seeds, lotor_policy_seeds(policy),
               policy->oracle->seeds * sizeof *held->seeds);
    }
    if (policy->imed) {
        return held->count; /* it says itself how long the list is held */
    }
    const uint64_t shown = policy->shown[held->recorded];
    held->until = shown + (lotor_policy_asks_each(policy->algorithm)
                               ? 1
                               : lotor_statistic_displays(policy->algorithm->statistic, shown));
    assert(held->until > shown);
    return held->count;
}

size_t lotor_policy_pick_held(lotor_policy *policy, const uint32_t **arms, uint64_t *hold)
{
    lotor_held_list *held = &policy->held;
    *arms = held->arms;
    *hold = 1;
    if (closes_batches(policy) && held->posts != lotor_board_posts(policy->board)) {
        held->is_on = false; /* every release leads to a new choice */
    }
    if (!held->is_on && pick_anew(policy) == 0) {
        return 0;
    }
    assert(held->until > policy->shown[held->recorded]);
    *hold = held->until - policy->shown[held->recorded];
    return held->count;
}

void lotor_policy_count_display(lotor_policy *policy, uint64_t rounds)
{
    lotor_held_list *held = &policy->held;
    policy->shown[held->recorded] += rounds;
    held->is_on = policy->shown[held->recorded] < held->until;
    close_if_full(policy, held);
}

bool lotor_policy_releases_each(const lotor_policy *policy)
{
    const lotor_statistic_kind *kind = policy->algorithm->statistic;
    return !kind->schedule && !kind->is_closed_outside;
}

bool lotor_policy_is_batch_end(const lotor_policy *policy, size_t arm)
{
    return closes_batches(policy)
               ? open_displays(policy, arm) == 0
               : lotor_statistic_is_end(policy->algorithm->statistic, policy->shown[arm]);
}

/* True if a list is held, no release has made it void, and all its arms are eligible. */
static bool may_show_held(const lotor_policy *policy, const bool *eligible)
{
    const lotor_held_list *held = &policy->held;
    bool may = held->is_on && (!policy->imed || held->posts == lotor_board_posts(policy->board));
    for (size_t i = 0; may && i < held->count; i++) {
        may = eligible[held->arms[i]];
    }
    return may;
}

size_t lotor_policy_pick_passing(lotor_policy *policy, const bool *eligible, bool *passing)
{
    *passing = !may_show_held(policy, eligible);
    return *passing ? find_list(policy, eligible, &policy->passing) : policy->held.count;
}

/* Counts the display of a list that is not held. If the held list is recorded for the same arm, the
 * batch of that arm may now have all its displays; then the held list ends. */
void lotor_policy_count_passing(lotor_policy *policy)
{
    lotor_held_list *held = &policy->held;
    policy->shown[policy->passing.recorded]++;
    close_if_full(policy, &policy->passing);
    held->is_on = held->is_on && policy->shown[held->recorded] < held->until;
}

uint64_t lotor_policy_batch_size(const lotor_policy *policy, bool passing)
{
    const lotor_held_list *list = passing ? &policy->passing : &policy->held;
    return closes_batches(policy) ? list->size : 0;
}

bool lotor_policy_count_filled(lotor_policy *policy, uint32_t arm, uint64_t size)
{
    if (arm >= policy->params.arms || (size > 0) != closes_batches(policy) ||
        size >= UINT64_C(1) << 62) {
        return false;
    }
    lotor_held_list *held = &policy->held;
    const lotor_held_list shown = {.recorded = arm, .size = size};
    policy->shown[arm]++;
    close_if_full(policy, &shown);
    held->is_on = held->is_on && policy->shown[held->recorded] < held->until;
    return true;
}

/* Takes a display back. This ends a held list that is recorded for the same arm, because another
 * list may be better now. */
void lotor_policy_uncount_display(lotor_policy *policy, uint32_t arm)
{
    lotor_held_list *held = &policy->held;
    assert(policy->shown[arm] > 0);
    if (closes_batches(policy) && open_displays(policy, arm) == 0) {
        lotor_statistic_reopen(policy->statistic, arm); /* it lacks a display now */
    }
    policy->shown[arm]--;
    held->is_on = held->is_on && held->recorded != arm;
}

void lotor_policy_save_held(const lotor_policy *policy, lotor_writer *writer)
{
    const lotor_held_list *held = &policy->held;
    const bool is_on =
        held->is_on && (!closes_batches(policy) || held->posts == lotor_board_posts(policy->board));
    if (policy->imed) {
        const lotor_imed_memory memory = lotor_imed_memory_of(policy->imed);
        lotor_write_u64(writer, memory.forgotten);
        lotor_write_u64(writer, memory.checked);
        lotor_imed_save_fading(policy->imed, writer);
    }
    lotor_write_u64(writer, is_on);
    if (!is_on) {
        return;
    }
    if (policy->imed) {
        lotor_write_u64(writer, held->size);
        lotor_write_u64(writer, held->until);
    }
    lotor_write_u64(writer, held->count);
    lotor_write_u64(writer, held->recorded);
    for (size_t i = 0; i < held->count; i++) {
        lotor_write_u64(writer, held->arms[i]);
    }
    for (size_t i = 0; i < policy->oracle->seeds; i++) {
        lotor_write_u64(writer, held->seeds[i]);
    }
}

static uint32_t read_below(lotor_reader *reader, uint64_t bound)
{
    const uint64_t value = lotor_read_u64(reader);
    lotor_read_expect(reader, value < bound);
    return reader->status == LOTOR_OK ? (uint32_t)value : 0;
}

/* Does the list have different arms, and the recorded arm among them? In a cascade it must be the
 * first. */
static bool is_list(const lotor_policy *policy)
{
    const lotor_held_list *held = &policy->held;
    bool found = false;
    for (size_t i = 0; i < held->count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (held->arms[j] == held->arms[i]) {
                return false;
            }
        }
        found = found || held->arms[i] == held->recorded;
    }
    return found && (!policy->params.cascade || held->arms[0] == held->recorded);
}

static void load_list(lotor_policy *policy, lotor_reader *reader)
{
    lotor_held_list *held = &policy->held;
    const uint64_t count = lotor_read_u64(reader);
    lotor_read_expect(reader, count > 0 && count <= policy->params.slots);
    held->recorded = read_below(reader, policy->params.arms);
    held->count = reader->status == LOTOR_OK ? (size_t)count : 0;
    for (size_t i = 0; i < held->count; i++) {
        held->arms[i] = read_below(reader, policy->params.arms);
    }
    for (size_t i = 0; i < policy->oracle->seeds; i++) {
        held->seeds[i] = read_below(reader, policy->params.vertices);
    }
    lotor_read_expect(reader, is_list(policy));
}

void lotor_policy_load_held(lotor_policy *policy, size_t arms, lotor_reader *reader)
{
    const lotor_statistic_kind *kind = policy->algorithm->statistic;
    lotor_held_list *held = &policy->held;
    if (policy->imed) {
        const uint64_t forgotten = lotor_read_u64(reader), checked = lotor_read_u64(reader);
        lotor_read_expect(reader, forgotten <= checked && checked <= policy->asked);
        lotor_read_expect(reader, checked == 0 || policy->params.alarm);
        lotor_imed_remember(policy->imed,
                            (lotor_imed_memory){.forgotten = forgotten, .checked = checked});
        lotor_imed_load_fading(policy->imed, arms, policy->board, policy->rounds_ended, reader);
    }
    held->is_on = lotor_read_flag(reader);
    if (held->is_on && policy->imed) {
        held->size = lotor_read_u64(reader);
        held->until = lotor_read_u64(reader);
        held->posts = lotor_board_posts(policy->board);
    }
    if (held->is_on) {
        load_list(policy, reader);
    }
    uint64_t displays = 0;
    for (size_t i = 0; i < policy->params.arms && reader->status == LOTOR_OK; i++) {
        const uint64_t shown = policy->shown[i];
        lotor_read_expect(reader, !__builtin_add_overflow(displays, shown, &displays));
        const bool open = held->is_on && i == held->recorded;
        lotor_read_expect(reader, shown < UINT64_C(1) << 62);
        if (policy->imed) {
            continue; /* batches end where the learner says: see lotor_statistic_fits */
        }
        const bool ends = reader->status == LOTOR_OK && lotor_statistic_is_end(kind, shown);
        lotor_read_expect(reader, !(open && ends));
        /* Only the batch of the held list can be unfinished. A served policy can also leave lists,
         * or take displays back, in the middle of a batch; and some own algorithms hold no lists. */
        const bool leaves = policy->is_served || lotor_policy_asks_each(policy->algorithm);
        lotor_read_expect(reader, ends || open || leaves);
    }
    /* Each display was recorded for one arm, or measured value, or is a blank. */
    lotor_read_expect(reader, !__builtin_add_overflow(displays, policy->measuring, &displays));
    lotor_read_expect(reader, !__builtin_add_overflow(displays, policy->blanks, &displays));
    lotor_read_expect(reader, displays == policy->asked - policy->voided);
    if (reader->status == LOTOR_OK && held->is_on) {
        const uint64_t shown = policy->shown[held->recorded];
        held->until = policy->imed ? held->until : shown + lotor_statistic_displays(kind, shown);
        lotor_read_expect(reader, held->until > shown && held->size < UINT64_C(1) << 62);
    }
}

void lotor_policy_expect_held(const lotor_policy *policy, lotor_reader *reader)
{
    const lotor_held_list *held = &policy->held;
    if (reader->status != LOTOR_OK || !closes_batches(policy) || !held->is_on) {
        return;
    }
    const uint64_t open = open_displays(policy, held->recorded);
    const uint64_t hold = held->until - policy->shown[held->recorded];
    lotor_read_expect(reader, held->size > open && hold <= held->size - open);
}
