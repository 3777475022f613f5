/* store_rows.c - campaigns, blocks, answers, users and small values in SQLite. */
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "service/store/store_sqlite.h"

static lotor_status one_row(lotor_sqlite *store, const char *what, lotor_message *why)
{
    if (sqlite3_changes(store->db) == 1) {
        return LOTOR_OK;
    }
    return lotor_fail(LOTOR_UNKNOWN, why, "the store has no such %s", what);
}

lotor_status lotor_sqlite_add_campaign(lotor_store *base, const char *name, const char *spec,
                                       double created, lotor_message *why, uint64_t *id)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *add = lotor_query_start(store, LOTOR_QUERY_ADD_CAMPAIGN, why, &status);
    if (!add) {
        return status;
    }
    sqlite3_bind_text(add, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(add, 2, spec, -1, SQLITE_STATIC);
    sqlite3_bind_double(add, 3, created);
    status = lotor_query_run(store, add, why);
    if (status != LOTOR_OK) {
        return status;
    }
    *id = (uint64_t)sqlite3_last_insert_rowid(store->db);
    sqlite3_stmt *state = lotor_query_start(store, LOTOR_QUERY_ADD_STATE, why, &status);
    if (!state) {
        return status;
    }
    lotor_bind_number(state, 1, *id);
    return lotor_query_run(store, state, why);
}

static lotor_status tell_campaign(lotor_sqlite *store, sqlite3_stmt *row, lotor_on_campaign *told,
                                  void *context, lotor_message *why)
{
    bool damaged = false;
    lotor_stored_campaign campaign = {
        .id = lotor_column_number(row, 0, &damaged),
        .name = lotor_column_text(row, 1, &damaged),
        .spec = lotor_column_text(row, 2, &damaged),
        .created = sqlite3_column_double(row, 3),
        .closed = lotor_column_number(row, 4, &damaged) != 0,
        .final = lotor_column_number(row, 5, &damaged),
    };
    campaign.state = lotor_column_blob(row, 6, &campaign.state_length, &damaged);
    if (damaged) {
        return lotor_column_refuse(store, "a campaign", why);
    }
    return told(context, &campaign);
}

lotor_status lotor_sqlite_each_campaign(lotor_store *base, lotor_on_campaign *told, void *context,
                                        lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_EACH_CAMPAIGN, why, &status);
    while (lotor_query_next(store, query, why, &status)) {
        status = tell_campaign(store, query, told, context, why);
    }
    lotor_query_end(query);
    return status;
}

lotor_status lotor_sqlite_get_state(lotor_store *base, uint64_t campaign, lotor_on_campaign *told,
                                    void *context, lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    bool row;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_GET_STATE, why, &status);
    if (!query) {
        return status;
    }
    lotor_bind_number(query, 1, campaign);
    status = lotor_query_step(store, query, why, &row);
    if (status == LOTOR_OK && !row) {
        status = lotor_fail(LOTOR_UNKNOWN, why, "the store has no such campaign");
    }
    if (status == LOTOR_OK) {
        status = tell_campaign(store, query, told, context, why);
    }
    lotor_query_end(query);
    return status;
}

lotor_status lotor_sqlite_put_state(lotor_store *base, uint64_t campaign, uint64_t final,
                                    const unsigned char *state, size_t length, lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_PUT_STATE, why, &status);
    if (!query) {
        return status;
    }
    lotor_bind_number(query, 1, campaign);
    lotor_bind_number(query, 2, final);
    lotor_bind_blob(query, 3, state, length);
    status = lotor_query_run(store, query, why);
    return status == LOTOR_OK ? one_row(store, "campaign", why) : status;
}

lotor_status lotor_sqlite_put_spec(lotor_store *base, uint64_t campaign, const char *spec,
                                   bool closed, lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_PUT_SPEC, why, &status);
    if (!query) {
        return status;
    }
    lotor_bind_number(query, 1, campaign);
    sqlite3_bind_text(query, 2, spec, -1, SQLITE_STATIC);
    lotor_bind_number(query, 3, closed);
    status = lotor_query_run(store, query, why);
    return status == LOTOR_OK ? one_row(store, "campaign", why) : status;
}

static void bind_block(sqlite3_stmt *query, uint64_t campaign, const lotor_block *block)
{
    lotor_bind_number(query, 1, campaign);
    lotor_bind_number(query, 2, block->first);
    lotor_bind_number(query, 3, block->count);
    if (block->handed == UINT64_MAX) {
        sqlite3_bind_null(query, 4);
    } else {
        lotor_bind_number(query, 4, block->handed);
    }
    lotor_bind_number(query, 5, block->deadline);
}

lotor_status lotor_sqlite_add_block(lotor_store *base, uint64_t campaign, const lotor_block *block,
                                    lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_ADD_BLOCK, why, &status);
    if (!query) {
        return status;
    }
    bind_block(query, campaign, block);
    sqlite3_bind_int64(query, 6, (int64_t)block->nonce);
    lotor_bind_blob(query, 7, block->drawn, block->drawn_length);
    lotor_bind_blob(query, 8, block->action, block->action_length);
    return lotor_query_run(store, query, why);
}

lotor_status lotor_sqlite_put_block(lotor_store *base, uint64_t campaign, const lotor_block *block,
                                    lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_PUT_BLOCK, why, &status);
    if (!query) {
        return status;
    }
    bind_block(query, campaign, block);
    status = lotor_query_run(store, query, why);
    return status == LOTOR_OK ? one_row(store, "block", why) : status;
}

static lotor_status tell_block(lotor_sqlite *store, sqlite3_stmt *row, lotor_on_block *told,
                               void *context, lotor_message *why)
{
    bool damaged = false;
    lotor_block block = {
        .first = lotor_column_number(row, 0, &damaged),
        .count = lotor_column_number(row, 1, &damaged),
        .handed = UINT64_MAX,
        .deadline = lotor_column_number(row, 3, &damaged),
        .nonce = (uint64_t)sqlite3_column_int64(row, 4),
    };
    if (sqlite3_column_type(row, 2) != SQLITE_NULL) {
        block.handed = lotor_column_number(row, 2, &damaged);
        damaged = damaged || block.handed > block.count;
    }
    block.drawn = lotor_column_blob(row, 5, &block.drawn_length, &damaged);
    block.action = lotor_column_blob(row, 6, &block.action_length, &damaged);
    if (damaged || !block.drawn || block.first == 0) {
        return lotor_column_refuse(store, "a block of decisions", why);
    }
    return told(context, &block);
}

lotor_status lotor_sqlite_each_block(lotor_store *base, uint64_t campaign, uint64_t changed,
                                     lotor_on_block *told, void *context, lotor_message *why)
{
    (void)changed; /* one server knows what it changed */
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_EACH_BLOCK, why, &status);
    if (!query) {
        return status;
    }
    lotor_bind_number(query, 1, campaign);
    while (lotor_query_next(store, query, why, &status)) {
        status = tell_block(store, query, told, context, why);
    }
    lotor_query_end(query);
    return status;
}

lotor_status lotor_sqlite_add_answers(lotor_store *base, uint64_t campaign,
                                      const lotor_answers *answers, lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_ADD_ANSWERS, why, &status);
    if (!query) {
        return status;
    }
    lotor_bind_number(query, 1, campaign);
    lotor_bind_number(query, 2, answers->number);
    lotor_bind_number(query, 3, answers->first);
    lotor_bind_number(query, 4, answers->last);
    lotor_bind_blob(query, 5, answers->sealed, answers->length);
    return lotor_query_run(store, query, why);
}

static lotor_status tell_answers(lotor_sqlite *store, sqlite3_stmt *row, lotor_on_answers *told,
                                 void *context, lotor_message *why)
{
    bool damaged = false;
    lotor_answers answers = {
        .number = lotor_column_number(row, 0, &damaged),
        .first = lotor_column_number(row, 1, &damaged),
        .last = lotor_column_number(row, 2, &damaged),
    };
    answers.sealed = lotor_column_blob(row, 3, &answers.length, &damaged);
    if (damaged || !answers.sealed || answers.first == 0 || answers.last < answers.first) {
        return lotor_column_refuse(store, "a group of answers", why);
    }
    return told(context, &answers);
}

lotor_status lotor_sqlite_each_answers(lotor_store *base, uint64_t campaign, uint64_t from,
                                       lotor_on_answers *told, void *context, lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_EACH_ANSWERS, why, &status);
    if (!query) {
        return status;
    }
    lotor_bind_number(query, 1, campaign);
    lotor_bind_number(query, 2, from);
    while (lotor_query_next(store, query, why, &status)) {
        status = tell_answers(store, query, told, context, why);
    }
    lotor_query_end(query);
    return status;
}

static lotor_status forget(lotor_sqlite *store, lotor_query which, uint64_t campaign,
                           uint64_t final, lotor_message *why)
{
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, which, why, &status);
    if (!query) {
        return status;
    }
    lotor_bind_number(query, 1, campaign);
    lotor_bind_number(query, 2, final < INT64_MAX ? final : INT64_MAX);
    return lotor_query_run(store, query, why);
}

lotor_status lotor_sqlite_forget(lotor_store *base, uint64_t campaign, uint64_t final,
                                 lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    const lotor_status status = forget(store, LOTOR_QUERY_FORGET_BLOCKS, campaign, final, why);
    return status == LOTOR_OK ? forget(store, LOTOR_QUERY_FORGET_ANSWERS, campaign, final, why)
                              : status;
}

lotor_status lotor_sqlite_count_user(lotor_store *base, uint64_t campaign,
                                     const unsigned char hash[16], uint64_t cap, lotor_message *why,
                                     bool *counted)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_COUNT_USER, why, &status);
    if (!query) {
        return status;
    }
    lotor_bind_number(query, 1, campaign);
    lotor_bind_blob(query, 2, hash, 16);
    lotor_bind_number(query, 3, cap < INT64_MAX ? cap : INT64_MAX);
    status = lotor_query_run(store, query, why);
    *counted = status == LOTOR_OK && sqlite3_changes(store->db) == 1;
    return status;
}

lotor_status lotor_sqlite_get_meta(lotor_store *base, const char *key, lotor_message *why,
                                   char *value, size_t capacity)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    bool row;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_GET_META, why, &status);
    value[0] = '\0';
    if (!query) {
        return status;
    }
    sqlite3_bind_text(query, 1, key, -1, SQLITE_STATIC);
    status = lotor_query_step(store, query, why, &row);
    if (status == LOTOR_OK && row) {
        bool damaged = false;
        const char *text = lotor_column_text(query, 0, &damaged);
        if (damaged) {
            status = lotor_column_refuse(store, "a value", why);
        } else if (strlen(text) >= capacity) {
            status = lotor_fail(LOTOR_RANGE, why, "the store's value %s is too long",
                                lotor_quote_text(key).text);
        } else {
            snprintf(value, capacity, "%s", text);
        }
    }
    lotor_query_end(query);
    return status;
}

lotor_status lotor_sqlite_put_meta(lotor_store *base, const char *key, const char *value,
                                   lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_PUT_META, why, &status);
    if (!query) {
        return status;
    }
    sqlite3_bind_text(query, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(query, 2, value, -1, SQLITE_STATIC);
    return lotor_query_run(store, query, why);
}
