/* engine_scene.c - runs an engine for a test. See engine_scene.h. */
#include "service/engine_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/place.h"
#include "support/cmocka_all.h"

lotor_refusal scene_refusal;
size_t scene_late;

static uint64_t scene_clock(void *context)
{
    return ((const engine_scene *)context)->now;
}

static uint64_t scene_store_clock(void *context)
{
    const engine_scene *scene = context;
    return scene->now + (uint64_t)scene->skew;
}

void scene_start(engine_scene *scene)
{
    memset(scene, 0, sizeof *scene);
    scene->disk = fault_vfs_new();
    scene->now = 1700000000000;
    if (access("/dev/shm", W_OK) == 0) {
        setenv("TMPDIR", "/dev/shm", 0); /* syncing the head file is not tested here */
    }
    scratch_start(&scene->files);
}

void scene_drop(engine_scene *scene)
{
    lotor_engine_free(scene->engine);
    lotor_store_close(scene->store);
    lotor_vault_free(scene->vault);
    lotor_heads_free(scene->heads);
    scene->heads = NULL;
    scene->engine = NULL;
    scene->store = NULL;
    scene->vault = NULL;
}

int scene_end(engine_scene *scene)
{
    scene_drop(scene);
    fault_vfs_free(scene->disk);
    scratch_end(&scene->files);
    return 0;
}

static lotor_status try_open(engine_scene *scene, bool accept_rollback,
                             uint64_t (*clock)(void *context))
{
    lotor_status status =
        lotor_vault_open(scratch_path(&scene->files, "x.key"), true, &scene->why, &scene->vault);
    if (!status) {
        bool on_files = scene->is_on_files;
        status = lotor_store_open(on_files ? place_of(&scene->files) : "x.db", LOTOR_STORE_SERVE,
                                  on_files ? NULL : fault_vfs_name(scene->disk), &scene->why,
                                  &scene->store);
    }
    bool was_lost = false;
    if (!status) {
        status = lotor_heads_open(scratch_path(&scene->files, "x.key.head"), &scene->why,
                                  &scene->heads, &was_lost);
    }
    if (!status) {
        lotor_engine_setup setup = {.store = scene->store,
                                    .vault = scene->vault,
                                    .heads = scene->heads,
                                    .heads_were_lost = was_lost,
                                    .accept_rollback = accept_rollback,
                                    .boot_clock = clock,
                                    .store_clock = clock == scene_clock ? scene_store_clock : clock,
                                    .clock_context = scene};
        status = lotor_engine_new(&setup, &scene->why, &scene->engine);
    }
    if (status) {
        scene_drop(scene);
    }
    return status;
}

lotor_status scene_try_open(engine_scene *scene, bool accept_rollback)
{
    return try_open(scene, accept_rollback, scene_clock);
}

void scene_open_on(engine_scene *scene, uint64_t (*clock)(void *context))
{
    if (try_open(scene, false, clock)) {
        fail_msg("%s", scene->why.text);
    }
}

void scene_open(engine_scene *scene)
{
    if (scene_try_open(scene, false)) {
        fail_msg("%s", scene->why.text);
    }
}

void scene_stop(engine_scene *scene)
{
    if (lotor_engine_stop(scene->engine, &scene->why)) {
        fail_msg("%s", scene->why.text);
    }
    scene_drop(scene);
}

void scene_crash(engine_scene *scene)
{
    fault_vfs_arm(scene->disk, FAULT_POWER, 1);
    scene_drop(scene);
    fault_vfs_restart(scene->disk, FAULT_LOSE_ALL, 1);
    fault_vfs_arm(scene->disk, FAULT_NONE, 0);
}

void scene_step(engine_scene *scene)
{
    lotor_engine_step(scene->engine, &scene->why);
}

void scene_wait(engine_scene *scene, uint64_t milliseconds)
{
    scene->now += milliseconds;
    scene_step(scene);
}

json_t *scene_json(const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    for (char *at = copy; *at; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    json_error_t error;
    json_t *json = json_loads(copy, JSON_DECODE_ANY, &error);
    if (!json) {
        fail_msg("%s: %s", error.text, copy);
    }
    free(copy);
    return json;
}

static void note_done(lotor_job *job)
{
    ((scene_job *)job->owner)->is_done = true;
}

static lotor_job *start_job(scene_job *job)
{
    *job = (scene_job){.job = {.done = note_done, .owner = job}};
    return &job->job;
}

static lotor_code finish_job(engine_scene *scene, scene_job *job, lotor_when when)
{
    if (when == LOTOR_LATER) {
        assert_false(job->is_done);
        scene_step(scene);
        for (int i = 0; scene->is_patient && !job->is_done && i < 20; i++) {
            scene_wait(scene, 200);
        }
        assert_true(job->is_done);
    }
    scene_refusal = job->job.refusal;
    scene_late = job->job.late;
    return scene_refusal.code;
}

lotor_code scene_create(engine_scene *scene, const char *text)
{
    json_t *json = scene_json(text);
    lotor_spec *spec;
    lotor_code code = lotor_spec_read(json, &scene_refusal, &spec);
    json_decref(json);
    if (code) {
        return code;
    }
    scene_job job;
    lotor_when when = lotor_engine_create(scene->engine, spec, start_job(&job));
    return finish_job(scene, &job, when);
}

lotor_code scene_close_campaign(engine_scene *scene, const char *name)
{
    scene_job job;
    lotor_when when = lotor_engine_close(scene->engine, name, start_job(&job));
    return finish_job(scene, &job, when);
}

lotor_code scene_arms(engine_scene *scene, const char *name, const char *text)
{
    scene_job job;
    json_t *json = scene_json(text);
    lotor_when when = lotor_engine_change_arms(scene->engine, name, json, start_job(&job));
    json_decref(json);
    return finish_job(scene, &job, when);
}

lotor_code scene_rank(engine_scene *scene, const char *name, lotor_ranking *ranking)
{
    return scene_rank_with(scene, name, NULL, NULL, NULL, ranking);
}

lotor_code scene_rank_with(engine_scene *scene, const char *name, const char *user,
                           const char *context, const char *eligible, lotor_ranking *ranking)
{
    json_t *numbers = context ? scene_json(context) : NULL;
    json_t *arms = eligible ? scene_json(eligible) : NULL;
    *ranking = (lotor_ranking){
        .user = user, .user_length = user ? strlen(user) : 0, .context = numbers, .eligible = arms};
    scene_job job;
    lotor_when when = lotor_engine_rank(scene->engine, name, ranking, 1, start_job(&job));
    json_decref(numbers);
    json_decref(arms);
    return finish_job(scene, &job, when);
}

lotor_code scene_rank_many(engine_scene *scene, const char *name, lotor_ranking *rankings,
                           size_t count)
{
    scene_job job;
    memset(rankings, 0, count * sizeof *rankings);
    lotor_when when = lotor_engine_rank(scene->engine, name, rankings, count, start_job(&job));
    return finish_job(scene, &job, when);
}

void scene_queue_rank(engine_scene *scene, const char *name, lotor_ranking *ranking, scene_job *job)
{
    *ranking = (lotor_ranking){0};
    scene_queue_ranking(scene, name, ranking, job);
}

void scene_queue_ranking(engine_scene *scene, const char *name, lotor_ranking *ranking,
                         scene_job *job)
{
    lotor_when when = lotor_engine_rank(scene->engine, name, ranking, 1, start_job(job));
    job->is_done = when == LOTOR_NOW;
}

void scene_queue_reward(engine_scene *scene, const char *event, const char *text, scene_job *job)
{
    json_t *json = scene_json(text);
    lotor_reward reward = {event, json};
    lotor_when when = lotor_engine_reward(scene->engine, &reward, 1, false, start_job(job));
    json_decref(json);
    job->is_done = when == LOTOR_NOW;
}

lotor_code scene_reward(engine_scene *scene, const char *event, const char *text)
{
    json_t *json = scene_json(text);
    lotor_reward reward = {event, json};
    scene_job job;
    lotor_when when = lotor_engine_reward(scene->engine, &reward, 1, false, start_job(&job));
    json_decref(json);
    return finish_job(scene, &job, when);
}

lotor_code scene_rewards(engine_scene *scene, const lotor_reward *rewards, size_t count)
{
    scene_job job;
    lotor_when when = lotor_engine_reward(scene->engine, rewards, count, true, start_job(&job));
    return finish_job(scene, &job, when);
}

static void must(lotor_code code)
{
    if (code) {
        fail_msg("%s: %s: %s", lotor_code_name(code), scene_refusal.field,
                 scene_refusal.message.text);
    }
}

void scene_must_create(engine_scene *scene, const char *json)
{
    must(scene_create(scene, json));
}

void scene_must_rank(engine_scene *scene, const char *name, lotor_ranking *ranking)
{
    must(scene_rank(scene, name, ranking));
}

void scene_must_reward(engine_scene *scene, const char *event, const char *json)
{
    must(scene_reward(scene, event, json));
}

double scene_number(engine_scene *scene, const char *name, const char *path)
{
    json_t *root = lotor_engine_describe(scene->engine, name, &scene_refusal);
    assert_non_null(root);
    const json_t *at = root;
    char copy[64];
    snprintf(copy, sizeof copy, "%s", path);
    char *rest = NULL;
    for (char *key = strtok_r(copy, ".", &rest); key; key = strtok_r(NULL, ".", &rest)) {
        at = json_is_array(at) ? json_array_get(at, strtoul(key, NULL, 10))
                               : json_object_get(at, key);
        assert_non_null(at);
    }
    double value = json_is_boolean(at)  ? json_is_true(at)
                   : json_is_number(at) ? json_number_value(at)
                                        : (double)NAN;
    json_decref(root);
    return value;
}

int scene_end_soundly(engine_scene *scene)
{
    lotor_message finding = {""};
    const bool is_sound = !scene->store || lotor_store_check(scene->store, &finding) == LOTOR_OK;
    scene_end(scene);
    if (!is_sound) {
        print_error("%s\n", finding.text);
    }
    return is_sound ? 0 : -1;
}

lotor_status scene_add_release(void *context, const lotor_release *release)
{
    lotor_released *sum = context;
    for (size_t i = 0; i < release->facts_length; i += 40) {
        double value;
        uint64_t count;
        memcpy(&value, release->facts + i + 16, 8);
        memcpy(&count, release->facts + i + 24, 8);
        sum->value += value;
        sum->count += count;
    }
    return LOTOR_OK;
}
