/* test_fresh_epochs.c - the noise of elimination epochs, sparse vector and stopping rules: every
 * released number, and every question, has draws of its own. The method is that of
 * test_fresh_noise.c. */
#include "support/test.h"

#include <stdbool.h>
#include <string.h>

#include "privacy/encode/encode.h"
#include "privacy/release/epoch.h"
#include "privacy/release/sparse.h"
#include "privacy/release/stopping.h"
#include "support/known_noise.h"
#include "support/refusals.h"

enum { ARMS_MAX = 64, HORIZON = 512 };
#define L1    (UINT64_C(1) << 40)
#define WIDTH (INT64_C(1) << 20)

static known_noise known;

/* --- epochs ---------------------------------------------------------------------------------- */

typedef struct epoch_rig {
    lotor_epoch_kind kind;
    size_t arms, count; /* of all arms, and of viable ones */
    uint32_t viable[ARMS_MAX];
    int64_t sums[ARMS_MAX], totals[ARMS_MAX];
    uint64_t counts[ARMS_MAX], covered[ARMS_MAX];
    lotor_release_params params;
    lotor_epoch *epoch;
    lotor_board *board;
    refusals refusals;
    uint64_t time;
    bool is_running; /* the gate has its threshold */
    int64_t threshold_noise;
} epoch_rig;

static epoch_rig epochs;

static void epoch_reload(void)
{
    unsigned char *bytes;
    size_t length;
    lotor_writer writer;
    lotor_writer_start(&writer, "epoch");
    lotor_epoch_save(epochs.epoch, &writer);
    assert_int_equal(lotor_writer_seal(&writer, &bytes, &length), LOTOR_OK);
    lotor_epoch_free(epochs.epoch);
    assert_int_equal(
        lotor_epoch_new(epochs.kind, epochs.arms, &epochs.params, 1.0, NULL, &epochs.epoch),
        LOTOR_OK);
    lotor_reader reader;
    assert_int_equal(lotor_reader_open(&reader, "epoch", bytes, length, NULL), LOTOR_OK);
    lotor_epoch_load(epochs.epoch, &reader);
    assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_OK);
    lotor_bytes_free(bytes, length);
}

static void feed_epoch(lotor_generator *generator)
{
    for (size_t i = 0; i < epochs.count; i++) {
        const uint32_t arm = epochs.viable[i];
        const int64_t value = (int64_t)(lotor_generator_word(generator) % (uint64_t)WIDTH);
        lotor_epoch_feed(epochs.epoch, arm, value, 1);
        epochs.sums[arm] += value;
        epochs.counts[arm]++;
    }
}

static int64_t largest_gap(void)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (size_t i = 0; i < epochs.count; i++) {
        const int64_t sum = epochs.sums[epochs.viable[i]];
        least = sum < least ? sum : least;
        most = sum > most ? sum : most;
    }
    return most - least;
}

/* Asks the gate: a draw for the threshold, once per series, and one for each question. */
static bool ask_gate(void)
{
    const uint64_t scale = 6 * L1;
    const int64_t threshold = WIDTH;
    epochs.time++;
    if (!epochs.is_running) {
        epochs.threshold_noise = known_noise_next(&known, scale);
    }
    const bool above =
        largest_gap() + known_noise_next(&known, scale) >= threshold + epochs.threshold_noise;
    epochs.is_running = !above;
    lotor_status status;
    while ((status = lotor_epoch_ask(epochs.epoch, epochs.viable, epochs.count, (double)threshold,
                                     epochs.time, &known.noise, epochs.board)) == LOTOR_STOPPED) {
        epoch_reload();
    }
    assert_int_equal(status, LOTOR_OK);
    assert_true(lotor_board_at(epochs.board, 1, 0)->value == (above ? 1.0 : 0.0));
    assert_true(known_noise_is_spent(&known));
    return above;
}

/* Releases the sums: a draw for each viable arm. */
static void release_epoch(void)
{
    epochs.time++;
    lotor_status status;
    while ((status = lotor_epoch_release(epochs.epoch, epochs.viable, epochs.count, epochs.time,
                                         &known.noise, epochs.board)) == LOTOR_STOPPED) {
        epoch_reload();
    }
    assert_int_equal(status, LOTOR_OK);
    for (size_t i = 0; i < epochs.count; i++) {
        const uint32_t arm = epochs.viable[i];
        if (epochs.kind != LOTOR_EPOCH_EXACT) {
            epochs.sums[arm] += known_noise_next(&known, lotor_epoch_scale(epochs.epoch));
        }
        if (epochs.kind == LOTOR_EPOCH_ADDED) {
            epochs.sums[arm] += epochs.totals[arm];
            epochs.counts[arm] += epochs.covered[arm];
        }
        const lotor_fact *fact = lotor_board_at(epochs.board, 0, arm);
        assert_true(fact->value == (double)epochs.sums[arm]);
        assert_int_equal(fact->count, epochs.counts[arm]);
        epochs.totals[arm] = epochs.sums[arm];
        epochs.covered[arm] = epochs.counts[arm];
        if (epochs.kind != LOTOR_EPOCH_EXACT) {
            epochs.sums[arm] = 0;
            epochs.counts[arm] = 0;
        }
    }
    assert_true(known_noise_is_spent(&known));
}

/* The viable arms, from the last to the first. Every third epoch loses an arm. */
static void check_epochs(lotor_epoch_kind kind, size_t arms, bool is_simulated, bool is_troubled)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 4000 + arms);
    known_noise_start(&known, LOTOR_LAW_LAPLACE, is_simulated, 70 + arms);
    epochs = (epoch_rig){
        .kind = kind,
        .arms = arms,
        .params = {.dimension = 1,
                   .horizon = HORIZON,
                   .epsilon = lotor_ratio_of(1, 1),
                   .l1 = L1,
                   .l2 = L1,
                   .magnitude = (uint64_t)WIDTH},
        .refusals = {is_troubled ? 3 + arms : 0, 0},
    };
    for (size_t i = 0; i < arms; i++) {
        epochs.viable[i] = (uint32_t)(arms - 1 - i);
    }
    assert_int_equal(lotor_epoch_new(kind, arms, &epochs.params, 1.0, NULL, &epochs.epoch),
                     LOTOR_OK);
    assert_int_equal(lotor_board_new(2, arms, &epochs.board), LOTOR_OK);
    lotor_board_set_journal(epochs.board, refusals_journal, &epochs.refusals);
    for (size_t number = 0; number < 12; number++) {
        const size_t lost = number / 3;
        epochs.count = lost < arms ? arms - lost : 1;
        feed_epoch(&generator);
        while (kind == LOTOR_EPOCH_GATED && !ask_gate()) {
            feed_epoch(&generator);
        }
        release_epoch();
        if (is_troubled) {
            epoch_reload();
        }
    }
    lotor_epoch_free(epochs.epoch);
    lotor_board_free(epochs.board);
}

TEST(epochs_release_their_own_draws)
{
    for (int kind = LOTOR_EPOCH_EXACT; kind <= LOTOR_EPOCH_ADDED; kind++) {
        for (size_t arms = 1; arms <= ARMS_MAX; arms++) {
            check_epochs((lotor_epoch_kind)kind, arms, false, false);
            check_epochs((lotor_epoch_kind)kind, arms, false, true);
            check_epochs((lotor_epoch_kind)kind, arms, true, false);
        }
    }
}

/* --- sparse vector and stopping rules --------------------------------------------------------- */

/* A draw for the threshold of each series, and one for each query. Saving and loading within a
 * series keeps the threshold. */
TEST(sparse_vector_draws_for_the_threshold_and_for_each_query)
{
    known_noise_start(&known, LOTOR_LAW_LAPLACE, false, 1);
    lotor_sparse sparse;
    assert_int_equal(lotor_sparse_make(L1, lotor_ratio_of(1, 1), NULL, &sparse), LOTOR_OK);
    size_t queries = 0, answers = 0;
    for (int series = 0; series < 200; series++) {
        assert_int_equal(lotor_sparse_begin(&sparse, &known.noise), LOTOR_OK);
        const int64_t threshold = known_noise_next(&known, 3 * L1);
        bool above = false;
        while (!above) {
            unsigned char *bytes;
            size_t length;
            lotor_writer writer;
            lotor_writer_start(&writer, "sparse");
            lotor_sparse_save(&sparse, &writer);
            assert_int_equal(lotor_writer_seal(&writer, &bytes, &length), LOTOR_OK);
            sparse = (lotor_sparse){.scale = sparse.scale};
            lotor_reader reader;
            assert_int_equal(lotor_reader_open(&reader, "sparse", bytes, length, NULL), LOTOR_OK);
            lotor_sparse_load(&sparse, &reader);
            assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_OK);
            lotor_bytes_free(bytes, length);

            assert_int_equal(lotor_sparse_ask(&sparse, 5, 7, &known.noise, &above), LOTOR_OK);
            assert_int_equal(above, 5 + known_noise_next(&known, 3 * L1) >= 7 + threshold);
            assert_true(known_noise_is_spent(&known));
            queries++;
            answers += above;
        }
    }
    assert_int_equal(answers, 200);
    assert_true(queries > 250); /* so there were many of either answer */
}

/* Draw 0 of a stopping rule is for the threshold. Question q, from 1, takes draws 2q - 1, for the
 * estimate, and 2q, for the query. */
enum { EVERY_QUESTION = 0, NO_QUESTION = -1 };
static int64_t pushed_question; /* its query has a large draw; all other draws are 0 */
static uint64_t pushed_word;

static uint64_t pushing_word(uint64_t draw)
{
    const bool is_query = draw > 0 && draw % 2 == 0;
    const bool is_pushed =
        pushed_question == EVERY_QUESTION || (int64_t)draw == 2 * pushed_question;
    return is_query && is_pushed ? pushed_word : 1; /* the word 1 makes the draw 0 */
}

typedef struct stop {
    uint64_t samples;
    double estimate;
} stop;

/* Reads samples of 1 until the rule stops. */
static stop run_to_stop(const char *rule)
{
    const lotor_stopping_params params = {
        .rule = rule, .alpha = 0.5, .beta = 0.1, .epsilon = {1, 4}, .range = 1.0};
    lotor_stopping *stopping;
    stop at;
    assert_int_equal(lotor_stopping_new_on(&params, &known.source, NULL, &stopping), LOTOR_OK);
    bool stopped = false;
    while (!stopped) {
        assert_int_equal(lotor_stopping_add(stopping, 1.0, NULL, &stopped), LOTOR_OK);
    }
    at.samples = lotor_stopping_sample_count(stopping);
    assert_int_equal(lotor_stopping_estimate(stopping, &at.estimate), LOTOR_OK);
    lotor_stopping_free(stopping);
    return at;
}

static uint64_t pushed_stop(int64_t question)
{
    known_noise_start(&known, LOTOR_LAW_LAPLACE, false, 1);
    known.word_of = pushing_word;
    pushed_question = question;
    return run_to_stop("dp-nas").samples;
}

/* One large draw moves the answer of its own question alone: the rule stops there, if that draw is
 * enough, and otherwise where it stops without noise. */
TEST(each_question_of_a_stopping_rule_has_its_own_draw)
{
    lotor_encoding encoding;
    assert_int_equal(lotor_encoding_make(-1.0, 1.0, NULL, &encoding), LOTOR_OK);
    const uint64_t scale = 24 * lotor_encoding_width(&encoding); /* 3 widths / (epsilon / 2) */
    pushed_word = UINT64_MAX - UINT64_MAX / (4 * scale) * 3;     /* draw number 2 scale - 2: + */
    const uint64_t earliest = pushed_stop(EVERY_QUESTION), latest = pushed_stop(NO_QUESTION);
    assert_true(10 < earliest && earliest + 10 < latest);
    for (uint64_t question = earliest - 10; question <= latest; question++) {
        assert_int_equal(pushed_stop((int64_t)question), question < earliest ? latest : question);
    }
}

/* The estimate has the draw of the last question, and no other. */
TEST(the_estimate_of_a_stopping_rule_has_its_own_draw)
{
    static const char *const rules[] = {"dp-nas", "dp-exp-nas"};
    lotor_encoding encoding;
    assert_int_equal(lotor_encoding_make(-1.0, 1.0, NULL, &encoding), LOTOR_OK);
    const uint64_t width = lotor_encoding_width(&encoding);
    for (size_t i = 0; i < 2; i++) {
        known_noise_start(&known, LOTOR_LAW_LAPLACE, false, 1);
        const stop at = run_to_stop(rules[i]);
        uint64_t questions = at.samples;
        if (i == 1) { /* it asks at 2, 4, 8, ... */
            questions = (uint64_t)__builtin_ctzll(at.samples);
            assert_int_equal(at.samples, UINT64_C(1) << questions);
        }
        int64_t noise = known_noise_next(&known, 24 * width);
        for (uint64_t q = 1; q <= questions; q++) {
            noise = known_noise_next(&known, 8 * width); /* 1 width / (epsilon / 2) */
            known_noise_next(&known, 24 * width);
        }
        assert_true(known_noise_is_spent(&known));
        const int64_t sum = (int64_t)at.samples * encoding.most + noise;
        assert_true(at.estimate == (double)sum * encoding.unit / (double)at.samples);
    }
}
