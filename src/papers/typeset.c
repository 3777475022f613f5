/* typeset.c - see typeset.h. A text is read once from left to right. */
#include "papers/typeset.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "policy/catalog.h"

enum { LONGEST_ID = 40, LONGEST_RAISED = 80 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c)
{
    return is_letter(c) || is_digit(c);
}

/* --- one character ------------------------------------------------------------------------------ */

static const char *markdown_entity(char c)
{
    switch (c) {
    case '|':
        return "\\|";
    case '*':
        return "\\*";
    case '_':
        return "\\_";
    case '`':
        return "\\`";
    case '[':
        return "\\[";
    case ']':
        return "\\]";
    case '\\':
        return "\\\\";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '\n':
    case '\r':
        return " ";
    default:
        return NULL;
    }
}

/* Adds the character at `at`, and returns how many bytes it has. */
static size_t put_character(lotor_text *text, const char *at, lotor_typeset_form form)
{
    unsigned long code;
    const size_t length = lotor_text_character(at, &code);
    const size_t taken = length > 0 ? length : 1;
    char piece[5] = "";
    memcpy(piece, at, taken);
    const char *entity = form == LOTOR_TYPESET_MARKDOWN ? markdown_entity(*at) : NULL;
    if (entity) {
        lotor_text_add(text, entity);
    } else if (form == LOTOR_TYPESET_PLAIN) {
        lotor_text_add(text, piece);
    } else if (form == LOTOR_TYPESET_MARKDOWN && length > 0) {
        lotor_text_add(text, piece);
    } else {
        lotor_text_escape(text, piece);
    }
    return taken;
}

/* --- raised and lowered text -------------------------------------------------------------------- */

static bool is_whole(const char *text)
{
    const char *at = text + (*text == '-' || *text == '+');
    return *at != '\0' && strspn(at, "0123456789") == strlen(at);
}

static void put_raised_digits(lotor_text *text, const char *digits)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    for (; *digits != '\0'; digits++) {
        if (is_digit(*digits)) {
            lotor_text_add(text, raised[*digits - '0']);
        } else if (*digits == '-') {
            lotor_text_add(text, "⁻");
        }
    }
}

static void put_raised(lotor_text *text, const char *words, bool had_brackets,
                       lotor_typeset_form form)
{
    if (is_whole(words)) {
        put_raised_digits(text, words);
        return;
    }
    const bool is_plain = form == LOTOR_TYPESET_PLAIN;
    lotor_text_add(text, is_plain ? "^" : "<sup>");
    lotor_text_add(text, is_plain && had_brackets ? "(" : "");
    lotor_typeset(text, words, form);
    lotor_text_add(text, is_plain && had_brackets ? ")" : "");
    lotor_text_add(text, is_plain ? "" : "</sup>");
}

/* Reads what follows after ^. Returns how many bytes it has; 0 if it is not an exponent. */
static size_t read_exponent(const char *at, char out[LONGEST_RAISED], bool *had_brackets)
{
    size_t length = 0, from = 0;
    *had_brackets = *at == '(';
    if (*had_brackets) {
        from = 1;
        length = strcspn(at + 1, "()\n");
        if (at[1 + length] != ')') {
            return 0;
        }
    } else {
        const size_t sign = *at == '-' || *at == '+';
        length = sign + strspn(at + sign, "0123456789");
        if (length > sign && at[length] == '.' && is_digit(at[length + 1])) {
            length += 1 + strspn(at + length + 1, "0123456789");
        }
        while (sign == 0 && is_letter(at[length])) {
            length++;
        }
        length = length > sign ? length : 0;
    }
    if (length == 0 || length >= LONGEST_RAISED) {
        return 0;
    }
    memcpy(out, at + from, length);
    out[length] = '\0';
    return length + 2 * from;
}

/* Adds a subscript: the digits or the single letter after _. Returns the bytes read. */
static size_t put_lowered(lotor_text *text, const char *at, lotor_typeset_form form)
{
    static const char *const lowered[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
    const size_t digits = strspn(at, "0123456789");
    if (digits > 0 && !is_letter(at[digits])) {
        for (size_t i = 0; i < digits; i++) {
            lotor_text_add(text, lowered[at[i] - '0']);
        }
        return digits;
    }
    if (form == LOTOR_TYPESET_PLAIN || !is_letter(*at) || is_word(at[1])) {
        return 0;
    }
    lotor_text_print(text, "<sub>%c</sub>", *at);
    return 1;
}

/* --- words and numbers -------------------------------------------------------------------------- */

typedef struct word_sign {
    const char *word, *sign;
} word_sign;

static const word_sign signs[] = {
    {"epsilon", "ε"}, {"delta", "δ"}, {"Delta", "Δ"},    {"alpha", "α"},
    {"beta", "β"},    {"rho", "ρ"},   {"infinity", "∞"}, {"sqrt", "√"},
};

/* The length of a name of the sources that starts here: a file such as tests/test_bit.c, or a function such as
 * rows_fit. A part of two letters or more is on each side of one underscore; so B_1 is not a name. 0: none starts here. */
static size_t find_name(const char *at)
{
    size_t length = 0;
    bool is_function = false, has_folder = false;
    while (is_word(at[length]) || at[length] == '_' ||
           (length > 0 && (at[length] == '/' || at[length] == '.') && is_letter(at[length + 1]))) {
        is_function = is_function || (length > 1 && at[length] == '_' &&
                                      is_letter(at[length - 1]) && is_letter(at[length - 2]) &&
                                      is_letter(at[length + 1]) && is_letter(at[length + 2]));
        has_folder = has_folder || at[length] == '/';
        length++;
    }
    const bool is_file = has_folder && ((length > 2 && strncmp(at + length - 2, ".c", 2) == 0) ||
                                        (length > 3 && strncmp(at + length - 3, ".md", 3) == 0));
    return is_function || is_file ? length : 0;
}

/* Adds a name of the sources as code. Returns its length; 0 if none starts here. */
static size_t put_name(lotor_text *text, const char *at, lotor_typeset_form form)
{
    const size_t length = form == LOTOR_TYPESET_PLAIN ? 0 : find_name(at);
    if (length > 0) {
        lotor_text_print(text, form == LOTOR_TYPESET_HTML ? "<code>%.*s</code>" : "`%.*s`",
                         (int)length, at);
    }
    return length;
}

/* Adds an algorithm's id as code. Returns its length; 0 if no id starts here. */
static size_t put_id(lotor_text *text, const char *at, lotor_typeset_form form)
{
    size_t length = 0;
    while (is_word(at[length]) || (at[length] == '-' && is_word(at[length + 1]))) {
        length++;
    }
    char id[LONGEST_ID];
    if (length >= sizeof id || form == LOTOR_TYPESET_PLAIN) {
        return 0;
    }
    memcpy(id, at, length);
    id[length] = '\0';
    if (!lotor_algorithms_find(id)) {
        return 0;
    }
    lotor_text_print(text, form == LOTOR_TYPESET_HTML ? "<code>%s</code>" : "`%s`", id);
    return length;
}

/* Adds an id between backticks. Returns the length with the backticks; 0 if there is no id. */
static size_t put_ticked_id(lotor_text *text, const char *at, lotor_typeset_form form)
{
    const size_t length = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (*at != '`' || at[1 + length] != '`') {
        return 0;
    }
    const size_t taken = put_id(text, at + 1, form);
    assert(taken == 0 || taken == length);
    return taken > 0 ? length + 2 : 0;
}

/* Adds a word, or the sign that it stands for. */
static size_t put_word(lotor_text *text, const char *at, lotor_typeset_form form)
{
    size_t length = 0;
    while (is_letter(at[length])) {
        length++;
    }
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (strlen(signs[i].word) == length && strncmp(at, signs[i].word, length) == 0) {
            lotor_text_add(text, signs[i].sign);
            const bool is_root = strcmp(signs[i].word, "sqrt") == 0;
            return length + (is_root && at[length] == ' ' && is_word(at[length + 1]));
        }
    }
    for (size_t i = 0; i < length; i++) {
        (void)put_character(text, at + i, form);
    }
    return length;
}

/* Adds a number; "2e-05" becomes 2 × 10⁻⁵. */
static size_t put_number(lotor_text *text, const char *at, lotor_typeset_form form)
{
    size_t length = strspn(at, "0123456789");
    if (at[length] == '.' && is_digit(at[length + 1])) {
        length += 1 + strspn(at + length + 1, "0123456789");
    }
    size_t power = length + (at[length] == 'e');
    const bool is_minus = power > length && at[power] == '-';
    power += power > length && (at[power] == '-' || at[power] == '+');
    const size_t digits = power > length ? strspn(at + power, "0123456789") : 0;
    if (digits == 0 || digits > 4 || is_letter(at[power + digits])) {
        for (size_t i = 0; i < length; i++) {
            (void)put_character(text, at + i, form);
        }
        return length;
    }
    char exponent[8] = "-";
    size_t zeros = strspn(at + power, "0");
    zeros = zeros < digits ? zeros : digits - 1;
    memcpy(exponent + is_minus, at + power + zeros, digits - zeros);
    exponent[is_minus + digits - zeros] = '\0';
    if (length != 1 || *at != '1') {
        lotor_text_print(text, "%.*s × ", (int)length, at);
    }
    lotor_text_add(text, "10");
    put_raised_digits(text, exponent);
    return power + digits;
}

/* --- all together ------------------------------------------------------------------------------- */

/* A hyphen is a minus between blanks, and before a number that starts there. */
static bool is_minus(const char *at, char before)
{
    return (before == ' ' && at[1] == ' ') ||
           (is_digit(at[1]) && (before == ' ' || before == '(' || before == '\0'));
}

/* Adds what starts at `at`, if it is special. Returns how many bytes were read; 0: not special. */
static size_t put_special(lotor_text *text, const char *at, char before, lotor_typeset_form form)
{
    char raised[LONGEST_RAISED];
    bool had_brackets = false;
    size_t taken = 0;
    switch (*at) {
    case '^':
        taken = read_exponent(at + 1, raised, &had_brackets);
        if (taken > 0) {
            put_raised(text, raised, had_brackets, form);
        }
        return taken > 0 ? taken + 1 : 0;
    case '_':
        taken = is_letter(before) ? put_lowered(text, at + 1, form) : 0;
        return taken > 0 ? taken + 1 : 0;
    case '-':
        lotor_text_add(text, is_minus(at, before) ? "−" : "");
        return is_minus(at, before);
    case '\'':
        lotor_text_add(text, is_word(before) ? "’" : "");
        return is_word(before);
    case '<':
    case '>':
        if (at[1] == '=') {
            lotor_text_add(text, *at == '<' ? "≤" : "≥");
            return 2;
        }
        return 0;
    default:
        return 0;
    }
}

void lotor_typeset(lotor_text *text, const char *words, lotor_typeset_form form)
{
    char before = '\0';
    for (const char *at = words ? words : ""; *at != '\0';) {
        size_t taken = put_special(text, at, before, form);
        if (taken == 0) {
            taken = put_ticked_id(text, at, form);
        }
        if (taken == 0 && is_word(*at) && !is_word(before) && before != '-') {
            taken = put_name(text, at, form);
            taken = taken > 0 ? taken : put_id(text, at, form);
        }
        if (taken == 0 && is_digit(*at) && !is_letter(before)) {
            taken = put_number(text, at, form);
        }
        if (taken == 0 && is_letter(*at)) {
            taken = put_word(text, at, form);
        }
        taken = taken > 0 ? taken : put_character(text, at, form);
        at += taken;
        before = at[-1];
    }
}

void lotor_typeset_number(lotor_text *text, double value, int digits)
{
    if (isinf(value)) {
        lotor_text_add(text, value < 0.0 ? "−∞" : "∞");
    } else if (value == floor(value) && fabs(value) < 1e15) {
        lotor_text_add(text, value < 0.0 ? "−" : "");
        lotor_text_grouped(text, (uint64_t)fabs(value));
    } else {
        char room[64] = "";
        lotor_text shown = {.bytes = room, .capacity = sizeof room, .is_fixed = true};
        lotor_text_number(&shown, value, digits);
        lotor_typeset(text, room, LOTOR_TYPESET_HTML);
    }
}
