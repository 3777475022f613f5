/* couple.h - coupled worlds: an exact check of the proof behind an algorithm's privacy claim.
 *
 * Two worlds play the same random trace. They differ in one round's feedback, and the noise of the
 * second world is chosen so that both release the same numbers. Then everything that is published
 * must be the same, and the distance of the exact numbers, in scales of their noise, must be at most
 * what the claim allows. A trace that breaks this is a counterexample: no confidence is involved.
 * If all traces hold, that does not prove the claim, but it is evidence about every step of its
 * proof.
 */
#ifndef LOTOR_COUPLE_H
#define LOTOR_COUPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits, and the defaults for fields that are 0. */
#define LOTOR_COUPLE_TRACES_DEFAULT 2000
#define LOTOR_COUPLE_TRACES_MAX     (UINT64_C(1) << 40)
#define LOTOR_COUPLE_SEED_DEFAULT   1

/* Zeroed fields take their defaults. */
typedef struct lotor_couple_params {
    const char *algorithm;
    uint64_t traces;
    uint64_t seed;      /* trace i has a seed of its own, drawn from this one and i */
    size_t threads;     /* 0: one per core */
    double noise_scale; /* multiplies the noise but not the claim; 0 means 1, the correct noise */

    /* Called from time to time, from the calling thread, with the finished share in [0,1]. Return
     * true to stop (LOTOR_STOPPED). May be NULL. */
    bool (*progress)(void *progress_context, double share);
    void *progress_context;
    const struct lotor_catalog *catalog; /* own algorithms, as in lotor_policy_params; or NULL */
} lotor_couple_params;

typedef struct lotor_couple_result {
    bool is_violated; /* a trace broke the proof */
    bool is_claimed;  /* the algorithm claims to be private; false: a violation is expected */
    bool is_table;    /* reports are coins: the exact table of their probabilities was checked */

    /* The largest distance of a trace divided by the distance that the claim allows: 1 where the
     * claim is tight. INFINITY: a number without noise moved, or something else that is published
     * differed. */
    double worst;
    uint64_t traces;  /* how many were played; of a table: pairs of probabilities */
    uint64_t telling; /* traces in which the replaced round was in a release; 0: nothing was seen */
    uint64_t violations; /* how many of them broke the proof */
    uint64_t releases;   /* released numbers that were compared */
    uint64_t decisions;  /* decisions that were compared */

    /* The first violation: the number of its trace, what happened, and in which setting. */
    uint64_t violating_trace;
    char violation[300];
    char setting[400];
    double seconds;
} lotor_couple_result;

/* Plays traces. *out is written only on success. LOTOR_UNKNOWN: no such algorithm. LOTOR_INVALID: a
 * number is out of range. */
LOTOR_API lotor_status lotor_couple_run(const lotor_couple_params *params, lotor_message *why,
                                        lotor_couple_result *out);

#ifdef __cplusplus
}
#endif
#endif
