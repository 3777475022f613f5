/* key_file.c - makes, lists and revokes the keys of a key file. See keys.h.
 *
 * A new key is appended. A key is revoked with a new file that takes the place of the old one, so
 * that a crash leaves one of the two. Both happen under a lock of the file. After it has the lock,
 * a program looks whether the path still leads to the file that it has locked.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include "service/http/keys.h"
#include "service/spec/fields.h"

enum { HASH = LOTOR_KEY_HASH, RANDOM = 32, TRIES = 100 };
static const char prefix[] = "lotor_";

lotor_status lotor_key_file_check(int file, const char *path, lotor_message *why, struct stat *now)
{
    if (fstat(file, now) != 0) {
        return lotor_fail(LOTOR_IO, why, "the mode of the key file can't be read: %s",
                          strerror(errno));
    }
    if (!S_ISREG(now->st_mode)) {
        return lotor_fail(LOTOR_INVALID, why, "%s is not a regular file: expected a key file",
                          lotor_quote_text(path).text);
    }
    if ((now->st_mode & 077) != 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "others may read or write the key file %s: expected a file of mode 0600 "
                          "(chmod 600)",
                          lotor_quote_text(path).text);
    }
    return LOTOR_OK;
}

static lotor_status refuse_file(const char *path, const char *what, lotor_message *why)
{
    return lotor_fail(LOTOR_IO, why, "the key file %s can't be %s: %s", lotor_quote_text(path).text,
                      what, strerror(errno));
}

/* Opens the file and locks it. LOTOR_UNKNOWN: there is none, and `flags` do not make one. */
static lotor_status open_locked(const char *path, int flags, lotor_message *why, int *out,
                                struct stat *now)
{
    for (int i = 0; i < TRIES; i++) {
        struct stat there;
        const int file = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0600);
        if (file < 0 && errno == ENOENT && !(flags & O_CREAT)) {
            return lotor_fail(LOTOR_UNKNOWN, why, "the key file %s does not exist",
                              lotor_quote_text(path).text);
        }
        if (file < 0 && errno == ENOENT) {
            return lotor_fail(
                LOTOR_IO, why,
                "the key file %s can't be created, because its folder does not exist: "
                "create the folder first",
                lotor_quote_text(path).text);
        }
        if (file < 0) {
            return refuse_file(path, "opened", why);
        }
        lotor_status status =
            flock(file, LOCK_EX) == 0 ? LOTOR_OK : refuse_file(path, "locked", why);
        if (status == LOTOR_OK) {
            status = lotor_key_file_check(file, path, why, now);
        }
        if (status == LOTOR_OK && stat(path, &there) == 0 && there.st_ino == now->st_ino &&
            there.st_dev == now->st_dev) {
            *out = file;
            return LOTOR_OK;
        }
        close(file);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return lotor_fail(LOTOR_IO, why,
                      "the key file %s is being changed by another program: try again",
                      lotor_quote_text(path).text);
}

/* --- adding a key ----------------------------------------------------------------------------- */

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

static lotor_status check_setup(const lotor_key_setup *setup, lotor_message *why)
{
    if (setup->roles == LOTOR_ROLE_NONE) {
        return lotor_fail(LOTOR_INVALID, why, "a key needs at least one role");
    }
    if (!is_key_name(setup->name)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a key's name has 1 to %d characters and no spaces, not %s",
                          LOTOR_KEY_NAME_MAX, lotor_quote_text(setup->name).text);
    }
    if (setup->campaign && !lotor_is_name(setup->campaign, strlen(setup->campaign))) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s is not the name of a campaign: expected 1 to 64 letters, digits, "
                          "'.', '_' and '-', beginning with a letter or a digit",
                          lotor_quote_text(setup->campaign).text);
    }
    return LOTOR_OK;
}

/* Refuses one more key if the file has as many as a server reads. */
static lotor_status check_room(int file, const char *path, lotor_message *why)
{
    size_t lines = 0;
    char bytes[4096], before = '\n';
    ssize_t count = 0;
    for (off_t at = 0; (count = pread(file, bytes, sizeof bytes, at)) > 0; at += count) {
        for (ssize_t i = 0; i < count; i++) {
            lines += before == '\n' && !strchr("\r\n#", bytes[i]);
            before = bytes[i];
        }
    }
    if (count < 0) {
        return refuse_file(path, "read", why);
    }
    return lines < LOTOR_KEYS_MAX
               ? LOTOR_OK
               : lotor_fail(LOTOR_INVALID, why,
                            "the key file %s has %zu lines, and a server reads %d keys at most: "
                            "revoke some first, expired ones too (lotor key list)",
                            lotor_quote_text(path).text, lines, LOTOR_KEYS_MAX);
}

lotor_status lotor_key_draft_make(const lotor_key_setup *setup, lotor_message *why,
                                  lotor_key_draft *out)
{
    unsigned char bytes[RANDOM];
    *out = (lotor_key_draft){.grant = {.roles = setup->roles, .expires = setup->expires}};
    if (sodium_init() < 0) {
        return lotor_fail(LOTOR_ENTROPY, why,
                          "the kernel returned no random bytes: try again later");
    }
    const lotor_status status = check_setup(setup, why);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_key_grant *const grant = &out->grant;
    snprintf(grant->name, sizeof grant->name, "%s", setup->name);
    snprintf(grant->campaign, sizeof grant->campaign, "%s", setup->campaign ? setup->campaign : "");
    randombytes_buf(bytes, sizeof bytes);
    memcpy(out->key, prefix, sizeof prefix);
    sodium_bin2base64(out->key + sizeof prefix - 1, LOTOR_KEY_LENGTH + 2 - sizeof prefix, bytes,
                      sizeof bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    crypto_generichash(out->hash, HASH, (const unsigned char *)out->key, LOTOR_KEY_LENGTH, NULL, 0);
    sodium_bin2hex(grant->id, sizeof grant->id, out->hash, LOTOR_KEY_ID_LENGTH / 2);
    lotor_wipe(bytes, sizeof bytes);
    return LOTOR_OK;
}

lotor_status lotor_key_add(const char *path, const lotor_key_draft *draft, lotor_message *why)
{
    char line[LOTOR_KEY_LINE_ROOM];
    struct stat now;
    int file = -1;
    lotor_status status = open_locked(path, O_RDWR | O_CREAT | O_APPEND, why, &file, &now);
    if (status != LOTOR_OK) {
        return status;
    }
    status = check_room(file, path, why);
    lotor_key_line_write(&draft->grant, draft->hash, line);
    if (status == LOTOR_OK && !append_line(file, now.st_size, line)) {
        status = refuse_file(path, "written", why);
    }
    close(file);
    return status;
}

lotor_status lotor_key_make_with(const char *path, const lotor_key_setup *setup, lotor_message *why,
                                 char key[LOTOR_KEY_LENGTH + 1])
{
    lotor_key_draft draft;
    key[0] = '\0';
    lotor_status status = lotor_key_draft_make(setup, why, &draft);
    if (status == LOTOR_OK) {
        status = lotor_key_add(path, &draft, why);
    }
    if (status == LOTOR_OK) {
        memcpy(key, draft.key, sizeof draft.key);
    }
    lotor_wipe(&draft, sizeof draft);
    return status;
}

lotor_status lotor_key_make(const char *path, lotor_role role, const char *name, lotor_message *why,
                            char key[LOTOR_KEY_LENGTH + 1])
{
    return lotor_key_make_with(path, &(lotor_key_setup){.roles = role, .name = name}, why, key);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* A line of the file: the bytes as they are, and what they mean. */
typedef struct file_line {
    char *bytes;
    size_t room, length; /* without the line end */
    bool has_return, has_newline, is_key;
    unsigned char hash[HASH];
    lotor_key_grant grant;
} file_line;

static bool next_line(FILE *file, file_line *line)
{
    const ssize_t length = getline(&line->bytes, &line->room, file);
    if (length < 0) {
        return false;
    }
    line->length = (size_t)length;
    line->has_newline = length > 0 && line->bytes[length - 1] == '\n';
    if (line->has_newline) {
        line->bytes[--line->length] = '\0';
    }
    line->has_return = line->length > 0 && line->bytes[line->length - 1] == '\r';
    if (line->has_return) {
        line->bytes[--line->length] = '\0';
    }
    line->is_key = line->length > 0 && line->bytes[0] != '#' &&
                   lotor_key_line_read(line->bytes, line->length, line->hash, &line->grant);
    return true;
}

/* Ends reading. getline fails without memory as it does at the end of the file. */
static lotor_status end_reading(FILE *file, file_line *line, const char *path, lotor_message *why)
{
    free(line->bytes);
    *line = (file_line){.bytes = NULL};
    return feof(file) && !ferror(file) ? LOTOR_OK : refuse_file(path, "read", why);
}

lotor_status lotor_key_list(const char *path, lotor_on_key *told, void *context, lotor_message *why)
{
    file_line line = {.bytes = NULL};
    struct stat now;
    int handle = -1;
    lotor_status status = open_locked(path, O_RDONLY, why, &handle, &now);
    if (status != LOTOR_OK) {
        return status;
    }
    FILE *const file = fdopen(handle, "r");
    if (!file) {
        close(handle);
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    for (size_t number = 1; next_line(file, &line); number++) {
        if (line.length > 0 && line.bytes[0] != '#') {
            told(context, number, line.is_key ? &line.grant : NULL);
        }
    }
    status = end_reading(file, &line, path, why);
    fclose(file);
    return status;
}

/* --- revoking --------------------------------------------------------------------------------- */

/* The name or the id of a key. */
typedef struct key_call {
    const char *text;
    bool is_id; /* the text is an id; else a name or an id */
} key_call;

static bool is_called(const file_line *line, const key_call *call)
{
    return line->is_key && ((!call->is_id && strcmp(line->grant.name, call->text) == 0) ||
                            strcmp(line->grant.id, call->text) == 0);
}

/* Finds the one key with that name or id. */
static lotor_status find_key(FILE *file, const char *path, const key_call *call, lotor_message *why,
                             unsigned char hash[HASH], lotor_key_grant *out)
{
    file_line line = {.bytes = NULL};
    bool is_found = false, is_double = false;
    while (next_line(file, &line)) {
        if (is_called(&line, call)) {
            is_double = is_double || (is_found && memcmp(hash, line.hash, HASH) != 0);
            if (!is_found) {
                memcpy(hash, line.hash, HASH);
                *out = line.grant;
            }
            is_found = true;
        }
    }
    const lotor_status status = end_reading(file, &line, path, why);
    if (status == LOTOR_OK && is_double) {
        return lotor_fail(
            LOTOR_DUPLICATE, why,
            "several keys have the name %s: give the id of one of them, which lotor key list shows",
            lotor_quote_text(call->text).text);
    }
    return status == LOTOR_OK && !is_found
               ? lotor_fail(
                     (lotor_status)LOTOR_UNKNOWN, why,
                     "no key has the name or id %s: lotor key list shows the names and ids of keys",
                     lotor_quote_text(call->text).text)
               : status;
}

/* Copies all lines but those of the key. */
static lotor_status copy_others(FILE *from, FILE *to, const unsigned char hash[HASH],
                                const char *path, lotor_message *why)
{
    file_line line = {.bytes = NULL};
    rewind(from);
    while (next_line(from, &line)) {
        if (!line.is_key || memcmp(hash, line.hash, HASH) != 0) {
            fwrite(line.bytes, 1, line.length, to); /* the caller looks for failures */
            if (line.has_return) {
                putc('\r', to);
            }
            if (line.has_newline) {
                putc('\n', to);
            }
        }
    }
    return end_reading(from, &line, path, why);
}

/* Writes the file without the key, with the owner and the mode of the old one. A server that runs as
 * another user must be able to read it. */
static lotor_status write_others(FILE *from, const char *path, const char *draft,
                                 const struct stat *now, const unsigned char hash[HASH],
                                 lotor_message *why)
{
    /* what a crash has left there, or somebody's link, is not written to */
    const int handle = unlink(draft) == 0 || errno == ENOENT
                           ? open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)
                           : -1;
    if (handle < 0) {
        return refuse_file(draft, "made", why);
    }
    FILE *const to = fdopen(handle, "w");
    if (!to) {
        close(handle);
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    lotor_status status =
        fchmod(handle, now->st_mode & 0700U) == 0 && fchown(handle, now->st_uid, now->st_gid) == 0
            ? LOTOR_OK
            : refuse_file(draft, "given its owner", why);
    if (status == LOTOR_OK) {
        status = copy_others(from, to, hash, path, why);
    }
    if (status == LOTOR_OK && (fflush(to) != 0 || ferror(to) || fsync(handle) != 0)) {
        status = refuse_file(draft, "written", why);
    }
    if (fclose(to) != 0 && status == LOTOR_OK) {
        status = refuse_file(draft, "written", why);
    }
    return status;
}

/* Makes the new name of the file durable. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *const slash = strrchr(path, '/');
    if (!slash) {
        return; /* never: the path is absolute */
    }
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    const int handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle >= 0) {
        (void)fsync(handle);
        close(handle);
    }
}

static lotor_status revoke_in(FILE *file, const char *path, const struct stat *now,
                              const key_call *call, lotor_message *why, lotor_key_grant *out)
{
    unsigned char hash[HASH];
    char draft[PATH_MAX];
    const int length = snprintf(draft, sizeof draft, "%s.new", path);
    if (length < 0 || (size_t)length >= sizeof draft) {
        return lotor_fail(LOTOR_INVALID, why, "the path of the key file is too long");
    }
    lotor_status status = find_key(file, path, call, why, hash, out);
    if (status != LOTOR_OK) {
        return status;
    }
    status = write_others(file, path, draft, now, hash, why);
    if (status == LOTOR_OK && rename(draft, path) != 0) {
        status = refuse_file(path, "replaced", why);
    }
    if (status != LOTOR_OK) {
        unlink(draft);
        return status;
    }
    sync_folder(path);
    return LOTOR_OK;
}

static lotor_status revoke_key(const char *path, const key_call *call, lotor_message *why,
                               lotor_key_grant *out)
{
    struct stat now;
    int handle = -1;
    char real[PATH_MAX]; /* a link stays a link to the new file */
    lotor_status status =
        open_locked(realpath(path, real) ? real : path, O_RDONLY, why, &handle, &now);
    if (status != LOTOR_OK) {
        return status;
    }
    FILE *const file = fdopen(handle, "r");
    if (!file) {
        close(handle);
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    status = revoke_in(file, real, &now, call, why, out);
    fclose(file);
    return status;
}

lotor_status lotor_key_revoke(const char *path, const char *name, lotor_message *why,
                              lotor_key_grant *out)
{
    return revoke_key(path, &(key_call){.text = name}, why, out);
}

lotor_status lotor_key_revoke_id(const char *path, const char *id, lotor_message *why,
                                 lotor_key_grant *out)
{
    return revoke_key(path, &(key_call){.text = id, .is_id = true}, why, out);
}
