/* imed_duel.c - see imed_duel.h. */
#include "support/imed_duel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policy/serving.h"
#include "support/cmocka_all.h"

/* --- parts of the library that the twin uses --------------------------------------------------- */

/* As in learn/imed.c. */
static uint64_t tie_of(const duel *game, size_t arm)
{
    return lotor_mix((game->policy->seed ^ UINT64_C(0x696d65642d746965)) +
                     game->releases * UINT64_C(0x9e3779b97f4a7c15) +
                     (arm + 1) * UINT64_C(0xd1b54a32d192ed03));
}

/* Arms that are paused come last, behind eligible arms without a release. */
static size_t pick(const plain_imed *imed, const double *weights, size_t *set)
{
    const duel *game = imed->context;
    const lotor_oracle *oracle = game->policy->oracle;
    uint64_t tie[DUEL_ARMS];
    uint32_t order[DUEL_ARMS], picked[DUEL_ARMS];
    double above[DUEL_ARMS];
    bool is_masked = false;
    for (size_t i = 0; i < imed->arms; i++) {
        is_masked = is_masked || imed->arm[i].is_paused;
    }
    for (size_t i = 0; i < imed->arms; i++) {
        tie[i] = tie_of(game, i);
        above[i] = is_masked && !imed->arm[i].is_paused ? fmax(weights[i], -1.0) : weights[i];
        above[i] = imed->arm[i].is_paused ? -INFINITY : above[i];
    }
    lotor_oracle_order(imed->arms, above, tie, order);
    const size_t found = oracle->pick(oracle, above, order, game->work, picked);
    size_t count = 0;
    for (size_t i = 0; i < found; i++) {
        if (!imed->arm[picked[i]].is_paused) {
            set[count++] = picked[i];
        }
    }
    return count;
}

static double value(const plain_imed *imed, const double *weights, const size_t *set, size_t count)
{
    const duel *game = imed->context;
    uint32_t picked[DUEL_ARMS];
    for (size_t i = 0; i < count; i++) {
        picked[i] = (uint32_t)set[i];
    }
    return lotor_oracle_value(game->policy->oracle, weights, picked, count, game->work);
}

static size_t at_random(const plain_imed *imed, const size_t *among, size_t count)
{
    const duel *game = imed->context;
    const uint64_t word = lotor_mix(tie_of(game, imed->arms));
    return among[imed->arm[among[0]].open > 0.0 ? 0 : (size_t)((word >> 32) * count >> 32)];
}

static double mean_of(const plain_imed_arm *arm)
{
    double sum = 0.0;
    for (size_t i = 0; i < arm->count; i++) {
        sum += plain_imed_weight(arm->batches[i]) * arm->batches[i].sum;
    }
    return sum / plain_imed_released(arm);
}

/* The library's estimate, after a check: the deviation of an estimate is itself estimated, from the
 * mean of the sums or from the most likely mean. */
static double estimate(const plain_imed *imed, size_t arm)
{
    duel *game = imed->context;
    const lotor_policy_params *params = &game->policy->params;
    const double found =
        (lotor_imed_estimate(game->policy->imed, arm) - params->low) / (params->high - params->low);
    if (game->fitted[arm] == imed->arm[arm].count) {
        return found; /* it was checked */
    }
    game->fitted[arm] = imed->arm[arm].count;
    const double most = plain_imed_maximum(imed, arm);
    const double deviation = fmax(plain_imed_deviation(imed, arm, most),
                                  plain_imed_deviation(imed, arm, mean_of(&imed->arm[arm])));
    if (!(fabs(found - most) <= 0.021 * deviation)) {
        fail_msg("arm %zu: estimate %.12g, most likely %.12g", arm, found, most);
    }
    return found;
}

/* --- one game ---------------------------------------------------------------------------------- */

static void expect_same(const duel *game, const plain_imed_plan *plan,
                        const lotor_decision *decision)
{
    size_t common = 0;
    for (size_t i = 0; i < plan->count; i++) {
        for (size_t j = 0; j < decision->count; j++) {
            common += plan->set[i] == decision->arms[j];
        }
    }
    if (decision->asked[0] != plan->recorded || common != plan->count ||
        decision->count != plan->count) {
        fail_msg("seed %llu, %llu rounds before: %zu common arms of %zu and %zu; recorded %u, not "
                 "%zu",
                 (unsigned long long)game->policy->seed,
                 (unsigned long long)game->policy->asked - 1, common, decision->count, plan->count,
                 decision->asked[0], plan->recorded);
    }
    if (game->policy->params.cascade) {
        assert_int_equal(decision->arms[0], plan->recorded);
    }
}

/* The twin chooses again. A batch that is already full closes at once, says the specification; the
 * library closes it with its next display. */
static plain_imed_plan plan_anew(duel *game, const lotor_decision *decision, uint64_t t)
{
    const uint64_t ended = t - 1 > game->at->delay ? t - 1 - game->at->delay : 0;
    game->twin.favourite = decision->asked[0];
    game->twin.now = (double)(ended + 1);
    plain_imed_plan plan = plain_imed_choose(&game->twin, (double)t);
    assert_true(plan.count > 0);
    if (plan.hold == 0.0) {
        plan.hold = 1.0;
        plan.size = game->twin.arm[plan.recorded].open + 1.0;
        game->early++;
    }
    game->led += plan.is_leader;
    game->explored += !plan.is_leader;
    return plan;
}

/* Counts a display, and closes the batch if it is full. This ends a list that is held for the same
 * arm. */
static void count_display(duel *game, const plain_imed_plan *plan)
{
    const size_t e = plan->recorded;
    plain_imed_arm *arm = &game->twin.arm[e];
    const bool is_held = game->left > 0.0 && game->plan.recorded == e;
    arm->open++;
    game->left -= is_held;
    if (arm->open >= plan->size) {
        assert_true(game->closed[e] < DUEL_CLOSED);
        game->size[e][game->closed[e]++] = (uint64_t)arm->open;
        arm->pend += arm->open;
        arm->open = 0.0;
        assert_true(plan != &game->plan || game->left == 0.0); /* a hold ends with its batch */
        game->left = is_held ? 0.0 : game->left;
    }
}

/* A round of the arm is final. If it was the last of a closed batch, the batch must be on the board;
 * its noisy sum is the twin's next release. */
static void count_final(duel *game, size_t e)
{
    plain_imed_arm *arm = &game->twin.arm[e];
    const lotor_policy_params *params = &game->policy->params;
    game->final[e]++;
    if (game->closed[e] == 0 || game->final[e] < game->size[e][0]) {
        assert_int_equal(lotor_board_posts(game->policy->board), game->releases);
        return;
    }
    const lotor_fact *fact = lotor_board_at(game->policy->board, arm->count, e);
    assert_int_equal(lotor_board_posts(game->policy->board), ++game->releases);
    assert_int_equal(fact->count, game->size[e][0]);
    assert_true(fact->time > 0 && arm->count < PLAIN_IMED_BATCHES);
    const double n = (double)fact->count;
    arm->batches[arm->count++] =
        (plain_imed_batch){.n = n,
                           .sum = (fact->value - n * params->low) / (params->high - params->low),
                           .time = (double)fact->time};
    arm->pend -= n;
    game->final[e] = 0;
    game->left = 0.0; /* every release makes the choice again */
    memmove(game->size[e], game->size[e] + 1, --game->closed[e] * sizeof game->size[e][0]);
}

static double draw_reward(duel *game, size_t arm)
{
    const lotor_policy_params *params = &game->policy->params;
    const double mean = game->at->means[arm], share = plain_uniform(&game->random);
    const double reward = game->at->is_graded ? fmin(1.0, 2.0 * mean * share) : share < mean;
    return params->low + reward * (params->high - params->low);
}

/* The plan that the twin shows in a round. */
static const plain_imed_plan *find_plan(duel *game, const lotor_decision *decision, uint64_t t,
                                        const bool *eligible)
{
    bool may_hold = game->left > 0.0;
    for (size_t i = 0; i < game->plan.count && eligible && may_hold; i++) {
        may_hold = eligible[game->plan.set[i]];
    }
    for (size_t i = 0; i < game->twin.arms; i++) {
        game->twin.arm[i].is_paused = eligible && !eligible[i];
    }
    if (!may_hold && eligible) {
        game->passing = plan_anew(game, decision, t);
        game->passed++;
        return &game->passing;
    }
    if (!may_hold) {
        game->plan = plan_anew(game, decision, t);
        game->left = game->plan.hold;
    }
    return &game->plan;
}

static void keep_round(duel *game, const lotor_decision *decision, uint64_t t)
{
    duel_round *round = &game->rounds[t];
    round->count = decision->count;
    round->recorded = decision->asked[0];
    memcpy(round->arms, decision->arms, decision->count * sizeof *round->arms);
    round->reward = draw_reward(game, round->recorded);
}

/* In a cascade, the recorded arm is first. */
static lotor_feedback feedback_of(const duel *game, const duel_round *round)
{
    if (game->policy->params.cascade) {
        return (lotor_feedback){NULL, 0, round->reward > 0.0};
    }
    return (lotor_feedback){&round->reward, 1, 0};
}

void duel_play(duel *game, uint64_t t)
{
    lotor_decision decision;
    lotor_message why;
    assert_int_equal(lotor_policy_choose(game->policy, NULL, &why, &decision), LOTOR_OK);
    const plain_imed_plan *plan = find_plan(game, &decision, t, NULL);
    expect_same(game, plan, &decision);
    /* with open rounds, a release can come at any time */
    assert_true((double)decision.hold == (t > 1 && game->at->delay > 0 ? 1.0 : game->left));
    keep_round(game, &decision, t);
    const lotor_feedback feedback = feedback_of(game, &game->rounds[t]);
    assert_int_equal(lotor_policy_observe(game->policy, t, &feedback, &why), LOTOR_OK);
    count_display(game, plan);
    if (t > game->at->delay) {
        assert_int_equal(lotor_policy_expire(game->policy, t - game->at->delay, &why), LOTOR_OK);
        count_final(game, game->rounds[t - game->at->delay].recorded);
    }
}

static void enter_round(duel *game, const duel_round *round)
{
    const lotor_display display = {round->arms, round->count, &round->recorded, 1, NULL};
    const lotor_feedback feedback = feedback_of(game, round);
    int64_t units[2 * DUEL_ARMS];
    size_t used;
    lotor_message why;
    assert_int_equal(lotor_policy_encode(game->policy, &display, &feedback, &why, units, &used),
                     LOTOR_OK);
    assert_int_equal(lotor_policy_enter(game->policy, &display, units, used, &why), LOTOR_OK);
    count_final(game, round->recorded);
}

void duel_serve(duel *game, uint64_t t, const bool *eligible)
{
    lotor_decision decision;
    lotor_message why;
    assert_int_equal(lotor_policy_draw(game->policy, NULL, eligible, &why, &decision), LOTOR_OK);
    const plain_imed_plan *plan = find_plan(game, &decision, t, eligible);
    expect_same(game, plan, &decision);
    keep_round(game, &decision, t);
    count_display(game, plan);
    if (t > game->at->delay) {
        enter_round(game, &game->rounds[t - game->at->delay]);
    }
}

void duel_draw_mask(duel *game, size_t least, bool *eligible)
{
    const size_t arms = game->twin.arms;
    for (size_t count = 0; count < least || count == 0 || count == arms;) {
        count = 0;
        for (size_t i = 0; i < arms; i++) {
            eligible[i] = plain_uniform(&game->random) < 0.7;
            count += eligible[i];
        }
    }
}

void duel_start(duel *game, const duel_setting *at, uint64_t seed)
{
    lotor_message why;
    lotor_policy_params params = at->params;
    params.algorithm = "lik-imed";
    params.lag = 1.0;
    *game = (duel){.at = at, .random = {seed}};
    lotor_generator_seed(&game->generator, seed);
    if (lotor_policy_new_simulated(&params, 1.0, &game->generator, seed, &why, &game->policy) !=
        LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    game->twin = (plain_imed){.epsilon = lotor_ratio_to_double(params.epsilon),
                              .half_life = (double)params.half_life,
                              .arms = params.arms,
                              .arm = calloc(params.arms, sizeof *game->twin.arm),
                              .log_factorials = calloc(at->rounds + 1, sizeof(long double)),
                              .oracle = pick,
                              .value = at->has_value ? value : NULL,
                              .at_random = at_random,
                              .estimate = estimate,
                              .context = game};
    game->work = malloc(game->policy->oracle->work_bytes + 1);
    game->rounds = calloc(at->rounds + 1, sizeof *game->rounds);
    assert_true(game->twin.arm && game->twin.log_factorials && game->work && game->rounds);
    for (uint64_t i = 1; i <= at->rounds; i++) {
        game->twin.log_factorials[i] = game->twin.log_factorials[i - 1] + logl((long double)i);
    }
}

void duel_stop(duel *game)
{
    lotor_policy_free(game->policy);
    free(game->twin.arm);
    free(game->twin.log_factorials);
    free(game->work);
    free(game->rounds);
}
