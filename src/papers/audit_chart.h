/* audit_chart.h - claimed against found, a line per algorithm, as an SVG picture. */
#ifndef LOTOR_PAPERS_AUDIT_CHART_H
#define LOTOR_PAPERS_AUDIT_CHART_H

#include <lotor/audit.h>

#include "base/text.h"

typedef struct lotor_audit_mark {
    const char *label;
    const lotor_audit_result *result;
} lotor_audit_mark;

/* The whole document. */
void lotor_audit_chart_draw(lotor_text *text, const lotor_audit_mark *marks, size_t count);

/* LOTOR_INVALID: the name does not end in .svg, or no such file can be written. Leaves what is there
 * as it is. */
lotor_status lotor_audit_chart_check(const char *file, lotor_message *why);

/* LOTOR_IO: it can't be written. */
lotor_status lotor_audit_chart_write(const lotor_audit_mark *marks, size_t count, const char *file,
                                     lotor_message *why);

#endif
