/* graph.c - checks and small algorithms that the oracles on graphs share; see graph.h. */
#include "choice/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "choice/make.h"

static const size_t EDGES = (size_t)1
                            << 29; /* so that all 2 * EDGES ends have numbers below 2^31 */

lotor_status lotor_oracle_check_edges(size_t arms, const uint32_t *from, const uint32_t *to,
                                      lotor_message *why)
{
    const lotor_status status = lotor_oracle_check_arms(arms, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (arms > EDGES) {
        return lotor_fail(LOTOR_INVALID, why, "%zu edges are too many: give at most %zu", arms,
                          EDGES);
    }
    if (!from || !to) {
        return lotor_oracle_missing("the ends of the edges are", why);
    }
    return LOTOR_OK;
}

lotor_status lotor_oracle_check_graph(size_t arms, const uint32_t *from, const uint32_t *to,
                                      size_t vertices, lotor_message *why)
{
    const lotor_status status = lotor_oracle_check_edges(arms, from, to, why);
    if (status != LOTOR_OK) {
        return status;
    }
    for (size_t i = 0; i < arms; i++) {
        if (from[i] < vertices && to[i] < vertices) {
            continue;
        }
        return lotor_fail(LOTOR_INVALID, why,
                          "arm %zu is the edge %lu-%lu, but there are %zu vertices: number them "
                          "from 0, below that",
                          i, (unsigned long)from[i], (unsigned long)to[i], vertices);
    }
    return LOTOR_OK;
}

lotor_status lotor_oracle_check_seeds(size_t seeds, size_t vertices, lotor_message *why)
{
    if (seeds == 0) {
        return lotor_fail(LOTOR_INVALID, why, "0 seeds show nothing: give at least 1");
    }
    if (seeds > vertices) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%zu seeds but only %zu vertices to pick them from: give at most %zu",
                          seeds, vertices, vertices);
    }
    return LOTOR_OK;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a;
    const uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

lotor_status lotor_oracle_renumber(uint32_t *names, size_t count, size_t *distinct,
                                   lotor_message *why)
{
    uint32_t *const sorted = calloc(count + 1, sizeof *sorted);
    if (!sorted) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the names of %zu vertices", count);
    }
    memcpy(sorted, names, count * sizeof *names);
    qsort(sorted, count, sizeof *sorted, by_number);
    size_t different = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || sorted[i] != sorted[different - 1]) {
            sorted[different++] = sorted[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t *const at = bsearch(&names[i], sorted, different, sizeof *sorted, by_number);
        assert(at);
        names[i] = (uint32_t)(at - sorted);
    }
    free(sorted);
    assert(different <= count);
    *distinct = different;
    return LOTOR_OK;
}

void lotor_oracle_group(size_t arms, const uint32_t *vertex, size_t vertices, uint32_t *start,
                        uint32_t *edge)
{
    memset(start, 0, (vertices + 1) * sizeof *start);
    for (size_t i = 0; i < arms; i++) {
        assert(vertex[i] < vertices);
        start[vertex[i]]++;
    }
    for (size_t i = 0; i < vertices; i++) {
        start[i + 1] += start[i];
    }
    /* start[v] is now the end of the edges of v; the loop moves it down to their start. */
    assert(start[vertices] == arms);
    for (size_t i = arms; i-- > 0;) {
        edge[--start[vertex[i]]] = (uint32_t)i;
    }
    assert(start[0] == 0);
}

size_t lotor_oracle_largest(uint32_t *counts, size_t vertices, size_t seeds)
{
    assert(seeds <= vertices);
    size_t sum = 0;
    qsort(counts, vertices, sizeof *counts, by_number);
    for (size_t i = vertices - seeds; i < vertices; i++) {
        sum += counts[i];
    }
    return sum;
}
