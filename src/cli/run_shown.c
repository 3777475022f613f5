/* run_shown.c - prints what was learned: the set that was shown most often at the end of the first
 * run. If the arms are the edges of a graph, it is printed as text: as a path through the graph, or
 * as the vertices that were picked.
 *
 *      Most often shown in the last 1000 rounds of the first run:
 *      cucb: 0-1-2-7-8-13-18-23-24, 71.3% of the time; cost 2.58, the cheapest
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/print.h"
#include "cli/run.h"

/* In text, longer lists are cut and end with their length. In JSON, they are left out. */
enum { MOST_IN_TEXT = 24, MOST_IN_JSON = 1000 };

/* A text that grows until its room is full. */
typedef struct writer {
    char text[1024];
    size_t length;
} writer;

__attribute__((format(printf, 2, 3))) static void write_more(writer *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const size_t left = sizeof out->text - out->length;
    const int more = vsnprintf(out->text + out->length, left, format, values);
    va_end(values);
    out->length += more < 0 ? 0 : (size_t)more < left ? (size_t)more : left - 1;
}

/* "0-5-10", "vertices 0, 3" or "edges 0-1, 1-2" */
static void write_set(writer *out, const lotor_simulate_problem_facts *problem,
                      const lotor_simulate_result *result)
{
    const bool path = problem->structure == LOTOR_STRUCTURE_PATH;
    const uint32_t *seeds = result->favourite_seeds;
    const size_t count = seeds ? result->favourite_seed_count : result->favourite_count;
    write_more(out, "%s", path ? "" : seeds ? "vertices " : "edges ");
    if (path) {
        write_more(out, "%lu", (unsigned long)problem->source);
    }
    for (size_t i = 0; i < count && i < MOST_IN_TEXT; i++) {
        if (path) {
            write_more(out, "-%lu", (unsigned long)problem->to[result->favourite[i]]);
        } else if (seeds) {
            write_more(out, "%s%lu", i > 0 ? ", " : "", (unsigned long)seeds[i]);
        } else {
            const uint32_t arm = result->favourite[i];
            write_more(out, "%s%lu-%lu", i > 0 ? ", " : "", (unsigned long)problem->from[arm],
                       (unsigned long)problem->to[arm]);
        }
    }
    if (count > MOST_IN_TEXT) {
        write_more(out, "%s... (%zu in all)", path ? "-" : ", ", count);
    }
}

/* The reward of the best set; NaN if the best set is too hard to find, or changes. */
static double best_value(const lotor_simulate_problem_facts *problem,
                         const lotor_simulate_result *result)
{
    const bool unknown = result->best_is_bound || problem->changes || problem->arms_change;
    return unknown ? NAN : result->best_per_round / result->best_share;
}

static bool is_best(const lotor_simulate_problem_facts *problem,
                    const lotor_simulate_result *result)
{
    const double best = best_value(problem, result);
    return best - result->favourite_value <= 1e-9 * fmax(1.0, fabs(best));
}

static void write_worth(writer *out, const lotor_simulate_problem_facts *problem,
                        const lotor_simulate_result *result)
{
    const bool path = problem->structure == LOTOR_STRUCTURE_PATH;
    const double sign = path ? -1.0 : 1.0;
    write_more(out, path ? "cost %.6g" : "worth %.6g", sign * result->favourite_value);
    if (is_best(problem, result)) {
        write_more(out, path ? ", the cheapest" : ", the best");
    } else if (isfinite(best_value(problem, result))) {
        write_more(out, path ? ", where the cheapest costs %.6g" : ", where the best is worth %.6g",
                   sign * best_value(problem, result));
    }
}

static void print_shown(const lotor_run_plan *plan, const lotor_outcome *outcome)
{
    const lotor_simulate_result *result = outcome->result;
    writer out = {.length = 0};
    write_more(&out, "%s: ", outcome->algorithm->id);
    write_set(&out, &plan->facts, result);
    write_more(&out, ", %.3g%% of the time; ",
               100.0 * (double)result->favourite_rounds / (double)result->last_rounds);
    write_worth(&out, &plan->facts, result);
    lotor_print_wrapped(stdout, out.text, 0, 2);
}

void lotor_run_shown(const lotor_run_plan *plan, const lotor_outcome *outcomes, size_t count)
{
    bool first = true;
    for (size_t i = 0; i < count && plan->facts.from; i++) {
        const lotor_simulate_result *result = outcomes[i].result;
        if (result->favourite_count == 0) {
            continue; /* the first run was stopped */
        }
        if (first) {
            char rounds[40] = "round";
            if (result->last_rounds > 1) {
                snprintf(rounds, sizeof rounds, "%llu rounds",
                         (unsigned long long)result->last_rounds);
            }
            printf("\nMost often shown in the last %s of the first run:\n", rounds);
        }
        first = false;
        print_shown(plan, &outcomes[i]);
    }
}

static void put_numbers(lotor_json *json, const char *key, const uint32_t *numbers, size_t count)
{
    if (!numbers || count > MOST_IN_JSON) {
        lotor_json_raw(json, key, "null");
        return;
    }
    lotor_json_open(json, key, '[');
    for (size_t i = 0; i < count; i++) {
        lotor_json_whole(json, NULL, numbers[i]);
    }
    lotor_json_close(json, ']');
}

/* Writes the vertices of a path, in order. */
static void put_path(lotor_json *json, const lotor_simulate_problem_facts *problem,
                     const lotor_simulate_result *result)
{
    if (result->favourite_count > MOST_IN_JSON) {
        lotor_json_raw(json, "vertices", "null");
        return;
    }
    lotor_json_open(json, "vertices", '[');
    lotor_json_whole(json, NULL, problem->source);
    for (size_t i = 0; i < result->favourite_count; i++) {
        lotor_json_whole(json, NULL, problem->to[result->favourite[i]]);
    }
    lotor_json_close(json, ']');
}

void lotor_run_put_shown(lotor_json *json, const lotor_run_plan *plan,
                         const lotor_simulate_result *result)
{
    if (result->favourite_count == 0) {
        lotor_json_raw(json, "most_shown", "null");
        return;
    }
    lotor_json_open(json, "most_shown", '{');
    put_numbers(json, "arms", result->favourite, result->favourite_count);
    if (plan->facts.structure == LOTOR_STRUCTURE_PATH) {
        put_path(json, &plan->facts, result);
    } else {
        put_numbers(json, "vertices", result->favourite_seeds, result->favourite_seed_count);
    }
    lotor_json_double(json, "value", result->favourite_value);
    lotor_json_double(json, "best_value", best_value(&plan->facts, result));
    const bool known = isfinite(best_value(&plan->facts, result));
    lotor_json_raw(json, "is_best",
                   !known                          ? "null"
                   : is_best(&plan->facts, result) ? "true"
                                                   : "false");
    lotor_json_whole(json, "rounds", result->favourite_rounds);
    lotor_json_whole(json, "of_last_rounds", result->last_rounds);
    lotor_json_close(json, '}');
}
