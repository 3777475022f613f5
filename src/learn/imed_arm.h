/* imed_arm.h - what the learner of imed.h knows about one arm: its releases, the estimate of its mean,
 * and the evidence against a level.
 *
 *      releases on the board ─▶ likelihood of a mean ─▶ its maximum: the estimate
 *                                                    └▶ how far it falls up to a level: the evidence
 *
 * All means and levels here are for rewards that are scaled to [0,1].
 */
#ifndef LOTOR_LEARN_IMED_ARM_H
#define LOTOR_LEARN_IMED_ARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board/board.h"
#include "learn/fading.h"
#include "learn/likelihood.h"

/* How releases depend on an arm's mean. */
typedef struct lotor_imed_model {
    double epsilon;   /* INFINITY: no noise */
    double low, high; /* the rewards' range */
    double variance;  /* of a reward, if it is promised; 0: rewards are 0 or 1, or are treated so */
    bool is_local;    /* the board has counts of randomized bits; otherwise noisy sums of batches */
} lotor_imed_model;

typedef struct lotor_imed_batch {
    lotor_likelihood likelihood;
    uint64_t time; /* of its release; 0: it is a release of another policy (rule 15) */
    double weight; /* by its age, compared with the arm's latest batch; 1 if nothing fades */
} lotor_imed_batch;

/* The randomized bits that were read. */
typedef struct lotor_imed_bits {
    double n, ones;       /* by weight, at `time` */
    double time;          /* see lotor_fading_now */
    uint64_t count;       /* of the bits that were read */
    double count_of_ones; /* how many of them are 1 */
} lotor_imed_bits;

/* Starts with all bytes 0, except for the memory of its batches. */
typedef struct lotor_imed_arm {
    lotor_imed_batch *batches; /* borrowed; those of other policies first, then the oldest first */
    size_t batch_count, batch_room; /* the room is for the policy's own batches */
    size_t prior_count;             /* how many batches are of other policies */
    size_t next_row;                /* of the board, for the next release */
    uint64_t latest;                /* the time of the latest release that was read; 0: none */
    double scale;             /* the weight of the latest batch by its age; 1 if nothing fades */
    double released;          /* n: displays in releases that are not forgotten, by weight */
    double draws;             /* j: draws of noise in these releases, by weight; see draws_of */
    double ones;              /* how many of n randomized bits are 1 */
    double estimate, top;     /* the maximum of the likelihood: where, and how high (its log) */
    double level, evidence;   /* the latest evidence; level is NAN if there is none */
    double kept, kept_draws;  /* released and draws if the scale is 1 */
    double prior, kept_prior; /* the parts of released and kept that other policies have released */
    lotor_imed_bits bits;
} lotor_imed_arm;

/* A release of another policy about an arm (rule 15). */
typedef struct lotor_imed_prior {
    size_t arm;
    double count;   /* displays, at least 1 */
    double value;   /* the noisy sum of their rewards */
    double epsilon; /* its noise is discrete Laplace noise of scale (high - low)/epsilon */
} lotor_imed_prior;

/* Takes releases of other policies, which are the oldest of the arm. The arm has no other batches yet,
 * and there is room for them besides that of `batch_room`. */
void lotor_imed_arm_take(lotor_imed_arm *arm, const lotor_imed_model *model,
                         const lotor_fading *fading, const lotor_imed_prior *prior, size_t count);

/* Takes in what was released since the last call. If there is no room, the oldest is forgotten. Bits
 * are weighed for round `now`; for batches, lotor_imed_arm_fade does that. */
void lotor_imed_arm_read(lotor_imed_arm *arm, const lotor_imed_model *model,
                         const lotor_fading *fading, const lotor_board *board, size_t which,
                         uint64_t now);

/* Forgets the batches that were released at that time or earlier. */
void lotor_imed_arm_forget(lotor_imed_arm *arm, const lotor_imed_model *model,
                           const lotor_fading *fading, uint64_t time);

/* Weighs the batches by their age at round `now`, and forgets those that are too old. */
void lotor_imed_arm_fade(lotor_imed_arm *arm, const lotor_imed_model *model,
                         const lotor_fading *fading, uint64_t now);

/* If the batches before some release, and those from it on, are more likely by `evidence` with a mean
 * of their own each: the time of the last release before it. Otherwise 0. Tries the last 8. */
uint64_t lotor_imed_arm_change(lotor_imed_arm *arm, const lotor_imed_model *model, double evidence);

/* How much less likely it is that the arm's mean is `level` than that it is the estimate: the difference
 * of the log-likelihoods. 0 if `level` is at most the estimate. */
double lotor_imed_arm_evidence(lotor_imed_arm *arm, const lotor_imed_model *model, double level);

/* The approximate variance of the arm's estimate. */
double lotor_imed_arm_variance(const lotor_imed_arm *arm, const lotor_imed_model *model);

/* The first number of displays that says something about an arm: ceil(4/epsilon) for sums,
 * 1/(2p-1)^2 for bits that are true with probability p. */
double lotor_imed_first_size(const lotor_imed_model *model);

#endif
