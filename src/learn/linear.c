/* linear.c - the learner of contextual linear problems; linear.h has the formulas. */
#include "learn/linear.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/random/laws.h"
#include "learn/factor.h"
#include "learn/linear_batch.h"
#include "learn/linear_bayes.h"

enum { MOST_DIMENSIONS = 4096, MOST_NUMBERS = 1 << 26 };

struct lotor_linear_learner {
    lotor_linear_params params;
    lotor_linear_bounds bounds;
    double confidence;         /* the constant part of the term under the root in beta */
    lotor_factor *factor;      /* NULL for batched rules */
    lotor_linear_batch *batch; /* NULL for other rules */
    lotor_linear_bayes *bayes; /* NULL for rules without a posterior */
    double *v;                 /* dimension x dimension; the lower triangle is used */
    double *u;                 /* dimension */
    double *theta;             /* dimension */
    double *widths;            /* actions: how far <theta, x> may be off */
    double *sample;            /* dimension: theta~, for rules that sample */
    bool samples;
    uint64_t t, seed; /* of the next sample */
    double beta;
    uint64_t indefinite; /* in how many choices V was not positive definite */

    /* The board, and its number of posts, that the fields above were computed from; NULL: none
     * yet. */
    const lotor_board *board;
    uint64_t posts;
    bool definite; /* V is positive definite */
    bool waiting;  /* there is no complete release yet */
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

static lotor_status allocate(lotor_linear_learner *learner, const lotor_linear_rule *rule)
{
    const size_t d = learner->params.dimension, actions = learner->params.actions;
    learner->v = calloc(d * d, sizeof *learner->v);
    learner->u = calloc(d, sizeof *learner->u);
    learner->theta = calloc(d, sizeof *learner->theta);
    learner->widths = calloc(actions, sizeof *learner->widths);
    learner->sample = calloc(d, sizeof *learner->sample);
    learner->samples = rule->samples;
    if (!learner->v || !learner->u || !learner->theta || !learner->widths || !learner->sample) {
        return LOTOR_MEMORY;
    }
    if (rule->batched) {
        return lotor_linear_batch_new(&learner->params, &learner->batch);
    }
    const lotor_status status =
        lotor_factor_new(d, actions, d > LOTOR_FACTOR_PLAIN_MAX, &learner->factor);
    return status == LOTOR_OK && rule->posterior
               ? lotor_linear_bayes_new(&learner->params, &learner->bayes)
               : status;
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
    const lotor_status status = allocate(learner, rule);
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
        lotor_linear_batch_free(learner->batch);
        lotor_linear_bayes_free(learner->bayes);
        free(learner->v);
        free(learner->u);
        free(learner->theta);
        free(learner->widths);
        free(learner->sample);
        free(learner);
    }
}

/* Reads V and u from the board; linear.h says which arm holds which entry. */
static void read_board(lotor_linear_learner *learner, const lotor_board *board)
{
    assert(board->arms == (learner->params.dimension + 1) * (learner->params.dimension + 2) / 2);
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

/* Used when V is not positive definite: nothing is known, so theta is 0 and beta is infinite. */
static void forget(lotor_linear_learner *learner)
{
    for (size_t i = 0; i < learner->params.dimension; i++) {
        learner->theta[i] = 0.0;
    }
    learner->beta = INFINITY;
}

static void estimate_batches(lotor_linear_learner *learner, const lotor_board *board)
{
    const uint64_t rounds = lotor_board_at(board, 0, 0)->count;
    const unsigned releases = lotor_linear_batch_releases(learner->batch, rounds);
    learner->waiting = releases == 0;
    learner->definite =
        releases > 0 && lotor_linear_batch_make(learner->batch, releases, learner->v, learner->u,
                                                learner->theta, &learner->beta);
    if (!learner->definite) {
        forget(learner);
    }
}

static void estimate_posterior(lotor_linear_learner *learner, const lotor_board *board)
{
    if (learner->board != board) {
        lotor_linear_bayes_restart(learner->bayes);
    }
    learner->board = board;
    learner->posts = lotor_board_posts(board);
    const size_t releases = lotor_linear_bayes_read(learner->bayes, board, learner->v, learner->u);
    learner->waiting = releases == 0;
    learner->definite = releases > 0 && lotor_factor_make(learner->factor, learner->v);
    if (!learner->definite) {
        forget(learner);
        return;
    }
    lotor_factor_solve(learner->factor, learner->u, learner->theta);
    learner->beta = 0.5;
}

/* True if the latest release is completely on the board. The journal may have refused a part of
 * it. */
static bool is_whole(const lotor_linear_learner *learner, const lotor_board *board)
{
    const size_t d = learner->params.dimension, last = d * (d + 1) / 2 + d - 1; /* the end of u */
    return lotor_board_at(board, 0, 0)->time == lotor_board_at(board, 0, last)->time;
}

/* Computes theta and beta (Proposition 4) if the board has changed. If the noise is beyond its
 * bounds, V can be smaller than rho_min I; then the term under the root counts as 0. */
static void estimate(lotor_linear_learner *learner, const lotor_board *board)
{
    if (learner->board == board && learner->posts == lotor_board_posts(board)) {
        return;
    }
    if (learner->bayes) {
        estimate_posterior(learner, board);
        return;
    }
    if (!is_whole(learner, board)) {
        if (learner->board != board) { /* there is no earlier estimate, as after a reload */
            learner->definite = false;
            learner->waiting = true;
            forget(learner);
        }
        return;
    }
    assert((learner->factor != NULL) != (learner->batch != NULL));
    learner->board = board;
    learner->waiting = false;
    learner->posts = lotor_board_posts(board);
    read_board(learner, board);
    if (learner->batch) {
        estimate_batches(learner, board);
        return;
    }
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

/* The longest eligible action. Lengths that differ only by rounding count as equal; then the lower
 * number wins. */
static uint32_t find_longest(const lotor_linear_learner *learner, const double *contexts,
                             const bool *eligible)
{
    const size_t d = learner->params.dimension;
    double best = -1.0;
    size_t longest = 0;
    for (size_t i = 0; i < learner->params.actions; i++) {
        if (eligible && !eligible[i]) {
            continue;
        }
        const double square = dot(contexts + i * d, contexts + i * d, d);
        if (square > best + 1e-12 * fabs(best)) {
            best = square;
            longest = i;
        }
    }
    return (uint32_t)longest;
}

/* Fills `widths` for `count` rows of contexts. */
static void find_widths(lotor_linear_learner *learner, const double *rows, size_t count)
{
    assert(learner->definite && count <= learner->params.actions);
    if (learner->batch) {
        lotor_linear_batch_widths(learner->batch, rows, count, learner->widths);
        return;
    }
    lotor_factor_squares(learner->factor, rows, count, learner->widths);
    for (size_t i = 0; i < count; i++) {
        learner->widths[i] = learner->beta * sqrt(learner->widths[i]);
    }
}

void lotor_linear_begin(lotor_linear_learner *learner, uint64_t t, uint64_t seed)
{
    learner->t = t;
    learner->seed = seed;
}

/* Draws theta~. */
static void draw_sample(lotor_linear_learner *learner)
{
    const size_t d = learner->params.dimension;
    const double sigma = learner->params.reward_noise;
    lotor_generator generator;
    lotor_generator_seed(&generator, learner->seed ^ (learner->t * UINT64_C(0x9e3779b97f4a7c15)));
    for (size_t i = 0; i < d; i++) {
        learner->sample[i] = lotor_random_gaussian(&generator);
    }
    lotor_factor_spread(learner->factor, learner->sample, learner->sample);
    for (size_t i = 0; i < d; i++) {
        learner->sample[i] = learner->theta[i] + sigma * learner->sample[i];
    }
}

/* Shows the best action for the sample, of the eligible ones (NULL: of all). */
static uint32_t choose_by_sample(lotor_linear_learner *learner, const double *contexts,
                                 const bool *eligible)
{
    const size_t d = learner->params.dimension, actions = learner->params.actions;
    double best = -INFINITY;
    size_t chosen = actions;
    draw_sample(learner);
    for (size_t i = 0; i < actions; i++) {
        if (eligible && !eligible[i]) {
            continue;
        }
        const double index = dot(learner->sample, contexts + i * d, d);
        if (chosen == actions || index > best) {
            best = index;
            chosen = i;
        }
    }
    assert(chosen < actions);
    return (uint32_t)chosen;
}

uint32_t lotor_linear_choose(lotor_linear_learner *learner, const lotor_board *board,
                             const double *contexts)
{
    const size_t d = learner->params.dimension, actions = learner->params.actions;
    estimate(learner, board);
    if (!learner->definite) {
        learner->indefinite += !learner->waiting;
        return find_longest(learner, contexts, NULL);
    }
    if (learner->samples) {
        return choose_by_sample(learner, contexts, NULL);
    }
    find_widths(learner, contexts, actions);
    double best = -INFINITY;
    size_t chosen = 0;
    for (size_t i = 0; i < actions; i++) {
        const double index = dot(learner->theta, contexts + i * d, d) + learner->widths[i];
        if (index > best) {
            best = index;
            chosen = i;
        }
    }
    return (uint32_t)chosen;
}

uint32_t lotor_linear_choose_among(lotor_linear_learner *learner, const lotor_board *board,
                                   const double *contexts, const bool *eligible)
{
    const size_t d = learner->params.dimension, actions = learner->params.actions;
    estimate(learner, board);
    if (!learner->definite) {
        learner->indefinite += !learner->waiting;
        return find_longest(learner, contexts, eligible);
    }
    if (learner->samples) {
        return choose_by_sample(learner, contexts, eligible);
    }
    double best = -INFINITY;
    size_t chosen = actions;
    for (size_t i = 0; i < actions; i++) {
        if (!eligible[i]) {
            continue;
        }
        const double *row = contexts + i * d;
        find_widths(learner, row, 1);
        const double index = dot(learner->theta, row, d) + learner->widths[0];
        if (chosen == actions || index > best) {
            best = index;
            chosen = i;
        }
    }
    assert(chosen < actions && eligible[chosen]);
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

double lotor_linear_width(lotor_linear_learner *learner, const double *x)
{
    if (!learner->definite) {
        return INFINITY;
    }
    find_widths(learner, x, 1);
    return learner->widths[0];
}

bool lotor_linear_weights(lotor_linear_learner *learner, const lotor_board *board, double *theta,
                          double *widths)
{
    const size_t d = learner->params.dimension;
    if (lotor_board_posts(board) == 0) {
        return false;
    }
    estimate(learner, board);
    if (!learner->definite) {
        return false;
    }
    for (size_t i = 0; i < d; i++) {
        theta[i] = learner->theta[i];
        learner->sample[i] = 0.0; /* room for a unit vector; a new sample is drawn for a choice */
    }
    for (size_t i = 0; i < d; i++) {
        learner->sample[i] = 1.0;
        widths[i] = learner->bayes || learner->samples
                        ? INFINITY
                        : lotor_linear_width(learner, learner->sample);
        learner->sample[i] = 0.0;
    }
    return true;
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

const lotor_linear_params *lotor_linear_params_of(const lotor_linear_learner *learner,
                                                  lotor_linear_bounds *bounds, bool *is_plain)
{
    *bounds = learner->bounds;
    *is_plain = !learner->batch && !learner->bayes && !learner->samples;
    return &learner->params;
}

void lotor_linear_save(const lotor_linear_learner *learner, lotor_writer *writer)
{
    lotor_write_u64(writer, learner->indefinite);
}

void lotor_linear_load(lotor_linear_learner *learner, lotor_reader *reader)
{
    learner->indefinite = lotor_read_u64(reader);
    learner->board = NULL; /* the board may have another content now */
}
