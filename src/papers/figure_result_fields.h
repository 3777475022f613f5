/* figure_result_fields.h - writes and reads the fields in the CSV file of a figure result. */
#ifndef LOTOR_PAPERS_FIGURE_RESULT_FIELDS_H
#define LOTOR_PAPERS_FIGURE_RESULT_FIELDS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/records.h"

/* Writes text, in quotes if CSV needs them. */
void lotor_figure_result_put_text(FILE *file, const char *text);

/* Writes a comma and the number; only the comma if it is not finite. */
void lotor_figure_result_put_number(FILE *file, double value);

bool lotor_figure_result_is_text(lotor_slice span, const char *text);

/* Takes a field and the comma after it (or the end of the line) off *rest. Compares the field with
 * the written form of `text`. */
bool lotor_figure_result_take_text(lotor_slice *rest, const char *text);

/* Reads a finite decimal, in any locale. */
bool lotor_figure_result_read_number(lotor_slice span, double *out);

/* Reads a finite decimal; NaN if the field is empty. */
bool lotor_figure_result_read_optional(lotor_slice span, double *out);

#endif
