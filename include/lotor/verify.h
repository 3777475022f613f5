/* verify.h - the privacy loss of a discrete mechanism, computed exactly on small inputs.
 *
 * Nothing is sampled and nothing is rounded: all pairs of neighbouring inputs and all outputs are
 * compared in whole numbers. Scales come from the library's own plans, and the noise that is really
 * drawn from driving its samplers with chosen words. The delta of the Gaussian is a series: it is
 * given between two certified bounds.
 */
#ifndef LOTOR_VERIFY_H
#define LOTOR_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/ratio.h>
#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A mechanism that can be verified. Strings are owned by the library. */
typedef struct lotor_verify_facts {
    const char *id;
    const char *summary;
    bool is_leak;   /* a negative example: known not to keep its claim */
    bool has_delta; /* its claim is (epsilon, delta); the others claim epsilon alone */
} lotor_verify_facts;

/* One setting of one mechanism, and the worst pair of neighbouring inputs and output in it. */
typedef struct lotor_verify_finding {
    const char *mechanism;
    bool is_leak; /* a negative example: known not to keep its claim */
    char setting[128];
    lotor_ratio epsilon; /* claimed */
    bool has_delta;      /* the claim is (epsilon, delta), and delta is what was computed */
    lotor_ratio delta;
    double delta_low, delta_high; /* the true delta at epsilon, between certified bounds */
    double account_delta;         /* what lotor_account_zcdp_delta says of the same noise */
    bool account_covers;          /* account_delta is at least delta_high: compared in doubles, and
                                     no part of `holds` */
    char exact[128]; /* the worst loss: a fraction, or a logarithm; or the bounds of delta */
    double loss;     /* the worst loss as a decimal, rounded; INFINITY: some output tells the inputs
                        apart for sure */
    char inputs[128], output[128]; /* where the worst loss is: two neighbours, and what was seen */
    uint64_t compared;             /* pairs of probabilities that were compared */
    bool holds;
} lotor_verify_finding;

/* Ratios that are left 0/0 mean the settings that are built in for each mechanism. */
typedef struct lotor_verify_params {
    const char *mechanism;
    lotor_ratio epsilon;     /* above 0, finite */
    lotor_ratio delta;       /* in (0,1), for mechanisms that have one */
    lotor_ratio noise_scale; /* multiplies the noise, not the claim; 0/0 means 1, the honest one */

    /* Called for each setting; the finding lives as long as the call. */
    void (*take)(void *take_context, const lotor_verify_finding *finding);
    void *take_context;
} lotor_verify_params;

LOTOR_API size_t lotor_verify_count(void);

/* By place, from 0; LOTOR_UNKNOWN: there are not so many. */
LOTOR_API lotor_status lotor_verify_at(size_t place, lotor_message *why, lotor_verify_facts *out);

/* Verifies one mechanism. LOTOR_UNKNOWN: there is no such mechanism; LOTOR_INVALID: a number makes no
 * sense; LOTOR_OVERFLOW: the setting is too large to compute; LOTOR_DAMAGED: the code does not do what
 * the mathematics here is about, so nothing is verified. */
LOTOR_API lotor_status lotor_verify_run(const lotor_verify_params *params, lotor_message *why);

#ifdef __cplusplus
}
#endif
#endif
