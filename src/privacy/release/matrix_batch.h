/* matrix_batch.h - sums of x x' and of x y, released in a few batches that double.
 *
 * The sums of rounds 1..n0 are released after round n0, those of n0+1..2n0 after round 2n0, and so
 * on. Every round is in one release, so its noise does not grow with the number of releases. The
 * board has the sum of the releases so far, as statistic 0; or, for separate batches, release k,
 * counted from 0, as statistic k. The times are public: they depend only on parameters. Rounds
 * after the last release are never released, and not kept. matrix_batch.md has the proof.
 */
#ifndef LOTOR_PRIVACY_RELEASE_MATRIX_BATCH_H
#define LOTOR_PRIVACY_RELEASE_MATRIX_BATCH_H

#include "privacy/release/matrix.h"

typedef struct lotor_matrix_batch lotor_matrix_batch;

/* The units, the noise and the times of the releases. */
typedef struct lotor_matrix_batch_plan {
    double gram_unit, response_unit; /* powers of two: entries are whole multiples of these */
    uint64_t largest;                /* no entry of a round has more units than this */
    uint64_t off_diagonal,
        diagonal;      /* scales of the noise on the Gram matrix of a batch, in units */
    uint64_t response; /* scale of the noise on its sum of x y; 0: no noise */
    uint64_t first;    /* n0, a power of two */
    uint64_t last;     /* the round of the last release; 0: there is no release */
    unsigned releases; /* J, at least 1 */
} lotor_matrix_batch_plan;

/* The statuses of lotor_matrix_new, except LOTOR_MEMORY. */
lotor_status lotor_matrix_batch_plan_make(const lotor_matrix_params *params, lotor_message *why,
                                          lotor_matrix_batch_plan *plan);

/* The same contracts as the functions of matrix.h. */
lotor_status lotor_matrix_batch_new(const lotor_matrix_params *params, lotor_message *why,
                                    lotor_matrix_batch **out);
void lotor_matrix_batch_free(lotor_matrix_batch *batch);
void lotor_matrix_batch_restart(lotor_matrix_batch *batch);
lotor_matrix_noise lotor_matrix_batch_noise(const lotor_matrix_batch *batch);
size_t lotor_matrix_batch_statistics(const lotor_matrix_batch *batch);
lotor_status lotor_matrix_batch_feed(lotor_matrix_batch *batch, const double *z, uint64_t time,
                                     lotor_noise *noise, lotor_board *board);
void lotor_matrix_batch_save(const lotor_matrix_batch *batch, lotor_writer *writer);
void lotor_matrix_batch_load(lotor_matrix_batch *batch, lotor_reader *reader);

#endif
