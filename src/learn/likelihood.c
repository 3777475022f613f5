/* likelihood.c - see likelihood.h; likelihood.md has the formulas and the proofs.
 *
 * Let s be S rounded down, and r = S - s. The terms of f are compared with the binomial probability
 * of s, so that nothing cancels:
 *
 *      f = pmf(s) (e^(-epsilon r) below + e^(epsilon r) above)
 *      below = sum over k <= s of pmf(k)/pmf(s) e^(-epsilon (s-k))
 *      above = sum over k > s  of pmf(k)/pmf(s) e^(-epsilon (k-s))
 *
 * Both sums are tails of binomial distributions with a tilted mean.
 */
#include "learn/likelihood.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { FACTORIALS = 16, SHORT_SUM = 24 };

#define NORMAL_SHARP  1e5  /* deviations of the rewards' sum in one of the noise */
#define EPSILON_SHARP 40.0 /* from here on noise hardly ever changes a whole sum */

/* log n! minus Stirling's log(sqrt(2 pi n) (n/e)^n), for n from 1 to 15. */
static const double stirling_errors[FACTORIALS] = {
    0.0,
    0.08106146679532725822,
    0.041340695955409294094,
    0.027677925684998339149,
    0.020790672103765093112,
    0.016644691189821192163,
    0.013876128823070747999,
    0.011896709945891770095,
    0.010411265261972096497,
    0.0092554621827127329177,
    0.0083305634333628712565,
    0.007573675487951840795,
    0.0069428401072095298657,
    0.0064089941880042070684,
    0.0059513701127588477356,
    0.005554733551962801371,
};

/* The same for whole n > 0. */
static double stirling_error(double n)
{
    if (n < (double)FACTORIALS) {
        return stirling_errors[(size_t)n];
    }
    const double m = n * n;
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 / m) / m) / m) / m) / n;
}

/* x log(x/expected) + expected - x, exact also where x is close to `expected` (Loader 2000). */
static double deviance(double x, double expected)
{
    const double v = (x - expected) / (x + expected);
    if (fabs(v) >= 0.1) {
        return x * log(x / expected) + expected - x;
    }
    double sum = (x - expected) * v, term = 2.0 * x * v, before;
    unsigned i = 1;
    do {
        before = sum;
        term *= v * v;
        sum += term / (2 * i++ + 1);
    } while (sum != before);
    return sum;
}

lotor_likelihood lotor_likelihood_of(double count, double sum, double epsilon)
{
    assert(count >= 1.0 && count == floor(count) && !isnan(sum) && epsilon > 0.0);
    lotor_likelihood at = {
        .count = count,
        .sum = sum,
        .epsilon = epsilon,
        .decay = exp(-epsilon),
        .loss = -expm1(-epsilon),
    };
    if (sum < 0.0 || sum >= count || epsilon > EPSILON_SHARP) {
        return at;
    }
    const double s = floor(sum);
    at.whole = s;
    at.part = sum - s;
    if (s > 0.0) {
        at.log_choose = stirling_error(count) - stirling_error(s) - stirling_error(count - s) +
                        0.5 * log(count / (2.0 * M_PI * s * (count - s)));
    }
    return at;
}

/* The logarithm of the binomial probability of `whole`. */
static double log_pmf(const lotor_likelihood *at, double mean)
{
    const double n = at->count, s = at->whole;
    if (s == 0.0) {
        return n * log1p(-mean);
    }
    return at->log_choose - deviance(s, n * mean) - deviance(n - s, n * (1.0 - mean));
}

/* --- tails ------------------------------------------------------------------------------------ */

typedef struct quadrature_node {
    double at, weight;
} quadrature_node;

/* Gauss-Legendre on [0,1]. */
static const quadrature_node few_nodes[] = {
    {0.00343570040745253761, 0.00880700356957605916},
    {0.0180140363610431044, 0.0203007149001934707},
    {0.0438827858743370471, 0.0313360241670545318},
    {0.0804415140888905883, 0.0416383707883523744},
    {0.126834046769924604, 0.0509650599086202175},
    {0.181973159636742487, 0.0590972659807592087},
    {0.244566499024586451, 0.0658443192245883134},
    {0.31314695564229022, 0.0710480546591910257},
    {0.386107074429177461, 0.0745864932363018734},
    {0.461736739433251333, 0.0763766935653629253},
    {0.538263260566748667, 0.0763766935653629253},
    {0.613892925570822539, 0.0745864932363018734},
    {0.68685304435770978, 0.0710480546591910257},
    {0.755433500975413549, 0.0658443192245883134},
    {0.818026840363257513, 0.0590972659807592087},
    {0.873165953230075396, 0.0509650599086202175},
    {0.919558485911109412, 0.0416383707883523744},
    {0.956117214125662953, 0.0313360241670545318},
    {0.981985963638956896, 0.0203007149001934707},
    {0.996564299592547462, 0.00880700356957605916},
};
static const quadrature_node many_nodes[] = {
    {0.00136806907525921823, 0.0035093050047350483}, {0.0071942442273658323, 0.0081371973654528353},
    {0.0176188722062467846, 0.0126960326546310297},  {0.0325469620311301554, 0.0171369314565107166},
    {0.051839422116973938, 0.0214179490111133403},   {0.0753161931337150149, 0.0254990296311880881},
    {0.102758102016028797, 0.0293420467392677736},   {0.13390894062985516, 0.0329111113881809234},
    {0.1684778665348924, 0.0361728970544242531},     {0.206142121379618835, 0.0390969478935351532},
    {0.246550045533885305, 0.0416559621134733776},   {0.289324361934682327, 0.0438260465022019056},
    {0.334065698858936175, 0.0455869393478819424},   {0.380356318873931463, 0.0469221995404022828},
    {0.427764019208601753, 0.0478193600396374297},   {0.475846167156130842, 0.0482700442573639003},
    {0.524153832843869158, 0.0482700442573639003},   {0.572235980791398247, 0.0478193600396374297},
    {0.619643681126068537, 0.0469221995404022828},   {0.665934301141063825, 0.0455869393478819424},
    {0.710675638065317673, 0.0438260465022019056},   {0.753449954466114695, 0.0416559621134733776},
    {0.793857878620381165, 0.0390969478935351532},   {0.8315221334651076, 0.0361728970544242531},
    {0.86609105937014484, 0.0329111113881809234},    {0.897241897983971203, 0.0293420467392677736},
    {0.924683806866284985, 0.0254990296311880881},   {0.948160577883026062, 0.0214179490111133403},
    {0.967453037968869845, 0.0171369314565107166},   {0.982381127793753215, 0.0126960326546310297},
    {0.992805755772634168, 0.0081371973654528353},   {0.998631930924740782, 0.0035093050047350483},
};

/* exp(-(n-k) u) (1 + ratio (1 - e^-u))^k as a logarithm: 0 at u = 0, falling and concave. */
static double log_integrand(double n, double k, double ratio, double u)
{
    return k * log1p(-ratio * expm1(-u)) - (n - k) * u;
}

/* tail() as an integral: (n-k) times the integral of exp(log_integrand) over u > 0. */
static double integrate_tail(double n, double k, double ratio)
{
    const double enough = 26.0; /* e^-26 is too small to count */
    const double slope = fmax(0.0, n - k - k * ratio), bend = k * ratio * (1.0 + ratio);
    double end = 2.0 * enough / (slope + sqrt(slope * slope + 2.0 * enough * bend));
    while (log_integrand(n, k, ratio, end) > -enough) {
        end *= 1.3;
    }
    const bool is_smooth = n - k >= 50.0;
    const quadrature_node *nodes = is_smooth ? few_nodes : many_nodes;
    const size_t count =
        is_smooth ? sizeof few_nodes / sizeof *few_nodes : sizeof many_nodes / sizeof *many_nodes;
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += nodes[i].weight * exp(log_integrand(n, k, ratio, end * nodes[i].at));
    }
    return (n - k) * end * sum;
}

/* 1 + ratio k/(n-k+1) + ratio^2 k (k-1)/((n-k+1) (n-k+2)) + ..., for k < n and terms that fall from
 * the beginning. */
static double tail(double n, double k, double ratio)
{
    const double first = ratio * k / (n - k + 1.0);
    assert(k >= 0.0 && k < n && first <= 1.0 + 1e-9);
    if (k >= (double)SHORT_SUM && first > 0.55) {
        return integrate_tail(n, k, ratio);
    }
    double term = 1.0, sum = 1.0;
    for (double l = 0.0; l < k && term > 1e-13 * sum; l++) {
        term *= ratio * (k - l) / (n - k + 1.0 + l);
        sum += term;
    }
    return sum;
}

/* log(e^whole - e^part), where part < whole except for rounding. */
static double log_difference(double whole, double part)
{
    const double share = exp(part - whole);
    return share < 1.0 ? whole + log1p(-share) : -INFINITY;
}

/* The logarithms of `below` and `above`. If the terms of a sum grow at first, it is the whole
 * binomial sum, which has a closed form, minus the other tail, whose terms fall. The closed form is
 * written with the smaller of s and n - s, so that little cancels. */
static double log_below(const lotor_likelihood *at, double mean, double pmf)
{
    const double n = at->count, s = at->whole, other = 1.0 - mean;
    const double ratio = other / mean * at->decay;
    if (ratio * s <= n - s + 1.0) {
        return log(tail(n, s, ratio));
    }
    const double all = 2.0 * s < n ? n * log1p(mean * expm1(at->epsilon)) - at->epsilon * s
                                   : n * log1p(-other * at->loss) + at->epsilon * (n - s);
    const double rest = (n - s) / ((s + 1.0) * ratio) * tail(n, n - s - 1.0, 1.0 / ratio);
    return log_difference(all - pmf, log(rest));
}

static double log_above(const lotor_likelihood *at, double mean, double pmf)
{
    const double n = at->count, s = at->whole, k = n - s - 1.0, other = 1.0 - mean;
    const double ratio = mean / other * at->decay;
    if (ratio * k <= n - k + 1.0) {
        return log((n - s) / (s + 1.0) * ratio * tail(n, k, ratio));
    }
    const double all = 2.0 * s < n ? n * log1p(-mean * at->loss) + at->epsilon * s
                                   : n * log1p(other * expm1(at->epsilon)) - at->epsilon * (n - s);
    return log_difference(all - pmf, log(tail(n, s, 1.0 / ratio)));
}

/* --- the likelihood --------------------------------------------------------------------------- */

/* Without noise: S log m + (n - S) log(1 - m). */
static double log_sharp(const lotor_likelihood *at, double mean, double *slope)
{
    const double n = at->count, sum = fmin(fmax(at->sum, 0.0), n);
    *slope = sum / mean - (n - sum) / (1.0 - mean);
    return sum * log(mean) + (n - sum) * log1p(-mean);
}

/* All k are on one side of S, so the sum is a power. */
static double log_outside(const lotor_likelihood *at, double mean, double *slope)
{
    const double n = at->count, other = 1.0 - mean;
    if (at->sum < 0.0) {
        *slope = -n * at->loss / (1.0 - mean * at->loss);
        return at->epsilon * at->sum + n * log1p(-mean * at->loss);
    }
    *slope = n * at->loss / (1.0 - other * at->loss);
    return n * log1p(-other * at->loss) - at->epsilon * (at->sum - n);
}

/* The slope is n E[w(K+1) - w(K)] / f, where w(k) = e^(-epsilon |S-k|) and K counts n - 1 rewards.
 * Its sums over K follow from `below` and `above` (likelihood.md). */
static double log_inside(const lotor_likelihood *at, double mean, double *slope)
{
    const double n = at->count, s = at->whole, r = at->part, other = 1.0 - mean;
    const double pmf = log_pmf(at, mean);
    const double below = log_below(at, mean, pmf), above = log_above(at, mean, pmf);
    const double shift = at->epsilon * r;
    const double top = fmax(below - shift, above + shift);
    const double f = exp(below - shift - top) + exp(above + shift - top);
    const double unit = exp(-top) * (n - s) / n;
    const double left = (exp(below - top) - unit) / (other + mean / at->decay);
    const double right = (exp(above - top) + unit) / (other + mean * at->decay);
    const double middle = unit / other;
    *slope = n *
             (expm1(at->epsilon) * exp(-shift) * left +
              middle * (exp(shift - at->epsilon) - exp(-shift)) -
              at->loss * exp(shift) * (right - middle)) /
             f;
    return pmf + top + log(f);
}

/* --- rewards of known variance ---------------------------------------------------------------- */

lotor_likelihood lotor_likelihood_normal(double count, double sum, double epsilon, double variance)
{
    assert(count >= 1.0 && !isnan(sum) && epsilon > 0.0 && variance > 0.0);
    return (lotor_likelihood){
        .count = count, .sum = sum, .epsilon = epsilon, .deviation = sqrt(count * variance)};
}

/* The logarithm of e^(r^2/2 - r u) P(N < u - r) for a standard normal N. Far out, by the first terms
 * of the asymptotic series of P: what is large cancels there. */
static double log_normal_side(double u, double r)
{
    const double x = r - u, square = x * x;
    if (x < 30.0) {
        return r * (0.5 * r - u) + log(0.5 * erfc(x * M_SQRT1_2));
    }
    return -0.5 * u * u - log(x) - 0.5 * log(2.0 * M_PI) +
           log1p((-1.0 + (3.0 - 15.0 / square) / square) / square);
}

/* With u = (S - n m)/s, s the deviation and r = epsilon s, and up to a factor without the mean:
 *      f = e^(r^2/2) (e^(-r u) P(N < u - r) + e^(r u) P(N < -u - r)) */
static double log_normal(const lotor_likelihood *at, double mean, double *slope)
{
    const double s = at->deviation, u = (at->sum - at->count * mean) / s, r = at->epsilon * s;
    if (r > NORMAL_SHARP) {
        *slope = at->count * u / s;
        return -0.5 * u * u;
    }
    const double right = log_normal_side(u, r), left = log_normal_side(-u, r);
    const double most = fmax(right, left), share = exp(-fabs(right - left));
    *slope = at->count * at->epsilon * copysign((1.0 - share) / (1.0 + share), right - left);
    return most + log1p(share);
}

double lotor_likelihood_log(const lotor_likelihood *at, double mean, double *slope)
{
    double unused = 0.0;
    assert(mean > 0.0 && mean < 1.0);
    slope = slope ? slope : &unused;
    if (at->deviation > 0.0) {
        return log_normal(at, mean, slope);
    }
    if (at->epsilon > EPSILON_SHARP) {
        return log_sharp(at, mean, slope);
    }
    return at->sum < 0.0 || at->sum >= at->count ? log_outside(at, mean, slope)
                                                 : log_inside(at, mean, slope);
}
