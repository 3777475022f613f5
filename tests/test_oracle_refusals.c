/* test_oracle_refusals.c - refusals of the oracles that are not matroids, custom oracles, and
 * failing memory. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "choice/oracle.h"
#include "support/failing_memory.h"

static void refused(lotor_status status, const lotor_message *why, const lotor_oracle *oracle,
                    const char *part)
{
    assert_int_equal(status, LOTOR_INVALID);
    assert_null(oracle);
    if (!strstr(why->text, part)) {
        fail_msg("\"%s\" has no \"%s\"", why->text, part);
    }
}

#define REFUSED(call, part) refused((call), &why, oracle, (part))

static const uint32_t up[] = {0, 1, 2};
static const uint32_t next[] = {1, 2, 3};

TEST(test_path)
{
    static const uint32_t round[] = {1, 2, 0}, loop[] = {1, 1, 3};
    static const uint32_t behind[] = {1, 2, 3, 3}, cycle[] = {2, 1, 4, 5};
    lotor_message why;
    lotor_oracle *oracle = NULL;
    (void)state;
    REFUSED(lotor_oracle_path(0, up, next, 4, 0, 3, &why, &oracle), "no arms");
    REFUSED(lotor_oracle_path((size_t)1 << 30, up, next, 4, 0, 3, &why, &oracle), "too many");
    REFUSED(lotor_oracle_path(SIZE_MAX, up, next, 4, 0, 3, &why, &oracle), "too many");
    REFUSED(lotor_oracle_path(3, NULL, next, 4, 0, 3, &why, &oracle), "ends of the edges");
    REFUSED(lotor_oracle_path(3, up, NULL, 4, 0, 3, &why, &oracle), "ends of the edges");
    REFUSED(lotor_oracle_path(3, up, next, 3, 0, 2, &why, &oracle), "arm 2 is the edge 2-3");
    REFUSED(lotor_oracle_path(3, up, next, 4, 4, 3, &why, &oracle), "the source is vertex 4");
    REFUSED(lotor_oracle_path(3, up, next, 4, 0, 4, &why, &oracle), "and the sink 4");
    REFUSED(lotor_oracle_path(3, up, next, 4, 2, 2, &why, &oracle), "both vertex 2");
    REFUSED(lotor_oracle_path(3, up, next, 4, 3, 0, &why, &oracle),
            "no path leads from the source, vertex 3, to the sink, vertex 0");
    REFUSED(lotor_oracle_path(3, up, next, 9, 0, 8, &why, &oracle), "no path"); /* no edge there */
    REFUSED(lotor_oracle_path(3, up, round, 4, 0, 2, &why, &oracle), "is on a cycle");
    REFUSED(lotor_oracle_path(3, up, loop, 4, 0, 1, &why, &oracle),
            "arm 1, the edge 1-1, is on a cycle");
    /* 1 and 2 go round; 3, 4 and 5 come behind them, on no cycle. */
    REFUSED(lotor_oracle_path(4, behind, cycle, 6, 3, 4, &why, &oracle), "-");
    assert_true(strncmp(why.text, "arm 0,", 6) == 0 || strncmp(why.text, "arm 1,", 6) == 0);
    assert_int_equal(lotor_oracle_path(3, up, next, 4, 3, 0, NULL, &oracle), LOTOR_INVALID);
}

TEST(test_coverage)
{
    lotor_message why;
    lotor_oracle *oracle = NULL;
    (void)state;
    REFUSED(lotor_oracle_coverage(0, up, next, 3, 1, &why, &oracle), "no arms");
    REFUSED(lotor_oracle_coverage(SIZE_MAX, up, next, 3, 1, &why, &oracle), "too many");
    REFUSED(lotor_oracle_coverage(3, NULL, next, 3, 1, &why, &oracle), "ends of the edges");
    REFUSED(lotor_oracle_coverage(3, up, NULL, 3, 1, &why, &oracle), "ends of the edges");
    REFUSED(lotor_oracle_coverage(3, up, next, 2, 1, &why, &oracle),
            "arm 2 is an edge of vertex 2, but there are 2");
    REFUSED(lotor_oracle_coverage(3, up, next, 0, 1, &why, &oracle), "there are 0");
    REFUSED(lotor_oracle_coverage(3, up, next, 3, 0, &why, &oracle), "0 seeds");
    REFUSED(lotor_oracle_coverage(3, up, next, 3, 4, &why, &oracle), "4 seeds but only 3");
    REFUSED(lotor_oracle_coverage(3, up, next, SIZE_MAX, 1, &why, &oracle),
            "give at most 16777216");
    assert_int_equal(lotor_oracle_coverage(3, up, next, 3, 4, NULL, &oracle), LOTOR_INVALID);
}

/* 2^27 / (3 + 4), in whole words: 299593 of 64. */
TEST(test_influence)
{
    lotor_message why;
    lotor_oracle *oracle = NULL;
    (void)state;
    REFUSED(lotor_oracle_influence(0, up, next, 4, 1, 9, &why, &oracle), "no arms");
    REFUSED(lotor_oracle_influence(SIZE_MAX, up, next, 4, 1, 9, &why, &oracle), "too many");
    REFUSED(lotor_oracle_influence(3, NULL, next, 4, 1, 9, &why, &oracle), "ends of the edges");
    REFUSED(lotor_oracle_influence(3, up, NULL, 4, 1, 9, &why, &oracle), "ends of the edges");
    REFUSED(lotor_oracle_influence(3, up, next, 3, 1, 9, &why, &oracle), "arm 2 is the edge 2-3");
    REFUSED(lotor_oracle_influence(3, up, next, 4, 0, 9, &why, &oracle), "0 seeds");
    REFUSED(lotor_oracle_influence(3, up, next, 4, 5, 9, &why, &oracle), "5 seeds but only 4");
    REFUSED(lotor_oracle_influence(3, up, next, 4, 1, 0, &why, &oracle), "0 samples");
    REFUSED(lotor_oracle_influence(3, up, next, 4, 1, SIZE_MAX, &why, &oracle),
            "give at most 19173952 samples");
    REFUSED(lotor_oracle_influence(3, up, next, 4, 1, 19173953, &why, &oracle), "are too many");
    REFUSED(lotor_oracle_influence(3, up, next, SIZE_MAX, 1, 9, &why, &oracle), "too large");
    REFUSED(lotor_oracle_influence(3, up, next, 2097150, 1, 1, &why, &oracle),
            "give at most 2097152 in all");
    assert_int_equal(lotor_oracle_influence(3, up, next, 4, 5, 9, NULL, &oracle), LOTOR_INVALID);
}

/* --- custom oracles --------------------------------------------------------------------------- */

/* The result of the custom oracle, for any indices. */
typedef struct answer {
    size_t count;
    uint32_t arms[4];
} answer;

static size_t give(const void *context, const double *index, size_t arms, uint32_t *picked)
{
    const answer *const given = context;
    assert_int_equal(arms, 9);
    assert_true(index[8] == INFINITY);
    memcpy(picked, given->arms, (given->count < 4 ? given->count : 3) * sizeof *picked);
    return given->count;
}

/* The largest of the means. */
static double largest(const void *context, const double *means, const uint32_t *set, size_t count)
{
    double most = -1;
    assert_non_null(context);
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, means[set[i]]);
    }
    return most;
}

TEST(test_own_refusals)
{
    lotor_message why;
    lotor_oracle *oracle = NULL;
    (void)state;
    REFUSED(lotor_oracle_custom_oracle(0, 1, 1, 1, give, NULL, NULL, &why, &oracle), "no arms");
    REFUSED(lotor_oracle_custom_oracle(9, 0, 1, 1, give, NULL, NULL, &why, &oracle),
            "at most 0 arms");
    REFUSED(lotor_oracle_custom_oracle(9, 10, 1, 1, give, NULL, NULL, &why, &oracle),
            "at most 10 arms");
    REFUSED(lotor_oracle_custom_oracle(9, 3, 1, 1, NULL, NULL, NULL, &why, &oracle),
            "picks is missing");
    static const double wrong[] = {0, -0.5, 1.0000001, NAN, INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        REFUSED(lotor_oracle_custom_oracle(9, 3, wrong[i], 1, give, NULL, NULL, &why, &oracle),
                "alpha");
        REFUSED(lotor_oracle_custom_oracle(9, 3, 1, wrong[i], give, NULL, NULL, &why, &oracle),
                "beta");
    }
    assert_int_equal(lotor_oracle_custom_oracle(9, 0, 1, 1, give, NULL, NULL, NULL, &oracle),
                     LOTOR_INVALID);
}

TEST(test_own)
{
    static const answer answers[] = {
        {3, {8, 0, 5}},       {0, {0}},       {3, {8, 9, 5}},  {3, {8, 5, 8}},
        {2, {UINT32_MAX, 1}}, {4, {0, 1, 2}}, {SIZE_MAX, {0}}, {1, {7}},
    };
    static const size_t counts[] = {3, 0, 0, 0, 0, 0, 0, 1};
    static const double index[9] = {0.5, 0, 0, 0, 0, 0.25, 0, 0.125, INFINITY};
    static const double means[9] = {0.5, 0, 0, 0, 0, 0.25, 0, 0.125, 0.125};
    uint32_t order[9], picked[3];
    (void)state;
    lotor_oracle_order(9, index, NULL, order);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        lotor_oracle *sum, *most;
        assert_int_equal(
            lotor_oracle_custom_oracle(9, 3, 0.5, 0.25, give, NULL, &answers[i], NULL, &sum),
            LOTOR_OK);
        assert_int_equal(
            lotor_oracle_custom_oracle(9, 3, 0.5, 0.25, give, largest, &answers[i], NULL, &most),
            LOTOR_OK);
        assert_string_equal(sum->id, "own");
        assert_int_equal(sum->slots, 3);
        assert_int_equal(sum->seeds, 0);
        assert_true(sum->alpha == 0.5 && sum->beta == 0.25 && !sum->by_order);
        void *const work = malloc(sum->work_bytes);
        assert_non_null(work);
        memset(work, 0xff, sum->work_bytes);
        assert_int_equal(sum->pick(sum, index, order, work, picked), counts[i]);
        if (counts[i] > 0) {
            assert_memory_equal(picked, answers[i].arms, counts[i] * sizeof *picked);
        }
        assert_true(lotor_oracle_value(sum, means, picked, counts[i], work) ==
                    (i == 0 ? 0.875 : (double)counts[i] * 0.125));
        assert_true(lotor_oracle_value(most, means, picked, counts[i], work) == (i == 0 ? 0.5
                                                                                 : counts[i] == 0
                                                                                     ? -1
                                                                                     : 0.125));
        free(work);
        lotor_oracle_free(sum);
        lotor_oracle_free(most);
    }
}

/* --- failing memory --------------------------------------------------------------------------- */

static lotor_status make_one(size_t kind, lotor_message *why, lotor_oracle **oracle)
{
    switch (kind) {
    case 0:
        return lotor_oracle_path(3, up, next, 4, 0, 3, why, oracle);
    case 1:
        return lotor_oracle_coverage(3, up, next, 3, 2, why, oracle);
    case 2:
        return lotor_oracle_influence(3, up, next, 4, 2, 100, why, oracle);
    default:
        return lotor_oracle_custom_oracle(9, 3, 1, 1, give, NULL, NULL, why, oracle);
    }
}

/* The k-th allocation fails, for every k. Picks and values allocate nothing. */
TEST(test_memory)
{
    static const size_t least[] = {3, 3, 3, 1};
    static const double index[] = {1, 0.5, 0.25};
    (void)state;
    for (size_t kind = 0; kind < sizeof least / sizeof *least; kind++) {
        lotor_message why;
        lotor_oracle *oracle;
        const size_t live = failing_memory_live();
        failing_memory_start(0);
        assert_int_equal(make_one(kind, &why, &oracle), LOTOR_OK);
        const size_t allocations = failing_memory_stop();
        assert_true(allocations >= least[kind]);
        if (kind < 3) {
            uint32_t picked[3];
            void *const work = malloc(oracle->work_bytes);
            assert_non_null(work);
            failing_memory_start(1);
            const size_t count = oracle->pick(oracle, index, up, work, picked);
            assert_true(isfinite(lotor_oracle_value(oracle, index, picked, count, work)));
            assert_int_equal(failing_memory_stop(), 0);
            free(work);
        }
        lotor_oracle_free(oracle);
        assert_int_equal(failing_memory_live(), live);
        for (size_t fails = 1; fails <= allocations; fails++) {
            failing_memory_start(fails);
            const lotor_status status = make_one(kind, &why, &oracle);
            (void)failing_memory_stop();
            assert_int_equal(status, LOTOR_MEMORY);
            assert_null(oracle);
            assert_non_null(strstr(why.text, "no memory for"));
            assert_int_equal(failing_memory_live(), live);
        }
    }
}
