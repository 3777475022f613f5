/* plain.c - sets up a game and hands it to the algorithm's family. */
#include "plain/plain.h"

#include <string.h>

#include "plain/game.h"

typedef struct family {
    const char *algorithm;
    bool (*play)(plain_game *game);
} family;

static const family FAMILIES[] = {
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

void plain_regret_curve(const plain_setting *setting, uint64_t seed, const uint64_t *times,
                        size_t count, double *regrets)
{
    plain_random mixer = {seed}; /* so that neighbouring seeds start far apart */
    plain_game game = {.setting = setting,
                       .random = {plain_word(&mixer)},
                       .beta = setting->beta,
                       .times = times,
                       .count = count,
                       .regrets = regrets};

    if (game.beta == 0) {
        game.beta = 1 / (double)setting->horizon;
    }
    game.unit = (setting->noise_scale == 0 ? 1 : setting->noise_scale) / setting->epsilon;
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
