/* coder_report.c - reports of the local model: what a device is told to do, and what it may send.
 *
 * A report is already private when it arrives (privacy/local/). Checking, keeping and summing
 * reports is post-processing, so no noise is added here. A forged report can distort the estimates,
 * but only as much as an honest report could. Laplace reports more than 64 scales outside the range
 * are refused; an honest device never sends them (privacy/local/randomize.c).
 */
#include <assert.h>

#include "base/message.h"
#include "privacy/intake/coder.h"
#include "privacy/local/randomize.h"

static bool takes_reports(const lotor_coder *coder)
{
    return lotor_coder_form_of(coder) == LOTOR_CODER_REPORT;
}

/* The position of the recorded arm, from 1; 0 if the whole list is recorded. */
static size_t place_of(const lotor_coder *coder, const lotor_display *display)
{
    if (coder->feedback->kind == LOTOR_FEEDBACK_SEMI ||
        coder->feedback->kind == LOTOR_FEEDBACK_CASCADE) {
        return 0;
    }
    size_t place = 0;
    while (place < display->count && display->arms[place] != display->asked[0]) {
        place++;
    }
    return place + 1;
}

/* The report that the device sends of this round. The value of a round is always one bit. */
static lotor_report_form form_of(const lotor_coder *coder, const lotor_display *display)
{
    return lotor_coder_is_value(display) ? LOTOR_REPORT_BIT : coder->statistic->report;
}

static const char *const mechanisms[] = {
    [LOTOR_REPORT_NONE] = LOTOR_RANDOMIZE_LAPLACE,
    [LOTOR_REPORT_LAPLACE] = LOTOR_RANDOMIZE_LAPLACE,
    [LOTOR_REPORT_BIT] = LOTOR_RANDOMIZE_BIT,
    [LOTOR_REPORT_POSITION] = LOTOR_RANDOMIZE_POSITION,
    [LOTOR_REPORT_CUBE] = LOTOR_RANDOMIZE_CUBE,
};

bool lotor_coder_randomizer(const lotor_coder *coder, const lotor_display *display,
                            lotor_randomizer *out)
{
    if (!takes_reports(coder)) {
        return false;
    }
    const bool values = lotor_coder_is_value(display);
    const bool laplace = form_of(coder, display) == LOTOR_REPORT_LAPLACE;
    const char *value_mechanism =
        coder->hears_clicks ? LOTOR_RANDOMIZE_CLICK_BIT : LOTOR_RANDOMIZE_SUM_BIT;
    *out = (lotor_randomizer){
        .mechanism = values ? value_mechanism : mechanisms[coder->statistic->report],
        .slot = values ? 0 : place_of(coder, display),
        .epsilon = coder->epsilon,
        .scale = laplace ? coder->scale : 0,
        .unit = laplace ? coder->encoding.unit : 0.0,
        .low = coder->encoding.low,
        .high = coder->encoding.high,
        .slots = coder->slots,
    };
    return true;
}

/* How many numbers a report has when a device sends it. */
static size_t numbers_of(const lotor_coder *coder, const lotor_display *display)
{
    switch (form_of(coder, display)) {
    case LOTOR_REPORT_CUBE:
        return coder->slots;
    case LOTOR_REPORT_LAPLACE:
        return display->asked_count;
    default:
        return 1;
    }
}

/* True if a device could send this number. */
static bool is_number(const lotor_coder *coder, lotor_report_form form, int64_t number)
{
    switch (form) {
    case LOTOR_REPORT_POSITION:
        return number >= 1 && (uint64_t)number <= coder->slots + 1;
    case LOTOR_REPORT_LAPLACE: {
        const lotor_report_range range = lotor_randomize_range(&coder->encoding, coder->scale);
        return number >= range.least && number <= range.most;
    }
    default:
        return number == 0 || number == 1;
    }
}

static lotor_status refuse_number(const lotor_coder *coder, lotor_report_form form, size_t place,
                                  lotor_message *why)
{
    switch (form) {
    case LOTOR_REPORT_POSITION:
        return lotor_fail(LOTOR_RANGE, why,
                          "the report is not a position: give 1 to %zu, or %zu for no click",
                          coder->slots, coder->slots + 1);
    case LOTOR_REPORT_LAPLACE:
        return lotor_fail(LOTOR_RANGE, why,
                          "number %zu of the report is more than 64 scales outside the range of "
                          "rewards: send what the randomizer gives, in whole units",
                          place);
    default:
        return lotor_fail(LOTOR_RANGE, why, "number %zu of the report is not a bit: give 0 or 1",
                          place);
    }
}

lotor_status lotor_coder_encode_report(const lotor_coder *coder, const lotor_display *display,
                                       const int64_t *report, size_t count, lotor_message *why,
                                       int64_t *units, size_t *used)
{
    *used = 0;
    const lotor_status status = lotor_coder_check_display(coder, display, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (!takes_reports(coder)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s takes raw feedback, not reports: send rewards, or a click",
                          coder->name);
    }
    const size_t wanted = numbers_of(coder, display);
    if (count != wanted) {
        return lotor_fail(LOTOR_RANGE, why, "the length of the report is %zu: expected %zu", count,
                          wanted);
    }
    const lotor_report_form form = form_of(coder, display);
    const bool signs = form == LOTOR_REPORT_CUBE;
    uint64_t corner = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_number(coder, form, report[i])) {
            return refuse_number(coder, form, i + 1, why);
        }
        if (signs) {
            assert(i < 64);
            corner |= (uint64_t)report[i] << i;
        } else {
            units[i] = report[i];
        }
    }
    if (signs) {
        units[0] = (int64_t)corner;
    }
    *used = signs ? 1 : count;
    assert(*used <= lotor_coder_width(coder));
    return LOTOR_OK;
}

bool lotor_coder_is_report(const lotor_coder *coder, const lotor_display *display,
                           const int64_t *units, size_t used)
{
    if (!takes_reports(coder)) {
        return false;
    }
    const lotor_report_form form = form_of(coder, display);
    if (form == LOTOR_REPORT_CUBE) {
        return used == 1 && (coder->slots >= 64 || (uint64_t)units[0] >> coder->slots == 0);
    }
    bool is = used == numbers_of(coder, display);
    for (size_t i = 0; is && i < used; i++) {
        is = is_number(coder, form, units[i]);
    }
    return is;
}
