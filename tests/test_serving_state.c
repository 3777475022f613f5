/* test_serving_state.c - saved states of served policies: forged ones are refused or work, and the
 * k-th allocation may fail. */
#include "support/test.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_memory.h"
#include "support/served.h"

enum { HEADER = 24, CHECKSUM = 32, ROUNDS = 60 };

static test_source source;
static const bool most[ROWS_ARMS] = {true, true, false, true, true};

/* Plays some rounds to the end, leaves some open, undoes one, and uses masks for some. */
static void live(lotor_policy *policy)
{
    served_round rounds[ROUNDS + 1];
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        served_draw(policy, t, t % 5 ? NULL : most, &rounds[t]);
        if (t > 9) {
            served_enter(policy, &rounds[t - 9], t % 3 != 0, &source.source);
        }
    }
    lotor_policy_take_back(policy, rounds[ROUNDS].asked, rounds[ROUNDS].asked_count);
}

static void save(const lotor_policy *policy, unsigned char **bytes, size_t *length)
{
    assert_int_equal(lotor_policy_save(policy, bytes, length), LOTOR_OK);
}

/* A forged state that loads can also be saved and loaded again, and can be used. */
static size_t check_forged(const unsigned char *bytes, size_t length,
                           const lotor_policy_params *params)
{
    lotor_policy *policy;
    test_source_seed(&source, 2);
    const lotor_status status =
        lotor_policy_load_on(bytes, length, params, &source.source, NULL, &policy);
    if (status != LOTOR_OK) {
        assert_int_equal(status, LOTOR_DAMAGED);
        assert_null(policy);
        return 0;
    }
    test_source copy; /* not the same bytes: a ratio is cancelled */
    lotor_policy *second = rows_reload(policy, params, &source, &copy);
    rows_expect_same_state(policy, second);
    lotor_policy_free(second);
    assert_true(lotor_policy_rounds_over(policy) <= lotor_policy_rounds(policy));
    for (uint64_t t = 1; t <= 12; t++) {
        double room[ROWS_ARMS * ROWS_DIMENSION];
        const double *context = rows_context(policy, t, room);
        lotor_decision decision;
        const lotor_status drawn =
            lotor_policy_draw(policy, context, t % 2 ? NULL : most, NULL, &decision);
        if (drawn != LOTOR_OK) { /* too few arms for forged slots */
            assert_int_equal(drawn, LOTOR_INVALID);
            continue;
        }
        served_round round;
        served_copy(policy, t, &decision, &round);
        const lotor_display display = served_display(policy, &round);
        if (t % 4 == 0) {
            lotor_policy_take_back(policy, round.asked, round.asked_count);
        } else if (decision.event != 0) { /* forged times may be at their end */
            (void)lotor_policy_enter(policy, &display, NULL, 0, NULL);
        }
        uint64_t count;
        (void)lotor_policy_mean(policy, round.arms[0], &count);
    }
    lotor_policy_free(policy);
    return 1;
}

static void forge(const lotor_policy_params *params)
{
    if (params->structure != LOTOR_STRUCTURE_TOP) {
        return; /* forged in test_policy_state.c */
    }
    static const uint64_t words[] = {
        0, 1, 61, (uint64_t)INT64_MAX, UINT64_MAX, UINT64_C(0x7ff0000000000000)};
    test_source_seed(&source, 1);
    lotor_policy *policy = rows_make(params, &source);
    live(policy);
    unsigned char *good;
    size_t length, taken = 0;
    save(policy, &good, &length);
    lotor_policy_free(policy);
    assert_memory_equal(good + 8, "served", 7);
    assert_int_equal(check_forged(good, length, params), 1);
    /* after the algorithm's name, everything is words of 8 bytes, which may not be aligned */
    for (size_t at = HEADER; at + 8 <= length - CHECKSUM; at += 8) {
        unsigned char *forged = malloc(length);
        assert_non_null(forged);
        for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
            const size_t shift = HEADER + strlen(params->algorithm) % 8;
            const size_t place =
                at - HEADER + shift + 8 <= length - CHECKSUM ? at - HEADER + shift : at;
            memcpy(forged, good, length);
            for (size_t i = 0; i < 8; i++) {
                forged[place + i] = (unsigned char)(words[w] >> (8 * i));
            }
            crypto_generichash(forged + length - CHECKSUM, CHECKSUM, forged, length - CHECKSUM,
                               NULL, 0);
            taken += check_forged(forged, length, params);
        }
        free(forged);
    }
    assert_true(taken > 0);
    lotor_bytes_free(good, length);
}

TEST(forged_states_are_refused_or_whole)
{
    served_each(200, forge);
}

TEST(forged_states_with_a_window_and_an_alarm)
{
    lotor_policy_params params = rows_params(lotor_algorithms_find("lik-imed"), 200);
    params.window = 16;
    params.alarm = true;
    forge(&params);
}

/* Saves and loads a state that the test changed; returns whether it was accepted. */
static bool is_taken(lotor_policy *policy)
{
    unsigned char *bytes;
    size_t length;
    save(policy, &bytes, &length);
    lotor_policy *loaded;
    const lotor_status status =
        lotor_policy_load_on(bytes, length, NULL, &source.source, NULL, &loaded);
    assert_true(status == LOTOR_OK || status == LOTOR_DAMAGED);
    lotor_bytes_free(bytes, length);
    lotor_policy_free(loaded);
    return status == LOTOR_OK;
}

/* Facts that must hold for a served state, or only for one that stores its rounds itself. */
TEST(counts_that_do_not_fit)
{
    const lotor_policy_params params = rows_params(lotor_algorithms_find("batch-klucb"), 100);
    test_source_seed(&source, 1);
    lotor_policy *policy = rows_make(&params, &source);
    live(policy);
    assert_true(is_taken(policy));
    policy->voided++; /* more displays than there were */
    assert_false(is_taken(policy));
    size_t fitting = 0; /* arms with an open round, which could have been taken back */
    for (size_t i = 0; i < ROWS_ARMS; i++) {
        policy->shown[i]--;
        fitting += is_taken(policy);
        policy->shown[i]++;
    }
    assert_true(fitting >= 1 && fitting < ROWS_ARMS);
    policy->voided--;
    policy->rounds_ended = policy->rounds + 1;
    assert_false(is_taken(policy));
    policy->rounds_ended = 0; /* fewer rounds than were taken back */
    assert_false(is_taken(policy));
    policy->rounds_ended = policy->rounds;
    assert_true(is_taken(policy));
    policy->is_served = false; /* its own rounds would be in the inbox, and no list left half-way */
    assert_false(is_taken(policy));
    lotor_policy_free(policy);
}

/* When all rounds are over, only an interrupted list shows that the state was served. */
TEST(a_list_left_half_way)
{
    const lotor_policy_params params = rows_params(lotor_algorithms_find("batch-klucb"), 0);
    test_source_seed(&source, 1);
    lotor_policy *policy = rows_make(&params, &source);
    uint64_t half = 0;
    for (uint64_t t = 1; half < 2; t++) {
        served_round round;
        served_draw(policy, t, most, &round);
        served_enter(policy, &round, true, &source.source);
        half = 0;
        for (size_t i = 0; i < ROWS_ARMS; i++) {
            half += !lotor_statistic_is_end(&lotor_statistic_growing, policy->shown[i]);
        }
    }
    assert_true(is_taken(policy));
    policy->is_served = false;
    assert_false(is_taken(policy));
    lotor_policy_free(policy);
}

/* One round was undone, so 101 rounds are allowed with a horizon of 100. */
TEST(more_rounds_than_the_horizon)
{
    const lotor_policy_params params = rows_params(lotor_algorithms_find("cucb-dp-lazy"), 100);
    test_source_seed(&source, 1);
    lotor_policy *policy = rows_make(&params, &source);
    live(policy);
    policy->rounds = policy->rounds_ended = policy->asked = 101;
    assert_true(is_taken(policy));
    policy->rounds = policy->rounds_ended = policy->asked = 102;
    assert_false(is_taken(policy));
    lotor_policy_free(policy);
}

/* An algorithm that is not offered has no served state. */
TEST(a_tree_is_not_served)
{
    const lotor_policy_params params = rows_params(lotor_algorithms_find("dp-ucb"), 100);
    test_source_seed(&source, 1);
    lotor_policy *policy = rows_make(&params, &source);
    assert_true(is_taken(policy));
    policy->is_served = true;
    assert_false(is_taken(policy));
    lotor_policy_free(policy);
}

static bool again(lotor_status status)
{
    assert_true(status == LOTOR_OK || status == LOTOR_MEMORY);
    return status == LOTOR_MEMORY;
}

/* Makes, plays, saves and loads, while the k-th allocation fails. Returns the number of
 * allocations. */
static size_t live_without(const lotor_policy_params *params, size_t k)
{
    test_source_seed(&source, 1);
    failing_memory_start(k);
    lotor_policy *policy, *loaded;
    while (again(rows_try_make(params, &source, NULL, &policy))) {
        assert_null(policy);
    }
    live(policy); /* allocates nothing, so nothing can fail */
    unsigned char *bytes;
    size_t length;
    while (again(lotor_policy_save(policy, &bytes, &length))) {
        assert_null(bytes);
    }
    while (again(lotor_policy_load_on(bytes, length, params, &source.source, NULL, &loaded))) {
        assert_null(loaded);
    }
    lotor_policy *grown = NULL;
    while (params->structure == LOTOR_STRUCTURE_TOP &&
           again(lotor_policy_load_grown_on(bytes, length, params->arms + 3, &source.source, NULL,
                                            &grown))) {
        assert_null(grown);
    }
    const size_t allocations = failing_memory_stop();
    rows_expect_same_state(policy, loaded);
    lotor_bytes_free(bytes, length);
    lotor_policy_free(grown);
    lotor_policy_free(policy);
    lotor_policy_free(loaded);
    return allocations;
}

static void expect_survives(const lotor_policy_params *params)
{
    const size_t before = failing_memory_live();
    const size_t allocations = live_without(params, 0);
    for (size_t k = 1; k <= allocations; k++) {
        (void)live_without(params, k);
        assert_int_equal(failing_memory_live(), before);
    }
    assert_true(allocations > 10);
}

TEST(without_memory)
{
    served_each(200, expect_survives);
}
