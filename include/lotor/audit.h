/* audit.h - an adversary that tries to break an algorithm's privacy claim.
 *
 * It plays the algorithm many times on two inputs that differ in one round's feedback, looks at what
 * the claim lets everyone see, and searches for an event that tells them apart. What it finds is a lower
 * bound on the true epsilon that holds with the stated confidence. It can refute a claim, never prove one.
 */
#ifndef LOTOR_AUDIT_H
#define LOTOR_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/ratio.h>
#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed fields take their defaults, those of `lotor audit`. */
typedef struct lotor_audit_params {
    const char *algorithm;
    lotor_ratio epsilon; /* 0/0 means 1 */
    lotor_ratio delta;
    uint64_t horizon; /* 0: the setting's own */
    uint64_t trials;  /* plays, over both inputs */
    const char *view; /* "actions", "board", "reports"; NULL: where its claim is the strongest */
    double confidence;
    bool is_seeded; /* simulated noise from `seed`; else exact noise where there is such */
    uint64_t seed;
    size_t threads;     /* 0: as many as there are cores */
    double noise_scale; /* multiplies the noise, not the claim; 0 means 1, the honest one */

    /* Called now and then with the share that is done; true stops: LOTOR_UNFINISHED. NULL: none. */
    bool (*progress)(void *progress_context, double share);
    void *progress_context;
} lotor_audit_params;

typedef struct lotor_audit_result {
    bool is_violated;       /* the claim does not hold */
    const char *verdict;    /* "no violation found", "violated", ...; owned by the library */
    double epsilon, delta;  /* claimed; INFINITY: nothing */
    double found;           /* epsilon is at least this, with confidence `confidence` */
    double confidence;
    const char *view;
    char event[400];   /* what tells the inputs apart, in a sentence */
    char setting[200]; /* what was played, in words */
    uint64_t trials;
    double seconds;
} lotor_audit_result;

LOTOR_API lotor_status lotor_audit_claim(const lotor_audit_params *params, lotor_message *why,
                                         lotor_audit_result *out);

#ifdef __cplusplus
}
#endif
#endif
