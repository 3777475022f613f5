/* check.c - checks that a store is consistent, as far as that is possible without the key.
 *
 * query.c checks the type and range of each column when it is read. This file checks what the rows
 * must say together:
 *
 *   - Rows belong to existing campaigns.
 *   - The releases of a campaign are a chain that ends where its lease says.
 *   - Its blocks follow each other, beginning after the last final decision.
 *   - Its log is about decisions that were drawn.
 *   - The audit log is a chain without gaps.
 *   - What is kept about users is in range: nothing else reads all these rows.
 *
 * A campaign that was migrated from schema 1 (meta "legacy:ID") may have gaps between its blocks.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "service/store/driver.h"

typedef struct campaign_check {
    uint64_t id;
    lotor_quoted_text name;
    lotor_lease lease;
    bool has_lease, is_legacy;
} campaign_check;

typedef struct store_check {
    lotor_store *store;
    lotor_message *finding;
    campaign_check *campaigns; /* sorted by id */
    size_t count, room;
    const campaign_check *at; /* the campaign that is being checked */
    uint64_t *streams;        /* the streams of its log */
    size_t stream_count, stream_room;
    lotor_release_row last; /* the last release of its chain so far */
    uint64_t end;           /* the last decision of its blocks so far */
    uint64_t deadline;      /* the deadline of its last block so far */
} store_check;

#define refuse(check, ...) lotor_fail((lotor_status)LOTOR_DAMAGED, (check)->finding, __VA_ARGS__)

static void *grow(void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return list;
    }
    const size_t more = *room ? 2 * *room : 64;
    void *const longer = realloc(list, more * size);
    if (longer) {
        *room = more;
    }
    return longer;
}

static lotor_status out_of_memory(store_check *check)
{
    return lotor_fail(LOTOR_MEMORY, check->finding, "out of memory");
}

/* --- campaigns and leases --------------------------------------------------------------------- */

static lotor_status add_campaign(void *context, const lotor_campaign_row *row)
{
    store_check *check = context;
    if (!*row->spec) { /* rows.c reports a damaged row like this; the finding names the column */
        return LOTOR_DAMAGED;
    }
    void *const longer =
        grow(check->campaigns, check->count, &check->room, sizeof *check->campaigns);
    if (!longer) {
        return out_of_memory(check);
    }
    check->campaigns = longer;
    check->campaigns[check->count++] =
        (campaign_check){.id = row->id, .name = lotor_quote_text(row->name)};
    return LOTOR_OK;
}

static lotor_status add_lease(void *context, const lotor_lease *lease)
{
    store_check *check = context;
    for (size_t low = 0, high = check->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        campaign_check *const one = &check->campaigns[middle];
        if (one->id == lease->campaign && lease->is_damaged) {
            return LOTOR_DAMAGED; /* the finding names the column */
        }
        if (one->id == lease->campaign) {
            one->lease = *lease;
            one->has_lease = true;
            break;
        }
        low = one->id < lease->campaign ? middle + 1 : low;
        high = one->id < lease->campaign ? high : middle;
    }
    return LOTOR_OK;
}

static lotor_status list_campaigns(store_check *check)
{
    lotor_status status =
        lotor_store_each_campaign(check->store, 0, add_campaign, check, check->finding);
    if (status == LOTOR_OK) {
        status = lotor_store_each_lease(check->store, add_lease, check, check->finding);
    }
    for (size_t i = 0; status == LOTOR_OK && i < check->count; i++) {
        campaign_check *const one = &check->campaigns[i];
        char key[40], value[16];
        snprintf(key, sizeof key, "legacy:%" PRIu64, one->id);
        status = lotor_store_get_meta(check->store, key, check->finding, value, sizeof value);
        one->is_legacy = value[0] != '\0';
        if (status == LOTOR_OK && !one->has_lease) {
            status = refuse(check, "campaign %s has no row in table leases", one->name.text);
        }
    }
    return status;
}

/* The id of a new campaign must not be in use. */
static lotor_status check_next_id(store_check *check)
{
    char last[24];
    uint64_t number = 0;
    const lotor_status status =
        lotor_store_get_meta(check->store, "campaigns", check->finding, last, sizeof last);
    if (status != LOTOR_OK) {
        return status;
    }
    const bool is_number = sscanf(last, "%" SCNu64, &number) == 1;
    return is_number && (check->count == 0 || check->campaigns[check->count - 1].id <= number)
               ? LOTOR_OK
               : refuse(check, "the last campaign id (meta \"campaigns\") is wrong");
}

static lotor_status check_strangers(store_check *check)
{
#define STRANGERS(table)                                                                           \
    {                                                                                              \
        table, "SELECT count(*) FROM lotor_" table                                                 \
               " WHERE campaign NOT IN (SELECT id FROM lotor_campaigns)"                           \
    }
    static const struct {
        const char *table, *sql;
    } tables[] = {
        STRANGERS("campaign_keys"), STRANGERS("leases"), STRANGERS("states"),
        STRANGERS("blocks"),        STRANGERS("log"),    STRANGERS("releases"),
        STRANGERS("users"),         STRANGERS("wants"),  STRANGERS("stickies"),
    };
#undef STRANGERS
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; status == LOTOR_OK && i < sizeof tables / sizeof *tables; i++) {
        uint64_t rows = 0;
        status = lotor_sql_select(check->store, check->finding, tables[i].sql, NULL, 0);
        while (lotor_next(check->store, check->finding, &status)) {
            lotor_row_reader at = {check->store, tables[i].table, check->finding, LOTOR_OK};
            rows = lotor_row_number(&at, 0);
            status = at.status;
        }
        if (status == LOTOR_OK && rows > 0) {
            status = refuse(check, "table %s has rows of a campaign that does not exist",
                            tables[i].table);
        }
    }
    return status;
}

/* --- releases --------------------------------------------------------------------------------- */

static lotor_status check_release(void *context, const lotor_release_row *release)
{
    store_check *check = context;
    const char *const name = check->at->name.text;
    lotor_release_row right = *release;
    if (release->number != check->last.number + 1) {
        return refuse(check, "campaign %s: release %" PRIu64 " is missing from the chain", name,
                      check->last.number + 1);
    }
    lotor_release_row_chain(&right, check->last.hash);
    if (memcmp(right.digest, release->digest, sizeof right.digest) != 0) {
        return refuse(check, "campaign %s: the facts of release %" PRIu64 " were changed", name,
                      release->number);
    }
    if (memcmp(right.hash, release->hash, sizeof right.hash) != 0) {
        return refuse(check,
                      "campaign %s: release %" PRIu64
                      " does not fit the chain: this release, or one before it, was changed",
                      name, release->number);
    }
    if (check->last.number > 0 && release->time <= check->last.time) {
        return refuse(check,
                      "campaign %s: release %" PRIu64 " is of round %" PRIu64
                      ", and the one before it of round %" PRIu64,
                      name, release->number, release->time, check->last.time);
    }
    check->last = right;
    check->last.facts = NULL;
    return LOTOR_OK;
}

static lotor_status check_releases(store_check *check)
{
    const campaign_check *const at = check->at;
    assert(at && at->has_lease);
    check->last = (lotor_release_row){.campaign = at->id};
    const lotor_status status =
        lotor_store_each_release(check->store, at->id, 0, check_release, check, check->finding);
    if (status != LOTOR_OK) {
        return status;
    }
    if (check->last.number != at->lease.releases ||
        memcmp(check->last.hash, at->lease.head, sizeof at->lease.head) != 0) {
        return refuse(check,
                      "campaign %s: its lease has %" PRIu64 " release%s, but its chain has %" PRIu64
                      " (or ends with another release)",
                      at->name.text, at->lease.releases, at->lease.releases == 1 ? "" : "s",
                      check->last.number);
    }
    if (check->last.time > at->lease.final) {
        return refuse(check,
                      "campaign %s: its last release is of round %" PRIu64
                      ", but rounds are final only up to %" PRIu64
                      ": a part of the store is older than the rest",
                      at->name.text, check->last.time, at->lease.final);
    }
    return LOTOR_OK;
}

/* --- blocks and the log ----------------------------------------------------------------------- */

static lotor_status check_block(void *context, const lotor_block_row *block)
{
    store_check *check = context;
    const campaign_check *const at = check->at;
    const bool fits = at->is_legacy ? block->first > check->end || check->end == at->lease.final
                                    : block->first == check->end + 1;
    if (!fits) {
        return refuse(check,
                      "campaign %s: a block begins at decision %" PRIu64
                      ", but the decision before it is %" PRIu64,
                      at->name.text, block->first, check->end);
    }
    if (!at->is_legacy && block->deadline < check->deadline) {
        return refuse(check,
                      "campaign %s: the block at decision %" PRIu64
                      " has an earlier deadline than the block before it",
                      at->name.text, block->first);
    }
    check->end = block->first + block->count - 1;
    check->deadline = block->deadline;
    return LOTOR_OK;
}

static lotor_status add_stream(void *context, uint64_t stream, uint64_t last_seq)
{
    store_check *check = context;
    (void)last_seq;
    void *const longer =
        grow(check->streams, check->stream_count, &check->stream_room, sizeof *check->streams);
    if (!longer) {
        return out_of_memory(check);
    }
    check->streams = longer;
    check->streams[check->stream_count++] = stream;
    return LOTOR_OK;
}

static lotor_status check_log(void *context, const lotor_log_row *row)
{
    store_check *check = context;
    /* A failover may have lost decisions for which servers still accepted feedback. */
    return row->last <= check->end || !lotor_store_is_exclusive(check->store)
               ? LOTOR_OK
               : refuse(check,
                        "campaign %s: entry %" PRIu64 " of stream %" PRIu64
                        " is about decision %" PRIu64 ", but the last one drawn is %" PRIu64,
                        check->at->name.text, row->seq, row->stream, row->last, check->end);
}

static lotor_status check_rounds(store_check *check)
{
    lotor_store *const store = check->store;
    const campaign_check *const at = check->at;
    assert(at && at->has_lease);
    check->end = at->lease.final;
    check->deadline = 0;
    check->stream_count = 0;
    lotor_status status =
        lotor_store_each_block(store, at->id, 0, 0, check_block, check, check->finding);
    check->end = check->end < at->lease.final ? at->lease.final : check->end;
    if (status == LOTOR_OK && at->lease.sealed > check->end) {
        status = refuse(check,
                        "campaign %s: sealed up to decision %" PRIu64
                        ", but the last one drawn is %" PRIu64,
                        at->name.text, at->lease.sealed, check->end);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_each_stream(store, at->id, add_stream, check, check->finding);
    }
    for (size_t i = 0; status == LOTOR_OK && i < check->stream_count; i++) {
        status = lotor_store_each_log(store, at->id, check->streams[i], 0, check_log, check,
                                      check->finding);
    }
    return status;
}

/* --- budgets ---------------------------------------------------------------------------------- */

static lotor_status see_budget(void *context, const lotor_budget_row *row)
{
    *(uint64_t *)context = row->id;
    return *row->spec ? LOTOR_OK : LOTOR_DAMAGED; /* the finding names the column */
}

/* The spending of users belongs to budgets that exist, and the id of a new budget is not in use. */
static lotor_status check_budgets(store_check *check)
{
    char text[24] = "";
    uint64_t last = 0, strangers = 0;
    lotor_status status = lotor_store_each_budget(check->store, see_budget, &last, check->finding);
    if (status == LOTOR_OK) {
        status = lotor_store_get_meta(check->store, "budgets", check->finding, text, sizeof text);
    }
    if (status == LOTOR_OK && strtoull(text, NULL, 10) < last) {
        return refuse(check, "the last budget id (meta \"budgets\") is wrong");
    }
    if (status == LOTOR_OK) {
        status = lotor_sql_select(check->store, check->finding,
                                  "SELECT count(*) FROM lotor_spend WHERE budget NOT IN (SELECT id "
                                  "FROM lotor_budgets)",
                                  NULL, 0);
    }
    while (lotor_next(check->store, check->finding, &status)) {
        lotor_row_reader at = {check->store, "spend", check->finding, LOTOR_OK};
        strangers = lotor_row_number(&at, 0);
        status = at.status;
    }
    return status == LOTOR_OK && strangers > 0
               ? refuse(check, "table spend has rows of a budget that does not exist")
               : status;
}

/* --- users ------------------------------------------------------------------------------------ */

static void see_user(lotor_row_reader *at)
{
    unsigned char hash[16];
    lotor_row_exactly(at, 0, hash, sizeof hash);
    lotor_row_number(at, 1);
}

static void see_spend(lotor_row_reader *at)
{
    unsigned char hash[16];
    lotor_row_exactly(at, 0, hash, sizeof hash);
    lotor_row_whole(at, 1, 0, LOTOR_SPEND_MOST);
    lotor_row_whole(at, 2, 0, LOTOR_SPEND_MOST);
}

static void see_sticky(lotor_row_reader *at)
{
    unsigned char hash[16];
    size_t length;
    lotor_row_exactly(at, 0, hash, sizeof hash);
    lotor_row_number(at, 1);
    lotor_row_number(at, 2);
    lotor_row_bits(at, 3);
    lotor_row_number(at, 4);
    lotor_row_bytes(at, 5, &length);
}

/* Servers read only the row of the user who asks, so a bad value could stay unnoticed for long. */
static lotor_status check_users(store_check *check)
{
    static const struct {
        const char *table, *sql;
        void (*see)(lotor_row_reader *at);
    } tables[] = {
        {"users", "SELECT hash, shown FROM lotor_users", see_user},
        {"spend", "SELECT hash, amount, squares FROM lotor_spend", see_spend},
        {"stickies", "SELECT hash, until, decision, nonce, expires, shown FROM lotor_stickies",
         see_sticky},
    };
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; status == LOTOR_OK && i < sizeof tables / sizeof *tables; i++) {
        status = lotor_sql_select(check->store, check->finding, tables[i].sql, NULL, 0);
        while (lotor_next(check->store, check->finding, &status)) {
            lotor_row_reader at = {check->store, tables[i].table, check->finding, LOTOR_OK};
            tables[i].see(&at);
            status = at.status;
        }
    }
    return status;
}

/* --- the audit log ---------------------------------------------------------------------------- */

static lotor_status count_audit(void *context, const lotor_audit_row *row)
{
    *(uint64_t *)context = row->number;
    return LOTOR_OK;
}

/* The log is a chain from line 1 to the last one, whose number is in `meta`. */
static lotor_status check_audit(store_check *check)
{
    char text[24] = "";
    uint64_t last = 0;
    lotor_status status =
        lotor_store_each_audit(check->store, 0, INT64_MAX, count_audit, &last, check->finding);
    if (status == LOTOR_OK) {
        status = lotor_store_get_meta(check->store, "audit", check->finding, text, sizeof text);
    }
    return status == LOTOR_OK && strtoull(text, NULL, 10) != last
               ? refuse(check, "the audit log ends with line %" PRIu64 ", and its last line was %s",
                        last, text)
               : status;
}

/* --- everything ------------------------------------------------------------------------------- */

static lotor_status check_all(store_check *check)
{
    lotor_store *const store = check->store;
    lotor_status status = store->driver->compare(store, LOTOR_SCHEMA_VERSION, check->finding);
    if (status == LOTOR_OK) {
        status = store->driver->inspect(store, false, check->finding);
    }
    if (status == LOTOR_OK) {
        status = list_campaigns(check);
    }
    if (status == LOTOR_OK) {
        status = check_next_id(check);
    }
    if (status == LOTOR_OK) {
        status = check_strangers(check);
    }
    if (status == LOTOR_OK) {
        status = check_budgets(check);
    }
    if (status == LOTOR_OK) {
        status = check_users(check);
    }
    if (status == LOTOR_OK) {
        status = check_audit(check);
    }
    for (size_t i = 0; status == LOTOR_OK && i < check->count; i++) {
        check->at = &check->campaigns[i];
        status = check_releases(check);
        status = status == LOTOR_OK ? check_rounds(check) : status;
    }
    return status;
}

lotor_status lotor_store_check(lotor_store *store, lotor_message *finding)
{
    lotor_message unused = {""};
    store_check check = {.store = store, .finding = finding ? finding : &unused};
    /* One transaction, so that this sees one snapshot while a server goes on. */
    const bool alone = !store->in_transaction;
    lotor_status status = alone ? store->driver->begin(store, LOTOR_BEGIN_LONG, check.finding)
                                : (lotor_status)LOTOR_OK;
    if (status == LOTOR_OK) {
        status = check_all(&check);
    }
    if (alone) {
        lotor_store_rollback(store);
    }
    free(check.campaigns);
    free(check.streams);
    return status;
}
