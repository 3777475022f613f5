/* statistics.c - see statistics.h.
 *
 * The chi-square tail is the regularized upper incomplete gamma function Q(degrees/2,
 * statistic/2). Below the mean it is computed by the power series of 1 - Q, above it by Legendre's
 * continued fraction (Abramowitz and Stegun 1964, 6.5.29 and 6.5.31). It needs long double, since the
 * common factor x^a exp(-x)/Gamma(a) is the exponential of a small difference of large numbers.
 * Kolmogorov's law has two series, one quick on each side of 1; the finite-sample correction is
 * Stephens's (1970).
 */
#include "support/statistics.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_TERMS = 10000000,
    MOST_UNIT_CELLS = 512,
    MOST_RANGE = 1 << 26,
    QUANTILE_CELLS = 200,
    LEAST_EXPECTED = 10,
};

static double clamp_p(long double p)
{
    if (isnan(p)) {
        return NAN;
    }
    if (p < (long double)DBL_MIN) {
        return DBL_MIN;
    }
    return p > 1 ? 1 : (double)p;
}

/* 1 - Q(a, x) divided by the common factor x^a exp(-x)/Gamma(a). */
static long double lower_series(long double a, long double x)
{
    long double term = 1 / a;
    long double sum = term;

    for (int k = 1; k < MOST_TERMS && term > sum * LDBL_EPSILON; k++) {
        term *= x / (a + (long double)k);
        sum += term;
    }
    return sum;
}

/* Q(a, x) divided by the common factor, by Lentz's forward evaluation. */
static long double upper_fraction(long double a, long double x)
{
    const long double tiny = LDBL_MIN / LDBL_EPSILON;
    long double b = x + 1 - a;
    long double c = 1 / tiny;
    long double d = 1 / b;
    long double value = d;

    for (int k = 1; k < MOST_TERMS; k++) {
        const long double numerator = -(long double)k * ((long double)k - a);
        b += 2;
        d = numerator * d + b;
        d = 1 / (fabsl(d) < tiny ? tiny : d);
        c = b + numerator / c;
        c = fabsl(c) < tiny ? tiny : c;
        value *= d * c;
        if (fabsl(d * c - 1) < 2 * LDBL_EPSILON) {
            break;
        }
    }
    return value;
}

double chi_square_p(double statistic, double degrees)
{
    if (isnan(statistic) || !(degrees > 0) || isinf(degrees)) {
        return NAN;
    }
    if (statistic <= 0) {
        return 1;
    }
    if (isinf(statistic)) {
        return DBL_MIN;
    }
    const long double a = (long double)degrees / 2;
    const long double x = (long double)statistic / 2;
    const long double factor = expl(a * logl(x) - x - lgammal(a));

    if (x < a + 1) {
        return clamp_p(1 - factor * lower_series(a, x));
    }
    return clamp_p(factor * upper_fraction(a, x));
}

/* Pearson's statistic. Cells come in order. A cell whose expected count is too small is merged with
 * the next. */
typedef struct pearson {
    long double statistic;
    long double cells;
    long double waiting_expected; /* too small to be a cell so far */
    long double waiting_observed;
    long double last_expected; /* the last full cell, kept so that a remainder can join it */
    long double last_observed;
} pearson;

static void pearson_settle_last(pearson *test)
{
    if (test->last_expected > 0) {
        const long double difference = test->last_observed - test->last_expected;
        test->statistic += difference * difference / test->last_expected;
        test->cells += 1;
    }
}

static void pearson_add(pearson *test, long double expected, size_t observed)
{
    test->waiting_expected += expected;
    test->waiting_observed += (long double)observed;
    if (test->waiting_expected < (long double)LEAST_EXPECTED) {
        return;
    }
    pearson_settle_last(test);
    test->last_expected = test->waiting_expected;
    test->last_observed = test->waiting_observed;
    test->waiting_expected = 0;
    test->waiting_observed = 0;
}

/* Merges the waiting part with the last full cell. Without a full cell, the waiting part becomes a
 * separate cell, however small: samples where the law has almost no mass must not be hidden by
 * later cells. */
static void pearson_flush(pearson *test)
{
    test->last_expected += test->waiting_expected;
    test->last_observed += test->waiting_observed;
    test->waiting_expected = 0;
    test->waiting_observed = 0;
}

static double pearson_finish(pearson *test)
{
    pearson_flush(test);
    if (isnan(test->last_expected)) {
        return NAN;
    }
    pearson_settle_last(test);
    return chi_square_p((double)test->statistic, (double)(test->cells - 1));
}

static int compare_integers(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static int64_t *sorted_copy(const int64_t *samples, size_t count)
{
    int64_t *sorted = count > 0 ? malloc(count * sizeof *sorted) : NULL;
    if (!sorted) {
        return NULL;
    }
    memcpy(sorted, samples, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_integers);
    return sorted;
}

/* Tests sorted samples whose range is small enough. */
static double test_masses(const int64_t *sorted, size_t count, mass_function *mass, const void *law)
{
    const int64_t lowest = sorted[0];
    const int64_t range = sorted[count - 1] - lowest + 1;
    const int64_t width = (range + MOST_UNIT_CELLS - 1) / MOST_UNIT_CELLS;
    pearson test = {0};
    long double inside = 0;
    size_t next = 0; /* the first sample not yet counted */

    for (int64_t start = 0; start < range; start += width) {
        const int64_t end = start + width < range ? start + width : range;
        const size_t first = next;
        long double cell = 0;
        for (int64_t offset = start; offset < end; offset++) {
            const int64_t value = lowest + offset;
            const double here = mass(value, law);
            const size_t before = next;
            while (next < count && sorted[next] == value) {
                next++;
            }
            if (here == 0 && next > before) {
                return DBL_MIN;
            }
            cell += (long double)here;
        }
        inside += cell;
        pearson_add(&test, cell * (long double)count, next - first);
    }
    const long double outside = inside < 1 ? (1 - inside) * (long double)count : 0;
    if (outside >= (long double)LEAST_EXPECTED) {
        pearson_flush(&test);
    }
    pearson_add(&test, outside, 0);
    return isnan(inside) ? NAN : pearson_finish(&test);
}

double chi_square_test(const int64_t *samples, size_t count, mass_function *mass, const void *law)
{
    int64_t *sorted = sorted_copy(samples, count);
    if (!sorted) {
        return NAN;
    }
    const uint64_t spread = (uint64_t)sorted[count - 1] - (uint64_t)sorted[0];
    const double p = spread < MOST_RANGE ? test_masses(sorted, count, mass, law) : NAN;
    free(sorted);
    return p;
}

/* The lowest value whose distribution function reaches `level`, by bisection over all int64. */
static int64_t quantile(integer_distribution_function *cdf, const void *law, double level)
{
    int64_t low = INT64_MIN;
    int64_t high = INT64_MAX;

    while (low < high) {
        const int64_t middle = (low & high) + ((low ^ high) >> 1); /* rounded down, no overflow */
        if (cdf(middle, law) >= level) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

double chi_square_test_cdf(const int64_t *samples, size_t count, integer_distribution_function *cdf,
                           const void *law)
{
    int64_t *sorted = sorted_copy(samples, count);
    if (!sorted) {
        return NAN;
    }
    pearson test = {0};
    long double below = 0; /* the law's mass below the current cell */
    size_t next = 0;

    for (int cell = 1; cell <= QUANTILE_CELLS; cell++) {
        const bool last = cell == QUANTILE_CELLS;
        const int64_t end =
            last ? INT64_MAX : quantile(cdf, law, (double)cell / (double)QUANTILE_CELLS);
        const long double reached = last ? 1 : (long double)cdf(end, law);
        const size_t first = next;
        while (next < count && sorted[next] <= end) {
            next++;
        }
        pearson_add(&test, (reached - below) * (long double)count, next - first);
        below = reached;
    }
    free(sorted);
    return pearson_finish(&test);
}

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* P(Kolmogorov's limit variable >= value). */
static double kolmogorov_p(double value)
{
    if (value <= 0) {
        return 1;
    }
    long double sum = 0;
    if (value < 1) { /* the theta function's other side */
        for (int k = 1; k <= 15; k += 2) {
            sum += expl(-(long double)(k * k) * 1.2337005501361698274L / value / value);
        }
        return clamp_p(1 - 2.5066282746310005024L / value * sum); /* pi^2/8, sqrt(2 pi) */
    }
    for (int k = 1; k <= 7; k++) {
        const long double term = 2 * expl(-2 * (long double)(k * k) * value * value);
        sum += k % 2 ? term : -term;
    }
    return clamp_p(sum);
}

double kolmogorov_test(double *samples, size_t count, distribution_function *cdf, const void *law)
{
    double distance = 0;

    for (size_t i = 0; i < count; i++) {
        if (isnan(samples[i])) {
            return NAN;
        }
    }
    if (count == 0) {
        return NAN;
    }
    qsort(samples, count, sizeof *samples, compare_doubles);
    for (size_t i = 0; i < count; i++) {
        const double here = cdf(samples[i], law);
        if (isnan(here)) {
            return NAN;
        }
        distance = fmax(distance, here - (double)i / (double)count);
        distance = fmax(distance, (double)(i + 1) / (double)count - here);
    }
    const double root = sqrt((double)count);
    return kolmogorov_p((root + 0.12 + 0.11 / root) * distance);
}

double two_sample_test(double *one, double *other, size_t count)
{
    enum { MOST_CELLS = 40 };
    if (count < LEAST_EXPECTED * MOST_CELLS) {
        return NAN;
    }
    qsort(one, count, sizeof *one, compare_doubles);
    qsort(other, count, sizeof *other, compare_doubles);
    double statistic = 0, degrees = -1;
    size_t i = 0, j = 0, cell_i = 0, cell_j = 0; /* places, and where the cell starts */
    while (i < count || j < count) {
        const double value = j == count || (i < count && one[i] < other[j]) ? one[i] : other[j];
        for (; i < count && !(one[i] > value); i++) {
        }
        for (; j < count && !(other[j] > value); j++) {
        }
        const size_t size = i - cell_i + j - cell_j, left = 2 * count - i - j;
        const bool is_full = size >= 2 * count / MOST_CELLS && left >= 2 * count / MOST_CELLS;
        if (is_full || left == 0) {
            const double off = (double)(i - cell_i) - (double)(j - cell_j);
            statistic += off * off / (double)size;
            degrees += 1;
            cell_i = i;
            cell_j = j;
        }
    }
    return degrees > 0 ? chi_square_p(statistic, degrees) : NAN;
}
