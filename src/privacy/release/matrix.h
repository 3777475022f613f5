/* matrix.h - a private running sum of outer products, for jointly private linear learning.
 *
 * A round adds z z', where z = (x, y) is a context and its reward, |z| <= bound. The sum is
 * released to the board after every round, entry by entry: entry (i, j), j <= i, is the fact of
 * statistic 0, arm i(i+1)/2 + j. Internally entries are whole multiples of a power of two: 2^-20,
 * or the finest that fits if a sum or noise could exceed 64 bits. The noise is that of a binary
 * tree:
 *
 *      exact     none (the non-private baseline)
 *      gaussian  symmetric, on every filled node (Shariff and Sheffet 2018, 4.2)
 *      wishart   on every level at all times, filled or not (4.1, corrected: docs/errata.md);
 *                only for simulations
 *      tight     as gaussian, with no more noise than zCDP needs
 *
 * or that of batches, which are released a few times only, and never in part (matrix_batch.h):
 *
 *      batch     symmetric, once on every batch; y^2, the last entry, is never released
 *      separate  as batch, but batch k, counted from 0, stays on the board by itself, as statistic
 *                k; the first batch has another size
 */
#ifndef LOTOR_PRIVACY_RELEASE_MATRIX_H
#define LOTOR_PRIVACY_RELEASE_MATRIX_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/ratio.h>

#include "base/bytes.h"
#include "board/board.h"
#include "privacy/noise/noise.h"
#include "privacy/release/claim.h"

typedef struct lotor_matrix lotor_matrix;

typedef enum lotor_matrix_kind {
    LOTOR_MATRIX_EXACT = 0,
    LOTOR_MATRIX_GAUSSIAN = 1,
    LOTOR_MATRIX_WISHART = 2,
    LOTOR_MATRIX_TIGHT = 3,
    LOTOR_MATRIX_BATCH = 4,
    LOTOR_MATRIX_SEPARATE = 5
} lotor_matrix_kind;

/* "matrix sums", "Gaussian matrix tree" (tight or not), "Wishart matrix tree", "matrix batches"
 * (separate or not); and what is proved. A number that is not a kind has the name "unknown matrix" and
 * no claim. */
const char *lotor_matrix_name(lotor_matrix_kind kind);
lotor_claim lotor_matrix_claim(lotor_matrix_kind kind);

typedef struct lotor_matrix_params {
    lotor_matrix_kind kind;
    size_t size;                /* rows: d + 1; from 2 to 4097 */
    uint64_t horizon;           /* the most rounds, from 1 */
    double bound;               /* the largest |z|, from 2^-5 to 2^64 */
    lotor_ratio epsilon, delta; /* delta in (0,1); not used without noise */
    double noise_scale;         /* by how much the lab divided epsilon to scale noise; 0 means 1 */

    /* Batches only. */
    double context, reward; /* the largest |x| and |y|, from 2^-64 to 2^64 */
    double alpha; /* the learner's probability of failure: the first batch depends on it */
} lotor_matrix_params;

/* The facts about the noise that a learner may know. All of it is public and depends only on the
 * parameters. */
typedef struct lotor_matrix_noise {
    double levels;   /* m = 1 + ceil(log2 horizon); tight: 1 + floor(log2 horizon) */
    double sigma;    /* gaussian: the standard deviation off the diagonal, in the unit of entries */
    double diagonal; /* gaussian: the standard deviation on the diagonal */
    double degrees;  /* wishart: k */

    /* Batches only. */
    double response; /* the standard deviation on the sums of x y */
    double releases; /* J: the largest number of releases; 1 if there is none */
    uint64_t first;  /* n0: the round of the first release; each later round is twice the last */
} lotor_matrix_noise;

/* LOTOR_INVALID: the budget makes no sense. LOTOR_OVERFLOW: sums or noise could exceed 64 bits even
 * in units of bound^2 / 1024. If epsilon is infinite, no noise is added. The caller frees the
 * matrix. */
lotor_status lotor_matrix_new(const lotor_matrix_params *params, lotor_message *why,
                              lotor_matrix **out);
void lotor_matrix_free(lotor_matrix *matrix);

/* Starts again with the same parameters. Numbers that depend only on the parameters are not
 * computed again. */
void lotor_matrix_restart(lotor_matrix *matrix);
lotor_matrix_noise lotor_matrix_noise_of(const lotor_matrix *matrix);

/* The number of entries of the triangle, which is the number of arms of the board. */
size_t lotor_matrix_entries(size_t size);

/* The number of statistics of the board: 1, or the number of separate batches. */
size_t lotor_matrix_statistics(const lotor_matrix *matrix);

/* Called before the first round. Wishart noise exists from the start, and its first release has
 * time 1; for other kinds this does nothing. Wishart needs simulated noise: otherwise
 * LOTOR_INVALID. If the board's journal refuses, call it again: it only posts. */
lotor_status lotor_matrix_start(lotor_matrix *matrix, lotor_noise *noise, lotor_board *board);

/* Feeds round `time`, which must be at least 1 and above the latest round (otherwise
 * LOTOR_INVALID). z has `size` numbers; the caller has checked that they are finite and within the
 * bound. The release has time + 1 as its time, and counts the rounds fed so far. LOTOR_ENTROPY:
 * nothing changed. If the board's journal refuses, the round was fed; call it again with the same
 * round, and it only posts. Nothing is fed twice, and no noise is drawn twice. LOTOR_HORIZON: all
 * rounds are over. LOTOR_INVALID: Wishart noise was not started. Allocates nothing. */
lotor_status lotor_matrix_feed(lotor_matrix *matrix, const double *z, uint64_t time,
                               lotor_noise *noise, lotor_board *board);

/* The matrix's section of a saved state. Loading fills a matrix of the same parameters; if the
 * section does not fit, it marks the reader as damaged. */
void lotor_matrix_save(const lotor_matrix *matrix, lotor_writer *writer);
void lotor_matrix_load(lotor_matrix *matrix, lotor_reader *reader);

#endif
