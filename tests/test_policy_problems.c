/* test_policy_problems.c - features of single kinds of problems: clicks, contexts, sets of
 * different sizes, custom oracles; and the guarantees of all rows. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/audit.h>
#include <lotor/simulate.h>

#include "support/rows.h"

enum { ARMS = ROWS_ARMS, DIMENSION = ROWS_DIMENSION, ROUNDS = 200 };

static test_source source;

static lotor_policy_params params_for(const char *id)
{
    return rows_params(lotor_algorithms_find(id), ROUNDS);
}

static lotor_policy *make(const lotor_policy_params *params)
{
    test_source_seed(&source, 1);
    return rows_make(params, &source);
}

static void answer_and_end(lotor_policy *policy, const lotor_decision *decision)
{
    assert_int_equal(rows_observe(policy, decision->event, decision->asked_count), LOTOR_OK);
    assert_int_equal(lotor_policy_expire(policy, decision->event, NULL), LOTOR_OK);
}

/* Chooses with an invalid context: the message has these words, and no round is opened. */
static void expect_refused(lotor_policy *policy, const double *context, lotor_status expected,
                           const char *words)
{
    unsigned char *before, *after;
    size_t length, length_after;
    lotor_message why = {""};
    lotor_decision decision;
    assert_int_equal(lotor_policy_save(policy, &before, &length), LOTOR_OK);
    assert_int_equal(lotor_policy_choose(policy, context, &why, &decision), expected);
    assert_non_null(strstr(why.text, words));
    assert_int_equal(decision.event, 0);
    assert_int_equal(decision.count, 0);
    assert_int_equal(lotor_policy_save(policy, &after, &length_after), LOTOR_OK);
    assert_int_equal(length, length_after);
    assert_memory_equal(before, after, length);
    lotor_bytes_free(before, length);
    lotor_bytes_free(after, length_after);
}

/* One number of the context is too large, or NaN; each number is tried. The declared length is 2:
 * 1.9 alone is not too long, and the others are at most 0.5. */
TEST(bad_contexts_are_refused)
{
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        if (!lotor_algorithms[c].linear) {
            continue;
        }
        lotor_policy_params params = rows_params(&lotor_algorithms[c], ROUNDS);
        params.context_length = 2.0;
        lotor_policy *policy = make(&params);
        expect_refused(policy, NULL, LOTOR_INVALID, "5");
        for (size_t i = 0; i < (size_t)ARMS * DIMENSION; i++) {
            double context[ARMS * DIMENSION] = {0.5, -0.5, 0.25};
            static const double bad[] = {2.0001, -2.0001, NAN, INFINITY, -INFINITY, 1e200};
            char words[32];
            snprintf(words, sizeof words, "action %zu ", i / DIMENSION);
            for (size_t j = 0; j < sizeof bad / sizeof *bad; j++) {
                context[i] = bad[j];
                expect_refused(policy, context, LOTOR_RANGE, words);
            }
            context[i] = 1.8;
            lotor_decision decision;
            assert_int_equal(lotor_policy_choose(policy, context, NULL, &decision), LOTOR_OK);
            assert_int_equal(decision.event, i + 1); /* as if nothing had been asked before */
            answer_and_end(policy, &decision);
        }
        lotor_policy_free(policy);
    }
}

/* An action that was divided by its own length can be too long by a rounding error: it is accepted,
 * and read back. A longer action is refused, with numbers in the message that differ. 1.7 and 3 are
 * not powers of two; 1.42^2 is above 2 and 1.41^2 below. */
TEST(rounding_makes_no_action_too_long)
{
    static const double lengths[] = {1.0, 1.41, 1.42, 1.7, 2.0, 3.0, 1e-3, 1e6};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        lotor_policy_params params = params_for("jdp-linucb");
        params.context_length = lengths[i];
        lotor_policy *policy = make(&params), *loaded;
        double context[ARMS * DIMENSION] = {0.0};
        lotor_decision decision;
        for (size_t j = 0; j < ARMS;
             j++) { /* half of what is allowed in the square, DIMENSION 2^-53 */
            context[j * DIMENSION] = lengths[i] * (1.0 + 0.5 * ((double)DIMENSION - 0.5) * 0x1p-52);
        }
        assert_true(context[0] > lengths[i]);
        assert_int_equal(lotor_policy_choose(policy, context, NULL, &decision), LOTOR_OK);
        unsigned char *bytes;
        size_t length;
        assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
        assert_int_equal(lotor_policy_load(bytes, length, NULL, NULL, &loaded), LOTOR_OK);
        lotor_bytes_free(bytes, length);
        answer_and_end(policy, &decision);
        lotor_message why = {""};
        lotor_status status = LOTOR_OK;
        size_t steps = 0;
        /* up to the first length that is refused */
        for (; status == LOTOR_OK && steps < 10; steps++) {
            context[DIMENSION] = nextafter(context[DIMENSION], INFINITY);
            status = lotor_policy_choose(policy, context, &why, &decision);
        }
        assert_int_equal(status, LOTOR_RANGE);
        const char *most = strstr(why.text, "longer than the declared ");
        assert_non_null(most);
        assert_true(strtod(most + strlen("longer than the declared "), NULL) == lengths[i]);
        lotor_policy_free(policy);
        lotor_policy_free(loaded);
    }
}

/* Sends invalid feedback: it is refused, and the round stays open. */
static void expect_range(lotor_policy *policy, uint64_t event, lotor_feedback feedback)
{
    lotor_message why = {""};
    assert_int_equal(lotor_policy_observe(policy, event, &feedback, &why), LOTOR_RANGE);
    assert_true(why.text[0] != '\0');
}

TEST(linear_rewards_have_a_range)
{
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        if (!lotor_algorithms[c].linear) {
            continue;
        }
        const lotor_policy_params params = rows_params(&lotor_algorithms[c], ROUNDS);
        lotor_policy *refused = make(&params);
        lotor_decision decision;
        static const double bad[] = {1.0001, -1.0001, NAN, INFINITY};
        static const double good[] = {1.0, -1.0, 0.0, 0.1};
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(rows_choose(refused, i, NULL, &decision), LOTOR_OK);
            expect_range(refused, decision.event, (lotor_feedback){&bad[i], 1, 0});
            expect_range(refused, decision.event, (lotor_feedback){good, 2, 0});
            expect_range(refused, decision.event, (lotor_feedback){good, 0, 0});
            const lotor_feedback feedback = {&good[i], 1, 0};
            assert_int_equal(lotor_policy_observe(refused, decision.event, &feedback, NULL),
                             LOTOR_OK);
            assert_int_equal(lotor_policy_expire(refused, decision.event, NULL), LOTOR_OK);
        }
        lotor_policy_free(refused);
    }
}

/* Clicks are on a list of 3: 1 to 3, or 0 for none. */
TEST(clicks_are_on_the_list)
{
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        if (lotor_algorithms[c].problem != LOTOR_PROBLEM_CASCADE) {
            continue;
        }
        const lotor_policy_params params = rows_params(&lotor_algorithms[c], ROUNDS);
        lotor_policy *policy = make(&params);
        for (size_t click = 0; click <= ROWS_CLICKS; click++) {
            lotor_decision decision;
            assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
            assert_int_equal(decision.count, ROWS_CLICKS);
            assert_int_equal(decision.asked_count, ROWS_CLICKS);
            expect_range(policy, decision.event, (lotor_feedback){.click = ROWS_CLICKS + 1});
            expect_range(policy, decision.event, (lotor_feedback){.click = SIZE_MAX});
            const lotor_feedback feedback = {.click = click};
            assert_int_equal(lotor_policy_observe(policy, decision.event, &feedback, NULL),
                             LOTOR_OK);
            assert_int_equal(lotor_policy_expire(policy, decision.event, NULL), LOTOR_OK);
        }
        lotor_policy_free(policy);
    }
}

/* With sets of different sizes, feedback must have exactly one reward per asked arm. */
TEST(feedback_has_the_size_of_the_set)
{
    static const struct {
        lotor_structure structure;
        unsigned sizes; /* bit n: sets of n arms */
    } cases[] = {{LOTOR_STRUCTURE_PATH, 1U << 2 | 1U << 3},
                 {LOTOR_STRUCTURE_COVERAGE, 1U << 1 | 1U << 3},
                 {LOTOR_STRUCTURE_INFLUENCE, 1U << 2 | 1U << 3},
                 {LOTOR_STRUCTURE_CUSTOM_ORACLE, 1U << 1 | 1U << 2}};
    const double rewards[ARMS + 1] = {0.5, 0.25, 1.0, 0.0, 0.5, 1.0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lotor_policy_params params = params_for("cucb");
        rows_set_structure(&params, cases[i].structure);
        lotor_policy *policy = make(&params);
        unsigned sizes = 0;
        for (int t = 0; t < ROUNDS; t++) {
            lotor_decision decision;
            assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
            const size_t count = decision.count;
            sizes |= 1U << count;
            assert_int_equal(decision.asked_count, count);
            assert_memory_equal(decision.asked, decision.arms, count * sizeof *decision.arms);
            for (size_t wrong = 0; wrong <= ARMS + 1; wrong++) {
                if (wrong != count) {
                    expect_range(policy, decision.event, (lotor_feedback){rewards, wrong, 0});
                }
            }
            answer_and_end(policy, &decision);
        }
        assert_int_equal(sizes, cases[i].sizes);
        lotor_policy_free(policy);
    }
}

/* The ways in which a custom oracle fails. */
typedef enum mistake { NONE, NOTHING, TOO_MANY, FAR_TOO_MANY, TWICE, NO_ARM, MISTAKES } mistake;

static size_t pick_wrongly(const void *context, const double *index, size_t arms, uint32_t *picked)
{
    (void)index;
    const mistake kind = *(const mistake *)context;
    picked[0] = 2;
    picked[1] = kind == TWICE ? 2 : kind == NO_ARM ? (uint32_t)arms : 1;
    return kind == NOTHING ? 0 : kind == TOO_MANY ? 3 : kind == FAR_TOO_MANY ? SIZE_MAX : 2;
}

/* The learner may keep a good pick while it is certainly the best; it never keeps an invalid
 * one. */
TEST(an_oracle_that_misbehaves_is_refused)
{
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        if (lotor_algorithms[c].problem != LOTOR_PROBLEM_SEMIBANDIT) {
            continue;
        }
        mistake kind = NOTHING;
        lotor_policy_params params = rows_params(&lotor_algorithms[c], ROUNDS);
        rows_set_structure(&params, LOTOR_STRUCTURE_CUSTOM_ORACLE);
        params.pick = pick_wrongly;
        params.context = &kind;
        for (; kind < MISTAKES; kind++) {
            lotor_policy *policy = make(&params);
            expect_refused(policy, NULL, LOTOR_INVALID, "oracle");
            expect_refused(policy, NULL, LOTOR_INVALID, "oracle");
            const mistake now = kind;
            kind = NONE;
            lotor_decision decision;
            assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
            assert_int_equal(decision.event, 1);
            assert_int_equal(decision.count, 2);
            assert_int_equal(decision.arms[0], 2);
            assert_int_equal(decision.arms[1], 1);
            answer_and_end(policy, &decision);
            kind = now;
            lotor_policy_free(policy);
        }
    }
}

/* A failing test says no to everything: half of a basis is not a basis. */
static bool join_until(const void *context, const uint32_t *set, size_t count, uint32_t arm)
{
    const size_t *most = context;
    (void)set;
    (void)arm;
    return count < *most;
}

/* At whichever arm the test fails, no round is opened, and the next one is the first. */
TEST(an_independence_test_that_fails_is_refused)
{
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        if (lotor_algorithms[c].problem != LOTOR_PROBLEM_MATROID) {
            continue;
        }
        size_t most = 3;
        lotor_policy_params params = rows_params(&lotor_algorithms[c], ROUNDS);
        params.structure = LOTOR_STRUCTURE_CUSTOM_MATROID;
        params.independent = join_until;
        params.context = &most;
        params.rank = 3;
        lotor_policy *policy = make(&params);
        for (most = 0; most < 3; most++) {
            expect_refused(policy, NULL, LOTOR_INVALID, "fewer than 3 arms");
        }
        for (uint64_t event = 1; event <= 2; event++) {
            lotor_decision decision;
            assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
            assert_int_equal(decision.event, event);
            assert_int_equal(decision.count, 3);
            answer_and_end(policy, &decision);
        }
        lotor_policy_free(policy);
    }
}

/* Custom functions can't be saved: a policy can't be loaded without them. */
TEST(an_own_oracle_must_be_given_again)
{
    static const lotor_structure structures[] = {LOTOR_STRUCTURE_CUSTOM_MATROID,
                                                 LOTOR_STRUCTURE_CUSTOM_ORACLE};
    for (size_t i = 0; i < 2; i++) {
        lotor_policy_params params = params_for("cucb-ldp1");
        rows_set_structure(&params, structures[i]);
        lotor_policy *policy = make(&params), *loaded;
        unsigned char *bytes;
        size_t length;
        assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
        assert_int_equal(lotor_policy_load(bytes, length, NULL, NULL, &loaded), LOTOR_DAMAGED);
        assert_null(loaded);
        lotor_policy_params without = params;
        without.pick = NULL;
        without.independent = NULL;
        assert_int_equal(lotor_policy_load(bytes, length, &without, NULL, &loaded), LOTOR_DAMAGED);
        assert_null(loaded);
        assert_int_equal(lotor_policy_load(bytes, length, &params, NULL, &loaded), LOTOR_OK);
        rows_expect_same_state(policy, loaded);
        lotor_bytes_free(bytes, length);
        lotor_policy_free(policy);
        lotor_policy_free(loaded);
    }
}

/* The edges that the vertices can use: their own or, if `far`, all that follow. */
static unsigned edges_of(const lotor_policy_params *params, unsigned vertices, bool far)
{
    unsigned edges = 0;
    for (int step = 0; step < ARMS; step++) {
        for (size_t arm = 0; arm < ARMS; arm++) {
            if (vertices >> params->from[arm] & 1) {
                edges |= 1U << arm;
            }
        }
        for (size_t arm = 0; far && arm < ARMS; arm++) {
            if (edges >> arm & 1) {
                vertices |= 1U << params->to[arm];
            }
        }
    }
    return edges;
}

static unsigned set_of(const uint32_t *members, size_t count)
{
    unsigned set = 0;
    for (size_t i = 0; i < count; i++) {
        assert_false(set >> members[i] & 1);
        set |= 1U << members[i];
    }
    return set;
}

/* The shown arms are those of the seeds. Each vertex is tried: an edge without an observation has
 * an infinite index. Other structures have no seeds. */
TEST(seeds_are_behind_the_arms)
{
    static const char *const ids[] = {"cucb", "cucb-ldp1", "cucb-dp2"};
    for (size_t c = 0; c < 3; c++) {
        for (int structure = 0; structure <= LOTOR_STRUCTURE_CUSTOM_ORACLE; structure++) {
            const bool far = structure == LOTOR_STRUCTURE_INFLUENCE;
            const bool has_seeds = far || structure == LOTOR_STRUCTURE_COVERAGE;
            for (size_t seeds = 1; seeds <= 2; seeds++) {
                lotor_policy_params params = params_for(ids[c]);
                rows_set_structure(&params, (lotor_structure)structure);
                params.seeds = seeds;
                lotor_policy *policy = make(&params);
                unsigned shown = 0;
                for (int t = 0; t < 50; t++) {
                    lotor_decision decision;
                    assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
                    assert_int_equal(decision.seed_count, has_seeds ? seeds : 0);
                    assert_true((decision.seeds != NULL) == has_seeds);
                    const unsigned arms = set_of(decision.arms, decision.count);
                    shown |= arms;
                    if (has_seeds) {
                        const unsigned vertices = set_of(decision.seeds, decision.seed_count);
                        assert_int_equal(arms, edges_of(&params, vertices, far));
                    }
                    answer_and_end(policy, &decision);
                }
                assert_true(!has_seeds || shown == (1U << ARMS) - 1);
                lotor_policy_free(policy);
            }
        }
    }
}

/* The asked arm is the shown arm that was asked least often so far, open rounds included. */
TEST(the_least_shown_arm_is_asked)
{
    static const char *const ids[] = {"cucb-ldp2", "cucb-dp2"};
    for (size_t c = 0; c < 2; c++) {
        for (int structure = 0; structure <= LOTOR_STRUCTURE_CUSTOM_ORACLE; structure++) {
            lotor_policy_params params = params_for(ids[c]);
            rows_set_structure(&params, (lotor_structure)structure);
            lotor_policy *policy = make(&params);
            uint64_t often[ARMS] = {0}, several = 0;
            for (uint64_t t = 1; t <= ROUNDS; t++) {
                lotor_decision decision;
                assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
                assert_int_equal(decision.asked_count, 1);
                bool is_shown = false;
                for (size_t i = 0; i < decision.count; i++) {
                    is_shown = is_shown || decision.arms[i] == decision.asked[0];
                    assert_true(often[decision.asked[0]] <= often[decision.arms[i]]);
                }
                assert_true(is_shown);
                often[decision.asked[0]]++;
                several += decision.count > 1;
                const double two[2] = {0.5, 0.5};
                expect_range(policy, t, (lotor_feedback){two, 2, 0});
                assert_int_equal(rows_observe(policy, t, 1), LOTOR_OK);
                if (t > 3) { /* the latest three stay open */
                    assert_int_equal(lotor_policy_expire(policy, t - 3, NULL), LOTOR_OK);
                }
            }
            assert_true(several > 0);
            lotor_policy_free(policy);
        }
    }
}

/* A given delta of 0 is never replaced; only an unset delta becomes the default. */
TEST(no_delta_is_not_replaced)
{
    size_t seen = 0;
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        const lotor_algorithm *row = &lotor_algorithms[c];
        if (row->delta.num == 0 || row->is_simulation_only) {
            continue;
        }
        seen++;
        lotor_policy_params params = rows_params(row, ROUNDS);
        lotor_message why = {""};
        lotor_policy *policy;
        lotor_simulate_result *result;
        lotor_audit_result found;
        params.delta = lotor_ratio_of(0, 1);
        assert_int_equal(lotor_policy_new(&params, &why, &policy), LOTOR_INVALID);
        assert_non_null(strstr(why.text, "needs a delta above 0"));
        assert_null(policy);
        assert_non_null(lotor_policy_check(&params, &why));
        const lotor_simulate_params simulated = {.policy = params, .instance = "c1"};
        assert_int_equal(lotor_simulate_run(&simulated, &why, &result), LOTOR_INVALID);
        assert_non_null(strstr(why.text, "needs a delta above 0"));
        const lotor_audit_params audited = {.algorithm = row->id, .delta = params.delta};
        assert_int_equal(lotor_audit_run(&audited, &why, &found), LOTOR_INVALID);
        assert_non_null(strstr(why.text, "needs a delta above 0"));
        params.delta = (lotor_ratio){0, 0};
        assert_null(lotor_policy_check(&params, &why));
    }
    assert_true(seen > 0);
}

/* Noise without an exact sampler is for simulations: such a policy can't be served or loaded. */
TEST(wishart_noise_is_for_simulations)
{
    static const char *const ids[] = {"jdp-linucb-wishart", "jdp-linucb-wishart-shifted"};
    for (size_t c = 0; c < 2; c++) {
        const lotor_policy_params params = params_for(ids[c]);
        lotor_message why = {""};
        lotor_policy *policy, *loaded;
        assert_int_equal(lotor_policy_new(&params, &why, &policy), LOTOR_INVALID);
        assert_null(policy);
        assert_non_null(strstr(why.text, ids[c]));
        assert_non_null(strstr(why.text, "jdp-batch"));
        why.text[0] = '\0';
        assert_ptr_equal(lotor_policy_check(&params, &why), why.text);
        assert_non_null(strstr(why.text, "jdp-batch"));
        policy = make(&params);
        lotor_guarantee guarantee;
        lotor_policy_guarantee(policy, &guarantee);
        assert_int_equal(guarantee.noise, LOTOR_NOISE_SIMULATION);
        unsigned char *bytes;
        size_t length;
        assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
        assert_int_equal(lotor_policy_load(bytes, length, NULL, NULL, &loaded), LOTOR_DAMAGED);
        assert_null(loaded);
        lotor_bytes_free(bytes, length);
        lotor_policy_free(policy);
    }
}

/* The asked arm is drawn independently of the shown arms: in the first round every arm is asked
 * equally often, over 20,000 policies. 5000 of each are expected, and 4.5 standard deviations (275)
 * allowed: a false alarm once in 35,000 sets of seeds. */
TEST(who_is_asked_first_is_any_arm)
{
    enum { POLICIES = 20000, FOUR = 4 };
    const lotor_policy_params params = {.algorithm = "cucb-ldp2",
                                        .arms = FOUR,
                                        .slots = 2,
                                        .horizon = 10,
                                        .epsilon = lotor_ratio_of(1, 1)};
    int asked[FOUR] = {0};
    for (uint64_t seed = 0; seed < POLICIES; seed++) {
        lotor_policy *policy;
        lotor_decision decision;
        assert_int_equal(
            lotor_policy_new_on(&params, &source.source, lotor_mix(seed), NULL, &policy), LOTOR_OK);
        assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
        asked[decision.asked[0]]++;
        lotor_policy_free(policy);
    }
    for (size_t arm = 0; arm < FOUR; arm++) {
        assert_in_range(asked[arm], 5000 - 275, 5000 + 275);
    }
}

/* Every refusal has a message. */
TEST(refusals_have_reasons)
{
    lotor_policy_params params = {
        .algorithm = "linucb", .arms = (size_t)1 << 27, .dimension = 1, .horizon = 10};
    lotor_message why = {""};
    assert_non_null(lotor_policy_check(&params, &why));
    assert_non_null(strstr(why.text, "134217728 actions"));

    params = (lotor_policy_params){.algorithm = "jdp-linucb-wishart",
                                   .arms = 2,
                                   .dimension = 1,
                                   .horizon = 2,
                                   .epsilon = lotor_ratio_of(1000000, 1)};
    lotor_generator generator;
    lotor_generator_seed(&generator, 1);
    lotor_policy *policy;
    assert_int_equal(lotor_policy_new_simulated(&params, 1.0, &generator, 0, &why, &policy),
                     LOTOR_INVALID);
    assert_non_null(strstr(why.text, "smaller epsilon"));
}
