/* store_postgres_queries.c - the statements of the PostgreSQL back end.
 *
 * A statement that fails undoes its whole transaction, so those that may be refused (a row that is there
 * already, a campaign that is not) change no row instead. */
#ifdef LOTOR_POSTGRES
#include "service/store/store_postgres.h"

/* The database's clock in milliseconds. */
#define NOW "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
/* Of a campaign that is there. */
#define WHERE_KNOWN "WHERE EXISTS (SELECT 1 FROM lotor_campaigns WHERE id = $1::bigint) "
#define MARK        "campaign, version, specs, answers, releases, final, due, touched FROM lotor_marks "
#define RELEASE     "number, campaign, time, facts, digest, hash FROM lotor_releases "

/* clang-format off: SQL has a layout of its own. */
const char *const lotor_pg_texts[LOTOR_PG_QUERIES] = {
    [LOTOR_PG_BEGIN] = "BEGIN",
    [LOTOR_PG_LOOK] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    [LOTOR_PG_COMMIT] = "COMMIT",
    [LOTOR_PG_ROLLBACK] = "ROLLBACK",
    [LOTOR_PG_LOCK_CHAIN] = "SELECT value FROM lotor_meta WHERE key = 'chain' FOR UPDATE",
    [LOTOR_PG_ADD_CAMPAIGN] =
        "INSERT INTO lotor_campaigns (id, name, spec, created, closed) "
        "SELECT coalesce(max(id), 0) + 1, $1::text, $2::text, $3::double precision, 0 "
        "FROM lotor_campaigns ON CONFLICT (name) DO NOTHING RETURNING id",
    [LOTOR_PG_ADD_STATE] = "INSERT INTO lotor_states (campaign, state) VALUES ($1::bigint, NULL)",
    [LOTOR_PG_ADD_MARK] = "INSERT INTO lotor_marks (campaign, version, specs, answers, releases, "
                          "final, due, touched) "
                          "VALUES ($1::bigint, 1, 0, 0, 0, 0, 0, " NOW ")",
    [LOTOR_PG_EACH_CAMPAIGN] =
        "SELECT id, name, spec, created, closed, final, NULL::bytea FROM lotor_campaigns "
        "JOIN lotor_marks ON lotor_marks.campaign = id ORDER BY id",
    [LOTOR_PG_GET_STATE] =
        "SELECT id, name, spec, created, closed, final, state FROM lotor_campaigns "
        "JOIN lotor_marks ON lotor_marks.campaign = id "
        "JOIN lotor_states ON lotor_states.campaign = id WHERE id = $1::bigint",
    [LOTOR_PG_PUT_STATE] =
        "WITH mark AS (UPDATE lotor_marks SET final = $2::bigint WHERE campaign = $1::bigint "
        "RETURNING campaign) UPDATE lotor_states SET state = $3::bytea WHERE campaign IN "
        "(SELECT campaign FROM mark)",
    [LOTOR_PG_PUT_SPEC] = "UPDATE lotor_campaigns SET spec = $2::text, closed = $3::bigint "
                          "WHERE id = $1::bigint",
    [LOTOR_PG_COUNT_SPEC] = "UPDATE lotor_marks SET specs = specs + 1 WHERE campaign = $1::bigint",
    [LOTOR_PG_ADD_BLOCK] =
        "INSERT INTO lotor_blocks (campaign, first, count, handed, deadline, nonce, drawn, action, "
        "owner, until, changed) SELECT $1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, "
        "$6::bigint, $7::bytea, $8::bytea, $9::bigint, $10::bigint, $11::bigint " WHERE_KNOWN
        "ON CONFLICT (campaign, first) DO NOTHING",
    [LOTOR_PG_PUT_BLOCK] =
        "UPDATE lotor_blocks SET count = $3::bigint, handed = $4::bigint, deadline = $5::bigint, "
        "changed = $6::bigint WHERE campaign = $1::bigint AND first = $2::bigint",
    [LOTOR_PG_EACH_BLOCK] =
        "SELECT first, count, handed, deadline, nonce, drawn, action, owner, until, changed "
        "FROM lotor_blocks WHERE campaign = $1::bigint AND changed >= $2::bigint ORDER BY first",
    [LOTOR_PG_ADD_ANSWERS] =
        "INSERT INTO lotor_answers (campaign, number, first, last, sealed) "
        "SELECT $1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bytea " WHERE_KNOWN
        "ON CONFLICT (campaign, number) DO NOTHING",
    [LOTOR_PG_EACH_ANSWERS] =
        "SELECT number, first, last, sealed FROM lotor_answers "
        "WHERE campaign = $1::bigint AND number >= $2::bigint ORDER BY number",
    [LOTOR_PG_FORGET_BLOCKS] =
        "DELETE FROM lotor_blocks WHERE campaign = $1::bigint AND first <= $2::bigint "
        "AND first + count - 1 <= $2::bigint",
    [LOTOR_PG_FORGET_ANSWERS] =
        "DELETE FROM lotor_answers WHERE campaign = $1::bigint AND number < coalesce(("
        "SELECT number FROM lotor_answers WHERE campaign = $1::bigint AND last > $2::bigint "
        "ORDER BY number LIMIT 1), 9223372036854775807)",
    [LOTOR_PG_LAST_RELEASE] =
        "SELECT number, hash FROM lotor_releases ORDER BY number DESC LIMIT 1",
    [LOTOR_PG_GET_RELEASE] = "SELECT number, hash FROM lotor_releases WHERE number = $1::bigint",
    [LOTOR_PG_ADD_RELEASE] =
        "INSERT INTO lotor_releases (campaign, number, time, facts, digest, hash) "
        "SELECT $1::bigint, $2::bigint, $3::bigint, $4::bytea, $5::bytea, $6::bytea " WHERE_KNOWN
        "ON CONFLICT (number) DO NOTHING",
    [LOTOR_PG_COUNT_RELEASE] =
        "UPDATE lotor_marks SET releases = releases + 1 WHERE campaign = $1::bigint",
    [LOTOR_PG_EACH_RELEASE] =
        "SELECT " RELEASE "WHERE $1::bigint = 0 OR campaign = $1::bigint ORDER BY number",
    /* Nobody is counted beyond the cap: then no row changes. */
    [LOTOR_PG_COUNT_USER] = "INSERT INTO lotor_users AS known (campaign, hash, shown) "
                            "SELECT $1::bigint, $2::bytea, 1 WHERE $3::bigint > 0 "
                            "ON CONFLICT (campaign, hash) DO UPDATE SET shown = known.shown + 1 "
                            "WHERE known.shown < $3::bigint",
    [LOTOR_PG_EACH_USER] =
        "SELECT hash, shown FROM lotor_users WHERE campaign = $1::bigint ORDER BY hash",
    [LOTOR_PG_PUT_USER] = "INSERT INTO lotor_users (campaign, hash, shown) "
                          "VALUES ($1::bigint, $2::bytea, $3::bigint)",
    [LOTOR_PG_GET_META] = "SELECT value FROM lotor_meta WHERE key = $1::text",
    [LOTOR_PG_PUT_META] = "INSERT INTO lotor_meta (key, value) VALUES ($1::text, $2::text) "
                          "ON CONFLICT (key) DO UPDATE SET value = $2::text",
    [LOTOR_PG_LOCK] = "SELECT " MARK "WHERE campaign = $1::bigint FOR UPDATE",
    [LOTOR_PG_TRY_LOCK] = "SELECT " MARK "WHERE campaign = $1::bigint FOR UPDATE SKIP LOCKED",
    [LOTOR_PG_PUT_MARK] =
        "UPDATE lotor_marks SET version = $2::bigint, answers = $3::bigint, due = $4::bigint, "
        "touched = " NOW " WHERE campaign = $1::bigint",
    [LOTOR_PG_EACH_MARK] = "SELECT " MARK "WHERE touched >= $1::bigint ORDER BY campaign",
};
/* clang-format on */
#else
typedef int lotor_postgres_is_left_out; /* a file must not be empty */
#endif
