/* repaired.c - repaired algorithms for finite arms: dp-ucb-tight, and our own dp-se-acc. They
 * follow their specification, and every minimum is found by search. */
#include <stdlib.h>

#include "plain/game.h"

double plain_epsilon(const plain_game *game)
{
    return game->unit == 0 ? INFINITY : 1 / game->unit;
}

/* A function that falls and then rises on (0, end); lowest() finds its least value. */
typedef double (*valley)(const double *constants, double theta);

static double lowest(valley function, const double *constants, double end)
{
    double low = 0, high = end;

    for (int i = 0; i < 300; i++) {
        double left = low + (high - low) / 3, right = high - (high - low) / 3;

        if (function(constants, left) < function(constants, right)) {
            high = right;
        } else {
            low = left;
        }
    }
    return function(constants, (low + high) / 2);
}

/* (q - j log(1 - theta^2)) / theta. */
static double tree_bound(const double *constants, double theta)
{
    double q = constants[0], j = constants[1];

    return (q - j * log(1 - theta * theta)) / theta;
}

double plain_tight_gamma(const plain_game *game, uint64_t n)
{
    const plain_setting *setting = game->setting;
    double T = (double)setting->horizon, nodes = 0, levels = 0, constants[2];

    for (; n > 0; n /= 2) {
        nodes += (double)(n % 2);
    }
    for (uint64_t rest = setting->horizon; rest > 0; rest /= 2) {
        levels++;
    }
    constants[0] = log(2 * (double)setting->arms * T / game->beta);
    constants[1] = nodes;
    return levels * game->unit * lowest(tree_bound, constants, 1);
}

typedef struct tight_arm {
    uint64_t pulls;
    double sum, gamma;
    plain_tree tree;
} tight_arm;

static size_t highest(plain_game *game, const tight_arm *arms)
{
    double log_t = log((double)(game->round + 1)), top = -INFINITY;
    size_t choice = 0, ties = 1;

    for (size_t i = 0; i < game->setting->arms; i++) {
        double n = (double)arms[i].pulls;
        double index = arms[i].sum / n + sqrt(2 * log_t / n) + arms[i].gamma / n;

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

static bool dp_ucb_tight(plain_game *game)
{
    const plain_setting *setting = game->setting;
    tight_arm *arms = calloc(setting->arms, sizeof *arms);
    double gammas[64] = {0}, scale = 0; /* Gamma by the number of nodes of a sum */

    if (arms == NULL) {
        return false;
    }
    for (uint64_t rest = setting->horizon; rest > 0; rest /= 2) {
        scale += game->unit;
    }
    for (int nodes = 1; nodes < 64; nodes++) {
        gammas[nodes] = plain_tight_gamma(game, (UINT64_C(1) << nodes) - 1);
    }
    while (!plain_is_over(game)) {
        size_t choice = game->round < setting->arms ? (size_t)game->round : highest(game, arms);
        tight_arm *arm = &arms[choice];
        double reward = plain_pull(game, choice);
        int nodes = 0;

        arm->pulls++;
        arm->sum = plain_tree_add(&arm->tree, reward, scale, &game->random);
        for (uint64_t rest = arm->pulls; rest > 0; rest /= 2) {
            nodes += rest % 2 == 1;
        }
        arm->gamma = gammas[nodes];
    }
    free(arms);
    return true;
}

/* (q + r theta^2/4 - 2k log(1 - theta^2/epsilon^2)) / theta. */
static double sum_bound(const double *constants, double theta)
{
    double q = constants[0], r = constants[1], k = constants[2], epsilon = constants[3];

    return (q + r * theta * theta / 4 - 2 * k * log(1 - pow(theta / epsilon, 2))) / theta;
}

double plain_added_cut(const plain_game *game, double viable, double k, double r)
{
    double q = log(2 * viable * k * k / game->beta), epsilon = plain_epsilon(game);
    double constants[] = {q, r, k, epsilon};

    /* Without noise the minimum is known: at 2 sqrt(q/r). */
    return isinf(epsilon) ? sqrt(q * r) : lowest(sum_bound, constants, epsilon);
}

/* Pulls every viable arm once into its batch. False: the horizon was reached. */
static bool cycle(plain_game *game, const size_t *viable, size_t count, double *batch)
{
    for (size_t i = 0; i < count; i++) {
        if (plain_is_over(game)) {
            return false;
        }
        batch[viable[i]] += plain_pull(game, viable[i]);
    }
    return true;
}

static void dp_se_acc(plain_game *game, size_t *viable, double *batch, double *sums)
{
    size_t count = game->setting->arms;
    double r = 0;

    for (double k = 1; count > 1; k++) {
        double size = ceil(16 * pow(1.5, k - 1)), top = -INFINITY;
        size_t kept = 0;

        for (double pull = 0; pull < size; pull++) {
            if (!cycle(game, viable, count, batch)) {
                return;
            }
        }
        r += size;
        for (size_t i = 0; i < count; i++) {
            size_t arm = viable[i];

            sums[arm] += batch[arm] + plain_laplace(&game->random, game->unit);
            batch[arm] = 0;
            top = fmax(top, sums[arm]);
        }
        double cut = plain_added_cut(game, (double)count, k, r);

        for (size_t i = 0; i < count; i++) {
            if (top - sums[viable[i]] <= cut) {
                viable[kept++] = viable[i];
            }
        }
        count = kept;
    }
    while (cycle(game, viable, 1, batch)) {
    }
}

bool plain_play_repaired(plain_game *game)
{
    size_t arms = game->setting->arms;

    for (size_t i = 0; i < arms; i++) {
        game->best = fmax(game->best, game->setting->means[i]);
    }
    if (plain_is(game, "dp-ucb-tight")) {
        return dp_ucb_tight(game);
    }
    size_t *viable = calloc(arms, sizeof *viable);
    double *batch = calloc(arms, sizeof *batch), *sums = calloc(arms, sizeof *sums);
    bool is_ready = viable != NULL && batch != NULL && sums != NULL;

    if (is_ready) {
        for (size_t i = 0; i < arms; i++) {
            viable[i] = i;
        }
        dp_se_acc(game, viable, batch, sums);
    }
    free(viable);
    free(batch);
    free(sums);
    return is_ready;
}
