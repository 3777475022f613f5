/* linear.h - the learner of contextual linear problems: it is optimistic over a confidence
 * ellipsoid.
 *
 * The board holds the released sums of [x;y][x;y]': entry (i, j), j <= i, is the fact of arm
 * i(i+1)/2 + j. Let V be the top left d x d part of this matrix plus shift I, and u its last row
 * without the corner:
 *
 *      theta = V^-1 u;  show the action with the largest  <theta, x> + beta_t |x|_(V^-1)
 *      beta_t = sigma sqrt(2 log(2/alpha) + log det V - d log rho_min) + S sqrt(rho_max) + gamma
 *
 * (Shariff and Sheffet 2018, Algorithm 1 and Proposition 4.) A rule consists of the four constants
 * shift, rho_min, rho_max and gamma, which are functions of public parameters. Entries that were
 * not released yet count as 0. While only a part of a release is on the board, the learner uses the
 * release before it.
 *
 * Sums that are released in batches have their own bounds (linear_batch.h). Batches that stay
 * separate on the board have no bounds: they give what a Bayesian believes (linear_bayes.h). Then V
 * is the precision P, beta is a half, and a width is half a standard deviation. Before the first
 * release the learner of batches shows the longest action.
 *
 * Linear Thompson sampling has no widths. It draws one theta~ from the normal law with mean theta and
 * covariance sigma^2 V^-1, and shows the action with the largest <theta~, x>. This is the posterior
 * for normal rewards and the prior N(0, sigma^2/lambda I) (Russo and Van Roy 2014). Agrawal and Goyal
 * 2013 multiply the covariance by 9 d log(t/alpha).
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
    double reward_noise; /* sigma: rewards are sub-Gaussian around their mean */
    double theta_length; /* S: |theta| is at most this */
    double bound;        /* the largest |(x, y)| */
    double regularizer;  /* lambda, used without privacy */
    double levels;       /* m: the levels of the tree */
    double gaussian;     /* the standard deviation of the Gaussian noise; 0 if there is none */
    double degrees;      /* k: the degrees of freedom of the Wishart noise; 0 if there is none */

    /* Batches only. */
    double response;        /* the standard deviation of the noise on the sums of x y */
    double releases;        /* J: the largest number of releases */
    uint64_t first_release; /* n0: the first round of release; each next one is twice the last */
} lotor_linear_params;

typedef struct lotor_linear_bounds {
    double shift, rho_min, rho_max, gamma;
} lotor_linear_bounds;

typedef struct lotor_linear_rule {
    const char *id;
    const char *formula; /* shown to users */
    lotor_linear_bounds (*bounds)(const lotor_linear_params *params);
    bool batched;   /* the rule uses the bounds of linear_batch.h */
    bool posterior; /* the rule uses the beliefs of linear_bayes.h */
    bool samples;   /* linear Thompson sampling: lotor_linear_begin comes before each choice */
} lotor_linear_rule;

/* The table: rule(NAME) is the rule lotor_rule_NAME, defined in linear_rules.c. */
/* clang-format off */
#define LOTOR_LINEAR_RULES(rule) \
    rule(linucb)                 \
    rule(lints)                  \
    rule(jdp_gaussian)           \
    rule(jdp_wishart)            \
    rule(jdp_wishart_shifted)    \
    rule(jdp_linucb)             \
    rule(jdp_batch)              \
    rule(jdp_bayes)
/* clang-format on */

#define LOTOR_RULE(name) extern const lotor_linear_rule lotor_rule_##name;
LOTOR_LINEAR_RULES(LOTOR_RULE)
#undef LOTOR_RULE

/* All rules, ended by NULL. */
extern const lotor_linear_rule *const lotor_linear_rules[];

typedef struct lotor_linear_learner lotor_linear_learner;

/* LOTOR_INVALID for parameters that define no ellipsoid: there is nothing to choose from, alpha is
 * outside (0,1), or the rule's rho_min is not above 0 (Wishart noise of very few degrees). */
lotor_status lotor_linear_new(const lotor_linear_rule *rule, const lotor_linear_params *params,
                              lotor_linear_learner **out);
void lotor_linear_free(lotor_linear_learner *learner);

/* For rules that sample: the number of the coming round, and the seed. The sample depends
 * only on these and on the board, so that asking again gives the same choice. Other rules ignore
 * it. */
void lotor_linear_begin(lotor_linear_learner *learner, uint64_t t, uint64_t seed);

/* The action to show. `contexts` has actions x dimension finite numbers, action by action. The
 * board must be the same in each call, with (dimension + 1)(dimension + 2)/2 arms. Among equal
 * indices, the lower number wins. If V is not positive definite (noise can cause this, rarely), the
 * longest action is chosen and the round is counted. The same holds for batches if the computation
 * fails. Allocates nothing. */
uint32_t lotor_linear_choose(lotor_linear_learner *learner, const lotor_board *board,
                             const double *contexts);

/* The same among eligible actions (`eligible` has a flag per action; at least one must be set). The
 * rows of the other actions are not read. */
uint32_t lotor_linear_choose_among(lotor_linear_learner *learner, const lotor_board *board,
                                   const double *contexts, const bool *eligible);

/* How many choices were made while V was not positive definite. */
uint64_t lotor_linear_indefinite(const lotor_linear_learner *learner);

/* For tests and reports: theta and beta of the latest choice. theta has `dimension` numbers. If V
 * was not positive definite, theta is 0 and beta is infinite. */
const double *lotor_linear_theta_of(const lotor_linear_learner *learner, double *beta);

/* How far <theta, x> may be off, for the V of the latest choice; INFINITY if nothing is known. For
 * linear_bayes.h it is half a standard deviation, and bounds nothing. */
double lotor_linear_width(lotor_linear_learner *learner, const double *x);

/* theta by the board, and how far each coordinate of it may be off. Both arrays have `dimension`
 * numbers. A width is INFINITY if the rule has no confidence set (linear_bayes.h, samples). Returns
 * false if nothing was released yet, or if V is not positive definite. */
bool lotor_linear_weights(lotor_linear_learner *learner, const lotor_board *board, double *theta,
                          double *widths);

/* (t - theta)' V (t - theta) for the V of the latest choice. It is at most beta^2 if t is inside
 * the ellipsoid. This does not hold for batches, because their bound has two parts. */
double lotor_linear_distance(const lotor_linear_learner *learner, const double *t);

/* The parameters and constants of the learner, for simulations that compute the same choices in
 * another way (ellipsoid.h). *is_plain is false for batches, posteriors and samples. */
const lotor_linear_params *lotor_linear_params_of(const lotor_linear_learner *learner,
                                                  lotor_linear_bounds *bounds, bool *is_plain);

/* The learner's section of a saved state: the count of lotor_linear_indefinite. All else follows
 * from the board. */
void lotor_linear_save(const lotor_linear_learner *learner, lotor_writer *writer);
void lotor_linear_load(lotor_linear_learner *learner, lotor_reader *reader);

#endif
