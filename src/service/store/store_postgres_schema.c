/* store_postgres_schema.c - the tables in PostgreSQL, their versions, and the way from one to the next.
 *
 * Several servers may be started at once: each step is one transaction that ends with the new version, and
 * whoever loses the race looks again. */
#ifdef LOTOR_POSTGRES
#include "service/store/store_postgres.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/message.h"

enum { VERSION = 1, TRIES = 50 };

#define WHOLE    " bigint NOT NULL CHECK "
#define CAMPAIGN "campaign bigint NOT NULL REFERENCES lotor_campaigns (id), "

/* clang-format off: SQL has a layout of its own. */
static const char *const steps[VERSION] = {
    /* 0 to 1. What changes with every commit is in narrow rows of its own (marks). */
    "CREATE TABLE lotor_meta (key text PRIMARY KEY, value text NOT NULL); "
    "CREATE TABLE lotor_campaigns (id bigint PRIMARY KEY, name text NOT NULL UNIQUE, "
    "spec text NOT NULL, created double precision NOT NULL, "
    "closed" WHOLE "(closed IN (0, 1))); "
    "CREATE TABLE lotor_states (campaign bigint PRIMARY KEY REFERENCES lotor_campaigns (id), "
    "state bytea); "
    "CREATE TABLE lotor_marks (campaign bigint PRIMARY KEY REFERENCES lotor_campaigns (id), "
    "version" WHOLE "(version > 0), specs" WHOLE "(specs >= 0), answers" WHOLE "(answers >= 0), "
    "releases" WHOLE "(releases >= 0), final" WHOLE "(final >= 0), due" WHOLE "(due >= 0), "
    "touched bigint NOT NULL); "
    "CREATE TABLE lotor_blocks (" CAMPAIGN "first" WHOLE "(first > 0), count" WHOLE "(count >= 0), "
    "handed bigint CHECK (handed BETWEEN 0 AND count), deadline" WHOLE "(deadline >= 0), "
    "nonce bigint NOT NULL, drawn bytea NOT NULL, action bytea, owner bigint NOT NULL, "
    "until" WHOLE "(until >= 0), changed" WHOLE "(changed >= 0), PRIMARY KEY (campaign, first)); "
    "CREATE INDEX lotor_blocks_changed ON lotor_blocks (campaign, changed); "
    "CREATE TABLE lotor_answers (" CAMPAIGN "number" WHOLE "(number >= 0), "
    "first" WHOLE "(first > 0), last" WHOLE "(last >= first), sealed bytea NOT NULL, "
    "PRIMARY KEY (campaign, number)); "
    "CREATE TABLE lotor_releases (number bigint PRIMARY KEY CHECK (number > 0), " CAMPAIGN
    "time" WHOLE "(time >= 0), facts bytea, digest bytea NOT NULL CHECK (length(digest) = 32), "
    "hash bytea NOT NULL CHECK (length(hash) = 32)); "
    "CREATE INDEX lotor_releases_by_campaign ON lotor_releases (campaign); "
    "CREATE TABLE lotor_users (" CAMPAIGN "hash bytea NOT NULL CHECK (length(hash) = 16), "
    "shown" WHOLE "(shown >= 0), PRIMARY KEY (campaign, hash)); "
    "INSERT INTO lotor_meta (key, value) VALUES ('chain', ''), ('schema', '1'); ",
};
/* clang-format on */

static lotor_status get_version(lotor_postgres *store, lotor_message *why, uint64_t *out)
{
    char text[24], *end = text;
    const lotor_status status = lotor_pg_schema(store, why, text, sizeof text);
    *out = status == LOTOR_OK ? strtoull(text, &end, 10) : 0;
    if (status == LOTOR_OK && *end != '\0') {
        return lotor_fail(LOTOR_DAMAGED, why, "the store's version is no number");
    }
    return status;
}

static lotor_status take_step(lotor_postgres *store, uint64_t from, lotor_message *why)
{
    lotor_status status = lotor_pg_script(store, "BEGIN", why);
    if (status == LOTOR_OK) {
        status = lotor_pg_script(store, steps[from], why);
    }
    if (status == LOTOR_OK) {
        status = lotor_pg_script(store, "COMMIT", why);
    }
    if (status != LOTOR_OK && store->connection) {
        lotor_pg_script(store, "ROLLBACK", NULL);
    }
    return status;
}

lotor_status lotor_pg_migrate(lotor_postgres *store, lotor_message *why)
{
    const struct timespec moment = {.tv_nsec = 100000000};
    uint64_t version = 0;
    lotor_status status = get_version(store, why, &version);
    for (int i = 0; i < TRIES && status == LOTOR_OK && version < VERSION; i++) {
        if (store->base.mode == LOTOR_STORE_READ) {
            return version == 0 ? lotor_fail(LOTOR_UNKNOWN, why, "the database has no store yet")
                                : lotor_fail(LOTOR_UNFINISHED, why,
                                             "the store has version %" PRIu64
                                             " and would have to be brought "
                                             "to %d: start a server on it once",
                                             version, VERSION);
        }
        const lotor_status taken = take_step(store, version, why);
        if (taken == LOTOR_UNFINISHED && !store->connection) {
            return taken;
        }
        if (taken != LOTOR_OK) {
            nanosleep(&moment, NULL); /* another server may be at it */
        }
        lotor_message unused;
        status = get_version(store, taken == LOTOR_OK ? why : &unused, &version);
    }
    if (status == LOTOR_OK && version > VERSION) {
        return lotor_fail(LOTOR_VERSION, why,
                          "the store has version %" PRIu64
                          ", and this program knows versions up to %d: use the newer program that "
                          "wrote it",
                          version, VERSION);
    }
    return status == LOTOR_OK && version < VERSION ? LOTOR_UNFINISHED : status;
}
#else
typedef int lotor_postgres_is_left_out; /* a file must not be empty */
#endif
