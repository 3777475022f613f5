/* hold.c - policies that record each round for one arm of the shown list: batch-klucb, adap-ucb and
 * rr-klucb.
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
    return algorithm->index && algorithm->statistic->records_one;
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
        const double index = lotor_index_at(policy->index, arms[i]);
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

/* Finds a new list among the eligible arms (NULL: all arms). Returns its length; 0 if there is
 * none. */
static size_t find_list(lotor_policy *policy, const bool *eligible, lotor_held_list *held)
{
    const uint64_t t = policy->asked + 1;
    const uint32_t *arms;
    uint64_t unused;
    held->count = eligible ? lotor_index_choose_among(policy->index, policy->board, policy->shown,
                                                      t, policy->seed, eligible, &arms)
                           : lotor_index_choose(policy->index, policy->board, policy->shown, t,
                                                policy->seed, NULL, NULL, &arms, &unused);
    if (held->count == 0) {
        return 0;
    }
    assert(held->count <= policy->params.slots);
    memcpy(held->arms, arms, held->count * sizeof *arms);
    const size_t place = place_of_recorded(policy, arms, held->count, t);
    assert(place < held->count);
    held->recorded = arms[place];
    if (policy->params.cascade) { /* move it to the front; the others keep their order */
        memmove(held->arms + 1, held->arms, place * sizeof *held->arms);
        held->arms[0] = held->recorded;
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
        memcpy(held->seeds, lotor_index_seeds(policy->index),
               policy->oracle->seeds * sizeof *held->seeds);
    }
    const uint64_t shown = policy->shown[held->recorded];
    held->until = shown + lotor_statistic_displays(policy->algorithm->statistic, shown);
    assert(held->until > shown);
    return held->count;
}

size_t lotor_policy_pick_held(lotor_policy *policy, const uint32_t **arms, uint64_t *hold)
{
    lotor_held_list *held = &policy->held;
    *arms = held->arms;
    *hold = 1;
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
}

/* True if a list is held and all its arms are eligible. */
static bool may_show_held(const lotor_policy *policy, const bool *eligible)
{
    const lotor_held_list *held = &policy->held;
    bool may = held->is_on;
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
    held->is_on = held->is_on && policy->shown[held->recorded] < held->until;
}

/* Takes a display back. This ends a held list that is recorded for the same arm, because another
 * list may be better now. */
void lotor_policy_uncount_display(lotor_policy *policy, uint32_t arm)
{
    lotor_held_list *held = &policy->held;
    assert(policy->shown[arm] > 0);
    policy->shown[arm]--;
    held->is_on = held->is_on && held->recorded != arm;
}

void lotor_policy_save_held(const lotor_policy *policy, lotor_writer *writer)
{
    const lotor_held_list *held = &policy->held;
    lotor_write_u64(writer, held->is_on);
    if (!held->is_on) {
        return;
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

void lotor_policy_load_held(lotor_policy *policy, lotor_reader *reader)
{
    const lotor_statistic_kind *kind = policy->algorithm->statistic;
    lotor_held_list *held = &policy->held;
    held->is_on = lotor_read_flag(reader);
    if (held->is_on) {
        load_list(policy, reader);
    }
    uint64_t displays = 0;
    for (size_t i = 0; i < policy->params.arms && reader->status == LOTOR_OK; i++) {
        const uint64_t shown = policy->shown[i];
        lotor_read_expect(reader, !__builtin_add_overflow(displays, shown, &displays));
        const bool open = held->is_on && i == held->recorded;
        lotor_read_expect(reader, shown < UINT64_C(1) << 62);
        const bool ends = reader->status == LOTOR_OK && lotor_statistic_is_end(kind, shown);
        lotor_read_expect(reader, !(open && ends));
        /* Only the batch of the held list can be unfinished. A served policy can also leave lists,
         * or take displays back, in the middle of a batch. */
        lotor_read_expect(reader, ends || open || policy->is_served);
    }
    /* Each display was recorded for one arm. */
    lotor_read_expect(reader, displays == policy->asked - policy->voided);
    if (reader->status == LOTOR_OK && held->is_on) {
        const uint64_t shown = policy->shown[held->recorded];
        held->until = shown + lotor_statistic_displays(kind, shown);
    }
}
