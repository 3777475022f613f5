/* test_lab_api.c - advice, watched campaigns and exact verification through the public API. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include <lotor/lotor.h>

/* --- advice ----------------------------------------------------------------------------------- */

static lotor_advise_params cascade(void)
{
    return (lotor_advise_params){.problem = "cascade",
                                 .trust = LOTOR_MODEL_LOCAL,
                                 .epsilon = {1, 1},
                                 .arms = 6,
                                 .slots = 2,
                                 .rounds = 50,
                                 .seconds = 60,
                                 .seed = 1,
                                 .threads = 1};
}

/* With so much time for so few rounds, all candidates play all rounds, 64 times. */
TEST(advice_is_sorted_and_repeats)
{
    const lotor_advise_params params = cascade();
    lotor_advise_result first, second;
    lotor_message why = {""};
    assert_int_equal(lotor_advise_run(&params, &why, &first), LOTOR_OK);
    assert_int_equal(lotor_advise_run(&params, &why, &second), LOTOR_OK);
    assert_true(first.count > 0 && first.count == second.count);
    assert_int_equal(first.rounds, 50);
    for (size_t i = 0; i < first.count; i++) {
        const lotor_advise_candidate *row = &first.candidates[i];
        lotor_algorithm_info facts;
        assert_int_equal(lotor_algorithm_find(row->algorithm, &why, &facts), LOTOR_OK);
        assert_true(facts.is_private && facts.model == LOTOR_MODEL_LOCAL);
        assert_true(i == 0 || row->regret >= first.candidates[i - 1].regret);
        assert_true(row->regret == second.candidates[i].regret);
        assert_int_equal(row->rounds, 50);
    }
    assert_string_equal(first.baseline.algorithm, "cascade-ucb");
    assert_true(first.random_regret > 0.0);
    /* 4 x 0.8 x 0.15 / kl of the randomized bits of 0.05 and 0.2 */
    assert_true(fabs(first.lower_bound - 44.6417660294617) < 1e-9);
    assert_non_null(strstr(first.lower_bound_theorem, "randomized bits"));
}

TEST(the_means_of_the_world)
{
    static const double means[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    lotor_advise_params params = cascade();
    assert_true(lotor_advise_mean(&params, 3) == 0.05 && lotor_advise_mean(&params, 4) == 0.2);
    assert_true(isnan(lotor_advise_mean(&params, 6)));
    params.means = means;
    assert_true(lotor_advise_mean(&params, 3) == 0.4);
    params.problem = "linear";
    assert_true(isnan(lotor_advise_mean(&params, 3)));
    params.problem = NULL;
    assert_true(isnan(lotor_advise_mean(&params, 3)));
}

static bool stop(void *context, double share)
{
    (void)context;
    (void)share;
    return true;
}

static void expect_no_advice(lotor_advise_params params, lotor_status expected, const char *words)
{
    lotor_advise_result result = {.count = 99};
    lotor_message why = {""};
    assert_int_equal(lotor_advise_run(&params, &why, &result), expected);
    if (!strstr(why.text, words)) {
        fail_msg("\"%s\" does not say \"%s\"", why.text, words);
    }
    assert_int_equal(result.count, 99);
    assert_int_equal(lotor_advise_run(&params, NULL, &result), expected);
}

TEST(advice_is_refused)
{
    lotor_advise_params bad = cascade();
    bad.problem = "cascades";
    expect_no_advice(bad, LOTOR_INVALID, "\"cascades\": give finite");
    bad = cascade();
    bad.trust = LOTOR_MODEL_NONE;
    expect_no_advice(bad, LOTOR_INVALID, "central, local or joint");
    bad.trust = LOTOR_MODEL_JOINT;
    expect_no_advice(bad, LOTOR_INVALID, "joint trust is for linear problems");
    bad = cascade();
    bad.epsilon = lotor_ratio_of(0, 1);
    expect_no_advice(bad, LOTOR_INVALID, "epsilon must be above 0");
    bad.epsilon = lotor_ratio_of(1, 0);
    expect_no_advice(bad, LOTOR_INVALID, "epsilon must be above 0 and finite");
    bad = cascade();
    bad.arms = LOTOR_ADVISE_ARMS_MAX + 1;
    expect_no_advice(bad, LOTOR_INVALID, "10001 arms: give at most 10000");
    bad = cascade();
    bad.seconds = -1.0;
    expect_no_advice(bad, LOTOR_INVALID, "-1 seconds");
    bad = cascade();
    bad.slots = 6;
    expect_no_advice(bad, LOTOR_INVALID, "6 of 6 arms");
    bad = cascade();
    bad.progress = stop;
    bad.rounds = 1000000;
    expect_no_advice(bad, LOTOR_STOPPED, "stopped");
    bad = cascade();
    bad.arms = 3000;
    bad.rounds = 1000000;
    bad.seconds = 0.001;
    expect_no_advice(bad, LOTOR_BUSY, "too few for 3000 arms");
}

/* --- a watched campaign ----------------------------------------------------------------------- */

static const double likes[3] = {0.1, 0.2, 0.9};

static lotor_watch_params campaign(void)
{
    return (lotor_watch_params){.algorithm = "batch-klucb",
                                .epsilon = {1, 1},
                                .arms = 3,
                                .slots = 1,
                                .means = likes,
                                .rounds = 2000,
                                .frames = 20,
                                .seed = 5};
}

TEST(a_campaign_is_watched)
{
    const lotor_watch_params params = campaign();
    lotor_watch_result *first, *second;
    lotor_message why = {""};
    assert_int_equal(lotor_watch_run(&params, &why, &first), LOTOR_OK);
    assert_int_equal(lotor_watch_run(&params, &why, &second), LOTOR_OK);
    assert_int_equal(first->frames, 20);
    assert_int_equal(first->rounds[19], 2000);
    for (size_t frame = 0; frame < first->frames; frame++) {
        uint64_t shown = 0;
        for (size_t i = 0; i < first->arms; i++) {
            const lotor_watch_arm *at = &first->states[frame * first->arms + i];
            shown += at->shown;
            assert_true(isnan(at->mean) || at->low <= at->high);
        }
        assert_int_equal(shown, first->rounds[frame]);
        assert_true(frame == 0 || first->rounds[frame] > first->rounds[frame - 1]);
        assert_true(first->reward[frame] == second->reward[frame]);
    }
    assert_true(first->reward[19] > first->reward[0]); /* it has learnt */
    lotor_watch_free(first);
    lotor_watch_free(second);
    lotor_watch_free(NULL);
}

static void expect_not_watched(lotor_watch_params params, lotor_status expected)
{
    lotor_watch_result *result;
    assert_int_equal(lotor_watch_run(&params, NULL, &result), expected);
    assert_null(result);
}

TEST(what_can_not_be_watched)
{
    lotor_watch_params bad = campaign();
    bad.rounds = 0;
    expect_not_watched(bad, LOTOR_INVALID);
    bad = campaign();
    bad.algorithm = "jdp-batch";
    expect_not_watched(bad, LOTOR_INVALID);
    bad.algorithm = "batch-klubc";
    expect_not_watched(bad, LOTOR_UNKNOWN);
}

/* --- exact verification ----------------------------------------------------------------------- */

static void count(void *context, const lotor_verify_finding *finding)
{
    size_t *counts = context;
    counts[finding->holds]++;
}

/* Every mechanism keeps its claim, and every known leak does not. */
TEST(what_is_verified)
{
    lotor_message why = {""};
    for (size_t i = 0; i < lotor_verify_count(); i++) {
        lotor_verify_info facts;
        assert_int_equal(lotor_verify_at(i, &why, &facts), LOTOR_OK);
        size_t counts[2] = {0, 0};
        const lotor_verify_params params = {
            .mechanism = facts.id, .epsilon = {1, 1}, .take = count, .take_context = counts};
        assert_int_equal(lotor_verify_run(&params, &why), LOTOR_OK);
        assert_true(counts[facts.is_leak] == 0 && counts[!facts.is_leak] > 0);
    }
}

static void expect_not_verified(lotor_verify_params params, lotor_status expected,
                                const char *words)
{
    lotor_message why = {""};
    assert_int_equal(lotor_verify_run(&params, &why), expected);
    if (!strstr(why.text, words)) {
        fail_msg("\"%s\" does not say \"%s\"", why.text, words);
    }
}

TEST(what_can_not_be_verified)
{
    expect_not_verified((lotor_verify_params){.take = count}, LOTOR_UNKNOWN,
                        "no mechanism is named");
    expect_not_verified((lotor_verify_params){.mechanism = "lapalce", .take = count}, LOTOR_UNKNOWN,
                        "there is no mechanism \"lapalce\": did you mean laplace?");
    expect_not_verified((lotor_verify_params){.mechanism = "laplace"}, LOTOR_INVALID, "function");
    expect_not_verified((lotor_verify_params){.mechanism = "tree", .delta = {1, 10}, .take = count},
                        LOTOR_INVALID, "tree claims a delta of 0");
}
