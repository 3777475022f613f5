/* test_fresh_matrix.c - the noise of matrix statistics: every entry of every node or batch has a
 * draw of its own, in dimensions 1 to 16, 300 and 1,024. The method is that of test_fresh_noise.c. */
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/laws.h"
#include "privacy/release/matrix.h"
#include "privacy/release/matrix_batch.h"
#include "privacy/release/matrix_plan.h"
#include "support/known_noise.h"
#include "support/refusals.h"

enum { SMALL = 16, ROUNDS = 1100, LEVELS = 12 };

/* More rows and entries than a byte, or two, can count. */
static const size_t wide[] = {300, 1024};
enum { WIDE = sizeof wide / sizeof *wide };

static known_noise known;

typedef struct rig {
    lotor_matrix_params params;
    size_t size, entries, rows;
    uint64_t rounds;
    lotor_matrix *matrix;
    lotor_board *board;
    refusals refusals;
    double *z;         /* the round that is fed */
    bool *is_diagonal; /* by entry */
    int64_t *sums;     /* exact, of all rounds or of the open batch */
    int64_t *noise;    /* rounds + 1 rows: of the node that ends at that round */
    int64_t *totals;   /* of the releases */
    int64_t *idle;     /* LEVELS rows. Wishart: the noise of empty levels */
    double *work;      /* two matrices */
} rig;

static rig made;

static void *zeros(size_t count, size_t size)
{
    void *made_room = calloc(count, size);
    assert_non_null(made_room);
    return made_room;
}

static int64_t *noise_of(uint64_t round)
{
    return made.noise + round * made.entries;
}

static int64_t *idle_of(size_t level)
{
    return made.idle + level * made.entries;
}

static void rig_make(lotor_matrix_kind kind, size_t dimension, uint64_t rounds, bool is_troubled)
{
    memset(&made, 0, sizeof made);
    made.size = dimension + 1;
    made.entries = lotor_matrix_entries(made.size);
    made.rounds = rounds;
    const bool is_batch = kind == LOTOR_MATRIX_BATCH || kind == LOTOR_MATRIX_SEPARATE;
    made.z = zeros(made.size, sizeof *made.z);
    made.is_diagonal = zeros(made.entries, sizeof *made.is_diagonal);
    for (size_t row = 0; row < made.size; row++) {
        made.is_diagonal[lotor_matrix_entries(row + 1) - 1] = true;
    }
    made.sums = zeros(made.entries, sizeof *made.sums);
    made.noise = is_batch ? NULL : zeros((rounds + 1) * made.entries, sizeof *made.noise);
    made.totals = zeros(made.entries, sizeof *made.totals);
    made.idle =
        kind == LOTOR_MATRIX_WISHART ? zeros(LEVELS * made.entries, sizeof *made.idle) : NULL;
    made.work = zeros(2 * made.size * made.size, sizeof *made.work);
    made.params = (lotor_matrix_params){
        .kind = kind,
        .size = made.size,
        .horizon = made.rounds,
        .bound = sqrt(2.0),
        .epsilon =
            lotor_ratio_of(is_batch && dimension > SMALL ? 20000 : 200, 1), /* short batches */
        .delta = lotor_ratio_of(1, 100000),
        .context = 1.0,
        .reward = 1.0,
        .alpha = 0.05,
    };
    assert_int_equal(lotor_matrix_new(&made.params, NULL, &made.matrix), LOTOR_OK);
    made.rows = lotor_matrix_statistics(made.matrix);
    made.refusals.every = is_troubled ? 2 * made.entries : 0;
    assert_int_equal(lotor_board_new(made.rows, made.entries, &made.board), LOTOR_OK);
    lotor_board_set_journal(made.board, refusals_journal, &made.refusals);
}

static void rig_free(void)
{
    lotor_matrix_free(made.matrix);
    lotor_board_free(made.board);
    free(made.z);
    free(made.is_diagonal);
    free(made.sums);
    free(made.noise);
    free(made.totals);
    free(made.idle);
    free(made.work);
}

static void rig_reload(void)
{
    unsigned char *bytes;
    size_t length;
    lotor_writer writer;
    lotor_writer_start(&writer, "matrix");
    lotor_matrix_save(made.matrix, &writer);
    assert_int_equal(lotor_writer_seal(&writer, &bytes, &length), LOTOR_OK);
    lotor_matrix_free(made.matrix);
    assert_int_equal(lotor_matrix_new(&made.params, NULL, &made.matrix), LOTOR_OK);
    lotor_reader reader;
    assert_int_equal(lotor_reader_open(&reader, "matrix", bytes, length, NULL), LOTOR_OK);
    lotor_matrix_load(made.matrix, &reader);
    assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_OK);
    lotor_bytes_free(bytes, length);
}

/* A context of length at most 1, and a reward of size at most 1. */
static void choose_round(uint64_t round)
{
    const size_t dimension = made.size - 1;
    for (size_t i = 0; i < made.size; i++) {
        const double u = (double)(lotor_mix(10000 * round + i) >> 11) * 0x1p-52 - 1.0;
        made.z[i] = i < dimension ? u / sqrt((double)dimension) : u;
    }
}

static void feed_round(uint64_t round, lotor_noise *noise)
{
    choose_round(round);
    lotor_status status;
    while ((status = lotor_matrix_feed(made.matrix, made.z, round, noise, made.board)) ==
           LOTOR_STOPPED) {
        rig_reload();
    }
    assert_int_equal(status, LOTOR_OK);
    if (made.refusals.every > 0 && round % 5 == 0) {
        rig_reload();
    }
}

/* Adds the triangle of z z' of the round that was fed to the exact sums; the last row has units of its own. */
static void add_round(double unit, double last_unit)
{
    size_t entry = 0;
    for (size_t i = 0; i < made.size; i++) {
        for (size_t j = 0; j <= i; j++, entry++) {
            made.sums[entry] +=
                llrint(made.z[i] * made.z[j] * (1.0 / (i + 1 < made.size ? unit : last_unit)));
        }
    }
}

static void expect_entry(size_t row, size_t entry, int64_t sum, double unit)
{
    const double released = lotor_board_at(made.board, row, entry)->value;
    if (released != (double)sum * unit) {
        fail_msg("%s %d, %zu rows, entry %zu: %.0f units were released, and the plan says %lld",
                 lotor_matrix_name(made.params.kind), (int)made.params.kind, made.size, entry,
                 released / unit, (long long)sum);
    }
}

/* The noise in the sum of the first t rounds (see tree_noise in test_fresh_noise.c). */
static int64_t tree_noise(size_t entry, uint64_t t)
{
    int64_t sum = 0;
    for (; t > 0; t &= t - 1) {
        sum += noise_of(t)[entry];
    }
    return sum;
}

/* Words in the upper half: among a million draws of other words one could be minus zero, which is drawn again. */
static uint64_t large_word(uint64_t draw)
{
    return lotor_mix((draw + 1) * UINT64_C(0x9e3779b97f4a7c15)) | UINT64_C(1) << 63;
}

static void start_noise(size_t dimension, bool is_simulated)
{
    known_noise_start(&known, LOTOR_LAW_GAUSSIAN, is_simulated, dimension);
    known.word_of = dimension > SMALL ? large_word : known.word_of;
}

static uint64_t rounds_of(size_t dimension)
{
    return dimension == 1 ? ROUNDS : 150;
}

/* --- Gaussian trees --------------------------------------------------------------------------- */

static void check_tree(lotor_matrix_kind kind, size_t dimension, uint64_t rounds, bool is_simulated,
                       bool is_troubled)
{
    rig_make(kind, dimension, rounds, is_troubled);
    lotor_matrix_plan plan;
    assert_int_equal(lotor_matrix_plan_make(&made.params, NULL, &plan), LOTOR_OK);
    start_noise(dimension, is_simulated);
    for (uint64_t t = 1; t <= made.rounds; t++) {
        feed_round(t, &known.noise);
        add_round(plan.unit, plan.unit);
        for (size_t i = 0; i < made.entries; i++) {
            noise_of(t)[i] =
                known_noise_next(&known, made.is_diagonal[i] ? plan.diagonal : plan.off_diagonal);
            expect_entry(0, i, made.sums[i] + tree_noise(i, t), plan.unit);
        }
        assert_true(known_noise_is_spent(&known));
    }
    rig_free();
}

TEST(each_entry_of_each_node_has_its_own_draw)
{
    static const lotor_matrix_kind kinds[] = {LOTOR_MATRIX_GAUSSIAN, LOTOR_MATRIX_TIGHT};
    for (size_t k = 0; k < 2; k++) {
        for (size_t dimension = 1; dimension <= SMALL; dimension++) {
            const uint64_t rounds = rounds_of(dimension);
            check_tree(kinds[k], dimension, rounds, false, false);
            check_tree(kinds[k], dimension, rounds, false, true);
            check_tree(kinds[k], dimension, rounds, true, false);
        }
    }
}

/* Two rounds: nodes of one and of two rounds. */
TEST(each_entry_of_a_wide_node_has_its_own_draw)
{
    for (size_t i = 0; i < WIDE; i++) {
        check_tree(LOTOR_MATRIX_TIGHT, wide[i], 2, false, false);
        check_tree(LOTOR_MATRIX_GAUSSIAN, wide[i], 2, true, false);
    }
}

/* --- batches ---------------------------------------------------------------------------------- */

/* Batch number `row`, from 0, ends after round t. */
static void expect_release(const lotor_matrix_batch_plan *plan, size_t row)
{
    const size_t gram = lotor_matrix_entries(made.size - 1), dimension = made.size - 1;
    const bool is_separate = made.params.kind == LOTOR_MATRIX_SEPARATE;
    for (size_t i = 0; i < gram + dimension; i++) {
        const uint64_t scale = i >= gram             ? plan->response
                               : made.is_diagonal[i] ? plan->diagonal
                                                     : plan->off_diagonal;
        const int64_t noisy = made.sums[i] + known_noise_next(&known, scale);
        made.totals[i] = is_separate ? noisy : made.totals[i] + noisy;
        expect_entry(is_separate ? row : 0, i, made.totals[i],
                     i < gram ? plan->gram_unit : plan->response_unit);
    }
    assert_int_equal(lotor_board_at(made.board, 0, gram + dimension)->time, 0); /* y^2 */
    memset(made.sums, 0, made.entries * sizeof *made.sums);
}

static void check_batches(lotor_matrix_kind kind, size_t dimension, uint64_t rounds,
                          bool is_simulated, bool is_troubled)
{
    rig_make(kind, dimension, rounds, is_troubled);
    lotor_matrix_batch_plan plan;
    assert_int_equal(lotor_matrix_batch_plan_make(&made.params, NULL, &plan), LOTOR_OK);
    start_noise(dimension, is_simulated);
    size_t releases = 0;
    for (uint64_t t = 1; t <= made.rounds; t++) {
        feed_round(t, &known.noise);
        add_round(plan.gram_unit, plan.response_unit);
        if (t >= plan.first && (t & (t - 1)) == 0) {
            expect_release(&plan, releases++);
        }
        assert_true(known_noise_is_spent(&known));
    }
    assert_true(releases > (dimension == 1 ? 8 : 1));
    rig_free();
}

TEST(each_entry_of_each_batch_has_its_own_draw)
{
    static const lotor_matrix_kind kinds[] = {LOTOR_MATRIX_BATCH, LOTOR_MATRIX_SEPARATE};
    for (size_t k = 0; k < 2; k++) {
        for (size_t dimension = 1; dimension <= SMALL; dimension++) {
            const uint64_t rounds = rounds_of(dimension);
            check_batches(kinds[k], dimension, rounds, false, false);
            check_batches(kinds[k], dimension, rounds, false, true);
            check_batches(kinds[k], dimension, rounds, true, false);
        }
    }
}

TEST(each_entry_of_a_wide_batch_has_its_own_draw)
{
    static const lotor_matrix_kind kinds[] = {LOTOR_MATRIX_BATCH, LOTOR_MATRIX_SEPARATE};
    for (size_t i = 0; i < WIDE; i++) {
        for (size_t k = 0; k < 2; k++) {
            check_batches(kinds[k], wide[i], 64, k == i, false);
        }
    }
}

/* --- Wishart ---------------------------------------------------------------------------------- */

/* The next Wishart matrix of a generator, in units. */
static void draw_wishart(lotor_generator *generator, const lotor_matrix_plan *plan, int64_t *out)
{
    double *work = made.work, *drawn = made.work + made.size * made.size;
    const double scale = made.params.bound * made.params.bound * (1.0 / plan->unit);
    lotor_random_wishart(generator, made.size, plan->degrees, work, drawn);
    for (size_t i = 0; i < made.size; i++) {
        for (size_t j = 0; j <= i; j++) {
            *out++ = lotor_noise_whole(drawn[i * made.size + j] * scale);
        }
    }
}

/* Every level has a Wishart matrix at all times: an empty level one that is drawn when the level is
 * emptied, and a filled level that of its node. A twin of the generator predicts all of them. */
static void check_wishart(size_t dimension, uint64_t rounds)
{
    rig_make(LOTOR_MATRIX_WISHART, dimension, rounds, false);
    lotor_matrix_plan plan;
    assert_int_equal(lotor_matrix_plan_make(&made.params, NULL, &plan), LOTOR_OK);
    assert_true(plan.levels <= LEVELS);
    lotor_generator generator, twin;
    lotor_generator_seed(&generator, dimension);
    twin = generator;
    lotor_noise noise = lotor_noise_simulated(&generator);
    assert_int_equal(lotor_matrix_start(made.matrix, &noise, made.board), LOTOR_OK);
    for (unsigned level = 0; level < plan.levels; level++) {
        draw_wishart(&twin, &plan, idle_of(level));
    }
    for (uint64_t t = 1; t <= made.rounds; t++) {
        feed_round(t, &noise);
        add_round(plan.unit, plan.unit);
        const unsigned filled = (unsigned)__builtin_ctzll(t);
        draw_wishart(&twin, &plan, noise_of(t));
        for (unsigned level = 0; level < filled; level++) {
            draw_wishart(&twin, &plan, idle_of(level));
        }
        memset(idle_of(filled), 0, made.entries * sizeof *made.idle);
        for (size_t i = 0; i < made.entries; i++) {
            int64_t sum = made.sums[i] + tree_noise(i, t);
            for (unsigned level = 0; level < plan.levels; level++) {
                sum += idle_of(level)[i];
            }
            expect_entry(0, i, sum, plan.unit);
        }
        assert_memory_equal(&generator, &twin, sizeof twin);
    }
    rig_free();
}

TEST(each_wishart_matrix_is_new)
{
    for (size_t dimension = 1; dimension <= SMALL; dimension++) {
        check_wishart(dimension, rounds_of(dimension));
    }
}

TEST(each_wide_wishart_matrix_is_new)
{
    check_wishart(wide[0], 2);
}
