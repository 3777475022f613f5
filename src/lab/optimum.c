/* optimum.c - computes the reference for regret: see lotor_reference in simulate.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "lab/simulate.h"
#include "policy/policy.h"

/* At most this many sets of vertices are searched for the best one; that takes a few seconds. */
static const double most_sets = 20000.0;

typedef struct search {
    const lotor_policy_params *params;
    const lotor_oracle *oracle;
    const double *means;
    const bool *eligible; /* NULL: all arms */
    double *masked;       /* room for a number per arm, with `eligible` */
    uint32_t *picked;
    void *work; /* begins with the picked vertices, oracle->seeds numbers */
} search;

/* Picks the set that the oracle finds when it knows the means. A matroid's oracle takes arms in their
 * order, so those that are not eligible come last, and are left out. */
static size_t find_set(const search *at, uint32_t *order)
{
    const lotor_oracle *oracle = at->oracle;
    const double *index = at->eligible ? at->masked : at->means;
    for (size_t i = 0; at->eligible && i < oracle->arms; i++) {
        at->masked[i] = at->eligible[i] ? at->means[i] : -INFINITY;
    }
    lotor_oracle_order(oracle->arms, index, NULL, order);
    const size_t found = oracle->pick(oracle, index, order, at->work, at->picked);
    size_t count = 0;
    for (size_t i = 0; i < found; i++) {
        at->picked[count] = at->picked[i];
        count += !at->eligible || at->eligible[at->picked[i]];
    }
    return count;
}

/* The value of a set of seeds. Coverage needs only the edges that leave them; influence reads the
 * seeds themselves. */
static double value_of_seeds(const search *at, const uint32_t *seeds)
{
    const size_t wanted = at->oracle->seeds;
    size_t count = 0;
    memcpy(at->work, seeds, wanted * sizeof *seeds);
    for (uint32_t arm = 0; arm < at->oracle->arms; arm++) {
        for (size_t i = 0; i < wanted; i++) {
            if (at->params->from[arm] == seeds[i]) {
                at->picked[count++] = arm;
                break;
            }
        }
    }
    return lotor_oracle_value(at->oracle, at->means, at->picked, count, at->work);
}

/* Moves to the next set of `count` numbers below `from`, in lexicographic order. False after the
 * last. */
static bool next_set(uint32_t *set, size_t count, size_t from)
{
    size_t i = count;
    while (i > 0 && set[i - 1] == from - count + i - 1) {
        i--;
    }
    if (i == 0) {
        return false;
    }
    set[i - 1]++;
    for (; i < count; i++) {
        set[i] = set[i - 1] + 1;
    }
    return true;
}

static double best_of_all_seeds(const search *at, uint32_t *seeds)
{
    double best = -INFINITY;
    for (size_t i = 0; i < at->oracle->seeds; i++) {
        seeds[i] = (uint32_t)i;
    }
    do {
        best = fmax(best, value_of_seeds(at, seeds));
    } while (next_set(seeds, at->oracle->seeds, at->params->vertices));
    return best;
}

static double number_of_sets(size_t from, size_t count)
{
    double sets = 1.0;
    for (size_t i = 0; i < count; i++) {
        sets *= (double)(from - i) / (double)(i + 1);
    }
    return sets;
}

static lotor_reference measure(const search *at, uint32_t *numbers)
{
    const lotor_oracle *oracle = at->oracle;
    lotor_reference reference = {.share = oracle->alpha * oracle->beta};
    const size_t count = find_set(at, numbers);
    reference.per_round = lotor_oracle_value(oracle, at->means, at->picked, count, at->work);
    if (at->params->cascade) {
        reference.per_round = lotor_policy_click_chance(at->means, at->picked, count);
    } else if (oracle->seeds > 0 &&
               number_of_sets(at->params->vertices, oracle->seeds) <= most_sets) {
        reference.per_round = reference.share * best_of_all_seeds(at, numbers);
    } else if (reference.share < 1.0) {
        reference.is_bound = true;
    }
    return reference;
}

struct lotor_referee {
    lotor_policy_params complete;
    lotor_oracle *oracle;
    uint32_t *numbers;
    double *masked;
    void *work;
};

lotor_status lotor_referee_new(const lotor_policy_params *params, lotor_message *why,
                               lotor_referee **out)
{
    *out = NULL;
    lotor_referee *made = calloc(1, sizeof *made);
    if (!made) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for this simulation");
    }
    const lotor_status status = lotor_policy_complete(params, why, &made->complete, &made->oracle);
    if (status != LOTOR_OK) {
        free(made);
        return status;
    }
    made->numbers = calloc(2 * made->complete.arms + made->oracle->seeds, sizeof *made->numbers);
    made->masked = calloc(made->complete.arms, sizeof *made->masked);
    made->work = malloc(made->oracle->work_bytes ? made->oracle->work_bytes : 1);
    if (!made->numbers || !made->masked || !made->work) {
        lotor_referee_free(made);
        return lotor_fail(LOTOR_MEMORY, why, "no memory for this simulation");
    }
    *out = made;
    return LOTOR_OK;
}

void lotor_referee_free(lotor_referee *referee)
{
    if (referee) {
        free(referee->numbers);
        free(referee->masked);
        free(referee->work);
        lotor_oracle_free(referee->oracle);
        lotor_policy_params_free(&referee->complete);
        free(referee);
    }
}

lotor_reference lotor_referee_measure(lotor_referee *referee, const double *means,
                                      const bool *eligible)
{
    const search at = {
        .params = &referee->complete,
        .oracle = referee->oracle,
        .means = means,
        .eligible = eligible,
        .masked = referee->masked,
        .picked = referee->numbers + referee->complete.arms + referee->oracle->seeds,
        .work = referee->work,
    };
    return measure(&at, referee->numbers);
}

lotor_status lotor_reference_of(const lotor_policy_params *params, const lotor_world *world,
                                lotor_message *why, lotor_reference *out)
{
    return lotor_reference_among(params, world, NULL, why, out);
}

lotor_status lotor_reference_among(const lotor_policy_params *params, const lotor_world *world,
                                   const bool *eligible, lotor_message *why, lotor_reference *out)
{
    lotor_referee *referee;
    const lotor_status status = lotor_referee_new(params, why, &referee);
    if (status == LOTOR_OK) {
        *out = lotor_referee_measure(referee, world->means, eligible);
    }
    lotor_referee_free(referee);
    return status;
}

lotor_status lotor_best_set(const lotor_policy_params *params, const double *means,
                            lotor_message *why, uint32_t **arms, size_t *count)
{
    lotor_policy_params complete;
    lotor_oracle *oracle;
    *arms = NULL;
    *count = 0;
    const lotor_status status = lotor_policy_complete(params, why, &complete, &oracle);
    if (status != LOTOR_OK) {
        return status;
    }
    uint32_t *order = calloc(complete.arms + 1, sizeof *order);
    uint32_t *picked = calloc(complete.arms + oracle->seeds + 1, sizeof *picked);
    void *work = malloc(oracle->work_bytes ? oracle->work_bytes : 1);
    const bool failed = !order || !picked || !work;
    if (!failed) {
        lotor_oracle_order(oracle->arms, means, NULL, order);
        *count = oracle->pick(oracle, means, order, work, picked);
        *arms = picked;
    } else {
        free(picked);
    }
    free(order);
    free(work);
    lotor_oracle_free(oracle);
    lotor_policy_params_free(&complete);
    return failed ? lotor_fail(LOTOR_MEMORY, why, "no memory for the best set") : LOTOR_OK;
}
