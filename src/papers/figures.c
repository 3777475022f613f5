/* figures.c - the list of all figures, in the order of the papers.
 *
 * Times on 2 cores, estimated from the speeds in tests/test_figures.c:
 *
 *                  quick    paper
 *      sajed         9 s    11 min    6.0e10 rounds of dp-ucb, each experiment once; eliminations
 *                                     play whole batches at a time
 *      chandak       3 s     1 min
 *      wang          6 s     2 min
 *      chen          4 s     7 min    4.8e8 rounds of cucb-dp
 *                    2 s    30 s      on coverage and influence
 *      shariff       3 s    25 min    one core is idle for experiments with a single run
 */
#include <string.h>

#include "papers/figures.h"

typedef struct figure_table {
    const lotor_figure *figures;
    const size_t *count;
} figure_table;

static const figure_table tables[] = {
    {lotor_figures_sajed, &lotor_figures_sajed_count},
    {lotor_figures_chandak, &lotor_figures_chandak_count},
    {lotor_figures_wang, &lotor_figures_wang_count},
    {lotor_figures_chen, &lotor_figures_chen_count},
    {lotor_figures_chen_smooth, &lotor_figures_chen_smooth_count},
    {lotor_figures_shariff, &lotor_figures_shariff_count},
    {lotor_figures_shariff_claim, &lotor_figures_shariff_claim_count},
    {lotor_figures_ours, &lotor_figures_ours_count},
};

const lotor_figure *lotor_figure_at(size_t number)
{
    for (size_t i = 0; i < LOTOR_ITEMS(tables); i++) {
        if (number < *tables[i].count) {
            return &tables[i].figures[number];
        }
        number -= *tables[i].count;
    }
    return NULL;
}

const lotor_figure *lotor_figure_find(const char *id)
{
    const lotor_figure *figure = NULL;
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        if (strcmp(figure->id, id) == 0) {
            return figure;
        }
    }
    return NULL;
}
