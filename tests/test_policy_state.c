/* test_policy_state.c - late answers, saved states, and every id of the catalog. */
#include "support/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "support/test_source.h"

enum { ARMS = 5, ROUNDS = 300 };

static test_source source, twin;

static lotor_policy_params params_of(const lotor_algorithm *algorithm)
{
    return (lotor_policy_params){
        .algorithm = algorithm->id,
        .arms = ARMS,
        .slots = algorithm->problem == LOTOR_PROBLEM_MATROID ? 2 : 1,
        .horizon = ROUNDS,
        .epsilon = lotor_ratio_of(100, 1),
        .beta = 0.5,
        .default_reward = 0.25,
    };
}

static lotor_policy *make(const lotor_policy_params *params, test_source *on)
{
    lotor_policy *policy;
    assert_int_equal(lotor_policy_new_on(params, &on->source, 7, NULL, &policy), LOTOR_OK);
    return policy;
}

static double pays(uint64_t event, size_t slot)
{
    return (double)((event * 2654435761U + slot * 40503U) % 1000) / 999.0;
}

static lotor_status answer(lotor_policy *policy, uint64_t event, size_t count)
{
    double rewards[ARMS];
    for (size_t i = 0; i < count; i++) {
        rewards[i] = pays(event, i);
    }
    const lotor_answer given = {rewards, count, 0};
    return lotor_policy_observe(policy, event, &given, NULL);
}

static void expect_same_state(const lotor_policy *a, const lotor_policy *b)
{
    unsigned char *bytes_a, *bytes_b;
    size_t length_a, length_b;
    assert_int_equal(lotor_policy_save(a, &bytes_a, &length_a), LOTOR_OK);
    assert_int_equal(lotor_policy_save(b, &bytes_b, &length_b), LOTOR_OK);
    assert_int_equal(length_a, length_b);
    assert_memory_equal(bytes_a, bytes_b, length_a);
    lotor_bytes_free(bytes_a, length_a);
    lotor_bytes_free(bytes_b, length_b);
}

/* Asks for `count` rounds at once, in both policies: the same. */
static void ask(lotor_policy *a, lotor_policy *b, uint64_t count, size_t *slots)
{
    for (uint64_t i = 0; i < count; i++) {
        lotor_decision first, second;
        assert_int_equal(lotor_policy_choose(a, NULL, NULL, &first), LOTOR_OK);
        assert_int_equal(lotor_policy_choose(b, NULL, NULL, &second), LOTOR_OK);
        assert_int_equal(first.event, second.event);
        assert_int_equal(first.count, second.count);
        assert_memory_equal(first.arms, second.arms, first.count * sizeof *first.arms);
        *slots = first.count;
    }
}

/* 30 rounds are asked before the first answer. One policy hears them in the order of display, the
 * other backwards, twice, and some too late; every seventh never. Both end in the same state. */
static void the_order_of_answers_does_not_matter(void **state)
{
    (void)state;
    enum { WAVE = 30 };
    for (size_t c = 0; c < lotor_catalog_size; c++) {
        const lotor_policy_params params = params_of(&lotor_catalog[c]);
        test_source_seed(&source, 1);
        test_source_seed(&twin, 1);
        lotor_policy *orderly = make(&params, &source), *messy = make(&params, &twin);
        for (uint64_t first = 1; first + WAVE - 1 <= ROUNDS; first += WAVE) {
            size_t slots = 0;
            ask(orderly, messy, WAVE, &slots);
            for (uint64_t event = first; event < first + WAVE; event++) {
                if (event % 7 != 0) {
                    assert_int_equal(answer(orderly, event, slots), LOTOR_OK);
                }
                assert_int_equal(lotor_policy_expire(orderly, event, NULL), LOTOR_OK);
            }
            for (uint64_t event = first + WAVE - 1; event >= first; event--) {
                if (event % 7 != 0) {
                    assert_int_equal(answer(messy, event, slots), LOTOR_OK);
                    assert_int_equal(answer(messy, event, slots), LOTOR_DUPLICATE);
                }
                assert_int_equal(lotor_policy_expire(messy, event, NULL), LOTOR_OK);
                assert_int_equal(answer(messy, event, slots), LOTOR_LATE);
            }
            expect_same_state(orderly, messy);
        }
        lotor_policy_free(orderly);
        lotor_policy_free(messy);
    }
}

/* Asked five times before any answer, an index policy tries five different arms. */
static void asking_before_answers_tries_every_arm(void **state)
{
    (void)state;
    test_source_seed(&source, 2);
    const lotor_policy_params params = params_of(lotor_catalog_find("ucb"));
    lotor_policy *policy = make(&params, &source);
    unsigned seen = 0;
    for (int i = 0; i < ARMS; i++) {
        lotor_decision decision;
        assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
        seen |= 1U << decision.arms[0];
    }
    assert_int_equal(seen, (1U << ARMS) - 1);
    lotor_policy_free(policy);
}

static void play(lotor_policy *policy, lotor_decision *decision)
{
    assert_int_equal(lotor_policy_choose(policy, NULL, NULL, decision), LOTOR_OK);
    assert_int_equal(answer(policy, decision->event, decision->count), LOTOR_OK);
    /* The round before stays open for one round more: the inbox is never empty. */
    if (decision->event > 1) {
        assert_int_equal(lotor_policy_expire(policy, decision->event - 1, NULL), LOTOR_OK);
    }
}

static bool at_most_two(const void *context, const uint32_t *set, size_t count, uint32_t arm)
{
    (void)context;
    (void)set;
    return count < 2 && arm != 3; /* arm 3 is a loop */
}

/* Saved at round t, loaded, continued: the same decisions and the same state at the end. */
static void expect_resumes(const lotor_policy_params *params, uint64_t stop)
{
    test_source_seed(&source, 3);
    lotor_policy *whole = make(params, &source), *resumed = NULL;
    for (uint64_t t = 1; t < ROUNDS; t++) {
        if (t == stop) {
            unsigned char *bytes;
            size_t length;
            assert_int_equal(lotor_policy_save(whole, &bytes, &length), LOTOR_OK);
            twin = source;
            twin.source.window = &twin.window;
            assert_int_equal(
                lotor_policy_load_on(bytes, length, params, &twin.source, NULL, &resumed),
                LOTOR_OK);
            lotor_bytes_free(bytes, length);
        }
        lotor_decision decision, again;
        uint32_t arms[ARMS];
        play(whole, &decision);
        memcpy(arms, decision.arms, decision.count * sizeof *arms);
        if (resumed) {
            play(resumed, &again);
            assert_int_equal(again.count, decision.count);
            assert_memory_equal(again.arms, arms, decision.count * sizeof *arms);
        }
    }
    expect_same_state(whole, resumed);
    lotor_policy_free(whole);
    lotor_policy_free(resumed);
}

static void saved_and_loaded_goes_on_the_same(void **state)
{
    (void)state;
    for (size_t c = 0; c < lotor_catalog_size; c++) {
        const lotor_policy_params params = params_of(&lotor_catalog[c]);
        for (uint64_t stop = 1; stop < ROUNDS; stop += 37) {
            expect_resumes(&params, stop);
        }
    }
}

static void every_structure_is_saved(void **state)
{
    (void)state;
    const uint32_t group[ARMS] = {0, 0, 1, 1, 2}, capacity[3] = {1, 1, 1};
    const uint32_t from[ARMS] = {0, 1, 0, 2, 3}, to[ARMS] = {1, 2, 2, 3, 3};
    const int64_t vectors[2 * ARMS] = {1, 0, 0, 1, 1, 1, 0, 0, 2, 2};
    lotor_policy_params params = params_of(lotor_catalog_find("dpucb-mat"));
    params.group = group;
    params.capacity = capacity;
    params.groups = 3;
    params.from = from;
    params.to = to;
    params.vertices = 4;
    params.vectors = vectors;
    params.dimension = 2;
    params.independent = at_most_two;
    params.rank = 2;
    for (int structure = 0; structure <= LOTOR_STRUCTURE_CUSTOM; structure++) {
        params.structure = (lotor_structure)structure;
        expect_resumes(&params, 50);
    }
}

/* Saved bytes with one bit flipped, or cut short, are refused; so are those of a counter. */
static void damaged_states_are_refused(void **state)
{
    (void)state;
    test_source_seed(&source, 4);
    const lotor_policy_params params = params_of(lotor_catalog_find("dp-se2"));
    lotor_policy *policy = make(&params, &source), *loaded;
    lotor_decision decision;
    for (int t = 0; t < 40; t++) {
        play(policy, &decision);
    }
    unsigned char *bytes;
    size_t length;
    assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
    for (size_t bit = 0; bit < 8 * length; bit += 13) {
        bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
        const lotor_status status =
            lotor_policy_load_on(bytes, length, NULL, &source.source, NULL, &loaded);
        assert_true(status == LOTOR_DAMAGED || status == LOTOR_VERSION);
        bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
    }
    for (size_t cut = 0; cut < length; cut += 7) {
        assert_int_equal(lotor_policy_load_on(bytes, cut, NULL, &source.source, NULL, &loaded),
                         LOTOR_DAMAGED);
    }
    assert_int_equal(lotor_policy_load_on(bytes, length, NULL, &source.source, NULL, &loaded),
                     LOTOR_OK);
    lotor_policy_free(loaded);
    lotor_bytes_free(bytes, length);
    lotor_policy_free(policy);
}

/* Entropy runs out in the middle of a round of two arms: ending it again later feeds each slot once.
 * The books agree with a policy that never ran out. */
static void entropy_that_comes_back_loses_nothing(void **state)
{
    (void)state;
    lotor_policy_params params = params_of(lotor_catalog_find("dpucb-mat"));
    test_source_seed(&source, 5);
    lotor_policy *policy = make(&params, &source);
    uint64_t failures = 0;
    for (int t = 1; t <= 100; t++) {
        lotor_decision decision;
        assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
        assert_int_equal(answer(policy, decision.event, 2), LOTOR_OK);
        if (t % 3 == 0) {
            source.source.status = LOTOR_ENTROPY;
            failures += lotor_policy_expire(policy, decision.event, NULL) == LOTOR_ENTROPY;
            source.source.status = LOTOR_OK;
        }
        assert_int_equal(lotor_policy_expire(policy, decision.event, NULL), LOTOR_OK);
        for (size_t i = 0; i < ARMS; i++) { /* batches of 1, 2, 4, ...: n observations leave room */
            const uint64_t n = policy->shown[i];
            const uint64_t size = UINT64_C(1) << (63 - __builtin_clzll(n + 1));
            assert_int_equal(lotor_statistic_room(policy->statistic, i), 2 * size - n - 1);
        }
    }
    assert_true(failures > 3); /* it did happen at releases */
    lotor_policy_free(policy);
}

typedef struct witness {
    unsigned refusals; /* how many times in a row the journal refuses each fact */
    unsigned seen;
    double last;
    uint64_t facts;
} witness;

static lotor_status refuse_then_take(void *context, size_t statistic, size_t arm,
                                     const lotor_fact *fact)
{
    witness *mine = context;
    (void)statistic;
    (void)arm;
    if (mine->seen > 0) {
        assert_true(mine->last == fact->value); /* the same release, not another draw */
    }
    mine->last = fact->value;
    if (mine->seen++ < mine->refusals) {
        return LOTOR_MEMORY;
    }
    mine->seen = 0;
    mine->facts++;
    return LOTOR_OK;
}

/* A journal that refuses every fact twice: every release is offered again as it was, nothing is fed or
 * drawn twice, and the policy ends in the state of one whose journal never refused. */
static void a_refusing_journal_costs_nothing(void **state)
{
    (void)state;
    for (size_t c = 0; c < lotor_catalog_size; c++) {
        const lotor_policy_params params = params_of(&lotor_catalog[c]);
        test_source_seed(&source, 6);
        test_source_seed(&twin, 6);
        lotor_policy *smooth = make(&params, &source), *rough = make(&params, &twin);
        witness patient = {.refusals = 2};
        lotor_board_set_journal(rough->board, refuse_then_take, &patient);
        for (uint64_t t = 1; t < ROUNDS; t++) {
            lotor_decision decision, same;
            assert_int_equal(lotor_policy_choose(smooth, NULL, NULL, &decision), LOTOR_OK);
            assert_int_equal(lotor_policy_choose(rough, NULL, NULL, &same), LOTOR_OK);
            assert_memory_equal(decision.arms, same.arms, decision.count * sizeof *same.arms);
            assert_int_equal(answer(smooth, t, decision.count), LOTOR_OK);
            assert_int_equal(answer(rough, t, decision.count), LOTOR_OK);
            assert_int_equal(lotor_policy_expire(smooth, t, NULL), LOTOR_OK);
            for (int tries = 0; lotor_policy_expire(rough, t, NULL) != LOTOR_OK; tries++) {
                assert_true(tries < 20);
            }
        }
        lotor_board_set_journal(rough->board, NULL, NULL);
        expect_same_state(smooth, rough);
        lotor_policy_free(smooth);
        lotor_policy_free(rough);
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

/* Batches, one arm shown at a time, no noise, round 16. Arm 0 has 4 of 4, the others 0 of 8: arm 0 is
 * best (index 1 + sqrt(3 log 16 / 4) = 2.4 against 1.0). Then its next batch brings 4 of 8, and each
 * of the four others 16 of 16: their index is 1 + 0.72 now, its own 0.5 + 1.02. One post moved its
 * count by 4 = one post of its own and three of others; the fourth keeps the sums apart for a learner
 * that compared posts with counts. */
static void batches_of_other_arms_are_news(void **state)
{
    (void)state;
    for (uint32_t others = 3; others <= 4; others++) {
        test_source_seed(&source, 8);
        lotor_policy *policy = make(&(lotor_policy_params){.algorithm = "dpucb-mat",
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

/* Past the horizon elimination goes on over its viable arms, and Thompson sampling on sampling. */
static void past_the_horizon_all_viable_arms_are_shown(void **state)
{
    (void)state;
    static const char *const ids[] = {"dp-se", "cts"};
    for (size_t c = 0; c < 2; c++) {
        test_source_seed(&source, 9);
        lotor_policy *policy = make(
            &(lotor_policy_params){
                .algorithm = ids[c], .arms = 3, .horizon = 3, .epsilon = lotor_ratio_of(1, 1)},
            &source);
        unsigned seen = 0;
        lotor_decision decision;
        for (int t = 0; t < 3; t++) {
            play(policy, &decision);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_answers_does_not_matter),
        cmocka_unit_test(asking_before_answers_tries_every_arm),
        cmocka_unit_test(saved_and_loaded_goes_on_the_same),
        cmocka_unit_test(every_structure_is_saved),
        cmocka_unit_test(damaged_states_are_refused),
        cmocka_unit_test(entropy_that_comes_back_loses_nothing),
        cmocka_unit_test(a_refusing_journal_costs_nothing),
        cmocka_unit_test(batches_of_other_arms_are_news),
        cmocka_unit_test(past_the_horizon_all_viable_arms_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
