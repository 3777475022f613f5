/* scratch.h - a temporary folder for a test's files. */
#ifndef LOTOR_TESTS_SCRATCH_H
#define LOTOR_TESTS_SCRATCH_H

#include <stddef.h>

typedef struct scratch {
    char folder[256];
    char path[512]; /* of the last scratch_path */
} scratch;

/* Ends the program if the folder can't be made. */
void scratch_start(scratch *files);
/* The path of a file in the folder; valid until the next call. */
const char *scratch_path(scratch *files, const char *name);
void scratch_end(scratch *files);

/* Read or write a whole file; the caller frees what it reads. They end the program if that
 * fails. */
unsigned char *scratch_read(const char *path, size_t *length);
void scratch_write(const char *path, const void *bytes, size_t length);

#endif
