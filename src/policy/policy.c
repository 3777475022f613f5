/* policy.c - a policy: made, asked, answered. See policy.h for how its parts are wired. */
#include "policy/policy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/secure.h"

static lotor_status make_learner(lotor_policy *policy, lotor_message *why)
{
    const lotor_policy_params *params = &policy->params;
    const lotor_algorithm *algorithm = policy->algorithm;
    const lotor_rule_params rule = {
        .arms = (double)params->arms,
        .slots = (double)params->slots,
        .horizon = (double)params->horizon,
        .epsilon = lotor_ratio_double(params->epsilon),
        .beta = params->beta,
    };
    const uint64_t width = lotor_encoding_width(&policy->encoding);
    const lotor_release_params release = {
        .dimension = 1,
        .horizon = params->horizon,
        .epsilon = params->epsilon,
        .l1 = width * policy->feedback->l1(params->slots),
        .magnitude = lotor_encoding_magnitude(&policy->encoding),
    };
    if (algorithm->index) {
        const lotor_status status =
            lotor_statistic_new(algorithm->statistic, params->arms, &release, policy->encoding.unit,
                                why, &policy->statistic);
        return status != LOTOR_OK
                   ? status
                   : lotor_index_new(algorithm->index, &rule, policy->oracle, params->low,
                                     params->high, algorithm->statistic != LOTOR_STATISTIC_DOUBLING,
                                     &policy->index);
    }
    const lotor_status status = lotor_epoch_new(algorithm->epochs, params->arms, &release,
                                                policy->encoding.unit, why, &policy->epochs);
    return status != LOTOR_OK
               ? status
               : lotor_elimination_new(algorithm->elimination, &rule, params->arms,
                                       params->high - params->low, &policy->elimination);
}

static lotor_status make_inbox(lotor_policy *policy)
{
    const size_t slots = policy->params.slots;
    const size_t contributions = policy->feedback->contributions(slots);
    policy->units = calloc(contributions, sizeof *policy->units);
    if (!policy->units) {
        return LOTOR_MEMORY;
    }
    for (size_t i = 0; i < contributions; i++) {
        const lotor_status status =
            lotor_encode(&policy->encoding, policy->params.default_reward, NULL, &policy->units[i]);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return lotor_inbox_new(slots, contributions, policy->units, &policy->inbox);
}

static lotor_status make_parts(lotor_policy *policy, lotor_message *why)
{
    const size_t arms = policy->params.arms;
    lotor_status status =
        lotor_encoding_make(policy->params.low, policy->params.high, why, &policy->encoding);
    if (status == LOTOR_OK) {
        policy->shown = calloc(arms, sizeof *policy->shown);
        status = policy->shown ? LOTOR_OK : LOTOR_MEMORY;
    }
    if (status == LOTOR_OK) {
        status = lotor_board_new(2, arms, &policy->board);
    }
    if (status == LOTOR_OK) {
        status = make_inbox(policy);
    }
    return status == LOTOR_OK ? make_learner(policy, why) : status;
}

static lotor_status make(const lotor_policy_params *params, lotor_noise noise, uint64_t seed,
                         lotor_message *why, lotor_policy **out)
{
    *out = NULL;
    lotor_policy *policy = calloc(1, sizeof *policy);
    if (!policy) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a policy");
    }
    lotor_status status = lotor_policy_complete(params, why, &policy->params, &policy->oracle);
    if (status == LOTOR_OK) {
        policy->algorithm = lotor_catalog_find(params->algorithm);
        policy->feedback = lotor_feedback_find(policy->algorithm->feedback);
        policy->noise = noise;
        policy->seed = seed;
        status = make_parts(policy, why);
    }
    if (status != LOTOR_OK) {
        if (status == LOTOR_MEMORY) {
            lotor_explain(why, "no memory for a policy");
        }
        lotor_policy_free(policy);
        return status;
    }
    *out = policy;
    return LOTOR_OK;
}

lotor_status lotor_policy_new_simulated(const lotor_policy_params *params,
                                        lotor_simulation *simulation, uint64_t seed,
                                        lotor_message *why, lotor_policy **out)
{
    return make(params, lotor_noise_simulated(simulation), seed, why, out);
}

lotor_status lotor_policy_new_on(const lotor_policy_params *params, lotor_source *source,
                                 uint64_t seed, lotor_message *why, lotor_policy **out)
{
    return make(params, lotor_noise_exact(source), seed, why, out);
}

lotor_status lotor_policy_new(const lotor_policy_params *params, lotor_message *why,
                              lotor_policy **out)
{
    *out = NULL;
    lotor_source *source;
    lotor_status status = lotor_secure_new(&source);
    if (status != LOTOR_OK) {
        return lotor_fail(status, why, "the system gives no secure random source");
    }
    status = lotor_policy_new_on(params, source, lotor_source_word(source), why, out);
    if (*out) {
        (*out)->owned = source;
    } else {
        lotor_secure_free(source);
    }
    return status;
}

const char *lotor_policy_check(const lotor_policy_params *params, lotor_message *why)
{
    lotor_policy *policy;
    if (lotor_policy_new_on(params, NULL, 0, why, &policy) != LOTOR_OK) {
        return why->text;
    }
    lotor_policy_free(policy);
    return NULL;
}

void lotor_policy_free(lotor_policy *policy)
{
    if (!policy) {
        return;
    }
    lotor_index_free(policy->index);
    lotor_elimination_free(policy->elimination);
    lotor_statistic_free(policy->statistic);
    lotor_epoch_free(policy->epochs);
    lotor_inbox_free(policy->inbox);
    lotor_board_free(policy->board);
    lotor_oracle_free(policy->oracle);
    lotor_secure_free(policy->owned);
    if (policy->units) {
        lotor_wipe_free(policy->units, policy->feedback->contributions(policy->params.slots) *
                                           sizeof *policy->units);
    }
    lotor_policy_params_free(&policy->params);
    free(policy->shown);
    free(policy);
}

static uint64_t room(const void *context, size_t arm)
{
    return lotor_statistic_room(context, arm);
}

/* The viable arm shown least (rounds still open included), the first one of these. An arm that is
 * viable now always was, so in the order of display viable arms have equally many, within one: in
 * every epoch, too. */
static uint32_t next_in_turn(const lotor_policy *policy)
{
    size_t count;
    const uint32_t *viable = lotor_elimination_viable(policy->elimination, &count);
    uint32_t best = viable[0];
    for (size_t i = 1; i < count; i++) {
        const uint32_t arm = viable[i];
        if (policy->shown[arm] < policy->shown[best]) {
            best = arm;
        }
    }
    return best;
}

/* What to show next. *hold counts from the coming round, with no other round open. */
static size_t pick(lotor_policy *policy, const uint32_t **arms, uint64_t *hold)
{
    if (policy->elimination) {
        size_t count;
        (void)lotor_elimination_viable(policy->elimination, &count);
        policy->single = next_in_turn(policy);
        *arms = &policy->single;
        *hold = count == 1 ? UINT64_MAX / 2 : 1;
        return 1;
    }
    return lotor_index_choose(policy->index, policy->board, policy->shown, policy->asked + 1,
                              policy->seed, room, policy->statistic, arms, hold);
}

static bool is_past_horizon(const lotor_policy *policy)
{
    return policy->params.horizon > 0 && policy->rounds >= policy->params.horizon;
}

lotor_status lotor_policy_choose(lotor_policy *policy, const double *context, lotor_message *why,
                                 lotor_decision *out)
{
    (void)context;
    *out = (lotor_decision){.hold = 1};
    out->count = pick(policy, &out->arms, &out->hold);
    if (lotor_inbox_waiting(policy->inbox) > 0) {
        out->hold = 1; /* an open round may end, and release something, at any moment */
    }
    if (!is_past_horizon(policy)) {
        const lotor_status status =
            lotor_inbox_show(policy->inbox, out->arms, out->count, &out->event);
        if (status != LOTOR_OK) {
            return lotor_fail(status, why, "no memory to open another round");
        }
        policy->rounds++;
    }
    policy->asked++;
    for (size_t i = 0; i < out->count; i++) {
        policy->shown[out->arms[i]]++;
    }
    return LOTOR_OK;
}

lotor_status lotor_policy_observe(lotor_policy *policy, uint64_t event, const lotor_answer *answer,
                                  lotor_message *why)
{
    const lotor_feedback feedback = {answer->rewards, answer->count, answer->click};
    lotor_status status = policy->feedback->encode(&policy->encoding, policy->params.slots,
                                                   &feedback, why, policy->units);
    if (status != LOTOR_OK) {
        return status;
    }
    status = lotor_inbox_answer(policy->inbox, event, policy->units);
    if (status != LOTOR_OK) {
        lotor_explain(why, "round %llu: %s", (unsigned long long)event,
                      status == LOTOR_LATE        ? "its time is over, the answer is dropped"
                      : status == LOTOR_DUPLICATE ? "it has an answer, which stays"
                                                  : "it was never shown");
    }
    return status;
}

/* All viable arms have what the plan wants: ask, or release and plan anew. */
static lotor_status act_on_plan(lotor_policy *policy)
{
    size_t count;
    const uint32_t *viable = lotor_elimination_viable(policy->elimination, &count);
    const lotor_elimination_plan *plan = lotor_elimination_next(policy->elimination);
    const uint64_t time = policy->rounds_ended;
    lotor_status status;
    if (!lotor_elimination_wants_release(policy->elimination)) {
        status = lotor_epoch_ask(policy->epochs, viable, count, plan->threshold, time,
                                 &policy->noise, policy->board);
        if (status == LOTOR_OK) {
            lotor_elimination_asked(policy->elimination, policy->board);
        }
        return status;
    }
    status =
        lotor_epoch_release(policy->epochs, viable, count, time, &policy->noise, policy->board);
    if (status == LOTOR_OK) {
        lotor_elimination_released(policy->elimination, policy->board);
    }
    return status;
}

/* Is the plan fulfilled, with more than one arm to choose from? */
static bool is_due(const lotor_policy *policy)
{
    size_t count;
    const uint32_t *viable = lotor_elimination_viable(policy->elimination, &count);
    const uint64_t wanted = lotor_elimination_next(policy->elimination)->rounds;
    for (size_t i = 0; i < count; i++) {
        if (lotor_epoch_count(policy->epochs, viable[i]) < wanted) {
            return false;
        }
    }
    return count > 1;
}

static bool is_viable(const lotor_policy *policy, uint32_t arm)
{
    size_t count;
    const uint32_t *viable = lotor_elimination_viable(policy->elimination, &count);
    for (size_t i = 0; i < count; i++) {
        if (viable[i] == arm) {
            return true;
        }
    }
    return false;
}

/* Lets everything happen that the rounds ended so far allow. */
static lotor_status settle(lotor_policy *policy)
{
    while (policy->elimination && is_due(policy)) {
        const lotor_status status = act_on_plan(policy);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return LOTOR_OK;
}

/* Feeds one ended round. On failure it can be called again for the same round and goes on where it
 * stopped: nothing is fed twice. */
static lotor_status feed_round(lotor_policy *policy, const lotor_round *round)
{
    for (; policy->slots_fed < round->arm_count; policy->slots_fed++) {
        const uint32_t arm = round->arms[policy->slots_fed];
        const int64_t units = round->units[policy->slots_fed];
        if (policy->statistic) {
            const lotor_status status =
                lotor_statistic_feed(policy->statistic, arm, units, 1, policy->rounds_ended + 1,
                                     &policy->noise, policy->board);
            if (status != LOTOR_OK) {
                return status;
            }
        } else if (is_viable(policy, arm)) { /* a dropped arm's open rounds count no more */
            lotor_epoch_feed(policy->epochs, arm, units, 1);
        }
    }
    policy->slots_fed = 0;
    policy->rounds_ended++;
    return LOTOR_OK;
}

lotor_status lotor_policy_expire(lotor_policy *policy, uint64_t event, lotor_message *why)
{
    lotor_status status = lotor_inbox_expire(policy->inbox, event);
    if (status != LOTOR_OK) {
        return lotor_fail(status, why, "round %llu was never shown", (unsigned long long)event);
    }
    status = settle(policy); /* what an earlier call could not finish */
    lotor_round round;
    while (status == LOTOR_OK && lotor_inbox_peek(policy->inbox, &round)) {
        status = feed_round(policy, &round);
        if (status == LOTOR_OK) {
            (void)lotor_inbox_take(policy->inbox, &round);
            status = settle(policy);
        }
    }
    if (status != LOTOR_OK) {
        lotor_explain(why, "%s: try again later",
                      status == LOTOR_ENTROPY ? "the system gives no random bytes"
                                              : "the release could not be recorded");
    }
    return status;
}

void lotor_policy_stretch(lotor_policy *policy, lotor_stretch *out)
{
    if (!policy->elimination) {
        *out = (lotor_stretch){.cycle = 1, .matters = true};
        out->count = pick(policy, &out->arms, &out->repeats);
        return;
    }
    size_t cycle;
    const uint32_t *viable = lotor_elimination_viable(policy->elimination, &cycle);
    const uint64_t wanted = lotor_elimination_next(policy->elimination)->rounds;
    *out = (lotor_stretch){
        .arms = viable,
        .count = 1,
        .cycle = cycle,
        .repeats =
            cycle == 1 ? UINT64_MAX / 2 : wanted - lotor_epoch_count(policy->epochs, viable[0]),
        .matters = cycle > 1,
    };
}

lotor_status lotor_policy_feed(lotor_policy *policy, const lotor_stretch *stretch, uint64_t repeats,
                               const int64_t *sums)
{
    const uint64_t rounds = repeats * stretch->cycle;
    policy->asked += rounds;
    policy->rounds += rounds;
    policy->rounds_ended += rounds;
    for (size_t i = 0; i < stretch->cycle * stretch->count; i++) {
        const uint32_t arm = stretch->arms[i];
        policy->shown[arm] += repeats;
        if (policy->elimination) {
            lotor_epoch_feed(policy->epochs, arm, sums[i], repeats);
            continue;
        }
        const lotor_status status =
            lotor_statistic_feed(policy->statistic, arm, sums[i], repeats, policy->rounds_ended,
                                 &policy->noise, policy->board);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return policy->elimination ? settle(policy) : LOTOR_OK;
}

lotor_status lotor_policy_ride(lotor_policy *policy, const lotor_stretch *stretch, uint64_t most,
                               lotor_pay *pay, void *context, uint64_t *rounds)
{
    const uint32_t arm = stretch->arms[0];
    const lotor_index_window window = lotor_index_window_of(policy->index);
    const lotor_fact *fact = lotor_board_at(policy->board, 0, arm);
    const uint64_t start = policy->rounds;
    uint64_t round = start;
    lotor_status status;
    do {
        round++;
        status = lotor_statistic_feed(policy->statistic, arm, pay(context, arm), 1, round,
                                      &policy->noise, policy->board);
    } while (status == LOTOR_OK && round - start < most &&
             lotor_index_stays(&window, fact, round + 1));
    *rounds = round - start;
    policy->asked = policy->rounds = policy->rounds_ended = round;
    policy->shown[arm] += *rounds;
    return status;
}

void lotor_policy_guarantee(const lotor_policy *policy, lotor_guarantee *out)
{
    const lotor_algorithm *algorithm = policy->algorithm;
    const bool none = lotor_ratio_is_infinite(policy->params.epsilon);
    const bool is_private = algorithm->model != LOTOR_MODEL_NONE && !none;
    const uint64_t scale = policy->statistic ? lotor_statistic_scale(policy->statistic)
                                             : lotor_epoch_scale(policy->epochs);
    *out = (lotor_guarantee){
        .is_private = is_private,
        .reason = is_private               ? NULL
                  : algorithm->not_private ? algorithm->not_private
                                           : "epsilon is infinite: no noise is added",
        .model = is_private ? algorithm->model : LOTOR_MODEL_NONE,
        .epsilon = lotor_ratio_double(policy->params.epsilon),
        .unit = "one round's feedback",
        .scale = (double)scale * policy->encoding.unit,
        .theorem = algorithm->theorem,
        .assumes = "neighbours differ in one round's feedback; what is shown, when, and when "
                   "rounds expire is public; a saved state stays secret and is loaded once",
        .regret = algorithm->regret,
        .noise = lotor_noise_kind_of(&policy->noise),
    };
    snprintf(out->mechanism, sizeof out->mechanism, "%s on %s, %s noise", algorithm->id,
             lotor_algorithm_statistic(algorithm), is_private ? "discrete Laplace" : "no");
}
