/* test_evaluation.c - rounds that measure value (policy/evaluation.h): which rounds feed which release,
 * how much a round can move it, what is drawn, saving and loading, and refusals. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policy/evaluation.h"
#include "policy/policy.h"
#include "privacy/local/randomize.h"
#include "support/test_source.h"

enum { ARMS = 6, SLOTS = 2, MOST_FACTS = 400 };

static const lotor_policy_params lists = {
    .algorithm = "lik-imed", .arms = ARMS, .slots = SLOTS, .epsilon = {1, 1}, .cascade = true};
static const lotor_policy_params sets = {
    .algorithm = "lik-imed", .arms = ARMS, .slots = SLOTS, .epsilon = {1, 1}, .low = -1, .high = 3};
/* One of the first three arms, and one of the others. */
static const uint32_t halves[ARMS] = {0, 0, 0, 1, 1, 1}, one_each[2] = {1, 1};
static const lotor_policy_params matched = {.algorithm = "lik-imed",
                                            .arms = ARMS,
                                            .epsilon = {1, 1},
                                            .low = -1,
                                            .high = 3,
                                            .structure = LOTOR_STRUCTURE_PARTITION,
                                            .group = halves,
                                            .groups = 2,
                                            .capacity = one_each};
static const lotor_evaluation_params fifth = {.share = {1, 5}};

/* A served policy, and everything that it has released. */
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
 * the second reward is half of it. `what` < -1 means that there is no feedback. Returns the value of the round. */
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
    return what >= -1 ? what * 1.5 : (double)SLOTS * game->policy->params.default_reward;
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

/* --- drawn decisions -------------------------------------------------------------------------- */

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
        expect_share(control[0][arm], roles[LOTOR_ROUND_CONTROLS], 1.0 / (double)ARMS);
        expect_share(control[1][arm], roles[LOTOR_ROUND_CONTROLS], 1.0 / (double)ARMS);
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

/* On a matroid a control takes arms greedily, in a random order or in the order of its list. */
TEST(controls_on_matroids)
{
    enum { DRAWS = 20000 };
    static const uint32_t named[] = {5, 4, 3, 2}, alike[] = {0, 1, 2};
    static const bool without_2[ARMS] = {true, true, false, true, true, true};
    static const bool upper[ARMS] = {false, false, false, true, true, true};
    const lotor_evaluation_params half = {{1, 2}, named, 4}, same = {{1, 2}, alike, 3};
    served_game game;
    start(&game, &matched, &fifth, 3);
    size_t controls = 0, first[ARMS] = {0};
    for (size_t i = 0; i < DRAWS; i++) {
        const kept_round kept = draw(&game, NULL);
        assert_true(halves[kept.arms[0]] != halves[kept.arms[1]]);
        if (kept.role == LOTOR_ROUND_CONTROLS) {
            assert_true(lotor_control_propensity(kept.asked[0], 2, false) == 0.0);
            first[kept.arms[0]]++;
            controls++;
        }
    }
    expect_share(controls, DRAWS, 0.1);
    for (size_t arm = 0; arm < ARMS; arm++) {
        expect_share(first[arm], controls, 1.0 / (double)ARMS);
    }
    lotor_policy_free(game.policy);
    start(&game, &matched, &half, 3);
    for (size_t i = 0; i < 600; i++) {
        const kept_round all = draw(&game, NULL);
        if (all.role == LOTOR_ROUND_CONTROLS) { /* 4 and 3 do not fit next to 5 */
            assert_true(all.arms[0] == 5 && all.arms[1] == 2);
            assert_true(lotor_control_propensity(all.asked[0], 2, true) == 1.0);
        }
        assert_int_equal(draw(&game, without_2).role, LOTOR_ROUND_LEARNS);
    }
    /* A list of one arm is not a round that measures. */
    lotor_decision decision;
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(lotor_policy_draw(game.policy, NULL, upper, NULL, &decision), LOTOR_OK);
        assert_int_equal(decision.count, 1);
        assert_int_equal(lotor_round_role_of(decision.asked, decision.asked_count),
                         LOTOR_ROUND_LEARNS);
    }
    lotor_policy_free(game.policy);
    start(&game, &matched, NULL, 3);
    lotor_message why = {""};
    assert_int_equal(lotor_policy_evaluate(game.policy, &same, &why), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "can be shown together"));
    lotor_policy_free(game.policy);
}

/* The propensity of a control round is the share of control rounds that show this list. */
TEST(propensities_are_those_of_the_lists)
{
    enum { DRAWS = 60000 };
    static const bool four[ARMS] = {true, false, true, true, false, true};
    served_game game;
    start(&game, &lists, &fifth, 43);
    size_t controls = 0, seen[ARMS][ARMS] = {{0}};
    for (size_t i = 0; i < DRAWS; i++) {
        const kept_round kept = draw(&game, four);
        const double propensity = kept.role == LOTOR_ROUND_LEARNS
                                      ? 0.0
                                      : lotor_control_propensity(kept.asked[0], kept.count, false);
        if (kept.role != LOTOR_ROUND_CONTROLS) {
            assert_true(propensity == 0.0);
            continue;
        }
        assert_true(fabs(propensity - 1.0 / 12.0) <= 1e-15);
        seen[kept.arms[0]][kept.arms[1]]++;
        controls++;
    }
    for (size_t a = 0; a < ARMS; a++) {
        for (size_t b = 0; b < ARMS; b++) {
            expect_share(seen[a][b], controls, four[a] && four[b] && a != b ? 1.0 / 12.0 : 0.0);
        }
    }
    lotor_policy_free(game.policy);
    /* By hand: 1/(6 5 4); an unknown number of arms; fewer arms than places; a fixed control. */
    const uint32_t of_6 = LOTOR_RECORDS_VALUE + 13, unknown = LOTOR_RECORDS_VALUE + 1;
    assert_true(fabs(lotor_control_propensity(of_6, 3, false) - 1.0 / 120.0) <= 1e-15);
    assert_true(lotor_control_propensity(unknown, 3, false) == 0.0);
    assert_true(lotor_control_propensity(of_6, 7, false) == 0.0);
    assert_true(lotor_control_propensity(LOTOR_RECORDS_VALUE + 3, 7, true) == 1.0);
    assert_true(lotor_control_propensity(4, 1, false) == 0.0);
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

/* --- the rounds of each release --------------------------------------------------------------- */

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
    expect_exact_sums(&matched);
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
        expect_one_release(&sets, changed, (double)SLOTS * 4.0);
        expect_one_release(&matched, changed, (double)SLOTS * 4.0);
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
    assert_true(fabs(estimator.noise - (double)SLOTS * 4.0 * 4.0) <= 1e-5);
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
    /* The value of a list of rewards far from 0 could pass 64 bits. */
    enum { MANY = 4000 };
    const lotor_policy_params far = {.algorithm = "lik-imed",
                                     .arms = MANY,
                                     .slots = MANY,
                                     .horizon = 100,
                                     .epsilon = {1, 1},
                                     .low = 0x1p31,
                                     .high = 0x1p31 + 1.0,
                                     .default_reward = 0x1p31};
    lotor_message why = {""};
    start(&game, &far, NULL, 31);
    assert_int_equal(lotor_policy_evaluate(game.policy, &fifth, &why), LOTOR_OVERFLOW);
    assert_non_null(strstr(why.text, "64 bits"));
    lotor_policy_free(game.policy);
}

/* --- the local model -------------------------------------------------------------------------- */

/* Every kind of report that a device can send about rounds that learn. */
static const lotor_policy_params locals[] = {
    {.algorithm = "rr-imed", .arms = ARMS, .slots = SLOTS, .epsilon = {1, 1}, .cascade = true},
    {.algorithm = "rr-imed", .arms = ARMS, .slots = SLOTS, .epsilon = {1, 1}, .low = -1, .high = 3},
    {.algorithm = "rr-klucb", .arms = ARMS, .slots = SLOTS, .epsilon = {1, 1}},
    {.algorithm = "cascade-ldp-rr", .arms = ARMS, .slots = SLOTS, .epsilon = {1, 1}},
    {.algorithm = "cucb-ldp2", .arms = ARMS, .slots = SLOTS, .epsilon = {1, 1}, .horizon = 5000},
    {.algorithm = "cucb-ldp-box", .arms = ARMS, .slots = SLOTS, .epsilon = {1, 1}},
};
enum { LOCALS = sizeof locals / sizeof *locals };

static lotor_display display_of(const kept_round *kept)
{
    return (lotor_display){kept->arms, kept->count, kept->asked, kept->asked_count, NULL};
}

/* Makes the report of a device and enters it. In lists, `what` is the position of the click; in sets,
 * it is the reward of every arm. Returns the first number of the report. */
static int64_t enter_report(served_game *game, test_source *device, const kept_round *kept,
                            double what)
{
    const lotor_display display = display_of(kept);
    lotor_randomizer told;
    lotor_message why = {""};
    assert_true(lotor_policy_randomizer(game->policy, &display, &told));
    const double rewards[SLOTS] = {what, what};
    const bool clicks = game->policy->coder.hears_clicks;
    const bool all = told.slot == 0;
    const lotor_feedback feedback = {clicks ? NULL : rewards,
                                     clicks ? 0
                                     : all  ? SLOTS
                                            : 1,
                                     clicks && what > 0 ? (size_t)what : 0};
    int64_t report[SLOTS], units[SLOTS];
    size_t count = 0, used = 0;
    if (lotor_randomize(&told, &feedback, &device->source, &why, report, &count) != LOTOR_OK ||
        lotor_policy_encode_report(game->policy, &display, report, count, &why, units, &used) !=
            LOTOR_OK ||
        lotor_policy_enter(game->policy, &display, units, used, &why) != LOTOR_OK) {
        fail_msg("%s: %s", game->policy->algorithm->id, why.text);
    }
    return report[0];
}

/* In the local model a round that measures sends one bit, whatever the algorithm hears otherwise. The
 * value counters are how many bits were 1, and how many there were. */
TEST(local_values_are_randomized_bits)
{
    for (size_t k = 0; k < LOCALS; k++) {
        served_game game;
        test_source device;
        test_source_seed(&device, 47);
        start(&game, &locals[k], &fifth, 47);
        game.fact_count = 0;
        lotor_policy_on_fact(game.policy, NULL, NULL);
        const bool clicks = game.policy->coder.hears_clicks;
        const double high = game.policy->params.high;
        uint64_t counts[2] = {0}, ones[2] = {0};
        for (uint64_t t = 1; t <= 1000; t++) {
            const kept_round kept = draw(&game, NULL);
            const lotor_display display = display_of(&kept);
            lotor_randomizer told;
            assert_true(lotor_policy_randomizer(game.policy, &display, &told));
            const double what = clicks ? (double)(t % 3) : t % 3 == 0 ? high : high / 2;
            const int64_t sent = enter_report(&game, &device, &kept, what);
            if (kept.role == LOTOR_ROUND_LEARNS) {
                assert_true(strcmp(told.mechanism, "sum-bit") != 0 &&
                            strcmp(told.mechanism, "click-bit") != 0);
                continue;
            }
            assert_string_equal(told.mechanism, clicks ? "click-bit" : "sum-bit");
            assert_true(told.slot == 0 && told.slots == SLOTS && told.scale == 0 &&
                        told.unit == 0.0 && told.epsilon.num == 1 && told.epsilon.den == 1);
            const size_t which = kept.role == LOTOR_ROUND_CONTROLS;
            counts[which]++;
            ones[which] += (uint64_t)sent;
        }
        lotor_arm_sums sums[2];
        lotor_policy_value_sums(game.policy, &sums[0], &sums[1]);
        for (size_t which = 0; which < 2; which++) {
            assert_true(counts[which] > 50);
            assert_int_equal(sums[which].count, counts[which]);
            assert_true(sums[which].value == (double)ones[which]);
        }
        lotor_policy_free(game.policy);
    }
}

/* How often the bit of a round is 1: by hand, with five standard deviations. A law whose share is 10% off
 * would fail. */
static void expect_law(const lotor_randomizer *told, const lotor_feedback *feedback, double value)
{
    enum { REPORTS = 40000 };
    test_source device;
    test_source_seed(&device, 53);
    const double lie = 1.0 / (1.0 + exp(lotor_ratio_to_double(told->epsilon)));
    const double share = lie + (1.0 - 2.0 * lie) * value;
    size_t ones = 0;
    for (size_t i = 0; i < REPORTS; i++) {
        int64_t report[SLOTS];
        size_t count;
        assert_int_equal(lotor_randomize(told, feedback, &device.source, NULL, report, &count),
                         LOTOR_OK);
        assert_int_equal(count, 1);
        ones += (size_t)report[0];
    }
    expect_share(ones, REPORTS, share);
    const double sd = sqrt((double)REPORTS * share * (1.0 - share));
    assert_true(fabs((double)ones - (double)REPORTS * 1.1 * share) > 5.0 * sd);
}

TEST(bits_of_values_have_their_law)
{
    static const double rewards[] = {3, 0}, low[] = {-1, -1}, high[] = {3, 3};
    lotor_randomizer told = {
        .mechanism = "sum-bit", .epsilon = {1, 1}, .low = -1, .high = 3, .slots = SLOTS};
    expect_law(&told, &(lotor_feedback){rewards, SLOTS, 0}, 5.0 / 8.0);
    expect_law(&told, &(lotor_feedback){low, SLOTS, 0}, 0.0);
    expect_law(&told, &(lotor_feedback){high, SLOTS, 0}, 1.0);
    expect_law(&told, &(lotor_feedback){NULL, 0, 2}, 0.5); /* a click: 3 and -1 */
    expect_law(&told, &(lotor_feedback){NULL, 0, 0}, 0.0);
    told = (lotor_randomizer){
        .mechanism = "click-bit", .epsilon = {1, 2}, .low = 0, .high = 1, .slots = SLOTS};
    expect_law(&told, &(lotor_feedback){NULL, 0, 0}, 0.0);
    expect_law(&told, &(lotor_feedback){NULL, 0, 1}, 1.0);
    expect_law(&told, &(lotor_feedback){NULL, 0, 2}, 1.0);
}

/* Of a person who sends nothing, the server randomizes the default, by the same law. */
TEST(missing_local_values_are_the_default)
{
    enum { ROUNDS = 40000 };
    for (size_t k = 0; k < 2; k++) {
        lotor_policy_params params = locals[k];
        params.default_reward = k ? 2 : 0; /* of a range from -1 to 3 */
        served_game game;
        start(&game, &params, &fifth, 59);
        lotor_policy_on_fact(game.policy, NULL, NULL);
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            const kept_round kept = draw(&game, NULL);
            const lotor_display display = display_of(&kept);
            assert_int_equal(lotor_policy_enter(game.policy, &display, NULL, 0, NULL), LOTOR_OK);
        }
        lotor_arm_sums sums[2];
        lotor_policy_value_sums(game.policy, &sums[0], &sums[1]);
        const double lie = 1.0 / (1.0 + exp(1.0));
        for (size_t which = 0; which < 2; which++) {
            expect_share((size_t)sums[which].value, (size_t)sums[which].count,
                         lie + (1.0 - 2.0 * lie) * (k ? 0.75 : 0.0));
        }
        lotor_policy_free(game.policy);
    }
}

/* Coupled worlds of the local model: two policies that get the same reports but for one round that
 * measures. Everything that the learner releases and shows is equal bit for bit. Of the value counters, the sums
 * of one role differ, by one. */
TEST(a_local_measuring_round_moves_one_counter)
{
    size_t changed_rounds = 0;
    for (uint64_t changed = 1; changed <= 40; changed++) {
        for (size_t k = 0; k < LOCALS; k++) {
            served_game one, other;
            start(&one, &locals[k], &fifth, 61);
            start(&other, &locals[k], &fifth, 61);
            lotor_round_role role = LOTOR_ROUND_LEARNS;
            for (uint64_t t = 1; t <= 60; t++) {
                const kept_round a = draw(&one, NULL), b = draw(&other, NULL);
                assert_int_equal(a.role, b.role);
                assert_memory_equal(a.arms, b.arms, sizeof a.arms);
                role = t == changed ? a.role : role;
                const lotor_display display = display_of(&a);
                const bool learns = a.role == LOTOR_ROUND_LEARNS;
                const int64_t bit = t % 2 == 0, flipped = !bit;
                const bool differs = t == changed && !learns;
                assert_int_equal(
                    lotor_policy_enter(one.policy, &display, learns ? NULL : &bit, !learns, NULL),
                    LOTOR_OK);
                assert_int_equal(lotor_policy_enter(other.policy, &display,
                                                    learns    ? NULL
                                                    : differs ? &flipped
                                                              : &bit,
                                                    !learns, NULL),
                                 LOTOR_OK);
            }
            assert_int_equal(one.fact_count, other.fact_count);
            for (size_t i = 0; i < one.fact_count; i++) {
                const lotor_arm_fact *a = &one.facts[i], *b = &other.facts[i];
                assert_true(a->statistic == b->statistic && a->arm == b->arm &&
                            a->count == b->count && a->time == b->time);
                const bool moved =
                    role != LOTOR_ROUND_LEARNS &&
                    a->arm == LOTOR_RECORDS_VALUE + (size_t)(role == LOTOR_ROUND_CONTROLS) &&
                    a->time >= changed;
                assert_true(fabs(a->value - b->value) == (moved ? 1.0 : 0.0));
            }
            changed_rounds += role != LOTOR_ROUND_LEARNS;
            lotor_policy_free(one.policy);
            lotor_policy_free(other.policy);
        }
    }
    assert_true(changed_rounds > 20);
}

TEST(local_guarantees_and_estimators)
{
    for (size_t k = 0; k < LOCALS; k++) {
        served_game with, without;
        start(&with, &locals[k], &fifth, 67);
        start(&without, &locals[k], NULL, 67);
        lotor_guarantee a, b;
        char texts[2][4096];
        lotor_policy_guarantee(with.policy, &a);
        lotor_policy_guarantee(without.policy, &b);
        assert_true(a.is_private && a.epsilon == 1.0 && a.model == LOTOR_MODEL_LOCAL);
        lotor_guarantee_json(&a, texts[0], sizeof texts[0]);
        lotor_guarantee_json(&b, texts[1], sizeof texts[1]);
        assert_string_equal(texts[0], texts[1]);
        lotor_estimator estimator;
        assert_true(lotor_policy_value_estimator(with.policy, &estimator));
        assert_int_equal(estimator.kind, LOTOR_ESTIMATE_BITS);
        assert_true(fabs(estimator.noise - 1.0 / (1.0 + exp(1.0))) <= 1e-12);
        assert_true(fabs(estimator.scale - 1.0 / tanh(0.5)) <= 1e-12);
        assert_true(estimator.low == (k == 1 ? -2.0 : 0.0));
        const bool clicks = with.policy->coder.hears_clicks;
        assert_true(estimator.high == (k == 1 ? 6.0 : clicks ? 1.0 : 2.0));
        with.policy->params.epsilon = lotor_ratio_of(1, 2);
        assert_non_null(lotor_evaluation_refuse(with.policy));
        lotor_policy_free(with.policy);
        lotor_policy_free(without.policy);
    }
}

TEST(impossible_local_rounds)
{
    static const uint32_t shown[] = {0, 1}, value[] = {LOTOR_RECORDS_VALUE};
    const lotor_display fine = {shown, 2, value, 1, NULL};
    for (size_t k = 0; k < LOCALS; k++) {
        served_game game;
        start(&game, &locals[k], &fifth, 71);
        draw(&game, NULL);
        const int64_t two = 2, less = -1, both[2] = {0, 1};
        int64_t units[SLOTS];
        size_t used;
        const lotor_feedback raw = {.click = 1};
        assert_int_equal(lotor_policy_encode(game.policy, &fine, &raw, NULL, units, &used),
                         LOTOR_INVALID);
        assert_int_equal(
            lotor_policy_encode_report(game.policy, &fine, &two, 1, NULL, units, &used),
            LOTOR_RANGE);
        assert_int_equal(
            lotor_policy_encode_report(game.policy, &fine, both, 2, NULL, units, &used),
            LOTOR_RANGE);
        assert_int_equal(lotor_policy_enter(game.policy, &fine, &two, 1, NULL), LOTOR_DAMAGED);
        assert_int_equal(lotor_policy_enter(game.policy, &fine, &less, 1, NULL), LOTOR_DAMAGED);
        assert_int_equal(lotor_policy_enter(game.policy, &fine, both, 2, NULL), LOTOR_DAMAGED);
        assert_int_equal(lotor_policy_enter(game.policy, &fine, both, 1, NULL), LOTOR_OK);
        lotor_policy_free(game.policy);
    }
}

/* A saved local policy goes on with the same counters. */
TEST(loading_local_policies_changes_nothing)
{
    for (size_t k = 0; k < LOCALS; k++) {
        served_game whole, pieces;
        start(&whole, &locals[k], &fifth, 73);
        start(&pieces, &locals[k], &fifth, 73);
        for (uint64_t t = 1; t <= 80; t++) {
            const kept_round a = draw(&whole, NULL), b = draw(&pieces, NULL);
            assert_int_equal(a.role, b.role);
            const lotor_display display = display_of(&a);
            const int64_t bit = t % 2 == 0;
            const bool learns = a.role == LOTOR_ROUND_LEARNS;
            const int64_t *units = learns || t % 3 == 0 ? NULL : &bit;
            lotor_policy_enter(whole.policy, &display, units, units != NULL, NULL);
            lotor_policy_enter(pieces.policy, &display, units, units != NULL, NULL);
            if (t % 13 == 0) {
                reload(&pieces);
            }
        }
        assert_int_equal(whole.fact_count, pieces.fact_count);
        assert_memory_equal(whole.facts, pieces.facts, whole.fact_count * sizeof *whole.facts);
        lotor_policy_free(whole.policy);
        lotor_policy_free(pieces.policy);
    }
}

/* A round about value is refused by a policy that measures none, and numbers that could not have been
 * encoded are damage. */
TEST(impossible_rounds)
{
    static const uint32_t shown[] = {0, 1}, more[] = {0, 1, 2};
    static const uint32_t value[] = {LOTOR_RECORDS_VALUE}, beyond[] = {LOTOR_RECORDS_VALUE + 2};
    static const uint32_t too_many[] = {LOTOR_RECORDS_VALUE + 2 * (ARMS + 1) + 1};
    served_game game, plain;
    start(&game, &sets, &fifth, 37);
    start(&plain, &sets, NULL, 37);
    draw(&game, NULL);
    draw(&plain, NULL);
    const lotor_display fine = {shown, 2, value, 1, NULL};
    const lotor_display wrong[] = {{shown, 2, beyond, 1, NULL},
                                   {shown, 2, too_many, 1, NULL},
                                   {more, 3, value, 1, NULL},
                                   {shown, 1, value, 1, NULL}};
    for (size_t i = 0; i < 4; i++) {
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
