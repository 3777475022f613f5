/* matrix_batch.h - sums of x x' and of x y, released in a few batches that double.
 *
 * The sums of rounds 1..n0 are released after round n0, those of n0+1..2n0 after round 2n0, and so on:
 * every round is in one release, so its noise does not grow with their number. What the board has is
 * the sum of the releases so far. The times are public: they depend on parameters alone. What comes
 * after the last of them is never released, and not kept either. The proof is in matrix_batch.md.
 */
#ifndef LOTOR_PRIVACY_RELEASE_MATRIX_BATCH_H
#define LOTOR_PRIVACY_RELEASE_MATRIX_BATCH_H

#include "privacy/release/matrix.h"

typedef struct lotor_matrix_batch lotor_matrix_batch;

/* How fine it counts, how much noise it needs, and when it releases. */
typedef struct lotor_batch_plan {
    double gram_unit, response_unit; /* powers of two: entries are whole multiples of these */
    uint64_t largest;                /* no entry of a round passes so many units */
    uint64_t off_diagonal, diagonal; /* scales of the noise on a batch's Gram matrix, in units */
    uint64_t response;               /* and on its sum of x y; 0: none */
    uint64_t first;                  /* n0, a power of two */
    uint64_t last;                   /* the round of the last release; 0: there is none */
    unsigned releases;               /* J, at least 1 */
} lotor_batch_plan;

/* The statuses of lotor_matrix_new, but for LOTOR_MEMORY. */
lotor_status lotor_batch_plan_make(const lotor_matrix_params *params, lotor_message *why,
                                   lotor_batch_plan *plan);

/* As the functions of matrix.h. */
lotor_status lotor_matrix_batch_new(const lotor_matrix_params *params, lotor_message *why,
                                    lotor_matrix_batch **out);
void lotor_matrix_batch_free(lotor_matrix_batch *batch);
void lotor_matrix_batch_restart(lotor_matrix_batch *batch);
lotor_matrix_noise lotor_matrix_batch_noise(const lotor_matrix_batch *batch);
lotor_status lotor_matrix_batch_feed(lotor_matrix_batch *batch, const double *z, uint64_t time,
                                     lotor_noise *noise, lotor_board *board);
void lotor_matrix_batch_save(const lotor_matrix_batch *batch, lotor_writer *writer);
void lotor_matrix_batch_load(lotor_matrix_batch *batch, lotor_reader *reader);

#endif
