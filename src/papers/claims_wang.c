/* claims_wang.c - the claims of Wang et al. 2022. */
#include "papers/claims_table.h"

#define AUTHOR "wang"
#define PAPER  "Wang et al. 2022"

#define LEAKS                                                                                      \
    HELD_BY("test_couple", "every_proof_holds_and_every_leak_shows"),                              \
        HELD_BY("test_audit", "known_leaks_are_found")

const lotor_paper_claim lotor_claims_wang[] = {
    /* --- sections 1 to 4 --- */
    CLAIM("sec-1-experiments", "abstract; section 7", EXPERIMENT, PLAYED,
          "Experiments agree with the theory.",
          PLAYED_BY("wang-1e", "the Gaussian mechanism's loss falls"),
          PLAYED_BY("wang-1g", "20 items lose more"),
          PLAYED_BY("wang-2-slots", "the longer the list")),
    CLAIM("sec-2-others", "sections 1 and 2", REGRET, CITED,
          "Regret of other algorithms: O(log T) for cascades, log^3 T/epsilon for private bandits, "
          "log T/epsilon^2 with local privacy.",
          CITED_FROM("Kveton et al. 2015; Mishra and Thakurta 2015; Tossou and Dimitrakakis 2016; "
                     "Ren et al. 2020; Chen et al. 2020")),
    CLAIM("sec-1-squared", "section 1; section 5.1", REGRET, UNCHECKED,
          "Noise on every report of a list makes regret grow like K^2.",
          PLAYED_BY("wang-2-slots", NULL),
          UNCHECKED_BECAUSE("the figure compares two noises; it fits no power of K")),
    CLAIM("sec-3.1-product", "section 3.1, after Assumption 2", AUXILIARY, TESTED,
          "If items attract independently, a list is worth 1 minus the product of 1 - mean.",
          HELD_BY("test_plain_combinatorial", "lists_are_worth_products")),
    CLAIM("sec-4-length", "section 4", REGRET, UNCHECKED,
          "A tree over rounds instead of an item's observations would cost log^2.5 t.",
          UNCHECKED_BECAUSE("the paper has no proof")),
    CLAIM("lem-1-privacy", "Lemma 1", PRIVACY, PROVED, "The hybrid counter is epsilon-private.",
          PROVED_IN("src/privacy/release/hybrid.md", "Hybrid counter"),
          HELD_BY("test_verify", "hybrid_holds")),
    CLAIM("lem-1-noise", "Lemma 1", AUXILIARY, TYPO,
          "Its noise after n values is at most c1 log^1.5 n log(1/gamma)/epsilon with probability "
          "1 - gamma.",
          CITED_FROM("Chan, Shi and Song 2011"), ERRATUM("30"),
          HELD_BY("test_release_noise", "exact_noise_has_the_promised_variance"),
          ERRATUM("Wang et al. 2022, c1")),
    CLAIM("lem-2", "Lemma 2", PRIVACY, FALSE,
          "If the counters of all items are private, then so is Algorithm 1.", ERRATUM("2"),
          HELD_BY("test_audit", "the_event_is_said"), LEAKS),
    CLAIM("thm-1", "Theorem 1", PRIVACY, FALSE, "Algorithm 1 is epsilon-private.", ERRATUM("2"),
          ERRATUM("11"), HELD_BY("test_audit", "the_event_is_said"), LEAKS),
    CLAIM("thm-2", "Theorem 2; abstract", REGRET, GAP,
          "Algorithm 1: regret of order (L log T/epsilon)^(1+xi) for each worse item, xi as small "
          "as one likes.",
          ERRATUM("24"), HELD_BY("test_errata", "sufficiently_large_is_out_of_reach")),
    CLAIM("thm-2-universal", "after Theorem 2", REGRET, UNCHECKED,
          "The same method gives such bounds for semi-bandits and for one arm a round.",
          UNCHECKED_BECAUSE("the paper does not carry it out")),

    /* --- section 5 --- */
    CLAIM("thm-3", "Theorem 3", PRIVACY, FALSE,
          "Algorithm 2, Laplace noise K/epsilon on the reports up to the click, is epsilon-LDP.",
          ERRATUM("1"), ERRATUM("11"), LEAKS),
    CLAIM("thm-4", "Theorem 4", REGRET, REPAIRED,
          "Algorithm 2: regret at most 4 (sqrt 1.5 + K sqrt 24/epsilon)^2 log T/gap for each worse "
          "item, plus 2 pi^2 L/3.",
          ERRATUM("23"), HELD_BY("test_errata", "a_wrong_item_is_shown_twice_as_often_as_printed"),
          UNCHECKED_BECAUSE("beyond the constant the proof is not repeated")),
    CLAIM("lem-3", "Lemma 3", PRIVACY, FALSE,
          "Gaussian noise of sigma > sensitivity sqrt(2 log(1.25/delta))/epsilon is (epsilon, "
          "delta)-private, whatever epsilon is.",
          CITED_FROM("Zhao et al. 2019"), ERRATUM("12"),
          HELD_BY("test_paper_lemmas", "the_classical_gaussian_fails_for_a_large_epsilon")),
    CLAIM("thm-5", "Theorem 5", PRIVACY, FALSE,
          "Algorithm 3, Gaussian noise on the reports up to the click, is (epsilon, delta)-LDP.",
          ERRATUM("1"), ERRATUM("11"), ERRATUM("12"), HELD_BY("test_audit", "the_event_is_said"),
          LEAKS),
    CLAIM("thm-6", "Theorem 6; abstract", REGRET, TYPO,
          "Algorithm 3: regret at most 2 (2 sqrt 1.5 + 8 sqrt(K log(1.25/delta))/epsilon)^2 log "
          "T/gap for each worse item, without more.",
          ERRATUM("31"), UNCHECKED_BECAUSE("the rest of the proof is not repeated")),
    CLAIM("thm-7", "Theorem 7", PRIVACY, TESTED,
          "For epsilon <= 0.9: k mechanisms of epsilon/sqrt(4k log(e + epsilon/delta)) and "
          "delta/(2k) are together (epsilon, delta)-private.",
          CITED_FROM("Kairouz, Oh and Viswanath 2015, Corollary 4.1"),
          HELD_BY("test_paper_lemmas", "shares_of_a_budget_compose"), ERRATUM("12")),
    CLAIM("thm-8-privacy", "Theorem 8", PRIVACY, FALSE,
          "With Laplace noise sqrt(4K log(e + epsilon/delta))/epsilon the algorithm is (epsilon, "
          "delta)-LDP.",
          ERRATUM("1"), ERRATUM("11"), LEAKS),
    CLAIM("thm-8-regret", "Theorem 8; abstract", REGRET, UNCHECKED,
          "Its regret is of order K log(1/delta) log T/epsilon^2.",
          UNCHECKED_BECAUSE("the paper has no proof; no figure plays this algorithm")),
    CLAIM("thm-9", "Theorem 9", PRIVACY, FALSE,
          "Algorithm 4, Gaussian reports in a semi-bandit, is (epsilon, delta)-LDP.", ERRATUM("11"),
          ERRATUM("12"), HELD_BY("test_audit", "the_event_is_said"), LEAKS),
    CLAIM("thm-10", "Theorem 10", REGRET, REPAIRED,
          "Algorithm 4: regret at most (128 K log(1.25/delta) log T/(min(epsilon^2, 2) "
          "f^-1(gap)^2) + pi^2/3 + 1) m times the largest gap.",
          ERRATUM("25"), ERRATUM("31"),
          HELD_BY("test_errata", "noise_passes_its_bound_at_some_count"),
          ERRATUM("Wang et al. 2022, Algorithm 4")),

    /* --- section 6 --- */
    CLAIM("thm-11", "Theorem 11", BOUND, PROVED,
          "Local privacy, K items of mean p and the others p - gap: regret/log T at least (L-K) p "
          "(1-p)^K/(2 min(4, e^(2 epsilon)) (e^epsilon - 1)^2 gap) as T grows.",
          PROVED_IN(BOUNDS, "Number of displays of an arm"), PROVED_IN(BOUNDS, "Cost"),
          HELD_BY("test_paper_lemmas", "lower_bounds_here_are_above_those_of_the_papers"),
          ERRATUM("22"),
          HELD_BY("test_errata", "the_divergence_of_lists_has_its_arguments_swapped")),
    CLAIM("thm-11-small", "after Theorem 11; section 1", BOUND, FALSE,
          "At p = 1/K and small epsilon this is of order (L-K) log T/(gap epsilon^2).",
          ERRATUM("21"), HELD_BY("test_errata", "the_local_lower_bound_of_lists_falls_with_k")),
    CLAIM("thm-12", "Theorem 12", BOUND, PROVED,
          "Central privacy, the same means: regret of order (L-K) (1-p)^(K-1) log T (1/gap + "
          "1/epsilon) at least.",
          PROVED_IN(BOUNDS, "Number of displays of an arm"), PROVED_IN(BOUNDS, "Cost"),
          HELD_BY("test_paper_lemmas", "lower_bounds_here_are_above_those_of_the_papers")),
    CLAIM("sec-6-matches", "after Theorem 12; section 1", BOUND, FALSE,
          "With local privacy the upper bound matches the lower one.", ERRATUM("21"),
          HELD_BY("test_errata", "the_local_lower_bound_of_lists_falls_with_k")),

    /* --- section 7 --- */
    CLAIM("sec-7-noise", "section 7, setting", EXPERIMENT, FALSE,
          "Multiplying the noise by 0.01 loses no generality.", ERRATUM("6"),
          HELD_BY("test_paper_lemmas", "a_hundredth_of_the_noise_is_no_privacy")),
    CLAIM("fig-1a-d-laplace", "section 7; Figure 1(a) to 1(d)", EXPERIMENT, PLAYED,
          "Laplace noise loses most.",
          PLAYED_BY("wang-1a wang-1b wang-1c wang-1d", "the Gaussian mechanism loses less")),
    CLAIM("fig-1a-d-plain", "section 7; Figure 1(a) to 1(d)", EXPERIMENT, PLAYED,
          "Without privacy the loss is least.",
          PLAYED_BY("wang-1a wang-1b wang-1c wang-1d", "without privacy the loss is least")),
    CLAIM("fig-1a-d-log", "section 7; Figure 1(a) to 1(d)", EXPERIMENT, PLAYED,
          "The regret of all three grows like log T.",
          PLAYED_BY("wang-1a wang-1b wang-1c wang-1d", "cascade-ucb: regret grows more like log T"),
          PLAYED_BY("wang-1a wang-1b wang-1c wang-1d",
                    "cascade-ldp-laplace: regret grows more like log T"),
          PLAYED_BY("wang-1a wang-1b wang-1c wang-1d",
                    "cascade-ldp-gauss: regret grows more like log T")),
    CLAIM("fig-1e-zero", "section 7; Figure 1(e)", EXPERIMENT, UNCHECKED,
          "At epsilon 0 the loss is not affordable.",
          UNCHECKED_BECAUSE("the noise would be infinite; the figure starts at 0.02")),
    CLAIM("fig-1e-falls", "section 7; Figure 1(e)", EXPERIMENT, PLAYED,
          "The loss falls quickly as epsilon grows.",
          PLAYED_BY("wang-1e", "the Laplace mechanism's loss falls"),
          PLAYED_BY("wang-1e", "the Gaussian mechanism's loss falls")),
    CLAIM("fig-1e-close", "section 7; Figure 1(e)", EXPERIMENT, PLAYED,
          "It soon is about that without privacy, above all with Gaussian noise.",
          PLAYED_BY("wang-1e", "at epsilon 2 the Gaussian mechanism is comparable")),
    CLAIM("fig-1h-i", "section 7; Figure 1(h) and 1(i)", EXPERIMENT, PLAYED,
          "In semi-bandits the gap between the private and the plain learner is larger at epsilon "
          "0.2 than at 2.",
          PLAYED_BY("wang-1h wang-1i", NULL)),
    CLAIM("fig-1f", "section 7; Figure 1(f)", EXPERIMENT, PLAYED,
          "In the central model the loss comes closer to that without privacy as epsilon grows.",
          PLAYED_BY("wang-1f", "epsilon 0.5 loses less than 0.1"),
          PLAYED_BY("wang-1f", "epsilon 1 loses less than 0.5"),
          PLAYED_BY("wang-1f", "epsilon 2 loses less than 1")),
    CLAIM("fig-1g", "section 7; Figure 1(g)", EXPERIMENT, PLAYED, "More items, more regret.",
          PLAYED_BY("wang-1g", "12 items lose more than 8"),
          PLAYED_BY("wang-1g", "16 items lose more than 12"),
          PLAYED_BY("wang-1g", "20 items lose more than 16")),
    CLAIM("sec-8-conjecture", "section 8", REGRET, UNCHECKED,
          "Giving items different shares of epsilon may improve the order of the regret.",
          UNCHECKED_BECAUSE("a conjecture")),

    /* --- appendix --- */
    CLAIM("lem-4", "Lemma 4", AUXILIARY, TESTED,
          "The loss of a list is between (1 - largest mean)^(K-1) and 1 times the sum over its "
          "places of the gap to the best item for it, if the place is looked at.",
          CITED_FROM("Kveton et al. 2015"),
          HELD_BY("test_paper_lemmas", "the_loss_of_a_list_is_a_sum_over_its_places")),
    CLAIM("lem-5", "Lemma 5", AUXILIARY, TESTED,
          "A sum of n Laplace noises of scale b passes x < 2 sqrt 2 v^2/b, v^2 >= b^2 n, with "
          "probability at most exp(-x^2/(8 v^2)).",
          CITED_FROM("Chan, Shi and Song 2011"),
          HELD_BY("test_paper_lemmas", "sums_of_laplace_noise_have_thin_tails")),
    CLAIM("lem-6", "Lemma 6", AUXILIARY, TESTED,
          "The mean of n Gaussians is off by t with probability at most 2 exp(-n t^2/(2 sigma^2)).",
          CITED_FROM("Rigollet and Huetter 2015"),
          HELD_BY("test_paper_lemmas", "gaussian_noise_has_thin_tails")),
    CLAIM("fig-2-order", "appendix I; Figure 2", EXPERIMENT, PLAYED,
          "With lists of 4, 8, 12 and 16 items Laplace noise loses more than Gaussian noise, and "
          "that more than no noise.",
          PLAYED_BY("wang-2a wang-2b wang-2c wang-2d", "the Gaussian mechanism loses less"),
          PLAYED_BY("wang-2a wang-2b wang-2c wang-2d", "without privacy the loss is least")),
    CLAIM("fig-2-widens", "appendix I; Figure 2", EXPERIMENT, PLAYED,
          "The gap between Laplace and Gaussian noise grows with K.",
          PLAYED_BY("wang-2-slots", "the longer the list, the further Laplace falls behind")),
};
const size_t lotor_claims_wang_count = sizeof lotor_claims_wang / sizeof *lotor_claims_wang;
