/* randomize.h - what a person's device does in the local model: it turns feedback into a private
 * report, with the mechanism that a randomizer names (lotor/randomizer.h).
 *
 *      bit       one reward, or whether the click was at `slot`, by randomized response (bit.md)
 *      sum-bit   the sum of all rewards, by randomized response (bit.md)
 *      click-bit whether anything was clicked, by randomized response (bit.md)
 *      position  the position of the click, by randomized response (position.md)
 *      laplace   one reward, or all rewards, each with discrete Laplace noise (randomize.md)
 *      cube      all rewards, as signs (cube.md)
 *
 * The report is a pure function of the randomizer, the feedback and the random source. The device
 * does not trust the server: it checks that the randomizer really gives the epsilon that it states.
 */
#ifndef LOTOR_PRIVACY_LOCAL_RANDOMIZE_H
#define LOTOR_PRIVACY_LOCAL_RANDOMIZE_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/randomizer.h>

#include "base/source.h"
#include "privacy/encode/encode.h"

#define LOTOR_RANDOMIZE_BIT       "bit"
#define LOTOR_RANDOMIZE_SUM_BIT   "sum-bit"
#define LOTOR_RANDOMIZE_CLICK_BIT "click-bit"
#define LOTOR_RANDOMIZE_POSITION  "position"
#define LOTOR_RANDOMIZE_LAPLACE   "laplace"
#define LOTOR_RANDOMIZE_CUBE      "cube"

/* lotor_randomizer_report with any random source. For devices, simulated devices and tests. The
 * service never calls it. */
lotor_status lotor_randomize(const lotor_randomizer *randomizer, const lotor_feedback *feedback,
                             lotor_source *source, lotor_message *why, int64_t *report,
                             size_t *count);

/* The bounds of a Laplace report: the range of rewards, and 64 scales on either side. */
typedef struct lotor_report_range {
    int64_t least, most;
} lotor_report_range;
lotor_report_range lotor_randomize_range(const lotor_encoding *encoding, uint64_t scale);

#endif
