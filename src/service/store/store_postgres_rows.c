/* store_postgres_rows.c - campaigns, blocks, answers, users and small values in PostgreSQL. */
#ifdef LOTOR_POSTGRES
#include "service/store/store_postgres.h"

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"

/* One row, or `missing` with its sentence. */
static lotor_status change_one(lotor_postgres *store, lotor_pg_query query,
                               const lotor_pg_arguments *with, lotor_status missing,
                               const char *sentence, lotor_message *why)
{
    uint64_t rows;
    const lotor_status status = lotor_pg_change(store, query, with, why, &rows);
    return status == LOTOR_OK && rows != 1 ? lotor_fail(missing, why, "%s", sentence) : status;
}

static const char no_campaign[] = "the store has no such campaign";
static const char breaks_rule[] = "what was to be written breaks a rule of the store";

/* --- campaigns ---------------------------------------------------------------------------------- */

static lotor_status add_rows(lotor_postgres *store, uint64_t id, lotor_message *why)
{
    lotor_pg_arguments with = {0};
    uint64_t rows;
    lotor_pg_number(&with, id);
    const lotor_status status = lotor_pg_change(store, LOTOR_PG_ADD_STATE, &with, why, &rows);
    return status == LOTOR_OK ? lotor_pg_change(store, LOTOR_PG_ADD_MARK, &with, why, &rows)
                              : status;
}

lotor_status lotor_pg_add_campaign(lotor_store *base, const char *name, const char *spec,
                                   double created, lotor_message *why, uint64_t *id)
{
    lotor_postgres *store = lotor_postgres_of(base);
    lotor_pg_arguments with = {0};
    PGresult *rows;
    lotor_pg_text(&with, name);
    lotor_pg_text(&with, spec);
    lotor_pg_double(&with, created);
    lotor_status status = lotor_pg_run(store, LOTOR_PG_LOCK_CHAIN, NULL, why, &rows); /* for ids */
    PQclear(rows);
    if (status == LOTOR_OK) {
        status = lotor_pg_run(store, LOTOR_PG_ADD_CAMPAIGN, &with, why, &rows);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    bool damaged = false;
    if (PQntuples(rows) != 1) {
        status = lotor_fail(LOTOR_INVALID, why, "%s", breaks_rule);
    } else {
        *id = lotor_pg_get_number(rows, 0, 0, &damaged);
        status = damaged ? lotor_pg_refuse("a campaign", why) : add_rows(store, *id, why);
    }
    PQclear(rows);
    return status;
}

static lotor_status tell_campaign(const PGresult *rows, int row, lotor_on_campaign *told,
                                  void *context, lotor_message *why)
{
    bool damaged = false;
    lotor_stored_campaign campaign = {
        .id = lotor_pg_get_number(rows, row, 0, &damaged),
        .name = lotor_pg_get_text(rows, row, 1, &damaged),
        .spec = lotor_pg_get_text(rows, row, 2, &damaged),
        .created = lotor_pg_get_double(rows, row, 3, &damaged),
        .closed = lotor_pg_get_number(rows, row, 4, &damaged) != 0,
        .final = lotor_pg_get_number(rows, row, 5, &damaged),
    };
    campaign.state = lotor_pg_get_bytes(rows, row, 6, &campaign.state_length);
    return damaged ? lotor_pg_refuse("a campaign", why) : told(context, &campaign);
}

lotor_status lotor_pg_each_campaign(lotor_store *base, lotor_on_campaign *told, void *context,
                                    lotor_message *why)
{
    PGresult *rows;
    lotor_status status =
        lotor_pg_run(lotor_postgres_of(base), LOTOR_PG_EACH_CAMPAIGN, NULL, why, &rows);
    for (int i = 0; status == LOTOR_OK && i < PQntuples(rows); i++) {
        status = tell_campaign(rows, i, told, context, why);
    }
    PQclear(rows);
    return status;
}

lotor_status lotor_pg_get_state(lotor_store *base, uint64_t campaign, lotor_on_campaign *told,
                                void *context, lotor_message *why)
{
    lotor_pg_arguments with = {0};
    PGresult *rows;
    lotor_pg_number(&with, campaign);
    lotor_status status =
        lotor_pg_run(lotor_postgres_of(base), LOTOR_PG_GET_STATE, &with, why, &rows);
    if (status == LOTOR_OK && PQntuples(rows) != 1) {
        status = lotor_fail(LOTOR_UNKNOWN, why, "%s", no_campaign);
    }
    if (status == LOTOR_OK) {
        status = tell_campaign(rows, 0, told, context, why);
    }
    PQclear(rows);
    return status;
}

lotor_status lotor_pg_put_state(lotor_store *base, uint64_t campaign, uint64_t final,
                                const unsigned char *state, size_t length, lotor_message *why)
{
    lotor_pg_arguments with = {0};
    lotor_pg_number(&with, campaign);
    lotor_pg_number(&with, final);
    lotor_pg_bytes(&with, state, length);
    return change_one(lotor_postgres_of(base), LOTOR_PG_PUT_STATE, &with, LOTOR_UNKNOWN,
                      no_campaign, why);
}

lotor_status lotor_pg_put_spec(lotor_store *base, uint64_t campaign, const char *spec, bool closed,
                               lotor_message *why)
{
    lotor_postgres *store = lotor_postgres_of(base);
    lotor_pg_arguments with = {0}, counted = {0};
    lotor_pg_number(&with, campaign);
    lotor_pg_text(&with, spec);
    lotor_pg_number(&with, closed);
    lotor_pg_number(&counted, campaign);
    const lotor_status status =
        change_one(store, LOTOR_PG_PUT_SPEC, &with, LOTOR_UNKNOWN, no_campaign, why);
    return status == LOTOR_OK
               ? change_one(store, LOTOR_PG_COUNT_SPEC, &counted, LOTOR_UNKNOWN, no_campaign, why)
               : status;
}

/* --- blocks ------------------------------------------------------------------------------------- */

static bool is_block_fine(const lotor_block *block)
{
    return block->first > 0 && (block->handed == UINT64_MAX || block->handed <= block->count);
}

static void bind_block(lotor_pg_arguments *with, uint64_t campaign, const lotor_block *block)
{
    lotor_pg_number(with, campaign);
    lotor_pg_number(with, block->first);
    lotor_pg_number(with, block->count);
    if (block->handed == UINT64_MAX) {
        lotor_pg_bytes(with, NULL, 0);
    } else {
        lotor_pg_number(with, block->handed);
    }
    lotor_pg_number(with, block->deadline);
}

lotor_status lotor_pg_add_block(lotor_store *base, uint64_t campaign, const lotor_block *block,
                                lotor_message *why)
{
    lotor_pg_arguments with = {0};
    bind_block(&with, campaign, block);
    lotor_pg_bits(&with, block->nonce);
    lotor_pg_bytes(&with, block->drawn, block->drawn_length);
    lotor_pg_bytes(&with, block->action, block->action_length);
    lotor_pg_bits(&with, block->owner);
    lotor_pg_number(&with, block->until);
    lotor_pg_number(&with, block->changed);
    if (!is_block_fine(block) || !block->drawn) {
        return lotor_fail(LOTOR_INVALID, why, "%s", breaks_rule);
    }
    return change_one(lotor_postgres_of(base), LOTOR_PG_ADD_BLOCK, &with, LOTOR_INVALID,
                      breaks_rule, why);
}

lotor_status lotor_pg_put_block(lotor_store *base, uint64_t campaign, const lotor_block *block,
                                lotor_message *why)
{
    lotor_pg_arguments with = {0};
    bind_block(&with, campaign, block);
    lotor_pg_number(&with, block->changed);
    if (!is_block_fine(block)) {
        return lotor_fail(LOTOR_INVALID, why, "%s", breaks_rule);
    }
    return change_one(lotor_postgres_of(base), LOTOR_PG_PUT_BLOCK, &with, LOTOR_UNKNOWN,
                      "the store has no such block", why);
}

static lotor_status tell_block(const PGresult *rows, int row, lotor_on_block *told, void *context,
                               lotor_message *why)
{
    bool damaged = false;
    lotor_block block = {
        .first = lotor_pg_get_number(rows, row, 0, &damaged),
        .count = lotor_pg_get_number(rows, row, 1, &damaged),
        .handed = UINT64_MAX,
        .deadline = lotor_pg_get_number(rows, row, 3, &damaged),
        .nonce = lotor_pg_get_bits(rows, row, 4, &damaged),
        .owner = lotor_pg_get_bits(rows, row, 7, &damaged),
        .until = lotor_pg_get_number(rows, row, 8, &damaged),
        .changed = lotor_pg_get_number(rows, row, 9, &damaged),
    };
    if (!PQgetisnull(rows, row, 2)) {
        block.handed = lotor_pg_get_number(rows, row, 2, &damaged);
    }
    block.drawn = lotor_pg_get_bytes(rows, row, 5, &block.drawn_length);
    block.action = lotor_pg_get_bytes(rows, row, 6, &block.action_length);
    return damaged || !block.drawn || !is_block_fine(&block)
               ? lotor_pg_refuse("a block of decisions", why)
               : told(context, &block);
}

lotor_status lotor_pg_each_block(lotor_store *base, uint64_t campaign, uint64_t changed,
                                 lotor_on_block *told, void *context, lotor_message *why)
{
    lotor_pg_arguments with = {0};
    PGresult *rows;
    lotor_pg_number(&with, campaign);
    lotor_pg_number(&with, changed);
    lotor_status status =
        lotor_pg_run(lotor_postgres_of(base), LOTOR_PG_EACH_BLOCK, &with, why, &rows);
    for (int i = 0; status == LOTOR_OK && i < PQntuples(rows); i++) {
        status = tell_block(rows, i, told, context, why);
    }
    PQclear(rows);
    return status;
}

/* --- answers ------------------------------------------------------------------------------------ */

lotor_status lotor_pg_add_answers(lotor_store *base, uint64_t campaign,
                                  const lotor_answers *answers, lotor_message *why)
{
    lotor_pg_arguments with = {0};
    lotor_pg_number(&with, campaign);
    lotor_pg_number(&with, answers->number);
    lotor_pg_number(&with, answers->first);
    lotor_pg_number(&with, answers->last);
    lotor_pg_bytes(&with, answers->sealed, answers->length);
    if (answers->first == 0 || answers->last < answers->first || !answers->sealed) {
        return lotor_fail(LOTOR_INVALID, why, "%s", breaks_rule);
    }
    return change_one(lotor_postgres_of(base), LOTOR_PG_ADD_ANSWERS, &with, LOTOR_INVALID,
                      breaks_rule, why);
}

static lotor_status tell_answers(const PGresult *rows, int row, lotor_on_answers *told,
                                 void *context, lotor_message *why)
{
    bool damaged = false;
    lotor_answers answers = {
        .number = lotor_pg_get_number(rows, row, 0, &damaged),
        .first = lotor_pg_get_number(rows, row, 1, &damaged),
        .last = lotor_pg_get_number(rows, row, 2, &damaged),
    };
    answers.sealed = lotor_pg_get_bytes(rows, row, 3, &answers.length);
    return damaged || !answers.sealed || answers.first == 0 || answers.last < answers.first
               ? lotor_pg_refuse("a group of answers", why)
               : told(context, &answers);
}

lotor_status lotor_pg_each_answers(lotor_store *base, uint64_t campaign, uint64_t from,
                                   lotor_on_answers *told, void *context, lotor_message *why)
{
    lotor_pg_arguments with = {0};
    PGresult *rows;
    lotor_pg_number(&with, campaign);
    lotor_pg_number(&with, from);
    lotor_status status =
        lotor_pg_run(lotor_postgres_of(base), LOTOR_PG_EACH_ANSWERS, &with, why, &rows);
    for (int i = 0; status == LOTOR_OK && i < PQntuples(rows); i++) {
        status = tell_answers(rows, i, told, context, why);
    }
    PQclear(rows);
    return status;
}

lotor_status lotor_pg_forget(lotor_store *base, uint64_t campaign, uint64_t final,
                             lotor_message *why)
{
    lotor_pg_arguments with = {0};
    lotor_pg_number(&with, campaign);
    lotor_pg_number(&with, final < INT64_MAX ? final : INT64_MAX);
    const lotor_status status =
        lotor_pg_later(lotor_postgres_of(base), LOTOR_PG_FORGET_BLOCKS, &with, why);
    return status == LOTOR_OK
               ? lotor_pg_later(lotor_postgres_of(base), LOTOR_PG_FORGET_ANSWERS, &with, why)
               : status;
}

/* --- users and small values ---------------------------------------------------------------------- */

lotor_status lotor_pg_count_user(lotor_store *base, uint64_t campaign, const unsigned char hash[16],
                                 uint64_t cap, lotor_message *why, bool *counted)
{
    lotor_pg_arguments with = {0};
    uint64_t rows;
    lotor_pg_number(&with, campaign);
    lotor_pg_bytes(&with, hash, 16);
    lotor_pg_number(&with, cap < INT64_MAX ? cap : INT64_MAX);
    const lotor_status status =
        lotor_pg_change(lotor_postgres_of(base), LOTOR_PG_COUNT_USER, &with, why, &rows);
    *counted = rows == 1;
    return status;
}

lotor_status lotor_pg_each_user(lotor_store *base, uint64_t campaign, lotor_on_user *told,
                                void *context, lotor_message *why)
{
    lotor_pg_arguments with = {0};
    PGresult *rows;
    lotor_pg_number(&with, campaign);
    lotor_status status =
        lotor_pg_run(lotor_postgres_of(base), LOTOR_PG_EACH_USER, &with, why, &rows);
    for (int i = 0; status == LOTOR_OK && i < PQntuples(rows); i++) {
        unsigned char hash[16];
        bool damaged = false;
        lotor_pg_copy(rows, i, 0, hash, sizeof hash, &damaged);
        const uint64_t shown = lotor_pg_get_number(rows, i, 1, &damaged);
        status = damaged ? lotor_pg_refuse("a user's count", why) : told(context, hash, shown);
    }
    PQclear(rows);
    return status;
}

lotor_status lotor_pg_put_user(lotor_store *base, uint64_t campaign, const unsigned char hash[16],
                               uint64_t shown, lotor_message *why)
{
    lotor_pg_arguments with = {0};
    uint64_t rows;
    lotor_pg_number(&with, campaign);
    lotor_pg_bytes(&with, hash, 16);
    lotor_pg_number(&with, shown);
    return lotor_pg_change(lotor_postgres_of(base), LOTOR_PG_PUT_USER, &with, why, &rows);
}

lotor_status lotor_pg_get_meta(lotor_store *base, const char *key, lotor_message *why, char *value,
                               size_t capacity)
{
    lotor_pg_arguments with = {0};
    PGresult *rows;
    value[0] = '\0';
    lotor_pg_text(&with, key);
    lotor_status status =
        lotor_pg_run(lotor_postgres_of(base), LOTOR_PG_GET_META, &with, why, &rows);
    if (status == LOTOR_OK && PQntuples(rows) == 1) {
        bool damaged = false;
        const char *text = lotor_pg_get_text(rows, 0, 0, &damaged);
        if (damaged) {
            status = lotor_pg_refuse("a value", why);
        } else if (strlen(text) >= capacity) {
            status = lotor_fail(LOTOR_RANGE, why, "the store's value %s is too long",
                                lotor_quote_text(key).text);
        } else {
            snprintf(value, capacity, "%s", text);
        }
    }
    PQclear(rows);
    return status;
}

lotor_status lotor_pg_put_meta(lotor_store *base, const char *key, const char *value,
                               lotor_message *why)
{
    lotor_pg_arguments with = {0};
    uint64_t rows;
    lotor_pg_text(&with, key);
    lotor_pg_text(&with, value);
    return lotor_pg_change(lotor_postgres_of(base), LOTOR_PG_PUT_META, &with, why, &rows);
}
#else
typedef int lotor_postgres_is_left_out; /* a file must not be empty */
#endif
