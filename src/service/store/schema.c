/* schema.c - the SQL that makes the tables. See store.md.
 *
 * One text makes the tables of both databases. The macros are the types and checks of columns in
 * each database. SQLite keeps the text, and it is compared when a store is opened. So never change
 * a text that was released, not even its spaces.
 */
#include "service/store/driver.h"

/* clang-format off */

/* How the tables are laid out:
 *   - Tables whose rows are long, or are added at one end and deleted at the other, are stored in
 *     the order of insertion (blocks, log, releases). Small rows are stored in the order of their
 *     key.
 *   - Values that change with each cycle of a campaign's owner are in narrow rows (leases).
 *   - There are no foreign keys, because PostgreSQL would lock the campaign's row for each row of
 *     the log.
 */
#define TABLES(TABLE, QUICK_TABLE, KEYED, ID, WHOLE, FLAG, BITS, REAL, TEXT, BYTES, MAYBE, FIXED) \
    TABLE "servers ("                                                                            \
        ID("id") ", " WHOLE("until", ">= 0") ", " TEXT("program") "); "                          \
    TABLE "campaigns ("                                                                          \
        ID("id") ", " TEXT("name") " UNIQUE, " TEXT("spec") ", " FIXED("seal", "32") ", "        \
        WHOLE("specs", ">= 0") ", " REAL("created") ", " FLAG("closed") "); "                    \
    TABLE "campaign_keys ("                                                                      \
        ID("campaign") ", " BYTES("wrapped") "); "                                               \
    TABLE "leases ("                                                                             \
        ID("campaign") ", " WHOLE("owner", ">= 0") ", " WHOLE("epoch", ">= 0") ", "              \
        WHOLE("sealed", ">= 0") ", " WHOLE("final", ">= 0") ", " WHOLE("due", ">= 0") ", "       \
        WHOLE("releases", ">= 0") ", " FIXED("head", "32") ", " FLAG("broken") ", "              \
        "CHECK (final <= sealed)); "                                                             \
    TABLE "states ("                                                                             \
        ID("campaign") ", " WHOLE("epoch", ">= 0") ", " BYTES("state") "); "                     \
    TABLE "blocks ("                                                                             \
        WHOLE("campaign", "> 0") ", " WHOLE("first", "> 0") ", " WHOLE("count", "> 0") ", "      \
        WHOLE("holder", ">= 0") ", " WHOLE("want", ">= 0") ", " WHOLE("until", ">= 0") ", "      \
        WHOLE("deadline", ">= 0") ", " BITS("nonce") ", " BYTES("drawn") ", " MAYBE("action") ", "\
        "PRIMARY KEY (campaign, first)); "                                                       \
    TABLE "log ("                                                                                \
        WHOLE("campaign", "> 0") ", " WHOLE("stream", ">= 0") ", " WHOLE("seq", ">= 0") ", "     \
        WHOLE("kind", "IN (0, 1)") ", " WHOLE("first", "> 0") ", " WHOLE("last", ">= first") ", "\
        BYTES("sealed") ", PRIMARY KEY (campaign, stream, seq)); "                               \
    QUICK_TABLE "wants ("                                                                        \
        WHOLE("campaign", "> 0") ", " WHOLE("server", "> 0") ", " WHOLE("id", "> 0") ", "        \
        WHOLE("at", ">= 0") ", " WHOLE("count", "> 0") ", " MAYBE("body") ", " MAYBE("reply") ", "\
        "PRIMARY KEY (server, id)); "                                                            \
    TABLE "releases ("                                                                           \
        WHOLE("campaign", "> 0") ", " WHOLE("number", "> 0") ", " WHOLE("time", ">= 0") ", "     \
        MAYBE("facts") ", " FIXED("digest", "32") ", " FIXED("hash", "32") ", "                  \
        "PRIMARY KEY (campaign, number)); "                                                      \
    TABLE "users ("                                                                              \
        WHOLE("campaign", "> 0") ", " FIXED("hash", "16") ", " WHOLE("shown", ">= 0") ", "       \
        "PRIMARY KEY (campaign, hash))" KEYED "; "                                               \
    TABLE "spend ("                                                                              \
        WHOLE("budget", "> 0") ", " FIXED("hash", "16") ", " WHOLE("amount", ">= 0") ", "        \
        "PRIMARY KEY (budget, hash))" KEYED "; "                                                 \
    TABLE "meta ("                                                                               \
        TEXT("key") " PRIMARY KEY, " TEXT("value") ")" KEYED "; "

/* The additions of schema 3 to schema 2. */
#define AUDIT(TABLE, ID, WHOLE, TEXT, FIXED)                                                     \
    TABLE "audit ("                                                                              \
        ID("number") ", " WHOLE("time", ">= 0") ", " TEXT("key") ", " TEXT("key_id") ", "        \
        TEXT("campaign") ", " TEXT("act") ", " TEXT("change") ", " FIXED("hash", "32") "); "

/* The changes of schema 4: budgets, their spending (the old table `spend` was never written to), and
 * decisions that a user gets again. The log has a third kind of rows. */
#define MONEY(TABLE, KEYED, ID, WHOLE, BITS, REAL, TEXT, BYTES, FIXED)                           \
    TABLE "budgets ("                                                                            \
        ID("id") ", " TEXT("name") " UNIQUE, " TEXT("spec") ", " FIXED("seal", "32") ", "        \
        REAL("created") "); "                                                                    \
    TABLE "spend ("                                                                              \
        WHOLE("budget", "> 0") ", " FIXED("hash", "16") ", " WHOLE("amount", ">= 0") ", "        \
        WHOLE("squares", ">= 0") ", PRIMARY KEY (budget, hash))" KEYED "; "                      \
    TABLE "stickies ("                                                                           \
        WHOLE("campaign", "> 0") ", " FIXED("hash", "16") ", " WHOLE("until", ">= 0") ", "       \
        WHOLE("decision", ">= 0") ", " BITS("nonce") ", " WHOLE("expires", ">= 0") ", "          \
        BYTES("shown") ", PRIMARY KEY (campaign, hash))" KEYED "; "
#define LOG_KINDS "IN (0, 1, 2)"

/* The additions of schema 5 to schema 4: when a release was committed, and what was shown until then. */
#define STAMP(MAYBE) MAYBE("stamp")

#define LITE_TABLE "CREATE TABLE "
#define LITE_ID(name) name " INTEGER PRIMARY KEY CHECK (" name " > 0)"
#define LITE_WHOLE(name, range) \
    name " INTEGER NOT NULL CHECK (typeof(" name ") = 'integer' AND " name " " range ")"
#define LITE_FLAG(name) LITE_WHOLE(name, "IN (0, 1)")
#define LITE_BITS(name) name " INTEGER NOT NULL CHECK (typeof(" name ") = 'integer')"
#define LITE_REAL(name) name " REAL NOT NULL CHECK (typeof(" name ") = 'real')"
#define LITE_TEXT(name) name " TEXT NOT NULL CHECK (typeof(" name ") = 'text')"
#define LITE_BYTES(name) name " BLOB NOT NULL CHECK (typeof(" name ") = 'blob')"
#define LITE_MAYBE(name) name " BLOB CHECK (typeof(" name ") IN ('blob', 'null'))"
#define LITE_FIXED(name, length) \
    name " BLOB NOT NULL CHECK (typeof(" name ") = 'blob' AND length(" name ") = " length ")"

#define LITE_2                                                                                   \
    TABLES(LITE_TABLE, LITE_TABLE, " WITHOUT ROWID", LITE_ID, LITE_WHOLE, LITE_FLAG, LITE_BITS,  \
           LITE_REAL, LITE_TEXT, LITE_BYTES, LITE_MAYBE, LITE_FIXED)                             \
    "CREATE INDEX log_by_last ON log (campaign, last, stream, seq); "                            \
    "INSERT INTO meta (key, value) VALUES ('campaigns', '0'); "                                  \
    "PRAGMA application_id = 1819243634; " /* "lotr" */
#define LITE_3                                                                                   \
    AUDIT(LITE_TABLE, LITE_ID, LITE_WHOLE, LITE_TEXT, LITE_FIXED)                                \
    "INSERT INTO meta (key, value) VALUES ('audit', '0'); PRAGMA user_version = 3; "
/* SQLite can't change a check, so the script makes a new log. */
#define LITE_4                                                                                   \
    "ALTER TABLE log RENAME TO log_3; "                                                          \
    LITE_TABLE "log ("                                                                           \
        LITE_WHOLE("campaign", "> 0") ", " LITE_WHOLE("stream", ">= 0") ", "                     \
        LITE_WHOLE("seq", ">= 0") ", " LITE_WHOLE("kind", LOG_KINDS) ", "                        \
        LITE_WHOLE("first", "> 0") ", " LITE_WHOLE("last", ">= first") ", "                      \
        LITE_BYTES("sealed") ", PRIMARY KEY (campaign, stream, seq)); "                          \
    "INSERT INTO log (campaign, stream, seq, kind, first, last, sealed) "                        \
    "SELECT campaign, stream, seq, kind, first, last, sealed FROM log_3 ORDER BY rowid; "        \
    "DROP TABLE log_3; CREATE INDEX log_by_last ON log (campaign, last, stream, seq); "          \
    "DROP TABLE spend; "                                                                         \
    MONEY(LITE_TABLE, " WITHOUT ROWID", LITE_ID, LITE_WHOLE, LITE_BITS, LITE_REAL, LITE_TEXT,    \
          LITE_BYTES, LITE_FIXED)                                                                \
    "CREATE INDEX stickies_by_until ON stickies (campaign, until); "                             \
    "INSERT INTO meta (key, value) VALUES ('budgets', '0'); PRAGMA user_version = 4; "

#define LITE_5                                                                                   \
    "ALTER TABLE releases ADD COLUMN " STAMP(LITE_MAYBE) "; PRAGMA user_version = 5; "

const char lotor_sqlite_tables[] = LITE_2 LITE_3 LITE_4 LITE_5;
const char lotor_sqlite_tables_2[] = LITE_2;
const char lotor_sqlite_tables_3[] = LITE_2 LITE_3;
const char lotor_sqlite_tables_4[] = LITE_2 LITE_3 LITE_4;
const char lotor_sqlite_from_2[] = LITE_3;
const char lotor_sqlite_from_3[] = LITE_4;
const char lotor_sqlite_from_4[] = LITE_5;

#define PG_TABLE "CREATE TABLE lotor_"
#define PG_QUICK_TABLE "CREATE UNLOGGED TABLE lotor_"
#define PG_ID(name) name " bigint PRIMARY KEY CHECK (" name " > 0)"
#define PG_WHOLE(name, range) name " bigint NOT NULL CHECK (" name " " range ")"
#define PG_FLAG(name) PG_WHOLE(name, "IN (0, 1)")
#define PG_BITS(name) name " bigint NOT NULL"
#define PG_REAL(name) name " double precision NOT NULL"
#define PG_TEXT(name) name " text NOT NULL"
#define PG_BYTES(name) name " bytea NOT NULL"
#define PG_MAYBE(name) name " bytea"
#define PG_FIXED(name, length) name " bytea NOT NULL CHECK (length(" name ") = " length ")"

#define PG_3                                                                                     \
    AUDIT(PG_TABLE, PG_ID, PG_WHOLE, PG_TEXT, PG_FIXED)                                          \
    "INSERT INTO lotor_meta (key, value) VALUES ('audit', '0'); "                                \
    "UPDATE lotor_meta SET value = '3' WHERE key = 'schema'; "
#define PG_4                                                                                     \
    "ALTER TABLE lotor_log DROP CONSTRAINT lotor_log_kind_check, "                               \
    "ADD CONSTRAINT lotor_log_kind_check CHECK (kind " LOG_KINDS "); "                           \
    "DROP TABLE lotor_spend; "                                                                   \
    MONEY(PG_TABLE, "", PG_ID, PG_WHOLE, PG_BITS, PG_REAL, PG_TEXT, PG_BYTES, PG_FIXED)          \
    "CREATE INDEX lotor_stickies_by_until ON lotor_stickies (campaign, until); "                 \
    "INSERT INTO lotor_meta (key, value) VALUES ('budgets', '0'); "                              \
    "UPDATE lotor_meta SET value = '4' WHERE key = 'schema'; "

#define PG_5                                                                                     \
    "ALTER TABLE lotor_releases ADD COLUMN " STAMP(PG_MAYBE) "; "                                \
    "UPDATE lotor_meta SET value = '5' WHERE key = 'schema'; "

/* Sealed bytes can't be compressed, so PostgreSQL is told not to try. */
const char lotor_postgres_tables[] =
    TABLES(PG_TABLE, PG_QUICK_TABLE, "", PG_ID, PG_WHOLE, PG_FLAG, PG_BITS, PG_REAL, PG_TEXT,
           PG_BYTES, PG_MAYBE, PG_FIXED)
    "CREATE INDEX lotor_log_by_last ON lotor_log (campaign, last, stream, seq); "
    "ALTER TABLE lotor_states ALTER state SET STORAGE EXTERNAL; "
    "ALTER TABLE lotor_log ALTER sealed SET STORAGE EXTERNAL; "
    "ALTER TABLE lotor_leases SET (fillfactor = 50); "
    "INSERT INTO lotor_meta (key, value) VALUES ('campaigns', '0'), ('schema', '2'); "
    PG_3 PG_4 PG_5;
const char lotor_postgres_from_2[] = PG_3;
const char lotor_postgres_from_3[] = PG_4;
const char lotor_postgres_from_4[] = PG_5;

/* clang-format on */

/* Schema 1 in SQLite, exactly as its stores have it. */
#define OLD_WHOLE    " INTEGER NOT NULL CHECK "
#define OLD_TEXT     " TEXT NOT NULL CHECK "
#define OLD_BLOB     " BLOB NOT NULL CHECK "
#define OLD_CAMPAIGN "  campaign INTEGER NOT NULL REFERENCES campaigns (id),"
const char lotor_sqlite_tables_1[] =
    "CREATE TABLE campaigns ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  name" OLD_TEXT "(typeof(name) = 'text') UNIQUE,"
    "  spec" OLD_TEXT "(typeof(spec) = 'text'),"
    "  created REAL NOT NULL CHECK (typeof(created) = 'real'),"
    "  closed INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1)));"
    "CREATE TABLE states ("
    "  campaign INTEGER PRIMARY KEY REFERENCES campaigns (id),"
    "  final" OLD_WHOLE "(typeof(final) = 'integer' AND final >= 0),"
    "  state BLOB CHECK (typeof(state) IN ('blob', 'null')));"
    "CREATE TABLE blocks (" OLD_CAMPAIGN "  first" OLD_WHOLE
    "(typeof(first) = 'integer' AND first > 0),"
    "  count" OLD_WHOLE "(typeof(count) = 'integer' AND count >= 0),"
    "  handed INTEGER CHECK (handed IS NULL OR handed BETWEEN 0 AND count),"
    "  deadline" OLD_WHOLE "(typeof(deadline) = 'integer' AND deadline >= 0),"
    "  nonce" OLD_WHOLE "(typeof(nonce) = 'integer'),"
    "  drawn" OLD_BLOB "(typeof(drawn) = 'blob'),"
    "  action BLOB CHECK (typeof(action) IN ('blob', 'null')),"
    "  UNIQUE (campaign, first));"
    "CREATE TABLE answers (" OLD_CAMPAIGN "  number" OLD_WHOLE
    "(typeof(number) = 'integer' AND number >= 0),"
    "  first" OLD_WHOLE "(typeof(first) = 'integer' AND first > 0),"
    "  last" OLD_WHOLE "(typeof(last) = 'integer' AND last >= first),"
    "  sealed" OLD_BLOB "(typeof(sealed) = 'blob'),"
    "  UNIQUE (campaign, number));"
    "CREATE TABLE releases ("
    "  number INTEGER PRIMARY KEY CHECK (number > 0)," OLD_CAMPAIGN "  time" OLD_WHOLE
    "(typeof(time) = 'integer' AND time >= 0),"
    "  facts BLOB CHECK (typeof(facts) IN ('blob', 'null')),"
    "  digest" OLD_BLOB "(typeof(digest) = 'blob' AND length(digest) = 32),"
    "  hash" OLD_BLOB "(typeof(hash) = 'blob' AND length(hash) = 32));"
    "CREATE INDEX releases_by_campaign ON releases (campaign);"
    "CREATE TABLE users (" OLD_CAMPAIGN "  hash" OLD_BLOB
    "(typeof(hash) = 'blob' AND length(hash) = 16),"
    "  shown" OLD_WHOLE "(typeof(shown) = 'integer' AND shown >= 0),"
    "  PRIMARY KEY (campaign, hash)) WITHOUT ROWID;"
    "CREATE TABLE meta ("
    "  key" OLD_TEXT "(typeof(key) = 'text') PRIMARY KEY,"
    "  value" OLD_TEXT "(typeof(value) = 'text')) WITHOUT ROWID;";
