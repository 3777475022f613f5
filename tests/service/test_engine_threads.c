/* test_engine_threads.c - the writer's thread together with threads that rank, reward, read and
 * manage, on the real clock. All acknowledged feedback is counted exactly once. */
#include "support/test.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "service/engine_rig.h"

enum { THREADS = 4, MILLISECONDS = 1300 };

typedef struct waiting {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool is_done;
} waiting;

typedef struct visitor {
    lotor_engine *engine;
    pthread_t thread;
    uint64_t seen, answered, refused;
    waiting waiting;
} visitor;

static uint64_t real_clock(void *context)
{
    (void)context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1700000000000 + (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void note_done(lotor_job *job)
{
    waiting *at = job->owner;
    pthread_mutex_lock(&at->lock);
    at->is_done = true;
    pthread_cond_signal(&at->wake);
    pthread_mutex_unlock(&at->lock);
}

static void wait_for(waiting *at, lotor_completion when)
{
    pthread_mutex_lock(&at->lock);
    while (when == LOTOR_PENDING && !at->is_done) {
        pthread_cond_wait(&at->wake, &at->lock);
    }
    at->is_done = false;
    pthread_mutex_unlock(&at->lock);
}

static void *visit(void *context)
{
    visitor *self = context;
    uint64_t until = real_clock(NULL) + (uint64_t)test_seconds(MILLISECONDS);
    json_t *answer = json_loads("{\"rewards\": [1]}", 0, NULL);
    while (real_clock(NULL) < until) {
        lotor_ranking rankings[20] = {0};
        lotor_event_feedback rewards[20];
        lotor_job job = {.done = note_done, .owner = &self->waiting};
        wait_for(&self->waiting, lotor_engine_rank(self->engine, "one", rankings, 20, &job));
        self->refused += job.refusal.code != LOTOR_CODE_NONE;
        for (size_t i = 0; i < 20; i++) {
            rewards[i] = (lotor_event_feedback){rankings[i].event, answer};
        }
        self->seen += 20;
        if (self->seen % 60 == 0) {
            continue; /* one in three gets no feedback */
        }
        job = (lotor_job){.done = note_done, .owner = &self->waiting};
        lotor_refusal refusals[20] = {0};
        wait_for(&self->waiting, lotor_engine_reward(self->engine, rewards, 20, refusals, &job));
        self->refused += job.refusal.code != LOTOR_CODE_NONE || job.refused > 0;
        self->answered += 20 - job.late;
    }
    json_decref(answer);
    return NULL;
}

/* --- other threads ---------------------------------------------------------------------------- */

typedef struct bystander {
    lotor_engine *engine;
    pthread_t thread;
    _Atomic bool ends;
    uint64_t count, refused;
    waiting waiting;
} bystander;

static void drop(json_t *json, bystander *self)
{
    self->count += json != NULL;
    json_decref(json);
}

/* Reads everything that can be read. */
static void *look(void *context)
{
    bystander *self = context;
    lotor_refusal refusal;
    while (!atomic_load(&self->ends)) {
        drop(lotor_engine_list(self->engine, true, &refusal), self);
        drop(lotor_engine_describe(self->engine, "one", &refusal), self);
        drop(lotor_engine_guarantee(self->engine, "two", &refusal), self);
        drop(lotor_engine_readiness(self->engine), self);
        free(lotor_engine_metrics(self->engine));
        lotor_ranking ranking = {.takes_feedback = false};
        json_t *eligible = json_loads("[\"a\"]", 0, NULL), *history = NULL;
        ranking.eligible = eligible;
        lotor_job job = {.done = note_done, .owner = &self->waiting};
        wait_for(&self->waiting, lotor_engine_rank(self->engine, "two", &ranking, 1, &job));
        if (!job.refusal.code && ranking.takes_feedback) {
            drop(lotor_engine_event(self->engine, ranking.event, &refusal), self);
        }
        json_decref(eligible);
        job = (lotor_job){.done = note_done, .owner = &self->waiting};
        wait_for(&self->waiting,
                 lotor_engine_releases(self->engine, "one", 0, 1000, &history, &job));
        drop(history, self);
    }
    return NULL;
}

/* Raises max_arms of both campaigns. */
static void raise_max_arms(bystander *self, int number)
{
    static const char *const names[] = {"one", "two"};
    json_t *body = json_pack("{s:i}", "max_arms", number);
    for (size_t i = 0; i < 2; i++) {
        lotor_job job = {.done = note_done, .owner = &self->waiting};
        wait_for(&self->waiting, lotor_engine_edit(self->engine, names[i], body, &job));
        self->refused += job.refusal.code != LOTOR_CODE_NONE;
    }
    json_decref(body);
}

/* Creates and closes campaigns, changes arms, and raises max_arms. */
static void *manage(void *context)
{
    bystander *self = context;
    json_t *pause = json_loads("{\"pause\": [\"b\"]}", 0, NULL);
    json_t *resume = json_loads("{\"resume\": [\"b\"]}", 0, NULL);
    for (int i = 0; !atomic_load(&self->ends); i++) {
        lotor_refusal refusal;
        lotor_spec *spec;
        json_t *json = json_pack("{s:s++, s:s, s:[s], s:i, s:i}", "name", "more-",
                                 i % 2 ? "x" : "y", i % 4 < 2 ? "1" : "2", "algorithm",
                                 "batch-klucb", "arms", "a", "epsilon", 1, "wait_seconds", 1);
        assert_int_equal(lotor_spec_read(json, &refusal, &spec), LOTOR_CODE_NONE);
        lotor_job job = {.done = note_done, .owner = &self->waiting};
        wait_for(&self->waiting, lotor_engine_create(self->engine, spec, &job));
        job = (lotor_job){.done = note_done, .owner = &self->waiting};
        wait_for(&self->waiting,
                 lotor_engine_change_arms(self->engine, "two", i % 2 ? resume : pause, &job));
        self->count += job.refusal.code == LOTOR_CODE_NONE;
        job = (lotor_job){.done = note_done, .owner = &self->waiting};
        wait_for(&self->waiting,
                 lotor_engine_act(self->engine, json_string_value(json_object_get(json, "name")),
                                  LOTOR_ACT_CLOSE, &job));
        json_decref(json);
        if (i % 8 == 0 && i < 8000) {
            raise_max_arms(self, 10 + i / 2);
        }
    }
    json_decref(pause);
    json_decref(resume);
    return NULL;
}

static void start_bystander(lotor_engine *engine, bystander *self, void *(*run)(void *context))
{
    *self = (bystander){.engine = engine};
    pthread_mutex_init(&self->waiting.lock, NULL);
    pthread_cond_init(&self->waiting.wake, NULL);
    assert_int_equal(pthread_create(&self->thread, NULL, run, self), 0);
}

static void end_bystander(bystander *self)
{
    atomic_store(&self->ends, true);
    pthread_join(self->thread, NULL);
    pthread_mutex_destroy(&self->waiting.lock);
    pthread_cond_destroy(&self->waiting.wake);
    assert_true(self->count > 0);
    assert_int_equal(self->refused, 0);
}

static void run_visitors(lotor_engine *engine, visitor *visitors)
{
    bystander looker, manager;
    start_bystander(engine, &looker, look);
    start_bystander(engine, &manager, manage);
    for (size_t i = 0; i < THREADS; i++) {
        visitors[i] = (visitor){.engine = engine};
        pthread_mutex_init(&visitors[i].waiting.lock, NULL);
        pthread_cond_init(&visitors[i].waiting.wake, NULL);
        assert_int_equal(pthread_create(&visitors[i].thread, NULL, visit, &visitors[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(visitors[i].thread, NULL);
        pthread_mutex_destroy(&visitors[i].waiting.lock);
        pthread_cond_destroy(&visitors[i].waiting.wake);
    }
    end_bystander(&looker);
    end_bystander(&manager);
}

static lotor_status add_up(void *context, const lotor_release_row *release)
{
    double *sum = context;
    for (size_t i = 0; i < release->facts_length; i += 40) {
        double value;
        memcpy(&value, release->facts + i + 16, 8);
        *sum += value;
    }
    return LOTOR_OK;
}

TEST(threads_rank_and_reward_during_writes)
{
    /* On a busy machine, a server needs more time to write which decisions of a block were
     * shown. */
    const double wait_seconds = test_seconds(1);
    char one[256];
    snprintf(one, sizeof one,
             "{'name': 'one', 'algorithm': 'batch-klucb', 'arms': ['a'], 'max_arms': 1, " LOUD
             ", 'max_open': 10000000, 'wait_seconds': %g}",
             wait_seconds);
    engine_rig rig;
    engine_start(&rig);
    engine_open(&rig);
    engine_must_create(&rig, one);
    engine_must_create(&rig, "{'name': 'two', 'algorithm': 'batch-klucb', 'arms': ['a', 'b'], "
                             "'epsilon': 1, 'wait_seconds': 1}");
    engine_stop(&rig);
    engine_open_on(&rig, real_clock);
    assert_int_equal(lotor_engine_start(rig.engine, &rig.why), LOTOR_OK);
    visitor visitors[THREADS];
    run_visitors(rig.engine, visitors);
    assert_int_equal(lotor_engine_stop(rig.engine, &rig.why), LOTOR_OK);
    engine_drop(&rig);
    uint64_t seen = 0, answered = 0;
    for (size_t i = 0; i < THREADS; i++) {
        seen += visitors[i].seen;
        answered += visitors[i].answered;
        assert_int_equal(visitors[i].refused, 0);
    }
    assert_true(answered > 0);
    rig.now =
        /* without the thread, and without feedback, until the last batch is released */
        real_clock(NULL);
    engine_open(&rig);
    assert_int_equal(engine_number(&rig, "one", "decisions"), seen);
    while (engine_number(&rig, "one", "arms.0.count") < (double)seen) {
        for (int i = 0; i < 500; i++) {
            lotor_ranking ranking;
            engine_must_rank(&rig, "one", &ranking);
        }
        engine_wait(&rig, (uint64_t)((double)ALL_OVER * wait_seconds));
    }
    double sum = 0;
    assert_int_equal(lotor_store_each_release(rig.store, 1, 0, add_up, &sum, &rig.why), LOTOR_OK);
    assert_true(fabs(sum - (double)answered) < 0.5);
    engine_end(&rig);
}
