/* catalog.c - the rows. Where a row differs from its paper: docs/errata.md. */
#include "policy/catalog.h"

#include <string.h>

#define NO_NOISE "it adds no noise: the non-private baseline"

const lotor_algorithm lotor_catalog[] = {
    {
        .id = "ucb",
        .summary = "upper confidence bounds",
        .problem = LOTOR_PROBLEM_FINITE,
        .paper = "Sajed 2019, Algorithm 1",
        .not_private = NO_NOISE,
        .regret = "proved: sum over arms of log T / gap",
        .feedback = "one",
        .index = &lotor_rule_ucb,
        .statistic = LOTOR_STATISTIC_EXACT,
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
        .instead = "dpucb-mat",
        .index = &lotor_rule_dp_ucb,
        .statistic = LOTOR_STATISTIC_TREE,
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
        .instead = "dpucb-mat",
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
        .instead = "dpucb-mat",
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
        .instead = "dpucb-mat",
        .elimination = &lotor_rule_dp_se2_modified,
        .epochs = LOTOR_EPOCH_GATED,
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
        .statistic = LOTOR_STATISTIC_EXACT,
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
        .statistic = LOTOR_STATISTIC_EXACT,
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
        .statistic = LOTOR_STATISTIC_EXACT,
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
        .statistic = LOTOR_STATISTIC_DOUBLING,
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
        .statistic = LOTOR_STATISTIC_DOUBLING,
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

const char *lotor_problem_name(lotor_problem problem)
{
    return problem == LOTOR_PROBLEM_FINITE ? "finite" : "matroid";
}

const char *lotor_algorithm_statistic(const lotor_algorithm *algorithm)
{
    return algorithm->index ? lotor_statistic_name(algorithm->statistic)
                            : lotor_epoch_name(algorithm->epochs);
}

const char *lotor_algorithm_rule(const lotor_algorithm *algorithm)
{
    return algorithm->index ? algorithm->index->formula : algorithm->elimination->formula;
}
