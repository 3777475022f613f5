/* audit_print.c - prints the results of lotor audit. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/quote.h"
#include "cli/audit.h"
#include "cli/print.h"

static void number_text(double value, char *text, size_t capacity)
{
    if (isinf(value)) {
        snprintf(text, capacity, "inf");
    } else {
        snprintf(text, capacity, "%.3g", value);
    }
}

/* "violated", "claim is loose by a factor of 9.6", ... */
static void verdict_text(const lotor_audit_result *result, bool is_leak, char *text,
                         size_t capacity)
{
    switch (result->kind) {
    case LOTOR_AUDIT_LOOSE:
        if (isinf(result->looseness)) {
            snprintf(text, capacity, "claim is loose: no event tells the inputs apart");
        } else {
            snprintf(text, capacity, "claim is loose by a factor of %.2g", result->looseness);
        }
        break;
    case LOTOR_AUDIT_VIOLATED:
        snprintf(text, capacity, "violated%s", is_leak ? ", as is known" : "");
        break;
    case LOTOR_AUDIT_NOTHING_FOUND:
    case LOTOR_AUDIT_CLAIMS_NOTHING:
    case LOTOR_AUDIT_UNSEEN:
    case LOTOR_AUDIT_NOTHING_SEEN:
        snprintf(text, capacity, "%s", result->verdict);
        break;
    }
    if (is_leak && result->kind != LOTOR_AUDIT_VIOLATED) {
        const size_t length = strlen(text);
        snprintf(text + length, capacity - length, " (but it is a known leak)");
    }
}

static const char *noise_name(const lotor_audit_result *result)
{
    return result->is_simulated ? "simulated" : "exact";
}

static void line(const char *head, const char *text)
{
    enum { INDENT = 12 };
    printf("  %-*s", INDENT - 2, head);
    lotor_print_wrapped(stdout, text, INDENT, INDENT);
}

/* `model` is what follows the numbers: " (central)", or "". */
static void print_claim(const lotor_audit_result *result, const char *model)
{
    char text[200];
    if (result->delta > 0.0) {
        snprintf(text, sizeof text, "epsilon %.4g, delta %.4g%s", result->epsilon, result->delta,
                 model);
    } else {
        snprintf(text, sizeof text, "epsilon %.4g%s", result->epsilon, model);
    }
    line("claimed", text);
}

static void print_found(const lotor_audit_result *result)
{
    char text[200], estimate[40] = "";
    if (isfinite(result->estimate)) {
        snprintf(estimate, sizeof estimate, " (estimated: %.4g)", result->estimate);
    }
    if (result->kind == LOTOR_AUDIT_NOTHING_SEEN) {
        snprintf(text, sizeof text, "nothing: no event told the two inputs apart%s", estimate);
    } else {
        snprintf(text, sizeof text, "epsilon at least %.4g, with confidence %.9g%s", result->found,
                 result->confidence, estimate);
    }
    line("found", text);
}

/* Prints remarks that are needed to understand the result. */
static void print_notes(const lotor_audit_row *one)
{
    const lotor_audit_result *result = &one->result;
    const bool unseen = result->kind == LOTOR_AUDIT_UNSEEN;
    if (unseen && result->releases > 0 && result->seen == 0) {
        line("", strcmp(result->view, "actions") == 0
                     ? "No decision came after a release, so the audit can't say anything: give a "
                       "longer --horizon, or leave it out."
                     : "The replaced round sent no report, so the audit can't say anything.");
    } else if (unseen) {
        line("", "The audit saw fewer than two rounds with a release, so it can't say anything: "
                 "give a longer --horizon, or leave it out. (One round is enough if no later "
                 "release contains the replaced round.)");
    } else if (result->kind == LOTOR_AUDIT_NOTHING_SEEN && result->is_varied) {
        line("", "This says nothing about the claim: give more --trials, a larger --epsilon, or "
                 "another --view.");
    } else if (!result->is_varied) {
        line("", "Every event happened always or never: with this view and this horizon the inputs "
                 "can't be told apart.");
    }
    if (one->facts.is_simulation_only) {
        line("", "There is no exact sampler for this noise, so the audit used simulated noise.");
    }
}

/* The event, and the attack that found it. */
static void print_event(const lotor_audit_result *result)
{
    char text[512];
    if (result->kind != LOTOR_AUDIT_UNSEEN) {
        print_found(result);
        line("event", result->event);
        snprintf(text, sizeof text, "%s, by %s; %" PRIu64 " events were tried", result->inputs,
                 result->attack, result->events);
        line("attack", text);
    }
}

static void print_scope(const lotor_audit_result *result)
{
    if (result->kind != LOTOR_AUDIT_UNSEEN) {
        line("exercised", result->exercised);
        line("not", result->not_exercised);
    }
}

void lotor_audit_text(const lotor_audit_row *one)
{
    const lotor_audit_result *result = &one->result;
    char text[512], model[40];
    verdict_text(result, lotor_audit_is_known_leak(&one->facts), text, sizeof text);
    printf("%s: %s\n", one->facts.id, text);
    if (isinf(result->epsilon)) {
        line("claimed", "nothing: no noise is added");
    } else {
        snprintf(model, sizeof model, " (%s)", lotor_model_name(one->facts.model));
        print_claim(result, model);
    }
    print_event(result);
    snprintf(text, sizeof text, "%s; view: %s; %" PRIu64 " trials, %s noise%s, %.1f s",
             result->setting, result->view, result->trials, noise_name(result),
             result->noise_scale == 1.0 ? "" : " (multiplied)", result->seconds);
    line("played", text);
    print_scope(result);
    print_notes(one);
}

/* Remarks about the audit of a program. */
static void print_program_notes(const lotor_audit_result *result)
{
    if (result->kind == LOTOR_AUDIT_UNSEEN) {
        line("", "The program printed empty lines only, so the audit can't say anything.");
    } else if (!result->is_varied) {
        line("", "Every event happened always or never, so the audit can't say anything: does the "
                 "program use its input and its seed?");
    } else if (result->kind == LOTOR_AUDIT_NOTHING_SEEN) {
        line("", "This says nothing about the claim: give more --trials, or inputs that differ "
                 "more.");
    }
}

void lotor_audit_program_text(const char *command, const lotor_audit_result *result)
{
    char text[320];
    verdict_text(result, false, text, sizeof text);
    printf("%s: %s\n", lotor_quote_text(command).text, text);
    if (isinf(result->epsilon)) {
        line("claimed", "nothing");
    } else {
        print_claim(result, "");
    }
    print_event(result);
    snprintf(text, sizeof text, "%s; %" PRIu64 " trials, %.1f s", result->setting, result->trials,
             result->seconds);
    line("played", text);
    print_scope(result);
    print_program_notes(result);
}

static void print_row(const lotor_audit_row *one)
{
    char claimed[24], found[24], verdict[128];
    number_text(one->result.epsilon, claimed, sizeof claimed);
    number_text(one->result.found, found, sizeof found);
    verdict_text(&one->result, lotor_audit_is_known_leak(&one->facts), verdict, sizeof verdict);
    printf("%-27s%-8s%8s %8s  %s\n", one->facts.id, lotor_model_name(one->facts.model),
           isinf(one->result.epsilon) ? "-" : claimed,
           lotor_audit_is_blind(&one->result) ? "-" : found, verdict);
}

static void print_events(const lotor_audit_row *all, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (all[i].result.kind == LOTOR_AUDIT_VIOLATED) {
            printf("%s  %s: ", any ? "" : "\nEvents that tell the inputs apart:\n",
                   all[i].facts.id);
            lotor_print_wrapped(stdout, all[i].result.event, 4 + strlen(all[i].facts.id), 4);
            any = true;
        }
    }
}

static void print_summary(const lotor_audit_row *all, size_t count)
{
    size_t surprises = 0, simulated = 0, leaks = 0, blind = 0;
    double seconds = 0.0;
    for (size_t i = 0; i < count; i++) {
        surprises += lotor_audit_is_surprise(&all[i]);
        simulated += all[i].result.is_simulated;
        leaks += lotor_audit_is_known_leak(&all[i].facts);
        blind += lotor_audit_is_blind(&all[i].result);
        seconds += all[i].result.seconds;
    }
    const lotor_audit_row *first = &all[0];
    char text[640];
    snprintf(text, sizeof text,
             "Found is a lower bound on the true epsilon: each holds with confidence %.9g, so a "
             "false alarm in the whole table has a probability of at most %.2g. %" PRIu64
             " trials each, %s noise%s; %.0f s.",
             first->result.confidence, fmin(1.0, (1.0 - first->result.confidence) * (double)count),
             first->result.trials, simulated == count ? "simulated" : "exact",
             simulated > 0 && simulated < count ? " (but for Wishart noise, which is simulated)"
                                                : "",
             seconds);
    putchar('\n');
    lotor_print_wrapped(stdout, text, 0, 0);
    if (blind > 0) {
        printf("In %zu of %zu nothing could be seen: give more --trials.\n", blind, count);
    }
    if (surprises == 0) {
        printf("No claim that the catalog makes is broken%s.\n",
               leaks > 0 && blind == 0 ? ", and every known leak was found" : "");
    } else {
        printf("%zu %s not as the catalog says.\n", surprises, surprises == 1 ? "is" : "are");
    }
}

void lotor_audit_table(const lotor_audit_row *all, size_t count)
{
    printf("%-27s%-8s%8s %8s  %s\n", "id", "trust", "claimed", "found", "verdict");
    for (size_t i = 0; i < count; i++) {
        print_row(&all[i]);
    }
    if (count > 0) {
        print_events(all, count);
        print_summary(all, count);
    }
}

static bool is_seen(const lotor_audit_result *result)
{
    return result->kind != LOTOR_AUDIT_UNSEEN;
}

static void put_bound(lotor_json *json, const lotor_audit_result *result)
{
    const bool seen = is_seen(result);
    lotor_json_double(json, "epsilon", result->epsilon);
    lotor_json_double(json, "delta", result->delta);
    lotor_json_double(json, "found", seen ? result->found : NAN);
    lotor_json_double(json, "estimated", seen ? result->estimate : NAN);
    lotor_json_double(json, "looseness", seen ? result->looseness : NAN);
    lotor_json_double(json, "confidence", result->confidence);
    lotor_json_string(json, "event", seen ? result->event : NULL);
}

static void put_scope(lotor_json *json, const lotor_audit_result *result)
{
    lotor_json_double(json, "seconds", result->seconds);
    lotor_json_string(json, "exercised", is_seen(result) ? result->exercised : NULL);
    lotor_json_string(json, "not_exercised", is_seen(result) ? result->not_exercised : NULL);
}

static void put_seed(lotor_json *json, const uint64_t *seed)
{
    if (seed) {
        lotor_json_whole(json, "seed", *seed);
    } else {
        lotor_json_string(json, "seed", NULL);
    }
}

static void put_one(lotor_json *json, const lotor_audit_row *one)
{
    const lotor_audit_result *result = &one->result;
    lotor_json_open(json, NULL, '{');
    lotor_json_string(json, "algorithm", one->facts.id);
    lotor_json_string(json, "model", lotor_model_name(one->facts.model));
    lotor_json_bool(json, "claims_privacy", one->facts.is_private);
    lotor_json_string(json, "verdict", result->verdict);
    lotor_json_bool(json, "violated", result->kind == LOTOR_AUDIT_VIOLATED);
    lotor_json_bool(json, "known_leak", lotor_audit_is_known_leak(&one->facts));
    put_bound(json, result);
    lotor_json_string(json, "inputs", result->inputs);
    lotor_json_string(json, "attack", result->attack);
    lotor_json_whole(json, "events", result->events);
    lotor_json_string(json, "view", result->view);
    lotor_json_string(json, "setting", result->setting);
    lotor_json_whole(json, "trials", result->trials);
    lotor_json_whole(json, "releases", result->releases);
    lotor_json_double(json, "noise_scale", result->noise_scale);
    lotor_json_string(json, "noise", noise_name(result));
    put_seed(json, one->params.is_seeded ? &one->params.seed : NULL);
    put_scope(json, result);
    lotor_json_close(json, '}');
}

void lotor_audit_program_json(const char *command, const lotor_audit_result *result,
                              const uint64_t *seed)
{
    char text[4096];
    lotor_json json;
    fputs("{\"command\": ", stdout);
    lotor_print_json_string(stdout, command);
    lotor_json_start(&json, text, sizeof text);
    lotor_json_open(&json, NULL, '{');
    lotor_json_string(&json, "verdict", result->verdict);
    lotor_json_bool(&json, "violated", result->is_violated);
    put_bound(&json, result);
    lotor_json_string(&json, "attack", result->attack);
    lotor_json_whole(&json, "events", result->events);
    lotor_json_string(&json, "setting", result->setting);
    lotor_json_whole(&json, "trials", result->trials);
    put_seed(&json, seed);
    put_scope(&json, result);
    lotor_json_close(&json, '}');
    printf(", %s\n", text + 1); /* without its opening brace */
}

void lotor_audit_json(const lotor_audit_row *all, size_t count, bool as_array)
{
    fputs(as_array ? "[" : "", stdout);
    for (size_t i = 0; i < count; i++) {
        char text[4096];
        lotor_json json;
        lotor_json_start(&json, text, sizeof text);
        put_one(&json, &all[i]);
        printf("%s%s", i > 0 ? ",\n " : "", json.length < sizeof text ? text : "null");
    }
    fputs(as_array ? "]\n" : "\n", stdout);
}
