/* test_serving_masks.c - decisions among some of the arms, and decisions that are undone. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "support/served.h"

enum { ROUNDS = 300 };

/* A mask for the round: one of the 2^5 masks, with at least `least` arms. */
static void fill_mask(uint64_t round, size_t least, bool eligible[ROWS_ARMS])
{
    for (uint64_t mask = round * 7;; mask++) {
        size_t count = 0;
        for (size_t i = 0; i < ROWS_ARMS; i++) {
            eligible[i] = mask >> i & 1;
            count += eligible[i];
        }
        if (count >= least) {
            return;
        }
    }
}

/* True if the set may be shown together; its arms are different. */
static bool is_independent(const lotor_policy *policy, const uint32_t *set, size_t count)
{
    const lotor_policy_params *params = &policy->params;
    size_t of_group[3] = {0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        const bool free_of_groups = params->structure != LOTOR_STRUCTURE_PARTITION;
        if (!free_of_groups && ++of_group[params->group[set[i]]] > 1) {
            return false;
        }
    }
    return count <= params->slots;
}

/* The largest sum of indices of a set of this size among the eligible arms. Infinite indices count
 * as far above the others. */
static double best_sum(const lotor_policy *policy, const bool *eligible, size_t size)
{
    double best = -INFINITY;
    for (unsigned mask = 1; mask < 1U << ROWS_ARMS; mask++) {
        uint32_t set[ROWS_ARMS];
        size_t count = 0;
        double sum = 0.0;
        bool may = true;
        for (uint32_t i = 0; i < ROWS_ARMS; i++) {
            if (mask >> i & 1) {
                may = may && eligible[i];
                set[count++] = i;
                sum += fmin(lotor_index_at(policy->index, i), 1e9);
            }
        }
        if (may && count == size && is_independent(policy, set, count)) {
            best = fmax(best, sum);
        }
    }
    return best;
}

/* Checks a decision under a mask: all shown arms are eligible, and no better set is possible,
 * unless a list was held. A list has its full length; a ranked list is in the order of decreasing
 * index; a recorded arm comes first. */
static void check_masked(const lotor_policy *policy, const served_round *round,
                         const bool *eligible, bool was_held)
{
    double sum = 0.0;
    for (size_t i = 0; i < round->count; i++) {
        assert_true(eligible[round->arms[i]]);
        sum += policy->index ? fmin(lotor_index_at(policy->index, round->arms[i]), 1e9) : 0.0;
        for (size_t j = 0; j < i; j++) {
            assert_int_not_equal(round->arms[i], round->arms[j]);
        }
    }
    if (policy->linear) {
        return;
    }
    if (policy->params.structure == LOTOR_STRUCTURE_TOP) {
        assert_int_equal(round->count, policy->params.slots);
        for (size_t i = 1; policy->index && !lotor_policy_is_ranked(policy) && i < round->count;
             i++) {
            assert_true(round->arms[i - 1] < round->arms[i]); /* a set has no order */
        }
    }
    const bool records_one = lotor_policy_records_one(policy->algorithm);
    const bool greedy = policy->params.structure <= LOTOR_STRUCTURE_PARTITION;
    if (policy->index && greedy && !was_held) {
        assert_float_equal(sum, best_sum(policy, eligible, round->count), 1e-6);
    }
    for (size_t i = 1; policy->algorithm->problem == LOTOR_PROBLEM_CASCADE && i < round->count;
         i++) {
        assert_true(lotor_index_at(policy->index, round->arms[i - 1]) >=
                    lotor_index_at(policy->index, round->arms[i]));
    }
    if (records_one && policy->params.cascade) {
        assert_int_equal(round->asked[0], round->arms[0]);
    }
}

/* No eligible action has a larger index. Before there is an estimate, the longest action is shown.
 * Returns whether there is an estimate. */
static bool check_action(const lotor_policy *policy, uint64_t t, const served_round *round,
                         const bool *eligible)
{
    double room[ROWS_ARMS * ROWS_DIMENSION], index[ROWS_ARMS], beta;
    const double *context = rows_context(policy, t, room);
    const double *theta = lotor_linear_theta_of(policy->linear, &beta);
    for (size_t i = 0; i < ROWS_ARMS; i++) {
        const double *x = context + i * ROWS_DIMENSION;
        const double width = lotor_linear_width(policy->linear, x);
        index[i] = isfinite(width) ? width : 0.0;
        for (size_t j = 0; j < ROWS_DIMENSION; j++) {
            index[i] += isfinite(width) ? theta[j] * x[j] : x[j] * x[j];
        }
    }
    for (size_t i = 0; i < ROWS_ARMS; i++) {
        assert_true(!eligible[i] || index[i] <= index[round->arms[0]] + 1e-9);
    }
    return isfinite(beta);
}

/* Masks in every round but each fourth; saved and loaded from time to time. */
static void expect_masks_kept(const lotor_policy_params *params)
{
    test_source source[2];
    test_source_seed(&source[0], 3);
    lotor_policy *policy = rows_make(params, &source[0]);
    const bool top = params->structure == LOTOR_STRUCTURE_TOP;
    int now = 0;
    uint64_t estimates = 0;
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        bool eligible[ROWS_ARMS];
        /* arm 3 is a loop of the custom matroid and the linear one: nothing without others */
        fill_mask(t, top ? policy->params.slots : 2, eligible);
        served_round round;
        bool was_held = policy->held.is_on;
        for (size_t i = 0; was_held && i < policy->held.count; i++) {
            was_held = eligible[policy->held.arms[i]];
        }
        served_draw(policy, t, t % 4 ? eligible : NULL, &round);
        assert_int_equal(round.event, t);
        if (t % 4) {
            check_masked(policy, &round, eligible, was_held);
            estimates += policy->linear && check_action(policy, t, &round, eligible);
        }
        served_enter(policy, &round, t % 3 != 0, &source[now].source);
        if (t % 20 == 3) {
            lotor_policy *loaded = rows_reload(policy, params, &source[now], &source[1 - now]);
            rows_expect_same_state(policy, loaded);
            lotor_policy_free(policy);
            policy = loaded;
            now = 1 - now;
        }
    }
    assert_true(!policy->linear || (estimates > 50 && estimates < ROUNDS));
    lotor_policy_free(policy);
}

TEST(masks_are_kept)
{
    served_each(ROUNDS, expect_masks_kept);
}

static lotor_policy *make(const char *id, size_t slots, test_source *source)
{
    lotor_policy_params params = rows_params(lotor_algorithms_find(id), 0);
    params.slots = slots;
    test_source_seed(source, 3);
    return rows_make(&params, source);
}

TEST(too_few_arms)
{
    test_source source;
    lotor_policy *policy = make("batch-klucb", 3, &source);
    const bool two[ROWS_ARMS] = {true, false, false, true, false};
    const bool three[ROWS_ARMS] = {true, false, false, true, true};
    lotor_decision decision;
    lotor_message why = {""};
    assert_int_equal(lotor_policy_draw(policy, NULL, two, &why, &decision), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "too few arms may be shown (2 of at least 3)"));
    assert_int_equal(lotor_policy_rounds(policy), 0);
    assert_int_equal(lotor_policy_draw(policy, NULL, three, &why, &decision), LOTOR_OK);
    assert_int_equal(lotor_policy_rounds(policy), 1);
    lotor_policy_free(policy);

    lotor_policy_params params = rows_params(lotor_algorithms_find("dpucb-mat"), 0);
    rows_set_structure(&params, LOTOR_STRUCTURE_CUSTOM_MATROID);
    policy = rows_make(&params, &source);
    const bool loop[ROWS_ARMS] = {[3] = true}, none[ROWS_ARMS] = {false};
    assert_int_equal(lotor_policy_draw(policy, NULL, loop, &why, &decision), LOTOR_INVALID);
    assert_int_equal(lotor_policy_draw(policy, NULL, none, &why, &decision), LOTOR_INVALID);
    assert_int_equal(lotor_policy_rounds(policy), 0);
    lotor_policy_free(policy);
}

/* The context of an arm that is not eligible is not read. The message about an invalid one has no
 * numbers of it. */
TEST(contexts_of_masked_arms)
{
    const lotor_policy_params params = rows_params(lotor_algorithms_find("jdp-batch"), 100);
    test_source source;
    test_source_seed(&source, 3);
    lotor_policy *policy = rows_make(&params, &source);
    double context[ROWS_ARMS * ROWS_DIMENSION];
    (void)rows_context(policy, 1, context);
    context[ROWS_DIMENSION] = NAN;
    context[2 * ROWS_DIMENSION] = 4321.5;
    const bool eligible[ROWS_ARMS] = {true, false, false, true, true};
    lotor_decision decision;
    lotor_message why = {""};
    assert_int_equal(lotor_policy_draw(policy, context, eligible, &why, &decision), LOTOR_OK);
    assert_true(eligible[decision.arms[0]]); /* arm 2 is the longest, which is shown at first */
    assert_int_equal(lotor_policy_draw(policy, context, NULL, &why, &decision), LOTOR_RANGE);
    context[ROWS_DIMENSION] = 0.0;
    assert_int_equal(lotor_policy_draw(policy, context, NULL, &why, &decision), LOTOR_RANGE);
    assert_null(strstr(why.text, "4321"));
    assert_non_null(strstr(why.text, "arm 2"));
    assert_int_equal(lotor_policy_draw(policy, NULL, NULL, &why, &decision), LOTOR_INVALID);
    assert_int_equal(lotor_policy_rounds(policy), 1);
    lotor_policy_free(policy);
}

/* Draws until a list is held for some more rounds. */
static void hold_a_list(lotor_policy *policy, test_source *source, uint64_t *t)
{
    served_round round;
    do {
        served_draw(policy, ++*t, NULL, &round);
        served_enter(policy, &round, true, &source->source);
    } while (!policy->held.is_on || policy->held.until - policy->shown[policy->held.recorded] < 5);
}

/* A round that can't show the held list shows another one, and the held list continues after it. */
TEST(a_held_list_outlives_a_mask)
{
    test_source source;
    lotor_policy *policy = make("batch-klucb", 2, &source);
    uint64_t t = 0;
    hold_a_list(policy, &source, &t);
    const uint32_t held[2] = {policy->held.arms[0], policy->held.arms[1]};
    const uint64_t shown = policy->shown[policy->held.recorded];
    bool eligible[ROWS_ARMS] = {true, true, true, true, true};
    eligible[policy->held.recorded] = false;
    served_round round;
    served_draw(policy, ++t, eligible, &round);
    assert_int_not_equal(round.asked[0], policy->held.recorded);
    assert_true(policy->held.is_on);
    assert_int_equal(policy->shown[policy->held.recorded], shown);
    served_draw(policy, ++t, NULL, &round);
    assert_memory_equal(round.arms, held, sizeof held);
    assert_int_equal(policy->shown[policy->held.recorded], shown + 1);

    /* a mask that allows the held list shows it */
    for (uint32_t i = 0; i < ROWS_ARMS; i++) {
        eligible[i] = i == held[0] || i == held[1];
    }
    served_draw(policy, ++t, eligible, &round);
    assert_memory_equal(round.arms, held, sizeof held);

    /* a round with another list that records for the same arm ends the held list when the batch is
     * full of displays */
    for (uint32_t i = 0; i < ROWS_ARMS; i++) {
        eligible[i] = i != (held[0] == policy->held.recorded ? held[1] : held[0]);
    }
    for (int i = 0; i < 200; i++) {
        served_draw(policy, ++t, eligible, &round);
        assert_true(!policy->held.is_on ||
                    policy->shown[policy->held.recorded] < policy->held.until);
    }
    assert_false(policy->held.is_on);
    lotor_policy_free(policy);
}

/* Draws a block and undoes all of it: only the count of rounds changes. */
static void expect_void(const lotor_policy_params *params)
{
    test_source source[2];
    test_source_seed(&source[0], 3);
    lotor_policy *policy = rows_make(params, &source[0]);
    served_round rounds[30];
    for (uint64_t t = 1; t <= 37; t++) {
        served_draw(policy, t, NULL, &rounds[0]);
        served_enter(policy, &rounds[0], true, &source[0].source);
    }
    uint64_t shown[ROWS_ARMS];
    memcpy(shown, policy->shown, sizeof shown);
    for (uint64_t i = 0; i < 30; i++) {
        served_draw(policy, 38 + i, NULL, &rounds[i]);
    }
    assert_memory_not_equal(shown, policy->shown, sizeof shown);
    for (size_t i = 0; i < 30; i++) {
        lotor_policy_take_back(policy, rounds[i].asked, rounds[i].asked_count);
    }
    assert_memory_equal(shown, policy->shown, sizeof shown);
    assert_int_equal(lotor_policy_rounds(policy), 67);
    assert_int_equal(lotor_policy_rounds_over(policy), 67);
    lotor_policy_take_back(policy, rounds[0].asked, 1); /* nothing is open: nothing happens */
    assert_int_equal(lotor_policy_rounds_over(policy), 67);
    assert_memory_equal(shown, policy->shown, sizeof shown);

    lotor_policy *loaded = rows_reload(policy, params, &source[0], &source[1]);
    rows_expect_same_state(policy, loaded);
    lotor_policy_free(policy);
    /* of the horizon's 100 rounds 63 are left */
    uint64_t last = 0;
    for (uint64_t t = 68; t <= 140; t++) {
        served_draw(loaded, t, NULL, &rounds[0]);
        last = rounds[0].event ? rounds[0].event : last;
        assert_int_equal(rounds[0].event, t <= 130 ? t : 0);
        if (rounds[0].event) {
            served_enter(loaded, &rounds[0], t % 2, &source[1].source);
        }
    }
    assert_int_equal(last, 130);
    assert_int_equal(lotor_policy_rounds_over(loaded), 130);
    lotor_policy_free(loaded);
}

TEST(a_block_taken_back)
{
    served_each(100, expect_void);
}

/* The end of a block is undone while earlier rounds are open: they enter as usual, and the list
 * that was held for the undone displays ends. */
TEST(the_rest_of_a_block_taken_back)
{
    test_source source[2];
    lotor_policy *policy = make("batch-klucb", 2, &source[0]);
    uint64_t t = 0;
    hold_a_list(policy, &source[0], &t);
    served_round rounds[4];
    for (size_t i = 0; i < 4; i++) {
        served_draw(policy, ++t, NULL, &rounds[i]);
    }
    assert_true(policy->held.is_on);
    lotor_policy_take_back(policy, rounds[2].asked, 1);
    lotor_policy_take_back(policy, rounds[3].asked, 1);
    assert_false(policy->held.is_on);
    lotor_policy_params params = policy->params;
    lotor_policy *loaded = rows_reload(policy, &params, &source[0], &source[1]);
    assert_int_equal(lotor_policy_rounds_over(loaded), t - 2);
    for (size_t i = 0; i < 2; i++) {
        served_enter(loaded, &rounds[i], true, &source[1].source);
    }
    assert_int_equal(lotor_policy_rounds_over(loaded), t);
    const lotor_display display = served_display(loaded, &rounds[2]);
    assert_int_equal(lotor_policy_enter(loaded, &display, NULL, 0, NULL), LOTOR_INVALID);
    /* arms that were never shown have no displays to give back */
    served_draw(loaded, ++t, NULL, &rounds[0]);
    lotor_policy_take_back(loaded, (const uint32_t[]){ROWS_ARMS}, 1);
    assert_int_equal(lotor_policy_rounds_over(loaded), t - 1);
    lotor_policy_free(policy);
    lotor_policy_free(loaded);
}

/* A policy that is saved and loaded before every round draws the same lists. A release makes a held
 * list void, also for rounds in which only some arms are eligible. */
static void expect_same_when_loaded(const lotor_policy_params *params)
{
    enum { LAG = 9 };
    test_source kept_source, source[2];
    test_source_seed(&kept_source, 21);
    test_source_seed(&source[0], 21);
    lotor_policy *kept = rows_make(params, &kept_source);
    lotor_policy *loaded = rows_make(params, &source[0]);
    int now = 0;
    served_round rounds[LAG];
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        if (t > LAG) {
            served_enter(kept, &rounds[t % LAG], t % 3 != 0, &kept_source.source);
            served_enter(loaded, &rounds[t % LAG], t % 3 != 0, &source[now].source);
        }
        if (t > 1) { /* before the first round it is not known that the policy is served */
            lotor_policy *next = rows_reload(loaded, params, &source[now], &source[1 - now]);
            lotor_policy_free(loaded);
            loaded = next;
            now = 1 - now;
        }
        bool eligible[ROWS_ARMS];
        served_round round;
        for (size_t i = 0; i < ROWS_ARMS; i++) {
            eligible[i] = i != t / 2 % ROWS_ARMS;
        }
        served_draw(kept, t, t % 2 ? NULL : eligible, &rounds[t % LAG]);
        served_draw(loaded, t, t % 2 ? NULL : eligible, &round);
        assert_memory_equal(&round, &rounds[t % LAG], sizeof round);
    }
    lotor_policy_free(kept);
    lotor_policy_free(loaded);
}

TEST(loaded_policies_draw_the_same)
{
    served_each(ROUNDS, expect_same_when_loaded);
}
