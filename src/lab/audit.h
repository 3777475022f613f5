/* audit.h - an adversary that tries to break a privacy claim.
 *
 * It plays a learner many times on two neighbouring inputs, which differ in one round's feedback,
 * looks at what the claim lets everyone see, and searches for an event that is far more frequent with
 * one input than with the other. What it finds is a lower bound on epsilon that holds with the stated
 * confidence, whatever the learner is. It can refute a claim, never prove one.
 *
 *   setting    the problem that is played: audit_setting.c
 *   scene      the two neighbouring inputs: audit_scene.c
 *   player     one trial, and its transcript: audit_play.c
 *   reading    the transcript as numbers: audit_reading.c
 *   attack     an event: audit_attacks.c by hand, audit_learn.c from the first half of the trials
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

/* What the adversary sees. */
typedef enum lotor_audit_view {
    LOTOR_VIEW_ACTIONS = 0, /* every decision after the replaced round */
    LOTOR_VIEW_BOARD = 1,   /* every release */
    LOTOR_VIEW_REPORTS = 2  /* what the replaced round itself sent: the local model */
} lotor_audit_view;

const char *lotor_audit_view_name(lotor_audit_view view);

/* The one in which the id's claim is the strongest: reports in the local model, else the board. */
lotor_audit_view lotor_audit_view_of(const lotor_algorithm *algorithm);

typedef struct lotor_audit {
    const lotor_algorithm *algorithm;
    lotor_ratio epsilon;
    lotor_ratio delta; /* num 0: the default; see lotor_audit_delta_of */
    uint64_t horizon;  /* 0: the setting's own */
    uint64_t trials;   /* plays, over both inputs */
    lotor_audit_view view;
    double confidence; /* of the bound, all attacks together */
    bool is_seeded;    /* simulated noise from `seed`; else exact noise where the id has it */
    uint64_t seed;
    size_t threads;     /* 0: as many as there are cores */
    double noise_scale; /* multiplies the noise, not the claim; 1 is honest */

    /* Called now and then with the share that is done; true stops: LOTOR_STOPPED. NULL: none. */
    bool (*progress)(void *context, double share);
    void *context;
} lotor_audit;

const char *lotor_audit_verdict_name(lotor_audit_verdict kind); /* "no violation found", ... */

typedef struct lotor_audit_finding {
    lotor_audit_verdict verdict;
    double epsilon, delta; /* claimed; INFINITY: nothing */
    double found;          /* epsilon is at least this */
    double likely;         /* what the best event's frequencies say, without confidence; NaN: it
                              came too rarely in one world to say anything */
    double looseness;      /* claimed over what the frequent events can show at most; NaN: nothing
                              was frequent, or it is not the view of the claim */
    lotor_audit_bound bound;
    lotor_audit_counts counts; /* of that event */
    const char *scene, *attack;
    char event[400];   /* in words, one sentence */
    char setting[200]; /* what was played, in words */
    uint64_t trials;
    uint64_t events;           /* tried: the confidence is shared among them */
    uint64_t rounds, releases; /* of a trial: the most there were; rounds with a release */
    uint64_t seen; /* decisions, releases or reports, by the view: the most there were */
    bool varied;   /* some event came often, and often not; else what was seen is always the same */
    bool is_simulated;
    double seconds;
} lotor_audit_finding;

/* The delta that is audited where none is given: the catalog's for ids that are known to leak; else
 * 1/20, since an event that a delta of 1e-5 allows for would need millions of trials to be seen. */
lotor_ratio lotor_audit_delta_of(const lotor_algorithm *algorithm);

/* LOTOR_INVALID for what makes no sense; LOTOR_STOPPED when told to stop. */
lotor_status lotor_audit_run(const lotor_audit *audit, lotor_message *why,
                             lotor_audit_finding *out);

#endif
