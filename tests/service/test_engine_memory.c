/* test_engine_memory.c - every allocation of the engine fails once. The request is refused and
 * can be tried again; nothing is lost or counted twice. (Sanitizers find leaks.) */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "service/engine_scene.h"
#include "support/failing_memory.h"

static engine_scene scene;

/* Makes the first allocation fail, then the second, ... until the call succeeds without a
 * failure. */
#define until_enough(call)                                                                         \
    do {                                                                                           \
        size_t fails = 1;                                                                          \
        for (;; fails++) {                                                                         \
            failing_memory_start(fails);                                                           \
            lotor_code code = (call);                                                              \
            if (failing_memory_stop() < fails) {                                                   \
                assert_int_equal(code, LOTOR_CODE_NONE);                                           \
                break;                                                                             \
            }                                                                                      \
            assert_true(code == LOTOR_CODE_NONE || code == LOTOR_CODE_INTERNAL ||                  \
                        code == LOTOR_CODE_STORE);                                                 \
            scene.now += 1100; /* a campaign that failed is tried again after a second */          \
            scene_step(&scene);                                                                    \
            assert_true(fails < 2000);                                                             \
        }                                                                                          \
        assert_true(fails > 1);                                                                    \
    } while (0)

static lotor_code open_scene(void)
{
    return scene.engine || scene_try_open(&scene, false) == LOTOR_OK ? LOTOR_CODE_NONE
                                                                     : LOTOR_CODE_INTERNAL;
}

TEST(opening_without_memory)
{
    scene_start(&scene);
    scene.is_on_files = true;
    scene_open(&scene);
    scene_must_create(&scene, ONE_ARM);
    lotor_ranking ranking;
    for (int i = 0; i < 6; i++) {
        scene_must_rank(&scene, "one", &ranking);
        scene_must_reward(&scene, ranking.event, "{'rewards': [1]}");
    }
    scene_stop(&scene);
    for (size_t fails = 1;; fails++) {
        failing_memory_start(fails);
        lotor_code code = open_scene();
        bool failed = failing_memory_stop() >= fails;
        if (code == LOTOR_CODE_NONE) { /* no campaign counts as damaged, and all are served soon */
            json_t *told = lotor_engine_readiness(scene.engine);
            assert_int_equal(json_array_size(json_object_get(told, "campaigns")), 0);
            json_decref(told);
            scene_wait(&scene, 300);
            scene_must_rank(&scene, "one", &ranking);
            scene_stop(&scene);
        }
        if (!failed) {
            assert_int_equal(code, LOTOR_CODE_NONE);
            break;
        }
    }
    scene_end(&scene);
}

static lotor_code rank_eligible(lotor_ranking *ranking)
{
    lotor_code code = scene_rank_with(&scene, "four", NULL, NULL, "['b', 'd']", ranking);
    if (code) {
        lotor_ranking_clear(ranking);
    }
    return code;
}

static lotor_code describe(void)
{
    json_t *json = lotor_engine_describe(scene.engine, "four", &scene_refusal);
    lotor_code code = json ? LOTOR_CODE_NONE : scene_refusal.code;
    json_decref(json);
    return code;
}

TEST(requests_without_memory)
{
    scene_start(&scene);
    scene.is_on_files = scene.is_patient = true;
    scene_open(&scene);
    lotor_ranking ranking;
    until_enough(scene_create(&scene, "{'name': 'four', 'algorithm': 'cucb-dp-lazy', 'arms': "
                                      "['a','b','c','d'], 'slots': 2, 'max_arms': 5, " LOUD
                                      ", 'wait_seconds': 1}"));
    until_enough(scene_rank(&scene, "four", &ranking) ? scene_refusal.code
                                                      : rank_eligible(&ranking));
    until_enough(scene_reward(&scene, ranking.event, "{'rewards': [1, 0]}"));
    until_enough(scene_arms(&scene, "four", "{'pause': ['a']}")
                     ? scene_refusal.code
                     : scene_arms(&scene, "four", "{'resume': ['a']}"));
    until_enough(describe());
    until_enough(scene_close_campaign(&scene, "four"));
    scene_wait(&scene, 5000);
    assert_int_equal(scene_number(&scene, "four", "pending"), 0);
    scene_stop(&scene);
    scene_end(&scene);
}

/* Answered rounds are over at once, and the turn that ends them fails at every allocation in turn. Every round was
 * answered with 1, so what was released of so many rounds is their number. */
TEST(rounds_end_without_memory)
{
    scene_start(&scene);
    scene.is_on_files = true;
    scene_open(&scene);
    scene_must_create(&scene, ONE_ARM);
    double rounds = 0;
    bool has_failed = true;
    for (size_t fails = 1; has_failed; fails++) {
        for (int i = 0; i < 8; i++, rounds++) {
            lotor_ranking ranking;
            scene_must_rank(&scene, "one", &ranking);
            scene_must_reward(&scene, ranking.event, "{'rewards': [1]}");
            assert_int_equal(scene_late, 0);
        }
        scene_wait(&scene, BLOCK_LIFE + 1); /* the number handed out is in the log */
        failing_memory_start(fails);
        scene_wait(&scene, ALL_OVER);
        has_failed = failing_memory_stop() >= fails;
        scene_wait(&scene, 300);
        assert_true(scene_number(&scene, "one", "decisions") == rounds);
        assert_true(scene_number(&scene, "one", "final") == rounds);
        assert_true(fails < 2000);
    }
    assert_true(rounds > 8 * 20);
    lotor_released sum = {0};
    assert_int_equal(
        lotor_store_each_release(scene.store, 1, 0, scene_add_release, &sum, &scene.why), LOTOR_OK);
    assert_true((double)sum.count > rounds / 2 && (double)sum.count <= rounds);
    assert_true(fabs(sum.value - (double)sum.count) < 0.01);
    scene_end(&scene);
}

/* Each step fails a little later than the one before, so the campaign is taken again and again. */
TEST(takeovers_without_memory)
{
    scene_start(&scene);
    scene.is_on_files = true;
    scene_open(&scene);
    scene_must_create(&scene, ONE_ARM);
    lotor_ranking ranking;
    for (int i = 0; i < 16; i++) {
        scene_must_rank(&scene, "one", &ranking);
        scene_must_reward(&scene, ranking.event, "{'rewards': [1]}");
    }
    failing_memory_start_all(); /* the turn fails, so the campaign is taken again */
    scene_wait(&scene, ALL_OVER);
    failing_memory_stop();
    size_t fails = 0;
    do {
        failing_memory_start(++fails);
        scene_wait(&scene, 1100);
    } while (failing_memory_stop() >= fails);
    assert_true(fails > 20);
    assert_true(scene_number(&scene, "one", "final") >= 16); /* more if a report was lost */
    assert_int_equal(scene_number(&scene, "one", "pending"), 0);
    const double rounds = scene_number(&scene, "one", "decisions");
    lotor_released sum = {0};
    for (int tries = 0; (double)sum.count < rounds; tries++) {
        assert_true(tries < 100);
        for (int i = 0; i < 16; i++) {
            scene_must_rank(&scene, "one", &ranking);
        }
        scene_wait(&scene, ALL_OVER);
        sum = (lotor_released){0};
        assert_int_equal(
            lotor_store_each_release(scene.store, 1, 0, scene_add_release, &sum, &scene.why),
            LOTOR_OK);
    }
    assert_true(fabs(sum.value - 16) < 0.01);
    scene_end(&scene);
}
