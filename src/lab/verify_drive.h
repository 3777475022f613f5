/* verify_drive.h - runs the library's samplers on chosen random words, to see what they draw.
 *
 * The exact Laplace sampler (privacy/noise/exact.c) reads one word for a uniform draw below 2b,
 * whose half is the offset and whose last bit is the sign. It reads one word for keeping that draw,
 * one for each repetition (which adds b), and one for ending the repetitions. So any draw can be
 * dictated. One repetition shows the scale b that is really in use, whatever the plan says. Nothing
 * here is random, and no release uses it.
 */
#ifndef LOTOR_LAB_VERIFY_DRIVE_H
#define LOTOR_LAB_VERIFY_DRIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/ratio.h>
#include <lotor/status.h>

#include "base/source.h"
#include "privacy/noise/noise.h"

typedef struct lotor_drive {
    lotor_source source; /* must be first: the samplers get a pointer to it */
    lotor_source_window window;
    size_t words; /* number of dictated words */
} lotor_drive;

void lotor_drive_start(lotor_drive *drive);
lotor_noise lotor_drive_noise(lotor_drive *drive); /* points to the drive */

/* Removes all dictated words. */
void lotor_drive_clear(lotor_drive *drive);

/* Dictate the next Laplace draw: the value 0; the value of its scale, whatever that is; or
 * `value`. */
void lotor_drive_zero(lotor_drive *drive);
void lotor_drive_draw_scale(lotor_drive *drive);
void lotor_drive_draw(lotor_drive *drive, int64_t value, uint64_t scale);

/* Dictate the coins of the randomizers (privacy/local/steady.h). Below: a uniform draw below `bound` gives `index`. Coin: a
 * coin of num/den (below 1) says yes or no. Exp coin: a coin of e^-epsilon says yes or no. A yes
 * uses about the last word that gives yes, a no the first word that gives no. */
void lotor_drive_below(lotor_drive *drive, uint64_t bound, uint64_t index);
void lotor_drive_coin(lotor_drive *drive, uint64_t num, uint64_t den, bool yes);
void lotor_drive_exp_coin(lotor_drive *drive, lotor_ratio epsilon, bool yes);

/* The number of words that were read, and whether exactly the dictated ones were read. */
size_t lotor_drive_read(const lotor_drive *drive);
bool lotor_drive_is_done(const lotor_drive *drive);

/* The scale with which the library really draws when it is asked for `scale`. LOTOR_DAMAGED: the
 * sampler does not read its words as described above, so nothing here can be trusted. */
lotor_status lotor_drive_scale(lotor_law law, uint64_t scale, lotor_message *why, uint64_t *drawn);

#endif
