/* matroid.c - OMM, CTS, DPUCB-MAT and DPTS-MAT [Chandak 2023, Algorithms 1, 2, 5]: show the basis
 * that greedy finds for the arms' indices, and observe the reward of each shown arm.
 *
 * The private algorithms know only the noisy mean of an arm's latest batch. Batches double, and the
 * K arms of a basis share epsilon. An arm without an estimate has an infinite index, so it goes
 * first. Ties are broken at random. Independence is tested by Gaussian elimination in doubles.
 */
#include <stdlib.h>
#include <string.h>

#include "plain/game.h"

typedef enum rule { OMM, CTS, CTS_BETA, DPUCB_MAT, DPTS_MAT } rule;

typedef struct matroid_arm {
    double sum, seen; /* rewards and their number: all of them, or those of the open batch */
    double batch;     /* size of the open batch */
    double estimate;  /* of the mean */
    double weight;    /* number of rewards behind the estimate */
    double index;
    uint64_t tie; /* random, breaks ties */
} matroid_arm;

typedef struct matroid {
    plain_game *game;
    rule rule;
    size_t rank;
    matroid_arm *arms;
    size_t *order;  /* arms by decreasing index */
    size_t *basis;  /* chosen by greedy */
    double *rows;   /* the basis, reduced: `dimension` numbers each */
    size_t *pivots; /* where row i has its largest number; later rows have 0 there */
} matroid;

/* True if the arm may join the first `count` of the basis. If so, its reduced vector becomes row
 * `count`. */
static bool is_independent(matroid *play, size_t count, size_t arm)
{
    size_t dimension = play->game->setting->dimension, pivot = 0;
    const int *vector = play->game->setting->vectors;
    double *row = play->rows + count * dimension;

    if (vector == NULL) {
        return true;
    }
    for (size_t k = 0; k < dimension; k++) {
        row[k] = vector[arm * dimension + k];
    }
    for (size_t i = 0; i < count; i++) {
        const double *earlier = play->rows + i * dimension;
        double factor = row[play->pivots[i]] / earlier[play->pivots[i]];

        if (factor == 0) {
            continue;
        }
        for (size_t k = 0; k < dimension; k++) {
            row[k] -= factor * earlier[k];
        }
        row[play->pivots[i]] = 0;
    }
    for (size_t k = 0; k < dimension; k++) {
        if (fabs(row[k]) > fabs(row[pivot])) {
            pivot = k;
        }
    }
    play->pivots[count] = pivot;
    return fabs(row[pivot]) > 1e-9;
}

static bool goes_first(const matroid_arm *one, const matroid_arm *other)
{
    return one->index > other->index || (one->index == other->index && one->tie > other->tie);
}

/* Algorithm 1. Returns the number of arms in the basis. */
static size_t greedy(matroid *play)
{
    size_t arms = play->game->setting->arms, count = 0;

    for (size_t i = 0; i < arms; i++) {
        size_t place = i;

        play->arms[i].tie = plain_word(&play->game->random);
        for (; place > 0 && goes_first(&play->arms[i], &play->arms[play->order[place - 1]]);
             place--) {
            play->order[place] = play->order[place - 1];
        }
        play->order[place] = i;
    }
    for (size_t i = 0; i < arms && count < play->rank; i++) {
        if (is_independent(play, count, play->order[i])) {
            play->basis[count++] = play->order[i];
        }
    }
    return count;
}

static double index_of(matroid *play, const matroid_arm *arm, double log_t, double log_Kt)
{
    plain_random *random = &play->game->random;
    double private_width;

    if (play->rule == CTS_BETA) {
        return plain_beta(random, 1 + arm->sum, 1 + arm->seen - arm->sum);
    }
    if (arm->weight == 0) {
        return INFINITY;
    }
    private_width = 3 * log_Kt * (double)play->rank * play->game->unit / arm->weight;
    switch (play->rule) {
    case OMM:
        return arm->estimate + sqrt(2 * log_t / arm->weight);
    case CTS:
        return arm->estimate + plain_gaussian(random) / sqrt(arm->weight);
    case DPUCB_MAT:
        return arm->estimate + sqrt(3 * log_Kt / arm->weight) + private_width;
    default:
        return arm->estimate + private_width + plain_gaussian(random) / sqrt(arm->weight);
    }
}

static void learn(matroid *play, matroid_arm *arm, double reward)
{
    arm->sum += reward;
    arm->seen++;
    if (play->rule != DPUCB_MAT && play->rule != DPTS_MAT) {
        arm->estimate = arm->sum / arm->seen;
        arm->weight = arm->seen;
        return;
    }
    if (arm->seen < arm->batch) {
        return;
    }
    arm->sum += plain_laplace(&play->game->random, (double)play->rank * play->game->unit);
    arm->estimate = arm->sum / arm->batch;
    arm->weight = arm->batch;
    arm->batch *= 2;
    arm->sum = arm->seen = 0;
}

static void play_round(matroid *play)
{
    const plain_setting *setting = play->game->setting;
    double t = (double)(play->game->round + 1), played = 0;
    double log_t = log(t), log_Kt = log((double)play->rank * t);
    size_t count;

    for (size_t i = 0; i < setting->arms; i++) {
        play->arms[i].index = index_of(play, &play->arms[i], log_t, log_Kt);
    }
    count = greedy(play);
    for (size_t i = 0; i < count; i++) {
        size_t arm = play->basis[i];

        played += setting->means[arm];
        learn(play, &play->arms[arm], plain_reward(play->game, arm));
    }
    plain_round_ends(play->game, played);
}

/* The best basis is the greedy one for the true means. */
static void prepare(matroid *play)
{
    const plain_setting *setting = play->game->setting;

    play->rank = setting->slots == 0 ? 1 : setting->slots;
    if (setting->vectors != NULL) {
        play->rank = setting->dimension;
    }
    for (size_t i = 0; i < setting->arms; i++) {
        play->arms[i].index = setting->means[i];
        play->arms[i].batch = 1;
    }
    play->rank = greedy(play);
    for (size_t i = 0; i < play->rank; i++) {
        play->game->best += setting->means[play->basis[i]];
    }
}

static rule rule_of(const char *algorithm)
{
    return strcmp(algorithm, "omm") == 0         ? OMM
           : strcmp(algorithm, "cts") == 0       ? CTS
           : strcmp(algorithm, "cts-beta") == 0  ? CTS_BETA
           : strcmp(algorithm, "dpucb-mat") == 0 ? DPUCB_MAT
                                                 : DPTS_MAT;
}

bool plain_play_matroid(plain_game *game)
{
    size_t arms = game->setting->arms, dimension = game->setting->dimension;
    matroid play = {.game = game, .rule = rule_of(game->setting->algorithm)};
    bool is_ready;

    play.arms = calloc(arms, sizeof *play.arms);
    play.order = calloc(arms, sizeof *play.order);
    play.basis = calloc(arms, sizeof *play.basis);
    play.rows = calloc(dimension * dimension + 1, sizeof *play.rows);
    play.pivots = calloc(dimension + 1, sizeof *play.pivots);
    is_ready = play.arms != NULL && play.order != NULL && play.basis != NULL && play.rows != NULL &&
               play.pivots != NULL;

    if (is_ready) {
        prepare(&play);
        while (!plain_is_over(game)) {
            play_round(&play);
        }
    }
    free(play.arms);
    free(play.order);
    free(play.basis);
    free(play.rows);
    free(play.pivots);
    return is_ready;
}
