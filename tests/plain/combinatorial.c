/* combinatorial.c - semi-bandits [Chen et al. 2020, Algorithms 1 to 3; Wang et al. 2022, Algorithm
 * 4]: show the K arms of highest index, and learn from all shown arms or from the least-updated
 * one.
 *
 * The central algorithms get their sums from one tree over the rounds. Its nodes hold a number for
 * every arm. Every number has its own noise, so this is a tree for every arm, and every round steps
 * them all.
 */
#include <stdlib.h>

#include "plain/game.h"

typedef struct semi_bandit {
    plain_game *game;
    bool has_tree, one_reports, is_gaussian;
    double noise;
    double *sums, *counts; /* of the arms' reports */
    double *reports;       /* of this round; 0 for arms that do not report */
    double *indices;
    size_t *order; /* by index: the first K are shown */
    plain_tree *trees;
} semi_bandit;

void plain_order(plain_random *random, const double *indices, size_t arms, size_t *order)
{
    for (size_t i = 0; i < arms; i++) { /* first a random order, which breaks ties */
        size_t place = (size_t)(plain_uniform(random) * (double)(i + 1));

        order[i] = order[place];
        order[place] = i;
    }
    for (size_t i = 1; i < arms; i++) {
        size_t arm = order[i], place = i;

        for (; place > 0 && indices[arm] > indices[order[place - 1]]; place--) {
            order[place] = order[place - 1];
        }
        order[place] = arm;
    }
}

double plain_index(plain_width width, double sum, double n, bool clip)
{
    double index = INFINITY;

    if (n > 0) {
        index = sum / n + sqrt(width.sampling / n) + width.root / sqrt(n) + width.flat / n;
    }
    return clip ? fmin(index, 1) : index;
}

plain_width plain_semi_bandit_width(const plain_game *game)
{
    const plain_setting *setting = game->setting;
    double m = (double)setting->arms, K = (double)plain_slots(setting);
    double T = (double)setting->horizon, log_t = log((double)(game->round + 1));

    if (plain_is(game, "cucb-ldp1")) {
        return (plain_width){.root = 4 * game->unit * sqrt(2 * K * log(T))};
    }
    if (plain_is(game, "cucb-ldp2")) {
        return (plain_width){.root = 4 * game->unit * sqrt(2 * log(T))};
    }
    if (plain_is(game, "cucb-dp")) {
        return (plain_width){.sampling = 4 * log(m * T),
                             .flat = 12 * K * pow(log(T), 3) * game->unit};
    }
    if (plain_is(game, "cucb-dp2")) {
        return (plain_width){.sampling = 4 * log(m * T), .flat = 12 * pow(log(T), 3) * game->unit};
    }
    if (plain_is(game, "cucb-ldp-gauss")) {
        return (plain_width){.sampling = 1.5 * log_t,
                             .root =
                                 2 * game->unit * sqrt(2 * K * log(1.25 / game->delta) * log_t)};
    }
    return (plain_width){.sampling = 1.5 * log_t};
}

/* The paper's 2 log T; or the number of nodes above a round, if that is larger (T = 1, 2, 4). */
static double node_factor(uint64_t horizon)
{
    double nodes = 0;

    for (uint64_t rest = horizon; rest > 0; rest /= 2) {
        nodes++; /* floor(log2 T) + 1 in the end */
    }
    return fmax(2 * log((double)horizon), nodes);
}

double plain_semi_bandit_noise(const plain_game *game)
{
    double K = (double)plain_slots(game->setting);

    if (plain_is(game, "cucb-ldp1")) {
        return K * game->unit;
    }
    if (plain_is(game, "cucb-ldp2")) {
        return game->unit;
    }
    if (plain_is(game, "cucb-dp")) {
        return K * node_factor(game->setting->horizon) * game->unit;
    }
    if (plain_is(game, "cucb-dp2")) {
        return node_factor(game->setting->horizon) * game->unit;
    }
    if (plain_is(game, "cucb-ldp-gauss")) {
        return sqrt(2 * K * log(1.25 / game->delta)) * game->unit;
    }
    return 0;
}

/* The least-updated arm among the shown; ties are broken at random. */
static size_t least_updated(semi_bandit *play)
{
    size_t choice = play->order[0], ties = 1;

    for (size_t k = 1; k < plain_slots(play->game->setting); k++) {
        size_t arm = play->order[k];

        if (play->counts[arm] < play->counts[choice]) {
            choice = arm;
            ties = 1;
        } else if (play->counts[arm] == play->counts[choice] &&
                   plain_uniform(&play->game->random) * (double)++ties < 1) {
            choice = arm;
        }
    }
    return choice;
}

static void learn(semi_bandit *play, size_t arm, double reward)
{
    plain_random *random = &play->game->random;

    play->counts[arm]++;
    play->reports[arm] = reward;
    if (!play->has_tree) {
        play->sums[arm] += reward + (play->is_gaussian ? play->noise * plain_gaussian(random)
                                                       : plain_laplace(random, play->noise));
    }
}

static void play_round(semi_bandit *play)
{
    plain_game *game = play->game;
    const plain_setting *setting = game->setting;
    plain_width width = plain_semi_bandit_width(game);
    double played = 0;
    size_t reporter;

    for (size_t i = 0; i < setting->arms; i++) {
        play->indices[i] = plain_index(width, play->sums[i], play->counts[i], setting->clip);
        play->reports[i] = 0;
    }
    plain_order(&game->random, play->indices, setting->arms, play->order);
    reporter = least_updated(play);
    for (size_t k = 0; k < plain_slots(setting); k++) {
        size_t arm = play->order[k];
        double reward = plain_reward(game, arm);

        played += setting->means[arm];
        if (!play->one_reports || arm == reporter) {
            learn(play, arm, reward);
        }
    }
    for (size_t i = 0; i < setting->arms && play->has_tree; i++) {
        play->sums[i] =
            plain_tree_add(&play->trees[i], play->reports[i], play->noise, &game->random);
    }
    plain_round_ends(game, played);
}

/* The paper of cucb-ldp-gauss starts with an exact reward of every arm. */
static void prepare(semi_bandit *play)
{
    plain_game *game = play->game;
    const plain_setting *setting = game->setting;

    play->has_tree = plain_is(game, "cucb-dp") || plain_is(game, "cucb-dp2");
    play->one_reports = plain_is(game, "cucb-ldp2") || plain_is(game, "cucb-dp2");
    play->is_gaussian = plain_is(game, "cucb-ldp-gauss");
    play->noise = plain_semi_bandit_noise(game);

    plain_order(&game->random, setting->means, setting->arms, play->order);
    for (size_t k = 0; k < plain_slots(setting); k++) {
        game->best += setting->means[play->order[k]];
    }
    for (size_t i = 0; i < setting->arms && play->is_gaussian; i++) {
        play->sums[i] = plain_reward(game, i);
        play->counts[i] = 1;
    }
}

bool plain_play_semi_bandit(plain_game *game)
{
    size_t arms = game->setting->arms;
    semi_bandit play = {.game = game};
    bool is_ready;

    play.sums = calloc(arms, sizeof *play.sums);
    play.counts = calloc(arms, sizeof *play.counts);
    play.reports = calloc(arms, sizeof *play.reports);
    play.indices = calloc(arms, sizeof *play.indices);
    play.order = calloc(arms, sizeof *play.order);
    play.trees = calloc(arms, sizeof *play.trees);
    is_ready = play.sums != NULL && play.counts != NULL && play.reports != NULL &&
               play.indices != NULL && play.order != NULL && play.trees != NULL;

    if (is_ready) {
        prepare(&play);
        while (!plain_is_over(game)) {
            play_round(&play);
        }
    }
    free(play.sums);
    free(play.counts);
    free(play.reports);
    free(play.indices);
    free(play.order);
    free(play.trees);
    return is_ready;
}
