/* paper_bounds_setting.c - the bounds for one experiment of a figure, without playing it. */
#include <math.h>

#include "papers/paper_bounds.h"
#include "papers/reproduce_plan.h"

/* Formulas and the optimal policy are not played, and two contexts are a world of our own. MovieLens has
 * rewards that depend on each other, and no theorem is about
 * them: so the data need not be read. */
static bool has_theorems(const lotor_setting *setting)
{
    return !lotor_setting_is_computed(setting) && setting->place != LOTOR_FIGURE_WORLD_MOVIELENS &&
           setting->place != LOTOR_FIGURE_WORLD_CONTEXTS;
}

lotor_status lotor_paper_bounds_of_setting(const lotor_setting *setting, lotor_message *why,
                                           lotor_paper_bounds *out)
{
    *out = (lotor_paper_bounds){.largest_loss = NAN};
    if (!has_theorems(setting)) {
        return LOTOR_OK;
    }
    const lotor_reproduction how = {0}; /* only MovieLens needs more */
    const lotor_simulate_params asked = {.runs = 1, .noise_scale = setting->noise_scale};
    lotor_figure_cell_problem problem = {0};
    lotor_status status = lotor_figure_cell_problem_make(&problem, &how, setting, why);
    if (status == LOTOR_OK) {
        const lotor_experiment trial = lotor_problem_experiment(&problem.setup, &asked);
        status = lotor_paper_bounds_of(&trial, why, out);
    }
    lotor_problem_clear(&problem.setup);
    return status;
}
