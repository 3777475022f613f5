/* randomizer.h - the person's side of the local model: from an answer to a report that may be sent.
 *
 * A decision service tells a randomizer with each decision of a local campaign; the device makes a
 * report with it, and only the report leaves the device.
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

enum { LOTOR_RANDOMIZER_SLOTS = 4096 }; /* the most that a list may have */

typedef struct lotor_randomizer {
    const char *mechanism; /* "bit": 0 or 1; "position": 1..slots, slots+1 for no click; "laplace":
                              integers in units, one per asked arm; "cube": a sign (0 or 1) per slot */
    size_t slot;           /* which place of the list the report is about, from 1; 0: all */
    lotor_ratio epsilon;
    uint64_t scale; /* laplace: of the noise, in units; else 0 */
    double unit;    /* laplace: the size of a unit in the reward's own unit; else 0 */
    double low, high;
    size_t slots; /* the most arms of a list: from 1 to LOTOR_RANDOMIZER_SLOTS */
} lotor_randomizer;

/* One report, with exact noise from the kernel's randomness: writes `*count` numbers (at most slots:
 * `report` has room for them) from a raw answer: the rewards that were asked for, or, with none, the
 * click. Without a report *count is 0. LOTOR_INVALID: a
 * randomizer that would not keep its epsilon, or makes no sense; LOTOR_RANGE: the answer; LOTOR_ENTROPY:
 * there is no report. Threads: may be called by any number at once.
 *
 * Who told the randomizer chose its epsilon, slots and range: compare them with what the person was
 * promised, and with the list, before there is an answer. A click beyond the slots, or a reward outside
 * low..high, has no report, and that none comes would tell it. Each call draws anew: keep the report to
 * send it again. */
LOTOR_API lotor_status lotor_randomizer_report(const lotor_randomizer *randomizer,
                                               const lotor_answer *answer, lotor_message *why,
                                               int64_t *report, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
