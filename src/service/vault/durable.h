/* durable.h - small files that are on disk, whole, when a call returns. */
#ifndef LOTOR_SERVICE_DURABLE_H
#define LOTOR_SERVICE_DURABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <lotor/status.h>

/* The path with something behind it; the caller frees it. NULL: no memory. */
char *lotor_path_with(const char *path, const char *end);

/* Makes the names in the folder of `path` durable: what was made, linked or renamed there stays. */
lotor_status lotor_sync_folder(const char *path, lotor_message *why);

/* A new file, mode 0600, with these bytes: whole and durable, or not there at all. LOTOR_DUPLICATE: one
 * of that name was there, and was not touched. */
lotor_status lotor_make_file(const char *path, const void *bytes, size_t length,
                             lotor_message *why);

/* All of it, at a place of the file; false: errno says why. */
bool lotor_write_all(int file, const void *bytes, size_t length, off_t at);

/* Up to `length` bytes from a place of the file on; -1: errno says why. */
ssize_t lotor_read_most(int file, void *bytes, size_t length, off_t at);

#endif
