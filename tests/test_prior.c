/* test_prior.c - a policy that starts with the releases of another one (src/policy/prior.md): what its
 * learner makes of them, the sizes of its batches, and saved policies. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/serving.h"

enum { ARMS = 3 };

static lotor_policy *make(uint64_t num, uint64_t den, uint64_t half_life,
                          lotor_generator *generator)
{
    lotor_message why = {""};
    lotor_policy *policy;
    const lotor_policy_params params = {.algorithm = "lik-imed",
                                        .arms = ARMS,
                                        .slots = 1,
                                        .epsilon = lotor_ratio_of(num, den),
                                        .high = 1.0,
                                        .half_life = half_life};
    lotor_generator_seed(generator, 5);
    if (lotor_policy_new_simulated(&params, 1.0, generator, 11, &why, &policy) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return policy;
}

static uint32_t draw(lotor_policy *policy)
{
    lotor_message why;
    lotor_decision decision;
    assert_int_equal(lotor_policy_draw(policy, NULL, NULL, &why, &decision), LOTOR_OK);
    return decision.arms[0];
}

/* Draws a decision and enters its round. The reward is 1 for the last arm, else 0. */
static uint32_t play(lotor_policy *policy)
{
    lotor_message why;
    const uint32_t arm = draw(policy);
    const lotor_display display = {&arm, 1, &arm, 1, NULL};
    const double reward = arm == ARMS - 1 ? 1.0 : 0.0;
    const lotor_feedback feedback = {.rewards = &reward, .count = 1};
    int64_t units[8];
    size_t used;
    assert_true(lotor_policy_width(policy) <= 8);
    assert_int_equal(lotor_policy_encode(policy, &display, &feedback, &why, units, &used),
                     LOTOR_OK);
    assert_int_equal(lotor_policy_enter(policy, &display, units, used, &why), LOTOR_OK);
    return arm;
}

typedef struct facts {
    lotor_prior_fact list[ARMS * LOTOR_PRIOR_MOST];
    size_t count;
    uint32_t arm;
    double epsilon;
} facts;

static lotor_status gather(void *context, const lotor_arm_fact *fact)
{
    facts *all = context;
    if (fact->arm == all->arm) {
        all->list[all->count++] =
            (lotor_prior_fact){all->arm, fact->count, fact->value, all->epsilon};
    }
    return LOTOR_OK;
}

/* Everything that a policy has released, by arm. */
static void gather_all(const lotor_policy *policy, facts *all)
{
    *all = (facts){.epsilon = lotor_ratio_to_double(policy->params.epsilon)};
    for (all->arm = 0; all->arm < ARMS; all->arm++) {
        assert_int_equal(lotor_policy_each_fact(policy, gather, all), LOTOR_OK);
    }
    assert_true(all->count > ARMS);
}

/* A policy that has played some rounds. */
static lotor_policy *make_old(lotor_generator *generator)
{
    lotor_policy *old = make(1, 1, 0, generator);
    for (int i = 0; i < 400; i++) {
        play(old);
    }
    return old;
}

static void take(lotor_policy *policy, const facts *all)
{
    lotor_message why = {""};
    if (lotor_policy_take_prior(policy, all->list, all->count, &why) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    assert_int_equal(lotor_policy_prior_count(policy), all->count);
}

/* With the same epsilon, the estimates are those of the old policy, bit by bit. */
TEST(estimates_are_those_of_the_old_policy)
{
    lotor_generator one, two;
    lotor_policy *old = make_old(&one), *new = make(1, 1, 0, &two);
    facts all;
    gather_all(old, &all);
    take(new, &all);
    draw(old);
    assert_int_equal(draw(new), ARMS - 1);
    for (size_t i = 0; i < ARMS; i++) {
        const double estimate = lotor_imed_estimate(new->imed, i);
        assert_true(estimate == lotor_imed_estimate(old->imed, i));
        uint64_t count;
        lotor_policy_mean(new, i, &count); /* what the policy itself has released: nothing */
        assert_int_equal(count, 0);
    }
    lotor_policy_free(old);
    lotor_policy_free(new);
}

/* The noise of each release is that of its own epsilon: a sum with much noise counts for little. */
TEST(releases_have_their_own_noise)
{
    const double exact = 50.0, noisy = 0.05;
    for (int swapped = 0; swapped < 2; swapped++) {
        lotor_generator generator;
        lotor_message why;
        lotor_policy *policy = make(1, 1, 0, &generator);
        const lotor_prior_fact list[] = {{0, 100, 90.0, swapped ? noisy : exact},
                                         {0, 100, 10.0, swapped ? exact : noisy}};
        assert_int_equal(lotor_policy_take_prior(policy, list, 2, &why), LOTOR_OK);
        draw(policy);
        const double estimate = lotor_imed_estimate(policy->imed, 0);
        assert_true(fabs(estimate - (swapped ? 0.1 : 0.9)) < 0.06);
        lotor_policy_free(policy);
    }
}

/* A new policy without a prior shows every arm first. One with a prior goes on where the old policy was, but
 * its batches grow from the first size, so that it learns from its own rounds soon. */
TEST(choices_go_on_and_batches_begin_small)
{
    lotor_generator one, two, three;
    lotor_policy *old = make_old(&one), *warm = make(1, 1, 0, &two), *cold = make(1, 1, 0, &three);
    facts all;
    gather_all(old, &all);
    take(warm, &all);
    size_t shown[2][ARMS] = {{0}};
    uint64_t first_release = 0;
    for (uint64_t i = 1; i <= 30; i++) {
        shown[0][play(cold)]++;
        shown[1][play(warm)]++;
        if (first_release == 0 && lotor_board_posts(warm->board) > 0) {
            first_release = i;
        }
    }
    assert_true(shown[0][0] >= 4 && shown[0][1] >= 4); /* b0 = 4 at epsilon 1 */
    assert_int_equal(shown[1][0] + shown[1][1], 0);
    assert_int_equal(first_release, 4); /* the old policy's last batches were far larger */
    assert_int_equal(lotor_board_at(warm->board, 0, ARMS - 1)->count, 4);
    assert_int_equal(lotor_board_at(warm->board, 1, ARMS - 1)->count, 4);
    assert_int_equal(lotor_board_at(warm->board, 2, ARMS - 1)->count, 8);
    lotor_policy_free(old);
    lotor_policy_free(warm);
    lotor_policy_free(cold);
}

static lotor_policy *reload(lotor_policy *policy, lotor_generator *generator)
{
    unsigned char *bytes;
    size_t length;
    lotor_message why = {""};
    lotor_policy *again;
    assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
    if (lotor_policy_load_with(bytes, length, NULL, lotor_noise_simulated(generator), &why,
                               &again) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    lotor_bytes_free(bytes, length);
    lotor_policy_free(policy);
    return again;
}

/* A policy that is saved and loaded all the time makes the same choices, with and without fading. */
TEST(a_loaded_policy_goes_on)
{
    for (uint64_t half_life = 0; half_life <= 40; half_life += 40) {
        lotor_generator one, two, three;
        lotor_policy *old = make_old(&one);
        lotor_policy *kept = make(1, 2, half_life, &two), *loaded = make(1, 2, half_life, &three);
        facts all;
        gather_all(old, &all);
        take(kept, &all);
        take(loaded, &all);
        for (int i = 0; i < 1000; i++) {
            loaded = i % 7 == 0 ? reload(loaded, &three) : loaded;
            /* the stock of simulated noise is not saved: start both from the same draws */
            lotor_generator_seed(&two, (uint64_t)i);
            lotor_generator_seed(&three, (uint64_t)i);
            kept->noise = lotor_noise_simulated(&two);
            loaded->noise = lotor_noise_simulated(&three);
            assert_int_equal(play(kept), play(loaded));
        }
        assert_int_equal(lotor_policy_prior_count(loaded), all.count);
        assert_int_equal(lotor_board_posts(kept->board), lotor_board_posts(loaded->board));
        lotor_policy_free(old);
        lotor_policy_free(kept);
        lotor_policy_free(loaded);
    }
}

/* After eight half-lives, the releases of the old policy are forgotten: all arms are tried again. */
TEST(a_half_life_forgets_the_prior)
{
    lotor_generator generator;
    lotor_message why;
    lotor_policy *policy = make(1000, 1, 20, &generator);
    const lotor_prior_fact list[] = {
        {0, 1000, 900.0, 1.0}, {1, 1000, 100.0, 1.0}, {2, 1000, 100.0, 1.0}};
    assert_int_equal(lotor_policy_take_prior(policy, list, 3, &why), LOTOR_OK);
    assert_int_equal(play(policy), 0); /* arm 2 is the best one, but the prior says that arm 0 is */
    for (int i = 0; i < 8 * 20; i++) {
        play(policy);
    }
    size_t best = 0;
    for (int i = 0; i < 100; i++) {
        best += play(policy) == ARMS - 1;
    }
    assert_true(best > 50);
    lotor_policy_free(policy);
}

static lotor_status try(lotor_policy *policy, lotor_prior_fact fact)
{
    lotor_message why = {""};
    const lotor_status status = lotor_policy_take_prior(policy, &fact, 1, &why);
    assert_true(status == LOTOR_OK || why.text[0]);
    return status;
}

TEST(what_is_refused)
{
    lotor_generator generator;
    lotor_message why;
    lotor_policy *policy = make(1, 1, 0, &generator);
    assert_int_equal(try(policy, (lotor_prior_fact){ARMS, 1, 0.0, 1.0}), LOTOR_INVALID);
    assert_int_equal(try(policy, (lotor_prior_fact){0, 0, 0.0, 1.0}), LOTOR_INVALID);
    assert_int_equal(try(policy, (lotor_prior_fact){0, UINT64_MAX, 0.0, 1.0}), LOTOR_INVALID);
    assert_int_equal(try(policy, (lotor_prior_fact){0, 1, NAN, 1.0}), LOTOR_INVALID);
    assert_int_equal(try(policy, (lotor_prior_fact){0, 1, INFINITY, 1.0}), LOTOR_INVALID);
    assert_int_equal(try(policy, (lotor_prior_fact){0, 1, 0.0, 0.0}), LOTOR_INVALID);
    assert_int_equal(try(policy, (lotor_prior_fact){0, 1, 0.0, INFINITY}), LOTOR_INVALID);
    assert_int_equal(lotor_policy_take_prior(policy, NULL, 0, &why), LOTOR_INVALID);
    const lotor_prior_fact disordered[] = {{1, 1, 0.0, 1.0}, {0, 1, 0.0, 1.0}};
    assert_int_equal(lotor_policy_take_prior(policy, disordered, 2, &why), LOTOR_INVALID);
    lotor_prior_fact many[LOTOR_PRIOR_MOST + 1];
    for (size_t i = 0; i <= LOTOR_PRIOR_MOST; i++) {
        many[i] = (lotor_prior_fact){0, 1, 0.0, 1.0};
    }
    assert_int_equal(lotor_policy_take_prior(policy, many, LOTOR_PRIOR_MOST + 1, &why),
                     LOTOR_INVALID);
    assert_int_equal(lotor_policy_take_prior(policy, many, LOTOR_PRIOR_MOST, &why), LOTOR_OK);
    assert_int_equal(try(policy, many[0]), LOTOR_INVALID); /* only once */
    lotor_policy_free(policy);
    policy = make(1, 1, 0, &generator);
    draw(policy);
    assert_int_equal(try(policy, many[0]), LOTOR_INVALID); /* not after a decision */
    lotor_policy_free(policy);
}

/* Only the learner of batches whose sizes it chooses knows what to do with them. */
TEST(which_algorithms_take_a_prior)
{
    for (size_t i = 0; lotor_serving_id(i); i++) {
        lotor_serving_info serving;
        assert_true(lotor_serving_find(lotor_serving_id(i), &serving));
        assert_int_equal(serving.takes_prior, strcmp(serving.id, "lik-imed") == 0);
    }
}
