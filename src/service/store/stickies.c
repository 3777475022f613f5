/* stickies.c - the statements of decisions that a user gets again for a while. See driver.h for their
 * notation. */
#include "base/message.h"
#include "service/store/driver.h"

lotor_status lotor_store_get_sticky(lotor_store *store, uint64_t campaign,
                                    const unsigned char hash[16], uint64_t now,
                                    lotor_on_sticky *told, void *context, lotor_message *why)
{
    lotor_status status = lotor_sql_select(
        store, why,
        "SELECT until, decision, nonce, expires, shown FROM lotor_stickies WHERE campaign = $1 AND "
        "hash = $2 AND until > $3",
        LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_bytes(hash, 16), lotor_sql_whole(now)));
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, "stickies", why, LOTOR_OK};
        lotor_sticky_row row = {
            .hash = hash,
            .until = lotor_row_number(&at, 0),
            .decision = lotor_row_number(&at, 1),
            .nonce = lotor_row_bits(&at, 2),
            .expires = lotor_row_number(&at, 3),
        };
        row.shown = lotor_row_bytes(&at, 4, &row.shown_length);
        /* A damaged row is like none, and is replaced: it must not stop the campaign. */
        const bool is_damaged = at.status == LOTOR_DAMAGED;
        status = at.status == LOTOR_OK ? told(context, &row) : at.status;
        status = is_damaged ? (lotor_status)LOTOR_OK : status;
    }
    return status;
}

lotor_status lotor_store_put_sticky(lotor_store *store, uint64_t campaign,
                                    const lotor_sticky_row *row, lotor_message *why)
{
    return lotor_sql_change(
        store, why, NULL,
        "INSERT INTO lotor_stickies (campaign, hash, until, decision, nonce, expires, shown) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (campaign, hash) DO UPDATE SET "
        "until = $3, decision = $4, nonce = $5, expires = $6, shown = $7",
        LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_bytes(row->hash, 16),
                     lotor_sql_whole(row->until), lotor_sql_whole(row->decision),
                     lotor_sql_bits(row->nonce), lotor_sql_whole(row->expires),
                     lotor_sql_bytes(row->shown, row->shown_length)));
}

lotor_status lotor_store_forget_stickies(lotor_store *store, uint64_t campaign, uint64_t now,
                                         lotor_message *why)
{
    return lotor_sql_change(store, why, NULL,
                            "DELETE FROM lotor_stickies WHERE campaign = $1 AND until <= $2",
                            LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_whole(now)));
}
