/* describe.c - the replies of GET requests: public numbers and released statistics, never how
 * much feedback there was. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "service/engine/inside.h"
#include "service/spec/fields.h"

/* The caller holds the campaign's lock. */
static json_t *counts(const lotor_campaign *campaign)
{
    const uint64_t shown =
        campaign->decisions > campaign->ended ? campaign->decisions : campaign->ended;
    return json_pack("{s:s, s:s, s:b, s:b, s:b, s:b, s:f, s:I, s:I, s:I, s:I}", "name",
                     campaign->name, "algorithm", campaign->serving.id, "closed", campaign->closed,
                     "paused", campaign->spec->paused, "archived", campaign->spec->archived,
                     "deleted", campaign->spec->deleted, "created", campaign->created, "decisions",
                     (json_int_t)shown, "final", (json_int_t)campaign->ended, "pending",
                     (json_int_t)(shown - campaign->ended), "releases",
                     (json_int_t)campaign->releases);
}

/* Adds the part of a guarantee that a list shows: the epsilon of a round, the epsilon of a user if rounds
 * are capped, and the level. */
static bool add_claim(const lotor_campaign *campaign, json_t *row)
{
    lotor_guarantee promise;
    if (!lotor_campaign_promise(campaign, &promise)) {
        return false;
    }
    json_t *const user = campaign->rounds_per_user && isfinite(promise.epsilon)
                             ? json_real(promise.epsilon)
                             : json_null();
    const char *const level = lotor_level_name(lotor_guarantee_level(&promise));
    return json_object_set_new(row, "epsilon", lotor_spec_epsilon(campaign->spec)) == 0 &&
           json_object_set_new(row, "epsilon_per_user", user) == 0 &&
           json_object_set_new(row, "level", json_string(level)) == 0;
}

json_t *lotor_engine_list(lotor_engine *engine, bool with_archived, lotor_refusal *refusal)
{
    json_t *list = json_array();
    bool fine = list != NULL;
    pthread_rwlock_rdlock(&engine->table_lock);
    for (size_t i = 0; fine && i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        pthread_mutex_lock(&campaign->lock);
        if (with_archived || !(campaign->spec->archived || campaign->spec->deleted)) {
            campaign->is_looked_at = true;
            json_t *row = counts(campaign);
            fine = row && add_claim(campaign, row) &&
                   lotor_spec_write_labels(campaign->spec, "", row) == 0;
            fine = json_array_append_new(list, row) == 0 && fine;
        }
        pthread_mutex_unlock(&campaign->lock);
    }
    pthread_rwlock_unlock(&engine->table_lock);
    json_t *out = fine ? json_pack("{s:O}", "campaigns", list) : NULL;
    json_decref(list);
    if (!out) {
        lotor_refuse_memory(refusal);
    }
    return out;
}

bool lotor_describe_sums(json_t *object, const lotor_estimator *estimator,
                         const lotor_arm_sums *reading)
{
    lotor_estimate estimate;
    bool has = lotor_estimate_of(estimator, reading, &estimate) && isfinite(estimate.mean);
    json_t *interval =
        has ? json_pack("{s:f, s:f}", "low", estimate.low, "high", estimate.high) : json_null();
    int failed = json_object_set_new(object, "interval", interval);
    failed |= json_object_set_new(object, "mean", has ? json_real(estimate.mean) : json_null());
    failed |= json_object_set_new(object, "count", json_integer((json_int_t)reading->count));
    return !failed;
}

json_t *lotor_describe_arms(const lotor_campaign *campaign)
{
    assert(lotor_is_locked((pthread_mutex_t *)&campaign->lock));
    json_t *list = json_array();
    for (size_t i = 0; list && i < campaign->spec->arm_count; i++) {
        json_t *arm =
            json_pack("{s:s, s:b, s:I}", "id", campaign->ids[i], "paused",
                      campaign->spec->arms[i].paused, "shown", (json_int_t)campaign->shown[i]);
        bool fine = arm && lotor_describe_sums(arm, &campaign->estimator, &campaign->readings[i]) &&
                    lotor_spec_write_labels(campaign->spec, campaign->ids[i], arm) == 0;
        if (fine && campaign->spec->arms[i].removed) {
            fine = json_object_set_new(arm, "removed", json_true()) == 0;
        }
        if (json_array_append_new(list, arm) || !fine) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *interval_json(const lotor_estimate *estimate)
{
    return json_pack("{s:f, s:{s:f, s:f}}", "mean", estimate->mean, "interval", "low",
                     estimate->low, "high", estimate->high);
}

static json_t *value_json(const lotor_estimate *estimate, const lotor_arm_sums *sums)
{
    json_t *value =
        estimate ? interval_json(estimate) : json_pack("{s:n, s:n}", "mean", "interval");
    if (value && json_object_set_new(value, "rounds", json_integer((json_int_t)sums->count))) {
        json_decref(value);
        return NULL;
    }
    return value;
}

/* The weights of a linear campaign; null before the first release. The caller holds the campaign's
 * lock. */
static json_t *weights_json(const lotor_campaign *campaign)
{
    json_t *list = campaign->has_weights ? json_array() : json_null();
    for (size_t i = 0; list && campaign->has_weights && i < campaign->spec->dimension; i++) {
        const lotor_estimate *weight = &campaign->weights[i];
        json_t *low = isfinite(weight->low) ? json_real(weight->low) : json_null();
        json_t *high = isfinite(weight->high) ? json_real(weight->high) : json_null();
        json_t *row = json_pack("{s:f, s:o, s:o}", "mean", weight->mean, "low", low, "high", high);
        if (json_array_append_new(list, row) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* The measured value so far: NULL if there is no memory. The caller holds the campaign's lock. */
static json_t *lift_json(const lotor_campaign *campaign)
{
    lotor_lift lift;
    const bool has = lotor_lift_of(&campaign->value_estimator, &campaign->measured,
                                   &campaign->controlled, &lift);
    const char *decided = NULL;
    if (has && lift.is_decided) {
        decided = lift.absolute.mean > 0.0 ? "better" : "worse";
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:s?}", "policy",
                     value_json(has ? &lift.measure : NULL, &campaign->measured), "control",
                     value_json(has ? &lift.control : NULL, &campaign->controlled), "absolute",
                     has ? interval_json(&lift.absolute) : json_null(), "relative",
                     has && lift.has_relative ? interval_json(&lift.relative) : json_null(),
                     "decided", decided);
}

json_t *lotor_engine_describe(lotor_engine *engine, const char *name, lotor_refusal *refusal)
{
    lotor_campaign *campaign = lotor_table_find_or_refuse(engine, name, refusal);
    if (!campaign) {
        return NULL;
    }
    const uint64_t now = lotor_engine_time(engine);
    pthread_mutex_lock(&campaign->lock);
    campaign->is_looked_at = true;
    lotor_outlook_mark(campaign, now);
    json_t *out = lotor_spec_write(campaign->spec);
    json_t *state = counts(campaign);
    json_t *list = lotor_describe_arms(campaign);
    json_t *lift = campaign->is_evaluated ? lift_json(campaign) : json_null();
    const bool is_linear = campaign->serving.is_linear;
    json_t *weights = is_linear ? weights_json(campaign) : json_null();
    pthread_mutex_unlock(&campaign->lock);
    json_t *promise = lotor_campaign_guarantee(engine, campaign);
    bool fine = out && state && list && promise && json_object_update(out, state) == 0 &&
                json_object_set(out, "arms", list) == 0 &&
                json_object_set(out, "guarantee", promise) == 0 && lift &&
                (!campaign->is_evaluated || json_object_set(out, "lift", lift) == 0) && weights &&
                (!is_linear || json_object_set(out, "weights", weights) == 0);
    json_decref(lift);
    json_decref(weights);
    json_decref(state);
    json_decref(list);
    json_decref(promise);
    if (!fine) {
        json_decref(out);
        lotor_refuse_memory(refusal);
        return NULL;
    }
    return out;
}

static bool is_in(const json_t *list, const json_t *id)
{
    bool found = false;
    for (size_t i = 0; !found && i < json_array_size(list); i++) {
        found = json_equal(json_array_get(list, i), id);
    }
    return found;
}

/* Leaves out arms that were removed. Arms that the control names, that a group of the oracle may need,
 * or that the prior may be about are paused instead: without them the rest would be refused. */
static void keep_arms(const json_t *spec)
{
    json_t *const arms = json_object_get(spec, "arms");
    const json_t *const control = json_object_get(json_object_get(spec, "evaluation"), "control");
    const char *const oracle =
        json_string_value(json_object_get(json_object_get(spec, "oracle"), "kind"));
    const bool needs_all =
        json_is_string(json_object_get(spec, "prior")) || !oracle || strcmp(oracle, "top") != 0;
    for (size_t i = json_array_size(arms); i-- > 0;) {
        json_t *const arm = json_array_get(arms, i);
        if (!json_is_true(json_object_get(arm, "removed"))) {
            continue;
        }
        if (needs_all || is_in(control, json_object_get(arm, "id"))) {
            json_object_del(arm, "removed"); /* "paused" is true */
        } else {
            json_array_remove(arms, i);
        }
    }
}

json_t *lotor_engine_sandbox(lotor_engine *engine, const char *name, lotor_refusal *refusal)
{
    /* the name, the phase, and what the server sets */
    static const char *const own[] = {"name",    "paused", "archived",
                                      "deleted", "budget", "prior_releases"};
    lotor_campaign *campaign = lotor_table_find_or_refuse(engine, name, refusal);
    if (!campaign) {
        return NULL;
    }
    pthread_mutex_lock(&campaign->lock);
    const bool is_deleted = campaign->spec->deleted;
    json_t *out = lotor_spec_write(campaign->spec);
    pthread_mutex_unlock(&campaign->lock);
    if (is_deleted) {
        json_decref(out);
        lotor_refuse(refusal, LOTOR_CODE_DELETED, "", "the campaign was deleted: expected another");
        return NULL;
    }
    for (size_t i = 0; out && i < sizeof own / sizeof *own; i++) {
        json_object_del(out, own[i]);
    }
    keep_arms(out);
    json_t *about =
        json_sprintf("A sandbox of the campaign %s: for tries, not for visitors.", name);
    json_t *marks = json_pack("{s:b, s:s}", "sandbox", 1, "sandbox_of", name);
    int failed = json_object_set_new(out, "description", about);
    failed |= json_object_set_new(out, "metadata", marks);
    if (failed) {
        json_decref(out);
        lotor_refuse_memory(refusal);
        return NULL;
    }
    return out;
}

lotor_completion lotor_engine_look(lotor_engine *engine, const char *name, lotor_job *job)
{
    lotor_campaign *campaign = lotor_table_find_or_refuse(engine, name, &job->refusal);
    lotor_job_work *work =
        campaign && !lotor_store_is_exclusive(engine->store) ? calloc(1, sizeof *work) : NULL;
    lotor_completion when = LOTOR_COMPLETED;
    if (work) {
        work->campaign = campaign;
        when = lotor_engine_queue(engine, job, LOTOR_JOB_LOOK, work);
    }
    if (when == LOTOR_COMPLETED) {
        job->refusal.code = LOTOR_CODE_NONE;
    }
    return when;
}

void lotor_describe_look(lotor_engine *engine, lotor_job *job)
{
    lotor_campaign *campaign = ((lotor_job_work *)job->work)->campaign;
    if (!campaign->is_owner && engine->boot >= campaign->looked_at + LOTOR_LOOK_MS) {
        campaign->looked_at = engine->boot;
        /* for display only, so a failure does not matter */
        lotor_state_look(engine, campaign, NULL);
    }
    lotor_job_finish(job);
}

json_t *lotor_engine_guarantee(lotor_engine *engine, const char *name, lotor_refusal *refusal)
{
    lotor_campaign *campaign = lotor_table_find_or_refuse(engine, name, refusal);
    json_t *promise = campaign ? lotor_campaign_guarantee(engine, campaign) : NULL;
    if (campaign && !promise) {
        lotor_refuse_memory(refusal);
    }
    return promise;
}

uint64_t lotor_engine_time(lotor_engine *engine)
{
    if (atomic_load(&engine->fresh_until) == 0) {
        return UINT64_MAX;
    }
    return lotor_engine_boot(engine) + (uint64_t)atomic_load(&engine->ahead);
}

json_t *lotor_engine_event(lotor_engine *engine, const char *event, lotor_refusal *refusal)
{
    lotor_event found;
    lotor_campaign *campaign = lotor_server_key_read_token(engine->server_key, event, &found)
                                   ? lotor_table_find_id(engine, found.campaign)
                                   : NULL;
    if (!campaign) {
        lotor_refuse(
            refusal, LOTOR_CODE_NO_SUCH_EVENT, "event",
            "this is not an event of this server: expected the event that a rank request returned");
        return NULL;
    }
    const uint64_t high = lotor_engine_boot(engine) + (uint64_t)atomic_load(&engine->ahead);
    pthread_mutex_lock(&campaign->lock);
    /* With early_release a round may be final as soon as there is feedback. That must not be
     * shown before the round's expiry. */
    const bool is_final = found.number <= campaign->final && found.expires < high;
    pthread_mutex_unlock(&campaign->lock);
    /* The numbers of decisions, less the rounds that count, would tell how many were refused. */
    json_t *number =
        campaign->counts_at_entry ? json_null() : json_integer((json_int_t)found.number);
    json_t *out = json_pack("{s:s, s:o, s:f, s:b}", "campaign", campaign->name, "number", number,
                            "expires", (double)found.expires / 1000, "final", is_final);
    if (!out) {
        lotor_refuse_memory(refusal);
    }
    return out;
}

static bool add_trouble(json_t *list, const char *name, const char *reason)
{
    return json_array_append_new(list, json_pack("{s:s, s:s}", "name", name, "reason", reason)) ==
           0;
}

json_t *lotor_engine_readiness(lotor_engine *engine)
{
    json_t *list = json_array();
    bool fine = list != NULL;
    pthread_rwlock_rdlock(&engine->table_lock);
    for (size_t i = 0; fine && i < engine->unreadable_count; i++) {
        fine = add_trouble(list, engine->unreadable[i].name, engine->unreadable[i].reason);
    }
    for (size_t i = 0; fine && i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        pthread_mutex_lock(&campaign->lock);
        fine = !campaign->trouble[0] || add_trouble(list, campaign->name, campaign->trouble);
        pthread_mutex_unlock(&campaign->lock);
    }
    pthread_rwlock_unlock(&engine->table_lock);
    const bool is_ready = lotor_engine_is_ready(engine);
    const char *const problem = atomic_load(&engine->lacks_heads)
                                    ? "the head file can't be written"
                                    : "the last commit to the store failed";
    json_t *reason = is_ready ? json_null() : json_string(problem);
    json_t *out =
        fine ? json_pack("{s:b, s:O, s:O}", "ready", is_ready, "reason", reason, "campaigns", list)
             : NULL;
    json_decref(reason);
    json_decref(list);
    return out;
}
