/* bench_decision.c - what one decision of the service costs in the policy: to draw it, and to enter
 * its round when it is final. The service's default algorithms are compared with the ones before
 * them, in the same run, with the same people.
 *
 * As in a campaign, many rounds are open (a round is final DELAY rounds after it was drawn).
 * Rounds are drawn and entered many at a time, and there is room for arms that are added later.
 */
#include <stdint.h>

#include <lotor/policy.h>

#include "bench.h"
#include "policy/serving.h"

enum {
    ROUNDS = 200000,
    ROUNDS_OF_MANY = 50000,
    DELAY = 1000,
    TOGETHER = 50,
    ROOM = 4,
    ARMS_MAX = 1004,
    SLOTS_MAX = 4
};

typedef struct setting {
    const char *name, *algorithm, *before;
    uint32_t arms, slots;
    bool clicks;
} setting;

static const setting settings[] = {
    {"lik-imed, 1 of 10", "lik-imed", "batch-klucb", 10, 1, false},
    {"lik-imed, 4 of 20", "lik-imed", "batch-klucb", 20, 4, false},
    {"lik-imed, list of 4 of 20", "lik-imed", "batch-klucb", 20, 4, true},
    {"lik-imed, 4 of 1,000", "lik-imed", "batch-klucb", 1000, 4, false},
    {"rr-imed, 1 of 10", "rr-imed", "rr-klucb", 10, 1, false},
    {"rr-imed, 4 of 20", "rr-imed", "rr-klucb", 20, 4, false},
    {"rr-imed, 4 of 1,000", "rr-imed", "rr-klucb", 1000, 4, false},
};

/* A round that is not final yet. */
typedef struct open_round {
    uint32_t arms[SLOTS_MAX], asked[SLOTS_MAX];
    size_t count, asked_count;
} open_round;

static void must(lotor_status status, const lotor_message *why)
{
    if (status != LOTOR_OK) {
        fprintf(stderr, "bench_decision: %s\n", why->text);
        exit(EXIT_FAILURE);
    }
}

/* A cheap coin: true with probability 1/2 for the first arms, 1/10 for all others. */
static bool likes(uint64_t *state, const setting *place, uint32_t arm)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (*state >> 33) % 10 < (arm < place->slots ? 5 : 1);
}

static size_t click(uint64_t *state, const setting *place, const open_round *round)
{
    for (size_t i = 0; i < round->count; i++) {
        if (likes(state, place, round->arms[i])) {
            return i + 1;
        }
    }
    return 0;
}

static void enter(lotor_policy *policy, const setting *place, const open_round *round,
                  uint64_t *state)
{
    const lotor_display display = {.arms = round->arms,
                                   .count = round->count,
                                   .asked = round->asked,
                                   .asked_count = round->asked_count};
    lotor_message why = {""};
    lotor_feedback feedback = {.click = 0};
    double rewards[SLOTS_MAX];
    int64_t units[SLOTS_MAX];
    lotor_randomizer randomizer;
    size_t used = 0;
    if (lotor_policy_randomizer(policy, &display, &randomizer)) {
        const int64_t bit = likes(state, place, round->arms[0]);
        must(lotor_policy_encode_report(policy, &display, &bit, 1, &why, units, &used), &why);
    } else {
        for (size_t i = 0; i < round->asked_count; i++) {
            rewards[i] = likes(state, place, round->asked[i]);
        }
        if (place->clicks) {
            feedback.click = click(state, place, round);
        } else {
            feedback = (lotor_feedback){.rewards = rewards, .count = round->asked_count};
        }
        must(lotor_policy_encode(policy, &display, &feedback, &why, units, &used), &why);
    }
    must(lotor_policy_enter(policy, &display, units, used, &why), &why);
}

static void draw(lotor_policy *policy, const bool *eligible, open_round *round)
{
    lotor_message why = {""};
    lotor_decision decision;
    must(lotor_policy_draw(policy, NULL, eligible, &why, &decision), &why);
    round->count = decision.count;
    round->asked_count = decision.asked_count;
    for (size_t i = 0; i < decision.count; i++) {
        round->arms[i] = decision.arms[i];
    }
    for (size_t i = 0; i < decision.asked_count; i++) {
        round->asked[i] = decision.asked[i];
    }
}

/* Nanoseconds of one round: drawn, and entered DELAY rounds later. */
static double play(const setting *place, const char *algorithm)
{
    static open_round open[DELAY];
    bool eligible[ARMS_MAX];
    const lotor_policy_params params = {.algorithm = algorithm,
                                        .arms = place->arms + ROOM,
                                        .slots = place->slots,
                                        .cascade = place->clicks,
                                        .epsilon = lotor_ratio_of(1, 1)};
    lotor_policy *policy = NULL;
    lotor_message why = {""};
    uint64_t state = 1;
    const size_t full = place->arms < 1000 ? ROUNDS : ROUNDS_OF_MANY;
    const size_t rounds = DELAY + bench_size(full - DELAY);
    must(lotor_policy_new(&params, &why, &policy), &why);
    for (size_t i = 0; i < place->arms + ROOM; i++) {
        eligible[i] = i < place->arms;
    }
    const double start = bench_clock();
    for (size_t t = 0; t < rounds; t += TOGETHER) {
        for (size_t i = 0; i < TOGETHER && t >= DELAY; i++) {
            enter(policy, place, &open[(t + i) % DELAY], &state);
        }
        for (size_t i = 0; i < TOGETHER; i++) {
            draw(policy, eligible, &open[(t + i) % DELAY]);
        }
    }
    const double seconds = bench_clock() - start;
    lotor_policy_free(policy);
    return 1e9 * seconds / (double)rounds;
}

int main(void)
{
    bool met = true;
    bench_heading();
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        double now = 0, before = 0;
        for (int k = 0; k < BENCH_REPETITIONS; k++) { /* in turn: other work disturbs both */
            const double first = play(&settings[i], settings[i].algorithm);
            const double second = play(&settings[i], settings[i].before);
            now = k == 0 || first < now ? first : now;
            before = k == 0 || second < before ? second : before;
        }
        bench_plain(settings[i].before, before, "ns");
        met &= bench_at_most(settings[i].name, now, "ns", now / before, 1.1);
    }
    return bench_status(met);
}
