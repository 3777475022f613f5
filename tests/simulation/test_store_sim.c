/* test_store_sim.c - the simulated store does what store.h says: locks, snapshots, commits, lost
 * tails of the log. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation/rows.h"
#include "simulation/sim.h"

const char *const sim_fault_names[FAULT_COUNT] = {NULL};

static sim world;
static lotor_message why;

void sim_violate(sim *at, const char *format, ...)
{
    (void)format;
    at->is_violated = true;
}

void sim_say(const sim *at, const char *format, ...)
{
    (void)at;
    (void)format;
}

static void start_world(sim_mode mode)
{
    memset(&world, 0, sizeof world);
    world.mode = mode;
    world.now = 1000000;
    world.schedule = rng_of(1, 1);
    world.base = db_new(&world.now);
    world.server_count = 2;
    for (int i = 0; i < 2; i++) {
        world.servers[i] = (sim_server){.sim = &world, .place = i, .state = SERVER_STEPPING};
        sim_store_connect(&world, &world.servers[i]);
    }
}

static int end_world(void **state)
{
    (void)state;
    db_free(world.base);
    return 0;
}

static lotor_store *store(int i)
{
    return &world.servers[i].store;
}

static lotor_status skip_lease(void *context, const lotor_lease *lease)
{
    *(lotor_lease *)context = *lease;
    return LOTOR_OK;
}

static void make_campaign(uint64_t id, const char *name, lotor_status expected)
{
    unsigned char seal[LOTOR_STORE_HASH] = {0};
    lotor_campaign_row row = {.id = id, .name = name, .spec = "{}", .seal = seal};
    assert_int_equal(
        lotor_store_add_campaign(store(0), &row, (const unsigned char *)"key", 3, &why), expected);
}

static lotor_lease lease_now(void)
{
    lotor_lease lease = {0};
    assert_int_equal(lotor_store_each_lease(store(1), skip_lease, &lease, &why), LOTOR_OK);
    return lease;
}

TEST_WITH(own_writes_are_seen_and_others_only_after_the_commit, NULL, end_world)
{
    start_world(SIM_SOLO);
    assert_int_equal(lotor_store_begin(store(0), &why), LOTOR_OK);
    make_campaign(1, "one", LOTOR_OK);
    make_campaign(2, "one", LOTOR_DUPLICATE);
    lotor_lease lease;
    bool got;
    assert_int_equal(lotor_store_take(store(0), 1, 7, 0, &why, &lease, &got), LOTOR_OK);
    assert_true(got);
    assert_int_equal(lease.epoch, 1);
    assert_int_equal(lease_now().epoch, 0); /* the other server sees nothing */
    assert_int_equal(lotor_store_commit(store(0), &why), LOTOR_OK);
    assert_int_equal(lease_now().epoch, 1);
}

TEST_WITH(rollback_leaves_nothing, NULL, end_world)
{
    start_world(SIM_SOLO);
    assert_int_equal(lotor_store_begin(store(0), &why), LOTOR_OK);
    make_campaign(1, "one", LOTOR_OK);
    lotor_store_rollback(store(0));
    for (int t = 0; t < DB_TABLES; t++) {
        assert_int_equal(db_count(world.base, (db_table)t), 0);
    }
    make_campaign(1, "one", LOTOR_OK);
}

/* For two servers in fibers. */
static lotor_status status_of_second;
static bool second_got, second_is_over;
static uint64_t second_seen; /* the epoch that the second server knows */

static void take_as_second(void *context)
{
    (void)context;
    lotor_lease lease;
    status_of_second = lotor_store_begin(store(1), &why);
    if (!status_of_second) {
        status_of_second = lotor_store_take(store(1), 1, 8, second_seen, &why, &lease, &second_got);
    }
    if (!status_of_second) {
        status_of_second = lotor_store_commit(store(1), &why);
    }
    second_is_over = true;
}

static fiber *start_second(void (*run)(void *))
{
    second_is_over = second_got = false;
    fiber *second = fiber_new(run, NULL);
    for (int i = 0; i < 20 && !second_is_over && !world.servers[1].blocked_until; i++) {
        fiber_resume(second);
    }
    return second;
}

static void finish_second(fiber *second)
{
    for (int i = 0; i < 50 && !fiber_is_over(second); i++) {
        fiber_resume(second);
    }
    assert_true(second_is_over);
    fiber_free(second);
}

TEST_WITH(a_second_writer_waits_and_looks_again, NULL, end_world)
{
    start_world(SIM_SOLO);
    make_campaign(1, "one", LOTOR_OK);
    lotor_lease lease;
    bool done;
    assert_int_equal(lotor_store_begin(store(0), &why), LOTOR_OK);
    assert_int_equal(lotor_store_take(store(0), 1, 7, 0, &why, &lease, &done), LOTOR_OK);
    assert_int_equal(lotor_store_commit(store(0), &why), LOTOR_OK);

    /* The owner is in its cycle. The other server tries to take the lease, and must wait. */
    assert_int_equal(lotor_store_begin(store(0), &why), LOTOR_OK);
    lease.sealed = 5;
    assert_int_equal(lotor_store_put_lease(store(0), &lease, &why, &done), LOTOR_OK);
    assert_true(done);
    second_seen = 1;
    fiber *second = start_second(take_as_second);
    assert_true(sim_is_blocked(&world.servers[1]));
    assert_int_equal(lotor_store_commit(store(0), &why), LOTOR_OK);
    assert_false(sim_is_blocked(&world.servers[1]));
    finish_second(second);
    assert_int_equal(status_of_second, LOTOR_OK);
    assert_false(second_got); /* the epoch has changed */
    second_seen = 2;
    second = start_second(take_as_second);
    finish_second(second);
    assert_int_equal(status_of_second, LOTOR_OK);
    assert_true(second_got); /* server 7 has no row, so it is not live */
    assert_int_equal(lease_now().sealed, 5);
    assert_int_equal(lease_now().owner, 8);

    /* The old owner is fenced. */
    assert_int_equal(lotor_store_begin(store(0), &why), LOTOR_OK);
    assert_int_equal(lotor_store_put_lease(store(0), &lease, &why, &done), LOTOR_OK);
    assert_false(done);
    lotor_store_rollback(store(0));
}

TEST_WITH(a_wait_for_a_row_ends_after_two_seconds, NULL, end_world)
{
    start_world(SIM_SOLO);
    make_campaign(1, "one", LOTOR_OK);
    lotor_lease lease;
    bool done;
    assert_int_equal(lotor_store_begin(store(0), &why), LOTOR_OK);
    assert_int_equal(lotor_store_take(store(0), 1, 7, 0, &why, &lease, &done), LOTOR_OK);
    second_seen = 0;
    fiber *second = start_second(take_as_second);
    assert_true(sim_is_blocked(&world.servers[1]));
    world.now += 2000;
    finish_second(second);
    assert_int_equal(status_of_second, LOTOR_UNFINISHED);
    lotor_store_rollback(store(1));
    assert_int_equal(lotor_store_commit(store(0), &why), LOTOR_OK);
}

static void make_as_second(void *context)
{
    (void)context;
    unsigned char seal[LOTOR_STORE_HASH] = {0};
    lotor_campaign_row row = {.id = 9, .name = "nine", .spec = "{}", .seal = seal};
    status_of_second =
        lotor_store_add_campaign(store(1), &row, (const unsigned char *)"key", 3, &why);
    second_is_over = true;
}

TEST_WITH(a_commit_waits_for_the_standby, NULL, end_world)
{
    start_world(SIM_SYNC);
    fiber *second = start_second(make_as_second);
    assert_true(sim_is_blocked(&world.servers[1]));
    assert_null(db_read(world.base, NULL, DB_LEASES, (db_key){{9, 0, 0}}));
    sim_standby(&world, world.base->last_lsn);
    finish_second(second);
    assert_int_equal(status_of_second, LOTOR_OK);
    assert_non_null(db_read(world.base, NULL, DB_LEASES, (db_key){{9, 0, 0}}));
}

TEST_WITH(a_commit_that_was_given_up_becomes_visible_later, NULL, end_world)
{
    start_world(SIM_SYNC);
    fiber *second = start_second(make_as_second);
    world.now += 3000;
    finish_second(second);
    assert_int_equal(status_of_second, LOTOR_UNFINISHED);
    assert_null(db_read(world.base, NULL, DB_LEASES, (db_key){{9, 0, 0}}));
    sim_standby(&world, world.base->last_lsn);
    assert_non_null(db_read(world.base, NULL, DB_LEASES, (db_key){{9, 0, 0}}));
}

TEST_WITH(a_commit_with_a_warning_is_visible_and_lost_by_a_failover, NULL, end_world)
{
    start_world(SIM_SYNC);
    world.servers[1].traps[FAULT_WARNING] = true;
    fiber *second = start_second(make_as_second);
    finish_second(second);
    assert_int_equal(status_of_second, LOTOR_UNFINISHED);
    assert_non_null(db_read(world.base, NULL, DB_LEASES, (db_key){{9, 0, 0}}));
    db_fail_over(world.base);
    assert_null(db_read(world.base, NULL, DB_LEASES, (db_key){{9, 0, 0}}));
}

TEST_WITH(a_failover_without_a_standby_in_time_loses_the_tail, NULL, end_world)
{
    start_world(SIM_ASYNC);
    make_campaign(1, "one", LOTOR_OK);
    sim_standby(&world, world.base->last_lsn);
    lotor_lease lease;
    bool done;
    assert_int_equal(lotor_store_begin(store(0), &why), LOTOR_OK);
    assert_int_equal(lotor_store_take(store(0), 1, 7, 0, &why, &lease, &done), LOTOR_OK);
    assert_int_equal(lotor_store_commit(store(0), &why), LOTOR_OK);
    make_campaign(2, "two", LOTOR_OK);
    db_fail_over(world.base);
    assert_int_equal(lease_now().campaign, 1);
    assert_int_equal(lease_now().epoch, 0);
    make_campaign(2, "two", LOTOR_OK);
    db_restart(world.base); /* a restart loses nothing */
    assert_int_equal(lease_now().campaign, 2);
}

static lotor_status count_open(void *context, uint64_t first, uint64_t nonce)
{
    (void)first;
    (void)nonce;
    ++*(int *)context;
    return LOTOR_OK;
}

TEST_WITH(sealed_blocks_are_not_open, NULL, end_world)
{
    start_world(SIM_SOLO);
    make_campaign(1, "one", LOTOR_OK);
    lotor_block_row block = {.first = 1,
                             .count = 4,
                             .nonce = 11,
                             .drawn = (const unsigned char *)"d",
                             .drawn_length = 1};
    assert_int_equal(lotor_store_add_block(store(0), 1, &block, &why), LOTOR_OK);
    assert_int_equal(lotor_store_add_block(store(0), 1, &block, &why), LOTOR_DUPLICATE);
    block.first = 5;
    assert_int_equal(lotor_store_add_block(store(0), 1, &block, &why), LOTOR_OK);
    int open = 0;
    assert_int_equal(lotor_store_each_open(store(0), 1, 1, 5, count_open, &open, &why), LOTOR_OK);
    assert_int_equal(open, 2);
    lotor_lease lease;
    bool done;
    assert_int_equal(lotor_store_begin(store(0), &why), LOTOR_OK);
    assert_int_equal(lotor_store_take(store(0), 1, 7, 0, &why, &lease, &done), LOTOR_OK);
    lease.sealed = 4;
    assert_int_equal(lotor_store_put_lease(store(0), &lease, &why, &done), LOTOR_OK);
    assert_int_equal(lotor_store_commit(store(0), &why), LOTOR_OK);
    open = 0;
    assert_int_equal(lotor_store_each_open(store(0), 1, 1, 5, count_open, &open, &why), LOTOR_OK);
    assert_int_equal(open, 1);
    assert_int_equal(lotor_store_forget(store(0), 1, 4, &why), LOTOR_OK);
    assert_int_equal(db_count(world.base, DB_BLOCKS), 1);
}

TEST_WITH(a_crashed_server_is_refused_everything, NULL, end_world)
{
    start_world(SIM_SOLO);
    make_campaign(1, "one", LOTOR_OK);
    assert_int_equal(lotor_store_begin(store(0), &why), LOTOR_OK);
    lotor_lease lease;
    bool done;
    assert_int_equal(lotor_store_take(store(0), 1, 7, 0, &why, &lease, &done), LOTOR_OK);
    sim_crash(&world.servers[0]);
    uint64_t now;
    assert_int_equal(lotor_store_commit(store(0), &why), LOTOR_UNFINISHED);
    lotor_store_rollback(store(0));
    assert_int_equal(lotor_store_now(store(0), &why, &now), LOTOR_UNFINISHED);
    world.now += 60000;
    sim_orphans(&world); /* its transaction has ended by now */
    assert_null(world.base->active);
    assert_int_equal(lease_now().epoch, 0);
}
