/* policy.c - a policy at work: asked, answered, and skipped ahead. See policy.h for how its parts are
 * wired, make.c for how it is made. */
#include "policy/policy.h"

#include "base/message.h"

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
