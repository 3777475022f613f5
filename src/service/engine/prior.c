/* prior.c - the warm start: a new campaign learns from what another campaign has released.
 *
 *      releases of the other campaign ─▶ checked against their chain ─▶ by arm ─▶ the first state
 *
 * The facts become a part of the policy in the campaign's first state, which is written in the transaction
 * that makes the campaign. So every server has the same facts, also after a restart. Nothing is read
 * from the other campaign later. policy/prior.md has the proof.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/engine/inside.h"

/* The facts about the arms that both campaigns have. */
typedef struct gathering {
    size_t *place; /* by arm of the other campaign: the arm of the new one; SIZE_MAX: none */
    double epsilon;
    struct found {
        lotor_prior_fact fact;
        size_t order; /* of the release, from 0 */
    } * found;
    size_t count, room;
} gathering;

static lotor_status take_fact(void *context, const lotor_arm_fact *fact)
{
    gathering *const all = context;
    const size_t arm = all->place[fact->arm];
    if (arm == SIZE_MAX) {
        return LOTOR_OK;
    }
    if (all->count == all->room) {
        const size_t room = all->room ? 2 * all->room : 64;
        struct found *const found = realloc(all->found, room * sizeof *found);
        if (!found) {
            return LOTOR_MEMORY;
        }
        all->found = found;
        all->room = room;
    }
    all->found[all->count] = (struct found){
        {(uint32_t)arm, fact->count, fact->value, all->epsilon},
        all->count,
    };
    all->count++;
    return LOTOR_OK;
}

static int by_arm(const void *left, const void *right)
{
    const struct found *const a = left, *const b = right;
    if (a->fact.arm != b->fact.arm) {
        return a->fact.arm < b->fact.arm ? -1 : 1;
    }
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Sorts the facts by arm, and leaves the latest ones of each arm. */
static size_t sort_facts(gathering *all, lotor_prior_fact *out)
{
    size_t count = 0;
    if (all->count > 0) {
        qsort(all->found, all->count, sizeof *all->found, by_arm);
    }
    for (size_t i = 0; i < all->count; i++) {
        const size_t later = i + LOTOR_PRIOR_MOST;
        const uint32_t arm = all->found[i].fact.arm;
        if (later >= all->count || all->found[later].fact.arm != arm) {
            out[count++] = all->found[i].fact;
        }
    }
    return count;
}

/* The first field that must be the same for the facts to mean the same, and is not; NULL: none. */
static const char *find_difference(const lotor_spec *spec, const lotor_spec *other)
{
    if (strcmp(spec->algorithm, other->algorithm) != 0) {
        return "algorithm";
    }
    if (spec->clicks != other->clicks) {
        return "feedback";
    }
    if (spec->low != other->low || spec->high != other->high) {
        return "reward_range";
    }
    return spec->default_reward != other->default_reward ? "default_reward" : NULL;
}

/* Campaigns that other servers have just made are not in the table yet. */
static lotor_status find_campaign(lotor_engine *engine, const char *name, lotor_message *why,
                                  lotor_campaign **out)
{
    *out = lotor_table_find(engine, name);
    if (*out) {
        return LOTOR_OK;
    }
    const lotor_status status = lotor_register_poll(engine, why);
    *out = lotor_table_find(engine, name);
    return status;
}

static lotor_status gather(lotor_engine *engine, const lotor_campaign *other, lotor_spec *spec,
                           gathering *all, lotor_message *why)
{
    all->epsilon = lotor_ratio_to_double(other->spec->epsilon);
    all->place = calloc(other->arms, sizeof *all->place);
    if (!all->place) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the releases of another campaign");
    }
    for (size_t i = 0; i < other->arms; i++) {
        all->place[i] = other->ids[i] ? lotor_spec_arm(spec, other->ids[i]) : SIZE_MAX;
    }
    return lotor_releases_each_fact(engine, other, take_fact, all, why, &spec->prior_releases);
}

/* Gives the facts to the policy. */
static lotor_status hand_over(gathering *all, const lotor_spec *spec, lotor_policy *policy,
                              lotor_refusal *refusal, lotor_message *why)
{
    if (all->count == 0) {
        lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "prior",
                     "the campaign %s has released nothing about an arm of this campaign: expected "
                     "a campaign with releases about arms of the same id, or no prior",
                     spec->prior);
        return LOTOR_OK;
    }
    lotor_prior_fact *const facts = calloc(all->count, sizeof *facts);
    if (!facts) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the releases of another campaign");
    }
    const lotor_status status = lotor_policy_take_prior(policy, facts, sort_facts(all, facts), why);
    free(facts);
    if (status == LOTOR_INVALID) {
        lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "prior", "%s", why->text);
        return LOTOR_OK;
    }
    return status;
}

lotor_status lotor_prior_take(lotor_engine *engine, lotor_spec *spec, lotor_policy *policy,
                              lotor_refusal *refusal, lotor_message *why)
{
    lotor_campaign *other;
    gathering all = {0};
    if (!spec->prior[0]) {
        return LOTOR_OK;
    }
    lotor_status status = find_campaign(engine, spec->prior, why, &other);
    if (status != LOTOR_OK) {
        return status;
    }
    if (!other) {
        lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "prior",
                     "there is no campaign named %s: expected a campaign that has released "
                     "something, or no prior",
                     spec->prior);
        return LOTOR_OK;
    }
    const char *const field = find_difference(spec, other->spec);
    if (field) {
        lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, field,
                     "the campaign %s, whose releases are the prior, has another %s: expected the "
                     "same %s, or no prior",
                     spec->prior, field, field);
        return LOTOR_OK;
    }
    status = gather(engine, other, spec, &all, why);
    if (status == LOTOR_DAMAGED) {
        lotor_refuse(
            refusal, LOTOR_CODE_BROKEN, "prior",
            "the chain of releases of the campaign %s was changed in the store: see `lotor "
            "check`",
            spec->prior);
        status = LOTOR_OK;
    } else if (status == LOTOR_OK) {
        status = hand_over(&all, spec, policy, refusal, why);
    }
    free(all.place);
    free(all.found);
    return status;
}
