/* test_agreement_any.c - compares the algorithms for any problem (such as batch-klucb and lik-imed)
 * with tests/plain, on each problem: see support/agreement.h. A new row is compared without a
 * change here. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "policy/catalog.h"
#include "support/agreement.h"

/* Compares all these algorithms. The library is faster, so it has more runs. */
static void compare(lotor_world *world, size_t slots, bool matroid, bool cascade, uint64_t horizon,
                    lotor_ratio epsilon, uint64_t runs)
{
    int vectors[64];
    for (size_t i = 0; matroid && i < world->arms * world->dimension; i++) {
        vectors[i] = (int)world->vectors[i];
    }
    for (size_t i = 0; i < lotor_algorithms_size; i++) {
        if (lotor_algorithms[i].problem != LOTOR_PROBLEM_ANY) {
            continue;
        }
        const char *id = lotor_algorithms[i].id;
        const plain_setting plain = {.algorithm = id,
                                     .arms = world->arms,
                                     .means = world->means,
                                     .horizon = horizon,
                                     .epsilon = lotor_ratio_to_double(epsilon),
                                     .slots = slots,
                                     .vectors = matroid ? vectors : NULL,
                                     .dimension = matroid ? world->dimension : 0,
                                     .cascade = cascade};
        lotor_experiment trial = {.world = world,
                                  .runs = 4 * runs,
                                  .seed = 5,
                                  .checkpoints = 2,
                                  .policy = {.algorithm = id,
                                             .arms = world->arms,
                                             .slots = slots,
                                             .horizon = horizon,
                                             .epsilon = epsilon,
                                             .cascade = cascade,
                                             .lag = 1.0}}; /* the twin has no lag */
        if (matroid) {
            trial.policy.structure = LOTOR_STRUCTURE_LINEAR;
            trial.policy.vectors = world->vectors;
            trial.policy.dimension = world->dimension;
        }
        char what[96];
        snprintf(what, sizeof what, "%s, %zu of %zu arms, epsilon %g%s", id, slots, world->arms,
                 plain.epsilon, cascade ? ", clicks" : "");
        const estimate found = library_estimate(&trial);
        const estimate expected = plain_estimate(&plain, runs);
        expect_agreement(what, expected, found);
        assert_true(found.error > 0.0 && expected.error > 0.0);
        if (getenv("LOTOR_SHOW")) {
            print_message("%s, horizon %g: plain %.1f +- %.1f, library %.1f +- %.1f\n", what,
                          (double)horizon, expected.mean, expected.error, found.mean, found.error);
        }
    }
    lotor_world_free(world);
}

static lotor_world *instance(const char *name, size_t arms)
{
    lotor_world *world;
    assert_int_equal(lotor_world_instance(name, arms, NULL, &world), LOTOR_OK);
    return world;
}

/* The first `good` arms have mean `much`, the others `little`. */
static lotor_world *two_kinds(size_t arms, size_t good, double much, double little)
{
    double means[32];
    lotor_world *world;
    for (size_t i = 0; i < arms; i++) {
        means[i] = i < good ? much : little;
    }
    assert_int_equal(lotor_world_bernoulli(arms, means, NULL, &world), LOTOR_OK);
    return world;
}

TEST(finite_arms_agree)
{
    compare(instance("c1", 5), 1, false, false, 4000, lotor_ratio_of(1, 1), 30);
    compare(instance("c2", 4), 1, false, false, 4000, lotor_ratio_of(1, 4), 30);
    compare(instance("c3", 5), 1, false, false, 3000, lotor_ratio_of(10, 1), 30);
    compare(instance("c4", 3), 1, false, false, 3000, lotor_ratio_of(1, 0), 30);
    compare(instance("c2", 5), 1, false, false, 3000, lotor_ratio_of(100000, 1), 30);
}

TEST(matroids_agree)
{
    compare(instance("table-6.1", 0), 0, true, false, 2000, lotor_ratio_of(2, 1), 40);
    compare(instance("table-6.1", 0), 0, true, false, 1000, lotor_ratio_of(1, 0), 40);
}

TEST(semi_bandits_agree)
{
    compare(two_kinds(10, 3, 0.7, 0.3), 3, false, false, 2000, lotor_ratio_of(1, 1), 30);
    compare(two_kinds(6, 2, 0.9, 0.6), 2, false, false, 2000, lotor_ratio_of(1, 0), 30);
    compare(two_kinds(6, 4, 0.5, 0.2), 5, false, false, 2000, lotor_ratio_of(1, 2), 30);
}

TEST(cascades_agree)
{
    compare(two_kinds(10, 3, 0.4, 0.1), 3, false, true, 2000, lotor_ratio_of(1, 1), 30);
    compare(two_kinds(8, 2, 0.2, 0.05), 2, false, true, 3000, lotor_ratio_of(1, 0), 30);
    compare(two_kinds(6, 3, 0.6, 0.3), 4, false, true, 2000, lotor_ratio_of(5, 1), 30);
}
