/* keys.c - the API keys that a server knows. See keys.h. */
#include "service/http/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/quote.h"

enum { HASH = LOTOR_KEY_HASH, LINE = LOTOR_KEY_LINE_ROOM };

typedef struct key_row {
    unsigned char hash[HASH];
    lotor_key_grant grant;
} key_row;

/* The lines of the file. */
typedef struct key_table {
    key_row *rows; /* room for LOTOR_KEYS_MAX */
    size_t count, bad;
} key_table;

/* The state of the key file when it was read: shows whether the file has changed since. */
/* `written` can be set back by anyone who may write the file; `changed` can't, and it moves when the
 * mode changes. */
typedef struct file_mark {
    bool exists;
    struct timespec written, changed;
    off_t size;
    ino_t inode;
    dev_t device;
} file_mark;

struct lotor_keys {
    pthread_rwlock_t lock; /* protects `table` and is_lost */
    pthread_mutex_t reading;
    char *path;
    file_mark mark;
    bool is_untold;        /* the file is bad, but this was noticed in a call without a message */
    key_table table, next; /* `next` is filled while the file is read */
    bool is_lost;          /* the file can't be read, so no key is known */
};

/* --- the file --------------------------------------------------------------------------------- */

/* Reads the next line without its line end ("\n" or "\r\n"), cut at LINE - 1 bytes. *length is the
 * length of the whole line. Returns false at the end of the file. */
static bool next_line(FILE *file, char line[LINE], size_t *length)
{
    int byte = getc(file), last = 0;
    if (byte == EOF) {
        return false;
    }
    for (*length = 0; byte != EOF && byte != '\n'; byte = getc(file)) {
        if (*length < LINE - 1) {
            line[*length] = (char)byte;
        }
        last = byte;
        ++*length;
    }
    if (last == '\r') {
        --*length;
    }
    line[*length < LINE ? *length : LINE - 1] = '\0';
    return true;
}

/* True if the row may be added. The lines of one key must be for the same campaign: else it would
 * not be clear what the key may do. */
static bool fits(const key_table *table, const key_row *row)
{
    for (size_t i = 0; i < table->count; i++) {
        if (memcmp(table->rows[i].hash, row->hash, HASH) == 0 &&
            strcmp(table->rows[i].grant.campaign, row->grant.campaign) != 0) {
            return false;
        }
    }
    return true;
}

/* Names the first bad line, and says how many more there are. */
static lotor_status tell_bad_lines(lotor_message *why, size_t first, size_t count)
{
    char more[48] = "";
    if (count > 1) {
        snprintf(more, sizeof more, " (and %zu more line%s)", count - 1, count > 2 ? "s" : "");
    }
    return lotor_fail(
        LOTOR_DAMAGED, why,
        "line %zu%s of the key file is not \"ROLES HASH NAME\": delete it, or make a "
        "new key with lotor key. ROLES are rank, reward, read, metrics or admin, then "
        "perhaps ;campaign=NAME (the same in all lines of a key) and ;expires=TIME",
        first, more);
}

/* Reads all good rows. Returns LOTOR_DAMAGED if there are bad lines, too. */
static lotor_status read_rows(FILE *file, lotor_message *why, key_table *table)
{
    char line[LINE];
    size_t length = 0, first_bad = 0, bad = 0, lost = 0;
    for (size_t number = 1; next_line(file, line, &length); number++) {
        key_row row;
        if (length == 0 || line[0] == '#') {
            continue;
        }
        if (!lotor_key_line_read(line, length, row.hash, &row.grant) || !fits(table, &row)) {
            first_bad = bad++ == 0 ? number : first_bad;
        } else if (table->count == LOTOR_KEYS_MAX) {
            lost++;
        } else {
            table->rows[table->count++] = row;
        }
    }
    table->bad = bad + lost;
    if (ferror(file)) {
        return lotor_fail(LOTOR_IO, why, "the key file can't be read: %s", strerror(errno));
    }
    if (bad > 0) {
        return tell_bad_lines(why, first_bad, bad);
    }
    return lost > 0 ? lotor_fail(LOTOR_DAMAGED, why,
                                 "the key file has more than %d keys: delete some of them",
                                 LOTOR_KEYS_MAX)
                    : LOTOR_OK;
}

static file_mark mark_of(const struct stat *now)
{
    return (file_mark){.exists = true,
                       .written = now->st_mtim,
                       .changed = now->st_ctim,
                       .size = now->st_size,
                       .inode = now->st_ino,
                       .device = now->st_dev};
}

static lotor_status read_file(const char *path, lotor_message *why, key_table *table,
                              file_mark *mark)
{
    table->count = table->bad = 0;
    *mark = (file_mark){.exists = false};
    const int handle = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (handle < 0) {
        return errno == ENOENT ? LOTOR_OK
                               : lotor_fail(LOTOR_IO, why, "the key file %s can't be opened: %s",
                                            lotor_quote_text(path).text, strerror(errno));
    }
    struct stat now;
    lotor_status status = lotor_key_file_check(handle, path, why, &now);
    FILE *const file = status == LOTOR_OK ? fdopen(handle, "r") : NULL;
    if (!file) {
        close(handle);
        if (status == LOTOR_OK) {
            status = lotor_fail(LOTOR_MEMORY, why, "out of memory");
        }
        return status;
    }
    status = read_rows(file, why, table);
    *mark = mark_of(&now);
    fclose(file);
    return status;
}

static bool is_same(const struct timespec *one, const struct timespec *other)
{
    return one->tv_sec == other->tv_sec && one->tv_nsec == other->tv_nsec;
}

static bool is_unchanged(const lotor_keys *keys)
{
    struct stat now;
    if (stat(keys->path, &now) != 0) {
        return errno == ENOENT && !keys->mark.exists;
    }
    const file_mark mark = mark_of(&now);
    return keys->mark.exists && mark.size == keys->mark.size && mark.inode == keys->mark.inode &&
           mark.device == keys->mark.device && is_same(&mark.written, &keys->mark.written) &&
           is_same(&mark.changed, &keys->mark.changed);
}

/* Reads the file. Keys that are no longer in it stop working, even if the rest of it is bad. */
static lotor_status reload(lotor_keys *keys, lotor_message *why)
{
    const lotor_status status = read_file(keys->path, why, &keys->next, &keys->mark);
    pthread_rwlock_wrlock(&keys->lock);
    const key_table before = keys->table;
    keys->table = keys->next;
    keys->next = before;
    keys->is_lost = status != LOTOR_OK && status != LOTOR_DAMAGED;
    if (keys->is_lost) {
        keys->table.count = 0;
    }
    pthread_rwlock_unlock(&keys->lock);
    return status;
}

lotor_status lotor_keys_reload(lotor_keys *keys, bool only_if_changed, lotor_message *why)
{
    pthread_mutex_lock(&keys->reading);
    const bool was_lost = keys->is_lost, was_told = !keys->is_untold;
    lotor_status status = LOTOR_OK;
    if (!only_if_changed || was_lost || !is_unchanged(keys) || (why && !was_told)) {
        status = reload(keys, why);
        if (only_if_changed && was_lost && was_told && keys->is_lost) {
            status = LOTOR_OK; /* the failure was reported before */
        } else {
            keys->is_untold = status != LOTOR_OK && !why;
        }
    }
    pthread_mutex_unlock(&keys->reading);
    return status;
}

lotor_status lotor_keys_open(const char *path, lotor_message *why, lotor_keys **out)
{
    *out = NULL;
    lotor_keys *const keys = calloc(1, sizeof *keys);
    const size_t room = strlen(path) + 1;
    char *const copy = keys ? malloc(room) : NULL;
    if (!copy) {
        free(keys);
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    keys->path = memcpy(copy, path, room);
    keys->table.rows = calloc(LOTOR_KEYS_MAX, sizeof *keys->table.rows);
    keys->next.rows = calloc(LOTOR_KEYS_MAX, sizeof *keys->next.rows);
    pthread_rwlock_init(&keys->lock, NULL);
    pthread_mutex_init(&keys->reading, NULL);
    lotor_status status = LOTOR_OK;
    if (!keys->table.rows || !keys->next.rows) {
        status = lotor_fail(LOTOR_MEMORY, why, "out of memory");
    } else if (sodium_init() < 0) {
        status =
            lotor_fail(LOTOR_ENTROPY, why, "the kernel returned no random bytes: try again later");
    } else {
        status = lotor_keys_reload(keys, false, why);
    }
    if (status != LOTOR_OK) {
        lotor_keys_free(keys);
        return status;
    }
    *out = keys;
    return LOTOR_OK;
}

void lotor_keys_free(lotor_keys *keys)
{
    if (keys) {
        pthread_rwlock_destroy(&keys->lock);
        pthread_mutex_destroy(&keys->reading);
        free(keys->table.rows);
        free(keys->next.rows);
        free(keys->path);
        free(keys);
    }
}

/* --- looking up a key ------------------------------------------------------------------------- */

const char *lotor_keys_path(const lotor_keys *keys)
{
    return keys->path;
}

size_t lotor_keys_count(lotor_keys *keys)
{
    pthread_rwlock_rdlock(&keys->lock);
    const size_t count = keys->table.count;
    pthread_rwlock_unlock(&keys->lock);
    return count;
}

size_t lotor_keys_bad_lines(lotor_keys *keys)
{
    pthread_rwlock_rdlock(&keys->lock);
    const size_t bad = keys->table.bad;
    pthread_rwlock_unlock(&keys->lock);
    return bad;
}

bool lotor_keys_are_lost(lotor_keys *keys)
{
    pthread_rwlock_rdlock(&keys->lock);
    const bool is_lost = keys->is_lost;
    pthread_rwlock_unlock(&keys->lock);
    return is_lost;
}

/* Compares the hash with every row, so that the time does not depend on which row matches. */
static lotor_key_verdict find(lotor_keys *keys, const unsigned char hash[HASH], uint64_t now,
                              lotor_key_grant *out)
{
    unsigned roles = LOTOR_ROLE_NONE, is_known = 0;
    size_t place = 0; /* of the last line that is valid, plus 1 */
    pthread_rwlock_rdlock(&keys->lock);
    for (size_t i = 0; i < keys->table.count; i++) {
        const key_row *const row = &keys->table.rows[i];
        const unsigned equal = (unsigned)(1 + sodium_memcmp(hash, row->hash, HASH)); /* 1 or 0 */
        const unsigned lives = row->grant.expires == 0 || now < row->grant.expires;
        const size_t mask = (size_t)0 - (equal & lives);
        roles |= (unsigned)mask & (unsigned)row->grant.roles;
        is_known |= equal;
        place = (place & ~mask) | ((i + 1) & mask);
    }
    if (place > 0) {
        *out = keys->table.rows[place - 1].grant;
    }
    pthread_rwlock_unlock(&keys->lock);
    out->roles = (lotor_role)roles;
    if (place > 0) {
        return LOTOR_KEY_VALID;
    }
    return is_known ? LOTOR_KEY_EXPIRED : LOTOR_KEY_UNKNOWN;
}

lotor_key_verdict lotor_keys_find(lotor_keys *keys, const char *key, size_t length, uint64_t now,
                                  lotor_key_grant *out)
{
    unsigned char hash[HASH];
    *out = (lotor_key_grant){.roles = LOTOR_ROLE_NONE};
    if (length != LOTOR_KEY_LENGTH) {
        return LOTOR_KEY_UNKNOWN;
    }
    crypto_generichash(hash, HASH, (const unsigned char *)key, length, NULL, 0);
    lotor_key_verdict verdict = find(keys, hash, now, out);
    if (verdict != LOTOR_KEY_VALID) {
        lotor_keys_reload(keys, true, NULL);
        verdict = find(keys, hash, now, out);
    }
    lotor_wipe(hash, sizeof hash);
    return verdict;
}
