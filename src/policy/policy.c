/* policy.c - a policy in use: it chooses arms and takes feedback. policy.h shows how its parts are
 * connected, make.c creates it, and skip.c lets the lab play many rounds at once. */
#include "policy/policy.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/secure.h"

static uint64_t room(const void *context, size_t arm)
{
    return lotor_statistic_room(context, arm);
}

size_t lotor_policy_pick_by_index(lotor_policy *policy, const bool *eligible, lotor_room *limit,
                                  const void *context, const uint32_t **arms, uint64_t *hold)
{
    const uint64_t t = policy->asked + 1;
    if (policy->own) {
        const lotor_own_moment now = {policy->board, policy->shown, t, policy->seed, eligible};
        return lotor_own_choose(policy->own, &now, limit, context, arms, hold);
    }
    *hold = 1;
    return eligible ? lotor_index_choose_among(policy->index, policy->board, policy->shown, t,
                                               policy->seed, eligible, arms)
                    : lotor_index_choose(policy->index, policy->board, policy->shown, t,
                                         policy->seed, limit, context, arms, hold);
}

double lotor_policy_index_at(const lotor_policy *policy, size_t arm)
{
    return policy->own ? lotor_own_at(policy->own, arm) : lotor_index_at(policy->index, arm);
}

/* Can the lab feed the sums of several rounds at once? Not if they are recorded for changing arms, or
 * if the statistic takes whole rounds. The index learner holds no pick in these cases. */
static bool feeds_sums(const lotor_policy *policy)
{
    const lotor_feedback_kind kind = policy->coder.feedback->kind;
    return (kind == LOTOR_FEEDBACK_ONE || kind == LOTOR_FEEDBACK_SEMI) &&
           !lotor_statistic_is_by_round(policy->algorithm->statistic);
}

size_t lotor_policy_pick(lotor_policy *policy, const uint32_t **arms, uint64_t *hold)
{
    if (policy->elimination) {
        size_t count;
        (void)lotor_elimination_viable(policy->elimination, &count);
        policy->single = lotor_policy_next_in_turn(policy);
        *arms = &policy->single;
        *hold = count == 1 ? UINT64_MAX / 2 : 1;
        return 1;
    }
    if (lotor_policy_records_one(policy->algorithm)) {
        return lotor_policy_pick_held(policy, arms, hold);
    }
    lotor_room *limit = policy->own && !feeds_sums(policy) ? NULL : room;
    return lotor_policy_pick_by_index(policy, NULL, limit, policy->statistic, arms, hold);
}

lotor_status lotor_policy_refuse_pick(const lotor_policy *policy, lotor_message *why)
{
    const char *failure = policy->own ? lotor_own_failure(policy->own) : NULL;
    if (failure) {
        return lotor_fail(LOTOR_INVALID, why, "%s", failure);
    }
    if (policy->params.structure == LOTOR_STRUCTURE_CUSTOM_MATROID) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "the independence test accepted fewer than %zu arms, but its matroid has that rank: it "
            "must always give the same result for the same set, and be a matroid",
            policy->params.slots);
    }
    return lotor_fail(LOTOR_INVALID, why,
                      "the oracle found nothing to show, or no set of at most %zu of the %zu arms",
                      policy->params.slots, policy->params.arms);
}

/* The constant makes the number independent of the tie-breaks of the index learner, which use the
 * same seed and t to choose the list. */
size_t lotor_policy_draw_below(size_t count, uint64_t seed, uint64_t t)
{
    const uint64_t own = seed ^ UINT64_C(0x6c656173742d7368);
    return (size_t)((lotor_mix(own + t * UINT64_C(0x9e3779b97f4a7c15)) >> 32) * count >> 32);
}

size_t lotor_policy_least_shown(const lotor_policy *policy, const uint32_t *arms, size_t count,
                                uint64_t t)
{
    uint64_t fewest = UINT64_MAX;
    uint32_t *places = policy->places; /* the places of the arms shown least so far */
    assert(count > 0 && count <= policy->params.slots);
    size_t tied = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t often = policy->shown[arms[i]];
        if (often < fewest) {
            fewest = often;
            tied = 0;
        }
        places[tied] = (uint32_t)i; /* if this place is not tied, the next one overwrites it */
        tied += often == fewest;
    }
    return places[lotor_policy_draw_below(tied, policy->seed, t)];
}

const uint32_t *lotor_policy_seeds(const lotor_policy *policy)
{
    if (policy->own) {
        return lotor_own_seeds(policy->own);
    }
    return policy->imed ? lotor_imed_seeds(policy->imed) : lotor_index_seeds(policy->index);
}

/* Fills in the arms whose rewards are recorded. */
void lotor_policy_ask(lotor_policy *policy, lotor_decision *out)
{
    out->asked = out->arms;
    out->asked_count = out->count;
    if (lotor_policy_records_one(policy->algorithm)) {
        out->asked = &policy->held.recorded;
        out->asked_count = 1;
    } else if (policy->coder.feedback->kind == LOTOR_FEEDBACK_LEAST_SHOWN) {
        const size_t place =
            lotor_policy_least_shown(policy, out->arms, out->count, policy->asked + 1);
        policy->single = out->arms[place];
        out->asked = &policy->single;
        out->asked_count = 1;
    }
    if (policy->oracle->seeds > 0) {
        out->seeds = lotor_policy_records_one(policy->algorithm) ? policy->held.seeds
                                                                 : lotor_policy_seeds(policy);
        out->seed_count = policy->oracle->seeds;
    }
}

static lotor_status choose_arms(lotor_policy *policy, lotor_message *why, lotor_decision *out)
{
    out->count = lotor_policy_pick(policy, &out->arms, &out->hold);
    if (out->count == 0) {
        return lotor_policy_refuse_pick(policy, why);
    }
    if (lotor_inbox_waiting(policy->inbox) > 0 &&
        (policy->imed || !lotor_policy_records_one(policy->algorithm))) {
        out->hold = 1; /* an open round may become final, and cause a release, at any time */
    }
    lotor_policy_ask(policy, out);
    return LOTOR_OK;
}

bool lotor_policy_is_past_horizon(const lotor_policy *policy)
{
    return policy->params.horizon > 0 && !policy->is_chooser &&
           policy->rounds - policy->voided >= policy->params.horizon;
}

/* How many of `limit` rounds can be opened with this decision. Rounds that record the least-shown of
 * several arms ask for another arm every time, unless a list is held together with that arm. */
static uint64_t count_same(const lotor_policy *policy, const lotor_decision *decision,
                           uint64_t limit)
{
    const bool alternates = decision->count > 1 && !lotor_policy_records_one(policy->algorithm) &&
                            policy->coder.feedback->kind == LOTOR_FEEDBACK_LEAST_SHOWN;
    uint64_t same = alternates ? 1 : decision->hold;
    if (policy->params.horizon > 0 && !lotor_policy_is_past_horizon(policy)) {
        const uint64_t left = policy->params.horizon - (policy->rounds - policy->voided);
        same = same < left ? same : left;
    }
    same = same < limit ? same : limit;
    return same < LOTOR_POLICY_MANY_MAX ? same : LOTOR_POLICY_MANY_MAX;
}

lotor_status lotor_policy_open_rounds(lotor_policy *policy, uint64_t rounds, lotor_decision *out)
{
    if (lotor_policy_has_weights(policy->algorithm)) {
        assert(rounds == 1 && out->asked_count == 1);
        const lotor_status status = lotor_encode(
            &policy->coder.encoding, policy->params.default_reward, NULL, &policy->units[0]);
        assert(status == LOTOR_OK);
        (void)status;
        policy->units[1] = lotor_policy_weight(policy, out->asked[0]);
        return lotor_inbox_show_with(policy->inbox, out->asked, 1, policy->units, &out->event);
    }
    return policy->linear
               ? lotor_inbox_show_with(policy->inbox, out->asked, 1, policy->units, &out->event)
               : lotor_inbox_show_many(policy->inbox, out->asked, out->asked_count, (size_t)rounds,
                                       &out->event);
}

static lotor_status choose(lotor_policy *policy, const double *context, uint64_t limit,
                           lotor_message *why, lotor_decision *out, uint64_t *rounds)
{
    lotor_status status = policy->linear ? lotor_policy_choose_action(policy, context, why, out)
                                         : choose_arms(policy, why, out);
    if (status != LOTOR_OK) {
        return status;
    }
    const uint64_t same = count_same(policy, out, limit);
    if (!lotor_policy_is_past_horizon(policy)) {
        status = lotor_policy_open_rounds(policy, same, out);
        if (status != LOTOR_OK) {
            return lotor_fail(status, why, "no memory to open another round");
        }
        policy->rounds += same;
        assert(lotor_inbox_waiting(policy->inbox) == policy->rounds - policy->rounds_ended);
    }
    *rounds = same;
    policy->asked += same;
    if (lotor_policy_records_one(policy->algorithm)) {
        lotor_policy_count_display(policy, same);
        return LOTOR_OK;
    }
    for (size_t i = 0; i < out->asked_count; i++) {
        policy->shown[out->asked[i]] += same;
    }
    return LOTOR_OK;
}

static lotor_status refuse_choice(const lotor_policy *policy, lotor_message *why)
{
    const lotor_status status = lotor_secure_refuse_child(policy->owned, "policy", why);
    if (status == LOTOR_OK && policy->is_served) {
        return lotor_fail(LOTOR_INVALID, why,
                          "this policy's rounds are kept by a service: draw them there");
    }
    return status;
}

lotor_status lotor_policy_choose(lotor_policy *policy, const double *context, lotor_message *why,
                                 lotor_decision *out)
{
    *out = (lotor_decision){.hold = 1};
    lotor_status status = refuse_choice(policy, why);
    if (status != LOTOR_OK) {
        return status;
    }
    uint64_t one;
    status = choose(policy, context, 1, why, out, &one);
    if (policy->linear) { /* the context of the shown action */
        lotor_wipe(policy->units, policy->unit_count * sizeof *policy->units);
    }
    return status;
}

lotor_status lotor_policy_choose_many(lotor_policy *policy, uint64_t limit, lotor_message *why,
                                      lotor_decision *out, uint64_t *rounds)
{
    *out = (lotor_decision){.hold = 1};
    *rounds = 0;
    const lotor_status status = refuse_choice(policy, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (limit == 0) {
        return lotor_fail(LOTOR_INVALID, why, "limit is 0: ask for 1 round or more");
    }
    if (policy->linear) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s chooses by the context of every round: choose round by round",
                          policy->algorithm->id);
    }
    return choose(policy, NULL, limit, why, out, rounds);
}

/* How many slots the feedback of a round is about: an oracle may show fewer arms than it could. If
 * the round is not open, any count is good, because the inbox refuses the feedback later. */
static size_t feedback_size(const lotor_policy *policy, uint64_t event, size_t count)
{
    const size_t most = policy->params.slots;
    if (policy->coder.feedback->kind != LOTOR_FEEDBACK_SEMI) {
        return most;
    }
    lotor_round round;
    return lotor_inbox_find(policy->inbox, event, &round) == LOTOR_OK ? round.arm_count
           : count < most                                             ? count
                                                                      : most;
}

/* Encodes feedback into policy->units. */
static lotor_status encode_feedback(lotor_policy *policy, uint64_t event,
                                    const lotor_feedback *feedback, lotor_message *why)
{
    if (!feedback || (feedback->count > 0 && !feedback->rewards)) {
        return lotor_fail(LOTOR_INVALID, why, "the feedback is NULL: give the rewards or a click");
    }
    if (policy->linear) {
        return lotor_policy_observe_action(policy, event, feedback, why);
    }
    const size_t slots = feedback_size(policy, event, feedback->count);
    /* If this feedback is shorter than the last, nothing of the last may stay behind it. */
    memset(policy->units, 0, policy->unit_count * sizeof *policy->units);
    lotor_round round;
    if (lotor_policy_has_weights(policy->algorithm) &&
        lotor_inbox_find(policy->inbox, event, &round) == LOTOR_OK) {
        policy->units[1] = round.units[1];
    }
    return policy->coder.feedback->encode(&policy->coder.encoding, slots, feedback, why,
                                          policy->units);
}

/* Explains why the inbox refuses feedback. */
static lotor_status refuse_feedback(lotor_status status, uint64_t event, lotor_message *why)
{
    return lotor_fail(status, why, "round %llu: %s", (unsigned long long)event,
                      status == LOTOR_LATE        ? "the round is final, so the feedback is dropped"
                      : status == LOTOR_DUPLICATE ? "the round has feedback already, which stays"
                                                  : "it was never shown");
}

lotor_status lotor_policy_observe(lotor_policy *policy, uint64_t event,
                                  const lotor_feedback *feedback, lotor_message *why)
{
    lotor_status status = lotor_secure_refuse_child(policy->owned, "policy", why);
    if (status != LOTOR_OK) {
        return status;
    }
    const lotor_status encoded = encode_feedback(policy, event, feedback, why);
    if (encoded == LOTOR_OK) {
        status = lotor_inbox_observe(policy->inbox, event, policy->units);
    }
    lotor_wipe(policy->units, policy->unit_count * sizeof *policy->units);
    if (encoded != LOTOR_OK) {
        return encoded;
    }
    return status == LOTOR_OK ? LOTOR_OK : refuse_feedback(status, event, why);
}

/* Gives the rewards of a round to the statistic. In a cascade these are the rewards of the
 * positions up to the click, which come first. Their number reveals the click, so private
 * statistics get the whole list. */
static lotor_status feed_statistic(lotor_policy *policy, const lotor_round *round)
{
    const int64_t *values = round->units;
    size_t heard = round->arm_count;
    if (policy->coder.feedback->kind == LOTOR_FEEDBACK_CASCADE) {
        for (heard = 0; heard < round->arm_count && round->units[heard] != 0; heard++) {
        }
        heard = policy->algorithm->statistic->hears_lists ? round->arm_count : heard;
        values = round->units + policy->params.slots;
    }
    int64_t weighed;
    if (lotor_policy_has_weights(policy->algorithm)) {
        weighed = lotor_policy_weigh(policy, round->units[0], round->units[1]);
        values = &weighed;
    }
    return lotor_statistic_feed_round(policy->statistic, round->arms, values, heard,
                                      policy->rounds_ended + 1, &policy->noise, policy->board);
}

lotor_status lotor_policy_feed_final(lotor_policy *policy, const lotor_round *round)
{
    lotor_status status = LOTOR_OK;
    if (policy->linear) {
        status = lotor_policy_feed_action(policy, round);
    } else if (policy->statistic) {
        status = feed_statistic(policy, round);
    } else if (lotor_policy_is_viable(policy, round->arms[0])) {
        /* the open rounds of an arm that was dropped no longer count */
        lotor_epoch_feed(policy->epochs, round->arms[0], round->units[0], 1);
    }
    policy->rounds_ended += status == LOTOR_OK;
    return status;
}

/* Feeds all rounds that are final, up to the first that is not. */
static lotor_status feed_all_final(lotor_policy *policy, lotor_message *why)
{
    lotor_status status = lotor_policy_settle(policy); /* what an earlier call could not finish */
    lotor_round round;
    while (status == LOTOR_OK && lotor_inbox_peek(policy->inbox, &round)) {
        status = lotor_policy_feed_final(policy, &round);
        if (status == LOTOR_OK) {
            (void)lotor_inbox_drop(policy->inbox);
            status = lotor_policy_settle(policy);
        }
    }
    if (status != LOTOR_OK) {
        lotor_explain(why, "%s: try again later",
                      status == LOTOR_ENTROPY ? "the system gives no random bytes"
                                              : "the release could not be recorded");
    }
    return status;
}

lotor_status lotor_policy_expire(lotor_policy *policy, uint64_t event, lotor_message *why)
{
    lotor_status status = lotor_secure_refuse_child(policy->owned, "policy", why);
    if (status != LOTOR_OK) {
        return status;
    }
    status = lotor_inbox_expire(policy->inbox, event);
    if (status != LOTOR_OK) {
        return lotor_fail(status, why, "round %llu was never shown", (unsigned long long)event);
    }
    return feed_all_final(policy, why);
}

lotor_status lotor_policy_tick(lotor_policy *policy, uint64_t second, lotor_message *why)
{
    if (!policy->params.half_life_in_seconds) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the policy has no half-life in seconds: set half_life_in_seconds");
    }
    if (second >= UINT64_C(1) << 62) {
        return lotor_fail(LOTOR_INVALID, why, "a time is below 2^62 seconds, not %llu",
                          (unsigned long long)second);
    }
    if (lotor_imed_tick(policy->imed, policy->rounds_ended, second)) {
        policy->held.is_on = false; /* another list may be better now, however few people come */
    }
    return LOTOR_OK;
}

/* Checks the feedback of a round of lotor_policy_learn_many. Changes only policy->units. */
static lotor_status check_feedback(lotor_policy *policy, uint64_t event,
                                   const lotor_feedback *feedback, lotor_message *why)
{
    lotor_status status = lotor_inbox_can_observe(policy->inbox, event);
    if (status != LOTOR_OK) {
        return refuse_feedback(status, event, why);
    }
    lotor_message reason = {""};
    status = encode_feedback(policy, event, feedback, &reason);
    if (status != LOTOR_OK) {
        lotor_explain(why, "round %llu: %.280s", (unsigned long long)event, reason.text);
    }
    return status;
}

/* Keeps feedback that check_feedback has accepted, and makes its round final. */
static void keep_feedback(lotor_policy *policy, uint64_t event, const lotor_feedback *feedback)
{
    lotor_status status = encode_feedback(policy, event, feedback, NULL);
    assert(status == LOTOR_OK);
    status = lotor_inbox_observe(policy->inbox, event, policy->units);
    assert(status == LOTOR_OK);
    status = lotor_inbox_expire(policy->inbox, event);
    assert(status == LOTOR_OK);
    (void)status;
}

lotor_status lotor_policy_learn_many(lotor_policy *policy, uint64_t first, uint64_t rounds,
                                     const lotor_feedback *feedback, lotor_message *why)
{
    lotor_status status = lotor_secure_refuse_child(policy->owned, "policy", why);
    if (status != LOTOR_OK || first == 0 || rounds == 0) {
        return status;
    }
    if (!feedback) {
        return lotor_fail(LOTOR_INVALID, why, "the feedback is NULL: give that of every round");
    }
    for (uint64_t i = 0; i < rounds && status == LOTOR_OK; i++) {
        status = check_feedback(policy, first + i, &feedback[i], why);
    }
    for (uint64_t i = 0; i < rounds && status == LOTOR_OK; i++) {
        keep_feedback(policy, first + i, &feedback[i]);
    }
    lotor_wipe(policy->units, policy->unit_count * sizeof *policy->units);
    return status == LOTOR_OK ? feed_all_final(policy, why) : status;
}

lotor_status lotor_policy_learn(lotor_policy *policy, uint64_t event,
                                const lotor_feedback *feedback, lotor_message *why)
{
    return lotor_policy_learn_many(policy, event, 1, feedback, why);
}
