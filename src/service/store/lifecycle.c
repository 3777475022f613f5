/* lifecycle.c - deletes a campaign: its private rows, but not its releases.
 *
 * A table that holds private bytes of a campaign has a line here. `spend` has none: what a user has
 * spent of a budget stays spent, though the campaign is gone.
 */
#include "base/message.h"
#include "service/store/driver.h"

static lotor_status run_all(lotor_store *store, const char *const *statements, size_t count,
                            uint64_t campaign, lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; status == LOTOR_OK && i < count; i++) {
        status = lotor_sql_change(store, why, NULL, statements[i],
                                  LOTOR_VALUES(lotor_sql_whole(campaign)));
    }
    return status;
}

/* Rows that servers write without the lease. */
static lotor_status erase_unfenced(lotor_store *store, uint64_t campaign, lotor_message *why)
{
    static const char *const statements[] = {
        "DELETE FROM lotor_users WHERE campaign = $1",
        "DELETE FROM lotor_stickies WHERE campaign = $1",
        "DELETE FROM lotor_log WHERE campaign = $1",
        "DELETE FROM lotor_wants WHERE campaign = $1",
    };
    return run_all(store, statements, sizeof statements / sizeof *statements, campaign, why);
}

/* The rows that are written before the lease in a transaction are deleted before the lease is changed,
 * too: an owner that has counted users and waits for the lease is not waited for. The lease then keeps
 * the owner from writing anything else. The second pass deletes the rows that came in between. */
lotor_status lotor_store_erase(lotor_store *store, uint64_t campaign, lotor_message *why)
{
    static const char *const fenced[] = {
        ("UPDATE lotor_leases SET owner = 0, epoch = epoch + 1, final = sealed, due = 0 "
         "WHERE campaign = $1"),
        "DELETE FROM lotor_campaign_keys WHERE campaign = $1",
        "DELETE FROM lotor_states WHERE campaign = $1",
        "DELETE FROM lotor_blocks WHERE campaign = $1",
    };
    if (!store->in_transaction) {
        return lotor_fail(LOTOR_INVALID, why, "a campaign is deleted only inside a transaction");
    }
    lotor_status status = erase_unfenced(store, campaign, why);
    if (status == LOTOR_OK) {
        status = run_all(store, fenced, sizeof fenced / sizeof *fenced, campaign, why);
    }
    return status == LOTOR_OK ? erase_unfenced(store, campaign, why) : status;
}

lotor_status lotor_store_erase_left(lotor_store *store, uint64_t campaign, lotor_message *why)
{
    bool alone;
    lotor_status status = lotor_sql_enter(store, why, &alone);
    if (status == LOTOR_OK) {
        status = erase_unfenced(store, campaign, why);
    }
    return lotor_sql_leave(store, alone, status, why);
}

lotor_status lotor_store_overwrite(lotor_store *store, lotor_message *why)
{
    return store->driver->overwrite ? store->driver->overwrite(store, why) : LOTOR_OK;
}
