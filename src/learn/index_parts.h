/* index_parts.h - inside the index learner: what its two ways of choosing share. */
#ifndef LOTOR_LEARN_INDEX_PARTS_H
#define LOTOR_LEARN_INDEX_PARTS_H

#include <math.h>

#include "learn/index.h"

struct lotor_index_learner {
    lotor_index_setup setup;
    size_t arms, slots;
    double width;    /* of the rewards' range */
    bool takes_top;  /* the oracle takes the first `slots` of the order */
    double lift[65]; /* by how many digits of n are set, in the rewards' own unit; 0 without one */

    /* Kept of each arm until it has news, so that an index costs two multiplications. */
    uint64_t *time;
    double *mean, *per_root, *per_count; /* (sum + lift)/n (INFINITY without a release), 1/sqrt(n),
                                            1/n */

    double *index;
    uint32_t *picked;
    double budget; /* index_bound.c: the q that all indices are for; 0 before the first choice */

    /* index.c: by an oracle that gets all arms in order. */
    uint64_t *tie;
    uint32_t *order;
    void *work;
    double *masked; /* index_mask.c: the indices, but -INFINITY for arms that may not be shown */

    /* index_window.c: by rank, and again while that surely stays the same. */
    bool has_window;
    uint32_t *top; /* the `slots` arms of largest index, ranked */
    bool *inside;  /* per arm: is it one of them? */
    lotor_index_window window;
    uint32_t *window_arms; /* what the window points to */
    double *window_slack;
    uint64_t window_length; /* in rounds: longer while windows hold to their end, else shorter */
    uint64_t posts, count;  /* on the board, and of the shown arms, when it was opened */
};

/* What a round is decided with. */
typedef struct lotor_moment {
    const lotor_board *board;
    const uint64_t *shown;
    uint64_t t, seed;
    lotor_widths widths; /* at t */
} lotor_moment;

/* The rule's widths at t, in the rewards' own unit. */
static inline lotor_widths lotor_index_widths(const lotor_index_learner *learner, uint64_t t)
{
    const lotor_widths widths = learner->setup.rule->widths(&learner->setup.params, (double)t);
    return (lotor_widths){widths.root * learner->width, widths.linear * learner->width};
}

/* Looks whether the arm has news. */
static inline void lotor_index_keep(lotor_index_learner *learner, const lotor_board *board,
                                    size_t arm)
{
    const lotor_fact *fact = lotor_board_at(board, 0, arm);
    if (learner->time[arm] == fact->time) {
        return;
    }
    learner->time[arm] = fact->time;
    if (fact->count > 0) {
        const double n = (double)fact->count;
        const double per_root = 1.0 / sqrt(n);
        learner->mean[arm] = (fact->value + learner->lift[__builtin_popcountll(fact->count)]) / n;
        learner->per_root[arm] = per_root;
        learner->per_count[arm] = per_root * per_root;
    }
}

static inline double lotor_index_of(const lotor_index_learner *learner, size_t arm,
                                    lotor_widths widths)
{
    const double index = learner->mean[arm] + widths.root * learner->per_root[arm] +
                         widths.linear * learner->per_count[arm];
    return learner->setup.clip ? fmin(index, learner->setup.high) : index;
}

/* index.c: breaks ties at random, higher first. */
uint64_t lotor_index_tie(const lotor_index_learner *learner, const lotor_moment *now, size_t arm);

/* index_window.c: the arms of largest index into `picked`, and a window in which they stay. */
void lotor_index_pick_top(lotor_index_learner *learner, const lotor_moment *now);

/* index_window.c: does the last choice hold in round t, and has no other arm had news? */
bool lotor_index_window_holds(const lotor_index_learner *learner, const lotor_board *board,
                              uint64_t t);

/* index_bound.c: brings all bounds up to date; and then the arms, and how many they are. */
void lotor_index_weigh_by_bounds(lotor_index_learner *learner, const lotor_moment *now);
size_t lotor_index_pick_by_bounds(lotor_index_learner *learner, const lotor_moment *now);

/* index.c: the moment of round t, with all indices for it. */
lotor_moment lotor_index_weigh(lotor_index_learner *learner, const lotor_board *board,
                               const uint64_t *shown, uint64_t t, uint64_t seed);

/* index.c: asks the oracle, with all arms in the order of these indices. */
size_t lotor_index_pick_by_oracle(lotor_index_learner *learner, const lotor_moment *now,
                                  const double *index);

/* index_window.c: the `slots` arms of largest index into `top`, ranked; returns the largest index
 * outside. */
double lotor_index_find_top(lotor_index_learner *learner, const lotor_moment *now);

/* A set has no order: by number, so that it does not depend on how it was found. */
void lotor_index_sort_set(uint32_t *picked, size_t count);

#endif
