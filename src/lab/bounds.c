/* bounds.c - see bounds.h.
 *
 * One arm per round (Lai and Robbins 1985). To tell arm a from an arm that beats the best, a policy
 * must show it log T / kl(mean_a, best) times. Each display costs its gap:
 *
 *      regret >= log T  sum over a of  gap_a / kl(mean_a, best)
 *
 * With epsilon-DP, arm a must also be shown log T / (200 epsilon gap_a) times on average (Shariff
 * and Sheffet 2018, Claim 14 and Corollary 15: log T / (100 epsilon gap) with probability one half.
 * Their rewards are -1 or 1, and their proof has room for the factor 2 that [0,1] costs). Both are
 * bounds on the same number of displays. So the larger one counts for each arm, not their sum.
 *
 * Sets of arms with one reward per arm (semi-bandits on a matroid; top-K: Anantharam, Varaiya and
 * Walrand 1987; matroids: Kveton et al. 2014). Let B be the best basis, in decreasing order of
 * means. An arm e outside of B depends on the first j arms of B, for a least j. The j-th of them,
 * k(e), has the smallest mean of all arms that e can replace. To be worth showing, e would need a
 * mean above that of k(e). So again it must be shown log T / kl(mean_e, mean_k) times. Any two
 * bases have a bijection under which each arm that is not in B replaces an arm that it can replace
 * (Brualdi 1969). So each display of e costs at least mean_k - mean_e:
 *
 *      regret >= log T  sum over e of  (mean_k(e) - mean_e) / kl(mean_e, mean_k(e))
 *
 * With epsilon-LDP, a round distinguishes a mean from one that is larger by `gap` by at most
 * min(4, e^(2 epsilon)) (e^epsilon - 1)^2 gap^2 nats (Duchi, Jordan and Wainwright 2013, Theorem
 * 1), for any kind of report. This replaces kl if it is smaller (as in Basu, Dimitrakakis and
 * Tossou 2019; Chen et al. 2020, Theorem 5 and Wang et al. 2022, Theorem 11 have the same with
 * smaller constants).
 *
 * Lists with a click (Kveton et al. 2015, Theorem 4). The best K items all have mean p and the
 * others q. A person looks at an item only if no item before it is clicked. So a display of a bad
 * item costs at least (1-p)^(K-1) (p - q):
 *
 *      regret >= log T  (L - K) (1-p)^(K-1) (p - q) / kl(q, p)
 *
 * Arms that are in no set (loops) cost nothing. Neither do arms whose rival has mean 1, which
 * nothing beats. No private bound for matroids is known (Chandak 2023, chapter 7); the bound above
 * holds for private policies too. Rewards must be independent and 0 or 1: for others nothing is
 * claimed.
 */
#include "lab/bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "choice/oracle.h"
#include "policy/policy.h"

/* A matroid needs about arms x log(rank) calls of the oracle, each with all arms. With more arms
 * than this, it would take too long for one line in a chart. */
enum { MOST_ARMS = 3000 };

static double kl_term(double p, double q)
{
    return p > 0.0 ? p * log(p / q) : 0.0; /* q = 0: infinite */
}

double lotor_kl_bernoulli(double p, double q)
{
    return kl_term(p, q) + kl_term(1.0 - p, 1.0 - q);
}

/* The privacy guarantee for which a bound is known; INFINITY if there is none. */
typedef struct promise {
    double central, local; /* epsilon of either model */
} promise;

static const promise no_promise = {INFINITY, INFINITY};

/* How often (per log T) an arm must be shown, times the cost of showing it. */
static double arm_term(double mean, double rival, promise kept)
{
    const double gap = rival - mean;
    if (!(gap > 0.0) || rival >= 1.0) {
        return 0.0;
    }
    const double steep = expm1(kept.local);
    const double told = fmin(4.0, exp(2.0 * kept.local)) * steep * steep * gap * gap;
    return fmax(gap / fmin(lotor_kl_bernoulli(mean, rival), told), 1.0 / (200.0 * kept.central));
}

/* Any `slots` arms: each other arm competes with the worst of the best. */
static double top_bound(const lotor_world *world, const uint32_t *order, size_t slots, promise kept)
{
    const double rival = world->means[order[slots - 1]];
    double sum = 0.0;
    for (size_t i = slots; i < world->arms; i++) {
        sum += arm_term(world->means[order[i]], rival, kept);
    }
    return sum;
}

/* A list of `slots` items with the same mean, while all other items share another mean. Else
 * NaN. */
static double cascade_bound(const lotor_world *world, const uint32_t *order, size_t slots,
                            promise kept)
{
    const double best = world->means[order[0]];
    const double other = world->means[order[world->arms - 1]];
    for (size_t i = 0; i < world->arms; i++) {
        if (world->means[order[i]] != (i < slots ? best : other)) {
            return NAN;
        }
    }
    return pow(1.0 - best, (double)slots - 1.0) * top_bound(world, order, slots, kept);
}

typedef struct matroid {
    const lotor_oracle *oracle;
    const double *means;
    void *scratch;
    uint32_t *basis; /* by decreasing mean */
    size_t rank;
    uint32_t *order, *picked; /* each has room for all arms */
    promise kept;
} matroid;

/* Whether `arm` depends on the first `count` arms of the basis. The greedy oracle gets these first
 * and then the arm: if the arm is dependent, the oracle does not keep it. */
static bool depends(matroid *on, uint32_t arm, size_t count)
{
    size_t filled = 0;
    memcpy(on->order, on->basis, count * sizeof *on->order);
    filled += count;
    on->order[filled++] = arm;
    for (uint32_t other = 0; other < on->oracle->arms; other++) {
        bool there = other == arm;
        for (size_t i = 0; i < count && !there; i++) {
            there = on->basis[i] == other;
        }
        if (!there) {
            on->order[filled++] = other;
        }
    }
    const size_t kept = on->oracle->pick(on->oracle, on->means, on->order, on->scratch, on->picked);
    for (size_t i = 0; i < kept; i++) {
        if (on->picked[i] == arm) {
            return false;
        }
    }
    return true;
}

/* The place of k(e) in the basis, from 1; 0 for a loop. */
static size_t rival_of(matroid *on, uint32_t arm)
{
    size_t low = 0, high = on->rank; /* the arm certainly depends on the first `high` */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (depends(on, arm, middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return high;
}

static double matroid_bound(matroid *on)
{
    double sum = 0.0;
    for (uint32_t arm = 0; arm < on->oracle->arms; arm++) {
        bool best = false;
        for (size_t i = 0; i < on->rank; i++) {
            best = best || on->basis[i] == arm;
        }
        const size_t place = best ? 0 : rival_of(on, arm);
        if (place > 0) {
            sum += arm_term(on->means[arm], on->means[on->basis[place - 1]], on->kept);
        }
    }
    return sum;
}

/* The local bound holds for any number of arms, the central one for policies that show one arm. */
static promise promise_of(const lotor_policy_params *params)
{
    const lotor_algorithm *algorithm = lotor_catalog_find(params->algorithm);
    const double epsilon = lotor_ratio_to_double(params->epsilon);
    promise kept = no_promise;
    if (!lotor_algorithm_is_private(algorithm)) {
        return kept;
    }
    if (algorithm->model == LOTOR_MODEL_LOCAL) {
        kept.local = epsilon;
    }
    if (params->structure == LOTOR_STRUCTURE_TOP && params->slots == 1) {
        kept.central = epsilon;
    }
    return kept;
}

static const char *theorem_of(const lotor_policy_params *params)
{
    const promise kept = promise_of(params);
    if (isfinite(kept.local) && params->cascade) {
        return "Kveton et al. 2015, Theorem 4; with local privacy Duchi, Jordan and Wainwright "
               "2013, "
               "Theorem 1";
    }
    if (isfinite(kept.local)) {
        return "Lai and Robbins 1985, arm by arm; with local privacy Duchi, Jordan and Wainwright "
               "2013, Theorem 1";
    }
    if (isfinite(kept.central)) {
        return "Lai and Robbins 1985; with privacy Shariff and Sheffet 2018, Corollary 15";
    }
    if (params->cascade) {
        return "Kveton et al. 2015, Theorem 4";
    }
    return params->structure == LOTOR_STRUCTURE_TOP && params->slots == 1
               ? "Lai and Robbins 1985"
               : "Lai and Robbins 1985, arm by arm as in Kveton et al. 2014";
}

static double ordered_bound(const lotor_policy_params *params, const lotor_world *world,
                            const lotor_oracle *oracle, uint32_t *room, void *scratch)
{
    const size_t arms = world->arms;
    uint32_t *order = room;
    lotor_oracle_order(arms, world->means, NULL, order);
    const promise kept = promise_of(params);
    if (params->cascade) {
        return cascade_bound(world, order, params->slots, kept);
    }
    if (params->structure == LOTOR_STRUCTURE_TOP) {
        return top_bound(world, order, params->slots, kept);
    }
    matroid on = {
        .oracle = oracle,
        .means = world->means,
        .scratch = scratch,
        .basis = room + arms,
        .order = room + 2 * arms,
        .picked = room + 3 * arms,
        .kept = kept,
    };
    /* The greedy oracle keeps the order in which it gets the arms. */
    on.rank = oracle->pick(oracle, world->means, order, scratch, on.basis);
    return matroid_bound(&on);
}

/* The proofs need independent rewards of 0 or 1, and an exact greedy oracle. */
static bool is_covered(const lotor_policy_params *params, const lotor_world *world,
                       const lotor_oracle *oracle)
{
    const bool quick = params->structure == LOTOR_STRUCTURE_TOP || world->arms <= MOST_ARMS;
    return world->is_binary && quick && oracle->by_order;
}

lotor_status lotor_lower_bound_of(const lotor_policy_params *params, const lotor_world *world,
                                  lotor_message *why, lotor_lower_bound *out)
{
    *out = (lotor_lower_bound){NAN, NULL};
    lotor_policy_params complete;
    lotor_oracle *oracle;
    lotor_status status = lotor_policy_complete(params, why, &complete, &oracle);
    if (status != LOTOR_OK) {
        return status;
    }
    const size_t rows = complete.structure == LOTOR_STRUCTURE_TOP ? 1 : 4;
    uint32_t *room = calloc(world->arms, rows * sizeof *room);
    void *scratch = malloc(oracle->work_bytes ? oracle->work_bytes : 1);
    if (!room || !scratch) {
        status = lotor_fail(LOTOR_MEMORY, why, "no memory for the lower bound");
    } else if (is_covered(&complete, world, oracle)) {
        out->per_log_t = ordered_bound(&complete, world, oracle, room, scratch);
        out->theorem = isnan(out->per_log_t) ? NULL : theorem_of(&complete);
    }
    free(room);
    free(scratch);
    lotor_oracle_free(oracle);
    lotor_policy_params_free(&complete);
    return status;
}
