/* head.c - reads the head file of version 0.1. It is needed once, when the store is migrated: see
 * store/heads.h.
 *
 * The file has two slots, each in its own page. A write replaced the older slot. Each slot has a
 * checksum, so a slot that a crash cut off is recognized; then the other slot has the previous
 * head.
 */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/quote.h"
#include "service/little.h"
#include "service/server_key/durable.h"
#include "service/server_key/server_key.h"

enum { PAGE = 4096, MAGIC = 8, COVERED = MAGIC + 4 * 8 + 32, SLOT = COVERED + 32 };
static const char magic[MAGIC + 1] = "lotorhd1";

typedef struct head_slot {
    bool whole;
    uint64_t turn; /* counts the writes; the slot with the larger number is newer */
    lotor_legacy_head head;
} head_slot;

static head_slot read_slot(const unsigned char bytes[SLOT])
{
    unsigned char hash[32];
    head_slot slot = {.turn = lotor_get_u64(bytes + MAGIC)};
    crypto_generichash(hash, sizeof hash, bytes, COVERED, NULL, 0);
    slot.whole = memcmp(bytes, magic, MAGIC) == 0 && memcmp(hash, bytes + COVERED, 32) == 0;
    slot.head.starts = lotor_get_u64(bytes + MAGIC + 8);
    slot.head.releases = lotor_get_u64(bytes + MAGIC + 16);
    slot.head.rollbacks = lotor_get_u64(bytes + MAGIC + 24);
    memcpy(slot.head.hash, bytes + MAGIC + 32, 32);
    return slot;
}

static lotor_status read_slots(int file, const char *path, lotor_message *why, head_slot slots[2],
                               int *newer)
{
    unsigned char bytes[PAGE + SLOT];
    const ssize_t length = lotor_read_most(file, bytes, sizeof bytes, 0);
    if (length < 0) {
        return lotor_fail(LOTOR_UNFINISHED, why, "the head file %s can't be read: %s",
                          lotor_quote_text(path).text, strerror(errno));
    }
    if (length == (ssize_t)sizeof bytes) {
        slots[0] = read_slot(bytes);
        slots[1] = read_slot(bytes + PAGE);
        /* Modulo 2^64: after the largest number comes 0. */
        *newer =
            slots[1].whole && (!slots[0].whole || (int64_t)(slots[1].turn - slots[0].turn) > 0);
    }
    if (length != (ssize_t)sizeof bytes || !slots[*newer].whole) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          "the head file %s is damaged: without it the server can't notice that "
                          "the store is an older copy",
                          lotor_quote_text(path).text);
    }
    return LOTOR_OK;
}

static lotor_status open_head(const char *path, lotor_message *why, int *file)
{
    *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*file < 0) {
        return lotor_fail(errno == ENOENT ? LOTOR_UNKNOWN : LOTOR_UNFINISHED, why,
                          "the head file %s can't be opened: %s", lotor_quote_text(path).text,
                          strerror(errno));
    }
    return LOTOR_OK;
}

lotor_status lotor_legacy_head_read(const char *path, lotor_message *why, lotor_legacy_head *out)
{
    head_slot slots[2];
    int file, newer = 0;
    lotor_status status = open_head(path, why, &file);
    if (status == LOTOR_OK) {
        status = read_slots(file, path, why, slots, &newer);
        close(file);
    }
    if (status == LOTOR_OK) {
        *out = slots[newer].head;
    }
    return status;
}
