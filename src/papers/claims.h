/* claims.h - what the five papers claim, and what checks it here.
 *
 * A row is one numbered claim (theorem, lemma, corollary, fact, proposition) or one sentence about
 * an experiment. It says in our own words what the paper claims, and names everything that checks
 * it: figures, tests, proofs and errata. The verdict is fixed, or comes from figures that are
 * played.
 *
 *      claims_sajed.c, claims_sajed_a.c      Sajed 2019: the chapters, the appendix
 *      claims_chandak.c                      Chandak 2023
 *      claims_wang.c                         Wang et al. 2022
 *      claims_chen.c                         Chen et al. 2020
 *      claims_shariff.c                      Shariff and Sheffet 2018
 *
 * tests/test_claims.c checks that every name in a row exists, and that every figure of the papers
 * is in some row.
 */
#ifndef LOTOR_PAPERS_CLAIMS_H
#define LOTOR_PAPERS_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>

#include "papers/figure.h"

typedef enum lotor_paper_claim_kind {
    LOTOR_PAPER_CLAIM_PRIVACY = 0,
    LOTOR_PAPER_CLAIM_REGRET,     /* at most so much regret */
    LOTOR_PAPER_CLAIM_BOUND,      /* at least so much regret, or a number of samples */
    LOTOR_PAPER_CLAIM_EXPERIMENT, /* about what was measured */
    LOTOR_PAPER_CLAIM_AUXILIARY   /* a step towards the others */
} lotor_paper_claim_kind;

typedef enum lotor_paper_claim_verdict {
    LOTOR_PAPER_CLAIM_PLAYED = 0, /* the figures decide */
    LOTOR_PAPER_CLAIM_PROVED,
    LOTOR_PAPER_CLAIM_TESTED,
    LOTOR_PAPER_CLAIM_TYPO,     /* false as printed, and clear what was meant */
    LOTOR_PAPER_CLAIM_REPAIRED, /* the printed proof fails; what it needs is proved or computed here */
    LOTOR_PAPER_CLAIM_GAP,      /* the printed proof fails; whether the claim is true is open */
    LOTOR_PAPER_CLAIM_FALSE,
    LOTOR_PAPER_CLAIM_CITED,    /* the paper takes it from elsewhere */
    LOTOR_PAPER_CLAIM_UNCHECKED /* nothing here checks it */
} lotor_paper_claim_verdict;

enum { LOTOR_PAPER_CLAIM_VERDICTS = LOTOR_PAPER_CLAIM_UNCHECKED + 1 };

typedef enum lotor_paper_claim_way {
    LOTOR_WAY_END = 0,
    LOTOR_WAY_FIGURE,  /* name: ids as `lotor reproduce` takes them; part: how their check begins */
    LOTOR_WAY_TEST,    /* name: "test_errata", in tests/; part: the test */
    LOTOR_WAY_PROOF,   /* name: "docs/mathematics.md"; part: how the heading begins */
    LOTOR_WAY_ERRATUM, /* name: the number in docs/errata.md, or how the entry without one begins */
    LOTOR_WAY_CITED,   /* name: the source */
    LOTOR_WAY_NONE     /* name: what nothing checks, and why */
} lotor_paper_claim_way;

typedef struct lotor_paper_claim_check {
    lotor_paper_claim_way way;
    const char *name;
    const char *part; /* may be NULL for figures: the figure as a whole */
} lotor_paper_claim_check;

enum { LOTOR_PAPER_CLAIM_CHECKS = 8 };

typedef struct lotor_paper_claim {
    const char *id;    /* "sajed-thm-4.2.1"; begins with the paper's first author */
    const char *paper; /* as in lotor_figure */
    const char *place; /* "Theorem 4.2.1" */
    lotor_paper_claim_kind kind;
    lotor_paper_claim_verdict verdict;
    const char *text; /* the claim, in our own words */
    lotor_paper_claim_check
        checks[LOTOR_PAPER_CLAIM_CHECKS]; /* ends at LOTOR_WAY_END, or when it is full */
} lotor_paper_claim;

/* All claims, in the order of the papers and of their pages. NULL past the end. */
const lotor_paper_claim *lotor_paper_claim_at(size_t number);

/* The checks of a claim. */
size_t lotor_paper_claim_check_count(const lotor_paper_claim *claim);

/* True if the claim's verdict takes this figure into account; with `check`, true if it takes this
 * check of the figure into account. */
bool lotor_paper_claim_has_figure(const lotor_paper_claim *claim, const lotor_figure *figure,
                                  const lotor_figure_check *check);

/* True if one row names the figure, and which of its checks: all if the row names no part. */
bool lotor_paper_claim_check_has_figure(const lotor_paper_claim_check *self,
                                        const lotor_figure *figure,
                                        const lotor_figure_check *check);

/* Writes how a claim is checked: "tested by tests/test_errata.c: half_of_a_fact_fails". */
enum { LOTOR_PAPER_CLAIM_LINE = 2000 };
void lotor_paper_claim_check_write(const lotor_paper_claim_check *check,
                                   char text[LOTOR_PAPER_CLAIM_LINE]);

const char *lotor_paper_claim_kind_name(lotor_paper_claim_kind kind); /* "privacy" */
const char *
lotor_paper_claim_verdict_name(lotor_paper_claim_verdict verdict); /* "holds (proved)" */
const char *lotor_paper_claim_way_name(lotor_paper_claim_way way); /* "figure" */

#endif
