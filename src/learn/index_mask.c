/* index_mask.c - the index learner among some of the arms.
 *
 * An oracle that takes arms in the order of their indices (the first K, greedy on a matroid) takes all
 * it can of the arms that may be shown before any other, if the others stand last: at -INFINITY. What
 * it takes of them is the greedy set of the matroid without the others, which is a best one. The
 * indices themselves are kept as they are, for they are kept between rounds.
 */
#include "learn/index_parts.h"

size_t lotor_index_choose_among(lotor_index_learner *learner, const lotor_board *board,
                                const uint64_t *shown, uint64_t t, uint64_t seed,
                                const bool *eligible, const uint32_t **picked)
{
    const lotor_moment now = lotor_index_weigh(learner, board, shown, t, seed);
    for (size_t i = 0; i < learner->arms; i++) {
        learner->masked[i] = eligible[i] ? learner->index[i] : -INFINITY;
    }
    const size_t found = lotor_index_pick_by_oracle(learner, &now, learner->masked);
    size_t count = 0;
    for (size_t i = 0; i < found; i++) {
        const uint32_t arm = learner->picked[i];
        if (eligible[arm]) {
            learner->picked[count++] = arm;
        }
    }
    if (learner->takes_top && !learner->setup.ranked) {
        lotor_index_sort_set(learner->picked, count);
    }
    learner->window.end = 0; /* it was about the arms that were picked before */
    *picked = learner->picked;
    return count;
}
