/* test_paper_bounds_proofs.c - the constants of the papers' bounds, checked against what the
 * algorithms do; and simulated regret below the upper bounds. The checks are explained in
 * src/papers/paper_bounds.md. */
#include "support/test.h"

#include <lotor/stopping.h>

#include "base/random/laws.h"
#include "learn/linear.h"
#include "privacy/release/matrix.h"
#include "support/paper_bounds_rig.h"

/* --- Sajed 2019 ------------------------------------------------------------------------------ */

/* How often Algorithm 9 shows an arm at most, if every epoch has all K arms and the arm is dropped
 * in the first epoch e with 2^-e <= gap. */
static double displays_of(double K, double beta, double epsilon, double gap)
{
    double sum = 0.0;
    for (double e = 1.0;; e++) {
        const double step = exp2(-e), squared = e * e;
        sum += ceil(fmax(32.0 * log(8.0 * K * squared / beta) / (step * step),
                         8.0 * log(4.0 * K * squared / beta) / (epsilon * step)) +
                    1.0);
        if (step <= gap) {
            return sum;
        }
    }
}

/* Lemma 5.1.2 with the constants of its proof covers the algorithm, its rounding included: for
 * every number of arms from 2, beta up to 1/2 and every gap. */
TEST(elimination_shows_no_arm_more_often)
{
    for (double K = 2; K <= 4096; K *= 8) {
        for (double beta = 0.5; beta > 1e-9; beta /= 7) {
            for (double epsilon = 1e-4; epsilon < 1e5; epsilon *= 10) {
                for (double gap = 1.0; gap > 1e-4; gap *= 0.83) {
                    const double most = log(K * log(2.0 / gap) / beta) *
                                        (1024.0 / (gap * gap) + 96.0 / (epsilon * gap));
                    assert_true(displays_of(K, beta, epsilon, gap) <= most);
                }
            }
        }
    }
    /* With beta = 1 the conversion of logarithms fails. */
    const double most = log(2.0 * log(2.0)) * (1024.0 + 96.0 / 1e5);
    assert_true(displays_of(2, 1, 1e5, 1) > most);
}

/* The sum that Algorithm 8 needs at a time t = 2^k to stop, if no noise is louder than expected: the mean
 * minus this is not negative. mu = 1, so R = y alpha. */
static bool must_have_stopped(double t, double y, double alpha, double beta, double epsilon)
{
    const double R = y * alpha, k = log2(t);
    const double h = R * sqrt(2.0 / t * log(16.0 * k * k / beta));
    return 1.0 >= h * (2.0 + 1.0 / alpha) +
                      (24.0 * R * log(4.0 / beta) + 24.0 * R * log(8.0 * k * k / beta) +
                       4.0 * R / alpha * log(4.0 / beta)) /
                          (epsilon * t);
}

/* Theorem 4.1.3: at half of t_U and at every later power of two up to 2^12 t_U. R >= |mu| = 1. */
TEST(the_stopping_rule_stops_in_time)
{
    for (double alpha = 0.01; alpha < 1.0; alpha *= 1.9) {
        for (double y = exp(1.0); y < 1e9; y *= 3.0) {
            if (y * alpha < 1.0) {
                continue;
            }
            for (double beta = 0.08; beta > 1e-12; beta /= 9.0) {
                for (double epsilon = 1e-6; epsilon < 1e3; epsilon *= 10.0) {
                    const double l = log(log(y) / beta), R = y * alpha;
                    const double sum = y * y * l + R * l / epsilon + y * log(1.0 / beta) / epsilon;
                    for (double t = 1000.0 * sum; t < 5e6 * sum; t *= 2.0) {
                        assert_true(must_have_stopped(t, y, alpha, beta, epsilon));
                    }
                }
            }
        }
    }
    /* With a hundredth of the constant the rule may go on. */
    const double y = 20, l = log(log(y) / 0.05);
    const double sum = y * y * l + 10 * l + y * log(20);
    assert_false(must_have_stopped(10 * sum, y, 0.5, 0.05, 1));
}

/* Theorem 4.2.1 and its lemma: inputs of n samples from two laws at total variation distance v are
 * told apart by at most ((1 + v (e^eps - 1)) / (1 - v (1 - e^-eps)))^n. The lemma has e^(6 eps n
 * v), which is enough while e^eps - 1 <= 3 eps. */
TEST(samples_of_two_laws_are_hard_to_tell_apart)
{
    for (double epsilon = 0.001; expm1(epsilon) <= 3.0 * epsilon; epsilon += 0.013) {
        for (double v = 0.001; v < 1.0; v += 0.007) {
            assert_true(log1p(v * expm1(epsilon)) - log1p(v * expm1(-epsilon)) <=
                        6.0 * epsilon * v);
        }
    }
    const double epsilon = 10, v = 0.1; /* one sample: 0.1 e^10 against 1 is above e^6 */
    assert_true(log(v) + epsilon > 6.0 * epsilon * v);
}

/* --- Wang et al. 2022 ------------------------------------------------------------------------ */

/* P(|X_1 + ... + X_s| > sqrt(24 s log t)) for Laplace(1), by Chernoff's bound on a fine grid. */
static double loud_noise(double s, double t)
{
    const double a = sqrt(24.0 * s * log(t));
    double least = 0.0;
    for (double h = 0.0005; h < 1.0; h += 0.0005) {
        least = fmin(least, -s * log1p(-h * h) - h * a);
    }
    return fmin(1.0, 2.0 * exp(least));
}

/* q(t) of Theorem 4 is at least the sum over all rounds, and no more than twice that. It is small
 * at the paper's horizon, and not for ever. */
TEST(few_observations_cost_little)
{
    lotor_world *world = coins(2, (double[]){0.5, 0.25});
    lotor_experiment trial = experiment_of(world, "cascade-ldp-laplace", 1000, 1);
    lotor_paper_bounds bounds = bounds_of(&trial);
    const lotor_paper_bound *row = upper_of(&bounds);
    const double main_part = row->numbers[0], rest = row->numbers[1];
    double sum = 0.0;
    for (double t = 2; t <= 300; t++) {
        for (double s = 1; s <= 3.0 * log(t); s++) {
            sum += loud_noise(s, t);
        }
        const double q = (lotor_paper_bound_value(row, t) - main_part * log(t) - rest) / 2.0;
        assert_true(q >= sum * 0.9999 && q <= 2.0 * sum);
    }
    const double at_paper = lotor_paper_bound_value(row, 1e5) - main_part * log(1e5) - rest;
    assert_true(at_paper / 2.0 > 3.1 && at_paper / 2.0 < 3.2);
    lotor_paper_bounds_clear(&bounds);
    lotor_world_free(world);
}

/* Why q(t) cannot be left out. One slot, two items, epsilon 1, gap 1/4. If the first noise of the
 * best item is below -(2 + sqrt(3 log T) + sqrt(48 log T)), its index stays below 0 for all T
 * rounds: with probability e^-(...)/2. Half of that times T/4 passes the bound without q at T =
 * e^120, but not at e^90. (The other half is for the other item's index, which is not negative
 * then.) */
TEST(the_laplace_bound_fails_at_last_without_few_observations)
{
    const double width = (sqrt(1.5) + sqrt(24)) * (sqrt(1.5) + sqrt(24));
    for (double log_t = 90; log_t <= 120; log_t += 30) {
        const double log_chance = -(2 + sqrt(3 * log_t) + sqrt(48 * log_t)) - log(4);
        const double log_regret = log_t + log_chance + log(0.25);
        const double bound = 8 * width / 0.25 * log_t + 2 * 9.8696044 * 2 / 3;
        assert_int_equal(log_regret > log(bound), log_t == 120);
    }
}

/* Theorem 6: 4 sqrt(log(2 t^3)) <= 8 sqrt(log t), so that twice both widths is at most (2 sqrt 1.5
 * + (8/eps) sqrt(K l)) sqrt(log t / s). At t = 1 it is false; 2 pi^2 L/3 covers that round. */
TEST(the_gaussian_width_is_covered_from_round_two)
{
    for (double t = 1; t < 1e9; t = ceil(t * 1.5)) {
        const bool covered = log(2.0 * t * t * t) <= 4.0 * log(t) * (1.0 + 1e-15);
        assert_int_equal(covered, t >= 2);
    }
}

/* Theorem 10 with 192 covers the algorithm as printed, whose width has log t^2 where the proof
 * needs log t^3: its noise passes the width in round t with probability at most 2/t for an arm.
 * That costs 2 (1 + log T), and the other 64 of 192 are more. And twice Lambda covers the two
 * widths. */
TEST(the_gaussian_sets_are_covered)
{
    for (double K = 1; K <= 1024; K *= 2) {
        for (double l = 0.375; l < 40; l *= 1.3) { /* log(1.25/delta) */
            for (double epsilon = 0.01; epsilon < 1e3; epsilon *= 1.7) {
                const double least = fmin(epsilon * epsilon, 2.0);
                const double lambda = 2.0 * sqrt(8.0 * K * l / least);
                assert_true(lambda * (1.0 + 1e-12) >=
                            2.0 / epsilon * sqrt(2.0 * K * l) + sqrt(1.5));
                for (double t = 2; t < 1e12; t *= 10) {
                    assert_true(64.0 * K * l * log(t) / least >= 2.0 * (1.0 + log(t)));
                }
            }
        }
    }
}

/* --- Shariff and Sheffet 2018 ---------------------------------------------------------------- */

/* The bounds on the noise that the theorems are computed with are those of the learner. */
TEST(the_linear_bounds_are_those_of_the_learner)
{
    static const struct {
        const char *id;
        const lotor_linear_rule *rule;
        lotor_matrix_kind kind;
    } cases[] = {
        {"jdp-linucb-gauss", &lotor_rule_jdp_gaussian, LOTOR_MATRIX_GAUSSIAN},
        {"jdp-linucb-wishart", &lotor_rule_jdp_wishart, LOTOR_MATRIX_WISHART},
        {"jdp-linucb-wishart-shifted", &lotor_rule_jdp_wishart_shifted, LOTOR_MATRIX_WISHART},
    };
    const double n = 5e6, alpha = 1e-7, d = 5;
    const lotor_linear_world world = {.dimension = 5, .actions = 25};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lotor_experiment trial = linear_experiment(&world, cases[i].id, (uint64_t)n, 1);
        trial.policy.delta = lotor_ratio_of(1, 10);
        trial.policy.beta = alpha;
        const lotor_matrix_params params = {
            .kind = cases[i].kind,
            .size = 6,
            .horizon = (uint64_t)n,
            .bound = sqrt(2.0),
            .epsilon = trial.policy.epsilon,
            .delta = trial.policy.delta,
        };
        lotor_matrix *matrix;
        assert_int_equal(lotor_matrix_new(&params, NULL, &matrix), LOTOR_OK);
        const lotor_matrix_noise noise = lotor_matrix_noise_of(matrix);
        const lotor_linear_params learner = {
            .dimension = 5,
            .actions = 25,
            .horizon = n,
            .alpha = alpha,
            .reward_noise = 1,
            .theta_length = 1,
            .bound = sqrt(2.0),
            .regularizer = 1,
            .levels = noise.levels,
            .gaussian = noise.sigma,
            .degrees = noise.degrees,
        };
        const lotor_linear_bounds rho = cases[i].rule->bounds(&learner);
        const double x = n / (d * rho.rho_min);
        const double bracket = 2 * log(2 / alpha) + d * log(rho.rho_max / rho.rho_min + x) +
                               (sqrt(rho.rho_max) + rho.gamma) * sqrt(d * log1p(x));
        const double expected = sqrt(8 * n) * bracket + alpha * 2 * n;
        lotor_paper_bounds bounds = bounds_of(&trial);
        const double value = lotor_paper_bound_value(&bounds.rows[0], n);
        /* Lotor rounds sigma up to whole units of 2^-20. */
        assert_true(fabs(value - expected) <= 1e-6 * expected);
        lotor_paper_bounds_clear(&bounds);
        lotor_matrix_free(matrix);
    }
}

/* --- measured -------------------------------------------------------------------------------- */

/* Plays an experiment whose upper bound says something, and compares every checkpoint. */
static void expect_below(lotor_experiment *trial)
{
    lotor_paper_bounds bounds = bounds_of(trial);
    const lotor_paper_bound *upper = upper_of(&bounds);
    const double T = (double)trial->policy.horizon;
    assert_int_equal(upper->state, LOTOR_PAPER_BOUND_HOLDS);
    assert_false(bounds.rows[bounds.count - 1].is_vacuous);
    lotor_experiment_result result = simulate(trial);
    for (size_t i = 0; i < result.checkpoint_count; i++) {
        const double t = (double)result.checkpoints[i].t;
        for (size_t k = 0; k < bounds.count; k++) {
            const lotor_paper_bound *row = &bounds.rows[k];
            if (row->kind == LOTOR_PAPER_BOUND_UPPER && t >= (double)row->first) {
                assert_true(result.checkpoints[i].mean <= lotor_paper_bound_value(row, t));
            }
        }
    }
    assert_true(result.regret_mean < T * bounds.largest_loss / 2);
    lotor_experiment_result_free(&result);
    lotor_paper_bounds_clear(&bounds);
}

TEST(measured_regret_is_below_the_upper_bound)
{
    lotor_world *world = coins(3, (double[]){0.9, 0.4, 0.3});
    lotor_experiment trial = experiment_of(world, "dp-se", 1000000, 5);
    expect_below(&trial);
    lotor_world_free(world);

    world = coins(4, (double[]){0.8, 0.8, 0.2, 0.2});
    static const char *const lists[] = {"cascade-ldp-laplace", "cascade-ldp-gauss"};
    for (size_t i = 0; i < 2; i++) {
        trial = experiment_of(world, lists[i], 20000, 3);
        trial.policy.slots = 2;
        trial.noise_scale = 0.01;
        expect_below(&trial);
    }
    lotor_world_free(world);

    const lotor_linear_world gap = {.dimension = 2, .actions = 4, .has_gap = true, .gap = 0.5};
    trial = linear_experiment(&gap, "linucb", 100000, 1);
    trial.policy.epsilon = (lotor_ratio){0};
    expect_below(&trial);
}

/* Samples of -1 and 1 with mean 0.5: t_U is far above what the rule needs, and the lower bound far
 * below. 10 runs: the theorem allows that one in 1/beta = 20 stops later, but none does. */
TEST(measured_stopping_times_lie_between_the_bounds)
{
    const lotor_stopping_params params = {"dp-exp-nas", 0.5, 0.05, lotor_ratio_of(1, 1), 1.0};
    lotor_paper_bounds bounds;
    assert_int_equal(lotor_paper_bounds_of_stopping(&params, 0.5, NULL, &bounds), LOTOR_OK);
    const double lower = lotor_paper_bound_value(&bounds.rows[0], 1);
    const double upper = lotor_paper_bound_value(&bounds.rows[1], 1);
    lotor_generator generator;
    lotor_generator_seed(&generator, 5);
    for (int run = 0; run < 10; run++) {
        lotor_stopping *rule;
        assert_int_equal(lotor_stopping_new(&params, NULL, &rule), LOTOR_OK);
        bool stopped = false;
        while (!stopped) {
            const double sample = lotor_random_uniform(&generator) < 0.75 ? 1.0 : -1.0;
            assert_int_equal(lotor_stopping_add(rule, sample, NULL, &stopped), LOTOR_OK);
            assert_true((double)lotor_stopping_sample_count(rule) <= upper);
        }
        assert_true((double)lotor_stopping_sample_count(rule) > lower);
        lotor_stopping_free(rule);
    }
    lotor_paper_bounds_clear(&bounds);
}
