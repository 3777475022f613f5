/* statistic_bits.c - counts how many of an arm's reports were 1; each report is a bit that may be a
 * lie.
 *
 * No noise is added: the lies are the noise. The proof is that of randomized response
 * (local/bit.md).
 */
#include <stdlib.h>

#include "base/random/laws.h"
#include "privacy/local/bit.h"
#include "privacy/release/statistic_kind.h"

typedef struct bits {
    lotor_bit bit;
    int64_t least; /* the smallest value, in units */
} bits;

static const bits *bits_of(const lotor_statistic *statistic)
{
    return statistic->whole.state;
}

static lotor_status make(lotor_statistic *statistic, const lotor_release_params *params,
                         lotor_message *why, void **state)
{
    lotor_bit bit;
    const lotor_status status = lotor_bit_make(params->epsilon, params->l1, why, &bit);
    if (status != LOTOR_OK) {
        return status;
    }
    bits *made = calloc(1, sizeof *made);
    if (!made) {
        return LOTOR_MEMORY;
    }
    *made = (bits){.bit = bit, .least = params->least};
    statistic->unit = 1.0;
    *state = made;
    return LOTOR_OK;
}

/* How many of `rounds` reports are 1, if so many of the rewards are the largest and the others the
 * smallest. For simulations. */
static uint64_t ones_of(const lotor_bit *bit, uint64_t largest, uint64_t rounds,
                        lotor_generator *generator)
{
    assert(largest <= rounds);
    return lotor_random_binomial(generator, largest, 1.0 - bit->lie) +
           lotor_random_binomial(generator, rounds - largest, bit->lie);
}

static lotor_status insert(const lotor_statistic *statistic, lotor_statistic_part *arm,
                           const int64_t *sum, uint64_t rounds, lotor_noise *noise, bool *due)
{
    (void)due;
    const bits *mine = bits_of(statistic);
    const uint64_t steps = (uint64_t)*sum - (uint64_t)mine->least;
    bool one = false;
    lotor_status status = LOTOR_OK;
    if (rounds > 1) {
        assert(noise->generator);
        const uint64_t all = (uint64_t)*sum - rounds * (uint64_t)mine->least;
        assert(all % mine->bit.width == 0);
        const uint64_t ones = ones_of(&mine->bit, all / mine->bit.width, rounds, noise->generator);
        arm->sum = lotor_release_plus(arm->sum, (int64_t)ones);
        arm->count += rounds;
        return LOTOR_OK;
    }
    if (noise->generator) {
        one = lotor_bit_simulate(&mine->bit, steps, noise->generator);
    } else {
        status = lotor_bit_send(&mine->bit, steps, noise->exact, &one);
    }
    if (status == LOTOR_OK) {
        arm->sum = lotor_release_plus(arm->sum, one);
        arm->count += rounds;
    }
    return status;
}

static lotor_status post(const lotor_statistic *statistic, size_t arm, lotor_board *board)
{
    const lotor_statistic_part *part = &statistic->parts[arm];
    return lotor_statistic_post(statistic, 0, arm, part->sum, part->count, board);
}

static double noise_of(const lotor_statistic *statistic)
{
    return bits_of(statistic)->bit.lie;
}

static bool fits(const lotor_statistic *statistic, size_t arm, const lotor_board *board,
                 uint64_t shown)
{
    const lotor_statistic_part *part = &statistic->parts[arm];
    const lotor_fact *fact = lotor_board_at(board, 0, arm);
    return part->count <= shown && part->sum >= 0 && (uint64_t)part->sum <= part->count &&
           fact->count <= part->count && fact->value >= 0.0 && fact->value <= (double)fact->count &&
           (fact->time > 0) == (fact->count > 0);
}

const lotor_statistic_kind lotor_statistic_bits = {
    .name = "bits",
    .noise = "randomized response (scale: chance of a lie) as",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_BIT, LOTOR_MODEL_LOCAL, LOTOR_CLAIM_RECORDED, NULL},
    .is_at_once = true,
    .records_one = true,
    .report = LOTOR_REPORT_BIT,
    .plan = lotor_statistic_plan_none,
    .make = make,
    .free = free,
    .insert = insert,
    .post = post,
    .noise_of = noise_of,
    .fits = fits,
};
