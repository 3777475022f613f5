/* test_audit_parts.c - the parts of an audit: bounds computed by hand, handwritten transcripts, an
 * event that is learned from numbers of a known law, and policies that restart. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/laws.h"
#include "lab/audit_attacks.h"
#include "lab/audit_bound.h"
#include "lab/audit_learn.h"
#include "lab/audit_line.h"
#include "support/rows.h"

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) {
        print_error("%.17g, not %.17g\n", value, expected);
        fail();
    }
}

/* --- bounds ----------------------------------------------------------------------------------- */

TEST(losses_are_worked_out_by_hand)
{
    assert_near(lotor_audit_loss(0.5, 0.25, 0.0), log(2.0), 1e-15);
    assert_near(lotor_audit_loss(0.5, 0.25, 0.1), log(1.6), 1e-15);
    assert_true(lotor_audit_loss(0.5, 0.5, 0.0) == 0.0);
    assert_true(lotor_audit_loss(0.2, 0.3, 0.0) == 0.0);
    assert_true(lotor_audit_loss(0.3, 0.25, 0.1) == 0.0);
    assert_true(isinf(lotor_audit_loss(0.5, 0.0, 0.1)));
    assert_true(lotor_audit_loss(0.05, 0.0, 0.1) == 0.0);
}

/* All of 1000 against none of 1000, miss 0.01: the bounds are 0.01^(1/1000) and its complement. */
TEST(certain_events_have_the_bound_of_their_number)
{
    const double power = exp(log(0.01) / 1000.0);
    lotor_audit_counts counts = {.seen = {1000, 0}, .trials = {1000, 1000}};
    lotor_audit_bound bound = lotor_audit_bound_of(&counts, 0.0, 0.01);
    assert_near(bound.epsilon, log(power / (1.0 - power)), 1e-9);
    assert_true(isinf(bound.likely) && bound.to == 0 && !bound.of_not);
    bound = lotor_audit_bound_of(&counts, 0.25, 0.01);
    assert_near(bound.epsilon, log((power - 0.25) / (1.0 - power)), 1e-9);
    counts = (lotor_audit_counts){.seen = {0, 1000}, .trials = {1000, 1000}};
    bound = lotor_audit_bound_of(&counts, 0.0, 0.01);
    assert_near(bound.epsilon, log(power / (1.0 - power)), 1e-9);
    assert_int_equal(bound.to, 1);
}

/* 900 and 990 of 1000: the absence of the event tells more, 100 against 10. */
TEST(the_absence_of_an_event_counts_too)
{
    const lotor_audit_counts counts = {.seen = {900, 990}, .trials = {1000, 1000}};
    const lotor_audit_bound bound = lotor_audit_bound_of(&counts, 0.0, 0.01);
    assert_true(bound.of_not && bound.to == 0);
    assert_near(bound.likely, log(10.0), 1e-12);
    assert_true(bound.epsilon > 1.0 && bound.epsilon < log(10.0) && bound.at_most > log(10.0));
}

TEST(equal_counts_tell_nothing)
{
    for (uint64_t k = 0; k <= 100; k += 20) {
        const lotor_audit_counts counts = {.seen = {k, k}, .trials = {100, 100}};
        assert_true(lotor_audit_bound_of(&counts, 0.0, 0.01).epsilon == 0.0);
    }
}

/* 12 of 1000 against none of 1000 tells little, but is reported. 3 against none is chance, and so
 * is its estimate. An event that always or never occurs does not vary. */
TEST(rare_events_are_not_estimated)
{
    const lotor_audit_counts rare = {.seen = {3, 0}, .trials = {1000, 1000}};
    lotor_audit_bound bound = lotor_audit_bound_of(&rare, 0.0, 1e-6);
    assert_true(bound.epsilon == 0.0 && isfinite(bound.likely) && bound.is_frequent);
    assert_true(bound.of_not && bound.to == 1); /* 1000 against 997, not 3 against 0 */
    assert_false(lotor_audit_counts_vary(&rare));
    const lotor_audit_counts some = {.seen = {12, 0}, .trials = {1000, 1000}};
    bound = lotor_audit_bound_of(&some, 0.0, 0.01);
    assert_true(bound.is_frequent && !bound.of_not);
    assert_true(lotor_audit_counts_vary(&some));
    const lotor_audit_counts always = {.seen = {1000, 995}, .trials = {1000, 1000}};
    assert_false(lotor_audit_counts_vary(&always));
    const lotor_audit_counts apart = {.seen = {1000, 0}, .trials = {1000, 1000}};
    assert_true(lotor_audit_counts_vary(&apart));
}

/* --- readings --------------------------------------------------------------------------------- */

static void post(lotor_audit_transcript *transcript, uint64_t round, uint32_t arm, uint64_t count,
                 double value)
{
    transcript->posts[transcript->post_count++] = (lotor_audit_post){round, count, value, 0, arm};
    transcript->releases++;
}

static double number_at(const lotor_audit_reading *reading, size_t kind, size_t series, size_t i)
{
    return reading->numbers[kind * LOTOR_READING_SIZE + series * LOTOR_READING_LENGTH + i];
}

static lotor_audit_transcript *transcript_of(uint64_t replaced, size_t asked)
{
    lotor_audit_transcript *transcript = calloc(1, sizeof *transcript);
    assert_non_null(transcript);
    transcript->replaced = replaced;
    transcript->asked_count = asked;
    for (uint32_t i = 0; i < asked; i++) {
        transcript->asked[i] = 5 - i;
    }
    return transcript;
}

/* A tree of 8: outputs 1, 3, 2, 7, 4, 9, 6, 20 are nodes 1, 3, -1, 7, -3, 2, -3, 20. The first
 * round is in the nodes that end at 1, 2, 4 and 8. */
TEST(trees_are_read_by_their_nodes)
{
    static const double outputs[] = {1, 3, 2, 7, 4, 9, 6, 20};
    static const double nodes[] = {1, 3, -1, 7, -3, 2, -3, 20};
    lotor_audit_transcript *transcript = transcript_of(1, 1);
    lotor_audit_reading reading;
    for (uint64_t t = 1; t <= 8; t++) {
        post(transcript, t, 5, t, outputs[t - 1]);
    }
    lotor_audit_read(transcript, LOTOR_VIEW_BOARD, &reading);
    for (size_t i = 0; i < 8; i++) {
        assert_near(number_at(&reading, LOTOR_READING_NODES, 0, i), nodes[i], 0.0);
        assert_near(number_at(&reading, LOTOR_READING_VALUES, 0, i), outputs[i], 0.0);
        assert_near(number_at(&reading, LOTOR_READING_STEPS, 0, i),
                    outputs[i] - (i ? outputs[i - 1] : 0.0), 0.0);
    }
    assert_true(reading.is_high[LOTOR_READING_NODES]);
    transcript->posts[3].value = 0.5; /* changes the node 1..4, not the first value */
    lotor_audit_read(transcript, LOTOR_VIEW_BOARD, &reading);
    assert_false(reading.is_high[LOTOR_READING_NODES]);
    assert_true(reading.is_high[LOTOR_READING_VALUES]);
    transcript->posts[3].value = 7.0;
    transcript->posts[6].value = -50.0; /* the node of round 7 does not contain the first round */
    lotor_audit_read(transcript, LOTOR_VIEW_BOARD, &reading);
    assert_true(reading.is_high[LOTOR_READING_NODES]);
    free(transcript);
}

TEST(other_arms_are_not_read)
{
    lotor_audit_transcript *transcript = transcript_of(2, 2);
    lotor_audit_reading reading;
    post(transcript, 1, 5, 1, 100.0); /* before the replaced round */
    post(transcript, 2, 3, 1, -7.0);  /* not asked */
    post(transcript, 2, 4, 1, 1.5);
    post(transcript, 3, 5, 2, 102.0);
    lotor_audit_read(transcript, LOTOR_VIEW_BOARD, &reading);
    assert_near(number_at(&reading, LOTOR_READING_VALUES, 1, 0), 1.5, 0.0);
    assert_near(number_at(&reading, LOTOR_READING_STEPS, 0, 0), 2.0, 0.0);
    assert_true(isnan(number_at(&reading, LOTOR_READING_VALUES, 0, 1)));
    assert_near(reading.numbers[LOTOR_EXTRA_POSTS], 2.0, 0.0);
    assert_near(reading.numbers[LOTOR_EXTRA_COUNTED], 1.0, 0.0);
    assert_near(reading.numbers[LOTOR_EXTRA_WAIT], 0.0, 0.0);
    assert_near(reading.numbers[LOTOR_EXTRA_ALL], 4.0, 0.0);
    /* The view of reports shows only the reports of the replaced round. */
    lotor_audit_read(transcript, LOTOR_VIEW_REPORTS, &reading);
    assert_true(isnan(number_at(&reading, LOTOR_READING_STEPS, 0, 0)));
    assert_true(isnan(reading.numbers[LOTOR_EXTRA_ALL]));
    free(transcript);
}

/* A repeated release adds nothing. Another value for the same release counts, and both must be
 * high. */
TEST(releases_that_come_again_are_noticed)
{
    lotor_audit_transcript *transcript = transcript_of(1, 1);
    lotor_audit_reading reading;
    post(transcript, 1, 5, 1, 1.25);
    post(transcript, 1, 5, 1, 1.25);
    lotor_audit_read(transcript, LOTOR_VIEW_BOARD, &reading);
    assert_true(isnan(number_at(&reading, LOTOR_READING_VALUES, 0, 1)));
    assert_true(reading.is_high[LOTOR_READING_VALUES]);
    transcript->posts[1].value = 0.75;
    lotor_audit_read(transcript, LOTOR_VIEW_BOARD, &reading);
    assert_near(number_at(&reading, LOTOR_READING_VALUES, 0, 1), 0.75, 0.0);
    assert_false(reading.is_high[LOTOR_READING_VALUES]);
    free(transcript);
}

/* Numbers of one round are compared in pairs, also with arms that were not asked, but not with other
 * rounds. A repeated release counts once. */
TEST(numbers_of_one_round_are_compared)
{
    lotor_audit_transcript *transcript = transcript_of(2, 1);
    lotor_audit_reading reading;
    post(transcript, 1, 3, 1, 40.0); /* an earlier round */
    post(transcript, 2, 2, 1, 7.25);
    post(transcript, 2, 5, 1, 8.25);
    post(transcript, 2, 5, 1, 8.25); /* again, after a reload */
    post(transcript, 3, 3, 2, 8.25); /* a later round */
    const size_t start = lotor_reading_start(LOTOR_READING_DIFFERENCES);
    lotor_audit_read(transcript, LOTOR_VIEW_BOARD, &reading);
    assert_int_equal(reading.together, 2);
    assert_near(reading.numbers[start], 1.0, 0.0);
    assert_true(isnan(reading.numbers[start + 1]));
    assert_true(reading.is_one_apart && !reading.is_equal);
    transcript->posts[2].value = transcript->posts[3].value = 7.25;
    lotor_audit_read(transcript, LOTOR_VIEW_BOARD, &reading);
    assert_true(reading.is_equal && !reading.is_one_apart);
    transcript->posts[2].value = transcript->posts[3].value = 7.75;
    lotor_audit_read(transcript, LOTOR_VIEW_BOARD, &reading);
    assert_true(!reading.is_equal && !reading.is_one_apart);
    free(transcript);
}

/* In the view of reports, what a report added to the board is compared. */
TEST(reports_of_one_round_are_compared)
{
    lotor_audit_transcript *transcript = transcript_of(2, 2);
    lotor_audit_reading reading;
    post(transcript, 1, 4, 1, 100.0);
    post(transcript, 2, 5, 1, 3.5);
    post(transcript, 2, 4, 2, 102.5);
    lotor_audit_read(transcript, LOTOR_VIEW_REPORTS, &reading);
    assert_true(reading.together == 2 && reading.is_one_apart);
    free(transcript);
}

TEST(nothing_released_is_nothing_high)
{
    lotor_audit_transcript *transcript = transcript_of(1, 2);
    lotor_audit_reading reading;
    lotor_audit_read(transcript, LOTOR_VIEW_BOARD, &reading);
    for (size_t i = 0; i < LOTOR_READINGS_OF_SERIES; i++) {
        assert_false(reading.is_high[i]);
    }
    assert_true(reading.together == 0 && !reading.is_equal && !reading.is_one_apart);
    free(transcript);
}

/* --- learning --------------------------------------------------------------------------------- */

/* Three of the numbers move from 0 to 1 under Lap(3/2), the others are only noise: epsilon is 2. */
static void draw_row(lotor_generator *random, size_t trial, float *row)
{
    for (size_t i = 0; i < LOTOR_READING_NUMBERS; i++) {
        row[i] = NAN;
    }
    for (size_t i = 0; i < 12; i++) {
        const double moved = i < 3 && trial % 2 == 0 ? 1.0 : 0.0;
        row[i * 2] = (float)(moved + lotor_random_laplace(random, 1.5));
    }
}

/* Trained on 40,000 trials and tested on 200,000 others, at miss 1e-6. The bound is at most 2,
 * except with that probability. It is above 1.6: p0 = 1/8 e^-2 has a standard error of 1.4%, and
 * bins lose a little. */
TEST(an_event_is_learned)
{
    enum { TAUGHT = 40000, TESTED = 200000 };
    lotor_generator random;
    lotor_generator_seed(&random, 20261116);
    float *rows = malloc((size_t)TAUGHT * LOTOR_READING_NUMBERS * sizeof *rows);
    lotor_audit_classifier *learned = malloc(sizeof *learned);
    assert_non_null(rows);
    assert_non_null(learned);
    for (size_t i = 0; i < TAUGHT; i++) {
        draw_row(&random, i, rows + i * LOTOR_READING_NUMBERS);
    }
    const lotor_audit_goal goal = {0.0, 1e-6, TESTED / 2};
    assert_int_equal(lotor_audit_learn(rows, TAUGHT, &lotor_reading_layout, &goal, learned),
                     LOTOR_OK);
    assert_int_equal(learned->reading, LOTOR_READING_VALUES);
    assert_int_equal(learned->count, 3); /* noise has no weight */
    lotor_audit_counts counts = {.seen = {0, 0}, .trials = {TESTED / 2, TESTED / 2}};
    for (size_t i = 0; i < TESTED; i++) {
        draw_row(&random, i, rows);
        counts.seen[i % 2] += lotor_audit_learned_holds(learned, rows);
    }
    const lotor_audit_bound bound = lotor_audit_bound_of(&counts, 0.0, 1e-6);
    assert_true(bound.epsilon > 1.6 && bound.epsilon <= 2.0);
    assert_int_equal(bound.to, 0);
    free(learned);
    free(rows);
}

/* Fourteen numbers under Gaussian noise, which together move by 0.8 deviations. That is a
 * Gaussian whose delta is 0.01 at epsilon 1.719. */
static void draw_gaussian_row(lotor_generator *random, size_t trial, float *row)
{
    for (size_t i = 0; i < LOTOR_READING_NUMBERS; i++) {
        row[i] = NAN;
    }
    for (size_t i = 0; i < 14; i++) {
        const double deviation = i % 2 ? 3.0 : 1.0;
        const double moved = trial % 2 == 0 ? 0.8 / sqrt(14.0) : 0.0;
        row[i * 3] = (float)(deviation * (moved + lotor_random_gaussian(random)));
    }
}

/* The weighted sum shows nearly all of that epsilon. Trained on
 * 50,000 trials and tested on 1,000,000 others, at miss 1e-6: the frequencies of the event are about
 * 0.1 and 0.02, so the bound loses 5 (0.4% + 1%). */
TEST(weights_are_learned_against_gaussian_noise)
{
    enum { TAUGHT = 50000, TESTED = 1000000 };
    const double delta = 0.01, most = 1.719;
    lotor_generator random;
    lotor_generator_seed(&random, 20261117);
    float *rows = malloc((size_t)TAUGHT * LOTOR_READING_NUMBERS * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < TAUGHT; i++) {
        draw_gaussian_row(&random, i, rows + i * LOTOR_READING_NUMBERS);
    }
    lotor_audit_line line;
    const lotor_audit_goal goal = {delta, 1e-6, TESTED / 2};
    assert_int_equal(lotor_audit_line_learn(rows, TAUGHT, &lotor_reading_layout, &goal, &line),
                     LOTOR_OK);
    assert_int_equal(line.reading, LOTOR_READING_VALUES);
    for (size_t i = 0; i < LOTOR_READING_SIZE; i++) {
        assert_true((line.weights[i] != 0.0F) == (i % 3 == 0 && i < 14 * 3));
    }
    assert_near(line.weights[0] / line.weights[3], 3.0, 0.5);
    lotor_audit_counts counts = {.seen = {0, 0}, .trials = {TESTED / 2, TESTED / 2}};
    for (size_t i = 0; i < TESTED; i++) {
        draw_gaussian_row(&random, i, rows);
        counts.seen[i % 2] += lotor_audit_line_holds(&line, rows);
    }
    const lotor_audit_bound bound = lotor_audit_bound_of(&counts, delta, 1e-6);
    print_message("weighted sum: at least %.3f of %.3f\n", bound.epsilon, most);
    assert_true(bound.epsilon > 0.85 * most && bound.epsilon <= most);
    free(rows);
}

/* --- policies that restart -------------------------------------------------------------------- */

static void play_on(lotor_policy *policy, uint64_t rounds)
{
    for (uint64_t t = 1; t <= rounds; t++) {
        lotor_decision decision;
        assert_int_equal(rows_choose(policy, t, NULL, &decision), LOTOR_OK);
        const uint64_t event = decision.event;
        const size_t asked = decision.asked_count;
        assert_int_equal(rows_observe(policy, event, asked), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(policy, event, NULL), LOTOR_OK);
    }
}

/* A restarted policy on the same random bytes is a new one, bit by bit. */
TEST(a_restarted_policy_is_a_new_one)
{
    static const double first[ROWS_ARMS] = {0.0, 1.0, 0.0, 1.0, 1.0};
    for (size_t i = 0; i < lotor_algorithms_size; i++) {
        const lotor_algorithm *row = &lotor_algorithms[i];
        if (row->is_simulation_only) {
            continue;
        }
        test_source ours, fresh;
        lotor_policy *again, *plain;
        lotor_policy_params params = rows_params(row, 200);
        params.first = row->starts_exact ? first : NULL;
        test_source_seed(&ours, 1);
        lotor_message why;
        if (lotor_policy_new_on(&params, &ours.source, 3, &why, &again) != LOTOR_OK) {
            fail_msg("%s: %s", row->id, why.text);
        }
        play_on(again, 50);
        test_source_seed(&ours, 2);
        assert_int_equal(lotor_policy_restart(again, params.first, 4, NULL), LOTOR_OK);
        test_source_seed(&fresh, 2);
        assert_int_equal(lotor_policy_new_on(&params, &fresh.source, 4, NULL, &plain), LOTOR_OK);
        rows_expect_same_state(again, plain);
        play_on(again, 100);
        play_on(plain, 100);
        rows_expect_same_state(again, plain);
        lotor_policy_free(again);
        lotor_policy_free(plain);
    }
}
