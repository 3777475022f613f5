/* watch.h - the course of one simulated campaign.
 *
 * The result has the state of the campaign at some rounds, called frames: the estimate of every
 * arm, how often each arm was shown, and the average reward. The noise is simulated: it protects
 * nobody.
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
    const char *algorithm; /* one with rewards as feedback that can estimate means */
    lotor_ratio epsilon;   /* infinity: without noise */
    size_t arms, slots;
    const double *means; /* per arm: the probability that a person likes it */
    uint64_t rounds;
    size_t frames; /* the most frames */
    uint64_t seed; /* of the people and of the noise */
} lotor_watch_params;

/* One arm in one frame. */
typedef struct lotor_watch_arm {
    double mean, low, high; /* estimate from the releases, and its confidence interval; NaN before
                               the first release */
    uint64_t shown;         /* number of rounds so far that showed this arm */
} lotor_watch_arm;

typedef struct lotor_watch_result {
    size_t frames, arms;
    uint64_t *rounds;        /* per frame: the number of rounds so far; the last frame is the end */
    double *reward;          /* per frame: expected likes per person so far */
    lotor_watch_arm *states; /* frames x arms, frame by frame */
} lotor_watch_result;

/* Runs a simulation; the caller frees the result. The same seed gives the same people and the same
 * noise, but not those of lotor_simulate_run, which plays many runs. LOTOR_UNKNOWN: there is no
 * such algorithm. LOTOR_INVALID: the algorithm does not fit, or a number is out of range. */
LOTOR_API lotor_status lotor_watch_run(const lotor_watch_params *params, lotor_message *why,
                                       lotor_watch_result **out);
LOTOR_API void lotor_watch_free(lotor_watch_result *result);

#ifdef __cplusplus
}
#endif
#endif
