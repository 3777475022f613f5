/* scenery.c - see scenery.h. */
#include "lab/scenery.h"

#include <string.h>

bool lotor_scenery_is_recorded(const lotor_world *instance)
{
    return strcmp(instance->id, "replay") == 0 || strcmp(instance->id, "movielens") == 0;
}

lotor_status lotor_scenery_pay(const lotor_world *instance, const char *rewards,
                               double concentration, lotor_message *why, lotor_world **out)
{
    return strcmp(rewards, "beta") == 0
               ? lotor_world_beta(instance->arms, instance->means, concentration, why, out)
               : lotor_world_uniform(instance->arms, instance->means, why, out);
}

lotor_structure lotor_scenery_usual(const lotor_world *instance)
{
    return instance->vectors        ? LOTOR_STRUCTURE_LINEAR
           : instance->is_bipartite ? LOTOR_STRUCTURE_COVERAGE
           : instance->from         ? LOTOR_STRUCTURE_PATH
                                    : LOTOR_STRUCTURE_TOP;
}

bool lotor_scenery_brings(const lotor_world *instance, lotor_structure structure)
{
    switch (structure) {
    case LOTOR_STRUCTURE_LINEAR:
        return instance->vectors != NULL;
    case LOTOR_STRUCTURE_GRAPHIC:
    case LOTOR_STRUCTURE_PATH:
    case LOTOR_STRUCTURE_INFLUENCE:
        return instance->from && !instance->is_bipartite;
    case LOTOR_STRUCTURE_COVERAGE:
        return instance->from && instance->is_bipartite;
    case LOTOR_STRUCTURE_TOP:
    case LOTOR_STRUCTURE_PARTITION:
    case LOTOR_STRUCTURE_CUSTOM:
    case LOTOR_STRUCTURE_OWN:
        break;
    }
    return false;
}

void lotor_scenery_use(const lotor_world *instance, lotor_structure structure,
                       lotor_policy_params *params)
{
    params->structure = structure;
    if (structure == LOTOR_STRUCTURE_LINEAR) {
        params->vectors = instance->vectors;
        params->dimension = instance->dimension;
        return;
    }
    params->from = instance->from;
    params->to = instance->to;
    params->vertices = instance->vertices;
    params->seeds = 1;
    if (structure == LOTOR_STRUCTURE_PATH) {
        params->source = 0;
        params->sink = (uint32_t)(instance->vertices - 1);
    }
}

size_t lotor_scenery_actions(size_t dimension, bool has_gap)
{
    enum { ACTIONS = 20, MOST_ROOT = 1 << 12 };
    return !has_gap ? ACTIONS : dimension <= MOST_ROOT ? dimension * dimension : SIZE_MAX;
}
