/* serving.c - decisions of a policy whose rounds the service keeps: drawing, previewing, and taking
 * back (serving.h).
 *
 * The shown arms are public, and so is which arms are eligible. A decision depends on releases,
 * public numbers and the eligible arms, so drawing it is post-processing. In linear problems it
 * also depends on the person's own context, which joint privacy allows.
 */
#include "policy/serving.h"

#include <assert.h>

#include "base/digits.h"
#include "base/message.h"
#include "base/secure.h"
#include "policy/evaluation.h"
#include "policy/policy.h"

/* A decision that is being made. */
typedef struct draft {
    lotor_decision *out;
    const bool *eligible; /* NULL: all arms */
    bool passing;         /* the list is for this round only (hold.c) */
} draft;

static lotor_status check_use(const lotor_policy *policy, lotor_message *why)
{
    if (!lotor_policy_can_serve(policy)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s on this structure can't be served: take one of the ids that `lotor "
                          "serve` offers, on any K arms or on a matroid",
                          policy->algorithm->id);
    }
    if (!policy->is_served && policy->asked > 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "this policy keeps its own rounds: go on with lotor_policy_choose");
    }
    return lotor_secure_refuse_child(policy->owned, "policy", why);
}

/* Checks that enough arms are eligible. If all arms are, sets *eligible to NULL. */
static lotor_status check_mask(const lotor_policy *policy, const bool **eligible,
                               lotor_message *why)
{
    const size_t arms = policy->params.arms;
    const bool top = policy->params.structure == LOTOR_STRUCTURE_TOP;
    const size_t least = top ? policy->params.slots : 1;
    size_t count = 0;
    for (size_t i = 0; *eligible && i < arms; i++) {
        count += (*eligible)[i];
    }
    if (*eligible && count < least) {
        return lotor_fail(LOTOR_INVALID, why,
                          "too few arms may be shown (%zu of at least %zu): name more of them, or "
                          "resume paused arms",
                          count, least);
    }
    *eligible = count == arms ? NULL : *eligible;
    return LOTOR_OK;
}

/* Checks the contexts. A message names the arm, but never the context, which is personal data. */
static lotor_status check_actions(const lotor_policy *policy, const double *context,
                                  const bool *eligible, lotor_message *why)
{
    const size_t dimension = policy->params.dimension;
    if (!context) {
        return lotor_fail(LOTOR_INVALID, why, "%s needs a context: %zu numbers for every arm",
                          policy->algorithm->id, dimension);
    }
    for (size_t i = 0; i < policy->params.arms; i++) {
        if ((!eligible || eligible[i]) && !lotor_policy_is_short(policy, context + i * dimension)) {
            char most[LOTOR_DIGITS_ROOM];
            return lotor_fail(LOTOR_RANGE, why,
                              "the context of arm %zu (counted from 0) is longer than %s, or no "
                              "number: scale the contexts down, all alike",
                              i, lotor_digits(policy->params.context_length, most));
        }
    }
    return LOTOR_OK;
}

static lotor_status draft_action(lotor_policy *policy, const double *context, draft *work,
                                 lotor_message *why)
{
    const lotor_status status = check_actions(policy, context, work->eligible, why);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_linear_begin(policy->linear, policy->asked + 1, policy->seed);
    policy->single = work->eligible ? lotor_linear_choose_among(policy->linear, policy->board,
                                                                context, work->eligible)
                                    : lotor_linear_choose(policy->linear, policy->board, context);
    work->out->arms = work->out->asked = &policy->single;
    work->out->count = work->out->asked_count = 1;
    return LOTOR_OK;
}

/* Open rounds may become final, and cause a release, at any time. So no decision is held. */
static uint64_t no_room(const void *context, size_t arm)
{
    (void)context;
    (void)arm;
    return 1;
}

static size_t pick(lotor_policy *policy, draft *work, const uint32_t **arms)
{
    uint64_t hold;
    if (!lotor_policy_records_one(policy->algorithm)) {
        return lotor_policy_pick_by_index(policy, work->eligible, no_room, NULL, arms, &hold);
    }
    if (!work->eligible) {
        return lotor_policy_pick_held(policy, arms, &hold);
    }
    const size_t count = lotor_policy_pick_passing(policy, work->eligible, &work->passing);
    *arms = work->passing ? policy->passing.arms : policy->held.arms;
    return count;
}

static lotor_status draft_arms(lotor_policy *policy, draft *work, lotor_message *why)
{
    lotor_decision *out = work->out;
    out->count = pick(policy, work, &out->arms);
    assert(out->count <= policy->params.slots);
    if (out->count == 0 && policy->own && lotor_own_failure(policy->own)) {
        return lotor_policy_refuse_pick(policy, why);
    }
    if (out->count == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "no set of the arms that may be shown fits the oracle: name others");
    }
    lotor_policy_ask(policy, out);
    if (work->passing) {
        out->asked = &policy->passing.recorded;
    }
    return LOTOR_OK;
}

static lotor_status decide(lotor_policy *policy, const double *context, draft *work,
                           lotor_message *why)
{
    *work->out = (lotor_decision){.hold = 1};
    lotor_status status = check_use(policy, why);
    if (status == LOTOR_OK) {
        status = check_mask(policy, &work->eligible, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    return policy->linear ? draft_action(policy, context, work, why)
                          : draft_arms(policy, work, why);
}

lotor_status lotor_policy_preview(lotor_policy *policy, const double *context, const bool *eligible,
                                  lotor_message *why, lotor_decision *out)
{
    return decide(policy, context, &(draft){out, eligible, false}, why);
}

static void count_displays(lotor_policy *policy, const draft *work)
{
    if (work->passing) {
        lotor_policy_count_passing(policy);
        return;
    }
    if (lotor_policy_records_one(policy->algorithm)) {
        lotor_policy_count_display(policy, 1);
        return;
    }
    for (size_t i = 0; i < work->out->asked_count; i++) {
        policy->shown[work->out->asked[i]]++;
    }
}

lotor_status lotor_policy_draw(lotor_policy *policy, const double *context, const bool *eligible,
                               lotor_message *why, lotor_decision *out)
{
    draft work = {out, eligible, false};
    const lotor_status status = decide(policy, context, &work, why);
    if (status != LOTOR_OK) {
        return status;
    }
    policy->is_served = true;
    if (!lotor_policy_is_past_horizon(policy)) {
        out->event = ++policy->rounds;
    }
    const lotor_round_role role = policy->evaluation && out->event != 0
                                      ? lotor_evaluation_assign(policy, work.eligible, out)
                                      : LOTOR_ROUND_LEARNS;
    policy->asked++;
    if (role == LOTOR_ROUND_LEARNS) {
        count_displays(policy, &work);
    } else {
        policy->measuring++;
    }
    return LOTOR_OK;
}

lotor_status lotor_policy_choose_among(lotor_policy *policy, const bool *eligible,
                                       lotor_message *why, lotor_decision *out)
{
    draft work = {out, eligible, false};
    assert(!policy->linear && !policy->is_served &&
           lotor_policy_takes_masks(policy->algorithm, policy->params.structure));
    *out = (lotor_decision){.hold = 1};
    lotor_status status = check_mask(policy, &work.eligible, why);
    if (status == LOTOR_OK) {
        status = draft_arms(policy, &work, why);
    }
    if (status == LOTOR_OK && !lotor_policy_is_past_horizon(policy)) {
        status = lotor_policy_open_rounds(policy, 1, out);
        policy->rounds += status == LOTOR_OK;
    }
    if (status == LOTOR_OK) {
        policy->asked++;
        count_displays(policy, &work);
    }
    return status;
}

void lotor_policy_take_back(lotor_policy *policy, const uint32_t *asked, size_t asked_count)
{
    if (policy->rounds_ended >= policy->rounds) {
        return; /* no round is open */
    }
    if (lotor_round_role_of(asked, asked_count) != LOTOR_ROUND_LEARNS) {
        if (policy->measuring == 0) {
            return;
        }
        policy->measuring--;
        asked_count = 0; /* it has no displays to take back */
    }
    for (size_t i = 0; i < asked_count; i++) {
        if (asked[i] >= policy->params.arms || policy->shown[asked[i]] == 0) {
            return;
        }
    }
    for (size_t i = 0; i < asked_count; i++) {
        lotor_policy_uncount_display(policy, asked[i]);
    }
    policy->rounds_ended++;
    policy->voided++;
    assert(policy->voided <= policy->rounds_ended && policy->rounds_ended <= policy->rounds);
}

uint64_t lotor_policy_rounds(const lotor_policy *policy)
{
    return policy->rounds;
}

uint64_t lotor_policy_rounds_over(const lotor_policy *policy)
{
    return policy->rounds_ended;
}
