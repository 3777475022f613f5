/* cascade.c - cascading bandits [Wang et al. 2022, Algorithms 1 to 3 and Theorem 8]: show a list of
 * the K items with the highest indices, best first. The user goes down the list to the first
 * attractive item and clicks on it. The items up to the click are observed; without a click, all of
 * them.
 *
 * The private algorithms are as printed in the paper, so they are not private: every item starts
 * with one exact observation, and the number of reporting positions reveals the position of the
 * click.
 */
#include <stdlib.h>

#include "plain/game.h"

typedef struct cascade {
    plain_game *game;
    bool has_counters, is_gaussian;
    double noise;
    double *first;         /* the exact first observation; 0 if there is none */
    double *sums, *counts; /* including the first observation */
    double *indices;
    size_t *order; /* by index: the first K are the list */
    plain_hybrid *counters;
} cascade;

double plain_hybrid_add(plain_hybrid *hybrid, double value, double unit, plain_random *random)
{
    uint64_t step = ++hybrid->steps;

    hybrid->block += value;
    if ((step & (step - 1)) == 0) { /* step 2^k: the current sum ends */
        hybrid->power += step > 1;
        hybrid->released += hybrid->block + plain_laplace(random, 2 * unit);
        hybrid->block = 0;
        hybrid->tree = (plain_tree){0};
        return hybrid->released;
    }
    return hybrid->released +
           plain_tree_add(&hybrid->tree, value, 2 * hybrid->power * unit, random);
}

/* sqrt(K log(e + epsilon/delta))/epsilon, of Theorem 8; 0 at epsilon = infinity. */
static double composed(const plain_game *game)
{
    double K = (double)plain_slots(game->setting);

    if (isinf(game->setting->epsilon)) {
        return 0;
    }
    return game->unit * sqrt(K * log(exp(1) + game->setting->epsilon / game->delta));
}

/* sqrt(2K log(1.25/delta))/epsilon. */
static double gaussian_deviation(const plain_game *game)
{
    double K = (double)plain_slots(game->setting);

    return game->unit * sqrt(2 * K * log(1.25 / game->delta));
}

plain_width plain_cascade_width(const plain_game *game)
{
    double L = (double)game->setting->arms, K = (double)plain_slots(game->setting);
    double t = (double)(game->round + 1);
    plain_width width = {.sampling = 1.5 * log(t)};

    if (plain_is(game, "cascade-dp")) {
        width.flat = 3 * L * pow(log((double)game->setting->horizon), 1.5) * log(t) * game->unit;
    } else if (plain_is(game, "cascade-ldp-laplace")) {
        width.root = K * game->unit * sqrt(24 * log(t));
    } else if (plain_is(game, "cascade-ldp-gauss")) {
        width.root = gaussian_deviation(game) * sqrt(2 * log(2 * t * t * t));
    } else if (plain_is(game, "cascade-ldp-composed")) {
        width.root = 4 * composed(game) * sqrt(6 * log(t));
    }
    return width;
}

double plain_cascade_noise(const plain_game *game)
{
    if (plain_is(game, "cascade-dp")) {
        return (double)game->setting->arms * game->unit; /* epsilon/L for each item */
    }
    if (plain_is(game, "cascade-ldp-laplace")) {
        return (double)plain_slots(game->setting) * game->unit;
    }
    if (plain_is(game, "cascade-ldp-gauss")) {
        return gaussian_deviation(game);
    }
    if (plain_is(game, "cascade-ldp-composed")) {
        return 2 * composed(game);
    }
    return 0;
}

/* The probability of a click on the first K of the order. */
static double list_value(const cascade *play)
{
    double none = 1;

    for (size_t k = 0; k < plain_slots(play->game->setting); k++) {
        none *= 1 - play->game->setting->means[play->order[k]];
    }
    return 1 - none;
}

static void learn(cascade *play, size_t item, double attracts)
{
    plain_random *random = &play->game->random;

    play->counts[item]++;
    if (play->has_counters) {
        play->sums[item] = play->first[item] +
                           plain_hybrid_add(&play->counters[item], attracts, play->noise, random);
    } else if (play->is_gaussian) {
        play->sums[item] += attracts + play->noise * plain_gaussian(random);
    } else {
        play->sums[item] += attracts + plain_laplace(random, play->noise);
    }
}

static void play_round(cascade *play)
{
    plain_game *game = play->game;
    const plain_setting *setting = game->setting;
    plain_width width = plain_cascade_width(game);
    bool is_clicked = false;

    for (size_t i = 0; i < setting->arms; i++) {
        play->indices[i] = plain_index(width, play->sums[i], play->counts[i], setting->clip);
    }
    plain_order(&game->random, play->indices, setting->arms, play->order);
    for (size_t k = 0; k < plain_slots(setting) && !is_clicked; k++) {
        is_clicked = plain_reward(game, play->order[k]);
        learn(play, play->order[k], is_clicked);
    }
    plain_round_ends(game, list_value(play));
}

static void prepare(cascade *play)
{
    plain_game *game = play->game;
    const plain_setting *setting = game->setting;

    play->has_counters = plain_is(game, "cascade-dp");
    play->is_gaussian = plain_is(game, "cascade-ldp-gauss");
    play->noise = plain_cascade_noise(game);

    plain_order(&game->random, setting->means, setting->arms, play->order);
    game->best = list_value(play);
    for (size_t i = 0; i < setting->arms && !plain_is(game, "cascade-ucb"); i++) {
        play->first[i] = play->sums[i] = plain_reward(game, i);
        play->counts[i] = 1;
    }
}

bool plain_play_cascade(plain_game *game)
{
    size_t arms = game->setting->arms;
    cascade play = {.game = game};
    bool is_ready;

    play.first = calloc(arms, sizeof *play.first);
    play.sums = calloc(arms, sizeof *play.sums);
    play.counts = calloc(arms, sizeof *play.counts);
    play.indices = calloc(arms, sizeof *play.indices);
    play.order = calloc(arms, sizeof *play.order);
    play.counters = calloc(arms, sizeof *play.counters);
    is_ready = play.first != NULL && play.sums != NULL && play.counts != NULL &&
               play.indices != NULL && play.order != NULL && play.counters != NULL;

    if (is_ready) {
        prepare(&play);
        while (!plain_is_over(game)) {
            play_round(&play);
        }
    }
    free(play.first);
    free(play.sums);
    free(play.counts);
    free(play.indices);
    free(play.order);
    free(play.counters);
    return is_ready;
}
