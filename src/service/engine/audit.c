/* audit.c - the audit log: which key has created or changed which campaign, and when.
 *
 * A line is written in the transaction of the act, so there is no act without its line and no line
 * without its act. Keys are not in the store: their lines are committed before the key file changes. A line names campaigns, arms and parameters, which are public. It never has
 * feedback, users, contexts or keys.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "service/engine/inside.h"

enum { IDS_SHOWN = 16 }; /* a line names so many arms of each list */

/* --- writing ---------------------------------------------------------------------------------- */

lotor_status lotor_audit_write(lotor_engine *engine, const lotor_job *job, const char *campaign,
                               const char *act, const char *change, lotor_message *why)
{
    const lotor_audit_row row = {.time = engine->low,
                                 .key = job && job->key ? job->key : "-",
                                 .key_id = job && job->key_id ? job->key_id : "",
                                 .campaign = campaign,
                                 .act = act,
                                 .change = change};
    return lotor_store_add_audit(engine->store, &row, why);
}

void lotor_audit_note(lotor_engine *engine, lotor_job *job)
{
    const lotor_job_work *const work = job->work;
    lotor_message why;
    lotor_status status = lotor_engine_begin(engine, &why);
    if (status == LOTOR_OK) {
        status = lotor_audit_write(engine, job, "", work->note_act, work->note, &why);
        if (status != LOTOR_OK) {
            lotor_store_rollback(engine->store);
        } else {
            status = lotor_engine_commit(engine, &why);
        }
    }
    if (status != LOTOR_OK) {
        lotor_job_fail(job, status);
    } else {
        lotor_job_finish(job);
    }
}

lotor_completion lotor_engine_note(lotor_engine *engine, const char *act, const char *change,
                                   lotor_job *job)
{
    const size_t room = strlen(change) + 1;
    job->refusal.code = LOTOR_CODE_NONE;
    lotor_job_work *const work = malloc(sizeof *work);
    char *const note = work ? malloc(room) : NULL;
    if (!note) {
        free(work);
        return lotor_job_no_memory(job);
    }
    memcpy(note, change, room);
    *work = (lotor_job_work){.note_act = act, .note = note};
    return lotor_engine_queue(engine, job, LOTOR_JOB_NOTE, work);
}

/* Adds "add a, b and 3 more". */
static void add_ids(lotor_text *text, const char *verb, const json_t *list)
{
    const size_t count = json_array_size(list);
    for (size_t i = 0; i < count && i < IDS_SHOWN; i++) {
        const json_t *const arm = json_array_get(list, i);
        const char *const id =
            json_string_value(json_is_object(arm) ? json_object_get(arm, "id") : arm);
        if (i == 0) {
            lotor_text_print(text, "%s%s ", text->length > 0 ? "; " : "", verb);
        }
        lotor_text_print(text, "%s%s", i > 0 ? ", " : "", id ? id : "?");
    }
    if (count > IDS_SHOWN) {
        lotor_text_print(text, " and %zu more", count - IDS_SHOWN);
    }
}

void lotor_audit_describe_arms(lotor_text *text, const json_t *body)
{
    static const char *const verbs[] = {"add", "pause", "resume", "remove"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        add_ids(text, verbs[i], json_object_get(body, verbs[i]));
    }
}

/* True if a field of the specification is in the line already: the line has the campaign in a column
 * of its own, and begins with others. Labels are left out, since they may be long. */
static bool is_described(const char *name)
{
    static const char *const names[] = {"name", "algorithm", "epsilon", "arms", "slots"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return lotor_spec_is_label(name);
}

/* Adds "; FIELD VALUE" for each other field that has a value, with the value as JSON. */
static void add_fields(lotor_text *text, json_t *fields)
{
    const char *name;
    json_t *value;
    json_object_foreach(fields, name, value)
    {
        if (is_described(name) || json_is_null(value)) {
            continue;
        }
        lotor_text_print(text, "; %s ", name);
        char *const json =
            json_dumps(value, JSON_ENCODE_ANY | JSON_SORT_KEYS | JSON_REAL_PRECISION(15));
        text->is_out_of_memory = text->is_out_of_memory || !json;
        const size_t length = json ? strlen(json) : 0;
        if (json_is_real(value) && length > 2 && strcmp(json + length - 2, ".0") == 0) {
            json[length - 2] = '\0'; /* 60, not 60.0 */
        }
        lotor_text_add(text, json ? json : "");
        free(json);
    }
}

/* Names what was edited, not the texts, which may be long. */
void lotor_audit_describe_edit(lotor_text *text, const json_t *body)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)body, name, value)
    {
        if (strcmp(name, "arms") != 0) {
            lotor_text_print(text, "%s%s", text->length > 0 ? ", " : "", name);
        }
        if (strcmp(name, "max_arms") == 0) {
            lotor_text_print(text, " %" JSON_INTEGER_FORMAT, json_integer_value(value));
        }
    }
    add_ids(text, "arms", json_object_get(body, "arms"));
}

void lotor_audit_describe_spec(lotor_text *text, const lotor_spec *spec)
{
    json_t *const fields = lotor_spec_write(spec);
    lotor_text_print(text, "algorithm %s, epsilon ", spec->algorithm);
    lotor_text_number(text, lotor_ratio_to_double(spec->epsilon), 6);
    lotor_text_print(text, ", %zu arm%s, %zu slot%s", spec->arm_count,
                     spec->arm_count == 1 ? "" : "s", spec->slots, spec->slots == 1 ? "" : "s");
    text->is_out_of_memory = text->is_out_of_memory || !fields;
    add_ids(text, "arms", json_object_get(fields, "arms"));
    add_fields(text, fields);
    json_decref(fields);
}

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct audit_reader {
    json_t *list;
    uint64_t last;
} audit_reader;

static lotor_status add_row(void *context, const lotor_audit_row *row)
{
    audit_reader *const reader = context;
    json_t *const key_id = *row->key_id ? json_string(row->key_id) : json_null();
    json_t *const campaign = *row->campaign ? json_string(row->campaign) : json_null();
    json_t *const line =
        json_pack("{s:I, s:f, s:s, s:o, s:o, s:s, s:s}", "number", (json_int_t)row->number, "time",
                  (double)row->time / 1000, "key", row->key, "key_id", key_id, "campaign", campaign,
                  "act", row->act, "change", row->change);
    reader->last = row->number;
    return json_array_append_new(reader->list, line) == 0 ? LOTOR_OK : LOTOR_MEMORY;
}

/* Reads one line more than asked for, to know whether there are more. */
void lotor_audit(lotor_engine *engine, lotor_job *job)
{
    const lotor_job_work *const work = job->work;
    audit_reader reader = {.list = json_array(), .last = work->after};
    lotor_status status = reader.list ? LOTOR_OK : LOTOR_MEMORY;
    if (status == LOTOR_OK) {
        status = lotor_store_each_audit(engine->store, work->after, work->limit + 1, add_row,
                                        &reader, NULL);
    }
    bool has_more = false;
    if (status == LOTOR_OK && json_array_size(reader.list) > work->limit) {
        has_more = true;
        reader.last--; /* numbers have no gaps */
        json_array_remove(reader.list, (size_t)work->limit);
    }
    *work->reply = status == LOTOR_OK
                       ? json_pack("{s:O, s:o}", "acts", reader.list, "next",
                                   has_more ? json_integer((json_int_t)reader.last) : json_null())
                       : NULL;
    json_decref(reader.list);
    if (status == LOTOR_DAMAGED) {
        lotor_refuse(&job->refusal, LOTOR_CODE_BROKEN, "",
                     "the audit log was changed in the store: see `lotor check`");
    } else if (!*work->reply) {
        lotor_refuse(&job->refusal,
                     status == LOTOR_OK || status == LOTOR_MEMORY ? LOTOR_CODE_INTERNAL
                                                                  : LOTOR_CODE_STORE,
                     "", "the audit log can't be read at the moment: try again");
    }
    lotor_job_finish(job);
}

lotor_completion lotor_engine_audit(lotor_engine *engine, uint64_t after, uint64_t limit,
                                    json_t **reply, lotor_job *job)
{
    *reply = NULL;
    job->refusal.code = LOTOR_CODE_NONE;
    lotor_job_work *const work = malloc(sizeof *work);
    if (!work) {
        return lotor_job_no_memory(job);
    }
    *work = (lotor_job_work){.reply = reply, .after = after, .limit = limit};
    return lotor_engine_queue(engine, job, LOTOR_JOB_AUDIT, work);
}
