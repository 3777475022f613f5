/* durable.h - writes small files that are complete and on disk when a call returns. */
#ifndef LOTOR_SERVICE_DURABLE_H
#define LOTOR_SERVICE_DURABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <lotor/status.h>

/* Returns the path with `end` appended; the caller frees it. NULL: no memory. */
char *lotor_path_with(const char *path, const char *end);

/* Makes the entries of the folder of `path` durable: files that were made, linked or renamed in
 * it. */
lotor_status lotor_sync_folder(const char *path, lotor_message *why);

/* Makes a new file of mode 0600 with these bytes. After a failure or a crash there is either the
 * complete file or none. LOTOR_DUPLICATE: a file of that name exists; it is not changed. */
lotor_status lotor_make_file(const char *path, const void *bytes, size_t length,
                             lotor_message *why);

/* Writes all bytes at offset `at`. Returns false if that fails; errno says why. */
bool lotor_write_all(int file, const void *bytes, size_t length, off_t at);

/* Reads up to `length` bytes from offset `at`. Returns -1 if that fails; errno says why. */
ssize_t lotor_read_most(int file, void *bytes, size_t length, off_t at);

#endif
