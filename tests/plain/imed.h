/* imed.h - the rules of lik-imed and rr-imed, as their specification prints them.
 *
 * Nothing is cached or skipped: every choice computes everything again. Likelihoods are sums over
 * all possible numbers of successes. The caller keeps the counts, and brings the oracle and the ties:
 * imed_play.c plays games with plain ones. Tests use those of the library, so that every choice can
 * be compared.
 */
#ifndef LOTOR_TESTS_PLAIN_IMED_H
#define LOTOR_TESTS_PLAIN_IMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLAIN_IMED_BATCHES = 128, PLAIN_IMED_SLOTS = 64 };

/* A released batch: its number of displays, and its noisy sum. */
typedef struct plain_imed_batch {
    double n, sum;
    double time; /* the round of its release; for a half-life */
    double
        age; /* in half-lives, at the latest choice; INFINITY: forgotten; 0 without a half-life */
} plain_imed_batch;

typedef struct plain_imed_arm {
    plain_imed_batch batches[PLAIN_IMED_BATCHES];
    size_t count;    /* j: how many were released; rr-imed has at most one, all bits so far */
    double pend;     /* displays in closed batches that are not released */
    double open;     /* displays in the open batch */
    bool is_paused;  /* not eligible */
    double estimate; /* of the latest choice */
} plain_imed_arm;

typedef struct plain_imed plain_imed;
struct plain_imed {
    bool is_local; /* rr-imed */
    double epsilon;
    double half_life; /* in rounds; 0: none */
    double now;       /* the number of the round that ends next; for a half-life */
    size_t arms;
    plain_imed_arm *arm;
    long double *log_factorials; /* as many as an arm can have displays, and one more */

    /* The best set for the weights. An arm of weight -INFINITY is in it only if it must be. */
    size_t (*oracle)(const plain_imed *imed, const double *weights, size_t *set);
    /* The value of a set; NULL: the sum of the weights. */
    double (*value)(const plain_imed *imed, const double *weights, const size_t *set, size_t count);
    /* One of these new arms. */
    size_t (*at_random)(const plain_imed *imed, const size_t *among, size_t count);
    /* NULL: the most likely mean. */
    double (*estimate)(const plain_imed *imed, size_t arm);
    void *context;
    /* Arms whose sums are below 0 have the same evidence, up to rounding. If this arm is among those
     * of the lowest index, up to 1e-9, it is recorded. */
    size_t favourite;
};

/* A choice: show `set` for at most `hold` rounds, record them for `recorded`, and close its
 * batch as soon as it has `size` displays. A release ends the hold. */
typedef struct plain_imed_plan {
    size_t set[PLAIN_IMED_SLOTS], count;
    size_t recorded;
    double size, hold;
    bool is_leader; /* the recorded arm is in the best set */
} plain_imed_plan;

/* t: the number of the coming round. */
plain_imed_plan plain_imed_choose(plain_imed *imed, double t);

/* By the age of a batch: 2^-age. */
double plain_imed_weight(plain_imed_batch batch);

/* N = n + pend + open, and n. */
double plain_imed_displays(const plain_imed_arm *arm);
double plain_imed_released(const plain_imed_arm *arm);
double plain_imed_first(const plain_imed *imed); /* b0 */

/* log f(S | n, mean), up to a term without the mean; its sum over the batches of an arm; where that
 * is largest; the standard deviation of the estimate. */
long double plain_imed_log(const plain_imed *imed, plain_imed_batch batch, double mean);
long double plain_imed_log_all(const plain_imed *imed, size_t arm, double mean);
double plain_imed_maximum(const plain_imed *imed, size_t arm);
double plain_imed_deviation(const plain_imed *imed, size_t arm, double mean);

/* How much less likely a level is than the estimate; 0 up to the estimate. */
double plain_imed_evidence(const plain_imed *imed, size_t arm, double level);

#endif
