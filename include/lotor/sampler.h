/* sampler.h - samples of the exact noise that private releases use.
 *
 *     lotor_sampler_params params = {.law = "discrete-laplace", .size = lotor_ratio_of(3, 1)};
 *     lotor_sampler *sampler = NULL;
 *     int64_t noise;
 *     if (lotor_sampler_new(&params, &why, &sampler) == LOTOR_OK &&
 *         lotor_sampler_draw(sampler, &why, &noise) == LOTOR_OK)
 *         ...
 *     lotor_sampler_free(sampler);
 *
 * The samples follow the stated law exactly, in integer arithmetic (Canonne, Kamath and Steinke
 * 2020). They come from a cryptographic source without a seed: nobody can repeat them.
 *
 * Threads: a sampler may be used by one thread at a time; different samplers are independent.
 */
#ifndef LOTOR_SAMPLER_H
#define LOTOR_SAMPLER_H

#include <stdint.h>

#include <lotor/ratio.h>
#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lotor_sampler lotor_sampler;

typedef struct lotor_sampler_params {
    const char *law;  /* "discrete-laplace": P(x) falls like exp(-|x|/size);
                         "discrete-gaussian": like exp(-x^2/(2 size^2));
                         "geometric": failures before the first success of probability size */
    lotor_ratio size; /* above 0: the scale, the deviation, or the probability of success */
} lotor_sampler_params;

/* Makes a sampler; the caller frees it. `params` is not needed afterwards. LOTOR_UNKNOWN: there is
 * no exact sampler for this law. LOTOR_INVALID: the size is out of range; the message says what is
 * allowed. LOTOR_ENTROPY: the kernel gave no random bytes. */
LOTOR_API lotor_status lotor_sampler_new(const lotor_sampler_params *params, lotor_message *why,
                                         lotor_sampler **out);
LOTOR_API void lotor_sampler_free(lotor_sampler *sampler);

/* Draws one sample. LOTOR_ENTROPY: the kernel gave no random bytes; *out is not written. */
LOTOR_API lotor_status lotor_sampler_draw(lotor_sampler *sampler, lotor_message *why, int64_t *out);

#ifdef __cplusplus
}
#endif
#endif
