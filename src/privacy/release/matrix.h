/* matrix.h - a private running sum of outer products, for jointly private linear learning.
 *
 * A round adds z z', z = (x, y) a context and its reward, |z| <= bound. The sum is released to the
 * board after every round, entry by entry: the fact of arm i(i+1)/2 + j (j <= i) of statistic 0 is
 * entry (i, j). Inside, entries are whole multiples of a power of two: 2^-20, or, where a sum or noise
 * could pass 64 bits at that, the finest that fits. The noise is that of a binary tree:
 *
 *      exact     none (the non-private baseline)
 *      gaussian  symmetric, on every filled node (Shariff and Sheffet 2018, 4.2)
 *      wishart   on every level at all times, filled or not (4.1, corrected: docs/errata.md);
 *                simulation only
 *      tight     as gaussian, with no more noise than zCDP needs
 *
 * or of batches, released at a few times only and never in part (matrix_batch.h):
 *
 *      batch     symmetric, on every batch once; y^2, the last entry, is never released
 */
#ifndef LOTOR_PRIVACY_RELEASE_MATRIX_H
#define LOTOR_PRIVACY_RELEASE_MATRIX_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/ratio.h>

#include "base/bytes.h"
#include "board/board.h"
#include "privacy/noise/noise.h"

typedef struct lotor_matrix lotor_matrix;

typedef enum lotor_matrix_kind {
    LOTOR_MATRIX_EXACT = 0,
    LOTOR_MATRIX_GAUSSIAN = 1,
    LOTOR_MATRIX_WISHART = 2,
    LOTOR_MATRIX_TIGHT = 3,
    LOTOR_MATRIX_BATCH = 4
} lotor_matrix_kind;

/* "matrix sums", "Gaussian matrix tree" (tight or not), "Wishart matrix tree", "matrix batches". */
const char *lotor_matrix_name(lotor_matrix_kind kind);

typedef struct lotor_matrix_params {
    lotor_matrix_kind kind;
    size_t size;                /* rows: d + 1; from 2 to 4097 */
    uint64_t horizon;           /* rounds at most, from 1 */
    double bound;               /* the largest |z|, from 2^-5 to 2^64 */
    lotor_ratio epsilon, delta; /* delta in (0,1); unused where there is no noise */
    double noise_scale; /* the lab's: by how much epsilon was divided to scale noise; 0 means 1 */

    /* Batches only. */
    double context, reward; /* the largest |x| and |y|, from 2^-64 to 2^64 */
    double alpha; /* the learner's probability of failure: the first batch depends on it */
} lotor_matrix_params;

/* What a learner may know of the noise: all public, from the parameters alone. */
typedef struct lotor_matrix_noise {
    double levels;  /* m = 1 + ceil(log2 horizon); tight: 1 + floor(log2 horizon) */
    double sigma;   /* gaussian: the standard deviation off the diagonal, in the entries' unit */
    double degrees; /* wishart: k */

    /* Batches only. */
    double response; /* the standard deviation on the sums of x y */
    double releases; /* J: how many there are at most, 1 where there is none */
    uint64_t first;  /* n0: the round of the first release; later ones at twice the one before */
} lotor_matrix_noise;

/* LOTOR_INVALID for a budget that makes no sense, LOTOR_OVERFLOW where sums or noise could pass 64
 * bits even in units of bound^2 / 1024. At epsilon = infinity no noise is added. The caller frees
 * it. */
lotor_status lotor_matrix_new(const lotor_matrix_params *params, lotor_message *why,
                              lotor_matrix **out);
void lotor_matrix_free(lotor_matrix *matrix);

/* As new, with the same parameters: what depends on them alone is not worked out again. */
void lotor_matrix_restart(lotor_matrix *matrix);
lotor_matrix_noise lotor_matrix_noise_of(const lotor_matrix *matrix);

/* Entries in the triangle: how many arms its board has. */
size_t lotor_matrix_entries(size_t size);

/* Before the first round. Wishart noise is there from the start: its first release has time 1. The
 * others do nothing. Wishart needs simulated noise: LOTOR_INVALID. When the board's journal refuses,
 * the same call again only posts. */
lotor_status lotor_matrix_start(lotor_matrix *matrix, lotor_noise *noise, lotor_board *board);

/* Feeds round `time`, from 1 and above the latest one (else LOTOR_INVALID): z has `size` numbers,
 * finite and within the bound (the caller has checked). The release is dated time + 1 and counts the
 * rounds that are in. On LOTOR_ENTROPY nothing changed; when the board's journal refuses, the round
 * is in, and the same call again only posts: nothing is fed twice, and no noise is drawn twice.
 * LOTOR_HORIZON when all rounds are over, LOTOR_INVALID for Wishart noise that was not started.
 * Allocates nothing. */
lotor_status lotor_matrix_feed(lotor_matrix *matrix, const double *z, uint64_t time,
                               lotor_noise *noise, lotor_board *board);

/* Its section of a saved state. Loading fills a matrix of the same parameters, or marks the reader
 * as damaged. */
void lotor_matrix_save(const lotor_matrix *matrix, lotor_writer *writer);
void lotor_matrix_load(lotor_matrix *matrix, lotor_reader *reader);

#endif
