/* fuzz_head.c - reads the head file and the server's key file. For all contents of the files, heads
 * that are written can be read back.
 *
 * The first byte says what the rest is: a key file, a whole head file, the contents of the two
 * slots of a head file of schema 1, or the records of a newer head file. The last two get the right
 * checksums. */
#include "fuzz.h"

#include <fcntl.h>
#include <unistd.h>

#include "service/little.h"
#include "service/server_key/server_key.h"
#include "service/store/heads.h"

enum { PAGE = 4096, COVERED = 72, FILE_SIZE = 2 * PAGE, RECORD = 64, RECORDS = 64 };

static char folder[] = "/dev/shm/lotor-fuzz.XXXXXX", path[64], lock_path[80];

static void end(void)
{
    unlink(path);
    unlink(lock_path);
    rmdir(folder);
}

static void put(const unsigned char *bytes, size_t size)
{
    const int file = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600);
    CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    close(file);
}

static void put_slots(const uint8_t *data, size_t size)
{
    unsigned char bytes[FILE_SIZE] = {0};
    for (size_t slot = 0; slot < 2; slot++) {
        unsigned char *const at = bytes + slot * PAGE;
        const size_t taken = size < COVERED - 8 ? size : COVERED - 8;
        memcpy(at, "lotorhd1", 8);
        memcpy(at + 8, data, taken);
        data += taken;
        size -= taken;
        if (taken > 0) {
            crypto_generichash(at + COVERED, 32, at, COVERED, NULL, 0);
        }
    }
    put(bytes, sizeof bytes);
}

static void finish_record(unsigned char record[RECORD])
{
    unsigned char hash[crypto_generichash_BYTES];
    crypto_generichash(hash, sizeof hash, record, RECORD - 8, NULL, 0);
    memcpy(record + RECORD - 8, hash, 8);
}

/* Each record is a byte that says whether the checksum is right, and the contents. */
static void put_records(const uint8_t *data, size_t size)
{
    unsigned char bytes[RECORD * RECORDS] = {0};
    memcpy(bytes, "lotorhd2", 8);
    lotor_put_u64(bytes + 8, RECORDS);
    finish_record(bytes);
    for (size_t i = 1; i < RECORDS && size > 0; i++) {
        unsigned char *const at = bytes + i * RECORD;
        const size_t taken = size - 1 < RECORD - 8 ? size - 1 : RECORD - 8;
        memcpy(at, data + 1, taken);
        if (data[0] % 8 != 0) {
            finish_record(at);
        }
        data += taken + 1;
        size -= taken + 1;
    }
    put(bytes, sizeof bytes);
}

static lotor_heads *open_heads(bool *was_lost)
{
    lotor_heads *heads = NULL;
    lotor_message why = {""};
    CHECK(lotor_heads_open(path, &why, &heads, was_lost) == LOTOR_OK);
    return heads;
}

static void check_heads(void)
{
    lotor_legacy_head old;
    lotor_message why = {""};
    bool was_lost;
    const bool is_old = lotor_legacy_head_read(path, &why, &old) == LOTOR_OK;
    lotor_heads *heads = open_heads(&was_lost);
    lotor_head_record found, before[3];
    bool had[3];
    CHECK(!is_old || !was_lost);
    CHECK(!is_old ||
          (lotor_heads_get(heads, LOTOR_HEADS_OLD, &found) && found.number == old.releases));
    for (uint64_t i = 0; i < 3; i++) {
        had[i] = lotor_heads_get(heads, i, &before[i]);
        CHECK(!had[i] || !was_lost);
        lotor_head_record head = {.campaign = i, .number = had[i] ? before[i].number : 7};
        head.hash[0] = (unsigned char)i;
        before[i] = head;
        CHECK(lotor_heads_put(heads, &head, &why) == LOTOR_OK);
        CHECK(lotor_heads_write(heads, &why) == LOTOR_OK);
    }
    lotor_heads_free(heads);
    heads = open_heads(&was_lost);
    CHECK(!was_lost);
    for (uint64_t i = 0; i < 3; i++) {
        CHECK(lotor_heads_get(heads, i, &found));
        CHECK(found.number == before[i].number && memcmp(found.hash, before[i].hash, 32) == 0);
    }
    lotor_heads_free(heads);
}

static void check_key(void)
{
    lotor_server_key *server_key = NULL;
    lotor_message why = {""};
    const lotor_status status = lotor_server_key_open(path, false, &why, &server_key);
    CHECK((status == LOTOR_OK) == (server_key != NULL));
    CHECK(status == LOTOR_OK || why.text[0] != '\0');
    lotor_server_key_free(server_key);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (path[0] == '\0') {
        CHECK(sodium_init() >= 0 && mkdtemp(folder));
        snprintf(path, sizeof path, "%s/file", folder);
        snprintf(lock_path, sizeof lock_path, "%s.lock", path);
        atexit(end);
    }
    if (size == 0) {
        return 0;
    }
    switch (data[0] % 4) {
    case 0:
        put(data + 1, size - 1);
        check_key();
        break;
    case 1:
        put(data + 1, size - 1);
        check_heads();
        break;
    case 2:
        put_slots(data + 1, size - 1);
        check_heads();
        break;
    default:
        put_records(data + 1, size - 1);
        check_heads();
    }
    return 0;
}
