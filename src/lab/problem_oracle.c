/* problem_oracle.c - reads from text which arms may be shown together. lotor/simulate.h lists the
 * forms, at lotor_simulate_problem_structure. The messages start with the text or with "slots", so
 * that a caller can put the name of its own option before them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/records.h"
#include "lab/problem.h"

/* The state of the parser. */
typedef struct reader {
    lotor_problem_setup *setup;
    const char *text; /* all of it, for messages */
    size_t slots;     /* 0: not given */
    lotor_message *why;
} reader;

/* Reads a number up to one of `ends` (or the end of the text), and skips that character. */
static bool read_number(const char **at, const char *ends, uint32_t most, uint32_t *out)
{
    const size_t length = strcspn(*at, ends);
    uint64_t value = 0;
    if (!lotor_slice_whole((lotor_slice){*at, length}, most, &value)) {
        return false;
    }
    *out = (uint32_t)value;
    *at += length;
    return true;
}

static lotor_status bad_arrays(const reader *self, const char *form, uint32_t most)
{
    return lotor_fail(LOTOR_INVALID, self->why,
                      "%s: expected %s for each of the %zu arms, numbered from 0 to at "
                      "most %lu",
                      lotor_quote_text(self->text).text, form, self->setup->policy.arms,
                      (unsigned long)most);
}

static lotor_status read_partition(const reader *self)
{
    lotor_policy_params *policy = &self->setup->policy;
    const size_t arms = policy->arms;
    const uint32_t most = (uint32_t)(arms - 1);
    const char *at = strchr(self->text, ':') + 1;
    uint32_t *group = self->setup->arrays, *capacity = self->setup->arrays + arms;
    size_t groups = 0;
    for (size_t i = 0; i < arms; i++) {
        if (!read_number(&at, ",", most, &group[i]) || *at != (i + 1 < arms ? ',' : '\0')) {
            return bad_arrays(self, "a group", most);
        }
        at++;
        groups = group[i] + (size_t)1 > groups ? group[i] + (size_t)1 : groups;
    }
    for (size_t i = 0; i < groups; i++) {
        capacity[i] = 1;
    }
    policy->structure = LOTOR_STRUCTURE_PARTITION;
    policy->group = group;
    policy->capacity = capacity;
    policy->groups = groups;
    return LOTOR_OK;
}

static lotor_status read_graph(const reader *self)
{
    lotor_policy_params *policy = &self->setup->policy;
    const size_t arms = policy->arms;
    const uint32_t most = (uint32_t)(2 * arms - 1);
    const char *at = strchr(self->text, ':') + 1;
    uint32_t *from = self->setup->arrays, *to = self->setup->arrays + arms;
    size_t vertices = 0;
    for (size_t i = 0; i < arms; i++) {
        bool fine = read_number(&at, "-", most, &from[i]) && *at == '-';
        if (fine) {
            at++;
            fine = read_number(&at, ",", most, &to[i]) && *at == (i + 1 < arms ? ',' : '\0');
        }
        if (!fine) {
            return bad_arrays(self, "an edge A-B", most);
        }
        at++;
        const size_t larger = from[i] > to[i] ? from[i] : to[i];
        vertices = larger + 1 > vertices ? larger + 1 : vertices;
    }
    policy->structure = LOTOR_STRUCTURE_GRAPHIC;
    policy->from = from;
    policy->to = to;
    policy->vertices = vertices;
    return LOTOR_OK;
}

static lotor_status read_arrays(const reader *self, bool is_partition)
{
    const size_t arms = self->setup->policy.arms;
    self->setup->arrays = calloc(arms, 2 * sizeof *self->setup->arrays);
    if (!self->setup->arrays) {
        return lotor_fail(LOTOR_MEMORY, self->why, "no memory for %zu arms", arms);
    }
    return is_partition ? read_partition(self) : read_graph(self);
}

/* Refuses more slots than the world has arms or vertices. */
static lotor_status check_slots(const reader *self, size_t most, const char *what)
{
    if (self->slots <= most) {
        return LOTOR_OK;
    }
    return lotor_fail(LOTOR_RANGE, self->why,
                      "slots \"%zu\": expected 1 to %zu, because the world has %zu %s", self->slots,
                      most, most, what);
}

static lotor_status use_top(const reader *self)
{
    lotor_policy_params *policy = &self->setup->policy;
    policy->structure = LOTOR_STRUCTURE_TOP;
    policy->slots = self->slots > 0 ? self->slots : 1;
    return check_slots(self, policy->arms, "arms");
}

static lotor_status use_vectors(const reader *self)
{
    if (!lotor_problem_has_structure(self->setup->instance, LOTOR_STRUCTURE_LINEAR)) {
        return lotor_fail(
            LOTOR_INVALID, self->why,
            "\"linear\" needs vectors: the instances table-6.1 and movielens:DIR have "
            "them");
    }
    lotor_problem_use_structure(self->setup, LOTOR_STRUCTURE_LINEAR);
    return LOTOR_OK;
}

/* A structure on the instance's graph. */
typedef struct graph_oracle {
    const char *name;
    lotor_structure structure;
    bool is_bipartite;
    bool picks; /* --slots is the number of vertices to pick */
} graph_oracle;

static const graph_oracle graphs[] = {
    {"spanning-tree", LOTOR_STRUCTURE_GRAPHIC, false, false},
    {"shortest-path", LOTOR_STRUCTURE_PATH, false, false},
    {"influence", LOTOR_STRUCTURE_INFLUENCE, false, true},
    {"coverage", LOTOR_STRUCTURE_COVERAGE, true, true},
};

static const char *const names[] = {"top",           "partition", "graphic",   "linear", "custom",
                                    "shortest-path", "coverage",  "influence", "own"};

const char *lotor_problem_oracle_name(const lotor_problem_setup *setup)
{
    const lotor_structure structure = setup->policy.structure;
    const bool own_graph = setup->instance->from && setup->policy.from == setup->instance->from;
    if (structure >= sizeof names / sizeof *names) {
        return NULL;
    }
    return structure == LOTOR_STRUCTURE_GRAPHIC && own_graph ? "spanning-tree" : names[structure];
}

/* Reads the ends of a path, if text follows "shortest-path". */
static lotor_status read_ends(const reader *self, const char *rest)
{
    static const char name[] = "shortest-path";
    lotor_policy_params *policy = &self->setup->policy;
    const uint32_t last = (uint32_t)(policy->vertices - 1);
    if (*rest == '\0') {
        return LOTOR_OK;
    }
    const char *at = rest + 1;
    bool fine = read_number(&at, "-", last, &policy->source) && *at == '-';
    if (fine) {
        at++;
        fine = read_number(&at, "", last, &policy->sink);
    }
    return fine ? LOTOR_OK
                : lotor_fail(LOTOR_INVALID, self->why,
                             "%s: expected %s, or %s:FROM-TO with vertices from 0 to %lu",
                             lotor_quote_text(self->text).text, name, name, (unsigned long)last);
}

static lotor_status use_graph(const reader *self, const graph_oracle *graph)
{
    lotor_problem_setup *setup = self->setup;
    const char *rest = self->text + strlen(graph->name);
    if (!lotor_problem_has_structure(setup->instance, graph->structure)) {
        return lotor_fail(LOTOR_INVALID, self->why, "%s needs a graph: %s",
                          lotor_quote_text(graph->name).text,
                          graph->is_bipartite ? "the instance coverage:FILE has one"
                                              : "the instances grid:5x5 and graph:FILE have one");
    }
    if (graph->picks) {
        const lotor_status status = check_slots(self, setup->instance->vertices, "vertices");
        if (status != LOTOR_OK) {
            return status;
        }
    }
    lotor_problem_use_structure(setup, graph->structure);
    if (self->slots > 0 && graph->picks) {
        setup->policy.seeds = self->slots;
    }
    if (graph->structure == LOTOR_STRUCTURE_PATH) {
        return read_ends(self, rest);
    }
    return *rest == '\0' ? LOTOR_OK
                         : lotor_fail(LOTOR_INVALID, self->why, "%s: nothing may follow %s",
                                      lotor_quote_text(self->text).text, graph->name);
}

/* Reads the text into a setup whose policy has no structure yet. */
static lotor_status read_structure(const reader *self)
{
    const char *text = self->text;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        const size_t length = strlen(graphs[i].name);
        if (strncmp(text, graphs[i].name, length) == 0 &&
            (text[length] == '\0' || text[length] == ':')) {
            return use_graph(self, &graphs[i]);
        }
    }
    if (strcmp(text, "linear") == 0) {
        return use_vectors(self);
    }
    if (strcmp(text, "top") == 0 || strcmp(text, "best") == 0) {
        return use_top(self);
    }
    const bool is_partition = strncmp(text, "partition:", 10) == 0;
    if (is_partition || strncmp(text, "graphic:", 8) == 0) {
        return read_arrays(self, is_partition);
    }
    return lotor_fail(LOTOR_INVALID, self->why,
                      "%s is unknown: choose from top, linear, partition:0,0,1 (a group per arm), "
                      "graphic:0-1,1-2 (an edge per arm), spanning-tree, shortest-path, coverage "
                      "and influence",
                      lotor_quote_text(text).text);
}

lotor_status lotor_problem_read_oracle(lotor_problem_setup *setup, const char *text, size_t slots,
                                       lotor_message *why)
{
    const lotor_structure usual = lotor_problem_usual_structure(setup->instance);
    const lotor_policy_params none = {.arms = setup->policy.arms};
    lotor_problem_setup changed = *setup;
    changed.arrays = NULL;
    changed.policy = lotor_problem_join(&(lotor_problem_setup){.policy = none}, &setup->policy);
    changed.has_own_structure = !text && usual != LOTOR_STRUCTURE_TOP;
    const reader self = {&changed, text ? text : names[usual], slots, why};
    const lotor_status status = read_structure(&self);
    free(status == LOTOR_OK ? setup->arrays : changed.arrays);
    if (status == LOTOR_OK) {
        *setup = changed;
    }
    return status;
}
