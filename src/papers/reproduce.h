/* reproduce.h - plays a figure, and stores the points as CSV. verdict.h judges its claims. */
#ifndef LOTOR_PAPERS_REPRODUCE_H
#define LOTOR_PAPERS_REPRODUCE_H

#include "base/chart/chart.h"
#include "lab/audit.h"
#include "papers/figure.h"

#include <lotor/status.h>

/* Arms that are shown together. */
typedef struct lotor_arm_set {
    uint32_t *arms;
    size_t count;
} lotor_arm_set;

/* The result of an audit, if the figure has audits. */
typedef struct lotor_claim_audit {
    bool is_known;
    lotor_audit_verdict verdict;
    double epsilon, delta; /* INFINITY: nothing is claimed */
    double found;          /* epsilon is at least this */
} lotor_claim_audit;

typedef struct lotor_series {
    char *label;
    lotor_curve_point *points;
    size_t count;
    uint64_t runs;      /* 0: as many as the figure */
    double lower_bound; /* times log t, for figures over the rounds; NaN: none */
    lotor_claim_audit claim;
    lotor_arm_set shown; /* the favourite of the first run, if the figure lists sets */
} lotor_series;

typedef struct lotor_panel {
    char *label; /* "" if there is only one panel */
    lotor_series *series;
    size_t count;
} lotor_panel;

typedef struct lotor_figure_result {
    const lotor_figure *figure;
    bool is_quick;
    uint64_t seed;
    uint64_t horizon, runs; /* as played */
    double seconds;
    char remark[160];     /* "on a generated look-alike of MovieLens", or "" */
    char data[20];        /* hash of the user's files; else "" */
    bool is_illustration; /* played on a look-alike of the paper's data */
    lotor_panel *panels;
    size_t count;
    /* If the figure lists sets: the best set, and the names of all arms. */
    lotor_arm_set best;
    char **names;
    size_t name_count;
} lotor_figure_result;

typedef struct lotor_reproduction {
    bool is_quick;
    uint64_t seed;
    size_t threads;
    const char *movielens; /* a folder; NULL: a look-alike is made in `scratch` */
    const char *scratch;   /* a writable folder */
    /* Complete figures of the same scale, seed and data: equal experiments are copied from them. */
    const struct lotor_figure_result *const *known;
    size_t known_count;
    /* Gets the finished share of the figure; return true to stop. Called from several threads, but
     * never by two at once. */
    bool (*progress)(void *context, double share);
    void *context;
} lotor_reproduction;

/* Plays all experiments of a figure. LOTOR_STOPPED: `progress` returned true. Clear *out in any
 * case. */
lotor_status lotor_figure_play(const lotor_figure *figure, const lotor_reproduction *how,
                               lotor_message *why, lotor_figure_result *out);
void lotor_figure_result_clear(lotor_figure_result *played);

/* The approximate number of rounds, without experiments that figures in `before` also have. It is
 * used to estimate the remaining time. */
double lotor_figure_work(const lotor_figure *figure, bool is_quick,
                         const lotor_figure *const *before, size_t before_count);

/* Writes and reads the points as CSV: lines "# key: value", then "panel,curve,x,mean,stderr".
 * Reading gives back what was written. LOTOR_UNKNOWN: there is no file. LOTOR_INVALID: the file has
 * another scale, seed or version of the figure, or is damaged; then the figure must be played
 * again. A file is first written under another name and then renamed, so it is never incomplete. */
lotor_status lotor_figure_result_write(const lotor_figure_result *played, const char *file,
                                       lotor_message *why);
lotor_status lotor_figure_result_read(const lotor_figure *figure, const lotor_reproduction *how,
                                      const char *file, lotor_message *why,
                                      lotor_figure_result *out);

/* True if the header of a file of points names another scale. */
bool lotor_figure_result_is_of_other_scale(const char *file, bool is_quick);

/* The number of arms that both sets contain. */
size_t lotor_set_overlap(const lotor_arm_set *one, const lotor_arm_set *other);
bool lotor_set_has(const lotor_arm_set *set, uint32_t arm);

#endif
