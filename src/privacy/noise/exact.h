/* exact.h - exact integer samplers (Canonne, Kamath and Steinke 2020, "The Discrete Gaussian for
 * Differential Privacy").
 *
 * Every probability is a fraction of integers, every comparison is one of integers, so the law
 * is the stated one and not an approximation of it. Scales are fractions num/den. The `check`
 * functions state the limits; the samplers trust them. Draws mean nothing when source->status is
 * not LOTOR_OK afterwards. No allocation.
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

/* Number of failures, from 0, before the first success of probability num/den in (0,1].
 * Takes time den/num on average. */
lotor_status lotor_exact_check_geometric(uint64_t num, uint64_t den, lotor_message *why);
uint64_t lotor_exact_geometric(lotor_source *source, uint64_t num, uint64_t den);

/* P(x) proportional to exp(-|x| den/num): scale num/den < 2^57, num < 2^62. The result is taken
 * modulo 2^64, which a draw passes with probability below e^-64 (and which is post-processing, so no
 * privacy is lost where it does). */
lotor_status lotor_exact_check_laplace(uint64_t num, uint64_t den, lotor_message *why);
int64_t lotor_exact_laplace(lotor_source *source, uint64_t num, uint64_t den);

/* P(x) proportional to exp(-x^2 / (2 sigma^2)), sigma = num/den, both below 2^47. */
lotor_status lotor_exact_check_gaussian(uint64_t num, uint64_t den, lotor_message *why);
int64_t lotor_exact_gaussian(lotor_source *source, uint64_t num, uint64_t den);

#endif
