/* test_paper_bounds_list.c - what a list of the papers' bounds says: which bounds hold, for which
 * t, and why not; and relations between bounds, for every algorithm and every figure. */
#include "support/test.h"

#include "papers/reproduce_plan.h"
#include "policy/catalog.h"
#include "support/paper_bounds_rig.h"

/* --- text of a list -------------------------------------------------------------------------- */

/* lab/bounds.h has the sharp bound; tests/test_bounds.c checks its numbers. */
TEST(the_sharp_bound_comes_first)
{
    lotor_world *world = world_of("c2", 0);
    lotor_experiment trial = trial_of(world, "dp-se", 1, 1000, lotor_ratio_of(1, 10));
    lotor_paper_bounds bounds = bounds_of(&trial);
    assert_non_null(strstr(bounds.rows[0].name, "Azize"));
    assert_close(lotor_paper_bound_value(&bounds.rows[0], exp(1)), 41.67672584648769523662);
    assert_close(lotor_paper_bound_value(&bounds.rows[1], exp(1)), 7.1282779502370487956);
    assert_true(bounds.rows[0].is_asymptotic);
    lotor_paper_bounds_clear(&bounds);

    trial.noise_scale = 0.01; /* not private: the bound is the one without privacy */
    bounds = bounds_of(&trial);
    assert_close(lotor_paper_bound_value(&bounds.rows[0], exp(1)), 7.1282779502370487956);
    lotor_paper_bounds_clear(&bounds);
    lotor_world_free(world);
}

TEST(lines_say_the_number_and_the_reason)
{
    lotor_world *world = coins(2, (double[]){0.25, 0.5});
    lotor_experiment trial = trial_of(world, "dp-se", 1, 1000000, lotor_ratio_of(1, 1));
    lotor_paper_bounds bounds = bounds_of(&trial);
    char text[LOTOR_PAPER_BOUND_ROOM];
    lotor_paper_bound_line(get(&bounds, "Sajed 2019, Lemma 5.1.2"), 1e6, text);
    assert_string_equal(text,
                        "Upper bound 6.389e+04 (Sajed 2019, Lemma 5.1.2), for every t from 1 to "
                        "the horizon");
    trial.policy.horizon = 1000;
    lotor_paper_bounds_clear(&bounds);
    bounds = bounds_of(&trial);
    lotor_paper_bound_line(get(&bounds, "Sajed 2019, Lemma 5.1.2"), 1000, text);
    assert_non_null(strstr(text, "to the horizon; it says no more than the trivial bound"));
    lotor_paper_bounds_clear(&bounds);
    lotor_world_free(world);

    world = coins(4, (double[]){0.7, 0.7, 0.3, 0.3});
    trial = trial_of(world, "cucb-dp", 2, 100, lotor_ratio_of(1, 1));
    bounds = bounds_of(&trial);
    lotor_paper_bound_line(get(&bounds, "Chen et al. 2020, Theorem 9"), 100, text);
    assert_string_equal(text,
                        "Lower bound without a number (Chen et al. 2020, Theorem 9): the paper has "
                        "Omega, without a constant");
    lotor_paper_bounds_clear(&bounds);
    trial = trial_of(world, "cucb-ldp2", 2, 100, lotor_ratio_of(1, 1));
    bounds = bounds_of(&trial);
    lotor_paper_bound_line(get(&bounds, "Chen et al. 2020, Theorem 6"), exp(1), text);
    assert_string_equal(text,
                        "Lower bound 0.05292 (Chen et al. 2020, Theorem 6), as T grows; it does "
                        "not apply here: it is about the paper's hardest problem of this size, and "
                        "this world is another one");
    lotor_paper_bounds_clear(&bounds);
    lotor_world_free(world);
}

/* Checks how many lower and upper bounds hold. */
static void expect_holding(const lotor_experiment *trial, size_t lower, size_t upper)
{
    lotor_paper_bounds bounds = bounds_of(trial);
    size_t found[2] = {0, 0};
    for (size_t i = 0; i < bounds.count; i++) {
        found[bounds.rows[i].kind] += bounds.rows[i].state == HOLDS;
    }
    assert_int_equal(found[LOTOR_PAPER_BOUND_LOWER], lower);
    assert_int_equal(found[LOTOR_PAPER_BOUND_UPPER], upper);
    lotor_paper_bounds_clear(&bounds);
}

TEST(unusual_experiments_are_outside)
{
    lotor_world *world = coins(2, (double[]){0.25, 0.5});
    const lotor_experiment usual = trial_of(world, "dp-se", 1, 1000000, lotor_ratio_of(1, 1));
    expect_holding(&usual, 2, 1); /* lower: the sharp and the classical bound */
    lotor_experiment trial = usual;
    trial.policy.low = -1.0;
    trial.policy.high = 1.0;
    expect_holding(&trial, 2, 0);
    trial = usual;
    trial.delay = (lotor_delay){.most = 10};
    expect_holding(&trial, 2, 0);
    const lotor_changing_world changing = {0};
    trial = usual;
    trial.changing = &changing;
    expect_holding(&trial, 0, 0);
    lotor_world_free(world);
}

TEST(equally_good_arms)
{
    /* An item outside of the list is as good as one in it. */
    lotor_world *world = coins(4, (double[]){0.5, 0.25, 0.25, 0.1});
    lotor_experiment trial = trial_of(world, "cascade-ldp-laplace", 2, 100, lotor_ratio_of(1, 1));
    lotor_paper_bounds bounds = bounds_of(&trial);
    assert_int_equal(get(&bounds, "Wang et al. 2022, Theorem 4")->state, NONE);
    lotor_paper_bounds_clear(&bounds);
    /* With sets, the least gap is 0.25 - 0.1, and the largest 0.75 - 0.35. */
    trial = trial_of(world, "cucb-ldp-gauss", 2, 100, lotor_ratio_of(1, 1));
    double inverse = 0.15 / 2;
    expect(&trial, "Wang et al. 2022, Theorem 10", HOLDS, exp(1),
           4 * 0.4 * (192 * 2 * log(1250) / (inverse * inverse) + 9.8696044010893586 / 3 + 1));
    lotor_world_free(world);
    /* Here it is 0.3 - 0.25, and the largest 0.55 - 0.35. */
    world = coins(4, (double[]){0.3, 0.25, 0.25, 0.1});
    trial = trial_of(world, "cucb-ldp-gauss", 2, 100, lotor_ratio_of(1, 1));
    inverse = 0.05 / 2;
    expect(&trial, "Wang et al. 2022, Theorem 10", HOLDS, exp(1),
           4 * 0.2 * (192 * 2 * log(1250) / (inverse * inverse) + 9.8696044010893586 / 3 + 1));
    lotor_world_free(world);
}

TEST(refuses_what_cannot_be_played)
{
    lotor_world *world = coins(2, (double[]){0.25, 0.5});
    lotor_paper_bounds bounds;
    lotor_message why = {""};
    lotor_experiment trial = trial_of(world, "dp-se", 1, 1000, lotor_ratio_of(1, 1));
    lotor_experiment wrong = trial;
    wrong.policy.arms = 3;
    assert_int_not_equal(lotor_paper_bounds_of(&wrong, &why, &bounds), LOTOR_OK);
    lotor_paper_bounds_clear(&bounds);
    wrong = trial;
    wrong.policy.algorithm = "dp-sw";
    assert_int_not_equal(lotor_paper_bounds_of(&wrong, &why, &bounds), LOTOR_OK);
    lotor_paper_bounds_clear(&bounds);
    wrong = trial;
    wrong.policy.epsilon = (lotor_ratio){0};
    assert_int_not_equal(lotor_paper_bounds_of(&wrong, &why, &bounds), LOTOR_OK);
    lotor_paper_bounds_clear(&bounds);
    wrong = trial;
    wrong.noise_scale = NAN;
    assert_int_not_equal(lotor_paper_bounds_of(&wrong, &why, &bounds), LOTOR_OK);
    assert_true(strlen(why.text) > 0);
    lotor_paper_bounds_clear(&bounds);
    lotor_world_free(world);
}

/* --- relations ------------------------------------------------------------------------------- */

/* Every algorithm on arms, in worlds with and without ties: no NaN among the numbers, and a reason
 * exactly where a bound does not hold. Of the bounds that hold, none of the papers' lower bounds is
 * above the sharp one, and no lower bound is above an upper bound at the horizon. */
static void expect_consistent_list(const lotor_paper_bounds *list, uint64_t horizon)
{
    const lotor_paper_bounds bounds = *list;
    const double T = (double)horizon;
    double least_upper = INFINITY, sharp = INFINITY;
    for (size_t i = 0; i < bounds.count; i++) {
        const lotor_paper_bound *row = &bounds.rows[i];
        assert_non_null(row->name);
        assert_non_null(row->formula);
        assert_non_null(row->range);
        assert_non_null(row->conditions);
        assert_int_equal(row->reason == NULL, row->state == LOTOR_PAPER_BOUND_HOLDS);
        for (double t = (double)row->first; t <= fmin((double)row->last, T); t = ceil(t * 1.7)) {
            const double value = lotor_paper_bound_value(row, t);
            assert_int_equal(isnan(value), row->state == LOTOR_PAPER_BOUND_WITHOUT_NUMBER);
            assert_false(value < 0.0);
        }
        if (row->state != LOTOR_PAPER_BOUND_HOLDS) {
            continue;
        }
        const double value = lotor_paper_bound_value(row, T);
        if (row->kind == LOTOR_PAPER_BOUND_UPPER) {
            assert_int_equal(row->is_vacuous, value >= T * bounds.largest_loss);
            least_upper = fmin(least_upper, value);
        } else {
            sharp = fmin(sharp, i == 0 ? value : sharp);
            assert_true(value <= sharp * (1.0 + 1e-12));
        }
    }
    assert_true(least_upper >= (isfinite(sharp) ? sharp : 0.0));
}

static void expect_consistent(const lotor_experiment *trial)
{
    lotor_paper_bounds bounds = bounds_of(trial);
    expect_consistent_list(&bounds, trial->policy.horizon);
    lotor_paper_bounds_clear(&bounds);
}

TEST(bounds_are_consistent_for_every_algorithm)
{
    static const double means[][6] = {
        {0.2, 0.2, 0.05, 0.05, 0.05, 0.05}, {0.9, 0.8, 0.7, 0.6, 0.5, 0.1},
        {0.5, 0.4, 0.4, 0.4, 0.3, 0.3},     {0.5, 0.5, 0.5, 0.5, 0.5, 0.5},
        {1.0, 1.0, 0.5, 0.5, 0.0, 0.0},
    };
    static const lotor_ratio epsilons[] = {{1, 1000}, {1, 5}, {2, 1}, {100000, 1}, {1, 0}};
    size_t lists = 0;
    for (size_t w = 0; w < sizeof means / sizeof *means; w++) {
        lotor_world *world = coins(6, means[w]);
        for (size_t row = 0; row < lotor_algorithms_size; row++) {
            const lotor_algorithm *algorithm = &lotor_algorithms[row];
            for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons && !algorithm->linear; e++) {
                lotor_experiment trial = experiment_of(world, algorithm->id, 100000, 1);
                trial.policy.slots = algorithm->problem == LOTOR_PROBLEM_FINITE ? 1 : 2;
                trial.policy.epsilon = epsilons[e];
                expect_consistent(&trial);
                trial.noise_scale = 0.01;
                expect_consistent(&trial);
                lists++;
                if (algorithm->problem == LOTOR_PROBLEM_ANY) {
                    trial.noise_scale = 1.0;
                    trial.policy.cascade = true;
                    expect_consistent(&trial);
                }
            }
        }
        lotor_world_free(world);
    }
    assert_true(lists > 500);
}

/* Every experiment of every figure, at both scales. */
TEST(bounds_of_all_figures_are_consistent)
{
    size_t holding = 0;
    for (size_t number = 0; lotor_figure_at(number); number++) {
        const lotor_figure *figure = lotor_figure_at(number);
        for (int quick = 0; quick < 2; quick++) {
            const size_t cells = lotor_figure_cell_count(figure, quick);
            for (size_t i = 0; i < cells; i++) {
                const lotor_figure_cell cell = lotor_figure_cell_at(figure, quick, i);
                lotor_paper_bounds bounds;
                lotor_message why = {""};
                if (lotor_paper_bounds_of_setting(&cell.setting, &why, &bounds) != LOTOR_OK) {
                    fail_msg("%s: %s", figure->id, why.text);
                }
                expect_consistent_list(&bounds, cell.setting.horizon);
                for (size_t k = 0; k < bounds.count; k++) {
                    holding += bounds.rows[k].state == LOTOR_PAPER_BOUND_HOLDS;
                }
                lotor_paper_bounds_clear(&bounds);
            }
        }
    }
    assert_true(holding > 500);
}

TEST(linear_bounds_are_consistent)
{
    static const char *const ids[] = {"linucb", "jdp-linucb-gauss", "jdp-linucb-wishart",
                                      "jdp-linucb-wishart-shifted"};
    const lotor_linear_world world = {.dimension = 5, .actions = 25, .has_gap = true, .gap = 0.1};
    static const lotor_ratio epsilons[] = {{1, 100}, {1, 1}, {10, 1}, {1, 0}};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
            lotor_experiment trial = linear_experiment(&world, ids[i], 50000000, 1);
            trial.policy.epsilon = epsilons[e];
            expect_consistent(&trial);
        }
    }
}

/* Upper bounds grow as epsilon falls. */
TEST(less_epsilon_means_a_larger_upper_bound)
{
    lotor_world *world = coins(6, (double[]){0.6, 0.6, 0.3, 0.3, 0.3, 0.3});
    static const char *const ids[] = {"cascade-ldp-laplace", "cascade-ldp-gauss", "cucb-ldp-gauss"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        double before = 0.0;
        for (uint64_t per = 1; per <= 64; per *= 2) {
            lotor_experiment trial = experiment_of(world, ids[i], 1000, 1);
            trial.policy.slots = 2;
            trial.policy.epsilon = lotor_ratio_of(1, per);
            lotor_paper_bounds bounds = bounds_of(&trial);
            const double value = lotor_paper_bound_value(upper_of(&bounds), 1000);
            assert_true(value > before);
            before = value;
            lotor_paper_bounds_clear(&bounds);
        }
    }
    double before = 0.0;
    for (uint64_t per = 1; per <= 64; per *= 2) {
        lotor_experiment trial = experiment_of(world, "dp-se", 100000000, 1);
        trial.policy.epsilon = lotor_ratio_of(1, per);
        lotor_paper_bounds bounds = bounds_of(&trial);
        const double value = lotor_paper_bound_value(upper_of(&bounds), 1e8);
        assert_true(value > before);
        before = value;
        lotor_paper_bounds_clear(&bounds);
    }
    lotor_world_free(world);
    const lotor_linear_world ball = {.dimension = 5, .actions = 25};
    before = 0.0;
    for (uint64_t per = 1; per <= 64; per *= 2) {
        lotor_experiment trial = linear_experiment(&ball, "jdp-linucb-gauss", 1000000, 1);
        trial.policy.epsilon = lotor_ratio_of(1, per);
        lotor_paper_bounds bounds = bounds_of(&trial);
        const double value = lotor_paper_bound_value(upper_of(&bounds), 1e6);
        assert_true(value > before);
        before = value;
        lotor_paper_bounds_clear(&bounds);
    }
}

/* For stopping rules both bounds are for a finite number of samples. */
TEST(stopping_bounds_do_not_cross)
{
    for (uint64_t per = 1; per <= 1000; per *= 10) {
        for (double beta = 0.08; beta > 1e-9; beta /= 10) {
            for (double mean = 0.001; mean < 1.0; mean *= 3) {
                const lotor_stopping_params params = {"dp-exp-nas", 0.3, beta,
                                                      lotor_ratio_of(1, per), 1.0};
                lotor_paper_bounds bounds;
                assert_int_equal(lotor_paper_bounds_of_stopping(&params, mean, NULL, &bounds),
                                 LOTOR_OK);
                assert_int_equal(bounds.rows[0].state, LOTOR_PAPER_BOUND_HOLDS);
                assert_int_equal(bounds.rows[1].state, LOTOR_PAPER_BOUND_HOLDS);
                assert_true(lotor_paper_bound_value(&bounds.rows[0], 1) <
                            lotor_paper_bound_value(&bounds.rows[1], 1));
                lotor_paper_bounds_clear(&bounds);
            }
        }
    }
}
