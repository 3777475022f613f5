/* mutant.h - wrong noise, on purpose, to see that the tests notice.
 *
 * scripts/mutants builds the library with one of these defined (cmake -DLOTOR_MUTANT=...), runs
 * the suite, and fails unless the suite fails. None is ever defined in a normal build.
 *
 *   HALF_NOISE   every scale is half of what it should be, and half of the lies of a randomized
 *                response are left out
 *   ONE_LEVEL    a tree is calibrated for one level fewer than it has
 *   SAME_NOISE   a node, or a report, reuses the noise of the one before it
 *   BATCH_ANSWERS  rounds without an answer do not count: batches close on answers, not displays
 *   NOISE_TWICE  after a reload, what was drawn for a release that was interrupted is forgotten:
 *                the same round gets noise again (lotor audit must notice)
 *   BARE_GRAM    the products of contexts with each other are released without noise
 */
#ifndef LOTOR_PRIVACY_NOISE_MUTANT_H
#define LOTOR_PRIVACY_NOISE_MUTANT_H

#ifdef LOTOR_MUTANT_HALF_NOISE
#define LOTOR_MUTANT_SCALE(scale) (((scale) + 1) / 2)
#else
#define LOTOR_MUTANT_SCALE(scale) (scale)
#endif

/* The same for randomized response: lies as at twice the epsilon, or half as many. */
#ifdef LOTOR_MUTANT_HALF_NOISE
#include <stdbool.h>
static inline bool lotor_mutant_liar(bool lies)
{
    static unsigned turn;
    return lies && turn++ % 2 == 0;
}
#define LOTOR_MUTANT_TWICE(epsilon) (2 * (epsilon))
#define LOTOR_MUTANT_LIE(weight)    (0.5 * (weight))
#define LOTOR_MUTANT_LIAR(lies)     lotor_mutant_liar(lies)
#else
#define LOTOR_MUTANT_TWICE(epsilon) (epsilon)
#define LOTOR_MUTANT_LIE(weight)    (weight)
#define LOTOR_MUTANT_LIAR(lies)     (lies)
#endif

#ifdef LOTOR_MUTANT_BATCH_ANSWERS
#define LOTOR_MUTANT_COUNTS(answered) (answered)
#else
#define LOTOR_MUTANT_COUNTS(answered) ((void)(answered), 1)
#endif

#ifdef LOTOR_MUTANT_ONE_LEVEL
#define LOTOR_MUTANT_LEVELS(levels) ((levels) > 1 ? (levels)-1 : (levels))
#else
#define LOTOR_MUTANT_LEVELS(levels) (levels)
#endif

#ifdef LOTOR_MUTANT_SAME_NOISE
#define LOTOR_MUTANT_FRESH(draws) ((draws) % 2 == 0)
#define LOTOR_MUTANT_SPENT(drawn) (drawn)
#else
#define LOTOR_MUTANT_FRESH(draws) ((void)(draws), 1)
#define LOTOR_MUTANT_SPENT(drawn) 0
#endif

#ifdef LOTOR_MUTANT_NOISE_TWICE
#define LOTOR_MUTANT_KEPT(drawn)   0
#define LOTOR_MUTANT_FED(fed, due) ((due) ? (fed)-1 : (fed))
#else
#define LOTOR_MUTANT_KEPT(drawn)   (drawn)
#define LOTOR_MUTANT_FED(fed, due) (fed)
#endif

#ifdef LOTOR_MUTANT_BARE_GRAM
#include <string.h>
#define LOTOR_MUTANT_STRIP(noise, count) memset(noise, 0, (count) * sizeof *(noise))
#else
#define LOTOR_MUTANT_STRIP(noise, count) ((void)(noise), (void)(count))
#endif

/* SAME_NOISE for those that keep no noise between draws. */
#ifdef LOTOR_MUTANT_SAME_NOISE
#include <stdint.h>
static inline int64_t lotor_mutant_repeat(int64_t drawn, uint64_t draws)
{
    static int64_t last;
    last = LOTOR_MUTANT_FRESH(draws) ? drawn : last;
    return last;
}
#define LOTOR_MUTANT_REPEAT(drawn, draws) lotor_mutant_repeat(drawn, draws)
#else
#define LOTOR_MUTANT_REPEAT(drawn, draws) (drawn)
#endif

#endif
