/* test_policy_state.c - late feedback, saved states, and every row of the catalog. */
#include "support/test.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "support/rows.h"

enum { ARMS = ROWS_ARMS, ROUNDS = 300, WAVE = 30 };

static test_source source, twin;

/* Opens a wave of rounds at once in both policies, with the same decisions. Notes the asked
 * rewards. */
static void ask(lotor_policy *a, lotor_policy *b, uint64_t first_event, size_t *asked)
{
    for (uint64_t i = 0; i < WAVE; i++) {
        lotor_decision first, second;
        assert_int_equal(rows_choose(a, first_event + i, NULL, &first), LOTOR_OK);
        assert_int_equal(rows_choose(b, first_event + i, NULL, &second), LOTOR_OK);
        assert_int_equal(first.event, first_event + i);
        rows_expect_same_decision(&first, &second);
        asked[i] = first.asked_count;
    }
}

static void hear_in_order(lotor_policy *policy, uint64_t first, const size_t *asked)
{
    for (uint64_t event = first; event < first + WAVE; event++) {
        if (event % 7 != 0) {
            assert_int_equal(rows_observe(policy, event, asked[event - first]), LOTOR_OK);
        }
        assert_int_equal(lotor_policy_expire(policy, event, NULL), LOTOR_OK);
    }
}

static void hear_in_a_mess(lotor_policy *policy, uint64_t first, const size_t *asked)
{
    for (uint64_t event = first + WAVE - 1; event >= first; event--) {
        const size_t count = asked[event - first];
        if (event % 7 != 0) {
            assert_int_equal(rows_observe(policy, event, count), LOTOR_OK);
            assert_int_equal(rows_observe(policy, event, count), LOTOR_DUPLICATE);
        }
        assert_int_equal(lotor_policy_expire(policy, event, NULL), LOTOR_OK);
        assert_int_equal(rows_observe(policy, event, count), LOTOR_LATE);
    }
    assert_int_equal(rows_observe(policy, first, asked[0]), LOTOR_LATE); /* taken out by now */
    assert_int_equal(rows_observe(policy, first + WAVE, asked[0]), LOTOR_UNKNOWN);
}

static void expect_order_does_not_matter(const lotor_policy_params *params)
{
    test_source_seed(&source, 1);
    test_source_seed(&twin, 1);
    lotor_policy *orderly = rows_make(params, &source), *messy = rows_make(params, &twin);
    for (uint64_t first = 1; first + WAVE - 1 <= ROUNDS; first += WAVE) {
        size_t asked[WAVE];
        ask(orderly, messy, first, asked);
        hear_in_order(orderly, first, asked);
        hear_in_a_mess(messy, first, asked);
        rows_expect_same_state(orderly, messy);
    }
    lotor_policy_free(orderly);
    lotor_policy_free(messy);
}

/* Every row, on every structure that it can have. */
static void for_every_row(void (*check)(const lotor_policy_params *params))
{
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        lotor_policy_params params = rows_params(&lotor_algorithms[c], ROUNDS);
        check(&params);
        for (int i = 1; i < rows_structures(&lotor_algorithms[c]); i++) {
            rows_set_structure(&params, (lotor_structure)i);
            check(&params);
        }
        if (lotor_algorithms[c].problem == LOTOR_PROBLEM_ANY) {
            params = rows_list_params(&lotor_algorithms[c], ROUNDS);
            check(&params);
        }
    }
}

/* 30 rounds are opened before the first feedback. One policy gets it in the order of display; the
 * other backwards, twice, and some too late; every seventh round gets none. Both end in the same
 * state. */
TEST(the_order_of_feedback_does_not_matter)
{
    for_every_row(expect_order_does_not_matter);
}

/* Asked five times before any feedback, an index policy tries five different arms. */
TEST(choosing_before_feedback_tries_every_arm)
{
    test_source_seed(&source, 2);
    const lotor_policy_params params = rows_params(lotor_algorithms_find("ucb"), ROUNDS);
    lotor_policy *policy = rows_make(&params, &source);
    unsigned seen = 0;
    for (int i = 0; i < ARMS; i++) {
        lotor_decision decision;
        assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
        seen |= 1U << decision.arms[0];
    }
    assert_int_equal(seen, (1U << ARMS) - 1);
    lotor_policy_free(policy);
}

static void play(lotor_policy *policy, uint64_t round, lotor_decision *decision)
{
    assert_int_equal(rows_choose(policy, round, NULL, decision), LOTOR_OK);
    assert_int_equal(decision->event, round);
    assert_int_equal(rows_observe(policy, round, decision->asked_count), LOTOR_OK);
    /* The previous round stays open for one more round: the inbox is never empty. */
    if (round > 1) {
        assert_int_equal(lotor_policy_expire(policy, round - 1, NULL), LOTOR_OK);
    }
}

/* Saved at round t, loaded and continued: the same decisions and the same final state. */
static void expect_resumes_at(const lotor_policy_params *params, uint64_t stop)
{
    test_source_seed(&source, 3);
    lotor_policy *whole = rows_make(params, &source), *resumed = NULL;
    for (uint64_t t = 1; t < ROUNDS; t++) {
        if (t == stop) {
            resumed = rows_reload(whole, params, &source, &twin);
            rows_expect_same_state(whole, resumed);
            const bool hears_contexts =
                lotor_algorithms_find(params->algorithm)->problem == LOTOR_PROBLEM_LINEAR;
            assert_int_equal(lotor_policy_arms(resumed), params->arms);
            assert_int_equal(lotor_policy_dimension(resumed),
                             hears_contexts ? params->dimension : 0);
        }
        lotor_decision decision, again;
        play(whole, t, &decision);
        if (resumed) {
            play(resumed, t, &again);
            rows_expect_same_decision(&decision, &again);
        }
    }
    rows_expect_same_state(whole, resumed);
    lotor_policy_free(whole);
    lotor_policy_free(resumed);
}

static void expect_resumes(const lotor_policy_params *params)
{
    if (lotor_algorithms_find(params->algorithm)->is_simulation_only) {
        return; /* nothing to load: what is loaded has exact noise */
    }
    if (params->structure != LOTOR_STRUCTURE_TOP) {
        expect_resumes_at(params, 50);
        return;
    }
    for (uint64_t stop = 1; stop < ROUNDS; stop += 37) {
        expect_resumes_at(params, stop);
    }
}

TEST(saved_and_loaded_goes_on_the_same)
{
    for_every_row(expect_resumes);
}

/* Saved and loaded every few rounds while the source goes on: the policy reads no other words than
 * one that is never saved, and releases the same. So no draw of an earlier release comes back. */
static void expect_reads_on(const lotor_policy_params *params)
{
    if (lotor_algorithms_find(params->algorithm)->is_simulation_only) {
        return;
    }
    test_source_seed(&source, 4);
    test_source_seed(&twin, 4);
    lotor_policy *whole = rows_make(params, &source), *loaded = rows_make(params, &twin);
    for (uint64_t t = 1; t < ROUNDS; t++) {
        lotor_decision decision, again;
        play(whole, t, &decision);
        play(loaded, t, &again);
        rows_expect_same_decision(&decision, &again);
        assert_int_equal(test_source_words(&source), test_source_words(&twin));
        if (t % 11 == 0) {
            unsigned char *bytes;
            size_t length;
            assert_int_equal(lotor_policy_save(loaded, &bytes, &length), LOTOR_OK);
            lotor_policy_free(loaded);
            assert_int_equal(
                lotor_policy_load_on(bytes, length, params, &twin.source, NULL, &loaded), LOTOR_OK);
            lotor_bytes_free(bytes, length);
        }
    }
    rows_expect_same_state(whole, loaded);
    lotor_policy_free(whole);
    lotor_policy_free(loaded);
}

TEST(loaded_policies_read_on)
{
    for_every_row(expect_reads_on);
}

/* Six rounds are open when the policy is saved, three of them with feedback. The others get
 * feedback after loading, or never. */
static void expect_open_rounds_survive(const lotor_policy_params *params)
{
    enum { OPEN = 6, BEFORE = 40 };
    if (lotor_algorithms_find(params->algorithm)->is_simulation_only) {
        return;
    }
    test_source_seed(&source, 10);
    lotor_policy *policy = rows_make(params, &source);
    lotor_decision decision;
    size_t asked[BEFORE + OPEN + 1];
    for (uint64_t t = 1; t <= BEFORE + OPEN; t++) {
        assert_int_equal(rows_choose(policy, t, NULL, &decision), LOTOR_OK);
        asked[t] = decision.asked_count;
        if (t <= BEFORE || t % 2 == 0) {
            assert_int_equal(rows_observe(policy, t, asked[t]), LOTOR_OK);
        }
        if (t <= BEFORE) {
            assert_int_equal(lotor_policy_expire(policy, t, NULL), LOTOR_OK);
        }
    }
    lotor_policy *loaded = rows_reload(policy, params, &source, &twin);
    lotor_policy *both[] = {policy, loaded};
    for (size_t i = 0; i < 2; i++) {
        for (uint64_t t = BEFORE + OPEN; t > BEFORE; t--) {
            if (t != BEFORE + 1) {
                assert_int_equal(rows_observe(both[i], t, asked[t]),
                                 t % 2 == 0 ? LOTOR_DUPLICATE : LOTOR_OK);
            }
            assert_int_equal(lotor_policy_expire(both[i], t, NULL), LOTOR_OK);
        }
    }
    rows_expect_same_state(policy, loaded);
    lotor_policy_free(policy);
    lotor_policy_free(loaded);
}

TEST(open_rounds_are_saved)
{
    for_every_row(expect_open_rounds_survive);
}

static lotor_status load_status(const unsigned char *bytes, size_t length)
{
    lotor_policy *loaded;
    const lotor_status status =
        lotor_policy_load_on(bytes, length, NULL, &source.source, NULL, &loaded);
    lotor_policy_free(loaded);
    return status;
}

/* Puts a word in place of one that is `back` words before the checksum of saved bytes, and writes the
 * checksum again. Returns the status of loading them, and restores the word. */
static lotor_status load_forged(unsigned char *bytes, size_t length, size_t back, uint64_t word,
                                const lotor_policy_params *params)
{
    enum { CHECKSUM = 32 };
    unsigned char *end = bytes + length - CHECKSUM, *place = end - 8 * back, kept[8];
    memcpy(kept, place, sizeof kept);
    for (size_t i = 0; i < 8; i++) {
        place[i] = (unsigned char)(word >> 8 * i);
    }
    crypto_generichash(end, CHECKSUM, bytes, length - CHECKSUM, NULL, 0);
    lotor_policy *loaded;
    const lotor_status status =
        lotor_policy_load_on(bytes, length, params, &source.source, NULL, &loaded);
    lotor_policy_free(loaded);
    memcpy(place, kept, sizeof kept);
    crypto_generichash(end, CHECKSUM, bytes, length - CHECKSUM, NULL, 0);
    return status;
}

/* The inbox is the last section of a state. Its last words are its first event, the number of open
 * rounds, and the round: flags, the number of arms, the arms, the feedback. */
static void expect_forged_rounds_refused(const lotor_policy_params *params)
{
    if (lotor_algorithms_find(params->algorithm)->is_simulation_only) {
        return;
    }
    test_source_seed(&source, 11);
    lotor_policy *policy = rows_make(params, &source);
    lotor_decision decision;
    assert_int_equal(rows_choose(policy, 1, NULL, &decision), LOTOR_OK);
    assert_int_equal(rows_observe(policy, 1, decision.asked_count), LOTOR_OK);
    unsigned char *bytes;
    size_t length;
    assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
    const size_t feedback = policy->unit_count, arms = feedback + decision.asked_count;
    const uint64_t flags = 1;
    assert_int_equal(load_forged(bytes, length, arms + 2, flags, params), LOTOR_OK); /* as it was */
    assert_int_equal(load_forged(bytes, length, feedback, INT64_MAX, params), LOTOR_DAMAGED);
    assert_int_equal(load_forged(bytes, length, arms, policy->params.arms, params), LOTOR_DAMAGED);
    assert_int_equal(load_forged(bytes, length, arms + 4, 2, params), LOTOR_DAMAGED);
    if (decision.asked_count > 1) {
        assert_int_equal(load_forged(bytes, length, arms, decision.asked[1], params),
                         LOTOR_DAMAGED);
    }
    lotor_bytes_free(bytes, length);
    lotor_policy_free(policy);
}

TEST(forged_open_rounds_are_refused)
{
    for_every_row(expect_forged_rounds_refused);
}

/* Saved bytes with one bit flipped, or cut short, are refused. */
TEST(damaged_states_are_refused)
{
    static const char *const ids[] = {"dp-se2",    "cucb-dp2",    "cascade-dp", "jdp-linucb-gauss",
                                      "jdp-batch", "batch-klucb", "jdp-bayes"};
    for (size_t c = 0; c < sizeof ids / sizeof *ids; c++) {
        test_source_seed(&source, 4);
        const lotor_policy_params params = rows_params(lotor_algorithms_find(ids[c]), ROUNDS);
        lotor_policy *policy = rows_make(&params, &source);
        lotor_decision decision;
        for (uint64_t t = 1; t <= 40; t++) {
            play(policy, t, &decision);
        }
        unsigned char *bytes;
        size_t length;
        assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
        for (size_t bit = 0; bit < 8 * length; bit += 13) {
            bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
            const lotor_status status = load_status(bytes, length);
            assert_true(status == LOTOR_DAMAGED || status == LOTOR_VERSION);
            bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
        }
        for (size_t cut = 0; cut < length; cut += 7) {
            assert_int_equal(load_status(bytes, cut), LOTOR_DAMAGED);
        }
        assert_int_equal(load_status(bytes, length), LOTOR_OK);
        lotor_bytes_free(bytes, length);
        lotor_policy_free(policy);
    }
}

static void feed(lotor_policy *policy, uint32_t arm, uint64_t count, uint64_t ones, uint64_t *time)
{
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(lotor_statistic_feed(policy->statistic, arm, i < ones ? 1 << 20 : 0, 1,
                                              ++*time, &policy->noise, policy->board),
                         LOTOR_OK);
    }
}

/* Batches, one arm shown at a time, no noise, round 16. Arm 0 has 4 of 4, the others 0 of 8: arm 0
 * is best (index 1 + sqrt(3 log 16 / 4) = 2.4 against 1.0). Then its next batch brings 4 of 8, and
 * each of the four others 16 of 16: their index is 1 + 0.72 now, its own 0.5 + 1.02. One post moved
 * its count by 4 = one post of its own and three of others; the fourth keeps the sums apart for a
 * learner that compared posts with counts. */
TEST(batches_of_other_arms_are_news)
{
    for (uint32_t others = 3; others <= 4; others++) {
        test_source_seed(&source, 8);
        lotor_policy *policy = rows_make(&(lotor_policy_params){.algorithm = "dpucb-mat",
                                                                .arms = others + 1,
                                                                .epsilon = lotor_ratio_of(1, 0)},
                                         &source);
        uint64_t time = 0;
        lotor_stretch stretch;
        policy->asked = 15;
        feed(policy, 0, 7, 7, &time);
        for (uint32_t arm = 1; arm <= others; arm++) {
            feed(policy, arm, 15, 0, &time);
        }
        lotor_policy_stretch(policy, &stretch);
        assert_int_equal(stretch.arms[0], 0);
        feed(policy, 0, 8, 4, &time);
        for (uint32_t arm = 1; arm <= others; arm++) {
            feed(policy, arm, 16, 16, &time);
        }
        lotor_policy_stretch(policy, &stretch);
        assert_int_not_equal(stretch.arms[0], 0);
        lotor_policy_free(policy);
    }
}

/* After the horizon elimination continues with its viable arms, and Thompson sampling continues to
 * sample. */
TEST(past_the_horizon_all_viable_arms_are_shown)
{
    static const char *const ids[] = {"dp-se", "cts"};
    for (size_t c = 0; c < 2; c++) {
        test_source_seed(&source, 9);
        lotor_policy *policy = rows_make(
            &(lotor_policy_params){
                .algorithm = ids[c], .arms = 3, .horizon = 3, .epsilon = lotor_ratio_of(1, 1)},
            &source);
        unsigned seen = 0;
        lotor_decision decision;
        for (uint64_t t = 1; t <= 3; t++) {
            play(policy, t, &decision);
        }
        assert_int_equal(lotor_policy_expire(policy, 3, NULL), LOTOR_OK);
        for (int t = 0; t < 200; t++) {
            assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
            assert_int_equal(decision.event, 0);
            seen |= 1U << decision.arms[0];
        }
        assert_int_equal(seen, 7);
        lotor_policy_free(policy);
    }
}

/* After the horizon every row still chooses, with event 0 and no feedback. Earlier rounds still
 * count when they end, and no round is opened. */
static void expect_goes_on(const lotor_policy_params *of)
{
    lotor_policy_params params = *of;
    params.horizon = 4;
    test_source_seed(&source, 11);
    lotor_policy *policy = rows_make(&params, &source);
    lotor_decision decision;
    size_t asked[5];
    for (uint64_t t = 1; t <= 20; t++) {
        assert_int_equal(rows_choose(policy, t, NULL, &decision), LOTOR_OK);
        assert_int_equal(decision.event, t <= 4 ? t : 0);
        assert_true(decision.count >= 1 && decision.asked_count >= 1 && decision.hold >= 1);
        if (t <= 4) {
            asked[t] = decision.asked_count;
        }
        if (t == 10) {
            for (uint64_t event = 1; event <= 4; event++) {
                assert_int_equal(rows_observe(policy, event, asked[event]), LOTOR_OK);
                assert_int_equal(lotor_policy_expire(policy, event, NULL), LOTOR_OK);
            }
        }
        assert_int_equal(rows_observe(policy, 0, decision.asked_count), LOTOR_UNKNOWN);
        assert_int_equal(lotor_policy_expire(policy, 5, NULL), LOTOR_UNKNOWN);
        assert_int_equal(policy->rounds, t <= 4 ? t : 4);
    }
    assert_int_equal(policy->rounds_ended, 4);
    lotor_policy_free(policy);
}

TEST(past_the_horizon_every_row_goes_on)
{
    for_every_row(expect_goes_on);
}
