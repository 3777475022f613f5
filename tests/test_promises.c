/* test_promises.c - the guarantees of all rows of the catalog, written a second time from the
 * papers and their errata (docs/errata.md). */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "support/rows.h"

typedef struct promise {
    const char *id;
    lotor_model model; /* with a finite epsilon */
    double delta;      /* the default */
    /* words of the reason why the algorithm is not private; NULL: it is private */
    const char *reason;
} promise;

static const promise promises[] = {
    {"batch-klucb", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"lik-imed", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"rr-imed", LOTOR_MODEL_LOCAL, 0, NULL},
    {"rr-klucb", LOTOR_MODEL_LOCAL, 0, NULL},
    {"adap-ucb", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"ucb", LOTOR_MODEL_NONE, 0, "no noise"},
    {"klucb", LOTOR_MODEL_NONE, 0, "no noise"},
    {"imed", LOTOR_MODEL_NONE, 0, "no noise"},
    {"ts", LOTOR_MODEL_NONE, 0, "no noise"},
    {"moss", LOTOR_MODEL_NONE, 0, "no noise"},
    {"exp3", LOTOR_MODEL_NONE, 0, "no noise"},
    {"se", LOTOR_MODEL_NONE, 0, "no noise"},
    {"dp-ucb", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"dp-se", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"dp-se2", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"dp-se2-modified", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"dp-ucb-tight", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"dp-se-acc", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"dp-klucb", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"dp-imed", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"adap-klucb", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"lazy-dp-ts", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"ldp-ucb-l", LOTOR_MODEL_LOCAL, 0, NULL},
    {"ldp-ucb-b", LOTOR_MODEL_LOCAL, 0, NULL},
    {"omm", LOTOR_MODEL_NONE, 0, "no noise"},
    {"cts", LOTOR_MODEL_NONE, 0, "no noise"},
    {"cts-beta", LOTOR_MODEL_NONE, 0, "no noise"},
    {"dpucb-mat", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"dpts-mat", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"cucb", LOTOR_MODEL_NONE, 0, "no noise"},
    {"cucb-ldp1", LOTOR_MODEL_LOCAL, 0, NULL},
    {"cucb-ldp2", LOTOR_MODEL_LOCAL, 0, NULL},
    {"cucb-dp", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"cucb-dp2", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"cucb-ldp-gauss", LOTOR_MODEL_LOCAL, 1e-3, "without noise"},
    {"cucb-dp-lazy", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"cucb-ldp-box", LOTOR_MODEL_LOCAL, 0, NULL},
    {"cascade-ucb", LOTOR_MODEL_NONE, 0, "no noise"},
    {"cascade-dp", LOTOR_MODEL_CENTRAL, 0, "depends on the clicks"},
    {"cascade-ldp-laplace", LOTOR_MODEL_LOCAL, 0, "tells the click"},
    {"cascade-ldp-gauss", LOTOR_MODEL_LOCAL, 1e-3, "tells the click"},
    {"cascade-ldp-composed", LOTOR_MODEL_LOCAL, 1e-3, "tells the click"},
    {"cascade-dp-lazy", LOTOR_MODEL_CENTRAL, 0, NULL},
    {"cascade-ldp-rr", LOTOR_MODEL_LOCAL, 0, NULL},
    {"linucb", LOTOR_MODEL_NONE, 0, "no noise"},
    {"lints", LOTOR_MODEL_NONE, 0, "no noise"},
    {"jdp-linucb-gauss", LOTOR_MODEL_JOINT, 1e-5, NULL},
    {"jdp-linucb-wishart", LOTOR_MODEL_JOINT, 1e-5, NULL},
    {"jdp-linucb-wishart-shifted", LOTOR_MODEL_JOINT, 1e-5, NULL},
    {"jdp-linucb", LOTOR_MODEL_JOINT, 1e-5, NULL},
    {"jdp-batch", LOTOR_MODEL_JOINT, 1e-5, NULL},
    {"jdp-bayes", LOTOR_MODEL_JOINT, 1e-5, NULL},
};

enum { PROMISES = sizeof promises / sizeof *promises };

static lotor_guarantee guarantee_of(const lotor_policy_params *params)
{
    test_source source;
    test_source_seed(&source, 1);
    lotor_policy *policy = rows_make(params, &source);
    lotor_guarantee guarantee;
    lotor_policy_guarantee(policy, &guarantee);
    lotor_policy_free(policy);
    return guarantee;
}

static void expect_promise(const promise *expected, const lotor_guarantee *found)
{
    if (found->is_private != !expected->reason || found->model != expected->model) {
        fail_msg("%s: private %d, model %d", expected->id, found->is_private, (int)found->model);
    }
    assert_true((found->reason != NULL) == (expected->reason != NULL));
    if (expected->reason && found->reason && !strstr(found->reason, expected->reason)) {
        fail_msg("%s: '%s' does not say '%s'", expected->id, found->reason, expected->reason);
    }
    if (found->is_private) {
        assert_non_null(found->theorem);
    }
    assert_non_null(found->assumes);
    assert_non_null(found->regret);
    assert_non_null(strstr(found->mechanism, expected->id));
    assert_true((strstr(found->unit, "context") != NULL) ==
                (lotor_algorithms_find(expected->id)->problem == LOTOR_PROBLEM_LINEAR));
}

/* The default delta, and a given one. */
TEST(every_row_says_what_it_promises)
{
    assert_int_equal(lotor_algorithms_size, PROMISES);
    for (size_t c = 0; c < PROMISES; c++) {
        const promise *expected = &promises[c];
        const lotor_algorithm *row = lotor_algorithms_find(expected->id);
        assert_non_null(row);
        lotor_policy_params params = rows_params(row, 300);
        params.epsilon = lotor_ratio_of(20, 1);
        lotor_guarantee found = guarantee_of(&params);
        expect_promise(expected, &found);
        assert_true(found.delta == (expected->delta > 0 ? 1.0 / 2000 : 0.0));
        const bool has_noise = expected->model != LOTOR_MODEL_NONE;
        assert_true(found.epsilon == (has_noise ? 20.0 : INFINITY));
        const bool is_wishart = strstr(expected->id, "wishart") != NULL;
        assert_true(is_wishart ? isnan(found.scale) : (found.scale > 0) == has_noise);
        assert_int_equal(found.noise, is_wishart ? LOTOR_NOISE_SIMULATION : LOTOR_NOISE_EXACT);
        if (is_wishart) { /* 10 levels: a node gets 1 at sqrt(8 * 10 log(2 * 2000)) = 25.8 */
            params.epsilon = lotor_ratio_of(26, 1);
            found = guarantee_of(&params);
            assert_false(found.is_private);
            assert_non_null(strstr(found.reason, "too large"));
            params.epsilon = lotor_ratio_of(20, 1);
        }
        params.delta = lotor_ratio_of(0, 1);
        found = guarantee_of(&params);
        expect_promise(expected, &found);
        assert_true(fabs(found.delta - expected->delta) <= 1e-12 * expected->delta);
    }
}

/* A row's own words are not needed: without them the same rows are refused. And no row states
 * another model than its parts have. */
TEST(promises_are_derived)
{
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        lotor_algorithm row = lotor_algorithms[c];
        const lotor_promise derived = lotor_algorithm_promise(&row);
        assert_int_equal(derived.model, row.model);
        row.not_private = NULL;
        row.theorem = row.theorem ? row.theorem : "stated";
        assert_int_equal(derived.reason != NULL, lotor_algorithm_promise(&row).reason != NULL);
        row.not_private = "a reason";
        assert_string_equal(lotor_algorithm_promise(&row).reason, "a reason");
    }
}

/* The noise that policies plan is enough for what they promise, at every size. */
TEST(planned_noise_is_enough)
{
    static const lotor_ratio epsilons[] = {{1, 1000}, {1, 10}, {1, 3}, {1, 1}, {7, 2}, {12, 1}};
    static const uint64_t horizons[] = {2, 3, 64, 1000, 65537, 1000000};
    static const double highs[] = {1.0, 0.3, 1e6};
    size_t made = 0;
    test_source source;
    test_source_seed(&source, 1);
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        const lotor_algorithm *row = &lotor_algorithms[c];
        for (size_t i = 0; lotor_algorithm_is_private(row) && i < 6 * 6 * 3 * 2; i++) {
            const bool as_list = i % 2 && row->problem == LOTOR_PROBLEM_ANY;
            lotor_policy_params params = as_list ? rows_list_params(row, horizons[i / 6 % 6])
                                                 : rows_params(row, horizons[i / 6 % 6]);
            params.epsilon = epsilons[i % 6];
            params.delta = row->delta.num ? lotor_ratio_of(1, i % 4 ? 100000 : 3) : params.delta;
            if (row->problem != LOTOR_PROBLEM_CASCADE && !as_list) {
                params.low = 0.0;
                params.high = highs[i / 36 % 3];
                params.default_reward = 0.0;
            }
            lotor_policy *policy;
            if (rows_try_make(&params, &source, NULL, &policy) != LOTOR_OK) {
                continue; /* such as sums that do not fit */
            }
            const lotor_promise derived = lotor_policy_promise(policy);
            const bool is_wishart = row->matrix == LOTOR_MATRIX_WISHART;
            if (derived.reason && !(is_wishart && strstr(derived.reason, "too large"))) {
                fail_msg("%s at epsilon %g, horizon %llu, high %g: %s", row->id,
                         lotor_ratio_to_double(params.epsilon), (unsigned long long)params.horizon,
                         params.high, derived.reason);
            }
            made++;
            lotor_policy_free(policy);
        }
    }
    assert_true(made > 4000);
}

/* If a policy claims 2% less epsilon than its noise is for, the guarantee says so. Four rows have
 * more noise than they need, as their papers print it. */
TEST(too_little_noise_is_said)
{
    static const char *const loose[] = {"dp-ucb", "cucb-dp", "cucb-dp2", "jdp-linucb-gauss"};
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        const lotor_algorithm *row = &lotor_algorithms[c];
        if (!lotor_algorithm_is_private(row)) {
            continue;
        }
        bool is_loose = false;
        for (size_t i = 0; i < sizeof loose / sizeof *loose; i++) {
            is_loose = is_loose || strcmp(row->id, loose[i]) == 0;
        }
        lotor_policy_params params = rows_params(row, 1000);
        params.epsilon = lotor_ratio_of(1, 2);
        test_source source;
        test_source_seed(&source, 1);
        lotor_policy *policy = rows_make(&params, &source);
        policy->params.epsilon = is_loose ? lotor_ratio_of(1, 50) : lotor_ratio_of(49, 100);
        lotor_guarantee found;
        lotor_policy_guarantee(policy, &found);
        if (found.is_private || !strstr(found.reason, "smaller than its proof needs")) {
            fail_msg("%s: %s", row->id, found.reason ? found.reason : "private");
        }
        lotor_policy_free(policy);
    }
}

/* At epsilon = infinity no algorithm protects anybody. */
TEST(without_noise_nobody_is_protected)
{
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        lotor_policy_params params = rows_params(&lotor_algorithms[c], 300);
        params.epsilon = lotor_ratio_of(1, 0);
        const lotor_guarantee found = guarantee_of(&params);
        assert_false(found.is_private);
        assert_non_null(found.reason);
        assert_int_equal(found.model, LOTOR_MODEL_NONE);
        assert_true(isinf(found.epsilon) && found.delta == 0.0 && found.scale == 0.0);
        assert_non_null(strstr(found.mechanism, "no noise"));
    }
}

/* Scales in rewards, by hand: epsilon = 1/2, T = 1000, 5 arms, K = 2 (3 in cascades), delta =
 * 1/1000. Scales and the sensitivities behind them are rounded up to whole units of 2^-20. */
TEST(scales_are_those_of_the_papers)
{
    const double gaussian = log(1.25 * 1000);
    const struct {
        const char *id;
        double scale;
    } cases[] = {
        {"batch-klucb", 1 / 0.5},
        {"lik-imed", 1 / 0.5},
        {"rr-klucb", 1 / (1 + exp(0.5))}, /* the probability of a false report */
        {"adap-ucb", 1 / 0.5},
        {"dp-klucb", 1 / 0.5},
        {"dp-imed", 1 / 0.5},
        {"adap-klucb", 1 / 0.5},
        {"lazy-dp-ts", 1 / 0.5},
        {"ldp-ucb-l", 1 / 0.5},
        {"ldp-ucb-b", 1 / (1 + exp(0.5))},
        {"cucb-ldp1", 2 / 0.5},
        {"cucb-ldp2", 1 / 0.5},
        {"cucb-dp", 2 * 2 * log(1000) / 0.5},
        {"cucb-dp2", 2 * log(1000) / 0.5},
        {"cucb-ldp-gauss", sqrt(2 * 2 * gaussian) / 0.5},
        {"cascade-ldp-laplace", 3 / 0.5},
        {"cascade-ldp-gauss", sqrt(2 * 3 * gaussian) / 0.5},
        {"cascade-ldp-composed", sqrt(4 * 3 * log(exp(1) + 0.5 * 1000)) / 0.5},
        {"dp-ucb-tight", 10 / 0.5}, /* floor(log2 1000) + 1 */
        {"dp-se-acc", 1 / 0.5},
        {"cucb-dp-lazy", 2 / 0.5},
        {"cascade-dp-lazy", 4 / 0.5},
        {"cascade-ldp-rr", 3 / (exp(0.5) + 3)},         /* the probability of a false report */
        {"cucb-ldp-box", (4 / (exp(0.5) - 1) + 1) / 2}, /* B/2; of 4 corners the true one alone */
        /* m = 11, |z|^2 = 2; delta = 1/1000 as everywhere here */
        {"jdp-linucb-gauss", 4 * sqrt(11) * 2 * log(4 * 1000) / 0.5},
        /* A(1/2, 1/1000) = 5.262428213. In the tree m = 10, and rounding moves 4 x 4 entries by 2
         * units in addition to sqrt(2) |z|^2 = sqrt 8; in batches it costs almost nothing. */
        {"jdp-linucb", sqrt(10) * 2 * 5.262428213 * (1 + 8 * 0x1p-20 / sqrt(8))},
        {"jdp-batch", 1.5 * 5.262428213},
        {"jdp-bayes", 1.5 * 5.262428213},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const lotor_algorithm *row = lotor_algorithms_find(cases[c].id);
        lotor_policy_params params = rows_params(row, 1000);
        params.epsilon = lotor_ratio_of(1, 2);
        params.delta = row->delta.num ? lotor_ratio_of(1, 1000) : lotor_ratio_of(0, 1);
        const double scale = guarantee_of(&params).scale;
        if (!(scale > cases[c].scale - 1e-9 &&
              scale < cases[c].scale + (1 + cases[c].scale) * 0x1p-20)) {
            fail_msg("%s: scale %.9g, not %.9g", cases[c].id, scale, cases[c].scale);
        }
    }
}

/* If the first release would come after the last round, the guarantee says so; and nothing is
 * released. */
TEST(a_horizon_without_a_release_is_said)
{
    lotor_policy_params params = rows_params(lotor_algorithms_find("jdp-batch"), 64);
    params.epsilon = lotor_ratio_of(1, 1); /* n0 = 128 (test_matrix_batch.c) */
    lotor_guarantee found = guarantee_of(&params);
    assert_true(found.is_private);
    assert_non_null(strstr(found.regret, "nothing is learnt"));
    params.horizon = 1024;
    found = guarantee_of(&params);
    assert_string_equal(found.regret, "measured");
}
