/* test_change.c - worlds that change: their pieces, worked out by hand, and regret in them. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "policy/catalog.h"
#include "support/experiments.h"
#include "world/change.h"

static lotor_change change_of(const char *text)
{
    lotor_change change;
    lotor_message why = {""};
    if (lotor_change_read(text, &why, &change) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return change;
}

static lotor_changing_world changing_of(const lotor_world *world, const char *text,
                                        uint64_t horizon)
{
    lotor_change change = change_of(text);
    lotor_changing_world changing;
    lotor_message why = {""};
    if (lotor_changing_world_make(world, &change, horizon, 1, &why, &changing) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    lotor_change_clear(&change);
    return changing;
}

static lotor_world *three_arms(void)
{
    lotor_world *world;
    assert_int_equal(lotor_world_bernoulli(3, (const double[]){0.75, 0.5, 0.25}, NULL, &world),
                     LOTOR_OK);
    return world;
}

TEST(texts_are_read)
{
    assert_int_equal(change_of(NULL).kind, LOTOR_CHANGE_NONE);
    assert_int_equal(change_of("fixed").kind, LOTOR_CHANGE_NONE);
    assert_int_equal(change_of("swaps").kind, LOTOR_CHANGE_SWAPS);
    assert_int_equal(change_of("swaps").parts, 5);
    assert_int_equal(change_of("swaps:1000").parts, 1000);
    assert_int_equal(change_of("drift:2").kind, LOTOR_CHANGE_DRIFT);
    assert_int_equal(change_of("drift:2").parts, 2);
    assert_true(change_of("walk:0.25").deviation == 0.25);
    lotor_change listed = change_of("lines:1=0.5,.25;1e4=1,1e-1");
    assert_int_equal(listed.kind, LOTOR_CHANGE_LINES);
    assert_true(listed.rows == 2 && listed.arms == 2);
    assert_true(listed.rounds[0] == 1 && listed.rounds[1] == 10000);
    assert_true(listed.means[0] == 0.5 && listed.means[1] == 0.25);
    assert_true(listed.means[2] == 1 && listed.means[3] == 0.1);
    lotor_change_clear(&listed);
    lotor_change_clear(&listed);
    static const char *const bad[] = {"",
                                      "swap",
                                      "swaps:",
                                      "swaps:0",
                                      "swaps:1001",
                                      "swaps:1e2",
                                      "fixed:2",
                                      "drift:-1",
                                      "drift:x",
                                      "steps",
                                      "steps:",
                                      "steps:5",
                                      "steps:5=",
                                      "steps:0=1",
                                      "steps:5=2",
                                      "steps:5=0.5,",
                                      "steps:5=nan",
                                      "steps:5=.5;",
                                      "steps:5=.5;4=.5",
                                      "steps:5=.5;5=.5",
                                      "lines:5=.5;6=.5,.5",
                                      "lines:1.5=.5",
                                      "lines:1e99=.5",
                                      "walk",
                                      "walk:",
                                      "walk:0",
                                      "walk:2",
                                      "walk:nan"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        lotor_message why = {""};
        lotor_change change;
        assert_int_equal(lotor_change_read(bad[i], &why, &change), LOTOR_INVALID);
        assert_memory_equal(why.text, "world \"", 7);
    }
}

static void expect_piece(const lotor_changing_world *changing, size_t i, uint64_t first, double a,
                         double b, double c)
{
    const lotor_world_piece *piece = &changing->pieces[i];
    const double means[] = {a, b, c};
    assert_int_equal(piece->first, first);
    for (size_t arm = 0; arm < 3; arm++) {
        assert_true(fabs(piece->world->means[arm] - means[arm]) < 1e-15);
    }
}

/* 11 rounds in 3 parts: 3, 4 and 4. */
TEST(swaps_move_the_means_on)
{
    lotor_world *world = three_arms();
    lotor_changing_world changing = changing_of(world, "swaps:3", 11);
    assert_int_equal(changing.count, 3);
    expect_piece(&changing, 0, 0, 0.75, 0.5, 0.25);
    expect_piece(&changing, 1, 3, 0.25, 0.75, 0.5);
    expect_piece(&changing, 2, 7, 0.5, 0.25, 0.75);
    lotor_changing_world_clear(&changing);
    lotor_world_free(world);
}

/* 8 rounds in 2 parts of 4 steps. A step has the means of its middle: 1/8, 3/8, 5/8 and 7/8 of the
 * way. */
TEST(drift_moves_in_steps)
{
    lotor_world *world = three_arms();
    lotor_changing_world changing = changing_of(world, "drift:2", 8);
    assert_int_equal(changing.count, 8);
    expect_piece(&changing, 0, 0, 0.6875, 0.53125, 0.28125);
    expect_piece(&changing, 3, 3, 0.3125, 0.71875, 0.46875);
    expect_piece(&changing, 4, 4, 0.28125, 0.71875 - 0.03125, 0.53125);
    lotor_changing_world_clear(&changing);
    changing = changing_of(world, "drift", 1000000);
    assert_int_equal(changing.count, LOTOR_DRIFT_STEPS);
    assert_int_equal(changing.pieces[1].first, 1000);
    assert_int_equal(changing.pieces[999].first, 999000);
    lotor_changing_world_clear(&changing);
    lotor_world_free(world);
}

/* A step starts in its round. Rows after the horizon are left out. */
TEST(steps_are_as_listed)
{
    lotor_world *world = three_arms();
    lotor_changing_world changing = changing_of(world, "steps:5=0.1,0.2,0.3;9=0,0,1;99=1,1,1", 12);
    assert_int_equal(changing.count, 3);
    expect_piece(&changing, 0, 0, 0.75, 0.5, 0.25);
    expect_piece(&changing, 1, 4, 0.1, 0.2, 0.3);
    expect_piece(&changing, 2, 8, 0, 0, 1);
    lotor_changing_world_clear(&changing);
    changing = changing_of(world, "steps:1=0.1,0.2,0.3", 12);
    assert_int_equal(changing.count, 1);
    expect_piece(&changing, 0, 0, 0.1, 0.2, 0.3);
    lotor_changing_world_clear(&changing);
    changing = changing_of(world, "steps:13=0.1,0.2,0.3", 12);
    assert_int_equal(changing.count, 1);
    expect_piece(&changing, 0, 0, 0.75, 0.5, 0.25);
    lotor_changing_world_clear(&changing);
    lotor_world_free(world);
}

/* Lines meet the listed means in the listed rounds, and are half way in the middle. With a long horizon
 * a step has the means of its middle: rounds 1 to 10 those of 5.5. */
TEST(lines_meet_the_listed_means)
{
    lotor_world *world = three_arms();
    lotor_changing_world changing = changing_of(world, "lines:5=0.25,0.5,0.75;9=0,0,1", 12);
    assert_int_equal(changing.count, 12);
    expect_piece(&changing, 0, 0, 0.75, 0.5, 0.25);
    expect_piece(&changing, 2, 2, 0.5, 0.5, 0.5);
    expect_piece(&changing, 4, 4, 0.25, 0.5, 0.75);
    expect_piece(&changing, 6, 6, 0.125, 0.25, 0.875);
    expect_piece(&changing, 8, 8, 0, 0, 1);
    expect_piece(&changing, 11, 11, 0, 0, 1);
    lotor_changing_world_clear(&changing);
    changing = changing_of(world, "lines:10001=0.25,0.5,0.75", 10000);
    assert_int_equal(changing.count, 1000);
    expect_piece(&changing, 0, 0, 0.75 - 0.5 * 4.5 / 10000, 0.5, 0.25 + 0.5 * 4.5 / 10000);
    lotor_changing_world_clear(&changing);
    lotor_world_free(world);
}

/* A walk far from 0 and 1 has the standard deviation that was asked for: of 300 arms, the spread is
 * within five standard errors (a factor of 1 + 5/sqrt(600)); 10% of the steps have 10% of the variance. A
 * wide walk is reflected, and stays in [0,1]. The seed decides. */
TEST(walks)
{
    enum { ARMS = 300, ROUNDS = 5000 };
    double means[ARMS];
    for (size_t i = 0; i < ARMS; i++) {
        means[i] = 0.5;
    }
    lotor_world *world;
    assert_int_equal(lotor_world_bernoulli(ARMS, means, NULL, &world), LOTOR_OK);
    lotor_changing_world changing = changing_of(world, "walk:0.05", ROUNDS);
    assert_int_equal(changing.count, 1000);
    const size_t ends[] = {99, 999};
    const double variances[] = {0.1 * 0.05 * 0.05, 0.05 * 0.05};
    for (size_t e = 0; e < 2; e++) {
        double squares = 0;
        for (size_t i = 0; i < ARMS; i++) {
            const double moved = changing.pieces[ends[e]].world->means[i] - 0.5;
            squares += moved * moved;
        }
        const double ratio = squares / (double)ARMS / variances[e];
        assert_true(fabs(ratio - 1) < 5 * sqrt(2.0 / (double)ARMS));
    }
    lotor_changing_world_clear(&changing);
    lotor_changing_world wide = changing_of(world, "walk:1", ROUNDS);
    double low = 1, high = 0;
    for (size_t p = 0; p < wide.count; p++) {
        for (size_t i = 0; i < ARMS; i++) {
            low = fmin(low, wide.pieces[p].world->means[i]);
            high = fmax(high, wide.pieces[p].world->means[i]);
        }
    }
    assert_true(low >= 0 && low < 0.01 && high <= 1 && high > 0.99);
    const lotor_change change = change_of("walk:1");
    lotor_changing_world other;
    assert_int_equal(lotor_changing_world_make(world, &change, ROUNDS, 2, NULL, &other), LOTOR_OK);
    assert_true(other.pieces[0].world->means[0] != wide.pieces[0].world->means[0]);
    lotor_changing_world_clear(&other);
    lotor_changing_world_clear(&wide);
    lotor_world_free(world);
}

/* Pieces without a round are left out; the largest horizon does not overflow. */
TEST(short_and_long_horizons)
{
    lotor_world *world = three_arms();
    lotor_changing_world changing = changing_of(world, "swaps:5", 2);
    assert_int_equal(changing.count, 2);
    assert_int_equal(changing.pieces[0].first, 0);
    assert_int_equal(changing.pieces[1].first, 1);
    lotor_changing_world_clear(&changing);
    changing = changing_of(world, "swaps:1000", UINT64_C(1) << 53);
    assert_int_equal(changing.count, 1000);
    assert_int_equal(changing.pieces[500].first, UINT64_C(1) << 52);
    lotor_changing_world_clear(&changing);
    lotor_world_free(world);
}

/* All laws keep their kind. Recorded rewards can't change. */
TEST(laws_of_rewards)
{
    const double means[] = {0.2, 0.6};
    lotor_world *beta, *uniform;
    assert_int_equal(lotor_world_beta(2, means, 3.0, NULL, &beta), LOTOR_OK);
    assert_int_equal(lotor_world_uniform(2, means, NULL, &uniform), LOTOR_OK);
    lotor_world *const worlds[] = {beta, uniform};
    for (size_t i = 0; i < 2; i++) {
        lotor_changing_world steps = changing_of(worlds[i], "steps:2=0.3,0.4", 10);
        assert_string_equal(steps.pieces[1].world->id, worlds[i]->id);
        assert_true(steps.pieces[1].world->means[1] == 0.4);
        lotor_changing_world_clear(&steps);
        lotor_changing_world changing = changing_of(worlds[i], "swaps:2", 10);
        assert_string_equal(changing.pieces[1].world->id, worlds[i]->id);
        assert_true(changing.pieces[1].world->means[0] == 0.6);
        lotor_changing_world_clear(&changing);
    }
    lotor_world recorded = *beta;
    recorded.with_means = NULL;
    lotor_changing_world changing;
    const lotor_change change = change_of("swaps");
    lotor_message why = {""};
    assert_int_equal(lotor_changing_world_make(&recorded, &change, 10, 1, &why, &changing),
                     LOTOR_INVALID);
    assert_non_null(strstr(why.text, "recorded"));
    lotor_world_free(beta);
    lotor_world_free(uniform);
}

/* --- regret ------------------------------------------------------------------------------------- */

/* Two arms that pay 1 and 0, and change places in the middle. The feedback of the first half
 * arrives in the second, that of the second half never. So the same arms are shown as in the fixed
 * world. In the second half, one world loses where the other does not: together 1 a round. */
TEST(regret_is_against_the_best_of_the_round)
{
    enum { HALF = 300 };
    lotor_world *world;
    assert_int_equal(lotor_world_bernoulli(2, (const double[]){1.0, 0.0}, NULL, &world), LOTOR_OK);
    lotor_changing_world changing = changing_of(world, "swaps:2", 2 * HALF);
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        if (!lotor_algorithm_plays(&lotor_algorithms[c], LOTOR_PROBLEM_FINITE)) {
            continue;
        }
        for (int exact = 0; exact < 2; exact++) {
            lotor_experiment trial = experiment_of(world, lotor_algorithms[c].id, 2 * HALF, 1);
            trial.policy.epsilon = lotor_ratio_of(1, 0);
            trial.delay.most = HALF;
            trial.exact_rounds = exact;
            trial.checkpoints = 2 * HALF;
            lotor_experiment_result fixed = simulate(&trial);
            trial.changing = &changing;
            lotor_experiment_result swapped = simulate(&trial);
            double half = -1.0;
            for (size_t i = 0; i < fixed.checkpoint_count; i++) {
                half = fixed.checkpoints[i].t == HALF ? fixed.checkpoints[i].mean : half;
            }
            assert_true(half >= 0.0);
            assert_true(fixed.regret_mean + swapped.regret_mean == 2.0 * half + (double)HALF);
            assert_true(swapped.reference.per_round == 1.0);
            lotor_experiment_result_free(&fixed);
            lotor_experiment_result_free(&swapped);
        }
    }
    lotor_changing_world_clear(&changing);
    lotor_world_free(world);
}

/* drift:1 with 4 rounds and means 1, 0: 7/8 5/8 3/8 1/8 for the first arm. The best pay 7/8, 5/8,
 * 5/8 and 7/8: 3/4 on average. Regret and reward add up to that. */
TEST(the_best_is_an_average_over_rounds)
{
    lotor_world *world;
    assert_int_equal(lotor_world_bernoulli(2, (const double[]){1.0, 0.0}, NULL, &world), LOTOR_OK);
    lotor_changing_world changing = changing_of(world, "drift:1", 4);
    lotor_experiment trial = experiment_of(world, "ucb", 4, 3);
    trial.changing = &changing;
    lotor_experiment_result result = simulate(&trial);
    assert_true(result.reference.per_round == 0.75);
    assert_true(fabs(result.return_mean + result.regret_mean / 4.0 - 0.75) < 1e-12);
    lotor_experiment_result_free(&result);
    lotor_changing_world_clear(&changing);
    lotor_world_free(world);
}

/* A change to the same means changes no number, to the last bit, where rounds are not combined. */
TEST(equal_pieces_are_one_world)
{
    lotor_world *world;
    assert_int_equal(lotor_world_bernoulli(3, (const double[]){0.4, 0.4, 0.4}, NULL, &world),
                     LOTOR_OK);
    lotor_changing_world changing = changing_of(world, "drift", 2000);
    lotor_experiment trial = experiment_of(world, "ucb", 2000, 2);
    lotor_experiment_result fixed = simulate(&trial);
    trial.changing = &changing;
    lotor_experiment_result same = simulate(&trial);
    assert_true(fixed.regret_mean == same.regret_mean);
    assert_true(fabs(fixed.return_mean - same.return_mean) < 1e-12);
    lotor_experiment_result_free(&fixed);
    lotor_experiment_result_free(&same);
    lotor_changing_world_clear(&changing);
    lotor_world_free(world);
}

/* With and without shortcuts, means of 200 runs agree within five standard errors. */
TEST(shortcuts_keep_the_law)
{
    lotor_world *world = world_of("c2", 3);
    lotor_changing_world swaps = changing_of(world, "swaps:4", 3000);
    lotor_changing_world drift = changing_of(world, "drift:4", 3000);
    lotor_changing_world steps = changing_of(world, "steps:777=0.2,0.9,0.4;2001=0.9,0,0.1", 3000);
    lotor_changing_world walk = changing_of(world, "walk:0.4", 3000);
    const lotor_changing_world *const all[] = {&swaps, &drift, &steps, &walk};
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        if (!lotor_algorithm_plays(&lotor_algorithms[c], LOTOR_PROBLEM_FINITE)) {
            continue;
        }
        lotor_experiment trial = experiment_of(world, lotor_algorithms[c].id, 3000, 200);
        trial.changing = all[c % 4];
        lotor_experiment_result fast = simulate(&trial);
        trial.exact_rounds = true;
        trial.seed = 4;
        lotor_experiment_result slow = simulate(&trial);
        const double error = hypot(fast.regret_stderr, slow.regret_stderr);
        if (!(fabs(fast.regret_mean - slow.regret_mean) <= 5.0 * error + 1e-6)) {
            fail_msg("%s: %g and %g", trial.policy.algorithm, fast.regret_mean, slow.regret_mean);
        }
        lotor_experiment_result_free(&fast);
        lotor_experiment_result_free(&slow);
    }
    lotor_changing_world_clear(&swaps);
    lotor_changing_world_clear(&drift);
    lotor_changing_world_clear(&steps);
    lotor_changing_world_clear(&walk);
    lotor_world_free(world);
}
