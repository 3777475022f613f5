/* axis.h - the axes of a chart: where a value lies, where the ticks are and how they are
 * written. */
#ifndef LOTOR_BASE_CHART_AXIS_H
#define LOTOR_BASE_CHART_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* A range of values from low to high; empty if low > high. */
typedef struct lotor_axis_range {
    double low, high;
} lotor_axis_range;

static const lotor_axis_range lotor_axis_range_none = {1.0, -1.0};

/* True if an axis can show a value: it is not NaN, and not so large or small that differences
 * overflow. On a logarithmic axis it must be positive. */
bool lotor_axis_shows(bool is_log, double value);

/* The range, extended to contain `value` if the axis can show it. */
lotor_axis_range lotor_axis_range_with(lotor_axis_range range, bool is_log, double value);

/* Widens an empty range or a single value, so that the width is not 0. */
lotor_axis_range lotor_axis_range_open(lotor_axis_range range, bool is_log);

/* Extends a linear range to whole steps of its ticks. */
lotor_axis_range lotor_axis_range_to_ticks(lotor_axis_range range, size_t about);

enum { LOTOR_TICKS_MAX = 24 };

typedef struct lotor_ticks {
    double at[LOTOR_TICKS_MAX];
    size_t count;
    bool is_log;        /* ticks at powers of ten, or at 1, 2 and 5 times powers of ten */
    bool is_decades;    /* ticks only at powers of ten */
    bool has_minor;     /* all powers of ten are there: 2 to 9 times them can be minor ticks */
    bool is_scientific; /* written as 2·10⁵ */
    int exponent;       /* the common power of ten (if not is_log) */
    int decimals;
} lotor_ticks;

/* Makes about `about` (at most LOTOR_TICKS_MAX / 2) ticks inside an open range. On a linear axis,
 * steps are 1, 2 or 5 times a power of ten. On a logarithmic axis, ticks are at powers of ten; if
 * these are too few, at 1, 2 and 5 times them; if the range is too small even for that, in linear
 * steps. */
lotor_ticks lotor_ticks_of(lotor_axis_range range, bool is_log, size_t about);

/* Writes a label such as "0.5", "200", "2·10⁵" or "10⁷". */
void lotor_tick_label(lotor_text *text, const lotor_ticks *ticks, double value);

/* Maps a range to the page: its low end is at `from`, its high end at `to`. */
typedef struct lotor_axis_scale {
    lotor_axis_range range;
    bool is_log;
    double from, to;
} lotor_axis_scale;

/* The position of a value on the page; NaN if it has none. Positions far outside are limited. */
double lotor_axis_scale_at(const lotor_axis_scale *scale, double value);

#endif
