/* errands.h - requests that calculate for a second or two: one at a time, in a thread of their own, so
 * that nobody who ranks waits for them. What they calculate is in lab/lab.h. */
#ifndef LOTOR_SERVICE_ERRANDS_H
#define LOTOR_SERVICE_ERRANDS_H

#include <pthread.h>
#include <stdbool.h>

#include <jansson.h>

#include "service/engine/engine.h"

/* From a request's body to the reply, a new reference; NULL: refused. */
typedef json_t *lotor_errand(const json_t *body, lotor_refusal *refusal);

typedef struct lotor_errands {
    lotor_errand *advise, *simulate; /* NULL: there is no such path */
    pthread_mutex_t lock;
    pthread_t thread;
    bool is_busy, has_thread;
    /* of the one that runs */
    lotor_errand *run;
    const json_t *body;
    json_t **reply;
    lotor_job *job;
} lotor_errands;

void lotor_errands_init(lotor_errands *errands, lotor_errand *advise, lotor_errand *simulate);
/* Waits for the one that runs. */
void lotor_errands_destroy(lotor_errands *errands);

/* Runs one: LATER, then job->done. The body stays the caller's until then. Refused (BUSY) while another
 * one runs, and where `run` is NULL (NO_SUCH_PATH). */
lotor_when lotor_errands_start(lotor_errands *errands, lotor_errand *run, const json_t *body,
                               json_t **reply, lotor_job *job);

#endif
