/* cube.h - up to 64 rewards in one private report, which is a corner of the cube (Duchi, Jordan and
 * Wainwright 2018, with ties on one side only: see cube.md).
 *
 * Each reward is rounded at random to -1 or +1. The report is one of the 2^slots corners. Corners
 * that agree with the rounded rewards in at least `threshold` places are e^epsilon times as likely
 * as the others. If z_i is the i-th sign of the report, (1 + bias z_i)/2 is the i-th reward on
 * average. The report is a pure function of the rewards, the law and the random source.
 */
#ifndef LOTOR_PRIVACY_LOCAL_CUBE_H
#define LOTOR_PRIVACY_LOCAL_CUBE_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/ratio.h>

#include "privacy/noise/noise.h"

enum { LOTOR_CUBE_MAX = 64 };

typedef struct lotor_cube {
    size_t slots;
    lotor_ratio epsilon; /* not infinite */
    size_t threshold;    /* tau: it has the smallest bias; among ties, the smallest tau */
    double bias;         /* B */
    uint64_t inside;     /* N: how many corners agree in at least tau places */
    uint64_t outside;    /* how many do not */
    unsigned doublings;  /* d, for the exact sampler: see cube.md */
    double chance;       /* the probability that the report is inside */
    uint64_t corners[LOTOR_CUBE_MAX + 1]; /* corners[k]: how many agree in exactly k places */
} lotor_cube;

/* LOTOR_INVALID if epsilon is 0 or infinite, or slots is 0 or above 64. */
lotor_status lotor_cube_make(size_t slots, lotor_ratio epsilon, lotor_message *why,
                             lotor_cube *out);

/* Draws one person's report of `count` <= slots rewards parts[i]/whole in [0,1]. Slots without a
 * reward count as 0. Bit i of the report is set if z_i = +1. LOTOR_ENTROPY: there is no report. */
lotor_status lotor_cube_report(const lotor_cube *law, const uint64_t *parts, size_t count,
                               uint64_t whole, lotor_noise *noise, uint64_t *report);

#endif
