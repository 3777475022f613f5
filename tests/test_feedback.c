/* test_feedback.c - the declared sensitivity of every feedback model, compared with all pairs of
 * extreme feedback. The sensitivity must be attained, not only be an upper bound.
 *
 * Contributions are monotone in each reward, so the two most distant inputs have every reward at an
 * end of the range. It is enough to compare 2^K inputs of K rewards, or K+1 clicks. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "base/random/generator.h"
#include "privacy/encode/feedback.h"

enum { MOST_SLOTS = 6, MOST_NUMBERS = 2 * MOST_SLOTS, MOST_ANSWERS = 1 << MOST_SLOTS };

typedef struct answers {
    size_t count, numbers;
    int64_t units[MOST_ANSWERS][MOST_NUMBERS];
} answers;

static int reads_clicks(const lotor_feedback_model *model)
{
    return strcmp(model->id, "cascade") == 0 || strcmp(model->id, "first-slot") == 0;
}

/* The number of rewards in the feedback, from the model's documentation and not from its code. */
static size_t rewards_wanted(const lotor_feedback_model *model, size_t slots)
{
    return strcmp(model->id, "semi") == 0 ? slots : 1;
}

static void encode_all(const lotor_feedback_model *model, const lotor_encoding *encoding,
                       size_t slots, answers *all)
{
    const size_t rewards = rewards_wanted(model, slots);
    all->count = reads_clicks(model) ? slots + 1 : (size_t)1 << rewards;
    all->numbers = model->contributions(slots);
    assert_true(all->numbers <= MOST_NUMBERS);
    for (size_t answer = 0; answer < all->count; answer++) {
        double values[MOST_SLOTS];
        for (size_t i = 0; i < rewards; i++) {
            values[i] = (answer >> i) & 1 ? encoding->high : encoding->low;
        }
        const lotor_feedback feedback = {
            .rewards = reads_clicks(model) ? NULL : values,
            .count = reads_clicks(model) ? 0 : rewards,
            .click = reads_clicks(model) ? answer : 0,
        };
        int64_t *units = all->units[answer];
        assert_int_equal(model->encode(encoding, slots, &feedback, NULL, units), LOTOR_OK);
        assert_true(model->is_possible(encoding, slots, units));
    }
}

/* The distances come in whole widths: every coordinate moves by 0 or by one width. */
static void farthest_two(const answers *all, int64_t width, uint64_t *l1, uint64_t *l2_squared)
{
    *l1 = *l2_squared = 0;
    for (size_t a = 0; a < all->count; a++) {
        for (size_t b = 0; b < all->count; b++) {
            uint64_t sum = 0, squares = 0;
            for (size_t i = 0; i < all->numbers; i++) {
                const int64_t difference = all->units[a][i] - all->units[b][i];
                assert_int_equal(difference % width, 0);
                const int64_t widths = difference / width;
                sum += (uint64_t)(widths < 0 ? -widths : widths);
                squares += (uint64_t)(widths * widths);
            }
            *l1 = sum > *l1 ? sum : *l1;
            *l2_squared = squares > *l2_squared ? squares : *l2_squared;
        }
    }
}

TEST(sensitivity_is_exactly_as_declared)
{
    static const struct {
        double low, high;
    } ranges[] = {{0.0, 1.0}, {-1.0, 1.0}, {0.0, 1e-6}, {5.0, 7.3}};
    for (size_t m = 0; lotor_feedback_models[m]; m++) {
        const lotor_feedback_model *model = lotor_feedback_models[m];
        for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
            lotor_encoding encoding;
            assert_int_equal(lotor_encoding_make(ranges[r].low, ranges[r].high, NULL, &encoding),
                             LOTOR_OK);
            for (size_t slots = 1; slots <= MOST_SLOTS; slots++) {
                answers all;
                uint64_t l1, l2_squared;
                encode_all(model, &encoding, slots, &all);
                farthest_two(&all, (int64_t)lotor_encoding_width(&encoding), &l1, &l2_squared);
                assert_int_equal(l1, model->l1(slots));
                assert_int_equal(l2_squared, model->l2_squared(slots));
            }
        }
    }
}

/* The same numbers, computed by hand: the brute force above would agree with any encoding that
 * declares what it does. In a cascade of 6, clicks at 1 and 6 differ in 5 observed and 2 clicked
 * items. */
TEST(sensitivities_worked_out_by_hand)
{
    static const struct {
        const char *id;
        size_t slots, numbers;
        uint64_t l1, l2_squared;
    } golden[] = {
        {"one", 1, 1, 1, 1},
        {"one", 5, 1, 1, 1},
        {"least-shown", 5, 1, 1, 1},
        {"semi", 1, 1, 1, 1},
        {"semi", 6, 6, 6, 6},
        {"semi", 100, 100, 100, 100},
        {"semi", 1000, 1000, 1000, 1000},
        {"least-shown", 1000, 1, 1, 1},
        {"cascade", 1, 2, 1, 1},
        {"cascade", 2, 4, 3, 3},
        {"cascade", 3, 6, 4, 4},
        {"cascade", 6, 12, 7, 7},
        {"cascade", 100, 200, 101, 101},
        {"first-slot", 1, 1, 1, 1},
        {"first-slot", 5, 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        const lotor_feedback_model *model = lotor_feedback_find(golden[i].id);
        assert_non_null(model);
        assert_int_equal(model->contributions(golden[i].slots), golden[i].numbers);
        assert_int_equal(model->l1(golden[i].slots), golden[i].l1);
        assert_int_equal(model->l2_squared(golden[i].slots), golden[i].l2_squared);
    }
}

/* Every coordinate of the feedback in turn leaves its range. */
TEST(impossible_numbers_are_noticed)
{
    lotor_encoding encoding;
    assert_int_equal(lotor_encoding_make(0.25, 1.0, NULL, &encoding), LOTOR_OK);
    static answers all;
    for (size_t m = 0; lotor_feedback_models[m]; m++) {
        const lotor_feedback_model *model = lotor_feedback_models[m];
        encode_all(model, &encoding, 3, &all);
        for (size_t answer = 0; answer < all.count; answer++) {
            for (size_t i = 0; i < all.numbers; i++) {
                const int64_t kept = all.units[answer][i];
                const int64_t bad[] = {encoding.least - 1, encoding.most + 1, INT64_MAX, INT64_MIN};
                for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
                    all.units[answer][i] = bad[b];
                    assert_false(model->is_possible(&encoding, 3, all.units[answer]));
                }
                all.units[answer][i] = kept;
            }
        }
    }
}

TEST(a_cascade_has_one_click_and_no_look_after_it)
{
    lotor_encoding encoding;
    assert_int_equal(lotor_encoding_make(0.0, 1.0, NULL, &encoding), LOTOR_OK);
    const int64_t one = 1048576;
    const int64_t bad[][6] = {
        {one, one, one, 0, one, 0},   /* a look after the click */
        {one, one, one, one, 0, one}, /* two clicks */
        {one, one, 0, 0, 0, 0},       /* a look is missing */
        {0, one, one, 0, 0, 0},       {0, 0, 0, 0, 0, 0},
    };
    const lotor_feedback_model *model = lotor_feedback_find("cascade");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(model->is_possible(&encoding, 3, bad[i]));
    }
}

/* Feedback between the extremes changes less: random rewards never exceed the declared distance. */
TEST(feedback_between_extremes_stays_within)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 31);
    lotor_encoding encoding;
    assert_int_equal(lotor_encoding_make(-0.7, 0.9, NULL, &encoding), LOTOR_OK);
    const uint64_t width = lotor_encoding_width(&encoding);
    const lotor_feedback_model *model = lotor_feedback_find("semi");
    for (int turn = 0; turn < 20000; turn++) {
        int64_t units[2][4];
        for (int side = 0; side < 2; side++) {
            double rewards[4];
            for (size_t i = 0; i < 4; i++) {
                const double part = (double)(lotor_generator_word(&generator) >> 11) * 0x1p-53;
                rewards[i] = fmin(-0.7 + 1.6 * part, 0.9);
            }
            const lotor_feedback feedback = {.rewards = rewards, .count = 4};
            assert_int_equal(model->encode(&encoding, 4, &feedback, NULL, units[side]), LOTOR_OK);
        }
        uint64_t l1 = 0;
        for (size_t i = 0; i < 4; i++) {
            const int64_t difference = units[0][i] - units[1][i];
            l1 += (uint64_t)(difference < 0 ? -difference : difference);
        }
        assert_true(l1 <= model->l1(4) * width);
    }
}

TEST(cascade_of_three_by_hand)
{
    lotor_encoding encoding;
    assert_int_equal(lotor_encoding_make(0.0, 1.0, NULL, &encoding), LOTOR_OK);
    const int64_t one = 1048576;
    const int64_t golden[4][6] = {
        {one, one, one, 0, 0, 0}, /* no click: all observed */
        {one, 0, 0, one, 0, 0},   /* a click on the first hides the rest */
        {one, one, 0, 0, one, 0},
        {one, one, one, 0, 0, one},
    };
    for (size_t click = 0; click <= 3; click++) {
        int64_t units[6];
        const lotor_feedback feedback = {.click = click};
        assert_int_equal(
            lotor_feedback_find("cascade")->encode(&encoding, 3, &feedback, NULL, units), LOTOR_OK);
        assert_memory_equal(units, golden[click], sizeof units);
    }
}

/* Wherever else the click is, it is not in the first slot. */
TEST(first_slots_by_hand)
{
    lotor_encoding encoding;
    assert_int_equal(lotor_encoding_make(0.0, 1.0, NULL, &encoding), LOTOR_OK);
    for (size_t click = 0; click <= 3; click++) {
        int64_t units = 7;
        const lotor_feedback feedback = {.click = click};
        assert_int_equal(
            lotor_feedback_find("first-slot")->encode(&encoding, 3, &feedback, NULL, &units),
            LOTOR_OK);
        assert_int_equal(units, click == 1 ? 1048576 : 0);
    }
}

static void refused(const char *id, const lotor_feedback *feedback, const char *named)
{
    lotor_encoding encoding;
    assert_int_equal(lotor_encoding_make(0.0, 1.0, NULL, &encoding), LOTOR_OK);
    int64_t units[6] = {0};
    lotor_message why = {""};
    const lotor_feedback_model *model = lotor_feedback_find(id);
    assert_int_equal(model->encode(&encoding, 3, feedback, &why, units), LOTOR_RANGE);
    if (!strstr(why.text, named)) {
        fail_msg("%s: '%s' does not name %s", id, why.text, named);
    }
}

TEST(wrong_feedback_is_refused_by_name)
{
    const double good[4] = {0.5, 0.0, 1.0, 0.5};
    const double bad[3] = {0.5, NAN, 1.0}, outside[3] = {0.5, 0.5, -2.5}, endless[1] = {INFINITY};
    refused("one", &(lotor_feedback){.rewards = good, .count = 0}, "0");
    refused("one", &(lotor_feedback){.rewards = good, .count = 2}, "2");
    refused("one", &(lotor_feedback){.rewards = bad + 1, .count = 1}, "the reward is ");
    refused("one", &(lotor_feedback){.rewards = endless, .count = 1}, "the reward is ");
    refused("least-shown", &(lotor_feedback){.rewards = good, .count = 3}, "3");
    refused("least-shown", &(lotor_feedback){.rewards = outside + 2, .count = 1}, "the reward is ");
    refused("semi", &(lotor_feedback){.rewards = good, .count = 2}, "2");
    refused("semi", &(lotor_feedback){.rewards = good, .count = 4}, "4");
    refused("semi", &(lotor_feedback){.rewards = good, .count = SIZE_MAX}, "18446744073709551615");
    refused("semi", &(lotor_feedback){.rewards = bad, .count = 3}, "reward 2 of 3 is ");
    refused("semi", &(lotor_feedback){.rewards = outside, .count = 3}, "reward 3 of 3 is ");
    refused("cascade", &(lotor_feedback){.click = 4}, "from 1 to 3");
    refused("first-slot", &(lotor_feedback){.click = 4}, "from 1 to 3");
    refused("cascade", &(lotor_feedback){.click = SIZE_MAX}, "from 1 to 3");
    assert_null(lotor_feedback_find("cascades"));
    assert_null(lotor_feedback_find(""));
}
