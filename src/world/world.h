/* world.h - environments to learn in: what an arm pays, and the truth that regret is measured by.
 *
 * A world is read-only once made, and shared between threads; all randomness comes from the
 * caller's simulation source.
 */
#ifndef LOTOR_WORLD_WORLD_H
#define LOTOR_WORLD_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

#include "base/message.h"
#include "base/random/simulation.h"

/* Far more than anyone learns over; keeps every size in the room far from overflow. */
enum { LOTOR_WORLD_MOST_ARMS = 1 << 24 };

typedef struct lotor_world lotor_world;

struct lotor_world {
    const char *id; /* "bernoulli", "beta", "uniform", "movielens", "replay" */
    size_t arms;
    const double *means;      /* per arm, in [0,1] */
    const char *const *names; /* per arm, in UTF-8, for people; or NULL */
    bool is_binary; /* rewards are 0 or 1 and independent: sums of many rounds are binomial */
    const int64_t *vectors; /* the linear matroid that comes with it, arms x dimension; or NULL */
    size_t dimension;
    const uint32_t *from, *to; /* the graph that comes with it, an edge per arm; or NULL */
    size_t vertices;           /* of the graph; of a coverage system: those on the left */
    bool is_bipartite;         /* a coverage system: `from` is on the left, `to` on the right */

    /* Draws the rewards of `count` arms shown together, summed over `rounds` rounds, into sums[].
     * rounds is 1 unless is_binary. */
    void (*draw)(const lotor_world *world, lotor_simulation *simulation, const uint32_t *arms,
                 size_t count, uint64_t rounds, double *sums);
    void (*destroy)(lotor_world *world);
};

/* Independent arms with the given means in [0,1]: Bernoulli; Beta with the given concentration
 * a + b > 0; uniform on the widest interval inside [0,1] centred at the mean. Means are copied;
 * the caller frees every world. */
lotor_status lotor_world_bernoulli(size_t arms, const double *means, lotor_message *why,
                                   lotor_world **out);
lotor_status lotor_world_beta(size_t arms, const double *means, double concentration,
                              lotor_message *why, lotor_world **out);
lotor_status lotor_world_uniform(size_t arms, const double *means, lotor_message *why,
                                 lotor_world **out);

/* A named instance: "c1" to "c4" (Sajed 2019, chapter 6) for any number of arms >= 2
 * (arms = 0: 5, as there), "table-6.1" (Chandak 2023; arms = 0 or 7), or "movielens:DIR"
 * (arms = 0: the 100 most rated, or all if they are fewer). Graphs, whose arms are their edges:
 * "grid:5x5" (rows x columns of vertices, edges to the right and down, fixed invented means),
 * "graph:FILE" and "coverage:FILE" (lines "from to mean"; see graph.c). A log: "replay:FILE". */
lotor_status lotor_world_instance(const char *name, size_t arms, lotor_message *why,
                                  lotor_world **out);

/* A MovieLens 1M folder (ratings.dat, movies.dat): the `arms` most rated movies; each round is one
 * random user, and pays 1 for the shown movies that this user rated. Vectors: the 18 genres. */
lotor_status lotor_world_movielens(const char *folder, size_t arms, lotor_message *why,
                                   lotor_world **out);

/* Writes a look-alike of MovieLens 1M into `folder` (made if it is missing): same files, same
 * format, the same shape (users, movies, genres, skewed popularity), invented content. The same
 * seed gives the same files. Files that exist already are never overwritten. The data set has 6040
 * users and 3706 rated movies. */
lotor_status lotor_world_movielens_generate(const char *folder, size_t users, size_t movies,
                                            uint64_t seed, lotor_message *why);

/* A recorded log, lines "arm,reward" (arm from 0, reward in [0,1]; # starts a comment): showing an
 * arm draws one of its recorded rewards at random. */
lotor_status lotor_world_replay(const char *file, lotor_message *why, lotor_world **out);

void lotor_world_free(lotor_world *world);

/* For the files that make worlds: from 1 to LOTOR_WORLD_MOST_ARMS arms, each mean in [0,1]. */
lotor_status lotor_world_check_means(size_t arms, const double *means, lotor_message *why);

/* A macro, as lotor_fail is, so that analyzers see which status comes out. */
#define lotor_world_out_of_memory(why)                                                             \
    lotor_fail(LOTOR_MEMORY, (why), "not enough memory for this world")

#endif
