/* bench_run.c - rounds a second of each algorithm, on one core, and against tests/plain.
 *
 * Targets: dp-ucb (5 arms, four instances, epsilon 0.1 and 1) under 150 ms a run at T = 5*10^7. ucb (10 arms) and dpucb-mat (Table 6.1) 20
 * million, dp-se and dp-se2 at T = 5*10^7 under 5 ms a run. With 20 arms and 4 shown, cucb-ldp2 20
 * million, cascade-ucb 10 million, the private cascades 5 million. jdp-linucb-gauss (d = 5, 20
 * actions) 0.35 million. The ratio to the plain implementation, measured in the same run, says how
 * much of the speed comes from shortcuts.
 */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "lab/simulate.h"
#include "plain/plain.h"
#include "policy/catalog.h"

/* The world in which an algorithm is played. */
typedef struct place {
    const lotor_world *world;
    const lotor_linear_world *linear; /* used if `world` is NULL */
    size_t slots;
    lotor_ratio epsilon; /* 0: 1 */
} place;

static lotor_ratio epsilon_of(place at)
{
    return lotor_ratio_to_double(at.epsilon) > 0.0 ? at.epsilon : lotor_ratio_of(1, 1);
}

/* Seconds per run, on one thread: the best of three experiments of bench_size(full_runs) runs. */
static double library_seconds(place at, const char *algorithm, uint64_t horizon, uint64_t full_runs)
{
    const uint64_t runs = bench_size(full_runs);
    const lotor_world *world = at.world;
    lotor_experiment trial = {
        .world = world,
        .linear = at.linear,
        .runs = runs,
        .seed = 1,
        .threads = 1,
        .policy = {.algorithm = algorithm,
                   .arms = world ? world->arms : at.linear->actions,
                   .slots = at.slots,
                   .horizon = horizon,
                   .epsilon = epsilon_of(at),
                   .vectors = world ? world->vectors : NULL,
                   .dimension = world ? world->dimension : at.linear->dimension,
                   .structure =
                       world && world->vectors ? LOTOR_STRUCTURE_LINEAR : LOTOR_STRUCTURE_TOP},
    };
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        lotor_experiment_result result;
        lotor_message why;
        if (lotor_experiment_run(&trial, &why, &result) != LOTOR_OK) {
            fprintf(stderr, "%s\n", why.text);
            exit(EXIT_FAILURE);
        }
        best = fmin(best, result.seconds / (double)runs);
        lotor_experiment_result_free(&result);
    }
    return best;
}

static double plain_seconds(place at, const char *algorithm, uint64_t horizon)
{
    const lotor_world *world = at.world;
    int vectors[64];
    for (size_t i = 0; world && world->vectors && i < world->arms * world->dimension; i++) {
        vectors[i] = (int)world->vectors[i];
    }
    const plain_setting setting = {.algorithm = algorithm,
                                   .arms = world ? world->arms : at.linear->actions,
                                   .means = world ? world->means : NULL,
                                   .horizon = horizon,
                                   .epsilon = lotor_ratio_to_double(epsilon_of(at)),
                                   .vectors = world && world->vectors ? vectors : NULL,
                                   .dimension = world ? world->dimension : at.linear->dimension,
                                   .slots = at.slots};
    const double start = bench_clock();
    const double regret = plain_regret(&setting, 1);
    if (isnan(regret)) {
        fprintf(stderr, "tests/plain could not play %s\n", algorithm);
        exit(EXIT_FAILURE);
    }
    return bench_clock() - start;
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

static bool bench_rounds(place at, const char *algorithm, uint64_t full_horizon, uint64_t runs,
                         double target)
{
    const uint64_t horizon = bench_size(full_horizon);
    char name[64];
    snprintf(name, sizeof name, "%s, %zu %s", algorithm,
             at.world ? at.world->arms : at.linear->actions, at.world ? "arms" : "actions");
    const double speed = (double)horizon / library_seconds(at, algorithm, horizon, runs) / 1e6;
    const bool met = target > 0 ? bench_at_least(name, speed, "M/s", speed, target)
                                : bench_plain(name, speed, "M/s");
    /* the plain code is timed on fewer rounds */
    const uint64_t most = bench_size(at.linear ? 20000 : 300000);
    const uint64_t short_horizon = horizon < most ? horizon : most;
    const double plain = (double)short_horizon / plain_seconds(at, algorithm, short_horizon) / 1e6;
    snprintf(name, sizeof name, "  times the plain implementation");
    bench_plain(name, speed / plain, "x");
    return met;
}

/* dp-ucb at the scale of Sajed 2019: milliseconds a run, and how many times as fast as the plain
 * implementation. Most rounds are skipped (src/privacy/release/dips.md). */
static bool bench_tree(const char *algorithm, const char *name, size_t arms, lotor_ratio epsilon,
                       double target)
{
    enum { HORIZON = 50000000, PLAIN_HORIZON = 300000 };
    lotor_world *world = instance(name, arms);
    const place at = {.world = world, .epsilon = epsilon};
    const uint64_t horizon = bench_size(HORIZON), plain_horizon = bench_size(PLAIN_HORIZON);
    const double seconds = library_seconds(at, algorithm, horizon, 3);
    const double plain = plain_seconds(at, algorithm, plain_horizon) / (double)plain_horizon;
    char line[80];
    snprintf(line, sizeof line, "%s, %s, %zu arms, epsilon %g", algorithm, name, arms,
             lotor_ratio_to_double(epsilon));
    const double run = 1e3 * seconds;
    const bool met =
        target > 0 ? bench_at_most(line, run, "ms", run, target) : bench_plain(line, run, "ms");
    bench_plain("  times the plain implementation", plain * (double)horizon / seconds, "x");
    lotor_world_free(world);
    return met;
}

static bool bench_trees(void)
{
    static const char *const names[] = {"c1", "c2", "c3", "c4"};
    const lotor_ratio little = lotor_ratio_of(1, 10), one = lotor_ratio_of(1, 1);
    bool met = true;
    for (size_t i = 0; i < 4; i++) {
        met &= bench_tree("dp-ucb", names[i], 5, little, 150);
        met &= bench_tree("dp-ucb", names[i], 5, one, 150);
    }
    met &= bench_tree("dp-ucb", "c1", 20, one, 0);
    met &= bench_tree("dp-ucb-tight", "c1", 5, one, 0);
    return met;
}

static bool bench_finite(void)
{
    lotor_world *five = instance("c1", 5), *ten = instance("c2", 10);
    bool met = true;
    static const char *const lazy[] = {"dp-se", "dp-se2", "dp-se2-modified", "dp-se-acc"};
    for (size_t i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s, 5*10^7 rounds", lazy[i]);
        const place at = {.world = five};
        const double milliseconds = 1e3 * library_seconds(at, lazy[i], 50000000, 100);
        met &= bench_at_most(name, milliseconds, "ms", milliseconds, 5);
    }
    const double ours = 1e3 * library_seconds((place){.world = five}, "batch-klucb", 50000000, 30);
    met &= bench_at_most("batch-klucb, 5*10^7 rounds", ours, "ms", ours, 5);
    met &= bench_trees();
    met &= bench_rounds((place){.world = ten}, "ucb", 20000000, 1, 20);
    met &= bench_rounds((place){.world = five}, "se", 20000000, 1, 0);
    lotor_world_free(five);
    lotor_world_free(ten);
    return met;
}

static bool bench_matroids(void)
{
    lotor_world *table = instance("table-6.1", 0);
    const place at = {.world = table};
    bool met = bench_rounds(at, "dpucb-mat", 10000000, 1, 20);
    static const char *const others[] = {"omm", "cts", "cts-beta", "dpts-mat"};
    for (size_t i = 0; i < 4; i++) {
        met &= bench_rounds(at, others[i], 300000, 1, 0);
    }
    lotor_world_free(table);
    return met;
}

/* 20 arms. Each round shows 4, and 4 arms are the best. */
static lotor_world *four_of_twenty(double best, double other)
{
    double means[20];
    for (size_t i = 0; i < 20; i++) {
        means[i] = i < 4 ? best : other;
    }
    lotor_world *world;
    if (lotor_world_bernoulli(20, means, NULL, &world) != LOTOR_OK) {
        exit(EXIT_FAILURE);
    }
    return world;
}

typedef struct wish {
    const char *algorithm;
    double target;
} wish;

static bool bench_sets(const lotor_world *world, const wish *wishes, size_t count)
{
    bool met = true;
    for (size_t i = 0; i < count; i++) {
        met &= bench_rounds((place){.world = world, .slots = 4}, wishes[i].algorithm, 100000, 20,
                            wishes[i].target);
    }
    return met;
}

int main(void)
{
    static const wish sets[] = {{"cucb", 0},         {"cucb-ldp1", 0},    {"cucb-ldp2", 20},
                                {"cucb-dp", 0},      {"cucb-dp2", 0},     {"cucb-ldp-gauss", 0},
                                {"cucb-dp-lazy", 0}, {"cucb-ldp-box", 0}, {"rr-klucb", 1}};
    static const wish lists[] = {{"cascade-ucb", 10},         {"cascade-dp", 5},
                                 {"cascade-ldp-laplace", 5},  {"cascade-ldp-gauss", 5},
                                 {"cascade-ldp-composed", 5}, {"cascade-dp-lazy", 0},
                                 {"cascade-ldp-rr", 0}};
    static const wish actions[] = {{"linucb", 0},
                                   {"jdp-linucb-gauss", 0.35},
                                   {"jdp-linucb-wishart", 0},
                                   {"jdp-linucb-wishart-shifted", 0},
                                   {"jdp-linucb", 0},
                                   {"jdp-batch", 0},
                                   {"jdp-bayes", 0}};
    bench_heading();
    bool met = bench_finite();
    met &= bench_matroids();
    lotor_world *likes = four_of_twenty(0.7, 0.3), *clicks = four_of_twenty(0.2, 0.05);
    met &= bench_sets(likes, sets, sizeof sets / sizeof *sets);
    met &= bench_sets(clicks, lists, sizeof lists / sizeof *lists);
    lotor_world_free(likes);
    lotor_world_free(clicks);
    const lotor_linear_world linear = {.dimension = 5, .actions = 20};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        met &= bench_rounds((place){.linear = &linear}, actions[i].algorithm, 100000, 1,
                            actions[i].target);
    }
    return bench_status(met);
}
