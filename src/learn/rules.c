/* rules.c - the index rules: pure functions of t and of public parameters. index.h describes their
 * form. Each rule names the paper and the algorithm that it is from. rules.md says with which
 * probability the bounds of our own rules hold. Logarithms are natural. */
#include <assert.h>
#include <math.h>

#include "learn/index.h"

/* Sajed 2019, Algorithm 1, and OMM of Kveton et al. 2014 (Chandak 2023): sqrt(2 log t / n). */
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

/* Chandak 2023, Algorithm 2: sqrt(3 log(Kt) / n) + 3 log(Kt) / (epsilon0 n), epsilon0 =
 * epsilon/K. */
static lotor_widths dpucb_mat(const lotor_rule_params *params, double t)
{
    const double log_kt = log(params->slots * t);
    return (lotor_widths){sqrt(3.0 * log_kt), 3.0 * log_kt * params->slots / params->epsilon};
}

/* Azize and Basu 2022, AdaP-UCB: sqrt(a log t / (2n)) + a log t / (epsilon n), where n is the
 * number of displays in the latest episode. a must be above 3: each part fails with probability
 * t^-a (privacy/release/episodes.md). */
static lotor_widths adap_ucb(const lotor_rule_params *params, double t)
{
    const double sure = 3.1 * log(t);
    return (lotor_widths){sqrt(0.5 * sure), sure / params->epsilon};
}

/* Chandak 2023, Algorithm 5: N(mean + 3 log(Kt) / (epsilon0 n), 1/n). */
static lotor_widths dpts_mat(const lotor_rule_params *params, double t)
{
    return (lotor_widths){0.0, dpucb_mat(params, t).linear};
}

/* Lazy-DP-TS of Hu and Hegde 2022, read in summaries of the paper: Beta(1 + s, 1 + n - s), s = sum +
 * 3 log t / epsilon, moved into [0, n], where n is the size of the latest batch. */
static lotor_widths lazy_dp_ts(const lotor_rule_params *params, double t)
{
    return (lotor_widths){0.0, 3.0 * log(t) / params->epsilon};
}

/* For rules that need no widths. */
static lotor_widths nothing(const lotor_rule_params *params, double t)
{
    (void)params;
    (void)t;
    return (lotor_widths){0.0, 0.0};
}

/* Chen et al. 2013, and CascadeUCB1 of Kveton et al. 2015: sqrt(3 log t / (2n)). */
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

/* Chen et al. 2020, Algorithm 1: sqrt(K) times the width of Algorithm 2, as printed. The noise of
 * Algorithm 1 grows with K, so this width is too narrow (docs/errata.md). */
static lotor_widths cucb_ldp1(const lotor_rule_params *params, double t)
{
    return (lotor_widths){sqrt(params->slots) * cucb_ldp2(params, t).root, 0.0};
}

/* Chen et al. 2020, end of section 3.2: sqrt(4 log(mT) / n) + 12 log^3 T / (n epsilon). */
static lotor_widths cucb_dp2(const lotor_rule_params *params, double t)
{
    (void)t;
    const double log_horizon = params->log_horizon;
    return (lotor_widths){sqrt(4.0 * (log(params->arms) + log_horizon)),
                          12.0 * log_horizon * log_horizon * log_horizon / params->epsilon};
}

/* Chen et al. 2020, Algorithm 3: as above, with a factor K in the second term. */
static lotor_widths cucb_dp(const lotor_rule_params *params, double t)
{
    const lotor_widths widths = cucb_dp2(params, t);
    return (lotor_widths){widths.root, params->slots * widths.linear};
}

/* Wang et al. 2022: the sigma of their Gaussian noise, sqrt(2 K log(1.25/delta)) / epsilon. */
static double gaussian_sigma(const lotor_rule_params *params)
{
    return sqrt(2.0 * params->slots * log(1.25 / params->delta)) / params->epsilon;
}

/* Wang et al. 2022, Algorithm 4:
 * sqrt(3 log t / (2n)) + (2/epsilon) sqrt(2 K log(1.25/delta) log t / n). */
static lotor_widths cucb_ldp_gauss(const lotor_rule_params *params, double t)
{
    return (lotor_widths){sampling_root(t) + 2.0 * gaussian_sigma(params) * sqrt(log(t)), 0.0};
}

/* Wang et al. 2022, Algorithm 1, with c1 = 1:
 * sqrt(1.5 log t / n) + 3 L log^1.5(T) log t / (epsilon n). */
static lotor_widths cascade_dp(const lotor_rule_params *params, double t)
{
    const double log_t = log(t), log_horizon = params->log_horizon;
    return (lotor_widths){sqrt(1.5 * log_t), 3.0 * params->arms * log_horizon * sqrt(log_horizon) *
                                                 log_t / params->epsilon};
}

/* Wang et al. 2022, Algorithm 2: sqrt(1.5 log t / n) + (K/epsilon) sqrt(24 log t / n). */
static lotor_widths cascade_ldp_laplace(const lotor_rule_params *params, double t)
{
    return (lotor_widths){sampling_root(t) + params->slots / params->epsilon * sqrt(24.0 * log(t)),
                          0.0};
}

/* Wang et al. 2022, Algorithm 3: sqrt(1.5 log t / n) + sigma sqrt(2 log(2 t^3) / n). */
static lotor_widths cascade_ldp_gauss(const lotor_rule_params *params, double t)
{
    const double log_cube = log(2.0) + 3.0 * log(t);
    return (lotor_widths){sampling_root(t) + gaussian_sigma(params) * sqrt(2.0 * log_cube), 0.0};
}

/* Wang et al. 2022, Theorem 8:
 * (4/epsilon) sqrt(6 K log(e + epsilon/delta) log t / n) + sqrt(1.5 log t / n). */
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

/* Our own rule: sqrt(2 log t / n), plus the lift below for the noise of the tree. */
static lotor_widths dp_ucb_tight(const lotor_rule_params *params, double t)
{
    return ucb(params, t);
}

/* b min over 0 < theta < 1 of (q - j log(1 - theta^2)) / theta, with b = levels/epsilon and q =
 * log(2KT/beta). A sum of j draws of Laplace noise of scale b exceeds it with probability at most
 * e^-q (Chernoff). So beta covers the noise of all arms and rounds. It does not cover the rewards:
 * sqrt(2 log t / n) fails with probability t^-3 in round t (rules.md). With u = 1 - theta^2, the minimum is where 2 (1-u)/u + log u = q/j. The left side
 * falls in u, and the minimum is 2 j theta / u. */
static double dp_ucb_tight_lift(const lotor_rule_params *params, unsigned digits)
{
    assert(digits >= 1 && digits <= 64);
    const double levels = floor(log2(params->horizon)) + 1.0;
    const double q = log(2.0 * params->arms * params->horizon / params->beta);
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 100; i++) {
        const double u = 0.5 * (low + high);
        *(2.0 * (1.0 - u) / u + log(u) > q / digits ? &low : &high) = u;
    }
    return levels / params->epsilon * 2.0 * digits * sqrt(1.0 - high) / high;
}

/* Our own rule, for reports on the cube: B sqrt(1.5 log t / n). */
static lotor_widths cucb_ldp_box(const lotor_rule_params *params, double t)
{
    return (lotor_widths){params->spread * sampling_root(t), 0.0};
}

/* Our own rule. c clicks and o observations are from the latest batch, in one release. The index is
 * (c + x + sqrt(1.5 log t (o + x))) / o. Here x covers the noises of c and of o together (rules.md):
 * x = 3 (K+1) log t / epsilon, or 3 log t / epsilon if K = 1. */
static lotor_widths cascade_dp_lazy(const lotor_rule_params *params, double t)
{
    const double moved = params->slots > 1.0 ? params->slots + 1.0 : 1.0;
    return (lotor_widths){sampling_root(t), 3.0 * moved * log(t) / params->epsilon};
}

static double cascade_dp_lazy_weigh(lotor_widths widths, const lotor_board *board, size_t arm)
{
    const lotor_fact *clicked = lotor_board_at(board, 0, arm);
    const lotor_fact *observed = lotor_board_at(board, 1, arm);
    const double o = observed->value, x = widths.linear;
    return observed->time == clicked->time && o > 0.0
               ? (clicked->value + x + widths.root * sqrt(o + x)) / o
               : INFINITY;
}

/* Our own rule. c and o are sums of estimates over D displays: (c + sqrt(1.5 D log t) / (p-q)) /
 * o. */
static lotor_widths cascade_ldp_rr(const lotor_rule_params *params, double t)
{
    return (lotor_widths){params->spread * sampling_root(t), 0.0};
}

static double cascade_ldp_rr_weigh(lotor_widths widths, const lotor_board *board, size_t arm)
{
    const lotor_fact *clicked = lotor_board_at(board, 0, arm);
    const lotor_fact *observed = lotor_board_at(board, 1, arm);
    return observed->time == clicked->time && observed->value > 0.0
               ? (clicked->value + widths.root * sqrt((double)clicked->count)) / observed->value
               : INFINITY;
}

const lotor_index_rule lotor_rule_ucb = {
    .id = "ucb",
    .formula = "mean + sqrt(2 log t / n)",
    .sampling = LOTOR_SAMPLING_NONE,
    .widths = ucb,
};
const lotor_index_rule lotor_rule_dp_ucb = {
    .id = "dp-ucb",
    .formula = "mean + sqrt(2 log t / n) + G/n, G = log^2 T log(K T log T / beta) / epsilon",
    .uses_beta = true,
    .sampling = LOTOR_SAMPLING_NONE,
    .widths = dp_ucb,
};
const lotor_index_rule lotor_rule_dpucb_mat = {
    .id = "dpucb-mat",
    .formula = "mean + sqrt(3 log(Kt) / n) + 3 K log(Kt) / (epsilon n)",
    .sampling = LOTOR_SAMPLING_NONE,
    .widths = dpucb_mat,
};
const lotor_index_rule lotor_rule_adap_ucb = {
    .id = "adap-ucb",
    .formula = "mean + sqrt(3.1 log t / (2n)) + 3.1 log t / (epsilon n)",
    .sampling = LOTOR_SAMPLING_NONE,
    .widths = adap_ucb,
};
const lotor_index_rule lotor_rule_dpts_mat = {
    .id = "dpts-mat",
    .formula = "N(mean + 3 K log(Kt) / (epsilon n), 1/n)",
    .sampling = LOTOR_SAMPLING_GAUSSIAN,
    .widths = dpts_mat,
};
const lotor_index_rule lotor_rule_lazy_dp_ts = {
    .id = "lazy-dp-ts",
    .formula = "Beta(1 + s, 1 + n - s), s = sum + 3 log t / epsilon, moved into [0, n], of the "
               "latest batch",
    .sampling = LOTOR_SAMPLING_BETA_RAISED,
    .widths = lazy_dp_ts,
};
const lotor_index_rule lotor_rule_cts = {
    .id = "cts",
    .formula = "N(mean, 1/n)",
    .sampling = LOTOR_SAMPLING_GAUSSIAN,
    .widths = nothing,
};
const lotor_index_rule lotor_rule_cts_beta = {
    .id = "cts-beta",
    .formula = "Beta(1 + s, 1 + n - s)",
    .sampling = LOTOR_SAMPLING_BETA,
    .widths = nothing,
};
const lotor_index_rule lotor_rule_cucb = {
    .id = "cucb",
    .formula = "mean + sqrt(3 log t / (2n))",
    .sampling = LOTOR_SAMPLING_NONE,
    .widths = cucb,
};
const lotor_index_rule lotor_rule_cucb_ldp1 = {
    .id = "cucb-ldp1",
    .formula = "mean + 4 sqrt(2 K log T / (epsilon^2 n))",
    .sampling = LOTOR_SAMPLING_NONE,
    .widths = cucb_ldp1,
};
const lotor_index_rule lotor_rule_cucb_ldp2 = {
    .id = "cucb-ldp2",
    .formula = "mean + 4 sqrt(2 log T / (epsilon^2 n))",
    .sampling = LOTOR_SAMPLING_NONE,
    .widths = cucb_ldp2,
};
const lotor_index_rule lotor_rule_cucb_dp = {
    .id = "cucb-dp",
    .formula = "mean + sqrt(4 log(mT) / n) + 12 K log^3 T / (epsilon n)",
    .sampling = LOTOR_SAMPLING_NONE,
    .widths = cucb_dp,
};
const lotor_index_rule lotor_rule_cucb_dp2 = {
    .id = "cucb-dp2",
    .formula = "mean + sqrt(4 log(mT) / n) + 12 log^3 T / (epsilon n)",
    .sampling = LOTOR_SAMPLING_NONE,
    .widths = cucb_dp2,
};
const lotor_index_rule lotor_rule_cucb_ldp_gauss = {
    .id = "cucb-ldp-gauss",
    .formula = "mean + sqrt(3 log t / (2n)) + (2/epsilon) sqrt(2 K log(1.25/delta) log t / n)",
    .sampling = LOTOR_SAMPLING_NONE,
    .widths = cucb_ldp_gauss,
};
const lotor_index_rule lotor_rule_cascade_dp = {
    .id = "cascade-dp",
    .formula = "mean + sqrt(1.5 log t / n) + 3 L log^1.5 T log t / (epsilon n)",
    .sampling = LOTOR_SAMPLING_NONE,
    .widths = cascade_dp,
};
const lotor_index_rule lotor_rule_cascade_ldp_laplace = {
    .id = "cascade-ldp-laplace",
    .formula = "mean + sqrt(1.5 log t / n) + (K/epsilon) sqrt(24 log t / n)",
    .sampling = LOTOR_SAMPLING_NONE,
    .widths = cascade_ldp_laplace,
};
const lotor_index_rule lotor_rule_cascade_ldp_gauss = {
    .id = "cascade-ldp-gauss",
    .formula = "mean + sqrt(1.5 log t / n) + sigma sqrt(2 log(2 t^3) / n), "
               "sigma = sqrt(2 K log(1.25/delta)) / epsilon",
    .sampling = LOTOR_SAMPLING_NONE,
    .widths = cascade_ldp_gauss,
};
const lotor_index_rule lotor_rule_cascade_ldp_composed = {
    .id = "cascade-ldp-composed",
    .formula =
        "mean + sqrt(1.5 log t / n) + (4/epsilon) sqrt(6 K log(e + epsilon/delta) log t / n)",
    .sampling = LOTOR_SAMPLING_NONE,
    .widths = cascade_ldp_composed,
};
const lotor_index_rule lotor_rule_dp_ucb_tight = {
    .id = "dp-ucb-tight",
    .formula =
        "mean + sqrt(2 log t / n) + G/n, G = b min over 0<h<1 of (log(2KT/beta) - j log(1-h^2))/h, "
        "b = levels/epsilon, j = binary digits set in n",
    .uses_beta = true,
    .widths = dp_ucb_tight,
    .lift = dp_ucb_tight_lift,
};
const lotor_index_rule lotor_rule_cucb_ldp_box = {
    .id = "cucb-ldp-box",
    .formula = "mean + B sqrt(1.5 log t / n)",
    .widths = cucb_ldp_box,
};
const lotor_index_rule lotor_rule_cascade_dp_lazy = {
    .id = "cascade-dp-lazy",
    .formula = "(c + x + sqrt(1.5 log t (o + x))) / o, x = 3 (K+1) log t / epsilon",
    .widths = cascade_dp_lazy,
    .weigh = cascade_dp_lazy_weigh,
};
const lotor_index_rule lotor_rule_cascade_ldp_rr = {
    .id = "cascade-ldp-rr",
    .formula = "(c + sqrt(1.5 D log t) / (p-q)) / o",
    .widths = cascade_ldp_rr,
    .weigh = cascade_ldp_rr_weigh,
};
const lotor_index_rule lotor_rule_batch_klucb = {
    .id = "batch-klucb",
    .formula = "largest m with sup over 0 < h < epsilon of -hS - n log(1-m+m e^-h) + "
               "j log(1-h^2/epsilon^2) <= log t + 3 log log t, over the last j batches (n rounds, "
               "sum S)",
    .sampling = LOTOR_SAMPLING_KL_BATCHES,
};
const lotor_index_rule lotor_rule_rr_klucb = {
    .id = "rr-klucb",
    .formula = "(v-(1-p))/(2p-1), v largest with n kl(mean, v) <= log t + 3 log log t, "
               "p = e^epsilon/(1+e^epsilon)",
    .sampling = LOTOR_SAMPLING_KL_BITS,
};

#define ADDRESS(name) &lotor_rule_##name,
const lotor_index_rule *const lotor_index_rules[] = {LOTOR_INDEX_RULES(ADDRESS) NULL};
#undef ADDRESS
