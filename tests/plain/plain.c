/* plain.c - sets up a game and calls the algorithm's family. */
#include "plain/plain.h"

#include <string.h>

#include "plain/game.h"

typedef struct family {
    const char *algorithm;
    bool (*play)(plain_game *game);
} family;

static const family FAMILIES[] = {
    {"batch-klucb", plain_play_klucb},
    {"rr-klucb", plain_play_klucb},
    {"adap-ucb", plain_play_klucb},
    {"lik-imed", plain_play_imed},
    {"rr-imed", plain_play_imed},
    {"klucb", plain_play_rivals},
    {"imed", plain_play_rivals},
    {"ts", plain_play_rivals},
    {"moss", plain_play_rivals},
    {"exp3", plain_play_exp3},
    {"dp-klucb", plain_play_rivals},
    {"dp-imed", plain_play_rivals},
    {"adap-klucb", plain_play_rivals},
    {"lazy-dp-ts", plain_play_rivals},
    {"ldp-ucb-l", plain_play_rivals},
    {"ldp-ucb-b", plain_play_rivals},
    {"ucb", plain_play_ucb},
    {"dp-ucb", plain_play_ucb},
    {"se", plain_play_elimination},
    {"dp-se", plain_play_elimination},
    {"dp-se2", plain_play_elimination},
    {"dp-se2-modified", plain_play_elimination},
    {"omm", plain_play_matroid},
    {"cts", plain_play_matroid},
    {"cts-beta", plain_play_matroid},
    {"dpucb-mat", plain_play_matroid},
    {"dpts-mat", plain_play_matroid},
    {"cucb", plain_play_semi_bandit},
    {"cucb-ldp1", plain_play_semi_bandit},
    {"cucb-ldp2", plain_play_semi_bandit},
    {"cucb-dp", plain_play_semi_bandit},
    {"cucb-dp2", plain_play_semi_bandit},
    {"cucb-ldp-gauss", plain_play_semi_bandit},
    {"cascade-ucb", plain_play_cascade},
    {"cascade-dp", plain_play_cascade},
    {"cascade-ldp-laplace", plain_play_cascade},
    {"cascade-ldp-gauss", plain_play_cascade},
    {"cascade-ldp-composed", plain_play_cascade},
    {"dp-ucb-tight", plain_play_repaired},
    {"dp-se-acc", plain_play_repaired},
    {"cucb-dp-lazy", plain_play_repaired_sets},
    {"cucb-ldp-box", plain_play_repaired_sets},
    {"cascade-dp-lazy", plain_play_repaired_sets},
    {"cascade-ldp-rr", plain_play_repaired_sets},
    {"linucb", plain_play_linear},
    {"lints", plain_play_linear},
    {"jdp-linucb-gauss", plain_play_linear},
    {"jdp-linucb-wishart", plain_play_linear},
    {"jdp-linucb-wishart-shifted", plain_play_linear},
    {"jdp-linucb", plain_play_linear},
    {"jdp-batch", plain_play_batches},
    {"jdp-bayes", plain_play_bayes},
};

static bool play(plain_game *game)
{
    for (size_t i = 0; i < sizeof FAMILIES / sizeof FAMILIES[0]; i++) {
        if (strcmp(FAMILIES[i].algorithm, game->setting->algorithm) == 0) {
            return FAMILIES[i].play(game);
        }
    }
    return false;
}

plain_game plain_begin(const plain_setting *setting, uint64_t seed)
{
    plain_random mixer = {seed}; /* makes similar seeds start far apart */
    plain_game game = {.setting = setting,
                       .random = {plain_word(&mixer)},
                       .beta = setting->beta,
                       .delta = setting->delta};

    if (game.beta == 0) {
        game.beta = 1 / (double)setting->horizon;
    }
    if (game.delta == 0) {
        game.delta = strstr(setting->algorithm, "jdp-") != NULL ? 1e-5 : 1e-3;
    }
    game.unit = (setting->noise_scale == 0 ? 1 : setting->noise_scale) / setting->epsilon;
    return game;
}

void plain_regret_curve(const plain_setting *setting, uint64_t seed, const uint64_t *times,
                        size_t count, double *regrets)
{
    plain_game game = plain_begin(setting, seed);

    game.times = times;
    game.count = count;
    game.regrets = regrets;
    while (game.noted < count && times[game.noted] == 0) {
        regrets[game.noted++] = 0;
    }

    if (!play(&game)) {
        game.noted = 0;
    }
    while (game.noted < count) {
        regrets[game.noted++] = NAN;
    }
}

double plain_regret(const plain_setting *setting, uint64_t seed)
{
    double regret;

    plain_regret_curve(setting, seed, &setting->horizon, 1, &regret);
    return regret;
}

double plain_mean_regret(const plain_setting *setting, size_t runs, double *standard_error)
{
    double count = (double)runs, sum = 0, squares = 0, mean;

    for (size_t i = 0; i < runs; i++) {
        double regret = plain_regret(setting, i + 1);

        sum += regret;
        squares += regret * regret;
    }
    mean = sum / count;
    *standard_error = sqrt(fmax(0, squares / count - mean * mean) / (count - 1));
    return mean;
}
