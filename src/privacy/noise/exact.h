/* exact.h - exact integer samplers (Canonne, Kamath and Steinke 2020, "The Discrete Gaussian for
 * Differential Privacy").
 *
 * Every probability is a fraction of integers, and only integers are compared. So the law is
 * exactly the stated one, not an approximation. Scales are fractions num/den. The `check` functions
 * state the limits; callers of the samplers must keep to them. If source->status is not LOTOR_OK
 * after a draw, the draw must not be used. Nothing is allocated.
 */
#ifndef LOTOR_PRIVACY_NOISE_EXACT_H
#define LOTOR_PRIVACY_NOISE_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"

/* Uniform in 0..bound-1, without bias; bound > 0. */
uint64_t lotor_exact_below(lotor_source *source, uint64_t bound);

/* True with probability num/den; 0 <= num <= den, den > 0. */
bool lotor_exact_bernoulli(lotor_source *source, uint64_t num, uint64_t den);

/* True with probability exp(-num/den); den > 0. */
bool lotor_exact_bernoulli_exp(lotor_source *source, uint64_t num, uint64_t den);

/* The number of failures, from 0, before the first success of probability num/den in (0,1]. Takes
 * time den/num on average. */
lotor_status lotor_exact_check_geometric(uint64_t num, uint64_t den, lotor_message *why);
uint64_t lotor_exact_geometric(lotor_source *source, uint64_t num, uint64_t den);

/* P(x) proportional to exp(-|x| den/num), with scale num/den < 2^57 and num < 2^62. The result is
 * taken modulo 2^64. A draw exceeds 2^64 with probability below e^-64; taking it modulo 2^64 is
 * post-processing, so no privacy is lost. */
lotor_status lotor_exact_check_laplace(uint64_t num, uint64_t den, lotor_message *why);
int64_t lotor_exact_laplace(lotor_source *source, uint64_t num, uint64_t den);

/* P(x) proportional to exp(-x^2 / (2 sigma^2)), sigma = num/den, both below 2^47. */
lotor_status lotor_exact_check_gaussian(uint64_t num, uint64_t den, lotor_message *why);
int64_t lotor_exact_gaussian(lotor_source *source, uint64_t num, uint64_t den);

#endif
