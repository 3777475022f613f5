/* test_fork.c - a forked child can't use what its parent made, and both can make their own.
 *
 * A child that used its parent's policy would draw a second noise for the same sums.
 */
#include "support/test.h"

#include <lotor/counter.h>
#include <lotor/policy.h>
#include <lotor/sampler.h>
#include <lotor/stopping.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "policy/policy.h"

/* Runs `use` in a forked child, and in a child of that child. Both must return true. */
static void assert_in_children(bool (*use)(void *object), void *object)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool good = use(object);
        const pid_t grandchild = fork();
        if (grandchild == 0) {
            _exit(!use(object));
        }
        int status = 1;
        good = good && waitpid(grandchild, &status, 0) == grandchild && status == 0;
        _exit(!good);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static bool is_refused(lotor_status status, const char *what, const lotor_message *why)
{
    return status == LOTOR_INVALID && strstr(why->text, what) && strstr(why->text, "fork()");
}

/* --- policies ---------------------------------------------------------------------------------- */

static bool is_policy_refused(void *object)
{
    lotor_policy *policy = object;
    const double reward = 1.0, actions[4] = {0.5, 0.5, 0.25, 0.25};
    const lotor_feedback feedback = {&reward, 1, 0};
    const double *context = lotor_policy_dimension(policy) > 0 ? actions : NULL;
    const uint64_t rounds = policy->rounds, asked = policy->asked, ended = policy->rounds_ended;
    lotor_decision decision = {.hold = 1};
    lotor_message why = {""};
    unsigned char *bytes;
    size_t length;
    bool good = is_refused(lotor_policy_choose(policy, context, &why, &decision), "policy", &why);
    why.text[0] = '\0';
    good = good && is_refused(lotor_policy_observe(policy, 1, &feedback, &why), "policy", &why);
    why.text[0] = '\0';
    good = good && is_refused(lotor_policy_expire(policy, 1, &why), "policy", &why);
    good = good && lotor_policy_save(policy, &bytes, &length) == LOTOR_INVALID && !bytes;
    return good && policy->rounds == rounds && policy->asked == asked &&
           policy->rounds_ended == ended;
}

static lotor_policy *new_policy(const char *algorithm)
{
    lotor_policy_params params = {
        .algorithm = algorithm, .arms = 2, .horizon = 1000, .epsilon = lotor_ratio_of(1, 1)};
    params.dimension = strncmp(algorithm, "jdp", 3) == 0 ? 2 : 0;
    lotor_policy *policy = NULL;
    lotor_message why = {""};
    if (lotor_policy_new(&params, &why, &policy) != LOTOR_OK) {
        fail_msg("%s: %s", algorithm, why.text);
    }
    return policy;
}

static bool plays(void *object)
{
    lotor_policy *policy = object;
    const double reward = 1.0, actions[4] = {0.5, 0.5, 0.25, 0.25};
    const double *context = lotor_policy_dimension(policy) > 0 ? actions : NULL;
    lotor_decision decision = {.hold = 1};
    return lotor_policy_choose(policy, context, NULL, &decision) == LOTOR_OK &&
           lotor_policy_observe(policy, decision.event, &(lotor_feedback){&reward, 1, 0}, NULL) ==
               LOTOR_OK &&
           lotor_policy_expire(policy, decision.event, NULL) == LOTOR_OK;
}

static const char *const algorithms[] = {"lik-imed", "dp-se", "rr-imed", "jdp-batch", "dp-ucb"};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

TEST(a_child_can_not_use_its_parents_policy)
{
    for (size_t i = 0; i < ALGORITHMS; i++) {
        lotor_policy *policy = new_policy(algorithms[i]);
        assert_true(plays(policy));
        assert_in_children(is_policy_refused, policy);
        assert_true(plays(policy)); /* the parent goes on */
        lotor_policy_free(policy);
    }
}

/* A policy that was loaded belongs to the process that loaded it. */
TEST(a_child_can_not_use_a_loaded_policy)
{
    lotor_policy *first = new_policy("lik-imed"), *policy;
    unsigned char *bytes;
    size_t length;
    assert_int_equal(lotor_policy_save(first, &bytes, &length), LOTOR_OK);
    assert_int_equal(lotor_policy_load(bytes, length, NULL, NULL, &policy), LOTOR_OK);
    lotor_bytes_free(bytes, length);
    lotor_policy_free(first);
    assert_in_children(is_policy_refused, policy);
    assert_true(plays(policy));
    lotor_policy_free(policy);
}

static bool is_served_policy_refused(void *object)
{
    lotor_policy *policy = object;
    lotor_decision decision = {.hold = 1};
    lotor_message why = {""};
    bool good = is_refused(lotor_policy_draw(policy, NULL, NULL, &why, &decision), "policy", &why);
    why.text[0] = '\0';
    const uint32_t arm = 0;
    const lotor_display display = {.arms = &arm, .count = 1, .asked = &arm, .asked_count = 1};
    return good && is_refused(lotor_policy_enter(policy, &display, NULL, 0, &why), "policy", &why);
}

TEST(a_child_can_not_use_a_policy_that_is_served)
{
    lotor_policy *policy = new_policy("lik-imed");
    lotor_decision decision = {.hold = 1};
    assert_int_equal(lotor_policy_draw(policy, NULL, NULL, NULL, &decision), LOTOR_OK);
    assert_in_children(is_served_policy_refused, policy);
    lotor_policy_free(policy);
}

/* A policy that is made, or loaded, in the child is the child's. */
static bool makes_its_own(void *nothing)
{
    (void)nothing;
    for (size_t i = 0; i < ALGORITHMS; i++) {
        lotor_policy *policy = new_policy(algorithms[i]);
        const bool good = plays(policy);
        lotor_policy_free(policy);
        if (!good) {
            return false;
        }
    }
    return true;
}

typedef struct saved_policy {
    unsigned char *bytes;
    size_t length;
} saved_policy;

static bool loads(void *object)
{
    const saved_policy *saved = object;
    lotor_policy *policy;
    if (lotor_policy_load(saved->bytes, saved->length, NULL, NULL, &policy) != LOTOR_OK) {
        return false;
    }
    const bool good = plays(policy);
    lotor_policy_free(policy);
    return good;
}

TEST(a_child_has_policies_of_its_own)
{
    lotor_policy *policy = new_policy("lik-imed");
    saved_policy saved;
    assert_true(plays(policy));
    assert_in_children(makes_its_own, NULL);
    assert_int_equal(lotor_policy_save(policy, &saved.bytes, &saved.length), LOTOR_OK);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const bool good = loads(&saved);
        lotor_policy_free(policy);
        _exit(!good);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    lotor_bytes_free(saved.bytes, saved.length);
    lotor_policy_free(policy);
}

/* --- counters, stopping rules, samplers --------------------------------------------------------- */

static bool is_counter_refused(void *object)
{
    lotor_counter *counter = object;
    lotor_message why = {""};
    unsigned char *bytes;
    size_t length;
    const uint64_t added = lotor_counter_added_count(counter);
    const double value = lotor_counter_value(counter);
    return is_refused(lotor_counter_add(counter, 1.0, &why), "counter", &why) &&
           lotor_counter_save(counter, &bytes, &length) == LOTOR_INVALID && !bytes &&
           lotor_counter_added_count(counter) == added && lotor_counter_value(counter) == value;
}

TEST(a_child_can_not_use_its_parents_counter)
{
    static const char *const mechanisms[] = {"tree", "hybrid", "batch"};
    for (size_t i = 0; i < 3; i++) {
        const lotor_counter_params params = {.mechanism = mechanisms[i],
                                             .epsilon = lotor_ratio_of(1, 1),
                                             .horizon = 100,
                                             .low = 0.0,
                                             .high = 1.0};
        lotor_counter *counter;
        assert_int_equal(lotor_counter_new(&params, NULL, &counter), LOTOR_OK);
        assert_int_equal(lotor_counter_add(counter, 1.0, NULL), LOTOR_OK);
        assert_in_children(is_counter_refused, counter);
        assert_int_equal(lotor_counter_add(counter, 1.0, NULL), LOTOR_OK);
        lotor_counter_free(counter);
    }
}

static bool is_rule_refused(void *object)
{
    lotor_message why = {""};
    bool stopped;
    return is_refused(lotor_stopping_add(object, 0.5, &why, &stopped), "stopping rule", &why) &&
           !stopped && lotor_stopping_sample_count(object) == 1;
}

TEST(a_child_can_not_use_its_parents_stopping_rule)
{
    const lotor_stopping_params params = {
        .rule = "dp-nas", .alpha = 0.1, .beta = 0.1, .epsilon = lotor_ratio_of(1, 1), .range = 1.0};
    lotor_stopping *rule;
    bool stopped;
    assert_int_equal(lotor_stopping_new(&params, NULL, &rule), LOTOR_OK);
    assert_int_equal(lotor_stopping_add(rule, 0.5, NULL, &stopped), LOTOR_OK);
    assert_in_children(is_rule_refused, rule);
    assert_int_equal(lotor_stopping_add(rule, 0.5, NULL, &stopped), LOTOR_OK);
    lotor_stopping_free(rule);
}

static bool draws(void *sampler)
{
    int64_t drawn;
    return lotor_sampler_draw(sampler, NULL, &drawn) == LOTOR_OK;
}

/* A sampler knows nothing about anybody, and its source gives a child bytes of its own. */
TEST(a_child_may_use_its_parents_sampler)
{
    const lotor_sampler_params params = {"discrete-laplace", lotor_ratio_of(3, 1)};
    lotor_sampler *sampler;
    assert_int_equal(lotor_sampler_new(&params, NULL, &sampler), LOTOR_OK);
    assert_in_children(draws, sampler);
    lotor_sampler_free(sampler);
}
