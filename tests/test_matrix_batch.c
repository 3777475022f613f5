/* test_matrix_batch.c - sums in batches: times, noise, failures in the middle, saved states.
 *
 * Most tests have d = 2 and epsilon = 50, where n0 is 4: releases after rounds 4, 8, 16 and 32 of
 * 37.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include <lotor/account.h>

#include "support/matrix_batches.h"
#include "support/test_source.h"

enum { FIRST = 4, LAST = 32 };

static test_source source;

static lotor_matrix_params params_of(uint64_t epsilon)
{
    return batches_params(LOTOR_MATRIX_BATCH, epsilon);
}

static lotor_matrix_params endless(void)
{
    return batches_endless(LOTOR_MATRIX_BATCH);
}

static void rig_make(rig *made, const lotor_matrix_params *params, uint64_t seed)
{
    rig_prepare(made, params, seed);
    assert_int_equal(lotor_matrix_start(made->matrix, &made->noise, made->board), LOTOR_OK);
}

static void feed_until(rig *made, uint64_t last)
{
    for (uint64_t t = 1; t <= last; t++) {
        assert_int_equal(feed(made, t), LOTOR_OK);
    }
}

static bool is_release(uint64_t t)
{
    return t == 4 || t == 8 || t == 16 || t == 32;
}

/* --- the plan ------------------------------------------------------------------------------- */

/* By hand, with A(1, 1e-5) = 4.045130358: sigma_G = 1.5 A, sigma_u = 1.5 sqrt 2 A. For d = 2 and
 * alpha = 1/1000, Y = sigma_G (2 sqrt 2 + 2 sqrt(log 128,000)) = 58.777, so n0 = 128; for d = 5 and
 * alpha = 1e-5, Y = 76.228, so n0 = 256. With A(50, 1e-5) = 0.155348663, d = 2 and alpha = 0.05 Y =
 * 1.965, so n0 = 4. */
TEST(plans_by_hand)
{
    static const struct {
        uint64_t epsilon;
        size_t d;
        double alpha, sigma;
        uint64_t horizon, first, last, releases;
    } cases[] = {
        {1, 2, 1e-3, 6.067695537, 1000, 128, 512, 3},
        {1, 2, 1e-3, 6.067695537, 1024, 128, 1024, 4},
        {1, 2, 1e-3, 6.067695537, 128, 128, 128, 1},
        {1, 2, 1e-3, 6.067695537, 127, 128, 0, 1},
        {1, 5, 1e-5, 6.067695537, 100000, 256, 65536, 9},
        {50, 2, 0.05, 0.233022994, ROUNDS, FIRST, LAST, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lotor_matrix_params params = params_of(cases[i].epsilon);
        params.size = cases[i].d + 1;
        params.alpha = cases[i].alpha;
        params.horizon = cases[i].horizon;
        lotor_matrix_batch_plan plan;
        assert_int_equal(lotor_matrix_batch_plan_make(&params, NULL, &plan), LOTOR_OK);
        const double off = (double)plan.off_diagonal * plan.gram_unit;
        const double on = (double)plan.diagonal * plan.gram_unit;
        const double response = (double)plan.response * plan.response_unit;
        const double sigma = cases[i].sigma, twice = sqrt(2.0) * sigma;
        assert_true(off >= sigma * (1 - 1e-8) && off < sigma * (1.0 + 2e-8) + 0x1p-30);
        assert_true(on >= twice * (1 - 1e-8) && on < twice * (1.0 + 2e-8) + 0x1p-29);
        assert_true(response >= twice * (1 - 1e-8) && response < twice * (1.0 + 2e-8) + 0x1p-30);
        assert_int_equal(plan.first, cases[i].first);
        assert_int_equal(plan.last, cases[i].last);
        assert_int_equal(plan.releases, cases[i].releases);
    }
}

/* Contexts and rewards in other units: the same times, and noise in these units. */
TEST(plans_do_not_depend_on_units)
{
    lotor_matrix_params params = params_of(1);
    lotor_matrix_batch_plan one, other;
    assert_int_equal(lotor_matrix_batch_plan_make(&params, NULL, &one), LOTOR_OK);
    params.context = 0x1p-10;
    params.reward = 0x1p20;
    params.bound = 0x1p20;
    assert_int_equal(lotor_matrix_batch_plan_make(&params, NULL, &other), LOTOR_OK);
    assert_true(other.gram_unit == one.gram_unit * 0x1p-20);
    assert_true(other.response_unit == one.response_unit * 0x1p10);
    assert_int_equal(one.off_diagonal, other.off_diagonal);
    assert_int_equal(one.response, other.response);
    assert_int_equal(one.first, other.first);
}

/* If the lab has divided epsilon by 1/2, the noise is half of that for the whole epsilon. */
TEST(a_lab_scales_the_noise)
{
    lotor_matrix_params params = params_of(1);
    lotor_matrix_batch_plan one, half;
    assert_int_equal(lotor_matrix_batch_plan_make(&params, NULL, &one), LOTOR_OK);
    params.epsilon = lotor_ratio_of(2, 1);
    params.noise_scale = 0.5;
    assert_int_equal(lotor_matrix_batch_plan_make(&params, NULL, &half), LOTOR_OK);
    assert_true(fabs(2.0 * (double)half.off_diagonal / (double)one.off_diagonal - 1.0) < 1e-8);
    assert_true(fabs(2.0 * (double)half.response / (double)one.response - 1.0) < 1e-8);
}

/* --- privacy -------------------------------------------------------------------------------- */

/* The numbers that one round adds, in units, rounded as the statistic rounds. */
static void rounded(const lotor_matrix_params *exact, const double *z, double *out)
{
    rig made;
    rig_make(&made, exact, 1);
    static const double zeros[16];
    assert_int_equal(lotor_matrix_feed(made.matrix, z, 1, &made.noise, made.board), LOTOR_OK);
    assert_int_equal(lotor_matrix_feed(made.matrix, zeros, 2, &made.noise, made.board), LOTOR_OK);
    const size_t entries = lotor_matrix_entries(exact->size) - 1;
    for (size_t i = 0; i < entries; i++) {
        out[i] = lotor_board_at(made.board, 0, i)->value;
    }
    rig_free(&made);
}

/* Pairs of contexts of length L at every angle, with rewards of either sign, and at random: the
 * squared distance in variances is at most 2 rho, and attains it. With fine units, and with the
 * coarsest, where the budget would be exceeded without the part for rounding. */
TEST(neighbours_stay_within_the_budget)
{
    static const struct {
        size_t d;
        double context, reward;
        uint64_t horizon;
    } cases[] = {{2, 1.0, 1.0, 64},
                 {2, 1.9, 0.3, UINT64_C(1) << 49},
                 {7, 1.0, 1.0, 64},
                 {7, 3.0, 11.0, UINT64_C(1) << 49}};
    lotor_generator generator;
    lotor_generator_seed(&generator, 2);
    double rho;
    assert_int_equal(lotor_account_zcdp_rho((lotor_budget){1.0, 1e-5}, NULL, &rho), LOTOR_OK);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const size_t d = cases[c].d, gram = d * (d + 1) / 2;
        lotor_matrix_params params = params_of(1), exact = endless();
        params.size = exact.size = d + 1;
        params.context = exact.context = cases[c].context;
        params.reward = exact.reward = cases[c].reward;
        params.horizon = exact.horizon = cases[c].horizon;
        params.bound = exact.bound = hypot(cases[c].context, cases[c].reward);
        lotor_matrix_batch_plan plan, same;
        assert_int_equal(lotor_matrix_batch_plan_make(&params, NULL, &plan), LOTOR_OK);
        assert_int_equal(lotor_matrix_batch_plan_make(&exact, NULL, &same), LOTOR_OK);
        assert_true(plan.gram_unit == same.gram_unit && same.first == 2);
        double most = 0.0;
        for (int pair = 0; pair < 3000; pair++) {
            double z[2][8] = {{0}}, sums[2][40];
            for (size_t side = 0; side < 2; side++) {
                double square = 0.0;
                for (size_t i = 0; i < d; i++) {
                    z[side][i] = lotor_random_gaussian(&generator);
                    square += z[side][i] * z[side][i];
                }
                for (size_t i = 0; i < d; i++) {
                    z[side][i] *= cases[c].context / sqrt(square) * (1.0 - 1e-15);
                }
                z[side][d] = side ? -cases[c].reward : cases[c].reward;
            }
            if (pair % 2) { /* in one plane, around 60 degrees */
                const double angle = 1.0471975512 * (1.0 + 0.0001 * (pair % 100 - 50));
                memset(z[0], 0, d * sizeof *z[0]);
                memset(z[1], 0, d * sizeof *z[1]);
                const double turn = 0.001 * pair, length = cases[c].context * (1.0 - 1e-15);
                z[0][0] = length * cos(turn);
                z[0][1] = length * sin(turn);
                z[1][0] = length * cos(turn + angle);
                z[1][1] = length * sin(turn + angle);
            }
            rounded(&exact, z[0], sums[0]);
            rounded(&exact, z[1], sums[1]);
            double square = 0.0;
            size_t at = 0;
            for (size_t i = 0; i <= d; i++) {
                for (size_t j = 0; j <= i && at < gram + d; j++, at++) {
                    const double unit = at < gram ? plan.gram_unit : plan.response_unit;
                    const double scale = at >= gram ? (double)plan.response
                                         : i == j   ? (double)plan.diagonal
                                                    : (double)plan.off_diagonal;
                    const double moved = (sums[0][at] - sums[1][at]) / unit / scale;
                    square += moved * moved;
                }
            }
            most = fmax(most, square);
        }
        assert_true(most <= 2.0 * rho);
        assert_true(most >= 2.0 * rho * (cases[c].horizon > 64 ? 0.97 : 0.999));
    }
}

/* 20,000 times (4,000 with exact noise) four releases of zeros: the noise of each alone, as the
 * difference of two sums, has the law that batches_noise_check wants. */
static void check_noise(lotor_noise *noise, size_t repeats)
{
    enum { RELEASES = 4, NUMBERS = RELEASES * ENTRIES };
    static const double zeros[SIZE];
    static batches_noise all;
    memset(&all, 0, sizeof all);
    const lotor_matrix_params params = params_of(50);
    for (size_t repeat = 0; repeat < repeats; repeat++) {
        rig made;
        rig_make(&made, &params, 1);
        double before[ENTRIES] = {0.0}, drawn[NUMBERS];
        size_t release = 0;
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            assert_int_equal(lotor_matrix_feed(made.matrix, zeros, t, noise, made.board), LOTOR_OK);
            for (size_t i = 0; i < ENTRIES && is_release(t); i++) {
                const double now = lotor_board_at(made.board, 0, i)->value;
                drawn[release * ENTRIES + i] = now - before[i];
                before[i] = now;
            }
            release += is_release(t);
        }
        batches_noise_add(&all, drawn, NUMBERS);
        rig_free(&made);
    }
    batches_noise_check(&all, NUMBERS);
}

TEST(every_batch_has_its_noise)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 3);
    lotor_noise noise = lotor_noise_simulated(&generator);
    check_noise(&noise, 20000);
}

TEST(exact_noise_has_the_same)
{
    test_source_seed(&source, 4);
    lotor_noise noise = lotor_noise_exact(&source.source);
    check_noise(&noise, 4000);
}

/* --- sums ----------------------------------------------------------------------------------- */

/* Without noise n0 is 2, and the board has the sums up to the latest power of two; y^2 is not
 * there. */
TEST(sums_are_released_in_batches)
{
    const lotor_matrix_params params = endless();
    rig made;
    rig_make(&made, &params, 5);
    double sums[ENTRIES] = {0.0}, released[ENTRIES] = {0.0};
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        assert_int_equal(feed(&made, t), LOTOR_OK);
        add_round(t, sums);
        const uint64_t latest = t < 2 ? 0 : UINT64_C(1) << (63 - __builtin_clzll(t));
        if (latest == t) {
            memcpy(released, sums, sizeof sums);
        }
        for (size_t i = 0; i < ENTRIES; i++) {
            const lotor_fact *fact = lotor_board_at(made.board, 0, i);
            assert_true(fact->value == released[i] * 0x1p-30);
            assert_int_equal(fact->count, latest);
            assert_int_equal(fact->time, latest ? latest + 1 : 0);
        }
        assert_int_equal(lotor_board_at(made.board, 0, ENTRIES)->time, 0);
    }
    assert_int_equal(feed(&made, ROUNDS + 1), LOTOR_HORIZON);
    rig_free(&made);
}

/* The noise does not depend on the values: minus the noise of zeros, the sums are exact. */
TEST(noise_is_added_to_the_sums)
{
    static const double zeros[SIZE];
    const lotor_matrix_params params = params_of(50), exact = endless();
    rig noisy, alone, sums;
    rig_make(&noisy, &params, 6);
    rig_make(&alone, &params, 6);
    rig_make(&sums, &exact, 6);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        assert_int_equal(feed(&noisy, t), LOTOR_OK);
        assert_int_equal(feed(&sums, t), LOTOR_OK);
        assert_int_equal(lotor_matrix_feed(alone.matrix, zeros, t, &alone.noise, alone.board),
                         LOTOR_OK);
        rig_expect_sum(&noisy, &alone, &sums, is_release(t) ? ENTRIES : 0);
    }
    rig_free(&noisy);
    rig_free(&alone);
    rig_free(&sums);
}

/* --- failures half way ---------------------------------------------------------------------- */

TEST(no_entropy_changes_nothing)
{
    const lotor_matrix_params params = params_of(50);
    for (size_t words = 0; words < 3; words++) {
        rig made, other;
        rig_make(&made, &params, 7);
        rig_make(&other, &params, 7);
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            test_source_seed(&source, 8);
            source.window.left = 8 * words;
            source.refills_left = 0;
            lotor_noise exhausted = lotor_noise_exact(&source.source);
            if (is_release(t)) { /* the only rounds that need noise */
                const lotor_status status =
                    lotor_matrix_feed(made.matrix, round_of(t), t, &exhausted, made.board);
                assert_int_equal(status, LOTOR_ENTROPY);
                assert_same_board(made.board, other.board);
            }
            assert_int_equal(feed(&made, t), LOTOR_OK);
            assert_int_equal(feed(&other, t), LOTOR_OK);
            assert_same_board(made.board, other.board);
        }
        rig_free(&made);
        rig_free(&other);
    }
}

/* The journal refuses one entry; each entry is tried. The same call again posts the noise that was
 * drawn and draws nothing. Everything continues as if nothing had happened. */
TEST(a_refused_release_is_only_posted_again)
{
    const lotor_matrix_params params = params_of(50);
    for (size_t entry = 1; entry <= (size_t)4 * ENTRIES; entry++) {
        rig made, other;
        rig_make(&made, &params, 9);
        rig_make(&other, &params, 9);
        refuser journal = {.refuses = entry};
        lotor_board_set_journal(made.board, refuse_once, &journal);
        size_t refusals = 0;
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            const lotor_status status = feed(&made, t);
            const lotor_generator drawn = made.generator;
            refusals += status == LOTOR_MEMORY;
            assert_true(status == LOTOR_OK || (status == LOTOR_MEMORY && is_release(t)));
            assert_int_equal(feed(&made, t), LOTOR_OK);
            assert_memory_equal(&drawn, &made.generator, sizeof drawn);
            assert_int_equal(feed(&other, t), LOTOR_OK);
            assert_same_board(made.board, other.board);
        }
        assert_int_equal(refusals, 1);
        rig_free(&made);
        rig_free(&other);
    }
}

/* If the caller continues instead, the refused release is posted first, with its own time. */
TEST(a_refused_release_is_not_lost)
{
    const lotor_matrix_params params = params_of(50);
    rig made, other;
    rig_make(&made, &params, 10);
    rig_make(&other, &params, 10);
    feed_until(&made, FIRST - 1);
    feed_until(&other, FIRST);
    refuser journal = {.refuses = 3};
    lotor_board_set_journal(made.board, refuse_once, &journal);
    assert_int_equal(feed(&made, FIRST), LOTOR_MEMORY);
    journal.refuses = journal.calls + 1;
    assert_int_equal(feed(&made, FIRST + 1), LOTOR_MEMORY); /* not in yet */
    for (uint64_t t = FIRST + 1; t <= ROUNDS; t++) {
        assert_int_equal(feed(&made, t), LOTOR_OK);
        if (t == FIRST + 1) {
            assert_same_board(made.board, other.board);
        }
        assert_int_equal(feed(&other, t), LOTOR_OK);
    }
    assert_same_board(made.board, other.board);
    rig_free(&made);
    rig_free(&other);
}

TEST(rounds_are_fed_in_order)
{
    const lotor_matrix_params params = params_of(50);
    rig made;
    rig_make(&made, &params, 11);
    assert_int_equal(feed(&made, 0), LOTOR_INVALID);
    feed_until(&made, 5);
    const uint64_t posts = lotor_board_posts(made.board);
    assert_int_equal(feed(&made, 4), LOTOR_INVALID);
    assert_int_equal(feed(&made, UINT64_MAX), LOTOR_INVALID);
    assert_int_equal(feed(&made, 5), LOTOR_OK);
    assert_int_equal(lotor_board_posts(made.board), posts);
    rig_free(&made);
}

/* --- saved states --------------------------------------------------------------------------- */

enum { COUNT, FED, DATE, DUE, OPEN, TOTAL = OPEN + ENTRIES, WORDS = TOTAL + ENTRIES };

typedef struct words {
    uint64_t at[WORDS + 1];
    size_t count;
} words;

static void words_of(const lotor_matrix *matrix, words *out)
{
    size_t length;
    unsigned char *bytes = matrix_save(matrix, &length);
    lotor_reader reader;
    assert_int_equal(lotor_reader_open(&reader, "matrix", bytes, length, NULL), LOTOR_OK);
    out->count = (size_t)(reader.end - reader.next) / 8;
    assert_int_equal(out->count, WORDS);
    for (size_t i = 0; i < out->count; i++) {
        out->at[i] = lotor_read_u64(&reader);
    }
    lotor_bytes_free(bytes, length);
}

static lotor_status load_words(lotor_matrix *matrix, const words *forged)
{
    lotor_writer writer;
    unsigned char *bytes;
    size_t length;
    lotor_writer_start(&writer, "matrix");
    for (size_t i = 0; i < forged->count; i++) {
        lotor_write_u64(&writer, forged->at[i]);
    }
    assert_int_equal(lotor_writer_seal(&writer, &bytes, &length), LOTOR_OK);
    lotor_reader reader;
    assert_int_equal(lotor_reader_open(&reader, "matrix", bytes, length, NULL), LOTOR_OK);
    lotor_matrix_load(matrix, &reader);
    const lotor_status status = lotor_reader_finish(&reader, NULL);
    lotor_bytes_free(bytes, length);
    return status;
}

/* Raw sums are wiped after their release, and sums that will never be released are not kept. */
TEST(raw_sums_are_forgotten)
{
    const lotor_matrix_params params = params_of(50);
    rig made;
    rig_make(&made, &params, 12);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        words state_now;
        assert_int_equal(feed(&made, t), LOTOR_OK);
        words_of(made.matrix, &state_now);
        for (size_t i = 0; i < ENTRIES; i++) {
            assert_true((state_now.at[OPEN + i] == 0) == (is_release(t) || t > LAST));
        }
    }
    rig_free(&made);
}

/* Saved after any round, also between a refused release and its repetition. */
TEST(a_loaded_matrix_goes_on_alike)
{
    const lotor_matrix_params params = params_of(50);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        rig made, other;
        words bytes;
        rig_make(&made, &params, 13);
        rig_make(&other, &params, 14);
        feed_until(&made, t - 1);
        memcpy(other.board->facts, made.board->facts, made.board->arms * sizeof(lotor_fact));
        refuser journal = {.refuses = 1 + t % ENTRIES};
        lotor_board_set_journal(made.board, refuse_once, &journal);
        assert_int_equal(feed(&made, t), is_release(t) ? LOTOR_MEMORY : LOTOR_OK);
        lotor_board_set_journal(made.board, NULL, NULL);
        words_of(made.matrix, &bytes);
        assert_int_equal(load_words(other.matrix, &bytes), LOTOR_OK);
        rig_expect_alike(&made, &other, feed, t, ROUNDS);
        assert_int_equal(feed(&other, ROUNDS + 1), LOTOR_HORIZON);
        rig_free(&made);
        rig_free(&other);
    }
}

/* At round 6: 4 rounds are released, two are open, each of at most 2^31 + 1 units an entry. */
TEST(forged_states_are_refused)
{
    static const struct {
        uint64_t round, word, value;
    } forgeries[] = {
        {6, COUNT, ROUNDS + 1},
        {6, COUNT, 7},        /* more rounds than were fed */
        {6, COUNT, 3},        /* nothing would be released then */
        {6, COUNT, 4},        /* nothing would be open */
        {6, FED, 5},          /* fewer rounds than were counted */
        {6, FED, UINT64_MAX}, /* no round comes after */
        {6, DATE, 0},         /* released without a date */
        {6, DATE, 4},         /* before the last of its rounds */
        {6, DATE, 6},         /* the two open ones came later */
        {6, DUE, 2},
        {6, OPEN, UINT64_MAX}, /* a square below 0 */
        {6, OPEN + 2, UINT64_MAX},
        {6, OPEN + 1, (UINT64_C(1) << 32) + 3},
        {6, OPEN + 4, UINT64_MAX - (UINT64_C(1) << 33)},
        {6, OPEN + 1, UINT64_C(1) << 63},
        {3, TOTAL, 1}, /* nothing was released yet */
        {3, TOTAL + 4, 1},
        {3, DATE, 1},
        {3, DUE, 1},
        {4, OPEN, 1}, /* just released */
        {4, DATE, 4},
        {36, OPEN, 1}, /* nothing is kept any more */
        {0, FED, 1},
        {0, OPEN, 1},
    };
    const lotor_matrix_params params = params_of(50);
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        rig made, other;
        words original, forged;
        rig_make(&made, &params, 15);
        rig_make(&other, &params, 16);
        feed_until(&made, forgeries[i].round);
        words_of(made.matrix, &original);
        forged = original;
        forged.at[forgeries[i].word] = forgeries[i].value;
        assert_int_equal(load_words(other.matrix, &forged), LOTOR_DAMAGED);
        forged = original;
        forged.count--;
        assert_int_equal(load_words(other.matrix, &forged), LOTOR_DAMAGED);
        forged.count += 2;
        forged.at[WORDS] = 0;
        assert_int_equal(load_words(other.matrix, &forged), LOTOR_DAMAGED);
        assert_int_equal(load_words(other.matrix, &original), LOTOR_OK);
        rig_free(&made);
        rig_free(&other);
    }
}

/* Any single word can have any value: the state is refused, or loads as a matrix that works. */
TEST(any_forged_word_is_survived)
{
    static const uint64_t values[] = {1, UINT64_MAX, INT64_MAX, UINT64_C(1) << 63, 77};
    const lotor_matrix_params params = params_of(50);
    for (uint64_t round = 6; round <= 8; round++) {
        rig made;
        words original;
        rig_make(&made, &params, 17);
        feed_until(&made, round);
        words_of(made.matrix, &original);
        for (size_t word = 0; word < WORDS; word++) {
            for (size_t i = 0; i < 5; i++) {
                rig other;
                rig_make(&other, &params, 18);
                words forged = original;
                forged.at[word] = values[i];
                const lotor_status status = load_words(other.matrix, &forged);
                for (uint64_t t = round + 1; t <= 17 && status == LOTOR_OK; t++) {
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
    const lotor_matrix_params good = params_of(50);
    static const double wrong[] = {NAN, -1.0, 0.0, 0x1p-65, 0x1p65, INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        lotor_matrix_params bad = good;
        bad.context = wrong[i];
        expect_refusal(&bad, LOTOR_INVALID, "contexts");
        bad = good;
        bad.reward = wrong[i];
        expect_refusal(&bad, LOTOR_INVALID, "rewards");
    }
    static const double alphas[] = {NAN, 0.0, 1.0, -0.5};
    for (size_t i = 0; i < sizeof alphas / sizeof *alphas; i++) {
        lotor_matrix_params bad = good;
        bad.alpha = alphas[i];
        expect_refusal(&bad, LOTOR_INVALID, "failure");
    }
    lotor_matrix_params bad = good;
    bad.size = 1;
    expect_refusal(&bad, LOTOR_INVALID, "rows");
    bad = good;
    bad.delta = lotor_ratio_of(0, 1);
    expect_refusal(&bad, LOTOR_INVALID, "delta");
    bad = good;
    bad.horizon = UINT64_C(1) << 51;
    expect_refusal(&bad, LOTOR_OVERFLOW, "horizon");
    bad = good;
    bad.epsilon = lotor_ratio_of(1, UINT64_C(1000000000000000));
    bad.delta = lotor_ratio_of(1, UINT64_C(1000000000000000000));
    expect_refusal(&bad, LOTOR_OVERFLOW, "epsilon");
    lotor_matrix_batch_free(NULL);
}
