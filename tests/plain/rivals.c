/* rivals.c - the algorithms of other papers for finite arms, once more, as their papers print them:
 *
 *   klucb       Garivier and Cappe 2011, Algorithm 1, c = 0
 *   imed        Honda and Takemura 2015
 *   ts          Thompson 1933, for rewards of 0 or 1 and uniform priors
 *   moss        Audibert and Bubeck 2009
 *   exp3        Auer, Cesa-Bianchi, Freund and Schapire 2002
 *   dp-klucb    Azize et al. 2025, batches that double
 *   dp-imed     the same
 *   adap-klucb  Azize and Basu 2022, Algorithm 1 and equation 7, alpha = 3.1
 *   lazy-dp-ts  Hu and Hegde 2022
 *   ldp-ucb-l   Ren, Zhou, Liu and Shroff 2020
 *   ldp-ucb-b   the same
 *
 * There is no grid for log t, and there are no closed forms: largest values are found by bisection,
 * least ones by golden sections. Ties go to the arm with fewer pulls, then at random.
 */
#include <stdlib.h>

#include "plain/game.h"

enum { BISECTIONS = 26, SECTIONS = 60 };

typedef struct rival_arm {
    double pulls, sum;       /* all pulls; the sum of rewards, reports or bits */
    double open_pulls, open; /* of the batch that is not released yet, and its size ... */
    double size;             /* ... when it is full */
    double known_n, known;   /* the pulls and the noisy sum that the index may use */
    bool has_release;
} rival_arm;

typedef struct rivals {
    plain_game *game;
    double epsilon, best; /* best: the largest known mean, in [0,1] */
    rival_arm *arms;
} rivals;

static double in_unit(double x)
{
    return fmin(1, fmax(0, x));
}

static double kl(double p, double v)
{
    return (p > 0 ? p * log(p / v) : 0) + (p < 1 ? (1 - p) * log((1 - p) / (1 - v)) : 0);
}

double plain_private_kl(double x, double y, double epsilon)
{
    const double ratio = (sqrt(5) - 1) / 2;
    double low = fmin(x, y), high = fmax(x, y), least = fmin(kl(x, y), epsilon * fabs(y - x));

    for (int i = 0; i < SECTIONS; i++) { /* convex in z */
        double a = high - ratio * (high - low), b = low + ratio * (high - low);
        double at_a = epsilon * fabs(a - x) + kl(a, y), at_b = epsilon * fabs(b - x) + kl(b, y);

        least = fmin(least, fmin(at_a, at_b));
        *(at_a < at_b ? &high : &low) = at_a < at_b ? b : a;
    }
    return least;
}

/* The largest y in [x,1] whose divergence from x is at most `level`. */
static double largest(double x, double level, double epsilon)
{
    double low = x, high = 1;

    if (x >= 1 || (isfinite(epsilon) && plain_private_kl(x, 1, epsilon) <= level)) {
        return 1;
    }
    for (int i = 0; i < BISECTIONS; i++) {
        double y = (low + high) / 2;

        *((isfinite(epsilon) ? plain_private_kl(x, y, epsilon) : kl(x, y)) <= level ? &low
                                                                                    : &high) = y;
    }
    return low;
}

static double imed_index(const rivals *play, double n, double mean)
{
    double x = in_unit(mean), d = 0;

    if (x < play->best) {
        d = isfinite(play->epsilon) && plain_is(play->game, "dp-imed")
                ? plain_private_kl(x, play->best, play->epsilon)
                : kl(x, play->best);
    }
    return -(n * d + log(n)); /* the least is the best */
}

/* The index of an arm, in round t. */
double plain_rival_index(plain_game *game, double best, double n, double sum, double t)
{
    rivals play = {.game = game, .best = best, .epsilon = 1 / game->unit};
    double mean = sum / n, a = 3.1 * log(t), s;

    if (plain_is(game, "klucb")) {
        return largest(mean, log(t) / n, INFINITY);
    }
    if (plain_is(game, "imed") || plain_is(game, "dp-imed")) {
        return imed_index(&play, n, mean);
    }
    if (plain_is(game, "ts")) {
        return plain_beta(&game->random, 1 + sum, 1 + n - sum);
    }
    if (plain_is(game, "moss")) {
        double T = (double)game->setting->horizon, K = (double)game->setting->arms;

        return mean + sqrt(fmax(0, log(T / (K * n))) / n);
    }
    if (plain_is(game, "dp-klucb")) {
        return largest(in_unit(mean), log(t) / n, play.epsilon);
    }
    if (plain_is(game, "adap-klucb")) {
        return largest(in_unit(mean + a * game->unit / n), a / n, INFINITY);
    }
    if (plain_is(game, "lazy-dp-ts")) {
        s = n * in_unit(mean + 3 * log(t) * game->unit / n);
        return plain_beta(&game->random, 1 + s, 1 + n - s);
    }
    if (plain_is(game, "ldp-ucb-l")) {
        return n <= 4 * log(t) ? INFINITY
                               : mean + sqrt(2 * log(t) / n) + game->unit * sqrt(32 * log(t) / n);
    }
    return mean + sqrt(2 * log(t) / n); /* ldp-ucb-b: mean is that of the bits */
}

static size_t choose(rivals *play)
{
    plain_game *game = play->game;
    double t = (double)(game->round + 1), top = 0;
    size_t choice = 0, ties = 0;

    play->best = 0;
    for (size_t i = 0; i < game->setting->arms; i++) {
        const rival_arm *arm = &play->arms[i];

        play->best =
            arm->has_release ? fmax(play->best, in_unit(arm->known / arm->known_n)) : play->best;
    }
    for (size_t i = 0; i < game->setting->arms; i++) {
        const rival_arm *arm = &play->arms[i];
        const double first = play->arms[choice].pulls;
        /* Thompson sampling needs no first pull, the others do. */
        double index = !arm->has_release && !plain_is(game, "ts")
                           ? INFINITY
                           : plain_rival_index(game, play->best, arm->known_n, arm->known, t);

        if (ties == 0 || index > top || (index == top && arm->pulls < first)) {
            top = index;
            choice = i;
            ties = 1;
        } else if (index == top && arm->pulls == first &&
                   plain_uniform(&game->random) * (double)++ties < 1) {
            choice = i;
        }
    }
    return choice;
}

/* How many pulls the next batch has that opens after n pulls; 1: every pull is released. */
static double next_size(const plain_game *game, double n)
{
    if (plain_is(game, "dp-klucb") || plain_is(game, "dp-imed") || plain_is(game, "adap-klucb")) {
        return fmax(1, n);
    }
    return plain_is(game, "lazy-dp-ts") ? n + 1 : 1;
}

/* Pulls an arm once. True: a batch is full, and was released. */
static bool pull(rivals *play, rival_arm *arm, size_t number)
{
    plain_game *game = play->game;
    bool adds = plain_is(game, "dp-klucb") || plain_is(game, "dp-imed");
    bool forgets = plain_is(game, "adap-klucb") || plain_is(game, "lazy-dp-ts");
    bool reward = plain_pull(game, number);
    double value = reward;

    if (plain_is(game, "ldp-ucb-l")) {
        value += plain_laplace(&game->random, game->unit);
    }
    if (plain_is(game, "ldp-ucb-b")) {
        value = reward == (plain_uniform(&game->random) < 1 / (1 + exp(-play->epsilon)));
    }
    if (arm->open_pulls == 0) {
        arm->size = next_size(game, arm->pulls);
    }
    arm->pulls++;
    arm->open += value;
    if (++arm->open_pulls < arm->size) {
        return false;
    }
    if (adds || forgets) {
        arm->open += plain_laplace(&game->random, game->unit);
    }
    arm->known = arm->open + (forgets ? 0 : arm->known);
    arm->known_n = arm->open_pulls + (forgets ? 0 : arm->known_n);
    arm->open = arm->open_pulls = 0;
    arm->has_release = true;
    return true;
}

bool plain_play_rivals(plain_game *game)
{
    const plain_setting *setting = game->setting;
    rivals play = {.game = game, .epsilon = 1 / game->unit};

    play.arms = calloc(setting->arms, sizeof *play.arms);
    if (play.arms == NULL) {
        return false;
    }
    for (size_t i = 0; i < setting->arms; i++) {
        game->best = fmax(game->best, setting->means[i]);
    }
    while (!plain_is_over(game)) {
        size_t choice = choose(&play);
        bool is_released = pull(&play, &play.arms[choice], choice);

        /* A batch is played to its end, except that Lazy-DP-TS samples again in every round. */
        while (!is_released && !plain_is(game, "lazy-dp-ts") && !plain_is_over(game)) {
            is_released = pull(&play, &play.arms[choice], choice);
        }
    }
    free(play.arms);
    return true;
}

/* Exp3, with the gamma of Corollary 3.2 for g = T. */
bool plain_play_exp3(plain_game *game)
{
    const plain_setting *setting = game->setting;
    const double arms = (double)setting->arms, horizon = (double)setting->horizon;
    const double gamma = fmin(1, sqrt(arms * log(arms) / ((exp(1) - 1) * horizon)));
    double *w = calloc(setting->arms, sizeof *w);

    if (w == NULL) {
        return false;
    }
    for (size_t i = 0; i < setting->arms; i++) {
        game->best = fmax(game->best, setting->means[i]);
        w[i] = 1;
    }
    while (!plain_is_over(game)) {
        double all = 0, u = plain_uniform(&game->random), p = 0;
        size_t choice = setting->arms;

        for (size_t i = 0; i < setting->arms; i++) {
            all += w[i];
        }
        for (size_t i = 0; i < setting->arms && u >= 0; i++) {
            choice = i;
            p = (1 - gamma) * w[i] / all + gamma / arms;
            u -= p;
        }
        w[choice] *= exp(gamma * (plain_pull(game, choice) ? 1 / p : 0) / arms);
        for (size_t i = 0; i < setting->arms; i++) {
            w[i] /= all; /* the probabilities stay the same, and no weight overflows */
        }
    }
    free(w);
    return true;
}
