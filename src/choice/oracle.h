/* oracle.h - which sets of arms can be shown together, and how to find the best such set.
 *
 * A caller gives an oracle the indices of the arms, and the arms in decreasing order of index:
 * infinite indices first, ties already broken. The oracle picks a feasible set. Matroid oracles use
 * only the order: they walk it greedily and keep each arm that stays independent (Chandak 2023,
 * Algorithm 1).
 *
 * An oracle does not change after it was made, so threads can share it. Each caller brings its own
 * work memory (`work`).
 */
#ifndef LOTOR_CHOICE_ORACLE_H
#define LOTOR_CHOICE_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

typedef struct lotor_oracle lotor_oracle;

/* The common part of all kinds of oracles. Each kind has a struct with `lotor_oracle` as first
 * member. */
struct lotor_oracle {
    const char *id;    /* "best", "top", "partition", "graphic", "linear", "custom", "path",
                          "coverage", "influence", "own" */
    size_t arms;       /* how many arms there are to choose from */
    size_t slots;      /* the most arms in one pick: a matroid's rank; see also "influence" */
    size_t seeds;      /* how many vertices it picks; the arms follow from them. 0: no vertices */
    bool by_order;     /* uses only the order: the same order gives the same set */
    bool takes_first;  /* always takes the first `slots` arms of the order */
    double alpha;      /* the pick is worth at least alpha times the best ... */
    double beta;       /* ... with probability at least beta */
    size_t work_bytes; /* size of the work memory for one `pick`; aligned as malloc aligns */
    size_t (*pick)(const lotor_oracle *oracle, const double *index, const uint32_t *order,
                   void *work, uint32_t *picked); /* returns how many arms; 0: it failed */
    double (*value)(const lotor_oracle *oracle, const double *weights, const uint32_t *set,
                    size_t count, void *work); /* NULL: the sum of the weights */
    void (*destroy)(lotor_oracle *oracle);
};

/* The expected reward of showing the set, if weights[i] is the mean of arm i. `set` must be the
 * result of the latest `pick` with this `work`: an influence oracle reads its seeds from the work
 * memory, because they cannot be found from the edges. Other oracles look only at the set. The
 * seeds stay in `work`. */
double lotor_oracle_value(const lotor_oracle *oracle, const double *weights, const uint32_t *set,
                          size_t count, void *work);

/* The `slots` best arms; slots = 1 is the best arm. The caller frees every oracle. */
lotor_status lotor_oracle_top(size_t arms, size_t slots, lotor_message *why, lotor_oracle **out);

/* At most capacity[g] arms of each group g; group[i] < groups is the group of arm i. Copies the
 * arrays. */
lotor_status lotor_oracle_partition(size_t arms, const uint32_t *group, size_t groups,
                                    const uint32_t *capacity, lotor_message *why,
                                    lotor_oracle **out);

/* Arms are edges from[i]-to[i] of a graph on `vertices` vertices; a set is independent when it
 * has no cycle. */
lotor_status lotor_oracle_graphic(size_t arms, const uint32_t *from, const uint32_t *to,
                                  size_t vertices, lotor_message *why, lotor_oracle **out);

/* Arms are vectors of `dimension` integers (row by row), at most 4096 dimensions. A set is
 * independent if its vectors are independent over the rationals; this is decided exactly.
 * LOTOR_OVERFLOW if determinants might have 180 bits or more. The bound on determinants is the
 * product of the lengths of the longest vectors, each divided by the common divisor of its entries.
 * (For rational vectors, clear the denominators of each vector first: this changes no
 * independence.) */
lotor_status lotor_oracle_linear(size_t arms, size_t dimension, const int64_t *vectors,
                                 lotor_message *why, lotor_oracle **out);

/* A custom matroid, given by the caller's test: can `arm` join `count` arms that are independent?
 * The test must be pure and thread-safe; `context` is borrowed. A pick has `rank` arms. If the test
 * lets fewer arms join, which no matroid does, the pick has 0 arms. A rank above what the test
 * allows is refused. */
typedef bool lotor_custom_independence(const void *context, const uint32_t *set, size_t count,
                                       uint32_t arm);
lotor_status lotor_oracle_custom_matroid(size_t arms, size_t rank,
                                         lotor_custom_independence *independent,
                                         const void *context, lotor_message *why,
                                         lotor_oracle **out);

/* Arms are the edges from[i] -> to[i] of a directed graph without cycles. A set is a path from
 * `source` to `sink`, in that order. An edge costs 1 - its weight; the oracle picks the cheapest
 * path, exactly. Infinite indices are compared before any sum: the path with the most edges of
 * index INFINITY wins, then the path with the fewest edges of index -INFINITY or NaN. Among equal
 * paths, compare the edges into the vertex where the paths meet: the edge that comes first in the
 * order wins. The value of a path is minus its cost. */
lotor_status lotor_oracle_path(size_t arms, const uint32_t *from, const uint32_t *to,
                               size_t vertices, uint32_t source, uint32_t sink, lotor_message *why,
                               lotor_oracle **out);

/* Arms are the edges from[i] -> to[i] from `left` vertices to vertices on the right (two separate
 * number ranges, both from 0). Picks `seeds` vertices on the left, one after the other, each time
 * the vertex that adds most to the value; the set is all edges of these vertices. The value is the
 * expected number of vertices on the right that an edge reaches: the sum over them of 1 - prod(1 -
 * weight). alpha = 1 - 1/e. Weights are clamped to [0,1]; NaN counts as 0. Among equal gains, the
 * vertex wins that has the earliest edge in the order. So a vertex without edges is picked only if
 * no other is left. There can be at most 2^24 vertices on the left. */
lotor_status lotor_oracle_coverage(size_t arms, const uint32_t *from, const uint32_t *to,
                                   size_t left, size_t seeds, lotor_message *why,
                                   lotor_oracle **out);

/* Arms are the edges from[i] -> to[i] of a directed graph. Picks `seeds` vertices greedily; the set
 * is every edge that can be reached from them. The value is the expected number of vertices that
 * the seeds activate, including the seeds, if an edge passes activation on with its weight as
 * probability. Expected numbers are averages over `samples` random graphs. Their random numbers are
 * fixed when the oracle is made, so the same weights give the same pick. alpha = 1 - 1/e (less the
 * sampling error, which goes to 0 with more samples). Weights and equal gains are treated as for
 * coverage. `slots` is a bound, exact for one seed: count the edges that each vertex can reach, and
 * sum the `seeds` largest counts. It is at most the number of edges, and equal to it if the graph
 * is large. samples * (arms + vertices) can be at most 2^27. */
lotor_status lotor_oracle_influence(size_t arms, const uint32_t *from, const uint32_t *to,
                                    size_t vertices, size_t seeds, size_t samples,
                                    lotor_message *why, lotor_oracle **out);

/* A custom oracle, given by the caller. `approximate` gets any indices, also infinite ones. It
 * writes at most `most` different arms to `picked` and returns their number. They must be worth at
 * least alpha times the best with probability at least beta; both are in (0,1]. It must be pure and
 * thread-safe; `context` is borrowed. If the result is not a set of arms, the pick has 0 arms.
 * `value` may be NULL: then the value is the sum of the means. */
typedef size_t lotor_custom_pick(const void *context, const double *index, size_t arms,
                                 uint32_t *picked);
typedef double lotor_custom_value(const void *context, const double *means, const uint32_t *set,
                                  size_t count);
lotor_status lotor_oracle_custom_oracle(size_t arms, size_t most, double alpha, double beta,
                                        lotor_custom_pick *approximate, lotor_custom_value *value,
                                        const void *context, lotor_message *why,
                                        lotor_oracle **out);

/* The oracle->seeds vertices that the latest `pick` with this `work` picked, in the order of
 * picking. NULL for an oracle without seeds. */
const uint32_t *lotor_oracle_seeds(const lotor_oracle *oracle, const void *work);

void lotor_oracle_free(lotor_oracle *oracle);

/* Sorts the arms 0..arms-1 by decreasing index into `order`; NaN counts as lowest. Ties are broken
 * by `tie`, higher first, or if `tie` is NULL by the lower arm. */
void lotor_oracle_order(size_t arms, const double *index, const uint64_t *tie, uint32_t *order);

#endif
