/* rows.c - the statements of every table, written once for both databases. See driver.h for their
 * notation, and store.h for what a statement sees (READ COMMITTED).
 *
 * An UPDATE in PostgreSQL may wait for another transaction to release a row. PostgreSQL then
 * evaluates its WHERE again. So the conditions below (epoch, specs) hold at the moment of the
 * change.
 */
#include <assert.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "service/little.h"
#include "service/store/driver.h"

#define NOW LOTOR_SQL_NOW
/* No renewal sets `until` further ahead than this. If it is further ahead, the row was renewed
 * while the clock was wrong, so the server does not count as live. */
#define LIVE_MOST_MS "60000"
#define LIVE(table)  table "until > " NOW " AND " table "until <= " NOW " + " LIVE_MOST_MS

enum { SERVER_KEPT_MS = 86400000 }; /* how long a server's row is kept after its end */

/* Refuses a bad row at once. The database would refuse it too, but perhaps only at the commit. */
static lotor_status refuse_row(const char *table, lotor_message *why)
{
    return lotor_fail(LOTOR_INVALID, why, "the new row violates a rule of the store's table %s",
                      table);
}

/* A number that is only compared. Numbers above the store's greatest number are replaced by
 * that. */
static lotor_sql_value limit(uint64_t value)
{
    return lotor_sql_whole(value < INT64_MAX ? value : INT64_MAX);
}

lotor_status lotor_store_now(lotor_store *store, lotor_message *why, uint64_t *now)
{
    lotor_status status = lotor_sql_select(store, why, "SELECT " NOW, NULL, 0);
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, "(the clock)", why, LOTOR_OK};
        *now = lotor_row_number(&at, 0);
        status = at.status;
    }
    return status;
}

/* --- servers ---------------------------------------------------------------------------------- */

static lotor_status add_server(lotor_store *store, uint64_t server, uint64_t life_ms,
                               const char *program, lotor_message *why)
{
    uint64_t added;
    lotor_status status = lotor_sql_change(
        store, why, &added,
        "INSERT INTO lotor_servers (id, until, program) "
        "VALUES ($1, " NOW " + $2, $3) ON CONFLICT (id) DO NOTHING",
        LOTOR_VALUES(lotor_sql_whole(server), lotor_sql_whole(life_ms), lotor_sql_text(program)));
    if (status == LOTOR_OK && added == 0) {
        return lotor_fail(LOTOR_DUPLICATE, why, "there is already a server with that id");
    }
    if (status == LOTOR_OK && lotor_store_is_exclusive(store)) {
        status = lotor_sql_change(store, why, NULL, "DELETE FROM lotor_servers WHERE id <> $1",
                                  LOTOR_VALUES(lotor_sql_whole(server)));
    }
    if (status == LOTOR_OK) { /* the requests of servers that are gone */
        status = lotor_sql_change(
            store, why, NULL,
            "DELETE FROM lotor_wants WHERE server NOT IN (SELECT id FROM lotor_servers)", NULL, 0);
    }
    return status;
}

lotor_status lotor_store_add_server(lotor_store *store, uint64_t server, uint64_t life_ms,
                                    const char *program, lotor_message *why)
{
    bool alone;
    lotor_status status = lotor_sql_enter(store, why, &alone);
    if (status == LOTOR_OK) {
        status = add_server(store, server, life_ms, program, why);
    }
    return lotor_sql_leave(store, alone, status, why);
}

static lotor_status beat(lotor_store *store, uint64_t server, uint64_t life_ms, lotor_message *why,
                         bool *known, uint64_t *others)
{
    lotor_status status =
        lotor_sql_change(store, why, NULL,
                         "DELETE FROM lotor_servers WHERE (until < " NOW " - $1 OR until > " NOW
                         " + " LIVE_MOST_MS ") AND id <> $2",
                         LOTOR_VALUES(lotor_sql_whole(SERVER_KEPT_MS), lotor_sql_whole(server)));
    if (status == LOTOR_OK) {
        status = lotor_sql_change(store, why, NULL,
                                  "UPDATE lotor_servers SET until = " NOW " + $2 WHERE id = $1",
                                  LOTOR_VALUES(lotor_sql_whole(server), lotor_sql_whole(life_ms)));
    }
    if (status == LOTOR_OK) {
        status = lotor_sql_select(store, why,
                                  "SELECT count(CASE WHEN id = $1 THEN 1 END), count(CASE WHEN "
                                  "id <> $1 AND " LIVE("") " THEN 1 END) FROM lotor_servers",
                                  LOTOR_VALUES(lotor_sql_whole(server)));
    }
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, "servers", why, LOTOR_OK};
        *known = lotor_row_number(&at, 0) == 1;
        *others = lotor_row_number(&at, 1);
        status = at.status;
    }
    return status;
}

lotor_status lotor_store_beat(lotor_store *store, uint64_t server, uint64_t life_ms,
                              lotor_message *why, bool *known, uint64_t *others)
{
    bool alone;
    *known = false;
    *others = 0;
    lotor_status status = lotor_sql_enter(store, why, &alone);
    if (status == LOTOR_OK) {
        status = beat(store, server, life_ms, why, known, others);
    }
    return lotor_sql_leave(store, alone, status, why);
}

lotor_status lotor_store_remove_server(lotor_store *store, uint64_t server, lotor_message *why)
{
    return lotor_sql_change(store, why, NULL, "DELETE FROM lotor_servers WHERE id = $1",
                            LOTOR_VALUES(lotor_sql_whole(server)));
}

/* --- campaigns -------------------------------------------------------------------------------- */

/* The last id is kept in `meta`, so that no id is used twice even if its campaign is deleted.
 * The row stays locked until the transaction ends. */
lotor_status lotor_store_next_campaign(lotor_store *store, lotor_message *why, uint64_t *id)
{
    char last[24];
    uint64_t changed;
    if (!store->in_transaction) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a campaign's id can be taken only inside a transaction");
    }
    lotor_status status =
        lotor_sql_change(store, why, &changed,
                         "UPDATE lotor_meta SET value = CAST(CAST(value AS bigint) "
                         "+ 1 AS text) WHERE key = 'campaigns'",
                         NULL, 0);
    if (status == LOTOR_OK) {
        status = lotor_store_get_meta(store, "campaigns", why, last, sizeof last);
    }
    if (status == LOTOR_OK &&
        (changed != 1 || sscanf(last, "%" SCNu64, id) != 1 || *id == 0 || *id > INT64_MAX)) {
        status = lotor_fail((lotor_status)LOTOR_DAMAGED, why,
                            "the store is damaged: its value %s is not a number",
                            lotor_quote_text("campaigns").text);
    }
    return status;
}

static lotor_status add_campaign(lotor_store *store, const lotor_campaign_row *row,
                                 const unsigned char *key, size_t key_length, lotor_message *why)
{
    uint64_t added;
    lotor_status status = lotor_sql_change(
        store, why, &added,
        "INSERT INTO lotor_campaigns (id, name, spec, seal, specs, created, closed) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name) DO NOTHING",
        LOTOR_VALUES(lotor_sql_whole(row->id), lotor_sql_text(row->name), lotor_sql_text(row->spec),
                     lotor_sql_bytes(row->seal, LOTOR_STORE_HASH), lotor_sql_whole(row->specs),
                     lotor_sql_real(row->created), lotor_sql_whole(row->closed)));
    if (status == LOTOR_OK && added == 0) {
        return lotor_fail(LOTOR_DUPLICATE, why, "there is already a campaign named %s",
                          lotor_quote_text(row->name).text);
    }
    if (status == LOTOR_OK) {
        status = lotor_sql_change(
            store, why, NULL,
            "INSERT INTO lotor_leases (campaign, owner, epoch, sealed, final, "
            "due, releases, head, broken) VALUES ($1, 0, 0, 0, 0, 0, 0, $2, 0)",
            LOTOR_VALUES(lotor_sql_whole(row->id),
                         lotor_sql_bytes((unsigned char[LOTOR_STORE_HASH]){0}, LOTOR_STORE_HASH)));
    }
    return status == LOTOR_OK ? lotor_store_put_key(store, row->id, key, key_length, why) : status;
}

lotor_status lotor_store_add_campaign(lotor_store *store, const lotor_campaign_row *row,
                                      const unsigned char *key, size_t key_length,
                                      lotor_message *why)
{
    bool alone;
    lotor_status status = lotor_sql_enter(store, why, &alone);
    if (status == LOTOR_OK) {
        status = add_campaign(store, row, key, key_length, why);
    }
    return lotor_sql_leave(store, alone, status, why);
}

static lotor_status tell_campaigns(lotor_store *store, lotor_status status, lotor_on_campaign *told,
                                   void *context, lotor_message *why, uint64_t *count)
{
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, "campaigns", why, LOTOR_OK};
        unsigned char seal[LOTOR_STORE_HASH];
        lotor_campaign_row row = {
            .id = lotor_row_whole(&at, 0, 1, INT64_MAX),
            .name = lotor_row_text(&at, 1),
            .spec = lotor_row_text(&at, 2),
            .seal = seal,
            .specs = lotor_row_number(&at, 4),
            .created = lotor_row_real(&at, 5),
            .closed = lotor_row_whole(&at, 6, 0, 1) == 1,
        };
        lotor_row_exactly(&at, 3, seal, sizeof seal);
        if (at.status == LOTOR_DAMAGED) { /* one damaged row must not stop the other campaigns */
            row.spec = "";
            /* a seal of zeros would mean a campaign of version 0.1 */
            memset(seal, 255, sizeof seal);
            at.status = LOTOR_OK;
        }
        status = at.status == LOTOR_OK ? told(context, &row) : at.status;
        ++*count;
    }
    return status;
}

#define CAMPAIGN "SELECT id, name, spec, seal, specs, created, closed FROM lotor_campaigns "

lotor_status lotor_store_each_campaign(lotor_store *store, uint64_t after, lotor_on_campaign *told,
                                       void *context, lotor_message *why)
{
    uint64_t count = 0;
    const lotor_status status = lotor_sql_select(store, why, CAMPAIGN "WHERE id > $1 ORDER BY id",
                                                 LOTOR_VALUES(limit(after)));
    return tell_campaigns(store, status, told, context, why, &count);
}

lotor_status lotor_store_get_campaign(lotor_store *store, uint64_t campaign,
                                      lotor_on_campaign *told, void *context, lotor_message *why)
{
    uint64_t count = 0;
    lotor_status status = lotor_sql_select(store, why, CAMPAIGN "WHERE id = $1",
                                           LOTOR_VALUES(lotor_sql_whole(campaign)));
    status = tell_campaigns(store, status, told, context, why, &count);
    if (status == LOTOR_OK && count == 0) {
        return lotor_fail(LOTOR_UNKNOWN, why, "the store has no such campaign");
    }
    return status;
}

lotor_status lotor_store_put_spec(lotor_store *store, const lotor_campaign_row *row,
                                  lotor_message *why, bool *done)
{
    uint64_t changed;
    const lotor_status status = lotor_sql_change(
        store, why, &changed,
        "UPDATE lotor_campaigns SET spec = $2, seal = $3, closed = $4, specs = specs + 1 "
        "WHERE id = $1 AND specs = $5",
        LOTOR_VALUES(lotor_sql_whole(row->id), lotor_sql_text(row->spec),
                     lotor_sql_bytes(row->seal, LOTOR_STORE_HASH), lotor_sql_whole(row->closed),
                     lotor_sql_whole(row->specs)));
    *done = status == LOTOR_OK && changed == 1;
    return status;
}

lotor_status lotor_store_put_key(lotor_store *store, uint64_t campaign, const unsigned char *key,
                                 size_t key_length, lotor_message *why)
{
    return lotor_sql_change(
        store, why, NULL, "INSERT INTO lotor_campaign_keys (campaign, wrapped) VALUES ($1, $2)",
        LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_bytes(key, key_length)));
}

/* Hands over the bytes in column `column` of the row that was selected; `number`, if not NULL, gets
 * the number in column 0. */
static lotor_status tell_bytes(lotor_store *store, const char *table, int column,
                               lotor_status status, lotor_on_bytes *told, void *context,
                               lotor_message *why, const char *missing, uint64_t *number)
{
    bool any = false;
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, table, why, LOTOR_OK};
        size_t length;
        if (number) {
            *number = lotor_row_number(&at, 0);
        }
        const unsigned char *bytes = lotor_row_bytes(&at, column, &length);
        status = at.status == LOTOR_OK ? told(context, bytes, length) : at.status;
        any = true;
    }
    if (status == LOTOR_OK && !any) {
        return lotor_fail(LOTOR_UNKNOWN, why, "%s", missing);
    }
    return status;
}

lotor_status lotor_store_get_key(lotor_store *store, uint64_t campaign, lotor_on_bytes *told,
                                 void *context, lotor_message *why)
{
    const lotor_status status =
        lotor_sql_select(store, why, "SELECT wrapped FROM lotor_campaign_keys WHERE campaign = $1",
                         LOTOR_VALUES(lotor_sql_whole(campaign)));
    return tell_bytes(store, "campaign_keys", 0, status, told, context, why,
                      "the campaign's key was erased", NULL);
}

/* --- leases and states ----------------------------------------------------------------------- */

#define LEASE                                                                                      \
    "SELECT l.campaign, l.owner, l.epoch, l.sealed, l.final, l.due, c.specs, l.releases, "         \
    "l.head, l.broken, CAST(CASE WHEN EXISTS (SELECT 1 FROM lotor_servers s WHERE s.id = "         \
    "l.owner AND " LIVE("s.") ") THEN 1 ELSE 0 END AS bigint) FROM lotor_leases l "                \
                              "LEFT JOIN lotor_campaigns c ON c.id = l.campaign "

static lotor_status tell_leases(lotor_store *store, lotor_status status, lotor_on_lease *told,
                                void *context, lotor_message *why)
{
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, "leases", why, LOTOR_OK};
        lotor_lease lease = {
            .campaign = lotor_row_whole(&at, 0, 1, INT64_MAX),
            .owner = lotor_row_number(&at, 1),
            /* leaves room, since it grows with each commit */
            .epoch = lotor_row_whole(&at, 2, 0, INT64_MAX / 2),
            .sealed = lotor_row_number(&at, 3),
            .due = lotor_row_number(&at, 5),
            .specs = lotor_row_number(&at, 6),
            .releases = lotor_row_number(&at, 7),
            .broken = lotor_row_whole(&at, 9, 0, 1) == 1,
            .is_live = lotor_row_whole(&at, 10, 0, 1) == 1,
        };
        lease.final = lotor_row_whole(&at, 4, 0, lease.sealed);
        lotor_row_exactly(&at, 8, lease.head, sizeof lease.head);
        if (at.status == LOTOR_DAMAGED) { /* one damaged row must not stop the other campaigns */
            lease = (lotor_lease){.campaign = lease.campaign, .is_damaged = true};
            at.status = LOTOR_OK;
        }
        status = at.status == LOTOR_OK ? told(context, &lease) : at.status;
    }
    return status;
}

lotor_status lotor_store_each_lease(lotor_store *store, lotor_on_lease *told, void *context,
                                    lotor_message *why)
{
    return tell_leases(store, lotor_sql_select(store, why, LEASE "ORDER BY l.campaign", NULL, 0),
                       told, context, why);
}

static lotor_status keep_lease(void *context, const lotor_lease *lease)
{
    *(lotor_lease *)context = *lease;
    return LOTOR_OK;
}

lotor_status lotor_store_take(lotor_store *store, uint64_t campaign, uint64_t me, uint64_t seen,
                              lotor_message *why, lotor_lease *out, bool *got)
{
    uint64_t changed;
    assert(store->in_transaction && me > 0);
    *got = false;
    *out = (lotor_lease){0};
    lotor_status status = lotor_sql_change(
        store, why, &changed,
        "UPDATE lotor_leases SET owner = $2, epoch = epoch + 1 WHERE campaign = $1 AND epoch = $3 "
        "AND broken = 0 AND (owner = 0 OR owner = $2 OR NOT EXISTS (SELECT 1 FROM lotor_servers s "
        "WHERE s.id = lotor_leases.owner AND " LIVE("s.") "))",
        LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_whole(me), lotor_sql_whole(seen)));
    if (status == LOTOR_OK) {
        status = lotor_sql_select(store, why, LEASE "WHERE l.campaign = $1",
                                  LOTOR_VALUES(lotor_sql_whole(campaign)));
        status = tell_leases(store, status, keep_lease, out, why);
    }
    if (status == LOTOR_OK && out->campaign != campaign) {
        return lotor_fail(LOTOR_UNKNOWN, why, "the store has no such campaign");
    }
    if (status == LOTOR_OK && out->is_damaged) {
        return lotor_fail(LOTOR_DAMAGED, why, "the campaign's lease in the store is damaged");
    }
    *got = status == LOTOR_OK && changed == 1;
    return status;
}

lotor_status lotor_store_put_lease(lotor_store *store, const lotor_lease *lease, lotor_message *why,
                                   bool *done)
{
    uint64_t changed;
    const lotor_status status = lotor_sql_change(
        store, why, &changed,
        "UPDATE lotor_leases SET epoch = epoch + 1, sealed = $4, final = $5, due = $6, "
        "releases = $7, head = $8 "
        "WHERE campaign = $1 AND owner = $2 AND epoch = $3 "
        "AND (SELECT specs FROM lotor_campaigns WHERE id = $1) = $9",
        LOTOR_VALUES(lotor_sql_whole(lease->campaign), lotor_sql_whole(lease->owner),
                     lotor_sql_whole(lease->epoch), lotor_sql_whole(lease->sealed),
                     lotor_sql_whole(lease->final), lotor_sql_whole(lease->due),
                     lotor_sql_whole(lease->releases),
                     lotor_sql_bytes(lease->head, sizeof lease->head),
                     lotor_sql_whole(lease->specs)));
    *done = status == LOTOR_OK && changed == 1;
    return status;
}

lotor_status lotor_store_give_lease(lotor_store *store, uint64_t campaign, uint64_t me,
                                    uint64_t epoch, lotor_message *why)
{
    return lotor_sql_change(
        store, why, NULL,
        "UPDATE lotor_leases SET owner = 0 WHERE campaign = $1 AND owner = $2 AND epoch = $3",
        LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_whole(me), lotor_sql_whole(epoch)));
}

lotor_status lotor_store_set_broken(lotor_store *store, uint64_t campaign, bool broken,
                                    lotor_message *why)
{
    return lotor_sql_change(store, why, NULL,
                            "UPDATE lotor_leases SET broken = $2 WHERE campaign = $1",
                            LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_whole(broken)));
}

lotor_status lotor_store_get_state(lotor_store *store, uint64_t campaign, lotor_on_bytes *told,
                                   void *context, lotor_message *why, uint64_t *epoch)
{
    const lotor_status status =
        lotor_sql_select(store, why, "SELECT epoch, state FROM lotor_states WHERE campaign = $1",
                         LOTOR_VALUES(lotor_sql_whole(campaign)));
    *epoch = 0;
    return tell_bytes(store, "states", 1, status, told, context, why,
                      "the store has no state for that campaign", epoch);
}

lotor_status lotor_store_put_state(lotor_store *store, uint64_t campaign, uint64_t epoch,
                                   const unsigned char *state, size_t length, lotor_message *why)
{
    if (!state) {
        return refuse_row("states", why);
    }
    return lotor_sql_change(store, why, NULL,
                            "INSERT INTO lotor_states (campaign, epoch, state) VALUES ($1, $2, $3) "
                            "ON CONFLICT (campaign) DO UPDATE SET epoch = $2, state = $3",
                            LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_whole(epoch),
                                         lotor_sql_bytes(state, length)));
}

/* --- blocks ----------------------------------------------------------------------------------- */

#define BLOCK                                                                                      \
    "SELECT first, count, holder, want, until, deadline, nonce, drawn, action FROM lotor_blocks "  \
    "WHERE campaign = $1 AND "

lotor_status lotor_store_add_block(lotor_store *store, uint64_t campaign,
                                   const lotor_block_row *row, lotor_message *why)
{
    if (row->first == 0 || row->first > INT64_MAX || row->count == 0 ||
        row->count > INT64_MAX - row->first || !row->drawn) {
        return refuse_row("blocks", why);
    }
    return lotor_sql_change(
        store, why, NULL,
        "INSERT INTO lotor_blocks (campaign, first, count, holder, want, until, deadline, nonce, "
        "drawn, action) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_whole(row->first),
                     lotor_sql_whole(row->count), lotor_sql_whole(row->holder),
                     lotor_sql_whole(row->want), lotor_sql_whole(row->until),
                     lotor_sql_whole(row->deadline), lotor_sql_bits(row->nonce),
                     lotor_sql_bytes(row->drawn, row->drawn_length),
                     lotor_sql_bytes(row->action, row->action_length)));
}

static lotor_status tell_block(lotor_store *store, lotor_on_block *told, void *context,
                               lotor_message *why)
{
    lotor_row_reader at = {store, "blocks", why, LOTOR_OK};
    lotor_block_row row = {
        .first = lotor_row_whole(&at, 0, 1, INT64_MAX),
        .holder = lotor_row_number(&at, 2),
        .want = lotor_row_number(&at, 3),
        .until = lotor_row_number(&at, 4),
        .deadline = lotor_row_number(&at, 5),
        .nonce = lotor_row_bits(&at, 6),
    };
    if (at.status == LOTOR_OK) {
        row.count = lotor_row_whole(&at, 1, 1, INT64_MAX - row.first);
    }
    row.drawn = lotor_row_bytes(&at, 7, &row.drawn_length);
    row.action = lotor_row_maybe_bytes(&at, 8, &row.action_length);
    return at.status == LOTOR_OK ? told(context, &row) : at.status;
}

lotor_status lotor_store_each_block(lotor_store *store, uint64_t campaign, uint64_t holder,
                                    uint64_t after, lotor_on_block *told, void *context,
                                    lotor_message *why)
{
    lotor_status status = lotor_sql_select(
        store, why, BLOCK "first > $2 AND ($3 = 0 OR holder = $3) ORDER BY first",
        LOTOR_VALUES(lotor_sql_whole(campaign), limit(after), lotor_sql_whole(holder)));
    while (lotor_next(store, why, &status)) {
        status = tell_block(store, told, context, why);
    }
    return status;
}

typedef struct finding {
    uint64_t decision;
    lotor_on_block *told;
    void *context;
    bool any;
} finding;

static lotor_status tell_if_in(void *context, const lotor_block_row *row)
{
    finding *find = context;
    find->any = find->decision - row->first < row->count;
    return find->any ? find->told(find->context, row) : LOTOR_OK;
}

lotor_status lotor_store_find_block(lotor_store *store, uint64_t campaign, uint64_t decision,
                                    lotor_on_block *told, void *context, lotor_message *why)
{
    finding find = {.decision = decision, .told = told, .context = context};
    lotor_status status =
        lotor_sql_select(store, why, BLOCK "first <= $2 ORDER BY first DESC LIMIT 1",
                         LOTOR_VALUES(lotor_sql_whole(campaign), limit(decision)));
    while (lotor_next(store, why, &status)) {
        status = tell_block(store, tell_if_in, &find, why);
    }
    if (status == LOTOR_OK && !find.any) {
        return lotor_fail(LOTOR_UNKNOWN, why, "the store has no block with that decision");
    }
    return status;
}

lotor_status lotor_store_each_open(lotor_store *store, uint64_t campaign, uint64_t from,
                                   uint64_t to, lotor_on_open *told, void *context,
                                   lotor_message *why)
{
    lotor_status status = lotor_sql_select(
        store, why,
        "SELECT b.first, b.nonce FROM lotor_blocks b JOIN lotor_leases l "
        "ON l.campaign = b.campaign WHERE b.campaign = $1 AND b.first >= $2 AND b.first <= $3 "
        "AND b.first > l.sealed ORDER BY b.first",
        LOTOR_VALUES(lotor_sql_whole(campaign), limit(from), limit(to)));
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, "blocks", why, LOTOR_OK};
        const uint64_t first = lotor_row_number(&at, 0), nonce = lotor_row_bits(&at, 1);
        status = at.status == LOTOR_OK ? told(context, first, nonce) : at.status;
    }
    return status;
}

/* --- the log ---------------------------------------------------------------------------------- */

lotor_status lotor_store_append(lotor_store *store, uint64_t campaign, const lotor_log_row *row,
                                lotor_message *why)
{
    if (row->first == 0 || row->last < row->first || !row->bytes || row->kind > LOTOR_LOG_SHOWN) {
        return refuse_row("log", why);
    }
    return lotor_sql_change(
        store, why, NULL,
        "INSERT INTO lotor_log (campaign, stream, seq, kind, first, last, sealed) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7)",
        LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_whole(row->stream),
                     lotor_sql_whole(row->seq), lotor_sql_whole(row->kind),
                     lotor_sql_whole(row->first), lotor_sql_whole(row->last),
                     lotor_sql_bytes(row->bytes, row->length)));
}

/* A recursive query that uses the index to go from one stream to the next. Its cost does not
 * depend on the number of rows in a stream. */
lotor_status lotor_store_each_stream(lotor_store *store, uint64_t campaign, lotor_on_stream *told,
                                     void *context, lotor_message *why)
{
    lotor_status status = lotor_sql_select(
        store, why,
        "WITH RECURSIVE streams (id) AS (SELECT min(stream) FROM lotor_log WHERE campaign = $1 "
        "UNION ALL SELECT (SELECT min(stream) FROM lotor_log WHERE campaign = $1 AND stream > id) "
        "FROM streams WHERE id IS NOT NULL) "
        "SELECT id, (SELECT max(seq) FROM lotor_log WHERE campaign = $1 AND stream = id) "
        "FROM streams WHERE id IS NOT NULL",
        LOTOR_VALUES(lotor_sql_whole(campaign)));
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, "log", why, LOTOR_OK};
        const uint64_t stream = lotor_row_number(&at, 0), seq = lotor_row_number(&at, 1);
        status = at.status == LOTOR_OK ? told(context, stream, seq) : at.status;
    }
    return status;
}

/* Reads the selected rows of the log. */
static lotor_status tell_log(lotor_store *store, lotor_status status, lotor_on_log *told,
                             void *context, lotor_message *why)
{
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, "log", why, LOTOR_OK};
        lotor_log_row row = {
            .stream = lotor_row_number(&at, 0),
            .seq = lotor_row_number(&at, 1),
            .kind = (lotor_log_kind)lotor_row_whole(&at, 2, 0, LOTOR_LOG_SHOWN),
            .first = lotor_row_whole(&at, 3, 1, INT64_MAX),
        };
        row.last = lotor_row_whole(&at, 4, row.first, INT64_MAX);
        row.bytes = lotor_row_bytes(&at, 5, &row.length);
        status = at.status == LOTOR_OK ? told(context, &row) : at.status;
    }
    return status;
}

lotor_status lotor_store_each_log(lotor_store *store, uint64_t campaign, uint64_t stream,
                                  uint64_t after, lotor_on_log *told, void *context,
                                  lotor_message *why)
{
    const lotor_status status = lotor_sql_select(
        store, why,
        "SELECT stream, seq, kind, first, last, sealed FROM lotor_log "
        "WHERE campaign = $1 AND stream = $2 AND seq > $3 ORDER BY seq",
        LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_whole(stream), limit(after)));
    return tell_log(store, status, told, context, why);
}

lotor_status lotor_store_each_shown(lotor_store *store, uint64_t campaign, uint64_t decision,
                                    lotor_on_log *told, void *context, lotor_message *why)
{
    const lotor_status status = lotor_sql_select(
        store, why,
        "SELECT stream, seq, kind, first, last, sealed FROM lotor_log "
        "WHERE campaign = $1 AND last >= $2 AND first <= $2 AND kind = 2 ORDER BY last",
        LOTOR_VALUES(lotor_sql_whole(campaign), limit(decision)));
    return tell_log(store, status, told, context, why);
}

lotor_status lotor_store_forget(lotor_store *store, uint64_t campaign, uint64_t final,
                                lotor_message *why)
{
    return lotor_sql_change(store, why, NULL,
                            "DELETE FROM lotor_blocks WHERE campaign = $1 AND first <= $2 "
                            "AND first + count - 1 <= $2",
                            LOTOR_VALUES(lotor_sql_whole(campaign), limit(final)));
}

/* The plus signs make both databases use the index on (campaign, last) and not the primary key.
 * Almost all rows that this index finds are deleted. The primary key would find all rows of the
 * stream, most of which must stay until their rounds are final. */
lotor_status lotor_store_forget_log(lotor_store *store, uint64_t campaign, uint64_t stream,
                                    uint64_t seq, uint64_t final, lotor_message *why)
{
    return lotor_sql_change(
        store, why, NULL,
        "DELETE FROM lotor_log WHERE campaign = $1 AND last <= $4 AND +stream = $2 AND +seq <= $3",
        LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_whole(stream), limit(seq), limit(final)));
}

/* --- wants ------------------------------------------------------------------------------------ */

lotor_status lotor_store_add_want(lotor_store *store, const lotor_want_row *row, lotor_message *why)
{
    const bool alone = !store->in_transaction;
    if (row->campaign == 0 || row->server == 0 || row->id == 0 || row->count == 0) {
        return refuse_row("wants", why);
    }
    lotor_status status =
        alone ? store->driver->begin(store, LOTOR_BEGIN_QUICK, why) : (lotor_status)LOTOR_OK;
    if (status == LOTOR_OK) {
        status = lotor_sql_change(
            store, why, NULL,
            "INSERT INTO lotor_wants (campaign, server, id, at, count, body, reply) "
            "VALUES ($1, $2, $3, $4, $5, $6, NULL)",
            LOTOR_VALUES(lotor_sql_whole(row->campaign), lotor_sql_whole(row->server),
                         lotor_sql_whole(row->id), lotor_sql_whole(row->at),
                         lotor_sql_whole(row->count),
                         lotor_sql_bytes(row->body, row->body_length)));
    }
    return lotor_sql_leave(store, alone, status, why);
}

static lotor_status tell_wants(lotor_store *store, lotor_status status, lotor_on_want *told,
                               void *context, lotor_message *why)
{
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, "wants", why, LOTOR_OK};
        lotor_want_row row = {
            .campaign = lotor_row_whole(&at, 0, 1, INT64_MAX),
            .server = lotor_row_number(&at, 1),
            .id = lotor_row_number(&at, 2),
            .at = lotor_row_number(&at, 3),
            .count = lotor_row_number(&at, 4),
        };
        row.body = lotor_row_maybe_bytes(&at, 5, &row.body_length);
        row.reply = lotor_row_maybe_bytes(&at, 6, &row.reply_length);
        status = at.status == LOTOR_OK ? told(context, &row) : at.status;
    }
    return status;
}

#define WANT "SELECT w.campaign, w.server, w.id, w.at, w.count, w.body, w.reply FROM lotor_wants w "

lotor_status lotor_store_each_want(lotor_store *store, uint64_t owner, lotor_on_want *told,
                                   void *context, lotor_message *why)
{
    /* Owners look many times a second, and mostly find nothing: a look at one small table is cheap. */
    lotor_status status = lotor_sql_select(
        store, why, "SELECT 1 FROM lotor_wants WHERE reply IS NULL AND server <> $1 LIMIT 1",
        LOTOR_VALUES(lotor_sql_whole(owner)));
    bool is_there = false;
    while (lotor_next(store, why, &status)) {
        is_there = true;
    }
    if (status != LOTOR_OK || !is_there) {
        return status;
    }
    status = lotor_sql_select(
        store, why,
        WANT "JOIN lotor_leases l ON l.campaign = w.campaign WHERE l.owner = $1 "
             "AND w.server <> $1 AND w.reply IS NULL ORDER BY w.campaign, w.at, w.server, w.id",
        LOTOR_VALUES(lotor_sql_whole(owner)));
    return tell_wants(store, status, told, context, why);
}

lotor_status lotor_store_each_reply(lotor_store *store, uint64_t server, lotor_on_want *told,
                                    void *context, lotor_message *why)
{
    const lotor_status status = lotor_sql_select(
        store, why, WANT "WHERE w.server = $1 AND w.reply IS NOT NULL ORDER BY w.id",
        LOTOR_VALUES(lotor_sql_whole(server)));
    return tell_wants(store, status, told, context, why);
}

lotor_status lotor_store_put_reply(lotor_store *store, const lotor_want_row *row,
                                   lotor_message *why)
{
    return lotor_sql_change(store, why, NULL,
                            "UPDATE lotor_wants SET reply = $3 WHERE server = $1 AND id = $2",
                            LOTOR_VALUES(lotor_sql_whole(row->server), lotor_sql_whole(row->id),
                                         lotor_sql_bytes(row->reply, row->reply_length)));
}

lotor_status lotor_store_delete_want(lotor_store *store, uint64_t server, uint64_t id,
                                     lotor_message *why)
{
    return lotor_sql_change(store, why, NULL,
                            "DELETE FROM lotor_wants WHERE server = $1 AND ($2 = 0 OR id = $2)",
                            LOTOR_VALUES(lotor_sql_whole(server), lotor_sql_whole(id)));
}

/* --- releases --------------------------------------------------------------------------------- */

void lotor_release_row_chain(lotor_release_row *release, const unsigned char head[LOTOR_STORE_HASH])
{
    unsigned char bytes[LOTOR_STORE_HASH + 3 * 8 + LOTOR_STORE_HASH];
    if (release->facts) {
        crypto_generichash(release->digest, sizeof release->digest, release->facts,
                           release->facts_length, NULL, 0);
    }
    memcpy(bytes, head, LOTOR_STORE_HASH);
    lotor_put_u64(bytes + 32, release->number);
    lotor_put_u64(bytes + 40, release->campaign);
    lotor_put_u64(bytes + 48, release->time);
    memcpy(bytes + 56, release->digest, sizeof release->digest);
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, sizeof release->hash);
    crypto_generichash_update(&state, bytes, sizeof bytes);
    if (release->stamp) { /* releases of older programs have none, and keep their hash */
        crypto_generichash_update(&state, release->stamp, release->stamp_length);
    }
    crypto_generichash_final(&state, release->hash, sizeof release->hash);
}

lotor_status lotor_store_add_release(lotor_store *store, const lotor_release_row *release,
                                     lotor_message *why)
{
    if (release->campaign == 0 || release->number == 0) {
        return refuse_row("releases", why);
    }
    return lotor_sql_change(
        store, why, NULL,
        "INSERT INTO lotor_releases (campaign, number, time, facts, digest, hash, stamp) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7)",
        LOTOR_VALUES(lotor_sql_whole(release->campaign), lotor_sql_whole(release->number),
                     lotor_sql_whole(release->time),
                     lotor_sql_bytes(release->facts, release->facts_length),
                     lotor_sql_bytes(release->digest, sizeof release->digest),
                     lotor_sql_bytes(release->hash, sizeof release->hash),
                     lotor_sql_bytes(release->stamp, release->stamp_length)));
}

static lotor_status tell_releases(lotor_store *store, lotor_status status,
                                  lotor_on_release_row *told, void *context, lotor_message *why)
{
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, "releases", why, LOTOR_OK};
        lotor_release_row release = {
            .campaign = lotor_row_whole(&at, 0, 1, INT64_MAX),
            .number = lotor_row_whole(&at, 1, 1, INT64_MAX),
            .time = lotor_row_number(&at, 2),
        };
        release.facts = lotor_row_maybe_bytes(&at, 3, &release.facts_length);
        lotor_row_exactly(&at, 4, release.digest, sizeof release.digest);
        lotor_row_exactly(&at, 5, release.hash, sizeof release.hash);
        release.stamp = lotor_row_maybe_bytes(&at, 6, &release.stamp_length);
        status = at.status == LOTOR_OK ? told(context, &release) : at.status;
    }
    return status;
}

lotor_status lotor_store_each_release(lotor_store *store, uint64_t campaign, uint64_t after,
                                      lotor_on_release_row *told, void *context, lotor_message *why)
{
    const lotor_status status = lotor_sql_select(
        store, why,
        "SELECT campaign, number, time, facts, digest, hash, stamp FROM lotor_releases "
        "WHERE campaign = $1 AND number > $2 ORDER BY number",
        LOTOR_VALUES(lotor_sql_whole(campaign), limit(after)));
    return tell_releases(store, status, told, context, why);
}

static lotor_status keep_release(void *context, const lotor_release_row *release)
{
    *(lotor_release_row *)context = *release;
    return LOTOR_OK;
}

/* If there is no such release, out->number is 0. */
static lotor_status get_release(lotor_store *store, const char *sql, uint64_t campaign,
                                uint64_t number, lotor_message *why, lotor_release_row *out)
{
    *out = (lotor_release_row){.campaign = campaign};
    const lotor_status status = lotor_sql_select(
        store, why, sql, LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_whole(number)));
    const lotor_status told = tell_releases(store, status, keep_release, out, why);
    out->facts = out->stamp = NULL;
    out->facts_length = out->stamp_length = 0;
    return told;
}

#define BARE_RELEASE                                                                               \
    "SELECT campaign, number, time, CAST(NULL AS bytea), digest, hash, CAST(NULL AS bytea) "       \
    "FROM lotor_releases WHERE campaign = $1 AND number "

lotor_status lotor_store_last_release(lotor_store *store, uint64_t campaign, lotor_message *why,
                                      lotor_release_row *out)
{
    return get_release(store, BARE_RELEASE "> $2 ORDER BY number DESC LIMIT 1", campaign, 0, why,
                       out);
}

lotor_status lotor_store_has_release(lotor_store *store, uint64_t campaign, uint64_t number,
                                     const unsigned char hash[LOTOR_STORE_HASH], lotor_message *why,
                                     bool *has)
{
    lotor_release_row found;
    *has = number == 0;
    if (number == 0 || number > INT64_MAX) {
        return LOTOR_OK;
    }
    const lotor_status status =
        get_release(store, BARE_RELEASE "= $2", campaign, number, why, &found);
    *has = status == LOTOR_OK && found.number == number &&
           memcmp(found.hash, hash, LOTOR_STORE_HASH) == 0;
    return status;
}

/* --- users and meta --------------------------------------------------------------------------- */

/* If the user has reached the cap, no row changes. */
lotor_status lotor_store_count_user(lotor_store *store, uint64_t campaign,
                                    const unsigned char hash[16], uint64_t cap, lotor_message *why,
                                    bool *counted)
{
    uint64_t changed;
    const lotor_status status = lotor_sql_change(
        store, why, &changed,
        "INSERT INTO lotor_users AS known (campaign, hash, shown) SELECT $1, $2, 1 WHERE $3 > 0 "
        "ON CONFLICT (campaign, hash) DO UPDATE SET shown = known.shown + 1 WHERE known.shown < $3",
        LOTOR_VALUES(lotor_sql_whole(campaign), lotor_sql_bytes(hash, 16), limit(cap)));
    *counted = status == LOTOR_OK && changed == 1;
    return status;
}

lotor_status lotor_store_get_meta(lotor_store *store, const char *key, lotor_message *why,
                                  char *value, size_t capacity)
{
    lotor_status status =
        lotor_sql_select(store, why, "SELECT value FROM lotor_meta WHERE key = $1",
                         LOTOR_VALUES(lotor_sql_text(key)));
    value[0] = '\0';
    while (lotor_next(store, why, &status)) {
        lotor_row_reader at = {store, "meta", why, LOTOR_OK};
        const char *text = lotor_row_text(&at, 0);
        status = at.status;
        if (status == LOTOR_OK && strlen(text) >= capacity) {
            status = lotor_fail((lotor_status)LOTOR_RANGE, why, "the store's value %s is too long",
                                lotor_quote_text(key).text);
        } else if (status == LOTOR_OK) {
            snprintf(value, capacity, "%s", text);
        }
    }
    return status;
}

lotor_status lotor_store_put_meta(lotor_store *store, const char *key, const char *value,
                                  lotor_message *why)
{
    if (*value == '\0') {
        return lotor_sql_change(store, why, NULL, "DELETE FROM lotor_meta WHERE key = $1",
                                LOTOR_VALUES(lotor_sql_text(key)));
    }
    return lotor_sql_change(store, why, NULL,
                            "INSERT INTO lotor_meta (key, value) VALUES ($1, $2) "
                            "ON CONFLICT (key) DO UPDATE SET value = $2",
                            LOTOR_VALUES(lotor_sql_text(key), lotor_sql_text(value)));
}
