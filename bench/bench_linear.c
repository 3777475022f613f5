/* bench_linear.c - rounds a second of linear learners in the world with a gap, on one core, and
 * against tests/plain in the same run.
 *
 * The settings are those of Shariff and Sheffet 2018 (their published code): 25 actions in 5
 * dimensions with epsilon 1 and delta 0.1, and d^2 actions in d dimensions without privacy. The
 * speed of play_lazy.c depends on how many actions can be chosen: fewer, the more is known. So the
 * horizons are long, except where the name says so.
 */
#include <math.h>

#include "bench.h"
#include "lab/simulate.h"
#include "plain/plain.h"

typedef struct setting {
    const char *name, *algorithm;
    size_t dimension;
    double gap, regularizer;
    uint64_t horizon, plain_horizon;
    double target; /* times the plain implementation; 0: none */
} setting;

/* `exact_rounds`: all actions are drawn, and every round goes through the public functions. */
static double library_seconds(const setting *at, uint64_t horizon, bool exact_rounds)
{
    lotor_linear_world world;
    lotor_message why;
    if (lotor_linear_world_make(at->dimension, at->dimension * at->dimension, at->gap, &why,
                                &world) != LOTOR_OK) {
        exit(EXIT_FAILURE);
    }
    lotor_experiment trial = {
        .linear = &world,
        .runs = 1,
        .seed = 1,
        .threads = 1,
        .exact_rounds = exact_rounds,
        .policy = {.algorithm = at->algorithm,
                   .arms = world.actions,
                   .horizon = horizon,
                   .epsilon = lotor_ratio_of(1, 1),
                   .regularizer = at->regularizer,
                   .dimension = at->dimension},
    };
    if (at->algorithm[0] == 'j') {
        trial.policy.delta = lotor_ratio_of(1, 10);
    }
    lotor_experiment_result result;
    if (lotor_experiment_run(&trial, &why, &result) != LOTOR_OK) {
        fprintf(stderr, "%s\n", why.text);
        exit(EXIT_FAILURE);
    }
    const double seconds = result.seconds;
    lotor_experiment_result_free(&result);
    return seconds;
}

static double plain_seconds(const setting *at)
{
    const plain_setting plain = {.algorithm = at->algorithm,
                                 .arms = at->dimension * at->dimension,
                                 .horizon = at->plain_horizon,
                                 .epsilon = 1.0,
                                 .delta = 0.1,
                                 .dimension = at->dimension,
                                 .has_gap = true,
                                 .gap = at->gap};
    const double start = bench_clock();
    const double regret = plain_regret(&plain, 1);
    if (isnan(regret)) {
        fprintf(stderr, "tests/plain could not play %s\n", at->algorithm);
        exit(EXIT_FAILURE);
    }
    return bench_clock() - start;
}

static bool bench_setting(const setting *full)
{
    setting small = *full;
    small.horizon = 1 + bench_size(full->horizon - 1); /* linucb needs 2 rounds */
    small.plain_horizon = 1 + bench_size(full->plain_horizon - 1);
    const setting *const at = &small;
    const double library = (double)at->horizon / library_seconds(at, at->horizon, false);
    const double obvious = (double)at->plain_horizon / library_seconds(at, at->plain_horizon, true);
    const double plain = (double)at->plain_horizon / plain_seconds(at);
    bench_plain(at->name, library / 1e6, "M/s");
    bench_plain("  with all actions: times the plain one", obvious / plain, "x");
    const char *name = "  times the plain implementation";
    return at->target > 0 ? bench_at_least(name, library / plain, "x", library / plain, at->target)
                          : bench_plain(name, library / plain, "x");
}

int main(void)
{
    static const setting settings[] = {
        {"linucb, d = 5, gap 0.1", "linucb", 5, 0.1, 1, 5000000, 20000, 0},
        {"linucb, d = 5, gap 0", "linucb", 5, 0, 1, 5000000, 20000, 0},
        {"linucb, lambda 10^5, gap 0", "linucb", 5, 0, 1e5, 5000000, 20000, 0},
        {"linucb, lambda 10^7, gap 0", "linucb", 5, 0, 1e7, 5000000, 20000, 0},
        {"linucb, lambda 10^7, gap 0.1", "linucb", 5, 0.1, 1e7, 5000000, 20000, 0},
        {"gauss, gap 0", "jdp-linucb-gauss", 5, 0, 1, 2000000, 20000, 0},
        {"wishart, gap 0", "jdp-linucb-wishart", 5, 0, 1, 1000000, 20000, 0},
        {"shifted wishart, gap 0", "jdp-linucb-wishart-shifted", 5, 0, 1, 1000000, 20000, 0},
        {"linucb, d = 16", "linucb", 16, 0.1, 1, 20000, 200, 0},
        {"linucb, d = 32", "linucb", 32, 0.1, 1, 2000, 30, 0},
        {"linucb, d = 64", "linucb", 64, 0.1, 1, 300, 5, 0},
    };
    bench_heading();
    bool met = true;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        met &= bench_setting(&settings[i]);
    }
    return bench_status(met);
}
