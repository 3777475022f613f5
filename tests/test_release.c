/* test_release.c - compares the mechanisms with plain models of themselves.
 *
 * A second source with the same seed predicts the noise, so every output is compared with the
 * definition, to the last unit.
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "privacy/release/batch.h"
#include "privacy/release/counter.h"
#include "privacy/release/sparse.h"
#include "privacy/release/statistic.h"
#include "privacy/release/tree.h"
#include "support/draw.h"
#include "support/test_source.h"

enum { STEPS = 300, UNIT = 1 << 20 };

static test_source source, twin;

static lotor_release_params params_of(const lotor_statistic_kind *kind, lotor_ratio epsilon,
                                      size_t dimension)
{
    return (lotor_release_params){
        .dimension = dimension,
        .horizon = kind->needs_horizon ? STEPS : 0,
        .epsilon = epsilon,
        .delta = kind->law == LOTOR_LAW_GAUSSIAN ? lotor_ratio_of(1, 100000) : lotor_ratio_of(0, 1),
        .l1 = UNIT * (uint64_t)dimension,
        .l2 = UNIT * 2,
        .magnitude = UNIT,
    };
}

/* The t-th value of the test stream, coordinate i: a number in [0, UNIT]. */
static int64_t value_at(uint64_t t, size_t i)
{
    return (int64_t)((t * 2654435761U + i * 40503U) % (UNIT + 1));
}

static int64_t sum_of(uint64_t after, uint64_t upto, size_t i)
{
    int64_t sum = 0;
    for (uint64_t t = after + 1; t <= upto; t++) {
        sum += value_at(t, i);
    }
    return sum;
}

static lotor_statistic *make(const lotor_statistic_kind *kind, const lotor_release_params *params)
{
    lotor_statistic *made;
    lotor_message why;
    assert_int_equal(lotor_statistic_new(kind, 1, params, 1.0, &why, &made), LOTOR_OK);
    return made;
}

static void insert(lotor_statistic *made, uint64_t t, size_t dimension, lotor_noise *noise)
{
    int64_t value[8];
    for (size_t i = 0; i < dimension; i++) {
        value[i] = value_at(t, i);
    }
    assert_int_equal(lotor_statistic_add(made, value, noise), LOTOR_OK);
}

/* With infinite epsilon the released sum is the exact sum of what it covers. */
TEST(noiseless_equals_plain_sums)
{
    for (size_t m = 0; lotor_statistics[m]; m++) {
        if (!lotor_statistics[m]->counter) {
            continue;
        }
        const lotor_statistic_kind *kind = lotor_statistics[m];
        const lotor_release_params params = params_of(kind, lotor_ratio_of(1, 0), 3);
        lotor_statistic *made = make(kind, &params);
        test_source_seed(&source, 1);
        lotor_noise noise = lotor_noise_exact(&source.source);
        for (uint64_t t = 1; t <= STEPS; t++) {
            insert(made, t, 3, &noise);
            const lotor_running_sum released = lotor_statistic_running(made);
            /* All values, or for batches of 1, 2, 4, ... the largest 2^r - 1 of them. */
            uint64_t covered = t;
            if (strcmp(kind->counter, "batch") == 0) {
                covered = (UINT64_C(1) << (lotor_tree_levels(t + 1) - 1)) - 1;
            }
            assert_int_equal(released.covered, covered);
            for (size_t i = 0; i < 3; i++) {
                assert_int_equal(released.sum[i], sum_of(0, covered, i));
            }
        }
        lotor_statistic_free(made);
    }
}

/* Predicts the noise that the mechanism under test draws next. */
static void twin_draw(lotor_law law, uint64_t scale, size_t count, int64_t *out)
{
    lotor_noise noise = lotor_noise_exact(&twin.source);
    assert_int_equal(draw_noise(&noise, law, scale, count, out), LOTOR_OK);
}

static uint64_t low_bit(uint64_t t)
{
    return t & (0 - t);
}

/* out(t) = sum over the nodes (s - lowbit(s), s] that t is split into: exact sum + the noise of
 * step s. */
static void expect_tree(lotor_law law, uint64_t scale, lotor_tree *tree)
{
    static int64_t noises[STEPS + 1][3];
    test_source_seed(&source, 5);
    test_source_seed(&twin, 5);
    lotor_noise noise = lotor_noise_exact(&source.source);
    for (uint64_t t = 1; t <= STEPS; t++) {
        int64_t value[3] = {value_at(t, 0), value_at(t, 1), value_at(t, 2)};
        assert_int_equal(lotor_tree_insert(tree, value, &noise), LOTOR_OK);
        twin_draw(law, scale, 3, noises[t]);
        for (size_t i = 0; i < 3; i++) {
            int64_t expected = 0;
            for (uint64_t end = t; end > 0; end -= low_bit(end)) {
                expected += sum_of(end - low_bit(end), end, i) + noises[end][i];
            }
            assert_int_equal(tree->output[i], expected);
        }
    }
    int64_t value[3] = {0};
    const int64_t before = tree->output[0];
    assert_int_equal(lotor_tree_insert(tree, value, &noise), LOTOR_HORIZON);
    assert_int_equal(tree->output[0], before);
}

TEST(tree_is_its_definition)
{
    static const lotor_law laws[] = {LOTOR_LAW_LAPLACE, LOTOR_LAW_GAUSSIAN};
    for (size_t i = 0; i < 2; i++) {
        lotor_tree *tree;
        assert_int_equal(lotor_tree_new(3, STEPS, laws[i], 1000, &tree), LOTOR_OK);
        expect_tree(laws[i], 1000, tree);
        lotor_tree_free(tree);
    }
}

/* out(2^k + j) = the blocks ending at 1, 2, 4, ..., 2^k with noise 2/epsilon each, and the tree
 * over the j values since, with node noise 2k/epsilon. At epsilon = 1/2: 4 and 4k units of UNIT. */
TEST(hybrid_is_its_definition)
{
    const lotor_statistic_kind *kind = lotor_statistic_counter("hybrid");
    const lotor_release_params params = params_of(kind, lotor_ratio_of(1, 2), 1);
    lotor_statistic *made = make(kind, &params);
    static int64_t noises[STEPS + 1];
    test_source_seed(&source, 6);
    test_source_seed(&twin, 6);
    lotor_noise noise = lotor_noise_exact(&source.source);
    for (uint64_t t = 1; t <= STEPS; t++) {
        insert(made, t, 1, &noise);
        const unsigned k = lotor_tree_levels(t) - 1;
        const uint64_t start = UINT64_C(1) << k;
        twin_draw(LOTOR_LAW_LAPLACE, t == start ? 4 * UINT64_C(1) * UNIT : 4 * k * (uint64_t)UNIT,
                  1, &noises[t]);
        int64_t expected = 0;
        for (uint64_t end = 1; end <= t; end *= 2) {
            expected += sum_of(end / 2, end, 0) + noises[end];
        }
        for (uint64_t end = t - start; end > 0; end -= low_bit(end)) {
            expected += sum_of(start + end - low_bit(end), start + end, 0) + noises[start + end];
        }
        assert_int_equal(lotor_statistic_running(made).sum[0], expected);
    }
    lotor_statistic_free(made);
}

/* Batches 1 | 2 3 | 4..7 | ...: each sum once, with noise 1/epsilon. */
TEST(batches_are_their_definition)
{
    const lotor_statistic_kind *kind = lotor_statistic_counter("batch");
    const lotor_release_params params = params_of(kind, lotor_ratio_of(1, 4), 2);
    lotor_statistic *made = make(kind, &params);
    test_source_seed(&source, 7);
    test_source_seed(&twin, 7);
    lotor_noise noise = lotor_noise_exact(&source.source);
    int64_t expected[2] = {0, 0};
    for (uint64_t t = 1; t <= STEPS; t++) {
        insert(made, t, 2, &noise);
        if (((t + 1) & t) == 0) { /* t = 2^r - 1 closes the batch from 2^(r-1) on */
            int64_t drawn[2];
            twin_draw(LOTOR_LAW_LAPLACE, 2 * 4 * UNIT, 2, drawn);
            for (size_t i = 0; i < 2; i++) {
                expected[i] += sum_of((t - 1) / 2, t, i) + drawn[i];
            }
        }
        assert_int_equal(lotor_statistic_running(made).sum[0], expected[0]);
        assert_int_equal(lotor_statistic_running(made).sum[1], expected[1]);
    }
    lotor_statistic_free(made);
}

TEST(a_batch_is_released_once)
{
    lotor_batch *batch;
    assert_int_equal(lotor_batch_new(1, LOTOR_LAW_LAPLACE, 1000, &batch), LOTOR_OK);
    test_source_seed(&source, 8);
    lotor_noise noise = lotor_noise_exact(&source.source);
    bool released;
    const int64_t five = 5;
    assert_int_equal(lotor_batch_insert(batch, &five, &noise, &released), LOTOR_RELEASED);
    assert_int_equal(lotor_batch_open(batch, 0), LOTOR_INVALID);
    assert_int_equal(lotor_batch_open(batch, 3), LOTOR_OK);
    assert_int_equal(lotor_batch_open(batch, 4), LOTOR_UNFINISHED);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(batch->releases, 0);
        assert_int_equal(lotor_batch_insert(batch, &five, &noise, &released), LOTOR_OK);
        assert_int_equal(released, i == 2);
    }
    const int64_t first = batch->latest[0];
    assert_int_not_equal(first, 15); /* the seed's noise is not 0 */
    assert_int_equal(lotor_batch_insert(batch, &five, &noise, &released), LOTOR_RELEASED);
    assert_int_equal(batch->latest[0], first);
    assert_int_equal(batch->latest_size, 3);
    assert_int_equal(batch->sum[0], 0); /* the raw sum is wiped */
    lotor_batch_free(batch);
}

/* 17 levels at T = 100,000; 2 R / epsilon; rounded up to whole units. */
TEST(scales_are_worked_out)
{
    assert_int_equal(lotor_tree_levels(1), 1);
    assert_int_equal(lotor_tree_levels(2), 2);
    assert_int_equal(lotor_tree_levels(3), 2);
    assert_int_equal(lotor_tree_levels(4), 3);
    assert_int_equal(lotor_tree_levels(100000), 17);
    assert_int_equal(lotor_tree_levels(UINT64_C(1) << 40), 41);

    lotor_release_params params = {.l1 = UNIT, .l2 = UNIT, .epsilon = lotor_ratio_of(3, 1)};
    uint64_t scale;
    assert_int_equal(lotor_release_scale(&params, LOTOR_LAW_LAPLACE, 17, NULL, &scale), LOTOR_OK);
    assert_int_equal(scale, 5941931); /* 17 * 2^20 / 3 = 5941930.67 */
    params.epsilon = lotor_ratio_of(1, 1);
    params.delta = lotor_ratio_of(1, 100000);
    assert_int_equal(lotor_release_scale(&params, LOTOR_LAW_GAUSSIAN, 16, NULL, &scale), LOTOR_OK);
    /* A(1, 1e-5) is about 8% above the analytic Gaussian's 3.7303; times sqrt(16). */
    assert_true((double)scale > 1.07 * 3.7303 * 4 * (double)UNIT);
    assert_true((double)scale < 1.09 * 3.7303 * 4 * (double)UNIT);

    params.epsilon = lotor_ratio_of(0, 1);
    assert_int_equal(lotor_release_scale(&params, LOTOR_LAW_LAPLACE, 1, NULL, &scale),
                     LOTOR_INVALID);
    params.epsilon = lotor_ratio_of(1, UINT64_C(1) << 50);
    assert_int_equal(lotor_release_scale(&params, LOTOR_LAW_LAPLACE, 1, NULL, &scale),
                     LOTOR_OVERFLOW);
}

/* Saved at any time, loaded and continued: the same outputs as without a break. */
TEST(saved_and_loaded_goes_on_the_same)
{
    static const uint64_t stops[] = {0, 1, 2, 3, 7, 8, 9, 100, 128, 255, STEPS};
    for (size_t m = 0; lotor_statistics[m]; m++) {
        if (!lotor_statistics[m]->counter) {
            continue;
        }
        const lotor_statistic_kind *kind = lotor_statistics[m];
        const lotor_counter_params params = {
            .mechanism = kind->counter,
            .epsilon = lotor_ratio_of(1, 1),
            .delta =
                kind->law == LOTOR_LAW_GAUSSIAN ? lotor_ratio_of(1, 1000) : lotor_ratio_of(0, 1),
            .horizon = STEPS,
            .low = -1.0,
            .high = 3.0,
        };
        for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
            test_source_seed(&source, 9);
            lotor_counter *whole, *resumed = NULL;
            assert_int_equal(lotor_counter_new_on(&params, &source.source, NULL, &whole), LOTOR_OK);
            for (uint64_t t = 1; t <= STEPS + 1; t++) {
                if (t - 1 == stops[i]) {
                    unsigned char *bytes;
                    size_t length;
                    assert_int_equal(lotor_counter_save(whole, &bytes, &length), LOTOR_OK);
                    twin = source;
                    twin.source.window = &twin.window;
                    assert_int_equal(
                        lotor_counter_load_on(bytes, length, &twin.source, NULL, &resumed),
                        LOTOR_OK);
                    assert_true(lotor_counter_value(resumed) == lotor_counter_value(whole));
                    lotor_bytes_free(bytes, length);
                }
                if (t > STEPS) {
                    break; /* saved when full: nothing can follow */
                }
                const double value = (double)value_at(t, 0) / (double)UNIT;
                assert_int_equal(lotor_counter_add(whole, value, NULL), LOTOR_OK);
                if (resumed) {
                    assert_int_equal(lotor_counter_add(resumed, value, NULL), LOTOR_OK);
                    assert_true(lotor_counter_value(resumed) == lotor_counter_value(whole));
                    assert_int_equal(lotor_counter_covered_count(resumed),
                                     lotor_counter_covered_count(whole));
                }
            }
            lotor_message why;
            assert_int_equal(lotor_counter_add(whole, 0.0, &why), LOTOR_HORIZON);
            assert_non_null(strstr(why.text, "300"));
            assert_int_equal(lotor_counter_add(resumed, 0.0, &why), LOTOR_HORIZON);
            lotor_counter_free(whole);
            lotor_counter_free(resumed);
        }
    }
}

/* The parts that are not counters: saved half-way, loaded and continued. */
TEST(batches_and_sparse_vector_resume)
{
    test_source_seed(&source, 11);
    lotor_noise noise = lotor_noise_exact(&source.source);
    lotor_batch *batch, *resumed;
    lotor_sparse sparse, sparse_resumed;
    const int64_t value[2] = {7, 9};
    bool released, above;
    assert_int_equal(lotor_batch_new(2, LOTOR_LAW_GAUSSIAN, 50, &batch), LOTOR_OK);
    assert_int_equal(lotor_batch_new(2, LOTOR_LAW_GAUSSIAN, 50, &resumed), LOTOR_OK);
    assert_int_equal(lotor_sparse_make(10, lotor_ratio_of(1, 2), NULL, &sparse), LOTOR_OK);
    sparse_resumed = sparse;
    assert_int_equal(lotor_sparse_begin(&sparse, &noise), LOTOR_OK);
    assert_int_equal(lotor_batch_open(batch, 3), LOTOR_OK);
    assert_int_equal(lotor_batch_insert(batch, value, &noise, &released), LOTOR_OK);

    lotor_writer writer;
    lotor_reader reader;
    unsigned char *bytes;
    size_t length;
    lotor_writer_start(&writer, "parts");
    lotor_batch_save(batch, &writer);
    lotor_sparse_save(&sparse, &writer);
    assert_int_equal(lotor_writer_seal(&writer, &bytes, &length), LOTOR_OK);
    assert_int_equal(lotor_reader_open(&reader, "parts", bytes, length, NULL), LOTOR_OK);
    lotor_batch_load(resumed, &reader);
    lotor_sparse_load(&sparse_resumed, &reader);
    assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_OK);
    lotor_bytes_free(bytes, length);

    assert_int_equal(sparse_resumed.threshold_noise, sparse.threshold_noise);
    assert_true(sparse_resumed.running);
    twin = source;
    twin.source.window = &twin.window;
    lotor_noise twin_noise = lotor_noise_exact(&twin.source);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(lotor_batch_insert(batch, value, &noise, &released), LOTOR_OK);
        assert_int_equal(lotor_batch_insert(resumed, value, &twin_noise, &released), LOTOR_OK);
    }
    assert_true(released);
    assert_memory_equal(batch->latest, resumed->latest, 2 * sizeof(int64_t));
    for (int i = 0; i < 20 && sparse.running; i++) { /* the same queries, the same answers */
        bool again;
        assert_int_equal(lotor_sparse_ask(&sparse, 0, 100, &noise, &above), LOTOR_OK);
        assert_int_equal(lotor_sparse_ask(&sparse_resumed, 0, 100, &twin_noise, &again), LOTOR_OK);
        assert_int_equal(above, again);
    }
    assert_false(sparse.running);
    assert_false(sparse_resumed.running);
    lotor_batch_free(batch);
    lotor_batch_free(resumed);
}

/* If entropy runs out in the middle of a stream, the value is refused and nothing changes. */
TEST(without_entropy_nothing_changes)
{
    for (size_t m = 0; lotor_statistics[m]; m++) {
        if (!lotor_statistics[m]->counter) {
            continue;
        }
        const lotor_counter_params params = {
            .mechanism = lotor_statistics[m]->counter,
            .epsilon = lotor_ratio_of(1, 1),
            .delta = lotor_statistics[m]->law == LOTOR_LAW_GAUSSIAN ? lotor_ratio_of(1, 1000)
                                                                    : lotor_ratio_of(0, 1),
            .horizon = 1000000,
            .low = 0.0,
            .high = 1.0,
        };
        test_source_exhaust(&source, 10, 1);
        lotor_counter *counter;
        assert_int_equal(lotor_counter_new_on(&params, &source.source, NULL, &counter), LOTOR_OK);
        lotor_status status = LOTOR_OK;
        double before = 0.0;
        uint64_t added = 0;
        lotor_message why;
        while (status == LOTOR_OK && added < 1000000) {
            before = lotor_counter_value(counter);
            added = lotor_counter_added_count(counter);
            status = lotor_counter_add(counter, 1.0, &why);
            if (strcmp(params.mechanism, "batch") == 0 && added == 1000) {
                /* it draws too rarely to run out of entropy */
                source.source.status = LOTOR_ENTROPY;
            }
        }
        assert_int_equal(status, LOTOR_ENTROPY);
        assert_true(lotor_counter_value(counter) == before);
        assert_int_equal(lotor_counter_added_count(counter), added);
        assert_int_equal(lotor_counter_add(counter, 1.0, &why), LOTOR_ENTROPY);
        assert_true(lotor_counter_value(counter) == before);
        lotor_counter_free(counter);
    }
}
