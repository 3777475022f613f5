/* durable.c - writes small files so that they survive a crash. See durable.h.
 *
 * A new file is written and synced under a temporary name, and then linked to its own name. A link
 * fails if the name exists, so two servers that start together can't overwrite each other's key. A
 * crash leaves either no file or a complete one.
 */
#include "service/server_key/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/quote.h"

char *lotor_path_with(const char *path, const char *end)
{
    const size_t room = strlen(path) + strlen(end) + 1;
    char *joined = malloc(room);
    if (joined) {
        snprintf(joined, room, "%s%s", path, end);
    }
    return joined;
}

bool lotor_write_all(int file, const void *bytes, size_t length, off_t at)
{
    const unsigned char *next = bytes;
    while (length > 0) {
        const ssize_t written = pwrite(file, next, length, at);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            errno = written == 0 ? ENOSPC : errno;
            return false;
        }
        next += written;
        at += written;
        length -= (size_t)written;
    }
    return true;
}

ssize_t lotor_read_most(int file, void *bytes, size_t length, off_t at)
{
    unsigned char *next = bytes;
    size_t found = 0;
    while (found < length) {
        const ssize_t got = pread(file, next + found, length - found, at + (off_t)found);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return -1;
        }
        if (got == 0) {
            break;
        }
        found += (size_t)got;
    }
    return (ssize_t)found;
}

lotor_status lotor_sync_folder(const char *path, lotor_message *why)
{
    const char *slash = strrchr(path, '/');
    char *folder = lotor_path_with(slash ? path : ".", "");
    if (!folder) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    if (slash) {
        folder[slash == path ? 1 : slash - path] = '\0';
    }
    const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* EINVAL: this file system can't sync a folder. */
    const bool synced = file >= 0 && (fsync(file) == 0 || errno == EINVAL);
    const int error = errno;
    if (file >= 0) {
        close(file);
    }
    const lotor_status status =
        synced ? LOTOR_OK
               : lotor_fail(LOTOR_UNFINISHED, why, "the folder %s could not be synced: %s",
                            lotor_quote_text(folder).text, strerror(error));
    free(folder);
    return status;
}

static lotor_status link_whole(const char *from, const char *path, const void *bytes, size_t length,
                               lotor_message *why)
{
    const int file = open(from, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return lotor_fail(LOTOR_UNFINISHED, why, "%s could not be made: %s",
                          lotor_quote_text(path).text, strerror(errno));
    }
    const bool written = lotor_write_all(file, bytes, length, 0) && fsync(file) == 0;
    int error = errno;
    bool made = false;
    if (close(file) == 0 && written) {
        made = link(from, path) == 0;
        error = errno;
    }
    unlink(from);
    if (made) {
        return lotor_sync_folder(path, why);
    }
    if (written && error == EEXIST) {
        return lotor_fail(LOTOR_DUPLICATE, why, "%s exists already", lotor_quote_text(path).text);
    }
    return lotor_fail(LOTOR_UNFINISHED, why, "%s could not be written: %s",
                      lotor_quote_text(path).text, strerror(error));
}

lotor_status lotor_make_file(const char *path, const void *bytes, size_t length, lotor_message *why)
{
    char end[32];
    uint64_t number;
    randombytes_buf(&number, sizeof number);
    snprintf(end, sizeof end, ".new-%016llx", (unsigned long long)number);
    char *from = lotor_path_with(path, end);
    if (!from) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    const lotor_status status = link_whole(from, path, bytes, length, why);
    free(from);
    return status;
}
