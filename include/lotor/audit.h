/* audit.h - an audit: an adversary that tries to refute the privacy claim of an algorithm, or of a
 * mechanism of your own.
 *
 * The audit plays the algorithm many times on two inputs that differ in one round's feedback. It
 * looks at the outputs that the claim lets everyone see, and searches for an event that tells the
 * inputs apart. The result is a lower bound on the true epsilon, which holds with the stated
 * confidence. An audit can refute a claim; it can never prove one.
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

/* Limits, and the defaults for fields that are 0. */
#define LOTOR_AUDIT_TRIALS_MIN         1000
#define LOTOR_AUDIT_TRIALS_MAX         (UINT64_C(1) << 40)
#define LOTOR_AUDIT_ROUNDS_MAX         (UINT64_C(1) << 32)
#define LOTOR_AUDIT_THREADS_MAX        256
#define LOTOR_AUDIT_EPSILON_DEFAULT    2
#define LOTOR_AUDIT_TRIALS_DEFAULT     1e5
#define LOTOR_AUDIT_CONFIDENCE_DEFAULT 0.999999

typedef enum lotor_audit_verdict {
    LOTOR_AUDIT_NOTHING_FOUND = 0,  /* the inputs were told apart, but not beyond the claim */
    LOTOR_AUDIT_VIOLATED = 1,       /* the claim does not hold */
    LOTOR_AUDIT_LOOSE = 2,          /* the bound that was found is far below the claim */
    LOTOR_AUDIT_CLAIMS_NOTHING = 3, /* a baseline without noise, or epsilon = infinity */

    /* Too little was seen to say anything: fewer than two rounds had a release (elimination: no
     * round had one), or there was no decision or report. */
    LOTOR_AUDIT_UNSEEN = 4,

    /* No event told the inputs apart: `found` is 0, and no event was limited to a small epsilon
     * either. This audit says nothing about the claim. */
    LOTOR_AUDIT_NOTHING_SEEN = 5
} lotor_audit_verdict;

/* Zeroed fields take their defaults. */
typedef struct lotor_audit_params {
    const char *algorithm;
    lotor_ratio epsilon; /* 0/0: the default */
    /* For algorithms with a delta. 0/0 means 1/50, because the events that a much smaller delta
     * allows are too rare to be seen. For known leaks 0/0 means the delta of their paper. */
    lotor_ratio delta;
    uint64_t horizon; /* rounds of one play; 0: as few rounds as show everything that can leak */
    uint64_t trials;  /* number of plays, over both inputs; 0: the default */

    /* The view of the adversary. "actions": every decision after the replaced round. "board": every
     * release. "reports": the report of the replaced round, in the local model. NULL: "reports" in
     * the local model, else "board". */
    const char *view;
    double confidence; /* of the bound, over all events together; from 0.5 to 1; 0: the default */
    bool is_seeded; /* true: simulated noise from `seed`; false: exact noise if it is available */
    uint64_t seed;
    size_t threads;     /* 0: one per core */
    double noise_scale; /* multiplies the noise but not the claim; 0 means 1, the correct noise */

    /* Called from time to time, from the calling thread, with the finished share in [0,1]. Return
     * true to stop (LOTOR_STOPPED). May be NULL. */
    bool (*progress)(void *progress_context, double share);
    void *progress_context;
    const struct lotor_catalog *catalog; /* own algorithms, as in lotor_policy_params; or NULL */
} lotor_audit_params;

/* Strings are owned by the library. */
typedef struct lotor_audit_result {
    bool is_violated; /* the claim does not hold */

    /* "no violation found"; "violated"; "claim is loose": the bound is far below the claim;
     * "claims nothing": no noise is added; "too little was seen" to say anything; "nothing could be
     * seen": no event told the inputs apart. */
    const char *verdict;
    double epsilon, delta; /* claimed; INFINITY: nothing is claimed */
    double found;          /* the lower bound: epsilon is at least this, with `confidence` */
    double confidence;
    const char *view;
    char event[400];   /* the event that tells the inputs apart, in a sentence */
    char setting[200]; /* what was played, in words */
    uint64_t trials;
    double seconds;
    lotor_audit_verdict kind; /* the verdict, for programs */

    /* The epsilon that the frequencies of this event give, without a confidence. NaN: the event was
     * too rare with one of the inputs. */
    double estimate;

    /* The claimed epsilon divided by the largest one that frequent events can show. NaN: no event
     * was frequent, or the claim is about another view. */
    double looseness;
    const char *inputs; /* the name of the pair of inputs; NULL: none was played */
    const char *attack; /* the name of the attack that found the event; NULL: none did */
    uint64_t events;    /* events that were tried: they share the confidence */
    uint64_t releases;  /* the most rounds with a release in one trial */
    uint64_t seen;      /* the most decisions, releases or reports (by view) in one trial */
    bool is_varied;     /* some event was neither rare nor certain; false: the view never changes */
    bool is_simulated;  /* the noise was simulated */
    double noise_scale;

    /* Phrases that name what the trials exercised, and what no trial did, separated by "; ". */
    char exercised[400], not_exercised[400];
} lotor_audit_result;

/* Runs an audit. *out is written only on success. LOTOR_UNKNOWN: no such algorithm. LOTOR_INVALID:
 * a number is out of range, or the view does not exist. */
LOTOR_API lotor_status lotor_audit_run(const lotor_audit_params *params, lotor_message *why,
                                       lotor_audit_result *out);

/* --- a mechanism of your own ---------------------------------------------------------------------
 *
 * The audit runs any mechanism many times on two neighbouring inputs, and searches its outputs for
 * an event that tells the inputs apart. It knows nothing about the mechanism, and claims nothing
 * about its privacy: it tries to break the claim, for these two inputs.
 */

#define LOTOR_AUDIT_OUTPUTS_MAX       256   /* numbers of one output */
#define LOTOR_AUDIT_BATCH_MAX         16384 /* runs of one call */
#define LOTOR_AUDIT_MECHANISM_EPSILON 1     /* the default */

/* The task of one call of a mechanism. */
typedef struct lotor_audit_call {
    uint32_t input; /* 0 or 1: which of the two neighbouring inputs */
    uint64_t seed;  /* for the random numbers of this call; no other call gets it */
    size_t runs;    /* the runs that are wanted: 1, unless a `batch` above 1 was asked for */

    /* Run i writes its output to outputs[i * capacity] and the numbers after it, and how many it
     * has written, at most `capacity`, to counts[i]. NaN and infinities are outputs like others. */
    size_t capacity;
    double *outputs;
    size_t *counts;
} lotor_audit_call;

/* Zeroed fields take their defaults. */
typedef struct lotor_audit_mechanism_params {
    /* Runs the mechanism. Called from several threads at once, unless `threads` is 1. Runs must be
     * independent of each other. On failure it returns another status than LOTOR_OK, which
     * lotor_audit_mechanism then returns, and may say why. */
    lotor_status (*run)(void *context, const lotor_audit_call *call, lotor_message *why);
    void *context;
    lotor_ratio epsilon; /* the claim; 0/0: the default, 1; infinity: nothing is claimed */
    lotor_ratio delta;   /* the claim; 0/0: 0 */
    uint64_t trials;     /* number of runs, over both inputs; 0: LOTOR_AUDIT_TRIALS_DEFAULT */
    double confidence;   /* of the bound, over all events together; from 0.5 to 1; 0: the default */
    size_t outputs;      /* the most numbers of one output; 0: LOTOR_AUDIT_OUTPUTS_MAX */
    size_t batch;        /* the most runs of one call; 0: 1 */
    bool is_seeded;      /* false: the seeds of the calls come from a secret seed */
    uint64_t seed;       /* with the same seed and batch, the calls are the same */
    size_t threads;      /* 0: one per core */

    /* As in lotor_audit_params. With one thread and without `progress`, `run` is called from the
     * calling thread. */
    bool (*progress)(void *progress_context, double share);
    void *progress_context;
} lotor_audit_mechanism_params;

/* Audits a mechanism. In the result, `view` is "outputs", `seen` is the most numbers of one output,
 * `noise_scale` is 1, and `is_simulated` is false. LOTOR_AUDIT_UNSEEN: no output had a number. *out
 * is written only on success. LOTOR_INVALID: a parameter is out of range, an output has more
 * numbers than `outputs`, or two calls with different seeds gave the same noise (noticed if `batch`
 * is 200 or more). */
LOTOR_API lotor_status lotor_audit_mechanism(const lotor_audit_mechanism_params *params,
                                             lotor_message *why, lotor_audit_result *out);

#ifdef __cplusplus
}
#endif
#endif
