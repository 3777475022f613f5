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
    const char *id;    /* "best", "top", "partition", "graphic", "linear", "custom" */
    size_t arms;       /* how many there are to choose from */
    size_t slots;      /* the most that it picks: a matroid's rank */
    bool by_order;     /* looks at the order alone: the same order gives the same set */
    double alpha;      /* it finds at least alpha times the best ... */
    double beta;       /* ... with probability at least beta */
    size_t work_bytes; /* scratch memory for one call of `pick`, aligned as malloc does */
    size_t (*pick)(const lotor_oracle *oracle, const double *index, const uint32_t *order,
                   void *work, uint32_t *picked); /* returns how many */
    void (*destroy)(lotor_oracle *oracle);
};

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
 * thread-safe; `context` is borrowed. At most `rank` arms are picked; a rank above what the test
 * allows is refused. */
typedef bool lotor_independence(const void *context, const uint32_t *set, size_t count,
                                uint32_t arm);
lotor_status lotor_oracle_custom(size_t arms, size_t rank, lotor_independence *independent,
                                 const void *context, lotor_message *why, lotor_oracle **out);

void lotor_oracle_free(lotor_oracle *oracle);

/* Sorts 0..arms-1 by decreasing index into `order` (infinite first), ties broken by `tie`, higher
 * first (NULL: the lower arm first). NaN counts as lowest. */
void lotor_oracle_order(size_t arms, const double *index, const uint64_t *tie, uint32_t *order);

#endif
