/* randomizer.h - what a person's device does in the local model before anything is sent, with coins
 * from any source: lotor_randomizer_report with the secure one.
 */
#ifndef LOTOR_BASE_RANDOMIZER_H
#define LOTOR_BASE_RANDOMIZER_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/randomizer.h>

#include "base/source.h"

/* privacy/local/randomize.c: lotor_randomizer_report with this source. The service never calls it. */
lotor_status lotor_randomize(const lotor_randomizer *randomizer, const lotor_answer *answer,
                             lotor_source *source, lotor_message *why, int64_t *report,
                             size_t *count);

#endif
