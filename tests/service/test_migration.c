/* test_migration.c - stores of schema 1 (fixtures/make.sh) and of schemas 2 and 3 (fixtures/make_2.sh)
 * are migrated completely or not at all.
 *
 * With LOTOR_TEST_POSTGRES the dumps of PostgreSQL are loaded and taken over there. */
#include "support/test.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef LOTOR_POSTGRES
#include <libpq-fe.h>
#endif

#include "service/fine.h"
#include "service/fixture.h"
#include "service/little.h"
#include "service/place.h"
#include "service/scratch.h"
#include "service/server_key/server_key.h"
#include "service/store/heads.h"
#include "service/store/store.h"

static scratch files;
static char path[600], key[600], head[600];

static int start(void **state)
{
    (void)state;
    scratch_start(&files);
    snprintf(path, sizeof path, "%s", place_of(&files));
    snprintf(key, sizeof key, "%s", scratch_path(&files, "x.key"));
    snprintf(head, sizeof head, "%s", scratch_path(&files, "x.key.head"));
    return sodium_init() < 0;
}

static int end(void **state)
{
    (void)state;
    scratch_end(&files);
    return 0;
}

static void put_old(const char *name)
{
    fixture_put(name, path, key, head);
}

/* --- the expected state ----------------------------------------------------------------------- */

typedef struct looking {
    lotor_store *store;
    lotor_server_key *server_key;
    lotor_lease leases[10];
    size_t count;
    const lotor_lease *at;
    uint64_t nonces[100], firsts[100], counts[100];
    size_t blocks;
    uint64_t groups, reports, releases, open, actions, not_handed;
} looking;

static lotor_status see_lease(void *context, const lotor_lease *lease)
{
    looking *all = context;
    assert_in_range(all->count, 0, 9);
    assert_int_equal(lease->sealed, lease->final);
    assert_int_equal(lease->owner, 0);
    assert_int_equal(lease->epoch, 0);
    assert_false(lease->broken);
    all->leases[all->count++] = *lease;
    return LOTOR_OK;
}

static void assert_opens(const looking *all, lotor_seal_use use, uint64_t number,
                         const unsigned char *sealed, size_t length)
{
    unsigned char *const plain = malloc(length);
    if (lotor_server_key_unseal(all->server_key, use, all->at->campaign, number, sealed, length,
                                plain) != LOTOR_OK) {
        fail_msg("campaign %d, use %d, number %d does not open", (int)all->at->campaign, (int)use,
                 (int)number);
    }
    free(plain);
}

static lotor_status see_state(void *context, const unsigned char *bytes, size_t length)
{
    const looking *all = context;
    assert_opens(all, LOTOR_SEAL_STATE, all->at->final, bytes, length);
    return LOTOR_OK;
}

static lotor_status see_block(void *context, const lotor_block_row *row)
{
    looking *all = context;
    assert_in_range(all->blocks, 0, 99);
    assert_int_equal(row->holder, 0);
    assert_true(row->first + row->count - 1 > all->at->final);
    all->nonces[all->blocks] = row->nonce;
    all->firsts[all->blocks] = row->first;
    all->counts[all->blocks++] = row->count;
    all->open += row->count - (row->first <= all->at->final ? all->at->final + 1 - row->first : 0);
    if (row->action) {
        assert_opens(all, LOTOR_SEAL_ACTION, row->first, row->action, row->action_length);
        all->actions++;
    }
    return LOTOR_OK;
}

static lotor_status see_log(void *context, const lotor_log_row *row)
{
    looking *all = context;
    assert_int_equal(row->stream, 0);
    assert_true(row->last > all->at->final);
    if (row->kind == LOTOR_LOG_FEEDBACK) {
        all->groups++;
        assert_opens(all, LOTOR_SEAL_FEEDBACK, row->seq, row->bytes, row->length);
        return LOTOR_OK;
    }
    all->reports++;
    assert_int_equal(row->length, 16);
    for (size_t i = 0; i < all->blocks; i++) {
        if (all->firsts[i] == row->first) {
            assert_int_equal(lotor_get_u64(row->bytes), all->nonces[i]);
            assert_int_equal(row->last, row->first + all->counts[i] - 1);
            assert_in_range(lotor_get_u64(row->bytes + 8), 0, all->counts[i]);
            all->not_handed += all->counts[i] - lotor_get_u64(row->bytes + 8);
            return LOTOR_OK;
        }
    }
    fail_msg("a report about no block");
    return LOTOR_OK;
}

static lotor_status see_stream(void *context, uint64_t stream, uint64_t last)
{
    (void)context;
    (void)last;
    assert_int_equal(stream, 0);
    return LOTOR_OK;
}

static lotor_status see_campaign(void *context, const lotor_campaign_row *row)
{
    char *names = context;
    const unsigned char zeros[LOTOR_STORE_HASH] = {0};
    assert_memory_equal(row->seal, zeros, sizeof zeros);
    assert_int_equal(row->specs, 0);
    assert_non_null(strstr(row->spec, "epsilon"));
    sprintf(names + strlen(names), "%" PRIu64 " %s%s;", row->id, row->name,
            row->closed ? " closed" : "");
    return LOTOR_OK;
}

static lotor_status see_nothing(void *context, const unsigned char *bytes, size_t length)
{
    (void)context;
    (void)bytes;
    (void)length;
    return LOTOR_OK;
}

static void look_at(looking *all, const lotor_lease *lease)
{
    uint64_t epoch;
    char name[40], value[8];
    all->at = lease;
    all->blocks = 0;
    all->releases += lease->releases;
    fine(lotor_store_get_state(all->store, lease->campaign, see_state, all, &why, &epoch));
    fine(lotor_store_each_block(all->store, lease->campaign, 0, 0, see_block, all, &why));
    fine(lotor_store_each_stream(all->store, lease->campaign, see_stream, all, &why));
    fine(lotor_store_each_log(all->store, lease->campaign, 0, 0, see_log, all, &why));
    assert_int_equal(lotor_store_get_key(all->store, lease->campaign, see_nothing, NULL, &why),
                     LOTOR_UNKNOWN);
    snprintf(name, sizeof name, "legacy:%" PRIu64, lease->campaign);
    fine(lotor_store_get_meta(all->store, name, &why, value, sizeof value));
    assert_string_equal(value, "1");
}

/* Checks that the release in the head file is in the legacy chain. */
static void compare_head(const looking *all)
{
    lotor_heads *heads;
    lotor_head_record record, starts;
    bool lost;
    char name[48], value[128], digits[65];
    fine(lotor_heads_open(head, &why, &heads, &lost));
    assert_false(lost);
    assert_true(lotor_heads_get(heads, LOTOR_HEADS_OLD, &record));
    assert_true(lotor_heads_get(heads, 0, &starts));
    assert_int_equal(starts.number, 1);
    snprintf(name, sizeof name, "legacy_release:%" PRIu64, record.number);
    sodium_bin2hex(digits, sizeof digits, record.hash, sizeof record.hash);
    fine(lotor_store_get_meta(all->store, name, &why, value, sizeof value));
    assert_string_equal(value, digits);
    fine(lotor_store_get_meta(all->store, "legacy_head", &why, value, sizeof value));
    assert_int_equal(strtoull(value, NULL, 10), all->releases);
    lotor_heads_free(heads);
}

static void take_over(const char *name, uint64_t releases, uint64_t open, uint64_t groups,
                      bool was_stopped)
{
    static looking all;
    all = (looking){.store = NULL};
    char names[200] = "";
    put_old(name);
    assert_int_equal(lotor_store_open(path, LOTOR_STORE_READ, NULL, &why, &all.store),
                     LOTOR_UNFINISHED);
    assert_non_null(strstr(why.text, "start a server on it once"));
    fine(lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &all.store));
    fine(lotor_store_check(all.store, &why));
    lotor_store_close(all.store);
    fine(lotor_store_open(path, LOTOR_STORE_READ, NULL, &why, &all.store));
    fine(lotor_store_check(all.store, &why));
    fine(lotor_server_key_open(key, false, &why, &all.server_key));
    fine(lotor_store_each_campaign(all.store, 0, see_campaign, names, &why));
    assert_string_equal(names, "1 list;2 diary;3 linear;4 capped;5 closed closed;6 long;"
                               "7 counted;8 cut;");
    fine(lotor_store_each_lease(all.store, see_lease, &all, &why));
    for (size_t i = 0; i < all.count; i++) {
        look_at(&all, &all.leases[i]);
    }
    assert_int_equal(all.count, 8);
    assert_int_equal(all.releases, releases);
    assert_int_equal(all.open, open);
    assert_int_equal(all.groups, groups);
    assert_int_equal(all.actions, 23);
    assert_true(all.reports > 0); /* also of decisions that were drawn singly */
    assert_int_equal(all.not_handed > 0, was_stopped);
    compare_head(&all);
    lotor_server_key_free(all.server_key);
    lotor_store_close(all.store);
    fine(lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &all.store));
    fine(lotor_store_begin(all.store, &why));
    uint64_t next;
    fine(lotor_store_next_campaign(all.store, &why, &next));
    assert_int_equal(next, 9);
    lotor_store_rollback(all.store);
    lotor_store_close(all.store);
}

/* The numbers are those of fixtures/EXPECTED. */
TEST_WITH(test_after_a_clean_stop, start, end)
{
    if (place_is_database()) {
        /* there, the server took back what it had not handed out */
        take_over("clean", 46, 174, 150, false);
    } else {
        take_over("clean", 46, 198, 150, true);
    }
}

TEST_WITH(test_after_a_kill, start, end)
{
    if (place_is_database()) {
        take_over("killed", 46, 191, 150, false);
    } else {
        take_over("killed", 46, 198, 150, false);
    }
}

/* --- refusals --------------------------------------------------------------------------------- */

static void refuse_after(const char *sql, const char *words)
{
    lotor_store *store;
    put_old("clean");
    fixture_edit(path, sql);
    for (int i = 0; i < 2; i++) { /* it stays refused: nothing was changed */
        const lotor_status status = lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &store);
        if (status != LOTOR_DAMAGED || !strstr(why.text, words)) {
            fail_msg("%s: %s: %s", sql, lotor_status_name(status), why.text);
        }
        assert_null(store);
    }
    if (!place_is_database()) {
        fixture_edit(path, "SELECT handed FROM blocks"); /* the legacy tables */
    }
}

TEST_WITH(test_damaged_stores_stay_as_they_are, start, end)
{
    refuse_after("UPDATE @releases SET hash = digest WHERE number = 7",
                 "release 7 does not fit the chain");
    refuse_after("DELETE FROM @releases WHERE number = 7", "release 7 does not fit the chain");
    refuse_after("UPDATE @releases SET time = time + 1 WHERE number = 46",
                 "release 46 does not fit the chain");
    refuse_after("UPDATE @blocks SET count = 100, handed = NULL WHERE campaign = 1 AND first = "
                 "(SELECT min(first) FROM @blocks WHERE campaign = 1)",
                 "begins before the end of the block before it");
    refuse_after("UPDATE @answers SET last = 1000 WHERE campaign = 1 AND number = "
                 "(SELECT max(number) FROM @answers WHERE campaign = 1)",
                 "that was not drawn");
    refuse_after("UPDATE @answers SET number = 0 WHERE campaign = 1 AND number = "
                 "(SELECT max(number) FROM @answers WHERE campaign = 1)",
                 "has no number");
    refuse_after("DELETE FROM @states WHERE campaign = 3", "a campaign has no state");
    if (!place_is_database()) {
        refuse_after("UPDATE users SET campaign = 77 WHERE campaign = 4",
                     "a user belongs to a campaign that does not exist");
        refuse_after("CREATE TABLE more (x)", "another program changed them");
        refuse_after("CREATE TRIGGER t AFTER INSERT ON users BEGIN DELETE FROM users; END",
                     "another program changed them");
    }
}

/* --- from schemas 2 and 3 --------------------------------------------------------------------- */

typedef struct two_store {
    char campaigns[200];
    uint64_t releases, epochs, specs;
    unsigned char heads[2 * LOTOR_STORE_HASH];
    uint64_t audit, log;
} two_store;

static lotor_status see_two_campaign(void *context, const lotor_campaign_row *row)
{
    two_store *seen = context;
    const unsigned char zeros[LOTOR_STORE_HASH] = {0};
    assert_memory_not_equal(row->seal, zeros, sizeof zeros);
    sprintf(seen->campaigns + strlen(seen->campaigns), "%" PRIu64 " %s%s %" PRIu64 ";", row->id,
            row->name, row->closed ? " closed" : "", row->specs);
    return LOTOR_OK;
}

static lotor_status see_two_lease(void *context, const lotor_lease *lease)
{
    two_store *seen = context;
    assert_in_range(lease->campaign, 1, 2);
    memcpy(seen->heads + (lease->campaign - 1) * LOTOR_STORE_HASH, lease->head, LOTOR_STORE_HASH);
    seen->releases += lease->releases;
    seen->epochs += lease->epoch;
    return LOTOR_OK;
}

static lotor_status see_two_audit(void *context, const lotor_audit_row *row)
{
    two_store *seen = context;
    seen->audit = row->number;
    return LOTOR_OK;
}

static lotor_status see_two_stream(void *context, uint64_t stream, uint64_t last_seq)
{
    two_store *seen = context;
    seen->log += stream > 0 ? last_seq : 0;
    return LOTOR_OK;
}

static void look_at_two(lotor_store *store, two_store *seen)
{
    *seen = (two_store){.releases = 0};
    fine(lotor_store_check(store, &why));
    fine(lotor_store_each_campaign(store, 0, see_two_campaign, seen, &why));
    fine(lotor_store_each_lease(store, see_two_lease, seen, &why));
    fine(lotor_store_each_audit(store, 0, 1000, see_two_audit, seen, &why));
    fine(lotor_store_each_stream(store, 1, see_two_stream, seen, &why));
    assert_string_equal(seen->campaigns, "1 list 1;2 closed closed 1;");
    assert_true(seen->releases >= 9);
    assert_true(seen->epochs > 2);
}

/* Releases of the old program have no stamp. */
static lotor_status expect_no_stamp(void *context, const lotor_release_row *release)
{
    *(uint64_t *)context = release->number;
    return release->stamp ? LOTOR_DAMAGED : LOTOR_OK;
}

/* A release with a stamp follows those without. */
static void add_stamped(lotor_store *store, const unsigned char hash[LOTOR_STORE_HASH],
                        uint64_t before)
{
    const unsigned char stamp[16] = {7};
    lotor_release_row release = {.campaign = 1,
                                 .number = before + 1,
                                 .time = 1000,
                                 .stamp = stamp,
                                 .stamp_length = sizeof stamp};
    uint64_t last = 0;
    fine(lotor_store_each_release(store, 1, 0, expect_no_stamp, &last, &why));
    assert_int_equal(last, before);
    lotor_release_row_chain(&release, hash);
    fine(lotor_store_begin(store, &why));
    fine(lotor_store_add_release(store, &release, &why));
    assert_int_equal(lotor_store_each_release(store, 1, 0, expect_no_stamp, &last, &why),
                     LOTOR_DAMAGED);
    assert_int_equal(last, before + 1);
    lotor_store_rollback(store);
}

/* Schema 3 adds the audit log, which begins empty. Schema 4 adds budgets and stickies, and a kind of
 * rows of the log. Schema 5 adds the stamps of releases. No row changes. */
static void migrate(const char *name, const char *words, uint64_t audit, uint64_t releases)
{
    static two_store seen;
    lotor_store *store;
    lotor_server_key *server_key;
    lotor_heads *heads;
    lotor_head_record record;
    bool lost;
    put_old(name);
    assert_int_equal(lotor_store_open(path, LOTOR_STORE_READ, NULL, &why, &store),
                     LOTOR_UNFINISHED);
    assert_non_null(strstr(why.text, words));
    fine(lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &store));
    look_at_two(store, &seen);
    assert_int_equal(seen.audit, audit);
    const uint64_t log = seen.log;
    assert_true(log > 0);
    /* The chain ends where the head file says. */
    fine(lotor_server_key_open(key, false, &why, &server_key));
    lotor_server_key_free(server_key);
    fine(lotor_heads_open(head, &why, &heads, &lost));
    assert_true(lotor_heads_get(heads, 1, &record));
    assert_int_equal(record.number, releases);
    assert_int_equal(seen.releases, releases);
    assert_memory_equal(record.hash, seen.heads, LOTOR_STORE_HASH);
    lotor_heads_free(heads);
    add_stamped(store, seen.heads, releases);
    const lotor_audit_row row = {
        .time = 5, .key = "me", .key_id = "0123abcd", .campaign = "list", .act = "x", .change = ""};
    fine(lotor_store_add_audit(store, &row, &why));
    fine(lotor_store_add_audit(store, &row, &why));
    const lotor_log_row shown = {.stream = 77,
                                 .seq = 1000,
                                 .kind = LOTOR_LOG_SHOWN,
                                 .first = 1,
                                 .last = 1,
                                 .bytes = (const unsigned char *)"x",
                                 .length = 1};
    fine(lotor_store_append(store, 1, &shown, &why));
    lotor_store_close(store);
    fine(lotor_store_open(path, LOTOR_STORE_READ, NULL, &why, &store));
    look_at_two(store, &seen);
    assert_int_equal(seen.audit, audit + 2);
    assert_int_equal(seen.log, log + 1000);
    lotor_store_close(store);
}

TEST_WITH(test_from_schema_2, start, end)
{
    migrate("two", "the store has version 2", 0, 10);
}

TEST_WITH(test_from_schema_3, start, end)
{
    migrate("three", "the store has version 3", 4, 10);
}

TEST_WITH(test_from_schema_4, start, end)
{
    migrate("four", "the store has version 4", 4, 9);
}

static void refuse_changed(const char *name)
{
    lotor_store *store;
    const bool is_database = place_is_database();
    put_old(name);
    fixture_edit(path,
                 is_database ? "ALTER TABLE @users ADD more bigint" : "CREATE TABLE more (x)");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &store),
                         LOTOR_DAMAGED);
        assert_non_null(strstr(why.text, "another program changed them"));
    }
    if (is_database) { /* it still has its version */
        assert_int_equal(lotor_store_open(path, LOTOR_STORE_READ, NULL, &why, &store),
                         LOTOR_UNFINISHED);
    }
    fixture_edit(path, is_database ? "ALTER TABLE @users DROP more" : "DROP TABLE more");
    fine(lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &store));
    lotor_store_close(store);
}

TEST_WITH(test_a_store_of_schema_2_that_was_changed, start, end)
{
    refuse_changed("two");
}

TEST_WITH(test_a_store_of_schema_3_that_was_changed, start, end)
{
    refuse_changed("three");
}

TEST_WITH(test_a_store_of_schema_4_that_was_changed, start, end)
{
    refuse_changed("four");
}

#ifdef LOTOR_POSTGRES
static void refuse_running(const char *name)
{
    lotor_store *store;
    put_old(name);
    fixture_edit(path, "INSERT INTO @servers (id, until, program) VALUES (7, CAST(extract(epoch "
                       "FROM clock_timestamp()) * 1000 AS bigint) + 60000, 'x')");
    assert_int_equal(lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &store),
                     LOTOR_UNFINISHED);
    assert_non_null(strstr(why.text, "servers of that version are running on it"));
    fixture_edit(path, "DELETE FROM @servers");
    fine(lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &store));
    lotor_store_close(store);
}

/* A server of schema 2 writes no audit log. */
TEST_IF(place_is_database(), test_servers_of_schema_2_must_be_stopped, start, end)
{
    refuse_running("two");
}

/* A server of schema 3 does not know budgets. */
TEST_IF(place_is_database(), test_servers_of_schema_3_must_be_stopped, start, end)
{
    refuse_running("three");
}

/* A server of schema 4 would take a release with a stamp for a damaged one. */
TEST_IF(place_is_database(), test_servers_of_schema_4_must_be_stopped, start, end)
{
    refuse_running("four");
}
#endif

TEST_WITH(test_a_newer_store_is_refused, start, end)
{
    lotor_store *store;
    put_old("clean");
    fixture_edit(path, place_is_database() ? "UPDATE @meta SET value = '6' WHERE key = 'schema'"
                                           : "PRAGMA user_version = 6");
    assert_int_equal(lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &store), LOTOR_VERSION);
    assert_int_equal(lotor_store_open(path, LOTOR_STORE_READ, NULL, &why, &store), LOTOR_VERSION);
}

#ifdef LOTOR_POSTGRES
TEST_IF(place_is_database(), test_old_servers_must_be_stopped, start, end)
{
    lotor_store *store;
    put_old("clean");
    const char *const keys[] = {"dbname", "application_name", NULL};
    const char *const values[] = {path, "lotor", NULL};
    PGconn *const old = PQconnectdbParams(keys, values, 1);
    assert_int_equal(PQstatus(old), CONNECTION_OK);
    assert_int_equal(lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &store),
                     LOTOR_UNFINISHED);
    assert_non_null(strstr(why.text, "servers of that version are running on it"));
    PQfinish(old);
    fine(lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &store));
    lotor_store_close(store);
}
#endif
