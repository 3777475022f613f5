/* test_evaluation.c - rounds that measure value (policy/evaluation.h): which rounds feed which release,
 * how much a round can move it, what is drawn, saving and loading, and refusals. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policy/evaluation.h"
#include "policy/policy.h"
#include "support/test_source.h"

enum { ARMS = 6, SLOTS = 2, MOST_FACTS = 400 };

static const lotor_policy_params lists = {
    .algorithm = "lik-imed", .arms = ARMS, .slots = SLOTS, .epsilon = {1, 1}, .cascade = true};
static const lotor_policy_params sets = {
    .algorithm = "lik-imed", .arms = ARMS, .slots = SLOTS, .epsilon = {1, 1}, .low = -1, .high = 3};
static const lotor_evaluation_params fifth = {.share = {1, 5}};

/* A served policy, and all that it has released. */
typedef struct served_game {
    test_source source;
    lotor_policy *policy;
    lotor_arm_fact facts[MOST_FACTS];
    size_t fact_count;
} served_game;

static lotor_status keep(void *context, const lotor_arm_fact *released)
{
    served_game *game = context;
    assert_true(game->fact_count < MOST_FACTS);
    game->facts[game->fact_count++] = *released;
    return LOTOR_OK;
}

static void start(served_game *game, const lotor_policy_params *params,
                  const lotor_evaluation_params *evaluation, uint64_t seed)
{
    lotor_message why = {""};
    test_source_seed(&game->source, seed);
    game->fact_count = 0;
    lotor_status status =
        lotor_policy_new_on(params, &game->source.source, seed, &why, &game->policy);
    if (status == LOTOR_OK && evaluation) {
        status = lotor_policy_evaluate(game->policy, evaluation, &why);
    }
    if (status != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    lotor_policy_on_fact(game->policy, keep, game);
}

static void reload(served_game *game)
{
    unsigned char *bytes;
    size_t length;
    lotor_message why = {""};
    assert_int_equal(lotor_policy_save(game->policy, &bytes, &length), LOTOR_OK);
    lotor_policy_free(game->policy);
    if (lotor_policy_load_on(bytes, length, NULL, &game->source.source, &why, &game->policy) !=
        LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    lotor_bytes_free(bytes, length);
    lotor_policy_on_fact(game->policy, keep, game);
}

/* A drawn round, as a service keeps it. */
typedef struct kept_round {
    uint32_t arms[SLOTS], asked[SLOTS];
    size_t count, asked_count;
    lotor_round_role role;
} kept_round;

static kept_round draw(served_game *game, const bool *eligible)
{
    lotor_decision decision;
    lotor_message why = {""};
    if (lotor_policy_draw(game->policy, NULL, eligible, &why, &decision) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    kept_round kept = {.count = decision.count, .asked_count = decision.asked_count};
    assert_int_equal(kept.count, game->policy->params.slots);
    memcpy(kept.arms, decision.arms, kept.count * sizeof *kept.arms);
    memcpy(kept.asked, decision.asked, kept.asked_count * sizeof *kept.asked);
    kept.role = lotor_round_role_of(kept.asked, kept.asked_count);
    return kept;
}

/* Enters a round. In lists, `what` is the position of the click; in sets, it is the first reward, and
 * the second reward is half of it. `what` < -1 is no feedback. Returns the value of the round. */
static double enter(served_game *game, const kept_round *kept, double what)
{
    const lotor_display display = {kept->arms, kept->count, kept->asked, kept->asked_count, NULL};
    const bool clicks = game->policy->params.cascade;
    const double both[SLOTS] = {what, what / 2};
    const bool all = kept->role != LOTOR_ROUND_LEARNS || kept->asked_count == SLOTS;
    const lotor_feedback feedback = {clicks ? NULL : both,
                                     clicks ? 0
                                     : all  ? SLOTS
                                            : kept->asked_count,
                                     clicks && what > 0 ? (size_t)what : 0};
    int64_t units[2 * ARMS];
    size_t used = 0;
    lotor_message why = {""};
    if (what >= -1 &&
        lotor_policy_encode(game->policy, &display, &feedback, &why, units, &used) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    assert_int_equal(
        lotor_policy_enter(game->policy, &display, what >= -1 ? units : NULL, used, &why),
        LOTOR_OK);
    if (clicks) {
        return what > 0;
    }
    return what >= -1 ? what * 1.5 : SLOTS * game->policy->params.default_reward;
}

/* Feedback that depends on the round alone. */
static double feedback_of(const lotor_policy_params *params, uint64_t t)
{
    const uint64_t bits = lotor_mix(t * UINT64_C(0x9e3779b97f4a7c15));
    if (bits % 5 == 0) {
        return -2;
    }
    return params->cascade ? (double)(bits >> 8 & 2) : -0.5 + (double)(bits >> 8 & 0xff) / 128.0;
}

/* --- what is drawn ---------------------------------------------------------------------------- */

/* Five standard deviations: each check fails by chance with probability below 1e-6. */
static void expect_share(size_t count, size_t of, double share)
{
    const double sd = sqrt((double)of * share * (1.0 - share));
    assert_true(fabs((double)count - (double)of * share) <= 5.0 * sd);
}

TEST(roles_are_independent_coins)
{
    enum { DRAWS = 60000 };
    served_game game;
    start(&game, &lists, &fifth, 3);
    size_t roles[3] = {0}, pairs[3][3] = {{0}}, control[SLOTS][ARMS] = {{0}};
    lotor_round_role before = LOTOR_ROUND_LEARNS;
    for (size_t i = 0; i < DRAWS; i++) {
        const kept_round kept = draw(&game, NULL);
        roles[kept.role]++;
        pairs[before][kept.role]++;
        before = kept.role;
        for (size_t j = 0; kept.role == LOTOR_ROUND_CONTROLS && j < SLOTS; j++) {
            control[j][kept.arms[j]]++;
        }
        assert_true(kept.arms[0] != kept.arms[1]);
    }
    expect_share(roles[LOTOR_ROUND_MEASURES], DRAWS, 0.1);
    expect_share(roles[LOTOR_ROUND_CONTROLS], DRAWS, 0.1);
    for (size_t i = 0; i < 3; i++) {
        expect_share(pairs[i][LOTOR_ROUND_MEASURES], roles[i], 0.1);
        expect_share(pairs[i][LOTOR_ROUND_CONTROLS], roles[i], 0.1);
    }
    for (size_t arm = 0; arm < ARMS; arm++) {
        expect_share(control[0][arm], roles[LOTOR_ROUND_CONTROLS], 1.0 / ARMS);
        expect_share(control[1][arm], roles[LOTOR_ROUND_CONTROLS], 1.0 / ARMS);
    }
    lotor_policy_free(game.policy);
}

/* A fixed control shows its first arms that are eligible. If too few are, the round learns, and so does
 * one that would have measured the policy. */
TEST(fixed_controls)
{
    static const uint32_t named[] = {4, 2, 0};
    const lotor_evaluation_params half = {{1, 2}, named, 3};
    static const bool without_2[ARMS] = {true, true, false, true, true, true};
    static const bool only_0[ARMS] = {true, true, false, true, false, true};
    served_game game;
    start(&game, &lists, &half, 5);
    size_t controls = 0;
    for (size_t i = 0; i < 600; i++) {
        const kept_round all = draw(&game, NULL);
        if (all.role == LOTOR_ROUND_CONTROLS) {
            assert_true(all.arms[0] == 4 && all.arms[1] == 2);
            controls++;
        }
        const kept_round some = draw(&game, without_2);
        if (some.role == LOTOR_ROUND_CONTROLS) {
            assert_true(some.arms[0] == 4 && some.arms[1] == 0);
        }
        assert_int_equal(draw(&game, only_0).role, LOTOR_ROUND_LEARNS);
    }
    expect_share(controls, 600, 0.25);
    lotor_policy_free(game.policy);
}

/* Past the horizon nothing is measured, because feedback is not taken. */
TEST(nothing_is_measured_past_the_horizon)
{
    lotor_policy_params params = lists;
    params.horizon = 10;
    served_game game;
    start(&game, &params, &fifth, 5);
    for (size_t i = 0; i < 200; i++) {
        const kept_round kept = draw(&game, NULL);
        assert_true(i < 10 || kept.role == LOTOR_ROUND_LEARNS);
    }
    lotor_policy_free(game.policy);
}

/* --- which rounds feed which release ---------------------------------------------------------- */

/* Without noise, the released sums are those of the values of the rounds of each role. */
static void expect_exact_sums(const lotor_policy_params *params)
{
    lotor_policy_params exact = *params;
    exact.epsilon = lotor_ratio_of(1, 0);
    served_game game;
    start(&game, &exact, &fifth, 7);
    double values[2] = {0};
    uint64_t counts[2] = {0};
    double prefix[2][2000] = {{0}};
    for (uint64_t t = 1; t <= 2000; t++) {
        const kept_round kept = draw(&game, NULL);
        const double value = enter(&game, &kept, feedback_of(params, t));
        if (kept.role != LOTOR_ROUND_LEARNS) {
            const size_t which = kept.role == LOTOR_ROUND_CONTROLS;
            values[which] += value;
            prefix[which][++counts[which]] = values[which];
        }
    }
    lotor_arm_sums sums[2];
    lotor_policy_value_sums(game.policy, &sums[0], &sums[1]);
    for (size_t which = 0; which < 2; which++) {
        assert_true(2 * sums[which].count >= counts[which] && sums[which].count <= counts[which]);
        assert_true(fabs(sums[which].value - prefix[which][sums[which].count]) <= 1e-3);
    }
    lotor_policy_free(game.policy);
}

TEST(released_sums_are_values)
{
    expect_exact_sums(&lists);
    expect_exact_sums(&sets);
}

/* Coupled worlds: two policies with the same coins and the same noise, whose people differ in one
 * round. If that round measures, the arms that are shown and all releases of the learner are equal bit
 * for bit. Of the value counters, at most one release differs, by at most the width of a value. */
static void expect_one_release(const lotor_policy_params *params, uint64_t changed, double width)
{
    served_game one, other;
    start(&one, params, &fifth, 11);
    start(&other, params, &fifth, 11);
    bool measures = false;
    for (uint64_t t = 1; t <= 1500; t++) {
        const kept_round a = draw(&one, NULL), b = draw(&other, NULL);
        assert_int_equal(a.role, b.role);
        measures = measures || (t == changed && a.role != LOTOR_ROUND_LEARNS);
        if (!measures && t >= changed) { /* the changed round learns: for other tests */
            break;
        }
        assert_memory_equal(a.arms, b.arms, sizeof a.arms);
        const double most = params->cascade ? 1 : 2;
        const double what = feedback_of(params, t);
        enter(&one, &a, t == changed ? -2 : what);
        enter(&other, &b, t == changed ? most : what);
    }
    size_t differ = 0;
    assert_int_equal(one.fact_count, other.fact_count);
    for (size_t i = 0; measures && i < one.fact_count; i++) {
        const lotor_arm_fact *a = &one.facts[i], *b = &other.facts[i];
        assert_true(a->statistic == b->statistic && a->arm == b->arm && a->count == b->count &&
                    a->time == b->time);
        if (memcmp(&a->value, &b->value, sizeof a->value) != 0) {
            assert_true(a->arm >= LOTOR_RECORDS_VALUE);
            assert_true(fabs(a->value - b->value) <= width * (1 + 1e-9));
            differ++;
        }
    }
    assert_true(differ <= 1);
    lotor_policy_free(one.policy);
    lotor_policy_free(other.policy);
}

TEST(a_measuring_round_moves_one_release)
{
    for (uint64_t changed = 1; changed <= 60; changed++) {
        expect_one_release(&lists, changed, 1.0);
        expect_one_release(&sets, changed, SLOTS * 4.0);
    }
}

/* The other way round: as long as the same arms are shown, a learning round changes no release about
 * value. */
TEST(a_learning_round_moves_no_value)
{
    served_game one, other;
    start(&one, &lists, &fifth, 13);
    start(&other, &lists, &fifth, 13);
    size_t about_value = 0;
    for (uint64_t t = 1; t <= 1500; t++) {
        const kept_round a = draw(&one, NULL), b = draw(&other, NULL);
        assert_int_equal(a.role, b.role);
        const bool learns = a.role == LOTOR_ROUND_LEARNS;
        const double what = feedback_of(&lists, t);
        enter(&one, &a, what);
        enter(&other, &b, learns && t % 3 == 0 ? 1 : what);
    }
    /* Roles do not depend on feedback, so the value counters release at the same times. */
    for (size_t i = 0, j = 0; i < one.fact_count && j < other.fact_count; i++, j++) {
        while (i < one.fact_count && one.facts[i].arm < LOTOR_RECORDS_VALUE) {
            i++;
        }
        while (j < other.fact_count && other.facts[j].arm < LOTOR_RECORDS_VALUE) {
            j++;
        }
        if (i < one.fact_count && j < other.fact_count) {
            assert_true(one.facts[i].time == other.facts[j].time &&
                        one.facts[i].arm == other.facts[j].arm &&
                        one.facts[i].count == other.facts[j].count);
            about_value++;
        }
    }
    assert_true(about_value >= 16);
    lotor_policy_free(one.policy);
    lotor_policy_free(other.policy);
}

/* A decision that was shown to nobody changes nothing about value. */
TEST(taken_back_rounds_count_for_nothing)
{
    lotor_policy_params exact = lists;
    exact.epsilon = lotor_ratio_of(1, 0);
    served_game game;
    start(&game, &exact, &fifth, 17);
    uint64_t entered = 0;
    for (uint64_t t = 1; t <= 2000; t++) {
        const kept_round kept = draw(&game, NULL);
        if (t % 2 == 0) {
            lotor_policy_take_back(game.policy, kept.asked, kept.asked_count);
            continue;
        }
        enter(&game, &kept, 1);
        entered += kept.role == LOTOR_ROUND_MEASURES;
    }
    lotor_arm_sums sums, control;
    lotor_policy_value_sums(game.policy, &sums, &control);
    assert_true(sums.count <= entered && 2 * sums.count >= entered);
    assert_true(fabs((sums.value) - ((double)sums.count)) <= 1e-9);
    assert_int_equal(lotor_policy_rounds(game.policy), 2000);
    assert_int_equal(lotor_policy_rounds_over(game.policy), 2000);
    lotor_policy_free(game.policy);
}

/* --- saving, guarantees, refusals ------------------------------------------------------------- */

TEST(loading_changes_nothing)
{
    static const uint32_t named[] = {4, 2};
    const lotor_evaluation_params evaluations[] = {{{1, 5}, NULL, 0}, {{1, 3}, named, 2}};
    for (size_t k = 0; k < 2; k++) {
        served_game whole, pieces;
        start(&whole, k ? &sets : &lists, &evaluations[k], 19);
        start(&pieces, k ? &sets : &lists, &evaluations[k], 19);
        for (uint64_t t = 1; t <= 600; t++) {
            const kept_round a = draw(&whole, NULL), b = draw(&pieces, NULL);
            assert_memory_equal(&a, &b, sizeof a.arms);
            assert_int_equal(a.role, b.role);
            enter(&whole, &a, feedback_of(&whole.policy->params, t));
            enter(&pieces, &b, feedback_of(&whole.policy->params, t));
            if (t % 37 == 0) {
                reload(&pieces);
            }
        }
        assert_int_equal(whole.fact_count, pieces.fact_count);
        assert_memory_equal(whole.facts, pieces.facts, whole.fact_count * sizeof *whole.facts);
        lotor_policy_free(whole.policy);
        lotor_policy_free(pieces.policy);
    }
}

/* Every cut and every flipped byte of a saved state is refused, or loads as some valid state. */
TEST(damaged_states)
{
    served_game game;
    start(&game, &lists, &fifth, 23);
    unsigned char *bytes;
    size_t length;
    lotor_policy *none;
    assert_int_equal(lotor_policy_save(game.policy, &bytes, &length), LOTOR_OK);
    for (size_t i = 0; i < length; i++) {
        bytes[i] ^= 0x40;
        assert_true(lotor_policy_load_on(bytes, length, NULL, &game.source.source, NULL, &none) !=
                    LOTOR_OK);
        bytes[i] ^= 0x40;
    }
    for (size_t cut = 0; cut < length; cut += 7) {
        assert_true(lotor_policy_load_on(bytes, cut, NULL, &game.source.source, NULL, &none) !=
                    LOTOR_OK);
    }
    lotor_bytes_free(bytes, length);
    lotor_policy_free(game.policy);
}

TEST(the_guarantee_is_unchanged)
{
    served_game with, without;
    start(&with, &sets, &fifth, 29);
    start(&without, &sets, NULL, 29);
    lotor_guarantee a, b;
    char texts[2][4096];
    lotor_policy_guarantee(with.policy, &a);
    lotor_policy_guarantee(without.policy, &b);
    assert_true(a.is_private && a.epsilon == 1.0);
    lotor_guarantee_json(&a, texts[0], sizeof texts[0]);
    lotor_guarantee_json(&b, texts[1], sizeof texts[1]);
    assert_string_equal(texts[0], texts[1]);
    assert_null(lotor_evaluation_refuse(with.policy));
    /* A smaller epsilon than the counters were made for is not claimed. */
    with.policy->params.epsilon = lotor_ratio_of(1, 2);
    assert_non_null(lotor_evaluation_refuse(with.policy));
    lotor_policy_free(with.policy);
    lotor_policy_free(without.policy);
}

/* Golden: the noise on a released sum has the scale slots x (high - low) / epsilon, or 1/epsilon for
 * clicks. */
TEST(noise_fits_the_sensitivity)
{
    served_game game;
    lotor_estimator estimator;
    lotor_policy_params params = sets;
    params.epsilon = lotor_ratio_of(1, 4);
    start(&game, &params, &fifth, 41);
    assert_true(lotor_policy_value_estimator(game.policy, &estimator));
    assert_true(fabs(estimator.noise - SLOTS * 4.0 * 4.0) <= 1e-5);
    assert_true(estimator.low == -2.0 && estimator.high == 6.0);
    lotor_policy_free(game.policy);
    params = lists;
    params.epsilon = lotor_ratio_of(9, 10);
    start(&game, &params, &fifth, 41);
    assert_true(lotor_policy_value_estimator(game.policy, &estimator));
    assert_true(fabs(estimator.noise - 10.0 / 9.0) <= 1e-5);
    assert_true(estimator.low == 0.0 && estimator.high == 1.0);
    lotor_policy_free(game.policy);
}

TEST(refusals)
{
    static const uint32_t twice[] = {1, 1}, unknown[] = {0, ARMS}, one[] = {3};
    const lotor_evaluation_params wrong[] = {
        {{0, 1}, NULL, 0},  {{2, 3}, NULL, 0},    {{1, 0}, NULL, 0}, {{0, 0}, NULL, 0},
        {{1, 5}, twice, 2}, {{1, 5}, unknown, 2}, {{1, 5}, one, 1},
    };
    served_game game;
    start(&game, &lists, NULL, 31);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        lotor_message why = {""};
        assert_int_equal(lotor_policy_evaluate(game.policy, &wrong[i], &why), LOTOR_INVALID);
        assert_true(why.text[0] != '\0' && !game.policy->evaluation);
    }
    lotor_policy_free(game.policy);
    const lotor_policy_params local = {
        .algorithm = "rr-imed", .arms = ARMS, .slots = 1, .epsilon = {1, 1}};
    lotor_message why = {""};
    start(&game, &local, NULL, 31);
    assert_int_equal(lotor_policy_evaluate(game.policy, &fifth, &why), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "local"));
    lotor_policy_free(game.policy);
}

/* A round about value is refused by a policy that measures none, and numbers that could not have been
 * encoded are damage. */
TEST(impossible_rounds)
{
    static const uint32_t shown[] = {0, 1}, more[] = {0, 1, 2};
    static const uint32_t value[] = {LOTOR_RECORDS_VALUE}, beyond[] = {LOTOR_RECORDS_VALUE + 2};
    served_game game, plain;
    start(&game, &sets, &fifth, 37);
    start(&plain, &sets, NULL, 37);
    draw(&game, NULL);
    draw(&plain, NULL);
    const lotor_display fine = {shown, 2, value, 1, NULL};
    const lotor_display wrong[] = {
        {shown, 2, beyond, 1, NULL}, {more, 3, value, 1, NULL}, {shown, 1, value, 1, NULL}};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(lotor_policy_enter(game.policy, &wrong[i], NULL, 0, NULL), LOTOR_INVALID);
    }
    assert_int_equal(lotor_policy_enter(plain.policy, &fine, NULL, 0, NULL), LOTOR_INVALID);
    const int64_t high = INT64_C(1) << 40, low = -high, two[2] = {0, 0};
    assert_int_equal(lotor_policy_enter(game.policy, &fine, &high, 1, NULL), LOTOR_DAMAGED);
    assert_int_equal(lotor_policy_enter(game.policy, &fine, &low, 1, NULL), LOTOR_DAMAGED);
    assert_int_equal(lotor_policy_enter(game.policy, &fine, two, 2, NULL), LOTOR_DAMAGED);
    assert_int_equal(lotor_policy_enter(game.policy, &fine, two, 1, NULL), LOTOR_OK);
    lotor_policy_free(game.policy);
    lotor_policy_free(plain.policy);
}
