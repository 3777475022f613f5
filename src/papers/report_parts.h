/* report_parts.h - inside the report: parts of the page that have a file of their own. */
#ifndef LOTOR_PAPERS_REPORT_PARTS_H
#define LOTOR_PAPERS_REPORT_PARTS_H

#include "base/text.h"
#include "papers/chart.h"
#include "papers/reproduce.h"

/* report_chart.c: the panel of a figure as a chart. Its id is written to `id`, its series are the
 * panel's own. */
typedef struct report_chart_id {
    char text[96];
} report_chart_id;
lotor_chart lotor_report_chart_of(const lotor_played *played, size_t panel, report_chart_id *id);

/* All panels as SVG that stands alone. */
void lotor_report_put_picture(lotor_text *text, const lotor_played *played);

/* report_settings.c: the tables of what was played, curve by curve. */
void lotor_report_put_settings(lotor_text *text, const lotor_played *played);

/* report_sets.c: which arms each curve ended with, where the figure lists them. */
void lotor_report_put_sets(lotor_text *text, const lotor_played *played);

/* report_claims.c: what an audit found against each curve's algorithm, where the figure audits. */
void lotor_report_put_claims(lotor_text *text, const lotor_played *played);

/* report_figure.c: a figure's section, with its charts and verdicts; and the words the summary uses
 * too. */
void lotor_report_put_figure(lotor_text *text, const lotor_played *played);
void lotor_report_put_badge(lotor_text *text, lotor_verdict verdict);
void lotor_report_put_seconds(lotor_text *text, double seconds);

/* report_style.c */
const char *lotor_report_style(void);

#endif
