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
    plain_game *game;
    size_t d;
    double sigma_g, sigma_u; /* 0: no noise */
    double first, next;      /* n0; the round of the next release */
    double planned;          /* J */
    double released;         /* j */

    double *theta; /* of the world */
    double *actions, *means;
    double *open_g, *open_u; /* d x d and d numbers: sums of the open batch */
    double *M, *u;           /* the sums of the releases */
    double *V, *lower;       /* d x d */
    double *estimate, *scaled;
    double ellipse, flat; /* kappa beta, and c S + R */
} batches;

static double product(const double *one, const double *other, size_t size)
{
    double sum = 0;

    for (size_t i = 0; i < size; i++) {
        sum += one[i] * other[i];
    }
    return sum;
}

static double upsilon(const batches *play, double releases, double planned)
{
    double l = log(8 * planned / play->game->beta);

    return play->sigma_g * sqrt(releases) * (2 * sqrt((double)play->d) + 2 * sqrt(l));
}

static void plan(batches *play)
{
    const plain_setting *setting = play->game->setting;
    double power = 1;

    if (!isinf(setting->epsilon)) {
        double A = plain_zcdp_sigma(setting->epsilon, play->game->delta) * play->game->unit *
                   setting->epsilon;

        play->sigma_g = 1.5 * A;
        play->sigma_u = 1.5 / sqrt(0.5) * A;
    }
    while (power < upsilon(play, 1, 16)) {
        power *= 2;
    }
    play->first = play->next = 2 * power;
    for (double t = play->first; t <= (double)setting->horizon; t *= 2) {
        play->planned++;
    }
    play->planned = fmax(1, play->planned);
}

/* V = M + shift I, factored. */
static bool factor(batches *play, double shift)
{
    size_t d = play->d;

    for (size_t i = 0; i < d * d; i++) {
        play->V[i] = play->M[i] + (i / d == i % d ? shift : 0);
    }
    return plain_cholesky(play->V, d, play->lower);
}

/* The least eigenvalue of M: the x at which M - x I stops being positive definite. */
static double least_eigenvalue(batches *play)
{
    double size = sqrt(product(play->M, play->M, play->d * play->d));
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

static void solve(const batches *play, const double *right, double *solution)
{
    size_t d = play->d;

    plain_forward(play->lower, d, right, solution);
    for (size_t i = d; i-- > 0;) {
        for (size_t k = i + 1; k < d; k++) {
            solution[i] -= play->lower[k * d + i] * solution[k];
        }
        solution[i] /= play->lower[i * d + i];
    }
}

/* Updates the estimate after a release. */
static void regress(batches *play)
{
    double d = (double)play->d, j = play->released, l = log(8 * play->planned / play->game->beta);
    double y = upsilon(play, j, play->planned), least = least_eigenvalue(play);
    double c = fmax(0, fmax(2 * y, 1) - least), log_det = 0, kappa2, R;
    double g2 = play->sigma_g * play->sigma_g, u2 = play->sigma_u * play->sigma_u;

    factor(play, c);
    solve(play, play->u, play->estimate);
    for (size_t i = 0; i < play->d; i++) {
        log_det += 2 * log(play->lower[i * play->d + i]);
    }
    kappa2 = 1 + fmax(0, 1 + y - c) / (least + c);
    R = sqrt(j) * (sqrt(d * (u2 + g2) + g2) + sqrt(2 * l * (u2 + 2 * g2)));
    play->ellipse = sqrt(kappa2 * (2 * l + log_det + d * log(kappa2)));
    play->flat = c + R;
}

static void release(batches *play)
{
    plain_random *random = &play->game->random;
    size_t d = play->d;

    for (size_t i = 0; i < d; i++) {
        for (size_t k = 0; k <= i; k++) {
            double noise = play->sigma_g * (i == k ? sqrt(2) : 1) * plain_gaussian(random);

            play->M[i * d + k] += play->open_g[i * d + k] + noise;
            play->M[k * d + i] = play->M[i * d + k];
        }
        play->u[i] += play->open_u[i] + play->sigma_u * plain_gaussian(random);
    }
    memset(play->open_g, 0, d * d * sizeof *play->open_g);
    memset(play->open_u, 0, d * sizeof *play->open_u);
    play->released++;
    play->next *= 2;
    regress(play);
}

static double score(batches *play, const double *x)
{
    if (play->released == 0) {
        return sqrt(product(x, x, play->d));
    }
    solve(play, x, play->scaled);
    return product(play->estimate, x, play->d) +
           play->ellipse * sqrt(product(play->scaled, x, play->d)) +
           play->flat * sqrt(product(play->scaled, play->scaled, play->d));
}

static size_t choose(batches *play)
{
    plain_top top = {-INFINITY, 0, 1};

    for (size_t i = 0; i < play->game->setting->arms; i++) {
        double index = score(play, play->actions + i * play->d);

        plain_offer(play->game, &top, i, index);
    }
    return top.choice;
}

static void play_round(batches *play)
{
    plain_game *game = play->game;
    size_t d = play->d, choice;
    const double *x;
    double y;

    plain_draw_actions(game, play->theta, play->actions, play->means);
    choice = choose(play);
    x = play->actions + choice * d;
    y = plain_uniform(&game->random) < (1 + play->means[choice]) / 2 ? 1 : -1;
    for (size_t i = 0; i < d; i++) {
        for (size_t k = 0; k < d; k++) {
            play->open_g[i * d + k] += x[i] * x[k];
        }
        play->open_u[i] += x[i] * y;
    }
    game->best = -INFINITY;
    for (size_t i = 0; i < game->setting->arms; i++) {
        game->best = fmax(game->best, play->means[i]);
    }
    plain_round_ends(game, play->means[choice]);
    if ((double)game->round == play->next) {
        release(play);
    }
}

bool plain_play_batches(plain_game *game)
{
    const plain_setting *setting = game->setting;
    size_t d = setting->dimension, arms = setting->arms, all = 0;
    batches play = {.game = game, .d = d};
    struct {
        double **part;
        size_t needs;
    } parts[] = {{&play.theta, d},      {&play.actions, arms * d}, {&play.means, arms},
                 {&play.open_g, d * d}, {&play.open_u, d},         {&play.M, d * d},
                 {&play.u, d},          {&play.V, d * d},          {&play.lower, d * d},
                 {&play.estimate, d},   {&play.scaled, d}};
    double *numbers;

    if (d == 0 || arms == 0 ||
        (setting->has_gap && (d < 2 || setting->gap < 0 || setting->gap >= 1.5))) {
        return false;
    }
    numbers = calloc(6 * d + 4 * d * d + arms * (d + 1), sizeof *numbers);
    if (numbers == NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        *parts[i].part = numbers + all;
        all += parts[i].needs;
    }
    plan(&play);
    plain_sphere(&game->random, d, play.theta);
    while (!plain_is_over(game)) {
        play_round(&play);
    }
    free(numbers);
    return true;
}
