/* counter.h - private counting: a running sum that anyone may see.
 *
 *     lotor_counter_params params = {.mechanism = "tree",
 *                                    .epsilon = lotor_ratio_of(1, 1),
 *                                    .horizon = 100000,
 *                                    .low = 0.0,
 *                                    .high = 1.0};
 *     lotor_counter *counter = NULL;
 *     lotor_message why;
 *     if (lotor_counter_new(&params, &why, &counter) != LOTOR_OK)
 *         fprintf(stderr, "%s\n", why.text);
 *     lotor_counter_add(counter, 1.0, &why);
 *     printf("%f\n", lotor_counter_value(counter));
 *     lotor_counter_free(counter);
 *
 * Values enter as integers of 2^-20 (finer for ranges narrower than 1, coarser for values beyond
 * 2^11: 2^-31 of the range's farther end), sums of those are exact, and the noise is an exact
 * integer sample from a cryptographic source, so no floating-point artefact can leak. One value in
 * the stream is protected: replacing it changes the law of everything that the counter ever outputs
 * by at most the factor e^epsilon (and delta).
 *
 * Threads: a counter may be used by one thread at a time; different counters are independent.
 */
#ifndef LOTOR_COUNTER_H
#define LOTOR_COUNTER_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/guarantee.h>
#include <lotor/ratio.h>
#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lotor_counter lotor_counter;

typedef struct lotor_counter_params {
    const char *mechanism; /* "tree", "hybrid", "batch" or "gaussian-tree" */
    lotor_ratio epsilon;   /* > 0; infinity adds no noise */
    lotor_ratio delta;     /* in (0,1) for gaussian-tree, 0 for the others */
    uint64_t horizon;      /* how many values at most; 0 (none) only for hybrid and batch */
    double low, high;      /* the declared range of a value, low < high */
} lotor_counter_params;

/* NULL when the parameters are fine, else why->text (`why` must not be NULL). */
LOTOR_API const char *lotor_counter_check(const lotor_counter_params *params, lotor_message *why);

/* Makes a counter; the caller frees it. Nothing of `params` is kept. */
LOTOR_API lotor_status lotor_counter_new(const lotor_counter_params *params, lotor_message *why,
                                         lotor_counter **out);
LOTOR_API void lotor_counter_free(lotor_counter *counter);

/* Adds one value. On failure (LOTOR_RANGE, LOTOR_HORIZON, LOTOR_ENTROPY) nothing changed. */
LOTOR_API lotor_status lotor_counter_add(lotor_counter *counter, double value, lotor_message *why);

/* The private running sum as last released: 0 before the first release. Asking again returns
 * the same number, never new noise. For "batch": the sum of the batches released so far. */
LOTOR_API double lotor_counter_value(const lotor_counter *counter);

/* How many values were added, and how many of them the released sum covers. */
LOTOR_API uint64_t lotor_counter_added(const lotor_counter *counter);
LOTOR_API uint64_t lotor_counter_covered(const lotor_counter *counter);

LOTOR_API void lotor_counter_guarantee(const lotor_counter *counter, lotor_guarantee *out);

/* Saves everything, raw sums included: keep the bytes as secret as the data. The caller frees
 * *bytes with lotor_bytes_free. Loading gives a counter with the same next outputs. Bytes that
 * are not what was saved are refused (LOTOR_DAMAGED, LOTOR_VERSION), never half-read. Loading
 * one saved state twice and feeding both would draw two noises for one sum: load it once. The
 * same after fork(): let only one of parent and child go on with a counter. */
LOTOR_API lotor_status lotor_counter_save(const lotor_counter *counter, unsigned char **bytes,
                                          size_t *length);
LOTOR_API lotor_status lotor_counter_load(const unsigned char *bytes, size_t length,
                                          lotor_message *why, lotor_counter **out);

#ifdef __cplusplus
}
#endif
#endif
