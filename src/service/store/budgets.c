/* budgets.c - the statements of budgets over several campaigns, and of what users have spent. See
 * driver.h for their notation. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "service/store/driver.h"

/* The last id is kept in `meta`. Its row stays locked until the transaction ends. */
lotor_status lotor_store_next_budget(lotor_store *store, lotor_message *why, uint64_t *id)
{
    char last[24];
    uint64_t changed;
    if (!store->in_transaction) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a budget's id can be taken only inside a transaction");
    }
    lotor_status status =
        lotor_sql_change(store, why, &changed,
                         "UPDATE lotor_meta SET value = CAST(CAST(value AS bigint) "
                         "+ 1 AS text) WHERE key = 'budgets'",
                         NULL, 0);
    if (status == LOTOR_OK) {
        status = lotor_store_get_meta(store, "budgets", why, last, sizeof last);
    }
    if (status == LOTOR_OK &&
        (changed != 1 || sscanf(last, "%" SCNu64, id) != 1 || *id == 0 || *id > INT64_MAX)) {
        status = lotor_fail((lotor_status)LOTOR_DAMAGED, why,
                            "the store is damaged: its value %s is not a number",
                            lotor_quote_text("budgets").text);
    }
    return status;
}

lotor_status lotor_store_add_budget(lotor_store *store, const lotor_budget_row *row,
                                    lotor_message *why)
{
    uint64_t added;
    const lotor_status status = lotor_sql_change(
        store, why, &added,
        "INSERT INTO lotor_budgets (id, name, spec, seal, created) VALUES ($1, $2, $3, $4, $5) "
        "ON CONFLICT (name) DO NOTHING",
        LOTOR_VALUES(lotor_sql_whole(row->id), lotor_sql_text(row->name), lotor_sql_text(row->spec),
                     lotor_sql_bytes(row->seal, LOTOR_STORE_HASH), lotor_sql_real(row->created)));
    return status == LOTOR_OK && added == 0
               ? lotor_fail((lotor_status)LOTOR_DUPLICATE, why,
                            "there is already a budget named %s", lotor_quote_text(row->name).text)
               : status;
}

lotor_status lotor_store_each_budget(lotor_store *store, lotor_on_budget *told, void *context,
                                     lotor_message *why)
{
    lotor_status status = lotor_sql_select(
        store, why, "SELECT id, name, spec, seal, created FROM lotor_budgets ORDER BY id", NULL, 0);
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, "budgets", why, LOTOR_OK};
        unsigned char seal[LOTOR_STORE_HASH];
        lotor_budget_row row = {
            .id = lotor_row_whole(&at, 0, 1, INT64_MAX),
            .name = lotor_row_text(&at, 1),
            .spec = lotor_row_text(&at, 2),
            .seal = seal,
            .created = lotor_row_real(&at, 4),
        };
        lotor_row_exactly(&at, 3, seal, sizeof seal);
        if (at.status == LOTOR_DAMAGED) { /* one damaged row must not stop other campaigns */
            row.spec = "";
            memset(seal, 255, sizeof seal);
            at.status = LOTOR_OK;
        }
        status = at.status == LOTOR_OK ? told(context, &row) : at.status;
    }
    return status;
}

/* SQLite has no other server to wait for, and does not know FOR UPDATE. */
lotor_status lotor_store_lock_budget(lotor_store *store, uint64_t budget, lotor_message *why)
{
    return lotor_store_is_exclusive(store)
               ? LOTOR_OK
               : lotor_sql_change(store, why, NULL,
                                  "SELECT id FROM lotor_budgets WHERE id = $1 FOR UPDATE",
                                  LOTOR_VALUES(lotor_sql_whole(budget)));
}

/* Both sums stay below LOTOR_SPEND_MOST, so that adding to them can't overflow. */
_Static_assert(LOTOR_SPEND_MOST == INT64_C(4611686018427387903), "the number in the statement");
#define SUM(column, cost)                                                                          \
    "CASE WHEN known." column " + " cost " < 4611686018427387903 THEN known." column " + " cost    \
    " ELSE 4611686018427387903 END"

/* If the charge is refused, no row changes. */
lotor_status lotor_store_charge(lotor_store *store, uint64_t budget, const unsigned char hash[16],
                                const lotor_charge *charge, lotor_message *why, bool *charged)
{
    uint64_t changed;
    const lotor_status status = lotor_sql_change(
        store, why, &changed,
        "INSERT INTO lotor_spend AS known (budget, hash, amount, squares) SELECT $1, $2, $3, $4 "
        "WHERE $3 <= $5 OR ($6 > 0 AND $4 <= $6) ON CONFLICT (budget, hash) DO UPDATE SET "
        "amount = " SUM("amount", "$3") ", squares = " SUM(
            "squares",
            "$4") " WHERE known.amount + $3 <= $5 OR ($6 > 0 AND known.squares + $4 <= $6)",
        LOTOR_VALUES(lotor_sql_whole(budget), lotor_sql_bytes(hash, 16),
                     lotor_sql_whole(charge->amount), lotor_sql_whole(charge->squares),
                     lotor_sql_whole(charge->most_amount), lotor_sql_whole(charge->most_squares)));
    *charged = status == LOTOR_OK && changed == 1;
    return status;
}

lotor_status lotor_store_user_count(lotor_store *store, uint64_t campaign,
                                    const unsigned char hash[16], lotor_message *why,
                                    uint64_t *shown)
{
    *shown = 0;
    lotor_status status = lotor_sql_select(
        store, why, "SELECT shown FROM lotor_users WHERE campaign = $1 AND hash = $2",
        LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_bytes(hash, 16)));
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, "users", why, LOTOR_OK};
        *shown = lotor_row_number(&at, 0);
        status = at.status;
    }
    return status;
}

lotor_status lotor_store_uncount_user(lotor_store *store, uint64_t campaign,
                                      const unsigned char hash[16], lotor_message *why)
{
    return lotor_sql_change(store, why, NULL,
                            "UPDATE lotor_users SET shown = shown - 1 "
                            "WHERE campaign = $1 AND hash = $2 AND shown > 0",
                            LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_bytes(hash, 16)));
}
