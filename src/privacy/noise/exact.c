/* exact.c - exact integer samplers (exact.h has the contract, exact.md the proofs).
 *
 * A random real U in [0,1) is drawn 64 bits at a time and compared with a fraction. Nearly always
 * the first word decides. If it does not, the next word is compared with the rest of the fraction.
 * So the comparison is exact, and costs one word.
 */
#include "privacy/noise/exact.h"

#include <assert.h>

#include "base/message.h"
#include "base/wide.h"

uint64_t lotor_exact_below(lotor_source *source, uint64_t bound)
{
    /* Lemire 2019: the result is the high word of word * bound. The `2^64 mod bound` lowest low
     * words would favour some results, so they are drawn again. */
    assert(bound > 0);
    lotor_u128 product = (lotor_u128)lotor_source_word(source) * bound;
    if ((uint64_t)product < bound) {
        const uint64_t uneven = (0 - bound) % bound;
        while ((uint64_t)product < uneven) {
            product = (lotor_u128)lotor_source_word(source) * bound;
        }
    }
    return (uint64_t)(product >> 64);
}

static inline bool bernoulli(lotor_source *source, uint64_t num, uint64_t den)
{
    assert(den > 0 && num <= den);
    for (;;) {
        /* U = (word + rest) / 2^64 < num/den  <=>  rest * den < num * 2^64 - word * den */
        const lotor_u128 drawn = (lotor_u128)lotor_source_word(source) * den;
        const lotor_u128 target = (lotor_u128)num << 64;
        if (drawn >= target) {
            return false;
        }
        if (target - drawn >= den) {
            return true;
        }
        num = (uint64_t)(target - drawn);
    }
}

bool lotor_exact_bernoulli(lotor_source *source, uint64_t num, uint64_t den)
{
    return bernoulli(source, num, den);
}

/* True with probability exp(-1), from one word. At gamma = 1, Algorithm 1 of the paper passes step
 * k with probability 1/k!, that is, while U < 1/k!. It returns true if it ends at an odd k. */
static bool bernoulli_exp_of_one(lotor_source *source)
{
    const uint64_t word = lotor_source_word(source);
    uint64_t factorial = 1;
    unsigned k = 2;
    for (; k <= 20; k++) { /* 20! < 2^62 */
        factorial *= k;
        const lotor_u128 one = (lotor_u128)1 << 64;
        const lotor_u128 drawn = (lotor_u128)word * factorial;
        if (drawn >= one) {
            return k & 1;
        }
        if (one - drawn < factorial) { /* this word does not decide: more digits of U do */
            const bool on = bernoulli(source, (uint64_t)(one - drawn), factorial);
            return (on ? k + 1 : k) & 1;
        }
    }
    while (bernoulli(source, 1, k)) {
        k++;
    }
    return k & 1;
}

/* Algorithm 1 of the paper, gamma = num/den <= 1: step k is passed with probability gamma/k. */
static inline bool bernoulli_exp_within_one(lotor_source *source, uint64_t num, uint64_t den)
{
    if (!bernoulli(source, num, den)) {
        return true;
    }
    unsigned k = 2;
    while (bernoulli(source, 1, k) && bernoulli(source, num, den)) {
        k++;
    }
    return k & 1;
}

bool lotor_exact_bernoulli_exp(lotor_source *source, uint64_t num, uint64_t den)
{
    assert(den > 0);
    while (num > den) { /* exp(-num/den) = exp(-1) exp(-(num-den)/den) */
        if (!bernoulli_exp_of_one(source)) {
            return false;
        }
        num -= den;
    }
    return bernoulli_exp_within_one(source, num, den);
}

lotor_status lotor_exact_check_geometric(uint64_t num, uint64_t den, lotor_message *why)
{
    if (num == 0 || den == 0 || num > den) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the success probability must be above 0 and at most 1");
    }
    if (den / num > UINT64_C(1) << 20) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the exact geometric law counts failures one by one: its success "
                          "probability must be at least 2^-20");
    }
    return LOTOR_OK;
}

uint64_t lotor_exact_geometric(lotor_source *source, uint64_t num, uint64_t den)
{
    assert(lotor_exact_check_geometric(num, den, NULL) == LOTOR_OK);
    uint64_t failures = 0;
    while (!bernoulli(source, num, den)) {
        failures++;
    }
    return failures;
}

lotor_status lotor_exact_check_laplace(uint64_t num, uint64_t den, lotor_message *why)
{
    if (num == 0 || den == 0 || num >= UINT64_C(1) << 62 || num / den >= UINT64_C(1) << 57) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the exact Laplace scale must be above 0 and below 2^57, with at most 18 "
                          "digits, those after the point included");
    }
    return LOTOR_OK;
}

typedef struct magnitude {
    lotor_u128 size;
    bool negative;
} magnitude;

/* Algorithm 2 of the paper with t = num and s = den. U is uniform below t and accepted with
 * probability exp(-U/t). Then t times a geometric number of parameter exp(-1) is added, and the sum
 * is divided by s. -0 is drawn again. */
static magnitude laplace(lotor_source *source, uint64_t num, uint64_t den)
{
    for (;;) {
        const uint64_t draw = lotor_exact_below(source, num << 1); /* U and the sign in one draw */
        const uint64_t offset = draw >> 1;
        if (!bernoulli_exp_within_one(source, offset, num)) {
            continue;
        }
        uint64_t turns = 0;
        while (bernoulli_exp_of_one(source)) {
            turns++;
        }
        lotor_u128 size = offset + (lotor_u128)turns * num;
        if (den > 1) {
            size /= den;
        }
        const bool negative = draw & 1;
        if (size == 0 && negative) {
            continue;
        }
        return (magnitude){size, negative};
    }
}

int64_t lotor_exact_laplace(lotor_source *source, uint64_t num, uint64_t den)
{
    assert(num > 0 && num < UINT64_C(1) << 62 && den > 0);
    const magnitude drawn = laplace(source, num, den);
    const uint64_t size = (uint64_t)drawn.size;
    return (int64_t)(drawn.negative ? 0 - size : size);
}

lotor_status lotor_exact_check_gaussian(uint64_t num, uint64_t den, lotor_message *why)
{
    if (num == 0 || den == 0 || (num | den) >> 47 != 0) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "the exact Gaussian sigma must be a fraction of integers below 2^47: at most 14 "
            "digits, those after the point included");
    }
    return LOTOR_OK;
}

/* bernoulli() for num <= den < 2^191. */
static bool wide_bernoulli(lotor_source *source, lotor_u256 num, lotor_u256 den)
{
    for (;;) {
        const lotor_u256 drawn = lotor_u256_times(den, lotor_source_word(source));
        const lotor_u256 target = lotor_u256_shift_word(num);
        if (!lotor_u256_less(drawn, target)) {
            return false;
        }
        num = lotor_u256_minus(target, drawn);
        if (!lotor_u256_less(num, den)) {
            return true;
        }
    }
}

/* lotor_exact_bernoulli_exp() for den < 2^191. */
static bool wide_bernoulli_exp(lotor_source *source, lotor_u256 num, lotor_u256 den)
{
    while (lotor_u256_less(den, num)) {
        if (!bernoulli_exp_of_one(source)) {
            return false;
        }
        num = lotor_u256_minus(num, den);
    }
    if (!wide_bernoulli(source, num, den)) {
        return true;
    }
    unsigned k = 2;
    while (bernoulli(source, 1, k) && wide_bernoulli(source, num, den)) {
        k++;
    }
    return k & 1;
}

/* Algorithm 3 of the paper: Y is discrete Laplace of scale t = floor(sigma) + 1, and accepted with
 * probability exp(-(|Y| - sigma^2/t)^2 / (2 sigma^2)). With sigma^2 = p/q, p = num^2, q = den^2,
 * the exponent is (|Y| t q - p)^2 / (2 p q t^2).
 *
 * Sizes: num, den < 2^47 and |Y| < 2^16 t, so |Y| t q < 2^16 (num + den)^2 < 2^112, its square is
 * below 2^224, and 2 p q t^2 <= 2 num^2 (num + den)^2 < 2^191. A Y of 2^16 t or more is rejected
 * without a draw: it would be accepted with probability below exp(-2^30). */
int64_t lotor_exact_gaussian(lotor_source *source, uint64_t num, uint64_t den)
{
    assert(lotor_exact_check_gaussian(num, den, NULL) == LOTOR_OK);
    const uint64_t t = num / den + 1;
    const lotor_u128 p = (lotor_u128)num * num;
    const lotor_u128 tq = (lotor_u128)den * den * t;
    const lotor_u256 p_q_t = lotor_u256_product(p, tq);
    const lotor_u256 divisor = lotor_u256_times(p_q_t, 2 * t);

    for (;;) {
        const magnitude y = laplace(source, t, 1);
        if (y.size >= (lotor_u128)t << 16) {
            continue;
        }
        const lotor_u128 product = y.size * tq;
        const lotor_u128 distance = product > p ? product - p : p - product;
        if (wide_bernoulli_exp(source, lotor_u256_product(distance, distance), divisor)) {
            const uint64_t size = (uint64_t)y.size;
            return (int64_t)(y.negative ? 0 - size : size);
        }
    }
}
