/* test_fuzz_seeds.c - the inputs that fuzz_policy_load starts from (fuzz/corpus/policy_load). Each
 * must load: an input in an old format only tests the refusal.
 *
 * The inputs in `seeds` are made here, among them those of lik-imed, rr-imed and jdp-bayes. They
 * have rounds without feedback yet, closed batches that wait for these rounds, a window, an alarm, a half-life.
 * After a change of the saved format, write them again:
 *
 *      LOTOR_WRITE_SEEDS=1 build-check/tests/test_fuzz_seeds write_seeds
 */
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "learn/imed.h"
#include "privacy/release/statistic.h"
#include "support/served.h"

enum { FOLDER_LENGTH = 512, LARGEST = 4096 }; /* scripts/fuzz tries no longer inputs */

static const char folder[] = LOTOR_FUZZ_CORPUS "/policy_load";

TEST_GROUP(test_start_sodium, NULL);

/* --- states ---------------------------------------------------------------------------------------- */

enum { CHANGE = 120 };

typedef struct seed {
    const char *name;
    lotor_policy_params params; /* if left out, those of rows_params for the algorithm `name` */
    lotor_structure structure;  /* if it is not any set of `slots` arms */
    uint64_t rounds;
    uint64_t open;  /* the last rounds, which wait for feedback */
    bool is_served; /* the service keeps the rounds */
    bool is_valued; /* and a third of them measure value */
} seed;

/* Rewards change after CHANGE rounds, so an alarm that plays longer has rounds that are forgotten. */
static const seed seeds[] = {
    {.name = "lik-imed", {.algorithm = "lik-imed", .arms = 5}, .rounds = 60, .open = 13},
    {.name = "lik-imed-first", {.algorithm = "lik-imed", .arms = 5}, .rounds = 9, .open = 9},
    {.name = "lik-imed-list",
     {.algorithm = "lik-imed", .arms = 5, .slots = 3, .cascade = true, .lag = 2.0},
     .rounds = 60,
     .open = 13},
    {.name = "lik-imed-partition",
     {.algorithm = "lik-imed", .arms = 5},
     .structure = LOTOR_STRUCTURE_PARTITION,
     .rounds = 60,
     .open = 30},
    {.name = "lik-imed-window",
     {.algorithm = "lik-imed", .arms = 5, .window = 16},
     .rounds = 60,
     .open = 13},
    {.name = "lik-imed-alarm",
     {.algorithm = "lik-imed", .arms = 5, .alarm = true},
     .rounds = 240,
     .open = 13},
    {.name = "lik-imed-window-alarm",
     {.algorithm = "lik-imed",
      .arms = 5,
      .slots = 3,
      .cascade = true,
      .window = 100,
      .alarm = true},
     .rounds = 240,
     .open = 13},
    {.name = "lik-imed-half-life",
     {.algorithm = "lik-imed", .arms = 5, .half_life = 20},
     .rounds = 60,
     .open = 13},
    {.name = "lik-imed-half-life-in-seconds",
     {.algorithm = "lik-imed", .arms = 5, .half_life = 100, .half_life_in_seconds = true},
     .rounds = 60,
     .open = 13},
    {.name = "rr-imed-half-life",
     {.algorithm = "rr-imed", .arms = 5, .half_life = 20},
     .rounds = 60,
     .open = 13},
    {.name = "lik-imed-variance",
     {.algorithm = "lik-imed", .arms = 5, .high = 2.0, .variance = 0.75, .caution = 1.0},
     .rounds = 60,
     .open = 30},
    {.name = "rr-imed", {.algorithm = "rr-imed", .arms = 5, .slots = 2}, .rounds = 60, .open = 13},
    {.name = "rr-imed-list",
     {.algorithm = "rr-imed", .arms = 5, .slots = 3, .cascade = true},
     .rounds = 60,
     .open = 13},
    {.name = "jdp-bayes",
     {.algorithm = "jdp-bayes", .arms = 5, .dimension = 3, .horizon = 100},
     .rounds = 60,
     .open = 13},
    {.name = "jdp-bayes-first",
     {.algorithm = "jdp-bayes", .arms = 5, .dimension = 3, .horizon = 100},
     .rounds = 3,
     .open = 3},
    {.name = "served-lik-imed",
     {.algorithm = "lik-imed", .arms = 5},
     .rounds = 60,
     .open = 13,
     .is_served = true},
    {.name = "served-lik-imed-window-alarm",
     {.algorithm = "lik-imed", .arms = 5, .slots = 2, .window = 100, .alarm = true},
     .rounds = 240,
     .open = 13,
     .is_served = true},
    {.name = "served-rr-imed",
     {.algorithm = "rr-imed", .arms = 5, .slots = 2, .lag = 3.0},
     .rounds = 60,
     .open = 13,
     .is_served = true},
    {.name = "served-rr-imed-list",
     {.algorithm = "rr-imed", .arms = 5, .slots = 3, .cascade = true},
     .rounds = 60,
     .open = 13,
     .is_served = true},
    {.name = "valued-lik-imed-list",
     {.algorithm = "lik-imed", .arms = 5, .slots = 2, .cascade = true},
     .rounds = 60,
     .open = 13,
     .is_served = true,
     .is_valued = true},
    {.name = "served-jdp-bayes",
     {.algorithm = "jdp-bayes", .arms = 5, .dimension = 3, .horizon = 100},
     .rounds = 60,
     .open = 13,
     .is_served = true},
    {.name = "cascade-dp-lazy", .rounds = 20, .open = 4},
    {.name = "cascade-ldp-rr", .rounds = 20, .open = 4},
    {.name = "cucb-dp-lazy", .rounds = 20, .open = 4},
    {.name = "cucb-ldp-box", .rounds = 20, .open = 4},
    {.name = "dp-se-acc", .rounds = 20, .open = 4},
    {.name = "dp-ucb-tight", .rounds = 20, .open = 4},
};
enum { SEEDS = sizeof seeds / sizeof *seeds, ROUNDS_MAX = 240 };

/* The best arm is the first, and after the change the last. */
static double reward_of(const lotor_policy *policy, uint32_t arm, uint64_t t)
{
    const uint32_t rank = t < CHANGE ? arm : 4 - arm;
    const bool is_paid = (t * 7 + arm * 3) % 10 < (rank == 0 ? 9U : 3U - rank / 2);
    return is_paid ? policy->params.high : policy->params.low;
}

static lotor_feedback feedback_of(const lotor_policy *policy, const served_round *round,
                                  double rewards[ROWS_ARMS])
{
    for (size_t i = 0; i < round->asked_count; i++) {
        rewards[i] = reward_of(policy, round->asked[i], round->event);
    }
    if (policy->params.cascade) {
        return (lotor_feedback){.click = rewards[0] > 0.0};
    }
    return (lotor_feedback){rewards, round->asked_count, 0};
}

/* Ends a round of a policy that keeps its rounds. Every 11th has no feedback. */
static void end_round(lotor_policy *policy, const served_round *round)
{
    double rewards[ROWS_ARMS];
    const lotor_feedback feedback = feedback_of(policy, round, rewards);
    if (round->event % 11 != 0) {
        assert_int_equal(lotor_policy_observe(policy, round->event, &feedback, NULL), LOTOR_OK);
    }
    assert_int_equal(lotor_policy_expire(policy, round->event, NULL), LOTOR_OK);
}

static lotor_policy *make_state(const seed *from, test_source *source)
{
    static served_round rounds[ROUNDS_MAX + 1];
    test_source device;
    test_source_seed(source, 1);
    test_source_seed(&device, 2);
    lotor_policy_params params = from->params;
    params.epsilon = lotor_ratio_of(20, 1); /* little noise, so that changes are found soon */
    if (!params.algorithm) {
        params = rows_params(lotor_algorithms_find(from->name), 50);
    }
    if (from->structure != LOTOR_STRUCTURE_TOP) {
        rows_set_structure(&params, from->structure);
    }
    lotor_policy *policy = rows_make(&params, source);
    static const uint32_t control[] = {4, 3, 0};
    if (from->is_valued) {
        const lotor_evaluation_params third = {lotor_ratio_of(1, 3), control, 3};
        assert_int_equal(lotor_policy_evaluate(policy, &third, NULL), LOTOR_OK);
    }
    for (uint64_t t = 1; t <= from->rounds; t++) {
        if (params.half_life_in_seconds) {
            assert_int_equal(lotor_policy_tick(policy, 1000 + 3 * t, NULL), LOTOR_OK);
        }
        if (from->is_served) {
            served_draw(policy, t, NULL, &rounds[t]);
        } else {
            lotor_decision decision;
            assert_int_equal(rows_choose(policy, t, NULL, &decision), LOTOR_OK);
            served_copy(policy, t, &decision, &rounds[t]);
        }
        if (t > from->open && from->is_served) {
            const served_round *round = &rounds[t - from->open];
            const bool learns = lotor_round_role_of(round->asked, round->asked_count) ==
                                LOTOR_ROUND_LEARNS; /* others get no feedback here */
            served_enter(policy, round, learns && t % 11 != 0, &device.source);
        } else if (t > from->open) {
            end_round(policy, &rounds[t - from->open]);
        }
    }
    return policy;
}

static uint64_t waiting_in_batches(const lotor_policy *policy)
{
    uint64_t waiting = 0;
    for (size_t arm = 0; arm < policy->params.arms; arm++) {
        waiting += lotor_statistic_waiting(policy->statistic, arm);
    }
    return waiting;
}

TEST(seeds_have_open_rounds_and_batches_that_wait)
{
    for (size_t i = 0; i < SEEDS; i++) {
        test_source source;
        lotor_policy *policy = make_state(&seeds[i], &source);
        assert_int_equal(policy->rounds, seeds[i].rounds);
        assert_int_equal(policy->is_served, seeds[i].is_served);
        if (!policy->is_served) {
            assert_int_equal(lotor_inbox_waiting(policy->inbox), seeds[i].open);
        }
        if (strcmp(policy->algorithm->id, "lik-imed") == 0) {
            assert_true(waiting_in_batches(policy) > 0);
        }
        if (policy->params.alarm) {
            assert_true(lotor_imed_memory_of(policy->imed).checked > CHANGE);
        }
        lotor_policy_free(policy);
    }
}

/* --- files ------------------------------------------------------------------------------------------ */

TEST_IF(getenv("LOTOR_WRITE_SEEDS"), write_seeds, NULL, NULL)
{
    for (size_t i = 0; i < SEEDS; i++) {
        test_source source;
        lotor_policy *policy = make_state(&seeds[i], &source);
        unsigned char *bytes;
        size_t length;
        assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
        char path[FOLDER_LENGTH];
        snprintf(path, sizeof path, "%s/%s", folder, seeds[i].name);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        const size_t payload = length - FUZZ_HEADER - FUZZ_CHECKSUM;
        assert_int_equal(fwrite(bytes + FUZZ_HEADER, 1, payload, file), payload);
        assert_int_equal(fclose(file), 0);
        lotor_bytes_free(bytes, length);
        lotor_policy_free(policy);
    }
}

/* Loads the payload, as the fuzzer does, as a policy of either kind. */
static bool loads(const unsigned char *payload, size_t size)
{
    static const char *const kinds[] = {"policy", "served", "valued"};
    bool any = false;
    for (size_t i = 0; i < 3; i++) {
        test_source source;
        test_source_seed(&source, 1);
        lotor_policy_params custom = {.algorithm = NULL};
        rows_set_structure(&custom, LOTOR_STRUCTURE_CUSTOM_ORACLE);
        size_t length;
        unsigned char *bytes = fuzz_envelope(kinds[i], payload, size, &length);
        lotor_policy *policy;
        any |=
            lotor_policy_load_on(bytes, length, &custom, &source.source, NULL, &policy) == LOTOR_OK;
        lotor_policy_free(policy);
        free(bytes);
    }
    return any;
}

TEST(every_seed_loads)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    size_t count = 0;
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        char path[FOLDER_LENGTH];
        snprintf(path, sizeof path, "%s/%.200s", folder, entry->d_name);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        unsigned char payload[LARGEST + 1];
        const size_t size = fread(payload, 1, sizeof payload, file);
        fclose(file);
        assert_true(size <= LARGEST);
        if (!loads(payload, size)) {
            fail_msg("%s does not load: see the top of this file", path);
        }
        count++;
    }
    closedir(directory);
    assert_true(count >= SEEDS);
}
