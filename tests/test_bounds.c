/* test_bounds.c - compares lower bounds with values computed elsewhere: every number below comes
 * from the formulas in bounds.c, evaluated by hand in 30-digit decimal arithmetic.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "lab/bounds.h"

#define C1_BOUND     31.242887374502292377 /* 4 x 0.05 / kl(0.7, 0.75) */
#define C2_BOUND     7.1282779502370487956 /* arms at 0.625, 0.5, 0.375, 0.25 below 0.75 */
#define TOP_TWO      2.0657735557618466397 /* 0.5 and 0.2 below 0.8 */
#define TABLE_BOUND  3.8744565285797216125 /* 0.2 and 0.3 below 0.6, 0.4 below 0.8 */
#define GROUPS_BOUND 2.5024148838829744778 /* 0.5 below 0.9, 0.1 below 0.3 */

/* gap / d_epsilon: central epsilon-DP */
#define C1_CENTRAL_TENTH     49.41953637337259114319
#define C1_CENTRAL_TINY      40007.50153155982827927 /* at 1/10000 */
#define C2_CENTRAL_HUNDREDTH 401.5731873107321781355
#define C2_CENTRAL_TENTH     41.67672584648769523662
#define C2_CENTRAL_ONE       7.70849619906727139363
#define CLICKS_CENTRAL_TENTH 98.79994106818656885873
#define CLICKS_CENTRAL_ONE   26.292489912837754258
#define TOP_TWO_CENTRAL      2.655284203974230703949 /* at 1 */
#define TOP_TWO_CENTRAL_TINY 2000000.400000168888947 /* at 1e-6 */
#define TABLE_CENTRAL_HALF   7.12461913849619890276
#define GROUPS_CENTRAL_HALF  4.782547725680950185812
#define TWO_OF_FIVE_CENTRAL  25.32363938911734043016 /* as TWO_OF_FIVE_CLICKS, at 0.1 */

/* gap / kl of the randomized bits: epsilon-LDP */
#define C1_BITS_HALF     658.0972176016904376944
#define C1_BITS_ONE      178.5702354126336317895
#define C2_BITS_ONE      37.84852960550939889262
#define RARE_BITS        41.23641112272956495197 /* 0.05 below 0.15 at 0.7 */
#define TOP_TWO_BITS     1001.267014251407190051 /* as TOP_TWO, at 0.1 */
#define GROUPS_BITS      1501.367114672055767772 /* as GROUPS_BOUND, at 0.1 */
#define TWO_OF_FIVE_BITS 3201.374458288500741039 /* as TWO_OF_FIVE_CLICKS, at 0.1 */

/* gap / min(kl, min(4, e^(2 epsilon)) (e^epsilon - 1)^2 gap^2): epsilon-LDP, the classical bound */
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

static lotor_lower_bound both_of(const lotor_policy_params *params, const lotor_world *world)
{
    lotor_message why;
    lotor_lower_bound bound;
    assert_int_equal(lotor_lower_bound_of(params, world, &why, &bound), LOTOR_OK);
    assert_int_equal(isnan(bound.per_log_t), bound.theorem == NULL);
    assert_int_equal(isnan(bound.classical), bound.classical_theorem == NULL);
    assert_int_equal(isnan(bound.classical), isnan(bound.per_log_t));
    assert_false(bound.classical > bound.per_log_t * (1.0 + 1e-12));
    return bound;
}

static double bound_of(const lotor_policy_params *params, const lotor_world *world)
{
    return both_of(params, world).per_log_t;
}

static double classical_of(const lotor_policy_params *params, const lotor_world *world)
{
    return both_of(params, world).classical;
}

/* Checks the bound, and the one that was known before. */
static void assert_both(const lotor_policy_params *params, const lotor_world *world, double bound,
                        double classical)
{
    assert_close(bound_of(params, world), bound);
    assert_close(classical_of(params, world), classical);
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

TEST(one_arm_a_round)
{
    lotor_world *c1 = instance("c1");
    lotor_world *c2 = instance("c2");
    lotor_policy_params params = params_of("ucb", c1);
    assert_both(&params, c1, C1_BOUND, C1_BOUND);
    assert_both(&params, c2, C2_BOUND, C2_BOUND);

    /* 0.7 is above z* = 0.525 at epsilon 1, so there privacy costs nothing. */
    params.algorithm = "dp-se";
    assert_both(&params, c1, C1_BOUND, C1_BOUND);
    assert_both(&params, c2, C2_CENTRAL_ONE, C2_BOUND);
    params.epsilon = lotor_ratio_of(1, 10);
    assert_both(&params, c1, C1_CENTRAL_TENTH, C1_BOUND);
    assert_both(&params, c2, C2_CENTRAL_TENTH, C2_BOUND);
    /* At epsilon 1/10000 Shariff and Sheffet need 50 per arm, more than Lai and Robbins' 7.8. */
    params.epsilon = lotor_ratio_of(1, 10000);
    assert_both(&params, c1, C1_CENTRAL_TINY, 200.0);
    params.epsilon = lotor_ratio_of(1, 0);
    assert_both(&params, c1, C1_BOUND, C1_BOUND);
    params.algorithm = "ucb"; /* which has no epsilon */
    params.epsilon = lotor_ratio_of(1, 10000);
    assert_both(&params, c1, C1_BOUND, C1_BOUND);
    lotor_world_free(c1);
    lotor_world_free(c2);
}

/* The ratios that were measured elsewhere: mean regret of lik-imed at T = 1e6 over the bound. And
 * at epsilon 0.01 and T = 5e7 the bound of c2 is 7,119, where 126 was known. */
TEST(published_settings)
{
    const double clicks[] = {0.05, 0.04, 0.03, 0.02, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01};
    lotor_world *worlds[] = {instance("c1"), instance("c2"), coins(10, clicks)};
    static const struct {
        size_t world;
        double bound;
        uint64_t den;
        double regret, ratio;
    } cases[] = {
        {0, C1_CENTRAL_TENTH, 10, 779.0, 1.14},      {0, C1_BOUND, 1, 329.0, 0.76},
        {1, C2_CENTRAL_TENTH, 10, 733.0, 1.27},      {1, C2_CENTRAL_ONE, 1, 137.0, 1.29},
        {2, CLICKS_CENTRAL_TENTH, 10, 1385.0, 1.01}, {2, CLICKS_CENTRAL_ONE, 1, 321.0, 0.88},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lotor_world *world = worlds[cases[i].world];
        lotor_policy_params params = params_of("batch-klucb", world);
        params.epsilon = lotor_ratio_of(1, cases[i].den);
        const double bound = bound_of(&params, world);
        assert_close(bound, cases[i].bound);
        assert_true(fabs(cases[i].regret / (bound * log(1e6)) - cases[i].ratio) < 0.006);
    }
    lotor_policy_params params = params_of("batch-klucb", worlds[1]);
    params.epsilon = lotor_ratio_of(1, 100);
    assert_both(&params, worlds[1], C2_CENTRAL_HUNDREDTH, C2_BOUND);
    assert_true(round(bound_of(&params, worlds[1]) * log(5e7)) == 7119.0);
    assert_true(round(classical_of(&params, worlds[1]) * log(5e7)) == 126.0);
    for (size_t i = 0; i < 3; i++) {
        lotor_world_free(worlds[i]);
    }
}

/* The larger of the two, arm by arm: 1/(200/1000) = 5 is below 7.81 for the arm at 0.7, and above
 * 0.91 for the one at 0.25. */
TEST(larger_classical_bound_counts)
{
    lotor_world *world = coins(3, (double[]){0.7, 0.25, 0.75});
    lotor_policy_params params = params_of("dp-se", world);
    params.epsilon = lotor_ratio_of(1, 1000);
    assert_both(&params, world, 2002.06640230744300444, C1_BOUND / 4.0 + 5.0);
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
    assert_both(&params, world, TOP_TWO, TOP_TWO);
    params.algorithm = "dpucb-mat";
    assert_both(&params, world, TOP_TWO_CENTRAL, TOP_TWO);
    params.epsilon = lotor_ratio_of(1, 1000000);
    assert_both(&params, world, TOP_TWO_CENTRAL_TINY, TOP_TWO);
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
    params.epsilon = lotor_ratio_of(1, 2);
    assert_both(&params, world, TABLE_CENTRAL_HALF, TABLE_BOUND);
    params.algorithm = "omm";
    assert_both(&params, world, TABLE_BOUND, TABLE_BOUND);
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
    params.algorithm = "dpts-mat";
    params.epsilon = lotor_ratio_of(1, 2);
    assert_both(&params, world, GROUPS_CENTRAL_HALF, GROUPS_BOUND);
    params.algorithm = "omm";

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

/* Every locally private report tells at most what a randomized bit tells. */
TEST(local_privacy_costs_more)
{
    lotor_world *c1 = instance("c1");
    lotor_world *c2 = instance("c2");
    lotor_policy_params params = params_of("cucb-ldp2", c1);
    params.epsilon = lotor_ratio_of(1, 2);
    assert_both(&params, c1, C1_BITS_HALF, C1_LOCAL_HALF);
    static const char *const ids[] = {"cucb-ldp1", "rr-klucb", "cucb-ldp-box"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        params.algorithm = ids[i];
        assert_both(&params, c1, C1_BITS_HALF, C1_LOCAL_HALF);
    }
    params.algorithm = "cucb-dp"; /* the algorithm sees raw rewards: only the central bound holds */
    assert_both(&params, c1, C1_BOUND, C1_BOUND);
    /* at epsilon 1 the classical bound is that of raw rewards */
    params.algorithm = "cucb-ldp2";
    params.epsilon = lotor_ratio_of(1, 1);
    assert_both(&params, c1, C1_BITS_ONE, C1_BOUND);
    assert_both(&params, c2, C2_BITS_ONE, C2_BOUND);
    params.epsilon = lotor_ratio_of(1, 0);
    assert_both(&params, c1, C1_BOUND, C1_BOUND);
    lotor_world_free(c1);
    lotor_world_free(c2);

    lotor_world *rare = coins(2, (double[]){0.05, 0.15});
    params = params_of("cucb-ldp2", rare);
    params.epsilon = lotor_ratio_of(7, 10);
    assert_both(&params, rare, RARE_BITS, CAPPED_LOCAL);
    lotor_world_free(rare);
}

TEST(local_privacy_of_sets)
{
    lotor_world *world = coins(4, (double[]){0.5, 0.9, 0.2, 0.8});
    lotor_policy_params params = params_of("cucb-ldp1", world);
    params.slots = 2;
    params.epsilon = lotor_ratio_of(1, 10);
    assert_both(&params, world, TOP_TWO_BITS, TOP_TWO_LOCAL);
    params.algorithm = "cucb-dp";
    params.epsilon = lotor_ratio_of(1, 1000000);
    assert_both(&params, world, TOP_TWO_CENTRAL_TINY, TOP_TWO);
    lotor_world_free(world);

    lotor_world *edges = coins(4, (double[]){0.1, 0.5, 0.9, 0.3});
    params = params_of("cucb-ldp2", edges);
    const uint32_t from[] = {1, 0, 0, 1}, to[] = {2, 1, 1, 2}; /* parallel edges */
    params.structure = LOTOR_STRUCTURE_GRAPHIC;
    params.from = from;
    params.to = to;
    params.vertices = 3;
    params.epsilon = lotor_ratio_of(1, 10);
    assert_both(&params, edges, GROUPS_BITS, GROUPS_LOCAL);
    params.algorithm = "cucb";
    assert_both(&params, edges, GROUPS_BOUND, GROUPS_BOUND);
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

TEST(private_lists)
{
    lotor_world *list = coins(5, (double[]){0.05, 0.2, 0.05, 0.05, 0.2});
    lotor_policy_params params = params_of("cascade-dp-lazy", list);
    params.slots = 2;
    params.epsilon = lotor_ratio_of(1, 10);
    assert_both(&params, list, TWO_OF_FIVE_CENTRAL, TWO_OF_FIVE_CLICKS);
    params.algorithm = "cascade-ldp-rr";
    assert_close(bound_of(&params, list), TWO_OF_FIVE_BITS);
    params.algorithm = "rr-klucb";
    params.cascade = true;
    assert_close(bound_of(&params, list), TWO_OF_FIVE_BITS);
    params.algorithm = "batch-klucb";
    assert_both(&params, list, TWO_OF_FIVE_CENTRAL, TWO_OF_FIVE_CLICKS);
    lotor_world_free(list);
}

/* Each item competes with the last of the list. */
TEST(lists_of_any_means)
{
    lotor_world *list = coins(7, (double[]){0.1, 0.3, 0.1, 0.3, 0.1, 0.3, 0.1});
    lotor_policy_params params = params_of("cascade-ucb", list);
    params.slots = 3;
    assert_close(bound_of(&params, list), THREE_OF_SEVEN);
    assert_string_equal(both_of(&params, list).theorem, "Kveton et al. 2015, Theorem 4");
    params.slots = 2; /* the third good one is not on it: 0.7 x 4 x 0.2 / kl(0.1, 0.3) */
    assert_close(bound_of(&params, list), THREE_OF_SEVEN / 0.7);
    assert_non_null(strstr(both_of(&params, list).theorem, "own proof"));
    params.slots = 4; /* the fourth is as good as the others */
    assert_true(bound_of(&params, list) == 0.0);
    params.slots = 7; /* nothing to choose */
    assert_true(bound_of(&params, list) == 0.0);
    lotor_world_free(list);

    /* 0.5 x (0.1 / kl(0.2, 0.3) + 0.2 / kl(0.1, 0.3)) */
    lotor_world *four = coins(4, (double[]){0.2, 0.5, 0.1, 0.3});
    params = params_of("cascade-ucb", four);
    params.slots = 2;
    assert_close(bound_of(&params, four), 2.802783281270310555726);
    lotor_world_free(four);

    lotor_world *equal = coins(3, (double[]){0.3, 0.3, 0.3});
    params = params_of("cascade-ucb", equal);
    params.slots = 2;
    assert_true(bound_of(&params, equal) == 0.0);
    lotor_world_free(equal);
}

/* Three paths lead from 0 to 3. Edge 1-4 leads to a dead end. */
TEST(paths_by_one_arm)
{
    /*                      0-1  1-3  0-2  2-3  1-2  1-4 */
    const double means[] = {0.9, 0.8, 0.5, 1.0, 0.3, 0.9};
    const uint32_t from[] = {0, 1, 0, 2, 1, 1}, to[] = {1, 3, 2, 3, 2, 4};
    lotor_world *world = coins(6, means);
    lotor_policy_params params = params_of("cucb", world);
    params.structure = LOTOR_STRUCTURE_PATH;
    params.from = from;
    params.to = to;
    params.vertices = 5;
    params.sink = 3;
    /* The best path is 0-1-3, at -0.3. 0-2-3 is at -0.5: edge 0-2 would need 0.7, and edge 2-3
     * more than 1. 0-1-2-3 is at -0.8: edge 1-2 would need 0.8. A path has at most 3 edges. */
    const double terms[] = {2.294191162847052458905, 0.5 / lotor_kl_bernoulli(0.3, 0.8)};
    assert_both(&params, world, fmax(terms[0], (terms[0] + terms[1]) / 3.0), terms[0]);
    params.algorithm = "cucb-dp";
    params.epsilon = lotor_ratio_of(1, 10);
    assert_both(&params, world, 10.56175986872431434385, terms[0]);
    params.algorithm = "cucb-ldp2";
    assert_close(bound_of(&params, world), 0.2 / lotor_divergence_local(0.5, 0.7, 0.1));
    lotor_world_free(world);

    /* Many equal edges next to the best one: the sum of their terms, divided by one edge. */
    lotor_world *edges = coins(5, (double[]){0.7, 0.7, 0.75, 0.7, 0.7});
    const uint32_t tail[5] = {0}, head[] = {1, 1, 1, 1, 1};
    params = params_of("cucb", edges);
    params.structure = LOTOR_STRUCTURE_PATH;
    params.from = tail;
    params.to = head;
    params.vertices = 2;
    params.sink = 1;
    assert_both(&params, edges, C1_BOUND, C1_BOUND);
    lotor_world_free(edges);
}

/* No bound is claimed for oracles whose value is not a sum of means. */
TEST(other_oracles_have_none)
{
    lotor_world *grid = instance("grid:3x3");
    lotor_policy_params params = params_of("cucb", grid);
    params.from = grid->from;
    params.to = grid->to;
    params.vertices = grid->vertices;
    params.sink = 8;
    params.structure = LOTOR_STRUCTURE_INFLUENCE;
    assert_true(isnan(bound_of(&params, grid)));
    params.structure = LOTOR_STRUCTURE_COVERAGE;
    assert_true(isnan(bound_of(&params, grid)));
    params.structure = LOTOR_STRUCTURE_PATH;
    assert_true(bound_of(&params, grid) > 0.0);
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
    assert_true(strlen(why.text) > 0 && isnan(bound.per_log_t) && isnan(bound.classical));
    lotor_world_free(world);
}
