/* imed_sets.c - see imed_sets.h; imed.md numbers the rules. */
#include "learn/imed_sets.h"

#include <math.h>
#include <string.h>

#include "base/random/generator.h"

#define FADED 1e-6 /* all other weights together, if one arm must win */

uint64_t lotor_imed_tie(const lotor_imed_learner *learner, size_t arm)
{
    const uint64_t own = learner->seed ^ UINT64_C(0x696d65642d746965);
    return lotor_mix(own + learner->posts * UINT64_C(0x9e3779b97f4a7c15) +
                     (arm + 1) * UINT64_C(0xd1b54a32d192ed03));
}

/* The best set for the weights, of eligible arms alone, if this is the order of the weights. */
static size_t pick(lotor_imed_learner *learner, const uint32_t *order, const bool *eligible,
                   uint32_t *out)
{
    const lotor_oracle *oracle = learner->setup.oracle;
    const size_t found = oracle->pick(oracle, learner->weights, order, learner->work, out);
    size_t count = 0;
    for (size_t i = 0; i < found; i++) {
        if (!eligible || eligible[out[i]]) {
            out[count++] = out[i];
        }
    }
    return count;
}

/* The best set for the weights. Ties depend on the seed and on how many releases there were, so that
 * a loaded learner breaks them in the same way. */
size_t lotor_imed_best_set(lotor_imed_learner *learner, const bool *eligible, uint32_t *out)
{
    for (size_t i = 0; i < learner->arms; i++) {
        learner->tie[i] = lotor_imed_tie(learner, i);
    }
    lotor_oracle_order(learner->arms, learner->weights, learner->tie, learner->order);
    return pick(learner, learner->order, eligible, out);
}

/* Sorts a set that the oracle only cares about as a set, so that the best arm comes first. */
void lotor_imed_sort(const lotor_imed_learner *learner, uint32_t *set, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const uint32_t arm = set[i];
        const double estimate = learner->weights[arm];
        size_t at = i;
        for (; at > 0 && learner->weights[set[at - 1]] < estimate; at--) {
            set[at] = set[at - 1];
        }
        set[at] = arm;
    }
}

void lotor_imed_find_leaders(lotor_imed_learner *learner, const bool *eligible)
{
    for (size_t i = 0; i < learner->arms; i++) {
        const lotor_imed_state *arm = &learner->states[i];
        learner->weights[i] = lotor_imed_is_known(arm) ? arm->known.estimate : -INFINITY;
        if (eligible) { /* only the order matters: first the known arms, last those not eligible */
            const double known = lotor_imed_is_known(arm) ? arm->known.estimate : -1.0;
            learner->weights[i] = eligible[i] ? known : -INFINITY;
        }
        learner->states[i].is_leader = false;
    }
    learner->leader_count = lotor_imed_best_set(learner, eligible, learner->leaders);
    if (learner->setup.oracle->by_order) {
        lotor_imed_sort(learner, learner->leaders, learner->leader_count);
    }
    for (size_t i = 0; i < learner->leader_count; i++) {
        learner->states[learner->leaders[i]].is_leader = true;
    }
}

/* The leader with the lowest estimate; in case of a tie, the last in the set. */
static uint32_t lowest_leader(const lotor_imed_learner *learner)
{
    uint32_t lowest = learner->leaders[0];
    for (size_t i = 1; i < learner->leader_count; i++) {
        const uint32_t arm = learner->leaders[i];
        lowest = learner->states[arm].known.estimate <= learner->states[lowest].known.estimate
                     ? arm
                     : lowest;
    }
    return lowest;
}

/* The best set if arm e has an infinite weight: then it is the first of the order, which was found
 * with the leaders. Returns its size; 0: it does not have arm e. */
static size_t pick_with(lotor_imed_learner *learner, size_t e, const bool *eligible)
{
    const double weight = learner->weights[e];
    size_t place = 0;
    learner->weights[e] = INFINITY;
    learner->moved[place++] = (uint32_t)e;
    for (size_t i = 0; i < learner->arms; i++) {
        if (learner->order[i] != e) {
            learner->moved[place++] = learner->order[i];
        }
    }
    const size_t count = pick(learner, learner->moved, eligible, learner->picked);
    learner->weights[e] = weight;
    for (size_t i = 0; i < count; i++) {
        if (learner->picked[i] == e) {
            return count;
        }
    }
    return 0;
}

/* The best set that has arm e, which is not a leader, into `picked`. Returns its size; 0: there is
 * none. Some oracles take an infinite weight for 1; the other arms together may then be worth more,
 * so their weights are made small. */
size_t lotor_imed_set_with(lotor_imed_learner *learner, size_t e, const bool *eligible)
{
    if (learner->setup.oracle->takes_first && learner->leader_count == learner->slots) {
        const uint32_t lowest = lowest_leader(learner);
        for (size_t i = 0; i < learner->leader_count; i++) {
            const uint32_t arm = learner->leaders[i];
            learner->picked[i] = arm == lowest ? (uint32_t)e : arm;
        }
        return learner->leader_count;
    }
    size_t count = pick_with(learner, e, eligible);
    if (count == 0 && !learner->setup.oracle->by_order) {
        memcpy(learner->share, learner->weights, learner->arms * sizeof *learner->weights);
        for (size_t i = 0; i < learner->arms; i++) {
            learner->weights[i] *= FADED / (double)learner->arms;
        }
        count = pick_with(learner, e, eligible);
        memcpy(learner->weights, learner->share, learner->arms * sizeof *learner->weights);
    }
    return count;
}

static double evidence_against(const lotor_imed_learner *learner, lotor_imed_state *arm,
                               double level)
{
    return lotor_imed_arm_evidence(&arm->known, &learner->setup.model, level);
}

/* The evidence if several arms of the set are not leaders: they must be better by `gap` together.
 * Each takes a share in proportion to its variance, but no level is above 1. */
static double spread_evidence(lotor_imed_learner *learner, size_t count, double gap)
{
    double evidence = 0.0, rest = gap;
    bool is_done = false;
    for (size_t i = 0; i < count; i++) {
        lotor_imed_state *arm = &learner->states[learner->picked[i]];
        learner->share[learner->picked[i]] = 0.0; /* its share */
        if (!arm->is_leader && !lotor_imed_is_known(arm)) {
            return 0.0;
        }
    }
    while (!is_done && rest > 0.0) {
        double variances = 0.0, left = 0.0;
        for (size_t i = 0; i < count; i++) {
            const lotor_imed_state *arm = &learner->states[learner->picked[i]];
            const bool takes =
                !arm->is_leader && arm->known.estimate + learner->share[learner->picked[i]] < 1.0;
            variances += takes ? lotor_imed_arm_variance(&arm->known, &learner->setup.model) : 0.0;
        }
        is_done = !(variances > 0.0);
        for (size_t i = 0; i < count && !is_done; i++) {
            const uint32_t which = learner->picked[i];
            const lotor_imed_state *arm = &learner->states[which];
            if (arm->is_leader || !(arm->known.estimate + learner->share[which] < 1.0)) {
                continue;
            }
            const double share =
                learner->share[which] +
                rest * lotor_imed_arm_variance(&arm->known, &learner->setup.model) / variances;
            const double most = 1.0 - arm->known.estimate;
            left += fmax(0.0, share - most);
            learner->share[which] = fmin(share, most);
        }
        is_done = is_done || left <= LOTOR_IMED_TIE;
        rest = left;
    }
    for (size_t i = 0; i < count; i++) {
        lotor_imed_state *arm = &learner->states[learner->picked[i]];
        if (!arm->is_leader) {
            evidence += evidence_against(learner, arm,
                                         arm->known.estimate + learner->share[learner->picked[i]]);
        }
    }
    return evidence;
}

/* The evidence against arm e, which is not a leader and has a release; sets can_show. */
double lotor_imed_evidence(lotor_imed_learner *learner, size_t e, double best, const bool *eligible)
{
    lotor_imed_state *arm = &learner->states[e];
    const size_t count = lotor_imed_set_with(learner, e, eligible);
    arm->can_show = count > 0;
    if (count == 0 || !lotor_imed_is_known(arm)) {
        return 0.0;
    }
    size_t strangers = 0;
    for (size_t i = 0; i < count; i++) {
        strangers += !learner->states[learner->picked[i]].is_leader;
    }
    if (learner->setup.oracle->takes_first) {
        return evidence_against(learner, arm,
                                learner->states[lowest_leader(learner)].known.estimate);
    }
    const double gap = best - lotor_imed_value(learner, learner->weights, learner->picked, count);
    if (!isfinite(gap) || gap <= 0.0) {
        return 0.0;
    }
    return strangers == 1 ? evidence_against(learner, arm, arm->known.estimate + gap)
                          : spread_evidence(learner, count, gap);
}
