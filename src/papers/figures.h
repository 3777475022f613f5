/* figures.h - declares the tables of figures, one per paper. See figure.h for the fields of a
 * row. */
#ifndef LOTOR_PAPERS_FIGURES_H
#define LOTOR_PAPERS_FIGURES_H

#include "papers/figure.h"

/* The number of items of a table. */
#define LOTOR_ITEMS(table) ((size_t)(sizeof(table) / sizeof *(table)))

/* A curve that is named after its algorithm. */
#define LOTOR_CURVE(id)                                                                            \
    {                                                                                              \
        id,                                                                                        \
        {                                                                                          \
            .algorithm = (id)                                                                      \
        }                                                                                          \
    }

/* The same at an epsilon that is part of the name. */
#define LOTOR_CURVE_AT_EPSILON(id, value)                                                          \
    {                                                                                              \
        id ", epsilon " #value,                                                                    \
        {                                                                                          \
            .algorithm = (id), .epsilon = (value)                                                  \
        }                                                                                          \
    }

/* A check that `less` ends below `more`. */
#define LOTOR_BELOW(text, less, more)                                                              \
    {                                                                                              \
        .claim = (text), .kind = LOTOR_CHECK_BELOW, .first = (less), .second = (more)              \
    }

/* The same at every value of the x axis. */
#define LOTOR_BELOW_EVERYWHERE(text, less, more)                                                   \
    {                                                                                              \
        .claim = (text), .kind = LOTOR_CHECK_BELOW_EVERYWHERE, .first = (less), .second = (more)   \
    }

extern const lotor_figure lotor_figures_sajed[];
extern const size_t lotor_figures_sajed_count;
extern const lotor_figure lotor_figures_chandak[];
extern const size_t lotor_figures_chandak_count;
extern const lotor_figure lotor_figures_wang[];
extern const size_t lotor_figures_wang_count;
extern const lotor_figure lotor_figures_chen[];
extern const size_t lotor_figures_chen_count;
extern const lotor_figure lotor_figures_chen_smooth[];
extern const size_t lotor_figures_chen_smooth_count;
extern const lotor_figure lotor_figures_shariff[];
extern const size_t lotor_figures_shariff_count;
extern const lotor_figure lotor_figures_shariff_claim[];
extern const size_t lotor_figures_shariff_claim_count;
extern const lotor_figure lotor_figures_ours[];
extern const size_t lotor_figures_ours_count;

#endif
