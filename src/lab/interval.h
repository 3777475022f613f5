/* interval.h - how sure k successes in n trials make us of their probability (Clopper and Pearson
 * 1934): bounds that hold for every n and every probability, not only for large samples. */
#ifndef LOTOR_LAB_INTERVAL_H
#define LOTOR_LAB_INTERVAL_H

#include <stdint.h>

/* The regularised incomplete beta function I_x(a, b), for a, b > 0 and x in [0,1]: the probability
 * that a Beta(a, b) is at most x. */
double lotor_beta_below(double x, double a, double b);

/* The least probability under which k or more of n are not rarer than `miss`, and the largest one
 * under which k or fewer are not: each bound fails with probability at most `miss`. n > 0, k <= n,
 * 0 < miss < 1. */
double lotor_proportion_low(uint64_t k, uint64_t n, double miss);
double lotor_proportion_high(uint64_t k, uint64_t n, double miss);

#endif
