/* coder.c - encodes rewards and clicks (coder.h). coder_report.c encodes reports. */
#include "privacy/intake/coder.h"

#include <assert.h>
#include <string.h>

#include "base/message.h"
#include "base/ratio.h"

lotor_coder_form lotor_coder_form_of(const lotor_coder *coder)
{
    if (coder->is_local && !lotor_ratio_is_infinite(coder->epsilon)) {
        return LOTOR_CODER_REPORT;
    }
    return coder->hears_clicks ? LOTOR_CODER_CLICK : LOTOR_CODER_REWARDS;
}

size_t lotor_coder_width(const lotor_coder *coder)
{
    const bool by_arm = coder->dimension == 0 && coder->feedback->kind == LOTOR_FEEDBACK_SEMI &&
                        !(coder->statistic && coder->statistic->report == LOTOR_REPORT_CUBE);
    return by_arm ? coder->slots : 1;
}

static bool are_different_arms(const lotor_coder *coder, const uint32_t *arms, size_t count)
{
    bool fits = arms && count > 0 && count <= coder->slots;
    for (size_t i = 0; fits && i < count; i++) {
        fits = arms[i] < coder->arms;
        for (size_t j = 0; fits && j < i; j++) {
            fits = arms[j] != arms[i];
        }
    }
    return fits;
}

/* A round that measures value shows as many arms as there are slots. */
static bool fits_value(const lotor_coder *coder, const lotor_display *display)
{
    return coder->is_evaluated && lotor_round_can_record(display->asked[0], coder->arms) &&
           display->count == coder->slots &&
           are_different_arms(coder, display->arms, display->count);
}

lotor_status lotor_coder_check_display(const lotor_coder *coder, const lotor_display *display,
                                       lotor_message *why)
{
    bool fits = lotor_coder_is_value(display)
                    ? fits_value(coder, display)
                    : are_different_arms(coder, display->asked, display->asked_count);
    const bool one = coder->feedback->kind != LOTOR_FEEDBACK_SEMI &&
                     coder->feedback->kind != LOTOR_FEEDBACK_CASCADE;
    fits = fits && (!one || display->asked_count == 1);
    return fits ? LOTOR_OK
                : lotor_fail(LOTOR_INVALID, why, "%s could not have shown this round", coder->name);
}

static lotor_status refuse_count(const lotor_feedback *feedback, size_t wanted, lotor_message *why)
{
    return lotor_fail(LOTOR_RANGE, why, "the number of rewards is %zu: expected %zu",
                      feedback->rewards ? feedback->count : 0, wanted);
}

static lotor_status encode_rewards(const lotor_coder *coder, size_t wanted,
                                   const lotor_feedback *feedback, lotor_message *why,
                                   int64_t *units)
{
    if (feedback->count != wanted || !feedback->rewards) {
        return refuse_count(feedback, wanted, why);
    }
    for (size_t i = 0; i < wanted; i++) {
        if (lotor_encode(&coder->encoding, feedback->rewards[i], NULL, &units[i]) != LOTOR_OK) {
            return lotor_feedback_refuse_reward(&coder->encoding, feedback, i, why);
        }
    }
    return LOTOR_OK;
}

/* Encodes the sum of the rewards of all shown arms. */
static lotor_status encode_value(const lotor_coder *coder, size_t shown,
                                 const lotor_feedback *feedback, lotor_message *why, int64_t *value)
{
    *value = 0;
    if (feedback->count != shown || !feedback->rewards) {
        return refuse_count(feedback, shown, why);
    }
    for (size_t i = 0; i < shown; i++) {
        int64_t one;
        if (lotor_encode(&coder->encoding, feedback->rewards[i], NULL, &one) != LOTOR_OK) {
            *value = 0;
            return lotor_feedback_refuse_reward(&coder->encoding, feedback, i, why);
        }
        *value += one; /* lotor_release_fits has checked that many more can be added */
    }
    return LOTOR_OK;
}

static lotor_status encode_click(const lotor_coder *coder, const lotor_feedback *feedback,
                                 lotor_message *why, int64_t *units)
{
    if (feedback->count > 0) {
        return lotor_fail(
            LOTOR_RANGE, why,
            "rewards were given, but a click is expected: give the clicked arm, or none");
    }
    if (feedback->click > coder->slots) {
        return lotor_fail(LOTOR_RANGE, why,
                          "the click is outside the list of %zu: give the place of a shown arm, or "
                          "0 for none",
                          coder->slots);
    }
    units[0] = (int64_t)feedback->click;
    return LOTOR_OK;
}

lotor_status lotor_coder_encode(const lotor_coder *coder, const lotor_display *display,
                                const lotor_feedback *feedback, lotor_message *why, int64_t *units,
                                size_t *used)
{
    *used = 0;
    lotor_status status = lotor_coder_check_display(coder, display, why);
    if (status == LOTOR_OK && coder->is_local) {
        status = lotor_fail(LOTOR_INVALID, why,
                            "%s is of the local model: send a report that the person's device "
                            "randomized, never the raw feedback",
                            coder->name);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    if (lotor_coder_is_value(display) && !coder->hears_clicks && coder->dimension == 0) {
        status = encode_value(coder, display->count, feedback, why, units);
        *used = status == LOTOR_OK;
        return status;
    }
    const size_t wanted = coder->hears_clicks ? 1 : display->asked_count;
    status = coder->hears_clicks ? encode_click(coder, feedback, why, units)
                                 : encode_rewards(coder, wanted, feedback, why, units);
    if (status == LOTOR_OK &&
        coder->dimension > 0) { /* the reward is kept as the bits of a double */
        memcpy(&units[0], &feedback->rewards[0], sizeof units[0]);
    }
    *used = status == LOTOR_OK ? wanted : 0;
    assert(*used <= lotor_coder_width(coder));
    return status;
}
