/* experiments.c - see experiments.h. */
#include "support/experiments.h"

#include "support/cmocka_all.h"

lotor_experiment experiment_of(const lotor_world *world, const char *algorithm, uint64_t horizon,
                               uint64_t runs)
{
    lotor_experiment trial = {
        .world = world,
        .runs = runs,
        .seed = 3,
        .checkpoints = 12,
        .policy = {.algorithm = algorithm,
                   .arms = world->arms,
                   .horizon = horizon,
                   .epsilon = lotor_ratio_of(2, 1)},
    };
    if (world->vectors) {
        trial.policy.structure = LOTOR_STRUCTURE_LINEAR;
        trial.policy.vectors = world->vectors;
        trial.policy.dimension = world->dimension;
    }
    return trial;
}

lotor_experiment linear_experiment(const lotor_linear_world *world, const char *algorithm,
                                   uint64_t horizon, uint64_t runs)
{
    return (lotor_experiment){
        .linear = world,
        .runs = runs,
        .seed = 3,
        .checkpoints = 12,
        .policy = {.algorithm = algorithm,
                   .arms = world->actions,
                   .dimension = world->dimension,
                   .horizon = horizon,
                   .epsilon = lotor_ratio_of(2, 1)},
    };
}

lotor_world *world_of(const char *name, size_t arms)
{
    lotor_world *world;
    assert_int_equal(lotor_world_instance(name, arms, NULL, &world), LOTOR_OK);
    return world;
}

lotor_experiment_result simulate(const lotor_experiment *trial)
{
    lotor_experiment_result result;
    lotor_message why = {""};
    if (lotor_experiment_run(trial, &why, &result) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return result;
}

void expect_same_checkpoints(const lotor_experiment_result *a, const lotor_experiment_result *b)
{
    assert_int_equal(a->checkpoint_count, b->checkpoint_count);
    assert_memory_equal(a->checkpoints, b->checkpoints,
                        a->checkpoint_count * sizeof *a->checkpoints);
}
