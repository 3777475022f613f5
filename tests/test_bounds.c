/* test_bounds.c - compares lower bounds with values computed elsewhere: every number below comes
 * from the formulas in bounds.c, evaluated by hand in 30-digit decimal arithmetic.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "lab/bounds.h"

#define KL_70_75     0.0064014569973203718321
#define C1_BOUND     31.242887374502292377 /* 4 x 0.05 / kl(0.7, 0.75) */
#define C2_BOUND     7.1282779502370487956 /* arms at 0.625, 0.5, 0.375, 0.25 below 0.75 */
#define TOP_TWO      2.0657735557618466397 /* 0.5 and 0.2 below 0.8 */
#define TABLE_BOUND  3.8744565285797216125 /* 0.2 and 0.3 below 0.6, 0.4 below 0.8 */
#define GROUPS_BOUND 2.5024148838829744778 /* 0.5 below 0.9, 0.1 below 0.3 */

/* gap / min(kl, min(4, e^(2 epsilon)) (e^epsilon - 1)^2 gap^2): epsilon-LDP */
#define C1_LOCAL_HALF      69.932528161526246501 /* 4 x 0.7 below 0.75 at 0.5: kl is more */
#define CAPPED_LOCAL       2.4326294183120373343 /* 0.05 below 0.15 at 0.7: e^1.4 is above 4 */
#define TOP_TWO_LOCAL      370.10059035814739545 /* as TOP_TWO, at 0.1 */
#define GROUPS_LOCAL       555.15088553722109318 /* as GROUPS_BOUND, at 0.1 */
#define TWO_OF_FIVE_CLICKS 3.8321098993208727971 /* 3 x 0.8 x 0.15 / kl(0.05, 0.2) */
#define THREE_OF_SEVEN     3.3699628642571953100 /* 4 x 0.7^2 x 0.2 / kl(0.1, 0.3) */

/* The tolerance is far above the rounding of a sum of a few logarithms in doubles. */
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

TEST(kl_is_what_it_is)
{
    assert_close(lotor_kl_bernoulli(0.7, 0.75), KL_70_75);
    assert_true(lotor_kl_bernoulli(0.3, 0.3) == 0.0);
    assert_close(lotor_kl_bernoulli(0.0, 0.5), log(2.0));  /* -log(1 - q) */
    assert_close(lotor_kl_bernoulli(1.0, 0.25), log(4.0)); /* -log q */
    assert_true(isinf(lotor_kl_bernoulli(0.5, 0.0)));
    assert_true(isinf(lotor_kl_bernoulli(0.5, 1.0)));
    assert_true(lotor_kl_bernoulli(0.0, 0.0) == 0.0 && lotor_kl_bernoulli(1.0, 1.0) == 0.0);
}

TEST(one_arm_a_round)
{
    lotor_world *c1 = instance("c1");
    lotor_world *c2 = instance("c2");
    lotor_policy_params params = params_of("ucb", c1);
    assert_close(bound_of(&params, c1), C1_BOUND);
    assert_close(bound_of(&params, c2), C2_BOUND);

    /* At epsilon 1 privacy needs less than 1/200 per arm, so the bound is the same. */
    params.algorithm = "dp-se";
    assert_close(bound_of(&params, c1), C1_BOUND);
    /* At epsilon 1/10000 it needs 50 per arm, more than Lai and Robbins' 7.8. */
    params.epsilon = lotor_ratio_of(1, 10000);
    assert_close(bound_of(&params, c1), 200.0);
    params.algorithm = "ucb"; /* which has no epsilon */
    assert_close(bound_of(&params, c1), C1_BOUND);
    lotor_world_free(c1);
    lotor_world_free(c2);
}

/* The larger of the two, arm by arm: 1/(200/1000) = 5 is below 7.81 for the arm at 0.7, and above
 * 0.91 for the one at 0.25. */
TEST(larger_bound_counts)
{
    lotor_world *world = coins(3, (double[]){0.7, 0.25, 0.75});
    lotor_policy_params params = params_of("dp-se", world);
    params.epsilon = lotor_ratio_of(1, 1000);
    assert_close(bound_of(&params, world), C1_BOUND / 4.0 + 5.0);
    lotor_world_free(world);
}

TEST(nothing_to_learn)
{
    lotor_world *equal = coins(3, (double[]){0.5, 0.5, 0.5});
    lotor_policy_params params = params_of("dp-se", equal);
    assert_true(bound_of(&params, equal) == 0.0);
    lotor_world_free(equal);

    /* Nothing beats a mean of 1, so nothing has to be learned about the other arms. */
    lotor_world *sure = coins(3, (double[]){1.0, 0.5, 0.0});
    assert_true(bound_of(&params, sure) == 0.0);
    lotor_world_free(sure);
}

TEST(best_two_of_four)
{
    lotor_world *world = coins(4, (double[]){0.5, 0.9, 0.2, 0.8});
    lotor_policy_params params = params_of("omm", world);
    params.slots = 2;
    assert_close(bound_of(&params, world), TOP_TWO);
    /* No private bound is known here, however small epsilon is. */
    params.algorithm = "dpucb-mat";
    params.epsilon = lotor_ratio_of(1, 1000000);
    assert_close(bound_of(&params, world), TOP_TWO);
    lotor_world_free(world);
}

/* Basis (1,0,0) 0.8, (0,1,0) 0.75, (0,0,1) 0.6. (1,0,1) at 0.2 and (0,1,1) at 0.3 need the third,
 * so they compete with 0.6; (2,0,0) at 0.4 can only replace the first; (0,0,0) is in no set. */
TEST(table_6_1)
{
    lotor_world *world = instance("table-6.1");
    lotor_policy_params params = params_of("dpucb-mat", world);
    params.structure = LOTOR_STRUCTURE_LINEAR;
    params.vectors = world->vectors;
    params.dimension = world->dimension;
    assert_close(bound_of(&params, world), TABLE_BOUND);
    lotor_world_free(world);
}

/* The same matroid described in three ways: two groups, one arm of each. */
TEST(one_of_each_group)
{
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

/* A locally private round reveals at most as much about an arm as Duchi, Jordan and Wainwright
 * prove. */
TEST(local_privacy_costs_more)
{
    lotor_world *c1 = instance("c1");
    lotor_policy_params params = params_of("cucb-ldp2", c1);
    params.epsilon = lotor_ratio_of(1, 2);
    assert_close(bound_of(&params, c1), C1_LOCAL_HALF);
    params.algorithm = "cucb-ldp1";
    assert_close(bound_of(&params, c1), C1_LOCAL_HALF);
    params.algorithm = "cucb-dp"; /* the algorithm sees raw rewards: only the central bound holds */
    assert_close(bound_of(&params, c1), C1_BOUND);
    /* at epsilon 1 the local bound is weaker than that of raw rewards */
    params.algorithm = "cucb-ldp2";
    params.epsilon = lotor_ratio_of(1, 1);
    assert_close(bound_of(&params, c1), C1_BOUND);
    lotor_world_free(c1);

    lotor_world *rare = coins(2, (double[]){0.05, 0.15});
    params = params_of("cucb-ldp2", rare);
    params.epsilon = lotor_ratio_of(7, 10);
    assert_close(bound_of(&params, rare), CAPPED_LOCAL);
    lotor_world_free(rare);
}

TEST(local_privacy_of_sets)
{
    lotor_world *world = coins(4, (double[]){0.5, 0.9, 0.2, 0.8});
    lotor_policy_params params = params_of("cucb-ldp1", world);
    params.slots = 2;
    params.epsilon = lotor_ratio_of(1, 10);
    assert_close(bound_of(&params, world), TOP_TWO_LOCAL);
    params.algorithm = "cucb-dp"; /* for sets no central bound is known */
    params.epsilon = lotor_ratio_of(1, 1000000);
    assert_close(bound_of(&params, world), TOP_TWO);
    lotor_world_free(world);

    lotor_world *edges = coins(4, (double[]){0.1, 0.5, 0.9, 0.3});
    params = params_of("cucb-ldp2", edges);
    const uint32_t from[] = {1, 0, 0, 1}, to[] = {2, 1, 1, 2}; /* parallel edges */
    params.structure = LOTOR_STRUCTURE_GRAPHIC;
    params.from = from;
    params.to = to;
    params.vertices = 3;
    params.epsilon = lotor_ratio_of(1, 10);
    assert_close(bound_of(&params, edges), GROUPS_LOCAL);
    params.algorithm = "cucb";
    assert_close(bound_of(&params, edges), GROUPS_BOUND);
    lotor_world_free(edges);
}

/* For a guarantee that does not hold, epsilon does not raise the bound. */
TEST(leaks_are_not_held_to_epsilon)
{
    lotor_world *world = coins(4, (double[]){0.5, 0.9, 0.2, 0.8});
    lotor_policy_params params = params_of("cucb-ldp-gauss", world);
    params.slots = 2;
    params.epsilon = lotor_ratio_of(1, 1000);
    assert_close(bound_of(&params, world), TOP_TWO);
    lotor_world_free(world);

    lotor_world *list = coins(5, (double[]){0.05, 0.2, 0.05, 0.05, 0.2});
    static const char *const ids[] = {"cascade-ucb", "cascade-dp", "cascade-ldp-laplace",
                                      "cascade-ldp-gauss", "cascade-ldp-composed"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        params = params_of(ids[i], list);
        params.slots = 2;
        params.epsilon = lotor_ratio_of(1, 100);
        assert_close(bound_of(&params, list), TWO_OF_FIVE_CLICKS);
    }
    lotor_world_free(list);
}

/* A bound is proved only if there are two means, and exactly K items have the better one. */
TEST(lists_with_two_means)
{
    lotor_world *list = coins(7, (double[]){0.1, 0.3, 0.1, 0.3, 0.1, 0.3, 0.1});
    lotor_policy_params params = params_of("cascade-ucb", list);
    params.slots = 3;
    assert_close(bound_of(&params, list), THREE_OF_SEVEN);
    params.slots = 2; /* the third good one is not on it */
    assert_true(isnan(bound_of(&params, list)));
    params.slots = 4;
    assert_true(isnan(bound_of(&params, list)));
    params.slots = 7; /* nothing to choose, and two means among the shown */
    assert_true(isnan(bound_of(&params, list)));
    lotor_world_free(list);

    lotor_world *three = coins(4, (double[]){0.3, 0.3, 0.2, 0.1});
    params = params_of("cascade-ucb", three);
    params.slots = 2;
    assert_true(isnan(bound_of(&params, three)));
    lotor_world_free(three);

    lotor_world *equal = coins(3, (double[]){0.3, 0.3, 0.3});
    params = params_of("cascade-ucb", equal);
    params.slots = 2;
    assert_true(bound_of(&params, equal) == 0.0);
    lotor_world_free(equal);
}

/* No bound is claimed for oracles that use more than the order of the arms. */
TEST(other_oracles_have_none)
{
    lotor_world *grid = instance("grid:3x3");
    lotor_policy_params params = params_of("cucb", grid);
    params.from = grid->from;
    params.to = grid->to;
    params.vertices = grid->vertices;
    params.sink = 8;
    params.structure = LOTOR_STRUCTURE_PATH;
    assert_true(isnan(bound_of(&params, grid)));
    params.algorithm = "cucb-ldp2";
    assert_true(isnan(bound_of(&params, grid)));
    params.structure = LOTOR_STRUCTURE_INFLUENCE;
    assert_true(isnan(bound_of(&params, grid)));
    params.structure = LOTOR_STRUCTURE_COVERAGE;
    assert_true(isnan(bound_of(&params, grid)));
    params.structure = LOTOR_STRUCTURE_GRAPHIC; /* the same edges as a matroid */
    assert_true(bound_of(&params, grid) > 0.0);
    lotor_world_free(grid);
}

TEST(other_rewards_have_none)
{
    lotor_message why;
    lotor_world *world;
    assert_int_equal(lotor_world_uniform(2, (double[]){0.5, 0.4}, &why, &world), LOTOR_OK);
    lotor_policy_params params = params_of("ucb", world);
    assert_true(isnan(bound_of(&params, world)));
    lotor_world_free(world);
}

TEST(bad_parameters_are_refused)
{
    lotor_message why;
    lotor_lower_bound bound;
    lotor_world *world = instance("c1");
    lotor_policy_params params = params_of("dp-se", world);
    params.slots = 9;
    assert_int_equal(lotor_lower_bound_of(&params, world, &why, &bound), LOTOR_INVALID);
    assert_true(strlen(why.text) > 0 && isnan(bound.per_log_t));
    lotor_world_free(world);
}
