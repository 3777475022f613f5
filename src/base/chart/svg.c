/* svg.c - see svg.h.
 *
 * The colours are based on those of Okabe and Ito, which people with any colour vision can tell
 * apart. They are darkened on white and lightened on a dark background, until each has a contrast
 * of at least 3 to 1. Colours that are close to each other have different markers.
 */
#include "base/chart/svg.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/records.h"

enum { MARKERS = 5 };

const char *lotor_svg_style(void)
{
    return ".chart text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,"
           "sans-serif;fill:#3a3f47}"
           ".chart .name,.chart .head{fill:#16191d}.chart .head{font-weight:600;font-size:14px}"
           ".chart .note{font-size:12px}"
           ".chart .end{text-anchor:end}.chart .mid{text-anchor:middle}"
           ".chart .grid{stroke:#e3e6ea;fill:none}.chart .axis{stroke:#878d96;fill:none}"
           ".chart .line,.chart .edge,.chart .lead{fill:none;stroke:currentColor;"
           "stroke-linejoin:round}"
           ".chart .line{stroke-width:2}.chart .lead{stroke-width:1;opacity:.7}"
           ".chart .edge{stroke-width:1.6;stroke-dasharray:2 4;stroke-linecap:round}"
           ".chart .band{fill:currentColor;opacity:.17}"
           ".chart .bar{fill:none;stroke:currentColor;opacity:.6;stroke-width:1.5}"
           ".chart .mark{fill:currentColor;stroke:#fff;stroke-width:.8}"
           ".chart .d1{stroke-dasharray:8 4}.chart .d2{stroke-dasharray:8 3 2 3}"
           ".only{color:#3a3f47}.c0{color:#0072b2}.c1{color:#c94f00}.c2{color:#00835f}.c3{color:#"
           "b8508c}"
           ".c4{color:#9a6a00}.c5{color:#50565e}.c6{color:#2f94cf}.c7{color:#5f4bb6}"
           "@media (prefers-color-scheme:dark){"
           ".chart text{fill:#c3c9d2}.chart .name,.chart .head{fill:#f0f2f5}"
           ".chart .grid{stroke:#31373f}.chart .axis{stroke:#8b929c}"
           ".chart .mark{stroke:#15181c}.chart .band{opacity:.24}"
           ".only{color:#c3c9d2}.c0{color:#4ba3e3}.c1{color:#ff8a4d}.c2{color:#2fc096}.c3{color:#"
           "e993c4}"
           ".c4{color:#e8b33c}.c5{color:#ced2d8}.c6{color:#56d3ee}.c7{color:#ab8cff}}\n";
}

void lotor_svg_open(lotor_text *text, int width, int height, const char *title)
{
    lotor_text_print(text,
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" "
                     "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n<title>",
                     width, height, width, height);
    lotor_text_escape(text, title);
    lotor_text_add(text, "</title>\n<style>");
    lotor_text_add(text, lotor_svg_style());
    lotor_text_add(text, ".paper{fill:#fff}@media (prefers-color-scheme:dark){.paper{fill:#15181c}}"
                         "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
}

void lotor_svg_close(lotor_text *text)
{
    lotor_text_add(text, "</svg>\n");
}

void lotor_svg_place(lotor_text *text, const char *before, double x, double y)
{
    lotor_text_add(text, before);
    lotor_text_fixed(text, x, 1);
    lotor_text_add(text, " ");
    lotor_text_fixed(text, y, 1);
}

void lotor_svg_open_text(lotor_text *text, const char *kind, double x, double y)
{
    lotor_text_print(text, "<text class=\"%s\" x=\"", kind);
    lotor_text_fixed(text, x, 1);
    lotor_text_add(text, "\" y=\"");
    lotor_text_fixed(text, y, 1);
    lotor_text_add(text, "\">");
}

double lotor_svg_text_width(const char *text)
{
    double width = 0.0;
    unsigned long code;
    while (*text != '\0') {
        const size_t length = lotor_text_character(text, &code);
        const bool is_narrow = length > 0 && (code < 0x1100 || (code >= 0x2000 && code < 0x2c00));
        width += is_narrow ? 7.2 : 13.0;
        text += length > 0 ? length : 1;
    }
    return width;
}

int lotor_svg_lines(lotor_text *text, const char *kind, const char *words, double x, double y,
                    double width)
{
    /* The width of the letters, relative to ordinary ones. */
    const double letter = strcmp(kind, "head") == 0 ? 1.15 : 1.0;
    int lines = 0;
    while (*words != '\0') {
        char line[256];
        size_t length = 0, kept = 0; /* kept: the length up to the last blank that fits */
        while (words[length] != '\0' && length + 1 < sizeof line) {
            line[length] = words[length];
            line[++length] = '\0';
            if (letter * lotor_svg_text_width(line) > width && kept > 0) {
                break;
            }
            kept = words[length] == ' ' || words[length] == '\0' ? length : kept;
        }
        kept = kept > 0 ? kept : length;
        line[kept] = '\0';
        if (text) {
            lotor_svg_open_text(text, kind, x, y + lines * LOTOR_SVG_LINE);
            lotor_text_escape(text, line);
            lotor_text_add(text, "</text>\n");
        }
        lines++;
        words += kept + strspn(words + kept, " ");
    }
    return lines;
}

void lotor_svg_marker(lotor_text *text, size_t number, double x, double y)
{
    switch (number % MARKERS) {
    case 0: /* circle */
        lotor_svg_place(text, "M", x - 3.5, y);
        lotor_text_add(text, "a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z");
        break;
    case 1: /* square */
        lotor_svg_place(text, "M", x - 3.2, y - 3.2);
        lotor_text_add(text, "h6.4v6.4h-6.4z");
        break;
    case 2: /* triangle */
        lotor_svg_place(text, "M", x, y - 4.4);
        lotor_text_add(text, "l4.4 7.4h-8.8z");
        break;
    case 3: /* diamond */
        lotor_svg_place(text, "M", x, y - 4.8);
        lotor_text_add(text, "l4.8 4.8l-4.8 4.8l-4.8-4.8z");
        break;
    default: /* triangle, upside down */
        lotor_svg_place(text, "M", x, y + 4.4);
        lotor_text_add(text, "l4.4-7.4h-8.8z");
    }
}

/* --- the file ----------------------------------------------------------------------------------- */

static lotor_status unwritable(const char *file, int error, lotor_message *why)
{
    char text[128];
    return lotor_fail(LOTOR_IO, why, "the picture %s can't be written: %s",
                      lotor_excerpt(file, strlen(file)).text, strerror_r(error, text, sizeof text));
}

lotor_status lotor_svg_check(const char *file, lotor_message *why)
{
    const size_t length = strlen(file);
    if (length <= 4 || strcmp(file + length - 4, ".svg") != 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "pictures are SVG files: use a name that ends in .svg, not %s",
                          lotor_excerpt(file, length).text);
    }
    struct stat found;
    if (stat(file, &found) == 0) {
        if (S_ISDIR(found.st_mode)) {
            return unwritable(file, EISDIR, why);
        }
        return access(file, W_OK) == 0 ? LOTOR_OK : unwritable(file, errno, why);
    }
    const char *slash = strrchr(file, '/');
    char folder[4096];
    const int kept = slash ? (int)(slash - file) + 1 : 2; /* with the slash: "/" stays "/" */
    if (snprintf(folder, sizeof folder, "%.*s", kept, slash ? file : "./") >= (int)sizeof folder) {
        return unwritable(file, ENAMETOOLONG, why);
    }
    return access(folder, W_OK) == 0 ? LOTOR_OK : unwritable(file, errno, why);
}

lotor_status lotor_svg_write(const lotor_text *picture, const char *file, lotor_message *why)
{
    const lotor_status status = lotor_text_status(picture, why);
    if (status != LOTOR_OK) {
        return status;
    }
    const bool is_new = access(file, F_OK) != 0;
    const int error = lotor_text_write(picture, file);
    if (error && is_new) {
        unlink(file);
    }
    return error ? unwritable(file, error, why) : LOTOR_OK;
}
