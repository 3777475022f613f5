/* claim.h - what is proved about a mechanism, and how much noise its proof needs.
 *
 * Every statistic, every kind of epoch and every kind of matrix states its claim: which mechanism
 * it is, who adds the noise, and for which feedback its proof holds. The file policy/promise.c
 * derives from the claim whether an algorithm is private. A part that states no claim is
 * LOTOR_MECHANISM_UNKNOWN, which is never private.
 *
 * lotor_claim_refuse computes from the sensitivity how much noise a proof needs. It shares no code
 * with the plans of the noise (scale.c, matrix_plan.c, matrix_batch_plan.c), so a mistake in a plan
 * is noticed. It ignores the noise that covers rounding to units.
 */
#ifndef LOTOR_PRIVACY_RELEASE_CLAIM_H
#define LOTOR_PRIVACY_RELEASE_CLAIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/guarantee.h>

typedef enum lotor_mechanism {
    LOTOR_MECHANISM_UNKNOWN = 0,  /* nothing is stated */
    LOTOR_MECHANISM_EXACT,        /* no noise */
    LOTOR_MECHANISM_PRINTED,      /* noise as a paper prints it; no proof here */
    LOTOR_MECHANISM_LAPLACE,      /* Laplace noise; a value is in one released number */
    LOTOR_MECHANISM_LAPLACE_TREE, /* Laplace noise; a value is in one node per level of a tree */
    LOTOR_MECHANISM_HYBRID,       /* Laplace noise; half of epsilon for blocks, half for trees */
    LOTOR_MECHANISM_GATED,        /* half of epsilon for sparse vector, half for Laplace noise */
    LOTOR_MECHANISM_GAUSSIAN_TREE,
    LOTOR_MECHANISM_BIT, /* the randomizers of privacy/local */
    LOTOR_MECHANISM_POSITION,
    LOTOR_MECHANISM_CUBE,
    LOTOR_MECHANISM_MATRIX_TREE,  /* symmetric Gaussian noise on every node */
    LOTOR_MECHANISM_MATRIX_BATCH, /* the same on every batch, and on its sum of x y */
    LOTOR_MECHANISM_WISHART       /* Wishart noise on every level of a tree */
} lotor_mechanism;

/* Sets of feedback models (privacy/encode/feedback.h): the bit of a model is 1 << its kind. */
enum {
    LOTOR_CLAIM_ONE = 1,
    LOTOR_CLAIM_SETS = 2,
    LOTOR_CLAIM_LEAST_SHOWN = 4,
    LOTOR_CLAIM_CLICKS = 8, /* which positions were looked at depends on the click, too */
    LOTOR_CLAIM_FIRST_SLOT = 16,

    /* Each round is recorded for one arm, and it is public for which one. */
    LOTOR_CLAIM_RECORDED = LOTOR_CLAIM_ONE | LOTOR_CLAIM_LEAST_SHOWN | LOTOR_CLAIM_FIRST_SLOT,

    /* Each round is recorded for some arms, and it is public for which ones. */
    LOTOR_CLAIM_REWARDS = LOTOR_CLAIM_RECORDED | LOTOR_CLAIM_SETS
};

typedef struct lotor_claim {
    lotor_mechanism mechanism;
    lotor_model model;   /* NONE: no noise is added */
    unsigned feedback;   /* the set of feedback models that the proof covers */
    const char *missing; /* with PRINTED: what is not proved */
} lotor_claim;

/* The inputs of a proof. All of it is public. */
typedef struct lotor_claim_setting {
    double epsilon, delta;
    double l1, l2;          /* how far one round moves the sums, in units */
    uint64_t horizon;       /* trees: the most rounds */
    size_t slots;           /* position and cube: the most arms that are shown together */
    double context, reward; /* matrices: the largest |x| and |y| */
    size_t dimension;       /* Wishart: of x */
} lotor_claim_setting;

/* The noise that is really added. */
typedef struct lotor_claim_noise {
    double scale; /* on one released number (matrices: off the diagonal), in units; for a bit and a
                   * position the probability of a lie; for a cube the factor B of its estimate */
    double gate;  /* gated: the scale of sparse vector, in units */
    double diagonal; /* matrices: the scale on the diagonal ... */
    double response; /* ... and, for batches, on the sums of x y */
    double degrees;  /* Wishart: the degrees of freedom */
} lotor_claim_noise;

/* Why the noise does not give (epsilon, delta), in words for users; NULL if it does. There is a reason
 * for every mechanism without noise or without proof, and if any number is not a number. */
const char *lotor_claim_refuse(lotor_mechanism mechanism, const lotor_claim_setting *setting,
                               const lotor_claim_noise *noise);

#endif
