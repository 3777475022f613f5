/* generator.c - see generator.h. */
#include "base/random/generator.h"

#include <string.h>

void lotor_generator_seed(lotor_generator *generator, uint64_t seed)
{
    for (int i = 0; i < 4; i++) { /* splitmix64 */
        seed += UINT64_C(0x9e3779b97f4a7c15);
        generator->state[i] = lotor_mix(seed);
    }
}

void lotor_generator_jump(lotor_generator *generator)
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
                    sum[j] ^= generator->state[j];
                }
            }
            lotor_generator_word(generator);
        }
    }
    memcpy(generator->state, sum, sizeof sum);
}
