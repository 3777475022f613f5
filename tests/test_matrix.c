/* test_matrix.c - matrix statistics: sums, failures in the middle, horizon, saved states, refusals.
 * test_matrix_noise.c tests the noise. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "base/random/laws.h"
#include "privacy/release/matrix_plan.h"
#include "support/matrix_rig.h"
#include "support/test_source.h"

enum { SIZE = 4, ENTRIES = 10, ROUNDS = 37 };

static test_source source;

static lotor_matrix_params params_of(lotor_matrix_kind kind, lotor_ratio epsilon)
{
    return (lotor_matrix_params){
        .kind = kind,
        .size = SIZE,
        .horizon = ROUNDS,
        .bound = sqrt(2.0),
        .epsilon = epsilon,
        .delta = lotor_ratio_of(1, 100000),
    };
}

/* The z of a round: within the ball of radius 1 (0.5 * sqrt 4). */
static const double *round_of(uint64_t t)
{
    static double z[SIZE];
    lotor_generator generator;
    lotor_generator_seed(&generator, 1000 + t);
    for (size_t i = 0; i < SIZE; i++) {
        z[i] = lotor_random_uniform(&generator) - 0.5;
    }
    return z;
}

static lotor_status feed(rig *made, uint64_t t)
{
    return lotor_matrix_feed(made->matrix, round_of(t), t, &made->noise, made->board);
}

static void start_and_feed(rig *made, uint64_t rounds)
{
    assert_int_equal(lotor_matrix_start(made->matrix, &made->noise, made->board), LOTOR_OK);
    for (uint64_t t = 1; t <= rounds; t++) {
        assert_int_equal(feed(made, t), LOTOR_OK);
    }
}

static const lotor_matrix_kind kinds[] = {LOTOR_MATRIX_EXACT, LOTOR_MATRIX_GAUSSIAN,
                                          LOTOR_MATRIX_WISHART, LOTOR_MATRIX_TIGHT};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* --- sums ----------------------------------------------------------------------------------- */

/* Without noise, and at epsilon = infinity for every kind, the board has the sums of the rounded
 * products, to the last bit. */
TEST(sums_are_exact_without_noise)
{
    for (size_t k = 0; k < KINDS; k++) {
        const lotor_matrix_params params = params_of(kinds[k], lotor_ratio_of(1, 0));
        rig made;
        rig_prepare(&made, &params, 1);
        int64_t sums[ENTRIES] = {0};
        start_and_feed(&made, 0);
        assert_int_equal(lotor_board_posts(made.board), 0);
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            assert_int_equal(feed(&made, t), LOTOR_OK);
            const double *z = round_of(t);
            for (size_t i = 0; i < SIZE; i++) {
                for (size_t j = 0; j <= i; j++) {
                    const size_t arm = i * (i + 1) / 2 + j;
                    sums[arm] += llrint(z[i] * z[j] * 0x1p20);
                    const lotor_fact *fact = lotor_board_at(made.board, 0, arm);
                    assert_true(fact->value == (double)sums[arm] * 0x1p-20);
                    assert_int_equal(fact->count, t);
                    assert_int_equal(fact->time, t + 1);
                }
            }
        }
        rig_free(&made);
    }
}

/* By hand: z = (3, 4), then (1, -2). */
TEST(a_sum_by_hand)
{
    lotor_matrix_params params = params_of(LOTOR_MATRIX_EXACT, lotor_ratio_of(1, 1));
    params.size = 2;
    params.bound = 5.0;
    rig made;
    rig_prepare(&made, &params, 1);
    static const double first[] = {3.0, 4.0}, second[] = {1.0, -2.0};
    assert_int_equal(lotor_matrix_feed(made.matrix, first, 1, &made.noise, made.board), LOTOR_OK);
    assert_int_equal(lotor_matrix_feed(made.matrix, second, 2, &made.noise, made.board), LOTOR_OK);
    static const double expected[] = {10.0, 10.0, 20.0};
    for (size_t i = 0; i < 3; i++) {
        assert_true(lotor_board_at(made.board, 0, i)->value == expected[i]);
    }
    rig_free(&made);
}

/* The noise does not depend on the values: minus the noise of zeros, the sums are exact. */
TEST(noise_is_added_to_the_sums)
{
    static const double zeros[SIZE];
    for (size_t k = 1; k < KINDS; k++) {
        const lotor_matrix_params params = params_of(kinds[k], lotor_ratio_of(1, 1));
        const lotor_matrix_params exact = params_of(LOTOR_MATRIX_EXACT, lotor_ratio_of(1, 0));
        rig noisy, alone, sums;
        rig_prepare(&noisy, &params, 2);
        rig_prepare(&alone, &params, 2);
        rig_prepare(&sums, &exact, 2);
        start_and_feed(&noisy, 0);
        start_and_feed(&alone, 0);
        assert_same_board(noisy.board, alone.board);
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            assert_int_equal(feed(&noisy, t), LOTOR_OK);
            assert_int_equal(feed(&sums, t), LOTOR_OK);
            assert_int_equal(lotor_matrix_feed(alone.matrix, zeros, t, &alone.noise, alone.board),
                             LOTOR_OK);
            rig_expect_sum(&noisy, &alone, &sums, ENTRIES);
        }
        rig_free(&noisy);
        rig_free(&alone);
        rig_free(&sums);
    }
}

/* bound^2 = 2^40 and 2^40 rounds: 2^61 units of 2^19 (entry + 1 must fit too, so 2^20). */
TEST(large_values_are_counted_more_coarsely)
{
    lotor_matrix_params params = params_of(LOTOR_MATRIX_EXACT, lotor_ratio_of(1, 0));
    params.horizon = UINT64_C(1) << 40;
    params.bound = 0x1p20;
    lotor_matrix_plan plan;
    assert_int_equal(lotor_matrix_plan_make(&params, NULL, &plan), LOTOR_OK);
    assert_true(plan.unit == 0x1p20);
    assert_int_equal(plan.levels, 41);
    params.horizon = 1; /* 2^50 units in an entry are the most: 2^-10 */
    assert_int_equal(lotor_matrix_plan_make(&params, NULL, &plan), LOTOR_OK);
    assert_true(plan.unit == 0x1p-10);
    params.bound = 0x1p64;
    assert_int_equal(lotor_matrix_plan_make(&params, NULL, &plan), LOTOR_OK);
    assert_true(plan.unit == 0x1p78);

    /* Noise: 4 sqrt 7 * 2 * 12.9 / 1e-6 = 2.7e8 = 2^28.03, times sqrt 2, in units below 2^47. */
    params = params_of(LOTOR_MATRIX_GAUSSIAN, lotor_ratio_of(1, 1000000));
    assert_int_equal(lotor_matrix_plan_make(&params, NULL, &plan), LOTOR_OK);
    assert_true(plan.unit == 0x1p-18);
    assert_true(plan.diagonal < lotor_noise_largest_scale(LOTOR_LAW_GAUSSIAN));
}

/* --- failures half way ---------------------------------------------------------------------- */

/* Without entropy nothing changes; afterwards the matrix continues like one that never failed. */
TEST(no_entropy_changes_nothing)
{
    const lotor_matrix_params params = params_of(LOTOR_MATRIX_GAUSSIAN, lotor_ratio_of(1, 1));
    rig made, other;
    rig_prepare(&made, &params, 3);
    rig_prepare(&other, &params, 3);
    start_and_feed(&made, 5);
    start_and_feed(&other, 5);
    test_source_exhaust(&source, 4, 0);
    lotor_noise exhausted = lotor_noise_exact(&source.source);
    const lotor_status status =
        lotor_matrix_feed(made.matrix, round_of(6), 6, &exhausted, made.board);
    assert_int_equal(status, LOTOR_ENTROPY);
    assert_same_board(made.board, other.board);
    for (uint64_t t = 6; t <= ROUNDS; t++) {
        assert_int_equal(feed(&made, t), LOTOR_OK);
        assert_int_equal(feed(&other, t), LOTOR_OK);
        assert_same_board(made.board, other.board);
    }
    rig_free(&made);
    rig_free(&other);
}

/* The journal refuses one entry, at the start or in round 6; each entry is tried. The same call
 * again posts the noise that was drawn and draws nothing. Everything continues as if nothing had
 * happened. */
TEST(a_refused_release_is_only_posted_again)
{
    for (size_t k = 0; k < KINDS; k++) {
        const lotor_matrix_params params = params_of(kinds[k], lotor_ratio_of(1, 1));
        const size_t first = kinds[k] == LOTOR_MATRIX_WISHART ? ENTRIES : 0;
        for (size_t entry = 1; entry <= 2 * ENTRIES; entry++) {
            rig made, other;
            rig_prepare(&made, &params, 5);
            rig_prepare(&other, &params, 5);
            refuser journal = {.refuses = entry};
            lotor_board_set_journal(made.board, refuse_once, &journal);
            lotor_status status = lotor_matrix_start(made.matrix, &made.noise, made.board);
            assert_int_equal(status, entry <= first ? LOTOR_MEMORY : LOTOR_OK);
            lotor_generator drawn = made.generator;
            assert_int_equal(lotor_matrix_start(made.matrix, &made.noise, made.board), LOTOR_OK);
            assert_memory_equal(&drawn, &made.generator, sizeof drawn);
            start_and_feed(&other, 0);
            for (uint64_t t = 1; t <= 6; t++) {
                status = feed(&made, t);
                const bool refused = journal.calls == entry;
                assert_int_equal(status, refused ? LOTOR_MEMORY : LOTOR_OK);
                drawn = made.generator;
                assert_int_equal(feed(&made, t), LOTOR_OK);
                assert_memory_equal(&drawn, &made.generator, sizeof drawn);
                assert_int_equal(feed(&other, t), LOTOR_OK);
                assert_same_board(made.board, other.board);
            }
            assert_true(journal.calls == first + 6 * ENTRIES + 1);
            rig_free(&made);
            rig_free(&other);
        }
    }
}

/* A round whose release was refused is in the next release. */
TEST(a_refused_release_is_not_lost)
{
    const lotor_matrix_params params = params_of(LOTOR_MATRIX_GAUSSIAN, lotor_ratio_of(1, 1));
    rig made, other;
    rig_prepare(&made, &params, 6);
    rig_prepare(&other, &params, 6);
    start_and_feed(&made, 3);
    start_and_feed(&other, 5);
    refuser journal = {.refuses = 1};
    lotor_board_set_journal(made.board, refuse_once, &journal);
    assert_int_equal(feed(&made, 4), LOTOR_MEMORY);
    assert_int_equal(feed(&made, 5), LOTOR_OK);
    assert_same_board(made.board, other.board);
    rig_free(&made);
    rig_free(&other);
}

TEST(rounds_are_fed_in_order_and_to_the_horizon)
{
    for (size_t k = 0; k < KINDS; k++) {
        const lotor_matrix_params params = params_of(kinds[k], lotor_ratio_of(1, 1));
        rig made;
        rig_prepare(&made, &params, 7);
        assert_int_equal(feed(&made, 0), LOTOR_INVALID);
        start_and_feed(&made, 5);
        const uint64_t posts = lotor_board_posts(made.board);
        assert_int_equal(feed(&made, 4), LOTOR_INVALID);
        assert_int_equal(feed(&made, UINT64_MAX), LOTOR_INVALID);
        assert_int_equal(feed(&made, 5), LOTOR_OK);
        assert_int_equal(lotor_board_posts(made.board), posts);
        for (uint64_t t = 6; t <= ROUNDS; t++) {
            assert_int_equal(feed(&made, t), LOTOR_OK);
        }
        const lotor_generator drawn = made.generator;
        assert_int_equal(feed(&made, ROUNDS + 1), LOTOR_HORIZON);
        assert_memory_equal(&drawn, &made.generator, sizeof drawn);
        assert_int_equal(lotor_board_at(made.board, 0, 0)->time, ROUNDS + 1);
        rig_free(&made);
    }
}

TEST(wishart_noise_is_simulated_and_started)
{
    const lotor_matrix_params params = params_of(LOTOR_MATRIX_WISHART, lotor_ratio_of(1, 1));
    rig made;
    rig_prepare(&made, &params, 8);
    assert_int_equal(feed(&made, 1), LOTOR_INVALID);
    test_source_seed(&source, 9);
    lotor_noise exact = lotor_noise_exact(&source.source);
    assert_int_equal(lotor_matrix_start(made.matrix, &exact, made.board), LOTOR_INVALID);
    start_and_feed(&made, 1);
    const lotor_status status = lotor_matrix_feed(made.matrix, round_of(2), 2, &exact, made.board);
    assert_int_equal(status, LOTOR_INVALID);
    assert_int_equal(feed(&made, 2), LOTOR_OK);
    rig_free(&made);
}

/* --- saved states --------------------------------------------------------------------------- */

typedef struct saved {
    unsigned char *bytes;
    size_t length;
} saved;

static saved save(const lotor_matrix *matrix)
{
    saved made;
    made.bytes = matrix_save(matrix, &made.length);
    return made;
}

static lotor_status load(lotor_matrix *matrix, const saved *made)
{
    lotor_reader reader;
    assert_int_equal(lotor_reader_open(&reader, "matrix", made->bytes, made->length, NULL),
                     LOTOR_OK);
    lotor_matrix_load(matrix, &reader);
    return lotor_reader_finish(&reader, NULL);
}

/* Saved after any round, also between a refused release and its repetition. */
TEST(a_loaded_matrix_goes_on_alike)
{
    for (size_t k = 0; k < KINDS; k++) {
        const lotor_matrix_params params = params_of(kinds[k], lotor_ratio_of(1, 1));
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            rig made, other;
            rig_prepare(&made, &params, 10);
            rig_prepare(&other, &params, 11);
            saved bytes = save(made.matrix);
            assert_int_equal(load(other.matrix, &bytes), LOTOR_OK);
            lotor_bytes_free(bytes.bytes, bytes.length);
            start_and_feed(&made, t - 1);
            refuser journal = {.refuses = 1 + t % ENTRIES};
            lotor_board_set_journal(made.board, refuse_once, &journal);
            assert_int_equal(feed(&made, t), LOTOR_MEMORY);
            lotor_board_set_journal(made.board, NULL, NULL);
            bytes = save(made.matrix);
            assert_int_equal(load(other.matrix, &bytes), LOTOR_OK);
            lotor_bytes_free(bytes.bytes, bytes.length);
            rig_expect_alike(&made, &other, feed, t, ROUNDS);
            assert_int_equal(feed(&other, ROUNDS + 1), LOTOR_HORIZON);
            rig_free(&made);
            rig_free(&other);
        }
    }
}

enum { MOST_WORDS = 4096 };
typedef struct words {
    uint64_t at[MOST_WORDS];
    size_t count;
} words;

static void words_of(const lotor_matrix *matrix, words *out)
{
    saved bytes = save(matrix);
    lotor_reader reader;
    assert_int_equal(lotor_reader_open(&reader, "matrix", bytes.bytes, bytes.length, NULL),
                     LOTOR_OK);
    out->count = (size_t)(reader.end - reader.next) / 8;
    assert_true(out->count <= MOST_WORDS);
    for (size_t i = 0; i < out->count; i++) {
        out->at[i] = lotor_read_u64(&reader);
    }
    lotor_bytes_free(bytes.bytes, bytes.length);
}

static lotor_status load_words(lotor_matrix *matrix, const words *forged)
{
    lotor_writer writer;
    saved made;
    lotor_writer_start(&writer, "matrix");
    for (size_t i = 0; i < forged->count; i++) {
        lotor_write_u64(&writer, forged->at[i]);
    }
    assert_int_equal(lotor_writer_seal(&writer, &made.bytes, &made.length), LOTOR_OK);
    const lotor_status status = load(matrix, &made);
    lotor_bytes_free(made.bytes, made.length);
    return status;
}

/* Words: fed, due, then the tree: horizon, scale, count, ENTRIES outputs, ENTRIES draws, the sums
 * and the noisy sums by level; with Wishart noise, started, and the noise of empty levels. 37
 * rounds have 6 levels in the tree, and m = 7. After 5 = 101b rounds, levels 0 and 2 are filled. */
TEST(forged_states_are_refused)
{
    enum {
        FED,
        DUE,
        HORIZON,
        SCALE,
        COUNT,
        OUTPUT,
        SUMS = OUTPUT + 2 * ENTRIES,
        NOISY = SUMS + 6 * ENTRIES,
        STARTED = NOISY + 6 * ENTRIES,
        IDLE
    };
    static const struct {
        size_t word;
        uint64_t value;
    } forgeries[] = {
        {FED, 4},
        {FED, UINT64_MAX},
        {DUE, 2},
        {HORIZON, ROUNDS - 1},
        {HORIZON, ROUNDS + 1},
        {HORIZON, UINT64_MAX},
        {SCALE, 12345},
        {COUNT, 4},
        {COUNT, ROUNDS + 1},
        {OUTPUT, 12345},
        {SUMS + ENTRIES, 1}, /* level 1 */
        {NOISY, 12345},
        {NOISY + 3 * ENTRIES, 1},
        {STARTED, 0},
        {STARTED, 2},
        {IDLE, 1}, /* level 0 */
        {IDLE + 2 * ENTRIES, 1},
    };
    static words original, forged;
    for (size_t k = 1; k < KINDS; k++) {
        const lotor_matrix_params params = params_of(kinds[k], lotor_ratio_of(1, 1));
        rig made, other;
        rig_prepare(&made, &params, 12);
        rig_prepare(&other, &params, 13);
        start_and_feed(&made, 5);
        words_of(made.matrix, &original);
        assert_int_equal(original.count,
                         kinds[k] == LOTOR_MATRIX_WISHART ? IDLE + 7 * ENTRIES : STARTED);
        for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
            if (forgeries[i].word < original.count) {
                forged = original;
                forged.at[forgeries[i].word] = forgeries[i].value;
                assert_int_equal(load_words(other.matrix, &forged), LOTOR_DAMAGED);
            }
        }
        forged = original;
        forged.count--;
        assert_int_equal(load_words(other.matrix, &forged), LOTOR_DAMAGED);
        forged.count += 2;
        assert_int_equal(load_words(other.matrix, &forged), LOTOR_DAMAGED);
        assert_int_equal(load_words(other.matrix, &original), LOTOR_OK);
        rig_free(&made);
        rig_free(&other);
    }
}

/* Before the first round only Wishart noise is released, so nothing can be due. */
TEST(forged_beginnings_are_refused)
{
    static words forged;
    for (size_t k = 0; k < KINDS; k++) {
        const lotor_matrix_params params = params_of(kinds[k], lotor_ratio_of(1, 1));
        rig made;
        rig_prepare(&made, &params, 14);
        for (size_t word = 0; word < 2; word++) {
            rig other;
            rig_prepare(&other, &params, 14);
            words_of(made.matrix, &forged);
            forged.at[word] = 1;
            assert_int_equal(load_words(other.matrix, &forged), LOTOR_DAMAGED);
            rig_free(&other);
        }
        rig_free(&made);
    }
}

/* Any single word can have any value: the state is refused, or loads as a matrix that works. */
TEST(any_forged_word_is_survived)
{
    static const uint64_t values[] = {1, UINT64_MAX, INT64_MAX, UINT64_C(1) << 63, 77};
    static words original, forged;
    for (size_t k = 0; k < KINDS; k++) {
        const lotor_matrix_params params = params_of(kinds[k], lotor_ratio_of(1, 1));
        rig made;
        rig_prepare(&made, &params, 15);
        start_and_feed(&made, 6);
        words_of(made.matrix, &original);
        for (size_t word = 0; word < original.count; word++) {
            for (size_t i = 0; i < 5; i++) {
                rig other;
                rig_prepare(&other, &params, 16);
                forged = original;
                forged.at[word] = values[i];
                const lotor_status status = load_words(other.matrix, &forged);
                assert_true(status == LOTOR_OK || status == LOTOR_DAMAGED);
                for (uint64_t t = 7; t <= 9 && status == LOTOR_OK; t++) {
                    const lotor_status fed = feed(&other, t);
                    assert_true(fed == LOTOR_OK || fed == LOTOR_INVALID);
                }
                rig_free(&other);
            }
        }
        rig_free(&made);
    }
}

/* --- refusals ------------------------------------------------------------------------------- */

TEST(nonsense_is_refused)
{
    const lotor_matrix_params good = params_of(LOTOR_MATRIX_GAUSSIAN, lotor_ratio_of(1, 1));
    lotor_matrix_params bad = good;
    static const size_t sizes[] = {0, 1, 4098, SIZE_MAX};
    for (size_t i = 0; i < 4; i++) {
        bad.size = sizes[i];
        expect_refusal(&bad, LOTOR_INVALID, "rows");
    }
    bad = good;
    static const double bounds[] = {NAN, -1.0, 0.0, 0x1p-6, 0x1p65, INFINITY};
    for (size_t i = 0; i < 6; i++) {
        bad.bound = bounds[i];
        expect_refusal(&bad, LOTOR_INVALID, "length");
    }
    bad = good;
    bad.horizon = 0;
    expect_refusal(&bad, LOTOR_INVALID, "horizon");
    bad = good;
    bad.kind = (lotor_matrix_kind)6;
    expect_refusal(&bad, LOTOR_INVALID, "number 6");
    for (size_t k = 1; k < KINDS; k++) {
        bad = good;
        bad.kind = kinds[k];
        bad.epsilon = lotor_ratio_of(0, 1);
        expect_refusal(&bad, LOTOR_INVALID, "epsilon");
        bad.epsilon = lotor_ratio_of(1, UINT64_C(1000000000000000));
        /* with a larger delta, no overflow */
        bad.delta = lotor_ratio_of(1, UINT64_C(1000000000000000000));
        expect_refusal(&bad, LOTOR_OVERFLOW, "epsilon");
        bad.epsilon = lotor_ratio_of(1, 1);
        bad.delta = lotor_ratio_of(0, 1);
        expect_refusal(&bad, LOTOR_INVALID, "delta");
        bad.delta = lotor_ratio_of(1, 1);
        expect_refusal(&bad, LOTOR_INVALID, "delta");
        bad.delta = lotor_ratio_of(1, 0);
        expect_refusal(&bad, LOTOR_INVALID, "delta");
    }
    bad = good;
    bad.horizon = UINT64_C(1) << 60;
    expect_refusal(&bad, LOTOR_OVERFLOW, "horizon");
    bad.kind = LOTOR_MATRIX_EXACT;
    expect_refusal(&bad, LOTOR_OVERFLOW, "horizon");
    lotor_matrix_free(NULL);
}

TEST(kinds_have_names)
{
    assert_string_equal(lotor_matrix_name(LOTOR_MATRIX_EXACT), "matrix sums");
    assert_string_equal(lotor_matrix_name(LOTOR_MATRIX_GAUSSIAN), "Gaussian matrix tree");
    assert_string_equal(lotor_matrix_name(LOTOR_MATRIX_WISHART), "Wishart matrix tree");
    assert_string_equal(lotor_matrix_name(LOTOR_MATRIX_TIGHT), "Gaussian matrix tree");
    assert_string_equal(lotor_matrix_name(LOTOR_MATRIX_BATCH), "matrix batches");
    assert_string_equal(lotor_matrix_name(LOTOR_MATRIX_SEPARATE), "matrix batches");
    assert_int_equal(lotor_matrix_entries(6), 21);
}
