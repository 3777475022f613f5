/* divergence.c - see divergence.h; the formulas are derived in bounds.md. */
#include "lab/divergence.h"

#include <assert.h>
#include <math.h>

static double kl_term(double p, double q)
{
    return p > 0.0 ? p * log(p / q) : 0.0; /* q = 0: infinite */
}

double lotor_kl_bernoulli(double x, double y)
{
    return kl_term(x, y) + kl_term(1.0 - x, 1.0 - y);
}

/* For x < y the slope of kl(z, y) in z is -epsilon at
 *
 *      z* = y e^-epsilon / (1 - y + y e^-epsilon),
 *
 * so the least value is at the larger of x and z*. At z* it is -epsilon x - log(1 - y + y
 * e^-epsilon). */
double lotor_divergence_central(double x, double y, double epsilon)
{
    assert(epsilon > 0.0);
    if (x > y) {
        return lotor_divergence_central(1.0 - x, 1.0 - y, epsilon);
    }
    if (isinf(epsilon)) {
        return lotor_kl_bernoulli(x, y);
    }
    if (y == 1.0) { /* z* = 1; the logarithm below would underflow */
        return epsilon * (1.0 - x);
    }
    const double shrunk = y * exp(-epsilon);
    if (x >= shrunk / (1.0 - y + shrunk)) {
        return lotor_kl_bernoulli(x, y);
    }
    return -epsilon * x - log1p(y * expm1(-epsilon));
}

/* u - log(1 + u), without cancellation near 0. */
static double excess(double u)
{
    if (fabs(u) > 0.1) {
        return u - log1p(u);
    }
    double sum = 0.0, power = u * u;
    for (int k = 2; k < 20; k++) { /* 0.1^18 is below the rounding */
        sum += power / k;
        power *= -u;
    }
    return sum;
}

/* One of the two terms of kl(p, p + gap), plus `gap`. As the other one has minus `gap`, kl is the
 * sum of both, and none is negative. */
static double kl_part(double p, double gap)
{
    return p > 0.0 ? p * excess(gap / p) : gap;
}

double lotor_divergence_local(double x, double y, double epsilon)
{
    assert(epsilon > 0.0);
    const double truth = tanh(epsilon / 2.0); /* how far the bit's mean moves with the arm's */
    const double lie = 1.0 / (1.0 + exp(epsilon));
    const double gap = truth * (y - x);
    return kl_part(lie + truth * x, gap) + kl_part(lie + truth * (1.0 - x), -gap);
}

double lotor_divergence_duchi(double x, double y, double epsilon)
{
    const double steep = expm1(epsilon);
    return fmin(4.0, exp(2.0 * epsilon)) * steep * steep * (y - x) * (y - x);
}
