/* statistics.h - p-values for the distribution tests.
 *
 * A test accepts a sampler if p > 1e-6. Seeds are fixed, so results never change; with new seeds a
 * false alarm would come once in a million. The test must also reject, p < 1e-6, the same data
 * against a law whose scale is 10% off.
 *
 * Every p-value is in [DBL_MIN, 1]: it is never 0. If a test is not possible (no samples, no
 * memory, a single cell, a law or a sample that is NaN), the result is NaN, which fails both
 * assertions, `p > P_ACCEPT` and `p < P_ACCEPT`.
 */
#ifndef LOTOR_TESTS_STATISTICS_H
#define LOTOR_TESTS_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

enum { SAMPLES = 200000 };
#define P_ACCEPT 1e-6

/* P(chi-square with `degrees` degrees of freedom >= statistic). */
double chi_square_p(double statistic, double degrees);

/* Pearson's chi-square test of integer samples against a law given by its probability function.
 *
 * Cells run from the lowest to the highest sample. They have unit width if that makes at most 512
 * cells, and are wider otherwise (then `mass` is summed over each cell). Neighbouring cells are
 * merged until each expects at least 10. The law's mass beyond the samples, on both sides, is one
 * more cell, without samples. A sample of mass exactly 0 is impossible: p = DBL_MIN. `mass` is
 * called once for every integer of the range. For more than 2^26 integers the result is NaN: use
 * chi_square_test_cdf. */
typedef double mass_function(int64_t value, const void *law);
double chi_square_test(const int64_t *samples, size_t count, mass_function *mass, const void *law);

/* The same for a law given by P(X <= value), over any range. The 200 cells are cut at the law's
 * quantiles k/200 (fewer if a single value contains several of them). */
typedef double integer_distribution_function(int64_t value, const void *law);
double chi_square_test_cdf(const int64_t *samples, size_t count, integer_distribution_function *cdf,
                           const void *law);

/* Kolmogorov-Smirnov p-value of samples (sorted in place) against a continuous law. */
typedef double distribution_function(double value, const void *law);
double kolmogorov_test(double *samples, size_t count, distribution_function *cdf, const void *law);

/* Chi-square p-value that two samples of the same size have the same law. `one` and `other` are sorted
 * in place. Up to 40 cells are cut at quantiles of both together; equal numbers share a cell. */
double two_sample_test(double *one, double *other, size_t count);

#endif
