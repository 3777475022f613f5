/* test_play_linear.c - the fast ways to play a linear world (play_lazy.c, play_groups.c) against the
 * obvious one, in which all actions are drawn and every round goes through the public functions.
 *
 * `exact_rounds` asks for the obvious one. The means of the regrets must agree within four standard
 * errors of their difference: with new seeds that would fail once in 16,000 comparisons. After half
 * as many rounds they must not agree.
 */
#include "support/test.h"

#include <math.h>
#include <stdio.h>

#include "policy/catalog.h"
#include "support/agreement.h"

typedef struct setting {
    const char *algorithm;
    size_t dimension, actions;
    double gap, regularizer;
    uint64_t horizon, runs;
    lotor_ratio epsilon;
} setting;

/* Regrets vary most where learning has just begun, so horizons are short. The large regularizers let
 * many actions compete in every round; small ones let few. */
static const setting settings[] = {
    {"linucb", 5, 25, 0.1, 1, 1500, 300, {1, 0}},
    {"linucb", 5, 25, 0.0, 1, 1500, 300, {1, 0}},
    {"linucb", 5, 25, 0.0, 200, 1500, 300, {1, 0}},
    {"linucb", 5, 25, 0.9, 20, 1000, 300, {1, 0}},
    {"linucb", 3, 100, 0.05, 1, 1000, 300, {1, 0}},
    {"linucb", 4, 16, 0.05, 5, 1000, 300, {1, 0}},
    {"linucb", 8, 40, 0.1, 1, 1000, 300, {1, 0}},
    {"linucb", 9, 81, 0.1, 1, 1000, 200, {1, 0}},
    {"linucb", 12, 40, 0.0, 1, 800, 200, {1, 0}},
    {"linucb", 17, 60, 0.7, 1, 500, 100, {1, 0}},
    {"jdp-linucb-gauss", 5, 25, 0.1, 1, 1500, 200, {300, 1}},
    {"jdp-linucb-wishart", 5, 25, 0.0, 1, 1500, 200, {300, 1}},
    {"jdp-linucb-wishart-shifted", 3, 9, 0.1, 1, 1500, 200, {300, 1}},
    {"jdp-linucb", 4, 16, 0.1, 1, 1500, 200, {30, 1}},
};

static estimate play(const setting *at, bool is_obvious)
{
    lotor_linear_world world;
    assert_int_equal(lotor_linear_world_make(at->dimension, at->actions, at->gap, NULL, &world),
                     LOTOR_OK);
    lotor_experiment trial = {.linear = &world,
                              .runs = at->runs,
                              .seed = is_obvious ? 11 : 12,
                              .exact_rounds = is_obvious,
                              .checkpoints = 2,
                              .policy = {.algorithm = at->algorithm,
                                         .arms = at->actions,
                                         .dimension = at->dimension,
                                         .horizon = at->horizon,
                                         .regularizer = at->regularizer,
                                         .epsilon = at->epsilon}};
    if (lotor_algorithms_find(at->algorithm)->delta.num > 0) {
        trial.policy.delta = lotor_ratio_of(1, 10);
    }
    return library_estimate(&trial);
}

TEST(fast_rounds_have_the_regret_of_obvious_rounds)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        char what[100];
        snprintf(what, sizeof what, "%s, setting %zu", settings[i].algorithm, i);
        expect_agreement(what, play(&settings[i], true), play(&settings[i], false));
    }
}

/* The comparisons above are sharp: the regret of half as many rounds is noticed, except where little
 * is lost in the second half. */
TEST(half_as_many_rounds_are_noticed)
{
    size_t noticed = 0;
    for (size_t i = 0; i < 10; i++) { /* without noise */
        setting other = settings[i];
        other.horizon /= 2;
        const estimate expected = play(&settings[i], true), less = play(&other, false);
        noticed += expected.mean - less.mean > 4 * hypot(less.error, expected.error);
    }
    print_message("noticed in %zu settings of 10\n", noticed);
    assert_true(noticed >= 8);
}

/* The numbers of a run depend on its seed alone. */
TEST(the_same_seed_gives_the_same_numbers)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i += 3) {
        setting few = settings[i];
        few.runs = 3;
        const estimate first = play(&few, false), second = play(&few, false);
        assert_true(first.mean == second.mean && first.error == second.error);
    }
}
