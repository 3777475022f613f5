/* manage.c - campaigns are created, closed, and get or pause arms. */
#include "service/engine/engine_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

static lotor_when queue(lotor_engine *engine, lotor_job *job, lotor_kind kind,
                        const lotor_work *with)
{
    lotor_work *work = malloc(sizeof *work);
    if (!work) {
        lotor_spec_free(with->spec);
        json_decref(with->body);
        return lotor_no_memory(job);
    }
    *work = *with;
    return lotor_engine_queue(engine, job, kind, work);
}

lotor_when lotor_engine_create(lotor_engine *engine, lotor_spec *spec, lotor_job *job)
{
    job->refusal.code = LOTOR_CODE_NONE;
    return queue(engine, job, LOTOR_KIND_CREATE, &(lotor_work){.spec = spec});
}

lotor_when lotor_engine_close(lotor_engine *engine, const char *name, lotor_job *job)
{
    job->refusal.code = LOTOR_CODE_NONE;
    lotor_campaign *campaign = lotor_find_or_refuse(engine, name, &job->refusal);
    return campaign ? queue(engine, job, LOTOR_KIND_CLOSE, &(lotor_work){.campaign = campaign})
                    : LOTOR_NOW;
}

lotor_when lotor_engine_change_arms(lotor_engine *engine, const char *name, const json_t *body,
                                    lotor_job *job)
{
    job->refusal.code = LOTOR_CODE_NONE;
    lotor_campaign *campaign = lotor_find_or_refuse(engine, name, &job->refusal);
    if (!campaign) {
        return LOTOR_NOW;
    }
    json_t *copy = json_deep_copy(body); /* reference counts are not for two threads */
    return copy ? queue(engine, job, LOTOR_KIND_ARMS,
                        &(lotor_work){.campaign = campaign, .body = copy})
                : lotor_no_memory(job);
}

/* --- the writer's part -------------------------------------------------------------------------- */

static char *canonical(const lotor_spec *spec)
{
    json_t *json = lotor_spec_write(spec);
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(json);
    return text;
}

static lotor_campaign *find_created(lotor_engine *engine, const char *name)
{
    lotor_campaign *campaign = engine->turn.created;
    while (campaign && strcmp(campaign->name, name) != 0) {
        campaign = campaign->turn.next;
    }
    return campaign ? campaign : lotor_table_find(engine, name);
}

/* The same campaign again is fine: somebody did not hear the first answer. */
static lotor_status compare(const lotor_campaign *known, const lotor_spec *spec, lotor_job *job)
{
    char *old = canonical(lotor_campaign_spec(known)), *new = canonical(spec);
    lotor_status status = old && new ? LOTOR_OK : LOTOR_MEMORY;
    if (!status && strcmp(old, new) != 0) {
        lotor_refuse(&job->refusal, LOTOR_CODE_EXISTS, "name",
                     "there is a campaign of that name with other parameters, and those can't be "
                     "changed: take another name");
    }
    free(old);
    free(new);
    return status;
}

static lotor_status add(lotor_engine *engine, lotor_campaign *campaign, const lotor_policy *policy,
                        lotor_message *why)
{
    char *text = canonical(campaign->spec);
    if (!text) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a campaign: try again");
    }
    campaign->created = (double)engine->turn.now / 1000;
    lotor_status status = lotor_turn_begin(engine, why);
    if (!status) {
        status = lotor_store_add_campaign(engine->store, campaign->name, text, campaign->created,
                                          why, &campaign->id);
    }
    if (!status) {
        status = lotor_turn_save(engine, campaign, policy, why);
    }
    free(text);
    return status;
}

static lotor_status create(lotor_engine *engine, lotor_job *job, lotor_message *why)
{
    lotor_work *work = job->work;
    if (!work->spec) { /* the turn is done again, and the spec went with the first try */
        lotor_refuse(&job->refusal, LOTOR_CODE_STORE, "", "the store was busy: try again");
        return LOTOR_OK;
    }
    if (engine->is_shared && work->spec->early_release) {
        lotor_refuse(&job->refusal, LOTOR_CODE_BAD_VALUE, "early_release",
                     "servers on one database end rounds by their time alone: leave it out");
        return LOTOR_OK;
    }
    const lotor_campaign *known = find_created(engine, work->spec->name);
    if (known) {
        return compare(known, work->spec, job);
    }
    lotor_policy_params params;
    lotor_policy *policy;
    lotor_campaign *campaign;
    lotor_spec_params(work->spec, &params);
    lotor_status status = lotor_policy_new(&params, why, &policy);
    if (status == LOTOR_INVALID || status == LOTOR_OVERFLOW) {
        lotor_refuse(&job->refusal, LOTOR_CODE_BAD_VALUE, "", "%s", why->text);
        return LOTOR_OK;
    }
    if (status) {
        return status;
    }
    lotor_spec *spec = work->spec;
    work->spec = NULL; /* the campaign's from here on */
    status = lotor_campaign_new(spec, policy, why, &campaign);
    if (!status) {
        status = add(engine, campaign, policy, why);
        if (status == LOTOR_INVALID && engine->is_shared) {
            lotor_refuse(&job->refusal, LOTOR_CODE_STORE, "name",
                         "another server made a campaign of that name just now: try again");
            engine->polled_at = 1; /* at once */
            lotor_campaign_free(campaign);
            lotor_policy_free(policy);
            return LOTOR_OK;
        }
        campaign->turn.next = engine->turn.created;
        engine->turn.created = campaign;
        engine->turn.has_changed = true;
    }
    lotor_policy_free(policy); /* it is in the store until somebody asks */
    return status;
}

/* A copy to change: the one in use is read by others meanwhile. */
static lotor_status copy_spec(const lotor_spec *spec, lotor_message *why, lotor_spec **out)
{
    json_t *json = lotor_spec_write(spec);
    lotor_refusal refusal;
    lotor_code code = json ? lotor_spec_read(json, &refusal, out) : LOTOR_CODE_INTERNAL;
    json_decref(json);
    return code ? lotor_fail(LOTOR_MEMORY, why, "a campaign's specification can't be copied")
                : LOTOR_OK;
}

static lotor_status change_spec(lotor_engine *engine, lotor_job *job, lotor_message *why)
{
    lotor_work *work = job->work;
    lotor_campaign *campaign = work->campaign;
    lotor_spec *spec;
    lotor_status status = copy_spec(lotor_campaign_spec(campaign), why, &spec);
    if (status) {
        return status;
    }
    if (lotor_spec_change(spec, work->body, &job->refusal)) {
        lotor_spec_free(spec);
        return LOTOR_OK;
    }
    lotor_spec_free(campaign->turn.spec);
    campaign->turn.spec = spec;
    campaign->turn.spec_changed = true;
    engine->turn.has_changed = true;
    return lotor_campaign_name_arms(campaign, spec, why);
}

/* Closing, and other arms: what was drawn ahead is not to be shown any more. */
static lotor_status change(lotor_engine *engine, lotor_job *job, lotor_message *why)
{
    lotor_campaign *campaign = ((lotor_work *)job->work)->campaign;
    if (lotor_campaign_load(engine, campaign, why)) {
        lotor_refuse(&job->refusal, LOTOR_CODE_STORE, "",
                     "the campaign's state can't be read at the moment: try again");
        return LOTOR_OK;
    }
    lotor_status status = lotor_turn_touch(engine, campaign, why);
    if (status) {
        return status;
    }
    if (job->kind == LOTOR_KIND_ARMS && campaign->turn.closed) {
        lotor_refuse(&job->refusal, LOTOR_CODE_CLOSED, "", "the campaign is closed");
        return LOTOR_OK;
    }
    if (job->kind == LOTOR_KIND_CLOSE) {
        engine->turn.has_changed = engine->turn.has_changed || !campaign->turn.closed;
        campaign->turn.spec_changed = campaign->turn.closed = true;
    } else {
        status = change_spec(engine, job, why);
    }
    return status || job->refusal.code ? status : lotor_draw_void(engine, campaign, why);
}

lotor_status lotor_manage(lotor_engine *engine, lotor_job *job, lotor_message *why)
{
    return job->kind == LOTOR_KIND_CREATE ? create(engine, job, why) : change(engine, job, why);
}
