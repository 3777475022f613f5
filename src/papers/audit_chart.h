/* audit_chart.h - claimed epsilon against the epsilon found, one line per algorithm, as an SVG
 * chart. */
#ifndef LOTOR_PAPERS_AUDIT_CHART_H
#define LOTOR_PAPERS_AUDIT_CHART_H

#include <lotor/audit.h>

#include "base/text.h"

typedef struct lotor_audit_mark {
    const char *label;
    const lotor_audit_result *result;
} lotor_audit_mark;

/* Draws the whole SVG document. */
void lotor_audit_chart_draw(lotor_text *text, const lotor_audit_mark *marks, size_t count);

/* Checks that the chart can be written. LOTOR_INVALID: the name does not end in .svg, or the file
 * can't be written. An existing file is not changed. */
lotor_status lotor_audit_chart_check(const char *file, lotor_message *why);

/* Writes the chart to a file. LOTOR_IO: the file can't be written. */
lotor_status lotor_audit_chart_write(const lotor_audit_mark *marks, size_t count, const char *file,
                                     lotor_message *why);

#endif
