/* randomize.h - the device's side of the local model: from an answer to a report, by the mechanism that
 * a randomizer names (base/randomizer.h).
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

#include "base/randomizer.h"
#include "privacy/encode/encode.h"

#define LOTOR_RANDOMIZE_BIT      "bit"
#define LOTOR_RANDOMIZE_POSITION "position"
#define LOTOR_RANDOMIZE_LAPLACE  "laplace"
#define LOTOR_RANDOMIZE_CUBE     "cube"

/* Between which numbers a Laplace report lies: the range of rewards and 64 scales on either side. */
typedef struct lotor_report_range {
    int64_t least, most;
} lotor_report_range;
lotor_report_range lotor_randomize_range(const lotor_encoding *encoding, uint64_t scale);

#endif
