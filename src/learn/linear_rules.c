/* linear_rules.c - the constants of the confidence ellipsoids of linear.h (Shariff and Sheffet
 * 2018, section 4; docs/errata.md, 10). Logarithms are natural. */
#include <math.h>

#include "learn/linear.h"

/* Plain LinUCB: V = G + lambda I. The private rules are equal to this rule when there is no
 * noise. */
static lotor_linear_bounds linucb(const lotor_linear_params *params)
{
    const double lambda = params->regularizer;
    return (lotor_linear_bounds){.shift = lambda, .rho_min = lambda, .rho_max = lambda};
}

/* Proposition 11, with the first of its two bounds on gamma. The second bound is false. */
static lotor_linear_bounds jdp_gaussian(const lotor_linear_params *params)
{
    if (params->gaussian == 0.0) {
        return linucb(params);
    }
    const double root_d = sqrt((double)params->dimension);
    const double log_term = log(2.0 * params->horizon / params->alpha);
    const double upsilon =
        params->gaussian * sqrt(2.0 * params->levels) * (4.0 * root_d + 2.0 * log_term);
    return (lotor_linear_bounds){
        .shift = 2.0 * upsilon,
        .rho_min = upsilon,
        .rho_max = 3.0 * upsilon,
        .gamma =
            params->gaussian * sqrt(params->levels / upsilon) * (root_d + sqrt(2.0 * log_term)),
    };
}

/* Our version of Proposition 11, with a tighter bound on the noise. The norm of a symmetric
 * Gaussian matrix exceeds 2 sqrt d + 2 sqrt l deviations with a probability of at most 2 e^-l.
 * The page linear_batch.md proves that this is enough for the discrete Gaussian, in all n rounds, with
 * probability at least 1 - alpha/2. */
static lotor_linear_bounds jdp_linucb(const lotor_linear_params *params)
{
    if (params->gaussian == 0.0) {
        return linucb(params);
    }
    const double root_d = sqrt((double)params->dimension);
    const double log_term = log(4.0 * params->horizon / params->alpha);
    const double upsilon =
        params->gaussian * sqrt(params->levels) * (2.0 * root_d + 2.0 * sqrt(log_term));
    return (lotor_linear_bounds){
        .shift = 2.0 * upsilon,
        .rho_min = upsilon,
        .rho_max = 3.0 * upsilon,
        .gamma =
            params->gaussian * sqrt(params->levels / upsilon) * (root_d + sqrt(2.0 * log_term)),
    };
}

/* For batches, the shift is computed at each release (linear_batch.h). Here is only lambda. */
static lotor_linear_bounds jdp_batch(const lotor_linear_params *params)
{
    return (lotor_linear_bounds){.rho_min = params->regularizer, .rho_max = params->regularizer};
}

/* The prior belief about theta: its length is about S (linear_bayes.h). */
static lotor_linear_bounds jdp_bayes(const lotor_linear_params *params)
{
    const double precision =
        (double)params->dimension / (params->theta_length * params->theta_length);
    return (lotor_linear_bounds){.rho_min = precision, .rho_max = precision};
}

/* The terms of Proposition 9. The eigenvalues of the noise are between bound^2 (a - b)^2 and
 * bound^2 (a + b)^2. */
typedef struct wishart {
    double a, b;
    double tail; /* sqrt d + sqrt(2 log(2n/alpha)) */
} wishart;

static wishart wishart_of(const lotor_linear_params *params)
{
    const double root_d = sqrt((double)params->dimension);
    const double odds = params->horizon / params->alpha;
    return (wishart){
        .a = sqrt(params->levels * params->degrees),
        .b = root_d + sqrt(2.0 * log(8.0 * odds)),
        .tail = root_d + sqrt(2.0 * log(2.0 * odds)),
    };
}

/* Proposition 9. If a <= b, the least eigenvalue has no bound above 0, and rho_min is 0. */
static lotor_linear_bounds jdp_wishart(const lotor_linear_params *params)
{
    if (params->degrees == 0.0) {
        return linucb(params);
    }
    const wishart w = wishart_of(params);
    const double bound2 = params->bound * params->bound, least = fmax(0.0, w.a - w.b);
    return (lotor_linear_bounds){
        .rho_min = bound2 * least * least,
        .rho_max = bound2 * (w.a + w.b) * (w.a + w.b),
        .gamma = params->bound * w.tail,
    };
}

/* As jdp_wishart, but V is reduced by c I, c = bound^2 (a-b)^2 - 4 bound^2 a b (equation 4). */
static lotor_linear_bounds jdp_wishart_shifted(const lotor_linear_params *params)
{
    if (params->degrees == 0.0) {
        return linucb(params);
    }
    const wishart w = wishart_of(params);
    const double bound2 = params->bound * params->bound, product = 4.0 * bound2 * w.a * w.b;
    return (lotor_linear_bounds){
        .shift = product - bound2 * (w.a - w.b) * (w.a - w.b),
        .rho_min = w.a > w.b ? product : 0.0,
        .rho_max = 2.0 * product,
        .gamma = params->bound * sqrt(w.a * w.tail),
    };
}

const lotor_linear_rule lotor_rule_linucb = {
    "linucb",
    "V = G + lambda I; rho_min = rho_max = lambda, gamma = 0",
    .bounds = linucb,
};
const lotor_linear_rule lotor_rule_lints = {
    "lints",
    "V = G + lambda I; shows the largest <t, x>, t a sample of N(theta, sigma^2 V^-1)",
    .bounds = linucb,
    .samples = true,
};
const lotor_linear_rule lotor_rule_jdp_gaussian = {
    "jdp-linucb-gauss",
    "V = G + N + 2Y I, Y = s sqrt(2m) (4 sqrt d + 2 log(2n/alpha)), s the noise's deviation; "
    "rho_min = Y, rho_max = 3Y, gamma = s sqrt(m/Y) (sqrt d + sqrt(2 log(2n/alpha)))",
    .bounds = jdp_gaussian,
};
const lotor_linear_rule lotor_rule_jdp_wishart = {
    "jdp-linucb-wishart",
    "V = G + N, a = sqrt(mk), b = sqrt d + sqrt(2 log(8n/alpha)), L the bound; rho_min = L^2 "
    "(a-b)^2, "
    "rho_max = L^2 (a+b)^2, gamma = L (sqrt d + sqrt(2 log(2n/alpha)))",
    .bounds = jdp_wishart,
};
const lotor_linear_rule lotor_rule_jdp_wishart_shifted = {
    "jdp-linucb-wishart-shifted",
    "V = G + N - (L^2 (a-b)^2 - 4 L^2 ab) I, a = sqrt(mk), b = sqrt d + sqrt(2 log(8n/alpha)), L "
    "the "
    "bound; rho_min = 4 L^2 ab, rho_max = 8 L^2 ab, gamma = L sqrt(a (sqrt d + sqrt(2 "
    "log(2n/alpha))))",
    .bounds = jdp_wishart_shifted,
};
const lotor_linear_rule lotor_rule_jdp_linucb = {
    "jdp-linucb",
    "V = G + N + 2Y I, Y = s sqrt(m) (2 sqrt d + 2 sqrt(log(4n/alpha))), s the noise's deviation; "
    "rho_min = Y, rho_max = 3Y, gamma = s sqrt(m/Y) (sqrt d + sqrt(2 log(4n/alpha)))",
    .bounds = jdp_linucb,
};
const lotor_linear_rule lotor_rule_jdp_batch = {
    "jdp-batch",
    "V = M + cI, M the sum of j releases, c = max(0, max(2Y, lambda) - its least eigenvalue), "
    "Y = s sqrt(j) (2 sqrt d + 2 sqrt(log(8J/alpha))), s the noise's deviation; shows the largest "
    "<theta, x> + k beta |x|_(V^-1) + (cS + R) |V^-1 x|, k^2 = 1 + max(0, lambda + Y - c)/least "
    "eigenvalue of V",
    .bounds = jdp_batch,
    .batched = true,
};
const lotor_linear_rule lotor_rule_jdp_bayes = {
    "jdp-bayes",
    "P = d/S^2 I + sum of G (sigma^2 G + s^2 I)^-1 G, h = sum of G (sigma^2 G + s^2 I)^-1 u over "
    "the batches, G the released matrix, shrunk towards a multiple of I, without negative "
    "eigenvalues, s the deviation of the noise on u - G theta; shows the largest <P^-1 h, x> + "
    "|x|_(P^-1)/2",
    .bounds = jdp_bayes,
    .posterior = true,
};

#define ADDRESS(name) &lotor_rule_##name,
const lotor_linear_rule *const lotor_linear_rules[] = {LOTOR_LINEAR_RULES(ADDRESS) NULL};
#undef ADDRESS
