/* fault_vfs_parts.h - shared by the two files of the failing disk. */
#ifndef LOTOR_TESTS_FAULT_VFS_PARTS_H
#define LOTOR_TESTS_FAULT_VFS_PARTS_H

#include <pthread.h>
#include <sqlite3.h>

#include "service/fault_vfs.h"

typedef struct fault_image {
    unsigned char *bytes;
    size_t length, capacity;
} fault_image;

/* A change of a file since its last sync. */
typedef struct fault_change {
    enum { FAULT_WRITTEN, FAULT_TRUNCATED, FAULT_MADE, FAULT_DELETED } kind;
    size_t at, length;
    unsigned char *bytes;
    bool is_lost; /* a sync failed, so a later sync does not make it durable */
} fault_change;

enum { FAULT_REGIONS = 64, FAULT_LOCKS = 8 };

struct fault_handle;

typedef struct fault_file {
    char *name;
    fault_image seen, durable;
    bool is_there, is_durable;
    fault_change *changes;
    size_t change_count, change_room;
    struct fault_handle *handles; /* the open handles */
    void *regions[FAULT_REGIONS]; /* shared memory */
    struct fault_file *next;
} fault_file;

struct fault_vfs {
    sqlite3_vfs vfs; /* must be first: SQLite passes a pointer to it */
    char name[40];
    pthread_mutex_t lock;
    fault_file *files;
    fault_kind kind;
    uint64_t at, operations;
    bool has_fired, is_read_only;
};

typedef struct fault_handle {
    sqlite3_file base; /* must be first */
    fault_vfs *disk;
    fault_file *file;
    int level;                       /* SQLITE_LOCK_NONE ... */
    unsigned char held[FAULT_LOCKS]; /* locks of shared memory: 0 none, 1 shared, 2 exclusive */
    struct fault_handle *next;
} fault_handle;

void *fault_need(void *memory);
void fault_resize(fault_image *image, size_t length);
void fault_put(fault_image *image, size_t at, const void *bytes, size_t length);
fault_file *fault_find(fault_vfs *disk, const char *name);
fault_file *fault_make(fault_vfs *disk, const char *name);
void fault_remember(fault_file *file, fault_change change, const void *bytes);
void fault_sync(fault_file *file, bool succeeds);
void fault_drop_shared(fault_file *file);
void fault_vfs_unregister(fault_vfs *disk);

#endif
