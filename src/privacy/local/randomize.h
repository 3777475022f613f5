/* randomize.h - the device's side of the local model: from an answer to a report, by the mechanism that
 * a randomizer names (lotor/randomizer.h).
 *
 *      bit       one reward, or whether the click was at `slot`, as a bit that may lie (bit.md)
 *      position  the click's place by randomized response (position.md)
 *      laplace   one reward, or all, each with discrete Laplace noise (randomize.md)
 *      cube      all rewards as signs (cube.md)
 *
 * A pure function of the randomizer, the answer and the source. It trusts nobody: what it is told must
 * give the epsilon that it is told.
 */
#ifndef LOTOR_PRIVACY_LOCAL_RANDOMIZE_H
#define LOTOR_PRIVACY_LOCAL_RANDOMIZE_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/randomizer.h>

#include "base/source.h"
#include "privacy/encode/encode.h"

#define LOTOR_RANDOMIZE_BIT      "bit"
#define LOTOR_RANDOMIZE_POSITION "position"
#define LOTOR_RANDOMIZE_LAPLACE  "laplace"
#define LOTOR_RANDOMIZE_CUBE     "cube"

/* lotor_randomizer_report with coins from any source. For devices, simulated devices and tests: the
 * service never calls it. */
lotor_status lotor_randomize(const lotor_randomizer *randomizer, const lotor_answer *answer,
                             lotor_source *source, lotor_message *why, int64_t *report,
                             size_t *count);

/* Between which numbers a Laplace report lies: the range of rewards and 64 scales on either side. */
typedef struct lotor_report_range {
    int64_t least, most;
} lotor_report_range;
lotor_report_range lotor_randomize_range(const lotor_encoding *encoding, uint64_t scale);

#endif
