/* verify.h - computes the exact privacy loss of a discrete mechanism, on small inputs.
 *
 * Nothing is sampled and nothing is rounded: all pairs of neighbouring inputs and all outputs are
 * compared in integers. The noise scales come from the library's own code. The noise distribution
 * is found by running the library's samplers on chosen random words. The delta of the Gaussian is
 * an infinite series, so it is given between two certified bounds.
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

/* A mechanism that can be verified. The library owns the strings. */
typedef struct lotor_verify_info {
    const char *id;
    const char *summary;
    bool is_leak;   /* a negative example: its claim is known to be false */
    bool has_delta; /* true: it claims (epsilon, delta); false: it claims epsilon alone */
} lotor_verify_info;

/* The result for one setting of a mechanism: its worst pair of neighbouring inputs and output. */
typedef struct lotor_verify_finding {
    const char *mechanism;
    bool is_leak; /* a negative example: its claim is known to be false */
    char setting[128];
    lotor_ratio epsilon; /* claimed */
    bool has_delta;      /* the claim is (epsilon, delta), and the true delta was computed */
    lotor_ratio delta;
    double delta_low, delta_high; /* certified bounds of the true delta at epsilon */
    double account_delta;         /* lotor_account_zcdp_delta for the same noise */
    bool account_covers;          /* account_delta >= delta_high, compared in doubles; `holds` does
                                     not depend on it */
    char exact[128]; /* the worst loss as a fraction or a logarithm; or delta's bounds */
    double loss;     /* the worst loss as a rounded decimal; INFINITY: some output tells
                                     the inputs apart with certainty */
    char inputs[128], output[128]; /* where the worst loss is: two neighbours, and the output */
    uint64_t compared;             /* pairs of probabilities that were compared */
    bool holds;
} lotor_verify_finding;

/* Ratios that are 0/0 mean the built-in settings of each mechanism. */
typedef struct lotor_verify_params {
    const char *mechanism;
    lotor_ratio epsilon; /* above 0, finite */
    lotor_ratio delta;   /* in (0,1), for mechanisms with a delta */
    lotor_ratio
        noise_scale; /* multiplies the noise but not the claim; 0/0 means 1, the correct one */

    /* Called once per setting. The finding is valid only during the call. */
    void (*take)(void *take_context, const lotor_verify_finding *finding);
    void *take_context;
} lotor_verify_params;

LOTOR_API size_t lotor_verify_count(void);

/* Looks up a mechanism by its place, from 0. LOTOR_UNKNOWN: `place` is too large. */
LOTOR_API lotor_status lotor_verify_at(size_t place, lotor_message *why, lotor_verify_info *out);

/* Verifies one mechanism. LOTOR_UNKNOWN: there is no such mechanism. LOTOR_INVALID: a number is out
 * of range. LOTOR_OVERFLOW: the setting is too large to compute. LOTOR_DAMAGED: the library's code
 * does not match the formulas that are verified here, so nothing is verified. */
LOTOR_API lotor_status lotor_verify_run(const lotor_verify_params *params, lotor_message *why);

#ifdef __cplusplus
}
#endif
#endif
