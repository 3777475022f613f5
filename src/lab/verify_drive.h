/* verify_drive.h - drives the library's own samplers with chosen words, to see what they draw.
 *
 * The exact Laplace sampler (privacy/noise/exact.c) reads one word for a uniform draw below 2b (its
 * half is the offset, its last bit the sign), one for keeping it, one for each turn of b, and one for
 * no more turns. So any draw can be dictated, and one turn shows the scale b that is really in use,
 * whatever the plan says. Nothing here is random, and no release to anyone uses it.
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
    lotor_source source; /* first: the samplers get a pointer to it */
    lotor_source_window window;
    size_t words; /* dictated so far */
} lotor_drive;

void lotor_drive_start(lotor_drive *drive);
lotor_noise lotor_drive_noise(lotor_drive *drive); /* borrows the drive */

/* Forgets what was dictated. */
void lotor_drive_clear(lotor_drive *drive);

void lotor_drive_zero(lotor_drive *drive); /* the next Laplace draw is 0 */
void lotor_drive_turn(
    lotor_drive *drive); /* the next Laplace draw is its scale, whatever that is */
void lotor_drive_draw(lotor_drive *drive, int64_t value, uint64_t scale); /* it is `value` */

/* Coins of the randomizers. A uniform draw below `bound` gives `index`; a coin of num/den (below 1)
 * says yes, by the last word or so that does, or no, by the first; and so does one of e^-epsilon. */
void lotor_drive_below(lotor_drive *drive, uint64_t bound, uint64_t index);
void lotor_drive_coin(lotor_drive *drive, uint64_t num, uint64_t den, bool yes);
void lotor_drive_exp_coin(lotor_drive *drive, lotor_ratio epsilon, bool yes);

/* How many words were read, and whether these are exactly the dictated ones. */
size_t lotor_drive_read(const lotor_drive *drive);
bool lotor_drive_is_done(const lotor_drive *drive);

/* The scale with which the library draws when it is told to draw at `scale`. LOTOR_DAMAGED when the
 * sampler does not read its words as described above: then nothing here can be trusted. */
lotor_status lotor_drive_scale(lotor_law law, uint64_t scale, lotor_message *why, uint64_t *drawn);

#endif
