/* paper_bounds_lower.c - lower bounds on regret: Lotor's (lab/bounds.h), Wang et al. 2022 and Chen
 * et al. 2020. All of them are for large T, and for policies that keep the guarantee: see
 * paper_bounds.md. */
#include <math.h>

#include "base/message.h"
#include "lab/bounds.h"
#include "papers/paper_bounds_rows.h"

#define AS_T_GROWS .range = "as T grows", .is_asymptotic = true, .law = lotor_bound_law_log

/* --- rows ------------------------------------------------------------------------------------ */

/* The name is the one that lab/bounds.h gives. */
static const lotor_paper_bound sharp_row = {
    .formula = "log t times the sum over the arms outside of the best set of gap / d, d the "
               "divergence for the guarantee (d_eps for epsilon-DP); src/lab/bounds.md",
    .conditions = "independent rewards of 0 or 1; a policy that is good in every such world",
    AS_T_GROWS,
};
static const lotor_paper_bound classical_row = {
    .formula = "the same with the divergences that were known before; src/lab/bounds.md",
    .conditions = "independent rewards of 0 or 1; a policy that is good in every such world",
    AS_T_GROWS,
};
static const lotor_paper_bound wang_11_row = {
    .name = "Wang et al. 2022, Theorem 11",
    .formula = "(L - K) p (1 - p)^K log t / (2 min(4, e^(2 epsilon)) (e^epsilon - 1)^2 gap)",
    .conditions = "epsilon-LDP; lists; K items of mean p, all others of mean p - gap",
    .remark = "the proof swaps the arguments of a divergence (docs/errata.md, 22); the theorem is "
              "not touched",
    AS_T_GROWS,
};
static const lotor_paper_bound wang_12_row = {
    .name = "Wang et al. 2022, Theorem 12",
    .constant = LOTOR_PAPER_CONSTANT_OURS,
    .formula = "(L - K) (1 - p)^(K-1) log t max(gap / kl(p - gap, p), 1 / (200 epsilon))",
    .conditions = "epsilon-DP; lists; K items of mean p, all others of mean p - gap",
    .remark =
        "the theorem has Omega; 1/200 is in its proof, kl in Kveton et al. 2015, Theorem 4, "
        "which it cites; two bounds on one number of displays give their maximum, not their sum",
    AS_T_GROWS,
};
static const lotor_paper_bound chen_5_row = {
    .name = "Chen et al. 2020, Theorem 5",
    .formula = "B^2 (m - 1) log t / (64 (e^epsilon - 1)^2 gap), with one arm a round: the sum over "
               "the arms of log t / (64 (e^epsilon - 1)^2 gap)",
    .conditions = "epsilon-LDP; the hardest problem with m arms and B-infinity-smooth rewards; "
                  "gap / B < 0.35",
    AS_T_GROWS,
};
static const lotor_paper_bound chen_6_row = {
    .name = "Chen et al. 2020, Theorem 6",
    .formula =
        "B^2 (m - K) K log t / (64 (e^epsilon - 1)^2 gap), with one arm a round: the sum over "
        "the arms of log t / (64 (e^epsilon - 1)^2 gap)",
    .conditions = "epsilon-LDP; m/K disjoint paths of K arms that pay the same; B = 1 for sums of "
                  "rewards; gap / (B K) < 0.35",
    AS_T_GROWS,
};
static const lotor_paper_bound chen_9_row = {
    .name = "Chen et al. 2020, Theorem 9",
    .constant = LOTOR_PAPER_CONSTANT_NONE,
    .formula = "Omega(B^2 m K log t / gap + B (m + K) log t / epsilon)",
    .conditions = "epsilon-DP; the hardest problem with m >= 2K arms; gap / (B K) < 0.35",
    .remark = "printed with m K in the second part, which the instance does not give "
              "(docs/errata.md, 18)",
    AS_T_GROWS,
};

/* --- reasons --------------------------------------------------------------------------------- */

/* Why the policy as it is played does not keep the pure guarantee that the bounds are about; or
 * NULL. */
static const char *broken_guarantee(const lotor_bound_facts *facts)
{
    if (facts->is_scaled) {
        return "the noise is scaled, so the policy does not keep the guarantee";
    }
    if (!lotor_algorithm_is_private(facts->algorithm)) {
        return "the algorithm does not keep the guarantee that it claims (docs/errata.md)";
    }
    return facts->delta > 0.0 ? "the guarantee has a delta above 0" : NULL;
}

static const char *not_binary(const lotor_bound_facts *facts)
{
    return facts->trial->world->is_binary ? NULL : "rewards are not independent coins";
}

/* --- Lotor's own ----------------------------------------------------------------------------- */

static lotor_status no_memory(lotor_message *why)
{
    return lotor_fail(LOTOR_MEMORY, why, "no memory for the bounds of the papers");
}

/* Adds `per_log` log t. */
static lotor_status add_log(lotor_paper_bounds *list, const lotor_paper_bound *row, double per_log,
                            lotor_message *why)
{
    double *numbers = lotor_paper_bounds_add(list, row, 2);
    if (!numbers) {
        return no_memory(why);
    }
    numbers[0] = per_log;
    return LOTOR_OK;
}

/* With scaled noise nothing is private, so the bound is the one without privacy. */
static lotor_status add_sharp(lotor_paper_bounds *list, const lotor_bound_facts *facts,
                              lotor_message *why)
{
    lotor_policy_params claimed = facts->trial->policy;
    if (facts->is_scaled) {
        claimed.epsilon = lotor_ratio_of(1, 0);
    }
    lotor_lower_bound lower;
    lotor_status status = lotor_lower_bound_of(&claimed, facts->trial->world, why, &lower);
    if (status != LOTOR_OK || !isfinite(lower.per_log_t)) {
        return status;
    }
    lotor_paper_bound row = sharp_row;
    row.name = lower.theorem;
    status = add_log(list, &row, lower.per_log_t, why);
    /* Where privacy costs nothing, the two differ by rounding. */
    if (status == LOTOR_OK && lower.classical < 0.9999 * lower.per_log_t) {
        row = classical_row;
        row.name = lower.classical_theorem;
        status = add_log(list, &row, lower.classical, why);
    }
    return status;
}

/* --- Wang et al. 2022: lists ----------------------------------------------------------------- */

static const char *not_two_means(const lotor_bound_facts *facts)
{
    const double *sorted = facts->sorted;
    const size_t arms = facts->arms, slots = facts->slots;
    if (slots >= arms || sorted[0] != sorted[slots - 1] || sorted[slots] != sorted[arms - 1] ||
        !lotor_bound_has_unique_best(facts)) {
        return "the items do not have two means, one for the best list and one for the rest";
    }
    return sorted[0] < 1.0 && sorted[arms - 1] > 0.0 ? NULL : "a mean is 0 or 1";
}

static lotor_status add_wang(lotor_paper_bounds *list, const lotor_bound_facts *facts,
                             bool is_local, lotor_message *why)
{
    const char *others = not_two_means(facts);
    const double p = facts->sorted[0], low = facts->sorted[facts->arms - 1];
    const double gap = p - low, epsilon = facts->claimed;
    const double items = (double)facts->arms - (double)facts->slots, slots = (double)facts->slots;
    double per_log = NAN;
    if (!others && is_local) {
        const double grown = expm1(epsilon);
        per_log = items * p * pow(1.0 - p, slots) /
                  (2.0 * fmin(4.0, exp(2.0 * epsilon)) * grown * grown * gap);
    } else if (!others) {
        per_log = items * pow(1.0 - p, slots - 1.0) *
                  fmax(gap / lotor_kl_bernoulli(low, p), 1.0 / (200.0 * epsilon));
    }
    const lotor_status status = add_log(list, is_local ? &wang_11_row : &wang_12_row, per_log, why);
    if (status == LOTOR_OK && others) {
        lotor_paper_bound_empty(lotor_paper_bounds_last(list), others);
    } else if (status == LOTOR_OK) {
        lotor_paper_bound_refuse(lotor_paper_bounds_last(list), broken_guarantee(facts));
    }
    return status;
}

/* --- Chen et al. 2020: sets ------------------------------------------------------------------ */

/* One arm a round: the sum over all arms with a gap of 1/gap. The theorems have one gap for all
 * arms; the paper replaces it by each arm's own. */
static double sum_per_gap(const lotor_bound_facts *facts)
{
    double sum = 0.0;
    for (size_t arm = 1; arm < facts->arms; arm++) {
        const double gap = facts->sorted[0] - facts->sorted[arm];
        sum += gap > 0.0 ? 1.0 / gap : 0.0;
    }
    return sum;
}

/* Why Theorems 5 and 6 are not about this world; or NULL. For one arm a round they are. */
static const char *not_hardest(const lotor_bound_facts *facts)
{
    if (facts->slots > 1) {
        return "it is about the paper's hardest problem of this size, and this world is another "
               "one";
    }
    if (!(facts->sorted[0] < 1.0)) {
        return "a mean is 1";
    }
    return facts->sorted[0] - facts->sorted[facts->arms - 1] < 0.35 ? NULL
                                                                    : "a gap is 0.35 or more";
}

static lotor_status add_chen_local(lotor_paper_bounds *list, const lotor_bound_facts *facts,
                                   const lotor_paper_bound *row, lotor_message *why)
{
    const double gap = facts->is_top ? lotor_bound_least_gap(facts) : 0.0;
    const double m = (double)facts->arms, K = (double)facts->slots;
    const double grown = expm1(facts->claimed);
    /* Sums of rewards: B_1 = 1, and B_infinity = K by the paper's Fact 1. */
    const double sets = row == &chen_5_row ? K * K * (m - 1.0) : (m - K) * K;
    const double per_gap = K > 1.0 ? sets / gap : sum_per_gap(facts);
    const lotor_status status = add_log(list, row, per_gap / (64.0 * grown * grown), why);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_paper_bound *last = lotor_paper_bounds_last(list);
    if (!(gap > 0.0)) {
        lotor_paper_bound_empty(last, facts->is_top
                                          ? "all sets are equally good"
                                          : "the gap is computed for sets of any K arms only");
        return LOTOR_OK;
    }
    lotor_paper_bound_refuse(last, broken_guarantee(facts));
    lotor_paper_bound_refuse(last, not_binary(facts));
    lotor_paper_bound_refuse(last, not_hardest(facts));
    return LOTOR_OK;
}

static lotor_status add_chen_central(lotor_paper_bounds *list, lotor_message *why)
{
    const lotor_status status = add_log(list, &chen_9_row, 0.0, why);
    if (status == LOTOR_OK) {
        lotor_paper_bound_empty(lotor_paper_bounds_last(list),
                                "the paper has Omega, without a constant");
    }
    return status;
}

lotor_status lotor_paper_bounds_add_lower(lotor_paper_bounds *list, const lotor_bound_facts *facts,
                                          lotor_message *why)
{
    const lotor_model model = lotor_algorithm_model(facts->algorithm);
    const bool is_local = model == LOTOR_MODEL_LOCAL;
    lotor_status status = add_sharp(list, facts, why);
    if (status != LOTOR_OK || isinf(facts->claimed) ||
        (!is_local && model != LOTOR_MODEL_CENTRAL)) {
        return status;
    }
    if (facts->is_list) {
        return add_wang(list, facts, is_local, why);
    }
    if (!is_local) {
        const bool is_one = facts->is_top && facts->slots == 1; /* Theorem 9 is about sets */
        return is_one ? LOTOR_OK : add_chen_central(list, why);
    }
    status = add_chen_local(list, facts, &chen_5_row, why);
    return status == LOTOR_OK ? add_chen_local(list, facts, &chen_6_row, why) : status;
}
