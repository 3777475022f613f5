/* test_engine_damage.c - rows of the store are changed, deleted, exchanged or replaced by older
 * ones between two starts.
 *
 * In every case the server starts. A campaign that was changed says that it can't be served, or
 * else counts all acknowledged feedback exactly once. Campaigns that were not changed are served.
 *
 * Each campaign has one arm, and the noise is far below one reward. So released sums are the sums
 * of the feedback.
 */
#include "support/test.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/engine_rig.h"

enum { CAMPAIGNS = 3, SEEDS = 500, HEADS_ROOM = 1 << 22 };
static const char *const names[CAMPAIGNS] = {"first", "second", "third"};

SCENE_OF_EACH_TEST(engine_end);

/* --- copies -------------------------------------------------------------------------------------- */

/* A copy of a store and of its head file. */
typedef struct moment {
    unsigned char *store, *log, *heads;
    size_t store_length, log_length, heads_length;
    uint64_t now;
    size_t answered[CAMPAIGNS];
} moment;

static unsigned char *read_heads(size_t *length)
{
    FILE *file = fopen(scratch_path(&rig.files, "x.key.head"), "rb");
    unsigned char *bytes = malloc(HEADS_ROOM);
    assert_true(file && bytes);
    *length = fread(bytes, 1, HEADS_ROOM, file);
    assert_true(*length < HEADS_ROOM);
    fclose(file);
    return bytes;
}

static moment take_moment(const size_t answered[CAMPAIGNS])
{
    moment at = {.now = rig.now};
    at.store = fault_vfs_get(rig.disk, "x.db", &at.store_length);
    at.log = fault_vfs_get(rig.disk, "x.db-wal", &at.log_length);
    at.heads = read_heads(&at.heads_length);
    memcpy(at.answered, answered, sizeof at.answered);
    return at;
}

static void put_back(const moment *at)
{
    fault_vfs_put(rig.disk, "x.db", at->store, at->store_length);
    fault_vfs_put(rig.disk, "x.db-wal", at->log, at->log ? at->log_length : 0);
    FILE *file = fopen(scratch_path(&rig.files, "x.key.head"), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(at->heads, 1, at->heads_length, file), at->heads_length);
    assert_int_equal(fclose(file), 0);
    rig.now = at->now;
}

static void free_moment(moment *at)
{
    free(at->store);
    free(at->log);
    free(at->heads);
}

/* --- SQL -------------------------------------------------------------------------------------- */

static sqlite3 *open_sql(void)
{
    sqlite3 *sql = NULL;
    assert_int_equal(sqlite3_open_v2("x.db", &sql, SQLITE_OPEN_READWRITE, fault_vfs_name(rig.disk)),
                     SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, "PRAGMA ignore_check_constraints = ON", NULL, NULL, NULL),
                     SQLITE_OK);
    return sql;
}

static void close_sql(sqlite3 *sql)
{
    assert_int_equal(sqlite3_close(sql), SQLITE_OK);
}

static void run_sql(const char *text)
{
    sqlite3 *sql = open_sql();
    char *error = NULL;
    if (sqlite3_exec(sql, text, NULL, NULL, &error) != SQLITE_OK) {
        fail_msg("%s: %s", text, error);
    }
    assert_true(sqlite3_total_changes(sql) > 0);
    close_sql(sql);
}

static int64_t count_of(sqlite3 *sql, const char *format, const char *table)
{
    char text[200];
    sqlite3_stmt *statement;
    snprintf(text, sizeof text, format, table);
    assert_int_equal(sqlite3_prepare_v2(sql, text, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    const int64_t count = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return count;
}

/* --- the store before the damage -------------------------------------------------------------- */

static void create_all(void)
{
    for (size_t i = 0; i < CAMPAIGNS; i++) {
        char spec[300];
        snprintf(spec, sizeof spec,
                 "{'name': '%s', 'algorithm': 'batch-klucb', 'arms': ['a'], 'max_arms': 1, " LOUD
                 ", 'wait_seconds': 1}",
                 names[i]);
        engine_must_create(&rig, spec);
    }
}

/* Two of three decisions get the reward 1. */
static void play(int rounds, size_t answered[CAMPAIGNS])
{
    for (int i = 0; i < rounds; i++) {
        for (size_t j = 0; j < CAMPAIGNS; j++) {
            lotor_ranking ranking;
            engine_must_rank(&rig, names[j], &ranking);
            if (i % 3) {
                engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
                answered[j] += 1 - engine_late;
            }
        }
        engine_wait(&rig, 20);
    }
}

/* Some rounds are final, some are open, and the log has rows of several starts. */
static moment make_moment(bool stops_cleanly)
{
    size_t answered[CAMPAIGNS] = {0};
    create_all();
    play(40, answered);
    engine_wait(&rig, ALL_OVER);
    play(10, answered);
    engine_crash(&rig);
    engine_open(&rig);
    play(10, answered);
    if (stops_cleanly) {
        engine_stop(&rig);
    } else {
        engine_crash(&rig);
    }
    return take_moment(answered);
}

/* --- the store after the damage --------------------------------------------------------------- */

static size_t trouble_count(void)
{
    json_t *told = lotor_engine_readiness(rig.engine);
    assert_non_null(told);
    const size_t count = json_array_size(json_object_get(told, "campaigns"));
    json_decref(told);
    return count;
}

/* Why a campaign can't be served; "": it can, as far as is known. */
static const char *trouble_of(const char *name)
{
    static char reason[200];
    json_t *told = lotor_engine_readiness(rig.engine);
    size_t i;
    json_t *entry;
    reason[0] = '\0';
    json_array_foreach(json_object_get(told, "campaigns"), i, entry)
    {
        if (strcmp(json_string_value(json_object_get(entry, "name")), name) == 0) {
            snprintf(reason, sizeof reason, "%s",
                     json_string_value(json_object_get(entry, "reason")));
        }
    }
    json_decref(told);
    return reason;
}

static bool is_refused(const char *name)
{
    lotor_ranking ranking;
    const lotor_code code = engine_rank(&rig, name, &ranking);
    if (code != LOTOR_CODE_NONE && code != LOTOR_CODE_BROKEN &&
        code != LOTOR_CODE_NO_SUCH_CAMPAIGN) {
        fail_msg("%s: %s: %s", name, lotor_code_name(code), engine_refusal.message.text);
    }
    return code != LOTOR_CODE_NONE;
}

static lotor_status add_up(void *context, const lotor_release_row *release)
{
    lotor_arm_fact *sum = context;
    for (size_t i = 0; i + 40 <= release->facts_length; i += 40) {
        double value;
        uint64_t count;
        memcpy(&value, release->facts + i + 16, 8);
        memcpy(&count, release->facts + i + 24, 8);
        sum->value += value;
        sum->count += count;
    }
    return LOTOR_OK;
}

static void note_done(lotor_job *job)
{
    *(bool *)job->owner = true;
}

/* The history shows what was released, or is refused. */
static void expect_history(const char *name, size_t id)
{
    json_t *reply = NULL;
    bool is_done = false;
    lotor_job job = {.done = note_done, .owner = &is_done};
    lotor_engine_releases(rig.engine, name, 0, 10000, &reply, &job);
    engine_step(&rig);
    assert_true(is_done);
    if (job.refusal.code) {
        assert_int_equal(job.refusal.code, LOTOR_CODE_BROKEN);
        return;
    }
    json_decref(reply);
    lotor_arm_fact sum = {0};
    assert_int_equal(lotor_store_each_release(rig.store, id, 0, add_up, &sum, &rig.why), LOTOR_OK);
    assert_true(fabs(sum.value - engine_number(&rig, name, "arms.0.mean") *
                                     engine_number(&rig, name, "arms.0.count")) < 0.01);
}

/* Continues without feedback until all rounds are in a released batch. False: the campaign says
 * that it can't be served. */
static bool is_counted(size_t i, size_t answered)
{
    const char *name = names[i];
    double rounds = -1;
    for (int tries = 0; tries < 100; tries++) {
        for (int j = 0; j < 16; j++) {
            if (is_refused(name)) {
                return false;
            }
        }
        engine_wait(&rig, ALL_OVER);
        if (is_refused(name)) {
            return false;
        }
        rounds = rounds < 0 ? engine_number(&rig, name, "final") : rounds;
        const double count = engine_number(&rig, name, "arms.0.count");
        if (count >= rounds) {
            const double sum = count * engine_number(&rig, name, "arms.0.mean");
            if (fabs(sum - (double)answered) > 0.1) {
                fail_msg("%s: %zu answers were acknowledged, %g are counted", name, answered, sum);
            }
            expect_history(name, i + 1);
            return true;
        }
    }
    fail_msg("%s: rounds do not end", name);
    return false;
}

/* --- damage ----------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint64_t random_below(uint64_t limit) /* splitmix64 */
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % limit;
}

typedef struct damage {
    const char *table;
    char column[40], what[200];
    bool touched[CAMPAIGNS + 1]; /* by campaign id; 0: other tables */
} damage;

static void touch(damage *done, int64_t campaign)
{
    done->touched[campaign >= 1 && campaign <= CAMPAIGNS ? campaign : 0] = true;
}

static sqlite3_value *get_value(sqlite3 *sql, const char *table, const char *column, int64_t row)
{
    char text[200];
    sqlite3_stmt *statement;
    snprintf(text, sizeof text, "SELECT %s FROM %s WHERE rowid = %" PRId64, column, table, row);
    assert_int_equal(sqlite3_prepare_v2(sql, text, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    sqlite3_value *value = sqlite3_value_dup(sqlite3_column_value(statement, 0));
    sqlite3_finalize(statement);
    assert_non_null(value);
    return value;
}

static bool put_value(sqlite3 *sql, const char *table, const char *column, int64_t row,
                      const sqlite3_value *value)
{
    char text[200];
    sqlite3_stmt *statement;
    snprintf(text, sizeof text, "UPDATE %s SET %s = ?1 WHERE rowid = %" PRId64, table, column, row);
    assert_int_equal(sqlite3_prepare_v2(sql, text, -1, &statement, NULL), SQLITE_OK);
    sqlite3_bind_value(statement, 1, value);
    const bool done = sqlite3_step(statement) == SQLITE_DONE; /* false if it violates a key */
    sqlite3_finalize(statement);
    return done;
}

static const char *campaign_column(const char *table)
{
    return strcmp(table, "campaigns") == 0 ? "id" : "campaign";
}

static int64_t campaign_of(sqlite3 *sql, const char *table, int64_t row)
{
    sqlite3_value *value = get_value(sql, table, campaign_column(table), row);
    const int64_t campaign = sqlite3_value_int64(value);
    sqlite3_value_free(value);
    return campaign;
}

static bool change_bytes(sqlite3 *sql, damage *done, int64_t row, const sqlite3_value *old)
{
    char text[200];
    sqlite3_stmt *statement;
    const int length = sqlite3_value_bytes((sqlite3_value *)old);
    unsigned char *bytes = malloc((size_t)length + 1);
    assert_non_null(bytes);
    if (length > 0) {
        memcpy(bytes, sqlite3_value_blob((sqlite3_value *)old), (size_t)length);
        bytes[random_below((uint64_t)length)] ^= (unsigned char)(1 << random_below(8));
    }
    const bool is_cut = length == 0 || random_below(8) == 0; /* sometimes another length */
    bytes[length] = 'x';
    const int wanted = is_cut ? (random_below(2) || length == 0 ? length + 1 : length - 1) : length;
    snprintf(text, sizeof text, "UPDATE %s SET %s = ?1 WHERE rowid = %" PRId64, done->table,
             done->column, row);
    assert_int_equal(sqlite3_prepare_v2(sql, text, -1, &statement, NULL), SQLITE_OK);
    if (sqlite3_value_type((sqlite3_value *)old) == SQLITE_TEXT) {
        sqlite3_bind_text(statement, 1, (const char *)bytes, wanted, SQLITE_TRANSIENT);
    } else {
        sqlite3_bind_blob(statement, 1, bytes, wanted, SQLITE_TRANSIENT);
    }
    const bool fine = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    free(bytes);
    return fine;
}

static bool change_number(sqlite3 *sql, damage *done, int64_t row, const sqlite3_value *old)
{
    static const int64_t special[] = {0, 1, -1, INT64_MAX, INT64_MIN, 1 << 20};
    char text[200];
    const int64_t value = sqlite3_value_int64((sqlite3_value *)old);
    const uint64_t kind = random_below(3);
    const int64_t other = kind == 0   ? value ^ (int64_t)(UINT64_C(1) << random_below(63))
                          : kind == 1 ? value + (random_below(2) ? 1 : -1)
                                      : special[random_below(sizeof special / sizeof *special)];
    snprintf(text, sizeof text, "UPDATE %s SET %s = %" PRId64 " WHERE rowid = %" PRId64,
             done->table, done->column, other, row);
    return other != value && sqlite3_exec(sql, text, NULL, NULL, NULL) == SQLITE_OK;
}

static bool flip(sqlite3 *sql, damage *done, int64_t row)
{
    sqlite3_value *old = get_value(sql, done->table, done->column, row);
    const int type = sqlite3_value_type(old);
    const int64_t campaign = campaign_of(sql, done->table, row);
    bool fine = type == SQLITE_INTEGER ? change_number(sql, done, row, old)
                                       : change_bytes(sql, done, row, old);
    sqlite3_value_free(old);
    snprintf(done->what, sizeof done->what, "%s.%s of campaign %" PRId64 " was changed",
             done->table, done->column, campaign);
    touch(done, campaign);
    if (fine && strcmp(done->column, campaign_column(done->table)) == 0) {
        /* It is not known whose row it is now, since a changed rowid is not found any more. */
        memset(done->touched, true, sizeof done->touched);
    }
    return fine;
}

static bool delete_row(sqlite3 *sql, damage *done, int64_t row)
{
    char text[200];
    const int64_t campaign = campaign_of(sql, done->table, row);
    touch(done, campaign);
    snprintf(text, sizeof text, "DELETE FROM %s WHERE rowid = %" PRId64, done->table, row);
    assert_int_equal(sqlite3_exec(sql, text, NULL, NULL, NULL), SQLITE_OK);
    snprintf(done->what, sizeof done->what, "a row of %s of campaign %" PRId64 " was deleted",
             done->table, campaign);
    return true;
}

/* Exchanges one column of two rows, or all but the first column. */
static bool swap_rows(sqlite3 *sql, damage *done, int64_t row, int64_t other)
{
    const bool is_whole = random_below(2);
    char query[100], column[40];
    sqlite3_stmt *columns;
    bool fine = row != other, is_first = true;
    touch(done, campaign_of(sql, done->table, row));
    touch(done, campaign_of(sql, done->table, other));
    snprintf(done->what, sizeof done->what, "%s of two rows of %s were exchanged",
             is_whole ? "all columns" : done->column, done->table);
    snprintf(query, sizeof query, "SELECT name FROM pragma_table_info('%s')", done->table);
    assert_int_equal(sqlite3_prepare_v2(sql, query, -1, &columns, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
    while (fine && sqlite3_step(columns) == SQLITE_ROW) {
        snprintf(column, sizeof column, "%s", (const char *)sqlite3_column_text(columns, 0));
        const bool is_meant = is_whole ? !is_first : strcmp(column, done->column) == 0;
        is_first = false;
        if (!is_meant || strcmp(column, "id") == 0) {
            continue;
        }
        sqlite3_value *one = get_value(sql, done->table, column, row);
        sqlite3_value *two = get_value(sql, done->table, column, other);
        char aside[200];
        snprintf(aside, sizeof aside, "UPDATE %s SET %s = -77 WHERE rowid = %" PRId64, done->table,
                 column, row);
        const bool is_key =
            strcmp(column, "campaign") == 0 && campaign_of(sql, done->table, row) == row;
        fine = !is_key && sqlite3_exec(sql, aside, NULL, NULL, NULL) == SQLITE_OK &&
               put_value(sql, done->table, column, other, one) &&
               put_value(sql, done->table, column, row, two);
        sqlite3_value_free(one);
        sqlite3_value_free(two);
    }
    sqlite3_finalize(columns);
    assert_int_equal(sqlite3_exec(sql, fine ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    return fine;
}

static int64_t random_row(sqlite3 *sql, const char *table)
{
    char format[100];
    const int64_t count = count_of(sql, "SELECT count(*) FROM %s", table);
    assert_true(count > 0);
    snprintf(format, sizeof format, "SELECT rowid FROM %%s LIMIT 1 OFFSET %" PRIu64,
             random_below((uint64_t)count));
    return count_of(sql, format, table);
}

static void random_column(sqlite3 *sql, damage *done)
{
    char text[160];
    sqlite3_stmt *statement;
    const int64_t count =
        count_of(sql, "SELECT count(*) FROM pragma_table_info('%s')", done->table);
    snprintf(text, sizeof text, "SELECT name FROM pragma_table_info('%s') LIMIT 1 OFFSET %" PRIu64,
             done->table, random_below((uint64_t)count));
    assert_int_equal(sqlite3_prepare_v2(sql, text, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    snprintf(done->column, sizeof done->column, "%s",
             (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
}

/* After a crash, the last rows of a stream may be feedback that no state knows about yet. Deleting
 * them leaves no trace (see engine.md). Every other missing row is noticed. */
static bool is_unprovable(sqlite3 *sql, const damage *done, uint64_t kind, int64_t row,
                          bool was_clean)
{
    char format[240];
    const bool is_removal = kind == 1 || strcmp(done->column, "campaign") == 0 ||
                            strcmp(done->column, "seq") == 0; /* row 0 is never looked for */
    if (was_clean || strcmp(done->table, "log") != 0 || !is_removal) {
        return false;
    }
    snprintf(format, sizeof format,
             "SELECT NOT EXISTS (SELECT 1 FROM %%s l JOIN log r ON r.rowid = %" PRId64
             " WHERE l.campaign = r.campaign AND l.stream = r.stream AND l.seq > r.seq)",
             row);
    return count_of(sql, format, "log") != 0;
}

static void make_damage(uint64_t seed, bool was_clean, damage *done)
{
    static const char *const tables[] = {"states",   "leases",    "blocks",       "log",
                                         "releases", "campaigns", "campaign_keys"};
    sqlite3 *sql = open_sql();
    random_state = seed;
    for (bool fine = false; !fine;) {
        *done = (damage){.table = tables[random_below(sizeof tables / sizeof *tables)]};
        const uint64_t kind = random_below(4);
        const int64_t row = random_row(sql, done->table), other = random_row(sql, done->table);
        random_column(sql, done);
        if (is_unprovable(sql, done, kind, row, was_clean) ||
            is_unprovable(sql, done, kind, other, was_clean)) {
            continue;
        }
        fine = kind == 1   ? delete_row(sql, done, row)
               : kind == 2 ? swap_rows(sql, done, row, other)
                           : flip(sql, done, row);
    }
    close_sql(sql);
}

static size_t try_seeds(bool stops_cleanly, uint64_t from, uint64_t to)
{
    moment before = make_moment(stops_cleanly);
    size_t refused = 0;
    for (uint64_t seed = from; seed < to; seed++) {
        damage done;
        put_back(&before);
        make_damage(seed, stops_cleanly, &done);
        print_message("seed %" PRIu64 ": %s\n", seed, done.what);
        if (engine_try_open(&rig, false) != LOTOR_OK) {
            fail_msg("the server does not start: %s", rig.why.text);
        }
        for (size_t i = 0; i < CAMPAIGNS; i++) {
            const bool is_fine = is_counted(i, before.answered[i]);
            refused += !is_fine;
            if (!is_fine && trouble_count() == 0) {
                fail_msg("%s is not served, and nothing says so: %s", names[i],
                         engine_refusal.message.text);
            }
            if (!is_fine && !done.touched[i + 1]) {
                fail_msg("%s was not touched, and is not served: %s", names[i],
                         engine_refusal.message.text);
            }
        }
        engine_drop(&rig);
    }
    free_moment(&before);
    return refused;
}

TEST_WITH(damage_after_a_clean_stop_is_noticed_or_harmless, start, end)
{
    assert_true(try_seeds(true, 1, 1 + SEEDS / 2) > SEEDS / 4); /* most changes are noticed */
}

TEST_WITH(damage_after_a_crash_is_noticed_or_harmless, start, end)
{
    assert_true(try_seeds(false, 1 + SEEDS / 2, 1 + SEEDS) > SEEDS / 4);
}

/* --- one campaign, and the others ------------------------------------------------------------- */

TEST_WITH(one_campaign_is_damaged_and_the_others_serve, start, end)
{
    static const struct {
        const char *sql, *reason;
        bool has_name;
    } cases[] = {
        {"UPDATE states SET state = zeroblob(100) WHERE campaign = 2", "", true},
        {"DELETE FROM states WHERE campaign = 2", "", true},
        {"UPDATE leases SET sealed = sealed + 1 WHERE campaign = 2", "lease or its state", true},
        {"UPDATE leases SET head = x'00' WHERE campaign = 2", "lease", true},
        {"UPDATE leases SET epoch = 9223372036854775807 WHERE campaign = 2", "lease", true},
        {"UPDATE leases SET epoch = 0 WHERE campaign = 2", "older than its state", true},
        {"DELETE FROM leases WHERE campaign = 2", "lease is missing", true},
        {"DELETE FROM campaigns WHERE id = 2", "", false},
        {"DELETE FROM campaign_keys WHERE campaign = 2", "sealing key", true},
        {"UPDATE campaigns SET seal = x'01' WHERE id = 2", "specification", true},
        {"UPDATE campaigns SET name = x'ff' WHERE id = 2", "specification", false},
        {"DELETE FROM blocks WHERE campaign = 2", "block", true},
        {"DELETE FROM log WHERE campaign = 2 AND seq % 2 = 0", "log", true},
        {"UPDATE log SET last = first WHERE campaign = 2 AND last > first", "log", true},
        {"DELETE FROM releases WHERE campaign = 2", "chain", true},
    };
    moment before = make_moment(true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_back(&before);
        run_sql(cases[i].sql);
        engine_open(&rig);
        const char *name = cases[i].has_name ? "second" : "(number 2)";
        if (!*trouble_of(name) || !strstr(trouble_of(name), cases[i].reason)) {
            fail_msg("%s: expected \"%s\", found \"%s\"", cases[i].sql, cases[i].reason,
                     trouble_of(name));
        }
        assert_int_equal(trouble_count(), 1);
        assert_true(lotor_engine_is_ready(rig.engine)); /* commits succeed */
        assert_true(is_refused("second"));
        assert_true(is_counted(0, before.answered[0]));
        assert_true(is_counted(2, before.answered[2]));
        engine_drop(&rig);
    }
    free_moment(&before);
}

/* Feedback for a campaign that can't be read is not lost: the client is told to try again. */
TEST_WITH(feedback_for_a_campaign_that_is_left_out_is_kept_by_its_sender, start, end)
{
    lotor_ranking ranking;
    size_t answered[CAMPAIGNS] = {0};
    create_all();
    engine_must_rank(&rig, "second", &ranking);
    engine_stop(&rig);
    moment before = take_moment(answered);
    run_sql("DELETE FROM campaign_keys WHERE campaign = 2");
    engine_open(&rig);
    assert_int_equal(engine_reward(&rig, ranking.event, "{'rewards': [1]}"), LOTOR_CODE_BROKEN);
    engine_stop(&rig);
    put_back(&before);
    engine_open(&rig);
    engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    assert_int_equal(engine_late, 0);
    assert_true(is_counted(1, 1));
    free_moment(&before);
}

/* As after a failover that lost a commit, hidden by a pooler: rows after it are there. */
TEST_WITH(a_row_that_is_missing_can_be_accepted, start, end)
{
    lotor_ranking ranking;
    create_all();
    for (int i = 0; i < 3; i++) {
        engine_must_rank(&rig, "second", &ranking);
        engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    }
    engine_drop(&rig);
    run_sql("DELETE FROM log WHERE campaign = 2 AND seq = 2");
    engine_open(&rig);
    assert_non_null(strstr(trouble_of("second"), "log"));
    engine_drop(&rig);
    assert_int_equal(engine_try_open(&rig, true), LOTOR_OK);
    assert_int_equal(trouble_count(), 0);
    assert_true(is_counted(1, 2));
    json_t *promise = lotor_engine_guarantee(rig.engine, "second", &engine_refusal);
    char *text = json_dumps(promise, 0);
    assert_non_null(strstr(text, "older copy"));
    free(text);
    json_decref(promise);
    engine_stop(&rig);
    engine_open(&rig); /* it stays accepted */
    assert_int_equal(trouble_count(), 0);
}

static int copy_text(void *context, int count, char **values, char **columns)
{
    (void)count;
    (void)columns;
    snprintf(context, 4000, "%s", values[0]);
    return 0;
}

/* A specification that was valid once, put back alone. */
TEST_WITH(an_older_specification_is_not_served, start, end)
{
    char put_it_back[4000] = "";
    create_all();
    engine_stop(&rig);
    sqlite3 *sql = open_sql();
    assert_int_equal(sqlite3_exec(sql,
                                  "SELECT 'UPDATE campaigns SET spec = ' || quote(spec) || "
                                  "', seal = ' || quote(seal) || ', specs = ' || specs || "
                                  "', closed = ' || closed || ' WHERE id = 1' FROM campaigns "
                                  "WHERE id = 1",
                                  copy_text, put_it_back, NULL),
                     SQLITE_OK);
    close_sql(sql);
    engine_open(&rig);
    assert_int_equal(engine_close_campaign(&rig, "first"), LOTOR_CODE_NONE);
    engine_stop(&rig);
    run_sql(put_it_back);
    engine_open(&rig);
    assert_non_null(strstr(trouble_of("first"), "specification"));
    assert_true(is_refused("first"));
    assert_false(is_refused("second"));
}

TEST_WITH(an_edited_specification_is_not_served, start, end)
{
    static const char *const edits[] = {
        "UPDATE campaigns SET spec = replace(spec, '1000000', '1') WHERE id = 1",
        "UPDATE campaigns SET spec = replace(spec, 'wait_seconds\":1', 'wait_seconds\":2') "
        "WHERE id = 1",
        "UPDATE campaigns SET specs = specs + 1 WHERE id = 1",
        "UPDATE campaigns SET closed = 1 WHERE id = 1",
        "UPDATE campaigns SET created = created + 1 WHERE id = 1",
        "UPDATE campaigns SET name = 'fourth' WHERE id = 1",
        "UPDATE campaigns SET spec = (SELECT spec FROM campaigns WHERE id = 2), seal = "
        "(SELECT seal FROM campaigns WHERE id = 2) WHERE id = 1",
        /* without a seal, like new campaigns of version 0.1 */
        "UPDATE campaigns SET spec = replace(spec, '1000000', '1'), seal = zeroblob(32) "
        "WHERE id = 1",
        "UPDATE campaigns SET spec = replace(spec, '1000000', '1'), seal = zeroblob(32) "
        "WHERE id = 1; DELETE FROM states WHERE campaign = 1; DELETE FROM campaign_keys WHERE "
        "campaign = 1",
        "UPDATE campaigns SET spec = replace(spec, '1000000', '1'), seal = zeroblob(32) "
        "WHERE id = 1; DELETE FROM states WHERE campaign = 1; DELETE FROM campaign_keys WHERE "
        "campaign = 1; DELETE FROM blocks WHERE campaign = 1; DELETE FROM log WHERE campaign = 1",
    };
    moment before = make_moment(true);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        put_back(&before);
        run_sql(edits[i]);
        engine_open(&rig);
        if (!is_refused("first") || !is_refused("fourth")) {
            fail_msg("%s: it is served", edits[i]);
        }
        assert_int_equal(trouble_count(), 1);
        assert_false(is_refused("second"));
        engine_drop(&rig);
    }
    free_moment(&before);
}

/* --- parts of an older copy ------------------------------------------------------------------- */

enum { PARTS = 5 };
static const char *const parts[PARTS] = {"states", "leases", "blocks", "log", "releases"};

static void put_parts_back(const moment *old, unsigned which)
{
    char text[1000] = "ATTACH 'old.db' AS old;", one[160];
    fault_vfs_put(rig.disk, "old.db", old->store, old->store_length);
    for (size_t i = 0; i < PARTS; i++) {
        if (which >> i & 1) {
            snprintf(one, sizeof one,
                     "DELETE FROM main.%s; INSERT INTO main.%s SELECT * FROM old.%s;", parts[i],
                     parts[i], parts[i]);
            strcat(text, one);
        }
    }
    run_sql(text);
}

static uint64_t releases_of(size_t id, unsigned char hash[LOTOR_STORE_HASH])
{
    lotor_release_row last;
    assert_int_equal(lotor_store_last_release(rig.store, id, &rig.why, &last), LOTOR_OK);
    memcpy(hash, last.hash, LOTOR_STORE_HASH);
    return last.number;
}

/* All combinations of tables except all and none. All tables with meta are an older copy: see
 * test_engine_restart.c. */
TEST_WITH(parts_of_an_older_copy_are_refused, start, end)
{
    size_t answered[CAMPAIGNS] = {0};
    create_all();
    play(20, answered);
    engine_wait(&rig, ALL_OVER);
    play(10, answered);
    engine_stop(&rig);
    moment old = take_moment(answered);
    engine_open(&rig);
    engine_wait(&rig, ALL_OVER);
    play(20, answered);
    engine_wait(&rig, ALL_OVER);
    play(10, answered);
    engine_stop(&rig);
    moment now = take_moment(answered);
    for (unsigned which = 1; which < (1u << PARTS); which++) {
        unsigned char before[LOTOR_STORE_HASH], after[LOTOR_STORE_HASH];
        put_back(&now);
        put_parts_back(&old, which);
        engine_open(&rig);
        const uint64_t releases = releases_of(1, before);
        for (size_t i = 0; i < CAMPAIGNS; i++) {
            if (!*trouble_of(names[i]) || !is_refused(names[i])) {
                fail_msg("parts %x: %s is served", which, names[i]);
            }
        }
        for (int i = 0; i < 20; i++) {
            engine_wait(&rig, 1000);
        }
        assert_int_equal(releases_of(1, after), releases); /* nothing is released again */
        assert_memory_equal(before, after, sizeof before);
        for (size_t i = 0; i < CAMPAIGNS; i++) {
            assert_true(*trouble_of(names[i]));
        }
        engine_drop(&rig);
    }
    put_back(&now); /* the complete store is as before */
    engine_open(&rig);
    for (size_t i = 0; i < CAMPAIGNS; i++) {
        assert_true(is_counted(i, answered[i]));
    }
    free_moment(&old);
    free_moment(&now);
}
