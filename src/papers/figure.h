/* figure.h - the papers' experiments as data: what is played, drawn and claimed.
 *
 * To add a figure, add a row to one of figures_*.c. A row says which algorithm each curve plays,
 * and in which world. A figure shows either the regret over the rounds, or one number per
 * experiment over a setting that varies. Checks compare curves and give the verdict.
 */
#ifndef LOTOR_PAPERS_FIGURE_H
#define LOTOR_PAPERS_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The world of an experiment. */
typedef enum lotor_figure_world {
    LOTOR_FIGURE_WORLD_INSTANCE = 0, /* lotor_world_instance(instance, arms) */
    LOTOR_FIGURE_WORLD_TWO_VALUED,   /* `slots` arms of mean `high`, the others of mean `low` */
    LOTOR_FIGURE_WORLD_MOVIELENS,    /* the user's copy, or a generated look-alike */
    LOTOR_FIGURE_WORLD_LINEAR,  /* contexts: in the ball, or with a gap as in the authors' code */
    LOTOR_FIGURE_WORLD_FORMULA, /* no play: the smallest failure rate of an attacker at epsilon */
    /* Here and below: `arms` edges of a graph; the `slots` edges of the best set have mean `high`,
     * and the others `low`. See reproduce_graph.c. */
    LOTOR_FIGURE_WORLD_COVERAGE,
    LOTOR_FIGURE_WORLD_INFLUENCE,
    LOTOR_FIGURE_WORLD_CONTEXTS /* two contexts with opposite best arms: lab/contexts.c */
} lotor_figure_world;

/* The settings of an experiment. 0 in a curve means the figure's value; 0 in the figure means the
 * library's default. */
typedef struct lotor_setting {
    const char *algorithm; /* or "optimal": the best set in every round, computed and not played */
    double epsilon;        /* INFINITY: no noise */
    double delta;
    double beta; /* 0: 1/T; linear: alpha, 0: 1/(2T) as in the authors' code */
    double noise_scale;
    lotor_figure_world place;
    const char *instance;
    size_t arms, slots;
    bool cascade; /* feedback is clicks, for algorithms that play any problem */
    double high, low;
    size_t dimension;
    bool has_gap;
    double gap;
    double regularizer;
    uint64_t horizon, runs;
} lotor_setting;

/* The x axis. */
typedef enum lotor_figure_axis {
    LOTOR_AXIS_ROUND = 0,   /* a curve is one experiment; its checkpoints are the points */
    LOTOR_AXIS_EPSILON,     /* here and below: a point is an experiment with this field set to x */
    LOTOR_AXIS_PER_EPSILON, /* x is 1/epsilon */
    LOTOR_AXIS_ARMS,
    LOTOR_AXIS_SLOTS,
    LOTOR_AXIS_DIMENSION, /* with a gap: dimension^2 arms, as in the authors' code */
    LOTOR_AXIS_GAP,
    LOTOR_AXIS_REGULARIZER,
    LOTOR_AXIS_SETTING /* x is the number of one of the figure's `settings`, from 1 */
} lotor_figure_axis;

/* The y axis. */
typedef enum lotor_figure_measure {
    LOTOR_MEASURE_REGRET = 0,
    LOTOR_MEASURE_RETURN,         /* expected return per round, averaged over the rounds so far */
    LOTOR_MEASURE_REGRET_PER_LOG, /* regret / log n */
    LOTOR_MEASURE_PROBABILITY     /* for LOTOR_FIGURE_WORLD_FORMULA */
} lotor_figure_measure;

typedef struct lotor_curve_plan {
    const char *label;
    lotor_setting setting; /* the differences from the figure's settings */
} lotor_curve_plan;

/* A claim that can be checked on the curves, on each panel of the figure. verdict.h says how it is
 * judged. */
typedef enum lotor_figure_check_kind {
    LOTOR_CHECK_TIMES_BETTER, /* at the end, `first` times factor <= `second` */
    LOTOR_CHECK_BELOW,        /* at the end, `first` < `second` */
    LOTOR_CHECK_CLOSE, /* at the end, `first` <= factor * `second` (and the other way round) */
    LOTOR_CHECK_FAR,   /* at the end, `first` >= factor * `second` */
    LOTOR_CHECK_SLOPE, /* the log-log slope of `first` over x lies in [low, high]; -INFINITY: any */
    LOTOR_CHECK_RISES, /* `first` is larger at the largest x than at the smallest */
    LOTOR_CHECK_FALLS,
    LOTOR_CHECK_LEVELS,      /* `first` changes by at most the share `factor` when x doubles last */
    LOTOR_CHECK_WIDENS,      /* second/first is larger at the largest x than at the smallest */
    LOTOR_CHECK_LINEAR,      /* `first` over x is a straight line: R^2 is at least factor */
    LOTOR_CHECK_LOGARITHM,   /* `first` grows like log t rather than like t */
    LOTOR_CHECK_NEVER_ABOVE, /* at every x, `first` times factor <= `second` */
    LOTOR_CHECK_BELOW_EVERYWHERE, /* at every x, `first` < `second` */
    LOTOR_CHECK_MOSTLY_BELOW,     /* at more than half of all x, `first` < `second` */
    LOTOR_CHECK_FINISHES, /* `first` stops growing after a share of the time of `second`, which lies
                           * in [low, high] */
    LOTOR_CHECK_AUDIT,    /* the audit refutes the claim of `first` exactly if it is a known leak */
    LOTOR_CHECK_SHOWS     /* the last set of `first` has at least `factor` arms of the best set */
} lotor_figure_check_kind;

typedef struct lotor_figure_check {
    const char *claim; /* in our own words */
    lotor_figure_check_kind kind;
    const char *first, *second; /* labels; first = NULL: check every curve */
    double factor, low, high;
} lotor_figure_check;

/* True if a kind of check compares `first` with `second`. */
bool lotor_check_needs_second(lotor_figure_check_kind kind);

typedef struct lotor_panel_plan {
    const char *label; /* "the paper's setting: noise × 0.01", "with the noise that ..." */
    double noise_scale;
} lotor_panel_plan;

typedef struct lotor_figure {
    const char *id;    /* "sajed-6.1" */
    const char *paper; /* "Sajed 2019" */
    const char *where; /* "Figure 6.1" */
    const char *title;
    const char *claim;                  /* the paper's claim, in our own words */
    const char *note;                   /* what is different here, and why; or NULL */
    lotor_setting base;                 /* at the paper's scale */
    uint64_t quick_horizon, quick_runs; /* at the quick scale */
    lotor_figure_axis axis;
    const double *values; /* of the x axis, increasing; unused if the axis is the rounds */
    size_t value_count;
    const lotor_setting *settings; /* for LOTOR_AXIS_SETTING: one for each value 1, 2, 3, ... */
    size_t quick_stride;           /* the quick scale takes every n-th value; 0: all values */
    const double *quick_values;    /* values for the quick scale instead; NULL: none */
    size_t quick_value_count;
    lotor_figure_measure measure;
    bool log_x, log_y;
    /* For figures over a setting: each experiment records the same checkpoints as in figures over
     * the rounds. The checkpoints affect how random numbers are drawn. So only then is the
     * experiment the same. */
    bool notes_rounds;
    bool audits;     /* audit each curve's algorithm at its epsilon; the page shows a table */
    bool lists_sets; /* show the last set of each curve, and the best set */
    const lotor_curve_plan *curves;
    size_t curve_count;
    const lotor_panel_plan *panels; /* the first is the paper's own setting; NULL: one panel */
    size_t panel_count;
    const lotor_figure_check *checks;
    size_t check_count;
} lotor_figure;

/* All figures, in the order of the papers. */
const lotor_figure *lotor_figure_at(size_t number); /* NULL past the end */
const lotor_figure *lotor_figure_find(const char *id);

#endif
