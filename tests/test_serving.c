/* test_serving.c - a policy whose rounds are stored elsewhere decides and releases exactly as one
 * that stores them itself; which algorithms are offered; refusals and callbacks. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/served.h"

enum { ROUNDS = 400, LAG = 7 };

static const char *const offered[] = {
    "batch-klucb",  "lik-imed",     "rr-imed",         "rr-klucb",       "adap-ucb",
    "dp-klucb",     "dp-imed",      "adap-klucb",      "lazy-dp-ts",     "ldp-ucb-l",
    "ldp-ucb-b",    "dpucb-mat",    "dpts-mat",        "cucb-ldp1",      "cucb-ldp2",
    "cucb-dp-lazy", "cucb-ldp-box", "cascade-dp-lazy", "cascade-ldp-rr", "jdp-linucb-gauss",
    "jdp-linucb",   "jdp-batch",    "jdp-bayes",
};
enum { OFFERED = sizeof offered / sizeof *offered };

TEST(the_offered_ids)
{
    for (size_t i = 0; i < OFFERED; i++) {
        lotor_message why;
        assert_string_equal(lotor_serving_id(i), offered[i]);
        assert_null(lotor_serving_refusal(offered[i], &why));
    }
    assert_null(lotor_serving_id(OFFERED));
}

/* A refusal names another algorithm, and that one is offered. */
TEST(refusals_name_another)
{
    size_t refused = 0;
    for (size_t i = 0; i < lotor_algorithms_size; i++) {
        lotor_message why = {""};
        lotor_serving_info serving;
        const char *text = lotor_serving_refusal(lotor_algorithms[i].id, &why);
        assert_int_equal(lotor_serving_find(lotor_algorithms[i].id, &serving), !text);
        if (!text) {
            assert_string_equal(serving.id, lotor_algorithms[i].id);
            continue;
        }
        refused++;
        assert_non_null(strstr(text, lotor_algorithms[i].id));
        const char *take = strstr(text, "; use ");
        assert_non_null(take);
        char id[64];
        assert_int_equal(sscanf(take, "; use %63s instead", id), 1);
        assert_null(lotor_serving_refusal(id, &why));
    }
    assert_int_equal(refused + OFFERED, lotor_algorithms_size);
    lotor_message why = {""};
    assert_non_null(strstr(lotor_serving_refusal("dp-se", &why), "in turn"));
    assert_non_null(strstr(lotor_serving_refusal("dp-ucb", &why), "after every feedback"));
    assert_non_null(strstr(lotor_serving_refusal("ucb", &why), "adds no noise"));
    assert_non_null(strstr(lotor_serving_refusal("jdp-linucb-wishart", &why), "use jdp-batch"));
    assert_non_null(strstr(lotor_serving_refusal("nonesuch", &why), "nonesuch"));
    assert_non_null(lotor_serving_refusal(NULL, &why));
}

TEST(what_is_known_of_an_id)
{
    lotor_serving_info batch, rows, lists, linear;
    assert_true(lotor_serving_find("batch-klucb", &batch));
    assert_true(lotor_serving_find("cucb-ldp1", &rows));
    assert_true(lotor_serving_find("cascade-ldp-rr", &lists));
    assert_true(lotor_serving_find("jdp-batch", &linear));
    assert_true(batch.plays_any && !batch.hears_clicks && !batch.needs_horizon && !batch.has_delta);
    assert_int_equal(batch.model, LOTOR_MODEL_CENTRAL);
    assert_true(rows.needs_horizon && !rows.plays_any && !rows.shows_one && !rows.is_linear);
    assert_int_equal(rows.model, LOTOR_MODEL_LOCAL);
    assert_true(lists.hears_clicks && !lists.plays_any);
    assert_true(linear.is_linear && linear.shows_one && linear.needs_horizon && linear.has_delta);
    assert_int_equal(linear.model, LOTOR_MODEL_JOINT);
}

/* Every third round gets no feedback. */
static bool is_answered(uint64_t event)
{
    return event % 3 != 0;
}

/* Previews a decision with some mask, or without one: the state must not change. */
static void look_around(lotor_policy *policy, uint64_t round)
{
    double room[ROWS_ARMS * ROWS_DIMENSION];
    const double *context = rows_context(policy, round, room);
    bool eligible[ROWS_ARMS];
    for (size_t i = 0; i < ROWS_ARMS; i++) {
        eligible[i] = i != round % ROWS_ARMS;
    }
    lotor_decision decision;
    assert_int_equal(
        lotor_policy_preview(policy, context, round % 2 ? eligible : NULL, NULL, &decision),
        LOTOR_OK);
    assert_int_equal(decision.event, 0);
}

/* One policy stores its rounds; the rounds of the other are stored here, LAG of them open at a
 * time. Both use the same random bytes, so they have the same noise. The second is also saved,
 * loaded, and previewed. */
static void expect_same_life(const lotor_policy_params *params)
{
    test_source own_source, source[2];
    test_source_seed(&own_source, 11);
    test_source_seed(&source[0], 11);
    lotor_policy *own = rows_make(params, &own_source);
    lotor_policy *served = rows_make(params, &source[0]);
    int now = 0;
    served_round rounds[LAG];
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        if (t > LAG) {
            const served_round *last = &rounds[t % LAG];
            const bool answered = is_answered(last->event);
            if (answered) {
                assert_int_equal(rows_observe(own, last->event, last->asked_count), LOTOR_OK);
            }
            assert_int_equal(lotor_policy_expire(own, last->event, NULL), LOTOR_OK);
            served_enter(served, last, answered, &source[now].source);
            served_expect_same_facts(own, served);
        }
        look_around(served, t);
        lotor_decision wanted;
        served_round copy;
        assert_int_equal(rows_choose(own, t, NULL, &wanted), LOTOR_OK);
        served_copy(own, t, &wanted, &copy);
        served_draw(served, t, NULL, &rounds[t % LAG]);
        assert_memory_equal(&copy, &rounds[t % LAG], sizeof copy);
        assert_int_equal(copy.event, t);
        if (t % 50 == 3) {
            lotor_policy *loaded = rows_reload(served, params, &source[now], &source[1 - now]);
            lotor_policy_free(served);
            served = loaded;
            now = 1 - now;
        }
    }
    assert_int_equal(lotor_policy_rounds(served), ROUNDS);
    assert_int_equal(lotor_policy_rounds_over(served), ROUNDS - LAG);
    assert_true(lotor_board_posts(served->board) > 0);
    assert_memory_equal(own->shown, served->shown, params->arms * sizeof *own->shown);
    lotor_policy_free(own);
    lotor_policy_free(served);
}

TEST(served_or_not_is_the_same)
{
    served_each(ROUNDS, expect_same_life);
}

/* After the horizon there are still decisions, without an event. */
TEST(past_the_horizon)
{
    const lotor_policy_params params = rows_params(lotor_algorithms_find("batch-klucb"), 20);
    test_source source, other;
    test_source_seed(&source, 5);
    test_source_seed(&other, 5);
    lotor_policy *served = rows_make(&params, &source), *own = rows_make(&params, &other);
    for (uint64_t t = 1; t <= 40; t++) {
        served_round round;
        lotor_decision wanted;
        served_draw(served, t, NULL, &round);
        assert_int_equal(lotor_policy_choose(own, NULL, NULL, &wanted), LOTOR_OK);
        assert_int_equal(round.event, t <= 20 ? t : 0);
        assert_int_equal(round.event, wanted.event);
        assert_memory_equal(round.arms, wanted.arms, round.count * sizeof *round.arms);
    }
    assert_int_equal(lotor_policy_rounds(served), 20);
    lotor_policy_free(served);
    lotor_policy_free(own);
}

TEST(one_way_or_the_other)
{
    const lotor_policy_params params = rows_params(lotor_algorithms_find("batch-klucb"), 0);
    test_source source;
    test_source_seed(&source, 5);
    lotor_policy *policy = rows_make(&params, &source);
    lotor_decision decision;
    lotor_message why = {""};
    assert_int_equal(lotor_policy_choose(policy, NULL, &why, &decision), LOTOR_OK);
    assert_int_equal(lotor_policy_draw(policy, NULL, NULL, &why, &decision), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "keeps its own rounds"));
    lotor_policy_free(policy);

    policy = rows_make(&params, &source);
    assert_int_equal(lotor_policy_draw(policy, NULL, NULL, &why, &decision), LOTOR_OK);
    assert_int_equal(lotor_policy_choose(policy, NULL, &why, &decision), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "kept by a service"));
    lotor_policy_free(policy);

    lotor_policy_params path = params;
    rows_set_structure(&path, LOTOR_STRUCTURE_PATH);
    policy = rows_make(&path, &source);
    assert_int_equal(lotor_policy_draw(policy, NULL, NULL, &why, &decision), LOTOR_INVALID);
    lotor_policy_free(policy);
    const lotor_policy_params tree = rows_params(lotor_algorithms_find("dp-ucb"), 100);
    policy = rows_make(&tree, &source);
    assert_int_equal(lotor_policy_draw(policy, NULL, NULL, &why, &decision), LOTOR_INVALID);
    lotor_policy_free(policy);
}

/* The releases that the callback received. */
typedef struct ear {
    const lotor_policy *policy;
    uint64_t heard;
    lotor_arm_fact last;
    lotor_status status;
} ear;

static lotor_status hear(void *context, const lotor_arm_fact *released)
{
    ear *mine = context;
    mine->heard++;
    mine->last = *released;
    return mine->status;
}

static lotor_status count_fact(void *context, const lotor_arm_fact *released)
{
    uint64_t *facts = context;
    *facts += released->time > 0;
    return LOTOR_OK;
}

/* batch-klucb keeps all its releases, so there are as many facts as callbacks. Each release is
 * passed to the callback before it counts; one that the callback refuses does not count. */
TEST(releases_are_told)
{
    const lotor_policy_params params = rows_params(lotor_algorithms_find("batch-klucb"), 0);
    test_source source;
    test_source_seed(&source, 5);
    lotor_policy *policy = rows_make(&params, &source);
    ear mine = {policy, 0, {0}, LOTOR_OK};
    lotor_policy_on_fact(policy, hear, &mine);
    served_round round;
    for (uint64_t t = 1; t <= 100; t++) {
        served_draw(policy, t, NULL, &round);
        served_enter(policy, &round, true, &source.source);
        uint64_t facts = 0;
        assert_int_equal(lotor_policy_each_fact(policy, count_fact, &facts), LOTOR_OK);
        assert_int_equal(facts, mine.heard);
        if (mine.heard > 0) {
            const lotor_fact *fact =
                lotor_board_at(policy->board, mine.last.statistic, mine.last.arm);
            assert_true(fact->value == mine.last.value && fact->count == mine.last.count);
            assert_int_equal(fact->time, mine.last.time);
        }
    }
    assert_true(mine.heard > 10 && mine.heard < 60);
    mine.status = LOTOR_LATE;
    const uint64_t before = lotor_board_posts(policy->board);
    lotor_status status = LOTOR_OK;
    for (uint64_t t = 101; t <= 200 && status == LOTOR_OK; t++) {
        served_draw(policy, t, NULL, &round);
        const lotor_display display = served_display(policy, &round);
        status = lotor_policy_enter(policy, &display, NULL, 0, NULL);
    }
    assert_int_equal(status, LOTOR_LATE);
    assert_int_equal(lotor_board_posts(policy->board), before);
    assert_int_equal(lotor_policy_each_fact(policy, hear, &mine), LOTOR_LATE);
    lotor_policy_free(policy);
}

/* Means without noise, by hand: they depend only on what was entered. */
static double mean_without_noise(const char *id, bool lists, size_t click, double reward)
{
    const lotor_algorithm *algorithm = lotor_algorithms_find(id);
    lotor_policy_params params =
        lists ? rows_list_params(algorithm, 1000) : rows_params(algorithm, 1000);
    params.arms = params.slots;
    params.epsilon = lotor_ratio_of(1, 0);
    params.low = lists ? 0.0 : -1.0;
    params.high = lists ? 1.0 : 3.0;
    params.default_reward = lists ? 0.0 : reward;
    test_source source;
    test_source_seed(&source, 5);
    lotor_policy *policy = rows_make(&params, &source);
    uint64_t count = 0;
    assert_true(lotor_policy_mean(policy, 0, &count) == 0.0);
    assert_int_equal(count, 0);
    for (uint64_t t = 1; t <= 64; t++) {
        served_round round;
        served_draw(policy, t, NULL, &round);
        const lotor_display display = served_display(policy, &round);
        const int64_t place = (int64_t)click;
        assert_int_equal(lotor_policy_enter(policy, &display, click ? &place : NULL, 1, NULL),
                         LOTOR_OK);
    }
    const double mean = lotor_policy_mean(policy, 0, &count);
    assert_true(count > 0 && count <= 64);
    lotor_policy_free(policy);
    return mean;
}

TEST(means)
{
    assert_float_equal(mean_without_noise("batch-klucb", false, 0, 2.5), 2.5, 1e-9);
    assert_float_equal(mean_without_noise("cucb-dp-lazy", false, 0, 2.5), 2.5, 1e-9);
    assert_float_equal(mean_without_noise("dpts-mat", false, 0, -0.5), -0.5, 1e-9);
    assert_float_equal(mean_without_noise("cucb-ldp1", false, 0, 2.5), 2.5, 1e-9);
    assert_float_equal(mean_without_noise("cucb-ldp2", false, 0, 2.5), 2.5, 1e-9);
    assert_float_equal(mean_without_noise("cucb-ldp-box", false, 0, 2.5), 2.5, 1e-9);
    assert_float_equal(mean_without_noise("rr-klucb", false, 0, 3.0), 3.0, 1e-9);
    assert_float_equal(mean_without_noise("rr-klucb", false, 0, -1.0), -1.0, 1e-9);
    assert_float_equal(mean_without_noise("batch-klucb", true, 1, 0.0), 1.0, 1e-9);
    assert_float_equal(mean_without_noise("batch-klucb", true, 2, 0.0), 0.0, 1e-9);
    /* 3 items share 64 clicks on the first position: only the first item of each list is
     * observed */
    assert_float_equal(mean_without_noise("cascade-dp-lazy", true, 1, 0.0), 1.0, 1e-9);
    assert_float_equal(mean_without_noise("cascade-ldp-rr", true, 0, 0.0), 0.0, 1e-9);
}

/* A bit is false with probability 1/(1 + e). If 1000 ones give that share of true bits, the mean is
 * 1. */
TEST(a_mean_of_bits_is_corrected)
{
    lotor_policy_params params = rows_params(lotor_algorithms_find("rr-klucb"), 0);
    params.arms = params.slots = 1;
    params.epsilon = lotor_ratio_of(1, 1);
    test_source source;
    test_source_seed(&source, 5);
    lotor_policy *policy = rows_make(&params, &source);
    for (uint64_t t = 1; t <= 1000; t++) {
        served_round round;
        served_draw(policy, t, NULL, &round);
        const lotor_display display = served_display(policy, &round);
        const int64_t bit = t <= 731; /* e/(1+e) = 0.73106 */
        assert_int_equal(lotor_policy_enter(policy, &display, &bit, 1, NULL), LOTOR_OK);
    }
    uint64_t count;
    assert_float_equal(lotor_policy_mean(policy, 0, &count), 1.0, 0.001);
    assert_int_equal(count, 1000);
    lotor_policy_free(policy);
}
