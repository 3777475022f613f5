/* favourite.c - see favourite.h: a hash table with linear probing, filled to three quarters. */
#include "lab/favourite.h"

#include <stdlib.h>
#include <string.h>

#include "base/random/generator.h"

enum { LEAST_SIZE = 16, MOST_SIZE = 1 << 16 };

static uint64_t mix(uint64_t word)
{
    return lotor_mix(word + UINT64_C(0x9e3779b97f4a7c15));
}

/* A sum, so the order of the arms does not matter. Seeds use different numbers than arms. */
static uint64_t key_of(const uint32_t *arms, size_t count, const uint32_t *seeds, size_t seed_count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += mix(arms[i]);
    }
    for (size_t i = 0; i < seed_count; i++) {
        sum += mix(((uint64_t)1 << 32) + seeds[i]);
    }
    return mix(sum);
}

lotor_status lotor_tally_start(lotor_tally *tally, size_t arms, size_t seeds, uint64_t rounds)
{
    *tally = (lotor_tally){.size = LEAST_SIZE};
    while (tally->size < MOST_SIZE && tally->size / 2 < rounds) {
        tally->size *= 2;
    }
    tally->keys = calloc(tally->size, sizeof *tally->keys);
    tally->counts = calloc(tally->size, sizeof *tally->counts);
    tally->leader.arms = calloc(arms + seeds, sizeof *tally->leader.arms);
    if (!tally->keys || !tally->counts || !tally->leader.arms) {
        return LOTOR_MEMORY;
    }
    tally->leader.seeds = seeds > 0 ? tally->leader.arms + arms : NULL;
    tally->leader.seed_count = seeds;
    tally->leader.of = rounds;
    return LOTOR_OK;
}

static void lead(lotor_favourite *leader, const uint32_t *arms, size_t count, const uint32_t *seeds)
{
    memcpy(leader->arms, arms, count * sizeof *arms);
    leader->count = count;
    if (leader->seeds) {
        memcpy(leader->seeds, seeds, leader->seed_count * sizeof *seeds);
    }
}

bool lotor_tally_add(lotor_tally *tally, const uint32_t *arms, size_t count, const uint32_t *seeds,
                     uint64_t rounds)
{
    const uint64_t key = key_of(arms, count, seeds, tally->leader.seed_count);
    size_t at = key & (tally->size - 1);
    while (tally->counts[at] > 0 && tally->keys[at] != key) {
        at = (at + 1) & (tally->size - 1);
    }
    if (tally->counts[at] == 0) {
        if (rounds == 0 || tally->used >= tally->size / 4 * 3) {
            return false;
        }
        tally->keys[at] = key;
        tally->used++;
    }
    tally->counts[at] += rounds;
    if (tally->counts[at] <= tally->leader.rounds) {
        return false;
    }
    lead(&tally->leader, arms, count, seeds);
    tally->leader.rounds = tally->counts[at];
    return true;
}

void lotor_tally_end(lotor_tally *tally, lotor_favourite *out)
{
    free(tally->keys);
    free(tally->counts);
    *out = tally->leader;
    *tally = (lotor_tally){0};
}
