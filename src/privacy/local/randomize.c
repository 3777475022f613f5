/* randomize.c - turns feedback into a private report on a person's device (randomize.h;
 * randomize.md has the proof for Laplace reports).
 *
 * Sensitivity of Laplace reports: replacing one round's feedback moves each of the m reported
 * rewards by at most one width, so it moves all of them by m widths in L1. Noise of scale m widths
 * / epsilon on each is epsilon-DP. If all rewards are reported, m is `slots`, although a list can
 * be shorter. If one arm is recorded, m is 1.
 */
#include "privacy/local/randomize.h"

#include <assert.h>
#include <string.h>

#include "base/digits.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/ratio.h"
#include "base/wide.h"
#include "privacy/local/bit.h"
#include "privacy/local/cube.h"
#include "privacy/local/position.h"
#include "privacy/noise/noise.h"

enum { MOST_SCALES = 64, MOST_LAPLACE = 1024 };

static int64_t clamp(lotor_i128 value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : (int64_t)value;
}

lotor_report_range lotor_randomize_range(const lotor_encoding *encoding, uint64_t scale)
{
    const lotor_i128 far = (lotor_i128)scale * MOST_SCALES;
    return (lotor_report_range){clamp(encoding->least - far, INT64_MIN, INT64_MAX),
                                clamp(encoding->most + far, INT64_MIN, INT64_MAX)};
}

/* The arguments of lotor_randomize, while the report is being made. */
typedef struct sender {
    const lotor_randomizer *randomizer;
    const lotor_feedback *feedback;
    lotor_encoding encoding;
    lotor_noise noise;
    lotor_message *why;
    int64_t *report;
    size_t *count;
} sender;

static lotor_status check_count(const sender *self, size_t least, size_t most)
{
    const size_t count = self->feedback->count;
    if (count >= least && count <= most) {
        return LOTOR_OK;
    }
    if (least == most) {
        return lotor_fail(LOTOR_RANGE, self->why, "the number of rewards is %zu: expected %zu",
                          count, most);
    }
    return lotor_fail(LOTOR_RANGE, self->why, "the number of rewards is %zu: expected %zu to %zu",
                      count, least, most);
}

static lotor_status check_click(const sender *self)
{
    return self->feedback->click <= self->randomizer->slots
               ? LOTOR_OK
               : lotor_fail(LOTOR_RANGE, self->why,
                            "the click is outside the list: give a place from 1 to %zu, or 0 for "
                            "none",
                            self->randomizer->slots);
}

/* Encodes one reward. No message contains the reward: messages reach logs, and logs leave the
 * device. */
static lotor_status encode(const sender *self, size_t place, int64_t *units)
{
    assert(place < self->feedback->count);
    const lotor_encoding *encoding = &self->encoding;
    const lotor_status status = lotor_encode(encoding, self->feedback->rewards[place], NULL, units);
    char low[LOTOR_DIGITS_ROOM], high[LOTOR_DIGITS_ROOM];
    return status == LOTOR_OK
               ? LOTOR_OK
               : lotor_fail(status, self->why,
                            "reward number %zu is not in the randomizer's range %s to %s: nothing "
                            "may be sent",
                            place + 1, lotor_digits(encoding->low, low),
                            lotor_digits(encoding->high, high));
}

/* Sends one bit of a number of `steps` out of `width` (bit.md). */
static lotor_status send_one_bit(sender *self, uint64_t steps, uint64_t width)
{
    lotor_bit law;
    lotor_status status = lotor_bit_make(self->randomizer->epsilon, width, self->why, &law);
    if (status != LOTOR_OK) {
        return status;
    }
    bool sent;
    status = lotor_bit_send(&law, steps, self->noise.exact, &sent);
    self->report[0] = sent;
    *self->count = 1;
    return status;
}

static lotor_status send_bit(sender *self)
{
    lotor_status status;
    int64_t units = self->encoding.least;
    if (self->feedback->rewards) {
        status = check_count(self, 1, 1);
        if (status == LOTOR_OK) {
            status = encode(self, 0, &units);
        }
    } else {
        status = check_click(self);
        const bool here =
            self->feedback->click > 0 && self->feedback->click == self->randomizer->slot;
        units = here ? self->encoding.most : units;
    }
    return status == LOTOR_OK ? send_one_bit(self, (uint64_t)(units - self->encoding.least),
                                             lotor_encoding_width(&self->encoding))
                              : status;
}

/* The sum of the rewards of all places, as one bit. A click is the largest reward in one place. */
static lotor_status send_sum_bit(sender *self)
{
    const size_t slots = self->randomizer->slots;
    const uint64_t one = lotor_encoding_width(&self->encoding);
    uint64_t width, steps = 0;
    if (__builtin_mul_overflow(one, (uint64_t)slots, &width)) {
        return lotor_fail(LOTOR_INVALID, self->why,
                          "the sum of %zu rewards of this range does not fit in 64 bits: nothing "
                          "may be sent",
                          slots);
    }
    const bool has_rewards = self->feedback->rewards != NULL;
    lotor_status status = has_rewards ? check_count(self, slots, slots) : check_click(self);
    for (size_t i = 0; status == LOTOR_OK && has_rewards && i < slots; i++) {
        int64_t units = self->encoding.least;
        status = encode(self, i, &units);
        steps += (uint64_t)(units - self->encoding.least);
    }
    if (status == LOTOR_OK && !has_rewards && self->feedback->click > 0) {
        steps = one;
    }
    return status == LOTOR_OK ? send_one_bit(self, steps, width) : status;
}

/* True if anything was clicked, as one bit. */
static lotor_status send_click_bit(sender *self)
{
    const lotor_status status =
        self->feedback->rewards ? check_count(self, 0, 0) : check_click(self);
    return status == LOTOR_OK ? send_one_bit(self, self->feedback->click > 0, 1) : status;
}

static lotor_status send_position(sender *self)
{
    const size_t slots = self->randomizer->slots;
    lotor_position law;
    lotor_status status = lotor_position_make(slots, self->randomizer->epsilon, self->why, &law);
    if (status == LOTOR_OK) {
        status = self->feedback->rewards ? check_count(self, 0, 0) : check_click(self);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    const size_t click = self->feedback->click;
    size_t place = 0;
    status = lotor_position_report(&law, click > 0 ? click : slots + 1, &self->noise, &place);
    self->report[0] = (int64_t)place;
    *self->count = 1;
    return status;
}

/* Checks that the scale is at least m widths / epsilon; `most` is m. */
static lotor_status check_scale(const sender *self, size_t most)
{
    const lotor_randomizer *told = self->randomizer;
    const uint64_t width = lotor_encoding_width(&self->encoding); /* below 2^53 */
    const bool sized = told->unit == self->encoding.unit && told->slots <= MOST_LAPLACE &&
                       told->scale <= lotor_noise_largest_scale(LOTOR_LAW_LAPLACE);
    if (sized && (lotor_u128)told->scale * told->epsilon.num >=
                     (lotor_u128)width * most * told->epsilon.den) {
        return LOTOR_OK;
    }
    return lotor_fail(
        LOTOR_INVALID, self->why,
        "noise of scale %llu in these units does not give the stated epsilon: nothing may be sent",
        (unsigned long long)told->scale);
}

/* A report beyond the bounds is moved to the bound. The bounds are public, so this is
 * post-processing. It happens with probability below e^-64. */
static lotor_status send_laplace(sender *self)
{
    const lotor_randomizer *told = self->randomizer;
    const size_t most = told->slot > 0 ? 1 : told->slots;
    lotor_status status = check_scale(self, most);
    if (status == LOTOR_OK) {
        status = check_count(self, 1, most);
    }
    const lotor_report_range range = lotor_randomize_range(&self->encoding, told->scale);
    for (size_t i = 0; status == LOTOR_OK && i < self->feedback->count; i++) {
        int64_t units;
        lotor_i128 noisy;
        status = encode(self, i, &units);
        if (status == LOTOR_OK) {
            status =
                lotor_noise_add_wide(&self->noise, LOTOR_USE_RELEASE, told->scale, units, &noisy);
        }
        if (status == LOTOR_OK) {
            self->report[i] = clamp(noisy, range.least, range.most);
        }
    }
    *self->count = self->feedback->count;
    return status;
}

static lotor_status send_cube(sender *self)
{
    lotor_cube law;
    lotor_status status =
        lotor_cube_make(self->randomizer->slots, self->randomizer->epsilon, self->why, &law);
    if (status == LOTOR_OK) {
        status = check_count(self, 1, law.slots);
    }
    uint64_t parts[LOTOR_CUBE_MAX], corner = 0;
    for (size_t i = 0; status == LOTOR_OK && i < self->feedback->count; i++) {
        int64_t units = 0;
        status = encode(self, i, &units);
        parts[i] = (uint64_t)(units - self->encoding.least);
    }
    if (status == LOTOR_OK) {
        status = lotor_cube_report(&law, parts, self->feedback->count,
                                   lotor_encoding_width(&self->encoding), &self->noise, &corner);
    }
    lotor_wipe(parts, sizeof parts);
    for (size_t i = 0; status == LOTOR_OK && i < law.slots; i++) {
        self->report[i] = (int64_t)(corner >> i & 1);
    }
    *self->count = law.slots;
    return status;
}

/* Checks the parts of a randomizer that all mechanisms use. */
static lotor_status check_told(const lotor_randomizer *told, lotor_message *why)
{
    if (lotor_ratio_is_infinite(told->epsilon) || told->epsilon.num == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a randomizer needs an epsilon above 0 that is not infinite");
    }
    if (told->slots == 0 || told->slots > LOTOR_RANDOMIZER_SLOTS_MAX || told->slot > told->slots) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "a randomizer's slots must be from 1 to %d, and not below its slot: these "
            "are %zu, and the slot is %zu",
            LOTOR_RANDOMIZER_SLOTS_MAX, told->slots, told->slot);
    }
    return LOTOR_OK;
}

/* Makes the report with the named mechanism. */
static lotor_status send_by(const char *mechanism, sender *self)
{
    static const struct {
        const char *mechanism;
        lotor_status (*send)(sender *self);
    } ways[] = {{LOTOR_RANDOMIZE_BIT, send_bit},
                {LOTOR_RANDOMIZE_SUM_BIT, send_sum_bit},
                {LOTOR_RANDOMIZE_CLICK_BIT, send_click_bit},
                {LOTOR_RANDOMIZE_POSITION, send_position},
                {LOTOR_RANDOMIZE_LAPLACE, send_laplace},
                {LOTOR_RANDOMIZE_CUBE, send_cube}};
    for (size_t i = 0; mechanism && i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(mechanism, ways[i].mechanism) == 0) {
            return ways[i].send(self);
        }
    }
    return lotor_fail(
        LOTOR_INVALID, self->why,
        "there is no mechanism '%.20s': use bit, sum-bit, click-bit, position, laplace or cube",
        mechanism ? mechanism : "");
}

lotor_status lotor_randomize(const lotor_randomizer *randomizer, const lotor_feedback *feedback,
                             lotor_source *source, lotor_message *why, int64_t *report,
                             size_t *count)
{
    *count = 0;
    /* Without rewards the feedback is a click, even if `rewards` is not NULL. */
    const bool has_rewards = feedback->rewards && feedback->count > 0;
    const lotor_feedback given = {has_rewards ? feedback->rewards : NULL,
                                  has_rewards ? feedback->count : 0, feedback->click};
    sender self = {
        .randomizer = randomizer,
        .feedback = &given,
        .noise = lotor_noise_exact(source),
        .why = why,
        .report = report,
        .count = count,
    };
    lotor_status status = check_told(randomizer, why);
    if (status == LOTOR_OK) {
        status = lotor_encoding_make(randomizer->low, randomizer->high, why, &self.encoding);
    }
    if (status == LOTOR_OK) {
        status = send_by(randomizer->mechanism, &self);
    }
    *count = status == LOTOR_OK ? *count : 0;
    assert(*count <= randomizer->slots || *count == 0);
    return status;
}
