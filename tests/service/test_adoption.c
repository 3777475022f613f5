/* test_adoption.c - a server starts on a store of version 0.1 (fixtures/make.sh) and continues it:
 * events stay valid, acknowledged feedback is counted once, chains of releases continue.
 *
 * With LOTOR_TEST_POSTGRES the stores are those of PostgreSQL.
 */
#include "support/test.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/engine/check.h"
#include "service/engine_rig.h"
#include "service/fine.h"
#include "service/fixture.h"
#include "service/little.h"
#include "service/old_head.h"
#include "service/place.h"

enum { EVENTS_MOST = 400, CAMPAIGNS = 8, WAIT = 30000 };

/* One event of the legacy server, and the feedback that the server acknowledged ("-": none). */
typedef struct old_event {
    char campaign[16], event[LOTOR_TOKEN_LENGTH + 1], feedback[32];
    lotor_event id;
} old_event;

static engine_rig rig;
static char path[600], key[600], head[600];
static old_event events[EVENTS_MOST];
static size_t event_count;

static int start(void **state)
{
    (void)state;
    engine_start(&rig);
    rig.is_on_files = rig.is_patient = true;
    snprintf(path, sizeof path, "%s", place_of(&rig.files));
    snprintf(key, sizeof key, "%s", scratch_path(&rig.files, "x.key"));
    snprintf(head, sizeof head, "%s", scratch_path(&rig.files, "x.key.head"));
    return sodium_init() < 0;
}

static int end(void **state)
{
    (void)state;
    return engine_end_soundly(&rig);
}

static bool is(const old_event *event, const char *campaign)
{
    return strcmp(event->campaign, campaign) == 0;
}

static bool is_answered(const old_event *event)
{
    return strcmp(event->feedback, "-") != 0;
}

static void read_events(const char *name)
{
    size_t length;
    lotor_server_key *server_key;
    char *const text = (char *)fixture_read(name, ".events", &length);
    char *rest = NULL;
    fine(lotor_server_key_open(key, false, &why, &server_key));
    event_count = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        old_event *const event = &events[event_count++];
        assert_true(event_count < EVENTS_MOST);
        assert_int_equal(
            sscanf(line, "%15s %64s %31[^\n]", event->campaign, event->event, event->feedback), 3);
        assert_true(lotor_server_key_read_token(server_key, event->event, &event->id));
    }
    lotor_server_key_free(server_key);
    free(text);
}

/* Copies the legacy store, and sets the clock to the moment after its server's last reply. */
static void put_old(const char *name)
{
    fixture_put(name, path, key, head);
    read_events(name);
    rig.now = 0;
    for (size_t i = 0; i < event_count; i++) {
        if (!is(&events[i], "long") && events[i].id.expires - WAIT >= rig.now) {
            rig.now = events[i].id.expires - WAIT + 1;
        }
    }
}

static void migrate(const char *name)
{
    put_old(name);
    fine(lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &rig.store));
    lotor_store_close(rig.store);
    rig.store = NULL;
}

/* --- the state afterwards --------------------------------------------------------------------- */

static void check(void)
{
    lotor_engine_check_counts counts;
    fine(lotor_engine_check(rig.store, rig.server_key, rig.heads, &counts, &why));
    assert_int_equal(counts.campaigns, CAMPAIGNS);
}

static void assert_meta(const char *name, const char *wanted)
{
    char value[200];
    fine(lotor_store_get_meta(rig.store, name, &why, value, sizeof value));
    assert_string_equal(value, wanted);
}

static lotor_status assert_row_adopted(void *context, const lotor_campaign_row *row)
{
    (void)context;
    assert_false(sodium_is_zero(row->seal, LOTOR_STORE_HASH));
    assert_int_equal(row->specs, 1); /* adopted once */
    assert_int_equal(row->closed, strcmp(row->name, "closed") == 0);
    return LOTOR_OK;
}

typedef struct block_facts {
    lotor_lease lease;
    uint64_t last, deadline;
} block_facts;

static lotor_status assert_block(void *context, const lotor_block_row *row)
{
    block_facts *facts = context;
    assert_true(row->first > facts->last);
    assert_int_equal(row->holder, 0);
    assert_int_equal(row->want, 0);
    assert_true(row->deadline >= facts->deadline);
    assert_in_range(row->deadline, 1, rig.now + 31536000000 + 1000);
    if (facts->deadline == 0) {
        assert_int_equal(facts->lease.due, row->deadline);
    }
    facts->last = row->first + row->count - 1;
    facts->deadline = row->deadline;
    return LOTOR_OK;
}

static lotor_lease leases[CAMPAIGNS];
static size_t lease_count;

static lotor_status see_lease(void *context, const lotor_lease *lease)
{
    (void)context;
    assert_true(lease_count < CAMPAIGNS);
    leases[lease_count++] = *lease;
    return LOTOR_OK;
}

static void assert_all_adopted(void)
{
    char name[40];
    for (int i = 1; i <= CAMPAIGNS; i++) {
        snprintf(name, sizeof name, "legacy:%d", i);
        assert_meta(name, "2");
    }
    fine(lotor_store_each_campaign(rig.store, 0, assert_row_adopted, NULL, &why));
    check();
}

/* Checks blocks and heads right after an adoption, before any cycle. */
static void assert_fresh(void)
{
    lotor_head_record record;
    assert_all_adopted();
    assert_true(lotor_heads_get(rig.heads, LOTOR_HEADS_OLD, &record));
    assert_int_equal(record.number, 0);
    lease_count = 0;
    fine(lotor_store_each_lease(rig.store, see_lease, NULL, &why));
    assert_int_equal(lease_count, CAMPAIGNS);
    for (size_t i = 0; i < lease_count; i++) {
        block_facts facts = {leases[i], leases[i].final, 0};
        fine(lotor_store_each_block(rig.store, leases[i].campaign, 0, 0, assert_block, &facts,
                                    &why));
        if (leases[i].releases > 0) {
            assert_true(lotor_heads_get(rig.heads, leases[i].campaign, &record));
            assert_int_equal(record.number, leases[i].releases);
            assert_memory_equal(record.hash, leases[i].head, sizeof record.hash);
        }
    }
}

/* --- feedback --------------------------------------------------------------------------------- */

static const char *feedback_of(const char *campaign)
{
    return strcmp(campaign, "list") == 0 || strcmp(campaign, "long") == 0 ? "{'rewards': [1, 1]}"
           : strcmp(campaign, "diary") == 0                               ? "{'report': 1}"
                                                                          : "{'rewards': [1]}";
}

/* Returns how many rewards were late. */
static size_t reward(const char *event, const char *feedback)
{
    engine_job job;
    engine_queue_reward(&rig, event, feedback, &job);
    if (!job.is_done) {
        engine_step(&rig);
    }
    assert_true(job.is_done);
    if (job.job.refusal.code) {
        fail_msg("%s: %s", lotor_code_name(job.job.refusal.code), job.job.refusal.message.text);
    }
    return job.job.late;
}

static uint64_t final_of(const old_event *event)
{
    for (size_t i = 0; i < lease_count; i++) {
        if (leases[i].campaign == event->id.campaign) {
            return leases[i].final;
        }
    }
    return 0;
}

/* Sends feedback for every open event, and other feedback for events that have feedback already. */
static void answer_all(void)
{
    size_t open = 0, again = 0, late = 0;
    for (size_t i = 0; i < event_count; i++) {
        const old_event *const event = &events[i];
        const bool is_final = event->id.number <= final_of(event);
        if (!is_answered(event)) {
            assert_false(is_final);
            assert_int_equal(reward(event->event, feedback_of(event->campaign)), 0);
            open++;
        } else if (is_final) {
            assert_int_equal(reward(event->event, feedback_of(event->campaign)), 1);
            late++;
        } else {
            const char *const other = is(event, "diary") ? "{'report': 0}"
                                      : is(event, "list") || is(event, "long")
                                          ? "{'rewards': [0, 0]}"
                                          : "{'rewards': [0]}";
            assert_int_equal(reward(event->event, other), 0);
            again++;
        }
    }
    assert_int_equal(open, 24); /* see fixtures/make.sh */
    assert_true(again > 100);
    assert_int_equal(late, event_count - open - again);
}

/* The sum of the first feedback for all events of a campaign with one arm. */
static double sum_of(const char *campaign)
{
    double sum = 0;
    for (size_t i = 0; i < event_count; i++) {
        double value = 1;
        if (is(&events[i], campaign) && is_answered(&events[i])) {
            const char *const digits = strpbrk(events[i].feedback, "0123456789");
            assert_non_null(digits);
            value = strtod(digits, NULL);
        }
        sum += is(&events[i], campaign) ? value : 0;
    }
    return sum;
}

static size_t count_of(const char *campaign)
{
    size_t count = 0;
    for (size_t i = 0; i < event_count; i++) {
        count += is(&events[i], campaign);
    }
    return count;
}

static void assert_close(double found, double wanted)
{
    if (!(fabs(found - wanted) < 0.01)) {
        fail_msg("%f, and it should be %f", found, wanted);
    }
}

/* --- counting --------------------------------------------------------------------------------- */

typedef struct released_sum {
    double value;
    uint64_t count;
} released_sum;

static lotor_status add_release(void *context, const lotor_release_row *release)
{
    released_sum *sum = context;
    for (size_t i = 0; i < release->facts_length; i += 40) {
        const uint64_t bits = lotor_get_u64(release->facts + i + 16);
        double value;
        memcpy(&value, &bits, sizeof value);
        sum->value += value;
        sum->count += lotor_get_u64(release->facts + i + 24);
    }
    return LOTOR_OK;
}

static released_sum released(uint64_t campaign)
{
    released_sum sum = {0};
    fine(lotor_store_each_release(rig.store, campaign, 0, add_release, &sum, &why));
    return sum;
}

static void end_rounds(void)
{
    rig.now += WAIT + 2100; /* the next step may doubt such a jump of the clocks */
    for (int i = 0; i < 10; i++) {
        engine_wait(&rig, 250);
    }
}

/* Batches are released when they are full, so new rounds without a reward fill them. */
static void fill_batches(const char *campaign, size_t rounds)
{
    for (size_t i = 0; i < rounds; i++) {
        lotor_ranking ranking;
        char user[32];
        snprintf(user, sizeof user, "w%zu", i);
        const bool has_user = strcmp(campaign, "capped") == 0;
        assert_int_equal(
            engine_rank_with(&rig, campaign, has_user ? user : NULL, NULL, NULL, &ranking),
            LOTOR_CODE_NONE);
        assert_true(ranking.takes_feedback);
        assert_int_equal(reward(ranking.event, "{'rewards': [0]}"), 0);
        lotor_ranking_clear(&ranking);
    }
}

/* Every batch is twice as long as the one before: after 63 rounds, 63 have been released. */
static void assert_counted_once(const char *campaign, uint64_t id)
{
    fill_batches(campaign, 64);
    end_rounds();
    const released_sum sum = released(id);
    assert_in_range(sum.count, 63, 127);
    assert_close(sum.value, sum_of(campaign));
}

static void assert_no_trouble(void)
{
    json_t *const readiness = lotor_engine_readiness(rig.engine);
    char *const text = json_dumps(readiness, 0);
    if (json_array_size(json_object_get(readiness, "campaigns")) > 0) {
        fail_msg("%s", text);
    }
    free(text);
    json_decref(readiness);
}

static void go_on_from(const char *name, bool knows_handed)
{
    put_old(name);
    engine_open(&rig);
    assert_fresh();
    answer_all();
    check();
    end_rounds();
    assert_no_trouble();
    static const char *const campaigns[] = {"list",   "diary",   "linear", "capped",
                                            "closed", "counted", "cut"};
    for (size_t i = 0; i < sizeof campaigns / sizeof *campaigns; i++) {
        const double shown = engine_number(&rig, campaigns[i], "decisions");
        const size_t handed = count_of(campaigns[i]);
        assert_true(knows_handed ? shown == (double)handed
                                 : shown >= (double)handed && shown < (double)handed + 10);
    }
    /* The reports have almost no noise, and all are of one arm. Decisions that were not shown
     * have no report. */
    const double count = engine_number(&rig, "diary", "arms.0.count");
    assert_true(count >= (double)count_of("diary"));
    assert_close(engine_number(&rig, "diary", "arms.0.mean") * count, sum_of("diary"));
    assert_counted_once("counted", 7);
    assert_counted_once("capped", 4);
    assert_int_equal(reward(events[event_count - 1].event, feedback_of("long")), 0);
    assert_no_trouble();
    check();
}

TEST_WITH(events_stay_valid_after_a_clean_stop, start, end)
{
    go_on_from("clean", true);
}

TEST_WITH(events_stay_valid_after_a_kill, start, end)
{
    go_on_from("killed", false);
}

/* The specification, the arms and the caps are the same as before. */
TEST_WITH(campaigns_go_on_as_they_were, start, end)
{
    lotor_ranking ranking;
    put_old("clean");
    engine_open(&rig);
    assert_int_equal(engine_rank(&rig, "closed", &ranking), LOTOR_CODE_CLOSED);
    for (int i = 0; i < 8; i++) { /* arm a is paused */
        engine_must_rank(&rig, "cut", &ranking);
        assert_int_equal(ranking.count, 1);
        assert_string_equal(ranking.arms[0], "b");
        lotor_ranking_clear(&ranking);
    }
    engine_wait(&rig, 100000); /* all rounds of the old program are final */
    engine_wait(&rig, 300);
    const double before = engine_number(&rig, "capped", "final");
    for (int i = 0; i < 4; i++) { /* u1 has had 10 of 12 rounds */
        assert_int_equal(engine_rank_with(&rig, "capped", "u1", NULL, NULL, &ranking),
                         LOTOR_CODE_NONE);
        lotor_ranking_clear(&ranking);
    }
    engine_wait(&rig, 300);
    engine_wait(&rig, 100000);
    engine_wait(&rig, 300);
    assert_true(engine_number(&rig, "capped", "final") == before + 2);
    assert_int_equal(engine_rank_with(&rig, "linear", NULL, "{'a': [0.5, 0.1], 'b': [0.1, 0.5]}",
                                      NULL, &ranking),
                     LOTOR_CODE_NONE);
    lotor_ranking_clear(&ranking);
    assert_int_equal(engine_arms(&rig, "list", "{'add': ['d']}"), LOTOR_CODE_NONE);
    check();
}

static lotor_status see_first_block(void *context, const lotor_block_row *row)
{
    lotor_block_row *first = context;
    *first = first->count == 0 ? *row : *first;
    return LOTOR_OK;
}

/* Of the first block, decisions 18 to 20 are final and 21 is not. Its handout says that 21 was not
 * handed out. */
/* Not in a database: there a block that is partly final has no handout. */
TEST_IF(!place_is_database(), a_report_counts_from_the_cut_block_on, start, end)
{
    migrate("clean");
    lotor_block_row block = {0};
    fine(lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &rig.store));
    fine(lotor_store_each_block(rig.store, 7, 0, 0, see_first_block, &block, &why));
    lotor_store_close(rig.store);
    rig.store = NULL;
    assert_int_equal(block.first, 18);
    assert_int_equal(block.count, 4);
    unsigned char bytes[16];
    char digits[40], sql[200];
    lotor_put_u64(bytes, block.nonce);
    lotor_put_u64(bytes + 8, 3);
    sodium_bin2hex(digits, sizeof digits, bytes, sizeof bytes);
    snprintf(sql, sizeof sql,
             "UPDATE log SET sealed = x'%s' WHERE campaign = 7 AND kind = 1 AND first = 18",
             digits);
    fixture_edit(path, sql);
    engine_open(&rig);
    assert_fresh();
    end_rounds();
    assert_no_trouble();
    assert_true(engine_number(&rig, "counted", "decisions") == (double)count_of("counted") - 1);
}

/* --- again ------------------------------------------------------------------------------------ */

TEST_WITH(a_second_start_adopts_nothing, start, end)
{
    put_old("killed");
    size_t length;
    unsigned char *const old_head = scratch_read(head, &length);
    engine_open(&rig);
    assert_fresh();
    engine_stop(&rig);
    engine_open(&rig);
    assert_all_adopted();
    answer_all();
    engine_drop(&rig); /* killed */
    engine_open(&rig);
    assert_all_adopted();
    engine_drop(&rig);
    /* Another server, with a head file of version 0.1. */
    scratch_write(head, old_head, length);
    free(old_head);
    engine_open(&rig);
    assert_all_adopted();
    lotor_head_record record;
    assert_true(lotor_heads_get(rig.heads, 1, &record));
    assert_true(lotor_heads_get(rig.heads, LOTOR_HEADS_OLD, &record));
    assert_int_equal(record.number, 0);
    end_rounds();
    assert_counted_once("counted", 7);
    check();
}

static void *open_other(void *context)
{
    static lotor_status status;
    status = engine_try_open(context, false);
    return &status;
}

TEST_IF(place_is_database(), two_servers_adopt_a_campaign_once, start, end)
{
    static engine_rig other;
    size_t length, head_length;
    pthread_t thread;
    void *said;
    migrate("clean");
    engine_start(&other);
    other.is_on_files = true;
    other.now = rig.now;
    unsigned char *const bytes = scratch_read(key, &length);
    unsigned char *const old_head = scratch_read(head, &head_length);
    const char *const copy = scratch_path(&other.files, "x.key");
    scratch_write(copy, bytes, length);
    assert_int_equal(chmod(copy, 0600), 0);
    scratch_write(scratch_path(&other.files, "x.key.head"), old_head, head_length);
    free(bytes);
    free(old_head);
    assert_int_equal(pthread_create(&thread, NULL, open_other, &other), 0);
    engine_open(&rig);
    pthread_join(thread, &said);
    if (*(lotor_status *)said != LOTOR_OK) {
        fail_msg("%s", other.why.text);
    }
    assert_fresh();
    assert_no_trouble();
    engine_end(&other);
}

/* --- campaigns that are refused --------------------------------------------------------------- */

static void assert_left_out(const char *name, const char *words)
{
    json_t *const readiness = lotor_engine_readiness(rig.engine);
    const json_t *const list = json_object_get(readiness, "campaigns");
    char *const text = json_dumps(list, 0);
    if (json_array_size(list) != 1 || !strstr(text, name) || !strstr(text, words)) {
        fail_msg("%s", text);
    }
    free(text);
    json_decref(readiness);
    lotor_ranking ranking;
    assert_int_equal(engine_rank(&rig, name, &ranking), LOTOR_CODE_BROKEN);
}

/* Undoes the damage afterwards; then the campaign is adopted. */
static void leave_out_after(const char *sql, const char *undo, const char *words)
{
    migrate("clean");
    fixture_edit(path, sql);
    for (int i = 0; i < 2; i++) {
        engine_open(&rig);
        assert_meta("legacy:7", "2");
        assert_meta("legacy:8", "1");
        assert_left_out("cut", words);
        lotor_engine_check_counts counts;
        assert_int_not_equal(
            lotor_engine_check(rig.store, rig.server_key, rig.heads, &counts, &why), LOTOR_OK);
        engine_stop(&rig);
    }
    fixture_edit(path, undo);
    engine_open(&rig);
    assert_all_adopted();
    assert_no_trouble();
    lease_count = 0;
    fine(lotor_store_each_lease(rig.store, see_lease, NULL, &why));
    answer_all();
    engine_stop(&rig);
}

TEST_WITH(a_damaged_campaign_is_alone_in_it, start, end)
{
    leave_out_after("UPDATE @leases SET final = final - 1, sealed = sealed - 1 WHERE campaign = 8",
                    "UPDATE @leases SET final = final + 1, sealed = sealed + 1 WHERE campaign = 8",
                    "campaign's state is not what was saved");
    leave_out_after("UPDATE @log SET seq = seq + 1000 WHERE campaign = 8",
                    "UPDATE @log SET seq = seq - 1000 WHERE campaign = 8",
                    "group of feedback is not what version 0.1 wrote");
    leave_out_after("UPDATE @blocks SET count = count + 90 WHERE campaign = 8 AND first = (SELECT "
                    "max(first) FROM @blocks WHERE campaign = 8)",
                    "UPDATE @blocks SET count = count - 90 WHERE campaign = 8 AND first = (SELECT "
                    "max(first) FROM @blocks WHERE campaign = 8)",
                    "was not written by version 0.1");
}

/* A campaign whose seal was overwritten with zeros is not a legacy campaign. */
TEST_WITH(a_wiped_seal_is_no_old_campaign, start, end)
{
    put_old("clean");
    engine_open(&rig);
    engine_stop(&rig);
    char sql[200];
    snprintf(sql, sizeof sql, "UPDATE @campaigns SET seal = %s WHERE id = 8",
             place_is_database() ? "decode(repeat('00', 32), 'hex')" : "zeroblob(32)");
    fixture_edit(path, sql);
    engine_open(&rig);
    assert_left_out("cut", "was changed in the store");
    engine_stop(&rig);
    fixture_edit(path, "UPDATE @meta SET value = '1' WHERE key = 'legacy:8'");
    engine_open(&rig);
    assert_meta("legacy:8", "1");
    assert_left_out("cut", "was changed in the store");
    engine_stop(&rig);
}

TEST_WITH(another_key_is_refused, start, end)
{
    put_old("clean");
    size_t length;
    unsigned char *const right = scratch_read(key, &length);
    assert_int_equal(unlink(key), 0); /* a new key is made */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(engine_try_open(&rig, i == 1), LOTOR_INVALID);
        assert_non_null(strstr(rig.why.text, "another key"));
    }
    scratch_write(key, right, length);
    free(right);
    engine_open(&rig);
    assert_fresh();
    assert_meta("rollbacks", "");
}

/* --- the head file ---------------------------------------------------------------------------- */

/* Writes the head file of the legacy server after `releases`, with another hash of the last one. */
static void write_old_head(uint64_t starts, uint64_t releases)
{
    lotor_legacy_head old = {
        .starts = starts, .releases = releases, .rollbacks = 2, .hash = {1, 2, 3}};
    unlink(head);
    old_head_write(head, &old);
}

static void count_rollbacks(size_t wanted)
{
    json_t *const promise = lotor_engine_guarantee(rig.engine, "counted", &engine_refusal);
    const json_t *const list = json_object_get(promise, "not_protected");
    size_t i, found = 0;
    json_t *sentence;
    json_array_foreach(list, i, sentence)
    {
        found += strstr(json_string_value(sentence), "older copy") != NULL;
    }
    json_decref(promise);
    assert_int_equal(found, wanted);
}

TEST_WITH(an_older_copy_must_be_accepted, start, end)
{
    size_t length;
    put_old("clean");
    write_old_head(1, 47);
    unsigned char *const ahead = scratch_read(head, &length);
    assert_int_equal(engine_try_open(&rig, false), LOTOR_RELEASED);
    assert_non_null(strstr(rig.why.text, "lacks release 47"));
    assert_int_equal(engine_try_open(&rig, false), LOTOR_RELEASED);
    fine(engine_try_open(&rig, true));
    assert_fresh();
    count_rollbacks(1);
    /* With an older copy it is not known what was handed out since, so everything counts. */
    assert_true(place_is_database() ||
                engine_number(&rig, "counted", "decisions") > (double)count_of("counted"));
    answer_all();
    engine_stop(&rig);
    engine_open(&rig);
    count_rollbacks(1);
    engine_drop(&rig);
    /* as if the server had crashed before it wrote the head file */
    scratch_write(head, ahead, length);
    free(ahead);
    engine_open(&rig);
    count_rollbacks(1);
    end_rounds();
    assert_counted_once("counted", 7);
    check();
}

TEST_WITH(an_old_head_of_another_chain_is_refused, start, end)
{
    put_old("killed");
    write_old_head(1, 46);
    assert_int_equal(engine_try_open(&rig, false), LOTOR_RELEASED);
    write_old_head(1, 0);
    engine_open(&rig);
    assert_all_adopted();
    count_rollbacks(0);
}

/* Not in a database: other servers start there, too. */
TEST_IF(!place_is_database(), fewer_starts_are_an_older_copy, start, end)
{
    put_old("clean");
    write_old_head(5, 0);
    assert_int_equal(engine_try_open(&rig, false), LOTOR_RELEASED);
    fine(engine_try_open(&rig, true));
    assert_all_adopted();
    count_rollbacks(1);
    assert_true(engine_number(&rig, "counted", "decisions") > (double)count_of("counted"));
    lease_count = 0;
    fine(lotor_store_each_lease(rig.store, see_lease, NULL, &why));
    answer_all();
}

/* A head file may be some releases behind. */
TEST_WITH(an_old_head_may_be_behind, start, end)
{
    migrate("clean");
    char hash[100];
    fine(lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &rig.store));
    fine(lotor_store_get_meta(rig.store, "legacy_release:40", &why, hash, sizeof hash));
    lotor_store_close(rig.store);
    rig.store = NULL;
    lotor_legacy_head old = {.starts = 1, .releases = 40};
    assert_int_equal(
        sodium_hex2bin(old.hash, sizeof old.hash, hash, strlen(hash), NULL, NULL, NULL), 0);
    unlink(head);
    old_head_write(head, &old);
    engine_open(&rig);
    assert_fresh();
    count_rollbacks(0);
}
