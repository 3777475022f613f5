/* audit_couple_run.c - many traces of coupled worlds (lotor/couple.h), and the exact tables of local
 * randomizers whose reports are coins. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/couple.h>

#include "base/message.h"
#include "base/ratio.h"
#include "base/threads.h"
#include "base/time.h"
#include "lab/audit_couple.h"
#include "lab/verify.h"

enum { CHUNK = 16 }; /* traces of one task */

/* The data that the threads share. The mutex of the threads does not protect it: each thread adds its own
 * results under `mutex`. */
typedef struct run {
    const lotor_couple_params *params;
    const lotor_algorithm *algorithm;
    double noise_scale;
    uint64_t traces, seed;
    pthread_mutex_t mutex;
    lotor_couple_result *out;
} run;

static void take(run *self, uint64_t number, const lotor_couple_trace_result *trace)
{
    lotor_couple_result *out = self->out;
    out->traces++;
    out->releases += trace->releases;
    out->decisions += trace->decisions;
    out->worst = fmax(out->worst, trace->share);
    out->telling += trace->is_telling;
    if (!trace->is_violated) {
        return;
    }
    if (!out->is_violated || number < out->violating_trace) {
        out->violating_trace = number;
        snprintf(out->violation, sizeof out->violation, "%s", trace->violation);
        snprintf(out->setting, sizeof out->setting, "%s", trace->setting);
    }
    out->is_violated = true;
    out->violations++;
}

static void work(void *context, lotor_threads *threads)
{
    run *self = context;
    uint64_t task;
    while (lotor_threads_next(threads, &task)) {
        const uint64_t end = (task + 1) * CHUNK < self->traces ? (task + 1) * CHUNK : self->traces;
        for (uint64_t i = task * CHUNK; i < end; i++) {
            lotor_message why = {{0}};
            lotor_couple_trace_result trace;
            const uint64_t seed =
                lotor_mix(lotor_mix(self->seed) + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
            const lotor_status status =
                lotor_couple_play(self->algorithm, self->noise_scale, seed, &why, &trace);
            if (status != LOTOR_OK) {
                lotor_threads_fail(threads, status, &why);
                return;
            }
            pthread_mutex_lock(&self->mutex);
            take(self, i, &trace);
            pthread_mutex_unlock(&self->mutex);
        }
    }
}

static void watch(void *context, lotor_threads *threads)
{
    const run *self = context;
    const double share =
        (double)lotor_threads_begun(threads) * (double)CHUNK / (double)self->traces;
    if (self->params->progress(self->params->progress_context, fmin(share, 1.0))) {
        lotor_threads_fail(threads, LOTOR_STOPPED, NULL);
    }
}

/* --- tables ----------------------------------------------------------------------------------------- */

static const char *table_of(const lotor_algorithm *algorithm)
{
    switch (algorithm->statistic ? algorithm->statistic->report : LOTOR_REPORT_NONE) {
    case LOTOR_REPORT_BIT:
        return "response";
    case LOTOR_REPORT_POSITION:
        return "positions";
    case LOTOR_REPORT_CUBE:
        return "cube";
    case LOTOR_REPORT_NONE:
    case LOTOR_REPORT_LAPLACE:
        break;
    }
    return NULL;
}

static void take_finding(void *context, const lotor_verify_finding *finding)
{
    lotor_couple_result *out = context;
    out->traces += finding->compared;
    out->telling += finding->compared;
    out->worst = fmax(out->worst, finding->loss / lotor_ratio_to_double(finding->epsilon));
    if (!finding->holds) {
        if (!out->is_violated) {
            snprintf(out->violation, sizeof out->violation, "the loss is %s", finding->exact);
            snprintf(out->setting, sizeof out->setting, "%s; %s; report %s", finding->setting,
                     finding->inputs, finding->output);
        }
        out->is_violated = true;
        out->violations++;
    }
}

static lotor_status check_table(const char *table, double noise_scale, lotor_message *why,
                                lotor_couple_result *out)
{
    lotor_verify_request request = {.epsilon = {0, 0}};
    lotor_status status = LOTOR_OK;
    if (noise_scale != 1.0) {
        status = lotor_ratio_from_double(noise_scale, why, &request.noise_scale);
    }
    out->is_table = true;
    return status == LOTOR_OK
               ? lotor_verify(lotor_verify_find(table), &request, why, take_finding, out)
               : status;
}

/* --- the public function ------------------------------------------------------------------------------ */

static lotor_status check(const lotor_couple_params *params, lotor_message *why)
{
    if (!lotor_catalog_find(params->catalog, params->algorithm)) {
        return lotor_catalog_refuse(params->catalog, params->algorithm, why);
    }
    if (params->traces > LOTOR_COUPLE_TRACES_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "%" PRIu64 " traces are too many: at most 2^40",
                          params->traces);
    }
    return isfinite(params->noise_scale) && params->noise_scale >= 0.0
               ? LOTOR_OK
               : lotor_fail(LOTOR_INVALID, why,
                            "the noise scale must be a finite number above 0, not %g",
                            params->noise_scale);
}

static lotor_status play_traces(run *self, lotor_message *why)
{
    pthread_mutex_init(&self->mutex, NULL);
    lotor_threads threads = {
        .wanted = self->params->threads,
        .tasks = (self->traces + CHUNK - 1) / CHUNK,
        .work = work,
        .watch = self->params->progress ? watch : NULL,
        .context = self,
    };
    const lotor_status status = lotor_threads_run(&threads, why);
    pthread_mutex_destroy(&self->mutex);
    return status;
}

lotor_status lotor_couple_run(const lotor_couple_params *params, lotor_message *why,
                              lotor_couple_result *out)
{
    lotor_status status = check(params, why);
    if (status != LOTOR_OK) {
        return status;
    }
    const lotor_algorithm *algorithm = lotor_catalog_find(params->catalog, params->algorithm);
    const double begun = lotor_time_seconds();
    lotor_couple_result result = {.is_claimed = lotor_algorithm_is_private(algorithm)};
    run self = {
        .params = params,
        .algorithm = algorithm,
        .noise_scale = params->noise_scale == 0.0 ? 1.0 : params->noise_scale,
        .traces = params->traces ? params->traces : LOTOR_COUPLE_TRACES_DEFAULT,
        .seed = params->seed ? params->seed : LOTOR_COUPLE_SEED_DEFAULT,
        .out = &result,
    };
    const char *table = table_of(algorithm);
    status = table ? check_table(table, self.noise_scale, why, &result) : play_traces(&self, why);
    if (status == LOTOR_OK) {
        result.seconds = lotor_time_seconds() - begun;
        *out = result;
    } else if (status == LOTOR_STOPPED) {
        lotor_explain(why, "stopped before all traces were played, so there is no result");
    } else if (status == LOTOR_MEMORY) {
        lotor_explain(why, "no memory for coupled worlds");
    }
    return status;
}
