/* reproduce_graph.c - the graphs of figures about coverage and influence: see reproduce_plan.h.
 *
 * A setting has m edges (`arms`), K of which are shown together (`slots`). All edges out of a good
 * vertex have mean `high`, all others `low`. The good vertices together have K edges, and showing
 * them is best.
 *
 * Coverage: two vertices on the left are picked. Each has K/2 edges. Those of even vertices lead to
 * the first K/2 vertices on the right, those of odd vertices to the others. Vertices 0 and 1 are
 * good. Two vertices that are both even, or both odd, cover the same, so rewards are not additive:
 *
 *      0 ══╗           ┌── 2        ═ good edges
 *      1 ══╬══▶ right ◀┼── 3
 *          ╚           └── ...
 *
 * Influence: one vertex is picked. It is a hub with K/2 paths of two edges. Hub 0 is good. An edge
 * that is reached with probability p counts p times, so rewards are not additive either:
 *
 *      0 ══▶ a ══▶ b       1 ──▶ c ──▶ d       ...
 */
#include <stdlib.h>

#include "base/message.h"
#include "papers/reproduce_plan.h"

enum { COVERAGE_SEEDS = 2, INFLUENCE_SEEDS = 1 };

bool lotor_setting_has_graph(const lotor_setting *setting)
{
    return setting->place == LOTOR_FIGURE_WORLD_COVERAGE ||
           setting->place == LOTOR_FIGURE_WORLD_INFLUENCE;
}

static size_t seeds_of(const lotor_setting *setting)
{
    return setting->place == LOTOR_FIGURE_WORLD_COVERAGE ? COVERAGE_SEEDS : INFLUENCE_SEEDS;
}

/* How many edges belong to a vertex that can be picked: a left vertex, or a hub. */
static size_t edges_each(const lotor_setting *setting)
{
    return setting->slots / seeds_of(setting);
}

/* How many vertices can be picked with gain: left vertices, or hubs. */
static size_t starts_of(const lotor_setting *setting)
{
    return setting->arms / edges_each(setting);
}

static void lay_coverage(const lotor_setting *setting, uint32_t *from, uint32_t *to)
{
    const size_t each = edges_each(setting);
    for (size_t i = 0; i < setting->arms; i++) {
        const size_t left = i / each;
        from[i] = (uint32_t)left;
        to[i] = (uint32_t)(left % COVERAGE_SEEDS * each + i % each);
    }
}

/* The first half of a hub's edges leave the hub, the second half goes on. */
static void lay_influence(const lotor_setting *setting, uint32_t *from, uint32_t *to)
{
    const size_t each = edges_each(setting), hubs = starts_of(setting);
    for (size_t i = 0; i < setting->arms; i++) {
        const size_t hub = i / each, edge = i % each, paths = each / 2;
        const size_t head = hubs + i; /* every edge leads to a vertex of its own */
        from[i] = (uint32_t)(edge < paths ? hub : head - paths);
        to[i] = (uint32_t)head;
    }
}

lotor_status lotor_figure_graph(const lotor_setting *setting, lotor_message *why, double **means,
                                uint32_t **ends)
{
    *means = NULL;
    *ends = NULL;
    if (setting->slots == 0 || setting->slots % 2 != 0 ||
        setting->arms % edges_each(setting) != 0 || setting->arms < setting->slots) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%zu edges do not make vertices that show %zu edges together",
                          setting->arms, setting->slots);
    }
    *means = calloc(setting->arms, sizeof **means);
    *ends = calloc(setting->arms, 2 * sizeof **ends);
    if (!*means || !*ends) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %zu edges", setting->arms);
    }
    for (size_t i = 0; i < setting->arms; i++) {
        (*means)[i] = i < setting->slots ? setting->high : setting->low;
    }
    if (setting->place == LOTOR_FIGURE_WORLD_COVERAGE) {
        lay_coverage(setting, *ends, *ends + setting->arms);
    } else {
        lay_influence(setting, *ends, *ends + setting->arms);
    }
    return LOTOR_OK;
}

void lotor_figure_graph_use(const lotor_setting *setting, const uint32_t *ends,
                            lotor_policy_params *out)
{
    const bool is_coverage = setting->place == LOTOR_FIGURE_WORLD_COVERAGE;
    out->structure = is_coverage ? LOTOR_STRUCTURE_COVERAGE : LOTOR_STRUCTURE_INFLUENCE;
    out->slots = 0; /* follows from the graph */
    out->seeds = seeds_of(setting);
    out->from = ends;
    out->to = ends + setting->arms;
    out->vertices = starts_of(setting) + (is_coverage ? 0 : setting->arms);
}
