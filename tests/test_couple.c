/* test_couple.c - coupled worlds (lotor/couple.h): the proof of every claim holds on random traces,
 * claims are tight, and what is wrong is noticed. Fixed seeds: the result is the same each time.
 * scripts/soak plays 10,000 traces of each algorithm. */
#include "support/test.h"

#include <inttypes.h>
#include <lotor/algorithm.h>
#include <lotor/couple.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/laws.h"
#include "lab/audit_couple.h"
#include "privacy/release/stopping.h"

static lotor_couple_result play(const char *algorithm, uint64_t traces, double noise_scale)
{
    const lotor_couple_params params = {
        .algorithm = algorithm, .traces = traces, .seed = 5, .noise_scale = noise_scale};
    lotor_couple_result result;
    lotor_message why = {""};
    if (lotor_couple_run(&params, &why, &result) != LOTOR_OK) {
        fail_msg("%s: %s", algorithm, why.text);
    }
    return result;
}

/* Traces of elimination are long, and others are short. */
static uint64_t traces_of(const lotor_algorithm *algorithm)
{
    return algorithm->elimination ? 40 : 250;
}

TEST(every_proof_holds_and_every_leak_shows)
{
    for (size_t i = 0; i < lotor_algorithms_size; i++) {
        const lotor_algorithm *algorithm = &lotor_algorithms[i];
        const lotor_couple_result result = play(algorithm->id, traces_of(algorithm), 0.0);
        assert_int_equal(result.is_claimed, lotor_algorithm_is_private(algorithm));
        if (result.is_violated == result.is_claimed) {
            fail_msg("%s: %" PRIu64 " violations; trace %" PRIu64 ": %s (%s)", algorithm->id,
                     result.violations, result.violating_trace, result.violation, result.setting);
        }
        assert_true(!result.is_claimed || result.worst <= 1.0 + 1e-9);
        assert_true(result.is_table || result.decisions > 0);
        assert_true(result.telling > 0 && result.telling <= result.traces);
        assert_true(!result.is_claimed || result.is_table || result.releases > 0);
        assert_int_equal(result.is_violated, result.violations > 0);
    }
}

/* Where a claim is tight, some trace attains it, and 1% less noise breaks it. */
TEST(claims_are_tight)
{
    static const char *const tight[] = {
        "batch-klucb",  "lik-imed",       "adap-ucb",     "dpucb-mat",       "dpts-mat",
        "cucb-ldp1",    "cucb-ldp2",      "cucb-dp-lazy", "cascade-dp-lazy", "rr-imed",
        "cucb-ldp-box", "cascade-ldp-rr", "dp-klucb",     "dp-imed",         "adap-klucb",
        "lazy-dp-ts",   "ldp-ucb-l",      "ldp-ucb-b"};
    for (size_t i = 0; i < sizeof tight / sizeof *tight; i++) {
        const lotor_couple_result honest = play(tight[i], 250, 0.0);
        if (!(honest.worst > 0.999 && honest.worst <= 1.0 + 1e-9)) {
            fail_msg("%s: the worst share is %.6f", tight[i], honest.worst);
        }
        const lotor_couple_result less = play(tight[i], 250, 0.99);
        if (!less.is_violated || !(less.worst > 1.0)) {
            fail_msg("%s: 1%% less noise was not noticed", tight[i]);
        }
    }
}

/* Some traces measure value. A value counter that gets the replaced round attains the claim, also where
 * the learner's own noise is far more than its claim needs (jdp-linucb-gauss). */
TEST(rounds_that_measure_value_are_played)
{
    static const char *const ids[] = {"lik-imed", "dpucb-mat", "jdp-linucb-gauss"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        size_t measuring = 0, telling = 0, plain = 0;
        double worst = 0.0;
        for (uint64_t seed = 1; seed <= 400; seed++) {
            lotor_couple_trace_result result;
            assert_int_equal(
                lotor_couple_play(lotor_algorithms_find(ids[i]), 1.0, seed, NULL, &result),
                LOTOR_OK);
            assert_false(result.is_violated);
            if (!strstr(result.setting, "some rounds measure value")) {
                plain++;
                continue;
            }
            measuring++;
            telling += result.is_telling;
            worst = fmax(worst, result.share);
        }
        assert_true(measuring > 10 && telling > 3 && plain > 300);
        assert_true(worst > 0.99 && worst <= 1.0 + 1e-9);
    }
}

/* Plays long traces: none may break the claim. Returns the worst share. */
static double play_long(const lotor_algorithm *algorithm, uint64_t traces)
{
    uint64_t telling = 0;
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= traces; seed++) {
        lotor_couple_trace_result result;
        lotor_message why = {""};
        if (lotor_couple_play_long(algorithm, seed, &why, &result) != LOTOR_OK) {
            fail_msg("%s, seed %" PRIu64 ": %s", algorithm->id, seed, why.text);
        }
        if (result.is_violated) {
            fail_msg("%s, seed %" PRIu64 ": %s (%s)", algorithm->id, seed, result.violation,
                     result.setting);
        }
        telling += result.is_telling;
        worst = fmax(worst, result.share);
    }
    assert_true(telling > traces / 3);
    return worst;
}

/* The default algorithm, with many traces: its learner says when a batch ends, from releases and counts alone. */
TEST(long_traces_of_chosen_batches_hold)
{
    assert_true(play_long(lotor_algorithms_find("lik-imed"), 160) > 0.999);
}

/* Batches become large, and trees have many levels. Bits and positions have tables, and no traces. */
TEST(long_traces_hold)
{
    size_t played = 0;
    for (size_t i = 0; i < lotor_algorithms_size; i++) {
        const lotor_algorithm *algorithm = &lotor_algorithms[i];
        if (algorithm->elimination || !lotor_algorithm_is_private(algorithm) ||
            play(algorithm->id, 1, 0.0).is_table) {
            continue;
        }
        const bool is_tree = algorithm->linear && algorithm->matrix != LOTOR_MATRIX_BATCH &&
                             algorithm->matrix != LOTOR_MATRIX_SEPARATE;
        const double worst = play_long(algorithm, is_tree ? 2 : algorithm->linear ? 8 : 20);
        assert_true(worst > 0.0 && worst <= 1.0 + 1e-9);
        played++;
    }
    assert_true(played > 20);
}

/* A direction at random. */
static void draw_direction(lotor_generator *random, size_t dimension, double *context)
{
    double square = 0.0;
    for (size_t i = 0; i < dimension; i++) {
        context[i] = lotor_random_gaussian(random);
        square += context[i] * context[i];
    }
    for (size_t i = 0; i < dimension; i++) {
        context[i] *= (1.0 - 1e-12) / sqrt(square);
    }
}

/* Both worlds play one round of one arm. */
static void play_wide(lotor_couple *couple, const double *const contexts[2],
                      const double rewards[2])
{
    for (size_t w = 0; w < 2; w++) {
        lotor_policy *policy = couple->world[w].policy;
        lotor_decision decision;
        const lotor_feedback feedback = {&rewards[w], 1, 0};
        assert_int_equal(lotor_policy_choose(policy, contexts[w], NULL, &decision), LOTOR_OK);
        assert_int_equal(lotor_policy_learn(policy, decision.event, &feedback, NULL), LOTOR_OK);
    }
    couple->is_replaced_final = true;
    lotor_couple_compare(couple);
}

/* The first round has another context and another reward in each world. A batch is over when it is released; the tree
 * has two rounds, on two levels. Epsilon is large, so that a batch ends within 64 rounds. */
static void check_wide(const char *id, size_t dimension, uint64_t rounds, uint64_t epsilon)
{
    const lotor_policy_params params = {.algorithm = id,
                                        .arms = 1,
                                        .dimension = dimension,
                                        .horizon = rounds,
                                        .epsilon = lotor_ratio_of(epsilon, 1),
                                        .delta = lotor_ratio_of(1, 100000)};
    const double *const none[2] = {NULL, NULL};
    lotor_couple couple = {.replaced = 1, .stretch = 1.0};
    assert_int_equal(lotor_couple_make(&couple, &params, none, 1.0, 3, NULL), LOTOR_OK);
    lotor_generator random;
    lotor_generator_seed(&random, dimension);
    double *contexts = calloc(2 * dimension, sizeof *contexts);
    assert_non_null(contexts);
    draw_direction(&random, dimension, contexts);
    draw_direction(&random, dimension, contexts + dimension);
    play_wide(&couple, (const double *[2]){contexts, contexts + dimension},
              (const double[2]){-1.0, 1.0});
    const uint64_t first = couple.releases; /* of a tree: a node */
    for (uint64_t t = 2; t <= rounds && (first > 0 || !couple.is_telling); t++) {
        play_wide(&couple, (const double *[2]){contexts, contexts}, (const double[2]){0.0, 0.0});
    }
    lotor_couple_compare_all(&couple);
    const double share =
        lotor_couple_loss_share(&couple.loss, couple.world[0].policy, params.epsilon);
    if (couple.is_violated || !couple.is_telling || !(share > 0.8 && share <= 1.0)) {
        fail_msg("%s, %zu dimensions: the share is %.6f; %s", id, dimension, share,
                 couple.violation);
    }
    free(contexts);
    lotor_couple_clear(&couple);
}

/* Contexts that are longer than a byte can count. */
TEST(wide_contexts_are_covered)
{
    check_wide("jdp-batch", 300, 64, 20000);
    check_wide("jdp-batch", 1024, 64, 20000);
    check_wide("jdp-bayes", 300, 64, 20000);
    check_wide("jdp-bayes", 1024, 64, 20000);
    check_wide("jdp-linucb", 300, 2, 200);
}

/* Less noise of a linear algorithm: the distance in scales of a Gaussian grows, and Wishart noise
 * lacks degrees of freedom. */
TEST(less_noise_on_matrices_is_noticed)
{
    static const char *const ids[] = {"jdp-linucb", "jdp-batch", "jdp-bayes", "jdp-linucb-wishart",
                                      "jdp-linucb-wishart-shifted"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const lotor_couple_result honest = play(ids[i], 150, 0.0);
        assert_true(honest.worst > 0.9 && honest.worst <= 1.0);
        assert_true(play(ids[i], 150, 0.8).is_violated);
    }
}

TEST(a_seed_gives_the_same_result_on_any_number_of_threads)
{
    lotor_couple_params params = {.algorithm = "lik-imed", .traces = 100, .seed = 9, .threads = 1};
    lotor_couple_result one, other;
    assert_int_equal(lotor_couple_run(&params, NULL, &one), LOTOR_OK);
    params.threads = 3;
    assert_int_equal(lotor_couple_run(&params, NULL, &other), LOTOR_OK);
    assert_true(one.worst == other.worst && one.releases == other.releases &&
                one.decisions == other.decisions && one.traces == other.traces);
}

static bool stop(void *context, double share)
{
    (void)share;
    *(int *)context += 1;
    return true;
}

TEST(wrong_parameters_are_refused)
{
    lotor_message why;
    lotor_couple_result result = {.traces = 77};
    lotor_couple_params params = {.algorithm = "lik-imd"};
    assert_int_equal(lotor_couple_run(&params, &why, &result), LOTOR_UNKNOWN);
    assert_non_null(strstr(why.text, "did you mean lik-imed?"));
    params.algorithm = "lik-imed";
    params.traces = LOTOR_COUPLE_TRACES_MAX + 1;
    assert_int_equal(lotor_couple_run(&params, &why, &result), LOTOR_INVALID);
    params.traces = 100000;
    params.noise_scale = -1.0;
    assert_int_equal(lotor_couple_run(&params, &why, &result), LOTOR_INVALID);
    params.noise_scale = 0.0;
    int calls = 0;
    params.progress = stop;
    params.progress_context = &calls;
    assert_int_equal(lotor_couple_run(&params, &why, &result), LOTOR_STOPPED);
    assert_true(calls >= 1);
    assert_int_equal(result.traces, 77); /* nothing was written */
}

/* --- the loss, by hand -------------------------------------------------------------------------- */

TEST(losses_by_hand)
{
    const lotor_policy_params params = {
        .algorithm = "batch-klucb", .arms = 2, .epsilon = {1, 1}, .low = 0, .high = 1};
    lotor_policy *policy;
    assert_int_equal(lotor_policy_new_on(&params, NULL, 1, NULL, &policy), LOTOR_OK);
    const lotor_ratio epsilon = lotor_ratio_of(2, 1);
    lotor_couple_loss loss = {0};
    const lotor_noise_request two = {LOTOR_USE_RELEASE, LOTOR_LAW_LAPLACE, 10, 2, 0.0};
    lotor_couple_loss_add(&loss, &two, (const int64_t[]){3, -2}); /* 5 / 10 */
    assert_true(fabs(lotor_couple_loss_share(&loss, policy, epsilon) - 0.25) < 1e-15);

    /* Sparse vector: the largest distance, 4, costs 4/30 + 8/30 once, however many queries. */
    const lotor_noise_request threshold = {LOTOR_USE_THRESHOLD, LOTOR_LAW_LAPLACE, 30, 1, 0.0};
    const lotor_noise_request query = {LOTOR_USE_QUERY, LOTOR_LAW_LAPLACE, 30, 1, 0.0};
    lotor_couple_loss_add(&loss, &threshold, (const int64_t[]){0});
    for (int64_t i = 0; i < 9; i++) {
        lotor_couple_loss_add(&loss, &query, (const int64_t[]){i % 5});
    }
    assert_true(fabs(lotor_couple_loss_share(&loss, policy, epsilon) - (0.5 + 0.4) / 2.0) < 1e-15);
    lotor_couple_loss_add(&loss, &threshold, (const int64_t[]){0}); /* a second series */
    lotor_couple_loss_add(&loss, &query, (const int64_t[]){-3});
    assert_true(fabs(lotor_couple_loss_share(&loss, policy, epsilon) - (0.5 + 0.7) / 2.0) < 1e-15);

    /* Queries with different noise: the largest distance in scales counts. */
    lotor_couple_loss uneven = {0};
    const lotor_noise_request thin = {LOTOR_USE_QUERY, LOTOR_LAW_LAPLACE, 3, 1, 0.0};
    lotor_couple_loss_add(&uneven, &threshold, (const int64_t[]){0});
    lotor_couple_loss_add(&uneven, &thin, (const int64_t[]){3});
    lotor_couple_loss_add(&uneven, &query, (const int64_t[]){3});
    assert_true(fabs(lotor_couple_loss_share(&uneven, policy, epsilon) - (0.1 + 2.0) / 2.0) <
                1e-15);
    lotor_couple_loss_add(&uneven, &threshold, (const int64_t[]){1}); /* a threshold is public */
    assert_true(isinf(lotor_couple_loss_share(&uneven, policy, epsilon)));

    /* A distance without noise, and two laws together, are covered by no claim. */
    const lotor_noise_request gaussian = {LOTOR_USE_RELEASE, LOTOR_LAW_GAUSSIAN, 10, 1, 0.0};
    lotor_couple_loss mixed = loss;
    lotor_couple_loss_add(&mixed, &gaussian, (const int64_t[]){1});
    assert_true(isinf(lotor_couple_loss_share(&mixed, policy, epsilon)));
    const lotor_noise_request bare = {LOTOR_USE_RELEASE, LOTOR_LAW_LAPLACE, 0, 1, 0.0};
    lotor_couple_loss_add(&loss, &bare, (const int64_t[]){0});
    assert_true(lotor_couple_loss_share(&loss, policy, epsilon) < 1.0);
    lotor_couple_loss_add(&loss, &bare, (const int64_t[]){1});
    assert_true(isinf(lotor_couple_loss_share(&loss, policy, epsilon)));
    lotor_policy_free(policy);
}

/* --- stopping rules -------------------------------------------------------------------------------- */

/* A script that keeps what is asked for. The second rule gets the released numbers of the first. */
enum { KEPT = 4000 };
typedef struct keeper {
    lotor_noise_script script;
    struct keeper *first; /* NULL: this is the first */
    lotor_generator random;
    lotor_noise_request requests[KEPT];
    int64_t exact[KEPT], released[KEPT];
    size_t count;
} keeper;

static lotor_status keep(lotor_noise_script *script, const lotor_noise_request *request,
                         int64_t *numbers)
{
    keeper *self = (keeper *)script;
    assert_true(self->count < KEPT);
    assert_int_equal(request->count, 1);
    self->requests[self->count] = *request;
    self->exact[self->count] = numbers[0];
    const int64_t noise = (int64_t)(lotor_generator_word(&self->random) % (2 * request->scale)) -
                          (int64_t)request->scale;
    numbers[0] = self->first ? self->first->released[self->count] : numbers[0] + noise;
    self->released[self->count++] = numbers[0];
    return LOTOR_OK;
}

/* One sample differs. Every query moves by at most the width, and so does the estimate, of which one
 * is released: epsilon/2 for the queries, epsilon/2 for the estimate. */
TEST(stopping_rules_are_coupled)
{
    static const char *const rules[] = {"dp-nas", "dp-exp-nas"};
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        lotor_generator random;
        lotor_generator_seed(&random, seed);
        static keeper keepers[2];
        lotor_stopping *stopping[2];
        const lotor_stopping_params params = {.rule = rules[seed % 2],
                                              .alpha = 0.9,
                                              .beta = 0.5,
                                              .epsilon = {40, 1},
                                              .range = 1.0 + (double)(seed % 3)};
        for (size_t w = 0; w < 2; w++) {
            memset(&keepers[w], 0, sizeof keepers[w]);
            keepers[w].script.add = keep;
            keepers[w].first = w == 0 ? NULL : &keepers[0];
            lotor_generator_seed(&keepers[w].random, seed);
            assert_int_equal(lotor_stopping_new_with(&params,
                                                     lotor_noise_scripted(&keepers[w].script, NULL),
                                                     NULL, &stopping[w]),
                             LOTOR_OK);
        }
        const uint64_t replaced = 1 + seed % 20;
        bool stopped[2] = {false, false};
        for (uint64_t t = 1; t <= 1900 && !stopped[0]; t++) {
            const double sample =
                params.range * (lotor_generator_word(&random) % 4 == 0 ? -1.0 : 1.0);
            for (size_t w = 0; w < 2; w++) {
                const double mine = t == replaced && w == 1 ? -sample : sample;
                assert_int_equal(lotor_stopping_add(stopping[w], mine, NULL, &stopped[w]),
                                 LOTOR_OK);
            }
            assert_int_equal(stopped[0], stopped[1]);
            assert_int_equal(keepers[0].count, keepers[1].count);
        }
        /* Of the estimates only the last one is released: before the last query. */
        lotor_couple_loss loss = {0};
        for (size_t i = 0; i < keepers[0].count; i++) {
            const int64_t distance = keepers[0].exact[i] - keepers[1].exact[i];
            const bool is_released = keepers[0].requests[i].use != LOTOR_USE_RELEASE ||
                                     (stopped[0] && i + 2 == keepers[0].count);
            assert_memory_equal(&keepers[0].requests[i], &keepers[1].requests[i],
                                sizeof keepers[0].requests[i]);
            if (is_released) {
                lotor_couple_loss_add(&loss, &keepers[0].requests[i], &distance);
            }
        }
        const lotor_noise_request end = {LOTOR_USE_THRESHOLD, LOTOR_LAW_LAPLACE, 1, 1, 0.0};
        lotor_couple_loss_add(&loss, &end, (const int64_t[]){0});
        const double share = (loss.laplace + loss.sparse) / 40.0;
        assert_true(share <= 1.0 + 1e-9);
        worst = share > worst ? share : worst;
        for (size_t w = 0; w < 2; w++) {
            lotor_stopping_free(stopping[w]);
        }
    }
    assert_true(worst > 0.999);
}
