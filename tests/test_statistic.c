/* test_statistic.c - one statistic per arm: nothing is fed, drawn or posted twice, whatever fails,
 * and a loaded statistic continues like the saved one. test_statistic_scale.c tests scales,
 * test_statistic_noise.c the noise.
 */
#include "support/test.h"

#include <string.h>

#include "privacy/release/statistic.h"

enum { ARMS = 5, SHOWN = 3, ROUNDS = 9, HORIZON = 20 };

/* --- a statistic on a source that can fail at any word ---------------------------------------- */

/* A source that hands out one word at a time, so that any word can be missing. */
typedef struct drip {
    lotor_source source;
    lotor_source_window window;
    lotor_generator generator;
    size_t words, fails; /* number of words so far; the missing word, from 0 */
} drip;

static void drip_refill(lotor_source *source)
{
    drip *from = (drip *)source;
    if (from->words++ == from->fails) {
        source->status = LOTOR_ENTROPY;
    }
    const uint64_t word = lotor_generator_word(&from->generator);
    memcpy(from->window.bytes + sizeof from->window.bytes - sizeof word, &word, sizeof word);
    from->window.left = sizeof word;
}

/* A journal that refuses one post, `times` times. */
typedef struct stubborn {
    size_t calls, refuses, times; /* the call that it refuses, from 0 */
} stubborn;

static lotor_status record(void *context, size_t statistic, size_t arm, const lotor_fact *fact)
{
    (void)statistic;
    (void)arm;
    (void)fact;
    stubborn *journal = context;
    if (journal->calls == journal->refuses && journal->times > 0) {
        journal->times--;
        return LOTOR_MEMORY;
    }
    journal->calls++;
    return LOTOR_OK;
}

typedef struct rig {
    const lotor_statistic_kind *kind;
    lotor_statistic *statistic;
    lotor_board *board;
    drip from;
    lotor_noise noise;
    stubborn journal;
    uint64_t latest[ARMS]; /* the round that close_batch was last called for */
} rig;

static bool may_begin(const lotor_statistic_kind *kind)
{
    return kind == &lotor_statistic_hybrid || kind == &lotor_statistic_reports ||
           kind == &lotor_statistic_reports_gaussian || kind == &lotor_statistic_reports_composed;
}

static void rig_make(rig *made, const lotor_statistic_kind *kind, lotor_ratio epsilon,
                     uint64_t seed)
{
    const lotor_release_params params = {
        .dimension = 1,
        .horizon = HORIZON,
        .epsilon = epsilon,
        .delta = lotor_ratio_of(1, 1000),
        .l1 = SHOWN * 8,
        .l2 = 14,
        .magnitude = 8,
        .slots = SHOWN,
        .width = 8,
    };
    memset(made, 0, sizeof *made);
    made->kind = kind;
    assert_int_equal(lotor_statistic_new(kind, ARMS, &params, 0.125, NULL, &made->statistic),
                     LOTOR_OK);
    const size_t rows = lotor_statistic_rows(kind, HORIZON);
    assert_int_equal(lotor_board_new(rows < 2 ? 2 : rows, ARMS, &made->board), LOTOR_OK);
    lotor_generator_seed(&made->from.generator, seed);
    made->from.source = (lotor_source){.window = &made->from.window, .refill = drip_refill};
    made->from.fails = SIZE_MAX;
    made->noise = lotor_noise_exact(&made->from.source);
    made->journal.refuses = SIZE_MAX;
    lotor_board_set_journal(made->board, record, &made->journal);
}

static void rig_free(rig *made)
{
    lotor_statistic_free(made->statistic);
    lotor_board_free(made->board);
}

/* The arms and rewards of round t: some arms are shown more often than others. */
static void round_of(uint64_t t, uint32_t *arms, int64_t *values)
{
    for (uint32_t i = 0; i < SHOWN; i++) {
        arms[i] = (i * (1 + (uint32_t)(t % 2)) + (t % 3 == 0)) % ARMS;
        values[i] = (int64_t)((t * 5 + i * 3) % 9);
    }
}

/* Before round t of an arm. Where batches are closed from outside, arm 0 has batches of one
 * observation, the others of two. A round that is fed again closes nothing. */
static void close_batch(rig *made, uint32_t arm, uint64_t t)
{
    if (made->kind->is_closed_outside && made->latest[arm] < t) {
        made->latest[arm] = t;
        if (lotor_statistic_waiting(made->statistic, arm) == 0) {
            const uint64_t fed = (UINT64_C(1) << 62) - lotor_statistic_room(made->statistic, arm);
            lotor_statistic_close(made->statistic, arm, fed + (arm == 0 ? 1 : 2));
        }
    }
}

static lotor_status feed(rig *made, uint64_t t)
{
    uint32_t arms[SHOWN];
    int64_t values[SHOWN];
    round_of(t, arms, values);
    for (size_t i = 0; i < SHOWN; i++) {
        close_batch(made, arms[i], t);
    }
    return lotor_statistic_feed_round(made->statistic, arms, values, SHOWN, t, &made->noise,
                                      made->board);
}

static const int64_t first[ARMS] = {8, 0, 3, 5, 1};

static lotor_status begin(rig *made, const lotor_statistic_kind *kind)
{
    return may_begin(kind) ? lotor_statistic_begin(made->statistic, first, made->board) : LOTOR_OK;
}

typedef struct saved {
    unsigned char *bytes;
    size_t length;
} saved;

static saved save(const lotor_statistic *statistic)
{
    saved made;
    lotor_writer writer;
    lotor_writer_start(&writer, "arms");
    lotor_statistic_save(statistic, &writer);
    assert_int_equal(lotor_writer_seal(&writer, &made.bytes, &made.length), LOTOR_OK);
    return made;
}

static lotor_status load(lotor_statistic *statistic, saved from)
{
    lotor_reader reader;
    assert_int_equal(lotor_reader_open(&reader, "arms", from.bytes, from.length, NULL), LOTOR_OK);
    lotor_statistic_load(statistic, &reader);
    return lotor_reader_finish(&reader, NULL);
}

static void assert_same_boards(const lotor_board *a, const lotor_board *b)
{
    assert_int_equal(lotor_board_posts(a), lotor_board_posts(b));
    assert_int_equal(a->statistics, b->statistics);
    assert_memory_equal(a->facts, b->facts, a->statistics * ARMS * sizeof *a->facts);
}

static void assert_same_rigs(const rig *a, const rig *b)
{
    assert_same_boards(a->board, b->board);
    assert_int_equal(a->journal.calls, b->journal.calls);
    saved one = save(a->statistic), other = save(b->statistic);
    assert_int_equal(one.length, other.length);
    assert_memory_equal(one.bytes, other.bytes, one.length);
    lotor_bytes_free(one.bytes, one.length);
    lotor_bytes_free(other.bytes, other.length);
}

/* --- sums and counts, by hand ----------------------------------------------------------------- */

/* Without noise the board has the sums of what was fed, their number, and the time. With a first
 * observation, both include it, and times are one later. Lists and batches are tested below. */
TEST(sums_are_exact_without_noise)
{
    for (size_t k = 0; lotor_statistics[k]; k++) {
        const lotor_statistic_kind *kind = lotor_statistics[k];
        if (kind->hears_lists || kind == &lotor_statistic_bits) {
            continue; /* bits round at random: test_bit.c */
        }
        rig made;
        rig_make(&made, lotor_statistics[k], lotor_ratio_of(1, 0), 1);
        assert_int_equal(begin(&made, lotor_statistics[k]), LOTOR_OK);
        const uint64_t begun = may_begin(lotor_statistics[k]);
        int64_t sums[ARMS] = {0};
        uint64_t counts[ARMS] = {0}, times[ARMS] = {0};
        for (size_t i = 0; i < ARMS && begun; i++) {
            sums[i] = first[i];
            counts[i] = times[i] = 1;
            assert_true(lotor_board_at(made.board, 0, i)->value == (double)first[i] * 0.125);
        }
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            uint32_t arms[SHOWN];
            int64_t values[SHOWN];
            round_of(t, arms, values);
            assert_int_equal(feed(&made, t), LOTOR_OK);
            for (size_t i = 0; i < SHOWN; i++) {
                sums[arms[i]] += values[i];
                counts[arms[i]]++;
                times[arms[i]] = t + begun;
            }
            for (size_t i = 0; i < ARMS && !kind->schedule && !kind->is_closed_outside; i++) {
                const lotor_fact *fact = lotor_board_at(made.board, 0, i);
                assert_true(fact->value == (double)sums[i] * 0.125);
                assert_int_equal(fact->count, counts[i]);
                assert_int_equal(fact->time, kind->releases_all ? t : times[i]);
            }
        }
        assert_int_equal(made.from.words, 0);
        rig_free(&made);
    }
}

/* Batches of 1, 2 and 4 observations; the open batch is not on the board. */
TEST(doubling_shows_the_latest_full_batch)
{
    rig made;
    rig_make(&made, &lotor_statistic_doubling, lotor_ratio_of(1, 0), 1);
    static const int64_t values[] = {5, 1, 2, 8, 8, 8, 7, 3};
    static const double shown[] = {5, 5, 3, 3, 3, 3, 31, 31};
    static const uint64_t sizes[] = {1, 1, 2, 2, 2, 2, 4, 4}, rooms[] = {1, 2, 1, 4, 3, 2, 1, 8};
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(lotor_statistic_room(made.statistic, 2), rooms[i]);
        assert_int_equal(
            lotor_statistic_feed(made.statistic, 2, values[i], 1, i + 1, &made.noise, made.board),
            LOTOR_OK);
        const lotor_fact *fact = lotor_board_at(made.board, 0, 2);
        assert_true(fact->value == 0.125 * shown[i]);
        assert_int_equal(fact->count, sizes[i]);
    }
    rig_free(&made);
}

/* An arm has batches of 2, 3 and 4 displays, all closed before the first observation is fed. The
 * second batch is first closed with 1 display; that is undone. */
TEST(chosen_batches_end_where_they_are_closed)
{
    rig made;
    rig_make(&made, &lotor_statistic_chosen, lotor_ratio_of(1, 0), 1);
    lotor_statistic *statistic = made.statistic;
    static const int64_t values[] = {5, 1, 2, 8, 8, 8, 7, 3, 4};
    static const uint64_t rooms[] = {2, 1, 3, 2, 1, 4, 3, 2, 1};
    lotor_statistic_close(statistic, 2, 2);
    lotor_statistic_close(statistic, 2, 1);
    assert_int_equal(lotor_statistic_waiting(statistic, 2), 3);
    lotor_statistic_reopen(statistic, 2);
    assert_int_equal(lotor_statistic_waiting(statistic, 2), 2);
    lotor_statistic_close(statistic, 2, 3);
    lotor_statistic_close(statistic, 2, 4);
    assert_int_equal(lotor_statistic_waiting(statistic, 2), 9);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(lotor_statistic_room(statistic, 2), rooms[i]);
        assert_int_equal(
            lotor_statistic_feed(statistic, 2, values[i], 1, i + 1, &made.noise, made.board),
            LOTOR_OK);
    }
    static const double sums[] = {6, 18, 22, 0};
    static const uint64_t sizes[] = {2, 3, 4, 0}, times[] = {2, 5, 9, 0};
    for (size_t row = 0; row < 4; row++) {
        const lotor_fact *fact = lotor_board_at(made.board, row, 2);
        assert_true(fact->value == 0.125 * sums[row]);
        assert_int_equal(fact->count, sizes[row]);
        assert_int_equal(fact->time, times[row]);
    }
    assert_int_equal(lotor_statistic_waiting(statistic, 2), 0);
    assert_int_equal(lotor_statistic_covered(statistic, 2), 9);
    rig_free(&made);
}

/* Lists of three, without noise: clicks and observations of an item, over all displays or in the
 * latest full batch. Arm 0 is first, then second, then third; the clicks are at 2, none, 1, 3, 1,
 * 3. Items after a click are not observed. */
TEST(lists_tell_clicks_and_observations)
{
    static const uint32_t lists[6][SHOWN] = {{0, 1, 2}, {0, 3, 1}, {1, 0, 2},
                                             {2, 0, 1}, {2, 4, 0}, {1, 2, 0}};
    static const int64_t values[6][SHOWN] = {{0, 8, 8}, {0, 0, 0}, {8, 0, 0},
                                             {0, 0, 8}, {8, 8, 0}, {0, 0, 8}};
    /* arm 0, after each round; batches of 1, 2, 4 displays: rounds 1, 2-3, 4-7 */
    static const double clicked[] = {0, 0, 0, 0, 0, 1}, observed[] = {1, 2, 2, 3, 3, 4};
    static const double late[] = {0, 0, 0, 0, 0, 0}, looked[] = {1, 1, 1, 1, 1, 1};
    static const uint64_t sizes[] = {1, 1, 2, 2, 2, 2};
    for (int batches = 0; batches <= 1; batches++) {
        rig made;
        rig_make(&made, batches ? &lotor_statistic_click_batches : &lotor_statistic_click_reports,
                 lotor_ratio_of(1, 0), 1);
        for (size_t t = 0; t < 6; t++) {
            assert_int_equal(lotor_statistic_feed_round(made.statistic, lists[t], values[t], SHOWN,
                                                        t + 1, &made.noise, made.board),
                             LOTOR_OK);
            const lotor_fact *c = lotor_board_at(made.board, 0, 0);
            const lotor_fact *o = lotor_board_at(made.board, 1, 0);
            assert_true(c->value == (batches ? late[t] : clicked[t]));
            assert_true(o->value == (batches ? looked[t] : observed[t]));
            assert_int_equal(c->count, batches ? sizes[t] : t + 1);
            assert_int_equal(o->count, c->count);
            if (t == 0) { /* the clicked item was looked at, the one behind it was not */
                assert_true(lotor_board_at(made.board, 0, 1)->value == 1.0);
                assert_true(lotor_board_at(made.board, 1, 1)->value == 1.0);
                assert_true(lotor_board_at(made.board, 1, 2)->value == 0.0);
                assert_int_equal(lotor_board_at(made.board, 1, 2)->count, 1);
            }
        }
        /* arm 2: third, not shown, third, first, first, second; clicked in round 5 */
        const double all[] = {batches ? 0 : 1, batches ? 1 : 3};
        assert_true(lotor_board_at(made.board, 0, 2)->value == all[0]);
        assert_true(lotor_board_at(made.board, 1, 2)->value == all[1]);
        assert_int_equal(made.from.words, 0);
        rig_free(&made);
    }
}

/* --- failures half way ------------------------------------------------------------------------ */

/* The source before each arm's observation, in a run where nothing fails. */
typedef struct reference {
    rig made;
    lotor_generator before[ROUNDS + 1][SHOWN];
    size_t words[ROUNDS + 1][SHOWN]; /* drawn before it */
} reference;

static void run_reference(reference *run, const lotor_statistic_kind *kind)
{
    rig *made = &run->made;
    rig_make(made, kind, lotor_ratio_of(1, 2), 7);
    assert_int_equal(begin(made, kind), LOTOR_OK);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        uint32_t arms[SHOWN];
        int64_t values[SHOWN];
        round_of(t, arms, values);
        for (size_t i = 0; i < SHOWN; i++) {
            run->before[t][i] = made->from.generator;
            run->words[t][i] = made->from.words;
            if (!lotor_statistic_is_by_round(kind)) {
                close_batch(made, arms[i], t);
                assert_int_equal(lotor_statistic_feed(made->statistic, arms[i], values[i], 1, t,
                                                      &made->noise, made->board),
                                 LOTOR_OK);
            }
        }
        if (lotor_statistic_is_by_round(kind)) { /* one draw for all arms */
            assert_int_equal(feed(made, t), LOTOR_OK);
        }
    }
}

/* Puts the source back to before the draw in which word `failed` was missing. */
static void recover(const reference *run, rig *made, uint64_t t, size_t failed)
{
    size_t i = SHOWN - 1;
    while (i > 0 && run->words[t][i] > failed) {
        i--;
    }
    made->from.generator = run->before[t][i];
    made->from.words = run->words[t][i];
    made->from.window.left = 0;
    made->from.fails = SIZE_MAX;
    made->from.source.status = LOTOR_OK;
}

/* Each word of the whole run is missing once. Then everything continues as if nothing had happened:
 * the same draws, each used once, the same board, the same state. */
TEST(no_entropy_loses_and_repeats_nothing)
{
    for (size_t k = 0; lotor_statistics[k]; k++) {
        static reference run;
        run_reference(&run, lotor_statistics[k]);
        const size_t words = run.made.from.words;
        const lotor_statistic_kind *kind = lotor_statistics[k];
        const bool draws_each = kind->releases_all || (kind->is_at_once && kind->insert);
        assert_true(words >= (kind == &lotor_statistic_exact ? 0
                              : draws_each                   ? ROUNDS * SHOWN
                                                             : ROUNDS));
        for (size_t failed = 0; failed < words; failed++) {
            static rig made;
            rig_make(&made, lotor_statistics[k], lotor_ratio_of(1, 2), 7);
            made.from.fails = failed;
            assert_int_equal(begin(&made, lotor_statistics[k]), LOTOR_OK);
            size_t failures = 0;
            for (uint64_t t = 1; t <= ROUNDS; t++) {
                lotor_status status = feed(&made, t);
                if (status == LOTOR_ENTROPY) {
                    failures++;
                    recover(&run, &made, t, failed);
                    status = feed(&made, t);
                }
                assert_int_equal(status, LOTOR_OK);
            }
            assert_int_equal(failures, 1);
            assert_int_equal(made.from.words, words);
            assert_same_rigs(&made, &run.made);
            rig_free(&made);
        }
        rig_free(&run.made);
    }
}

/* The journal refuses each post once, two times in a row: the same call again posts it, and draws
 * nothing. */
TEST(a_refused_post_is_only_posted_again)
{
    for (size_t k = 0; lotor_statistics[k]; k++) {
        static reference run;
        run_reference(&run, lotor_statistics[k]);
        assert_true(run.made.journal.calls >= ROUNDS);
        for (size_t refused = 0; refused < run.made.journal.calls; refused++) {
            static rig made;
            rig_make(&made, lotor_statistics[k], lotor_ratio_of(1, 2), 7);
            made.journal.refuses = refused;
            made.journal.times = 2;
            size_t failures = 0;
            while (begin(&made, lotor_statistics[k]) != LOTOR_OK) {
                failures++;
            }
            for (uint64_t t = 1; t <= ROUNDS; t++) {
                lotor_status status;
                while ((status = feed(&made, t)) == LOTOR_MEMORY) {
                    failures++;
                }
                assert_int_equal(status, LOTOR_OK);
            }
            assert_int_equal(failures, 2);
            assert_int_equal(made.from.words, run.made.from.words);
            assert_same_rigs(&made, &run.made);
            rig_free(&made);
        }
        rig_free(&run.made);
    }
}

/* After the horizon trees refuse values, and nothing changes. */
TEST(trees_end_at_the_horizon)
{
    static const lotor_statistic_kind *const trees[] = {
        &lotor_statistic_tree, &lotor_statistic_vector_tree, &lotor_statistic_tree_tight,
        &lotor_statistic_tree_gaussian};
    for (size_t k = 0; k < 4; k++) {
        rig made;
        rig_make(&made, trees[k], lotor_ratio_of(1, 2), 3);
        const uint32_t arm = 1;
        const int64_t value = 8;
        for (uint64_t t = 1; t <= HORIZON; t++) {
            assert_int_equal(lotor_statistic_feed_round(made.statistic, &arm, &value, 1, t,
                                                        &made.noise, made.board),
                             LOTOR_OK);
        }
        const lotor_fact last = *lotor_board_at(made.board, 0, 1);
        const size_t words = made.from.words;
        assert_int_equal(lotor_statistic_feed_round(made.statistic, &arm, &value, 1, HORIZON + 1,
                                                    &made.noise, made.board),
                         LOTOR_HORIZON);
        assert_int_equal(made.from.words, words);
        assert_memory_equal(lotor_board_at(made.board, 0, 1), &last, sizeof last);
        assert_int_equal(last.count, HORIZON);
        rig_free(&made);
    }
}

/* --- saved states ----------------------------------------------------------------------------- */

/* Saved after each round, and in the middle of it, when the journal has refused its last post: the
 * loaded statistic continues like the saved one. */
TEST(a_loaded_statistic_goes_on_alike)
{
    for (size_t k = 0; lotor_statistics[k]; k++) {
        for (uint64_t stop = 0; stop <= ROUNDS; stop++) {
            static rig made, other;
            rig_make(&made, lotor_statistics[k], lotor_ratio_of(1, 2), 11);
            rig_make(&other, lotor_statistics[k], lotor_ratio_of(1, 2), 12);
            assert_int_equal(begin(&made, lotor_statistics[k]), LOTOR_OK);
            for (uint64_t t = 1; t <= stop; t++) {
                assert_int_equal(feed(&made, t), LOTOR_OK);
            }
            made.journal.refuses = made.journal.calls;
            made.journal.times = 1;
            (void)feed(&made, stop + 1); /* refused, if it has something to post */
            saved bytes = save(made.statistic);
            assert_int_equal(load(other.statistic, bytes), LOTOR_OK);
            lotor_bytes_free(bytes.bytes, bytes.length);
            memcpy(other.board->facts, made.board->facts,
                   made.board->statistics * ARMS * sizeof *made.board->facts);
            other.board->posts = made.board->posts;
            other.journal = made.journal;
            memcpy(other.latest, made.latest, sizeof made.latest);
            other.journal.times = made.journal.times = 0;
            other.from.generator = made.from.generator;
            other.from.window.left = 0; /* as is the other's: one word at a time */
            assert_int_equal(made.from.window.left, 0);
            for (uint64_t t = stop + 1; t <= HORIZON; t++) {
                assert_int_equal(feed(&made, t), LOTOR_OK);
                assert_int_equal(feed(&other, t), LOTOR_OK);
                assert_same_rigs(&made, &other);
            }
            rig_free(&made);
            rig_free(&other);
        }
    }
}

enum { MOST_WORDS = 512 };
typedef struct words {
    uint64_t at[MOST_WORDS];
    size_t count;
} words;

static words words_of(const lotor_statistic *statistic)
{
    saved bytes = save(statistic);
    lotor_reader reader;
    words out = {.count = 0};
    assert_int_equal(lotor_reader_open(&reader, "arms", bytes.bytes, bytes.length, NULL), LOTOR_OK);
    out.count = (size_t)(reader.end - reader.next) / 8;
    assert_true(out.count < MOST_WORDS);
    for (size_t i = 0; i < out.count; i++) {
        out.at[i] = lotor_read_u64(&reader);
    }
    lotor_bytes_free(bytes.bytes, bytes.length);
    return out;
}

static lotor_status load_words(lotor_statistic *statistic, const words *forged)
{
    lotor_writer writer;
    saved made;
    lotor_writer_start(&writer, "arms");
    for (size_t i = 0; i < forged->count; i++) {
        lotor_write_u64(&writer, forged->at[i]);
    }
    assert_int_equal(lotor_writer_seal(&writer, &made.bytes, &made.length), LOTOR_OK);
    const lotor_status status = load(statistic, made);
    lotor_bytes_free(made.bytes, made.length);
    return status;
}

static void expect_damage(const lotor_statistic_kind *kind, const words *good, size_t at,
                          uint64_t value)
{
    words forged = *good;
    rig other;
    assert_true(forged.at[at] != value);
    forged.at[at] = value;
    rig_make(&other, kind, lotor_ratio_of(1, 2), 1);
    assert_int_equal(load_words(other.statistic, &forged), LOTOR_DAMAGED);
    rig_free(&other);
}

/* Words: begun; by arm fed, due, sum, count, then its mechanism: a tree (horizon, scale, count,
 * outputs, draws, and 5 levels of sums and of noisy sums), a batch or a hybrid counter. A vector
 * tree comes last, with its own fed and due. Rounds: begun, fed, due; by arm hits, reached, places,
 * displays, time; or time and a batch; or sum, count, time. */
TEST(forged_states_are_refused)
{
    for (size_t k = 0; lotor_statistics[k]; k++) {
        static rig made;
        rig_make(&made, lotor_statistics[k], lotor_ratio_of(1, 2), 11);
        assert_int_equal(begin(&made, lotor_statistics[k]), LOTOR_OK);
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            assert_int_equal(feed(&made, t), LOTOR_OK);
        }
        const words good = words_of(made.statistic);
        expect_damage(lotor_statistics[k], &good, 0, 2); /* begun */
        expect_damage(lotor_statistics[k], &good, 2, 2); /* due */
        const bool vector = lotor_statistics[k] == &lotor_statistic_vector_tree;
        if (vector || lotor_statistics[k] == &lotor_statistic_tree ||
            lotor_statistics[k] == &lotor_statistic_tree_tight ||
            lotor_statistics[k] == &lotor_statistic_tree_gaussian) {
            const size_t tree = vector ? 1 + 4 * ARMS + 2 : 5, wide = vector ? ARMS : 1;
            expect_damage(lotor_statistics[k], &good, tree, HORIZON + 1); /* horizon */
            expect_damage(lotor_statistics[k], &good, tree + 1, 0);       /* scale: no noise */
            expect_damage(lotor_statistics[k], &good, tree + 1, good.at[tree + 1] / 2);
            expect_damage(lotor_statistics[k], &good, tree + 2, HORIZON + 1);           /* count */
            expect_damage(lotor_statistics[k], &good, tree + 3, good.at[tree + 3] + 1); /* output */
            const size_t noisy = tree + 3 + 2 * wide + 5 * wide;
            expect_damage(lotor_statistics[k], &good, noisy + 4 * wide,
                          1); /* 9 rounds have no node 16 */
        }
        if (vector) {
            expect_damage(lotor_statistics[k], &good, 1 + 4 * ARMS + 1, 2);
        }
        if (lotor_statistics[k] ==
            &lotor_statistic_hybrid) { /* count, output, total, pending, draw, tree */
            expect_damage(lotor_statistics[k], &good, 5, HORIZON + 1);
            expect_damage(lotor_statistics[k], &good, 6, good.at[6] + 1);
            expect_damage(lotor_statistics[k], &good, 11, 0);
        }
        if (lotor_statistics[k] == &lotor_statistic_click_reports) {
            expect_damage(lotor_statistics[k], &good, 3, good.at[4] + 1); /* hits above reached */
            expect_damage(lotor_statistics[k], &good, 4,
                          good.at[6] + 1); /* reached above displays */
            expect_damage(lotor_statistics[k], &good, 5,
                          2 * good.at[6] - 1); /* fewer places than there are */
            expect_damage(lotor_statistics[k], &good, 5,
                          4 * good.at[6] + 1);               /* and more: K + 1 = 4 */
            expect_damage(lotor_statistics[k], &good, 7, 0); /* no time, yet displays */
        }
        if (lotor_statistics[k] == &lotor_statistic_click_batches) {
            expect_damage(lotor_statistics[k], &good, 3, 0); /* no time, yet a release */
            expect_damage(lotor_statistics[k], &good, 4,
                          good.at[4] + 1); /* a batch of another size */
        }
        if (lotor_statistics[k] == &lotor_statistic_cube_reports) {
            expect_damage(lotor_statistics[k], &good, 3,
                          good.at[4] + 1); /* more signs than reports */
            expect_damage(lotor_statistics[k], &good, 3, 0 - good.at[4] - 1);
            expect_damage(lotor_statistics[k], &good, 5, 0);
        }
        for (int more = -1; more <= 1; more += 2) { /* a missing word, an extra word */
            words forged = good;
            forged.count = more < 0 ? good.count - 1 : good.count + 1;
            forged.at[good.count] = 0;
            rig other;
            rig_make(&other, lotor_statistics[k], lotor_ratio_of(1, 2), 1);
            assert_int_equal(load_words(other.statistic, &forged), LOTOR_DAMAGED);
            rig_free(&other);
        }
        rig_free(&made);
    }
}

/* Batches that are closed from outside need a state that fits its board. */
static bool may_work(const rig *from, rig *loaded)
{
    static const uint64_t shown[ARMS] = {12, 12, 12, 12, 12};
    memcpy(loaded->board->facts, from->board->facts,
           from->board->statistics * ARMS * sizeof *from->board->facts);
    loaded->board->posts = from->board->posts;
    return !from->kind->is_closed_outside ||
           lotor_statistic_fits(loaded->statistic, loaded->board, shown);
}

/* Any word can have any value: the state is refused, or the loaded statistic works as far as it
 * can. */
TEST(any_forged_word_is_survived)
{
    static const uint64_t values[] = {0, 1, 2, UINT64_MAX, UINT64_C(1) << 63, UINT64_MAX / 2};
    for (size_t k = 0; lotor_statistics[k]; k++) {
        static rig made;
        rig_make(&made, lotor_statistics[k], lotor_ratio_of(1, 2), 11);
        for (uint64_t t = 1; t <= 6; t++) {
            assert_int_equal(feed(&made, t), LOTOR_OK);
        }
        const words good = words_of(made.statistic);
        for (size_t at = 0; at < good.count; at++) {
            for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
                words forged = good;
                forged.at[at] = values[v];
                static rig other;
                rig_make(&other, lotor_statistics[k], lotor_ratio_of(1, 2), 1);
                const lotor_status status = load_words(other.statistic, &forged);
                assert_true(status == LOTOR_OK || status == LOTOR_DAMAGED);
                const bool works = status == LOTOR_OK && may_work(&made, &other);
                for (uint64_t t = 7; t <= 9 && works; t++) {
                    (void)feed(&other, t);
                }
                rig_free(&other);
            }
        }
        rig_free(&made);
    }
}

/* The name, law and flags of each row, which the rest of the program uses; by hand. */
TEST(rows_say_how_they_behave)
{
    enum {
        AT_ONCE = 1,
        LISTS = 2,
        ONE = 4,
        ALL = 8,
        KEEPS = 16,
        BATCHED = 32,
        BY_ROUND = 64,
        OUTSIDE = 128
    };
    static const struct {
        const lotor_statistic_kind *kind;
        const char *name;
        unsigned flags;
        lotor_report_form report;
    } rows[] = {
        {&lotor_statistic_exact, "exact", AT_ONCE, LOTOR_REPORT_NONE},
        {&lotor_statistic_tree, "tree", AT_ONCE, LOTOR_REPORT_NONE},
        {&lotor_statistic_tree_tight, "tree", AT_ONCE, LOTOR_REPORT_NONE},
        {&lotor_statistic_tree_gaussian, "tree", AT_ONCE, LOTOR_REPORT_NONE},
        {&lotor_statistic_hybrid, "hybrid counter", AT_ONCE, LOTOR_REPORT_NONE},
        {&lotor_statistic_doubling, "doubling batches", BATCHED, LOTOR_REPORT_NONE},
        {&lotor_statistic_growing, "growing batches", BATCHED | ONE | KEEPS, LOTOR_REPORT_NONE},
        {&lotor_statistic_chosen, "chosen batches", ONE | KEEPS | OUTSIDE, LOTOR_REPORT_NONE},
        {&lotor_statistic_episodes, "episodes", BATCHED | ONE, LOTOR_REPORT_NONE},
        {&lotor_statistic_episodes_kept, "kept episodes", BATCHED | ONE | KEEPS, LOTOR_REPORT_NONE},
        {&lotor_statistic_batch_total, "added batches", BATCHED, LOTOR_REPORT_NONE},
        {&lotor_statistic_reports, "Laplace reports", AT_ONCE, LOTOR_REPORT_LAPLACE},
        {&lotor_statistic_reports_gaussian, "Gaussian reports", AT_ONCE, LOTOR_REPORT_NONE},
        {&lotor_statistic_reports_composed, "Laplace reports", AT_ONCE, LOTOR_REPORT_NONE},
        {&lotor_statistic_bits, "bits", AT_ONCE | ONE, LOTOR_REPORT_BIT},
        {&lotor_statistic_vector_tree, "vector tree", ALL | BY_ROUND, LOTOR_REPORT_NONE},
        {&lotor_statistic_click_reports, "click reports", LISTS | BY_ROUND, LOTOR_REPORT_POSITION},
        {&lotor_statistic_click_batches, "click batches", LISTS | BY_ROUND | BATCHED,
         LOTOR_REPORT_NONE},
        {&lotor_statistic_cube_reports, "cube reports", AT_ONCE | BY_ROUND, LOTOR_REPORT_CUBE},
    };
    size_t count = 0;
    for (; lotor_statistics[count]; count++) {
        const lotor_statistic_kind *kind = lotor_statistics[count];
        const unsigned flags =
            (kind->is_at_once ? AT_ONCE : 0U) | (kind->hears_lists ? LISTS : 0U) |
            (kind->records_one ? ONE : 0U) | (kind->releases_all ? ALL : 0U) |
            (kind->keeps_batches ? KEEPS : 0U) | (kind->schedule ? BATCHED : 0U) |
            (lotor_statistic_is_by_round(kind) ? BY_ROUND : 0U) |
            (kind->is_closed_outside ? OUTSIDE : 0U);
        const bool gaussian =
            kind == &lotor_statistic_reports_gaussian || kind == &lotor_statistic_tree_gaussian;
        assert_int_equal(kind->law, gaussian ? LOTOR_LAW_GAUSSIAN : LOTOR_LAW_LAPLACE);
        size_t found = 0;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            if (rows[i].kind == kind) {
                found++;
                assert_string_equal(kind->name, rows[i].name);
                assert_int_equal(kind->report, rows[i].report);
                assert_int_equal(flags, rows[i].flags);
            }
        }
        assert_int_equal(found, 1);
    }
    assert_int_equal(count, sizeof rows / sizeof *rows);
}

/* Every row has all functions that generic code calls without a check. */
TEST(rows_are_complete)
{
    for (size_t k = 0; lotor_statistics[k]; k++) {
        const lotor_statistic_kind *kind = lotor_statistics[k];
        const bool by_round = lotor_statistic_is_by_round(kind);
        assert_true(kind->name && kind->noise && kind->plan && kind->post);
        assert_int_equal(kind->insert != NULL, !by_round);
        assert_int_equal(kind->make != NULL, kind->free != NULL);
        assert_int_equal(kind->make_arm != NULL, kind->free_arm != NULL);
        assert_int_equal(kind->make_arm != NULL, kind->save_arm != NULL);
        assert_int_equal(kind->make_arm != NULL, kind->load_arm != NULL);
        assert_int_equal(by_round, kind->save != NULL);
        assert_int_equal(by_round, kind->load != NULL);
        assert_int_equal(by_round && kind->report != LOTOR_REPORT_NONE, kind->take_round != NULL);
        const bool counts = kind->counter != NULL;
        assert_int_equal(counts, kind->theorem && kind->describe && kind->running);
        assert_true(!counts || kind->make_arm);
        assert_ptr_equal(counts ? lotor_statistic_counter(kind->counter) : kind, kind);
    }
    assert_null(lotor_statistic_counter("nothing"));
}
