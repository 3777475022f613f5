/* test_bounds.c - lower bounds against values worked out elsewhere: every number below comes from
 * the formulas in bounds.c, summed by hand in 30-digit decimal arithmetic.
 */
#include "support/cmocka_all.h"

#include <math.h>
#include <string.h>

#include "lab/bounds.h"

#define KL_70_75     0.0064014569973203718321
#define C1_BOUND     31.242887374502292377 /* 4 x 0.05 / kl(0.7, 0.75) */
#define C2_BOUND     7.1282779502370487956 /* arms at 0.625, 0.5, 0.375, 0.25 below 0.75 */
#define TOP_TWO      2.0657735557618466397 /* 0.5 and 0.2 below 0.8 */
#define TABLE_BOUND  3.8744565285797216125 /* 0.2 and 0.3 below 0.6, 0.4 below 0.8 */
#define GROUPS_BOUND 2.5024148838829744778 /* 0.5 below 0.9, 0.1 below 0.3 */

/* Sums of a few logarithms in doubles: far more than their rounding. */
static void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-10 * fabs(expected))) {
        print_error("%.15g, not %.15g\n", value, expected);
        fail();
    }
}

static lotor_policy_params params_of(const char *algorithm, const lotor_world *world)
{
    return (lotor_policy_params){
        .algorithm = algorithm,
        .arms = world->arms,
        .horizon = 1000,
        .epsilon = lotor_ratio_of(1, 1),
    };
}

static double bound_of(const lotor_policy_params *params, const lotor_world *world)
{
    lotor_message why;
    lotor_lower_bound bound;
    assert_int_equal(lotor_lower_bound_of(params, world, &why, &bound), LOTOR_OK);
    assert_int_equal(isnan(bound.per_log_t), bound.theorem == NULL);
    return bound.per_log_t;
}

static lotor_world *coins(size_t arms, const double *means)
{
    lotor_message why;
    lotor_world *world;
    assert_int_equal(lotor_world_bernoulli(arms, means, &why, &world), LOTOR_OK);
    return world;
}

static lotor_world *instance(const char *name)
{
    lotor_message why;
    lotor_world *world;
    assert_int_equal(lotor_world_instance(name, 0, &why, &world), LOTOR_OK);
    return world;
}

static void kl_is_what_it_is(void **state)
{
    (void)state;
    assert_close(lotor_kl_bernoulli(0.7, 0.75), KL_70_75);
    assert_true(lotor_kl_bernoulli(0.3, 0.3) == 0.0);
    assert_close(lotor_kl_bernoulli(0.0, 0.5), log(2.0));  /* -log(1 - q) */
    assert_close(lotor_kl_bernoulli(1.0, 0.25), log(4.0)); /* -log q */
    assert_true(isinf(lotor_kl_bernoulli(0.5, 0.0)));
    assert_true(isinf(lotor_kl_bernoulli(0.5, 1.0)));
    assert_true(lotor_kl_bernoulli(0.0, 0.0) == 0.0 && lotor_kl_bernoulli(1.0, 1.0) == 0.0);
}

static void one_arm_a_round(void **state)
{
    (void)state;
    lotor_world *c1 = instance("c1");
    lotor_world *c2 = instance("c2");
    lotor_policy_params params = params_of("ucb", c1);
    assert_close(bound_of(&params, c1), C1_BOUND);
    assert_close(bound_of(&params, c2), C2_BOUND);

    /* At epsilon 1 privacy asks for less than 1/200 per arm: the same bound. */
    params.algorithm = "dp-se";
    assert_close(bound_of(&params, c1), C1_BOUND);
    /* At epsilon 1/10000 it asks for 50 per arm, more than Lai and Robbins' 7.8. */
    params.epsilon = lotor_ratio_of(1, 10000);
    assert_close(bound_of(&params, c1), 200.0);
    params.algorithm = "ucb"; /* which has no epsilon */
    assert_close(bound_of(&params, c1), C1_BOUND);
    lotor_world_free(c1);
    lotor_world_free(c2);
}

/* The larger of the two, arm by arm: 1/(200/1000) = 5 is below 7.81 for the arm at 0.7, and above
 * 0.91 for the one at 0.25. */
static void larger_bound_counts(void **state)
{
    (void)state;
    lotor_world *world = coins(3, (double[]){0.7, 0.25, 0.75});
    lotor_policy_params params = params_of("dp-se", world);
    params.epsilon = lotor_ratio_of(1, 1000);
    assert_close(bound_of(&params, world), C1_BOUND / 4.0 + 5.0);
    lotor_world_free(world);
}

static void nothing_to_learn(void **state)
{
    (void)state;
    lotor_world *equal = coins(3, (double[]){0.5, 0.5, 0.5});
    lotor_policy_params params = params_of("dp-se", equal);
    assert_true(bound_of(&params, equal) == 0.0);
    lotor_world_free(equal);

    /* Nothing beats a mean of 1, so no arm below it can be one in disguise. */
    lotor_world *sure = coins(3, (double[]){1.0, 0.5, 0.0});
    assert_true(bound_of(&params, sure) == 0.0);
    lotor_world_free(sure);
}

static void best_two_of_four(void **state)
{
    (void)state;
    lotor_world *world = coins(4, (double[]){0.5, 0.9, 0.2, 0.8});
    lotor_policy_params params = params_of("omm", world);
    params.slots = 2;
    assert_close(bound_of(&params, world), TOP_TWO);
    /* No private term is known here, however small epsilon is. */
    params.algorithm = "dpucb-mat";
    params.epsilon = lotor_ratio_of(1, 1000000);
    assert_close(bound_of(&params, world), TOP_TWO);
    lotor_world_free(world);
}

/* Basis (1,0,0) 0.8, (0,1,0) 0.75, (0,0,1) 0.6. (1,0,1) at 0.2 and (0,1,1) at 0.3 need the third, so
 * they compete with 0.6; (2,0,0) at 0.4 can only replace the first; (0,0,0) is in no set. */
static void table_6_1(void **state)
{
    (void)state;
    lotor_world *world = instance("table-6.1");
    lotor_policy_params params = params_of("dpucb-mat", world);
    params.structure = LOTOR_STRUCTURE_LINEAR;
    params.vectors = world->vectors;
    params.dimension = world->dimension;
    assert_close(bound_of(&params, world), TABLE_BOUND);
    lotor_world_free(world);
}

/* The same matroid told in three ways: two groups, one of each. */
static void one_of_each_group(void **state)
{
    (void)state;
    lotor_world *world = coins(4, (double[]){0.1, 0.5, 0.9, 0.3});
    lotor_policy_params params = params_of("omm", world);
    const uint32_t group[] = {1, 0, 0, 1}, capacity[] = {1, 1};
    params.structure = LOTOR_STRUCTURE_PARTITION;
    params.group = group;
    params.capacity = capacity;
    params.groups = 2;
    assert_close(bound_of(&params, world), GROUPS_BOUND);

    const uint32_t from[] = {1, 0, 0, 1}, to[] = {2, 1, 1, 2}; /* parallel edges */
    params.structure = LOTOR_STRUCTURE_GRAPHIC;
    params.from = from;
    params.to = to;
    params.vertices = 3;
    assert_close(bound_of(&params, world), GROUPS_BOUND);

    const int64_t vectors[] = {0, 1, 1, 0, 3, 0, 0, -2};
    params.structure = LOTOR_STRUCTURE_LINEAR;
    params.vectors = vectors;
    params.dimension = 2;
    assert_close(bound_of(&params, world), GROUPS_BOUND);
    lotor_world_free(world);
}

static void other_rewards_have_none(void **state)
{
    (void)state;
    lotor_message why;
    lotor_world *world;
    assert_int_equal(lotor_world_uniform(2, (double[]){0.5, 0.4}, &why, &world), LOTOR_OK);
    lotor_policy_params params = params_of("ucb", world);
    assert_true(isnan(bound_of(&params, world)));
    lotor_world_free(world);
}

static void bad_parameters_are_refused(void **state)
{
    (void)state;
    lotor_message why;
    lotor_lower_bound bound;
    lotor_world *world = instance("c1");
    lotor_policy_params params = params_of("dp-se", world);
    params.slots = 9;
    assert_int_equal(lotor_lower_bound_of(&params, world, &why, &bound), LOTOR_INVALID);
    assert_true(strlen(why.text) > 0 && isnan(bound.per_log_t));
    lotor_world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kl_is_what_it_is),           cmocka_unit_test(one_arm_a_round),
        cmocka_unit_test(larger_bound_counts),        cmocka_unit_test(nothing_to_learn),
        cmocka_unit_test(best_two_of_four),           cmocka_unit_test(table_6_1),
        cmocka_unit_test(one_of_each_group),          cmocka_unit_test(other_rewards_have_none),
        cmocka_unit_test(bad_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
