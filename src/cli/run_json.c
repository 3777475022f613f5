/* run_json.c - writes the outcomes as JSON: an object, or an array if there are several algorithms.
 * The JSON is written twice: first to find its length, then into memory of that length. */
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

/* The regret of single runs. */
static void put_runs(lotor_json *json, const lotor_simulate_result *result)
{
    lotor_json_open(json, "regret_of_runs", '{');
    lotor_json_double(json, "median", result->regret_median);
    lotor_json_double(json, "q99", result->regret_99);
    lotor_json_double(json, "largest", result->regret_largest);
    lotor_json_close(json, '}');
}

static void put_checkpoints(lotor_json *json, const lotor_simulate_result *result)
{
    lotor_json_open(json, "checkpoints", '[');
    for (size_t i = 0; i < result->point_count; i++) {
        lotor_json_open(json, NULL, '{');
        lotor_json_whole(json, "t", result->points[i].round);
        lotor_json_double(json, "mean", result->points[i].regret);
        lotor_json_double(json, "stderr", result->points[i].standard_error);
        lotor_json_close(json, '}');
    }
    lotor_json_close(json, ']');
}

/* A list of lists: one for each run. */
static void put_rows(lotor_json *json, const char *key, const double *rows, uint64_t runs,
                     size_t count)
{
    lotor_json_open(json, key, '[');
    for (uint64_t run = 0; run < runs; run++) {
        lotor_json_open(json, NULL, '[');
        for (size_t i = 0; i < count; i++) {
            lotor_json_double(json, NULL, *rows++);
        }
        lotor_json_close(json, ']');
    }
    lotor_json_close(json, ']');
}

static void put_displays(lotor_json *json, const lotor_simulate_result *result)
{
    if (!result->shown) {
        lotor_json_raw(json, "shown", "null");
        return;
    }
    lotor_json_open(json, "shown", '[');
    for (uint64_t run = 0; run < result->runs; run++) {
        lotor_json_open(json, NULL, '[');
        for (size_t i = 0; i < result->arms; i++) {
            lotor_json_whole(json, NULL, result->shown[run * result->arms + i]);
        }
        lotor_json_close(json, ']');
    }
    lotor_json_close(json, ']');
}

/* Every run by itself. */
static void put_curves(lotor_json *json, const lotor_simulate_result *result)
{
    lotor_json_open(json, "curves", '{');
    put_rows(json, "regret", result->regrets, result->runs, result->point_count);
    put_rows(json, "reward", result->rewards, result->runs, result->point_count);
    put_displays(json, result);
    lotor_json_close(json, '}');
}

static void put_means(lotor_json *json, const lotor_simulate_problem_facts *problem)
{
    if (!problem->means || problem->arms > MOST_MEANS) {
        lotor_json_raw(json, "means", "null");
        return;
    }
    lotor_json_open(json, "means", '[');
    for (size_t i = 0; i < problem->arms; i++) {
        lotor_json_double(json, NULL, problem->means[i]);
    }
    lotor_json_close(json, ']');
}

/* Writes the settings that were played. A setting that the algorithm does not use is null. */
static void put_settings(lotor_json *json, const lotor_run_plan *plan, const lotor_outcome *outcome)
{
    const lotor_simulate_problem_facts *problem = &plan->facts;
    const lotor_simulate_result *result = outcome->result;
    const bool noisy = lotor_run_uses(outcome->algorithm, LOTOR_RUN_EPSILON);
    const bool clips = lotor_run_uses(outcome->algorithm, LOTOR_RUN_CLIP);
    lotor_json_open(json, "settings", '{');
    lotor_json_double(json, "epsilon", noisy ? lotor_ratio_to_double(result->epsilon) : NAN);
    lotor_json_double(json, "delta", lotor_ratio_to_double(result->delta));
    lotor_json_double(json, "beta", result->beta);
    lotor_json_double(json, "noise_scale",
                      noisy ? plan->values[LOTOR_RUN_NOISE_SCALE].number : NAN);
    lotor_json_whole(json, "arms", result->arms);
    lotor_json_whole(json, "slots", result->slots);
    lotor_json_string(json, "oracle", problem->structure_name);
    lotor_json_string(json, "feedback", result->feedback);
    lotor_json_bool(json, "clip", clips && plan->values[LOTOR_RUN_CLIP].given);
    if (problem->is_linear) {
        const lotor_option_value *gap = &plan->values[LOTOR_RUN_GAP];
        lotor_json_whole(json, "dimension", problem->dimension);
        lotor_json_double(json, "gap", gap->given ? gap->number : NAN);
    } else {
        lotor_json_string(json, "instance", plan->values[LOTOR_RUN_INSTANCE].text);
        lotor_json_string(json, "replay", plan->values[LOTOR_RUN_REPLAY].text);
        lotor_json_string(json, "rewards",
                          problem->is_clipped ? plan->values[LOTOR_RUN_REWARDS].text
                                              : problem->rewards);
        put_means(json, problem);
        if (problem->is_clipped) {
            lotor_json_double(json, "clipped_share", result->clipped_share);
        }
    }
    lotor_json_bool(json, "exact_rounds", plan->values[LOTOR_RUN_EXACT_ROUNDS].given);
    if (plan->values[LOTOR_RUN_WORLD].given) {
        lotor_json_string(json, "world", plan->values[LOTOR_RUN_WORLD].text);
    }
    if (plan->values[LOTOR_RUN_SCHEDULE].given) {
        lotor_json_string(json, "schedule", plan->values[LOTOR_RUN_SCHEDULE].text);
    }
    if (plan->values[LOTOR_RUN_DELAY].given) {
        lotor_json_string(json, "delay", plan->values[LOTOR_RUN_DELAY].text);
    }
    if (plan->values[LOTOR_RUN_EXPIRY].given) {
        lotor_json_whole(json, "expiry", plan->values[LOTOR_RUN_EXPIRY].whole);
        lotor_json_double(json, "missing", plan->values[LOTOR_RUN_MISSING].number);
        lotor_json_double(json, "lost_share", result->lost_share);
    }
    lotor_json_close(json, '}');
}

static void put_bound(lotor_json *json, const char *key, double per_log_t, const char *theorem,
                      uint64_t horizon)
{
    if (isnan(per_log_t)) {
        lotor_json_raw(json, key, "null");
        return;
    }
    lotor_json_open(json, key, '{');
    lotor_json_double(json, "regret", per_log_t * log((double)horizon));
    lotor_json_double(json, "per_log_t", per_log_t);
    lotor_json_bool(json, "asymptotic", true); /* as T grows; regret at this T may be below */
    lotor_json_string(json, "theorem", theorem);
    lotor_json_close(json, '}');
}

static void put_reference(lotor_json *json, const lotor_simulate_result *result)
{
    lotor_json_open(json, "regret_against", '{');
    lotor_json_double(json, "per_round", result->best_per_round);
    lotor_json_double(json, "share_of_optimum", result->best_share);
    lotor_json_bool(json, "is_bound", result->best_is_bound);
    lotor_json_close(json, '}');
}

static void put_outcome(lotor_json *json, const lotor_run_plan *plan, const lotor_outcome *outcome)
{
    const lotor_simulate_result *result = outcome->result;
    char guarantee[4096];
    lotor_guarantee_json(&result->guarantee, guarantee, sizeof guarantee);
    lotor_json_open(json, NULL, '{');
    lotor_json_string(json, "algorithm", outcome->algorithm->id);
    lotor_json_whole(json, "horizon", result->horizon);
    lotor_json_whole(json, "runs", result->runs);
    lotor_json_whole(json, "seed", plan->values[LOTOR_RUN_SEED].whole);
    put_estimate(json, "regret", result->regret, result->regret_error);
    put_estimate(json, "return_per_round", result->per_round, result->round_error);
    put_runs(json, result);
    if (lotor_run_is_unbiased(plan)) {
        lotor_json_open(json, "log", '{');
        lotor_json_whole(json, "events", result->logged_events);
        lotor_json_double(json, "accepted", result->accepted_events);
        lotor_json_close(json, '}');
    }
    if (plan->facts.is_linear) {
        lotor_json_double(json, "indefinite_rounds", result->indefinite_rounds);
    } else {
        put_reference(json, result);
        lotor_run_put_shown(json, plan, result);
    }
    lotor_json_double(json, "seconds", result->seconds);
    lotor_json_double(json, "rounds_per_second", result->rounds_per_second);
    put_settings(json, plan, outcome);
    put_bound(json, "lower_bound", result->lower_bound, result->lower_bound_theorem,
              result->horizon);
    put_bound(json, "classical_bound", result->classical_bound, result->classical_bound_theorem,
              result->horizon);
    lotor_json_raw(json, "guarantee", guarantee);
    put_checkpoints(json, result);
    if (plan->values[LOTOR_RUN_CURVES].given) {
        put_curves(json, result);
    }
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
