/* reproduce_contexts.c - see reproduce_contexts.h. The runs are few and short, so they are played one
 * after the other. */
#include "papers/reproduce_contexts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "lab/contexts.h"

static bool is_named(const lotor_setting *setting, const char *algorithm)
{
    return strcmp(setting->algorithm, algorithm) == 0;
}

static lotor_status set_policy(const lotor_setting *setting, lotor_message *why,
                               lotor_policy_params *out)
{
    const bool responds = is_named(setting, "randomized-response");
    *out = (lotor_policy_params){
        .algorithm = responds ? "linucb" : setting->algorithm,
        .horizon = setting->horizon,
        .beta = setting->beta,
        .regularizer = setting->regularizer,
    };
    if (responds || setting->epsilon == 0.0) {
        return LOTOR_OK;
    }
    const lotor_status status = lotor_setting_ratio(setting->epsilon, why, &out->epsilon);
    return status == LOTOR_OK ? lotor_setting_ratio(setting->delta, why, &out->delta) : status;
}

/* Plays all runs: regrets[] has one row of `count` numbers for each. */
static lotor_status play_runs(lotor_figure_worker *self, const lotor_setting *setting,
                              const double *places, size_t count, lotor_message *why,
                              double *regrets)
{
    lotor_contexts asked = {0};
    lotor_generator at;
    lotor_status status = set_policy(setting, why, &asked.policy);
    if (is_named(setting, "randomized-response")) {
        asked.flip = lotor_contexts_flip(setting->epsilon);
    }
    lotor_generator_seed(&at, self->on->how->seed);
    for (uint64_t i = 0; i < setting->runs && status == LOTOR_OK; i++) {
        lotor_run_randomness streams = {.world = at};
        lotor_generator_jump(&at);
        streams.noise = at;
        streams.choices = lotor_generator_word(&streams.noise);
        lotor_generator_jump(&at);
        status = lotor_contexts_run(&asked, &streams, places, count, why, regrets + i * count);
        const double share = (double)(i + 1) / (double)setting->runs;
        if (status == LOTOR_OK && lotor_figure_run_tell(self, share) && i + 1 < setting->runs) {
            status = LOTOR_STOPPED;
        }
    }
    return status;
}

/* Mean and standard error of column i. */
static lotor_curve_point average(double x, const double *regrets, size_t count, size_t i,
                                 uint64_t runs)
{
    double mean = 0.0, squares = 0.0;
    for (uint64_t run = 0; run < runs; run++) {
        const double off = regrets[run * count + i] - mean;
        mean += off / (double)(run + 1);
        squares += off * (regrets[run * count + i] - mean);
    }
    const double n = (double)runs;
    return (lotor_curve_point){x, mean, runs > 1 ? sqrt(squares / (n - 1.0) / n) : NAN};
}

static lotor_curve_point least(double x, const lotor_setting *setting)
{
    return (lotor_curve_point){x, x * lotor_contexts_least(setting->epsilon, setting->delta), 0.0};
}

lotor_status lotor_figure_contexts_play(lotor_figure_worker *self, const lotor_figure_cell *cell,
                                        lotor_message *why, lotor_series *series)
{
    const lotor_figure_run *on = self->on;
    const lotor_setting *setting = &cell->setting;
    const bool is_played = !is_named(setting, "plain-dp");
    double *places;
    size_t count;
    if (on->figure->axis != LOTOR_AXIS_ROUND || on->figure->measure != LOTOR_MEASURE_REGRET) {
        return lotor_fail(LOTOR_INVALID, why, "%s, %s: two contexts are for regret over the rounds",
                          on->figure->id, series->label);
    }
    lotor_status status = lotor_curve_places(on->figure, on->how->is_quick, cell->panel,
                                             cell->curve, &places, &count);
    double *regrets = calloc(setting->runs, (count + 1) * sizeof *regrets);
    if (status != LOTOR_OK || !regrets) {
        status = lotor_fail(LOTOR_MEMORY, why, "no memory for the regret of %s", series->label);
    }
    if (status == LOTOR_OK && is_played) {
        lotor_message reason = {""};
        status = play_runs(self, setting, places, count, &reason, regrets);
        if (status != LOTOR_OK && status != LOTOR_STOPPED) {
            lotor_explain(why, "%s, %s: %.240s", on->figure->id, series->label, reason.text);
        }
    }
    for (size_t i = 0; i < count && status == LOTOR_OK; i++) {
        status = lotor_points_add(series,
                                  is_played ? average(places[i], regrets, count, i, setting->runs)
                                            : least(places[i], setting),
                                  why);
    }
    free(places);
    free(regrets);
    return status;
}
