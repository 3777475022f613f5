/* index.c - see index.h.
 *
 * Two exact shortcuts keep the law and save the work:
 *
 * - One arm is shown at a time and each answer is released at once (ucb, dp-ucb). While only the
 *   shown arm i has changed, i stays best as long as its index is above what the others can reach
 *   by the end of a short window of rounds: sum_i + slack > bound * n_i, one multiplication. `slack`
 *   is taken at the window's start and `bound` at its end, where root and linear are least and most.
 *
 * - Releases are rare (batches). Between them an index moves only with t, and the difference of two
 *   indices is monotone in t (the arm with the smaller n gains on the other), so if the order of the
 *   arms is the same now and at a later time, it is the same in between: one comparison of the order
 *   at the far end, or a bisection, instead of a sort every round.
 */
#include "learn/index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/laws.h"

typedef struct stay {
    lotor_index_window window;
    uint64_t length; /* in rounds: longer while windows hold to their end, else shorter */
    uint32_t arm;    /* the one that is best */
    uint64_t posts;  /* on the board when it began */
    uint64_t count;  /* of the arm's observations then */
} stay;

struct lotor_index_learner {
    const lotor_index_rule *rule;
    lotor_rule_params params;
    const lotor_oracle *oracle;
    size_t arms;
    double low, width;  /* the rewards' range */
    bool one_at_a_time; /* the arm of largest index, no samples */
    bool at_once;       /* each observation is a post of its own */
    stay stay;
    double *index;
    uint64_t *tie;
    uint32_t *order;
    uint32_t *picked;
    void *work;
};

lotor_status lotor_index_new(const lotor_index_rule *rule, const lotor_rule_params *params,
                             const lotor_oracle *oracle, double low, double high, bool at_once,
                             lotor_index_learner **out)
{
    *out = NULL;
    lotor_index_learner *learner = calloc(1, sizeof *learner);
    if (!learner) {
        return LOTOR_MEMORY;
    }
    *learner = (lotor_index_learner){
        .rule = rule,
        .params = *params,
        .oracle = oracle,
        .arms = oracle->arms,
        .low = low,
        .width = high - low,
        .stay = {.length = 16},
        .one_at_a_time = rule->sampling == LOTOR_SAMPLING_NONE && strcmp(oracle->id, "best") == 0,
        .at_once = at_once,
        .index = calloc(oracle->arms, sizeof *learner->index),
        .tie = calloc(oracle->arms, sizeof *learner->tie),
        .order = calloc(oracle->arms, sizeof *learner->order),
        .picked = calloc(oracle->arms, sizeof *learner->picked),
        .work = malloc(oracle->work_bytes ? oracle->work_bytes : 1),
    };
    if (!learner->index || !learner->tie || !learner->order || !learner->picked || !learner->work) {
        lotor_index_free(learner);
        return LOTOR_MEMORY;
    }
    *out = learner;
    return LOTOR_OK;
}

void lotor_index_free(lotor_index_learner *learner)
{
    if (learner) {
        free(learner->index);
        free(learner->tie);
        free(learner->order);
        free(learner->picked);
        free(learner->work);
        free(learner);
    }
}

/* The rule's widths at t, in the rewards' own unit. */
static lotor_widths widths_at(const lotor_index_learner *learner, uint64_t t)
{
    const lotor_widths widths = learner->rule->widths(&learner->params, (double)t);
    return (lotor_widths){widths.root * learner->width, widths.linear * learner->width};
}

static double index_of(const lotor_fact *fact, lotor_widths widths)
{
    if (fact->count == 0) {
        return INFINITY;
    }
    const double n = (double)fact->count;
    return (fact->value + widths.linear) / n + widths.root / sqrt(n);
}

static double sample_of(const lotor_index_learner *learner, const lotor_fact *fact,
                        lotor_widths widths, lotor_simulation *simulation)
{
    if (learner->rule->sampling == LOTOR_SAMPLING_BETA) { /* also before the first release */
        const double n = (double)fact->count;
        const double sum = (fact->value - learner->low * n) / learner->width;
        const double successes = fmin(n, fmax(0.0, sum));
        return lotor_random_beta(simulation, 1.0 + successes, 1.0 + n - successes);
    }
    if (fact->count == 0) {
        return INFINITY;
    }
    const double n = (double)fact->count;
    return (fact->value + widths.linear) / n +
           learner->width * lotor_random_gaussian(simulation) / sqrt(n);
}

/* Breaks ties at random, higher first. Among arms without a release the one shown least comes first,
 * so that asking many times before the first answer tries them all. A function of its arguments alone
 * (splitmix64), so that nothing depends on which shortcuts were taken before. */
static uint64_t tie_of(const lotor_fact *fact, uint64_t shown, uint64_t t, uint64_t seed,
                       size_t arm)
{
    uint64_t z = seed + t * UINT64_C(0x9e3779b97f4a7c15) + arm * UINT64_C(0xd1b54a32d192ed03);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    const uint64_t often = shown < 0xffff ? shown : 0xffff;
    return fact->count == 0 ? (0xffff - often) << 48 | z >> 16 : z;
}

/* Fills index and order. */
static void rank_arms(lotor_index_learner *learner, const lotor_board *board, const uint64_t *shown,
                      uint64_t t, uint64_t seed)
{
    lotor_simulation simulation;
    lotor_simulation_seed(&simulation, seed ^ (t * UINT64_C(0x9e3779b97f4a7c15)));
    const lotor_widths widths = widths_at(learner, t);
    const bool sampling = learner->rule->sampling != LOTOR_SAMPLING_NONE;
    for (size_t i = 0; i < learner->arms; i++) {
        const lotor_fact *fact = lotor_board_at(board, 0, i);
        learner->index[i] =
            sampling ? sample_of(learner, fact, widths, &simulation) : index_of(fact, widths);
        learner->tie[i] = tie_of(fact, shown[i], t, seed, i);
    }
    lotor_oracle_order(learner->arms, learner->index, learner->tie, learner->order);
}

/* The arm of largest index, without putting the others in order. */
static uint32_t find_best(const lotor_index_learner *learner, const lotor_board *board,
                          const uint64_t *shown, uint64_t t, uint64_t seed)
{
    const lotor_widths widths = widths_at(learner, t);
    size_t best = 0;
    double highest = -INFINITY;
    for (size_t i = 0; i < learner->arms; i++) {
        const lotor_fact *fact = lotor_board_at(board, 0, i);
        const double index = index_of(fact, widths);
        if (index > highest || (index == highest && tie_of(fact, shown[i], t, seed, i) >
                                                        tie_of(lotor_board_at(board, 0, best),
                                                               shown[best], t, seed, best))) {
            highest = index;
            best = i;
        }
    }
    return (uint32_t)best;
}

/* Is the order still strictly the same at round t? Arms without a release stay in front. */
static bool is_ordered(const lotor_index_learner *learner, const lotor_board *board, uint64_t t)
{
    const lotor_widths widths = widths_at(learner, t);
    double previous = INFINITY;
    for (size_t i = 0; i < learner->arms; i++) {
        const double index = index_of(lotor_board_at(board, 0, learner->order[i]), widths);
        if (!(index < previous) && !isinf(index)) {
            return false;
        }
        previous = index;
    }
    return true;
}

/* The most rounds from t on, up to `limit`, in which the order stays. */
static uint64_t find_hold(const lotor_index_learner *learner, const lotor_board *board, uint64_t t,
                          uint64_t limit)
{
    if (limit <= 1 || learner->rule->sampling != LOTOR_SAMPLING_NONE ||
        !learner->oracle->by_order || !is_ordered(learner, board, t)) {
        return 1;
    }
    if (is_ordered(learner, board, t + limit - 1)) {
        return limit;
    }
    uint64_t holds = 1, fails = limit;
    while (fails - holds > 1) {
        const uint64_t middle = holds + (fails - holds) / 2;
        *(is_ordered(learner, board, t + middle - 1) ? &holds : &fails) = middle;
    }
    return holds;
}

/* A window that held to its end makes the next one longer; one that broke, shorter. */
static void adapt_length(stay *last, uint64_t t)
{
    if (last->window.end == 0) {
        return; /* there was none */
    }
    if (t > last->window.end) {
        last->length = last->length < UINT64_C(1) << 40 ? 2 * last->length : last->length;
    } else {
        last->length = last->length > 16 ? last->length / 2 : 8;
    }
}

/* Opens a window in which the best arm may stay best: see above. */
static void open_window(lotor_index_learner *learner, const lotor_board *board, uint64_t t)
{
    const uint32_t best = learner->picked[0];
    const lotor_fact *fact = lotor_board_at(board, 0, best);
    adapt_length(&learner->stay, t);
    learner->stay.window.end = 0;
    if (fact->count == 0 || learner->arms < 2) {
        return;
    }
    const uint64_t end = t + learner->stay.length;
    const lotor_widths first = widths_at(learner, t), last = widths_at(learner, end);
    double bound = -INFINITY;
    for (size_t i = 0; i < learner->arms; i++) {
        if (i != best) {
            bound = fmax(bound, index_of(lotor_board_at(board, 0, i), last));
        }
    }
    learner->stay = (stay){
        .window = {.end = end,
                   .slack = first.root * sqrt((double)fact->count) + first.linear,
                   .bound = bound + 1e-9 * learner->width}, /* more than any rounding here */
        .length = learner->stay.length,
        .arm = best,
        .posts = lotor_board_posts(board),
        .count = fact->count,
    };
}

lotor_index_window lotor_index_window_of(const lotor_index_learner *learner)
{
    return learner->stay.window;
}

/* Does the last choice hold in round t, and has no other arm had news? */
static bool stays(const lotor_index_learner *learner, const lotor_board *board, uint64_t t)
{
    /* With a post per observation, posts beyond the arm's own count are other arms' news. */
    const stay *last = &learner->stay;
    const lotor_fact *fact = lotor_board_at(board, 0, last->arm);
    return lotor_index_stays(&last->window, fact, t) &&
           lotor_board_posts(board) - last->posts == fact->count - last->count;
}

size_t lotor_index_choose(lotor_index_learner *learner, const lotor_board *board,
                          const uint64_t *shown, uint64_t t, uint64_t seed, lotor_room *room,
                          const void *context, const uint32_t **picked, uint64_t *hold)
{
    *picked = learner->picked;
    *hold = 1;
    if (stays(learner, board, t)) {
        return 1; /* picked[0] is still that arm */
    }
    if (learner->one_at_a_time && learner->at_once) {
        learner->picked[0] = find_best(learner, board, shown, t, seed);
        open_window(learner, board, t);
        return 1;
    }
    rank_arms(learner, board, shown, t, seed);
    const size_t count = learner->oracle->pick(learner->oracle, learner->index, learner->order,
                                               learner->work, learner->picked);
    uint64_t limit = UINT64_MAX / 2;
    for (size_t i = 0; i < count; i++) {
        const uint64_t left = room(context, learner->picked[i]);
        limit = left < limit ? left : limit;
    }
    *hold = find_hold(learner, board, t, limit);
    return count;
}
