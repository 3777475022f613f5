/* algorithm.c - the public functions that describe the algorithms of the catalog:
 * lotor/algorithm.h. */
#include <lotor/algorithm.h>

#include "base/message.h"
#include "policy/catalog.h"

lotor_algorithm_info lotor_algorithm_facts(const lotor_algorithm *row)
{
    const lotor_promise promise = lotor_algorithm_promise(row);
    return (lotor_algorithm_info){
        .id = row->id,
        .summary = row->summary,
        .problem = lotor_problem_name(row->problem),
        .paper = row->paper,
        .model = promise.model,
        .is_private = !promise.reason,
        .not_private = promise.reason,
        .theorem = promise.reason ? NULL : row->theorem,
        .regret = row->regret,
        .delta = row->delta,
        .needs_horizon = row->needs_horizon,
        .is_simulation_only = row->is_simulation_only,
        .strength = row->strength,
        .feedback = row->feedback,
        .list_feedback = row->on_lists,
        .uses_beta = lotor_algorithm_uses_beta(row),
        .uses_caution = row->imed != NULL,
        .uses_window = row->imed && !row->imed->is_local,
        .uses_clip = row->problem == LOTOR_PROBLEM_SEMIBANDIT || /* the papers on sets and lists */
                     row->problem == LOTOR_PROBLEM_CASCADE,
    };
}

size_t lotor_algorithm_count(void)
{
    return lotor_algorithms_size;
}

lotor_status lotor_algorithm_at(size_t place, lotor_message *why, lotor_algorithm_info *out)
{
    if (place >= lotor_algorithms_size) {
        return lotor_fail(LOTOR_UNKNOWN, why,
                          "there is no algorithm in place %zu: there are %zu, counted from 0",
                          place, lotor_algorithms_size);
    }
    *out = lotor_algorithm_facts(&lotor_algorithms[place]);
    return LOTOR_OK;
}

lotor_status lotor_algorithm_find(const char *id, lotor_message *why, lotor_algorithm_info *out)
{
    const lotor_algorithm *row = lotor_algorithms_find(id);
    if (!row) {
        return lotor_algorithms_refuse(id, why);
    }
    *out = lotor_algorithm_facts(row);
    return LOTOR_OK;
}
