/* stop.c - lotor stop: reads samples until a stopping rule stops. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <lotor/stopping.h>

#include "base/json.h"
#include "base/message.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/lines.h"
#include "cli/print.h"

enum { RULE, ALPHA, BETA, EPSILON, RANGE, JSON };
enum { PLACES = 9 };

static const lotor_option options[] = {
    [RULE] = {.name = "rule",
              .kind = LOTOR_OPTION_CHOICE,
              .required = true,
              .placeholder = "NAME",
              .choices = "nas|nas-printed|dp-nas|dp-exp-nas",
              .help = "the stopping rule"},
    [ALPHA] = {.name = "alpha",
               .kind = LOTOR_OPTION_NUMBER,
               .required = true,
               .placeholder = "A",
               .help = "the relative accuracy: the estimate is within a factor 1 +- A of the mean"},
    [BETA] = {.name = "beta",
              .kind = LOTOR_OPTION_NUMBER,
              .required = true,
              .placeholder = "B",
              .help = "the probability of failure"},
    [EPSILON] = {.name = "epsilon",
                 .kind = LOTOR_OPTION_RATIO,
                 .placeholder = "E",
                 .help = "the privacy budget, for dp-nas and dp-exp-nas"},
    [RANGE] = {.name = "range",
               .kind = LOTOR_OPTION_NUMBER,
               .placeholder = "R",
               .initial = "1",
               .help = "samples lie between -R and R"},
    [JSON] = {.name = "json",
              .kind = LOTOR_OPTION_FLAG,
              .help = "write one JSON object: rule, stopped, estimate, samples, guarantee"},
};

typedef struct stop_run {
    lotor_stopping *rule;
    lotor_lines lines;
    bool stopped;
} stop_run;

static lotor_status check_budget(const lotor_arguments *arguments, lotor_message *why)
{
    const char *rule = arguments->values[RULE].text;
    const bool is_private = strncmp(rule, "dp-", 3) == 0;
    if (is_private && !arguments->values[EPSILON].given) {
        return lotor_fail(LOTOR_INVALID, why, "%s is private and needs --epsilon E", rule);
    }
    if (!is_private && arguments->values[EPSILON].given) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s is not private and takes no --epsilon (%s given): dp-nas and "
                          "dp-exp-nas do",
                          rule, lotor_quote_text(arguments->values[EPSILON].text).text);
    }
    return LOTOR_OK;
}

static lotor_status read_samples(stop_run *run, lotor_message *why)
{
    lotor_line line;
    while (!run->stopped && lotor_lines_next(&run->lines, &line)) {
        lotor_message reason;
        double sample = 0;
        lotor_status status = lotor_line_number(&line, &reason, &sample);
        if (status == LOTOR_OK) {
            status = lotor_stopping_add(run->rule, sample, &reason, &run->stopped);
        }
        if (status != LOTOR_OK) {
            const lotor_quoted_text quoted = lotor_quote(line.text, line.length);
            const bool at_fault = status == LOTOR_RANGE && line.length > 0; /* else it is secret */
            const bool shown = !at_fault || strstr(reason.text, quoted.text);
            return lotor_fail(status, why, "line %llu: %s%s%.200s",
                              (unsigned long long)run->lines.number, shown ? "" : quoted.text,
                              shown ? "" : ": ", reason.text);
        }
    }
    return LOTOR_OK;
}

static void write_result(const stop_run *run, const lotor_arguments *arguments, double estimate)
{
    char text[LOTOR_NUMBER_ROOM];
    const int decimals = lotor_decimals_for(arguments->values[RANGE].number, PLACES);
    text[lotor_put_decimal(text, estimate, decimals)] = '\0';
    const unsigned long long samples = lotor_stopping_sample_count(run->rule);
    if (!arguments->values[JSON].given) {
        if (run->stopped) {
            printf("estimate %s\nsamples %llu\n", text, samples);
        }
        return;
    }
    lotor_guarantee guarantee;
    lotor_stopping_guarantee(run->rule, &guarantee);
    fputs("{\"rule\": ", stdout);
    lotor_print_json_string(stdout, arguments->values[RULE].text);
    printf(", \"stopped\": %s, \"estimate\": %s, \"samples\": %llu, \"guarantee\": ",
           run->stopped ? "true" : "false", run->stopped ? text : "null", samples);
    lotor_print_guarantee_json(stdout, &guarantee);
    fputs("}\n", stdout);
}

static int stop_all(stop_run *run, const lotor_arguments *arguments)
{
    if (!arguments->values[JSON].given) {
        lotor_guarantee guarantee;
        lotor_stopping_guarantee(run->rule, &guarantee);
        lotor_print_guarantee(stderr, &guarantee);
    }
    lotor_lines_start(&run->lines, STDIN_FILENO);
    lotor_message why;
    lotor_status status = read_samples(run, &why);
    if (status == LOTOR_OK && run->lines.error != 0) {
        lotor_explain(&why, LOTOR_LINES_UNREADABLE, strerror(run->lines.error));
        lotor_print_error(arguments->values[JSON].given, why.text);
        lotor_print_complaint(arguments->command, "%s", why.text);
        return LOTOR_EXIT_FAILED;
    }
    double estimate = 0;
    if (status == LOTOR_OK && run->stopped) {
        status = lotor_stopping_estimate(run->rule, &estimate);
        lotor_explain(&why, "there is no estimate (%s)", lotor_status_name(status));
    }
    if (status != LOTOR_OK) {
        lotor_print_error(arguments->values[JSON].given, why.text);
        return lotor_command_refuse(arguments->command, status, why.text);
    }
    write_result(run, arguments, estimate);
    if (run->stopped) {
        return LOTOR_EXIT_FINE;
    }
    lotor_print_complaint(
        arguments->command,
        "the input ended after %llu sample%s, before %s stopped: it needs more samples, "
        "or a larger --alpha, --beta%s",
        (unsigned long long)lotor_stopping_sample_count(run->rule),
        lotor_stopping_sample_count(run->rule) == 1 ? "" : "s", arguments->values[RULE].text,
        arguments->values[EPSILON].given ? " or --epsilon" : "");
    return LOTOR_EXIT_ENDED;
}

static int run_stop(const lotor_arguments *arguments)
{
    const lotor_option_value *values = arguments->values;
    const lotor_stopping_params params = {
        .rule = values[RULE].text,
        .alpha = values[ALPHA].number,
        .beta = values[BETA].number,
        .epsilon = values[EPSILON].given ? values[EPSILON].ratio : lotor_ratio_of(1, 0),
        .range = values[RANGE].number,
    };
    stop_run run = {.rule = NULL, .stopped = false};
    lotor_message why;
    lotor_status status = check_budget(arguments, &why);
    if (status == LOTOR_OK && lotor_stopping_check(&params, &why)) {
        status = LOTOR_INVALID;
    }
    if (status == LOTOR_OK) {
        status = lotor_stopping_new(&params, &why, &run.rule);
    }
    if (status != LOTOR_OK) {
        lotor_print_error(values[JSON].given, why.text);
        return lotor_command_refuse(arguments->command, status, why.text);
    }
    const int result = stop_all(&run, arguments);
    lotor_stopping_free(run.rule);
    return result;
}

const lotor_command lotor_command_stop = {
    .name = "stop",
    .summary = "read samples until their mean is known well enough",
    .usage = "--rule nas|nas-printed|dp-nas|dp-exp-nas --alpha A --beta B [--epsilon E] "
             "[--range R] [--json]",
    .about = "Reads one sample per line until the rule stops. Then writes its estimate of the "
             "mean, and the number of samples. The estimate is within a factor 1 +- alpha of the "
             "mean, except with probability beta. The closer the mean is to 0, the more samples "
             "the rule needs. Exit status 3 means that the input ended first.\n\nnas: not private. "
             "nas-printed: with the width that its paper prints, half of what the range needs. "
             "dp-nas: private, also in the time of the stop. dp-exp-nas: the same, but checks only "
             "after 1, 2, 4, 8, ... samples. (Sajed 2019)",
    .examples = "  seq 1 100000 | awk '{print 0.4 + ($1 % 3) / 10}' |\n"
                "      lotor stop --rule dp-exp-nas --alpha 0.1 --beta 0.05 --epsilon 1\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run_stop,
};
