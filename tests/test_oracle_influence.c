/* test_oracle_influence.c - compares the influence oracle with all sets of seeds and all graphs. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/laws.h"
#include "support/oracle_rig.h"

enum { SYSTEMS = 400, WEIGHTS = 10 };

/* The vertices that the seeds reach along the edges in `live`. */
static size_t reach(const oracle_rig *here, size_t seeds, size_t live)
{
    for (size_t before = 0; before != seeds;) {
        before = seeds;
        for (size_t i = 0; i < here->arms; i++) {
            if (oracle_has(live, i) && oracle_has(seeds, here->from[i])) {
                seeds |= (size_t)1 << here->to[i];
            }
        }
    }
    return seeds;
}

static size_t edges_reached(const oracle_rig *here, size_t seeds)
{
    return oracle_edges(here, reach(here, seeds, SIZE_MAX));
}

/* The oracle's value of any seeds: it reads them from the start of the work memory. */
static double spread(const oracle_rig *here, size_t seeds)
{
    uint32_t *const first = here->work;
    uint32_t saved[ORACLE_VERTICES];
    memcpy(saved, first, here->oracle->seeds * sizeof *saved);
    size_t count = 0;
    for (uint32_t i = 0; i < here->vertices; i++) {
        if (oracle_has(seeds, i)) {
            first[count++] = i;
        }
    }
    for (; count < here->oracle->seeds; count++) {
        first[count] = first[0]; /* once more: adds nothing */
    }
    const double value = lotor_oracle_value(here->oracle, here->weight, NULL, 0, here->work);
    memcpy(first, saved, here->oracle->seeds * sizeof *saved);
    return value;
}

static oracle_rig random_graph(lotor_generator *generator, size_t arms, size_t samples)
{
    oracle_rig here = {.arms = 1 + oracle_below(generator, arms),
                       .vertices = 1 + oracle_below(generator, ORACLE_VERTICES)};
    here.seeds = 1 + oracle_below(generator, here.vertices);
    for (size_t arm = 0; arm < here.arms; arm++) {
        here.from[arm] = (uint32_t)oracle_below(generator, here.vertices);
        here.to[arm] = (uint32_t)oracle_below(generator, here.vertices); /* maybe the same */
    }
    oracle_take(&here,
                lotor_oracle_influence(here.arms, here.from, here.to, here.vertices, here.seeds,
                                       samples, NULL, &here.oracle),
                "influence");
    return here;
}

/* The values are multiples of 1 / samples: a power of two, so that they are exact. */
TEST(test_all_seeds)
{
    static const size_t samples[] = {1, 8, 32, 64, 128, 512};
    lotor_generator generator;
    (void)state;
    lotor_generator_seed(&generator, 22);
    for (size_t i = 0; i < SYSTEMS; i++) {
        oracle_rig here = random_graph(&generator, ORACLE_ARMS, samples[i % 6]);
        for (size_t round = 0; round < WEIGHTS; round++) {
            oracle_weights(&generator, &here);
            oracle_compare(&here, spread, edges_reached);
        }
        oracle_drop(&here);
    }
}

/* With weights of 0 and 1 there is only one graph, for any number of samples, also one that is not
 * a multiple of the word size. */
TEST(test_certain)
{
    static const size_t samples[] = {1, 63, 64, 65, 100, 130};
    lotor_generator generator;
    (void)state;
    lotor_generator_seed(&generator, 23);
    for (size_t i = 0; i < SYSTEMS; i++) {
        oracle_rig here = random_graph(&generator, ORACLE_ARMS, samples[i % 6]);
        const size_t live = oracle_below(&generator, (size_t)1 << here.arms);
        for (size_t arm = 0; arm < here.arms; arm++) {
            here.weight[arm] = oracle_has(live, arm) ? 1 : 0;
        }
        lotor_oracle_order(here.arms, here.weight, NULL, here.order);
        oracle_pick(&here);
        const size_t seeds = oracle_seeds(&here);
        const int reached = __builtin_popcountll(reach(&here, seeds, live));
        assert_true(lotor_oracle_value(here.oracle, here.weight, here.picked, here.count,
                                       here.work) == reached);
        oracle_drop(&here);
    }
}

/* The spread over all possible graphs, weighted with their probabilities. */
static double exact_spread(const oracle_rig *here, size_t seeds)
{
    double sum = 0;
    for (size_t live = 0; live < (size_t)1 << here->arms; live++) {
        double chance = 1;
        for (size_t i = 0; i < here->arms; i++) {
            chance *= oracle_has(live, i) ? here->weight[i] : 1 - here->weight[i];
        }
        sum += chance * __builtin_popcountll(reach(here, seeds, live));
    }
    return sum;
}

/* A sample's spread lies between seeds and vertices; by Hoeffding the average of S misses its mean
 * by more than t with probability at most 2 exp(-2 S t^2 / (vertices - seeds)^2). For 100 graphs, 5
 * times each, and 1e-6 in all: 2e-9 each, so t = (vertices - seeds) sqrt(log(1e9) / (2 S)). Weights
 * are rounded to 2^-32, which moves the mean by less than 1e-7. More weight never spreads less: the
 * random numbers stay. */
TEST(test_exact)
{
    enum { SAMPLES = 1 << 14 };
    const double width = sqrt(log(1e9) / (2 * SAMPLES));
    lotor_generator generator;
    (void)state;
    lotor_generator_seed(&generator, 24);
    for (size_t i = 0; i < 100; i++) {
        oracle_rig here = random_graph(&generator, 8, SAMPLES);
        const double range = (double)(here.vertices - here.seeds);
        const size_t seeds = ((size_t)1 << here.seeds) - 1; /* the first ones */
        for (size_t round = 0; round < 5; round++) {
            for (size_t arm = 0; arm < here.arms; arm++) {
                here.weight[arm] = lotor_random_uniform(&generator);
            }
            const double value = spread(&here, seeds);
            assert_true(fabs(value - exact_spread(&here, seeds)) <= range * width + 1e-7);
            const size_t arm = oracle_below(&generator, here.arms);
            here.weight[arm] += (1 - here.weight[arm]) * lotor_random_uniform(&generator);
            assert_true(spread(&here, seeds) >= value);
        }
        oracle_drop(&here);
    }
}

/* The chain 0→1→2 at weight 1/2: 1 + 1/2 + 1/4 from 0. A sample gives 1, 2 or 3 with 1/2, 1/4
 * and 1/4: variance 15/4 - 49/16 = 11/16. Within 5 standard errors of 2^16 samples. */
TEST(test_golden)
{
    static const uint32_t from[] = {0, 1}, to[] = {1, 2}, order[] = {1, 0};
    static const double weight[] = {0.5, 0.5}, infinite[] = {INFINITY, INFINITY};
    uint32_t picked[2];
    lotor_oracle *oracle;
    (void)state;
    assert_int_equal(lotor_oracle_influence(2, from, to, 3, 1, 1 << 16, NULL, &oracle), LOTOR_OK);
    assert_int_equal(oracle->slots, 2);
    void *const work = malloc(oracle->work_bytes);
    assert_non_null(work);
    assert_int_equal(oracle->pick(oracle, weight, order, work, picked), 2);
    assert_int_equal(lotor_oracle_seeds(oracle, work)[0], 0);
    const double value = lotor_oracle_value(oracle, weight, picked, 2, work);
    assert_true(fabs(value - 1.75) < 5 * sqrt(11.0 / 16 / (1 << 16)));
    assert_true(lotor_oracle_value(oracle, infinite, picked, 2, work) == 3);
    lotor_oracle_free(oracle);
    /* Another oracle draws the same graphs. */
    assert_int_equal(lotor_oracle_influence(2, from, to, 3, 1, 1 << 16, NULL, &oracle), LOTOR_OK);
    assert_true(lotor_oracle_value(oracle, weight, picked, 2, work) == value);
    free(work);
    lotor_oracle_free(oracle);
}

/* Two edges that no vertex reaches both: at most 1 for one seed. On a large graph the oracle does
 * not search, and uses the number of edges as the bound. */
TEST(test_slots)
{
    static const uint32_t from[] = {0, 2}, to[] = {1, 3};
    lotor_oracle *oracle;
    (void)state;
    assert_int_equal(lotor_oracle_influence(2, from, to, 4, 1, 64, NULL, &oracle), LOTOR_OK);
    assert_int_equal(oracle->slots, 1);
    lotor_oracle_free(oracle);
    assert_int_equal(lotor_oracle_influence(2, from, to, 4, 2, 64, NULL, &oracle), LOTOR_OK);
    assert_int_equal(oracle->slots, 2);
    lotor_oracle_free(oracle);
    assert_int_equal(lotor_oracle_influence(2, from, to, 10000, 1, 64, NULL, &oracle), LOTOR_OK);
    assert_int_equal(oracle->slots, 2);
    lotor_oracle_free(oracle);
}
