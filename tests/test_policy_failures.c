/* test_policy_failures.c - entropy runs out, or the journal refuses, in the middle of a round:
 * nothing is fed twice, nothing is lost, and no noise is drawn twice. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "privacy/release/schedule.h"
#include "support/rows.h"

enum { ARMS = ROWS_ARMS, ROUNDS = 300, NUMBERS = (ROWS_DIMENSION + 1) * (ROWS_DIMENSION + 2) / 2 };

static test_source source, twin;

/* The expected contents of the board, computed by the test: sums of the feedback. */
typedef struct books {
    double sums[NUMBERS]; /* per arm, or per entry of a matrix */
    uint64_t counts[NUMBERS];
    size_t size;
} books;

static books begin_books(const lotor_policy *policy, const lotor_policy_params *params)
{
    books mine = {.size = policy->linear ? NUMBERS : ARMS};
    for (size_t i = 0; params->first && i < ARMS; i++) {
        mine.sums[i] = params->first[i];
        mine.counts[i] = 1;
    }
    return mine;
}

static void note_action(books *mine, const lotor_policy *policy, uint64_t round, uint32_t shown)
{
    double room[ROWS_ARMS * ROWS_DIMENSION], z[ROWS_DIMENSION + 1];
    const double *x = rows_context(policy, round, room) + shown * (size_t)ROWS_DIMENSION;
    memcpy(z, x, ROWS_DIMENSION * sizeof *z);
    z[ROWS_DIMENSION] = rows_reward(policy, round, 0);
    size_t at = 0;
    for (size_t i = 0; i <= ROWS_DIMENSION; i++) {
        for (size_t j = 0; j <= i; j++, at++) {
            mine->sums[at] += z[i] * z[j];
            mine->counts[at]++;
        }
    }
}

static void note(books *mine, const lotor_policy *policy, uint64_t round,
                 const lotor_decision *decision)
{
    if (policy->linear) {
        note_action(mine, policy, round, decision->arms[0]);
        return;
    }
    const bool clicks = policy->coder.feedback->kind == LOTOR_FEEDBACK_CASCADE;
    const size_t click = rows_click(policy, round);
    const lotor_statistic_kind *kind = policy->algorithm->statistic;
    const bool all = kind && kind->hears_lists;
    for (size_t i = 0; i < decision->asked_count; i++) {
        if (clicks && click > 0 && i >= click && !all) {
            break; /* items after the click are not observed */
        }
        const uint32_t arm = decision->asked[i];
        mine->sums[arm] += clicks ? (double)(i + 1 == click) : rows_reward(policy, round, i);
        mine->counts[arm]++;
    }
}

/* Counts are exact; sums are within 0.02, far above the noise (at epsilon = 10^6, in linear
 * problems 10^9, a release is off by 2 * 10^-3 at most) and far below the sums. Batches cover the
 * latest 1, 2, 4, ... alone. */
static void expect_books(const books *mine, const lotor_policy *policy)
{
    for (size_t i = 0; i < mine->size; i++) {
        const lotor_fact *fact = lotor_board_at(policy->board, 0, i);
        if (policy->algorithm->statistic == &lotor_statistic_doubling ||
            policy->algorithm->statistic == &lotor_statistic_click_batches) {
            const uint64_t n = mine->counts[i];
            const uint64_t size = UINT64_C(1) << (63 - __builtin_clzll(n + 1));
            assert_int_equal(lotor_statistic_room(policy->statistic, i), 2 * size - n - 1);
            assert_int_equal(fact->count, size / 2);
            continue;
        }
        if (policy->algorithm->statistic ==
            &lotor_statistic_episodes) { /* ends at 1, 2, 4, 8, ... */
            const uint64_t n = mine->counts[i];
            const uint64_t end = n == 0 ? 1 : UINT64_C(2) << (63 - __builtin_clzll(n));
            assert_int_equal(lotor_statistic_room(policy->statistic, i), end - n);
            assert_int_equal(fact->count, n < 2 ? n : end / 4);
            continue;
        }
        if (policy->algorithm->statistic == &lotor_statistic_growing || /* see also test_klucb.c */
            policy->algorithm->statistic == &lotor_statistic_episodes_kept) {
            lotor_schedule *size = policy->algorithm->statistic->schedule;
            const uint64_t n = mine->counts[i];
            assert_int_equal(lotor_statistic_room(policy->statistic, i),
                             lotor_schedule_end(size, n) - n);
            uint64_t covered = 0;
            for (size_t row = 0; row < policy->board->statistics; row++) {
                covered += lotor_board_at(policy->board, row, i)->count;
            }
            assert_true(covered <= n && lotor_schedule_end(size, covered) > n);
            continue;
        }
        if (policy->algorithm->statistic == &lotor_statistic_chosen) {
            uint64_t covered = 0;
            for (size_t row = 0; row < policy->board->statistics; row++) {
                covered += lotor_board_at(policy->board, row, i)->count;
            }
            assert_int_equal(covered, lotor_statistic_covered(policy->statistic, i));
            assert_true(covered <= mine->counts[i]);
            continue;
        }
        if (policy->algorithm->matrix == LOTOR_MATRIX_SEPARATE) {
            double sum = 0.0;
            uint64_t covered = 0;
            for (size_t row = 0; row < policy->board->statistics; row++) {
                sum += lotor_board_at(policy->board, row, i)->value;
                covered += lotor_board_at(policy->board, row, i)->count;
            }
            assert_int_equal(covered, mine->counts[i]);
            assert_true(fabs(sum - mine->sums[i]) < 0.02);
            continue;
        }
        assert_int_equal(fact->count, mine->counts[i]);
        if (policy->algorithm->statistic == &lotor_statistic_cube_reports) {
            /* rewards are rounded to 0 or 1: their sum is whole, and of variance n/4 at most */
            assert_true(fabs(fact->value - round(fact->value)) < 1e-6);
            assert_true(fabs(fact->value - mine->sums[i]) <= 3.0 * sqrt((double)fact->count));
            continue;
        }
        if (policy->algorithm->statistic == &lotor_statistic_bits) { /* the bits: test_bit.c */
            assert_true(fact->value >= 0.0 && fact->value <= (double)fact->count);
            continue;
        }
        if (!(fabs(fact->value - mine->sums[i]) < 0.02)) {
            fail_msg("%s: number %zu is %g, not %g", policy->algorithm->id, i, fact->value,
                     mine->sums[i]);
        }
    }
}

/* Ends the round while the source has only `words` words left, and again when it has more. Returns
 * whether it failed, and whether some of the round was on the board by then. */
static bool expire_with(lotor_policy *policy, uint64_t event, size_t words, bool *halfway)
{
    const uint64_t posts = lotor_board_posts(policy->board);
    source.window.left = 8 * words;
    source.refills_left = 0;
    const lotor_status status = lotor_policy_expire(policy, event, NULL);
    *halfway = status == LOTOR_ENTROPY && lotor_board_posts(policy->board) > posts;
    source.window.left = 0;
    source.refills_left = SIZE_MAX;
    source.source.status = LOTOR_OK;
    if (status == LOTOR_OK) {
        return false;
    }
    assert_int_equal(status, LOTOR_ENTROPY);
    assert_int_equal(lotor_policy_expire(policy, event, NULL), LOTOR_OK);
    return true;
}

static bool is_batched(const lotor_algorithm *row)
{
    return row->matrix == LOTOR_MATRIX_BATCH || row->matrix == LOTOR_MATRIX_SEPARATE;
}

/* Every private row except those of elimination (test_policy_elimination.c). Rows in which every
 * shown arm draws its own noise do stop half-way. */
TEST(entropy_that_comes_back_loses_nothing)
{
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        const lotor_algorithm *row = &lotor_algorithms[c];
        if (!lotor_algorithm_has_noise(row) || row->elimination || row->is_simulation_only) {
            continue;
        }
        lotor_policy_params params = rows_params(row, ROUNDS);
        params.epsilon = lotor_ratio_of(row->linear ? 1000000000 : 1000000, 1);
        test_source_seed(&source, 5);
        lotor_policy *policy = rows_make(&params, &source);
        books mine = begin_books(policy, &params), now = mine;
        uint64_t failures = 0, halfways = 0;
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            lotor_decision decision;
            bool halfway = false;
            assert_int_equal(rows_choose(policy, t, NULL, &decision), LOTOR_OK);
            note(&now, policy, t, &decision);
            if (!is_batched(row)) {
                mine = now;
            } else if ((t & (t - 1)) == 0 && t > 1) { /* n0 = 2; y^2 is never released */
                mine = now;
                mine.size = NUMBERS - 1;
            }
            assert_int_equal(rows_observe(policy, t, decision.asked_count), LOTOR_OK);
            failures += expire_with(policy, t, t % 3 ? t / 3 % 12 : 0, &halfway);
            halfways += halfway;
            expect_books(&mine, policy);
        }
        assert_true(failures > (is_batched(row) ? 4 : 10)); /* of 8 releases */
        const bool own_noise = (row->statistic == &lotor_statistic_reports ||
                                row->statistic == &lotor_statistic_reports_gaussian ||
                                row->statistic == &lotor_statistic_reports_composed) &&
                               row->problem >= LOTOR_PROBLEM_SEMIBANDIT &&
                               strcmp(row->feedback, "least-shown") != 0;
        assert_true(!own_noise || halfways > 10);
        lotor_policy_free(policy);
    }
}

typedef struct witness {
    unsigned refusals; /* how many times in a row the journal refuses each fact */
    unsigned seen;
    size_t arm;
    double last;
    uint64_t facts;
} witness;

static lotor_status refuse_then_take(void *context, size_t statistic, size_t arm,
                                     const lotor_fact *fact)
{
    witness *mine = context;
    (void)statistic;
    if (mine->seen > 0) { /* the same release, not another draw */
        assert_true(mine->last == fact->value);
        assert_int_equal(mine->arm, arm);
    }
    mine->last = fact->value;
    mine->arm = arm;
    if (mine->seen++ < mine->refusals) {
        return LOTOR_MEMORY;
    }
    mine->seen = 0;
    mine->facts++;
    return LOTOR_OK;
}

/* Both policies play; the journal of `rough` refuses every fact twice. */
static void play_both(lotor_policy *smooth, lotor_policy *rough, uint64_t t)
{
    lotor_decision decision, same;
    assert_int_equal(rows_choose(smooth, t, NULL, &decision), LOTOR_OK);
    assert_int_equal(rows_choose(rough, t, NULL, &same), LOTOR_OK);
    rows_expect_same_decision(&decision, &same);
    const size_t asked = decision.asked_count;
    assert_int_equal(rows_observe(smooth, t, asked), LOTOR_OK);
    assert_int_equal(rows_observe(rough, t, asked), LOTOR_OK);
    assert_int_equal(lotor_policy_expire(smooth, t, NULL), LOTOR_OK);
    for (int tries = 0; lotor_policy_expire(rough, t, NULL) != LOTOR_OK; tries++) {
        assert_true(tries < 2 * NUMBERS + 1);
    }
}

static void expect_refusals_cost_nothing(const lotor_policy_params *params)
{
    test_source_seed(&source, 6);
    test_source_seed(&twin, 6);
    lotor_policy *smooth = rows_make(params, &source), *rough = rows_make(params, &twin);
    witness patient = {.refusals = 2};
    const uint64_t before = lotor_board_posts(rough->board);
    lotor_board_set_journal(rough->board, refuse_then_take, &patient);
    for (uint64_t t = 1; t < ROUNDS; t++) {
        play_both(smooth, rough, t);
    }
    lotor_board_set_journal(rough->board, NULL, NULL);
    assert_true(patient.facts > 10 || smooth->elimination);
    assert_int_equal(lotor_board_posts(rough->board), before + patient.facts);
    rows_expect_same_state(smooth, rough);
    lotor_policy_free(smooth);
    lotor_policy_free(rough);
}

/* A journal refuses every fact twice: every release is offered again unchanged, nothing is fed or
 * drawn twice, and the policy ends in the same state as one whose journal never refused. */
TEST(a_refusing_journal_costs_nothing)
{
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        lotor_policy_params params = rows_params(&lotor_algorithms[c], ROUNDS);
        expect_refusals_cost_nothing(&params);
        for (int i = 1; i < rows_structures(&lotor_algorithms[c]); i++) {
            rows_set_structure(&params, (lotor_structure)i);
            expect_refusals_cost_nothing(&params);
        }
    }
}

/* Saved between the refusals of one round, and loaded: the policy continues where it stopped. */
TEST(a_round_half_recorded_is_saved)
{
    static const char *const ids[] = {"cucb-ldp1",  "cucb-dp",   "cascade-dp", "jdp-linucb-gauss",
                                      "jdp-linucb", "jdp-batch", "jdp-bayes"};
    for (size_t c = 0; c < sizeof ids / sizeof *ids; c++) {
        const lotor_policy_params params = rows_params(lotor_algorithms_find(ids[c]), ROUNDS);
        test_source_seed(&source, 7);
        lotor_policy *policy = rows_make(&params, &source);
        for (uint64_t t = 1; t <= 60; t++) {
            lotor_decision decision;
            assert_int_equal(rows_choose(policy, t, NULL, &decision), LOTOR_OK);
            assert_int_equal(rows_observe(policy, t, decision.asked_count), LOTOR_OK);
            witness stern = {.refusals = 1 + (unsigned)(t % 2)};
            lotor_board_set_journal(policy->board, refuse_then_take, &stern);
            for (uint64_t tries = 0; tries < t % 5; tries++) {
                (void)lotor_policy_expire(policy, t, NULL);
            }
            lotor_board_set_journal(policy->board, NULL, NULL);
            lotor_policy *loaded = rows_reload(policy, &params, &source, &twin);
            assert_int_equal(lotor_policy_expire(policy, t, NULL), LOTOR_OK);
            assert_int_equal(lotor_policy_expire(loaded, t, NULL), LOTOR_OK);
            rows_expect_same_state(policy, loaded);
            lotor_policy_free(loaded);
        }
        lotor_policy_free(policy);
    }
}
