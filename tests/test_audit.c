/* test_audit.c - audits of every row: claims that hold are not refuted; leaks and halved noise are
 * found. Noise is seeded and simulated unless a test says otherwise, so the numbers are always the
 * same. scripts/soak has the audits with exact noise and 100,000 trials. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "lab/audit_reading.h"
#include "policy/serving.h"

static lotor_audit_request audit_of(const char *id, uint64_t trials)
{
    const lotor_algorithm *algorithm = lotor_algorithms_find(id);
    assert_non_null(algorithm);
    return (lotor_audit_request){
        .algorithm = algorithm,
        .epsilon = lotor_ratio_of(2, 1),
        .trials = trials,
        .view = lotor_audit_view_of(algorithm),
        .confidence = 0.999999,
        .is_seeded = true,
        .seed = 6,
        .noise_scale = 1.0,
    };
}

static lotor_audit_finding run(const lotor_audit_request *audit)
{
    lotor_message why = {.text = ""};
    lotor_audit_finding finding;
    const lotor_status status = lotor_audit_search(audit, &why, &finding);
    if (status != LOTOR_OK) {
        print_error("%s: %s\n", audit->algorithm->id, why.text);
    }
    assert_int_equal(status, LOTOR_OK);
    return finding;
}

static bool is_gated(const lotor_algorithm *algorithm)
{
    return algorithm->elimination && algorithm->epochs == LOTOR_EPOCH_GATED;
}

/* Every private row at its claim, in every view: nothing is found, and two releases are seen.
 * Trials with a gate are long, so there are fewer. */
TEST(claims_that_hold_are_not_broken)
{
    for (size_t i = 0; i < lotor_algorithms_size; i++) {
        const lotor_algorithm *row = &lotor_algorithms[i];
        if (!lotor_algorithm_is_private(row)) {
            continue;
        }
        for (lotor_audit_view view = LOTOR_VIEW_ACTIONS; view <= LOTOR_VIEW_REPORTS; view++) {
            if (view == LOTOR_VIEW_REPORTS && lotor_algorithm_model(row) != LOTOR_MODEL_LOCAL) {
                continue;
            }
            lotor_audit_request audit = audit_of(row->id, row->elimination ? 1000 : 8000);
            audit.view = view;
            const lotor_audit_finding finding = run(&audit);
            if (finding.verdict != LOTOR_AUDIT_NOTHING_FOUND &&
                finding.verdict != LOTOR_AUDIT_NOTHING_SEEN &&
                finding.verdict != LOTOR_AUDIT_LOOSE) {
                print_error("%s, view %s: %s (%s)\n", row->id, lotor_audit_view_name(view),
                            lotor_audit_verdict_name(finding.verdict), finding.event);
                fail();
            }
            assert_true(finding.releases >= (row->elimination ? 1 : 2) && finding.seen > 0);
        }
    }
}

/* Exact noise uses other code, with reloads and served reports among it. */
TEST(exact_noise_is_audited_too)
{
    static const char *const ids[] = {"dpucb-mat", "dp-ucb",       "cucb-ldp2",      "cucb-dp",
                                      "rr-imed",   "cucb-ldp-box", "cascade-ldp-rr", "jdp-batch"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        lotor_audit_request audit = audit_of(ids[i], 4000);
        audit.is_seeded = false;
        const lotor_audit_finding finding = run(&audit);
        assert_false(finding.is_simulated || finding.verdict == LOTOR_AUDIT_VIOLATED);
        assert_non_null(strstr(finding.exercised, "a reload during a release"));
        assert_true(!!strstr(finding.exercised, "the serving path with masks") ==
                    lotor_serving_find(ids[i], &(lotor_serving_info){0}));
    }
}

/* Every algorithm plays a late round among open ones, unless it is behind a gate; every linear one
 * has contexts of dimension 4. The output names everything that is not played. */
TEST(what_was_exercised_is_said)
{
    for (size_t i = 0; i < lotor_algorithms_size; i++) {
        const lotor_algorithm *row = &lotor_algorithms[i];
        lotor_audit_request audit = audit_of(row->id, 1000);
        audit.trials = row->linear ? 4000 : 1000; /* a late context has a 130th of them */
        const lotor_audit_finding finding = run(&audit);
        const char *yes = finding.exercised, *no = finding.not_exercised;
        static const char *const late[] = {"a round from 5 to 40 replaced", "4 open rounds"};
        for (size_t k = 0; k < sizeof late / sizeof *late; k++) {
            if (!strstr(is_gated(row) ? no : yes, late[k])) {
                fail_msg("%s: %s / %s", row->id, yes, no);
            }
        }
        lotor_serving_info facts;
        const bool served =
            lotor_serving_find(row->id, &facts) && lotor_algorithm_model(row) != LOTOR_MODEL_LOCAL;
        assert_non_null(strstr(served ? yes : no, "the serving path with masks"));
        assert_true(!!strstr(yes, "contexts of dimension 4") == (row->linear != NULL));
        assert_non_null(strstr(yes, "the first round replaced"));
        assert_non_null(strstr(no, "a reload during a release")); /* needs exact noise */
        assert_non_null(strstr(no, "the view of decisions"));
        assert_non_null(strstr(no, "more than "));
    }
}

/* Numbers that are released together: the arms of an epoch, the entries of a matrix, the reports of
 * one round. */
TEST(numbers_released_together_are_compared)
{
    static const char *const ids[] = {"dp-se",           "dpucb-mat", "cucb-dp",   "cucb-ldp1",
                                      "cascade-dp-lazy", "jdp-batch", "jdp-linucb"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const lotor_audit_request audit = audit_of(ids[i], 1000);
        assert_non_null(strstr(run(&audit).exercised, "differences of numbers released together"));
    }
}

/* An audit in which no event told the inputs apart is not a success. */
TEST(nothing_told_apart_is_nothing_seen)
{
    lotor_audit_request audit = audit_of("dp-ucb", 1000);
    audit.epsilon = lotor_ratio_of(1, 100);
    const lotor_audit_finding finding = run(&audit);
    assert_true(finding.found == 0.0);
    assert_int_equal(finding.verdict, LOTOR_AUDIT_NOTHING_SEEN);
    assert_string_equal(lotor_audit_verdict_name(finding.verdict), "nothing could be seen");
}

/* Gaussian noise on batches: at epsilon 2 and delta 1/50 the noise that zCDP asks for shows 1.62 at
 * most, to an adversary who weighs all released numbers. 200,000 trials show 1.35; scripts/soak
 * has the trials, and the delta, that show 1.6. */
TEST(gaussian_batches_show_most_of_their_epsilon)
{
    const lotor_audit_request audit = audit_of("jdp-batch", 200000);
    const lotor_audit_finding finding = run(&audit);
    print_message("jdp-batch: at least %.3f\n", finding.found);
    assert_true(finding.found > 1.3 && finding.found <= 1.62 && finding.delta == 0.02);
    assert_string_equal(finding.pair, "turned context");
    assert_string_equal(finding.attack, "learned weights");
}

/* These have several times the noise that the claim needs: half of it still keeps the claim. */
static bool is_loose(const lotor_algorithm *row)
{
    return row->matrix == LOTOR_MATRIX_GAUSSIAN || row->matrix == LOTOR_MATRIX_WISHART;
}

/* Half the noise is twice the epsilon. Trials with dp-se2's gate are long: they are in
 * scripts/soak. A delta needs more trials. */
TEST(half_the_noise_is_found)
{
    for (size_t i = 0; i < lotor_algorithms_size; i++) {
        const lotor_algorithm *row = &lotor_algorithms[i];
        if (!lotor_algorithm_is_private(row) || strcmp(row->id, "dp-se2") == 0 ||
            (row->linear && is_loose(row))) {
            continue;
        }
        lotor_audit_request audit = audit_of(row->id, row->linear || is_gated(row) ? 100000
                                                      : row->elimination           ? 4000
                                                                                   : 20000);
        audit.noise_scale = 0.5;
        const lotor_audit_finding finding = run(&audit);
        if (finding.verdict != LOTOR_AUDIT_VIOLATED) {
            print_error("%s: found %g\n", row->id, finding.found);
            fail();
        }
    }
}

/* With half of their noise these three still keep their claim (matrix.md says why). The Gaussian
 * one violates it with a twentieth: at epsilon 2 and delta 1/50 it has about ten times the noise
 * that zCDP needs. */
TEST(loose_claims_keep_half_the_noise)
{
    static const char *const ids[] = {"jdp-linucb-gauss", "jdp-linucb-wishart",
                                      "jdp-linucb-wishart-shifted"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        lotor_audit_request audit = audit_of(ids[i], 20000);
        audit.noise_scale = 0.5;
        const lotor_audit_finding finding = run(&audit);
        assert_true(is_loose(audit.algorithm) && finding.found < 0.5 * finding.epsilon);
    }
    lotor_audit_request audit = audit_of("jdp-linucb-gauss", 20000);
    audit.noise_scale = 0.05;
    assert_int_equal(run(&audit).verdict, LOTOR_AUDIT_VIOLATED);
}

TEST(known_leaks_are_found)
{
    for (size_t i = 0; i < lotor_algorithms_size; i++) {
        const lotor_algorithm *row = &lotor_algorithms[i];
        if (lotor_algorithm_has_noise(row) && row->not_private) {
            const lotor_audit_request audit = audit_of(row->id, 4000);
            const lotor_audit_finding finding = run(&audit);
            assert_int_equal(finding.verdict, LOTOR_AUDIT_VIOLATED);
            assert_true(strlen(finding.event) > 40);
        }
    }
}

/* The finding says what reveals a click: the number of reports, or the counts on the board. */
TEST(the_event_is_said)
{
    lotor_audit_request audit = audit_of("cascade-ldp-gauss", 4000);
    audit.epsilon = lotor_ratio_of(1, 5);
    lotor_audit_finding finding = run(&audit);
    assert_string_equal(finding.attack, "number of reports");
    assert_non_null(strstr(finding.event, "their number tells the click"));
    audit = audit_of("cascade-dp", 4000);
    finding = run(&audit);
    assert_string_equal(finding.attack, "counts without noise");
    audit = audit_of("cucb-ldp-gauss", 4000);
    finding = run(&audit);
    assert_string_equal(finding.pair, "the exact start");
}

TEST(baselines_claim_nothing)
{
    const lotor_audit_request audit = audit_of("omm", 2000);
    lotor_audit_finding finding = run(&audit);
    assert_int_equal(finding.verdict, LOTOR_AUDIT_CLAIMS_NOTHING);
    assert_true(isinf(finding.epsilon) && finding.found > 3.0);
}

/* Table 6.1 at epsilon 2: the event is three noises at or above 0, 1/8 against e^-2/8. With 200,000
 * trials, each input of the main pair has 66,666; the error is 5.8 (3% + 1%). */
TEST(the_bound_is_sharp)
{
    const lotor_audit_request audit = audit_of("dpucb-mat", 200000);
    const lotor_audit_finding finding = run(&audit);
    assert_true(finding.found > 1.7 && finding.found <= 2.0);
    assert_string_equal(finding.attack, "high values");
}

TEST(nothing_released_is_nothing_said)
{
    lotor_audit_request audit = audit_of("dp-se", 1000);
    audit.horizon = 20;
    const lotor_audit_finding finding = run(&audit);
    assert_int_equal(finding.verdict, LOTOR_AUDIT_UNSEEN);
}

/* Too little is seen if there is no decision after a release, or if all decisions are always the
 * same. */
TEST(decisions_must_be_there_and_vary)
{
    lotor_audit_request audit = audit_of("cucb-dp2", 2000);
    audit.view = LOTOR_VIEW_ACTIONS;
    lotor_audit_finding finding = run(&audit);
    assert_int_equal(finding.verdict, LOTOR_AUDIT_NOTHING_SEEN);
    assert_true(finding.seen >= 2 && finding.varied && isnan(finding.looseness));
    audit = audit_of("dp-se", 1000);
    audit.view = LOTOR_VIEW_ACTIONS;
    finding = run(&audit);
    assert_int_equal(finding.verdict, LOTOR_AUDIT_NOTHING_SEEN);
    assert_true(finding.seen > 0 && !finding.varied);
}

/* Several posts in one round are one release. Posts before the first round do not count. */
TEST(one_round_is_one_release)
{
    static const char *const ids[] = {"dpucb-mat", "cucb-ldp-gauss"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        lotor_audit_request audit = audit_of(ids[i], 1000);
        audit.horizon = 1;
        const lotor_audit_finding finding = run(&audit);
        assert_int_equal(finding.verdict, LOTOR_AUDIT_UNSEEN);
        assert_int_equal(finding.releases, 1);
    }
}

/* Without noise the sums are those of the replaced round, whatever the other rounds added: with a
 * context of 1 and reward 1 every entry is 1, with a context of 0 it is 0. */
TEST(contexts_are_replaced_too)
{
    lotor_audit_request audit = audit_of("linucb", 2000);
    const lotor_audit_pair *pair = lotor_audit_pairs;
    while (pair->id && strcmp(pair->id, "context against none") != 0) {
        pair++;
    }
    assert_true(pair->id && pair->fits(audit.algorithm, &audit));
    lotor_audit_setting setting;
    assert_int_equal(lotor_audit_setting_of(&audit, NULL, &setting), LOTOR_OK);
    static lotor_audit_transcript transcript;
    lotor_generator generator;
    lotor_generator_seed(&generator, 1);
    for (unsigned world = 0; world < 2; world++) {
        lotor_audit_player player = {
            .setting = &setting,
            .pair = pair,
            .generator = &generator,
            .world = world,
            .transcript = &transcript,
        };
        lotor_audit_reading reading;
        assert_int_equal(lotor_audit_play(&player, NULL), LOTOR_OK);
        lotor_audit_player_clear(&player);
        lotor_audit_read(&transcript, LOTOR_VIEW_BOARD, &reading);
        for (size_t entry = 0; entry < 3; entry++) {
            for (size_t t = 0; t < LOTOR_READING_LENGTH; t++) {
                const float value = reading.numbers[entry * LOTOR_READING_LENGTH + t];
                assert_true(value == (world == 0 ? 1.0F : 0.0F));
            }
        }
        assert_true(reading.is_high[LOTOR_READING_VALUES] == (world == 0));
    }
}

TEST(threads_change_nothing)
{
    lotor_audit_request audit = audit_of("dpts-mat", 5000);
    audit.threads = 1;
    const lotor_audit_finding one = run(&audit);
    audit.threads = 5;
    const lotor_audit_finding five = run(&audit);
    assert_memory_equal(&one.counts, &five.counts, sizeof one.counts);
    assert_true(one.found == five.found);
    assert_string_equal(one.event, five.event);
}

static bool stop_at_once(void *context, double share)
{
    ++*(int *)context;
    assert_true(share >= 0.0 && share <= 1.0);
    return true;
}

TEST(an_audit_can_be_stopped)
{
    int asked = 0;
    lotor_audit_request audit = audit_of("dp-se", 1000000);
    audit.progress = stop_at_once;
    audit.context = &asked;
    lotor_audit_finding finding;
    assert_int_equal(lotor_audit_search(&audit, NULL, &finding), LOTOR_STOPPED);
    assert_true(asked > 0);
}

TEST(what_makes_no_sense_is_refused)
{
    lotor_message why;
    lotor_audit_finding finding;
    lotor_audit_request audit = audit_of("dpucb-mat", 10);
    assert_int_equal(lotor_audit_search(&audit, &why, &finding), LOTOR_INVALID);
    audit = audit_of("dpucb-mat", 2000);
    audit.view = LOTOR_VIEW_REPORTS;
    assert_int_equal(lotor_audit_search(&audit, &why, &finding), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "no reports"));
    audit = audit_of("dpucb-mat", 2000);
    audit.confidence = 1.0;
    assert_int_equal(lotor_audit_search(&audit, &why, &finding), LOTOR_INVALID);
    audit = audit_of("dpucb-mat", 2000);
    audit.noise_scale = 0.0;
    assert_int_equal(lotor_audit_search(&audit, &why, &finding), LOTOR_INVALID);
    audit = audit_of("dpucb-mat", 2000);
    audit.delta = lotor_ratio_of(1, 10); /* its claim has no delta */
    assert_int_equal(lotor_audit_search(&audit, &why, &finding), LOTOR_INVALID);
}
