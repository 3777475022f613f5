/* repaired_sets.c - repaired algorithms for sets and lists: cucb-dp-lazy, cucb-ldp-box,
 * cascade-dp-lazy, cascade-ldp-rr. They follow their specification. */
#include <stdlib.h>

#include "plain/game.h"

/* The statistics of an arm. */
typedef struct known_arm {
    double first, second; /* released or estimated sums: rewards; clicks and observations */
    double count;         /* number of rewards or displays in these sums; 0: none */
    double open_first, open_second, filled, size; /* the open batch */
} known_arm;

typedef struct repaired {
    plain_game *game;
    double K, bias;
    size_t threshold;
    known_arm *arms;
    double *indices;
    size_t *order; /* by index: the first K are shown */
} repaired;

double plain_choose(double n, double k)
{
    double product = 1;

    for (double i = 1; i <= k; i++) {
        product = product * (n - k + i) / i;
    }
    return product;
}

double plain_cube_bias(double K, double epsilon, size_t *threshold)
{
    double best = INFINITY;

    *threshold = 0;
    for (double tau = 1; tau <= K; tau++) {
        double inside = 0, bias;

        for (double a = tau; a <= K; a++) {
            inside += plain_choose(K, a);
        }
        bias = (pow(2, K) / expm1(epsilon) + inside) / plain_choose(K - 1, tau - 1);
        if (bias < best) {
            best = bias;
            *threshold = (size_t)tau;
        }
    }
    return best;
}

/* sqrt(1.5 log t). */
static double root_of(const plain_game *game)
{
    return sqrt(1.5 * log((double)(game->round + 1)));
}

/* 1/(p - q). */
static double response_factor(double K, double epsilon)
{
    double p = 1 / (1 + K * exp(-epsilon)), q = exp(-epsilon) / (1 + K * exp(-epsilon));

    return 1 / (p - q);
}

double plain_repaired_index(const plain_game *game, double first, double second, double n)
{
    double K = (double)plain_slots(game->setting), t = (double)(game->round + 1), index;
    double epsilon = plain_epsilon(game), moved = K == 1 ? 1 : K + 1;
    size_t threshold;

    if (n == 0) {
        return INFINITY;
    }
    if (plain_is(game, "cucb-dp-lazy")) {
        index = first / n + sqrt(3 * log(K * t) / n) + 3 * log(K * t) * K * game->unit / n;
    } else if (plain_is(game, "cucb-ldp-box")) {
        index = first / n + plain_cube_bias(K, epsilon, &threshold) * root_of(game) / sqrt(n);
    } else if (second <= 0) {
        index = INFINITY;
    } else if (plain_is(game, "cascade-dp-lazy")) {
        double x = 3 * moved * log(t) * game->unit;

        index = (first + x + sqrt(1.5 * log(t) * (second + x))) / second;
    } else {
        index = (first + root_of(game) * sqrt(n) * response_factor(K, epsilon)) / second;
    }
    return index;
}

/* Adds to the open batch. A full batch is released, with Lap(scale) on each number. */
static void into_batch(repaired *play, known_arm *arm, double first, double second, double scale)
{
    arm->open_first += first;
    arm->open_second += second;
    if (++arm->filled < arm->size) {
        return;
    }
    arm->first = arm->open_first + plain_laplace(&play->game->random, scale);
    arm->second = arm->open_second + plain_laplace(&play->game->random, scale);
    arm->count = arm->size;
    arm->size *= 2;
    arm->open_first = arm->open_second = arm->filled = 0;
}

/* Draws a report on the cube for the corner `truth`, by rejection. Bit k is slot k. */
static uint64_t cube_report(repaired *play, uint64_t truth)
{
    plain_random *random = &play->game->random;

    for (;;) {
        uint64_t corner = 0;
        double agreeing = 0;

        for (size_t k = 0; k < (size_t)play->K; k++) {
            bool up = plain_uniform(random) < 0.5;

            corner |= (uint64_t)up << k;
            agreeing += up == (truth >> k & 1);
        }
        if (agreeing >= (double)play->threshold ||
            plain_uniform(random) < exp(-plain_epsilon(play->game))) {
            return corner;
        }
    }
}

static double show_set(repaired *play)
{
    plain_game *game = play->game;
    uint64_t truth = 0;
    double played = 0;

    for (size_t k = 0; k < (size_t)play->K; k++) {
        bool reward = plain_reward(game, play->order[k]);

        truth |= (uint64_t)reward << k;
        played += game->setting->means[play->order[k]];
        if (plain_is(game, "cucb-dp-lazy")) {
            into_batch(play, &play->arms[play->order[k]], reward, 0, play->K * game->unit);
        }
    }
    if (plain_is(game, "cucb-ldp-box")) {
        uint64_t corner = cube_report(play, truth);

        for (size_t k = 0; k < (size_t)play->K; k++) {
            known_arm *arm = &play->arms[play->order[k]];

            arm->first += (1 + play->bias * (corner >> k & 1 ? 1 : -1)) / 2;
            arm->count++;
        }
    }
    return played;
}

/* Draws the position of the click, 1 to K, or K + 1 for none; and the report about it. */
static double click_on(repaired *play)
{
    for (size_t k = 0; k < (size_t)play->K; k++) {
        if (plain_reward(play->game, play->order[k])) {
            return (double)k + 1;
        }
    }
    return play->K + 1;
}

static double respond(repaired *play, double click)
{
    plain_random *random = &play->game->random;
    double lies = play->K * exp(-plain_epsilon(play->game)), other;

    if (plain_uniform(random) * (1 + lies) < 1) {
        return click;
    }
    do {
        other = 1 + floor(plain_uniform(random) * (play->K + 1));
    } while (other == click);
    return other;
}

static double show_list(repaired *play)
{
    plain_game *game = play->game;
    double K = play->K, click = click_on(play), none = 1, epsilon = plain_epsilon(game);
    bool is_local = plain_is(game, "cascade-ldp-rr");
    double report = is_local ? respond(play, click) : 0;
    double factor = response_factor(K, epsilon), q = exp(-epsilon) / (1 + K * exp(-epsilon));

    for (double k = 1; k <= K; k++) {
        size_t item = play->order[(size_t)k - 1];
        known_arm *arm = &play->arms[item];

        none *= 1 - game->setting->means[item];
        if (is_local) {
            arm->first += ((report == k) - q) * factor;
            arm->second += ((report >= k) - q * (K - k + 2)) * factor;
            arm->count++;
        } else {
            into_batch(play, arm, click == k, click >= k, (K == 1 ? 1 : K + 1) * game->unit);
        }
    }
    return 1 - none;
}

static void play_rounds(repaired *play)
{
    plain_game *game = play->game;
    const plain_setting *setting = game->setting;
    bool is_list = strncmp(setting->algorithm, "cascade", 7) == 0;
    double none = 1;

    play->K = (double)plain_slots(setting);
    play->bias = plain_cube_bias(play->K, plain_epsilon(game), &play->threshold);
    plain_order(&game->random, setting->means, setting->arms, play->order);
    for (size_t k = 0; k < (size_t)play->K; k++) {
        game->best += setting->means[play->order[k]];
        none *= 1 - setting->means[play->order[k]];
    }
    game->best = is_list ? 1 - none : game->best;
    for (size_t i = 0; i < setting->arms; i++) {
        play->arms[i].size = 1;
    }
    while (!plain_is_over(game)) {
        for (size_t i = 0; i < setting->arms; i++) {
            const known_arm *arm = &play->arms[i];
            double index = plain_repaired_index(game, arm->first, arm->second, arm->count);

            play->indices[i] = setting->clip ? fmin(index, 1) : index;
        }
        plain_order(&game->random, play->indices, setting->arms, play->order);
        plain_round_ends(game, is_list ? show_list(play) : show_set(play));
    }
}

bool plain_play_repaired_sets(plain_game *game)
{
    size_t arms = game->setting->arms;
    repaired play = {.game = game};
    bool is_ready;

    play.arms = calloc(arms, sizeof *play.arms);
    play.indices = calloc(arms, sizeof *play.indices);
    play.order = calloc(arms, sizeof *play.order);
    is_ready = play.arms != NULL && play.indices != NULL && play.order != NULL;
    if (is_ready) {
        play_rounds(&play);
    }
    free(play.arms);
    free(play.indices);
    free(play.order);
    return is_ready;
}
