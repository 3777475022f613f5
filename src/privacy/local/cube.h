/* cube.h - up to 64 rewards in one private report, a corner of the cube (Duchi, Jordan and
 * Wainwright 2018, with ties on one side only: see cube.md).
 *
 * Every reward is rounded at random to -1 or +1. The report is one of the 2^slots corners: those that
 * agree with the rounded rewards in at least `threshold` places are e^epsilon times as likely as the
 * others. A reward is then (1 + bias z_i)/2 on average, z_i the report's i-th sign. A pure function of
 * the rewards, the law and the coins: it needs nothing else of the library.
 */
#ifndef LOTOR_PRIVACY_LOCAL_CUBE_H
#define LOTOR_PRIVACY_LOCAL_CUBE_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/ratio.h>

#include "privacy/noise/noise.h"

enum { LOTOR_CUBE_MOST = 64 };

typedef struct lotor_cube {
    size_t slots;
    lotor_ratio epsilon;                   /* not infinite */
    size_t threshold;                      /* tau: the one of least bias, the smallest of those */
    double bias;                           /* B */
    uint64_t inside;                       /* corners that agree in at least tau places */
    uint64_t outside;                      /* the others */
    unsigned doublings;                    /* of the inside, in the exact sampler: see cube.md */
    double chance;                         /* that the report is inside */
    uint64_t corners[LOTOR_CUBE_MOST + 1]; /* that agree in so many places */
} lotor_cube;

/* LOTOR_INVALID for epsilon = 0 or infinity, no slots, or more than 64. */
lotor_status lotor_cube_make(size_t slots, lotor_ratio epsilon, lotor_message *why,
                             lotor_cube *out);

/* One person's report of `count` <= slots rewards parts[i]/whole in [0,1]; slots without a reward
 * count as 0. Bit i of the report is set where z_i = +1. On LOTOR_ENTROPY there is none. */
lotor_status lotor_cube_report(const lotor_cube *law, const uint64_t *parts, size_t count,
                               uint64_t whole, lotor_noise *noise, uint64_t *report);

#endif
