/* test_sensitivity_repaired.c - the effect of replacing one round's feedback, and the noise, for
 * the repaired algorithms: by brute force, through whole policies (see test_sensitivity_rounds.c).
 *
 * Laplace noise: two policies with the same noise get feedback that differs in one round. The total
 * difference of their releases is the effect of the round, and the claimed scale must be that
 * divided by epsilon. Then the noise itself is tested: the mean of |Lap(b)| is b, and so is its
 * deviation, so the mean of n draws is within 6/sqrt(n) of b except once in a billion. Randomized
 * response: the reports of a policy are compared with the law that proves epsilon
 * (local/position.md, local/cube.md).
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "policy/policy.h"
#include "support/sensitivity.h"
#include "support/statistics.h"
#include "support/test_source.h"

enum { MOST_SLOTS = 4, MOST_ROUNDS = 320, MOST_ANSWERS = 16 };

static test_source source;

static const struct shape {
    const char *id;
    size_t statistics;      /* numbers that are released for each arm */
    size_t least, most;     /* arms, all of them shown where it can */
    bool tree, adds;        /* nodes of a tree; totals of batches */
    uint64_t rounds, plays; /* of a policy; policies, for the noise */
} shapes[] = {
    {"dp-ucb-tight", 1, 1, 1, true, false, 16, 400},
    {"dp-se-acc", 1, 2, 3, false, true, 160, 400},
    {"cucb-dp-lazy", 1, 1, 3, false, false, 16, 1000},
    {"cascade-dp-lazy", 2, 1, 4, false, false, 16, 1000},
};

static bool is_list(const struct shape *shape)
{
    return shape->statistics == 2;
}

static lotor_policy *make(const char *id, size_t arms, uint64_t horizon)
{
    const bool single = lotor_algorithms_find(id)->problem == LOTOR_PROBLEM_FINITE;
    const lotor_policy_params params = {
        .algorithm = id,
        .arms = arms,
        .slots = single ? 1 : arms,
        .horizon = horizon,
        .epsilon = lotor_ratio_of(1, 2),
    };
    lotor_policy *policy;
    lotor_message why;
    assert_int_equal(lotor_policy_new_on(&params, &source.source, 1, &why, &policy), LOTOR_OK);
    return policy;
}

/* Plays one round. The feedback is the position of a click, 0 for none, or the rewards as bits, by
 * arm number. */
static void play(lotor_policy *policy, bool list, size_t feedback)
{
    lotor_decision decision;
    double told[MOST_SLOTS];
    assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
    const uint64_t event = decision.event;
    for (size_t i = 0; i < decision.asked_count; i++) {
        told[i] = (double)(feedback >> decision.asked[i] & 1);
    }
    const lotor_feedback answered = {
        .rewards = told, .count = list ? 0 : decision.asked_count, .click = list ? feedback : 0};
    assert_int_equal(lotor_policy_observe(policy, event, &answered, NULL), LOTOR_OK);
    assert_int_equal(lotor_policy_expire(policy, event, NULL), LOTOR_OK);
}

/* All releases in order: the board after every round. */
typedef struct trace {
    lotor_fact at[MOST_ROUNDS + 1][2][MOST_SLOTS];
} trace;

static void record(const lotor_policy *policy, const struct shape *shape, uint64_t t, size_t arms,
                   trace *out)
{
    for (size_t s = 0; s < shape->statistics; s++) {
        for (size_t i = 0; i < arms; i++) {
            out->at[t][s][i] = *lotor_board_at(policy->board, s, i);
        }
    }
}

/* The noisy number that round t released, if any: what is new in the output of a tree or a
 * total. */
static bool number_at(const struct shape *shape, const trace *of, uint64_t t, size_t s, size_t arm,
                      double *number)
{
    const lotor_fact *fact = &of->at[t][s][arm], *last = &of->at[t - 1][s][arm];
    if (fact->time == last->time) {
        return false;
    }
    const double before = shape->tree ? of->at[t & (t - 1)][s][arm].value : last->value;
    *number = shape->tree || shape->adds ? fact->value - before : fact->value;
    return true;
}

/* The L1 distance of all noisy numbers of two traces. */
static double distance(const struct shape *shape, const trace *one, const trace *other, size_t arms)
{
    double total = 0.0;
    for (uint64_t t = 1; t <= shape->rounds; t++) {
        for (size_t s = 0; s < shape->statistics; s++) {
            for (size_t i = 0; i < arms; i++) {
                double a = 0.0, b = 0.0;
                assert_int_equal(number_at(shape, one, t, s, i, &a),
                                 number_at(shape, other, t, s, i, &b));
                total += fabs(a - b);
            }
        }
    }
    return total;
}

/* The largest distance over all feedback in round `replaced`; all other rounds have zeros. */
static double farthest(const struct shape *shape, size_t arms, uint64_t replaced)
{
    static trace traces[MOST_ANSWERS];
    const size_t answers = is_list(shape) ? arms + 1 : (size_t)1 << arms;
    memset(traces, 0, sizeof traces);
    for (size_t a = 0; a < answers; a++) {
        test_source_seed(&source, 5);
        lotor_policy *policy = make(shape->id, arms, shape->rounds);
        for (uint64_t t = 1; t <= shape->rounds; t++) {
            play(policy, is_list(shape), t == replaced ? a : 0);
            record(policy, shape, t, arms, &traces[a]);
        }
        lotor_policy_free(policy);
    }
    double most = 0.0;
    for (size_t a = 0; a < answers; a++) {
        for (size_t b = 0; b < a; b++) {
            most = fmax(most, distance(shape, &traces[a], &traces[b], arms));
        }
    }
    return most;
}

/* By hand: a tree of 16 rounds has 5 levels; a reward is in one batch, K of them in K; a click
 * moves K+1 bits, but 1 in a list of one. */
static double by_hand(const struct shape *shape, size_t arms)
{
    if (shape->tree) {
        return 5.0;
    }
    if (shape->adds) {
        return 1.0;
    }
    return is_list(shape) && arms > 1 ? (double)arms + 1.0 : (double)arms;
}

/* The distance is attained at the worst round and never exceeded; the claimed scale is it over
 * epsilon = 1/2. */
static void noise_covers_what_a_round_moves(void **state)
{
    const struct shape *shape = *state;
    for (size_t arms = shape->least; arms <= shape->most; arms++) {
        double moved = 0.0;
        for (uint64_t t = 1; t < shape->rounds; t += shape->adds ? 7 : 1) {
            moved = fmax(moved, farthest(shape, arms, t));
        }
        assert_true(fabs(moved - by_hand(shape, arms)) < 1e-9);
        lotor_policy *policy = make(shape->id, arms, shape->rounds);
        assert_true(fabs(claimed_scale(policy) - moved / 0.5) < 1e-9);
        lotor_policy_free(policy);
    }
}

/* All feedback is zero: the releases are noise, plus the displays of observed items. */
static void the_noise_that_is_there_covers_it(void **state)
{
    const struct shape *shape = *state;
    const size_t arms = shape->most;
    static trace at;
    double sizes = 0.0, numbers = 0.0;
    for (uint64_t p = 0; p < shape->plays; p++) {
        test_source_seed(&source, 600 + p);
        lotor_policy *policy = make(shape->id, arms, shape->rounds);
        memset(&at, 0, sizeof at);
        for (uint64_t t = 1; t <= shape->rounds; t++) {
            play(policy, is_list(shape), 0);
            record(policy, shape, t, arms, &at);
            for (size_t s = 0; s < shape->statistics; s++) {
                for (size_t i = 0; i < arms; i++) {
                    double number;
                    if (number_at(shape, &at, t, s, i, &number)) {
                        sizes += fabs(number - (s == 1 ? (double)at.at[t][s][i].count : 0.0));
                        numbers += 1.0;
                    }
                }
            }
        }
        lotor_policy_free(policy);
    }
    assert_true(numbers > 2000.0);
    const double mean = sizes / numbers, off = 6.0 / sqrt(numbers);
    assert_true(off < 0.15);
    assert_true(fabs(mean * 0.5 / by_hand(shape, arms) - 1.0) < off);
}

/* --- reports ---------------------------------------------------------------------------------- */

enum { SLOTS = 3, REPORTS = 40000 };

static int64_t reports[REPORTS];

typedef struct report_law {
    size_t truth; /* a position from 1, or a corner */
    double epsilon;
} report_law;

/* P(position) of K = 3: e^epsilon to 1. */
static double place_mass(int64_t place, const void *law)
{
    const report_law *at = law;
    const double total = exp(at->epsilon) + (double)SLOTS;
    return place < 1 || place > SLOTS + 1 ? 0.0
           : place == (int64_t)at->truth  ? exp(at->epsilon) / total
                                          : 1.0 / total;
}

/* P(corner) of K = 3, tau = 2: of 8 corners 4 agree in two places or more. */
static double corner_mass(int64_t corner, const void *law)
{
    const report_law *at = law;
    if (corner < 0 || corner > 7) {
        return 0.0;
    }
    const int agreeing = SLOTS - __builtin_popcount((unsigned)corner ^ (unsigned)at->truth);
    return (agreeing >= 2 ? exp(at->epsilon) : 1.0) / (4.0 * exp(at->epsilon) + 4.0);
}

/* The law at epsilon = 1/2, and not one that is a fifth off in either direction (test_local.c has
 * more draws, and a tenth). */
static void expect_law(mass_function *mass, size_t truth)
{
    const report_law at = {truth, 0.5}, less = {truth, 0.4}, more = {truth, 0.6};
    assert_true(chi_square_test(reports, REPORTS, mass, &at) > P_ACCEPT);
    assert_true(chi_square_test(reports, REPORTS, mass, &less) < P_ACCEPT);
    assert_true(chi_square_test(reports, REPORTS, mass, &more) < P_ACCEPT);
}

/* Plays 40,000 rounds, with one click after another. The board shows the report: the item whose
 * clicks grew was at the reported position. The count of every shown item grows, whatever the
 * click. In the end, clicks and observations are right on average. An estimate has deviation
 * 1/(2(p-q)) at most, which is 3.58 here, so six deviations of the sum are 4,300. */
TEST(a_click_report_is_epsilon_private)
{
    for (size_t place = 1; place <= SLOTS + 1; place++) {
        test_source_seed(&source, 70 + place);
        lotor_policy *policy = make("cascade-ldp-rr", SLOTS, 0);
        double clicked[SLOTS] = {0.0}, observed[SLOTS] = {0.0};
        for (size_t t = 0; t < REPORTS; t++) {
            double before[SLOTS];
            lotor_decision decision;
            uint32_t list[SLOTS];
            assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
            memcpy(list, decision.arms, sizeof list);
            for (size_t i = 0; i < SLOTS; i++) {
                before[i] = lotor_board_at(policy->board, 0, i)->value;
            }
            const lotor_feedback feedback = {.click = place % (SLOTS + 1)};
            const uint64_t event = decision.event;
            assert_int_equal(lotor_policy_observe(policy, event, &feedback, NULL), LOTOR_OK);
            assert_int_equal(lotor_policy_expire(policy, event, NULL), LOTOR_OK);
            reports[t] = SLOTS + 1;
            for (size_t i = 0; i < SLOTS; i++) {
                const lotor_fact *fact = lotor_board_at(policy->board, 0, list[i]);
                assert_int_equal(fact->count, t + 1);
                reports[t] = fact->value > before[list[i]] ? (int64_t)i + 1 : reports[t];
                clicked[list[i]] += place == i + 1;
                observed[list[i]] += place >= i + 1;
            }
        }
        for (size_t i = 0; i < SLOTS; i++) {
            assert_true(fabs(lotor_board_at(policy->board, 0, i)->value - clicked[i]) < 4300.0);
            assert_true(fabs(lotor_board_at(policy->board, 1, i)->value - observed[i]) < 4300.0);
        }
        expect_law(place_mass, place);
        lotor_policy_free(policy);
    }
}

/* The same for rewards: each arm's sum moves by (1 + B)/2 or (1 - B)/2. */
TEST(a_cube_report_is_epsilon_private)
{
    for (size_t truth = 0; truth < 8; truth++) {
        test_source_seed(&source, 80 + truth);
        lotor_policy *policy = make("cucb-ldp-box", SLOTS, 0);
        double before[SLOTS] = {0.0};
        for (size_t t = 0; t < REPORTS; t++) {
            play(policy, false, truth);
            reports[t] = 0;
            for (size_t i = 0; i < SLOTS; i++) {
                const double now = lotor_board_at(policy->board, 0, i)->value;
                reports[t] |= (int64_t)(now > before[i]) << i;
                before[i] = now;
            }
        }
        expect_law(corner_mass, truth);
        lotor_policy_free(policy);
    }
}

OF(dp_ucb_tight, 0);
OF(dp_se_acc, 1);
OF(cucb_dp_lazy, 2);
OF(cascade_dp_lazy, 3);
