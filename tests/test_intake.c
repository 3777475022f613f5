/* test_intake.c - the intake: feedback accepted, undone, sealed, replayed and entered; contexts;
 * states. tests/service/test_intake_json.c tests the reading of JSON. */
#include "support/test.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/little.h"
#include "base/seal.h"
#include "privacy/local/randomize.h"
#include "support/intake_rig.h"

enum { ROUNDS = 60, NONCE = 77 };

static lotor_policy_params params_of(const char *id)
{
    return rows_params(lotor_algorithms_find(id), 1000);
}

static lotor_policy_params lists_of(const char *id)
{
    return rows_list_params(lotor_algorithms_find(id), 1000);
}

/* Rounds: one shows arms 1 and 3 and asks for both; one shows three and asks for the second; one
 * has one arm. */
static const uint32_t pair[] = {1, 3}, three[] = {4, 0, 2};
static const lotor_display both = {pair, 2, pair, 2, NULL};
static const lotor_display list = {three, 3, three + 1, 1, NULL};
static const lotor_display single = {pair, 1, pair, 1, NULL};

static int64_t first_unit(const lotor_intake *intake, uint64_t decision, uint64_t nonce)
{
    size_t used;
    const int64_t *units = lotor_intake_find(intake, decision, nonce, &used);
    assert_non_null(units);
    return units[0];
}

/* --- golden values ---------------------------------------------------------------------------- */

/* Two rewards of 1 and 0.5 (units of 2^-20) for decision 5; 0 and 0 for 9, same nonce; 1 and 1 for
 * 2. */
static const char golden_row[] = "02000000"
                                 "0500000000000000"
                                 "4d00000000000000"
                                 "0000100000000000"
                                 "0000080000000000"
                                 "02000080"
                                 "0900000000000000"
                                 "0000000000000000"
                                 "0000000000000000"
                                 "02000000"
                                 "0200000000000000"
                                 "4e00000000000000"
                                 "0000100000000000"
                                 "0000100000000000";

/* The same, sealed by an earlier version for campaign 7, stream 3, row 9. */
static const char golden_sealed[] =
    "abababababababababababababababababababababababab51bde72eb5179fe4947837654752c93e"
    "a9998403989992292f3ba7704263697bc7cffa57a0f43e9b3034a86051f1c37e21d5c6529de8c136"
    "b24fa50e388306dbdfaeb1e2d78caa07e6a7194cbf6aff29f77a3a816f4c00eb110cde9f6a374603"
    "413c01ee392044ff0c7e249091ec011251bbfa67";

static size_t unhex(const char *text, unsigned char *out, size_t room)
{
    size_t length;
    assert_int_equal(sodium_hex2bin(out, room, text, strlen(text), NULL, &length, NULL), 0);
    return length;
}

static void bound_of(uint64_t use, uint64_t first, uint64_t second, unsigned char bound[32])
{
    lotor_put_u64(bound, use);
    lotor_put_u64(bound + 8, INTAKE_CAMPAIGN);
    lotor_put_u64(bound + 16, first);
    lotor_put_u64(bound + 24, second);
}

TEST(rows_are_as_documented)
{
    static const double rewards[][2] = {{1.0, 0.5}, {0.0, 0.0}, {1.0, 1.0}};
    static const uint64_t decisions[] = {5, 9, 2}, nonces[] = {77, 77, 78};
    const lotor_policy_params params = params_of("cucb-dp-lazy");
    lotor_intake *intake = intake_new(&params);
    assert_int_equal(lotor_intake_width(intake), 2);
    for (size_t i = 0; i < 3; i++) {
        intake_accept(intake, intake_rewards(rewards[i], 2), decisions[i], nonces[i], &both);
    }
    intake_row row = intake_seal(intake, 3, 9);
    assert_int_equal(row.first, 2);
    assert_int_equal(row.last, 9);

    unsigned char bound[32], expected[200], plain[200];
    const size_t length = unhex(golden_row, expected, sizeof expected);
    assert_int_equal(row.length, length + LOTOR_SEAL_OVERHEAD);
    bound_of(1, 3, 9, bound);
    assert_int_equal(lotor_seal_open(intake_key, bound, sizeof bound, row.bytes, row.length, plain),
                     LOTOR_OK);
    assert_memory_equal(plain, expected, length);
    intake_row_free(&row);
    lotor_intake_free(intake);
}

TEST(an_earlier_row_is_read)
{
    const lotor_policy_params params = params_of("cucb-dp-lazy");
    lotor_intake *intake = intake_new(&params);
    unsigned char bytes[200];
    const size_t length = unhex(golden_sealed, bytes, sizeof bytes);
    assert_int_equal(lotor_intake_replay(intake, 4, 3, 9, bytes, length, NULL), LOTOR_OK);
    assert_int_equal(first_unit(intake, 5, 77), 1 << 20);
    assert_int_equal(first_unit(intake, 9, 77), 0);
    assert_false(lotor_intake_has_feedback(intake, 2, 78)); /* final */
    lotor_intake_free(intake);
}

/* --- one shot = in pieces --------------------------------------------------------------------- */

static void answer_rewards(const lotor_policy *policy, const served_round *round, double *all,
                           double *asked)
{
    for (size_t i = 0; i < round->count; i++) {
        all[i] = rows_reward(policy, round->event, round->arms[i]);
    }
    for (size_t i = 0; i < round->asked_count; i++) {
        asked[i] = rows_reward(policy, round->event, round->asked[i]);
    }
}

/* The feedback of a round, encoded directly, and as an item of a list. */
static lotor_feedback_list *feedback(const lotor_policy *policy, const served_round *round,
                                     lotor_source *device, int64_t *units, size_t *used)
{
    const lotor_display display = served_display(policy, round);
    double all[ROWS_ARMS], asked[ROWS_ARMS];
    lotor_feedback told = {asked, round->asked_count, 0};
    answer_rewards(policy, round, all, asked);
    if (policy->params.cascade) {
        told = (lotor_feedback){.click = rows_click(policy, round->event)};
    }
    lotor_randomizer randomizer;
    if (lotor_policy_randomizer(policy, &display, &randomizer)) {
        int64_t report[ROWS_ARMS + 1];
        size_t count;
        assert_int_equal(lotor_randomize(&randomizer, &told, device, NULL, report, &count),
                         LOTOR_OK);
        assert_int_equal(
            lotor_policy_encode_report(policy, &display, report, count, NULL, units, used),
            LOTOR_OK);
        return intake_report(report, count);
    }
    assert_int_equal(lotor_policy_encode(policy, &display, &told, NULL, units, used), LOTOR_OK);
    if (policy->params.cascade) {
        return intake_click(told.click ? intake_ids[round->arms[told.click - 1]] : "");
    }
    return intake_rewards(all, round->count);
}

/* An open round: its decision, its sealed action, and its directly encoded feedback. */
typedef struct open_round {
    served_round shown;
    unsigned char *action;
    size_t action_length;
    int64_t units[2 * ROWS_ARMS];
    size_t used;
} open_round;

/* Draws the same decision on the other policy, from a sealed context. */
static void draw_sealed(lotor_intake *intake, lotor_policy *policy, uint64_t number,
                        open_round *round)
{
    double room[ROWS_ARMS * ROWS_DIMENSION];
    static const bool all[ROWS_ARMS] = {true, true, true, true, true};
    const double *rows = rows_context(policy, number, room);
    unsigned char *context = NULL;
    size_t length = 0;
    lotor_decision decision;
    lotor_message why = {""};
    if (rows) {
        assert_int_equal(lotor_intake_seal_rows(intake, rows, all, &context, &length), LOTOR_OK);
    }
    if (number % 5 == 0) { /* a preview changes nothing */
        assert_int_equal(lotor_intake_draw(intake, policy, context, length, NULL, true, &why,
                                           &decision, &round->action, &round->action_length),
                         LOTOR_OK);
        assert_int_equal(decision.event, 0);
        assert_null(round->action);
    }
    if (lotor_intake_draw(intake, policy, context, length, NULL, false, &why, &decision,
                          &round->action, &round->action_length) != LOTOR_OK) {
        fail_msg("%s: %s", policy->algorithm->id, why.text);
    }
    assert_int_equal(decision.event, round->shown.event);
    assert_int_equal(decision.count, round->shown.count);
    assert_memory_equal(decision.arms, round->shown.arms, decision.count * sizeof *decision.arms);
    assert_int_equal(round->action != NULL, rows != NULL);
    lotor_bytes_free(context, length);
}

static test_source direct_noise, pieces_noise;

/* Draws all rounds on both policies, sends feedback for two of three in any order through two front
 * ends, and enters the rounds: the state is the same as without an intake. */
static void expect_pieces(const lotor_policy_params *params)
{
    static open_round rounds[ROUNDS + 1];
    test_source device;
    test_source_seed(&direct_noise, 5);
    test_source_seed(&pieces_noise, 5);
    test_source_seed(&device, 6);
    lotor_policy *direct = rows_make(params, &direct_noise);
    lotor_policy *pieces = rows_make(params, &pieces_noise);
    lotor_intake *owner = intake_new(params);
    lotor_intake *fronts[2] = {intake_new(params), intake_new(params)};
    assert_int_equal(lotor_intake_width(owner), lotor_policy_width(direct));
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        served_draw(direct, i, NULL, &rounds[i].shown);
        draw_sealed(owner, pieces, i, &rounds[i]);
    }
    for (uint64_t i = 0; i < ROUNDS; i++) {
        const uint64_t number = 1 + (i * 37) % ROUNDS; /* in any order */
        open_round *round = &rounds[number];
        round->used = 0;
        if (number % 3 != 0) {
            const lotor_display display = served_display(direct, &round->shown);
            lotor_feedback_list *batch =
                feedback(direct, &round->shown, &device.source, round->units, &round->used);
            intake_accept(fronts[number % 2], batch, number, NONCE, &display);
        }
    }
    for (uint64_t i = 0; i < 2; i++) {
        intake_row row = intake_seal(fronts[i], 40 + i, 1);
        assert_int_equal(intake_replay(owner, 0, &row), LOTOR_OK);
        intake_row_free(&row);
    }
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        open_round *round = &rounds[i];
        const lotor_display display = served_display(direct, &round->shown);
        lotor_display bare = display;
        lotor_message why = {""};
        bare.action = NULL;
        assert_int_equal(lotor_policy_enter(direct, &display, round->used ? round->units : NULL,
                                            round->used, &why),
                         LOTOR_OK);
        assert_int_equal(lotor_intake_has_feedback(owner, i, NONCE), round->used > 0);
        if (lotor_intake_enter(owner, pieces, i, NONCE, &bare, round->action, round->action_length,
                               &why) != LOTOR_OK) {
            fail_msg("%s: %s", params->algorithm, why.text);
        }
        assert_false(lotor_intake_has_feedback(owner, i, NONCE));
        lotor_bytes_free(round->action, round->action_length);
    }
    rows_expect_same_state(direct, pieces);
    lotor_policy_free(direct);
    lotor_policy_free(pieces);
    lotor_intake_free(owner);
    lotor_intake_free(fronts[0]);
    lotor_intake_free(fronts[1]);
}

TEST(pieces_are_one_shot)
{
    served_each(ROUNDS, expect_pieces);
}

/* The algorithms of the central model with an infinite epsilon: sums are exact. */
static void expect_exact_pieces(const lotor_policy_params *params)
{
    lotor_policy_params exact = *params;
    exact.epsilon = lotor_ratio_of(1, 0);
    if (lotor_algorithms_find(params->algorithm)->model == LOTOR_MODEL_CENTRAL) {
        expect_pieces(&exact);
    }
}

TEST(exact_pieces_are_one_shot)
{
    served_each(ROUNDS, expect_exact_pieces);
}

/* --- the pending group ------------------------------------------------------------------------ */

TEST(undoes_from_the_end)
{
    const lotor_policy_params params = params_of("cucb-dp-lazy");
    lotor_intake *intake = intake_new(&params), *owner = intake_new(&params);
    unsigned char *bytes = (unsigned char *)&params;
    size_t length = 1;
    uint64_t first, last;
    lotor_message why = {""};
    assert_int_equal(lotor_intake_seal_pending(intake, 1, 1, &why, &bytes, &length, &first, &last),
                     LOTOR_INVALID);
    assert_null(bytes);
    assert_int_equal(length, 0);
    assert_string_equal(why.text, "no feedback is pending");
    for (uint64_t i = 1; i <= 20; i++) {
        const double rewards[] = {0.5, 1.0 / (double)i};
        intake_accept(intake, intake_rewards(rewards, 2), i, NONCE, &both);
    }
    lotor_intake_undo(intake, 25); /* the group has fewer items */
    assert_int_equal(lotor_intake_pending(intake), 20);
    lotor_intake_undo(intake, 3);
    assert_int_equal(lotor_intake_pending(intake), 3);
    const double other[] = {0.0, 0.0};
    intake_accept(intake, intake_rewards(other, 2), 30, NONCE, &both);
    intake_row row = intake_seal(intake, 1, 1);
    assert_int_equal(row.first, 1);
    assert_int_equal(row.last, 30);
    assert_int_equal(intake_replay(owner, 0, &row), LOTOR_OK);
    for (uint64_t i = 1; i <= 31; i++) {
        assert_int_equal(lotor_intake_has_feedback(owner, i, NONCE), i <= 3 || i == 30);
    }
    intake_row_free(&row);
    lotor_intake_clear_pending(intake);
    lotor_intake_free(intake);
    lotor_intake_free(owner);
    lotor_intake_free(NULL);
    lotor_feedback_list_free(NULL);
}

/* --- refusals --------------------------------------------------------------------------------- */

static void expect_refusal(const lotor_policy_params *params, lotor_feedback_list *batch,
                           const lotor_display *display, const char *field, const char *message)
{
    lotor_intake *intake = intake_new(params);
    lotor_intake_refusal refusal;
    assert_false(lotor_intake_accept(intake, batch, 0, 1, NONCE, display, intake_ids, &refusal));
    assert_int_equal(refusal.fault, LOTOR_FAULT_VALUE);
    assert_string_equal(refusal.field, field);
    assert_string_equal(refusal.message.text, message);
    assert_int_equal(lotor_intake_pending(intake), 0);
    lotor_feedback_list_free(batch);
    lotor_intake_free(intake);
}

TEST(says_what_is_wrong)
{
    static const double rewards[] = {0.5, 0.25, 0.75}, far[] = {0.5, 1.5};
    static const int64_t bits[] = {0, 1, 2}, far_away[] = {0, INT64_MAX};
    static const char not_shown[] =
        "expected the id of an arm that was shown, or null for no click";
    const lotor_policy_params semi = params_of("cucb-dp-lazy"), clicks = lists_of("batch-klucb");
    const lotor_policy_params local = params_of("rr-klucb"), laplace = params_of("cucb-ldp1");
    expect_refusal(&semi, intake_rewards(rewards, 3), &both, "rewards",
                   "expected 2 rewards, one for each arm that was shown, in that order");
    expect_refusal(&semi, intake_rewards(rewards, 0), &both, "rewards",
                   "expected 2 rewards, one for each arm that was shown, in that order");
    expect_refusal(&semi, intake_rewards(far, 2), &both, "rewards",
                   "reward 2 of 2 is not in the declared range 0 to 1: send a reward in the range");
    expect_refusal(&semi, intake_rewards(rewards, 3), &(lotor_display){three, 3, three, 3, NULL},
                   "rewards", "cucb-dp-lazy could not have shown this round");
    expect_refusal(&semi, intake_report(bits, 2), &both, "report",
                   "cucb-dp-lazy takes raw feedback, not reports: send rewards, or a click");
    expect_refusal(&clicks, intake_click("b"), &list, "click", not_shown);
    expect_refusal(&clicks, intake_click("aa"), &list, "click", not_shown);
    expect_refusal(&local, intake_rewards(rewards, 1), &single, "rewards",
                   "rr-klucb is of the local model: send a report that the person's device "
                   "randomized, never the raw feedback");
    expect_refusal(&local, intake_report(bits, 2), &single, "report",
                   "the length of the report is 2: expected 1");
    expect_refusal(&local, intake_report(bits, 0), &single, "report",
                   "the length of the report is 0: expected 1");
    expect_refusal(&local, intake_report(bits + 2, 1), &single, "report",
                   "number 1 of the report is not a bit: give 0 or 1");
    expect_refusal(&laplace, intake_report(far_away, 2), &both, "report",
                   "number 2 of the report is more than 64 scales outside the range of rewards: "
                   "send what the randomizer gives, in whole units");
}

TEST(clicks_count_from_one)
{
    static const char *const names[] = {"e", "a", "c", ""};
    static const char *const ids[ROWS_ARMS] = {"a", NULL, "c", NULL, "e"};
    const lotor_policy_params params = lists_of("batch-klucb");
    lotor_intake *intake = intake_new(&params);
    lotor_intake_refusal refusal;
    for (uint64_t i = 0; i < 4; i++) {
        lotor_feedback_list *batch = intake_click(names[i]);
        assert_true(lotor_intake_accept(intake, batch, 0, i + 1, NONCE, &list, ids, &refusal));
        lotor_feedback_list_free(batch);
    }
    intake_row row = intake_seal(intake, 1, 1);
    assert_int_equal(intake_replay(intake, 0, &row), LOTOR_OK);
    for (uint64_t i = 0; i < 4; i++) {
        assert_int_equal(first_unit(intake, i + 1, NONCE), i < 3 ? i + 1 : 0);
    }
    intake_row_free(&row);
    lotor_intake_free(intake);
}

TEST(tells_devices_what_to_do)
{
    test_source source;
    test_source_seed(&source, 1);
    const lotor_policy_params params = params_of("cucb-ldp1"), semi = params_of("cucb-dp-lazy");
    lotor_policy *policy = rows_make(&params, &source);
    lotor_intake *intake = intake_new(&params), *central = intake_new(&semi);
    lotor_randomizer known, told;
    assert_true(lotor_policy_randomizer(policy, &both, &known));
    assert_true(lotor_intake_randomizer(intake, &both, &told));
    assert_string_equal(told.mechanism, known.mechanism);
    assert_int_equal(told.scale, known.scale);
    assert_true(told.scale > 0 && told.unit == known.unit && told.slots == known.slots);
    assert_int_equal(told.scale, lotor_statistic_scale(policy->statistic));
    assert_false(lotor_intake_randomizer(central, &both, &told));
    lotor_policy_free(policy);
    lotor_intake_free(intake);
    lotor_intake_free(central);
}

/* An intake accepts only parameters that a policy accepts, and only algorithms that are offered. */
TEST(refuses_what_is_not_served)
{
    static const struct {
        const char *id, *why;
    } wrong[] = {
        {"dp-se", "dp-se on this structure can't be served"},
        {"cucb-dp", "cucb-dp on this structure can't be served"},
        {"nonsense", "nonsense"},
        {"jdp-batch", "the noise of jdp-batch needs a delta above 0"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const lotor_algorithm *row = lotor_algorithms_find(wrong[i].id);
        lotor_policy_params params = rows_params(row ? row : lotor_algorithms_find("dp-se"), 1000);
        lotor_intake *intake = NULL;
        lotor_message why = {""};
        params.algorithm = wrong[i].id;
        params.delta = row && row->linear ? lotor_ratio_of(0, 1) : params.delta;
        assert_true(lotor_intake_new(&params, 1, intake_key, &why, &intake) != LOTOR_OK);
        assert_null(intake);
        assert_non_null(strstr(why.text, wrong[i].why));
    }
    lotor_policy_params paths = params_of("cucb-dp-lazy");
    lotor_intake *intake;
    rows_set_structure(&paths, LOTOR_STRUCTURE_PATH);
    assert_int_equal(lotor_intake_new(&paths, 1, intake_key, NULL, &intake), LOTOR_INVALID);
}

/* --- replay ----------------------------------------------------------------------------------- */

TEST(the_first_answer_stays)
{
    const lotor_policy_params params = params_of("cucb-dp-lazy");
    lotor_intake *front = intake_new(&params), *owner = intake_new(&params);
    static const double ones[] = {1.0, 1.0}, zeros[] = {0.0, 0.0};
    intake_accept(front, intake_rewards(ones, 2), 4, NONCE, &both);
    intake_accept(front, intake_rewards(zeros, 2), 4, NONCE, &both);
    intake_row first = intake_seal(front, 1, 1);
    intake_accept(front, intake_rewards(zeros, 2), 4, NONCE, &both);
    intake_accept(front, intake_rewards(zeros, 2), 4, NONCE + 1, &both); /* another block */
    intake_row second = intake_seal(front, 1, 2);
    for (int i = 0; i < 2; i++) { /* a row that is read again changes nothing */
        assert_int_equal(intake_replay(owner, 0, &first), LOTOR_OK);
        assert_int_equal(intake_replay(owner, 0, &second), LOTOR_OK);
        assert_int_equal(first_unit(owner, 4, NONCE), 1 << 20);
        assert_int_equal(first_unit(owner, 4, NONCE + 1), 0);
    }
    lotor_intake_reset(owner);
    assert_false(lotor_intake_has_feedback(owner, 4, NONCE));
    assert_int_equal(intake_replay(owner, 4, &second), LOTOR_OK);
    assert_false(lotor_intake_has_feedback(owner, 4, NONCE)); /* final */
    assert_int_equal(intake_replay(owner, 3, &second), LOTOR_OK);
    assert_int_equal(first_unit(owner, 4, NONCE), 0);
    intake_row_free(&first);
    intake_row_free(&second);
    lotor_intake_free(front);
    lotor_intake_free(owner);
}

/* The sum of arm 1 after its first round, without noise. */
static double sum_after(uint64_t nonce)
{
    lotor_policy_params params = params_of("cucb-dp-lazy");
    test_source source;
    params.epsilon = lotor_ratio_of(1, 0);
    params.arms = params.slots = 2;
    params.default_reward = 0.25;
    test_source_seed(&source, 1);
    static const uint32_t arms[] = {0, 1};
    static const double answers[][2] = {{1.0, 1.0}, {0.5, 0.5}};
    const lotor_display display = {arms, 2, arms, 2, NULL};
    lotor_policy *policy = rows_make(&params, &source);
    lotor_intake *intake = intake_new(&params);
    lotor_decision decision;
    unsigned char *action;
    size_t length;
    assert_int_equal(
        lotor_intake_draw(intake, policy, NULL, 0, NULL, false, NULL, &decision, &action, &length),
        LOTOR_OK);
    for (uint64_t i = 0; i < 2; i++) {
        intake_accept(intake, intake_rewards(answers[i], 2), 1, NONCE + i, &display);
    }
    intake_row row = intake_seal(intake, 1, 1);
    assert_int_equal(intake_replay(intake, 0, &row), LOTOR_OK);
    intake_row_free(&row);
    assert_int_equal(lotor_intake_enter(intake, policy, 1, nonce, &display, NULL, 0, NULL),
                     LOTOR_OK);
    for (uint64_t i = 0; i < 2; i++) { /* of all nonces: the decision is final */
        assert_false(lotor_intake_has_feedback(intake, 1, NONCE + i));
    }
    uint64_t count;
    const double mean = lotor_policy_mean(policy, 1, &count);
    assert_int_equal(count, 1);
    lotor_policy_free(policy);
    lotor_intake_free(intake);
    return mean;
}

TEST(the_nonce_decides)
{
    assert_true(sum_after(NONCE) == 1.0);
    assert_true(sum_after(NONCE + 1) == 0.5);
    assert_true(sum_after(NONCE + 2) == 0.25); /* the default */
}

TEST(forgets)
{
    const lotor_policy_params params = params_of("cucb-dp-lazy");
    lotor_intake *intake = intake_new(&params);
    static const double ones[] = {1.0, 1.0};
    for (uint64_t i = 1; i <= 100; i++) {
        intake_accept(intake, intake_rewards(ones, 2), i, NONCE, &both);
    }
    intake_row row = intake_seal(intake, 1, 1);
    assert_int_equal(intake_replay(intake, 10, &row), LOTOR_OK);
    lotor_intake_forget(intake, 5);
    assert_true(lotor_intake_has_feedback(intake, 11, NONCE));
    lotor_intake_forget(intake, 50);
    for (uint64_t i = 1; i <= 101; i++) {
        assert_int_equal(lotor_intake_has_feedback(intake, i, NONCE), i > 50 && i <= 100);
        assert_false(lotor_intake_has_feedback(intake, i, NONCE + 1));
    }
    lotor_intake_reset(intake);
    assert_false(lotor_intake_has_feedback(intake, 99, NONCE));
    intake_row_free(&row);
    lotor_intake_free(intake);
}

/* After a deletion, neither waiting feedback nor a sealed row can be used. */
TEST(erased_feedback_is_gone)
{
    const lotor_policy_params params = params_of("cucb-dp-lazy");
    lotor_intake *intake = intake_new(&params);
    static const double ones[] = {1.0, 1.0};
    unsigned char key[LOTOR_INTAKE_KEY];
    for (uint64_t i = 1; i <= 9; i++) {
        intake_accept(intake, intake_rewards(ones, 2), i, NONCE, &both);
    }
    intake_row row = intake_seal(intake, 1, 1);
    assert_int_equal(intake_replay(intake, 0, &row), LOTOR_OK);
    assert_true(lotor_intake_has_feedback(intake, 3, NONCE));
    intake_accept(intake, intake_rewards(ones, 2), 10, NONCE, &both);
    memset(key, 99, sizeof key);
    lotor_intake_erase(intake, key);
    assert_false(lotor_intake_has_feedback(intake, 3, NONCE));
    assert_int_equal(lotor_intake_pending(intake), 0);
    assert_int_equal(intake_replay(intake, 0, &row), LOTOR_DAMAGED);
    intake_row_free(&row);
    lotor_intake_free(intake);
}

static void expect_damaged(lotor_intake *intake, const intake_row *row)
{
    assert_int_equal(intake_replay(intake, 0, row), LOTOR_DAMAGED);
    assert_false(lotor_intake_has_feedback(intake, 3, NONCE));
}

TEST(damaged_rows_are_refused)
{
    const lotor_policy_params params = params_of("cucb-dp-lazy");
    const unsigned char other_key[LOTOR_INTAKE_KEY] = {1};
    lotor_intake *intake = intake_new(&params), *other, *keyed;
    static const double ones[] = {1.0, 1.0};
    assert_int_equal(lotor_intake_new(&params, INTAKE_CAMPAIGN + 1, intake_key, NULL, &other),
                     LOTOR_OK);
    assert_int_equal(lotor_intake_new(&params, INTAKE_CAMPAIGN, other_key, NULL, &keyed), LOTOR_OK);
    intake_accept(intake, intake_rewards(ones, 2), 3, NONCE, &both);
    intake_row row = intake_seal(intake, 5, 6), moved = row;
    for (size_t i = 0; i < row.length; i++) {
        row.bytes[i] ^= 0x40;
        expect_damaged(intake, &row);
        row.bytes[i] ^= 0x40;
    }
    for (moved.length = 0; moved.length < row.length; moved.length++) {
        expect_damaged(intake, &moved);
    }
    expect_damaged(intake, &(intake_row){NULL, 0, 5, 6, 0, 0});
    expect_damaged(intake, &(intake_row){row.bytes, row.length, 5, 7, 0, 0});
    expect_damaged(intake, &(intake_row){row.bytes, row.length, 6, 6, 0, 0});
    expect_damaged(intake, &(intake_row){row.bytes, row.length, 6, 5, 0, 0});
    expect_damaged(other, &row);
    expect_damaged(keyed, &row);
    assert_int_equal(intake_replay(intake, 0, &row), LOTOR_OK);
    assert_true(lotor_intake_has_feedback(intake, 3, NONCE));
    intake_row_free(&row);
    lotor_intake_free(intake);
    lotor_intake_free(other);
    lotor_intake_free(keyed);
}

/* Correctly sealed bytes that are not a valid row, for example from other settings. */
TEST(impossible_rows_are_refused)
{
    static const char *const rows[] = {
        "", /* a row without an entry */
        "00000000"
        "0300000000000000"
        "4d00000000000000", /* an entry without a number */
        "03000000"
        "0300000000000000"
        "4d00000000000000" /* three, where two fit */
        "000000000000000000000000000000000000000000000000",
        "01000080"
        "0300000000000000"
        "0000000000000000", /* "the same nonce as before" in the first entry */
        "01000000"
        "0300000000000000"
        "4d00000000000000", /* its number is missing */
        "01000000"
        "0300000000000000"
        "4d00000000000000"
        "00000000000000", /* half of the number */
        "01000000"
        "0300000000000000"
        "4d00000000000000"
        "0000000000000000"
        "01", /* and bytes after the end */
        "01000000"
        "0300000000000000"
        "4d00000000000000"
        "0000000000000000"
        "01000080"
        "0400000000000000",
        "ffffff7f"
        "0300000000000000"
        "4d00000000000000"
        "0000000000000000",
    };
    const lotor_policy_params params = params_of("cucb-dp-lazy");
    lotor_intake *intake = intake_new(&params);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char plain[200], sealed[200 + LOTOR_SEAL_OVERHEAD];
        const size_t length = unhex(rows[i], plain, sizeof plain);
        lotor_intake_seal(intake, LOTOR_INTAKE_LOG, 1, 1, plain, length, sealed);
        expect_damaged(intake, &(intake_row){sealed, length + LOTOR_SEAL_OVERHEAD, 1, 1, 0, 0});
    }
    lotor_intake_free(intake);
}

/* A row of valid length with invalid values is refused when it is entered. */
TEST(impossible_numbers_are_refused)
{
    const lotor_policy_params params = params_of("cucb-dp-lazy");
    test_source source;
    test_source_seed(&source, 1);
    lotor_policy *policy = rows_make(&params, &source);
    lotor_intake *intake = intake_new(&params);
    served_round round;
    served_draw(policy, 1, NULL, &round);
    const lotor_display display = served_display(policy, &round);
    unsigned char plain[36], sealed[36 + LOTOR_SEAL_OVERHEAD];
    lotor_message why;
    assert_int_equal(unhex("02000000"
                           "0100000000000000"
                           "4d00000000000000"
                           "0000100000000000"
                           "0100100000000000",
                           plain, sizeof plain),
                     sizeof plain);
    lotor_intake_seal(intake, LOTOR_INTAKE_LOG, 1, 1, plain, sizeof plain, sealed);
    assert_int_equal(lotor_intake_replay(intake, 0, 1, 1, sealed, sizeof sealed, &why), LOTOR_OK);
    assert_int_equal(lotor_intake_enter(intake, policy, 1, NONCE, &display, NULL, 0, &why),
                     LOTOR_DAMAGED);
    assert_string_equal(why.text, "a kept answer is not what was encoded");
    lotor_policy_free(policy);
    lotor_intake_free(intake);
}

/* --- contexts --------------------------------------------------------------------------------- */

static const double rows_of_all[ROWS_ARMS * ROWS_DIMENSION] = {
    0.1, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.3, 0.4, 0.0, 0.0, 0.0, 0.5, 0.0};

typedef struct context_scene {
    test_source source;
    lotor_policy_params params;
    lotor_policy *policy;
    lotor_intake *intake;
    unsigned char *context;
    size_t length;
} context_scene;

static void context_start(context_scene *rig, const bool *has_row)
{
    test_source_seed(&rig->source, 3);
    rig->params = params_of("jdp-batch");
    rig->policy = rows_make(&rig->params, &rig->source);
    rig->intake = intake_new(&rig->params);
    assert_int_equal(
        lotor_intake_seal_rows(rig->intake, rows_of_all, has_row, &rig->context, &rig->length),
        LOTOR_OK);
}

static void context_end(context_scene *rig)
{
    lotor_bytes_free(rig->context, rig->length);
    lotor_policy_free(rig->policy);
    lotor_intake_free(rig->intake);
}

static lotor_status draw(context_scene *rig, const bool *eligible, lotor_decision *out,
                         unsigned char **action, size_t *length, lotor_message *why)
{
    return lotor_intake_draw(rig->intake, rig->policy, rig->context, rig->length, eligible, false,
                             why, out, action, length);
}

TEST(contexts_are_as_documented)
{
    static const bool some[ROWS_ARMS] = {false, true, false, false, true};
    context_scene rig;
    unsigned char bound[32], plain[200];
    double rows[ROWS_ARMS * ROWS_DIMENSION], number;
    bool has_row[ROWS_ARMS];
    context_start(&rig, some);
    bound_of(2, 0, 0, bound);
    assert_int_equal(rig.length, 2 * (4 + 24) + LOTOR_SEAL_OVERHEAD);
    assert_int_equal(
        lotor_seal_open(intake_key, bound, sizeof bound, rig.context, rig.length, plain), LOTOR_OK);
    assert_int_equal(lotor_get_u32(plain), 1);
    assert_int_equal(lotor_get_u32(plain + 28), 4);
    const uint64_t bits = lotor_get_u64(plain + 28 + 4 + 8);
    memcpy(&number, &bits, sizeof number);
    assert_true(number == 0.5);
    assert_int_equal(
        lotor_intake_open_rows(rig.intake, rig.context, rig.length, NULL, rows, has_row), LOTOR_OK);
    assert_memory_equal(has_row, some, sizeof some);
    assert_memory_equal(rows + 3, rows_of_all + 3, 3 * sizeof *rows);
    assert_memory_equal(rows + 12, rows_of_all + 12, 3 * sizeof *rows);
    context_end(&rig);
}

/* Arms without a row in the context, or not eligible, are not shown. */
TEST(draws_among_the_rows)
{
    static const bool some[ROWS_ARMS] = {false, true, false, false, true};
    static const bool eligible[ROWS_ARMS] = {true, true, true, false, false};
    static const bool none[ROWS_ARMS] = {true, false, true, true, false};
    context_scene rig;
    lotor_decision decision;
    unsigned char *action;
    size_t length;
    lotor_message why;
    context_start(&rig, some);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(draw(&rig, NULL, &decision, &action, &length, &why), LOTOR_OK);
        assert_true(decision.arms[0] == 1 || decision.arms[0] == 4);
        lotor_bytes_free(action, length);
        assert_int_equal(draw(&rig, eligible, &decision, &action, &length, &why), LOTOR_OK);
        assert_int_equal(decision.arms[0], 1);
        lotor_bytes_free(action, length);
    }
    const uint64_t rounds = lotor_policy_rounds(rig.policy);
    assert_int_equal(draw(&rig, none, &decision, &action, &length, &why), LOTOR_INVALID);
    assert_string_equal(why.text,
                        "too few arms may be shown (0 of at least 1): name more of them, or "
                        "resume paused arms");
    assert_null(action);
    assert_int_equal(lotor_policy_rounds(rig.policy), rounds);
    assert_int_equal(lotor_intake_draw(rig.intake, rig.policy, NULL, 0, NULL, false, &why,
                                       &decision, &action, &length),
                     LOTOR_INVALID);
    assert_non_null(strstr(why.text, "needs a context"));
    context_end(&rig);
}

TEST(damaged_contexts_are_refused)
{
    static const bool all[ROWS_ARMS] = {true, true, true, true, true};
    context_scene rig;
    lotor_decision decision;
    unsigned char *action;
    size_t length;
    lotor_message why;
    context_start(&rig, all);
    for (size_t i = 0; i < rig.length; i++) {
        rig.context[i] ^= 1;
        assert_int_equal(draw(&rig, NULL, &decision, &action, &length, &why), LOTOR_DAMAGED);
        assert_string_equal(why.text, "a context is not what was sealed");
        rig.context[i] ^= 1;
    }
    const size_t whole = rig.length;
    for (rig.length = 0; rig.length < whole; rig.length++) {
        assert_int_equal(draw(&rig, NULL, &decision, &action, &length, &why), LOTOR_DAMAGED);
    }
    assert_int_equal(lotor_policy_rounds(rig.policy), 0);
    assert_null(action);
    /* Correctly sealed, but with unknown arms, or with an arm twice. */
    unsigned char plain[56] = {0}, sealed[56 + LOTOR_SEAL_OVERHEAD];
    static const uint32_t wrong[][2] = {{2, 2}, {3, 1}, {0, ROWS_ARMS}, {UINT32_MAX, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        lotor_put_u32(plain, wrong[i][0]);
        lotor_put_u32(plain + 28, wrong[i][1]);
        lotor_intake_seal(rig.intake, LOTOR_INTAKE_CONTEXT, 0, 0, plain, sizeof plain, sealed);
        assert_int_equal(lotor_intake_draw(rig.intake, rig.policy, sealed, sizeof sealed, NULL,
                                           false, &why, &decision, &action, &length),
                         LOTOR_DAMAGED);
    }
    context_end(&rig);
}

/* The message about a context that is too long names the arm, but no number. */
TEST(long_contexts_are_refused)
{
    double rows[ROWS_ARMS * ROWS_DIMENSION] = {0};
    static const bool all[ROWS_ARMS] = {true, true, true, true, true};
    context_scene rig;
    lotor_decision decision;
    unsigned char *action, *context;
    size_t length, context_length;
    lotor_message why;
    context_start(&rig, all);
    rows[7] = 1.25;
    assert_int_equal(lotor_intake_seal_rows(rig.intake, rows, all, &context, &context_length),
                     LOTOR_OK);
    assert_int_equal(lotor_intake_draw(rig.intake, rig.policy, context, context_length, NULL, false,
                                       &why, &decision, &action, &length),
                     LOTOR_RANGE);
    assert_string_equal(why.text, "the context of arm 2 (counted from 0) is longer than 1, or no "
                                  "number: scale the contexts down, all alike");
    lotor_bytes_free(context, context_length);
    context_end(&rig);
}

TEST(actions_are_bound_to_their_decision)
{
    static const bool all[ROWS_ARMS] = {true, true, true, true, true};
    context_scene rig;
    lotor_decision decision;
    unsigned char *action, *second;
    size_t length, second_length;
    lotor_message why;
    context_start(&rig, all);
    assert_int_equal(draw(&rig, NULL, &decision, &action, &length, &why), LOTOR_OK);
    assert_int_equal(length, ROWS_DIMENSION * 8 + LOTOR_SEAL_OVERHEAD);
    assert_int_equal(draw(&rig, NULL, &decision, &second, &second_length, &why), LOTOR_OK);
    const lotor_display display = {&decision.arms[0], 1, &decision.arms[0], 1, rows_of_all};
    assert_int_equal(
        lotor_intake_enter(rig.intake, rig.policy, 1, NONCE, &display, second, second_length, &why),
        LOTOR_DAMAGED);
    assert_int_equal(
        lotor_intake_enter(rig.intake, rig.policy, 1, NONCE, &display, action, length - 1, &why),
        LOTOR_DAMAGED);
    /* kept->action is not read. */
    assert_int_equal(lotor_intake_enter(rig.intake, rig.policy, 1, NONCE, &display, NULL, 0, &why),
                     LOTOR_DAMAGED);
    assert_int_equal(
        lotor_intake_enter(rig.intake, rig.policy, 1, NONCE, &display, action, length, &why),
        LOTOR_OK);
    lotor_bytes_free(action, length);
    lotor_bytes_free(second, second_length);
    context_end(&rig);
}

/* --- states ----------------------------------------------------------------------------------- */

TEST(states_come_back)
{
    static const unsigned char head[] = "the service's own";
    const lotor_policy_params params = params_of("cucb-dp-lazy");
    test_source source;
    test_source_seed(&source, 1);
    lotor_policy *policy = rows_make(&params, &source), *loaded;
    lotor_intake *intake = intake_new(&params);
    for (uint64_t i = 1; i <= 40; i++) {
        served_round round;
        served_draw(policy, i, NULL, &round);
        served_enter(policy, &round, i % 2 == 0, &source.source);
    }
    for (size_t head_length = 0; head_length <= sizeof head; head_length += sizeof head) {
        unsigned char *bytes, *read;
        size_t length, read_length;
        lotor_message why;
        assert_int_equal(
            lotor_intake_save(intake, policy, head, head_length, 40, &why, &bytes, &length),
            LOTOR_OK);
        assert_int_equal(
            lotor_intake_load(intake, bytes, length, 40, &why, &loaded, &read, &read_length),
            LOTOR_OK);
        rows_expect_same_state(policy, loaded);
        assert_int_equal(read_length, head_length);
        assert_memory_equal(read, head, head_length);
        lotor_policy_free(loaded);
        lotor_bytes_free(read, read_length);
        assert_int_equal(
            lotor_intake_load(intake, bytes, length, 40, &why, NULL, &read, &read_length),
            LOTOR_OK);
        assert_int_equal(read_length, head_length);
        lotor_bytes_free(read, read_length);
        assert_int_equal(lotor_intake_load(intake, bytes, length, 40, &why, &loaded, NULL, NULL),
                         LOTOR_OK);
        rows_expect_same_state(policy, loaded);
        lotor_policy_free(loaded);
        assert_int_equal(lotor_intake_load(intake, bytes, length, 40, &why, NULL, NULL, NULL),
                         LOTOR_OK);
        lotor_bytes_free(bytes, length);
    }
    lotor_policy_free(policy);
    lotor_intake_free(intake);
}

static void expect_no_state(const lotor_intake *intake, const unsigned char *bytes, size_t length,
                            uint64_t bound, const char *said)
{
    lotor_policy *policy = (lotor_policy *)&length;
    unsigned char *head = (unsigned char *)&length;
    size_t head_length = 1;
    lotor_message why = {""};
    assert_int_equal(
        lotor_intake_load(intake, bytes, length, bound, &why, &policy, &head, &head_length),
        LOTOR_DAMAGED);
    assert_null(policy);
    assert_null(head);
    assert_int_equal(head_length, 0);
    assert_non_null(strstr(why.text, said));
}

TEST(damaged_states_are_refused)
{
    static const char said[] = "is not what was saved, or was sealed with another key";
    lotor_policy_params params = params_of("cucb-dp-lazy");
    const unsigned char other_key[LOTOR_INTAKE_KEY] = {1};
    test_source source;
    test_source_seed(&source, 1);
    lotor_policy *policy = rows_make(&params, &source);
    lotor_intake *intake = intake_new(&params), *other, *keyed, *wider;
    unsigned char *bytes;
    size_t length;
    assert_int_equal(lotor_intake_new(&params, INTAKE_CAMPAIGN + 1, intake_key, NULL, &other),
                     LOTOR_OK);
    assert_int_equal(lotor_intake_new(&params, INTAKE_CAMPAIGN, other_key, NULL, &keyed), LOTOR_OK);
    params.high = 2.0;
    wider = intake_new(&params);
    assert_int_equal(lotor_intake_save(intake, policy, (const unsigned char *)"head", 4, 9, NULL,
                                       &bytes, &length),
                     LOTOR_OK);
    expect_no_state(intake, bytes, length, 10, said);
    expect_no_state(other, bytes, length, 9, said);
    expect_no_state(keyed, bytes, length, 9, said);
    expect_no_state(wider, bytes, length, 9, "do not belong together");
    expect_no_state(intake, NULL, 0, 9, said);
    expect_no_state(intake, bytes, length - 1, 9, said);
    for (size_t i = 0; i < length; i += 7) {
        bytes[i] ^= 2;
        expect_no_state(intake, bytes, length, 9, said);
        bytes[i] ^= 2;
    }
    lotor_bytes_free(bytes, length);
    /* Correctly sealed, but not a state. */
    unsigned char plain[16] = {0}, sealed[16 + LOTOR_SEAL_OVERHEAD];
    lotor_intake_seal(intake, LOTOR_INTAKE_STATE, 9, 0, plain, 7, sealed);
    expect_no_state(intake, sealed, 7 + LOTOR_SEAL_OVERHEAD, 9, "is not what was saved");
    plain[0] = 9; /* a head of 9 bytes, of which there are 8 */
    lotor_intake_seal(intake, LOTOR_INTAKE_STATE, 9, 0, plain, 16, sealed);
    expect_no_state(intake, sealed, sizeof sealed, 9, "is not what was saved");
    plain[0] = 8; /* and there is no policy */
    lotor_intake_seal(intake, LOTOR_INTAKE_STATE, 9, 0, plain, 16, sealed);
    expect_no_state(intake, sealed, sizeof sealed, 9, "not a saved Lotor state");
    lotor_policy_free(policy);
    lotor_intake_free(intake);
    lotor_intake_free(other);
    lotor_intake_free(keyed);
    lotor_intake_free(wider);
}

/* An intake with other settings refuses the policy. */
TEST(settings_must_agree)
{
    lotor_policy_params params = params_of("cucb-dp-lazy");
    test_source source;
    test_source_seed(&source, 1);
    lotor_policy *policy = rows_make(&params, &source);
    params.arms--;
    lotor_intake *intake = intake_new(&params);
    lotor_decision decision;
    unsigned char *action;
    size_t length;
    assert_int_equal(
        lotor_intake_draw(intake, policy, NULL, 0, NULL, false, NULL, &decision, &action, &length),
        LOTOR_DAMAGED);
    assert_int_equal(lotor_intake_enter(intake, policy, 1, NONCE, &both, NULL, 0, NULL),
                     LOTOR_DAMAGED);
    lotor_policy_free(policy);
    lotor_intake_free(intake);
}

TEST_GROUP(test_start_sodium, NULL);
