/* advise.h - which algorithm to take: the private ones that fit, simulated side by side.
 *
 * Nobody knows yet what the arms pay, so a typical world stands in, and the advice says which; or
 * the means that someone expects. What is measured is regret; what privacy it costs is seen beside
 * the baseline without noise, what learning is worth beside choosing at random.
 */
#ifndef LOTOR_LAB_ADVISE_H
#define LOTOR_LAB_ADVISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/ratio.h>

#include "policy/catalog.h"

typedef struct lotor_wish {
    lotor_problem problem; /* not ANY */
    lotor_model trust;     /* CENTRAL: the server may see answers; LOCAL: it may not; JOINT: as
                              CENTRAL, in linear problems */
    lotor_ratio epsilon;
    lotor_ratio delta; /* 0/0: each algorithm's default */
    size_t arms, slots;
    size_t dimension; /* linear problems */
    uint64_t rounds;
    const double *means; /* arms: what they are expected to pay; NULL: a typical world */
    double seconds;      /* about how long to simulate, on all threads */
    uint64_t seed;
    size_t threads;                                /* 0: one per core */
    bool (*progress)(void *context, double share); /* true stops; NULL: none */
    void *context;
} lotor_wish;

typedef struct lotor_candidate {
    const lotor_algorithm *algorithm;
    double regret, standard_error; /* NaN error: one run */
    uint64_t runs, rounds;         /* fewer rounds: far behind by then, and not played further */
} lotor_candidate;

enum { LOTOR_CANDIDATES_MOST = 32 };

typedef struct lotor_advice {
    lotor_candidate candidates[LOTOR_CANDIDATES_MOST]; /* the best first, those left behind last */
    size_t count;
    lotor_candidate baseline; /* without noise */
    double random_regret;     /* of choosing at random; NaN: not known */
    uint64_t horizon;         /* rounds that were played: fewer than wished where time is short */
    const char *world;        /* what was played in, for people */
} lotor_advice;

/* Whether an algorithm keeps its promise under that trust, can be used for real, and plays the
 * problem. */
bool lotor_advise_fits(const lotor_algorithm *algorithm, lotor_problem problem, lotor_model trust);

/* What an arm pays on average in the typical world of the problem. */
double lotor_advise_typical_mean(const lotor_wish *wish, size_t arm);

/* LOTOR_INVALID: nothing fits, or the numbers make no sense. LOTOR_BUSY: this machine can't play enough
 * rounds in time. LOTOR_STOPPED: `progress` said so. */
lotor_status lotor_advise(const lotor_wish *wish, lotor_message *why, lotor_advice *out);

#endif
