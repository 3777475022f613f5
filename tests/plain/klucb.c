/* klucb.c - batch-klucb and rr-klucb as in their specification, and adap-ucb. Every round is
 * recorded for one arm of the list, called e. For finite arms, matroids, semi-bandits (any K arms)
 * and cascades.
 *
 * There is no grid for q and there are no closed forms: suprema and minima are found by golden
 * sections and bisections.
 */
#include <stdlib.h>

#include "plain/game.h"

enum { MOST_BATCHES = 128, SECTIONS = 100, BISECTIONS = 34 };

typedef struct klucb_arm {
    double recorded;           /* number of recorded rounds */
    double sum, seen, batch;   /* of the open batch: sum, rounds so far, size */
    double sums[MOST_BATCHES]; /* released sums, with noise */
    double sizes[MOST_BATCHES];
    size_t batches;
    double ones; /* rr-klucb: number of bits that were 1 */
    double index;
    uint64_t tie; /* random, breaks ties */
} klucb_arm;

typedef struct klucb {
    plain_game *game;
    bool is_local, forgets; /* rr-klucb, adap-ucb */
    double epsilon;
    klucb_arm *arms;
    size_t *order, *list;
    size_t count;
    size_t e;
} klucb;

/* The maximum over (0, end) of a concave function of theta. */
typedef double function(double theta, const double *p);

static double golden_max(function *f, const double *p, double end)
{
    const double ratio = (sqrt(5) - 1) / 2;
    double low = 0, high = end, a = high - ratio * (high - low), b = low + ratio * (high - low);
    double at_a = f(a, p), at_b = f(b, p), best = fmax(at_a, at_b);

    for (int i = 0; i < SECTIONS && high - low > 1e-6 * high; i++) { /* flat at its top */
        if (at_a > at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - ratio * (high - low);
            at_a = f(a, p);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + ratio * (high - low);
            at_b = f(b, p);
        }
        best = fmax(best, fmax(at_a, at_b));
    }
    return best;
}

enum { Q, N, S, J, EPSILON, MU, PARTS };

/* j log(1 - theta^2/epsilon^2) */
static double noise_part(double theta, const double *p)
{
    double share = theta / p[EPSILON];

    return p[J] * log1p(-share * share);
}

/* Minus the width. It is quasi-concave, which is enough for golden sections. */
static double minus_width(double theta, const double *p)
{
    return -(p[Q] + p[N] * theta * theta / 8 - noise_part(theta, p)) / (theta * p[N]);
}

static double rate(double theta, const double *p)
{
    return -theta * p[S] - p[N] * log1p(p[MU] * expm1(-theta)) + noise_part(theta, p);
}

static double end_of_theta(double epsilon)
{
    return isinf(epsilon) ? 700 : epsilon;
}

double plain_klucb_width(double j, double n, double epsilon, double q)
{
    double p[PARTS] = {[Q] = q, [N] = n, [J] = j, [EPSILON] = epsilon};

    return -golden_max(minus_width, p, end_of_theta(epsilon));
}

double plain_klucb_batch_bound(double j, double n, double sum, double epsilon, double q)
{
    double p[PARTS] = {[Q] = q, [N] = n, [S] = sum, [J] = j, [EPSILON] = epsilon};
    double low = 0, high = 1;

    for (int i = 0; i < BISECTIONS; i++) {
        p[MU] = (low + high) / 2;
        *(golden_max(rate, p, end_of_theta(epsilon)) <= q ? &low : &high) = p[MU];
    }
    return (low + high) / 2;
}

static double batch_index(const klucb *play, const klucb_arm *arm, double q)
{
    double n = 0, sum = 0, least = INFINITY, best[3] = {0};

    for (size_t j = 1; j <= arm->batches; j++) {
        double width;

        n += arm->sizes[arm->batches - j];
        sum += arm->sums[arm->batches - j];
        width = plain_klucb_width((double)j, n, play->epsilon, q);
        if (width < least) {
            least = width;
            best[0] = (double)j;
            best[1] = n;
            best[2] = sum;
        }
    }
    return arm->batches == 0 ? INFINITY
                             : plain_klucb_batch_bound(best[0], best[1], best[2], play->epsilon, q);
}

/* adap-ucb: uses only the latest episode. Its noise and width are multiples of `unit`. */
static double episode_index(const klucb *play, const klucb_arm *arm, double t)
{
    double n, sum, sure = 3.1 * log(t);

    if (arm->batches == 0) {
        return INFINITY;
    }
    n = arm->sizes[arm->batches - 1];
    sum = arm->sums[arm->batches - 1];
    return sum / n + sqrt(sure / (2 * n)) + play->game->unit * sure / n;
}

static double kl(double p, double v)
{
    return (p > 0 ? p * log(p / v) : 0) + (p < 1 ? (1 - p) * log((1 - p) / (1 - v)) : 0);
}

static double bit_index(const klucb *play, const klucb_arm *arm, double q)
{
    double mean = arm->ones / arm->recorded, low = mean, high = 1;
    double truth = 1 / (1 + exp(-play->epsilon));

    if (arm->recorded == 0) {
        return INFINITY;
    }
    for (int i = 0; i < BISECTIONS && mean < 1; i++) {
        double v = (low + high) / 2;

        *(arm->recorded * kl(mean, v) <= q ? &low : &high) = v;
    }
    return ((mean < 1 ? low : 1) - (1 - truth)) / (2 * truth - 1);
}

/* Rounds up to 1: if an arm's bound is exactly 1, bisection ends just below. */
static double rounded(double index)
{
    return index > 1 - 1e-9 && index < 1 ? 1 : index;
}

static bool goes_first(const klucb_arm *one, const klucb_arm *other)
{
    if (one->index != other->index) {
        return one->index > other->index;
    }
    if (one->recorded != other->recorded) {
        return one->recorded < other->recorded;
    }
    return one->tie > other->tie;
}

static bool is_before(const klucb_arm *one, const klucb_arm *other) /* in the choice of e */
{
    if (one->recorded != other->recorded) {
        return one->recorded < other->recorded;
    }
    if (one->index != other->index) {
        return one->index < other->index;
    }
    return one->tie > other->tie;
}

bool plain_may_join(const plain_setting *setting, const size_t *list, size_t count, size_t arm)
{
    size_t d = setting->dimension, rows = count + 1, rank = 0;
    double table[16][16];

    if (setting->vectors == NULL) {
        return true;
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < d; k++) {
            table[i][k] = setting->vectors[(i < count ? list[i] : arm) * d + k];
        }
    }
    for (size_t k = 0; k < d && rank < rows; k++) {
        size_t best = rank;

        for (size_t i = rank; i < rows; i++) {
            best = fabs(table[i][k]) > fabs(table[best][k]) ? i : best;
        }
        if (fabs(table[best][k]) < 1e-9) {
            continue;
        }
        for (size_t c = 0; c < d; c++) {
            double swap = table[rank][c];

            table[rank][c] = table[best][c];
            table[best][c] = swap;
        }
        for (size_t i = rank + 1; i < rows; i++) {
            double factor = table[i][k] / table[rank][k];

            for (size_t c = k; c < d; c++) {
                table[i][c] -= factor * table[rank][c];
            }
        }
        rank++;
    }
    return rank == rows;
}

/* Chooses the list for the indices, greedily. */
static void choose_list(klucb *play)
{
    const plain_setting *setting = play->game->setting;
    size_t most = setting->vectors != NULL ? setting->dimension : plain_slots(setting);

    for (size_t i = 0; i < setting->arms; i++) {
        size_t place = i;

        play->arms[i].tie = plain_word(&play->game->random);
        for (; place > 0 && goes_first(&play->arms[i], &play->arms[play->order[place - 1]]);
             place--) {
            play->order[place] = play->order[place - 1];
        }
        play->order[place] = i;
    }
    play->count = 0;
    for (size_t i = 0; i < setting->arms && play->count < most; i++) {
        if (plain_may_join(setting, play->list, play->count, play->order[i])) {
            play->list[play->count++] = play->order[i];
        }
    }
}

static double list_value(const klucb *play)
{
    double sum = 0, none = 1;

    for (size_t i = 0; i < play->count; i++) {
        sum += play->game->setting->means[play->list[i]];
        none *= 1 - play->game->setting->means[play->list[i]];
    }
    return play->game->setting->cascade ? 1 - none : sum;
}

static void record_batch(klucb *play, klucb_arm *arm, bool reward)
{
    arm->recorded++;
    arm->sum += reward;
    if (++arm->seen < arm->batch) {
        return;
    }
    arm->sums[arm->batches] = arm->sum + plain_laplace(&play->game->random, play->game->unit);
    arm->sizes[arm->batches++] = arm->seen;
    arm->sum = arm->seen = 0;
}

static void record_bit(klucb *play, klucb_arm *arm, bool reward)
{
    bool is_true = plain_uniform(&play->game->random) < 1 / (1 + exp(-play->epsilon));

    arm->recorded++;
    arm->ones += reward == is_true;
}

/* Plays one list until the batch of e closes. In a cascade e is first, so that it is always
 * observed. */
static void play_list(klucb *play)
{
    plain_game *game = play->game;
    double t = fmax(3, (double)(game->round + 1)), q = log(t) + 3 * log(log(t));
    double displays = 1;
    klucb_arm *e;

    for (size_t i = 0; i < game->setting->arms; i++) {
        klucb_arm *arm = &play->arms[i];

        arm->index = play->forgets    ? episode_index(play, arm, (double)(game->round + 1))
                     : play->is_local ? bit_index(play, arm, q)
                                      : rounded(batch_index(play, arm, q));
    }
    choose_list(play);
    play->e = play->list[0];
    for (size_t i = 0; i < play->count; i++) {
        play->arms[play->list[i]].tie = plain_word(&game->random);
        if (is_before(&play->arms[play->list[i]], &play->arms[play->e])) {
            play->e = play->list[i];
        }
    }
    e = &play->arms[play->e];
    if (!play->is_local) {
        displays = e->batch = fmax(1, play->forgets ? e->recorded : ceil(e->recorded / 2));
    }
    for (; displays > 0 && !plain_is_over(game); displays--) {
        bool reward = plain_reward(game, play->e);

        if (play->is_local) {
            record_bit(play, e, reward);
        } else {
            record_batch(play, e, reward);
        }
        plain_round_ends(game, list_value(play));
    }
}

bool plain_play_klucb(plain_game *game)
{
    size_t arms = game->setting->arms;
    klucb play = {.game = game,
                  .is_local = plain_is(game, "rr-klucb"),
                  .forgets = plain_is(game, "adap-ucb"),
                  .epsilon = 1 / game->unit};
    bool is_ready;

    play.arms = calloc(arms, sizeof *play.arms);
    play.order = calloc(arms, sizeof *play.order);
    play.list = calloc(arms, sizeof *play.list);
    is_ready = play.arms != NULL && play.order != NULL && play.list != NULL;

    if (is_ready) {
        for (size_t i = 0; i < arms; i++) {
            play.arms[i].index = game->setting->means[i];
        }
        choose_list(&play);
        game->best = list_value(&play);
        while (!plain_is_over(game)) {
            play_list(&play);
        }
    }
    free(play.arms);
    free(play.order);
    free(play.list);
    return is_ready;
}
