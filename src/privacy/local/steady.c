/* steady.c - exact coins whose time does not tell how they fell (steady.h; steady.md has the
 * proofs). Conditions on secrets are combined by & and |, and hidden from the compiler before a branch. */
#include "privacy/local/steady.h"

#include <assert.h>

#include "base/wide.h"
#include "privacy/noise/exact.h"

enum {
    STEPS = 20,        /* 20! < 2^62: U < 1/20! has a probability below 2^-61 */
    MOST_FACTORS = 45, /* e^-45 < 2^-64 */
};

/* U = (word + rest) / 2^64 < num/den is decided by the first word, unless word + 1 passes num/den.
 * Only one word does not decide. */
bool lotor_steady_bernoulli(lotor_source *source, uint64_t num, uint64_t den)
{
    assert(den > 0 && num <= den);
    const lotor_u128 drawn = (lotor_u128)lotor_source_word(source) * den;
    const uint64_t high = (uint64_t)(drawn >> 64), left = 0 - (uint64_t)drawn;
    const bool is_below = high < num;
    const bool is_undecided = (high + 1 == num) & (left != 0) & (left < den);
    if (lotor_steady_whole(is_undecided)) {
        return lotor_exact_bernoulli(source, left, den);
    }
    return is_below;
}

/* lotor_exact_below, which divides only if it must, would take longer for some results. */
uint64_t lotor_steady_below(lotor_source *source, uint64_t bound)
{
    assert(bound > 0);
    const uint64_t uneven = (0 - bound) % bound;
    lotor_u128 product;
    do {
        product = (lotor_u128)lotor_source_word(source) * bound;
    } while ((uint64_t)product < uneven);
    return (uint64_t)(product >> 64);
}

/* A step of a coin. Step k = first, first + 1, ... is passed with probability num/(den k), and the
 * coin is true if it ends at an odd step: e^-(num/den) if `first` is 1, and 2/e if `first` is 3 and
 * num = den. One word U is compared with all 1/(first ... k), as in exact.c, and there is a coin of
 * num/den for each step. */
static bool alternates(lotor_source *source, uint64_t num, uint64_t den, unsigned first)
{
    const uint64_t word = lotor_source_word(source);
    uint64_t factorial = 1;
    unsigned end = first;
    bool passes = true, is_undecided = false;
    for (unsigned k = first; k <= STEPS; k++) {
        factorial *= k;
        const lotor_u128 drawn = (lotor_u128)word * factorial;
        const uint64_t left = 0 - (uint64_t)drawn;
        passes = passes & ((uint64_t)(drawn >> 64) == 0);
        if (num < den) {
            passes = passes & lotor_steady_bernoulli(source, num, den);
        }
        is_undecided = is_undecided | (passes & (left != 0) & (left < factorial));
        end += passes;
    }
    if (lotor_steady_whole(
            is_undecided)) { /* the last step that was passed: more digits of U decide */
        factorial = 1;
        for (unsigned k = first; k < end; k++) {
            factorial *= k;
        }
        end -= !lotor_exact_bernoulli(source, 0 - word * factorial, factorial);
    } else if (passes) {
        while (lotor_exact_bernoulli(source, 1, end) && lotor_exact_bernoulli(source, num, den)) {
            end++;
        }
    }
    return end & 1;
}

bool lotor_steady_accepts(lotor_source *source, lotor_ratio epsilon, unsigned doublings,
                          bool always)
{
    assert(epsilon.den > 0 && doublings <= epsilon.num / epsilon.den);
    for (unsigned i = 0; i < doublings; i++) {
        const bool yes = alternates(source, 1, 1, 3);
        if (!lotor_steady_whole(yes | always)) {
            return false;
        }
    }
    uint64_t num = epsilon.num - doublings * epsilon.den;
    for (unsigned i = 0; num > epsilon.den; i++) {
        if (i >= MOST_FACTORS && always) { /* other proposals get here with probability e^-45 */
            return true;
        }
        const bool yes = alternates(source, 1, 1, 1);
        if (!lotor_steady_whole(yes | always)) {
            return false;
        }
        num -= epsilon.den;
    }
    const bool yes = alternates(source, num, epsilon.den, 1);
    return lotor_steady_whole(yes | always);
}
