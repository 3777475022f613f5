/* test_oracle_coverage.c - compares the coverage oracle with all sets of seeds, and with values by
 * hand. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "base/random/generator.h"
#include "support/oracle_rig.h"

enum { SYSTEMS = 400, WEIGHTS = 10 };

static double probability(double weight)
{
    return isnan(weight) ? 0 : fmin(fmax(weight, 0), 1);
}

/* Right vertices are numbered with gaps, up to the last number. */
static uint32_t right_name(size_t vertex)
{
    return vertex == 0 ? UINT32_MAX : (uint32_t)(vertex * 1000);
}

static double covered(const oracle_rig *here, size_t seeds)
{
    double sum = 0;
    for (size_t vertex = 0; vertex < ORACLE_VERTICES; vertex++) {
        double missed = 1;
        for (size_t i = 0; i < here->arms; i++) {
            if (oracle_has(seeds, here->from[i]) && here->to[i] == right_name(vertex)) {
                missed *= 1 - probability(here->weight[i]);
            }
        }
        sum += 1 - missed;
    }
    return sum;
}

TEST(test_coverage)
{
    lotor_generator generator;
    (void)state;
    lotor_generator_seed(&generator, 21);
    for (size_t i = 0; i < SYSTEMS; i++) {
        oracle_rig here = {.arms = 1 + oracle_below(&generator, ORACLE_ARMS),
                           .vertices = 1 + oracle_below(&generator, ORACLE_VERTICES)};
        here.seeds = 1 + oracle_below(&generator, here.vertices);
        for (size_t arm = 0; arm < here.arms; arm++) {
            here.from[arm] = (uint32_t)oracle_below(&generator, here.vertices);
            here.to[arm] = right_name(oracle_below(&generator, ORACLE_VERTICES));
        }
        oracle_take(&here,
                    lotor_oracle_coverage(here.arms, here.from, here.to, here.vertices, here.seeds,
                                          NULL, &here.oracle),
                    "coverage");
        for (size_t round = 0; round < WEIGHTS; round++) {
            oracle_weights(&generator, &here);
            oracle_compare(&here, covered, oracle_edges);
            const size_t seeds = oracle_seeds(&here);
            assert_true(lotor_oracle_value(here.oracle, here.weight, here.picked, here.count,
                                           here.work) == covered(&here, seeds));
        }
        oracle_drop(&here);
    }
}

/* 0 reaches a and b with 0.5 and 0.25, 1 reaches a with 0.5, 2 reaches c with 0.25: alone 0.75, 0.5
 * and 0.25. After 0, vertex 1 adds (1 - 0.5) 0.5 = 0.25, as much as 2 does; 0 and 1 together reach
 * 1 - 0.25 of a and 0.25 of b. Vertex 3 has no edges. */
TEST(test_golden)
{
    static const uint32_t from[] = {0, 0, 1, 2};
    static const uint32_t to[] = {0, 1, 0, 2};
    static const double weight[] = {0.5, 0.25, 0.5, 0.25};
    static const uint32_t one_first[] = {0, 2, 1, 3}, two_first[] = {3, 0, 2, 1};
    static const uint32_t all[] = {3, 2, 1, 0};
    uint32_t picked[4];
    lotor_oracle *oracle;
    (void)state;
    assert_int_equal(lotor_oracle_coverage(4, from, to, 4, 2, NULL, &oracle), LOTOR_OK);
    assert_int_equal(oracle->slots, 3);
    void *const work = malloc(oracle->work_bytes);
    assert_non_null(work);
    assert_int_equal(oracle->pick(oracle, weight, one_first, work, picked), 3);
    assert_int_equal(lotor_oracle_seeds(oracle, work)[0], 0);
    assert_int_equal(lotor_oracle_seeds(oracle, work)[1], 1);
    assert_true(lotor_oracle_value(oracle, weight, picked, 3, work) == 1.0);
    assert_int_equal(oracle->pick(oracle, weight, two_first, work, picked), 3);
    assert_int_equal(lotor_oracle_seeds(oracle, work)[1], 2);
    assert_true(lotor_oracle_value(oracle, weight, all, 4, work) == 1.25);
    assert_true(lotor_oracle_value(oracle, weight, all, 0, work) == 0);
    free(work);
    lotor_oracle_free(oracle);
    assert_int_equal(lotor_oracle_coverage(4, from, to, 5, 4, NULL, &oracle), LOTOR_OK);
    assert_int_equal(oracle->slots, 4);
    lotor_oracle_free(oracle);
}
