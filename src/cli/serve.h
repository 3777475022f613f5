/* serve.h - functions that lotor serve and lotor key share. */
#ifndef LOTOR_CLI_SERVE_H
#define LOTOR_CLI_SERVE_H

#include <stdbool.h>
#include <stddef.h>

#include <lotor/status.h>

/* Prints that this build has no service, and how to get one. Returns the exit status. */
int lotor_no_service(const char *command);

/* The path "STORE.ENDING", or `given` if it is not NULL. False: the path is too long. */
bool lotor_serve_path(const char *store, const char *ending, const char *given, char *path,
                      size_t capacity);

/* Hardens the process: no core dumps, no new privileges, no access to its memory by other
 * processes, files only for the owner. */
lotor_status lotor_serve_harden(lotor_message *why);

#endif
