/* audit_command.c - see audit_command.h. */
#include "cli/audit_command.h"

#include <signal.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "cli/audit.h"
#include "cli/audit_program.h"
#include "cli/command.h"
#include "cli/print.h"
#include "cli/progress.h"

/* Refuses options that have no meaning for a program. */
static lotor_status check_unused(const lotor_arguments *arguments, const lotor_option *options,
                                 lotor_message *why)
{
    static const size_t unused[] = {LOTOR_AUDIT_VERIFY,     LOTOR_AUDIT_COUPLE,  LOTOR_AUDIT_TRACES,
                                    LOTOR_AUDIT_VIEW,       LOTOR_AUDIT_HORIZON, LOTOR_AUDIT_PLOT,
                                    LOTOR_AUDIT_NOISE_SCALE};
    if (arguments->word_count > 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--command names what is audited, and %s is one argument too many: put "
                          "the program and its arguments between quotes",
                          lotor_quote_text(arguments->words[0]).text);
    }
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++) {
        if (arguments->values[unused[i]].given) {
            return lotor_fail(LOTOR_INVALID, why, "--%s can't be used with --command",
                              options[unused[i]].name);
        }
    }
    return LOTOR_OK;
}

static lotor_status check_values(const lotor_option_value *values, lotor_message *why)
{
    const char *const texts[] = {values[LOTOR_AUDIT_INPUT].text,
                                 values[LOTOR_AUDIT_NEIGHBOUR].text};
    for (size_t i = 0; i < 2; i++) {
        if (strpbrk(texts[i], "\r\n") || strlen(texts[i]) > LOTOR_PROGRAM_INPUT_MAX) {
            return lotor_fail(LOTOR_INVALID, why,
                              "%s is not an input: expected one line of at most %d bytes; name a "
                              "file for longer data",
                              lotor_quote_text(texts[i]).text, LOTOR_PROGRAM_INPUT_MAX);
        }
    }
    if (strcmp(texts[0], texts[1]) == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--input and --neighbour are both %s: they must differ in the data of "
                          "one person",
                          lotor_quote_text(texts[0]).text);
    }
    if (!values[LOTOR_AUDIT_EPSILON].given) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "the claim of the program is missing: give --epsilon, and --delta if it has one");
    }
    return values[LOTOR_AUDIT_TIMEOUT].number > 0.0
               ? LOTOR_OK
               : lotor_fail(LOTOR_INVALID, why, "--timeout %s: expected seconds, more than 0",
                            values[LOTOR_AUDIT_TIMEOUT].text);
}

/* Progress is drawn, and Ctrl-C ends the programs that are running. */
typedef struct watcher {
    lotor_progress progress;
    lotor_audit_program program;
} watcher;

static bool watch(void *context, double share)
{
    watcher *self = context;
    const bool is_stopped = lotor_progress_tell(&self->progress, share);
    if (is_stopped) {
        atomic_store(&self->program.is_stopped, true);
    }
    return is_stopped;
}

static int report(const lotor_option_value *values, const lotor_audit_result *result)
{
    const lotor_option_value *seed = &values[LOTOR_AUDIT_SEED];
    const char *command = values[LOTOR_AUDIT_COMMAND].text;
    if (values[LOTOR_AUDIT_JSON].given) {
        lotor_audit_program_json(command, result, seed->given ? &seed->whole : NULL);
    } else {
        lotor_audit_program_text(command, result);
    }
    if (result->is_violated) {
        return LOTOR_EXIT_FAILED;
    }
    return lotor_audit_is_blind(result) ? LOTOR_EXIT_UNSEEN : LOTOR_EXIT_FINE;
}

static int audit(const lotor_option_value *values)
{
    watcher self = {
        .program = {.command = values[LOTOR_AUDIT_COMMAND].text,
                    .inputs = {values[LOTOR_AUDIT_INPUT].text, values[LOTOR_AUDIT_NEIGHBOUR].text},
                    .timeout = values[LOTOR_AUDIT_TIMEOUT].number},
    };
    const lotor_audit_mechanism_params params = {
        .run = lotor_audit_program_run,
        .context = &self.program,
        .epsilon = values[LOTOR_AUDIT_EPSILON].ratio,
        .delta = values[LOTOR_AUDIT_DELTA].ratio,
        .trials = values[LOTOR_AUDIT_TRIALS].whole,
        .confidence = values[LOTOR_AUDIT_CONFIDENCE].number,
        .batch = LOTOR_PROGRAM_LINES,
        .is_seeded = values[LOTOR_AUDIT_SEED].given,
        .seed = values[LOTOR_AUDIT_SEED].whole,
        .threads = (size_t)values[LOTOR_AUDIT_THREADS].whole,
        .progress = watch,
        .progress_context = &self,
    };
    lotor_audit_result result;
    lotor_message why = {.text = ""};
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* a program that ends early is reported */
    lotor_progress_begin(&self.progress, 1, 1.0);
    lotor_progress_next(&self.progress, "audit", 1.0);
    const lotor_status status = lotor_audit_mechanism(&params, &why, &result);
    lotor_progress_end(&self.progress);
    signal(SIGPIPE, before);
    if (status == LOTOR_STOPPED) {
        lotor_print_complaint("audit", "%s", why.text);
        return LOTOR_EXIT_INTERRUPTED;
    }
    if (status != LOTOR_OK) {
        lotor_print_error(values[LOTOR_AUDIT_JSON].given, why.text);
        return lotor_command_refuse("audit", status, why.text);
    }
    return report(values, &result);
}

int lotor_audit_command_run(const lotor_arguments *arguments, const lotor_option *options)
{
    const lotor_option_value *values = arguments->values;
    lotor_message why;
    lotor_status status = check_unused(arguments, options, &why);
    if (status == LOTOR_OK) {
        status = check_values(values, &why);
    }
    if (status == LOTOR_OK) {
        status = lotor_audit_check_options(values, &why);
    }
    return status == LOTOR_OK ? audit(values) : lotor_command_refuse("audit", status, why.text);
}
