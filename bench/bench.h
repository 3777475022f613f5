/* bench.h - timing for the programs in this folder.
 *
 * A benchmark is a function that does `count` operations on its own `state` and returns a number
 * that depends on all of them, so that the compiler can't leave any out:
 *
 *      static double laplace(void *state, size_t count)
 *      {
 *          double sum = 0;
 *          for (size_t i = 0; i < count; i++) {
 *              sum += lotor_random_laplace(state, 1);
 *          }
 *          return sum;
 *      }
 *
 *      const double cost = bench_nanoseconds(laplace, &simulation, 10000000);
 *      bench_heading();
 *      bench_at_most("fast Laplace", cost, "ns", cost / baseline, 2);
 *      bench_at_least("exact Laplace", 1e3 / exact, "M/s", 1e3 / exact, 8);
 *      bench_plain("gaussian", other, "ns");
 *
 * Each measurement prints one line: name, value and unit. If there is a target, the line also has
 * the number that is compared with it, the target, and `met` or `MISSED`. The bench_ functions
 * return whether the target was met. `return bench_status(all_met)` makes that the exit status of
 * the program.
 *
 * LOTOR_BENCH_SHARE=0.01 runs a hundredth of every benchmark (scripts/bench small), to check that the
 * benchmarks still work. Such a run is too short to measure anything, so no missed target fails.
 * Every program gets its sizes from bench_size, and ends with EXIT_FAILURE if something is wrong.
 */
#ifndef LOTOR_BENCH_H
#define LOTOR_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BENCH_REPETITIONS = 5, BENCH_MISSED = 3 /* the exit status after a missed target */ };

typedef double bench_function(void *state, size_t count);

/* Seconds on a clock that never goes back. */
static inline double bench_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The share of every size to run: LOTOR_BENCH_SHARE, or 1 if it is not set. */
static inline double bench_share(void)
{
    const char *const text = getenv("LOTOR_BENCH_SHARE");
    char *end;

    if (!text) {
        return 1;
    }
    const double share = strtod(text, &end);
    if (*end != '\0' || !(share > 0 && share <= 1)) {
        fprintf(stderr, "LOTOR_BENCH_SHARE is '%s': expected a number above 0, at most 1\n", text);
        exit(EXIT_FAILURE);
    }
    return share;
}

/* How many of `count` operations, rounds or runs to do: at least 1. */
static inline size_t bench_size(size_t count)
{
    const double size = bench_share() * (double)count;

    return size > 1 ? (size_t)size : 1;
}

/* Nanoseconds per operation: the best of five runs, so other work on the machine matters little.
 * Each run does bench_size(count) operations. */
static inline double bench_nanoseconds(bench_function *function, void *state, size_t count)
{
    const size_t size = bench_size(count);
    static volatile double result; /* volatile, so that the compiler must compute the result */
    double best = 0;

    for (int i = 0; i < BENCH_REPETITIONS; i++) {
        const double start = bench_clock();
        result = function(state, size);
        const double seconds = bench_clock() - start;
        best = i == 0 || seconds < best ? seconds : best;
    }
    (void)result;
    return 1e9 * best / (double)size;
}

static inline void bench_heading(void)
{
    printf("%-36s %10s %-5s %10s  %s\n", "name", "value", "unit", "ratio", "target");
}

static inline bool bench_plain(const char *name, double value, const char *unit)
{
    printf("%-36s %10.2f %-5s %10s  %s\n", name, value, unit, "-", "-");
    return true;
}

/* Compares `compared` with a bound. It is the value itself, or its ratio to another measurement of
 * the same run. */
static inline bool bench_at_most(const char *name, double value, const char *unit, double compared,
                                 double target)
{
    const bool met = compared <= target;

    printf("%-36s %10.2f %-5s %10.2f  <= %g %s\n", name, value, unit, compared, target,
           met ? "met" : "MISSED");
    return met;
}

static inline bool bench_at_least(const char *name, double value, const char *unit, double compared,
                                  double target)
{
    const bool met = compared >= target;

    printf("%-36s %10.2f %-5s %10.2f  >= %g %s\n", name, value, unit, compared, target,
           met ? "met" : "MISSED");
    return met;
}

static inline int bench_status(bool all_met)
{
    return all_met || bench_share() < 1 ? EXIT_SUCCESS : BENCH_MISSED;
}

#endif
