/* test_serving_reports.c - the local model: the randomizer for a device, the reports that are
 * accepted, and the law of the noise in a report and in a default. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "privacy/local/cube.h"
#include "privacy/local/randomize.h"
#include "support/served.h"

static test_source source;

/* A policy of the local model at epsilon 1, with one round drawn. */
static lotor_policy *make_at(const char *id, bool lists, lotor_ratio epsilon, served_round *round)
{
    const lotor_algorithm *algorithm = lotor_algorithms_find(id);
    lotor_policy_params params =
        lists ? rows_list_params(algorithm, 1 << 20) : rows_params(algorithm, 1 << 20);
    params.epsilon = epsilon;
    test_source_seed(&source, 9);
    lotor_policy *policy = rows_make(&params, &source);
    served_draw(policy, 1, NULL, round);
    return policy;
}

static lotor_policy *make(const char *id, bool lists, served_round *round)
{
    return make_at(id, lists, lotor_ratio_of(1, 1), round);
}

static lotor_randomizer randomizer_of(const lotor_policy *policy, const served_round *round)
{
    const lotor_display display = served_display(policy, round);
    lotor_randomizer randomizer;
    assert_true(lotor_policy_randomizer(policy, &display, &randomizer));
    assert_true(lotor_ratio_to_double(randomizer.epsilon) == 1.0);
    return randomizer;
}

/* A unit is 2^-20 of the range, so one reward's noise at epsilon 1 has scale 2^20, two rewards' 2^21. */
TEST(what_a_device_is_told)
{
    served_round round;
    lotor_policy *policy = make("cucb-ldp1", false, &round);
    lotor_randomizer told = randomizer_of(policy, &round);
    assert_string_equal(told.mechanism, "laplace");
    assert_true(told.slot == 0 && told.slots == 2 && told.scale == 1U << 21);
    assert_true(told.unit == 0x1p-20 && told.low == 0.0 && told.high == 1.0);
    lotor_policy_free(policy);

    policy = make("cucb-ldp2", false, &round);
    told = randomizer_of(policy, &round);
    assert_string_equal(told.mechanism, "laplace");
    assert_true(told.slot >= 1 && told.slot <= 2 && told.scale == 1U << 20);
    assert_int_equal(round.arms[told.slot - 1], round.asked[0]);
    lotor_policy_free(policy);

    policy = make("cucb-ldp-box", false, &round);
    told = randomizer_of(policy, &round);
    assert_string_equal(told.mechanism, "cube");
    assert_true(told.slot == 0 && told.slots == 2 && told.scale == 0);
    lotor_policy_free(policy);

    policy = make("cascade-ldp-rr", true, &round);
    told = randomizer_of(policy, &round);
    assert_string_equal(told.mechanism, "position");
    assert_true(told.slot == 0 && told.slots == 3 && told.scale == 0);
    lotor_policy_free(policy);

    policy = make("rr-klucb", true, &round);
    told = randomizer_of(policy, &round);
    assert_string_equal(told.mechanism, "bit");
    assert_true(told.slot == 1 && told.slots == 3 && told.scale == 0);
    lotor_policy_free(policy);

    policy = make("rr-klucb", false, &round);
    told = randomizer_of(policy, &round);
    assert_int_equal(round.arms[told.slot - 1], round.asked[0]);
    lotor_policy_free(policy);

    lotor_randomizer none;
    policy = make("batch-klucb", false, &round);
    const lotor_display display = served_display(policy, &round);
    assert_false(lotor_policy_randomizer(policy, &display, &none));
    lotor_policy_free(policy);
    policy = make_at("rr-klucb", false, lotor_ratio_of(1, 0), &round);
    const lotor_display plain = served_display(policy, &round);
    assert_false(lotor_policy_randomizer(policy, &plain, &none));
    lotor_policy_free(policy);
}

/* Tries a report of at most two numbers; the message of a refusal contains none of them. */
static lotor_status try_report(const lotor_policy *policy, const served_round *round, size_t count,
                               int64_t first, int64_t second)
{
    const int64_t report[3] = {first, second, 1};
    int64_t units[4];
    size_t used;
    lotor_message why = {""};
    const lotor_display display = served_display(policy, round);
    const lotor_status status =
        lotor_policy_encode_report(policy, &display, report, count, &why, units, &used);
    if (status == LOTOR_RANGE) {
        assert_null(strstr(why.text, "987"));
        assert_int_equal(used, 0);
    }
    return status;
}

TEST(reports_of_a_wrong_form)
{
    served_round round;
    lotor_policy *policy = make("cucb-ldp1", false, &round);
    const int64_t scale = 1 << 21, one = 1 << 20, most = one + 64 * scale, least = -64 * scale;
    assert_int_equal(try_report(policy, &round, 2, most, least), LOTOR_OK);
    assert_int_equal(try_report(policy, &round, 2, most + 1, 0), LOTOR_RANGE);
    assert_int_equal(try_report(policy, &round, 2, 0, least - 1), LOTOR_RANGE);
    assert_int_equal(try_report(policy, &round, 2, INT64_MAX, 0), LOTOR_RANGE);
    assert_int_equal(try_report(policy, &round, 2, INT64_MIN, 0), LOTOR_RANGE);
    assert_int_equal(try_report(policy, &round, 2, 98765432109, 0), LOTOR_RANGE);
    assert_int_equal(try_report(policy, &round, 1, 0, 0), LOTOR_RANGE);
    assert_int_equal(try_report(policy, &round, 3, 0, 0), LOTOR_RANGE);
    assert_int_equal(try_report(policy, &round, 0, 0, 0), LOTOR_RANGE);
    lotor_policy_free(policy);

    policy = make("cascade-ldp-rr", true, &round);
    assert_int_equal(try_report(policy, &round, 1, 1, 0), LOTOR_OK);
    assert_int_equal(try_report(policy, &round, 1, 4, 0), LOTOR_OK);
    assert_int_equal(try_report(policy, &round, 1, 5, 0), LOTOR_RANGE);
    assert_int_equal(try_report(policy, &round, 1, 0, 0), LOTOR_RANGE);
    assert_int_equal(try_report(policy, &round, 1, -987, 0), LOTOR_RANGE);
    assert_int_equal(try_report(policy, &round, 2, 1, 1), LOTOR_RANGE);
    lotor_policy_free(policy);

    policy = make("cucb-ldp-box", false, &round);
    assert_int_equal(try_report(policy, &round, 2, 0, 1), LOTOR_OK);
    assert_int_equal(try_report(policy, &round, 2, 987, 1), LOTOR_RANGE);
    assert_int_equal(try_report(policy, &round, 2, 1, -1), LOTOR_RANGE);
    assert_int_equal(try_report(policy, &round, 1, 1, 1), LOTOR_RANGE);
    lotor_policy_free(policy);

    policy = make("rr-klucb", false, &round);
    assert_int_equal(try_report(policy, &round, 1, 1, 0), LOTOR_OK);
    assert_int_equal(try_report(policy, &round, 1, 2, 0), LOTOR_RANGE);
    assert_int_equal(try_report(policy, &round, 1, -1, 0), LOTOR_RANGE);
    lotor_policy_free(policy);

    policy = make("batch-klucb", false, &round);
    assert_int_equal(try_report(policy, &round, 1, 1, 0), LOTOR_INVALID);
    lotor_policy_free(policy);
}

/* Stored feedback is checked again when it is entered. If it was changed, nothing of it counts. */
TEST(kept_reports_of_a_wrong_form)
{
    static const struct {
        const char *id;
        bool lists;
        size_t used;
        int64_t units[2];
    } wrong[] = {
        {"cucb-ldp1", false, 2, {INT64_MAX, 0}}, {"cucb-ldp1", false, 1, {0, 0}},
        {"cascade-ldp-rr", true, 1, {0, 0}},     {"cascade-ldp-rr", true, 1, {5, 0}},
        {"cucb-ldp-box", false, 1, {4, 0}},      {"cucb-ldp-box", false, 1, {-1, 0}},
        {"cucb-ldp-box", false, 2, {1, 1}},      {"rr-klucb", false, 1, {2, 0}},
        {"batch-klucb", false, 1, {-1, 0}},      {"batch-klucb", false, 1, {(1 << 20) + 1, 0}},
        {"batch-klucb", false, 2, {0, 0}},       {"batch-klucb", true, 1, {4, 0}},
        {"cascade-dp-lazy", true, 1, {-1, 0}},   {"cucb-dp-lazy", false, 1, {0, 0}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        served_round round;
        lotor_message why = {""};
        lotor_policy *policy = make(wrong[i].id, wrong[i].lists, &round);
        const lotor_display display = served_display(policy, &round);
        assert_int_equal(lotor_policy_enter(policy, &display, wrong[i].units, wrong[i].used, &why),
                         LOTOR_DAMAGED);
        assert_int_equal(lotor_policy_rounds_over(policy), 0);
        assert_int_equal(lotor_board_posts(policy->board), 0);
        lotor_policy_free(policy);
    }
}

/* The sensitivity of a matrix depends on the length of the action and the size of the reward. */
TEST(kept_actions_of_a_wrong_form)
{
    served_round round;
    lotor_policy *policy = make("jdp-batch", false, &round);
    lotor_display display = served_display(policy, &round);
    const double far = 1.5, longer[ROWS_DIMENSION] = {0.9, 0.9, 0.0}, none[ROWS_DIMENSION] = {NAN};
    const double *const actions[] = {longer, none, NULL, round.action};
    for (size_t i = 0; i < 4; i++) {
        int64_t units;
        memcpy(&units, i == 3 ? &far : &longer[2], sizeof units);
        display.action = actions[i];
        assert_int_equal(lotor_policy_enter(policy, &display, &units, 1, NULL), LOTOR_DAMAGED);
        assert_int_equal(lotor_policy_rounds_over(policy), 0);
    }
    /* An action that was divided by its own length may be too long by a rounding error. If it was
     * drawn, it can be entered. */
    double contexts[ROWS_ARMS * ROWS_DIMENSION] = {0.0};
    contexts[0] = contexts[ROWS_DIMENSION] = nextafter(1.0, 2.0);
    lotor_decision decision;
    assert_int_equal(lotor_policy_draw(policy, contexts, NULL, NULL, &decision), LOTOR_OK);
    display.action = contexts;
    assert_int_equal(lotor_policy_enter(policy, &display, NULL, 0, NULL), LOTOR_OK);
    contexts[0] = 1.0 + 0x1p-48;
    assert_int_equal(lotor_policy_draw(policy, contexts, NULL, NULL, &decision), LOTOR_RANGE);
    assert_int_equal(lotor_policy_enter(policy, &display, NULL, 0, NULL), LOTOR_DAMAGED);
    lotor_policy_free(policy);
}

/* Feedback that is outside the range, of a wrong form, or raw although a report is wanted. */
TEST(feedback_of_a_wrong_form)
{
    served_round round;
    int64_t units[4];
    size_t used;
    lotor_message why = {""};
    const double high = 987.5, nan = NAN, good[3] = {0.5, 0.5, 0.5};
    lotor_policy *policy = make("cucb-dp-lazy", false, &round);
    lotor_display display = served_display(policy, &round);
    const double rewards[2] = {0.5, high};
    const lotor_feedback answers[] = {{rewards, 2, 0}, {(const double[]){nan, 0.0}, 2, 0},
                                      {good, 1, 0},    {good, 3, 0},
                                      {NULL, 2, 0},    {NULL, 0, 1}};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        assert_int_equal(lotor_policy_encode(policy, &display, &answers[i], &why, units, &used),
                         LOTOR_RANGE);
        assert_int_equal(used, 0);
        assert_null(strstr(why.text, "987"));
    }
    assert_int_equal(
        lotor_policy_encode(policy, &display, &(lotor_feedback){good, 2, 0}, &why, units, &used),
        LOTOR_OK);
    assert_true(used == 2 && units[0] == 1 << 19 && units[1] == 1 << 19);
    round.asked[0] = ROWS_ARMS;
    assert_int_equal(
        lotor_policy_encode(policy, &display, &(lotor_feedback){good, 2, 0}, &why, units, &used),
        LOTOR_INVALID);
    round.asked[0] = round.asked[1];
    assert_int_equal(lotor_policy_enter(policy, &display, units, 2, &why), LOTOR_INVALID);
    lotor_policy_free(policy);

    policy = make("cascade-dp-lazy", true, &round);
    display = served_display(policy, &round);
    const lotor_feedback clicks[] = {{.click = 4}, {.click = 987}, {good, 3, 0}};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(lotor_policy_encode(policy, &display, &clicks[i], &why, units, &used),
                         LOTOR_RANGE);
        assert_null(strstr(why.text, "987"));
    }
    lotor_policy_free(policy);

    policy = make("rr-klucb", false, &round);
    display = served_display(policy, &round);
    assert_int_equal(
        lotor_policy_encode(policy, &display, &(lotor_feedback){good, 1, 0}, &why, units, &used),
        LOTOR_INVALID);
    assert_non_null(strstr(why.text, "never the raw feedback"));
    lotor_policy_free(policy);
}

/* A device checks the randomizer: noise that is too small for the epsilon is refused, even if only
 * one unit is missing. */
TEST(a_device_checks_what_it_is_told)
{
    const lotor_randomizer honest = {.mechanism = "laplace",
                                     .epsilon = lotor_ratio_of(1, 2),
                                     .scale = 3 << 21,
                                     .unit = 0x1p-20,
                                     .high = 1.0,
                                     .slots = 3};
    const double rewards[4] = {0.0, 1.0, 0.5, 0.5};
    const lotor_feedback feedback = {rewards, 2, 0}, one = {rewards, 1, 0}, four = {rewards, 4, 0};
    int64_t report[8];
    size_t count;
    lotor_message why = {""};
    test_source_seed(&source, 1);
    lotor_source *bytes = &source.source;
    lotor_randomizer told = honest;
    assert_int_equal(lotor_randomize(&told, &feedback, bytes, &why, report, &count), LOTOR_OK);
    assert_int_equal(count, 2);
    assert_int_equal(lotor_randomize(&told, &four, bytes, &why, report, &count), LOTOR_RANGE);
    assert_int_equal(count, 0);
    told.scale--;
    assert_int_equal(lotor_randomize(&told, &feedback, bytes, &why, report, &count), LOTOR_INVALID);
    told.slot = 1;
    told.scale = 1 << 21;
    assert_int_equal(lotor_randomize(&told, &one, bytes, &why, report, &count), LOTOR_OK);
    assert_int_equal(lotor_randomize(&told, &feedback, bytes, &why, report, &count), LOTOR_RANGE);
    told.scale--;
    assert_int_equal(lotor_randomize(&told, &one, bytes, &why, report, &count), LOTOR_INVALID);
    static const lotor_ratio bad[] = {{0, 1}, {1, 0}};
    static const char *const known[] = {"laplace", "bit", "position", "cube"};
    for (size_t m = 0; m < 4; m++) {
        for (size_t i = 0; i < 2; i++) {
            told = honest;
            told.mechanism = known[m];
            told.epsilon = bad[i];
            assert_int_equal(lotor_randomize(&told, &one, bytes, &why, report, &count),
                             LOTOR_INVALID);
        }
    }
    told = honest;
    told.mechanism = "truth";
    assert_int_equal(lotor_randomize(&told, &one, bytes, &why, report, &count), LOTOR_INVALID);
    told.mechanism = NULL;
    assert_int_equal(lotor_randomize(&told, &one, bytes, &why, report, &count), LOTOR_INVALID);
    told = honest;
    told.unit = 0x1p-19;
    assert_int_equal(lotor_randomize(&told, &one, bytes, &why, report, &count), LOTOR_INVALID);
    told = honest;
    told.mechanism = "position";
    assert_int_equal(
        lotor_randomize(&told, &(lotor_feedback){.click = 4}, bytes, &why, report, &count),
        LOTOR_RANGE);
    assert_int_equal(lotor_randomize(&told, &one, bytes, &why, report, &count), LOTOR_RANGE);
    told.mechanism = "bit";
    assert_int_equal(lotor_randomize(&told, &feedback, bytes, &why, report, &count), LOTOR_RANGE);
    test_source_exhaust(&source, 1, 0);
    assert_int_equal(lotor_randomize(&told, &one, bytes, &why, report, &count), LOTOR_ENTROPY);
    assert_int_equal(count, 0);
}

/* All of 1,000 reports are accepted, also if the range is not [0,1], and have the right form. */
TEST(honest_reports_are_taken)
{
    static const char *const ids[] = {"cucb-ldp1", "cucb-ldp2", "cucb-ldp-box", "rr-klucb"};
    for (size_t i = 0; i < 4; i++) {
        lotor_policy_params params = rows_params(lotor_algorithms_find(ids[i]), 1000);
        params.epsilon = lotor_ratio_of(1, 10);
        params.low = -3.0;
        params.high = 17.0;
        test_source_seed(&source, 9);
        lotor_policy *policy = rows_make(&params, &source);
        for (uint64_t t = 1; t <= 1000; t++) {
            served_round round;
            served_draw(policy, t, NULL, &round);
            served_enter(policy, &round, true, &source.source);
        }
        lotor_policy_free(policy);
    }
}

enum { DRAWS = 20000 };

/* The noise of one number in DRAWS rounds of an arm's largest reward, or of clicks at the top: how
 * far the sum of one round's estimates spreads. `answered`: as reports of a device, otherwise as
 * defaults. */
typedef struct spread {
    double mean, size; /* of what a round adds: the mean, and the mean absolute error */
} spread;

static spread spread_of(const char *id, bool lists, bool answered)
{
    const lotor_algorithm *algorithm = lotor_algorithms_find(id);
    lotor_policy_params params =
        lists ? rows_list_params(algorithm, DRAWS) : rows_params(algorithm, DRAWS);
    params.epsilon = lotor_ratio_of(1, 1);
    params.arms = params.slots;
    params.default_reward = lists ? 0.0 : 1.0;
    test_source_seed(&source, 21);
    lotor_policy *policy = rows_make(&params, &source);
    const double ones[ROWS_ARMS] = {1.0, 1.0, 1.0, 1.0, 1.0};
    double mean = 0.0, size = 0.0, before = 0.0;
    for (uint64_t t = 1; t <= DRAWS; t++) {
        served_round round;
        served_draw(policy, t, NULL, &round);
        const lotor_display display = served_display(policy, &round);
        int64_t units[ROWS_ARMS], report[ROWS_ARMS + 1];
        size_t used = 0, count;
        if (answered) {
            const lotor_randomizer told = randomizer_of(policy, &round);
            const lotor_feedback feedback = {lists ? NULL : ones, lists ? 0 : round.asked_count, 0};
            assert_int_equal(
                lotor_randomize(&told, &feedback, &source.source, NULL, report, &count), LOTOR_OK);
            assert_int_equal(
                lotor_policy_encode_report(policy, &display, report, count, NULL, units, &used),
                LOTOR_OK);
        }
        assert_int_equal(lotor_policy_enter(policy, &display, answered ? units : NULL, used, NULL),
                         LOTOR_OK);
        double sum = 0.0; /* over all arms: one or more of them have changed */
        for (size_t arm = 0; arm < params.arms; arm++) {
            sum += lotor_board_at(policy->board, 0, arm)->value;
        }
        const double truth = lists ? 0.0 : (double)round.asked_count;
        const double added = sum - before;
        before = sum;
        mean += added / (double)DRAWS;
        size += fabs(added - truth) / (double)DRAWS;
    }
    lotor_policy_free(policy);
    return (spread){mean, size};
}

/* One mechanism, reports or defaults, and the expected numbers. */
typedef struct law_case {
    const char *id;
    bool lists, answered;
    spread (*right)(void);
} law_case;

/* By hand, at epsilon 1: Laplace noise of scale 1 on a reward of 1 has size 1 on average. */
static spread right_of_one(void)
{
    return (spread){1.0, 1.0};
}

/* Two arms with Laplace noise of scale 2 each: |X + Y| is 1.5 scales on average. */
static spread right_of_two(void)
{
    return (spread){2.0, 3.0};
}

/* Ones on the board: a bit for a reward of 1 is off by 1 if it is false. */
static spread right_of_bits(void)
{
    const double lie = 1.0 / (1.0 + exp(1.0));
    return (spread){1.0 - lie, lie};
}

/* The same for no click. */
static spread right_of_clicks(void)
{
    const double lie = 1.0 / (1.0 + exp(1.0));
    return (spread){lie, lie};
}

/* No click on a list of 3: some position is reported with probability 3 q, q = 1/(e + 3). Over the
 * items the estimates add up to 1/(p - q) for a position, less 3 q/(p - q). */
static spread right_of_places(void)
{
    const double e = exp(1.0), gap = (e - 1.0) / (e + 3.0), lie = 3.0 / (e + 3.0);
    return (spread){0.0, lie * (1.0 - lie) / gap + (1.0 - lie) * lie / gap};
}

/* Two rewards of 1: corners that agree in 2 places, in 1 (two of them), in none; the estimates add
 * up to 1 + B z, z = 1, 0, -1. */
static spread right_of_signs(void)
{
    lotor_cube law;
    assert_int_equal(lotor_cube_make(2, lotor_ratio_of(1, 1), NULL, &law), LOTOR_OK);
    const bool both = law.threshold == 2;
    const double e = exp(1.0), weight = both ? e + 3.0 : 3.0 * e + 1.0;
    const double two = e / weight, one = 2.0 * (both ? 1.0 : e) / weight, none = 1.0 / weight;
    return (spread){2.0, two * fabs(law.bias - 1.0) + one + none * (law.bias + 1.0)};
}

/* Within 4% of the size: more than four standard errors of DRAWS values (one is 1/sqrt(20000) =
 * 0.7% of a deviation that is at most 1.5 times its size), and less than half of the 10% that it
 * must see. */
static void has_its_noise(void **state)
{
    const law_case *given = *state;
    const spread right = given->right();
    const spread found = spread_of(given->id, given->lists, given->answered);
    const double slack = 0.04 * right.size;
    if (fabs(found.mean - right.mean) > slack || fabs(found.size - right.size) > slack) {
        fail_msg("mean %g where %g is right, size %g where %g is", found.mean, right.mean,
                 found.size, right.size);
    }
}

/* Reports of a device, and the defaults that the server draws for a person without feedback. */
#define LAW(what, id, lists, right)                                                                \
    static const law_case reports_##what = {id, lists, true, right};                               \
    static const law_case defaults_##what = {id, lists, false, right};                             \
    TEST_OF(reports_of_##what, has_its_noise, &reports_##what);                                    \
    TEST_OF(defaults_of_##what, has_its_noise, &defaults_##what)

LAW(one_reward, "cucb-ldp2", false, right_of_one);
LAW(two_rewards, "cucb-ldp1", false, right_of_two);
LAW(bits, "rr-klucb", false, right_of_bits);
LAW(clicks, "rr-klucb", true, right_of_clicks);
LAW(places, "cascade-ldp-rr", true, right_of_places);
LAW(signs, "cucb-ldp-box", false, right_of_signs);
