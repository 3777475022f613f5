/* options.c - see options.h.
 *
 * `--name VALUE` and `--name=VALUE` mean the same; `--` ends the options. A value may begin with
 * one dash (a negative number) but not with two, so that a forgotten value is detected.
 */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/suggest.h"

typedef struct table {
    const lotor_option *options;
    size_t count;
} table;

static lotor_status unknown_option(table known, const char *typed, lotor_message *why)
{
    char name[64];
    const size_t dashes = strspn(typed, "-");
    const size_t length = strcspn(typed + dashes, "=");
    const size_t kept = length < sizeof name ? length : sizeof name - 1;
    memcpy(name, typed + dashes, kept);
    name[kept] = '\0';

    lotor_suggestion suggestion;
    lotor_suggestion_start(&suggestion, name);
    for (size_t i = 0; i < known.count; i++) {
        lotor_suggestion_offer(&suggestion, known.options[i].name);
    }
    lotor_suggestion_offer(&suggestion, "help");
    const lotor_quoted_text quoted = lotor_quote(typed, dashes + length);
    if (!suggestion.nearest) {
        return lotor_fail(LOTOR_INVALID, why, "there is no option %s", quoted.text);
    }
    return lotor_fail(LOTOR_INVALID, why, "there is no option %s: did you mean --%s?", quoted.text,
                      suggestion.nearest);
}

/* Copies the next name of "tree|hybrid|batch"; false at the end. */
static bool next_choice(const char **choices, char *name, size_t capacity)
{
    if (!**choices) {
        return false;
    }
    const size_t length = strcspn(*choices, "|");
    const size_t kept = length < capacity ? length : capacity - 1;
    memcpy(name, *choices, kept);
    name[kept] = '\0';
    *choices += length + ((*choices)[length] == '|');
    return true;
}

static lotor_status check_choice(const lotor_option *option, const char *shown, const char *text,
                                 lotor_message *why)
{
    char name[40];
    char nearest[40] = "";
    lotor_suggestion suggestion;
    lotor_suggestion_start(&suggestion, text);
    for (const char *rest = option->choices; next_choice(&rest, name, sizeof name);) {
        if (strcmp(name, text) == 0) {
            return LOTOR_OK;
        }
        lotor_suggestion_offer(&suggestion, name);
        if (suggestion.nearest) {
            memcpy(nearest, name, sizeof nearest);
            suggestion.nearest = NULL;
        }
    }
    return lotor_fail(LOTOR_INVALID, why, "%s: there is no %s %s%s%s%s: choose from %s", shown,
                      option->name, lotor_quote_text(text).text, *nearest ? " (did you mean " : "",
                      nearest, *nearest ? "?)" : "", option->choices);
}

static lotor_status read_typed(const lotor_option *option, const char *text, lotor_message *why,
                               lotor_option_value *value)
{
    const size_t length = strlen(text);
    switch (option->kind) {
    case LOTOR_OPTION_NUMBER:
        return lotor_parse_double(text, length, why, &value->number);
    case LOTOR_OPTION_WHOLE:
        return lotor_parse_whole(text, length, why, &value->whole);
    case LOTOR_OPTION_RATIO:
        return lotor_ratio_parse(text, why, &value->ratio);
    case LOTOR_OPTION_LIST:
        return lotor_parse_list(text, length, why, &value->list);
    case LOTOR_OPTION_RANGE:
        return lotor_parse_range(text, length, why, &value->low, &value->high);
    case LOTOR_OPTION_FLAG:
    case LOTOR_OPTION_TEXT:
    case LOTOR_OPTION_CHOICE:
        break;
    }
    return LOTOR_OK;
}

lotor_status lotor_option_read(const lotor_option *option, const char *shown, const char *text,
                               lotor_message *why, lotor_option_value *value)
{
    value->text = text;
    if (option->kind == LOTOR_OPTION_CHOICE) {
        return check_choice(option, shown, text, why);
    }
    lotor_message reason;
    const lotor_status status = read_typed(option, text, &reason, value);
    if (status == LOTOR_OK) {
        return LOTOR_OK;
    }
    /* The reason may come from another function that does not quote the value. */
    const lotor_quoted_text quoted = lotor_quote_text(text);
    if (strstr(reason.text, quoted.text)) {
        return lotor_fail(status, why, "%s: %.260s", shown, reason.text);
    }
    return lotor_fail(status, why, "%s %s: %.200s", shown, quoted.text, reason.text);
}

/* The same for an option that is named as on the command line. */
static lotor_status read_value(const lotor_option *option, const char *text, lotor_message *why,
                               lotor_option_value *value)
{
    char shown[64];
    snprintf(shown, sizeof shown, "--%s", option->name);
    return lotor_option_read(option, shown, text, why, value);
}

static const lotor_option *find_option(table known, const char *name, size_t length)
{
    for (size_t i = 0; i < known.count; i++) {
        if (strlen(known.options[i].name) == length &&
            memcmp(known.options[i].name, name, length) == 0) {
            return known.options + i;
        }
    }
    return NULL;
}

/* Reads the option at argv[0] and its value; *used is the number of arguments read. */
static lotor_status read_option(table known, int argc, char *const *argv, lotor_message *why,
                                lotor_arguments *out, int *used)
{
    const char *name = argv[0] + 2;
    const size_t length = strcspn(name, "=");
    const char *text = name[length] == '=' ? name + length + 1 : NULL;
    const lotor_option *option = find_option(known, name, length);
    *used = 1;
    if (!option) {
        return unknown_option(known, argv[0], why);
    }
    lotor_option_value *value = &out->values[option - known.options];
    if (value->given) {
        return lotor_fail(LOTOR_INVALID, why, "--%s is given twice: keep one", option->name);
    }
    value->given = true;
    if (option->kind == LOTOR_OPTION_FLAG) {
        return text ? lotor_fail(LOTOR_INVALID, why, "--%s takes no value, but got %s",
                                 option->name, lotor_quote_text(text).text)
                    : LOTOR_OK;
    }
    if (!text) {
        if (argc < 2 || strncmp(argv[1], "--", 2) == 0) {
            return lotor_fail(LOTOR_INVALID, why, "--%s needs a value: --%s %s", option->name,
                              option->name, option->placeholder);
        }
        text = argv[1];
        *used = 2;
    }
    return read_value(option, text, why, value);
}

static bool asks_for_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

static lotor_status read_all(table known, size_t word_limit, int argc, char *const *argv,
                             lotor_message *why, lotor_arguments *out)
{
    bool options_ended = false;
    for (int i = 0, used = 1; i < argc; i += used) {
        const char *argument = argv[i];
        used = 1;
        if (!options_ended && strcmp(argument, "--") == 0) {
            options_ended = true;
            continue;
        }
        if (!options_ended && strncmp(argument, "--", 2) == 0) {
            const lotor_status status = read_option(known, argc - i, argv + i, why, out, &used);
            if (status != LOTOR_OK) {
                return status;
            }
            continue;
        }
        if (!options_ended && argument[0] == '-' && argument[1] != '\0') {
            return unknown_option(known, argument, why);
        }
        if (out->word_count == word_limit || out->word_count == LOTOR_WORDS_MAX) {
            return lotor_fail(LOTOR_INVALID, why, "%s is one argument too many",
                              lotor_quote_text(argument).text);
        }
        out->words[out->word_count++] = argument;
    }
    return LOTOR_OK;
}

/* Sets initial values for options that were not given, and refuses missing required ones. */
static lotor_status fill_in(table known, lotor_message *why, lotor_arguments *out)
{
    for (size_t i = 0; i < known.count; i++) {
        const lotor_option *option = &known.options[i];
        if (out->values[i].given) {
            continue;
        }
        if (option->required) {
            return lotor_fail(LOTOR_INVALID, why, "--%s %s is missing", option->name,
                              option->choices ? option->choices : option->placeholder);
        }
        if (option->initial) {
            const lotor_status status = read_value(option, option->initial, why, &out->values[i]);
            if (status != LOTOR_OK) {
                return status;
            }
        }
    }
    return LOTOR_OK;
}

lotor_status lotor_options_parse(const lotor_option *options, size_t option_count,
                                 size_t word_limit, int argc, char *const *argv, lotor_message *why,
                                 lotor_arguments *out)
{
    const table known = {options, option_count};
    memset(out, 0, sizeof *out);
    if (option_count > LOTOR_OPTIONS_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "the table has %zu options: at most %d fit",
                          option_count, (int)LOTOR_OPTIONS_MAX);
    }
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (asks_for_help(argv[i])) {
            out->help = true;
            return LOTOR_OK;
        }
    }
    const lotor_status status = read_all(known, word_limit, argc, argv, why, out);
    return status == LOTOR_OK ? fill_in(known, why, out) : status;
}

void lotor_arguments_free(lotor_arguments *arguments)
{
    if (!arguments) {
        return;
    }
    for (size_t i = 0; i < LOTOR_OPTIONS_MAX; i++) {
        lotor_number_list_free(&arguments->values[i].list);
    }
}
