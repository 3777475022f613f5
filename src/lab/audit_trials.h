/* audit_trials.h - plays many trials of one pair of neighbouring inputs, on all cores, and counts
 * events.
 *
 * Even trials are played in world 0, odd trials in world 1. With a seed, the random numbers of a
 * trial depend only on its number. So the number of threads changes only the time.
 */
#ifndef LOTOR_LAB_AUDIT_TRIALS_H
#define LOTOR_LAB_AUDIT_TRIALS_H

#include <pthread.h>

#include "base/threads.h"
#include "lab/audit_bound.h"
#include "lab/audit_learn.h"
#include "lab/audit_line.h"
#include "lab/audit_pattern.h"

/* The attacks of a trial are numbered: first the handwritten ones, then the learned ones. */
enum {
    LOTOR_AUDIT_RATIO = 0, /* a learned likelihood ratio: audit_learn.h */
    LOTOR_AUDIT_LINE = 1,  /* a learned linear function: audit_line.h */
    LOTOR_AUDIT_WHOLE = 2, /* learned patterns, if the layout has them: audit_pattern.h */
    LOTOR_AUDIT_LEARNED = 3,
    LOTOR_AUDIT_ATTACKS = 32 /* the most attacks, with the learned ones */
};

/* The result of the training trials. */
typedef struct lotor_audit_lesson {
    lotor_audit_classifier ratio;
    lotor_audit_line line;
    lotor_audit_patterns patterns; /* its memory belongs to the lesson */
} lotor_audit_lesson;

/* The reading of one trial. */
typedef struct lotor_audit_evidence {
    uint32_t events;      /* bit i: the handwritten event i occurred */
    const float *numbers; /* a row of the layout, valid until the next trial */
    uint64_t patterns[LOTOR_PATTERN_KINDS];
} lotor_audit_evidence;

/* What is played. `context` is shared by all threads. */
typedef struct lotor_audit_subject {
    void *context;
    const lotor_audit_layout *layout;
    size_t event_count; /* handwritten events */
    uint32_t visible;   /* bit i: the handwritten event i can be seen */
    size_t chunk;       /* trials of one task; even */

    /* Once per thread: makes the thread's own memory. */
    lotor_status (*begin)(void *context, lotor_message *why, void **worker);
    /* Before the trials [first, end) of one task, with `first` even. May be NULL. */
    lotor_status (*prepare)(void *worker, uint64_t first, uint64_t end, lotor_message *why);
    lotor_status (*play)(void *worker, uint64_t trial, lotor_message *why,
                         lotor_audit_evidence *out);
    /* Hands in what the thread has found out, and frees its memory. */
    void (*end)(void *worker);

    const char *(*event_name)(size_t event);
    const char *(*event_words)(size_t event, bool of_not);
    /* Says a learned event in words: `which` is LOTOR_AUDIT_RATIO, ... `numbers` are the training
     * trials. NULL: it is said without details. */
    void (*describe)(void *context, const lotor_audit_lesson *lesson, const float *numbers,
                     size_t which, bool of_not, char *text, size_t capacity);
} lotor_audit_subject;

typedef struct lotor_audit_trials {
    const lotor_audit_subject *subject;
    const lotor_audit_lesson *learned; /* the trials test it; NULL: they are training trials */
    uint64_t first, end;               /* numbers of the trials: first <= n < end; `first` even */
    float *numbers;                    /* rows of the training trials */
    uint64_t *patterns;                /* patterns of the training trials, if there are any */
    size_t threads;                    /* 0: one per core */
    uint64_t before, all; /* for progress: finished trials, and all trials of the audit */
    bool (*progress)(void *context, double share);
    void *progress_context;

    /* Totals of the trials. */
    lotor_audit_counts counts[LOTOR_AUDIT_ATTACKS];
    pthread_mutex_t mutex; /* protects counts */
} lotor_audit_trials;

/* The number of learned attacks. */
static inline size_t lotor_audit_learned_count(const lotor_audit_subject *subject)
{
    return subject->layout->has_patterns ? LOTOR_AUDIT_LEARNED : LOTOR_AUDIT_LEARNED - 1;
}

/* Plays trials [first, end), and adds to the counts. LOTOR_STOPPED if `progress` says so. */
lotor_status lotor_audit_trials_play(lotor_audit_trials *shared, lotor_message *why);

#endif
