/* linear_batch.c - jdp-batch: a regression on sums that are released with noise at rounds n0, 2 n0,
 * 4 n0, ..., and the action with the highest upper bound; before the first release, the longest
 * action.
 *
 * L = S = B = sigma = 1. V is at least the identity: without noise the regression would be
 * singular.
 */
#include <stdlib.h>

#include "plain/game.h"

/* The delta that a Gaussian of deviation sigma proves for a sum that moves by 1, by its zCDP and the
 * order alpha (Canonne, Kamath and Steinke 2020); in logarithms. */
static double log_delta(double sigma, double epsilon, double alpha)
{
    double rho = 1 / (2 * sigma * sigma);

    return (alpha - 1) * (alpha * rho - epsilon) + alpha * log1p(-1 / alpha) - log(alpha - 1);
}

/* The minimum over the order: log(alpha - 1) on a grid, then finer and finer around the best. */
static double best_log_delta(double sigma, double epsilon)
{
    double centre = 0, width = 40, best = INFINITY;

    for (int pass = 0; pass < 40; pass++) {
        double at = centre;

        for (int i = -20; i <= 20; i++) {
            double place = centre + width * i / 20;
            double value = log_delta(sigma, epsilon, 1 + exp(place));

            if (value < best) {
                best = value;
                at = place;
            }
        }
        centre = at;
        width /= 2;
    }
    return best;
}

double plain_zcdp_sigma(double epsilon, double delta)
{
    double low = 1e-6, high = 1e12;

    for (int i = 0; i < 200; i++) {
        double middle = sqrt(low * high);

        if (best_log_delta(middle, epsilon) > log(delta)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

typedef struct batches {
    plain_doubling sums; /* must be first: `learn` and `score` get its address */
    double planned;      /* J */

    double *M, *u;     /* the sums of the releases */
    double *V, *lower; /* d x d */
    double *estimate, *scaled;
    double ellipse, flat; /* kappa beta, and c S + R */
} batches;

static double upsilon(const batches *play, double releases, double planned)
{
    const plain_doubling *sums = &play->sums;
    double l = log(8 * planned / sums->game->beta);

    return sums->sigma_g * sqrt(releases) * (2 * sqrt((double)sums->d) + 2 * sqrt(l));
}

static void plan(batches *play)
{
    plain_game *game = play->sums.game;
    const plain_setting *setting = game->setting;
    double power = 1;

    if (!isinf(setting->epsilon)) {
        double A = plain_zcdp_sigma(setting->epsilon, game->delta) * game->unit * setting->epsilon;

        play->sums.sigma_g = 1.5 * A;
        play->sums.sigma_u = 1.5 / sqrt(0.5) * A;
    }
    while (power < upsilon(play, 1, 16)) {
        power *= 2;
    }
    play->sums.next = 2 * power;
    for (double t = play->sums.next; t <= (double)setting->horizon; t *= 2) {
        play->planned++;
    }
    play->planned = fmax(1, play->planned);
}

/* V = M + shift I, factored. */
static bool factor(batches *play, double shift)
{
    size_t d = play->sums.d;

    for (size_t i = 0; i < d * d; i++) {
        play->V[i] = play->M[i] + (i / d == i % d ? shift : 0);
    }
    return plain_cholesky(play->V, d, play->lower);
}

/* The least eigenvalue of M: the x at which M - x I stops being positive definite. */
static double least_eigenvalue(batches *play)
{
    double size = sqrt(plain_product(play->M, play->M, play->sums.d * play->sums.d));
    double low = -size, high = size;

    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;

        if (factor(play, -middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Adds a release to the sums, and updates the estimate. */
static void learn(plain_doubling *sums)
{
    batches *play = (batches *)sums;
    size_t side = sums->d;
    double d = (double)side, j = sums->released, l = log(8 * play->planned / sums->game->beta);
    double y, least, c, log_det = 0, kappa2, R;
    double g2 = sums->sigma_g * sums->sigma_g, u2 = sums->sigma_u * sums->sigma_u;

    for (size_t i = 0; i < side * side; i++) {
        play->M[i] += sums->G[i];
    }
    for (size_t i = 0; i < side; i++) {
        play->u[i] += sums->u[i];
    }
    y = upsilon(play, j, play->planned);
    least = least_eigenvalue(play);
    c = fmax(0, fmax(2 * y, 1) - least);
    factor(play, c);
    plain_solve(play->lower, side, play->u, play->estimate);
    for (size_t i = 0; i < side; i++) {
        log_det += 2 * log(play->lower[i * side + i]);
    }
    kappa2 = 1 + fmax(0, 1 + y - c) / (least + c);
    R = sqrt(j) * (sqrt(d * (u2 + g2) + g2) + sqrt(2 * l * (u2 + 2 * g2)));
    play->ellipse = sqrt(kappa2 * (2 * l + log_det + d * log(kappa2)));
    play->flat = c + R;
}

static double score(plain_doubling *sums, const double *x)
{
    batches *play = (batches *)sums;
    size_t d = sums->d;

    plain_solve(play->lower, d, x, play->scaled);
    return plain_product(play->estimate, x, d) +
           play->ellipse * sqrt(plain_product(play->scaled, x, d)) +
           play->flat * sqrt(plain_product(play->scaled, play->scaled, d));
}

bool plain_play_batches(plain_game *game)
{
    size_t d = game->setting->dimension;
    batches play = {.sums = {.game = game, .d = d, .learn = learn, .score = score}};
    double *numbers = calloc(3 * d * d + 3 * d + 1, sizeof *numbers);
    bool is_played;

    if (numbers == NULL) {
        return false;
    }
    play.M = numbers;
    play.V = play.M + d * d;
    play.lower = play.V + d * d;
    play.u = play.lower + d * d;
    play.estimate = play.u + d;
    play.scaled = play.estimate + d;
    plan(&play);
    is_played = plain_play_doubling(&play.sums);
    free(numbers);
    return is_played;
}
