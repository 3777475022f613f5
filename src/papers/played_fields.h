/* played_fields.h - inside the CSV of a played figure: texts and numbers, written and read. */
#ifndef LOTOR_PAPERS_PLAYED_FIELDS_H
#define LOTOR_PAPERS_PLAYED_FIELDS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/records.h"

/* Between quotes where CSV asks for it. */
void lotor_played_put_text(FILE *file, const char *text);

/* After a comma; nothing where there is no number. */
void lotor_played_put_number(FILE *file, double value);

bool lotor_played_is_text(lotor_span span, const char *text);

/* Takes a field and the comma behind it (or the end of the line) off *rest, and compares it with
 * `text` as it would have been written. */
bool lotor_played_take_text(lotor_span *rest, const char *text);

/* A finite decimal, whatever the locale. */
bool lotor_played_read_number(lotor_span span, double *out);

/* NaN where the field is empty. */
bool lotor_played_read_optional(lotor_span span, double *out);

#endif
