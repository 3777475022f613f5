/* calculations.h - runs requests that calculate for a second or two (see lab/lab.h).
 *
 * One calculation runs at a time, in its own thread, so that rank requests never wait for it.
 */
#ifndef LOTOR_SERVICE_CALCULATIONS_H
#define LOTOR_SERVICE_CALCULATIONS_H

#include <pthread.h>
#include <stdbool.h>

#include <jansson.h>

#include "service/engine/engine.h"

/* Makes the reply to a request's body: a new reference, or NULL with a refusal. */
typedef json_t *lotor_calculation(const json_t *body, lotor_refusal *refusal);

typedef struct lotor_calculations {
    lotor_calculation *advise, *simulate; /* NULL: the path does not exist */
    pthread_mutex_t lock;
    pthread_t thread;
    bool is_busy, has_thread;
    /* Of the calculation that is running: */
    lotor_calculation *run;
    const json_t *body;
    json_t **reply;
    lotor_job *job;
} lotor_calculations;

void lotor_calculations_init(lotor_calculations *calculations, lotor_calculation *advise,
                             lotor_calculation *simulate);
/* Waits until the running calculation has ended. */
void lotor_calculations_destroy(lotor_calculations *calculations);

/* Starts a calculation and returns LOTOR_PENDING; job->done is called at its end. Until then the
 * caller keeps `body` and `reply` alive. Returns LOTOR_COMPLETED with a refusal if another
 * calculation is running (BUSY) or `run` is NULL (NO_SUCH_PATH). */
lotor_completion lotor_calculations_start(lotor_calculations *calculations, lotor_calculation *run,
                                          const json_t *body, json_t **reply, lotor_job *job);

#endif
