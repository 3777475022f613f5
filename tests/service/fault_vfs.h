/* fault_vfs.h - a disk in memory for SQLite that can be told to fail or to lose power.
 *
 * Each file has what programs see, and what is durable. A write is seen at once, and becomes
 * durable with the next sync. After a power loss everything fails until the restart. Then the disk
 * has what was synced and, of the rest, all, nothing, or a random part (by sectors of 512 bytes).
 * After a failed sync, its data may be lost for good even if a later sync succeeds, as on Linux.
 *
 *      fault_vfs *disk = fault_vfs_new();
 *      lotor_store_open("x.db", LOTOR_STORE_SERVE, fault_vfs_name(disk), ...);
 *      fault_vfs_arm(disk, FAULT_POWER, 17);    the power fails at the 17th operation from now
 *      ...; lotor_store_close(...); fault_vfs_restart(disk, FAULT_KEEP_SOME, seed); open again
 *
 * Operations are those that change the disk: writes, syncs, truncations, making and deleting files.
 * All functions may be called from any thread.
 */
#ifndef LOTOR_TESTS_FAULT_VFS_H
#define LOTOR_TESTS_FAULT_VFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fault_vfs fault_vfs;

typedef enum fault_kind {
    FAULT_NONE = 0,
    FAULT_ERROR, /* that operation fails; half of a write is done */
    FAULT_FULL,  /* from then on, writes that make a file longer fail with SQLITE_FULL */
    FAULT_DEAD,  /* from then on, all operations fail until it is armed again; reading works */
    FAULT_POWER  /* from then on, everything fails until the restart */
} fault_kind;

typedef enum fault_left { FAULT_KEEP_ALL, FAULT_LOSE_ALL, FAULT_KEEP_SOME } fault_left;

/* Ends the program if there is no memory. Free the disk when all its files are closed. */
fault_vfs *fault_vfs_new(void);
void fault_vfs_free(fault_vfs *disk);
const char *fault_vfs_name(const fault_vfs *disk);

/* Makes operation number `at` from now (from 1) fail in this way. FAULT_NONE: none fails. */
void fault_vfs_arm(fault_vfs *disk, fault_kind kind, uint64_t at);
/* True if the fault has happened, and how many operations there were since it was armed. */
bool fault_vfs_fired(fault_vfs *disk);
uint64_t fault_vfs_operations(fault_vfs *disk);

/* Files can only be opened for reading. */
void fault_vfs_read_only(fault_vfs *disk, bool is_read_only);

/* Restores the power (after a power loss now, if there was none). All files must be closed. */
void fault_vfs_restart(fault_vfs *disk, fault_left left, uint64_t seed);

/* Puts or reads a whole durable file. The caller frees what it reads; NULL: there is no such
 * file. */
void fault_vfs_put(fault_vfs *disk, const char *name, const void *bytes, size_t length);
unsigned char *fault_vfs_get(fault_vfs *disk, const char *name, size_t *length);

#endif
