/* game.h - one run: what has been played, and what it has cost. */
#ifndef LOTOR_TESTS_PLAIN_GAME_H
#define LOTOR_TESTS_PLAIN_GAME_H

#include <stdbool.h>

#include "plain/draws.h"
#include "plain/plain.h"

typedef struct plain_game {
    const plain_setting *setting;
    plain_random random;
    double beta;    /* the setting's, or its default */
    double unit;    /* noise and private widths are multiples of this: noise_scale / epsilon */
    double best;    /* mean reward of a round for one who knows the means */
    uint64_t round; /* rounds played so far */
    double regret;  /* of these rounds */

    const uint64_t *times; /* when to note the regret; the first `noted` are done */
    size_t count, noted;
    double *regrets;
} plain_game;

/* A reward of the arm. */
static inline bool plain_reward(plain_game *game, size_t arm)
{
    return plain_uniform(&game->random) < game->setting->means[arm];
}

/* Ends a round in which arms with this sum of means were played. */
static inline void plain_round_ends(plain_game *game, double played)
{
    game->round++;
    game->regret += game->best - played;
    while (game->noted < game->count && game->times[game->noted] <= game->round) {
        game->regrets[game->noted++] = game->regret;
    }
}

/* A whole round with one arm. */
static inline bool plain_pull(plain_game *game, size_t arm)
{
    bool reward = plain_reward(game, arm);

    plain_round_ends(game, game->setting->means[arm]);
    return reward;
}

static inline bool plain_is_over(const plain_game *game)
{
    return game->round >= game->setting->horizon;
}

/* The families. Each plays a game to its end; false: no such algorithm, or no memory. */
bool plain_play_ucb(plain_game *game);
bool plain_play_elimination(plain_game *game);
bool plain_play_matroid(plain_game *game);

/* Tree-based counter [Sajed 2019, Algorithm 5]: adds a value, and returns the noisy sum so far. */
typedef struct plain_tree {
    uint64_t steps;
    double sum[64];   /* of the node at each level */
    double noisy[64]; /* the same with its noise */
} plain_tree;

double plain_tree_add(plain_tree *tree, double value, double scale, plain_random *random);

/* ceil(log2 horizon) + 1, as the paper has it. */
int plain_tree_levels(uint64_t horizon);

#endif
