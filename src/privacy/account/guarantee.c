/* guarantee.c - a privacy guarantee as text for people, as JSON for programs, and per user.
 *
 *     private: epsilon = 1, central model, unit: one value
 *       mechanism  binary tree of 17 levels
 *       noise      exact, scale 17 on one released number
 *       ...
 *       level      strong: epsilon is at most 1, which NIST SP 800-226 calls conservative
 *       meaning    an attacker who knows all other data, sees everything published,
 *                  and thinks two answers equally likely at first, still picks the
 *                  wrong one at least 26 times in 100 (by tossing a coin: 50 in 100)
 */
#include <lotor/guarantee.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/account.h>

#include "base/json.h"
#include "base/message.h"
#include "base/rate.h"

enum { COLUMNS = 80, MARGIN = 13 };

/* The text that is being written. Bytes beyond the capacity are counted, but not stored. */
typedef struct page {
    char *buffer;
    size_t capacity;
    size_t length;
    size_t column;
} page;

static void put(page *to, char byte)
{
    if (to->capacity > 1 && to->length < to->capacity - 1) {
        to->buffer[to->length] = byte;
        to->buffer[to->length + 1] = '\0';
    }
    to->length++;
    if ((byte & '\xc0') != '\x80') { /* later bytes of a UTF-8 character have no width */
        to->column = byte == '\n' ? 0 : to->column + 1;
    }
}

/* Writes words. Begins a new line with `indent` spaces before a word that would pass the last
 * column. */
static void put_words(page *to, const char *words, size_t indent)
{
    bool first = true;
    for (words += strspn(words, " "); *words != '\0'; words += strspn(words, " ")) {
        const size_t length = strcspn(words, " ");
        if (!first && to->column + 1 + length > COLUMNS) {
            put(to, '\n');
            for (size_t i = 0; i < indent; i++) {
                put(to, ' ');
            }
        } else if (!first) {
            put(to, ' ');
        }
        for (size_t i = 0; i < length; i++) {
            put(to, words[i]);
        }
        words += length;
        first = false;
    }
    put(to, '\n');
}

/* Writes one line "  label      words"; nothing if there are no words. */
static void put_row(page *to, const char *label, const char *words)
{
    if (!words || *words == '\0') {
        return;
    }
    put(to, ' ');
    put(to, ' ');
    while (*label != '\0') {
        put(to, *label++);
    }
    while (to->column < MARGIN) {
        put(to, ' ');
    }
    put_words(to, words, MARGIN);
}

static const char *model_name(lotor_model model)
{
    switch (model) {
    case LOTOR_MODEL_CENTRAL:
        return "central";
    case LOTOR_MODEL_LOCAL:
        return "local";
    case LOTOR_MODEL_JOINT:
        return "joint";
    case LOTOR_MODEL_NONE:
        break;
    }
    return "none";
}

/* Six digits. They are rounded up, to a weaker guarantee, unless they are exact. */
static void format_up(char *text, size_t capacity, double value)
{
    snprintf(text, capacity, "%.6g", value);
    if (strtod(text, NULL) < value * (1.0 - 1e-14)) {
        snprintf(text, capacity, "%.6g", value * (1.0 + 5e-6));
    }
}

/* "epsilon = 1, delta = 1e-06, central model, unit: one value". */
static void format_promise(char *text, size_t capacity, const lotor_guarantee *guarantee)
{
    char epsilon[32], delta[32];
    format_up(epsilon, sizeof epsilon, guarantee->epsilon);
    format_up(delta, sizeof delta, guarantee->delta);
    const bool has_delta = guarantee->delta > 0.0;
    const bool has_model = guarantee->model != LOTOR_MODEL_NONE;
    snprintf(text, capacity, "epsilon = %s%s%s%s%s%s, unit: %.*s", epsilon,
             has_delta ? ", delta = " : "", has_delta ? delta : "", has_model ? ", " : "",
             has_model ? model_name(guarantee->model) : "", has_model ? " model" : "",
             (int)sizeof guarantee->unit, guarantee->unit);
}

static void put_headline(page *to, const lotor_guarantee *guarantee)
{
    const bool generator = guarantee->noise == LOTOR_NOISE_SIMULATION;
    if (generator) {
        put_words(to, "simulation: this protects nobody, because the seed reveals the noise", 2);
    }
    char promise[256], line[560];
    format_promise(promise, sizeof promise, guarantee);
    if (guarantee->is_private) {
        const bool is_weak = lotor_guarantee_level(guarantee) == LOTOR_LEVEL_VERY_WEAK;
        const char *start = is_weak && !generator ? "warning, " : "";
        snprintf(line, sizeof line, "%s%s: %s", generator ? "with exact noise it would be " : start,
                 is_weak ? "very weak privacy" : "private", promise);
        put_words(to, line, 2);
        return;
    }
    snprintf(line, sizeof line, "%snot private: %s",
             generator && !guarantee->is_seed_reason ? "even with exact noise it would be " : "",
             guarantee->reason ? guarantee->reason : "no proof is known");
    put_words(to, line, 2);
    put_row(to, "nominal", promise);
}

/* The guarantee in words that do not need e^epsilon (account.md, "The adversary"). The numbers hold for an
 * attacker who at first thinks both answers equally likely: a click that is rare anyway is guessed better
 * than that, with any protection and without. */
static void format_meaning(char *words, size_t capacity, const lotor_guarantee *guarantee)
{
    static const char attacker[] =
        "an attacker who knows all other data, sees everything published, "
        "and thinks two answers equally likely at first,";
    const lotor_budget budget = {guarantee->epsilon, guarantee->delta};
    char rate[LOTOR_RATE_ROOM];
    if (lotor_rate(lotor_account_adversary_failure(budget), " times", rate)) {
        snprintf(words, capacity,
                 "%s still picks the wrong one at least %s (by tossing a coin: 50 in 100)",
                 attacker, rate);
    } else {
        snprintf(words, capacity, "%s may find out the right one almost always", attacker);
    }
}

/* True if the guarantee protects somebody: then it has a level and a meaning. */
static bool protects(const lotor_guarantee *guarantee)
{
    return guarantee->is_private && guarantee->noise == LOTOR_NOISE_EXACT;
}

static void put_level(page *to, const lotor_guarantee *guarantee)
{
    char words[320];
    snprintf(words, sizeof words, "%s: %s", lotor_level_name(lotor_guarantee_level(guarantee)),
             lotor_guarantee_level_reason(guarantee));
    put_row(to, "level", words);
    format_meaning(words, sizeof words, guarantee);
    put_row(to, "meaning", words);
}

static void put_noise(page *to, const lotor_guarantee *guarantee)
{
    char words[96];
    const char *kind = guarantee->noise == LOTOR_NOISE_EXACT ? "exact" : "simulation";
    if (guarantee->scale > 0.0 && isfinite(guarantee->scale)) {
        snprintf(words, sizeof words, "%s, scale %g on one released number", kind,
                 guarantee->scale);
    } else if (guarantee->scale == 0.0) {
        snprintf(words, sizeof words, "none");
    } else {
        snprintf(words, sizeof words, "%s", kind);
    }
    put_row(to, "noise", words);
}

size_t lotor_guarantee_text(const lotor_guarantee *guarantee, char *buffer, size_t capacity)
{
    page to = {.buffer = buffer, .capacity = capacity};
    if (capacity > 0) {
        buffer[0] = '\0';
    }
    put_headline(&to, guarantee);
    char mechanism[sizeof guarantee->mechanism + 1];
    snprintf(mechanism, sizeof mechanism, "%.*s", (int)sizeof guarantee->mechanism,
             guarantee->mechanism);
    put_row(&to, "mechanism", mechanism);
    put_noise(&to, guarantee);
    put_row(&to, "theorem", guarantee->theorem);
    put_row(&to, "assumes", guarantee->assumes);
    put_row(&to, "regret", guarantee->regret);
    if (protects(guarantee)) {
        put_level(&to, guarantee);
    }
    return to.length;
}

size_t lotor_guarantee_json(const lotor_guarantee *guarantee, char *buffer, size_t capacity)
{
    char unit[sizeof guarantee->unit + 1];
    char mechanism[sizeof guarantee->mechanism + 1];
    snprintf(unit, sizeof unit, "%.*s", (int)sizeof guarantee->unit, guarantee->unit);
    snprintf(mechanism, sizeof mechanism, "%.*s", (int)sizeof guarantee->mechanism,
             guarantee->mechanism);
    const lotor_level level = lotor_guarantee_level(guarantee);
    const bool is_weak = level == LOTOR_LEVEL_VERY_WEAK;
    char meaning[320];
    format_meaning(meaning, sizeof meaning, guarantee);
    lotor_json json;
    lotor_json_start(&json, buffer, capacity);
    lotor_json_open(&json, NULL, '{');
    lotor_json_bool(&json, "private", guarantee->is_private && !is_weak);
    lotor_json_string(&json, "reason",
                      is_weak ? lotor_guarantee_level_reason(guarantee) : guarantee->reason);
    lotor_json_string(&json, "model", model_name(guarantee->model));
    lotor_json_double(&json, "epsilon", guarantee->epsilon);
    lotor_json_double(&json, "delta", guarantee->delta);
    lotor_json_string(&json, "unit", unit);
    lotor_json_string(&json, "mechanism", mechanism);
    lotor_json_double(&json, "scale", guarantee->scale);
    lotor_json_string(&json, "theorem", guarantee->theorem);
    lotor_json_string(&json, "assumes", guarantee->assumes);
    lotor_json_string(&json, "regret", guarantee->regret);
    lotor_json_string(&json, "noise",
                      guarantee->noise == LOTOR_NOISE_EXACT ? "exact" : "simulation");
    lotor_json_string(&json, "level", lotor_level_name(level));
    lotor_json_string(&json, "level_reason", lotor_guarantee_level_reason(guarantee));
    lotor_json_string(&json, "meaning", protects(guarantee) ? meaning : NULL);
    lotor_json_close(&json, '}');
    return json.length;
}

lotor_status lotor_guarantee_per_user(const lotor_guarantee *guarantee, size_t rounds,
                                      lotor_message *why, lotor_guarantee *out)
{
    lotor_budget budget = {guarantee->epsilon, guarantee->delta};
    const lotor_status status = lotor_account_group_privacy(budget, rounds, why, &budget);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_guarantee user = *guarantee;
    user.epsilon = budget.epsilon;
    user.delta = budget.delta;
    snprintf(user.unit, sizeof user.unit, "one user, up to %zu %s", rounds,
             rounds == 1 ? "round" : "rounds");
    if (user.is_private && (user.delta >= 1.0 || isinf(user.epsilon))) {
        user.is_private = false;
        user.is_seed_reason = false;
        user.reason = "so many rounds of one user leave no protection";
    }
    *out = user;
    return LOTOR_OK;
}
