/* imed_play.c - plays lik-imed and rr-imed (imed.h) on finite arms, matroids, any K arms and
 * cascades. Feedback is final at once. */
#include <stdlib.h>

#include "plain/game.h"
#include "plain/imed.h"

typedef struct imed_game {
    plain_game *game;
    plain_imed imed;
    double *sums; /* of the open batches */
    size_t *order;
} imed_game;

/* Greedily, the heaviest arm first, ties at random. */
static size_t greedy(const plain_imed *imed, const double *weights, size_t *set)
{
    imed_game *play = imed->context;
    const plain_setting *setting = play->game->setting;
    size_t most = setting->vectors != NULL ? setting->dimension : plain_slots(setting);
    size_t count = 0;

    plain_order(&play->game->random, weights, imed->arms, play->order);
    for (size_t i = 0; i < imed->arms && count < most; i++) {
        if (plain_may_join(setting, set, count, play->order[i])) {
            set[count++] = play->order[i];
        }
    }
    return count;
}

static size_t any_of(const plain_imed *imed, const size_t *among, size_t count)
{
    imed_game *play = imed->context;

    return among[(size_t)(plain_uniform(&play->game->random) * (double)count)];
}

static double mean_reward(const plain_setting *setting, const size_t *set, size_t count)
{
    double sum = 0, none = 1;

    for (size_t i = 0; i < count; i++) {
        sum += setting->means[set[i]];
        none *= 1 - setting->means[set[i]];
    }
    return setting->cascade ? 1 - none : sum;
}

static void release_batch(imed_game *play, size_t e)
{
    plain_imed_arm *arm = &play->imed.arm[e];
    double noise = plain_laplace(&play->game->random, play->game->unit);

    arm->batches[arm->count++] = (plain_imed_batch){.n = arm->open, .sum = play->sums[e] + noise};
    arm->open = play->sums[e] = 0;
}

static void report_bit(imed_game *play, size_t e, bool reward)
{
    plain_imed_arm *arm = &play->imed.arm[e];
    bool is_true = plain_uniform(&play->game->random) < 1 / (1 + exp(-play->imed.epsilon));

    arm->count = 1;
    arm->batches[0].n++;
    arm->batches[0].sum += reward == is_true;
}

static void play_plan(imed_game *play)
{
    plain_game *game = play->game;
    plain_imed_plan plan = plain_imed_choose(&play->imed, (double)(game->round + 1));
    plain_imed_arm *arm = &play->imed.arm[plan.recorded];

    for (; plan.hold > 0 && !plain_is_over(game); plan.hold--) {
        bool reward = plain_reward(game, plan.recorded);

        if (play->imed.is_local) {
            report_bit(play, plan.recorded, reward);
        } else {
            arm->open++;
            play->sums[plan.recorded] += reward;
        }
        plain_round_ends(game, mean_reward(game->setting, plan.set, plan.count));
    }
    if (!play->imed.is_local && arm->open >= plan.size) {
        release_batch(play, plan.recorded);
    }
}

static void prepare(imed_game *play)
{
    plain_game *game = play->game;
    size_t set[PLAIN_IMED_SLOTS];

    for (size_t i = 1; i <= game->setting->horizon; i++) {
        play->imed.log_factorials[i] = play->imed.log_factorials[i - 1] + logl((long double)i);
    }
    game->best = mean_reward(game->setting, set, greedy(&play->imed, game->setting->means, set));
}

bool plain_play_imed(plain_game *game)
{
    size_t arms = game->setting->arms;
    imed_game play = {.game = game,
                      .imed = {.is_local = plain_is(game, "rr-imed"),
                               .epsilon = 1 / game->unit,
                               .arms = arms,
                               .oracle = greedy,
                               .at_random = any_of,
                               .favourite = SIZE_MAX,
                               .context = &play}};
    bool is_ready;

    play.imed.arm = calloc(arms, sizeof *play.imed.arm);
    play.imed.log_factorials = calloc(game->setting->horizon + 1, sizeof(long double));
    play.sums = calloc(arms, sizeof *play.sums);
    play.order = calloc(arms, sizeof *play.order);
    is_ready = play.imed.arm != NULL && play.imed.log_factorials != NULL && play.sums != NULL &&
               play.order != NULL;

    if (is_ready) {
        prepare(&play);
        while (!plain_is_over(game)) {
            play_plan(&play);
        }
    }
    free(play.imed.arm);
    free(play.imed.log_factorials);
    free(play.sums);
    free(play.order);
    return is_ready;
}
