/* mutant.h - wrong noise, on purpose, to see that the tests notice.
 *
 * scripts/mutants builds the library with one of these defined (cmake -DLOTOR_MUTANT=...), runs
 * the suite, and fails unless the suite fails. None is ever defined in a normal build.
 *
 *   HALF_NOISE   every scale is half of what it should be
 *   ONE_LEVEL    a tree is calibrated for one level fewer than it has
 *   SAME_NOISE   a node, or a report, reuses the noise of the one before it
 *   BATCH_ANSWERS  rounds without an answer do not count: batches close on answers, not displays
 */
#ifndef LOTOR_PRIVACY_NOISE_MUTANT_H
#define LOTOR_PRIVACY_NOISE_MUTANT_H

#ifdef LOTOR_MUTANT_HALF_NOISE
#define LOTOR_MUTANT_SCALE(scale) (((scale) + 1) / 2)
#else
#define LOTOR_MUTANT_SCALE(scale) (scale)
#endif

/* The same for randomized response: lies as at twice the epsilon. */
#ifdef LOTOR_MUTANT_HALF_NOISE
#define LOTOR_MUTANT_TWICE(epsilon) (2 * (epsilon))
#define LOTOR_MUTANT_HALF(lie)      (0.5 * (lie))
#else
#define LOTOR_MUTANT_TWICE(epsilon) (epsilon)
#define LOTOR_MUTANT_HALF(lie)      (lie)
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
#else
#define LOTOR_MUTANT_FRESH(draws) ((void)(draws), 1)
#endif

/* The same for those that keep no noise between draws. */
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
