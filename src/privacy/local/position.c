/* position.c - randomized response on the position of a click (position.h; position.md has the
 * proof). */
#include "privacy/local/position.h"

#include <assert.h>
#include <math.h>

#include "base/message.h"
#include "base/random/laws.h"
#include "base/ratio.h"
#include "privacy/local/coin.h"
#include "privacy/local/steady.h"

lotor_status lotor_position_make(size_t slots, lotor_ratio epsilon, lotor_message *why,
                                 lotor_position *out)
{
    if (slots == 0 || epsilon.num == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a click's place needs a list of at least 1 item and an epsilon above 0");
    }
    const double value = lotor_ratio_to_double(epsilon), others = (double)slots;
    const double lie = exp(-value); /* P(a given other place) / P(the true place) */
    *out = (lotor_position){
        .slots = slots,
        .epsilon = epsilon,
        .truth = 1.0 / (1.0 + others * lie),
        .spread = (1.0 + others * lie) / -expm1(-value),
        .share = lie / -expm1(-value),
    };
    assert(out->truth >= 0.0 && out->truth <= 1.0);
    return LOTOR_OK;
}

/* Proposes a place by how far it is after the true place, counted around the list. Distance 0 is
 * the truth and is accepted; another distance is accepted with probability e^-epsilon. So the coins
 * do not depend on the true place. */
static size_t report_exactly(const lotor_position *law, size_t place, lotor_source *source)
{
    const size_t places = law->slots + 1;
    for (;;) {
        const size_t ahead = (size_t)lotor_steady_below(source, places);
        if (lotor_steady_accepts(source, law->epsilon, 0, ahead == 0)) {
            const size_t reached = place + ahead;
            return reached - (size_t)lotor_steady_select(reached > places, places, 0);
        }
    }
}

/* The same law, up to rounding, from one random word. */
static size_t report_fast(const lotor_position *law, size_t place, lotor_generator *generator)
{
    const double u = lotor_random_uniform(generator);
    if (u < law->truth) {
        return place;
    }
    const double others = (double)law->slots;
    const double at = floor((u - law->truth) / (1.0 - law->truth) * others);
    const size_t other = 1 + (size_t)fmin(at, others - 1.0);
    return other < place ? other : other + 1;
}

lotor_status lotor_position_report(const lotor_position *law, size_t place, lotor_noise *noise,
                                   size_t *report)
{
    assert(place >= 1 && place <= law->slots + 1);
    if (lotor_ratio_is_infinite(law->epsilon)) {
        *report = place;
        return LOTOR_OK;
    }
    *report = noise->generator ? report_fast(law, place, noise->generator)
                               : report_exactly(law, place, noise->exact);
    assert(*report >= 1 && *report <= law->slots + 1);
    return lotor_coin_status(noise);
}
