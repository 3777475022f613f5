/* test_servers.c - engines on one database, step by step, with clocks that the test sets. Run by
 * tests/service/shared/postgres.sh with ... */
#include "support/test.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/engine/check.h"
#include "service/engine_rig.h"
#include "service/place.h"

static void start(engine_rig *rig)
{
    engine_start(rig);
    rig->is_on_files = true;
}

static void start_first(engine_rig *rig)
{
    place_clear();
    start(rig);
    engine_open(rig);
}

/* Another server with the first server's key. */
static void share_key(engine_rig *rig, engine_rig *first)
{
    char bytes[4096];
    rig->now = first->now;
    int from = open(scratch_path(&first->files, "x.key"), O_RDONLY);
    ssize_t length = read(from, bytes, sizeof bytes);
    int to = open(scratch_path(&rig->files, "x.key"), O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(length > 0 && write(to, bytes, (size_t)length) == length);
    close(from);
    close(to);
}

static void start_beside(engine_rig *rig, engine_rig *first)
{
    start(rig);
    share_key(rig, first);
    engine_open(rig);
}

/* --- several servers, step by step ------------------------------------------------------------ */

enum { STEP_MS = 25, STEPS_MOST = 200 };

typedef struct cluster {
    engine_rig *servers[3];
    size_t count;
} cluster;

static void step_all(const cluster *all, uint64_t milliseconds)
{
    for (size_t i = 0; i < all->count; i++) {
        engine_wait(all->servers[i], milliseconds);
    }
}

/* Ranks on one server. The decision may have to come from another server, so all of them make
 * steps. */
static lotor_code rank_in(const cluster *all, size_t which, const char *name, const char *user,
                          const char *context, lotor_ranking *ranking)
{
    engine_job job;
    json_t *numbers = context ? engine_json(context) : NULL;
    *ranking =
        (lotor_ranking){.user = user, .user_length = user ? strlen(user) : 0, .context = numbers};
    engine_queue_ranking(all->servers[which], name, ranking, &job);
    for (int i = 0; i < STEPS_MOST && !job.is_done; i++) {
        step_all(all, STEP_MS);
    }
    assert_true(job.is_done);
    json_decref(numbers);
    engine_refusal = job.job.refusal;
    return engine_refusal.code;
}

static lotor_code rank_with(const cluster *all, size_t which, const char *user, const char *context,
                            lotor_ranking *ranking)
{
    return rank_in(all, which, "one", user, context, ranking);
}

static void must_rank(const cluster *all, size_t which, lotor_ranking *ranking)
{
    if (rank_with(all, which, NULL, NULL, ranking) != LOTOR_CODE_NONE) {
        fail_msg("rank on server %zu: %s", which + 1, engine_refusal.message.text);
    }
}

static void note_done(lotor_job *job)
{
    *(bool *)job->owner = true;
}

/* The public numbers, as GET shows them. */
static double number_on(engine_rig *rig, const char *path)
{
    bool is_done = false;
    lotor_job job = {.done = note_done, .owner = &is_done};
    rig->now += 200;
    if (lotor_engine_look(rig->engine, "one", &job) == LOTOR_PENDING) {
        engine_step(rig);
        assert_true(is_done);
    }
    return engine_number(rig, "one", path);
}

/* Makes steps until no round is open. */
static void settle(const cluster *all)
{
    for (int i = 0; i < 20 && number_on(all->servers[0], "pending") > 0; i++) {
        step_all(all, 1000);
    }
    assert_true(number_on(all->servers[0], "pending") == 0);
}

static void run_sql(const char *sql)
{
    PGconn *connection = PQconnectdb(getenv("LOTOR_TEST_POSTGRES"));
    PGresult *result = PQexec(connection, sql);
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        fail_msg("%s", PQerrorMessage(connection));
    }
    PQclear(result);
    PQfinish(connection);
}

#define TABLES(each)                                                                               \
    each(meta) each(campaigns) each(campaign_keys) each(leases) each(states) each(blocks)          \
        each(log) each(releases) each(users) each(audit)
#define KEEP(name)    "CREATE TABLE kept_" #name " AS TABLE lotor_" #name "; "
#define RESTORE(name) "INSERT INTO lotor_" #name " TABLE kept_" #name "; "
#define DROP(name)    "DROP TABLE kept_" #name "; "
#define CLEAR                                                                                      \
    "TRUNCATE lotor_meta, lotor_campaigns, lotor_campaign_keys, lotor_leases, lotor_states, "      \
    "lotor_blocks, lotor_log, lotor_releases, lotor_users, lotor_audit; "

/* Checks the store, with the key of a server that was stopped. */
static void check_store(engine_rig *rig)
{
    lotor_store *store;
    lotor_server_key *server_key;
    lotor_engine_check_counts counts;
    assert_int_equal(
        lotor_server_key_open(scratch_path(&rig->files, "x.key"), false, &rig->why, &server_key),
        LOTOR_OK);
    assert_int_equal(
        lotor_store_open(getenv("LOTOR_TEST_POSTGRES"), LOTOR_STORE_READ, NULL, &rig->why, &store),
        LOTOR_OK);
    if (lotor_engine_check(store, server_key, NULL, &counts, &rig->why) != LOTOR_OK) {
        fail_msg("%s", rig->why.text);
    }
    lotor_store_close(store);
    lotor_server_key_free(server_key);
}

/* --- tests ------------------------------------------------------------------------------------ */

/* A decision that was not handed out is taken back when its block ends. It does not count as a
 * round without feedback. */
TEST(test_what_is_taken_back_late_is_no_round)
{
    engine_rig rig;
    lotor_ranking ranking = {0};
    start_first(&rig);
    engine_must_create(&rig, ONE_ARM);
    for (int i = 0; i < 3; i++) { /* the first are drawn singly, then a block ahead */
        engine_must_rank(&rig, "one", &ranking);
        engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    }
    engine_step(&rig);
    for (int i = 0; i < 4; i++) {
        engine_wait(&rig, 1000);
    }
    assert_true(engine_number(&rig, "one", "decisions") == 3);
    assert_true(engine_number(&rig, "one", "final") == 3);
    assert_true(engine_number(&rig, "one", "arms.0.shown") == 3);
    for (int i = 0; i < 3; i++) { /* and it continues */
        engine_must_rank(&rig, "one", &ranking);
    }
    assert_true(engine_number(&rig, "one", "decisions") == 6);
    engine_end(&rig);
}

/* A server that starts on an existing store knows how often each arm was shown. */
TEST(test_a_new_server_knows_what_was_shown)
{
    engine_rig one, two;
    lotor_ranking ranking = {0};
    start_first(&one);
    engine_must_create(&one, ONE_ARM);
    engine_must_rank(&one, "one", &ranking);
    for (int i = 0; i < 4; i++) {
        engine_wait(&one, 1000);
    }
    assert_true(engine_number(&one, "one", "arms.0.shown") == 1);
    start_beside(&two, &one);
    assert_true(number_on(&two, "decisions") == 1);
    assert_true(number_on(&two, "arms.0.shown") == 1);
    engine_end(&two);
    engine_end(&one);
}

/* A store that was moved into the database does not name its key. A start with another key is still
 * refused, and changes nothing for servers with the right key. */
TEST(test_a_wrong_key_does_not_stick)
{
    engine_rig old, wrong, right;
    lotor_store *file, *database;
    char *address = strdup(getenv("LOTOR_TEST_POSTGRES"));
    assert_non_null(address);
    place_clear();
    unsetenv("LOTOR_TEST_POSTGRES");
    start(&old);
    engine_open(&old);
    engine_must_create(&old, ONE_ARM);
    engine_stop(&old);
    assert_false(lotor_store_open(scratch_path(&old.files, "x.db"), LOTOR_STORE_SERVE, NULL,
                                  &old.why, &file));
    assert_false(lotor_store_open(address, LOTOR_STORE_SERVE, NULL, &old.why, &database));
    assert_false(lotor_store_copy(file, database, &old.why));
    lotor_store_close(database);
    lotor_store_close(file);
    setenv("LOTOR_TEST_POSTGRES", address, 1);
    free(address);
    start(&wrong);
    assert_true(engine_try_open(&wrong, false));
    assert_non_null(strstr(wrong.why.text, "key"));
    start_beside(&right, &old);
    assert_true(engine_try_open(&wrong, false)); /* and now the key's name is in the store */
    assert_non_null(strstr(wrong.why.text, "another key"));
    engine_end(&wrong);
    engine_end(&right);
    engine_end(&old);
}

/* A failover loses commits that a server knows about: a decision that was shown, and its feedback. The
 * server continues with what the database has, and does not know the lost decision any more. */
TEST(test_a_lost_tail)
{
    engine_rig one, two;
    lotor_ranking kept = {0}, lost = {0}, ranking = {0};
    start_first(&one);
    engine_must_create(&one, ONE_ARM);
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2};
    must_rank(&all, 0, &kept);
    run_sql(TABLES(KEEP));
    must_rank(&all, 0, &lost);
    engine_must_reward(&one, kept.event, "{'rewards': [1]}");
    engine_must_reward(&one, lost.event, "{'rewards': [1]}");
    run_sql(CLEAR TABLES(RESTORE)
                TABLES(DROP) "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                             "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'");
    for (int i = 0; i < 8; i++) {
        step_all(&all, 300);
    }
    for (size_t i = 0; i < 6; i++) {
        must_rank(&all, i % 2, &ranking);
        assert_string_not_equal(ranking.event, lost.event);
        const lotor_code code = engine_reward(all.servers[i % 2], lost.event, "{'rewards': [1]}");
        assert_true(code == LOTOR_CODE_NO_SUCH_EVENT ||
                    (code == LOTOR_CODE_NONE && engine_late == 1));
    }
    settle(&all);
    engine_stop(&one);
    engine_stop(&two);
    check_store(&one);
    engine_end(&two);
    engine_end(&one);
}

static void put_back_older(void)
{
    run_sql(CLEAR TABLES(RESTORE)
                TABLES(DROP) "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                             "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'");
}

static void go_on(const cluster *all)
{
    for (int i = 0; i < 8; i++) {
        step_all(all, 300);
    }
}

/* With early_release the owner reads the log before it commits anything about it. */
TEST(test_a_lost_tail_with_early_release)
{
    engine_rig one, two;
    lotor_ranking first = {0}, ranking = {0};
    start_first(&one);
    engine_must_create(
        &one, "{'name': 'one', 'algorithm': 'batch-klucb', 'arms': ['a'], 'max_arms': 1, " LOUD
              ", 'wait_seconds': 60, 'early_release': true}");
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2};
    for (int i = 0; i < 6; i++) { /* the last decisions are in one block */
        must_rank(&all, 0, i < 4 ? &ranking : &first);
    }
    go_on(&all);
    run_sql(TABLES(KEEP));
    engine_must_reward(&one, first.event, "{'rewards': [1]}");
    step_all(&all, 100);
    put_back_older();
    for (int i = 0; i < 3; i++) {
        rank_with(&all, 0, NULL, NULL, &ranking);
    }
    go_on(&all);
    must_rank(&all, 0, &ranking);
    engine_drop(&one);
    run_sql("UPDATE lotor_servers SET until = 0");
    const cluster rest = {{&two}, 1};
    go_on(&rest);
    must_rank(&rest, 0, &ranking);
    engine_stop(&two);
    check_store(&two);
    engine_end(&two);
    engine_end(&one);
}

/* A campaign whose creation was lost is made again on another server, and gets the same id. */
TEST(test_a_lost_creation)
{
    engine_rig one, two;
    lotor_ranking ranking = {0};
    start_first(&one);
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2};
    run_sql(TABLES(KEEP));
    engine_must_create(&one, ONE_ARM);
    put_back_older();
    step_all(&all, 1100);
    go_on(&all);
    assert_int_equal(engine_rank(&one, "one", &ranking), LOTOR_CODE_NO_SUCH_CAMPAIGN);
    engine_must_create(&two, ONE_ARM);
    go_on(&all);
    for (size_t i = 0; i < 6; i++) {
        must_rank(&all, 1, &ranking);
        engine_must_reward(all.servers[i % 2], ranking.event, "{'rewards': [1]}");
        assert_int_equal(engine_late, 0);
    }
    const cluster owner_first = {{&two, &one}, 2};
    settle(&owner_first);
    assert_true(number_on(&two, "final") == 6);
    engine_stop(&one);
    engine_stop(&two);
    check_store(&one);
    engine_end(&two);
    engine_end(&one);
}

/* A front end knows blocks that a failover lost. Their numbers are drawn again, and feedback for
 * the new decisions is accepted. */
TEST(test_blocks_that_were_lost)
{
    engine_rig one, two;
    lotor_ranking lost[4] = {{0}}, ranking = {0};
    start_first(&one);
    engine_must_create(
        &one, "{'name': 'one', 'algorithm': 'batch-klucb', 'arms': ['a'], 'max_arms': 1, " LOUD
              ", 'wait_seconds': 60}");
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2};
    run_sql(TABLES(KEEP));
    for (int i = 0; i < 4; i++) {
        must_rank(&all, 0, &lost[i]);
        engine_must_reward(&two, lost[i].event, "{'rewards': [1]}");
    }
    put_back_older();
    go_on(&all);
    for (int i = 0; i < 6; i++) {
        must_rank(&all, 0, &ranking);
        engine_must_reward(&two, ranking.event, "{'rewards': [1]}");
        assert_int_equal(engine_late, 0);
    }
    for (int i = 0; i < 4; i++) {
        const lotor_code code = engine_reward(&two, lost[i].event, "{'rewards': [1]}");
        assert_true(code == LOTOR_CODE_NO_SUCH_EVENT ||
                    (code == LOTOR_CODE_NONE && engine_late == 1));
    }
    engine_stop(&one);
    engine_stop(&two);
    check_store(&one);
    engine_end(&two);
    engine_end(&one);
}

/* Every server says why a campaign can't be served. */
TEST(test_damage_is_told_by_all)
{
    engine_rig one, two;
    lotor_ranking ranking = {0};
    start_first(&one);
    engine_must_create(&one, ONE_ARM);
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2};
    must_rank(&all, 0, &ranking);
    engine_stop(&one);
    run_sql("UPDATE lotor_states SET state = '\\x00112233'");
    engine_open(&one);
    go_on(&all);
    for (size_t i = 0; i < 4; i++) {
        if (rank_with(&all, i % 2, NULL, NULL, &ranking) != LOTOR_CODE_BROKEN) {
            fail_msg("server %zu: %s", i % 2, engine_refusal.message.text);
        }
    }
    engine_end(&two);
    engine_end(&one);
}

/* A server that takes over a campaign does not wait for a reply of the previous owner. */
TEST(test_wants_end_with_a_takeover)
{
    engine_rig one, two;
    lotor_ranking ranking = {0}, rankings[3] = {{0}};
    engine_job jobs[3];
    start_first(&one);
    engine_must_create(&one, ONE_ARM);
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2}, rest = {{&two}, 1};
    must_rank(&all, 0, &ranking);
    step_all(&all, 500);
    for (int i = 0; i < 3; i++) { /* the owner makes no steps */
        engine_queue_ranking(&two, "one", &rankings[i], &jobs[i]);
    }
    engine_wait(&two, 10);
    run_sql("UPDATE lotor_servers SET until = 0 WHERE id = (SELECT owner FROM lotor_leases)");
    go_on(&rest);
    for (int i = 0; i < 3; i++) {
        assert_true(jobs[i].is_done);
        assert_int_equal(jobs[i].job.refusal.code, LOTOR_CODE_NONE);
    }
    run_sql(
        "DO $$ BEGIN IF EXISTS (SELECT 1 FROM lotor_wants) THEN RAISE EXCEPTION 'wants are left'; "
        "END IF; END $$");
    engine_end(&two);
    engine_end(&one);
}

/* The step in which a server gets a new name accepts feedback like any other step. */
TEST(test_a_new_name)
{
    engine_rig one;
    lotor_ranking ranking = {0};
    start_first(&one);
    engine_must_create(
        &one, "{'name': 'one', 'algorithm': 'batch-klucb', 'arms': ['a'], 'max_arms': 1, " LOUD
              ", 'wait_seconds': 60}");
    engine_must_rank(&one, "one", &ranking);
    run_sql("DELETE FROM lotor_servers");
    one.now += 1100;
    engine_must_reward(&one, ranking.event, "{'rewards': [1]}");
    assert_int_equal(engine_late, 0);
    engine_end(&one);
}

TEST(test_a_cap_holds_across_servers)
{
    engine_rig one, two;
    lotor_ranking ranking = {0};
    start_first(&one);
    engine_must_create(&one, ONE_ARM_WITH(", 'rounds_per_user': 2"));
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(rank_with(&all, i % 2, "u", NULL, &ranking), LOTOR_CODE_NONE);
        assert_true(ranking.takes_feedback); /* nobody learns whether the round will count */
        lotor_ranking_clear(&ranking);
    }
    for (int i = 0; i < 6; i++) {
        step_all(&all, 1000);
    }
    assert_true(engine_number(&one, "one", "final") == 2);
    assert_true(engine_number(&one, "one", "decisions") == 2);
    engine_end(&two);
    engine_end(&one);
}

/* A user gets the same decision and the same event from both servers, also after the owner has ended. */
TEST(test_a_decision_is_repeated_by_every_server)
{
    engine_rig one, two;
    lotor_ranking ranking = {0};
    char events[4][LOTOR_TOKEN_LENGTH + 1], arms[4][8];
    start_first(&one);
    engine_must_create(&one,
                       "{'name': 'one', 'arms': ['a', 'b', 'c', 'd', 'e', 'f'], 'epsilon': 1, "
                       "'wait_seconds': 60, 'sticky_seconds': 1000, 'rounds_per_user': 1}");
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2}, left = {{&two}, 1};
    for (size_t i = 0; i < 16; i++) {
        char user[8];
        const size_t who = i % 4;
        snprintf(user, sizeof user, "u%zu", who);
        assert_int_equal(rank_with(&all, (i / 4 + i) % 2, user, NULL, &ranking), LOTOR_CODE_NONE);
        assert_true(ranking.takes_feedback);
        if (i < 4) {
            snprintf(events[who], sizeof events[who], "%s", ranking.event);
            snprintf(arms[who], sizeof arms[who], "%s", ranking.arms[0]);
        }
        assert_string_equal(ranking.event, events[who]);
        assert_string_equal(ranking.arms[0], arms[who]);
        lotor_ranking_clear(&ranking);
    }
    engine_stop(&one);
    assert_int_equal(rank_with(&left, 0, "u2", NULL, &ranking), LOTOR_CODE_NONE);
    assert_string_equal(ranking.event, events[2]);
    lotor_ranking_clear(&ranking);
    engine_end(&two);
    engine_end(&one);
}

/* Two campaigns of one budget, with different owners. Both servers serve both. */
TEST(test_a_budget_holds_across_servers)
{
    engine_rig one, two;
    lotor_ranking ranking = {0};
    start_first(&one);
    engine_must_create_budget(&one, "{'name': 'people', 'epsilon': 3000000}");
    engine_must_create(&one, ONE_ARM_WITH(", 'budget': 'people'"));
    start_beside(&two, &one);
    engine_must_create(
        &two, "{'name': 'two', 'algorithm': 'batch-klucb', 'arms': ['a'], 'max_arms': 1, " LOUD
              ", 'wait_seconds': 1, 'budget': 'people'}");
    const cluster all = {{&one, &two}, 2};
    for (int i = 0; i < 6; i++) { /* until the first server has seen the new campaign */
        step_all(&all, 1000);
    }
    for (int user = 0; user < 4; user++) {
        char id[8];
        snprintf(id, sizeof id, "u%d", user);
        for (size_t i = 0; i < 8; i++) {
            assert_int_equal(rank_in(&all, (i / 2) % 2, i % 2 ? "one" : "two", id, NULL, &ranking),
                             LOTOR_CODE_NONE);
            assert_true(ranking.takes_feedback);
            lotor_ranking_clear(&ranking);
        }
    }
    for (int i = 0; i < 8; i++) {
        step_all(&all, 1000);
    }
    /* of each user, three rounds count in both campaigns together */
    assert_true(engine_number(&one, "one", "final") + engine_number(&one, "two", "final") == 12);
    engine_end(&two);
    engine_end(&one);
}

TEST(test_what_one_changes_the_other_keeps_to)
{
    engine_rig one, two;
    lotor_ranking ranking = {0};
    start_first(&one);
    engine_must_create(&one, "{'name': 'one', 'algorithm': 'batch-klucb', 'arms': ['a', 'b'], "
                             "'max_arms': 3, " LOUD ", 'wait_seconds': 1}");
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2};
    for (size_t i = 0; i < 16; i++) { /* a pool on both servers */
        must_rank(&all, i % 2, &ranking);
    }
    assert_int_equal(engine_arms(&one, "one", "{'pause': ['a']}"), 0);
    step_all(&all, 500);
    for (size_t i = 0; i < 40; i++) {
        must_rank(&all, i % 2, &ranking);
        assert_string_equal(ranking.arms[0], "b");
    }
    assert_int_equal(engine_arms(&two, "one", "{'add': ['c'], 'pause': ['b']}"), 0);
    step_all(&all, 500);
    for (size_t i = 0; i < 40; i++) {
        must_rank(&all, i % 2, &ranking);
        assert_string_equal(ranking.arms[0], "c");
    }
    assert_int_equal(engine_close_campaign(&two, "one"), 0);
    step_all(&all, 500);
    assert_int_equal(rank_with(&all, 0, NULL, NULL, &ranking), LOTOR_CODE_CLOSED);
    engine_end(&two);
    engine_end(&one);
}

/* One server raises max_arms and adds an arm. The other one shows it, though it has not read the change
 * yet: what the owner has drawn for it tells it that there is one. Nothing that was told is lost. */
TEST(test_one_raises_max_arms_and_the_other_shows_the_new_arms)
{
    engine_rig one, two;
    lotor_ranking ranking = {0};
    start_first(&one);
    engine_must_create(&one, "{'name': 'one', 'algorithm': 'batch-klucb', 'arms': ['a'], "
                             "'max_arms': 1, " LOUD ", 'wait_seconds': 1}");
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2};
    size_t told = 0;
    for (size_t turn = 0; turn < 6; turn++) {
        char body[64], name[2] = {(char)('b' + turn), '\0'};
        for (size_t i = 0; i < 12; i++) { /* both have decisions that were drawn ahead */
            must_rank(&all, i % 2, &ranking);
            engine_must_reward(i % 2 ? &two : &one, ranking.event, "{'rewards': [1]}");
            assert_int_equal(engine_late, 0);
            told++;
            lotor_ranking_clear(&ranking);
        }
        if (turn < 2) { /* both have read the store just now, and what they hold is too old */
            step_all(&all, 500);
        }
        engine_rig *const changes = turn % 2 ? &two : &one;
        snprintf(body, sizeof body, "{'max_arms': %zu}", turn < 3 ? turn + 2 : 40 * turn);
        assert_int_equal(engine_edit(changes, "one", body), LOTOR_CODE_NONE);
        if (turn == 4) {
            step_all(&all, 25);
        }
        snprintf(body, sizeof body, "{'add': ['%s'], 'pause': ['%c']}", name, (char)('a' + turn));
        assert_int_equal(engine_arms(changes, "one", body), LOTOR_CODE_NONE);
        bool was_shown[2] = {false, false};
        for (size_t i = 0; i < 240; i++) {
            const size_t which = (turn + i) % 2;
            if (i == 220) { /* until then, steps are made only when a pool is empty */
                step_all(&all, 500);
            }
            must_rank(&all, which, &ranking);
            assert_non_null(ranking.arms[0]);
            was_shown[which] = was_shown[which] || strcmp(ranking.arms[0], name) == 0;
            engine_must_reward(which ? &one : &two, ranking.event, "{'rewards': [1]}");
            assert_int_equal(engine_late, 0);
            told++;
            lotor_ranking_clear(&ranking);
        }
        assert_true(was_shown[0] && was_shown[1]);
    }
    step_all(&all, 3000);
    settle(&all);
    step_all(&all, 1000);
    assert_true(number_on(&one, "decisions") >= (double)told);
    assert_true(number_on(&one, "final") == number_on(&two, "final"));
    assert_true(number_on(&two, "max_arms") == 200);
    engine_stop(&one);
    engine_open(&one);
    for (size_t i = 0; i < 20; i++) {
        must_rank(&all, i % 2, &ranking);
        assert_string_equal(ranking.arms[0], "g");
        lotor_ranking_clear(&ranking);
    }
    engine_end(&two);
    engine_end(&one);
}

/* The same with a decision that is drawn for each request. */
TEST(test_one_raises_max_arms_and_the_other_asks_for_each_request)
{
    engine_rig one, two;
    lotor_ranking ranking = {0};
    start_first(&one);
    engine_must_create(&one, "{'name': 'one', 'algorithm': 'batch-klucb', 'arms': ['a'], "
                             "'max_arms': 1, " LOUD ", 'wait_seconds': 1, 'early_release': true}");
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2};
    for (size_t turn = 0; turn < 4; turn++) {
        char body[64], name[2] = {(char)('b' + turn), '\0'};
        assert_int_equal(rank_with(&all, 0, "u", NULL, &ranking), LOTOR_CODE_NONE);
        lotor_ranking_clear(&ranking);
        step_all(&all, 500);
        snprintf(body, sizeof body, "{'max_arms': %zu}", turn + 2);
        assert_int_equal(engine_edit(&one, "one", body), LOTOR_CODE_NONE);
        snprintf(body, sizeof body, "{'add': ['%s'], 'pause': ['%c']}", name, (char)('a' + turn));
        assert_int_equal(engine_arms(&one, "one", body), LOTOR_CODE_NONE);
        for (size_t i = 0; i < 6; i++) {
            const size_t which = (turn + i) % 2; /* the other one gets the feedback */
            assert_int_equal(rank_with(&all, which, "u", NULL, &ranking), LOTOR_CODE_NONE);
            assert_string_equal(ranking.arms[0], name);
            engine_must_reward(which ? &one : &two, ranking.event, "{'rewards': [1]}");
            assert_int_equal(engine_late, 0);
            lotor_ranking_clear(&ranking);
        }
    }
    step_all(&all, 3000);
    settle(&all);
    engine_end(&two);
    engine_end(&one);
}

/* The same with requests that name eligible arms, which are answered from blanks. */
TEST(test_one_raises_max_arms_and_the_other_has_blanks)
{
    engine_rig one, two;
    lotor_ranking ranking = {0};
    start_first(&one);
    engine_must_create(&one, "{'name': 'one', 'algorithm': 'lik-imed', 'arms': ['a', 'b'], "
                             "'max_arms': 2, " LOUD ", 'wait_seconds': 1}");
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2};
    for (size_t turn = 0; turn < 4; turn++) {
        char body[64], name[2] = {(char)('c' + turn), '\0'}, named[16];
        snprintf(named, sizeof named, "['%s']", turn > 0 ? (char[]){name[0] - 1, '\0'} : "b");
        for (size_t i = 0; i < 40; i++) {
            engine_job job;
            json_t *eligible = engine_json(named);
            ranking = (lotor_ranking){.eligible = eligible};
            engine_queue_ranking(all.servers[i % 2], "one", &ranking, &job);
            for (int step = 0; step < STEPS_MOST && !job.is_done; step++) {
                step_all(&all, STEP_MS);
            }
            assert_true(job.is_done);
            assert_int_equal(job.job.refusal.code, LOTOR_CODE_NONE);
            assert_memory_equal(ranking.arms[0], named + 2, 1);
            engine_must_reward(all.servers[i % 2], ranking.event, "{'rewards': [1]}");
            lotor_ranking_clear(&ranking);
            json_decref(eligible);
        }
        engine_rig *const changes = turn % 2 ? &one : &two;
        snprintf(body, sizeof body, "{'max_arms': %zu}", 3 + 9 * turn);
        assert_int_equal(engine_edit(changes, "one", body), LOTOR_CODE_NONE);
        snprintf(body, sizeof body, "{'add': ['%s']}", name);
        assert_int_equal(engine_arms(changes, "one", body), LOTOR_CODE_NONE);
        step_all(&all, turn == 2 ? 500 : 25);
        if (turn != 2) {
            step_all(&all, 500); /* an arm can be named when the server knows it */
        }
    }
    step_all(&all, 3000);
    settle(&all);
    engine_end(&two);
    engine_end(&one);
}

/* A failover loses that max_arms was raised, and all that came after it. The servers have room for more
 * arms than the campaign, so they forget it and read it again. Then it can be raised again. */
TEST(test_a_lost_raise_of_max_arms)
{
    engine_rig one, two;
    lotor_ranking ranking = {0};
    start_first(&one);
    engine_must_create(&one, ONE_ARM);
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2};
    for (size_t i = 0; i < 8; i++) {
        must_rank(&all, i % 2, &ranking);
        engine_must_reward(all.servers[i % 2], ranking.event, "{'rewards': [1]}");
    }
    run_sql(TABLES(KEEP));
    assert_int_equal(engine_edit(&one, "one", "{'max_arms': 3}"), LOTOR_CODE_NONE);
    assert_int_equal(engine_arms(&one, "one", "{'add': ['b'], 'pause': ['a']}"), LOTOR_CODE_NONE);
    step_all(&all, 500);
    for (size_t i = 0; i < 8; i++) {
        must_rank(&all, i % 2, &ranking);
        assert_string_equal(ranking.arms[0], "b");
        engine_must_reward(all.servers[i % 2], ranking.event, "{'rewards': [1]}");
    }
    put_back_older();
    go_on(&all);
    for (size_t i = 0; i < 8; i++) {
        must_rank(&all, i % 2, &ranking);
        assert_string_equal(ranking.arms[0], "a");
        engine_must_reward(all.servers[i % 2], ranking.event, "{'rewards': [1]}");
    }
    assert_true(number_on(&one, "max_arms") == 1 && number_on(&two, "max_arms") == 1);
    assert_int_equal(engine_edit(&two, "one", "{'max_arms': 2}"), LOTOR_CODE_NONE);
    assert_int_equal(engine_arms(&two, "one", "{'add': ['c'], 'pause': ['a']}"), LOTOR_CODE_NONE);
    step_all(&all, 500);
    for (size_t i = 0; i < 8; i++) {
        must_rank(&all, i % 2, &ranking);
        assert_string_equal(ranking.arms[0], "c");
    }
    settle(&all);
    engine_stop(&one);
    engine_stop(&two);
    check_store(&one);
    engine_end(&two);
    engine_end(&one);
}

static int64_t rows_of(const char *table)
{
    char sql[100];
    PGconn *connection = PQconnectdb(getenv("LOTOR_TEST_POSTGRES"));
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE campaign = 1", table);
    PGresult *result = PQexec(connection, sql);
    assert_int_equal(PQresultStatus(result), PGRES_TUPLES_OK);
    const int64_t rows = atoll(PQgetvalue(result, 0, 0));
    PQclear(result);
    PQfinish(connection);
    return rows;
}

/* The second server deletes a campaign that the first one owns. The first one does not know it yet,
 * and appends feedback. When it knows, it forgets the campaign, and deletes what it has appended. */
TEST(test_another_server_deletes_a_campaign)
{
    static const char *const private[] = {"lotor_campaign_keys", "lotor_states", "lotor_blocks",
                                          "lotor_log",           "lotor_wants",  "lotor_users",
                                          "lotor_stickies"};
    engine_rig one, two;
    lotor_ranking ranking = {0}, other = {0};
    start_first(&one);
    engine_must_create(&one, ONE_ARM);
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2};
    for (size_t i = 0; i < 16; i++) {
        must_rank(&all, 0, &ranking);
        engine_must_reward(&one, ranking.event, "{'rewards': [1]}");
    }
    step_all(&all, 3000);
    settle(&all);
    const double releases = number_on(&one, "releases");
    assert_true(releases > 0);
    must_rank(&all, 0, &ranking);
    must_rank(&all, 1, &other);
    engine_must_reward(&one, ranking.event, "{'rewards': [1]}");
    assert_true(rows_of("lotor_log") > 0);
    assert_int_equal(engine_act(&two, "one", LOTOR_ACT_DELETE), LOTOR_CODE_NONE);
    assert_int_equal(rows_of("lotor_log"), 0);
    /* A late row, as of a server that does not know. It is never acknowledged. */
    engine_job job;
    engine_queue_reward(&one, other.event, "{'rewards': [1]}", &job);
    engine_step(&one);
    assert_true(job.is_done);
    assert_true(job.job.refusal.code == LOTOR_CODE_DELETED || job.job.late == 1);
    for (int i = 0; i < 4; i++) {
        step_all(&all, 500);
    }
    assert_int_equal(rank_with(&all, 0, NULL, NULL, &ranking), LOTOR_CODE_DELETED);
    assert_int_equal(rank_with(&all, 1, NULL, NULL, &ranking), LOTOR_CODE_DELETED);
    assert_int_equal(engine_reward(&one, other.event, "{'rewards': [1]}"), LOTOR_CODE_DELETED);
    for (size_t i = 0; i < sizeof private / sizeof *private; i++) {
        assert_int_equal(rows_of(private[i]), 0);
    }
    assert_true(rows_of("lotor_releases") == (int64_t)releases);
    assert_true(number_on(&one, "releases") == releases && number_on(&two, "releases") == releases);
    assert_int_equal(engine_create(&one, ONE_ARM), LOTOR_CODE_EXISTS);
    engine_end(&two);
    assert_int_equal(engine_end_soundly(&one), 0);
}

/* A server that is not the owner gets blanks, and answers requests with eligible arms at once. Its
 * displays are counted, and feedback for them can come to any server. */
TEST(test_blanks_on_another_server)
{
    engine_rig one, two;
    lotor_ranking ranking = {0};
    int at_once = 0, sent = 0;
    start_first(&one);
    engine_must_create(&one, ONE_ARM);
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2};
    must_rank(&all, 0, &ranking); /* the first server is the owner */
    json_t *eligible = engine_json("['a']");
    for (int i = 0; i < 60; i++) {
        engine_job job;
        ranking = (lotor_ranking){.eligible = eligible};
        engine_queue_ranking(&two, "one", &ranking, &job);
        at_once += job.is_done;
        for (int j = 0; j < STEPS_MOST && !job.is_done; j++) {
            step_all(&all, STEP_MS);
        }
        assert_true(job.is_done);
        assert_int_equal(job.job.refusal.code, LOTOR_CODE_NONE);
        step_all(&all, 5); /* what was shown is recorded */
        engine_must_reward(i % 2 ? &one : &two, ranking.event, "{'rewards': [1]}");
        sent++;
    }
    assert_true(at_once > 20);
    step_all(&all, 3000);
    settle(&all);
    assert_true(number_on(&one, "decisions") >= sent);
    assert_true(number_on(&one, "arms.0.mean") > 0.9);
    json_decref(eligible);
    engine_end(&two);
    assert_int_equal(engine_end_soundly(&one), 0);
}

static void queue_rewards(engine_rig *rig, const lotor_event_feedback *rewards, size_t count,
                          lotor_refusal *refusals, engine_job *job)
{
    *job = (engine_job){.job = {.done = note_done, .owner = &job->is_done}};
    assert_int_equal(lotor_engine_reward(rig->engine, rewards, count, refusals, &job->job),
                     LOTOR_PENDING);
}

/* Ranks with eligible arms on a server until it replies from memory: the decision is not recorded. */
static void rank_from_memory(const cluster *all, engine_rig *rig, lotor_ranking *ranking)
{
    json_t *eligible = engine_json("['a']");
    engine_job job = {0};
    for (int i = 0; i < STEPS_MOST && !job.is_done; i++) {
        step_all(all, STEP_MS);
        *ranking = (lotor_ranking){.eligible = eligible};
        engine_queue_ranking(rig, "one", ranking, &job);
        const bool is_at_once = job.is_done;
        for (int j = 0; j < STEPS_MOST && !job.is_done; j++) {
            step_all(all, STEP_MS);
        }
        job.is_done = is_at_once;
    }
    assert_true(job.is_done);
    json_decref(eligible);
}

/* A client may send feedback to another server before the holder of the blank has recorded it. The
 * other server waits for the record, and refuses only if there is none after half a second. */
TEST(test_feedback_waits_for_the_record)
{
    engine_rig one, two;
    lotor_ranking ranking = {0}, drawn = {0};
    lotor_refusal refusals[2] = {{0}};
    engine_job job;
    start_first(&one);
    engine_must_create(&one, ONE_ARM);
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2};
    must_rank(&all, 0, &drawn); /* the first server is the owner */
    rank_from_memory(&all, &two, &ranking);
    json_t *const reward = engine_json("{'rewards': [1]}");
    const lotor_event_feedback both[] = {{drawn.event, reward}, {ranking.event, reward}};
    engine_queue_reward(&one, ranking.event, "{'rewards': [1]}", &job);
    for (int i = 0; i < 10; i++) { /* the holder makes no step */
        engine_wait(&one, 40);
        assert_false(job.is_done);
        assert_true(lotor_engine_next(one.engine) <= one.now + 500);
    }
    two.now = one.now;
    engine_step(&two); /* the record */
    for (int i = 0; i < 10 && !job.is_done; i++) {
        engine_wait(&one, 50);
    }
    assert_true(job.is_done);
    assert_int_equal(job.job.refusal.code, LOTOR_CODE_NONE);
    assert_int_equal(job.job.late, 0);
    /* a list waits as a whole, and then its other items are accepted */
    must_rank(&all, 0, &drawn);
    rank_from_memory(&all, &two, &ranking);
    queue_rewards(&one, both, 2, refusals, &job);
    engine_step(&one);
    assert_false(job.is_done);
    engine_wait(&one, 499);
    assert_false(job.is_done);
    engine_wait(&one, 1);
    assert_true(job.is_done);
    assert_int_equal(job.job.refusal.code, LOTOR_CODE_NONE);
    assert_int_equal(job.job.refused, 1);
    assert_int_equal(job.job.late, 0);
    assert_int_equal(refusals[0].code, LOTOR_CODE_NONE);
    assert_int_equal(refusals[1].code, LOTOR_CODE_NOT_RECORDED_YET);
    /* a server that stops refuses what it holds */
    engine_queue_reward(&one, ranking.event, "{'rewards': [1]}", &job);
    engine_step(&one);
    assert_false(job.is_done);
    engine_stop(&one);
    assert_true(job.is_done);
    assert_int_equal(job.job.refusal.code, LOTOR_CODE_STOPPING);
    json_decref(reward);
    engine_end(&two);
    engine_end(&one);
}

/* The owner is paused until its blocks' deadlines are over, and another server ends its rounds.
 * Feedback that either server acknowledged counts. Feedback that comes later is late on both. */
TEST(test_an_owner_that_was_paused)
{
    engine_rig one, two;
    lotor_ranking rankings[6] = {{0}}, ranking = {0};
    start_first(&one);
    engine_must_create(&one, ONE_ARM);
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2};
    for (int i = 0; i < 6; i++) {
        must_rank(&all, 0, &rankings[i]);
    }
    engine_must_reward(&two, rankings[0].event, "{'rewards': [1]}");
    engine_must_reward(&one, rankings[1].event, "{'rewards': [1]}");
    /* By the database's clock, the first server is not live any more. */
    run_sql("UPDATE lotor_servers SET until = 0 WHERE id = (SELECT owner FROM lotor_leases)");
    for (int i = 0; i < 8; i++) {
        engine_wait(&two, 1000);
    }
    assert_true(number_on(&two, "pending") == 0);
    assert_int_equal(engine_reward(&one, rankings[2].event, "{'rewards': [1]}"), LOTOR_CODE_NONE);
    assert_int_equal(engine_late, 1); /* by its own clock it is in time */
    assert_int_equal(engine_reward(&two, rankings[2].event, "{'rewards': [1]}"), LOTOR_CODE_NONE);
    assert_int_equal(engine_late, 1);
    one.now = two.now;
    for (int i = 0; i < 12; i++) {
        must_rank(&all, (size_t)i % 2, &ranking);
        for (int j = 0; j < 6; j++) {
            assert_string_not_equal(ranking.event, rankings[j].event);
        }
    }
    settle(&all);
    /* There is no handout of the first server's last block, so the whole block counts as shown. */
    assert_true(number_on(&one, "decisions") >= 18);
    assert_true(number_on(&two, "decisions") == number_on(&one, "decisions"));
    assert_true(number_on(&two, "arms.0.shown") == number_on(&one, "arms.0.shown"));
    engine_stop(&one);
    engine_stop(&two);
    check_store(&one);
    engine_end(&two);
    engine_end(&one);
}

/* Another server has taken the campaign and draws, and the first server does not know it yet. A reward
 * for one of the new decisions reaches the first server, which finds the block in the store. It must
 * not draw on: it is not the owner any more. */
TEST(test_an_owner_that_learns_of_its_end_by_a_reward)
{
    enum { MOST = 2000 };
    engine_rig one, two;
    lotor_ranking ranking = {0};
    static lotor_ranking rankings[MOST];
    static engine_job jobs[MOST];
    start_first(&one);
    engine_must_create(&one, ONE_ARM);
    start_beside(&two, &one);
    const cluster all = {{&one, &two}, 2}, second = {{&two}, 1};
    must_rank(&all, 0, &ranking);
    run_sql("UPDATE lotor_servers SET until = 0 WHERE id = (SELECT owner FROM lotor_leases)");
    for (int i = 0; i < 8; i++) {
        engine_wait(&two, 1000);
    }
    must_rank(&second, 0, &ranking); /* the second server is the owner now */
    size_t count = 0;
    do { /* until the first server has no decision left, and has to draw */
        assert_true(count < MOST);
        rankings[count] = (lotor_ranking){0};
        engine_queue_ranking(&one, "one", &rankings[count], &jobs[count]);
    } while (jobs[count++].is_done);
    assert_int_equal(engine_reward(&one, ranking.event, "{'rewards': [1]}"), LOTOR_CODE_NONE);
    one.now = two.now;
    for (int i = 0; i < STEPS_MOST && !jobs[count - 1].is_done; i++) {
        step_all(&all, STEP_MS);
    }
    assert_true(jobs[count - 1].is_done);
    must_rank(&all, 0, &ranking);
    must_rank(&all, 1, &ranking);
    settle(&all);
    engine_stop(&one);
    engine_stop(&two);
    check_store(&one);
    engine_end(&two);
    engine_end(&one);
}

/* An older copy of the whole database. A running server stops serving the campaign. A server that
 * starts is refused. A server that is told to accept the copy continues, and says so in the
 * guarantee. */
TEST(test_an_older_copy)
{
    engine_rig one, two;
    lotor_ranking ranking = {0};
    start_first(&one);
    engine_must_create(&one, ONE_ARM);
    const cluster alone = {{&one}, 1};
    for (int i = 0; i < 40; i++) {
        must_rank(&alone, 0, &ranking);
    }
    settle(&alone);
    run_sql(TABLES(KEEP));
    const double before = engine_number(&one, "one", "releases");
    for (int i = 0; i < 400; i++) {
        must_rank(&alone, 0, &ranking);
    }
    settle(&alone);
    assert_true(engine_number(&one, "one", "releases") > before);
    run_sql(CLEAR TABLES(RESTORE) TABLES(DROP));
    for (int i = 0; i < 10; i++) {
        rank_with(&alone, 0, NULL, NULL, &ranking);
        engine_wait(&one, 1000);
    }
    assert_int_equal(rank_with(&alone, 0, NULL, NULL, &ranking), LOTOR_CODE_BROKEN);
    engine_drop(&one);
    one.is_patient = true;
    const lotor_status status = engine_try_open(&one, false);
    assert_true(status == LOTOR_OK || status == LOTOR_RELEASED);
    if (status == LOTOR_OK) {
        assert_int_equal(engine_rank(&one, "one", &ranking), LOTOR_CODE_BROKEN);
        engine_drop(&one);
    }
    run_sql("UPDATE lotor_servers SET until = 0");
    assert_int_equal(engine_try_open(&one, true), LOTOR_OK);
    engine_must_rank(&one, "one", &ranking);
    start_beside(&two, &one);
    engine_rig *const both[] = {&one, &two};
    for (int i = 0; i < 2; i++) {
        lotor_refusal refusal;
        json_t *said = lotor_engine_guarantee(both[i]->engine, "one", &refusal);
        char *text = json_dumps(said, 0);
        assert_non_null(text);
        assert_non_null(strstr(text, "older copy"));
        free(text);
        json_decref(said);
    }
    engine_end(&two);
    engine_end(&one);
}

TEST(test_a_database_in_use_is_not_moved)
{
    engine_rig one;
    lotor_store *from, *to;
    start_first(&one);
    engine_must_create(&one, ONE_ARM);
    assert_false(
        lotor_store_open(getenv("LOTOR_TEST_POSTGRES"), LOTOR_STORE_READ, NULL, &one.why, &from));
    assert_false(
        lotor_store_open(scratch_path(&one.files, "y.db"), LOTOR_STORE_SERVE, NULL, &one.why, &to));
    assert_true(lotor_store_copy(from, to, &one.why));
    assert_non_null(strstr(one.why.text, "stop them"));
    engine_stop(&one);
    assert_false(lotor_store_copy(from, to, &one.why));
    assert_false(lotor_store_check(to, &one.why));
    lotor_store_close(to);
    lotor_store_close(from);
    engine_end(&one);
}

TEST_GROUP(place_needs_database, NULL);
