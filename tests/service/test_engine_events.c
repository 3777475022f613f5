/* test_engine_events.c - an event is answered once, in time, and counts when its time is over: neither
 * whether nor when somebody answered shows. */
#include "support/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/engine_scene.h"

static engine_scene scene;

static int start(void **state)
{
    (void)state;
    scene_start(&scene);
    scene_open(&scene);
    return 0;
}

static int end(void **state)
{
    (void)state;
    return scene_end_soundly(&scene);
}

static double number(const char *path)
{
    return scene_number(&scene, "one", path);
}

static void play(int rounds, lotor_ranking *rankings)
{
    for (int i = 0; i < rounds; i++) {
        scene_must_rank(&scene, "one", &rankings[i]);
    }
}

static void a_repeated_answer_changes_nothing(void **state)
{
    (void)state;
    lotor_ranking rankings[64];
    scene_must_create(&scene, ONE_ARM);
    play(64, rankings);
    for (int i = 0; i < 64; i++) {
        scene_must_reward(&scene, rankings[i].event, "{'rewards': [0.5]}");
        scene_must_reward(&scene, rankings[i].event, "{'rewards': [1]}");
    }
    scene_wait(&scene, 1001);
    assert_true(fabs(number("arms.0.mean") - 0.5) < 0.01);
}

/* Two answers to one event in one commit, and in one batch. */
static void the_first_of_two_counts(void **state)
{
    (void)state;
    lotor_ranking rankings[64];
    scene_must_create(&scene, ONE_ARM);
    play(64, rankings);
    for (int i = 0; i < 64; i += 2) {
        scene_job first, second;
        scene_queue_reward(&scene, rankings[i].event, "{'rewards': [0.25]}", &first);
        scene_queue_reward(&scene, rankings[i].event, "{'rewards': [1]}", &second);
        assert_false(first.is_done || second.is_done);
        scene_step(&scene);
        assert_true(first.is_done && second.is_done);
        json_t *low = scene_json("{'rewards': [0.25]}"), *high = scene_json("{'rewards': [1]}");
        lotor_reward batch[] = {{rankings[i + 1].event, low}, {rankings[i + 1].event, high}};
        assert_int_equal(scene_rewards(&scene, batch, 2), LOTOR_CODE_NONE);
        json_decref(low);
        json_decref(high);
    }
    scene_wait(&scene, 1001);
    assert_true(fabs(number("arms.0.mean") - 0.25) < 0.01);
}

static void a_late_answer_is_acknowledged_and_dropped(void **state)
{
    (void)state;
    lotor_ranking rankings[64];
    scene_must_create(&scene, ONE_ARM);
    play(64, rankings);
    scene.now += 1000; /* the last moment */
    for (int i = 0; i < 32; i++) {
        scene_must_reward(&scene, rankings[i].event, "{'rewards': [1]}");
    }
    scene.now += 1; /* too late, though the rounds are not final yet */
    for (int i = 32; i < 64; i++) {
        scene_must_reward(&scene, rankings[i].event, "{'rewards': [1]}");
    }
    scene_step(&scene);
    assert_int_equal(number("final"), 64);
    for (int i = 0; i < 64; i++) {
        scene_must_reward(&scene, rankings[i].event, "{'rewards': [1]}");
    }
    scene_wait(&scene, 5000);
    double count = number("arms.0.count");
    assert_true(count > 32); /* both halves are in it */
    assert_true(number("arms.0.mean") < 32 / count + 0.01);
}

/* An answer that came in time counts, though its round is over when the writer gets to it. */
static void in_time_is_when_it_came(void **state)
{
    (void)state;
    lotor_ranking rankings[64];
    scene_job jobs[64];
    scene_must_create(&scene, ONE_ARM);
    play(64, rankings);
    scene.now += 1000;
    for (int i = 0; i < 64; i++) {
        scene_queue_reward(&scene, rankings[i].event, "{'rewards': [1]}", &jobs[i]);
    }
    scene_wait(&scene, 10000);
    assert_int_equal(number("final"), 64);
    assert_true(number("arms.0.mean") > 0.99);
}

static void unknown_and_malformed_events_are_refused(void **state)
{
    (void)state;
    lotor_ranking ranking;
    scene_must_create(&scene, ONE_ARM);
    scene_must_rank(&scene, "one", &ranking);
    char forged[LOTOR_TOKEN_LENGTH + 1];
    for (size_t i = 0; i < LOTOR_TOKEN_LENGTH; i++) {
        memcpy(forged, ranking.event, sizeof forged);
        forged[i] = forged[i] == 'A' ? 'B' : 'A';
        assert_int_equal(scene_reward(&scene, forged, "{'rewards': [1]}"),
                         LOTOR_CODE_NO_SUCH_EVENT);
        assert_string_equal(scene_refusal.field, "event");
    }
    assert_int_equal(scene_reward(&scene, "", "{'rewards': [1]}"), LOTOR_CODE_NO_SUCH_EVENT);
    assert_int_equal(scene_reward(&scene, "x", "{'rewards': [1]}"), LOTOR_CODE_NO_SUCH_EVENT);
    static const struct {
        const char *answer, *field;
        lotor_code code;
    } bad[] = {
        {"{}", "rewards", LOTOR_CODE_MISSING_FIELD},
        {"{'rewards': 1}", "rewards", LOTOR_CODE_BAD_VALUE},
        {"{'rewards': []}", "rewards", LOTOR_CODE_BAD_VALUE},
        {"{'rewards': [1, 1]}", "rewards", LOTOR_CODE_BAD_VALUE},
        {"{'rewards': [2]}", "rewards[0]", LOTOR_CODE_BAD_VALUE},
        {"{'rewards': [-0.001]}", "rewards[0]", LOTOR_CODE_BAD_VALUE},
        {"{'rewards': ['1']}", "rewards[0]", LOTOR_CODE_BAD_VALUE},
        {"{'click': null}", "rewards", LOTOR_CODE_MISSING_FIELD},
        {"{'rewards': [1], 'x': 1}", "", LOTOR_CODE_UNKNOWN_FIELD},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(scene_reward(&scene, ranking.event, bad[i].answer), bad[i].code);
        assert_string_equal(scene_refusal.field, bad[i].field);
    }
    char *metrics = lotor_engine_metrics(scene.engine);
    assert_non_null(strstr(metrics, "\nlotor_answers_total 0\n"));
    free(metrics);
    scene_must_reward(&scene, ranking.event, "{'rewards': [1]}"); /* it is still open */
    metrics = lotor_engine_metrics(scene.engine);
    assert_non_null(strstr(metrics, "\nlotor_answers_total 1\n"));
    free(metrics);
}

/* A batch is taken whole or not at all. */
static void one_bad_answer_refuses_the_batch(void **state)
{
    (void)state;
    lotor_ranking rankings[3];
    scene_must_create(&scene, ONE_ARM);
    play(3, rankings);
    json_t *good = scene_json("{'rewards': [1]}"), *bad = scene_json("{'rewards': [7]}");
    json_t *long_one = scene_json("{'rewards': [1, 1]}");
    lotor_reward batch[] = {
        {rankings[0].event, good}, {rankings[1].event, bad}, {rankings[2].event, good}};
    assert_int_equal(scene_rewards(&scene, batch, 3), LOTOR_CODE_BAD_VALUE);
    assert_string_equal(scene_refusal.field, "rewards[1].rewards[0]");
    batch[1].answer = good;
    batch[2].answer = long_one; /* only the writer sees that */
    assert_int_equal(scene_rewards(&scene, batch, 3), LOTOR_CODE_BAD_VALUE);
    assert_string_equal(scene_refusal.field, "rewards[2].rewards");
    batch[2] = (lotor_reward){"nonsense", good};
    assert_int_equal(scene_rewards(&scene, batch, 3), LOTOR_CODE_NO_SUCH_EVENT);
    assert_string_equal(scene_refusal.field, "rewards[2].event");
    char *metrics = lotor_engine_metrics(scene.engine);
    assert_non_null(strstr(metrics, "\nlotor_answers_total 0\n"));
    free(metrics);
    json_decref(good);
    json_decref(bad);
    json_decref(long_one);
}

/* Everybody answers at once, or nobody does: up to the expiry all that can be seen is the same. */
static void an_answer_shows_at_expiry_and_not_before(void **state)
{
    (void)state;
    lotor_ranking rankings[64];
    scene_must_create(&scene, ONE_ARM);
    play(64, rankings);
    for (int i = 0; i < 64; i++) {
        scene_must_reward(&scene, rankings[i].event, "{'rewards': [1]}");
    }
    scene_wait(&scene, 1000);
    assert_int_equal(number("final"), 0);
    assert_int_equal(number("releases"), 0);
    assert_true(isnan(number("arms.0.mean")));
    scene_wait(&scene, 1);
    assert_int_equal(number("final"), 64);
    assert_true(number("releases") >= 1);
}

/* A round whose time is over waits for those that were shown before it. */
static void rounds_end_in_the_order_of_display(void **state)
{
    (void)state;
    lotor_ranking rankings[8];
    scene_must_create(&scene, ONE_ARM);
    play(4, rankings);
    scene.now += 500;
    play(4, rankings);
    scene_wait(&scene, 501);
    assert_int_equal(number("final"), 4);
    scene_wait(&scene, 499);
    assert_int_equal(number("final"), 4);
    scene_wait(&scene, 1);
    assert_int_equal(number("final"), 8);
}

static void early_release_ends_answered_rounds(void **state)
{
    (void)state;
    lotor_ranking rankings[64];
    scene_must_create(&scene, ONE_ARM_WITH(", 'early_release': true"));
    play(64, rankings);
    for (int i = 1; i < 64; i++) {
        scene_must_reward(&scene, rankings[i].event, "{'rewards': [1]}");
    }
    assert_int_equal(number("final"), 0); /* the first was not answered */
    scene_must_reward(&scene, rankings[0].event, "{'rewards': [1]}");
    assert_int_equal(number("final"), 64);
    assert_true(number("arms.0.mean") > 0.99);
}

/* Arm b pays, arm a does not; all rounds are answered and about to expire. */
static void prepare_two_arms(const char *name, bool capped)
{
    char spec[300], user[8];
    snprintf(spec, sizeof spec,
             "{'name': '%s', 'algorithm': 'cucb-dp-lazy', 'arms': ['a', 'b'], 'max_arms': 2, " LOUD
             ", 'wait_seconds': 1%s}",
             name, capped ? ", 'rounds_per_user': 1" : "");
    scene_must_create(&scene, spec);
    for (int i = 0; i < 100; i++) {
        lotor_ranking ranking;
        snprintf(user, sizeof user, "u%d", i);
        assert_int_equal(scene_rank_with(&scene, name, user, NULL, NULL, &ranking),
                         LOTOR_CODE_NONE);
        scene_must_reward(&scene, ranking.event,
                          *ranking.arms[0] == 'b' ? "{'rewards': [1]}" : "{'rewards': [0]}");
    }
    scene.now += 1000;
}

/* A drawing sees the rounds that were over when its request came, however late the writer gets to it:
 * that depends on who answered. Asked for a moment before the rounds are over, arm a is shown in about
 * half of the cases (a mistake in 2^30); a moment after, hardly ever. */
static void a_drawing_sees_what_was_over_when_it_was_asked_for(void **state)
{
    (void)state;
    enum { TIMES = 30 };
    int before = 0, after = 0;
    for (int i = 0; i < 2 * TIMES; i++) {
        char name[16];
        snprintf(name, sizeof name, "two%d", i);
        prepare_two_arms(name, true);
        scene.now += (uint64_t)i % 2;
        lotor_ranking ranking = {.user = "v", .user_length = 1};
        scene_job job;
        scene_queue_ranking(&scene, name, &ranking, &job);
        assert_false(job.is_done);
        scene_wait(&scene, 50);
        assert_true(job.is_done);
        assert_int_equal(ranking.expires,
                         scene.now - 50 + 1000); /* its time runs from there, too */
        assert_int_equal(scene_number(&scene, name, "final"), 100);
        *(i % 2 ? &after : &before) += *ranking.arms[0] == 'a';
    }
    assert_true(before > 0);
    assert_true(after < before);
}

/* The same of what is drawn ahead: the pool is emptied before the rounds are over, and filled after. */
static void drawing_ahead_sees_what_was_over_when_the_pool_ran_low(void **state)
{
    (void)state;
    int shown = 0;
    for (int i = 0; i < 30; i++) {
        char name[16];
        snprintf(name, sizeof name, "two%d", i);
        prepare_two_arms(name, false);
        lotor_ranking ranking;
        scene_job job;
        do { /* without a turn of the writer */
            scene_queue_rank(&scene, name, &ranking, &job);
        } while (job.is_done);
        scene_wait(&scene, 50);
        assert_true(job.is_done);
        assert_int_equal(scene_number(&scene, name, "final"), 100);
        scene_queue_rank(&scene, name, &ranking, &job);
        assert_true(job.is_done); /* from the pool that was filled just now */
        shown += *ranking.arms[0] == 'a';
    }
    assert_true(shown > 3);
}

/* A decision is on disk before anybody sees it. */
static void nothing_is_handed_out_before_its_commit(void **state)
{
    (void)state;
    lotor_ranking ranking;
    scene_must_create(&scene, ONE_ARM);
    scene_job job;
    fault_vfs_arm(scene.disk, FAULT_DEAD, 1);
    scene_queue_rank(&scene, "one", &ranking, &job);
    assert_false(job.is_done);
    scene_step(&scene);
    assert_true(job.is_done);
    assert_int_equal(job.job.refusal.code, LOTOR_CODE_STORE);
    assert_false(lotor_engine_is_ready(scene.engine));
    assert_int_equal(number("decisions"), 0);
    fault_vfs_arm(scene.disk, FAULT_NONE, 0);
    scene_must_rank(&scene, "one", &ranking);
    assert_true(lotor_engine_is_ready(scene.engine));
    /* What is in the pool was committed, and needs no disk. */
    fault_vfs_arm(scene.disk, FAULT_DEAD, 1);
    scene_queue_rank(&scene, "one", &ranking, &job);
    assert_true(job.is_done);
    assert_int_equal(job.job.refusal.code, LOTOR_CODE_NONE);
    assert_int_equal(scene_reward(&scene, ranking.event, "{'rewards': [1]}"), LOTOR_CODE_STORE);
    fault_vfs_arm(scene.disk, FAULT_NONE, 0);
    scene_must_reward(&scene, ranking.event, "{'rewards': [1]}");
}

/* Batches that stay: the sums of all of them. */
static lotor_status add_up(void *context, const lotor_release *release)
{
    lotor_released *sum = context;
    assert_int_equal(release->facts_length % 40, 0);
    for (size_t i = 0; i < release->facts_length; i += 40) {
        double value;
        uint64_t count;
        memcpy(&value, release->facts + i + 16, 8);
        memcpy(&count, release->facts + i + 24, 8);
        sum->value += value;
        sum->count += count;
    }
    sum->time++;
    return LOTOR_OK;
}

/* Every release row is what the policy says it released: read back, they are the mean. */
static void release_rows_are_the_released_facts(void **state)
{
    (void)state;
    scene_must_create(&scene, ONE_ARM);
    for (int i = 0; i < 100; i++) {
        lotor_ranking ranking;
        scene_must_rank(&scene, "one", &ranking);
        if (i % 3 == 0) {
            scene_must_reward(&scene, ranking.event, "{'rewards': [1]}");
        }
        scene_wait(&scene, 300);
    }
    scene_wait(&scene, 1001);
    lotor_released sum = {0};
    assert_int_equal(lotor_store_each_release(scene.store, 1, add_up, &sum, &scene.why), LOTOR_OK);
    assert_int_equal(sum.time, number("releases"));
    assert_true(sum.time >= 2);
    assert_int_equal(sum.count, number("arms.0.count"));
    assert_true(fabs(sum.value / (double)sum.count - number("arms.0.mean")) < 1e-12);
}

static lotor_status count_group(void *context, const lotor_answers *group)
{
    (void)group;
    ++*(int *)context;
    return LOTOR_OK;
}

static int kept_groups(void)
{
    int groups = 0;
    assert_int_equal(lotor_store_each_answers(scene.store, 1, count_group, &groups, &scene.why),
                     LOTOR_OK);
    return groups;
}

/* Nobody may ever ask for the rest of the pool: the answers to what was handed out don't wait for it. */
static void an_entered_answer_is_not_kept_beside_an_open_pool(void **state)
{
    (void)state;
    lotor_ranking ranking;
    scene_must_create(&scene, ONE_ARM);
    scene_must_rank(&scene, "one", &ranking); /* for itself; the pool is filled */
    scene_wait(&scene, 1001);
    scene_must_rank(&scene, "one", &ranking); /* the first of the pool */
    scene_must_reward(&scene, ranking.event, "{'rewards': [1]}");
    assert_int_equal(kept_groups(), 1);
    scene_wait(&scene, 1001);
    assert_int_equal(number("final"), 2);
    assert_int_equal(kept_groups(), 0);
}

#define with_scene(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_scene(a_repeated_answer_changes_nothing),
        with_scene(the_first_of_two_counts),
        with_scene(a_late_answer_is_acknowledged_and_dropped),
        with_scene(in_time_is_when_it_came),
        with_scene(unknown_and_malformed_events_are_refused),
        with_scene(one_bad_answer_refuses_the_batch),
        with_scene(an_answer_shows_at_expiry_and_not_before),
        with_scene(rounds_end_in_the_order_of_display),
        with_scene(early_release_ends_answered_rounds),
        with_scene(a_drawing_sees_what_was_over_when_it_was_asked_for),
        with_scene(drawing_ahead_sees_what_was_over_when_the_pool_ran_low),
        with_scene(nothing_is_handed_out_before_its_commit),
        with_scene(release_rows_are_the_released_facts),
        with_scene(an_entered_answer_is_not_kept_beside_an_open_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
