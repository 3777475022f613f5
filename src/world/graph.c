/* graph.c - grid worlds by size, and graph worlds from files.
 *
 * The R x C vertices of a grid are numbered row by row from 0 at the top left. Edges go right and
 * down. They are numbered vertex by vertex, the edge to the right first:
 *
 *      0 --0--> 1 --2--> 2          grid:2x3: vertices, and edges 0 to 6
 *      |1       |3       |4
 *      v        v        v
 *      3 --5--> 4 --6--> 5
 *
 * The means are invented but fixed: 0.20, 0.21, ... or 0.90, chosen by a hash of the edge's number.
 * The cost of an edge is 1 - mean. The cheapest path from the top left to the bottom right is
 * unique. It is cheaper than the next one by 0.15 in grid:5x5, and by at least 0.1 in every square
 * up to 6x6.
 *
 * A file has one line per edge: from, to, and the mean, separated by blanks or a comma; # starts a
 * comment. Vertices are whole numbers from 0. In a graph, edges are directed, loops are allowed,
 * and the largest number determines how many vertices there are. In a coverage system `from` is on
 * the left and `to` on the right; each side is numbered from 0. An edge that occurs twice is
 * refused, since its mean would be ambiguous.
 */
#include "world/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/records.h"
#include "world/bernoulli.h"
#include "world/world.h"

enum { MOST_GRID_EDGES = 1000000, MOST_VERTICES = 1 << 24 };

static lotor_status check_arms(const char *what, size_t arms, size_t edges, lotor_message *why)
{
    if (arms != 0 && arms != edges) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s has %zu edges, which are its arms, not %zu: leave their number out",
                          lotor_excerpt(what, strlen(what)).text, edges, arms);
    }
    return LOTOR_OK;
}

/* Grids --------------------------------------------------------------------------------------- */

/* splitmix64 of the edge's number. The offset 71 was chosen so that the cheapest paths in small
 * grids are clearly cheapest. */
static double grid_mean(uint64_t edge)
{
    const uint64_t word = lotor_mix((edge + 71) * UINT64_C(0x9e3779b97f4a7c15));
    return (double)(20 + word % 71) / 100;
}

static void fill_grid(size_t rows, size_t columns, double *means, uint32_t *from, uint32_t *to)
{
    size_t edge = 0;
    for (size_t vertex = 0; vertex < rows * columns; vertex++) {
        const bool has_right = vertex % columns + 1 < columns;
        const bool has_down = vertex + columns < rows * columns;
        if (has_right) {
            from[edge] = (uint32_t)vertex;
            to[edge++] = (uint32_t)(vertex + 1);
        }
        if (has_down) {
            from[edge] = (uint32_t)vertex;
            to[edge++] = (uint32_t)(vertex + columns);
        }
    }
    for (size_t i = 0; i < edge; i++) {
        means[i] = grid_mean(i);
    }
}

static lotor_status make_grid(size_t rows, size_t columns, size_t edges, lotor_message *why,
                              lotor_world **out)
{
    double *means = malloc(edges * sizeof *means);
    uint32_t *from = malloc(edges * sizeof *from), *to = malloc(edges * sizeof *to);
    lotor_status status;
    if (means && from && to) {
        fill_grid(rows, columns, means, from, to);
        const lotor_edges graph = {from, to, rows * columns, false};
        status = lotor_world_bernoulli_graph(edges, means, &graph, why, out);
    } else {
        status = lotor_world_out_of_memory(why);
    }
    free(means);
    free(from);
    free(to);
    return status;
}

lotor_status lotor_world_grid(const char *size, size_t arms, lotor_message *why, lotor_world **out)
{
    const uint64_t longest = MOST_GRID_EDGES + 1;
    lotor_slice columns_text = {size, strlen(size)}, rows_text;
    uint64_t rows = 0, columns = 0, edges = 0;

    *out = NULL;
    if (lotor_slice_cut(&columns_text, "x", &rows_text) &&
        lotor_slice_whole(rows_text, longest, &rows) &&
        lotor_slice_whole(columns_text, longest, &columns) && rows > 0 && columns > 0) {
        edges = rows * (columns - 1) + columns * (rows - 1);
    }
    if (edges == 0 || edges > MOST_GRID_EDGES) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "%s is not a grid: expected rows x columns of vertices, such as grid:5x5, "
            "with from 1 to %d edges",
            lotor_excerpt(size, strlen(size)).text, MOST_GRID_EDGES);
    }
    const lotor_status status = check_arms(size, arms, edges, why);
    return status == LOTOR_OK ? make_grid(rows, columns, edges, why, out) : status;
}

/* Files --------------------------------------------------------------------------------------- */

typedef struct entry {
    double mean;
    uint32_t from, to;
    uint32_t line; /* a file has less than 2^32 bytes */
} entry;

typedef struct listing {
    entry *entries;
    size_t count, room;
} listing;

static bool is_between(char letter) /* separates fields, as one comma does */
{
    return letter == ' ' || letter == '\t' || letter == '\r';
}

/* Takes the first field of *rest, up to a blank or a comma. *rest keeps what follows the
 * separator. */
static lotor_slice take_field(lotor_slice *rest)
{
    lotor_slice field = {rest->text, 0};
    while (field.length < rest->length && field.text[field.length] != ',' &&
           !is_between(field.text[field.length])) {
        field.length++;
    }
    *rest = lotor_slice_trim((lotor_slice){rest->text + field.length, rest->length - field.length});
    if (rest->length > 0 && rest->text[0] == ',') {
        *rest = lotor_slice_trim((lotor_slice){rest->text + 1, rest->length - 1});
    }
    return field;
}

static bool read_entry(lotor_slice line, entry *out)
{
    const lotor_slice from_text = take_field(&line), to_text = take_field(&line);
    uint64_t from, to;
    if (!lotor_slice_whole(from_text, MOST_VERTICES - 1, &from) ||
        !lotor_slice_whole(to_text, MOST_VERTICES - 1, &to) ||
        !lotor_slice_share(line, &out->mean)) {
        return false;
    }
    out->from = (uint32_t)from;
    out->to = (uint32_t)to;
    return true;
}

static lotor_status note(listing *list, entry next, lotor_message *why)
{
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 1024;
        entry *larger = realloc(list->entries, room * sizeof *larger);
        if (!larger) {
            return lotor_world_out_of_memory(why);
        }
        list->entries = larger;
        list->room = room;
    }
    list->entries[list->count++] = next;
    return LOTOR_OK;
}

static lotor_status read_listing(lotor_records *records, listing *list, lotor_message *why)
{
    static const char expected[] = "expected from, to and mean: vertices from 0 to 16777215 and a "
                                   "mean in [0,1], such as 0 1 0.5";
    lotor_status status = LOTOR_OK;
    while (status == LOTOR_OK && lotor_records_next(records)) {
        lotor_slice line = records->line, rest = records->line;
        entry next = {.line = (uint32_t)records->number};
        if (lotor_slice_cut(&rest, "#", &line) && lotor_slice_trim(line).length == 0) {
            continue;
        }
        if (!read_entry(lotor_slice_trim(line), &next)) {
            status = lotor_records_refuse(records, why, expected);
        } else if (list->count == LOTOR_WORLD_ARMS_MAX) {
            status = lotor_records_refuse(records, why, "too many: at most 16777216 edges");
        } else {
            status = note(list, next, why);
        }
    }
    return status;
}

/* By edge, then by line. */
static int compare_entries(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    if (a->from != b->from) {
        return a->from < b->from ? -1 : 1;
    }
    if (a->to != b->to) {
        return a->to < b->to ? -1 : 1;
    }
    return (a->line > b->line) - (a->line < b->line);
}

static int compare_lines(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    return (a->line > b->line) - (a->line < b->line);
}

/* Refuses the first line that repeats an edge. `records` is at the beginning of the file. */
static lotor_status refuse_repeats(listing *list, lotor_records records, lotor_message *why)
{
    const entry *repeat = NULL;
    qsort(list->entries, list->count, sizeof *list->entries, compare_entries);
    for (size_t i = 1; i < list->count; i++) {
        const entry *here = &list->entries[i];
        if (here[-1].from == here->from && here[-1].to == here->to &&
            (!repeat || here->line < repeat->line)) {
            repeat = here;
        }
    }
    if (repeat) {
        char wrong[128];
        snprintf(
            wrong, sizeof wrong, "the edge %lu -> %lu is on line %lu already: keep one of them",
            (unsigned long)repeat->from, (unsigned long)repeat->to, (unsigned long)repeat[-1].line);
        do {
            lotor_records_next(&records);
        } while (records.number < repeat->line);
        return lotor_records_refuse(&records, why, wrong);
    }
    qsort(list->entries, list->count, sizeof *list->entries, compare_lines);
    return LOTOR_OK;
}

static lotor_status build(const listing *list, bool is_bipartite, lotor_message *why,
                          lotor_world **out)
{
    double *means = malloc(list->count * sizeof *means);
    uint32_t *from = malloc(list->count * sizeof *from), *to = malloc(list->count * sizeof *to);
    uint32_t largest = 0;
    lotor_status status;
    if (means && from && to) {
        for (size_t i = 0; i < list->count; i++) {
            const entry *edge = &list->entries[i];
            means[i] = edge->mean;
            from[i] = edge->from;
            to[i] = edge->to;
            largest = from[i] > largest ? from[i] : largest;
            largest = !is_bipartite && to[i] > largest ? to[i] : largest;
        }
        const lotor_edges graph = {from, to, (size_t)largest + 1, is_bipartite};
        status = lotor_world_bernoulli_graph(list->count, means, &graph, why, out);
    } else {
        status = lotor_world_out_of_memory(why);
    }
    free(means);
    free(from);
    free(to);
    return status;
}

lotor_status lotor_world_graph_parse(const char *name, const char *bytes, size_t length,
                                     bool is_bipartite, size_t arms, lotor_message *why,
                                     lotor_world **out)
{
    const lotor_records start = lotor_records_of(name, bytes, length);
    lotor_records records = start;
    listing list = {NULL, 0, 0};

    *out = NULL;
    lotor_status status = read_listing(&records, &list, why);
    if (status == LOTOR_OK && list.count == 0) {
        status =
            lotor_fail(LOTOR_INVALID, why,
                       "%s holds no edges; expected lines of from, to and mean, such as 0 1 0.5",
                       lotor_excerpt(name, strlen(name)).text);
    }
    if (status == LOTOR_OK) {
        status = refuse_repeats(&list, start, why);
    }
    if (status == LOTOR_OK) {
        status = check_arms(name, arms, list.count, why);
    }
    if (status == LOTOR_OK) {
        status = build(&list, is_bipartite, why, out);
    }
    free(list.entries);
    return status;
}

static lotor_status load(const char *file, bool is_bipartite, size_t arms, lotor_message *why,
                         lotor_world **out)
{
    char *bytes;
    size_t length;

    *out = NULL;
    lotor_status status = lotor_records_load(file, why, &bytes, &length);
    if (status == LOTOR_OK) {
        status = lotor_world_graph_parse(file, bytes, length, is_bipartite, arms, why, out);
    }
    free(bytes);
    return status;
}

lotor_status lotor_world_graph(const char *file, size_t arms, lotor_message *why, lotor_world **out)
{
    return load(file, false, arms, why, out);
}

lotor_status lotor_world_coverage(const char *file, size_t arms, lotor_message *why,
                                  lotor_world **out)
{
    return load(file, true, arms, why, out);
}
