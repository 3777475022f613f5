/* checkpoints.h - the rounds at which a run is recorded. */
#ifndef LOTOR_LAB_CHECKPOINTS_H
#define LOTOR_LAB_CHECKPOINTS_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

/* Makes about `wanted` (0: 50) increasing, log-spaced rounds from 1 to `horizon`, which is the last
 * one. The caller frees *times. */
lotor_status lotor_checkpoint_times(uint64_t horizon, size_t wanted, uint64_t **times,
                                    size_t *count);

/* Makes the rounds that a text asks for (lotor_simulate_params.checkpoints_at), or those above if
 * it is NULL. They are increasing, and the last one is `horizon`. The caller frees *times.
 * LOTOR_INVALID: the text makes no sense, asks for more than LOTOR_SIMULATE_CHECKPOINTS_MAX, or for a
 * round past the horizon. */
lotor_status lotor_checkpoints_read(const char *text, size_t wanted, uint64_t horizon,
                                    lotor_message *why, uint64_t **times, size_t *count);

#endif
