/* store_check.c - is the store what was written? All that can be said without the key.
 *
 * The tables themselves were compared when it was opened. First the back end's own check, then what the tables must say together: foreign keys, the chain
 * of releases link by link, blocks that follow each other, answers to decisions that are there.
 */
#include <inttypes.h>
#include <sodium.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "service/store/store_backend.h"

typedef struct checking {
    lotor_store *store;
    lotor_message *finding;
    unsigned char before[32]; /* the chain so far */
    uint64_t releases;
    lotor_quoted name; /* of the campaign that is looked at */
    uint64_t last;     /* its last decision so far */
} checking;

static lotor_status check_release(void *context, const lotor_release *release)
{
    checking *check = context;
    lotor_release right = *release;
    unsigned char digest[32];
    if (release->number != check->releases + 1) {
        return lotor_fail(LOTOR_DAMAGED, check->finding,
                          "release %" PRIu64 " is missing from the chain", check->releases + 1);
    }
    if (release->facts) {
        crypto_generichash(digest, sizeof digest, release->facts, release->facts_length, NULL, 0);
        if (memcmp(digest, release->digest, sizeof digest) != 0) {
            return lotor_fail(LOTOR_DAMAGED, check->finding,
                              "the facts of release %" PRIu64 " were changed", release->number);
        }
    }
    lotor_chain_next(check->before, &right);
    if (memcmp(right.hash, release->hash, sizeof right.hash) != 0) {
        return lotor_fail(LOTOR_DAMAGED, check->finding,
                          "release %" PRIu64 " does not fit the chain: it, or one before it, was "
                          "changed",
                          release->number);
    }
    memcpy(check->before, right.hash, sizeof check->before);
    check->releases++;
    return LOTOR_OK;
}

/* Blocks stand in the order of decisions and share none. There may be gaps: decisions that were taken
 * back before anybody saw them. */
static lotor_status check_block(void *context, const lotor_block *block)
{
    checking *check = context;
    if (block->count > INT64_MAX - block->first) {
        return lotor_fail(LOTOR_DAMAGED, check->finding,
                          "campaign %s: the block at decision %" PRIu64 " is too long",
                          check->name.text, block->first);
    }
    if (block->first <= check->last) {
        return lotor_fail(LOTOR_DAMAGED, check->finding,
                          "campaign %s: the block at decision %" PRIu64
                          " begins before the one before it ends, at %" PRIu64,
                          check->name.text, block->first, check->last);
    }
    check->last = block->first + block->count - 1;
    return LOTOR_OK;
}

static lotor_status check_answers(void *context, const lotor_answers *answers)
{
    checking *check = context;
    if (answers->last > check->last) {
        return lotor_fail(LOTOR_DAMAGED, check->finding,
                          "campaign %s: answers %" PRIu64 " are to decision %" PRIu64
                          ", and the last one drawn is %" PRIu64,
                          check->name.text, answers->number, answers->last, check->last);
    }
    return LOTOR_OK;
}

static lotor_status check_campaign(void *context, const lotor_stored_campaign *campaign)
{
    checking *check = context;
    check->name = lotor_quote_text(campaign->name);
    check->last = 0;
    lotor_status status =
        lotor_store_each_block(check->store, campaign->id, check_block, check, check->finding);
    if (check->last < campaign->final) {
        check->last = campaign->final;
    }
    if (status == LOTOR_OK) {
        status = lotor_store_each_answers(check->store, campaign->id, check_answers, check,
                                          check->finding);
    }
    return status;
}

static lotor_status check_all(checking *check)
{
    lotor_store *store = check->store;
    lotor_message *finding = check->finding;
    lotor_head head;
    lotor_status status = store->backend->check(store, finding);
    if (status == LOTOR_OK) {
        status = lotor_store_head(store, finding, &head);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_each_release(store, 0, check_release, check, finding);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_each_campaign(store, check_campaign, check, finding);
    }
    return status;
}

lotor_status lotor_store_check(lotor_store *store, lotor_message *finding)
{
    lotor_message unused = {""};
    checking check = {.store = store, .finding = finding ? finding : &unused};
    /* One transaction: a server beside it may go on, and this sees one moment. */
    bool alone = false;
    lotor_status status = store->backend->begin_check(store, check.finding, &alone);
    if (status == LOTOR_OK) {
        status = check_all(&check);
    }
    if (alone) {
        lotor_store_rollback(store);
    }
    return status;
}
