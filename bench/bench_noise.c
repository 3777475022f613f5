/* bench_noise.c - exact noise, and releases in the lab (one core).
 *
 * Exact samplers read the secure source, as in production; the tree draws simulated noise, as in
 * the lab. Targets: 8 million exact Laplace and 3 million exact Gaussian samples a second, 30
 * million tree insertions.
 */
#include "base/secure.h"
#include "bench.h"
#include "privacy/noise/exact.h"
#include "privacy/release/tree.h"

enum { SCALE = 1 << 20, COUNT = 4000000 };

static double exact_laplace(void *state, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)lotor_exact_laplace(state, SCALE, 1);
    }
    return sum;
}

static double exact_gaussian(void *state, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)lotor_exact_gaussian(state, SCALE, 1);
    }
    return sum;
}

static double secure_word(void *state, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum ^= lotor_source_word(state);
    }
    return (double)sum;
}

typedef struct planted {
    lotor_tree *tree;
    lotor_noise noise;
} planted;

static double tree_insert(void *state, size_t count)
{
    planted *forest = state;
    double sum = 0;
    lotor_tree_restart(forest->tree, forest->tree->horizon, forest->tree->scale);
    for (size_t i = 0; i < count; i++) {
        const int64_t value = (int64_t)(i & 1) << 20;
        (void)lotor_tree_insert(forest->tree, &value, &forest->noise);
        sum += (double)forest->tree->output[0];
    }
    return sum;
}

int main(void)
{
    lotor_source *source;
    lotor_generator generator;
    planted simulated = {.noise = lotor_noise_simulated(&generator)};
    planted exact;
    lotor_generator_seed(&generator, 1);
    if (lotor_secure_new(&source) != LOTOR_OK ||
        lotor_tree_new(1, UINT64_C(1) << 26, LOTOR_LAW_LAPLACE, 27 * SCALE, &simulated.tree) !=
            LOTOR_OK) {
        fprintf(stderr, "no memory or no entropy\n");
        return EXIT_FAILURE;
    }
    exact = (planted){simulated.tree, lotor_noise_exact(source)};

    bench_heading();
    bench_plain("secure source, 8 bytes", bench_nanoseconds(secure_word, source, 10 * COUNT), "ns");
    const double laplace = 1e3 / bench_nanoseconds(exact_laplace, source, COUNT);
    bool met = bench_at_least("exact Laplace, scale 2^20", laplace, "M/s", laplace, 8);
    const double gaussian = 1e3 / bench_nanoseconds(exact_gaussian, source, COUNT);
    met &= bench_at_least("exact Gaussian, sigma 2^20", gaussian, "M/s", gaussian, 3);
    const double inserts = 1e3 / bench_nanoseconds(tree_insert, &simulated, 10 * COUNT);
    met &= bench_at_least("tree insertion, simulated noise", inserts, "M/s", inserts, 30);
    const double private_inserts = 1e3 / bench_nanoseconds(tree_insert, &exact, COUNT);
    bench_plain("tree insertion, exact noise", private_inserts, "M/s");

    lotor_tree_free(simulated.tree);
    lotor_secure_free(source);
    return bench_status(met);
}
