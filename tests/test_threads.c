/* test_threads.c - numbered tasks on several threads: each runs once, at the same time as others.
 * They end in order if one fails or the caller stops them. */
#include "support/test.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/threads.h"

enum { TASKS = 100 };

typedef struct tally {
    atomic_uint times[TASKS];
    atomic_uint works, watched; /* how often work and watch were called */
    uint64_t bad;               /* the task that fails */
    pthread_barrier_t meeting;
} tally;

static void count_tasks(void *context, lotor_threads *threads)
{
    tally *self = context;
    uint64_t task;
    atomic_fetch_add(&self->works, 1);
    while (lotor_threads_next(threads, &task)) {
        assert_true(lotor_threads_begun(threads) > task);
        atomic_fetch_add(&self->times[task], 1);
    }
}

static void count_watches(void *context, lotor_threads *threads)
{
    tally *self = context;
    assert_true(lotor_threads_begun(threads) <= threads->tasks);
    atomic_fetch_add(&self->watched, 1);
}

TEST(every_task_once)
{
    for (size_t wanted = 0; wanted <= 300; wanted = 3 * wanted + 1) {
        for (int watched = 0; watched < 2; watched++) {
            tally seen = {0};
            lotor_threads threads = {.wanted = wanted,
                                     .tasks = TASKS,
                                     .work = count_tasks,
                                     .watch = watched ? count_watches : NULL,
                                     .context = &seen};
            assert_int_equal(lotor_threads_run(&threads, NULL), LOTOR_OK);
            for (size_t i = 0; i < TASKS; i++) {
                assert_int_equal(atomic_load(&seen.times[i]), 1);
            }
            const size_t most = lotor_threads_count(wanted);
            assert_int_equal(atomic_load(&seen.works), most < TASKS ? most : TASKS);
            assert_int_equal(lotor_threads_begun(&threads), TASKS);
        }
    }
}

TEST(no_tasks)
{
    tally seen = {0};
    lotor_threads threads = {.wanted = 2, .work = count_tasks, .context = &seen};
    assert_int_equal(lotor_threads_run(&threads, NULL), LOTOR_OK);
    threads.watch = count_watches;
    assert_int_equal(lotor_threads_run(&threads, NULL), LOTOR_OK);
    assert_int_equal(atomic_load(&seen.works), 2);
}

TEST(number_of_threads)
{
    assert_true(lotor_threads_count(0) >= 1);
    assert_int_equal(lotor_threads_count(7), 7);
    assert_int_equal(lotor_threads_count(1000), LOTOR_MOST_THREADS);
}

static void meet(void *context, lotor_threads *threads)
{
    tally *self = context;
    uint64_t task;
    while (lotor_threads_next(threads, &task)) {
        (void)pthread_barrier_wait(&self->meeting);
    }
}

/* None of three tasks can end before all have begun. */
TEST(at_the_same_time)
{
    for (int watched = 0; watched < 2; watched++) {
        tally seen = {0};
        assert_int_equal(pthread_barrier_init(&seen.meeting, NULL, 3), 0);
        lotor_threads threads = {.wanted = 3,
                                 .tasks = 3,
                                 .work = meet,
                                 .watch = watched ? count_watches : NULL,
                                 .context = &seen};
        assert_int_equal(lotor_threads_run(&threads, NULL), LOTOR_OK);
        pthread_barrier_destroy(&seen.meeting);
    }
}

static void fail_at_bad(void *context, lotor_threads *threads)
{
    const tally *self = context;
    uint64_t task;
    while (lotor_threads_next(threads, &task)) {
        if (task >= self->bad) {
            const lotor_message why = {"a bad task"}, later = {"a later one"};
            lotor_threads_fail(threads, LOTOR_RANGE, &why);
            lotor_threads_fail(threads, LOTOR_MEMORY, &later);
        }
    }
}

TEST(first_failure_stops_all)
{
    for (size_t wanted = 1; wanted <= 4; wanted++) {
        tally seen = {.bad = 10};
        lotor_message why = {""};
        lotor_threads threads = {
            .wanted = wanted, .tasks = UINT64_MAX, .work = fail_at_bad, .context = &seen};
        assert_int_equal(lotor_threads_run(&threads, &why), LOTOR_RANGE);
        assert_string_equal(why.text, "a bad task");
    }
}

static void wait_for_stop(void *context, lotor_threads *threads)
{
    (void)context;
    uint64_t task;
    while (lotor_threads_next(threads, &task)) {
        while (!lotor_threads_are_stopped(threads)) {
        }
    }
}

static void stop(void *context, lotor_threads *threads)
{
    (void)context;
    lotor_threads_stop(threads);
}

TEST(a_stop_is_no_failure)
{
    lotor_threads threads = {
        .wanted = 2, .tasks = TASKS, .work = wait_for_stop, .watch = stop, .context = NULL};
    assert_int_equal(lotor_threads_run(&threads, NULL), LOTOR_OK);
    assert_true(lotor_threads_begun(&threads) <= 2);
}
