/* index.h - the learner that computes an index for each arm and shows the set that an oracle picks
 * by them.
 *
 * An index is optimistic: the released mean of the arm plus a width that shrinks with the count n.
 *
 *      index = sum/n + root(t)/sqrt(n) + linear(t)/n
 *
 * A rule consists of the two functions root and linear, which never fall in t. Most published rules
 * here have this form. There are six exceptions:
 *   - Thompson sampling draws around sum/n + linear(t)/n.
 *   - A rule can add lift(digits)/n, if the noise of a sum depends on how many binary digits of n
 *     are 1 (the nodes of a tree).
 *   - A rule can compute the index from the arm's facts in its own way (`weigh`).
 *   - Two rules use bounds of another form (bounds_kl.h).
 *   - A rule can be a function of the arm's sum and count (`own`: rivals.c).
 *   - EXP3 gives every arm a probability, and draws one arm (`mixing`: rivals.c).
 * Arms without a release have an infinite index.
 */
#ifndef LOTOR_LEARN_INDEX_H
#define LOTOR_LEARN_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random/generator.h"
#include "board/board.h"
#include "choice/oracle.h"

/* The parameters of rules. All are public. */
typedef struct lotor_rule_params {
    double arms;    /* the number of arms: K in the papers on single arms */
    double slots;   /* the rank, or the length of a list: K in the other papers */
    double horizon; /* T; 0 if there is none */
    double epsilon; /* INFINITY: the privacy part of a width is 0 */
    double delta;
    double beta;            /* probability of failure */
    double nominal_epsilon; /* epsilon before the lab scaled the noise; else equal to epsilon */
    double log_horizon;     /* log T, computed once because every round needs it */
    double spread;          /* the weight of one report: see privacy/release/statistic.h */
} lotor_rule_params;

typedef struct lotor_widths {
    double root, linear;
} lotor_widths;

typedef enum lotor_sampling {
    LOTOR_SAMPLING_NONE = 0,
    LOTOR_SAMPLING_GAUSSIAN = 1, /* N(sum/n + linear/n, 1/n) */
    LOTOR_SAMPLING_BETA = 2,     /* Beta(1 + sum, 1 + n - sum), also before the first release */

    /* Beta(1 + s, 1 + n - s) with s = sum + linear, moved into [0, n]; infinite before the first
     * release. */
    LOTOR_SAMPLING_BETA_RAISED = 3,

    /* Neither samples nor widths: a bound of bounds_kl.h, with q = log t + 3 log log t. */
    LOTOR_SAMPLING_KL_BATCHES = 4, /* on batches: an arm's release number b is statistic b */
    LOTOR_SAMPLING_KL_BITS = 5,    /* on bits, each true with probability e^epsilon/(1+e^epsilon) */

    LOTOR_SAMPLING_OWN = 6, /* neither samples nor widths: the rule's function `own` */

    /* One arm, drawn with the probabilities of EXP3. The board must have sums of (reward - low)/p,
     * where p is the probability with which the arm was drawn (lotor_index_chance). */
    LOTOR_SAMPLING_CHANCES = 7
} lotor_sampling;

/* Which releases of an arm the function `own` of a rule gets. */
typedef enum lotor_reading {
    LOTOR_READING_LATEST = 0, /* statistic 0 */
    LOTOR_READING_ADDED = 1,  /* all batches, added up: release number b is statistic b */
    LOTOR_READING_BITS = 2    /* statistic 0, which counts bits: the sum is the number of ones */
} lotor_reading;

/* The input of such a function. Rewards are scaled to [0,1]; noise can move `sum` out of [0, n]. */
typedef struct lotor_index_sums {
    double n, sum; /* n > 0 */
    double best;   /* the largest mean of all eligible arms with a release, moved into [0,1] */
} lotor_index_sums;

typedef struct lotor_index_rule {
    const char *id;
    const char *formula; /* shown to users */
    bool uses_beta;      /* the widths depend on the probability of failure */
    lotor_sampling sampling;
    lotor_widths (*widths)(const lotor_rule_params *params, double t);

    /* The lift for an n with `digits` binary digits 1 (1 to 64); never falls in `digits`. May be
     * NULL. */
    double (*lift)(const lotor_rule_params *params, unsigned digits);

    /* The index itself, from the arm's facts and the widths at t; INFINITY before the first
     * release. May be NULL. A rule with this function gets no shortcuts. */
    double (*weigh)(lotor_widths widths, const lotor_board *board, size_t arm);

    /* For LOTOR_SAMPLING_OWN: the index of an arm with a release, for rewards in [0,1], at `log_t` =
     * lotor_kl_log(t). A larger index is better; INFINITY means that the arm must be shown. Finite
     * indices are within +-1e100, so that they can be scaled. */
    double (*own)(const lotor_rule_params *params, const lotor_index_sums *arm, double log_t);
    lotor_reading reading;
    bool compares; /* `own` uses `best` */

    /* For LOTOR_SAMPLING_CHANCES: gamma, the share of the draws that take any arm, each as likely. */
    double (*mixing)(const lotor_rule_params *params);
} lotor_index_rule;

/* The table: rule(NAME) is the rule lotor_rule_NAME, defined in rules.c or rivals.c. */
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
    rule(rr_klucb)              \
    rule(klucb)                 \
    rule(imed)                  \
    rule(moss)                  \
    rule(exp3)                  \
    rule(dp_klucb)              \
    rule(dp_imed)               \
    rule(adap_klucb)            \
    rule(ldp_ucb_l)             \
    rule(ldp_ucb_b)             \
    rule(lazy_dp_ts)
/* clang-format on */

#define LOTOR_RULE(name) extern const lotor_index_rule lotor_rule_##name;
LOTOR_INDEX_RULES(LOTOR_RULE)
#undef LOTOR_RULE

/* All rules, ended by NULL. */
extern const lotor_index_rule *const lotor_index_rules[];

/* True if the rule is one of the bounds of bounds_kl.h, or has its own function or probabilities.
 * Such a rule has no widths. */
static inline bool lotor_index_rule_is_bound(const lotor_index_rule *rule)
{
    return rule->sampling >= LOTOR_SAMPLING_KL_BATCHES;
}

typedef struct lotor_index_learner lotor_index_learner;

typedef struct lotor_index_setup {
    const lotor_index_rule *rule;
    lotor_rule_params params;
    const lotor_oracle *oracle; /* borrowed */
    double low, high;           /* the rewards' range; widths are for [0,1] and are scaled to it */
    bool at_once;               /* each observation is released by itself, and changes one arm */
    bool ranked; /* the order of a list matters: by decreasing index, otherwise by arm */
    bool clip;   /* indices are capped at `high` */
} lotor_index_setup;

lotor_status lotor_index_new(const lotor_index_setup *setup, lotor_index_learner **out);
void lotor_index_free(lotor_index_learner *learner);

/* Says how many rounds an arm can be shown before its next release. */
typedef uint64_t lotor_room(const void *context, size_t arm);

/* Picks the arms of round t from the releases on the board (statistic 0) and from how often each
 * arm was shown. Ties and samples depend only on (seed, t). So asking again gives the same pick,
 * also after a save and a load. Returns how many arms were picked; 0 if the oracle failed. The
 * array *picked is valid until the next call. The number *hold says for how many rounds the pick
 * stays the same while the board does, at most room(context, arm) of each picked arm; it is 1 if
 * `room` is NULL. */
size_t lotor_index_choose(lotor_index_learner *learner, const lotor_board *board,
                          const uint64_t *shown, uint64_t t, uint64_t seed, lotor_room *room,
                          const void *context, const uint32_t **picked, uint64_t *hold);

/* The same among eligible arms (`eligible` has a flag per arm), for oracles that take arms in the
 * order of their indices: the result is the best set of eligible arms. It can be smaller than
 * usual; 0: there is no such set, or the oracle failed. Later choices do not depend on this
 * call. */
size_t lotor_index_choose_among(lotor_index_learner *learner, const lotor_board *board,
                                const uint64_t *shown, uint64_t t, uint64_t seed,
                                const bool *eligible, const uint32_t **picked);

/* Of rules with probabilities: that of an arm in the latest choice (0 if it was not eligible), and a
 * lower bound of the probabilities of all eligible arms in all choices. */
double lotor_index_chance(const lotor_index_learner *learner, size_t arm);
double lotor_index_least_chance(const lotor_index_learner *learner);

/* A window: up to round `end`, the arms chosen last are surely chosen again. The conditions are
 * that only these arms get new releases, and that for each of them sum + slack > bound * count.
 * Windows exist only for learners that see every observation at once; end = 0 means that there is
 * no window. `arms` is in the order of the pick that opened the window. That order stays valid only
 * if picks are not ranked. */
typedef struct lotor_index_window {
    uint64_t end;
    double bound;
    size_t count;
    const uint32_t *arms;
    const double *slack;
    const double *lift; /* by the number of binary digits 1 of n; the slack has lift[1]. Or NULL */
} lotor_index_window;

const lotor_index_window *lotor_index_window_of(const lotor_index_learner *learner);

/* True if the window's conditions hold in round t. */
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

/* Ranks the picked arms again, for round t of a window that holds. */
void lotor_index_rank_again(lotor_index_learner *learner, const lotor_board *board,
                            const uint64_t *shown, uint64_t t, uint64_t seed);

/* A random number for an arm in a round: a function of (seed, t, arm). */
static inline uint64_t lotor_index_random(uint64_t seed, uint64_t t, size_t arm)
{
    return lotor_mix(seed + t * UINT64_C(0x9e3779b97f4a7c15) +
                     (uint64_t)arm * UINT64_C(0xd1b54a32d192ed03));
}

/* A number that breaks ties, the higher number first: the arm shown least, then a random one. */
static inline uint64_t lotor_index_tie(uint64_t seed, uint64_t t, size_t arm, uint64_t shown)
{
    const uint64_t most = (UINT64_C(1) << 40) - 1;
    return (most - (shown < most ? shown : most)) << 24 | lotor_index_random(seed, t, arm) >> 40;
}

/* Sorts a set by arm, so that the result does not depend on how the set was found. */
static inline void lotor_index_sort_set(uint32_t *picked, size_t count)
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

/* The index of an arm in the latest choice: INFINITY before the first release. */
double lotor_index_at(const lotor_index_learner *learner, size_t arm);

/* The oracle->seeds vertices behind the latest pick. And: the expected reward of a picked set, if
 * means[i] is the mean of arm i. */
const uint32_t *lotor_index_seeds(const lotor_index_learner *learner);
double lotor_index_value(const lotor_index_learner *learner, const double *means,
                         const uint32_t *set, size_t count);

#endif
