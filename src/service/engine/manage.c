/* manage.c - creates campaigns, and changes their specification: arms, labels, and the phase
 * (lifecycle.c). Any server may do this. */
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "service/engine/budgets.h"
#include "service/engine/inside.h"
#include "service/spec/fields.h"

static lotor_completion queue(lotor_engine *engine, lotor_job *job, lotor_job_kind kind,
                              const lotor_job_work *with)
{
    lotor_job_work *work = malloc(sizeof *work);
    if (!work) {
        lotor_spec_free(with->spec);
        json_decref(with->body);
        return lotor_job_no_memory(job);
    }
    *work = *with;
    return lotor_engine_queue(engine, job, kind, work);
}

lotor_completion lotor_engine_create(lotor_engine *engine, lotor_spec *spec, lotor_job *job)
{
    job->refusal.code = LOTOR_CODE_NONE;
    job->was_there = false;
    return queue(engine, job, LOTOR_JOB_CREATE, &(lotor_job_work){.spec = spec});
}

lotor_completion lotor_engine_dry_run(lotor_engine *engine, lotor_spec *spec, json_t **reply,
                                      lotor_job *job)
{
    *reply = NULL;
    job->refusal.code = LOTOR_CODE_NONE;
    job->was_there = false;
    return queue(engine, job, LOTOR_JOB_CREATE, &(lotor_job_work){.spec = spec, .reply = reply});
}

static lotor_completion queue_body(lotor_engine *engine, const char *name, lotor_job_kind kind,
                                   const json_t *body, lotor_job *job)
{
    job->refusal.code = LOTOR_CODE_NONE;
    lotor_campaign *campaign = lotor_table_find_or_refuse(engine, name, &job->refusal);
    if (!campaign) {
        return LOTOR_COMPLETED;
    }
    json_t *copy = json_deep_copy(body); /* a copy, since reference counts are not thread-safe */
    return copy ? queue(engine, job, kind, &(lotor_job_work){.campaign = campaign, .body = copy})
                : lotor_job_no_memory(job);
}

lotor_completion lotor_engine_change_arms(lotor_engine *engine, const char *name,
                                          const json_t *body, lotor_job *job)
{
    return queue_body(engine, name, LOTOR_JOB_ARMS, body, job);
}

lotor_completion lotor_engine_edit(lotor_engine *engine, const char *name, const json_t *body,
                                   lotor_job *job)
{
    return queue_body(engine, name, LOTOR_JOB_EDIT, body, job);
}

static char *canonical(const lotor_spec *spec)
{
    json_t *json = lotor_spec_write_kept(spec);
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(json);
    return text;
}

/* --- creating campaigns ----------------------------------------------------------------------- */

/* True if the known arms begin with these. Arms may have been added, paused and resumed since the
 * campaign was created. */
static bool begin_with(const json_t *known, const json_t *arms)
{
    bool same = json_array_size(arms) <= json_array_size(known);
    for (size_t i = 0; same && i < json_array_size(arms); i++) {
        const json_t *one = json_array_get(known, i), *other = json_array_get(arms, i);
        same = json_equal(json_object_get(one, "id"), json_object_get(other, "id"));
        const json_t *features = json_object_get(one, "features");
        const json_t *given = json_object_get(other, "features");
        same = same && ((!features && !given) || json_equal(features, given));
    }
    return same;
}

/* True if a field may differ from that of the campaign: its phase, its labels, and how many releases of
 * its prior there were when it was created. */
static bool may_differ(const char *name)
{
    static const char *const names[] = {"paused", "archived", "deleted", "prior_releases"};
    size_t i = 0;
    while (i < sizeof names / sizeof *names && strcmp(name, names[i]) != 0) {
        i++;
    }
    return i < sizeof names / sizeof *names || lotor_spec_is_label(name);
}

/* True if a field of a body fits the known campaign. Arms may have been added, and max_arms raised. */
static bool fits_known(const char *name, const json_t *known, const json_t *given)
{
    if (strcmp(name, "arms") == 0) {
        return begin_with(known, given);
    }
    if (strcmp(name, "max_arms") == 0) {
        return json_integer_value(given) <= json_integer_value(known);
    }
    return json_equal(known, given);
}

/* The first field of `spec` that the known campaign has otherwise; NULL: there is none. */
static const char *find_difference(json_t *known, json_t *spec)
{
    const char *name;
    json_t *value;
    json_object_foreach(spec, name, value)
    {
        const json_t *other = json_object_get(known, name);
        if (!may_differ(name) && !fits_known(name, other, value)) {
            return name;
        }
    }
    json_object_foreach(known, name, value)
    {
        if (!may_differ(name) && !json_object_get(spec, name)) {
            return name;
        }
    }
    return NULL;
}

/* Creating the same campaign again succeeds: a client may have missed the first reply, or creates its
 * campaigns at every start. */
static lotor_status compare(const lotor_campaign *known, const lotor_spec *spec, lotor_job *job)
{
    if (known->spec->deleted) {
        lotor_refuse(&job->refusal, LOTOR_CODE_EXISTS, "name",
                     "a campaign with that name was deleted, and the store keeps its releases "
                     "under that name: expected another name");
        return LOTOR_OK;
    }
    json_t *old = lotor_spec_write(known->spec), *new = lotor_spec_write(spec);
    const lotor_status status = old && new ? LOTOR_OK : LOTOR_MEMORY;
    if (status == LOTOR_OK && !spec->has_capacity) { /* the default depends on the number of arms */
        json_object_del(old, "max_arms");
        json_object_del(new, "max_arms");
    }
    job->was_there = true;
    const char *field = status == LOTOR_OK ? find_difference(old, new) : NULL;
    if (field) {
        lotor_refuse(&job->refusal, LOTOR_CODE_EXISTS, field,
                     "a campaign with that name exists, with another value of %s: expected the "
                     "same %s, or another name",
                     field, field);
    }
    json_decref(old);
    json_decref(new);
    return status;
}

static lotor_status copy_spec(const lotor_spec *spec, lotor_message *why, lotor_spec **out)
{
    json_t *json = lotor_spec_write(spec);
    lotor_refusal refusal;
    const lotor_code code = json ? lotor_spec_read_kept(json, &refusal, out) : LOTOR_CODE_INTERNAL;
    json_decref(json);
    return code == LOTOR_CODE_NONE
               ? LOTOR_OK
               : lotor_fail(LOTOR_MEMORY, why, "a campaign's specification can't be copied");
}

/* Seals the first state with a temporary campaign. */
static lotor_status put_first_state(lotor_engine *engine, uint64_t id, const lotor_spec *spec,
                                    const unsigned char *key, const lotor_policy *policy,
                                    lotor_message *why)
{
    lotor_spec *copy;
    lotor_campaign *campaign = NULL;
    unsigned char *bytes = NULL;
    size_t length = 0;
    lotor_status status = copy_spec(spec, why, &copy);
    if (status == LOTOR_OK) {
        status = lotor_campaign_new(id, copy, key, why, &campaign);
    }
    if (status == LOTOR_OK) {
        status = lotor_state_new(campaign, policy, why, &bytes, &length);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_put_state(engine->store, id, 0, bytes, length, why);
    }
    lotor_bytes_free(bytes, length);
    lotor_campaign_free(campaign);
    return status;
}

static lotor_status note_creation(lotor_engine *engine, const lotor_job *job,
                                  const lotor_spec *spec, lotor_message *why)
{
    lotor_text change = {0};
    lotor_audit_describe_spec(&change, spec);
    lotor_status status = lotor_text_status(&change, why);
    if (status == LOTOR_OK) {
        status = lotor_audit_write(engine, job, spec->name, "create", change.bytes, why);
    }
    lotor_text_clear(&change);
    return status;
}

static lotor_status put_campaign(lotor_engine *engine, const lotor_job *job, const lotor_spec *spec,
                                 const char *text, const lotor_policy *policy, lotor_message *why)
{
    unsigned char seal[LOTOR_STORE_HASH], key[LOTOR_INTAKE_KEY];
    unsigned char wrapped[LOTOR_INTAKE_KEY + LOTOR_SERVER_KEY_OVERHEAD];
    lotor_campaign_row row = {
        .name = spec->name, .spec = text, .seal = seal, .created = (double)engine->low / 1000};
    lotor_status status = lotor_store_next_campaign(engine->store, why, &row.id);
    if (status != LOTOR_OK) {
        return status;
    }
    randombytes_buf(key, sizeof key);
    lotor_server_key_seal(engine->server_key, LOTOR_SEAL_KEY, row.id, 0, key, sizeof key, wrapped);
    lotor_spec_seal(engine, &row, seal);
    status = lotor_store_add_campaign(engine->store, &row, wrapped, sizeof wrapped, why);
    if (status == LOTOR_OK) {
        status = put_first_state(engine, row.id, spec, key, policy, why);
    }
    if (status == LOTOR_OK) {
        status = note_creation(engine, job, spec, why);
    }
    lotor_wipe(key, sizeof key);
    return status;
}

static lotor_status add(lotor_engine *engine, const lotor_job *job, const lotor_spec *spec,
                        const lotor_policy *policy, lotor_message *why)
{
    char *text = canonical(spec);
    if (!text) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a campaign: try again");
    }
    lotor_status status = lotor_engine_begin(engine, why);
    if (status == LOTOR_OK) {
        status = put_campaign(engine, job, spec, text, policy, why);
        if (status != LOTOR_OK) {
            lotor_store_rollback(engine->store);
        } else {
            status = lotor_engine_commit(engine, why);
        }
    }
    free(text);
    /* The campaign gets into the table in the same way as those of other servers. */
    const lotor_status polled =
        status == LOTOR_OK || status == LOTOR_DUPLICATE ? lotor_register_poll(engine, why) : status;
    return status == LOTOR_DUPLICATE ? status : polled;
}

bool lotor_engine_is_too_weak(const lotor_engine *engine, lotor_ratio ratio, uint64_t rounds,
                              lotor_job *job)
{
    const double one = lotor_ratio_to_double(ratio);
    const double epsilon = rounds > 1 ? one * (double)rounds : one;
    if (epsilon <= LOTOR_ENGINE_MAX_EPSILON || engine->allow_weak_epsilon) {
        return false;
    }
    char sum[96] = "";
    if (rounds > 1) {
        snprintf(sum, sizeof sum, " (%" PRIu64 " rounds of a user, each with %g)", rounds, one);
    }
    lotor_refuse(&job->refusal, LOTOR_CODE_BAD_VALUE, "epsilon",
                 "epsilon %g%s protects nobody: expected at most %g, better at most 1. For tests "
                 "without privacy, start the server with --allow-weak-epsilon",
                 epsilon, sum, LOTOR_ENGINE_MAX_EPSILON);
    return true;
}

/* Ends a dry run with the guarantee of a campaign. */
static lotor_status reply_guarantee(lotor_engine *engine, lotor_campaign *campaign, lotor_job *job,
                                    lotor_message *why)
{
    const lotor_job_work *work = job->work;
    json_t *const guarantee = lotor_campaign_guarantee(engine, campaign);
    *work->reply = guarantee
                       ? json_pack("{s:b, s:o}", "exists", job->was_there, "guarantee", guarantee)
                       : NULL;
    return *work->reply ? LOTOR_OK : lotor_fail(LOTOR_MEMORY, why, "no memory for a guarantee");
}

/* The dry run of a campaign that could be created: makes it in memory alone. */
static lotor_status run_dry(lotor_engine *engine, lotor_job *job, lotor_message *why)
{
    static const unsigned char no_key[LOTOR_INTAKE_KEY] = {0}; /* nothing is ever sealed with it */
    lotor_job_work *work = job->work;
    lotor_campaign *campaign = NULL;
    lotor_spec *const spec = work->spec;
    work->spec = NULL;
    lotor_status status = lotor_campaign_new(UINT64_MAX, spec, no_key, why, &campaign);
    if (status == LOTOR_OK) {
        status = lotor_budgets_join(engine, campaign, why);
    }
    if (status == LOTOR_OK) {
        status = reply_guarantee(engine, campaign, job, why);
    }
    lotor_campaign_free(campaign);
    return status;
}

/* Compares with the campaign of the same name. */
static lotor_status meet(lotor_engine *engine, lotor_campaign *known, lotor_job *job,
                         lotor_message *why)
{
    const lotor_job_work *work = job->work;
    const lotor_status status = compare(known, work->spec, job);
    return status == LOTOR_OK && work->reply && job->refusal.code == LOTOR_CODE_NONE
               ? reply_guarantee(engine, known, job, why)
               : status;
}

static lotor_status create(lotor_engine *engine, lotor_job *job, lotor_message *why)
{
    lotor_job_work *work = job->work;
    lotor_campaign *known = lotor_table_find(engine, work->spec->name);
    if (known) {
        return meet(engine, known, job, why);
    }
    if (lotor_engine_is_too_weak(engine, work->spec->epsilon, work->spec->rounds_per_user, job)) {
        return LOTOR_OK;
    }
    lotor_policy *policy;
    lotor_status status = lotor_spec_policy(work->spec, why, &policy);
    if (status == LOTOR_INVALID || status == LOTOR_OVERFLOW) {
        lotor_refuse(&job->refusal, LOTOR_CODE_BAD_VALUE, "", "%s", why->text);
        return LOTOR_OK;
    }
    if (status != LOTOR_OK) {
        return status;
    }
    status = lotor_budgets_check(engine, work->spec, policy, &job->refusal, why);
    if (status == LOTOR_OK && job->refusal.code == LOTOR_CODE_NONE) {
        status = lotor_prior_take(engine, work->spec, policy, &job->refusal, why);
    }
    if (status != LOTOR_OK || job->refusal.code != LOTOR_CODE_NONE) {
        lotor_policy_free(policy);
        return status;
    }
    if (work->reply) {
        lotor_policy_free(policy);
        return run_dry(engine, job, why);
    }
    status = add(engine, job, work->spec, policy, why);
    lotor_policy_free(policy);
    known = lotor_table_find(engine, work->spec->name);
    if (status == LOTOR_DUPLICATE && known) {
        return meet(engine, known, job, why);
    }
    if (status == LOTOR_OK && known) {
        known->own_asks++; /* the server that creates a campaign should be its first owner */
    }
    return status;
}

/* --- changing campaigns ----------------------------------------------------------------------- */

typedef struct row_reader {
    lotor_engine *engine;
    lotor_spec *spec;
    uint64_t specs;
    double created;
    bool closed;
    lotor_message *why;
} row_reader;

static lotor_status read_row(void *context, const lotor_campaign_row *row)
{
    row_reader *at = context;
    at->specs = row->specs;
    at->created = row->created;
    at->closed = row->closed;
    return lotor_spec_open(at->engine, row, at->why, &at->spec);
}

/* Makes room for more arms, if max_arms was raised. An owner gives the campaign up first: the takeover
 * loads its state with more arms. max_arms never decreases, unless a failover loses that it was raised.
 * Then the campaign is retired and read again. */
static lotor_status fit_arms(lotor_engine *engine, lotor_campaign *campaign, size_t arms,
                             lotor_message *why)
{
    if (arms < campaign->arms) {
        return lotor_fail(LOTOR_UNKNOWN, why,
                          "that its max_arms was raised was lost when the database was restored to "
                          "an older state");
    }
    if (arms == campaign->arms) {
        return LOTOR_OK;
    }
    if (campaign->is_owner) {
        lotor_takeover_disown(engine, campaign);
    }
    lotor_policy_put_away(engine, campaign);
    return lotor_campaign_grow(campaign, arms, why);
}

/* Uses a changed specification. Decisions that were drawn before are not handed out any more. */
static lotor_status use_spec(lotor_engine *engine, lotor_campaign *campaign, lotor_spec *spec,
                             uint64_t specs, bool closed, lotor_message *why)
{
    lotor_status status = fit_arms(engine, campaign, spec->capacity, why);
    if (status == LOTOR_OK) {
        status = lotor_campaign_name_arms(campaign, spec, why);
    }
    if (status != LOTOR_OK) {
        lotor_spec_free(spec);
        return status;
    }
    pthread_mutex_lock(&campaign->lock);
    lotor_spec *old = campaign->spec;
    campaign->spec = spec;
    campaign->specs = specs;
    lotor_campaign_set_phase(campaign, closed);
    lotor_campaign_pool_stop(campaign);
    pthread_mutex_unlock(&campaign->lock);
    lotor_spec_free(old);
    if (spec->deleted) {
        lotor_lifecycle_forget(engine, campaign);
    }
    campaign->lease.specs = specs;
    campaign->has_reports = !campaign->is_erased;
    campaign->is_due = campaign->is_owner;
    for (lotor_want *next, *want = campaign->wants; want; want = next) {
        next = want->next;
        if (want->job && !lotor_campaign_may_show(campaign, &want->refusal)) {
            lotor_front_refuse(engine, campaign, want);
        }
    }
    return LOTOR_OK;
}

lotor_status lotor_manage_read(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    row_reader at = {.engine = engine, .why = why};
    lotor_status status = lotor_store_get_campaign(engine->store, campaign->id, read_row, &at, why);
    if (status == LOTOR_OK && campaign->is_erased && !at.spec->deleted) {
        lotor_spec_free(at.spec);
        return lotor_fail(LOTOR_UNKNOWN, why,
                          "its deletion was lost when the database was restored to an older state");
    }
    return status == LOTOR_OK ? use_spec(engine, campaign, at.spec, at.specs, at.closed, why)
                              : status;
}

bool lotor_manage_hear_of_arms(lotor_engine *engine, lotor_campaign *campaign)
{
    row_reader at = {.engine = engine};
    lotor_status status =
        lotor_store_get_campaign(engine->store, campaign->id, read_row, &at, NULL);
    engine->poll_at = 0; /* whatever else has changed */
    if (status != LOTOR_OK || at.spec->deleted || at.spec->arm_count <= campaign->spec->arm_count) {
        lotor_spec_free(at.spec);
        return false;
    }
    return use_spec(engine, campaign, at.spec, at.specs, at.closed, NULL) == LOTOR_OK;
}

static lotor_status note_change(lotor_engine *engine, const lotor_job *job, lotor_message *why)
{
    const lotor_job_work *work = job->work;
    const char *act = "arms";
    lotor_text change = {0};
    if (job->kind == LOTOR_JOB_ACT) {
        act = lotor_act_name(work->act);
    } else if (job->kind == LOTOR_JOB_EDIT) {
        act = "edit";
        lotor_audit_describe_edit(&change, work->body);
    } else {
        lotor_audit_describe_arms(&change, work->body);
    }
    lotor_status status = lotor_text_status(&change, why);
    if (status == LOTOR_OK) {
        status = lotor_audit_write(engine, job, work->campaign->name, act,
                                   change.length > 0 ? change.bytes : "", why);
    }
    lotor_text_clear(&change);
    return status;
}

/* Writes the changed specification and the line of the audit log, in one transaction. *done: false
 * if another server has changed the specification meanwhile. */
static lotor_status put_change(lotor_engine *engine, const lotor_job *job,
                               const lotor_campaign_row *row, lotor_message *why, bool *done)
{
    lotor_status status = lotor_engine_begin(engine, why);
    if (status != LOTOR_OK) {
        return status;
    }
    status = lotor_store_put_spec(engine->store, row, why, done);
    const lotor_job_work *work = job->work;
    if (status == LOTOR_OK && *done && job->kind == LOTOR_JOB_ACT &&
        work->act == LOTOR_ACT_DELETE) {
        status = lotor_lifecycle_erase(engine, work->campaign, why);
    }
    if (status == LOTOR_OK && *done) {
        status = note_change(engine, job, why);
    }
    if (status != LOTOR_OK || !*done) {
        lotor_store_rollback(engine->store);
        return status;
    }
    return lotor_engine_commit(engine, why);
}

/* Checks that a policy with more arms can be made from the present one, and that it gives each person the
 * same guarantee. */
static lotor_code check_grown(const lotor_campaign *campaign, const lotor_spec *spec,
                              lotor_refusal *refusal)
{
    lotor_message why = {""};
    lotor_policy *policy;
    lotor_guarantee promise;
    const lotor_status status = lotor_spec_policy(spec, &why, &policy);
    if (status == LOTOR_MEMORY) {
        return lotor_refuse_memory(refusal);
    }
    if (status != LOTOR_OK) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "max_arms", "%s", why.text);
    }
    lotor_policy_guarantee(policy, &promise);
    const bool is_same = promise.epsilon == campaign->promise.epsilon &&
                         promise.delta == campaign->promise.delta &&
                         promise.scale == campaign->promise.scale;
    const bool can_grow = lotor_policy_can_grow(policy) && is_same;
    lotor_policy_free(policy);
    return can_grow ? LOTOR_CODE_NONE
                    : lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "max_arms",
                                   "max_arms can't be raised, because the noise of %s depends on "
                                   "it: create another campaign",
                                   campaign->serving.id);
}

static lotor_code edit(lotor_job *job, row_reader *at, bool *is_same)
{
    const lotor_job_work *work = job->work;
    const size_t before = at->spec->capacity;
    lotor_code code = lotor_spec_edit(at->spec, work->body, &job->refusal);
    const bool has_grown = code == LOTOR_CODE_NONE && at->spec->capacity > before;
    if (has_grown) {
        code = check_grown(work->campaign, at->spec, &job->refusal);
    }
    *is_same =
        !has_grown && json_object_size(work->body) == 1 && json_object_get(work->body, "max_arms");
    return code;
}

/* Changes the specification in memory as the job says. *is_same: there is nothing to change. */
static lotor_code apply(lotor_job *job, row_reader *at, bool *is_same)
{
    const lotor_job_work *work = job->work;
    *is_same = false;
    if (job->kind == LOTOR_JOB_ACT) {
        return lotor_lifecycle_apply(work->act, at->spec, &at->closed, &job->refusal, is_same);
    }
    const bool is_edit = job->kind == LOTOR_JOB_EDIT;
    const bool is_label = is_edit && !json_object_get(work->body, "max_arms");
    /* a closed campaign can have a new title */
    const lotor_code code = lotor_lifecycle_check(at->spec, at->closed && !is_label, &job->refusal);
    if (code == LOTOR_CODE_NONE && is_edit) {
        return edit(job, at, is_same);
    }
    return code == LOTOR_CODE_NONE ? lotor_spec_change(at->spec, work->body, &job->refusal) : code;
}

static lotor_status write_spec(lotor_engine *engine, lotor_job *job, row_reader *at, bool *done)
{
    lotor_job_work *work = job->work;
    unsigned char seal[LOTOR_STORE_HASH];
    char *text = canonical(at->spec);
    if (!text) {
        return lotor_fail(LOTOR_MEMORY, at->why, "no memory to keep a campaign");
    }
    lotor_campaign_row row = {.id = work->campaign->id,
                              .name = work->campaign->name,
                              .spec = text,
                              .seal = seal,
                              .specs = at->specs + 1, /* as it will be after the change */
                              .created = at->created,
                              .closed = at->closed};
    lotor_spec_seal(engine, &row, seal);
    row.specs = at->specs;
    const lotor_status status = put_change(engine, job, &row, at->why, done);
    free(text);
    return status;
}

/* Changes the specification. If another server changes it at the same time, reads it again and
 * changes that. */
static lotor_status change(lotor_engine *engine, lotor_job *job, lotor_message *why)
{
    enum { TRIES = 3 };
    lotor_job_work *work = job->work;
    lotor_campaign *campaign = work->campaign;
    for (int i = 0; i < TRIES; i++) {
        row_reader at = {.engine = engine, .why = why};
        bool done = false, is_same = false;
        lotor_status status =
            lotor_store_get_campaign(engine->store, campaign->id, read_row, &at, why);
        if (status == LOTOR_OK && (apply(job, &at, &is_same) != LOTOR_CODE_NONE || is_same)) {
            lotor_spec_free(at.spec);
            return LOTOR_OK;
        }
        if (status == LOTOR_OK) {
            status = write_spec(engine, job, &at, &done);
        }
        if (status == LOTOR_OK && done) {
            status = use_spec(engine, campaign, at.spec, at.specs + 1, at.closed, why);
            lotor_lifecycle_overwrite(engine); /* before the client hears of a deletion */
            return status;
        }
        lotor_spec_free(at.spec);
        if (status != LOTOR_OK || job->refusal.code != LOTOR_CODE_NONE) {
            return status;
        }
    }
    lotor_refuse(&job->refusal, LOTOR_CODE_STORE, "",
                 "other servers are changing this campaign: try again");
    return LOTOR_OK;
}

void lotor_manage(lotor_engine *engine, lotor_job *job)
{
    lotor_message why;
    const lotor_status status =
        job->kind == LOTOR_JOB_CREATE ? create(engine, job, &why) : change(engine, job, &why);
    if (status == LOTOR_DAMAGED) {
        lotor_refuse(&job->refusal, LOTOR_CODE_BROKEN, "", "this campaign can't be served: %.200s",
                     why.text);
    }
    if (status != LOTOR_OK) {
        lotor_job_fail(job, status);
    } else {
        lotor_job_finish(job);
    }
}
