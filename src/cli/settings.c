/* settings.c - see settings.h. */
#ifdef LOTOR_SERVICE
#include "cli/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/digits.h"
#include "base/message.h"
#include "base/quote.h"
#include "base/suggest.h"
#include "base/text.h"

enum { FILE_MAX = 64 * 1024, SHOWN_ROOM = 160 };

const char *lotor_settings_variable(const lotor_option *option, char name[LOTOR_VARIABLE_ROOM])
{
    int length = snprintf(name, LOTOR_VARIABLE_ROOM, "LOTOR_%s", option->name);
    for (int i = 0; i < length && i < LOTOR_VARIABLE_ROOM - 1; i++) {
        const char c = name[i];
        name[i] = c == '-' ? '_' : (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    return name;
}

/* Sets a value from a text; `shown` names the place of the text in messages. */
static lotor_status set(const lotor_option *option, const char *shown, const char *text,
                        lotor_message *why, bool *has_list, lotor_option_value *value)
{
    if (option->kind == LOTOR_OPTION_FLAG) {
        const bool is_on = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
        if (!is_on && strcmp(text, "false") != 0 && strcmp(text, "0") != 0) {
            return lotor_fail(LOTOR_INVALID, why, "%s: expected true or false, but got %s", shown,
                              lotor_quote_text(text).text);
        }
        value->given = is_on;
        return LOTOR_OK;
    }
    *has_list = option->kind == LOTOR_OPTION_LIST;
    value->given = true;
    return lotor_option_read(option, shown, text, why, value);
}

static const char *look_up(char *const *environment, const char *name)
{
    const size_t length = strlen(name);
    for (; *environment; environment++) {
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') {
            const char *const text = *environment + length + 1;
            return *text ? text : NULL;
        }
    }
    return NULL;
}

/* --- the file --------------------------------------------------------------------------------- */

/* The line of the key with this number in a JSON object that was read without an error. */
static size_t line_of_key(const char *text, size_t length, size_t number)
{
    size_t line = 1, depth = 0, seen = 0, began = 1;
    bool in_string = false;
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        if (in_string) {
            i += c == '\\';
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
            began = line;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            depth--;
        } else if (c == ':' && depth == 1 && seen++ == number) {
            return began;
        }
        line += c == '\n';
    }
    return line;
}

static lotor_status unknown_key(const lotor_option *options, size_t count, size_t config,
                                const char *shown, const char *key, lotor_message *why)
{
    lotor_suggestion suggestion;
    lotor_suggestion_start(&suggestion, key);
    for (size_t i = 0; i < count; i++) {
        if (i != config) {
            lotor_suggestion_offer(&suggestion, options[i].name);
        }
    }
    const lotor_quoted_text quoted = lotor_quote_text(key);
    if (!suggestion.nearest) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s: there is no option %s: expected the name of an option without "
                          "dashes, such as \"store\"",
                          shown, quoted.text);
    }
    return lotor_fail(LOTOR_INVALID, why, "%s: there is no option %s: did you mean \"%s\"?", shown,
                      quoted.text, suggestion.nearest);
}

/* The strings of an array, separated by commas. */
static void join(const json_t *list, bool *fits, lotor_text *text)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *const item = json_string_value(json_array_get(list, i));
        *fits = *fits && item && *item && !strchr(item, ',');
        if (*fits) {
            lotor_text_print(text, "%s%s", i ? "," : "", item);
        }
    }
}

/* Writes a JSON value as a user would type it on the command line. The caller frees *out. */
static lotor_status text_of(const lotor_option *option, const char *shown, const json_t *value,
                            lotor_message *why, char **out)
{
    char digits[LOTOR_DIGITS_ROOM];
    lotor_text text = {0};
    const bool is_flag = option->kind == LOTOR_OPTION_FLAG;
    bool fits = is_flag == json_is_boolean(value);
    if (json_is_boolean(value)) {
        lotor_text_add(&text, json_is_true(value) ? "true" : "false");
    } else if (json_is_string(value)) {
        fits = fits && strlen(json_string_value(value)) == json_string_length(value);
        lotor_text_add(&text, json_string_value(value));
    } else if (json_is_integer(value)) {
        lotor_text_print(&text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else if (json_is_real(value)) {
        lotor_text_add(&text, lotor_digits(json_real_value(value), digits));
    } else if (json_is_array(value) && option->kind == LOTOR_OPTION_TEXT) {
        join(value, &fits, &text);
    } else {
        fits = false;
    }
    if (!fits || (text.length == 0 && !text.is_out_of_memory)) {
        lotor_text_clear(&text);
        return lotor_fail(LOTOR_INVALID, why, "%s: expected %s for \"%s\"", shown,
                          is_flag ? "true or false" : "a text or a number that is not empty",
                          option->name);
    }
    const lotor_status status = lotor_text_status(&text, why);
    *out = text.bytes;
    return status;
}

typedef struct reading {
    const lotor_option *options;
    size_t count, config;
    const char *path, *text;
    size_t length;
    lotor_settings *out;
} reading;

static lotor_status read_entry(const reading *self, size_t number, const char *key,
                               const json_t *value, lotor_message *why)
{
    char shown[SHOWN_ROOM];
    snprintf(shown, sizeof shown, "%s, line %zu", lotor_quote_text(self->path).text,
             line_of_key(self->text, self->length, number));
    size_t i = 0;
    while (i < self->count && (i == self->config || strcmp(self->options[i].name, key) != 0)) {
        i++;
    }
    if (i == self->count) {
        return unknown_key(self->options, self->count, self->config, shown, key, why);
    }
    const lotor_option *const option = &self->options[i];
    char *text = NULL;
    lotor_status status = text_of(option, shown, value, why, &text);
    lotor_option_value parsed = {0};
    bool has_list = false;
    if (status == LOTOR_OK) {
        /* Also a value that the command line or the environment replaces must be right. */
        snprintf(shown + strlen(shown), sizeof shown - strlen(shown), ", %s", option->name);
        status = set(option, shown, text, why, &has_list, &parsed);
    }
    if (status != LOTOR_OK || self->out->is_set[i]) {
        if (has_list) {
            lotor_number_list_free(&parsed.list);
        }
        free(text);
        return status;
    }
    self->out->values[i] = parsed;
    self->out->owned[i] = text;
    self->out->has_list[i] = has_list;
    return LOTOR_OK;
}

static lotor_status read_object(const reading *self, lotor_message *why)
{
    json_error_t error;
    json_t *const object = json_loadb(self->text, self->length, JSON_REJECT_DUPLICATES, &error);
    if (!object) {
        return lotor_fail(LOTOR_INVALID, why, "%s, line %d: expected a JSON object: %s",
                          lotor_quote_text(self->path).text, error.line,
                          lotor_quote_text(error.text).text);
    }
    lotor_status status = LOTOR_OK;
    if (!json_is_object(object)) {
        status = lotor_fail(LOTOR_INVALID, why, "%s: expected a JSON object: {\"store\": ...}",
                            lotor_quote_text(self->path).text);
    }
    size_t number = 0;
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (status == LOTOR_OK) {
            status = read_entry(self, number++, key, value, why);
        }
    }
    json_decref(object);
    return status;
}

static lotor_status read_file(reading *self, lotor_message *why)
{
    char *const text = malloc(FILE_MAX + 1);
    if (!text) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the file of --config");
    }
    FILE *const file = fopen(self->path, "rbe");
    bool fine = file != NULL;
    if (fine) {
        self->length = fread(text, 1, FILE_MAX + 1, file);
        fine = !ferror(file);
    }
    const int error = errno;
    if (file) {
        fclose(file);
    }
    lotor_status status;
    if (!fine) {
        status = lotor_fail(LOTOR_IO, why, "the file %s of --config can't be read: %s",
                            lotor_quote_text(self->path).text, strerror(error));
    } else if (self->length > FILE_MAX) {
        status = lotor_fail(
            LOTOR_INVALID, why,
            "the file %s of --config is longer than %d bytes: check that it is the right file",
            lotor_quote_text(self->path).text, FILE_MAX);
    } else {
        self->text = text;
        status = read_object(self, why);
    }
    free(text);
    return status;
}

/* --- all places ------------------------------------------------------------------------------- */

lotor_status lotor_settings_read(const lotor_option *options, size_t count, size_t config,
                                 const lotor_arguments *arguments, char *const *environment,
                                 lotor_message *why, lotor_settings *out)
{
    memset(out, 0, sizeof *out);
    memcpy(out->values, arguments->values, sizeof out->values);
    for (size_t i = 0; i < count; i++) {
        char name[LOTOR_VARIABLE_ROOM];
        const char *const text = look_up(environment, lotor_settings_variable(&options[i], name));
        out->is_set[i] = text || out->values[i].given;
        if (text && !out->values[i].given) {
            const lotor_status status =
                set(&options[i], name, text, why, &out->has_list[i], &out->values[i]);
            if (status != LOTOR_OK) {
                return status;
            }
        }
    }
    if (!out->values[config].text) {
        return LOTOR_OK;
    }
    reading file = {.options = options,
                    .count = count,
                    .config = config,
                    .path = out->values[config].text,
                    .out = out};
    return read_file(&file, why);
}

void lotor_settings_free(lotor_settings *settings)
{
    for (size_t i = 0; i < LOTOR_OPTIONS_MAX; i++) {
        if (settings->has_list[i]) {
            lotor_number_list_free(&settings->values[i].list);
        }
        free(settings->owned[i]);
    }
}
#endif
