/* test_engine_memory.c - every allocation of the engine fails once. The request is refused and
 * can be tried again; nothing is lost or counted twice. (Sanitizers find leaks.) */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "service/engine_rig.h"
#include "support/failing_memory.h"

static engine_rig rig;

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
            rig.now += 1100; /* a campaign that failed is tried again after a second */            \
            engine_step(&rig);                                                                     \
            assert_true(fails < 2000);                                                             \
        }                                                                                          \
        assert_true(fails > 1);                                                                    \
    } while (0)

static lotor_code open_scene(void)
{
    return rig.engine || engine_try_open(&rig, false) == LOTOR_OK ? LOTOR_CODE_NONE
                                                                  : LOTOR_CODE_INTERNAL;
}

TEST(opening_without_memory)
{
    engine_start(&rig);
    rig.is_on_files = true;
    engine_open(&rig);
    engine_must_create(&rig, ONE_ARM);
    lotor_ranking ranking;
    for (int i = 0; i < 6; i++) {
        engine_must_rank(&rig, "one", &ranking);
        engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    }
    engine_stop(&rig);
    for (size_t fails = 1;; fails++) {
        failing_memory_start(fails);
        lotor_code code = open_scene();
        bool failed = failing_memory_stop() >= fails;
        if (code == LOTOR_CODE_NONE) { /* no campaign counts as damaged, and all are served soon */
            json_t *told = lotor_engine_readiness(rig.engine);
            assert_int_equal(json_array_size(json_object_get(told, "campaigns")), 0);
            json_decref(told);
            engine_wait(&rig, 300);
            engine_must_rank(&rig, "one", &ranking);
            engine_stop(&rig);
        }
        if (!failed) {
            assert_int_equal(code, LOTOR_CODE_NONE);
            break;
        }
    }
    engine_end(&rig);
}

static lotor_code rank_eligible(lotor_ranking *ranking)
{
    lotor_code code = engine_rank_with(&rig, "four", NULL, NULL, "['b', 'd']", ranking);
    if (code) {
        lotor_ranking_clear(ranking);
    }
    return code;
}

static lotor_code describe(void)
{
    json_t *json = lotor_engine_describe(rig.engine, "four", &engine_refusal);
    lotor_code code = json ? LOTOR_CODE_NONE : engine_refusal.code;
    json_decref(json);
    return code;
}

TEST(requests_without_memory)
{
    engine_start(&rig);
    rig.is_on_files = rig.is_patient = true;
    engine_open(&rig);
    lotor_ranking ranking;
    until_enough(engine_create(&rig, "{'name': 'four', 'algorithm': 'cucb-dp-lazy', 'arms': "
                                     "['a','b','c','d'], 'slots': 2, 'max_arms': 5, " LOUD
                                     ", 'wait_seconds': 1}"));
    until_enough(engine_rank(&rig, "four", &ranking) ? engine_refusal.code
                                                     : rank_eligible(&ranking));
    until_enough(engine_reward(&rig, ranking.event, "{'rewards': [1, 0]}"));
    until_enough(engine_arms(&rig, "four", "{'pause': ['a']}")
                     ? engine_refusal.code
                     : engine_arms(&rig, "four", "{'resume': ['a']}"));
    until_enough(describe());
    until_enough(engine_close_campaign(&rig, "four"));
    engine_wait(&rig, 5000);
    assert_int_equal(engine_number(&rig, "four", "pending"), 0);
    engine_stop(&rig);
    engine_end(&rig);
}

/* A campaign whose warm start fails can be made again, and starts with the releases then. */
TEST(a_warm_start_without_memory)
{
    engine_start(&rig);
    rig.is_on_files = rig.is_patient = true;
    engine_open(&rig);
    lotor_ranking ranking;
    engine_must_create(&rig, "{'name': 'old', 'arms': ['a'], " LOUD ", 'wait_seconds': 1}");
    for (int i = 0; i < 8; i++) {
        engine_must_rank(&rig, "old", &ranking);
        engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
        lotor_ranking_clear(&ranking);
    }
    engine_wait(&rig, 5000);
    engine_step(&rig);
    until_enough(engine_create(&rig, "{'name': 'new', 'arms': ['b', 'a'], 'epsilon': 1, "
                                     "'wait_seconds': 1, 'prior': 'old'}"));
    assert_true(engine_number(&rig, "new", "prior_releases") > 0);
    until_enough(engine_rank(&rig, "new", &ranking));
    lotor_ranking_clear(&ranking);
    engine_stop(&rig);
    engine_end(&rig);
}

static lotor_code create_budget(void)
{
    json_t *reply;
    const lotor_code code = engine_create_budget(&rig, "{'name': 'people', 'epsilon': 2}", &reply);
    json_decref(reply);
    return code;
}

static lotor_code get_budget(void)
{
    json_t *reply;
    const lotor_code code = engine_get_budget(&rig, "people", &reply);
    json_decref(reply);
    return code;
}

static lotor_code rank_again(const char *name, char event[LOTOR_TOKEN_LENGTH + 1])
{
    lotor_ranking ranking;
    const lotor_code code = engine_rank_with(&rig, name, "ann", NULL, NULL, &ranking);
    if (code == LOTOR_CODE_NONE) {
        memcpy(event, ranking.event, sizeof ranking.event);
    }
    lotor_ranking_clear(&ranking);
    return code;
}

/* A user whose requests fail is charged at most once for a decision, and gets it again. */
TEST(budgets_and_stickies_without_memory)
{
    char event[LOTOR_TOKEN_LENGTH + 1], again[LOTOR_TOKEN_LENGTH + 1];
    engine_start(&rig);
    rig.is_on_files = rig.is_patient = true;
    engine_open(&rig);
    until_enough(create_budget());
    until_enough(engine_create(&rig, "{'name': 'one', 'arms': ['a', 'b'], 'epsilon': 1, "
                                     "'budget': 'people', 'sticky_seconds': 1000000}"));
    until_enough(get_budget());
    until_enough(rank_again("one", event));
    assert_int_equal(rank_again("one", again), LOTOR_CODE_NONE);
    assert_string_equal(event, again);
    assert_int_equal(strlen(event), LOTOR_TOKEN_LENGTH);
    engine_must_create(&rig,
                       "{'name': 'two', 'arms': ['a', 'b'], 'epsilon': 1, 'budget': 'people', "
                       "'wait_seconds': 1}");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rank_again("two", event), LOTOR_CODE_NONE);
        assert_int_equal(strlen(event), LOTOR_TOKEN_LENGTH);
    }
    engine_wait(&rig, 3000);
    engine_wait(&rig, 300);
    assert_true(engine_number(&rig, "two", "final") == 1); /* one of two is left */
    engine_stop(&rig);
    engine_end(&rig);
}

/* Requests of users, and the cycle that counts them, fail at one allocation after another. A round is
 * counted with its entry, or not at all: of each user two rounds count in the end, as the cap allows. */
TEST(users_without_memory)
{
    char event[LOTOR_TOKEN_LENGTH + 1], name[16];
    engine_start(&rig);
    rig.is_on_files = rig.is_patient = true;
    engine_open(&rig);
    engine_must_create(&rig, ONE_ARM_WITH(", 'rounds_per_user': 2"));
    for (int i = 0; i < 3; i++) { /* with blanks for the request, and from the pool */
        until_enough(rank_again("one", event));
    }
    engine_wait(&rig, 3000);
    engine_wait(&rig, 300);
    double rounds = 2;
    assert_true(engine_number(&rig, "one", "final") == rounds);
    bool has_failed = true;
    for (size_t fails = 1; has_failed; fails++) {
        snprintf(name, sizeof name, "u%zu", fails);
        for (int i = 0; i < 4; i++) {
            lotor_ranking ranking;
            assert_int_equal(engine_rank_with(&rig, "one", name, NULL, NULL, &ranking),
                             LOTOR_CODE_NONE);
            engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
            assert_int_equal(engine_late, 0);
            lotor_ranking_clear(&ranking);
        }
        rounds += 2;
        engine_wait(&rig, BLOCK_LIFE + 1);
        failing_memory_start(fails);
        engine_wait(&rig, ALL_OVER);
        engine_step(&rig);
        has_failed = failing_memory_stop() >= fails;
        for (int i = 0; i < 6; i++) {
            engine_wait(&rig, 1000);
        }
        assert_true(engine_number(&rig, "one", "final") == rounds);
        assert_true(fails < 2000);
    }
    assert_true(rounds > 2 * 20);
    lotor_arm_fact sum = {0};
    assert_int_equal(lotor_store_each_release(rig.store, 1, 0, engine_add_release, &sum, &rig.why),
                     LOTOR_OK);
    assert_true((double)sum.count > rounds / 2 && (double)sum.count <= rounds);
    assert_true(fabs(sum.value - (double)sum.count) < 2.01); /* the first user has sent no reward */
    engine_end(&rig);
}

/* Rounds with feedback are over at once (early_release). The cycle that ends them fails at one
 * allocation after another. Every round has the reward 1, so the released sum is the number of
 * rounds. */
TEST(rounds_end_without_memory)
{
    engine_start(&rig);
    rig.is_on_files = true;
    engine_open(&rig);
    engine_must_create(&rig, ONE_ARM);
    double rounds = 0;
    bool has_failed = true;
    for (size_t fails = 1; has_failed; fails++) {
        for (int i = 0; i < 8; i++, rounds++) {
            lotor_ranking ranking;
            engine_must_rank(&rig, "one", &ranking);
            engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
            assert_int_equal(engine_late, 0);
        }
        engine_wait(&rig, BLOCK_LIFE + 1); /* the number handed out is in the log */
        failing_memory_start(fails);
        engine_wait(&rig, ALL_OVER);
        has_failed = failing_memory_stop() >= fails;
        engine_wait(&rig, 300);
        assert_true(engine_number(&rig, "one", "decisions") == rounds);
        assert_true(engine_number(&rig, "one", "final") == rounds);
        assert_true(fails < 2000);
    }
    assert_true(rounds > 8 * 20);
    lotor_arm_fact sum = {0};
    assert_int_equal(lotor_store_each_release(rig.store, 1, 0, engine_add_release, &sum, &rig.why),
                     LOTOR_OK);
    assert_true((double)sum.count > rounds / 2 && (double)sum.count <= rounds);
    assert_true(fabs(sum.value - (double)sum.count) < 0.01);
    engine_end(&rig);
}

/* Each step fails a little later than the one before, so the campaign is taken again and again. */
TEST(takeovers_without_memory)
{
    engine_start(&rig);
    rig.is_on_files = true;
    engine_open(&rig);
    engine_must_create(&rig, ONE_ARM);
    lotor_ranking ranking;
    for (int i = 0; i < 16; i++) {
        engine_must_rank(&rig, "one", &ranking);
        engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    }
    failing_memory_start_all(); /* the cycle fails, so the campaign is taken again */
    engine_wait(&rig, ALL_OVER);
    failing_memory_stop();
    size_t fails = 0;
    do {
        failing_memory_start(++fails);
        engine_wait(&rig, 1100);
    } while (failing_memory_stop() >= fails);
    assert_true(fails > 20);
    assert_true(engine_number(&rig, "one", "final") >= 16); /* more if a handout was lost */
    assert_int_equal(engine_number(&rig, "one", "pending"), 0);
    const double rounds = engine_number(&rig, "one", "decisions");
    lotor_arm_fact sum = {0};
    for (int tries = 0; (double)sum.count < rounds; tries++) {
        assert_true(tries < 100);
        for (int i = 0; i < 16; i++) {
            engine_must_rank(&rig, "one", &ranking);
        }
        engine_wait(&rig, ALL_OVER);
        sum = (lotor_arm_fact){0};
        assert_int_equal(
            lotor_store_each_release(rig.store, 1, 0, engine_add_release, &sum, &rig.why),
            LOTOR_OK);
    }
    assert_true(fabs(sum.value - 16) < 0.01);
    engine_end(&rig);
}
