/* test_episodes.c - adap-ucb's episodes: their schedule, how much one round can change, the
 * coverage of the width, and the refusal of forged states. test_klucb.c tests what it shares with
 * batch-klucb. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "privacy/release/schedule.h"
#include "support/rows.h"

enum { ARMS = ROWS_ARMS, ROUNDS = 64 };

static test_source source, twin;

static lotor_policy_params params_of(size_t slots, bool cascade)
{
    return (lotor_policy_params){.algorithm = "adap-ucb",
                                 .arms = ARMS,
                                 .slots = slots,
                                 .cascade = cascade,
                                 .epsilon = lotor_ratio_of(1, 2)};
}

TEST(episodes_double)
{
    static const uint64_t ends[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    uint64_t end = 0;
    size_t next = 0;
    for (uint64_t n = 0; n < 256; n++) {
        const bool opens = n == end;
        assert_int_equal(lotor_schedule_opens(lotor_schedule_episodes, n), opens);
        assert_int_equal(lotor_statistic_is_end(&lotor_statistic_episodes, n), opens);
        if (opens) {
            assert_int_equal(n + lotor_schedule_episodes(n), ends[next]);
            end = ends[next++];
        }
        assert_int_equal(lotor_schedule_end(lotor_schedule_episodes, n), end);
        assert_int_equal(lotor_statistic_displays(&lotor_statistic_episodes, n), end - n);
    }
    assert_int_equal(lotor_schedule_end(lotor_schedule_episodes, (UINT64_C(1) << 62) - 1),
                     UINT64_C(1) << 62);
}

/* --- the effect of one round ------------------------------------------------------------------ */

/* The releases of one arm, in order. Each replaces the one before on the board. */
typedef struct trace {
    double sums[ROUNDS];
    uint64_t counts[ROUNDS];
    size_t releases;
} trace;

/* Plays one arm, or a list of one, so that neighbouring inputs show the same. The feedback of round
 * `replaced` is `feedback`: a reward of 0 or 1 (with `cascade` a click), or none (-1). */
static trace play_trace(bool cascade, uint64_t replaced, int feedback)
{
    lotor_policy_params params = params_of(1, cascade);
    params.arms = 1;
    test_source_seed(&source, 4);
    lotor_policy *policy = rows_make(&params, &source);
    trace found = {.releases = 0};
    uint64_t time = 0;
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        lotor_decision decision;
        assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
        const int given = t == replaced ? feedback : (int)(t % 2);
        const double reward = given > 0 ? 1.0 : 0.0;
        const lotor_feedback told = {&reward, 1, cascade && given > 0 ? 1 : 0};
        if (given >= 0) {
            assert_int_equal(lotor_policy_observe(policy, t, &told, NULL), LOTOR_OK);
        }
        assert_int_equal(lotor_policy_expire(policy, t, NULL), LOTOR_OK);
        const lotor_fact *fact = lotor_board_at(policy->board, 0, 0);
        if (fact->time != time) {
            time = fact->time;
            found.sums[found.releases] = fact->value;
            found.counts[found.releases++] = fact->count;
        }
    }
    lotor_guarantee guarantee;
    lotor_policy_guarantee(policy, &guarantee);
    assert_true(guarantee.is_private && guarantee.scale >= 1.0 / 0.5); /* one width, over epsilon */
    lotor_policy_free(policy);
    return found;
}

/* With the same noise, the feedback of one round changes one of the seven releases, by at most one.
 * Missing feedback counts as the default, and changes nothing else. */
TEST(a_round_moves_one_release_by_one)
{
    for (int cascade = 0; cascade < 2; cascade++) {
        for (uint64_t replaced = 1; replaced <= ROUNDS; replaced++) {
            const trace base = play_trace(cascade, replaced, 0);
            assert_int_equal(base.releases, 7); /* at 1, 2, 4, ..., 64 */
            for (int feedback = -1; feedback <= 1; feedback++) {
                const trace other = play_trace(cascade, replaced, feedback);
                double moved = 0.0;
                assert_int_equal(other.releases, 7);
                for (size_t i = 0; i < 7; i++) {
                    assert_int_equal(base.counts[i], i == 0 ? 1 : 1 << (i - 1));
                    assert_int_equal(other.counts[i], base.counts[i]);
                    moved += fabs(base.sums[i] - other.sums[i]);
                }
                assert_true(moved == (feedback > 0 ? 1.0 : 0.0));
            }
        }
    }
}

/* --- the width -------------------------------------------------------------------------------- */

/* 40,000 episodes of n rounds of a fair coin, with exact noise. Each part of the index's width, at
 * L = 3.1 log t = 3, is exceeded with probability at most e^-3 = 0.0498, the whole width with at
 * most twice that. Half of the noise part would be exceeded with about e^-1.5 / 2 = 0.11 by the
 * noise alone (six standard deviations, 0.009, tell that from 0.0996); a tenth of it even more
 * often. */
TEST(the_width_covers_the_noise)
{
    enum { TRIALS = 40000, N = 2 };
    const double t = exp(3.0 / 3.1), epsilon = 0.05; /* so the noise is all that counts */
    const lotor_rule_params params = {.epsilon = epsilon};
    const lotor_widths widths = lotor_rule_adap_ucb.widths(&params, t);
    assert_true(fabs(widths.root - sqrt(1.5)) < 1e-12 && fabs(widths.linear - 60.0) < 1e-9);
    test_source_seed(&source, 5);
    lotor_noise noise = lotor_noise_exact(&source.source);
    const lotor_release_params release = {.dimension = 1,
                                          .epsilon = lotor_ratio_of(1, 20),
                                          .l1 = 1 << 20,
                                          .l2 = 1 << 20,
                                          .magnitude = 1 << 20};
    size_t passed = 0, passed_half = 0;
    for (size_t trial = 0; trial < TRIALS; trial++) {
        lotor_statistic *statistic;
        lotor_board *board;
        assert_int_equal(
            lotor_statistic_new(&lotor_statistic_episodes, 1, &release, 0x1p-20, NULL, &statistic),
            LOTOR_OK);
        assert_int_equal(lotor_board_new(1, 1, &board), LOTOR_OK);
        for (uint64_t t_round = 1; t_round <= UINT64_C(2) * N; t_round++) {
            const int64_t coin = (int64_t)((trial >> t_round) & 1) << 20;
            assert_int_equal(lotor_statistic_feed(statistic, 0, coin, 1, t_round, &noise, board),
                             LOTOR_OK);
        }
        const lotor_fact *fact = lotor_board_at(board, 0, 0);
        assert_int_equal(fact->count, N);
        const double mean = fact->value / (double)N;
        passed += 0.5 > mean + widths.root / sqrt(N) + widths.linear / (double)N;
        passed_half += 0.5 > mean + widths.root / sqrt(N) + 0.5 * widths.linear / (double)N;
        lotor_statistic_free(statistic);
        lotor_board_free(board);
    }
    const double bound = 2.0 * exp(-3.0), sure = 6.0 * sqrt(bound / (double)TRIALS);
    assert_true((double)passed / (double)TRIALS > 0.01 &&
                (double)passed / (double)TRIALS < bound + sure);
    assert_true((double)passed_half / (double)TRIALS > exp(-1.5) / 2.0 * 0.8);
}

/* --- saved states ----------------------------------------------------------------------------- */

/* Each case changes one thing of a state in the middle of an episode. */
TEST(forged_episodes_are_refused)
{
    test_source_seed(&source, 7);
    test_source_seed(&twin, 7);
    const lotor_policy_params params = params_of(1, false);
    lotor_policy *policy = rows_make(&params, &source);
    lotor_held_list *held = &policy->held;
    for (uint64_t t = 1; t <= 60 || !held->is_on || held->until - policy->shown[held->recorded] < 2;
         t++) {
        lotor_decision decision;
        assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(policy, t, NULL), LOTOR_OK);
    }
    assert_int_equal(rows_try_reload(policy, &twin), LOTOR_OK);
    const uint32_t e = held->recorded, other = (e + 1) % ARMS;
    const uint64_t shown = policy->shown[e];
    lotor_fact *fact = (lotor_fact *)lotor_board_at(policy->board, 0, e);
    const lotor_fact kept = *fact;
#define REFUSED(change, undo)                                                                      \
    change;                                                                                        \
    assert_int_equal(rows_try_reload(policy, &twin), LOTOR_DAMAGED);                               \
    undo
    REFUSED(held->is_on = false, held->is_on = true); /* an open episode without a held list */
    REFUSED(policy->shown[other]++, policy->shown[other]--); /* two open episodes */
    REFUSED(policy->shown[e] = held->until, policy->shown[e] = shown);
    /* fewer displays than rounds entered */
    REFUSED(policy->shown[e] = 1, policy->shown[e] = shown);
    REFUSED(fact->count *= 2, *fact = kept); /* another episode's size */
    REFUSED(fact->count++, *fact = kept);
    REFUSED((fact->time = 0, fact->count = 0), *fact = kept); /* it was released, but has no fact */
#undef REFUSED
    assert_int_equal(rows_try_reload(policy, &twin), LOTOR_OK);
    lotor_policy_free(policy);
}

/* A loaded series must have sizes 1, 1, 2, 4, ... and the next episode open, for any number of
 * releases. */
TEST(only_its_own_sizes_fit)
{
    for (uint64_t releases = 0; releases <= 63; releases++) {
        const uint64_t end = releases == 0 ? 0 : UINT64_C(1) << (releases - 1);
        lotor_batch batch = {.releases = releases,
                             .covered = end,
                             .latest_size = releases < 2 ? releases : end / 2,
                             .size = end == 0 ? 1 : end};
        assert_int_equal(lotor_schedule_fits(lotor_schedule_episodes, &batch), releases <= 62);
        batch.size++;
        assert_false(lotor_schedule_fits(lotor_schedule_episodes, &batch));
        batch.size--;
        batch.covered++;
        assert_false(lotor_schedule_fits(lotor_schedule_episodes, &batch));
        batch.covered--;
        batch.latest_size++;
        assert_false(lotor_schedule_fits(lotor_schedule_episodes, &batch));
    }
    assert_false(
        lotor_schedule_fits(lotor_schedule_episodes, &(lotor_batch){.releases = UINT64_MAX}));
}
