/* run_json.c - outcomes for programs: an object, or an array of them when several algorithms were
 * asked for. It is written twice: to measure, then for good. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "cli/run.h"

/* Longer lists of means are left out. */
enum { MOST_MEANS = 1000 };

static void put_estimate(lotor_json *json, const char *key, double mean, double error)
{
    lotor_json_open(json, key, '{');
    lotor_json_double(json, "mean", mean);
    lotor_json_double(json, "stderr", error);
    lotor_json_close(json, '}');
}

static void put_checkpoints(lotor_json *json, const lotor_result *result)
{
    lotor_json_open(json, "checkpoints", '[');
    for (size_t i = 0; i < result->checkpoint_count; i++) {
        lotor_json_open(json, NULL, '{');
        lotor_json_whole(json, "t", result->checkpoints[i].t);
        lotor_json_double(json, "mean", result->checkpoints[i].mean);
        lotor_json_double(json, "stderr", result->checkpoints[i].standard_error);
        lotor_json_close(json, '}');
    }
    lotor_json_close(json, ']');
}

static void put_means(lotor_json *json, const lotor_world *world)
{
    if (world->arms > MOST_MEANS) {
        lotor_json_raw(json, "means", "null");
        return;
    }
    lotor_json_open(json, "means", '[');
    for (size_t i = 0; i < world->arms; i++) {
        lotor_json_double(json, NULL, world->means[i]);
    }
    lotor_json_close(json, ']');
}

/* What it was played with, null where the algorithm has no use for it. */
static void put_settings(lotor_json *json, const lotor_run_plan *plan, const lotor_outcome *outcome)
{
    const lotor_algorithm *algorithm = outcome->algorithm;
    const lotor_policy_params *params = &outcome->params;
    const bool noisy = lotor_run_uses(algorithm, LOTOR_RUN_EPSILON);
    const bool confident = lotor_run_uses(algorithm, LOTOR_RUN_BETA);
    lotor_json_open(json, "settings", '{');
    lotor_json_double(json, "epsilon", noisy ? lotor_ratio_double(params->epsilon) : NAN);
    lotor_json_double(json, "delta", lotor_ratio_double(params->delta));
    lotor_json_double(json, "beta", confident ? params->beta : NAN);
    lotor_json_double(json, "noise_scale",
                      noisy ? plan->values[LOTOR_RUN_NOISE_SCALE].number : NAN);
    lotor_json_whole(json, "arms", params->arms);
    lotor_json_whole(json, "slots", params->slots);
    lotor_json_string(json, "oracle",
                      plan->problem.is_linear ? NULL : lotor_problem_oracle_name(&plan->problem));
    lotor_json_string(json, "feedback", lotor_algorithm_feedback(algorithm, params->cascade));
    lotor_json_bool(json, "clip", params->clip);
    if (plan->problem.is_linear) {
        lotor_json_whole(json, "dimension", params->dimension);
        lotor_json_double(json, "gap",
                          plan->problem.linear.has_gap ? plan->problem.linear.gap : NAN);
    } else {
        lotor_json_string(json, "instance", plan->values[LOTOR_RUN_INSTANCE].text);
        lotor_json_string(json, "replay", plan->values[LOTOR_RUN_REPLAY].text);
        lotor_json_string(json, "rewards", plan->problem.world->id);
        put_means(json, plan->problem.world);
    }
    lotor_json_bool(json, "exact_rounds", plan->values[LOTOR_RUN_EXACT_ROUNDS].given);
    lotor_json_close(json, '}');
}

static void put_bound(lotor_json *json, const lotor_lower_bound *bound, uint64_t horizon)
{
    if (isnan(bound->per_log_t)) {
        lotor_json_raw(json, "lower_bound", "null");
        return;
    }
    lotor_json_open(json, "lower_bound", '{');
    lotor_json_double(json, "regret", bound->per_log_t * log((double)horizon));
    lotor_json_double(json, "per_log_t", bound->per_log_t);
    lotor_json_bool(json, "asymptotic", true); /* as T grows: at this T regret may be below */
    lotor_json_string(json, "theorem", bound->theorem);
    lotor_json_close(json, '}');
}

static void put_reference(lotor_json *json, const lotor_reference *reference)
{
    lotor_json_open(json, "regret_against", '{');
    lotor_json_double(json, "per_round", reference->per_round);
    lotor_json_double(json, "share_of_optimum", reference->share);
    lotor_json_bool(json, "is_bound", reference->is_bound);
    lotor_json_close(json, '}');
}

static void put_outcome(lotor_json *json, const lotor_run_plan *plan, const lotor_outcome *outcome)
{
    const lotor_result *result = &outcome->result;
    char guarantee[4096];
    lotor_guarantee_json(&result->guarantee, guarantee, sizeof guarantee);
    lotor_json_open(json, NULL, '{');
    lotor_json_string(json, "algorithm", outcome->algorithm->id);
    lotor_json_whole(json, "horizon", outcome->params.horizon);
    lotor_json_whole(json, "runs", result->runs);
    lotor_json_whole(json, "seed", plan->values[LOTOR_RUN_SEED].whole);
    put_estimate(json, "regret", result->regret_mean, result->regret_stderr);
    put_estimate(json, "return_per_round", result->return_mean, result->return_stderr);
    if (outcome->algorithm->linear) {
        lotor_json_double(json, "indefinite_rounds", result->indefinite);
    } else {
        put_reference(json, &result->reference);
        lotor_run_put_shown(json, plan, result);
    }
    lotor_json_double(json, "seconds", result->seconds);
    lotor_json_double(json, "rounds_per_second", result->rounds_per_second);
    put_settings(json, plan, outcome);
    put_bound(json, &outcome->bound, outcome->params.horizon);
    lotor_json_raw(json, "guarantee", guarantee);
    put_checkpoints(json, result);
    lotor_json_close(json, '}');
}

static size_t put_all(const lotor_run_plan *plan, const lotor_outcome *outcomes, size_t count,
                      char *buffer, size_t capacity)
{
    lotor_json json;
    lotor_json_start(&json, buffer, capacity);
    const bool several = plan->count > 1;
    if (several) {
        lotor_json_open(&json, NULL, '[');
    }
    for (size_t i = 0; i < count; i++) {
        put_outcome(&json, plan, &outcomes[i]);
    }
    if (several) {
        lotor_json_close(&json, ']');
    }
    return json.length;
}

lotor_status lotor_run_json(const lotor_run_plan *plan, const lotor_outcome *outcomes, size_t count,
                            lotor_message *why)
{
    const size_t length = put_all(plan, outcomes, count, NULL, 0);
    char *text = malloc(length + 1);
    if (!text) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %zu bytes of JSON", length);
    }
    put_all(plan, outcomes, count, text, length + 1);
    fwrite(text, 1, length, stdout);
    fputc('\n', stdout);
    free(text);
    return LOTOR_OK;
}
