/* randomizer.h - the device's part of the local model: turns feedback into a report.
 *
 * In a local campaign, the decision service sends a randomizer with each decision. The device makes
 * a report with it. Only the report leaves the device.
 */
#ifndef LOTOR_RANDOMIZER_H
#define LOTOR_RANDOMIZER_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/policy.h>
#include <lotor/ratio.h>
#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LOTOR_RANDOMIZER_SLOTS_MAX = 4096 }; /* the most places of a list */

typedef struct lotor_randomizer {
    /* The name of the mechanism, and its reports:
     * - "bit": 0 or 1, about one place
     * - "sum-bit": 0 or 1, about the sum of the rewards of all `slots` places
     * - "click-bit": 0 or 1, about whether anything was clicked
     * - "position": 1..slots, slots+1 for no click
     * - "laplace": integers in units, one per asked arm
     * - "cube": a sign (0 or 1) per slot */
    const char *mechanism;
    size_t slot; /* the place of the list that the report is about, from 1; 0: all places */
    lotor_ratio epsilon;
    uint64_t scale; /* laplace: scale of the noise, in units; else 0 */
    double unit;    /* laplace: size of a unit, on the scale of the rewards; else 0 */
    double low, high;
    size_t slots; /* the most arms of a list: from 1 to LOTOR_RANDOMIZER_SLOTS_MAX */
} lotor_randomizer;

/* Makes one report, with exact noise from the kernel's randomness. `feedback` is the raw feedback:
 * the rewards of the asked arms, or the click if there are no rewards. Writes *count numbers to
 * `report`, which has room for `slots` numbers. Safe from any number of threads.
 *
 * Without a report, *count is 0. LOTOR_INVALID: the randomizer would not keep its epsilon, or a
 * field is out of range. LOTOR_RANGE: the feedback is out of range. LOTOR_ENTROPY: no random bytes.
 *
 * The sender of the randomizer chose its epsilon, slots and range. Compare them with what the
 * person was promised, and with the list, before there is feedback. A click beyond the slots, or a
 * reward outside low..high, gets no report, and a missing report would reveal that feedback. Each
 * call draws new noise: to send a report again, keep it. */
LOTOR_API lotor_status lotor_randomizer_report(const lotor_randomizer *randomizer,
                                               const lotor_feedback *feedback, lotor_message *why,
                                               int64_t *report, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
