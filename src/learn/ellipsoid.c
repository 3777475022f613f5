/* ellipsoid.c - the confidence ellipsoid with the inverse of V at hand: see ellipsoid.h.
 *
 * The functions with a parameter d are compiled twice: for d = 5, the dimension of the papers, in
 * which the compiler knows the length of every loop; and for any other.
 */
#include "learn/ellipsoid.h"

#include <assert.h>
#include <stdlib.h>

#include "base/random/lanes.h"

/* Bounds are widened by this part of their size: far more than rounding can do. */
#define SLACK 1e-9

/* And means by this: where the cap has its top, a mean is known to half as many digits. */
#define STEP 1e-6

static void reset(lotor_ellipsoid *ellipsoid);

lotor_status lotor_ellipsoid_new(const lotor_linear_learner *learner, lotor_ellipsoid **out)
{
    *out = NULL;
    lotor_linear_bounds bounds;
    bool is_plain;
    const lotor_linear_params *params = lotor_linear_params_of(learner, &bounds, &is_plain);
    assert(is_plain);
    const size_t d = params->dimension;
    lotor_ellipsoid *ellipsoid = calloc(1, sizeof *ellipsoid);
    if (!ellipsoid) {
        return LOTOR_MEMORY;
    }
    *ellipsoid = (lotor_ellipsoid){
        .dimension = d,
        .shift = bounds.shift,
        .confidence = 2.0 * log(2.0 / params->alpha) - (double)d * log(bounds.rho_min),
        .reward_noise = params->reward_noise,
        .base = params->theta_length * sqrt(bounds.rho_max) + bounds.gamma,
        .v = calloc(d * d, sizeof *ellipsoid->v),
        .u = calloc(d, sizeof *ellipsoid->u),
        .inverse = calloc(d * d, sizeof *ellipsoid->inverse),
        .theta = calloc(d, sizeof *ellipsoid->theta),
        .lower = calloc(d * d, sizeof *ellipsoid->lower),
        .room = calloc(d, sizeof *ellipsoid->room),
    };
    if (!ellipsoid->v || !ellipsoid->u || !ellipsoid->inverse || !ellipsoid->theta ||
        !ellipsoid->lower || !ellipsoid->room) {
        lotor_ellipsoid_free(ellipsoid);
        return LOTOR_MEMORY;
    }
    for (size_t i = 0; i < d; i++) {
        ellipsoid->v[i * d + i] = bounds.shift;
    }
    reset(ellipsoid);
    *out = ellipsoid;
    return LOTOR_OK;
}

void lotor_ellipsoid_free(lotor_ellipsoid *ellipsoid)
{
    if (ellipsoid) {
        free(ellipsoid->v);
        free(ellipsoid->u);
        free(ellipsoid->inverse);
        free(ellipsoid->theta);
        free(ellipsoid->lower);
        free(ellipsoid->room);
        free(ellipsoid);
    }
}

static LOTOR_INLINE double dot(size_t d, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < d; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* M from V ------------------------------------------------------------------------------------ */

/* V = L L'. Writes K = L^-1, row by row: if l is row i of L without its last entry, and K has the
 * rows before it, then l = K v. `room` has d numbers. Writes log det V. Only the lower triangle of
 * V is read. False: V is not positive definite. */
static LOTOR_INLINE bool invert_factor(size_t d, const double *restrict v, double *restrict k,
                                       double *restrict room, double *log_det)
{
    double sum = 0.0, product = 1.0; /* takes one logarithm for many pivots, as long as they fit */
    for (size_t i = 0; i < d; i++) {
        double pivot = v[i * d + i];
        for (size_t j = 0; j < i; j++) {
            room[j] = dot(j + 1, k + j * d, v + i * d);
            pivot -= room[j] * room[j];
        }
        if (!(pivot > 0.0 && pivot < INFINITY)) {
            return false;
        }
        const double next = product * pivot, scale = 1.0 / sqrt(pivot);
        if (next > 1e-300 && next < 1e300) {
            product = next;
        } else {
            sum += log(product) + log(pivot);
            product = 1.0;
        }
        for (size_t j = 0; j < i; j++) {
            double entry = 0.0;
            for (size_t n = j; n < i; n++) {
                entry += room[n] * k[n * d + j];
            }
            k[i * d + j] = -scale * entry;
        }
        k[i * d + i] = scale;
    }
    *log_det = sum + log(product);
    return true;
}

/* M = K' K and theta = K' (K u). */
static LOTOR_INLINE void multiply(size_t d, const double *restrict k, const double *restrict u,
                                  double *restrict m, double *restrict theta)
{
    for (size_t i = 0; i < d; i++) {
        theta[i] = 0.0;
        for (size_t j = 0; j <= i; j++) {
            m[i * d + j] = 0.0;
        }
    }
    for (size_t n = 0; n < d; n++) {
        const double *row = k + n * d;
        const double along = dot(n + 1, row, u);
        for (size_t i = 0; i <= n; i++) {
            theta[i] += along * row[i];
            for (size_t j = 0; j <= i; j++) {
                m[i * d + j] += row[i] * row[j];
            }
        }
    }
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < i; j++) {
            m[j * d + i] = m[i * d + j];
        }
    }
}

/* Noise beyond its bounds can make V smaller than rho_min I; then the root counts as 0. */
static inline void set_beta(lotor_ellipsoid *ellipsoid)
{
    const double inside = ellipsoid->confidence + ellipsoid->log_det;
    ellipsoid->beta = ellipsoid->reward_noise * sqrt(inside > 0.0 ? inside : 0.0) + ellipsoid->base;
}

static LOTOR_INLINE void reset_at(lotor_ellipsoid *ellipsoid, size_t d)
{
    ellipsoid->steps = 0;
    ellipsoid->definite =
        invert_factor(d, ellipsoid->v, ellipsoid->lower, ellipsoid->room, &ellipsoid->log_det);
    if (ellipsoid->definite) {
        multiply(d, ellipsoid->lower, ellipsoid->u, ellipsoid->inverse, ellipsoid->theta);
        set_beta(ellipsoid);
    }
}

static void reset(lotor_ellipsoid *ellipsoid)
{
    if (ellipsoid->dimension == 5) {
        reset_at(ellipsoid, 5);
    } else {
        reset_at(ellipsoid, ellipsoid->dimension);
    }
}

void lotor_ellipsoid_read(lotor_ellipsoid *ellipsoid, const lotor_board *board)
{
    const size_t d = ellipsoid->dimension;
    assert(board->arms == (d + 1) * (d + 2) / 2);
    const lotor_fact *fact = lotor_board_at(board, 0, 0);
    for (size_t i = 0; i < d; i++) {
        double *row = ellipsoid->v + i * d;
        for (size_t j = 0; j <= i; j++) {
            row[j] = (fact++)->value;
        }
        row[i] += ellipsoid->shift;
    }
    for (size_t j = 0; j < d; j++) {
        ellipsoid->u[j] = (fact++)->value;
    }
    reset(ellipsoid);
}

/* Rounds without noise ------------------------------------------------------------------------ */

/* log(1 + q). For small q five terms of the series have an error below q^6/6 < 2^-62. */
static inline double log_of_one_plus(double q)
{
    return q < 0x1p-10 ? q * (1.0 - q * (1.0 / 2 - q * (1.0 / 3 - q * (1.0 / 4 - q * (1.0 / 5)))))
                       : log1p(q);
}

static LOTOR_INLINE void add_at(lotor_ellipsoid *ellipsoid, size_t d, const double *restrict x,
                                double y)
{
    double *restrict v = ellipsoid->v, *restrict m = ellipsoid->inverse;
    double *restrict ahead = ellipsoid->room;
    double q = 0.0, along = 0.0;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            v[i * d + j] += x[i] * x[j];
        }
        ellipsoid->u[i] += x[i] * y;
        ahead[i] = dot(d, m + i * d, x);
        q += ahead[i] * x[i];
        along += ellipsoid->theta[i] * x[i];
    }
    if (!ellipsoid->definite || q > 1.0 || ++ellipsoid->steps >= LOTOR_ELLIPSOID_STEPS) {
        reset_at(ellipsoid, d);
        return;
    }
    const double part = 1.0 / (1.0 + q), move = part * (y - along);
    for (size_t i = 0; i < d; i++) {
        const double scaled = part * ahead[i];
        for (size_t j = 0; j < d; j++) {
            m[i * d + j] -= scaled * ahead[j];
        }
        ellipsoid->theta[i] += move * ahead[i];
    }
    ellipsoid->log_det += log_of_one_plus(q);
    set_beta(ellipsoid);
}

void lotor_ellipsoid_add(lotor_ellipsoid *ellipsoid, const double *x, double y)
{
    if (ellipsoid->dimension == 5) {
        add_at(ellipsoid, 5, x, y);
    } else {
        add_at(ellipsoid, ellipsoid->dimension, x, y);
    }
}

/* Indices ------------------------------------------------------------------------------------- */

static LOTOR_INLINE double index_at(const lotor_ellipsoid *ellipsoid, size_t d, const double *x,
                                    double *square)
{
    double sum = 0.0;
    for (size_t i = 0; i < d; i++) {
        sum += x[i] * dot(d, ellipsoid->inverse + i * d, x);
    }
    *square = sum > 0.0 ? sum : 0.0;
    return dot(d, ellipsoid->theta, x) + ellipsoid->beta * sqrt(*square);
}

double lotor_ellipsoid_index(const lotor_ellipsoid *ellipsoid, const double *x, double *square)
{
    assert(ellipsoid->definite);
    return ellipsoid->dimension == 5 ? index_at(ellipsoid, 5, x, square)
                                     : index_at(ellipsoid, ellipsoid->dimension, x, square);
}

static LOTOR_INLINE void indices_at(const lotor_ellipsoid *ellipsoid, size_t d,
                                    const double *restrict columns, double *restrict indices)
{
    const double *restrict m = ellipsoid->inverse, *restrict theta = ellipsoid->theta;
    const double beta = ellipsoid->beta;
    for (size_t k = 0; k < LOTOR_LANES; k++) {
        double square = 0.0, mean = 0.0;
        for (size_t i = 0; i < d; i++) {
            const double x = columns[i * LOTOR_LANES + k];
            double sum = 0.0;
            for (size_t j = 0; j < d; j++) {
                sum += m[i * d + j] * columns[j * LOTOR_LANES + k];
            }
            square += sum * x;
            mean += theta[i] * x;
        }
        indices[k] = mean + beta * sqrt(square > 0.0 ? square : 0.0);
    }
}

static LOTOR_INLINE void some_indices(const lotor_ellipsoid *ellipsoid, const double *columns,
                                      double *indices)
{
    if (ellipsoid->dimension == 5) {
        indices_at(ellipsoid, 5, columns, indices);
    } else {
        indices_at(ellipsoid, ellipsoid->dimension, columns, indices);
    }
}

static void indices_narrow(const lotor_ellipsoid *ellipsoid, const double *columns, double *indices)
{
    some_indices(ellipsoid, columns, indices);
}

static LOTOR_WIDE void indices_wide(const lotor_ellipsoid *ellipsoid, const double *columns,
                                    double *indices)
{
    some_indices(ellipsoid, columns, indices);
}

void lotor_ellipsoid_indices(const lotor_ellipsoid *ellipsoid, bool wide, const double *columns,
                             double *indices)
{
    assert(ellipsoid->definite);
    if (wide) {
        indices_wide(ellipsoid, columns, indices);
    } else {
        indices_narrow(ellipsoid, columns, indices);
    }
}

/* The parts of the caps; the names are those of ellipsoid.h. */
typedef struct parts {
    double a, b2, c2;      /* a, b^2, c^2 */
    double product;        /* <theta - a t, M t - A t> */
    double along, across;  /* A, B */
    double tiny_b, tiny_c; /* what rounding can have done to b^2 and c^2 */
} parts;

static LOTOR_INLINE parts parts_at(const lotor_ellipsoid *ellipsoid, size_t d, const double *t)
{
    double trace = 0.0, squares = 0.0; /* of M: the sums of its eigenvalues and of their squares */
    double along = 0.0, length = 0.0, mixed = 0.0; /* t' M t, |M t|^2 and theta' M t */
    for (size_t i = 0; i < d; i++) {
        const double *row = ellipsoid->inverse + i * d;
        const double ahead = dot(d, row, t);
        trace += row[i];
        squares += dot(d, row, row);
        along += ahead * t[i];
        length += ahead * ahead;
        mixed += ahead * ellipsoid->theta[i];
    }
    const double a = dot(d, ellipsoid->theta, t);
    const double b2 = dot(d, ellipsoid->theta, ellipsoid->theta) - a * a;
    const double c2 = length - along * along;
    const double count = (double)(d - 1), mean = (trace - along) / count;
    const double variance = (squares - 2.0 * length + along * along) / count - mean * mean;
    const double tiny = 1e-14 * squares;
    return (parts){
        .a = a,
        .b2 = b2 > 0.0 ? b2 : 0.0,
        .c2 = c2 > 0.0 ? c2 : 0.0,
        .product = mixed - a * along,
        .along = along,
        .across = mean + sqrt((count - 1.0) * ((variance > 0.0 ? variance : 0.0) + tiny)),
        .tiny_b = 1e-14 * (b2 + a * a),
        .tiny_c = tiny,
    };
}

/* Cuts [*low, *high] down to where first + second m - third m^2 >= 0, third >= 0. */
static inline void cut(double first, double second, double third, double *low, double *high)
{
    const bool at_low = first + (second - third * *low) * *low >= 0.0;
    const bool at_high = first + (second - third * *high) * *high >= 0.0;
    if (at_low && at_high) {
        return;
    }
    const double inside = second * second + 4.0 * third * first;
    if (!(inside >= 0.0 && third > 0.0)) {
        if (!at_low && !at_high) {
            *low = INFINITY;
            *high = -INFINITY;
        }
        return;
    }
    const double root = sqrt(inside), scale = 0.5 / third;
    *low = at_low ? *low : fmax(*low, (second - root) * scale - STEP);
    *high = at_high ? *high : fmin(*high, (second + root) * scale + STEP);
}

/* |e(m)|, e(m) = theta - a t + k m (M t - A t). */
static inline double tilt(const parts *at, double k, double m)
{
    const double km = k * m, square = at->b2 + 2.0 * km * at->product + km * km * at->c2;
    return sqrt((square > 0.0 ? square : 0.0) + at->tiny_b + km * km * at->tiny_c);
}

void lotor_ellipsoid_cap(const lotor_ellipsoid *ellipsoid, const double *t, double index,
                         double square, double from, double to, double *low, double *high)
{
    assert(ellipsoid->definite && from < to);
    const parts at = ellipsoid->dimension == 5 ? parts_at(ellipsoid, 5, t)
                                               : parts_at(ellipsoid, ellipsoid->dimension, t);
    const double most = at.across > at.along ? at.across : at.along, slope = most - at.along;
    const double beta = ellipsoid->beta, k = beta / sqrt(square);
    const double rest = index - SLACK * (fabs(index) + fabs(at.a) + beta * sqrt(most));
    *low = from;
    *high = to;
    if (!(square > 0.0 && k < INFINITY)) {
        return;
    }
    const double left = tilt(&at, k, from), right = tilt(&at, k, to);
    const double rise = (right - left) / (to - from);
    cut(left - rise * from + 0.5 * k * (square + most) - rest, at.a + rise, 0.5 * k * slope, low,
        high);
}
