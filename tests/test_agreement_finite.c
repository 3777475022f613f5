/* test_agreement_finite.c - compares finite arms and matroids with tests/plain: see
 * support/agreement.h. */
#include "support/test.h"

#include <math.h>

#include "policy/catalog.h"
#include "support/agreement.h"

/* Plays the library on the same setting. */
static estimate play(const lotor_world *world, const char *algorithm, size_t slots,
                     uint64_t horizon, lotor_ratio epsilon, uint64_t runs)
{
    lotor_experiment trial = {
        .world = world,
        .runs = runs,
        .seed = 5,
        .checkpoints = 2,
        .policy = {.algorithm = algorithm,
                   .arms = world->arms,
                   .slots = slots,
                   .horizon = horizon,
                   .epsilon = epsilon},
    };
    if (world->vectors && slots == 0) {
        trial.policy.structure = LOTOR_STRUCTURE_LINEAR;
        trial.policy.vectors = world->vectors;
        trial.policy.dimension = world->dimension;
    }
    return library_estimate(&trial);
}

/* True for algorithms without shortcuts: they compute or sample indices in every round. */
static bool is_slow(const lotor_algorithm *row)
{
    return row->problem == LOTOR_PROBLEM_FINITE && row->index &&
           (row->index->own || row->index->sampling != LOTOR_SAMPLING_NONE) &&
           !row->statistic->records_one;
}

static void compare_finite(const char *instance, uint64_t horizon, lotor_ratio epsilon)
{
    lotor_world *world;
    assert_int_equal(lotor_world_instance(instance, 4, NULL, &world), LOTOR_OK);
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        if (lotor_algorithms[c].problem != LOTOR_PROBLEM_FINITE) {
            continue;
        }
        const plain_setting setting = {.algorithm = lotor_algorithms[c].id,
                                       .arms = world->arms,
                                       .means = world->means,
                                       .horizon = horizon,
                                       .epsilon = lotor_ratio_to_double(epsilon)};
        expect_agreement(setting.algorithm, plain_estimate(&setting, 60),
                         play(world, setting.algorithm, 0, horizon, epsilon,
                              is_slow(&lotor_algorithms[c]) ? 60 : 300));
    }
    lotor_world_free(world);
}

TEST(finite_arms_agree)
{
    compare_finite("c2", 30000, lotor_ratio_of(1, 1));
    compare_finite("c1", 30000, lotor_ratio_of(20, 1));
    compare_finite("c4", 3001,
                   lotor_ratio_of(1, 0)); /* a horizon that cuts cycles short, and no noise */
}

/* The elimination algorithms with two arms. The three gaps are what the gate of dp-se2 needs at
 * 2^12 pulls, the first cut of dp-se, and the gate of dp-se2-modified at 2^11 (formulas of Sajed
 * 2019 at T = 200,000, epsilon = 1, beta = 1/T; sampling moves a gap by about 0.01). At these gaps
 * chance decides whether an arm is dropped. So the regret varies from run to run, in the library
 * and in the plain version. Without that the comparison would not say much. */
TEST(eliminations_agree_where_arms_fall)
{
    enum { HORIZON = 200000 };
    static const double gaps[] = {0.61, 0.14, 0.275};
    double plain_errors[64] = {0}, library_errors[64] = {0};
    assert_true(lotor_algorithms_size <= 64);
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        const double means[] = {0.8, 0.8 - gaps[g]};
        lotor_world *world;
        assert_int_equal(lotor_world_bernoulli(2, means, NULL, &world), LOTOR_OK);
        for (size_t c = 0; c < lotor_algorithms_size; c++) {
            if (!lotor_algorithms[c].elimination) {
                continue;
            }
            const plain_setting setting = {.algorithm = lotor_algorithms[c].id,
                                           .arms = 2,
                                           .means = means,
                                           .horizon = HORIZON,
                                           .epsilon = 1.0};
            const estimate plain = plain_estimate(&setting, 60);
            const estimate library =
                play(world, setting.algorithm, 0, HORIZON, lotor_ratio_of(1, 1), 300);
            expect_agreement(setting.algorithm, plain, library);
            plain_errors[c] = fmax(plain_errors[c], plain.error);
            library_errors[c] = fmax(library_errors[c], library.error);
        }
        lotor_world_free(world);
    }
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        if (lotor_algorithms[c].elimination &&
            !(plain_errors[c] > 1.0 && library_errors[c] > 1.0)) {
            fail_msg("%s drops arms at the same time in every run", lotor_algorithms[c].id);
        }
    }
}

static void compare_matroid(size_t slots, uint64_t horizon, lotor_ratio epsilon)
{
    lotor_world *world;
    assert_int_equal(lotor_world_instance("table-6.1", 0, NULL, &world), LOTOR_OK);
    int vectors[64];
    for (size_t i = 0; i < world->arms * world->dimension; i++) {
        vectors[i] = (int)world->vectors[i];
    }
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        if (lotor_algorithms[c].problem != LOTOR_PROBLEM_MATROID) {
            continue;
        }
        const plain_setting setting = {.algorithm = lotor_algorithms[c].id,
                                       .arms = world->arms,
                                       .means = world->means,
                                       .horizon = horizon,
                                       .epsilon = lotor_ratio_to_double(epsilon),
                                       .vectors = slots ? NULL : vectors,
                                       .dimension = world->dimension,
                                       .slots = slots};
        expect_agreement(setting.algorithm, plain_estimate(&setting, 150),
                         play(world, setting.algorithm, slots, horizon, epsilon, 600));
    }
    lotor_world_free(world);
}

TEST(matroids_agree)
{
    compare_matroid(0, 3000, lotor_ratio_of(2, 1));
    compare_matroid(2, 1000, lotor_ratio_of(10, 1));
    compare_matroid(1, 500, lotor_ratio_of(1, 0));
}

/* Every private algorithm: more epsilon, less regret; at infinity close to the version without
 * noise. */
TEST(more_epsilon_is_less_regret)
{
    lotor_world *finite, *matroid;
    assert_int_equal(lotor_world_instance("c2", 4, NULL, &finite), LOTOR_OK);
    assert_int_equal(lotor_world_instance("table-6.1", 0, NULL, &matroid), LOTOR_OK);
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        const lotor_algorithm *row = &lotor_algorithms[c];
        const bool is_finite = row->problem == LOTOR_PROBLEM_FINITE;
        if (row->model == LOTOR_MODEL_NONE ||
            (!is_finite && row->problem != LOTOR_PROBLEM_MATROID)) {
            continue;
        }
        const lotor_world *world = is_finite ? finite : matroid;
        const uint64_t horizon = is_finite ? 1000000 : 5000;
        const bool is_tree =
            row->index == &lotor_rule_dp_ucb || row->index == &lotor_rule_dp_ucb_tight;
        /* few runs of dp-klucb and dp-imed lose very much, so that their mean needs many runs */
        const bool is_fast = row->statistic && row->statistic->keeps_batches;
        const uint64_t runs = is_tree || is_slow(row) ? 4 : is_fast ? 1000 : 100;
        const estimate little = play(world, row->id, 0, horizon, lotor_ratio_of(1, 10), runs);
        const estimate much = play(world, row->id, 0, horizon, lotor_ratio_of(100, 1), runs);
        const estimate all = play(world, row->id, 0, horizon, lotor_ratio_of(1, 0), runs);
        assert_true(little.mean > much.mean + 4.0 * hypot(little.error, much.error));
        assert_true(much.mean >= all.mean - 4.0 * hypot(much.error, all.error));
    }
    expect_agreement("dp-ucb at infinity is ucb",
                     play(finite, "ucb", 0, 20000, lotor_ratio_of(1, 0), 200),
                     play(finite, "dp-ucb", 0, 20000, lotor_ratio_of(1, 0), 200));
    lotor_world_free(finite);
    lotor_world_free(matroid);
}
