/* store_chain.c - the chain of releases: each row's hash covers all before it, so two stores with the
 * same head have the same releases. */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/little.h"
#include "service/store/store_sqlite.h"

void lotor_chain_next(const unsigned char before[32], lotor_release *release)
{
    unsigned char bytes[32 + 3 * 8 + 32];
    memcpy(bytes, before, 32);
    lotor_put_u64(bytes + 32, release->number);
    lotor_put_u64(bytes + 40, release->campaign);
    lotor_put_u64(bytes + 48, release->time);
    memcpy(bytes + 56, release->digest, 32);
    crypto_generichash(release->hash, sizeof release->hash, bytes, sizeof bytes, NULL, 0);
}

/* A row of (number, hash), or zeros where there is none. */
static lotor_status get_link(lotor_store *store, sqlite3_stmt *query, lotor_message *why,
                             lotor_head *out)
{
    bool row, damaged = false;
    memset(out, 0, sizeof *out);
    lotor_status status = lotor_query_step(store, query, why, &row);
    if (status == LOTOR_OK && row) {
        out->releases = lotor_column_number(query, 0, &damaged);
        lotor_column_copy(query, 1, out->hash, sizeof out->hash, &damaged);
        status = damaged ? lotor_column_refuse(store, "a release", why) : LOTOR_OK;
    }
    lotor_query_end(query);
    return status;
}

static lotor_status get_last(lotor_store *store, lotor_message *why, lotor_head *out)
{
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_LAST_RELEASE, why, &status);
    return query ? get_link(store, query, why, out) : status;
}

lotor_status lotor_store_add_release(lotor_store *store, lotor_release *release, lotor_message *why)
{
    lotor_head last = {0};
    lotor_status status = get_last(store, why, &last);
    if (status != LOTOR_OK) {
        return status;
    }
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_ADD_RELEASE, why, &status);
    if (!query) {
        return status;
    }
    if (release->facts) {
        crypto_generichash(release->digest, sizeof release->digest, release->facts,
                           release->facts_length, NULL, 0);
    }
    release->number = last.releases + 1;
    lotor_chain_next(last.hash, release);
    lotor_bind_number(query, 1, release->number);
    lotor_bind_number(query, 2, release->campaign);
    lotor_bind_number(query, 3, release->time);
    lotor_bind_blob(query, 4, release->facts, release->facts_length);
    lotor_bind_blob(query, 5, release->digest, sizeof release->digest);
    lotor_bind_blob(query, 6, release->hash, sizeof release->hash);
    return lotor_query_run(store, query, why);
}

static lotor_status tell_release(lotor_store *store, sqlite3_stmt *row, lotor_on_release_row *told,
                                 void *context, lotor_message *why)
{
    bool damaged = false;
    lotor_release release = {
        .number = lotor_column_number(row, 0, &damaged),
        .campaign = lotor_column_number(row, 1, &damaged),
        .time = lotor_column_number(row, 2, &damaged),
    };
    release.facts = lotor_column_blob(row, 3, &release.facts_length, &damaged);
    lotor_column_copy(row, 4, release.digest, sizeof release.digest, &damaged);
    lotor_column_copy(row, 5, release.hash, sizeof release.hash, &damaged);
    if (damaged) {
        return lotor_column_refuse(store, "a release", why);
    }
    return told(context, &release);
}

lotor_status lotor_store_each_release(lotor_store *store, uint64_t campaign,
                                      lotor_on_release_row *told, void *context, lotor_message *why)
{
    lotor_status status;
    bool row = true;
    sqlite3_stmt *query = lotor_query_start(
        store, campaign == 0 ? LOTOR_QUERY_EACH_RELEASE : LOTOR_QUERY_EACH_RELEASE_OF, why,
        &status);
    if (!query) {
        return status;
    }
    if (campaign != 0) {
        lotor_bind_number(query, 1, campaign);
    }
    while (status == LOTOR_OK && row) {
        status = lotor_query_step(store, query, why, &row);
        if (status == LOTOR_OK && row) {
            status = tell_release(store, query, told, context, why);
        }
    }
    lotor_query_end(query);
    return status;
}

lotor_status lotor_store_head(lotor_store *store, lotor_message *why, lotor_head *out)
{
    char starts[32];
    lotor_status status = get_last(store, why, out);
    if (status == LOTOR_OK) {
        status = lotor_store_get_meta(store, "starts", why, starts, sizeof starts);
    }
    if (status == LOTOR_OK) {
        char *end = starts;
        out->starts = strtoull(starts, &end, 10);
        if (*end != '\0') {
            status = lotor_fail(LOTOR_DAMAGED, why, "the store's count of starts is no number");
        }
    }
    return status;
}

lotor_status lotor_store_has_head(lotor_store *store, const lotor_head *head, lotor_message *why,
                                  bool *has)
{
    static const unsigned char none[32] = {0};
    lotor_status status = LOTOR_OK;
    lotor_head found;
    *has = false;
    if (head->releases == 0) { /* every chain begins with nothing */
        *has = memcmp(head->hash, none, sizeof none) == 0;
        return LOTOR_OK;
    }
    if (head->releases > INT64_MAX) {
        return LOTOR_OK;
    }
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_GET_RELEASE, why, &status);
    if (!query) {
        return status;
    }
    lotor_bind_number(query, 1, head->releases);
    status = get_link(store, query, why, &found);
    *has = status == LOTOR_OK && found.releases == head->releases &&
           memcmp(found.hash, head->hash, sizeof found.hash) == 0;
    return status;
}
