/* store_backend.h - what a back end of the store gives. Only store*.c include it; see store.h for what the
 * calls mean. */
#ifndef LOTOR_SERVICE_STORE_BACKEND_H
#define LOTOR_SERVICE_STORE_BACKEND_H

#include "service/store/store.h"

typedef lotor_status lotor_on_user(void *context, const unsigned char hash[16], uint64_t shown);

typedef struct lotor_backend {
    void (*close)(lotor_store *store);
    lotor_status (*begin)(lotor_store *store, lotor_message *why);
    lotor_status (*commit)(lotor_store *store, lotor_message *why);
    void (*rollback)(lotor_store *store);

    lotor_status (*add_campaign)(lotor_store *store, const char *name, const char *spec,
                                 double created, lotor_message *why, uint64_t *id);
    lotor_status (*each_campaign)(lotor_store *store, lotor_on_campaign *told, void *context,
                                  lotor_message *why);
    lotor_status (*get_state)(lotor_store *store, uint64_t campaign, lotor_on_campaign *told,
                              void *context, lotor_message *why);
    lotor_status (*put_state)(lotor_store *store, uint64_t campaign, uint64_t final,
                              const unsigned char *state, size_t length, lotor_message *why);
    lotor_status (*put_spec)(lotor_store *store, uint64_t campaign, const char *spec, bool closed,
                             lotor_message *why);

    lotor_status (*add_block)(lotor_store *store, uint64_t campaign, const lotor_block *block,
                              lotor_message *why);
    lotor_status (*put_block)(lotor_store *store, uint64_t campaign, const lotor_block *block,
                              lotor_message *why);
    lotor_status (*each_block)(lotor_store *store, uint64_t campaign, uint64_t changed,
                               lotor_on_block *told, void *context, lotor_message *why);

    lotor_status (*add_answers)(lotor_store *store, uint64_t campaign, const lotor_answers *answers,
                                lotor_message *why);
    lotor_status (*each_answers)(lotor_store *store, uint64_t campaign, uint64_t from,
                                 lotor_on_answers *told, void *context, lotor_message *why);
    lotor_status (*forget)(lotor_store *store, uint64_t campaign, uint64_t final,
                           lotor_message *why);

    /* The last link of the chain; `locks`: where servers share it, nobody else adds one before the
     * commit. Zeros: there is none. */
    lotor_status (*last_release)(lotor_store *store, bool locks, lotor_message *why,
                                 lotor_head *out);
    /* The link of that number; zeros: none. */
    lotor_status (*get_release)(lotor_store *store, uint64_t number, lotor_message *why,
                                lotor_head *out);
    lotor_status (*put_release)(lotor_store *store, const lotor_release *release,
                                lotor_message *why);
    lotor_status (*each_release)(lotor_store *store, uint64_t campaign, lotor_on_release_row *told,
                                 void *context, lotor_message *why);

    lotor_status (*count_user)(lotor_store *store, uint64_t campaign, const unsigned char hash[16],
                               uint64_t cap, lotor_message *why, bool *counted);
    lotor_status (*each_user)(lotor_store *store, uint64_t campaign, lotor_on_user *told,
                              void *context, lotor_message *why);
    lotor_status (*put_user)(lotor_store *store, uint64_t campaign, const unsigned char hash[16],
                             uint64_t shown, lotor_message *why);
    lotor_status (*get_meta)(lotor_store *store, const char *key, lotor_message *why, char *value,
                             size_t capacity);
    lotor_status (*put_meta)(lotor_store *store, const char *key, const char *value,
                             lotor_message *why);

    /* What the back end itself can say about damage; store_check.c does the rest, in one transaction. */
    /* Of a database: refuses while servers are connected to it. NULL: the file's lock tells. */
    lotor_status (*refuse_in_use)(lotor_store *store, lotor_message *why);
    lotor_status (*begin_check)(lotor_store *store, lotor_message *why, bool *has_begun);
    lotor_status (*check)(lotor_store *store, lotor_message *finding);
    lotor_status (*backup)(lotor_store *store, const char *path, lotor_message *why);

    /* Shared stores; NULL elsewhere. */
    lotor_status (*lock)(lotor_store *store, uint64_t campaign, bool waits, lotor_message *why,
                         lotor_mark *out, bool *got);
    lotor_status (*put_mark)(lotor_store *store, const lotor_mark *mark, lotor_message *why);
    lotor_status (*each_mark)(lotor_store *store, uint64_t since, lotor_on_mark *told,
                              void *context, lotor_message *why);
    bool (*was_conflict)(const lotor_store *store);
} lotor_backend;

struct lotor_store {
    const lotor_backend *backend;
    lotor_store_mode mode;
};

lotor_status lotor_sqlite_open(const char *path, lotor_store_mode mode, const char *vfs,
                               lotor_message *why, lotor_store **out);
/* Without libpq at build time: refuses, and says what is missing. */
lotor_status lotor_postgres_open(const char *address, lotor_store_mode mode, lotor_message *why,
                                 lotor_store **out);

/* hash = BLAKE2b-256 of (the hash before, number, campaign, time, digest), numbers in little-endian. */
void lotor_chain_next(const unsigned char before[32], lotor_release *release);

#endif
