/* evaluation.c - rounds that measure value (evaluation.h). evaluation.md has the proof. */
#include "policy/evaluation.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/wide.h"
#include "policy/policy.h"

enum { COUNTERS = 2 }; /* the policy's, and the control's */

struct lotor_evaluation {
    lotor_ratio share;
    size_t control_count; /* 0: the control is chosen uniformly */
    uint32_t *control;
    uint64_t measure, control_below; /* the coin's limits, as parts of 2^64 */
    lotor_statistic *statistic;      /* private: raw sums */
    lotor_board *board;
    uint32_t *arms;    /* room for the arms of a control: one for each arm of the policy */
    uint32_t *picked;  /* matroids: room for what the oracle takes of them */
    bool *is_wanted;   /* matroids: for each arm, whether the control may show it */
    void *work;        /* matroids: the oracle's memory */
    uint32_t recorded; /* what the latest decision records */
};

/* In the local model values arrive as randomized bits, and no noise is added to their sums. */
static const lotor_statistic_kind *kind_of(const lotor_policy *policy)
{
    return policy->coder.is_local ? &lotor_statistic_bits : &lotor_statistic_growing;
}

static bool is_matroid(const lotor_policy *policy)
{
    return policy->params.structure != LOTOR_STRUCTURE_TOP;
}

/* --- creating an evaluation ------------------------------------------------------------------- */

/* The value of a round is a sum of this many rewards. A click is one reward of 0 or 1. */
static uint64_t most_rewards(const lotor_policy *policy)
{
    return policy->coder.hears_clicks ? 1 : policy->params.slots;
}

/* How far replacing the feedback of one round can move the value of the round, in units. */
static uint64_t width_of(const lotor_policy *policy)
{
    return most_rewards(policy) * lotor_encoding_width(&policy->coder.encoding);
}

static lotor_release_params release_params(const lotor_policy *policy)
{
    const uint64_t most = lotor_encoding_magnitude(&policy->coder.encoding);
    const uint64_t width = width_of(policy), rewards = most_rewards(policy);
    return (lotor_release_params){
        .dimension = 1,
        .horizon = policy->params.horizon,
        .epsilon = policy->params.epsilon,
        .delta = policy->params.delta,
        .l1 = width,
        .l2 = width,
        .magnitude = policy->coder.is_local ? 1 : rewards * most,
        .noise_scale = policy->noise_scale,
        .slots = 1,
        .least = (int64_t)rewards * policy->coder.encoding.least,
        .width = (int64_t)width,
    };
}

static lotor_status check_control(const lotor_policy *policy, const lotor_evaluation_params *params,
                                  lotor_message *why)
{
    for (size_t i = 0; i < params->control_count; i++) {
        bool fits = params->control[i] < policy->params.arms;
        for (size_t j = 0; fits && j < i; j++) {
            fits = params->control[j] != params->control[i];
        }
        if (!fits) {
            return lotor_fail(
                LOTOR_INVALID, why,
                "arm %zu of the control is not an arm of the policy, or is named twice", i + 1);
        }
    }
    if (params->control_count > 0 && params->control_count < policy->params.slots) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "the control names too few arms (%zu of at least %zu, which are shown together)",
            params->control_count, policy->params.slots);
    }
    return LOTOR_OK;
}

static lotor_status check_params(const lotor_policy *policy, const lotor_evaluation_params *params,
                                 lotor_message *why)
{
    const lotor_ratio share = params->share;
    uint64_t largest;
    if (share.num == 0 || share.den == 0 || share.num > share.den / 2) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the share of rounds that measure value must be above 0 and at most 0.5");
    }
    if (!lotor_policy_can_serve(policy)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "value is measured only by algorithms that `lotor serve` offers, where "
                          "any arms can be shown together, or on a matroid");
    }
    if (__builtin_mul_overflow(most_rewards(policy),
                               2 * lotor_encoding_magnitude(&policy->coder.encoding), &largest) ||
        largest > UINT64_C(1) << 62) {
        return lotor_fail(LOTOR_OVERFLOW, why,
                          "the value of a round, the sum of %zu rewards of this range, does not "
                          "fit in 64 bits: use a narrower range",
                          policy->params.slots);
    }
    return check_control(policy, params, why);
}

static lotor_status make_counters(lotor_policy *policy, lotor_evaluation *evaluation,
                                  lotor_message *why)
{
    const lotor_release_params release = release_params(policy);
    const lotor_statistic_kind *kind = kind_of(policy);
    lotor_status status = lotor_statistic_new(kind, COUNTERS, &release, policy->coder.encoding.unit,
                                              why, &evaluation->statistic);
    if (status == LOTOR_OK) {
        status = lotor_board_new(lotor_statistic_rows(kind, policy->params.horizon), COUNTERS,
                                 &evaluation->board);
    }
    if (status == LOTOR_MEMORY) {
        lotor_explain(why, "no memory to measure value");
    }
    return status;
}

static size_t pick_fixed(const lotor_policy *policy, lotor_evaluation *evaluation,
                         const bool *eligible);

/* False: no memory, and *out is NULL. */
static bool allocate(const lotor_policy *policy, size_t control_count, lotor_evaluation **out)
{
    const size_t arms = policy->params.arms;
    lotor_evaluation *made = *out = calloc(1, sizeof *made);
    bool fine = made != NULL;
    if (fine) {
        made->arms = calloc(arms, sizeof *made->arms);
        made->control = calloc(control_count ? control_count : 1, sizeof *made->control);
        fine = made->arms && made->control;
    }
    if (fine && is_matroid(policy)) {
        const size_t bytes = policy->oracle->work_bytes;
        made->picked = calloc(arms, sizeof *made->picked);
        made->is_wanted = calloc(arms, sizeof *made->is_wanted);
        made->work = malloc(bytes ? bytes : 1);
        fine = made->picked && made->is_wanted && made->work;
    }
    if (!fine) {
        lotor_evaluation_free(made);
        *out = NULL;
    }
    return fine;
}

lotor_status lotor_policy_evaluate(lotor_policy *policy, const lotor_evaluation_params *params,
                                   lotor_message *why)
{
    assert(!policy->evaluation && policy->asked == 0);
    lotor_status status = check_params(policy, params, why);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_evaluation *evaluation;
    const size_t count = params->control_count;
    if (!allocate(policy, count, &evaluation)) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to measure value");
    }
    const double share = lotor_ratio_to_double(params->share);
    evaluation->share = params->share;
    evaluation->measure = (uint64_t)(share * 0x1p63);
    evaluation->control_below = 2 * evaluation->measure;
    evaluation->control_count = count;
    if (count > 0) {
        memcpy(evaluation->control, params->control, count * sizeof *evaluation->control);
    }
    status = make_counters(policy, evaluation, why);
    if (status == LOTOR_OK && count > 0 &&
        pick_fixed(policy, evaluation, NULL) < policy->params.slots) {
        status = lotor_fail(
            LOTOR_INVALID, why,
            "too few arms of the control can be shown together (fewer than %zu): name more arms",
            policy->params.slots);
    }
    if (status != LOTOR_OK) {
        lotor_evaluation_free(evaluation);
        return status;
    }
    policy->evaluation = evaluation;
    policy->coder.is_evaluated = true;
    policy->is_served = true;
    return LOTOR_OK;
}

void lotor_evaluation_free(lotor_evaluation *evaluation)
{
    if (evaluation) {
        lotor_statistic_free(evaluation->statistic);
        lotor_board_free(evaluation->board);
        free(evaluation->control);
        free(evaluation->arms);
        free(evaluation->picked);
        free(evaluation->is_wanted);
        free(evaluation->work);
        free(evaluation);
    }
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* Random bits that depend only on the policy's seed, the number of the drawing, and `use`. The
 * constant makes them independent of tie-breaks, which use the same seed. */
static uint64_t bits_of(const lotor_policy *policy, uint64_t use)
{
    const uint64_t own = lotor_mix(policy->seed ^ UINT64_C(0x6576616c75617465));
    return lotor_mix(lotor_mix(own + policy->asked * UINT64_C(0x9e3779b97f4a7c15)) + use);
}

/* Matroids: takes the first `count` arms greedily, in their order, as far as they fit together, and
 * returns how many those are. Like the learners (learn/index.c) it puts the other arms last, where they
 * change nothing, and then leaves them out. */
static size_t take_greedily(const lotor_policy *policy, lotor_evaluation *evaluation, size_t count)
{
    const size_t arms = policy->params.arms;
    memset(evaluation->is_wanted, 0, arms * sizeof *evaluation->is_wanted);
    for (size_t i = 0; i < count; i++) {
        evaluation->is_wanted[evaluation->arms[i]] = true;
    }
    for (size_t i = 0, last = count; i < arms; i++) {
        if (!evaluation->is_wanted[i]) {
            evaluation->arms[last++] = (uint32_t)i;
        }
    }
    const size_t found = policy->oracle->pick(policy->oracle, NULL, evaluation->arms,
                                              evaluation->work, evaluation->picked);
    size_t taken = 0;
    for (size_t i = 0; i < found; i++) {
        if (evaluation->is_wanted[evaluation->picked[i]]) {
            evaluation->arms[taken++] = evaluation->picked[i];
        }
    }
    return taken;
}

/* The first `slots` arms of a fixed control that are eligible and can be shown together. */
static size_t pick_fixed(const lotor_policy *policy, lotor_evaluation *evaluation,
                         const bool *eligible)
{
    size_t count = 0;
    for (size_t i = 0; i < evaluation->control_count; i++) {
        const uint32_t arm = evaluation->control[i];
        if (!eligible || eligible[arm]) {
            evaluation->arms[count++] = arm;
        }
    }
    if (is_matroid(policy)) {
        return take_greedily(policy, evaluation, count);
    }
    return count < policy->params.slots ? count : policy->params.slots;
}

/* `slots` different eligible arms in a random order, each list with the same probability. On a matroid,
 * all eligible arms in a random order, taken greedily. *choices is how many arms are eligible. */
static size_t pick_uniform(const lotor_policy *policy, lotor_evaluation *evaluation,
                           const bool *eligible, size_t *choices)
{
    uint32_t *arms = evaluation->arms;
    size_t count = 0;
    for (size_t i = 0; i < policy->params.arms; i++) {
        if (!eligible || eligible[i]) {
            arms[count++] = (uint32_t)i;
        }
    }
    const size_t slots = policy->params.slots;
    const size_t shuffled = is_matroid(policy) ? count : slots;
    for (size_t i = 0; i < shuffled && i < count; i++) {
        const size_t other = i + (size_t)((lotor_u128)bits_of(policy, i + 1) * (count - i) >> 64);
        const uint32_t arm = arms[other];
        arms[other] = arms[i];
        arms[i] = arm;
    }
    *choices = count;
    if (is_matroid(policy)) {
        return take_greedily(policy, evaluation, count);
    }
    return count < slots ? count : slots;
}

/* The number that a round records. The number of arms that a control was drawn from gives its probability,
 * if any arms can be shown together. */
static uint32_t record(const lotor_policy *policy, lotor_round_role role, size_t choices)
{
    if (role == LOTOR_ROUND_MEASURES) {
        return LOTOR_RECORDS_VALUE;
    }
    const bool is_fixed = policy->evaluation->control_count > 0;
    const size_t known = is_fixed ? 1 : is_matroid(policy) ? 0 : choices;
    return LOTOR_RECORDS_VALUE + 2 * (uint32_t)known + 1;
}

lotor_round_role lotor_evaluation_assign(lotor_policy *policy, const bool *eligible,
                                         lotor_decision *out)
{
    lotor_evaluation *evaluation = policy->evaluation;
    const uint64_t coin = bits_of(policy, 0);
    if (coin >= evaluation->control_below) {
        return LOTOR_ROUND_LEARNS;
    }
    size_t choices = 0;
    const size_t count = evaluation->control_count > 0
                             ? pick_fixed(policy, evaluation, eligible)
                             : pick_uniform(policy, evaluation, eligible, &choices);
    if (count < policy->params.slots || out->count != policy->params.slots) {
        return LOTOR_ROUND_LEARNS;
    }
    const lotor_round_role role =
        coin < evaluation->measure ? LOTOR_ROUND_MEASURES : LOTOR_ROUND_CONTROLS;
    if (role == LOTOR_ROUND_CONTROLS) {
        out->arms = evaluation->arms;
        out->count = count;
    }
    evaluation->recorded = record(policy, role, choices);
    out->asked = &evaluation->recorded;
    out->asked_count = 1;
    return role;
}

double lotor_control_propensity(uint32_t recorded, size_t shown, bool is_fixed)
{
    const uint32_t choices = lotor_round_choices(recorded);
    if (recorded < LOTOR_RECORDS_VALUE || recorded % 2 == 0 || choices == 0) {
        return 0.0;
    }
    double probability = 1.0;
    for (size_t i = 0; !is_fixed && i < shown; i++) {
        if (i >= choices) {
            return 0.0; /* no such list can be drawn */
        }
        probability /= (double)(choices - i);
    }
    return probability;
}

/* --- entering --------------------------------------------------------------------------------- */

static lotor_status refuse_units(lotor_message *why)
{
    return lotor_fail(LOTOR_DAMAGED, why, "a kept answer is not what was encoded");
}

/* Decodes the value of a round, in units; NULL: no feedback, so the default of every shown arm. The
 * sensitivity relies on the value being in its range, so kept numbers are checked again. */
static lotor_status value_of(const lotor_policy *policy, const int64_t *units, lotor_message *why,
                             int64_t *out)
{
    const lotor_encoding *encoding = &policy->coder.encoding;
    const int64_t slots = (int64_t)policy->params.slots;
    *out = 0;
    if (policy->coder.hears_clicks) {
        if (units && (uint64_t)units[0] > policy->params.slots) {
            return refuse_units(why);
        }
        *out = units && units[0] > 0 ? encoding->most : encoding->least;
        return LOTOR_OK;
    }
    if (!units || policy->linear) {
        double reward = policy->params.default_reward;
        if (units) { /* the bits of a reward */
            memcpy(&reward, &units[0], sizeof reward);
        }
        int64_t one;
        if (lotor_encode(encoding, reward, NULL, &one) != LOTOR_OK) {
            return refuse_units(why);
        }
        *out = slots * one;
        return LOTOR_OK;
    }
    if (units[0] < slots * encoding->least || units[0] > slots * encoding->most) {
        return refuse_units(why);
    }
    *out = units[0];
    return LOTOR_OK;
}

/* Adds a bit that the person's device has randomized: post-processing, so no noise is added. */
static lotor_status enter_bit(lotor_policy *policy, const lotor_display *display, uint32_t counter,
                              const int64_t *units, size_t used, lotor_message *why)
{
    if (!lotor_coder_is_report(&policy->coder, display, units, used)) {
        return refuse_units(why);
    }
    const lotor_status status =
        lotor_statistic_feed_report(policy->evaluation->statistic, &counter, units, 1,
                                    policy->rounds_ended + 1, policy->evaluation->board);
    policy->rounds_ended += status == LOTOR_OK;
    return status;
}

lotor_status lotor_evaluation_enter(lotor_policy *policy, const lotor_display *display,
                                    const int64_t *units, size_t used, lotor_message *why)
{
    lotor_evaluation *evaluation = policy->evaluation;
    const uint32_t counter =
        lotor_round_role_of(display->asked, display->asked_count) == LOTOR_ROUND_CONTROLS;
    assert(evaluation && display->asked[0] >= LOTOR_RECORDS_VALUE && counter < COUNTERS);
    if (units && policy->coder.is_local) {
        return enter_bit(policy, display, counter, units, used, why);
    }
    int64_t value;
    lotor_status status = units && used != 1 ? refuse_units(why) : LOTOR_OK;
    if (status == LOTOR_OK) {
        status = value_of(policy, units, why, &value);
    }
    if (status == LOTOR_OK) {
        status = lotor_statistic_feed(evaluation->statistic, counter, value, 1,
                                      policy->rounds_ended + 1, &policy->noise, evaluation->board);
        lotor_wipe(&value, sizeof value);
    }
    policy->rounds_ended += status == LOTOR_OK;
    return status;
}

/* --- releases --------------------------------------------------------------------------------- */

static lotor_status tell(void *context, size_t statistic, size_t counter, const lotor_fact *fact)
{
    const lotor_policy *policy = context;
    const lotor_arm_fact released = {statistic, LOTOR_RECORDS_VALUE + counter, fact->value,
                                     fact->count, fact->time};
    return policy->told(policy->told_context, &released);
}

void lotor_evaluation_tell(lotor_policy *policy)
{
    lotor_board_set_journal(policy->evaluation->board, policy->told ? tell : NULL, policy);
}

bool lotor_policy_value_estimator(const lotor_policy *policy, lotor_estimator *out)
{
    *out = (lotor_estimator){.kind = LOTOR_ESTIMATE_NONE};
    if (!policy->evaluation) {
        return false;
    }
    const double rewards = (double)most_rewards(policy);
    const bool is_local = policy->coder.is_local;
    const double noise = lotor_statistic_noise(policy->evaluation->statistic);
    *out = (lotor_estimator){
        .kind = is_local ? LOTOR_ESTIMATE_BITS : LOTOR_ESTIMATE_ADDED,
        .low = rewards * policy->params.low,
        .high = rewards * policy->params.high,
        .noise = noise,
        .scale = is_local ? 1.0 / (1.0 - 2.0 * noise) : 1.0,
    };
    return true;
}

/* Batches of both counters have the same sizes. Only batches that both have released are added up:
 * otherwise the sums would cover different times, and a change of taste would look like a lift. In the
 * local model there are no batches: both sums cover all final rounds of their role. */
void lotor_policy_value_sums(const lotor_policy *policy, lotor_arm_sums *measure,
                             lotor_arm_sums *control)
{
    *measure = *control = (lotor_arm_sums){0};
    const lotor_board *board = policy->evaluation ? policy->evaluation->board : NULL;
    for (size_t s = 0; board && s < board->statistics; s++) {
        const lotor_fact *one = lotor_board_at(board, s, 0), *other = lotor_board_at(board, s, 1);
        if (one->time == 0 || other->time == 0) {
            break;
        }
        measure->value += one->value;
        control->value += other->value;
        measure->count += one->count;
        control->count += other->count;
        measure->draws++;
        control->draws++;
    }
    assert(policy->coder.is_local || measure->count == control->count);
}

const char *lotor_evaluation_refuse(const lotor_policy *policy)
{
    const lotor_encoding *encoding = &policy->coder.encoding;
    const double rewards = policy->coder.hears_clicks ? 1.0 : (double)policy->params.slots;
    const double width = rewards * (double)(encoding->most - encoding->least);
    const lotor_claim_setting setting = {
        .epsilon = lotor_ratio_to_double(policy->params.epsilon),
        .delta = lotor_ratio_to_double(policy->params.delta),
        .l1 = width,
        .l2 = width,
        .horizon = policy->params.horizon,
        .slots = 1,
    };
    const lotor_statistic_kind *kind = kind_of(policy);
    const lotor_statistic *statistic = policy->evaluation->statistic;
    const bool is_bit = kind->claim.mechanism == LOTOR_MECHANISM_BIT;
    const lotor_claim_noise noise = {.scale = is_bit ? lotor_statistic_noise(statistic)
                                                     : (double)lotor_statistic_scale(statistic)};
    const lotor_model needed = policy->coder.is_local ? LOTOR_MODEL_LOCAL : LOTOR_MODEL_CENTRAL;
    if (!(kind->claim.feedback & LOTOR_CLAIM_ONE) || kind->claim.model != needed) {
        return "nothing is proved for the counters that measure value";
    }
    return lotor_claim_refuse(kind->claim.mechanism, &setting, &noise);
}

/* --- saving ----------------------------------------------------------------------------------- */

void lotor_evaluation_save(const lotor_policy *policy, lotor_writer *writer)
{
    const lotor_evaluation *evaluation = policy->evaluation;
    lotor_write_u64(writer, evaluation->share.num);
    lotor_write_u64(writer, evaluation->share.den);
    lotor_write_u64(writer, evaluation->control_count);
    for (size_t i = 0; i < evaluation->control_count; i++) {
        lotor_write_u64(writer, evaluation->control[i]);
    }
    lotor_board_save(evaluation->board, writer);
    lotor_statistic_save(evaluation->statistic, writer);
}

static lotor_status load_params(lotor_policy *policy, uint32_t *control, uint64_t count,
                                lotor_ratio share, lotor_reader *reader)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t arm = lotor_read_u64(reader);
        lotor_read_expect(reader, arm < policy->params.arms);
        control[i] = (uint32_t)arm;
    }
    if (reader->status != LOTOR_OK) {
        return LOTOR_OK;
    }
    const uint64_t asked = policy->asked;
    policy->asked = 0;
    const lotor_status status = lotor_policy_evaluate(
        policy, &(lotor_evaluation_params){share, control, (size_t)count}, NULL);
    policy->asked = asked;
    lotor_read_expect(reader, status == LOTOR_OK || status == LOTOR_MEMORY);
    return status == LOTOR_MEMORY ? status : (lotor_status)LOTOR_OK;
}

lotor_status lotor_evaluation_load(lotor_policy *policy, lotor_reader *reader)
{
    lotor_ratio share = {.num = lotor_read_u64(reader)};
    share.den = lotor_read_u64(reader);
    const uint64_t count = lotor_read_u64(reader);
    lotor_read_expect(reader, count <= policy->params.arms);
    if (reader->status != LOTOR_OK) {
        return LOTOR_OK;
    }
    uint32_t *control = calloc(count ? (size_t)count : 1, sizeof *control);
    if (!control) {
        return LOTOR_MEMORY;
    }
    const lotor_status status = load_params(policy, control, count, share, reader);
    free(control);
    if (status != LOTOR_OK || reader->status != LOTOR_OK) {
        return status;
    }
    const lotor_evaluation *evaluation = policy->evaluation;
    const uint64_t most[COUNTERS] = {policy->measuring, policy->measuring};
    lotor_board_load(evaluation->board, reader);
    lotor_statistic_load(evaluation->statistic, reader);
    lotor_read_expect(reader, lotor_statistic_fits(evaluation->statistic, evaluation->board, most));
    return LOTOR_OK;
}
