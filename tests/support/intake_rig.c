/* intake_rig.c - see intake_rig.h. */
#include "support/intake_rig.h"

#include "support/cmocka_all.h"

const unsigned char intake_key[LOTOR_INTAKE_KEY] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                                    12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                                                    23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
const char *const intake_ids[ROWS_ARMS] = {"a", "b", "c", "d", "e"};

lotor_intake *intake_new(const lotor_policy_params *params)
{
    lotor_intake *intake;
    lotor_message why = {""};
    if (lotor_intake_new(params, INTAKE_CAMPAIGN, intake_key, &why, &intake) != LOTOR_OK) {
        fail_msg("%s: %s", params->algorithm, why.text);
    }
    return intake;
}

static lotor_feedback_list *begin(lotor_coder_form form)
{
    lotor_feedback_list *batch = lotor_feedback_list_new(1);
    assert_non_null(batch);
    assert_true(lotor_feedback_list_begin(batch, form));
    return batch;
}

lotor_feedback_list *intake_rewards(const double *rewards, size_t count)
{
    lotor_feedback_list *batch = begin(LOTOR_CODER_REWARDS);
    for (size_t i = 0; i < count; i++) {
        assert_true(lotor_feedback_list_add_reward(batch, rewards[i]));
    }
    return batch;
}

lotor_feedback_list *intake_click(const char *name)
{
    lotor_feedback_list *batch = begin(LOTOR_CODER_CLICK);
    assert_true(lotor_feedback_list_name(batch, name));
    return batch;
}

lotor_feedback_list *intake_report(const int64_t *report, size_t count)
{
    lotor_feedback_list *batch = begin(LOTOR_CODER_REPORT);
    for (size_t i = 0; i < count; i++) {
        assert_true(lotor_feedback_list_add(batch, report[i]));
    }
    return batch;
}

void intake_accept(lotor_intake *intake, lotor_feedback_list *batch, uint64_t decision,
                   uint64_t nonce, const lotor_display *display)
{
    lotor_intake_refusal refusal;
    const size_t before = lotor_intake_pending(intake);
    if (!lotor_intake_accept(intake, batch, 0, decision, nonce, display, intake_ids, &refusal)) {
        fail_msg("%s: %s", refusal.field, refusal.message.text);
    }
    assert_int_equal(refusal.fault, LOTOR_FAULT_NONE);
    assert_int_equal(lotor_intake_pending(intake), before + 1);
    lotor_feedback_list_free(batch);
}

intake_row intake_seal(lotor_intake *intake, uint64_t stream, uint64_t seq)
{
    intake_row row = {.stream = stream, .seq = seq};
    lotor_message why = {""};
    if (lotor_intake_seal_pending(intake, stream, seq, &why, &row.bytes, &row.length, &row.first,
                                  &row.last) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    lotor_intake_clear_pending(intake);
    assert_int_equal(lotor_intake_pending(intake), 0);
    return row;
}

lotor_status intake_replay(lotor_intake *intake, uint64_t final, const intake_row *row)
{
    lotor_message why = {""};
    const lotor_status status =
        lotor_intake_replay(intake, final, row->stream, row->seq, row->bytes, row->length, &why);
    assert_int_equal(status == LOTOR_OK, why.text[0] == '\0');
    return status;
}

void intake_row_free(intake_row *row)
{
    lotor_bytes_free(row->bytes, row->length);
    row->bytes = NULL;
}
