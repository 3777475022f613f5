/* test_serving_grow.c - a saved policy is loaded with more arms (lotor_policy_load_grown). The result has
 * the bytes of a policy that has had these arms from the start, and the same life from then on. */
#include "support/test.h"

#include <string.h>

#include "support/served.h"

enum { FEW = ROWS_ARMS - 1, MANY = ROWS_ARMS, ROUNDS = 240, MORE = 160, LAG = 5 };

/* Three policies with the same displays and the same feedback. */
typedef struct game {
    test_source source[3], spare;
    lotor_policy *guide;  /* draws, with few arms */
    lotor_policy *narrow; /* has few arms */
    lotor_policy *wide;   /* has had many arms from the start */
    uint64_t first;       /* the oldest open round */
} game;

static lotor_policy *make(const lotor_policy_params *params, size_t arms, bool measures,
                          test_source *source)
{
    lotor_policy_params own = *params;
    lotor_message why = {""};
    own.arms = arms;
    test_source_seed(source, 11);
    lotor_policy *policy = rows_make(&own, source);
    const lotor_evaluation_params evaluation = {.share = {1, 4}};
    if (measures && lotor_policy_evaluate(policy, &evaluation, &why) != LOTOR_OK) {
        fail_msg("%s: %s", params->algorithm, why.text);
    }
    return policy;
}

static void start(game *on, const lotor_policy_params *params, bool measures)
{
    on->guide = make(params, FEW, measures, &on->source[0]);
    on->narrow = make(params, FEW, measures, &on->source[1]);
    on->wide = make(params, MANY, measures, &on->source[2]);
}

static void stop(game *on)
{
    lotor_policy_free(on->guide);
    lotor_policy_free(on->narrow);
    lotor_policy_free(on->wide);
}

/* One arm is not eligible in some rounds. */
static const bool *mask(uint64_t round, bool *eligible)
{
    for (size_t i = 0; i < MANY; i++) {
        eligible[i] = i < FEW && (round % 3 || i != round % FEW);
    }
    return eligible;
}

/* Feedback is encoded by the policy, with coins that are the same for all. */
static void enter(lotor_policy *policy, const served_round *round)
{
    test_source coins;
    test_source_seed(&coins, round->event);
    const bool learns = lotor_round_role_of(round->asked, round->asked_count) == LOTOR_ROUND_LEARNS;
    served_enter(policy, round, learns && round->event % 4, &coins.source);
}

static void fill(lotor_policy *policy, const served_round *round, uint64_t size)
{
    uint64_t number;
    lotor_message why = {""};
    const lotor_display display = served_display(policy, round);
    assert_int_equal(lotor_policy_number(policy, 1, &number), 1);
    if (lotor_policy_fill(policy, &display, size, &why) != LOTOR_OK) {
        fail_msg("%s: %s", policy->algorithm->id, why.text);
    }
}

/* The guide draws a round, which is final at once for all. */
static void play_one(game *on, uint64_t round)
{
    bool eligible[MANY];
    served_round drawn;
    served_draw(on->guide, round, mask(round, eligible), &drawn);
    const bool learns = lotor_round_role_of(drawn.asked, drawn.asked_count) == LOTOR_ROUND_LEARNS;
    uint64_t size = 0;
    if (learns && lotor_policy_records_one(on->guide->algorithm)) {
        /* the list that was drawn last is the held or the passing one; both plan the same batch */
        const bool is_held = on->guide->held.recorded == drawn.asked[0];
        size = lotor_policy_batch_size(on->guide, !is_held);
    }
    enter(on->guide, &drawn);
    fill(on->narrow, &drawn, size);
    enter(on->narrow, &drawn);
    fill(on->wide, &drawn, size);
    enter(on->wide, &drawn);
    served_expect_same_facts(on->narrow, on->wide);
}

static lotor_policy *grow(const lotor_policy *policy, size_t arms, lotor_source *source)
{
    unsigned char *bytes;
    size_t length;
    lotor_message why = {""};
    lotor_policy *grown;
    assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
    if (lotor_policy_load_grown_on(bytes, length, arms, source, &why, &grown) != LOTOR_OK) {
        fail_msg("%s: %s", policy->algorithm->id, why.text);
    }
    lotor_bytes_free(bytes, length);
    return grown;
}

static void expect_grown(game *on)
{
    lotor_policy *grown = grow(on->narrow, MANY, &on->spare.source);
    rows_expect_same_state(grown, on->wide);
    lotor_policy *again = grow(grown, MANY, &on->spare.source);
    rows_expect_same_state(again, on->wide);
    lotor_policy_free(again);
    lotor_policy_free(grown);
}

/* From now on the new arm may be shown. The grown policy draws, releases and saves as the wide one. */
static void expect_same_life(game *on)
{
    test_source copy = on->source[1];
    copy.source.window = &copy.window;
    lotor_policy *grown = grow(on->narrow, MANY, &copy.source);
    bool was_shown = false;
    for (uint64_t round = ROUNDS; round < ROUNDS + MORE; round++) {
        served_round one, other;
        memset(&one, 0, sizeof one);
        memset(&other, 0, sizeof other);
        served_draw(grown, round, NULL, &one);
        served_draw(on->wide, round, NULL, &other);
        assert_memory_equal(&one, &other, sizeof one);
        for (size_t i = 0; i < one.count; i++) {
            was_shown = was_shown || one.arms[i] == FEW;
        }
        enter(grown, &one);
        enter(on->wide, &other);
        served_expect_same_facts(grown, on->wide);
    }
    assert_true(was_shown);
    rows_expect_same_state(grown, on->wide);
    lotor_policy_free(grown);
}

static void expect_same_noise(const game *on)
{
    lotor_guarantee few, many;
    lotor_policy_guarantee(on->narrow, &few);
    lotor_policy_guarantee(on->wide, &many);
    assert_true(few.is_private && many.is_private);
    assert_memory_equal(&few.epsilon, &many.epsilon, sizeof few.epsilon);
    assert_memory_equal(&few.delta, &many.delta, sizeof few.delta);
    assert_memory_equal(&few.scale, &many.scale, sizeof few.scale);
    lotor_estimator one, other;
    lotor_policy_estimator(on->narrow, &one);
    lotor_policy_estimator(on->wide, &other);
    assert_int_equal(one.kind, other.kind);
    assert_memory_equal(&one.noise, &other.noise, sizeof one.noise);
    assert_memory_equal(&one.scale, &other.scale, sizeof one.scale);
}

static void expect_growth(const lotor_policy_params *params, bool measures)
{
    game on;
    start(&on, params, measures);
    test_source_seed(&on.spare, 1);
    expect_same_noise(&on);
    expect_grown(&on);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        play_one(&on, round);
        if (round % 17 == 0) {
            expect_grown(&on);
        }
    }
    expect_grown(&on);
    expect_same_life(&on);
    stop(&on);
}

static size_t grown_rows;

static void grow_row(const lotor_policy_params *params)
{
    if (params->structure == LOTOR_STRUCTURE_TOP) {
        expect_growth(params, false);
        grown_rows++;
    }
}

TEST(every_offered_algorithm_grows)
{
    grown_rows = 0;
    served_each((uint64_t)ROUNDS + MORE, grow_row);
    size_t ids = 0;
    while (lotor_serving_id(ids)) {
        ids++;
    }
    assert_true(grown_rows >= ids);
}

TEST(policies_that_measure_value_grow)
{
    static const char *const ids[] = {"lik-imed", "rr-imed", "batch-klucb"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const lotor_policy_params params = rows_params(lotor_algorithms_find(ids[i]), 0);
        expect_growth(&params, true);
    }
}

TEST(policies_that_forget_grow)
{
    static const char *const ids[] = {"lik-imed", "rr-imed"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        lotor_policy_params params = rows_params(lotor_algorithms_find(ids[i]), 0);
        params.half_life = 60;
        expect_growth(&params, false);
    }
}

/* While the new arm is not eligible, the grown policy decides and releases as the old one. In both, one arm
 * is paused. (Some rules read the logarithm of the number of arms, so with other rewards they may decide
 * otherwise, as if there had been more arms from the start.) */
static void expect_same_choices(const lotor_policy_params *params)
{
    if (params->structure != LOTOR_STRUCTURE_TOP) {
        return;
    }
    const bool eligible[MANY] = {false, true, true, true, false};
    test_source source[2];
    lotor_policy *narrow = make(params, FEW, false, &source[0]);
    lotor_policy *grown = NULL;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        if (round == ROUNDS / 6) {
            source[1] = source[0];
            source[1].source.window = &source[1].window;
            grown = grow(narrow, MANY, &source[1].source);
        }
        served_round one, other;
        memset(&one, 0, sizeof one);
        memset(&other, 0, sizeof other);
        served_draw(narrow, round, eligible, &one);
        enter(narrow, &one);
        if (grown) {
            served_draw(grown, round, eligible, &other);
            assert_memory_equal(&one, &other, sizeof one);
            enter(grown, &other);
            served_expect_same_facts(narrow, grown);
        }
    }
    lotor_policy_free(narrow);
    lotor_policy_free(grown);
}

TEST(a_new_arm_that_is_not_eligible_changes_nothing)
{
    served_each(ROUNDS, expect_same_choices);
}

/* The releases of another policy stay those that the policy started with. */
TEST(policies_with_a_prior_grow)
{
    const lotor_prior_fact facts[] = {{.arm = 1, .count = 40, .value = 31.5, .epsilon = 1.0},
                                      {.arm = 3, .count = 20, .value = 4.25, .epsilon = 1.0}};
    const lotor_policy_params params = rows_params(lotor_algorithms_find("lik-imed"), 0);
    test_source source[2];
    lotor_policy *narrow = make(&params, FEW, false, &source[0]);
    lotor_policy *wide = make(&params, MANY, false, &source[1]);
    assert_int_equal(lotor_policy_take_prior(narrow, facts, 2, NULL), LOTOR_OK);
    assert_int_equal(lotor_policy_take_prior(wide, facts, 2, NULL), LOTOR_OK);
    lotor_policy *grown = grow(narrow, MANY, &source[0].source);
    assert_int_equal(lotor_policy_prior_count(grown), 2);
    rows_expect_same_state(grown, wide);
    lotor_policy_free(grown);
    lotor_policy_free(wide);
    lotor_policy_free(narrow);
}

static void expect_refused(const lotor_policy_params *params, size_t arms)
{
    test_source source;
    test_source_seed(&source, 1);
    lotor_policy *policy = rows_make(params, &source), *grown;
    unsigned char *bytes;
    size_t length;
    lotor_message why = {""};
    assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
    assert_int_equal(lotor_policy_load_grown_on(bytes, length, arms, &source.source, &why, &grown),
                     LOTOR_INVALID);
    assert_null(grown);
    assert_non_null(strstr(why.text, "the saved policy has 5 arms"));
    assert_int_equal(lotor_policy_load_grown(bytes, length, ROWS_ARMS, &why, &grown), LOTOR_OK);
    rows_expect_same_state(policy, grown);
    lotor_policy_free(grown);
    lotor_bytes_free(bytes, length);
    lotor_policy_free(policy);
}

TEST(what_can_not_grow)
{
    lotor_policy_params params = rows_params(lotor_algorithms_find("lik-imed"), 0);
    expect_refused(&params, ROWS_ARMS - 1);
    rows_set_structure(&params, LOTOR_STRUCTURE_PARTITION);
    expect_refused(&params, ROWS_ARMS + 1);
    params = rows_params(lotor_algorithms_find("dp-se"), ROUNDS);
    expect_refused(&params, ROWS_ARMS + 1);
}

/* Bytes that are cut off or changed are refused, as without more arms. */
TEST(damaged_bytes_do_not_grow)
{
    const lotor_policy_params params = rows_params(lotor_algorithms_find("batch-klucb"), 0);
    test_source source;
    test_source_seed(&source, 1);
    lotor_policy *policy = rows_make(&params, &source), *grown;
    unsigned char *bytes;
    size_t length;
    assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
    for (size_t cut = 0; cut < length; cut += 7) {
        assert_int_not_equal(
            lotor_policy_load_grown_on(bytes, cut, 9, &source.source, NULL, &grown), LOTOR_OK);
        assert_null(grown);
    }
    bytes[length / 2] ^= 1;
    assert_int_equal(lotor_policy_load_grown_on(bytes, length, 9, &source.source, NULL, &grown),
                     LOTOR_DAMAGED);
    lotor_bytes_free(bytes, length);
    lotor_policy_free(policy);
}
