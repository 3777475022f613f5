/* errands.c - runs one long calculation at a time in its own thread. See errands.h. */
#include "service/http/errands.h"

#include <sys/resource.h>

#include "service/spec/fields.h"

void lotor_errands_init(lotor_errands *errands, lotor_errand *advise, lotor_errand *simulate)
{
    *errands = (lotor_errands){.advise = advise, .simulate = simulate};
    pthread_mutex_init(&errands->lock, NULL);
}

void lotor_errands_destroy(lotor_errands *errands)
{
    if (errands->has_thread) {
        pthread_join(errands->thread, NULL);
    }
    pthread_mutex_destroy(&errands->lock);
}

static void *work(void *context)
{
    lotor_errands *const errands = context;
    lotor_job *const job = errands->job;
    setpriority(PRIO_PROCESS, 0, 10); /* of this thread only, so that rank requests come first */
    *errands->reply = errands->run(errands->body, &job->refusal);
    if (!*errands->reply && job->refusal.code == LOTOR_CODE_NONE) {
        lotor_refuse_memory(&job->refusal);
    }
    pthread_mutex_lock(&errands->lock);
    errands->is_busy = false;
    pthread_mutex_unlock(&errands->lock);
    job->done(job);
    return NULL;
}

/* Starts the thread. The caller holds the lock, and no calculation is running. */
static bool start(lotor_errands *errands)
{
    if (errands->has_thread) {
        pthread_join(errands->thread, NULL); /* it has finished its work */
        errands->has_thread = false;
    }
    errands->is_busy = errands->has_thread =
        pthread_create(&errands->thread, NULL, work, errands) == 0;
    return errands->is_busy;
}

lotor_when lotor_errands_start(lotor_errands *errands, lotor_errand *run, const json_t *body,
                               json_t **reply, lotor_job *job)
{
    if (!run) {
        lotor_refuse(
            &job->refusal, LOTOR_CODE_NO_SUCH_PATH, "",
            "this server does not offer calculations: use the command lotor advise or lotor run");
        return LOTOR_NOW;
    }
    *reply = NULL;
    pthread_mutex_lock(&errands->lock);
    bool started = false;
    if (errands->is_busy) {
        lotor_refuse(&job->refusal, LOTOR_CODE_BUSY, "",
                     "another calculation is running: try again in a few seconds");
    } else {
        errands->run = run;
        errands->body = body;
        errands->reply = reply;
        errands->job = job;
        started = start(errands);
        if (!started) {
            lotor_refuse_memory(&job->refusal);
        }
    }
    pthread_mutex_unlock(&errands->lock);
    return started ? LOTOR_LATER : LOTOR_NOW;
}
