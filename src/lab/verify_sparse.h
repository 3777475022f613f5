/* verify_sparse.h - the probabilities of sparse vector's answers, as polynomials. */
#ifndef LOTOR_LAB_VERIFY_SPARSE_H
#define LOTOR_LAB_VERIFY_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/verify_poly.h"

enum { LOTOR_SPARSE_ASKED = 4 }; /* the most queries */

/* Which numbers have noise. */
typedef enum lotor_sparse_kind {
    LOTOR_SPARSE_BOTH = 0, /* the threshold and the queries: the correct mechanism */
    LOTOR_SPARSE_BARE_THRESHOLD,
    LOTOR_SPARSE_BARE_QUERIES
} lotor_sparse_kind;

/* The distances of the queries from the threshold. The answer to the first `refused` queries is no;
 * then, if `accepted`, the answer to one more query is yes. */
typedef struct lotor_sparse_answers {
    size_t refused;
    bool accepted;
    int64_t no[LOTOR_SPARSE_ASKED];
    int64_t yes;
} lotor_sparse_answers;

/* The probability of the answers in x = e^(-1/b), times a denominator. The denominator depends only
 * on the number of queries and the kind; see verify.md. */
void lotor_sparse_ways(const lotor_sparse_answers *answers, lotor_sparse_kind kind,
                       lotor_poly *out);

/* Checks that privacy/release/sparse.c gives the answers that the probabilities assume, for all
 * small queries and noises. LOTOR_DAMAGED: it does not. */
lotor_status lotor_sparse_drive(uint64_t sensitivity, lotor_ratio epsilon, lotor_message *why,
                                uint64_t *scale, uint64_t *drawn);

#endif
