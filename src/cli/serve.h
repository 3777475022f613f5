/* serve.h - the parts of lotor serve and lotor key. */
#ifndef LOTOR_CLI_SERVE_H
#define LOTOR_CLI_SERVE_H

#include <stdbool.h>
#include <stddef.h>

#include <lotor/status.h>

/* Says that this build has no service, and what it takes to have one. Returns the exit status. */
int lotor_no_service(const char *command);

/* "STORE.keys", or what was given. False: too long. */
bool lotor_beside(const char *store, const char *ending, const char *given, char *path,
                  size_t capacity);

/* No core dump, no new privileges, nobody reads this process's memory, files for the owner alone. */
lotor_status lotor_harden(lotor_message *why);

#endif
