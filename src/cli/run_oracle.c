/* run_oracle.c - which arms may be shown together, from --oracle and --slots.
 *
 *      top                     any --slots of them (also called best, for one)
 *      linear                  independent vectors, which the instance brings along
 *      partition:0,0,1,1       each arm's group: one of each
 *      graphic:0-1,1-2,0-2     each arm's two ends: no cycles
 *
 * and on the graph that the instance brings along:
 *
 *      spanning-tree           no cycles
 *      shortest-path[:0-24]    the cheapest way between two vertices (the first and the last)
 *      coverage                all edges of --slots vertices on the left
 *      influence               what --slots vertices can reach
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "cli/run.h"
#include "lab/scenery.h"

/* Reads a number up to one of `ends` (or the end of the text) and moves past it. */
static bool read_number(const char **at, const char *ends, uint32_t most, uint32_t *out)
{
    const size_t length = strcspn(*at, ends);
    lotor_message unused;
    uint64_t value = 0;
    if (length == 0 || strspn(*at, "0123456789") < length ||
        lotor_parse_whole(*at, length, &unused, &value) != LOTOR_OK || value > most) {
        return false;
    }
    *out = (uint32_t)value;
    *at += length;
    return true;
}

static lotor_status bad_arrays(const char *text, const char *form, uint32_t most, size_t arms,
                               lotor_message *why)
{
    return lotor_fail(LOTOR_INVALID, why,
                      "--oracle %s: expected %s for each of the %zu arms, numbered from 0 to at "
                      "most %lu",
                      lotor_quote_text(text).text, form, arms, (unsigned long)most);
}

static lotor_status read_partition(lotor_run_plan *plan, const char *text, lotor_message *why)
{
    const size_t arms = plan->world->arms;
    const uint32_t most = (uint32_t)(arms - 1);
    const char *at = strchr(text, ':') + 1;
    uint32_t *group = plan->arrays, *capacity = plan->arrays + arms;
    size_t groups = 0;
    for (size_t i = 0; i < arms; i++) {
        if (!read_number(&at, ",", most, &group[i]) || *at != (i + 1 < arms ? ',' : '\0')) {
            return bad_arrays(text, "a group", most, arms, why);
        }
        at++;
        groups = group[i] + (size_t)1 > groups ? group[i] + (size_t)1 : groups;
    }
    for (size_t i = 0; i < groups; i++) {
        capacity[i] = 1;
    }
    plan->params.structure = LOTOR_STRUCTURE_PARTITION;
    plan->params.group = group;
    plan->params.capacity = capacity;
    plan->params.groups = groups;
    return LOTOR_OK;
}

static lotor_status read_graph(lotor_run_plan *plan, const char *text, lotor_message *why)
{
    const size_t arms = plan->world->arms;
    const uint32_t most = (uint32_t)(2 * arms - 1);
    const char *at = strchr(text, ':') + 1;
    uint32_t *from = plan->arrays, *to = plan->arrays + arms;
    size_t vertices = 0;
    for (size_t i = 0; i < arms; i++) {
        bool fine = read_number(&at, "-", most, &from[i]) && *at == '-';
        if (fine) {
            at++;
            fine = read_number(&at, ",", most, &to[i]) && *at == (i + 1 < arms ? ',' : '\0');
        }
        if (!fine) {
            return bad_arrays(text, "an edge A-B", most, arms, why);
        }
        at++;
        const size_t larger = from[i] > to[i] ? from[i] : to[i];
        vertices = larger + 1 > vertices ? larger + 1 : vertices;
    }
    plan->params.structure = LOTOR_STRUCTURE_GRAPHIC;
    plan->params.from = from;
    plan->params.to = to;
    plan->params.vertices = vertices;
    return LOTOR_OK;
}

static lotor_status use_top(lotor_run_plan *plan, lotor_message *why)
{
    const lotor_value *slots = &plan->values[LOTOR_RUN_SLOTS];
    if (slots->given && (slots->whole < 1 || slots->whole > plan->world->arms)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--slots %s: from 1 to %zu arms can be shown at once, as there are %zu",
                          lotor_quote_text(slots->text).text, plan->world->arms, plan->world->arms);
    }
    plan->params.structure = LOTOR_STRUCTURE_TOP;
    plan->params.slots = slots->given ? (size_t)slots->whole : 1;
    return LOTOR_OK;
}

static lotor_status use_vectors(lotor_run_plan *plan, lotor_message *why)
{
    if (!lotor_scenery_brings(plan->instance, LOTOR_STRUCTURE_LINEAR)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--oracle linear needs vectors: --instance table-6.1 and movielens:DIR "
                          "bring theirs along");
    }
    lotor_scenery_use(plan->instance, LOTOR_STRUCTURE_LINEAR, &plan->params);
    return LOTOR_OK;
}

static const struct {
    const char *name;
    lotor_structure structure;
    bool bipartite;
    bool picks; /* vertices */
} graphs[] = {
    {"spanning-tree", LOTOR_STRUCTURE_GRAPHIC, false, false},
    {"shortest-path", LOTOR_STRUCTURE_PATH, false, false},
    {"influence", LOTOR_STRUCTURE_INFLUENCE, false, true},
    {"coverage", LOTOR_STRUCTURE_COVERAGE, true, true},
};

static const char *const names[] = {"top",           "partition", "graphic",   "linear", "custom",
                                    "shortest-path", "coverage",  "influence", "own"};

const char *lotor_run_oracle_name(const lotor_run_plan *plan)
{
    const lotor_structure structure = plan->params.structure;
    const bool own_graph = plan->instance->from && plan->params.from == plan->instance->from;
    return structure == LOTOR_STRUCTURE_GRAPHIC && own_graph ? "spanning-tree" : names[structure];
}

/* The ends of a path, if there is text behind "shortest-path". */
static lotor_status read_ends(lotor_run_plan *plan, const char *text, lotor_message *why)
{
    static const char name[] = "shortest-path";
    const uint32_t last = (uint32_t)(plan->params.vertices - 1);
    if (*text == '\0') {
        return LOTOR_OK;
    }
    const char *at = text + 1;
    bool fine = read_number(&at, "-", last, &plan->params.source) && *at == '-';
    if (fine) {
        at++;
        fine = read_number(&at, "", last, &plan->params.sink);
    }
    return fine ? LOTOR_OK
                : lotor_fail(LOTOR_INVALID, why,
                             "--oracle %s: expected %s, or %s:FROM-TO with vertices from 0 to %lu",
                             lotor_quote_text(plan->values[LOTOR_RUN_ORACLE].text).text, name, name,
                             (unsigned long)last);
}

/* A structure on the instance's own graph. */
static lotor_status use_graph(lotor_run_plan *plan, size_t which, const char *rest,
                              lotor_message *why)
{
    const lotor_world *instance = plan->instance;
    if (!lotor_scenery_brings(instance, graphs[which].structure)) {
        return lotor_fail(LOTOR_INVALID, why, "--oracle %s needs a graph: --instance %s",
                          graphs[which].name,
                          graphs[which].bipartite ? "coverage:FILE brings one along"
                                                  : "grid:5x5 and graph:FILE bring one along");
    }
    const lotor_value *slots = &plan->values[LOTOR_RUN_SLOTS];
    if (slots->given && graphs[which].picks &&
        (slots->whole < 1 || slots->whole > instance->vertices)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--slots %s: from 1 to %zu vertices can be picked, as there are %zu",
                          lotor_quote_text(slots->text).text, instance->vertices,
                          instance->vertices);
    }
    lotor_scenery_use(instance, graphs[which].structure, &plan->params);
    if (slots->given && graphs[which].picks) {
        plan->params.seeds = (size_t)slots->whole;
    }
    if (graphs[which].structure == LOTOR_STRUCTURE_PATH) {
        return read_ends(plan, rest, why);
    }
    return *rest == '\0' ? LOTOR_OK
                         : lotor_fail(LOTOR_INVALID, why, "--oracle %s: nothing may follow %s",
                                      lotor_quote_text(plan->values[LOTOR_RUN_ORACLE].text).text,
                                      graphs[which].name);
}

lotor_status lotor_run_oracle(lotor_run_plan *plan, lotor_message *why)
{
    const char *text = plan->values[LOTOR_RUN_ORACLE].text;
    plan->params.arms = plan->world->arms;
    const lotor_structure usual = lotor_scenery_usual(plan->instance);
    plan->own_structure = !text && usual != LOTOR_STRUCTURE_TOP;
    text = plan->own_structure ? names[usual] : text;
    for (size_t i = 0; text && i < sizeof graphs / sizeof *graphs; i++) {
        const size_t length = strlen(graphs[i].name);
        if (strncmp(text, graphs[i].name, length) == 0 &&
            (text[length] == '\0' || text[length] == ':')) {
            return use_graph(plan, i, text + length, why);
        }
    }
    if (text && strcmp(text, "linear") == 0) {
        return use_vectors(plan, why);
    }
    if (!text || strcmp(text, "top") == 0 || strcmp(text, "best") == 0) {
        return use_top(plan, why);
    }
    const bool partition = strncmp(text, "partition:", 10) == 0;
    if (!partition && strncmp(text, "graphic:", 8) != 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--oracle: there is no oracle %s: choose from top, linear, "
                          "partition:0,0,1 (a group per arm), graphic:0-1,1-2 (an edge per arm), "
                          "spanning-tree, shortest-path, coverage and influence",
                          lotor_quote_text(text).text);
    }
    plan->arrays = calloc(plan->world->arms, 2 * sizeof *plan->arrays);
    if (!plan->arrays) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %zu arms", plan->world->arms);
    }
    return partition ? read_partition(plan, text, why) : read_graph(plan, text, why);
}
