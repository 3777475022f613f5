/* bounds.c - see bounds.h; the proofs are in bounds.md.
 *
 * All bounds are found in the same two steps:
 *
 * 1. Each arm that is not in the best set gets a rival value: the mean that would bring it into
 *    the best set. For one arm per round that is the best mean. For a matroid it is the mean of the
 *    arm that it would displace. The difference to its own mean is its gap.
 * 2. The arm must be shown log T / d(mean, rival value) times, where the divergence d depends on
 *    the privacy. Each display costs its gap:
 *
 *      regret >= log T  sum over the arms of  gap / d(mean, rival value)
 *
 * Two kinds of problem need more. A list with clicks is shorter for a person who clicks early, so
 * each term is multiplied by the chance that no other item is clicked. On a path, a display can
 * test several arms at the cost of one: see together().
 *
 * Arms that are in no set (loops) cost nothing. Neither do arms whose rival value is 1 or more,
 * which no mean exceeds. Rewards must be independent and 0 or 1: for others nothing is claimed.
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

/* Sums of means that differ by less than this are equal: the rest is rounding. */
static const double same_value = 1e-9;

/* --- the cost of one arm ------------------------------------------------------------------------ */

/* The kinds of privacy guarantee for which bounds are known. */
typedef enum promise {
    PROMISE_NONE,
    PROMISE_CENTRAL, /* epsilon-DP */
    PROMISE_LOCAL,   /* epsilon-LDP */
    PROMISES
} promise;

/* The kinds of problem, by their proofs. */
typedef enum shape {
    SHAPE_ONE,       /* one arm */
    SHAPE_MATROID,   /* a basis of a matroid, for example any K arms */
    SHAPE_TWO_MEANS, /* a list with clicks; the shown items have one mean, all others another */
    SHAPE_LIST,      /* any other list with clicks */
    SHAPE_PATH,      /* a path */
    SHAPES
} shape;

typedef struct problem {
    shape shape;
    promise promise;
    double epsilon;
    const double *means;
    double *rivals; /* per arm: its rival value; 0: it costs nothing */
    size_t arms;
    size_t slots;  /* the most arms that are shown together */
    double factor; /* multiplies the sum */
} problem;

/* How often (per log T) an arm must be shown, times the cost of showing it. */
static double term(const problem *of, size_t arm)
{
    const double mean = of->means[arm], rival = of->rivals[arm];
    if (of->promise == PROMISE_CENTRAL) {
        return (rival - mean) / lotor_divergence_central(mean, rival, of->epsilon);
    }
    if (of->promise == PROMISE_LOCAL) {
        return (rival - mean) / lotor_divergence_local(mean, rival, of->epsilon);
    }
    return (rival - mean) / lotor_kl_bernoulli(mean, rival);
}

/* The same with what was known before. For one arm per round, privacy needs log T / (200 epsilon
 * gap) displays (Shariff and Sheffet 2018: see bounds.md). Both are bounds on the same number of
 * displays, so the larger one counts, not their sum. */
static double classical_term(const problem *of, size_t arm)
{
    const double mean = of->means[arm], rival = of->rivals[arm];
    double told = lotor_kl_bernoulli(mean, rival);
    if (of->promise == PROMISE_LOCAL) {
        told = fmin(told, lotor_divergence_duchi(mean, rival, of->epsilon));
    }
    const bool needs_more = of->promise != PROMISE_NONE && of->shape == SHAPE_ONE;
    return fmax((rival - mean) / told, needs_more ? 1.0 / (200.0 * of->epsilon) : 0.0);
}

/* The bound from the terms of all arms. On a path, one display can test up to `slots` arms at the
 * largest of their gaps. This gives two bounds: the largest term, and the sum divided by `slots`. */
static double together(const problem *of, double (*one)(const problem *, size_t))
{
    double sum = 0.0, largest = 0.0;
    for (size_t arm = 0; arm < of->arms; arm++) {
        if (of->rivals[arm] > of->means[arm] && of->rivals[arm] < 1.0) {
            const double found = one(of, arm);
            sum += found;
            largest = fmax(largest, found);
        }
    }
    return of->shape == SHAPE_PATH ? fmax(largest, sum / (double)of->slots) : of->factor * sum;
}

/* --- rival values ------------------------------------------------------------------------------- */

/* Any `slots` arms: each other arm competes with the worst of the best. */
static void rivals_in_top(problem *of, const uint32_t *order)
{
    const double rival = of->means[order[of->slots - 1]];
    for (size_t i = of->slots; i < of->arms; i++) {
        of->rivals[order[i]] = rival;
    }
}

/* The chance that a person clicks none of the best items but the last. */
static double unclicked(const problem *of, const uint32_t *order)
{
    double chance = 1.0;
    for (size_t i = 0; i + 1 < of->slots; i++) {
        chance *= 1.0 - of->means[order[i]];
    }
    return chance;
}

/* True if the shown items have one mean, and all others another. */
static bool has_two_means(const problem *of, const uint32_t *order)
{
    for (size_t i = 0; i < of->arms; i++) {
        if (of->means[order[i]] != of->means[i < of->slots ? order[0] : order[of->arms - 1]]) {
            return false;
        }
    }
    return true;
}

typedef struct matroid {
    const lotor_oracle *oracle;
    const double *means;
    void *scratch;
    uint32_t *basis; /* by decreasing mean */
    size_t rank;
    uint32_t *order, *picked; /* each has room for all arms */
} matroid;

/* True if `arm` depends on the first `count` arms of the basis. The greedy oracle gets these first
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

static void rivals_in_matroid(problem *of, matroid *on)
{
    for (uint32_t arm = 0; arm < on->oracle->arms; arm++) {
        bool best = false;
        for (size_t i = 0; i < on->rank; i++) {
            best = best || on->basis[i] == arm;
        }
        const size_t place = best ? 0 : rival_of(on, arm);
        if (place > 0) {
            of->rivals[arm] = on->means[on->basis[place - 1]];
        }
    }
}

/* The best path, or the best path with a given arm, and its value. */
typedef struct path_search {
    const lotor_oracle *oracle;
    const double *means;
    double *weights; /* a copy of the means, one of which is changed */
    uint32_t *order, *picked;
    void *scratch;
    size_t count; /* of picked arms */
} path_search;

static double value_of_best(path_search *on)
{
    const lotor_oracle *oracle = on->oracle;
    lotor_oracle_order(oracle->arms, on->weights, NULL, on->order);
    on->count = oracle->pick(oracle, on->weights, on->order, on->scratch, on->picked);
    return lotor_oracle_value(oracle, on->means, on->picked, on->count, on->scratch);
}

/* Raising an arm by the distance of the best path with it to the best path makes both equal. */
static void rivals_on_path(problem *of, path_search *on)
{
    const double best = value_of_best(on);
    for (size_t i = 0; i < on->count; i++) {
        of->rivals[on->picked[i]] = -1.0; /* in the best path */
    }
    for (uint32_t arm = 0; arm < of->arms; arm++) {
        if (of->rivals[arm] < 0.0) {
            continue;
        }
        on->weights[arm] = INFINITY;
        const double gap = best - value_of_best(on);
        on->weights[arm] = on->means[arm];
        bool there = false; /* else it is on no path */
        for (size_t i = 0; i < on->count; i++) {
            there = there || on->picked[i] == arm;
        }
        if (there && gap > same_value) {
            of->rivals[arm] = on->means[arm] + gap;
        }
    }
}

/* --- sources ------------------------------------------------------------------------------------ */

#define OWN                                                                                        \
    ": Lotor's own proof; Lotor: proofs, section 6 (Regret: what is proved, what is measured)"
#define CENTRAL "Azize, Wu, Honda, Orabona, Ito and Basu 2025, arXiv 2505.05613"
#define LOCAL                                                                                      \
    "kl of randomized bits, Gajane, Urvoy and Kaufmann 2018; for other reports Kairouz, Oh and "   \
    "Viswanath 2014"
#define DISPLACED "; for sets by the displaced arm" OWN
#define LISTS     "; for lists by the displaced item" OWN
#define PATHS     "; for one arm of a path at a time" OWN
#define DUCHI     "with local privacy Duchi, Jordan and Wainwright 2013, Theorem 1"
#define ANY_MEANS "Kveton et al. 2015, Theorem 4; for any means" OWN

static const char *const theorems[SHAPES][PROMISES] = {
    [SHAPE_ONE] = {"Lai and Robbins 1985", CENTRAL, LOCAL},
    [SHAPE_MATROID] = {"Lai and Robbins 1985, arm by arm as in Kveton et al. 2014",
                       CENTRAL DISPLACED, LOCAL DISPLACED},
    [SHAPE_TWO_MEANS] = {"Kveton et al. 2015, Theorem 4", CENTRAL LISTS, LOCAL LISTS},
    [SHAPE_LIST] = {ANY_MEANS, CENTRAL LISTS, LOCAL LISTS},
    [SHAPE_PATH] = {"Lai and Robbins 1985" PATHS, CENTRAL PATHS, LOCAL PATHS},
};

static const char *const classical_theorems[SHAPES][PROMISES] = {
    [SHAPE_ONE] = {"Lai and Robbins 1985",
                   "Lai and Robbins 1985; with privacy Shariff and Sheffet 2018, Corollary 15",
                   "Lai and Robbins 1985, arm by arm; " DUCHI},
    [SHAPE_MATROID] = {"Lai and Robbins 1985, arm by arm as in Kveton et al. 2014",
                       "Lai and Robbins 1985, arm by arm as in Kveton et al. 2014",
                       "Lai and Robbins 1985, arm by arm; " DUCHI},
    [SHAPE_TWO_MEANS] = {"Kveton et al. 2015, Theorem 4", "Kveton et al. 2015, Theorem 4",
                         "Kveton et al. 2015, Theorem 4; " DUCHI},
    [SHAPE_LIST] = {ANY_MEANS, ANY_MEANS, ANY_MEANS "; " DUCHI},
    [SHAPE_PATH] = {"Lai and Robbins 1985" PATHS, "Lai and Robbins 1985" PATHS,
                    "Lai and Robbins 1985" PATHS "; " DUCHI},
};

/* --- one problem -------------------------------------------------------------------------------- */

/* The bounds with privacy are for delta = 0. */
static promise promise_of(const lotor_policy_params *params)
{
    const lotor_algorithm *algorithm = lotor_policy_row(params);
    if (!lotor_algorithm_is_private(algorithm) || lotor_ratio_is_infinite(params->epsilon) ||
        params->delta.num > 0) {
        return PROMISE_NONE;
    }
    if (lotor_algorithm_model(algorithm) == LOTOR_MODEL_LOCAL) {
        return PROMISE_LOCAL;
    }
    return lotor_algorithm_model(algorithm) == LOTOR_MODEL_CENTRAL ? PROMISE_CENTRAL : PROMISE_NONE;
}

static shape shape_of(const lotor_policy_params *params)
{
    if (params->cascade) {
        return SHAPE_LIST;
    }
    if (params->structure == LOTOR_STRUCTURE_PATH) {
        return SHAPE_PATH;
    }
    const bool one = params->structure == LOTOR_STRUCTURE_TOP && params->slots == 1;
    return one ? SHAPE_ONE : SHAPE_MATROID;
}

/* `room` has four rows of one number per arm, or one row for any `slots` arms. `weights` is a copy
 * of the means. */
static void find_rivals(problem *of, const lotor_policy_params *params, const lotor_oracle *oracle,
                        uint32_t *room, double *weights, void *scratch)
{
    if (of->shape == SHAPE_PATH) {
        path_search on = {oracle, of->means, weights, room, room + of->arms, scratch, 0};
        rivals_on_path(of, &on);
        return;
    }
    lotor_oracle_order(of->arms, of->means, NULL, room);
    if (params->structure == LOTOR_STRUCTURE_TOP) {
        rivals_in_top(of, room);
        if (of->shape == SHAPE_LIST) {
            of->factor = unclicked(of, room);
            of->shape = has_two_means(of, room) ? SHAPE_TWO_MEANS : SHAPE_LIST;
        }
        return;
    }
    matroid on = {
        .oracle = oracle,
        .means = of->means,
        .scratch = scratch,
        .basis = room + of->arms,
        .order = room + 2 * of->arms,
        .picked = room + 3 * of->arms,
    };
    /* The greedy oracle keeps the order in which it gets the arms. */
    on.rank = oracle->pick(oracle, of->means, room, scratch, on.basis);
    rivals_in_matroid(of, &on);
}

/* The proofs need independent rewards of 0 or 1, and an exact oracle for a sum of means. */
static bool is_covered(const lotor_policy_params *params, const lotor_world *world,
                       const lotor_oracle *oracle)
{
    const bool quick = params->structure == LOTOR_STRUCTURE_TOP || world->arms <= MOST_ARMS;
    const bool exact = oracle->by_order || params->structure == LOTOR_STRUCTURE_PATH;
    return world->is_binary && quick && exact;
}

static lotor_status find_bounds(const lotor_policy_params *params, const lotor_world *world,
                                const lotor_oracle *oracle, lotor_message *why,
                                lotor_lower_bound *out)
{
    const size_t arms = world->arms;
    const size_t rows = params->structure == LOTOR_STRUCTURE_TOP ? 1 : 4;
    uint32_t *room = calloc(arms, rows * sizeof *room);
    double *values = calloc(arms, 2 * sizeof *values);
    void *scratch = malloc(oracle->work_bytes ? oracle->work_bytes : 1);
    lotor_status status = LOTOR_OK;
    if (!room || !values || !scratch) {
        status = lotor_fail(LOTOR_MEMORY, why, "no memory for the lower bound");
    } else {
        problem of = {
            .shape = shape_of(params),
            .promise = promise_of(params),
            .epsilon = lotor_ratio_to_double(params->epsilon),
            .means = world->means,
            .rivals = values,
            .arms = arms,
            .slots = oracle->slots,
            .factor = 1.0,
        };
        memcpy(values + arms, world->means, arms * sizeof *values);
        find_rivals(&of, params, oracle, room, values + arms, scratch);
        *out = (lotor_lower_bound){
            .per_log_t = together(&of, term),
            .theorem = theorems[of.shape][of.promise],
            .classical = together(&of, classical_term),
            .classical_theorem = classical_theorems[of.shape][of.promise],
        };
    }
    free(room);
    free(values);
    free(scratch);
    return status;
}

lotor_status lotor_lower_bound_of(const lotor_policy_params *params, const lotor_world *world,
                                  lotor_message *why, lotor_lower_bound *out)
{
    *out = (lotor_lower_bound){.per_log_t = NAN, .classical = NAN};
    lotor_policy_params complete;
    lotor_oracle *oracle;
    lotor_status status = lotor_policy_complete(params, why, &complete, &oracle);
    if (status != LOTOR_OK) {
        return status;
    }
    if (is_covered(&complete, world, oracle)) {
        status = find_bounds(&complete, world, oracle, why, out);
    }
    lotor_oracle_free(oracle);
    lotor_policy_params_free(&complete);
    return status;
}
