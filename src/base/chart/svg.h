/* svg.h - pieces that every SVG picture is made of, and the file it goes to. */
#ifndef LOTOR_BASE_CHART_SVG_H
#define LOTOR_BASE_CHART_SVG_H

#include "base/text.h"

/* The style sheet of all pictures, once per document. Classes c0 ... c7 are colours. */
const char *lotor_svg_style(void);

/* Begins a document of its own: its title for those who don't see it, the style sheet and the
 * background. */
void lotor_svg_open(lotor_text *text, int width, int height, const char *title);
void lotor_svg_close(lotor_text *text);

/* "BEFOREx y", as a part of a path. */
void lotor_svg_place(lotor_text *text, const char *before, double x, double y);

/* A text of this class begins at (x, y); the caller adds the words and "</text>". */
void lotor_svg_open_text(lotor_text *text, const char *kind, double x, double y);

/* About how wide a text is, for an ordinary font. */
double lotor_svg_text_width(const char *text);

/* A marker around a place, as a part of a path. Numbers from 0 to 4 have different shapes, then they
 * start again. */
void lotor_svg_marker(lotor_text *text, size_t number, double x, double y);

/* Whether lotor_svg_write has a chance, asked before hours of work; leaves what is there as it is.
 * LOTOR_INVALID: the name does not end in .svg. LOTOR_IO: the file can't be written. */
lotor_status lotor_svg_check(const char *file, lotor_message *why);

/* LOTOR_IO: it can't be written; then no new file is left behind. LOTOR_MEMORY: the picture is not
 * complete. */
lotor_status lotor_svg_write(const lotor_text *picture, const char *file, lotor_message *why);

#endif
