/* test_imed_state.c - saved states of lik-imed with a window, an alarm, a half-life or a variance, and
 * of rr-imed. A policy that is saved and loaded in any round goes on in the same way. Forged memory is
 * refused.
 */
#include "support/test.h"

#include <string.h>

#include "support/served.h"

enum { ROUNDS = 240, CHANGE = 120 };

static test_source source, twin;

static const lotor_policy_params settings[] = {
    {.algorithm = "lik-imed", .arms = 5, .window = 16},
    {.algorithm = "lik-imed", .arms = 2, .window = 16, .horizon = ROUNDS},
    {.algorithm = "lik-imed", .arms = 5, .slots = 2, .alarm = true},
    {.algorithm = "lik-imed", .arms = 5, .slots = 3, .cascade = true, .window = 100, .alarm = true},
    {.algorithm = "lik-imed", .arms = 5, .high = 2.0, .variance = 0.75, .caution = 1.0},
    {.algorithm = "lik-imed", .arms = 5, .half_life = 30},
    {.algorithm = "lik-imed", .arms = 5, .slots = 2, .half_life = 3, .horizon = ROUNDS},
    {.algorithm = "lik-imed", .arms = 5, .slots = 2, .half_life = 320, .alarm = true},
    {.algorithm = "lik-imed", .arms = 5, .half_life = 50, .half_life_in_seconds = true},
    {.algorithm = "rr-imed", .arms = 5, .slots = 2, .lag = 3.0},
    {.algorithm = "rr-imed", .arms = 5, .slots = 2, .half_life = 20},
    {.algorithm = "rr-imed", .arms = 5, .half_life = 200, .half_life_in_seconds = true},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* A setting without noise to speak of, so that changes are found soon. */
static lotor_policy_params setting(size_t i)
{
    lotor_policy_params params = settings[i];
    params.epsilon = lotor_ratio_of(20, 1);
    return params;
}

/* The best arms are the first, and after the change the last. */
static double reward_of(uint32_t arm, uint64_t t)
{
    const uint32_t rank = t < CHANGE ? arm : 4 - arm;
    return (t * 7 + arm * 3) % 10 < (rank == 0 ? 9U : 3U - rank / 2);
}

/* --- a policy that keeps its rounds -------------------------------------------------------------- */

/* A round takes 3 seconds; after round 150 there is a long break. */
static void tick(lotor_policy *policy, uint64_t t)
{
    const lotor_status status = lotor_policy_tick(policy, 1000 + 3 * t + (t > 150 ? 97 : 0), NULL);
    assert_int_equal(status, policy->params.half_life_in_seconds ? LOTOR_OK : LOTOR_INVALID);
}

static void play(lotor_policy *policy, uint64_t t, uint64_t block, lotor_decision *decision)
{
    tick(policy, t);
    assert_int_equal(lotor_policy_choose(policy, NULL, NULL, decision), LOTOR_OK);
    assert_int_equal(decision->event, t);
    const double reward = reward_of(decision->asked[0], t);
    lotor_feedback feedback = {.rewards = &reward, .count = 1};
    if (policy->params.cascade) {
        feedback = (lotor_feedback){.click = reward > 0.0};
    }
    if (t % 11 != 0) {
        assert_int_equal(lotor_policy_observe(policy, t, &feedback, NULL), LOTOR_OK);
    }
    if (t % block == 0) { /* a whole block ends at once */
        for (uint64_t event = t - block + 1; event <= t; event++) {
            assert_int_equal(lotor_policy_expire(policy, event, NULL), LOTOR_OK);
        }
    }
}

static lotor_imed_memory resume_at(const lotor_policy_params *params, uint64_t block, uint64_t stop)
{
    test_source_seed(&source, 1);
    lotor_policy *whole = rows_make(params, &source), *loaded = NULL;
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        lotor_decision decision, again;
        play(whole, t, block, &decision);
        if (loaded) {
            play(loaded, t, block, &again);
            rows_expect_same_decision(&decision, &again);
        }
        if (t == stop) {
            loaded = rows_reload(whole, params, &source, &twin);
            rows_expect_same_state(whole, loaded);
        }
    }
    rows_expect_same_state(whole, loaded);
    const lotor_imed_memory memory = lotor_imed_memory_of(whole->imed);
    lotor_policy_free(whole);
    lotor_policy_free(loaded);
    return memory;
}

/* Rounds end one by one, and in blocks that have more batches than the board has rows. */
TEST(saved_and_loaded_in_any_round)
{
    static const uint64_t blocks[] = {1, 6, 100};
    for (size_t i = 0; i < SETTINGS; i++) {
        const lotor_policy_params params = setting(i);
        for (size_t b = 0; b < 3; b++) {
            /* With a half-life the board has more rows, and a state more bytes. */
            const uint64_t each = params.half_life > 0 ? 4 : 1, step = b > 0 ? 7 : each;
            lotor_imed_memory memory = {0, 0};
            for (uint64_t stop = 1 + b; stop <= ROUNDS; stop += step) {
                memory = resume_at(&params, blocks[b], stop);
            }
            /* The alarm was heard after the change, so its memory matters. */
            assert_true(params.alarm ? memory.checked > CHANGE : memory.checked == 0);
            assert_true(!params.alarm || b == 2 || memory.forgotten > CHANGE / 2);
        }
    }
}

/* --- a served policy ------------------------------------------------------------------------------ */

static const bool most[ROWS_ARMS] = {true, true, false, true, true};

/* One round is drawn and one that is 9 rounds old ends; some rounds are for fewer arms, and some are
 * taken back. */
static void serve(lotor_policy *policy, uint64_t t, served_round *rounds)
{
    test_source device;
    test_source_seed(&device, t);
    tick(policy, t);
    served_draw(policy, t, t % 5 == 0 ? most : NULL, &rounds[t]);
    if (t % 13 == 0) {
        lotor_policy_take_back(policy, rounds[t].asked, rounds[t].asked_count);
    }
    if (t > 9 && (t - 9) % 13 != 0) {
        served_enter(policy, &rounds[t - 9], t % 3 != 0, &device.source);
    }
}

static void resume_served_at(const lotor_policy_params *params, uint64_t stop)
{
    static served_round mine[ROUNDS + 1], other[ROUNDS + 1];
    test_source_seed(&source, 2);
    lotor_policy *whole = rows_make(params, &source), *loaded = NULL;
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        serve(whole, t, mine);
        if (loaded) {
            serve(loaded, t, other);
            assert_int_equal(mine[t].count, other[t].count);
            assert_memory_equal(mine[t].arms, other[t].arms, mine[t].count * sizeof *mine[t].arms);
            assert_memory_equal(mine[t].asked, other[t].asked, sizeof *mine[t].asked);
        }
        if (t == stop) {
            loaded = rows_reload(whole, params, &source, &twin);
            rows_expect_same_state(whole, loaded);
            memcpy(other, mine, sizeof other);
        }
    }
    rows_expect_same_state(whole, loaded);
    served_expect_same_facts(whole, loaded);
    lotor_policy_free(whole);
    lotor_policy_free(loaded);
}

TEST(served_saved_and_loaded_in_any_round)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        lotor_policy_params params = setting(i);
        for (uint64_t stop = 1; stop <= ROUNDS; stop += 3) {
            resume_served_at(&params, stop);
        }
    }
}

/* --- forged memory -------------------------------------------------------------------------------- */

static void try_memory(lotor_policy *policy, uint64_t forgotten, uint64_t checked, bool is_taken)
{
    lotor_imed_remember(policy->imed, (lotor_imed_memory){forgotten, checked});
    assert_int_equal(rows_try_reload(policy, &source), is_taken ? LOTOR_OK : LOTOR_DAMAGED);
}

TEST(forged_memory_is_refused)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        const lotor_policy_params params = setting(i);
        lotor_decision decision;
        test_source_seed(&source, 4);
        lotor_policy *policy = rows_make(&params, &source);
        for (uint64_t t = 1; t <= 50; t++) {
            play(policy, t, 1, &decision);
        }
        try_memory(policy, 0, 0, true);
        try_memory(policy, 0, 1, params.alarm);
        try_memory(policy, 1, 0, false);
        try_memory(policy, 50, 50, params.alarm);
        try_memory(policy, 0, 51, false); /* a later round than any */
        try_memory(policy, 51, 51, false);
        try_memory(policy, UINT64_MAX, UINT64_MAX, false);
        lotor_policy_free(policy);
    }
}
