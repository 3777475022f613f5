/* store_chain.c - the chain of releases: each row's hash covers all before it, so two stores with the
 * same head have the same releases. Every back end keeps the same chain. */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/little.h"
#include "service/store/store_backend.h"

void lotor_chain_next(const unsigned char before[32], lotor_release *release)
{
    unsigned char bytes[32 + 3 * 8 + 32];
    memcpy(bytes, before, 32);
    lotor_put_u64(bytes + 32, release->number);
    lotor_put_u64(bytes + 40, release->campaign);
    lotor_put_u64(bytes + 48, release->time);
    memcpy(bytes + 56, release->digest, 32);
    crypto_generichash(release->hash, sizeof release->hash, bytes, sizeof bytes, NULL, 0);
}

lotor_status lotor_store_add_release(lotor_store *store, lotor_release *release, lotor_message *why)
{
    lotor_head last = {0};
    lotor_status status = store->backend->last_release(store, true, why, &last);
    if (status != LOTOR_OK) {
        return status;
    }
    if (release->facts) {
        crypto_generichash(release->digest, sizeof release->digest, release->facts,
                           release->facts_length, NULL, 0);
    }
    release->number = last.releases + 1;
    lotor_chain_next(last.hash, release);
    return store->backend->put_release(store, release, why);
}

lotor_status lotor_store_head(lotor_store *store, lotor_message *why, lotor_head *out)
{
    char starts[32];
    lotor_status status = store->backend->last_release(store, false, why, out);
    if (status == LOTOR_OK) {
        status = lotor_store_get_meta(store, "starts", why, starts, sizeof starts);
    }
    if (status == LOTOR_OK) {
        char *end = starts;
        out->starts = strtoull(starts, &end, 10);
        if (*end != '\0') {
            status = lotor_fail(LOTOR_DAMAGED, why, "the store's count of starts is no number");
        }
    }
    return status;
}

lotor_status lotor_store_has_head(lotor_store *store, const lotor_head *head, lotor_message *why,
                                  bool *has)
{
    static const unsigned char none[32] = {0};
    lotor_head found;
    *has = false;
    if (head->releases == 0) { /* every chain begins with nothing */
        *has = memcmp(head->hash, none, sizeof none) == 0;
        return LOTOR_OK;
    }
    if (head->releases > INT64_MAX) {
        return LOTOR_OK;
    }
    const lotor_status status = store->backend->get_release(store, head->releases, why, &found);
    *has = status == LOTOR_OK && found.releases == head->releases &&
           memcmp(found.hash, head->hash, sizeof found.hash) == 0;
    return status;
}
