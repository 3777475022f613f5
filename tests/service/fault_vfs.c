/* fault_vfs.c - the files of the failing disk and their two images. See fault_vfs.h; the
 * functions that SQLite calls are in fault_vfs_sqlite.c. */
#include "service/fault_vfs_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *fault_need(void *memory)
{
    if (!memory) {
        fputs("fault_vfs: out of memory\n", stderr);
        abort();
    }
    return memory;
}

void fault_resize(fault_image *image, size_t length)
{
    if (length > image->capacity) {
        image->capacity = 2 * length;
        image->bytes = fault_need(realloc(image->bytes, image->capacity));
    }
    if (length > image->length) {
        memset(image->bytes + image->length, 0, length - image->length);
    }
    image->length = length;
}

void fault_put(fault_image *image, size_t at, const void *bytes, size_t length)
{
    if (at + length > image->length) {
        fault_resize(image, at + length);
    }
    if (length > 0) {
        memcpy(image->bytes + at, bytes, length);
    }
}

fault_file *fault_find(fault_vfs *disk, const char *name)
{
    for (fault_file *file = disk->files; file; file = file->next) {
        if (name && strcmp(file->name, name) == 0) {
            return file;
        }
    }
    return NULL;
}

fault_file *fault_make(fault_vfs *disk, const char *name)
{
    fault_file *file = fault_find(disk, name);
    if (!file) {
        file = fault_need(calloc(1, sizeof *file));
        file->name = fault_need(strdup(name ? name : ""));
        file->next = disk->files;
        disk->files = file;
    }
    file->is_there = true;
    return file;
}

void fault_remember(fault_file *file, fault_change change, const void *bytes)
{
    if (file->change_count == file->change_room) {
        file->change_room = 2 * file->change_room + 16;
        file->changes =
            fault_need(realloc(file->changes, file->change_room * sizeof *file->changes));
    }
    if (change.kind == FAULT_WRITTEN) {
        change.bytes = fault_need(malloc(change.length + 1));
        memcpy(change.bytes, bytes, change.length);
    }
    file->changes[file->change_count++] = change;
}

static void forget_changes(fault_file *file)
{
    for (size_t i = 0; i < file->change_count; i++) {
        free(file->changes[i].bytes);
    }
    file->change_count = 0;
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/* Makes a change durable; with `coins`, only a random part of it. */
static void settle(fault_file *file, const fault_change *change, uint64_t *coins)
{
    enum { SECTOR = 512 };
    const bool keeps = !coins || (next_random(coins) & 1) != 0;
    if (change->kind == FAULT_TRUNCATED && keeps) {
        fault_resize(&file->durable, change->at);
    } else if (change->kind == FAULT_MADE && keeps) {
        file->is_durable = true;
    } else if (change->kind == FAULT_DELETED && keeps) {
        file->is_durable = false;
        fault_resize(&file->durable, 0);
    } else if (change->kind == FAULT_WRITTEN) {
        for (size_t done = 0; done < change->length;) {
            size_t part = SECTOR - (change->at + done) % SECTOR;
            part = part < change->length - done ? part : change->length - done;
            if (!coins || (next_random(coins) & 1) != 0) {
                fault_put(&file->durable, change->at + done, change->bytes + done, part);
                file->is_durable = true;
            }
            done += part;
        }
    }
}

void fault_sync(fault_file *file, bool succeeds)
{
    for (size_t i = 0; i < file->change_count; i++) {
        if (!succeeds) {
            file->changes[i].is_lost = true;
        } else if (!file->changes[i].is_lost) {
            settle(file, &file->changes[i], NULL);
        }
    }
    if (succeeds) {
        file->is_durable = file->is_there;
        forget_changes(file);
    }
}

void fault_vfs_restart(fault_vfs *disk, fault_left left, uint64_t seed)
{
    for (fault_file *file = disk->files; file; file = file->next) {
        if (file->handles) {
            fputs("fault_vfs: a file is still open at the restart\n", stderr);
            abort();
        }
        for (size_t i = 0; i < file->change_count && left != FAULT_LOSE_ALL; i++) {
            settle(file, &file->changes[i], left == FAULT_KEEP_SOME ? &seed : NULL);
        }
        forget_changes(file);
        file->is_there = file->is_durable;
        fault_resize(&file->seen, 0);
        fault_put(&file->seen, 0, file->durable.bytes, file->durable.length);
    }
    fault_vfs_arm(disk, FAULT_NONE, 0);
}

void fault_vfs_arm(fault_vfs *disk, fault_kind kind, uint64_t at)
{
    pthread_mutex_lock(&disk->lock);
    disk->kind = kind;
    disk->at = at;
    disk->operations = 0;
    disk->has_fired = false;
    pthread_mutex_unlock(&disk->lock);
}

bool fault_vfs_fired(fault_vfs *disk)
{
    pthread_mutex_lock(&disk->lock);
    const bool fired = disk->has_fired;
    pthread_mutex_unlock(&disk->lock);
    return fired;
}

uint64_t fault_vfs_operations(fault_vfs *disk)
{
    pthread_mutex_lock(&disk->lock);
    const uint64_t operations = disk->operations;
    pthread_mutex_unlock(&disk->lock);
    return operations;
}

void fault_vfs_read_only(fault_vfs *disk, bool is_read_only)
{
    disk->is_read_only = is_read_only;
}

void fault_vfs_put(fault_vfs *disk, const char *name, const void *bytes, size_t length)
{
    fault_file *file = fault_make(disk, name);
    forget_changes(file);
    file->is_durable = true;
    fault_resize(&file->seen, 0);
    fault_put(&file->seen, 0, bytes, length);
    fault_resize(&file->durable, 0);
    fault_put(&file->durable, 0, bytes, length);
}

unsigned char *fault_vfs_get(fault_vfs *disk, const char *name, size_t *length)
{
    const fault_file *file = fault_find(disk, name);
    if (!file || !file->is_there) {
        return NULL;
    }
    unsigned char *bytes = fault_need(malloc(file->seen.length + 1));
    memcpy(bytes, file->seen.bytes ? file->seen.bytes : (unsigned char *)"", file->seen.length);
    *length = file->seen.length;
    return bytes;
}

void fault_vfs_free(fault_vfs *disk)
{
    fault_vfs_unregister(disk);
    while (disk->files) {
        fault_file *file = disk->files;
        disk->files = file->next;
        forget_changes(file);
        fault_drop_shared(file);
        free(file->changes);
        free(file->seen.bytes);
        free(file->durable.bytes);
        free(file->name);
        free(file);
    }
    pthread_mutex_destroy(&disk->lock);
    free(disk);
}
