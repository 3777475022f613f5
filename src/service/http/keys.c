/* keys.c - reads, checks and makes API keys. See keys.h. */
#include "service/http/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/quote.h"

enum { HASH = 32, HEX = 2 * HASH, RANDOM = 32, LINE = 256 };
static const char prefix[] = "lotor_";

typedef struct key_row {
    unsigned char hash[HASH];
    lotor_role role;
} key_row;

/* The state of the key file when it was read: shows whether the file has changed since. */
typedef struct file_mark {
    bool exists;
    struct timespec changed;
    off_t size;
    ino_t inode;
} file_mark;

struct lotor_keys {
    pthread_rwlock_t lock; /* protects rows, count and is_lost */
    pthread_mutex_t reading;
    char *path;
    file_mark mark;
    bool is_untold; /* the file is bad, but this was noticed in a call without a message */
    /* room for LOTOR_KEYS_MAX each; `next` is filled while the file is read */
    key_row *rows, *next;
    size_t count;
    bool is_lost; /* the file can't be read, so no key is known */
};

static const struct {
    const char *name;
    lotor_role role;
} roles[] = {{"rank", LOTOR_ROLE_RANK}, {"reward", LOTOR_ROLE_REWARD}, {"admin", LOTOR_ROLE_ADMIN}};

const char *lotor_role_name(lotor_role role)
{
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (roles[i].role == role) {
            return roles[i].name;
        }
    }
    return "none";
}

bool lotor_role_find(const char *name, lotor_role *out)
{
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (strcmp(name, roles[i].name) == 0) {
            *out = roles[i].role;
            return true;
        }
    }
    return false;
}

static void hash_key(const char *key, size_t length, unsigned char hash[HASH])
{
    crypto_generichash(hash, HASH, (const unsigned char *)key, length, NULL, 0);
}

/* --- the file --------------------------------------------------------------------------------- */

/* Reads the next line without its newline, cut at LINE - 1 bytes. *length is the length of the
 * whole line. Returns false at the end of the file. */
static bool next_line(FILE *file, char line[LINE], size_t *length)
{
    int byte = getc(file);
    if (byte == EOF) {
        return false;
    }
    for (*length = 0; byte != EOF && byte != '\n'; byte = getc(file)) {
        if (*length < LINE - 1) {
            line[*length] = (char)byte;
        }
        ++*length;
    }
    line[*length < LINE ? *length : LINE - 1] = '\0';
    return true;
}

/* Parses "ROLE HASH" or "ROLE HASH NAME". */
static bool read_row(const char *line, size_t length, key_row *row)
{
    char role[16] = "";
    size_t bytes = 0;
    const size_t name = strcspn(line, " ");
    const char *const hex = line + name + 1;
    if (length >= LINE || strlen(line) != length || name >= sizeof role ||
        length < name + 1 + HEX || strcspn(hex, " ") != HEX) {
        return false;
    }
    memcpy(role, line, name);
    return lotor_role_find(role, &row->role) &&
           sodium_hex2bin(row->hash, HASH, hex, HEX, NULL, &bytes, NULL) == 0 && bytes == HASH;
}

/* Names the first bad line, and says how many more there are. */
static lotor_status tell_bad_lines(lotor_message *why, size_t first, size_t count)
{
    char more[48] = "";
    if (count > 1) {
        snprintf(more, sizeof more, " (and %zu more line%s)", count - 1, count > 2 ? "s" : "");
    }
    return lotor_fail(LOTOR_DAMAGED, why,
                      "line %zu%s of the key file is not \"ROLE HASH NAME\", with the role rank, "
                      "reward or admin and a hash of 64 hex digits: delete it, or make a new key "
                      "with lotor key",
                      first, more);
}

/* Reads all good rows. Returns LOTOR_DAMAGED if there are bad lines, too. */
static lotor_status read_rows(FILE *file, lotor_message *why, key_row *rows, size_t *count)
{
    char line[LINE];
    size_t length = 0, first_bad = 0, bad = 0, lost = 0;
    *count = 0;
    for (size_t number = 1; next_line(file, line, &length); number++) {
        key_row row = {.role = LOTOR_ROLE_NONE};
        if (length == 0 || line[0] == '#') {
            continue;
        }
        if (!read_row(line, length, &row)) {
            first_bad = bad++ == 0 ? number : first_bad;
        } else if (*count == LOTOR_KEYS_MAX) {
            lost++;
        } else {
            rows[(*count)++] = row;
        }
    }
    if (ferror(file)) {
        return lotor_fail(LOTOR_IO, why, "the key file can't be read: %s", strerror(errno));
    }
    if (bad > 0) {
        return tell_bad_lines(why, first_bad, bad);
    }
    return lost > 0 ? lotor_fail(LOTOR_DAMAGED, why,
                                 "the key file has more than %d keys: delete some", LOTOR_KEYS_MAX)
                    : LOTOR_OK;
}

static file_mark mark_of(const struct stat *now)
{
    return (file_mark){
        .exists = true, .changed = now->st_mtim, .size = now->st_size, .inode = now->st_ino};
}

/* Nobody else may read or write the file: they could add their own key, or try to guess hashes. */
static lotor_status check_mode(int file, const char *path, lotor_message *why, struct stat *now)
{
    if (fstat(file, now) != 0) {
        return lotor_fail(LOTOR_IO, why, "the mode of the key file can't be read: %s",
                          strerror(errno));
    }
    if (!S_ISREG(now->st_mode) || (now->st_mode & 077) != 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "others may read or write the key file %s: expected a file of mode 0600 "
                          "(chmod 600)",
                          lotor_quote_text(path).text);
    }
    return LOTOR_OK;
}

static lotor_status read_file(const char *path, lotor_message *why, key_row *rows, size_t *count,
                              file_mark *mark)
{
    *count = 0;
    *mark = (file_mark){.exists = false};
    const int handle = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (handle < 0) {
        return errno == ENOENT ? LOTOR_OK
                               : lotor_fail(LOTOR_IO, why, "the key file %s can't be opened: %s",
                                            lotor_quote_text(path).text, strerror(errno));
    }
    struct stat now;
    lotor_status status = check_mode(handle, path, why, &now);
    FILE *const file = status == LOTOR_OK ? fdopen(handle, "r") : NULL;
    if (!file) {
        close(handle);
        if (status == LOTOR_OK) {
            status = lotor_fail(LOTOR_MEMORY, why, "out of memory");
        }
        return status;
    }
    status = read_rows(file, why, rows, count);
    *mark = mark_of(&now);
    fclose(file);
    return status;
}

static bool is_unchanged(const lotor_keys *keys)
{
    struct stat now;
    if (stat(keys->path, &now) != 0) {
        return errno == ENOENT && !keys->mark.exists;
    }
    const file_mark mark = mark_of(&now);
    return keys->mark.exists && mark.size == keys->mark.size && mark.inode == keys->mark.inode &&
           mark.changed.tv_sec == keys->mark.changed.tv_sec &&
           mark.changed.tv_nsec == keys->mark.changed.tv_nsec;
}

/* Reads the file. Keys that are no longer in it stop working, even if the rest of it is bad. */
static lotor_status reload(lotor_keys *keys, lotor_message *why)
{
    size_t count = 0;
    const lotor_status status = read_file(keys->path, why, keys->next, &count, &keys->mark);
    pthread_rwlock_wrlock(&keys->lock);
    keys->is_lost = status != LOTOR_OK && status != LOTOR_DAMAGED;
    keys->count = keys->is_lost ? 0 : count;
    key_row *const before = keys->rows;
    keys->rows = keys->next;
    keys->next = before;
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
    keys->rows = calloc(LOTOR_KEYS_MAX, sizeof *keys->rows);
    keys->next = calloc(LOTOR_KEYS_MAX, sizeof *keys->next);
    pthread_rwlock_init(&keys->lock, NULL);
    pthread_mutex_init(&keys->reading, NULL);
    lotor_status status = LOTOR_OK;
    if (!keys->rows || !keys->next) {
        status = lotor_fail(LOTOR_MEMORY, why, "out of memory");
    } else if (sodium_init() < 0) {
        status = lotor_fail(LOTOR_ENTROPY, why, "the kernel gives no random bytes");
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
        free(keys->rows);
        free(keys->next);
        free(keys->path);
        free(keys);
    }
}

/* --- asking ----------------------------------------------------------------------------------- */

size_t lotor_keys_count(lotor_keys *keys)
{
    pthread_rwlock_rdlock(&keys->lock);
    const size_t count = keys->count;
    pthread_rwlock_unlock(&keys->lock);
    return count;
}

bool lotor_keys_are_lost(lotor_keys *keys)
{
    pthread_rwlock_rdlock(&keys->lock);
    const bool is_lost = keys->is_lost;
    pthread_rwlock_unlock(&keys->lock);
    return is_lost;
}

/* Compares the hash with every row, so that the time does not depend on which row matches. */
static lotor_role find_role(lotor_keys *keys, const unsigned char hash[HASH])
{
    int role = LOTOR_ROLE_NONE;
    pthread_rwlock_rdlock(&keys->lock);
    for (size_t i = 0; i < keys->count; i++) {
        const int equal = 1 + sodium_memcmp(hash, keys->rows[i].hash, HASH); /* 1 or 0 */
        role |= -equal & (int)keys->rows[i].role;
    }
    pthread_rwlock_unlock(&keys->lock);
    return (lotor_role)role;
}

lotor_role lotor_keys_role(lotor_keys *keys, const char *key, size_t length)
{
    unsigned char hash[HASH];
    if (length != LOTOR_KEY_LENGTH) {
        return LOTOR_ROLE_NONE;
    }
    hash_key(key, length, hash);
    lotor_role role = find_role(keys, hash);
    if (role == LOTOR_ROLE_NONE) {
        lotor_keys_reload(keys, true, NULL);
        role = find_role(keys, hash);
    }
    lotor_wipe(hash, sizeof hash);
    return role;
}

/* --- making ----------------------------------------------------------------------------------- */

static bool is_key_name(const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < length; i++) {
        if (name[i] <= ' ' || name[i] > '~') {
            return false;
        }
    }
    return length > 0 && length <= LOTOR_KEY_NAME_MAX;
}

/* Appends a line, also if the last line of the file has no newline (some editors leave it out).
 * On failure the file is cut back to its old size, since half a line would keep the server from
 * starting. */
static bool append_line(int file, off_t size, const char *line)
{
    const size_t length = strlen(line);
    char last = '\n';
    if (size > 0 && pread(file, &last, 1, size - 1) != 1) {
        return false;
    }
    if ((last == '\n' || write(file, "\n", 1) == 1) &&
        write(file, line, length) == (ssize_t)length && fsync(file) == 0) {
        return true;
    }
    const int error = errno;
    if (ftruncate(file, size) != 0) {
        return false;
    }
    errno = error;
    return false;
}

static lotor_status append(int file, const char *path, const char *line, lotor_message *why)
{
    struct stat now;
    const bool is_ours = flock(file, LOCK_EX) == 0;
    lotor_status status = check_mode(file, path, why, &now);
    if (status == LOTOR_OK && (!is_ours || !append_line(file, now.st_size, line))) {
        status = lotor_fail(LOTOR_IO, why, "the key file %s can't be written: %s",
                            lotor_quote_text(path).text, strerror(errno));
    }
    return status;
}

lotor_status lotor_key_make(const char *path, lotor_role role, const char *name, lotor_message *why,
                            char key[LOTOR_KEY_LENGTH + 1])
{
    unsigned char bytes[RANDOM], hash[HASH];
    char hex[HEX + 1], line[LINE];
    key[0] = '\0';
    if (sodium_init() < 0) {
        return lotor_fail(LOTOR_ENTROPY, why, "the kernel gives no random bytes");
    }
    if (!is_key_name(name)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a key's name has 1 to %d characters and no spaces, not %s",
                          LOTOR_KEY_NAME_MAX, lotor_quote_text(name).text);
    }
    const int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600);
    if (file < 0) {
        return lotor_fail(LOTOR_IO, why, "the key file %s can't be opened: %s",
                          lotor_quote_text(path).text, strerror(errno));
    }
    randombytes_buf(bytes, sizeof bytes);
    memcpy(key, prefix, sizeof prefix);
    sodium_bin2base64(key + sizeof prefix - 1, LOTOR_KEY_LENGTH + 2 - sizeof prefix, bytes,
                      sizeof bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    hash_key(key, LOTOR_KEY_LENGTH, hash);
    sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
    snprintf(line, sizeof line, "%s %s %s\n", lotor_role_name(role), hex, name);
    const lotor_status status = append(file, path, line, why);
    close(file);
    lotor_wipe(bytes, sizeof bytes);
    if (status != LOTOR_OK) {
        lotor_wipe(key, LOTOR_KEY_LENGTH + 1);
    }
    return status;
}
