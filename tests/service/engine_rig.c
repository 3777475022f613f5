/* engine_rig.c - runs an engine for a test. See engine_rig.h. */
#include "service/engine_rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/place.h"
#include "support/cmocka_all.h"

lotor_refusal engine_refusal;
size_t engine_late;

static uint64_t engine_clock(void *context)
{
    return ((const engine_rig *)context)->now;
}

static uint64_t engine_store_clock(void *context)
{
    const engine_rig *rig = context;
    return rig->now + (uint64_t)rig->skew;
}

void engine_start(engine_rig *rig)
{
    memset(rig, 0, sizeof *rig);
    rig->disk = fault_vfs_new();
    rig->now = 1700000000000;
    if (access("/dev/shm", W_OK) == 0) {
        setenv("TMPDIR", "/dev/shm", 0); /* syncing the head file is not tested here */
    }
    scratch_start(&rig->files);
}

void engine_drop(engine_rig *rig)
{
    lotor_engine_free(rig->engine);
    lotor_store_close(rig->store);
    lotor_server_key_free(rig->server_key);
    lotor_heads_free(rig->heads);
    rig->heads = NULL;
    rig->engine = NULL;
    rig->store = NULL;
    rig->server_key = NULL;
}

int engine_end(engine_rig *rig)
{
    engine_drop(rig);
    fault_vfs_free(rig->disk);
    scratch_end(&rig->files);
    return 0;
}

static lotor_status try_open(engine_rig *rig, bool accept_rollback,
                             uint64_t (*clock)(void *context))
{
    lotor_status status = lotor_server_key_open(scratch_path(&rig->files, "x.key"), true, &rig->why,
                                                &rig->server_key);
    if (!status) {
        bool on_files = rig->is_on_files;
        status =
            lotor_store_open(on_files ? place_of(&rig->files) : "x.db", LOTOR_STORE_SERVE,
                             on_files ? NULL : fault_vfs_name(rig->disk), &rig->why, &rig->store);
    }
    bool was_lost = false;
    if (!status) {
        status = lotor_heads_open(scratch_path(&rig->files, "x.key.head"), &rig->why, &rig->heads,
                                  &was_lost);
    }
    if (!status) {
        lotor_engine_setup setup = {.allow_weak_epsilon = !rig->refuses_weak,
                                    .store = rig->store,
                                    .server_key = rig->server_key,
                                    .heads = rig->heads,
                                    .heads_were_lost = was_lost,
                                    .accept_rollback = accept_rollback,
                                    .boot_clock = clock,
                                    .store_clock =
                                        clock == engine_clock ? engine_store_clock : clock,
                                    .clock_context = rig};
        status = lotor_engine_new(&setup, &rig->why, &rig->engine);
    }
    if (status) {
        engine_drop(rig);
    }
    return status;
}

lotor_status engine_try_open(engine_rig *rig, bool accept_rollback)
{
    return try_open(rig, accept_rollback, engine_clock);
}

void engine_open_on(engine_rig *rig, uint64_t (*clock)(void *context))
{
    if (try_open(rig, false, clock)) {
        fail_msg("%s", rig->why.text);
    }
}

void engine_open(engine_rig *rig)
{
    if (engine_try_open(rig, false)) {
        fail_msg("%s", rig->why.text);
    }
}

void engine_stop(engine_rig *rig)
{
    if (lotor_engine_stop(rig->engine, &rig->why)) {
        fail_msg("%s", rig->why.text);
    }
    engine_drop(rig);
}

void engine_crash(engine_rig *rig)
{
    fault_vfs_arm(rig->disk, FAULT_POWER, 1);
    engine_drop(rig);
    fault_vfs_restart(rig->disk, FAULT_LOSE_ALL, 1);
    fault_vfs_arm(rig->disk, FAULT_NONE, 0);
}

void engine_step(engine_rig *rig)
{
    lotor_engine_step(rig->engine, &rig->why);
}

void engine_wait(engine_rig *rig, uint64_t milliseconds)
{
    rig->now += milliseconds;
    engine_step(rig);
}

json_t *engine_json(const char *text)
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
    ((engine_job *)job->owner)->is_done = true;
}

static lotor_job *start_job(engine_job *job)
{
    *job = (engine_job){.job = {.done = note_done, .owner = job}};
    return &job->job;
}

static lotor_code finish_job(engine_rig *rig, engine_job *job, lotor_completion when)
{
    if (when == LOTOR_PENDING) {
        assert_false(job->is_done);
        engine_step(rig);
        for (int i = 0; rig->is_patient && !job->is_done && i < 20; i++) {
            engine_wait(rig, 200);
        }
        assert_true(job->is_done);
    }
    engine_refusal = job->job.refusal;
    engine_late = job->job.late;
    return engine_refusal.code;
}

lotor_code engine_create(engine_rig *rig, const char *text)
{
    json_t *json = engine_json(text);
    lotor_spec *spec;
    lotor_code code = lotor_spec_read(json, &engine_refusal, &spec);
    json_decref(json);
    if (code) {
        return code;
    }
    engine_job job;
    lotor_completion when = lotor_engine_create(rig->engine, spec, start_job(&job));
    return finish_job(rig, &job, when);
}

lotor_code engine_create_budget(engine_rig *rig, const char *text, json_t **reply)
{
    json_t *json = engine_json(text);
    lotor_budget_spec spec;
    const lotor_code code = lotor_budget_spec_read(json, &engine_refusal, &spec);
    json_decref(json);
    *reply = NULL;
    if (code) {
        return code;
    }
    engine_job job;
    lotor_completion when = lotor_engine_create_budget(rig->engine, &spec, reply, start_job(&job));
    return finish_job(rig, &job, when);
}

lotor_code engine_get_budget(engine_rig *rig, const char *name, json_t **reply)
{
    engine_job job;
    lotor_completion when = lotor_engine_budgets(rig->engine, name, reply, start_job(&job));
    return finish_job(rig, &job, when);
}

lotor_code engine_close_campaign(engine_rig *rig, const char *name)
{
    return engine_act(rig, name, LOTOR_ACT_CLOSE);
}

lotor_code engine_act(engine_rig *rig, const char *name, lotor_act act)
{
    engine_job job;
    lotor_completion when = lotor_engine_act(rig->engine, name, act, start_job(&job));
    return finish_job(rig, &job, when);
}

lotor_code engine_arms(engine_rig *rig, const char *name, const char *text)
{
    engine_job job;
    json_t *json = engine_json(text);
    lotor_completion when = lotor_engine_change_arms(rig->engine, name, json, start_job(&job));
    json_decref(json);
    return finish_job(rig, &job, when);
}

lotor_code engine_edit(engine_rig *rig, const char *name, const char *text)
{
    engine_job job;
    json_t *json = engine_json(text);
    lotor_completion when = lotor_engine_edit(rig->engine, name, json, start_job(&job));
    json_decref(json);
    return finish_job(rig, &job, when);
}

lotor_code engine_rank(engine_rig *rig, const char *name, lotor_ranking *ranking)
{
    return engine_rank_with(rig, name, NULL, NULL, NULL, ranking);
}

lotor_code engine_rank_with(engine_rig *rig, const char *name, const char *user,
                            const char *context, const char *eligible, lotor_ranking *ranking)
{
    json_t *numbers = context ? engine_json(context) : NULL;
    json_t *arms = eligible ? engine_json(eligible) : NULL;
    *ranking = (lotor_ranking){
        .user = user, .user_length = user ? strlen(user) : 0, .context = numbers, .eligible = arms};
    engine_job job;
    lotor_completion when = lotor_engine_rank(rig->engine, name, ranking, 1, start_job(&job));
    json_decref(numbers);
    json_decref(arms);
    return finish_job(rig, &job, when);
}

lotor_code engine_rank_many(engine_rig *rig, const char *name, lotor_ranking *rankings,
                            size_t count)
{
    engine_job job;
    memset(rankings, 0, count * sizeof *rankings);
    lotor_completion when = lotor_engine_rank(rig->engine, name, rankings, count, start_job(&job));
    return finish_job(rig, &job, when);
}

void engine_queue_rank(engine_rig *rig, const char *name, lotor_ranking *ranking, engine_job *job)
{
    *ranking = (lotor_ranking){0};
    engine_queue_ranking(rig, name, ranking, job);
}

void engine_queue_ranking(engine_rig *rig, const char *name, lotor_ranking *ranking,
                          engine_job *job)
{
    engine_queue_rankings(rig, name, ranking, 1, job);
}

void engine_queue_rankings(engine_rig *rig, const char *name, lotor_ranking *rankings, size_t count,
                           engine_job *job)
{
    lotor_completion when = lotor_engine_rank(rig->engine, name, rankings, count, start_job(job));
    job->is_done = when == LOTOR_COMPLETED;
}

void engine_queue_reward(engine_rig *rig, const char *event, const char *text, engine_job *job)
{
    json_t *json = engine_json(text);
    lotor_event_feedback reward = {event, json};
    lotor_completion when = lotor_engine_reward(rig->engine, &reward, 1, NULL, start_job(job));
    json_decref(json);
    job->is_done = when == LOTOR_COMPLETED;
}

lotor_code engine_reward(engine_rig *rig, const char *event, const char *text)
{
    json_t *json = engine_json(text);
    lotor_event_feedback reward = {event, json};
    engine_job job;
    lotor_completion when = lotor_engine_reward(rig->engine, &reward, 1, NULL, start_job(&job));
    json_decref(json);
    return finish_job(rig, &job, when);
}

lotor_code engine_rewards(engine_rig *rig, const lotor_event_feedback *rewards, size_t count,
                          lotor_refusal *refusals)
{
    engine_job job;
    lotor_completion when =
        lotor_engine_reward(rig->engine, rewards, count, refusals, start_job(&job));
    return finish_job(rig, &job, when);
}

static void must(lotor_code code)
{
    if (code) {
        fail_msg("%s: %s: %s", lotor_code_name(code), engine_refusal.field,
                 engine_refusal.message.text);
    }
}

void engine_must_create(engine_rig *rig, const char *json)
{
    must(engine_create(rig, json));
}

void engine_must_create_budget(engine_rig *rig, const char *json)
{
    json_t *reply;
    must(engine_create_budget(rig, json, &reply));
    assert_non_null(reply);
    json_decref(reply);
}

void engine_must_rank(engine_rig *rig, const char *name, lotor_ranking *ranking)
{
    must(engine_rank(rig, name, ranking));
}

void engine_must_reward(engine_rig *rig, const char *event, const char *json)
{
    must(engine_reward(rig, event, json));
}

double engine_number(engine_rig *rig, const char *name, const char *path)
{
    json_t *root = lotor_engine_describe(rig->engine, name, &engine_refusal);
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

int engine_end_soundly(engine_rig *rig)
{
    lotor_message finding = {""};
    const bool is_sound = !rig->store || lotor_store_check(rig->store, &finding) == LOTOR_OK;
    engine_end(rig);
    if (!is_sound) {
        print_error("%s\n", finding.text);
    }
    return is_sound ? 0 : -1;
}

lotor_status engine_add_release(void *context, const lotor_release_row *release)
{
    lotor_arm_fact *sum = context;
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
