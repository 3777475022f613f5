/* bench_random.c - the time of one draw of each fast law, on one core.
 *
 * Target: a Laplace draw within 2 times the cost of one log() call and one random word, both
 * measured in the same run.
 */
#include <math.h>

#include "base/random/laws.h"
#include "bench.h"

enum { DRAWS = 5000000 };

/* One benchmark: the sum of `count` draws of `expression`, from the source `generator`. */
#define BENCH(name, expression)                                                                    \
    static double name(void *state, size_t count)                                                  \
    {                                                                                              \
        lotor_generator *const generator = state;                                                  \
        double sum = 0;                                                                            \
        for (size_t i = 0; i < count; i++) {                                                       \
            sum += (double)(expression);                                                           \
        }                                                                                          \
        return sum;                                                                                \
    }

/* The conversion to a double is included, since log() accepts only doubles. */
BENCH(word_and_log, log((double)(int64_t)(lotor_generator_word(generator) >> 1)))
BENCH(uniform, lotor_random_uniform(generator))
BENCH(laplace, lotor_random_laplace(generator, 3))
BENCH(discrete_laplace, lotor_random_discrete_laplace(generator, 0x1p20))
BENCH(gaussian, lotor_random_gaussian(generator))
BENCH(discrete_gaussian, lotor_random_discrete_gaussian(generator, 0x1p20))
BENCH(gamma_small, lotor_random_gamma(generator, 0.5))
BENCH(gamma_large, lotor_random_gamma(generator, 20))
BENCH(beta, lotor_random_beta(generator, 3, 7))
BENCH(geometric, lotor_random_geometric(generator, 0.01))
BENCH(binomial_small, lotor_random_binomial(generator, 10, 0.3))
BENCH(binomial_large, lotor_random_binomial(generator, 1000, 0.3))
BENCH(binomial_huge, lotor_random_binomial(generator, UINT64_C(1) << 62, 0.5))

static const struct {
    const char *name;
    bench_function *function;
} plain[] = {
    {"uniform", uniform},
    {"discrete Laplace, scale 2^20", discrete_laplace},
    {"gaussian", gaussian},
    {"discrete Gaussian, sigma 2^20", discrete_gaussian},
    {"gamma, shape 0.5", gamma_small},
    {"gamma, shape 20", gamma_large},
    {"beta(3, 7)", beta},
    {"geometric, p 0.01", geometric},
    {"binomial(10, 0.3)", binomial_small},
    {"binomial(1000, 0.3)", binomial_large},
    {"binomial(2^62, 0.5)", binomial_huge},
};

int main(void)
{
    lotor_generator generator;

    lotor_generator_seed(&generator, 1);
    bench_heading();
    const double baseline = bench_nanoseconds(word_and_log, &generator, DRAWS);
    const double cost = bench_nanoseconds(laplace, &generator, DRAWS);
    bench_plain("one random word and one log()", baseline, "ns");
    const bool met = bench_at_most("fast Laplace", cost, "ns", cost / baseline, 2);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        bench_plain(plain[i].name, bench_nanoseconds(plain[i].function, &generator, DRAWS), "ns");
    }
    return bench_status(met);
}
