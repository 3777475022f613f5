/* statement_html.c - writes a statement as one HTML page, for reading, printing and saving.
 *
 * The page has its style inside and no script, and needs no other file. Everything from the statement is
 * escaped. The style is public and constant, so a content security policy can name its hash. */
#include <string.h>

#include "service/statement/evidence.h"
#include "service/statement/statement_writer.h"

const char lotor_statement_policy[] =
    "default-src 'none'; style-src " LOTOR_STATEMENT_STYLE_HASH
    "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static void put_cell(lotor_text *out, const char *tag, const char *text)
{
    lotor_text_print(out, "<%s>", tag);
    lotor_text_escape(out, text);
    lotor_text_print(out, "</%s>", tag);
}

static void put_rows(lotor_text *out, const json_t *rows)
{
    size_t i;
    json_t *row;
    lotor_text_add(out, "<dl>\n");
    json_array_foreach(rows, i, row)
    {
        lotor_text_add(out, "<div>");
        put_cell(out, "dt", lotor_writer_text_at(row, "label"));
        put_cell(out, "dd", lotor_writer_text_at(row, "text"));
        lotor_text_add(out, "</div>\n");
    }
    lotor_text_add(out, "</dl>\n");
}

static void put_line(lotor_text *out, const json_t *line, const char *tag)
{
    size_t i;
    json_t *cell;
    lotor_text_add(out, "<tr>");
    json_array_foreach(line, i, cell)
    {
        const char *const text = json_string_value(cell);
        put_cell(out, tag, text ? text : "");
    }
    lotor_text_add(out, "</tr>\n");
}

static void put_table(lotor_text *out, const json_t *lines)
{
    lotor_text_add(out, "<table>\n<thead>");
    put_line(out, json_array_get(lines, 0), "th");
    lotor_text_add(out, "</thead>\n<tbody>\n");
    for (size_t i = 1; i < json_array_size(lines); i++) {
        put_line(out, json_array_get(lines, i), "td");
    }
    lotor_text_add(out, "</tbody>\n</table>\n");
}

static void put_block(lotor_text *out, const json_t *block, bool is_summary)
{
    const char *const kind = lotor_writer_text_at(block, "kind");
    size_t i;
    json_t *item;
    if (strcmp(kind, "paragraph") == 0) {
        lotor_text_add(out, is_summary ? "<p class=\"summary\">" : "<p>");
        lotor_text_escape(out, lotor_writer_text_at(block, "text"));
        lotor_text_add(out, "</p>\n");
    } else if (strcmp(kind, "list") == 0 || strcmp(kind, "checks") == 0) {
        lotor_text_add(out, strcmp(kind, "list") == 0 ? "<ul>\n" : "<ul class=\"checks\">\n");
        json_array_foreach(json_object_get(block, "items"), i, item)
        {
            const char *const text = json_string_value(item);
            put_cell(out, "li", text ? text : "");
            lotor_text_add(out, "\n");
        }
        lotor_text_add(out, "</ul>\n");
    } else if (strcmp(kind, "rows") == 0) {
        put_rows(out, json_object_get(block, "rows"));
    } else if (strcmp(kind, "table") == 0) {
        put_table(out, json_object_get(block, "lines"));
    }
}

static void put_section(lotor_text *out, const json_t *section, size_t number)
{
    const char *const id = lotor_writer_text_at(section, "id");
    size_t i;
    json_t *block;
    lotor_text_add(out, "<section id=\"");
    lotor_text_escape(out, id);
    lotor_text_print(out, "\">\n<h2>%zu. ", number);
    lotor_text_escape(out, lotor_writer_text_at(section, "title"));
    lotor_text_add(out, "</h2>\n");
    json_array_foreach(json_object_get(section, "blocks"), i, block)
    {
        put_block(out, block, strcmp(id, "summary") == 0);
    }
    lotor_text_add(out, "</section>\n");
}

/* The line at the end of each printed page. */
static void put_footer(lotor_text *out, const json_t *statement)
{
    lotor_text_add(out, "<footer><p>Privacy statement of the campaign ");
    lotor_text_escape(out, lotor_writer_text_at(statement, "campaign"));
    lotor_text_add(out, ", ");
    lotor_text_escape(out, lotor_writer_text_at(statement, "time"));
    lotor_text_add(out, ". Fingerprint ");
    lotor_text_escape(out, lotor_writer_text_at(statement, "fingerprint"));
    lotor_text_add(out, "</p></footer>\n");
}

static void put_header(lotor_text *out, const json_t *statement, const char *title)
{
    const bool is_private =
        json_is_true(json_object_get(json_object_get(statement, "claim"), "private"));
    lotor_text_add(out, "<header>\n<h1>Privacy statement</h1>\n<p class=\"name\">");
    lotor_text_escape(out, title);
    lotor_text_add(out, "</p>\n<p class=\"about\">");
    lotor_text_escape(out, lotor_writer_text_at(statement, "about"));
    lotor_text_print(out, "</p>\n<p class=\"%s\"><strong>", is_private ? "level" : "level warning");
    lotor_text_escape(out, lotor_writer_text_at(statement, "headline"));
    lotor_text_add(out, "</strong> ");
    lotor_text_escape(out, lotor_writer_text_at(statement, "level_note"));
    lotor_text_add(out, "</p>\n<p class=\"facts\">Campaign ");
    lotor_text_escape(out, lotor_writer_text_at(statement, "campaign"));
    lotor_text_add(out, ", as of ");
    lotor_text_escape(out, lotor_writer_text_at(statement, "time"));
    lotor_text_add(out, "</p>\n<p class=\"facts\">Fingerprint ");
    lotor_text_escape(out, lotor_writer_text_at(statement, "fingerprint"));
    lotor_text_add(out, "</p>\n</header>\n");
}

void lotor_statement_html(const json_t *statement, lotor_text *out)
{
    const char *const given = lotor_writer_text_at(statement, "title");
    const char *const title = *given ? given : lotor_writer_text_at(statement, "campaign");
    size_t i;
    json_t *section;
    lotor_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                        "<title>Privacy statement: ");
    lotor_text_escape(out, title);
    lotor_text_print(out, "</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n",
                     (const char *)lotor_statement_style);
    put_header(out, statement, title);
    json_array_foreach(json_object_get(statement, "sections"), i, section)
    {
        put_section(out, section, i + 1);
    }
    lotor_text_add(out, "</main>\n");
    put_footer(out, statement);
    lotor_text_add(out, "</body>\n</html>\n");
}
