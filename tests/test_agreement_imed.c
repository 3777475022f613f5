/* test_agreement_imed.c - compares every decision of lik-imed with its plain twin: see
 * support/imed_duel.h. */
#include "support/test.h"

#include <stdlib.h>

#include "support/imed_duel.h"

/* Plays games with these seeds. They must have releases, and rounds of leaders and of others. */
static void compare(duel_setting at, uint64_t seeds)
{
    uint64_t releases = 0, led = 0, explored = 0, early = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        duel game;
        duel_start(&game, &at, seed);
        for (uint64_t t = 1; t <= at.rounds; t++) {
            duel_play(&game, t);
        }
        releases += game.releases;
        led += game.led;
        explored += game.explored;
        early += game.early;
        duel_stop(&game);
    }
    assert_true(releases > 0 && led > 0 && explored > 0);
    if (getenv("LOTOR_SHOW")) {
        print_message(
            "%llu releases, %llu choices of leaders, %llu of others, %llu early closings\n",
            (unsigned long long)releases, (unsigned long long)led, (unsigned long long)explored,
            (unsigned long long)early);
    }
}

static const double spread[DUEL_ARMS] = {0.75, 0.7, 0.65, 0.5, 0.45, 0.4,
                                         0.35, 0.3, 0.25, 0.2, 0.1,  0.05};
static const double near[DUEL_ARMS] = {0.5,  0.48, 0.52, 0.47, 0.53, 0.5,
                                       0.49, 0.51, 0.46, 0.54, 0.5,  0.45};

static duel_setting of_arms(size_t arms, lotor_ratio epsilon, uint64_t rounds)
{
    return (duel_setting){
        .params = {.arms = arms, .epsilon = epsilon}, .means = spread, .rounds = rounds};
}

TEST(finite_arms_agree)
{
    compare(of_arms(5, lotor_ratio_of(1, 1), 1500), 4);
    compare(of_arms(3, lotor_ratio_of(1, 4), 1500), 4);
    compare(of_arms(5, lotor_ratio_of(10, 1), 600), 4);
    compare(of_arms(4, lotor_ratio_of(1, 0), 600), 4);
    duel_setting close = of_arms(4, lotor_ratio_of(2, 1), 1000);
    close.means = near;
    compare(close, 4);
}

TEST(lists_agree)
{
    duel_setting at = of_arms(10, lotor_ratio_of(1, 1), 1500);
    at.params.slots = 3;
    compare(at, 4);
    at.means = near;
    compare(at, 4);
    at.params.epsilon = lotor_ratio_of(1, 0);
    compare(at, 4);
    at.params.epsilon = lotor_ratio_of(1, 2);
    at.params.arms = 6;
    at.params.slots = 5;
    compare(at, 4);
}

TEST(cascades_agree)
{
    duel_setting at = of_arms(8, lotor_ratio_of(2, 1), 1500);
    at.params.slots = 3;
    at.params.cascade = true;
    compare(at, 4);
    at.means = near;
    compare(at, 4);
}

TEST(matroids_agree)
{
    static const uint32_t group[] = {0, 0, 1, 1, 1, 2, 2, 2, 2}, capacity[] = {1, 2, 1};
    static const uint32_t from[] = {0, 0, 1, 1, 2, 3, 4, 0}, to[] = {1, 2, 2, 3, 3, 4, 0, 0};
    static const int64_t vectors[] = {1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1};
    duel_setting at = of_arms(9, lotor_ratio_of(1, 1), 1200);
    at.params.structure = LOTOR_STRUCTURE_PARTITION;
    at.params.group = group;
    at.params.capacity = capacity;
    at.params.groups = 3;
    compare(at, 4);
    at = of_arms(8, lotor_ratio_of(3, 1), 1200); /* the last edge is a loop */
    at.params.structure = LOTOR_STRUCTURE_GRAPHIC;
    at.params.from = from;
    at.params.to = to;
    at.params.vertices = 5;
    compare(at, 4);
    at = of_arms(6, lotor_ratio_of(1, 0), 1200);
    at.params.structure = LOTOR_STRUCTURE_LINEAR;
    at.params.vectors = vectors;
    at.params.dimension = 3;
    compare(at, 4);
}

/* A 3x3 grid of vertices: 12 edges, 6 paths. Usually several edges of a candidate set are new. */
TEST(paths_agree)
{
    static const uint32_t from[] = {0, 1, 3, 4, 6, 7, 0, 1, 2, 3, 4, 5};
    static const uint32_t to[] = {1, 2, 4, 5, 7, 8, 3, 4, 5, 6, 7, 8};
    duel_setting at = of_arms(12, lotor_ratio_of(1, 1), 2000);
    at.params.structure = LOTOR_STRUCTURE_PATH;
    at.params.from = from;
    at.params.to = to;
    at.params.vertices = 9;
    at.params.sink = 8;
    at.has_value = true;
    compare(at, 4);
    at.means = near;
    compare(at, 4);
    at.params.epsilon = lotor_ratio_of(1, 0);
    compare(at, 4);
}

TEST(vertices_agree)
{
    static const uint32_t from[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 3},
                          to[] = {0, 1, 2, 2, 3, 3, 4, 0, 4, 1};
    static const uint32_t tail[] = {0, 0, 1, 3, 3, 4}, head[] = {1, 2, 2, 4, 5, 5};
    duel_setting at = of_arms(10, lotor_ratio_of(2, 1), 1000);
    at.params.structure = LOTOR_STRUCTURE_COVERAGE;
    at.params.from = from;
    at.params.to = to;
    at.params.vertices = 4;
    at.params.seeds = 2;
    at.has_value = true;
    compare(at, 4);
    at = of_arms(6, lotor_ratio_of(2, 1), 600);
    at.params.structure = LOTOR_STRUCTURE_INFLUENCE;
    at.params.from = tail;
    at.params.to = head;
    at.params.vertices = 6;
    at.params.seeds = 1;
    at.has_value = true;
    compare(at, 2);
}

TEST(other_rewards_agree)
{
    duel_setting at = of_arms(5, lotor_ratio_of(1, 1), 1500);
    at.is_graded = true;
    compare(at, 4);
    at.params.low = -1.0;
    at.params.high = 3.0;
    compare(at, 4);
    at.params.epsilon = lotor_ratio_of(1, 0);
    compare(at, 4);
}

TEST(late_rounds_agree)
{
    for (uint64_t delay = 1; delay <= 300; delay *= 6) {
        duel_setting at = of_arms(5, lotor_ratio_of(1, 1), 1500);
        at.delay = delay;
        compare(at, 4);
        at.params.slots = 3;
        compare(at, 4);
        at.params.cascade = true;
        compare(at, 4);
    }
}

/* Half-lives in which nothing, little and most is forgotten; the last has no room for batches of more
 * than b0 displays. */
TEST(half_lives_agree)
{
    static const uint64_t half_lives[] = {5000, 640, 100, 30};
    for (size_t i = 0; i < sizeof half_lives / sizeof *half_lives; i++) {
        duel_setting at = of_arms(5, lotor_ratio_of(1, 1), 500);
        at.params.half_life = half_lives[i];
        compare(at, 4);
        at.delay = 40;
        compare(at, 4);
        at.params.slots = 2;
        compare(at, 4);
        at.params.cascade = true;
        compare(at, 4);
    }
}

TEST(half_lives_of_paths_agree)
{
    static const uint32_t from[] = {0, 1, 3, 4, 6, 7, 0, 1, 2, 3, 4, 5};
    static const uint32_t to[] = {1, 2, 4, 5, 7, 8, 3, 4, 5, 6, 7, 8};
    duel_setting at = of_arms(12, lotor_ratio_of(2, 1), 900);
    at.params.structure = LOTOR_STRUCTURE_PATH;
    at.params.from = from;
    at.params.to = to;
    at.params.vertices = 9;
    at.params.sink = 8;
    at.params.half_life = 200;
    at.has_value = true;
    compare(at, 4);
}

/* Plays games in which each round has a random mask of at least `least` arms. */
static void serve(duel_setting at, size_t least, uint64_t seeds)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        duel game;
        bool eligible[DUEL_ARMS];
        duel_start(&game, &at, seed);
        for (uint64_t t = 1; t <= at.rounds; t++) {
            duel_draw_mask(&game, least, eligible);
            duel_serve(&game, t, eligible);
        }
        assert_true(game.passed == at.rounds && game.led > 0 && game.explored > 0);
        duel_stop(&game);
    }
}

TEST(masked_rounds_agree)
{
    for (uint64_t delay = 0; delay <= 40; delay += 20) {
        duel_setting at = of_arms(5, lotor_ratio_of(1, 1), 500);
        at.delay = delay;
        serve(at, 1, 3);
        at.params.slots = 2;
        serve(at, 2, 3);
        at.params.cascade = true;
        serve(at, 2, 3);
        at.params.half_life = 100;
        serve(at, 2, 3);
    }
}

TEST(masked_matroids_agree)
{
    static const uint32_t group[] = {0, 0, 1, 1, 1, 2}, capacity[] = {1, 2, 1};
    duel_setting at = of_arms(6, lotor_ratio_of(2, 1), 500);
    at.params.structure = LOTOR_STRUCTURE_PARTITION;
    at.params.group = group;
    at.params.capacity = capacity;
    at.params.groups = 3;
    serve(at, 1, 4);
}
