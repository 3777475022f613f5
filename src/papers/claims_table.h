/* claims_table.h - declares the tables of claims, one or two per paper, and short names for their
 * rows. See claims.h for the fields. */
#ifndef LOTOR_PAPERS_CLAIMS_TABLE_H
#define LOTOR_PAPERS_CLAIMS_TABLE_H

#include "papers/claims.h"

/* How a claim is checked. */
#define PLAYED_BY(ids, check)                                                                      \
    {                                                                                              \
        LOTOR_WAY_FIGURE, (ids), (check)                                                           \
    }
#define HELD_BY(program, test)                                                                     \
    {                                                                                              \
        LOTOR_WAY_TEST, (program), (test)                                                          \
    }
#define PROVED_IN(page, title)                                                                     \
    {                                                                                              \
        LOTOR_WAY_PROOF, (page), (title)                                                           \
    }
#define ERRATUM(number)                                                                            \
    {                                                                                              \
        LOTOR_WAY_ERRATUM, (number), NULL                                                          \
    }
#define CITED_FROM(source)                                                                         \
    {                                                                                              \
        LOTOR_WAY_CITED, (source), NULL                                                            \
    }
#define UNCHECKED_BECAUSE(text)                                                                    \
    {                                                                                              \
        LOTOR_WAY_NONE, (text), NULL                                                               \
    }

/* A row: CLAIM("thm-4.2.1", "Theorem 4.2.1", BOUND, UNCHECKED, "text", checks...). The file defines
 * AUTHOR and PAPER. */
#define CLAIM(name, in, of_kind, found, said, ...)                                                 \
    {                                                                                              \
        .id = AUTHOR "-" name, .paper = PAPER, .place = (in), .kind = LOTOR_PAPER_CLAIM_##of_kind, \
        .verdict = LOTOR_PAPER_CLAIM_##found, .text = (said), .checks = {                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

#define MATHEMATICS "docs/mathematics.md"
#define ACCOUNT     "src/privacy/account/account.md"
#define STATISTIC   "src/privacy/release/statistic.md"
#define MATRIX      "src/privacy/release/matrix.md"
#define BOUNDS      "src/lab/bounds.md"

extern const lotor_paper_claim lotor_claims_sajed[];
extern const size_t lotor_claims_sajed_count;
extern const lotor_paper_claim lotor_claims_sajed_a[];
extern const size_t lotor_claims_sajed_a_count;
extern const lotor_paper_claim lotor_claims_chandak[];
extern const size_t lotor_claims_chandak_count;
extern const lotor_paper_claim lotor_claims_wang[];
extern const size_t lotor_claims_wang_count;
extern const lotor_paper_claim lotor_claims_chen[];
extern const size_t lotor_claims_chen_count;
extern const lotor_paper_claim lotor_claims_shariff[];
extern const size_t lotor_claims_shariff_count;

#endif
