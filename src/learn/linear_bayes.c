/* linear_bayes.c - a Gaussian belief from noisy batches; linear_bayes.h has the formulas. */
#include "learn/linear_bayes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/eigen.h"
#include "learn/factor.h"

struct lotor_linear_bayes {
    lotor_linear_params params;
    double spread; /* s_G^2 (d^2 + d - 2): the mean of |N - trace(N)/d I|_F^2 for noise N */
    double noise;  /* s^2 */
    size_t passed; /* how many statistics of the board were read */
    size_t used;   /* how many of them are in P and h */
    lotor_eigen *eigen;
    double *p, *h;    /* dimension x dimension, of which the lower triangle is used; dimension */
    double *g, *u;    /* the same for one batch */
    double *weights;  /* dimension: how much a batch adds to P along each eigenvector of G */
    double *evidence; /* dimension: the same for h */
};

lotor_status lotor_linear_bayes_new(const lotor_linear_params *params, lotor_linear_bayes **out)
{
    *out = NULL;
    lotor_linear_bayes *bayes = calloc(1, sizeof *bayes);
    if (!bayes) {
        return LOTOR_MEMORY;
    }
    const size_t size = params->dimension;
    const double d = (double)size, gram = params->gaussian * params->gaussian;
    *bayes = (lotor_linear_bayes){
        .params = *params,
        .spread = gram * (d * d + d - 2.0),
        .noise = params->response * params->response +
                 gram * params->theta_length * params->theta_length * (1.0 + 1.0 / d),
        .p = calloc(size * size, sizeof *bayes->p),
        .h = calloc(size, sizeof *bayes->h),
        .g = calloc(size * size, sizeof *bayes->g),
        .u = calloc(size, sizeof *bayes->u),
        .weights = calloc(size, sizeof *bayes->weights),
        .evidence = calloc(size, sizeof *bayes->evidence),
    };
    lotor_status status = LOTOR_MEMORY;
    if (bayes->p && bayes->h && bayes->g && bayes->u && bayes->weights && bayes->evidence) {
        status = lotor_eigen_new(size, size > LOTOR_FACTOR_PLAIN_MAX, &bayes->eigen);
    }
    if (status != LOTOR_OK) {
        lotor_linear_bayes_free(bayes);
        return status;
    }
    lotor_linear_bayes_restart(bayes);
    *out = bayes;
    return LOTOR_OK;
}

void lotor_linear_bayes_free(lotor_linear_bayes *bayes)
{
    if (bayes) {
        lotor_eigen_free(bayes->eigen);
        free(bayes->p);
        free(bayes->h);
        free(bayes->g);
        free(bayes->u);
        free(bayes->weights);
        free(bayes->evidence);
        free(bayes);
    }
}

void lotor_linear_bayes_restart(lotor_linear_bayes *bayes)
{
    const size_t d = bayes->params.dimension;
    const double length = bayes->params.theta_length;
    memset(bayes->p, 0, d * d * sizeof *bayes->p);
    memset(bayes->h, 0, d * sizeof *bayes->h);
    for (size_t i = 0; i < d; i++) {
        bayes->p[i * d + i] = (double)d / (length * length);
    }
    bayes->passed = bayes->used = 0;
}

/* Reads G~ (its lower triangle) and u~ of a batch. Returns false if a part of the release is not on
 * the board yet: the journal may have refused it. */
static bool read_batch(lotor_linear_bayes *bayes, const lotor_board *board, size_t statistic)
{
    const size_t d = bayes->params.dimension, entries = d * (d + 1) / 2;
    assert(board->arms == entries + d + 1);
    const lotor_fact *fact = lotor_board_at(board, statistic, 0), *last = fact + entries + d - 1;
    if (last->time == 0 || last->time != fact->time) {
        return false;
    }
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            bayes->g[i * d + j] = (fact++)->value;
        }
    }
    for (size_t j = 0; j < d; j++) {
        bayes->u[j] = (fact++)->value;
    }
    return true;
}

/* Turns G~ into (1 - rho) G~ + rho m I. */
static void shrink(lotor_linear_bayes *bayes)
{
    const size_t d = bayes->params.dimension;
    double *g = bayes->g, mean = 0.0, distance = 0.0;
    for (size_t i = 0; i < d; i++) {
        mean += g[i * d + i];
    }
    mean /= (double)d;
    for (size_t i = 0; i < d; i++) {
        const double off = g[i * d + i] - mean;
        distance += off * off;
        for (size_t j = 0; j < i; j++) {
            distance += 2.0 * g[i * d + j] * g[i * d + j];
        }
    }
    const double kept = distance > bayes->spread ? 1.0 - bayes->spread / distance : 0.0;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < i; j++) {
            g[i * d + j] *= kept;
        }
        g[i * d + i] = mean + kept * (g[i * d + i] - mean);
    }
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* Computes what the batch adds along each eigenvector. Returns false if a number is not finite. */
static bool weigh(lotor_linear_bayes *bayes)
{
    const size_t d = bayes->params.dimension;
    if (!lotor_eigen_make(bayes->eigen, bayes->g)) {
        return false;
    }
    const double sampling = bayes->params.reward_noise * bayes->params.reward_noise;
    for (size_t k = 0; k < d; k++) {
        const double value = fmax(0.0, bayes->eigen->values[k]);
        const double trust = value > 0.0 ? value / (sampling * value + bayes->noise) : 0.0;
        bayes->weights[k] = trust * value;
        bayes->evidence[k] = trust * dot(bayes->eigen->vectors + k * d, bayes->u, d);
        if (!isfinite(bayes->weights[k]) || !isfinite(bayes->evidence[k])) {
            return false;
        }
    }
    return true;
}

static void add_batch(lotor_linear_bayes *bayes)
{
    const size_t d = bayes->params.dimension;
    for (size_t k = 0; k < d; k++) {
        const double *vector = bayes->eigen->vectors + k * d;
        for (size_t i = 0; i < d; i++) {
            const double scaled = bayes->weights[k] * vector[i];
            double *row = bayes->p + i * d;
            for (size_t j = 0; j <= i; j++) {
                row[j] += scaled * vector[j];
            }
            bayes->h[i] += bayes->evidence[k] * vector[i];
        }
    }
}

size_t lotor_linear_bayes_read(lotor_linear_bayes *bayes, const lotor_board *board, double *p,
                               double *h)
{
    const size_t d = bayes->params.dimension;
    for (; bayes->passed < board->statistics; bayes->passed++) {
        if (!read_batch(bayes, board, bayes->passed)) {
            break;
        }
        shrink(bayes);
        if (weigh(bayes)) {
            add_batch(bayes);
            bayes->used++;
        }
    }
    memcpy(p, bayes->p, d * d * sizeof *p);
    memcpy(h, bayes->h, d * sizeof *h);
    return bayes->used;
}
