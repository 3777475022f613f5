/* advise_report.c - the advice, for people and as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/json.h"
#include "cli/advise.h"
#include "cli/print.h"

enum { TEXT = 1024 };

static bool shows_sets(const lotor_wish *wish)
{
    return wish->problem != LOTOR_PROBLEM_FINITE && wish->problem != LOTOR_PROBLEM_LINEAR;
}

/* What a typical world is on the command line of lotor run. */
static void put_world(const lotor_wish *wish, char *text, size_t capacity)
{
    size_t length = 0;
    if (wish->problem == LOTOR_PROBLEM_LINEAR) {
        snprintf(text, capacity, " --dimension %zu --arms %zu", wish->dimension, wish->arms);
        return;
    }
    if (wish->problem == LOTOR_PROBLEM_FINITE && !wish->means) {
        snprintf(text, capacity, " --instance c2 --arms %zu", wish->arms);
        return;
    }
    text[0] = '\0';
    for (size_t i = 0; i < wish->arms && length < capacity; i++) {
        const bool is_good = wish->arms - 1 - i < wish->slots;
        const double typical =
            wish->problem == LOTOR_PROBLEM_CASCADE ? (is_good ? 0.2 : 0.05) : (is_good ? 0.7 : 0.3);
        char number[LOTOR_DIGITS_ROOM];
        length +=
            (size_t)snprintf(text + length, capacity - length, "%s%s", i == 0 ? " --means " : ",",
                             lotor_digits(wish->means ? wish->means[i] : typical, number));
    }
    if (length >= capacity) { /* too many to print: nothing rather than a part */
        text[0] = '\0';
    }
}

void lotor_advise_command(const lotor_wish *wish, const lotor_advice *advice, char *text,
                          size_t capacity)
{
    const lotor_algorithm *best = advice->candidates[0].algorithm;
    char world[TEXT / 2], slots[64] = "", epsilon[LOTOR_DIGITS_ROOM], rounds[LOTOR_DIGITS_ROOM];
    text[0] = '\0';
    put_world(wish, world, sizeof world);
    if (world[0] == '\0') {
        return;
    }
    if (shows_sets(wish)) {
        snprintf(slots, sizeof slots, " --slots %zu%s", wish->slots,
                 wish->problem == LOTOR_PROBLEM_CASCADE && best->problem == LOTOR_PROBLEM_ANY
                     ? " --problem cascade"
                     : "");
    }
    snprintf(text, capacity, "lotor run %s%s%s --epsilon %s --horizon %s", best->id, world, slots,
             lotor_digits(lotor_ratio_double(wish->epsilon), epsilon),
             lotor_digits((double)wish->rounds, rounds));
}

/* --- why ---------------------------------------------------------------------------------------- */

/* "1,234" style is not for machines; people read it better. */
static void put_amount(double amount, char *text, size_t capacity)
{
    if (amount < 1000.0) {
        snprintf(text, capacity, "%.3g", fabs(amount) < 1e-9 ? 0.0 : amount); /* of roundings */
        return;
    }
    char digits[64];
    snprintf(digits, sizeof digits, "%.0f", amount);
    const size_t length = strlen(digits);
    size_t out = 0;
    for (size_t i = 0; i < length && out + 2 < capacity; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            text[out++] = ',';
        }
        text[out++] = digits[i];
    }
    text[out] = '\0';
}

static size_t add(char *text, size_t length, const char *more)
{
    return length + (size_t)snprintf(text + length, length < TEXT ? TEXT - length : 0, "%s%s",
                                     length > 0 ? " " : "", more);
}

/* Sentences, from what was measured and what the catalog says. */
static void put_reason(const lotor_wish *wish, const lotor_advice *advice, char *text)
{
    const lotor_candidate *best = &advice->candidates[0];
    char line[TEXT], amount[64], rounds[64];
    size_t length = 0;
    put_amount(best->regret, amount, sizeof amount);
    put_amount((double)advice->horizon, rounds, sizeof rounds);
    snprintf(line, sizeof line, "It is expected to lose about %s in %s rounds", amount, rounds);
    length = add(text, length, line);
    if (advice->random_regret > 0.0) {
        snprintf(line, sizeof line, "(%.2g%% of what choosing at random loses);",
                 100.0 * best->regret / advice->random_regret);
    } else {
        snprintf(line, sizeof line, "(%.2g a round);", best->regret / (double)advice->horizon);
    }
    length = add(text, length, line);
    put_amount(advice->baseline.regret, amount, sizeof amount);
    snprintf(line, sizeof line, "without privacy %s loses %s.", advice->baseline.algorithm->id,
             amount);
    length = add(text, length, line);
    if (advice->count > 1 && advice->candidates[1].rounds == best->rounds) {
        const lotor_candidate *next = &advice->candidates[1];
        const double gap = next->regret - best->regret;
        const double error = hypot(best->standard_error, next->standard_error);
        if (gap > 2.0 * error) {
            snprintf(line, sizeof line, "The next best, %s, loses %.3g times as much.",
                     next->algorithm->id, next->regret / best->regret);
        } else {
            snprintf(line, sizeof line, "%s is about as good: the difference is within the noise.",
                     next->algorithm->id);
        }
        length = add(text, length, line);
    }
    if (best->algorithm->strength) {
        length = add(text, length, best->algorithm->strength);
    }
    if (best->algorithm->model == LOTOR_MODEL_LOCAL && wish->trust != LOTOR_MODEL_LOCAL) {
        length = add(text, length,
                     "Answers get their noise before they leave the person, which is "
                     "more than you asked for.");
    }
    if (advice->horizon < wish->rounds) {
        put_amount((double)wish->rounds, rounds, sizeof rounds);
        snprintf(line, sizeof line,
                 "Only the first part of your %s rounds was played: give --seconds for more.",
                 rounds);
        length = add(text, length, line);
    }
    (void)length;
}

/* --- text --------------------------------------------------------------------------------------- */

/* Beside the best; those left behind earlier are not comparable, and say when that was. */
static void print_row(const lotor_candidate *row, const lotor_candidate *best)
{
    char regret[64], error[64] = "";
    put_amount(row->regret, regret, sizeof regret);
    if (!isnan(row->standard_error)) {
        char amount[56];
        put_amount(row->standard_error, amount, sizeof amount);
        snprintf(error, sizeof error, "+- %s", amount);
    }
    printf("  %-22s%-9s%12s  %-12s", row->algorithm->id, lotor_model_name(row->algorithm->model),
           regret, error);
    if (row->rounds == best->rounds) {
        printf("%8.3g\n", best->regret > 0.0 ? row->regret / best->regret : NAN);
    } else {
        char rounds[64];
        put_amount((double)row->rounds, rounds, sizeof rounds);
        printf("  in %s\n", rounds);
    }
}

void lotor_advise_text(const lotor_wish *wish, const lotor_advice *advice)
{
    char text[TEXT] = "", rounds[64];
    const lotor_candidate *best = &advice->candidates[0];
    printf("Take %s: %s.\n", best->algorithm->id, best->algorithm->summary);
    put_reason(wish, advice, text);
    lotor_print_wrapped(stdout, text, 0, 0);
    put_amount((double)advice->horizon, rounds, sizeof rounds);
    printf("\n  %-22s%-9s%12s  %-12s%8s\n", "algorithm", "trust", "regret", "", "x best");
    for (size_t i = 0; i < advice->count; i++) {
        print_row(&advice->candidates[i], best);
    }
    print_row(&advice->baseline, best);
    fputc('\n', stdout);
    snprintf(text, sizeof text, "Simulated: %zu arms, %zu shown, %s rounds, %s.", wish->arms,
             wish->slots, rounds, advice->world);
    lotor_print_wrapped(stdout, text, 0, 0);
    lotor_advise_command(wish, advice, text, sizeof text);
    if (text[0] != '\0') {
        printf("\nSee its curve:\n    %s\n", text); /* on one line, to be copied to a shell */
    }
}

/* --- JSON --------------------------------------------------------------------------------------- */

static void put_candidate(lotor_json *json, const char *key, const lotor_candidate *row)
{
    lotor_json_open(json, key, '{');
    lotor_json_string(json, "algorithm", row->algorithm->id);
    lotor_json_string(json, "model", lotor_model_name(row->algorithm->model));
    lotor_json_double(json, "regret", row->regret);
    lotor_json_double(json, "regret_stderr", row->standard_error);
    lotor_json_whole(json, "runs", row->runs);
    lotor_json_whole(json, "rounds", row->rounds);
    lotor_json_close(json, '}');
}

static size_t put_all(const lotor_wish *wish, const lotor_advice *advice, char *buffer,
                      size_t capacity)
{
    char text[TEXT] = "";
    lotor_json json;
    lotor_json_start(&json, buffer, capacity);
    lotor_json_open(&json, NULL, '{');
    lotor_json_string(&json, "recommended", advice->candidates[0].algorithm->id);
    put_reason(wish, advice, text);
    lotor_json_string(&json, "reason", text);
    lotor_json_string(&json, "problem", lotor_problem_name(wish->problem));
    lotor_json_string(&json, "trust", lotor_model_name(wish->trust));
    lotor_json_double(&json, "epsilon", lotor_ratio_double(wish->epsilon));
    lotor_json_whole(&json, "arms", wish->arms);
    lotor_json_whole(&json, "slots", wish->slots);
    lotor_json_whole(&json, "rounds", wish->rounds);
    lotor_json_whole(&json, "rounds_played", advice->horizon);
    lotor_json_string(&json, "world", advice->world);
    lotor_json_open(&json, "candidates", '[');
    for (size_t i = 0; i < advice->count; i++) {
        put_candidate(&json, NULL, &advice->candidates[i]);
    }
    lotor_json_close(&json, ']');
    put_candidate(&json, "baseline", &advice->baseline);
    lotor_json_double(&json, "random_regret", advice->random_regret);
    lotor_advise_command(wish, advice, text, sizeof text);
    lotor_json_string(&json, "command", text[0] != '\0' ? text : NULL);
    lotor_json_close(&json, '}');
    return json.length;
}

void lotor_advise_json(const lotor_wish *wish, const lotor_advice *advice)
{
    const size_t length = put_all(wish, advice, NULL, 0);
    char *text = malloc(length + 1);
    if (!text) {
        lotor_complain("advise", "no memory for %zu bytes of JSON", length);
        return;
    }
    put_all(wish, advice, text, length + 1);
    printf("%s\n", text);
    free(text);
}
