/* oracle_rig.c - see oracle_rig.h. */
#include "support/oracle_rig.h"

#include "support/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t oracle_below(lotor_generator *generator, size_t bound)
{
    return (size_t)(lotor_generator_word(generator) % bound);
}

size_t oracle_set(const uint32_t *members, size_t count)
{
    size_t set = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(members[i] < 8 * sizeof set);
        assert_false(set >> members[i] & 1); /* the members must be different */
        set |= (size_t)1 << members[i];
    }
    return set;
}

size_t oracle_seeds(const oracle_rig *here)
{
    return oracle_set(lotor_oracle_seeds(here->oracle, here->work), here->oracle->seeds);
}

void oracle_weights(lotor_generator *generator, oracle_rig *here)
{
    static const double choices[] = {-1, 0, 0.25, 0.5, 0.75, 1, 3, INFINITY, -INFINITY, NAN};
    uint64_t tie[ORACLE_ARMS];
    for (size_t i = 0; i < here->arms; i++) {
        here->weight[i] = choices[oracle_below(generator, sizeof choices / sizeof *choices)];
        tie[i] = lotor_generator_word(generator);
    }
    lotor_oracle_order(here->arms, here->weight, tie, here->order);
}

void oracle_pick(oracle_rig *here)
{
    const lotor_oracle *const oracle = here->oracle;
    uint32_t again[ORACLE_ARMS];
    memset(here->work, 0xa5, oracle->work_bytes);
    here->picked[oracle->slots] = 77;
    here->count = oracle->pick(oracle, here->weight, here->order, here->work, here->picked);
    assert_in_range(here->count, 1, oracle->slots);
    assert_int_equal(here->picked[oracle->slots], 77);
    const size_t seeds = oracle_seeds(here);
    assert_true(seeds < (size_t)1 << here->vertices);
    assert_int_equal(oracle->pick(oracle, here->weight, here->order, here->work, again),
                     here->count);
    assert_memory_equal(again, here->picked, here->count * sizeof *again);
    (void)lotor_oracle_value(oracle, here->weight, again, here->count, here->work);
    assert_int_equal(oracle_seeds(here), seeds);
}

void oracle_take(oracle_rig *here, lotor_status status, const char *id)
{
    assert_int_equal(status, LOTOR_OK);
    const lotor_oracle *const oracle = here->oracle;
    assert_string_equal(oracle->id, id);
    assert_int_equal(oracle->arms, here->arms);
    assert_int_equal(oracle->seeds, here->seeds);
    assert_true(!oracle->by_order && oracle->beta == 1);
    assert_true(fabs(oracle->alpha - 0.63212055882855768) < 1e-15); /* 1 - 1/e */
    here->work = malloc(oracle->work_bytes);
    assert_non_null(here->work);
}

void oracle_drop(oracle_rig *here)
{
    free(here->work);
    lotor_oracle_free(here->oracle);
}

/* Greedy without shortcuts. Of equal gains, it takes the vertex whose edge comes first in the
 * order. */
static size_t plain_greedy(const oracle_rig *here, oracle_value *value)
{
    size_t seeds = 0;
    for (size_t round = 0; round < here->seeds; round++) {
        size_t best = ORACLE_VERTICES;
        for (size_t i = 0; i < here->arms + here->vertices; i++) {
            const size_t vertex = i < here->arms ? here->from[here->order[i]] : i - here->arms;
            if (oracle_has(seeds, vertex)) {
                continue;
            }
            if (best == ORACLE_VERTICES ||
                value(here, seeds | (size_t)1 << vertex) > value(here, seeds | (size_t)1 << best)) {
                best = vertex;
            }
        }
        seeds |= (size_t)1 << best;
    }
    return seeds;
}

void oracle_compare(oracle_rig *here, oracle_value *value, oracle_follow *follow)
{
    double best = 0;
    size_t most = 0;
    oracle_pick(here);
    const size_t seeds = oracle_seeds(here);
    assert_int_equal(seeds, plain_greedy(here, value));
    assert_int_equal(oracle_set(here->picked, here->count), follow(here, seeds));
    for (size_t set = 0; set < (size_t)1 << here->vertices; set++) {
        if ((size_t)__builtin_popcountll(set) == here->seeds) {
            const size_t edges = (size_t)__builtin_popcountll(follow(here, set));
            best = fmax(best, value(here, set));
            most = edges > most ? edges : most;
        }
    }
    assert_true(value(here, seeds) >= here->oracle->alpha * best);
    if (here->seeds == 1) {
        assert_true(value(here, seeds) == best);
    }
    if (here->seeds == 1 || here->oracle->id[0] == 'c') {
        assert_int_equal(here->oracle->slots, most);
    }
    assert_in_range(here->oracle->slots, most, here->arms);
}

size_t oracle_edges(const oracle_rig *here, size_t seeds)
{
    size_t set = 0;
    for (size_t i = 0; i < here->arms; i++) {
        set |= (size_t)oracle_has(seeds, here->from[i]) << i;
    }
    return set;
}
