/* advise.h - helps to choose an algorithm: simulates all private algorithms that fit a problem.
 *
 * The true means are not known in advance. So the simulation uses a typical world, which the advice
 * names, or the means that the caller expects. It measures regret. The baseline without noise shows
 * the cost of privacy; choosing at random shows the value of learning.
 */
#ifndef LOTOR_LAB_ADVISE_H
#define LOTOR_LAB_ADVISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/ratio.h>

#include "lab/bounds.h"
#include "policy/catalog.h"

typedef struct lotor_advice_request {
    lotor_problem problem; /* not ANY */
    lotor_model trust;     /* CENTRAL: the server may see feedback; LOCAL: it may not; JOINT: as
                              CENTRAL, in linear problems */
    lotor_ratio epsilon;
    lotor_ratio delta; /* 0/0: the default of each algorithm */
    size_t arms, slots;
    size_t dimension; /* for linear problems */
    uint64_t rounds;
    const double *means; /* expected mean reward per arm; NULL: a typical world */
    double seconds;      /* approximate duration of the simulation, on all threads */
    uint64_t seed;
    size_t threads;                                /* 0: one per core */
    bool (*progress)(void *context, double share); /* return true to stop; may be NULL */
    void *context;
} lotor_advice_request;

typedef struct lotor_candidate {
    const lotor_algorithm *algorithm;
    double regret, standard_error; /* the error is NaN after a single run */
    uint64_t runs, rounds;         /* fewer rounds than the horizon: dropped */
} lotor_candidate;

enum { LOTOR_CANDIDATES_MAX = 32 };

typedef struct lotor_advice {
    lotor_candidate candidates[LOTOR_CANDIDATES_MAX]; /* best first; dropped ones come last */
    size_t count;
    lotor_candidate baseline; /* without noise */
    double random_regret;     /* regret of random choices; NaN: unknown */
    uint64_t horizon;         /* rounds played; fewer than requested if time is short */
    const char *world;        /* description of the simulated world */
    lotor_lower_bound bound;  /* for algorithms with this trust and epsilon, in that world */
} lotor_advice;

/* True if an algorithm keeps its guarantee under this trust, can be used outside of simulations,
 * and plays this problem. */
bool lotor_advise_fits(const lotor_algorithm *algorithm, lotor_problem problem, lotor_model trust);

/* The mean reward of an arm in the typical world of the problem. */
double lotor_advise_typical_mean(const lotor_advice_request *wish, size_t arm);

/* Decides which algorithms play `rounds` rounds in `seconds`, after all have played fewer. The
 * numbers regrets[i] and speeds[i] (rounds per second) were measured for `count` algorithms; the
 * last one is the baseline. The flag stays[i] becomes true for the baseline, for the best
 * algorithm, and then for the next best ones while they fit into the time. It never becomes true
 * for an algorithm whose regret is more than 2.5 times the least. */
void lotor_advise_finalists(const double *regrets, const double *speeds, size_t count,
                            double rounds, double seconds, bool *stays);

/* Runs the simulations. LOTOR_INVALID: no algorithm fits, or a number is out of range. LOTOR_BUSY:
 * this machine can't play enough rounds in time. LOTOR_STOPPED: `progress` returned true. */
lotor_status lotor_advice_make(const lotor_advice_request *wish, lotor_message *why,
                               lotor_advice *out);

#endif
