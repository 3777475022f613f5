/* fuzz_store.c - opens any bytes as a store. The store is refused with a message, or is read to its
 * end.
 *
 * The first byte says how the rest is used: as the whole file, as its log, or (mostly) as changes
 * to a valid store. A change is three bytes for the position, one for the length, and the new bytes. */
#include "fuzz.h"

#include "service/fault_vfs.h"
#include "service/store/store.h"

enum { AS_FILE = 0, AS_LOG = 1 };

static unsigned char *whole; /* a valid store with rows in all tables */
static size_t whole_length;

static void make_whole(void)
{
    fault_vfs *disk = fault_vfs_new();
    lotor_store *store;
    lotor_message why;
    unsigned char bytes[3000] = "bytes";
    bool counted, done;
    CHECK(sodium_init() >= 0);
    CHECK(lotor_store_open("x.db", LOTOR_STORE_SERVE, fault_vfs_name(disk), &why, &store) ==
          LOTOR_OK);
    CHECK(lotor_store_begin(store, &why) == LOTOR_OK);
    CHECK(lotor_store_add_server(store, 5, 3000, "x", &why) == LOTOR_OK);
    for (int i = 0; i < 2; i++) {
        lotor_campaign_row row = {.name = i ? "a" : "b", .spec = "{}", .seal = bytes, .created = 1};
        lotor_lease lease;
        CHECK(lotor_store_next_campaign(store, &why, &row.id) == LOTOR_OK);
        const uint64_t id = row.id;
        CHECK(lotor_store_add_campaign(store, &row, bytes, 72, &why) == LOTOR_OK);
        CHECK(lotor_store_put_state(store, id, 0, bytes, sizeof bytes, &why) == LOTOR_OK);
        CHECK(lotor_store_take(store, id, 5, 0, &why, &lease, &done) == LOTOR_OK && done);
        const lotor_block_row block = {.first = 2,
                                       .count = 9,
                                       .holder = 5,
                                       .until = 1,
                                       .deadline = 2,
                                       .drawn = bytes,
                                       .drawn_length = 99};
        const lotor_log_row log = {
            .stream = 3, .seq = 1, .first = 2, .last = 9, .bytes = bytes, .length = 99};
        lotor_release_row release = {
            .campaign = id, .number = 1, .time = 1, .facts = bytes, .facts_length = 50};
        lotor_release_row_chain(&release, lease.head);
        lease.sealed = lease.final = 1;
        lease.releases = 1;
        memcpy(lease.head, release.hash, sizeof lease.head);
        CHECK(lotor_store_put_lease(store, &lease, &why, &done) == LOTOR_OK && done);
        CHECK(lotor_store_add_block(store, id, &block, &why) == LOTOR_OK);
        CHECK(lotor_store_append(store, id, &log, &why) == LOTOR_OK);
        CHECK(lotor_store_add_release(store, &release, &why) == LOTOR_OK);
        CHECK(lotor_store_count_user(store, id, bytes, 3, &why, &counted) == LOTOR_OK && counted);
    }
    CHECK(lotor_store_put_meta(store, "starts", "1", &why) == LOTOR_OK);
    CHECK(lotor_store_commit(store, &why) == LOTOR_OK);
    lotor_store_close(store);
    CHECK(lotor_store_open("x.db", LOTOR_STORE_READ, fault_vfs_name(disk), &why, &store) ==
          LOTOR_OK);
    CHECK(lotor_store_check(store, &why) == LOTOR_OK);
    lotor_store_close(store);
    whole = fault_vfs_get(disk, "x.db", &whole_length);
    CHECK(whole && whole_length > 0);
    fault_vfs_free(disk);
}

static void check_words(lotor_status status, const lotor_message *why)
{
    CHECK(status == LOTOR_DAMAGED || status == LOTOR_VERSION || status == LOTOR_UNFINISHED ||
          status == LOTOR_INVALID || status == LOTOR_UNKNOWN || status == LOTOR_RANGE);
    CHECK(why->text[0] != '\0' && memchr(why->text, '\0', sizeof why->text));
}

/* The calls that a server makes. */
static void write_to(lotor_store *store)
{
    lotor_message why = {""};
    lotor_lease lease = {.campaign = 1};
    lotor_release_row release = {.campaign = 1, .number = 2, .time = 5};
    const lotor_log_row log = {
        .stream = 3, .seq = 2, .first = 2, .last = 3, .bytes = release.digest, .length = 32};
    bool done = false;
    lotor_status status = lotor_store_begin(store, &why);
    status = status ? status : lotor_store_take(store, 1, 7, 1, &why, &lease, &done);
    status = status ? status : lotor_store_append(store, 1, &log, &why);
    status = status ? status : lotor_store_add_release(store, &release, &why);
    status = status ? status : lotor_store_forget(store, 1, 9, &why);
    status = status ? status : lotor_store_put_state(store, 1, 1, release.digest, 32, &why);
    status = status ? status : lotor_store_commit(store, &why);
    if (status != LOTOR_OK && status != LOTOR_DUPLICATE) {
        check_words(status, &why);
    }
    lotor_store_rollback(store);
}

static void put_changed(fault_vfs *disk, const uint8_t *data, size_t size)
{
    unsigned char *bytes = malloc(whole_length);
    CHECK(bytes);
    memcpy(bytes, whole, whole_length);
    while (size >= 4) {
        const size_t at = (data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16) % whole_length;
        size_t count = data[3] < size - 4 ? data[3] : size - 4;
        for (size_t i = 0; i < count && at + i < whole_length; i++) {
            bytes[at + i] = data[4 + i];
        }
        data += 4 + count;
        size -= 4 + count;
    }
    fault_vfs_put(disk, "x.db", bytes, whole_length);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!whole) {
        make_whole();
    }
    if (size == 0) {
        return 0;
    }
    fault_vfs *disk = fault_vfs_new();
    if (data[0] == AS_FILE) {
        fault_vfs_put(disk, "x.db", data + 1, size - 1);
    } else if (data[0] == AS_LOG) {
        fault_vfs_put(disk, "x.db", whole, whole_length);
        fault_vfs_put(disk, "x.db-wal", data + 1, size - 1);
    } else {
        put_changed(disk, data + 1, size - 1);
    }
    for (int mode = LOTOR_STORE_READ; mode >= LOTOR_STORE_SERVE; mode--) {
        lotor_store *store;
        lotor_message why = {""};
        lotor_status status =
            lotor_store_open("x.db", (lotor_store_mode)mode, fault_vfs_name(disk), &why, &store);
        CHECK((status == LOTOR_OK) == (store != NULL));
        if (status == LOTOR_OK) {
            status = lotor_store_check(store, &why);
        }
        if (status != LOTOR_OK) {
            check_words(status, &why);
        }
        if (store && mode == LOTOR_STORE_SERVE) {
            write_to(store);
        }
        lotor_store_close(store);
    }
    fault_vfs_free(disk);
    return 0;
}
