/* copy.c - copies all rows of a store to an empty store, of either database.
 *
 * Ids, numbers and chains do not change, so sealed bytes can be opened in the new store and head
 * files stay valid. No server owns the campaigns of the new store. Open blocks keep their
 * deadlines. Their holders are gone, so all their decisions count as handed out.
 */
#include <assert.h>
#include <string.h>

#include "base/message.h"
#include "service/store/driver.h"

/* `kinds` has a letter for each column: w whole, r real, t text, b bytes. The tables servers and
 * wants are not copied. */
static const struct {
    const char *table, *kinds, *select, *insert;
} tables[] = {
    {"campaigns", "wttbwrw",
     "SELECT id, name, spec, seal, specs, created, closed FROM lotor_campaigns ORDER BY id",
     "INSERT INTO lotor_campaigns (id, name, spec, seal, specs, created, closed) "
     "VALUES ($1, $2, $3, $4, $5, $6, $7)"},
    {"campaign_keys", "wb", "SELECT campaign, wrapped FROM lotor_campaign_keys ORDER BY campaign",
     "INSERT INTO lotor_campaign_keys (campaign, wrapped) VALUES ($1, $2)"},
    {"leases", "wwwwwwbw",
     "SELECT campaign, epoch, sealed, final, due, releases, head, broken FROM lotor_leases "
     "ORDER BY campaign",
     "INSERT INTO lotor_leases (campaign, owner, epoch, sealed, final, due, releases, head, "
     "broken) VALUES ($1, 0, $2, $3, $4, $5, $6, $7, $8)"},
    {"states", "wwb", "SELECT campaign, epoch, state FROM lotor_states ORDER BY campaign",
     "INSERT INTO lotor_states (campaign, epoch, state) VALUES ($1, $2, $3)"},
    {"blocks", "wwwwwwwwbb",
     "SELECT campaign, first, count, holder, want, until, deadline, nonce, drawn, action "
     "FROM lotor_blocks ORDER BY campaign, first",
     "INSERT INTO lotor_blocks (campaign, first, count, holder, want, until, deadline, nonce, "
     "drawn, action) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"},
    {"log", "wwwwwwb",
     "SELECT campaign, stream, seq, kind, first, last, sealed FROM lotor_log "
     "ORDER BY campaign, stream, seq",
     "INSERT INTO lotor_log (campaign, stream, seq, kind, first, last, sealed) "
     "VALUES ($1, $2, $3, $4, $5, $6, $7)"},
    {"releases", "wwwbbbb",
     "SELECT campaign, number, time, facts, digest, hash, stamp FROM lotor_releases "
     "ORDER BY campaign, number",
     "INSERT INTO lotor_releases (campaign, number, time, facts, digest, hash, stamp) "
     "VALUES ($1, $2, $3, $4, $5, $6, $7)"},
    {"users", "wbw", "SELECT campaign, hash, shown FROM lotor_users ORDER BY campaign, hash",
     "INSERT INTO lotor_users (campaign, hash, shown) VALUES ($1, $2, $3)"},
    {"budgets", "wttbr", "SELECT id, name, spec, seal, created FROM lotor_budgets ORDER BY id",
     "INSERT INTO lotor_budgets (id, name, spec, seal, created) VALUES ($1, $2, $3, $4, $5)"},
    {"spend", "wbww", "SELECT budget, hash, amount, squares FROM lotor_spend ORDER BY budget, hash",
     "INSERT INTO lotor_spend (budget, hash, amount, squares) VALUES ($1, $2, $3, $4)"},
    {"stickies", "wbwwwwb",
     "SELECT campaign, hash, until, decision, nonce, expires, shown FROM lotor_stickies "
     "ORDER BY campaign, hash",
     "INSERT INTO lotor_stickies (campaign, hash, until, decision, nonce, expires, shown) "
     "VALUES ($1, $2, $3, $4, $5, $6, $7)"},
    {"audit", "wwtttttb",
     "SELECT number, time, key, key_id, campaign, act, change, hash FROM lotor_audit "
     "ORDER BY number",
     "INSERT INTO lotor_audit (number, time, key, key_id, campaign, act, change, hash) "
     "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"},
    {"meta", "tt", "SELECT key, value FROM lotor_meta WHERE key <> 'schema' ORDER BY key",
     "INSERT INTO lotor_meta (key, value) VALUES ($1, $2) "
     "ON CONFLICT (key) DO UPDATE SET value = $2"},
};

enum { COLUMNS = 10 };

static lotor_sql_value get_column(lotor_row_reader *at, int column, char kind)
{
    size_t length;
    const unsigned char *bytes;
    switch (kind) {
    case 'w':
        return lotor_sql_bits(lotor_row_bits(at, column));
    case 'r':
        return lotor_sql_real(lotor_row_real(at, column));
    case 't':
        return lotor_sql_text(lotor_row_text(at, column));
    default:
        bytes = lotor_row_maybe_bytes(at, column, &length);
        return lotor_sql_bytes(bytes, length);
    }
}

static lotor_status copy_table(lotor_store *from, lotor_store *to, size_t table, lotor_message *why)
{
    lotor_status status = lotor_sql_select(from, why, tables[table].select, NULL, 0);
    while (lotor_next(from, why, &status)) {
        lotor_row_reader at = {from, tables[table].table, why, LOTOR_OK};
        lotor_sql_value values[COLUMNS];
        size_t count = 0;
        assert(strlen(tables[table].kinds) <= COLUMNS);
        for (; tables[table].kinds[count]; count++) {
            values[count] = get_column(&at, (int)count, tables[table].kinds[count]);
        }
        status = at.status == LOTOR_OK
                     ? lotor_sql_change(to, why, NULL, tables[table].insert, values, count)
                     : at.status;
    }
    return status;
}

static lotor_status refuse_any(void *context, const lotor_campaign_row *row)
{
    (void)row;
    return lotor_fail(LOTOR_DUPLICATE, (lotor_message *)context,
                      "the new store has campaigns already: expected an empty store");
}

static lotor_status refuse_in_use(lotor_store *from, lotor_message *why)
{
    uint64_t servers = 0;
    lotor_status status = lotor_sql_select(
        from, why, "SELECT count(*) FROM lotor_servers WHERE until > " LOTOR_SQL_NOW, NULL, 0);
    while (lotor_next(from, why, &status)) {
        lotor_row_reader at = {from, "servers", why, LOTOR_OK};
        servers = lotor_row_number(&at, 0);
        status = at.status;
    }
    return status == LOTOR_OK && servers > 0
               ? lotor_fail(
                     (lotor_status)LOTOR_UNFINISHED, why,
                     "servers are running on the old store: stop them first, or the same data "
                     "would be released twice (after a crash, wait until their lease has expired)")
               : status;
}

static lotor_status copy_all(lotor_store *from, lotor_store *to, lotor_message *why)
{
    lotor_status status = refuse_in_use(from, why);
    if (status == LOTOR_OK) {
        status = lotor_store_check(from, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_each_campaign(to, 0, refuse_any, why, why);
    }
    for (size_t i = 0; status == LOTOR_OK && i < sizeof tables / sizeof *tables; i++) {
        status = copy_table(from, to, i, why);
    }
    return status;
}

/* Copies one snapshot of the old store. */
lotor_status lotor_store_copy(lotor_store *from, lotor_store *to, lotor_message *why)
{
    assert(from != to);
    lotor_status status = from->driver->begin(from, LOTOR_BEGIN_LONG, why);
    if (status != LOTOR_OK) {
        return status;
    }
    status = to->driver->begin(to, LOTOR_BEGIN_LONG, why);
    if (status == LOTOR_OK) {
        status = lotor_sql_leave(to, true, copy_all(from, to, why), why);
    }
    lotor_store_rollback(from);
    return status;
}
