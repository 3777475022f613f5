/* audit.c - the audit log: a row for each administrative act, and a hash chain over all rows. See
 * store.h, and rows.c for the other tables.
 */
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "service/little.h"
#include "service/store/driver.h"

static void hash_text(crypto_generichash_state *state, const char *text)
{
    unsigned char length[8];
    lotor_put_u64(length, strlen(text));
    crypto_generichash_update(state, length, sizeof length);
    crypto_generichash_update(state, (const unsigned char *)text, strlen(text));
}

void lotor_audit_row_chain(lotor_audit_row *row, const unsigned char head[LOTOR_STORE_HASH])
{
    crypto_generichash_state state;
    unsigned char numbers[16];
    crypto_generichash_init(&state, NULL, 0, sizeof row->hash);
    crypto_generichash_update(&state, head, LOTOR_STORE_HASH);
    lotor_put_u64(numbers, row->number);
    lotor_put_u64(numbers + 8, row->time);
    crypto_generichash_update(&state, numbers, sizeof numbers);
    hash_text(&state, row->key);
    hash_text(&state, row->key_id);
    hash_text(&state, row->campaign);
    hash_text(&state, row->act);
    hash_text(&state, row->change);
    crypto_generichash_final(&state, row->hash, sizeof row->hash);
}

/* Reads the hash of a row; zeros for number 0. */
static lotor_status get_audit_hash(lotor_store *store, uint64_t number, lotor_message *why,
                                   unsigned char hash[LOTOR_STORE_HASH])
{
    bool is_there = number == 0;
    memset(hash, 0, LOTOR_STORE_HASH);
    lotor_status status =
        lotor_sql_select(store, why, "SELECT hash FROM lotor_audit WHERE number = $1",
                         LOTOR_VALUES(lotor_sql_whole(number)));
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, "audit", why, LOTOR_OK};
        lotor_row_exactly(&at, 0, hash, LOTOR_STORE_HASH);
        status = at.status;
        is_there = true;
    }
    return status == LOTOR_OK && !is_there
               ? lotor_fail((lotor_status)LOTOR_DAMAGED, why,
                            "the store is damaged: row %" PRIu64 " of table audit is missing",
                            number)
               : status;
}

/* The last number is kept in `meta`. That row stays locked until the transaction ends, so numbers
 * have no gaps and each row sees the one before it. */
static lotor_status next_audit(lotor_store *store, lotor_message *why, uint64_t *number)
{
    char last[24];
    uint64_t changed;
    lotor_status status =
        lotor_sql_change(store, why, &changed,
                         "UPDATE lotor_meta SET value = CAST(CAST(value AS bigint) "
                         "+ 1 AS text) WHERE key = 'audit'",
                         NULL, 0);
    if (status == LOTOR_OK) {
        status = lotor_store_get_meta(store, "audit", why, last, sizeof last);
    }
    if (status == LOTOR_OK && (changed != 1 || sscanf(last, "%" SCNu64, number) != 1 ||
                               *number == 0 || *number > INT64_MAX)) {
        status = lotor_fail((lotor_status)LOTOR_DAMAGED, why,
                            "the store is damaged: its value %s is not a number",
                            lotor_quote_text("audit").text);
    }
    return status;
}

static lotor_status add_audit(lotor_store *store, lotor_audit_row *row, lotor_message *why)
{
    unsigned char head[LOTOR_STORE_HASH];
    lotor_status status = next_audit(store, why, &row->number);
    if (status == LOTOR_OK) {
        status = get_audit_hash(store, row->number - 1, why, head);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_audit_row_chain(row, head);
    return lotor_sql_change(
        store, why, NULL,
        "INSERT INTO lotor_audit (number, time, key, key_id, campaign, act, change, hash) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        LOTOR_VALUES(lotor_sql_whole(row->number), lotor_sql_whole(row->time),
                     lotor_sql_text(row->key), lotor_sql_text(row->key_id),
                     lotor_sql_text(row->campaign), lotor_sql_text(row->act),
                     lotor_sql_text(row->change), lotor_sql_bytes(row->hash, sizeof row->hash)));
}

lotor_status lotor_store_add_audit(lotor_store *store, const lotor_audit_row *row,
                                   lotor_message *why)
{
    bool alone;
    lotor_audit_row copy = *row;
    lotor_status status = lotor_sql_enter(store, why, &alone);
    if (status == LOTOR_OK) {
        status = add_audit(store, &copy, why);
    }
    return lotor_sql_leave(store, alone, status, why);
}

lotor_status lotor_store_each_audit(lotor_store *store, uint64_t after, uint64_t most,
                                    lotor_on_audit *told, void *context, lotor_message *why)
{
    unsigned char head[LOTOR_STORE_HASH] = {0};
    uint64_t number = after;
    if (after > INT64_MAX || most == 0) {
        return LOTOR_OK;
    }
    /* the row `after` comes first, for its hash */
    lotor_status status = lotor_sql_select(
        store, why,
        "SELECT number, time, key, key_id, campaign, act, change, hash FROM lotor_audit "
        "WHERE number >= $1 ORDER BY number LIMIT $2",
        LOTOR_VALUES(lotor_sql_whole(after),
                     lotor_sql_whole(most < INT64_MAX ? most + (after > 0) : INT64_MAX)));
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, "audit", why, LOTOR_OK};
        lotor_audit_row row = {.number = lotor_row_whole(&at, 0, 1, INT64_MAX),
                               .time = lotor_row_number(&at, 1),
                               .key = lotor_row_text(&at, 2),
                               .key_id = lotor_row_text(&at, 3),
                               .campaign = lotor_row_text(&at, 4),
                               .act = lotor_row_text(&at, 5),
                               .change = lotor_row_text(&at, 6)};
        unsigned char hash[LOTOR_STORE_HASH];
        lotor_row_exactly(&at, 7, hash, sizeof hash);
        status = at.status;
        const bool is_before = row.number == after;
        if (status == LOTOR_OK && !is_before) {
            lotor_audit_row_chain(&row, head);
            number++;
            status = row.number == number && memcmp(row.hash, hash, sizeof hash) == 0
                         ? told(context, &row)
                         : lotor_fail((lotor_status)LOTOR_DAMAGED, why,
                                      "line %" PRIu64 " of the audit log is missing or was changed",
                                      number);
        }
        memcpy(head, hash, sizeof head);
    }
    return status;
}
