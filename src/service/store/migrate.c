/* migrate.c - migrates a store from schema 1, 2, 3 or 4 to schema 5, in one transaction. See store.md.
 *
 * From schema 2 on, a script changes the tables, and no row changes. The rest of this file is about
 * schema 1.
 *
 * The migration has no key. So it leaves sealed bytes as they were sealed for schema 1, and marks
 * each campaign with a row of `meta` ("legacy:ID"). The engine has the key, and seals these bytes
 * again when it first opens the campaign.
 *
 * The old tables are renamed, checked and read. If anything is wrong, everything is undone, and the
 * store stays as it was.
 */
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/little.h"
#include "service/store/driver.h"

enum {
    BATCH = 256, /* rows that are read before they are written; also the LIMIT of the queries */
    OLD_RELEASES = 1000 /* the head file of schema 1 may be so many releases behind */
};

typedef struct old_release {
    uint64_t number;
    unsigned char hash[LOTOR_STORE_HASH];
} old_release;

typedef struct migration {
    lotor_store *store;
    lotor_message *why;
    unsigned char head[LOTOR_STORE_HASH]; /* the last hash of the single chain of schema 1 */
    uint64_t releases;
    old_release last[OLD_RELEASES]; /* release n is at index n % OLD_RELEASES */
} migration;

#define refuse(at, ...) lotor_fail((lotor_status)LOTOR_DAMAGED, (at)->why, __VA_ARGS__)

/* --- the check of schema 1 -------------------------------------------------------------------- */

static lotor_status check_old_chain(migration *at)
{
    lotor_store *const store = at->store;
    lotor_status status =
        lotor_sql_select(store, at->why,
                         "SELECT number, campaign, time, facts, digest, hash FROM "
                         "lotor_old_releases ORDER BY number",
                         NULL, 0);
    while (lotor_next(store, at->why, &status)) {
        lotor_row_reader row = {store, "releases", at->why, LOTOR_OK};
        lotor_release_row right = {.number = lotor_row_number(&row, 0),
                                   .campaign = lotor_row_number(&row, 1),
                                   .time = lotor_row_number(&row, 2)};
        unsigned char digest[LOTOR_STORE_HASH], hash[LOTOR_STORE_HASH];
        right.facts = lotor_row_maybe_bytes(&row, 3, &right.facts_length);
        lotor_row_exactly(&row, 4, digest, sizeof digest);
        lotor_row_exactly(&row, 5, hash, sizeof hash);
        memcpy(right.digest, digest, sizeof digest);
        lotor_release_row_chain(&right, at->head);
        status = row.status;
        if (status == LOTOR_OK &&
            (right.number != at->releases + 1 || memcmp(right.digest, digest, sizeof digest) != 0 ||
             memcmp(right.hash, hash, sizeof hash) != 0)) {
            status = refuse(at, "release %" PRIu64 " does not fit the chain", at->releases + 1);
        }
        memcpy(at->head, hash, sizeof hash);
        at->releases++;
        old_release *const kept = &at->last[at->releases % OLD_RELEASES];
        kept->number = at->releases;
        memcpy(kept->hash, hash, sizeof hash);
    }
    return status;
}

static lotor_status check_old_blocks(migration *at)
{
    uint64_t campaign = 0, last = 0;
    lotor_store *const store = at->store;
    lotor_status status = lotor_sql_select(
        store, at->why,
        "SELECT campaign, first, count FROM lotor_old_blocks ORDER BY campaign, first", NULL, 0);
    while (lotor_next(store, at->why, &status)) {
        lotor_row_reader row = {store, "blocks", at->why, LOTOR_OK};
        const uint64_t owner = lotor_row_number(&row, 0);
        const uint64_t first = lotor_row_whole(&row, 1, 1, INT64_MAX);
        const uint64_t count = lotor_row_whole(&row, 2, 0, INT64_MAX - first);
        status = row.status;
        if (status == LOTOR_OK && owner == campaign && first <= last) {
            status = refuse(at,
                            "campaign %" PRIu64 ": the block at decision %" PRIu64
                            " begins before the end of the block before it",
                            campaign, first);
        }
        campaign = owner;
        last = first + count - 1;
    }
    return status;
}

static lotor_status check_old(migration *at)
{
#define STRANGERS(table)                                                                           \
    "SELECT count(*) FROM lotor_old_" table " WHERE campaign NOT IN (SELECT id FROM "              \
    "lotor_old_campaigns)"
    static const struct {
        const char *words, *sql; /* counts rows that must not exist */
    } rules[] = {
        {"a state belongs to a campaign that does not exist", STRANGERS("states")},
        {"a block belongs to a campaign that does not exist", STRANGERS("blocks")},
        {"feedback belongs to a campaign that does not exist", STRANGERS("answers")},
        {"a release belongs to a campaign that does not exist", STRANGERS("releases")},
        {"a user belongs to a campaign that does not exist", STRANGERS("users")},
        {"a campaign has no state", "SELECT count(*) FROM lotor_old_campaigns WHERE id NOT IN "
                                    "(SELECT campaign FROM lotor_old_states)"},
        {"a group of feedback has no number", "SELECT count(*) FROM lotor_old_answers "
                                              "WHERE number = 0"},
        {"a group of feedback is for a decision that was not drawn",
         "SELECT count(*) FROM lotor_old_answers a JOIN lotor_old_states s "
         "ON s.campaign = a.campaign WHERE a.last > s.final AND NOT EXISTS (SELECT 1 FROM "
         "lotor_old_blocks b WHERE b.campaign = a.campaign AND b.first + b.count - 1 >= a.last)"},
    };
#undef STRANGERS
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; status == LOTOR_OK && i < sizeof rules / sizeof *rules; i++) {
        uint64_t count = 0;
        status = lotor_sql_select(at->store, at->why, rules[i].sql, NULL, 0);
        while (lotor_next(at->store, at->why, &status)) {
            lotor_row_reader row = {at->store, "(schema 1)", at->why, LOTOR_OK};
            count = lotor_row_number(&row, 0);
            status = row.status;
        }
        if (status == LOTOR_OK && count > 0) {
            status = refuse(at, "%s", rules[i].words);
        }
    }
    if (status == LOTOR_OK) {
        status = check_old_chain(at);
    }
    return status == LOTOR_OK ? check_old_blocks(at) : status;
}

/* --- rows that SQL alone can move ------------------------------------------------------------- */

/* Blocks and feedback that are completely final are left out. $1: 32 zeros. */
static const char *const moves[] = {
    "INSERT INTO lotor_campaigns (id, name, spec, seal, specs, created, closed) "
    "SELECT id, name, spec, $1, 0, created, closed FROM lotor_old_campaigns",
    "INSERT INTO lotor_leases (campaign, owner, epoch, sealed, final, due, releases, head, broken) "
    "SELECT s.campaign, 0, 0, s.final, s.final, 0, (SELECT count(*) FROM lotor_old_releases r "
    "WHERE r.campaign = s.campaign), $1, 0 FROM lotor_old_states s",
    "INSERT INTO lotor_states (campaign, epoch, state) SELECT campaign, 0, state "
    "FROM lotor_old_states WHERE state IS NOT NULL",
    "INSERT INTO lotor_blocks (campaign, first, count, holder, want, until, deadline, nonce, "
    "drawn, "
    "action) SELECT b.campaign, b.first, b.count, 0, 0, 0, b.deadline, b.nonce, b.drawn, b.action "
    "FROM lotor_old_blocks b JOIN lotor_old_states s ON s.campaign = b.campaign "
    "WHERE b.count > 0 AND b.first + b.count - 1 > s.final ORDER BY b.campaign, b.first",
    "INSERT INTO lotor_log (campaign, stream, seq, kind, first, last, sealed) "
    "SELECT a.campaign, 0, a.number, 0, a.first, a.last, a.sealed FROM lotor_old_answers a "
    "JOIN lotor_old_states s ON s.campaign = a.campaign WHERE a.last > s.final "
    "ORDER BY a.campaign, a.number",
    "INSERT INTO lotor_releases (campaign, number, time, facts, digest, hash) "
    "SELECT campaign, row_number() OVER (PARTITION BY campaign ORDER BY number), time, facts, "
    "digest, hash FROM lotor_old_releases",
    "INSERT INTO lotor_users (campaign, hash, shown) SELECT campaign, hash, shown "
    "FROM lotor_old_users",
    "INSERT INTO lotor_meta (key, value) SELECT key, value FROM lotor_old_meta "
    "WHERE key NOT IN ('schema', 'chain')",
    "INSERT INTO lotor_meta (key, value) SELECT 'legacy:' || CAST(id AS text), '1' "
    "FROM lotor_old_campaigns",
    "UPDATE lotor_meta SET value = (SELECT CAST(coalesce(max(id), 0) AS text) "
    "FROM lotor_old_campaigns) WHERE key = 'campaigns'",
};

static lotor_status move_rows(migration *at)
{
    static const unsigned char zeros[LOTOR_STORE_HASH] = {0};
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; status == LOTOR_OK && i < sizeof moves / sizeof *moves; i++) {
        const bool has_value = strstr(moves[i], "$1") != NULL;
        const lotor_sql_value value = lotor_sql_bytes(zeros, sizeof zeros);
        status = lotor_sql_change(at->store, at->why, NULL, moves[i], &value, has_value ? 1 : 0);
    }
    return status;
}

/* --- rows that need more than SQL ------------------------------------------------------------- */

typedef struct report {
    uint64_t campaign, first, last, seq;
    unsigned char bytes[16]; /* nonce, number of decisions that were handed out */
} report;

/* Reads how many decisions of a block were handed out, where a clean stop has noted it. In the
 * log these reports come after the last group of feedback. */
static lotor_status read_reports(migration *at, uint64_t campaign, uint64_t after, report *to,
                                 size_t *count)
{
    lotor_store *const store = at->store;
    *count = 0;
    lotor_status status = lotor_sql_select(
        store, at->why,
        "SELECT b.campaign, b.first, b.count, b.handed, b.nonce, (SELECT coalesce(max(number), 0) "
        "FROM lotor_old_answers a WHERE a.campaign = b.campaign) + (SELECT count(*) FROM "
        "lotor_old_blocks c WHERE c.campaign = b.campaign AND c.first <= b.first) "
        "FROM lotor_old_blocks b JOIN lotor_old_states s ON s.campaign = b.campaign "
        "WHERE b.handed IS NOT NULL AND b.count > 0 AND b.first + b.count - 1 > s.final "
        "AND (b.campaign > $1 OR (b.campaign = $1 AND b.first > $2)) "
        "ORDER BY b.campaign, b.first LIMIT 256",
        LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_whole(after)));
    while (lotor_next(store, at->why, &status)) {
        lotor_row_reader row = {store, "blocks", at->why, LOTOR_OK};
        report *const one = &to[(*count)++];
        one->campaign = lotor_row_number(&row, 0);
        one->first = lotor_row_number(&row, 1);
        const uint64_t length = lotor_row_whole(&row, 2, 1, INT64_MAX);
        one->last = one->first + length - 1;
        lotor_put_u64(one->bytes, lotor_row_bits(&row, 4));
        lotor_put_u64(one->bytes + 8, lotor_row_whole(&row, 3, 0, length));
        one->seq = lotor_row_number(&row, 5);
        status = row.status;
    }
    return status;
}

static lotor_status move_reports(migration *at)
{
    report reports[BATCH];
    size_t count = BATCH;
    uint64_t campaign = 0, after = 0;
    lotor_status status = LOTOR_OK;
    while (status == LOTOR_OK && count == BATCH) {
        status = read_reports(at, campaign, after, reports, &count);
        for (size_t i = 0; status == LOTOR_OK && i < count; i++) {
            const lotor_log_row row = {.stream = 0,
                                       .seq = reports[i].seq,
                                       .kind = LOTOR_LOG_HANDOUT,
                                       .first = reports[i].first,
                                       .last = reports[i].last,
                                       .bytes = reports[i].bytes,
                                       .length = sizeof reports[i].bytes};
            campaign = reports[i].campaign;
            after = row.first;
            status = lotor_store_append(at->store, campaign, &row, at->why);
        }
    }
    return status;
}

static lotor_status read_links(migration *at, uint64_t campaign, uint64_t after,
                               lotor_release_row *to, size_t *count)
{
    lotor_store *const store = at->store;
    *count = 0;
    lotor_status status = lotor_sql_select(
        store, at->why,
        "SELECT campaign, number, time, digest FROM lotor_releases WHERE campaign > $1 "
        "OR (campaign = $1 AND number > $2) ORDER BY campaign, number LIMIT 256",
        LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_whole(after)));
    while (lotor_next(store, at->why, &status)) {
        lotor_row_reader row = {store, "releases", at->why, LOTOR_OK};
        lotor_release_row *const one = &to[(*count)++];
        *one = (lotor_release_row){.campaign = lotor_row_number(&row, 0),
                                   .number = lotor_row_number(&row, 1),
                                   .time = lotor_row_number(&row, 2)};
        lotor_row_exactly(&row, 3, one->digest, sizeof one->digest);
        status = row.status;
    }
    return status;
}

/* Gives each campaign its own chain. */
static lotor_status chain_releases(migration *at)
{
    lotor_release_row links[BATCH];
    lotor_release_row before = {.campaign = 0};
    size_t count = BATCH;
    lotor_status status = LOTOR_OK;
    while (status == LOTOR_OK && count == BATCH) {
        status = read_links(at, before.campaign, before.number, links, &count);
        for (size_t i = 0; status == LOTOR_OK && i < count; i++) {
            if (links[i].campaign != before.campaign) {
                memset(before.hash, 0, sizeof before.hash);
            }
            lotor_release_row_chain(&links[i], before.hash);
            before = links[i];
            status = lotor_sql_change(
                at->store, at->why, NULL,
                "UPDATE lotor_releases SET hash = $3 WHERE campaign = $1 AND number = $2",
                LOTOR_VALUES(lotor_sql_whole(before.campaign), lotor_sql_whole(before.number),
                             lotor_sql_bytes(before.hash, sizeof before.hash)));
        }
    }
    if (status == LOTOR_OK) {
        status =
            lotor_sql_change(at->store, at->why, NULL,
                             "UPDATE lotor_leases SET head = (SELECT hash FROM lotor_releases r "
                             "WHERE r.campaign = lotor_leases.campaign "
                             "AND r.number = lotor_leases.releases) WHERE releases > 0",
                             NULL, 0);
    }
    return status;
}

/* The head file of schema 1 names a release of the single chain. The last hashes of that chain
 * are kept for the comparison. */
static lotor_status keep_old_chain(migration *at)
{
    char key[48], value[128], digits[2 * LOTOR_STORE_HASH + 1];
    sodium_bin2hex(digits, sizeof digits, at->head, sizeof at->head);
    snprintf(value, sizeof value, "%" PRIu64 " %s", at->releases, digits);
    lotor_status status = lotor_store_put_meta(at->store, "legacy_head", value, at->why);
    for (size_t i = 0; status == LOTOR_OK && i < OLD_RELEASES; i++) {
        if (at->last[i].number > 0) {
            snprintf(key, sizeof key, "legacy_release:%" PRIu64, at->last[i].number);
            sodium_bin2hex(digits, sizeof digits, at->last[i].hash, LOTOR_STORE_HASH);
            status = lotor_store_put_meta(at->store, key, digits, at->why);
        }
    }
    return status;
}

/* --- everything ------------------------------------------------------------------------------- */

static lotor_status migrate(migration *at)
{
    lotor_store *const store = at->store;
    lotor_status status = store->driver->compare(store, 1, at->why);
    if (status == LOTOR_OK) {
        status = store->driver->inspect(store, false, at->why);
    }
    if (status == LOTOR_OK) {
        status = store->driver->script(store, store->driver->old_renamed, at->why);
    }
    if (status == LOTOR_OK) {
        status = check_old(at);
    }
    if (status == LOTOR_OK) {
        status = store->driver->script(store, store->driver->tables, at->why);
    }
    if (status == LOTOR_OK) {
        status = move_rows(at);
    }
    if (status == LOTOR_OK) {
        status = move_reports(at);
    }
    if (status == LOTOR_OK) {
        status = chain_releases(at);
    }
    if (status == LOTOR_OK) {
        status = keep_old_chain(at);
    }
    return status == LOTOR_OK ? store->driver->script(store, store->driver->old_dropped, at->why)
                              : status;
}

lotor_status lotor_store_migrate(lotor_store *store, lotor_message *why)
{
    lotor_message inner = {""};
    uint64_t version = 0;
    lotor_status status = store->driver->lock_old(store, why);
    if (status == LOTOR_OK) {
        status = store->driver->version(store, why, &version);
    }
    if (status != LOTOR_OK || version != 1) { /* another server has migrated the store meanwhile */
        return status;
    }
    migration *const at = calloc(1, sizeof *at);
    if (!at) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    at->store = store;
    at->why = &inner;
    status = migrate(at);
    free(at);
    return status == LOTOR_OK
               ? LOTOR_OK
               : lotor_fail(status, why,
                            "the store has version 1 and could not be migrated to version %d "
                            "(nothing was changed): %.200s",
                            LOTOR_SCHEMA_VERSION, inner.text);
}

/* --- from schemas 2 to 4 ---------------------------------------------------------------------- */

/* A server of schema 2 writes no audit log, one of schema 3 does not know budgets, and one of schema 4
 * would take a release with a stamp for a damaged one. So none may be running. */
static lotor_status refuse_servers(lotor_store *store, uint64_t version, lotor_message *why)
{
    uint64_t servers = 0;
    lotor_status status = lotor_sql_select(
        store, why, "SELECT count(*) FROM lotor_servers WHERE until > " LOTOR_SQL_NOW, NULL, 0);
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, "servers", why, LOTOR_OK};
        servers = lotor_row_number(&at, 0);
        status = at.status;
    }
    return status == LOTOR_OK && servers > 0
               ? lotor_fail((lotor_status)LOTOR_UNFINISHED, why,
                            "the store has version %" PRIu64
                            ", and servers of that version are running on it: stop them all, then "
                            "start this one, which migrates it to version %d (after a crash, wait "
                            "a few seconds)",
                            version, LOTOR_SCHEMA_VERSION)
               : status;
}

lotor_status lotor_store_migrate_2(lotor_store *store, lotor_message *why)
{
    uint64_t version = 0;
    lotor_status status = store->driver->lock_2(store, why);
    if (status == LOTOR_OK) {
        status = store->driver->version(store, why, &version);
    }
    if (status != LOTOR_OK || version < 2 || version >= LOTOR_SCHEMA_VERSION) {
        return status; /* another server has migrated the store meanwhile */
    }
    status = store->driver->compare(store, version, why);
    if (status == LOTOR_OK && !store->driver->is_exclusive) {
        status = refuse_servers(store, version, why);
    }
    if (status == LOTOR_OK && version == 2) {
        status = store->driver->script(store, store->driver->from_2, why);
    }
    if (status == LOTOR_OK && version <= 3) {
        status = store->driver->script(store, store->driver->from_3, why);
    }
    if (status == LOTOR_OK) {
        status = store->driver->script(store, store->driver->from_4, why);
    }
    /* PostgreSQL compares the tables of the newest version only; a difference undoes everything */
    return status == LOTOR_OK ? store->driver->compare(store, LOTOR_SCHEMA_VERSION, why) : status;
}
