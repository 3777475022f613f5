/* heads.c - reads and writes the head file. See heads.h. Its layout:
 *
 *      slot 0     "lotorhd2", the number of slots, zeros, checksum
 *      slot 1..   campaign, number, hash, place in its write, checksum: 64 bytes, so that no slot
 *                 crosses a sector
 *      ...        zeros, written in advance, so that a sync writes no metadata
 *
 * The disk writes whole sectors, so a crash can damage only the last write. A bad slot is therefore
 * damage if a record of a later write follows it. The place in a record tells where its write
 * began. After a failed write the contents of the disk are unknown: the next write makes a new
 * file.
 *
 * Several servers on one machine may share a file. Each write holds a lock (PATH.lock), and first
 * reads what the other servers have added.
 */
#include "service/store/heads.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/quote.h"
#include "service/little.h"
#include "service/server_key/durable.h"
#include "service/server_key/server_key.h"

enum {
    SLOT = 64,
    COVERED = SLOT - 8,
    LEAST_SLOTS = 4096,   /* a quarter of a megabyte */
    MOST_SLOTS = 1 << 24, /* the largest file that is read */
};
static const char magic[] = "lotorhd2";

typedef struct entry {
    lotor_head_record record;
    bool is_new; /* not in the file yet */
} entry;

struct lotor_heads {
    char *path;
    int file, lock; /* -1: not open */
    entry *entries; /* sorted by campaign */
    size_t count, room;
    size_t slots, used; /* of the file: all slots, and those that are used */
    bool must_rewrite;
};

static lotor_status refuse(const lotor_heads *heads, const char *what, lotor_message *why)
{
    return lotor_fail(LOTOR_UNFINISHED, why, "the head file %s can't be %s: %s",
                      lotor_quote_text(heads->path).text, what, strerror(errno));
}

/* --- in memory -------------------------------------------------------------------------------- */

/* The index of a campaign's entry, or the index where it would be inserted. */
static size_t place_of(const lotor_heads *heads, uint64_t campaign)
{
    size_t low = 0, high = heads->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (heads->entries[middle].record.campaign < campaign) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static entry *find(const lotor_heads *heads, uint64_t campaign)
{
    const size_t place = place_of(heads, campaign);
    return place < heads->count && heads->entries[place].record.campaign == campaign
               ? &heads->entries[place]
               : NULL;
}

static entry *add(lotor_heads *heads, uint64_t campaign)
{
    entry *found = find(heads, campaign);
    if (found) {
        return found;
    }
    if (heads->count == heads->room) {
        const size_t room = heads->room ? 2 * heads->room : 16;
        entry *const more = realloc(heads->entries, room * sizeof *more);
        if (!more) {
            return NULL;
        }
        heads->entries = more;
        heads->room = room;
    }
    const size_t place = place_of(heads, campaign);
    found = &heads->entries[place];
    memmove(found + 1, found, (heads->count - place) * sizeof *found);
    heads->count++;
    *found = (entry){.record.campaign = campaign};
    assert(heads->count <= heads->room);
    assert(place == 0 || found[-1].record.campaign < campaign);
    assert(place + 1 == heads->count || campaign < found[1].record.campaign);
    return found;
}

bool lotor_heads_get(const lotor_heads *heads, uint64_t campaign, lotor_head_record *out)
{
    const entry *found = find(heads, campaign);
    if (found) {
        *out = found->record;
    }
    return found != NULL;
}

bool lotor_heads_at(const lotor_heads *heads, size_t index, lotor_head_record *out)
{
    if (index < heads->count) {
        *out = heads->entries[index].record;
    }
    return index < heads->count;
}

lotor_status lotor_heads_put(lotor_heads *heads, const lotor_head_record *head, lotor_message *why)
{
    const entry *known = find(heads, head->campaign);
    if (known && known->record.number == head->number &&
        memcmp(known->record.hash, head->hash, sizeof head->hash) == 0) {
        return LOTOR_OK;
    }
    entry *const found = add(heads, head->campaign);
    if (!found) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    *found = (entry){*head, true};
    return LOTOR_OK;
}

/* --- slots ------------------------------------------------------------------------------------ */

static void finish_slot(unsigned char slot[SLOT])
{
    unsigned char hash[crypto_generichash_BYTES];
    crypto_generichash(hash, sizeof hash, slot, COVERED, NULL, 0);
    memcpy(slot + COVERED, hash, SLOT - COVERED);
}

static bool is_whole(const unsigned char slot[SLOT])
{
    unsigned char right[SLOT];
    memcpy(right, slot, COVERED);
    finish_slot(right);
    return memcmp(right, slot, SLOT) == 0;
}

static void write_slot(const lotor_head_record *record, uint64_t place, unsigned char slot[SLOT])
{
    lotor_put_u64(slot, record->campaign);
    lotor_put_u64(slot + 8, record->number);
    memcpy(slot + 16, record->hash, sizeof record->hash);
    lotor_put_u64(slot + 48, place);
    finish_slot(slot);
}

/* Takes a record from the file, unless a newer one was put into memory since. */
static lotor_status take_slot(lotor_heads *heads, const unsigned char slot[SLOT],
                              lotor_message *why)
{
    const uint64_t number = lotor_get_u64(slot + 8);
    entry *const found = add(heads, lotor_get_u64(slot));
    if (!found) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    if (!found->is_new || found->record.number <= number) {
        found->is_new = false;
        found->record.number = number;
        memcpy(found->record.hash, slot + 16, sizeof found->record.hash);
    }
    return LOTOR_OK;
}

/* Takes the records from slot heads->used on. *damaged: see the top of this file. */
static lotor_status take_slots(lotor_heads *heads, const unsigned char *slots, size_t count,
                               lotor_message *why, bool *damaged)
{
    static const unsigned char empty[SLOT] = {0};
    size_t torn = count; /* the first slot that is not valid */
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; status == LOTOR_OK && i < count; i++) {
        const unsigned char *const slot = slots + i * SLOT;
        if (!is_whole(slot)) {
            torn = torn < i ? torn : i;
            heads->must_rewrite = heads->must_rewrite || memcmp(slot, empty, SLOT) != 0;
            continue;
        }
        const uint64_t before = lotor_get_u64(slot + 48) % MOST_SLOTS;
        if (i > torn && (before > i || i - before > torn)) {
            *damaged = true;
            return LOTOR_OK;
        }
        heads->must_rewrite = heads->must_rewrite || i > torn;
        status = take_slot(heads, slot, why);
    }
    heads->used += torn;
    assert(heads->used <= heads->slots);
    return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

static lotor_status read_file(lotor_heads *heads, size_t slots, lotor_message *why, bool *damaged)
{
    unsigned char *const bytes = malloc(slots * SLOT);
    lotor_status status = LOTOR_OK;
    if (!bytes) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    const ssize_t length = lotor_read_most(heads->file, bytes, slots * SLOT, 0);
    if (length < 0) {
        status = refuse(heads, "read", why);
    } else if ((size_t)length != slots * SLOT || !is_whole(bytes) || memcmp(bytes, magic, 8) != 0 ||
               lotor_get_u64(bytes + 8) != slots) {
        *damaged = true;
    } else {
        heads->slots = slots;
        heads->used = 1;
        status = take_slots(heads, bytes + SLOT, slots - 1, why, damaged);
    }
    free(bytes);
    return status;
}

/* Opens the file and reads all of it. *lost: there is no file, or it is damaged. */
static lotor_status load(lotor_heads *heads, lotor_message *why, bool *lost)
{
    struct stat facts;
    if (heads->file >= 0) {
        close(heads->file);
    }
    heads->file = open(heads->path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    *lost = heads->file < 0 && errno == ENOENT;
    if (*lost) {
        heads->must_rewrite = true;
        return LOTOR_OK;
    }
    if (heads->file < 0 || fstat(heads->file, &facts) != 0) {
        return refuse(heads, "opened", why);
    }
    lotor_status status = LOTOR_OK;
    if (!S_ISREG(facts.st_mode) || facts.st_size < SLOT || facts.st_size % SLOT != 0 ||
        facts.st_size / SLOT > MOST_SLOTS) {
        *lost = true;
    } else {
        status = read_file(heads, (size_t)(facts.st_size / SLOT), why, lost);
    }
    heads->must_rewrite = heads->must_rewrite || *lost;
    return status;
}

/* Reads a head file of schema 1: the number of starts, the number of accepted rollbacks, and the
 * head of the single chain. */
static lotor_status load_old(lotor_heads *heads, lotor_message *why, bool *lost)
{
    lotor_legacy_head old;
    lotor_message unused;
    const lotor_status status = lotor_legacy_head_read(heads->path, &unused, &old);
    if (status != LOTOR_OK) {
        return LOTOR_OK;
    }
    *lost = false;
    lotor_head_record starts = {.campaign = 0, .number = old.starts};
    lotor_head_record chain = {.campaign = LOTOR_HEADS_OLD, .number = old.releases};
    lotor_put_u64(starts.hash, old.rollbacks);
    memcpy(chain.hash, old.hash, sizeof chain.hash);
    const lotor_status put = lotor_heads_put(heads, &starts, why);
    return put == LOTOR_OK ? lotor_heads_put(heads, &chain, why) : put;
}

lotor_status lotor_heads_open(const char *path, lotor_message *why, lotor_heads **out,
                              bool *was_lost)
{
    *out = NULL;
    *was_lost = false;
    lotor_heads *const heads = calloc(1, sizeof *heads);
    if (heads) {
        heads->file = heads->lock = -1;
        heads->path = lotor_path_with(path, "");
    }
    if (!heads || !heads->path) {
        free(heads);
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    lotor_status status = load(heads, why, was_lost);
    if (status == LOTOR_OK && *was_lost) {
        heads->count = 0; /* nothing in a damaged file counts */
        status = load_old(heads, why, was_lost);
    }
    if (status != LOTOR_OK) {
        lotor_heads_free(heads);
        return status;
    }
    *out = heads;
    return LOTOR_OK;
}

void lotor_heads_free(lotor_heads *heads)
{
    if (!heads) {
        return;
    }
    if (heads->file >= 0) {
        close(heads->file);
    }
    if (heads->lock >= 0) {
        close(heads->lock);
    }
    free(heads->path);
    free(heads->entries);
    free(heads);
}

/* --- writing ---------------------------------------------------------------------------------- */

static lotor_status lock(lotor_heads *heads, lotor_message *why)
{
    if (heads->lock < 0) {
        char *const name = lotor_path_with(heads->path, ".lock");
        if (!name) {
            return lotor_fail(LOTOR_MEMORY, why, "out of memory");
        }
        heads->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        free(name);
    }
    return heads->lock >= 0 && flock(heads->lock, LOCK_EX) == 0 ? LOTOR_OK
                                                                : refuse(heads, "locked", why);
}

/* Reads what other servers wrote since the last write. */
static lotor_status catch_up(lotor_heads *heads, lotor_message *why)
{
    struct stat ours, now;
    unsigned char next[SLOT];
    bool lost = false;
    if (heads->file < 0 || stat(heads->path, &now) != 0 || fstat(heads->file, &ours) != 0 ||
        now.st_ino != ours.st_ino || now.st_dev != ours.st_dev) {
        return load(heads, why, &lost);
    }
    while (!heads->must_rewrite && heads->used < heads->slots) {
        const ssize_t length =
            lotor_read_most(heads->file, next, SLOT, (off_t)(heads->used * SLOT));
        if (length < 0) {
            return refuse(heads, "read", why);
        }
        if (length != SLOT || !is_whole(next)) {
            break;
        }
        const lotor_status status = take_slot(heads, next, why);
        if (status != LOTOR_OK) {
            return status;
        }
        heads->used++;
    }
    return LOTOR_OK;
}

static size_t count_new(const lotor_heads *heads)
{
    size_t count = 0;
    for (size_t i = 0; i < heads->count; i++) {
        count += heads->entries[i].is_new;
    }
    return count;
}

/* Writes records to `to`: all, or only the new ones. */
static void write_slots(const lotor_heads *heads, bool all, unsigned char *to)
{
    uint64_t place = 0;
    for (size_t i = 0; i < heads->count; i++) {
        if (all || heads->entries[i].is_new) {
            write_slot(&heads->entries[i].record, place % MOST_SLOTS, to + place * SLOT);
            place++;
        }
    }
}

static void all_written(lotor_heads *heads)
{
    for (size_t i = 0; i < heads->count; i++) {
        heads->entries[i].is_new = false;
    }
}

static lotor_status append(lotor_heads *heads, size_t count, lotor_message *why)
{
    assert(count > 0 && heads->used + count <= heads->slots);
    unsigned char *const bytes = malloc(count * SLOT);
    if (!bytes) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    write_slots(heads, false, bytes);
    const bool written =
        lotor_write_all(heads->file, bytes, count * SLOT, (off_t)(heads->used * SLOT)) &&
        fdatasync(heads->file) == 0;
    const int error = errno;
    free(bytes);
    errno = error;
    if (!written) {
        heads->must_rewrite = true;
        return refuse(heads, "written", why);
    }
    heads->used += count;
    all_written(heads);
    return LOTOR_OK;
}

/* Writes a complete new file under another name, and syncs it. */
static lotor_status write_part(const lotor_heads *heads, const char *part, size_t slots,
                               lotor_message *why)
{
    assert(slots > heads->count);
    unsigned char *const bytes = calloc(slots, SLOT);
    if (!bytes) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    memcpy(bytes, magic, 8);
    lotor_put_u64(bytes + 8, slots);
    finish_slot(bytes);
    write_slots(heads, true, bytes + SLOT);
    unlink(part);
    const int file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool written = file >= 0 && lotor_write_all(file, bytes, slots * SLOT, 0) && fsync(file) == 0;
    int error = errno;
    free(bytes);
    if (file >= 0 && close(file) != 0) {
        error = written ? errno : error;
        written = false;
    }
    errno = error;
    return written ? LOTOR_OK : refuse(heads, "written", why);
}

static lotor_status rewrite(lotor_heads *heads, lotor_message *why)
{
    const size_t wanted = 4 * heads->count + 1;
    const size_t slots =
        wanted < LEAST_SLOTS ? LEAST_SLOTS : (wanted + LEAST_SLOTS - 1) / LEAST_SLOTS * LEAST_SLOTS;
    char *const part = lotor_path_with(heads->path, ".part");
    if (!part) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    lotor_status status = write_part(heads, part, slots, why);
    if (status == LOTOR_OK && rename(part, heads->path) != 0) {
        status = refuse(heads, "replaced", why);
    }
    if (status == LOTOR_OK) {
        status = lotor_sync_folder(heads->path, why);
    }
    free(part);
    if (status != LOTOR_OK) {
        heads->must_rewrite = true;
        return status;
    }
    if (heads->file >= 0) {
        close(heads->file);
    }
    /* if this fails, the next write tries again */
    heads->file = open(heads->path, O_RDWR | O_CLOEXEC);
    heads->slots = slots;
    heads->used = 1 + heads->count;
    heads->must_rewrite = false;
    all_written(heads);
    return LOTOR_OK;
}

lotor_status lotor_heads_write(lotor_heads *heads, lotor_message *why)
{
    if (count_new(heads) == 0) {
        return LOTOR_OK;
    }
    lotor_status status = lock(heads, why);
    if (status == LOTOR_OK) {
        status = catch_up(heads, why);
    }
    const size_t count = count_new(heads);
    if (status == LOTOR_OK && count > 0) {
        status = heads->must_rewrite || heads->slots - heads->used < count
                     ? rewrite(heads, why)
                     : append(heads, count, why);
    }
    if (heads->lock >= 0) {
        flock(heads->lock, LOCK_UN);
    }
    return status;
}
