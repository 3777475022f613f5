/* statement_text.c - writes a statement as text for a terminal, at most 78 columns wide. */
#include <stdio.h>
#include <string.h>

#include "service/statement/statement_writer.h"

enum { COLUMNS = 78, LABEL = 24, CELLS_MOST = 8 };

/* How many columns a text takes: bytes that do not continue a UTF-8 character. */
static size_t width_of(const char *text, size_t length)
{
    size_t width = 0;
    for (size_t i = 0; i < length; i++) {
        width += (text[i] & '\xc0') != '\x80';
    }
    return width;
}

static void put_spaces(lotor_text *out, size_t count)
{
    while (count-- > 0) {
        lotor_text_add(out, " ");
    }
}

/* Writes one word. Control characters, which a terminal would obey, become "?", also those of two bytes
 * (U+0080 to U+009F). */
static void put_word(lotor_text *out, const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)word[i];
        const unsigned char next = i + 1 < length ? (unsigned char)word[i + 1] : 0;
        if (byte == 0xc2 && next >= 0x80 && next <= 0x9f) {
            lotor_text_add(out, "?");
            i++;
        } else {
            lotor_text_print(out, "%c", byte < ' ' || byte == 127 ? '?' : word[i]);
        }
    }
}

/* Writes words between the columns `indent` and COLUMNS. The cursor is in `column`. Ends the last line. */
static void put_words(lotor_text *out, const char *text, size_t column, size_t indent)
{
    static const char blanks[] = " \n\t";
    bool is_first = true;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        const size_t length = strcspn(text, blanks), width = width_of(text, length);
        if (!is_first && column + 1 + width > COLUMNS) {
            /* a long word begins further left */
            const size_t left = width < COLUMNS ? COLUMNS - width : 0;
            column = left < indent ? left : indent;
            lotor_text_add(out, "\n");
            put_spaces(out, column);
        } else if (!is_first) {
            lotor_text_add(out, " ");
            column++;
        }
        put_word(out, text, length);
        column += width;
        text += length;
        is_first = false;
    }
    lotor_text_add(out, "\n");
}

static void put_rows(lotor_text *out, const json_t *rows)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        const char *const label = lotor_writer_text_at(row, "label");
        const char *const text = lotor_writer_text_at(row, "text");
        const size_t width = width_of(label, strlen(label));
        lotor_text_add(out, "  ");
        put_word(out, label, strlen(label));
        if (width + 3 > LABEL) { /* a long name has a line of its own */
            lotor_text_add(out, "\n");
            put_spaces(out, LABEL);
        } else {
            put_spaces(out, LABEL - 2 - width);
        }
        put_words(out, *text ? text : "______________________________", LABEL, LABEL);
    }
}

static const char *cell_at(const json_t *line, size_t column)
{
    const char *const text = json_string_value(json_array_get(line, column));
    return text ? text : "";
}

/* A table becomes a line for each row if it is narrow; otherwise each cell has a line behind its column's name. */
static void put_table(lotor_text *out, const json_t *lines)
{
    size_t widths[CELLS_MOST] = {0}, all = 2, i;
    json_t *line;
    const json_t *const head = json_array_get(lines, 0);
    const size_t columns =
        json_array_size(head) < CELLS_MOST ? json_array_size(head) : (size_t)CELLS_MOST;
    json_array_foreach(lines, i, line)
    {
        for (size_t j = 0; j < columns; j++) {
            const size_t width = width_of(cell_at(line, j), strlen(cell_at(line, j)));
            widths[j] = width > widths[j] ? width : widths[j];
        }
    }
    for (size_t j = 0; j < columns; j++) {
        all += widths[j] + (j > 0 ? 2 : 0);
    }
    json_array_foreach(lines, i, line)
    {
        if (all > COLUMNS && i == 0) {
            continue;
        }
        for (size_t j = 0; j < columns; j++) {
            const char *const text = cell_at(line, j);
            const size_t width = width_of(text, strlen(text));
            if (all > COLUMNS) {
                char name[256];
                snprintf(name, sizeof name, "%s: ", cell_at(head, j));
                lotor_text_add(out, j == 0 ? "  - " : "    ");
                put_word(out, name, strlen(name));
                put_words(out, text, 4 + width_of(name, strlen(name)), 6);
                continue;
            }
            put_spaces(out, 2);
            put_word(out, text, strlen(text));
            if (j + 1 < columns) {
                put_spaces(out, widths[j] - width);
            } else {
                lotor_text_add(out, "\n");
            }
        }
    }
}

static void put_block(lotor_text *out, const json_t *block)
{
    const char *const kind = lotor_writer_text_at(block, "kind");
    size_t i;
    json_t *item;
    if (strcmp(kind, "paragraph") == 0) {
        put_words(out, lotor_writer_text_at(block, "text"), 0, 0);
    } else if (strcmp(kind, "list") == 0 || strcmp(kind, "checks") == 0) {
        const char *const mark = strcmp(kind, "list") == 0 ? "  - " : "  [ ] ";
        json_array_foreach(json_object_get(block, "items"), i, item)
        {
            const char *const text = json_string_value(item);
            lotor_text_add(out, mark);
            put_words(out, text ? text : "", strlen(mark), strlen(mark));
        }
    } else if (strcmp(kind, "rows") == 0) {
        put_rows(out, json_object_get(block, "rows"));
    } else if (strcmp(kind, "table") == 0) {
        put_table(out, json_object_get(block, "lines"));
    }
}

/* A line of the head: a name and a field of the statement. */
static void put_fact(lotor_text *out, const char *label, const char *text)
{
    lotor_text_print(out, "%-13s", label);
    put_words(out, text, 13, 13);
}

void lotor_statement_text(const json_t *statement, lotor_text *out)
{
    size_t i, j;
    json_t *section, *block;
    const char *const title = lotor_writer_text_at(statement, "title");
    lotor_text_add(out, "PRIVACY STATEMENT\n");
    put_words(out, *title ? title : lotor_writer_text_at(statement, "campaign"), 0, 0);
    put_words(out, lotor_writer_text_at(statement, "about"), 0, 0);
    lotor_text_add(out, "\n");
    put_words(out, lotor_writer_text_at(statement, "headline"), 0, 0);
    put_words(out, lotor_writer_text_at(statement, "level_note"), 0, 0);
    put_fact(out, "Campaign", lotor_writer_text_at(statement, "campaign"));
    put_fact(out, "Time", lotor_writer_text_at(statement, "time"));
    put_fact(out, "Fingerprint", lotor_writer_text_at(statement, "fingerprint"));
    json_array_foreach(json_object_get(statement, "sections"), i, section)
    {
        lotor_text_print(out, "\n%zu. ", i + 1);
        put_words(out, lotor_writer_text_at(section, "title"), 4, 4);
        json_array_foreach(json_object_get(section, "blocks"), j, block)
        {
            put_block(out, block);
        }
    }
}
