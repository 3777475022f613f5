/* bounds_kl.c - upper confidence bounds from noisy sums of batches, and from randomized bits.
 *
 * bounds_kl.h has the formulas, bounds_kl.md the proofs behind the numerical methods. All
 * computations use logarithms and theta/epsilon, so that no epsilon overflows, not even INFINITY.
 */
#include "learn/bounds_kl.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

enum { MOST_STEPS = 100 }; /* Newton steps; a bisection step replaces one that leaves the bracket */

static const double grid = 0.02; /* q is a multiple of this */

double lotor_kl_budget(uint64_t t)
{
    const double log_t = log(t > 3 ? (double)t : 3.0);
    return floor((log_t + 3.0 * log(log_t)) / grid) * grid;
}

double lotor_kl_log(uint64_t t)
{
    return floor(log(t > 1 ? (double)t : 1.0) / grid) * grid;
}

/* The u = theta^2/epsilon^2 of the smallest width: n epsilon^2 u/8 + 2ju/(1-u) + j log(1-u) = q.
 * The left side is convex and rising, and at least A u + j u/(1-u) with A = n epsilon^2/8. Newton's
 * method starts at the root of that bound, and falls to the root of the left side without passing
 * it. */
static double best_share(double j, double n, double epsilon, double q)
{
    assert(j > 0.0 && n > 0.0 && q >= 0.0);
    const double A = 0.125 * n * epsilon * epsilon;
    const double root = sqrt((A - q) * (A - q) + j * (j + 2.0 * (A + q)));
    double u = 2.0 * q / (A + j + q + root);
    for (int step = 0; step < MOST_STEPS; step++) {
        const double rest = 1.0 - u;
        const double excess = A * u + 2.0 * j * u / rest + j * log1p(-u) - q;
        const double next = u - excess / (A + j * (1.0 + u) / (rest * rest));
        if (!(next < u * (1.0 - 1e-12))) {
            break;
        }
        u = next;
    }
    return u;
}

double lotor_kl_width(double j, double n, double epsilon, double q)
{
    if (isinf(epsilon)) {
        return sqrt(0.5 * q / n);
    }
    const double u = best_share(j, n, epsilon, q), theta = epsilon * sqrt(u);
    return (q + 0.125 * n * theta * theta - j * log1p(-u)) / (theta * n);
}

/* A width falls with n and rises with j. So the width of j + 1 batches with all n rounds together
 * is a lower bound for j + 1 and more batches. The search ends when this lower bound is no better
 * than the best width so far. */
size_t lotor_kl_span(const double *sizes, size_t count, double epsilon, double q)
{
    if (isinf(epsilon)) {
        return count; /* without noise, all batches are best */
    }
    assert(count > 0);
    double n = 0.0, total = 0.0, least = INFINITY;
    size_t best = 1;
    for (size_t j = 0; j < count; j++) {
        total += sizes[j];
    }
    for (size_t j = 1; j <= count; j++) {
        n += sizes[j - 1];
        const double width = lotor_kl_width((double)j, n, epsilon, q);
        if (width < least) {
            least = width;
            best = j;
        } else if (!(lotor_kl_width((double)j + 1.0, total, epsilon, q) < least)) {
            break;
        }
    }
    assert(best >= 1 && best <= count);
    return best;
}

/* The exponent a(theta) of bounds_kl.h, and its first two derivatives. */
typedef struct exponent {
    double value, slope, bend;
} exponent;

static exponent exponent_at(lotor_batch_sums on, double epsilon, double q, double theta)
{
    const double share = theta / epsilon, u = share * share, rest = 1.0 - u;
    const double noise = on.j / (on.n * epsilon);
    return (exponent){
        .value = (q + theta * on.sum - on.j * log1p(-u)) / on.n,
        .slope = on.sum / on.n + 2.0 * noise * share / rest,
        .bend = 2.0 * noise / epsilon * (1.0 + u) / (rest * rest),
    };
}

/* The theta at which theta - a is largest. The bound is below 1 if and only if theta - a is above 0
 * there; then the minimum that we look for is to the left. INFINITY without noise: then theta - a
 * is above 0 for all theta above q/(n - S). */
static double farthest_theta(lotor_batch_sums on, double epsilon)
{
    const double reach = (on.n - on.sum) * epsilon;
    const double share = fmin(reach / (on.j + hypot(on.j, reach)), 1.0 - 1e-12);
    return isinf(epsilon) ? INFINITY : epsilon * share;
}

/* A first guess, for small theta and a Bernoulli variance v: n (v + 2j/(n epsilon^2)) theta^2/2 =
 * q. */
static double guess_theta(lotor_batch_sums on, double epsilon, double q, double most)
{
    const double mean = fmin(1.0, fmax(0.0, on.sum / on.n));
    const double variance = mean * (1.0 - mean) + 2.0 * on.j / on.n / epsilon / epsilon;
    const double theta = sqrt(2.0 * q / (on.n * variance));
    return theta < most ? theta : isinf(most) ? 2.0 * q / (on.n - on.sum) : 0.5 * most;
}

/* The ratio (1 - e^-a)/(1 - e^-theta) falls where slope expm1(theta) < expm1(a), and rises where it
 * is larger. This is the logarithm of slope expm1(theta) / expm1(a), which does not overflow for
 * any theta. -INFINITY if the slope is not above 0. */
static double log_excess(exponent a, double theta)
{
    const double over = theta - a.value + log(expm1(-theta) / expm1(-a.value));
    return a.slope > 0.0 ? log(a.slope) + over : -INFINITY;
}

/* A Newton step towards the theta where log_excess is 0. Near that theta, if theta is small,
 * expm1(a) times the excess is nearly a parabola around 0; then the step is done in theta^2. NAN:
 * no step is possible. */
static double better_theta(exponent a, double theta, double excess)
{
    if (!isfinite(excess)) {
        return NAN;
    }
    const double rise = a.bend / a.slope - 1.0 / expm1(-theta) + a.slope / expm1(-a.value);
    if (fabs(excess) > 0.5) {
        return theta - excess / rise;
    }
    const double square = theta * theta - 2.0 * theta * excess / rise;
    return square > 0.0 ? sqrt(square) : NAN;
}

double lotor_kl_batch_bound(lotor_batch_sums on, double epsilon, double q)
{
    if (!(on.sum < on.n)) {
        return 1.0; /* a is above theta for all theta */
    }
    const double most = farthest_theta(on, epsilon);
    if (isfinite(most) && !(exponent_at(on, epsilon, q, most).value < most)) {
        return 1.0;
    }
    double low = 0.0, high = most, theta = guess_theta(on, epsilon, q, most), least = 1.0;
    for (int step = 0; step < MOST_STEPS; step++) {
        const exponent a = exponent_at(on, epsilon, q, theta);
        if (a.value <= 0.0) {
            return 0.0;
        }
        double next = NAN;
        if (a.value >= theta) {
            low = theta; /* the minimum is to the right: the ratio is below 1 at `most` */
        } else {
            least = fmin(least, expm1(-a.value) / expm1(-theta));
            const double excess = log_excess(a, theta);
            *(excess > 0.0 ? &high : &low) = theta;
            next = better_theta(a, theta, excess);
        }
        if (!(next > low && next < high)) {
            next = isinf(high) ? 2.0 * theta : low + 0.5 * (high - low);
        }
        if (fabs(next - theta) <= 1e-7 * theta || !(next < 1e300)) {
            break; /* near a minimum, the error of the ratio is the square of this */
        }
        theta = next;
    }
    assert(least >= 0.0 && least <= 1.0);
    return least;
}

double lotor_kl_divergence(double p, double v)
{
    assert(p >= 0.0 && p <= 1.0 && v >= 0.0 && v <= 1.0);
    return (p > 0.0 ? p * log(p / v) : 0.0) +
           (p < 1.0 ? (1.0 - p) * log((1.0 - p) / (1.0 - v)) : 0.0);
}

/* The divergence is convex in v and rises for v above p: Newton's method from the right falls to
 * the root. */
double lotor_kl_bit_bound(double ones, double n, double q)
{
    assert(n > 0.0 && q >= 0.0);
    const double p = ones / n, wanted = q / n;
    if (ones <= 0.0) {
        return -expm1(-wanted);
    }
    if (ones >= n) {
        return 1.0;
    }
    /* Start above the root: Pinsker's bound, or if that is not below 1, use log v <= 0:
     * (1-p) log((1-p)/(1-v)) <= wanted - p log p. */
    double high = 1.0;
    double v = p + sqrt(0.5 * wanted);
    if (!(v < 1.0)) {
        v = 1.0 - (1.0 - p) * exp(-(wanted - p * log(p)) / (1.0 - p));
    }
    double low = p;
    for (int step = 0; step < MOST_STEPS; step++) {
        const double excess = lotor_kl_divergence(p, v) - wanted;
        *(excess > 0.0 ? &high : &low) = v;
        double next = v - excess * v * (1.0 - v) / (v - p);
        if (!(next > low && next < high)) {
            next = low + 0.5 * (high - low);
        }
        if (fabs(next - v) <= 1e-8) {
            return next; /* the error is about the square of this */
        }
        v = next;
    }
    return v;
}

double lotor_kl_response_bound(double ones, double n, double epsilon, double q)
{
    const double v = lotor_kl_bit_bound(ones, n, q);
    const double lie = 1.0 / (1.0 + exp(epsilon)), gain = tanh(0.5 * epsilon);
    return (v - lie) / gain;
}
