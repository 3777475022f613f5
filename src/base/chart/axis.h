/* axis.h - the axes of a chart: where a value lies, where the ticks are and how they are written. */
#ifndef LOTOR_BASE_CHART_AXIS_H
#define LOTOR_BASE_CHART_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* From low to high; none when low > high. */
typedef struct lotor_range {
    double low, high;
} lotor_range;

static const lotor_range lotor_range_none = {1.0, -1.0};

/* Whether an axis can show it: no NaN, not so large or so small that differences overflow; on a
 * logarithmic axis positive. */
bool lotor_axis_shows(bool is_log, double value);

/* With `value`, if the axis shows it. */
lotor_range lotor_range_with(lotor_range range, bool is_log, double value);

/* Wide enough to be divided: what is no range, or a single value, is widened. */
lotor_range lotor_range_open(lotor_range range, bool is_log);

/* A linear range out to whole steps of its ticks. */
lotor_range lotor_range_to_ticks(lotor_range range, size_t about);

enum { LOTOR_MOST_TICKS = 24 };

typedef struct lotor_ticks {
    double at[LOTOR_MOST_TICKS];
    size_t count;
    bool is_log;        /* at powers of ten, or 1, 2 and 5 times them */
    bool is_decades;    /* the former */
    bool has_minor;     /* every power of ten is there: 2 to 9 times it can be marked too */
    bool is_scientific; /* written as 2·10⁵ */
    int exponent;       /* that power, where it is the same for all (not is_log) */
    int decimals;
} lotor_ticks;

/* About so many (at most LOTOR_MOST_TICKS / 2) ticks inside an open range: steps of 1, 2 or 5 times a
 * power of ten; on a logarithmic axis powers of ten, or where they are too few 1, 2 and 5 times them,
 * or where the range is too small even for that, linear steps. */
lotor_ticks lotor_ticks_of(lotor_range range, bool is_log, size_t about);

/* "0.5", "200", "2·10⁵", "10⁷" */
void lotor_tick_label(lotor_text *text, const lotor_ticks *ticks, double value);

/* A range on paper: its low end at `from`, its high end at `to`. */
typedef struct lotor_scale {
    lotor_range range;
    bool is_log;
    double from, to;
} lotor_scale;

/* Where a value lies; NaN if it has no place. What is far outside stays within reach. */
double lotor_scale_at(const lotor_scale *scale, double value);

#endif
