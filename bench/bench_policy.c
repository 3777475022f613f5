/* bench_policy.c - what a round of a policy costs through the public API: chosen and learnt one by
 * one, and many at once. bench/policy.py measures the same rounds from Python.
 *
 * Each measurement is the best of a few games, in nanoseconds of processor time per round.
 */
#include <stdint.h>

#include <lotor/policy.h>

#include "bench.h"

enum { ROUNDS = 500000, ARMS = 10 };

static const struct {
    const char *algorithm;
    bool holds; /* it keeps its choice for a whole batch */
} rows[] = {
    {"batch-klucb", true}, {"lik-imed", true}, {"dp-se", false}, {"dp-ucb", false}, {"ucb", false},
};

static void must(lotor_status status, const lotor_message *why)
{
    if (status != LOTOR_OK) {
        fprintf(stderr, "bench_policy: %s\n", why->text);
        exit(EXIT_FAILURE);
    }
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static lotor_policy *make(const char *algorithm, size_t horizon)
{
    const lotor_policy_params params = {
        .algorithm = algorithm, .arms = ARMS, .horizon = horizon, .epsilon = lotor_ratio_of(1, 1)};
    lotor_policy *policy = NULL;
    lotor_message why = {""};
    must(lotor_policy_new(&params, &why, &policy), &why);
    return policy;
}

/* A cheap coin: 1 with probability 7/10 for arm 3, 3/10 for all others. */
static double reward_of(uint64_t *state, uint32_t arm)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (*state >> 33) % 10 < (arm == 3 ? 7 : 3);
}

static double play_single(const char *algorithm)
{
    const size_t horizon = bench_size(ROUNDS);
    lotor_policy *policy = make(algorithm, horizon);
    lotor_message why = {""};
    uint64_t state = 1;
    const double start = processor_seconds();
    for (size_t t = 0; t < horizon; t++) {
        lotor_decision decision;
        must(lotor_policy_choose(policy, NULL, &why, &decision), &why);
        const double reward = reward_of(&state, decision.arms[0]);
        const lotor_feedback feedback = {&reward, 1, 0};
        must(lotor_policy_learn(policy, decision.event, &feedback, &why), &why);
    }
    const double seconds = processor_seconds() - start;
    lotor_policy_free(policy);
    return 1e9 * seconds / (double)horizon;
}

static double play_many(const char *algorithm)
{
    static double rewards[ROUNDS];
    static lotor_feedback feedback[ROUNDS];
    const size_t horizon = bench_size(ROUNDS);
    lotor_policy *policy = make(algorithm, horizon);
    lotor_message why = {""};
    uint64_t state = 1;
    const double start = processor_seconds();
    for (uint64_t played = 0; played < horizon;) {
        lotor_decision decision;
        uint64_t rounds;
        must(lotor_policy_choose_many(policy, horizon - played, &why, &decision, &rounds), &why);
        for (uint64_t i = 0; i < rounds; i++) {
            rewards[i] = reward_of(&state, decision.arms[0]);
            feedback[i] = (lotor_feedback){&rewards[i], 1, 0};
        }
        must(lotor_policy_learn_many(policy, decision.event, rounds, feedback, &why), &why);
        played += rounds;
    }
    const double seconds = processor_seconds() - start;
    lotor_policy_free(policy);
    return 1e9 * seconds / (double)horizon;
}

int main(void)
{
    bool met = true;
    bench_heading();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[64];
        double single = 0.0, many = 0.0;
        for (int k = 0; k < BENCH_REPETITIONS; k++) { /* in turn: other work disturbs both */
            const double one = play_single(rows[i].algorithm), all = play_many(rows[i].algorithm);
            single = k == 0 || one < single ? one : single;
            many = k == 0 || all < many ? all : many;
        }
        snprintf(name, sizeof name, "%s, one by one", rows[i].algorithm);
        met &= bench_at_most(name, single, "ns", single, 1000);
        snprintf(name, sizeof name, "%s, many at once", rows[i].algorithm);
        if (rows[i].holds) {
            met &= bench_at_most(name, many, "ns", many / single, 1.0);
        } else {
            bench_plain(name, many, "ns");
        }
    }
    return bench_status(met);
}
