/* test_seeded.c - policies with a seed (lotor/experimental/lab.h): every row of the catalog repeats
 * its choices, is never private, and stays a simulation after saving and loading. */
#include "support/test.h"

#include <lotor/experimental/lab.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "policy/catalog.h"
#include "support/rows.h"

enum { ROUNDS = 200, CHECKSUM = 32, KIND_AT = 8 };

static lotor_policy *make(const lotor_policy_params *params, uint64_t seed)
{
    lotor_policy *policy;
    lotor_message why = {""};
    if (lotor_lab_policy_new(params, seed, &why, &policy) != LOTOR_OK) {
        fail_msg("%s: %s", params->algorithm, why.text);
    }
    return policy;
}

static lotor_policy *reload(const lotor_policy *policy)
{
    unsigned char *bytes;
    size_t length;
    lotor_policy *loaded;
    lotor_message why = {""};
    assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
    if (lotor_lab_policy_load(bytes, length, NULL, &why, &loaded) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    lotor_bytes_free(bytes, length);
    return loaded;
}

static void expect_a_simulation(const lotor_policy *policy)
{
    static const char reason[] = "simulation: protects nobody";
    lotor_guarantee guarantee;
    char json[4096];
    lotor_policy_guarantee(policy, &guarantee);
    assert_false(guarantee.is_private);
    assert_int_equal(guarantee.noise, LOTOR_NOISE_SIMULATION);
    assert_non_null(guarantee.reason);
    assert_memory_equal(guarantee.reason, reason, sizeof reason - 1);
    assert_true(guarantee.is_seed_reason);
    assert_true(lotor_guarantee_text(&guarantee, json, sizeof json) < sizeof json);
    assert_null(strstr(json, "even with exact noise"));
    assert_null(guarantee.theorem);
    assert_true(lotor_guarantee_json(&guarantee, json, sizeof json) < sizeof json);
    assert_non_null(strstr(json, "\"private\": false"));
    assert_non_null(strstr(json, "\"noise\": \"simulation\""));
}

/* Plays some rounds in both policies; returns in how many of them the decisions differ. */
static size_t play(lotor_policy *a, lotor_policy *b, uint64_t first, uint64_t rounds)
{
    size_t apart = 0;
    for (uint64_t round = first; round < first + rounds; round++) {
        lotor_decision one, other;
        assert_int_equal(rows_choose(a, round, NULL, &one), LOTOR_OK);
        assert_int_equal(rows_choose(b, round, NULL, &other), LOTOR_OK);
        assert_int_equal(one.event, other.event);
        apart += one.count != other.count ||
                 memcmp(one.arms, other.arms, one.count * sizeof *one.arms) != 0;
        assert_int_equal(rows_observe(a, one.event, one.asked_count), LOTOR_OK);
        assert_int_equal(rows_observe(b, other.event, other.asked_count), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(a, one.event, NULL), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(b, other.event, NULL), LOTOR_OK);
    }
    return apart;
}

TEST(every_row_repeats_and_stays_a_simulation)
{
    size_t moved = 0, rows = 0;
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        lotor_policy_params params = rows_params(&lotor_algorithms[c], 2 * ROUNDS);
        if (lotor_algorithm_has_noise(&lotor_algorithms[c])) {
            params.epsilon = lotor_ratio_of(1, 1);
        }
        lotor_policy *one = make(&params, 7), *same = make(&params, 7), *other = make(&params, 8);
        expect_a_simulation(one);
        assert_int_equal(play(one, same, 1, ROUNDS), 0);
        rows_expect_same_state(one, same);
        lotor_policy *loaded = reload(one);
        expect_a_simulation(loaded);
        rows_expect_same_state(one, loaded);
        assert_int_equal(play(same, loaded, ROUNDS + 1, ROUNDS), 0); /* the same noise, too */
        rows_expect_same_state(same, loaded);
        lotor_policy *twice = reload(loaded);
        expect_a_simulation(twice);
        lotor_policy *third = make(&params, 7);
        moved += play(third, other, 1, ROUNDS) > 0;
        rows++;
        lotor_policy_free(one);
        lotor_policy_free(same);
        lotor_policy_free(other);
        lotor_policy_free(loaded);
        lotor_policy_free(twice);
        lotor_policy_free(third);
    }
    assert_true(2 * moved > rows); /* another seed gives other choices */
}

static const lotor_policy_params some = {
    .algorithm = "lik-imed", .arms = 3, .epsilon = {1, 1}, .horizon = 1000};

/* The library and the service refuse a saved simulation, and the lab refuses other states. */
TEST(kinds_are_not_mixed_up)
{
    lotor_policy *seeded = make(&some, 1), *real, *none;
    assert_int_equal(lotor_policy_new(&some, NULL, &real), LOTOR_OK);
    unsigned char *bytes;
    size_t length;
    lotor_message why = {""};
    assert_int_equal(lotor_policy_save(seeded, &bytes, &length), LOTOR_OK);
    assert_int_equal(lotor_policy_load(bytes, length, NULL, &why, &none), LOTOR_INVALID);
    assert_null(none);
    assert_non_null(strstr(why.text, "protects nobody"));
    bytes[length - 1] ^= 1; /* damaged bytes are damaged, whatever their header says */
    assert_int_equal(lotor_policy_load(bytes, length, NULL, &why, &none), LOTOR_DAMAGED);
    assert_null(none);
    lotor_bytes_free(bytes, length);
    assert_int_equal(lotor_policy_save(real, &bytes, &length), LOTOR_OK);
    assert_int_equal(lotor_lab_policy_load(bytes, length, NULL, &why, &none), LOTOR_DAMAGED);
    assert_null(none);
    assert_non_null(strstr(why.text, "lotor_policy_load"));
    lotor_bytes_free(bytes, length);
    lotor_guarantee guarantee;
    lotor_policy_guarantee(real, &guarantee);
    assert_true(guarantee.is_private);
    lotor_policy_free(seeded);
    lotor_policy_free(real);
}

static void fix_checksum(unsigned char *bytes, size_t length)
{
    crypto_generichash(bytes + length - CHECKSUM, CHECKSUM, bytes, length - CHECKSUM, NULL, 0);
}

/* A forged header does not turn a simulation into a private policy: the generator is left over. */
TEST(forged_states_are_refused)
{
    lotor_policy *seeded = make(&some, 1), *none;
    unsigned char *bytes;
    size_t length;
    assert_int_equal(lotor_policy_save(seeded, &bytes, &length), LOTOR_OK);
    static const char *const kinds[] = {"policy\0", "served\0"};
    for (size_t i = 0; i < 2; i++) {
        memcpy(bytes + KIND_AT, kinds[i], 8);
        fix_checksum(bytes, length);
        assert_int_equal(lotor_policy_load(bytes, length, NULL, NULL, &none), LOTOR_DAMAGED);
        assert_null(none);
        assert_int_equal(lotor_lab_policy_load(bytes, length, NULL, NULL, &none), LOTOR_DAMAGED);
    }
    memcpy(bytes + KIND_AT, "seeded\0", 8);
    fix_checksum(bytes, length);
    lotor_policy *fine;
    assert_int_equal(lotor_lab_policy_load(bytes, length, NULL, NULL, &fine), LOTOR_OK);
    lotor_policy_free(fine);

    /* Nothing was drawn yet, so the last words are the state of the generator and two counts. */
    const size_t generator = length - CHECKSUM - 6 * 8;
    unsigned char saved[32];
    memcpy(saved, bytes + generator, sizeof saved);
    memset(bytes + generator, 0, sizeof saved);
    fix_checksum(bytes, length);
    assert_int_equal(lotor_lab_policy_load(bytes, length, NULL, NULL, &none), LOTOR_DAMAGED);
    memcpy(bytes + generator, saved, sizeof saved);
    bytes[length - CHECKSUM - 8] = 65; /* more than there is room for */
    fix_checksum(bytes, length);
    assert_int_equal(lotor_lab_policy_load(bytes, length, NULL, NULL, &none), LOTOR_DAMAGED);
    bytes[length - CHECKSUM - 8] = 1; /* a draw that is not there */
    fix_checksum(bytes, length);
    assert_int_equal(lotor_lab_policy_load(bytes, length, NULL, NULL, &none), LOTOR_DAMAGED);
    for (size_t cut = 0; cut < length; cut += 7) {
        assert_int_equal(lotor_lab_policy_load(bytes, cut, NULL, NULL, &none), LOTOR_DAMAGED);
        assert_null(none);
    }
    lotor_bytes_free(bytes, length);
    lotor_policy_free(seeded);
}

TEST(refusals)
{
    lotor_policy *none;
    lotor_message why = {""};
    lotor_policy_params params = some;
    params.algorithm = "no-such";
    assert_int_equal(lotor_lab_policy_new(&params, 1, &why, &none), LOTOR_UNKNOWN);
    assert_null(none);
    params = some;
    params.arms = 0;
    assert_int_equal(lotor_lab_policy_new(&params, 1, &why, &none), LOTOR_INVALID);
    params = (lotor_policy_params){.algorithm = "jdp-linucb",
                                   .arms = 3,
                                   .dimension = 2,
                                   .horizon = 100,
                                   .epsilon = {1, 1},
                                   .delta = {0, 1}};
    assert_int_equal(lotor_lab_policy_new(&params, 1, &why, &none), LOTOR_INVALID);
}
