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

void lotor_run_title(const lotor_run_plan *plan, uint64_t runs, char *text, size_t capacity)
{
    bool is_private = false;
    for (size_t i = 0; i < plan->count; i++) {
        is_private = is_private || lotor_run_uses(&plan->algorithms[i], LOTOR_RUN_EPSILON);
    }
    const lotor_option_value *scale = &plan->values[LOTOR_RUN_NOISE_SCALE];
    const bool scaled = is_private && scale->number != 1.0;
    char shown[64];
    describe_sets(plan, shown, sizeof shown);
    snprintf(text, capacity, "%s, %zu %s%s%s%s%.24s%s%.24s, %llu run%s", plan->place,
             plan->facts.arms, plan->facts.is_linear ? "action" : "arm",
             plan->facts.arms == 1 ? "" : "s", shown, is_private ? ", epsilon " : "",
             is_private ? plan->values[LOTOR_RUN_EPSILON].text : "", scaled ? ", noise x " : "",
             scaled ? scale->text : "", (unsigned long long)runs, runs == 1 ? "" : "s");
    clean(text);
}

/* --- the table ---------------------------------------------------------------------------------- */

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
    if (isnan(error)) {
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
                 "Regret is against %.6g a round: what the oracle finds when it knows the means, "
                 "which is at least %.4g of the optimum.",
                 result->best_per_round, result->best_share);
    } else if (result->best_share > 0.0 && result->best_share < 1.0) {
        snprintf(
            text, sizeof text,
            "Regret is against %.6g a round, %.4g of the optimum, which is all that the oracle "
            "promises: it is below 0 where the oracle did better.",
            result->best_per_round, result->best_share);
    }
    if (text[0] != '\0') {
        fputc('\n', stdout);
        lotor_print_wrapped(stdout, text, 0, 2);
    }
}

/* Prints remarks that the user needs to interpret the numbers. */
static void print_remarks(const lotor_run_plan *plan, const lotor_outcome *outcomes, size_t count)
{
    if (count > 0) {
        print_reference(outcomes[0].result);
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

/* True if an earlier algorithm has the same bound, whose line was printed. */
static bool bound_is_printed(const lotor_outcome *outcomes, size_t number)
{
    for (size_t i = 0; i < number; i++) {
        if (outcomes[i].result->lower_bound == outcomes[number].result->lower_bound) {
            return true;
        }
    }
    return false;
}

static void print_bounds(const lotor_outcome *outcomes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const lotor_simulate_result *result = outcomes[i].result;
        if (isnan(result->lower_bound) || bound_is_printed(outcomes, i)) {
            continue;
        }
        char text[400];
        snprintf(text, sizeof text, "Lower bound%s%s: %.6g, which is %.6g log T, as T grows (%s).",
                 i > 0 ? ", " : "", i > 0 ? outcomes[i].algorithm->id : "",
                 result->lower_bound * log((double)result->horizon), result->lower_bound,
                 result->lower_bound_theorem);
        fputc('\n', stdout);
        lotor_print_wrapped(stdout, text, 0, 2);
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
    fputs("\nThis is a simulation, and protects nobody: whoever has the seed has the noise.\n"
          "With exact noise:\n",
          stdout);
    bool has_leak = false;
    for (size_t i = 0; i < count; i++) {
        const lotor_algorithm_info *row = outcomes[i].algorithm;
        print_headline(&outcomes[i]);
        has_leak = has_leak || (row->model != LOTOR_MODEL_NONE && row->not_private);
    }
    if (has_leak) {
        lotor_print_wrapped(stdout,
                            "For sets and lists that are private take batch-klucb (with a trusted "
                            "server) or rr-klucb (without one); lotor advise compares what fits.",
                            0, 2);
    }
}

void lotor_run_csv(const lotor_outcome *outcomes, size_t count)
{
    fputs("algorithm,t,mean,stderr\n", stdout);
    for (size_t i = 0; i < count; i++) {
        const lotor_simulate_result *result = outcomes[i].result;
        for (size_t j = 0; j < result->point_count; j++) {
            const lotor_simulate_point *point = &result->points[j];
            char mean[LOTOR_DIGITS_ROOM], error[LOTOR_DIGITS_ROOM];
            const bool known = isfinite(point->standard_error); /* not known from one run */
            printf("%s,%llu,%s,%s\n", outcomes[i].algorithm->id, (unsigned long long)point->round,
                   lotor_digits(point->regret, mean),
                   known ? lotor_digits(point->standard_error, error) : "");
        }
    }
}
