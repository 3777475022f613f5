/* linear.h - the learner of contextual linear problems: optimism over an ellipsoid.
 *
 * The board holds the released sums of [x;y][x;y]', entry (i, j), j <= i, as the fact of arm
 * i(i+1)/2 + j. With V = its top left d x d part + shift I and u = its last row without the corner:
 *
 *      theta = V^-1 u,  shows the action with the largest  <theta, x> + beta_t |x|_(V^-1)
 *      beta_t = sigma sqrt(2 log(2/alpha) + log det V - d log rho_min) + S sqrt(rho_max) + gamma
 *
 * (Shariff and Sheffet 2018, Algorithm 1 and Proposition 4.) A rule is the four constants; they are
 * functions of public parameters. Entries that were not released yet count as 0; while a
 * release is half on the board, the one before it is used.
 *
 * Sums that are released in batches have their own bounds (linear_batch.h); before the first release
 * the longest action is shown.
 */
#ifndef LOTOR_LEARN_LINEAR_H
#define LOTOR_LEARN_LINEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "board/board.h"

typedef struct lotor_linear_params {
    size_t dimension, actions;
    double horizon;      /* n */
    double alpha;        /* probability of failure */
    double reward_noise; /* sigma: rewards are sub-Gaussian about their mean */
    double theta_length; /* S: |theta| is at most this */
    double bound;        /* the largest |(x, y)| */
    double regularizer;  /* lambda, without privacy */
    double levels;       /* m: of the tree */
    double gaussian;     /* the noise's standard deviation; 0 where there is none */
    double degrees;      /* k: of the Wishart noise; 0 where there is none */

    /* Batches only. */
    double response;        /* the standard deviation of the noise on the sums of x y */
    double releases;        /* J: how many there are at most */
    uint64_t first_release; /* n0: its round; each comes at twice the round of the one before */
} lotor_linear_params;

typedef struct lotor_linear_bounds {
    double shift, rho_min, rho_max, gamma;
} lotor_linear_bounds;

typedef struct lotor_linear_rule {
    const char *id;
    const char *formula; /* for people */
    lotor_linear_bounds (*bounds)(const lotor_linear_params *params);
    bool batched; /* its bounds are those of linear_batch.h */
} lotor_linear_rule;

/* The table: rule(NAME) is the rule lotor_rule_NAME, defined in linear_rules.c. */
/* clang-format off */
#define LOTOR_LINEAR_RULES(rule) \
    rule(linucb)                 \
    rule(jdp_gaussian)           \
    rule(jdp_wishart)            \
    rule(jdp_wishart_shifted)    \
    rule(jdp_linucb)             \
    rule(jdp_batch)
/* clang-format on */

#define LOTOR_RULE(name) extern const lotor_linear_rule lotor_rule_##name;
LOTOR_LINEAR_RULES(LOTOR_RULE)
#undef LOTOR_RULE

/* All of them, ended by NULL. */
extern const lotor_linear_rule *const lotor_linear_rules[];

typedef struct lotor_linear_learner lotor_linear_learner;

/* LOTOR_INVALID for parameters without an ellipsoid: nothing to choose from, alpha outside (0,1), or a
 * rule that bounds the noise's eigenvalues by nothing above 0 (Wishart noise of very few degrees). */
lotor_status lotor_linear_new(const lotor_linear_rule *rule, const lotor_linear_params *params,
                              lotor_linear_learner **out);
void lotor_linear_free(lotor_linear_learner *learner);

/* The action to show; `contexts` has actions x dimension finite numbers, action by action. The board
 * is the same one each time, with (dimension + 1)(dimension + 2)/2 arms. Equal indices: the lower
 * number. Where V is not positive definite (noise can do that, rarely), the longest action, and the
 * round is counted; so for batches where numbers fail. Allocates nothing. */
uint32_t lotor_linear_choose(lotor_linear_learner *learner, const lotor_board *board,
                             const double *contexts);

/* The same among the actions that may be shown (`eligible`: a flag per action, at least one is set);
 * the rows of the others are not read. */
uint32_t lotor_linear_choose_among(lotor_linear_learner *learner, const lotor_board *board,
                                   const double *contexts, const bool *eligible);

/* How often V was not positive definite so far. */
uint64_t lotor_linear_indefinite(const lotor_linear_learner *learner);

/* For tests and reports: theta and beta of the latest choice (theta has `dimension` numbers; 0, with
 * an infinite beta, where V was not positive definite). */
const double *lotor_linear_theta_of(const lotor_linear_learner *learner, double *beta);

/* How far <theta, x> may be off, with the V of the latest choice: INFINITY where it says nothing. */
double lotor_linear_width(lotor_linear_learner *learner, const double *x);

/* (t - theta)' V (t - theta) for the V of the latest choice: at most beta^2 when t is inside (not
 * for batches, whose bound has two parts). */
double lotor_linear_distance(const lotor_linear_learner *learner, const double *t);

/* Its section of a saved state: the count above. The rest follows from the board. */
void lotor_linear_save(const lotor_linear_learner *learner, lotor_writer *writer);
void lotor_linear_load(lotor_linear_learner *learner, lotor_reader *reader);

#endif
