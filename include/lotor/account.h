/* account.h - composition of privacy guarantees, and what a budget means for an attacker.
 *
 * All functions are pure: they keep no state and are safe from any thread. An epsilon, a delta or
 * a noise size in a result is rounded towards the weaker claim. So the printed claim is never
 * stronger than the proved one. A parameter out of range gives LOTOR_INVALID and a message.
 */
#ifndef LOTOR_ACCOUNT_H
#define LOTOR_ACCOUNT_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The budget of one (epsilon, delta)-differential-privacy guarantee. */
typedef struct lotor_budget {
    double epsilon; /* >= 0, INFINITY allowed */
    double delta;   /* in [0,1] */
} lotor_budget;

/* The least error probability of an attacker: (1 - delta) / (1 + e^epsilon). The attacker sees all
 * outputs, knows all other data, at first thinks two answers of one person equally likely, and picks one
 * of the two. Returns 0 if `budget` is not a valid budget. */
LOTOR_API double lotor_account_adversary_failure(lotor_budget budget);

/* Basic composition: adds up the epsilons, and adds up the deltas, of guarantees on the same data.
 * A person who takes part in several campaigns is protected by the sum. */
LOTOR_API lotor_status lotor_account_compose_basic(const lotor_budget *parts, size_t count,
                                                   lotor_message *why, lotor_budget *out);

/* Optimal composition of `times` guarantees with the same budget: the least epsilon that they give
 * together at a total of `delta` (Kairouz, Oh and Viswanath 2015, Theorem 3.3). Above 2^26
 * guarantees, the bound of their Theorem 3.5 is used. LOTOR_INVALID: `delta` is below
 * 1 - (1 - part.delta)^times, which can't be reached. */
LOTOR_API lotor_status lotor_account_compose_same(lotor_budget part, uint64_t times, double delta,
                                                  lotor_message *why, lotor_budget *out);

/* Composition of guarantees with different budgets (Theorem 3.5 of the same paper). The epsilon is
 * never above the plain sum. `slack` in (0,1) is the delta to spend on composition; none of it is
 * spent if the plain sum is best. */
LOTOR_API lotor_status lotor_account_compose_mixed(const lotor_budget *parts, size_t count,
                                                   double slack, lotor_message *why,
                                                   lotor_budget *out);

/* rho of zero-concentrated differential privacy (zCDP; Bun and Steinke 2016). Under composition the
 * rhos add up. A Gaussian of deviation sigma, discrete or continuous, on a sum of L2 sensitivity s
 * is s^2 / (2 sigma^2)-zCDP. An epsilon-DP mechanism is epsilon^2/2-zCDP. Both functions return
 * INFINITY for parameters out of range. */
LOTOR_API double lotor_account_zcdp_of_gaussian(double sensitivity, double sigma);
LOTOR_API double lotor_account_zcdp_of_pure(double epsilon);

/* rho-zCDP implies (epsilon, delta)-DP, P(S) <= e^epsilon P'(S) + delta for all sets S of outputs,
 * for every epsilon, at a delta that depends on it. These functions return that delta, and the
 * least epsilon for a delta, by the conversion of Canonne, Kamath and Steinke 2020, Proposition
 * 12, at its best order. */
LOTOR_API lotor_status lotor_account_zcdp_delta(double rho, double epsilon, lotor_message *why,
                                                double *delta);
LOTOR_API lotor_status lotor_account_zcdp_epsilon(double rho, double delta, lotor_message *why,
                                                  double *epsilon);

/* The largest rho for which this conversion gives (epsilon, delta), rounded down: what a Gaussian release may
 * spend. It is certain that zcdp_delta(rho, epsilon) <= delta. LOTOR_INVALID: delta is 0 and
 * epsilon is finite. */
LOTOR_API lotor_status lotor_account_zcdp_rho(lotor_budget budget, lotor_message *why, double *rho);

/* The exact delta of the continuous Gaussian mechanism, and the least sigma for a budget
 * (Balle and Wang 2018). sigma is 0 when no noise is needed. These are for comparison only: the
 * library's own releases are calibrated by zCDP. */
LOTOR_API lotor_status lotor_account_gaussian_delta(double sensitivity, double sigma,
                                                    double epsilon, lotor_message *why,
                                                    double *delta);
LOTOR_API lotor_status lotor_account_gaussian_sigma(double sensitivity, lotor_budget budget,
                                                    lotor_message *why, double *sigma);

/* Group privacy: the budget of a person who takes part in k = `rounds` rounds. It is k epsilon, and
 * delta (e^(k epsilon) - 1) / (e^epsilon - 1), at most 1. */
LOTOR_API lotor_status lotor_account_group_privacy(lotor_budget budget, uint64_t rounds,
                                                   lotor_message *why, lotor_budget *out);

#ifdef __cplusplus
}
#endif
#endif
