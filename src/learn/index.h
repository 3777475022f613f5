/* index.h - the learner that shows what could be best: an index per arm, and an oracle.
 *
 * An index is the arm's released mean plus a width that shrinks with the count n:
 *
 *      index = sum/n + root(t)/sqrt(n) + linear(t)/n
 *
 * A rule is the two functions of t; every published rule here has this shape, with root and linear
 * never falling in t. Thompson sampling draws around sum/n + linear(t)/n instead. A rule may add
 * lift(digits)/n, where the noise of a sum depends on how many binary digits of n are set (a tree's
 * nodes), or weigh the arm's facts in its own way. Two are bounds of another shape (bounds_kl.h), each
 * kept until its arm has news or q has moved. Arms without a release have an infinite
 * index.
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
    double slots;   /* K of the others: the rank, the length of a list */
    double horizon; /* T; 0 where there is none */
    double epsilon; /* INFINITY: the privacy part of a width is 0 */
    double delta;
    double beta;
    double nominal_epsilon; /* before the lab scaled the noise; else the same */
    double log_horizon;     /* log T, which is asked for in every round */
    double spread;          /* what one report counts for: privacy/release/statistic.h */
} lotor_rule_params;

typedef struct lotor_widths {
    double root, linear;
} lotor_widths;

typedef enum lotor_sampling {
    LOTOR_SAMPLING_NONE = 0,
    LOTOR_SAMPLING_GAUSSIAN = 1, /* N(sum/n + linear/n, 1/n) */
    LOTOR_SAMPLING_BETA = 2,     /* Beta(1 + sum, 1 + n - sum) */

    /* No sample and no widths, but a bound of bounds_kl.h, with q = log t + 3 log log t. */
    LOTOR_SAMPLING_KL_BATCHES = 3, /* on batches: an arm's release number b is statistic b */
    LOTOR_SAMPLING_KL_BITS = 4     /* on bits, each true with probability e^epsilon/(1+e^epsilon) */
} lotor_sampling;

typedef struct lotor_index_rule {
    const char *id;
    const char *formula; /* for people */
    bool uses_beta;      /* its widths depend on the probability of failure */
    lotor_sampling sampling;
    lotor_widths (*widths)(const lotor_rule_params *params, double t);

    /* Or NULL. For n with `digits` set, from 1 to 64; never falls in them. */
    double (*lift)(const lotor_rule_params *params, unsigned digits);

    /* Or NULL. The index itself, of the arm's facts and the widths at t; INFINITY where there is none
     * yet. Then there are no shortcuts. */
    double (*weigh)(lotor_widths widths, const lotor_board *board, size_t arm);
} lotor_index_rule;

/* The table: rule(NAME) is the rule lotor_rule_NAME, defined in rules.c. */
/* clang-format off */
#define LOTOR_INDEX_RULES(rule) \
    rule(ucb)                   \
    rule(dp_ucb)                \
    rule(dpucb_mat)             \
    rule(adap_ucb)              \
    rule(dpts_mat)              \
    rule(cts)                   \
    rule(cts_beta)              \
    rule(cucb)                  \
    rule(cucb_ldp1)             \
    rule(cucb_ldp2)             \
    rule(cucb_dp)               \
    rule(cucb_dp2)              \
    rule(cucb_ldp_gauss)        \
    rule(cascade_dp)            \
    rule(cascade_ldp_laplace)   \
    rule(cascade_ldp_gauss)     \
    rule(cascade_ldp_composed)  \
    rule(dp_ucb_tight)          \
    rule(cucb_ldp_box)          \
    rule(cascade_dp_lazy)       \
    rule(cascade_ldp_rr)        \
    rule(batch_klucb)           \
    rule(rr_klucb)
/* clang-format on */

#define LOTOR_RULE(name) extern const lotor_index_rule lotor_rule_##name;
LOTOR_INDEX_RULES(LOTOR_RULE)
#undef LOTOR_RULE

/* All of them, ended by NULL. */
extern const lotor_index_rule *const lotor_index_rules[];

/* Whether it is one of the bounds: such rules have no widths. */
static inline bool lotor_index_rule_is_bound(const lotor_index_rule *rule)
{
    return rule->sampling >= LOTOR_SAMPLING_KL_BATCHES;
}

typedef struct lotor_index_learner lotor_index_learner;

typedef struct lotor_index_setup {
    const lotor_index_rule *rule;
    lotor_rule_params params;
    const lotor_oracle *oracle; /* borrowed */
    double low, high;           /* the rewards' range: widths are for [0,1] and are scaled to it */
    bool at_once;               /* every observation is released by itself, and moves one arm */
    bool ranked; /* the order of a list matters: by decreasing index (else by number) */
    bool clip;   /* indices are capped at `high` */
} lotor_index_setup;

lotor_status lotor_index_new(const lotor_index_setup *setup, lotor_index_learner **out);
void lotor_index_free(lotor_index_learner *learner);

/* What to show in round t, given what was released (statistic 0) and how often each arm was shown.
 * Ties and samples depend on (seed, t) alone, so asking again, or after a save and a load, gives the
 * same. Returns how many arms it picked (good until the next call; 0: the oracle failed) and, in
 * *hold, for how many rounds, at most `room(context, arm)` of each picked arm, the pick stays the
 * same while the board does (1 without a `room`). */
typedef uint64_t lotor_room(const void *context, size_t arm);
size_t lotor_index_choose(lotor_index_learner *learner, const lotor_board *board,
                          const uint64_t *shown, uint64_t t, uint64_t seed, lotor_room *room,
                          const void *context, const uint32_t **picked, uint64_t *hold);

/* The same among the arms that may be shown (`eligible`: a flag per arm), for oracles that take arms
 * in the order of their indices: then it is the best such set. It can be smaller; 0: there is none, or
 * the oracle failed. What is chosen later, from all arms or others, does not depend on it. */
size_t lotor_index_choose_among(lotor_index_learner *learner, const lotor_board *board,
                                const uint64_t *shown, uint64_t t, uint64_t seed,
                                const bool *eligible, const uint32_t **picked);

/* A window of rounds in which the arms chosen last are surely chosen again, while they alone have
 * news: up to round `end`, as long as each one's sum + slack > bound * its count. For learners that
 * hear of every observation at once; end = 0 where there is none. Its arms stand as they were picked
 * when it was opened: in unranked sets they stay so. */
typedef struct lotor_index_window {
    uint64_t end;
    double bound;
    size_t count;
    const uint32_t *arms;
    const double *slack;
} lotor_index_window;

const lotor_index_window *lotor_index_window_of(const lotor_index_learner *learner);

static inline bool lotor_index_stays(const lotor_index_window *window, const lotor_board *board,
                                     uint64_t t)
{
    if (t > window->end) {
        return false;
    }
    for (size_t i = 0; i < window->count; i++) {
        const lotor_fact *fact = lotor_board_at(board, 0, window->arms[i]);
        if (!(fact->value + window->slack[i] > window->bound * (double)fact->count)) {
            return false;
        }
    }
    return true;
}

/* For a window that stays: puts the picked arms in the order of round t. */
void lotor_index_rank_again(lotor_index_learner *learner, const lotor_board *board,
                            const uint64_t *shown, uint64_t t, uint64_t seed);

/* An arm's index in the latest choice: INFINITY without a release. */
double lotor_index_at(const lotor_index_learner *learner, size_t arm);

/* The vertices behind the latest pick (oracle->seeds of them), and what a picked set pays when arm
 * i's mean is means[i]. */
const uint32_t *lotor_index_seeds(const lotor_index_learner *learner);
double lotor_index_value(const lotor_index_learner *learner, const double *means,
                         const uint32_t *set, size_t count);

#endif
