/* claims_shariff.c - the claims of Shariff and Sheffet 2018. We do not have the supplement: proofs
 * that are there were not read; its experiments are known from the authors' published code. */
#include "papers/claims_table.h"

#define AUTHOR "shariff"
#define PAPER  "Shariff and Sheffet 2018"

#define OUR_WORDS                                                                                  \
    UNCHECKED_BECAUSE(                                                                             \
        "we do not have the supplement: the claim is put in our words from the authors' code")
#define ELLIPSOID HELD_BY("test_linear", "theta_stays_inside_the_ellipsoid")

const lotor_paper_claim lotor_claims_shariff[] = {
    /* --- sections 1 to 3 --- */
    CLAIM(
        "sec-1.2-main", "section 1.2", REGRET, PLAYED,
        "Both private algorithms: regret of order sqrt(n) d^(3/4)/sqrt(epsilon), up to logarithms.",
        PLAYED_BY("shariff-2", "gauss, gap 0: regret grows no faster than sqrt n"),
        PLAYED_BY("shariff-2", "shifted wishart, gap 0: regret grows no faster than sqrt n"),
        UNCHECKED_BECAUSE("d and epsilon are not varied for the private algorithms")),
    CLAIM("sec-1.2-definite", "section 1.2; section 4.2", AUXILIARY, TESTED,
          "Wishart noise, and Gaussian noise with a shift, keep V positive definite in all rounds, "
          "with high probability.",
          ELLIPSOID),
    CLAIM("prop-4", "Proposition 4", AUXILIARY, TESTED,
          "With accurate rho_min, rho_max and gamma, theta lies within beta_t of its estimate in "
          "all rounds, with probability 1 - alpha; if actions are bounded, beta_t is at most the "
          "second formula.",
          ELLIPSOID, HELD_BY("test_linear", "constants_by_hand"),
          UNCHECKED_BECAUSE("the second formula for beta_t is not used here")),
    CLAIM("thm-5", "Theorem 5", REGRET, PLAYED,
          "LinUCB with changing regularizers: regret of order B sqrt(n) times a logarithm and S "
          "sqrt(rho_max) + gamma.",
          PLAYED_BY("shariff-2", "linucb, gap 0: regret grows no faster than sqrt n"),
          UNCHECKED_BECAUSE("the proof is in the supplement")),
    CLAIM("thm-6", "Theorem 6", REGRET, PLAYED,
          "The same with a gap: regret of order B log^2 n/gap, and in proportion to rho_max.",
          PLAYED_BY("shariff-1", "it grows no faster than d^2"),
          PLAYED_BY("shariff-2", "linucb, gap 0.1: regret grows no faster than log^2 n"),
          PLAYED_BY("shariff-3", "at gap 0.1 it grows no faster than in proportion"),
          UNCHECKED_BECAUSE("the proof is in the supplement")),

    /* --- section 4 --- */
    CLAIM("claim-7", "Claim 7", PRIVACY, PROVED,
          "If the sequence of V and u is private, the algorithm is jointly private.",
          PROVED_IN(MATHEMATICS, "1. Definitions"),
          HELD_BY("test_couple", "every_proof_holds_and_every_leak_shows")),
    CLAIM("rem-1", "Remark 1", PRIVACY, PROVED,
          "It is only jointly private: the person's own context decides what that person is shown.",
          PROVED_IN(MATHEMATICS, "1. Definitions")),
    CLAIM("sec-4-nodes", "section 4", PRIVACY, TESTED,
          "m nodes with epsilon/sqrt(8 m log(2/delta)) and delta/(2m) each are together (epsilon, "
          "delta)-private.",
          HELD_BY("test_paper_lemmas", "shares_of_a_budget_compose")),
    CLAIM("thm-8", "Theorem 8", PRIVACY, CITED,
          "A Gram matrix plus Wishart noise of d + 1 + 28 log(4/delta)/epsilon^2 degrees is "
          "(epsilon, delta)-private.",
          CITED_FROM("Sheffet 2015, Theorem 4.1")),
    CLAIM("sec-4.1-scale", "section 4.1", PRIVACY, TYPO,
          "Each node has Wishart noise W(L I, k), k = d + 1 + ceil(224 m log(8m/delta) "
          "log(2/delta)/epsilon^2).",
          ERRATUM("10"), HELD_BY("test_matrix_noise", "degrees_are_the_printed_ones")),
    CLAIM("sec-4.1-sum", "section 4.1", AUXILIARY, FALSE,
          "The noise of the tree is W(L^2 I, mk) in every round.", ERRATUM("10"),
          PROVED_IN(MATRIX, "Wishart"),
          HELD_BY("test_matrix_noise", "wishart_noise_is_on_all_levels_at_all_times")),
    CLAIM("prop-9", "Proposition 9", AUXILIARY, FALSE,
          "rho_min, rho_max and gamma for Wishart noise from a tree, plain and shifted by (4).",
          ERRATUM("10"), HELD_BY("test_linear", "constants_by_hand"), ELLIPSOID),
    CLAIM("cor-10", "Corollary 10", REGRET, PLAYED,
          "Regret with shifted Wishart noise: of order sqrt(n), and with a gap log^2 n or so, up "
          "to logarithms.",
          PLAYED_BY("shariff-2", "shifted wishart, gap 0: regret grows no faster than sqrt n"),
          PLAYED_BY("shariff-2", "shifted wishart, gap 0.1: regret grows no faster than log^2 n"),
          PLAYED_BY("shariff-2", "wishart, gap 0"), ERRATUM("10"),
          UNCHECKED_BECAUSE("the logarithms, d and epsilon are not separated")),
    CLAIM("sec-4.2-sensitivity", "section 4.2", PRIVACY, FALSE,
          "Changing one round moves the matrix by at most L^2 in Frobenius norm.", ERRATUM("10"),
          PROVED_IN(MATRIX, "Gaussian"),
          HELD_BY("test_matrix_noise", "neighbours_differ_by_at_most_the_sensitivity")),
    CLAIM("sec-4.2-sigma", "section 4.2", PRIVACY, PROVED,
          "sigma = 4 sqrt(m) L^2 log(4/delta)/epsilon is enough noise. (Below epsilon = 65 it is, "
          "also for the right sensitivity.)",
          PROVED_IN(MATRIX, "Gaussian"), ERRATUM("10"),
          HELD_BY("test_matrix_noise", "sigma_is_the_printed_one"),
          HELD_BY("test_matrix_noise", "noise_is_never_below_what_is_proved")),
    CLAIM("sec-4.2-diagonal", "section 4.2, footnote 4", AUXILIARY, TESTED,
          "Making the noise symmetric doubles the variance of the diagonal alone.",
          HELD_BY("test_matrix_noise", "gaussian_noise_has_the_promised_variance")),
    CLAIM("sec-4.2-norm", "section 4.2", AUXILIARY, CITED,
          "The norm of a symmetric Gaussian matrix passes 4 sqrt(d+1) + 2 log(2n/alpha) with "
          "probability below alpha/(2n).",
          CITED_FROM("Tao 2012"), ELLIPSOID),
    CLAIM("prop-11", "Proposition 11", AUXILIARY, FALSE,
          "rho_min = Y, rho_max = 3Y and two bounds on gamma for Gaussian noise, shifted by 2Y.",
          ERRATUM("10"), HELD_BY("test_linear", "constants_by_hand"), ELLIPSOID),
    CLAIM("cor-12", "Corollary 12", REGRET, PLAYED,
          "Regret with Gaussian noise: of order sqrt(n), and with a gap log^2 n or so, up to "
          "logarithms.",
          PLAYED_BY("shariff-2", "gauss, gap 0: regret grows no faster than sqrt n"),
          PLAYED_BY("shariff-2", "gauss, gap 0.1: regret grows no faster than log^2 n"),
          UNCHECKED_BECAUSE("the logarithms, d and epsilon are not separated")),

    /* --- section 5 --- */
    CLAIM(
        "claim-13", "Claim 13; abstract", BOUND, PLAYED,
        "With plain instead of joint differential privacy, epsilon < log 2 and delta < 1/4, "
        "regret is linear in n.",
        PLAYED_BY("shariff-claim-13", NULL),
        UNCHECKED_BECAUSE("the proof is in the supplement; src/lab/contexts.c proves the bound for "
                          "the world of the figure")),
    CLAIM("claim-14", "Claim 14", BOUND, UNCHECKED,
          "If regret is at most n^(3/4), an epsilon-private algorithm shows each worse arm log "
          "n/(100 epsilon gap) times with probability 1/2, for large n.",
          CITED_FROM("Karwa and Vadhan 2017, Lemma 6.1: a step of the proof"),
          UNCHECKED_BECAUSE("the proof is not repeated; src/lab/bounds.md proves a larger bound "
                            "for regret below every power of n")),
    CLAIM("cor-15", "Corollary 15; section 1.2", BOUND, UNCHECKED,
          "One arm of k a round: every epsilon-private algorithm has regret of at least (k-1) log "
          "n/(200 epsilon).",
          HELD_BY("test_bounds", "one_arm_a_round"),
          HELD_BY("test_bounds", "larger_classical_bound_counts"),
          UNCHECKED_BECAUSE("the tests hold the number that is printed; it follows from Claim 14")),

    /* --- supplement, section D --- */
    CLAIM("exp-1", "section 1.2; supplement, section D", EXPERIMENT, PLAYED,
          "Without privacy, regret grows with the dimension.",
          PLAYED_BY("shariff-1", "regret grows with the dimension"),
          PLAYED_BY("shariff-1", "it grows no faster than d^2"), OUR_WORDS),
    CLAIM("exp-2-plain", "section 1.2; supplement, section D", EXPERIMENT, PLAYED,
          "LinUCB loses less than the private algorithms.",
          PLAYED_BY("shariff-2", "without privacy the loss is least"), OUR_WORDS),
    CLAIM("exp-2-shift", "section 4.1; supplement, section D", EXPERIMENT, PLAYED,
          "Shifting Wishart noise makes the bounds smaller, and helps.",
          PLAYED_BY("shariff-2", "the shift helps"), OUR_WORDS),
    CLAIM("exp-3", "section 1.2; supplement, section D", EXPERIMENT, PLAYED,
          "Regret grows with the regularizer that privacy needs.",
          PLAYED_BY("shariff-3", "at gap 0 regret grows with the regularizer"),
          PLAYED_BY("shariff-3", "at gap 0.1 regret grows with the regularizer"), OUR_WORDS),
};
const size_t lotor_claims_shariff_count =
    sizeof lotor_claims_shariff / sizeof *lotor_claims_shariff;
