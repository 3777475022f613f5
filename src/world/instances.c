/* instances.c - makes the worlds that have names, most of them from papers.
 *
 * C1 to C4 (Sajed 2019, chapter 6) have K Bernoulli arms. The best has mean 0.75; x goes from 0 at
 * the first arm to 1 at the last:
 *
 *      c1   0.75, then 0.7 for all others
 *      c2   0.75 - 0.5 x              linear
 *      c3   0.25 + 0.5 (1 - x)^2      convex: many arms far below the best
 *      c4   0.75 - 0.5 x^2            concave: many arms close to it
 *
 * For K = 5, and for no other K, the thesis also prints the means. Its lists for c2 and c4 have
 * 0.525 where the formulas give 0.625. c2 and c4 are the formulas; c2-printed and c4-printed are
 * the lists.
 *
 * table-6.1 (Chandak 2023) has seven vectors in R^3; linearly independent sets may be shown. No
 * such set contains the zero vector, however well it pays.
 *
 * In other names, a size, a file or a folder follows after a colon.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/records.h"
#include "world/bernoulli.h"
#include "world/graph.h"
#include "world/world.h"

enum { DEFAULT_ARMS = 5, PRINTED_ARMS = 5, TABLE_ARMS = 7, TABLE_DIMENSION = 3 };

static double mean_c1(double x)
{
    return x > 0 ? 0.7 : 0.75;
}

static double mean_c2(double x)
{
    return 0.75 - 0.5 * x;
}

static double mean_c3(double x)
{
    return 0.25 + 0.5 * (1 - x) * (1 - x);
}

static double mean_c4(double x)
{
    return 0.75 - 0.5 * x * x;
}

typedef struct curve {
    const char *name;
    double (*mean)(double x);
} curve;

static const curve curves[] = {{"c1", mean_c1}, {"c2", mean_c2}, {"c3", mean_c3}, {"c4", mean_c4}};

static lotor_status make_curve(const curve *shape, size_t arms, lotor_message *why,
                               lotor_world **out)
{
    arms = arms == 0 ? DEFAULT_ARMS : arms;
    if (arms < 2 || arms > LOTOR_WORLD_ARMS_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "the instance %s has from 2 to %d arms, not %zu",
                          shape->name, LOTOR_WORLD_ARMS_MAX, arms);
    }
    double *means = malloc(arms * sizeof *means);
    if (!means) {
        return lotor_world_out_of_memory(why);
    }
    for (size_t i = 0; i < arms; i++) {
        means[i] = shape->mean((double)i / (double)(arms - 1));
    }
    const lotor_status status = lotor_world_bernoulli(arms, means, why, out);
    free(means);
    return status;
}

typedef struct printed_list {
    const char *name;
    const char *formula; /* the instance that the list is an example of */
    double means[PRINTED_ARMS];
} printed_list;

static const printed_list printed_lists[] = {
    {"c2-printed", "c2", {0.75, 0.525, 0.5, 0.375, 0.25}},
    {"c4-printed", "c4", {0.75, 0.71875, 0.525, 0.46875, 0.25}},
};

static lotor_status make_printed(const printed_list *list, size_t arms, lotor_message *why,
                                 lotor_world **out)
{
    if (arms != 0 && arms != PRINTED_ARMS) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the instance %s has %d arms, not %zu: the paper prints no other list; "
                          "%s has any number of arms",
                          list->name, PRINTED_ARMS, arms, list->formula);
    }
    return lotor_world_bernoulli(PRINTED_ARMS, list->means, why, out);
}

static lotor_status make_table(size_t arms, lotor_message *why, lotor_world **out)
{
    static const double means[TABLE_ARMS] = {0.8, 0.75, 0.6, 0.2, 0.3, 0.4, 0.7};
    static const int64_t vectors[TABLE_ARMS * TABLE_DIMENSION] = {
        1, 0, 0, /**/ 0, 1, 0, /**/ 0, 0, 1, /**/ 1, 0, 1, /**/
        0, 1, 1, /**/ 2, 0, 0, /**/ 0, 0, 0,
    };
    if (arms != 0 && arms != TABLE_ARMS) {
        return lotor_fail(LOTOR_INVALID, why, "the instance table-6.1 has %d arms, not %zu",
                          TABLE_ARMS, arms);
    }
    return lotor_world_bernoulli_vectors(TABLE_ARMS, means, vectors, TABLE_DIMENSION, why, out);
}

static lotor_status make_replay(const char *file, size_t arms, lotor_message *why,
                                lotor_world **out)
{
    const lotor_status status = lotor_world_replay(file, why, out);
    if (status == LOTOR_OK && arms != 0 && arms != (*out)->arms) {
        lotor_explain(why, "the log has %zu arms, not %zu: leave their number out", (*out)->arms,
                      arms);
        lotor_world_free(*out);
        *out = NULL;
        return LOTOR_INVALID;
    }
    return status;
}

typedef struct family {
    const char *prefix;
    lotor_status (*make)(const char *rest, size_t arms, lotor_message *why, lotor_world **out);
} family;

static const family families[] = {
    {"grid:", lotor_world_grid},
    {"graph:", lotor_world_graph},
    {"coverage:", lotor_world_coverage},
    {"movielens:", lotor_world_movielens},
    {"replay:", make_replay},
};

lotor_status lotor_world_instance(const char *name, size_t arms, lotor_message *why,
                                  lotor_world **out)
{
    *out = NULL;
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        if (strcmp(name, curves[i].name) == 0) {
            return make_curve(&curves[i], arms, why, out);
        }
    }
    for (size_t i = 0; i < sizeof printed_lists / sizeof *printed_lists; i++) {
        if (strcmp(name, printed_lists[i].name) == 0) {
            return make_printed(&printed_lists[i], arms, why, out);
        }
    }
    if (strcmp(name, "table-6.1") == 0) {
        return make_table(arms, why, out);
    }
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const size_t length = strlen(families[i].prefix);
        if (strncmp(name, families[i].prefix, length) == 0) {
            return families[i].make(name + length, arms, why, out);
        }
    }
    return lotor_fail(
        LOTOR_UNKNOWN, why,
        "there is no instance %s; there are c1, c2, c3, c4, c2-printed, c4-printed, "
        "table-6.1, grid:5x5 (or other rows x columns), graph:FILE, coverage:FILE, replay:FILE, "
        "unbiased-replay:FILE, "
        "and movielens:DIR with the folder of a MovieLens 1M data set",
        lotor_excerpt(name, strlen(name)).text);
}
