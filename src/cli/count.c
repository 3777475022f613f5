/* count.c - lotor count: a private running sum of standard input.
 *
 * The guarantee is written before the first value is read, because it does not depend on the
 * values. The number of lines that --skip-bad skipped is not written, because no noise hides it.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <lotor/counter.h>

#include "base/json.h"
#include "base/message.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/lines.h"
#include "cli/print.h"

enum { MECHANISM, EPSILON, DELTA, HORIZON, RANGE, SKIP_BAD, JSON };
enum { PLACES = 6 }; /* as precise as encoded values: see privacy/encode/encode.h */

static const lotor_option options[] = {
    [MECHANISM] = {.name = "mechanism",
                   .kind = LOTOR_OPTION_CHOICE,
                   .required = true,
                   .placeholder = "NAME",
                   .choices = "tree|hybrid|batch|gaussian-tree",
                   .help = "the mechanism that adds the noise"},
    [EPSILON] = {.name = "epsilon",
                 .kind = LOTOR_OPTION_RATIO,
                 .required = true,
                 .placeholder = "E",
                 .help = "the privacy budget of the whole output; a smaller epsilon hides more, "
                         "and inf adds no noise"},
    [DELTA] = {.name = "delta",
               .kind = LOTOR_OPTION_RATIO,
               .placeholder = "D",
               .help = "for gaussian-tree: the delta of (epsilon, delta)-privacy, such as 1e-6; a "
                       "probability may exceed exp(epsilon) times the other one by at most delta"},
    [HORIZON] = {.name = "horizon",
                 .kind = LOTOR_OPTION_WHOLE,
                 .placeholder = "T",
                 .help = "the largest number of values; tree and gaussian-tree need it"},
    [RANGE] = {.name = "range",
               .kind = LOTOR_OPTION_RANGE,
               .placeholder = "LO,HI",
               .initial = "0,1",
               .help = "the range of every value; choose it before you see the data"},
    [SKIP_BAD] =
        {.name = "skip-bad",
         .kind = LOTOR_OPTION_FLAG,
         .help = "count a line that is not a number in the range as 0, instead of ending the run"},
    [JSON] = {.name = "json",
              .kind = LOTOR_OPTION_FLAG,
              .help = "write one JSON object: mechanism, values, guarantee"},
};

typedef struct count_run {
    lotor_counter *counter;
    lotor_counter_params params;
    bool json, skip_bad;
    int decimals;
    lotor_lines lines;
} count_run;

static lotor_status check_run(const count_run *run, const lotor_arguments *arguments,
                              lotor_message *why)
{
    const lotor_counter_params *params = &run->params;
    const char *name = params->mechanism;
    const bool gaussian = strcmp(name, "gaussian-tree") == 0;
    const bool needs_horizon = gaussian || strcmp(name, "tree") == 0;
    if (needs_horizon && !arguments->values[HORIZON].given) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "%s needs --horizon T, the largest number of values (hybrid and batch need none)",
            name);
    }
    if (gaussian && !arguments->values[DELTA].given) {
        return lotor_fail(LOTOR_INVALID, why, "gaussian-tree needs --delta D, such as 1e-6");
    }
    if (!gaussian && arguments->values[DELTA].given && params->delta.num != 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s takes no --delta (%s given): its delta is 0; gaussian-tree has one",
                          name, lotor_quote_text(arguments->values[DELTA].text).text);
    }
    if (run->skip_bad && (params->low > 0 || params->high < 0)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--skip-bad counts a bad line as 0, but 0 lies outside --range %s",
                          lotor_quote_text(arguments->values[RANGE].text).text);
    }
    return lotor_counter_check(params, why) ? LOTOR_INVALID : LOTOR_OK;
}

static void write_value(count_run *run)
{
    char text[LOTOR_NUMBER_ROOM + 2];
    size_t length = 0;
    if (run->json && lotor_counter_added_count(run->counter) > 1) {
        text[length++] = ',';
        text[length++] = ' ';
    }
    length += lotor_put_decimal(text + length, lotor_counter_value(run->counter), run->decimals);
    if (!run->json) {
        text[length++] = '\n';
    }
    fwrite_unlocked(text, 1, length, stdout);
}

static lotor_status refuse_line(const count_run *run, const lotor_line *line, lotor_status status,
                                lotor_message *why)
{
    const lotor_message reason = *why;
    const unsigned long long number = run->lines.number;
    if (status == LOTOR_HORIZON && run->params.horizon > 0) {
        return lotor_fail(
            status, why,
            "line %llu is past the horizon: --horizon is %llu; give a larger one, or use hybrid",
            number, (unsigned long long)run->params.horizon);
    }
    const lotor_quoted_text quoted = lotor_quote(line->text, line->length);
    const bool at_fault = status == LOTOR_RANGE && line->length > 0; /* else the line is secret */
    if (!at_fault || strstr(reason.text, quoted.text)) {
        return lotor_fail(status, why, "line %llu: %.280s", number, reason.text);
    }
    return lotor_fail(status, why, "line %llu: %s: %.200s", number, quoted.text, reason.text);
}

/* Reads to the end, or to the first invalid line. */
static lotor_status count_lines(count_run *run, lotor_message *why)
{
    lotor_line line;
    while (lotor_lines_next(&run->lines, &line)) {
        double value = 0;
        lotor_status status = lotor_line_number(&line, why, &value);
        if (status == LOTOR_OK) {
            status = lotor_counter_add(run->counter, value, why);
        }
        if (status == LOTOR_RANGE && run->skip_bad) {
            status = lotor_counter_add(run->counter, 0, why);
        }
        if (status != LOTOR_OK) {
            return refuse_line(run, &line, status, why);
        }
        write_value(run);
    }
    return LOTOR_OK;
}

static void open_json(const count_run *run)
{
    fputs("{\"mechanism\": ", stdout);
    lotor_print_json_string(stdout, run->params.mechanism);
    fputs(", \"values\": [", stdout);
}

static void close_json(const count_run *run, const lotor_guarantee *guarantee, const char *error)
{
    char added[32];
    added[lotor_put_whole(added, lotor_counter_added_count(run->counter))] = '\0';
    printf("], \"added\": %s, ", added);
    if (error) {
        fputs("\"error\": ", stdout);
        lotor_print_json_string(stdout, error);
        fputs(", ", stdout);
    }
    fputs("\"guarantee\": ", stdout);
    lotor_print_guarantee_json(stdout, guarantee);
    fputs("}\n", stdout);
}

static int count_all(count_run *run, const char *command)
{
    lotor_guarantee guarantee;
    lotor_counter_guarantee(run->counter, &guarantee);
    if (run->json) {
        open_json(run);
    } else {
        lotor_print_guarantee(stderr, &guarantee);
    }
    lotor_message why;
    lotor_lines_start(&run->lines, STDIN_FILENO);
    const lotor_status status = count_lines(run, &why);
    const bool unread = status == LOTOR_OK && run->lines.error != 0;
    if (unread) {
        lotor_explain(&why, LOTOR_LINES_UNREADABLE, strerror(run->lines.error));
    }
    if (run->json) {
        close_json(run, &guarantee, status == LOTOR_OK && !unread ? NULL : why.text);
    }
    if (unread) {
        lotor_print_complaint(command, "%s", why.text);
        return LOTOR_EXIT_FAILED;
    }
    return status == LOTOR_OK ? LOTOR_EXIT_FINE : lotor_command_refuse(command, status, why.text);
}

static int run_count(const lotor_arguments *arguments)
{
    const lotor_option_value *values = arguments->values;
    count_run run = {
        .params = {.mechanism = values[MECHANISM].text,
                   .epsilon = values[EPSILON].ratio,
                   .delta = values[DELTA].given ? values[DELTA].ratio : lotor_ratio_of(0, 1),
                   .horizon = values[HORIZON].whole,
                   .low = values[RANGE].low,
                   .high = values[RANGE].high},
        .json = values[JSON].given,
        .skip_bad = values[SKIP_BAD].given,
        .decimals = lotor_decimals_for(values[RANGE].high - values[RANGE].low, PLACES),
    };
    lotor_message why;
    lotor_status status = check_run(&run, arguments, &why);
    if (status == LOTOR_OK) {
        status = lotor_counter_new(&run.params, &why, &run.counter);
    }
    if (status != LOTOR_OK) {
        lotor_print_error(run.json, why.text);
        return lotor_command_refuse(arguments->command, status, why.text);
    }
    const int result = count_all(&run, arguments->command);
    lotor_counter_free(run.counter);
    return result;
}

const lotor_command lotor_command_count = {
    .name = "count",
    .summary = "print a private running sum of the numbers on standard input",
    .usage = "--mechanism tree|hybrid|batch|gaussian-tree --epsilon E [--delta D] [--horizon T] "
             "[--range LO,HI] [--skip-bad] [--json]",
    .about =
        "Reads one number per line, and after each writes the private sum so far. The whole output "
        "hides any one line within a factor e^epsilon. Sums are exact integers. The noise is exact "
        "too, from a cryptographic source, so every run differs. The guarantee goes to standard "
        "error. A line that is not a number in the range ends the run, and the message names it. "
        "That the line is wrong, and how many lines came before it, is not hidden. With --skip-bad "
        "such a line counts as 0, without a message.\n\ntree: if you know the number of values. "
        "hybrid: needs no horizon. batch: releases the sums of 1, 2, 4, 8, ... values, with little "
        "noise but late; it writes the sum of all batches released so far. gaussian-tree: Gaussian "
        "noise, smaller for long streams, with a delta.",
    .examples = "  seq 1 1000 | awk '{print $1 % 2}' |\n"
                "      lotor count --mechanism tree --epsilon 1 --horizon 1000 | tail -1\n"
                "  printf '3\\n4\\n' | lotor count --mechanism hybrid --epsilon inf --range 0,5\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run_count,
};
