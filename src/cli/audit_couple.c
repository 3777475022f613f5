/* audit_couple.c - see audit_couple.h. */
#include "cli/audit_couple.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "cli/command.h"
#include "cli/print.h"
#include "cli/progress.h"

/* True if the result is not what the catalog says: a claim was broken, or a leak was not found. */
static bool is_surprise(const lotor_couple_result *result)
{
    return result->is_violated == result->is_claimed;
}

/* True if no trace could have shown a violation. */
static bool is_unseen(const lotor_couple_result *result)
{
    return !result->is_violated && result->telling == 0;
}

static const char *verdict_of(const lotor_couple_result *result)
{
    if (is_unseen(result)) {
        return "nothing could be seen";
    }
    if (result->is_claimed) {
        return result->is_violated ? "VIOLATED" : "holds";
    }
    return result->is_violated ? "violated, as known" : "NOT FOUND";
}

/* "1.000", rounded down, so that 1.000 is never printed for less; or "infinite". */
static void put_share(const lotor_couple_result *result, char text[LOTOR_NUMBER_ROOM])
{
    if (isinf(result->worst)) {
        snprintf(text, LOTOR_NUMBER_ROOM, "infinite");
    } else {
        snprintf(text, LOTOR_NUMBER_ROOM, "%.3f", floor(result->worst * 1000.0 + 1e-6) / 1000.0);
    }
}

static void print_row(const lotor_algorithm_info *facts, const lotor_couple_result *result)
{
    char share[LOTOR_NUMBER_ROOM];
    put_share(result, share);
    printf("%-27s %7" PRIu64 "%c %9" PRIu64 "  %8s  %s\n", facts->id, result->traces,
           result->is_table ? '*' : ' ', result->releases, share, verdict_of(result));
}

static void print_one(const lotor_algorithm_info *facts, const lotor_couple_result *result,
                      const lotor_couple_params *params)
{
    char share[LOTOR_NUMBER_ROOM];
    put_share(result, share);
    printf("%s: %s\n", facts->id, verdict_of(result));
    if (result->is_table) {
        printf("  compared  %" PRIu64
               " pairs of probabilities in the exact tables of its reports\n",
               result->traces);
    } else {
        printf("  played    %" PRIu64 " traces from seed %" PRIu64 ", %.1f s\n", result->traces,
               params->seed, result->seconds);
        printf("  telling   %" PRIu64 ": there a release contained the round that differs\n",
               result->telling);
        printf("  compared  %" PRIu64 " released numbers and %" PRIu64 " decisions\n",
               result->releases, result->decisions);
    }
    printf("  worst     %s of the distance that the claim allows\n", share);
    if (result->is_violated) {
        if (!result->is_table) {
            printf("  violated  %" PRIu64 " time%s; first in trace %" PRIu64 ", counted from 0\n",
                   result->violations, result->violations == 1 ? "" : "s", result->violating_trace);
        }
        fputs("  because   ", stdout);
        lotor_print_wrapped(stdout, result->violation, 12, 12);
        fputs("  setting   ", stdout);
        lotor_print_wrapped(stdout, result->setting, 12, 12);
    }
}

static void print_json(const lotor_algorithm_info *facts, const lotor_couple_result *result,
                       const lotor_couple_params *params)
{
    char buffer[2048];
    lotor_json json;
    lotor_json_start(&json, buffer, sizeof buffer);
    lotor_json_open(&json, NULL, '{');
    lotor_json_string(&json, "algorithm", facts->id);
    lotor_json_bool(&json, "claims_privacy", result->is_claimed);
    lotor_json_bool(&json, "violated", result->is_violated);
    lotor_json_double(&json, "worst", result->worst);
    lotor_json_whole(&json, "traces", result->traces);
    lotor_json_bool(&json, "table", result->is_table);
    lotor_json_whole(&json, "telling", result->telling);
    lotor_json_whole(&json, "violations", result->violations);
    lotor_json_whole(&json, "releases", result->releases);
    lotor_json_whole(&json, "decisions", result->decisions);
    lotor_json_whole(&json, "violating_trace", result->violating_trace);
    lotor_json_string(&json, "violation", result->is_violated ? result->violation : NULL);
    lotor_json_string(&json, "setting", result->is_violated ? result->setting : NULL);
    lotor_json_whole(&json, "seed", params->seed);
    lotor_json_double(&json, "noise_scale", params->noise_scale == 0.0 ? 1.0 : params->noise_scale);
    lotor_json_double(&json, "seconds", result->seconds);
    lotor_json_close(&json, '}');
    fputs(buffer, stdout);
}

static void print_result(const lotor_audit_couple_request *ask, size_t place,
                         const lotor_couple_result *result)
{
    const lotor_algorithm_info *facts = &ask->algorithms[place];
    if (ask->json) {
        fputs(ask->count == 1 ? "" : place == 0 ? "[" : ",\n ", stdout);
        print_json(facts, result, &ask->params);
    } else if (ask->count == 1) {
        print_one(facts, result, &ask->params);
    } else {
        if (place == 0) {
            printf("%-27s %7s  %9s  %8s  %s\n", "algorithm", "traces", "releases", "worst",
                   "verdict");
        }
        print_row(facts, result);
    }
    fflush(stdout);
}

static void print_end(const lotor_audit_couple_request *ask, size_t surprises)
{
    if (ask->json) {
        fputs(ask->count == 1 ? "\n" : "]\n", stdout);
    } else if (ask->count > 1) {
        printf(
            "\nworst: the largest distance of two worlds that differ in one round and release\n"
            "the same numbers, divided by the distance that the claim allows.\n"
            "*: pairs of probabilities in the exact tables of its reports; no policy is played.\n"
            "%zu of %zu not as the catalog says.\n",
            surprises, ask->count);
    }
}

int lotor_audit_couple_run(const char *command, const lotor_audit_couple_request *ask)
{
    lotor_progress progress;
    lotor_message why = {.text = ""};
    lotor_status status = LOTOR_OK;
    size_t surprises = 0, violated = 0, unseen = 0;
    lotor_progress_begin(&progress, ask->count, (double)ask->count);
    for (size_t i = 0; i < ask->count && status == LOTOR_OK; i++) {
        lotor_couple_params params = ask->params;
        lotor_couple_result result;
        params.algorithm = ask->algorithms[i].id;
        params.progress = lotor_progress_tell;
        params.progress_context = &progress;
        lotor_progress_next(&progress, params.algorithm, 1.0);
        status = lotor_couple_run(&params, &why, &result);
        lotor_progress_wipe(&progress);
        if (status == LOTOR_OK) {
            print_result(ask, i, &result);
            unseen += is_unseen(&result);
            surprises += is_surprise(&result);
            violated += result.is_violated;
        }
    }
    lotor_progress_end(&progress);
    if (status == LOTOR_STOPPED) {
        lotor_print_complaint(command, "stopped: %s", why.text);
        return LOTOR_EXIT_INTERRUPTED;
    }
    if (status != LOTOR_OK) {
        lotor_print_error(ask->json, why.text);
        return lotor_command_refuse(command, status, why.text);
    }
    print_end(ask, surprises);
    if ((ask->is_all ? surprises : violated) > 0) {
        return LOTOR_EXIT_FAILED;
    }
    return unseen > 0 ? LOTOR_EXIT_UNSEEN : LOTOR_EXIT_FINE;
}
