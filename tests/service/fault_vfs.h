/* fault_vfs.h - a disk in memory for SQLite that fails when it is told to, and whose power can go.
 *
 * Every file has what programs see and what is durable. Writes are seen at once, and become durable
 * with the next sync. When the power goes, everything fails until the restart, and then the disk holds
 * what was synced and, of the rest, all, nothing, or a random part (by sectors of 512 bytes). After a
 * sync that failed, what it was for may be lost for good, even if a later sync succeeds, as on Linux.
 *
 *      fault_vfs *disk = fault_vfs_new();
 *      lotor_store_open("x.db", LOTOR_STORE_SERVE, fault_vfs_name(disk), ...);
 *      fault_vfs_arm(disk, FAULT_POWER, 17);    the 17th operation from now is the last
 *      ...; lotor_store_close(...); fault_vfs_restart(disk, FAULT_KEEP_SOME, seed); open again
 *
 * Operations are those that change the disk: writes, syncs, truncations, making and deleting files.
 * Safe from any thread.
 */
#ifndef LOTOR_TESTS_FAULT_VFS_H
#define LOTOR_TESTS_FAULT_VFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fault_vfs fault_vfs;

typedef enum fault_kind {
    FAULT_NONE = 0,
    FAULT_ERROR, /* that operation fails; a write is done by half */
    FAULT_FULL,  /* writes that make a file longer fail from then on; SQLite says FULL */
    FAULT_DEAD,  /* all operations fail from then on, until it is armed again; reading goes on */
    FAULT_POWER  /* everything fails from then on, until the restart */
} fault_kind;

typedef enum fault_left { FAULT_KEEP_ALL, FAULT_LOSE_ALL, FAULT_KEEP_SOME } fault_left;

/* Ends the program when it can't be made. Free it when all its files are closed. */
fault_vfs *fault_vfs_new(void);
void fault_vfs_free(fault_vfs *disk);
const char *fault_vfs_name(const fault_vfs *disk);

/* The operation number `at` from now on, from 1, fails that way; FAULT_NONE: none does. */
void fault_vfs_arm(fault_vfs *disk, fault_kind kind, uint64_t at);
/* Whether it came to that, and how many operations there were since it was armed. */
bool fault_vfs_fired(fault_vfs *disk);
uint64_t fault_vfs_operations(fault_vfs *disk);

/* Files can be opened for reading only. */
void fault_vfs_read_only(fault_vfs *disk, bool is_read_only);

/* The power comes back (or it goes now and comes back). All files must be closed. */
void fault_vfs_restart(fault_vfs *disk, fault_left left, uint64_t seed);

/* A whole file, durable, put there or taken out (the caller frees it; NULL: there is none). */
void fault_vfs_put(fault_vfs *disk, const char *name, const void *bytes, size_t length);
unsigned char *fault_vfs_get(fault_vfs *disk, const char *name, size_t *length);

#endif
