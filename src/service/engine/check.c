/* check.c - checks a whole store. See check.h. With the key, it reads every campaign as a
 * takeover does. */
#include "service/engine/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "service/engine/budgets.h"
#include "service/engine/inside.h"

typedef struct lease_check {
    lotor_heads *heads;
    lotor_engine_check_counts *counts;
    lotor_message *finding;
    lotor_lease *leases;
    size_t count, room;
} lease_check;

static lotor_status copy_lease(void *context, const lotor_lease *lease)
{
    lease_check *at = context;
    if (lease->is_damaged) {
        return lotor_fail(LOTOR_DAMAGED, at->finding,
                          "the lease of campaign number %" PRIu64
                          " is damaged, or the campaign is missing",
                          lease->campaign);
    }
    if (at->count == at->room) {
        const size_t room = 2 * at->room + 8;
        lotor_lease *leases = realloc(at->leases, room * sizeof *leases);
        if (!leases) {
            return LOTOR_MEMORY;
        }
        at->leases = leases;
        at->room = room;
    }
    at->leases[at->count++] = *lease;
    at->counts->campaigns++;
    at->counts->releases += lease->releases;
    return LOTOR_OK;
}

static lotor_status count_block(void *context, const lotor_block_row *row)
{
    *(uint64_t *)context += row->count;
    return LOTOR_OK;
}

/* Checks one campaign without the key: compares its chain with the head file, and counts its
 * open decisions. */
static lotor_status check_lease(lotor_store *store, const lease_check *at, const lotor_lease *lease,
                                lotor_message *finding)
{
    lotor_head_record head;
    bool has = true;
    lotor_status status = LOTOR_OK;
    if (at->heads && lotor_heads_get(at->heads, lease->campaign, &head)) {
        status =
            lotor_store_has_release(store, lease->campaign, head.number, head.hash, finding, &has);
    }
    if (status == LOTOR_OK && !has) {
        return lotor_fail(LOTOR_RELEASED, finding,
                          "this is an older copy: the chain of campaign number %" PRIu64
                          " lacks release %" PRIu64 ", which is in the head file",
                          lease->campaign, head.number);
    }
    return status == LOTOR_OK ? lotor_store_each_block(store, lease->campaign, 0, 0, count_block,
                                                       &at->counts->decisions, finding)
                              : status;
}

static lotor_status check_starts(lotor_store *store, const lotor_heads *heads,
                                 lotor_message *finding)
{
    char text[24];
    lotor_head_record head;
    const lotor_status status = lotor_store_get_meta(store, "starts", finding, text, sizeof text);
    if (status == LOTOR_OK && lotor_store_is_exclusive(store) && heads &&
        lotor_heads_get(heads, 0, &head) && strtoull(text, NULL, 10) < head.number) {
        return lotor_fail(
            LOTOR_RELEASED, finding,
            "this is an older copy: servers were started %s times on it, but the head "
            "file has %" PRIu64 " starts",
            *text ? text : "no", head.number);
    }
    return status;
}

/* Looks for campaigns that are in the head file, and not in the store. */
static lotor_status check_missing(const lease_check *at, lotor_message *finding)
{
    lotor_head_record head;
    for (size_t i = 0; at->heads && lotor_heads_at(at->heads, i, &head); i++) {
        const uint64_t id = head.campaign & ~LOTOR_HEADS_DELETED;
        bool is_there = id == 0 || head.campaign == LOTOR_HEADS_OLD || head.number == 0;
        for (size_t j = 0; j < at->count && !is_there; j++) {
            is_there = at->leases[j].campaign == id;
        }
        if (!is_there) {
            return lotor_fail(LOTOR_RELEASED, finding,
                              "this is an older copy: it lacks campaign number %" PRIu64
                              ", which is in the head file",
                              id);
        }
    }
    return LOTOR_OK;
}

static lotor_status check_leases(lotor_store *store, lotor_heads *heads,
                                 lotor_engine_check_counts *out, lotor_message *finding)
{
    lease_check at = {.heads = heads, .counts = out, .finding = finding};
    lotor_status status = lotor_store_each_lease(store, copy_lease, &at, finding);
    for (size_t i = 0; status == LOTOR_OK && i < at.count; i++) {
        status = check_lease(store, &at, &at.leases[i], finding);
    }
    if (status == LOTOR_OK) {
        status = check_missing(&at, finding);
    }
    free(at.leases);
    return status == LOTOR_OK ? check_starts(store, heads, finding) : status;
}

static uint64_t no_clock(void *context)
{
    (void)context;
    return 1;
}

static lotor_status check_sealed(lotor_engine *engine, lotor_engine_check_counts *out,
                                 lotor_message *finding)
{
    bool is_new;
    lotor_status status = lotor_sign_in_check_key(engine, finding, &is_new);
    if (status == LOTOR_OK) {
        status = lotor_budgets_read(engine, finding);
    }
    for (const lotor_user_budget *one = engine->budgets; status == LOTOR_OK && one;
         one = one->next) {
        if (one->is_damaged) {
            return lotor_fail(LOTOR_DAMAGED, finding,
                              "budget %s was changed in the store, not by a server",
                              lotor_quote_text(one->spec.name).text);
        }
    }
    if (status == LOTOR_OK) {
        status = lotor_register_poll(engine, finding);
    }
    if (status == LOTOR_OK && engine->unreadable_count > 0) {
        return lotor_fail(LOTOR_DAMAGED, finding, "campaign %s: %s",
                          lotor_quote_text(engine->unreadable[0].name).text,
                          engine->unreadable[0].reason);
    }
    for (size_t i = 0; status == LOTOR_OK && i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        lotor_message why = {""};
        status = lotor_takeover_inspect(engine, campaign, &why);
        if (status != LOTOR_OK) {
            return lotor_fail(status, finding, "campaign %s: %s",
                              lotor_quote_text(campaign->name).text, why.text);
        }
        for (size_t j = 0; j < campaign->cursor_count; j++) {
            out->rows += campaign->cursors[j].count;
        }
        lotor_policy_put_away(engine, campaign);
    }
    return status;
}

lotor_status lotor_engine_check(lotor_store *store, lotor_server_key *server_key,
                                lotor_heads *heads, lotor_engine_check_counts *out,
                                lotor_message *finding)
{
    *out = (lotor_engine_check_counts){0};
    lotor_status status = lotor_store_check(store, finding);
    if (status == LOTOR_OK) {
        /* One snapshot, while a server may go on. */
        status = lotor_store_begin(store, finding);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    status = check_leases(store, heads, out, finding);
    if (status == LOTOR_OK && server_key) {
        lotor_engine *engine = NULL;
        const lotor_engine_setup setup = {
            .store = store, .server_key = server_key, .heads = heads, .boot_clock = no_clock};
        status = lotor_engine_make(&setup, finding, &engine);
        if (status == LOTOR_OK) {
            status = check_sealed(engine, out, finding);
        }
        lotor_engine_free(engine);
    }
    lotor_store_rollback(store);
    return status;
}
