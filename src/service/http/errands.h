/* errands.h - runs requests that calculate for a second or two (see lab/lab.h).
 *
 * One calculation runs at a time, in its own thread, so that rank requests never wait for it.
 */
#ifndef LOTOR_SERVICE_ERRANDS_H
#define LOTOR_SERVICE_ERRANDS_H

#include <pthread.h>
#include <stdbool.h>

#include <jansson.h>

#include "service/engine/engine.h"

/* Makes the reply to a request's body: a new reference, or NULL with a refusal. */
typedef json_t *lotor_errand(const json_t *body, lotor_refusal *refusal);

typedef struct lotor_errands {
    lotor_errand *advise, *simulate; /* NULL: the path does not exist */
    pthread_mutex_t lock;
    pthread_t thread;
    bool is_busy, has_thread;
    /* Of the calculation that is running: */
    lotor_errand *run;
    const json_t *body;
    json_t **reply;
    lotor_job *job;
} lotor_errands;

void lotor_errands_init(lotor_errands *errands, lotor_errand *advise, lotor_errand *simulate);
/* Waits until the running calculation has ended. */
void lotor_errands_destroy(lotor_errands *errands);

/* Starts a calculation and returns LOTOR_LATER; job->done is called at its end. Until then the
 * caller keeps `body` and `reply` alive. Returns LOTOR_NOW with a refusal if another calculation
 * is running (BUSY) or `run` is NULL (NO_SUCH_PATH). */
lotor_when lotor_errands_start(lotor_errands *errands, lotor_errand *run, const json_t *body,
                               json_t **reply, lotor_job *job);

#endif
