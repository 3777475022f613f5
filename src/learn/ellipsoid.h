/* ellipsoid.h - the confidence ellipsoid of linear.h with the inverse of V at hand, for simulations.
 *
 * linear.h factors V again for every choice. Here M = V^-1 is kept, so that the index of one action
 * costs d^2 steps, and so does a round without noise: V + x x' has the inverse
 *
 *      M - g g'/(1 + q),  g = M x,  q = <x, g>            (Sherman and Morrison)
 *
 * theta moves by g (y - <theta, x>)/(1 + q), and log det V grows by log(1 + q). Rounding errors of
 * these steps add up. So V and u are kept, too, and M is computed from them again after every
 * LOTOR_ELLIPSOID_STEPS rounds, and whenever q > 1. Between two of these, an index is off by less
 * than 1e-9 of itself (tests/test_ellipsoid.c, for condition numbers up to 10^8).
 *
 * Rounds with noise are read from the board, like in linear.h, and M is computed for each.
 *
 * A cap bounds the index of all unit vectors x = m t + s w, s = sqrt(1 - m^2), for a given unit
 * vector t and any unit vector w orthogonal to it, by a parabola in m. For any k = beta/sqrt(y),
 * beta sqrt(x' M x) <= k (y + x' M x)/2, because a root is below its tangents. So the index is at
 * most
 *
 *      a m + s |e(m)| + k (y + m^2 A + s^2 B)/2,  e(m) = theta - a t + k m (M t - A t),
 *      a = <theta, t>,  A = t' M t
 *
 * y is the square x' M x of an action that is compared with. |e(m)| is convex in m, so it is below
 * the line between its values at the ends of an interval; and s <= 1.
 *
 * B is at least the largest eigenvalue of M restricted to the vectors orthogonal to t. It follows
 * from their sum and the sum of their squares: of n numbers with mean e and variance s^2, none is
 * above e + s sqrt(n - 1) (Samuelson 1968).
 */
#ifndef LOTOR_LEARN_ELLIPSOID_H
#define LOTOR_LEARN_ELLIPSOID_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "board/board.h"
#include "learn/linear.h"

enum { LOTOR_ELLIPSOID_STEPS = 256 };

/* Callers read `inverse`, `theta`, `beta` and `definite`. */
typedef struct lotor_ellipsoid {
    size_t dimension;
    double shift, confidence, reward_noise;
    double base; /* the constant part of beta */
    double *v, *u;
    double *inverse; /* M, dimension x dimension */
    double *theta;
    double *lower, *room; /* room for L^-1, V = L L', and for d numbers */
    double log_det, beta;
    unsigned steps; /* since M was computed from V */
    bool definite;  /* if false, M, theta and beta are not valid */
} lotor_ellipsoid;

/* The ellipsoid of a learner that has seen nothing. The learner must be plain
 * (lotor_linear_params_of). It is not needed afterwards. */
lotor_status lotor_ellipsoid_new(const lotor_linear_learner *learner, lotor_ellipsoid **out);
void lotor_ellipsoid_free(lotor_ellipsoid *ellipsoid);

/* Computes M, theta and beta from the board. */
void lotor_ellipsoid_read(lotor_ellipsoid *ellipsoid, const lotor_board *board);

/* Adds a round without noise: action x with reward y. Do not mix with lotor_ellipsoid_read. */
void lotor_ellipsoid_add(lotor_ellipsoid *ellipsoid, const double *x, double y);

/* <theta, x> + beta |x|_M, and *square = x' M x; the ellipsoid must be definite. */
double lotor_ellipsoid_index(const lotor_ellipsoid *ellipsoid, const double *x, double *square);

/* The indices of LOTOR_LANES actions (base/random/lanes.h). Coordinate i of action k is columns[i *
 * LOTOR_LANES + k]. `wide` says whether to use AVX2; the result does not depend on it. */
void lotor_ellipsoid_indices(const lotor_ellipsoid *ellipsoid, bool wide, const double *columns,
                             double *indices);

/* Between which means m can an action x = m t + sqrt(1 - m^2) w have an index of at least `index`?
 * All such m in [from, to] are in [*low, *high]; *low > *high if there are none. The bounds are
 * closest if `square` is that of an action with this index. */
void lotor_ellipsoid_cap(const lotor_ellipsoid *ellipsoid, const double *t, double index,
                         double square, double from, double to, double *low, double *high);

#endif
