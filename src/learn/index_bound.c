/* index_bound.c - arms weighed by the bounds of bounds_kl.h, which are not of the shape
 * sum/n + root/sqrt(n) + linear/n.
 *
 * An index is a function of what was released of the arm and of q, which moves in steps: it is kept
 * until either changes. Ties (many at infinity, and at the top of the range): index.c.
 */
#include <string.h>

#include "learn/bounds_kl.h"
#include "learn/index_parts.h"

/* More batches than there are: each is half of all before it, and they stay below 2^64 rounds. */
enum { MOST_BATCHES = 128 };

/* Over the last batches of the `releases` that the arm has. */
static double bound_of_batches(const lotor_index_learner *learner, const lotor_board *board,
                               size_t arm, size_t releases, double q)
{
    double sizes[MOST_BATCHES] = {0.0};
    for (size_t i = 0; i < releases; i++) { /* the latest first */
        sizes[i] = (double)lotor_board_at(board, releases - 1 - i, arm)->count;
    }
    const double epsilon = learner->setup.params.epsilon;
    const size_t span = lotor_kl_span(sizes, releases, epsilon, q);
    double n = 0.0, sum = 0.0;
    for (size_t i = 0; i < span; i++) {
        n += sizes[i];
        sum += lotor_board_at(board, releases - 1 - i, arm)->value;
    }
    const double scaled = (sum - learner->setup.low * n) / learner->width;
    return lotor_kl_batch_bound((lotor_batches){(double)span, n, scaled}, epsilon, q);
}

/* Of an arm with something released, in the rewards' own unit. */
static double bound_of(const lotor_index_learner *learner, const lotor_board *board, size_t arm,
                       double q)
{
    double bound;
    if (learner->setup.rule->sampling == LOTOR_SAMPLING_KL_BATCHES) {
        bound = bound_of_batches(learner, board, arm, (size_t)learner->time[arm], q);
    } else {
        const lotor_fact *ones = lotor_board_at(board, 0, arm);
        bound = lotor_kl_response_bound(ones->value, (double)ones->count,
                                        learner->setup.params.epsilon, q);
    }
    const double index = learner->setup.low + learner->width * bound;
    return learner->setup.clip ? fmin(index, learner->setup.high) : index;
}

/* Looks whether the arm has news: `time` is that of its fact, or how many batches were released. */
static inline bool has_news(lotor_index_learner *learner, const lotor_board *board, size_t arm)
{
    const uint64_t known = learner->time[arm];
    uint64_t now = known;
    if (learner->setup.rule->sampling == LOTOR_SAMPLING_KL_BITS) {
        now = lotor_board_at(board, 0, arm)->time;
    } else {
        while (now < board->statistics && now < MOST_BATCHES &&
               lotor_board_at(board, (size_t)now, arm)->time > 0) {
            now++;
        }
    }
    learner->time[arm] = now;
    return now != known;
}

void lotor_index_weigh_by_bounds(lotor_index_learner *learner, const lotor_moment *now)
{
    const double q = lotor_kl_budget(now->t);
    const bool moved = q != learner->budget;
    for (size_t i = 0; i < learner->arms; i++) {
        if (has_news(learner, now->board, i) || (moved && learner->time[i] > 0)) {
            learner->index[i] = bound_of(learner, now->board, i, q);
        }
    }
    learner->budget = q;
}

size_t lotor_index_pick_by_bounds(lotor_index_learner *learner, const lotor_moment *now)
{
    if (!learner->takes_top) {
        return lotor_index_pick_by_oracle(learner, now, learner->index);
    }
    (void)lotor_index_find_top(learner, now);
    memcpy(learner->picked, learner->top, learner->slots * sizeof *learner->picked);
    if (!learner->setup.ranked) {
        lotor_index_sort_set(learner->picked, learner->slots);
    }
    return learner->slots;
}
