/* test_fresh_noise.c - every released number has noise of its own.
 *
 * The tests know every draw in advance (support/known_noise.h), and have a plan of each mechanism:
 * how many draws each round takes, in which order, and which of them are in which released number.
 * Then they compare:
 *
 *      every released number  =  the exact number  +  its own draws       exactly, after every round
 *      words that were read   =  words of the planned draws               so no draw goes unused
 *
 * A draw that is missing, shared by two numbers, repeated or replaced makes a difference. "Troubled"
 * runs have a journal that refuses some releases. After each refusal the mechanism is saved and
 * loaded, and the byte source continues. The numbers must be the same as without trouble: what
 * has its noise is not drawn again, and no draw is used twice.
 */
#include "support/test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "privacy/local/bit.h"
#include "privacy/local/cube.h"
#include "privacy/local/position.h"
#include "privacy/noise/exact.h"
#include "privacy/release/counter.h"
#include "privacy/release/statistic.h"
#include "support/known_noise.h"
#include "support/refusals.h"
#include "support/test_source.h"

enum { ARMS_MAX = 64, DIMENSION_MAX = 16, SLOTS_MAX = 4, ROUNDS_PER_ARM = 6, HORIZON = 1100 };
#define L1    (UINT64_C(1) << 40)
#define WIDTH (INT64_C(1) << 20)

static known_noise known;

/* --- the function that adds noise ------------------------------------------------------------ */

static int64_t draw_one(lotor_law law, uint64_t scale, lotor_source *source)
{
    return law == LOTOR_LAW_LAPLACE ? lotor_exact_laplace(source, scale, 1)
                                    : lotor_exact_gaussian(source, scale, 1);
}

/* `count` numbers get what `count` calls of the sampler give, one after the other, and read just
 * the words that these calls read. So the words of different numbers are disjoint. */
TEST(exact_noise_gives_each_number_its_own_words)
{
    static test_source source, twin;
    for (int law = 0; law <= 1; law++) {
        for (size_t count = 1; count <= 200; count++) {
            test_source_seed(&source, 100 + count);
            test_source_seed(&twin, 100 + count);
            lotor_noise noise = lotor_noise_exact(&source.source);
            int64_t numbers[200];
            for (size_t i = 0; i < count; i++) {
                numbers[i] = (int64_t)i * 1000003;
            }
            assert_int_equal(lotor_noise_add(&noise, (lotor_law)law, 5000, count, numbers),
                             LOTOR_OK);
            for (size_t i = 0; i < count; i++) {
                const uint64_t before = test_source_words(&twin);
                const int64_t draw = draw_one((lotor_law)law, 5000, &twin.source);
                assert_true(test_source_words(&twin) - before >= 3);
                assert_int_equal(numbers[i], (int64_t)i * 1000003 + draw);
            }
            assert_int_equal(test_source_words(&source), test_source_words(&twin));
        }
    }
}

/* The same with known draws, exact and simulated, through all three functions. */
static void check_seam(lotor_law law, bool is_simulated)
{
    const uint64_t scale = UINT64_C(1) << 40;
    known_noise_start(&known, law, is_simulated, 7);
    for (size_t count = 0; count <= 200; count++) {
        int64_t numbers[200];
        for (size_t i = 0; i < count; i++) {
            numbers[i] = -(int64_t)i;
        }
        assert_int_equal(lotor_noise_add(&known.noise, law, scale, count, numbers), LOTOR_OK);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(numbers[i], known_noise_next(&known, scale) - (int64_t)i);
        }
        int64_t one = 11;
        assert_int_equal(lotor_noise_add_one(&known.noise, law, scale, &one), LOTOR_OK);
        assert_int_equal(one, known_noise_next(&known, scale) + 11);
        if (law == LOTOR_LAW_LAPLACE) {
            lotor_i128 wide;
            assert_int_equal(
                lotor_noise_add_wide(&known.noise, LOTOR_USE_QUERY, scale, INT64_MAX, &wide),
                LOTOR_OK);
            assert_true(wide == (lotor_i128)INT64_MAX + known_noise_next(&known, scale));
        }
        assert_true(known_noise_is_spent(&known));
    }
}

TEST(each_number_takes_the_next_draw)
{
    for (int law = 0; law <= 1; law++) {
        check_seam((lotor_law)law, false);
        check_seam((lotor_law)law, true);
    }
}

/* --- statistics ------------------------------------------------------------------------------ */

typedef enum plan_kind {
    PLAN_NONE,        /* no noise: the running sum */
    PLAN_EACH,        /* a draw per observation: the running sum of noisy numbers */
    PLAN_TREE,        /* a draw per observation, for the node that ends there */
    PLAN_HYBRID,      /* a draw per observation, for a block or for a node inside a block */
    PLAN_BATCH,       /* a draw per batch: the latest batch */
    PLAN_BATCH_ROWS,  /* a draw per batch; each batch has its own row */
    PLAN_BATCH_TOTAL, /* a draw per batch: the sum of all batches */
    PLAN_ROUND_TREE,  /* a draw per arm in each round, shown or not: one tree of vectors */
    PLAN_TWO_BATCHES, /* two draws per batch: clicks and observations */
    PLAN_COINS        /* no draws: one report of coins per observation or per round */
} plan_kind;

typedef struct draw_plan {
    const lotor_statistic_kind *kind;
    plan_kind is;
    uint64_t ends[24]; /* after how many observations of an arm its batches end */
} draw_plan;

#define DOUBLING_ENDS                                                                              \
    {                                                                                              \
        1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047                                             \
    }

static const draw_plan plans[] = {
    {&lotor_statistic_exact, PLAN_NONE, {0}},
    {&lotor_statistic_reports, PLAN_EACH, {0}},
    {&lotor_statistic_reports_gaussian, PLAN_EACH, {0}},
    {&lotor_statistic_reports_composed, PLAN_EACH, {0}},
    {&lotor_statistic_bits, PLAN_COINS, {0}},
    {&lotor_statistic_tree, PLAN_TREE, {0}},
    {&lotor_statistic_tree_tight, PLAN_TREE, {0}},
    {&lotor_statistic_tree_gaussian, PLAN_TREE, {0}},
    {&lotor_statistic_hybrid, PLAN_HYBRID, {0}},
    {&lotor_statistic_doubling, PLAN_BATCH, DOUBLING_ENDS},
    {&lotor_statistic_growing,
     PLAN_BATCH_ROWS,
     {1, 2, 3, 5, 8, 12, 18, 27, 41, 62, 93, 140, 210, 315, 473, 710, 1065, 1598}},
    {&lotor_statistic_episodes, PLAN_BATCH, {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048}},
    {&lotor_statistic_episodes_kept,
     PLAN_BATCH_ROWS,
     {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048}},
    {&lotor_statistic_batch_total, PLAN_BATCH_TOTAL, DOUBLING_ENDS},
    {&lotor_statistic_chosen,
     PLAN_BATCH_ROWS,
     {2, 3, 7, 8, 11, 12, 20, 21, 40, 41, 99, 100, 250, 500, 501, 700, 1000, 1001, 2000}},
    {&lotor_statistic_vector_tree, PLAN_ROUND_TREE, {0}},
    {&lotor_statistic_click_reports, PLAN_COINS, {0}},
    {&lotor_statistic_click_batches, PLAN_TWO_BATCHES, DOUBLING_ENDS},
    {&lotor_statistic_cube_reports, PLAN_COINS, {0}},
};
enum { PLANS = sizeof plans / sizeof *plans };

TEST(every_statistic_has_a_plan)
{
    for (size_t i = 0; lotor_statistics[i]; i++) {
        size_t found = 0;
        for (size_t p = 0; p < PLANS; p++) {
            found += plans[p].kind == lotor_statistics[i];
        }
        assert_int_equal(found, 1);
    }
}

static uint64_t lowest_bit(uint64_t t)
{
    return t & (~t + 1);
}

/* The noise in the sum of the first t values of a tree. It is the sum of the noise of the nodes that end
 * at t, at t without its lowest bit, and so on. The array draws has the noise of the node that ends at t
 * at index t. */
static int64_t tree_noise(const int64_t *draws, uint64_t t)
{
    int64_t sum = 0;
    for (; t > 0; t -= lowest_bit(t)) {
        sum += draws[t];
    }
    return sum;
}

/* The noise at t = 2^k + j of a hybrid counter: that of the blocks that end at 1, 2, 4, ..., 2^k,
 * and of the nodes of a tree over the j values after them. */
static int64_t hybrid_noise(const int64_t *draws, uint64_t t)
{
    uint64_t block = 1;
    int64_t sum = draws[1];
    while (2 * block <= t) {
        block *= 2;
        sum += draws[block];
    }
    return sum + tree_noise(draws + block, t - block);
}

/* The scale of the draw at t. */
static uint64_t hybrid_scale(uint64_t t)
{
    uint64_t levels = 0;
    while (UINT64_C(2) << levels <= t) {
        levels++;
    }
    return lowest_bit(t) == t ? 2 * L1 : 2 * levels * L1;
}

/* The plan for one arm. Every array is indexed by the number of observations. */
typedef struct arm_model {
    uint64_t count;
    uint64_t batches;        /* how many have ended */
    uint64_t opened;         /* the count when the open batch began */
    int64_t sum[2], open[2]; /* exact; released sums with noise, in `sum`, for reports and totals */
    int64_t draws[HORIZON + 1];
} arm_model;

typedef struct rig {
    const draw_plan *plan;
    size_t arms, slots, rows;
    lotor_release_params params;
    lotor_statistic *statistic;
    lotor_board *board;
    refusals refusals;
    arm_model models[ARMS_MAX];
    uint64_t rounds;
    lotor_fact *expected; /* rows x arms */
} rig;

static rig made;

static void rig_make(const draw_plan *plan, size_t arms, bool is_troubled)
{
    memset(&made, 0, sizeof made);
    made.plan = plan;
    made.arms = arms;
    made.slots = arms < SLOTS_MAX ? arms : SLOTS_MAX;
    made.rows = lotor_statistic_rows(plan->kind, HORIZON);
    made.refusals.every = is_troubled ? 3 + arms : 0;
    made.params = (lotor_release_params){
        .dimension = 1,
        .horizon = HORIZON,
        .epsilon = lotor_ratio_of(1, 1),
        .delta = lotor_ratio_of(1, 100000),
        .l1 = plan->is == PLAN_COINS ? (uint64_t)WIDTH : L1,
        .l2 = L1,
        .magnitude = (uint64_t)WIDTH,
        .slots = made.slots,
        .width = WIDTH,
    };
    assert_int_equal(
        lotor_statistic_new(plan->kind, arms, &made.params, 1.0, NULL, &made.statistic), LOTOR_OK);
    assert_int_equal(lotor_board_new(made.rows, arms, &made.board), LOTOR_OK);
    lotor_board_set_journal(made.board, refusals_journal, &made.refusals);
    made.expected = calloc(made.rows * arms, sizeof *made.expected);
    assert_non_null(made.expected);
}

static void rig_free(void)
{
    lotor_statistic_free(made.statistic);
    lotor_board_free(made.board);
    free(made.expected);
}

/* Saves the statistic and continues with a loaded copy. */
static void rig_reload(void)
{
    unsigned char *bytes;
    size_t length;
    lotor_writer writer;
    lotor_writer_start(&writer, "arms");
    lotor_statistic_save(made.statistic, &writer);
    assert_int_equal(lotor_writer_seal(&writer, &bytes, &length), LOTOR_OK);
    lotor_statistic_free(made.statistic);
    assert_int_equal(
        lotor_statistic_new(made.plan->kind, made.arms, &made.params, 1.0, NULL, &made.statistic),
        LOTOR_OK);
    lotor_reader reader;
    assert_int_equal(lotor_reader_open(&reader, "arms", bytes, length, NULL), LOTOR_OK);
    lotor_statistic_load(made.statistic, &reader);
    assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_OK);
    lotor_bytes_free(bytes, length);
}

static void expect_fact(size_t row, size_t arm, int64_t value, uint64_t count)
{
    assert_true(row < made.rows);
    made.expected[row * made.arms + arm] = (lotor_fact){(double)value, count, made.rounds};
}

/* Ends a batch: its numbers get the next draws. */
static void end_batch(size_t arm, size_t numbers)
{
    arm_model *model = &made.models[arm];
    const uint64_t scale = lotor_statistic_scale(made.statistic);
    const uint64_t size = model->count - model->opened;
    for (size_t s = 0; s < numbers; s++) {
        const int64_t noisy = model->open[s] + known_noise_next(&known, scale);
        model->sum[s] += noisy;
        model->open[s] = 0;
        if (made.plan->is == PLAN_BATCH_TOTAL) {
            expect_fact(0, arm, model->sum[s], model->count);
        } else {
            expect_fact(made.plan->is == PLAN_BATCH_ROWS ? model->batches : s, arm, noisy, size);
        }
    }
    model->batches++;
    model->opened = model->count;
}

/* The numbers that the plan expects after one observation of an arm. `looked` is 1 if the item of a list was
 * looked at. */
static void expect_observation(size_t arm, int64_t value, int64_t looked)
{
    arm_model *model = &made.models[arm];
    const uint64_t scale = lotor_statistic_scale(made.statistic), t = ++model->count;
    const bool ends = t == made.plan->ends[model->batches];
    switch (made.plan->is) {
    case PLAN_NONE:
    case PLAN_EACH:
        model->sum[0] += value + (made.plan->is == PLAN_EACH ? known_noise_next(&known, scale) : 0);
        expect_fact(0, arm, model->sum[0], t);
        break;
    case PLAN_TREE:
    case PLAN_HYBRID:
        model->sum[0] += value;
        model->draws[t] =
            known_noise_next(&known, made.plan->is == PLAN_TREE ? scale : hybrid_scale(t));
        expect_fact(0, arm,
                    model->sum[0] + (made.plan->is == PLAN_TREE ? tree_noise(model->draws, t)
                                                                : hybrid_noise(model->draws, t)),
                    t);
        break;
    case PLAN_BATCH:
    case PLAN_BATCH_ROWS:
    case PLAN_BATCH_TOTAL:
    case PLAN_TWO_BATCHES:
        model->open[0] += value;
        model->open[1] += looked * WIDTH;
        if (ends) {
            end_batch(arm, made.plan->is == PLAN_TWO_BATCHES ? 2 : 1);
        }
        break;
    case PLAN_ROUND_TREE:
        model->sum[0] += value;
        break;
    case PLAN_COINS:
        break;
    }
}

/* A vector tree releases all arms in every round. */
static void expect_round(uint64_t round)
{
    for (size_t arm = 0; arm < made.arms && made.plan->is == PLAN_ROUND_TREE; arm++) {
        arm_model *model = &made.models[arm];
        model->draws[round] = known_noise_next(&known, lotor_statistic_scale(made.statistic));
        expect_fact(0, arm, model->sum[0] + tree_noise(model->draws, round), model->count);
    }
}

static void check_board(void)
{
    for (size_t row = 0; row < made.rows; row++) {
        for (size_t arm = 0; arm < made.arms; arm++) {
            const lotor_fact *wanted = &made.expected[row * made.arms + arm];
            const lotor_fact *fact = lotor_board_at(made.board, row, arm);
            if (fact->value != wanted->value || fact->count != wanted->count ||
                fact->time != wanted->time) {
                fail_msg("%s, %zu arms, round %llu: statistic %zu of arm %zu is %.0f (%llu "
                         "observations), and the plan says %.0f (%llu)",
                         made.plan->kind->name, made.arms, (unsigned long long)made.rounds, row,
                         arm, fact->value, (unsigned long long)fact->count, wanted->value,
                         (unsigned long long)wanted->count);
            }
        }
    }
    if (!known_noise_is_spent(&known)) {
        fail_msg("%s, %zu arms, round %llu: other than %llu draws were made", made.plan->kind->name,
                 made.arms, (unsigned long long)made.rounds, (unsigned long long)known.planned);
    }
}

/* A round shows up to four arms. In lists, each has a click or none. */
static size_t choose_round(lotor_generator *generator, uint32_t *arms, int64_t *values)
{
    const size_t count = 1 + lotor_generator_word(generator) % made.slots;
    const uint32_t first = (uint32_t)(lotor_generator_word(generator) % made.arms);
    const size_t click = lotor_generator_word(generator) % (count + 1);
    for (size_t i = 0; i < count; i++) {
        arms[i] = (uint32_t)((first + made.arms - i) % made.arms);
        values[i] = (int64_t)(lotor_generator_word(generator) % (uint64_t)(WIDTH + 1));
        if (made.plan->kind->hears_lists) {
            values[i] = i == click ? WIDTH : 0;
        }
    }
    return count;
}

/* Batches that the learner closes: says the size when the batch begins. */
static void close_batches(const uint32_t *arms, size_t count)
{
    for (size_t i = 0; i < count && made.plan->kind->is_closed_outside; i++) {
        const arm_model *model = &made.models[arms[i]];
        if (model->count == model->opened) {
            lotor_statistic_close(made.statistic, arms[i],
                                  made.plan->ends[model->batches] - model->opened);
        }
    }
}

/* Feeds the round. After a refusal, loads a saved copy and feeds the same round again. */
static void feed_round(const uint32_t *arms, const int64_t *values, size_t count)
{
    lotor_status status;
    while ((status = lotor_statistic_feed_round(made.statistic, arms, values, count, made.rounds,
                                                &known.noise, made.board)) == LOTOR_STOPPED) {
        rig_reload();
    }
    assert_int_equal(status, LOTOR_OK);
    if (made.refusals.every > 0 && made.rounds % 32 == 0) {
        rig_reload();
    }
}

static void check_statistic(const draw_plan *plan, size_t arms, bool is_simulated, bool is_troubled)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 1000 + arms);
    known_noise_start(&known, plan->kind->law, is_simulated, arms);
    rig_make(plan, arms, is_troubled);
    const uint64_t rounds = arms <= 2 ? 1030 : 8 + ROUNDS_PER_ARM * arms; /* up to 10 batches */
    for (made.rounds = 1; made.rounds <= rounds; made.rounds++) {
        uint32_t shown[SLOTS_MAX];
        int64_t values[SLOTS_MAX];
        const size_t count = choose_round(&generator, shown, values);
        close_batches(shown, count);
        feed_round(shown, values, count);
        bool is_looked_at = true;
        for (size_t i = 0; i < count; i++) {
            expect_observation(shown[i], values[i], is_looked_at);
            is_looked_at = is_looked_at && values[i] == 0;
        }
        expect_round(made.rounds);
        check_board();
    }
    assert_true(plan->is == PLAN_NONE || known.planned > 0);
    rig_free();
}

static void check_statistics(bool is_simulated, bool is_troubled)
{
    for (size_t p = 0; p < PLANS; p++) {
        for (size_t arms = 1; arms <= ARMS_MAX && plans[p].is != PLAN_COINS; arms++) {
            check_statistic(&plans[p], arms, is_simulated, is_troubled);
        }
    }
}

TEST(statistics_release_their_own_draws)
{
    check_statistics(false, false);
}

TEST(statistics_release_their_own_draws_after_refusals_and_reloads)
{
    check_statistics(false, true);
}

TEST(statistics_release_their_own_draws_in_simulations)
{
    check_statistics(true, false);
}

/* --- large batches ---------------------------------------------------------------------------- */

/* The sizes of chosen batches: around powers of two, large ones before small ones, and some that wait. */
static uint64_t size_of_chosen(size_t number)
{
    const uint64_t power = UINT64_C(1) << (number * 7 % 41);
    return power + number % 3 - (power > 1);
}

/* One arm, whose observations are fed in up to three parts per batch: the numbers of rounds are much larger than a
 * test could feed one by one. */
static void check_large_batches(const draw_plan *plan, bool is_simulated)
{
    enum { BATCHES = 41 };
    lotor_generator generator;
    lotor_generator_seed(&generator, 77);
    known_noise_start(&known, LOTOR_LAW_LAPLACE, is_simulated, 77);
    const lotor_release_params params = {.dimension = 1,
                                         .horizon = UINT64_C(1) << 44,
                                         .epsilon = lotor_ratio_of(1, 1),
                                         .l1 = L1,
                                         .l2 = L1,
                                         .magnitude = 16};
    lotor_statistic *statistic;
    lotor_board *board;
    assert_int_equal(lotor_statistic_new(plan->kind, 1, &params, 1.0, NULL, &statistic), LOTOR_OK);
    assert_int_equal(lotor_board_new(plan->is == PLAN_BATCH_ROWS ? BATCHES : 1, 1, &board),
                     LOTOR_OK);
    int64_t total = 0;
    uint64_t covered = 0, time = 0, largest = 0;
    for (size_t b = 0; b < BATCHES; b++) {
        if (plan->kind->is_closed_outside && b % 2 == 0) { /* the second one waits */
            lotor_statistic_close(statistic, 0, size_of_chosen(b));
            lotor_statistic_close(statistic, 0, size_of_chosen(b + 1));
        }
        const uint64_t size = lotor_statistic_room(statistic, 0);
        int64_t exact = 0;
        for (uint64_t left = size; left > 0;) {
            const uint64_t rounds = left < 3 || time % 3 == 2 ? left : left / 2;
            const int64_t sum = (int64_t)(lotor_generator_word(&generator) >> 20);
            exact += sum;
            left -= rounds;
            assert_int_equal(
                lotor_statistic_feed(statistic, 0, sum, rounds, ++time, &known.noise, board),
                LOTOR_OK);
        }
        const int64_t noisy = exact + known_noise_next(&known, lotor_statistic_scale(statistic));
        total += noisy;
        covered += size;
        largest = size > largest ? size : largest;
        const bool is_total = plan->is == PLAN_BATCH_TOTAL;
        const lotor_fact *fact = lotor_board_at(board, plan->is == PLAN_BATCH_ROWS ? b : 0, 0);
        if (fact->value != (double)(is_total ? total : noisy) ||
            fact->count != (is_total ? covered : size) || fact->time != time ||
            !known_noise_is_spent(&known)) {
            fail_msg("%s: batch %zu of %llu observations is %.0f (%llu), and the plan says %.0f",
                     plan->kind->name, b + 1, (unsigned long long)size, fact->value,
                     (unsigned long long)fact->count, (double)(is_total ? total : noisy));
        }
    }
    assert_true(largest > 1 << 16); /* growing batches: the 41st has 4 million */
    lotor_statistic_free(statistic);
    lotor_board_free(board);
}

TEST(large_batches_release_their_own_draws)
{
    size_t checked = 0;
    for (size_t p = 0; p < PLANS; p++) {
        const bool is_batch = plans[p].is == PLAN_BATCH || plans[p].is == PLAN_BATCH_ROWS ||
                              plans[p].is == PLAN_BATCH_TOTAL;
        if (is_batch) {
            check_large_batches(&plans[p], false);
            check_large_batches(&plans[p], true);
            checked++;
        }
    }
    assert_int_equal(checked, 6);
}

/* Whole rounds are fed one by one: batches of up to 2^14 lists of one item. */
TEST(large_click_batches_release_their_own_draws)
{
    enum { LONG = (1 << 15) - 1 };
    const lotor_release_params params = {.dimension = 1,
                                         .epsilon = lotor_ratio_of(1, 1),
                                         .l1 = L1,
                                         .l2 = L1,
                                         .magnitude = (uint64_t)WIDTH,
                                         .slots = 1,
                                         .width = WIDTH};
    known_noise_start(&known, LOTOR_LAW_LAPLACE, false, 1);
    lotor_statistic *statistic;
    lotor_board *board;
    assert_int_equal(
        lotor_statistic_new(&lotor_statistic_click_batches, 1, &params, 1.0, NULL, &statistic),
        LOTOR_OK);
    assert_int_equal(lotor_board_new(2, 1, &board), LOTOR_OK);
    const uint32_t arm = 0;
    int64_t clicks = 0, shown = 0;
    for (uint64_t t = 1; t <= LONG; t++) {
        const int64_t value = lotor_mix(t) % 3 == 0 ? WIDTH : 0;
        clicks += value;
        shown += WIDTH;
        assert_int_equal(
            lotor_statistic_feed_round(statistic, &arm, &value, 1, t, &known.noise, board),
            LOTOR_OK);
        if (((t + 1) & t) == 0) {
            const uint64_t scale = lotor_statistic_scale(statistic);
            clicks += known_noise_next(&known, scale);
            shown += known_noise_next(&known, scale);
            assert_true(lotor_board_at(board, 0, 0)->value == (double)clicks);
            assert_true(lotor_board_at(board, 1, 0)->value == (double)shown);
            clicks = shown = 0;
        }
        assert_true(known_noise_is_spent(&known));
    }
    lotor_statistic_free(statistic);
    lotor_board_free(board);
}

/* --- reports of coins ------------------------------------------------------------------------ */

/* Makes the reports of a round as a person's device would, from a source of its own. */
static size_t make_reports(const uint32_t *arms, const int64_t *values, size_t count,
                           lotor_source *source, int64_t *report)
{
    (void)arms;
    lotor_noise noise = lotor_noise_exact(source);
    const lotor_release_params *params = &made.params;
    size_t reports = 1;
    if (made.plan->kind == &lotor_statistic_bits) {
        lotor_bit law;
        assert_int_equal(lotor_bit_make(params->epsilon, params->l1, NULL, &law), LOTOR_OK);
        for (size_t i = 0; i < count; i++) {
            bool bit;
            assert_int_equal(lotor_bit_send(&law, (uint64_t)values[i], source, &bit), LOTOR_OK);
            report[i] = bit;
        }
        reports = count;
    } else if (made.plan->kind == &lotor_statistic_click_reports) {
        lotor_position law;
        assert_int_equal(lotor_position_make(made.slots, params->epsilon, NULL, &law), LOTOR_OK);
        size_t click = 0, place;
        while (click < count && values[click] == 0) {
            click++;
        }
        assert_int_equal(
            lotor_position_report(&law, click < count ? click + 1 : made.slots + 1, &noise, &place),
            LOTOR_OK);
        report[0] = (int64_t)place;
    } else {
        assert_ptr_equal(made.plan->kind, &lotor_statistic_cube_reports);
        lotor_cube law;
        uint64_t parts[SLOTS_MAX], corner;
        assert_int_equal(lotor_cube_make(made.slots, params->epsilon, NULL, &law), LOTOR_OK);
        for (size_t i = 0; i < count; i++) {
            parts[i] = (uint64_t)values[i];
        }
        assert_int_equal(lotor_cube_report(&law, parts, count, (uint64_t)WIDTH, &noise, &corner),
                         LOTOR_OK);
        report[0] = (int64_t)corner;
    }
    return reports;
}

/* The statistic must make the same reports from the same words: each report reads its own words,
 * after those of the report before. */
static void check_coins(const draw_plan *plan, size_t arms)
{
    static test_source source, twin_source;
    lotor_generator generator;
    lotor_generator_seed(&generator, 2000 + arms);
    test_source_seed(&source, 3000 + arms);
    test_source_seed(&twin_source, 3000 + arms);
    lotor_noise noise = lotor_noise_exact(&source.source);
    rig_make(plan, arms, true);
    lotor_statistic *twin;
    lotor_board *twin_board;
    assert_int_equal(lotor_statistic_new(plan->kind, arms, &made.params, 1.0, NULL, &twin),
                     LOTOR_OK);
    assert_int_equal(lotor_board_new(made.rows, arms, &twin_board), LOTOR_OK);
    for (made.rounds = 1; made.rounds <= 8 + 2 * arms; made.rounds++) {
        uint32_t shown[SLOTS_MAX];
        int64_t values[SLOTS_MAX], report[SLOTS_MAX];
        const size_t count = choose_round(&generator, shown, values);
        const uint64_t before = test_source_words(&twin_source);
        const size_t reports = make_reports(shown, values, count, &twin_source.source, report);
        assert_true(test_source_words(&twin_source) >= before + reports);
        while (lotor_statistic_feed_round(made.statistic, shown, values, count, made.rounds, &noise,
                                          made.board) == LOTOR_STOPPED) {
            rig_reload();
        }
        assert_int_equal(test_source_words(&source), test_source_words(&twin_source));
        assert_int_equal(
            lotor_statistic_feed_report(twin, shown, report, count, made.rounds, twin_board),
            LOTOR_OK);
        assert_memory_equal(made.board->facts, twin_board->facts,
                            made.rows * arms * sizeof *twin_board->facts);
    }
    lotor_statistic_free(twin);
    lotor_board_free(twin_board);
    rig_free();
}

TEST(reports_of_coins_have_their_own_words)
{
    for (size_t p = 0; p < PLANS; p++) {
        for (size_t arms = 1; arms <= ARMS_MAX && plans[p].is == PLAN_COINS; arms++) {
            check_coins(&plans[p], arms);
        }
    }
}

/* --- counters -------------------------------------------------------------------------------- */

static void reload_counter(void)
{
    unsigned char *bytes;
    size_t length;
    lotor_writer writer;
    lotor_writer_start(&writer, "counter");
    lotor_statistic_save_counter(made.statistic, &writer);
    assert_int_equal(lotor_writer_seal(&writer, &bytes, &length), LOTOR_OK);
    lotor_statistic_free(made.statistic);
    assert_int_equal(
        lotor_statistic_new(made.plan->kind, 1, &made.params, 1.0, NULL, &made.statistic),
        LOTOR_OK);
    lotor_reader reader;
    assert_int_equal(lotor_reader_open(&reader, "counter", bytes, length, NULL), LOTOR_OK);
    lotor_statistic_load_counter(made.statistic, &reader);
    assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_OK);
    lotor_bytes_free(bytes, length);
}

/* The coordinates of a counter's values take the place of arms: each has its own draws. */
static void check_counter(const draw_plan *plan, size_t dimension, bool is_simulated)
{
    known_noise_start(&known, plan->kind->law, is_simulated, dimension);
    rig_make(plan, dimension, false);
    lotor_statistic_free(made.statistic);
    made.params.dimension = dimension;
    assert_int_equal(lotor_statistic_new(plan->kind, 1, &made.params, 1.0, NULL, &made.statistic),
                     LOTOR_OK);
    for (made.rounds = 1; made.rounds <= 300; made.rounds++) {
        int64_t value[DIMENSION_MAX];
        for (size_t i = 0; i < dimension; i++) {
            value[i] = (int64_t)(lotor_mix(100 * made.rounds + i) % (uint64_t)WIDTH);
        }
        assert_int_equal(lotor_statistic_add(made.statistic, value, &known.noise), LOTOR_OK);
        const lotor_running_sum running = lotor_statistic_running(made.statistic);
        for (size_t i = 0; i < dimension; i++) {
            expect_observation(i, value[i], 0);
            assert_true((double)running.sum[i] == made.expected[i].value);
        }
        assert_true(known_noise_is_spent(&known));
        if (made.rounds % 7 == 0) {
            reload_counter();
        }
    }
    rig_free();
}

TEST(counters_release_their_own_draws)
{
    for (size_t p = 0; p < PLANS; p++) {
        for (size_t dimension = 1; dimension <= DIMENSION_MAX && plans[p].kind->counter;
             dimension++) {
            check_counter(&plans[p], dimension, false);
            check_counter(&plans[p], dimension, true);
        }
    }
}

/* A public counter that is saved and loaded reads the words that it would read otherwise, and
 * releases the same values. */
TEST(loaded_counters_read_on)
{
    static test_source source, twin_source;
    for (size_t p = 0; p < PLANS; p++) {
        if (!plans[p].kind->counter) {
            continue;
        }
        const lotor_counter_params params = {
            .mechanism = plans[p].kind->counter,
            .epsilon = {1, 1},
            .delta = {plans[p].kind->law == LOTOR_LAW_GAUSSIAN ? 1 : 0, 100000},
            .horizon = HORIZON,
            .high = 1.0,
        };
        test_source_seed(&source, 50 + p);
        test_source_seed(&twin_source, 50 + p);
        lotor_counter *counter, *twin;
        assert_int_equal(lotor_counter_new_on(&params, &source.source, NULL, &counter), LOTOR_OK);
        assert_int_equal(lotor_counter_new_on(&params, &twin_source.source, NULL, &twin), LOTOR_OK);
        for (int t = 1; t <= HORIZON; t++) {
            assert_int_equal(lotor_counter_add(counter, t % 2, NULL), LOTOR_OK);
            assert_int_equal(lotor_counter_add(twin, t % 2, NULL), LOTOR_OK);
            assert_true(lotor_counter_value(counter) == lotor_counter_value(twin));
            assert_int_equal(test_source_words(&source), test_source_words(&twin_source));
            if (t % 5 == 0) {
                unsigned char *bytes;
                size_t length;
                assert_int_equal(lotor_counter_save(counter, &bytes, &length), LOTOR_OK);
                lotor_counter_free(counter);
                assert_int_equal(
                    lotor_counter_load_on(bytes, length, &source.source, NULL, &counter), LOTOR_OK);
                lotor_bytes_free(bytes, length);
            }
        }
        lotor_counter_free(counter);
        lotor_counter_free(twin);
    }
}
