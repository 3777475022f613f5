/* test_servers.c - engines on one database, step by step, with clocks that the test moves. Run by
 * tests/service/shared/postgres.sh with ... */
#include "support/cmocka_all.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/engine_scene.h"
#include "service/place.h"

static void start(engine_scene *scene)
{
    scene_start(scene);
    scene->is_on_files = true;
}

static void start_first(engine_scene *scene)
{
    place_clear();
    start(scene);
    scene_open(scene);
}

/* Another server with the first one's key. */
static void share_key(engine_scene *scene, engine_scene *first)
{
    char bytes[4096];
    scene->now = first->now;
    int from = open(scratch_path(&first->files, "x.key"), O_RDONLY);
    ssize_t length = read(from, bytes, sizeof bytes);
    int to = open(scratch_path(&scene->files, "x.key"), O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(length > 0 && write(to, bytes, (size_t)length) == length);
    close(from);
    close(to);
}

static void start_beside(engine_scene *scene, engine_scene *first)
{
    start(scene);
    share_key(scene, first);
    scene_open(scene);
}

/* The database was away until after the deadline: what was not handed out is taken back, and is then no
 * round that ends without an answer. */
static void test_what_is_taken_back_late_is_no_round(void **state)
{
    (void)state;
    engine_scene scene;
    lotor_ranking ranking = {0};
    start_first(&scene);
    scene_must_create(&scene, ONE_ARM);
    for (int i = 0; i < 3; i++) { /* the first are drawn one by one, then a block ahead */
        scene_must_rank(&scene, "one", &ranking);
        scene_must_reward(&scene, ranking.event, "{'rewards': [1]}");
    }
    scene_step(&scene);
    const double shown = scene_number(&scene, "one", "decisions");
    for (int i = 0; i < 4; i++) {
        scene_wait(&scene, 60000);
    }
    assert_true(scene_number(&scene, "one", "decisions") == shown);
    assert_true(scene_number(&scene, "one", "arms.0.shown") == shown);
    for (int i = 0; i < 3; i++) { /* and it goes on */
        scene_must_rank(&scene, "one", &ranking);
    }
    assert_true(scene_number(&scene, "one", "decisions") == shown + 3);
    scene_end(&scene);
}

/* A server that starts on what is there says how often each arm was shown. */
static void test_a_new_server_knows_what_was_shown(void **state)
{
    (void)state;
    engine_scene one, two;
    lotor_ranking ranking = {0};
    start_first(&one);
    scene_must_create(&one, ONE_ARM);
    scene_must_rank(&one, "one", &ranking);
    scene_wait(&one, 60000);
    assert_true(scene_number(&one, "one", "arms.0.shown") == 1);
    start_beside(&two, &one);
    assert_true(scene_number(&two, "one", "decisions") == 1);
    assert_true(scene_number(&two, "one", "arms.0.shown") == 1);
    scene_end(&two);
    scene_end(&one);
}

/* A store that was moved into the database does not say which key it has: a start with another one is
 * refused, and changes nothing for those with the right one. */
static void test_a_wrong_key_does_not_stick(void **state)
{
    (void)state;
    engine_scene old, wrong, right;
    lotor_store *file, *database;
    char *address = strdup(getenv("LOTOR_TEST_POSTGRES"));
    assert_non_null(address);
    place_clear();
    unsetenv("LOTOR_TEST_POSTGRES");
    start(&old);
    scene_open(&old);
    scene_must_create(&old, ONE_ARM);
    scene_stop(&old);
    assert_false(lotor_store_open(scratch_path(&old.files, "x.db"), LOTOR_STORE_SERVE, NULL,
                                  &old.why, &file));
    assert_false(lotor_store_open(address, LOTOR_STORE_SERVE, NULL, &old.why, &database));
    assert_false(lotor_store_copy(file, database, &old.why));
    lotor_store_close(database);
    lotor_store_close(file);
    setenv("LOTOR_TEST_POSTGRES", address, 1);
    free(address);
    start(&wrong);
    assert_true(scene_try_open(&wrong, false));
    assert_non_null(strstr(wrong.why.text, "key"));
    start_beside(&right, &old);
    assert_true(scene_try_open(&wrong, false)); /* and now it is known by name */
    assert_non_null(strstr(wrong.why.text, "another key"));
    scene_end(&wrong);
    scene_end(&right);
    scene_end(&old);
}

static void run_sql(const char *sql)
{
    PGconn *connection = PQconnectdb(getenv("LOTOR_TEST_POSTGRES"));
    PGresult *result = PQexec(connection, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) {
        fail_msg("%s", PQerrorMessage(connection));
    }
    PQclear(result);
    PQfinish(connection);
}

/* A failover loses a commit that one server knows of, and another, which does not, goes on from before:
 * the first one's blocks and policy are of a past that never was. */
static void test_a_server_with_a_lost_past_is_refused(void **state)
{
    (void)state;
    engine_scene one, two;
    lotor_ranking ranking = {0};
    start_first(&one);
    scene_must_create(&one, ONE_ARM);
    start_beside(&two, &one);
    run_sql("CREATE TABLE kept_states AS TABLE lotor_states; "
            "CREATE TABLE kept_marks AS TABLE lotor_marks");
    scene_must_rank(&one, "one", &ranking);
    run_sql("DELETE FROM lotor_blocks; DELETE FROM lotor_states; DELETE FROM lotor_marks; "
            "INSERT INTO lotor_states TABLE kept_states; INSERT INTO lotor_marks TABLE kept_marks; "
            "DROP TABLE kept_states, kept_marks");
    scene_must_rank(&two, "one", &ranking);
    assert_int_equal(scene_rank(&one, "one", &ranking), LOTOR_CODE_STORE);
    assert_int_equal(scene_rank(&one, "one", &ranking), LOTOR_CODE_STORE); /* and stays so */
    scene_must_rank(&two, "one", &ranking);
    scene_end(&two);
    scene_end(&one);
}

static void wait_both(engine_scene *one, engine_scene *two, uint64_t milliseconds)
{
    scene_wait(one, milliseconds);
    scene_wait(two, milliseconds);
}

static void test_a_cap_holds_across_servers(void **state)
{
    (void)state;
    engine_scene one, two;
    lotor_ranking ranking = {0};
    start_first(&one);
    scene_must_create(&one, ONE_ARM_WITH(", 'rounds_per_user': 2"));
    start_beside(&two, &one);
    engine_scene *const turns[] = {&one, &two, &one, &two};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(scene_rank_with(turns[i], "one", "u", NULL, NULL, &ranking), 0);
        assert_int_equal(ranking.takes_feedback, i < 2);
    }
    scene_end(&two);
    scene_end(&one);
}

static void test_what_one_changes_the_other_keeps_to(void **state)
{
    (void)state;
    engine_scene one, two;
    lotor_ranking ranking = {0};
    start_first(&one);
    scene_must_create(&one, "{'name': 'two', 'algorithm': 'batch-klucb', 'arms': ['a', 'b'], "
                            "'max_arms': 3, " LOUD ", 'wait_seconds': 1}");
    start_beside(&two, &one);
    for (int i = 0; i < 8; i++) { /* a pool on both */
        scene_must_rank(&one, "two", &ranking);
        scene_must_rank(&two, "two", &ranking);
    }
    assert_int_equal(scene_arms(&one, "two", "{'pause': ['a']}"), 0);
    wait_both(&one, &two, 500);
    for (int i = 0; i < 20; i++) {
        scene_must_rank(&two, "two", &ranking);
        assert_string_equal(ranking.arms[0], "b");
    }
    assert_int_equal(scene_arms(&two, "two", "{'add': ['c'], 'pause': ['b']}"), 0);
    wait_both(&one, &two, 500);
    for (int i = 0; i < 20; i++) {
        scene_must_rank(&one, "two", &ranking);
        assert_string_equal(ranking.arms[0], "c");
    }
    assert_int_equal(scene_close_campaign(&two, "two"), 0);
    wait_both(&one, &two, 500);
    assert_int_equal(scene_rank(&one, "two", &ranking), LOTOR_CODE_CLOSED);
    scene_end(&two);
    scene_end(&one);
}

/* One stands still past its blocks' deadlines, and the other ends its rounds: its answers before that count
 * wherever they came, and what comes after is acknowledged and dropped. */
static void test_a_server_that_stood_still(void **state)
{
    (void)state;
    engine_scene one, two;
    lotor_ranking rankings[6] = {{0}};
    start_first(&one);
    scene_must_create(&one, ONE_ARM);
    start_beside(&two, &one);
    for (int i = 0; i < 6; i++) {
        scene_must_rank(&one, "one", &rankings[i]);
    }
    scene_must_reward(&two, rankings[0].event, "{'rewards': [1]}");
    scene_must_reward(&one, rankings[0].event, "{'rewards': [0]}"); /* the first counts */
    scene_must_reward(&one, rankings[1].event, "{'rewards': [1]}");
    for (int i = 0; i < 6; i++) {
        scene_wait(&two, 10000);
    }
    scene_must_reward(&one, rankings[2].event, "{'rewards': [1]}"); /* by its clock in time */
    for (int i = 0; i < 6; i++) {
        scene_wait(&one, 10000);
    }
    scene_step(&two);
    assert_true(scene_number(&one, "one", "decisions") == scene_number(&two, "one", "decisions"));
    assert_true(scene_number(&one, "one", "arms.0.shown") ==
                scene_number(&two, "one", "arms.0.shown"));
    for (int i = 0; i < 6; i++) {
        lotor_ranking again = {0};
        scene_must_rank(&one, "one", &again);
        assert_string_not_equal(again.event, rankings[i].event);
    }
    scene_end(&two);
    scene_end(&one);
}

#define TABLES(each)                                                                               \
    each(meta) each(campaigns) each(states) each(marks) each(blocks) each(answers) each(releases)  \
        each(users)
#define KEEP(name)    "CREATE TABLE kept_" #name " AS TABLE lotor_" #name "; "
#define RESTORE(name) "INSERT INTO lotor_" #name " TABLE kept_" #name "; "
#define DROP(name)    "DROP TABLE kept_" #name "; "

/* An older copy of the whole database: a server that runs is refused, one that starts too, and one that is
 * told to accept it goes on and says so in the guarantee. */
static void test_an_older_copy(void **state)
{
    (void)state;
    engine_scene one, two;
    lotor_ranking ranking = {0};
    start_first(&one);
    scene_must_create(&one, ONE_ARM);
    for (int i = 0; i < 40; i++) {
        scene_must_rank(&one, "one", &ranking);
    }
    scene_wait(&one, 20000);
    run_sql(TABLES(KEEP));
    const double before = scene_number(&one, "one", "releases");
    for (int i = 0; i < 400; i++) {
        scene_must_rank(&one, "one", &ranking);
    }
    scene_wait(&one, 20000);
    assert_true(scene_number(&one, "one", "releases") > before);
    run_sql("TRUNCATE lotor_meta, lotor_campaigns, lotor_states, lotor_marks, lotor_blocks, "
            "lotor_answers, lotor_releases, lotor_users; " TABLES(RESTORE) TABLES(DROP));
    scene_wait(&one, 20000);
    assert_int_equal(scene_rank(&one, "one", &ranking), LOTOR_CODE_STORE);
    scene_drop(&one);
    assert_int_equal(scene_try_open(&one, false), LOTOR_RELEASED);
    assert_int_equal(scene_try_open(&one, true), LOTOR_OK);
    scene_must_rank(&one, "one", &ranking);
    start_beside(&two, &one);
    engine_scene *const both[] = {&one, &two};
    for (int i = 0; i < 2; i++) {
        lotor_refusal refusal;
        json_t *said = lotor_engine_guarantee(both[i]->engine, "one", &refusal);
        char *text = json_dumps(said, 0);
        assert_non_null(text);
        assert_non_null(strstr(text, "older copy"));
        free(text);
        json_decref(said);
    }
    scene_end(&two);
    scene_end(&one);
}

static void test_a_database_in_use_is_not_moved(void **state)
{
    (void)state;
    engine_scene one;
    lotor_store *from, *to;
    start_first(&one);
    scene_must_create(&one, ONE_ARM);
    assert_false(
        lotor_store_open(getenv("LOTOR_TEST_POSTGRES"), LOTOR_STORE_READ, NULL, &one.why, &from));
    assert_false(
        lotor_store_open(scratch_path(&one.files, "y.db"), LOTOR_STORE_SERVE, NULL, &one.why, &to));
    assert_true(lotor_store_copy(from, to, &one.why));
    assert_non_null(strstr(one.why.text, "stop them"));
    scene_drop(&one);
    assert_false(lotor_store_copy(from, to, &one.why));
    assert_false(lotor_store_check(to, &one.why));
    lotor_store_close(to);
    lotor_store_close(from);
    scene_end(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_taken_back_late_is_no_round),
        cmocka_unit_test(test_a_new_server_knows_what_was_shown),
        cmocka_unit_test(test_a_wrong_key_does_not_stick),
        cmocka_unit_test(test_a_server_with_a_lost_past_is_refused),
        cmocka_unit_test(test_a_cap_holds_across_servers),
        cmocka_unit_test(test_what_one_changes_the_other_keeps_to),
        cmocka_unit_test(test_a_server_that_stood_still),
        cmocka_unit_test(test_an_older_copy),
        cmocka_unit_test(test_a_database_in_use_is_not_moved),
    };
    if (!place_is_database()) {
        fputs("run by tests/service/shared/postgres.sh with ...\n", stderr);
        return 2;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
