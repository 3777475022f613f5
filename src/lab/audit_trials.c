/* audit_trials.c - see audit_trials.h. */
#include "lab/audit_trials.h"

#include <string.h>

typedef struct worker {
    lotor_audit_trials *batch;
    void *own; /* the subject's memory for this thread */
    lotor_audit_counts counts[LOTOR_AUDIT_ATTACKS];
} worker;

/* --- one thread --------------------------------------------------------------------------------- */

static void count_event(worker *own, size_t attack, unsigned world, bool holds)
{
    own->counts[attack].trials[world]++;
    own->counts[attack].seen[world] += holds;
}

static void take_evidence(worker *own, uint64_t trial, const lotor_audit_evidence *evidence)
{
    lotor_audit_trials *shared = own->batch;
    const lotor_audit_subject *subject = shared->subject;
    const lotor_audit_lesson *learned = shared->learned;
    const lotor_audit_layout *layout = subject->layout;
    const unsigned world = trial % 2;
    const size_t after = subject->event_count;
    for (size_t i = 0; i < after; i++) {
        count_event(own, i, world, (evidence->events >> i) & 1);
    }
    if (!learned) {
        const uint64_t place = trial - shared->first;
        memcpy(shared->numbers + place * layout->row, evidence->numbers,
               layout->row * sizeof *evidence->numbers);
        if (layout->has_patterns) {
            memcpy(shared->patterns + place * LOTOR_PATTERN_KINDS, evidence->patterns,
                   sizeof evidence->patterns);
        }
        return;
    }
    const float *numbers = evidence->numbers;
    count_event(own, after + LOTOR_AUDIT_RATIO, world,
                lotor_audit_learned_holds(&learned->ratio, numbers));
    count_event(own, after + LOTOR_AUDIT_LINE, world,
                lotor_audit_line_holds(&learned->line, numbers));
    if (layout->has_patterns) {
        count_event(own, after + LOTOR_AUDIT_WHOLE, world,
                    lotor_audit_patterns_hold(&learned->patterns, evidence->patterns));
    }
}

static lotor_status play_chunk(worker *own, uint64_t from, uint64_t to, lotor_message *why)
{
    const lotor_audit_subject *subject = own->batch->subject;
    lotor_status status = subject->prepare ? subject->prepare(own->own, from, to, why) : LOTOR_OK;
    for (uint64_t trial = from; trial < to && status == LOTOR_OK; trial++) {
        lotor_audit_evidence evidence;
        status = subject->play(own->own, trial, why, &evidence);
        if (status == LOTOR_OK) {
            take_evidence(own, trial, &evidence);
        }
    }
    return status;
}

static lotor_status play_chunks(worker *own, lotor_threads *threads, lotor_message *why)
{
    const lotor_audit_trials *shared = own->batch;
    const uint64_t size = shared->subject->chunk;
    lotor_status status = LOTOR_OK;
    uint64_t chunk;
    while (status == LOTOR_OK && lotor_threads_next(threads, &chunk)) {
        const uint64_t from = shared->first + chunk * size;
        const uint64_t to = from + size < shared->end ? from + size : shared->end;
        status = play_chunk(own, from, to, why);
    }
    return status;
}

/* Adds the results of one thread to those of the batch. */
static void hand_in(lotor_audit_trials *shared, const worker *own)
{
    pthread_mutex_lock(&shared->mutex);
    for (size_t i = 0; i < LOTOR_AUDIT_ATTACKS; i++) {
        for (unsigned world = 0; world < 2; world++) {
            shared->counts[i].trials[world] += own->counts[i].trials[world];
            shared->counts[i].seen[world] += own->counts[i].seen[world];
        }
    }
    pthread_mutex_unlock(&shared->mutex);
}

static void work(void *context, lotor_threads *threads)
{
    lotor_audit_trials *shared = context;
    const lotor_audit_subject *subject = shared->subject;
    lotor_message why = {.text = ""};
    worker own = {.batch = shared};
    lotor_status status = subject->begin(subject->context, &why, &own.own);
    if (status == LOTOR_OK) {
        status = play_chunks(&own, threads, &why);
        hand_in(shared, &own);
        subject->end(own.own);
    }
    if (status != LOTOR_OK) {
        lotor_threads_fail(threads, status, &why);
    }
}

/* --- all threads -------------------------------------------------------------------------------- */

static void tell_progress(void *context, lotor_threads *threads)
{
    const lotor_audit_trials *shared = context;
    const uint64_t trials = shared->end - shared->first;
    const uint64_t begun = lotor_threads_begun(threads) * shared->subject->chunk;
    const uint64_t done = shared->before + (begun < trials ? begun : trials);
    if (shared->progress &&
        shared->progress(shared->progress_context, (double)done / (double)shared->all)) {
        lotor_threads_fail(threads, LOTOR_STOPPED, NULL);
    }
}

lotor_status lotor_audit_trials_play(lotor_audit_trials *shared, lotor_message *why)
{
    const uint64_t trials = shared->end - shared->first, chunk = shared->subject->chunk;
    lotor_threads threads = {
        .wanted = shared->threads,
        .tasks = (trials + chunk - 1) / chunk,
        .work = work,
        .watch = shared->progress || shared->threads != 1 ? tell_progress : NULL,
        .context = shared,
    };
    const lotor_status status = lotor_threads_run(&threads, why);
    shared->before += trials;
    return status;
}
