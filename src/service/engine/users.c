/* users.c - counts the rounds of a user: the cap of rounds per user, and the budget over several
 * campaigns. See budgets.md.
 *
 * All changes are part of the transaction of the owner's cycle. If the cycle is fenced or its commit
 * fails, nothing was counted and nothing was drawn.
 */
#include <assert.h>

#include "service/engine/budgets.h"
#include "service/engine/inside.h"

/* Owners of other campaigns of a budget may be on other servers, and a user may be on several pages
 * at once. So a whole budget is locked at a time, and budgets in the order of ids: then no two
 * transactions can wait for each other. */
lotor_status lotor_users_lock(lotor_engine *engine, lotor_campaign *const *list, size_t count,
                              lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    for (uint64_t last = 0, next = 1; status == LOTOR_OK && next != 0; last = next) {
        next = 0;
        for (size_t i = 0; i < count; i++) {
            const uint64_t id = list[i]->budget ? list[i]->budget->id : 0;
            next = id > last && (next == 0 || id < next) ? id : next;
        }
        if (next != 0) {
            status = lotor_store_lock_budget(engine->store, next, why);
        }
    }
    return status;
}

/* In a budget with a delta, the first round pays for all rounds that the cap allows: budgets.md says
 * why. */
static lotor_status charge(lotor_engine *engine, const lotor_campaign *campaign,
                           const lotor_user *user, bool is_first, lotor_message *why, bool *charged)
{
    const bool is_paid = campaign->budget->most_squares > 0 && !is_first;
    *charged = true;
    return is_paid ? LOTOR_OK
                   : lotor_store_charge(engine->store, campaign->budget->id, user->payer,
                                        &campaign->charge, why, charged);
}

lotor_status lotor_users_charge(lotor_engine *engine, const lotor_campaign *campaign,
                                const lotor_user *user, lotor_message *why, bool *counted)
{
    const uint64_t cap = campaign->rounds_per_user;
    lotor_status status = LOTOR_OK;
    uint64_t shown = 0;
    *counted = true;
    if (campaign->budget && campaign->budget->most_squares > 0) {
        assert(cap > 0);
        status = lotor_store_user_count(engine->store, campaign->id, user->hash, why, &shown);
    }
    if (status == LOTOR_OK && cap > 0) {
        status = lotor_store_count_user(engine->store, campaign->id, user->hash, cap, why, counted);
    }
    if (status != LOTOR_OK || !*counted || !campaign->budget) {
        return status;
    }
    status = charge(engine, campaign, user, shown == 0, why, counted);
    if (status == LOTOR_OK && !*counted && cap > 0) {
        status = lotor_store_uncount_user(engine->store, campaign->id, user->hash, why);
    }
    return status;
}
