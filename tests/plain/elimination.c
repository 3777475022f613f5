/* elimination.c - SE, DP-SE and DP-SE 2 [Sajed 2019, Algorithms 2, 9, 10 and A.2]: pull all viable
 * arms once in each cycle, drop those that are certainly worse, and play the last one to the end.
 *
 * Two mistakes of the papers are corrected: SE counts its cycle before it divides by it, and DP-SE
 * 2 asks its gate exactly at r = 2^l.
 */
#include <stdlib.h>
#include <string.h>

#include "plain/game.h"

typedef struct viable_arm {
    size_t arm;
    double sum;  /* of its rewards in this epoch */
    double mean; /* with noise, as the rule uses it */
} viable_arm;

typedef struct elimination {
    plain_game *game;
    viable_arm *viable;
    size_t count; /* of viable arms */
} elimination;

/* Pulls every viable arm once. False: the horizon was reached. */
static bool cycle(elimination *play)
{
    for (size_t i = 0; i < play->count; i++) {
        if (plain_is_over(play->game)) {
            return false;
        }
        play->viable[i].sum += plain_pull(play->game, play->viable[i].arm);
    }
    return true;
}

static void forget(elimination *play)
{
    for (size_t i = 0; i < play->count; i++) {
        play->viable[i].sum = 0;
    }
}

/* Computes the means over r cycles, with Lap(scale) added to each. */
static void take_means(elimination *play, double r, double scale)
{
    for (size_t i = 0; i < play->count; i++) {
        play->viable[i].mean = play->viable[i].sum / r + plain_laplace(&play->game->random, scale);
    }
}

static double highest_mean(const elimination *play)
{
    double highest = -INFINITY;

    for (size_t i = 0; i < play->count; i++) {
        highest = fmax(highest, play->viable[i].mean);
    }
    return highest;
}

static double lowest_mean(const elimination *play)
{
    double lowest = INFINITY;

    for (size_t i = 0; i < play->count; i++) {
        lowest = fmin(lowest, play->viable[i].mean);
    }
    return lowest;
}

/* Drops the arms that are more than `width` below the best. */
static void drop(elimination *play, double width)
{
    double highest = highest_mean(play);
    size_t kept = 0;

    for (size_t i = 0; i < play->count; i++) {
        if (highest - play->viable[i].mean <= width) {
            play->viable[kept++] = play->viable[i];
        }
    }
    play->count = kept;
}

static void successive_elimination(elimination *play)
{
    double log_horizon = log((double)play->game->setting->horizon);

    for (double n = 1; play->count > 1 && cycle(play); n++) {
        take_means(play, n, 0);
        drop(play, 2 * sqrt(2 * log_horizon / n));
    }
}

static void dp_se(elimination *play)
{
    double beta = play->game->beta, unit = play->game->unit;
    double epsilon = play->game->setting->epsilon;

    for (double epoch = 1; play->count > 1; epoch++) {
        double size = (double)play->count, gap = exp2(-epoch);
        double log8 = log(8 * size * epoch * epoch / beta);
        double log4 = log(4 * size * epoch * epoch / beta);
        double R = fmax(32 * log8 / (gap * gap), 8 * log4 / (epsilon * gap)) + 1;
        double h = sqrt(log8 / (2 * R)), c = log4 / R * unit;
        double r = 0;

        forget(play);
        while (r < R) {
            if (!cycle(play)) {
                return;
            }
            r++;
        }
        take_means(play, r, unit / r);
        drop(play, 2 * h + 2 * c);
    }
}

/* The paper's gate opens at a gap of `widths` h, and has `weight` in c: 10 and 16, or 2 and 4. */
static void dp_se2(elimination *play, double widths, double weight)
{
    plain_random *random = &play->game->random;
    double beta = play->game->beta, unit = play->game->unit;
    double K = (double)play->game->setting->arms;

    while (play->count > 1) {
        double size = (double)play->count, r = 0, level = 0, h, gap, threshold;
        double log4 = log(4 * K * size / beta);
        double B = plain_laplace(random, 6 * unit);

        forget(play);
        do {
            level++;
            for (; r < exp2(level); r++) {
                if (!cycle(play)) {
                    return;
                }
            }
            double A = plain_laplace(random, 6 * unit);
            double c =
                (6 * log(4 * K / beta) + 6 * log(8 * K * level * level / beta) + weight * log4) *
                unit;

            h = sqrt(log(16 * K * size * level * level / beta) / (2 * r));
            take_means(play, r, 0);
            gap = highest_mean(play) - lowest_mean(play);
            threshold = widths * h + (A + B + c) / r;
        } while (gap <= threshold);

        take_means(play, r, 2 * unit / r);
        drop(play, 2 * h + 4 * log4 / r * unit);
    }
}

bool plain_play_elimination(plain_game *game)
{
    const plain_setting *setting = game->setting;
    elimination play = {.game = game, .count = setting->arms};

    play.viable = calloc(setting->arms, sizeof *play.viable);
    if (play.viable == NULL) {
        return false;
    }
    for (size_t i = 0; i < setting->arms; i++) {
        play.viable[i].arm = i;
        game->best = fmax(game->best, setting->means[i]);
    }

    if (strcmp(setting->algorithm, "se") == 0) {
        successive_elimination(&play);
    } else if (strcmp(setting->algorithm, "dp-se") == 0) {
        dp_se(&play);
    } else if (strcmp(setting->algorithm, "dp-se2") == 0) {
        dp_se2(&play, 10, 16);
    } else {
        dp_se2(&play, 2, 4);
    }
    while (cycle(&play)) { /* play the last arm to the end */
    }
    free(play.viable);
    return true;
}
