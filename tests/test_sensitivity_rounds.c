/* test_sensitivity_rounds.c - the effect of replacing one round's feedback, for every private
 * algorithm that shows several arms or vectors: by brute force, through whole policies.
 *
 * Two policies with the same noise get feedback that differs in one round. All arms are shown in
 * every round, so both ask the same arms (as they would for given releases: statistic.md). The
 * difference of the releases is the effect of the round. The noise must be at least that over
 * epsilon, and the claimed noise must be the actual noise.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include <lotor/account.h>

#include "policy/policy.h"
#include "privacy/release/matrix_plan.h"
#include "support/sensitivity.h"
#include "support/statistics.h"
#include "support/test_source.h"

enum { MOST_SLOTS = 3, MOST_ROUNDS = 16, MOST_ANSWERS = 1 << MOST_SLOTS };

static test_source source;

/* How many noisy numbers contain a round: one report, or a node on every level. */
static const struct shape {
    const char *id;
    bool all_slots; /* each shown arm has a reward, or one of them */
    bool tree;
} shapes[] = {
    {"cucb-ldp1", true, false},
    {"cucb-ldp2", false, false},
    {"cucb-dp", true, true},
    {"cucb-dp2", false, true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const struct {
    double low, high;
} ranges[] = {{0, 1}, {-1, 3}, {5, 7}};

static lotor_policy *make(const char *id, size_t slots, uint64_t horizon, double low, double high)
{
    const lotor_policy_params params = {
        .algorithm = id,
        .arms = slots,
        .slots = slots,
        .horizon = horizon,
        .epsilon = lotor_ratio_of(1, 2),
        .low = low,
        .high = high,
        .default_reward = low,
    };
    lotor_policy *policy;
    lotor_message why;
    assert_int_equal(lotor_policy_new_on(&params, &source.source, 1, &why, &policy), LOTOR_OK);
    return policy;
}

/* One round, in which arm i pays rewards[i] if it is asked. */
static void play(lotor_policy *policy, const double *rewards)
{
    lotor_decision decision;
    double told[MOST_SLOTS];
    assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
    const uint64_t event = decision.event;
    for (size_t i = 0; i < decision.asked_count; i++) {
        told[i] = rewards[decision.asked[i]];
    }
    const lotor_feedback feedback = {.rewards = told, .count = decision.asked_count};
    assert_int_equal(lotor_policy_observe(policy, event, &feedback, NULL), LOTOR_OK);
    assert_int_equal(lotor_policy_expire(policy, event, NULL), LOTOR_OK);
}

/* The contents of the board after each round. */
typedef struct trace {
    double at[MOST_ROUNDS + 1][MOST_SLOTS];
} trace;

static void record(const lotor_policy *policy, uint64_t t, size_t arms, trace *out)
{
    for (size_t i = 0; i < arms; i++) {
        out->at[t][i] = lotor_board_at(policy->board, 0, i)->value;
    }
}

/* The first round of the noisy number that round t adds. A report has only its own round; a node of
 * a tree has the 2^i rounds up to t, where i is the lowest set digit. */
static uint64_t begins(bool tree, uint64_t t)
{
    return tree ? t & (t - 1) : t - 1;
}

/* The L1 distance of all noisy numbers of two traces. */
static double distance(const trace *one, const trace *other, bool tree, uint64_t rounds,
                       size_t arms)
{
    double total = 0.0;
    for (uint64_t t = 1; t <= rounds; t++) {
        const uint64_t before = begins(tree, t);
        for (size_t i = 0; i < arms; i++) {
            const double number = one->at[t][i] - one->at[before][i];
            total += fabs(number - (other->at[t][i] - other->at[before][i]));
        }
    }
    return total;
}

/* Plays with all extreme feedback in round `replaced`, and returns the largest distance. */
static double farthest(const struct shape *shape, size_t slots, uint64_t rounds, uint64_t replaced,
                       double low, double high)
{
    static trace traces[MOST_ANSWERS];
    const size_t answers = (size_t)1 << slots;
    memset(traces, 0, sizeof traces);
    for (size_t a = 0; a < answers; a++) {
        test_source_seed(&source, 5);
        lotor_policy *policy = make(shape->id, slots, rounds, low, high);
        for (uint64_t t = 1; t <= rounds; t++) {
            double rewards[MOST_SLOTS];
            for (size_t i = 0; i < slots; i++) {
                const bool up = t == replaced ? (a >> i) & 1 : (t + i) % 3 == 0;
                rewards[i] = up ? high : low;
            }
            play(policy, rewards);
            record(policy, t, slots, &traces[a]);
        }
        lotor_policy_free(policy);
    }
    double most = 0.0;
    for (size_t a = 0; a < answers; a++) {
        for (size_t b = 0; b < a; b++) {
            most = fmax(most, distance(&traces[a], &traces[b], shape->tree, rounds, slots));
        }
    }
    return most;
}

/* By hand: K or 1 widths, times floor(log2 T) + 1 for a tree (3, 4 and 5): exactly that at the
 * worst round, and never more. The claimed scale is at least as much, over epsilon = 1/2. */
static void noise_covers_what_a_round_moves(void **state)
{
    const struct shape *shape = *state;
    static const uint64_t horizons[] = {4, 11, 16};
    static const double levels[] = {3, 4, 5};
    for (size_t h = 0; h < 3; h++) {
        for (size_t slots = 1; slots <= MOST_SLOTS; slots++) {
            const double low = ranges[slots - 1].low, high = ranges[slots - 1].high;
            double moved = 0.0;
            for (uint64_t t = 1; t <= horizons[h]; t++) {
                moved = fmax(moved, farthest(shape, slots, horizons[h], t, low, high));
            }
            const double heard = shape->all_slots ? (double)slots : 1.0;
            const double parts = shape->tree ? levels[h] : 1.0;
            assert_true(moved == (high - low) * heard * parts);
            lotor_policy *policy = make(shape->id, slots, horizons[h], low, high);
            assert_true(claimed_scale(policy) >= moved / 0.5);
            lotor_policy_free(policy);
        }
    }
}

/* Every private algorithm is tested: here, below, or in test_sensitivity_repaired.c. */
TEST(every_private_id_is_covered)
{
    for (size_t a = 0; a < lotor_algorithms_size; a++) {
        const lotor_algorithm *algorithm = &lotor_algorithms[a];
        if (!lotor_algorithm_is_private(algorithm) || algorithm->is_simulation_only ||
            algorithm->problem < LOTOR_PROBLEM_SEMIBANDIT) {
            continue;
        }
        /* the linear ones are below; ours in test_klucb.c, test_bit.c and
         * test_sensitivity_repaired.c */
        static const char *const elsewhere[] = {"cucb-dp-lazy", "cucb-ldp-box", "cascade-dp-lazy",
                                                "cascade-ldp-rr"};
        size_t found = algorithm->linear != NULL || algorithm->problem == LOTOR_PROBLEM_ANY;
        for (size_t e = 0; e < sizeof elsewhere / sizeof *elsewhere; e++) {
            found += strcmp(algorithm->id, elsewhere[e]) == 0;
        }
        for (size_t s = 0; s < SHAPES; s++) {
            found += strcmp(algorithm->id, shapes[s].id) == 0;
        }
        assert_int_equal(found, 1);
    }
}

/* Every number's noise, over 4096 rounds: the mean of |Lap(b)| is b, its standard deviation too. So
 * the mean of n of them is below b (1 - 6/sqrt n) once in a billion; half the noise is far below,
 * for the trees too, which have 2 log T = 16.6 where 13 levels would do. */
static void the_noise_that_is_there_covers_it(void **state)
{
    const struct shape *shape = *state;
    enum { LONG = 4096 };
    static double at[LONG + 1][MOST_SLOTS];
    const size_t slots = MOST_SLOTS;
    const double zeros[MOST_SLOTS] = {0.0};
    double sizes = 0.0, numbers = 0.0;
    test_source_seed(&source, 6);
    lotor_policy *policy = make(shape->id, slots, LONG, 0.0, 1.0);
    for (uint64_t t = 1; t <= LONG; t++) {
        play(policy, zeros);
        for (size_t i = 0; i < slots; i++) {
            at[t][i] = lotor_board_at(policy->board, 0, i)->value;
            const double number = at[t][i] - at[begins(shape->tree, t)][i];
            sizes += fabs(number);
            numbers += number != 0.0; /* an arm without a reward has no noise */
        }
    }
    assert_true(numbers > (shape->all_slots || shape->tree ? 2.9 : 0.9) * (double)LONG);
    const double mean = sizes / numbers, off = 6.0 / sqrt(numbers);
    const double moved = (shape->all_slots ? 3.0 : 1.0) * (shape->tree ? 13.0 : 1.0);
    assert_true(mean >= moved / 0.5 * (1.0 - off));
    assert_true(fabs(mean / claimed_scale(policy) - 1.0) < off);
    lotor_policy_free(policy);
}

/* --- one report, exactly ---------------------------------------------------------------------- */

/* The discrete Laplace law of scale b: (1-q)/(1+q) q^|z|, q = exp(-1/b). */
static double mass(int64_t value, const void *law)
{
    const double b = *(const double *)law;
    return tanh(0.5 / b) * exp(-fabs((double)value) / b);
}

/* The largest log ratio of the probabilities of a report of two values in 0..4 under two inputs. */
static double exact_epsilon(double b)
{
    enum { STEPS = 4, REACH = 40 };
    double worst = 0.0;
    for (int pair = 0; pair < 625; pair++) {
        const int x[2] = {pair % 5, pair / 5 % 5}, y[2] = {pair / 25 % 5, pair / 125};
        for (int64_t z = -REACH; z <= REACH + STEPS; z++) {
            for (int64_t w = -REACH; w <= REACH + STEPS; w++) {
                const double p = mass(z - x[0], &b) * mass(w - x[1], &b);
                const double q = mass(z - y[0], &b) * mass(w - y[1], &b);
                worst = fmax(worst, log(p / q));
            }
        }
    }
    return worst;
}

/* Reports of two rewards of four units each, at epsilon = 1/2: b = 16. The draws have this law
 * (SAMPLES draws; an error of 10% is noticed). Under the law, the log ratio of any two inputs is at
 * most epsilon, and reaches it. So half the noise would leak twice as much. */
TEST(a_report_is_epsilon_private_exactly)
{
    const lotor_release_params params = {
        .dimension = 1,
        .epsilon = lotor_ratio_of(1, 2),
        .l1 = 8,
        .l2 = 6,
        .magnitude = 4,
    };
    static int64_t drawn[SAMPLES];
    lotor_statistic *statistic;
    lotor_board *board;
    test_source_seed(&source, 7);
    lotor_noise noise = lotor_noise_exact(&source.source);
    assert_int_equal(
        lotor_statistic_new(&lotor_statistic_reports, 2, &params, 1.0, NULL, &statistic), LOTOR_OK);
    assert_int_equal(lotor_board_new(1, 2, &board), LOTOR_OK);
    const uint32_t arms[] = {0, 1};
    const int64_t values[] = {4, 0};
    double before[2] = {0.0, 0.0};
    for (size_t i = 0; i < SAMPLES; i += 2) {
        assert_int_equal(
            lotor_statistic_feed_round(statistic, arms, values, 2, i + 1, &noise, board), LOTOR_OK);
        for (size_t arm = 0; arm < 2; arm++) {
            const double now = lotor_board_at(board, 0, arm)->value;
            drawn[i + arm] = (int64_t)(now - before[arm]) - values[arm];
            before[arm] = now;
        }
    }
    const double b = (double)lotor_statistic_scale(statistic), wide = 1.1 * b, narrow = 0.9 * b;
    assert_true(b == 16.0);
    assert_true(chi_square_test(drawn, SAMPLES, mass, &b) > P_ACCEPT);
    assert_true(chi_square_test(drawn, SAMPLES, mass, &wide) < P_ACCEPT);
    assert_true(chi_square_test(drawn, SAMPLES, mass, &narrow) < P_ACCEPT);
    assert_true(fabs(exact_epsilon(b) - 0.5) < 1e-9);
    assert_true(fabs(exact_epsilon(b / 2.0) - 1.0) < 1e-9);
    lotor_statistic_free(statistic);
    lotor_board_free(board);
}

/* --- contextual ------------------------------------------------------------------------------- */

enum { DIMENSION = 2, ENTRIES = 6, TURNS = 24, ACTIONS = 2 * TURNS };

static lotor_policy *make_linear(const char *id, uint64_t horizon)
{
    const lotor_policy_params params = {
        .algorithm = id,
        .arms = 1,
        .dimension = DIMENSION,
        .horizon = horizon,
        .epsilon = lotor_ratio_of(1, 1),
        .delta = lotor_ratio_of(1, 100000),
    };
    lotor_policy *policy;
    lotor_message why;
    assert_int_equal(lotor_policy_new_on(&params, &source.source, 1, &why, &policy), LOTOR_OK);
    return policy;
}

static void play_linear(lotor_policy *policy, const double *context, double reward)
{
    lotor_decision decision;
    assert_int_equal(lotor_policy_choose(policy, context, NULL, &decision), LOTOR_OK);
    const uint64_t event = decision.event;
    const lotor_feedback feedback = {.rewards = &reward, .count = 1};
    assert_int_equal(lotor_policy_observe(policy, event, &feedback, NULL), LOTOR_OK);
    assert_int_equal(lotor_policy_expire(policy, event, NULL), LOTOR_OK);
}

/* Actions around the unit circle, each with both extreme rewards: |(x,y)|^2 = 2. */
static double action(size_t number, double *context)
{
    const double angle = 6.283185307179586 * (double)(number / 2) / (double)TURNS;
    context[0] = cos(angle) * (1.0 - 1e-15);
    context[1] = sin(angle) * (1.0 - 1e-15);
    return number % 2 ? 1.0 : -1.0;
}

/* Squared distance of all nodes together: in variances of their noise (2 sigma^2 on the diagonal),
 * and of the matrices (Frobenius; off-diagonal entries count twice). */
static void linear_distance(double one[][ENTRIES], double other[][ENTRIES], uint64_t rounds,
                            double sigma, double *in_noise, double *in_matrix)
{
    *in_noise = *in_matrix = 0.0;
    for (uint64_t t = 1; t <= rounds; t++) {
        const uint64_t before = begins(true, t);
        for (size_t i = 0; i < ENTRIES; i++) {
            const bool diagonal = i == 0 || i == 2 || i == 5;
            const double moved = (one[t][i] - one[before][i]) - (other[t][i] - other[before][i]);
            *in_noise += moved * moved / (sigma * sigma * (diagonal ? 2.0 : 1.0));
            *in_matrix += moved * moved * (diagonal ? 1.0 : 2.0);
        }
    }
}

/* One replaced round moves at most floor(log2 8) + 1 = 4 nodes by sqrt(2) |z|^2 each, up to
 * rounding; zCDP allows a squared distance, in variances, of 2 rho. */
static void check_contexts(const char *id, double golden)
{
    enum { ROUNDS = 8 };
    static double at[ACTIONS][ROUNDS + 1][ENTRIES];
    double rho;
    assert_int_equal(lotor_account_zcdp_rho((lotor_budget){1.0, 1e-5}, NULL, &rho), LOTOR_OK);
    for (size_t a = 0; a < ACTIONS; a++) { /* round 1 is below a node of every level */
        test_source_seed(&source, 8);
        lotor_policy *policy = make_linear(id, ROUNDS);
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            double context[DIMENSION];
            const double reward = action(t == 1 ? a : 3 * t, context);
            play_linear(policy, context, reward);
            for (size_t i = 0; i < ENTRIES; i++) {
                at[a][t][i] = lotor_board_at(policy->board, 0, i)->value;
            }
        }
        lotor_policy_free(policy);
    }
    lotor_policy *policy = make_linear(id, ROUNDS);
    const double sigma = claimed_scale(policy);
    lotor_policy_free(policy);
    double most_noise = 0.0, most_matrix = 0.0;
    for (size_t a = 0; a < ACTIONS; a++) {
        for (size_t b = 0; b < a; b++) {
            double in_noise, in_matrix;
            linear_distance(at[a], at[b], ROUNDS, sigma, &in_noise, &in_matrix);
            most_noise = fmax(most_noise, in_noise);
            most_matrix = fmax(most_matrix, in_matrix);
        }
    }
    const double most = lotor_matrix_sensitivity(DIMENSION + 1, sqrt(2.0), 0x1p-20) * 0x1p-20;
    assert_true(most_matrix <= 4.0 * most * most);
    assert_true(most_matrix >= 4.0 * 8.0 * 0.99); /* two actions of the circle are almost as bad */
    assert_true(most_noise <= 2.0 * rho);
    assert_true(sigma >= golden && sigma < golden * (1.0 + 4e-6));
    if (strcmp(id, "jdp-linucb") == 0) { /* and the bound is reached */
        assert_true(most_noise >= 2.0 * rho * 0.99);
    }
}

/* By hand: the paper's 4 sqrt(4) * 2 * log(4e5), and sqrt(4) * 2 * A(1, 1e-5). */
TEST(noise_covers_what_a_context_moves)
{
    check_contexts("jdp-linucb-gauss", 206.387517);
    check_contexts("jdp-linucb", 16.1805214);
}

/* The noise on every node, over 2048 rounds of zeros: variances within six deviations of
 * sqrt(2/n). */
static void check_draws(const char *id, double sigma)
{
    enum { LONG = 2048 };
    static double at[LONG + 1][ENTRIES];
    const double nothing[DIMENSION] = {0.0, 0.0};
    test_source_seed(&source, 9);
    lotor_policy *policy = make_linear(id, LONG);
    double squares[ENTRIES] = {0.0};
    for (uint64_t t = 1; t <= LONG; t++) {
        play_linear(policy, nothing, 0.0);
        for (size_t i = 0; i < ENTRIES; i++) {
            at[t][i] = lotor_board_at(policy->board, 0, i)->value;
            const double noise = at[t][i] - at[begins(true, t)][i];
            squares[i] += noise * noise;
        }
    }
    assert_true(fabs(claimed_scale(policy) / sigma - 1.0) < 3e-6);
    for (size_t i = 0; i < ENTRIES; i++) {
        const double variance = sigma * sigma * (i == 0 || i == 2 || i == 5 ? 2.0 : 1.0);
        assert_true(fabs(squares[i] / (double)LONG / variance - 1.0) <
                    6.0 * sqrt(2.0 / (double)LONG));
    }
    lotor_policy_free(policy);
}

/* By hand: m = 12, the paper's 4 sqrt 12 * 2 * log(4e5), and sqrt 12 * 2 * A(1, 1e-5). */
TEST(the_noise_on_matrices_is_there)
{
    check_draws("jdp-linucb-gauss", 357.473665);
}

TEST(the_noise_on_repaired_matrices_is_there)
{
    check_draws("jdp-linucb", 28.0254852);
}

/* --- batches ---------------------------------------------------------------------------------- */

enum { RELEASED = ENTRIES - 1 };

/* n0 at epsilon = 1, d = 2 (test_matrix_batch.c, test_matrix_separate.c). */
static const struct {
    const char *id;
    uint64_t first;
} batched[] = {{"jdp-batch", 128}, {"jdp-bayes", 64}};

/* The deviations by hand: 1.5 A(1, 1e-5) off the diagonal, sqrt 2 times that on it and on x y. */
static double batch_deviation(size_t entry)
{
    return entry == 1 ? 6.06769554 : 8.58101732;
}

/* Any round of the batch is replaced by any other. The squared distance in variances is at most 2
 * rho, up to the rounding of the noise. Actions at 60 degrees reach it. */
static void check_moves(const char *id, uint64_t first)
{
    static double at[ACTIONS][RELEASED];
    double rho;
    assert_int_equal(lotor_account_zcdp_rho((lotor_budget){1.0, 1e-5}, NULL, &rho), LOTOR_OK);
    for (uint64_t changed = 1; changed <= first; changed += first - 1) { /* first and last */
        for (size_t a = 0; a < ACTIONS; a++) {
            test_source_seed(&source, 10);
            lotor_policy *policy = make_linear(id, first);
            for (uint64_t t = 1; t <= first; t++) {
                double context[DIMENSION];
                const double reward = action(t == changed ? a : 3 * t % ACTIONS, context);
                assert_int_equal(lotor_board_posts(policy->board), 0);
                play_linear(policy, context, reward);
            }
            assert_int_equal(lotor_board_posts(policy->board), RELEASED);
            for (size_t i = 0; i < RELEASED; i++) {
                at[a][i] = lotor_board_at(policy->board, 0, i)->value;
            }
            lotor_policy_free(policy);
        }
        double most = 0.0;
        for (size_t a = 0; a < ACTIONS; a++) {
            for (size_t b = 0; b < a; b++) {
                double square = 0.0;
                for (size_t i = 0; i < RELEASED; i++) {
                    const double moved = (at[a][i] - at[b][i]) / batch_deviation(i);
                    square += moved * moved;
                }
                most = fmax(most, square);
            }
        }
        assert_true(most <= 2.0 * rho * (1.0 + 1e-6) && most >= 2.0 * rho * 0.999);
    }
}

TEST(noise_covers_what_a_batch_moves)
{
    for (size_t i = 0; i < sizeof batched / sizeof *batched; i++) {
        check_moves(batched[i].id, batched[i].first);
    }
}

/* 2,000 releases of zeros: variances within six deviations of sqrt(2/n). */
static void check_noise(const char *id, uint64_t first)
{
    enum { REPEATS = 2000 };
    const double nothing[DIMENSION] = {0.0, 0.0};
    double squares[RELEASED] = {0.0};
    test_source_seed(&source, 11);
    for (size_t repeat = 0; repeat < REPEATS; repeat++) {
        lotor_policy *policy = make_linear(id, first);
        for (uint64_t t = 1; t <= first; t++) {
            play_linear(policy, nothing, 0.0);
        }
        for (size_t i = 0; i < RELEASED; i++) {
            const double noise = lotor_board_at(policy->board, 0, i)->value;
            squares[i] += noise * noise;
        }
        lotor_policy_free(policy);
    }
    for (size_t i = 0; i < RELEASED; i++) {
        const double variance = batch_deviation(i) * batch_deviation(i);
        assert_true(fabs(squares[i] / (double)REPEATS / variance - 1.0) <
                    6.0 * sqrt(2.0 / (double)REPEATS));
    }
}

TEST(the_noise_on_batches_is_there)
{
    for (size_t i = 0; i < sizeof batched / sizeof *batched; i++) {
        check_noise(batched[i].id, batched[i].first);
    }
}

OF(cucb_ldp1, 0);
OF(cucb_ldp2, 1);
OF(cucb_dp, 2);
OF(cucb_dp2, 3);
