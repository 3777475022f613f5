/* test_audit_api.c - the audit through its public header: the same finding as that of the lab,
 * errors and their messages, threads, and progress. test_audit.c tests that audits find what they
 * should. */
#include "support/test.h"

#include <lotor/audit.h>
#include <math.h>
#include <string.h>

#include "lab/audit.h"

static lotor_audit_params quick(const char *algorithm)
{
    return (lotor_audit_params){
        .algorithm = algorithm, .trials = 1000, .is_seeded = true, .seed = 11};
}

static lotor_audit_result claim(const lotor_audit_params *params)
{
    lotor_audit_result result;
    lotor_message why = {""};
    if (lotor_audit_run(params, &why, &result) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return result;
}

static void assert_as_the_lab(const lotor_audit_params *params, const lotor_audit_request *audit)
{
    const lotor_audit_result told = claim(params);
    lotor_audit_finding found;
    assert_int_equal(lotor_audit_search(audit, NULL, &found), LOTOR_OK);
    assert_int_equal(told.is_violated, found.verdict == LOTOR_AUDIT_VIOLATED);
    assert_string_equal(told.verdict, lotor_audit_verdict_name(found.verdict));
    assert_true(told.epsilon == found.epsilon && told.delta == found.delta);
    assert_true(told.found == found.found);
    assert_true(told.confidence == audit->confidence);
    assert_string_equal(told.view, lotor_audit_view_name(audit->view));
    assert_string_equal(told.event, found.event);
    assert_string_equal(told.setting, found.setting);
    assert_string_equal(told.exercised, found.exercised);
    assert_string_equal(told.not_exercised, found.not_exercised);
    assert_true(told.exercised[0] != '\0' && told.not_exercised[0] != '\0');
    assert_int_equal(told.trials, audit->trials);
    assert_true(told.seconds > 0.0);
}

TEST(what_is_left_out_is_as_in_the_command)
{
    const lotor_audit_params params = quick("dp-ucb");
    const lotor_audit_request audit = {.algorithm = lotor_algorithms_find("dp-ucb"),
                                       .epsilon = lotor_ratio_of(2, 1),
                                       .trials = 1000,
                                       .view = LOTOR_VIEW_BOARD,
                                       .confidence = 0.999999,
                                       .is_seeded = true,
                                       .seed = 11,
                                       .noise_scale = 1.0};
    assert_as_the_lab(&params, &audit);
    const lotor_audit_params local = quick("cucb-ldp2"); /* its view is reports */
    lotor_audit_request reports = audit;
    reports.algorithm = lotor_algorithms_find("cucb-ldp2");
    reports.view = LOTOR_VIEW_REPORTS;
    assert_as_the_lab(&local, &reports);
}

TEST(what_is_given_is_handed_on)
{
    lotor_audit_params params = {.algorithm = "jdp-linucb-gauss",
                                 .epsilon = lotor_ratio_of(1, 2),
                                 .delta = lotor_ratio_of(1, 10),
                                 .horizon = 4,
                                 .trials = 1200,
                                 .view = "board",
                                 .confidence = 0.9,
                                 .is_seeded = true,
                                 .seed = 5,
                                 .threads = 2,
                                 .noise_scale = 0.5};
    const lotor_audit_request audit = {.algorithm = lotor_algorithms_find("jdp-linucb-gauss"),
                                       .epsilon = lotor_ratio_of(1, 2),
                                       .delta = lotor_ratio_of(1, 10),
                                       .horizon = 4,
                                       .trials = 1200,
                                       .view = LOTOR_VIEW_BOARD,
                                       .confidence = 0.9,
                                       .is_seeded = true,
                                       .seed = 5,
                                       .noise_scale = 0.5};
    assert_as_the_lab(&params, &audit);
    lotor_audit_params actions = quick("dpucb-mat");
    actions.view = "actions";
    assert_string_equal(claim(&actions).view, "actions");
}

/* With a fraction of the noise that epsilon 2 needs, a violation is found; with exact noise too. */
TEST(a_broken_claim_is_violated)
{
    lotor_audit_params params = quick("dp-ucb");
    params.trials = 3000;
    params.noise_scale = 0.25;
    lotor_audit_result result = claim(&params);
    assert_true(result.is_violated);
    assert_string_equal(result.verdict, "violated");
    assert_true(result.found > 2.0 && result.epsilon == 2.0);
    params.is_seeded = false;
    params.noise_scale = 0.03; /* then `found` is 3.5 +- 0.05, in 300 audits */
    assert_true(claim(&params).is_violated);
    params = quick("ucb");
    result = claim(&params);
    assert_string_equal(result.verdict, "claims nothing");
    assert_true(isinf(result.epsilon) && !result.is_violated);
}

TEST(threads_change_nothing)
{
    lotor_audit_params params = quick("dpucb-mat");
    params.threads = 1;
    const double found = claim(&params).found;
    params.threads = 5;
    assert_true(claim(&params).found == found);
    params.threads = 0;
    assert_true(claim(&params).found == found);
}

typedef struct watcher {
    size_t calls;
    double last, until;
} watcher;

static bool watch(void *context, double share)
{
    watcher *self = context;
    assert_true(share >= self->last && share <= 1.0);
    self->last = share;
    self->calls++;
    return share >= self->until;
}

TEST(it_is_watched_and_stopped)
{
    watcher watched = {.until = 2.0};
    lotor_audit_params params = quick("dpucb-mat");
    params.progress = watch;
    params.progress_context = &watched;
    (void)claim(&params);
    assert_true(watched.calls > 0);
    watched = (watcher){.until = 0.0};
    lotor_audit_result result = {.trials = 99};
    lotor_message why = {""};
    assert_int_equal(lotor_audit_run(&params, &why, &result), LOTOR_STOPPED);
    assert_string_equal(why.text, "stopped before all trials were played, so there is no result");
    assert_int_equal(result.trials, 99); /* unchanged */
}

static void assert_refused(lotor_audit_params params, lotor_status expected, const char *words)
{
    lotor_audit_result result = {.trials = 99};
    lotor_message why = {""};
    assert_int_equal(lotor_audit_run(&params, &why, &result), expected);
    if (!strstr(why.text, words)) {
        fail_msg("\"%s\" does not say \"%s\"", why.text, words);
    }
    assert_int_equal(result.trials, 99);
    assert_int_equal(lotor_audit_run(&params, NULL, &result), expected);
}

TEST(what_makes_no_sense_is_refused)
{
    assert_refused((lotor_audit_params){0}, LOTOR_UNKNOWN, "no algorithm is named");
    assert_refused(quick("dp-uc"), LOTOR_UNKNOWN,
                   "there is no algorithm \"dp-uc\": did you mean dp-ucb?");
    lotor_audit_params bad = quick("dp-ucb");
    bad.view = "sky";
    assert_refused(bad, LOTOR_INVALID,
                   "there is no view \"sky\": choose from actions, board and reports");
    bad.view = "reports";
    assert_refused(bad, LOTOR_INVALID, "dp-ucb has no reports");
    bad = quick("dp-ucb");
    bad.trials = 999;
    assert_refused(bad, LOTOR_INVALID, "999 trials are too few: give at least 1000");
    bad.trials = (UINT64_C(1) << 40) + 1;
    assert_refused(bad, LOTOR_INVALID, "1099511627777 trials are too many: expected at most 2^40");
    bad = quick("dp-ucb");
    bad.horizon = (UINT64_C(1) << 32) + 1;
    assert_refused(bad, LOTOR_INVALID, "4294967297 rounds are too many: expected at most 2^32");
    bad = quick("dp-ucb");
    bad.epsilon = lotor_ratio_of(0, 1);
    assert_refused(bad, LOTOR_INVALID, "epsilon must be above 0");
    bad = quick("dp-ucb");
    bad.delta = lotor_ratio_of(1, 10);
    assert_refused(bad, LOTOR_INVALID, "delta can't be used with dp-ucb");
    static const double confidences[] = {0.4, 1.0, -0.5, NAN};
    for (size_t i = 0; i < 4; i++) {
        bad = quick("dp-ucb");
        bad.confidence = confidences[i];
        assert_refused(bad, LOTOR_INVALID, "the confidence must lie between 0.5 and 1");
    }
    static const double scales[] = {-1.0, INFINITY, NAN};
    for (size_t i = 0; i < 3; i++) {
        bad = quick("dp-ucb");
        bad.noise_scale = scales[i];
        assert_refused(bad, LOTOR_INVALID, "the noise scale must be a number above 0");
    }
}
