/* algorithm.c - the public functions that describe the algorithms of the catalog:
 * lotor/algorithm.h. */
#include <lotor/algorithm.h>

#include "base/message.h"
#include "policy/catalog.h"

static lotor_algorithm_info facts_of(const lotor_algorithm *row)
{
    return (lotor_algorithm_info){
        .id = row->id,
        .summary = row->summary,
        .problem = lotor_problem_name(row->problem),
        .paper = row->paper,
        .model = row->model,
        .is_private = lotor_algorithm_is_private(row),
        .not_private = row->not_private,
        .theorem = row->theorem,
        .regret = row->regret,
        .delta = row->delta,
        .needs_horizon = row->needs_horizon,
        .is_simulation_only = row->is_simulation_only,
        .strength = row->strength,
        .feedback = row->feedback,
        .list_feedback = row->on_lists,
        .uses_beta = lotor_algorithm_uses_beta(row),
        .uses_clip = row->problem == LOTOR_PROBLEM_SEMIBANDIT || /* the papers on sets and lists */
                     row->problem == LOTOR_PROBLEM_CASCADE,
    };
}

size_t lotor_algorithm_count(void)
{
    return lotor_catalog_size;
}

lotor_status lotor_algorithm_at(size_t place, lotor_message *why, lotor_algorithm_info *out)
{
    if (place >= lotor_catalog_size) {
        return lotor_fail(LOTOR_UNKNOWN, why,
                          "there is no algorithm in place %zu: there are %zu, counted from 0",
                          place, lotor_catalog_size);
    }
    *out = facts_of(&lotor_catalog[place]);
    return LOTOR_OK;
}

lotor_status lotor_algorithm_find(const char *id, lotor_message *why, lotor_algorithm_info *out)
{
    const lotor_algorithm *row = lotor_catalog_find(id);
    if (!row) {
        return lotor_catalog_refuse(id, why);
    }
    *out = facts_of(row);
    return LOTOR_OK;
}
