/* ucb.c - UCB and DP-UCB [Sajed 2019, Algorithms 1, 5, 6]: pull the arm with the highest index.
 *
 * DP-UCB gets its sums from one tree per arm, each with the full epsilon. It adds Gamma/n to the
 * index, to cover the noise of the trees. Ties are broken at random.
 */
#include <stdlib.h>
#include <string.h>

#include "plain/game.h"

typedef struct ucb_arm {
    double pulls;
    double sum; /* of the rewards; for DP-UCB, the output of the tree */
    plain_tree tree;
} ucb_arm;

int plain_tree_levels(uint64_t horizon)
{
    int levels = 1;

    while (levels < 64 && (UINT64_C(1) << (levels - 1)) < horizon) {
        levels++;
    }
    return levels;
}

double plain_tree_add(plain_tree *tree, double value, double scale, plain_random *random)
{
    uint64_t step = ++tree->steps;
    int lowest = 0;
    double output = 0;

    for (; (step >> lowest & 1) == 0; lowest++) {
        value += tree->sum[lowest];
        tree->sum[lowest] = tree->noisy[lowest] = 0;
    }
    tree->sum[lowest] = value;
    tree->noisy[lowest] = value + plain_laplace(random, scale);

    for (int level = lowest; level < 64 && step >> level != 0; level++) {
        if (step >> level & 1) {
            output += tree->noisy[level];
        }
    }
    return output;
}

static size_t highest_index(plain_game *game, const ucb_arm *arms, double gamma)
{
    double bonus = 2 * log((double)(game->round + 1)), top = -INFINITY;
    size_t choice = 0, ties = 1;

    for (size_t i = 0; i < game->setting->arms; i++) {
        double pulls = arms[i].pulls;
        double index = arms[i].sum / pulls + sqrt(bonus / pulls) + gamma / pulls;

        if (index > top) {
            top = index;
            choice = i;
            ties = 1;
        } else if (index == top && plain_uniform(&game->random) * (double)++ties < 1) {
            choice = i;
        }
    }
    return choice;
}

bool plain_play_ucb(plain_game *game)
{
    const plain_setting *setting = game->setting;
    bool is_private = strcmp(setting->algorithm, "dp-ucb") == 0;
    double horizon = (double)setting->horizon, gamma = 0, scale = 0;
    ucb_arm *arms = calloc(setting->arms, sizeof *arms);

    if (arms == NULL) {
        return false;
    }
    if (is_private) {
        gamma = pow(log(horizon), 2) * game->unit *
                log((double)setting->arms * horizon * log(horizon) / game->beta);
        scale = plain_tree_levels(setting->horizon) * game->unit;
    }
    for (size_t i = 0; i < setting->arms; i++) {
        game->best = fmax(game->best, setting->means[i]);
    }

    while (!plain_is_over(game)) {
        size_t choice =
            game->round < setting->arms ? (size_t)game->round : highest_index(game, arms, gamma);
        ucb_arm *arm = &arms[choice];
        double reward = plain_pull(game, choice);

        arm->pulls++;
        if (is_private) {
            arm->sum = plain_tree_add(&arm->tree, reward, scale, &game->random);
        } else {
            arm->sum += reward;
        }
    }
    free(arms);
    return true;
}
