/* dips.h - whether the noise of a binary tree dips below a margin within a block of values, without
 * drawing every node of the block: for simulations (dips.md).
 *
 * A block of level k is 2^k values that start where the count is a multiple of 2^k. Inside it, the
 * noise of the output moves only with nodes that lie in the block. A dip is a value inside the block,
 * before its last one, after which the noise is more than the margin below where it was at the start
 * of the block. Margins are in units of the noise's scale.
 *
 * Margins are rounded down to cells, so a dip in this table is a little more likely than a real one.
 * A cell below 0 is a margin that is used up.
 */
#ifndef LOTOR_PRIVACY_RELEASE_DIPS_H
#define LOTOR_PRIVACY_RELEASE_DIPS_H

#include <lotor/status.h>

#include "base/random/generator.h"

enum {
    LOTOR_DIPS_LEVELS = 16, /* the largest block has 2^16 values */
    LOTOR_DIPS_CELLS = 400,
    LOTOR_DIPS_FINENESS = 8 /* cells per unit of margin */
};

typedef struct lotor_dips {
    /* By level: how far the sum of a block's values, each in a range of width 1, can be below its mean
     * at any time in the block. */
    double fall[LOTOR_DIPS_LEVELS + 1];

    double power[LOTOR_DIPS_CELLS + 1]; /* exp(-i / fineness) */

    /* By level and cell of the margin: the probability of a dip in the block. */
    double chance[LOTOR_DIPS_LEVELS + 1][LOTOR_DIPS_CELLS];

    /* The probability that one node moves the margin to a lower cell (`below`), or leaves or raises
     * it (`above`), and that a block of this level, which starts there, has a dip. */
    double below[LOTOR_DIPS_LEVELS][LOTOR_DIPS_CELLS];
    double above[LOTOR_DIPS_LEVELS][LOTOR_DIPS_CELLS];
} lotor_dips;

/* Computes the table. `fall` is wrong with probability at most 1e-12 in all blocks together, if there
 * are at most `horizon` of them. The caller frees the table with lotor_dips_free. */
lotor_status lotor_dips_new(uint64_t horizon, lotor_dips **out);
void lotor_dips_free(lotor_dips *dips);

/* The cell of a margin, which may be below 0. */
int lotor_dips_cell(double margin);

/* Draws the noise of one node, in units of its scale, given that the block of this level which
 * starts after the node has a dip (or that the node itself uses up the margin). The number *cell is
 * the margin before and after. */
double lotor_dips_draw(const lotor_dips *dips, unsigned level, int *cell,
                       lotor_generator *generator);

#endif
