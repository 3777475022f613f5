/* imed_duel.h - games in which every decision of lik-imed is compared with the plain twin
 * (plain/imed.h).
 *
 * Both see the same releases, ties and oracle. The twin finds its own leaders, evidence, indices,
 * batch sizes and holds, and keeps its own counts. The library stops its search for the most likely
 * mean early: its estimate must be within 0.02 standard deviations of the twin's, and then the twin
 * goes on with the library's estimate. A difference fails the test.
 */
#ifndef LOTOR_TESTS_IMED_DUEL_H
#define LOTOR_TESTS_IMED_DUEL_H

#include "base/random/generator.h"
#include "plain/draws.h"
#include "plain/imed.h"
#include "policy/policy.h"

enum { DUEL_ARMS = 12, DUEL_CLOSED = 64 };

typedef struct duel_setting {
    lotor_policy_params params;
    const double *means;
    uint64_t rounds;
    uint64_t delay; /* a round is final after this many later rounds */
    bool is_graded; /* rewards are not only 0 and 1 */
    bool has_value; /* the value of a set is not the sum of the weights */
} duel_setting;

/* A round that is not final. */
typedef struct duel_round {
    uint32_t arms[DUEL_ARMS], recorded;
    size_t count;
    double reward;
} duel_round;

typedef struct duel {
    const duel_setting *at;
    lotor_policy *policy;
    lotor_generator generator;
    plain_random random; /* for rewards */
    plain_imed twin;
    void *work;
    plain_imed_plan plan;
    double left;                           /* rounds that the plan is still held for */
    plain_imed_plan passing;               /* a plan for one round, if not all arms are eligible */
    uint64_t size[DUEL_ARMS][DUEL_CLOSED]; /* of closed batches that are not released */
    size_t closed[DUEL_ARMS];
    uint64_t final[DUEL_ARMS]; /* final rounds that are not in a release */
    duel_round *rounds;        /* from 1 */
    size_t fitted[DUEL_ARMS];  /* the number of releases at which the estimate was checked */
    uint64_t releases, explored, led, early, passed; /* what the game had */
} duel;

/* The pointers of the setting must live as long as the game. */
void duel_start(duel *game, const duel_setting *at, uint64_t seed);
void duel_stop(duel *game);

/* Plays round t, counted from 1. The policy keeps the open rounds. */
void duel_play(duel *game, uint64_t t);

/* The same as served rounds, among the eligible arms; NULL: all arms. If the held list is not
 * eligible, there is a new choice for this round only, and the held list stays. */
void duel_serve(duel *game, uint64_t t, const bool *eligible);

/* A random mask: at least `least` arms are eligible, and at least one is not. */
void duel_draw_mask(duel *game, size_t least, bool *eligible);

#endif
