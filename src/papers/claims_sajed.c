/* claims_sajed.c - the claims of Sajed 2019, abstract to chapter 7. The appendix is in
 * claims_sajed_a.c. */
#include "papers/claims_table.h"

#define AUTHOR "sajed"
#define PAPER  "Sajed 2019"

const lotor_paper_claim lotor_claims_sajed[] = {
    /* --- abstract and chapter 1 --- */
    CLAIM("ch-1-optimal", "abstract; chapter 1; after Theorems 5.1.3 and A.1.3", REGRET, UNCHECKED,
          "DP-SE and DP-SE 2 reach both lower bounds up to constants: the sum of log T/gap, and K "
          "log T/epsilon.",
          CITED_FROM("Lai and Robbins 1985; Shariff and Sheffet 2018: the lower bounds"),
          UNCHECKED_BECAUSE("it follows from Theorem 5.1.3 and Corollary A.1.3, see there")),
    CLAIM("ch-1-stopping", "abstract; chapter 1", BOUND, UNCHECKED,
          "The private stopping rule needs the least number of samples, up to constants.",
          UNCHECKED_BECAUSE("it follows from Theorems 4.1.3 and 4.2.1, see there")),
    CLAIM("ch-1-tree-noise", "chapter 1, the private lower bound", AUXILIARY, PROVED,
          "The binary tree adds noise of variance of order log^3 T/epsilon^2 to each sum.",
          PROVED_IN(MATHEMATICS, "4.4 Binary tree"),
          HELD_BY("test_release_noise", "exact_noise_has_the_promised_variance"), ERRATUM("13")),
    CLAIM("ch-1-tree-regret", "chapter 1; section 3.4", BOUND, UNCHECKED,
          "UCB on binary trees loses more than order K log T/epsilon to privacy: at least K "
          "log^2.5 T/epsilon.",
          UNCHECKED_BECAUSE("the thesis has no proof, and no test looks for one")),
    CLAIM("ch-1-experiments", "abstract; chapter 1", EXPERIMENT, PLAYED,
          "DP-SE and DP-SE 2 beat DP-UCB in experiments, over a wide range of settings.",
          PLAYED_BY("sajed-all", "in every setting dp-se loses less than dp-ucb"),
          PLAYED_BY("sajed-a.2 sajed-a.3 sajed-a.4a sajed-a.4b", "dp-se2 loses less than dp-ucb")),
    CLAIM("ch-1-least", "chapter 1, contribution", EXPERIMENT, PLAYED,
          "Of DP-UCB, DP-SE and DP-SE 2, DP-SE has the least regret.",
          PLAYED_BY("sajed-all", "in every setting dp-se loses less than dp-ucb"),
          PLAYED_BY("sajed-all", "in every setting dp-se loses less than dp-se2")),

    /* --- chapter 2 --- */
    CLAIM(
        "ch-2-lower-bounds", "sections 2.1 and 2.2", BOUND, CITED,
        "Without privacy: regret of order log T/gap per arm, and of order sqrt(TK); a stopping "
        "rule needs of order max(variance/(alpha mu)^2, R/(alpha |mu|)) log(1/beta) samples.",
        CITED_FROM("Lai and Robbins 1985; Auer, Cesa-Bianchi and Fischer 2002; Dagum et al. 2000")),
    CLAIM("fact-2.1.1", "Fact 2.1.1", AUXILIARY, CITED,
          "Hoeffding's inequality: the mean of t samples in a range R is off by R "
          "sqrt(log(2/beta)/(2t)) or more with probability at most beta.",
          CITED_FROM("Hoeffding 1963")),
    CLAIM("lem-2.1.2", "Lemma 2.1.2", AUXILIARY, TESTED,
          "K numbers with sum N: the sum of sqrt(a_i b) is at most sqrt(N K b).",
          HELD_BY("test_paper_lemmas", "roots_are_largest_if_equal")),
    CLAIM("lem-2.1.3", "Lemma 2.1.3", AUXILIARY, TESTED,
          "UCB shows a worse arm only if a mean is outside of its width, or the arm was shown at "
          "most 8 log T/gap^2 times.",
          HELD_BY("test_paper_lemmas", "ucb_prefers_a_worse_arm_for_one_of_three_reasons")),
    CLAIM("thm-2.1.4", "Theorem 2.1.4", REGRET, UNCHECKED,
          "UCB: regret at most t, of order sqrt(K t log t), and at most 8 log T/gap + 1.42 gap, "
          "summed over the worse arms.",
          HELD_BY("test_plain", "ucb_regret_grows_like_log"),
          HELD_BY("test_paper_lemmas", "ucb_prefers_a_worse_arm_for_one_of_three_reasons"),
          UNCHECKED_BECAUSE("the proof is not repeated; the test has 8 log T/gap on one instance")),
    CLAIM("thm-2.1.5", "Theorem 2.1.5", REGRET, UNCHECKED,
          "Successive elimination: regret at most t, of order sqrt(K t log T), and at most 32 log "
          "T/gap for each worse arm.",
          ERRATUM("7"),
          UNCHECKED_BECAUSE("the proof is not repeated, and no test compares with 32")),
    CLAIM("thm-2.2.1", "Theorem 2.2.1", AUXILIARY, FALSE,
          "NAS is an (alpha, beta) stopping rule: its estimate is off by more than alpha |mu| with "
          "probability at most beta.",
          ERRATUM("9"), HELD_BY("test_paper_lemmas", "nas_as_printed_fails_too_often"),
          HELD_BY("test_stopping", "estimates_are_as_close_as_promised")),
    CLAIM("thm-2.2.2", "Theorem 2.2.2", BOUND, REPAIRED,
          "NAS halts after at most of order (R/(alpha mu))^2 (log(1/beta) + log(R/(alpha |mu|))) "
          "samples.",
          ERRATUM("29"),
          HELD_BY("test_paper_lemmas", "one_part_of_the_samples_of_nas_is_too_small")),
    CLAIM("sec-2.2.1-mean", "section 2.2.1, after Theorem 2.2.2", BOUND, UNCHECKED,
          "With error probabilities beta/(1.21 t^3), the same bound holds for the mean number of "
          "samples.",
          HELD_BY("test_paper_lemmas", "ucb_prefers_a_worse_arm_for_one_of_three_reasons"),
          UNCHECKED_BECAUSE("the test has only the constant 1.21; the thesis has no proof")),
    CLAIM("fact-2.2.3", "Facts 2.2.3 and A.3.1", AUXILIARY, TESTED,
          "For a >= 1 and b <= 1/16, log(a x)/x is above b from e to x0 = log(a/b)/b, and below b "
          "from 2 x0 on.",
          HELD_BY("test_paper_lemmas", "a_logarithm_over_x_falls_below_b")),

    /* --- chapter 3 --- */
    CLAIM("prop-3.1.1", "Proposition 3.1.1", PRIVACY, PROVED,
          "A function of private output is private.", PROVED_IN(MATHEMATICS, "1. Definitions")),
    CLAIM("thm-3.1.2", "Theorem 3.1.2", PRIVACY, TESTED,
          "Two independent private mechanisms on the same data are private with the sum of their "
          "epsilons.",
          HELD_BY("test_account", "composition_is_exact_by_enumeration")),
    CLAIM("thm-3.1.3", "Theorem 3.1.3", PRIVACY, PROVED,
          "Private mechanisms on fixed disjoint parts of the data are together private with the "
          "same epsilon.",
          PROVED_IN(MATHEMATICS, "2. One argument for all"), PROVED_IN(MATHEMATICS, "4.1 Batches")),
    CLAIM("fact-3.1.4", "Fact 3.1.4", AUXILIARY, PROVED,
          "Laplace noise of scale b has mean 0, variance 2 b^2, and passes x, to one side or the "
          "other, with probability e^(-x/b).",
          PROVED_IN(MATHEMATICS, "3. Noise"),
          HELD_BY("test_noise_tails", "laplace_noise_has_its_tails"),
          HELD_BY("test_exact", "laplace_has_its_law")),
    CLAIM("thm-3.1.5", "Theorem 3.1.5", PRIVACY, PROVED,
          "Laplace noise of scale sensitivity/epsilon is epsilon-private.",
          PROVED_IN(MATHEMATICS, "2. One argument for all"),
          HELD_BY("test_verify", "laplace_holds")),
    CLAIM("thm-3.1.6", "Theorem 3.1.6", AUXILIARY, PROVED,
          "All k noises stay below sensitivity log(k/beta)/epsilon with probability 1 - beta.",
          PROVED_IN(MATHEMATICS, "3. Noise"),
          HELD_BY("test_noise_tails", "laplace_noise_has_its_tails")),
    CLAIM("thm-3.2.1", "Theorem 3.2.1", PRIVACY, PROVED,
          "Sparse vector with noise 3 sensitivity/epsilon on threshold and queries is "
          "epsilon-private.",
          PROVED_IN("src/privacy/release/sparse.md", "Sparse vector"),
          HELD_BY("test_verify", "sparse_holds"), HELD_BY("test_verify", "sparse_is_nearly_tight"),
          ERRATUM("8")),
    CLAIM("thm-3.2.2", "Theorem 3.2.2", AUXILIARY, TYPO,
          "If all queries but the last are well below the threshold, sparse vector answers within "
          "6 (log k + log(2/beta))/epsilon, whatever the sensitivity.",
          ERRATUM("34"), HELD_BY("test_errata", "sparse_vector_leaves_out_its_sensitivity"),
          HELD_BY("test_paper_lemmas", "sparse_vector_is_as_accurate_as_claimed")),
    CLAIM("sec-3.3-accuracy", "section 3.3", AUXILIARY, PROVED,
          "The tree's sums are off by at most of order log^1.5 T log(1/beta)/epsilon.",
          PROVED_IN(MATHEMATICS, "4.4 Binary tree"),
          HELD_BY("test_release_noise", "exact_noise_has_the_promised_variance")),
    CLAIM("thm-3.3.1", "Theorem 3.3.1", PRIVACY, PROVED,
          "The binary tree with noise (ceil(log2 T) + 1)/epsilon on each node is epsilon-private.",
          PROVED_IN("src/privacy/release/tree.md", "Binary tree counter"),
          HELD_BY("test_verify", "tree_holds"),
          HELD_BY("test_verify", "a_level_fewer_is_its_share"), ERRATUM("13")),
    CLAIM("sec-3.4-privacy", "section 3.4, Algorithm 6", PRIVACY, PROVED,
          "DP-UCB, with a tree at a full epsilon for every arm, is epsilon-private.",
          PROVED_IN(STATISTIC, "Trees and doubling batches"),
          HELD_BY("test_couple", "every_proof_holds_and_every_leak_shows"), ERRATUM("4")),
    CLAIM("sec-3.4-regret", "section 3.4", REGRET, CITED,
          "DP-UCB: regret of order log^2 T log(KT/beta)/(epsilon gap), summed over the worse arms.",
          CITED_FROM("Mishra and Thakurta 2015"), HELD_BY("test_plain", "dp_ucb_follows_gamma")),

    /* --- chapter 4 --- */
    CLAIM("thm-4.1.1", "Theorem 4.1.1", PRIVACY, PROVED,
          "DP-NAS is epsilon-private and an (alpha, beta) stopping rule.",
          PROVED_IN("src/privacy/release/stopping.md", "Stopping rules"),
          HELD_BY("test_couple", "stopping_rules_are_coupled"),
          HELD_BY("test_stopping", "dp_nas_is_algorithm_7"),
          HELD_BY("test_stopping", "estimates_are_as_close_as_promised"),
          UNCHECKED_BECAUSE("accuracy is proved in the thesis; here it is only tested")),
    CLAIM("cor-4.1.2", "Corollary 4.1.2", PRIVACY, PROVED,
          "DP exponential NAS is epsilon-private and an (alpha, beta) stopping rule.",
          PROVED_IN("src/privacy/release/stopping.md", "Stopping rules"),
          HELD_BY("test_couple", "stopping_rules_are_coupled"),
          HELD_BY("test_stopping", "estimates_are_as_close_as_promised"),
          UNCHECKED_BECAUSE("accuracy is proved in the thesis; here it is only tested")),
    CLAIM("thm-4.1.3", "Theorem 4.1.3", BOUND, FALSE,
          "DP exponential NAS halts, for beta <= 0.08, within 2000 times (R/(alpha mu))^2 l + R "
          "l/(epsilon |mu|) + R log(1/beta)/(epsilon alpha |mu|) samples, l = log(log(R/(alpha "
          "|mu|))/beta).",
          ERRATUM("26"), HELD_BY("test_errata", "the_stopping_time_is_negative_near_one")),
    CLAIM("thm-4.2.1", "Theorem 4.2.1", BOUND, UNCHECKED,
          "Every epsilon-private stopping rule needs of order R log(1/beta)/(epsilon alpha |mu|) "
          "samples.",
          UNCHECKED_BECAUSE("the proof rests on Lemma 4.2.2 and is not repeated here")),
    CLAIM("lem-4.2.2", "Lemma 4.2.2", PRIVACY, CITED,
          "On n samples from one of two laws, an epsilon-private output tells them apart by at "
          "most e^(6 epsilon n d), d their total variation distance.",
          CITED_FROM("Karwa and Vadhan 2018, Lemma 6.1")),
    CLAIM("cor-4.2.3", "Corollary 4.2.3", BOUND, UNCHECKED,
          "Some law needs (R/(alpha mu))^2 log(1/beta) + R log(1/beta)/(epsilon alpha |mu|) "
          "samples, in order.",
          UNCHECKED_BECAUSE("it adds Theorem 4.2.1 to a bound of Dagum et al. 2000")),
    CLAIM("sec-4.2-optimal", "section 4.2, discussion", BOUND, UNCHECKED,
          "If log(R/(alpha |mu|)) <= 1/beta, Theorem 4.1.3 matches Corollary 4.2.3.",
          UNCHECKED_BECAUSE("a comparison of the two bounds, which are checked alone")),

    /* --- chapter 5 --- */
    CLAIM("sec-5.1-attempts", "section 5.1, failed attempts", PRIVACY, UNCHECKED,
          "Sparse vector for all pairs of arms, for every arm, or for all arms together costs a "
          "factor of K.",
          UNCHECKED_BECAUSE("it argues why the algorithm is as it is; nothing uses it")),
    CLAIM("thm-5.1.1", "Theorem 5.1.1", PRIVACY, PROVED, "DP-SE is epsilon-private.",
          PROVED_IN(MATHEMATICS, "4.8 Epochs of elimination"),
          HELD_BY("test_couple", "every_proof_holds_and_every_leak_shows"),
          HELD_BY("test_audit", "half_the_noise_is_found")),
    CLAIM("lem-5.1.2", "Lemma 5.1.2", REGRET, REPAIRED,
          "DP-SE shows a worse arm, with probability 1 - beta, at most of order (log(K/beta) + log "
          "log(1/gap)) (1/gap^2 + 1/(epsilon gap)) times.",
          ERRATUM("28"), HELD_BY("test_errata", "epochs_do_not_always_double")),
    CLAIM("thm-5.1.3", "Theorem 5.1.3", REGRET, REPAIRED,
          "DP-SE with beta = 1/T: regret of order log T/gap for each worse arm, plus K log "
          "T/epsilon, for large T.",
          ERRATUM("28"), HELD_BY("test_errata", "epochs_do_not_always_double"),
          HELD_BY("test_plain", "dp_se_at_full_scale_agrees")),
    CLAIM("thm-5.1.4", "Theorem 5.1.4", REGRET, UNCHECKED,
          "DP-SE with beta = 1/T, whatever the gaps: regret of order sqrt(TK log T) + K log "
          "T/epsilon.",
          UNCHECKED_BECAUSE("the proof is not repeated, and no experiment varies the gaps with T")),
    CLAIM("sec-5.1-minimax", "after Theorems 5.1.4 and A.1.4", REGRET, UNCHECKED,
          "That is sqrt(log T) away from the lower bound.",
          UNCHECKED_BECAUSE("a comparison with a bound of Auer, Cesa-Bianchi and Fischer 2002")),

    /* --- chapter 6 --- */
    CLAIM("ch-6-means", "chapter 6, setting", EXPERIMENT, TYPO,
          "The means of C1 to C4; for five arms C2 and C4 are printed with 0.525.",
          ERRATUM("Sajed 2019, means of C2 and C4"),
          HELD_BY("test_world", "instances_have_their_means")),
    CLAIM("ch-6-variance", "chapter 6, footnote 1", EXPERIMENT, TESTED,
          "With means between 0.25 and 0.75 the variances of the arms differ by at most 4/3.",
          HELD_BY("test_paper_lemmas", "variances_of_the_instances_are_similar")),
    CLAIM("ch-6-outperforms", "chapter 6, goal; results", EXPERIMENT, PLAYED,
          "There are settings where DP-SE beats DP-UCB; in the results it always does.",
          PLAYED_BY("sajed-all", "in every setting dp-se loses less than dp-ucb")),
    CLAIM("ch-6-five-times", "chapter 6, results", EXPERIMENT, PLAYED,
          "In every setting that was tried, DP-SE is at least 5 times better than DP-UCB.",
          PLAYED_BY("sajed-6.", "dp-se is at least 5 times better"),
          PLAYED_BY("sajed-all", "in every setting dp-se loses at most a fifth")),
    CLAIM("ch-6-pieces", "chapter 6, results", EXPERIMENT, PLAYED,
          "The regret of DP-SE consists of straight pieces, and stops growing when all worse arms "
          "are out.",
          PLAYED_BY("sajed-6.1 sajed-6.2 sajed-6.3 sajed-6.4 sajed-6.2-printed sajed-6.4-printed",
                    "dp-se stops losing"),
          UNCHECKED_BECAUSE("that the pieces are straight is not measured")),
    CLAIM("ch-6-smooth", "chapter 6, results", EXPERIMENT, UNCHECKED,
          "The regret of DP-UCB is a smooth curve: it shows worse arms even late.",
          UNCHECKED_BECAUSE("no check looks at the shape of the curves of DP-UCB")),
};
const size_t lotor_claims_sajed_count = sizeof lotor_claims_sajed / sizeof *lotor_claims_sajed;
