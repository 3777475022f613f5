/* claims_chen.c - the claims of Chen et al. 2020. The paper has no experiment; the figures measure
 * the exponents of its Table 1. We do not have its supplement, so proofs that are there were not
 * read. */
#include "papers/claims_table.h"

#define AUTHOR "chen"
#define PAPER  "Chen et al. 2020"

#define COUPLED HELD_BY("test_couple", "every_proof_holds_and_every_leak_shows")

const lotor_paper_claim lotor_claims_chen[] = {
    /* --- sections 1 and 2 --- */
    CLAIM("sec-1-others", "sections 1 and 1.1; Table 1", REGRET, CITED,
          "Without privacy: regret of order m B^2 log T/gap (B-infinity-smooth) and m K B^2 log "
          "T/gap (B1-smooth), also as lower bounds.",
          CITED_FROM("Chen et al. 2016; Kveton et al. 2015; Wang and Chen 2017"),
          PLAYED_BY("chen-slots", "cucb: regret grows at most like K"),
          PLAYED_BY("chen-arms", "cucb: regret grows like m")),
    CLAIM("table-1-ldp", "abstract; Table 1", REGRET, PLAYED,
          "Local privacy: regret grows like m and 1/epsilon^2, and for B1-smooth rewards at most "
          "like K^2.",
          PLAYED_BY("chen-epsilon", "cucb-ldp2: regret grows like 1/epsilon^2"),
          PLAYED_BY("chen-arms", "cucb-ldp2: regret grows like m"),
          PLAYED_BY("chen-slots", "cucb-ldp2: regret grows at most like K^2")),
    CLAIM("table-1-smooth", "abstract; Table 1", REGRET, PLAYED,
          "B-infinity-smooth rewards: regret grows like m, and like 1/epsilon^2 with local and "
          "1/epsilon with central privacy, up to logarithms.",
          PLAYED_BY("chen-coverage", NULL), PLAYED_BY("chen-influence", NULL)),
    CLAIM("table-1-dp", "abstract; Table 1", REGRET, PLAYED,
          "Central privacy, B1-smooth rewards: regret grows like m, K and 1/epsilon, up to "
          "logarithms.",
          PLAYED_BY("chen-epsilon", "cucb-dp: regret grows like 1/epsilon"),
          PLAYED_BY("chen-arms", "cucb-dp: regret grows like m"),
          PLAYED_BY("chen-slots", "cucb-dp: regret grows like K")),
    CLAIM("sec-1-no-price", "abstract; section 5", REGRET, UNCHECKED,
          "So privacy adds no dependence on the dimension: the rates are nearly those without "
          "privacy.",
          UNCHECKED_BECAUSE("a comparison of the bounds, which are checked alone")),
    CLAIM("sec-2.1-examples", "section 2.1", AUXILIARY, CITED,
          "Influence maximization and probabilistic coverage are B-infinity-smooth; shortest "
          "paths, spanning trees and linear rewards are B1-smooth.",
          CITED_FROM("Chen et al. 2013; Wang and Chen 2018")),
    CLAIM("fact-1", "Fact 1", AUXILIARY, TESTED,
          "B-infinity-smooth implies B1-smooth with the same constant; B1-smooth implies "
          "B-infinity-smooth with K times it.",
          HELD_BY("test_paper_lemmas", "the_largest_difference_is_at_most_the_sum")),
    CLAIM("sec-2.2-laplace", "section 2.2", PRIVACY, TYPO,
          "If answers lie in an L1 ball of radius R, Laplace noise R/epsilon is epsilon-LDP.",
          ERRATUM("32"), PROVED_IN(MATHEMATICS, "4.10 Local Laplace reports")),

    /* --- section 3 --- */
    CLAIM("thm-1", "Theorem 1", PRIVACY, PROVED, "CUCB-LDP1 is epsilon-LDP.",
          PROVED_IN(STATISTIC, "Local reports"),
          HELD_BY("test_sensitivity_rounds", "a_report_is_epsilon_private_exactly"), COUPLED,
          HELD_BY("test_couple", "claims_are_tight")),
    CLAIM("thm-2", "Theorem 2", REGRET, GAP,
          "CUCB-LDP1: regret of order K^2 B^2 log T/(epsilon^2 gap), summed over the arms "
          "(B-infinity-smooth).",
          ERRATUM("5"), PLAYED_BY("chen-epsilon", "cucb-ldp1: regret grows like 1/epsilon^2"),
          PLAYED_BY("chen-slots", "cucb-ldp1: regret grows at most like K^4"),
          PLAYED_BY("chen-arms", "cucb-ldp1: regret grows like m")),
    CLAIM("thm-3", "Theorem 3", PRIVACY, PROVED, "CUCB-LDP2 is epsilon-LDP.",
          PROVED_IN(STATISTIC, "Local reports"),
          HELD_BY("test_sensitivity_rounds", "a_report_is_epsilon_private_exactly"), COUPLED,
          HELD_BY("test_couple", "claims_are_tight")),
    CLAIM("thm-4", "Theorem 4", REGRET, FALSE,
          "CUCB-LDP2: regret of order B^2 log T/(epsilon^2 gap), summed over the arms "
          "(B-infinity-smooth), for every epsilon.",
          ERRATUM("5"), PLAYED_BY("chen-epsilon", "cucb-ldp2: regret grows like 1/epsilon^2"),
          PLAYED_BY("chen-arms", "cucb-ldp2: regret grows like m")),
    CLAIM("sec-3.2-one-arm", "section 3.2, after Theorem 4", REGRET, UNCHECKED,
          "With one arm a round both algorithms are the same, with regret of order log "
          "T/(epsilon^2 gap).",
          UNCHECKED_BECAUSE("their constants agree at K = 1; no test compares the two there")),
    CLAIM("sec-3.2-dp-privacy", "section 3.2, end", PRIVACY, PROVED,
          "A tree over the arm that was shown least (CUCB-DP2) is epsilon-private.",
          PROVED_IN(STATISTIC, "Vector trees"), COUPLED),
    CLAIM("sec-3.2-dp-regret", "section 3.2, end", REGRET, PLAYED,
          "Its regret is of order m B^2 log T/(epsilon gap) for B-infinity-smooth rewards, up to "
          "logarithms.",
          PLAYED_BY("chen-coverage-central chen-influence-central",
                    "cucb-dp2: regret grows like 1/epsilon"),
          PLAYED_BY("chen-coverage-arms chen-influence-arms", "cucb-dp2: regret grows like m"),
          UNCHECKED_BECAUSE("the paper leaves out the proof")),
    CLAIM("thm-5", "Theorem 5", BOUND, PROVED,
          "Local privacy, B-infinity-smooth: regret/log T at least B^2 (m-1)/(64 (e^epsilon - 1)^2 "
          "gap) on some instance.",
          PROVED_IN(BOUNDS, "Number of displays of an arm"),
          HELD_BY("test_paper_lemmas", "lower_bounds_here_are_above_those_of_the_papers")),
    CLAIM("thm-5-small", "Theorem 5, second part", BOUND, TESTED,
          "For epsilon <= 1/2 that is at least B^2 (m-1)/(128 epsilon^2 gap).",
          HELD_BY("test_paper_lemmas", "local_lower_bounds_of_sets_for_small_epsilon")),
    CLAIM("sec-3.3-optimal", "section 3.3, after Theorem 5", BOUND, UNCHECKED,
          "So CUCB-LDP2 has the least regret in all parameters.",
          UNCHECKED_BECAUSE("a comparison with Theorem 4, which holds for small epsilon only")),
    CLAIM("sec-3.3-dp", "section 3.3, end", BOUND, FALSE,
          "Central privacy, B-infinity-smooth: regret of order m B^2 log T/(epsilon gap) at least.",
          ERRATUM("19")),

    /* --- section 4 --- */
    CLAIM("sec-4.1-ldp2", "section 4.1; section 5", REGRET, PLAYED,
          "CUCB-LDP2 on B1-smooth rewards: regret of order K^2 B^2 log T/(epsilon^2 gap), summed "
          "over the arms.",
          PLAYED_BY("chen-slots", "cucb-ldp2: regret grows at most like K^2"), ERRATUM("5")),
    CLAIM("thm-6", "Theorem 6", BOUND, UNCHECKED,
          "Local privacy, B1-smooth: regret/log T at least B^2 (m-K) K/(64 (e^epsilon - 1)^2 gap) "
          "on some instance.",
          UNCHECKED_BECAUSE("the proof is in the supplement; K arms with equal rewards are not in "
                            "src/lab/bounds.md")),
    CLAIM("thm-6-small", "Theorem 6, second part", BOUND, TESTED,
          "For epsilon <= 1/2 that is at least B^2 (m-K) K/(128 epsilon^2 gap).",
          HELD_BY("test_paper_lemmas", "local_lower_bounds_of_sets_for_small_epsilon")),
    CLAIM("sec-4.1-conjecture", "section 4.1, end; section 5", BOUND, UNCHECKED,
          "Conjecture: the right lower bound has K^2.", UNCHECKED_BECAUSE("a conjecture")),
    CLAIM("lem-1", "Lemma 1", PRIVACY, FALSE,
          "A tree with Laplace noise (L1 size) log T/epsilon on each node is epsilon-private.",
          CITED_FROM("Dwork et al. 2010; Chan, Shi and Song 2011"), ERRATUM("13"),
          HELD_BY("test_verify", "a_level_fewer_is_its_share"),
          HELD_BY("test_verify", "tree_holds")),
    CLAIM("thm-7", "Theorem 7", PRIVACY, REPAIRED,
          "CUCB-DP, a tree with noise 2K log T/epsilon on each node, is epsilon-private. (Not at T "
          "= 1, 2 and 4.)",
          ERRATUM("5"), PROVED_IN(STATISTIC, "Vector trees"), COUPLED,
          HELD_BY("test_plain_combinatorial", "tree_noise_covers_the_nodes")),
    CLAIM("thm-8", "Theorem 8", REGRET, TYPO,
          "CUCB-DP, B1-smooth: regret of order K B^2 log^2 T/gap, summed over the arms, plus m K B "
          "log^3 T log(B K log T/(largest gap epsilon))/epsilon.",
          ERRATUM("20"), HELD_BY("test_paper_lemmas", "counts_of_sets_end_the_excess"),
          PLAYED_BY("chen-epsilon", "cucb-dp: regret grows like 1/epsilon"),
          PLAYED_BY("chen-slots", "cucb-dp: regret grows like K"),
          PLAYED_BY("chen-arms", "cucb-dp: regret grows like m")),
    CLAIM("lem-2", "Lemma 2", AUXILIARY, TYPO,
          "In all but few rounds the gap is at most B times the sum over the shown arms of 4 "
          "sqrt(log T/n) + 24 K log^3 T/(n epsilon).",
          ERRATUM("33"), UNCHECKED_BECAUSE("the proof is in the supplement")),
    CLAIM("thm-9", "Theorem 9", BOUND, GAP,
          "Central privacy, B1-smooth: regret of order B^2 m K log T/gap + B m K log T/epsilon at "
          "least.",
          ERRATUM("18")),
    CLAIM("sec-4.3-plain", "section 4.3", BOUND, CITED,
          "Without privacy: regret of order m K log T/gap at least, for linear rewards.",
          CITED_FROM("Kveton et al. 2015")),
};
const size_t lotor_claims_chen_count = sizeof lotor_claims_chen / sizeof *lotor_claims_chen;
