/* fault_vfs_sqlite.c - the failing disk's interface for SQLite: files, locks and shared memory. */
#include "service/fault_vfs_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counts an operation. Returns SQLITE_OK, or the error that it must return. */
static int operate(fault_vfs *disk, int error, bool grows)
{
    disk->operations++;
    if (disk->kind != FAULT_NONE && disk->operations == disk->at) {
        disk->has_fired = true;
    }
    if (!disk->has_fired) {
        return SQLITE_OK;
    }
    switch (disk->kind) {
    case FAULT_ERROR:
        return disk->operations == disk->at ? error : SQLITE_OK;
    case FAULT_FULL:
        return grows ? SQLITE_FULL : SQLITE_OK;
    case FAULT_DEAD:
    case FAULT_POWER:
        return error;
    case FAULT_NONE:
        break;
    }
    return SQLITE_OK;
}

static bool is_dark(const fault_vfs *disk)
{
    return disk->has_fired && disk->kind == FAULT_POWER;
}

static fault_handle *handle_of(sqlite3_file *file)
{
    return (fault_handle *)(void *)file;
}

static fault_handle *lock_handle(sqlite3_file *file)
{
    fault_handle *handle = handle_of(file);
    pthread_mutex_lock(&handle->disk->lock);
    return handle;
}

static int unlock_handle(fault_handle *handle, int code)
{
    pthread_mutex_unlock(&handle->disk->lock);
    return code;
}

void fault_drop_shared(fault_file *file)
{
    for (size_t i = 0; i < FAULT_REGIONS; i++) {
        free(file->regions[i]);
        file->regions[i] = NULL;
    }
}

static int do_close(sqlite3_file *base)
{
    fault_handle *handle = lock_handle(base);
    fault_handle **link = &handle->file->handles;
    while (*link != handle) {
        link = &(*link)->next;
    }
    *link = handle->next;
    if (!handle->file->handles) {
        fault_drop_shared(handle->file);
    }
    return unlock_handle(handle, SQLITE_OK);
}

static int do_read(sqlite3_file *base, void *to, int amount, sqlite3_int64 at)
{
    fault_handle *handle = lock_handle(base);
    const fault_image *image = &handle->file->seen;
    const size_t from = (size_t)at, length = (size_t)amount;
    if (is_dark(handle->disk)) {
        return unlock_handle(handle, SQLITE_IOERR_READ);
    }
    const size_t there = from < image->length ? image->length - from : 0;
    const size_t part = there < length ? there : length;
    if (part > 0) {
        memcpy(to, image->bytes + from, part);
    }
    memset((unsigned char *)to + part, 0, length - part);
    return unlock_handle(handle, part == length ? SQLITE_OK : SQLITE_IOERR_SHORT_READ);
}

static int do_write(sqlite3_file *base, const void *bytes, int amount, sqlite3_int64 at)
{
    fault_handle *handle = lock_handle(base);
    fault_file *file = handle->file;
    size_t length = (size_t)amount;
    const bool was_dark = is_dark(handle->disk);
    const int code =
        operate(handle->disk, SQLITE_IOERR_WRITE, (size_t)at + length > file->seen.length);
    if (code == SQLITE_FULL || was_dark) {
        return unlock_handle(handle, code);
    }
    if (code != SQLITE_OK && handle->disk->kind != FAULT_POWER) {
        length /= 2; /* an error in the middle; or only this part may survive the power loss */
    }
    fault_put(&file->seen, (size_t)at, bytes, length);
    fault_remember(file, (fault_change){.kind = FAULT_WRITTEN, .at = (size_t)at, .length = length},
                   bytes);
    return unlock_handle(handle, code);
}

static int do_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    fault_handle *handle = lock_handle(base);
    const int code = operate(handle->disk, SQLITE_IOERR_TRUNCATE, false);
    if (code == SQLITE_OK) {
        fault_resize(&handle->file->seen, (size_t)size);
        fault_remember(handle->file, (fault_change){.kind = FAULT_TRUNCATED, .at = (size_t)size},
                       NULL);
    }
    return unlock_handle(handle, code);
}

static int do_sync(sqlite3_file *base, int flags)
{
    (void)flags;
    fault_handle *handle = lock_handle(base);
    const int code = operate(handle->disk, SQLITE_IOERR_FSYNC, false);
    fault_sync(handle->file, code == SQLITE_OK);
    return unlock_handle(handle, code);
}

static int do_size(sqlite3_file *base, sqlite3_int64 *size)
{
    fault_handle *handle = lock_handle(base);
    *size = (sqlite3_int64)handle->file->seen.length;
    return unlock_handle(handle, is_dark(handle->disk) ? SQLITE_IOERR_FSTAT : SQLITE_OK);
}

/* The highest lock level of other handles. */
static int level_of_others(const fault_handle *handle)
{
    int level = SQLITE_LOCK_NONE;
    for (const fault_handle *other = handle->file->handles; other; other = other->next) {
        level = other != handle && other->level > level ? other->level : level;
    }
    return level;
}

static int do_lock(sqlite3_file *base, int level)
{
    fault_handle *handle = lock_handle(base);
    const int others = level_of_others(handle);
    const bool busy = (level == SQLITE_LOCK_SHARED && others >= SQLITE_LOCK_PENDING) ||
                      (level == SQLITE_LOCK_RESERVED && others >= SQLITE_LOCK_RESERVED) ||
                      (level == SQLITE_LOCK_EXCLUSIVE && others >= SQLITE_LOCK_SHARED);
    if (!busy && level > handle->level) {
        handle->level = level;
    }
    return unlock_handle(handle, busy ? SQLITE_BUSY : SQLITE_OK);
}

static int do_unlock(sqlite3_file *base, int level)
{
    fault_handle *handle = lock_handle(base);
    handle->level = level;
    return unlock_handle(handle, SQLITE_OK);
}

static int do_check_reserved(sqlite3_file *base, int *is_reserved)
{
    fault_handle *handle = lock_handle(base);
    *is_reserved = level_of_others(handle) >= SQLITE_LOCK_RESERVED;
    return unlock_handle(handle, SQLITE_OK);
}

static int do_control(sqlite3_file *base, int what, void *argument)
{
    (void)base;
    (void)what;
    (void)argument;
    return SQLITE_NOTFOUND;
}

static int do_sector(sqlite3_file *base)
{
    (void)base;
    return 4096;
}

/* Like SQLite's own file system for Unix: a write does not change the bytes next to it. */
static int do_traits(sqlite3_file *base)
{
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int do_map(sqlite3_file *base, int region, int size, int extends, void volatile **out)
{
    fault_handle *handle = lock_handle(base);
    *out = NULL;
    if (region >= FAULT_REGIONS) {
        return unlock_handle(handle, SQLITE_FULL);
    }
    if (!handle->file->regions[region] && extends) {
        handle->file->regions[region] = fault_need(calloc(1, (size_t)size));
    }
    *out = handle->file->regions[region];
    return unlock_handle(handle, SQLITE_OK);
}

static int do_shared_lock(sqlite3_file *base, int first, int count, int flags)
{
    fault_handle *handle = lock_handle(base);
    const unsigned char wanted = (flags & SQLITE_SHM_EXCLUSIVE) ? 2 : 1;
    for (int i = first; (flags & SQLITE_SHM_LOCK) && i < first + count; i++) {
        for (fault_handle *other = handle->file->handles; other; other = other->next) {
            if (other != handle && other->held[i] + wanted > 2) {
                return unlock_handle(handle, SQLITE_BUSY);
            }
        }
    }
    for (int i = first; i < first + count; i++) {
        handle->held[i] = (flags & SQLITE_SHM_LOCK) ? wanted : 0;
    }
    return unlock_handle(handle, SQLITE_OK);
}

static void do_barrier(sqlite3_file *base)
{
    unlock_handle(lock_handle(base), SQLITE_OK);
}

static int do_unmap(sqlite3_file *base, int deletes)
{
    fault_handle *handle = lock_handle(base);
    memset(handle->held, 0, sizeof handle->held);
    (void)deletes; /* deleted with the last handle */
    return unlock_handle(handle, SQLITE_OK);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = do_close,
    .xRead = do_read,
    .xWrite = do_write,
    .xTruncate = do_truncate,
    .xSync = do_sync,
    .xFileSize = do_size,
    .xLock = do_lock,
    .xUnlock = do_unlock,
    .xCheckReservedLock = do_check_reserved,
    .xFileControl = do_control,
    .xSectorSize = do_sector,
    .xDeviceCharacteristics = do_traits,
    .xShmMap = do_map,
    .xShmLock = do_shared_lock,
    .xShmBarrier = do_barrier,
    .xShmUnmap = do_unmap,
};

static fault_vfs *disk_of(sqlite3_vfs *vfs)
{
    return vfs->pAppData;
}

static int open_locked(fault_vfs *disk, const char *name, fault_handle *handle, int flags)
{
    fault_file *file = fault_find(disk, name);
    if (is_dark(disk)) {
        return SQLITE_CANTOPEN;
    }
    if (!file || !file->is_there) {
        if (!(flags & SQLITE_OPEN_CREATE) || disk->is_read_only) {
            return SQLITE_CANTOPEN;
        }
        if (operate(disk, SQLITE_CANTOPEN, false) != SQLITE_OK) {
            return SQLITE_CANTOPEN;
        }
        file = fault_make(disk, name);
        fault_remember(file, (fault_change){.kind = FAULT_MADE}, NULL);
    }
    handle->base.pMethods = &methods;
    handle->disk = disk;
    handle->file = file;
    handle->next = file->handles;
    file->handles = handle;
    return SQLITE_OK;
}

static int do_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *given)
{
    fault_vfs *disk = disk_of(vfs);
    memset(base, 0, sizeof(fault_handle));
    pthread_mutex_lock(&disk->lock);
    const int code = open_locked(disk, name, handle_of(base), flags);
    pthread_mutex_unlock(&disk->lock);
    if (code == SQLITE_OK && given) {
        *given = disk->is_read_only ? (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) |
                                          SQLITE_OPEN_READONLY
                                    : flags;
    }
    return code;
}

static int do_delete(sqlite3_vfs *vfs, const char *name, int syncs)
{
    fault_vfs *disk = disk_of(vfs);
    pthread_mutex_lock(&disk->lock);
    int code = operate(disk, SQLITE_IOERR_DELETE, false);
    fault_file *file = fault_find(disk, name);
    if (code == SQLITE_OK && (!file || !file->is_there)) {
        code = SQLITE_IOERR_DELETE_NOENT;
    } else if (code == SQLITE_OK) {
        fault_resize(&file->seen, 0);
        file->is_there = false;
        fault_remember(file, (fault_change){.kind = FAULT_DELETED}, NULL);
        if (syncs) {
            fault_sync(file, true);
        }
    }
    pthread_mutex_unlock(&disk->lock);
    return code;
}

static int do_access(sqlite3_vfs *vfs, const char *name, int what, int *can)
{
    fault_vfs *disk = disk_of(vfs);
    pthread_mutex_lock(&disk->lock);
    const fault_file *file = fault_find(disk, name);
    *can = file && file->is_there && (what != SQLITE_ACCESS_EXISTS || file->seen.length > 0) &&
           (what != SQLITE_ACCESS_READWRITE || !disk->is_read_only);
    const int code = is_dark(disk) ? SQLITE_IOERR_ACCESS : SQLITE_OK;
    pthread_mutex_unlock(&disk->lock);
    return code;
}

static int do_full_name(sqlite3_vfs *vfs, const char *name, int room, char *to)
{
    (void)vfs;
    snprintf(to, (size_t)room, "%s", name);
    return SQLITE_OK;
}

fault_vfs *fault_vfs_new(void)
{
    fault_vfs *disk = fault_need(calloc(1, sizeof *disk));
    const sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
    pthread_mutex_init(&disk->lock, NULL);
    snprintf(disk->name, sizeof disk->name, "fault-%p", (void *)disk);
    disk->vfs = *usual; /* time and random numbers are the system's */
    disk->vfs.iVersion = 1;
    disk->vfs.pNext = NULL;
    disk->vfs.szOsFile = sizeof(fault_handle);
    disk->vfs.zName = disk->name;
    disk->vfs.pAppData = disk;
    disk->vfs.xOpen = do_open;
    disk->vfs.xDelete = do_delete;
    disk->vfs.xAccess = do_access;
    disk->vfs.xFullPathname = do_full_name;
    if (sqlite3_vfs_register(&disk->vfs, 0) != SQLITE_OK) {
        abort();
    }
    return disk;
}

void fault_vfs_unregister(fault_vfs *disk)
{
    sqlite3_vfs_unregister(&disk->vfs);
}

const char *fault_vfs_name(const fault_vfs *disk)
{
    return disk->name;
}
