/* verify_local.h - drives the randomizers of privacy/local coin by coin, to check their weights. */
#ifndef LOTOR_LAB_VERIFY_LOCAL_H
#define LOTOR_LAB_VERIFY_LOCAL_H

#include <stddef.h>

#include <lotor/ratio.h>
#include <lotor/status.h>

/* Checks that the code proposes reports uniformly, always keeps a true report, and keeps another
 * one by a coin of e^-epsilon. So its weights are 1 and e^-epsilon. Every input and every proposal
 * is tried, each twice in a row. Every coin is tried on both sides of its threshold, to 62 binary
 * places. LOTOR_DAMAGED: the code does something else. With two possible values the check is for
 * the bit of privacy/local/bit.c; with more, for the position of a click. */
lotor_status lotor_local_drive_bit(lotor_ratio epsilon, lotor_message *why);
lotor_status lotor_local_drive_places(size_t answers, lotor_ratio epsilon, lotor_message *why);

/* Checks the cube: a side is proposed by a fair coin, and kept in proportion to its number of
 * corners; the outside is kept also by a coin of e^-epsilon. Then each corner of the side is
 * equally likely. If e^epsilon is sampled with doublings (see cube.md), that last coin is
 * different, and only the corners are driven. */
lotor_status lotor_local_drive_cube(size_t slots, lotor_ratio epsilon, lotor_message *why,
                                    size_t *threshold);

#endif
