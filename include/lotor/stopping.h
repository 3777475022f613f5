/* stopping.h - stopping rules: decide when there are enough samples to estimate a mean.
 *
 * The samples are numbers in [-R, R]. A rule reads them one by one. It stops when its estimate is
 * within a factor (1 +- alpha) of the mean with probability 1 - beta. The private rules protect
 * every sample, both in the estimate and in the time of the stop (Sajed 2019, Algorithms 3, 7 and
 * 8).
 *
 * Threads: a rule may be used by one thread at a time. Fork: only the process that made a rule may
 * use it. In a forked child `add` fails with LOTOR_INVALID, because parent and child would draw two
 * noises for the same samples.
 */
#ifndef LOTOR_STOPPING_H
#define LOTOR_STOPPING_H

#include <stdbool.h>
#include <stdint.h>

#include <lotor/guarantee.h>
#include <lotor/ratio.h>
#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lotor_stopping lotor_stopping;

typedef struct lotor_stopping_params {
    const char *rule;    /* "nas", "nas-printed", "dp-nas" or "dp-exp-nas" */
    double alpha;        /* relative accuracy, in (0,1) */
    double beta;         /* probability of failure, in (0,1) */
    lotor_ratio epsilon; /* for the private rules, > 0; ignored by the others */
    double range;        /* R > 0: samples lie in [-R, R] */
} lotor_stopping_params;

/* Returns NULL if the parameters are valid, else why->text. `why` must not be NULL. */
LOTOR_API const char *lotor_stopping_check(const lotor_stopping_params *params, lotor_message *why);

/* Makes a rule; the caller frees it. `params` is not needed afterwards. */
LOTOR_API lotor_status lotor_stopping_new(const lotor_stopping_params *params, lotor_message *why,
                                          lotor_stopping **out);
LOTOR_API void lotor_stopping_free(lotor_stopping *rule);

/* Reads one sample. *stopped says whether the rule has stopped. LOTOR_RANGE: the sample is outside
 * [-R, R]. LOTOR_RELEASED: the rule had stopped already. */
LOTOR_API lotor_status lotor_stopping_add(lotor_stopping *rule, double sample, lotor_message *why,
                                          bool *stopped);

/* The estimate; every call gives the same number. LOTOR_UNFINISHED: the rule has not stopped
 * yet. */
LOTOR_API lotor_status lotor_stopping_estimate(const lotor_stopping *rule, double *out);

/* How many samples were read. */
LOTOR_API uint64_t lotor_stopping_sample_count(const lotor_stopping *rule);

LOTOR_API void lotor_stopping_guarantee(const lotor_stopping *rule, lotor_guarantee *out);

#ifdef __cplusplus
}
#endif
#endif
