/* engine_scene.h - an engine on a disk in memory, with a clock that the test sets. */
#ifndef LOTOR_TESTS_ENGINE_SCENE_H
#define LOTOR_TESTS_ENGINE_SCENE_H

#include "service/engine/engine.h"
#include "service/fault_vfs.h"
#include "service/scratch.h"

typedef struct engine_scene {
    fault_vfs *disk;
    scratch files; /* the key file and the head file */
    lotor_store *store;
    lotor_vault *vault;
    lotor_heads *heads;
    lotor_engine *engine;
    /* set it after scene_start: the store is a file, or the database of place.h */
    bool is_on_files;
    bool is_patient; /* a request may wait for several steps, 200 ms apart */
    uint64_t now;
    int64_t skew; /* how far the store's clock is ahead of `now` */
    lotor_message why;
} engine_scene;

/* A job that remembers whether `done` was called. */
typedef struct scene_job {
    lotor_job job;
    bool is_done;
} scene_job;

/* Fails the test if it can't be made. */
void scene_start(engine_scene *scene);
int scene_end(engine_scene *scene); /* 0 */
/* The same; -1, and why, unless the store is sound, whatever a test did. */
int scene_end_soundly(engine_scene *scene);

/* Opens the store and the engine, and returns the status. */
lotor_status scene_try_open(engine_scene *scene, bool accept_rollback);
void scene_open(engine_scene *scene);

/* The variable `scene`, and functions `start` and `end` for TEST_WITH: each test gets an open scene of its own. `ending`:
 * scene_end or scene_end_soundly. */
#define SCENE_OF_EACH_TEST(ending)                                                                 \
    static engine_scene scene;                                                                     \
    static int start(__attribute__((unused)) void **state)                                         \
    {                                                                                              \
        scene_start(&scene);                                                                       \
        scene_open(&scene);                                                                        \
        return 0;                                                                                  \
    }                                                                                              \
    static int end(__attribute__((unused)) void **state)                                           \
    {                                                                                              \
        return ending(&scene);                                                                     \
    }                                                                                              \
    _Static_assert(1, "a semicolon follows")

void scene_open_on(engine_scene *scene, uint64_t (*clock)(void *context));
void scene_stop(engine_scene *scene);  /* a clean stop */
void scene_crash(engine_scene *scene); /* a power loss: what was synced stays */
/* Closes what is open. The disk stays. */
void scene_drop(engine_scene *scene);

void scene_step(engine_scene *scene);
void scene_wait(engine_scene *scene, uint64_t milliseconds); /* also makes a step */

/* Each queues a job, makes a step, and returns the refusal's code. JSON texts may use ' instead
 * of ". */
lotor_code scene_create(engine_scene *scene, const char *json);
lotor_code scene_close_campaign(engine_scene *scene, const char *name);
lotor_code scene_arms(engine_scene *scene, const char *name, const char *json);
lotor_code scene_rank(engine_scene *scene, const char *name, lotor_ranking *ranking);
lotor_code scene_rank_with(engine_scene *scene, const char *name, const char *user,
                           const char *context, const char *eligible, lotor_ranking *ranking);
lotor_code scene_rank_many(engine_scene *scene, const char *name, lotor_ranking *rankings,
                           size_t count);
lotor_code scene_reward(engine_scene *scene, const char *event, const char *json);

lotor_code scene_rewards(engine_scene *scene, const lotor_reward *rewards, size_t count);

/* The same; a refusal fails the test. */
void scene_must_create(engine_scene *scene, const char *json);
void scene_must_rank(engine_scene *scene, const char *name, lotor_ranking *ranking);
void scene_must_reward(engine_scene *scene, const char *event, const char *json);

/* The noise is far below one reward, so released means are the means of the feedback. */
#define LOUD "'epsilon': 1000000"
#define ONE_ARM_WITH(more)                                                                         \
    "{'name': 'one', 'algorithm': 'batch-klucb', 'arms': ['a'], 'max_arms': 1, " LOUD              \
    ", 'wait_seconds': 1" more "}"
#define ONE_ARM ONE_ARM_WITH("")

/* With wait_seconds 1: a block is handed out for 250 ms, and ends a second later. */
enum { BLOCK_LIFE = 250, ALL_OVER = 1000 + BLOCK_LIFE + 1 };

/* The last refusal of any of these functions. */
extern lotor_refusal scene_refusal;
/* How many rewards of the last job were late. */
extern size_t scene_late;

/* The same without a step: the job waits, unless it is finished at once. */
void scene_queue_reward(engine_scene *scene, const char *event, const char *json, scene_job *job);
void scene_queue_rank(engine_scene *scene, const char *name, lotor_ranking *ranking,
                      scene_job *job);

void scene_queue_ranking(engine_scene *scene, const char *name, lotor_ranking *ranking,
                         scene_job *job); /* the ranking that is filled in */

json_t *scene_json(const char *text);
/* A number in the reply of lotor_engine_describe, by its path: "decisions", "arms.0.mean"; NAN:
 * null. */
double scene_number(engine_scene *scene, const char *name, const char *path);

/* A lotor_on_release whose context is a lotor_released: adds up the facts of a release. */
lotor_status scene_add_release(void *context, const lotor_release *release);

#endif
