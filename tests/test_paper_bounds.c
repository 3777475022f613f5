/* test_paper_bounds.c - the papers' bounds against values worked out by hand: the arithmetic is in
 * the comments, the last digits come from 30-digit decimal arithmetic. test_paper_bounds_list.c
 * tests what a list says, test_paper_bounds_proofs.c the constants. */
#include "support/test.h"

#include "support/paper_bounds_rig.h"

/* Two items of mean 1/2 and two of 1/4; lists or sets of two. */
static lotor_world *two_of_four(void)
{
    return coins(4, (double[]){0.25, 0.5, 0.25, 0.5});
}

/* --- Wang et al. 2022 ------------------------------------------------------------------------ */

/* K = 2, epsilon = 1: (sqrt 1.5 + 2 sqrt 24)^2 = 1.5 + 4 sqrt 36 + 96 = 121.5. Two items with a gap
 * of 1/4: 8 x 121.5 x 2 x 4 = 7776 per log t. L = 4: 4 x 2 pi^2/3 = 26.3189. q(1) = 0. For q(3) the
 * rounds 2 and 3 have s = 1, 2, 3 <= 3 log 3; with log 2 the chances are 0.212055, 0.135405 and
 * 0.105035, so q(3) = 2 x 0.452495 = 0.904990. */
TEST(wang_theorem_4)
{
    lotor_world *world = two_of_four();
    lotor_experiment trial = trial_of(world, "cascade-ldp-laplace", 2, 100, lotor_ratio_of(1, 1));
    const char *name = "Wang et al. 2022, Theorem 4";
    expect(&trial, name, HOLDS, 1, 26.318945069571623);
    expect(&trial, name, HOLDS, 3, 7776 * log(3) + 26.318945069571623 + 4 * 0.90498967953270876);
    /* Noise x 0.01 is epsilon x 100: 1.5 + 2 x 0.02 x 6 + 0.0004 x 24 = 1.7496. At t = 1 the same.
     */
    trial.noise_scale = 0.01;
    expect(&trial, name, HOLDS, 1, 26.318945069571623);
    expect(&trial, name, HOLDS, 3,
           8 * 1.7496 * 8 * log(3) + 26.318945069571623 + 4 * 0.90498967953270876);
    lotor_world_free(world);
}

/* log(1.25/0.001) = log 1250 = 7.130899. The width is 2 sqrt 1.5 + 8 sqrt(2 x 7.130899)
 * = 32.661326; 2 x 1066.7622 x 8 = 17068.196 per log t; at t = 100, x 4.605170 = 78601.94,
 * plus 26.3189. */
TEST(wang_theorem_6)
{
    lotor_world *world = two_of_four();
    const lotor_experiment trial =
        trial_of(world, "cascade-ldp-gauss", 2, 100, lotor_ratio_of(1, 1));
    expect(&trial, "Wang et al. 2022, Theorem 6", HOLDS, 100, 78628.263812945768);
    expect(&trial, "Wang et al. 2022, Theorem 6", HOLDS, 1, 26.318945069571623);
    lotor_world_free(world);
}

/* The least gap between sets is 1/4, so f^-1 = 1/8; the largest is 1/2, and m = 4: the factor is 2.
 * 192 x 2 x 7.130899 / (1/64) x log 100 = 807051.3, plus pi^2/3 + 1 = 4.289868. */
TEST(wang_theorem_10)
{
    lotor_world *world = two_of_four();
    lotor_experiment trial = trial_of(world, "cucb-ldp-gauss", 2, 100, lotor_ratio_of(1, 1));
    const char *name = "Wang et al. 2022, Theorem 10";
    expect(&trial, name, HOLDS, 100, 1614111.2400818657);
    trial.policy.epsilon = lotor_ratio_of(3, 1); /* min(9, 2) = 2 */
    expect(&trial, name, HOLDS, 100,
           (1614111.2400818657 - 8.5797362673929057) / 2 + 8.5797362673929057);
    lotor_paper_bounds bounds = bounds_of(&trial);
    const lotor_paper_bound *row = get(&bounds, name);
    assert_int_equal(row->first, 2);
    assert_true(isnan(lotor_paper_bound_value(row, 1)));
    assert_true(isfinite(lotor_paper_bound_value(row, 2)));
    lotor_paper_bounds_clear(&bounds);
    lotor_world_free(world);
}

/* K = 2, L = 4, p = 1/2, gap 1/4. Epsilon 1: e^2 > 4, so 2 x 1/2 x 1/4 / (2 x 4 x (e - 1)^2 / 4) =
 * 1/8 / (e - 1)^2. Epsilon 1/2: 1/4 / (2 e x 0.648721^2 / 4) = 1 / (2 e x 0.420840) = 0.437078. */
TEST(wang_theorem_11)
{
    lotor_world *world = two_of_four();
    const char *name = "Wang et al. 2022, Theorem 11";
    lotor_experiment trial = trial_of(world, "rr-klucb", 2, 100, lotor_ratio_of(1, 1));
    trial.policy.cascade = true;
    expect(&trial, name, HOLDS, exp(1), 0.0423371109173082368);
    trial.policy.epsilon = lotor_ratio_of(1, 2);
    expect(&trial, name, HOLDS, exp(2), 2 * 0.43707830100953904);
    /* The paper's own algorithms are not private. */
    trial = trial_of(world, "cascade-ldp-laplace", 2, 100, lotor_ratio_of(1, 1));
    expect(&trial, name, OUTSIDE, exp(1), 0.0423371109173082368);
    trial = trial_of(world, "cascade-ldp-gauss", 2, 100, lotor_ratio_of(1, 1));
    expect(&trial, name, OUTSIDE, exp(1), 0.0423371109173082368);
    lotor_world_free(world);
}

/* kl(1/4, 1/2) = log(1/2)/4 + 3 log(3/2)/4 = 0.130812. 2 x 1/2 x max(0.25/0.130812, 1/(200
 * epsilon)). At epsilon 1/1000 the second is 5. */
TEST(wang_theorem_12)
{
    lotor_world *world = two_of_four();
    const char *name = "Wang et al. 2022, Theorem 12";
    lotor_experiment trial = trial_of(world, "batch-klucb", 2, 100, lotor_ratio_of(1, 1));
    trial.policy.cascade = true;
    expect(&trial, name, HOLDS, exp(1), 1.91113912570319952);
    trial.policy.epsilon = lotor_ratio_of(1, 1000);
    expect(&trial, name, HOLDS, exp(1), 5.0);
    trial = trial_of(world, "cascade-dp", 2, 100, lotor_ratio_of(1, 1000));
    expect(&trial, name, OUTSIDE, exp(1), 5.0);
    lotor_world_free(world);

    /* Three different means: the theorem is about two. */
    world = coins(4, (double[]){0.5, 0.5, 0.25, 0.2});
    trial = trial_of(world, "cascade-dp-lazy", 2, 100, lotor_ratio_of(1, 1));
    lotor_paper_bounds bounds = bounds_of(&trial);
    assert_int_equal(get(&bounds, name)->state, NONE);
    assert_true(isnan(lotor_paper_bound_value(get(&bounds, name), 10)));
    lotor_paper_bounds_clear(&bounds);
    lotor_world_free(world);
}

/* --- Chen et al. 2020 ------------------------------------------------------------------------ */

/* One arm a round, gaps 0.2 and 0.3, epsilon 1: (5 + 3.3333) / (64 x 2.952492). */
TEST(chen_theorems_5_and_6_for_one_arm)
{
    lotor_world *world = coins(3, (double[]){0.5, 0.3, 0.2});
    lotor_experiment trial = trial_of(world, "rr-klucb", 1, 100, lotor_ratio_of(1, 1));
    expect(&trial, "Chen et al. 2020, Theorem 5", HOLDS, exp(1), 0.0441011572055294134);
    expect(&trial, "Chen et al. 2020, Theorem 6", HOLDS, exp(1), 0.0441011572055294134);
    trial.noise_scale = 0.5; /* then nothing is private; the number is that of the claim */
    expect(&trial, "Chen et al. 2020, Theorem 5", OUTSIDE, exp(1), 0.0441011572055294134);
    lotor_world_free(world);

    world = coins(3, (double[]){0.6, 0.3, 0.2}); /* a gap of 0.4 is not below 0.35 */
    trial = trial_of(world, "rr-klucb", 1, 100, lotor_ratio_of(1, 1));
    lotor_paper_bounds bounds = bounds_of(&trial);
    assert_int_equal(get(&bounds, "Chen et al. 2020, Theorem 5")->state, OUTSIDE);
    lotor_paper_bounds_clear(&bounds);
    lotor_world_free(world);
}

/* m = 4, K = 2, gap 0.4, epsilon 1, B_1 = 1, B_inf = 2: 4 x 3 / (64 x 2.952492 x 0.4) and 2 x 2 /
 * (the same). Both are about other worlds. */
TEST(chen_theorems_5_and_6_for_sets)
{
    lotor_world *world = coins(4, (double[]){0.7, 0.7, 0.3, 0.3});
    lotor_experiment trial = trial_of(world, "cucb-ldp2", 2, 100, lotor_ratio_of(1, 1));
    expect(&trial, "Chen et al. 2020, Theorem 5", OUTSIDE, exp(1), 0.158764165939905888);
    expect(&trial, "Chen et al. 2020, Theorem 6", OUTSIDE, exp(1), 0.052921388646635296);
    lotor_world_free(world);

    /* Also where all gaps are below 0.35. */
    world = coins(4, (double[]){0.6, 0.6, 0.4, 0.4});
    trial = trial_of(world, "cucb-ldp2", 2, 100, lotor_ratio_of(1, 1));
    expect(&trial, "Chen et al. 2020, Theorem 6", OUTSIDE, exp(1), 2 * 0.052921388646635296);
    lotor_world_free(world);
}

TEST(chen_theorem_9_has_no_number)
{
    lotor_world *world = coins(4, (double[]){0.7, 0.7, 0.3, 0.3});
    const lotor_experiment trial = trial_of(world, "cucb-dp", 2, 100, lotor_ratio_of(1, 1));
    lotor_paper_bounds bounds = bounds_of(&trial);
    const lotor_paper_bound *row = get(&bounds, "Chen et al. 2020, Theorem 9");
    assert_int_equal(row->state, NONE);
    assert_int_equal(row->constant, LOTOR_PAPER_CONSTANT_NONE);
    assert_true(isnan(lotor_paper_bound_value(row, 100)));
    assert_null(strstr(row->formula, "m K log t / epsilon"));
    lotor_paper_bounds_clear(&bounds);
    lotor_world_free(world);
}

/* --- Sajed 2019 ------------------------------------------------------------------------------ */

/* K = 2, gap 1/4, beta = 10^-6, epsilon 1: log(2 log 8 / 10^-6) = 15.240758; 1024 x 16 + 96 x 4 =
 * 16768; 255557.015 displays. The regret at T = 10^6 is a quarter of that, plus 10^-6 x 10^6 / 4.
 */
TEST(sajed_lemma_5_1_2)
{
    lotor_world *world = coins(2, (double[]){0.25, 0.5});
    lotor_experiment trial = trial_of(world, "dp-se", 1, 1000000, lotor_ratio_of(1, 1));
    const char *name = "Sajed 2019, Lemma 5.1.2";
    expect(&trial, name, HOLDS, 1e6, 63889.5037909119067);
    expect(&trial, name, HOLDS, 1000, 0.25 * 1000 + 1e-6 * 0.25 * 1000); /* all rounds */
    lotor_paper_bounds bounds = bounds_of(&trial);
    const lotor_paper_bound *row = get(&bounds, name);
    assert_false(row->is_vacuous);
    assert_int_equal(row->last, 1000000);
    assert_true(isnan(lotor_paper_bound_value(row, 1000001)));
    assert_true(isnan(lotor_paper_bound_value(row, 0)));
    assert_true(isnan(lotor_paper_bound_value(row, NAN)));
    assert_close(bounds.largest_loss, 0.25);
    lotor_paper_bounds_clear(&bounds);

    trial.policy.horizon = 1000; /* too few rounds to learn anything, says the lemma */
    bounds = bounds_of(&trial);
    assert_true(get(&bounds, name)->is_vacuous);
    lotor_paper_bounds_clear(&bounds);

    trial.policy.beta = 0.6;
    bounds = bounds_of(&trial);
    assert_int_equal(get(&bounds, name)->state, OUTSIDE);
    lotor_paper_bounds_clear(&bounds);
    lotor_world_free(world);
}

static lotor_paper_bounds stopping_of(const char *rule, double alpha, double beta,
                                      lotor_ratio epsilon, double range, double mean)
{
    const lotor_stopping_params params = {rule, alpha, beta, epsilon, range};
    lotor_paper_bounds bounds;
    assert_int_equal(lotor_paper_bounds_of_stopping(&params, mean, NULL, &bounds), LOTOR_OK);
    return bounds;
}

/* R = 1, alpha = 1/2, mu = -0.1, beta = 0.05, epsilon = 1/2: R/(alpha |mu|) = 20.
 * Lower: 20 log 20 / 6 = 9.985774.
 * Upper: l = log(log 20 / 0.05) = 4.092921; 400 l = 1637.168; l / (0.5 x 0.1) = 81.858; 20 log 20 /
 * 0.5 = 119.829; 2000 times the sum. */
TEST(sajed_stopping_rules)
{
    lotor_paper_bounds bounds =
        stopping_of("dp-exp-nas", 0.5, 0.05, lotor_ratio_of(1, 2), 1.0, -0.1);
    assert_int_equal(bounds.count, 2);
    const lotor_paper_bound *lower = get(&bounds, "Sajed 2019, Theorem 4.2.1");
    const lotor_paper_bound *upper = get(&bounds, "Sajed 2019, Theorem 4.1.3");
    assert_int_equal(lower->state, HOLDS);
    assert_int_equal(upper->state, HOLDS);
    assert_int_equal(lower->measure, LOTOR_PAPER_BOUND_SAMPLES);
    assert_close(lotor_paper_bound_value(lower, 1), 9.98577424517996998);
    assert_close(lotor_paper_bound_value(upper, 1), 3677712.19997622862);
    lotor_paper_bounds_clear(&bounds);

    /* The same in other units. */
    bounds = stopping_of("dp-exp-nas", 0.5, 0.05, lotor_ratio_of(1, 2), 100.0, 10.0);
    assert_close(lotor_paper_bound_value(&bounds.rows[0], 1), 9.98577424517996998);
    assert_close(lotor_paper_bound_value(&bounds.rows[1], 1), 3677712.19997622862);
    lotor_paper_bounds_clear(&bounds);

    bounds = stopping_of("dp-nas", 0.5, 0.05, lotor_ratio_of(1, 2), 1.0, 0.1);
    assert_int_equal(bounds.count, 1); /* Theorem 4.1.3 is about Algorithm 8 */
    lotor_paper_bounds_clear(&bounds);
    bounds = stopping_of("nas", 0.5, 0.05, lotor_ratio_of(1, 2), 1.0, 0.1);
    assert_int_equal(bounds.count, 0);
    lotor_paper_bounds_clear(&bounds);
}

TEST(sajed_stopping_rules_have_conditions)
{
    lotor_paper_bounds bounds =
        stopping_of("dp-exp-nas", 0.5, 0.09, lotor_ratio_of(1, 2), 1.0, 0.1);
    assert_int_equal(bounds.rows[0].state, HOLDS);
    assert_int_equal(bounds.rows[1].state, OUTSIDE); /* beta > 0.08 */
    lotor_paper_bounds_clear(&bounds);
    bounds = stopping_of("dp-exp-nas", 0.5, 0.3, lotor_ratio_of(1, 2), 1.0, 0.1);
    assert_int_equal(bounds.rows[0].state, OUTSIDE); /* beta > 1/4 */
    lotor_paper_bounds_clear(&bounds);
    bounds = stopping_of("dp-exp-nas", 0.99, 0.08, lotor_ratio_of(1, 1), 1.0, 0.999);
    assert_int_equal(bounds.rows[1].state, NONE); /* the case of errata 26 */
    lotor_paper_bounds_clear(&bounds);
    bounds = stopping_of("dp-exp-nas", 0.5, 0.05, lotor_ratio_of(2, 1), 1.0, 0.1);
    assert_int_equal(bounds.rows[0].state, OUTSIDE); /* e^2 - 1 = 6.39 > 6 */
    assert_int_equal(bounds.rows[1].state, HOLDS);
    lotor_paper_bounds_clear(&bounds);

    const lotor_stopping_params params = {"dp-exp-nas", 0.5, 0.05, lotor_ratio_of(1, 1), 1.0};
    lotor_stopping_params wrong = params;
    wrong.alpha = 2.0;
    lotor_message why = {""};
    assert_int_equal(lotor_paper_bounds_of_stopping(&wrong, 0.1, &why, &bounds), LOTOR_INVALID);
    assert_true(strlen(why.text) > 0);
    static const double means[] = {0.0, -1.5, 1.0001, NAN, INFINITY};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
        assert_int_equal(lotor_paper_bounds_of_stopping(&params, means[i], &why, &bounds),
                         LOTOR_INVALID);
        lotor_paper_bounds_clear(&bounds);
    }
}

/* --- Shariff and Sheffet 2018 ---------------------------------------------------------------- */

static lotor_experiment linear_of(const lotor_linear_world *world, const char *algorithm,
                                  uint64_t horizon)
{
    lotor_experiment trial = linear_experiment(world, algorithm, horizon, 2);
    trial.policy.epsilon = lotor_ratio_of(1, 1);
    trial.policy.delta = lotor_ratio_of(1, 10);
    if (strcmp(algorithm, "linucb") == 0) {
        trial.policy.epsilon = trial.policy.delta = (lotor_ratio){0};
    }
    return trial;
}

/* d = 2, n = 100, alpha = 1/n. Without noise lambda = 1: x = 100/2, 2 log 200 = 10.596635, 2 log 51
 * = 7.863651, its root 2.804220: the bracket is 21.264506. Theorem 5: sqrt(800) x 21.264506 + 0.01
 * x 100 x 2 = 603.451. Theorem 6 at gap 1/2: 16 x 21.264506^2 + 0.01 x 100 x 1.5 = 7236.37.
 *
 * Gauss: m = 8, L~^2 = 2, sigma = 4 sqrt 8 x 2 log 40 / 1 = 83.4698; Y = 83.4698 x 4 (4 sqrt 2 + 2
 * log 20000) = 8501.844; gamma = 83.4698 sqrt(8/8501.844) (sqrt 2 + sqrt(2 log 20000)) = 15.016367.
 * The bracket with Y, 3Y and gamma gives 899.151.
 *
 * Wishart: k = 3 + ceil(224 x 8 log 640 log 20) = 34691, a = sqrt(8 k) = 526.809, b = sqrt 2 +
 * sqrt(2 log 80000) = 6.166009, and the last term of gamma is sqrt 2 + sqrt(2 log 20000). */
TEST(shariff_theorems_5_and_6)
{
    const lotor_linear_world ball = {.dimension = 2, .actions = 4};
    const lotor_linear_world gap = {.dimension = 2, .actions = 4, .has_gap = true, .gap = 0.5};
    static const struct {
        const char *algorithm;
        double value;
    } cases[] = {
        {"linucb", 603.451062954251671},
        {"jdp-linucb-gauss", 899.151328872493969},
        {"jdp-linucb-wishart", 597.09305758578117},
        {"jdp-linucb-wishart-shifted", 878.647240054090357},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lotor_experiment trial = linear_of(&ball, cases[i].algorithm, 100);
        expect(&trial, "Shariff and Sheffet 2018, Theorem 5", HOLDS, 100, cases[i].value);
        lotor_paper_bounds bounds = bounds_of(&trial);
        assert_int_equal(bounds.count, 1); /* a ball has no gap */
        assert_true(bounds.rows[0].is_vacuous);
        assert_close(bounds.largest_loss, 2.0);
        lotor_paper_bounds_clear(&bounds);
    }
    lotor_experiment trial = linear_of(&gap, "linucb", 100);
    expect(&trial, "Shariff and Sheffet 2018, Theorem 6", HOLDS, 100, 7236.36762257598414);
    trial = linear_of(&ball, "jdp-batch", 100000);
    lotor_paper_bounds bounds = bounds_of(&trial);
    assert_int_equal(bounds.count, 0);
    lotor_paper_bounds_clear(&bounds);
    trial = linear_of(&ball, "jdp-linucb-gauss", 100);
    trial.policy.epsilon = lotor_ratio_of(70, 1); /* more noise than printed */
    bounds = bounds_of(&trial);
    assert_int_equal(bounds.rows[0].state, OUTSIDE);
    lotor_paper_bounds_clear(&bounds);
    trial = linear_of(&ball, "linucb", 100);
    trial.policy.theta_length = 0.5;
    bounds = bounds_of(&trial);
    assert_int_equal(bounds.rows[0].state, OUTSIDE);
    lotor_paper_bounds_clear(&bounds);
}
