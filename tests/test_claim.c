/* test_claim.c - how much noise the proofs need (src/privacy/release/claim.h), with numbers by
 * hand. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include <lotor/account.h>

#include "privacy/release/statistic.h"

static bool holds(lotor_mechanism mechanism, lotor_claim_setting setting, lotor_claim_noise noise)
{
    return !lotor_claim_refuse(mechanism, &setting, &noise);
}

/* True if this noise is enough, and 0.1% less is not. */
static bool is_least(lotor_mechanism mechanism, lotor_claim_setting setting,
                     lotor_claim_noise noise)
{
    lotor_claim_noise less = noise;
    less.scale *= 0.999;
    less.degrees *= 0.999;
    return holds(mechanism, setting, noise) && !holds(mechanism, setting, less);
}

TEST(laplace_noise)
{
    lotor_claim_setting setting = {.epsilon = 0.5, .l1 = 300, .horizon = 1000};
    assert_true(is_least(LOTOR_MECHANISM_LAPLACE, setting, (lotor_claim_noise){.scale = 600}));
    /* 2^9 <= 1000 < 2^10: 10 levels */
    assert_true(
        is_least(LOTOR_MECHANISM_LAPLACE_TREE, setting, (lotor_claim_noise){.scale = 6000}));
    assert_true(is_least(LOTOR_MECHANISM_HYBRID, setting, (lotor_claim_noise){.scale = 1200}));
    const lotor_claim_noise gated = {.scale = 1200, .gate = 3600};
    assert_true(is_least(LOTOR_MECHANISM_GATED, setting, gated));
    assert_false(
        holds(LOTOR_MECHANISM_GATED, setting, (lotor_claim_noise){.scale = 1200, .gate = 3596}));
    assert_false(holds(LOTOR_MECHANISM_GATED, setting, (lotor_claim_noise){.scale = 1200}));
    setting.horizon = 0; /* a tree needs a horizon */
    assert_false(holds(LOTOR_MECHANISM_LAPLACE_TREE, setting, (lotor_claim_noise){.scale = 1e9}));
}

TEST(gaussian_noise)
{
    lotor_claim_setting setting = {.epsilon = 1, .delta = 1e-5, .l2 = 100, .horizon = 8};
    double rho;
    assert_int_equal(lotor_account_zcdp_rho((lotor_budget){1, 1e-5}, NULL, &rho), LOTOR_OK);
    const double sigma = 100 * sqrt(4 / (2 * rho)); /* 4 levels */
    assert_true(
        is_least(LOTOR_MECHANISM_GAUSSIAN_TREE, setting, (lotor_claim_noise){.scale = sigma}));
    setting.delta = 0;
    assert_false(
        holds(LOTOR_MECHANISM_GAUSSIAN_TREE, setting, (lotor_claim_noise){.scale = 1e6 * sigma}));
}

TEST(randomized_reports)
{
    lotor_claim_setting setting = {.epsilon = log(3), .slots = 2};
    assert_true(is_least(LOTOR_MECHANISM_BIT, setting, (lotor_claim_noise){.scale = 0.25}));
    assert_true(is_least(LOTOR_MECHANISM_POSITION, setting, (lotor_claim_noise){.scale = 0.4}));
    /* At 2 of 2 places: B = (4 + 2 * 1) / (2 * 1). At 1 of 2: (4 + 2 * 3) / (2 * 1), which is more. */
    assert_true(is_least(LOTOR_MECHANISM_CUBE, setting, (lotor_claim_noise){.scale = 3}));
    setting.slots = 1;
    assert_true(is_least(LOTOR_MECHANISM_CUBE, setting, (lotor_claim_noise){.scale = 2}));
    setting.slots = 0;
    assert_false(holds(LOTOR_MECHANISM_POSITION, setting, (lotor_claim_noise){.scale = 1}));
    assert_false(holds(LOTOR_MECHANISM_CUBE, setting, (lotor_claim_noise){.scale = 100}));
}

/* |x| <= 3, |y| <= 4, so |z|^2 <= 25. */
TEST(matrix_noise)
{
    const lotor_claim_setting setting = {
        .epsilon = 1, .delta = 1e-5, .horizon = 5, .context = 3, .reward = 4, .dimension = 6};
    double rho;
    assert_int_equal(lotor_account_zcdp_rho((lotor_budget){1, 1e-5}, NULL, &rho), LOTOR_OK);
    const double least = 1 / sqrt(2 * rho), root_2 = sqrt(2);
    lotor_claim_noise noise = {.scale = 25 * sqrt(3) * least}; /* 3 levels */
    noise.diagonal = root_2 * noise.scale;
    assert_true(is_least(LOTOR_MECHANISM_MATRIX_TREE, setting, noise));
    noise.diagonal = noise.scale; /* not doubled */
    assert_false(holds(LOTOR_MECHANISM_MATRIX_TREE, setting, noise));

    noise = (lotor_claim_noise){.scale = 1.5 * 9 * least, .response = 1.5 * root_2 * 12 * least};
    noise.diagonal = root_2 * noise.scale;
    assert_true(is_least(LOTOR_MECHANISM_MATRIX_BATCH, setting, noise));
    lotor_claim_noise less = noise;
    less.diagonal = noise.scale;
    assert_false(holds(LOTOR_MECHANISM_MATRIX_BATCH, setting, less));
    less = noise;
    less.response *= 0.999;
    assert_false(holds(LOTOR_MECHANISM_MATRIX_BATCH, setting, less));

    /* 1 + ceil(log2 5) = 4 levels */
    const double degrees = 7 + 224 * 4 * log(32 * 1e5) * log(2 * 1e5);
    noise = (lotor_claim_noise){.degrees = degrees};
    assert_true(is_least(LOTOR_MECHANISM_WISHART, setting, noise));
    lotor_claim_setting large = setting;
    large.epsilon = sqrt(8 * 4 * log(2 * 1e5));
    noise.degrees = INFINITY;
    const char *reason = lotor_claim_refuse(LOTOR_MECHANISM_WISHART, &large, &noise);
    assert_non_null(reason);
    assert_non_null(strstr(reason, "epsilon is too large"));
}

/* No mechanism is private without noise, with noise that is not a number, or at an epsilon that is
 * not a budget. Numbers that are not a mechanism are never private. */
TEST(what_is_not_known_is_refused)
{
    const lotor_claim_setting setting = {.epsilon = 1,
                                         .delta = 0.1,
                                         .l1 = 1,
                                         .l2 = 1,
                                         .horizon = 8,
                                         .slots = 2,
                                         .context = 1,
                                         .reward = 1,
                                         .dimension = 1};
    const lotor_claim_noise plenty = {1e6, 1e6, 1e6, 1e6, 1e6};
    const lotor_claim_noise unknown = {NAN, NAN, NAN, NAN, NAN};
    const double epsilons[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i <= LOTOR_MECHANISM_WISHART + 3; i++) {
        const lotor_mechanism mechanism = (lotor_mechanism)i;
        const bool is_proved = i >= LOTOR_MECHANISM_LAPLACE && i <= LOTOR_MECHANISM_WISHART;
        assert_int_equal(holds(mechanism, setting, plenty), is_proved);
        assert_false(holds(mechanism, setting, (lotor_claim_noise){0}));
        assert_false(holds(mechanism, setting, unknown));
        for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
            lotor_claim_setting other = setting;
            other.epsilon = epsilons[e];
            assert_false(holds(mechanism, other, plenty));
        }
    }
}

/* Every statistic states its claim. */
TEST(every_statistic_states_its_claim)
{
    for (size_t i = 0; lotor_statistics[i]; i++) {
        const lotor_claim *claim = &lotor_statistics[i]->claim;
        const bool is_exact = claim->mechanism == LOTOR_MECHANISM_EXACT;
        assert_int_not_equal(claim->mechanism, LOTOR_MECHANISM_UNKNOWN);
        assert_int_equal(claim->model == LOTOR_MODEL_NONE, is_exact);
        assert_int_equal(claim->feedback == 0, is_exact);
        assert_int_equal(claim->missing != NULL, claim->mechanism == LOTOR_MECHANISM_PRINTED);
    }
}
