/* reproduce.h - a figure played: its points, its verdicts, and both kept as CSV. */
#ifndef LOTOR_PAPERS_REPRODUCE_H
#define LOTOR_PAPERS_REPRODUCE_H

#include "base/chart/chart.h"
#include "lab/audit.h"
#include "papers/figure.h"

#include <lotor/status.h>

/* Arms that are shown together. */
typedef struct lotor_set {
    uint32_t *arms;
    size_t count;
} lotor_set;

/* What an audit found against a claim, if the figure audits. */
typedef struct lotor_claim {
    bool is_known;
    lotor_audit_verdict verdict;
    double epsilon, delta; /* INFINITY: nothing is claimed */
    double found;          /* epsilon is at least this */
} lotor_claim;

typedef struct lotor_series {
    char *label;
    lotor_point *points;
    size_t count;
    double lower_bound; /* times log t, over the rounds; NaN: none */
    lotor_claim claim;
    lotor_set shown; /* what the first run showed most at its end, if the figure lists sets */
} lotor_series;

typedef struct lotor_panel {
    char *label; /* "" where there is one panel only */
    lotor_series *series;
    size_t count;
} lotor_panel;

typedef struct lotor_played {
    const lotor_figure *figure;
    bool is_quick;
    uint64_t seed;
    uint64_t horizon, runs; /* as played */
    double seconds;
    char remark[160]; /* "on a generated look-alike of MovieLens", or "" */
    char data[20];    /* of the user's files: their digest; else "" */
    lotor_panel *panels;
    size_t count;
    /* If the figure lists sets: the one that pays most, and the names of all arms. */
    lotor_set best;
    char **names;
    size_t name_count;
} lotor_played;

typedef struct lotor_reproduction {
    bool is_quick;
    uint64_t seed;
    size_t threads;
    const char *movielens; /* a folder, or NULL: a look-alike is made in `scratch` */
    const char *scratch;   /* a folder that may be written to */
    /* Figures that are complete: what one of them has played, with this scale, seed and data, is taken
     * from there. */
    const struct lotor_played *const *known;
    size_t known_count;
    /* With the share of the figure that is done; true stops. Called from several threads, but by one
     * at a time. */
    bool (*progress)(void *context, double share);
    void *context;
} lotor_reproduction;

/* Plays all trials of a figure. LOTOR_STOPPED when told to stop. Clear *out in any case. */
lotor_status lotor_figure_play(const lotor_figure *figure, const lotor_reproduction *how,
                               lotor_message *why, lotor_played *out);
void lotor_played_clear(lotor_played *played);

/* About how many rounds that is, without those of trials that `before` has too: for the time that is
 * left. */
double lotor_figure_work(const lotor_figure *figure, bool is_quick,
                         const lotor_figure *const *before, size_t before_count);

/* As CSV: lines "# key: value", then "panel,curve,x,mean,stderr". Reading gives the same back (and
 * LOTOR_UNKNOWN where there is no file, LOTOR_INVALID where it is another scale, seed or version of
 * the figure, or damaged: then it is played again). A file is whole or not there: it is written under
 * another name and renamed. */
lotor_status lotor_played_write(const lotor_played *played, const char *file, lotor_message *why);
lotor_status lotor_played_read(const lotor_figure *figure, const lotor_reproduction *how,
                               const char *file, lotor_message *why, lotor_played *out);

/* Whether a file of points says that it is of another scale. */
bool lotor_played_is_of_other_scale(const char *file, bool is_quick);

/* How many arms both sets have. */
size_t lotor_set_overlap(const lotor_set *one, const lotor_set *other);
bool lotor_set_has(const lotor_set *set, uint32_t arm);

/* verdict.c */
typedef enum lotor_verdict {
    LOTOR_VERDICT_HOLDS = 0,
    LOTOR_VERDICT_FAILS = 1,  /* does not hold */
    LOTOR_VERDICT_UNKNOWN = 2 /* cannot be checked */
} lotor_verdict;

typedef struct lotor_finding {
    lotor_verdict verdict;
    char measured[240]; /* what was found, with numbers */
} lotor_finding;

const char *lotor_verdict_name(lotor_verdict verdict); /* "holds", "does not hold", ... */

/* What the points say about one of the figure's checks. */
lotor_finding lotor_check_figure(const lotor_played *played, const lotor_check *check);

/* Of all its checks: fails if one does, else unknown if one is (or there is none). */
lotor_verdict lotor_figure_verdict(const lotor_played *played);

#endif
