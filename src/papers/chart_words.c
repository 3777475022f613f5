/* chart_words.c - a chart in words, for those who don't see it. */
#include "papers/chart_parts.h"

void lotor_chart_put_words(lotor_text *text, const chart_frame *frame)
{
    const lotor_chart *chart = frame->chart;
    lotor_text_add(text, "<title id=\"");
    lotor_text_escape(text, chart->id);
    lotor_text_add(text, "-title\">");
    lotor_text_escape(text, chart->y_title);
    lotor_text_add(text, " over ");
    lotor_text_escape(text, chart->x_title);
    lotor_text_add(text, chart->title[0] != '\0' ? ": " : "");
    lotor_text_escape(text, chart->title);
    lotor_text_add(text, "</title>\n<desc id=\"");
    lotor_text_escape(text, chart->id);
    lotor_text_print(text, "-text\">A chart of %zu curve%s.", chart->count,
                     chart->count == 1 ? "" : "s");
    for (size_t i = 0; i < chart->count; i++) {
        const lotor_series *series = &chart->series[i];
        const size_t last = lotor_chart_last_shown(frame, series);
        lotor_text_add(text, " ");
        lotor_text_escape(text, series->label);
        if (last < series->count) {
            lotor_text_add(text, " ends at ");
            lotor_text_number(text, series->points[last].mean, 4);
        } else {
            lotor_text_add(text, " has no points");
        }
        lotor_text_add(text, i + 1 < chart->count ? ";" : ".");
    }
    lotor_text_add(text, "</desc>\n");
}
