/* test_skips.c - simulations that skip over releases of a tree, compared with single rounds.
 *
 * Both play the same problem many times, with different random numbers. Each run is summed up by a few
 * numbers about the shown arms and about the trees at its end. Each of these numbers must have the same
 * law with and without skips. A false alarm would come once in a million comparisons (P_ACCEPT), if
 * the seeds were not fixed. Skips that are wrong on purpose must be noticed.
 */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random/laws.h"
#include "policy/policy.h"
#include "privacy/release/dips.h"
#include "privacy/release/statistic_kind.h"
#include "privacy/release/tree.h"
#include "support/statistics.h"
#include "support/test_source.h"

enum { ARMS = 3, RUNS = 2000, UNIT = 1 << 20 };

static const double MEANS[ARMS] = {0.9, 0.5, 0.3};

typedef struct setting {
    const char *algorithm;
    uint64_t horizon;
    lotor_ratio epsilon;
} setting;

/* The numbers that sum up a run. */
enum {
    REGRET,
    EARLY_REGRET,  /* in the first quarter */
    SWITCHES,      /* how often another arm was shown than before */
    LATEST_SWITCH, /* its round */
    OUTPUT_NOISE,  /* of the best arm at the end, in units */
    OTHER_NOISE,   /* of the second arm */
    HIGHEST_NODE,  /* the noise of the best arm's largest node */
    LOWEST_NODE,   /* and of its smallest one */
    NODE_SUM,      /* the exact sum of the largest node, less its mean */
    NUMBERS
};

static const char *const NAMES[NUMBERS] = {"regret",        "early regret", "switches",
                                           "latest switch", "output noise", "other noise",
                                           "highest node",  "lowest node",  "node sum"};

typedef struct game {
    lotor_generator world, noise;
    int64_t sums[ARMS]; /* of all rewards so far, in units */
    uint64_t skipped;   /* rounds whose rewards were drawn together */
} game;

static void pay(void *context, const uint32_t *arms, size_t count, int64_t *units)
{
    game *at = context;
    assert_int_equal(count, 1);
    *units = lotor_random_uniform(&at->world) < MEANS[arms[0]] ? UNIT : 0;
    at->sums[arms[0]] += *units;
}

static int64_t pay_sum(void *context, uint32_t arm, uint64_t rounds)
{
    game *at = context;
    const int64_t sum = (int64_t)lotor_random_binomial(&at->world, rounds, MEANS[arm]) * UNIT;
    at->sums[arm] += sum;
    at->skipped += rounds;
    return sum;
}

static const lotor_tree *tree_of(const lotor_policy *policy, size_t arm)
{
    return policy->statistic->parts[arm].state;
}

/* The noise of a node. A node that is never merged has forgotten its sum, so its noise is unknown. */
static double node_noise(const lotor_tree *tree, unsigned level)
{
    const bool is_known = tree->horizon - tree->count >= UINT64_C(1) << level;
    return is_known ? (double)(tree->noisy[level] - tree->sums[level]) : 0.0;
}

static void sum_up_trees(const lotor_policy *policy, const game *at, double *out)
{
    const lotor_tree *best = tree_of(policy, 0), *other = tree_of(policy, 1);
    const unsigned low = (unsigned)__builtin_ctzll(best->count);
    unsigned high = 63U - (unsigned)__builtin_clzll(best->count);
    while (best->horizon - best->count < UINT64_C(1) << high && high > low) {
        high--; /* the largest node that still knows its sum, or an empty one */
    }
    out[OUTPUT_NOISE] = (double)(best->output[0] - at->sums[0]);
    out[OTHER_NOISE] = (double)(other->output[0] - at->sums[1]);
    out[HIGHEST_NODE] = node_noise(best, high);
    out[LOWEST_NODE] = node_noise(best, low);
    out[NODE_SUM] = best->sums[high] != 0
                        ? (double)best->sums[high] - MEANS[0] * (double)UNIT * ldexp(1.0, (int)high)
                        : 0.0;
}

/* A function of the counts alone: equal counts must not differ by rounding. */
static double regret_of(const double *plays)
{
    double regret = 0.0;
    for (size_t i = 0; i < ARMS; i++) {
        regret += (MEANS[0] - MEANS[i]) * plays[i];
    }
    return regret;
}

/* Plays one run. Returns how many rounds were skipped. `dips` is NULL for single rounds. */
static uint64_t play(const setting *how, const lotor_dips *dips, uint64_t seed, double *out)
{
    const lotor_policy_params params = {.algorithm = how->algorithm,
                                        .arms = ARMS,
                                        .horizon = how->horizon,
                                        .epsilon = how->epsilon};
    game at = {.skipped = 0};
    lotor_generator_seed(&at.world, 2 * seed);
    lotor_generator_seed(&at.noise, 2 * seed + 1);
    lotor_policy *policy;
    assert_int_equal(lotor_policy_new_simulated(&params, 1.0, &at.noise, seed, NULL, &policy),
                     LOTOR_OK);
    lotor_policy_allow_skips(policy, dips);
    const lotor_payer payer = {
        .pay = pay, .pay_sum = dips ? pay_sum : NULL, .means = MEANS, .context = &at};
    memset(out, 0, NUMBERS * sizeof *out);
    double plays[ARMS] = {0};
    uint32_t previous = UINT32_MAX;
    for (uint64_t t = 0, rounds; t < how->horizon; t += rounds) {
        lotor_stretch stretch;
        lotor_policy_stretch(policy, &stretch);
        const uint32_t arm = stretch.arms[0];
        const uint64_t quarter = how->horizon / 4;
        const uint64_t most = t < quarter ? quarter - t : how->horizon - t;
        out[SWITCHES] += arm != previous;
        out[LATEST_SWITCH] = arm != previous ? (double)t : out[LATEST_SWITCH];
        previous = arm;
        assert_int_equal(lotor_policy_run_ahead(policy, &stretch, most, &payer, &rounds), LOTOR_OK);
        plays[arm] += (double)rounds;
        out[REGRET] = regret_of(plays);
        out[EARLY_REGRET] = t < quarter ? out[REGRET] : out[EARLY_REGRET];
    }
    sum_up_trees(policy, &at, out);
    lotor_policy_free(policy);
    return at.skipped;
}

/* Plays RUNS runs, and keeps what sums them up: numbers x runs. Returns the share of skipped rounds. */
static double play_all(const setting *how, const lotor_dips *dips, uint64_t seed,
                       double numbers[NUMBERS][RUNS])
{
    double skipped = 0.0;
    for (size_t run = 0; run < RUNS; run++) {
        double out[NUMBERS];
        skipped += (double)play(how, dips, seed + run, out);
        for (size_t i = 0; i < NUMBERS; i++) {
            numbers[i][run] = out[i];
        }
    }
    return skipped / (double)RUNS / (double)how->horizon;
}

/* The smallest p-value of all numbers; and says which it is. */
static double compare(double one[NUMBERS][RUNS], double other[NUMBERS][RUNS], const char **which)
{
    double least = 1.0;
    for (size_t i = 0; i < NUMBERS; i++) {
        const double p = two_sample_test(one[i], other[i], RUNS);
        assert_true(p >= 0.0); /* not NaN */
        if (p < least) {
            least = p;
            *which = NAMES[i];
        }
    }
    return least;
}

static lotor_dips *make_dips(const setting *how)
{
    const lotor_policy_params params = {.algorithm = how->algorithm, .horizon = how->horizon};
    lotor_dips *dips;
    assert_int_equal(lotor_policy_make_dips(&params, &dips), LOTOR_OK);
    assert_non_null(dips);
    return dips;
}

/* A table that takes every margin for 4 scales more than it is. */
static void widen_margins(lotor_dips *dips)
{
    const size_t more = 4 * LOTOR_DIPS_FINENESS;
    for (size_t level = 0; level <= LOTOR_DIPS_LEVELS; level++) {
        for (size_t i = 0; i + more < LOTOR_DIPS_CELLS; i++) {
            dips->chance[level][i] = dips->chance[level][i + more];
        }
    }
}

static double single[NUMBERS][RUNS], skipping[NUMBERS][RUNS];

static void expect_same_law(setting how)
{
    const char *which = "";
    lotor_dips *dips = make_dips(&how);
    assert_true(play_all(&how, NULL, 1, single) == 0.0);
    assert_true(play_all(&how, dips, 1000000, skipping) > 0.4); /* skips are common */
    const double p = compare(single, skipping, &which);
    if (!(p > P_ACCEPT)) {
        fail_msg("%s: p = %g for the law of %s", how.algorithm, p, which);
    }
    widen_margins(dips);
    (void)play_all(&how, dips, 2000000, skipping);
    const double wide = compare(single, skipping, &which);
    if (!(wide < P_ACCEPT)) {
        fail_msg("%s: p = %g with margins too wide, at %s", how.algorithm, wide, which);
    }
    lotor_dips_free(dips);
}

TEST(skips_keep_the_law_of_dp_ucb)
{
    expect_same_law((setting){"dp-ucb", 20000, lotor_ratio_of(1, 2)});
}

TEST(skips_keep_the_law_of_dp_ucb_tight)
{
    expect_same_law((setting){"dp-ucb-tight", 20000, lotor_ratio_of(1, 4)});
}

/* --- policies that skip ----------------------------------------------------------------------- */

static lotor_status hear(void *context, const lotor_arm_fact *released)
{
    (void)released;
    ++*(uint64_t *)context;
    return LOTOR_OK;
}

/* Plays a policy with skips allowed. Returns the number of skipped rounds. */
static uint64_t play_policy(lotor_policy *policy, game *at, const lotor_payer *payer)
{
    for (uint64_t t = 0, rounds; t < policy->params.horizon; t += rounds) {
        lotor_stretch stretch;
        lotor_policy_stretch(policy, &stretch);
        assert_int_equal(
            lotor_policy_run_ahead(policy, &stretch, policy->params.horizon - t, payer, &rounds),
            LOTOR_OK);
    }
    lotor_policy_free(policy);
    return at->skipped;
}

/* Exact noise, a listener to releases, rewards that can't be drawn together: every round is played. */
TEST(nothing_is_skipped_outside_simulations)
{
    const setting how = {"dp-ucb", 5000, lotor_ratio_of(1, 1)};
    const lotor_policy_params params = {
        .algorithm = how.algorithm, .arms = ARMS, .horizon = how.horizon, .epsilon = how.epsilon};
    lotor_dips *dips = make_dips(&how);
    for (size_t way = 0; way < 4; way++) {
        game at = {.skipped = 0};
        lotor_generator_seed(&at.world, 31);
        lotor_generator_seed(&at.noise, 32);
        test_source source;
        test_source_seed(&source, 33);
        lotor_policy *policy;
        const bool is_exact = way == 1;
        assert_int_equal(
            is_exact ? lotor_policy_new_on(&params, &source.source, 1, NULL, &policy)
                     : lotor_policy_new_simulated(&params, 1.0, &at.noise, 1, NULL, &policy),
            LOTOR_OK);
        uint64_t heard = 0;
        if (way == 2) {
            lotor_policy_on_fact(policy, hear, &heard);
        }
        lotor_policy_allow_skips(policy, dips);
        assert_true((policy->dips == NULL) == is_exact);
        const lotor_payer payer = {
            .pay = pay, .pay_sum = way == 3 ? NULL : pay_sum, .means = MEANS, .context = &at};
        assert_true((play_policy(policy, &at, &payer) > 0) == (way == 0));
        assert_int_equal(heard, way == 2 ? how.horizon : 0);
    }
    lotor_dips_free(dips);
}

/* Only rows with a tree of one arm have a table. */
TEST(other_algorithms_have_no_skips)
{
    size_t found = 0;
    for (size_t i = 0; i < lotor_algorithms_size; i++) {
        const lotor_policy_params params = {.algorithm = lotor_algorithms[i].id, .horizon = 1000};
        lotor_dips *dips;
        assert_int_equal(lotor_policy_make_dips(&params, &dips), LOTOR_OK);
        const bool is_tree = strcmp(lotor_algorithms[i].id, "dp-ucb") == 0 ||
                             strcmp(lotor_algorithms[i].id, "dp-ucb-tight") == 0;
        assert_true((dips != NULL) == is_tree);
        found += is_tree;
        lotor_policy_free_dips(dips);
    }
    assert_int_equal(found, 2);
}
