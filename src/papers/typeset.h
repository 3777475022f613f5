/* typeset.h - turns plain ASCII formulas of the tables into typeset text.
 *
 * The tables of figures and the labels in CSV files are plain ASCII: "1/epsilon^2", "sqrt n",
 * "2e-05". Pages and pictures show them as 1/ε², √n and 2 × 10⁻⁵. Ids of algorithms are set as code.
 */
#ifndef LOTOR_PAPERS_TYPESET_H
#define LOTOR_PAPERS_TYPESET_H

#include "base/text.h"

typedef enum lotor_typeset_form {
    LOTOR_TYPESET_HTML = 0, /* the content of an element; special characters become entities */
    LOTOR_TYPESET_MARKDOWN, /* the content of a line or of a cell of a table */
    LOTOR_TYPESET_PLAIN     /* Unicode without any markup; not escaped */
} lotor_typeset_form;

/* Adds any bytes, typeset. NULL adds nothing. */
void lotor_typeset(lotor_text *text, const char *words, lotor_typeset_form form);

/* Adds a number with at most `digits` (1 to 17) significant digits, as HTML: "22,400", "0.0125",
 * "2 × 10⁻⁵", "∞". */
void lotor_typeset_number(lotor_text *text, double value, int digits);

#endif
