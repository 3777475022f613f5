/* index.c - see index.h.
 *
 * Where releases are rare (batches), an exact shortcut saves the work: between them an index moves only
 * with t, and the difference of two indices is monotone in t (the arm with the smaller n gains on the
 * other), so if the order of the arms is the same now and at a later time, it is the same in between:
 * one comparison of the order at the far end, or a bisection, instead of a sort every round. Where
 * every answer is released at once: index_window.c.
 */
#include "learn/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/random/laws.h"
#include "learn/index_parts.h"

/* The arrays, or as many of them as memory allows. */
static bool make_arrays(lotor_index_learner *learner)
{
    const size_t arms = learner->arms, slots = learner->slots;
    const size_t work_bytes = learner->setup.oracle->work_bytes;
    learner->time = calloc(arms, sizeof *learner->time);
    learner->mean = calloc(arms, sizeof *learner->mean);
    learner->per_root = calloc(arms, sizeof *learner->per_root);
    learner->per_count = calloc(arms, sizeof *learner->per_count);
    learner->index = calloc(arms, sizeof *learner->index);
    learner->picked = calloc(arms, sizeof *learner->picked);
    learner->tie = calloc(arms, sizeof *learner->tie);
    learner->order = calloc(arms, sizeof *learner->order);
    learner->work = malloc(work_bytes ? work_bytes : 1);
    learner->masked = calloc(arms, sizeof *learner->masked);
    learner->top = calloc(slots, sizeof *learner->top);
    learner->inside = calloc(arms, sizeof *learner->inside);
    learner->window_arms = calloc(slots, sizeof *learner->window_arms);
    learner->window_slack = calloc(slots, sizeof *learner->window_slack);
    return learner->time && learner->mean && learner->per_root && learner->per_count &&
           learner->index && learner->picked && learner->tie && learner->order && learner->work &&
           learner->masked && learner->top && learner->inside && learner->window_arms &&
           learner->window_slack;
}

lotor_status lotor_index_new(const lotor_index_setup *setup, lotor_index_learner **out)
{
    *out = NULL;
    lotor_index_learner *learner = calloc(1, sizeof *learner);
    if (!learner) {
        return LOTOR_MEMORY;
    }
    const lotor_oracle *oracle = setup->oracle;
    const bool takes_top = strcmp(oracle->id, "best") == 0 || strcmp(oracle->id, "top") == 0;
    *learner = (lotor_index_learner){
        .setup = *setup,
        .arms = oracle->arms,
        .slots = oracle->slots,
        .width = setup->high - setup->low,
        .takes_top = takes_top,
        .has_window = takes_top && setup->at_once && !setup->clip && oracle->arms > oracle->slots &&
                      setup->rule->sampling == LOTOR_SAMPLING_NONE && !setup->rule->weigh,
        .window_length = 16,
    };
    if (!make_arrays(learner)) {
        lotor_index_free(learner);
        return LOTOR_MEMORY;
    }
    for (size_t i = 0; i < learner->arms; i++) {
        learner->mean[i] = learner->index[i] = INFINITY;
        learner->inside[i] = i < learner->slots;
    }
    for (uint32_t i = 0; i < learner->slots; i++) {
        learner->top[i] = i;
    }
    for (unsigned digits = 1; setup->rule->lift && digits <= 64; digits++) {
        learner->lift[digits] = setup->rule->lift(&setup->params, digits) * learner->width;
    }
    learner->window = (lotor_index_window){
        .count = learner->slots, .arms = learner->window_arms, .slack = learner->window_slack};
    *out = learner;
    return LOTOR_OK;
}

void lotor_index_free(lotor_index_learner *learner)
{
    if (learner) {
        free(learner->time);
        free(learner->mean);
        free(learner->per_root);
        free(learner->per_count);
        free(learner->index);
        free(learner->picked);
        free(learner->tie);
        free(learner->order);
        free(learner->work);
        free(learner->masked);
        free(learner->top);
        free(learner->inside);
        free(learner->window_arms);
        free(learner->window_slack);
        free(learner);
    }
}

static double sample_of(const lotor_index_learner *learner, size_t arm, const lotor_fact *fact,
                        lotor_widths widths, lotor_simulation *simulation)
{
    if (learner->setup.rule->sampling == LOTOR_SAMPLING_BETA) { /* also before the first release */
        const double n = (double)fact->count;
        const double sum = (fact->value - learner->setup.low * n) / learner->width;
        const double successes = fmin(n, fmax(0.0, sum));
        return lotor_random_beta(simulation, 1.0 + successes, 1.0 + n - successes);
    }
    if (fact->count == 0) {
        return INFINITY;
    }
    return learner->mean[arm] + widths.linear * learner->per_count[arm] +
           learner->width * lotor_random_gaussian(simulation) * learner->per_root[arm];
}

/* Breaks ties at random, higher first. Among arms without a release the one shown least comes first,
 * so that asking many times before the first answer tries them all (not where indices are capped:
 * there such arms are as good as the others at the cap). A function of its arguments alone
 * (splitmix64), so that nothing depends on which shortcuts were taken before. */
uint64_t lotor_index_tie(const lotor_index_learner *learner, const lotor_moment *now, size_t arm)
{
    const uint64_t z = lotor_mix(now->seed + now->t * UINT64_C(0x9e3779b97f4a7c15) +
                                 arm * UINT64_C(0xd1b54a32d192ed03));
    if (lotor_index_rule_is_bound(
            learner->setup.rule)) { /* many are at the top: least shown first */
        const uint64_t most = (UINT64_C(1) << 40) - 1;
        return (most - (now->shown[arm] < most ? now->shown[arm] : most)) << 24 | z >> 40;
    }
    if (lotor_board_at(now->board, 0, arm)->count > 0 || learner->setup.clip) {
        return z;
    }
    const uint64_t often = now->shown[arm] < 0xffff ? now->shown[arm] : 0xffff;
    return (0xffff - often) << 48 | z >> 16;
}

/* Fills index, or samples. */
static void weigh_arms(lotor_index_learner *learner, const lotor_moment *now)
{
    const lotor_widths widths = now->widths;
    const double cap = learner->setup.clip ? learner->setup.high : INFINITY;
    const lotor_index_rule *rule = learner->setup.rule;
    for (size_t i = 0; i < learner->arms && rule->weigh; i++) {
        const double index = rule->weigh(widths, now->board, i);
        learner->index[i] = index < cap ? index : cap;
    }
    if (rule->weigh) {
        return;
    }
    if (learner->setup.rule->sampling == LOTOR_SAMPLING_NONE) {
        const double *mean = learner->mean, *per_root = learner->per_root;
        const double *per_count = learner->per_count;
        double *restrict out = learner->index;
        for (size_t i = 0; i < learner->arms; i++) {
            const double index = mean[i] + widths.root * per_root[i] + widths.linear * per_count[i];
            out[i] = index < cap ? index : cap;
        }
        return;
    }
    lotor_simulation simulation;
    lotor_simulation_seed(&simulation, now->seed ^ (now->t * UINT64_C(0x9e3779b97f4a7c15)));
    for (size_t i = 0; i < learner->arms; i++) {
        learner->index[i] =
            sample_of(learner, i, lotor_board_at(now->board, 0, i), widths, &simulation);
    }
}

void lotor_index_sort_set(uint32_t *picked, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const uint32_t arm = picked[i];
        size_t place = i;
        for (; place > 0 && picked[place - 1] > arm; place--) {
            picked[place] = picked[place - 1];
        }
        picked[place] = arm;
    }
}

/* Is the order still strictly the same at round t? Arms without a release stay in front. */
static bool is_ordered(const lotor_index_learner *learner, uint64_t t)
{
    const lotor_widths widths = lotor_index_widths(learner, t);
    double previous = INFINITY;
    for (size_t i = 0; i < learner->arms; i++) {
        const double index = lotor_index_of(learner, learner->order[i], widths);
        if (!(index < previous) && !isinf(index)) {
            return false;
        }
        previous = index;
    }
    return true;
}

/* The most rounds from t on, up to `limit`, in which the order stays. */
static uint64_t find_hold(const lotor_index_learner *learner, uint64_t t, uint64_t limit)
{
    if (limit <= 1 || learner->setup.rule->sampling != LOTOR_SAMPLING_NONE ||
        learner->setup.rule->weigh || !learner->setup.oracle->by_order || !is_ordered(learner, t)) {
        return 1;
    }
    if (is_ordered(learner, t + limit - 1)) {
        return limit;
    }
    uint64_t holds = 1, fails = limit;
    while (fails - holds > 1) {
        const uint64_t middle = holds + (fails - holds) / 2;
        *(is_ordered(learner, t + middle - 1) ? &holds : &fails) = middle;
    }
    return holds;
}

size_t lotor_index_pick_by_oracle(lotor_index_learner *learner, const lotor_moment *now,
                                  const double *index)
{
    for (size_t i = 0; i < learner->arms; i++) {
        learner->tie[i] = lotor_index_tie(learner, now, i);
    }
    lotor_oracle_order(learner->arms, index, learner->tie, learner->order);
    const lotor_oracle *oracle = learner->setup.oracle;
    return oracle->pick(oracle, index, learner->order, learner->work, learner->picked);
}

lotor_moment lotor_index_weigh(lotor_index_learner *learner, const lotor_board *board,
                               const uint64_t *shown, uint64_t t, uint64_t seed)
{
    lotor_moment now = {board, shown, t, seed, {0.0, 0.0}};
    if (lotor_index_rule_is_bound(learner->setup.rule)) {
        lotor_index_weigh_by_bounds(learner, &now);
        return now;
    }
    now.widths = lotor_index_widths(learner, t);
    for (size_t i = 0; i < learner->arms; i++) {
        lotor_index_keep(learner, board, i);
    }
    weigh_arms(learner, &now);
    return now;
}

size_t lotor_index_choose(lotor_index_learner *learner, const lotor_board *board,
                          const uint64_t *shown, uint64_t t, uint64_t seed, lotor_room *room,
                          const void *context, const uint32_t **picked, uint64_t *hold)
{
    *picked = learner->picked;
    *hold = 1;
    if (lotor_index_window_holds(learner, board, t)) {
        if (learner->setup.ranked && learner->slots > 1) {
            lotor_index_rank_again(learner, board, shown, t, seed);
        }
        return learner->slots;
    }
    const lotor_moment now = lotor_index_weigh(learner, board, shown, t, seed);
    if (lotor_index_rule_is_bound(learner->setup.rule)) {
        return lotor_index_pick_by_bounds(learner, &now);
    }
    const bool weighed = learner->setup.rule->weigh && learner->takes_top;
    if (learner->has_window || (weighed && learner->arms > learner->slots)) {
        lotor_index_pick_top(learner, &now);
        return learner->slots;
    }
    const size_t count = lotor_index_pick_by_oracle(learner, &now, learner->index);
    uint64_t limit = room ? UINT64_MAX / 2 : 1;
    for (size_t i = 0; i < count && room; i++) {
        const uint64_t left = room(context, learner->picked[i]);
        limit = left < limit ? left : limit;
    }
    *hold = find_hold(learner, t, limit);
    if (learner->takes_top && !learner->setup.ranked) {
        lotor_index_sort_set(learner->picked, learner->slots);
    }
    return count;
}

double lotor_index_at(const lotor_index_learner *learner, size_t arm)
{
    return learner->index[arm];
}

const uint32_t *lotor_index_seeds(const lotor_index_learner *learner)
{
    return lotor_oracle_seeds(learner->setup.oracle, learner->work);
}

double lotor_index_value(const lotor_index_learner *learner, const double *means,
                         const uint32_t *set, size_t count)
{
    return lotor_oracle_value(learner->setup.oracle, means, set, count, learner->work);
}
