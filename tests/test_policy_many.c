/* test_policy_many.c - many rounds at once: the same as one by one, for every row of the catalog; and
 * refused feedback changes nothing. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "support/rows.h"

enum { ROUNDS = 600, MOST = 64 };

static test_source source, twin;
static lotor_message why;

/* The feedback of events first, first + 1, ..., as rows_observe gives it. */
typedef struct answers {
    double rewards[MOST][ROWS_ARMS];
    lotor_feedback feedback[MOST];
} answers;

static void answer(const lotor_policy *policy, uint64_t first, size_t rounds, size_t asked,
                   answers *out)
{
    assert_true(rounds <= MOST && asked <= ROWS_ARMS);
    for (size_t i = 0; i < rounds; i++) {
        for (size_t j = 0; j < asked; j++) {
            out->rewards[i][j] = rows_reward(policy, first + i, j);
        }
        if (policy->params.cascade) {
            out->feedback[i] = (lotor_feedback){.click = rows_click(policy, first + i)};
        } else {
            out->feedback[i] = (lotor_feedback){out->rewards[i], asked, 0};
        }
    }
}

static void for_every_row(void (*check)(const lotor_policy_params *params))
{
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        if (lotor_algorithms[c].problem == LOTOR_PROBLEM_LINEAR) {
            continue;
        }
        lotor_policy_params params = rows_params(&lotor_algorithms[c], ROUNDS);
        check(&params);
        for (int i = 1; i < rows_structures(&lotor_algorithms[c]); i++) {
            rows_set_structure(&params, (lotor_structure)i);
            check(&params);
        }
        if (lotor_algorithms[c].problem == LOTOR_PROBLEM_ANY) {
            params = rows_list_params(&lotor_algorithms[c], ROUNDS);
            check(&params);
        }
        params = rows_params(&lotor_algorithms[c], ROUNDS);
        params.epsilon = lotor_ratio_of(1, 2); /* longer batches for some */
        check(&params);
    }
}

/* True for rows that hold a decision for a whole batch, which becomes longer and longer. */
static bool holds_batches(const lotor_policy *policy)
{
    return lotor_policy_records_one(policy->algorithm) && !lotor_policy_releases_each(policy);
}

/* Plays a bulk in `many`, and the same rounds in `single`: chosen and learnt in turn, or all chosen
 * first. */
static uint64_t play_both(lotor_policy *many, lotor_policy *single, uint64_t t, bool in_turn)
{
    lotor_decision held, one;
    uint64_t rounds;
    assert_int_equal(lotor_policy_choose_many(many, 1 + t % MOST, &why, &held, &rounds), LOTOR_OK);
    assert_true(rounds >= 1 && rounds <= 1 + t % MOST);
    assert_int_equal(held.event, t <= ROUNDS ? t : 0);
    answers given;
    answer(many, t, rounds, held.asked_count, &given);
    for (uint64_t i = 0; i < rounds; i++) {
        assert_int_equal(lotor_policy_choose(single, NULL, &why, &one), LOTOR_OK);
        assert_int_equal(one.event, held.event ? held.event + i : 0);
        one.event = held.event;
        one.hold = held.hold;
        rows_expect_same_decision(&held, &one);
        if (in_turn) {
            assert_int_equal(
                lotor_policy_learn(single, held.event ? t + i : 0, &given.feedback[i], &why),
                LOTOR_OK);
        }
    }
    for (uint64_t i = 0; i < rounds && !in_turn && held.event; i++) {
        assert_int_equal(rows_observe(single, t + i, held.asked_count), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(single, t + i, &why), LOTOR_OK);
    }
    assert_int_equal(lotor_policy_learn_many(many, held.event, rounds, given.feedback, &why),
                     LOTOR_OK);
    return rounds;
}

static void expect_same_as_single(const lotor_policy_params *params)
{
    for (int in_turn = 0; in_turn < 2; in_turn++) {
        test_source_seed(&source, 1);
        test_source_seed(&twin, 1);
        lotor_policy *many = rows_make(params, &source), *single = rows_make(params, &twin);
        uint64_t longest = 0;
        for (uint64_t t = 1; t <= ROUNDS + 20;) {
            const uint64_t rounds = play_both(many, single, t, in_turn);
            longest = rounds > longest ? rounds : longest;
            rows_expect_same_state(many, single);
            t += rounds;
        }
        if (holds_batches(many) && longest < 8) {
            fail_msg("%s: the longest bulk has %llu rounds", params->algorithm,
                     (unsigned long long)longest);
        }
        lotor_policy_free(many);
        lotor_policy_free(single);
    }
}

/* The same decisions, the same noise, the same saved state after every bulk; also past the horizon.
 * In a bulk of several rounds the decision does not change, whether feedback comes in between or
 * not. */
TEST(many_rounds_are_the_same_as_single_rounds)
{
    for_every_row(expect_same_as_single);
}

/* The same while the previous bulk is still open. */
static void expect_same_with_open_rounds(const lotor_policy_params *params)
{
    test_source_seed(&source, 6);
    test_source_seed(&twin, 6);
    lotor_policy *many = rows_make(params, &source), *single = rows_make(params, &twin);
    uint64_t before = 0, before_rounds = 0;
    size_t before_asked = 0;
    for (uint64_t t = 1; t <= ROUNDS;) {
        lotor_decision held, one;
        uint64_t rounds;
        assert_int_equal(lotor_policy_choose_many(many, MOST, &why, &held, &rounds), LOTOR_OK);
        assert_int_equal(held.event, t);
        for (uint64_t i = 0; i < rounds; i++) {
            assert_int_equal(lotor_policy_choose(single, NULL, &why, &one), LOTOR_OK);
            one.event = held.event;
            one.hold = held.hold;
            rows_expect_same_decision(&held, &one);
        }
        rows_expect_same_state(many, single);
        answers given;
        answer(many, before, before_rounds, before_asked, &given);
        assert_int_equal(lotor_policy_learn_many(many, before, before_rounds, given.feedback, &why),
                         LOTOR_OK);
        for (uint64_t i = 0; i < before_rounds; i++) {
            assert_int_equal(lotor_policy_learn(single, before + i, &given.feedback[i], &why),
                             LOTOR_OK);
        }
        rows_expect_same_state(many, single);
        before = t;
        before_rounds = rounds;
        before_asked = held.asked_count;
        t += rounds;
    }
    lotor_policy_free(many);
    lotor_policy_free(single);
}

TEST(many_rounds_are_the_same_while_others_are_open)
{
    for_every_row(expect_same_with_open_rounds);
}

/* How many rounds the first bulk of a policy with one arm has. */
static uint64_t held_rounds(const char *algorithm, uint64_t limit)
{
    test_source_seed(&source, 2);
    const lotor_policy_params params = {
        .algorithm = algorithm, .arms = 1, .horizon = 1000, .epsilon = lotor_ratio_of(1, 1)};
    lotor_policy *policy = rows_make(&params, &source);
    lotor_decision decision;
    uint64_t rounds;
    assert_int_equal(lotor_policy_choose_many(policy, limit, &why, &decision, &rounds), LOTOR_OK);
    assert_int_equal(decision.event, 1);
    lotor_policy_free(policy);
    return rounds;
}

TEST(a_bulk_ends_where_the_decision_can_change)
{
    assert_int_equal(held_rounds("ucb", 100), 1);
    assert_int_equal(held_rounds("dp-se", UINT64_MAX), 1000); /* one arm, up to the horizon */
    assert_int_equal(held_rounds("dp-se", 7), 7);
}

static void expect_unchanged(lotor_policy *policy, const unsigned char *bytes, size_t length)
{
    unsigned char *now;
    size_t now_length;
    assert_int_equal(lotor_policy_save(policy, &now, &now_length), LOTOR_OK);
    assert_int_equal(now_length, length);
    assert_memory_equal(now, bytes, length);
    lotor_bytes_free(now, now_length);
}

/* A policy with one viable arm and five open rounds, of which the second has feedback. */
static lotor_policy *open_five(lotor_feedback *feedback)
{
    test_source_seed(&source, 3);
    const lotor_policy_params params = {
        .algorithm = "dp-se", .arms = 1, .horizon = 8, .epsilon = lotor_ratio_of(1, 1)};
    lotor_policy *policy = rows_make(&params, &source);
    lotor_decision decision;
    uint64_t rounds;
    assert_int_equal(lotor_policy_choose_many(policy, 5, &why, &decision, &rounds), LOTOR_OK);
    assert_int_equal(rounds, 5);
    static const double one = 1.0;
    for (size_t i = 0; i < 5; i++) {
        feedback[i] = (lotor_feedback){&one, 1, 0};
    }
    return policy;
}

TEST(refused_feedback_changes_nothing)
{
    lotor_feedback feedback[5];
    lotor_policy *policy = open_five(feedback);
    unsigned char *bytes;
    size_t length;
    assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
    static const double wrong[] = {NAN, INFINITY, -INFINITY, 1.5, -0.25};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const lotor_feedback good = feedback[4];
        feedback[4].rewards = &wrong[i];
        assert_int_equal(lotor_policy_learn_many(policy, 1, 5, feedback, &why), LOTOR_RANGE);
        assert_string_equal(why.text, isnan(wrong[i])
                                          ? "round 5: the reward is NaN, not a number in the "
                                            "declared range 0 to 1: send a reward in the range"
                                          : "round 5: the reward is not in the declared range 0 "
                                            "to 1: send a reward in the range");
        expect_unchanged(policy, bytes, length);
        feedback[4] = good;
    }
    feedback[2].count = 2;
    assert_int_equal(lotor_policy_learn_many(policy, 1, 5, feedback, &why), LOTOR_RANGE);
    assert_string_equal(why.text, "round 3: the number of rewards is 2: expected 1");
    feedback[2] = (lotor_feedback){NULL, 1, 0};
    assert_int_equal(lotor_policy_learn_many(policy, 1, 5, feedback, &why), LOTOR_INVALID);
    feedback[2] = feedback[1];
    assert_int_equal(lotor_policy_learn_many(policy, 1, 5, NULL, &why), LOTOR_INVALID);
    assert_int_equal(lotor_policy_learn(policy, 1, NULL, &why), LOTOR_INVALID);
    assert_int_equal(lotor_policy_learn_many(policy, 4, UINT64_MAX, feedback, &why), LOTOR_UNKNOWN);
    assert_string_equal(why.text, "round 6: it was never shown");
    assert_int_equal(lotor_policy_learn_many(policy, UINT64_MAX, 2, feedback, &why), LOTOR_UNKNOWN);
    expect_unchanged(policy, bytes, length);
    assert_int_equal(lotor_policy_learn_many(policy, 0, 5, feedback, &why), LOTOR_OK);
    assert_int_equal(lotor_policy_learn_many(policy, 1, 0, feedback, &why), LOTOR_OK);
    assert_int_equal(lotor_policy_learn(policy, 0, feedback, &why), LOTOR_OK);
    expect_unchanged(policy, bytes, length);
    lotor_bytes_free(bytes, length);
    lotor_policy_free(policy);
}

/* One round of the five has an answer, and later one is over: the five are refused as a whole. */
TEST(rounds_that_have_an_answer_are_named)
{
    lotor_feedback feedback[5];
    lotor_policy *policy = open_five(feedback);
    assert_int_equal(lotor_policy_observe(policy, 2, feedback, &why), LOTOR_OK);
    assert_int_equal(lotor_policy_learn_many(policy, 1, 5, feedback, &why), LOTOR_DUPLICATE);
    assert_string_equal(why.text, "round 2: the round has feedback already, which stays");
    assert_int_equal(lotor_policy_expire(policy, 2, &why), LOTOR_OK);
    assert_int_equal(lotor_policy_learn_many(policy, 1, 5, feedback, &why), LOTOR_LATE);
    assert_int_equal(lotor_policy_learn(policy, 1, feedback, &why), LOTOR_OK);
    assert_int_equal(lotor_policy_learn(policy, 1, feedback, &why), LOTOR_LATE);
    assert_int_equal(lotor_policy_learn_many(policy, 3, 3, feedback, &why), LOTOR_OK);
    assert_int_equal(lotor_policy_learn_many(policy, 3, 3, feedback, &why), LOTOR_LATE);
    lotor_policy_free(policy);
}

TEST(bulks_that_can_not_be_chosen)
{
    lotor_feedback feedback[5];
    lotor_policy *policy = open_five(feedback);
    lotor_decision decision;
    uint64_t rounds = 9;
    assert_int_equal(lotor_policy_choose_many(policy, 0, &why, &decision, &rounds), LOTOR_INVALID);
    assert_int_equal(rounds, 0);
    lotor_policy_free(policy);
    const lotor_policy_params params = rows_params(lotor_catalog_find(NULL, "linucb"), 100);
    policy = rows_make(&params, &source);
    assert_int_equal(lotor_policy_choose_many(policy, 5, &why, &decision, &rounds), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "context"));
    assert_int_equal(rounds, 0);
    lotor_policy_free(policy);
}

/* Rounds of a linear policy are chosen one by one, but can be learnt together. */
TEST(linear_rounds_are_learnt_together)
{
    test_source_seed(&source, 4);
    test_source_seed(&twin, 4);
    const lotor_policy_params params = rows_params(lotor_catalog_find(NULL, "jdp-batch"), 100);
    lotor_policy *many = rows_make(&params, &source), *single = rows_make(&params, &twin);
    for (uint64_t first = 1; first <= 96; first += 8) {
        answers given;
        answer(many, first, 8, 1, &given);
        for (uint64_t t = first; t < first + 8; t++) {
            lotor_decision a, b;
            assert_int_equal(rows_choose(many, t, &why, &a), LOTOR_OK);
            assert_int_equal(rows_choose(single, t, &why, &b), LOTOR_OK);
            rows_expect_same_decision(&a, &b);
        }
        for (uint64_t t = first; t < first + 8; t++) {
            assert_int_equal(rows_observe(single, t, 1), LOTOR_OK);
            assert_int_equal(lotor_policy_expire(single, t, &why), LOTOR_OK);
        }
        assert_int_equal(lotor_policy_learn_many(many, first, 8, given.feedback, &why), LOTOR_OK);
        rows_expect_same_state(many, single);
    }
    lotor_policy_free(many);
    lotor_policy_free(single);
}

/* The source fails in the middle of a bulk, at any of its releases. `expire` finishes the bulk, and no
 * feedback is lost or counted twice: without noise the sums are exact. */
TEST(a_bulk_without_entropy_is_finished_later)
{
    static const double rewards[4] = {1.0, 0.0, 1.0, 1.0};
    lotor_feedback feedback[4];
    for (size_t i = 0; i < 4; i++) {
        feedback[i] = (lotor_feedback){&rewards[i], 1, 0};
    }
    unsigned failures = 0;
    for (size_t words = 0; words < 20; words++) {
        test_source_seed(&source, 5);
        const lotor_policy_params params = {
            .algorithm = "dp-ucb", .arms = 1, .horizon = 10, .epsilon = lotor_ratio_of(1000000, 1)};
        lotor_policy *policy = rows_make(&params, &source);
        lotor_decision decision;
        for (int i = 0; i < 4; i++) {
            assert_int_equal(lotor_policy_choose(policy, NULL, &why, &decision), LOTOR_OK);
        }
        source.window.left = 8 * words;
        source.refills_left = 0;
        const lotor_status status = lotor_policy_learn_many(policy, 1, 4, feedback, &why);
        source.refills_left = SIZE_MAX;
        source.source.status = LOTOR_OK;
        if (status != LOTOR_OK) {
            failures++;
            assert_int_equal(status, LOTOR_ENTROPY);
            assert_int_equal(lotor_policy_learn_many(policy, 1, 4, feedback, &why), LOTOR_LATE);
            assert_int_equal(lotor_policy_expire(policy, 4, &why), LOTOR_OK);
        }
        const lotor_fact *fact = lotor_board_at(policy->board, 0, 0);
        assert_int_equal(fact->count, 4);
        assert_true(fabs(fact->value - 3.0) < 0.01);
        lotor_policy_free(policy);
    }
    assert_true(failures > 3);
}
