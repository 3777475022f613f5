/* paper_bounds_rows.h - how the files paper_bounds_*.c build a list of bounds. */
#ifndef LOTOR_PAPERS_PAPER_BOUNDS_ROWS_H
#define LOTOR_PAPERS_PAPER_BOUNDS_ROWS_H

#include "papers/paper_bounds.h"
#include "policy/catalog.h"

/* The facts about an experiment that the theorems need. */
typedef struct lotor_bound_facts {
    const lotor_experiment *trial;
    const lotor_algorithm *algorithm;
    lotor_policy_params policy; /* with defaults filled in, without arrays */
    double *sorted;             /* the means of the arms, decreasing; NULL in linear worlds */
    size_t arms, slots;
    double claimed; /* epsilon of the guarantee; INFINITY without noise */
    double epsilon; /* what the noise and the widths are made with: divided by the noise scale */
    double delta, beta, horizon;
    bool is_scaled;      /* the noise scale is not 1 */
    bool is_list;        /* the feedback is a click */
    bool is_top;         /* any `slots` arms may be shown together */
    const char *unusual; /* why no upper bound covers this experiment: late feedback; or NULL */
} lotor_bound_facts;

/* Adds a row and `count` numbers that the caller fills in; NULL: out of memory. */
double *lotor_paper_bounds_add(lotor_paper_bounds *list, const lotor_paper_bound *row,
                               size_t count);

/* The row that was added last. */
lotor_paper_bound *lotor_paper_bounds_last(lotor_paper_bounds *list);

/* Says that a condition is not met, unless `reason` is NULL or another reason was given before. */
void lotor_paper_bound_refuse(lotor_paper_bound *row, const char *reason);

/* Says that there is no number. */
void lotor_paper_bound_empty(lotor_paper_bound *row, const char *reason);

/* numbers[0] log t + numbers[1]. */
double lotor_bound_law_log(const double *numbers, size_t count, double t);

/* The least gap between a best set of any `slots` arms and a set that is not best; 0 if all sets
 * are best. */
double lotor_bound_least_gap(const lotor_bound_facts *facts);

/* True if the best list is unique: no other item is as good as its last one. */
bool lotor_bound_has_unique_best(const lotor_bound_facts *facts);

/* paper_bounds_lower.c, paper_bounds_upper.c and paper_bounds_linear.c: the bounds of one kind. */
lotor_status lotor_paper_bounds_add_lower(lotor_paper_bounds *list, const lotor_bound_facts *facts,
                                          lotor_message *why);
lotor_status lotor_paper_bounds_add_upper(lotor_paper_bounds *list, const lotor_bound_facts *facts,
                                          lotor_message *why);
lotor_status lotor_paper_bounds_add_linear(lotor_paper_bounds *list, const lotor_bound_facts *facts,
                                           lotor_message *why);

#endif
