/* oracle.h - what may be shown together, and the best of it.
 *
 * An oracle gets the arms in decreasing order of their index (ties already broken, infinite ones
 * first) and the indices, and picks a feasible set. Matroid oracles look at the order alone: they
 * walk it greedily and keep each arm that stays independent (Chandak 2023, Algorithm 1).
 *
 * An oracle is read-only once made, and shared between threads; each caller brings its own `work`.
 */
#ifndef LOTOR_CHOICE_ORACLE_H
#define LOTOR_CHOICE_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

typedef struct lotor_oracle lotor_oracle;

/* What kinds of oracles have in common; `lotor_oracle` is the first member of each one's own. */
struct lotor_oracle {
    const char *id;    /* "best", "top", "partition", "graphic", "linear", "custom", "path",
                          "coverage", "influence", "own" */
    size_t arms;       /* how many there are to choose from */
    size_t slots;      /* the most that it picks: a matroid's rank; see also "influence" */
    size_t seeds;      /* vertices that it picks, which the arms follow from; 0: it has none */
    bool by_order;     /* looks at the order alone: the same order gives the same set */
    bool takes_first;  /* takes the first `slots` of the order, whichever they are */
    double alpha;      /* it finds at least alpha times the best ... */
    double beta;       /* ... with probability at least beta */
    size_t work_bytes; /* scratch memory for one call of `pick`, aligned as malloc does */
    size_t (*pick)(const lotor_oracle *oracle, const double *index, const uint32_t *order,
                   void *work, uint32_t *picked); /* returns how many; 0: it can't */
    double (*value)(const lotor_oracle *oracle, const double *weights, const uint32_t *set,
                    size_t count, void *work); /* NULL: the sum of the weights */
    void (*destroy)(lotor_oracle *oracle);
};

/* What showing the set pays on average, when arm i's mean is weights[i]. `set` is what the latest
 * `pick` with this `work` gave: an influence oracle looks at the seeds that are still in there
 * (they stay), as the edges don't tell them. All others look at the set alone. */
double lotor_oracle_value(const lotor_oracle *oracle, const double *weights, const uint32_t *set,
                          size_t count, void *work);

/* The `slots` best arms; slots = 1 is the best arm. The caller frees every oracle. */
lotor_status lotor_oracle_top(size_t arms, size_t slots, lotor_message *why, lotor_oracle **out);

/* At most capacity[g] arms of each group; group[i] < groups is arm i's. Arrays are copied. */
lotor_status lotor_oracle_partition(size_t arms, const uint32_t *group, size_t groups,
                                    const uint32_t *capacity, lotor_message *why,
                                    lotor_oracle **out);

/* Arms are edges from[i]-to[i] of a graph on `vertices` vertices; a set is independent when it
 * has no cycle. */
lotor_status lotor_oracle_graphic(size_t arms, const uint32_t *from, const uint32_t *to,
                                  size_t vertices, lotor_message *why, lotor_oracle **out);

/* Arms are vectors of `dimension` integers (row by row); independence over the rationals, exactly.
 * LOTOR_OVERFLOW when determinants might have 180 bits or more: the lengths of the longest vectors
 * (each divided by what its entries have in common), multiplied. At most 4096 dimensions. (Rational
 * vectors: clear the denominators of each first, which changes no independence.) */
lotor_status lotor_oracle_linear(size_t arms, size_t dimension, const int64_t *vectors,
                                 lotor_message *why, lotor_oracle **out);

/* The caller's own matroid: may `arm` join `count` arms that are independent? Must be pure and
 * thread-safe; `context` is borrowed. `rank` arms are picked, or 0 where the test lets fewer join, which no
 * matroid's does; a rank above what the test allows is refused. */
typedef bool lotor_independence(const void *context, const uint32_t *set, size_t count,
                                uint32_t arm);
lotor_status lotor_oracle_custom(size_t arms, size_t rank, lotor_independence *independent,
                                 const void *context, lotor_message *why, lotor_oracle **out);

/* Arms are the edges from[i] -> to[i] of a directed graph without cycles; a set is a path from
 * `source` to `sink`, in that order. An edge costs 1 - its weight: picks the cheapest path. Edges
 * of infinite index come before any sum: a path with the most of them; then those of index
 * -INFINITY or NaN: with the fewest. Equal paths: the one whose edge into the vertex where they
 * meet comes first in the order. Its value is minus its cost. Exact. */
lotor_status lotor_oracle_path(size_t arms, const uint32_t *from, const uint32_t *to,
                               size_t vertices, uint32_t source, uint32_t sink, lotor_message *why,
                               lotor_oracle **out);

/* Arms are the edges from[i] -> to[i] between `left` vertices and others (two number ranges, both
 * from 0). Picks `seeds` vertices on the left, one after the other, each the one that adds most to
 * the value; the set is all their edges. Value: the expected number of vertices on the right that
 * an edge reaches, the sum over them of 1 - prod(1 - weight). alpha = 1 - 1/e. Weights outside
 * [0,1] count as the nearer end, NaN as 0. Equal gains: the vertex with an edge that comes first in
 * the order, so one without edges is picked only when no other is left. At most 2^24 of them. */
lotor_status lotor_oracle_coverage(size_t arms, const uint32_t *from, const uint32_t *to,
                                   size_t left, size_t seeds, lotor_message *why,
                                   lotor_oracle **out);

/* Arms are the edges from[i] -> to[i] of a directed graph. Picks `seeds` vertices greedily; the set
 * is every edge that they can reach. Value: the expected number of vertices that the seeds
 * activate, themselves included, when an edge passes activation on with its weight as probability.
 * Expected spreads are averages over `samples` draws of the graph, made with fixed random numbers
 * when the oracle is made, so the same weights give the same answer. alpha = 1 - 1/e (less the
 * sampling error, which goes to 0 with more samples). Weights and equal gains as for coverage.
 * `slots` is what can be reached from the vertices that reach most edges, added up, or all edges if
 * that is less (or the graph is large): exact for one seed, else a bound. At most 2^27 samples *
 * (arms + vertices). */
lotor_status lotor_oracle_influence(size_t arms, const uint32_t *from, const uint32_t *to,
                                    size_t vertices, size_t seeds, size_t samples,
                                    lotor_message *why, lotor_oracle **out);

/* The caller's own oracle: finds, for any indices (INFINITY among them), at most `most` different
 * arms that are worth at least alpha times the best with probability at least beta; both in (0,1].
 * Must be pure and thread-safe, and write at most `most` arms to `picked`; `context` is borrowed.
 * An answer that is no set of arms is turned into 0 arms. `value` may be NULL: the sum. */
typedef size_t lotor_approximation(const void *context, const double *index, size_t arms,
                                   uint32_t *picked);
typedef double lotor_set_value(const void *context, const double *means, const uint32_t *set,
                               size_t count);
lotor_status lotor_oracle_own(size_t arms, size_t most, double alpha, double beta,
                              lotor_approximation *approximate, lotor_set_value *value,
                              const void *context, lotor_message *why, lotor_oracle **out);

/* The vertices picked by the latest `pick` with this `work`: oracle->seeds of them, in the order in
 * which they were picked. NULL for an oracle without seeds. */
const uint32_t *lotor_oracle_seeds(const lotor_oracle *oracle, const void *work);

void lotor_oracle_free(lotor_oracle *oracle);

/* Sorts 0..arms-1 by decreasing index into `order` (infinite first), ties broken by `tie`, higher
 * first (NULL: the lower arm first). NaN counts as lowest. */
void lotor_oracle_order(size_t arms, const double *index, const uint64_t *tie, uint32_t *order);

#endif
