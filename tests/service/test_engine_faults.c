/* test_engine_faults.c - runs a whole campaign, with the disk failing or losing power at one
 * operation after another. Acknowledged feedback is counted exactly once.
 *
 * There is one arm, and the noise is far below one reward. So the released sums must add up to the
 * number of events with the reward 1. Everything that was not acknowledged is tried again, and
 * counts once.
 */
#include "support/stride.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/engine_rig.h"

enum { ROUNDS = 10, TRIES = 6 };

typedef struct life_story {
    engine_rig rig;
    fault_left left;
    uint64_t seed;
    lotor_release_row seen; /* the end of the chain when something was last published */
    size_t answered, crashes;
} life_story;

/* After a power loss: what was published must still be in the chain. */
static void revive(life_story *life)
{
    engine_drop(&life->rig);
    fault_vfs_restart(life->rig.disk, life->left, life->seed);
    fault_vfs_arm(life->rig.disk, FAULT_NONE, 0);
    engine_open(&life->rig); /* fails the test if the engine reports a rollback */
    bool has;
    assert_int_equal(
        lotor_store_has_release(life->rig.store, 1, life->seen.number, life->seen.hash, NULL, &has),
        LOTOR_OK);
    assert_true(has);
    life->crashes++;
}

static void note(life_story *life)
{
    lotor_release_row last;
    if (engine_number(&life->rig, "one", "releases") > 0 && /* as every client can see */
        lotor_store_last_release(life->rig.store, 1, NULL, &last) == LOTOR_OK) {
        life->seen = last;
    }
}

/* Repeats a call until it succeeds. After two failures in a row the server is started again. */
#define until_done(life, call)                                                                     \
    for (int tries = 0; (call) != LOTOR_CODE_NONE; tries++) {                                      \
        assert_int_equal(engine_refusal.code, LOTOR_CODE_STORE);                                   \
        assert_true(tries < TRIES);                                                                \
        if (tries >= 1) {                                                                          \
            revive(life);                                                                          \
        }                                                                                          \
    }                                                                                              \
    note(life)

static void restart(life_story *life)
{
    if (lotor_engine_stop(life->rig.engine, &life->rig.why)) {
        revive(life);
        return;
    }
    engine_drop(&life->rig);
    if (engine_try_open(&life->rig, false)) {
        assert_int_not_equal(life->rig.engine != NULL, 1);
        revive(life);
    }
}

static void live(life_story *life)
{
    if (!life->rig.engine && engine_try_open(&life->rig, false)) {
        revive(life);
    }
    until_done(life, engine_create(&life->rig, ONE_ARM));
    for (int i = 0; i < ROUNDS; i++) {
        lotor_ranking ranking;
        until_done(life, engine_rank(&life->rig, "one", &ranking));
        if (i % 2) {
            until_done(life, engine_reward(&life->rig, ranking.event, "{'rewards': [1]}"));
            assert_int_equal(engine_late, 0);
            life->answered++;
        }
        engine_wait(&life->rig, 300);
        note(life);
        if (i == ROUNDS / 2) {
            restart(life);
        }
    }
}

/* Continues without feedback until all rounds with feedback are in a released batch, and adds the
 * batches up. */
static void check_sums(life_story *life)
{
    if (fault_vfs_fired(life->rig.disk)) {
        revive(life);
    }
    fault_vfs_arm(life->rig.disk, FAULT_NONE, 0);
    lotor_ranking ranking;
    engine_must_rank(&life->rig, "one", &ranking);
    const double last = engine_number(&life->rig, "one", "decisions");
    lotor_arm_fact sum = {0};
    for (int i = 0; i < 200 && (double)sum.count < last; i++) {
        for (int j = 0; j < 16; j++) {
            engine_must_rank(&life->rig, "one", &ranking);
        }
        engine_wait(&life->rig, ALL_OVER);
        sum = (lotor_arm_fact){0};
        assert_int_equal(lotor_store_each_release(life->rig.store, 1, 0, engine_add_release, &sum,
                                                  &life->rig.why),
                         LOTOR_OK);
    }
    assert_true((double)sum.count >= last);
    if (fabs(sum.value - (double)life->answered) > 0.01) {
        fail_msg("%zu events were answered, %g were released", life->answered, sum.value);
    }
    lotor_message finding;
    if (lotor_store_check(life->rig.store, &finding)) {
        fail_msg("%s", finding.text);
    }
}

/* Returns whether the fault came before the run had ended. */
static bool try_at(fault_kind kind, fault_left left, uint64_t at)
{
    life_story life = {.left = left, .seed = at};
    engine_start(&life.rig);
    fault_vfs_arm(life.rig.disk, kind, at);
    live(&life);
    bool fired = fault_vfs_fired(life.rig.disk) || life.crashes > 0;
    check_sums(&life);
    engine_end(&life.rig);
    return fired;
}

/* Begins with operation `from`, so that all tests together try all operations. */
static void at_every_operation(fault_kind kind, fault_left left, uint64_t from)
{
    const uint64_t stride = test_stride(5);
    uint64_t at = stride > 1 ? from : 1;
    while (try_at(kind, left, at)) {
        at += stride;
        assert_true(at < 5000);
    }
    assert_true(at > 50); /* there were enough operations */
}

TEST(the_power_goes_and_all_is_written)
{
    at_every_operation(FAULT_POWER, FAULT_KEEP_ALL, 1);
}

TEST(the_power_goes_and_what_was_not_synced_is_lost)
{
    at_every_operation(FAULT_POWER, FAULT_LOSE_ALL, 2);
}

TEST(the_power_goes_and_some_of_it_is_lost)
{
    at_every_operation(FAULT_POWER, FAULT_KEEP_SOME, 3);
}

TEST(one_operation_fails)
{
    at_every_operation(FAULT_ERROR, FAULT_LOSE_ALL, 4);
}

TEST(the_disk_is_full)
{
    at_every_operation(FAULT_FULL, FAULT_LOSE_ALL, 5);
}
