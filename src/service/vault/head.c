/* head.c - the head file: where the release chain was when the server last committed a release.
 *
 * Two slots, each in a page of its own; a write goes into the older one, in place, and is synced. So
 * nothing but the slot that is written can be torn by a crash, and the other one still has the head
 * before: the one that was durable when the write began. A slot has a checksum, so a torn one is not
 * taken for a whole one. The file never changes its length, so a sync writes one page and no metadata.
 *
 * A head that is one commit old after a crash does no harm: the store's chain goes on from it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/message.h"
#include "base/quote.h"
#include "service/little.h"
#include "service/vault/durable.h"
#include "service/vault/vault.h"

enum { PAGE = 4096, MAGIC = 8, COVERED = MAGIC + 4 * 8 + 32, SLOT = COVERED + 32 };
static const char magic[MAGIC + 1] = "lotorhd1";

typedef struct head_slot {
    bool whole;
    uint64_t turn; /* counts writes up; the greater one is the newer */
    lotor_head head;
} head_slot;

static void write_slot(const lotor_head *head, uint64_t turn, unsigned char bytes[SLOT])
{
    memcpy(bytes, magic, MAGIC);
    lotor_put_u64(bytes + MAGIC, turn);
    lotor_put_u64(bytes + MAGIC + 8, head->starts);
    lotor_put_u64(bytes + MAGIC + 16, head->releases);
    lotor_put_u64(bytes + MAGIC + 24, head->rollbacks);
    memcpy(bytes + MAGIC + 32, head->hash, 32);
    crypto_generichash(bytes + COVERED, 32, bytes, COVERED, NULL, 0);
}

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
        /* modulo 2^64: after the largest turn comes 0 */
        *newer =
            slots[1].whole && (!slots[0].whole || (int64_t)(slots[1].turn - slots[0].turn) > 0);
    }
    if (length != (ssize_t)sizeof bytes || !slots[*newer].whole) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          "the head file %s is damaged: without it nobody can tell whether the "
                          "store was put back to an older copy",
                          lotor_quote_text(path).text);
    }
    return LOTOR_OK;
}

static lotor_status open_head(const char *path, int how, lotor_message *why, int *file)
{
    *file = open(path, how | O_CLOEXEC | O_NONBLOCK);
    if (*file < 0) {
        return lotor_fail(errno == ENOENT ? LOTOR_UNKNOWN : LOTOR_UNFINISHED, why,
                          "the head file %s can't be opened: %s", lotor_quote_text(path).text,
                          strerror(errno));
    }
    return LOTOR_OK;
}

lotor_status lotor_head_read(const char *path, lotor_message *why, lotor_head *out)
{
    head_slot slots[2];
    int file, newer = 0;
    lotor_status status = open_head(path, O_RDONLY, why, &file);
    if (status == LOTOR_OK) {
        status = read_slots(file, path, why, slots, &newer);
        close(file);
    }
    if (status == LOTOR_OK) {
        *out = slots[newer].head;
    }
    return status;
}

static lotor_status make_head(const char *path, const lotor_head *head, lotor_message *why)
{
    unsigned char bytes[2 * PAGE] = {0}; /* the second slot is not whole */
    write_slot(head, 1, bytes);
    return lotor_make_file(path, bytes, sizeof bytes, why);
}

/* Servers of one database may have one head file: each write is under a lock, which goes with the
 * file's closing. */
static lotor_status write_once(const char *path, const lotor_head *head, lotor_message *why)
{
    head_slot slots[2];
    unsigned char bytes[SLOT];
    int file, newer = 0;
    lotor_status status = open_head(path, O_RDWR, why, &file);
    if (status == LOTOR_UNKNOWN) {
        return make_head(path, head, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    if (flock(file, LOCK_EX) != 0) {
        status = lotor_fail(LOTOR_UNFINISHED, why, "the head file %s can't be locked: %s",
                            lotor_quote_text(path).text, strerror(errno));
        close(file);
        return status;
    }
    status = read_slots(file, path, why, slots, &newer);
    if (status == LOTOR_OK) {
        write_slot(head, slots[newer].turn + 1, bytes);
        if (!lotor_write_all(file, bytes, SLOT, newer == 0 ? PAGE : 0) || fdatasync(file) != 0) {
            status = lotor_fail(LOTOR_UNFINISHED, why, "the head file %s can't be written: %s",
                                lotor_quote_text(path).text, strerror(errno));
        }
    }
    close(file);
    return status;
}

lotor_status lotor_head_write(const char *path, const lotor_head *head, lotor_message *why)
{
    const lotor_status status = write_once(path, head, why);
    /* Another server made it between our look and our making. */
    return status == LOTOR_DUPLICATE ? write_once(path, head, why) : status;
}
