/* game.h - the state of one run: the rounds so far and the regret. */
#ifndef LOTOR_TESTS_PLAIN_GAME_H
#define LOTOR_TESTS_PLAIN_GAME_H

#include <stdbool.h>
#include <string.h>

#include "plain/draws.h"
#include "plain/plain.h"

typedef struct plain_game {
    const plain_setting *setting;
    plain_random random;
    double beta;    /* from the setting, or the default */
    double delta;   /* from the setting, or the default */
    double unit;    /* noise and private widths are multiples of this: noise_scale / epsilon */
    double best;    /* mean reward per round of the best decision */
    uint64_t round; /* rounds played so far */
    double regret;  /* of these rounds */

    const uint64_t *times; /* when to record the regret; the first `noted` are recorded */
    size_t count, noted;
    double *regrets;
} plain_game;

/* A game before its first round, with defaults filled in and no times. */
plain_game plain_begin(const plain_setting *setting, uint64_t seed);

/* Draws a reward of the arm. */
static inline bool plain_reward(plain_game *game, size_t arm)
{
    return plain_uniform(&game->random) < game->setting->means[arm];
}

/* Ends a round with arms whose means add up to `played`. */
static inline void plain_round_ends(plain_game *game, double played)
{
    game->round++;
    game->regret += game->best - played;
    while (game->noted < game->count && game->times[game->noted] <= game->round) {
        game->regrets[game->noted++] = game->regret;
    }
}

/* Plays a whole round with one arm. */
static inline bool plain_pull(plain_game *game, size_t arm)
{
    bool reward = plain_reward(game, arm);

    plain_round_ends(game, game->setting->means[arm]);
    return reward;
}

/* The action with the largest index so far; among equal ones, each is as likely. */
typedef struct plain_top {
    double index;
    size_t choice, ties;
} plain_top;

/* Unit vectors have the same length, up to rounding. Rounding must not choose among them: the best
 * action is computed in another way than the others, so rounding would reveal it. */
#define PLAIN_SAME 1e-12

static inline void plain_offer(plain_game *game, plain_top *top, size_t action, double index)
{
    if (action == 0 || index > top->index + PLAIN_SAME * fabs(top->index)) {
        *top = (plain_top){index, action, 1};
    } else if (index >= top->index - PLAIN_SAME * fabs(top->index) &&
               plain_uniform(&game->random) * (double)++top->ties < 1) {
        top->choice = action;
    }
}

static inline bool plain_is_over(const plain_game *game)
{
    return game->round >= game->setting->horizon;
}

/* The families of algorithms. Each plays a game to its end. False: unknown algorithm, or no
 * memory. */
bool plain_play_ucb(plain_game *game);
bool plain_play_elimination(plain_game *game);
bool plain_play_matroid(plain_game *game);
bool plain_play_semi_bandit(plain_game *game);
bool plain_play_cascade(plain_game *game);
bool plain_play_linear(plain_game *game);
bool plain_play_repaired(plain_game *game);
bool plain_play_repaired_sets(plain_game *game);
bool plain_play_batches(plain_game *game);
bool plain_play_bayes(plain_game *game);
bool plain_play_klucb(plain_game *game);
bool plain_play_imed(plain_game *game);
bool plain_play_rivals(plain_game *game);
bool plain_play_exp3(plain_game *game);

/* True if the game plays this algorithm. */
static inline bool plain_is(const plain_game *game, const char *algorithm)
{
    return strcmp(game->setting->algorithm, algorithm) == 0;
}

/* The number of arms shown in a round. */
static inline size_t plain_slots(const plain_setting *setting)
{
    size_t slots = setting->slots == 0 ? 1 : setting->slots;

    return slots < setting->arms ? slots : setting->arms;
}

/* True if the arm's vector is independent of those in the list, by Gaussian elimination in doubles;
 * true if arms have no vectors. In klucb.c. */
bool plain_may_join(const plain_setting *setting, const size_t *list, size_t count, size_t arm);

/* Tree-based counter [Sajed 2019, Algorithm 5]: adds a value, and returns the noisy sum so far. */
typedef struct plain_tree {
    uint64_t steps;
    double sum[64];   /* of the node at each level */
    double noisy[64]; /* the same with its noise */
} plain_tree;

double plain_tree_add(plain_tree *tree, double value, double scale, plain_random *random);

/* ceil(log2 horizon) + 1, as in the paper. */
int plain_tree_levels(uint64_t horizon);

/* Hybrid mechanism (Chan, Shi and Song 2011): a counter without a horizon. `unit` is 1/epsilon. */
typedef struct plain_hybrid {
    uint64_t steps;
    int power;       /* the largest k with 2^k <= steps */
    double block;    /* sum of the values after step 2^k */
    double released; /* noisy sum of the values up to step 2^k */
    plain_tree tree; /* over the values after step 2^k */
} plain_hybrid;

double plain_hybrid_add(plain_hybrid *hybrid, double value, double unit, plain_random *random);

/* An arm's index is mean + sqrt(sampling/n) + root/sqrt(n) + flat/n. The last two are for
 * privacy. */
typedef struct plain_width {
    double sampling, root, flat;
} plain_width;

/* The index of an arm seen n times; infinite for n = 0. With `clip`, at most 1. */
double plain_index(plain_width width, double sum, double n, bool clip);

/* Puts all arms in decreasing order of their indices, ties at random. */
void plain_order(plain_random *random, const double *indices, size_t arms, size_t *order);

/* The widths of the next round, and the noise. The noise is a scale for Laplace (in a node of the
 * tree for cucb-dp and cucb-dp2; 1/epsilon of a hybrid counter for cascade-dp), and a deviation for
 * the Gaussian. */
plain_width plain_semi_bandit_width(const plain_game *game);
double plain_semi_bandit_noise(const plain_game *game);
plain_width plain_cascade_width(const plain_game *game);
double plain_cascade_noise(const plain_game *game);

/* Numbers of the repaired algorithms, in this order:
 * - epsilon after the lab's scaling
 * - Gamma of dp-ucb-tight for a sum of n
 * - how far below the best sum dp-se-acc drops an arm
 * - B of cucb-ldp-box and its threshold
 * - the index of an arm with these sums over n rewards or displays */
double plain_epsilon(const plain_game *game);
double plain_tight_gamma(const plain_game *game, uint64_t n);
double plain_added_cut(const plain_game *game, double viable, double k, double r);
double plain_choose(double n, double k);
double plain_cube_bias(double K, double epsilon, size_t *threshold);
double plain_repaired_index(const plain_game *game, double first, double second, double n);

/* Constants of a linear algorithm. */
typedef struct plain_ridge {
    double noise;   /* Gaussian: a node's deviation off the diagonal. Wishart: factor of W(I, k) */
    double degrees; /* k; 0 without Wishart noise */
    double shift;   /* of V's diagonal */
    double rho_min, rho_max, gamma;
} plain_ridge;

plain_ridge plain_linear_ridge(const plain_game *game);

/* A(epsilon, delta): the least deviation that zCDP proves for a sum that moves by 1. */
double plain_zcdp_sigma(double epsilon, double delta);

/* Cholesky decomposition: `lower` times its transpose is the matrix. False: the matrix is not
 * positive definite. */
bool plain_cholesky(const double *matrix, size_t size, double *lower);

/* `solution` = inverse of the lower triangular matrix, times `right`; both may be the same
 * array. */
void plain_forward(const double *lower, size_t size, const double *right, double *solution);

/* The same with the lower triangular matrix times its transpose: what plain_cholesky decomposed. */
void plain_solve(const double *lower, size_t size, const double *right, double *solution);

double plain_product(const double *one, const double *other, size_t size);

/* A linear algorithm whose sums are released at rounds n0, 2 n0, 4 n0, ...: the first part of what
 * jdp-batch and jdp-bayes remember. They set all fields but the arrays. */
typedef struct plain_doubling plain_doubling;
struct plain_doubling {
    plain_game *game;
    size_t d;
    double sigma_g, sigma_u; /* 0: no noise */
    double next;             /* the round of the next release, first n0 */
    double released;         /* how many releases there were */

    void (*learn)(plain_doubling *play);                    /* uses the release in G and u */
    double (*score)(plain_doubling *play, const double *x); /* after the first release */

    double *theta; /* of the world */
    double *actions, *means;
    double *G, *u; /* d x d and d numbers: sums of the open batch; in `learn`, with their noise */
};

/* False: the setting makes no sense, or there is no memory. */
bool plain_play_doubling(plain_doubling *play);

/* The width of j batches with n rounds in total, and the bound given their sum; in klucb.c. */
double plain_klucb_width(double j, double n, double epsilon, double q);
double plain_klucb_batch_bound(double j, double n, double sum, double epsilon, double q);

/* The index of an arm with these pulls and this noisy sum in round t, in rivals.c; `best` is the
 * largest mean of all arms. And: min over z of epsilon |z - x| + kl(z, y). */
double plain_rival_index(plain_game *game, double best, double n, double sum, double t);
double plain_private_kl(double x, double y, double epsilon);

/* Actions of a round: arms x dimension numbers, and their means. */
void plain_draw_actions(plain_game *game, const double *theta, double *actions, double *means);

#endif
