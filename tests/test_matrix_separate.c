/* test_matrix_separate.c - batches that stay separate on the board: their times, their sums and
 * their noise, and releases that are posted again. The code that they share with other batches is tested in
 * test_matrix_batch.c.
 *
 * Most tests have d = 2 and epsilon = 50, where n0 is 2: releases after rounds 2, 4, 8, 16 and 32
 * of 37.
 */
#include "support/test.h"

#include <string.h>

#include "support/matrix_batches.h"

enum { BATCHES = 5 };

static lotor_matrix_params params_of(uint64_t epsilon)
{
    return batches_params(LOTOR_MATRIX_SEPARATE, epsilon);
}

/* The batch that a round is in. */
static size_t batch_of(uint64_t t)
{
    size_t batch = 0;
    while (((uint64_t)2 << batch) < t) {
        batch++;
    }
    return batch;
}

/* --- the plan ------------------------------------------------------------------------------- */

/* By hand, with A(1, 1e-5) = 4.045130358: sigma_G = 1.5 A = 6.0677, sigma_u = sqrt 2 sigma_G, so
 * s = sigma_G sqrt(3 + 1/d). n0 is the least power of two that is at least 1.5 d s: 18.2 for d = 1,
 * 34.1 for d = 2, 81.4 for d = 5. With A(50, 1e-5) = 0.155348663 and d = 2 it is at least 1.31, and
 * never below 2. Neither alpha nor the units of contexts and rewards change anything. */
TEST(plans_by_hand)
{
    static const struct {
        uint64_t epsilon;
        size_t d;
        uint64_t horizon, first, last, releases;
    } cases[] = {
        {1, 1, 1000, 32, 512, 5}, {1, 2, 1000, 64, 512, 4},       {1, 2, 64, 64, 64, 1},
        {1, 2, 63, 64, 0, 1},     {1, 5, 100000, 128, 65536, 10}, {50, 2, ROUNDS, 2, 32, BATCHES},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int unit = 0; unit < 2; unit++) {
            lotor_matrix_params params = params_of(cases[i].epsilon);
            params.size = cases[i].d + 1;
            params.horizon = cases[i].horizon;
            if (unit) {
                params.alpha = 1e-9;
                params.context = 0x1p-10;
                params.reward = 0x1p20;
                params.bound = 0x1p20;
            }
            lotor_matrix_batch_plan plan, sums;
            assert_int_equal(lotor_matrix_batch_plan_make(&params, NULL, &plan), LOTOR_OK);
            assert_int_equal(plan.first, cases[i].first);
            assert_int_equal(plan.last, cases[i].last);
            assert_int_equal(plan.releases, cases[i].releases);

            params.kind = LOTOR_MATRIX_BATCH; /* the same noise */
            assert_int_equal(lotor_matrix_batch_plan_make(&params, NULL, &sums), LOTOR_OK);
            assert_int_equal(plan.off_diagonal, sums.off_diagonal);
            assert_int_equal(plan.diagonal, sums.diagonal);
            assert_int_equal(plan.response, sums.response);
        }
    }
}

/* --- sums and noise ------------------------------------------------------------------------- */

/* Without noise, statistic k has the sums of batch k, posted once, with the number of its
 * rounds. */
TEST(every_batch_stays_by_itself)
{
    const lotor_matrix_params params = batches_endless(LOTOR_MATRIX_SEPARATE);
    rig made;
    rig_prepare(&made, &params, 5);
    assert_int_equal(lotor_matrix_statistics(made.matrix), BATCHES);
    double sums[BATCHES + 1][ENTRIES] = {{0.0}};
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        assert_int_equal(feed(&made, t), LOTOR_OK);
        add_round(t, sums[batch_of(t)]);
        for (size_t batch = 0; batch < BATCHES; batch++) {
            const uint64_t end = (uint64_t)2 << batch;
            for (size_t i = 0; i < ENTRIES; i++) {
                const lotor_fact *fact = lotor_board_at(made.board, batch, i);
                assert_true(fact->value == (t >= end ? sums[batch][i] * 0x1p-30 : 0.0));
                assert_int_equal(fact->count, t < end ? 0 : batch ? end / 2 : 2);
                assert_int_equal(fact->time, t < end ? 0 : end + 1);
            }
            assert_int_equal(lotor_board_at(made.board, batch, ENTRIES)->time, 0); /* y^2 */
        }
    }
    assert_int_equal(lotor_board_posts(made.board), BATCHES * ENTRIES);
    assert_int_equal(feed(&made, ROUNDS + 1), LOTOR_HORIZON);
    rig_free(&made);
}

/* 4,000 times five releases of zeros: see batches_noise_check. */
TEST(every_batch_has_its_noise)
{
    enum { NUMBERS = BATCHES * ENTRIES, REPEATS = 4000 };
    static const double zeros[SIZE];
    static batches_noise all;
    lotor_generator generator;
    lotor_generator_seed(&generator, 3);
    lotor_noise noise = lotor_noise_simulated(&generator);
    const lotor_matrix_params params = params_of(50);
    for (size_t repeat = 0; repeat < REPEATS; repeat++) {
        rig made;
        rig_prepare(&made, &params, 1);
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            assert_int_equal(lotor_matrix_feed(made.matrix, zeros, t, &noise, made.board),
                             LOTOR_OK);
        }
        double drawn[NUMBERS];
        for (size_t i = 0; i < NUMBERS; i++) {
            drawn[i] = lotor_board_at(made.board, i / ENTRIES, i % ENTRIES)->value;
        }
        batches_noise_add(&all, drawn, NUMBERS);
        rig_free(&made);
    }
    batches_noise_check(&all, NUMBERS);
}

/* --- failures half way ---------------------------------------------------------------------- */

/* The journal refuses one entry; each entry of each batch is tried. The state is saved at that
 * moment, and loaded into another matrix. Both post the noise that was drawn, draw nothing, and
 * continue as if nothing had happened. */
TEST(a_refused_release_is_only_posted_again)
{
    const lotor_matrix_params params = params_of(50);
    for (size_t entry = 1; entry <= (size_t)BATCHES * ENTRIES; entry++) {
        rig made, loaded, other;
        rig_prepare(&made, &params, 9);
        rig_prepare(&loaded, &params, 10);
        rig_prepare(&other, &params, 9);
        refuser journal = {.refuses = entry};
        lotor_board_set_journal(made.board, refuse_once, &journal);
        uint64_t t = 1;
        while (feed(&made, t) == LOTOR_OK) {
            assert_int_equal(feed(&other, t), LOTOR_OK);
            t++;
        }
        assert_int_equal(t, (uint64_t)2 << ((entry - 1) / ENTRIES));
        lotor_board_set_journal(made.board, NULL, NULL);

        size_t length;
        unsigned char *bytes = matrix_save(made.matrix, &length);
        lotor_reader reader;
        assert_int_equal(lotor_reader_open(&reader, "matrix", bytes, length, NULL), LOTOR_OK);
        lotor_matrix_load(loaded.matrix, &reader);
        assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_OK);
        lotor_bytes_free(bytes, length);
        memcpy(loaded.board->facts, made.board->facts,
               made.board->statistics * made.board->arms * sizeof(lotor_fact));

        const lotor_generator drawn = made.generator;
        assert_int_equal(feed(&made, t), LOTOR_OK);
        assert_memory_equal(&drawn, &made.generator, sizeof drawn);
        assert_int_equal(feed(&loaded, t), LOTOR_OK);
        assert_int_equal(feed(&other, t), LOTOR_OK);
        assert_same_board(made.board, other.board);
        assert_same_board(made.board, loaded.board);
        rig_expect_alike(&made, &loaded, feed, t + 1, ROUNDS);
        for (t++; t <= ROUNDS; t++) {
            assert_int_equal(feed(&other, t), LOTOR_OK);
        }
        assert_same_board(made.board, other.board);
        rig_free(&made);
        rig_free(&loaded);
        rig_free(&other);
    }
}
