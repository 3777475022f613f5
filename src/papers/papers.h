/* papers.h - the papers whose experiments are played: where they appeared, and what they say. */
#ifndef LOTOR_PAPERS_PAPERS_H
#define LOTOR_PAPERS_PAPERS_H

#include <stddef.h>

/* All texts are in our own words, and plain ASCII formulas (see typeset.h). The findings are not
 * part of them: they are computed from the verdicts. */
typedef struct lotor_paper {
    const char *name; /* as in the figures: "Sajed 2019" */
    const char *id;   /* of the section on the page: "sajed" */
    const char *authors, *title, *venue;
    const char *proposes; /* what the paper proposes */
    const char *claims;   /* what its experiments or theorems claim, and how it was played here */
    const char *privacy;  /* that its privacy claim holds; or where it breaks */
} lotor_paper;

/* The papers in the order of the figures; last our own comparison. NULL past the end. */
const lotor_paper *lotor_paper_at(size_t number);

/* NULL: no story is known. */
const lotor_paper *lotor_paper_find(const char *name);

#endif
