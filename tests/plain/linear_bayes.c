/* linear_bayes.c - jdp-bayes: sums are released with noise at rounds n0, 2 n0, 4 n0, ..., as for
 * jdp-batch. Each batch is used for what it is worth, and the action with the highest mean plus
 * half a deviation is shown; before the first release, the longest action.
 *
 * L = S = B = sigma = 1: theta has variance 1/d in each direction, a reward has variance 1.
 */
#include <stdlib.h>

#include "plain/game.h"

typedef struct posterior {
    plain_doubling sums; /* must be first: `learn` and `score` get its address */
    double s2;           /* the variance of (noise on u) - (noise on G) theta, per entry */

    double *values, *axes; /* of an eigendecomposition: d and d x d numbers */
    double *P, *h;         /* precision, and precision times mean */
    double *work, *lower;  /* d x d */
    double *column, *image, *estimate, *scaled;
} posterior;

/* n0 is from 1.5 d s to 3 d s. */
static void plan(posterior *play)
{
    plain_doubling *sums = &play->sums;
    const plain_setting *setting = sums->game->setting;
    double d = (double)sums->d;

    if (!isinf(setting->epsilon)) {
        double A = plain_zcdp_sigma(setting->epsilon, sums->game->delta) * sums->game->unit *
                   setting->epsilon;

        sums->sigma_g = 1.5 * A;
        sums->sigma_u = 1.5 * sqrt(2) * A;
    }
    play->s2 = sums->sigma_u * sums->sigma_u + sums->sigma_g * sums->sigma_g * (1 + 1 / d);
    sums->next = 2;
    while (sums->next < 1.5 * d * sqrt(play->s2)) {
        sums->next *= 2;
    }
    for (size_t i = 0; i < sums->d; i++) {
        play->P[i * sums->d + i] = d;
    }
}

/* Turns rows and columns p and q of the symmetric matrix so that its entry (p, q) becomes 0. */
static void rotate(double *matrix, double *axes, size_t d, size_t p, size_t q)
{
    double angle = atan2(2 * matrix[p * d + q], matrix[p * d + p] - matrix[q * d + q]) / 2;
    double c = cos(angle), s = sin(angle);

    for (size_t k = 0; k < d; k++) {
        double a = matrix[k * d + p], b = matrix[k * d + q];

        matrix[k * d + p] = c * a + s * b;
        matrix[k * d + q] = c * b - s * a;
        a = axes[k * d + p];
        b = axes[k * d + q];
        axes[k * d + p] = c * a + s * b;
        axes[k * d + q] = c * b - s * a;
    }
    for (size_t k = 0; k < d; k++) {
        double a = matrix[p * d + k], b = matrix[q * d + k];

        matrix[p * d + k] = c * a + s * b;
        matrix[q * d + k] = c * b - s * a;
    }
}

/* Replaces the negative eigenvalues of a symmetric matrix by 0. */
static void clip(posterior *play, double *matrix)
{
    size_t d = play->sums.d;

    for (size_t i = 0; i < d * d; i++) {
        play->axes[i] = i / d == i % d ? 1 : 0;
    }
    for (int sweep = 0; sweep < 30; sweep++) {
        for (size_t p = 0; p < d; p++) {
            for (size_t q = p + 1; q < d; q++) {
                rotate(matrix, play->axes, d, p, q);
            }
        }
    }
    for (size_t k = 0; k < d; k++) {
        play->values[k] = fmax(0, matrix[k * d + k]);
    }
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) {
            matrix[i * d + j] = 0;
            for (size_t k = 0; k < d; k++) {
                matrix[i * d + j] +=
                    play->values[k] * play->axes[i * d + k] * play->axes[j * d + k];
            }
        }
    }
}

/* Moves the released matrix towards a multiple of the identity: the more, the less it differs from
 * that beyond what noise does. */
static void shrink(const posterior *play, double *matrix)
{
    size_t d = play->sums.d;
    double m = 0, away, noise, rho;

    for (size_t i = 0; i < d; i++) {
        m += matrix[i * d + i] / (double)d;
    }
    for (size_t i = 0; i < d * d; i++) {
        matrix[i] -= i / d == i % d ? m : 0;
    }
    away = plain_product(matrix, matrix, d * d);
    noise = play->sums.sigma_g * play->sums.sigma_g * (double)(d * d + d - 2);
    rho = noise < away ? noise / away : 1;
    for (size_t i = 0; i < d * d; i++) {
        matrix[i] = (1 - rho) * matrix[i] + (i / d == i % d ? m : 0);
    }
}

/* Adds G (G + s^2 I)^-1 G to P and G (G + s^2 I)^-1 u to h. */
static void add_batch(posterior *play, const double *G, const double *u)
{
    size_t d = play->sums.d;

    if (play->s2 == 0) { /* no noise: G G^-1 G is G, also if G is singular */
        for (size_t i = 0; i < d * d; i++) {
            play->P[i] += G[i];
        }
        for (size_t i = 0; i < d; i++) {
            play->h[i] += u[i];
        }
        return;
    }
    for (size_t i = 0; i < d * d; i++) {
        play->work[i] = G[i] + (i / d == i % d ? play->s2 : 0);
    }
    plain_cholesky(play->work, d, play->lower);
    plain_solve(play->lower, d, u, play->image);
    for (size_t i = 0; i < d; i++) {
        play->h[i] += plain_product(G + i * d, play->image, d);
    }
    for (size_t k = 0; k < d; k++) {
        plain_solve(play->lower, d, G + k * d, play->column);
        for (size_t i = 0; i < d; i++) {
            play->P[i * d + k] += plain_product(G + i * d, play->column, d);
        }
    }
}

static void learn(plain_doubling *sums)
{
    posterior *play = (posterior *)sums;

    if (sums->sigma_g > 0) {
        shrink(play, sums->G);
        clip(play, sums->G);
    }
    add_batch(play, sums->G, sums->u);
    plain_cholesky(play->P, sums->d, play->lower);
    plain_solve(play->lower, sums->d, play->h, play->estimate);
}

static double score(plain_doubling *sums, const double *x)
{
    posterior *play = (posterior *)sums;
    size_t d = sums->d;

    plain_forward(play->lower, d, x, play->scaled);
    return plain_product(play->estimate, x, d) +
           sqrt(plain_product(play->scaled, play->scaled, d)) / 2;
}

bool plain_play_bayes(plain_game *game)
{
    size_t d = game->setting->dimension;
    posterior play = {.sums = {.game = game, .d = d, .learn = learn, .score = score}};
    double *numbers = calloc(4 * d * d + 6 * d + 1, sizeof *numbers);
    bool is_played;

    if (numbers == NULL) {
        return false;
    }
    play.axes = numbers;
    play.P = play.axes + d * d;
    play.work = play.P + d * d;
    play.lower = play.work + d * d;
    play.values = play.lower + d * d;
    play.h = play.values + d;
    play.column = play.h + d;
    play.image = play.column + d;
    play.estimate = play.image + d;
    play.scaled = play.estimate + d;
    plan(&play);
    is_played = plain_play_doubling(&play.sums);
    free(numbers);
    return is_played;
}
