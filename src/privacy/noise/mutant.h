/* mutant.h - wrong noise, on purpose, to see that the tests notice.
 *
 * scripts/mutants builds the library with one of these defined (cmake -DLOTOR_MUTANT=...), runs
 * the suite, and fails unless the suite fails. None is ever defined in a normal build.
 *
 *   HALF_NOISE   every scale is half of what it should be
 *   ONE_LEVEL    a tree is calibrated for one level fewer than it has
 *   SAME_NOISE   a node reuses the noise of the node before it
 */
#ifndef LOTOR_PRIVACY_NOISE_MUTANT_H
#define LOTOR_PRIVACY_NOISE_MUTANT_H

#ifdef LOTOR_MUTANT_HALF_NOISE
#define LOTOR_MUTANT_SCALE(scale) (((scale) + 1) / 2)
#else
#define LOTOR_MUTANT_SCALE(scale) (scale)
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

#endif
