/* verify_drive.c - see verify_drive.h. */
#include "lab/verify_drive.h"

#include <inttypes.h>

#include "base/message.h"
#include "base/wide.h"

static const uint64_t NO = UINT64_MAX;         /* coin of e^-gamma, gamma < 1: yes; of e^-1: no */
static const uint64_t YES = UINT64_C(1) << 62; /* e^-1: yes, since 1/6 < 1/4 < 1/2 */
static const uint64_t LEAST = 1;               /* uniform draw: 0; the word 0 could be redrawn */
static const uint64_t MOST = UINT64_MAX;       /* uniform draw: the largest value */

/* Fills the source with words that only make sampling loops end: reading one of them is an
 * error. */
static void fill(lotor_source *source)
{
    uint64_t state = 1;
    for (size_t i = 0; i + sizeof state <= LOTOR_SOURCE_WINDOW_BYTES; i += sizeof state) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        memcpy(source->window->bytes + i, &state, sizeof state);
    }
    source->window->left = LOTOR_SOURCE_WINDOW_BYTES;
}

static void refill(lotor_source *source)
{
    source->status = LOTOR_ENTROPY;
    fill(source);
}

void lotor_drive_start(lotor_drive *drive)
{
    drive->source = (lotor_source){.window = &drive->window, .refill = refill, .status = LOTOR_OK};
    fill(&drive->source);
    drive->words = 0;
}

lotor_noise lotor_drive_noise(lotor_drive *drive)
{
    return lotor_noise_exact(&drive->source);
}

void lotor_drive_clear(lotor_drive *drive)
{
    drive->window.left = LOTOR_SOURCE_WINDOW_BYTES;
    drive->source.status = LOTOR_OK;
    drive->words = 0;
}

static void dictate(lotor_drive *drive, uint64_t word)
{
    if ((drive->words + 1) * sizeof word <= LOTOR_SOURCE_WINDOW_BYTES) {
        memcpy(drive->window.bytes + drive->words * sizeof word, &word, sizeof word);
    }
    drive->words++; /* lotor_drive_is_done returns false if there are too many words */
}

void lotor_drive_zero(lotor_drive *drive)
{
    dictate(drive, LEAST);
    dictate(drive, NO);
    dictate(drive, NO);
}

void lotor_drive_draw_scale(lotor_drive *drive)
{
    dictate(drive, LEAST);
    dictate(drive, NO);
    dictate(drive, YES);
    dictate(drive, NO);
}

void lotor_drive_below(lotor_drive *drive, uint64_t bound, uint64_t index)
{
    const lotor_u128 start = (lotor_u128)index << 64; /* the smallest word that gives this index */
    dictate(drive, (uint64_t)((start + bound - 1) / bound) + 1);
}

/* U < num/den: false from the word ceil(2^64 num/den) on, true up to two words before it. */
void lotor_drive_coin(lotor_drive *drive, uint64_t num, uint64_t den, bool yes)
{
    if (num == den) {
        dictate(drive, MOST); /* the coin always says yes */
        return;
    }
    const uint64_t turn = (uint64_t)((((lotor_u128)num << 64) + den - 1) / den);
    dictate(drive, yes ? turn - 2 : turn);
}

/* The coin of privacy/local/steady.c. For each whole unit of epsilon but the last there is one word,
 * a coin of e^-1. Then, with the rest r, there is one word U, and if r < 1 a coin of r for each of
 * 20 steps. Step k is passed if U < 1/k! and all coins of r so far say yes. If the first step that
 * is not passed is odd, the result is yes. With U between 1/3! and 1/2!, the coins alone decide: a
 * no at step 1 is a yes, and "yes no" is a no. */
void lotor_drive_exp_coin(lotor_drive *drive, lotor_ratio epsilon, bool yes)
{
    enum { STEPS = 20 };
    uint64_t num = epsilon.num;
    for (; num > epsilon.den; num -= epsilon.den) {
        dictate(drive, YES);
    }
    dictate(drive, yes || num < epsilon.den ? YES : NO);
    for (int step = 1; num < epsilon.den && step <= STEPS; step++) {
        lotor_drive_coin(drive, num, epsilon.den, step == 1 && !yes);
    }
}

void lotor_drive_draw(lotor_drive *drive, int64_t value, uint64_t scale)
{
    const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    lotor_drive_below(drive, 2 * scale, 2 * (size % scale) + (value < 0));
    dictate(drive, NO);
    for (uint64_t turn = 0; turn < size / scale; turn++) {
        dictate(drive, YES);
    }
    dictate(drive, NO);
}

size_t lotor_drive_read(const lotor_drive *drive)
{
    return (LOTOR_SOURCE_WINDOW_BYTES - drive->window.left) / sizeof(uint64_t);
}

bool lotor_drive_is_done(const lotor_drive *drive)
{
    return drive->source.status == LOTOR_OK && lotor_drive_read(drive) == drive->words;
}

/* Makes the draw that the dictated words give; INT64_MIN if the sampler read other words. */
static int64_t draw_one(lotor_drive *drive, lotor_law law, uint64_t scale)
{
    lotor_noise noise = lotor_drive_noise(drive);
    int64_t draw = 0;
    const lotor_status status = lotor_noise_add(&noise, law, scale, 1, &draw);
    return status == LOTOR_OK && lotor_drive_is_done(drive) ? draw : INT64_MIN;
}

/* Finds the scale b in two ways: the largest offset is b - 1, and each repetition adds b. Both must
 * agree. (At b = 1, the largest offset with a minus sign is -0, which is drawn again.) */
static bool laplace_scale(lotor_drive *drive, uint64_t scale, uint64_t *drawn)
{
    lotor_drive_draw_scale(drive);
    const int64_t turn = draw_one(drive, LOTOR_LAW_LAPLACE, scale);
    if (turn < 1) {
        return false;
    }
    *drawn = (uint64_t)turn;
    if (turn == 1) {
        return true;
    }
    lotor_drive_clear(drive);
    dictate(drive, MOST);
    dictate(drive, NO);
    dictate(drive, NO);
    return draw_one(drive, LOTOR_LAW_LAPLACE, scale) == 1 - turn;
}

/* The Laplace candidate has scale sigma + 1. Its largest offset, sigma, is kept with probability
 * e^(-1/(2(sigma+1)^2)), which takes one more word. */
static bool gaussian_scale(lotor_drive *drive, uint64_t scale, uint64_t *drawn)
{
    dictate(drive, MOST);
    for (int i = 0; i < 3; i++) {
        dictate(drive, NO);
    }
    const int64_t draw = draw_one(drive, LOTOR_LAW_GAUSSIAN, scale);
    *drawn = draw < 0 ? 0 - (uint64_t)draw : 0;
    return draw < 0 && draw != INT64_MIN;
}

lotor_status lotor_drive_scale(lotor_law law, uint64_t scale, lotor_message *why, uint64_t *drawn)
{
    lotor_drive drive;
    lotor_drive_start(&drive);
    const bool is_known = law == LOTOR_LAW_LAPLACE ? laplace_scale(&drive, scale, drawn)
                                                   : gaussian_scale(&drive, scale, drawn);
    return is_known ? LOTOR_OK
                    : lotor_fail(LOTOR_DAMAGED, why,
                                 "the exact sampler at scale %" PRIu64 " does not read its words "
                                 "as this verification expects: it has changed, and "
                                 "src/lab/verify_drive.c must follow",
                                 scale);
}
