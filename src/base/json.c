/* json.c - see json.h. Elements are separated by ", ", a key and its value by ": ".
 *
 * All output goes through put(), which counts every byte and stores those that fit.
 */
#include "base/json.h"

#include <math.h>

#include "base/digits.h"

static void put(lotor_json *json, char byte)
{
    if (json->capacity > 1 && json->length < json->capacity - 1) {
        json->buffer[json->length] = byte;
        json->buffer[json->length + 1] = '\0';
    }
    json->length++;
}

static void put_text(lotor_json *json, const char *text)
{
    for (; *text != '\0'; text++) {
        put(json, *text);
    }
}

/* The length of the well-formed UTF-8 character at `text`, which ends with a NUL. 0 if it is
 * malformed: a stray or missing continuation, an overlong form, a surrogate, or above U+10FFFF. */
static size_t utf8_length(const unsigned char *text)
{
    const unsigned char lead = text[0];
    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xc2 || lead > 0xf4) {
        return 0;
    }
    size_t length = 4;
    if (lead < 0xf0) {
        length = lead < 0xe0 ? 2 : 3;
    }
    unsigned char low = 0x80, high = 0xbf;
    if (lead == 0xe0) {
        low = 0xa0;
    } else if (lead == 0xed) {
        high = 0x9f;
    } else if (lead == 0xf0) {
        low = 0x90;
    } else if (lead == 0xf4) {
        high = 0x8f;
    }
    if (text[1] < low || text[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if (text[i] < 0x80 || text[i] > 0xbf) {
            return 0;
        }
    }
    return length;
}

static void put_ascii(lotor_json *json, char letter)
{
    static const char *const hex = "0123456789abcdef";
    switch (letter) {
    case '"':
        put_text(json, "\\\"");
        return;
    case '\\':
        put_text(json, "\\\\");
        return;
    case '\n':
        put_text(json, "\\n");
        return;
    case '\r':
        put_text(json, "\\r");
        return;
    case '\t':
        put_text(json, "\\t");
        return;
    default:
        break;
    }
    if (letter >= 0x20 && letter != 0x7f) {
        put(json, letter);
        return;
    }
    put_text(json, "\\u00");
    put(json, hex[letter >> 4]);
    put(json, hex[letter & 15]);
}

static void put_quoted(lotor_json *json, const char *text)
{
    put(json, '"');
    while (*text != '\0') {
        const size_t length = utf8_length((const unsigned char *)text);
        if (length == 0) {
            put_text(json, "\\ufffd");
            text++;
        } else if (length == 1) {
            put_ascii(json, *text++);
        } else {
            for (size_t i = 0; i < length; i++) {
                put(json, *text++);
            }
        }
    }
    put(json, '"');
}

/* Writes the comma before an element, and its key in an object. */
static void begin(lotor_json *json, const char *key)
{
    if (json->comma) {
        put_text(json, ", ");
    }
    if (key) {
        put_quoted(json, key);
        put_text(json, ": ");
    }
    json->comma = true;
}

void lotor_json_start(lotor_json *json, char *buffer, size_t capacity)
{
    *json = (lotor_json){.buffer = buffer, .capacity = capacity};
    if (capacity > 0) {
        buffer[0] = '\0';
    }
}

void lotor_json_open(lotor_json *json, const char *key, char bracket)
{
    begin(json, key);
    put(json, bracket);
    json->comma = false;
}

void lotor_json_close(lotor_json *json, char bracket)
{
    put(json, bracket);
    json->comma = true;
}

void lotor_json_string(lotor_json *json, const char *key, const char *text)
{
    begin(json, key);
    if (text) {
        put_quoted(json, text);
    } else {
        put_text(json, "null");
    }
}

void lotor_json_double(lotor_json *json, const char *key, double value)
{
    begin(json, key);
    char text[LOTOR_DIGITS_ROOM];
    put_text(json, isfinite(value) ? lotor_digits(value, text) : "null");
}

void lotor_json_whole(lotor_json *json, const char *key, uint64_t value)
{
    begin(json, key);
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (count > 0) {
        put(json, digits[--count]);
    }
}

void lotor_json_bool(lotor_json *json, const char *key, bool value)
{
    begin(json, key);
    put_text(json, value ? "true" : "false");
}

void lotor_json_raw(lotor_json *json, const char *key, const char *text)
{
    begin(json, key);
    put_text(json, text);
}
