/* seeded.c - policies with a seed, for simulations (lotor/experimental/lab.h).
 *
 * A seeded policy owns its generator. That marks it as a simulation: its promise is "not private"
 * (promise.c), and its saved state is of another kind, which lotor_policy_load and the service
 * refuse (save.c).
 */
#include <lotor/experimental/lab.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "policy/policy.h"

lotor_status lotor_lab_policy_new(const lotor_policy_params *params, uint64_t seed,
                                  lotor_message *why, lotor_policy **out)
{
    *out = NULL;
    lotor_status status =
        lotor_policy_refuse_no_delta(lotor_policy_row(params), params->delta, why);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_generator *generator = malloc(sizeof *generator);
    if (!generator) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a policy");
    }
    lotor_generator_seed(generator, seed);
    const uint64_t ties = lotor_generator_word(generator);
    status = lotor_policy_new_simulated(params, 1.0, generator, ties, why, out);
    if (status != LOTOR_OK) {
        free(generator);
        return status;
    }
    (*out)->seeded = generator;
    return LOTOR_OK;
}

void lotor_seeded_save(const lotor_policy *policy, lotor_writer *writer)
{
    assert(policy->seeded && policy->noise.generator == policy->seeded);
    for (size_t i = 0; i < 4; i++) {
        lotor_write_u64(writer, policy->seeded->state[i]);
    }
    for (size_t law = 0; law < 2; law++) {
        lotor_write_u64(writer, policy->noise.stocked[law]);
        for (size_t i = 0; i < policy->noise.stocked[law]; i++) {
            lotor_write_double(writer, policy->noise.stock[law][i]);
        }
    }
}

void lotor_seeded_load(lotor_policy *policy, lotor_reader *reader)
{
    uint64_t any = 0;
    for (size_t i = 0; i < 4; i++) {
        policy->noise.generator->state[i] = lotor_read_u64(reader);
        any |= policy->noise.generator->state[i];
    }
    lotor_read_expect(reader, any != 0); /* the generator would give zeros for ever */
    for (size_t law = 0; law < 2; law++) {
        const uint64_t stocked = lotor_read_u64(reader);
        lotor_read_expect(reader, stocked <= LOTOR_NOISE_STOCK);
        policy->noise.stocked[law] = reader->status == LOTOR_OK ? (size_t)stocked : 0;
        for (size_t i = 0; i < policy->noise.stocked[law]; i++) {
            policy->noise.stock[law][i] = lotor_read_double(reader);
            lotor_read_expect(reader, isfinite(policy->noise.stock[law][i]));
        }
    }
}

lotor_status lotor_lab_policy_load(const unsigned char *bytes, size_t length,
                                   const lotor_policy_params *custom, lotor_message *why,
                                   lotor_policy **out)
{
    *out = NULL;
    if (!lotor_bytes_are(LOTOR_SEEDED_KIND, bytes, length)) {
        return lotor_fail(
            LOTOR_DAMAGED, why,
            "these are not the bytes of a policy with a seed: lotor_policy_load loads "
            "policies without one");
    }
    lotor_generator *generator = malloc(sizeof *generator);
    if (!generator) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to load a policy");
    }
    lotor_generator_seed(generator, 0); /* making the parts may draw; the state is loaded then */
    const lotor_status status =
        lotor_policy_load_with(bytes, length, custom, lotor_noise_simulated(generator), why, out);
    if (status != LOTOR_OK) {
        free(generator);
        return status;
    }
    (*out)->seeded = generator;
    return LOTOR_OK;
}
