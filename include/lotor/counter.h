/* counter.h - a private counter: a running sum that may be published.
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
 * Values become integers: multiples of 2^-20. The step is finer for ranges narrower than 1. It is
 * coarser for values beyond 2^11: 2^-31 of the range's farther end. Sums of integers are exact, and
 * the noise is an exact integer sample from a cryptographic source. So no floating-point artefact
 * can leak. The unit of privacy is one value of the stream: replacing it changes the distribution
 * of all outputs of the counter by at most the factor e^epsilon (and delta).
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
    uint64_t horizon;      /* the most values; 0 means no limit, only for hybrid and batch */
    double low, high;      /* the declared range of a value, low < high */
} lotor_counter_params;

/* Returns NULL if the parameters are valid, else why->text. `why` must not be NULL. */
LOTOR_API const char *lotor_counter_check(const lotor_counter_params *params, lotor_message *why);

/* Makes a counter; the caller frees it. `params` is not needed afterwards. */
LOTOR_API lotor_status lotor_counter_new(const lotor_counter_params *params, lotor_message *why,
                                         lotor_counter **out);
LOTOR_API void lotor_counter_free(lotor_counter *counter);

/* Adds one value. LOTOR_RANGE, LOTOR_HORIZON, LOTOR_ENTROPY: nothing changed. */
LOTOR_API lotor_status lotor_counter_add(lotor_counter *counter, double value, lotor_message *why);

/* The private running sum of the last release; 0 before the first release. Every call returns the
 * same number until the next release: no new noise is drawn. For "batch", the sum covers only the
 * batches that are complete. */
LOTOR_API double lotor_counter_value(const lotor_counter *counter);

/* The number of values that were added, and how many of them are in the released sum. */
LOTOR_API uint64_t lotor_counter_added_count(const lotor_counter *counter);
LOTOR_API uint64_t lotor_counter_covered_count(const lotor_counter *counter);

LOTOR_API void lotor_counter_guarantee(const lotor_counter *counter, lotor_guarantee *out);

/* Saves and loads a counter. The saved bytes contain raw sums: keep them as secret as the data. The
 * caller frees *bytes with lotor_bytes_free. A loaded counter has the same next outputs as the
 * saved one. LOTOR_DAMAGED, LOTOR_VERSION: the bytes are refused as a whole. Load a saved state
 * only once: two counters from the same state would draw two noises for one sum. For the same reason
 * a forked child can't use its parent's counter: there `add` and `save` fail with LOTOR_INVALID. */
LOTOR_API lotor_status lotor_counter_save(const lotor_counter *counter, unsigned char **bytes,
                                          size_t *length);
LOTOR_API lotor_status lotor_counter_load(const unsigned char *bytes, size_t length,
                                          lotor_message *why, lotor_counter **out);

#ifdef __cplusplus
}
#endif
#endif
