/* linear.c - LinUCB, linear Thompson sampling (Russo and Van Roy 2014), and the private LinUCB of
 * Shariff and Sheffet 2018 (Algorithm 1 with the noise of 4.1 or 4.2). The private algorithm is a
 * ridge regression on a noisy Gram matrix. It plays the action with the highest upper bound.
 *
 * One tree over the rounds sums the matrices [x;y][x;y]'. Gaussian noise is only on the filled
 * nodes. Wishart noise is on all m levels, even empty ones, so that the regression is always
 * regular (the paper's tree has no noise on empty levels). A level that changes, also one that is
 * emptied, gets new noise. At epsilon = infinity all variants are LinUCB. jdp-linucb is the
 * Gaussian variant with the noise that zCDP needs, and the exact number of levels.
 *
 * L = S = B = sigma = lambda = 1, so a row [x;y] has squared length at most 2.
 */
#include <stdlib.h>

#include "plain/game.h"

#define ROW_SQUARE 2.0 /* the paper's L~^2 = L^2 + B^2 */

typedef struct regression {
    plain_game *game;
    plain_ridge ridge;
    size_t d, side; /* side = d + 1 */
    size_t levels;
    uint64_t steps;
    double *sums;   /* of the node at each level: side x side numbers */
    double *noises; /* the same size */
    double *total;  /* sum of all sums and noises */

    double *theta; /* of the world */
    double *actions, *means;
    double *row;                       /* [x;y] */
    double *V, *lower;                 /* d x d */
    double *right, *estimate, *scaled; /* d */
} regression;

static bool has_noise(const plain_game *game)
{
    return !plain_is(game, "linucb") && !plain_is(game, "lints") && !isinf(game->setting->epsilon);
}

plain_ridge plain_linear_ridge(const plain_game *game)
{
    double n = (double)game->setting->horizon, d = (double)game->setting->dimension;
    double m = plain_tree_levels(game->setting->horizon), alpha = game->beta, delta = game->delta;
    double epsilon = game->setting->epsilon, factor, a, b;
    double reach = sqrt(d) + sqrt(2 * log(2 * n / alpha));
    plain_ridge ridge = {.shift = 1, .rho_min = 1, .rho_max = 1};

    if (!has_noise(game)) {
        return ridge;
    }
    if (plain_is(game, "jdp-linucb-gauss")) {
        double upsilon;

        ridge.noise = 4 * sqrt(m) * ROW_SQUARE * log(4 / delta) * game->unit;
        upsilon = ridge.noise * sqrt(2 * m) * (4 * sqrt(d) + 2 * log(2 * n / alpha));
        ridge.shift = 2 * upsilon;
        ridge.rho_min = upsilon;
        ridge.rho_max = 3 * upsilon;
        ridge.gamma = ridge.noise * sqrt(m / upsilon) * reach;
        return ridge;
    }

    if (plain_is(game, "jdp-linucb")) {
        double upsilon, l = log(4 * n / alpha);

        m = floor(log2(n)) + 1;
        ridge.noise =
            sqrt(m) * ROW_SQUARE * plain_zcdp_sigma(epsilon, delta) * game->unit * epsilon;
        upsilon = ridge.noise * sqrt(m) * (2 * sqrt(d) + 2 * sqrt(l));
        ridge.shift = 2 * upsilon;
        ridge.rho_min = upsilon;
        ridge.rho_max = 3 * upsilon;
        ridge.gamma = ridge.noise * sqrt(m / upsilon) * (sqrt(d) + sqrt(2 * l));
        return ridge;
    }

    /* Scaled noise has scaled eigenvalues; gamma is a length in the inverse of the noise. */
    factor = game->unit * epsilon;
    ridge.noise = ROW_SQUARE * factor;
    ridge.degrees =
        d + 1 + ceil(224 * m / (epsilon * epsilon) * log(8 * m / delta) * log(2 / delta));
    a = sqrt(m * ridge.degrees);
    b = sqrt(d) + sqrt(2 * log(8 * n / alpha));
    if (plain_is(game, "jdp-linucb-wishart")) {
        ridge.shift = 0;
        ridge.rho_min = ridge.noise * (a - b) * (a - b);
        ridge.rho_max = ridge.noise * (a + b) * (a + b);
        ridge.gamma = sqrt(ridge.noise) * reach;
    } else {
        ridge.shift = -(ridge.noise * (a - b) * (a - b) - 4 * ridge.noise * a * b);
        ridge.rho_min = 4 * ridge.noise * a * b;
        ridge.rho_max = 8 * ridge.noise * a * b;
        ridge.gamma = sqrt(ridge.noise * a * reach);
    }
    return ridge;
}

bool plain_cholesky(const double *matrix, size_t size, double *lower)
{
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j <= i; j++) {
            double rest = matrix[i * size + j];

            for (size_t k = 0; k < j; k++) {
                rest -= lower[i * size + k] * lower[j * size + k];
            }
            if (j < i) {
                lower[i * size + j] = rest / lower[j * size + j];
            } else if (rest > 0) {
                lower[i * size + i] = sqrt(rest);
            } else {
                return false;
            }
        }
    }
    return true;
}

void plain_forward(const double *lower, size_t size, const double *right, double *solution)
{
    for (size_t i = 0; i < size; i++) {
        double rest = right[i];

        for (size_t k = 0; k < i; k++) {
            rest -= lower[i * size + k] * solution[k];
        }
        solution[i] = rest / lower[i * size + i];
    }
}

/* The world ----------------------------------------------------------------------------------- */

/* A point on the unit sphere with <theta, x> = mean, uniform among these points. */
static void draw_with_mean(plain_random *random, const double *theta, size_t d, double mean,
                           double *x)
{
    double along, length;

    plain_sphere(random, d, x);
    along = plain_product(theta, x, d);
    for (size_t i = 0; i < d; i++) {
        x[i] -= along * theta[i];
    }
    length = sqrt(plain_product(x, x, d));
    for (size_t i = 0; i < d; i++) {
        x[i] = mean * theta[i] + sqrt(1 - mean * mean) * x[i] / length;
    }
}

void plain_draw_actions(plain_game *game, const double *theta, double *actions, double *means)
{
    const plain_setting *setting = game->setting;
    plain_random *random = &game->random;
    size_t d = setting->dimension;
    size_t best = (size_t)(plain_uniform(random) * (double)setting->arms);

    for (size_t i = 0; i < setting->arms; i++) {
        double *x = actions + i * d;

        if (!setting->has_gap) {
            plain_ball(random, d, x);
        } else if (i == best) {
            draw_with_mean(random, theta, d, 0.75, x);
        } else {
            do {
                plain_sphere(random, d, x);
            } while (fabs(plain_product(theta, x, d) + setting->gap / 2) > 0.75 - setting->gap / 2);
        }
        means[i] = plain_product(theta, x, d);
    }
}

/* The statistic ------------------------------------------------------------------------------- */

static void draw_noise(regression *play, double *matrix)
{
    plain_random *random = &play->game->random;
    size_t side = play->side;

    if (play->ridge.degrees > 0) {
        plain_wishart(random, side, play->ridge.degrees, matrix);
        for (size_t i = 0; i < side * side; i++) {
            matrix[i] *= play->ridge.noise;
        }
        return;
    }
    for (size_t i = 0; i < side; i++) { /* (Z+Z')/sqrt(2) */
        for (size_t j = 0; j < i; j++) {
            matrix[i * side + j] = matrix[j * side + i] =
                play->ridge.noise * plain_gaussian(random);
        }
        matrix[i * side + i] = sqrt(2) * play->ridge.noise * plain_gaussian(random);
    }
}

/* Adds [x;y][x;y]' as the next leaf. */
static void add_row(regression *play)
{
    size_t side = play->side, size = side * side, lowest = 0;
    uint64_t step = ++play->steps;
    double *node;

    while ((step >> lowest & 1) == 0) {
        lowest++;
    }
    node = play->sums + lowest * size;
    for (size_t i = 0; i < size; i++) {
        node[i] = play->row[i / side] * play->row[i % side];
        for (size_t level = 0; level < lowest; level++) {
            node[i] += play->sums[level * size + i];
            play->sums[level * size + i] = play->noises[level * size + i] = 0;
        }
    }
    draw_noise(play, play->noises + lowest * size);
    for (size_t level = 0; level < lowest && play->ridge.degrees > 0; level++) {
        draw_noise(play, play->noises + level * size);
    }
}

/* Sums the levels: V with its shift, and the right-hand side. */
static void read_sums(regression *play)
{
    size_t side = play->side, size = side * side, d = play->d;

    for (size_t i = 0; i < size; i++) {
        play->total[i] = 0;
        for (size_t level = 0; level < play->levels; level++) {
            play->total[i] += play->sums[level * size + i] + play->noises[level * size + i];
        }
    }
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) {
            play->V[i * d + j] = play->total[i * side + j] + (i == j ? play->ridge.shift : 0);
        }
        play->right[i] = play->total[i * side + d];
    }
}

/* The choice ---------------------------------------------------------------------------------- */

/* From V = AA': theta = A'^-1 (A^-1 u). Returns the radius beta_t. */
static double regress(regression *play)
{
    double d = (double)play->d, log_det = 0;
    const double *lower = play->lower;

    plain_forward(lower, play->d, play->right, play->estimate);
    for (size_t i = play->d; i-- > 0;) {
        for (size_t k = i + 1; k < play->d; k++) {
            play->estimate[i] -= lower[k * play->d + i] * play->estimate[k];
        }
        play->estimate[i] /= lower[i * play->d + i];
        log_det += 2 * log(lower[i * play->d + i]);
    }
    return sqrt(fmax(0, 2 * log(2 / play->game->beta) + log_det - d * log(play->ridge.rho_min))) +
           sqrt(play->ridge.rho_max) + play->ridge.gamma;
}

/* Moves the estimate by A'^-1 z, z standard Gaussian: its covariance is V^-1, as sigma = 1. */
static void sample_theta(regression *play)
{
    size_t d = play->d;

    for (size_t i = d; i-- > 0;) {
        double rest = plain_gaussian(&play->game->random);

        for (size_t k = i + 1; k < d; k++) {
            rest -= play->lower[k * d + i] * play->scaled[k];
        }
        play->scaled[i] = rest / play->lower[i * d + i];
    }
    for (size_t i = 0; i < d; i++) {
        play->estimate[i] += play->scaled[i];
    }
}

static size_t choose(regression *play)
{
    size_t d = play->d;
    bool is_definite;
    double radius = 0;
    plain_top top = {-INFINITY, 0, 1};

    read_sums(play);
    is_definite = plain_cholesky(play->V, d, play->lower);
    if (is_definite) {
        radius = regress(play);
    }
    if (is_definite && plain_is(play->game, "lints")) {
        sample_theta(play);
        radius = 0;
    }
    for (size_t i = 0; i < play->game->setting->arms; i++) {
        const double *x = play->actions + i * d;
        double index = sqrt(plain_product(x, x, d)); /* the longest action, if V is not definite */

        if (is_definite) {
            plain_forward(play->lower, d, x, play->scaled);
            index = plain_product(play->estimate, x, d) +
                    radius * sqrt(plain_product(play->scaled, play->scaled, d));
        }
        plain_offer(play->game, &top, i, index);
    }
    return top.choice;
}

static void play_round(regression *play)
{
    plain_game *game = play->game;
    size_t choice;

    plain_draw_actions(game, play->theta, play->actions, play->means);
    choice = choose(play);
    for (size_t i = 0; i < play->d; i++) {
        play->row[i] = play->actions[choice * play->d + i];
    }
    play->row[play->d] = plain_uniform(&game->random) < (1 + play->means[choice]) / 2 ? 1 : -1;
    add_row(play);

    game->best = -INFINITY;
    for (size_t i = 0; i < game->setting->arms; i++) {
        game->best = fmax(game->best, play->means[i]);
    }
    plain_round_ends(game, play->means[choice]);
}

static void play_game(regression *play)
{
    size_t size = play->side * play->side;

    plain_sphere(&play->game->random, play->d, play->theta);
    for (size_t level = 0; level < play->levels && play->ridge.degrees > 0; level++) {
        draw_noise(play, play->noises + level * size);
    }
    while (!plain_is_over(play->game)) {
        play_round(play);
    }
}

bool plain_play_linear(plain_game *game)
{
    const plain_setting *setting = game->setting;
    size_t d = setting->dimension, side = d + 1, arms = setting->arms, size = side * side;
    regression play = {.game = game, .d = d, .side = side};
    double *numbers, **parts[] = {&play.sums,  &play.noises,  &play.total,    &play.theta,
                                  &play.means, &play.actions, &play.row,      &play.V,
                                  &play.lower, &play.right,   &play.estimate, &play.scaled};
    size_t needs[sizeof parts / sizeof parts[0]], all = 0;

    /* In one dimension the sphere has two points, with means 1 and -1. */
    if (d == 0 || arms == 0 ||
        (setting->has_gap && (d < 2 || setting->gap < 0 || setting->gap >= 1.5))) {
        return false;
    }
    play.ridge = plain_linear_ridge(game);
    play.levels = (size_t)plain_tree_levels(setting->horizon);
    memcpy(needs,
           (size_t[]){play.levels * size, play.levels * size, size, d, arms, arms * d, side, d * d,
                      d * d, d, d, d},
           sizeof needs);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        all += needs[i];
    }
    numbers = calloc(all, sizeof *numbers);
    if (numbers == NULL) {
        return false;
    }
    all = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        *parts[i] = numbers + all;
        all += needs[i];
    }
    play_game(&play);
    free(numbers);
    return true;
}
