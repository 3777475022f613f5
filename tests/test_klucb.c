/* test_klucb.c - batch-klucb and rr-klucb (and adap-ucb, if it works in the same way). The tests
 * check the arm for which a round is recorded, how long a list stays, and that batches count displays.
 * They also check how much one round can change, and the refusal of forged states. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "privacy/release/schedule.h"
#include "support/rows.h"

enum { ARMS = ROWS_ARMS, IDS = 3 };

static const char *const ids[IDS] = {"batch-klucb", "rr-klucb", "adap-ucb"};

static test_source source, twin;

static lotor_policy_params params_of(const char *id, size_t slots, bool cascade)
{
    return (lotor_policy_params){.algorithm = id,
                                 .arms = ARMS,
                                 .slots = slots,
                                 .cascade = cascade,
                                 .epsilon = lotor_ratio_of(1, 1)};
}

/* --- the schedule ----------------------------------------------------------------------------- */

TEST(batches_grow_by_half)
{
    static const uint64_t ends[] = {1, 2, 3, 5, 8, 12, 18, 27, 41, 62, 93, 140};
    uint64_t end = 0;
    size_t next = 0;
    for (uint64_t n = 0; n < 140; n++) {
        const bool opens = n == end;
        assert_int_equal(lotor_schedule_opens(lotor_schedule_growing, n), opens);
        if (opens) {
            assert_int_equal(n + lotor_schedule_growing(n), ends[next]);
            end = ends[next++];
        }
        assert_int_equal(lotor_schedule_end(lotor_schedule_growing, n), end);
        assert_int_equal(lotor_statistic_displays(&lotor_statistic_growing, n), end - n);
        assert_int_equal(lotor_statistic_displays(&lotor_statistic_bits, n), 1);
        assert_int_equal(lotor_schedule_count(lotor_schedule_growing, n + 1), next);
    }
    assert_true(lotor_schedule_count(lotor_schedule_growing, 0) > 100 &&
                lotor_schedule_count(lotor_schedule_growing, 0) < 128);
}

/* --- shown arms ------------------------------------------------------------------------------- */

/* Checks the recorded arm e by the learner's indices, in the round in which a list begins. */
static void expect_recorded(const lotor_policy *policy, const uint64_t *shown,
                            const lotor_decision *decision)
{
    const uint32_t e = decision->asked[0];
    const double own = lotor_index_at(policy->index, e);
    for (size_t i = 0; i < decision->count; i++) {
        const uint32_t arm = decision->arms[i];
        const double index = lotor_index_at(policy->index, arm);
        assert_true(shown[e] < shown[arm] || (shown[e] == shown[arm] && own <= index));
        if (policy->params.cascade && i >= 2) { /* behind e by decreasing index */
            assert_true(index <= lotor_index_at(policy->index, decision->arms[i - 1]));
        }
    }
    assert_true(!policy->params.cascade || decision->arms[0] == e);
}

/* A list stays until the batch of the recorded arm has all its displays, and `hold` says for how
 * long, even while rounds are open. Then there is a new list, and the least shown arm is
 * recorded. */
static void expect_lists(const lotor_policy_params *params)
{
    test_source_seed(&source, 1);
    lotor_policy *policy = rows_make(params, &source);
    uint64_t shown[ARMS] = {0}, left = 0, longest = 0;
    uint32_t list[ARMS], e = 0;
    for (uint64_t t = 1; t <= 600; t++) {
        lotor_decision decision;
        assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
        assert_int_equal(decision.asked_count, 1);
        if (left == 0) {
            expect_recorded(policy, shown, &decision);
            memcpy(list, decision.arms, decision.count * sizeof *list);
            e = decision.asked[0];
            left = lotor_statistic_displays(policy->algorithm->statistic, shown[e]);
        }
        assert_int_equal(decision.hold, left);
        assert_int_equal(decision.asked[0], e);
        assert_memory_equal(list, decision.arms, decision.count * sizeof *list);
        longest = left > longest ? left : longest;
        shown[e]++;
        left--;
        assert_memory_equal(policy->shown, shown, sizeof shown);
        if (t % 3 != 0) {
            assert_int_equal(rows_observe(policy, t, 1), LOTOR_OK);
        }
        if (t > 5) {
            assert_int_equal(lotor_policy_expire(policy, t - 5, NULL), LOTOR_OK);
        }
    }
    assert_true(strcmp(params->algorithm, "rr-klucb") == 0 ? longest == 1 : longest > 20);
    lotor_policy_free(policy);
}

TEST(lists_stay_until_a_batch_closes)
{
    for (size_t i = 0; i < IDS; i++) {
        for (size_t slots = 1; slots <= 4; slots++) {
            for (int cascade = 0; cascade < 2; cascade++) {
                const lotor_policy_params params = params_of(ids[i], slots, cascade);
                expect_lists(&params);
            }
        }
    }
}

/* --- batches count displays ------------------------------------------------------------------- */

/* Without any feedback the schedule is kept: after its displays have expired, every batch is
 * released with the default reward for every round (epsilon is infinite, so the sums are exact). */
TEST(batches_close_on_displays)
{
    for (int answers = 0; answers < 2; answers++) {
        lotor_policy_params params = params_of("batch-klucb", 2, false);
        params.epsilon = lotor_ratio_of(1, 0);
        params.default_reward = 0.25;
        test_source_seed(&source, 2);
        lotor_policy *policy = rows_make(&params, &source);
        for (uint64_t t = 1; t <= 300; t++) {
            lotor_decision decision;
            const double reward = 0.25;
            assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
            if (answers && t % 2) {
                const lotor_feedback feedback = {&reward, 1, 0};
                assert_int_equal(lotor_policy_observe(policy, t, &feedback, NULL), LOTOR_OK);
            }
            assert_int_equal(lotor_policy_expire(policy, t, NULL), LOTOR_OK);
            for (size_t arm = 0; arm < ARMS; arm++) {
                uint64_t end = 0;
                for (size_t row = 0; end + lotor_schedule_growing(end) <= policy->shown[arm];
                     row++) {
                    const lotor_fact *fact = lotor_board_at(policy->board, row, arm);
                    assert_int_equal(fact->count, lotor_schedule_growing(end));
                    assert_true(fact->value == 0.25 * (double)fact->count);
                    end += lotor_schedule_growing(end);
                }
            }
        }
        lotor_policy_free(policy);
    }
}

/* Late feedback is dropped and changes nothing. */
TEST(late_feedback_is_dropped)
{
    test_source_seed(&source, 3);
    test_source_seed(&twin, 3);
    const lotor_policy_params params = params_of("batch-klucb", 1, false);
    lotor_policy *prompt = rows_make(&params, &source), *late = rows_make(&params, &twin);
    for (uint64_t t = 1; t <= 60; t++) {
        lotor_decision one, other;
        assert_int_equal(lotor_policy_choose(prompt, NULL, NULL, &one), LOTOR_OK);
        assert_int_equal(lotor_policy_choose(late, NULL, NULL, &other), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(prompt, t, NULL), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(late, t, NULL), LOTOR_OK);
        assert_int_equal(rows_observe(late, t, 1), LOTOR_LATE);
        rows_expect_same_state(prompt, late);
    }
    lotor_policy_free(prompt);
    lotor_policy_free(late);
}

/* --- the effect of one round ------------------------------------------------------------------ */

enum { ROUNDS = 60, ROWS = 16 };

typedef struct trace {
    double sums[ROWS][ARMS];
} trace;

/* All arms are in every list, and there are so few rounds that every bound is still 1. So
 * neighbouring inputs record the same rounds for the same arms, as they would given the releases.
 * The feedback of round `replaced` is `feedback`: a click, a reward of 0 or 1, or none (-1). */
static trace play_trace(size_t slots, bool cascade, uint64_t replaced, int feedback)
{
    lotor_policy_params params = params_of("batch-klucb", slots, cascade);
    params.arms = slots;
    params.epsilon = lotor_ratio_of(1, 2);
    params.horizon = ROUNDS;
    test_source_seed(&source, 4);
    lotor_policy *policy = rows_make(&params, &source);
    trace found = {{{0.0}}};
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        lotor_decision decision;
        assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
        for (size_t arm = 0; arm < slots; arm++) {
            assert_true(slots == 1 || lotor_index_at(policy->index, arm) >= 1.0);
        }
        const int given = t == replaced ? feedback : (int)(t % 2);
        const double reward = given > 0 ? 1.0 : 0.0;
        const lotor_feedback told = {&reward, 1, cascade && given > 0 ? (size_t)given : 0};
        if (given >= 0) {
            assert_int_equal(lotor_policy_observe(policy, t, &told, NULL), LOTOR_OK);
        }
        assert_int_equal(lotor_policy_expire(policy, t, NULL), LOTOR_OK);
    }
    for (size_t row = 0; row < ROWS && row < policy->board->statistics; row++) {
        for (size_t arm = 0; arm < slots; arm++) {
            found.sums[row][arm] = lotor_board_at(policy->board, row, arm)->value;
        }
    }
    lotor_guarantee guarantee;
    lotor_policy_guarantee(policy, &guarantee);
    assert_true(guarantee.scale >= 1.0 / 0.5); /* one width, over epsilon */
    lotor_policy_free(policy);
    return found;
}

/* With the same noise, the feedback of one round changes one released sum, by at most one; for some
 * rounds by exactly one. */
TEST(a_round_moves_one_sum_by_one)
{
    for (size_t slots = 1; slots <= 3; slots++) {
        for (int cascade = 0; cascade < 2; cascade++) {
            double most = 0.0;
            for (uint64_t replaced = 1; replaced <= ROUNDS; replaced += 3) {
                const trace base = play_trace(slots, cascade, replaced, 0);
                const int last = cascade ? (int)slots : 1;
                for (int feedback = -1; feedback <= last; feedback++) {
                    const trace other = play_trace(slots, cascade, replaced, feedback);
                    double moved = 0.0;
                    for (size_t i = 0; i < (size_t)ROWS * ARMS; i++) {
                        moved +=
                            fabs(base.sums[i / ARMS][i % ARMS] - other.sums[i / ARMS][i % ARMS]);
                    }
                    most = fmax(most, moved);
                }
            }
            assert_true(slots > 1 ? most <= 1.0 && most > 0.0 : most == 1.0);
        }
    }
}

/* The noise on sums of zeros, one arm, 36 batches of each of 300 policies: the mean of |Lap(b)| is
 * b, with standard deviation b/sqrt(n): within six of them, at epsilon = 1/2. */
TEST(the_noise_is_there)
{
    double sizes = 0.0, numbers = 0.0;
    test_source_seed(&source, 5);
    lotor_noise noise = lotor_noise_exact(&source.source);
    for (int turn = 0; turn < 300; turn++) {
        const lotor_release_params params = {.dimension = 1,
                                             .epsilon = lotor_ratio_of(1, 2),
                                             .l1 = 1 << 20,
                                             .l2 = 1 << 20,
                                             .magnitude = 1 << 20};
        lotor_statistic *statistic;
        lotor_board *board;
        assert_int_equal(
            lotor_statistic_new(&lotor_statistic_growing, 1, &params, 0x1p-20, NULL, &statistic),
            LOTOR_OK);
        assert_int_equal(lotor_board_new(36, 1, &board), LOTOR_OK);
        for (size_t row = 0; row < 36; row++) {
            assert_int_equal(lotor_statistic_feed(statistic, 0, 0,
                                                  lotor_statistic_room(statistic, 0), row + 1,
                                                  &noise, board),
                             LOTOR_OK);
            sizes += fabs(lotor_board_at(board, row, 0)->value);
            numbers++;
        }
        lotor_statistic_free(statistic);
        lotor_board_free(board);
    }
    assert_true(fabs(sizes / numbers / 2.0 - 1.0) < 6.0 / sqrt(numbers));
}

/* Two consecutive batches have different noise: no two are equal (at scale 2^21 units, equality
 * would occur once in a hundred thousand tests). */
TEST(the_noise_is_fresh)
{
    lotor_policy_params params = params_of("batch-klucb", 1, false);
    params.arms = 1;
    params.epsilon = lotor_ratio_of(1, 2);
    test_source_seed(&source, 9);
    lotor_policy *policy = rows_make(&params, &source);
    for (uint64_t t = 1; t <= 1000; t++) {
        lotor_decision decision;
        assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(policy, t, NULL), LOTOR_OK);
    }
    for (size_t row = 1; lotor_board_at(policy->board, row, 0)->time > 0; row++) {
        assert_true(lotor_board_at(policy->board, row, 0)->value !=
                    lotor_board_at(policy->board, row - 1, 0)->value);
    }
    assert_true(lotor_board_at(policy->board, 10, 0)->time > 0);
    lotor_policy_free(policy);
}

/* --- the lab's stretches ---------------------------------------------------------------------- */

/* A stretch shows the same as single choices, for the same time, whether it is fed at once or in
 * parts. */
TEST(stretches_are_single_rounds)
{
    for (size_t i = 0; i < 2 * IDS; i++) {
        const lotor_policy_params params = params_of(ids[i % IDS], 2, i >= IDS);
        test_source_seed(&source, 6);
        test_source_seed(&twin, 6);
        lotor_policy *single = rows_make(&params, &source), *block = rows_make(&params, &twin);
        uint64_t t = 0;
        while (t < 500) {
            lotor_stretch stretch;
            lotor_policy_stretch(block, &stretch);
            const uint64_t repeats = stretch.repeats > 3 && t % 2 ? 3 : stretch.repeats;
            int64_t sum = 0;
            for (uint64_t r = 0; r < repeats; r++) {
                lotor_decision decision;
                t++;
                assert_int_equal(lotor_policy_choose(single, NULL, NULL, &decision), LOTOR_OK);
                assert_int_equal(decision.count, stretch.count);
                assert_memory_equal(decision.arms, stretch.arms,
                                    stretch.count * sizeof *stretch.arms);
                assert_int_equal(decision.asked[0], stretch.asked[0]);
                const double reward = t % 3 == 0;
                const lotor_feedback feedback = {&reward, 1, t % 3 == 0};
                assert_int_equal(lotor_policy_observe(single, t, &feedback, NULL), LOTOR_OK);
                assert_int_equal(lotor_policy_expire(single, t, NULL), LOTOR_OK);
                sum += t % 3 == 0 ? 1 << 20 : 0;
            }
            assert_int_equal(lotor_policy_feed(block, &stretch, repeats, &sum), LOTOR_OK);
        }
        assert_int_equal(lotor_board_posts(single->board), lotor_board_posts(block->board));
        lotor_policy_free(single);
        lotor_policy_free(block);
    }
}

/* --- saved states ----------------------------------------------------------------------------- */

/* Each case changes one thing of a cascade in the middle of a list. */
TEST(forged_lists_are_refused)
{
    test_source_seed(&source, 7);
    test_source_seed(&twin, 7);
    const lotor_policy_params params = params_of("batch-klucb", 3, true);
    lotor_policy *policy = rows_make(&params, &source);
    for (uint64_t t = 1; t <= 60 || policy->held.until - policy->shown[policy->held.recorded] < 2;
         t++) {
        lotor_decision decision;
        assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(policy, t, NULL), LOTOR_OK);
    }
    lotor_held_list *held = &policy->held;
    assert_true(held->is_on);
    assert_int_equal(rows_try_reload(policy, &twin), LOTOR_OK);
    const uint32_t e = held->recorded, second = held->arms[1];
#define REFUSED(change, undo)                                                                      \
    change;                                                                                        \
    assert_int_equal(rows_try_reload(policy, &twin), LOTOR_DAMAGED);                               \
    undo
    REFUSED(held->arms[1] = ARMS, held->arms[1] = second);
    REFUSED(held->arms[1] = held->arms[2], held->arms[1] = second);
    REFUSED(held->recorded = second, held->recorded = e);
    REFUSED(held->recorded = ARMS, held->recorded = e);
    REFUSED(held->count = 0, held->count = 3);
    REFUSED(held->is_on = false, held->is_on = true); /* an open batch without a held list */
    REFUSED(policy->shown[second] += 1, policy->shown[second] -= 1); /* two open batches */
    const uint64_t shown = policy->shown[e];
    REFUSED(policy->shown[e] = held->until, policy->shown[e] = shown); /* the held list is over */
    /* fewer displays than rounds entered */
    REFUSED(policy->shown[e] = 1, policy->shown[e] = shown);
    REFUSED(policy->asked++, policy->asked--); /* a display that no arm has */
    lotor_fact *fact = (lotor_fact *)lotor_board_at(policy->board, 2, e);
    REFUSED(fact->count++, fact->count--);
    REFUSED(fact->time = 0, fact->time = 3);
#undef REFUSED
    assert_int_equal(rows_try_reload(policy, &twin), LOTOR_OK);
    lotor_policy_free(policy);
}

/* `cascade` is only for algorithms that accept clicks, and clicks have no range. */
TEST(clicks_are_for_those_that_hear_them)
{
    lotor_message why = {""};
    lotor_policy_params params = params_of("cucb-ldp2", 2, true);
    params.horizon = 100;
    assert_non_null(lotor_policy_check(&params, &why));
    assert_non_null(strstr(why.text, "cascade"));
    params = params_of("batch-klucb", 2, true);
    assert_null(lotor_policy_check(&params, &why));
    params.high = 2.0;
    assert_non_null(lotor_policy_check(&params, &why));
    params = params_of("batch-klucb", 2, true);
    rows_set_structure(&params, LOTOR_STRUCTURE_PATH);
    assert_non_null(lotor_policy_check(&params, &why));
}

/* Rewards in [-3,5]: the same choices as in [0,1], with the same noise in units of the range. */
TEST(ranges_are_scaled)
{
    for (size_t i = 0; i < IDS; i++) {
        lotor_policy_params params = params_of(ids[i], 2, false), wide = params;
        wide.low = -3.0;
        wide.high = 5.0;
        wide.default_reward = -3.0;
        params.epsilon = wide.epsilon = lotor_ratio_of(1, i == 1 ? 1 : 0);
        test_source_seed(&source, 8);
        test_source_seed(&twin, 8);
        lotor_policy *narrow = rows_make(&params, &source), *broad = rows_make(&wide, &twin);
        for (uint64_t t = 1; t <= 400; t++) {
            lotor_decision one, other;
            assert_int_equal(lotor_policy_choose(narrow, NULL, NULL, &one), LOTOR_OK);
            assert_int_equal(lotor_policy_choose(broad, NULL, NULL, &other), LOTOR_OK);
            rows_expect_same_decision(&one, &other);
            const double reward = (t * 7 % 10) < 3 + one.asked[0] ? 1.0 : 0.0;
            const double scaled = -3.0 + 8.0 * reward;
            assert_int_equal(
                lotor_policy_observe(narrow, t, &(lotor_feedback){&reward, 1, 0}, NULL), LOTOR_OK);
            assert_int_equal(lotor_policy_observe(broad, t, &(lotor_feedback){&scaled, 1, 0}, NULL),
                             LOTOR_OK);
            assert_int_equal(lotor_policy_expire(narrow, t, NULL), LOTOR_OK);
            assert_int_equal(lotor_policy_expire(broad, t, NULL), LOTOR_OK);
        }
        lotor_policy_free(narrow);
        lotor_policy_free(broad);
    }
}
