/* audit.c - lotor audit: tries to refute a privacy claim (lotor/audit.h), verifies one exactly
 * (audit_verify.c), checks its proof on random traces (audit_couple.c), or tries to refute the claim
 * of a program of somebody else (audit_command.c). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chart/svg.h"
#include "base/message.h"
#include "base/quote.h"
#include "base/suggest.h"
#include "cli/audit.h"
#include "cli/audit_chart.h"
#include "cli/audit_command.h"
#include "cli/audit_couple.h"
#include "cli/audit_verify.h"
#include "cli/command.h"
#include "cli/print.h"
#include "cli/progress.h"

static const lotor_option options[] = {
    [LOTOR_AUDIT_VERIFY] = {.name = "verify",
                            .kind = LOTOR_OPTION_TEXT,
                            .placeholder = "MECHANISM",
                            .help = "verify a mechanism (or all) exactly on small inputs, instead "
                                    "of an audit; takes --epsilon, --delta, --noise-scale, --json"},
    [LOTOR_AUDIT_COUPLE] = {.name = "couple",
                            .kind = LOTOR_OPTION_FLAG,
                            .help = "check the proof of the claim on random traces, instead of an "
                                    "audit; takes --traces, --seed, --threads, --noise-scale, "
                                    "--json"},
    [LOTOR_AUDIT_TRACES] = {.name = "traces",
                            .kind = LOTOR_OPTION_WHOLE,
                            .placeholder = "N",
                            .initial = LOTOR_TEXT_OF(LOTOR_COUPLE_TRACES_DEFAULT),
                            .help = "the number of traces, with --couple"},
    [LOTOR_AUDIT_EPSILON] = {.name = "epsilon",
                             .kind = LOTOR_OPTION_RATIO,
                             .placeholder = "E",
                             .initial = LOTOR_TEXT_OF(LOTOR_AUDIT_EPSILON_DEFAULT),
                             .help = "the claimed epsilon"},
    [LOTOR_AUDIT_DELTA] =
        {.name = "delta",
         .kind = LOTOR_OPTION_RATIO,
         .placeholder = "D",
         .help = "the claimed delta, for algorithms with a delta (default 0.02: what a much "
                 "smaller one allows is too rare to be seen; for known leaks their paper's)"},
    [LOTOR_AUDIT_TRIALS] = {.name = "trials",
                            .kind = LOTOR_OPTION_WHOLE,
                            .placeholder = "N",
                            .initial = LOTOR_TEXT_OF(LOTOR_AUDIT_TRIALS_DEFAULT),
                            .help = "the number of plays, over both inputs"},
    [LOTOR_AUDIT_HORIZON] =
        {.name = "horizon",
         .kind = LOTOR_OPTION_WHOLE,
         .placeholder = "T",
         .help = "rounds of a trial (default: as few as show everything that can leak; 64 where a "
                 "late round is replaced)"},
    [LOTOR_AUDIT_VIEW] = {.name = "view",
                          .kind = LOTOR_OPTION_CHOICE,
                          .placeholder = "VIEW",
                          .choices = "actions|board|reports",
                          .help = "what the adversary sees: every decision after the replaced "
                                  "round, every release, or the report itself (default: reports "
                                  "in the local model, else board)"},
    [LOTOR_AUDIT_CONFIDENCE] = {.name = "confidence",
                                .kind = LOTOR_OPTION_NUMBER,
                                .placeholder = "C",
                                .initial = LOTOR_TEXT_OF(LOTOR_AUDIT_CONFIDENCE_DEFAULT),
                                .help =
                                    "the confidence of the lower bound, over all attacks together"},
    [LOTOR_AUDIT_SEED] =
        {.name = "seed",
         .kind = LOTOR_OPTION_WHOLE,
         .placeholder = "S",
         .help = "use simulated noise with this seed (default: exact noise, without a seed)"},
    [LOTOR_AUDIT_THREADS] = {.name = "threads",
                             .kind = LOTOR_OPTION_WHOLE,
                             .placeholder = "N",
                             .help = "the most threads (default: one per core)"},
    [LOTOR_AUDIT_NOISE_SCALE] =
        {.name = "noise-scale",
         .kind = LOTOR_OPTION_RATIO,
         .placeholder = "X",
         .initial = "1",
         .help = "play at epsilon E/X and audit the claim of E: noise with scale 1/epsilon is "
                 "multiplied by X. At 0.5 an audit must find a violation, unless the claim is "
                 "loose by a larger factor (jdp-linucb-gauss, both Wishart ids)"},
    [LOTOR_AUDIT_JSON] = {.name = "json",
                          .kind = LOTOR_OPTION_FLAG,
                          .help =
                              "write a JSON object; for several algorithms an array of objects"},
    [LOTOR_AUDIT_PLOT] =
        {.name = "plot",
         .kind = LOTOR_OPTION_TEXT,
         .placeholder = "FILE.svg",
         .help = "draw the claimed epsilon and the epsilon found, one line per algorithm"},
    [LOTOR_AUDIT_COMMAND] =
        {.name = "command",
         .kind = LOTOR_OPTION_TEXT,
         .placeholder = "PROGRAM",
         .help = "audit a program of your own, which reads lines \"SEED INPUT\" and prints a line "
                 "of numbers for each; needs --epsilon, takes --delta, --input, --neighbour, "
                 "--timeout, --trials, --confidence, --seed, --threads, --json"},
    [LOTOR_AUDIT_INPUT] = {.name = "input",
                           .kind = LOTOR_OPTION_TEXT,
                           .placeholder = "TEXT",
                           .initial = "0",
                           .help = "the first input, with --command"},
    [LOTOR_AUDIT_NEIGHBOUR] = {.name = "neighbour",
                               .kind = LOTOR_OPTION_TEXT,
                               .placeholder = "TEXT",
                               .initial = "1",
                               .help = "the second input, which differs from the first in the data "
                                       "of one person, with --command"},
    [LOTOR_AUDIT_TIMEOUT] = {.name = "timeout",
                             .kind = LOTOR_OPTION_NUMBER,
                             .placeholder = "SECONDS",
                             .initial = "60",
                             .help = "the longest time in which the program may neither read nor "
                                     "print, with --command"},
};

typedef struct session {
    const lotor_option_value *values;
    lotor_algorithm_info algorithms[LOTOR_AUDIT_MAX];
    size_t count;
    bool is_all;
    lotor_audit_row *audited;
    size_t done;
} session;

bool lotor_audit_is_known_leak(const lotor_algorithm_info *facts)
{
    return facts->model != LOTOR_MODEL_NONE && facts->not_private;
}

bool lotor_audit_is_blind(const lotor_audit_result *result)
{
    return result->kind == LOTOR_AUDIT_UNSEEN || result->kind == LOTOR_AUDIT_NOTHING_SEEN;
}

bool lotor_audit_is_surprise(const lotor_audit_row *one)
{
    const lotor_audit_verdict verdict = one->result.kind;
    if (verdict == LOTOR_AUDIT_UNSEEN || verdict == LOTOR_AUDIT_CLAIMS_NOTHING) {
        return false;
    }
    return (verdict == LOTOR_AUDIT_VIOLATED) != lotor_audit_is_known_leak(&one->facts);
}

static lotor_status find_algorithm(const char *word, lotor_message *why, session *self)
{
    if (lotor_algorithm_find(word, NULL, &self->algorithms[self->count]) == LOTOR_OK) {
        self->count++;
        return LOTOR_OK;
    }
    if (strcmp(word, "all") == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "all means every algorithm: give no other name with it");
    }
    lotor_suggestion suggestion;
    lotor_suggestion_start(&suggestion, word);
    for (size_t i = 0; i < lotor_algorithm_count(); i++) {
        lotor_algorithm_info facts;
        lotor_algorithm_at(i, NULL, &facts);
        lotor_suggestion_offer(&suggestion, facts.id);
    }
    lotor_suggestion_offer(&suggestion, "all");
    const char *nearest = suggestion.nearest;
    return lotor_fail(LOTOR_INVALID, why,
                      "there is no algorithm %s%s%s%s (lotor algorithms lists all)",
                      lotor_quote_text(word).text, nearest ? ": did you mean " : "",
                      nearest ? nearest : "", nearest ? "?" : "");
}

static lotor_status find_algorithms(const lotor_arguments *arguments, lotor_message *why,
                                    session *self)
{
    if (arguments->word_count == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "no algorithm is given: give one such as dpucb-mat, or all; lotor "
                          "algorithms lists them");
    }
    self->is_all = arguments->word_count == 1 && strcmp(arguments->words[0], "all") == 0;
    if (self->is_all) {
        while (self->count < LOTOR_AUDIT_MAX && self->count < lotor_algorithm_count()) {
            lotor_algorithm_at(self->count, NULL, &self->algorithms[self->count]);
            self->count++;
        }
        return LOTOR_OK;
    }
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; i < arguments->word_count && status == LOTOR_OK; i++) {
        status = find_algorithm(arguments->words[i], why, self);
    }
    return status;
}

static lotor_status check_numbers(const lotor_option_value *values, lotor_message *why)
{
    if (values[LOTOR_AUDIT_TRIALS].whole > LOTOR_AUDIT_TRIALS_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "--trials %s: expected at most 2^40",
                          values[LOTOR_AUDIT_TRIALS].text);
    }
    if (values[LOTOR_AUDIT_HORIZON].whole > LOTOR_AUDIT_ROUNDS_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "--horizon %s: expected at most 2^32",
                          values[LOTOR_AUDIT_HORIZON].text);
    }
    if (values[LOTOR_AUDIT_HORIZON].given && values[LOTOR_AUDIT_HORIZON].whole == 0) {
        return lotor_fail(LOTOR_INVALID, why, "--horizon 0: a trial has at least one round");
    }
    if (values[LOTOR_AUDIT_THREADS].given &&
        (values[LOTOR_AUDIT_THREADS].whole == 0 ||
         values[LOTOR_AUDIT_THREADS].whole > LOTOR_AUDIT_THREADS_MAX)) {
        return lotor_fail(LOTOR_INVALID, why, "--threads %s: expected from 1 to %d",
                          values[LOTOR_AUDIT_THREADS].text, LOTOR_AUDIT_THREADS_MAX);
    }
    if (values[LOTOR_AUDIT_EPSILON].ratio.num == 0) {
        return lotor_fail(LOTOR_INVALID, why, "--epsilon 0: nothing could be released");
    }
    return LOTOR_OK;
}

/* The library takes 0 for a default, but a 0 on the command line is a mistake. */
static lotor_status refuse_zeros(const lotor_option_value *values, lotor_message *why)
{
    if (values[LOTOR_AUDIT_TRIALS].whole == 0) {
        return lotor_fail(LOTOR_INVALID, why, "0 trials are too few: give at least %d",
                          LOTOR_AUDIT_TRIALS_MIN);
    }
    if (values[LOTOR_AUDIT_CONFIDENCE].number == 0.0) {
        return lotor_fail(LOTOR_INVALID, why, "the confidence must lie between 0.5 and 1, not 0");
    }
    if (values[LOTOR_AUDIT_NOISE_SCALE].ratio.num == 0) {
        return lotor_fail(LOTOR_INVALID, why, "the noise scale must be a number above 0, not 0");
    }
    return LOTOR_OK;
}

lotor_status lotor_audit_check_options(const lotor_option_value *values, lotor_message *why)
{
    const lotor_status status = check_numbers(values, why);
    return status == LOTOR_OK ? refuse_zeros(values, why) : status;
}

static lotor_audit_params params_of(const session *self, const lotor_algorithm_info *facts,
                                    lotor_progress *progress)
{
    const lotor_option_value *values = self->values;
    const lotor_option_value *delta = &values[LOTOR_AUDIT_DELTA];
    /* With several algorithms, the delta is for those that have one. 0 means the default. */
    const bool takes_delta =
        delta->given && delta->ratio.num != 0 && (facts->delta.num != 0 || self->count == 1);
    return (lotor_audit_params){
        .algorithm = facts->id,
        .epsilon = values[LOTOR_AUDIT_EPSILON].ratio,
        .delta = takes_delta ? delta->ratio : (lotor_ratio){0, 0},
        .horizon = values[LOTOR_AUDIT_HORIZON].whole,
        .trials = values[LOTOR_AUDIT_TRIALS].whole,
        .view = values[LOTOR_AUDIT_VIEW].text,
        .confidence = values[LOTOR_AUDIT_CONFIDENCE].number,
        .is_seeded = values[LOTOR_AUDIT_SEED].given,
        .seed = values[LOTOR_AUDIT_SEED].whole,
        .threads = (size_t)values[LOTOR_AUDIT_THREADS].whole,
        .noise_scale = lotor_ratio_to_double(values[LOTOR_AUDIT_NOISE_SCALE].ratio),
        .progress = lotor_progress_tell,
        .progress_context = progress,
    };
}

static lotor_status audit_all(session *self, lotor_progress *progress, lotor_message *why)
{
    lotor_status status = refuse_zeros(self->values, why);
    for (size_t i = 0; i < self->count && status == LOTOR_OK && !progress->interrupted; i++) {
        lotor_audit_row *one = &self->audited[self->done];
        one->facts = self->algorithms[i];
        one->params = params_of(self, &one->facts, progress);
        lotor_progress_next(progress, one->facts.id, 1.0);
        status = lotor_audit_run(&one->params, why, &one->result);
        lotor_progress_wipe(progress);
        if (status == LOTOR_OK) {
            self->done++;
        } else if (status == LOTOR_STOPPED) {
            status = LOTOR_OK;
        }
    }
    return status;
}

static int result_of(const session *self)
{
    int result = LOTOR_EXIT_FINE;
    for (size_t i = 0; i < self->done; i++) {
        const lotor_audit_row *one = &self->audited[i];
        if (self->is_all ? lotor_audit_is_surprise(one) : one->result.is_violated) {
            return LOTOR_EXIT_FAILED;
        }
        if (lotor_audit_is_blind(&one->result)) {
            result = LOTOR_EXIT_UNSEEN;
        }
    }
    return result;
}

static lotor_status draw(const session *self, lotor_message *why)
{
    lotor_audit_mark marks[LOTOR_AUDIT_MAX];
    for (size_t i = 0; i < self->done; i++) {
        marks[i] = (lotor_audit_mark){self->audited[i].facts.id, &self->audited[i].result};
    }
    lotor_text picture = {0};
    lotor_audit_chart_draw(&picture, marks, self->done);
    const lotor_status status = lotor_svg_write(&picture, self->values[LOTOR_AUDIT_PLOT].text, why);
    lotor_text_clear(&picture);
    return status;
}

static int report(const session *self)
{
    if (self->values[LOTOR_AUDIT_JSON].given) {
        lotor_audit_json(self->audited, self->done, self->count > 1);
    } else if (self->count == 1) {
        lotor_audit_text(self->audited);
    } else {
        lotor_audit_table(self->audited, self->done);
    }
    const int result = result_of(self);
    lotor_message why;
    if (self->values[LOTOR_AUDIT_PLOT].given && draw(self, &why) != LOTOR_OK) {
        lotor_print_complaint("audit", "%s", why.text);
        return LOTOR_EXIT_USAGE; /* not the 1 of a violation */
    }
    return result;
}

static int audit_and_report(session *self)
{
    lotor_progress progress;
    lotor_message why = {.text = ""};
    lotor_progress_begin(&progress, self->count, (double)self->count);
    const lotor_status status = audit_all(self, &progress, &why);
    lotor_progress_end(&progress);
    if (status != LOTOR_OK) {
        lotor_print_error(self->values[LOTOR_AUDIT_JSON].given, why.text);
        return lotor_command_refuse("audit", status, why.text);
    }
    const int result = self->done > 0 ? report(self) : LOTOR_EXIT_FAILED;
    if (progress.interrupted) {
        lotor_print_complaint("audit", "stopped: %s",
                              self->done > 0 ? "this is what was complete"
                                             : "not one was complete");
        return LOTOR_EXIT_INTERRUPTED;
    }
    return result;
}

/* Refuses options that have no meaning for an exact verification. */
static lotor_status check_verify(const lotor_arguments *arguments, lotor_message *why)
{
    static const size_t unused[] = {
        LOTOR_AUDIT_TRIALS,     LOTOR_AUDIT_HORIZON, LOTOR_AUDIT_VIEW,
        LOTOR_AUDIT_CONFIDENCE, LOTOR_AUDIT_SEED,    LOTOR_AUDIT_THREADS,
        LOTOR_AUDIT_PLOT,       LOTOR_AUDIT_COUPLE,  LOTOR_AUDIT_TRACES};
    if (arguments->word_count > 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--verify names one mechanism, and %s is one argument too many",
                          lotor_quote_text(arguments->words[0]).text);
    }
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++) {
        if (arguments->values[unused[i]].given) {
            return lotor_fail(LOTOR_INVALID, why,
                              "--%s can't be used with --verify, which samples nothing",
                              options[unused[i]].name);
        }
    }
    return LOTOR_OK;
}

static int run_verify(const lotor_arguments *arguments)
{
    const lotor_option_value *values = arguments->values;
    lotor_message why;
    const lotor_status status = check_verify(arguments, &why);
    if (status != LOTOR_OK) {
        return lotor_command_refuse("audit", status, why.text);
    }
    lotor_audit_verify_request ask = {
        .mechanism = values[LOTOR_AUDIT_VERIFY].text,
        .json = values[LOTOR_AUDIT_JSON].given,
    };
    if (values[LOTOR_AUDIT_EPSILON].given) {
        ask.epsilon = values[LOTOR_AUDIT_EPSILON].ratio;
    }
    if (values[LOTOR_AUDIT_DELTA].given) {
        ask.delta = values[LOTOR_AUDIT_DELTA].ratio;
    }
    if (values[LOTOR_AUDIT_NOISE_SCALE].given) {
        ask.noise_scale = values[LOTOR_AUDIT_NOISE_SCALE].ratio;
    }
    return lotor_audit_verify_run(arguments->command, &ask);
}

/* Refuses options that have no meaning for coupled worlds, and 0 where the library would take a
 * default. */
static lotor_status check_couple(const lotor_option_value *values, lotor_message *why)
{
    static const size_t unused[] = {LOTOR_AUDIT_EPSILON, LOTOR_AUDIT_DELTA, LOTOR_AUDIT_TRIALS,
                                    LOTOR_AUDIT_HORIZON, LOTOR_AUDIT_VIEW,  LOTOR_AUDIT_CONFIDENCE,
                                    LOTOR_AUDIT_PLOT};
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++) {
        if (values[unused[i]].given) {
            return lotor_fail(LOTOR_INVALID, why,
                              "--%s can't be used with --couple: each trace draws its own setting",
                              options[unused[i]].name);
        }
    }
    if (values[LOTOR_AUDIT_TRACES].whole == 0 ||
        values[LOTOR_AUDIT_TRACES].whole > LOTOR_COUPLE_TRACES_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "--traces %s: expected from 1 to 2^40",
                          values[LOTOR_AUDIT_TRACES].text);
    }
    if (values[LOTOR_AUDIT_SEED].given && values[LOTOR_AUDIT_SEED].whole == 0) {
        return lotor_fail(LOTOR_INVALID, why, "--seed 0: expected a whole number above 0");
    }
    return values[LOTOR_AUDIT_NOISE_SCALE].ratio.num > 0
               ? LOTOR_OK
               : lotor_fail(LOTOR_INVALID, why, "the noise scale must be a number above 0, not 0");
}

static int run_couple(const session *self)
{
    const lotor_option_value *values = self->values;
    lotor_message why;
    const lotor_status status = check_couple(values, &why);
    if (status != LOTOR_OK) {
        return lotor_command_refuse("audit", status, why.text);
    }
    const lotor_audit_couple_request ask = {
        .algorithms = self->algorithms,
        .count = self->count,
        .is_all = self->is_all,
        .json = values[LOTOR_AUDIT_JSON].given,
        .params = {.traces = values[LOTOR_AUDIT_TRACES].whole,
                   .seed = values[LOTOR_AUDIT_SEED].given ? values[LOTOR_AUDIT_SEED].whole
                                                          : LOTOR_COUPLE_SEED_DEFAULT,
                   .threads = (size_t)values[LOTOR_AUDIT_THREADS].whole,
                   .noise_scale = lotor_ratio_to_double(values[LOTOR_AUDIT_NOISE_SCALE].ratio)},
    };
    return lotor_audit_couple_run("audit", &ask);
}

/* Refuses options of --command without it. */
static lotor_status check_no_command(const lotor_option_value *values, lotor_message *why)
{
    static const size_t unused[] = {LOTOR_AUDIT_INPUT, LOTOR_AUDIT_NEIGHBOUR, LOTOR_AUDIT_TIMEOUT};
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++) {
        if (values[unused[i]].given) {
            return lotor_fail(LOTOR_INVALID, why, "--%s is for --command", options[unused[i]].name);
        }
    }
    return LOTOR_OK;
}

static int run_audit(const lotor_arguments *arguments)
{
    if (arguments->values[LOTOR_AUDIT_COMMAND].given) {
        return lotor_audit_command_run(arguments, options);
    }
    if (arguments->values[LOTOR_AUDIT_VERIFY].given) {
        return run_verify(arguments);
    }
    session self = {.values = arguments->values};
    lotor_message why;
    lotor_status status = check_no_command(self.values, &why);
    if (status == LOTOR_OK) {
        status = find_algorithms(arguments, &why, &self);
    }
    if (status == LOTOR_OK) {
        status = check_numbers(self.values, &why);
    }
    if (status == LOTOR_OK && self.values[LOTOR_AUDIT_COUPLE].given) {
        return run_couple(&self);
    }
    if (status == LOTOR_OK && self.values[LOTOR_AUDIT_TRACES].given) {
        status = lotor_fail(LOTOR_INVALID, &why, "--traces is for --couple: an audit has --trials");
    }
    if (status == LOTOR_OK && self.values[LOTOR_AUDIT_PLOT].given) {
        status = lotor_svg_check(self.values[LOTOR_AUDIT_PLOT].text, &why);
    }
    if (status == LOTOR_OK) {
        self.audited = calloc(self.count, sizeof *self.audited);
        status = self.audited ? LOTOR_OK : lotor_fail(LOTOR_MEMORY, &why, "no memory");
    }
    const int result = status == LOTOR_OK ? audit_and_report(&self)
                                          : lotor_command_refuse("audit", status, why.text);
    free(self.audited);
    return result;
}

const lotor_command lotor_command_audit = {
    .name = "audit",
    .summary = "try to break the privacy that an algorithm claims",
    .usage = "(ALGORITHM... | all) [--epsilon E] [--delta D] [--trials N] [--horizon T] "
             "[--view actions|board|reports] [--confidence C] [--seed S] [--threads N] "
             "[--noise-scale X] [--json] [--plot FILE.svg] | --verify MECHANISM | "
             "(ALGORITHM... | all) --couple [--traces N] | --command PROGRAM --epsilon E "
             "[--input TEXT] [--neighbour TEXT] [--timeout SECONDS]",
    .about =
        "Plays an algorithm many times on two inputs that differ in one round's feedback (for a "
        "linear algorithm in its context and feedback). Searches for an event that tells the "
        "inputs apart. The pairs of inputs are: all ones against all zeros; one arm against none; "
        "a click against none; a context against none or a turned one; the round before a batch "
        "closes; feedback against none; a reload in the middle of a release; a round from 5 to 40 "
        "with four rounds open; the same in the code of the service, with random masks of eligible "
        "arms.\n\nSome events are handwritten, and two of them find shared noise: numbers that "
        "were released together differ by exactly 0, or by exactly 1. Two events are learned from "
        "the first half of the trials and tested on the second: a likelihood ratio, and a weighted "
        "sum of all numbers. The weighted sum is strong against Gaussian noise.\n\nPrints the "
        "claimed epsilon, and a lower bound on the true epsilon that holds with the stated "
        "confidence (Clopper and Pearson, shared among all events). Says what the trials "
        "exercised, and what not. An audit can refute a claim. If it finds nothing, that proves "
        "nothing.\n\nExit status: 0 no violation found; 1 violated; 2 wrong usage (also if the "
        "algorithm refuses --horizon, or the picture can't be written); 4 too little was seen: "
        "fewer than two rounds with a release (elimination: none), with --view actions no decision "
        "after a release, or nothing that told the two inputs apart. With all: 1 only if an "
        "algorithm that claims privacy is violated, or a known leak is not found.\n\nWith --verify "
        "nothing is sampled. The command computes the privacy loss of a discrete mechanism "
        "exactly, in integers, for all pairs of neighbouring small inputs and all outputs. The "
        "noise scales come from the library's own code, and the noise distribution from running "
        "its samplers on chosen random words. The delta of the Gaussian is a series, so it is "
        "given between two certified bounds. Mechanisms: " LOTOR_AUDIT_VERIFY_NAMES
        ".\n\nWith --couple two worlds play the same random trace. They differ in one round's "
        "feedback, and the noise of the second is chosen so that both release the same numbers. "
        "Then everything that is published must be the same. The distance of the exact numbers, in "
        "scales of their noise, must be at most what the claim allows. Given the law of the noise, "
        "this is the proof of the claim: a trace that breaks it is a counterexample. Traces have 1 "
        "to 20 arms, all structures, late, repeated and missing feedback, eligible arms that "
        "change, undone decisions, and reloads. Exit status with --couple: 0 no violation; 1 "
        "violated (with all: only if the catalog says otherwise); 4 no release of any trace "
        "contained the round that differs.\n\nWith --command the command audits a program of your "
        "own. sh -c starts the program. It reads lines \"SEED INPUT\" until its input ends, and "
        "prints one line of numbers for each. SEED is a whole number below 2^53, and is different "
        "on each line. INPUT is the text of --input or of --neighbour. The same search for events "
        "looks at every number, at sums, differences and equal numbers, at low bits, at the length "
        "of the output, and at the output as a whole. The exit status is also 2 if the program "
        "dies, hangs, or prints something else than numbers.",
    .examples =
        "  lotor audit dpucb-mat --epsilon 2 --trials 2e4\n"
        "  lotor audit dp-ucb cucb-ldp2 --trials 2e4 --json\n"
        "  lotor audit cascade-ldp-gauss --epsilon 0.2 --trials 2e4 || echo leaks\n"
        "  lotor audit lik-imed rr-imed --trials 4000 --plot audit.svg\n"
        "  lotor audit lik-imed --couple --traces 500\n"
        "  lotor audit --verify all\n"
        "  lotor audit --verify laplace --epsilon 0.5 --json\n"
        "  lotor audit --epsilon 1 --command \\\n"
        "      \"awk 'NR == 1 { srand(\\$1 % 1e9) } { print rand() < .7 ? \\$2 : 1-\\$2 }'\"\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .word_limit = LOTOR_WORDS_MAX,
    .run = run_audit,
};
