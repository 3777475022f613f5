/* engine_rig.h - an engine on a disk in memory, with a clock that the test sets. */
#ifndef LOTOR_TESTS_ENGINE_RIG_H
#define LOTOR_TESTS_ENGINE_RIG_H

#include "service/engine/engine.h"
#include "service/fault_vfs.h"
#include "service/scratch.h"

typedef struct engine_rig {
    fault_vfs *disk;
    scratch files; /* the key file and the head file */
    lotor_store *store;
    lotor_server_key *server_key;
    lotor_heads *heads;
    lotor_engine *engine;
    /* set it after engine_start; true: the store is a file, or the database of place.h */
    bool is_on_files;
    bool
        refuses_weak; /* set it before the engine is opened; true: as without --allow-weak-epsilon */
    bool is_patient;  /* a request may wait for several steps, 200 ms apart */
    uint64_t now;
    int64_t skew; /* how far the store's clock is ahead of `now` */
    lotor_message why;
} engine_rig;

/* A job that remembers whether `done` was called. */
typedef struct engine_job {
    lotor_job job;
    bool is_done;
} engine_job;

/* Fails the test if it can't be made. */
void engine_start(engine_rig *rig);
int engine_end(engine_rig *rig); /* 0 */
/* The same, and checks the store. Returns -1 and prints the reason if the check finds an error. */
int engine_end_soundly(engine_rig *rig);

/* Opens the store and the engine, and returns the status. */
lotor_status engine_try_open(engine_rig *rig, bool accept_rollback);
void engine_open(engine_rig *rig);

/* The variable `rig`, and functions `start` and `end` for TEST_WITH: each test gets its own open
 * rig. `ending`: engine_end or engine_end_soundly. */
#define SCENE_OF_EACH_TEST(ending)                                                                 \
    static engine_rig rig;                                                                         \
    static int start(__attribute__((unused)) void **state)                                         \
    {                                                                                              \
        engine_start(&rig);                                                                        \
        engine_open(&rig);                                                                         \
        return 0;                                                                                  \
    }                                                                                              \
    static int end(__attribute__((unused)) void **state)                                           \
    {                                                                                              \
        return ending(&rig);                                                                       \
    }                                                                                              \
    _Static_assert(1, "a semicolon follows")

void engine_open_on(engine_rig *rig, uint64_t (*clock)(void *context));
void engine_stop(engine_rig *rig);  /* a clean stop */
void engine_crash(engine_rig *rig); /* a power loss: what was synced stays */
/* Closes what is open. The disk stays. */
void engine_drop(engine_rig *rig);

void engine_step(engine_rig *rig);
void engine_wait(engine_rig *rig, uint64_t milliseconds); /* also makes a step */

/* Each queues a job, makes a step, and returns the refusal's code. JSON texts may use ' instead
 * of ". */
lotor_code engine_create(engine_rig *rig, const char *json);
/* *reply: a new reference, NULL if it was refused. */
lotor_code engine_create_budget(engine_rig *rig, const char *json, json_t **reply);
lotor_code engine_get_budget(engine_rig *rig, const char *name, json_t **reply); /* NULL: all */
lotor_code engine_close_campaign(engine_rig *rig, const char *name);
lotor_code engine_act(engine_rig *rig, const char *name, lotor_act act);
lotor_code engine_arms(engine_rig *rig, const char *name, const char *json);
lotor_code engine_edit(engine_rig *rig, const char *name, const char *json);
lotor_code engine_rank(engine_rig *rig, const char *name, lotor_ranking *ranking);
lotor_code engine_rank_with(engine_rig *rig, const char *name, const char *user,
                            const char *context, const char *eligible, lotor_ranking *ranking);
lotor_code engine_rank_many(engine_rig *rig, const char *name, lotor_ranking *rankings,
                            size_t count);
lotor_code engine_reward(engine_rig *rig, const char *event, const char *json);

lotor_code engine_rewards(engine_rig *rig, const lotor_event_feedback *rewards, size_t count,
                          lotor_refusal *refusals);

/* The same; a refusal fails the test. */
void engine_must_create(engine_rig *rig, const char *json);
void engine_must_create_budget(engine_rig *rig, const char *json);
void engine_must_rank(engine_rig *rig, const char *name, lotor_ranking *ranking);
void engine_must_reward(engine_rig *rig, const char *event, const char *json);

/* The noise is far below one reward, so released means are the means of the feedback. */
#define LOUD "'epsilon': 1000000"
#define ONE_ARM_WITH(more)                                                                         \
    "{'name': 'one', 'algorithm': 'batch-klucb', 'arms': ['a'], 'max_arms': 1, " LOUD              \
    ", 'wait_seconds': 1" more "}"
#define ONE_ARM ONE_ARM_WITH("")

/* With wait_seconds 1: a block is handed out for 250 ms, and ends a second later. */
enum { BLOCK_LIFE = 250, ALL_OVER = 1000 + BLOCK_LIFE + 1 };

/* The last refusal of any of these functions. */
extern lotor_refusal engine_refusal;
/* How many rewards of the last job were late. */
extern size_t engine_late;

/* The same without a step: the job waits, unless it is finished at once. */
void engine_queue_reward(engine_rig *rig, const char *event, const char *json, engine_job *job);
void engine_queue_rank(engine_rig *rig, const char *name, lotor_ranking *ranking, engine_job *job);

void engine_queue_ranking(engine_rig *rig, const char *name, lotor_ranking *ranking,
                          engine_job *job); /* the ranking that is filled in */
void engine_queue_rankings(engine_rig *rig, const char *name, lotor_ranking *rankings, size_t count,
                           engine_job *job);

json_t *engine_json(const char *text);
/* A number in the reply of lotor_engine_describe, by its path: "decisions", "arms.0.mean"; NAN:
 * null. */
double engine_number(engine_rig *rig, const char *name, const char *path);

/* A lotor_on_fact whose context is a lotor_arm_fact: adds up the facts of a release. */
lotor_status engine_add_release(void *context, const lotor_release_row *release);

#endif
