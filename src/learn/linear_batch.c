/* linear_batch.c - confidence widths from sums released in batches; linear_batch.h has the
 * formulas. */
#include "learn/linear_batch.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/eigen.h"
#include "learn/factor.h"

struct lotor_linear_batch {
    lotor_linear_params params;
    lotor_eigen *eigen;
    double *inverse; /* dimension: 1 / each eigenvalue of V */
    double *vectors; /* room for the actions, transposed, and one more row */
    double *squares; /* actions: |V^-1 x|^2 */
    double round;    /* the factor of |x|_(V^-1): k beta */
    double flat;     /* the factor of |V^-1 x|: c S + R */
};

lotor_status lotor_linear_batch_new(const lotor_linear_params *params, lotor_linear_batch **out)
{
    *out = NULL;
    lotor_linear_batch *batch = calloc(1, sizeof *batch);
    if (!batch) {
        return LOTOR_MEMORY;
    }
    const size_t d = params->dimension, actions = params->actions;
    *batch = (lotor_linear_batch){
        .params = *params,
        .inverse = calloc(d, sizeof *batch->inverse),
        .vectors = calloc((d + 1) * actions, sizeof *batch->vectors),
        .squares = calloc(actions, sizeof *batch->squares),
    };
    lotor_status status = LOTOR_MEMORY;
    if (batch->inverse && batch->vectors && batch->squares) {
        status = lotor_eigen_new(d, d > LOTOR_FACTOR_PLAIN_MAX, &batch->eigen);
    }
    if (status != LOTOR_OK) {
        lotor_linear_batch_free(batch);
        return status;
    }
    *out = batch;
    return LOTOR_OK;
}

void lotor_linear_batch_free(lotor_linear_batch *batch)
{
    if (batch) {
        lotor_eigen_free(batch->eigen);
        free(batch->inverse);
        free(batch->vectors);
        free(batch->squares);
        free(batch);
    }
}

unsigned lotor_linear_batch_releases(const lotor_linear_batch *batch, uint64_t rounds)
{
    const uint64_t first = batch->params.first_release;
    return first == 0 || rounds < first ? 0 : 64U - (unsigned)__builtin_clzll(rounds / first);
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* Bounds on the noise of j releases: on the norm of the noise matrix, and on the norm of
 * (noise on u) - (noise matrix) theta*. */
typedef struct reach {
    double odds;    /* l */
    double upsilon; /* Y */
    double radius;  /* R */
} reach;

static reach reach_of(const lotor_linear_params *params, unsigned releases)
{
    const double d = (double)params->dimension, root_j = sqrt((double)releases);
    const double l = log(8.0 * params->releases / params->alpha);
    const double gram = params->gaussian * params->gaussian * params->theta_length *
                        params->theta_length; /* s^2 S^2 */
    const double response = params->response * params->response;
    return (reach){
        .odds = l,
        .upsilon = params->gaussian * root_j * 2.0 * (sqrt(d) + sqrt(l)),
        .radius =
            root_j * (sqrt(d * (response + gram) + gram) + sqrt(2.0 * l * (response + 2.0 * gram))),
    };
}

bool lotor_linear_batch_make(lotor_linear_batch *batch, unsigned releases, double *m,
                             const double *u, double *theta, double *beta)
{
    assert(releases > 0);
    const lotor_linear_params *params = &batch->params;
    const lotor_eigen *eigen = batch->eigen;
    const size_t d = params->dimension;
    if (!lotor_eigen_make(batch->eigen, m)) {
        return false;
    }
    const reach noise = reach_of(params, releases);
    const double lambda = params->regularizer;
    double least = INFINITY, log_det = 0.0;
    for (size_t k = 0; k < d; k++) {
        least = fmin(least, eigen->values[k]);
    }
    const double shift = fmax(0.0, fmax(2.0 * noise.upsilon, lambda) - least);
    memset(theta, 0, d * sizeof *theta);
    for (size_t k = 0; k < d; k++) {
        const double value = eigen->values[k] + shift, *vector = eigen->vectors + k * d;
        if (!(value > 0.0 && value < INFINITY)) {
            return false;
        }
        batch->inverse[k] = 1.0 / value;
        log_det += log(value);
        const double along = dot(vector, u, d) / value;
        for (size_t i = 0; i < d; i++) {
            theta[i] += along * vector[i];
        }
        m[k * d + k] += shift;
    }
    const double wider = 1.0 + fmax(0.0, lambda + noise.upsilon - shift) / (least + shift);
    const double inside = 2.0 * noise.odds + log_det + (double)d * log(wider / lambda);
    batch->round = sqrt(wider) * params->reward_noise * sqrt(fmax(0.0, inside));
    batch->flat = shift * params->theta_length + noise.radius;
    *beta = batch->round;
    return isfinite(batch->round) && isfinite(batch->flat) && isfinite(dot(theta, theta, d));
}

/* Let q_k be the eigenvectors and v_k the eigenvalues of V. Then |x|_(V^-1)^2 is the sum of <q_k,
 * x>^2 / v_k, and |V^-1 x|^2 is the sum of <q_k, x>^2 / v_k^2. The actions are transposed first, so
 * the innermost loops run over actions and the compiler can process several at once. */
void lotor_linear_batch_widths(lotor_linear_batch *batch, const double *rows, size_t count,
                               double *widths)
{
    assert(count <= batch->params.actions);
    const size_t d = batch->params.dimension;
    double *restrict vectors = batch->vectors, *restrict along = vectors + d * count;
    double *restrict round = widths, *restrict flat = batch->squares;
    for (size_t j = 0; j < d; j++) {
        for (size_t i = 0; i < count; i++) {
            vectors[j * count + i] = rows[i * d + j];
        }
    }
    memset(round, 0, count * sizeof *round);
    memset(flat, 0, count * sizeof *flat);
    for (size_t k = 0; k < d; k++) {
        const double *vector = batch->eigen->vectors + k * d;
        memset(along, 0, count * sizeof *along);
        for (size_t j = 0; j < d; j++) {
            const double weight = vector[j], *entries = vectors + j * count;
            for (size_t i = 0; i < count; i++) {
                along[i] += weight * entries[i];
            }
        }
        const double inverse = batch->inverse[k];
        for (size_t i = 0; i < count; i++) {
            const double part = along[i] * along[i] * inverse;
            round[i] += part;
            flat[i] += part * inverse;
        }
    }
    for (size_t i = 0; i < count; i++) {
        widths[i] = batch->round * sqrt(round[i]) + batch->flat * sqrt(flat[i]);
    }
}
