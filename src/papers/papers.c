/* papers.c - see papers.h. docs/errata.md has the details of what breaks. */
#include "papers/papers.h"

#include <string.h>

static const lotor_paper papers[] = {
    {.name = "Sajed 2019",
     .id = "sajed",
     .authors = "Touqir Sajed",
     .title = "Optimal Differentially Private Finite Armed Stochastic Bandit",
     .venue = "MSc thesis, University of Alberta, 2019; parts at ICML 2019",
     .proposes =
         "One arm is shown in each round, and nobody's reward may become known. Earlier work "
         "(dp-ucb) keeps a tree of noisy sums for every arm, which costs a factor of about log^2 "
         "T. "
         "The thesis eliminates arms in epochs instead: each epoch starts from fresh samples and "
         "needs noise only once (dp-se; dp-se2 stops each epoch as soon as a gap shows). Its "
         "regret "
         "is optimal up to constants.",
     .claims = "The experiments claim that dp-se loses at least 5 times less than dp-ucb in every "
               "setting. An appendix compares dp-se2, and a version with other constants.",
     .privacy = "The privacy claims hold."},
    {.name = "Chandak 2023",
     .id = "chandak",
     .authors = "Kushagra Chandak",
     .title = "Differentially Private Algorithms for Efficient Online Matroid Optimization",
     .venue = "MSc thesis, University of Alberta, 2023; parts at CoLLAs 2023",
     .proposes =
         "Several arms are shown together, if they form an independent set: for example movies of "
         "different genres. Both algorithms of the thesis release the mean of a batch with noise, "
         "double the batch and forget the old one. One adds a confidence width to the mean "
         "(dpucb-mat), the other draws a sample around it (dpts-mat).",
     .claims = "The experiments claim that privacy costs little: the return comes close to that of "
               "the same algorithms without noise, on seven vectors and on MovieLens 1M. Regret "
               "grows like log n, and linearly in 1/epsilon.",
     .privacy = "The privacy claims hold. The proof gives twice epsilon, and the same noise "
                "gives epsilon (errata 3)."},
    {.name = "Wang et al. 2022",
     .id = "wang",
     .authors = "Kun Wang, Jing Dong, Baoxiang Wang, Shuai Li and Shuo Shao",
     .title = "Cascading Bandit under Differential Privacy",
     .venue = "2022",
     .proposes =
         "A list is shown, and a person reads it up to the first click. The paper adds noise "
         "to what each person reports (the local model, with Laplace or Gaussian noise) or "
         "to the counts on the server (the central model, cascade-dp). It extends the local "
         "version to semi-bandits.",
     .claims =
         "The experiments claim that Gaussian noise loses less than Laplace noise, the more so "
         "the longer the list, that a larger epsilon loses less, and that regret grows like "
         "log T. They multiply the noise by 0.01, so each figure has two panels here: the "
         "paper's setting, and the noise that the privacy claim needs.",
     .privacy =
         "The privacy claims do not hold as printed, at any noise. A person reports for the "
         "positions up to the click only, so the number of reports reveals the click. In the "
         "central model the counts of looks are used without noise, and every item starts "
         "with one answer without noise (errata 1, 2, 11 and 12)."},
    {.name = "Chen et al. 2020",
     .id = "chen",
     .authors = "Xiaoyu Chen, Kai Zheng, Zixin Zhou, Yunchang Yang, Wei Chen and Liwei Wang",
     .title = "(Locally) Differentially Private Combinatorial Semi-Bandits",
     .venue = "ICML 2020",
     .proposes =
         "A set of up to K of m arms is shown, and each of its rewards is seen. If all K rewards "
         "get noise, the noise grows with K (cucb-ldp1). The paper's idea is to report only the "
         "arm "
         "of the set that was reported least often so far, which needs noise for one number "
         "(cucb-ldp2). A trusted server uses a tree of noisy sums (cucb-dp).",
     .claims =
         "The paper has theorems and no experiments. We measure the exponents that its Table 1 "
         "derives: how regret grows with 1/epsilon, K and m.",
     .privacy =
         "The privacy claims hold. The widths of the local versions are too narrow for their "
         "noise, so that their bounds on regret do not hold in general (errata 5)."},
    {.name = "Shariff and Sheffet 2018",
     .id = "shariff",
     .authors = "Roshan Shariff and Or Sheffet",
     .title = "Differentially Private Contextual Linear Bandits",
     .venue = "NeurIPS 2018",
     .proposes =
         "Every round comes with a context, and rewards are linear in it. Ordinary differential "
         "privacy would force linear regret here, so the paper uses joint differential privacy: a "
         "person's own round may depend on that person. It runs LinUCB on a tree of noisy "
         "matrices, "
         "with Gaussian, Wishart or shifted Wishart noise.",
     .claims =
         "Theorem 5 bounds regret by about sqrt n, and Theorem 6 by about log^2 n if there is "
         "a gap. The supplement plays the mechanisms against each other; the settings are "
         "those of the authors' published code.",
     .privacy = "The privacy claims hold for what is played here: noise is drawn for all levels of "
                "the tree, and a misprinted Wishart scale is corrected (errata 10)."},
    {.name = "Ours against the papers’",
     .id = "ours",
     .authors = "Lotor",
     .title = "The papers’ algorithms and those that Lotor recommends",
     .venue = "not a paper",
     .proposes = "Every algorithm of a kind plays the same setting, and an audit with simulated "
                 "noise tries to refute its privacy claim. The claims are our own.",
     .claims = "The figures claim that recording one arm a round, in batches that grow, loses a "
               "fraction of what the papers' versions lose at the same epsilon.",
     .privacy = "Algorithms of the papers that leak are played, too, and the audit must find each "
                "of the leaks."},
};

const lotor_paper *lotor_paper_at(size_t number)
{
    return number < sizeof papers / sizeof *papers ? &papers[number] : NULL;
}

const lotor_paper *lotor_paper_find(const char *name)
{
    const lotor_paper *paper = NULL;
    for (size_t i = 0; (paper = lotor_paper_at(i)) != NULL; i++) {
        if (strcmp(paper->name, name) == 0) {
            return paper;
        }
    }
    return NULL;
}
