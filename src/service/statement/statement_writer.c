/* statement_writer.c - adds sections and blocks to a statement. */
#include "service/statement/statement_writer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lotor_writer_section(lotor_writer *writer, const char *id, const char *title)
{
    json_t *const blocks = json_array();
    json_t *const section =
        json_pack("{s:s, s:s, s:o}", "id", id, "title", title, "blocks", blocks);
    writer->failed |= json_array_append_new(writer->sections, section) != 0;
    writer->blocks = writer->failed ? NULL : blocks;
}

/* The array of the last block if it has this kind, or of a new block. NULL: no memory. */
static json_t *entries(lotor_writer *writer, const char *kind, const char *field)
{
    const size_t count = json_array_size(writer->blocks);
    const json_t *const last = count > 0 ? json_array_get(writer->blocks, count - 1) : NULL;
    if (strcmp(lotor_writer_text_at(last, "kind"), kind) == 0) {
        return json_object_get(last, field);
    }
    json_t *const made = json_array();
    json_t *const block = json_pack("{s:s, s:o}", "kind", kind, field, made);
    writer->failed |= json_array_append_new(writer->blocks, block) != 0;
    return writer->failed ? NULL : made;
}

/* Appends a value, which may be NULL if there was no memory. */
static void append(lotor_writer *writer, json_t *list, json_t *value)
{
    writer->failed |= json_array_append_new(list, value) != 0;
}

/* Formats a text as a JSON string. NULL: no memory. */
static json_t *format_string(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *const text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (!text) {
        return NULL;
    }
    vsnprintf(text, (size_t)length + 1, format, arguments);
    json_t *const string = json_stringn(text, (size_t)length);
    free(text);
    return string;
}

void lotor_writer_say(lotor_writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    json_t *const text = format_string(format, arguments);
    va_end(arguments);
    append(writer, writer->blocks,
           text ? json_pack("{s:s, s:o}", "kind", "paragraph", "text", text) : NULL);
}

void lotor_writer_item(lotor_writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    json_t *const text = format_string(format, arguments);
    va_end(arguments);
    append(writer, entries(writer, "list", "items"), text);
}

void lotor_writer_check(lotor_writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    json_t *const text = format_string(format, arguments);
    va_end(arguments);
    append(writer, entries(writer, "checks", "items"), text);
}

void lotor_writer_row(lotor_writer *writer, const char *label, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    json_t *const text = format_string(format, arguments);
    va_end(arguments);
    append(writer, entries(writer, "rows", "rows"),
           text ? json_pack("{s:s, s:o}", "label", label, "text", text) : NULL);
}

void lotor_writer_line(lotor_writer *writer, size_t count, ...)
{
    json_t *const line = json_array();
    va_list arguments;
    va_start(arguments, count);
    for (size_t i = 0; i < count; i++) {
        append(writer, line, json_string(va_arg(arguments, const char *)));
    }
    va_end(arguments);
    append(writer, entries(writer, "table", "lines"), line);
}

const char *lotor_writer_up(double value, char text[LOTOR_STATEMENT_NUMBER])
{
    if (value >= 1e4 && value < 1e15) { /* "162,755", not "1.62755e+05" */
        return lotor_writer_count(ceil(value * (1.0 - 1e-14)), text);
    }
    snprintf(text, LOTOR_STATEMENT_NUMBER, "%.6g", value);
    if (strtod(text, NULL) < value * (1.0 - 1e-14)) {
        snprintf(text, LOTOR_STATEMENT_NUMBER, "%.6g", value * (1.0 + 5e-6));
    }
    if (value >= 1e-12 && strchr(text, 'e') && value < 1.0) { /* "0.000001", not "1e-06" */
        const char *const point = strchr(text, '.'), *const power = strchr(text, 'e');
        const int digits = point ? (int)(power - point) - 1 : 0;
        snprintf(text, LOTOR_STATEMENT_NUMBER, "%.*f", digits + atoi(power + 1) * -1,
                 strtod(text, NULL));
    }
    return text;
}

const char *lotor_writer_factor(double value, char text[LOTOR_STATEMENT_NUMBER])
{
    if (value >= 1e3) {
        return lotor_writer_up(value < 1e4 ? ceil(value) : value, text);
    }
    snprintf(text, LOTOR_STATEMENT_NUMBER, "%.3g", value);
    if (strtod(text, NULL) < value * (1.0 - 1e-14)) {
        snprintf(text, LOTOR_STATEMENT_NUMBER, "%.3g",
                 value + 0.5 * pow(10.0, floor(log10(value)) - 2.0));
    }
    return text;
}

const char *lotor_writer_number(double value, int digits, char text[LOTOR_STATEMENT_NUMBER])
{
    snprintf(text, LOTOR_STATEMENT_NUMBER, "%.*g", digits, value == 0.0 ? 0.0 : value);
    return text;
}

const char *lotor_writer_count(double value, char text[LOTOR_STATEMENT_NUMBER])
{
    lotor_text out = {.bytes = text, .capacity = LOTOR_STATEMENT_NUMBER, .is_fixed = true};
    text[0] = '\0';
    lotor_text_grouped(&out, value > 0.0 && value < 1e18 ? (uint64_t)value : 0);
    return text;
}

const char *lotor_writer_percent(double value, char text[LOTOR_STATEMENT_NUMBER])
{
    snprintf(text, LOTOR_STATEMENT_NUMBER, "%g%%", ceil(1000.0 * value - 1e-9) / 10.0);
    return text;
}

const char *lotor_writer_seconds(double value, char text[LOTOR_STATEMENT_NUMBER])
{
    static const struct unit {
        double seconds;
        const char *name;
    } units[] = {{86400.0, "day"}, {3600.0, "hour"}, {60.0, "minute"}, {1.0, "second"}};
    size_t i = 0;
    while (i < 3 && (value < units[i].seconds || fmod(value, units[i].seconds) != 0.0)) {
        i++;
    }
    const double count = value / units[i].seconds;
    snprintf(text, LOTOR_STATEMENT_NUMBER, "%.15g %s%s", count, units[i].name,
             count == 1.0 ? "" : "s");
    return text;
}

const char *lotor_writer_text_at(const json_t *object, const char *name)
{
    const char *const text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

double lotor_writer_number_at(const json_t *object, const char *name)
{
    const json_t *const value = json_object_get(object, name);
    /* A ratio that a number can't hold is a text: see lotor_spec_ratio. */
    return json_is_string(value) ? strtod(json_string_value(value), NULL)
                                 : json_number_value(value);
}

bool lotor_writer_has(const lotor_writer *writer, const char *field)
{
    const json_t *const value = json_object_get(writer->campaign, field);
    return value && !json_is_null(value) && !json_is_false(value);
}

bool lotor_writer_is_model(const lotor_writer *writer, const char *model)
{
    return strcmp(writer->model, model) == 0;
}
