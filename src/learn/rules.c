/* rules.c - the index rules: pure functions of (t, parameters). See index.h for their shape.
 * Logarithms are natural. */
#include <math.h>

#include "learn/index.h"

/* Sajed 2019, Algorithm 1; Kveton et al.'s OMM (Chandak 2023): sqrt(2 log t / n). */
static lotor_widths ucb(const lotor_rule_params *params, double t)
{
    (void)params;
    return (lotor_widths){sqrt(2.0 * log(t)), 0.0};
}

/* Sajed 2019, Algorithm 6: Gamma = log^2 T log(K T log T / beta) / epsilon. */
static lotor_widths dp_ucb(const lotor_rule_params *params, double t)
{
    const double log_horizon = params->log_horizon;
    const double gamma = log_horizon * log_horizon *
                         log(params->arms * params->horizon * log_horizon / params->beta) /
                         params->epsilon;
    return (lotor_widths){sqrt(2.0 * log(t)), fmax(0.0, gamma)};
}

/* Chandak 2023, Algorithm 2: sqrt(3 log(Kt) / n) + 3 log(Kt) / (epsilon0 n), epsilon0 = epsilon/K. */
static lotor_widths dpucb_mat(const lotor_rule_params *params, double t)
{
    const double log_kt = log(params->slots * t);
    return (lotor_widths){sqrt(3.0 * log_kt), 3.0 * log_kt * params->slots / params->epsilon};
}

/* Chandak 2023, Algorithm 5: N(mean + 3 log(Kt) / (epsilon0 n), 1/n). */
static lotor_widths dpts_mat(const lotor_rule_params *params, double t)
{
    return (lotor_widths){0.0, dpucb_mat(params, t).linear};
}

static lotor_widths nothing(const lotor_rule_params *params, double t)
{
    (void)params;
    (void)t;
    return (lotor_widths){0.0, 0.0};
}

/* Chen et al. 2013; Kveton et al.'s CascadeUCB1: sqrt(3 log t / (2n)). */
static double sampling_root(double t)
{
    return sqrt(1.5 * log(t));
}

static lotor_widths cucb(const lotor_rule_params *params, double t)
{
    (void)params;
    return (lotor_widths){sampling_root(t), 0.0};
}

/* Chen et al. 2020, Algorithm 2: 4 sqrt(2 log T / (epsilon^2 n)). */
static lotor_widths cucb_ldp2(const lotor_rule_params *params, double t)
{
    (void)t;
    return (lotor_widths){4.0 * sqrt(2.0 * params->log_horizon) / params->epsilon, 0.0};
}

/* Their Algorithm 1: sqrt(K) times that, as printed (its noise grows with K: docs/errata.md). */
static lotor_widths cucb_ldp1(const lotor_rule_params *params, double t)
{
    return (lotor_widths){sqrt(params->slots) * cucb_ldp2(params, t).root, 0.0};
}

/* Their section 3.2, end: sqrt(4 log(mT) / n) + 12 log^3 T / (n epsilon). */
static lotor_widths cucb_dp2(const lotor_rule_params *params, double t)
{
    (void)t;
    const double log_horizon = params->log_horizon;
    return (lotor_widths){sqrt(4.0 * (log(params->arms) + log_horizon)),
                          12.0 * log_horizon * log_horizon * log_horizon / params->epsilon};
}

/* Their Algorithm 3: with a K in the second term. */
static lotor_widths cucb_dp(const lotor_rule_params *params, double t)
{
    const lotor_widths widths = cucb_dp2(params, t);
    return (lotor_widths){widths.root, params->slots * widths.linear};
}

/* Wang et al. 2022: sigma of their Gaussian noise, sqrt(2 K log(1.25/delta)) / epsilon. */
static double gaussian_sigma(const lotor_rule_params *params)
{
    return sqrt(2.0 * params->slots * log(1.25 / params->delta)) / params->epsilon;
}

/* Their Algorithm 4: sqrt(3 log t / (2n)) + (2/epsilon) sqrt(2 K log(1.25/delta) log t / n). */
static lotor_widths cucb_ldp_gauss(const lotor_rule_params *params, double t)
{
    return (lotor_widths){sampling_root(t) + 2.0 * gaussian_sigma(params) * sqrt(log(t)), 0.0};
}

/* Their Algorithm 1, c1 = 1: sqrt(1.5 log t / n) + 3 L log^1.5(T) log t / (epsilon n). */
static lotor_widths cascade_dp(const lotor_rule_params *params, double t)
{
    const double log_t = log(t), log_horizon = params->log_horizon;
    return (lotor_widths){sqrt(1.5 * log_t), 3.0 * params->arms * log_horizon * sqrt(log_horizon) *
                                                 log_t / params->epsilon};
}

/* Their Algorithm 2: sqrt(1.5 log t / n) + (K/epsilon) sqrt(24 log t / n). */
static lotor_widths cascade_ldp_laplace(const lotor_rule_params *params, double t)
{
    return (lotor_widths){sampling_root(t) + params->slots / params->epsilon * sqrt(24.0 * log(t)),
                          0.0};
}

/* Their Algorithm 3: sqrt(1.5 log t / n) + sigma sqrt(2 log(2 t^3) / n). */
static lotor_widths cascade_ldp_gauss(const lotor_rule_params *params, double t)
{
    const double log_cube = log(2.0) + 3.0 * log(t);
    return (lotor_widths){sampling_root(t) + gaussian_sigma(params) * sqrt(2.0 * log_cube), 0.0};
}

/* Their Theorem 8: (4/epsilon) sqrt(6 K log(e + epsilon/delta) log t / n) + sqrt(1.5 log t / n). */
static lotor_widths cascade_ldp_composed(const lotor_rule_params *params, double t)
{
    if (isinf(params->epsilon)) {
        return cucb(params, t);
    }
    const double composed = log(exp(1.0) + params->nominal_epsilon / params->delta);
    return (lotor_widths){sampling_root(t) +
                              4.0 / params->epsilon * sqrt(6.0 * params->slots * composed * log(t)),
                          0.0};
}

const lotor_index_rule lotor_rule_batch_klucb = {
    "batch-klucb",
    "largest m with sup over 0 < h < epsilon of -hS - n log(1-m+m e^-h) + j log(1-h^2/epsilon^2) "
    "<= log t + 3 log log t, over the last j batches (n rounds, sum S)",
    LOTOR_SAMPLING_KL_BATCHES,
    NULL,
};
const lotor_index_rule lotor_rule_rr_klucb = {
    "rr-klucb",
    "(v-(1-p))/(2p-1), v largest with n kl(mean, v) <= log t + 3 log log t, "
    "p = e^epsilon/(1+e^epsilon)",
    LOTOR_SAMPLING_KL_BITS,
    NULL,
};
const lotor_index_rule lotor_rule_ucb = {
    "ucb",
    "mean + sqrt(2 log t / n)",
    LOTOR_SAMPLING_NONE,
    ucb,
};
const lotor_index_rule lotor_rule_dp_ucb = {
    "dp-ucb",
    "mean + sqrt(2 log t / n) + G/n, G = log^2 T log(K T log T / beta) / epsilon",
    LOTOR_SAMPLING_NONE,
    dp_ucb,
};
const lotor_index_rule lotor_rule_dpucb_mat = {
    "dpucb-mat",
    "mean + sqrt(3 log(Kt) / n) + 3 K log(Kt) / (epsilon n)",
    LOTOR_SAMPLING_NONE,
    dpucb_mat,
};
const lotor_index_rule lotor_rule_dpts_mat = {
    "dpts-mat",
    "N(mean + 3 K log(Kt) / (epsilon n), 1/n)",
    LOTOR_SAMPLING_GAUSSIAN,
    dpts_mat,
};
const lotor_index_rule lotor_rule_cts = {
    "cts",
    "N(mean, 1/n)",
    LOTOR_SAMPLING_GAUSSIAN,
    nothing,
};
const lotor_index_rule lotor_rule_cts_beta = {
    "cts-beta",
    "Beta(1 + s, 1 + n - s)",
    LOTOR_SAMPLING_BETA,
    nothing,
};
const lotor_index_rule lotor_rule_cucb = {
    "cucb",
    "mean + sqrt(3 log t / (2n))",
    LOTOR_SAMPLING_NONE,
    cucb,
};
const lotor_index_rule lotor_rule_cucb_ldp1 = {
    "cucb-ldp1",
    "mean + 4 sqrt(2 K log T / (epsilon^2 n))",
    LOTOR_SAMPLING_NONE,
    cucb_ldp1,
};
const lotor_index_rule lotor_rule_cucb_ldp2 = {
    "cucb-ldp2",
    "mean + 4 sqrt(2 log T / (epsilon^2 n))",
    LOTOR_SAMPLING_NONE,
    cucb_ldp2,
};
const lotor_index_rule lotor_rule_cucb_dp = {
    "cucb-dp",
    "mean + sqrt(4 log(mT) / n) + 12 K log^3 T / (epsilon n)",
    LOTOR_SAMPLING_NONE,
    cucb_dp,
};
const lotor_index_rule lotor_rule_cucb_dp2 = {
    "cucb-dp2",
    "mean + sqrt(4 log(mT) / n) + 12 log^3 T / (epsilon n)",
    LOTOR_SAMPLING_NONE,
    cucb_dp2,
};
const lotor_index_rule lotor_rule_cucb_ldp_gauss = {
    "cucb-ldp-gauss",
    "mean + sqrt(3 log t / (2n)) + (2/epsilon) sqrt(2 K log(1.25/delta) log t / n)",
    LOTOR_SAMPLING_NONE,
    cucb_ldp_gauss,
};
const lotor_index_rule lotor_rule_cascade_dp = {
    "cascade-dp",
    "mean + sqrt(1.5 log t / n) + 3 L log^1.5 T log t / (epsilon n)",
    LOTOR_SAMPLING_NONE,
    cascade_dp,
};
const lotor_index_rule lotor_rule_cascade_ldp_laplace = {
    "cascade-ldp-laplace",
    "mean + sqrt(1.5 log t / n) + (K/epsilon) sqrt(24 log t / n)",
    LOTOR_SAMPLING_NONE,
    cascade_ldp_laplace,
};
const lotor_index_rule lotor_rule_cascade_ldp_gauss = {
    "cascade-ldp-gauss",
    "mean + sqrt(1.5 log t / n) + sigma sqrt(2 log(2 t^3) / n), "
    "sigma = sqrt(2 K log(1.25/delta)) / epsilon",
    LOTOR_SAMPLING_NONE,
    cascade_ldp_gauss,
};
const lotor_index_rule lotor_rule_cascade_ldp_composed = {
    "cascade-ldp-composed",
    "mean + sqrt(1.5 log t / n) + (4/epsilon) sqrt(6 K log(e + epsilon/delta) log t / n)",
    LOTOR_SAMPLING_NONE,
    cascade_ldp_composed,
};
