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
    const double log_horizon = log(params->horizon);
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
