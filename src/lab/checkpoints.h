/* checkpoints.h - the rounds at which the regret is recorded. */
#ifndef LOTOR_LAB_CHECKPOINTS_H
#define LOTOR_LAB_CHECKPOINTS_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

/* Makes about `wanted` (0: 50) increasing, log-spaced rounds from 1 to `horizon`, which is the last
 * one. The caller frees *times. */
lotor_status lotor_checkpoint_times(uint64_t horizon, size_t wanted, uint64_t **times,
                                    size_t *count);

#endif
