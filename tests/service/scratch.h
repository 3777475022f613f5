/* scratch.h - a folder for a test's files, removed with all that is in it. */
#ifndef LOTOR_TESTS_SCRATCH_H
#define LOTOR_TESTS_SCRATCH_H

#include <stddef.h>

typedef struct scratch {
    char folder[256];
    char path[512]; /* of the last scratch_path */
} scratch;

/* Ends the program when there is none to be had. */
void scratch_start(scratch *files);
/* The path of a file in it; good until the next call. */
const char *scratch_path(scratch *files, const char *name);
void scratch_end(scratch *files);

/* A whole file; the caller frees what it reads. They end the program when it can't be done. */
unsigned char *scratch_read(const char *path, size_t *length);
void scratch_write(const char *path, const void *bytes, size_t length);

#endif
