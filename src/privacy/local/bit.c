/* bit.c - randomized response on one reward (bit.h).
 *
 * Sensitivity and noise: two rewards give, in the worst case, the bits 0 and 1. The probabilities
 * of a sent bit under the two differ by at most the factor p / (1-p) = e^epsilon.
 */
#include "privacy/local/bit.h"

#include <assert.h>
#include <math.h>

#include "base/message.h"
#include "privacy/local/steady.h"

lotor_status lotor_bit_make(lotor_ratio epsilon, uint64_t width, lotor_message *why, lotor_bit *out)
{
    if (epsilon.num == 0 || width == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          epsilon.num == 0 ? "epsilon must be above 0: at 0 nothing could be sent"
                                           : "a reward needs a range to be rounded in");
    }
    *out = (lotor_bit){epsilon, width, 1.0 / (1.0 + exp(lotor_ratio_to_double(epsilon)))};
    assert(out->lie >= 0.0 && out->lie <= 0.5);
    return LOTOR_OK;
}

/* Decides whether to lie. A fair coin proposes the truth or a lie. A lie is accepted with
 * probability exp(-epsilon); otherwise the coin is tossed again. So P(lie) : P(truth) =
 * exp(-epsilon) : 1. The number of proposals does not depend on which one is accepted. */
static bool lies(const lotor_bit *bit, lotor_source *source)
{
    if (lotor_ratio_is_infinite(bit->epsilon)) {
        return false;
    }
    for (;;) {
        const bool lie = lotor_steady_below(source, 2) == 1;
        if (lotor_steady_accepts(source, bit->epsilon, 0, !lie)) {
            return lie;
        }
    }
}

lotor_status lotor_bit_send(const lotor_bit *bit, uint64_t steps, lotor_source *source, bool *out)
{
    assert(steps <= bit->width);
    const bool truth = lotor_steady_bernoulli(source, steps, bit->width);
    *out = truth ^ lies(bit, source);
    return source->status;
}

bool lotor_bit_simulate(const lotor_bit *bit, uint64_t steps, lotor_generator *generator)
{
    const double chance = bit->lie + (1.0 - 2.0 * bit->lie) * ((double)steps / (double)bit->width);
    return (double)(lotor_generator_word(generator) >> 11) * 0x1p-53 < chance;
}
