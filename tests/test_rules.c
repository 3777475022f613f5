/* test_rules.c - every index rule is the formula of its paper.
 *
 * Golden indices were computed by hand (to ten digits) from the formulas of the papers, for three
 * settings. A learner also needs widths that never fall in t; that is checked over a grid.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "learn/index.h"
#include "policy/catalog.h"

typedef struct setting {
    lotor_rule_params params;
    double t, n, mean;
} setting;

/* The third setting is from a lab: its noise was scaled by 0.01, so that epsilon 2 is nominally
 * 0.02. */
static const setting settings[] = {
    {{.arms = 20,
      .slots = 4,
      .horizon = 1e5,
      .epsilon = 0.5,
      .delta = 1e-3,
      .beta = 1e-5,
      .nominal_epsilon = 0.5,
      .log_horizon = 11.512925464970229,
      .spread = 3},
     1,
     1,
     0.0},
    {{.arms = 20,
      .slots = 4,
      .horizon = 1e5,
      .epsilon = 0.5,
      .delta = 1e-3,
      .beta = 1e-5,
      .nominal_epsilon = 0.5,
      .log_horizon = 11.512925464970229,
      .spread = 3},
     1000,
     16,
     0.25},
    {{.arms = 5,
      .slots = 2,
      .horizon = 1e6,
      .epsilon = 2,
      .delta = 1e-5,
      .beta = 1e-2,
      .nominal_epsilon = 0.02,
      .log_horizon = 13.815510557964274,
      .spread = 1.5},
     50000,
     900,
     0.625},
};
enum { SETTINGS = 3 };

static const struct {
    const lotor_index_rule *rule;
    double index[SETTINGS];
} golden[] = {
    {&lotor_rule_ucb, {0, 1.179230547, 0.7800611226}},
    {&lotor_rule_dp_ucb, {7545.940685, 472.8005233, 3.182447712}},
    {&lotor_rule_dpucb_mat, {35.31039865, 13.9381247, 0.8592754183}},
    {&lotor_rule_adap_ucb, {0, 3.744794774, 0.780140702}},
    {&lotor_rule_dpts_mat, {33.27106467, 12.69107446, 0.6633764182}},
    {&lotor_rule_lazy_dp_ts, {0, 2.84040823, 0.6430329638}},
    {&lotor_rule_cts, {0, 0.25, 0.625}},
    {&lotor_rule_cts_beta, {0, 0.25, 0.625}},
    {&lotor_rule_cucb, {0, 1.05473726, 0.7592868713}},
    {&lotor_rule_cucb_ldp1, {76.7764146, 19.44410365, 1.120589625}},
    {&lotor_rule_cucb_ldp2, {38.3882073, 9.847051824, 0.9754347847}},
    {&lotor_rule_cucb_dp, {146504.4767, 9158.208177, 36.0460768}},
    {&lotor_rule_cucb_dp2, {36631.83271, 2291.167928, 18.46645376}},
    {&lotor_rule_cucb_ldp_gauss, {0, 20.90588414, 1.510527814}},
    {&lotor_rule_cascade_dp, {0, 2024.897399, 5.38935652}},
    {&lotor_rule_cascade_ldp_laplace, {0, 26.80632958, 1.296434357}},
    {&lotor_rule_cascade_ldp_gauss, {17.78585941, 25.77058437, 1.689137298}},
    {&lotor_rule_cascade_ldp_composed, {0, 65.27917719, 2.853784743}},
    /* n = 1, 16 and 900 have 1, 1 and 4 digits set; lists: 0.8 n observations */
    {&lotor_rule_dp_ucb_tight, {1035.44363414, 65.8944576809, 1.11690187119}},
    {&lotor_rule_cucb_ldp_box, {0, 2.66421177958, 0.826430306971}},
    {&lotor_rule_cascade_dp_lazy, {0, 20.2328853136, 1.00400427693}},
    {&lotor_rule_cascade_ldp_rr, {0, 3.33026472447, 1.03303788371}},
};
enum { RULES = sizeof golden / sizeof *golden };

/* A board with two statistics of one arm. */
static lotor_board *board_of(double first, double second, uint64_t count)
{
    lotor_board *board;
    assert_int_equal(lotor_board_new(2, 1, &board), LOTOR_OK);
    assert_int_equal(lotor_board_post(board, 0, 0, (lotor_fact){first, count, 1}), LOTOR_OK);
    assert_int_equal(lotor_board_post(board, 1, 0, (lotor_fact){second, count, 1}), LOTOR_OK);
    return board;
}

static double index_at(const lotor_index_rule *rule, const setting *at)
{
    const lotor_widths widths = rule->widths(&at->params, at->t);
    if (rule->weigh) {
        lotor_board *board = board_of(at->mean * at->n, 0.8 * at->n, (uint64_t)at->n);
        const double index = rule->weigh(widths, board, 0);
        lotor_board_free(board);
        return index;
    }
    const unsigned digits = (unsigned)__builtin_popcountll((uint64_t)at->n);
    const double lift = rule->lift ? rule->lift(&at->params, digits) : 0.0;
    return at->mean + widths.root / sqrt(at->n) + (widths.linear + lift) / at->n;
}

TEST(indices_are_the_papers)
{
    for (size_t r = 0; r < RULES; r++) {
        for (size_t s = 0; s < SETTINGS; s++) {
            const setting *at = &settings[s];
            const double index = index_at(golden[r].rule, at);
            assert_true(fabs(index - golden[r].index[s]) <= 1e-9 * (1.0 + golden[r].index[s]));
        }
    }
}

/* The table above contains every index rule. */
TEST(every_rule_is_in_the_table)
{
    for (size_t i = 0; lotor_index_rules[i]; i++) {
        const lotor_index_rule *rule = lotor_index_rules[i];
        size_t found =
            lotor_index_rule_is_bound(rule); /* bounds: test_bounds_kl.c, test_rivals.c */
        for (size_t r = 0; r < RULES; r++) {
            found += golden[r].rule == rule;
        }
        assert_int_equal(found, 1);
    }
}

/* The catalog uses every rule. */
TEST(every_rule_is_in_the_catalog)
{
    const size_t rows = lotor_algorithms_size;
    for (size_t i = 0, a; lotor_index_rules[i]; i++) {
        for (a = 0; a < rows && lotor_algorithms[a].index != lotor_index_rules[i]; a++) {
        }
        assert_true(a < rows);
    }
    for (size_t i = 0, a; lotor_elimination_rules[i]; i++) {
        for (a = 0; a < rows && lotor_algorithms[a].elimination != lotor_elimination_rules[i];
             a++) {
        }
        assert_true(a < rows);
    }
    for (size_t i = 0, a; lotor_linear_rules[i]; i++) {
        for (a = 0; a < rows && lotor_algorithms[a].linear != lotor_linear_rules[i]; a++) {
        }
        assert_true(a < rows);
    }
}

/* Beta changes the indices of exactly those rules that declare it. */
TEST(beta_is_used_where_it_is_said)
{
    for (size_t r = 0; r < RULES; r++) {
        setting at = settings[0];
        const double before = index_at(golden[r].rule, &at);
        at.params.beta /= 2.0;
        assert_int_equal(index_at(golden[r].rule, &at) != before, golden[r].rule->uses_beta);
    }
}

/* The windows and holds of the index learner need this. Widths are finite, so that no index is
 * NaN. */
TEST(widths_never_fall)
{
    static const double epsilons[] = {1e-6, 0.1, 1.0, 1e5, INFINITY};
    static const double horizons[] = {2, 3, 100, 1e9};
    for (size_t r = 0; r < RULES; r++) {
        for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
            for (size_t h = 0; h < sizeof horizons / sizeof *horizons; h++) {
                lotor_rule_params params = settings[0].params;
                params.epsilon = params.nominal_epsilon = epsilons[e];
                params.horizon = horizons[h];
                params.log_horizon = log(horizons[h]);
                lotor_widths last = {0.0, 0.0};
                for (double t = 1; t < 1e12; t = t < 100 ? t + 1 : floor(t * 1.01)) {
                    const lotor_widths now = golden[r].rule->widths(&params, t);
                    assert_true(now.root >= last.root && now.linear >= last.linear);
                    assert_true(isfinite(now.root) && isfinite(now.linear));
                    last = now;
                }
            }
        }
    }
}

/* At epsilon = infinity only the sampling part is left: Chen et al. 2020 have none in their local
 * rules, and sqrt(4 log(mT)) in the central ones. */
TEST(without_noise_only_sampling_is_left)
{
    lotor_rule_params params = settings[1].params;
    params.epsilon = params.nominal_epsilon = INFINITY;
    const double sampling = sqrt(1.5 * log(1000.0)), central = sqrt(4.0 * log(20.0 * 1e5));
    const struct {
        const lotor_index_rule *rule;
        double root;
    } left[] = {
        {&lotor_rule_cucb_ldp1, 0.0},
        {&lotor_rule_cucb_ldp2, 0.0},
        {&lotor_rule_cucb_dp, central},
        {&lotor_rule_cucb_dp2, central},
        {&lotor_rule_cucb_ldp_gauss, sampling},
        {&lotor_rule_cascade_dp, sampling},
        {&lotor_rule_cascade_ldp_laplace, sampling},
        {&lotor_rule_cascade_ldp_gauss, sampling},
        {&lotor_rule_cascade_ldp_composed, sampling},
        {&lotor_rule_cascade_dp_lazy, sampling},
    };
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        const lotor_widths widths = left[i].rule->widths(&params, 1000.0);
        assert_true(fabs(widths.root - left[i].root) < 1e-12 && widths.linear == 0.0);
    }
}

/* Gamma by the number of nodes of the sum, to twelve digits from a search in Python. It never
 * falls, as windows need, and is 0 without noise. */
TEST(lifts_are_the_least_bounds)
{
    static const unsigned digits[] = {1, 2, 5, 17};
    static const double gammas[] = {1035.44363414, 1121.84627128, 1319.80418083, 1846.82609439};
    lotor_rule_params params = settings[0].params;
    for (size_t i = 0; i < 4; i++) {
        const double lift = lotor_rule_dp_ucb_tight.lift(&params, digits[i]);
        assert_true(fabs(lift / gammas[i] - 1.0) < 1e-10);
    }
    for (double horizon = 2; horizon < 1e12; horizon *= 7) {
        params.horizon = horizon;
        for (unsigned j = 1; j < 64; j++) {
            assert_true(lotor_rule_dp_ucb_tight.lift(&params, j) <=
                        lotor_rule_dp_ucb_tight.lift(&params, j + 1));
        }
    }
    params.epsilon = INFINITY;
    assert_true(lotor_rule_dp_ucb_tight.lift(&params, 9) == 0.0);
}

/* At the round of 2 levels, 4 rounds are 3 levels: a power of two counts its own. */
TEST(lifts_count_the_levels_of_the_tree)
{
    lotor_rule_params params = settings[0].params;
    params.horizon = 3; /* q = log(2 * 20 * 3 / beta): the same at horizon 4 with a larger beta */
    params.beta = 0.3;
    const double two = lotor_rule_dp_ucb_tight.lift(&params, 1);
    params.horizon = 4;
    params.beta = 0.4;
    assert_true(fabs(lotor_rule_dp_ucb_tight.lift(&params, 1) / two - 1.5) < 1e-12);
}

/* An item without observations (or with a negative number, by noise), or never shown, comes first.
 * With one slot a click changes one number, with two it changes three. */
TEST(lists_without_observations_come_first)
{
    static const lotor_index_rule *const rules[] = {&lotor_rule_cascade_dp_lazy,
                                                    &lotor_rule_cascade_ldp_rr};
    for (size_t r = 0; r < 2; r++) {
        for (int o = -1; o <= 1; o++) {
            lotor_board *board = board_of(5.0, o, 7);
            const lotor_widths widths = rules[r]->widths(&settings[1].params, 10);
            assert_true(isinf(rules[r]->weigh(widths, board, 0)) == (o <= 0));
            lotor_board_free(board);
        }
        lotor_board *empty;
        assert_int_equal(lotor_board_new(2, 1, &empty), LOTOR_OK);
        assert_true(rules[r]->weigh((lotor_widths){1.0, 1.0}, empty, 0) == INFINITY);
        lotor_board_free(empty);
    }
    lotor_rule_params params = settings[0].params;
    static const double moved[] = {1, 3, 4};
    for (size_t slots = 1; slots <= 3; slots++) {
        params.slots = (double)slots;
        const double x = lotor_rule_cascade_dp_lazy.widths(&params, exp(1.0)).linear;
        assert_true(fabs(x - 3.0 * moved[slots - 1] / 0.5) < 1e-12);
    }
}

/* --- the numbers of rules.md ------------------------------------------------------------------ */

/* P(sum of j draws of continuous Laplace noise of scale 1 > y), in closed form. */
static double tail_of(unsigned j, double y)
{
    static const double last[][3] = {{0.5, 0.0, 0.0}, {0.5, 0.25, 0.0}, {0.5, 0.3125, 0.0625}};
    const double *c = last[j - 1];
    return (c[0] + y * (c[1] + y * c[2])) * exp(-y);
}

/* dp-ucb-tight: one sum of j draws passes G with probability at most beta/(2KT), so K arms and T
 * numbers of rewards fail with at most beta/2 on one side. With 0.6 G they would not. q - j log(1 -
 * h^2), which is h G/b, is at most 2q. */
TEST(lifts_cover_the_noise_of_all_rounds)
{
    lotor_rule_params params = settings[0].params;
    params.epsilon = 1.0;
    for (double horizon = 10; horizon < 1e7; horizon *= 10) {
        params.horizon = horizon;
        params.beta = 1.0 / horizon;
        const double share = params.beta / (2.0 * params.arms * horizon), q = -log(share);
        const double b = floor(log2(horizon)) + 1.0;
        for (unsigned j = 1; j <= 3; j++) {
            const double y = lotor_rule_dp_ucb_tight.lift(&params, j) / b;
            assert_true(tail_of(j, y) <= share);
            assert_true(tail_of(j, 0.6 * y) > share);
        }
        for (unsigned j = 1; j <= 40; j++) {
            const double y = lotor_rule_dp_ucb_tight.lift(&params, j) / b;
            const double half = j / y, h = sqrt(1.0 + half * half) - half; /* y = 2j h/(1 - h^2) */
            assert_true(fabs((q - j * log1p(-h * h)) / h / y - 1.0) < 1e-9);
            assert_true(y * h <= 2.0 * q);
        }
    }
}

/* dp-ucb-tight: in round t the rewards' part fails with probability t^-4 for one n, below t^-3 for
 * all n, and 0.202 times in all rounds. dp-se-acc: beta/(4k^2) over all batches is below 0.42
 * beta. */
TEST(failures_of_rewards_add_up)
{
    double rounds = 0.0, batches = 0.0;
    for (double t = 2; t < 1e6; t++) {
        const double root = lotor_rule_dp_ucb_tight.widths(&settings[0].params, t).root;
        if (t < 1000) {
            assert_true(fabs(exp(-2.0 * root * root) * pow(t, 4) - 1.0) < 1e-9); /* Hoeffding */
        }
        rounds += pow(t, -3);
    }
    for (double k = 1; k < 1e6; k++) {
        const lotor_rule_params params = {.arms = 5, .epsilon = 1.0, .beta = 0.01};
        if (k < 30) { /* fewer viable arms: a smaller cut, so two of them are the worst case */
            const lotor_elimination_point two = {2, k, 1}, more = {3, k, 1};
            assert_true(lotor_rule_dp_se_acc.plan(&params, &two).cut <
                        lotor_rule_dp_se_acc.plan(&params, &more).cut);
        }
        batches += 1.0 / (4.0 * k * k);
    }
    assert_true(rounds > 0.2015 && rounds < 0.2025);
    assert_true(batches > 0.41 && batches < 0.42);
}

/* cascade-dp-lazy: P(max(Z2, 0) - Z1 > x) is at most (2 + 3 log t) t^-3 for every scale b
 * in units, and about a quarter of that for large b. One noise alone passes x with at most t^-3,
 * but the two together pass it more often. */
TEST(ratios_cover_both_noises)
{
    static const double scales[] = {0.5, 1.0, 3.0, 20.0, 300.0};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        for (double t = 2; t < 2000; t = ceil(1.5 * t)) {
            const double b = scales[i], x = 3.0 * b * log(t), q = exp(-1.0 / b);
            const double beyond = pow(q, floor(x) + 1.0) / (1.0 + q); /* P(-Z1 > x) */
            double both = beyond / (1.0 + q);                         /* and Z2 <= 0 */
            for (double k = 1; k <= x; k++) {
                const double least = floor(x - k) + 1.0; /* of -Z1 */
                both += (1.0 - q) / (1.0 + q) * pow(q, k + least) / (1.0 + q);
            }
            both += beyond; /* k > x: whatever Z1 is */
            const double bound = (2.0 + 3.0 * log(t)) * pow(t, -3);
            assert_true(beyond <= pow(t, -3) && both <= bound);
            assert_true(b < 300.0 || both > 0.2 * bound);
            assert_true(b < 300.0 || t < 10 || both > pow(t, -3)); /* more than one noise alone */
        }
    }
}
