/* check.c - see check.h. */
#include "service/store/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/quote.h"
#include "policy/serving.h"
#include "service/little.h"

typedef struct looking {
    lotor_store *store;
    const lotor_vault *vault;
    lotor_check_counts *counts;
    lotor_message *finding;
    uint64_t campaign, final;
    lotor_quoted name;
    uint64_t open, last;   /* decisions of the campaign, and the last one drawn */
    uint64_t rounds, over; /* as its policy says */
} looking;

/* Opens sealed bytes; the caller wipes and frees them. */
static lotor_status unseal(looking *at, lotor_seal_use use, uint64_t number, const char *what,
                           const unsigned char *sealed, size_t length, unsigned char **plain)
{
    *plain = NULL;
    if (!sealed || length < LOTOR_SEAL_EXTRA) {
        return lotor_fail(LOTOR_DAMAGED, at->finding, "campaign %s: %s is missing or cut off",
                          at->name.text, what);
    }
    *plain = malloc(length - LOTOR_SEAL_EXTRA + 1);
    if (!*plain) {
        return lotor_fail(LOTOR_MEMORY, at->finding, "out of memory");
    }
    if (lotor_vault_open_sealed(at->vault, use, at->campaign, number, sealed, length, *plain) !=
        LOTOR_OK) {
        lotor_wipe_free(*plain, length - LOTOR_SEAL_EXTRA);
        *plain = NULL;
        return lotor_fail(LOTOR_DAMAGED, at->finding,
                          "campaign %s: %s (number %" PRIu64 ") does not open: it was changed, or "
                          "moved from another place",
                          at->name.text, what, number);
    }
    return LOTOR_OK;
}

static lotor_status look_at_block(void *context, const lotor_block *block)
{
    looking *at = context;
    lotor_status status = LOTOR_OK;
    const uint64_t end = block->first + block->count; /* store_check.c: it fits */
    if (block->count > 0 && end - 1 > at->final) {
        const uint64_t from = block->first > at->final ? block->first : at->final + 1;
        at->open += end - from;
        at->last = end - 1;
    }
    if (at->vault && block->action) {
        unsigned char *plain;
        status = unseal(at, LOTOR_SEAL_ACTION, block->first, "the context of a decision",
                        block->action, block->action_length, &plain);
        lotor_wipe_free(plain, plain ? block->action_length - LOTOR_SEAL_EXTRA : 0);
    }
    return status;
}

static lotor_status look_at_answers(void *context, const lotor_answers *answers)
{
    looking *at = context;
    lotor_status status = LOTOR_OK;
    at->counts->answers++;
    if (at->vault) {
        unsigned char *plain;
        status = unseal(at, LOTOR_SEAL_ANSWERS, answers->number, "a group of answers",
                        answers->sealed, answers->length, &plain);
        lotor_wipe_free(plain, plain ? answers->length - LOTOR_SEAL_EXTRA : 0);
    }
    return status;
}

/* Where the policy begins; past the end: nowhere. */
static size_t state_head(const unsigned char *plain, size_t length)
{
    const uint64_t arms = length >= LOTOR_STATE_HEAD ? lotor_get_u64(plain + 8) : UINT64_MAX;
    return arms < length / 8 ? (size_t)(LOTOR_STATE_HEAD + 8 * arms) : SIZE_MAX;
}

static lotor_status look_at_state(void *context, const lotor_stored_campaign *campaign)
{
    looking *at = context;
    unsigned char *plain;
    lotor_policy *policy;
    lotor_message why = {""};
    lotor_status status = unseal(at, LOTOR_SEAL_STATE, campaign->final, "its state",
                                 campaign->state, campaign->state_length, &plain);
    if (status != LOTOR_OK) {
        return status;
    }
    const size_t length = campaign->state_length - LOTOR_SEAL_EXTRA;
    const size_t head = state_head(plain, length);
    status = head > length ? lotor_fail((lotor_status)LOTOR_DAMAGED, &why, "it is too short")
                           : lotor_policy_load(plain + head, length - head, NULL, &why, &policy);
    lotor_wipe_free(plain, length);
    if (status != LOTOR_OK) {
        return lotor_fail(status, at->finding, "campaign %s: its state does not load: %.200s",
                          at->name.text, why.text);
    }
    at->rounds = lotor_policy_rounds(policy);
    at->over = lotor_policy_rounds_over(policy);
    lotor_policy_free(policy);
    return LOTOR_OK;
}

/* Every round that was drawn and is not over is in a block, and nothing else is. */
static lotor_status compare_rounds(looking *at)
{
    if (at->last > at->rounds || at->final > at->rounds) {
        return lotor_fail(LOTOR_DAMAGED, at->finding,
                          "campaign %s: decision %" PRIu64 " is there, but its state knows only "
                          "%" PRIu64,
                          at->name.text, at->last > at->final ? at->last : at->final, at->rounds);
    }
    if (at->rounds - at->over != at->open) {
        return lotor_fail(LOTOR_DAMAGED, at->finding,
                          "campaign %s: %" PRIu64 " decisions are open by its state, and %" PRIu64
                          " by its blocks",
                          at->name.text, at->rounds - at->over, at->open);
    }
    return LOTOR_OK;
}

static lotor_status look_at_campaign(void *context, const lotor_stored_campaign *campaign)
{
    looking *at = context;
    at->counts->campaigns++;
    at->campaign = campaign->id;
    at->final = campaign->final;
    at->name = lotor_quote_text(campaign->name);
    at->open = at->last = 0;
    lotor_status status =
        lotor_store_each_block(at->store, campaign->id, look_at_block, at, at->finding);
    if (status == LOTOR_OK) {
        status =
            lotor_store_each_answers(at->store, campaign->id, look_at_answers, at, at->finding);
    }
    if (status == LOTOR_OK && at->vault) {
        status = lotor_store_get_state(at->store, campaign->id, look_at_state, at, at->finding);
        status = status == LOTOR_OK ? compare_rounds(at) : status;
    }
    at->counts->decisions += at->open;
    return status;
}

/* A key that was made for another store is told from damage by its name. */
static lotor_status compare_key(looking *at)
{
    char kept[LOTOR_VAULT_NAME + 1], name[LOTOR_VAULT_NAME + 1];
    const lotor_status status =
        lotor_store_get_meta(at->store, "key", at->finding, kept, sizeof kept);
    if (status != LOTOR_OK || kept[0] == '\0') {
        return status;
    }
    lotor_vault_name(at->vault, name);
    if (strcmp(kept, name) != 0) {
        return lotor_fail(LOTOR_INVALID, at->finding,
                          "the key is %s, and the store was written with the key %s", name,
                          lotor_quote_text(kept).text);
    }
    return LOTOR_OK;
}

static lotor_status compare_head(looking *at, const lotor_head *head)
{
    lotor_head found;
    bool has = true;
    lotor_status status = lotor_store_head(at->store, at->finding, &found);
    if (status == LOTOR_OK && at->counts->has_head) {
        status = lotor_store_has_head(at->store, head, at->finding, &has);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    at->counts->releases = found.releases;
    if (!at->counts->has_head && at->vault && found.releases > 0) {
        return lotor_fail(LOTOR_RELEASED, at->finding,
                          "there are %" PRIu64 " releases and no head file beside the key: nobody "
                          "can tell whether the store is an older copy",
                          found.releases);
    }
    if (at->counts->has_head && (!has || found.starts < head->starts)) {
        return lotor_fail(LOTOR_RELEASED, at->finding,
                          "the store is an older copy, or another one: it has %" PRIu64
                          " releases and %" PRIu64 " starts, the head file beside the key %" PRIu64
                          " and %" PRIu64,
                          found.releases, found.starts, head->releases, head->starts);
    }
    return LOTOR_OK;
}

static lotor_status look_at_all(looking *at, const lotor_head *head)
{
    lotor_status status = lotor_store_check(at->store, at->finding);
    if (status == LOTOR_OK && at->vault) {
        status = compare_key(at);
    }
    if (status == LOTOR_OK) {
        status = compare_head(at, head);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_each_campaign(at->store, look_at_campaign, at, at->finding);
    }
    return status;
}

lotor_status lotor_check(lotor_store *store, const lotor_vault *vault, const char *head_path,
                         lotor_check_counts *out, lotor_message *finding)
{
    lotor_head head = {0};
    looking at = {.store = store, .vault = vault, .counts = out, .finding = finding};
    *out = (lotor_check_counts){0};
    /* The head first: a server beside it moves the store before the head. */
    lotor_status status =
        head_path ? lotor_head_read(head_path, finding, &head) : (lotor_status)LOTOR_UNKNOWN;
    if (status != LOTOR_OK && status != LOTOR_UNKNOWN) {
        return status;
    }
    out->has_head = status == LOTOR_OK;
    status = lotor_store_begin(store, finding);
    if (status == LOTOR_OK) {
        status = look_at_all(&at, &head);
    }
    lotor_store_rollback(store);
    return status;
}
