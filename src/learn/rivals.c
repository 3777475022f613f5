/* rivals.c - index rules of other papers that are a function of an arm's sum and count: the
 * baselines without noise, and the private algorithms that users compare with. EXP3 is here, too: its
 * probabilities are computed in index.c.
 *
 * Each rule names its paper. rivals.md says where its formula was read (in the paper, in the authors'
 * program, in summaries by others, or in textbooks), and has the formulas that are not obvious.
 * Every index is for rewards in [0,1]; log t is rounded down to a multiple of 0.02 (lotor_kl_log), so
 * that an index is computed again only if something changed.
 */
#include <assert.h>
#include <math.h>

#include "learn/bounds_kl.h"
#include "learn/index.h"

/* An infinite divergence counts as this. */
static const double most = 1e100;

static double moved_into_range(double mean)
{
    return fmin(1.0, fmax(0.0, mean));
}

/* --- no noise --------------------------------------------------------------------------------- */

/* Garivier and Cappe 2011, Algorithm 1, with c = 0, as the authors recommend: the largest v with
 * n kl(mean, v) <= log t. */
static double klucb(const lotor_rule_params *params, const lotor_index_sums *arm, double log_t)
{
    (void)params;
    return lotor_kl_bit_bound(fmin(arm->n, fmax(0.0, arm->sum)), arm->n, log_t);
}

/* Audibert and Bubeck 2009: mean + sqrt(max(0, log(T / (K n))) / n). */
static double moss(const lotor_rule_params *params, const lotor_index_sums *arm, double log_t)
{
    (void)log_t;
    const double rest = log(params->horizon / (params->arms * arm->n));
    return arm->sum / arm->n + sqrt(fmax(0.0, rest) / arm->n);
}

/* Minus the index of Honda and Takemura 2015, n d + log n: IMED shows the arm with the least. */
static double minus_imed(const lotor_index_sums *arm, double divergence)
{
    return -fmin(most, arm->n * divergence + log(arm->n));
}

static double imed(const lotor_rule_params *params, const lotor_index_sums *arm, double log_t)
{
    (void)params;
    (void)log_t;
    const double mean = moved_into_range(arm->sum / arm->n);
    return minus_imed(arm, mean < arm->best ? lotor_kl_divergence(mean, arm->best) : 0.0);
}

/* Auer, Cesa-Bianchi, Freund and Schapire 2002, Corollary 3.2, for the largest possible total reward
 * T: gamma = min(1, sqrt(K log K / ((e-1) T))). */
static double exp3(const lotor_rule_params *params)
{
    return fmin(1.0, sqrt(params->arms * log(params->arms) / (expm1(1.0) * params->horizon)));
}

/* --- central privacy -------------------------------------------------------------------------- */

/* d_eps(x, y) = min over z of epsilon |z - x| + kl(z, y), for x < y in [0,1]. The slope in z is
 * epsilon + logit z - logit y. If it is above 0 at x, the minimum is kl(x, y). If it is not, then
 * logit x <= logit y - epsilon, and the minimum is -epsilon x - log(1 - y + y e^-epsilon). */
static double private_divergence(double x, double y, double epsilon)
{
    assert(x >= 0.0 && x < y && y <= 1.0);
    const double shrink = exp(-epsilon);
    const bool is_far = x * (1.0 - y) <= y * shrink * (1.0 - x) && isfinite(epsilon);
    return is_far ? -epsilon * x - log1p(y * expm1(-epsilon)) : lotor_kl_divergence(x, y);
}

/* DP-IMED of Azize et al. 2025, read in summaries of the paper: n d_eps(mean, best mean) + log n, on
 * all batches added up. */
static double dp_imed(const lotor_rule_params *params, const lotor_index_sums *arm, double log_t)
{
    (void)log_t;
    const double mean = moved_into_range(arm->sum / arm->n);
    return minus_imed(arm, mean < arm->best ? private_divergence(mean, arm->best, params->epsilon)
                                            : 0.0);
}

/* DP-KLUCB of Azize et al. 2025, read in summaries of the paper: the largest y in [0,1] with
 * n d_eps(mean, y) <= log t, on all batches added up. d_eps grows with y. At the y where it changes
 * from kl to the other form, it is turn =
 * log(x + (1-x) e^-epsilon) + (1-x) epsilon. */
static double dp_klucb(const lotor_rule_params *params, const lotor_index_sums *arm, double log_t)
{
    const double x = moved_into_range(arm->sum / arm->n), epsilon = params->epsilon;
    const double level = log_t / arm->n;
    if (!(x < 1.0)) {
        return 1.0;
    }
    const double turn = log(x + (1.0 - x) * exp(-epsilon)) + (1.0 - x) * epsilon;
    if (isinf(epsilon) || level <= turn) {
        return lotor_kl_bit_bound(x * arm->n, arm->n, log_t);
    }
    return fmin(1.0, expm1(-level - epsilon * x) / expm1(-epsilon));
}

/* Azize and Basu 2022, equation 7, AdaP-KLUCB with alpha = 3.1 as in their experiments: the largest
 * y in [0,1] with n kl(x, y) <= alpha log t, where x = mean + alpha log t / (epsilon n), moved into
 * [0,1], on the latest episode alone. */
static double adap_klucb(const lotor_rule_params *params, const lotor_index_sums *arm, double log_t)
{
    const double sure = 3.1 * log_t;
    const double raised = arm->sum + sure / params->epsilon;
    return lotor_kl_bit_bound(fmin(arm->n, fmax(0.0, raised)), arm->n, sure);
}

/* --- local privacy ---------------------------------------------------------------------------- */

/* Ren, Zhou, Liu and Shroff 2020, LDP-UCB-L, with the constants of the authors' program: mean +
 * sqrt(2 log t / n) + sqrt(32 log t / n) / epsilon. An arm with n <= 4 log t is shown first. */
static double ldp_ucb_l(const lotor_rule_params *params, const lotor_index_sums *arm, double log_t)
{
    if (arm->n <= 4.0 * log_t) {
        return INFINITY;
    }
    return arm->sum / arm->n + sqrt(2.0 * log_t / arm->n) +
           sqrt(32.0 * log_t / arm->n) / params->epsilon;
}

/* The same paper, LDP-UCB-B: UCB on the bits, mean of the bits + sqrt(2 log t / n). The index is
 * mapped back to rewards, which does not change the order. */
static double ldp_ucb_b(const lotor_rule_params *params, const lotor_index_sums *arm, double log_t)
{
    const double bits = arm->sum / arm->n + sqrt(2.0 * log_t / arm->n);
    const double lie = 1.0 / (1.0 + exp(params->epsilon)), gain = tanh(0.5 * params->epsilon);
    return (bits - lie) / gain;
}

const lotor_index_rule lotor_rule_klucb = {
    .id = "klucb",
    .formula = "largest v with n kl(mean, v) <= log t",
    .sampling = LOTOR_SAMPLING_OWN,
    .own = klucb,
};
const lotor_index_rule lotor_rule_imed = {
    .id = "imed",
    .formula = "shows the least n kl(mean, largest mean) + log n",
    .sampling = LOTOR_SAMPLING_OWN,
    .own = imed,
    .compares = true,
};
const lotor_index_rule lotor_rule_moss = {
    .id = "moss",
    .formula = "mean + sqrt(max(0, log(T / (Kn))) / n)",
    .sampling = LOTOR_SAMPLING_OWN,
    .own = moss,
};
const lotor_index_rule lotor_rule_exp3 = {
    .id = "exp3",
    .formula =
        "draws arm i with probability (1-g) w_i / (sum of all w) + g/K, w_i = exp(g S_i / K), S_i "
        "the sum of reward/probability, g = min(1, sqrt(K log K / ((e-1) T)))",
    .sampling = LOTOR_SAMPLING_CHANCES,
    .mixing = exp3,
};
const lotor_index_rule lotor_rule_dp_klucb = {
    .id = "dp-klucb",
    .formula = "largest v with n d(x, v) <= log t, d(x, v) = min over z of epsilon |z-x| + "
               "kl(z, v), x the mean of all batches, moved into [0,1]",
    .sampling = LOTOR_SAMPLING_OWN,
    .own = dp_klucb,
    .reading = LOTOR_READING_ADDED,
};
const lotor_index_rule lotor_rule_dp_imed = {
    .id = "dp-imed",
    .formula = "shows the least n d(x, largest x) + log n, d(x, v) = min over z of epsilon |z-x| + "
               "kl(z, v), x the mean of all batches, moved into [0,1]",
    .sampling = LOTOR_SAMPLING_OWN,
    .own = dp_imed,
    .reading = LOTOR_READING_ADDED,
    .compares = true,
};
const lotor_index_rule lotor_rule_adap_klucb = {
    .id = "adap-klucb",
    .formula = "largest v with n kl(x, v) <= 3.1 log t, x = mean + 3.1 log t / (epsilon n), moved "
               "into [0,1]",
    .sampling = LOTOR_SAMPLING_OWN,
    .own = adap_klucb,
};
const lotor_index_rule lotor_rule_ldp_ucb_l = {
    .id = "ldp-ucb-l",
    .formula = "mean + sqrt(2 log t / n) + sqrt(32 log t / n) / epsilon; infinite while n <= 4 "
               "log t",
    .sampling = LOTOR_SAMPLING_OWN,
    .own = ldp_ucb_l,
};
const lotor_index_rule lotor_rule_ldp_ucb_b = {
    .id = "ldp-ucb-b",
    .formula = "(v-(1-p))/(2p-1), v = mean of the bits + sqrt(2 log t / n), "
               "p = e^epsilon/(1+e^epsilon)",
    .sampling = LOTOR_SAMPLING_OWN,
    .own = ldp_ucb_b,
    .reading = LOTOR_READING_BITS,
};
