/* figure.h - the papers' experiments as data: what is played, what is drawn, what is claimed.
 *
 * A new figure is a new row in one of figures_*.c. A row says for each curve which algorithm is played
 * where; either the regret is drawn over the rounds, or one number of each trial over a setting that
 * is varied. Checks compare curves and give the verdict.
 */
#ifndef LOTOR_PAPERS_FIGURE_H
#define LOTOR_PAPERS_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a trial is played. */
typedef enum lotor_place {
    LOTOR_PLACE_INSTANCE = 0, /* lotor_world_instance(instance, arms) */
    LOTOR_PLACE_TWO_VALUED,   /* `slots` arms of mean `high`, the others of mean `low` */
    LOTOR_PLACE_MOVIELENS,    /* the user's copy, or a generated look-alike */
    LOTOR_PLACE_LINEAR,       /* contexts: the ball, or with a gap the authors' arms */
    LOTOR_PLACE_FORMULA       /* nothing is played: an attacker's least failure rate at epsilon */
} lotor_place;

/* A trial's settings; 0 takes the figure's, and there the library's default. */
typedef struct lotor_setting {
    const char *algorithm;
    double epsilon; /* INFINITY: no noise */
    double delta;
    double beta; /* 0: 1/T; linear: alpha, 0: 1/(2T) as the authors have it */
    double noise_scale;
    lotor_place place;
    const char *instance;
    size_t arms, slots;
    bool cascade; /* answers are clicks, for the algorithms that play any problem */
    double high, low;
    size_t dimension;
    bool has_gap;
    double gap;
    double regularizer;
    uint64_t horizon, runs;
} lotor_setting;

/* What is drawn on the x axis. */
typedef enum lotor_axis {
    LOTOR_AXIS_ROUND = 0,   /* a curve is one trial, and its checkpoints are the points */
    LOTOR_AXIS_EPSILON,     /* else: a point is a trial with this field set to the value */
    LOTOR_AXIS_PER_EPSILON, /* 1/epsilon is the value */
    LOTOR_AXIS_ARMS,
    LOTOR_AXIS_SLOTS,
    LOTOR_AXIS_DIMENSION, /* with a gap: dimension^2 arms, as the authors have it */
    LOTOR_AXIS_GAP,
    LOTOR_AXIS_REGULARIZER
} lotor_axis;

/* What is drawn on the y axis. */
typedef enum lotor_measure {
    LOTOR_MEASURE_REGRET = 0,
    LOTOR_MEASURE_RETURN,         /* expected return per round, averaged over the rounds so far */
    LOTOR_MEASURE_REGRET_PER_LOG, /* regret / log n */
    LOTOR_MEASURE_PROBABILITY     /* of the formula */
} lotor_measure;

typedef struct lotor_curve_plan {
    const char *label;
    lotor_setting setting; /* what differs from the figure's */
} lotor_curve_plan;

/* A claim that can be computed from the curves. Every kind compares means with their standard errors:
 * it holds, does not hold, or can't be checked (too noisy, or not enough points). */
typedef enum lotor_check_kind {
    LOTOR_CHECK_TIMES_BETTER, /* at the end, `first` times factor <= `second` */
    LOTOR_CHECK_BELOW,        /* at the end, `first` < `second` */
    LOTOR_CHECK_CLOSE, /* at the end, `first` <= factor * `second` (and the other way round) */
    LOTOR_CHECK_FAR,   /* at the end, `first` >= factor * `second` */
    LOTOR_CHECK_SLOPE, /* the log-log slope of `first` over x lies in [low, high]; -INFINITY: any */
    LOTOR_CHECK_RISES, /* `first` at the largest x > at the smallest */
    LOTOR_CHECK_FALLS,
    LOTOR_CHECK_LEVELS, /* `first`: the last doubling of x moves it by at most the share `factor` */
    LOTOR_CHECK_WIDENS, /* second/first at the largest x > at the smallest */
    LOTOR_CHECK_LINEAR, /* first over x is a straight line: R^2 at least factor */
    LOTOR_CHECK_NEVER_ABOVE, /* at every x, `first` times factor <= `second` */
    LOTOR_CHECK_AUDIT, /* the audit breaks `first`'s claim if, and only if, it is a known leak */
    LOTOR_CHECK_SHOWS  /* the set that `first` ends with has at least `factor` arms of the best */
} lotor_check_kind;

typedef struct lotor_check {
    const char *claim; /* in our own words */
    lotor_check_kind kind;
    const char *first, *second; /* labels; NULL first: of every curve */
    double factor, low, high;
    size_t panel;      /* in which panel */
    bool needs_length; /* with fewer rounds than the paper's it says something else */
} lotor_check;

typedef struct lotor_panel_plan {
    const char *label; /* "honest noise", "the paper's noise x 0.01" */
    double noise_scale;
} lotor_panel_plan;

typedef struct lotor_figure {
    const char *id;    /* "sajed-6.1" */
    const char *paper; /* "Sajed 2019" */
    const char *where; /* "Figure 6.1" */
    const char *title;
    const char *claim;                  /* the paper's, in our own words */
    const char *note;                   /* what is different here, and why; or NULL */
    lotor_setting base;                 /* at the paper's scale */
    uint64_t quick_horizon, quick_runs; /* at the quick scale */
    lotor_axis axis;
    const double *values; /* of the axis, increasing; unless it is the rounds */
    size_t value_count;
    size_t quick_stride;        /* every so many-th value is taken at the quick scale; 0: all */
    const double *quick_values; /* or these in their place; NULL: none */
    size_t quick_value_count;
    lotor_measure measure;
    bool log_x, log_y;
    /* Over a setting: each trial notes its rounds as those of figures over the rounds do. Where it
     * notes them changes how its randomness is drawn, so only then is it the same trial as theirs. */
    bool notes_rounds;
    bool audits;     /* each curve's algorithm, at its epsilon; the page has a table of it */
    bool lists_sets; /* which arms each curve ends with, beside those that pay most */
    const lotor_curve_plan *curves;
    size_t curve_count;
    const lotor_panel_plan *panels; /* NULL: one, as it is */
    size_t panel_count;
    const lotor_check *checks;
    size_t check_count;
} lotor_figure;

/* All of them, in the order of the papers; figures.c. */
const lotor_figure *lotor_figure_at(size_t number); /* NULL past the end */
const lotor_figure *lotor_figure_find(const char *id);

#endif
