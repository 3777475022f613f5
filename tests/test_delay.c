/* test_delay.c - delayed feedback: texts, the queue of rounds that wait, and whole runs whose regret
 * is known.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "lab/delay.h"
#include "policy/policy.h"
#include "support/experiments.h"

static lotor_delay delay_of(const char *text)
{
    lotor_delay delay;
    lotor_message why = {""};
    if (lotor_delay_read(text, &why, &delay) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return delay;
}

TEST(texts_are_read)
{
    assert_false(lotor_delay_is_on(&(lotor_delay){0}));
    lotor_delay delay = delay_of(NULL);
    assert_false(lotor_delay_is_on(&delay));
    delay = delay_of("0");
    assert_false(lotor_delay_is_on(&delay));
    delay = delay_of("1e4");
    assert_int_equal(delay.law, LOTOR_DELAY_FIXED);
    assert_int_equal(delay.most, 10000);
    delay = delay_of("uniform:3-2e3");
    assert_int_equal(delay.law, LOTOR_DELAY_UNIFORM);
    assert_int_equal(delay.least, 3);
    assert_int_equal(delay.most, 2000);
    delay = delay_of("geometric:12");
    assert_int_equal(delay.law, LOTOR_DELAY_GEOMETRIC);
    assert_int_equal(delay.most, 12);
    static const char *const bad[] = {
        "",           "x",           "-1",         "1.5",
        "1e",         "e3",          "1e99",       "99999999999999999",
        "uniform:",   "uniform:3",   "uniform:-3", "uniform:5-2",
        "geometric:", "geometric:x", "fixed:3",    "3 "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        lotor_message why = {""};
        assert_int_equal(lotor_delay_read(bad[i], &why, &delay), LOTOR_INVALID);
        assert_memory_equal(why.text, "delay \"", 7);
    }
}

/* --- the queue ---------------------------------------------------------------------------------- */

/* Adds `rounds` rounds of an arm, and fails if there is no memory. */
static void add(lotor_delay_queue *queue, uint32_t arm, uint64_t rounds, bool ends)
{
    const lotor_delayed_rounds added = {.arm = arm, .rounds = rounds, .ends_a_batch = ends};
    assert_int_equal(lotor_delay_queue_add(queue, added), LOTOR_OK);
}

/* Delay 10, horizon 100. Rounds 1 to 3 are recorded for arm 0, round 4 for arm 1, where a batch
 * ends, rounds 5 to 9 for arm 0, where another ends. They are final after rounds 13, 14 and 19. */
TEST(rounds_wait_for_the_last_of_them)
{
    const lotor_delay delay = delay_of("10");
    lotor_delay_queue queue = lotor_delay_queue_of(&delay, 100, 1);
    lotor_delayed_rounds delayed;
    assert_int_equal(lotor_delay_queue_next_end(&queue), UINT64_MAX);
    add(&queue, 0, 3, false);
    assert_int_equal(lotor_delay_queue_next_end(&queue), UINT64_MAX);
    add(&queue, 1, 1, true);
    add(&queue, 0, 5, true);
    assert_int_equal(lotor_delay_queue_next_end(&queue), 14);
    assert_false(lotor_delay_queue_take(&queue, 12, &delayed));
    assert_true(lotor_delay_queue_take(&queue, 13, &delayed));
    assert_int_equal(delayed.arm, 0);
    assert_int_equal(delayed.rounds, 3);
    assert_int_equal(delayed.final, 13);
    assert_int_equal(lotor_delay_queue_next_end(&queue), 14);
    assert_false(lotor_delay_queue_take(&queue, 13, &delayed));
    assert_true(lotor_delay_queue_take(&queue, 14, &delayed));
    assert_int_equal(delayed.arm, 1);
    assert_int_equal(lotor_delay_queue_next_end(&queue), 19);
    assert_true(lotor_delay_queue_take(&queue, 19, &delayed));
    assert_int_equal(delayed.rounds, 5);
    assert_int_equal(lotor_delay_queue_next_end(&queue), UINT64_MAX);
    assert_false(lotor_delay_queue_take(&queue, 100, &delayed));
    lotor_delay_queue_free(&queue);
}

/* Delay 10, horizon 30: round 20 is final after the last round, round 21 never. */
TEST(what_comes_after_the_horizon_is_not_kept)
{
    const lotor_delay delay = delay_of("10");
    lotor_delay_queue queue = lotor_delay_queue_of(&delay, 30, 1);
    lotor_delayed_rounds delayed;
    for (int i = 0; i < 30; i++) {
        add(&queue, 0, 1, true);
    }
    uint64_t taken = 0;
    while (lotor_delay_queue_take(&queue, 30, &delayed)) {
        taken += delayed.rounds;
    }
    assert_int_equal(taken, 20);
    lotor_delay_queue_free(&queue);
}

/* Random delays: a round is never final before a round that was displayed earlier, and is final
 * when its own delay and those before it are over. The mean delays are those of their laws. */
static void expect_delays(const char *text, uint64_t least, uint64_t most, double mean)
{
    enum { ROUNDS = 20000 };
    const lotor_delay delay = delay_of(text);
    double sum = 0.0;
    for (uint64_t seed = 0; seed < ROUNDS; seed++) { /* the first round waits for no other */
        lotor_delay_queue queue = lotor_delay_queue_of(&delay, UINT64_MAX / 2, seed);
        add(&queue, 0, 1, false);
        assert_in_range(queue.final - 1, least, most);
        sum += (double)(queue.final - 1);
        lotor_delay_queue_free(&queue);
    }
    const double spread = fmax(mean, (double)(most < ROUNDS ? most - least : 0));
    if (fabs(sum / (double)ROUNDS - mean) > 5.0 * spread / sqrt(ROUNDS) + 1e-9) {
        fail_msg("%s: the mean is %g", text, sum / (double)ROUNDS);
    }
    lotor_delay_queue queue = lotor_delay_queue_of(&delay, UINT64_MAX / 2, 7);
    uint64_t before = 0;
    for (uint64_t t = 1; t <= 1000; t++) {
        add(&queue, 0, 1, false);
        assert_true(queue.final >= before && queue.final >= t + least);
        before = queue.final;
    }
    lotor_delay_queue_free(&queue);
}

TEST(delays_have_their_laws)
{
    expect_delays("17", 17, 17, 17.0);
    expect_delays("uniform:3-9", 3, 9, 6.0);
    expect_delays("uniform:0-1", 0, 1, 0.5);
    expect_delays("geometric:0", 0, 0, 0.0);
    expect_delays("geometric:1", 0, UINT64_MAX / 4, 1.0);
    expect_delays("geometric:40", 0, UINT64_MAX / 4, 40.0);
}

/* Rounds in one piece and one by one are final at the same time. */
TEST(pieces_change_no_delay)
{
    const lotor_delay delay = delay_of("geometric:50");
    lotor_delay_queue whole = lotor_delay_queue_of(&delay, 1 << 20, 5), single = whole;
    for (uint64_t i = 1; i <= 50; i++) {
        add(&whole, 0, i, false);
        for (uint64_t j = 0; j < i; j++) {
            add(&single, 0, 1, false);
        }
        assert_int_equal(whole.final, single.final);
        assert_int_equal(whole.shown, single.shown);
    }
    lotor_delay_queue_free(&whole);
    lotor_delay_queue_free(&single);
}

/* --- whole runs --------------------------------------------------------------------------------- */

static bool shows_one(const lotor_algorithm *row)
{
    return lotor_algorithm_plays(row, LOTOR_PROBLEM_FINITE);
}

static lotor_world *sure_world(double first, double second)
{
    lotor_world *world;
    const double means[] = {first, second};
    assert_int_equal(lotor_world_bernoulli(2, means, NULL, &world), LOTOR_OK);
    return world;
}

/* Feedback of round 1 is known after round 1 + W. So rounds 1 to W + 1 are the same in two worlds
 * that pay the opposite: together, they lose 1 a round. After that, what is lost depends on the
 * world. */
TEST(nothing_is_known_before_the_delay_is_over)
{
    enum { WAIT = 50, HORIZON = 10000 };
    lotor_world *first = sure_world(1.0, 0.0), *second = sure_world(0.0, 1.0);
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        if (!shows_one(&lotor_algorithms[c])) {
            continue;
        }
        lotor_experiment trial = experiment_of(first, lotor_algorithms[c].id, HORIZON, 1);
        trial.policy.epsilon = lotor_ratio_of(1, 0);
        trial.delay = (lotor_delay){.most = WAIT};
        trial.checkpoints = 400;
        for (int exact = 0; exact < 2; exact++) {
            trial.exact_rounds = exact;
            trial.world = first;
            lotor_experiment_result a = simulate(&trial);
            trial.world = second;
            lotor_experiment_result b = simulate(&trial);
            for (size_t i = 0; i < a.checkpoint_count && a.checkpoints[i].t <= WAIT + 1; i++) {
                assert_true(a.checkpoints[i].mean + b.checkpoints[i].mean ==
                            (double)a.checkpoints[i].t);
            }
            if (!(a.regret_mean + b.regret_mean < (double)HORIZON)) {
                fail_msg("%s learns nothing", lotor_algorithms[c].id);
            }
            lotor_experiment_result_free(&a);
            lotor_experiment_result_free(&b);
        }
    }
    lotor_world_free(first);
    lotor_world_free(second);
}

/* Where rewards are sure and there is no noise, skipping ahead shows the same sets as single
 * rounds, for any delay. */
TEST(skipping_ahead_shows_the_same_sets)
{
    static const double means[] = {1.0, 0.0, 0.0, 1.0, 0.0, 1.0};
    static const char *const delays[] = {"1", "7", "300", "uniform:3-40", "geometric:20", "5000"};
    lotor_world *world;
    assert_int_equal(lotor_world_bernoulli(6, means, NULL, &world), LOTOR_OK);
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        const lotor_algorithm *row = &lotor_algorithms[c];
        for (size_t d = 0; row->problem == LOTOR_PROBLEM_ANY && d < 12; d++) {
            lotor_experiment trial = experiment_of(world, row->id, 2000, 3);
            trial.policy.epsilon = lotor_ratio_of(1, 0);
            trial.policy.slots = 1 + d % 2;
            trial.delay = delay_of(delays[d / 2]);
            lotor_experiment_result fast = simulate(&trial);
            trial.exact_rounds = true;
            lotor_experiment_result slow = simulate(&trial);
            expect_same_checkpoints(&fast, &slow);
            lotor_experiment_result_free(&fast);
            lotor_experiment_result_free(&slow);
        }
    }
    lotor_world_free(world);
}

/* A delay of 0 is none, and a sure delay is a fixed one: the same numbers, to the last bit. */
TEST(delays_that_are_sure)
{
    static const char *const pairs[][2] = {
        {NULL, "0"}, {"0", "uniform:0-0"}, {"0", "geometric:0"}, {"60", "uniform:60-60"}};
    lotor_world *world = world_of("c2", 3);
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        const lotor_algorithm *row = &lotor_algorithms[c];
        for (size_t d = 0; shows_one(row) && d < sizeof pairs / sizeof *pairs; d++) {
            const bool is_local = row->imed && row->imed->is_local;
            if ((row->problem != LOTOR_PROBLEM_ANY || is_local) && (d == 1 || d == 2)) {
                continue; /* these play single rounds, and draw other numbers */
            }
            lotor_experiment trial = experiment_of(world, row->id, 3000, 3);
            trial.delay = delay_of(pairs[d][0]);
            lotor_experiment_result a = simulate(&trial);
            trial.delay = delay_of(pairs[d][1]);
            lotor_experiment_result b = simulate(&trial);
            expect_same_checkpoints(&a, &b);
            lotor_experiment_result_free(&a);
            lotor_experiment_result_free(&b);
        }
    }
    lotor_world_free(world);
}

/* Skipping ahead keeps the law where rewards and noise are random: means of 300 runs agree within
 * five standard errors. */
TEST(skipping_ahead_keeps_the_law)
{
    static const char *const delays[] = {"200", "geometric:50"};
    lotor_world *world = world_of("c2", 3);
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        for (size_t d = 0; lotor_algorithms[c].problem == LOTOR_PROBLEM_ANY && d < 2; d++) {
            lotor_experiment trial = experiment_of(world, lotor_algorithms[c].id, 3000, 300);
            trial.delay = delay_of(delays[d]);
            lotor_experiment_result fast = simulate(&trial);
            trial.exact_rounds = true;
            trial.seed = 4;
            lotor_experiment_result slow = simulate(&trial);
            const double error = hypot(fast.regret_stderr, slow.regret_stderr);
            if (!(fabs(fast.regret_mean - slow.regret_mean) <= 5.0 * error)) {
                fail_msg("%s, delay %s: %g and %g", trial.policy.algorithm, delays[d],
                         fast.regret_mean, slow.regret_mean);
            }
            lotor_experiment_result_free(&fast);
            lotor_experiment_result_free(&slow);
        }
    }
    lotor_world_free(world);
}

/* In linear worlds a delay of the whole horizon leaves nothing to learn from. */
TEST(linear_learners_wait_too)
{
    lotor_linear_world world;
    assert_int_equal(lotor_linear_world_make(3, 6, 0.2, NULL, &world), LOTOR_OK);
    lotor_experiment trial = linear_experiment(&world, "linucb", 2000, 5);
    lotor_experiment_result at_once = simulate(&trial);
    trial.delay = (lotor_delay){.most = 500};
    lotor_experiment_result delayed = simulate(&trial);
    trial.delay = (lotor_delay){.most = 2000};
    lotor_experiment_result never = simulate(&trial);
    assert_true(at_once.regret_mean < delayed.regret_mean);
    assert_true(delayed.regret_mean < never.regret_mean);
    lotor_experiment_result_free(&at_once);
    lotor_experiment_result_free(&delayed);
    lotor_experiment_result_free(&never);
}

/* The simulator expires rounds in the order of display. A policy that is told of them in the order
 * of arrival makes the same choices. */
TEST(the_order_of_arrival_does_not_matter)
{
    enum { ROUNDS = 400, ARMS = 3 };
    const lotor_delay delay = delay_of("uniform:0-30");
    const lotor_policy_params params = {
        .algorithm = "batch-klucb", .arms = ARMS, .epsilon = lotor_ratio_of(1, 0)};
    lotor_message why = {""};
    lotor_generator unused;
    lotor_generator_seed(&unused, 1);
    lotor_policy *in_order, *as_they_come;
    assert_int_equal(lotor_policy_new_simulated(&params, 1.0, &unused, 9, &why, &in_order),
                     LOTOR_OK);
    assert_int_equal(lotor_policy_new_simulated(&params, 1.0, &unused, 9, &why, &as_they_come),
                     LOTOR_OK);
    lotor_delay_queue queue = lotor_delay_queue_of(&delay, ROUNDS, 3);
    uint64_t arrives[ROUNDS + 1];
    lotor_generator delays = queue.generator;
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        lotor_delay_queue own =
            lotor_delay_queue_of(&delay, ROUNDS, 3); /* a queue of this round alone */
        own.generator = delays;
        own.shown = t - 1;
        assert_int_equal(lotor_delay_queue_add(&own, (lotor_delayed_rounds){.rounds = 1}),
                         LOTOR_OK);
        arrives[t] = own.final;
        delays = own.generator;
        lotor_delay_queue_free(&own);

        lotor_decision a, b;
        assert_int_equal(lotor_policy_choose(in_order, NULL, &why, &a), LOTOR_OK);
        assert_int_equal(lotor_policy_choose(as_they_come, NULL, &why, &b), LOTOR_OK);
        assert_int_equal(a.arms[0], b.arms[0]);
        const double reward = a.arms[0] == 1 ? 1.0 : 0.0;
        const lotor_feedback feedback = {&reward, 1, 0};
        assert_int_equal(lotor_policy_observe(in_order, t, &feedback, &why), LOTOR_OK);
        assert_int_equal(lotor_policy_observe(as_they_come, t, &feedback, &why), LOTOR_OK);
        assert_int_equal(lotor_delay_queue_expire(&queue, in_order, &why), LOTOR_OK);
        for (uint64_t event = t; event >= 1; event--) { /* the youngest first */
            if (arrives[event] == t) {
                assert_int_equal(lotor_policy_expire(as_they_come, event, &why), LOTOR_OK);
            }
        }
    }
    lotor_delay_queue_free(&queue);
    lotor_policy_free(in_order);
    lotor_policy_free(as_they_come);
}
