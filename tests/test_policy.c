/* test_policy.c - policies choose what their formulas say, round by round, with known noise.
 *
 * A second source with the same seed predicts the noise. So the test can keep its own statistics in
 * doubles and compute every index. Or there is no noise, and the times at which arms are dropped
 * are computed by hand.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "support/draw.h"
#include "support/test_source.h"

enum { ARMS = 4, ROUNDS = 400 };

static test_source source, twin;
static const double means[ARMS] = {0.2, 0.8, 0.5, 0.35};

static lotor_policy *make(const lotor_policy_params *params)
{
    lotor_policy *policy;
    lotor_message why = {""};
    const lotor_status status = lotor_policy_new_on(params, &source.source, 7, &why, &policy);
    if (status != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return policy;
}

/* The reward of an arm in its n-th round: 0 or 1, fixed, with about the arm's mean. */
static double pays(uint32_t arm, uint64_t n)
{
    const uint64_t hash = (n * 2654435761U + arm * 40503U) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    return (double)(hash & 1023) < means[arm] * 1024.0 ? 1.0 : 0.0;
}

/* Plays one round, with feedback and expiry at once. */
static lotor_decision play(lotor_policy *policy, uint64_t *counts, double low, double high)
{
    lotor_decision decision;
    double rewards[ARMS];
    assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
    for (size_t i = 0; i < decision.count; i++) {
        const uint32_t arm = decision.arms[i];
        rewards[i] = low + (high - low) * pays(arm, counts[arm]++);
    }
    const lotor_feedback feedback = {rewards, decision.count, 0};
    assert_int_equal(lotor_policy_observe(policy, decision.event, &feedback, NULL), LOTOR_OK);
    assert_int_equal(lotor_policy_expire(policy, decision.event, NULL), LOTOR_OK);
    return decision;
}

/* The test's own statistics of one arm. */
typedef struct book {
    double sum, count;         /* as released */
    double noises[ROUNDS + 1]; /* tree: by step */
    uint64_t steps;
    double batch, filled, size; /* doubling */
} book;

static double twin_draw(uint64_t scale)
{
    lotor_noise noise = lotor_noise_exact(&twin.source);
    int64_t drawn;
    assert_int_equal(draw_noise(&noise, LOTOR_LAW_LAPLACE, scale, 1, &drawn), LOTOR_OK);
    return (double)drawn * 0x1p-20;
}

static double best_other(const double *index, const lotor_decision *decision)
{
    double best = -INFINITY;
    for (uint32_t i = 0; i < ARMS; i++) {
        bool shown = false;
        for (size_t j = 0; j < decision->count; j++) {
            shown = shown || decision->arms[j] == i;
        }
        best = shown ? best : fmax(best, index[i]);
    }
    return best;
}

static void expect_best(const double *index, const lotor_decision *decision)
{
    const double best = best_other(index, decision);
    for (size_t i = 0; i < decision->count; i++) {
        assert_true(index[decision->arms[i]] >= best - 1e-9);
    }
}

/* dp-ucb at T = 400 (9 levels, calibrated for ceil(log2 400) + 1 = 10), epsilon = 50, beta = 0.1:
 * index = (sum + noise)/n + sqrt(2 log t / n) + Gamma/n. And ucb, the same without noise. */
TEST(ucb_and_dp_ucb_follow_their_index)
{
    for (int noisy = 0; noisy < 2; noisy++) {
        test_source_seed(&source, 3);
        test_source_seed(&twin, 3);
        lotor_policy *policy = make(&(lotor_policy_params){.algorithm = noisy ? "dp-ucb" : "ucb",
                                                           .arms = ARMS,
                                                           .horizon = ROUNDS,
                                                           .beta = 0.1,
                                                           .epsilon = lotor_ratio_of(50, 1)});
        const double log_t = log(ROUNDS);
        const double gamma = noisy ? log_t * log_t * log(ARMS * ROUNDS * log_t / 0.1) / 50.0 : 0.0;
        static book books[ARMS];
        memset(books, 0, sizeof books);
        uint64_t counts[ARMS] = {0};
        for (int t = 1; t <= ROUNDS; t++) {
            double index[ARMS];
            for (int i = 0; i < ARMS; i++) {
                const double n = books[i].count;
                index[i] = n == 0 ? INFINITY : (books[i].sum + gamma) / n + sqrt(2.0 * log(t) / n);
            }
            const lotor_decision decision = play(policy, counts, 0, 1);
            assert_int_equal(decision.event, t);
            assert_int_equal(decision.count, 1);
            expect_best(index, &decision);
            const uint32_t arm = decision.arms[0];
            book *mine = &books[arm];
            mine->count++;
            mine->noises[(int)mine->count] = noisy ? twin_draw((10 << 20) / 50 + 1) : 0.0;
            mine->sum = 0.0; /* exact sum of all, and the noise of the nodes that cut [1..n] */
            for (uint64_t n = 0; n < counts[arm]; n++) {
                mine->sum += pays(arm, n);
            }
            for (uint64_t n = counts[arm]; n > 0; n &= n - 1) {
                mine->sum += mine->noises[n];
            }
        }
        lotor_policy_free(policy);
    }
}

/* dpucb-mat, 2 of 4 arms, epsilon = 20: batches of 1, 2, 4, ... with Lap(K/epsilon) = 1/10, the
 * latest alone; index = est + sqrt(3 log(2t)/n) + 3 * 2 log(2t)/(20 n). And omm: exact. */
TEST(matroid_rules_follow_their_index)
{
    for (int noisy = 0; noisy < 2; noisy++) {
        test_source_seed(&source, 4);
        test_source_seed(&twin, 4);
        lotor_policy *policy = make(&(lotor_policy_params){.algorithm = noisy ? "dpucb-mat" : "omm",
                                                           .arms = ARMS,
                                                           .slots = 2,
                                                           .epsilon = lotor_ratio_of(20, 1)});
        static book books[ARMS];
        memset(books, 0, sizeof books);
        uint64_t counts[ARMS] = {0};
        for (int t = 1; t <= ROUNDS; t++) {
            double index[ARMS];
            for (int i = 0; i < ARMS; i++) {
                const double n = books[i].count;
                const double root = noisy ? 3.0 * log(2.0 * t) : 2.0 * log(t);
                const double linear = noisy ? 3.0 * 2.0 * log(2.0 * t) / 20.0 : 0.0;
                index[i] = n == 0 ? INFINITY : (books[i].sum + linear) / n + sqrt(root / n);
            }
            const lotor_decision decision = play(policy, counts, 0, 1);
            assert_int_equal(decision.count, 2);
            expect_best(index, &decision);
            for (size_t j = 0; j < 2; j++) {
                const uint32_t arm = decision.arms[j];
                book *mine = &books[arm];
                mine->batch += pays(arm, counts[arm] - 1);
                mine->filled++;
                if (!noisy) {
                    mine->sum = mine->batch;
                    mine->count = mine->filled;
                } else if (mine->filled == fmax(1.0, mine->size)) {
                    mine->sum = mine->batch + twin_draw(((2 << 20) + 19) / 20);
                    mine->count = mine->filled;
                    mine->size = 2.0 * mine->filled;
                    mine->batch = mine->filled = 0.0;
                }
            }
        }
        lotor_policy_free(policy);
    }
}

/* Two arms that pay 1 and 0, no noise, beta = 0.001: the round after which arm 1 is gone.
 *   se       2 sqrt(2 log T / n) < 1 at T = 10^4: n > 73.7, so 74 cycles
 *   dp-se    e = 1: R = 128 log(16000) + 1 = 1240.06, so 1241 pulls each; 2h = 0.125 < 1
 *   dp-se2   10h < 1, h = sqrt(log(64 l^2 / beta) / 2^(l+1)): l = 9: 1.23, l = 10: 0.875: 1024 pulls
 *   modified 2h < 1: l = 4: 1.32, l = 5: 0.945: 32 pulls */
TEST(arms_are_dropped_on_time)
{
    const struct {
        const char *id;
        uint64_t pulls;
    } cases[] = {{"se", 74}, {"dp-se", 1241}, {"dp-se2", 1024}, {"dp-se2-modified", 32}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        test_source_seed(&source, 5);
        lotor_policy *policy = make(&(lotor_policy_params){.algorithm = cases[c].id,
                                                           .arms = 2,
                                                           .horizon = 10000,
                                                           .beta = 0.001,
                                                           .epsilon = lotor_ratio_of(1, 0)});
        uint64_t shown[2] = {0, 0};
        for (int t = 1; t <= 10000; t++) {
            lotor_decision decision;
            assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
            const uint32_t arm = decision.arms[0];
            shown[arm]++;
            if (shown[1] < cases[c].pulls) {
                assert_int_equal(arm, (t - 1) % 2); /* one after another */
            }
            const double reward = arm == 0 ? 1.0 : 0.0;
            const lotor_feedback feedback = {&reward, 1, 0};
            assert_int_equal(lotor_policy_observe(policy, decision.event, &feedback, NULL),
                             LOTOR_OK);
            assert_int_equal(lotor_policy_expire(policy, decision.event, NULL), LOTOR_OK);
        }
        assert_int_equal(shown[1], cases[c].pulls);
        lotor_policy_free(policy);
    }
}

/* With rewards in [-1, 1] instead of [0, 1] everything scales, and the choices are the same. */
TEST(another_range_gives_the_same_choices)
{
    static const char *const ids[] = {"ucb", "dp-ucb",   "dp-se2-modified", "omm",
                                      "cts", "cts-beta", "dpucb-mat",       "dpts-mat"};
    for (size_t c = 0; c < sizeof ids / sizeof *ids; c++) {
        lotor_policy_params params = {
            .algorithm = ids[c], .arms = ARMS, .horizon = ROUNDS, .epsilon = lotor_ratio_of(1, 0)};
        test_source_seed(&source, 6);
        lotor_policy *unit = make(&params);
        params.low = -1.0;
        params.high = 1.0;
        lotor_policy *wide = make(&params);
        uint64_t counts[ARMS] = {0}, wide_counts[ARMS] = {0};
        for (int t = 1; t <= ROUNDS; t++) {
            const uint32_t arm = play(unit, counts, 0, 1).arms[0];
            assert_int_equal(play(wide, wide_counts, -1, 1).arms[0], arm);
        }
        lotor_policy_free(unit);
        lotor_policy_free(wide);
    }
}

/* After the horizon the policy still chooses, with event 0, and takes no feedback. */
TEST(past_the_horizon_it_goes_on_choosing)
{
    test_source_seed(&source, 8);
    lotor_policy *policy = make(&(lotor_policy_params){
        .algorithm = "dp-se", .arms = 2, .horizon = 3, .epsilon = lotor_ratio_of(1, 1)});
    lotor_decision decision;
    for (int t = 1; t <= 6; t++) {
        assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
        assert_int_equal(decision.event, t <= 3 ? t : 0);
        assert_int_equal(decision.count, 1);
    }
    const double reward = 1.0;
    const lotor_feedback feedback = {&reward, 1, 0};
    lotor_message why;
    assert_int_equal(lotor_policy_observe(policy, 0, &feedback, &why), LOTOR_UNKNOWN);
    assert_int_equal(lotor_policy_expire(policy, 4, &why), LOTOR_UNKNOWN);
    lotor_policy_free(policy);
}

TEST(scales_are_stated)
{
    const struct {
        const char *id;
        double scale; /* at epsilon 1/2, T = 1000, 3 slots where there are slots */
    } cases[] = {
        {"dp-ucb", 11 / 0.5},  {"dp-se", 1 / 0.5}, {"dp-se2", 2 / 0.5},      {"dpucb-mat", 3 / 0.5},
        {"dpts-mat", 3 / 0.5}, {"ucb", 0},         {"dp-se2-modified", 4.0},
    };
    test_source_seed(&source, 9);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const bool matroid = strstr(cases[c].id, "mat") != NULL;
        lotor_policy *policy = make(&(lotor_policy_params){.algorithm = cases[c].id,
                                                           .arms = 5,
                                                           .slots = matroid ? 3 : 1,
                                                           .horizon = 1000,
                                                           .epsilon = lotor_ratio_of(1, 2)});
        lotor_guarantee guarantee;
        lotor_policy_guarantee(policy, &guarantee);
        assert_true(guarantee.scale == cases[c].scale);
        assert_int_equal(guarantee.is_private, cases[c].scale > 0);
        assert_int_equal(guarantee.model,
                         cases[c].scale > 0 ? LOTOR_MODEL_CENTRAL : LOTOR_MODEL_NONE);
        lotor_policy_free(policy);
    }
}

TEST(parameters_are_refused_with_the_reason)
{
    const lotor_ratio one = lotor_ratio_of(1, 1);
    const struct {
        lotor_policy_params params;
        const char *names;
    } cases[] = {
        {{.algorithm = "dp-sse", .arms = 2}, "dp-sse"},
        {{.algorithm = NULL, .arms = 2}, "algorithm"},
        {{.algorithm = "ucb"}, "arms"},
        {{.algorithm = "dp-se", .arms = 2, .epsilon = one}, "lik-imed"}, /* names one without */
        {{.algorithm = "dp-se", .arms = 2, .horizon = 10}, "epsilon"},
        {{.algorithm = "ucb", .arms = 3, .slots = 2}, "one arm"},
        {{.algorithm = "omm", .arms = 2, .slots = 9}, "9"},
        {{.algorithm = "ucb", .arms = 2, .beta = 1.5}, "1.5"},
        {{.algorithm = "ucb", .arms = 2, .delta = {5, 1}}, "delta"},
        {{.algorithm = "ucb", .arms = 2, .default_reward = 2.0}, "default"},
        {{.algorithm = "ucb", .arms = 2, .low = 1.0, .high = -1.0}, "range"},
        {{.algorithm = "omm", .arms = 2, .structure = LOTOR_STRUCTURE_LINEAR}, "vector"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        lotor_message why = {""};
        const char *reason = lotor_policy_check(&cases[c].params, &why);
        assert_non_null(reason);
        if (!strstr(reason, cases[c].names)) {
            fail_msg("'%s' does not name '%s'", reason, cases[c].names);
        }
    }
}

/* The parameters of lik-imed and rr-imed. `names` is NULL if they are valid. */
TEST(parameters_of_imed_are_checked)
{
    static const struct {
        lotor_policy_params params;
        const char *names;
    } cases[] = {
        {{.algorithm = "lik-imed", .window = 16, .alarm = true, .variance = 0.25}, NULL},
        {{.algorithm = "rr-imed", .caution = 0.5, .lag = 2.0}, NULL},
        {{.algorithm = "rr-imed", .window = 1}, "window"},
        {{.algorithm = "rr-imed", .alarm = true}, "alarm"},
        {{.algorithm = "rr-imed", .variance = 0.1}, "variance"},
        {{.algorithm = "batch-klucb", .window = 1}, "for lik-imed, not for batch-klucb"},
        {{.algorithm = "batch-klucb", .alarm = true}, "for lik-imed, not for batch-klucb"},
        {{.algorithm = "batch-klucb", .variance = 0.1}, "for lik-imed, not for batch-klucb"},
        {{.algorithm = "jdp-batch", .horizon = 9, .dimension = 2, .window = 1},
         "not for jdp-batch"},
        {{.algorithm = "lik-imed", .caution = -0.001}, "-0.001"},
        {{.algorithm = "rr-imed", .caution = -1.0}, "caution"},
        {{.algorithm = "lik-imed", .caution = NAN}, "caution"},
        {{.algorithm = "lik-imed", .caution = 1e-9}, NULL},
        {{.algorithm = "lik-imed", .caution = 1e6}, NULL},
        {{.algorithm = "lik-imed", .caution = 1000001.0}, "1000001"},
        {{.algorithm = "lik-imed", .lag = 0.999}, "0.999"},
        {{.algorithm = "lik-imed", .lag = -4.0}, "lag"},
        {{.algorithm = "rr-imed", .lag = NAN}, "lag"},
        {{.algorithm = "lik-imed", .lag = 1e3}, NULL},
        {{.algorithm = "lik-imed", .lag = INFINITY}, "lag"},
        {{.algorithm = "lik-imed", .window = (UINT64_C(1) << 61) - 1}, NULL},
        {{.algorithm = "lik-imed", .window = UINT64_C(1) << 61}, "2305843009213693952"},
        {{.algorithm = "lik-imed", .window = UINT64_MAX}, "window"},
        {{.algorithm = "lik-imed", .half_life = 1, .alarm = true}, NULL},
        {{.algorithm = "rr-imed", .half_life = 7, .half_life_in_seconds = true}, NULL},
        {{.algorithm = "lik-imed", .half_life = (UINT64_C(1) << 57) - 1}, NULL},
        {{.algorithm = "lik-imed", .half_life = UINT64_C(1) << 57}, "144115188075855872"},
        {{.algorithm = "lik-imed", .half_life = 8, .window = 9}, "leave one of them out"},
        {{.algorithm = "lik-imed", .half_life_in_seconds = true}, "needs a half_life"},
        {{.algorithm = "batch-klucb", .half_life = 1}, "lik-imed and rr-imed, not for batch-klucb"},
        {{.algorithm = "jdp-batch", .horizon = 9, .dimension = 2, .half_life = 1},
         "not for jdp-batch"},
        {{.algorithm = "lik-imed", .variance = 0.2501}, "0.2501"},
        {{.algorithm = "lik-imed", .variance = -0.1}, "variance"},
        {{.algorithm = "lik-imed", .variance = NAN}, "variance"},
        {{.algorithm = "lik-imed", .low = -1.0, .high = 2.0, .variance = 2.25}, NULL},
        {{.algorithm = "lik-imed", .low = -1.0, .high = 2.0, .variance = 2.26}, "at most 2.25"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        lotor_message why = {""};
        lotor_policy_params params = cases[c].params;
        params.arms = 3;
        params.epsilon = lotor_ratio_of(1, 1);
        const char *reason = lotor_policy_check(&params, &why);
        const char *names = cases[c].names;
        if ((reason == NULL) != (names == NULL) || (reason && !strstr(reason, names))) {
            fail_msg("%zu: '%s' where '%s' is expected", c, reason ? reason : "valid",
                     names ? names : "valid");
        }
    }
}

/* A seed breaks ties, and a public seed would tell how. So every policy draws all 64 bits of its seed: of 64 policies
 * no two have the same, and each bit is 0 in some and 1 in others. A false alarm comes once in 2^50 runs. A loaded
 * policy continues with its own seed. */
TEST(every_policy_has_a_seed_of_its_own)
{
    enum { POLICIES = 64 };
    static const char *const algorithms[] = {"lik-imed", "dp-se", "batch-klucb", "rr-imed"};
    const size_t kinds = sizeof algorithms / sizeof *algorithms;
    uint64_t seeds[POLICIES], ones = 0, zeros = 0;
    for (size_t i = 0; i < POLICIES; i++) {
        const lotor_policy_params params = {.algorithm = algorithms[i % kinds],
                                            .arms = 2,
                                            .horizon = 1000,
                                            .epsilon = lotor_ratio_of(1, 1)};
        lotor_policy *policy, *loaded;
        unsigned char *bytes;
        size_t length;
        assert_int_equal(lotor_policy_new(&params, NULL, &policy), LOTOR_OK);
        assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
        assert_int_equal(lotor_policy_load(bytes, length, NULL, NULL, &loaded), LOTOR_OK);
        seeds[i] = policy->seed;
        assert_true(loaded->seed == policy->seed);
        ones |= seeds[i];
        zeros |= ~seeds[i];
        for (size_t j = 0; j < i; j++) {
            assert_true(seeds[i] != seeds[j]);
        }
        lotor_bytes_free(bytes, length);
        lotor_policy_free(loaded);
        lotor_policy_free(policy);
    }
    assert_true(ones == UINT64_MAX && zeros == UINT64_MAX);
}
