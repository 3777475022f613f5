/* test_intake_allocation.c - the k-th allocation fails, for every k, in all calls of an intake: the
 * call returns a status, nothing is lost or leaked, and a second call works. Between growing,
 * nothing is allocated. */
#include "support/test.h"

#include <sodium.h>

#include "support/failing_memory.h"
#include "support/intake_rig.h"

enum { ROUNDS = 40, NONCE = 9 };

/* Calls again after LOTOR_MEMORY (only one allocation fails). */
static bool again(lotor_status status, size_t *failures)
{
    assert_true(status == LOTOR_OK || status == LOTOR_MEMORY);
    *failures += status == LOTOR_MEMORY;
    return status == LOTOR_MEMORY;
}

static bool again_if(bool failed, size_t *failures)
{
    *failures += failed;
    return failed;
}

/* Makes one item of the form that the intake needs for the round. */
static lotor_feedback_list *make_batch(const lotor_intake *intake, size_t shown, size_t *failures)
{
    const lotor_coder *coder = lotor_intake_coder(intake);
    const lotor_coder_form form = lotor_coder_form_of(coder);
    lotor_feedback_list *batch;
    while (again_if(!(batch = lotor_feedback_list_new(0)), failures)) {
    }
    for (int i = 0; i < 3; i++) { /* two rounds are taken back */
        while (again_if(!lotor_feedback_list_begin(batch, form), failures)) {
        }
        while (form == LOTOR_CODER_CLICK &&
               again_if(!lotor_feedback_list_name(batch, ""), failures)) {
        }
        for (size_t j = 0; form != LOTOR_CODER_CLICK && j < shown; j++) {
            while (again_if(!lotor_feedback_list_add(batch, 0), failures)) {
            }
        }
    }
    assert_int_equal(lotor_feedback_list_count(batch), 3);
    lotor_feedback_list_take_back(batch);
    lotor_feedback_list_take_back(batch);
    return batch;
}

static void accept(lotor_intake *intake, const served_round *round, const lotor_display *display,
                   size_t *failures)
{
    const lotor_coder *coder = lotor_intake_coder(intake);
    const bool one = lotor_coder_form_of(coder) == LOTOR_CODER_REPORT &&
                     coder->statistic == &lotor_statistic_bits;
    lotor_feedback_list *batch = make_batch(intake, one ? 1 : round->count, failures);
    lotor_intake_refusal refusal;
    while (!lotor_intake_accept(intake, batch, 0, round->event, NONCE, display, intake_ids,
                                &refusal)) {
        assert_int_equal(refusal.fault, LOTOR_FAULT_MEMORY);
        assert_string_equal(refusal.message.text, "the server has no memory left: try again");
        ++*failures;
    }
    lotor_feedback_list_free(batch);
}

static void draw(lotor_intake *intake, lotor_policy *policy, uint64_t number, served_round *round,
                 unsigned char **action, size_t *action_length, size_t *failures)
{
    static const bool all[ROWS_ARMS] = {true, true, true, true, true};
    double room[ROWS_ARMS * ROWS_DIMENSION];
    const double *rows = rows_context(policy, number, room);
    unsigned char *context = NULL;
    size_t length = 0;
    lotor_decision decision;
    lotor_message why;
    while (rows && again(lotor_intake_seal_rows(intake, rows, all, &context, &length), failures)) {
        assert_null(context);
    }
    while (again(lotor_intake_draw(intake, policy, context, length, NULL, false, &why, &decision,
                                   action, action_length),
                 failures)) {
        assert_null(*action);
    }
    assert_int_equal(decision.event, number); /* every draw was passed to the callback */
    served_copy(policy, number, &decision, round);
    lotor_bytes_free(context, length);
}

static void through_the_log(lotor_intake *intake, size_t *failures)
{
    unsigned char *row;
    size_t length;
    uint64_t first, last;
    lotor_message why;
    while (again(lotor_intake_seal_pending(intake, 1, 2, &why, &row, &length, &first, &last),
                 failures)) {
        assert_null(row);
    }
    while (again(lotor_intake_replay(intake, 0, 1, 2, row, length, &why), failures)) {
    }
    lotor_intake_clear_pending(intake);
    lotor_bytes_free(row, length);
}

static void through_a_state(const lotor_intake *intake, const lotor_policy *policy,
                            size_t *failures)
{
    unsigned char *bytes, *head;
    size_t length, head_length;
    lotor_policy *loaded;
    lotor_message why;
    while (again(
        lotor_intake_save(intake, policy, intake_key, sizeof intake_key, 3, &why, &bytes, &length),
        failures)) {
        assert_null(bytes);
    }
    while (again(lotor_intake_load(intake, bytes, length, 3, &why, &loaded, &head, &head_length),
                 failures)) {
        assert_null(loaded);
        assert_null(head);
    }
    lotor_policy_free(loaded);
    lotor_bytes_free(head, head_length);
    lotor_bytes_free(bytes, length);
}

/* Makes an intake and a policy; draws, accepts, replays and enters ROUNDS rounds; saves and loads
 * the state. */
static void live(const lotor_policy_params *params, size_t *failures)
{
    static served_round rounds[ROUNDS];
    static test_source source;
    unsigned char *actions[ROUNDS];
    size_t lengths[ROUNDS];
    lotor_policy *policy;
    lotor_intake *intake;
    lotor_message why;
    test_source_seed(&source, 1);
    while (again(lotor_intake_new(params, 1, intake_key, &why, &intake), failures)) {
        assert_null(intake);
    }
    while (again(rows_try_make(params, &source, &why, &policy), failures)) {
    }
    for (size_t i = 0; i < ROUNDS; i++) {
        draw(intake, policy, i + 1, &rounds[i], &actions[i], &lengths[i], failures);
        const lotor_display display = served_display(policy, &rounds[i]);
        accept(intake, &rounds[i], &display, failures);
    }
    assert_int_equal(lotor_intake_pending(intake), ROUNDS);
    through_the_log(intake, failures);
    for (size_t i = 0; i < ROUNDS; i++) {
        const lotor_display display = served_display(policy, &rounds[i]);
        assert_true(lotor_intake_has_feedback(intake, i + 1, NONCE));
        assert_int_equal(lotor_intake_enter(intake, policy, i + 1, NONCE, &display, actions[i],
                                            lengths[i], &why),
                         LOTOR_OK);
        lotor_bytes_free(actions[i], lengths[i]);
    }
    through_a_state(intake, policy, failures);
    lotor_policy_free(policy);
    lotor_intake_free(intake);
}

static void expect_survives(const char *id, bool cascade)
{
    const lotor_algorithm *row = lotor_algorithms_find(id);
    const lotor_policy_params params = cascade ? rows_list_params(row, 100) : rows_params(row, 100);
    const size_t before = failing_memory_live();
    size_t failures = 0;
    failing_memory_start(0);
    live(&params, &failures);
    const size_t allocations = failing_memory_stop();
    assert_true(allocations > 20);
    assert_int_equal(failures, 0);
    for (size_t fails = 1; fails <= allocations; fails++) {
        failures = 0;
        failing_memory_start(fails);
        live(&params, &failures);
        (void)failing_memory_stop();
        assert_int_equal(failures, 1);
        assert_int_equal(failing_memory_live(), before);
    }
}

TEST(intakes_survive)
{
    expect_survives("cucb-dp-lazy", false); /* rewards */
    expect_survives("batch-klucb", true);   /* clicks */
    expect_survives("cucb-ldp1", false);    /* reports */
    expect_survives("rr-klucb", false);     /* bits */
    expect_survives("jdp-batch", false);    /* contexts */
}

/* An idle intake is one small buffer, less than a page. */
TEST(intakes_are_light)
{
    const lotor_policy_params params = rows_params(lotor_algorithms_find("cucb-dp-lazy"), 100);
    const size_t before = failing_memory_live();
    lotor_intake *intake;
    failing_memory_start(0);
    assert_int_equal(lotor_intake_new(&params, 1, intake_key, NULL, &intake), LOTOR_OK);
    (void)failing_memory_stop();
    assert_int_equal(failing_memory_live(), before + 1);
    lotor_intake_free(intake);
    assert_int_equal(failing_memory_live(), before);
}

TEST(nothing_is_allocated_per_item)
{
    enum { MANY = 30, TIMES = 5 };
    static const uint32_t arms[] = {0, 1};
    static const double rewards[] = {1.0, 0.5};
    static const lotor_display display = {arms, 2, arms, 2, NULL};
    const lotor_policy_params params = rows_params(lotor_algorithms_find("cucb-dp-lazy"), 100);
    lotor_intake *intake = intake_new(&params);
    lotor_feedback_list *batch = intake_rewards(rewards, 2);
    for (int time = 0; time < TIMES; time++) {
        lotor_intake_refusal refusal;
        failing_memory_start(0);
        for (uint64_t i = 1; i <= MANY; i++) {
            assert_true(lotor_intake_accept(intake, batch, 0, i, NONCE, &display, NULL, &refusal));
        }
        intake_row row = intake_seal(intake, 1, 1);
        assert_int_equal(intake_replay(intake, 0, &row), LOTOR_OK);
        for (uint64_t i = 1; i <= MANY; i++) {
            lotor_intake_drop(intake, i); /* as entering does */
        }
        intake_row_free(&row);
        const size_t allocations = failing_memory_stop();
        assert_true(time == 0 || allocations == 1); /* the row itself */
    }
    lotor_feedback_list_free(batch);
    lotor_intake_free(intake);
}

TEST_GROUP(test_start_sodium, NULL);
