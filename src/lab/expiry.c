/* expiry.c - see expiry.h. */
#include "lab/expiry.h"

#include "base/digits.h"
#include "base/message.h"
#include "base/random/laws.h"

lotor_status lotor_expiry_read(const lotor_simulate_params *asked, lotor_message *why,
                               lotor_delay *delay, double *lost)
{
    *lost = 0.0;
    const lotor_status status = lotor_delay_read(asked->delay, why, delay);
    if (status != LOTOR_OK) {
        return status;
    }
    char digits[LOTOR_DIGITS_ROOM];
    if (!(asked->missing >= 0.0 && asked->missing <= 1.0)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "missing %s: expected the share of rounds without feedback, from 0 to 1",
                          lotor_digits(asked->missing, digits));
    }
    if (asked->missing > 0.0 && !asked->has_expiry) {
        return lotor_fail(LOTOR_INVALID, why,
                          "missing %s: the first round without feedback would hold up all later "
                          "rounds forever: give an expiry in rounds, such as 0 or 1000",
                          lotor_digits(asked->missing, digits));
    }
    if (!asked->has_expiry) {
        return LOTOR_OK;
    }
    if (asked->expiry > LOTOR_SIMULATE_ROUNDS_MAX) {
        return lotor_fail(LOTOR_INVALID, why,
                          "expiry %llu: expected a number of rounds of at most 2^53",
                          (unsigned long long)asked->expiry);
    }
    *lost = asked->missing + (1.0 - asked->missing) * lotor_delay_beyond(delay, asked->expiry);
    *delay = (lotor_delay){.law = LOTOR_DELAY_FIXED, .most = asked->expiry};
    return LOTOR_OK;
}

lotor_losses lotor_losses_of(double share, uint64_t seed)
{
    lotor_losses losses = {.share = share};
    lotor_generator_seed(&losses.generator, lotor_mix(seed ^ UINT64_C(0x6c6f73742d6f6e65)));
    return losses;
}

uint64_t lotor_losses_draw(lotor_losses *losses, uint64_t rounds)
{
    if (losses->share == 0.0) {
        return 0;
    }
    if (rounds == 1) {
        return lotor_random_uniform(&losses->generator) < losses->share;
    }
    return lotor_random_binomial(&losses->generator, rounds, losses->share);
}
