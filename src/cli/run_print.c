/* run_print.c - prints the outcomes as text and as CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "base/quote.h"
#include "cli/print.h"
#include "cli/run.h"

/* Keeps only printable ASCII, because somebody else may have chosen the name of the world. */
static void clean(char *text)
{
    for (; *text != '\0'; text++) {
        *text = *text >= 0x20 && *text < 0x7f ? *text : '?';
    }
}

/* ", 4 shown", ", spanning-tree", ", coverage by 2 vertices", or nothing. */
static void describe_sets(const lotor_run_plan *plan, char *text, size_t capacity)
{
    const lotor_simulate_problem_facts *problem = &plan->facts;
    text[0] = '\0';
    if (problem->is_linear) {
        return;
    }
    if (problem->structure == LOTOR_STRUCTURE_TOP && problem->slots > 1) {
        snprintf(text, capacity, ", %zu shown", problem->slots);
    } else if (problem->structure == LOTOR_STRUCTURE_COVERAGE ||
               problem->structure == LOTOR_STRUCTURE_INFLUENCE) {
        snprintf(text, capacity, ", %s by %zu %s", problem->structure_name, problem->seeds,
                 problem->seeds == 1 ? "vertex" : "vertices");
    } else if (problem->from) {
        snprintf(text, capacity, ", %s", problem->structure_name);
    }
}

/* ", rewards gaussian:0.1, world swaps:5, delay 1e4, expiry 1e3", or nothing. */
static void describe_play(const lotor_run_plan *plan, char *text, size_t capacity)
{
    static const struct {
        size_t option;
        const char *name;
    } told[] = {{LOTOR_RUN_REWARDS, "rewards"},   {LOTOR_RUN_WORLD, "world"},
                {LOTOR_RUN_SCHEDULE, "schedule"}, {LOTOR_RUN_DELAY, "delay"},
                {LOTOR_RUN_EXPIRY, "expiry"},     {LOTOR_RUN_MISSING, "missing"}};
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const lotor_option_value *value = &plan->values[told[i].option];
        const bool counts = told[i].option != LOTOR_RUN_REWARDS || plan->facts.is_clipped;
        if (value->given && counts && length < capacity) {
            length += (size_t)snprintf(text + length, capacity - length, ", %s %.48s", told[i].name,
                                       value->text);
        }
    }
}

void lotor_run_title(const lotor_run_plan *plan, uint64_t runs, char *text, size_t capacity)
{
    bool is_private = false;
    for (size_t i = 0; i < plan->count; i++) {
        is_private = is_private || lotor_run_uses(&plan->algorithms[i], LOTOR_RUN_EPSILON);
    }
    const lotor_option_value *scale = &plan->values[LOTOR_RUN_NOISE_SCALE];
    const bool scaled = is_private && scale->number != 1.0;
    char shown[64], play[200];
    describe_sets(plan, shown, sizeof shown);
    describe_play(plan, play, sizeof play);
    snprintf(text, capacity, "%s, %zu %s%s%s%s%s%.24s%s%.24s, %llu run%s", plan->place,
             plan->facts.arms, plan->facts.is_linear ? "action" : "arm",
             plan->facts.arms == 1 ? "" : "s", shown, play, is_private ? ", epsilon " : "",
             is_private ? plan->values[LOTOR_RUN_EPSILON].text : "", scaled ? ", noise x " : "",
             scaled ? scale->text : "", (unsigned long long)runs, runs == 1 ? "" : "s");
    clean(text);
}

/* --- the table ---------------------------------------------------------------------------------- */

enum { RUNS_FOR_TAIL = 100 };
enum { COLUMNS = 5, CELL = 48, TEXT_COLUMNS = 3, WIDTH = 80 };

typedef char table_row[COLUMNS][CELL];

/* Shortens "5e+07" to "5e7". */
static void shorten_exponent(char *text)
{
    char *sign = strstr(text, "e+");
    if (sign) {
        const size_t skipped = 1 + strspn(sign + 2, "0");
        memmove(sign + 1, sign + 1 + skipped, strlen(sign + 1 + skipped) + 1);
    }
}

/* Writes "123.4 +- 5.6": the error with two digits, and the mean with as many decimals. Tiny
 * numbers that come from rounding are written as 0. */
static void put_estimate(char *text, double mean, double error)
{
    static const double nothing = 1e-9;
    mean = fabs(mean) < nothing ? 0.0 : mean;
    if (isnan(mean)) {
        snprintf(text, CELL, "not known");
    } else if (isnan(error)) {
        snprintf(text, CELL, "%.6g", mean);
    } else if (error < nothing) {
        snprintf(text, CELL, "%.6g +- 0", mean);
    } else {
        const int places = (int)fmax(0.0, 1.0 - floor(log10(error)));
        snprintf(text, CELL, "%.*f +- %.*f", places, mean, places, error);
    }
}

static void put_row(const lotor_outcome *outcome, table_row cells)
{
    const lotor_simulate_result *result = outcome->result;
    snprintf(cells[0], CELL, "%s", outcome->algorithm->id);
    put_estimate(cells[1], result->regret, result->regret_error);
    put_estimate(cells[2], result->per_round, result->round_error);
    snprintf(cells[3], CELL, "%.3g", result->rounds_per_second);
    snprintf(cells[4], CELL, "%.3g", result->seconds);
    shorten_exponent(cells[3]);
    shorten_exponent(cells[4]);
}

/* Prints two blanks between columns, or one if the row would be too wide. */
static void print_row(table_row cells, const size_t width[COLUMNS])
{
    size_t all = 0;
    for (size_t i = 0; i < COLUMNS; i++) {
        all += width[i];
    }
    const int gap = all + 2 * (size_t)(COLUMNS - 1) <= WIDTH ? 2 : 1;
    for (size_t i = 0; i < COLUMNS; i++) {
        const int columns = i < TEXT_COLUMNS ? -(int)width[i] : (int)width[i];
        printf("%*s%*s", i > 0 ? gap : 0, "", columns, cells[i]);
    }
    fputc('\n', stdout);
}

static void print_table(const lotor_outcome *outcomes, size_t count, uint64_t horizon)
{
    table_row head = {"algorithm", "", "return per round", "rounds/s", "seconds"};
    table_row rows[LOTOR_RUN_MAX];
    size_t width[COLUMNS];
    snprintf(head[1], CELL, "regret at %.4g", (double)horizon);
    shorten_exponent(head[1]);
    for (size_t i = 0; i < count; i++) {
        put_row(&outcomes[i], rows[i]);
    }
    for (size_t j = 0; j < COLUMNS; j++) {
        width[j] = strlen(head[j]);
        for (size_t i = 0; i < count; i++) {
            const size_t length = strlen(rows[i][j]);
            width[j] = length > width[j] ? length : width[j];
        }
    }
    print_row(head, width);
    for (size_t i = 0; i < count; i++) {
        print_row(rows[i], width);
    }
}

/* --- remarks below the table -------------------------------------------------------------------- */

/* Says what regret is measured against, if that is not the optimum. It is the same for all
 * algorithms. */
static void print_reference(const lotor_simulate_result *result)
{
    char text[400] = "";
    if (result->best_is_bound) {
        snprintf(text, sizeof text,
                 "Regret is against %.6g a round. The oracle finds this value when it knows the "
                 "means, and it is at least %.4g of the optimum.",
                 result->best_per_round, result->best_share);
    } else if (result->best_share > 0.0 && result->best_share < 1.0) {
        snprintf(text, sizeof text,
                 "Regret is against %.6g a round: %.4g of the optimum, as much as the oracle "
                 "guarantees. Regret is below 0 if the oracle did better.",
                 result->best_per_round, result->best_share);
    }
    if (text[0] != '\0') {
        fputc('\n', stdout);
        lotor_print_wrapped(stdout, text, 0, 2);
    }
}

/* With enough runs: how unlucky a run can be. */
static void print_tail(const lotor_outcome *outcome)
{
    const lotor_simulate_result *result = outcome->result;
    if (result->runs < RUNS_FOR_TAIL || isnan(result->regret)) {
        return;
    }
    char text[400], half[LOTOR_DIGITS_ROOM], most[LOTOR_DIGITS_ROOM], all[LOTOR_DIGITS_ROOM];
    snprintf(text, sizeof text,
             "%s: the median of the runs lost %s, their 99%% quantile %s, the worst run %s.",
             outcome->algorithm->id, lotor_digits(round(result->regret_median), half),
             lotor_digits(round(result->regret_99), most),
             lotor_digits(round(result->regret_largest), all));
    lotor_print_wrapped(stdout, text, 0, 2);
}

static void print_tails(const lotor_outcome *outcomes, size_t count)
{
    if (count > 0 && outcomes[0].result->runs >= RUNS_FOR_TAIL &&
        !isnan(outcomes[0].result->regret)) {
        fputc('\n', stdout);
    }
    for (size_t i = 0; i < count; i++) {
        print_tail(&outcomes[i]);
    }
}

/* Says how many rewards are clipped, and which means regret uses. */
static void print_clipping(const lotor_run_plan *plan, const lotor_simulate_result *result)
{
    enum { MOST_MEANS = 10 };
    if (!plan->facts.is_clipped) {
        return;
    }
    char text[600];
    size_t length = (size_t)snprintf(
        text, sizeof text,
        "Rewards are clipped to [0,1]: at most %.3g%% of an arm's. Regret uses the means after "
        "clipping",
        100.0 * result->clipped_share);
    for (size_t i = 0; plan->facts.arms <= MOST_MEANS && !plan->facts.changes &&
                       i < plan->facts.arms && length < sizeof text;
         i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%.4g",
                                   i > 0 ? ", " : ": ", plan->facts.means[i]);
    }
    snprintf(text + length, sizeof text - length, ".");
    fputc('\n', stdout);
    lotor_print_wrapped(stdout, text, 0, 2);
}

/* Says what a world that changes, and delayed feedback, mean for the numbers. */
static void print_change_and_delay(const lotor_run_plan *plan, const lotor_simulate_result *result)
{
    char text[300];
    if (plan->facts.changes) {
        snprintf(text, sizeof text,
                 "The means change: regret is against the best choice of the same round, which "
                 "pays %.6g a round on average. There is no lower bound for such worlds.",
                 result->best_per_round);
        fputc('\n', stdout);
        lotor_print_wrapped(stdout, text, 0, 2);
    }
    if (plan->facts.arms_change && !plan->facts.changes) {
        snprintf(text, sizeof text,
                 "Arms come and go: regret is against the best choice among the arms of the same "
                 "round, which pays %.6g a round on average. There is no lower bound for this.",
                 result->best_per_round);
        fputc('\n', stdout);
        lotor_print_wrapped(stdout, text, 0, 2);
    }
    if (plan->values[LOTOR_RUN_EXPIRY].given) {
        snprintf(text, sizeof text,
                 "Every round is final %llu rounds after its display. By then %.3g%% of the rounds "
                 "have no feedback, and count as a reward of 0.",
                 (unsigned long long)plan->values[LOTOR_RUN_EXPIRY].whole,
                 100.0 * result->lost_share);
        fputc('\n', stdout);
        lotor_print_wrapped(stdout, text, 0, 2);
    } else if (plan->values[LOTOR_RUN_DELAY].given) {
        fputc('\n', stdout);
        lotor_print_wrapped(stdout,
                            "Feedback counts in the order of display, so a round also waits for "
                            "all earlier rounds. Feedback that arrives after the last round is "
                            "never used.",
                            0, 2);
    }
}

/* Says what an unbiased replay did, and what its numbers mean. */
static void print_replay(const lotor_outcome *outcomes, size_t count)
{
    fputc('\n', stdout);
    lotor_print_wrapped(stdout,
                        "Unbiased replay (Li, Chu, Langford and Wang 2011): an event of the log "
                        "counts if its arm is the one that was chosen. The return is the average "
                        "over these events; its standard error is that of one run, since all runs "
                        "read the same log.",
                        0, 2);
    for (size_t i = 0; i < count; i++) {
        const lotor_simulate_result *result = outcomes[i].result;
        const bool is_short = result->accepted_events < (double)result->horizon;
        char text[300];
        snprintf(text, sizeof text, "%s: %.6g of %" PRIu64 " events accepted in a run%s.",
                 outcomes[i].algorithm->id, result->accepted_events, result->logged_events,
                 is_short ? ", the log ended before the horizon" : "");
        lotor_print_wrapped(stdout, text, 0, 2);
    }
}

/* Prints remarks that the user needs to interpret the numbers. */
static void print_remarks(const lotor_run_plan *plan, const lotor_outcome *outcomes, size_t count)
{
    print_tails(outcomes, count);
    if (lotor_run_is_unbiased(plan)) {
        print_replay(outcomes, count);
    }
    if (count > 0) {
        print_reference(outcomes[0].result);
        print_clipping(plan, outcomes[0].result);
        print_change_and_delay(plan, outcomes[0].result);
    }
    if (count > 0 && plan->facts.structure == LOTOR_STRUCTURE_INFLUENCE) {
        char text[200];
        snprintf(
            text, sizeof text,
            "Influence is an average over %d draws of the graph, the same that the oracle sees: "
            "differences of a few percent may not be real.",
            LOTOR_POLICY_INFLUENCE_SAMPLES);
        fputc('\n', stdout);
        lotor_print_wrapped(stdout, text, 0, 2);
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t late = outcomes[i].result->late_release;
        if (late > 0) {
            char text[400];
            snprintf(
                text, sizeof text,
                "%s: its first release comes after round %" PRIu64 ", which this horizon does "
                "not reach: it has learnt nothing, and showed the longest action. Use a longer "
                "horizon or a larger epsilon.",
                outcomes[i].algorithm->id, late);
            fputc('\n', stdout);
            lotor_print_wrapped(stdout, text, 0, 2);
        }
        const double indefinite = outcomes[i].result->indefinite_rounds;
        if (indefinite > 0.0) {
            char text[400];
            snprintf(text, sizeof text,
                     "%s: in %.6g of the rounds of a run the noisy matrix V was not positive "
                     "definite, and the longest action was shown.",
                     outcomes[i].algorithm->id, indefinite);
            fputc('\n', stdout);
            lotor_print_wrapped(stdout, text, 0, 2);
        }
    }
}

static bool has_bound_of(const lotor_outcome *outcomes, size_t one, size_t other)
{
    return outcomes[one].result->lower_bound == outcomes[other].result->lower_bound;
}

/* Writes " of ID, ID" with the algorithms that have the same bound as a given one; nothing if all
 * have. False if an earlier algorithm has it: its line was printed. */
static bool name_bound(const lotor_outcome *outcomes, size_t count, size_t number, char *text,
                       size_t capacity)
{
    bool all = true;
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (!has_bound_of(outcomes, i, number)) {
            all = false;
        } else if (i < number) {
            return false;
        } else if (length < capacity) {
            length += (size_t)snprintf(text + length, capacity - length, "%s%s",
                                       i == number ? " of " : ", ", outcomes[i].algorithm->id);
        }
    }
    if (all) {
        text[0] = '\0';
    }
    return true;
}

static void print_bound(const char *kind, const char *names, double per_log_t, const char *theorem,
                        uint64_t horizon)
{
    char text[2000];
    snprintf(text, sizeof text, "%s bound%s: %.6g, which is %.6g log T, as T grows (%s).", kind,
             names, per_log_t * log((double)horizon), per_log_t, theorem);
    lotor_print_wrapped(stdout, text, 0, 2);
}

static void print_bounds(const lotor_outcome *outcomes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const lotor_simulate_result *result = outcomes[i].result;
        char names[1000];
        if (isnan(result->lower_bound) || !name_bound(outcomes, count, i, names, sizeof names)) {
            continue;
        }
        fputc('\n', stdout);
        print_bound("Lower", names, result->lower_bound, result->lower_bound_theorem,
                    result->horizon);
        if (result->classical_bound < result->lower_bound * (1.0 - 1e-9)) {
            print_bound("Classical", names, result->classical_bound,
                        result->classical_bound_theorem, result->horizon);
        }
    }
}

/* Prints the headline of the guarantee: the text above its rows, without the line about noise,
 * which all guarantees share. */
static void print_headline(const lotor_outcome *outcome)
{
    char text[4096], line[4200];
    lotor_guarantee guarantee = outcome->result->guarantee;
    guarantee.noise = LOTOR_NOISE_EXACT; /* the text above says that the noise is simulated */
    lotor_guarantee_text(&guarantee, text, sizeof text);
    static const char *const rows[] = {"\n  nominal ", "\n  mechanism ", "\n  noise "};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *row = strstr(text, rows[i]);
        if (row) {
            *row = '\0';
        }
    }
    for (char *at = strchr(text, '\n'); at; at = strchr(at, '\n')) {
        *at = ' ';
    }
    const bool unserved = outcome->algorithm->is_simulation_only && guarantee.is_private;
    snprintf(line, sizeof line, "%s: %s%s", outcome->algorithm->id, text,
             unserved ? " (on paper: its noise has no exact sampler, so it is for simulations only)"
                      : "");
    lotor_print_wrapped(stdout, line, 0, 2);
}

/* Breaks a title that is too long after a comma, not inside "10 runs". */
static void break_title(char *text)
{
    enum { MOST = 78 };
    if (strlen(text) <= MOST) {
        return;
    }
    for (size_t i = MOST; i > 1; i--) {
        if (text[i] == ' ' && text[i - 1] == ',') {
            text[i] = '\n';
            return;
        }
    }
}

void lotor_run_text(const lotor_run_plan *plan, const lotor_outcome *outcomes, size_t count)
{
    const uint64_t horizon = plan->values[LOTOR_RUN_HORIZON].whole;
    char title[320], line[360];
    lotor_run_title(plan, count > 0 ? outcomes[count - 1].result->runs : 0, title, sizeof title);
    snprintf(line, sizeof line, "%s, seed %llu", title,
             (unsigned long long)plan->values[LOTOR_RUN_SEED].whole);
    break_title(line);
    lotor_print_wrapped(stdout, line, 0, 2);
    fputc('\n', stdout);
    print_table(outcomes, count, horizon);
    lotor_run_shown(plan, outcomes, count);
    print_remarks(plan, outcomes, count);
    print_bounds(outcomes, count);
    fputs("\nThis is a simulation, and protects nobody: the seed reveals the noise.\nWith exact "
          "noise:\n",
          stdout);
    bool has_leak = false;
    for (size_t i = 0; i < count; i++) {
        const lotor_algorithm_info *row = outcomes[i].algorithm;
        print_headline(&outcomes[i]);
        has_leak = has_leak || (row->model != LOTOR_MODEL_NONE && row->not_private);
    }
    if (has_leak) {
        lotor_print_wrapped(stdout,
                            "For private sets and lists, use lik-imed (with a trusted server) or "
                            "rr-imed (without one); lotor advise compares the algorithms that fit.",
                            0, 2);
    }
}

/* A number of the CSV; nothing if it is not known. */
static const char *csv_number(double number, char *digits)
{
    return isfinite(number) ? lotor_digits(number, digits) : "";
}

static void put_means(const lotor_outcome *outcome)
{
    const lotor_simulate_result *result = outcome->result;
    for (size_t i = 0; i < result->point_count; i++) {
        const lotor_simulate_point *point = &result->points[i];
        char mean[LOTOR_DIGITS_ROOM], error[LOTOR_DIGITS_ROOM];
        printf("%s,%llu,%s,%s\n", outcome->algorithm->id, (unsigned long long)point->round,
               csv_number(point->regret, mean), csv_number(point->standard_error, error));
    }
}

static void put_curves(const lotor_outcome *outcome)
{
    const lotor_simulate_result *result = outcome->result;
    const double *regret = result->regrets, *reward = result->rewards;
    for (uint64_t run = 1; run <= result->runs; run++) {
        for (size_t i = 0; i < result->point_count; i++) {
            char lost[LOTOR_DIGITS_ROOM], paid[LOTOR_DIGITS_ROOM];
            printf("%s,%llu,%llu,%s,%s\n", outcome->algorithm->id, (unsigned long long)run,
                   (unsigned long long)result->points[i].round, csv_number(*regret++, lost),
                   csv_number(*reward++, paid));
        }
    }
}

void lotor_run_csv(const lotor_run_plan *plan, const lotor_outcome *outcomes, size_t count)
{
    const bool curves = plan->values[LOTOR_RUN_CURVES].given;
    puts(curves ? "algorithm,run,t,regret,reward" : "algorithm,t,mean,stderr");
    for (size_t i = 0; i < count; i++) {
        if (curves) {
            put_curves(&outcomes[i]);
        } else {
            put_means(&outcomes[i]);
        }
    }
}
