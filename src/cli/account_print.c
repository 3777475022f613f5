/* account_print.c - writes facts about a budget as text or as JSON. See account.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rate.h"
#include "base/upward.h"
#include "cli/account.h"
#include "cli/print.h"

enum { LABEL_WIDTH = 28, DIGITS = 6 };

void lotor_account_report_start(lotor_account_report *report, bool as_json)
{
    report->as_json = as_json;
    report->paragraphs = 0;
    lotor_json_start(&report->json, report->buffer, sizeof report->buffer);
    lotor_json_open(&report->json, NULL, '{');
}

void lotor_account_report_finish(lotor_account_report *report)
{
    if (report->as_json) {
        lotor_json_close(&report->json, '}');
        fputs(report->buffer, stdout);
        fputc('\n', stdout);
    }
}

/* Shortens "1e-06" to "1e-6". */
static void shorten_exponent(char *text)
{
    char *e = strchr(text, 'e');
    if (e && (e[1] == '-' || e[1] == '+') && e[2] == '0') {
        memmove(e + 2, e + 3, strlen(e + 3) + 1);
    }
}

/* Rounds to `digits` significant digits, up or down. A difference below 1e-12 of the value comes
 * from the arithmetic of doubles, and is ignored: 0.1 + 0.2 is written 0.3. */
static const char *rounded_to(int digits, char text[32], double value, bool up)
{
    snprintf(text, 32, "%.*g", digits, value);
    const double shown = strtod(text, NULL);
    const double slack = fabs(value) * 1e-12;
    if (isfinite(value) && value != 0 && (up ? shown < value - slack : shown > value + slack)) {
        const double half_unit = 0.5 * pow(10, floor(log10(fabs(value))) - digits + 1);
        snprintf(text, 32, "%.*g", digits, up ? value + half_unit : value - half_unit);
    }
    shorten_exponent(text);
    return text;
}

static const char *rounded(char text[32], double value, bool up)
{
    return rounded_to(DIGITS, text, value, up);
}

/* "26 in 100", or "0" if it is less than that can be said. */
static const char *rate_of(double rate, const char *unit, char text[LOTOR_RATE_ROOM])
{
    return lotor_rate(rate, unit, text) ? text : "0";
}

void lotor_account_report_number(lotor_account_report *report, const char *key, const char *label,
                                 double value, bool up)
{
    if (report->as_json) {
        lotor_json_double(&report->json, key, value);
        return;
    }
    char text[32];
    report->paragraphs = 1;
    printf("  %-*s%s\n", LABEL_WIDTH, label, rounded(text, value, up));
}

void lotor_account_report_whole(lotor_account_report *report, const char *key, const char *label,
                                uint64_t value)
{
    if (report->as_json) {
        lotor_json_whole(&report->json, key, value);
        return;
    }
    report->paragraphs = 1;
    printf("  %-*s%llu\n", LABEL_WIDTH, label, (unsigned long long)value);
}

void lotor_account_report_hidden(lotor_account_report *report, const char *key, uint64_t value)
{
    if (report->as_json) {
        lotor_json_whole(&report->json, key, value);
    }
}

void lotor_account_report_table(lotor_account_report *report, const char *title)
{
    if (!report->as_json) {
        printf("%-*s%-12s%-12s%s\n", LABEL_WIDTH + 2, title, "epsilon", "delta",
               "wrong guesses, at least");
    }
}

void lotor_account_report_budget(lotor_account_report *report, const char *key, const char *label,
                                 lotor_budget budget)
{
    const double failure = lotor_account_adversary_failure(budget);
    if (report->as_json) {
        lotor_json_open(&report->json, key, '{');
        lotor_json_double(&report->json, "epsilon", budget.epsilon);
        lotor_json_double(&report->json, "delta", budget.delta);
        lotor_json_double(&report->json, "adversary_failure", failure);
        lotor_json_close(&report->json, '}');
        return;
    }
    char epsilon[32], delta[32], wrong[LOTOR_RATE_ROOM];
    report->paragraphs = 1;
    printf("  %-*s%-12s%-12s%s\n", LABEL_WIDTH, label, rounded(epsilon, budget.epsilon, true),
           rounded(delta, budget.delta, true), rate_of(failure, "", wrong));
}

static void meaning(char *text, size_t capacity, lotor_budget budget)
{
    const double failure = lotor_account_adversary_failure(budget);
    char epsilon[32], delta[32], wrong[LOTOR_RATE_ROOM], factor[32];
    rounded(epsilon, budget.epsilon, true);
    rounded(delta, budget.delta, true);
    const bool pure = budget.delta == 0;
    if (failure < 1e-11) {
        snprintf(text, capacity,
                 "At epsilon %s%s%s, an attacker who knows all other data may find out one "
                 "person's data for sure: this protects nobody.",
                 epsilon, pure ? "" : " and delta ", pure ? "" : delta);
        return;
    }
    snprintf(
        text, capacity,
        "At epsilon %s%s%s, an attacker who knows all other data, sees everything published, "
        "and thinks two answers of a person equally likely at first, still picks the wrong one "
        "at least %s (by tossing a coin: 50 in 100). Replacing one person's data makes no outcome "
        "more than %s times as likely%s%s%s.",
        epsilon, pure ? "" : " and delta ", pure ? "" : delta, rate_of(failure, " times", wrong),
        rounded_to(3, factor, exp(budget.epsilon), true),
        pure ? "" : ", apart from an added probability of at most ", pure ? "" : delta,
        pure ? "" : ", which should be far below one in the number of people");
}

void lotor_account_report_meaning(lotor_account_report *report, lotor_budget budget)
{
    char text[700];
    meaning(text, sizeof text, budget);
    if (report->as_json) {
        lotor_json_double(&report->json, "epsilon", budget.epsilon);
        lotor_json_double(&report->json, "delta", budget.delta);
        lotor_json_double(&report->json, "adversary_failure",
                          lotor_account_adversary_failure(budget));
        const double factor = exp(budget.epsilon); /* the error is below one unit of a double */
        lotor_json_double(&report->json, "likelihood_factor",
                          budget.epsilon > 0 ? nextafter(factor, INFINITY) : factor);
    }
    lotor_account_report_note(report, "explanation", text);
}

void lotor_account_report_note(lotor_account_report *report, const char *key, const char *text)
{
    if (!report->as_json) {
        fputs(report->paragraphs > 0 ? "\n" : "", stdout);
        report->paragraphs++;
        lotor_print_wrapped(stdout, text, 0, 0);
    } else if (key) {
        lotor_json_string(&report->json, key, text);
    }
}

double lotor_count_up(uint64_t count)
{
    const double nearest = (double)count;
    return count <= UINT64_C(1) << 53 ? nearest : nextafter(nearest, INFINITY);
}

lotor_budget lotor_budget_times(lotor_budget budget, uint64_t times)
{
    const double factor = lotor_count_up(times);
    const double delta = multiply_up(budget.delta, factor);
    return (lotor_budget){multiply_up(budget.epsilon, factor), delta < 1 ? delta : 1};
}
