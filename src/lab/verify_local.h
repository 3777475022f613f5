/* verify_local.h - the randomizers of privacy/local, driven coin by coin. */
#ifndef LOTOR_LAB_VERIFY_LOCAL_H
#define LOTOR_LAB_VERIFY_LOCAL_H

#include <stddef.h>

#include <lotor/ratio.h>
#include <lotor/status.h>

/* The code proposes answers uniformly and keeps a true one always, another by a coin of e^-epsilon: so
 * its weights are 1 and e^-epsilon. Every input and every proposal is driven, each twice in a row; the
 * coins are tried on both sides of where they turn, to 62 binary places. LOTOR_DAMAGED when it does
 * otherwise. With two answers it is the bit of privacy/local/bit.c, with more the place of a click. */
lotor_status lotor_local_drive_bit(lotor_ratio epsilon, lotor_message *why);
lotor_status lotor_local_drive_places(size_t answers, lotor_ratio epsilon, lotor_message *why);

/* The same for the cube: a side is proposed by a fair coin and kept in the proportion of its corners,
 * the outside also by a coin of e^-epsilon; then each corner of the side is as likely. Where e^epsilon
 * is sampled with doublings (see cube.md) that last coin is another, and only the corners are driven. */
lotor_status lotor_local_drive_cube(size_t slots, lotor_ratio epsilon, lotor_message *why,
                                    size_t *threshold);

#endif
