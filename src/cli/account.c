/* account.c - lotor account: explains a privacy budget, and composes several. */
#include <math.h>
#include <stdio.h>

#include "base/message.h"
#include "base/quote.h"
#include "cli/account.h"
#include "cli/command.h"
#include "cli/print.h"

enum { EPSILON, DELTA, TIMES, TOTAL_DELTA, ROUNDS, CAMPAIGNS, RHO, SIGMA, SENSITIVITY, JSON };

static const lotor_option options[] = {
    [EPSILON] = {.name = "epsilon",
                 .kind = LOTOR_OPTION_LIST,
                 .placeholder = "E[,E...]",
                 .help = "the epsilon of one guarantee, or of several on the same data"},
    [DELTA] = {.name = "delta",
               .kind = LOTOR_OPTION_LIST,
               .placeholder = "D[,D...]",
               .help = "the deltas of the guarantees: one for all, or one for each"},
    [TIMES] = {.name = "times",
               .kind = LOTOR_OPTION_WHOLE,
               .placeholder = "N",
               .initial = "1",
               .help = "the guarantees are given N times on the same data"},
    [TOTAL_DELTA] = {.name = "total-delta",
                     .kind = LOTOR_OPTION_NUMBER,
                     .placeholder = "D",
                     .help = "the total delta (default: that of the guarantees alone, plus 1e-6)"},
    [ROUNDS] = {.name = "rounds-per-user",
                .kind = LOTOR_OPTION_WHOLE,
                .placeholder = "K",
                .initial = "1",
                .help = "protect a user who takes part in up to K rounds"},
    [CAMPAIGNS] = {.name = "campaigns",
                   .kind = LOTOR_OPTION_WHOLE,
                   .placeholder = "N",
                   .initial = "1",
                   .help = "a user takes part in N such campaigns: epsilons add up"},
    [RHO] = {.name = "rho",
             .kind = LOTOR_OPTION_NUMBER,
             .placeholder = "R",
             .help = "convert rho-zCDP to epsilon at --delta"},
    [SIGMA] = {.name = "sigma",
               .kind = LOTOR_OPTION_NUMBER,
               .placeholder = "S",
               .help =
                   "compute the epsilon at --delta of Gaussian noise with standard deviation S"},
    [SENSITIVITY] = {.name = "sensitivity",
                     .kind = LOTOR_OPTION_NUMBER,
                     .placeholder = "X",
                     .help =
                         "how much one person can change the sum; with --sigma 1 if you leave it "
                         "out; with --epsilon, compute how much noise this sensitivity needs"},
    [JSON] = {.name = "json", .kind = LOTOR_OPTION_FLAG, .help = "write one JSON object"},
};

static lotor_status check_positive(const lotor_arguments *arguments, size_t option,
                                   lotor_message *why)
{
    const lotor_option_value *value = &arguments->values[option];
    if (value->text && !(value->number > 0)) {
        return lotor_fail(LOTOR_INVALID, why, "--%s %s: must be above 0", options[option].name,
                          lotor_quote_text(value->text).text);
    }
    return LOTOR_OK;
}

static lotor_status check_at_least_one(const lotor_arguments *arguments, size_t option,
                                       lotor_message *why)
{
    const lotor_option_value *value = &arguments->values[option];
    if (value->whole == 0) {
        return lotor_fail(LOTOR_INVALID, why, "--%s %s: must be 1 or more", options[option].name,
                          lotor_quote_text(value->text).text);
    }
    return LOTOR_OK;
}

static lotor_status check_values(const lotor_arguments *arguments, lotor_message *why)
{
    static const size_t positive[] = {TOTAL_DELTA, RHO, SIGMA, SENSITIVITY};
    static const size_t counted[] = {TIMES, ROUNDS, CAMPAIGNS};
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; status == LOTOR_OK && i < sizeof positive / sizeof *positive; i++) {
        status = check_positive(arguments, positive[i], why);
    }
    for (size_t i = 0; status == LOTOR_OK && i < sizeof counted / sizeof *counted; i++) {
        status = check_at_least_one(arguments, counted[i], why);
    }
    const lotor_option_value *total = &arguments->values[TOTAL_DELTA];
    if (status == LOTOR_OK && total->given && !(total->number < 1)) {
        return lotor_fail(LOTOR_INVALID, why, "--total-delta %s: must be below 1",
                          lotor_quote_text(total->text).text);
    }
    return status;
}

/* Checks which options may be given together. */
static lotor_status check_together(const lotor_arguments *arguments, lotor_message *why)
{
    const lotor_option_value *values = arguments->values;
    const bool converts = values[RHO].given || values[SIGMA].given;
    if (values[EPSILON].given + values[RHO].given + values[SIGMA].given != 1) {
        return lotor_fail(LOTOR_INVALID, why, "give one of --epsilon, --rho and --sigma");
    }
    if (converts && values[DELTA].list.count != 1) {
        return lotor_fail(LOTOR_INVALID, why, "--%s needs one --delta D, such as 1e-6",
                          values[RHO].given ? "rho" : "sigma");
    }
    if (converts && values[TOTAL_DELTA].given) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--total-delta goes with --epsilon; here --delta is the total delta");
    }
    if (values[TOTAL_DELTA].given && !values[TIMES].given && values[EPSILON].list.count < 2) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "--total-delta is for several guarantees: give --times N, or several epsilons");
    }
    if (values[RHO].given && values[SENSITIVITY].given) {
        return lotor_fail(LOTOR_INVALID, why, "--sensitivity goes with --sigma or --epsilon");
    }
    if (converts || !values[SENSITIVITY].given) {
        return LOTOR_OK;
    }
    if (values[EPSILON].list.count != 1 || values[DELTA].list.count > 1 || values[TIMES].given ||
        values[ROUNDS].given || values[CAMPAIGNS].given || values[TOTAL_DELTA].given) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--sensitivity with --epsilon asks what noise one release needs: give "
                          "one --epsilon, at most one --delta, and nothing else");
    }
    return LOTOR_OK;
}

static lotor_status check_delta(const lotor_account_request *question, lotor_message *why)
{
    const bool gaussian = question->has_sigma || question->has_rho || question->has_sensitivity;
    if (gaussian && question->deltas.count == 1 &&
        !(question->deltas.items[0] > 0 && question->deltas.items[0] < 1)) {
        return lotor_fail(LOTOR_INVALID, why, "--delta %g: must be above 0 and below 1",
                          question->deltas.items[0]);
    }
    return LOTOR_OK;
}

static lotor_status compute(const lotor_account_request *question, lotor_account_report *report,
                            lotor_message *why)
{
    if (question->has_rho || question->has_sigma) {
        return lotor_account_compute_zcdp(question, report, why);
    }
    return question->has_sensitivity ? lotor_account_compute_noise(question, report, why)
                                     : lotor_account_compute_budget(question, report, why);
}

static int run_account(const lotor_arguments *arguments)
{
    const lotor_option_value *values = arguments->values;
    lotor_message why;
    lotor_status status = check_together(arguments, &why);
    if (status == LOTOR_OK) {
        status = check_values(arguments, &why);
    }
    const lotor_account_request question = {
        .epsilons = values[EPSILON].list,
        .deltas = values[DELTA].list,
        .has_rho = values[RHO].given,
        .has_sigma = values[SIGMA].given,
        .has_sensitivity = values[SENSITIVITY].given,
        .has_total_delta = values[TOTAL_DELTA].given,
        .rho = values[RHO].number,
        .sigma = values[SIGMA].number,
        .sensitivity = values[SENSITIVITY].given ? values[SENSITIVITY].number : 1,
        .total_delta = values[TOTAL_DELTA].number,
        .times = values[TIMES].whole,
        .rounds = values[ROUNDS].whole,
        .campaigns = values[CAMPAIGNS].whole,
    };
    if (status == LOTOR_OK) {
        status = check_delta(&question, &why);
    }
    lotor_account_report report;
    lotor_account_report_start(&report, values[JSON].given);
    if (status == LOTOR_OK) {
        status = compute(&question, &report, &why);
    }
    if (status != LOTOR_OK) {
        lotor_print_error(values[JSON].given, why.text);
        return lotor_command_refuse(arguments->command, status, why.text);
    }
    lotor_account_report_finish(&report);
    return LOTOR_EXIT_FINE;
}

const lotor_command lotor_command_account = {
    .name = "account",
    .summary = "explain a privacy budget, and compose several",
    .usage = "--epsilon E[,E...] [--delta D[,D...]] [--times N [--total-delta D]] "
             "[--rounds-per-user K] [--campaigns N]\n"
             "--epsilon E [--delta D] --sensitivity X\n"
             "--sigma S [--sensitivity X] --delta D\n"
             "--rho R --delta D\n"
             "each with [--json]",
    .about =
        "Explains a privacy budget in words, composes several guarantees on the same data, "
        "and converts between epsilon and delta, rho (zCDP) and sigma. All results are "
        "rounded towards the weaker claim.\n\n\"Wrong guesses\" is the least error rate of an "
        "attacker who sees all outputs, knows all other data, and at first thinks two answers of "
        "one person equally likely: (1 - delta) / (1 + e^epsilon).",
    .examples = "  lotor account --epsilon 1\n"
                "  lotor account --epsilon 0.1 --times 100 --total-delta 1e-6\n"
                "  lotor account --epsilon 0.5 --rounds-per-user 3 --campaigns 2\n"
                "  lotor account --epsilon 1 --delta 1e-6 --sensitivity 1\n"
                "  lotor account --sigma 4 --delta 1e-6 --times 10 --json\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run_account,
};
