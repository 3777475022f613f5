/* advise_print.c - writes the advice as text and as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/algorithm.h>

#include "base/digits.h"
#include "base/json.h"
#include "cli/advise.h"
#include "cli/print.h"

enum { TEXT = 2048 };

static const double TIE = 0.2; /* candidates whose regrets differ by less are about as good */

static lotor_algorithm_info facts_of(const lotor_advise_candidate *row)
{
    lotor_algorithm_info facts = {.id = row->algorithm};
    lotor_algorithm_find(row->algorithm, NULL, &facts);
    return facts;
}

/* Writes the options of lotor run that make the same world. */
static void put_world(const lotor_advise_params *params, char *text, size_t capacity)
{
    size_t length = 0;
    if (lotor_advise_is(params, "linear")) {
        snprintf(text, capacity, " --dimension %zu --arms %zu", params->dimension, params->arms);
        return;
    }
    if (lotor_advise_is(params, "finite") && !params->means) {
        snprintf(text, capacity, " --instance c2 --arms %zu", params->arms);
        return;
    }
    text[0] = '\0';
    for (size_t i = 0; i < params->arms && length < capacity; i++) {
        char number[LOTOR_DIGITS_ROOM];
        length +=
            (size_t)snprintf(text + length, capacity - length, "%s%s", i == 0 ? " --means " : ",",
                             lotor_digits(lotor_advise_mean(params, i), number));
    }
    if (length >= capacity) { /* too long: print nothing rather than a part */
        text[0] = '\0';
    }
}

void lotor_advise_command(const lotor_advise_params *params, const lotor_advise_result *advice,
                          char *text, size_t capacity)
{
    const lotor_algorithm_info best = facts_of(&advice->candidates[0]);
    char world[TEXT / 2], slots[64] = "", epsilon[LOTOR_DIGITS_ROOM], rounds[LOTOR_DIGITS_ROOM];
    text[0] = '\0';
    put_world(params, world, sizeof world);
    if (world[0] == '\0') {
        return;
    }
    if (lotor_advise_shows_sets(params)) {
        snprintf(slots, sizeof slots, " --slots %zu%s", params->slots,
                 lotor_advise_is(params, "cascade") && strcmp(best.problem, "any") == 0
                     ? " --problem cascade"
                     : "");
    }
    snprintf(text, capacity, "lotor run %s%s%s --epsilon %s --horizon %s", best.id, world, slots,
             lotor_digits(lotor_ratio_to_double(params->epsilon), epsilon),
             lotor_digits((double)params->rounds, rounds));
}

/* --- reasons ---------------------------------------------------------------------------------- */

/* Writes a number for people, with commas as in "1,234". */
static void put_amount(double amount, char *text, size_t capacity)
{
    if (amount < 1000.0) {
        snprintf(text, capacity, "%.3g", fabs(amount) < 1e-9 ? 0.0 : amount); /* rounding error */
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

/* Appends a sentence to a text of TEXT bytes, and cuts off the rest of a longer one. */
static size_t add(char *text, size_t length, const char *more)
{
    if (length > 0 && length + 1 < TEXT) {
        text[length++] = ' ';
    }
    while (*more && length + 1 < TEXT) {
        text[length++] = *more++;
    }
    text[length] = '\0';
    return length;
}

/* Says so if lik-imed, which has more settings in campaigns, loses hardly more than the best. */
static size_t put_tie(const lotor_advise_result *advice, char *text, size_t length)
{
    const lotor_advise_candidate *const best = &advice->candidates[0];
    char line[TEXT];
    for (size_t i = 1; i < advice->count; i++) {
        const lotor_advise_candidate *const other = &advice->candidates[i];
        if (strcmp(other->algorithm, "lik-imed") == 0 && other->rounds == best->rounds &&
            other->regret <= (1.0 + TIE) * best->regret) {
            snprintf(line, sizeof line,
                     "lik-imed loses %.3g times as much here. Differences below %.0f%% hardly "
                     "matter, and a campaign with a prior needs lik-imed (one with a half-life "
                     "needs lik-imed or rr-imed).",
                     other->regret / best->regret, 100.0 * TIE);
            return add(text, length, line);
        }
    }
    return length;
}

/* Writes sentences that give reasons, from the measurements and the catalog. */
static void put_reason(const lotor_advise_params *params, const lotor_advise_result *advice,
                       char *text)
{
    const lotor_advise_candidate *best = &advice->candidates[0];
    char line[TEXT], amount[64], rounds[64];
    size_t length = 0;
    put_amount(best->regret, amount, sizeof amount);
    put_amount((double)advice->rounds, rounds, sizeof rounds);
    snprintf(line, sizeof line, "It is expected to lose about %s in %s rounds", amount, rounds);
    length = add(text, length, line);
    if (advice->random_regret > 0.0) {
        snprintf(line, sizeof line, "(%.2g%% of what choosing at random loses);",
                 100.0 * best->regret / advice->random_regret);
    } else {
        snprintf(line, sizeof line, "(%.2g a round);", best->regret / (double)advice->rounds);
    }
    length = add(text, length, line);
    put_amount(advice->baseline.regret, amount, sizeof amount);
    snprintf(line, sizeof line, "%s, a usual algorithm without privacy, loses %s.",
             advice->baseline.algorithm, amount);
    length = add(text, length, line);
    if (advice->baseline.regret > best->regret) {
        length = add(text, length, "(The usual one is simpler and learns more slowly.)");
    }
    if (advice->count > 1 && advice->candidates[1].rounds == best->rounds) {
        const lotor_advise_candidate *next = &advice->candidates[1];
        const double gap = next->regret - best->regret;
        const double error = hypot(best->standard_error, next->standard_error);
        if (gap > 2.0 * error) {
            snprintf(line, sizeof line, "The next best, %s, loses %.3g times as much.",
                     next->algorithm, next->regret / best->regret);
        } else {
            snprintf(line, sizeof line, "%s is about as good: the difference is within the noise.",
                     next->algorithm);
        }
        length = add(text, length, line);
    }
    const lotor_algorithm_info facts = facts_of(best);
    if (facts.strength) {
        length = add(text, length, facts.strength);
    }
    length = put_tie(advice, text, length);
    if (facts.model == LOTOR_MODEL_LOCAL && params->trust != LOTOR_MODEL_LOCAL) {
        length = add(text, length,
                     "Noise is added to feedback before it leaves the person's device. This is "
                     "stronger than the trust that you asked for.");
    }
    if (advice->rounds < params->rounds) {
        put_amount((double)params->rounds, rounds, sizeof rounds);
        snprintf(line, sizeof line,
                 "Only the first part of your %s rounds was played: give more --seconds.", rounds);
        length = add(text, length, line);
    }
    (void)length;
}

/* --- text ------------------------------------------------------------------------------------- */

/* Prints a candidate, compared with the best. One that was stopped early is not comparable: its row
 * says when it was stopped. */
static void print_row(const lotor_advise_candidate *row, const lotor_advise_candidate *best)
{
    char regret[64], error[64] = "";
    put_amount(row->regret, regret, sizeof regret);
    if (!isnan(row->standard_error)) {
        char amount[56];
        put_amount(row->standard_error, amount, sizeof amount);
        snprintf(error, sizeof error, "+- %s", amount);
    }
    printf("  %-22s%-9s%12s  %-12s", row->algorithm, lotor_model_name(facts_of(row).model), regret,
           error);
    if (row->rounds == best->rounds) {
        printf("%8.3g\n", best->regret > 0.0 ? row->regret / best->regret : NAN);
    } else {
        char rounds[64];
        put_amount((double)row->rounds, rounds, sizeof rounds);
        printf("  in %s\n", rounds);
    }
}

static void print_bound(const lotor_advise_result *advice)
{
    if (isnan(advice->lower_bound)) {
        return;
    }
    char text[TEXT], amount[64];
    put_amount(advice->lower_bound * log((double)advice->rounds), amount, sizeof amount);
    snprintf(text, sizeof text,
             "Lower bound for this trust and epsilon: %s. In the long run every algorithm loses at "
             "least %.6g times the natural logarithm of the number of rounds (%s).",
             amount, advice->lower_bound, advice->lower_bound_theorem);
    lotor_print_wrapped(stdout, text, 0, 2);
    fputc('\n', stdout);
}

void lotor_advise_text(const lotor_advise_params *params, const lotor_advise_result *advice)
{
    char text[TEXT] = "", rounds[64];
    const lotor_advise_candidate *best = &advice->candidates[0];
    printf("Take %s: %s.\n", best->algorithm, facts_of(best).summary);
    put_reason(params, advice, text);
    lotor_print_wrapped(stdout, text, 0, 0);
    put_amount((double)advice->rounds, rounds, sizeof rounds);
    printf("\n  %-22s%-9s%12s  %-12s%8s\n", "algorithm", "trust", "regret", "", "x best");
    for (size_t i = 0; i < advice->count; i++) {
        print_row(&advice->candidates[i], best);
    }
    print_row(&advice->baseline, best);
    fputc('\n', stdout);
    print_bound(advice);
    snprintf(text, sizeof text, "Simulated: %zu arms, %zu shown, %s rounds, %s.", params->arms,
             params->slots, rounds, advice->world);
    lotor_print_wrapped(stdout, text, 0, 0);
    lotor_advise_command(params, advice, text, sizeof text);
    if (text[0] != '\0') {
        printf("\nSee its curve:\n    %s\n", text); /* one line, to copy into a shell */
    }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void put_candidate(lotor_json *json, const char *key, const lotor_advise_candidate *row)
{
    lotor_json_open(json, key, '{');
    lotor_json_string(json, "algorithm", row->algorithm);
    lotor_json_string(json, "model", lotor_model_name(facts_of(row).model));
    lotor_json_double(json, "regret", row->regret);
    lotor_json_double(json, "regret_stderr", row->standard_error);
    lotor_json_whole(json, "runs", row->runs);
    lotor_json_whole(json, "rounds", row->rounds);
    lotor_json_close(json, '}');
}

static void put_bound(lotor_json *json, const lotor_advise_result *advice)
{
    if (isnan(advice->lower_bound)) {
        lotor_json_raw(json, "lower_bound", "null");
        return;
    }
    lotor_json_open(json, "lower_bound", '{');
    lotor_json_double(json, "regret", advice->lower_bound * log((double)advice->rounds));
    lotor_json_double(json, "per_log_t", advice->lower_bound);
    lotor_json_bool(json, "asymptotic", true); /* as T grows; regret at this T may be below */
    lotor_json_string(json, "theorem", advice->lower_bound_theorem);
    lotor_json_close(json, '}');
}

static size_t put_all(const lotor_advise_params *params, const lotor_advise_result *advice,
                      char *buffer, size_t capacity)
{
    char text[TEXT] = "";
    lotor_json json;
    lotor_json_start(&json, buffer, capacity);
    lotor_json_open(&json, NULL, '{');
    lotor_json_string(&json, "recommended", advice->candidates[0].algorithm);
    put_reason(params, advice, text);
    lotor_json_string(&json, "reason", text);
    lotor_json_string(&json, "problem", params->problem);
    lotor_json_string(&json, "trust", lotor_model_name(params->trust));
    lotor_json_double(&json, "epsilon", lotor_ratio_to_double(params->epsilon));
    lotor_json_whole(&json, "arms", params->arms);
    lotor_json_whole(&json, "slots", params->slots);
    lotor_json_whole(&json, "rounds", params->rounds);
    lotor_json_whole(&json, "rounds_played", advice->rounds);
    lotor_json_string(&json, "world", advice->world);
    lotor_json_open(&json, "candidates", '[');
    for (size_t i = 0; i < advice->count; i++) {
        put_candidate(&json, NULL, &advice->candidates[i]);
    }
    lotor_json_close(&json, ']');
    put_candidate(&json, "baseline", &advice->baseline);
    lotor_json_double(&json, "random_regret", advice->random_regret);
    put_bound(&json, advice);
    lotor_advise_command(params, advice, text, sizeof text);
    lotor_json_string(&json, "command", text[0] != '\0' ? text : NULL);
    lotor_json_close(&json, '}');
    return json.length;
}

void lotor_advise_json(const lotor_advise_params *params, const lotor_advise_result *advice)
{
    const size_t length = put_all(params, advice, NULL, 0);
    char *text = malloc(length + 1);
    if (!text) {
        lotor_print_complaint("advise", "no memory for %zu bytes of JSON", length);
        return;
    }
    put_all(params, advice, text, length + 1);
    printf("%s\n", text);
    free(text);
}
