/* releases.c - replies with the history of releases: the chain, with each arm's estimate at that
 * time.
 *
 * A campaign has about arms x log(rounds) rows with facts. Where the values of batches are added
 * up, an estimate needs all rows before it. So the rows are read from the first one on, and those
 * up to `after` are left out of the reply. The writer reads them, since only the writer uses the
 * store.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/engine/inside.h"
#include "service/little.h"

static const size_t fact_bytes = 40; /* five words of 8 bytes: see draw.c */

/* The chain so far: its last hash and number. */
typedef struct chain {
    unsigned char head[LOTOR_STORE_HASH];
    uint64_t number;
} chain;

typedef struct history {
    const lotor_campaign *campaign;
    uint64_t after, limit;
    lotor_arm_sums *readings;
    bool *moved; /* the arms that the current row has facts about */
    json_t *rows;
    uint64_t last;
    chain links;
    bool has_more;
} history;

/* Checks a row against the chain. Releases never change, so a row that does not fit is an error. */
static bool fits_chain(chain *links, const lotor_release_row *release)
{
    lotor_release_row right = *release;
    lotor_release_row_chain(&right, links->head);
    memcpy(links->head, right.hash, sizeof links->head);
    return release->number == ++links->number &&
           memcmp(right.digest, release->digest, sizeof right.digest) == 0 &&
           memcmp(right.hash, release->hash, sizeof right.hash) == 0;
}

static void read_fact(const unsigned char *bytes, lotor_arm_fact *out)
{
    uint64_t value = lotor_get_u64(bytes + 16);
    *out = (lotor_arm_fact){.statistic = (size_t)lotor_get_u64(bytes),
                            .arm = (size_t)lotor_get_u64(bytes + 8),
                            .count = lotor_get_u64(bytes + 24),
                            .time = lotor_get_u64(bytes + 32)};
    memcpy(&out->value, &value, sizeof value);
}

static json_t *fact_json(const lotor_campaign *campaign, const lotor_arm_fact *fact)
{
    return json_pack("{s:s, s:I, s:f, s:I}", "arm", campaign->ids[fact->arm], "statistic",
                     (json_int_t)fact->statistic, "value", fact->value, "count",
                     (json_int_t)fact->count);
}

/* A fact about the value of rounds that the policy or the control chose. */
static json_t *value_json(const lotor_arm_fact *fact)
{
    return json_pack("{s:n, s:s, s:I, s:f, s:I}", "arm", "value_of",
                     fact->arm == LOTOR_RECORDS_VALUE ? "policy" : "control", "statistic",
                     (json_int_t)fact->statistic, "value", fact->value, "count",
                     (json_int_t)fact->count);
}

/* True if the fact is about the value of rounds, not about an arm. */
static bool is_value(const lotor_campaign *campaign, const lotor_arm_fact *fact)
{
    return campaign->is_evaluated && fact->arm >= LOTOR_RECORDS_VALUE &&
           fact->arm <= LOTOR_RECORDS_VALUE + 1;
}

/* Adds a row's facts to the estimates, and to `list` if it is not NULL. */
static lotor_status take_facts(history *told, const lotor_release_row *release, json_t *list)
{
    const lotor_campaign *campaign = told->campaign;
    memset(told->moved, 0, campaign->arms * sizeof *told->moved);
    for (size_t at = 0; at + fact_bytes <= release->facts_length; at += fact_bytes) {
        lotor_arm_fact fact;
        read_fact(release->facts + at, &fact);
        if (is_value(campaign, &fact)) {
            if (list && json_array_append_new(list, value_json(&fact))) {
                return LOTOR_MEMORY;
            }
            continue;
        }
        if (fact.arm >= campaign->arms || !campaign->ids[fact.arm]) {
            return LOTOR_DAMAGED;
        }
        lotor_estimator_add(&campaign->estimator, &fact, &told->readings[fact.arm]);
        told->moved[fact.arm] = true;
        if (list && json_array_append_new(list, fact_json(campaign, &fact))) {
            return LOTOR_MEMORY;
        }
    }
    return LOTOR_OK;
}

/* The time of a release, and how often each arm was shown until then: null in releases of older
 * programs. The object has only the arms that the campaign had then. */
static bool add_stamp(const history *told, const lotor_release_row *release, json_t *row)
{
    enum { WORD = sizeof(uint64_t) };
    const lotor_campaign *campaign = told->campaign;
    const size_t words = release->stamp ? release->stamp_length / WORD : 0;
    json_t *shown = words > 1 ? json_object() : json_null();
    bool fine = shown != NULL;
    for (size_t i = 0; fine && i + 1 < words && i < campaign->arms && campaign->ids[i]; i++) {
        const uint64_t count = lotor_get_u64(release->stamp + (i + 1) * WORD);
        fine = json_object_set_new(shown, campaign->ids[i], json_integer((json_int_t)count)) == 0;
    }
    json_t *time =
        words > 0 ? json_integer((json_int_t)lotor_get_u64(release->stamp)) : json_null();
    fine = json_object_set_new(row, "time", time) == 0 && fine;
    return json_object_set_new(row, "shown", shown) == 0 && fine;
}

static bool list_estimates(const history *told, json_t *list)
{
    const lotor_campaign *campaign = told->campaign;
    bool fine = true;
    for (size_t i = 0; fine && i < campaign->arms; i++) {
        if (told->moved[i]) {
            json_t *arm = json_pack("{s:s}", "id", campaign->ids[i]);
            fine = arm && lotor_describe_sums(arm, &campaign->estimator, &told->readings[i]);
            fine = json_array_append_new(list, arm) == 0 && fine;
        }
    }
    return fine;
}

/* LOTOR_LATE: the limit is reached. */
static lotor_status take_row(void *context, const lotor_release_row *release)
{
    history *told = context;
    if (!fits_chain(&told->links, release)) {
        return LOTOR_DAMAGED;
    }
    if (release->number <= told->after) {
        return take_facts(told, release, NULL);
    }
    if (json_array_size(told->rows) == told->limit) {
        told->has_more = true;
        return LOTOR_LATE;
    }
    json_t *facts = json_array(), *arms = json_array();
    lotor_status status = take_facts(told, release, facts);
    if (status == LOTOR_OK && !list_estimates(told, arms)) {
        status = LOTOR_MEMORY;
    }
    json_t *row = json_pack("{s:I, s:I, s:o, s:o}", "number", (json_int_t)release->number, "round",
                            (json_int_t)release->time, "facts", facts, "arms", arms);
    told->last = release->number;
    const bool fine = row && add_stamp(told, release, row);
    const bool added = json_array_append_new(told->rows, row) == 0 && fine;
    return status == LOTOR_OK && !added ? (lotor_status)LOTOR_MEMORY : status;
}

static const char *note_of(const lotor_campaign *campaign)
{
    if (campaign->is_local) {
        return "Reports are private before they arrive, so this server releases nothing and keeps "
               "no chain of releases: there are only current values.";
    }
    if (campaign->serving.is_linear) {
        return "A linear learner releases matrices: the chain keeps only their digests, and there "
               "is no estimate by arm.";
    }
    return NULL;
}

static json_t *reply_of(const history *told, lotor_campaign *campaign)
{
    const char *note = note_of(campaign);
    pthread_mutex_lock(&campaign->lock);
    json_t *current = lotor_describe_arms(campaign);
    pthread_mutex_unlock(&campaign->lock);
    return json_pack(
        "{s:s, s:b, s:o, s:O, s:o, s:o}", "campaign", campaign->name, "chain", !campaign->is_local,
        "note", note ? json_string(note) : json_null(), "releases", told->rows, "next",
        told->has_more ? json_integer((json_int_t)told->last) : json_null(), "current", current);
}

void lotor_releases(lotor_engine *engine, lotor_job *job)
{
    lotor_job_work *work = job->work;
    lotor_campaign *campaign = work->campaign;
    history told = {.campaign = campaign,
                    .after = work->after,
                    .limit = work->limit,
                    .readings = calloc(campaign->arms, sizeof *told.readings),
                    .moved = calloc(campaign->arms, sizeof *told.moved),
                    .rows = json_array()};
    lotor_status status = told.readings && told.moved && told.rows ? LOTOR_OK : LOTOR_MEMORY;
    if (status == LOTOR_OK && engine->heads_are_behind) {
        status = LOTOR_UNFINISHED; /* the last release may not be in the head file yet */
    }
    if (status == LOTOR_OK && !note_of(campaign)) {
        status = lotor_store_each_release(engine->store, campaign->id, 0, take_row, &told, NULL);
        status = status == LOTOR_LATE ? LOTOR_OK : status;
        status = status == LOTOR_OK ? lotor_register_confirm(engine, NULL) : status;
    }
    *work->reply = status == LOTOR_OK ? reply_of(&told, campaign) : NULL;
    if (status == LOTOR_DAMAGED) {
        lotor_refuse(&job->refusal, LOTOR_CODE_BROKEN, "",
                     "the chain of releases was changed in the store: see `lotor check`");
    } else if (!*work->reply) {
        lotor_refuse(&job->refusal,
                     status == LOTOR_OK || status == LOTOR_MEMORY ? LOTOR_CODE_INTERNAL
                                                                  : LOTOR_CODE_STORE,
                     "", "the releases can't be read at the moment: try again");
    }
    json_decref(told.rows);
    free(told.readings);
    free(told.moved);
    lotor_job_finish(job);
}

typedef struct fact_reader {
    const lotor_campaign *campaign;
    chain links;
    lotor_on_fact *told;
    void *context;
} fact_reader;

static lotor_status tell_row(void *context, const lotor_release_row *release)
{
    fact_reader *reader = context;
    const lotor_campaign *campaign = reader->campaign;
    lotor_status status = LOTOR_OK;
    if (!fits_chain(&reader->links, release)) {
        return LOTOR_DAMAGED;
    }
    for (size_t at = 0; status == LOTOR_OK && at + fact_bytes <= release->facts_length;
         at += fact_bytes) {
        lotor_arm_fact fact;
        read_fact(release->facts + at, &fact);
        if (is_value(campaign, &fact)) {
            continue;
        }
        if (fact.arm >= campaign->arms || !campaign->ids[fact.arm]) {
            return LOTOR_DAMAGED;
        }
        status = reader->told(reader->context, &fact);
    }
    return status;
}

lotor_status lotor_releases_each_fact(lotor_engine *engine, const lotor_campaign *campaign,
                                      lotor_on_fact *told, void *context, lotor_message *why,
                                      uint64_t *last)
{
    fact_reader reader = {.campaign = campaign, .told = told, .context = context};
    *last = 0;
    if (engine->heads_are_behind) {
        return lotor_fail(LOTOR_UNFINISHED, why, "the releases can't be read at the moment");
    }
    const lotor_status status =
        lotor_store_each_release(engine->store, campaign->id, 0, tell_row, &reader, why);
    *last = reader.links.number;
    return status;
}

lotor_completion lotor_engine_releases(lotor_engine *engine, const char *name, uint64_t after,
                                       uint64_t limit, json_t **reply, lotor_job *job)
{
    *reply = NULL;
    job->refusal.code = LOTOR_CODE_NONE;
    lotor_campaign *campaign = lotor_table_find_or_refuse(engine, name, &job->refusal);
    lotor_job_work *work = campaign ? malloc(sizeof *work) : NULL;
    if (!campaign) {
        return LOTOR_COMPLETED;
    }
    if (!work) {
        return lotor_job_no_memory(job);
    }
    *work = (lotor_job_work){.campaign = campaign, .reply = reply, .after = after, .limit = limit};
    return lotor_engine_queue(engine, job, LOTOR_JOB_RELEASES, work);
}
