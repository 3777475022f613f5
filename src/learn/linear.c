/* linear.c - see linear.h. */
#include "learn/linear.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "learn/factor.h"

enum { MOST_DIMENSIONS = 4096, MOST_NUMBERS = 1 << 26 };

struct lotor_linear_learner {
    lotor_linear_params params;
    lotor_linear_bounds bounds;
    double confidence; /* the part of beta under the root that never changes */
    lotor_factor *factor;
    double *v;       /* dimension x dimension, its lower triangle */
    double *u;       /* dimension */
    double *theta;   /* dimension */
    double *squares; /* actions: x' V^-1 x */
    double beta;
    uint64_t indefinite;

    /* For which board the above was made; NULL: for none yet. */
    const lotor_board *board;
    uint64_t posts;
    bool definite;
};

static bool makes_sense(const lotor_linear_params *params, const lotor_linear_bounds *bounds)
{
    return params->dimension >= 1 && params->dimension <= MOST_DIMENSIONS && params->actions >= 1 &&
           params->actions <= MOST_NUMBERS / params->dimension && params->alpha > 0.0 &&
           params->alpha < 1.0 && params->reward_noise >= 0.0 && isfinite(params->reward_noise) &&
           params->theta_length >= 0.0 && isfinite(params->theta_length) &&
           isfinite(bounds->shift) && bounds->rho_min > 0.0 && bounds->rho_max >= bounds->rho_min &&
           isfinite(bounds->rho_max) && bounds->gamma >= 0.0 && isfinite(bounds->gamma);
}

static lotor_status allocate(lotor_linear_learner *learner)
{
    const size_t d = learner->params.dimension, actions = learner->params.actions;
    learner->v = calloc(d * d, sizeof *learner->v);
    learner->u = calloc(d, sizeof *learner->u);
    learner->theta = calloc(d, sizeof *learner->theta);
    learner->squares = calloc(actions, sizeof *learner->squares);
    if (!learner->v || !learner->u || !learner->theta || !learner->squares) {
        return LOTOR_MEMORY;
    }
    return lotor_factor_new(d, actions, d > LOTOR_FACTOR_PLAIN_MOST, &learner->factor);
}

lotor_status lotor_linear_new(const lotor_linear_rule *rule, const lotor_linear_params *params,
                              lotor_linear_learner **out)
{
    *out = NULL;
    const lotor_linear_bounds bounds = rule->bounds(params);
    if (!makes_sense(params, &bounds)) {
        return LOTOR_INVALID;
    }
    lotor_linear_learner *learner = calloc(1, sizeof *learner);
    if (!learner) {
        return LOTOR_MEMORY;
    }
    learner->params = *params;
    learner->bounds = bounds;
    learner->confidence =
        2.0 * log(2.0 / params->alpha) - (double)params->dimension * log(bounds.rho_min);
    const lotor_status status = allocate(learner);
    if (status != LOTOR_OK) {
        lotor_linear_free(learner);
        return status;
    }
    *out = learner;
    return LOTOR_OK;
}

void lotor_linear_free(lotor_linear_learner *learner)
{
    if (learner) {
        lotor_factor_free(learner->factor);
        free(learner->v);
        free(learner->u);
        free(learner->theta);
        free(learner->squares);
        free(learner);
    }
}

/* V and u from the board, whose triangle is in the order of its arms. */
static void read_board(lotor_linear_learner *learner, const lotor_board *board)
{
    const size_t d = learner->params.dimension;
    const lotor_fact *fact = lotor_board_at(board, 0, 0);
    for (size_t i = 0; i < d; i++) {
        double *row = learner->v + i * d;
        for (size_t j = 0; j <= i; j++) {
            row[j] = (fact++)->value;
        }
        row[i] += learner->bounds.shift;
    }
    for (size_t j = 0; j < d; j++) {
        learner->u[j] = (fact++)->value;
    }
}

/* Where V is not positive definite nothing is known: theta is 0, and anything is possible. */
static void forget(lotor_linear_learner *learner)
{
    for (size_t i = 0; i < learner->params.dimension; i++) {
        learner->theta[i] = 0.0;
    }
    learner->beta = INFINITY;
}

/* Proposition 4. V can be smaller than rho_min I where the noise is beyond its bounds; then the
 * root is of 0, not of a negative number. */
static void estimate(lotor_linear_learner *learner, const lotor_board *board)
{
    if (learner->board == board && learner->posts == lotor_board_posts(board)) {
        return; /* nothing new */
    }
    learner->board = board;
    learner->posts = lotor_board_posts(board);
    read_board(learner, board);
    learner->definite = lotor_factor_make(learner->factor, learner->v);
    if (!learner->definite) {
        forget(learner);
        return;
    }
    lotor_factor_solve(learner->factor, learner->u, learner->theta);
    const double inside = learner->confidence + lotor_factor_log_det(learner->factor);
    learner->beta = learner->params.reward_noise * sqrt(fmax(0.0, inside)) +
                    learner->params.theta_length * sqrt(learner->bounds.rho_max) +
                    learner->bounds.gamma;
}

static inline double dot(const double *a, const double *b, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static uint32_t find_longest(const lotor_linear_learner *learner, const double *contexts)
{
    const size_t d = learner->params.dimension;
    double best = -INFINITY;
    size_t longest = 0;
    for (size_t i = 0; i < learner->params.actions; i++) {
        const double square = dot(contexts + i * d, contexts + i * d, d);
        if (square > best) {
            best = square;
            longest = i;
        }
    }
    return (uint32_t)longest;
}

uint32_t lotor_linear_choose(lotor_linear_learner *learner, const lotor_board *board,
                             const double *contexts)
{
    const size_t d = learner->params.dimension, actions = learner->params.actions;
    estimate(learner, board);
    if (!learner->definite) {
        learner->indefinite++;
        return find_longest(learner, contexts);
    }
    lotor_factor_squares(learner->factor, contexts, actions, learner->squares);
    double best = -INFINITY;
    size_t chosen = 0;
    for (size_t i = 0; i < actions; i++) {
        const double index =
            dot(learner->theta, contexts + i * d, d) + learner->beta * sqrt(learner->squares[i]);
        if (index > best) {
            best = index;
            chosen = i;
        }
    }
    return (uint32_t)chosen;
}

uint64_t lotor_linear_indefinite(const lotor_linear_learner *learner)
{
    return learner->indefinite;
}

const double *lotor_linear_theta_of(const lotor_linear_learner *learner, double *beta)
{
    *beta = learner->beta;
    return learner->theta;
}

double lotor_linear_distance(const lotor_linear_learner *learner, const double *t)
{
    const size_t d = learner->params.dimension;
    double sum = 0.0;
    for (size_t i = 0; i < d; i++) {
        const double *row = learner->v + i * d;
        const double here = t[i] - learner->theta[i];
        sum += here * here * row[i];
        for (size_t j = 0; j < i; j++) {
            sum += 2.0 * here * (t[j] - learner->theta[j]) * row[j];
        }
    }
    return sum;
}

void lotor_linear_save(const lotor_linear_learner *learner, lotor_writer *writer)
{
    lotor_write_u64(writer, learner->indefinite);
}

void lotor_linear_load(lotor_linear_learner *learner, lotor_reader *reader)
{
    learner->indefinite = lotor_read_u64(reader);
    learner->board = NULL; /* what is on it may be another's now */
}
