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
#include "support/intake_scene.h"

enum { ROUNDS = 60, NONCE = 77 };

static lotor_policy_params params_of(const char *id)
{
    return rows_params(lotor_catalog_find(id), 1000);
}

static lotor_policy_params lists_of(const char *id)
{
    return rows_list_params(lotor_catalog_find(id), 1000);
}

/* Rounds: one shows arms 1 and 3 and asks for both; one shows three and asks for the second; one
 * has one arm. */
static const uint32_t pair[] = {1, 3}, three[] = {4, 0, 2};
static const lotor_kept both = {pair, 2, pair, 2, NULL};
static const lotor_kept list = {three, 3, three + 1, 1, NULL};
static const lotor_kept single = {pair, 1, pair, 1, NULL};

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
    lotor_put_u64(bound + 8, SCENE_CAMPAIGN);
    lotor_put_u64(bound + 16, first);
    lotor_put_u64(bound + 24, second);
}

TEST(rows_are_as_documented)
{
    static const double rewards[][2] = {{1.0, 0.5}, {0.0, 0.0}, {1.0, 1.0}};
    static const uint64_t decisions[] = {5, 9, 2}, nonces[] = {77, 77, 78};
    const lotor_policy_params params = params_of("cucb-dp-lazy");
    lotor_intake *intake = scene_intake(&params);
    assert_int_equal(lotor_intake_width(intake), 2);
    for (size_t i = 0; i < 3; i++) {
        scene_accept(intake, scene_rewards(rewards[i], 2), decisions[i], nonces[i], &both);
    }
    scene_row row = scene_seal(intake, 3, 9);
    assert_int_equal(row.first, 2);
    assert_int_equal(row.last, 9);

    unsigned char bound[32], expected[200], plain[200];
    const size_t length = unhex(golden_row, expected, sizeof expected);
    assert_int_equal(row.length, length + LOTOR_SEALED_MORE);
    bound_of(1, 3, 9, bound);
    assert_int_equal(lotor_seal_open(scene_key, bound, sizeof bound, row.bytes, row.length, plain),
                     LOTOR_OK);
    assert_memory_equal(plain, expected, length);
    scene_row_free(&row);
    lotor_intake_free(intake);
}

TEST(an_earlier_row_is_read)
{
    const lotor_policy_params params = params_of("cucb-dp-lazy");
    lotor_intake *intake = scene_intake(&params);
    unsigned char bytes[200];
    const size_t length = unhex(golden_sealed, bytes, sizeof bytes);
    assert_int_equal(lotor_intake_replay(intake, 4, 3, 9, bytes, length, NULL), LOTOR_OK);
    assert_int_equal(first_unit(intake, 5, 77), 1 << 20);
    assert_int_equal(first_unit(intake, 9, 77), 0);
    assert_false(lotor_intake_is_answered(intake, 2, 78)); /* final */
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

/* The feedback of a round, encoded directly, and as an item of a batch. */
static lotor_feedback_batch *answer(const lotor_policy *policy, const served_round *round,
                                    lotor_source *device, int64_t *units, size_t *used)
{
    const lotor_kept kept = served_kept(policy, round);
    double all[ROWS_ARMS], asked[ROWS_ARMS];
    lotor_answer told = {asked, round->asked_count, 0};
    answer_rewards(policy, round, all, asked);
    if (policy->params.cascade) {
        told = (lotor_answer){.click = rows_click(policy, round->event)};
    }
    lotor_randomizer randomizer;
    if (lotor_policy_randomizer(policy, &kept, &randomizer)) {
        int64_t report[ROWS_ARMS + 1];
        size_t count;
        assert_int_equal(lotor_randomize(&randomizer, &told, device, NULL, report, &count),
                         LOTOR_OK);
        assert_int_equal(
            lotor_policy_encode_report(policy, &kept, report, count, NULL, units, used), LOTOR_OK);
        return scene_report(report, count);
    }
    assert_int_equal(lotor_policy_encode(policy, &kept, &told, NULL, units, used), LOTOR_OK);
    if (policy->params.cascade) {
        return scene_click(told.click ? scene_ids[round->arms[told.click - 1]] : "");
    }
    return scene_rewards(all, round->count);
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
    if (number % 5 == 0) { /* looking changes nothing */
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
    lotor_intake *owner = scene_intake(params);
    lotor_intake *fronts[2] = {scene_intake(params), scene_intake(params)};
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
            const lotor_kept kept = served_kept(direct, &round->shown);
            lotor_feedback_batch *batch =
                answer(direct, &round->shown, &device.source, round->units, &round->used);
            scene_accept(fronts[number % 2], batch, number, NONCE, &kept);
        }
    }
    for (uint64_t i = 0; i < 2; i++) {
        scene_row row = scene_seal(fronts[i], 40 + i, 1);
        assert_int_equal(scene_replay(owner, 0, &row), LOTOR_OK);
        scene_row_free(&row);
    }
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        open_round *round = &rounds[i];
        const lotor_kept kept = served_kept(direct, &round->shown);
        lotor_kept bare = kept;
        lotor_message why = {""};
        bare.action = NULL;
        assert_int_equal(
            lotor_policy_enter(direct, &kept, round->used ? round->units : NULL, round->used, &why),
            LOTOR_OK);
        assert_int_equal(lotor_intake_is_answered(owner, i, NONCE), round->used > 0);
        if (lotor_intake_enter(owner, pieces, i, NONCE, &bare, round->action, round->action_length,
                               &why) != LOTOR_OK) {
            fail_msg("%s: %s", params->algorithm, why.text);
        }
        assert_false(lotor_intake_is_answered(owner, i, NONCE));
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
    if (lotor_catalog_find(params->algorithm)->model == LOTOR_MODEL_CENTRAL) {
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
    lotor_intake *intake = scene_intake(&params), *owner = scene_intake(&params);
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
        scene_accept(intake, scene_rewards(rewards, 2), i, NONCE, &both);
    }
    lotor_intake_undo(intake, 25); /* there are not so many */
    assert_int_equal(lotor_intake_pending(intake), 20);
    lotor_intake_undo(intake, 3);
    assert_int_equal(lotor_intake_pending(intake), 3);
    const double other[] = {0.0, 0.0};
    scene_accept(intake, scene_rewards(other, 2), 30, NONCE, &both);
    scene_row row = scene_seal(intake, 1, 1);
    assert_int_equal(row.first, 1);
    assert_int_equal(row.last, 30);
    assert_int_equal(scene_replay(owner, 0, &row), LOTOR_OK);
    for (uint64_t i = 1; i <= 31; i++) {
        assert_int_equal(lotor_intake_is_answered(owner, i, NONCE), i <= 3 || i == 30);
    }
    scene_row_free(&row);
    lotor_intake_clear_pending(intake);
    lotor_intake_free(intake);
    lotor_intake_free(owner);
    lotor_intake_free(NULL);
    lotor_feedback_batch_free(NULL);
}

/* --- refusals --------------------------------------------------------------------------------- */

static void expect_refusal(const lotor_policy_params *params, lotor_feedback_batch *batch,
                           const lotor_kept *kept, const char *field, const char *message)
{
    lotor_intake *intake = scene_intake(params);
    lotor_intake_refusal refusal;
    assert_false(lotor_intake_accept(intake, batch, 0, 1, NONCE, kept, scene_ids, &refusal));
    assert_int_equal(refusal.fault, LOTOR_FAULT_VALUE);
    assert_string_equal(refusal.field, field);
    assert_string_equal(refusal.message.text, message);
    assert_int_equal(lotor_intake_pending(intake), 0);
    lotor_feedback_batch_free(batch);
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
    expect_refusal(&semi, scene_rewards(rewards, 3), &both, "rewards",
                   "expected 2 rewards, one for each arm that was shown, in that order");
    expect_refusal(&semi, scene_rewards(rewards, 0), &both, "rewards",
                   "expected 2 rewards, one for each arm that was shown, in that order");
    expect_refusal(&semi, scene_rewards(far, 2), &both, "rewards",
                   "reward 2 is not in the declared range 0 to 1: send what is");
    expect_refusal(&semi, scene_rewards(rewards, 3), &(lotor_kept){three, 3, three, 3, NULL},
                   "rewards", "this is no round that cucb-dp-lazy could have shown");
    expect_refusal(&semi, scene_report(bits, 2), &both, "report",
                   "cucb-dp-lazy takes answers, not reports: send rewards, or a click");
    expect_refusal(&clicks, scene_click("b"), &list, "click", not_shown);
    expect_refusal(&clicks, scene_click("aa"), &list, "click", not_shown);
    expect_refusal(&local, scene_rewards(rewards, 1), &single, "rewards",
                   "rr-klucb is of the local model: send a report, randomized where the answer was "
                   "given, and never the answer itself");
    expect_refusal(&local, scene_report(bits, 2), &single, "report",
                   "2 numbers were reported where 1 are expected");
    expect_refusal(&local, scene_report(bits, 0), &single, "report",
                   "0 numbers were reported where 1 are expected");
    expect_refusal(&local, scene_report(bits + 2, 1), &single, "report",
                   "number 1 of the report is no bit: give 0 or 1");
    expect_refusal(&laplace, scene_report(far_away, 2), &both, "report",
                   "number 2 of the report is more than 64 scales outside the range of rewards: "
                   "send what the randomizer gives, in whole units");
}

TEST(clicks_count_from_one)
{
    static const char *const names[] = {"e", "a", "c", ""};
    static const char *const ids[ROWS_ARMS] = {"a", NULL, "c", NULL, "e"};
    const lotor_policy_params params = lists_of("batch-klucb");
    lotor_intake *intake = scene_intake(&params);
    lotor_intake_refusal refusal;
    for (uint64_t i = 0; i < 4; i++) {
        lotor_feedback_batch *batch = scene_click(names[i]);
        assert_true(lotor_intake_accept(intake, batch, 0, i + 1, NONCE, &list, ids, &refusal));
        lotor_feedback_batch_free(batch);
    }
    scene_row row = scene_seal(intake, 1, 1);
    assert_int_equal(scene_replay(intake, 0, &row), LOTOR_OK);
    for (uint64_t i = 0; i < 4; i++) {
        assert_int_equal(first_unit(intake, i + 1, NONCE), i < 3 ? i + 1 : 0);
    }
    scene_row_free(&row);
    lotor_intake_free(intake);
}

TEST(tells_devices_what_to_do)
{
    test_source source;
    test_source_seed(&source, 1);
    const lotor_policy_params params = params_of("cucb-ldp1"), semi = params_of("cucb-dp-lazy");
    lotor_policy *policy = rows_make(&params, &source);
    lotor_intake *intake = scene_intake(&params), *central = scene_intake(&semi);
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
        const lotor_algorithm *row = lotor_catalog_find(wrong[i].id);
        lotor_policy_params params = rows_params(row ? row : lotor_catalog_find("dp-se"), 1000);
        lotor_intake *intake = NULL;
        lotor_message why = {""};
        params.algorithm = wrong[i].id;
        params.delta = row && row->linear ? lotor_ratio_of(0, 1) : params.delta;
        assert_true(lotor_intake_new(&params, 1, scene_key, &why, &intake) != LOTOR_OK);
        assert_null(intake);
        assert_non_null(strstr(why.text, wrong[i].why));
    }
    lotor_policy_params paths = params_of("cucb-dp-lazy");
    lotor_intake *intake;
    rows_set_structure(&paths, LOTOR_STRUCTURE_PATH);
    assert_int_equal(lotor_intake_new(&paths, 1, scene_key, NULL, &intake), LOTOR_INVALID);
}

/* --- replay ----------------------------------------------------------------------------------- */

TEST(the_first_answer_stays)
{
    const lotor_policy_params params = params_of("cucb-dp-lazy");
    lotor_intake *front = scene_intake(&params), *owner = scene_intake(&params);
    static const double ones[] = {1.0, 1.0}, zeros[] = {0.0, 0.0};
    scene_accept(front, scene_rewards(ones, 2), 4, NONCE, &both);
    scene_accept(front, scene_rewards(zeros, 2), 4, NONCE, &both);
    scene_row first = scene_seal(front, 1, 1);
    scene_accept(front, scene_rewards(zeros, 2), 4, NONCE, &both);
    scene_accept(front, scene_rewards(zeros, 2), 4, NONCE + 1, &both); /* another block */
    scene_row second = scene_seal(front, 1, 2);
    for (int i = 0; i < 2; i++) { /* a row that is read again changes nothing */
        assert_int_equal(scene_replay(owner, 0, &first), LOTOR_OK);
        assert_int_equal(scene_replay(owner, 0, &second), LOTOR_OK);
        assert_int_equal(first_unit(owner, 4, NONCE), 1 << 20);
        assert_int_equal(first_unit(owner, 4, NONCE + 1), 0);
    }
    lotor_intake_reset(owner);
    assert_false(lotor_intake_is_answered(owner, 4, NONCE));
    assert_int_equal(scene_replay(owner, 4, &second), LOTOR_OK);
    assert_false(lotor_intake_is_answered(owner, 4, NONCE)); /* final */
    assert_int_equal(scene_replay(owner, 3, &second), LOTOR_OK);
    assert_int_equal(first_unit(owner, 4, NONCE), 0);
    scene_row_free(&first);
    scene_row_free(&second);
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
    const lotor_kept kept = {arms, 2, arms, 2, NULL};
    lotor_policy *policy = rows_make(&params, &source);
    lotor_intake *intake = scene_intake(&params);
    lotor_decision decision;
    unsigned char *action;
    size_t length;
    assert_int_equal(
        lotor_intake_draw(intake, policy, NULL, 0, NULL, false, NULL, &decision, &action, &length),
        LOTOR_OK);
    for (uint64_t i = 0; i < 2; i++) {
        scene_accept(intake, scene_rewards(answers[i], 2), 1, NONCE + i, &kept);
    }
    scene_row row = scene_seal(intake, 1, 1);
    assert_int_equal(scene_replay(intake, 0, &row), LOTOR_OK);
    scene_row_free(&row);
    assert_int_equal(lotor_intake_enter(intake, policy, 1, nonce, &kept, NULL, 0, NULL), LOTOR_OK);
    for (uint64_t i = 0; i < 2; i++) { /* of all nonces: the decision is final */
        assert_false(lotor_intake_is_answered(intake, 1, NONCE + i));
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
    lotor_intake *intake = scene_intake(&params);
    static const double ones[] = {1.0, 1.0};
    for (uint64_t i = 1; i <= 100; i++) {
        scene_accept(intake, scene_rewards(ones, 2), i, NONCE, &both);
    }
    scene_row row = scene_seal(intake, 1, 1);
    assert_int_equal(scene_replay(intake, 10, &row), LOTOR_OK);
    lotor_intake_forget(intake, 5);
    assert_true(lotor_intake_is_answered(intake, 11, NONCE));
    lotor_intake_forget(intake, 50);
    for (uint64_t i = 1; i <= 101; i++) {
        assert_int_equal(lotor_intake_is_answered(intake, i, NONCE), i > 50 && i <= 100);
        assert_false(lotor_intake_is_answered(intake, i, NONCE + 1));
    }
    lotor_intake_reset(intake);
    assert_false(lotor_intake_is_answered(intake, 99, NONCE));
    scene_row_free(&row);
    lotor_intake_free(intake);
}

static void expect_damaged(lotor_intake *intake, const scene_row *row)
{
    assert_int_equal(scene_replay(intake, 0, row), LOTOR_DAMAGED);
    assert_false(lotor_intake_is_answered(intake, 3, NONCE));
}

TEST(damaged_rows_are_refused)
{
    const lotor_policy_params params = params_of("cucb-dp-lazy");
    const unsigned char other_key[LOTOR_INTAKE_KEY] = {1};
    lotor_intake *intake = scene_intake(&params), *other, *keyed;
    static const double ones[] = {1.0, 1.0};
    assert_int_equal(lotor_intake_new(&params, SCENE_CAMPAIGN + 1, scene_key, NULL, &other),
                     LOTOR_OK);
    assert_int_equal(lotor_intake_new(&params, SCENE_CAMPAIGN, other_key, NULL, &keyed), LOTOR_OK);
    scene_accept(intake, scene_rewards(ones, 2), 3, NONCE, &both);
    scene_row row = scene_seal(intake, 5, 6), moved = row;
    for (size_t i = 0; i < row.length; i++) {
        row.bytes[i] ^= 0x40;
        expect_damaged(intake, &row);
        row.bytes[i] ^= 0x40;
    }
    for (moved.length = 0; moved.length < row.length; moved.length++) {
        expect_damaged(intake, &moved);
    }
    expect_damaged(intake, &(scene_row){NULL, 0, 5, 6, 0, 0});
    expect_damaged(intake, &(scene_row){row.bytes, row.length, 5, 7, 0, 0});
    expect_damaged(intake, &(scene_row){row.bytes, row.length, 6, 6, 0, 0});
    expect_damaged(intake, &(scene_row){row.bytes, row.length, 6, 5, 0, 0});
    expect_damaged(other, &row);
    expect_damaged(keyed, &row);
    assert_int_equal(scene_replay(intake, 0, &row), LOTOR_OK);
    assert_true(lotor_intake_is_answered(intake, 3, NONCE));
    scene_row_free(&row);
    lotor_intake_free(intake);
    lotor_intake_free(other);
    lotor_intake_free(keyed);
}

/* Correctly sealed bytes that are not a valid row, for example from other settings. */
TEST(impossible_rows_are_refused)
{
    static const char *const rows[] = {
        "", /* no entry */
        "00000000"
        "0300000000000000"
        "4d00000000000000", /* no number */
        "03000000"
        "0300000000000000"
        "4d00000000000000" /* three, where two fit */
        "000000000000000000000000000000000000000000000000",
        "01000080"
        "0300000000000000"
        "0000000000000000", /* the nonce before: of what? */
        "01000000"
        "0300000000000000"
        "4d00000000000000", /* its number is missing */
        "01000000"
        "0300000000000000"
        "4d00000000000000"
        "00000000000000", /* half of it */
        "01000000"
        "0300000000000000"
        "4d00000000000000"
        "0000000000000000"
        "01", /* and more */
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
    lotor_intake *intake = scene_intake(&params);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char plain[200], sealed[200 + LOTOR_SEALED_MORE];
        const size_t length = unhex(rows[i], plain, sizeof plain);
        lotor_intake_seal(intake, LOTOR_INTAKE_LOG, 1, 1, plain, length, sealed);
        expect_damaged(intake, &(scene_row){sealed, length + LOTOR_SEALED_MORE, 1, 1, 0, 0});
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
    lotor_intake *intake = scene_intake(&params);
    served_round round;
    served_draw(policy, 1, NULL, &round);
    const lotor_kept kept = served_kept(policy, &round);
    unsigned char plain[36], sealed[36 + LOTOR_SEALED_MORE];
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
    assert_int_equal(lotor_intake_enter(intake, policy, 1, NONCE, &kept, NULL, 0, &why),
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

static void context_start(context_scene *scene, const bool *has_row)
{
    test_source_seed(&scene->source, 3);
    scene->params = params_of("jdp-batch");
    scene->policy = rows_make(&scene->params, &scene->source);
    scene->intake = scene_intake(&scene->params);
    assert_int_equal(lotor_intake_seal_rows(scene->intake, rows_of_all, has_row, &scene->context,
                                            &scene->length),
                     LOTOR_OK);
}

static void context_end(context_scene *scene)
{
    lotor_bytes_free(scene->context, scene->length);
    lotor_policy_free(scene->policy);
    lotor_intake_free(scene->intake);
}

static lotor_status draw(context_scene *scene, const bool *eligible, lotor_decision *out,
                         unsigned char **action, size_t *length, lotor_message *why)
{
    return lotor_intake_draw(scene->intake, scene->policy, scene->context, scene->length, eligible,
                             false, why, out, action, length);
}

TEST(contexts_are_as_documented)
{
    static const bool some[ROWS_ARMS] = {false, true, false, false, true};
    context_scene scene;
    unsigned char bound[32], plain[200];
    double rows[ROWS_ARMS * ROWS_DIMENSION], number;
    bool has_row[ROWS_ARMS];
    context_start(&scene, some);
    bound_of(2, 0, 0, bound);
    assert_int_equal(scene.length, 2 * (4 + 24) + LOTOR_SEALED_MORE);
    assert_int_equal(
        lotor_seal_open(scene_key, bound, sizeof bound, scene.context, scene.length, plain),
        LOTOR_OK);
    assert_int_equal(lotor_get_u32(plain), 1);
    assert_int_equal(lotor_get_u32(plain + 28), 4);
    const uint64_t bits = lotor_get_u64(plain + 28 + 4 + 8);
    memcpy(&number, &bits, sizeof number);
    assert_true(number == 0.5);
    assert_int_equal(
        lotor_intake_open_rows(scene.intake, scene.context, scene.length, NULL, rows, has_row),
        LOTOR_OK);
    assert_memory_equal(has_row, some, sizeof some);
    assert_memory_equal(rows + 3, rows_of_all + 3, 3 * sizeof *rows);
    assert_memory_equal(rows + 12, rows_of_all + 12, 3 * sizeof *rows);
    context_end(&scene);
}

/* Arms without a row in the context, or not eligible, are not shown. */
TEST(draws_among_the_rows)
{
    static const bool some[ROWS_ARMS] = {false, true, false, false, true};
    static const bool eligible[ROWS_ARMS] = {true, true, true, false, false};
    static const bool none[ROWS_ARMS] = {true, false, true, true, false};
    context_scene scene;
    lotor_decision decision;
    unsigned char *action;
    size_t length;
    lotor_message why;
    context_start(&scene, some);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(draw(&scene, NULL, &decision, &action, &length, &why), LOTOR_OK);
        assert_true(decision.arms[0] == 1 || decision.arms[0] == 4);
        lotor_bytes_free(action, length);
        assert_int_equal(draw(&scene, eligible, &decision, &action, &length, &why), LOTOR_OK);
        assert_int_equal(decision.arms[0], 1);
        lotor_bytes_free(action, length);
    }
    const uint64_t rounds = lotor_policy_rounds(scene.policy);
    assert_int_equal(draw(&scene, none, &decision, &action, &length, &why), LOTOR_INVALID);
    assert_string_equal(why.text, "0 arms may be shown where 1 are needed: name more of them, or "
                                  "resume those that are paused");
    assert_null(action);
    assert_int_equal(lotor_policy_rounds(scene.policy), rounds);
    assert_int_equal(lotor_intake_draw(scene.intake, scene.policy, NULL, 0, NULL, false, &why,
                                       &decision, &action, &length),
                     LOTOR_INVALID);
    assert_non_null(strstr(why.text, "needs a context"));
    context_end(&scene);
}

TEST(damaged_contexts_are_refused)
{
    static const bool all[ROWS_ARMS] = {true, true, true, true, true};
    context_scene scene;
    lotor_decision decision;
    unsigned char *action;
    size_t length;
    lotor_message why;
    context_start(&scene, all);
    for (size_t i = 0; i < scene.length; i++) {
        scene.context[i] ^= 1;
        assert_int_equal(draw(&scene, NULL, &decision, &action, &length, &why), LOTOR_DAMAGED);
        assert_string_equal(why.text, "a context is not what was sealed");
        scene.context[i] ^= 1;
    }
    const size_t whole = scene.length;
    for (scene.length = 0; scene.length < whole; scene.length++) {
        assert_int_equal(draw(&scene, NULL, &decision, &action, &length, &why), LOTOR_DAMAGED);
    }
    assert_int_equal(lotor_policy_rounds(scene.policy), 0);
    assert_null(action);
    /* Sealed as it should be, but with arms that are not there, or twice. */
    unsigned char plain[56] = {0}, sealed[56 + LOTOR_SEALED_MORE];
    static const uint32_t wrong[][2] = {{2, 2}, {3, 1}, {0, ROWS_ARMS}, {UINT32_MAX, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        lotor_put_u32(plain, wrong[i][0]);
        lotor_put_u32(plain + 28, wrong[i][1]);
        lotor_intake_seal(scene.intake, LOTOR_INTAKE_CONTEXT, 0, 0, plain, sizeof plain, sealed);
        assert_int_equal(lotor_intake_draw(scene.intake, scene.policy, sealed, sizeof sealed, NULL,
                                           false, &why, &decision, &action, &length),
                         LOTOR_DAMAGED);
    }
    context_end(&scene);
}

/* The message about a context that is too long names the arm, but no number. */
TEST(long_contexts_are_refused)
{
    double rows[ROWS_ARMS * ROWS_DIMENSION] = {0};
    static const bool all[ROWS_ARMS] = {true, true, true, true, true};
    context_scene scene;
    lotor_decision decision;
    unsigned char *action, *context;
    size_t length, context_length;
    lotor_message why;
    context_start(&scene, all);
    rows[7] = 1.25;
    assert_int_equal(lotor_intake_seal_rows(scene.intake, rows, all, &context, &context_length),
                     LOTOR_OK);
    assert_int_equal(lotor_intake_draw(scene.intake, scene.policy, context, context_length, NULL,
                                       false, &why, &decision, &action, &length),
                     LOTOR_RANGE);
    assert_string_equal(why.text, "the context of arm 2 (counted from 0) is longer than 1, or no "
                                  "number: scale the contexts down, all alike");
    lotor_bytes_free(context, context_length);
    context_end(&scene);
}

TEST(actions_are_bound_to_their_decision)
{
    static const bool all[ROWS_ARMS] = {true, true, true, true, true};
    context_scene scene;
    lotor_decision decision;
    unsigned char *action, *second;
    size_t length, second_length;
    lotor_message why;
    context_start(&scene, all);
    assert_int_equal(draw(&scene, NULL, &decision, &action, &length, &why), LOTOR_OK);
    assert_int_equal(length, ROWS_DIMENSION * 8 + LOTOR_SEALED_MORE);
    assert_int_equal(draw(&scene, NULL, &decision, &second, &second_length, &why), LOTOR_OK);
    const lotor_kept kept = {&decision.arms[0], 1, &decision.arms[0], 1, rows_of_all};
    assert_int_equal(lotor_intake_enter(scene.intake, scene.policy, 1, NONCE, &kept, second,
                                        second_length, &why),
                     LOTOR_DAMAGED);
    assert_int_equal(
        lotor_intake_enter(scene.intake, scene.policy, 1, NONCE, &kept, action, length - 1, &why),
        LOTOR_DAMAGED);
    /* kept->action is not looked at. */
    assert_int_equal(lotor_intake_enter(scene.intake, scene.policy, 1, NONCE, &kept, NULL, 0, &why),
                     LOTOR_DAMAGED);
    assert_int_equal(
        lotor_intake_enter(scene.intake, scene.policy, 1, NONCE, &kept, action, length, &why),
        LOTOR_OK);
    lotor_bytes_free(action, length);
    lotor_bytes_free(second, second_length);
    context_end(&scene);
}

/* --- states ----------------------------------------------------------------------------------- */

TEST(states_come_back)
{
    static const unsigned char head[] = "the service's own";
    const lotor_policy_params params = params_of("cucb-dp-lazy");
    test_source source;
    test_source_seed(&source, 1);
    lotor_policy *policy = rows_make(&params, &source), *loaded;
    lotor_intake *intake = scene_intake(&params);
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
    lotor_intake *intake = scene_intake(&params), *other, *keyed, *wider;
    unsigned char *bytes;
    size_t length;
    assert_int_equal(lotor_intake_new(&params, SCENE_CAMPAIGN + 1, scene_key, NULL, &other),
                     LOTOR_OK);
    assert_int_equal(lotor_intake_new(&params, SCENE_CAMPAIGN, other_key, NULL, &keyed), LOTOR_OK);
    params.high = 2.0;
    wider = scene_intake(&params);
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
    /* Sealed as it should be, but no state. */
    unsigned char plain[16] = {0}, sealed[16 + LOTOR_SEALED_MORE];
    lotor_intake_seal(intake, LOTOR_INTAKE_STATE, 9, 0, plain, 7, sealed);
    expect_no_state(intake, sealed, 7 + LOTOR_SEALED_MORE, 9, "is not what was saved");
    plain[0] = 9; /* a head of 9 bytes, of which there are 8 */
    lotor_intake_seal(intake, LOTOR_INTAKE_STATE, 9, 0, plain, 16, sealed);
    expect_no_state(intake, sealed, sizeof sealed, 9, "is not what was saved");
    plain[0] = 8; /* and no policy */
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
    lotor_intake *intake = scene_intake(&params);
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
