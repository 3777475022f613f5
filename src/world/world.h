/* world.h - simulated environments: they draw rewards, and know the true means that define regret.
 *
 * A world is read-only, and can be shared between threads. All randomness comes from the caller's
 * seeded generator.
 */
#ifndef LOTOR_WORLD_WORLD_H
#define LOTOR_WORLD_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

#include "base/message.h"
#include "base/random/generator.h"

/* Far more than anyone learns over; keeps every size in the room far from overflow. */
enum { LOTOR_WORLD_ARMS_MAX = 1 << 24 };

typedef struct lotor_world lotor_world;

struct lotor_world {
    const char
        *id; /* "bernoulli", "beta", "uniform", "gaussian", "pareto", "movielens", "replay" */
    size_t arms;
    const double *means;      /* per arm, in [0,1]: of what is paid */
    const char *const *names; /* per arm, in UTF-8, to show to people; or NULL */
    bool is_binary; /* rewards are 0 or 1 and independent: sums of many rounds are binomial */
    const int64_t *vectors; /* linear matroid of this world, arms x dimension; or NULL */
    size_t dimension;
    const uint32_t *from, *to; /* graph of this world, one edge per arm; or NULL */
    size_t vertices;           /* of the graph; in a coverage system only those on the left */
    bool is_bipartite;         /* a coverage system: `from` is on the left, `to` on the right */

    /* Draws the rewards of `count` arms that are shown together. Writes each arm's sum over
     * `rounds` rounds to sums[]. `rounds` is 1 unless is_binary. */
    void (*draw)(const lotor_world *world, lotor_generator *generator, const uint32_t *arms,
                 size_t count, uint64_t rounds, double *sums);
    void (*destroy)(lotor_world *world);

    /* Makes a world with the same law of rewards and other means, for the same number of arms,
     * without vectors and graph. NULL if rewards are recorded. If rewards are clipped, these are the
     * means before clipping. */
    lotor_status (*with_means)(const lotor_world *world, const double *means, lotor_message *why,
                               lotor_world **out);

    const double *targets; /* per arm: the mean before clipping; NULL if rewards are not clipped */
    double clipped; /* the largest share of an arm's rewards that is expected to be clipped */
};

/* Independent arms with the given means in [0,1]. Rewards are Bernoulli; Beta with the given
 * concentration a + b > 0; or uniform on the widest interval inside [0,1] centred at the mean. The
 * means are copied. The caller frees every world. */
lotor_status lotor_world_bernoulli(size_t arms, const double *means, lotor_message *why,
                                   lotor_world **out);
lotor_status lotor_world_beta(size_t arms, const double *means, double concentration,
                              lotor_message *why, lotor_world **out);
lotor_status lotor_world_uniform(size_t arms, const double *means, lotor_message *why,
                                 lotor_world **out);

/* Independent arms whose rewards are clipped to [0,1] (clipped.c). `means` are those before
 * clipping; the world has those after it, which are exact. Gaussian rewards have a standard deviation
 * from LOTOR_WORLD_DEVIATION_LEAST to 1; Pareto rewards have a heavy tail with a shape from
 * LOTOR_WORLD_SHAPE_LEAST to LOTOR_WORLD_SHAPE_MOST: P(x > v) falls as v^-shape. */
#define LOTOR_WORLD_DEVIATION_LEAST 1e-6
#define LOTOR_WORLD_DEVIATION_USUAL 0.1
#define LOTOR_WORLD_SHAPE_LEAST     1.01
#define LOTOR_WORLD_SHAPE_USUAL     2.5
#define LOTOR_WORLD_SHAPE_MOST      1000.0
lotor_status lotor_world_gaussian(size_t arms, const double *means, double deviation,
                                  lotor_message *why, lotor_world **out);
lotor_status lotor_world_pareto(size_t arms, const double *means, double shape, lotor_message *why,
                                lotor_world **out);

/* Makes a world with the means of `instance` and other rewards, without its vectors and its graph:
 * "beta" (with this concentration), "uniform", "gaussian", "gaussian:S" with the standard deviation
 * S, "pareto" or "pareto:A" with the shape A. The message starts with "rewards". */
lotor_status lotor_world_rewards(const lotor_world *instance, const char *text,
                                 double concentration, lotor_message *why, lotor_world **out);

/* Makes a world by its name:
 * - "c1" to "c4" (Sajed 2019, chapter 6): any number of arms >= 2; 0 means 5, as in the paper.
 * - "c2-printed" and "c4-printed": the means that the same paper prints for 5 arms, which differ
 *   from the formulas of c2 and c4 in one arm. `arms` is 0 or 5.
 * - "table-6.1" (Chandak 2023): `arms` is 0 or 7.
 * - "movielens:DIR": arms = 0 means the 100 most rated movies, or all if there are fewer.
 * - "grid:5x5": a graph whose edges are the arms; rows x columns of vertices, edges to the right
 *   and down, fixed invented means.
 * - "graph:FILE" and "coverage:FILE": lines "from to mean"; see graph.c.
 * - "replay:FILE": a recorded log. */
lotor_status lotor_world_instance(const char *name, size_t arms, lotor_message *why,
                                  lotor_world **out);

/* A world from a MovieLens 1M folder (ratings.dat, movies.dat). The arms are the `arms` most rated
 * movies. Each round draws one random user; a shown movie pays 1 if that user rated it. An arm's
 * vector has its genres, 18 numbers. */
lotor_status lotor_world_movielens(const char *folder, size_t arms, lotor_message *why,
                                   lotor_world **out);

/* Writes a look-alike of MovieLens 1M into `folder`, which is made if it does not exist. The files,
 * their format and the statistics (users, movies, genres, skewed popularity) are the same; the
 * content is invented. The same seed gives the same files. Existing files are never overwritten.
 * The real data set has 6040 users and 3706 rated movies. */
lotor_status lotor_world_movielens_generate(const char *folder, size_t users, size_t movies,
                                            uint64_t seed, lotor_message *why);

/* A world from a recorded log (log.h). Showing an arm draws one of its recorded rewards at
 * random. */
lotor_status lotor_world_replay(const char *file, lotor_message *why, lotor_world **out);

void lotor_world_free(lotor_world *world);

/* For the files that make worlds: from 1 to LOTOR_WORLD_ARMS_MAX arms, each mean in [0,1]. */
lotor_status lotor_world_check_means(size_t arms, const double *means, lotor_message *why);

/* A macro, as lotor_fail is, so that analyzers see which status comes out. */
#define lotor_world_out_of_memory(why)                                                             \
    lotor_fail(LOTOR_MEMORY, (why), "not enough memory for this world")

#endif
