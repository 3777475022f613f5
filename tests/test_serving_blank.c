/* test_serving_blank.c - rounds that are numbered first and filled in later (serving_blank.c): they are
 * played, saved, taken back and refused as rounds that are drawn at once. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "support/test_source.h"

enum { ARMS = 5, MOST_SLOTS = 3, DIMENSION = 3, MOST_FACTS = 4000, ROUNDS = 900 };

typedef struct blank_game {
    test_source source;
    lotor_policy *policy;
    lotor_arm_fact facts[MOST_FACTS];
    size_t fact_count, learned; /* all facts; those about arms */
    uint32_t shown[ROUNDS][MOST_SLOTS];
} blank_game;

static lotor_status keep(void *context, const lotor_arm_fact *released)
{
    blank_game *game = context;
    if (game->fact_count < MOST_FACTS) {
        game->facts[game->fact_count++] = *released;
        game->learned += released->arm < LOTOR_RECORDS_VALUE;
    }
    return LOTOR_OK;
}

static void start(blank_game *game, const lotor_policy_params *params, bool measures)
{
    lotor_message why = {""};
    memset(game, 0, sizeof *game);
    test_source_seed(&game->source, 7);
    lotor_status status = lotor_policy_new_on(params, &game->source.source, 7, &why, &game->policy);
    if (status == LOTOR_OK && measures) {
        status =
            lotor_policy_evaluate(game->policy, &(lotor_evaluation_params){.share = {1, 5}}, &why);
    }
    if (status != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    lotor_policy_on_fact(game->policy, keep, game);
}

static lotor_policy *copy(blank_game *game)
{
    unsigned char *bytes;
    size_t length;
    lotor_message why = {""};
    lotor_policy *again;
    assert_int_equal(lotor_policy_save(game->policy, &bytes, &length), LOTOR_OK);
    if (lotor_policy_load_on(bytes, length, NULL, &game->source.source, &why, &again) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    lotor_bytes_free(bytes, length);
    return again;
}

/* A number from 0 to below - 1 that depends on the round alone. */
static uint64_t pick(uint64_t round, uint64_t use, uint64_t below)
{
    return lotor_mix(lotor_mix(round) + use) % below;
}

/* Some arms are eligible, at least `slots` of them; NULL in some rounds. Always NULL for learners that
 * hold a list until its batch is full, because a new chooser does not know that list. */
static const bool *mask(uint64_t round, const lotor_policy_params *params, bool *eligible)
{
    const bool holds = !params->dimension && strcmp(params->algorithm, "lik-imed") != 0;
    const size_t slots = params->slots;
    size_t count = 0;
    for (size_t i = 0; i < ARMS; i++) {
        eligible[i] = pick(round, i, 3) > 0;
        count += eligible[i];
    }
    return holds || count < slots || pick(round, 99, 4) == 0 ? NULL : eligible;
}

static void fill_contexts(uint64_t round, double *contexts)
{
    for (size_t i = 0; i < (size_t)ARMS * DIMENSION; i++) {
        contexts[i] = (double)pick(round, 200 + i, 1000) / 2000.0;
    }
}

static void enter(blank_game *game, const lotor_policy_params *params, uint64_t round,
                  const lotor_decision *decision, const double *action)
{
    lotor_message why = {""};
    const lotor_display display = {.arms = decision->arms,
                                   .count = decision->count,
                                   .asked = decision->asked,
                                   .asked_count = decision->asked_count,
                                   .action = action};
    double rewards[MOST_SLOTS];
    for (size_t i = 0; i < decision->count; i++) {
        rewards[i] = (double)pick(round, 50 + i, 2);
    }
    const bool learns =
        lotor_round_role_of(decision->asked, decision->asked_count) == LOTOR_ROUND_LEARNS;
    const size_t count = learns ? decision->asked_count : decision->count;
    const lotor_feedback feedback = {.rewards = rewards,
                                     .count = params->cascade ? 0 : count,
                                     .click = (size_t)pick(round, 60, decision->count + 1)};
    int64_t units[16];
    size_t used = 0;
    lotor_status status = LOTOR_OK;
    const bool is_answered = pick(round, 61, 3) > 0;
    if (is_answered) {
        assert_true(lotor_policy_width(game->policy) <= 16);
        status = lotor_policy_encode(game->policy, &display, &feedback, &why, units, &used);
    }
    if (status == LOTOR_OK) {
        status = lotor_policy_enter(game->policy, &display, is_answered ? units : NULL, used, &why);
    }
    if (status != LOTOR_OK) {
        fail_msg("round %llu: %s", (unsigned long long)round, why.text);
    }
}

static void note(blank_game *game, uint64_t round, const lotor_decision *decision)
{
    assert_true(decision->count <= MOST_SLOTS);
    memcpy(game->shown[round], decision->arms, decision->count * sizeof(uint32_t));
}

static void play_drawn(blank_game *game, const lotor_policy_params *params)
{
    bool eligible[ARMS];
    double contexts[ARMS * DIMENSION];
    lotor_message why = {""};
    for (uint64_t round = 0; round < ROUNDS; round++) {
        lotor_decision decision;
        const bool *allowed = mask(round, params, eligible);
        fill_contexts(round, contexts);
        const double *context = params->dimension ? contexts : NULL;
        assert_int_equal(lotor_policy_draw(game->policy, context, allowed, &why, &decision),
                         LOTOR_OK);
        note(game, round, &decision);
        enter(game, params, round, &decision,
              context ? contexts + (size_t)decision.arms[0] * DIMENSION : NULL);
    }
}

/* The chooser has the policy's seed here, and is made again after every release about arms. So it must choose what
 * the policy would choose. */
static void play_blanks(blank_game *game, const lotor_policy_params *params)
{
    bool eligible[ARMS];
    double contexts[ARMS * DIMENSION];
    lotor_message why = {""};
    lotor_policy *chooser = NULL;
    size_t known = 1;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        lotor_decision decision;
        uint64_t number;
        const bool *allowed = mask(round, params, eligible);
        fill_contexts(round, contexts);
        const double *context = params->dimension ? contexts : NULL;
        if (known != game->learned) {
            lotor_policy_free(chooser);
            chooser = copy(game);
            lotor_policy_make_chooser(chooser, 7);
            known = game->learned;
        }
        assert_int_equal(lotor_policy_number(game->policy, 1, &number), 1);
        assert_int_equal(number, round + 1);
        lotor_chooser_expect(chooser, number);
        assert_int_equal(lotor_policy_draw(chooser, context, allowed, &why, &decision), LOTOR_OK);
        assert_int_equal(decision.event, number);
        note(game, round, &decision);
        const lotor_display display = {.arms = decision.arms,
                                       .count = decision.count,
                                       .asked = decision.asked,
                                       .asked_count = decision.asked_count};
        if (lotor_policy_fill(game->policy, &display, lotor_chooser_size(chooser, &decision),
                              &why) != LOTOR_OK) {
            fail_msg("%s", why.text);
        }
        enter(game, params, round, &decision,
              context ? contexts + (size_t)decision.arms[0] * DIMENSION : NULL);
    }
    lotor_policy_free(chooser);
}

static const lotor_policy_params settings[] = {
    {.algorithm = "lik-imed", .arms = ARMS, .slots = 2, .epsilon = {2, 1}, .cascade = true},
    {.algorithm = "lik-imed", .arms = ARMS, .slots = 1, .epsilon = {2, 1}},
    {.algorithm = "batch-klucb", .arms = ARMS, .slots = 2, .epsilon = {2, 1}},
    {.algorithm = "adap-ucb", .arms = ARMS, .slots = 3, .epsilon = {2, 1}},
    {.algorithm = "jdp-batch",
     .arms = ARMS,
     .slots = 1,
     .dimension = DIMENSION,
     .epsilon = {2, 1},
     .delta = {1, 1000},
     .horizon = 1000},
};

static blank_game drawn, blank;

static void play_both(const lotor_policy_params *params, bool measures)
{
    start(&drawn, params, measures);
    start(&blank, params, measures);
    play_drawn(&drawn, params);
    play_blanks(&blank, params);
    assert_memory_equal(drawn.shown, blank.shown, sizeof drawn.shown);
    assert_true(drawn.fact_count > 0);
    assert_int_equal(drawn.fact_count, blank.fact_count);
    for (size_t i = 0; i < drawn.fact_count; i++) {
        assert_int_equal(drawn.facts[i].arm, blank.facts[i].arm);
        assert_int_equal(drawn.facts[i].count, blank.facts[i].count);
        assert_int_equal(drawn.facts[i].time, blank.facts[i].time);
        assert_true(drawn.facts[i].value == blank.facts[i].value);
    }
    lotor_policy_free(drawn.policy);
    lotor_policy_free(blank.policy);
}

TEST(blanks_are_played_like_drawn_rounds)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        play_both(&settings[i], false);
    }
    play_both(&settings[0], true);
    play_both(&settings[1], true);
}

TEST(the_horizon_bounds_blanks)
{
    uint64_t first;
    lotor_policy_params params = settings[2];
    params.horizon = 100;
    start(&blank, &params, false);
    assert_int_equal(lotor_policy_number(blank.policy, 60, &first), 60);
    assert_int_equal(lotor_policy_number(blank.policy, 60, &first), 40);
    assert_int_equal(first, 61);
    assert_int_equal(lotor_policy_number(blank.policy, 60, &first), 0);
    lotor_policy_void(blank.policy); /* another round may be played instead */
    assert_int_equal(lotor_policy_number(blank.policy, 60, &first), 1);
    assert_int_equal(first, 101);
    lotor_policy_free(blank.policy);
}

TEST(blanks_are_saved)
{
    uint64_t first;
    start(&blank, &settings[0], true);
    assert_int_equal(lotor_policy_number(blank.policy, 10, &first), 10);
    lotor_policy_void(blank.policy);
    lotor_policy *again = copy(&blank);
    assert_int_equal(again->blanks, 9);
    assert_int_equal(again->voided, 1);
    assert_int_equal(lotor_policy_rounds(again), 10);
    assert_int_equal(lotor_policy_rounds_over(again), 1);
    lotor_policy_free(again);
    lotor_policy_free(blank.policy);
}

TEST(impossible_records_are_refused)
{
    uint64_t first;
    lotor_message why = {""};
    const uint32_t arms[] = {1, 2}, same[] = {1, 1}, beyond[] = {1, ARMS};
    const uint32_t value[] = {LOTOR_RECORDS_VALUE};
    const lotor_display fine = {.arms = arms, .count = 2, .asked = arms, .asked_count = 1};
    const lotor_display two = {.arms = arms, .count = 2, .asked = arms, .asked_count = 2};
    const lotor_display twice = {.arms = arms, .count = 2, .asked = same, .asked_count = 2};
    const lotor_display strange = {.arms = arms, .count = 2, .asked = beyond + 1, .asked_count = 1};
    const lotor_display measures = {.arms = arms, .count = 2, .asked = value, .asked_count = 1};
    start(&blank, &settings[0], false);
    assert_int_equal(lotor_policy_fill(blank.policy, &fine, 4, &why), LOTOR_DAMAGED);
    assert_int_equal(lotor_policy_number(blank.policy, 3, &first), 3);
    assert_int_equal(lotor_policy_fill(blank.policy, &two, 4, &why), LOTOR_DAMAGED);
    assert_int_equal(lotor_policy_fill(blank.policy, &twice, 4, &why), LOTOR_DAMAGED);
    assert_int_equal(lotor_policy_fill(blank.policy, &strange, 4, &why), LOTOR_DAMAGED);
    assert_int_equal(lotor_policy_fill(blank.policy, &measures, 0, &why), LOTOR_DAMAGED);
    assert_int_equal(lotor_policy_fill(blank.policy, &fine, 0, &why), LOTOR_DAMAGED);
    assert_int_equal(blank.policy->blanks, 3);
    assert_int_equal(blank.policy->shown[1], 0);
    assert_int_equal(lotor_policy_fill(blank.policy, &fine, 4, &why), LOTOR_OK);
    assert_int_equal(blank.policy->shown[1], 1);
    lotor_policy_free(blank.policy);
    start(&blank, &settings[2], false); /* no sizes in records of this algorithm */
    assert_int_equal(lotor_policy_number(blank.policy, 3, &first), 3);
    assert_int_equal(lotor_policy_fill(blank.policy, &fine, 4, &why), LOTOR_DAMAGED);
    lotor_policy_free(blank.policy);
}
