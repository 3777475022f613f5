/* test_traces.c - what a person gave does not stay in a policy's memory, on the stack, or in a saved
 * state once it was used. */
#include "support/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "privacy/intake/inbox.h"
#include "support/rows.h"

static test_source source;

static bool is_wiped(const lotor_policy *policy)
{
    for (size_t i = 0; i < policy->unit_count; i++) {
        if (policy->units[i] != 0) {
            return false;
        }
    }
    return true;
}

/* policy->units is where feedback and contexts are encoded. */
TEST(encoded_feedback_is_wiped)
{
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        const lotor_policy_params params = rows_params(&lotor_algorithms[c], 20);
        test_source_seed(&source, 1);
        lotor_policy *policy = rows_make(&params, &source);
        for (uint64_t round = 1; round <= 30; round++) { /* past the horizon, too */
            lotor_decision decision;
            assert_int_equal(rows_choose(policy, round, NULL, &decision), LOTOR_OK);
            assert_true(!policy->linear || is_wiped(policy)); /* others hold a default at first */
            if (decision.event == 0) {
                continue;
            }
            const size_t asked = decision.asked_count;
            double rewards[ROWS_ARMS];
            for (size_t i = 0; i < asked; i++) { /* the last one is outside the range */
                rewards[i] = i + 1 < asked ? rows_reward(policy, round, i) : 1e9;
            }
            const lotor_feedback bad = {rewards, asked, 1000};
            assert_int_equal(lotor_policy_observe(policy, round, &bad, NULL), LOTOR_RANGE);
            assert_true(is_wiped(policy));
            assert_int_equal(rows_observe(policy, round, asked), LOTOR_OK);
            assert_true(is_wiped(policy));
            assert_int_equal(rows_observe(policy, round, asked), LOTOR_DUPLICATE);
            assert_true(is_wiped(policy));
            assert_int_equal(lotor_policy_expire(policy, round, NULL), LOTOR_OK);
            assert_true(is_wiped(policy));
        }
        lotor_policy_free(policy);
    }
}

/* --- the stack ------------------------------------------------------------------------------------ */

enum { STACK = 1 << 20, DIMENSION = 7 };
static const double context[] = {0.1234567, -0.2345671, 0.3456712, -0.4567123,
                                 0.2671234, 0.1712345,  0.0123457};
static const double reward = 0.7654321;

typedef struct expiry {
    lotor_policy *policy;
    bool plants; /* leaves a trace on purpose */
} expiry;

/* Fills many bytes of the stack, since the end of a thread overwrites some of them. */
static __attribute__((noinline)) void plant(void)
{
    double planted[1024];
    for (size_t i = 0; i < 1024; i++) {
        planted[i] = reward;
    }
    __asm__ volatile("" : : "r"(planted) : "memory");
}

static void *expire(void *argument)
{
    expiry *self = argument;
    const lotor_status status = lotor_policy_expire(self->policy, 1, NULL);
    if (self->plants) {
        plant();
    }
    return status == LOTOR_OK ? self : NULL;
}

static bool contains(const unsigned char *bytes, size_t length, double value)
{
    for (size_t at = 0; at + sizeof value <= length; at++) {
        if (memcmp(bytes + at, &value, sizeof value) == 0) {
            return true;
        }
    }
    return false;
}

/* Ends a round on a stack that the test can read afterwards. */
static void expire_on(unsigned char *stack, expiry *self)
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *result;
    memset(stack, 0, STACK);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, expire, self), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, self);
    pthread_attr_destroy(&attributes);
}

static lotor_policy *play_one(const char *algorithm)
{
    const lotor_policy_params params = {.algorithm = algorithm,
                                        .arms = 1,
                                        .dimension = DIMENSION,
                                        .horizon = 100,
                                        .epsilon = lotor_ratio_of(1, 1)};
    lotor_policy *policy;
    lotor_decision decision;
    assert_int_equal(lotor_policy_new(&params, NULL, &policy), LOTOR_OK);
    assert_int_equal(lotor_policy_choose(policy, context, NULL, &decision), LOTOR_OK);
    assert_int_equal(lotor_policy_observe(policy, 1, &(lotor_feedback){&reward, 1, 0}, NULL),
                     LOTOR_OK);
    return policy;
}

TEST(a_context_does_not_stay_on_the_stack)
{
    static const char *const algorithms[] = {"linucb", "jdp-linucb-gauss", "jdp-batch",
                                             "jdp-bayes"};
    unsigned char *stack = aligned_alloc(4096, STACK);
    assert_non_null(stack);
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
        expiry self = {.policy = play_one(algorithms[a])};
        expire_on(stack, &self);
        for (size_t i = 0; i < DIMENSION; i++) {
            if (contains(stack, STACK, context[i])) {
                fail_msg("%s: number %zu of the context is on the stack", algorithms[a], i);
            }
        }
        if (contains(stack, STACK, reward)) {
            fail_msg("%s: the reward is on the stack", algorithms[a]);
        }
        lotor_policy_free(self.policy);
    }
    expiry careless = {.policy = play_one("jdp-batch"), .plants = true};
    expire_on(stack, &careless); /* the test can see a trace */
    assert_true(contains(stack, STACK, reward));
    lotor_policy_free(careless.policy);
    free(stack);
}

/* --- rounds without feedback ------------------------------------------------------------------------ */

/* A final round waits behind an open one. A person who sent the default reward and one who sent
 * nothing leave the same saved state, and the same state in memory after a reload. */
TEST(a_final_round_does_not_say_whether_it_was_answered)
{
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        if (lotor_algorithms[c].is_simulation_only) {
            continue;
        }
        const lotor_policy_params params = rows_params(&lotor_algorithms[c], 300);
        test_source twin;
        test_source_seed(&source, 2);
        test_source_seed(&twin, 2);
        lotor_policy *answered = rows_make(&params, &source), *silent = rows_make(&params, &twin);
        for (uint64_t round = 1; round <= 2; round++) {
            lotor_decision first, second;
            assert_int_equal(rows_choose(answered, round, NULL, &first), LOTOR_OK);
            assert_int_equal(rows_choose(silent, round, NULL, &second), LOTOR_OK);
            double rewards[ROWS_ARMS];
            for (size_t i = 0; i < ROWS_ARMS; i++) {
                rewards[i] = params.default_reward;
            }
            const lotor_feedback feedback = {rewards, first.asked_count, 0};
            if (round == 2) {
                assert_int_equal(lotor_policy_observe(answered, 2, &feedback, NULL), LOTOR_OK);
            }
        }
        assert_int_equal(lotor_policy_expire(answered, 2, NULL), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(silent, 2, NULL), LOTOR_OK);
        rows_expect_same_state(answered, silent);
        assert_int_equal(rows_observe(answered, 2, 1), rows_observe(silent, 2, 1));
        lotor_policy_free(answered);
        lotor_policy_free(silent);
    }
}

/* A state of an older version says whether a final round was answered: it is forgotten. */
TEST(an_old_flag_is_forgotten)
{
    const int64_t missing = 5;
    const uint32_t arm = 1;
    uint64_t event;
    lotor_inbox *inbox;
    lotor_writer writer;
    unsigned char *bytes[2];
    size_t length[2];
    assert_int_equal(lotor_inbox_new(1, 1, &missing, &inbox), LOTOR_OK);
    assert_int_equal(lotor_inbox_show(inbox, &arm, 1, &event), LOTOR_OK);
    assert_int_equal(lotor_inbox_expire(inbox, event), LOTOR_OK);
    for (int old = 0; old < 2; old++) {
        lotor_writer_start(&writer, "inboxtst");
        lotor_inbox_save(inbox, &writer);
        const size_t flag_at = writer.length - 4 * 8; /* flag, number of arms, arm, number */
        assert_int_equal(writer.bytes[flag_at], 2);
        writer.bytes[flag_at] = old ? 3 : 2;
        assert_int_equal(lotor_writer_seal(&writer, &bytes[old], &length[old]), LOTOR_OK);
    }
    lotor_inbox *loaded;
    lotor_reader reader;
    assert_int_equal(lotor_inbox_new(1, 1, &missing, &loaded), LOTOR_OK);
    assert_int_equal(lotor_reader_open(&reader, "inboxtst", bytes[1], length[1], NULL), LOTOR_OK);
    assert_int_equal(lotor_inbox_load(loaded, &reader), LOTOR_OK);
    assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_OK);
    unsigned char *again;
    size_t size;
    lotor_writer_start(&writer, "inboxtst");
    lotor_inbox_save(loaded, &writer);
    assert_int_equal(lotor_writer_seal(&writer, &again, &size), LOTOR_OK);
    assert_int_equal(size, length[0]);
    assert_memory_equal(again, bytes[0], size);
    lotor_bytes_free(again, size);
    for (int old = 0; old < 2; old++) {
        lotor_bytes_free(bytes[old], length[old]);
    }
    lotor_inbox_free(inbox);
    lotor_inbox_free(loaded);
}
