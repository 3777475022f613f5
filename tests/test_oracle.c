/* test_oracle.c - compares oracles with brute force.
 *
 * Random matroids on up to 12 arms. Every subset is tested for independence by a method that shares
 * nothing with the library (elimination by cross-multiplication in 128-bit integers, a walk through
 * the graph, counting). The greedy set must weigh as much as the best basis. Up to 10 arms the
 * library looks sets up in a table, above it computes them: the test covers both. */
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/laws.h"
#include "choice/oracle.h"

enum { MOST = 12, DIMENSIONS = 5, MATROIDS = 150, WEIGHTS = 20 };

__extension__ typedef __int128 wide;

static size_t below(lotor_generator *generator, size_t bound)
{
    return (size_t)(lotor_generator_word(generator) % bound);
}

/* The weight of a set: infinities are counted, the finite rest is a sum of quarters. */
typedef struct worth {
    int infinite; /* +infinity: 1, -infinity: -100 */
    double finite;
} worth;

static worth worth_of(const double *weight, size_t set)
{
    worth sum = {0, 0};
    for (size_t i = 0; set >> i; i++) {
        if (!(set >> i & 1)) {
            continue;
        }
        if (isinf(weight[i])) {
            sum.infinite += weight[i] > 0 ? 1 : -100;
        } else {
            sum.finite += weight[i];
        }
    }
    return sum;
}

static bool less(worth a, worth b)
{
    return a.infinite != b.infinite ? a.infinite < b.infinite : a.finite < b.finite;
}

/* The greedy choice for these weights, as a set. */
static size_t greedy(const lotor_oracle *oracle, const double *weight, const uint64_t *tie)
{
    uint32_t order[MOST], picked[MOST + 1];
    void *const work = malloc(oracle->work_bytes + 1);
    assert_non_null(work);
    picked[oracle->slots] = 77;
    lotor_oracle_order(oracle->arms, weight, tie, order);
    const size_t count = oracle->pick(oracle, NULL, order, work, picked);
    assert_int_equal(count, oracle->slots);
    assert_int_equal(picked[oracle->slots], 77); /* nothing is written after them */
    size_t set = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(picked[i] < oracle->arms);
        assert_false(set >> picked[i] & 1);
        assert_true(i == 0 || weight[picked[i - 1]] >= weight[picked[i]]);
        set |= (size_t)1 << picked[i];
    }
    free(work);
    return set;
}

static void against_brute_force(lotor_generator *generator, lotor_oracle *oracle,
                                const bool *independent)
{
    static const double choices[] = {-INFINITY, -1, -0.25, 0, 0.25, 0.5, 0.75, 1, INFINITY};
    const size_t sets = (size_t)1 << oracle->arms;
    size_t rank = 0;
    for (size_t set = 0; set < sets; set++) {
        const size_t size = (size_t)__builtin_popcountll(set);
        rank = independent[set] && size > rank ? size : rank;
    }
    assert_int_equal(oracle->slots, rank);
    assert_true(oracle->by_order && oracle->alpha == 1 && oracle->beta == 1);

    for (size_t round = 0; round < WEIGHTS; round++) {
        double weight[MOST];
        uint64_t tie[MOST];
        for (size_t i = 0; i < oracle->arms; i++) {
            weight[i] = choices[below(generator, sizeof choices / sizeof *choices)];
            tie[i] = lotor_generator_word(generator) % 3;
        }
        const size_t found = greedy(oracle, weight, round % 2 ? tie : NULL);
        const worth is = worth_of(weight, found);
        assert_true(independent[found]);
        for (size_t set = 0; set < sets; set++) {
            if (independent[set] && (size_t)__builtin_popcountll(set) == rank) {
                assert_false(less(is, worth_of(weight, set)));
            }
        }
    }
    lotor_oracle_free(oracle);
}

/* Makes a random matroid of one kind and fills the table of independent sets. */
typedef void maker(lotor_generator *generator, size_t arms, bool *independent, lotor_status *status,
                   lotor_oracle **oracle);

static void random_matroids(maker *make, uint64_t seed)
{
    static bool independent[1 << MOST];
    lotor_generator generator;
    size_t ranked = 0;
    lotor_generator_seed(&generator, seed);
    for (size_t i = 0; i < MATROIDS; i++) {
        const size_t arms = 1 + below(&generator, MOST);
        lotor_status status = LOTOR_OK;
        lotor_oracle *oracle = NULL;
        make(&generator, arms, independent, &status, &oracle);
        bool any = false;
        for (size_t j = 0; j < arms; j++) {
            any |= independent[(size_t)1 << j];
        }
        assert_int_equal(status, any ? LOTOR_OK : LOTOR_INVALID); /* loops only are refused */
        if (any) {
            ranked++;
            against_brute_force(&generator, oracle, independent);
        }
    }
    assert_true(ranked > MATROIDS / 2);
}

/* Entries up to 3 in 5 dimensions: after k steps a number has at most 2, 5, 11, 23, 47, 95 bits. */
static bool rows_independent(const int64_t *vectors, size_t dimension, size_t set)
{
    wide row[MOST][DIMENSIONS];
    size_t rows = 0;
    for (size_t i = 0; set >> i; i++) {
        for (size_t j = 0; (set >> i & 1) && j < dimension; j++) {
            row[rows][j] = vectors[i * dimension + j];
        }
        rows += set >> i & 1;
    }
    if (rows > dimension) {
        return false;
    }
    for (size_t i = 0; i < rows; i++) {
        size_t pivot = 0;
        while (pivot < dimension && row[i][pivot] == 0) {
            pivot++;
        }
        if (pivot == dimension) {
            return false;
        }
        for (size_t k = i + 1; k < rows; k++) {
            const wide factor = row[k][pivot];
            for (size_t j = 0; j < dimension; j++) {
                row[k][j] = row[k][j] * row[i][pivot] - row[i][j] * factor;
            }
        }
    }
    return true;
}

static void make_linear(lotor_generator *generator, size_t arms, bool *independent,
                        lotor_status *status, lotor_oracle **oracle)
{
    int64_t vectors[MOST * DIMENSIONS];
    const size_t dimension = 1 + below(generator, DIMENSIONS);
    const size_t widest = 1 + below(generator, 3);
    for (size_t i = 0; i < arms * dimension; i++) {
        vectors[i] = (int64_t)below(generator, 2 * widest + 1) - (int64_t)widest;
        vectors[i] *= below(generator, 2) == 0; /* loops and multiples happen */
    }
    for (size_t set = 0; set < (size_t)1 << arms; set++) {
        independent[set] = rows_independent(vectors, dimension, set);
    }
    *status = lotor_oracle_linear(arms, dimension, vectors, NULL, oracle);
}

TEST(test_linear)
{
    random_matroids(make_linear, 1);
}

/* True if a walk from `at`, never back along the edge it came by, reaches a vertex twice. */
static bool walk_finds_cycle(const uint32_t *from, const uint32_t *to, size_t set, uint32_t at,
                             size_t came_by, bool *seen)
{
    if (seen[at]) {
        return true;
    }
    seen[at] = true;
    for (size_t i = 0; set >> i; i++) {
        if (!(set >> i & 1) || i == came_by || (from[i] != at && to[i] != at)) {
            continue;
        }
        if (walk_finds_cycle(from, to, set, from[i] == at ? to[i] : from[i], i, seen)) {
            return true;
        }
    }
    return false;
}

static void make_graphic(lotor_generator *generator, size_t arms, bool *independent,
                         lotor_status *status, lotor_oracle **oracle)
{
    uint32_t from[MOST], to[MOST];
    const size_t vertices = 1 + below(generator, 8);
    for (size_t i = 0; i < arms; i++) {
        from[i] = (uint32_t)below(generator, vertices);
        to[i] = (uint32_t)below(generator, vertices);
    }
    for (size_t set = 0; set < (size_t)1 << arms; set++) {
        bool seen[8] = {false};
        bool cycle = false;
        for (uint32_t i = 0; i < vertices; i++) {
            cycle |= !seen[i] && walk_finds_cycle(from, to, set, i, MOST, seen);
        }
        independent[set] = !cycle;
    }
    *status = lotor_oracle_graphic(arms, from, to, vertices, NULL, oracle);
}

TEST(test_graphic)
{
    random_matroids(make_graphic, 2);
}

static bool within_capacity(const uint32_t *group, const uint32_t *capacity, size_t groups,
                            size_t set)
{
    for (size_t i = 0; i < groups; i++) {
        size_t members = 0;
        for (size_t j = 0; set >> j; j++) {
            members += (set >> j & 1) && group[j] == i;
        }
        if (members > capacity[i]) {
            return false;
        }
    }
    return true;
}

static void make_partition(lotor_generator *generator, size_t arms, bool *independent,
                           lotor_status *status, lotor_oracle **oracle)
{
    uint32_t group[MOST], capacity[4];
    const size_t groups = 1 + below(generator, 4);
    for (size_t i = 0; i < groups; i++) {
        capacity[i] = (uint32_t)below(generator, 4);
    }
    for (size_t i = 0; i < arms; i++) {
        group[i] = (uint32_t)below(generator, groups);
    }
    for (size_t set = 0; set < (size_t)1 << arms; set++) {
        independent[set] = within_capacity(group, capacity, groups, set);
    }
    *status = lotor_oracle_partition(arms, group, groups, capacity, NULL, oracle);
}

TEST(test_partition)
{
    random_matroids(make_partition, 3);
}

static void make_top(lotor_generator *generator, size_t arms, bool *independent,
                     lotor_status *status, lotor_oracle **oracle)
{
    const size_t slots = 1 + below(generator, arms);
    for (size_t set = 0; set < (size_t)1 << arms; set++) {
        independent[set] = (size_t)__builtin_popcountll(set) <= slots;
    }
    *status = lotor_oracle_top(arms, slots, NULL, oracle);
    assert_string_equal((*oracle)->id, slots == 1 ? "best" : "top");
}

TEST(test_top)
{
    random_matroids(make_top, 4);
}

/* A custom matroid: arms whose numbers differ modulo *context are independent. */
static bool residues_differ(const void *context, const uint32_t *set, size_t count, uint32_t arm)
{
    const uint32_t modulus = *(const uint32_t *)context;
    for (size_t i = 0; i < count; i++) {
        if (set[i] % modulus == arm % modulus) {
            return false;
        }
    }
    return true;
}

static uint32_t custom_modulus; /* outlives the oracle */

static void make_custom(lotor_generator *generator, size_t arms, bool *independent,
                        lotor_status *status, lotor_oracle **oracle)
{
    custom_modulus = 1 + (uint32_t)below(generator, 6);
    const size_t most = arms < custom_modulus ? arms : custom_modulus;
    const size_t rank = 1 + below(generator, most); /* a lower rank cuts the matroid off */
    for (size_t set = 0; set < (size_t)1 << arms; set++) {
        size_t residues = 0;
        for (size_t i = 0; set >> i; i++) {
            residues |= (set >> i & 1) << i % custom_modulus;
        }
        const int size = __builtin_popcountll(set);
        independent[set] = __builtin_popcountll(residues) == size && (size_t)size <= rank;
    }
    *status =
        lotor_oracle_custom_matroid(arms, rank, residues_differ, &custom_modulus, NULL, oracle);
}

TEST(test_custom)
{
    random_matroids(make_custom, 5);
}
