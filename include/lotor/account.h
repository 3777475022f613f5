/* account.h - what privacy promises add up to, and what they mean.
 *
 * Pure functions: no state, safe from any thread. Results that are promises (an epsilon, a
 * delta, a noise size) are rounded towards the weaker claim, so what is printed is never more
 * than what is proved. Parameters out of range give LOTOR_INVALID and a message.
 */
#ifndef LOTOR_ACCOUNT_H
#define LOTOR_ACCOUNT_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One (epsilon, delta)-differential-privacy promise. */
typedef struct lotor_budget {
    double epsilon; /* >= 0, INFINITY allowed */
    double delta;   /* in [0,1] */
} lotor_budget;

/* An attacker who knows everything but one bit of one person's data, and sees all outputs,
 * guesses that bit wrong at least this often: (1 - delta) / (1 + e^epsilon). 0 for what is no
 * budget. */
LOTOR_API double lotor_account_adversary_failure(lotor_budget budget);

/* Promises on the same data add up: epsilons and deltas each (basic composition). A person who
 * meets several campaigns is protected by the sum. */
LOTOR_API lotor_status lotor_account_compose_basic(const lotor_budget *parts, size_t count,
                                                   lotor_message *why, lotor_budget *out);

/* The least epsilon that `times` promises of the same budget give together at a total of
 * `delta` (Kairouz, Oh and Viswanath 2015, Theorem 3.3: optimal; past 2^26 of them by the bound of
 * Theorem 3.5). A delta below 1 - (1 - part.delta)^times can't be reached: LOTOR_INVALID. */
LOTOR_API lotor_status lotor_account_compose_same(lotor_budget part, uint64_t times, double delta,
                                                  lotor_message *why, lotor_budget *out);

/* The same for promises that differ (their Theorem 3.5; its epsilon is never above the plain sum).
 * `slack` in (0,1) is the delta to spend on composing; none is spent where the sum is best. */
LOTOR_API lotor_status lotor_account_compose_mixed(const lotor_budget *parts, size_t count,
                                                   double slack, lotor_message *why,
                                                   lotor_budget *out);

/* rho-zCDP (Bun and Steinke 2016). Rhos add up. A Gaussian of deviation sigma on a sum of L2
 * sensitivity s is s^2 / (2 sigma^2)-zCDP, discrete or not; epsilon-DP is epsilon^2/2-zCDP.
 * INFINITY for what makes no sense. */
LOTOR_API double lotor_account_zcdp_of_gaussian(double sensitivity, double sigma);
LOTOR_API double lotor_account_zcdp_of_pure(double epsilon);

/* The least delta at epsilon, and the least epsilon at delta, that rho-zCDP proves (Canonne,
 * Kamath and Steinke 2020, Proposition 12, minimised over its order). */
LOTOR_API lotor_status lotor_account_zcdp_delta(double rho, double epsilon, lotor_message *why,
                                                double *delta);
LOTOR_API lotor_status lotor_account_zcdp_epsilon(double rho, double delta, lotor_message *why,
                                                  double *epsilon);

/* The largest rho that still proves (epsilon, delta), rounded down: what a Gaussian release may
 * spend. zcdp_delta(rho, epsilon) <= delta surely. Refused at delta = 0, unless epsilon is
 * infinite. */
LOTOR_API lotor_status lotor_account_zcdp_rho(lotor_budget budget, lotor_message *why, double *rho);

/* The exact delta of the continuous Gaussian mechanism, and the least sigma for a budget
 * (Balle and Wang 2018), 0 when no noise is needed. For comparison: exact releases are calibrated
 * by zCDP. */
LOTOR_API lotor_status lotor_account_gaussian_delta(double sensitivity, double sigma,
                                                    double epsilon, lotor_message *why,
                                                    double *delta);
LOTOR_API lotor_status lotor_account_gaussian_sigma(double sensitivity, lotor_budget budget,
                                                    lotor_message *why, double *sigma);

/* A person who takes part in `rounds` rounds (group privacy): k epsilon, and
 * delta (e^(k epsilon) - 1) / (e^epsilon - 1), at most 1. */
LOTOR_API lotor_status lotor_account_group(lotor_budget budget, uint64_t rounds, lotor_message *why,
                                           lotor_budget *out);

#ifdef __cplusplus
}
#endif
#endif
