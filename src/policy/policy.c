/* policy.c - a policy in use: it chooses arms and takes feedback. policy.h shows how its parts are
 * connected, make.c creates it, and skip.c lets the lab play many rounds at once. */
#include "policy/policy.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"

static uint64_t room(const void *context, size_t arm)
{
    return lotor_statistic_room(context, arm);
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
    return lotor_index_choose(policy->index, policy->board, policy->shown, policy->asked + 1,
                              policy->seed, room, policy->statistic, arms, hold);
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
                                                                 : lotor_index_seeds(policy->index);
        out->seed_count = policy->oracle->seeds;
    }
}

static lotor_status choose_arms(lotor_policy *policy, lotor_message *why, lotor_decision *out)
{
    out->count = lotor_policy_pick(policy, &out->arms, &out->hold);
    if (out->count == 0 && policy->params.structure == LOTOR_STRUCTURE_CUSTOM_MATROID) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the independence test let fewer than %zu arms join, but its matroid has "
                          "that rank: it must give the same answer to the same question, and those "
                          "of a matroid",
                          policy->params.slots);
    }
    if (out->count == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the oracle found nothing to show, or no set of at most %zu of the %zu "
                          "arms",
                          policy->params.slots, policy->params.arms);
    }
    if (lotor_inbox_waiting(policy->inbox) > 0 && !lotor_policy_records_one(policy->algorithm)) {
        out->hold = 1; /* an open round may become final, and cause a release, at any time */
    }
    lotor_policy_ask(policy, out);
    return LOTOR_OK;
}

bool lotor_policy_is_past_horizon(const lotor_policy *policy)
{
    return policy->params.horizon > 0 && policy->rounds - policy->voided >= policy->params.horizon;
}

lotor_status lotor_policy_choose(lotor_policy *policy, const double *context, lotor_message *why,
                                 lotor_decision *out)
{
    *out = (lotor_decision){.hold = 1};
    if (policy->is_served) {
        return lotor_fail(LOTOR_INVALID, why,
                          "this policy's rounds are kept by a service: draw them there");
    }
    lotor_status status = policy->linear ? lotor_policy_choose_action(policy, context, why, out)
                                         : choose_arms(policy, why, out);
    if (status != LOTOR_OK) {
        return status;
    }
    if (!lotor_policy_is_past_horizon(policy)) {
        status =
            policy->linear
                ? lotor_inbox_show_with(policy->inbox, out->asked, 1, policy->units, &out->event)
                : lotor_inbox_show(policy->inbox, out->asked, out->asked_count, &out->event);
        if (status != LOTOR_OK) {
            return lotor_fail(status, why, "no memory to open another round");
        }
        policy->rounds++;
        assert(lotor_inbox_waiting(policy->inbox) == policy->rounds - policy->rounds_ended);
    }
    policy->asked++;
    if (lotor_policy_records_one(policy->algorithm)) {
        lotor_policy_count_display(policy, 1);
        return LOTOR_OK;
    }
    for (size_t i = 0; i < out->asked_count; i++) {
        policy->shown[out->asked[i]]++;
    }
    return LOTOR_OK;
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
    if (policy->linear) {
        return lotor_policy_observe_action(policy, event, feedback, why);
    }
    const size_t slots = feedback_size(policy, event, feedback->count);
    /* If this feedback is shorter than the last, nothing of the last may stay behind it. */
    memset(policy->units, 0, policy->unit_count * sizeof *policy->units);
    return policy->coder.feedback->encode(&policy->coder.encoding, slots, feedback, why,
                                          policy->units);
}

lotor_status lotor_policy_observe(lotor_policy *policy, uint64_t event,
                                  const lotor_feedback *feedback, lotor_message *why)
{
    lotor_status status = encode_feedback(policy, event, feedback, why);
    if (status != LOTOR_OK) {
        return status;
    }
    status = lotor_inbox_observe(policy->inbox, event, policy->units);
    lotor_wipe(policy->units, policy->unit_count * sizeof *policy->units);
    if (status != LOTOR_OK) {
        lotor_explain(why, "round %llu: %s", (unsigned long long)event,
                      status == LOTOR_LATE        ? "its time is over, the answer is dropped"
                      : status == LOTOR_DUPLICATE ? "it has an answer, which stays"
                                                  : "it was never shown");
    }
    return status;
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

lotor_status lotor_policy_expire(lotor_policy *policy, uint64_t event, lotor_message *why)
{
    lotor_status status = lotor_inbox_expire(policy->inbox, event);
    if (status != LOTOR_OK) {
        return lotor_fail(status, why, "round %llu was never shown", (unsigned long long)event);
    }
    status = lotor_policy_settle(policy); /* finish what an earlier call could not finish */
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
