/* store.c - the store's calls go to the back end that its address names: a file is SQLite's, postgres://
 * is a database that servers share. */
#include "service/store/store.h"

#include <string.h>

#include "base/message.h"
#include "service/store/store_backend.h"

bool lotor_store_is_address(const char *path)
{
    return strncmp(path, "postgres://", 11) == 0 || strncmp(path, "postgresql://", 13) == 0;
}

lotor_status lotor_store_open(const char *path, lotor_store_mode mode, const char *vfs,
                              lotor_message *why, lotor_store **out)
{
    *out = NULL;
    return lotor_store_is_address(path) ? lotor_postgres_open(path, mode, why, out)
                                        : lotor_sqlite_open(path, mode, vfs, why, out);
}

void lotor_store_close(lotor_store *store)
{
    if (store) {
        store->backend->close(store);
    }
}

lotor_status lotor_store_begin(lotor_store *store, lotor_message *why)
{
    return store->backend->begin(store, why);
}

lotor_status lotor_store_commit(lotor_store *store, lotor_message *why)
{
    return store->backend->commit(store, why);
}

void lotor_store_rollback(lotor_store *store)
{
    store->backend->rollback(store);
}

lotor_status lotor_store_add_campaign(lotor_store *store, const char *name, const char *spec,
                                      double created, lotor_message *why, uint64_t *id)
{
    return store->backend->add_campaign(store, name, spec, created, why, id);
}

lotor_status lotor_store_each_campaign(lotor_store *store, lotor_on_campaign *told, void *context,
                                       lotor_message *why)
{
    return store->backend->each_campaign(store, told, context, why);
}

lotor_status lotor_store_get_state(lotor_store *store, uint64_t campaign, lotor_on_campaign *told,
                                   void *context, lotor_message *why)
{
    return store->backend->get_state(store, campaign, told, context, why);
}

lotor_status lotor_store_put_state(lotor_store *store, uint64_t campaign, uint64_t final,
                                   const unsigned char *state, size_t length, lotor_message *why)
{
    return store->backend->put_state(store, campaign, final, state, length, why);
}

lotor_status lotor_store_put_spec(lotor_store *store, uint64_t campaign, const char *spec,
                                  bool closed, lotor_message *why)
{
    return store->backend->put_spec(store, campaign, spec, closed, why);
}

lotor_status lotor_store_add_block(lotor_store *store, uint64_t campaign, const lotor_block *block,
                                   lotor_message *why)
{
    return store->backend->add_block(store, campaign, block, why);
}

lotor_status lotor_store_put_block(lotor_store *store, uint64_t campaign, const lotor_block *block,
                                   lotor_message *why)
{
    return store->backend->put_block(store, campaign, block, why);
}

lotor_status lotor_store_each_block(lotor_store *store, uint64_t campaign, lotor_on_block *told,
                                    void *context, lotor_message *why)
{
    return store->backend->each_block(store, campaign, 0, told, context, why);
}

lotor_status lotor_store_each_block_since(lotor_store *store, uint64_t campaign, uint64_t changed,
                                          lotor_on_block *told, void *context, lotor_message *why)
{
    return store->backend->each_block(store, campaign, changed, told, context, why);
}

lotor_status lotor_store_add_answers(lotor_store *store, uint64_t campaign,
                                     const lotor_answers *answers, lotor_message *why)
{
    return store->backend->add_answers(store, campaign, answers, why);
}

lotor_status lotor_store_each_answers(lotor_store *store, uint64_t campaign, lotor_on_answers *told,
                                      void *context, lotor_message *why)
{
    return store->backend->each_answers(store, campaign, 0, told, context, why);
}

lotor_status lotor_store_each_answers_from(lotor_store *store, uint64_t campaign, uint64_t from,
                                           lotor_on_answers *told, void *context,
                                           lotor_message *why)
{
    return store->backend->each_answers(store, campaign, from, told, context, why);
}

lotor_status lotor_store_forget(lotor_store *store, uint64_t campaign, uint64_t final,
                                lotor_message *why)
{
    return store->backend->forget(store, campaign, final, why);
}

lotor_status lotor_store_each_release(lotor_store *store, uint64_t campaign,
                                      lotor_on_release_row *told, void *context, lotor_message *why)
{
    return store->backend->each_release(store, campaign, told, context, why);
}

lotor_status lotor_store_count_user(lotor_store *store, uint64_t campaign,
                                    const unsigned char hash[16], uint64_t cap, lotor_message *why,
                                    bool *counted)
{
    return store->backend->count_user(store, campaign, hash, cap, why, counted);
}

lotor_status lotor_store_get_meta(lotor_store *store, const char *key, lotor_message *why,
                                  char *value, size_t capacity)
{
    return store->backend->get_meta(store, key, why, value, capacity);
}

lotor_status lotor_store_put_meta(lotor_store *store, const char *key, const char *value,
                                  lotor_message *why)
{
    return store->backend->put_meta(store, key, value, why);
}

lotor_status lotor_store_backup(lotor_store *store, const char *path, lotor_message *why)
{
    return store->backend->backup(store, path, why);
}

bool lotor_store_is_shared(const lotor_store *store)
{
    return store->backend->lock != NULL;
}

lotor_status lotor_store_lock(lotor_store *store, uint64_t campaign, bool waits, lotor_message *why,
                              lotor_mark *out, bool *got)
{
    return store->backend->lock(store, campaign, waits, why, out, got);
}

lotor_status lotor_store_put_mark(lotor_store *store, const lotor_mark *mark, lotor_message *why)
{
    return store->backend->put_mark(store, mark, why);
}

lotor_status lotor_store_each_mark(lotor_store *store, uint64_t since, lotor_on_mark *told,
                                   void *context, lotor_message *why)
{
    return store->backend->each_mark(store, since, told, context, why);
}

bool lotor_store_was_conflict(const lotor_store *store)
{
    return store->backend->was_conflict && store->backend->was_conflict(store);
}
