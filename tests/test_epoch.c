/* test_epoch.c - the sums and the gate of elimination, exact to the last unit.
 *
 * A second source with the same seed predicts every noise. The scales were computed by hand from
 * Sajed 2019, Algorithms 9 and 10: a released sum has l1/epsilon, behind a gate 2 l1/epsilon; the
 * gate's two noises have 6 l1/epsilon. Queries are chosen so that one unit more or less of either
 * noise would change the answer.
 */
#include "support/test.h"

#include <string.h>

#include "privacy/release/epoch.h"
#include "support/draw.h"
#include "support/test_source.h"
#include "support/words.h"

enum { ARMS = 4, UNIT = 1 << 20 };

static const double UNIT_SIZE = 1.0 / (double)UNIT;

static test_source source, twin;
static lotor_noise noise; /* on `source` */

typedef struct setting {
    lotor_epoch_kind kind;
    lotor_ratio epsilon;
    uint64_t l1;
    uint64_t scale, gate; /* of a sum's and of the gate's noise, rounded up to whole units */
} setting;

static const setting settings[] = {
    {LOTOR_EPOCH_EXACT, {1, 0}, UNIT, 0, 0},
    {LOTOR_EPOCH_BATCH, {1, 1}, UNIT, UNIT, 0},
    {LOTOR_EPOCH_BATCH, {3, 2}, 3 * UNIT, 2 * UNIT, 0}, /* a range of width 3 */
    {LOTOR_EPOCH_BATCH, {3, 1}, UNIT, 349526, 0},       /* 2^20/3 = 349525.33 */
    {LOTOR_EPOCH_BATCH, {1, 0}, UNIT, 0, 0},            /* infinite epsilon */
    {LOTOR_EPOCH_GATED, {1, 1}, UNIT, 2 * UNIT, 6 * UNIT},
    {LOTOR_EPOCH_GATED, {3, 2}, 3 * UNIT, 4 * UNIT, 12 * UNIT},
    {LOTOR_EPOCH_GATED, {7, 1}, UNIT, 299594, 898780}, /* 2^21/7 = 299593.1, 3 2^21/7 = 898779.4 */
    {LOTOR_EPOCH_GATED, {1, 0}, UNIT, 0, 0},
    {LOTOR_EPOCH_ADDED, {1, 1}, UNIT, UNIT, 0},
    {LOTOR_EPOCH_ADDED, {3, 2}, 3 * UNIT, 2 * UNIT, 0},
    {LOTOR_EPOCH_ADDED, {1, 0}, UNIT, 0, 0},
};
static const size_t setting_count = sizeof settings / sizeof *settings;

static lotor_epoch *make(const setting *made)
{
    const lotor_release_params params = {
        .dimension = 1,
        .horizon = 100000,
        .epsilon = made->epsilon,
        .l1 = made->l1,
        .magnitude = made->l1,
    };
    lotor_epoch *epoch;
    lotor_message why = {""};
    if (lotor_epoch_new(made->kind, ARMS, &params, UNIT_SIZE, &why, &epoch) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    assert_int_equal(lotor_epoch_scale(epoch), made->scale);
    return epoch;
}

static lotor_board *make_board(void)
{
    lotor_board *board;
    assert_int_equal(lotor_board_new(2, ARMS, &board), LOTOR_OK);
    return board;
}

static void start(uint64_t seed)
{
    test_source_seed(&source, seed);
    test_source_seed(&twin, seed);
    noise = lotor_noise_exact(&source.source);
}

/* Predicts the noise that the epoch draws next. */
static int64_t foretell(uint64_t scale)
{
    lotor_noise told = lotor_noise_exact(&twin.source);
    int64_t draw;
    assert_int_equal(draw_noise(&told, LOTOR_LAW_LAPLACE, scale, 1, &draw), LOTOR_OK);
    return draw;
}

/* Expects that exactly as many bytes were drawn as predicted. */
static void expect_in_step(void)
{
    assert_int_equal(source.refills, twin.refills);
    assert_int_equal(source.window.left, twin.window.left);
}

/* A value between 0 and UNIT. */
static int64_t value_at(uint64_t t, size_t arm)
{
    return (int64_t)((t * 2654435761U + arm * 40503U) % (UNIT + 1));
}

static void save(const lotor_epoch *epoch, unsigned char **bytes, size_t *length)
{
    lotor_writer writer;
    lotor_writer_start(&writer, "epoch");
    lotor_epoch_save(epoch, &writer);
    assert_int_equal(lotor_writer_seal(&writer, bytes, length), LOTOR_OK);
}

static lotor_epoch *copy_of(const lotor_epoch *epoch, const setting *made)
{
    unsigned char *bytes;
    size_t length;
    lotor_reader reader;
    save(epoch, &bytes, &length);
    lotor_epoch *copy = make(made);
    assert_int_equal(lotor_reader_open(&reader, "epoch", bytes, length, NULL), LOTOR_OK);
    lotor_epoch_load(copy, &reader);
    assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_OK);
    lotor_bytes_free(bytes, length);
    return copy;
}

static void expect_same(const lotor_epoch *a, const lotor_epoch *b)
{
    unsigned char *bytes_a, *bytes_b;
    size_t length_a, length_b;
    save(a, &bytes_a, &length_a);
    save(b, &bytes_b, &length_b);
    bytes_expect_same(bytes_a, length_a, bytes_b, length_b);
}

/* Feeds `rounds` rounds to every arm, and adds the exact values to `sums`. */
static void feed(lotor_epoch *epoch, uint64_t first, uint64_t rounds, int64_t sums[ARMS])
{
    for (uint64_t t = first; t < first + rounds; t++) {
        for (size_t arm = 0; arm < ARMS; arm++) {
            lotor_epoch_feed(epoch, arm, value_at(t, arm), 1);
            sums[arm] += value_at(t, arm);
        }
    }
}

/* Expects that the board has the exact sums plus the predicted noise, in the order of the viable
 * arms. */
static void expect_released(const lotor_board *board, const setting *made, const uint32_t *viable,
                            const int64_t sums[ARMS])
{
    for (size_t i = 0; i < 3; i++) {
        const int64_t expected = sums[viable[i]] + foretell(made->scale);
        assert_true(lotor_board_at(board, 0, viable[i])->value == (double)expected * UNIT_SIZE);
    }
    expect_in_step();
}

static const uint32_t orders[][3] = {{0, 1, 2}, {3, 0, 2}, {2, 1, 3}};

/* Epochs of 1, 3, 5, ... rounds with changing viable arms. A release is the exact sum of this epoch
 * (without noise: of all epochs) plus the predicted noise, in the order of the viable arms.
 * Releases that add up have a test below. */
TEST(released_sums_have_their_noise)
{
    for (size_t s = 0; s < setting_count; s++) {
        const setting *made = &settings[s];
        if (made->kind == LOTOR_EPOCH_ADDED) {
            continue;
        }
        lotor_epoch *epoch = make(made);
        lotor_board *board = make_board();
        int64_t sums[ARMS] = {0};
        uint64_t count = 0, next = 1;
        start(20 + s);
        for (uint64_t e = 1; e <= 9; e++) {
            const uint32_t *viable = orders[e % 3];
            feed(epoch, next, 2 * e - 1, sums);
            next += 2 * e - 1;
            count += 2 * e - 1;
            assert_int_equal(lotor_epoch_count(epoch, 1), count);
            assert_int_equal(lotor_epoch_release(epoch, viable, 3, e, &noise, board), LOTOR_OK);
            expect_released(board, made, viable, sums);
            for (size_t i = 0; i < 3; i++) {
                assert_int_equal(lotor_board_at(board, 0, viable[i])->count, count);
                assert_int_equal(lotor_board_at(board, 0, viable[i])->time, e);
            }
            for (size_t arm = 0; arm < ARMS && made->kind != LOTOR_EPOCH_EXACT; arm++) {
                sums[arm] = 0; /* a new epoch, also for the arms that were not released */
                count = 0;
            }
            assert_int_equal(lotor_epoch_count(epoch, 3), count);
        }
        lotor_epoch_free(epoch);
        lotor_board_free(board);
    }
}

/* Epochs of 1, 3, 5, ... rounds, saved and loaded in between. The board has the sum of all releases
 * of an arm, with one noise per epoch, and the number of observations in it. Observations that were
 * not released are dropped. */
TEST(releases_add_up)
{
    for (size_t s = 0; s < setting_count; s++) {
        const setting *made = &settings[s];
        if (made->kind != LOTOR_EPOCH_ADDED) {
            continue;
        }
        lotor_epoch *epoch = make(made);
        lotor_board *board = make_board();
        int64_t totals[ARMS] = {0};
        uint64_t covered[ARMS] = {0}, next = 1;
        start(30 + s);
        for (uint64_t e = 1; e <= 9; e++) {
            const uint32_t *viable = orders[e % 3];
            int64_t sums[ARMS] = {0};
            feed(epoch, next, 2 * e - 1, sums);
            next += 2 * e - 1;
            assert_int_equal(lotor_epoch_release(epoch, viable, 3, e, &noise, board), LOTOR_OK);
            for (size_t i = 0; i < 3; i++) {
                const uint32_t arm = viable[i];
                totals[arm] += sums[arm] + foretell(made->scale);
                covered[arm] += 2 * e - 1;
                const lotor_fact *fact = lotor_board_at(board, 0, arm);
                assert_true(fact->value == (double)totals[arm] * UNIT_SIZE);
                assert_int_equal(fact->count, covered[arm]);
            }
            expect_in_step();
            assert_int_equal(lotor_epoch_count(epoch, 3), 0);
            lotor_epoch *copy = copy_of(epoch, made);
            expect_same(copy, epoch);
            lotor_epoch_free(epoch);
            epoch = copy;
        }
        lotor_epoch_free(epoch);
        lotor_board_free(board);
    }
}

static int64_t gap_of(const int64_t sums[ARMS], const uint32_t *viable, size_t count)
{
    int64_t gap = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            const int64_t difference = sums[viable[i]] - sums[viable[j]];
            gap = difference > gap ? difference : gap;
        }
    }
    return gap;
}

/* One query of the series: how close a "no" or a "yes" is, in half units. */
static const int misses[] = {2, 1, 400}, hits[] = {0, -1, -2, -300};

typedef struct trace {
    const setting *made;
    lotor_epoch *epoch;
    lotor_board *board;
    int64_t sums[ARMS];
    int64_t threshold_noise; /* the predicted B of the current epoch */
    bool running;
    uint64_t time;
} trace;

/* Predicts B at an epoch's first query, and A. Asks a query whose answer depends on one unit. */
static void ask(trace *on, const uint32_t *viable, size_t count, int half_units)
{
    if (!on->running) {
        on->threshold_noise = foretell(on->made->gate);
        on->running = true;
    }
    const int64_t tie =
        gap_of(on->sums, viable, count) + foretell(on->made->gate) - on->threshold_noise;
    const double threshold = ((double)tie + half_units / 2.0) * UNIT_SIZE;
    assert_int_equal(
        lotor_epoch_ask(on->epoch, viable, count, threshold, ++on->time, &noise, on->board),
        LOTOR_OK);
    const lotor_fact *fact = lotor_board_at(on->board, 1, 0);
    assert_int_equal(fact->time, on->time);
    assert_true(fact->value == (half_units <= 0 ? 1.0 : 0.0));
    expect_in_step();
    on->running = half_units > 0;
}

/* Epochs of 1 to 12 queries, 78 in all. With `reload`, the state is saved and loaded before every
 * query, before every release, and inside epochs. */
static void play_gate(const setting *made, bool reload)
{
    trace on = {.made = made, .epoch = make(made), .board = make_board()};
    uint64_t next = 1;
    start(50);
    for (size_t e = 1; e <= 12; e++) {
        const uint32_t *viable = orders[e % 3];
        for (size_t question = 1; question <= e; question++) {
            feed(on.epoch, next++, 1, on.sums);
            if (reload) {
                lotor_epoch *copy = copy_of(on.epoch, made);
                lotor_epoch_free(on.epoch);
                on.epoch = copy;
            }
            ask(&on, viable, 3, question < e ? misses[question % 3] : hits[e % 4]);
        }
        assert_int_equal(lotor_epoch_release(on.epoch, viable, 3, ++on.time, &noise, on.board),
                         LOTOR_OK);
        expect_released(on.board, made, viable, on.sums);
        for (size_t arm = 0; arm < ARMS; arm++) {
            on.sums[arm] = 0;
        }
    }
    lotor_epoch_free(on.epoch);
    lotor_board_free(on.board);
}

TEST(the_gate_is_its_definition)
{
    for (size_t s = 0; s < setting_count; s++) {
        if (settings[s].kind == LOTOR_EPOCH_GATED) {
            play_gate(&settings[s], false);
            play_gate(&settings[s], true);
        }
    }
}

/* Makes the source end after `words` more words, which are the first ones of the twin. */
static void cut_short(uint64_t seed, size_t words)
{
    start(seed);
    (void)foretell(UNIT); /* fills the window; what is left of it is the same for both */
    (void)lotor_source_word(&source.source);
    source.window = twin.window;
    const size_t drop = source.window.left - words * sizeof(uint64_t);
    memmove(source.window.bytes + sizeof source.window.bytes - words * sizeof(uint64_t),
            source.window.bytes + sizeof source.window.bytes - source.window.left,
            words * sizeof(uint64_t));
    source.window.left -= drop;
    source.refills_left = 0;
}

/* Entropy ends before B, between B and A, or within either: no answer and no change; the same query
 * can be asked again. */
TEST(a_question_without_entropy_changes_nothing)
{
    const setting *made = &settings[6];
    size_t only_first = 0, refused = 0;
    lotor_epoch *epoch = make(made);
    lotor_board *board = make_board();
    int64_t sums[ARMS] = {0};
    feed(epoch, 1, 5, sums);
    lotor_epoch *before = copy_of(epoch, made);
    for (size_t words = 0;; words++) {
        assert_in_range(words, 0, 1000);
        cut_short(60, words);
        const size_t left = twin.window.left;
        (void)foretell(made->gate);
        const bool first_drawn = left - twin.window.left <= words * sizeof(uint64_t);
        const lotor_status status = lotor_epoch_ask(epoch, orders[0], 3, 1e9, 1, &noise, board);
        if (status == LOTOR_OK) {
            break;
        }
        assert_int_equal(status, LOTOR_ENTROPY);
        only_first += first_drawn;
        refused++;
        expect_same(epoch, before);
        assert_int_equal(lotor_board_posts(board), 0);
    }
    assert_true(only_first > 0 && refused > only_first);
    lotor_epoch_free(epoch);
    lotor_epoch_free(before);
    lotor_board_free(board);
}

TEST(a_release_without_entropy_changes_nothing)
{
    for (size_t s = 0; s < setting_count; s++) {
        const setting *made = &settings[s];
        if (made->scale == 0) {
            continue;
        }
        lotor_epoch *epoch = make(made);
        lotor_board *board = make_board();
        int64_t sums[ARMS] = {0};
        feed(epoch, 1, 5, sums);
        start(61);
        source.source.status = LOTOR_ENTROPY;
        assert_int_equal(lotor_epoch_release(epoch, orders[1], 3, 1, &noise, board), LOTOR_ENTROPY);
        assert_int_equal(lotor_board_posts(board), 0);
        assert_int_equal(lotor_epoch_count(epoch, 0), 5);
        start(62); /* entropy is back: fresh draws, the same sums */
        assert_int_equal(lotor_epoch_release(epoch, orders[1], 3, 1, &noise, board), LOTOR_OK);
        expect_released(board, made, orders[1], sums);
        assert_int_equal(lotor_epoch_count(epoch, 0), 0);
        lotor_epoch_free(epoch);
        lotor_board_free(board);
    }
}

typedef struct journal {
    size_t takes; /* facts before it refuses */
    double told[16];
    size_t count;
} journal;

static lotor_status keep(void *context, size_t statistic, size_t arm, const lotor_fact *fact)
{
    (void)statistic;
    (void)arm;
    journal *book = context;
    if (book->takes == 0) {
        return LOTOR_MEMORY;
    }
    book->takes--;
    book->told[book->count++] = fact->value;
    return LOTOR_OK;
}

/* A journal that refuses the first, second or third fact. Facts that the journal accepted are
 * public. So a second call, also after the state was saved and loaded, posts the same values and
 * draws no new noise. */
TEST(a_refused_release_keeps_its_noise)
{
    for (size_t s = 0; s < setting_count; s++) {
        const setting *made = &settings[s];
        for (size_t takes = 0; takes < 3; takes++) {
            lotor_epoch *epoch = make(made);
            lotor_board *board = make_board();
            journal book = {.takes = takes};
            int64_t sums[ARMS] = {0};
            feed(epoch, 1, 7, sums);
            start(70 + takes);
            lotor_board_set_journal(board, keep, &book);
            for (int again = 0; again < 3; again++) {
                assert_int_equal(lotor_epoch_release(epoch, orders[2], 3, 1, &noise, board),
                                 LOTOR_MEMORY);
                assert_int_equal(lotor_epoch_count(epoch, 0), 7);
                lotor_epoch *copy = copy_of(epoch, made);
                lotor_epoch_free(epoch);
                epoch = copy;
            }
            book.takes = 3;
            assert_int_equal(lotor_epoch_release(epoch, orders[2], 3, 1, &noise, board), LOTOR_OK);
            assert_int_equal(book.count, 3);
            expect_released(board, made, orders[2], sums);
            for (size_t i = 0; i < 3; i++) {
                assert_true(lotor_board_at(board, 0, orders[2][i])->value == book.told[i]);
            }
            lotor_epoch_free(epoch);
            lotor_board_free(board);
        }
    }
}

/* The same for the gate: a refused answer is posted again as it was, without another draw. Gap 7
 * and thresholds around it, so that both answers come. */
TEST(a_refused_answer_is_kept)
{
    const setting *made = &settings[5];
    unsigned seen = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        lotor_epoch *epoch = make(made);
        lotor_board *board = make_board();
        journal book = {.takes = 0};
        int64_t sums[ARMS] = {0};
        feed(epoch, 1, 7, sums);
        start(80 + seed);
        lotor_board_set_journal(board, keep, &book);
        size_t left = 0;
        for (int again = 0; again < 3; again++) {
            assert_int_equal(lotor_epoch_ask(epoch, orders[2], 3, 5.0, 1, &noise, board),
                             LOTOR_MEMORY);
            assert_true(again == 0 || source.window.left == left);
            left = source.window.left;
            lotor_epoch *copy = copy_of(epoch, made);
            lotor_epoch_free(epoch);
            epoch = copy;
        }
        book.takes = 1;
        assert_int_equal(lotor_epoch_ask(epoch, orders[2], 3, 5.0, 1, &noise, board), LOTOR_OK);
        assert_int_equal(source.window.left, left);
        seen |= lotor_board_at(board, 1, 0)->value > 0.5 ? 2 : 1;
        lotor_epoch_free(epoch);
        lotor_board_free(board);
    }
    assert_int_equal(seen, 3);
}
