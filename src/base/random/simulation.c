/* simulation.c - see simulation.h. */
#include "base/random/simulation.h"

#include <string.h>

void lotor_simulation_seed(lotor_simulation *simulation, uint64_t seed)
{
    for (int i = 0; i < 4; i++) { /* splitmix64 */
        seed += UINT64_C(0x9e3779b97f4a7c15);
        simulation->state[i] = lotor_mix(seed);
    }
}

void lotor_simulation_jump(lotor_simulation *simulation)
{
    /* The polynomial x^(2^128) modulo that of the generator, published by its authors. */
    static const uint64_t polynomial[4] = {
        UINT64_C(0x180ec6d33cfd0aba),
        UINT64_C(0xd5a61266f0c9392c),
        UINT64_C(0xa9582618e03fc9aa),
        UINT64_C(0x39abdc4529b1661c),
    };
    uint64_t sum[4] = {0, 0, 0, 0};

    for (int i = 0; i < 4; i++) {
        for (int bit = 0; bit < 64; bit++) {
            if ((polynomial[i] >> bit) & 1) {
                for (int j = 0; j < 4; j++) {
                    sum[j] ^= simulation->state[j];
                }
            }
            lotor_simulation_word(simulation);
        }
    }
    memcpy(simulation->state, sum, sizeof sum);
}
