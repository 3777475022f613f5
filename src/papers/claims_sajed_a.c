/* claims_sajed_a.c - the claims of Sajed 2019, appendix A. */
#include "papers/claims_table.h"

#define AUTHOR "sajed"
#define PAPER  "Sajed 2019"

const lotor_paper_claim lotor_claims_sajed_a[] = {
    /* --- A.1 --- */
    CLAIM("thm-a.1.1", "Theorem A.1.1", PRIVACY, PROVED, "DP-SE 2 is epsilon-private.",
          PROVED_IN(MATHEMATICS, "4.8 Epochs of elimination"),
          HELD_BY("test_couple", "every_proof_holds_and_every_leak_shows"),
          HELD_BY("test_verify", "sparse_holds"), ERRATUM("8")),
    CLAIM("lem-a.1.2", "Lemma A.1.2", REGRET, REPAIRED,
          "DP-SE 2 shows a worse arm, with probability 1 - beta, at most of order (log(K/beta) + "
          "log log(1/gap)) (1/gap^2 + 1/(epsilon gap)) times.",
          ERRATUM("26"), HELD_BY("test_errata", "the_stopping_time_is_negative_near_one"),
          UNCHECKED_BECAUSE("beyond the use of Theorem 4.1.3 the proof is not repeated")),
    CLAIM(
        "cor-a.1.3", "Corollary A.1.3", REGRET, UNCHECKED,
        "DP-SE 2: regret of order log T/gap for each worse arm, plus K log T/epsilon, for large T.",
        UNCHECKED_BECAUSE("it follows from Lemma A.1.2 as Theorem 5.1.3 does from Lemma 5.1.2")),
    CLAIM("cor-a.1.4", "Corollary A.1.4", REGRET, UNCHECKED,
          "DP-SE 2, whatever the gaps: regret of order sqrt(TK log T) + K log T/epsilon.",
          UNCHECKED_BECAUSE("as Theorem 5.1.4")),

    /* --- A.2 --- */
    CLAIM("sec-a.2-halting", "section A.2, the modified algorithm", AUXILIARY, UNCHECKED,
          "The modified DP-SE 2 eliminates the worst viable arm in each epoch, with high "
          "probability.",
          UNCHECKED_BECAUSE("the thesis has no proof")),
    CLAIM("sec-a.2-c1-epsilon", "section A.2, results; Figure A.1", EXPERIMENT, PLAYED,
          "In C1, DP-SE 2 beats DP-UCB if epsilon is at most 0.25.",
          PLAYED_BY("sajed-a.1a sajed-a.1b", "dp-se2 loses less than dp-ucb"),
          PLAYED_BY("sajed-a.5a", "with any number of arms dp-se2 loses less")),
    CLAIM("sec-a.2-c1-arms", "section A.2, results; Figure A.5", EXPERIMENT, PLAYED,
          "In C1, DP-SE 2 beats DP-UCB if there are many arms.",
          PLAYED_BY("sajed-a.5b", "with 20 arms dp-se2 loses less")),
    CLAIM(
        "sec-a.2-c1-ucb", "section A.2, results; Figure A.1", EXPERIMENT, PLAYED,
        "DP-UCB beats DP-SE 2 if epsilon is large, arms are few, and all gaps are small and equal.",
        PLAYED_BY("sajed-a.1c sajed-a.1d", "dp-ucb loses less than dp-se2")),
    CLAIM("sec-a.2-overlap", "section A.2, results", EXPERIMENT, UNCHECKED,
          "In some of the figures curves coincide.",
          UNCHECKED_BECAUSE("it is about the look of the printed figures")),
    CLAIM("sec-a.2-c4", "section A.2, results; Figures A.4 and A.8", EXPERIMENT, PLAYED,
          "In C4, too, DP-UCB can beat DP-SE 2 for a large epsilon.",
          PLAYED_BY("sajed-a.4d sajed-a.4d-printed", "dp-ucb loses less than dp-se2"),
          PLAYED_BY("sajed-a.8b", "with 20 arms dp-ucb loses less")),
    CLAIM("sec-a.2-c4-forgiving", "section A.2, results; Figures A.4 and A.8", EXPERIMENT, PLAYED,
          "In C4, unlike in C1, DP-SE 2 still wins at a slightly larger epsilon and with few arms.",
          PLAYED_BY("sajed-a.4c sajed-a.4c-printed", "dp-se2 loses less than dp-ucb"),
          PLAYED_BY("sajed-a.8b", "the more arms, the worse dp-se2")),
    CLAIM(
        "sec-a.2-others", "section A.2, results", EXPERIMENT, PLAYED,
        "In all other cases, and everywhere in C2 and C3, DP-SE 2 beats DP-UCB.",
        PLAYED_BY("sajed-a.2 sajed-a.3 sajed-a.4a sajed-a.4b sajed-a.4a-printed sajed-a.4b-printed",
                  "dp-se2 loses less than dp-ucb"),
        PLAYED_BY("sajed-a.6 sajed-a.7 sajed-a.8a", "with any number of arms dp-se2 loses less")),
    CLAIM("sec-a.2-modified", "section A.2, results", EXPERIMENT, PLAYED,
          "In every setting the modified DP-SE 2 beats DP-UCB.",
          PLAYED_BY("sajed-a.1 sajed-a.2 sajed-a.3 sajed-a.4",
                    "the modified dp-se2 loses less than dp-ucb"),
          PLAYED_BY("sajed-a.5 sajed-a.6 sajed-a.7 sajed-a.8",
                    "with any number of arms the modified dp-se2 loses less"),
          PLAYED_BY("sajed-all", "in every setting the modified dp-se2 loses less")),
    CLAIM("sec-a.2-c2-why", "section A.2, second paragraph of the results", EXPERIMENT, UNCHECKED,
          "In C2 DP-SE 2 wins because DP-UCB keeps showing arms with large gaps.",
          UNCHECKED_BECAUSE("a conjecture about the reason; shows are not counted per arm")),
    CLAIM("sec-a.2-c2-time", "section A.2; Figure A.2", EXPERIMENT, PLAYED,
          "In C2 DP-SE 2 has eliminated all worse arms not long after the modified version has.",
          PLAYED_BY("sajed-a.2", "dp-se2 has dropped all worse arms not long after")),
    CLAIM("sec-a.2-c2-privacy", "section A.2; Figure A.2", EXPERIMENT, UNCHECKED,
          "So in C2, and in C3, the length of an epoch is mostly due to privacy, not to sampling.",
          UNCHECKED_BECAUSE("the two parts of the width are not compared")),
    CLAIM(
        "sec-a.2-c1-fifth", "section A.2; Figure A.1", EXPERIMENT, PLAYED,
        "In C1, unless epsilon is quite small, the modified DP-SE 2 does far better than DP-SE 2: "
        "it eliminates all worse arms in roughly a fifth of the time.",
        PLAYED_BY("sajed-a.1c sajed-a.1d", "the modified dp-se2 has dropped all worse arms")),
    CLAIM("sec-a.2-slack", "section A.2", EXPERIMENT, UNCHECKED,
          "Lengths that are powers of two help the modified version, as they leave some slack.",
          UNCHECKED_BECAUSE("a conjecture; no version with other lengths is played")),
    CLAIM("sec-a.2-message", "section A.2, last paragraph", EXPERIMENT, PLAYED,
          "Unless epsilon is large or many gaps are small, DP-SE 2 beats DP-UCB.",
          PLAYED_BY("sajed-a.1a sajed-a.1b sajed-a.2 sajed-a.3 sajed-a.4a sajed-a.4b "
                    "sajed-a.4a-printed sajed-a.4b-printed",
                    "dp-se2 loses less than dp-ucb")),
    CLAIM("sec-a.2-dp-se", "section A.2, last paragraph", EXPERIMENT, PLAYED,
          "In all cases DP-SE beats DP-SE 2.",
          PLAYED_BY("sajed-a.1 sajed-a.2 sajed-a.3 sajed-a.4", "dp-se loses less than dp-se2"),
          PLAYED_BY("sajed-a.5 sajed-a.6 sajed-a.7 sajed-a.8",
                    "with any number of arms dp-se loses less than dp-se2"),
          PLAYED_BY("sajed-all", "in every setting dp-se loses less than dp-se2")),
    CLAIM("sec-a.2-dp-se-modified", "section A.2, last paragraph", EXPERIMENT, PLAYED,
          "Most of the time DP-SE also beats the modified DP-SE 2.",
          PLAYED_BY("sajed-all", "most of the time dp-se loses less")),

    /* --- A.3 --- */
    CLAIM("fact-a.3.2", "Fact A.3.2", AUXILIARY, FALSE,
          "For a >= 1 and b <= 1/16, log(a log x)/x is above b from e to x0 = log(a log(1/b))/b, "
          "and below b from 2 x0 on.",
          ERRATUM("27"), HELD_BY("test_errata", "half_of_a_fact_fails")),
};
const size_t lotor_claims_sajed_a_count =
    sizeof lotor_claims_sajed_a / sizeof *lotor_claims_sajed_a;
