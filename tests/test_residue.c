/* test_residue.c - what a saved state still has after a release: never the noise, and nothing of a
 * raw sum that is no longer needed.
 *
 * A script adds noise whose value no other number of the state has. After every final round the
 * policy is saved, and the bytes are searched. Where every value is in one released number
 * (batches, epochs, matrix batches), the exact sum of a release must be gone, too. Trees keep the
 * exact sums of nodes that a later value merges: that is how they work. */
#include "support/test.h"

#include <malloc.h>
#include <math.h>
#include <string.h>

#include "policy/policy.h"
#include "privacy/release/hybrid.h"
#include "privacy/release/stopping.h"

enum { MOST = 20000 };

typedef struct keeper {
    lotor_noise_script script;
    int64_t noise[MOST], exact[MOST];
    size_t count;
} keeper;

/* Noise of about 2^45 units: small enough to be added up, and unlike any sum or count here. */
static lotor_status add(lotor_noise_script *script, const lotor_noise_request *request,
                        int64_t *numbers)
{
    keeper *self = (keeper *)script;
    if (request->use == LOTOR_USE_THRESHOLD) {
        return LOTOR_OK; /* sparse vector needs this noise until it says yes */
    }
    for (size_t i = 0; i < request->count && request->scale > 0; i++) {
        assert_true(self->count < MOST);
        self->noise[self->count] = (INT64_C(1) << 45) + (int64_t)self->count * 7919 + 12345;
        self->exact[self->count] = numbers[i];
        numbers[i] += self->noise[self->count++];
    }
    return LOTOR_OK;
}

static keeper kept;

/* True if any eight bytes in a row are this number. */
static bool has(const unsigned char *bytes, size_t length, int64_t number)
{
    for (size_t i = 0; i + sizeof number <= length; i++) {
        if (memcmp(bytes + i, &number, sizeof number) == 0) {
            return true;
        }
    }
    return false;
}

/* Small sums are also counts, so only distinctive ones are looked for. */
static bool is_distinctive(int64_t number)
{
    return number > 50000 || number < -50000;
}

static void assert_clean(const lotor_policy *policy, bool keeps_sums)
{
    unsigned char *bytes;
    size_t length;
    assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
    const size_t recent = kept.count < 64 ? kept.count : 64;
    for (size_t i = kept.count - recent; i < kept.count; i++) {
        /* where the exact number is 0, the noise is the released number */
        if (kept.exact[i] != 0 && has(bytes, length, kept.noise[i])) {
            fail_msg("%s: the saved state has the noise of release %zu", policy->algorithm->id, i);
        }
        if (!keeps_sums && is_distinctive(kept.exact[i]) && has(bytes, length, kept.exact[i])) {
            fail_msg("%s: the saved state has the exact sum of release %zu", policy->algorithm->id,
                     i);
        }
    }
    lotor_bytes_free(bytes, length);
}

static void play(const lotor_algorithm *algorithm)
{
    const bool is_linear = algorithm->linear != NULL, is_long = algorithm->elimination != NULL;
    const bool is_tree = (algorithm->statistic && (strstr(algorithm->statistic->name, "tree") ||
                                                   strstr(algorithm->statistic->name, "hyb"))) ||
                         (is_linear && strstr(lotor_matrix_name(algorithm->matrix), "tree"));
    static const double first[4] = {0.1, 0.2, 0.3, 0.4};
    const lotor_policy_params params = {
        .algorithm = algorithm->id,
        .arms = 4,
        .slots = lotor_algorithm_plays(algorithm, LOTOR_PROBLEM_CASCADE) ||
                         algorithm->problem == LOTOR_PROBLEM_SEMIBANDIT
                     ? 2
                     : 0,
        .horizon = is_long ? 2000 : 64,
        .epsilon = {is_long || is_linear ? 40 : 1, 1},
        .delta = algorithm->delta,
        .beta = is_long ? 0.99 : 0.0,
        .dimension = is_linear ? 3 : 0,
        .first = algorithm->starts_exact ? first : NULL,
    };
    lotor_policy *policy;
    lotor_generator coins;
    lotor_generator_seed(&coins, 3);
    memset(&kept, 0, sizeof kept);
    kept.script.add = add;
    assert_int_equal(lotor_policy_new_with(&params, 1.0, lotor_noise_scripted(&kept.script, &coins),
                                           1, NULL, &policy),
                     LOTOR_OK);
    size_t seen = 0;
    for (uint64_t t = 1; t <= params.horizon; t++) {
        static const double context[12] = {0.5, 0.1, -0.3, 0.2, 0.7, 0.1,
                                           0.9, 0.2, 0.1,  0.3, 0.3, -0.8};
        lotor_decision decision;
        assert_int_equal(lotor_policy_choose(policy, is_linear ? context : NULL, NULL, &decision),
                         LOTOR_OK);
        double rewards[4];
        for (size_t i = 0; i < decision.asked_count; i++) {
            rewards[i] = 0.4123 + 0.00017 * (double)t + 0.01 * (double)i;
        }
        const bool clicks = policy->coder.hears_clicks;
        const lotor_feedback feedback = {clicks ? NULL : rewards, clicks ? 0 : decision.asked_count,
                                         clicks ? t % 3 : 0};
        assert_int_equal(lotor_policy_observe(policy, decision.event, &feedback, NULL), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(policy, decision.event, NULL), LOTOR_OK);
        if (kept.count > seen) {
            seen = kept.count;
            assert_clean(policy, is_tree || clicks); /* sums of clicks are round numbers */
        }
    }
    assert_true(seen > 0);
    lotor_policy_free(policy);
}

TEST(policies_keep_no_noise)
{
    for (size_t i = 0; i < lotor_algorithms_size; i++) {
        const lotor_algorithm *algorithm = &lotor_algorithms[i];
        const bool is_coins = algorithm->statistic && algorithm->statistic->report != 0 &&
                              algorithm->statistic->report != LOTOR_REPORT_LAPLACE;
        if (lotor_algorithm_has_noise(algorithm) && !is_coins &&
            algorithm->matrix != LOTOR_MATRIX_WISHART) {
            play(algorithm);
        }
    }
}

/* A node of a tree that no later value can merge: its exact sum is forgotten. Of a horizon of 4, that
 * is the last node; of 6, also the node of values 5 and 6. */
TEST(nodes_that_are_never_merged_are_forgotten)
{
    for (uint64_t horizon = 1; horizon <= 40; horizon++) {
        lotor_tree *tree;
        memset(&kept, 0, sizeof kept);
        kept.script.add = add;
        lotor_noise noise = lotor_noise_scripted(&kept.script, NULL);
        assert_int_equal(lotor_tree_new(1, horizon, LOTOR_LAW_LAPLACE, 1, &tree), LOTOR_OK);
        for (uint64_t t = 1; t <= horizon; t++) {
            const int64_t value = 333333 + 1013 * (int64_t)t;
            assert_int_equal(lotor_tree_insert(tree, &value, &noise), LOTOR_OK);
        }
        for (unsigned level = 0; level < tree->levels; level++) {
            assert_int_equal(tree->sums[level], 0);
        }
        lotor_tree_free(tree);
    }
}

/* True if an object on the heap has this number, which is given with its bits flipped. */
static bool object_has(const void *object, uint64_t flipped)
{
    const size_t size = malloc_usable_size((void *)(uintptr_t)object);
    for (size_t at = 0; at + sizeof flipped <= size; at += sizeof flipped) {
        uint64_t word;
        memcpy(&word, (const unsigned char *)object + at, sizeof word);
        if (~word == flipped) {
            return true;
        }
    }
    return false;
}

/* After a stopping rule has stopped, its object does not have the raw sum. */
TEST(a_stopped_rule_forgets_its_sum)
{
    lotor_stopping *stopping;
    const lotor_stopping_params params = {
        .rule = "dp-nas", .alpha = 0.9, .beta = 0.5, .epsilon = {40, 1}, .range = 1.0};
    memset(&kept, 0, sizeof kept);
    kept.script.add = add;
    assert_int_equal(
        lotor_stopping_new_with(&params, lotor_noise_scripted(&kept.script, NULL), NULL, &stopping),
        LOTOR_OK);
    bool stopped = false;
    uint64_t samples = 0;
    const double sample = 0.734567;
    const uint64_t units = (uint64_t)llrint(sample * 0x1p20);
    while (!stopped && samples < 1000) {
        assert_int_equal(lotor_stopping_add(stopping, sample, NULL, &stopped), LOTOR_OK);
        samples++;
        assert_true(stopped ||
                    object_has(stopping, ~(samples * units))); /* the search can find it */
    }
    assert_true(stopped);
    assert_false(object_has(stopping, ~(samples * units)));
    lotor_stopping_free(stopping);
}

/* A hybrid counter that has closed a block: neither the block's noise nor its exact sum is in the
 * saved state, so the exact sum does not follow from the state and the public outputs. */
TEST(a_closed_block_is_forgotten)
{
    const lotor_release_params params = {
        .dimension = 1, .epsilon = {1, 1}, .l1 = 1 << 20, .l2 = 1 << 20, .magnitude = 1 << 20};
    lotor_hybrid *hybrid;
    memset(&kept, 0, sizeof kept);
    kept.script.add = add;
    lotor_noise noise = lotor_noise_scripted(&kept.script, NULL);
    assert_int_equal(lotor_hybrid_new(&params, NULL, &hybrid), LOTOR_OK);
    for (int64_t t = 1; t <= 64; t++) {
        const int64_t value = 333333 + 1013 * t;
        assert_int_equal(lotor_hybrid_insert(hybrid, &value, &noise), LOTOR_OK);
        if ((t & (t - 1)) != 0) {
            continue;
        }
        lotor_writer writer;
        unsigned char *bytes;
        size_t length;
        lotor_writer_start(&writer, "TEST");
        lotor_hybrid_save(hybrid, &writer);
        assert_int_equal(lotor_writer_seal(&writer, &bytes, &length), LOTOR_OK);
        assert_false(has(bytes, length, kept.noise[kept.count - 1]));
        assert_false(has(bytes, length, kept.exact[kept.count - 1]));
        lotor_bytes_free(bytes, length);
    }
    lotor_hybrid_free(hybrid);
}
