/* expiry.h - rounds that become final without feedback.
 *
 *      round                            1   2   3   4
 *      delay                            2   9   0   missing
 *      is final, with an expiry of 5    6   7   8   9
 *      counts with                      its feedback, default, its feedback, default
 *
 * With an expiry, every round is final that many rounds after its display, whether feedback has come
 * or not: that is what the service does (`wait_seconds`). Feedback that would come later, or not at
 * all, is lost, and the default reward counts. Delays are independent, so each round loses its
 * feedback with the same probability, independently of all others.
 */
#ifndef LOTOR_LAB_EXPIRY_H
#define LOTOR_LAB_EXPIRY_H

#include <lotor/simulate.h>

#include "base/random/generator.h"
#include "lab/delay.h"

/* Reads the delay, the expiry and the share of missing feedback. *delay is how long rounds wait, and
 * *lost the probability that a round has no feedback by then. LOTOR_INVALID: the message starts with
 * "delay", "expiry" or "missing". */
lotor_status lotor_expiry_read(const lotor_simulate_params *asked, lotor_message *why,
                               lotor_delay *delay, double *lost);

/* Draws which rounds lose their feedback. */
typedef struct lotor_losses {
    double share;
    lotor_generator generator;
} lotor_losses;
lotor_losses lotor_losses_of(double share, uint64_t seed);

/* How many of the next `rounds` rounds lose their feedback. Draws nothing if the share is 0. */
uint64_t lotor_losses_draw(lotor_losses *losses, uint64_t rounds);

#endif
