/* run_report.c - outcomes for people, and as CSV. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "base/quote.h"
#include "cli/print.h"
#include "cli/run.h"

/* Printable ASCII only: the place may be a name that a stranger gave. */
static void clean(char *text)
{
    for (; *text != '\0'; text++) {
        *text = *text >= 0x20 && *text < 0x7f ? *text : '?';
    }
}

void lotor_run_title(const lotor_run_plan *plan, uint64_t runs, char *text, size_t capacity)
{
    bool is_private = false;
    for (size_t i = 0; i < plan->count; i++) {
        is_private = is_private || lotor_run_uses(plan->algorithms[i], LOTOR_RUN_EPSILON);
    }
    const lotor_value *scale = &plan->values[LOTOR_RUN_NOISE_SCALE];
    const bool scaled = is_private && scale->number != 1.0;
    const size_t slots = plan->params.structure == LOTOR_STRUCTURE_TOP ? plan->params.slots : 1;
    char shown[40] = "";
    if (slots > 1) {
        snprintf(shown, sizeof shown, ", %zu shown", slots);
    }
    snprintf(text, capacity, "%s, %zu arm%s%s%s%.24s%s%.24s, %llu run%s", plan->place,
             plan->world->arms, plan->world->arms == 1 ? "" : "s", shown,
             is_private ? ", epsilon " : "", is_private ? plan->values[LOTOR_RUN_EPSILON].text : "",
             scaled ? ", noise x " : "", scaled ? scale->text : "", (unsigned long long)runs,
             runs == 1 ? "" : "s");
    clean(text);
}

/* "123.4 +- 5.6", without the error where there is none. */
static void put_estimate(char *text, size_t capacity, double mean, double error)
{
    if (isnan(error)) {
        snprintf(text, capacity, "%.6g", mean);
    } else if (error >= 10.0) {
        snprintf(text, capacity, "%.6g +- %.0f", mean, error);
    } else {
        snprintf(text, capacity, "%.6g +- %.2g", mean, error);
    }
}

static void print_row(const lotor_outcome *outcome)
{
    const lotor_result *result = &outcome->result;
    char regret[64], pay[64];
    put_estimate(regret, sizeof regret, result->regret_mean, result->regret_stderr);
    put_estimate(pay, sizeof pay, result->return_mean, result->return_stderr);
    printf("%-16s %-21s %-20s %9.3g %9.3g\n", outcome->algorithm->id, regret, pay,
           result->rounds_per_second, result->seconds);
}

/* "5e+07" is better read as "5e7". */
static void shorten_exponent(char *text)
{
    char *sign = strstr(text, "e+");
    if (sign) {
        const size_t skipped = 1 + strspn(sign + 2, "0");
        memmove(sign + 1, sign + 1 + skipped, strlen(sign + 1 + skipped) + 1);
    }
}

/* Two bounds are the same line where they have the same height. */
static bool bound_is_printed(const lotor_outcome *outcomes, size_t number)
{
    for (size_t i = 0; i < number; i++) {
        if (outcomes[i].bound.per_log_t == outcomes[number].bound.per_log_t) {
            return true;
        }
    }
    return false;
}

static void print_bounds(const lotor_outcome *outcomes, size_t count, uint64_t horizon)
{
    for (size_t i = 0; i < count; i++) {
        const lotor_lower_bound *bound = &outcomes[i].bound;
        if (isnan(bound->per_log_t) || bound_is_printed(outcomes, i)) {
            continue;
        }
        char text[400];
        snprintf(text, sizeof text, "Lower bound%s%s: %.6g, which is %.6g log T, as T grows (%s).",
                 i > 0 ? ", " : "", i > 0 ? outcomes[i].algorithm->id : "",
                 bound->per_log_t * log((double)horizon), bound->per_log_t, bound->theorem);
        fputc('\n', stdout);
        lotor_print_wrapped(stdout, text, 0, 2);
    }
}

/* The headline of the guarantee: what stands above its rows, without the line that all share. */
static void print_headline(const lotor_outcome *outcome)
{
    char text[4096], line[4200];
    lotor_guarantee guarantee = outcome->result.guarantee;
    guarantee.noise = LOTOR_NOISE_EXACT; /* that it is simulated was said above */
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
    snprintf(line, sizeof line, "%s: %s", outcome->algorithm->id, text);
    lotor_print_wrapped(stdout, line, 0, 2);
}

void lotor_run_text(const lotor_run_plan *plan, const lotor_outcome *outcomes, size_t count)
{
    const uint64_t horizon = plan->values[LOTOR_RUN_HORIZON].whole;
    char title[320];
    lotor_run_title(plan, count > 0 ? outcomes[count - 1].result.runs : 0, title, sizeof title);
    printf("%s, seed %llu\n\n", title, (unsigned long long)plan->values[LOTOR_RUN_SEED].whole);
    char heading[40];
    snprintf(heading, sizeof heading, "regret at %.4g", (double)horizon);
    shorten_exponent(heading);
    printf("%-16s %-21s %-20s %9s %9s\n", "algorithm", heading, "return per round", "rounds/s",
           "seconds");
    for (size_t i = 0; i < count; i++) {
        print_row(&outcomes[i]);
    }
    print_bounds(outcomes, count, horizon);
    fputs("\nThis is a simulation, and protects nobody: whoever has the seed has the noise.\n"
          "With exact noise:\n",
          stdout);
    for (size_t i = 0; i < count; i++) {
        print_headline(&outcomes[i]);
    }
}

void lotor_run_csv(const lotor_outcome *outcomes, size_t count)
{
    fputs("algorithm,t,mean,stderr\n", stdout);
    for (size_t i = 0; i < count; i++) {
        const lotor_result *result = &outcomes[i].result;
        for (size_t j = 0; j < result->checkpoint_count; j++) {
            const lotor_checkpoint *point = &result->checkpoints[j];
            char mean[LOTOR_DIGITS_ROOM], error[LOTOR_DIGITS_ROOM];
            const bool known = isfinite(point->standard_error); /* of one run it is not */
            printf("%s,%llu,%s,%s\n", outcomes[i].algorithm->id, (unsigned long long)point->t,
                   lotor_digits(point->mean, mean),
                   known ? lotor_digits(point->standard_error, error) : "");
        }
    }
}
