/* linear_doubling.c - what jdp-batch and jdp-bayes share: the sums of x x' and x y of a batch are
 * released with noise at rounds n0, 2 n0, 4 n0, .... Before the first release the longest action is
 * shown.
 */
#include <stdlib.h>

#include "plain/game.h"

double plain_product(const double *one, const double *other, size_t size)
{
    double sum = 0;

    for (size_t i = 0; i < size; i++) {
        sum += one[i] * other[i];
    }
    return sum;
}

void plain_solve(const double *lower, size_t size, const double *right, double *solution)
{
    plain_forward(lower, size, right, solution);
    for (size_t i = size; i-- > 0;) {
        for (size_t k = i + 1; k < size; k++) {
            solution[i] -= lower[k * size + i] * solution[k];
        }
        solution[i] /= lower[i * size + i];
    }
}

static void release(plain_doubling *play)
{
    plain_random *random = &play->game->random;
    size_t d = play->d;

    for (size_t i = 0; i < d; i++) {
        for (size_t k = 0; k <= i; k++) {
            play->G[i * d + k] += play->sigma_g * (i == k ? sqrt(2) : 1) * plain_gaussian(random);
            play->G[k * d + i] = play->G[i * d + k];
        }
        play->u[i] += play->sigma_u * plain_gaussian(random);
    }
    play->released++;
    play->learn(play);
    memset(play->G, 0, d * d * sizeof *play->G);
    memset(play->u, 0, d * sizeof *play->u);
    play->next *= 2;
}

static size_t choose(plain_doubling *play)
{
    plain_top top = {-INFINITY, 0, 1};

    for (size_t i = 0; i < play->game->setting->arms; i++) {
        const double *x = play->actions + i * play->d;
        double index =
            play->released == 0 ? sqrt(plain_product(x, x, play->d)) : play->score(play, x);

        plain_offer(play->game, &top, i, index);
    }
    return top.choice;
}

static void play_round(plain_doubling *play)
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
            play->G[i * d + k] += x[i] * x[k];
        }
        play->u[i] += x[i] * y;
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

bool plain_play_doubling(plain_doubling *play)
{
    const plain_setting *setting = play->game->setting;
    size_t d = play->d, arms = setting->arms;
    double *numbers;

    if (d == 0 || arms == 0 ||
        (setting->has_gap && (d < 2 || setting->gap < 0 || setting->gap >= 1.5))) {
        return false;
    }
    numbers = calloc(d + arms * d + arms + d * d + d, sizeof *numbers);
    if (numbers == NULL) {
        return false;
    }
    play->theta = numbers;
    play->actions = play->theta + d;
    play->means = play->actions + arms * d;
    play->G = play->means + arms;
    play->u = play->G + d * d;
    plain_sphere(&play->game->random, d, play->theta);
    while (!plain_is_over(play->game)) {
        play_round(play);
    }
    free(numbers);
    return true;
}
