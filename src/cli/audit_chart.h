/* audit_chart.h - draws the claimed and the found epsilon, one line per algorithm, as an SVG
 * picture. */
#ifndef LOTOR_CLI_AUDIT_CHART_H
#define LOTOR_CLI_AUDIT_CHART_H

#include <lotor/audit.h>

#include "base/text.h"

typedef struct lotor_audit_mark {
    const char *label;
    const lotor_audit_result *result;
} lotor_audit_mark;

/* The whole document. */
void lotor_audit_chart_draw(lotor_text *text, const lotor_audit_mark *marks, size_t count);

#endif
