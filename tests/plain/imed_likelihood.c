/* imed_likelihood.c - the likelihood of an arm's mean, by its definition: see imed.h. */
#include "plain/imed.h"

#include <math.h>

static const double LEAST = 1e-9; /* means are at least this, and at most 1 minus this */

/* log(mean) and log(1 - mean). */
typedef struct log_mean {
    long double one, zero;
} log_mean;

/* The term of k successes: C(n,k) mean^k (1-mean)^(n-k) e^(-epsilon |S-k|). */
static long double log_term(const plain_imed *imed, plain_imed_batch batch, size_t k, log_mean mean)
{
    const long double *log_factorials = imed->log_factorials;
    size_t n = (size_t)batch.n;
    long double choose = log_factorials[n] - log_factorials[k] - log_factorials[n - k];

    return choose + (long double)k * mean.one + (long double)(n - k) * mean.zero -
           (long double)imed->epsilon * fabsl((long double)batch.sum - (long double)k);
}

/* -n kl(y, q), y the share of bits that are 1, q the probability of a 1. */
static long double log_bits(const plain_imed *imed, plain_imed_batch batch, long double mean)
{
    long double p = 1 / (1 + expl(-(long double)imed->epsilon)), q = 1 - p + (2 * p - 1) * mean;
    long double y = (long double)batch.sum / (long double)batch.n;
    long double kl = 0;

    kl += y > 0 ? y * logl(y / q) : 0;
    kl += y < 1 ? (1 - y) * logl((1 - y) / (1 - q)) : 0;
    return -(long double)batch.n * kl;
}

long double plain_imed_log(const plain_imed *imed, plain_imed_batch batch, double mean)
{
    long double most = -INFINITY, sum = 0;
    log_mean logs = {logl(mean), log1pl(-(long double)mean)};

    if (imed->is_local) {
        return log_bits(imed, batch, mean);
    }
    if (isinf(imed->epsilon)) { /* the sum is exact: C(n,S) is left out */
        return batch.sum * logs.one + (batch.n - batch.sum) * logs.zero;
    }
    for (size_t k = 0; k <= (size_t)batch.n; k++) {
        most = fmaxl(most, log_term(imed, batch, k, logs));
    }
    for (size_t k = 0; k <= (size_t)batch.n; k++) {
        sum += expl(log_term(imed, batch, k, logs) - most);
    }
    return most + logl(sum);
}

long double plain_imed_log_all(const plain_imed *imed, size_t arm, double mean)
{
    const plain_imed_arm *own = &imed->arm[arm];
    long double sum = 0;

    for (size_t i = 0; i < own->count; i++) {
        sum += plain_imed_weight(own->batches[i]) * plain_imed_log(imed, own->batches[i], mean);
    }
    return sum;
}

/* For rr-imed: the share of ones, without the lies, clipped. */
static double honest_share(const plain_imed *imed, size_t arm)
{
    double p = 1 / (1 + exp(-imed->epsilon));
    double y = imed->arm[arm].batches[0].sum / imed->arm[arm].batches[0].n;

    return fmin(fmax((y - (1 - p)) / (2 * p - 1), 0), 1);
}

/* Golden sections, until the maximum is known to a thousandth of its standard deviation. */
double plain_imed_maximum(const plain_imed *imed, size_t arm)
{
    const double ratio = (sqrt(5) - 1) / 2;
    double low = LEAST, high = 1 - LEAST;
    double a = high - ratio * (high - low), b = low + ratio * (high - low);
    long double at_a, at_b;

    if (imed->is_local) {
        return honest_share(imed, arm);
    }
    at_a = plain_imed_log_all(imed, arm, a);
    at_b = plain_imed_log_all(imed, arm, b);
    while (high - low > 1e-3 * plain_imed_deviation(imed, arm, (low + high) / 2)) {
        if (at_a > at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - ratio * (high - low);
            at_a = plain_imed_log_all(imed, arm, a);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + ratio * (high - low);
            at_b = plain_imed_log_all(imed, arm, b);
        }
    }
    /* Golden sections never reach an end of the interval. */
    if (low == LEAST && plain_imed_log_all(imed, arm, LEAST) >= at_a) {
        return LEAST;
    }
    if (high == 1 - LEAST && plain_imed_log_all(imed, arm, 1 - LEAST) >= at_b) {
        return 1 - LEAST;
    }
    return (low + high) / 2;
}

/* s_f of step 5: its square is (m (1 - m) n + 2 j/epsilon^2)/n^2. */
double plain_imed_deviation(const plain_imed *imed, size_t arm, double mean)
{
    const plain_imed_arm *own = &imed->arm[arm];
    double n = plain_imed_released(own), j = 0;
    double m = fmin(fmax(mean, 0.01), 0.99);

    for (size_t i = 0; i < own->count; i++) {
        j += plain_imed_weight(own->batches[i]);
    }

    if (imed->is_local) {
        double p = 1 / (1 + exp(-imed->epsilon)), q = 1 - p + (2 * p - 1) * m;

        return sqrt(q * (1 - q) / n) / (2 * p - 1);
    }
    return sqrt(m * (1 - m) * n + 2 * j / (imed->epsilon * imed->epsilon)) / n;
}

double plain_imed_evidence(const plain_imed *imed, size_t arm, double level)
{
    double estimate = imed->arm[arm].estimate;

    if (level <= estimate) {
        return 0;
    }
    return (double)(plain_imed_log_all(imed, arm, estimate) -
                    plain_imed_log_all(imed, arm, fmin(level, 1 - LEAST)));
}
