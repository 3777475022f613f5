/* paper_bounds.h - what the papers prove about an experiment: lower and upper bounds on its regret.
 *
 *      lotor_paper_bounds bounds;
 *      lotor_status status = lotor_paper_bounds_of(&trial, &why, &bounds);
 *      for (size_t i = 0; status == LOTOR_OK && i < bounds.count; i++) {
 *          const lotor_paper_bound *row = &bounds.rows[i];
 *          if (row->state == LOTOR_PAPER_BOUND_HOLDS) {
 *              draw(row->name, lotor_paper_bound_value(row, t));
 *          }
 *      }
 *      lotor_paper_bounds_clear(&bounds);
 *
 * A list has the bounds that are about the algorithm, or about its kind of problem and privacy. It
 * also has bounds whose conditions this experiment does not meet, and bounds without a number:
 * their `state` and `reason` say so. Draw only those that hold. paper_bounds.md has every theorem,
 * and what was corrected in it.
 */
#ifndef LOTOR_PAPERS_PAPER_BOUNDS_H
#define LOTOR_PAPERS_PAPER_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/stopping.h>

#include "lab/simulate.h"
#include "papers/figure.h"

typedef enum lotor_paper_bound_kind {
    LOTOR_PAPER_BOUND_LOWER = 0,
    LOTOR_PAPER_BOUND_UPPER = 1
} lotor_paper_bound_kind;

/* What is bounded. */
typedef enum lotor_paper_bound_measure {
    LOTOR_PAPER_BOUND_REGRET = 0, /* the expected regret of rounds 1 to t */
    LOTOR_PAPER_BOUND_SAMPLES = 1 /* how many samples a stopping rule reads; the same for every t */
} lotor_paper_bound_measure;

typedef enum lotor_paper_bound_state {
    LOTOR_PAPER_BOUND_HOLDS = 0,         /* all conditions are met here */
    LOTOR_PAPER_BOUND_OUTSIDE = 1,       /* there is a number, but a condition is not met here */
    LOTOR_PAPER_BOUND_WITHOUT_NUMBER = 2 /* there is no number to draw */
} lotor_paper_bound_state;

/* Where the constants come from. */
typedef enum lotor_paper_bound_constant {
    LOTOR_PAPER_CONSTANT_PRINTED = 0,   /* in the theorem or in its proof */
    LOTOR_PAPER_CONSTANT_CORRECTED = 1, /* the printed one is wrong or incomplete; see `remark` */
    LOTOR_PAPER_CONSTANT_OURS = 2,      /* the paper has none; Lotor chose one, see `remark` */
    LOTOR_PAPER_CONSTANT_NONE = 3       /* the paper has none, and so there is no number */
} lotor_paper_bound_constant;

/* One bound. All texts are constants that live as long as the program. */
typedef struct lotor_paper_bound {
    const char *name; /* the paper and the number: "Sajed 2019, Lemma 5.1.2" */
    lotor_paper_bound_kind kind;
    lotor_paper_bound_measure measure;
    lotor_paper_bound_state state;
    lotor_paper_bound_constant constant;
    const char *formula;    /* in plain text */
    const char *range;      /* for which t: "every t >= 1", "as T grows" */
    const char *conditions; /* what the theorem assumes */
    const char *reason;     /* why it does not hold here, or has no number; NULL if it holds */
    const char *remark;     /* what was corrected or chosen; or NULL */
    bool is_asymptotic;   /* holds as T grows: at a finite t the regret may be on the other side */
    uint64_t first, last; /* the rounds t for which it has a value */
    bool is_vacuous;      /* at the horizon, no less than losing most in every round */

    /* For lotor_paper_bound_value. The numbers belong to the list. */
    double (*law)(const double *numbers, size_t count, double t);
    const double *numbers;
    size_t count;
} lotor_paper_bound;

enum { LOTOR_PAPER_BOUNDS_MAX = 6 };

typedef struct lotor_paper_bounds {
    lotor_paper_bound rows[LOTOR_PAPER_BOUNDS_MAX]; /* lower bounds first */
    size_t count;
    double largest_loss; /* the most that a round can lose; NaN if it is not known */
    double *owned[LOTOR_PAPER_BOUNDS_MAX];
} lotor_paper_bounds;

/* The bounds for an experiment. Fails for experiments that lotor_experiment_run refuses, and out of
 * memory. Clear *out in any case. It does not point into the experiment. */
lotor_status lotor_paper_bounds_of(const lotor_experiment *trial, lotor_message *why,
                                   lotor_paper_bounds *out);

/* The same for an experiment of a figure, as lotor_figure_cell_at of reproduce_plan.h gives it. It
 * makes the world, but plays nothing. Formulas and MovieLens have no bounds. */
lotor_status lotor_paper_bounds_of_setting(const lotor_setting *setting, lotor_message *why,
                                           lotor_paper_bounds *out);

/* The bounds on how many samples a stopping rule reads if they have this mean (Sajed 2019, chapter
 * 4). LOTOR_INVALID: lotor_stopping_new refuses the rule, or the mean is 0 or outside [-R, R].
 * Clear *out in any case. */
lotor_status lotor_paper_bounds_of_stopping(const lotor_stopping_params *rule, double mean,
                                            lotor_message *why, lotor_paper_bounds *out);

void lotor_paper_bounds_clear(lotor_paper_bounds *bounds);

/* The bound at t. NaN if it has no number, or t is not from `first` to `last`. */
double lotor_paper_bound_value(const lotor_paper_bound *bound, double t);

/* Writes a line such as "Upper bound 22400 (Sajed 2019, Lemma 5.1.2), for every t from 1 to the
 * horizon". It is cut if there is not enough room. */
enum { LOTOR_PAPER_BOUND_ROOM = 400 };
void lotor_paper_bound_line(const lotor_paper_bound *bound, double t,
                            char text[LOTOR_PAPER_BOUND_ROOM]);

#endif
