/* interval.h - confidence bounds for a probability, from k successes in n trials (Clopper and
 * Pearson 1934). The bounds hold for every n and every probability, not only for large samples. */
#ifndef LOTOR_LAB_INTERVAL_H
#define LOTOR_LAB_INTERVAL_H

#include <stdint.h>

/* The regularised incomplete beta function I_x(a, b), for a, b > 0 and x in [0,1]: the probability
 * that a Beta(a, b) is at most x. */
double lotor_beta_below(double x, double a, double b);

/* Lower and upper confidence bound. Low: the least probability with P(k or more of n) >= miss.
 * High: the largest probability with P(k or fewer of n) >= miss. Each bound fails with probability
 * at most `miss`. n > 0, k <= n, 0 < miss < 1. */
double lotor_proportion_low(uint64_t k, uint64_t n, double miss);
double lotor_proportion_high(uint64_t k, uint64_t n, double miss);

#endif
