/* feedback.c - the feedback models, and why their sensitivities are what they are (see feedback.h).
 *
 *   one          One number, which moves by at most one width.
 *   semi         K numbers, each of which moves by at most one width: K in L1, sqrt(K) in L2.
 *   least-shown  K arms are shown, but only the reward of the least-shown arm is recorded:
 *                one number.
 *   cascade      A person reads a list from the top and stops at the first click. The round
 *                becomes K "observed" bits and K "clicked" bits. Clicks at p < q <= K differ in
 *                the q-p observed bits p+1..q and in two clicked bits: at most K+1 entries (p = 1,
 *                q = K). A click at p and no click differ in K-p observed bits and one clicked bit.
 *                If K = 1, only this second case exists: 1. All differences are 0 or 1, so L2
 *                squared equals L1.
 *   first-slot   A list is shown, but only the click on its first slot is recorded. Everyone looks
 *                at the first slot, so this is one number, which moves by at most one width.
 */
#include "privacy/encode/feedback.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "base/message.h"

static size_t one_number(size_t slots)
{
    (void)slots;
    return 1;
}

static size_t per_slot(size_t slots)
{
    return slots;
}

static size_t two_per_slot(size_t slots)
{
    return 2 * slots;
}

static uint64_t one_width(size_t slots)
{
    (void)slots;
    return 1;
}

static uint64_t width_per_slot(size_t slots)
{
    return slots;
}

static uint64_t cascade_widths(size_t slots)
{
    assert(slots > 0);
    return slots == 1 ? 1 : (uint64_t)slots + 1;
}

lotor_status lotor_feedback_refuse_reward(const lotor_encoding *encoding,
                                          const lotor_feedback *feedback, size_t place,
                                          lotor_message *why)
{
    assert(place < feedback->count);
    char which[64] = "the reward", low[LOTOR_DIGITS_ROOM], high[LOTOR_DIGITS_ROOM];
    if (feedback->count > 1) {
        snprintf(which, sizeof which, "reward %zu of %zu", place + 1, feedback->count);
    }
    return lotor_fail(LOTOR_RANGE, why,
                      "%s is %s in the declared range %s to %s: send a reward in the range", which,
                      isnan(feedback->rewards[place]) ? "NaN, not a number" : "not",
                      lotor_digits(encoding->low, low), lotor_digits(encoding->high, high));
}

static lotor_status encode_rewards(const lotor_encoding *encoding, size_t wanted,
                                   const lotor_feedback *feedback, lotor_message *why,
                                   int64_t *units)
{
    if (feedback->count != wanted) {
        return lotor_fail(LOTOR_RANGE, why, "the number of rewards is %zu: expected %zu",
                          feedback->count, wanted);
    }
    for (size_t i = 0; i < wanted; i++) {
        const lotor_status status = lotor_encode(encoding, feedback->rewards[i], NULL, &units[i]);
        if (status != LOTOR_OK) {
            return lotor_feedback_refuse_reward(encoding, feedback, i, why);
        }
    }
    return LOTOR_OK;
}

static bool are_rewards(const lotor_encoding *encoding, size_t count, const int64_t *units)
{
    for (size_t i = 0; i < count; i++) {
        if (units[i] < encoding->least || units[i] > encoding->most) {
            return false;
        }
    }
    return true;
}

static bool is_reward(const lotor_encoding *encoding, size_t slots, const int64_t *units)
{
    (void)slots;
    return are_rewards(encoding, 1, units);
}

static lotor_status encode_one(const lotor_encoding *encoding, size_t slots,
                               const lotor_feedback *feedback, lotor_message *why, int64_t *units)
{
    (void)slots;
    return encode_rewards(encoding, 1, feedback, why, units);
}

static lotor_status check_click(size_t click, size_t slots, lotor_message *why)
{
    return click <= slots
               ? LOTOR_OK
               : lotor_fail(LOTOR_RANGE, why,
                            "the click is outside the list: give a position from 1 to %zu, or 0 "
                            "for none",
                            slots);
}

static lotor_status encode_first_slot(const lotor_encoding *encoding, size_t slots,
                                      const lotor_feedback *feedback, lotor_message *why,
                                      int64_t *units)
{
    const lotor_status status = check_click(feedback->click, slots, why);
    if (status == LOTOR_OK) {
        units[0] = feedback->click == 1 ? encoding->most : encoding->least;
    }
    return status;
}

static bool is_click_or_none(const lotor_encoding *encoding, size_t slots, const int64_t *units)
{
    (void)slots;
    return units[0] == encoding->most || units[0] == encoding->least;
}

static lotor_status encode_cascade(const lotor_encoding *encoding, size_t slots,
                                   const lotor_feedback *feedback, lotor_message *why,
                                   int64_t *units)
{
    const size_t click = feedback->click;
    const lotor_status status = check_click(click, slots, why);
    if (status != LOTOR_OK) {
        return status;
    }
    const size_t observed = click == 0 ? slots : click;
    const int64_t width = (int64_t)lotor_encoding_width(encoding);
    for (size_t i = 0; i < slots; i++) {
        units[i] = i < observed ? width : 0;
        units[slots + i] = i + 1 == click ? width : 0;
    }
    assert(observed >= 1 && observed <= slots);
    return LOTOR_OK;
}

static bool is_cascade(const lotor_encoding *encoding, size_t slots, const int64_t *units)
{
    const int64_t width = (int64_t)lotor_encoding_width(encoding);
    size_t click = 0;
    for (size_t i = slots; i > 0; i--) {
        click = units[slots + i - 1] != 0 ? i : click;
    }
    const size_t observed = click == 0 ? slots : click;
    bool same = true;
    for (size_t i = 0; i < slots; i++) {
        same = same && units[i] == (i < observed ? width : 0) &&
               units[slots + i] == (i + 1 == click ? width : 0);
    }
    return same;
}

static const lotor_feedback_model one = {
    .id = "one",
    .summary = "one reward",
    .kind = LOTOR_FEEDBACK_ONE,
    .contributions = one_number,
    .l1 = one_width,
    .l2_squared = one_width,
    .encode = encode_one,
    .is_possible = is_reward,
};
static const lotor_feedback_model semi = {
    .id = "semi",
    .summary = "a reward for every shown arm",
    .kind = LOTOR_FEEDBACK_SEMI,
    .contributions = per_slot,
    .l1 = width_per_slot,
    .l2_squared = width_per_slot,
    .encode = encode_rewards,
    .is_possible = are_rewards,
};
static const lotor_feedback_model least_shown = {
    .id = "least-shown",
    .summary = "the reward of the least-shown arm alone",
    .kind = LOTOR_FEEDBACK_LEAST_SHOWN,
    .contributions = one_number,
    .l1 = one_width,
    .l2_squared = one_width,
    .encode = encode_one,
    .is_possible = is_reward,
};
static const lotor_feedback_model cascade = {
    .id = "cascade",
    .summary = "the position of the first click",
    .kind = LOTOR_FEEDBACK_CASCADE,
    .contributions = two_per_slot,
    .l1 = cascade_widths,
    .l2_squared = cascade_widths,
    .encode = encode_cascade,
    .is_possible = is_cascade,
};

static const lotor_feedback_model first_slot = {
    .id = "first-slot",
    .summary = "whether the first click is in the first slot",
    .kind = LOTOR_FEEDBACK_FIRST_SLOT,
    .contributions = one_number,
    .l1 = one_width,
    .l2_squared = one_width,
    .encode = encode_first_slot,
    .is_possible = is_click_or_none,
};

const lotor_feedback_model *const lotor_feedback_models[] = {
    &one, &semi, &least_shown, &cascade, &first_slot, NULL,
};

const lotor_feedback_model *lotor_feedback_find(const char *id)
{
    for (size_t i = 0; lotor_feedback_models[i]; i++) {
        if (strcmp(lotor_feedback_models[i]->id, id) == 0) {
            return lotor_feedback_models[i];
        }
    }
    return NULL;
}
