/* index.h - the learner that shows what could be best: an index per arm, and an oracle.
 *
 * An index is the arm's released mean plus a width that shrinks with the count n:
 *
 *      index = sum/n + root(t)/sqrt(n) + linear(t)/n
 *
 * A rule is the two functions of t; every published rule here has this shape, with root and linear
 * never falling in t. Thompson sampling draws around sum/n + linear(t)/n instead. Arms without a
 * release have an infinite index.
 */
#ifndef LOTOR_LEARN_INDEX_H
#define LOTOR_LEARN_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board/board.h"
#include "choice/oracle.h"

/* What rules are made of: all public. */
typedef struct lotor_rule_params {
    double arms;    /* K of the finite-armed papers */
    double slots;   /* K of the matroid papers: the rank */
    double horizon; /* T; 0 where there is none */
    double epsilon; /* INFINITY: the privacy part of a width is 0 */
    double beta;
} lotor_rule_params;

typedef struct lotor_widths {
    double root, linear;
} lotor_widths;

typedef enum lotor_sampling {
    LOTOR_SAMPLING_NONE = 0,
    LOTOR_SAMPLING_GAUSSIAN = 1, /* N(sum/n + linear/n, 1/n) */
    LOTOR_SAMPLING_BETA = 2      /* Beta(1 + sum, 1 + n - sum) */
} lotor_sampling;

typedef struct lotor_index_rule {
    const char *id;
    const char *formula; /* for people */
    lotor_sampling sampling;
    lotor_widths (*widths)(const lotor_rule_params *params, double t);
} lotor_index_rule;

extern const lotor_index_rule lotor_rule_ucb, lotor_rule_dp_ucb, lotor_rule_dpucb_mat;
extern const lotor_index_rule lotor_rule_dpts_mat, lotor_rule_cts, lotor_rule_cts_beta;

typedef struct lotor_index_learner lotor_index_learner;

/* Borrows the oracle. `low` and `high` are the rewards' range: widths are for [0,1] and are scaled
 * to it. `at_once` says that every observation is released by itself, as it comes. */
lotor_status lotor_index_new(const lotor_index_rule *rule, const lotor_rule_params *params,
                             const lotor_oracle *oracle, double low, double high, bool at_once,
                             lotor_index_learner **out);
void lotor_index_free(lotor_index_learner *learner);

/* What to show in round t, given what was released (statistic 0) and how often each arm was shown.
 * Ties and samples depend on (seed, t) alone, so asking again, or after a save and a load, gives the
 * same. Returns the picked arms (good until the next call) and, in *hold, for how many rounds, at
 * most `room(context, arm)` of each picked arm, the pick stays the same while the board does. */
typedef uint64_t lotor_room(const void *context, size_t arm);
size_t lotor_index_choose(lotor_index_learner *learner, const lotor_board *board,
                          const uint64_t *shown, uint64_t t, uint64_t seed, lotor_room *room,
                          const void *context, const uint32_t **picked, uint64_t *hold);

/* A window of rounds in which the arm chosen last is surely chosen again, while it alone has news:
 * up to round `end`, as long as its sum + slack > bound * its count. For learners that show one arm
 * and hear of it at once; end = 0 where there is none. */
typedef struct lotor_index_window {
    uint64_t end;
    double slack, bound;
} lotor_index_window;

lotor_index_window lotor_index_window_of(const lotor_index_learner *learner);

static inline bool lotor_index_stays(const lotor_index_window *window, const lotor_fact *fact,
                                     uint64_t t)
{
    return t <= window->end && fact->value + window->slack > window->bound * (double)fact->count;
}

#endif
