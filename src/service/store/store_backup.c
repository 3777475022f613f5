/* store_backup.c - a consistent copy of a store, also while a server writes to it.
 *
 * SQLite's online backup takes all pages in one read transaction. It goes to another name first and is
 * linked to its own when it is whole and synced, so a copy is whole or not there, and nothing is
 * overwritten.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/quote.h"
#include "service/store/store_sqlite.h"
#include "service/vault/durable.h"

static lotor_status copy_pages(lotor_sqlite *store, const char *path, lotor_message *why)
{
    sqlite3 *copy = NULL;
    int code = sqlite3_open_v2(path, &copy, SQLITE_OPEN_READWRITE, NULL);
    if (code == SQLITE_OK) {
        sqlite3_backup *backup = sqlite3_backup_init(copy, "main", store->db, "main");
        if (backup) {
            code = sqlite3_backup_step(backup, -1);
            const int finished = sqlite3_backup_finish(backup);
            code = code == SQLITE_DONE ? finished : code;
        } else {
            code = sqlite3_errcode(copy);
        }
    }
    const lotor_status status =
        code == SQLITE_OK ? LOTOR_OK : lotor_sqlite_fail(NULL, code, "the copy", why);
    sqlite3_close(copy);
    return status;
}

static lotor_status sync_file(const char *path, lotor_message *why)
{
    const int file = open(path, O_RDWR | O_CLOEXEC);
    const bool synced = file >= 0 && fsync(file) == 0;
    const int error = errno;
    if (file >= 0) {
        close(file);
    }
    if (!synced) {
        return lotor_fail(LOTOR_UNFINISHED, why, "the copy could not be synced: %s",
                          strerror(error));
    }
    return LOTOR_OK;
}

static lotor_status put_in_place(const char *part, const char *path, lotor_message *why)
{
    if (link(part, path) != 0) {
        return lotor_fail(errno == EEXIST ? LOTOR_DUPLICATE : LOTOR_UNFINISHED, why,
                          "the copy %s could not be made: %s", lotor_quote_text(path).text,
                          strerror(errno));
    }
    unlink(part);
    return lotor_sync_folder(path, why);
}

static lotor_status copy_through(lotor_sqlite *store, const char *part, const char *path,
                                 lotor_message *why)
{
    const int file = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return lotor_fail(LOTOR_UNFINISHED, why, "%s can't be made: %s%s",
                          lotor_quote_text(part).text, strerror(errno),
                          errno == EEXIST ? " (left over from a copy that did not end, or one is "
                                            "being made: remove it)"
                                          : "");
    }
    close(file);
    lotor_status status = copy_pages(store, part, why);
    if (status == LOTOR_OK) {
        status = sync_file(part, why);
    }
    if (status == LOTOR_OK) {
        status = put_in_place(part, path, why);
    }
    if (status != LOTOR_OK) {
        unlink(part);
    }
    return status;
}

lotor_status lotor_sqlite_backup(lotor_store *base, const char *path, lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    struct stat facts;
    if (lstat(path, &facts) == 0) {
        return lotor_fail(LOTOR_DUPLICATE, why, "%s is there already, and is not overwritten",
                          lotor_quote_text(path).text);
    }
    char *part = lotor_path_with(path, ".part");
    if (!part) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    const lotor_status status = copy_through(store, part, path, why);
    free(part);
    return status;
}
