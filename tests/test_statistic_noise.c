/* test_statistic_noise.c - the noise on the board is the noise of the guarantee, for every kind
 * that the catalog uses.
 *
 * The test looks only at the board. All observations are 0, so the board has only noise. For
 * every round, the test measures
 * - the mean and the variance of each arm's released sum;
 * - the variance of its change since the round before (to detect reused noise);
 * - the covariances between arms and between consecutive changes (to detect a draw that is used twice).
 *
 * REPEATS = 20,000 statistics with simulated noise, EXACT_REPEATS = 4,000 with exact noise.
 * Kurtosis is at most 6 (one Laplace draw), so a sample variance has relative deviation at most
 * sqrt(5/REPEATS) = 1.6% (3.5%), and a correlation one of 1/sqrt(REPEATS) = 0.7% (1.6%). Six
 * deviations are a false alarm once in 5e8, on fixed seeds anyway. Half the noise is off by 75%,
 * noise used for two reports in a row by 100%.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "privacy/release/statistic.h"
#include "privacy/release/tree.h"
#include "support/test_source.h"

enum { ARMS = 3, SHOWN = 2, ROUNDS = 16, UNIT = 1 << 20, REPEATS = 20000, EXACT_REPEATS = 4000 };

/* Variances in widths squared, after n observations of an arm, or n rounds of a vector tree: of the
 * release, and of its latest change. */
typedef double variance_formula(uint64_t n);

/* Lap(b) has variance 2 b^2; K = 2 and epsilon = 1/2 make b = 4. */
static double laplace(uint64_t n)
{
    return (double)n * 32.0;
}

static double laplace_step(uint64_t n)
{
    (void)n;
    return 32.0;
}

/* sigma^2 = 2 K log(1.25/delta) / epsilon^2 = 16 log 1250 = 16 * 7.130898830 */
static double gaussian(uint64_t n)
{
    return (double)n * 114.0943813;
}

static double gaussian_step(uint64_t n)
{
    (void)n;
    return 114.0943813;
}

/* b^2 = 4 K log(e + epsilon/delta) / epsilon^2 = 32 log 502.7182818 = 32 * 6.220029 */
static double composed(uint64_t n)
{
    return (double)n * 2.0 * 199.0409;
}

static double composed_step(uint64_t n)
{
    (void)n;
    return 2.0 * 199.0409;
}

/* T = 16: b = max(2 log 16, 5) K / epsilon = 5.545177444 * 4, and a node for every set digit. */
static double vector_tree(uint64_t n)
{
    return (double)__builtin_popcountll(n) * 2.0 * 22.18070978 * 22.18070978;
}

static double vector_tree_step(uint64_t n)
{
    return (double)(__builtin_ctzll(n) + 1) * 2.0 * 22.18070978 * 22.18070978;
}

/* T = 16 has 5 levels: b = 5 K / epsilon = 20 (a round has K = 2 here). */
static double tight_tree(uint64_t n)
{
    return (double)__builtin_popcountll(n) * 800.0;
}

static double tight_tree_step(uint64_t n)
{
    return (double)(__builtin_ctzll(n) + 1) * 800.0;
}

/* One draw of b = 4 on each number of the latest batch. It changes in rounds 1, 3, 7 and 15
 * alone. */
static double latest_batch(uint64_t n)
{
    (void)n;
    return 32.0;
}

static double latest_batch_step(uint64_t n)
{
    return n == 1 ? 32.0 : (n & (n + 1)) == 0 ? 64.0 : 0.0;
}

/* Of an episode: in rounds 1, 2, 4, 8 and 16. */
static double episode(uint64_t n)
{
    return latest_batch(n);
}

static double episode_step(uint64_t n)
{
    return n == 1 ? 32.0 : (n & (n - 1)) == 0 ? 64.0 : 0.0;
}

/* (8(k+1) + 8 k^2 popcount(j)) l1^2 / epsilon^2 at n = 2^k + j, l1/epsilon = 4. */
static double hybrid(uint64_t n)
{
    const unsigned k = lotor_tree_levels(n) - 1;
    return 128.0 * (k + 1.0 + (double)(k * k) * __builtin_popcountll(n - (UINT64_C(1) << k)));
}

/* Inside a block a step drops ctz(j) nodes and adds one; at n = 2^k it drops all k - 1 nodes of the
 * block's tree, of scale k - 1, and adds a block. */
static double hybrid_step(uint64_t n)
{
    const unsigned k = lotor_tree_levels(n) - 1;
    const uint64_t j = n - (UINT64_C(1) << k);
    if (j == 0) {
        return 128.0 * (k < 2 ? 1.0 : 1.0 + pow(k - 1.0, 3.0));
    }
    return 128.0 * (double)(k * k) * (__builtin_ctzll(j) + 1);
}

static const struct law {
    const lotor_statistic_kind *kind;
    variance_formula *variance, *step;
    bool fresh; /* consecutive changes are independent */
} laws[] = {
    {&lotor_statistic_reports, laplace, laplace_step, true},
    {&lotor_statistic_reports_gaussian, gaussian, gaussian_step, true},
    {&lotor_statistic_reports_composed, composed, composed_step, true},
    {&lotor_statistic_vector_tree, vector_tree, vector_tree_step, false},
    {&lotor_statistic_hybrid, hybrid, hybrid_step, false},
    {&lotor_statistic_tree_tight, tight_tree, tight_tree_step, false},
    {&lotor_statistic_doubling, latest_batch, latest_batch_step, false},
    {&lotor_statistic_click_batches, latest_batch, latest_batch_step, false}, /* of clicks: none */
    {&lotor_statistic_episodes, episode, episode_step, false},
};

/* Sums over the repeats, by round and arm, in widths. */
typedef struct moments {
    double sum[ROUNDS + 1][ARMS];
    double products[ROUNDS + 1][ARMS][ARMS];
    double changes[ROUNDS + 1][ARMS]; /* squared */
    double lagged[ROUNDS + 1][ARMS];  /* products of two changes in a row */
    uint64_t count[ROUNDS + 1][ARMS]; /* the same in every repeat */
} moments;

static const int64_t zeros[SHOWN];

/* Arms 0 and 1 in every round; arm 2 is never shown. */
static const uint32_t shown[SHOWN] = {0, 1};

static void observe(moments *all, uint64_t t, const lotor_board *board, double *before,
                    double *change)
{
    double now[ARMS];
    for (size_t i = 0; i < ARMS; i++) {
        const lotor_fact *fact = lotor_board_at(board, 0, i);
        now[i] = fact->value;
        const double changed = now[i] - before[i];
        all->sum[t][i] += now[i];
        all->changes[t][i] += changed * changed;
        all->lagged[t][i] += changed * change[i];
        all->count[t][i] = fact->count;
        change[i] = changed;
        before[i] = now[i];
    }
    for (size_t i = 0; i < ARMS; i++) {
        for (size_t j = 0; j <= i; j++) {
            all->products[t][i][j] += now[i] * now[j];
        }
    }
}

static void measure(const lotor_statistic_kind *kind, lotor_noise *noise, size_t repeats,
                    moments *all)
{
    const lotor_release_params params = {
        .dimension = 1,
        .horizon = ROUNDS,
        .epsilon = lotor_ratio_of(1, 2),
        .delta = lotor_ratio_of(1, 1000),
        .l1 = 2 * UNIT,
        .l2 = 1482911, /* sqrt(2) widths, rounded up */
        .magnitude = UNIT,
        .slots = SHOWN,
        .width = UNIT,
    };
    memset(all, 0, sizeof *all);
    for (size_t repeat = 0; repeat < repeats; repeat++) {
        lotor_statistic *statistic;
        lotor_board *board;
        double before[ARMS] = {0.0}, change[ARMS] = {0.0};
        assert_int_equal(lotor_statistic_new(kind, ARMS, &params, 0x1p-20, NULL, &statistic),
                         LOTOR_OK);
        assert_int_equal(lotor_board_new(2, ARMS, &board), LOTOR_OK);
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            assert_int_equal(
                lotor_statistic_feed_round(statistic, shown, zeros, SHOWN, t, noise, board),
                LOTOR_OK);
            observe(all, t, board, before, change);
        }
        lotor_statistic_free(statistic);
        lotor_board_free(board);
    }
}

static void check_arm(const struct law *law, const moments *all, uint64_t t, size_t arm,
                      double repeats)
{
    const double variance = law->variance(t), step = law->step(t);
    const double off = 6.0 * sqrt(5.0 / repeats);
    assert_true(fabs(all->sum[t][arm] / repeats) < 6.0 * sqrt(variance / repeats));
    assert_true(fabs(all->products[t][arm][arm] / repeats / variance - 1.0) < off);
    assert_true(step == 0.0 ? all->changes[t][arm] == 0.0
                            : fabs(all->changes[t][arm] / repeats / step - 1.0) < off);
    if (law->fresh) {
        assert_true(fabs(all->lagged[t][arm] / repeats / step) < 6.0 / sqrt(repeats));
    }
    for (size_t other = 0; other < arm; other++) {
        assert_true(fabs(all->products[t][arm][other] / repeats / variance) < 6.0 / sqrt(repeats));
    }
}

static void check(const struct law *law, lotor_noise *noise, size_t repeats)
{
    static moments all;
    measure(law->kind, noise, repeats, &all);
    /* A vector tree has noise on the arms that are not shown too. */
    const size_t noisy = law->kind == &lotor_statistic_vector_tree ? ARMS : SHOWN;
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        for (size_t arm = 0; arm < ARMS; arm++) {
            const uint64_t heard = law->variance == latest_batch
                                       ? (UINT64_C(1) << (lotor_tree_levels(t + 1) - 1)) / 2
                                   : law->variance == episode && t > 1
                                       ? (UINT64_C(1) << (lotor_tree_levels(t) - 1)) / 2
                                       : t;
            assert_int_equal(all.count[t][arm], arm < SHOWN ? heard : 0);
            if (arm < noisy) {
                check_arm(law, &all, t, arm, (double)repeats);
            } else {
                assert_true(all.products[t][arm][arm] == 0.0);
            }
        }
    }
}

/* Each kind has its own test, because scripts/mutants expects each of them to fail. */
static void noise_is_as_promised(void **state)
{
    const struct law *law = *state;
    lotor_generator generator;
    lotor_generator_seed(&generator, 21);
    lotor_noise simulated = lotor_noise_simulated(&generator);
    check(law, &simulated, REPEATS);

    static test_source source;
    test_source_seed(&source, 22);
    lotor_noise exact = lotor_noise_exact(&source.source);
    check(law, &exact, EXACT_REPEATS);
}

/* The first observation is on the board without noise, and stays in all later sums. These have the
 * noise above, whose variances do not change. */
TEST(the_first_observation_has_no_noise)
{
    static const int64_t first[ARMS] = {UNIT, 0, UNIT / 4};
    static const lotor_statistic_kind *const kinds[] = {
        &lotor_statistic_reports, &lotor_statistic_reports_gaussian,
        &lotor_statistic_reports_composed, &lotor_statistic_hybrid};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const lotor_release_params params = {
            .dimension = 1,
            .horizon = ROUNDS,
            .epsilon = lotor_ratio_of(1, 2),
            .delta = lotor_ratio_of(1, 1000),
            .l1 = UNIT,
            .l2 = UNIT,
            .magnitude = UNIT,
        };
        static test_source one, other;
        test_source_seed(&one, 23);
        test_source_seed(&other, 23);
        lotor_noise noise = lotor_noise_exact(&one.source), same = lotor_noise_exact(&other.source);
        lotor_statistic *begun, *plain;
        lotor_board *board, *without;
        assert_int_equal(lotor_statistic_new(kinds[k], ARMS, &params, 0x1p-20, NULL, &begun),
                         LOTOR_OK);
        assert_int_equal(lotor_statistic_new(kinds[k], ARMS, &params, 0x1p-20, NULL, &plain),
                         LOTOR_OK);
        assert_int_equal(lotor_board_new(1, ARMS, &board), LOTOR_OK);
        assert_int_equal(lotor_board_new(1, ARMS, &without), LOTOR_OK);
        assert_int_equal(lotor_statistic_begin(begun, first, board), LOTOR_OK);
        for (uint64_t t = 0; t <= 5; t++) {
            for (size_t i = 0; i < ARMS; i++) {
                const lotor_fact *fact = lotor_board_at(board, 0, i);
                const lotor_fact *twin = lotor_board_at(without, 0, i);
                assert_true(fact->value == twin->value + (double)first[i] * 0x1p-20);
                assert_int_equal(fact->count, twin->count + 1);
                assert_int_equal(fact->time, twin->time + 1);
            }
            assert_int_equal(
                lotor_statistic_feed_round(begun, shown, zeros, SHOWN, t + 1, &noise, board),
                LOTOR_OK);
            assert_int_equal(
                lotor_statistic_feed_round(plain, shown, zeros, SHOWN, t + 1, &same, without),
                LOTOR_OK);
        }
        lotor_statistic_free(begun);
        lotor_statistic_free(plain);
        lotor_board_free(board);
        lotor_board_free(without);
    }
}

TEST_OF(reports, noise_is_as_promised, &laws[0]);
TEST_OF(gaussian_reports, noise_is_as_promised, &laws[1]);
TEST_OF(composed_reports, noise_is_as_promised, &laws[2]);
TEST_OF(vector_tree, noise_is_as_promised, &laws[3]);
TEST_OF(hybrid, noise_is_as_promised, &laws[4]);
TEST_OF(tight_tree, noise_is_as_promised, &laws[5]);
TEST_OF(doubling, noise_is_as_promised, &laws[6]);
TEST_OF(click_batches, noise_is_as_promised, &laws[7]);
TEST_OF(episodes, noise_is_as_promised, &laws[8]);

/* Batches of up to 2^35 observations (growing ones: 787,401): 36 batches of each of 1,000 statistics. All observations are
 * 0, so a batch is Lap(b), with b = 2 (one arm, epsilon = 1/2). For every batch number, the mean of |Lap(b)| is b, with
 * a deviation of b/sqrt(1000): within six of them, 19%. So noise that is too small for some sizes does not hide. */
static void batches_of_any_size(void **state)
{
    enum { TURNS = 1000, BATCHES = 36 };
    const lotor_statistic_kind *kind = *state;
    double sizes[BATCHES] = {0.0};
    test_source source;
    test_source_seed(&source, 6);
    lotor_noise noise = lotor_noise_exact(&source.source);
    const lotor_release_params params = {.dimension = 1,
                                         .horizon = UINT64_C(1) << 38,
                                         .epsilon = lotor_ratio_of(1, 2),
                                         .l1 = 1 << 8,
                                         .l2 = 1 << 8,
                                         .magnitude = 1 << 8};
    for (int turn = 0; turn < TURNS; turn++) {
        lotor_statistic *statistic;
        lotor_board *board;
        assert_int_equal(lotor_statistic_new(kind, 1, &params, 0x1p-8, NULL, &statistic), LOTOR_OK);
        assert_int_equal(lotor_board_new(kind->keeps_batches ? BATCHES : 1, 1, &board), LOTOR_OK);
        double before = 0.0;
        for (size_t row = 0; row < BATCHES; row++) {
            if (kind->is_closed_outside) {
                lotor_statistic_close(statistic, 0, UINT64_C(1) << row);
            }
            const uint64_t size = lotor_statistic_room(statistic, 0);
            assert_int_equal(lotor_statistic_feed(statistic, 0, 0, size, row + 1, &noise, board),
                             LOTOR_OK);
            const lotor_fact *fact = lotor_board_at(board, kind->keeps_batches ? row : 0, 0);
            assert_int_equal(fact->time, row + 1);
            const bool is_total = kind == &lotor_statistic_batch_total;
            sizes[row] += fabs(fact->value - (is_total ? before : 0.0));
            before = fact->value;
        }
        lotor_statistic_free(statistic);
        lotor_board_free(board);
    }
    for (size_t row = 0; row < BATCHES; row++) {
        const double turns = (double)TURNS;
        assert_true(fabs(sizes[row] / turns / 2.0 - 1.0) < 6.0 / sqrt(turns));
    }
}

TEST_OF(doubling_batches_of_any_size, batches_of_any_size, &lotor_statistic_doubling);
TEST_OF(growing_batches_of_any_size, batches_of_any_size, &lotor_statistic_growing);
TEST_OF(episodes_of_any_size, batches_of_any_size, &lotor_statistic_episodes);
TEST_OF(kept_episodes_of_any_size, batches_of_any_size, &lotor_statistic_episodes_kept);
TEST_OF(added_batches_of_any_size, batches_of_any_size, &lotor_statistic_batch_total);
TEST_OF(chosen_batches_of_any_size, batches_of_any_size, &lotor_statistic_chosen);

/* Batches that are closed from outside, of two arms in turn, two of each closed ahead, with 300
 * statistics of 36 batches an arm. The mean of |Lap(b)| is b = 4 with a deviation of b/sqrt(n), the
 * product of two draws has mean 0 and a deviation of 2 b^2/sqrt(n): within six of them. */
TEST(chosen_batches)
{
    enum { TURNS = 300, BATCHES = 36 };
    double sizes = 0.0, arms_apart = 0.0, in_a_row = 0.0;
    test_source source;
    test_source_seed(&source, 5);
    lotor_noise noise = lotor_noise_exact(&source.source);
    const lotor_release_params params = {.dimension = 1,
                                         .epsilon = lotor_ratio_of(1, 2),
                                         .l1 = SHOWN * UNIT,
                                         .l2 = SHOWN * UNIT,
                                         .magnitude = UNIT};
    for (int turn = 0; turn < TURNS; turn++) {
        lotor_statistic *statistic;
        lotor_board *board;
        assert_int_equal(lotor_statistic_new(&lotor_statistic_chosen, 2, &params,
                                             1.0 / (double)UNIT, NULL, &statistic),
                         LOTOR_OK);
        assert_int_equal(lotor_board_new(BATCHES, 2, &board), LOTOR_OK);
        double before = 0.0;
        for (size_t row = 0; row < BATCHES; row++) {
            for (size_t arm = 0; arm < 2; arm++) {
                if (row % 2 == 0) {
                    lotor_statistic_close(statistic, arm, row + 1);
                    lotor_statistic_close(statistic, arm, row + 2);
                }
                assert_int_equal(lotor_statistic_feed(statistic, arm, 0, row + 1, 2 * row + arm + 1,
                                                      &noise, board),
                                 LOTOR_OK);
            }
            const double one = lotor_board_at(board, row, 0)->value;
            const double other = lotor_board_at(board, row, 1)->value;
            sizes += fabs(one) + fabs(other);
            arms_apart += one * other;
            in_a_row += one * before;
            before = one;
        }
        lotor_statistic_free(statistic);
        lotor_board_free(board);
    }
    const double n = TURNS * BATCHES;
    assert_true(fabs(sizes / (2.0 * n) / 4.0 - 1.0) < 6.0 / sqrt(2.0 * n));
    assert_true(fabs(arms_apart / n) < 6.0 * 32.0 / sqrt(n));
    assert_true(fabs(in_a_row / n) < 6.0 * 32.0 / sqrt(n));
}
