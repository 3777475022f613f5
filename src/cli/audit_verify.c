/* audit_verify.c - see audit_verify.h. */
#include "cli/audit_verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "base/quote.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/print.h"

enum { MOST_LINES = 32 };

/* The row of a mechanism in the summary. */
typedef struct line {
    const char *mechanism;
    size_t settings, failed;
    bool is_leak;
    double share; /* the worst loss (or delta) divided by the claimed one */
} line;

typedef struct printer {
    bool json;
    const lotor_verify_info *mechanism; /* the mechanism that is verified now */
    size_t count, failed, leaks, leaks_missed, accounts_short;
    line lines[MOST_LINES]; /* the table of the last one is not finished */
    size_t line_count;
} printer;

static const char *verdict_of(const lotor_verify_finding *finding)
{
    if (finding->holds) {
        return "holds";
    }
    return finding->is_leak ? "violated, as known" : "VIOLATED";
}

/* Prints "1/10" or "1"; for (epsilon, delta) both. */
static void print_claim(const lotor_verify_finding *finding)
{
    char text[LOTOR_NUMBER_ROOM];
    lotor_put_shortest(text, lotor_ratio_to_double(finding->epsilon));
    printf("epsilon %s", text);
    if (finding->has_delta) {
        lotor_put_shortest(text, lotor_ratio_to_double(finding->delta));
        printf(", delta %s", text);
    }
}

static void print_text(const lotor_verify_finding *finding)
{
    char text[LOTOR_NUMBER_ROOM];
    printf("  %-18s ", verdict_of(finding));
    print_claim(finding);
    printf("; %s\n", finding->setting);
    if (finding->has_delta) {
        printf("    true delta    [%.13g, %.13g], certified\n", nextafter(finding->delta_low, 0.0),
               finding->delta_high);
        printf("    account       %.6g by zCDP, in doubles: %s\n", finding->account_delta,
               finding->account_covers ? "no less, as it must be" : "LESS THAN THE TRUTH");
    } else {
        printf("    worst loss    %s", finding->exact);
        text[isinf(finding->loss) ? 0 : lotor_put_decimal(text, finding->loss, 9)] = '\0';
        const bool is_news = text[0] != '\0' && strcmp(text, finding->exact) != 0;
        printf(is_news ? " = %s\n" : "\n", text);
    }
    printf("    at            %s; output %s\n", finding->inputs, finding->output);
}

static void print_json(const lotor_verify_finding *finding)
{
    char buffer[2048];
    lotor_json json;
    lotor_json_start(&json, buffer, sizeof buffer);
    lotor_json_open(&json, NULL, '{');
    lotor_json_string(&json, "mechanism", finding->mechanism);
    lotor_json_string(&json, "setting", finding->setting);
    lotor_json_double(&json, "epsilon", lotor_ratio_to_double(finding->epsilon));
    lotor_json_double(&json, "delta",
                      finding->has_delta ? lotor_ratio_to_double(finding->delta) : 0.0);
    lotor_json_string(&json, "exact", finding->exact);
    lotor_json_double(&json, "loss", finding->loss);
    if (finding->has_delta) {
        lotor_json_double(&json, "delta_low", finding->delta_low);
        lotor_json_double(&json, "delta_high", finding->delta_high);
        lotor_json_double(&json, "account_delta", finding->account_delta);
        lotor_json_bool(&json, "account_covers", finding->account_covers);
    }
    lotor_json_string(&json, "inputs", finding->inputs);
    lotor_json_string(&json, "output", finding->output);
    lotor_json_whole(&json, "compared", finding->compared);
    lotor_json_bool(&json, "known_leak", finding->is_leak);
    lotor_json_bool(&json, "holds", finding->holds);
    lotor_json_close(&json, '}');
    fputs(buffer, stdout);
}

static void count_in(printer *to, const lotor_verify_finding *finding)
{
    line *at = &to->lines[to->line_count - 1];
    const double share = finding->has_delta
                             ? finding->delta_high / lotor_ratio_to_double(finding->delta)
                             : finding->loss / lotor_ratio_to_double(finding->epsilon);
    at->share = fmax(at->share, share);
    at->settings++;
    at->failed += !finding->holds;
    to->count++;
    to->leaks += finding->is_leak;
    to->leaks_missed += finding->is_leak && finding->holds;
    to->failed += !finding->is_leak && !finding->holds;
    to->accounts_short += finding->has_delta && !finding->account_covers;
}

static void take(void *context, const lotor_verify_finding *finding)
{
    printer *to = context;
    const line *last = to->line_count ? &to->lines[to->line_count - 1] : NULL;
    const bool is_new = !last || strcmp(last->mechanism, finding->mechanism) != 0;
    if (to->json) {
        fputs(to->count ? ",\n " : "\n ", stdout);
        print_json(finding);
    } else {
        if (is_new) {
            fputs(last ? "\n" : "", stdout);
            printf("%s: %s\n", to->mechanism->id, to->mechanism->summary);
        }
        print_text(finding);
    }
    if (is_new && to->line_count < MOST_LINES) {
        to->lines[to->line_count++] =
            (line){.mechanism = finding->mechanism, .is_leak = finding->is_leak};
    }
    count_in(to, finding);
}

static int refuse_name(const char *command, const lotor_audit_verify_request *ask)
{
    lotor_suggestion suggestion;
    lotor_suggestion_start(&suggestion, ask->mechanism);
    for (size_t i = 0; i < lotor_verify_count(); i++) {
        lotor_verify_info facts;
        lotor_verify_at(i, NULL, &facts);
        lotor_suggestion_offer(&suggestion, facts.id);
    }
    lotor_suggestion_offer(&suggestion, "all");
    lotor_message why;
    lotor_text names = {0};
    for (size_t i = 0; i < lotor_verify_count() && !suggestion.nearest; i++) {
        lotor_verify_info facts;
        lotor_verify_at(i, NULL, &facts);
        lotor_text_print(&names, "%s%s", i ? ", " : ": choose all, ", facts.id);
    }
    lotor_explain(&why, "--verify %s: there is no such mechanism%s%s%s",
                  lotor_quote_text(ask->mechanism).text,
                  suggestion.nearest ? ": did you mean " : "",
                  suggestion.nearest ? suggestion.nearest : (names.bytes ? names.bytes : ""),
                  suggestion.nearest ? "?" : "");
    lotor_text_clear(&names);
    lotor_print_error(ask->json, why.text);
    return lotor_command_refuse(command, LOTOR_INVALID, why.text);
}

/* Prints the summary, one line per mechanism. */
static void print_lines(const printer *done)
{
    printf("\n%-22s %8s  %-18s %s\n", "mechanism", "settings", "worst over claim", "verdict");
    for (size_t i = 0; i < done->line_count; i++) {
        const line *at = &done->lines[i];
        char share[LOTOR_NUMBER_ROOM] = "infinite";
        if (!isinf(at->share)) {
            share[lotor_put_decimal(share, at->share, 6)] = '\0';
        }
        const char *verdict = at->failed ? "VIOLATED" : "holds";
        if (at->is_leak) {
            verdict = at->failed == at->settings ? "violated, as known" : "NOT FOUND";
        }
        printf("%-22s %8zu  %-18s %s\n", at->mechanism, at->settings, share, verdict);
    }
}

static bool is_passed(const printer *done, bool all)
{
    return done->failed == 0 && done->accounts_short == 0 &&
           (all ? done->leaks_missed == 0 : done->leaks == 0);
}

static void print_summary(const printer *done, bool all)
{
    if (done->json) {
        printf("\n], \"passed\": %s}\n", is_passed(done, all) ? "true" : "false");
        return;
    }
    if (all) {
        print_lines(done);
    }
    printf("\n%zu setting%s: every pair of inputs and every output of %s was compared,\n"
           "in whole numbers; nothing was sampled.\n",
           done->count, done->count == 1 ? "" : "s", done->count == 1 ? "it" : "these settings");
    if (done->failed) {
        printf("%zu claim%s not hold.\n", done->failed, done->failed == 1 ? " does" : "s do");
    }
    if (done->accounts_short) {
        printf("%zu time%s the account says less than the truth.\n", done->accounts_short,
               done->accounts_short == 1 ? "" : "s");
    }
    if (done->leaks_missed) {
        printf("%zu known leak%s not found.\n", done->leaks_missed,
               done->leaks_missed == 1 ? " was" : "s were");
    }
}

/* True if a request names this mechanism, alone or among all. */
static bool is_meant(const lotor_audit_verify_request *ask, bool all,
                     const lotor_verify_info *facts)
{
    /* With scaled noise a known leak may keep its claim, so `all` leaves it out. */
    return all ? !(facts->is_leak && ask->noise_scale.den != 0)
               : strcmp(facts->id, ask->mechanism) == 0;
}

static lotor_status verify(const lotor_audit_verify_request *ask, bool all,
                           const lotor_verify_info *facts, lotor_message *why, printer *to)
{
    const bool takes_delta = !all || facts->has_delta; /* with `all`, only if it has a delta */
    to->mechanism = facts;
    const lotor_verify_params params = {
        .mechanism = facts->id,
        .epsilon = ask->epsilon,
        .delta = takes_delta ? ask->delta : (lotor_ratio){0, 0},
        .noise_scale = ask->noise_scale,
        .take = take,
        .take_context = to,
    };
    return lotor_verify_run(&params, why);
}

static bool is_known(const char *name)
{
    for (size_t i = 0; i < lotor_verify_count(); i++) {
        lotor_verify_info facts;
        if (lotor_verify_at(i, NULL, &facts) == LOTOR_OK && strcmp(facts.id, name) == 0) {
            return true;
        }
    }
    return false;
}

int lotor_audit_verify_run(const char *command, const lotor_audit_verify_request *ask)
{
    const bool all = strcmp(ask->mechanism, "all") == 0;
    if (!all && !is_known(ask->mechanism)) {
        return refuse_name(command, ask);
    }
    printer to = {.json = ask->json};
    lotor_message why;
    lotor_status status = LOTOR_OK;
    if (ask->json) {
        fputs("{\"verified\": [", stdout);
    }
    for (size_t i = 0; status == LOTOR_OK && i < lotor_verify_count(); i++) {
        lotor_verify_info facts;
        status = lotor_verify_at(i, &why, &facts);
        if (status == LOTOR_OK && is_meant(ask, all, &facts)) {
            status = verify(ask, all, &facts, &why, &to);
        }
    }
    if (status != LOTOR_OK) {
        if (ask->json) {
            fputs("],\n \"error\": ", stdout);
            lotor_print_json_string(stdout, why.text);
            fputs("}\n", stdout);
        }
        const int result = lotor_command_refuse(command, status, why.text);
        return status == LOTOR_DAMAGED ? LOTOR_EXIT_FAILED : result; /* nothing was verified */
    }
    print_summary(&to, all);
    return is_passed(&to, all) ? LOTOR_EXIT_FINE : LOTOR_EXIT_FAILED;
}
