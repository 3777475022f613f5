/* test_index.c - the index learner picks the arms with the largest indices, with all its shortcuts.
 *
 * It is compared with a naive implementation that computes all indices in every round, in long
 * double, and compares them pair by pair. Two indices that differ by less than rounding (1e-13 of
 * their size) may be in either order, unless they are equal by construction (no release yet, the
 * same fact, both capped): then the tie-break decides.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/laws.h"
#include "learn/index.h"
#include "policy/catalog.h"
#include "privacy/release/statistic.h"
#include "support/statistics.h"

enum { MOST_ARMS = 12, MOST_SLOTS = 6, ROUNDS = 3000, UNIT = 1 << 20 };

/* The kind of feedback of a round. */
typedef enum hearing { ALL_SLOTS, FIRST_CLICK, ONE_SLOT } hearing;

typedef struct scene {
    lotor_index_setup setup;
    size_t arms, slots;
    hearing heard;
    uint64_t seed;
    lotor_index_learner *learner;
    lotor_statistic *statistic;
    lotor_oracle *oracle;
    lotor_board *board;
    lotor_generator generator;
    lotor_noise noise;
    uint64_t shown[MOST_ARMS];
    double means[MOST_ARMS];
    uint64_t clock;
    uint64_t compared, unclear; /* pairs, and pairs whose order rounding could change */
} scene;

/* --- naively ---------------------------------------------------------------------------------- */

static uint64_t naive_tie(const scene *at, uint64_t t, size_t arm)
{
    uint64_t z = at->seed + t * UINT64_C(0x9e3779b97f4a7c15) + arm * UINT64_C(0xd1b54a32d192ed03);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    if (lotor_board_at(at->board, 0, arm)->count > 0 || at->setup.clip) {
        return z;
    }
    return (0xffff - (at->shown[arm] < 0xffff ? at->shown[arm] : 0xffff)) << 48 | z >> 16;
}

static long double naive_index(const scene *at, uint64_t t, size_t arm)
{
    const lotor_fact *fact = lotor_board_at(at->board, 0, arm);
    long double index = INFINITY;
    if (fact->count > 0) {
        const lotor_widths widths = at->setup.rule->widths(&at->setup.params, (double)t);
        const long double n = (long double)fact->count;
        const long double width = (long double)at->setup.high - (long double)at->setup.low;
        const lotor_index_rule *rule = at->setup.rule;
        const unsigned digits = (unsigned)__builtin_popcountll(fact->count);
        const double lift = rule->lift ? rule->lift(&at->setup.params, digits) : 0.0;
        index = (long double)fact->value / n +
                width * ((long double)widths.root / sqrtl(n) +
                         ((long double)widths.linear + (long double)lift) / n);
        if (rule->weigh) { /* lists, in [0,1]: the formulas themselves are in test_rules.c */
            index = (long double)rule->weigh(widths, at->board, arm);
        }
    }
    return at->setup.clip ? fminl(index, (long double)at->setup.high) : index;
}

/* True if `one` must come before `other`. */
static bool must_precede(scene *at, uint64_t t, size_t one, size_t other)
{
    const long double index = naive_index(at, t, one), rival = naive_index(at, t, other);
    const lotor_fact *fact = lotor_board_at(at->board, 0, one);
    const lotor_fact *facing = lotor_board_at(at->board, 0, other);
    const bool same =
        fact->count == facing->count && fact->value == facing->value &&
        lotor_board_at(at->board, 1, one)->value == lotor_board_at(at->board, 1, other)->value;
    const bool capped = at->setup.clip && index == rival && index == (long double)at->setup.high;
    at->compared++;
    if ((isinf(index) && isinf(rival)) || same || capped) {
        return naive_tie(at, t, one) > naive_tie(at, t, other);
    }
    if (isinf(index) || isinf(rival)) {
        return isinf(index);
    }
    const long double rounding = 1e-13L * (1.0L + fabsl(index) + fabsl(rival));
    at->unclear += fabsl(index - rival) <= rounding;
    return index > rival + rounding;
}

static void check_pick(scene *at, uint64_t t, const uint32_t *picked, size_t count)
{
    bool inside[MOST_ARMS] = {false};
    assert_int_equal(count, at->slots);
    for (size_t i = 0; i < count; i++) {
        assert_true(picked[i] < at->arms && !inside[picked[i]]);
        inside[picked[i]] = true;
        if (i > 0) {
            assert_true(at->setup.ranked ? !must_precede(at, t, picked[i], picked[i - 1])
                                         : picked[i - 1] < picked[i]);
        }
    }
    for (size_t arm = 0; arm < at->arms; arm++) {
        for (size_t i = 0; i < count && !inside[arm]; i++) {
            assert_false(must_precede(at, t, arm, picked[i]));
        }
    }
}

/* --- a learner on a real statistic ------------------------------------------------------------ */

static uint64_t room(const void *context, size_t arm)
{
    return lotor_statistic_room(context, arm);
}

static void scene_make(scene *made, const lotor_index_rule *rule, const lotor_statistic_kind *kind,
                       double epsilon, size_t arms, size_t slots)
{
    const double low = made->setup.low, high = made->setup.high;
    lotor_release_params params = {
        .dimension = 1,
        .horizon = 4 * ROUNDS,
        .delta = lotor_ratio_of(1, 1000),
        .l1 = slots * UNIT,
        .l2 = slots * UNIT,
        .magnitude = 4 * UNIT,
        .slots = slots,
        .least = (int64_t)(low * (double)UNIT),
        .width = (int64_t)((high - low) * (double)UNIT),
    };
    assert_int_equal(lotor_ratio_from_double(epsilon, NULL, &params.epsilon), LOTOR_OK);
    assert_int_equal(lotor_statistic_new(kind, arms, &params, 0x1p-20, NULL, &made->statistic),
                     LOTOR_OK);
    assert_int_equal(lotor_oracle_top(arms, slots, NULL, &made->oracle), LOTOR_OK);
    assert_int_equal(lotor_board_new(2, arms, &made->board), LOTOR_OK);
    made->arms = arms;
    made->slots = slots;
    made->setup.rule = rule;
    made->setup.params = (lotor_rule_params){
        .arms = (double)arms,
        .slots = (double)slots,
        .horizon = ROUNDS,
        .log_horizon = log(ROUNDS),
        .epsilon = epsilon,
        .nominal_epsilon = epsilon,
        .delta = 1e-3,
        .beta = 1e-3,
        .spread = lotor_statistic_spread(made->statistic),
    };
    made->setup.oracle = made->oracle;
    made->setup.at_once = kind->is_at_once;
    assert_int_equal(lotor_index_new(&made->setup, &made->learner), LOTOR_OK);
    lotor_generator_seed(&made->generator, made->seed);
    made->noise = lotor_noise_simulated(&made->generator);
    for (size_t i = 0; i < arms; i++) {
        made->means[i] = low + (high - low) * (0.2 + 0.6 * (double)i / (double)arms);
    }
}

static void scene_free(scene *made)
{
    lotor_index_free(made->learner);
    lotor_statistic_free(made->statistic);
    lotor_oracle_free(made->oracle);
    lotor_board_free(made->board);
}

static uint64_t below(scene *at, uint64_t count)
{
    return (lotor_generator_word(&at->generator) >> 32) * count >> 32;
}

/* Draws a reward of low or high, in units. */
static int64_t pay(scene *at, size_t arm)
{
    const double chance = (at->means[arm] - at->setup.low) / (at->setup.high - at->setup.low);
    const bool up = (double)below(at, UNIT) < chance * (double)UNIT;
    return (int64_t)((up ? at->setup.high : at->setup.low) * (double)UNIT);
}

static void feed(scene *at, const uint32_t *arms, size_t count)
{
    int64_t values[MOST_SLOTS];
    for (size_t i = 0; i < count; i++) {
        values[i] = pay(at, arms[i]);
    }
    assert_int_equal(lotor_statistic_feed_round(at->statistic, arms, values, count, ++at->clock,
                                                &at->noise, at->board),
                     LOTOR_OK);
}

/* Shows the picked arms and feeds their rewards. */
static void play(scene *at, const uint32_t *picked)
{
    for (size_t i = 0; i < at->slots; i++) {
        at->shown[picked[i]]++;
    }
    switch (at->heard) {
    case ALL_SLOTS:
        feed(at, picked, at->slots);
        break;
    case FIRST_CLICK:
        feed(at, picked, 1 + below(at, at->slots));
        break;
    case ONE_SLOT:
        feed(at, picked + below(at, at->slots), 1);
        break;
    }
}

static size_t ask(scene *at, uint64_t t, const uint32_t **picked, uint64_t *hold)
{
    return lotor_index_choose(at->learner, at->board, at->shown, t, at->seed, room, at->statistic,
                              picked, hold);
}

/* Asks in every round. Sometimes a round has no feedback yet, an arm that was not picked has a
 * release (an earlier round ended), or the same pick is requested twice. */
static void play_and_check(scene *at)
{
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        const uint32_t *picked;
        uint64_t hold;
        const size_t count = ask(at, t, &picked, &hold);
        check_pick(at, t, picked, count);
        const uint64_t chance = below(at, 32);
        if (chance == 0) {
            uint32_t before[MOST_SLOTS];
            memcpy(before, picked, count * sizeof *before);
            assert_int_equal(ask(at, t, &picked, &hold), count);
            assert_memory_equal(before, picked, count * sizeof *before);
        }
        if (chance == 1) {
            continue;
        }
        play(at, picked);
        if (chance == 2) {
            const uint32_t late = (uint32_t)below(at, at->arms);
            feed(at, &late, 1);
        }
    }
}

/* Asks only when a pick no longer holds, as the lab does (policy/skip.c). Returns the rounds
 * saved. */
static uint64_t ride_and_check(scene *at)
{
    const lotor_index_window *window = lotor_index_window_of(at->learner);
    uint64_t saved = 0, t = 1;
    while (t <= ROUNDS) {
        const uint32_t *picked;
        uint64_t hold;
        const size_t count = ask(at, t, &picked, &hold);
        check_pick(at, t, picked, count);
        play(at, picked);
        for (t++; t <= ROUNDS && lotor_index_stays(window, at->board, t); t++) {
            if (at->setup.ranked) {
                lotor_index_rank_again(at->learner, at->board, at->shown, t, at->seed);
            }
            check_pick(at, t, picked, count);
            play(at, picked);
            saved++;
        }
    }
    return saved;
}

typedef struct totals {
    uint64_t compared, unclear, saved, scenes;
} totals;

static void run(const scene *like, const lotor_index_rule *rule, const lotor_statistic_kind *kind,
                double epsilon, size_t arms, size_t slots, totals *all)
{
    for (int running_ahead = 0; running_ahead <= 1; running_ahead++) {
        static scene made;
        made = *like;
        scene_make(&made, rule, kind, epsilon, arms, slots);
        if (running_ahead) {
            all->saved += ride_and_check(&made);
        } else {
            play_and_check(&made);
        }
        all->compared += made.compared;
        all->unclear += made.unclear;
        all->scenes++;
        scene_free(&made);
    }
}

/* Every rule of the catalog on its own statistic, K = 1..6 of up to 12 arms. */
TEST(picks_are_the_largest_indices)
{
    static const double epsilons[] = {0.5, 50.0, INFINITY};
    totals all = {0};
    for (size_t a = 0; a < lotor_algorithms_size; a++) {
        const lotor_algorithm *algorithm = &lotor_algorithms[a];
        if (!algorithm->index || algorithm->index->sampling != LOTOR_SAMPLING_NONE) {
            continue;
        }
        const bool lists = algorithm->statistic->hears_lists; /* clicks are 0 or 1 */
        for (size_t slots = 1; slots <= MOST_SLOTS; slots++) {
            const scene like = {
                .setup = {.low = slots % 2 || lists ? 0.0 : -1.0,
                          .high = slots % 3 || lists ? 1.0 : 2.0,
                          .ranked = algorithm->problem != LOTOR_PROBLEM_SEMIBANDIT},
                .heard = lists                                             ? ALL_SLOTS
                         : algorithm->problem == LOTOR_PROBLEM_CASCADE     ? FIRST_CLICK
                         : strcmp(algorithm->feedback, "least-shown") == 0 ? ONE_SLOT
                                                                           : ALL_SLOTS,
                .seed = 100 * a + slots,
            };
            const size_t arms = slots + 1 + (a + slots) % (MOST_ARMS - MOST_SLOTS);
            run(&like, algorithm->index, algorithm->statistic, epsilons[(a + slots) % 3], arms,
                slots, &all);
        }
    }
    assert_true(all.scenes > 100);
    assert_true(all.saved > all.scenes / 2 * ROUNDS / 10); /* windows are really used */
    assert_true(all.unclear < all.compared / 100);
}

/* Indices capped at the upper end of the range make many ties. Also: all arms shown, or one of
 * one. */
TEST(picks_are_right_when_capped_and_at_the_edges)
{
    totals all = {0};
    for (size_t slots = 1; slots <= MOST_SLOTS; slots++) {
        for (int ranked = 0; ranked <= 1; ranked++) {
            const scene capped = {.setup = {.high = 1.0, .ranked = ranked, .clip = true},
                                  .seed = 7 + slots};
            run(&capped, &lotor_rule_cucb, &lotor_statistic_exact, INFINITY, 12, slots, &all);
            run(&capped, &lotor_rule_cucb_ldp1, &lotor_statistic_reports, 2.0, 9, slots, &all);
            run(&capped, &lotor_rule_dpucb_mat, &lotor_statistic_doubling, 50.0, 9, slots, &all);
            const scene full = {.setup = {.high = 1.0, .ranked = ranked}, .seed = 8 + slots};
            run(&full, &lotor_rule_cucb, &lotor_statistic_exact, INFINITY, slots, slots, &all);
        }
    }
    assert_int_equal(all.saved, 0); /* no windows here */
}

/* Boards with random facts, some arms without any; new learners, with and without the window. */
TEST(picks_on_random_boards)
{
    for (uint64_t trial = 0; trial < 20000; trial++) {
        static scene made;
        made = (scene){.setup = {.high = 1.0, .ranked = trial % 2, .clip = trial % 5 == 0},
                       .seed = trial};
        const size_t slots = 1 + trial % MOST_SLOTS, arms = slots + trial / 7 % 7;
        const lotor_statistic_kind *kind =
            trial % 3 ? &lotor_statistic_exact : &lotor_statistic_doubling;
        scene_make(&made, trial % 4 ? &lotor_rule_cucb : &lotor_rule_dpucb_mat, kind, 1.0, arms,
                   slots);
        for (uint32_t i = 0; i < arms; i++) {
            made.shown[i] = below(&made, 4);
            if (below(&made, 8) == 0) {
                continue;
            }
            const uint64_t n = UINT64_C(1) << below(&made, 20), scale = below(&made, 3);
            const double value = (double)below(&made, scale ? n + 1 : 4) * (scale > 1 ? -0.5 : 1.0);
            assert_int_equal(lotor_board_post(made.board, 0, i, (lotor_fact){value, n, 1 + i}),
                             LOTOR_OK);
        }
        const uint64_t t = 1 + below(&made, UINT64_C(1) << (1 + below(&made, 30)));
        const uint32_t *picked;
        uint64_t hold;
        const size_t count = ask(&made, t, &picked, &hold);
        check_pick(&made, t, picked, count);
        scene_free(&made);
    }
}

/* While a pick holds and nothing is released, asking again in every round gives the same pick. No
 * arm is shown more often than its batch has room for. */
TEST(a_pick_holds_as_long_as_it_says)
{
    uint64_t held = 0, asked = 0;
    for (size_t slots = 1; slots <= MOST_SLOTS; slots++) {
        static scene made;
        made = (scene){.setup = {.high = 1.0, .ranked = true}, .seed = 40 + slots};
        scene_make(&made, &lotor_rule_dpucb_mat, &lotor_statistic_doubling, 20.0, 10, slots);
        for (uint64_t t = 1; t <= ROUNDS;) {
            const uint32_t *picked;
            uint64_t hold, largest = UINT64_MAX;
            const size_t count = ask(&made, t, &picked, &hold);
            for (uint64_t later = 0; later < hold; later++) {
                check_pick(&made, t + later, picked, count);
            }
            int64_t sums[MOST_SLOTS] = {0};
            for (size_t i = 0; i < count; i++) {
                const uint64_t left = lotor_statistic_room(made.statistic, picked[i]);
                largest = left < largest ? left : largest;
                for (uint64_t later = 0; later < hold; later++) {
                    sums[i] += pay(&made, picked[i]);
                }
            }
            assert_in_range(hold, 1, largest);
            made.clock += hold;
            for (size_t i = 0; i < count; i++) {
                made.shown[picked[i]] += hold;
                assert_int_equal(lotor_statistic_feed(made.statistic, picked[i], sums[i], hold,
                                                      made.clock, &made.noise, made.board),
                                 LOTOR_OK);
            }
            t += hold;
            held += hold;
            asked++;
        }
        scene_free(&made);
    }
    assert_true(held > 3 * asked);
}

/* --- Thompson sampling ------------------------------------------------------------------------ */

/* How often arm 0 of two is picked, over 100,000 seeds. */
static double share_of_first(const lotor_index_rule *rule, const lotor_fact *facts, double epsilon)
{
    enum { TRIALS = 100000 };
    static scene made;
    made = (scene){.setup = {.high = 1.0, .ranked = true}, .seed = 1};
    scene_make(&made, rule, &lotor_statistic_doubling, epsilon, 2, 1);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(lotor_board_post(made.board, 0, i, facts[i]), LOTOR_OK);
    }
    size_t first = 0;
    for (made.seed = 1; made.seed <= TRIALS; made.seed++) {
        const uint32_t *picked;
        uint64_t hold;
        assert_int_equal(ask(&made, 10, &picked, &hold), 1);
        const uint32_t once = picked[0];
        assert_int_equal(hold, 1);
        assert_int_equal(ask(&made, 10, &picked, &hold), 1);
        assert_int_equal(picked[0], once); /* a function of (seed, t) */
        first += once == 0;
    }
    scene_free(&made);
    return (double)first / (double)TRIALS;
}

/* By hand. N(0.75, 1/4) against N(0.5, 1/4): P = Phi(0.25/sqrt(1/2)) = 0.638163. Counts 4 and 16,
 * with 3 log(10)/epsilon of linear/n: at epsilon = 6.907755 the shifts are 1/4 and 1/16, and
 * N(0.75, 1/4) faces N(0.5625, 1/16): Phi(0.1875/sqrt(5/16)) = 0.631342. Beta(2,1) beats Beta(1,2)
 * with 5/6. A share of 100,000 has deviation 0.0016: six are 0.0095. */
TEST(samples_have_their_laws)
{
    const lotor_fact even[] = {{3.0, 4, 1}, {2.0, 4, 1}}, uneven[] = {{2.0, 4, 1}, {8.0, 16, 1}};
    const lotor_fact bits[] = {{1.0, 1, 1}, {0.0, 1, 1}};
    assert_true(fabs(share_of_first(&lotor_rule_cts, even, INFINITY) - 0.638163) < 0.0095);
    assert_true(fabs(share_of_first(&lotor_rule_dpts_mat, uneven, 6.907755) - 0.631342) < 0.0095);
    assert_true(fabs(share_of_first(&lotor_rule_cts_beta, bits, INFINITY) - 5.0 / 6.0) < 0.0095);
}
