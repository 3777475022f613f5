/* hybrid.h - a counter that needs no horizon: the hybrid mechanism (hybrid.md). */
#ifndef LOTOR_PRIVACY_RELEASE_HYBRID_H
#define LOTOR_PRIVACY_RELEASE_HYBRID_H

#include <lotor/ratio.h>

#include "privacy/release/scale.h"
#include "privacy/release/tree.h"

typedef struct lotor_hybrid {
    lotor_release_params params;
    uint64_t count, horizon;
    uint64_t block_scale; /* of the noise on a block, in units */
    lotor_tree *tree;
    int64_t *output;  /* public: the noisy sum of everything so far */
    int64_t *total;   /* the noisy sum of the finished blocks */
    int64_t *pending; /* the exact sum of the unfinished block */
    int64_t *noisy;   /* the block that is being released; 0 afterwards */
} lotor_hybrid;

/* The scale of the noise on a block, in units, and the largest number of values. LOTOR_INVALID and
 * LOTOR_OVERFLOW as lotor_release_scale and lotor_release_fits. */
lotor_status lotor_hybrid_plan(const lotor_release_params *params, lotor_message *why,
                               uint64_t *block_scale, uint64_t *horizon);

/* The statuses of lotor_hybrid_plan, or LOTOR_MEMORY. */
lotor_status lotor_hybrid_new(const lotor_release_params *params, lotor_message *why,
                              lotor_hybrid **out);
void lotor_hybrid_free(lotor_hybrid *hybrid);

/* Adds one value. On LOTOR_HORIZON or LOTOR_ENTROPY nothing changed. */
lotor_status lotor_hybrid_insert(lotor_hybrid *hybrid, const int64_t *value, lotor_noise *noise);

void lotor_hybrid_save(const lotor_hybrid *hybrid, lotor_writer *writer);
void lotor_hybrid_load(lotor_hybrid *hybrid, lotor_reader *reader);

#endif
