/* test_oracle_order.c - compares the order of the arms with qsort. */
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/random/laws.h"
#include "choice/oracle.h"

static size_t below(lotor_generator *generator, size_t bound)
{
    return (size_t)(lotor_generator_word(generator) % bound);
}

static const double *compared_index;
static const uint64_t *compared_tie;

static int compare(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    const double x = compared_index[a];
    const double y = compared_index[b];
    if (isnan(x) || isnan(y)) {
        if (!isnan(x) || !isnan(y)) {
            return isnan(x) ? 1 : -1;
        }
    } else if (x != y) {
        return x > y ? -1 : 1;
    }
    if (compared_tie && compared_tie[a] != compared_tie[b]) {
        return compared_tie[a] > compared_tie[b] ? -1 : 1;
    }
    return a < b ? -1 : 1;
}

/* One in `special` numbers is an infinity or another special value; 0: none is. */
static void order_against_qsort(lotor_generator *generator, size_t arms, size_t special, bool tied)
{
    enum { ARMS = 5000 };
    static const double awkward[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0, -0.0, 0.5};
    static double index[ARMS];
    static uint64_t tie[ARMS];
    static uint32_t order[ARMS + 1], expected[ARMS];
    assert_true(arms <= ARMS);
    for (size_t i = 0; i < arms; i++) {
        index[i] = lotor_random_gaussian(generator);
        if (special && below(generator, special) == 0) {
            index[i] = awkward[below(generator, sizeof awkward / sizeof *awkward)];
        }
        tie[i] = below(generator, 2) ? UINT64_MAX : lotor_generator_word(generator) % 4;
        expected[i] = (uint32_t)i;
    }
    compared_index = index;
    compared_tie = tied ? tie : NULL;
    qsort(expected, arms, sizeof *expected, compare);
    order[arms] = 77;
    lotor_oracle_order(arms, index, compared_tie, order);
    assert_memory_equal(order, expected, arms * sizeof *order);
    assert_int_equal(order[arms], 77);
}

TEST(test_order)
{
    static const size_t sizes[] = {0,   1,   2,   3,   4,   5,    6,    7,    8,    9,   15,
                                   16,  17,  20,  31,  32,  33,   48,   49,   100,  127, 128,
                                   129, 257, 500, 512, 513, 1000, 1023, 1024, 1025, 5000};
    lotor_generator generator;
    (void)state;
    lotor_generator_seed(&generator, 7);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t round = 0; round < (sizes[i] < 100 ? 200 : 10); round++) {
            for (size_t special = 0; special <= 10; special = special * 2 + 1) {
                order_against_qsort(&generator, sizes[i], special, round % 2);
            }
        }
    }
}
