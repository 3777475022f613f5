/* calculations.c - runs one long calculation at a time in its own thread. See calculations.h. */
#include "service/http/calculations.h"

#include <sys/resource.h>

#include "service/spec/fields.h"

void lotor_calculations_init(lotor_calculations *calculations, lotor_calculation *advise,
                             lotor_calculation *simulate)
{
    *calculations = (lotor_calculations){.advise = advise, .simulate = simulate};
    pthread_mutex_init(&calculations->lock, NULL);
}

void lotor_calculations_destroy(lotor_calculations *calculations)
{
    if (calculations->has_thread) {
        pthread_join(calculations->thread, NULL);
    }
    pthread_mutex_destroy(&calculations->lock);
}

static void *work(void *context)
{
    lotor_calculations *const calculations = context;
    lotor_job *const job = calculations->job;
    setpriority(PRIO_PROCESS, 0, 10); /* of this thread only, so that rank requests come first */
    *calculations->reply = calculations->run(calculations->body, &job->refusal);
    if (!*calculations->reply && job->refusal.code == LOTOR_CODE_NONE) {
        lotor_refuse_memory(&job->refusal);
    }
    pthread_mutex_lock(&calculations->lock);
    calculations->is_busy = false;
    pthread_mutex_unlock(&calculations->lock);
    job->done(job);
    return NULL;
}

/* Starts the thread. The caller holds the lock, and no calculation is running. */
static bool start(lotor_calculations *calculations)
{
    if (calculations->has_thread) {
        pthread_join(calculations->thread, NULL); /* it has finished its work */
        calculations->has_thread = false;
    }
    calculations->is_busy = calculations->has_thread =
        pthread_create(&calculations->thread, NULL, work, calculations) == 0;
    return calculations->is_busy;
}

lotor_completion lotor_calculations_start(lotor_calculations *calculations, lotor_calculation *run,
                                          const json_t *body, json_t **reply, lotor_job *job)
{
    if (!run) {
        lotor_refuse(
            &job->refusal, LOTOR_CODE_NO_SUCH_PATH, "",
            "this server does not offer calculations: use the command lotor advise or lotor run");
        return LOTOR_COMPLETED;
    }
    *reply = NULL;
    pthread_mutex_lock(&calculations->lock);
    bool started = false;
    if (calculations->is_busy) {
        lotor_refuse(&job->refusal, LOTOR_CODE_BUSY, "",
                     "another calculation is running: try again in a few seconds");
    } else {
        calculations->run = run;
        calculations->body = body;
        calculations->reply = reply;
        calculations->job = job;
        started = start(calculations);
        if (!started) {
            lotor_refuse_memory(&job->refusal);
        }
    }
    pthread_mutex_unlock(&calculations->lock);
    return started ? LOTOR_PENDING : LOTOR_COMPLETED;
}
