/* catalog.c - the rows of the catalog, one per algorithm. docs/errata.md lists where a row differs
 * from its paper. */
#include "policy/catalog.h"

#include <assert.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/suggest.h"

#define NO_NOISE "it adds no noise: the non-private baseline"
#define CLICK_LEAK                                                                                 \
    "only the positions up to the click report, so their number tells the click at any noise; "    \
    "and it starts with one answer for every item without noise"

const lotor_algorithm lotor_catalog[] = {
    {
        .id = "batch-klucb",
        .summary = "kl bounds on batches that grow, one arm recorded a round",
        .problem = LOTOR_PROBLEM_ANY,
        .paper = "Lotor (kl-UCB: Garivier and Cappe 2011)",
        .model = LOTOR_MODEL_CENTRAL,
        .theorem = "Laplace mechanism on disjoint batches (src/privacy/release/growing.md)",
        .strength = "It records one arm a round, so its noise does not grow with the number of "
                    "slots, and it needs no horizon.",
        .regret = "measured",
        .feedback = "least-shown",
        .on_lists = "first-slot",
        .index = &lotor_rule_batch_klucb,
        .statistic = &lotor_statistic_growing,
    },
    {
        .id = "rr-klucb",
        .summary = "kl bounds on one randomized bit a round",
        .problem = LOTOR_PROBLEM_ANY,
        .paper = "Lotor (kl-UCB: Garivier and Cappe 2011; randomized response: Warner 1965)",
        .model = LOTOR_MODEL_LOCAL,
        .theorem = "randomized response (src/privacy/local/bit.md)",
        .strength = "It hears one bit a round, so its noise does not grow with the number of "
                    "slots, and it needs no horizon.",
        .regret = "measured",
        .feedback = "least-shown",
        .on_lists = "first-slot",
        .index = &lotor_rule_rr_klucb,
        .statistic = &lotor_statistic_bits,
    },
    {
        .id = "adap-ucb",
        .summary = "upper confidence bounds on the latest of episodes that double",
        .problem = LOTOR_PROBLEM_ANY,
        .paper = "Azize and Basu 2022, Algorithm 1 (AdaP-UCB)",
        .model = LOTOR_MODEL_CENTRAL,
        .theorem = "Laplace mechanism on disjoint batches (src/privacy/release/episodes.md)",
        .strength = "Its indices tell arms apart while people are still few for the epsilon, where "
                    "tighter bounds are all at the top, and it needs no horizon.",
        .regret = "proved for one arm a round: sum over arms of log T / min(gap, epsilon)",
        .feedback = "least-shown",
        .on_lists = "first-slot",
        .index = &lotor_rule_adap_ucb,
        .statistic = &lotor_statistic_episodes,
    },
    {
        .id = "ucb",
        .summary = "upper confidence bounds",
        .problem = LOTOR_PROBLEM_FINITE,
        .paper = "Sajed 2019, Algorithm 1",
        .not_private = NO_NOISE,
        .regret = "proved: sum over arms of log T / gap",
        .feedback = "one",
        .index = &lotor_rule_ucb,
        .statistic = &lotor_statistic_exact,
    },
    {
        .id = "se",
        .summary = "successive elimination",
        .problem = LOTOR_PROBLEM_FINITE,
        .paper = "Sajed 2019, Algorithm 2",
        .not_private = NO_NOISE,
        .regret = "proved: sum over arms of log T / gap",
        .feedback = "one",
        .needs_horizon = true,
        .instead = "ucb",
        .elimination = &lotor_rule_se,
        .epochs = LOTOR_EPOCH_EXACT,
    },
    {
        .id = "dp-ucb",
        .summary = "upper confidence bounds on tree counters",
        .problem = LOTOR_PROBLEM_FINITE,
        .paper = "Sajed 2019, Algorithm 6",
        .model = LOTOR_MODEL_CENTRAL,
        .theorem = "binary mechanism, one tree per arm (Sajed 2019, 3.3)",
        .regret = "proved: sum over arms of log^2 T log(KT/beta) / (epsilon gap)",
        .feedback = "one",
        .needs_horizon = true,
        .instead = "batch-klucb",
        .index = &lotor_rule_dp_ucb,
        .statistic = &lotor_statistic_tree,
    },
    {
        .id = "dp-se",
        .summary = "successive elimination on batch means",
        .problem = LOTOR_PROBLEM_FINITE,
        .paper = "Sajed 2019, Algorithm 9",
        .model = LOTOR_MODEL_CENTRAL,
        .theorem = "Laplace mechanism on disjoint batches (Sajed 2019, Theorem 5.1.1)",
        .regret = "proved: sum over arms of log T / gap, plus K log T / epsilon",
        .feedback = "one",
        .needs_horizon = true,
        .instead = "batch-klucb",
        .elimination = &lotor_rule_dp_se,
        .epochs = LOTOR_EPOCH_BATCH,
    },
    {
        .id = "dp-se2",
        .summary = "elimination behind a sparse-vector gate",
        .problem = LOTOR_PROBLEM_FINITE,
        .paper = "Sajed 2019, Algorithm 10",
        .model = LOTOR_MODEL_CENTRAL,
        .theorem = "sparse vector and Laplace, epsilon/2 each (Sajed 2019, chapter 5)",
        .regret = "proved: sum over arms of log T / gap, plus K log T / epsilon",
        .feedback = "one",
        .needs_horizon = true,
        .instead = "batch-klucb",
        .elimination = &lotor_rule_dp_se2,
        .epochs = LOTOR_EPOCH_GATED,
    },
    {
        .id = "dp-se2-modified",
        .summary = "dp-se2 with smaller constants",
        .problem = LOTOR_PROBLEM_FINITE,
        .paper = "Sajed 2019, appendix A.2",
        .model = LOTOR_MODEL_CENTRAL,
        .theorem = "sparse vector and Laplace, epsilon/2 each (Sajed 2019, chapter 5)",
        .regret = "measured",
        .feedback = "one",
        .needs_horizon = true,
        .instead = "batch-klucb",
        .elimination = &lotor_rule_dp_se2_modified,
        .epochs = LOTOR_EPOCH_GATED,
    },
    {
        .id = "dp-ucb-tight",
        .summary = "dp-ucb with a width that fits the noise",
        .problem = LOTOR_PROBLEM_FINITE,
        .paper = "Sajed 2019, Algorithm 6, repaired",
        .model = LOTOR_MODEL_CENTRAL,
        .theorem = "binary mechanism, one tree per arm (src/privacy/release/statistic.md)",
        .regret = "measured",
        .feedback = "one",
        .needs_horizon = true,
        .instead = "batch-klucb",
        .index = &lotor_rule_dp_ucb_tight,
        .statistic = &lotor_statistic_tree_tight,
    },
    {
        .id = "dp-se-acc",
        .summary = "elimination on batch sums that add up",
        .problem = LOTOR_PROBLEM_FINITE,
        .paper = "Ours, after Sajed 2019, Algorithm 9",
        .model = LOTOR_MODEL_CENTRAL,
        .theorem = "Laplace mechanism on disjoint batches (src/privacy/release/epoch.md)",
        .strength = "It drops arms for good, which suits those who must end up with one.",
        .regret = "measured",
        .feedback = "one",
        .needs_horizon = true,
        .instead = "batch-klucb",
        .elimination = &lotor_rule_dp_se_acc,
        .epochs = LOTOR_EPOCH_ADDED,
    },
    {
        .id = "omm",
        .summary = "optimistic matroid maximization",
        .problem = LOTOR_PROBLEM_MATROID,
        .paper = "Kveton et al. 2014 (Chandak 2023, chapter 3)",
        .not_private = NO_NOISE,
        .regret = "proved: sum over arms of log T / gap",
        .feedback = "semi",
        .index = &lotor_rule_ucb,
        .statistic = &lotor_statistic_exact,
    },
    {
        .id = "cts",
        .summary = "combinatorial Thompson sampling, Gaussian",
        .problem = LOTOR_PROBLEM_MATROID,
        .paper = "Wang and Chen 2018 (Chandak 2023, chapter 3)",
        .not_private = NO_NOISE,
        .regret = "proved: sum over arms of log T / gap",
        .feedback = "semi",
        .index = &lotor_rule_cts,
        .statistic = &lotor_statistic_exact,
    },
    {
        .id = "cts-beta",
        .summary = "combinatorial Thompson sampling, Beta",
        .problem = LOTOR_PROBLEM_MATROID,
        .paper = "Wang and Chen 2018 (Chandak 2023, chapter 3)",
        .not_private = NO_NOISE,
        .regret = "proved: sum over arms of log T / gap",
        .feedback = "semi",
        .index = &lotor_rule_cts_beta,
        .statistic = &lotor_statistic_exact,
    },
    {
        .id = "dpucb-mat",
        .summary = "upper confidence bounds on doubling batches",
        .problem = LOTOR_PROBLEM_MATROID,
        .paper = "Chandak 2023, Algorithm 2",
        .model = LOTOR_MODEL_CENTRAL,
        .theorem = "Laplace mechanism on disjoint batches (src/privacy/release/statistic.md)",
        .regret = "proved: Chandak 2023, Theorem 9",
        .feedback = "semi",
        .index = &lotor_rule_dpucb_mat,
        .statistic = &lotor_statistic_doubling,
    },
    {
        .id = "dpts-mat",
        .summary = "Thompson sampling on doubling batches",
        .problem = LOTOR_PROBLEM_MATROID,
        .paper = "Chandak 2023, Algorithm 5",
        .model = LOTOR_MODEL_CENTRAL,
        .theorem = "Laplace mechanism on disjoint batches (src/privacy/release/statistic.md)",
        .regret = "proved: Chandak 2023, Theorem 11",
        .feedback = "semi",
        .index = &lotor_rule_dpts_mat,
        .statistic = &lotor_statistic_doubling,
    },
    {
        .id = "cucb",
        .summary = "combinatorial upper confidence bounds",
        .problem = LOTOR_PROBLEM_SEMIBANDIT,
        .paper = "Chen, Wang and Yuan 2013 (Chen et al. 2020, section 3)",
        .not_private = NO_NOISE,
        .regret = "proved: sum over arms of K log T / gap for linear rewards",
        .feedback = "semi",
        .index = &lotor_rule_cucb,
        .statistic = &lotor_statistic_exact,
    },
    {
        .id = "cucb-ldp1",
        .summary = "every shown arm reports with noise",
        .problem = LOTOR_PROBLEM_SEMIBANDIT,
        .paper = "Chen et al. 2020, Algorithm 1",
        .model = LOTOR_MODEL_LOCAL,
        .theorem = "Laplace mechanism on one round's K rewards (Chen et al. 2020, Theorem 1)",
        .regret = "measured (Theorem 2's width is too narrow for its noise)",
        .feedback = "semi",
        .needs_horizon = true,
        .index = &lotor_rule_cucb_ldp1,
        .statistic = &lotor_statistic_reports,
    },
    {
        .id = "cucb-ldp2",
        .summary = "the least-updated shown arm reports with noise",
        .problem = LOTOR_PROBLEM_SEMIBANDIT,
        .paper = "Chen et al. 2020, Algorithm 2",
        .model = LOTOR_MODEL_LOCAL,
        .theorem = "Laplace mechanism on one reward (Chen et al. 2020, Theorem 3)",
        .regret = "proved for small epsilon: sum over arms of log T / (epsilon^2 gap)",
        .feedback = "least-shown",
        .needs_horizon = true,
        .index = &lotor_rule_cucb_ldp2,
        .statistic = &lotor_statistic_reports,
    },
    {
        .id = "cucb-dp",
        .summary = "one vector tree over all rounds",
        .problem = LOTOR_PROBLEM_SEMIBANDIT,
        .paper = "Chen et al. 2020, Algorithm 3",
        .model = LOTOR_MODEL_CENTRAL,
        .theorem = "binary mechanism on vectors of L1 sensitivity K (Chen et al. 2020, Theorem 7)",
        .regret = "proved: Chen et al. 2020, Theorem 8",
        .feedback = "semi",
        .needs_horizon = true,
        .index = &lotor_rule_cucb_dp,
        .statistic = &lotor_statistic_vector_tree,
    },
    {
        .id = "cucb-dp2",
        .summary = "a vector tree over the least-updated shown arms",
        .problem = LOTOR_PROBLEM_SEMIBANDIT,
        .paper = "Chen et al. 2020, section 3.2",
        .model = LOTOR_MODEL_CENTRAL,
        .theorem = "binary mechanism on vectors of L1 sensitivity 1 (Chen et al. 2020, 3.2)",
        .regret = "measured",
        .feedback = "least-shown",
        .needs_horizon = true,
        .index = &lotor_rule_cucb_dp2,
        .statistic = &lotor_statistic_vector_tree,
    },
    {
        .id = "cucb-ldp-gauss",
        .summary = "every shown arm reports with Gaussian noise",
        .problem = LOTOR_PROBLEM_SEMIBANDIT,
        .paper = "Wang et al. 2022, Algorithm 4",
        .model = LOTOR_MODEL_LOCAL,
        .not_private = "it starts with one answer for every arm without noise, and its sigma is "
                       "proved for epsilon up to 1 only",
        .regret = "measured",
        .feedback = "semi",
        .delta = {1, 1000},
        .starts_exact = true,
        .index = &lotor_rule_cucb_ldp_gauss,
        .statistic = &lotor_statistic_reports_gaussian,
    },
    {
        .id = "cucb-dp-lazy",
        .summary = "doubling batches under any oracle",
        .problem = LOTOR_PROBLEM_SEMIBANDIT,
        .paper = "Chen et al. 2020, Algorithm 3, repaired",
        .model = LOTOR_MODEL_CENTRAL,
        .theorem = "Laplace mechanism on disjoint batches (src/privacy/release/statistic.md)",
        .regret = "measured",
        .feedback = "semi",
        .index = &lotor_rule_dpucb_mat,
        .statistic = &lotor_statistic_doubling,
    },
    {
        .id = "cucb-ldp-box",
        .summary = "all rewards in one report on the cube",
        .problem = LOTOR_PROBLEM_SEMIBANDIT,
        .paper = "Chen et al. 2020, Algorithm 1, repaired (Duchi et al. 2018)",
        .model = LOTOR_MODEL_LOCAL,
        .theorem = "randomized signs, ties on one side (src/privacy/local/cube.md)",
        .regret = "measured",
        .feedback = "semi",
        .index = &lotor_rule_cucb_ldp_box,
        .statistic = &lotor_statistic_cube_reports,
    },
    {
        .id = "cascade-ucb",
        .summary = "a list by upper confidence bounds",
        .problem = LOTOR_PROBLEM_CASCADE,
        .paper = "Kveton et al. 2015 (Wang et al. 2022)",
        .not_private = NO_NOISE,
        .regret = "proved: sum over items of log T / gap",
        .feedback = "cascade",
        .index = &lotor_rule_cucb,
        .statistic = &lotor_statistic_exact,
    },
    {
        .id = "cascade-dp",
        .summary = "a list by a hybrid counter per item",
        .problem = LOTOR_PROBLEM_CASCADE,
        .paper = "Wang et al. 2022, Algorithm 1",
        .model = LOTOR_MODEL_CENTRAL,
        .not_private = "how often an item was looked at depends on the clicks and is used without "
                       "noise; and it starts with one answer for every item without noise",
        .regret = "measured",
        .feedback = "cascade",
        .needs_horizon = true,
        .starts_exact = true,
        .index = &lotor_rule_cascade_dp,
        .statistic = &lotor_statistic_hybrid,
        .calibration = LOTOR_CALIBRATION_ARMS,
    },
    {
        .id = "cascade-ldp-laplace",
        .summary = "positions up to the click report with Laplace noise",
        .problem = LOTOR_PROBLEM_CASCADE,
        .paper = "Wang et al. 2022, Algorithm 2",
        .model = LOTOR_MODEL_LOCAL,
        .not_private = CLICK_LEAK,
        .regret = "measured",
        .feedback = "cascade",
        .starts_exact = true,
        .index = &lotor_rule_cascade_ldp_laplace,
        .statistic = &lotor_statistic_reports,
        .calibration = LOTOR_CALIBRATION_SLOTS,
    },
    {
        .id = "cascade-ldp-gauss",
        .summary = "positions up to the click report with Gaussian noise",
        .problem = LOTOR_PROBLEM_CASCADE,
        .paper = "Wang et al. 2022, Algorithm 3",
        .model = LOTOR_MODEL_LOCAL,
        .not_private = CLICK_LEAK,
        .regret = "measured",
        .feedback = "cascade",
        .delta = {1, 1000},
        .starts_exact = true,
        .index = &lotor_rule_cascade_ldp_gauss,
        .statistic = &lotor_statistic_reports_gaussian,
        .calibration = LOTOR_CALIBRATION_SLOTS,
    },
    {
        .id = "cascade-ldp-composed",
        .summary = "the same with Laplace noise by a composition theorem",
        .problem = LOTOR_PROBLEM_CASCADE,
        .paper = "Wang et al. 2022, Theorem 8",
        .model = LOTOR_MODEL_LOCAL,
        .not_private = CLICK_LEAK,
        .regret = "measured",
        .feedback = "cascade",
        .delta = {1, 1000},
        .starts_exact = true,
        .index = &lotor_rule_cascade_ldp_composed,
        .statistic = &lotor_statistic_reports_composed,
        .calibration = LOTOR_CALIBRATION_SLOTS,
    },
    {
        .id = "cascade-dp-lazy",
        .summary = "a list by doubling batches of displays",
        .problem = LOTOR_PROBLEM_CASCADE,
        .paper = "Wang et al. 2022, Algorithm 1, repaired",
        .model = LOTOR_MODEL_CENTRAL,
        .theorem = "Laplace mechanism on batches of displays (src/privacy/release/rounds.md)",
        .regret = "measured",
        .feedback = "cascade",
        .index = &lotor_rule_cascade_dp_lazy,
        .statistic = &lotor_statistic_click_batches,
    },
    {
        .id = "cascade-ldp-rr",
        .summary = "the click's place by randomized response",
        .problem = LOTOR_PROBLEM_CASCADE,
        .paper = "Wang et al. 2022, Algorithm 2, repaired",
        .model = LOTOR_MODEL_LOCAL,
        .theorem = "randomized response on K + 1 places (src/privacy/local/position.md)",
        .regret = "measured",
        .feedback = "cascade",
        .index = &lotor_rule_cascade_ldp_rr,
        .statistic = &lotor_statistic_click_reports,
    },
    {
        .id = "linucb",
        .summary = "optimism over an ellipsoid",
        .problem = LOTOR_PROBLEM_LINEAR,
        .paper = "Abbasi-Yadkori et al. 2011 (Shariff and Sheffet 2018)",
        .not_private = NO_NOISE,
        .regret = "proved: d sqrt(T) log T",
        .feedback = "one",
        .needs_horizon = true,
        .linear = &lotor_rule_linucb,
        .matrix = LOTOR_MATRIX_EXACT,
    },
    {
        .id = "jdp-linucb-gauss",
        .summary = "optimism on a Gaussian matrix tree",
        .problem = LOTOR_PROBLEM_LINEAR,
        .paper = "Shariff and Sheffet 2018, section 4.2",
        .model = LOTOR_MODEL_JOINT,
        .theorem = "Gaussian mechanism on tree nodes by zCDP (src/privacy/release/matrix.md)",
        .regret = "proved: Shariff and Sheffet 2018, Corollary 12",
        .feedback = "one",
        .delta = {1, 100000},
        .needs_horizon = true,
        .linear = &lotor_rule_jdp_gaussian,
        .matrix = LOTOR_MATRIX_GAUSSIAN,
    },
    {
        .id = "jdp-linucb-wishart",
        .summary = "optimism on a Wishart matrix tree",
        .problem = LOTOR_PROBLEM_LINEAR,
        .paper = "Shariff and Sheffet 2018, section 4.1",
        .model = LOTOR_MODEL_JOINT,
        .theorem =
            "Wishart noise on tree nodes (Sheffet 2015; Shariff and Sheffet 2018, Theorem 8)",
        .regret = "proved: Shariff and Sheffet 2018, Corollary 10",
        .feedback = "one",
        .delta = {1, 100000},
        .needs_horizon = true,
        .is_simulation_only = true,
        .linear = &lotor_rule_jdp_wishart,
        .matrix = LOTOR_MATRIX_WISHART,
    },
    {
        .id = "jdp-linucb-wishart-shifted",
        .summary = "the same, shifted towards zero",
        .problem = LOTOR_PROBLEM_LINEAR,
        .paper = "Shariff and Sheffet 2018, section 4.1, equation 4",
        .model = LOTOR_MODEL_JOINT,
        .theorem =
            "Wishart noise on tree nodes (Sheffet 2015; Shariff and Sheffet 2018, Theorem 8)",
        .regret = "proved: Shariff and Sheffet 2018, Corollary 10",
        .feedback = "one",
        .delta = {1, 100000},
        .needs_horizon = true,
        .is_simulation_only = true,
        .linear = &lotor_rule_jdp_wishart_shifted,
        .matrix = LOTOR_MATRIX_WISHART,
    },
    {
        .id = "jdp-linucb",
        .summary = "the Gaussian matrix tree with the noise that is needed",
        .problem = LOTOR_PROBLEM_LINEAR,
        .paper = "Shariff and Sheffet 2018, section 4.2, repaired",
        .model = LOTOR_MODEL_JOINT,
        .theorem = "Gaussian mechanism on tree nodes by zCDP (src/privacy/release/matrix.md)",
        .regret = "measured",
        .feedback = "one",
        .delta = {1, 100000},
        .needs_horizon = true,
        .linear = &lotor_rule_jdp_linucb,
        .matrix = LOTOR_MATRIX_TIGHT,
    },
    {
        .id = "jdp-batch",
        .summary = "optimism on a few noisy batches",
        .problem = LOTOR_PROBLEM_LINEAR,
        .paper = "Lotor (src/learn/linear_batch.md)",
        .model = LOTOR_MODEL_JOINT,
        .theorem = "Gaussian mechanism on disjoint batches by zCDP "
                   "(src/privacy/release/matrix_batch.md)",
        .strength = "It releases a few large batches, whose noise is far less than that of a tree "
                    "that is read every round.",
        .regret = "measured",
        .feedback = "one",
        .delta = {1, 100000},
        .needs_horizon = true,
        .linear = &lotor_rule_jdp_batch,
        .matrix = LOTOR_MATRIX_BATCH,
    },
};

const size_t lotor_catalog_size = sizeof lotor_catalog / sizeof *lotor_catalog;

const lotor_algorithm *lotor_catalog_find(const char *id)
{
    for (size_t i = 0; id && i < lotor_catalog_size; i++) {
        if (strcmp(lotor_catalog[i].id, id) == 0) {
            return &lotor_catalog[i];
        }
    }
    return NULL;
}

const char *lotor_catalog_nearest(const char *word)
{
    lotor_suggestion suggestion;
    lotor_suggestion_start(&suggestion, word);
    for (size_t i = 0; i < lotor_catalog_size; i++) {
        lotor_suggestion_offer(&suggestion, lotor_catalog[i].id);
    }
    return suggestion.nearest;
}

lotor_status lotor_catalog_refuse(const char *word, lotor_message *why)
{
    if (!word || *word == '\0') {
        return lotor_fail(LOTOR_UNKNOWN, why,
                          "no algorithm is named: give the id of one, such as dp-se");
    }
    const char *nearest = lotor_catalog_nearest(word);
    return lotor_fail(LOTOR_UNKNOWN, why, "there is no algorithm %s%s%s%s",
                      lotor_quote_text(word).text, nearest ? ": did you mean " : "",
                      nearest ? nearest : "", nearest ? "?" : "");
}

const char *lotor_problem_name(lotor_problem problem)
{
    static const char *const names[] = {"finite",  "matroid", "semi-bandit",
                                        "cascade", "linear",  "any"};
    assert((size_t)problem < sizeof names / sizeof *names);
    return names[problem];
}

const char *lotor_model_name(lotor_model model)
{
    static const char *const names[] = {"none", "central", "local", "joint"};
    assert((size_t)model < sizeof names / sizeof *names);
    return names[model];
}

const char *lotor_algorithm_learner(const lotor_algorithm *algorithm)
{
    assert(!!algorithm->index + !!algorithm->elimination + !!algorithm->linear == 1);
    return algorithm->index ? "index" : algorithm->elimination ? "elimination" : "linear";
}

const char *lotor_algorithm_statistic(const lotor_algorithm *algorithm)
{
    return algorithm->index         ? algorithm->statistic->name
           : algorithm->elimination ? lotor_epoch_name(algorithm->epochs)
                                    : lotor_matrix_name(algorithm->matrix);
}

const char *lotor_algorithm_rule(const lotor_algorithm *algorithm)
{
    return algorithm->index         ? algorithm->index->formula
           : algorithm->elimination ? algorithm->elimination->formula
                                    : algorithm->linear->formula;
}
