/* test_policy_elimination.c - private elimination at finite epsilon, compared with its formulas.
 *
 * A model in doubles (Sajed 2019, Algorithms 9, 10 and A.2) plays the same rounds; a second source
 * with the same seed predicts the noise. Rewards are chosen so that the noise decides in the first
 * epoch, and both outcomes occur over the seeds.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "policy/policy.h"
#include "support/draw.h"
#include "support/rows.h"
#include "support/test_source.h"

enum { ARMS = 3, SEEDS = 24, UNIT = 1 << 20, EPSILON = 2 };

static const double BETA = 0.8;
static const char *const ids[] = {"dp-se", "dp-se2", "dp-se2-modified"};

static test_source source, twin;

/* The expected behaviour of a policy. */
typedef struct model {
    const char *id;
    bool viable[ARMS];
    double sums[ARMS];
    uint64_t counts[ARMS];
    double epoch, level, threshold_noise;
    size_t releases;
    uint64_t released_at[ARMS]; /* the round, 0: never */
    double released[ARMS];
    uint64_t first_length; /* pulls of an arm in the first epoch */
} model;

static bool is_gated(const model *on)
{
    return strcmp(on->id, "dp-se") != 0;
}

static double viable_count(const model *on)
{
    double count = 0;
    for (size_t i = 0; i < ARMS; i++) {
        count += on->viable[i];
    }
    return count;
}

/* Predicts a noise of scale `parts`/epsilon, as a reward; a reward of 1 is 2^20 units. */
static double foretell(uint64_t parts)
{
    lotor_noise noise = lotor_noise_exact(&twin.source);
    int64_t draw;
    assert_int_equal(draw_noise(&noise, LOTOR_LAW_LAPLACE, parts * UNIT / EPSILON, 1, &draw),
                     LOTOR_OK);
    return (double)draw / (double)UNIT;
}

static double real_pulls(const model *on, double size)
{
    if (is_gated(on)) {
        return exp2(on->level);
    }
    const double e2 = on->epoch * on->epoch, gap = exp2(-on->epoch);
    return fmax(32 * log(8 * size * e2 / BETA) / (gap * gap),
                8 * log(4 * size * e2 / BETA) / ((double)EPSILON * gap)) +
           1;
}

static double cut(const model *on, double size)
{
    const double r = real_pulls(on, size);
    if (is_gated(on)) {
        const double h = sqrt(log(16 * ARMS * size * on->level * on->level / BETA) / (2 * r));
        return 2 * h + 4 * log(4 * ARMS * size / BETA) / ((double)EPSILON * r);
    }
    const double e2 = on->epoch * on->epoch;
    return 2 * sqrt(log(8 * size * e2 / BETA) / (2 * r)) +
           2 * log(4 * size * e2 / BETA) / (r * (double)EPSILON);
}

/* The threshold for the largest gap of the means, without the noises. */
static double gate(const model *on, double size)
{
    const bool modified = strcmp(on->id, "dp-se2-modified") == 0;
    const double r = exp2(on->level), l2 = on->level * on->level;
    const double h = sqrt(log(16 * ARMS * size * l2 / BETA) / (2 * r));
    const double c = (6 * log(4 * ARMS / BETA) + 6 * log(8 * ARMS * l2 / BETA) +
                      (modified ? 4 : 16) * log(4 * ARMS * size / BETA)) /
                     (double)EPSILON;
    return (modified ? 2 : 10) * h + c / r;
}

static bool gate_opens(model *on)
{
    if (on->level == 1) {
        on->threshold_noise = foretell(6);
    }
    const double asked = foretell(6), r = exp2(on->level);
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < ARMS; i++) {
        if (on->viable[i]) {
            least = fmin(least, on->sums[i]);
            most = fmax(most, on->sums[i]);
        }
    }
    const double excess =
        most - least + asked - on->threshold_noise - r * gate(on, viable_count(on));
    assert_true(fabs(excess) > 4.0 / (double)UNIT); /* else rounding could decide */
    return excess > 0;
}

static void release(model *on, uint64_t round)
{
    const double limit = cut(on, viable_count(on));
    double best = -INFINITY;
    for (size_t i = 0; i < ARMS; i++) {
        if (on->viable[i]) {
            on->released[i] = on->sums[i] + foretell(is_gated(on) ? 2 : 1);
            on->released_at[i] = round;
            best = fmax(best, on->released[i] / (double)on->counts[i]);
        }
    }
    if (on->releases++ == 0) {
        on->first_length = on->counts[0];
    }
    for (size_t i = 0; i < ARMS; i++) {
        const double below = best - on->released[i] / (double)on->counts[i];
        on->viable[i] = on->viable[i] && !(below > limit);
        on->sums[i] = 0;
        on->counts[i] = 0;
    }
    on->epoch++;
    on->level = 1;
}

static void model_hears(model *on, uint32_t arm, double reward, uint64_t round)
{
    on->sums[arm] += reward;
    on->counts[arm]++;
    const double size = viable_count(on);
    for (size_t i = 0; i < ARMS; i++) {
        if (on->viable[i] && (double)on->counts[i] < ceil(real_pulls(on, size))) {
            return;
        }
    }
    if (size < 2) {
        return;
    }
    if (!is_gated(on) || gate_opens(on)) {
        release(on, round);
    } else {
        on->level++;
    }
}

/* The viable arm with the fewest pulls in this epoch; among equals, the first. */
static uint32_t model_shows(const model *on)
{
    uint32_t best = ARMS;
    for (uint32_t i = 0; i < ARMS; i++) {
        if (on->viable[i] && (best == ARMS || on->counts[i] < on->counts[best])) {
            best = i;
        }
    }
    return best;
}

static lotor_policy_params params_of(const char *id, uint64_t horizon)
{
    return (lotor_policy_params){
        .algorithm = id,
        .arms = ARMS,
        .horizon = horizon,
        .epsilon = lotor_ratio_of(EPSILON, 1),
        .beta = BETA,
    };
}

static lotor_policy *make(const lotor_policy_params *params, test_source *on)
{
    lotor_policy *policy;
    lotor_message why = {""};
    if (lotor_policy_new_on(params, &on->source, 7, &why, &policy) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return policy;
}

/* Arm 0 pays 1. Arm 1 pays so much less that the first epoch is undecided: at the gate's query at
 * 2^10 (2^8) pulls, or at dp-se's first cut. Arm 2 pays 0.98, and 0 from the second epoch on. */
static double close_call(const model *on, uint32_t arm)
{
    if (arm == 0) {
        return 1.0;
    }
    if (arm == 2) {
        return on->releases == 0 ? 0.98 : 0.0;
    }
    model start = *on;
    start.epoch = 1;
    start.level = strcmp(on->id, "dp-se2") == 0 ? 10 : 8;
    const double gap = is_gated(on) ? gate(&start, ARMS) : cut(&start, ARMS);
    return rint((1.0 - gap) * (double)UNIT + 0.4) / (double)UNIT;
}

static void expect_board(const model *on, const lotor_policy *policy)
{
    for (size_t i = 0; i < ARMS; i++) {
        const lotor_fact *fact = lotor_board_at(policy->board, 0, i);
        assert_int_equal(fact->time, on->released_at[i]);
        if (on->released_at[i] > 0) {
            assert_true(fabs(fact->value - on->released[i]) <= (double)fact->count / (double)UNIT);
        }
    }
    size_t count;
    const uint32_t *viable = lotor_elimination_viable(policy->elimination, &count);
    assert_int_equal(count, (size_t)viable_count(on));
    for (size_t i = 0; i < count; i++) {
        assert_true(on->viable[viable[i]]);
    }
}

/* Plays and compares every round's arm and every release. */
static model follow(const char *id, uint64_t seed, uint64_t horizon)
{
    const lotor_policy_params params = params_of(id, horizon);
    test_source_seed(&source, seed);
    test_source_seed(&twin, seed);
    lotor_policy *policy = make(&params, &source);
    model on = {.id = id, .viable = {true, true, true}, .epoch = 1, .level = 1};
    for (uint64_t t = 1; t <= horizon; t++) {
        lotor_decision decision;
        assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
        const uint32_t arm = model_shows(&on);
        assert_int_equal(decision.arms[0], arm);
        const double reward = close_call(&on, arm);
        const lotor_feedback feedback = {&reward, 1, 0};
        assert_int_equal(lotor_policy_observe(policy, t, &feedback, NULL), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(policy, t, NULL), LOTOR_OK);
        model_hears(&on, arm, reward, t);
        expect_board(&on, policy);
    }
    assert_int_equal(source.refills, twin.refills);
    assert_int_equal(source.window.left, twin.window.left);
    lotor_policy_free(policy);
    return on;
}

/* With 24 seeds, an even chance gives the same outcome every time only once in 8 million. */
TEST(every_round_is_as_worked_out)
{
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        size_t early = 0, finished = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            const model on = follow(ids[i], seed, 12000);
            assert_true(on.releases >= 2);
            finished += viable_count(&on) == 1;
            if (is_gated(&on)) {
                early += on.first_length <= (strcmp(ids[i], "dp-se2") == 0 ? 1024 : 256);
            } else { /* arm 1 fell at the first cut, or at the second with arm 2 */
                early += on.released_at[1] < on.released_at[2];
            }
        }
        assert_int_equal(finished, SEEDS);
        assert_in_range(early, 1, SEEDS - 1);
    }
}

/* Feedback for waves: arm 0 pays nothing, arm 1 stops paying at round 5000 (with dp-se and the
 * modified gate, whose first epoch is shorter, at 2000), arm 2 always pays. */
static lotor_status answer_at(lotor_policy *policy, uint64_t event, uint32_t arm)
{
    const uint64_t stop = strcmp(policy->algorithm->id, "dp-se2") == 0 ? 5000 : 2000;
    const double reward = arm == 2 || (arm == 1 && event < stop) ? 1.0 : 0.0;
    const lotor_feedback feedback = {&reward, 1, 0};
    return lotor_policy_observe(policy, event, &feedback, NULL);
}

static lotor_policy *reload(lotor_policy *policy, test_source *on)
{
    unsigned char *bytes;
    size_t length;
    lotor_policy *loaded;
    assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
    assert_int_equal(lotor_policy_load_on(bytes, length, NULL, &on->source, NULL, &loaded),
                     LOTOR_OK);
    lotor_bytes_free(bytes, length);
    lotor_policy_free(policy);
    return loaded;
}

enum { WAVE = 30 };

/* 30 rounds are opened before the first feedback; every seventh never gets any. */
static void play_wave(lotor_policy *orderly, lotor_policy **messy, uint64_t first, bool saving)
{
    uint32_t arms[WAVE];
    for (uint64_t i = 0; i < WAVE; i++) {
        lotor_decision here, there;
        assert_int_equal(lotor_policy_choose(orderly, NULL, NULL, &here), LOTOR_OK);
        assert_int_equal(lotor_policy_choose(*messy, NULL, NULL, &there), LOTOR_OK);
        assert_int_equal(here.event, first + i);
        assert_int_equal(there.event, first + i);
        assert_int_equal(here.arms[0], there.arms[0]);
        arms[i] = here.arms[0];
    }
    for (uint64_t i = 0; i < WAVE; i++) {
        if ((first + i) % 7 != 0) {
            assert_int_equal(answer_at(orderly, first + i, arms[i]), LOTOR_OK);
        }
        assert_int_equal(lotor_policy_expire(orderly, first + i, NULL), LOTOR_OK);
    }
    for (uint64_t k = 0; k < WAVE; k++) { /* in steps of 7: all 30, unordered, the first late */
        const uint64_t i = (k * 7 + 5) % WAVE;
        if ((first + i) % 7 != 0) {
            assert_int_equal(answer_at(*messy, first + i, arms[i]), LOTOR_OK);
            assert_int_equal(answer_at(*messy, first + i, (arms[i] + 1) % ARMS), LOTOR_DUPLICATE);
        }
        assert_int_equal(lotor_policy_expire(*messy, first + i, NULL), LOTOR_OK);
        assert_int_equal(answer_at(*messy, first + i, arms[i]), LOTOR_LATE);
        if (saving && k % 4 == 0) {
            *messy = reload(*messy, &twin);
        }
    }
    rows_expect_same_state(orderly, *messy);
}

TEST(waves_cross_epoch_ends)
{
    enum { HORIZON = 12000 };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const lotor_policy_params params = params_of(ids[i], HORIZON);
        test_source_seed(&source, 31);
        test_source_seed(&twin, 31);
        lotor_policy *orderly = make(&params, &source), *messy = make(&params, &twin);
        uint64_t last = 0, ends = 0, within = 0;
        for (uint64_t first = 1; first + WAVE - 1 <= HORIZON; first += WAVE) {
            play_wave(orderly, &messy, first, i != 0 || first % 8 == 1);
            const uint64_t time = lotor_board_at(messy->board, 0, 2)->time;
            if (time != last) {
                last = time;
                ends++;
                within += time % WAVE != 0; /* with rounds of the wave still open */
            }
        }
        size_t count;
        const uint32_t *viable = lotor_elimination_viable(messy->elimination, &count);
        assert_int_equal(count, 1);
        assert_int_equal(viable[0], 2);
        assert_true(ends >= 2);
        assert_true(within >= 1);
        lotor_policy_free(orderly);
        lotor_policy_free(messy);
    }
}
