/* test_intake_adopt.c - data sealed by version 0.1 (feedback, actions, states) is sealed again by
 * an intake. Damaged data is refused, and the k-th allocation fails, for every k. */
#include "support/test.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/little.h"
#include "base/seal.h"
#include "support/failing_memory.h"
#include "support/intake_rig.h"

enum { NUMBER = 12, ROOM = 2000 };

/* Seals as a server of version 0.1 did: with its own key, bound to use and number. */
static void bind_old(uint64_t use, uint64_t number, unsigned char bound[16])
{
    lotor_put_u64(bound, use);
    lotor_put_u64(bound + 8, number);
}

static lotor_status open_old(void *context, lotor_legacy_use use, uint64_t number,
                             const unsigned char *sealed, size_t length, void *plain)
{
    unsigned char bound[16];
    bind_old((uint64_t)use, number, bound);
    return lotor_seal_open(context, bound, sizeof bound, sealed, length, plain);
}

static unsigned char old_key[LOTOR_SEAL_KEY_BYTES] = {9, 9, 9};
static const lotor_legacy_seal seal = {open_old, old_key};

static size_t seal_old(lotor_legacy_use use, uint64_t number, const void *plain, size_t length,
                       unsigned char *sealed)
{
    unsigned char bound[16];
    bind_old((uint64_t)use, number, bound);
    lotor_seal(old_key, bound, sizeof bound, plain, length, sealed);
    return length + LOTOR_SEAL_OVERHEAD;
}

static size_t seal_words(const uint64_t *words, size_t count, unsigned char *sealed)
{
    unsigned char plain[ROOM];
    for (size_t i = 0; i < count; i++) {
        lotor_put_u64(plain + 8 * i, words[i]);
    }
    return seal_old(LOTOR_LEGACY_FEEDBACK, NUMBER, plain, 8 * count, sealed);
}

static lotor_intake *intake_of(const char *id)
{
    const lotor_policy_params params = rows_params(lotor_algorithms_find(id), 1000);
    return intake_new(&params);
}

/* Decisions from 5 on are in blocks of three, and each block has its own nonce. */
static bool find_nonce(void *context, uint64_t decision, uint64_t *nonce)
{
    (void)context;
    *nonce = 70 + decision / 3;
    return decision >= 5;
}

static lotor_status adopt(lotor_intake *intake, uint64_t number, const unsigned char *sealed,
                          size_t length)
{
    lotor_message why;
    return lotor_intake_adopt_feedback(intake, &seal, number, sealed, length, find_nonce, NULL,
                                       &why);
}

static void assert_waits(const lotor_intake *intake, uint64_t decision, int64_t first,
                         int64_t second)
{
    size_t used;
    const int64_t *units = lotor_intake_find(intake, decision, 70 + decision / 3, &used);
    assert_non_null(units);
    assert_int_equal(used, 2);
    assert_int_equal(units[0], first);
    assert_int_equal(units[1], second);
}

TEST(feedback_is_counted_for_its_decision)
{
    static const uint64_t words[] = {8, 2, 100, 200, 4, 2, 1, 1, 5, 2, 7, (uint64_t)-3};
    unsigned char sealed[ROOM];
    const size_t length = seal_words(words, sizeof words / sizeof *words, sealed);
    lotor_intake *intake = intake_of("cucb-dp-lazy");
    assert_int_equal(lotor_intake_width(intake), 2);
    assert_int_equal(adopt(intake, NUMBER, sealed, length), LOTOR_OK);
    assert_int_equal(lotor_intake_pending(intake), 2); /* decision 4 has no block */
    intake_row row = intake_seal(intake, 0, 1);
    assert_int_equal(row.first, 5);
    assert_int_equal(row.last, 8);
    assert_int_equal(intake_replay(intake, 0, &row), LOTOR_OK);
    assert_waits(intake, 8, 100, 200);
    assert_waits(intake, 5, 7, -3);
    intake_row_free(&row);
    lotor_intake_free(intake);
}

/* Nothing is read from a damaged group, and the pending group is unchanged. */
TEST(damaged_groups_are_refused)
{
    static const uint64_t groups[][6] = {{8, 2, 1, 1, 9, 0},
                                         {8, 2, 1, 1, 9, 3},
                                         {8, 2, 1, 1, 9, UINT64_MAX},
                                         {8, 2, 1, 1, 9, 1}, /* without its number */
                                         {8, 3, 1, 1, 1, 9}};
    unsigned char sealed[ROOM];
    lotor_intake *intake = intake_of("cucb-dp-lazy");
    size_t length = seal_words(groups[0], 4, sealed);
    assert_int_equal(adopt(intake, NUMBER, sealed, length), LOTOR_OK);
    assert_int_equal(adopt(intake, NUMBER + 1, sealed, length), LOTOR_DAMAGED);
    assert_int_equal(adopt(intake, NUMBER, sealed, length - 1), LOTOR_DAMAGED);
    assert_int_equal(adopt(intake, NUMBER, sealed, LOTOR_SEAL_OVERHEAD - 1), LOTOR_DAMAGED);
    assert_int_equal(adopt(intake, NUMBER, NULL, 0), LOTOR_DAMAGED);
    assert_int_equal(lotor_legacy_seal_try(&seal, LOTOR_LEGACY_FEEDBACK, NUMBER, sealed, length),
                     LOTOR_OK);
    assert_int_equal(lotor_legacy_seal_try(&seal, LOTOR_LEGACY_STATE, NUMBER, sealed, length),
                     LOTOR_DAMAGED);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        length = seal_words(groups[i], 6, sealed);
        assert_int_equal(adopt(intake, NUMBER, sealed, length), LOTOR_DAMAGED);
    }
    length = seal_words(groups[0], 5, sealed);
    assert_int_equal(adopt(intake, NUMBER, sealed, length), LOTOR_DAMAGED);
    length = seal_old(LOTOR_LEGACY_FEEDBACK, NUMBER, groups[0], 31, sealed);
    assert_int_equal(adopt(intake, NUMBER, sealed, length), LOTOR_DAMAGED);
    assert_int_equal(lotor_intake_pending(intake), 1);
    lotor_intake_free(intake);
}

/* --- actions ---------------------------------------------------------------------------------- */

TEST(actions_are_sealed_one_by_one)
{
    lotor_intake *intake = intake_of("jdp-batch");
    const size_t dimension = lotor_intake_coder(intake)->dimension;
    double rows[4 * ROWS_DIMENSION], opened[ROWS_DIMENSION];
    unsigned char old[ROOM], *sealed;
    size_t each;
    lotor_message why;
    assert_int_equal(dimension, ROWS_DIMENSION);
    for (size_t i = 0; i < 4 * dimension; i++) {
        rows[i] = (double)i / 7;
    }
    const size_t length = seal_old(LOTOR_LEGACY_CONTEXTS, 20, rows, sizeof rows, old);
    /* Decisions 21 and 22 of a block that began with four decisions at 20, of which the last was
     * taken back. */
    assert_int_equal(
        lotor_intake_adopt_actions(intake, &seal, 20, 3, 1, old, length, &why, &sealed, &each),
        LOTOR_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(
            lotor_intake_open_action(intake, 21 + i, sealed + i * each, each, &why, opened),
            LOTOR_OK);
        assert_memory_equal(opened, rows + (1 + i) * dimension, sizeof opened);
    }
    lotor_bytes_free(sealed, 2 * each);
    assert_int_equal(
        lotor_intake_adopt_actions(intake, &seal, 20, 5, 0, old, length, &why, &sealed, &each),
        LOTOR_DAMAGED);
    assert_int_equal(
        lotor_intake_adopt_actions(intake, &seal, 21, 3, 0, old, length, &why, &sealed, &each),
        LOTOR_DAMAGED);
    assert_int_equal(
        lotor_intake_adopt_actions(intake, &seal, 20, 3, 0, NULL, 0, &why, &sealed, &each),
        LOTOR_DAMAGED);
    assert_null(sealed);
    lotor_intake_free(intake);
    intake = intake_of("cucb-dp-lazy"); /* it has no contexts */
    assert_int_equal(
        lotor_intake_adopt_actions(intake, &seal, 20, 3, 0, old, length, &why, &sealed, &each),
        LOTOR_DAMAGED);
    lotor_intake_free(intake);
}

/* --- states ----------------------------------------------------------------------------------- */

static size_t seal_state(const lotor_policy *policy, uint64_t arms, unsigned char **sealed)
{
    unsigned char *saved;
    size_t length;
    assert_int_equal(lotor_policy_save(policy, &saved, &length), LOTOR_OK);
    const size_t before = 16 + 8 * (size_t)arms;
    unsigned char *plain = malloc(before + length);
    *sealed = malloc(before + length + LOTOR_SEAL_OVERHEAD);
    assert_true(plain && *sealed);
    lotor_put_u64(plain, 33);
    lotor_put_u64(plain + 8, arms);
    for (uint64_t i = 0; i < arms; i++) {
        lotor_put_u64(plain + 16 + 8 * i, 1000 + i);
    }
    memcpy(plain + before, saved, length);
    const size_t total = seal_old(LOTOR_LEGACY_STATE, NUMBER, plain, before + length, *sealed);
    free(plain);
    lotor_bytes_free(saved, length);
    return total;
}

TEST(states_become_policies)
{
    const lotor_policy_params params = rows_params(lotor_algorithms_find("cucb-dp-lazy"), 1000);
    lotor_intake *intake = intake_new(&params);
    lotor_policy *policy, *loaded;
    lotor_decision decision;
    lotor_message why;
    unsigned char *old, *before, *after;
    size_t before_length, after_length;
    uint64_t ended, displays[ROWS_ARMS];
    assert_int_equal(lotor_policy_new(&params, &why, &policy), LOTOR_OK);
    assert_int_equal(lotor_policy_draw(policy, NULL, NULL, &why, &decision), LOTOR_OK);
    size_t length = seal_state(policy, ROWS_ARMS, &old);
    assert_int_equal(lotor_intake_adopt_state(intake, &seal, NUMBER, old, length, &why, &loaded,
                                              &ended, displays),
                     LOTOR_OK);
    assert_int_equal(ended, 33);
    for (size_t i = 0; i < ROWS_ARMS; i++) {
        assert_int_equal(displays[i], 1000 + i);
    }
    assert_int_equal(lotor_policy_save(policy, &before, &before_length), LOTOR_OK);
    assert_int_equal(lotor_policy_save(loaded, &after, &after_length), LOTOR_OK);
    assert_int_equal(before_length, after_length);
    assert_memory_equal(before, after, before_length);
    lotor_bytes_free(before, before_length);
    lotor_bytes_free(after, after_length);
    lotor_policy_free(loaded);

    assert_int_equal(lotor_intake_adopt_state(intake, &seal, NUMBER + 1, old, length, &why, &loaded,
                                              &ended, displays),
                     LOTOR_DAMAGED);
    assert_null(loaded);
    assert_int_equal(
        lotor_intake_adopt_state(intake, &seal, NUMBER, old, 20, &why, &loaded, &ended, displays),
        LOTOR_DAMAGED);
    free(old);
    length = seal_state(policy, ROWS_ARMS - 1, &old);
    assert_int_equal(lotor_intake_adopt_state(intake, &seal, NUMBER, old, length, &why, &loaded,
                                              &ended, displays),
                     LOTOR_DAMAGED);
    free(old);
    lotor_intake_free(intake);
    intake = intake_of("jdp-batch"); /* of another policy */
    length = seal_state(policy, ROWS_ARMS, &old);
    assert_int_equal(lotor_intake_adopt_state(intake, &seal, NUMBER, old, length, &why, &loaded,
                                              &ended, displays),
                     LOTOR_DAMAGED);
    assert_null(loaded);
    free(old);
    lotor_policy_free(policy);
    lotor_intake_free(intake);
}

/* --- memory ----------------------------------------------------------------------------------- */

static lotor_status adopt_all(lotor_intake *intake, lotor_intake *linear,
                              const lotor_policy *policy)
{
    static const uint64_t words[] = {8,  2, 100, 200, 9,  2, 1, 1, 10, 2, 1, 1,
                                     11, 2, 1,   1,   12, 2, 1, 1, 13, 2, 1, 1};
    static const double rows[3 * ROWS_DIMENSION] = {1, 2, 3};
    unsigned char sealed[ROOM], *old, *actions;
    size_t each;
    uint64_t ended, displays[ROWS_ARMS];
    lotor_policy *loaded;
    lotor_message why;
    const size_t before = lotor_intake_pending(intake);
    size_t length = seal_words(words, sizeof words / sizeof *words, sealed);
    lotor_status status = adopt(intake, NUMBER, sealed, length);
    assert_int_equal(lotor_intake_pending(intake), status == LOTOR_OK ? before + 6 : before);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_intake_clear_pending(intake);
    length = seal_old(LOTOR_LEGACY_CONTEXTS, 20, rows, sizeof rows, sealed);
    status =
        lotor_intake_adopt_actions(linear, &seal, 20, 3, 0, sealed, length, &why, &actions, &each);
    lotor_bytes_free(actions, actions ? 3 * each : 0);
    if (status != LOTOR_OK) {
        return status;
    }
    if (!policy) { /* the state is made in memory of the test */
        return LOTOR_OK;
    }
    length = seal_state(policy, ROWS_ARMS, &old);
    for (size_t fails = 1;; fails++) {
        failing_memory_start(fails);
        status = lotor_intake_adopt_state(intake, &seal, NUMBER, old, length, &why, &loaded, &ended,
                                          displays);
        lotor_policy_free(loaded);
        if (failing_memory_stop() < fails) {
            break;
        }
        assert_int_equal(status, LOTOR_MEMORY);
        assert_null(loaded);
    }
    free(old);
    return status;
}

TEST(adopting_without_memory)
{
    const lotor_policy_params params = rows_params(lotor_algorithms_find("cucb-dp-lazy"), 1000);
    lotor_intake *linear = intake_of("jdp-batch");
    lotor_policy *policy;
    lotor_message why;
    assert_int_equal(lotor_policy_new(&params, &why, &policy), LOTOR_OK);
    for (size_t fails = 1;; fails++) {
        lotor_intake *intake = intake_new(&params);
        failing_memory_start(fails);
        const lotor_status status = adopt_all(intake, linear, NULL);
        const bool has_failed = failing_memory_stop() >= fails;
        assert_int_equal(status, has_failed ? LOTOR_MEMORY : LOTOR_OK);
        if (!has_failed) {
            assert_true(fails > 4);
            assert_int_equal(adopt_all(intake, linear, policy), LOTOR_OK);
        }
        lotor_intake_free(intake);
        if (!has_failed) {
            break;
        }
    }
    lotor_policy_free(policy);
    lotor_intake_free(linear);
}

static int start(void **state)
{
    (void)state;
    return sodium_init() < 0;
}

TEST_GROUP(start, NULL);
