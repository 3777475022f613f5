/* gaussian.c - the standard normal, by inverting its distribution function.
 *
 * Wichura's rational approximations (1988, algorithm AS 241, routine PPND16) have 16 correct
 * digits: one for the middle, |x| < 1.44, and two for the tails, in sqrt(-log(tail probability)).
 * Each draw uses one random word: one bit is the sign, and 63 bits are the probability of at least
 * this size. That probability is at least 2^-64, so |x| is at most 9.1.
 */
#include <string.h>

#include "base/random/laws.h"

typedef double coefficients[8]; /* of x^0, x^1, ..., x^7 */

static const coefficients middle_above = {
    3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
    1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
    3.3430575583588128105e4, 2.5090809287301226727e3,
};
static const coefficients middle_below = {
    1,
    4.2313330701600911252e1,
    6.8718700749205790830e2,
    5.3941960214247511077e3,
    2.1213794301586595867e4,
    3.9307895800092710610e4,
    2.8729085735721942674e4,
    5.2264952788528545610e3,
};
static const coefficients near_above = {
    1.42343711074968357734e0,  4.63033784615654529590e0,  5.76949722146069140550e0,
    3.64784832476320460504e0,  1.27045825245236838258e0,  2.41780725177450611770e-1,
    2.27238449892691845833e-2, 7.74545014278341407640e-4,
};
static const coefficients near_below = {
    1,
    2.05319162663775882187e0,
    1.67638483018380384940e0,
    6.89767334985100004550e-1,
    1.48103976427480074590e-1,
    1.51986665636164571966e-2,
    5.47593808499534494600e-4,
    1.05075007164441684324e-9,
};
static const coefficients far_above = {
    6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
    2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
    2.71155556874348757815e-5, 2.01033439929228813265e-7,
};
static const coefficients far_below = {
    1,
    5.99832206555887937690e-1,
    1.36929880922735805310e-1,
    1.48753612908506148525e-2,
    7.86869131145613259100e-4,
    1.84631831751005468180e-5,
    1.42151175831644588870e-7,
    2.04426310338993978564e-15,
};

/* Evaluates in pairs (Estrin's scheme), for short chains of dependent steps. */
static inline double polynomial(const coefficients c, double x)
{
    const double x2 = x * x;
    const double low = (c[0] + c[1] * x) + (c[2] + c[3] * x) * x2;
    const double high = (c[4] + c[5] * x) + (c[6] + c[7] * x) * x2;
    return low + high * (x2 * x2);
}

/* For tails below 0.075. */
static double far_from_middle(double tail)
{
    const double r = sqrt(-log(tail));
    return r <= 5 ? polynomial(near_above, r - 1.6) / polynomial(near_below, r - 1.6)
                  : polynomial(far_above, r - 5) / polynomial(far_below, r - 5);
}

static inline double near_middle(double from_middle)
{
    const double r = 0.180625 - from_middle * from_middle;
    return from_middle * polynomial(middle_above, r) / polynomial(middle_below, r);
}

double lotor_random_gaussian(lotor_generator *generator)
{
    const uint64_t word = lotor_generator_word(generator);
    const double tail = lotor_random_fraction(word) / 2; /* P(X >= size) */
    const double from_middle = 0.5 - tail;
    const double size = from_middle <= 0.425 ? near_middle(from_middle) : far_from_middle(tail);
    return lotor_random_signed(size, word);
}

enum { BLOCK = 32 };

/* First treats all draws as if they were near the middle, several at a time. Then recomputes the
 * others, about one in seven. The probability comes from a word's upper 52 bits: enough for |x| up
 * to 8.2. */
static void fill_block(lotor_generator *generator, size_t count, double *out)
{
    double middle[BLOCK];
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits =
            (lotor_generator_word(generator) >> 12) | UINT64_C(0x3ff0000000000000);
        memcpy(&middle[i], &bits, sizeof bits);
    }
    for (size_t i = 0; i < count; i++) {
        middle[i] -= 1.5 - 0x1p-53; /* in (-1/2, 1/2), at the centre of its cell */
        out[i] = near_middle(middle[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (fabs(middle[i]) > 0.425) {
            out[i] = copysign(far_from_middle(0.5 - fabs(middle[i])), middle[i]);
        }
    }
}

void lotor_random_gaussian_fill(lotor_generator *generator, size_t count, double *out)
{
    while (count > 0) {
        const size_t now = count < BLOCK ? count : BLOCK;
        fill_block(generator, now, out);
        out += now;
        count -= now;
    }
}
