/* store_copy.c - all rows of one store into another, empty one, of whichever back end.
 *
 * Ids, numbers and the chain stay what they are, so what is sealed opens in its new place, and head files
 * hold. In a shared store nobody owns the open blocks: all their decisions count as handed out, and can be
 * answered for their whole wait from now on. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "base/message.h"
#include "service/store/store_backend.h"

enum { GRACE_MS = 1000, VERSION = 2 }; /* of the mark: its first was 1 */

typedef struct copying {
    lotor_store *from, *to;
    lotor_message *why;
    uint64_t campaign, wait;
    lotor_mark mark; /* of a shared store */
} copying;

static uint64_t now_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static lotor_status refuse_any(void *context, const lotor_stored_campaign *row)
{
    (void)row;
    return lotor_fail(LOTOR_DUPLICATE, ((copying *)context)->why,
                      "the new store has campaigns already, and nothing is overwritten");
}

static lotor_status copy_block(void *context, const lotor_block *row)
{
    copying *copy = context;
    lotor_block block = *row;
    if (block.count == 0) {
        return LOTOR_OK;
    }
    block.owner = block.until = block.changed = 0;
    if (lotor_store_is_shared(copy->to)) {
        block.deadline = now_milliseconds() + copy->wait + GRACE_MS;
        block.changed = VERSION;
        copy->mark.due = copy->mark.due ? copy->mark.due : block.deadline;
    }
    return lotor_store_add_block(copy->to, copy->campaign, &block, copy->why);
}

static lotor_status copy_answers(void *context, const lotor_answers *row)
{
    copying *copy = context;
    copy->mark.answers = row->number;
    return lotor_store_add_answers(copy->to, copy->campaign, row, copy->why);
}

static lotor_status copy_user(void *context, const unsigned char hash[16], uint64_t shown)
{
    copying *copy = context;
    return copy->to->backend->put_user(copy->to, copy->campaign, hash, shown, copy->why);
}

static lotor_status copy_state(void *context, const lotor_stored_campaign *row)
{
    copying *copy = context;
    return lotor_store_put_state(copy->to, row->id, row->final, row->state, row->state_length,
                                 copy->why);
}

static uint64_t wait_of(const char *spec)
{
    json_t *json = json_loads(spec, 0, NULL);
    const double seconds = json_number_value(json_object_get(json, "wait_seconds"));
    json_decref(json);
    return seconds > 0.0 && seconds < 1e12 ? (uint64_t)(1000.0 * seconds) : 0;
}

static lotor_status copy_rounds(copying *copy, const lotor_stored_campaign *row)
{
    lotor_store *from = copy->from;
    lotor_status status = lotor_store_get_state(from, row->id, copy_state, copy, copy->why);
    if (status == LOTOR_OK && row->closed) {
        status = lotor_store_put_spec(copy->to, row->id, row->spec, true, copy->why);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_each_block(from, row->id, copy_block, copy, copy->why);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_each_answers(from, row->id, copy_answers, copy, copy->why);
    }
    if (status == LOTOR_OK) {
        status = from->backend->each_user(from, row->id, copy_user, copy, copy->why);
    }
    if (status == LOTOR_OK && lotor_store_is_shared(copy->to)) {
        status = lotor_store_put_mark(copy->to, &copy->mark, copy->why);
    }
    return status;
}

static lotor_status copy_campaign(void *context, const lotor_stored_campaign *row)
{
    copying *copy = context;
    lotor_status status = lotor_store_add_campaign(copy->to, row->name, row->spec, row->created,
                                                   copy->why, &copy->campaign);
    if (status == LOTOR_OK && copy->campaign != row->id) {
        status = lotor_fail(LOTOR_DAMAGED, copy->why,
                            "campaign %" PRIu64 " would become %" PRIu64 " in the new store",
                            row->id, copy->campaign);
    }
    copy->wait = wait_of(row->spec);
    copy->mark = (lotor_mark){.campaign = row->id, .version = VERSION};
    return status == LOTOR_OK ? copy_rounds(copy, row) : status;
}

static lotor_status copy_release(void *context, const lotor_release *row)
{
    copying *copy = context;
    lotor_release release = *row;
    const lotor_status status = lotor_store_add_release(copy->to, &release, copy->why);
    if (status == LOTOR_OK && memcmp(release.hash, row->hash, sizeof release.hash) != 0) {
        return lotor_fail(LOTOR_DAMAGED, copy->why,
                          "release %" PRIu64 " does not fit the chain: check the old store",
                          row->number);
    }
    return status;
}

static lotor_status copy_meta(copying *copy)
{
    static const char *const keys[] = {"starts", "rollbacks", "key"};
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; status == LOTOR_OK && i < sizeof keys / sizeof *keys; i++) {
        char value[4096];
        status = lotor_store_get_meta(copy->from, keys[i], copy->why, value, sizeof value);
        if (status == LOTOR_OK && *value) {
            status = lotor_store_put_meta(copy->to, keys[i], value, copy->why);
        }
    }
    return status;
}

static lotor_status copy_all(lotor_store *from, lotor_store *to, lotor_message *why)
{
    copying copy = {.from = from, .to = to, .why = why};
    lotor_status status = lotor_store_each_campaign(to, refuse_any, &copy, why);
    if (status == LOTOR_OK) {
        status = lotor_store_begin(to, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    status = lotor_store_each_campaign(from, copy_campaign, &copy, why);
    if (status == LOTOR_OK) {
        status = lotor_store_each_release(from, 0, copy_release, &copy, why);
    }
    if (status == LOTOR_OK) {
        status = copy_meta(&copy);
    }
    if (status != LOTOR_OK) {
        lotor_store_rollback(to);
        return status;
    }
    return lotor_store_commit(to, why);
}

/* The old one as it is at one moment. */
lotor_status lotor_store_copy(lotor_store *from, lotor_store *to, lotor_message *why)
{
    lotor_status status = from->backend->refuse_in_use && from->mode == LOTOR_STORE_READ
                              ? from->backend->refuse_in_use(from, why)
                              : LOTOR_OK;
    if (status == LOTOR_OK) {
        status = lotor_store_begin(from, why);
    }
    if (status == LOTOR_OK) {
        status = copy_all(from, to, why);
        lotor_store_rollback(from);
    }
    return status;
}
