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

/* Limits, and the defaults of fields that are left 0. */
#define LOTOR_AUDIT_LEAST_TRIALS       1000
#define LOTOR_AUDIT_MOST_TRIALS        (UINT64_C(1) << 40)
#define LOTOR_AUDIT_MOST_ROUNDS        (UINT64_C(1) << 32)
#define LOTOR_AUDIT_MOST_THREADS       256
#define LOTOR_AUDIT_DEFAULT_EPSILON    2
#define LOTOR_AUDIT_DEFAULT_TRIALS     1e5
#define LOTOR_AUDIT_DEFAULT_CONFIDENCE 0.999999

typedef enum lotor_audit_verdict {
    LOTOR_AUDIT_NOTHING_FOUND = 0,
    LOTOR_AUDIT_VIOLATED = 1,       /* the claim does not hold */
    LOTOR_AUDIT_LOOSE = 2,          /* what was found is far below the claim */
    LOTOR_AUDIT_CLAIMS_NOTHING = 3, /* a baseline without noise, or epsilon = infinity */
    LOTOR_AUDIT_UNSEEN = 4          /* fewer than two rounds had a release (one, of elimination), or
                                       there was no decision or report: nothing can be said */
} lotor_audit_verdict;

/* Zeroed fields take their defaults. */
typedef struct lotor_audit_params {
    const char *algorithm;
    lotor_ratio epsilon; /* 0/0: the default */
    lotor_ratio delta;   /* of algorithms that have one; 0/0 means 1/20, since what a smaller one
                            allows is too rare to be seen (of known leaks: their paper's) */
    uint64_t horizon;    /* of a play; 0: as few rounds as show all that can leak */
    uint64_t trials;     /* plays, over both inputs; 0: the default */
    const char *view;    /* "actions": every decision after the replaced round; "board": every
                            release; "reports": what the replaced round itself sent, in the local
                            model; NULL: reports in the local model, else board */
    double confidence;   /* from 0.5 to 1, of the bound, all events together; 0: the default */
    bool is_seeded;      /* simulated noise from `seed`; else exact noise where there is such */
    uint64_t seed;
    size_t threads;     /* 0: as many as there are cores */
    double noise_scale; /* multiplies the noise, not the claim; 0 means 1, the honest one */

    /* Called now and then from the calling thread with the share that is done; true stops it
     * (LOTOR_STOPPED). NULL: none. */
    bool (*progress)(void *progress_context, double share);
    void *progress_context;
} lotor_audit_params;

typedef struct lotor_audit_result {
    bool is_violated;      /* the claim does not hold */
    const char *verdict;   /* "no violation found"; "violated"; "claim is loose": what was found is
                              far below it; "claims nothing": no noise is added; "too little was
                              seen" to say anything. Owned by the library, as `view` is */
    double epsilon, delta; /* claimed; INFINITY: nothing */
    double found;          /* epsilon is at least this, with confidence `confidence` */
    double confidence;
    const char *view;
    char event[400];   /* what tells the inputs apart, in a sentence */
    char setting[200]; /* what was played, in words */
    uint64_t trials;
    double seconds;
    lotor_audit_verdict kind; /* the verdict, for programs */
    double estimate;          /* the epsilon that the frequencies of this event give, without a
                                 confidence; NaN: the event came too rarely with one of the inputs */
    double looseness;   /* claimed over the most that frequent events can show; NaN: no event was
                                 frequent, or this is not the view of the claim */
    const char *inputs; /* the name of the pair of inputs; NULL: none was played. Owned by the
                                 library, as `attack` is */
    const char *attack; /* the name of what looked for the event; NULL: none did */
    uint64_t events;    /* tried: the confidence is shared among them */
    uint64_t releases;  /* rounds of a trial that had a release, at most */
    uint64_t seen;      /* decisions, releases or reports of a trial, by the view, at most */
    bool is_varied;     /* some event came often, and often not; false: the view is always the
                                 same */
    bool is_simulated;  /* the noise was simulated */
    double noise_scale;
} lotor_audit_result;

/* *out is written only on success. LOTOR_UNKNOWN: no such algorithm; LOTOR_INVALID: a number or a view
 * that makes no sense. */
LOTOR_API lotor_status lotor_audit_claim(const lotor_audit_params *params, lotor_message *why,
                                         lotor_audit_result *out);

#ifdef __cplusplus
}
#endif
#endif
