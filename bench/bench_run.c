/* bench_run.c - rounds a second of each algorithm, on one core, and against tests/plain.
 *
 * Targets: dp-ucb (5 arms) 40 million rounds a second, ucb (10 arms) and dpucb-mat (Table 6.1) 20
 * million, dp-se and dp-se2 at T = 5*10^7 under 5 ms a run. The ratio to the plain implementation,
 * measured in the same run, says how much of that is the shortcuts.
 */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "lab/simulate.h"
#include "plain/plain.h"
#include "policy/catalog.h"

/* Seconds for the best of three trials of `runs` runs on one thread, per run. */
static double library_seconds(const lotor_world *world, const char *algorithm, uint64_t horizon,
                              uint64_t runs)
{
    lotor_trial trial = {
        .world = world,
        .runs = runs,
        .seed = 1,
        .threads = 1,
        .policy = {.algorithm = algorithm,
                   .arms = world->arms,
                   .horizon = horizon,
                   .epsilon = lotor_ratio_of(1, 1),
                   .vectors = world->vectors,
                   .dimension = world->dimension,
                   .structure = world->vectors ? LOTOR_STRUCTURE_LINEAR : LOTOR_STRUCTURE_TOP},
    };
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        lotor_result result;
        lotor_message why;
        if (lotor_simulate(&trial, &why, &result) != LOTOR_OK) {
            fprintf(stderr, "%s\n", why.text);
            exit(EXIT_FAILURE);
        }
        best = fmin(best, result.seconds / (double)runs);
        lotor_result_free(&result);
    }
    return best;
}

static double plain_seconds(const lotor_world *world, const char *algorithm, uint64_t horizon)
{
    int vectors[64];
    for (size_t i = 0; world->vectors && i < world->arms * world->dimension; i++) {
        vectors[i] = (int)world->vectors[i];
    }
    const plain_setting setting = {.algorithm = algorithm,
                                   .arms = world->arms,
                                   .means = world->means,
                                   .horizon = horizon,
                                   .epsilon = 1.0,
                                   .vectors = world->vectors ? vectors : NULL,
                                   .dimension = world->dimension};
    const double start = bench_clock();
    const double regret = plain_regret(&setting, 1);
    return isnan(regret) ? NAN : bench_clock() - start;
}

static lotor_world *instance(const char *name, size_t arms)
{
    lotor_world *world;
    lotor_message why;
    if (lotor_world_instance(name, arms, &why, &world) != LOTOR_OK) {
        fprintf(stderr, "%s\n", why.text);
        exit(EXIT_FAILURE);
    }
    return world;
}

static bool bench_rounds(const lotor_world *world, const char *algorithm, uint64_t horizon,
                         double target)
{
    char name[64];
    snprintf(name, sizeof name, "%s, %zu arms", algorithm, world->arms);
    const double speed = (double)horizon / library_seconds(world, algorithm, horizon, 1) / 1e6;
    const bool met = target > 0 ? bench_at_least(name, speed, "M/s", speed, target)
                                : bench_plain(name, speed, "M/s");
    const uint64_t short_horizon = 300000; /* the plain code is timed on fewer rounds */
    const double plain =
        (double)short_horizon / plain_seconds(world, algorithm, short_horizon) / 1e6;
    snprintf(name, sizeof name, "  times the plain implementation");
    bench_plain(name, speed / plain, "x");
    return met;
}

int main(void)
{
    lotor_world *five = instance("c1", 5), *ten = instance("c2", 10);
    lotor_world *table = instance("table-6.1", 0);
    bench_heading();
    bool met = true;
    static const char *const lazy[] = {"dp-se", "dp-se2", "dp-se2-modified"};
    for (size_t i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s, 5*10^7 rounds", lazy[i]);
        const double milliseconds = 1e3 * library_seconds(five, lazy[i], 50000000, 100);
        met &= bench_at_most(name, milliseconds, "ms", milliseconds, 5);
    }
    met &= bench_rounds(five, "dp-ucb", 20000000, 40);
    met &= bench_rounds(ten, "ucb", 20000000, 20);
    met &= bench_rounds(five, "se", 20000000, 0);
    met &= bench_rounds(table, "dpucb-mat", 10000000, 20);
    static const char *const others[] = {"omm", "cts", "cts-beta", "dpts-mat"};
    for (size_t i = 0; i < 4; i++) {
        met &= bench_rounds(table, others[i], 300000, 0);
    }
    lotor_world_free(five);
    lotor_world_free(ten);
    lotor_world_free(table);
    return bench_status(met);
}
