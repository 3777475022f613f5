/* audit.h - an adversary that tries to refute a privacy claim.
 *
 * The audit plays a learner many times on two neighbouring inputs, which differ in one round's
 * feedback. It looks at the outputs that the claim lets everyone see, and searches for an event
 * that is far more frequent with one input than with the other. The result is a lower bound on
 * epsilon that holds with the stated confidence, for any learner. An audit can refute a claim; it
 * can never prove one. The mechanisms of others are audited by the same search for events
 * (audit_mechanism.c).
 *
 *   setting    the problem that is played: audit_setting.c
 *   pair       the two neighbouring inputs, called world 0 and world 1: audit_pair.c
 *   player     one trial, and its transcript: audit_play.c
 *   reading    the transcript as numbers: audit_reading.c
 *   attack     an event: handwritten in audit_attacks.c, learned in audit_learn.c (a likelihood
 *              ratio), audit_line.c (a linear function) and audit_pattern.c (whole outputs)
 *   trials     many trials on all cores, and how often each event occurred: audit_trials.c
 *   tally      learns and tests the events, and keeps the best one: audit_tally.c
 *   scope      what the trials exercised, and what not: audit_scope.c
 *   bound      from counts to epsilon: audit_bound.c, interval.c
 */
#ifndef LOTOR_LAB_AUDIT_H
#define LOTOR_LAB_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/audit.h>
#include <lotor/ratio.h>
#include <lotor/status.h>

#include "lab/audit_bound.h"
#include "policy/catalog.h"

/* The view of the adversary. */
typedef enum lotor_audit_view {
    LOTOR_VIEW_ACTIONS = 0, /* every decision after the replaced round */
    LOTOR_VIEW_BOARD = 1,   /* every release */
    LOTOR_VIEW_REPORTS = 2  /* the report of the replaced round, in the local model */
} lotor_audit_view;

const char *lotor_audit_view_name(lotor_audit_view view);

/* The view for which the algorithm's claim is strongest: reports in the local model, else the
 * board. */
lotor_audit_view lotor_audit_view_of(const lotor_algorithm *algorithm);

typedef struct lotor_audit_request {
    const lotor_algorithm *algorithm;
    lotor_ratio epsilon;
    lotor_ratio delta; /* num 0: the default; see lotor_audit_delta_of */
    uint64_t horizon;  /* 0: that of the setting */
    uint64_t trials;   /* number of plays, over both inputs */
    lotor_audit_view view;
    double confidence; /* of the bound, over all attacks together */
    bool is_seeded;    /* true: simulated noise from `seed`; false: exact noise if available */
    uint64_t seed;
    size_t threads;     /* 0: one per core */
    double noise_scale; /* multiplies the noise but not the claim; 1 is the correct noise */

    /* Called from time to time with the finished share. Return true to stop (LOTOR_STOPPED). May be
     * NULL. */
    bool (*progress)(void *context, double share);
    void *context;
} lotor_audit_request;

const char *lotor_audit_verdict_name(lotor_audit_verdict kind); /* "no violation found", ... */

enum { LOTOR_AUDIT_SCOPE = 400 }; /* room for a list of phrases (audit_scope.c) */

typedef struct lotor_audit_finding {
    lotor_audit_verdict verdict;
    double epsilon, delta; /* claimed; INFINITY: nothing is claimed */
    double found;          /* epsilon is at least this */

    /* Estimate from the best event's frequencies, without confidence. NaN: the event was too rare
     * in one world. */
    double likely;

    /* The claimed epsilon over the largest one that frequent events can show. NaN: no event was
     * frequent, or the claim is about another view. */
    double looseness;
    lotor_audit_bound bound;
    lotor_audit_counts counts; /* of the best event */
    const char *pair, *attack;
    char event[400];   /* the best event, as a sentence */
    char setting[200]; /* what was played, in words */
    char exercised[LOTOR_AUDIT_SCOPE], not_exercised[LOTOR_AUDIT_SCOPE]; /* lists of phrases */
    uint64_t trials;
    uint64_t events;           /* events that were tried: they share the confidence */
    uint64_t rounds, releases; /* the most in one trial: rounds, and rounds with a release */
    uint64_t seen;             /* the most decisions, releases or reports (by view) in one trial */
    bool varied; /* some event was neither rare nor certain; false: the view never changes */
    bool is_simulated;
    double seconds;
} lotor_audit_finding;

/* The delta that is audited if none is given. For algorithms that are known to leak, it is that of
 * the catalog. For the others it is 1/50: with 10^5 trials, Gaussian noise shows the most of its
 * epsilon there (audit.md). An event that a delta of 1e-5 allows would need millions of trials. */
lotor_ratio lotor_audit_delta_of(const lotor_algorithm *algorithm);

/* Runs an audit. LOTOR_INVALID: a parameter is out of range. LOTOR_STOPPED: `progress` returned
 * true. */
lotor_status lotor_audit_search(const lotor_audit_request *audit, lotor_message *why,
                                lotor_audit_finding *out);

/* The finding as the public result. The caller fills in `confidence` and `view`, and `noise_scale` if
 * it is not 1. */
void lotor_audit_tell(const lotor_audit_finding *finding, lotor_audit_result *out);

/* Says that an audit was stopped, or had no memory. */
void lotor_audit_explain(lotor_status status, lotor_message *why);

/* LOTOR_INVALID: there are too few or too many trials, or the confidence is not in [0.5, 1). */
lotor_status lotor_audit_check(uint64_t trials, double confidence, lotor_message *why);

/* Draws a seed from the kernel's random bytes. */
lotor_status lotor_audit_draw_seed(lotor_message *why, uint64_t *out);

#endif
