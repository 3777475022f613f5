/* watch.h - one simulated campaign, looked at while it learns.
 *
 * At some rounds, called frames, the result has what is known of every arm by then, how often each arm
 * was shown, and what people got. The noise is simulated: it protects nobody.
 */
#ifndef LOTOR_WATCH_H
#define LOTOR_WATCH_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/ratio.h>
#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lotor_watch_params {
    const char *algorithm; /* one that gets rewards as feedback and can estimate means */
    lotor_ratio epsilon;   /* infinity: without noise */
    size_t arms, slots;
    const double *means; /* arms: the probability that a person likes each */
    uint64_t rounds;
    size_t frames; /* at most */
    uint64_t seed; /* of the people and of the noise */
} lotor_watch_params;

/* One arm in one frame. */
typedef struct lotor_watch_arm {
    double mean, low,
        high;       /* estimated from the releases, and a confidence interval; NaN: nothing was
                               released yet */
    uint64_t shown; /* rounds so far */
} lotor_watch_arm;

typedef struct lotor_watch_result {
    size_t frames, arms;
    uint64_t *rounds;        /* frames: after how many rounds; the last is the end */
    double *reward;          /* frames: expected likes per person so far */
    lotor_watch_arm *states; /* frames x arms, frame by frame */
} lotor_watch_result;

/* The caller frees the result. The same seed gives the same people and the same noise; those of
 * lotor_simulate_run, which plays many runs, are others. LOTOR_UNKNOWN: no such algorithm;
 * LOTOR_INVALID: the algorithm does not fit, or a number makes no sense. */
LOTOR_API lotor_status lotor_watch_run(const lotor_watch_params *params, lotor_message *why,
                                       lotor_watch_result **out);
LOTOR_API void lotor_watch_free(lotor_watch_result *result);

#ifdef __cplusplus
}
#endif
#endif
