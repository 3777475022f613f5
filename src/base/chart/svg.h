/* svg.h - writes the parts of SVG pictures, and writes a picture to a file. */
#ifndef LOTOR_BASE_CHART_SVG_H
#define LOTOR_BASE_CHART_SVG_H

#include "base/text.h"

/* The style sheet of all pictures; a document needs it once. Classes c0 ... c7 are colours. */
const char *lotor_svg_style(void);

/* Begins a separate document: a title for people who can't see the picture, the style sheet and the
 * background. */
void lotor_svg_open(lotor_text *text, int width, int height, const char *title);
void lotor_svg_close(lotor_text *text);

/* Writes "BEFOREx y", a part of a path. */
void lotor_svg_place(lotor_text *text, const char *before, double x, double y);

/* Begins a text of this class at (x, y). The caller adds the words and "</text>". */
void lotor_svg_open_text(lotor_text *text, const char *kind, double x, double y);

/* The approximate width of a text in an ordinary font. */
double lotor_svg_text_width(const char *text);

/* Draws a text of this class from (x, y) down, broken at blanks into lines of at most this width.
 * Returns the number of lines. If `text` is NULL, it only counts them. */
enum { LOTOR_SVG_LINE = 17 }; /* the distance between two lines */
int lotor_svg_lines(lotor_text *text, const char *kind, const char *words, double x, double y,
                    double width);

/* Writes a marker around a point, as a part of a path. The numbers 0 to 4 have different shapes;
 * larger numbers repeat them. */
void lotor_svg_marker(lotor_text *text, size_t number, double x, double y);

/* Checks, before hours of work, that lotor_svg_write will probably succeed. Changes no file.
 * LOTOR_INVALID: the name does not end in .svg. LOTOR_IO: the file can't be written. */
lotor_status lotor_svg_check(const char *file, lotor_message *why);

/* Writes the picture to a file. LOTOR_IO: the file can't be written, and no new file is left
 * behind. LOTOR_MEMORY: the picture is not complete. */
lotor_status lotor_svg_write(const lotor_text *picture, const char *file, lotor_message *why);

#endif
