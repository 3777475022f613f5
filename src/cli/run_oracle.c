/* run_oracle.c - which arms may be shown together, from --oracle and --slots.
 *
 *      top                     any --slots of them (also called best, for one)
 *      linear                  independent vectors, which the instance brings along
 *      partition:0,0,1,1       each arm's group: one of each
 *      graphic:0-1,1-2,0-2     each arm's two ends: no cycles
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "cli/run.h"

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
    if (!plan->instance->vectors) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--oracle linear needs vectors: --instance table-6.1 and movielens:DIR "
                          "bring theirs along");
    }
    plan->params.structure = LOTOR_STRUCTURE_LINEAR;
    plan->params.vectors = plan->instance->vectors;
    plan->params.dimension = plan->instance->dimension;
    return LOTOR_OK;
}

lotor_status lotor_run_oracle(lotor_run_plan *plan, lotor_message *why)
{
    const char *text = plan->values[LOTOR_RUN_ORACLE].text;
    plan->params.arms = plan->world->arms;
    plan->own_structure = !text && plan->instance->vectors;
    if (plan->own_structure || (text && strcmp(text, "linear") == 0)) {
        return use_vectors(plan, why);
    }
    if (!text || strcmp(text, "top") == 0 || strcmp(text, "best") == 0) {
        return use_top(plan, why);
    }
    const bool partition = strncmp(text, "partition:", 10) == 0;
    if (!partition && strncmp(text, "graphic:", 8) != 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--oracle: there is no oracle %s: choose from top, linear, "
                          "partition:0,0,1 (a group per arm) and graphic:0-1,1-2 (an edge per arm)",
                          lotor_quote_text(text).text);
    }
    plan->arrays = calloc(plan->world->arms, 2 * sizeof *plan->arrays);
    if (!plan->arrays) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %zu arms", plan->world->arms);
    }
    return partition ? read_partition(plan, text, why) : read_graph(plan, text, why);
}
