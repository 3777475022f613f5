/* bench_report_time.c - does the time of a local report tell whether the report is a lie?
 *
 * Each report of a device is timed on its own. Half of the reports train the best classifier that
 * compares the time with one threshold, in either direction. The other half score it. The score is
 * the balanced accuracy: the mean of the shares of truths and of lies that are classified
 * correctly. 50% is a guess. Target: at most 52%, for
 * `bit`, `position` and `cube` (the first sign of the report).
 *
 * The second score is of a classifier that tells the largest answer from the smallest: the time
 * must not show what the person answered either.
 */
#include <stdint.h>

#include "base/random/generator.h"
#include "base/secure.h"
#include "bench.h"
#include "privacy/local/randomize.h"

enum { REPORTS = 1000000, LONGEST = 1 << 16, SLOTS = 5 };

typedef struct timed {
    uint32_t nanoseconds; /* LONGEST - 1: this long or longer */
    bool is_positive;
} timed;

static uint32_t count_nanoseconds(const struct timespec *start, const struct timespec *end)
{
    const int64_t passed =
        (int64_t)(end->tv_sec - start->tv_sec) * 1000000000 + (end->tv_nsec - start->tv_nsec);
    return passed < LONGEST ? (uint32_t)passed : LONGEST - 1;
}

/* The share of positives, and of negatives, up to each time. */
typedef struct shares {
    double positive[LONGEST], negative[LONGEST];
} shares;

static void count_shares(const timed *reports, size_t count, shares *out)
{
    double positives = 0.0, negatives = 0.0;
    *out = (shares){0};
    for (size_t i = 0; i < count; i++) {
        const uint32_t at = reports[i].nanoseconds;
        out->positive[at] += reports[i].is_positive;
        out->negative[at] += !reports[i].is_positive;
        positives += reports[i].is_positive;
        negatives += !reports[i].is_positive;
    }
    for (size_t at = 0; at < LONGEST; at++) {
        const double before[] = {at > 0 ? out->positive[at - 1] : 0.0,
                                 at > 0 ? out->negative[at - 1] : 0.0};
        out->positive[at] = before[0] + out->positive[at] / positives;
        out->negative[at] = before[1] + out->negative[at] / negatives;
    }
}

static double score(const timed *reports)
{
    static shares trained, scored;
    const size_t half = bench_size(REPORTS) / 2;
    count_shares(reports, half, &trained);
    count_shares(reports + half, half, &scored);
    size_t best = 0;
    double widest = 0.0;
    for (size_t at = 0; at < LONGEST; at++) {
        const double apart = trained.positive[at] - trained.negative[at];
        if (apart * apart > widest * widest) {
            widest = apart;
            best = at;
        }
    }
    const double apart = scored.positive[best] - scored.negative[best];
    return 0.5 + 0.5 * (widest > 0.0 ? apart : -apart);
}

/* One of two answers at random, and the report that is the truth about it. */
typedef struct answer {
    lotor_feedback feedback;
    int64_t truth;
} answer;

static bool measure(const char *name, const lotor_randomizer *asks, const answer answers[2],
                    lotor_source *source)
{
    static timed lies[REPORTS], values[REPORTS];
    lotor_generator generator;
    lotor_generator_seed(&generator, 1);
    const size_t total = bench_size(REPORTS);
    for (size_t i = 0; i < total; i++) {
        const size_t which = lotor_generator_word(&generator) >> 63;
        const answer *given = &answers[which];
        int64_t report[SLOTS];
        size_t count;
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        const lotor_status status =
            lotor_randomize(asks, &given->feedback, source, NULL, report, &count);
        clock_gettime(CLOCK_MONOTONIC, &end);
        if (status != LOTOR_OK) {
            fprintf(stderr, "%s: %s\n", name, lotor_status_name(status));
            exit(EXIT_FAILURE);
        }
        const uint32_t passed = count_nanoseconds(&start, &end);
        lies[i] = (timed){passed, report[0] != given->truth};
        values[i] = (timed){passed, which};
    }
    char title[64];
    (void)snprintf(title, sizeof title, "%s: lie or truth", name);
    bool met = bench_at_most(title, 100 * score(lies), "%", 100 * score(lies), 52);
    (void)snprintf(title, sizeof title, "%s: which answer", name);
    met &= bench_at_most(title, 100 * score(values), "%", 100 * score(values), 52);
    return met;
}

int main(void)
{
    static const lotor_ratio epsilons[] = {{1, 2}, {1, 1}, {5, 2}};
    static const double smallest[SLOTS] = {0}, largest[SLOTS] = {1, 1, 1, 1, 1};
    lotor_source *source;
    if (lotor_secure_new(&source) != LOTOR_OK) {
        fprintf(stderr, "no memory or no entropy\n");
        return EXIT_FAILURE;
    }
    bench_heading();
    bool met = true;
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        const double epsilon = (double)epsilons[i].num / (double)epsilons[i].den;
        lotor_randomizer asks = {.mechanism = LOTOR_RANDOMIZE_BIT,
                                 .epsilon = epsilons[i],
                                 .low = 0.0,
                                 .high = 1.0,
                                 .slots = SLOTS};
        char name[64];
        (void)snprintf(name, sizeof name, "bit, epsilon %g", epsilon);
        const answer rewards[2] = {{{smallest, 1, 0}, 0}, {{largest, 1, 0}, 1}};
        met &= measure(name, &asks, rewards, source);
        asks.mechanism = LOTOR_RANDOMIZE_POSITION;
        (void)snprintf(name, sizeof name, "position, epsilon %g", epsilon);
        const answer clicks[2] = {{{NULL, 0, 2}, 2}, {{NULL, 0, 0}, 6}};
        met &= measure(name, &asks, clicks, source);
        asks.mechanism = LOTOR_RANDOMIZE_CUBE;
        (void)snprintf(name, sizeof name, "cube, epsilon %g", epsilon);
        const answer lists[2] = {{{smallest, SLOTS, 0}, 0}, {{largest, SLOTS, 0}, 1}};
        met &= measure(name, &asks, lists, source);
    }
    lotor_secure_free(source);
    return bench_status(met);
}
