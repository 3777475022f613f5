/* test_own.c - own algorithms (lotor/experimental/catalog.h): they repeat algorithms of the library
 * decision by decision, their guarantee is derived, and functions that misbehave are refused. */
#include "support/test.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/audit.h>
#include <lotor/couple.h>
#include <lotor/experimental/catalog.h>
#include <lotor/simulate.h>

#include "learn/bounds_kl.h"
#include "learn/index.h"
#include "policy/policy.h"
#include "support/rows.h"

static lotor_message why;

static lotor_catalog *catalog_of(const lotor_recipe *recipe)
{
    lotor_catalog *catalog;
    assert_int_equal(lotor_catalog_new(&why, &catalog), LOTOR_OK);
    if (lotor_catalog_add(catalog, recipe, &why) != LOTOR_OK) {
        fail_msg("%s: %s", recipe->statistic, why.text);
    }
    return catalog;
}

/* --- twins of algorithms of the library ----------------------------------------------------------- */

/* The state that a twin needs next to the board. */
typedef struct twin {
    const char *id; /* of the library */
    lotor_recipe recipe;
    const lotor_index_rule *rule;
    size_t slots;
    bool cascade;
    lotor_structure structure;
    uint64_t epsilon; /* 0 means 2 */
    uint64_t calls;   /* how often the function was asked */
} twin;

/* The formula of a rule with its own function (learn/rivals.c). */
static bool by_rule(void *context, uint64_t t, const lotor_recipe_board *board, double *indices)
{
    twin *self = context;
    const lotor_rule_params params = {.arms = (double)board->arms,
                                      .slots = (double)board->slots,
                                      .horizon = (double)board->horizon,
                                      .epsilon = board->epsilon};
    double best = 0.0;
    self->calls++;
    for (size_t i = 0; i < board->arms; i++) {
        best = board->counts[i] > 0.0 ? fmax(best, board->sums[i] / board->counts[i]) : best;
    }
    for (size_t i = 0; i < board->arms; i++) {
        lotor_index_sums sums = {board->counts[i], board->sums[i], fmin(best, 1.0)};
        if (self->rule->reading == LOTOR_READING_BITS) { /* back to the number of ones */
            const double lie = 1.0 / (1.0 + exp(board->epsilon));
            sums.sum = sums.sum * tanh(0.5 * board->epsilon) + lie * sums.n;
        }
        indices[i] = board->batches[i] == 0 ? NAN /* ignored */
                                            : self->rule->own(&params, &sums, lotor_kl_log(t));
    }
    return true;
}

/* The formula of batch-klucb: it reads every batch by itself. */
static bool by_batches(void *context, uint64_t t, const lotor_recipe_board *board, double *indices)
{
    twin *self = context;
    const double q = lotor_kl_budget(t);
    self->calls++;
    for (size_t i = 0; i < board->arms; i++) {
        double sizes[128] = {0.0}, n = 0.0, sum = 0.0, added = 0.0;
        const size_t count = (size_t)board->batches[i];
        assert_true(count <= 128 && count <= board->batch_rows);
        for (size_t b = 0; b < count; b++) {
            sizes[b] = board->batch_counts[(count - 1 - b) * board->arms + i];
            added += board->batch_sums[b * board->arms + i];
        }
        assert_true(fabs(added - board->sums[i]) < 1e-6);
        const size_t span = count > 0 ? lotor_kl_span(sizes, count, board->epsilon, q) : 0;
        for (size_t b = 0; b < span; b++) {
            n += sizes[b];
            sum += board->batch_sums[(count - 1 - b) * board->arms + i];
        }
        const lotor_batch_sums sums = {(double)span, n, sum};
        indices[i] = span > 0 ? lotor_kl_batch_bound(sums, board->epsilon, q) : -1.0;
    }
    return true;
}

/* The formula sum/n + root/sqrt(n) + linear/n of most rules. */
static bool by_widths(void *context, uint64_t t, const lotor_recipe_board *board, double *indices)
{
    twin *self = context;
    const double horizon = (double)board->horizon;
    const lotor_rule_params params = {.arms = (double)board->arms,
                                      .slots = (double)board->slots,
                                      .horizon = horizon,
                                      .epsilon = board->epsilon,
                                      .nominal_epsilon = board->epsilon,
                                      .beta = horizon > 1.0 ? 1.0 / horizon : 0.5,
                                      .log_horizon = horizon > 0.0 ? log(horizon) : 0.0,
                                      .spread = 2.0 * board->noise};
    const lotor_widths widths = self->rule->widths(&params, (double)t);
    self->calls++;
    for (size_t i = 0; i < board->arms; i++) {
        const double n = board->counts[i];
        const double lift =
            self->rule->lift && n > 0.0
                ? self->rule->lift(&params, (unsigned)__builtin_popcountll((uint64_t)n))
                : 0.0;
        indices[i] = (board->sums[i] + lift) / n + widths.root / sqrt(n) + widths.linear / n;
    }
    return true;
}

/* cascade-dp-lazy: the counts are looks. With little noise, no arm has fewer than 0 of them: then ties
 * would be broken in another way. */
static bool by_looks(void *context, uint64_t t, const lotor_recipe_board *board, double *indices)
{
    twin *self = context;
    const double slots = (double)board->slots, log_t = log((double)t);
    const double x = 3.0 * (slots > 1.0 ? slots + 1.0 : 1.0) * log_t / board->epsilon;
    self->calls++;
    for (size_t i = 0; i < board->arms; i++) {
        const double o = board->counts[i];
        indices[i] =
            o > 0.0 ? (board->sums[i] + x + sqrt(1.5 * log_t) * sqrt(o + x)) / o : INFINITY;
    }
    return true;
}

static twin twins[] = {
    {.id = "klucb", .recipe = {.statistic = "exact", .index = by_rule}, .rule = &lotor_rule_klucb},
    {.id = "imed", .recipe = {.statistic = "exact", .index = by_rule}, .rule = &lotor_rule_imed},
    {.id = "moss", .recipe = {.statistic = "exact", .index = by_rule}, .rule = &lotor_rule_moss},
    {.id = "dp-klucb",
     .recipe = {.statistic = "episodes-kept", .problem = "finite", .index = by_rule},
     .rule = &lotor_rule_dp_klucb},
    {.id = "dp-imed",
     .recipe = {.statistic = "episodes-kept", .problem = "finite", .index = by_rule},
     .rule = &lotor_rule_dp_imed},
    {.id = "adap-klucb",
     .recipe = {.statistic = "episodes", .problem = "finite", .index = by_rule},
     .rule = &lotor_rule_adap_klucb},
    {.id = "ldp-ucb-l",
     .recipe = {.statistic = "reports", .index = by_rule},
     .rule = &lotor_rule_ldp_ucb_l},
    {.id = "ldp-ucb-b",
     .recipe = {.statistic = "bits", .problem = "finite", .index = by_rule},
     .rule = &lotor_rule_ldp_ucb_b},
    {.id = "batch-klucb", .recipe = {.statistic = "growing", .index = by_batches}},
    {.id = "batch-klucb", .recipe = {.statistic = "growing", .index = by_batches}, .slots = 3},
    {.id = "batch-klucb",
     .recipe = {.statistic = "growing", .index = by_batches},
     .slots = 3,
     .cascade = true},
    {.id = "batch-klucb",
     .recipe = {.statistic = "growing", .index = by_batches},
     .structure = LOTOR_STRUCTURE_PATH},
    {.id = "batch-klucb",
     .recipe = {.statistic = "growing", .index = by_batches},
     .structure = LOTOR_STRUCTURE_COVERAGE},
    {.id = "dpucb-mat",
     .recipe = {.statistic = "doubling",
                .problem = "matroid",
                .index = by_widths,
                .asks_every_round = true},
     .rule = &lotor_rule_dpucb_mat,
     .structure = LOTOR_STRUCTURE_LINEAR},
    {.id = "cucb-dp-lazy",
     .recipe = {.statistic = "doubling",
                .problem = "semi-bandit",
                .index = by_widths,
                .asks_every_round = true},
     .rule = &lotor_rule_dpucb_mat,
     .slots = 2},
    {.id = "dp-ucb-tight",
     .recipe = {.statistic = "tree", .index = by_widths},
     .rule = &lotor_rule_dp_ucb_tight},
    {.id = "cucb-dp2",
     .recipe = {.statistic = "vector-tree", .feedback = "least-shown", .index = by_widths},
     .rule = &lotor_rule_cucb_dp2,
     .slots = 2},
    {.id = "cucb-dp",
     .recipe = {.statistic = "vector-tree", .index = by_widths},
     .rule = &lotor_rule_cucb_dp,
     .slots = 2},
    {.id = "cucb-ldp2",
     .recipe = {.statistic = "reports",
                .problem = "semi-bandit",
                .feedback = "least-shown",
                .index = by_widths},
     .rule = &lotor_rule_cucb_ldp2,
     .slots = 2},
    {.id = "cucb-ldp-box",
     .recipe = {.statistic = "cube-reports", .index = by_widths},
     .rule = &lotor_rule_cucb_ldp_box,
     .slots = 2},
    {.id = "cascade-dp-lazy",
     .recipe = {.statistic = "click-batches", .index = by_looks, .asks_every_round = true},
     .slots = 3,
     .epsilon = 200},
};
enum { TWINS = sizeof twins / sizeof *twins };

static lotor_policy_params params_of(const twin *self, const char *id, const lotor_catalog *catalog,
                                     uint64_t horizon)
{
    lotor_policy_params params = {.arms = ROWS_ARMS};
    if (self->structure != LOTOR_STRUCTURE_TOP) {
        rows_set_structure(&params, self->structure);
    }
    params.algorithm = id;
    params.catalog = catalog;
    params.slots = self->slots;
    params.horizon = horizon;
    params.epsilon = lotor_ratio_of(self->epsilon ? self->epsilon : 2, 1);
    params.cascade = self->cascade;
    return params;
}

static lotor_policy *simulated(const lotor_policy_params *params, lotor_generator *generator)
{
    lotor_policy *policy;
    lotor_generator_seed(generator, 5);
    if (lotor_policy_new_simulated(params, 1.0, generator, 77, &why, &policy) != LOTOR_OK) {
        fail_msg("%s: %s", params->algorithm, why.text);
    }
    return policy;
}

/* The same seeds give the same decisions and the same releases. */
TEST(twins_decide_like_the_library)
{
    enum { ROUNDS = 3000 };
    for (size_t i = 0; i < TWINS; i++) {
        twin *self = &twins[i];
        self->recipe.id = "twin";
        self->recipe.context = self;
        self->calls = 0;
        lotor_catalog *catalog = catalog_of(&self->recipe);
        const lotor_policy_params theirs = params_of(self, self->id, NULL, ROUNDS);
        const lotor_policy_params ours = params_of(self, "twin", catalog, ROUNDS);
        lotor_generator noises[2];
        lotor_policy *library = simulated(&theirs, &noises[0]);
        lotor_policy *own = simulated(&ours, &noises[1]);
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            lotor_decision expected, found;
            assert_int_equal(rows_choose(library, t, &why, &expected), LOTOR_OK);
            if (rows_choose(own, t, &why, &found) != LOTOR_OK) {
                fail_msg("%s: %s", self->id, why.text);
            }
            if (found.count != expected.count ||
                memcmp(found.arms, expected.arms, found.count * sizeof *found.arms) != 0 ||
                found.asked[0] != expected.asked[0]) {
                fail_msg("%s (twin %zu): round %d differs", self->id, i, (int)t);
            }
            assert_int_equal(rows_observe(library, t, expected.asked_count), LOTOR_OK);
            assert_int_equal(rows_observe(own, t, found.asked_count), LOTOR_OK);
            assert_int_equal(lotor_policy_expire(library, t, NULL), LOTOR_OK);
            assert_int_equal(lotor_policy_expire(own, t, NULL), LOTOR_OK);
        }
        for (size_t row = 0; row < own->board->statistics; row++) {
            for (size_t arm = 0; arm < ROWS_ARMS; arm++) {
                assert_memory_equal(lotor_board_at(own->board, row, arm),
                                    lotor_board_at(library->board, row, arm), sizeof(lotor_fact));
            }
        }
        assert_true(self->calls > 5 && self->calls <= ROUNDS);
        lotor_policy_free(library);
        lotor_policy_free(own);
        lotor_catalog_free(catalog);
    }
}

/* --- all statistics ------------------------------------------------------------------------------- */

static bool by_mean(void *context, uint64_t t, const lotor_recipe_board *board, double *indices)
{
    (void)context;
    for (size_t i = 0; i < board->arms; i++) {
        indices[i] =
            board->sums[i] / board->counts[i] + sqrt(2.0 * log((double)t) / board->counts[i]);
    }
    for (size_t i = 0; i < board->arms; i++) { /* a noisy number of looks may be below 0 */
        indices[i] = isnan(indices[i]) ? INFINITY : indices[i];
    }
    return true;
}

/* The arms with the fewest rounds. */
static bool choose_fewest(void *context, uint64_t t, const lotor_recipe_board *board, size_t slots,
                          uint32_t *arms)
{
    (void)context;
    (void)t;
    bool taken[64] = {false};
    for (size_t i = 0; i < slots; i++) {
        size_t best = board->arms;
        for (size_t arm = 0; arm < board->arms; arm++) {
            if (!taken[arm] && (best == board->arms || board->shown[arm] < board->shown[best])) {
                best = arm;
            }
        }
        taken[best] = true;
        arms[i] = (uint32_t)best;
    }
    return true;
}

/* Which problems and feedback each statistic can have, and which of these are private. Typed in a
 * second time: what is missing here must be refused. */
typedef struct combination {
    const char *statistic, *problem, *feedback;
    lotor_model model;
    bool is_private;
} combination;

static const combination combinations[] = {
    {"growing", "any", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"growing", "finite", "one", LOTOR_MODEL_CENTRAL, true},
    {"growing", "matroid", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"growing", "semi-bandit", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"growing", "cascade", "first-slot", LOTOR_MODEL_CENTRAL, true},
    {"episodes", "any", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"episodes", "finite", "one", LOTOR_MODEL_CENTRAL, true},
    {"episodes", "matroid", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"episodes", "semi-bandit", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"episodes", "cascade", "first-slot", LOTOR_MODEL_CENTRAL, true},
    {"episodes-kept", "any", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"episodes-kept", "finite", "one", LOTOR_MODEL_CENTRAL, true},
    {"episodes-kept", "matroid", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"episodes-kept", "semi-bandit", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"episodes-kept", "cascade", "first-slot", LOTOR_MODEL_CENTRAL, true},
    {"doubling", "finite", "one", LOTOR_MODEL_CENTRAL, true},
    {"doubling", "matroid", "semi", LOTOR_MODEL_CENTRAL, true},
    {"doubling", "semi-bandit", "semi", LOTOR_MODEL_CENTRAL, true},
    {"tree", "finite", "one", LOTOR_MODEL_CENTRAL, true},
    {"tree", "matroid", "semi", LOTOR_MODEL_CENTRAL, true},
    {"tree", "matroid", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"tree", "semi-bandit", "semi", LOTOR_MODEL_CENTRAL, true},
    {"tree", "semi-bandit", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"tree", "cascade", "cascade", LOTOR_MODEL_CENTRAL, false},
    {"gaussian-tree", "finite", "one", LOTOR_MODEL_CENTRAL, true},
    {"gaussian-tree", "matroid", "semi", LOTOR_MODEL_CENTRAL, true},
    {"gaussian-tree", "matroid", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"gaussian-tree", "semi-bandit", "semi", LOTOR_MODEL_CENTRAL, true},
    {"gaussian-tree", "semi-bandit", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"gaussian-tree", "cascade", "cascade", LOTOR_MODEL_CENTRAL, false},
    {"hybrid", "finite", "one", LOTOR_MODEL_CENTRAL, true},
    {"hybrid", "matroid", "semi", LOTOR_MODEL_CENTRAL, true},
    {"hybrid", "matroid", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"hybrid", "semi-bandit", "semi", LOTOR_MODEL_CENTRAL, true},
    {"hybrid", "semi-bandit", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"hybrid", "cascade", "cascade", LOTOR_MODEL_CENTRAL, false},
    {"vector-tree", "finite", "one", LOTOR_MODEL_CENTRAL, true},
    {"vector-tree", "matroid", "semi", LOTOR_MODEL_CENTRAL, true},
    {"vector-tree", "matroid", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"vector-tree", "semi-bandit", "semi", LOTOR_MODEL_CENTRAL, true},
    {"vector-tree", "semi-bandit", "least-shown", LOTOR_MODEL_CENTRAL, true},
    {"reports", "finite", "one", LOTOR_MODEL_LOCAL, true},
    {"reports", "matroid", "semi", LOTOR_MODEL_LOCAL, true},
    {"reports", "matroid", "least-shown", LOTOR_MODEL_LOCAL, true},
    {"reports", "semi-bandit", "semi", LOTOR_MODEL_LOCAL, true},
    {"reports", "semi-bandit", "least-shown", LOTOR_MODEL_LOCAL, true},
    {"reports", "cascade", "cascade", LOTOR_MODEL_LOCAL, false},
    {"bits", "any", "least-shown", LOTOR_MODEL_LOCAL, true},
    {"bits", "finite", "one", LOTOR_MODEL_LOCAL, true},
    {"bits", "matroid", "least-shown", LOTOR_MODEL_LOCAL, true},
    {"bits", "semi-bandit", "least-shown", LOTOR_MODEL_LOCAL, true},
    {"bits", "cascade", "first-slot", LOTOR_MODEL_LOCAL, true},
    {"cube-reports", "matroid", "semi", LOTOR_MODEL_LOCAL, true},
    {"cube-reports", "semi-bandit", "semi", LOTOR_MODEL_LOCAL, true},
    {"click-batches", "cascade", "cascade", LOTOR_MODEL_CENTRAL, true},
    {"click-reports", "cascade", "cascade", LOTOR_MODEL_LOCAL, true},
    {"exact", "finite", "one", LOTOR_MODEL_NONE, false},
    {"exact", "matroid", "semi", LOTOR_MODEL_NONE, false},
    {"exact", "matroid", "least-shown", LOTOR_MODEL_NONE, false},
    {"exact", "semi-bandit", "semi", LOTOR_MODEL_NONE, false},
    {"exact", "semi-bandit", "least-shown", LOTOR_MODEL_NONE, false},
    {"exact", "cascade", "cascade", LOTOR_MODEL_NONE, false},
};
enum { COMBINATIONS = sizeof combinations / sizeof *combinations };

TEST(only_known_combinations_are_accepted)
{
    static const char *const problems[] = {"finite", "matroid", "semi-bandit", "cascade", "any"};
    static const char *const feedbacks[] = {"one", "semi", "least-shown", "cascade", "first-slot"};
    lotor_catalog *catalog;
    size_t accepted = 0, statistics = 0;
    char id[16];
    assert_int_equal(lotor_catalog_new(&why, &catalog), LOTOR_OK);
    for (; lotor_recipe_statistic(statistics); statistics++) {
        for (size_t p = 0; p < 5; p++) {
            for (size_t f = 0; f < 5; f++) {
                snprintf(id, sizeof id, "r%zu-%zu-%zu", statistics, p, f);
                const lotor_recipe recipe = {.id = id,
                                             .statistic = lotor_recipe_statistic(statistics),
                                             .problem = problems[p],
                                             .feedback = feedbacks[f],
                                             .index = by_mean};
                bool is_listed = false;
                for (size_t c = 0; c < COMBINATIONS; c++) {
                    is_listed =
                        is_listed || (strcmp(combinations[c].statistic, recipe.statistic) == 0 &&
                                      strcmp(combinations[c].problem, problems[p]) == 0 &&
                                      strcmp(combinations[c].feedback, feedbacks[f]) == 0);
                }
                const lotor_status status = lotor_catalog_add(catalog, &recipe, &why);
                if (status != (is_listed ? LOTOR_OK : LOTOR_INVALID)) {
                    fail_msg("%s, %s, %s: %s", recipe.statistic, problems[p], feedbacks[f],
                             lotor_status_name(status));
                }
                accepted += status == LOTOR_OK;
            }
        }
    }
    assert_int_equal(accepted, COMBINATIONS);
    assert_int_equal(statistics, 14);
    lotor_catalog_free(catalog);
}

static lotor_catalog *catalog_of_combination(const combination *which, bool asks_every_round,
                                             bool chooses)
{
    return catalog_of(&(lotor_recipe){.id = "own",
                                      .statistic = which->statistic,
                                      .problem = which->problem,
                                      .feedback = which->feedback,
                                      .index = chooses ? NULL : by_mean,
                                      .choose = chooses ? choose_fewest : NULL,
                                      .asks_every_round = asks_every_round});
}

/* The guarantee is derived from the parts, and says why something is not private. */
TEST(guarantees_are_derived)
{
    for (size_t c = 0; c < COMBINATIONS; c++) {
        lotor_catalog *catalog = catalog_of_combination(&combinations[c], false, false);
        lotor_algorithm_info info;
        assert_int_equal(lotor_catalog_info(catalog, "own", &why, &info), LOTOR_OK);
        if (info.is_private != combinations[c].is_private || info.model != combinations[c].model) {
            fail_msg("%s, %s: private %d, model %d", combinations[c].statistic,
                     combinations[c].problem, info.is_private, (int)info.model);
        }
        assert_int_equal(info.not_private == NULL, info.is_private);
        assert_int_equal(info.theorem != NULL, info.is_private);
        lotor_policy_params params = rows_params(lotor_catalog_find(catalog, "own"), 100);
        params.catalog = catalog;
        params.epsilon = lotor_ratio_of(1, 1);
        lotor_policy *policy;
        if (lotor_policy_new(&params, &why, &policy) != LOTOR_OK) {
            fail_msg("%s, %s: %s", combinations[c].statistic, combinations[c].problem, why.text);
        }
        lotor_guarantee guarantee;
        lotor_policy_guarantee(policy, &guarantee);
        assert_int_equal(guarantee.is_private, combinations[c].is_private);
        assert_int_equal(guarantee.model, combinations[c].model);
        assert_non_null(strstr(guarantee.mechanism, "own on "));
        lotor_policy_free(policy);
        lotor_catalog_free(catalog);
    }
}

/* Every combination, in both modes, by index and by choice: plays, and goes on as before after it was
 * saved and loaded, with rounds open. */
TEST(every_combination_is_saved_and_loaded)
{
    enum { ROUNDS = 200, OPEN = 3 };
    for (size_t c = 0; c < (size_t)4 * COMBINATIONS; c++) {
        const combination *which = &combinations[c / 4];
        const bool chooses = c % 2 == 1;
        if (chooses && strcmp(which->problem, "matroid") == 0) {
            continue;
        }
        lotor_catalog *catalog = catalog_of_combination(which, c % 4 >= 2, chooses);
        lotor_policy_params params = rows_params(lotor_catalog_find(catalog, "own"), ROUNDS);
        params.catalog = catalog;
        test_source source, copy;
        test_source_seed(&source, 3);
        lotor_policy *policy = rows_make(&params, &source), *loaded = NULL;
        uint64_t asked[ROUNDS + 1];
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            lotor_decision decision, expected;
            if (rows_choose(policy, t, &why, &decision) != LOTOR_OK) {
                fail_msg("%s, %s: %s", which->statistic, which->problem, why.text);
            }
            asked[t] = decision.asked_count;
            if (loaded) {
                assert_int_equal(rows_choose(loaded, t, &why, &expected), LOTOR_OK);
                rows_expect_same_decision(&decision, &expected);
            }
            for (int w = 0; w < (loaded ? 2 : 1) && t > OPEN; w++) {
                lotor_policy *on = w == 0 ? policy : loaded;
                assert_int_equal(rows_observe(on, t - OPEN, asked[t - OPEN]), LOTOR_OK);
                assert_int_equal(lotor_policy_expire(on, t - OPEN, &why), LOTOR_OK);
            }
            if (t % 40 == 7) { /* the loaded is loaded again */
                lotor_policy_free(loaded);
                loaded = rows_reload(policy, &params, &source, &copy);
            }
        }
        rows_expect_same_state(policy, loaded);
        lotor_policy_free(policy);
        lotor_policy_free(loaded);
        lotor_catalog_free(catalog);
    }
}

/* --- functions that misbehave --------------------------------------------------------------------- */

/* The action of a test function from its second answer on. */
typedef enum misdeed {
    FAILS,
    GIVES_NAN,
    PICKS_TWICE,
    PICKS_TOO_LARGE,
    PICKS_NOTHING,
    BEHAVES,
} misdeed;

static bool bad_index(void *context, uint64_t t, const lotor_recipe_board *board, double *indices)
{
    const misdeed *does = context;
    (void)by_mean(NULL, t, board, indices);
    if (*does == GIVES_NAN) {
        indices[2] = NAN;
    }
    return *does != FAILS || t == 1;
}

static bool bad_choice(void *context, uint64_t t, const lotor_recipe_board *board, size_t slots,
                       uint32_t *arms)
{
    const misdeed *does = context;
    (void)board;
    assert_int_equal(slots, 2);
    arms[0] = (uint32_t)(t % 3);
    if (*does != PICKS_NOTHING) {
        arms[1] = *does == PICKS_TWICE       ? arms[0]
                  : *does == PICKS_TOO_LARGE ? (uint32_t)board->arms
                                             : arms[0] + 1;
    }
    return *does != FAILS;
}

/* A failure changes nothing: the same round is open, and the next call asks again. */
static void expect_refusal(lotor_policy *policy, const char *text)
{
    lotor_decision decision;
    const uint64_t rounds = policy->rounds, asked = policy->asked;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(lotor_policy_choose(policy, NULL, &why, &decision), LOTOR_INVALID);
        assert_string_equal(why.text, text);
        assert_int_equal(policy->rounds, rounds);
        assert_int_equal(policy->asked, asked);
    }
}

static lotor_policy *play_rounds(const lotor_policy_params *params, test_source *source,
                                 uint64_t count)
{
    test_source_seed(source, 3);
    lotor_policy *policy = rows_make(params, source);
    for (uint64_t t = 1; t <= count; t++) {
        lotor_decision decision;
        assert_int_equal(lotor_policy_choose(policy, NULL, &why, &decision), LOTOR_OK);
        assert_int_equal(rows_observe(policy, t, decision.asked_count), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(policy, t, &why), LOTOR_OK);
    }
    return policy;
}

TEST(failing_functions_are_refused)
{
    misdeed does = BEHAVES;
    lotor_catalog *catalog = catalog_of(
        &(lotor_recipe){.id = "bad", .statistic = "growing", .index = bad_index, .context = &does});
    assert_int_equal(lotor_catalog_add(catalog,
                                       &(lotor_recipe){.id = "chooser",
                                                       .statistic = "growing",
                                                       .choose = bad_choice,
                                                       .context = &does},
                                       &why),
                     LOTOR_OK);
    lotor_policy_params params = {.algorithm = "bad",
                                  .catalog = catalog,
                                  .arms = 4,
                                  .slots = 2,
                                  .epsilon = lotor_ratio_of(1, 1)};
    test_source source;
    /* Every arm is recorded once in the first four rounds, and twice in the first eight. */
    lotor_policy *policy = play_rounds(&params, &source, 8);
    does = FAILS;
    expect_refusal(policy, "bad: its index function failed in round 9");
    does = GIVES_NAN;
    expect_refusal(policy,
                   "bad: in round 9 its index function gave NaN for arm 2, after 2 releases: "
                   "give a number or infinity");
    does = BEHAVES;
    lotor_decision decision;
    assert_int_equal(lotor_policy_choose(policy, NULL, &why, &decision), LOTOR_OK);
    assert_int_equal(decision.event, 9);
    lotor_policy_free(policy);

    params.algorithm = "chooser";
    policy = play_rounds(&params, &source, 2);
    does = FAILS;
    expect_refusal(policy, "chooser: its choose function failed in round 3");
    does = PICKS_TWICE;
    expect_refusal(policy,
                   "chooser: in round 3 its choose function picked arm 0 in place 1: expected 2 "
                   "different arms below 4");
    does = PICKS_TOO_LARGE;
    expect_refusal(policy,
                   "chooser: in round 3 its choose function picked arm 4 in place 1: expected 2 "
                   "different arms below 4");
    does = PICKS_NOTHING;
    expect_refusal(policy,
                   "chooser: in round 3 its choose function picked arm 4294967295 in place 1: "
                   "expected 2 different arms below 4");
    lotor_policy_free(policy);

    /* The same in a simulation, an audit and coupled worlds. */
    does = FAILS;
    const double means[4] = {0.1, 0.2, 0.3, 0.4};
    params.algorithm = "bad";
    params.horizon = 100;
    const lotor_simulate_params simulation = {.policy = params, .means = means, .runs = 2};
    lotor_simulate_result *played;
    assert_int_equal(lotor_simulate_run(&simulation, &why, &played), LOTOR_INVALID);
    assert_string_equal(why.text, "bad: its index function failed in round 2");
    const lotor_audit_params audit = {
        .algorithm = "bad", .catalog = catalog, .trials = 1000, .is_seeded = true};
    lotor_audit_result found;
    assert_int_equal(lotor_audit_run(&audit, &why, &found), LOTOR_INVALID);
    assert_string_equal(why.text, "bad: its index function failed in round 2");
    const lotor_couple_params couple = {.algorithm = "bad", .catalog = catalog, .traces = 20};
    lotor_couple_result checked;
    assert_int_equal(lotor_couple_run(&couple, &why, &checked), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "bad: its index function failed in round "));
    lotor_catalog_free(catalog);
}

TEST(recipes_are_checked)
{
    static const struct {
        lotor_recipe recipe;
        lotor_status status;
        const char *text;
    } wrong[] = {
        {{.statistic = "growing", .index = by_mean},
         LOTOR_INVALID,
         "a recipe needs an id, such as my-ucb"},
        {{.id = "", .statistic = "growing", .index = by_mean},
         LOTOR_INVALID,
         "a recipe needs an id, such as my-ucb"},
        {{.id = "a b", .statistic = "growing", .index = by_mean},
         LOTOR_INVALID,
         "the id \"a b\": an id has 1 to 40 letters, digits, '-', '_' or '.'"},
        {{.id = "batch-klucb", .statistic = "growing", .index = by_mean},
         LOTOR_INVALID,
         "batch-klucb is the id of another algorithm: take another id"},
        {{.id = "taken", .statistic = "growing", .index = by_mean},
         LOTOR_INVALID,
         "taken is the id of another algorithm: take another id"},
        {{.id = "x", .statistic = "growing"},
         LOTOR_INVALID,
         "x has no function: a recipe has exactly one of index and choose"},
        {{.id = "x", .statistic = "growing", .index = by_mean, .choose = choose_fewest},
         LOTOR_INVALID,
         "x has both index and choose: a recipe has exactly one of index and choose"},
        {{.id = "x", .index = by_mean},
         LOTOR_INVALID,
         "a recipe needs a statistic: choose from growing, episodes, episodes-kept, doubling, "
         "tree, "
         "gaussian-tree, hybrid, vector-tree, reports, bits, cube-reports, click-batches, "
         "click-reports, exact"},
        {{.id = "x", .statistic = "grow", .index = by_mean},
         LOTOR_UNKNOWN,
         "there is no statistic \"grow\": choose from growing, episodes, episodes-kept, doubling, "
         "tree, gaussian-tree, hybrid, vector-tree, reports, bits, cube-reports, click-batches, "
         "click-reports, exact"},
        {{.id = "x", .statistic = "growing", .problem = "linear", .index = by_mean},
         LOTOR_UNKNOWN,
         "there is no problem \"linear\" for recipes: choose from finite, matroid, semi-bandit, "
         "cascade and any"},
        {{.id = "x", .statistic = "growing", .feedback = "all", .index = by_mean},
         LOTOR_UNKNOWN,
         "there is no feedback \"all\": choose from one, semi, least-shown, cascade and "
         "first-slot"},
        {{.id = "x", .statistic = "growing", .feedback = "semi", .index = by_mean},
         LOTOR_INVALID,
         "statistic growing can't be used with problem any and feedback semi: leave both out for "
         "the usual ones (problem any)"},
        {{.id = "x", .statistic = "growing", .problem = "matroid", .choose = choose_fewest},
         LOTOR_INVALID,
         "x chooses arms itself, so it can't be for matroids: give it an index function, or "
         "problem "
         "semi-bandit"},
    };
    lotor_catalog *catalog =
        catalog_of(&(lotor_recipe){.id = "taken", .statistic = "growing", .index = by_mean});
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(lotor_catalog_add(catalog, &wrong[i].recipe, &why), wrong[i].status);
        assert_string_equal(why.text, wrong[i].text);
        assert_int_equal(lotor_catalog_add(catalog, &wrong[i].recipe, NULL), wrong[i].status);
    }
    char letters[60];
    memset(letters, 'a', sizeof letters);
    letters[41] = '\0';
    lotor_recipe recipe = {.id = letters, .statistic = "growing", .index = by_mean};
    assert_int_equal(lotor_catalog_add(catalog, &recipe, &why), LOTOR_INVALID);
    letters[40] = '\0';
    assert_int_equal(lotor_catalog_add(catalog, &recipe, &why), LOTOR_OK);
    lotor_algorithm_info info;
    assert_int_equal(lotor_catalog_info(catalog, letters, &why, &info), LOTOR_OK);
    letters[0] = 'b'; /* the catalog has a copy */
    assert_int_equal(info.id[0], 'a');

    /* Names in policies: a near miss is suggested, and other catalogs do not have it. */
    lotor_policy_params params = {
        .algorithm = "takne", .catalog = catalog, .arms = 2, .epsilon = lotor_ratio_of(1, 1)};
    assert_string_equal(lotor_policy_check(&params, &why),
                        "there is no algorithm \"takne\": did you mean taken?");
    params.algorithm = NULL;
    assert_string_equal(lotor_policy_check(&params, &why),
                        "no algorithm is named: give the id of one, such as dp-se");
    params.algorithm = "nothing-like-it";
    assert_string_equal(lotor_policy_check(&params, &why),
                        "there is no algorithm \"nothing-like-it\"");
    assert_int_equal(lotor_catalog_info(catalog, NULL, &why, &info), LOTOR_UNKNOWN);
    params.algorithm = "taken";
    assert_null(lotor_policy_check(&params, &why));
    params.catalog = NULL;
    assert_non_null(lotor_policy_check(&params, &why));
    assert_int_equal(lotor_catalog_info(catalog, "dp-se", &why, &info), LOTOR_UNKNOWN);
    params = (lotor_policy_params){.algorithm = "dp-se",
                                   .catalog = catalog,
                                   .arms = 2,
                                   .horizon = 100,
                                   .epsilon = lotor_ratio_of(1, 1)};
    assert_null(lotor_policy_check(&params, &why)); /* the library's are there, too */
    lotor_catalog_free(catalog);
    lotor_catalog_free(NULL);
}

/* A saved policy needs the recipe that it was made with. */
TEST(a_saved_policy_needs_its_recipe)
{
    lotor_catalog *catalog =
        catalog_of(&(lotor_recipe){.id = "mine", .statistic = "growing", .index = by_mean});
    lotor_catalog *other =
        catalog_of(&(lotor_recipe){.id = "mine", .statistic = "episodes", .index = by_mean});
    const lotor_policy_params params = {
        .algorithm = "mine", .catalog = catalog, .arms = 3, .epsilon = lotor_ratio_of(1, 1)};
    lotor_policy *policy, *loaded;
    unsigned char *bytes;
    size_t length;
    assert_int_equal(lotor_policy_new(&params, &why, &policy), LOTOR_OK);
    assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
    assert_int_equal(lotor_policy_load(bytes, length, NULL, &why, &loaded), LOTOR_DAMAGED);
    assert_null(loaded);
    assert_string_equal(
        why.text, "the saved policy plays \"mine\", which this library does not have: if it is "
                  "your own algorithm, give that algorithm, too, when you load the policy");
    const lotor_policy_params with = {.catalog = other};
    assert_int_equal(lotor_policy_load(bytes, length, &with, &why, &loaded), LOTOR_DAMAGED);
    assert_string_equal(
        why.text,
        "the saved policy plays mine with statistic \"growing\", but the algorithm of that "
        "name that you gave has episodes: load it with the algorithm that it was made "
        "with");
    assert_int_equal(lotor_policy_load(bytes, length, &params, &why, &loaded), LOTOR_OK);
    lotor_bytes_free(bytes, length);
    lotor_policy_free(policy);
    lotor_policy_free(loaded);
    lotor_catalog_free(catalog);
    lotor_catalog_free(other);
}

/* A saved policy of an algorithm with indices is not that of an algorithm that chooses by itself. */
TEST(a_saved_policy_needs_its_function)
{
    lotor_catalog *catalogs[] = {
        catalog_of(&(lotor_recipe){.id = "mine", .statistic = "growing", .index = by_mean}),
        catalog_of(&(lotor_recipe){.id = "mine", .statistic = "growing", .choose = choose_fewest}),
    };
    static const char *const names[] = {"index", "choose"};
    for (size_t i = 0; i < 2; i++) {
        const lotor_policy_params params = {.algorithm = "mine",
                                            .catalog = catalogs[i],
                                            .arms = 3,
                                            .epsilon = lotor_ratio_of(1, 1)};
        const lotor_policy_params other = {.catalog = catalogs[1 - i]};
        lotor_policy *policy, *loaded;
        lotor_decision decision;
        unsigned char *bytes;
        size_t length;
        char expected[256];
        assert_int_equal(lotor_policy_new(&params, &why, &policy), LOTOR_OK);
        assert_int_equal(lotor_policy_choose(policy, NULL, &why, &decision), LOTOR_OK);
        assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
        assert_int_equal(lotor_policy_load(bytes, length, &other, &why, &loaded), LOTOR_DAMAGED);
        assert_null(loaded);
        snprintf(expected, sizeof expected,
                 "the saved policy plays mine with function \"%s\", but the algorithm of that name "
                 "that you gave has %s: load it with the algorithm that it was made with",
                 names[i], names[1 - i]);
        assert_string_equal(why.text, expected);
        assert_int_equal(lotor_policy_load(bytes, length, &params, &why, &loaded), LOTOR_OK);
        lotor_bytes_free(bytes, length);
        lotor_policy_free(policy);
        lotor_policy_free(loaded);
    }
    lotor_catalog_free(catalogs[0]);
    lotor_catalog_free(catalogs[1]);
}

/* The problem of a recipe that names none, as lotor/experimental/catalog.h lists them. */
TEST(the_usual_problems)
{
    static const char *const any[] = {"growing", "episodes", "episodes-kept", "bits"};
    static const char *const lists[] = {"click-batches", "click-reports"};
    static const char *const sets[] = {"vector-tree", "cube-reports"};
    const char *statistic;
    for (size_t place = 0; (statistic = lotor_recipe_statistic(place)); place++) {
        const char *expected = "finite";
        for (size_t i = 0; i < sizeof any / sizeof *any; i++) {
            expected = strcmp(statistic, any[i]) == 0 ? "any" : expected;
        }
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
            expected = strcmp(statistic, lists[i]) == 0 ? "cascade" : expected;
            expected = strcmp(statistic, sets[i]) == 0 ? "semi-bandit" : expected;
        }
        lotor_catalog *catalog =
            catalog_of(&(lotor_recipe){.id = "x", .statistic = statistic, .index = by_mean});
        lotor_algorithm_info info;
        assert_int_equal(lotor_catalog_info(catalog, "x", &why, &info), LOTOR_OK);
        assert_string_equal(info.problem, expected);
        lotor_catalog_free(catalog);
    }
}

/* Plays a forged policy for some rounds. Its function sees what the board says, and may fail. */
static void use_forged(lotor_policy *policy)
{
    for (int i = 0; i < 5; i++) {
        lotor_decision decision;
        const lotor_status status = lotor_policy_choose(policy, NULL, &why, &decision);
        assert_true(status == LOTOR_OK || status == LOTOR_INVALID);
        if (status == LOTOR_OK && decision.event > 0) {
            (void)rows_observe(policy, decision.event, decision.asked_count);
            (void)lotor_policy_expire(policy, decision.event, &why);
        }
    }
    unsigned char *bytes;
    size_t length;
    assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
    lotor_bytes_free(bytes, length);
}

/* Saved bytes with any eight of them replaced, and a right checksum, are refused or can be used. */
TEST(forged_states_are_refused_or_usable)
{
    enum { CHECKSUM = 32, ROUNDS = 30 };
    static const uint64_t words[] = {
        0, 1, 61, (uint64_t)INT64_MAX, UINT64_MAX, UINT64_C(0x7ff8000000000000)};
    static const combination which[] = {{.statistic = "growing"},
                                        {.statistic = "doubling"},
                                        {.statistic = "hybrid"},
                                        {.statistic = "bits"}};
    for (size_t c = 0; c < 4 * sizeof which / sizeof *which; c++) {
        lotor_catalog *catalog = catalog_of_combination(&which[c / 4], c % 4 >= 2, c % 2 == 1);
        lotor_policy_params params = rows_params(lotor_catalog_find(catalog, "own"), ROUNDS);
        params.catalog = catalog;
        params.slots = 1;
        test_source source;
        lotor_policy *policy = play_rounds(&params, &source, ROUNDS / 2);
        lotor_decision decision;
        assert_int_equal(lotor_policy_choose(policy, NULL, &why, &decision), LOTOR_OK);
        unsigned char *good;
        size_t length, loads = 0;
        assert_int_equal(lotor_policy_save(policy, &good, &length), LOTOR_OK);
        lotor_policy_free(policy);
        unsigned char *forged = malloc(length);
        assert_non_null(forged);
        for (size_t at = 0; at + 8 <= length - CHECKSUM; at += 3) { /* in all alignments */
            for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
                memcpy(forged, good, length);
                for (size_t i = 0; i < 8; i++) {
                    forged[at + i] = (unsigned char)(words[w] >> (8 * i));
                }
                crypto_generichash(forged + length - CHECKSUM, CHECKSUM, forged, length - CHECKSUM,
                                   NULL, 0);
                const lotor_status status =
                    lotor_policy_load_on(forged, length, &params, &source.source, &why, &policy);
                if (status == LOTOR_OK) {
                    loads++;
                    use_forged(policy);
                } else {
                    assert_true(status == LOTOR_DAMAGED || status == LOTOR_VERSION);
                    assert_null(policy);
                }
                lotor_policy_free(policy);
            }
        }
        assert_true(loads > 0);
        free(forged);
        lotor_bytes_free(good, length);
        lotor_catalog_free(catalog);
    }
}

/* --- the lab -------------------------------------------------------------------------------------- */

/* Rewards of 0 and 1 are the same however they are drawn. So all ways to play give the same numbers, to
 * the last bit, if no shortcut changes a decision. */
TEST(shortcuts_change_nothing)
{
    static const double means[ROWS_ARMS] = {0.0, 1.0, 0.0, 1.0, 0.0};
    for (size_t c = 0; c < (size_t)4 * COMBINATIONS; c++) {
        const combination *which = &combinations[c / 4];
        lotor_catalog *catalog = catalog_of_combination(which, c % 2 == 1, false);
        lotor_simulate_params params = {
            .policy = rows_params(lotor_catalog_find(catalog, "own"), 2000),
            .means = means,
            .delay = c % 4 >= 2 ? "20" : NULL,
            .runs = 3,
            .seed = 5,
            .threads = 1,
            .checkpoints = 20,
        };
        params.policy.catalog = catalog;
        params.policy.default_reward = 0.0;
        params.policy.epsilon = lotor_ratio_of(1, 1);
        lotor_simulate_result *played[2];
        for (int exact = 0; exact < 2; exact++) {
            params.exact_rounds = exact == 1;
            if (lotor_simulate_run(&params, &why, &played[exact]) != LOTOR_OK) {
                fail_msg("%s, %s: %s", which->statistic, which->problem, why.text);
            }
        }
        for (size_t i = 0; i < played[0]->point_count; i++) {
            if (played[0]->points[i].regret != played[1]->points[i].regret) {
                fail_msg("%s, %s, %s, mode %zu: regret %g or %g at %d", which->statistic,
                         which->problem, which->feedback, c % 4, played[0]->points[i].regret,
                         played[1]->points[i].regret, (int)played[0]->points[i].round);
            }
        }
        lotor_simulate_free(played[0]);
        lotor_simulate_free(played[1]);
        lotor_catalog_free(catalog);
    }
}

/* An own algorithm is never played by the shortcuts of the index learner. */
TEST(an_own_algorithm_has_no_index_learner)
{
    for (size_t c = 0; c < COMBINATIONS; c++) {
        lotor_catalog *catalog = catalog_of_combination(&combinations[c], false, false);
        lotor_policy_params params = rows_params(lotor_catalog_find(catalog, "own"), 100);
        params.catalog = catalog;
        lotor_generator generator;
        lotor_policy *policy = simulated(&params, &generator);
        struct lotor_dips *dips;
        assert_int_equal(lotor_policy_make_dips(&params, &dips), LOTOR_OK);
        lotor_policy_allow_skips(policy, dips);
        assert_true(policy->own && !policy->index && !policy->dips);
        lotor_policy_free_dips(dips);
        lotor_policy_free(policy);
        lotor_catalog_free(catalog);
    }
}

/* The function is asked once per release, not once per round; and in every round if it wants that. */
TEST(the_function_is_asked_when_something_was_released)
{
    twin *self = &twins[8]; /* batch-klucb */
    static const double means[10] = {0.5, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4};
    uint64_t calls[2];
    for (int each = 0; each < 2; each++) {
        lotor_recipe recipe = self->recipe;
        recipe.id = "twin";
        recipe.context = self;
        recipe.asks_every_round = each == 1;
        self->calls = 0;
        lotor_catalog *catalog = catalog_of(&recipe);
        const lotor_simulate_params params = {.policy = {.algorithm = "twin",
                                                         .catalog = catalog,
                                                         .arms = 10,
                                                         .horizon = 10000,
                                                         .epsilon = lotor_ratio_of(1, 1)},
                                              .means = means,
                                              .runs = 1,
                                              .threads = 1};
        lotor_simulate_result *played;
        assert_int_equal(lotor_simulate_run(&params, &why, &played), LOTOR_OK);
        lotor_simulate_free(played);
        lotor_catalog_free(catalog);
        calls[each] = self->calls;
    }
    assert_true(calls[0] >= 10 && calls[0] < 300); /* at most 23 batches of an arm are full */
    assert_int_equal(calls[1], 10000);
}

/* Coupled worlds: the claim holds, and half the noise is found. */
static void expect_couple(const combination *which, bool asks_every_round, bool chooses)
{
    lotor_catalog *catalog = catalog_of_combination(which, asks_every_round, chooses);
    lotor_couple_params params = {.algorithm = "own", .catalog = catalog, .traces = 60, .seed = 5};
    lotor_couple_result found;
    if (lotor_couple_run(&params, &why, &found) != LOTOR_OK) {
        fail_msg("%s, %s: %s", which->statistic, which->problem, why.text);
    }
    assert_int_equal(found.is_claimed, which->is_private);
    if (found.is_violated != !which->is_private || found.telling == 0) {
        fail_msg("%s, %s, %s: %s in %s", which->statistic, which->problem, which->feedback,
                 found.violation, found.setting);
    }
    params.noise_scale = 0.5;
    if (which->is_private) {
        assert_int_equal(lotor_couple_run(&params, &why, &found), LOTOR_OK);
        if (!found.is_violated) {
            fail_msg("%s, %s, %s: half the noise is not noticed (%g)", which->statistic,
                     which->problem, which->feedback, found.worst);
        }
    }
    lotor_catalog_free(catalog);
}

TEST(the_claim_is_checked)
{
    for (size_t c = 0; c < COMBINATIONS; c++) {
        expect_couple(&combinations[c], false, false);
        expect_couple(&combinations[c], true, false);
        if (strcmp(combinations[c].problem, "matroid") != 0) {
            expect_couple(&combinations[c], false, true);
        }
    }
}

TEST(an_audit_finds_half_the_noise)
{
    static const char *const statistics[] = {"growing", "episodes", "doubling", "reports", "bits"};
    for (size_t s = 0; s < sizeof statistics / sizeof *statistics; s++) {
        lotor_catalog *catalog =
            catalog_of(&(lotor_recipe){.id = "own", .statistic = statistics[s], .index = by_mean});
        lotor_audit_params params = {.algorithm = "own",
                                     .catalog = catalog,
                                     .epsilon = lotor_ratio_of(1, 1),
                                     .trials = 20000,
                                     .is_seeded = true,
                                     .seed = 1};
        lotor_audit_result found;
        assert_int_equal(lotor_audit_run(&params, &why, &found), LOTOR_OK);
        if (found.is_violated || !(found.found > 0.3)) {
            fail_msg("%s: %g was found", statistics[s], found.found);
        }
        params.noise_scale = 0.5;
        assert_int_equal(lotor_audit_run(&params, &why, &found), LOTOR_OK);
        if (!found.is_violated) {
            fail_msg("%s: only %g was found", statistics[s], found.found);
        }
        lotor_catalog_free(catalog);
    }
}
