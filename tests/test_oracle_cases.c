/* test_oracle_cases.c - oracles on cases computed by hand, refusals, failing memory. */
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/laws.h"
#include "choice/oracle.h"
#include "support/failing_memory.h"

enum { MOST = 12, DIMENSIONS = 5 };

static size_t below(lotor_generator *generator, size_t bound)
{
    return (size_t)(lotor_generator_word(generator) % bound);
}

/* --- golden cases ----------------------------------------------------------------------------- */

/* The set that the oracle picks for these indices. */
static size_t set_for(const lotor_oracle *oracle, const double *index)
{
    uint32_t order[MOST], picked[MOST];
    void *const work = malloc(oracle->work_bytes + 1);
    size_t set = 0;
    assert_non_null(work);
    lotor_oracle_order(oracle->arms, index, NULL, order);
    const size_t count = oracle->pick(oracle, NULL, order, work, picked);
    for (size_t i = 0; i < count; i++) {
        set |= (size_t)1 << picked[i];
    }
    free(work);
    return set;
}

/* Chandak 2023, Table 6.1: the best basis is e1, e2, e3 with 2.15; e7 = (0,0,0) is a loop though
 * its mean is the third largest. */
TEST(test_table_6_1)
{
    static const int64_t vectors[7][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1},
                                          {0, 1, 1}, {2, 0, 0}, {0, 0, 0}};
    static const double mean[7] = {0.80, 0.75, 0.60, 0.20, 0.30, 0.40, 0.70};
    static const double loop_first[7] = {0, 0, 0, 2, 1, 3, INFINITY};
    lotor_oracle *oracle;
    (void)state;
    assert_int_equal(lotor_oracle_linear(7, 3, vectors[0], NULL, &oracle), LOTOR_OK);
    assert_string_equal(oracle->id, "linear");
    assert_int_equal(oracle->arms, 7);
    assert_int_equal(oracle->slots, 3);
    assert_int_equal(set_for(oracle, mean), 1 << 0 | 1 << 1 | 1 << 2);
    assert_int_equal(set_for(oracle, loop_first), 1 << 5 | 1 << 3 | 1 << 4);
    lotor_oracle_free(oracle);
}

/* The number of rows that greedy keeps. Also with loops after them, so that there are more arms
 * than fit in a table. */
static size_t rank_of(size_t rows, size_t dimension, const int64_t *vectors)
{
    int64_t more[MOST * DIMENSIONS] = {0};
    lotor_oracle *oracle;
    assert_int_equal(lotor_oracle_linear(rows, dimension, vectors, NULL, &oracle), LOTOR_OK);
    const size_t rank = oracle->slots;
    lotor_oracle_free(oracle);
    memcpy(more, vectors, rows * dimension * sizeof *more);
    assert_int_equal(lotor_oracle_linear(MOST, dimension, more, NULL, &oracle), LOTOR_OK);
    assert_int_equal(oracle->slots, rank);
    lotor_oracle_free(oracle);
    return rank;
}

/* Determinants that are not 0 but vanish modulo the primes in use, 2^61 - 1, 2^61 - 31 and 2^61 -
 * 45; and large ones that are 0. Computed by hand: the first is 2^31 2^30 - 1, the triangular ones
 * are the products of their diagonals. */
TEST(test_large_entries)
{
    const int64_t first = (INT64_C(1) << 61) - 1;
    const int64_t second = (INT64_C(1) << 61) - 31;
    const int64_t third = (INT64_C(1) << 61) - 45;
    const int64_t is_first[] = {INT64_C(1) << 31, 1, 1, INT64_C(1) << 30};
    const int64_t one_less[] = {INT64_C(1) << 31, 1, INT64_C(1) << 62, INT64_C(1) << 31};
    const int64_t both[] = {first, 1, 0, 0, second, 1, 0, 0, 1};
    const int64_t others[] = {second, 1, 0, 0, third, 1, 0, 0, 1};
    const int64_t zero_entry[] = {first, 1, 2 * (first / 2) + 1, 2};
    const int64_t divided[] = {first, 0, 0, -first};
    const int64_t lowest[] = {INT64_MIN, 1, 1, INT64_MIN, INT64_MIN, INT64_MIN};
    const int64_t multiples[] = {INT64_MAX, INT64_MAX, 1, 1, -7, -7};
    const int64_t sum[] = {1000003, 999983, 5, -77, 123457, 9, 1000003 - 77, 999983 + 123457, 14};
    const int64_t near_sum[] = {1000003,      999983,          5, -77, 123457, 9,
                                1000003 - 77, 999983 + 123457, 15};
    (void)state;
    assert_int_equal(rank_of(2, 2, is_first), 2);
    assert_int_equal(rank_of(2, 2, one_less), 1); /* 2^62 - 2^62 */
    assert_int_equal(rank_of(3, 3, both), 3);
    assert_int_equal(rank_of(3, 3, others), 3);
    assert_int_equal(rank_of(2, 2, zero_entry), 2); /* 2p - p */
    assert_int_equal(rank_of(2, 2, divided), 2);    /* as (1,0) and (0,-1) */
    assert_int_equal(rank_of(3, 2, lowest), 2);
    assert_int_equal(rank_of(3, 2, multiples), 1);
    assert_int_equal(rank_of(3, 3, sum), 2);
    assert_int_equal(rank_of(3, 3, near_sum), 3);
}

/* The diagonal 2^61 + 1 with ones next to it: in 2 dimensions 122 bits, in 3 183. */
TEST(test_overflow)
{
    int64_t vectors[9] = {0};
    lotor_message why;
    lotor_oracle *oracle;
    (void)state;
    for (size_t dimension = 2; dimension <= 3; dimension++) {
        memset(vectors, 0, sizeof vectors);
        for (size_t i = 0; i < dimension; i++) {
            vectors[i * dimension + i] = (INT64_C(1) << 61) + 1;
            vectors[i * dimension + (i + 1) % dimension] = 1;
        }
        const lotor_status status =
            lotor_oracle_linear(dimension, dimension, vectors, &why, &oracle);
        assert_int_equal(status, dimension == 2 ? LOTOR_OK : LOTOR_OVERFLOW);
        lotor_oracle_free(oracle);
    }
    assert_non_null(strstr(why.text, "183 bits"));
    assert_null(oracle);
    for (size_t i = 0; i < 9; i++) {
        vectors[i] *= vectors[i] == 1 ? 0 : 1;
    }
    /* Multiples of small vectors are small. */
    assert_int_equal(lotor_oracle_linear(3, 3, vectors, NULL, &oracle), LOTOR_OK);
    assert_int_equal(oracle->slots, 3);
    lotor_oracle_free(oracle);
}

/* 100 arms over 18 genres, as in Chandak 2023, section 6.1.2. The reference is elimination in long
 * double: determinants are integers below 2^20 here, so 1e-9 separates 0 from the rest. */
static size_t reference_walk(const int64_t *vectors, const uint32_t *order, uint32_t *kept)
{
    enum { ARMS = 100, GENRES = 18 };
    long double row[GENRES][GENRES];
    size_t pivot[GENRES];
    size_t count = 0;
    for (size_t i = 0; i < ARMS && count < GENRES; i++) {
        long double rest[GENRES];
        for (size_t j = 0; j < GENRES; j++) {
            rest[j] = (long double)vectors[order[i] * GENRES + j];
        }
        for (size_t k = 0; k < count; k++) {
            const long double factor = rest[pivot[k]] / row[k][pivot[k]];
            for (size_t j = 0; j < GENRES; j++) {
                rest[j] -= factor * row[k][j];
            }
        }
        size_t largest = 0;
        for (size_t j = 0; j < GENRES; j++) {
            largest = fabsl(rest[j]) > fabsl(rest[largest]) ? j : largest;
        }
        if (fabsl(rest[largest]) > 1e-9L) {
            memcpy(row[count], rest, sizeof rest);
            pivot[count] = largest;
            kept[count++] = order[i];
        }
    }
    return count;
}

TEST(test_genres)
{
    int64_t vectors[100 * 18];
    double index[100];
    uint32_t order[100], picked[100], expected[18];
    lotor_generator generator;
    lotor_oracle *oracle;
    (void)state;
    lotor_generator_seed(&generator, 6);
    for (size_t i = 0; i < 100 * 18; i++) {
        vectors[i] = i % 18 != 17 && below(&generator, 8) == 0; /* no movie has the last genre */
    }
    assert_int_equal(lotor_oracle_linear(100, 18, vectors, NULL, &oracle), LOTOR_OK);
    assert_int_equal(oracle->slots, 17);
    void *const work = malloc(oracle->work_bytes);
    assert_non_null(work);
    for (size_t round = 0; round < 200; round++) {
        for (size_t i = 0; i < 100; i++) {
            index[i] = lotor_random_uniform(&generator);
        }
        lotor_oracle_order(100, index, NULL, order);
        assert_int_equal(reference_walk(vectors, order, expected), 17);
        assert_int_equal(oracle->pick(oracle, NULL, order, work, picked), 17);
        assert_memory_equal(picked, expected, 17 * sizeof *picked);
    }
    free(work);
    lotor_oracle_free(oracle);
}

/* --- refusals --------------------------------------------------------------------------------- */

static void refused(lotor_status status, lotor_status expected, const lotor_message *why,
                    const lotor_oracle *oracle, const char *part)
{
    assert_int_equal(status, expected);
    assert_null(oracle);
    if (!strstr(why->text, part)) {
        fail_msg("\"%s\" has no \"%s\"", why->text, part);
    }
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

static bool never(const void *context, const uint32_t *set, size_t count, uint32_t arm)
{
    (void)context;
    (void)set;
    (void)count;
    (void)arm;
    return false;
}

TEST(test_refusals)
{
    static const uint32_t small[] = {0, 1, 2};
    static const uint32_t none[] = {0, 0, 0};
    static const int64_t zeros[6] = {0};
    lotor_message why;
    lotor_oracle *oracle = NULL;
#define REFUSED(call, part) refused((call), LOTOR_INVALID, &why, oracle, (part))
    (void)state;
    REFUSED(lotor_oracle_top(0, 1, &why, &oracle), "no arms");
    REFUSED(lotor_oracle_top(3, 0, &why, &oracle), "0 slots");
    REFUSED(lotor_oracle_top(2, 9, &why, &oracle),
            "9 slots but only 2 arms: show at most 2 together");
    REFUSED(lotor_oracle_top(SIZE_MAX, 1, &why, &oracle), "too many");
    REFUSED(lotor_oracle_partition(0, small, 3, small, &why, &oracle), "no arms");
    REFUSED(lotor_oracle_partition(3, NULL, 3, small, &why, &oracle), "groups of the arms");
    REFUSED(lotor_oracle_partition(3, small, 3, NULL, &why, &oracle), "capacities");
    REFUSED(lotor_oracle_partition(3, small, 0, small, &why, &oracle), "no groups");
    REFUSED(lotor_oracle_partition(3, small, 2, small, &why, &oracle), "arm 2 is in group 2");
    REFUSED(lotor_oracle_partition(3, small, 3, none, &why, &oracle), "rank 0");
    REFUSED(lotor_oracle_graphic(0, small, none, 3, &why, &oracle), "no arms");
    REFUSED(lotor_oracle_graphic(3, NULL, none, 3, &why, &oracle), "ends of the edges");
    REFUSED(lotor_oracle_graphic(3, small, NULL, 3, &why, &oracle), "ends of the edges");
    REFUSED(lotor_oracle_graphic(3, small, none, 2, &why, &oracle), "arm 2 is the edge 2-0");
    REFUSED(lotor_oracle_graphic(3, none, small, 2, &why, &oracle), "arm 2 is the edge 0-2");
    REFUSED(lotor_oracle_graphic(3, none, none, 0, &why, &oracle), "0 vertices");
    REFUSED(lotor_oracle_graphic(3, small, small, 3, &why, &oracle), "rank 0");
    REFUSED(lotor_oracle_linear(0, 3, zeros, &why, &oracle), "no arms");
    REFUSED(lotor_oracle_linear(2, 0, zeros, &why, &oracle), "dimension 0");
    REFUSED(lotor_oracle_linear(2, 3, NULL, &why, &oracle), "vectors");
    REFUSED(lotor_oracle_linear(2, SIZE_MAX, zeros, &why, &oracle), "dimensions");
    REFUSED(lotor_oracle_linear(2, 3, zeros, &why, &oracle), "rank 0");
    REFUSED(lotor_oracle_custom_matroid(0, 1, never, NULL, &why, &oracle), "no arms");
    REFUSED(lotor_oracle_custom_matroid(3, 0, never, NULL, &why, &oracle), "rank 0");
    REFUSED(lotor_oracle_custom_matroid(3, 1, NULL, NULL, &why, &oracle), "independence test");
    REFUSED(lotor_oracle_custom_matroid(3, 1, never, NULL, &why, &oracle), "rank 0");
    custom_modulus = 2;
    REFUSED(lotor_oracle_custom_matroid(3, 3, residues_differ, &custom_modulus, &why, &oracle),
            "accepts at most 2 of the 3 arms together");
    assert_int_equal(lotor_oracle_top(2, 9, NULL, &oracle), LOTOR_INVALID); /* without a message */
#undef REFUSED
    lotor_oracle_free(NULL);
}

/* --- failing memory --------------------------------------------------------------------------- */

static lotor_status make_one(size_t kind, lotor_oracle **oracle)
{
    static const uint32_t from[] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5};
    static const uint32_t to[] = {1, 2, 2, 3, 3, 4, 4, 5, 5, 0, 0};
    static const uint32_t capacity[] = {1, 2, 1, 2, 1, 2};
    static const int64_t vectors[] = {1, 0, 0, 1, 1, 1, 2, 1, 1, 2, 3,
                                      5, 5, 3, 0, 4, 4, 0, 1, 9, 9, 1};
    lotor_message why;
    custom_modulus = 3;
    switch (kind) {
    case 0:
        return lotor_oracle_top(11, 3, &why, oracle);
    case 1:
        return lotor_oracle_partition(11, from, 6, capacity, &why, oracle);
    case 2: /* with a table */
        return lotor_oracle_graphic(7, from, to, 6, &why, oracle);
    case 3: /* without */
        return lotor_oracle_graphic(11, from, to, 6, &why, oracle);
    case 4:
        return lotor_oracle_linear(7, 2, vectors, &why, oracle);
    case 5:
        return lotor_oracle_linear(11, 2, vectors, &why, oracle);
    default:
        return lotor_oracle_custom_matroid(11, 2, residues_differ, &custom_modulus, &why, oracle);
    }
}

TEST(test_memory)
{
    static const size_t least[] = {1, 3, 5, 4, 14, 12, 2};
    (void)state;
    for (size_t kind = 0; kind < sizeof least / sizeof *least; kind++) {
        lotor_oracle *oracle;
        const size_t live = failing_memory_live();
        failing_memory_start(0);
        assert_int_equal(make_one(kind, &oracle), LOTOR_OK);
        const size_t allocations = failing_memory_stop();
        assert_true(allocations >= least[kind]);
        lotor_oracle_free(oracle);
        assert_int_equal(failing_memory_live(), live);
        for (size_t fails = 1; fails <= allocations; fails++) {
            failing_memory_start(fails);
            const lotor_status status = make_one(kind, &oracle);
            (void)failing_memory_stop();
            assert_int_equal(status, LOTOR_MEMORY);
            assert_null(oracle);
            assert_int_equal(failing_memory_live(), live);
        }
    }
}
