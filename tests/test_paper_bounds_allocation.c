/* test_paper_bounds_allocation.c - whichever allocation fails, the bounds of the papers return
 * LOTOR_MEMORY and leak nothing. */
#include "support/test.h"

#include "papers/paper_bounds.h"
#include "support/experiments.h"
#include "support/failing_memory.h"

static lotor_world *world;
static const lotor_linear_world linear = {
    .dimension = 2, .actions = 4, .has_gap = true, .gap = 0.5};

static int make_world(void **state)
{
    (void)state;
    world = world_of("c1", 4);
    return 0;
}

static int free_world(void **state)
{
    (void)state;
    lotor_world_free(world);
    return 0;
}

static lotor_status bounds_of(const lotor_experiment *trial)
{
    lotor_paper_bounds bounds;
    const lotor_status status = lotor_paper_bounds_of(trial, NULL, &bounds);
    lotor_paper_bounds_clear(&bounds);
    return status;
}

static lotor_status one_arm(void)
{
    const lotor_experiment trial = experiment_of(world, "dp-se", 100, 1);
    return bounds_of(&trial);
}

static lotor_status local_sets(void)
{
    const lotor_experiment trial = experiment_of(world, "rr-klucb", 100, 1);
    return bounds_of(&trial);
}

static lotor_status lists(void)
{
    const lotor_experiment trial = experiment_of(world, "cascade-ldp-laplace", 100, 1);
    return bounds_of(&trial);
}

static lotor_status contexts(void)
{
    const lotor_experiment trial = linear_experiment(&linear, "jdp-linucb-gauss", 100, 1);
    return bounds_of(&trial);
}

static lotor_status stopping(void)
{
    const lotor_stopping_params params = {"dp-exp-nas", 0.5, 0.05, lotor_ratio_of(1, 2), 1.0};
    lotor_paper_bounds bounds;
    const lotor_status status = lotor_paper_bounds_of_stopping(&params, 0.1, NULL, &bounds);
    lotor_paper_bounds_clear(&bounds);
    return status;
}

TEST_GROUP(make_world, free_world);

TEST(each_allocation_may_fail)
{
    failing_memory_expect_each(one_arm, 4);
    failing_memory_expect_each(local_sets, 4);
    failing_memory_expect_each(lists, 4);
    failing_memory_expect_each(contexts, 2);
    failing_memory_expect_each(stopping, 2);
}
